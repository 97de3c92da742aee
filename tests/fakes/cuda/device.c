// Devices, contexts, and the words for errors.
#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the driver -----------------------------------------------------------------------------------------------------

int fake_cu_init(unsigned flags)
{
    ENTER("cuInit", ANYTIME);
    fake_lock();
    int code = flags != 0 ? FAKE_INVALID_VALUE : fake.device_count == 0 ? FAKE_NO_DEVICE : FAKE_OK;
    if (code == FAKE_OK && !fake.is_initialized) {
        fake_init_locked();
    }
    fake_unlock();
    return code;
}

int fake_cu_driver_version(int *out)
{
    ENTER("cuDriverGetVersion", ANYTIME);
    *out = fake.version;
    return FAKE_OK;
}

static const struct {
    int code;
    const char *name;
    const char *text;
} errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int find_error(int code)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].code == code) {
            return (int)i;
        }
    }
    return -1;
}

int fake_cu_error_name(int error, const char **out)
{
    ENTER("cuGetErrorName", ANYTIME);
    int found = find_error(error);
    *out = found >= 0 ? errors[found].name : NULL;
    return found >= 0 ? FAKE_OK : FAKE_INVALID_VALUE;
}

int fake_cu_error_text(int error, const char **out)
{
    ENTER("cuGetErrorString", ANYTIME);
    int found = find_error(error);
    *out = found >= 0 ? errors[found].text : NULL;
    return found >= 0 ? FAKE_OK : FAKE_INVALID_VALUE;
}

// ---- devices --------------------------------------------------------------------------------------------------------

static bool is_device(int device)
{
    return device >= 0 && device < fake.device_count;
}

int fake_cu_device_count(int *out)
{
    ENTER("cuDeviceGetCount", INIT);
    *out = fake.device_count;
    return FAKE_OK;
}

int fake_cu_device_get(int *out, int ordinal)
{
    ENTER("cuDeviceGet", INIT);
    if (!is_device(ordinal)) {
        return FAKE_INVALID_DEVICE;
    }
    *out = ordinal;
    return FAKE_OK;
}

int fake_cu_device_name(char *out, int size, int device)
{
    ENTER("cuDeviceGetName", INIT);
    if (!is_device(device) || size <= 0) {
        return FAKE_INVALID_DEVICE;
    }
    snprintf(out, (size_t)size, "Stand-in GPU %d", device);
    return FAKE_OK;
}

// One lane, so that what is written for warps and blocks must hold for the smallest.
int fake_cu_device_attribute(int *out, int attribute, int device)
{
    static const struct {
        int attribute;
        int value;
    } values[] = {
        {1, 1},          // threads of a block
        {2, 1},          // block x, y, z
        {3, 1},          //
        {4, 1},          //
        {5, 2147483647}, // grid x, y, z
        {6, 65535},      //
        {7, 65535},      //
        {8, 49152},      // shared memory of a block
        {10, 1},         // warp size
        {12, 65536},     // registers
        {13, 1000000},   // clock
        {15, 1},         // copies overlap
        {16, 4},         // multiprocessors
        {31, 1},         // concurrent kernels
        {39, 2},         // threads of a multiprocessor
        {40, 2},         // copy engines
        {41, 1},         // unified addresses
        {75, 9},         // compute capability
        {76, 0},         //
        {78, 1},         // stream priorities
        {81, 49152},     // shared memory of a multiprocessor
        {92, 1},         // waits for values
        {95, 1},         // cooperative launches
        {99, 1},         // host memory can be registered
        {115, 1},        // memory pools
        {122, 1},        // 64-bit waits for values
        {124, 1},        //
    };
    ENTER("cuDeviceGetAttribute", INIT);
    if (!is_device(device)) {
        return FAKE_INVALID_DEVICE;
    }
    *out = attribute == 34 ? device + 1 : 0; // the PCI bus
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        *out = values[i].attribute == attribute ? values[i].value : *out;
    }
    int wanted, value;
    const char *given = fake_setting("ATTRIBUTE");
    if (given != NULL && sscanf(given, "%d:%d", &wanted, &value) == 2 && wanted == attribute) {
        *out = value;
    }
    return FAKE_OK;
}

int fake_cu_device_memory(size_t *out, int device)
{
    ENTER("cuDeviceTotalMem_v2", INIT);
    *out = fake.memory_size;
    return is_device(device) ? FAKE_OK : FAKE_INVALID_DEVICE;
}

int fake_cu_device_uuid(struct cu_uuid *out, int device)
{
    ENTER("cuDeviceGetUuid", INIT);
    for (int i = 0; i < 16; i++) {
        out->bytes[i] = (unsigned char)(0xfa + i * 17 + device);
    }
    return is_device(device) ? FAKE_OK : FAKE_INVALID_DEVICE;
}

int fake_cu_device_pci(char *out, int size, int device)
{
    ENTER("cuDeviceGetPCIBusId", INIT);
    snprintf(out, (size_t)size, "0000:%02x:00.0", device + 1);
    return is_device(device) ? FAKE_OK : FAKE_INVALID_DEVICE;
}

// ---- contexts -------------------------------------------------------------------------------------------------------

int fake_cu_primary_retain(cu_context *out, int device)
{
    ENTER("cuDevicePrimaryCtxRetain", INIT);
    if (!is_device(device)) {
        return FAKE_INVALID_DEVICE;
    }
    struct fake_context *context;
    fake_lock();
    int code = fake_context_retain_locked(device, &context);
    *out = fake_handle(context);
    fake_unlock();
    return code;
}

int fake_cu_primary_release(int device)
{
    ENTER_END("cuDevicePrimaryCtxRelease_v2", INIT);
    if (!is_device(device)) {
        return FAKE_INVALID_DEVICE;
    }
    fake_lock();
    int code = fake_context_release_locked(device, false);
    fake_unlock();
    LEAVE_END(code);
}

int fake_cu_context_get(cu_context *out)
{
    ENTER("cuCtxGetCurrent", INIT);
    fake_lock();
    *out = fake_handle(fake_current());
    fake_unlock();
    return FAKE_OK;
}

int fake_cu_context_set(cu_context handle)
{
    int told = fake_enter("cuCtxSetCurrent", INIT);
    fake_note_set(told != FAKE_OK);
    if (told != FAKE_OK) {
        return told;
    }
    fake_lock();
    struct fake_context *context = NULL;
    int code = FAKE_OK;
    if (handle != NULL) {
        context = fake_get_locked(handle, FAKE_CONTEXT, "cuCtxSetCurrent");
        code = context != NULL ? FAKE_OK : FAKE_INVALID_CONTEXT;
    }
    if (code == FAKE_OK) {
        fake_set_current(context);
    }
    fake_unlock();
    return code;
}

int fake_cu_priority_range(int *least, int *greatest)
{
    ENTER("cuCtxGetStreamPriorityRange", INIT);
    struct fake_context *context;
    fake_lock();
    int code = fake_need_context_locked("cuCtxGetStreamPriorityRange", &context);
    fake_unlock();
    *least = 0;
    *greatest = -5;
    return code;
}
