// The HIP runtime as the GPU back end's table, and the back end "amdgpu" made with it. Quirks of this runtime stand
// here and in loader.c.
//
// Nothing of this has run on an AMD GPU yet: docs/backends.md says what was shown and how.
#include "backend/gpu/gpu.h"
#include "backend/hip/loader.h"
#include "base/status.h"
#include "base/thread.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// Part of the registry of back ends: the runtime's library is a property of the process.
static struct {
    pthread_once_t once;
    rill_status status;
    char message[512]; // why there is no device
    struct hip_library library;
    int device_count;
    pid_t pid; // of the process that started the runtime
} runtime = {.once = PTHREAD_ONCE_INIT};

static void load_once(void)
{
    runtime.pid = getpid();
    runtime.status = hip_load(NULL, &runtime.library);
    if (runtime.status == RILL_OK) {
        int result = runtime.library.symbols.device_count(&runtime.device_count);
        if (result == HIP_NO_DEVICE || (result == HIP_SUCCESS && runtime.device_count == 0)) {
            runtime.status = status_fail(RILL_ERR_NO_DEVICE, "the HIP runtime %s (ROCm %d.%d) finds no AMD GPU",
                                         runtime.library.path, runtime.library.version / 10000000,
                                         runtime.library.version % 10000000 / 100000);
        } else {
            runtime.status = hip_convert(&runtime.library.symbols, result, "hipGetDeviceCount");
        }
    }
    if (runtime.status != RILL_OK) {
        runtime.device_count = 0;
        snprintf(runtime.message, sizeof runtime.message, "%s", rill_message());
    }
}

static const struct hip_symbols *symbols(void)
{
    return &runtime.library.symbols;
}

static rill_status convert(int result, const char *what)
{
    return result == HIP_SUCCESS ? RILL_OK : hip_convert(symbols(), result, what);
}

// Calls a function of the runtime and converts its result.
#define CALL(member, ...) convert(symbols()->member(__VA_ARGS__), "the HIP runtime's " #member)

static const struct gpu_driver hip_driver;

// ---- devices ------------------------------------------------------------------------------------------------------

struct hip_context {
    struct driver_context base; // the first member: driver.c knows it
    bool trusts_memory;         // what the runtime calls memory of the device does all atomics
};

static int attribute(int device, int which)
{
    return driver_attribute(&hip_driver, device, which);
}

static void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

// No attribute has the name of the architecture, and code is compiled for exactly that.
static rill_status find_target(int device, struct gpu_properties *out)
{
    enum { PROPERTIES_SIZE = 16384 }; // ten times what any runtime writes
    assert(0 <= device && device < runtime.device_count);
    char *properties = calloc(1, PROPERTIES_SIZE);
    if (properties == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the properties of a device");
    }
    const struct hip_symbols *hip = symbols();
    int result = hip->device_properties != NULL ? hip->device_properties(properties, device)
                                                : hip->device_properties_old(properties, device);
    rill_status status = hip_convert(hip, result, "hipGetDeviceProperties");
    if (status == RILL_OK && !hip_find_architecture(properties, PROPERTIES_SIZE, out->target, sizeof out->target)) {
        status = status_fail(RILL_ERR_UNSUPPORTED, "%s does not say which architecture it has", out->name);
    }
    free(properties);
    return status;
}

// More busy streams than hardware queues share them, and then wait for each other's work.
static int queue_count(void)
{
    enum { DEFAULT_QUEUES = 4 };
    const char *given = getenv("GPU_MAX_HW_QUEUES");
    int count = given != NULL ? atoi(given) : 0;
    return count > 0 ? count : DEFAULT_QUEUES;
}

static rill_status describe(size_t index, struct gpu_properties *out)
{
    int device = (int)index;
    *out = (struct gpu_properties){.max_threads = 1};
    RILL_TRY(CALL(device_name, out->name, (int)sizeof out->name, device));
    size_t memory = 0;
    RILL_TRY(CALL(device_memory, &memory, device));
    out->memory_size = memory;
    RILL_TRY(find_target(device, out));
    if (runtime.library.version < HIP_NEW_CODE_VERSION) { // the compiler makes an older code object then
        strncat(out->target, ":v4", sizeof out->target - strlen(out->target) - 1);
    }
    out->max_threads = attribute(device, HIP_DEVICE_MAX_THREADS_PER_BLOCK);
    out->warp_size = attribute(device, HIP_DEVICE_WARP_SIZE);
    out->processor_count = attribute(device, HIP_DEVICE_MULTIPROCESSOR_COUNT);
    out->queue_count = queue_count();
    return RILL_OK;
}

static bool uses_pools(int device, const char *architecture)
{
    return hip_trusts_pools(runtime.library.version, architecture) && driver_has_pools(&hip_driver, device);
}

// What enter() returns: the number of the device that was current, and one.
static void *as_before(int device)
{
    assert(device >= 0); // NULL is no device
    return (void *)(intptr_t)(device + 1);
}

static void *context_enter(void *object)
{
    struct hip_context *context = object;
    int before = 0;
    // What was current and is not known cannot be restored. It is most likely this device, entered further out.
    if (symbols()->current_get(&before) != HIP_SUCCESS) {
        symbols()->current_set(context->base.device);
        return as_before(context->base.device);
    }
    if (before != context->base.device) {
        symbols()->current_set(context->base.device);
    }
    return as_before(before);
}

static void context_leave(void *object, void *before)
{
    struct hip_context *context = object;
    if (before != as_before(context->base.device)) {
        symbols()->current_set((int)(intptr_t)before - 1);
    }
}

static void context_close(void *object)
{
    struct hip_context *context = object;
    if (context == NULL) {
        return;
    }
    if (context->base.pool != NULL) {
        symbols()->pool_destroy(context->base.pool);
    }
    free(context);
}

static rill_status context_open(size_t index, const struct backend_host *host, struct gpu_properties *out,
                                void **out_context)
{
    (void)host; // the compiler makes the code itself: nothing is kept of this driver's
    *out_context = NULL;
    RILL_TRY(describe(index, out));
    struct hip_context *context = calloc(1, sizeof *context);
    if (context == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a device");
    }
    context->base.device = (int)index;
    const char *atomics = getenv("RILL_ATOMICS");
    context->trusts_memory = atomics == NULL || strcmp(atomics, "anywhere") != 0;
    void *before = context_enter(context);
    rill_status status = CALL(priority_range, &out->priority_least, &out->priority_greatest);
    if (uses_pools(context->base.device, out->target)) {
        driver_open_pool(&hip_driver, &context->base);
    }
    out->has_graphs = driver_has_graphs(&hip_driver);
    out->has_pools = context->base.pool != NULL;
    out->has_peers = symbols()->copy_peer != NULL;
    context_leave(context, before);
    if (status != RILL_OK) {
        context_close(context);
        return status;
    }
    *out_context = context;
    return RILL_OK;
}

// ---- memory -------------------------------------------------------------------------------------------------------

// Until ROCm 5: 0 host, 1 device; from 6 on: 0 not known, 1 host, 2 device, 3 managed.
static enum gpu_place place_of(const void *address)
{
    int type = 0;
    if (symbols()->pointer_get(&type, HIP_POINTER_MEMORY_TYPE, (uint64_t)(uintptr_t)address) != HIP_SUCCESS) {
        return GPU_PAGEABLE;
    }
    if (runtime.library.version < HIP_NEW_KINDS_VERSION) {
        type++;
    }
    return type == 2 ? GPU_DEVICE : type == 1 ? GPU_PINNED : GPU_PAGEABLE;
}

// Memory of the device that was asked for with flags (hipExtMallocWithFlags) is fine-grained or uncached, and loses
// atomics too. Runtimes before ROCm 6 forget the flags: there RILL_ATOMICS says that there is such memory.
static bool is_ordinary(const void *address)
{
    struct hip_pointer pointer = {0};
    return symbols()->pointer_describe == NULL ||
           (symbols()->pointer_describe(&pointer, address) == HIP_SUCCESS && pointer.flags == 0);
}

// Managed memory is the host's as far as atomics are concerned.
static bool is_own(void *object, const void *address)
{
    const struct hip_context *context = object;
    bool is_managed = true;
    int device = -1;
    uint64_t pointer = (uint64_t)(uintptr_t)address;
    return context->trusts_memory && place_of(address) == GPU_DEVICE &&
           symbols()->pointer_get(&is_managed, HIP_POINTER_IS_MANAGED, pointer) == HIP_SUCCESS && !is_managed &&
           symbols()->pointer_get(&device, HIP_POINTER_DEVICE_ORDINAL, pointer) == HIP_SUCCESS &&
           device == context->base.device && is_ordinary(address);
}

static rill_status copy(void *stream, uint64_t target, uint64_t source, size_t size)
{
    return CALL(copy_async, pointer_of(target), pointer_of(source), size, HIP_COPY_DEFAULT, stream);
}

static rill_status copy_peer(void *stream, void *context, uint64_t target, void *source_context, uint64_t source,
                             size_t size)
{
    int to = ((const struct hip_context *)context)->base.device;
    int from = ((const struct hip_context *)source_context)->base.device;
    return CALL(copy_peer, pointer_of(target), to, pointer_of(source), from, size, stream);
}

// ---- streams, events ----------------------------------------------------------------------------------------------

struct host_call {
    gpu_host_function *function;
    void *user;
};

static void run_host_call(hip_stream stream, int status, void *user)
{
    struct host_call call = *(struct host_call *)user;
    assert(call.function != NULL);
    (void)stream;
    (void)status;
    free(user);
    call.function(call.user);
}

static rill_status host_function(void *stream, gpu_host_function *function, void *user)
{
    if (symbols()->host_function != NULL) {
        return CALL(host_function, stream, function, user);
    }
    struct host_call *call = malloc(sizeof *call);
    if (call == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a host function");
    }
    *call = (struct host_call){.function = function, .user = user};
    rill_status status = CALL(add_callback, stream, run_host_call, call, 0);
    if (status != RILL_OK) {
        free(call);
    }
    return status;
}

// 0 is the null stream, which late runtimes have under another name too; one stream has one handle.
static rill_status stream_adopt(void *object, void *native, void **out_handle, bool *out_is_per_thread)
{
    const struct hip_context *context = object;
    uintptr_t bits = (uintptr_t)native;
    int device = context->base.device;
    *out_handle = bits == HIP_STREAM_LEGACY ? NULL : native;
    *out_is_per_thread = bits == HIP_STREAM_PER_THREAD;
    if (bits > HIP_STREAM_PER_THREAD && symbols()->stream_device != NULL) {
        RILL_TRY(CALL(stream_device, native, &device));
    }
    return device == context->base.device ? RILL_OK
                                          : status_fail(RILL_ERR_FOREIGN, "the stream belongs to another device");
}

// ---- code ---------------------------------------------------------------------------------------------------------

static rill_status module_load(void *context, const void *code, size_t size, void **out_module)
{
    (void)context;
    hip_module module = NULL;
    (void)size; // the code object knows its own
    int mode = driver_relax(&hip_driver);
    int result = symbols()->module_load(&module, code);
    driver_restore(&hip_driver, mode);
    *out_module = result == HIP_SUCCESS ? module : NULL;
    if (result == HIP_NO_BINARY_FOR_GPU) {
        return status_fail(RILL_ERR_DEVICE, "the module's code is for another architecture than the device has");
    }
    return hip_convert(symbols(), result, "loading the module's code");
}

// What the code says of its blocks the runtime does not heed here, but refuses launches of larger ones.
static rill_status occupancy(void *function, uint32_t *out_grid, uint32_t *out_block)
{
    int grid = 1;
    int block = 1;
    int most = 0;
    RILL_TRY(CALL(function_attribute, &most, HIP_FUNCTION_MAX_THREADS, function));
    rill_status status = CALL(occupancy, &grid, &block, function, 0, most);
    block = most > 0 && block > most ? most : block;
    *out_grid = grid > 0 ? (uint32_t)grid : 1;
    *out_block = block > 0 ? (uint32_t)block : 1;
    return status;
}

static void kernel_node(const struct gpu_kernel_call *call, void **extra, struct driver_kernel_node *out)
{
    assert(call->grid > 0 && call->block > 0);
    struct hip_kernel_node node = {.function = call->function,
                                   .grid_x = call->grid,
                                   .grid_y = 1,
                                   .grid_z = 1,
                                   .block_x = call->block,
                                   .block_y = 1,
                                   .block_z = 1,
                                   .params = call->params,
                                   .extra = extra};
    _Static_assert(sizeof node <= sizeof *out, "a node fits");
    memcpy(out, &node, sizeof node);
}

static const struct gpu_driver hip_driver = {
    .name = "amdgpu",
    .title = "the HIP runtime",
    .symbols = &runtime.library.symbols.shared,
    .pools_attribute = HIP_DEVICE_MEMORY_POOLS,
    .convert = convert,
    .is_lost = hip_is_lost,
    .kernel_node = kernel_node,
    .open = context_open,
    .close = context_close,
    .enter = context_enter,
    .leave = context_leave,
    .place_of = place_of,
    .is_own = is_own,
    .copy = copy,
    .copy_peer = copy_peer,
    .host_function = host_function,
    .module_load = module_load,
    .occupancy = occupancy,
    .stream_adopt = stream_adopt,
};

// ---- the back end -------------------------------------------------------------------------------------------------

static size_t device_count(void)
{
    pthread_once(&runtime.once, load_once);
    return runtime.pid == getpid() ? (size_t)runtime.device_count : 0; // the runtime does not survive fork
}

static const char *device_absence(void)
{
    if (device_count() == 0 && runtime.pid != getpid()) {
        return "the HIP runtime was started before fork() and cannot be used in the child";
    }
    return device_count() > 0 ? NULL : runtime.message;
}

static void device_describe(size_t index, struct backend_device_info *out_info)
{
    *out_info = (struct backend_device_info){.thread_count = 0};
    snprintf(out_info->name, sizeof out_info->name, "amdgpu:%zu", index);
    struct gpu_properties properties;
    if (describe(index, &properties) != RILL_OK) {
        snprintf(out_info->description, sizeof out_info->description, "%.100s", rill_message());
        return;
    }
    snprintf(out_info->description, sizeof out_info->description, "%.60s, %.*s, ROCm %d.%d%s", properties.name,
             (int)strcspn(properties.target, ":"), properties.target, runtime.library.version / 10000000,
             runtime.library.version % 10000000 / 100000,
             uses_pools((int)index, properties.target) ? "" : ", no stream-ordered memory");
    out_info->memory_size = properties.memory_size;
}

// By UUID ("GPU-…", as rocminfo shows it) or by PCI id ("0000:3b:00.0").
static bool is_named(int device, const char *name)
{
    char pci[32] = "";
    if (symbols()->device_pci != NULL && symbols()->device_pci(pci, (int)sizeof pci, device) == HIP_SUCCESS &&
        strcasecmp(pci, name) == 0) {
        return true;
    }
    struct hip_uuid uuid;
    if (symbols()->device_uuid == NULL || symbols()->device_uuid(&uuid, device) != HIP_SUCCESS) {
        return false;
    }
    char text[32];
    snprintf(text, sizeof text, "GPU-%.16s", uuid.bytes);
    return strcasecmp(text, name) == 0;
}

static bool device_named(const char *name, size_t *out_index)
{
    for (size_t i = 0; i < device_count(); i++) {
        if (is_named((int)i, name)) {
            *out_index = i;
            return true;
        }
    }
    return false;
}

static rill_status device_open(size_t index, const struct backend_host *host, struct backend_device **out_device)
{
    return gpu_device_open(&hip_driver, index, host, out_device);
}

const struct backend backend_hip = {
    GPU_BACKEND_OPERATIONS,
    .name = "amdgpu",
    .alias = "hip",
    .device_count = device_count,
    .device_absence = device_absence,
    .device_named = device_named,
    .device_describe = device_describe,
    .device_open = device_open,
};
