// Operations that cannot go to the driver yet: they stand behind a callback that has not returned, or behind a wait for
// a record that stands there itself. Nothing on the device ever waits for the host, because a driver's call may wait
// for the device (loading a module does), and a callback may make it. What is put off is issued in order by the back
// end's own thread.
#ifndef RILL_BACKEND_GPU_DEFER_H
#define RILL_BACKEND_GPU_DEFER_H

#include "backend/gpu/device.h"

enum gpu_op_kind { GPU_OP_LAUNCH, GPU_OP_COPY, GPU_OP_FILL, GPU_OP_RECORD, GPU_OP_WAIT, GPU_OP_NOTIFY };

struct gpu_copy {
    void *target;
    const void *source;
    size_t size;
    enum backend_read read;
};

struct gpu_op {
    struct gpu_op *next;
    size_t size; // of this memory
    enum gpu_op_kind kind;
    bool has_stood; // WAIT: everything before was issued, and the stream stood here
    union {
        struct backend_launch launch; // its arguments lie behind the op
        struct gpu_copy copy;
        struct {
            void *target;
            size_t count;
            size_t size;
        } fill;
        struct gpu_mark *mark; // one reference
        struct {
            struct gpu_notice *notice; // owned
            bool hold;
        } notify;
    } u;
    _Alignas(16) unsigned char data[];
};

// Whether what is queued now must be put off. |order| is held.
static inline bool gpu_defers(struct backend_stream *stream)
{
    return stream->first_op != NULL || atomic_load(&stream->is_held);
}
// Puts an operation off. |order| is held.
rill_status gpu_defer(struct backend_stream *stream, const struct gpu_op *like, const void *data, size_t data_size);
rill_status gpu_defer_launch(struct backend_stream *stream, const struct backend_launch *launch);
// Whether as many launches are put off as a stream may have; and waits, counted, until one of them is issued. |order|
// is held for the first and not for the second.
bool gpu_defer_is_full(struct backend_stream *stream);
void gpu_defer_wait_for_room(struct backend_stream *stream);

// How far the host is with a stream: operations that were put off and callbacks that have not returned.
struct gpu_progress {
    uint64_t op_count;
    uint64_t hold_count;
};
struct gpu_progress gpu_progress_wanted(struct backend_stream *stream);
bool gpu_progress_is_made(struct backend_stream *stream, struct gpu_progress wanted);
void gpu_progress_wait(struct backend_stream *stream, struct gpu_progress wanted);

// Issues what can be issued on all streams; on the back end's own thread.
void gpu_pump(struct backend_device *device);
// Something has changed that streams may stand before.
void gpu_wake_pump(struct backend_device *device);

// The operations themselves; |order| is held.
// A failure names the kernel in its words, and leaves in has_begun whether some of it runs all the same.
rill_status gpu_launch_now(struct backend_stream *stream, const struct backend_launch *launch);
// Gives the failure, whose words are the thread's message, to the launch's caller or, if it has none, to the stream.
void gpu_launch_fail(struct backend_stream *stream, const struct backend_launch *launch, rill_status status,
                     bool was_returned);
rill_status gpu_copy_now(struct backend_stream *stream, const struct gpu_copy *copy);
// The same as part of a larger operation. |out_has_begun|: something of the target will change though the rest failed.
rill_status gpu_copy_queue(struct backend_stream *stream, const struct gpu_copy *copy, bool *out_has_begun);
// The width of a memset that makes the element again and again; 0: there is none.
int gpu_fill_width(const void *bytes, size_t size, uint32_t *out_value);
rill_status gpu_fill_now(struct backend_stream *stream, void *target, size_t count, const void *element, size_t size);
rill_status gpu_record_now(struct backend_stream *stream, struct gpu_mark *mark);
rill_status gpu_wait_now(struct backend_stream *stream, struct gpu_mark *mark, bool has_stood);
rill_status gpu_notify_now(struct backend_stream *stream, struct gpu_notice *notice, bool hold);

#endif
