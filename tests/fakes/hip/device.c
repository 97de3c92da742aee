// Devices, and the words for errors.
#include "hip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the runtime ----------------------------------------------------------------------------------------------------

int fake_hip_init(unsigned flags)
{
    return fake_cu_init(flags);
}

int fake_hip_runtime_version(int *out)
{
    ENTER("hipRuntimeGetVersion", ANYTIME);
    *out = fake.version;
    return FAKE_OK;
}

// Codes are those of the CUDA driver, with names of their own.
static const struct {
    int code;
    const char *name;
    const char *text;
} errors[] = {
    {0, "hipSuccess", "no error"},
    {1, "hipErrorInvalidValue", "invalid argument"},
    {2, "hipErrorOutOfMemory", "out of memory"},
    {3, "hipErrorNotInitialized", "initialization error"},
    {4, "hipErrorDeinitialized", "driver shutting down"},
    {100, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {101, "hipErrorInvalidDevice", "invalid device ordinal"},
    {200, "hipErrorInvalidImage", "device kernel image is invalid"},
    {201, "hipErrorInvalidContext", "invalid device context"},
    {209, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {400, "hipErrorInvalidHandle", "invalid resource handle"},
    {500, "hipErrorNotFound", "named symbol not found"},
    {600, "hipErrorNotReady", "device not ready"},
    {700, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {719, "hipErrorLaunchFailure", "unspecified launch failure"},
    {801, "hipErrorNotSupported", "operation not supported"},
    {900, "hipErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {901, "hipErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
    {999, "hipErrorUnknown", "unknown error"},
};

static const char *find_error(int code, bool is_name)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].code == code) {
            return is_name ? errors[i].name : errors[i].text;
        }
    }
    return is_name ? "hipErrorUnknown" : "unknown error";
}

const char *fake_hip_error_name(int error)
{
    return find_error(error, true);
}

const char *fake_hip_error_text(int error)
{
    return find_error(error, false);
}

// ---- devices --------------------------------------------------------------------------------------------------------

static bool is_device(int device)
{
    return device >= 0 && device < fake.device_count;
}

int fake_hip_device_count(int *out)
{
    return fake_cu_device_count(out);
}

int fake_hip_device_name(char *out, int size, int device)
{
    return fake_cu_device_name(out, size, device);
}

int hip_attribute_given(int attribute, int otherwise)
{
    int wanted, value;
    const char *given = fake_setting("ATTRIBUTE");
    return given != NULL && sscanf(given, "%d:%d", &wanted, &value) == 2 && wanted == attribute ? value : otherwise;
}

int fake_hip_device_attribute(int *out, int attribute, int device)
{
    static const int same[][2] = {{HIP_DEVICE_MAX_THREADS_PER_BLOCK, CU_DEVICE_MAX_THREADS_PER_BLOCK},
                                  {HIP_DEVICE_MAX_GRID_X, CU_DEVICE_MAX_GRID_X},
                                  {HIP_DEVICE_MULTIPROCESSOR_COUNT, CU_DEVICE_MULTIPROCESSOR_COUNT},
                                  {HIP_DEVICE_WARP_SIZE, CU_DEVICE_WARP_SIZE},
                                  {HIP_DEVICE_MEMORY_POOLS, CU_DEVICE_MEMORY_POOLS},
                                  {HIP_DEVICE_WAIT_VALUE, CU_DEVICE_WAIT_VALUE}};
    int number = -1;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        number = same[i][0] == attribute ? same[i][1] : number;
    }
    int code = fake_cu_device_attribute(out, number, device);
    *out = code == FAKE_OK ? hip_attribute_given(attribute, *out) : *out;
    return code;
}

int fake_hip_device_memory(size_t *out, int device)
{
    return fake_cu_device_memory(out, device);
}

// The two layouts have the architecture at different places, and nothing else of them matters.
static int write_properties(const char *call, size_t size, size_t place, void *out, int device)
{
    ENTER(call, INIT);
    if (!is_device(device)) {
        return FAKE_INVALID_DEVICE;
    }
    const char *architecture = fake_setting("ARCH");
    memset(out, 0, size);
    snprintf(out, 256, "Stand-in GPU %d", device);
    snprintf((char *)out + place, 256, "%s:sramecc+:xnack-", architecture != NULL ? architecture : "gfx90a");
    return FAKE_OK;
}

int fake_hip_device_properties(void *out, int device)
{
    return write_properties("hipGetDevicePropertiesR0600", 1472, 1160, out, device);
}

int fake_hip_device_properties_old(void *out, int device)
{
    return write_properties("hipGetDeviceProperties", 792, 396, out, device);
}

int fake_hip_device_uuid(struct hip_uuid *out, int device)
{
    char text[17];
    ENTER("hipDeviceGetUuid", INIT);
    snprintf(text, sizeof text, "fa4e%012x", device);
    memcpy(out->bytes, text, sizeof out->bytes);
    return is_device(device) ? FAKE_OK : FAKE_INVALID_DEVICE;
}

int fake_hip_device_pci(char *out, int size, int device)
{
    return fake_cu_device_pci(out, size, device);
}

// ---- the current one ------------------------------------------------------------------------------------------------

// A device that was used once stays up until the process ends.
static struct fake_context *context_of_locked(int device)
{
    struct fake_context *context = &fake.contexts[device];
    if (context->retain_count == 0) {
        (void)fake_context_retain_locked(device, &context);
    }
    return context;
}

void hip_need_device_locked(void)
{
    if (fake_current() == NULL && fake.is_initialized && fake.device_count > 0) {
        fake_set_current(context_of_locked(0));
    }
}

int fake_hip_current_get(int *out)
{
    ENTER("hipGetDevice", INIT);
    fake_lock();
    *out = fake_current() != NULL ? fake_current()->device : 0;
    fake_unlock();
    return FAKE_OK;
}

int fake_hip_current_set(int device)
{
    int told = fake_enter("hipSetDevice", INIT);
    fake_note_set(told != FAKE_OK);
    if (told != FAKE_OK) {
        return told;
    }
    if (!is_device(device)) {
        return FAKE_INVALID_DEVICE;
    }
    fake_lock();
    fake_set_current(context_of_locked(device));
    fake_unlock();
    return FAKE_OK;
}

int fake_hip_priority_range(int *least, int *greatest)
{
    int code = fake_cu_priority_range(least, greatest);
    *least = 1;
    *greatest = -1;
    return code;
}
