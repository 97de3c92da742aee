// A loaded module on the CPU: where its entries and fields are.
#ifndef RILL_BACKEND_CPU_IMAGE_H
#define RILL_BACKEND_CPU_IMAGE_H

#include "backend/backend.h"
#include "base/dylib.h"
#include "plan/abi.h"

#include <stdatomic.h>

struct object;

enum { IMAGE_LIBRARY_COUNT = 3 };

struct cpu_task {
    abi_entry *entry;    // NULL: the task has none
    abi_entry *in_order; //
    abi_entry *finish;   //
    // Picoseconds that a simple operation took when the task was last measured; 0: never. Only who is woken depends on
    // it.
    _Atomic uint64_t pace;
};

struct cpu_kernel {
    const struct plan_kernel *plan; // borrowed
    struct cpu_task *tasks;
    int only_task;         // all that the kernel is; -1: there is more to it, or nothing
    int depth;             // see struct backend_kernel
    int block_count;       //
    uint64_t partial_size; //
};

struct backend_image {
    struct backend_device *device;               // borrowed
    const struct plan_module *plan;              // borrowed
    struct arena arena;                          // holds what follows
    struct object *object;                       // owned; NULL in tests that give functions of their own
    struct dylib libraries[IMAGE_LIBRARY_COUNT]; // where the code finds its mathematics; open as long as it is loaded
    struct cpu_kernel *kernels;
    uint64_t number; // of the device's images, from 1
    uint64_t *field_addresses;
    uint64_t *field_sizes;
};

// Finds entry |name| of the plan, or field |name|; NULL: there is none.
typedef void *image_resolver(void *user, const char *name, bool is_field);

// An image from functions that |resolve| knows: image_load after placing the code, and tests.
rill_status image_create(struct backend_device *device, const struct plan_module *plan, image_resolver *resolve,
                         void *user, struct backend_image **out_image);
rill_status image_load(struct backend_device *device, const struct plan_module *plan, const void *code,
                       size_t code_size, struct backend_image **out_image);
void image_unload(struct backend_image *image);
void *image_field(const struct backend_image *image, int field);
void image_describe(const struct backend_image *image, int kernel, struct backend_kernel *out);

#endif
