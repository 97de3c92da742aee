// An instance of a graph: what a stream keeps of a kernel's launches of one shape, with the driver's executable graph
// and what is set in it. Only files of graphs look inside; all of it is used under the stream's |order|.
#ifndef RILL_BACKEND_GPU_INSTANCE_H
#define RILL_BACKEND_GPU_INSTANCE_H

#include "backend/gpu/graph.h"

struct gpu_instance {
    // What each launch looks at, side by side.
    struct gpu_instance *next;
    uint64_t image;
    int kernel;
    int node_count;
    void *exec;          // owned; NULL: not made yet
    bool is_recallable;  // the nodes follow from the arguments that decide, and from nothing else
    bool is_refused;     // the driver made no graph of it
    bool has_conditions; //
    bool is_linear;      // one node behind the other: without the graph they are as many launches
    unsigned own_count;  // of the device's choice when |best_graph| and |best_tasks| were begun
    int param_count;
    size_t args_size;
    unsigned char *args;     // of the last launch, as it is set
    const uint64_t *decides; // for each word of |args|: the bits that decide what the plan does
    uint64_t *array_sizes;   // of the last launch
    struct gpu_node *nodes;  // with the parameters that are set
    void **handles;          // the driver's nodes
    uint64_t block;          //
    uint64_t frame;          //
    uint64_t launch_count;   //
    uint64_t best_graph;     // nanoseconds
    uint64_t best_tasks;     //
    struct gpu_tally tally;  //
    uint64_t *conditions;    // of conditional nodes: what kernels set
    void **bodies;           // of conditional nodes: the driver's graphs, parts of |graph|
    void *graph;             // owned: the nodes live in it
    uint64_t shape;          // a hash of functions and edges
    size_t size;             // of this memory
};

// How the arguments differ from those of the last launch.
struct gpu_difference {
    uint64_t any;      // bits that differ somewhere
    uint64_t deciding; // of those the ones that decide
};

// A hash of functions and edges, and whether each node follows the one before it alone.
uint64_t gpu_recording_shape(const struct gpu_recording *recording);
bool gpu_recording_is_linear(const struct gpu_recording *recording);

// Takes the instance to the front of the list, NULL if there is none; the last of too many goes.
struct gpu_instance *gpu_instance_find(struct backend_stream *stream, const struct gpu_recording *recording,
                                       const struct gpu_common *common, uint64_t shape);
// NULL: no memory.
struct gpu_instance *gpu_instance_add(struct backend_stream *stream, const struct gpu_recording *recording,
                                      const struct gpu_common *common, uint64_t shape);
void gpu_instance_destroy(struct backend_stream *stream, struct gpu_instance *instance);
void gpu_instance_forget_times(struct gpu_instance *instance);

// Makes the graph if there is none. False: there is none and will be none.
bool gpu_instance_make(struct backend_stream *stream, struct gpu_instance *instance,
                       const struct gpu_recording *recording, const struct gpu_common *common);
// Sets what differs from the last launch; |is_same|: not what all nodes share. After a failure nothing is known of what
// is set.
rill_status gpu_instance_update(struct backend_stream *stream, struct gpu_instance *instance,
                                const struct gpu_node *nodes, const struct gpu_common *common, bool is_same);
// The driver does not do it; task by task it may.
void gpu_instance_refuse(struct backend_stream *stream, struct gpu_instance *instance, const struct gpu_common *common);

// What is set now, for the next launch to be compared with.
void gpu_instance_remember(struct gpu_instance *instance, const struct gpu_recording *recording,
                           const struct gpu_common *common);
void gpu_instance_remember_common(struct gpu_instance *instance, const struct gpu_common *common);
struct gpu_difference gpu_instance_compare(const struct gpu_instance *instance, const struct gpu_common *common);
bool gpu_instance_is_same(const struct gpu_instance *instance, const struct gpu_common *common);

// What the driver is told of a kernel's node. Arguments that are longer go one by one: they would be copied twice.
enum { GPU_ROW_ARGS_SIZE = 256, GPU_ROW_WORDS = GPU_ROW_ARGS_SIZE / 8 + 5 };
struct gpu_call_params {
    uint64_t none; // in place of arguments
    void *params[6];
    struct gpu_kernel_call call;
    uint64_t row[GPU_ROW_WORDS];
};
// |conditions| are those of the graph; NULL where there are none. |out| points into |common|, |node| and |conditions|.
void gpu_call_fill(struct gpu_call_params *out, const struct gpu_node *node, const struct gpu_common *common,
                   const uint64_t *conditions);
// The same for driver_exec_set(), in the form that costs the driver least.
void gpu_call_fill_short(struct gpu_call_params *out, const struct backend_device *device, const struct gpu_node *node,
                         const struct gpu_common *common, const uint64_t *conditions);

// The nodes one after the other, without a graph.
rill_status gpu_nodes_launch(struct backend_stream *stream, const struct gpu_node *nodes, int count,
                             const struct gpu_common *common);

#endif
