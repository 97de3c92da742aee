// The HIP runtime as the GPU back end's table, and the back end "amdgpu" made with it. Quirks of this runtime stand
// here and in loader.c.
//
// Nothing of this has run on an AMD GPU yet: docs/backends.md says what was shown and how.
#include "backend/gpu/gpu.h"
#include "backend/hip/loader.h"
#include "base/status.h"
#include "base/thread.h"

#include <sched.h>
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

// Calls a function of the runtime and converts its result.
#define HIP(member, ...) hip_convert(symbols(), symbols()->member(__VA_ARGS__), "the HIP runtime's " #member)

// ---- devices ------------------------------------------------------------------------------------------------------

struct hip_context {
    int device;
    hip_pool pool;      // NULL: memory is not stream-ordered
    bool trusts_memory; // what the runtime calls memory of the device does all atomics
};

static int attribute(int device, int which)
{
    int value = 0;
    return symbols()->device_attribute(&value, which, device) == HIP_SUCCESS ? value : 0;
}

// No attribute has the name of the architecture, and code is compiled for exactly that.
static rill_status find_target(int device, struct gpu_properties *out)
{
    enum { PROPERTIES_SIZE = 16384 }; // ten times what any runtime writes
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
    RILL_TRY(HIP(device_name, out->name, (int)sizeof out->name, device));
    size_t memory = 0;
    RILL_TRY(HIP(device_memory, &memory, device));
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

static bool has_pools(int device, const char *architecture)
{
    const struct hip_symbols *hip = symbols();
    bool has_all = hip->pool_create != NULL && hip->pool_destroy != NULL && hip->pool_set != NULL &&
                   hip->pool_alloc != NULL && hip->memory_free_async != NULL;
    return has_all && hip_trusts_pools(runtime.library.version, architecture) &&
           attribute(device, HIP_DEVICE_MEMORY_POOLS) != 0;
}

// Memory that is freed stays with the pool: giving it back to the system would cost every allocation dear.
static void open_pool(struct hip_context *context, const char *architecture)
{
    const struct hip_symbols *hip = symbols();
    if (!has_pools(context->device, architecture)) {
        return;
    }
    struct hip_pool_options options = {.allocation = 1, .location = {.kind = 1, .id = context->device}};
    if (hip->pool_create(&context->pool, &options) != HIP_SUCCESS) {
        context->pool = NULL;
        return;
    }
    uint64_t everything = UINT64_MAX;
    if (hip->pool_set(context->pool, HIP_POOL_RELEASE_THRESHOLD, &everything) != HIP_SUCCESS) {
        hip->pool_destroy(context->pool);
        context->pool = NULL;
    }
}

// What enter() returns: the number of the device that was current, and one.
static void *as_before(int device)
{
    return (void *)(intptr_t)(device + 1);
}

static void *context_enter(void *object)
{
    struct hip_context *context = object;
    int before = 0;
    // What was current and is not known cannot be restored. It is most likely this device, entered further out.
    if (symbols()->current_get(&before) != HIP_SUCCESS) {
        symbols()->current_set(context->device);
        return as_before(context->device);
    }
    if (before != context->device) {
        symbols()->current_set(context->device);
    }
    return as_before(before);
}

static void context_leave(void *object, void *before)
{
    struct hip_context *context = object;
    if (before != as_before(context->device)) {
        symbols()->current_set((int)(intptr_t)before - 1);
    }
}

static void context_close(void *object)
{
    struct hip_context *context = object;
    if (context == NULL) {
        return;
    }
    if (context->pool != NULL) {
        symbols()->pool_destroy(context->pool);
    }
    free(context);
}

static bool has_graphs(void)
{
    const struct hip_symbols *hip = symbols();
    return hip->graph_create != NULL && hip->graph_destroy != NULL && hip->graph_add_kernel != NULL &&
           hip->graph_instantiate != NULL && hip->exec_set_kernel != NULL && hip->exec_destroy != NULL &&
           hip->exec_launch != NULL;
}

static rill_status context_open(size_t index, struct gpu_properties *out, void **out_context)
{
    *out_context = NULL;
    RILL_TRY(describe(index, out));
    struct hip_context *context = calloc(1, sizeof *context);
    if (context == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a device");
    }
    context->device = (int)index;
    const char *atomics = getenv("RILL_ATOMICS");
    context->trusts_memory = atomics == NULL || strcmp(atomics, "anywhere") != 0;
    void *before = context_enter(context);
    rill_status status = HIP(priority_range, &out->priority_least, &out->priority_greatest);
    open_pool(context, out->target);
    out->has_graphs = has_graphs();
    out->has_pools = context->pool != NULL;
    out->has_peers = symbols()->copy_peer != NULL;
    context_leave(context, before);
    if (status != RILL_OK) {
        context_close(context);
        return status;
    }
    *out_context = context;
    return RILL_OK;
}

// ---- captures of others ---------------------------------------------------------------------------------------------

// While some stream of the process is being captured the runtime refuses what might disturb it, and ends the capture.
// Rill touches nothing that is captured, and says so for the calling thread. -1: it could not be said.
static int relax(void)
{
    int mode = HIP_CAPTURE_RELAXED;
    bool is_known = symbols()->capture_mode != NULL && symbols()->capture_mode(&mode) == HIP_SUCCESS;
    return is_known ? mode : -1;
}

static void restore(int mode)
{
    for (int i = 0; mode >= 0 && i < 3; i++) { // whatever fails, the thread is left as it was
        int again = mode;
        if (symbols()->capture_mode(&again) == HIP_SUCCESS) {
            break;
        }
    }
}

// ---- memory -------------------------------------------------------------------------------------------------------

static void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static rill_status memory_alloc(void *object, void *stream, uint64_t size, uint64_t *out_address)
{
    struct hip_context *context = object;
    void *memory = NULL;
    *out_address = 0;
    int mode = relax();
    int result = context->pool != NULL ? symbols()->pool_alloc(&memory, size, context->pool, stream)
                                       : symbols()->memory_alloc(&memory, size);
    restore(mode);
    if (result == HIP_OUT_OF_MEMORY) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an array of %llu bytes: the device has no more",
                           (unsigned long long)size);
    }
    *out_address = result == HIP_SUCCESS ? (uint64_t)(uintptr_t)memory : 0;
    return hip_convert(symbols(), result, "the allocation of device memory");
}

static void memory_free(void *object, void *stream, uint64_t address)
{
    struct hip_context *context = object;
    if (address == 0) {
        return;
    }
    int mode = relax();
    if (context->pool != NULL) {
        symbols()->memory_free_async(pointer_of(address), stream);
    } else {
        symbols()->memory_free(pointer_of(address));
    }
    restore(mode);
}

static rill_status pinned_alloc(void *object, size_t size, void **out_memory)
{
    (void)object;
    *out_memory = NULL;
    int mode = relax();
    rill_status status = HIP(host_alloc, out_memory, size, HIP_HOST_PORTABLE | HIP_HOST_MAPPED);
    restore(mode);
    return status;
}

static void pinned_free(void *memory)
{
    if (memory != NULL) {
        int mode = relax();
        symbols()->host_free(memory);
        restore(mode);
    }
}

// Until ROCm 5: 0 host, 1 device; from 6 on: 0 not known, 1 host, 2 device, 3 managed.
static enum gpu_place place_of(const void *address)
{
    int type = 0;
    if (symbols()->pointer_get(&type, HIP_POINTER_MEMORY_TYPE, pointer_of((uintptr_t)address)) != HIP_SUCCESS) {
        return GPU_PAGEABLE;
    }
    if (runtime.library.version < HIP_NEW_KINDS_VERSION) {
        type++;
    }
    return type == 2 ? GPU_DEVICE : type == 1 ? GPU_PINNED : GPU_PAGEABLE;
}

// Managed memory is the host's as far as atomics are concerned. Memory of the device that was asked for as fine-grained
// (hipExtMallocWithFlags) the runtime does not tell from any other: RILL_ATOMICS says that there is such memory.
static bool is_own(void *object, const void *address)
{
    const struct hip_context *context = object;
    bool is_managed = true;
    int device = -1;
    void *pointer = pointer_of((uintptr_t)address);
    return context->trusts_memory && place_of(address) == GPU_DEVICE &&
           symbols()->pointer_get(&is_managed, HIP_POINTER_IS_MANAGED, pointer) == HIP_SUCCESS && !is_managed &&
           symbols()->pointer_get(&device, HIP_POINTER_DEVICE_ORDINAL, pointer) == HIP_SUCCESS &&
           device == context->device;
}

static rill_status copy(void *stream, uint64_t target, uint64_t source, size_t size)
{
    return HIP(copy_async, pointer_of(target), pointer_of(source), size, HIP_COPY_DEFAULT, stream);
}

static rill_status copy_peer(void *stream, void *context, uint64_t target, void *source_context, uint64_t source,
                             size_t size)
{
    int to = ((const struct hip_context *)context)->device;
    int from = ((const struct hip_context *)source_context)->device;
    return HIP(copy_peer, pointer_of(target), to, pointer_of(source), from, size, stream);
}

static rill_status set(void *stream, uint64_t target, uint32_t value, int width, size_t count)
{
    switch (width) {
    case 1: return HIP(set8_async, pointer_of(target), (unsigned char)value, count, stream);
    case 2: return HIP(set16_async, pointer_of(target), (unsigned short)value, count, stream);
    default: return HIP(set32_async, pointer_of(target), (int)value, count, stream);
    }
}

// ---- streams, events ----------------------------------------------------------------------------------------------

static rill_status stream_create(int priority, void **out_stream)
{
    hip_stream stream = NULL;
    int mode = relax();
    rill_status status = HIP(stream_create, &stream, HIP_STREAM_NON_BLOCKING, priority);
    restore(mode);
    *out_stream = status == RILL_OK ? stream : NULL;
    return status;
}

static void stream_destroy(void *stream)
{
    if (stream != NULL) {
        int mode = relax();
        symbols()->stream_destroy(stream);
        restore(mode);
    }
}

// Whoever waits goes on to free what the stream uses: a wait that fails for itself still ends with the work.
static rill_status stream_synchronize(void *stream)
{
    int mode = relax();
    int result = symbols()->stream_synchronize(stream);
    if (result != HIP_SUCCESS && !hip_is_lost(result)) {
        while (symbols()->stream_query(stream) == HIP_NOT_READY) {
            sched_yield();
        }
    }
    restore(mode);
    return hip_convert(symbols(), result, "the HIP runtime's stream_synchronize");
}

static rill_status stream_query(void *stream)
{
    int mode = relax();
    rill_status status = HIP(stream_query, stream);
    restore(mode);
    return status;
}

static rill_status stream_wait_event(void *stream, void *event)
{
    return HIP(stream_wait_event, stream, event, 0);
}

struct host_call {
    gpu_host_function *function;
    void *user;
};

static void run_host_call(hip_stream stream, int status, void *user)
{
    struct host_call call = *(struct host_call *)user;
    (void)stream;
    (void)status;
    free(user);
    call.function(call.user);
}

static rill_status host_function(void *stream, gpu_host_function *function, void *user)
{
    if (symbols()->host_function != NULL) {
        return HIP(host_function, stream, function, user);
    }
    struct host_call *call = malloc(sizeof *call);
    if (call == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a host function");
    }
    *call = (struct host_call){.function = function, .user = user};
    rill_status status = HIP(add_callback, stream, run_host_call, call, 0);
    if (status != RILL_OK) {
        free(call);
    }
    return status;
}

static rill_status stream_is_capturing(void *stream, bool *out)
{
    int state = 0;
    rill_status status = HIP(stream_is_capturing, stream, &state);
    *out = state != 0;
    return status;
}

// 0 is the null stream, which late runtimes have under another name too; one stream has one handle.
static rill_status stream_adopt(void *object, void *native, void **out_handle, bool *out_is_per_thread)
{
    const struct hip_context *context = object;
    uintptr_t bits = (uintptr_t)native;
    int device = context->device;
    *out_handle = bits == HIP_STREAM_LEGACY ? NULL : native;
    *out_is_per_thread = bits == HIP_STREAM_PER_THREAD;
    if (bits > HIP_STREAM_PER_THREAD && symbols()->stream_device != NULL) {
        RILL_TRY(HIP(stream_device, native, &device));
    }
    return device == context->device ? RILL_OK : status_fail(RILL_ERR_FOREIGN, "the stream belongs to another device");
}

static rill_status capture_of(void *stream, hip_graph *out_graph, const hip_node **out_nodes, size_t *out_count)
{
    if (symbols()->capture_info == NULL) {
        return status_fail(RILL_ERR_UNSUPPORTED, "the HIP runtime does not say what is captured");
    }
    int state = 0;
    unsigned long long id = 0;
    RILL_TRY(HIP(capture_info, stream, &state, &id, out_graph, out_nodes, out_count));
    return state == 1 ? RILL_OK : status_fail(RILL_ERR_DEVICE, "the capture of the stream has ended");
}

static rill_status capture_keep(void *stream, gpu_host_function *release, void *user)
{
    hip_user object = NULL;
    hip_graph graph = NULL;
    bool has_all = symbols()->user_create != NULL && symbols()->user_release != NULL && symbols()->graph_retain != NULL;
    rill_status status = has_all ? capture_of(stream, &graph, NULL, NULL)
                                 : status_fail(RILL_ERR_UNSUPPORTED, "the HIP runtime keeps nothing with a graph");
    if (status == RILL_OK) {
        status = HIP(user_create, &object, user, release, 1, HIP_USER_NO_DESTRUCTOR_SYNC);
    }
    if (status != RILL_OK) {
        release(user);
        return status;
    }
    status = HIP(graph_retain, graph, object, 1, HIP_GRAPH_USER_MOVE);
    if (status != RILL_OK) {
        symbols()->user_release(object, 1); // and so |user|
    }
    return status;
}

static rill_status capture_front(void *stream, void **nodes, size_t capacity, size_t *out_count)
{
    const hip_node *found = NULL;
    hip_graph graph = NULL;
    *out_count = 0;
    RILL_TRY(capture_of(stream, &graph, &found, out_count));
    if (*out_count > capacity) {
        return status_fail(RILL_ERR_LIMIT, "%zu ends of a capture are too many", *out_count);
    }
    for (size_t i = 0; i < *out_count; i++) {
        nodes[i] = found[i];
    }
    return RILL_OK;
}

static rill_status capture_set_front(void *stream, void **nodes, size_t count)
{
    if (symbols()->capture_update == NULL) {
        return status_fail(RILL_ERR_UNSUPPORTED, "the HIP runtime cannot say what a capture goes on from");
    }
    return HIP(capture_update, stream, (hip_node *)nodes, count, HIP_CAPTURE_SET_DEPENDENCIES);
}

static rill_status event_create(bool has_time, void **out_event)
{
    hip_event event = NULL;
    rill_status status = HIP(event_create, &event, has_time ? 0 : HIP_EVENT_DISABLE_TIMING);
    *out_event = status == RILL_OK ? event : NULL;
    return status;
}

static void event_destroy(void *event)
{
    if (event != NULL) {
        symbols()->event_destroy(event);
    }
}

static rill_status event_record(void *event, void *stream)
{
    return HIP(event_record, event, stream);
}

static rill_status event_query(void *event)
{
    int mode = relax();
    rill_status status = HIP(event_query, event);
    restore(mode);
    return status;
}

static rill_status event_synchronize(void *event)
{
    int mode = relax();
    rill_status status = HIP(event_synchronize, event);
    restore(mode);
    return status;
}

static rill_status event_elapsed(void *begin, void *end, double *out_milliseconds)
{
    float milliseconds = 0;
    rill_status status = HIP(event_elapsed, &milliseconds, begin, end);
    *out_milliseconds = (double)milliseconds;
    return status;
}

// ---- code ---------------------------------------------------------------------------------------------------------

static rill_status module_load(void *context, const void *code, size_t size, void **out_module)
{
    (void)context;
    hip_module module = NULL;
    (void)size; // the code object knows its own
    int mode = relax();
    int result = symbols()->module_load(&module, code);
    restore(mode);
    *out_module = result == HIP_SUCCESS ? module : NULL;
    if (result == HIP_NO_BINARY_FOR_GPU) {
        return status_fail(RILL_ERR_DEVICE, "the module's code is for another architecture than the device has");
    }
    return hip_convert(symbols(), result, "loading the module's code");
}

static void module_unload(void *module)
{
    if (module != NULL) {
        int mode = relax();
        symbols()->module_unload(module);
        restore(mode);
    }
}

static rill_status module_function(void *module, const char *name, void **out_function)
{
    hip_function function = NULL;
    int mode = relax();
    rill_status status = HIP(module_function, &function, module, name);
    restore(mode);
    *out_function = status == RILL_OK ? function : NULL;
    return status == RILL_OK ? RILL_OK : status_fail(status, "the module's code has no entry '%s'", name);
}

static rill_status module_global(void *module, const char *name, uint64_t *out_address)
{
    size_t size = 0;
    void *memory = NULL;
    *out_address = 0;
    rill_status status = HIP(module_global, &memory, &size, module, name);
    *out_address = (uint64_t)(uintptr_t)memory;
    return status == RILL_OK ? RILL_OK : status_fail(status, "the module's code has no field '%s'", name);
}

static rill_status occupancy(void *function, uint32_t *out_grid, uint32_t *out_block)
{
    int grid = 1;
    int block = 1;
    rill_status status = HIP(occupancy, &grid, &block, function, 0, 0);
    *out_grid = grid > 0 ? (uint32_t)grid : 1;
    *out_block = block > 0 ? (uint32_t)block : 1;
    return status;
}

// The arguments go by the layout in the code object's metadata, as everywhere: one pointer for each. A grid has fewer
// than 2^32 threads in all.
static rill_status launch(void *stream, const struct gpu_kernel_call *call)
{
    return HIP(launch, call->function, call->grid, 1, 1, call->block, 1, 1, 0, stream, call->params, NULL);
}

// ---- graphs -------------------------------------------------------------------------------------------------------

static rill_status graph_create(void **out_graph)
{
    hip_graph graph = NULL;
    rill_status status = HIP(graph_create, &graph, 0);
    *out_graph = status == RILL_OK ? graph : NULL;
    return status;
}

static void graph_destroy(void *graph)
{
    if (graph != NULL) {
        symbols()->graph_destroy(graph);
    }
}

static struct hip_kernel_node node_of(const struct gpu_kernel_call *call)
{
    return (struct hip_kernel_node){.function = call->function,
                                    .grid_x = call->grid,
                                    .grid_y = 1,
                                    .grid_z = 1,
                                    .block_x = call->block,
                                    .block_y = 1,
                                    .block_z = 1,
                                    .params = call->params};
}

static rill_status graph_add(void *graph, const struct gpu_kernel_call *call, void *const *after, size_t after_count,
                             void **out_node)
{
    struct hip_kernel_node kernel = node_of(call);
    hip_node node = NULL;
    rill_status status = HIP(graph_add_kernel, &node, graph, (const hip_node *)after, after_count, &kernel);
    *out_node = status == RILL_OK ? node : NULL;
    return status;
}

static rill_status graph_instantiate(void *graph, void **out_exec)
{
    hip_exec exec = NULL;
    int mode = relax();
    rill_status status = HIP(graph_instantiate, &exec, graph, 0);
    restore(mode);
    *out_exec = status == RILL_OK ? exec : NULL;
    return status;
}

static rill_status exec_set(void *exec, void *node, const struct gpu_kernel_call *call)
{
    struct hip_kernel_node kernel = node_of(call);
    return HIP(exec_set_kernel, exec, node, &kernel);
}

static void exec_destroy(void *exec)
{
    if (exec != NULL) {
        int mode = relax();
        symbols()->exec_destroy(exec);
        restore(mode);
    }
}

static rill_status exec_launch(void *exec, void *stream)
{
    return HIP(exec_launch, exec, stream);
}

static const struct gpu_driver hip_driver = {
    .name = "amdgpu",
    .dot = '.',
    .open = context_open,
    .close = context_close,
    .enter = context_enter,
    .leave = context_leave,
    .memory_alloc = memory_alloc,
    .memory_free = memory_free,
    .pinned_alloc = pinned_alloc,
    .pinned_free = pinned_free,
    .place_of = place_of,
    .is_own = is_own,
    .copy = copy,
    .copy_peer = copy_peer,
    .set = set,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_synchronize = stream_synchronize,
    .stream_query = stream_query,
    .stream_wait_event = stream_wait_event,
    .host_function = host_function,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_query = event_query,
    .event_synchronize = event_synchronize,
    .event_elapsed = event_elapsed,
    .module_load = module_load,
    .module_unload = module_unload,
    .module_function = module_function,
    .module_global = module_global,
    .occupancy = occupancy,
    .launch = launch,
    .graph_create = graph_create,
    .graph_destroy = graph_destroy,
    .graph_add = graph_add,
    .graph_instantiate = graph_instantiate,
    .exec_set = exec_set,
    .exec_destroy = exec_destroy,
    .exec_launch = exec_launch,
    .stream_adopt = stream_adopt,
    .stream_is_capturing = stream_is_capturing,
    .capture_keep = capture_keep,
    .capture_front = capture_front,
    .capture_set_front = capture_set_front,
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
             has_pools((int)index, properties.target) ? "" : ", no stream-ordered memory");
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
