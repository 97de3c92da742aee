#include "backend/gpu/driver.h"

#include "base/status.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>

// The words are put together only where somebody will read them.
static rill_status convert(const struct gpu_driver *driver, int result, const char *member)
{
    char what[96];
    if (result == DRIVER_SUCCESS) {
        return RILL_OK;
    }
    if (gpu_result_needs_words(result)) {
        snprintf(what, sizeof what, "%s's %s", driver->title, member);
    } else {
        what[0] = '\0';
    }
    return driver->convert(result, what);
}

// Calls a function of the driver and converts its result.
#define CALL(driver, member, ...) convert(driver, (driver)->symbols->member(__VA_ARGS__), #member)

// ---- the device ----------------------------------------------------------------------------------------------------

int driver_attribute(const struct gpu_driver *driver, int device, int which)
{
    int value = 0;
    return driver->symbols->device_attribute(&value, which, device) == DRIVER_SUCCESS ? value : 0;
}

bool driver_has_graphs(const struct gpu_driver *driver)
{
    const struct gpu_symbols *table = driver->symbols;
    return table->graph_create != NULL && table->graph_destroy != NULL && table->graph_add_kernel != NULL &&
           table->graph_instantiate != NULL && table->exec_set_kernel != NULL && table->exec_destroy != NULL &&
           table->exec_launch != NULL;
}

// Whether the driver has all of stream-ordered memory, and the device takes part.
bool driver_has_pools(const struct gpu_driver *driver, int device)
{
    const struct gpu_symbols *table = driver->symbols;
    return table->pool_create != NULL && table->pool_destroy != NULL && table->pool_set != NULL &&
           table->pool_alloc != NULL && table->memory_free_async != NULL &&
           driver_attribute(driver, device, driver->pools_attribute) != 0;
}

// Memory that is freed stays with the pool: giving it back to the system would cost every allocation dear.
void driver_open_pool(const struct gpu_driver *driver, struct driver_context *context)
{
    const struct gpu_symbols *table = driver->symbols;
    struct driver_pool_options options = {.allocation = 1, .location = {.kind = 1, .id = context->device}};
    if (table->pool_create(&context->pool, &options) != DRIVER_SUCCESS) {
        context->pool = NULL;
        return;
    }
    uint64_t everything = UINT64_MAX;
    if (table->pool_set(context->pool, DRIVER_POOL_RELEASE_THRESHOLD, &everything) != DRIVER_SUCCESS) {
        table->pool_destroy(context->pool);
        context->pool = NULL;
    }
}

// ---- captures of others --------------------------------------------------------------------------------------------

// While some stream of the process is being captured the driver refuses what might disturb it, and ends the capture.
// Rill touches nothing that is captured, and says so for the calling thread. -1: it could not be said.
int driver_relax(const struct gpu_driver *driver)
{
    int mode = DRIVER_CAPTURE_RELAXED;
    bool is_known = driver->symbols->capture_mode != NULL && driver->symbols->capture_mode(&mode) == DRIVER_SUCCESS;
    return is_known ? mode : -1;
}

void driver_restore(const struct gpu_driver *driver, int mode)
{
    for (int i = 0; mode >= 0 && i < 3; i++) { // whatever fails, the thread is left as it was
        int again = mode;
        if (driver->symbols->capture_mode(&again) == DRIVER_SUCCESS) {
            break;
        }
    }
}

// ---- memory --------------------------------------------------------------------------------------------------------

rill_status driver_memory_alloc(const struct gpu_driver *driver, void *object, void *stream, uint64_t size,
                                uint64_t *out_address)
{
    const struct driver_context *context = object;
    uint64_t memory = 0;
    *out_address = 0;
    int mode = driver_relax(driver);
    int result = context->pool != NULL ? driver->symbols->pool_alloc(&memory, size, context->pool, stream)
                                       : driver->symbols->memory_alloc(&memory, size);
    driver_restore(driver, mode);
    if (result == DRIVER_OUT_OF_MEMORY) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an array of %llu bytes: the device has no more",
                           (unsigned long long)size);
    }
    *out_address = result == DRIVER_SUCCESS ? memory : 0;
    return driver->convert(result, "the allocation of device memory");
}

void driver_memory_free(const struct gpu_driver *driver, void *object, void *stream, uint64_t address)
{
    const struct driver_context *context = object;
    if (address == 0) {
        return;
    }
    int mode = driver_relax(driver);
    if (context->pool != NULL) {
        driver->symbols->memory_free_async(address, stream);
    } else {
        driver->symbols->memory_free(address);
    }
    driver_restore(driver, mode);
}

void driver_memory_free_now(const struct gpu_driver *driver, uint64_t address)
{
    int mode = driver_relax(driver);
    driver->symbols->memory_free(address);
    driver_restore(driver, mode);
}

rill_status driver_pinned_alloc(const struct gpu_driver *driver, size_t size, void **out_memory)
{
    *out_memory = NULL;
    int mode = driver_relax(driver);
    rill_status status = CALL(driver, host_alloc, out_memory, size, DRIVER_HOST_PORTABLE | DRIVER_HOST_DEVICE_MAP);
    driver_restore(driver, mode);
    return status;
}

void driver_pinned_free(const struct gpu_driver *driver, void *memory)
{
    if (memory != NULL) {
        int mode = driver_relax(driver);
        driver->symbols->host_free(memory);
        driver_restore(driver, mode);
    }
}

rill_status driver_set(const struct gpu_driver *driver, void *stream, uint64_t target, uint32_t value, int width,
                       size_t count)
{
    assert(width == 1 || width == 2 || width == 4);
    switch (width) {
    case 1: return CALL(driver, set8_async, target, (unsigned char)value, count, stream);
    case 2: return CALL(driver, set16_async, target, (unsigned short)value, count, stream);
    default: return CALL(driver, set32_async, target, value, count, stream);
    }
}

// ---- streams, events -----------------------------------------------------------------------------------------------

rill_status driver_stream_create(const struct gpu_driver *driver, int priority, void **out_stream)
{
    driver_stream stream = NULL;
    int mode = driver_relax(driver);
    rill_status status = CALL(driver, stream_create, &stream, DRIVER_STREAM_NON_BLOCKING, priority);
    driver_restore(driver, mode);
    *out_stream = status == RILL_OK ? stream : NULL;
    return status;
}

void driver_stream_destroy(const struct gpu_driver *driver, void *stream)
{
    if (stream != NULL) {
        int mode = driver_relax(driver);
        driver->symbols->stream_destroy(stream);
        driver_restore(driver, mode);
    }
}

// The caller goes on to free what the stream uses: so a wait that itself fails still lasts until the work has run.
rill_status driver_stream_synchronize(const struct gpu_driver *driver, void *stream)
{
    int mode = driver_relax(driver);
    int result = driver->symbols->stream_synchronize(stream);
    if (result != DRIVER_SUCCESS && !driver->is_lost(result)) {
        while (driver->symbols->stream_query(stream) == DRIVER_NOT_READY) {
            sched_yield();
        }
    }
    driver_restore(driver, mode);
    return convert(driver, result, "stream_synchronize");
}

rill_status driver_stream_query(const struct gpu_driver *driver, void *stream)
{
    int mode = driver_relax(driver);
    rill_status status = CALL(driver, stream_query, stream);
    driver_restore(driver, mode);
    return status;
}

bool driver_is_gone(const struct gpu_driver *driver)
{
    return driver->symbols->stream_query(NULL) == DRIVER_DEINITIALIZED;
}

rill_status driver_stream_wait_event(const struct gpu_driver *driver, void *stream, void *event)
{
    return CALL(driver, stream_wait_event, stream, event, 0);
}

rill_status driver_stream_is_capturing(const struct gpu_driver *driver, void *stream, bool *out)
{
    int state = 0;
    rill_status status = CALL(driver, stream_is_capturing, stream, &state);
    *out = state != 0;
    return status;
}

rill_status driver_event_create(const struct gpu_driver *driver, bool has_time, void **out_event)
{
    driver_event event = NULL;
    rill_status status = CALL(driver, event_create, &event, has_time ? 0 : DRIVER_EVENT_DISABLE_TIMING);
    *out_event = status == RILL_OK ? event : NULL;
    return status;
}

void driver_event_destroy(const struct gpu_driver *driver, void *event)
{
    if (event != NULL) {
        driver->symbols->event_destroy(event);
    }
}

rill_status driver_event_record(const struct gpu_driver *driver, void *event, void *stream)
{
    return CALL(driver, event_record, event, stream);
}

rill_status driver_event_query(const struct gpu_driver *driver, void *event)
{
    int mode = driver_relax(driver);
    rill_status status = CALL(driver, event_query, event);
    driver_restore(driver, mode);
    return status;
}

// As with a stream: the caller goes on to use again what the work before the event used.
rill_status driver_event_synchronize(const struct gpu_driver *driver, void *event)
{
    int mode = driver_relax(driver);
    int result = driver->symbols->event_synchronize(event);
    if (result != DRIVER_SUCCESS && !driver->is_lost(result)) {
        while (driver->symbols->event_query(event) == DRIVER_NOT_READY) {
            sched_yield();
        }
    }
    driver_restore(driver, mode);
    return convert(driver, result, "event_synchronize");
}

rill_status driver_event_elapsed(const struct gpu_driver *driver, void *begin, void *end, double *out_milliseconds)
{
    float milliseconds = 0;
    int mode = driver_relax(driver);
    rill_status status = CALL(driver, event_elapsed, &milliseconds, begin, end);
    driver_restore(driver, mode);
    *out_milliseconds = (double)milliseconds;
    return status;
}

// ---- streams that others capture -----------------------------------------------------------------------------------

static rill_status capture_of(const struct gpu_driver *driver, void *stream, driver_graph *out_graph,
                              const driver_node **out_nodes, size_t *out_count)
{
    if (driver->symbols->capture_info == NULL) {
        return status_fail(RILL_ERR_UNSUPPORTED, "%s does not say what is captured", driver->title);
    }
    int state = 0;
    uint64_t id = 0;
    RILL_TRY(CALL(driver, capture_info, stream, &state, &id, out_graph, out_nodes, out_count));
    return state == 1 ? RILL_OK : status_fail(RILL_ERR_DEVICE, "the capture of the stream has ended");
}

rill_status driver_capture_keep(const struct gpu_driver *driver, void *stream, gpu_host_function *release, void *user)
{
    driver_user object = NULL;
    driver_graph graph = NULL;
    bool has_all = driver->symbols->user_create != NULL && driver->symbols->user_release != NULL &&
                   driver->symbols->graph_retain != NULL;
    rill_status status = has_all ? capture_of(driver, stream, &graph, NULL, NULL)
                                 : status_fail(RILL_ERR_UNSUPPORTED, "%s keeps nothing with a graph", driver->title);
    if (status == RILL_OK) {
        status = CALL(driver, user_create, &object, user, release, 1, DRIVER_USER_NO_DESTRUCTOR_SYNC);
    }
    if (status != RILL_OK) {
        release(user);
        return status;
    }
    status = CALL(driver, graph_retain, graph, object, 1, DRIVER_GRAPH_USER_MOVE);
    if (status != RILL_OK) {
        driver->symbols->user_release(object, 1); // and so |user|
    }
    return status;
}

rill_status driver_capture_front(const struct gpu_driver *driver, void *stream, void **nodes, size_t capacity,
                                 size_t *out_count)
{
    const driver_node *found = NULL;
    driver_graph graph = NULL;
    *out_count = 0;
    RILL_TRY(capture_of(driver, stream, &graph, &found, out_count));
    if (*out_count > capacity) {
        return status_fail(RILL_ERR_LIMIT, "%zu ends of a capture are too many", *out_count);
    }
    for (size_t i = 0; i < *out_count; i++) {
        nodes[i] = found[i];
    }
    return RILL_OK;
}

rill_status driver_capture_set_front(const struct gpu_driver *driver, void *stream, void **nodes, size_t count)
{
    if (driver->symbols->capture_update == NULL) {
        return status_fail(RILL_ERR_UNSUPPORTED, "%s cannot say what a capture goes on from", driver->title);
    }
    return CALL(driver, capture_update, stream, (driver_node *)nodes, count, DRIVER_CAPTURE_SET_DEPENDENCIES);
}

// ---- code ----------------------------------------------------------------------------------------------------------

void driver_module_unload(const struct gpu_driver *driver, void *module)
{
    if (module != NULL) {
        int mode = driver_relax(driver);
        driver->symbols->module_unload(module);
        driver_restore(driver, mode);
    }
}

// What it means for the module, before what the driver has said.
static rill_status add_words(rill_status status, const char *what, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "%s", rill_message());
    return status_fail(status, "%s '%s': %s", what, name, text);
}

rill_status driver_module_function(const struct gpu_driver *driver, void *module, const char *name, void **out_function)
{
    driver_function function = NULL;
    int mode = driver_relax(driver);
    rill_status status = CALL(driver, module_function, &function, module, name);
    driver_restore(driver, mode);
    *out_function = status == RILL_OK ? function : NULL;
    return status == RILL_OK ? RILL_OK : add_words(status, "the module's code has no entry", name);
}

rill_status driver_module_global(const struct gpu_driver *driver, void *module, const char *name, uint64_t *out_address)
{
    size_t size = 0;
    uint64_t memory = 0;
    *out_address = 0;
    rill_status status = CALL(driver, module_global, &memory, &size, module, name);
    *out_address = memory;
    return status == RILL_OK ? RILL_OK : add_words(status, "the module's code has no field", name);
}

// The arguments go by the layout that the code says: one pointer for each. A grid has fewer than 2^32 threads in all.
rill_status driver_launch(const struct gpu_driver *driver, void *stream, const struct gpu_kernel_call *call)
{
    assert(call->grid > 0 && call->block > 0);
    if (call->meets) {
        return driver->launch_meeting(stream, call);
    }
    return CALL(driver, launch, call->function, call->grid, 1, 1, call->block, 1, 1, 0, stream, call->params, NULL);
}

// ---- graphs --------------------------------------------------------------------------------------------------------

rill_status driver_graph_create(const struct gpu_driver *driver, void **out_graph)
{
    driver_graph graph = NULL;
    rill_status status = CALL(driver, graph_create, &graph, 0);
    *out_graph = status == RILL_OK ? graph : NULL;
    return status;
}

void driver_graph_destroy(const struct gpu_driver *driver, void *graph)
{
    if (graph != NULL) {
        driver->symbols->graph_destroy(graph);
    }
}

rill_status driver_graph_add(const struct gpu_driver *driver, void *graph, const struct gpu_kernel_call *call,
                             void *const *after, size_t after_count, void **out_node)
{
    struct driver_kernel_node kernel;
    driver_node node = NULL;
    driver->kernel_node(call, NULL, &kernel);
    rill_status status = CALL(driver, graph_add_kernel, &node, graph, (const driver_node *)after, after_count, &kernel);
    *out_node = status == RILL_OK ? node : NULL;
    return status == RILL_OK && call->meets ? driver->node_meets(node) : status;
}

rill_status driver_graph_instantiate(const struct gpu_driver *driver, void *graph, void **out_exec)
{
    driver_exec exec = NULL;
    int mode = driver_relax(driver);
    rill_status status = CALL(driver, graph_instantiate, &exec, graph, 0);
    driver_restore(driver, mode);
    *out_exec = status == RILL_OK ? exec : NULL;
    return status;
}

rill_status driver_exec_set(const struct gpu_driver *driver, void *exec, void *node, const struct gpu_kernel_call *call)
{
    struct driver_kernel_node kernel;
    size_t size = call->row_size;
    void *row[] = {(void *)1, (void *)(uintptr_t)call->row, (void *)2, &size, NULL}; // CUDA's: place, size, end
    driver->kernel_node(call, call->row != NULL ? row : NULL, &kernel);
    return CALL(driver, exec_set_kernel, exec, node, &kernel);
}

void driver_exec_destroy(const struct gpu_driver *driver, void *exec)
{
    if (exec != NULL) {
        int mode = driver_relax(driver);
        driver->symbols->exec_destroy(exec);
        driver_restore(driver, mode);
    }
}

rill_status driver_exec_launch(const struct gpu_driver *driver, void *exec, void *stream)
{
    return CALL(driver, exec_launch, exec, stream);
}
