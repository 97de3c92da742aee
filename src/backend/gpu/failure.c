// What a launch left in its frame: a failure, and text.
#include "backend/gpu/image.h"

#include "base/format.h"
#include "base/status.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 1 << 20 }; // of one %s without a precision

// ---- failures -----------------------------------------------------------------------------------------------------

static void report(struct backend_stream *stream, const struct gpu_frame_watch *watch)
{
    const struct abi_gpu_frame *frame = watch->frame;
    const struct plan_kernel *kernel = watch->image->plan->kernels[watch->kernel];
    struct plan_values values = {.kernel = kernel, .args = watch->args, .array_sizes = watch->array_sizes};
    struct backend_failure failure = {.module = watch->image->plan,
                                      .kernel = kernel,
                                      .values = &values,
                                      .kind = frame->kind,
                                      .file = frame->file,
                                      .line = frame->line,
                                      .column = frame->column,
                                      .text = frame->text,
                                      .iteration = frame->iteration,
                                      .index = frame->index,
                                      .extent = frame->extent,
                                      .stream = stream->id};
    struct backend_error error;
    backend_describe_failure(&failure, &error);
    gpu_count(&stream->device->counters.launch_failed_count);
    gpu_device_remark(stream->device, error.text);
    if (watch->caller != NULL) {
        *watch->caller = error;
    } else {
        gpu_stream_fail(stream, &error);
    }
}

// ---- printing -----------------------------------------------------------------------------------------------------

struct piece {
    int64_t task; // which of the launch's printing tasks
    int64_t iteration;
    uint64_t offset; // of the record
};

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a;
    const struct piece *y = b;
    if (x->task != y->task) {
        return x->task < y->task ? -1 : 1;
    }
    if (x->iteration != y->iteration) {
        return x->iteration < y->iteration ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool append_record(struct str *out, const char *base, const struct abi_gpu_print *record, struct arena *arena)
{
    const char *format = base + sizeof *record;
    const uint64_t *given = (const uint64_t *)(format + record->format_size);
    uint64_t *args = ARENA_ARRAY(arena, uint64_t, record->arg_count + 1);
    memcpy(args, given, record->arg_count * sizeof *args);
    // A string's value is where its text begins in the record.
    const char *at = format;
    struct format_item item;
    uint32_t used = 0;
    while (format_next(&at, &item) == FORMAT_ITEM) {
        for (int i = 0; !item.is_literal && i < item.arg_count && used < record->arg_count; i++, used++) {
            if (item.args[i] == FORMAT_TEXT && args[used] < record->size) {
                args[used] = (uint64_t)(uintptr_t)(base + args[used]);
            }
        }
    }
    return format_printf(out, format, args, (int)record->arg_count, TEXT_LIMIT);
}

static bool is_whole(const struct abi_gpu_print *record, uint64_t left)
{
    return record->size >= sizeof *record && record->size % 8 == 0 && record->size <= left && record->published == 1 &&
           record->format_size <= record->size - sizeof *record &&
           record->arg_count <= (record->size - sizeof *record - record->format_size) / 8;
}

// Records of one task come in any order; an iteration's own in its order.
static void print_all(struct backend_stream *stream, const struct gpu_frame_watch *watch, struct arena *arena)
{
    const struct abi_gpu_frame *frame = watch->frame;
    const char *buffer = (const char *)(frame + 1);
    uint64_t end = frame->print_used < frame->print_size ? frame->print_used : frame->print_size;
    VEC(struct piece) pieces = {0};
    size_t task = 0;
    for (uint64_t at = 0; end - at >= sizeof(struct abi_gpu_print);) {
        const struct abi_gpu_print *record = (const struct abi_gpu_print *)(buffer + at);
        if (!is_whole(record, end - at)) {
            break;
        }
        while (task < watch->print_end_count && at >= watch->print_ends[task]) {
            task++;
        }
        VEC_PUSH(arena, &pieces, (struct piece){(int64_t)task, record->iteration, at});
        at += record->size;
    }
    if (pieces.count > 1) {
        qsort(pieces.items, (size_t)pieces.count, sizeof *pieces.items, compare_pieces);
    }
    struct str text;
    str_init(&text, arena);
    for (int i = 0; i < pieces.count; i++) {
        const char *base = buffer + pieces.items[i].offset;
        append_record(&text, base, (const struct abi_gpu_print *)base, arena);
    }
    struct backend_device *device = stream->device;
    thread_lock(&device->print_lock);
    if (text.length > 0) {
        device->host.print(device->host.user, text.text, text.length);
    }
    thread_unlock(&device->print_lock);
}

// Nobody shall have to look at a counter to learn that text is missing.
static void say_lost(struct backend_device *device, const struct gpu_frame_watch *watch)
{
    const struct abi_gpu_frame *frame = watch->frame;
    if (frame->print_lost == 0) {
        return;
    }
    atomic_fetch_add(&device->counters.print_lost_count, frame->print_lost);
    backend_log(&device->host, BACKEND_LOG_WARNING,
                "kernel '%s': %llu of its printf calls are lost, because a launch has %llu bytes for them",
                watch->image->plan->kernels[watch->kernel]->name, (unsigned long long)frame->print_lost,
                (unsigned long long)frame->print_size);
}

static void print(struct backend_stream *stream, const struct gpu_frame_watch *watch)
{
    struct arena arena;
    jmp_buf escape;
    arena_init(&arena);
    arena.escape = &escape;
    if (setjmp(escape) == 0) {
        print_all(stream, watch, &arena);
    } else {
        gpu_count(&stream->device->counters.print_lost_count);
        backend_log(&stream->device->host, BACKEND_LOG_WARNING,
                    "kernel '%s': what it printed is lost for want of memory",
                    watch->image->plan->kernels[watch->kernel]->name);
    }
    arena_finish(&arena);
    say_lost(stream->device, watch);
}

void gpu_frame_look(struct backend_stream *stream, const struct gpu_frame_watch *watch)
{
    if (atomic_load(&stream->device->is_lost)) {
        return; // what is there was not written by the device
    }
    if (watch->frame->print_used > 0) {
        print(stream, watch);
    }
    if (watch->frame->published != 0) {
        report(stream, watch);
    }
}
