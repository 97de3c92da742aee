#ifndef RILL_RUNTIME_ARRAY_H
#define RILL_RUNTIME_ARRAY_H

#include "runtime/callback.h"
#include "runtime/context.h"
#include "runtime/retire.h"
#include "runtime/stream_set.h"

// Memory that arrays share: an array and its views.
struct memory {
    struct retirement retirement; // first
    struct callback callback;     // of the release of wrapped memory
    struct context *context;      // borrowed
    atomic_int reference_count;
    struct stream_set users; // whom it waits for before it is given back
    void *address;
    size_t size;
    bool is_wrapped;
    void (*release)(void *user, void *memory);
    void *user;
    struct memory *next_forgotten; // see order_forget()
};

struct array {
    struct context *context; // borrowed
    struct memory *memory;   // one reference
    uint64_t id;
    char *address; // whoever queues work that uses it calls array_note_use()
    rill_type type;
    size_t element_size;
    size_t size;           // bytes
    _Atomic uint64_t user; // a stream that is known to be among the memory's users: the only one, as a rule; 0: none
    rill_shape shape;
    size_t count; // elements
};

// Notes that work on the stream uses the array, which is pinned. Inline, as a launch comes here for each array.
void array_add_user(struct array *array, uint64_t stream) __attribute__((noinline));
static inline void array_note_use(struct array *array, uint64_t stream)
{
    if (atomic_load_explicit(&array->user, memory_order_relaxed) != stream &&
        !stream_set_has_at_once(&array->memory->users, stream)) {
        array_add_user(array, stream);
    }
}
// The same for a handle, which may be RILL_CURRENT.
void array_note_use_on(struct array *array, rill_stream stream);

void array_dispose(struct array *array);

// "[100][20]" into |out|.
void array_shape_text(const rill_shape *shape, char *out, size_t size);
size_t array_type_size(rill_type type); // 0 for RILL_RECORD and for no type
const char *array_type_name(rill_type type);

// Queues a copy from or to the host, as rill_array_read and rill_array_write do it.
rill_status array_read_bytes(const char *who, struct context *context, rill_stream stream, void *host,
                             const void *address, size_t size);
rill_status array_write_bytes(const char *who, struct context *context, rill_stream stream, void *address,
                              const void *host, size_t size);
// Queues a copy on a stream and does not wait.
rill_status array_copy_later(const char *who, struct context *context, rill_stream stream, void *target,
                             const void *source, size_t size);

#endif
