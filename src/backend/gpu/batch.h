// A batch inside: the parts of a step as one executable graph of the driver. It is used under the |order| of the stream
// that it is queued on.
#ifndef RILL_BACKEND_GPU_BATCH_H
#define RILL_BACKEND_GPU_BATCH_H

#include "backend/gpu/instance.h"
#include "backend/gpu/sink.h"

enum { GPU_BATCH_PIECES = 8 };

struct gpu_batch_piece {
    uint64_t address;
    size_t size;
};

struct gpu_batch_item {
    struct backend_batch *batch; // borrowed
    int first_node;
    int node_count;
    int first_end; // into the batch's ends: the nodes that what follows the part follows
    int end_count;
    unsigned char *args; // owned: as they are set
    size_t args_room;
    struct gpu_common common;
    uint64_t block;                                  // its launch block; 0: it has none
    struct gpu_batch_piece pieces[GPU_BATCH_PIECES]; // for partial records
    int piece_used;                                  // by the recording under way
    struct gpu_tally tally;
    bool is_counted; // the recording of this launch has added to the counters
};

struct batch_node {
    struct gpu_node node; // numbers of nodes are the batch's
    struct gpu_memory_node memory;
    bool is_memory; // it copies or fills, and of |node| the edges alone are set
    bool is_root;   // its edges are to other parts
    int item;       // -1: the node that clears the blocks
    void *handle;   // the driver's
    void *body;     // of a conditional node: a part of the graph
};

struct batch_chunk {
    struct batch_chunk *next;
    uint64_t address;
    uint64_t size;
    uint64_t used;
};

struct backend_batch {
    struct backend_device *device;
    void *graph;                  // owned
    void *exec;                   // owned; NULL: the parts are queued one by one
    bool is_refused;              // the driver makes none of it
    bool is_behind;               // parts have changed since it was looked at
    struct gpu_batch_item *items; // owned: one for each part
    int item_count;
    struct batch_node *nodes; // owned
    uint64_t *conditions;     // owned: by node, of conditional ones what kernels set; NULL: there is no graph
    int node_count;
    int node_capacity;
    int *edges; // owned
    int edge_count;
    int edge_capacity;
    int *ends; // owned
    int end_count;
    int end_capacity;
    struct batch_chunk *chunks; // owned
    uint32_t rounds;            // of the graph, as in backend_parts
    const void *flag;           //
    int body;                   // 1 + the node of the loop in whose body the parts are; 0: there is none
    int clear;                  // the node that clears the blocks
    struct gpu_common loop;     // of the kernel that ends a round
    uint64_t launch_count;
};

#endif
