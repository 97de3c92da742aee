// What the GPU back end needs from a vendor's driver: what the vendors have alike as functions over one list of symbols
// (symbols.h), and the rest as one const table, made by src/backend/cuda and src/backend/hip.
// Handles are the driver's own, addresses are the device's. Results are converted: RILL_OK, or a status
// with a message that has the driver's own words; RILL_ERR_NOT_READY comes without a message.
//
// Threads: every call may be made from every thread between enter() and leave(). None of them may be made from inside a
// host function.
#ifndef RILL_BACKEND_GPU_DRIVER_H
#define RILL_BACKEND_GPU_DRIVER_H

#include "backend/backend.h"
#include "backend/gpu/symbols.h"

struct gpu_properties {
    char name[96];
    char target[16]; // what to compile for: "sm_90"
    uint64_t memory_size;
    int max_threads; // of one block
    int warp_size;
    int processor_count;
    int priority_least;    // numbers of the driver: the greatest priority is the smaller one
    int priority_greatest; //
    int queue_count;       // streams beyond which work waits in the hardware; 0: as many as anybody wants
    bool has_graphs;
    bool takes_rows; // of a graph's kernel: all parameters in a row, which costs the driver less than one by one
    bool has_conditions;
    bool has_memory_nodes; // graph_memory
    bool has_meeting;      // grids can be launched such that all blocks run at the same time
    bool has_pools;
    bool has_binaries;
    bool has_peers;
    bool has_ranges; // a profiler wants to know of launches
};

// Where memory at an address lies.
enum gpu_place { GPU_PAGEABLE, GPU_PINNED, GPU_DEVICE };

typedef void gpu_host_function(void *user);

struct gpu_kernel_call {
    void *function;
    uint32_t grid;
    uint32_t block;
    void **params;
    const uint64_t *row; // exec_set() alone, with takes_rows: in place of |params|; NULL: there is none
    size_t row_size;
    bool meets; // all blocks run at the same time, or the call fails; has_meeting
};

struct gpu_condition {
    void *context;
    void *graph;
    uint64_t handle;
    bool is_loop;
    void *const *after;
    size_t after_count;
};

// A node of a graph that copies from |source| or, where that is 0, stores |value| |count| times. Memory of the device,
// or of the host and pinned.
struct gpu_memory_node {
    uint64_t target;
    uint64_t source;
    size_t count;   // bytes of a copy
    uint32_t value; //
    int width;      // 1, 2 or 4
};

// result.c: a driver's result as a status with words. What needs none is not asked for any.
struct gpu_result {
    int code;
    const char *name; // of the driver; NULL: it has none
    const char *text; //
    bool is_lost;     // the device is, to this process
};
bool gpu_result_needs_words(int result);
rill_status gpu_result_convert(const struct gpu_result *result, const char *what);

// The front of a vendor's context: what driver.c looks at there.
struct driver_context {
    int device;       // the driver's number for it
    driver_pool pool; // NULL: memory is not stream-ordered
};

// The node of a kernel in a graph, in the vendor's layout.
struct driver_kernel_node {
    _Alignas(16) unsigned char bytes[64];
};

// What the vendors do not have alike.
struct gpu_driver {
    const char *name;
    const char *title;                 // for words: "the driver"
    bool has_plain_symbols;            // no dots in the names of its code: see base/symbol.h
    const struct gpu_symbols *symbols; // filled in before the first device is opened
    int pools_attribute;               // of a device: whether it has memory pools

    rill_status (*convert)(int result, const char *what);
    bool (*is_lost)(int result); // it says that the device is
    // |extra|: in place of the call's parameters; NULL: none.
    void (*kernel_node)(const struct gpu_kernel_call *call, void **extra, struct driver_kernel_node *out);

    // A range of the calling thread for profilers; has_ranges.
    void (*range_push)(const char *name);
    void (*range_pop)(void);

    // |host| outlives the context.
    rill_status (*open)(size_t index, const struct backend_host *host, struct gpu_properties *out_properties,
                        void **out_context);
    void (*close)(void *context);
    void *(*enter)(void *context); // makes it current if it is not; returns what was
    void (*leave)(void *context, void *before);

    enum gpu_place (*place_of)(const void *address);
    // Whether all atomics of the hardware hold at |address|; NULL: they do everywhere. See remote.c.
    bool (*is_own)(void *context, const void *address);

    // Between any two places. From and to pageable memory the call may wait.
    rill_status (*copy)(void *stream, uint64_t target, uint64_t source, size_t size);
    // From memory of another context of this driver; has_peers.
    rill_status (*copy_peer)(void *stream, void *context, uint64_t target, void *source_context, uint64_t source,
                             size_t size);
    rill_status (*host_function)(void *stream, gpu_host_function *function, void *user);

    rill_status (*module_load)(void *context, const void *code, size_t size, void **out_module);
    // The best block size for |function|, and the grid that fills the device with it.
    rill_status (*occupancy)(void *function, uint32_t *out_grid, uint32_t *out_block);

    // A launch, and what makes a graph's node one, of a grid whose blocks all run at the same time; has_meeting.
    rill_status (*launch_meeting)(void *stream, const struct gpu_kernel_call *call);
    rill_status (*node_meets)(void *node);

    // Conditional nodes; has_conditions. A handle holds a number, |initial| when the graph is launched, which a kernel
    // sets: a body runs if it is not 0, that of a loop again and again. The kernels of condition_functions() have the
    // parameters of every entry. The first looks at the byte of the launch block whose offset are the low 32 bits of
    // the fourth, and sets the handle that is the third parameter and, if bit 34 is set there, that which is the fifth.
    // Bits 32 and 33: the handle is set to the opposite. After a failure both are set to 0. |again|: takes one from the
    // 32 bits at its second parameter and sets the handle that is the third to 1 if that leaves some, and if the 32
    // bits at the fourth are 0; 0: those are not looked at.
    rill_status (*condition_functions)(void *context, void **out_function, void **out_again);
    rill_status (*graph_handle)(void *context, void *graph, bool initial, uint64_t *out_handle);
    rill_status (*graph_condition)(const struct gpu_condition *condition, void **out_node, void **out_body);

    // Nodes that copy and fill; NULL: graphs have none of them.
    rill_status (*graph_memory)(void *context, void *graph, const struct gpu_memory_node *memory, void *const *after,
                                size_t after_count, void **out_node);
    rill_status (*exec_set_memory)(void *context, void *exec, void *node, const struct gpu_memory_node *memory);

    // A stream of others: the handle that Rill uses for |native|. |out_is_per_thread|: it means another stream in every
    // thread.
    rill_status (*stream_adopt)(void *context, void *native, void **out_handle, bool *out_is_per_thread);
};

// ---- driver.c: what the vendors have alike
// What destroys or frees takes NULL, or 0, too.

int driver_attribute(const struct gpu_driver *driver, int device, int which); // 0: it is not known
bool driver_has_graphs(const struct gpu_driver *driver);
bool driver_has_pools(const struct gpu_driver *driver, int device);
void driver_open_pool(const struct gpu_driver *driver, struct driver_context *context); // sets |pool|

// While some stream of the process is being captured the driver refuses what might disturb it, and ends the capture.
// Rill touches nothing that is captured, and says so for the calling thread between these two.
int driver_relax(const struct gpu_driver *driver);
void driver_restore(const struct gpu_driver *driver, int mode);

// has_pools: usable on every stream once |stream| has come past the call; freed when |stream| comes past that one.
// Otherwise usable at once, and freeing may wait for everything that runs on the device: memory.h avoids it.
rill_status driver_memory_alloc(const struct gpu_driver *driver, void *context, void *stream, uint64_t size,
                                uint64_t *out_address);
void driver_memory_free(const struct gpu_driver *driver, void *context, void *stream, uint64_t address);
void driver_memory_free_now(const struct gpu_driver *driver, uint64_t address); // memory of a context without pools
// The device sees it at the same address.
rill_status driver_pinned_alloc(const struct gpu_driver *driver, size_t size, void **out_memory);
void driver_pinned_free(const struct gpu_driver *driver, void *memory);
rill_status driver_set(const struct gpu_driver *driver, void *stream, uint64_t target, uint32_t value, int width,
                       size_t count); // width 1, 2 or 4

rill_status driver_stream_create(const struct gpu_driver *driver, int priority, void **out_stream);
void driver_stream_destroy(const struct gpu_driver *driver, void *stream);
rill_status driver_stream_synchronize(const struct gpu_driver *driver, void *stream);
rill_status driver_stream_query(const struct gpu_driver *driver, void *stream); // RILL_ERR_NOT_READY
bool driver_is_gone(const struct gpu_driver *driver); // it has shut down: the process is ending
rill_status driver_stream_wait_event(const struct gpu_driver *driver, void *stream, void *event);

rill_status driver_event_create(const struct gpu_driver *driver, bool has_time, void **out_event);
void driver_event_destroy(const struct gpu_driver *driver, void *event);
rill_status driver_event_record(const struct gpu_driver *driver, void *event, void *stream);
rill_status driver_event_query(const struct gpu_driver *driver, void *event); // RILL_ERR_NOT_READY
rill_status driver_event_synchronize(const struct gpu_driver *driver, void *event);
rill_status driver_event_elapsed(const struct gpu_driver *driver, void *begin, void *end, double *out_milliseconds);

// Streams that others capture.
rill_status driver_stream_is_capturing(const struct gpu_driver *driver, void *stream, bool *out);
// Keeps |user| for the graph that |stream| is captured into: |release| is called, on a thread of the driver, when the
// graph is gone and what was made of it has run; also if this fails.
rill_status driver_capture_keep(const struct gpu_driver *driver, void *stream, gpu_host_function *release, void *user);
// The nodes that what is captured next depends on: at most |capacity|, RILL_ERR_LIMIT if there are more.
rill_status driver_capture_front(const struct gpu_driver *driver, void *stream, void **nodes, size_t capacity,
                                 size_t *out_count);
rill_status driver_capture_set_front(const struct gpu_driver *driver, void *stream, void **nodes, size_t count);

void driver_module_unload(const struct gpu_driver *driver, void *module);
rill_status driver_module_function(const struct gpu_driver *driver, void *module, const char *name,
                                   void **out_function);
rill_status driver_module_global(const struct gpu_driver *driver, void *module, const char *name,
                                 uint64_t *out_address);
rill_status driver_launch(const struct gpu_driver *driver, void *stream, const struct gpu_kernel_call *call);

// Executable graphs of kernels; has_graphs.
rill_status driver_graph_create(const struct gpu_driver *driver, void **out_graph);
void driver_graph_destroy(const struct gpu_driver *driver, void *graph);
rill_status driver_graph_add(const struct gpu_driver *driver, void *graph, const struct gpu_kernel_call *call,
                             void *const *after, size_t after_count, void **out_node);
rill_status driver_graph_instantiate(const struct gpu_driver *driver, void *graph, void **out_exec);
rill_status driver_exec_set(const struct gpu_driver *driver, void *exec, void *node,
                            const struct gpu_kernel_call *call);
void driver_exec_destroy(const struct gpu_driver *driver, void *exec);
rill_status driver_exec_launch(const struct gpu_driver *driver, void *exec, void *stream);

#endif
