// Code that few launches need: the versions of tasks and of loops that run in order, for arguments that overlap. The
// driver takes as long to compile them as all the rest, so the image has them apart (plan/abi.h), and the first launch
// that needs one loads them all. Two launches may do that at the same time; the second gives back what it has loaded.
#include "backend/gpu/image.h"

#include "base/status.h"
#include "plan/abi.h"

#include <stdio.h>
#include <string.h>

struct gpu_late_module {
    void *module; // owned
    size_t size;  // of this
    void *entries[];
};

struct gpu_late {
    _Atomic(struct gpu_late_module *) loaded; // owned; NULL: not yet
    size_t code_size;
    char code[]; // terminated
};

size_t gpu_late_find(const void *code, size_t code_size, struct abi_gpu_late *out)
{
    memset(out, 0, sizeof *out);
    if (code_size > sizeof *out) {
        memcpy(out, (const char *)code + code_size - sizeof *out, sizeof *out);
    }
    bool is_one = memcmp(out->mark, ABI_GPU_LATE_MARK, sizeof out->mark) == 0 && out->first_size < out->offset &&
                  out->offset < code_size && out->size < code_size - out->offset;
    return is_one ? (size_t)out->first_size : code_size;
}

rill_status gpu_late_make(struct backend_image *image, const void *code, const struct abi_gpu_late *where)
{
    image->late = gpu_alloc(image->device, sizeof *image->late + where->size + 1);
    if (image->late == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an image");
    }
    image->late->code_size = where->size;
    memcpy(image->late->code, (const char *)code + where->offset, where->size);
    return RILL_OK;
}

static void unload(struct backend_device *device, struct gpu_late_module *loaded)
{
    if (loaded != NULL) {
        driver_module_unload(device->driver, loaded->module);
        gpu_free(device, loaded, loaded->size);
    }
}

void gpu_late_destroy(struct backend_image *image)
{
    if (image->late != NULL) {
        unload(image->device, atomic_load_explicit(&image->late->loaded, memory_order_acquire));
        gpu_free(image->device, image->late, sizeof *image->late + image->late->code_size + 1);
        image->late = NULL;
    }
}

static rill_status find_entries(const struct backend_image *image, struct gpu_late_module *made)
{
    const struct gpu_driver *driver = image->device->driver;
    for (int k = 0; k < image->plan->kernel_count; k++) {
        const struct gpu_kernel *kernel = &image->kernels[k];
        for (int i = 0; i < kernel->plan->task_count; i++) {
            const struct plan_task *task = &kernel->plan->tasks[i];
            const char *name = kernel->spare_tasks[i] ? task->entry : task->in_order;
            char symbol[512];
            if (name == NULL || *name == '\0') {
                continue;
            }
            if (!gpu_spell(driver, name, symbol, sizeof symbol)) {
                return status_fail(RILL_ERR_UNSUPPORTED, "the name of the entry '%.64s…' is too long", name);
            }
            RILL_TRY(driver_module_function(driver, made->module, symbol, &made->entries[kernel->first_task + i]));
        }
    }
    return RILL_OK;
}

static rill_status load(const struct backend_image *image, struct gpu_late_module **out_loaded)
{
    struct backend_device *device = image->device;
    struct gpu_late *late = image->late;
    size_t size = sizeof(struct gpu_late_module) + sizeof(void *) * (size_t)image->task_count;
    struct gpu_late_module *made = gpu_alloc(device, size);
    *out_loaded = NULL;
    if (made == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a module's versions in order");
    }
    made->size = size;
    rill_status status = device->driver->module_load(device->context, late->code, late->code_size, &made->module);
    status = status == RILL_OK ? find_entries(image, made) : status;
    if (status != RILL_OK) {
        unload(device, made);
        return status;
    }
    struct gpu_late_module *before = NULL;
    if (!atomic_compare_exchange_strong(&late->loaded, &before, made)) {
        unload(device, made);
        made = before;
    }
    *out_loaded = made;
    return RILL_OK;
}

rill_status gpu_late_entry(const struct backend_image *image, const struct gpu_kernel *kernel,
                           const struct plan_task *plan, void **out_entry)
{
    struct gpu_late_module *loaded = atomic_load_explicit(&image->late->loaded, memory_order_acquire);
    *out_entry = NULL;
    if (loaded == NULL) {
        RILL_TRY(load(image, &loaded));
    }
    *out_entry = loaded->entries[kernel->first_task + (plan - kernel->plan->tasks)];
    return RILL_OK;
}
