// A context inside: its device, its handles, and what its parts share. A call enters the context that a handle names,
// pins the objects it works with, and leaves; closing waits until every call has left.
#ifndef RILL_RUNTIME_CONTEXT_H
#define RILL_RUNTIME_CONTEXT_H

#include "backend/backend.h"
#include "base/handle.h"
#include "base/thread.h"
#include "rill/rill.h"
#include "runtime/pool.h"

#include <stdatomic.h>
#include <sys/types.h>

// What a handle can name: X(NAME, "words").
#define OBJECT_KIND_LIST(X)                                                                                            \
    X(CONTEXT, "context")                                                                                              \
    X(MODULE, "module")                                                                                                \
    X(KERNEL, "kernel")                                                                                                \
    X(ARRAY, "array")                                                                                                  \
    X(STREAM, "stream")                                                                                                \
    X(EVENT, "event")                                                                                                  \
    X(STEP, "step")                                                                                                    \
    X(VARIANTS, "variants")

enum object_kind {
#define OBJECT_KIND_ENUM(name, words) KIND_##name,
    OBJECT_KIND_LIST(OBJECT_KIND_ENUM)
#undef OBJECT_KIND_ENUM
};

struct cache;
struct callback_thread;
struct stream;
struct compiler_table;
struct loaded_file;
struct host_block;
struct order;
struct opened_package;

enum { PACKAGE_BUCKETS = 32 };

struct context {
    // What each launch looks at, side by side.
    uint32_t serial; // the number of its handle table: part of every id
    pid_t pid;
    const struct backend *backend;
    rill_status (*launch)(struct backend_stream *stream, const struct backend_launch *launch); // the back end's
    struct backend_device *device;                                                             // owned
    volatile char *fork_mark;   // where a forked child finds 0, on a page of its own or |own_mark|; NULL: compare |pid|
    volatile char own_mark;     // of the first context: see context.c
    atomic_bool sleeps;         // all threads of the device do: a launch finds nothing in the caches
    atomic_int recording_count; // steps that threads record: see record.h
    uint64_t default_stream;    // its id
    struct order *order;        // owned; NULL: the program orders its streams itself
    struct handle_table handles;

    char device_name[32];
    int thread_count; // constant: as the program asked; 0: as the device has

    rill_allocator allocator;
    rill_log_callback log;
    void *log_user;
    rill_print_callback print;
    void *print_user;
    struct thread_mutex log_lock; // one call of the log at a time
    bool has_notes;               // the default log shows notes
    bool is_traced;               // RILL_TRACE asks for a file, which has them too

    struct stream_pool stream_pool;

    struct thread_mutex lock;       // of what follows
    struct stream *streams;         // every stream whose work may not have run yet, the oldest first: who waits for all
    struct stream *last_stream;     // in that order waits while the younger ones still run
    uint64_t stream_number;         // of the youngest
    struct stream **stream_buckets; // owned: the same streams by id; see stream_list.c
    size_t bucket_count;            // a power of two, or 0
    size_t listed_count;            // of these streams
    struct stream *used_streams;    // those of them that may be busy, in the order in which they began to be used
    struct stream *last_used;       //
    uint64_t use_number;            // of the last one
    size_t used_count;              // of them
    struct loaded_file *files;      // owned: what rill_kernel_load() has loaded; guarded by load_lock
    rill_status unreported_status;  // a failure found where no call could return it
    char unreported_text[512];      //
    char trace_failure[512];        // why RILL_TRACE could not be written, for who closes; "": it could
    bool is_left;                   // every call has left a closed context
    struct thread_cond left;

    struct thread_mutex host_lock;  // of what follows
    struct host_block *host_blocks; // owned: what rill_host_alloc() gave out and nobody has freed
    struct host_block *host_idle;   // owned: freed, and no work uses it any more; see host_memory.c

    struct thread_mutex scratch_lock;                // of what streams lend to their launches
    struct thread_mutex wrap_lock;                   // one rill_stream_wrap() at a time
    struct thread_mutex load_lock;                   // of |files|
    atomic_bool is_open;                             // all of it is made
    struct callback_thread *callbacks;               // owned
    _Atomic(const struct compiler_table *) compiler; // NULL until the first compile
    struct cache *cache;                             // owned: compiles on disk; NULL: there is none

    _Atomic(struct opened_package *) packages[PACKAGE_BUCKETS]; // owned: see package.c

    _Atomic uint64_t ahead_count;
    _Atomic uint64_t ahead_compiled_count;
    _Atomic uint64_t lane_number; // of the last stream that a step has made for itself
    _Atomic uint64_t stream_count;
    _Atomic uint64_t array_count;
    _Atomic uint64_t array_size;
    _Atomic uint64_t module_count;
};

// Finds the context of |id|, which is a handle of |kind|, and enters it. |who| begins the message of a failure.
rill_status context_enter(const char *who, uint64_t id, enum object_kind kind, struct context **out_context);
void context_leave(struct context *context);
// The same for a call that threads make at the same time, each with a |stripe| of its own: nothing is written that the
// others read.
rill_status context_enter_striped(const char *who, uint64_t id, enum object_kind kind, unsigned stripe,
                                  struct context **out_context);
void context_leave_striped(struct context *context, unsigned stripe);

// The default stream of the only context that is open in this process, for a call that names no context;
// RILL_ERR_INVALID with words where there are several or none.
rill_status context_only(const char *who, uint64_t *out_default_stream);

// Pins what context_pin() could not pin at once, or says why not. Never part of its callers: what a call saves to make
// room for it would be saved by each that succeeds too.
rill_status context_pin_slowly(struct context *context, const char *who, uint64_t id, enum object_kind kind,
                               void **out_object) __attribute__((noinline));

// Pins an object of a context that was entered. Inline, as a launch comes here for everything that it names.
static inline rill_status context_pin(struct context *context, const char *who, uint64_t id, enum object_kind kind,
                                      void **out_object)
{
    if (LIKELY(handle_table_of(id) == context->serial &&
               handle_pin_at_once(&context->handles, handle_in_table(id), (int)kind, out_object))) {
        return RILL_OK;
    }
    return context_pin_slowly(context, who, id, kind, out_object);
}

static inline void context_unpin(struct context *context, uint64_t id)
{
    handle_unpin(&context->handles, handle_in_table(id));
}

// What a call does that names one object: enters the context of |id| and pins the object; and back, with what the call
// returns.
rill_status context_begin(const char *who, uint64_t id, enum object_kind kind, struct context **out_context,
                          void **out_object);
rill_status context_end(struct context *context, uint64_t id, rill_status status);

// Makes the handle stale; the caller keeps a pin.
rill_status context_retire(struct context *context, const char *who, uint64_t id, enum object_kind kind,
                           void **out_object);
// A handle for a new object; 0, with a message, if there is none left.
uint64_t context_add(struct context *context, const char *who, void *object, enum object_kind kind);

rill_context context_handle(const struct context *context);

void *context_alloc(struct context *context, size_t size); // zeroed; NULL: no memory
void context_free(struct context *context, void *memory, size_t size);

void context_log(struct context *context, rill_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Keeps a failure for the next rill_sync() or rill_close(), and logs it.
void context_note_failure(struct context *context, rill_status status, const char *text);

// RILL_OK, or the code and message for an option or out-parameter that is NULL.
rill_status context_check_out(const char *who, const void *out, const char *name);

// Prefixes the thread's message with |who|: what a lower layer wrote does not know its caller.
rill_status context_prefix(const char *who, rill_status status) __attribute__((noinline, cold));
static inline rill_status context_fail_as(const char *who, rill_status status)
{
    return LIKELY(status == RILL_OK) ? RILL_OK : context_prefix(who, status);
}

// host_memory.c: nothing that is queued uses any of it.
void host_memory_finish(struct context *context);
// Gives what was freed and is idle back to the device, which may wait.
void host_memory_collect(struct context *context);

const char *kind_words(enum object_kind kind);

// The thread's message, to be put back by what runs on the way out of a scope: the failure that led there is what the
// caller asks for.
struct saved_message {
    char text[4096];
};
void context_save_message(struct saved_message *message);
void context_restore_message(const struct saved_message *message);

// host.c
extern const rill_allocator host_allocator; // the C library's
void host_describe(struct context *context, struct backend_host *out_host);

// device.c: the device that rill_open() is asked for.
rill_status device_find(const char *device, const struct backend **out_backend, size_t *out_index);

#endif
