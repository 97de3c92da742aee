// Modules, launches, graphs.
#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- modules --------------------------------------------------------------------------------------------------------

int fake_cu_module_load(cu_module *out, const void *code, unsigned count, int *options, void **values)
{
    static const char call[] = "cuModuleLoadDataEx";
    ENTER(call, DEVICE);
    (void)count;
    (void)options;
    (void)values;
    struct fake_context *context;
    struct fake_module *module = NULL;
    fake_lock();
    int result = fake_need_context_locked(call, &context);
    result = result == FAKE_OK ? fake_unsafe_locked(call) : result;
    if (result == FAKE_OK) {
        result = fake_module_load_locked(context, code, &module);
    }
    if (result == FAKE_OK) {
        *out = fake_handle(module);
    }
    fake_unlock();
    return result;
}

int fake_cu_link_create(unsigned count, int *options, void **values, cu_link *out)
{
    static const char call[] = "cuLinkCreate_v2";
    ENTER(call, DEVICE);
    (void)count;
    (void)options;
    (void)values;
    struct fake_context *context;
    fake_lock();
    int result = fake_need_context_locked(call, &context);
    result = result == FAKE_OK ? fake_unsafe_locked(call) : result;
    if (result == FAKE_OK) {
        struct fake_link *link = fake_alloc(sizeof *link);
        fake_add_locked(link, FAKE_LINK, context);
        *out = fake_handle(link);
    }
    fake_unlock();
    return result;
}

int fake_cu_link_add(cu_link handle, int kind, void *code, size_t size, const char *name, unsigned count, int *options,
                     void **values)
{
    static const char call[] = "cuLinkAddData_v2";
    ENTER(call, DEVICE);
    (void)name;
    (void)count;
    (void)options;
    (void)values;
    fake_lock();
    struct fake_link *link = fake_get_locked(handle, FAKE_LINK, call);
    int result = link == NULL                                           ? FAKE_INVALID_HANDLE
                 : kind != CU_JIT_INPUT_PTX || size != strlen(code) + 1 ? FAKE_INVALID_VALUE
                                                                        : fake_link_add_locked(link, code);
    fake_unlock();
    return result;
}

int fake_cu_link_complete(cu_link handle, void **out, size_t *out_size)
{
    ENTER("cuLinkComplete", DEVICE);
    fake_lock();
    struct fake_link *link = fake_get_locked(handle, FAKE_LINK, "cuLinkComplete");
    int result = link == NULL ? FAKE_INVALID_HANDLE : link->binary == NULL ? FAKE_INVALID_VALUE : FAKE_OK;
    if (result == FAKE_OK) {
        *out = link->binary;
        *out_size = link->size;
    }
    fake_unlock();
    return result;
}

int fake_cu_link_destroy(cu_link handle)
{
    ENTER_END("cuLinkDestroy", DEVICE);
    fake_lock();
    struct fake_link *link = fake_get_locked(handle, FAKE_LINK, "cuLinkDestroy");
    if (link != NULL) {
        fake_remove_locked(link);
        free(link->binary);
        link->binary = NULL;
    }
    fake_unlock();
    LEAVE_END(link != NULL ? FAKE_OK : FAKE_INVALID_HANDLE);
}

int fake_cu_module_unload(cu_module handle)
{
    ENTER_END("cuModuleUnload", DEVICE);
    fake_lock();
    struct fake_module *module = fake_get_locked(handle, FAKE_MODULE, "cuModuleUnload");
    if (module != NULL) {
        fake_module_unload_locked(module);
    }
    fake_unlock();
    LEAVE_END(module != NULL ? FAKE_OK : FAKE_INVALID_HANDLE);
}

int fake_cu_module_function(cu_function *out, cu_module handle, const char *name)
{
    ENTER("cuModuleGetFunction", DEVICE);
    fake_lock();
    struct fake_module *module = fake_get_locked(handle, FAKE_MODULE, "cuModuleGetFunction");
    struct fake_function *function = module != NULL ? fake_module_function_locked(module, name) : NULL;
    *out = fake_handle(function);
    fake_unlock();
    return module == NULL ? FAKE_INVALID_HANDLE : function == NULL ? FAKE_NOT_FOUND : FAKE_OK;
}

int fake_cu_module_global(cu_address *out, size_t *size, cu_module handle, const char *name)
{
    ENTER("cuModuleGetGlobal_v2", DEVICE);
    fake_lock();
    struct fake_module *module = fake_get_locked(handle, FAKE_MODULE, "cuModuleGetGlobal_v2");
    int code = module == NULL ? FAKE_INVALID_HANDLE : FAKE_NOT_FOUND;
    uint64_t address = 0;
    size_t bytes = 0;
    if (module != NULL && fake_module_global_locked(module, name, &address, &bytes)) {
        code = FAKE_OK;
        if (bytes > 0 && fake_memory_find_locked(address) == NULL) {
            void *memory = (void *)(uintptr_t)address;
            struct fake_context *context = module->object.context;
            fake_memory_add_locked(context, memory, bytes, FAKE_RANGE_MODULE)->module = module;
        }
        if (out != NULL) {
            *out = address;
        }
        if (size != NULL) {
            *size = bytes;
        }
    }
    fake_unlock();
    return code;
}

int fake_cu_function_attribute(int *out, int attribute, cu_function handle)
{
    ENTER("cuFuncGetAttribute", DEVICE);
    fake_lock();
    struct fake_function *function = fake_get_locked(handle, FAKE_FUNCTION, "cuFuncGetAttribute");
    fake_unlock();
    *out = attribute == CU_FUNCTION_MAX_THREADS ? 1 : attribute == 4 ? 8 : 0; // registers
    return function != NULL ? FAKE_OK : FAKE_INVALID_HANDLE;
}

enum { FAKE_RESIDENT_GRID = 8 }; // blocks that run at the same time

int fake_cu_occupancy(int *grid, int *block, cu_function handle, void *shared, size_t shared_size, int limit)
{
    ENTER("cuOccupancyMaxPotentialBlockSize", DEVICE);
    (void)shared;
    (void)shared_size;
    (void)limit;
    fake_lock();
    struct fake_function *function = fake_get_locked(handle, FAKE_FUNCTION, "cuOccupancyMaxPotentialBlockSize");
    fake_unlock();
    *grid = FAKE_RESIDENT_GRID;
    *block = 1;
    return function != NULL ? FAKE_OK : FAKE_INVALID_HANDLE;
}

// ---- kernels --------------------------------------------------------------------------------------------------------

// Parameters in a row, found where the code's own layout has them. False: they are not this kernel's.
enum { MAX_ROW = 16 };
static bool split_row(const struct fake_function *function, void **extra, void *out_params[MAX_ROW])
{
    if (extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != NULL || function->param_count > MAX_ROW ||
        *(const size_t *)extra[3] != function->params_size) {
        return false;
    }
    for (int i = 0; i < function->param_count; i++) {
        out_params[i] = (char *)extra[1] + function->param_offsets[i];
    }
    return true;
}

int cuda_make_kernel_locked(const char *call, const struct cu_kernel_node *node, struct fake_kernel *out_kernel)
{
    struct fake_function *function = fake_get_locked(node->function, FAKE_FUNCTION, call);
    if (function == NULL) {
        return FAKE_INVALID_HANDLE;
    }
    if (node->grid_x == 0 || node->grid_y == 0 || node->grid_z == 0 || node->block_x == 0) {
        return FAKE_INVALID_VALUE;
    }
    if (node->block_x != 1 || node->block_y != 1 || node->block_z != 1) {
        fake_violation_locked("%s: a block of %u x %u x %u threads; the device has one", call, node->block_x,
                              node->block_y, node->block_z);
        return FAKE_INVALID_VALUE;
    }
    if (node->grid_y != 1 || node->grid_z != 1 || node->grid_x > 2147483647u) {
        fake_violation_locked("%s: the stand-in takes grids of one dimension", call);
        return FAKE_INVALID_VALUE;
    }
    void *in_row[MAX_ROW];
    if (node->extra != NULL && (node->params != NULL || !split_row(function, node->extra, in_row))) {
        fake_violation_locked("%s: the parameters in a row are not those of the kernel", call);
        return FAKE_INVALID_VALUE;
    }
    void **params = node->extra != NULL ? in_row : node->params;
    return fake_kernel_make_locked(function, node->grid_x, params, call, out_kernel);
}

int fake_cu_launch(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_size, cu_stream handle, void **params,
                   void **extra)
{
    static const char call[] = "cuLaunchKernel";
    ENTER(call, DEVICE);
    struct cu_kernel_node node = {function, grid_x,  grid_y,      grid_z, block_x,
                                  block_y,  block_z, shared_size, params, extra};
    struct fake_work work = {.kind = FAKE_OP_KERNEL};
    struct fake_stream *stream;
    fake_lock();
    int code = fake_stream_get_locked(handle, call, &stream);
    if (code == FAKE_OK && !fake_same_context_locked(call, stream)) {
        code = FAKE_INVALID_CONTEXT;
    }
    code = code == FAKE_OK ? cuda_make_kernel_locked(call, &node, &work.u.kernel) : code;
    if (code == FAKE_OK && work.u.kernel.function->object.context != stream->object.context) {
        fake_violation_locked("%s: kernel and stream are of different contexts", call);
        fake_work_finish(&work);
        code = FAKE_INVALID_HANDLE;
    }
    code = code == FAKE_OK ? fake_queue_locked(stream, &work, call) : code;
    fake_unlock();
    return code;
}

// The stand-in's code for such a grid does all in its first block.
int fake_cu_launch_cooperative(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned shared_size, cu_stream handle,
                               void **params)
{
    if (grid_x > FAKE_RESIDENT_GRID) {
        fake_lock();
        fake_violation_locked("cuLaunchCooperativeKernel: %u blocks do not run at the same time", grid_x);
        fake_unlock();
        return FAKE_INVALID_VALUE;
    }
    return fake_cu_launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_size, handle, params,
                          NULL);
}

int fake_cu_node_set(cu_node handle, int attribute, const union cu_launch_value *value)
{
    static const char call[] = "cuGraphKernelNodeSetAttribute";
    ENTER(call, DEVICE);
    fake_lock();
    struct fake_node *node = fake_get_locked(handle, FAKE_NODE, call);
    int code = node == NULL ? FAKE_INVALID_HANDLE : FAKE_OK;
    if (code == FAKE_OK && (attribute != CU_LAUNCH_COOPERATIVE || value->cooperative != 1)) {
        fake_violation_locked("%s: the stand-in knows one attribute", call);
        code = FAKE_INVALID_VALUE;
    }
    fake_unlock();
    return code;
}

// ---- graphs ---------------------------------------------------------------------------------------------------------

int fake_cu_graph_create(cu_graph *out, unsigned flags)
{
    ENTER("cuGraphCreate", INIT);
    fake_lock();
    int code = flags == 0 ? FAKE_OK : FAKE_INVALID_VALUE;
    if (code == FAKE_OK) {
        *out = fake_handle(fake_graph_create_locked(fake_current()));
    }
    fake_unlock();
    return code;
}

int fake_cu_graph_destroy(cu_graph handle)
{
    ENTER_END("cuGraphDestroy", INIT);
    fake_lock();
    struct fake_graph *graph = fake_get_locked(handle, FAKE_GRAPH, "cuGraphDestroy");
    fake_graph_destroy_locked(graph, NULL);
    fake_unlock();
    LEAVE_END(graph != NULL ? FAKE_OK : FAKE_INVALID_HANDLE);
}

int fake_cu_graph_add_kernel(cu_node *out, cu_graph handle, const cu_node *after, size_t count,
                             const void *kernel)
{
    static const char call[] = "cuGraphAddKernelNode";
    ENTER(call, DEVICE);
    struct fake_work work = {.kind = FAKE_OP_KERNEL};
    fake_lock();
    struct fake_graph *graph = fake_get_locked(handle, FAKE_GRAPH, call);
    int code = graph == NULL ? FAKE_INVALID_HANDLE : cuda_make_kernel_locked(call, kernel, &work.u.kernel);
    if (code == FAKE_OK) {
        struct fake_node *node = fake_graph_add_locked(graph, &work, NULL, 0);
        for (size_t i = 0; i < count && code == FAKE_OK; i++) {
            struct fake_node *before = fake_get_locked(after[i], FAKE_NODE, call);
            code = before != NULL && before->graph == graph ? FAKE_OK : FAKE_INVALID_VALUE;
            if (code == FAKE_OK) {
                fake_node_after_locked(node, before);
            }
        }
        *out = fake_handle(node);
    }
    fake_unlock();
    return code;
}

// ---- copies and fills in graphs -----------------------------------------------------------------------------------

static int add_memory(const char *call, cu_node *out, cu_graph handle, const cu_node *after, size_t count,
                      struct fake_work *work)
{
    fake_lock();
    struct fake_graph *graph = fake_get_locked(handle, FAKE_GRAPH, call);
    int code = graph == NULL ? FAKE_INVALID_HANDLE : FAKE_OK;
    struct fake_node *node = graph != NULL ? fake_graph_add_locked(graph, work, NULL, 0) : NULL;
    for (size_t i = 0; i < count && code == FAKE_OK; i++) {
        struct fake_node *before = fake_get_locked(after[i], FAKE_NODE, call);
        code = before != NULL && before->graph == graph ? FAKE_OK : FAKE_INVALID_VALUE;
        if (code == FAKE_OK) {
            fake_node_after_locked(node, before);
        }
    }
    if (code == FAKE_OK) {
        *out = fake_handle(node);
    }
    fake_unlock();
    return code;
}

// False: the driver copies no ranges that overlap, none of more than one row, and nothing between it knows not what.
static bool make_copy(const struct cu_copy_node *node, struct fake_work *out)
{
    cu_address to = node->target.address;
    cu_address from = node->source.address;
    bool overlaps = to < from ? from - to < node->width : to - from < node->width;
    *out = (struct fake_work){.kind = FAKE_OP_COPY, .u.copy = {.target = to, .source = from, .size = node->width}};
    return !overlaps && node->width > 0 && node->height == 1 && node->depth == 1 &&
           node->source.kind == CU_MEMORY_UNIFIED && node->target.kind == CU_MEMORY_UNIFIED;
}

static bool make_fill(const struct cu_fill_node *node, struct fake_work *out)
{
    unsigned size = node->element_size;
    *out = (struct fake_work){.kind = FAKE_OP_FILL,
                              .u.fill = {.target = node->target,
                                         .value = node->value,
                                         .element_size = size,
                                         .count = node->width}};
    return (size == 1 || size == 2 || size == 4) && node->target % size == 0 && node->width > 0 && node->height == 1;
}

int fake_cu_graph_add_copy(cu_node *out, cu_graph graph, const cu_node *after, size_t count,
                           const struct cu_copy_node *copy, cu_context context)
{
    static const char call[] = "cuGraphAddMemcpyNode";
    ENTER(call, DEVICE);
    struct fake_work work;
    bool is_good = context != NULL && make_copy(copy, &work);
    return is_good ? add_memory(call, out, graph, after, count, &work) : FAKE_INVALID_VALUE;
}

int fake_cu_graph_add_fill(cu_node *out, cu_graph graph, const cu_node *after, size_t count,
                           const struct cu_fill_node *fill, cu_context context)
{
    static const char call[] = "cuGraphAddMemsetNode";
    ENTER(call, DEVICE);
    struct fake_work work;
    bool is_good = context != NULL && make_fill(fill, &work);
    return is_good ? add_memory(call, out, graph, after, count, &work) : FAKE_INVALID_VALUE;
}

int fake_cu_graph_handle(uint64_t *out, cu_graph handle, cu_context context, unsigned initial, unsigned flags)
{
    static const char call[] = "cuGraphConditionalHandleCreate";
    ENTER(call, DEVICE);
    fake_lock();
    int code = fake_get_locked(handle, FAKE_GRAPH, call) == NULL || fake_get_locked(context, FAKE_CONTEXT, call) == NULL
                   ? FAKE_INVALID_HANDLE
               : fake.version < 12030                       ? FAKE_NOT_SUPPORTED
               : fake.handle_count + 1 >= FAKE_HANDLE_LIMIT ? FAKE_OUT_OF_MEMORY
                                                            : FAKE_OK;
    if (code == FAKE_OK) {
        *out = (uint64_t)++fake.handle_count;
        fake.handles[*out] = (struct fake_handle_value){initial, initial, (flags & CU_HANDLE_HAS_DEFAULT) != 0};
    }
    fake_unlock();
    return code;
}

int fake_cu_graph_add_node(cu_node *out, cu_graph handle, const cu_node *after, size_t count,
                           struct cu_node_options *options)
{
    static const char call[] = "cuGraphAddNode";
    static _Thread_local cu_graph bodies[1]; // the caller reads it at once
    ENTER(call, DEVICE);
    struct fake_work nothing = {.kind = FAKE_OP_NOTHING};
    fake_lock();
    struct fake_graph *graph = fake_get_locked(handle, FAKE_GRAPH, call);
    bool is_good = graph != NULL && options->kind == CU_NODE_CONDITIONAL && options->u.condition.size == 1 &&
                   options->u.condition.handle - 1 < (uint64_t)fake.handle_count;
    struct fake_node *node = is_good ? fake_graph_add_locked(graph, &nothing, NULL, 0) : NULL;
    for (size_t i = 0; i < count && is_good; i++) {
        struct fake_node *before = fake_get_locked(after[i], FAKE_NODE, call);
        is_good = before != NULL && before->graph == graph;
        if (is_good) {
            fake_node_after_locked(node, before);
        }
    }
    if (is_good) {
        node->handle = options->u.condition.handle;
        node->is_loop = options->u.condition.kind == 1;
        node->child = fake_graph_create_locked(graph->object.context);
        node->child->object.is_internal = true;
        bodies[0] = fake_handle(node->child);
        options->u.condition.bodies = bodies;
        *out = fake_handle(node);
    }
    fake_unlock();
    return is_good ? FAKE_OK : FAKE_INVALID_VALUE;
}

int fake_cu_graph_instantiate(cu_exec *out, cu_graph handle, unsigned long long flags)
{
    static const char call[] = "cuGraphInstantiateWithFlags";
    ENTER(call, DEVICE);
    (void)flags;
    struct fake_context *context;
    fake_lock();
    int code = fake_need_context_locked(call, &context);
    code = code == FAKE_OK ? fake_unsafe_locked(call) : code; // it makes memory
    struct fake_graph *graph = code == FAKE_OK ? fake_get_locked(handle, FAKE_GRAPH, call) : NULL;
    if (graph != NULL) {
        struct fake_exec *exec = fake_alloc(sizeof *exec);
        exec->graph = fake_graph_clone_locked(graph);
        exec->graph->object.is_internal = true;
        exec->source = graph;
        fake_add_locked(exec, FAKE_EXEC, context);
        *out = fake_handle(exec);
    } else if (code == FAKE_OK) {
        code = FAKE_INVALID_HANDLE;
    }
    fake_unlock();
    return code;
}

// ---- what graphs keep -----------------------------------------------------------------------------------------------

int fake_cu_user_create(cu_user *out, void *user, cu_host_function *destroy, unsigned count, unsigned flags)
{
    ENTER("cuUserObjectCreate", DEVICE);
    struct fake_context *context;
    fake_lock();
    int code = fake_need_context_locked("cuUserObjectCreate", &context);
    code = code == FAKE_OK && (count == 0 || flags != CU_USER_NO_DESTRUCTOR_SYNC) ? FAKE_INVALID_VALUE : code;
    if (code == FAKE_OK) {
        struct fake_user *object = fake_alloc(sizeof *object);
        object->ref_count = (int)count;
        object->destroy = destroy;
        object->user = user;
        fake_add_locked(object, FAKE_USER, context);
        *out = fake_handle(object);
    }
    fake_unlock();
    return code;
}

int fake_cu_user_release(cu_user handle, unsigned count)
{
    ENTER_END("cuUserObjectRelease", DEVICE);
    fake_lock();
    struct fake_user *object = fake_get_locked(handle, FAKE_USER, "cuUserObjectRelease");
    if (object != NULL) {
        fake_user_release_locked(object, (int)count, NULL);
    }
    fake_unlock();
    LEAVE_END(object != NULL ? FAKE_OK : FAKE_INVALID_HANDLE);
}

int fake_cu_graph_retain(cu_graph handle, cu_user user_handle, unsigned count, unsigned flags)
{
    static const char call[] = "cuGraphRetainUserObject";
    ENTER(call, DEVICE);
    fake_lock();
    struct fake_graph *graph = fake_get_locked(handle, FAKE_GRAPH, call);
    struct fake_user *user = graph != NULL ? fake_get_locked(user_handle, FAKE_USER, call) : NULL;
    for (unsigned i = 0; user != NULL && i < count; i++) {
        user->ref_count += (flags & CU_GRAPH_USER_MOVE) == 0;
        fake_graph_keep_locked(graph, user);
    }
    fake_unlock();
    return user != NULL ? FAKE_OK : FAKE_INVALID_HANDLE;
}

// An executable graph is not safe for use from two threads at once.
static struct fake_exec *enter_exec(cu_exec handle, const char *call)
{
    fake_lock();
    struct fake_exec *exec = fake_get_locked(handle, FAKE_EXEC, call);
    int linger = fake.linger_us;
    if (exec != NULL && atomic_fetch_add(&exec->in_call, 1) > 0) {
        fake_violation_locked("%s: two threads use one executable graph at once", call);
    }
    fake_unlock();
    if (linger > 0) {
        usleep((useconds_t)linger);
    }
    return exec;
}

static void leave_exec(struct fake_exec *exec)
{
    if (exec != NULL) {
        atomic_fetch_sub(&exec->in_call, 1);
    }
}

// The node of the copy |own| that corresponds to |node| of |source|, also in the bodies of conditional nodes.
static struct fake_node *find_own(const struct fake_graph *source, const struct fake_graph *own,
                                  const struct fake_node *node)
{
    if (node->graph == source) {
        return node->position < own->node_count ? own->nodes[node->position] : NULL;
    }
    struct fake_node *found = NULL;
    for (int i = 0; i < own->node_count && i < source->node_count && found == NULL; i++) {
        if (own->nodes[i]->handle != 0) {
            found = find_own(source->nodes[i]->child, own->nodes[i]->child, node);
        }
    }
    return found;
}

static int set_kernel_locked(struct fake_exec *exec, cu_node handle, const struct cu_kernel_node *kernel)
{
    static const char call[] = "cuGraphExecKernelNodeSetParams";
    struct fake_node *node = fake_get_locked(handle, FAKE_NODE, call);
    struct fake_node *own = node != NULL ? find_own(exec->source, exec->graph, node) : NULL;
    if (own == NULL) {
        return FAKE_INVALID_VALUE;
    }
    struct fake_work work = {.kind = FAKE_OP_KERNEL};
    int code = cuda_make_kernel_locked(call, kernel, &work.u.kernel);
    if (code == FAKE_OK) {
        fake_work_finish(&own->work);
        own->work = work;
    }
    return code;
}

int fake_cu_exec_set_kernel(cu_exec handle, cu_node node, const void *kernel)
{
    ENTER("cuGraphExecKernelNodeSetParams", DEVICE);
    struct fake_exec *exec = enter_exec(handle, "cuGraphExecKernelNodeSetParams");
    fake_lock();
    int code = exec != NULL ? set_kernel_locked(exec, node, kernel) : FAKE_INVALID_HANDLE;
    fake_unlock();
    leave_exec(exec);
    return code;
}

static int set_memory(const char *call, cu_exec handle, cu_node node_handle, const struct fake_work *work)
{
    struct fake_exec *exec = enter_exec(handle, call);
    fake_lock();
    struct fake_node *node = exec != NULL ? fake_get_locked(node_handle, FAKE_NODE, call) : NULL;
    struct fake_node *own = node != NULL ? find_own(exec->source, exec->graph, node) : NULL;
    int code = own != NULL && own->work.kind == work->kind ? FAKE_OK : FAKE_INVALID_VALUE;
    if (code == FAKE_OK) {
        fake_work_finish(&own->work);
        own->work = *work;
    }
    fake_unlock();
    leave_exec(exec);
    return code;
}

int fake_cu_exec_set_copy(cu_exec exec, cu_node node, const struct cu_copy_node *copy, cu_context context)
{
    static const char call[] = "cuGraphExecMemcpyNodeSetParams";
    ENTER(call, DEVICE);
    struct fake_work work;
    bool is_good = context != NULL && make_copy(copy, &work);
    return is_good ? set_memory(call, exec, node, &work) : FAKE_INVALID_VALUE;
}

int fake_cu_exec_set_fill(cu_exec exec, cu_node node, const struct cu_fill_node *fill, cu_context context)
{
    static const char call[] = "cuGraphExecMemsetNodeSetParams";
    ENTER(call, DEVICE);
    struct fake_work work;
    bool is_good = context != NULL && make_fill(fill, &work);
    return is_good ? set_memory(call, exec, node, &work) : FAKE_INVALID_VALUE;
}

int fake_cu_exec_destroy(cu_exec handle)
{
    ENTER_END("cuGraphExecDestroy", INIT);
    struct fake_exec *exec = enter_exec(handle, "cuGraphExecDestroy");
    fake_lock();
    if (exec != NULL) {
        fake_remove_locked(exec);
        fake_graph_destroy_locked(exec->graph, exec->last);
        fake_op_release(exec->last);
        exec->last = NULL;
    }
    fake_unlock();
    leave_exec(exec);
    LEAVE_END(exec != NULL ? FAKE_OK : FAKE_INVALID_HANDLE);
}

int fake_cu_exec_launch(cu_exec handle, cu_stream stream_handle)
{
    static const char call[] = "cuGraphLaunch";
    ENTER(call, DEVICE);
    struct fake_exec *exec = enter_exec(handle, call);
    struct fake_stream *stream;
    fake_lock();
    int code = exec == NULL ? FAKE_INVALID_HANDLE : fake_stream_get_locked(stream_handle, call, &stream);
    if (code == FAKE_OK && !fake_same_context_locked(call, stream)) {
        code = FAKE_INVALID_CONTEXT;
    }
    code = code == FAKE_OK ? fake_graph_launch_locked(exec, stream, call) : code;
    fake_unlock();
    leave_exec(exec);
    return code;
}
