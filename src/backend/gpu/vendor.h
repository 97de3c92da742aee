// What the CUDA driver and the HIP runtime have alike, of the table in driver.h: written once, and included by the one
// file of each vendor that makes the table. Each call goes to the vendor's own function of that name in its list of
// symbols, with the vendor's own types and numbers. The file that includes this defines before
//
//     CALL(member, …)        calls a function of the list and converts its result
//     CONVERT(result, what)  the same for a result that was looked at
//     IS_LOST(result)        whether it says that the device is lost
//     HANDLE(kind)           the type of a handle: HANDLE(stream) is cu_stream, or hip_stream
//     NUMBER(name)           a number of the interface: NUMBER(NOT_READY) is CU_NOT_READY, or HIP_NOT_READY
//     VENDOR_CONTEXT         the tag of the struct behind driver.h's contexts, with members |device| and |pool|
//     VENDOR_SYMBOLS         the tag of the table of functions, which symbols() gives
//     VENDOR_NAME            for words: "the driver"
//
// and names GPU_VENDOR_OPERATIONS in its table. Copies of this would share their mistakes, and not what mends them.
#ifndef RILL_BACKEND_GPU_VENDOR_H
#define RILL_BACKEND_GPU_VENDOR_H

#include "backend/gpu/driver.h"
#include "base/status.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>

#ifdef VENDOR_CONTEXT // without a vendor there is nothing to define

#define ADDRESS(value) ((HANDLE(address))(uintptr_t)(value))

// ---- the device ----------------------------------------------------------------------------------------------------

static int attribute(int device, int which)
{
    int value = 0;
    return symbols()->device_attribute(&value, which, device) == NUMBER(SUCCESS) ? value : 0;
}

static bool has_graphs(void)
{
    const struct VENDOR_SYMBOLS *table = symbols();
    return table->graph_create != NULL && table->graph_destroy != NULL && table->graph_add_kernel != NULL &&
           table->graph_instantiate != NULL && table->exec_set_kernel != NULL && table->exec_destroy != NULL &&
           table->exec_launch != NULL;
}

// Whether the driver has all of stream-ordered memory, and the device takes part.
static bool has_pools(int device)
{
    const struct VENDOR_SYMBOLS *table = symbols();
    return table->pool_create != NULL && table->pool_destroy != NULL && table->pool_set != NULL &&
           table->pool_alloc != NULL && table->memory_free_async != NULL &&
           attribute(device, NUMBER(DEVICE_MEMORY_POOLS)) != 0;
}

// Memory that is freed stays with the pool: giving it back to the system would cost every allocation dear.
static void open_pool(struct VENDOR_CONTEXT *context)
{
    const struct VENDOR_SYMBOLS *table = symbols();
    struct HANDLE(pool_options) options = {.allocation = 1, .location = {.kind = 1, .id = context->device}};
    if (table->pool_create(&context->pool, &options) != NUMBER(SUCCESS)) {
        context->pool = NULL;
        return;
    }
    uint64_t everything = UINT64_MAX;
    if (table->pool_set(context->pool, NUMBER(POOL_RELEASE_THRESHOLD), &everything) != NUMBER(SUCCESS)) {
        table->pool_destroy(context->pool);
        context->pool = NULL;
    }
}

// ---- captures of others --------------------------------------------------------------------------------------------

// While some stream of the process is being captured the driver refuses what might disturb it, and ends the capture.
// Rill touches nothing that is captured, and says so for the calling thread. -1: it could not be said.
static int relax(void)
{
    int mode = NUMBER(CAPTURE_RELAXED);
    bool is_known = symbols()->capture_mode != NULL && symbols()->capture_mode(&mode) == NUMBER(SUCCESS);
    return is_known ? mode : -1;
}

static void restore(int mode)
{
    for (int i = 0; mode >= 0 && i < 3; i++) { // whatever fails, the thread is left as it was
        int again = mode;
        if (symbols()->capture_mode(&again) == NUMBER(SUCCESS)) {
            break;
        }
    }
}

// ---- memory --------------------------------------------------------------------------------------------------------

static rill_status memory_alloc(void *object, void *stream, uint64_t size, uint64_t *out_address)
{
    struct VENDOR_CONTEXT *context = object;
    HANDLE(address) memory = 0;
    *out_address = 0;
    int mode = relax();
    int result = context->pool != NULL ? symbols()->pool_alloc(&memory, size, context->pool, stream)
                                       : symbols()->memory_alloc(&memory, size);
    restore(mode);
    if (result == NUMBER(OUT_OF_MEMORY)) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an array of %llu bytes: the device has no more",
                           (unsigned long long)size);
    }
    *out_address = result == NUMBER(SUCCESS) ? (uint64_t)(uintptr_t)memory : 0;
    return CONVERT(result, "the allocation of device memory");
}

static void memory_free(void *object, void *stream, uint64_t address)
{
    struct VENDOR_CONTEXT *context = object;
    if (address == 0) {
        return;
    }
    int mode = relax();
    if (context->pool != NULL) {
        symbols()->memory_free_async(ADDRESS(address), stream);
    } else {
        symbols()->memory_free(ADDRESS(address));
    }
    restore(mode);
}

static void memory_free_now(uint64_t address)
{
    int mode = relax();
    symbols()->memory_free(ADDRESS(address));
    restore(mode);
}

static rill_status pinned_alloc(void *object, size_t size, void **out_memory)
{
    (void)object;
    *out_memory = NULL;
    int mode = relax();
    rill_status status = CALL(host_alloc, out_memory, size, NUMBER(HOST_PORTABLE) | NUMBER(HOST_DEVICE_MAP));
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

static rill_status set(void *stream, uint64_t target, uint32_t value, int width, size_t count)
{
    switch (width) {
    case 1: return CALL(set8_async, ADDRESS(target), (unsigned char)value, count, stream);
    case 2: return CALL(set16_async, ADDRESS(target), (unsigned short)value, count, stream);
    default: return CALL(set32_async, ADDRESS(target), value, count, stream);
    }
}

// ---- streams, events -----------------------------------------------------------------------------------------------

static rill_status stream_create(int priority, void **out_stream)
{
    HANDLE(stream) stream = NULL;
    int mode = relax();
    rill_status status = CALL(stream_create, &stream, NUMBER(STREAM_NON_BLOCKING), priority);
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
    if (result != NUMBER(SUCCESS) && !IS_LOST(result)) {
        while (symbols()->stream_query(stream) == NUMBER(NOT_READY)) {
            sched_yield();
        }
    }
    restore(mode);
    return CONVERT(result, VENDOR_NAME "'s stream_synchronize");
}

static rill_status stream_query(void *stream)
{
    int mode = relax();
    rill_status status = CALL(stream_query, stream);
    restore(mode);
    return status;
}

static bool is_gone(void)
{
    return symbols()->stream_query(NULL) == NUMBER(DEINITIALIZED);
}

static rill_status stream_wait_event(void *stream, void *event)
{
    return CALL(stream_wait_event, stream, event, 0);
}

static rill_status stream_is_capturing(void *stream, bool *out)
{
    int state = 0;
    rill_status status = CALL(stream_is_capturing, stream, &state);
    *out = state != 0;
    return status;
}

static rill_status event_create(bool has_time, void **out_event)
{
    HANDLE(event) event = NULL;
    rill_status status = CALL(event_create, &event, has_time ? 0 : NUMBER(EVENT_DISABLE_TIMING));
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
    return CALL(event_record, event, stream);
}

static rill_status event_query(void *event)
{
    int mode = relax();
    rill_status status = CALL(event_query, event);
    restore(mode);
    return status;
}

// As with a stream: who waits uses again what the work before the event used.
static rill_status event_synchronize(void *event)
{
    int mode = relax();
    int result = symbols()->event_synchronize(event);
    if (result != NUMBER(SUCCESS) && !IS_LOST(result)) {
        while (symbols()->event_query(event) == NUMBER(NOT_READY)) {
            sched_yield();
        }
    }
    restore(mode);
    return CONVERT(result, VENDOR_NAME "'s event_synchronize");
}

static rill_status event_elapsed(void *begin, void *end, double *out_milliseconds)
{
    float milliseconds = 0;
    int mode = relax();
    rill_status status = CALL(event_elapsed, &milliseconds, begin, end);
    restore(mode);
    *out_milliseconds = (double)milliseconds;
    return status;
}

// ---- streams that others capture -----------------------------------------------------------------------------------

static rill_status capture_of(void *stream, HANDLE(graph) * out_graph, const HANDLE(node) * *out_nodes,
                              size_t *out_count)
{
    if (symbols()->capture_info == NULL) {
        return status_fail(RILL_ERR_UNSUPPORTED, VENDOR_NAME " does not say what is captured");
    }
    int state = 0;
    uint64_t id = 0;
    RILL_TRY(CALL(capture_info, stream, &state, &id, out_graph, out_nodes, out_count));
    return state == 1 ? RILL_OK : status_fail(RILL_ERR_DEVICE, "the capture of the stream has ended");
}

static rill_status capture_keep(void *stream, gpu_host_function *release, void *user)
{
    HANDLE(user) object = NULL;
    HANDLE(graph) graph = NULL;
    bool has_all = symbols()->user_create != NULL && symbols()->user_release != NULL && symbols()->graph_retain != NULL;
    rill_status status = has_all ? capture_of(stream, &graph, NULL, NULL)
                                 : status_fail(RILL_ERR_UNSUPPORTED, VENDOR_NAME " keeps nothing with a graph");
    if (status == RILL_OK) {
        status = CALL(user_create, &object, user, release, 1, NUMBER(USER_NO_DESTRUCTOR_SYNC));
    }
    if (status != RILL_OK) {
        release(user);
        return status;
    }
    status = CALL(graph_retain, graph, object, 1, NUMBER(GRAPH_USER_MOVE));
    if (status != RILL_OK) {
        symbols()->user_release(object, 1); // and so |user|
    }
    return status;
}

static rill_status capture_front(void *stream, void **nodes, size_t capacity, size_t *out_count)
{
    const HANDLE(node) *found = NULL;
    HANDLE(graph) graph = NULL;
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
        return status_fail(RILL_ERR_UNSUPPORTED, VENDOR_NAME " cannot say what a capture goes on from");
    }
    return CALL(capture_update, stream, (HANDLE(node) *)nodes, count, NUMBER(CAPTURE_SET_DEPENDENCIES));
}

// ---- code ----------------------------------------------------------------------------------------------------------

static void module_unload(void *module)
{
    if (module != NULL) {
        int mode = relax();
        symbols()->module_unload(module);
        restore(mode);
    }
}

// What it means for the module, before what the driver has said.
static rill_status add_words(rill_status status, const char *what, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "%s", rill_message());
    return status_fail(status, "%s '%s': %s", what, name, text);
}

static rill_status module_function(void *module, const char *name, void **out_function)
{
    HANDLE(function) function = NULL;
    int mode = relax();
    rill_status status = CALL(module_function, &function, module, name);
    restore(mode);
    *out_function = status == RILL_OK ? function : NULL;
    return status == RILL_OK ? RILL_OK : add_words(status, "the module's code has no entry", name);
}

static rill_status module_global(void *module, const char *name, uint64_t *out_address)
{
    size_t size = 0;
    HANDLE(address) memory = 0;
    *out_address = 0;
    rill_status status = CALL(module_global, &memory, &size, module, name);
    *out_address = (uint64_t)(uintptr_t)memory;
    return status == RILL_OK ? RILL_OK : add_words(status, "the module's code has no field", name);
}

// The arguments go by the layout that the code says: one pointer for each. A grid has fewer than 2^32 threads in all.
static rill_status launch(void *stream, const struct gpu_kernel_call *call)
{
    return CALL(launch, call->function, call->grid, 1, 1, call->block, 1, 1, 0, stream, call->params, NULL);
}

// ---- graphs --------------------------------------------------------------------------------------------------------

static rill_status graph_create(void **out_graph)
{
    HANDLE(graph) graph = NULL;
    rill_status status = CALL(graph_create, &graph, 0);
    *out_graph = status == RILL_OK ? graph : NULL;
    return status;
}

static void graph_destroy(void *graph)
{
    if (graph != NULL) {
        symbols()->graph_destroy(graph);
    }
}

static struct HANDLE(kernel_node) node_of(const struct gpu_kernel_call *call)
{
    return (struct HANDLE(kernel_node)){.function = call->function,
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
    struct HANDLE(kernel_node) kernel = node_of(call);
    HANDLE(node) node = NULL;
    rill_status status = CALL(graph_add_kernel, &node, graph, (const HANDLE(node) *)after, after_count, &kernel);
    *out_node = status == RILL_OK ? node : NULL;
    return status;
}

static rill_status graph_instantiate(void *graph, void **out_exec)
{
    HANDLE(exec) exec = NULL;
    int mode = relax();
    rill_status status = CALL(graph_instantiate, &exec, graph, 0);
    restore(mode);
    *out_exec = status == RILL_OK ? exec : NULL;
    return status;
}

static rill_status exec_set(void *exec, void *node, const struct gpu_kernel_call *call)
{
    struct HANDLE(kernel_node) kernel = node_of(call);
    size_t size = call->row_size;
    void *row[] = {(void *)1, (void *)(uintptr_t)call->row, (void *)2, &size, NULL}; // CUDA's: place, size, end
    kernel.extra = call->row != NULL ? row : NULL;
    return CALL(exec_set_kernel, exec, node, &kernel);
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
    return CALL(exec_launch, exec, stream);
}

#define GPU_VENDOR_OPERATIONS                                                                                          \
    .memory_alloc = memory_alloc, .memory_free = memory_free, .memory_free_now = memory_free_now,                      \
    .pinned_alloc = pinned_alloc, .pinned_free = pinned_free, .set = set, .stream_create = stream_create,              \
    .stream_destroy = stream_destroy, .stream_synchronize = stream_synchronize, .stream_query = stream_query,          \
    .is_gone = is_gone, .stream_wait_event = stream_wait_event, .stream_is_capturing = stream_is_capturing,            \
    .event_create = event_create, .event_destroy = event_destroy, .event_record = event_record,                        \
    .event_query = event_query, .event_synchronize = event_synchronize, .event_elapsed = event_elapsed,                \
    .capture_keep = capture_keep, .capture_front = capture_front, .capture_set_front = capture_set_front,              \
    .module_unload = module_unload, .module_function = module_function, .module_global = module_global,                \
    .launch = launch, .graph_create = graph_create, .graph_destroy = graph_destroy, .graph_add = graph_add,            \
    .graph_instantiate = graph_instantiate, .exec_set = exec_set, .exec_destroy = exec_destroy,                        \
    .exec_launch = exec_launch

#endif
#endif
