// The NVIDIA driver as the GPU back end's table, and the back end "cuda" made with it. Quirks of this driver stand
// here.
#include "backend/cuda/binary.h"
#include "backend/cuda/loader.h"
#include "backend/cuda/nvtx.h"
#include "backend/gpu/gpu.h"
#include "base/status.h"
#include "base/thread.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// Part of the registry of back ends: the driver's library is a property of the process.
static struct {
    pthread_once_t once;
    rill_status status;
    char message[512]; // why there is no driver
    struct cuda_library library;
    struct cuda_binary_store binaries;
    bool has_profiler; // that wants to know of launches
    int device_count;
    pid_t pid; // of the process that started the driver
} driver = {.once = PTHREAD_ONCE_INIT};

static void load_once(void)
{
    driver.pid = getpid();
    cuda_binary_store_init(&driver.binaries);
    driver.status = cuda_load(NULL, &driver.library);
    driver.has_profiler = driver.status == RILL_OK && cuda_nvtx_open();
    if (driver.status == RILL_OK) {
        int result = driver.library.symbols.device_count(&driver.device_count);
        driver.status = cuda_convert(&driver.library.symbols, result, "cuDeviceGetCount");
    }
    if (driver.status != RILL_OK) {
        driver.device_count = 0;
        snprintf(driver.message, sizeof driver.message, "%s", rill_message());
    }
}

static const struct cuda_symbols *symbols(void)
{
    return &driver.library.symbols;
}

// Why the thread has no context, if it should have one: what it then asks of the driver says only that there is none.
static _Thread_local int entry_failure;

static rill_status convert(int result, const char *what)
{
    if (result == CU_SUCCESS) {
        return RILL_OK;
    }
    if (result == CU_INVALID_CONTEXT && entry_failure != CU_SUCCESS) {
        return cuda_convert(symbols(), entry_failure, "the driver's context_set");
    }
    return cuda_convert(symbols(), result, what);
}

static bool is_lost(int result)
{
    return cuda_is_lost(result) != 0;
}

// Calls a function of the driver and converts its result.
#define CALL(member, ...) convert(symbols()->member(__VA_ARGS__), "the driver's " #member)

static const struct gpu_driver cuda_driver;

// ---- devices ------------------------------------------------------------------------------------------------------

struct cuda_context {
    struct driver_context base;      // the first member: driver.c knows it
    const struct backend_host *host; // borrowed
    cu_context context;              // the device's primary one, which other parts of the process share
    cu_module condition;             // owned: the kernel that sets conditional nodes; NULL until it is asked for
};

static int attribute(int device, int which)
{
    return driver_attribute(&cuda_driver, device, which);
}

static rill_status describe(size_t index, struct gpu_properties *out, int *out_device)
{
    *out = (struct gpu_properties){.max_threads = 1};
    RILL_TRY(CALL(device_get, out_device, (int)index));
    RILL_TRY(CALL(device_name, out->name, (int)sizeof out->name, *out_device));
    size_t memory = 0;
    RILL_TRY(CALL(device_memory, &memory, *out_device));
    out->memory_size = memory;
    snprintf(out->target, sizeof out->target, "sm_%d%d", attribute(*out_device, CU_DEVICE_MAJOR),
             attribute(*out_device, CU_DEVICE_MINOR));
    out->max_threads = attribute(*out_device, CU_DEVICE_MAX_THREADS_PER_BLOCK);
    out->warp_size = attribute(*out_device, CU_DEVICE_WARP_SIZE);
    out->processor_count = attribute(*out_device, CU_DEVICE_MULTIPROCESSOR_COUNT);
    return RILL_OK;
}

static void *context_enter(void *object)
{
    struct cuda_context *context = object;
    cu_context before = NULL;
    assert(context->context != NULL);
    // What was current and is not known cannot be restored. It is most likely this context, entered further out.
    entry_failure = CU_SUCCESS;
    if (symbols()->context_get(&before) != CU_SUCCESS) {
        entry_failure = symbols()->context_set(context->context);
        return context->context;
    }
    if (before != context->context) {
        entry_failure = symbols()->context_set(context->context);
    }
    return before;
}

static void context_leave(void *object, void *before)
{
    struct cuda_context *context = object;
    if (before != context->context) {
        symbols()->context_set(before);
    }
}

static void context_close(void *object)
{
    struct cuda_context *context = object;
    if (context == NULL) {
        return;
    }
    if (context->condition != NULL) {
        void *before = context_enter(context);
        symbols()->module_unload(context->condition);
        context_leave(context, before);
    }
    if (context->base.pool != NULL) {
        symbols()->pool_destroy(context->base.pool);
    }
    symbols()->primary_release(context->base.device);
    free(context);
}

static rill_status context_open(size_t index, const struct backend_host *host, struct gpu_properties *out,
                                void **out_context)
{
    *out_context = NULL;
    int device;
    RILL_TRY(describe(index, out, &device));
    if (attribute(device, CU_DEVICE_UNIFIED_ADDRESSING) == 0) {
        return status_fail(RILL_ERR_UNSUPPORTED, "%s has no unified addresses", out->name);
    }
    struct cuda_context *context = calloc(1, sizeof *context);
    if (context == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a device");
    }
    context->base.device = device;
    context->host = host;
    rill_status status = CALL(primary_retain, &context->context, device);
    if (status != RILL_OK) {
        free(context);
        return status;
    }
    void *before = context_enter(context);
    const struct cuda_symbols *cu = symbols();
    status = CALL(priority_range, &out->priority_least, &out->priority_greatest);
    if (driver_has_pools(&cuda_driver, device)) {
        driver_open_pool(&cuda_driver, &context->base);
    }
    out->has_pools = context->base.pool != NULL;
    out->has_ranges = driver.has_profiler;
    out->has_binaries = cuda_binary_can_make(cu);
    out->has_peers = cu->copy_peer != NULL;
    out->has_graphs = driver_has_graphs(&cuda_driver);
    out->takes_rows = true;
    out->has_memory_nodes = out->has_graphs && cu->graph_add_copy != NULL && cu->graph_add_fill != NULL &&
                            cu->exec_set_copy != NULL && cu->exec_set_fill != NULL;
    out->has_conditions = out->has_graphs && cu->graph_handle != NULL && cu->graph_add_node != NULL &&
                          driver.library.version >= CUDA_CONDITIONS_VERSION;
    out->has_meeting =
        attribute(device, CU_DEVICE_COOPERATIVE_LAUNCH) != 0 && cu->launch_cooperative != NULL && cu->node_set != NULL;
    context_leave(context, before);
    if (status != RILL_OK) {
        context_close(context);
        return status;
    }
    *out_context = context;
    return RILL_OK;
}

// ---- memory -------------------------------------------------------------------------------------------------------

static enum gpu_place place_of(const void *address)
{
    unsigned type = 0;
    if (symbols()->pointer_get_many != NULL) { // memory that the driver does not know is no error here
        int attribute = CU_POINTER_MEMORY_TYPE;
        void *out = &type;
        int result = symbols()->pointer_get_many(1, &attribute, &out, (cu_address)(uintptr_t)address);
        type = result == CU_SUCCESS ? type : 0;
    } else if (symbols()->pointer_get(&type, CU_POINTER_MEMORY_TYPE, (cu_address)(uintptr_t)address) != CU_SUCCESS) {
        return GPU_PAGEABLE;
    }
    return type == 2 ? GPU_DEVICE : type == 1 ? GPU_PINNED : GPU_PAGEABLE;
}

static rill_status copy(void *stream, uint64_t target, uint64_t source, size_t size)
{
    return CALL(copy_async, target, source, size, stream);
}

static rill_status copy_peer(void *stream, void *context, uint64_t target, void *source_context, uint64_t source,
                             size_t size)
{
    cu_context to = ((struct cuda_context *)context)->context;
    cu_context from = ((struct cuda_context *)source_context)->context;
    return CALL(copy_peer, target, to, source, from, size, stream);
}

// ---- streams, events ----------------------------------------------------------------------------------------------

static rill_status host_function(void *stream, gpu_host_function *function, void *user)
{
    return CALL(host_function, stream, function, user);
}

// 0 is the legacy default stream under another name; one stream has one handle.
static rill_status stream_adopt(void *object, void *native, void **out_handle, bool *out_is_per_thread)
{
    const struct cuda_context *context = object;
    uintptr_t bits = (uintptr_t)native;
    *out_handle = bits == 0 ? (void *)(uintptr_t)CU_STREAM_LEGACY : native;
    *out_is_per_thread = bits == CU_STREAM_PER_THREAD;
    cu_context own = context->context;
    if (bits > CU_STREAM_PER_THREAD && symbols()->stream_context != NULL) {
        RILL_TRY(CALL(stream_context, native, &own));
    }
    return own == context->context
               ? RILL_OK
               : status_fail(RILL_ERR_FOREIGN, "the stream belongs to another device, or another context of this one");
}

// ---- code ---------------------------------------------------------------------------------------------------------

// Loads PTX or a binary; of PTX the driver says line by line what it does not like.
static rill_status load_code(const void *code, void **out_module)
{
    char log[2048] = "";
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    cu_module module = NULL;
    int mode = driver_relax(&cuda_driver);
    int result = symbols()->module_load(&module, code, 2, options, values);
    driver_restore(&cuda_driver, mode);
    *out_module = result == CU_SUCCESS ? module : NULL;
    if (result == CU_SUCCESS) {
        return RILL_OK;
    }
    rill_status status = cuda_convert(symbols(), result, "loading the module's code");
    char words[1024];
    snprintf(words, sizeof words, "%s", rill_message());
    log[sizeof log - 1] = '\0';
    return status_fail(status, "%s%s%s", words, log[0] != '\0' ? "; " : "", log);
}

// A text that no other driver, architecture or way to compile has.
static void name_maker(int architecture, char *out, size_t size)
{
    int used = snprintf(out, size, "sm_%d, CUDA %d, lines, driver ", architecture, driver.library.version);
    for (size_t i = 0; i < sizeof driver.library.identity.bytes && (size_t)used < size; i++) {
        used += snprintf(out + used, size - (size_t)used, "%02x", driver.library.identity.bytes[i]);
    }
}

// What an earlier process had the driver make. NULL: there is none, or this driver does not take it.
static struct cuda_binary *load_kept(const struct backend_host *host, const struct backend_binary_key *kept,
                                     const struct cuda_binary_key *key, void **out_module)
{
    void *memory = NULL;
    const void *bytes;
    size_t size;
    struct cuda_binary *binary = NULL;
    if (!driver.library.has_identity || !host->find_binary(host->user, kept, &memory, &bytes, &size)) {
        return NULL;
    }
    if (cuda_binary_copy(bytes, size, key, &binary) == RILL_OK && load_code(binary->bytes, out_module) != RILL_OK) {
        cuda_binary_release(binary);
        binary = NULL;
    }
    free(memory);
    return binary;
}

static rill_status make_binary(const char *ptx, const struct cuda_binary_key *key, struct cuda_binary **out_binary)
{
    int mode = driver_relax(&cuda_driver); // a launch may come here while its stream is captured
    rill_status made = cuda_binary_make(symbols(), ptx, key, out_binary);
    driver_restore(&cuda_driver, mode);
    return made;
}

// The driver's compile is paid once: the binary that it makes is kept, and loaded the next time.
static rill_status compile_and_load(struct cuda_context *context, const char *ptx, size_t size, void **out_module)
{
    const struct backend_host *host = context->host;
    int architecture =
        10 * attribute(context->base.device, CU_DEVICE_MAJOR) + attribute(context->base.device, CU_DEVICE_MINOR);
    struct cuda_binary_key key = cuda_binary_key_of(ptx, size, architecture, driver.library.version);
    struct cuda_binary *binary = cuda_binary_find(&driver.binaries, &key);
    rill_status status = RILL_OK;
    *out_module = NULL;
    if (binary != NULL) {
        status = load_code(binary->bytes, out_module);
        cuda_binary_release(binary);
        return status;
    }
    char maker[160];
    name_maker(architecture, maker, sizeof maker);
    struct backend_binary_key kept = {.maker = maker, .code = ptx, .size = size};
    binary = load_kept(host, &kept, &key, out_module);
    if (binary == NULL) {
        status = make_binary(ptx, &key, &binary);
        if (status == RILL_ERR_UNSUPPORTED) {
            return load_code(ptx, out_module);
        }
        RILL_TRY(status);
        status = load_code(binary->bytes, out_module);
        if (status == RILL_OK && driver.library.has_identity) {
            host->keep_binary(host->user, &kept, binary->bytes, binary->size);
        }
    }
    if (status == RILL_OK) {
        cuda_binary_keep(&driver.binaries, binary);
    }
    cuda_binary_release(binary);
    return status;
}

static rill_status module_load(void *context, const void *code, size_t size, void **out_module)
{
    char *copy = malloc(size + 1); // so that the version it asks for can be the driver's
    *out_module = NULL;
    if (copy == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the module's code");
    }
    memcpy(copy, code, size);
    copy[size] = '\0';
    cuda_lower_ptx(copy, driver.library.version);
    rill_status status = compile_and_load(context, copy, size, out_module);
    free(copy);
    return status;
}

static rill_status occupancy(void *function, uint32_t *out_grid, uint32_t *out_block)
{
    int grid = 1;
    int block = 1;
    rill_status status = CALL(occupancy, &grid, &block, function, NULL, 0, 0);
    *out_grid = grid > 0 ? (uint32_t)grid : 1;
    *out_block = block > 0 ? (uint32_t)block : 1;
    return status;
}

// ---- graphs -------------------------------------------------------------------------------------------------------

// The driver knows the function that sets a handle by its name; no library of the toolkit is linked. |%s| is the
// target.
static const char condition_ptx[] =
    ".version 7.8\n"
    ".target %s\n"
    ".address_size 64\n"
    ".extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);\n"
    ".visible .entry rill$condition(.param .align 16 .b8 args[8], .param .u64 block, .param .u64 first,\n"
    "                              .param .u64 place, .param .u64 second, .param .u64 frame)\n"
    "{\n"
    "  .reg .pred %%p<4>;\n"
    "  .reg .b32 %%r<9>;\n"
    "  .reg .b64 %%d<9>;\n"
    "  ld.param.u64 %%d1, [block];\n"
    "  ld.param.u64 %%d2, [first];\n"
    "  ld.param.u64 %%d3, [place];\n"
    "  ld.param.u64 %%d4, [second];\n"
    "  ld.param.u64 %%d5, [frame];\n"
    "  mov.u32 %%r1, 0;\n"
    "  mov.u32 %%r2, 0;\n"
    "  shr.u64 %%d6, %%d3, 32;\n"
    "  cvt.u32.u64 %%r3, %%d6;\n"
    "  setp.eq.s64 %%p1, %%d5, 0;\n"
    "  @%%p1 bra look;\n"
    "  ld.global.u32 %%r4, [%%d5];\n"
    "  setp.ne.s32 %%p2, %%r4, 0;\n"
    "  @%%p2 bra set;\n"
    "look:\n"
    "  and.b64 %%d7, %%d3, 0xffffffff;\n"
    "  add.s64 %%d8, %%d1, %%d7;\n"
    "  ld.global.u8 %%r5, [%%d8];\n"
    "  and.b32 %%r5, %%r5, 1;\n"
    "  and.b32 %%r6, %%r3, 1;\n"
    "  xor.b32 %%r1, %%r5, %%r6;\n"
    "  shr.u32 %%r7, %%r3, 1;\n"
    "  and.b32 %%r7, %%r7, 1;\n"
    "  xor.b32 %%r2, %%r5, %%r7;\n"
    "set:\n"
    "  { .param .b64 a; .param .b32 b; st.param.b64 [a], %%d2; st.param.b32 [b], %%r1;\n"
    "    call.uni cudaGraphSetConditional, (a, b); }\n"
    "  and.b32 %%r8, %%r3, 4;\n"
    "  setp.eq.s32 %%p3, %%r8, 0;\n"
    "  @%%p3 bra done;\n"
    "  { .param .b64 a; .param .b32 b; st.param.b64 [a], %%d4; st.param.b32 [b], %%r2;\n"
    "    call.uni cudaGraphSetConditional, (a, b); }\n"
    "done:\n"
    "  ret;\n"
    "}\n"
    ".visible .entry rill$again(.param .align 16 .b8 args[8], .param .u64 left, .param .u64 handle,\n"
    "                          .param .u64 flag, .param .u64 second, .param .u64 frame)\n"
    "{\n"
    "  .reg .pred %%p<4>;\n"
    "  .reg .b32 %%r<5>;\n"
    "  .reg .b64 %%d<4>;\n"
    "  ld.param.u64 %%d1, [left];\n"
    "  ld.param.u64 %%d2, [handle];\n"
    "  ld.param.u64 %%d3, [flag];\n"
    "  ld.global.u32 %%r1, [%%d1];\n"
    "  add.s32 %%r1, %%r1, -1;\n"
    "  st.global.u32 [%%d1], %%r1;\n"
    "  setp.ne.s32 %%p1, %%r1, 0;\n"
    "  selp.b32 %%r2, 1, 0, %%p1;\n"
    "  setp.eq.s64 %%p2, %%d3, 0;\n"
    "  @%%p2 bra set;\n"
    "  ld.global.u32 %%r3, [%%d3];\n"
    "  setp.ne.s32 %%p3, %%r3, 0;\n"
    "  selp.b32 %%r2, 0, %%r2, %%p3;\n"
    "set:\n"
    "  { .param .b64 a; .param .b32 b; st.param.b64 [a], %%d2; st.param.b32 [b], %%r2;\n"
    "    call.uni cudaGraphSetConditional, (a, b); }\n"
    "  ret;\n"
    "}\n";

static rill_status condition_functions(void *object, void **out_function, void **out_again)
{
    struct cuda_context *context = object;
    char text[sizeof condition_ptx + 16];
    char target[16];
    *out_function = NULL;
    *out_again = NULL;
    snprintf(target, sizeof target, "sm_%d%d", attribute(context->base.device, CU_DEVICE_MAJOR),
             attribute(context->base.device, CU_DEVICE_MINOR));
    snprintf(text, sizeof text, condition_ptx, target);
    if (context->condition == NULL) {
        void *module = NULL;
        RILL_TRY(load_code(text, &module));
        context->condition = module;
    }
    RILL_TRY(driver_module_function(&cuda_driver, context->condition, "rill$condition", out_function));
    return driver_module_function(&cuda_driver, context->condition, "rill$again", out_again);
}

static void kernel_node(const struct gpu_kernel_call *call, void **extra, struct driver_kernel_node *out)
{
    struct cu_kernel_node node = {.function = call->function,
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

static rill_status launch_meeting(void *stream, const struct gpu_kernel_call *call)
{
    return CALL(launch_cooperative, call->function, call->grid, 1, 1, call->block, 1, 1, 0, stream, call->params);
}

static rill_status node_meets(void *node)
{
    union cu_launch_value value = {.bytes = {0}};
    value.cooperative = 1;
    return CALL(node_set, node, CU_LAUNCH_COOPERATIVE, &value);
}

static rill_status graph_handle(void *object, void *graph, bool initial, uint64_t *out_handle)
{
    assert(graph != NULL);
    struct cuda_context *context = object;
    return CALL(graph_handle, out_handle, graph, context->context, initial ? 1 : 0, CU_HANDLE_HAS_DEFAULT);
}

static rill_status graph_condition(const struct gpu_condition *condition, void **out_node, void **out_body)
{
    const struct cuda_context *context = condition->context;
    struct cu_node_options options = {
        .kind = CU_NODE_CONDITIONAL,
        .u.condition = {
            .handle = condition->handle, .kind = condition->is_loop ? 1 : 0, .size = 1, .context = context->context}};
    cu_node node = NULL;
    rill_status status = CALL(graph_add_node, &node, condition->graph, (const cu_node *)condition->after,
                              condition->after_count, &options);
    *out_node = status == RILL_OK ? node : NULL;
    *out_body = status == RILL_OK ? options.u.condition.bodies[0] : NULL;
    return status;
}

static struct cu_copy_node copy_node(const struct gpu_memory_node *memory)
{
    return (struct cu_copy_node){
        .source = {.kind = CU_MEMORY_UNIFIED, .address = memory->source, .pitch = memory->count},
        .target = {.kind = CU_MEMORY_UNIFIED, .address = memory->target, .pitch = memory->count},
        .width = memory->count,
        .height = 1,
        .depth = 1};
}

static struct cu_fill_node fill_node(const struct gpu_memory_node *memory)
{
    return (struct cu_fill_node){.target = memory->target,
                                 .value = memory->value,
                                 .element_size = (unsigned)memory->width,
                                 .width = memory->count,
                                 .height = 1};
}

static rill_status graph_memory(void *object, void *graph, const struct gpu_memory_node *memory, void *const *after,
                                size_t after_count, void **out_node)
{
    const struct cuda_context *context = object;
    const struct cu_copy_node copy = copy_node(memory);
    const struct cu_fill_node fill = fill_node(memory);
    const cu_node *nodes = (const cu_node *)after;
    cu_node node = NULL;
    rill_status status = memory->source != 0
                             ? CALL(graph_add_copy, &node, graph, nodes, after_count, &copy, context->context)
                             : CALL(graph_add_fill, &node, graph, nodes, after_count, &fill, context->context);
    *out_node = status == RILL_OK ? node : NULL;
    return status;
}

static rill_status exec_set_memory(void *object, void *exec, void *node, const struct gpu_memory_node *memory)
{
    const struct cuda_context *context = object;
    const struct cu_copy_node copy = copy_node(memory);
    const struct cu_fill_node fill = fill_node(memory);
    return memory->source != 0 ? CALL(exec_set_copy, exec, node, &copy, context->context)
                               : CALL(exec_set_fill, exec, node, &fill, context->context);
}

static const struct gpu_driver cuda_driver = {
    .name = "cuda",
    .title = "the driver",
    .symbols = &driver.library.symbols.shared,
    .pools_attribute = CU_DEVICE_MEMORY_POOLS,
    .convert = convert,
    .is_lost = is_lost,
    .kernel_node = kernel_node,
    .launch_meeting = launch_meeting,
    .node_meets = node_meets,
    .has_plain_symbols = true,
    .range_push = cuda_nvtx_push,
    .range_pop = cuda_nvtx_pop,
    .open = context_open,
    .close = context_close,
    .enter = context_enter,
    .leave = context_leave,
    .place_of = place_of,
    .copy = copy,
    .copy_peer = copy_peer,
    .host_function = host_function,
    .module_load = module_load,
    .occupancy = occupancy,
    .condition_functions = condition_functions,
    .graph_handle = graph_handle,
    .graph_condition = graph_condition,
    .graph_memory = graph_memory,
    .exec_set_memory = exec_set_memory,
    .stream_adopt = stream_adopt,
};

// ---- the back end -------------------------------------------------------------------------------------------------

static size_t device_count(void)
{
    pthread_once(&driver.once, load_once);
    return driver.pid == getpid() ? (size_t)driver.device_count : 0; // the driver does not survive fork
}

static const char *device_absence(void)
{
    if (device_count() == 0 && driver.pid != getpid()) {
        return "the NVIDIA driver was started before fork() and cannot be used in the child";
    }
    return device_count() > 0 ? NULL : driver.message[0] != '\0' ? driver.message : "the NVIDIA driver finds no device";
}

static void device_describe(size_t index, struct backend_device_info *out_info)
{
    *out_info = (struct backend_device_info){.thread_count = 0};
    snprintf(out_info->name, sizeof out_info->name, "cuda:%zu", index);
    struct gpu_properties properties;
    int device;
    if (describe(index, &properties, &device) != RILL_OK) {
        snprintf(out_info->description, sizeof out_info->description, "%.100s", rill_message());
        return;
    }
    snprintf(out_info->description, sizeof out_info->description, "%.80s, %s, CUDA %d.%d", properties.name,
             properties.target, driver.library.version / 1000, driver.library.version % 1000 / 10);
    out_info->memory_size = properties.memory_size;
}

// By UUID ("GPU-…", as nvidia-smi shows it) or by PCI id ("0000:3b:00.0").
static bool is_named(int device, const char *name)
{
    char pci[32] = "";
    if (symbols()->device_pci != NULL && symbols()->device_pci(pci, (int)sizeof pci, device) == CU_SUCCESS &&
        strcasecmp(pci, name) == 0) {
        return true;
    }
    struct cu_uuid uuid;
    if (symbols()->device_uuid == NULL || symbols()->device_uuid(&uuid, device) != CU_SUCCESS) {
        return false;
    }
    char text[64] = "GPU-";
    size_t used = 4;
    for (int i = 0; i < 16; i++) {
        bool has_dash = i == 4 || i == 6 || i == 8 || i == 10;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%02x", has_dash ? "-" : "", uuid.bytes[i]);
    }
    return strcasecmp(text, name) == 0;
}

static bool device_named(const char *name, size_t *out_index)
{
    for (size_t i = 0; i < device_count(); i++) {
        int device;
        if (symbols()->device_get(&device, (int)i) == CU_SUCCESS && is_named(device, name)) {
            *out_index = i;
            return true;
        }
    }
    return false;
}

static rill_status device_open(size_t index, const struct backend_host *host, struct backend_device **out_device)
{
    return gpu_device_open(&cuda_driver, index, host, out_device);
}

const struct backend backend_cuda = {
    GPU_BACKEND_OPERATIONS,       .name = "cuda",
    .device_count = device_count, .device_absence = device_absence,
    .device_named = device_named, .device_describe = device_describe,
    .device_open = device_open,
};
