// Copies of pageable memory of the host, in the order of the stream and without waiting. The stream's |order| is held.
#ifndef RILL_BACKEND_GPU_STAGE_H
#define RILL_BACKEND_GPU_STAGE_H

#include "backend/gpu/device.h"

struct gpu_stage {
    void *host;
    uint64_t address; // of the device, or of pinned memory
    size_t size;
    bool is_upload;
    bool *out_has_begun; // set as soon as something of the target will change, also if the rest fails
};

// The host's memory is used when the stream comes to the copy. After a failure it is not used any more.
rill_status gpu_stage_copy(struct backend_stream *stream, const struct gpu_stage *stage);
// From pageable memory to pageable memory, which may overlap.
rill_status gpu_stage_move(struct backend_stream *stream, void *target, const void *source, size_t size);
// Waits for the stream, before a call fails that has queued something: the caller's memory is not used afterwards.
void gpu_stage_drain(struct backend_stream *stream);
// The stream goes, and is idle.
void gpu_stage_forget(struct backend_stream *stream);
// No stream is left.
void gpu_stage_finish(struct backend_device *device);

#endif
