// Launches as executable graphs. A kernel whose whole plan the arguments decide is walked once to record its tasks and
// what follows what, and the recording is replayed as one graph whose parameters are set again where they differ.
//
// An instance belongs to one stream, one kernel and one shape of the recording: it is used under the stream's |order|,
// so that no two launches ever share one at a time.
#ifndef RILL_BACKEND_GPU_GRAPH_H
#define RILL_BACKEND_GPU_GRAPH_H

#include "backend/gpu/image.h"

enum {
    GRAPH_MAX_NODES = 256,
    GRAPH_MAX_EDGES = 1024,
    GRAPH_MAX_FRONT = 64,
    GRAPH_MAX_INSTANCES = 16,
    GRAPH_CACHE_LINE = 64
};

// The last nodes of a walk: what is recorded next depends on all of them.
struct gpu_front {
    int nodes[GRAPH_MAX_FRONT];
    int count;
};

enum gpu_node_kind { GPU_NODE_KERNEL, GPU_NODE_IF, GPU_NODE_LOOP };

struct gpu_node {
    enum gpu_node_kind kind;
    int parent;    // 1 + the conditional node in whose body it is; 0: none
    int sets[2];   // 1 + the conditional nodes that the kernel sets, in place of its |count| and |partials|; 0: none
    bool has_args; // the first parameter of |function| is all of the kernel's arguments
    void *function;
    uint32_t grid;
    uint32_t block;
    int64_t count;
    int64_t chunk;
    uint64_t partials;
    bool meets;     // all blocks run at the same time
    int first_edge; // into the recording's edges: the nodes that it depends on
    int edge_count;
};

// What a walk of the plan adds to the device's counters.
struct gpu_tally {
    uint32_t task_count;
    uint32_t parallel_count;
    uint32_t whole_count;
    uint32_t in_order_count;
    uint32_t region_count; // of all ways together
    uint32_t region_counts[BACKEND_REGION_WAY_COUNT];
};

// One for each stream, used again by each launch.
struct gpu_recording {
    struct gpu_node nodes[GRAPH_MAX_NODES];
    int edges[GRAPH_MAX_EDGES];
    int node_count;
    int edge_count;
    bool is_over;        // something did not fit: the launch goes to the driver task by task
    bool has_conditions; // it can only be replayed as a graph
    bool is_noted;       // the walk has logged something, or taken memory: it must be made again for each launch
    struct gpu_tally tally;
};

struct gpu_instance;

// graph.c: counts once more what the walk has counted.
void gpu_tally_add(struct backend_stream *stream, const struct gpu_tally *tally);

// sink_recorded.c: an empty recording.
void gpu_recording_begin(struct gpu_recording *recording);
// Appends a node that depends on all of |front|; |front| becomes that node.
void gpu_record(struct gpu_recording *recording, struct gpu_front *front, const struct gpu_node *node);
// Adds the nodes of |more| to |front|, each once.
void gpu_front_join(struct gpu_recording *recording, struct gpu_front *front, const struct gpu_front *more);

// What all nodes of one launch share.
struct gpu_common {
    const struct backend_image *image;
    int kernel;
    const void *args;
    size_t args_size;
    const uint64_t *array_sizes;
    uint64_t block;
    uint64_t frame;
};

// Replays the instance whose recording this launch would only make again: what decides is what it was the last time.
// |order| is held. |out_is_done| false, with RILL_OK: there is none, or the driver refused, and the launch is made from
// the start.
rill_status gpu_graph_again(struct backend_stream *stream, const struct gpu_common *common, bool *out_is_done);

// Replays the recording on the stream. |order| is held. |out_is_done| false, with RILL_OK: not this time; the launch
// goes to the driver task by task, and gpu_graph_tell() says how long that took.
rill_status gpu_graph_replay(struct backend_stream *stream, const struct gpu_recording *recording,
                             const struct gpu_common *common, bool *out_is_done);
void gpu_graph_tell(struct backend_stream *stream, uint64_t nanoseconds);
void gpu_graph_finish(struct backend_stream *stream);

#endif
