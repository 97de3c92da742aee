// What a back end that lacks an optional operation has in its table: so that nobody asks whether there is one.
#include "backend/backend.h"

#include "base/status.h"

const char *backend_no_absence(void)
{
    return NULL;
}

bool backend_no_named(const char *name, size_t *out_index)
{
    (void)name;
    (void)out_index;
    return false;
}

const char *backend_no_target(const struct backend_device *device)
{
    (void)device;
    return NULL;
}

bool backend_no_capability(const struct backend_device *device, enum backend_capability capability)
{
    (void)device;
    (void)capability;
    return false;
}

void backend_no_trim(struct backend_device *device)
{
    (void)device;
}

void backend_no_release_idle(struct backend_device *device)
{
    (void)device;
}

void *backend_no_enter(struct backend_device *device)
{
    (void)device;
    return NULL;
}

void backend_no_leave(struct backend_device *device, void *before)
{
    (void)device;
    (void)before;
}

void backend_no_describe(const struct backend_image *image, int kernel, struct backend_kernel *out)
{
    (void)image;
    (void)kernel;
    (void)out;
}

static rill_status refuse_native(void)
{
    return status_fail(RILL_ERR_UNSUPPORTED, "streams of this device have no native handles");
}

rill_status backend_no_wrap(struct backend_device *device, void *native, uint64_t id,
                            struct backend_stream **out_stream)
{
    (void)device;
    (void)native;
    (void)id;
    *out_stream = NULL;
    return refuse_native();
}

rill_status backend_no_native(struct backend_stream *stream, void **out_native)
{
    (void)stream;
    *out_native = NULL;
    return refuse_native();
}

bool backend_never_waits(void)
{
    return true;
}

rill_status backend_always_may_wait(struct backend_stream *stream, bool asks)
{
    (void)stream;
    (void)asks;
    return RILL_OK;
}

rill_status backend_never_captures(struct backend_stream *stream, uint64_t size, bool *out_is_captured,
                                   void **out_memory)
{
    (void)stream;
    (void)size;
    *out_is_captured = false;
    *out_memory = NULL;
    return RILL_OK;
}

void backend_no_help(struct backend_stream *stream)
{
    (void)stream;
}

rill_status backend_no_copy_from(struct backend_stream *stream, void *target, struct backend_device *source_device,
                                 const void *source, size_t size)
{
    (void)stream;
    (void)target;
    (void)source_device;
    (void)source;
    (void)size;
    return RILL_ERR_UNSUPPORTED;
}

rill_status backend_no_batch(struct backend_stream *stream, struct backend_batch **batch,
                             const struct backend_parts *parts, bool *out_is_done)
{
    (void)stream;
    (void)batch;
    (void)parts;
    *out_is_done = false;
    return RILL_OK;
}

void backend_no_batch_destroy(struct backend_batch *batch)
{
    (void)batch;
}
