// The GPU back end for the tables of vendors: they fill in how devices are found, the rest is the same for all.
#ifndef RILL_BACKEND_GPU_GPU_H
#define RILL_BACKEND_GPU_GPU_H

#include "backend/gpu/driver.h"

rill_status gpu_device_open(const struct gpu_driver *driver, size_t index, const struct backend_host *host,
                            struct backend_device **out_device);
void gpu_device_close(struct backend_device *device);
void gpu_device_trim(struct backend_device *device);
void *gpu_device_enter(struct backend_device *device);
void gpu_device_leave(struct backend_device *device, void *before);
void gpu_device_flush(struct backend_device *device);
void gpu_device_remark(struct backend_device *device, const char *text);
void gpu_device_release_idle(struct backend_device *device);
void gpu_device_stats(struct backend_device *device, struct backend_stats *out_stats);
const char *gpu_device_target(const struct backend_device *device);
bool gpu_device_has(const struct backend_device *device, enum backend_capability capability);
rill_status gpu_memory_create(struct backend_device *device, uint64_t size, void **out_address);
void gpu_memory_destroy(struct backend_device *device, void *address, uint64_t size);
rill_status gpu_host_memory_create(struct backend_device *device, uint64_t size, void **out_memory);
void gpu_host_memory_destroy(struct backend_device *device, void *memory, uint64_t size);

rill_status gpu_image_load(struct backend_device *device, const struct plan_module *plan, const void *code,
                           size_t code_size, struct backend_image **out_image);
void gpu_image_unload(struct backend_image *image);
void *gpu_image_field(const struct backend_image *image, int field);

rill_status gpu_stream_create(struct backend_device *device, int priority, uint64_t id,
                              struct backend_stream **out_stream);
rill_status gpu_stream_wrap(struct backend_device *device, void *native, uint64_t id,
                            struct backend_stream **out_stream);
rill_status gpu_stream_native(struct backend_stream *stream, void **out_native);
rill_status gpu_stream_may_wait(struct backend_stream *stream, bool asks);
rill_status gpu_stream_capture_memory(struct backend_stream *stream, uint64_t size, bool *out_is_captured,
                                      void **out_memory);
void gpu_stream_destroy(struct backend_stream *stream);
void gpu_stream_synchronize(struct backend_stream *stream);
bool gpu_stream_is_idle(struct backend_stream *stream);
bool gpu_stream_is_quiet(struct backend_stream *stream);
bool gpu_stream_error(struct backend_stream *stream, struct backend_error *out_error);
void gpu_stream_clear_error(struct backend_stream *stream);
rill_status gpu_stream_wait(struct backend_stream *stream, struct backend_stream *other);

rill_status gpu_launch(struct backend_stream *stream, const struct backend_launch *launch);
rill_status gpu_copy(struct backend_stream *stream, void *target, const void *source, size_t size,
                     enum backend_read read);
rill_status gpu_copy_from(struct backend_stream *stream, void *target, struct backend_device *source_device,
                          const void *source, size_t size);
rill_status gpu_fill(struct backend_stream *stream, void *target, size_t count, const void *element, size_t size);
rill_status gpu_batch_queue(struct backend_stream *stream, struct backend_batch **batch,
                            const struct backend_parts *parts, bool *out_is_done);
void gpu_batch_destroy(struct backend_batch *batch);
rill_status gpu_notify(struct backend_stream *stream, backend_notice *notice, void *arg, bool hold);
void gpu_proceed(struct backend_stream *stream);

rill_status gpu_event_create(struct backend_device *device, bool has_time, struct backend_event **out_event);
void gpu_event_destroy(struct backend_event *event);
rill_status gpu_event_record(struct backend_event *event, struct backend_stream *stream);
bool gpu_event_is_recorded(struct backend_event *event);
rill_status gpu_event_wait(struct backend_event *event, struct backend_stream *stream);
bool gpu_event_synchronize(struct backend_event *event, struct backend_error *out_error);
bool gpu_event_is_reached(struct backend_event *event);
bool gpu_event_is_past(struct backend_event *event, const struct backend_stream *stream);
rill_status gpu_event_elapsed(struct backend_event *begin, struct backend_event *end, double *out_milliseconds);

// The members of a back end's table that every vendor has alike.
#define GPU_BACKEND_OPERATIONS                                                                                         \
    .device_close = gpu_device_close, .device_release_idle = gpu_device_release_idle, .device_trim = gpu_device_trim,  \
    .device_enter = gpu_device_enter, .device_leave = gpu_device_leave, .device_flush = gpu_device_flush,              \
    .device_remark = gpu_device_remark, .device_stats = gpu_device_stats, .device_target = gpu_device_target,          \
    .device_has = gpu_device_has, .has_own_memory = true, .memory_create = gpu_memory_create,                          \
    .host_memory_create = gpu_host_memory_create, .host_memory_destroy = gpu_host_memory_destroy,                      \
    .memory_destroy = gpu_memory_destroy, .image_load = gpu_image_load, .image_unload = gpu_image_unload,              \
    .image_field = gpu_image_field, .image_describe = backend_no_describe, .stream_create = gpu_stream_create,         \
    .stream_wrap = gpu_stream_wrap, .stream_native = gpu_stream_native, .stream_may_wait = gpu_stream_may_wait,        \
    .stream_capture_memory = gpu_stream_capture_memory, .stream_destroy = gpu_stream_destroy,                          \
    .stream_synchronize = gpu_stream_synchronize, .stream_help = backend_no_help,                                      \
    .stream_is_idle = gpu_stream_is_idle, .stream_is_quiet = gpu_stream_is_quiet, .stream_error = gpu_stream_error,    \
    .stream_clear_error = gpu_stream_clear_error, .stream_wait = gpu_stream_wait, .launch = gpu_launch,                \
    .copy = gpu_copy, .copy_from = gpu_copy_from, .fill = gpu_fill, .batch_queue = gpu_batch_queue,                    \
    .batch_destroy = gpu_batch_destroy, .notify = gpu_notify, .proceed = gpu_proceed,                                  \
    .event_create = gpu_event_create, .event_destroy = gpu_event_destroy, .event_record = gpu_event_record,            \
    .event_is_recorded = gpu_event_is_recorded, .event_wait = gpu_event_wait,                                          \
    .event_synchronize = gpu_event_synchronize, .event_is_reached = gpu_event_is_reached,                              \
    .event_is_past = gpu_event_is_past, .event_elapsed = gpu_event_elapsed

#endif
