#include "backend/cpu/image.h"

#include "backend/cpu/exec.h"
#include "base/status.h"
#include "object/object.h"

#include <string.h>

static int blocks_of(const struct plan_node *node)
{
    int most = 0;
    if (node != NULL && node->kind == PLAN_REGION) {
        most = node->child_count;
    }
    for (int i = 0; node != NULL && i < node->child_count; i++) {
        int count = blocks_of(node->children[i]);
        most = count > most ? count : most;
    }
    return most;
}

static int only_task_of(const struct plan_node *node)
{
    node = plan_node_alone(node);
    return node != NULL && node->kind == PLAN_TASK ? node->task : -1;
}

struct resolution {
    image_resolver *resolve;
    void *user;
    const char *missing; // the first name that was not found
};

static abi_entry *find_entry(struct resolution *r, const char *name)
{
    if (name == NULL || *name == '\0') {
        return NULL;
    }
    void *address = r->resolve(r->user, name, false);
    if (address == NULL && r->missing == NULL) {
        r->missing = name;
    }
    // A function's address as the loader gives it, which C has no conversion for.
    union {
        void *object;
        abi_entry *function;
    } cast = {.object = address};
    return cast.function;
}

static void find_kernel(struct backend_image *image, struct resolution *r, const struct plan_kernel *plan,
                        struct cpu_kernel *kernel)
{
    kernel->plan = plan;
    kernel->only_task = only_task_of(plan->root);
    kernel->depth = plan_depth(plan->root) + 2;
    kernel->block_count = blocks_of(plan->root);
    kernel->tasks = ARENA_ARRAY(&image->arena, struct cpu_task, plan->task_count > 0 ? plan->task_count : 1);
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        kernel->tasks[i].entry = find_entry(r, task->entry);
        kernel->tasks[i].in_order = find_entry(r, task->in_order);
        kernel->tasks[i].finish = find_entry(r, task->finish);
        if (kernel->tasks[i].entry == NULL && r->missing == NULL) {
            r->missing = task->name;
        }
        kernel->partial_size = task->partial_size > kernel->partial_size ? task->partial_size : kernel->partial_size;
    }
}

static void find_all(struct backend_image *image, struct resolution *r)
{
    const struct plan_module *plan = image->plan;
    image->kernels = ARENA_ARRAY(&image->arena, struct cpu_kernel, plan->kernel_count > 0 ? plan->kernel_count : 1);
    for (int i = 0; i < plan->kernel_count; i++) {
        find_kernel(image, r, plan->kernels[i], &image->kernels[i]);
    }
    size_t field_count = plan->field_count > 0 ? (size_t)plan->field_count : 1;
    image->field_addresses = ARENA_ARRAY(&image->arena, uint64_t, field_count);
    image->field_sizes = ARENA_ARRAY(&image->arena, uint64_t, field_count);
    for (int i = 0; i < plan->field_count; i++) {
        void *address = r->resolve(r->user, plan->fields[i].name, true);
        if (address == NULL && r->missing == NULL) {
            r->missing = plan->fields[i].name;
        }
        image->field_addresses[i] = (uint64_t)(uintptr_t)address;
        image->field_sizes[i] = plan->fields[i].size;
    }
    for (int i = 0; i < plan->piece_count; i++) {
        const struct plan_piece *piece = &plan->pieces[i];
        unsigned char *address = r->resolve(r->user, piece->symbol, true);
        if (address != NULL) {
            memcpy(address + piece->offset, piece->bytes, piece->size);
        } else if (r->missing == NULL) {
            r->missing = piece->symbol;
        }
    }
}

rill_status image_create(struct backend_device *device, const struct plan_module *plan, image_resolver *resolve,
                         void *user, struct backend_image **out_image)
{
    *out_image = NULL;
    struct backend_image *image = device_alloc(device, sizeof *image, 16);
    if (image == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an image");
    }
    image->device = device;
    image->plan = plan;
    image->number = atomic_fetch_add_explicit(&device->image_count, 1, memory_order_relaxed) + 1;
    arena_init(&image->arena);
    jmp_buf escape;
    image->arena.escape = &escape;
    struct resolution resolution = {.resolve = resolve, .user = user};
    if (setjmp(escape) != 0) {
        image_unload(image);
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an image");
    }
    find_all(image, &resolution);
    image->arena.escape = NULL;
    if (resolution.missing != NULL) {
        rill_status status = status_fail(RILL_ERR_INVALID, "the image lacks the symbol '%s'", resolution.missing);
        image_unload(image);
        return status;
    }
    *out_image = image;
    return RILL_OK;
}

// ---- loading ------------------------------------------------------------------------------------------------------

// The C library's own functions come first, so that a program which happens to define one of their names does not get
// called by kernels. What is left, the sanitizers' runtime for one, the process knows.
static void *resolve_outside(void *user, const char *name)
{
    const struct dylib *libraries = user;
    for (int i = 0; i < IMAGE_LIBRARY_COUNT; i++) {
        void *address = libraries[i].handle != NULL ? dylib_symbol(&libraries[i], name) : NULL;
        if (address != NULL) {
            return address;
        }
    }
    return dylib_process_symbol(name);
}

static void *resolve_inside(void *user, const char *name, bool is_field)
{
    (void)is_field;
    return object_symbol(user, name);
}

static void open_libraries(struct dylib *libraries)
{
    static const char *const names[IMAGE_LIBRARY_COUNT] = {"libm.so.6", "libmvec.so.1", "libc.so.6"};
    char error[256]; // one that is missing shows as a symbol that nobody defines
    for (int i = 0; i < IMAGE_LIBRARY_COUNT; i++) {
        dylib_open(&libraries[i], names[i], error, sizeof error);
    }
}

static void close_libraries(struct dylib *libraries)
{
    for (int i = 0; i < IMAGE_LIBRARY_COUNT; i++) {
        dylib_close(&libraries[i]);
    }
}

rill_status image_load(struct backend_device *device, const struct plan_module *plan, const void *code,
                       size_t code_size, struct backend_image **out_image)
{
    *out_image = NULL;
    struct dylib libraries[IMAGE_LIBRARY_COUNT] = {{0}};
    open_libraries(libraries);
    struct object_options options = {.name = "the module's code", .resolve = resolve_outside, .user = libraries};
    struct object *object = NULL;
    rill_status status = object_load(code, code_size, &options, &object);
    if (status == RILL_OK) {
        status = image_create(device, plan, resolve_inside, object, out_image);
    }
    if (status != RILL_OK) {
        object_unload(object);
        close_libraries(libraries);
        return status;
    }
    (*out_image)->object = object;
    for (int i = 0; i < IMAGE_LIBRARY_COUNT; i++) {
        (*out_image)->libraries[i] = libraries[i];
    }
    return RILL_OK;
}

void image_unload(struct backend_image *image)
{
    if (image == NULL) {
        return;
    }
    object_unload(image->object);
    close_libraries(image->libraries);
    arena_finish(&image->arena);
    device_free(image->device, image, sizeof *image);
}

void *image_field(const struct backend_image *image, int field)
{
    return (void *)(uintptr_t)image->field_addresses[field];
}

void image_describe(const struct backend_image *image, int kernel, struct backend_kernel *out)
{
    const struct cpu_kernel *own = &image->kernels[kernel];
    out->own = own;
    out->depth = own->depth;
    out->block_count = own->block_count;
    out->partial_size = own->partial_size;
}
