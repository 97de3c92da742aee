// The core of the stand-in drivers: objects behind handles, memory as tracked ranges, work as a graph of operations
// that threads of its own run in any legal order. tests/fakes/cuda puts the CUDA driver's functions on top.
//
// Everything is guarded by fake.lock unless it says otherwise. Functions named *_locked want the lock held; all others
// here take it themselves or need none.
//
// What is shown by this: order, lifetime and failure in the layer that calls a driver. What is not: device code, which
// runs here as code for the CPU, and speed.
#ifndef RILL_TESTS_FAKES_FAKE_H
#define RILL_TESTS_FAKES_FAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Result codes, as the CUDA driver numbers them.
enum {
    FAKE_OK = 0,
    FAKE_INVALID_VALUE = 1,
    FAKE_OUT_OF_MEMORY = 2,
    FAKE_NOT_INITIALIZED = 3,
    FAKE_DEINITIALIZED = 4,
    FAKE_NO_DEVICE = 100,
    FAKE_INVALID_DEVICE = 101,
    FAKE_INVALID_IMAGE = 200,
    FAKE_INVALID_CONTEXT = 201,
    FAKE_INVALID_HANDLE = 400,
    FAKE_NOT_FOUND = 500,
    FAKE_NOT_READY = 600,
    FAKE_ILLEGAL_ADDRESS = 700,
    FAKE_NOT_PERMITTED = 800,
    FAKE_NOT_SUPPORTED = 801,
    FAKE_CAPTURE_UNSUPPORTED = 900,
    FAKE_CAPTURE_INVALIDATED = 901,
    FAKE_CAPTURE_UNMATCHED = 903,
    FAKE_CAPTURE_UNJOINED = 904,
    FAKE_CAPTURE_WRONG_THREAD = 908,
    FAKE_UNKNOWN = 999,
};

// ---- objects ------------------------------------------------------------------------------------------------------

enum fake_kind {
    FAKE_CONTEXT = 1,
    FAKE_STREAM,
    FAKE_EVENT,
    FAKE_MODULE,
    FAKE_FUNCTION,
    FAKE_GRAPH,
    FAKE_NODE,
    FAKE_EXEC,
    FAKE_POOL,
    FAKE_LINK,
    FAKE_USER,
    FAKE_KIND_COUNT,
};

struct fake_context;

// First in every object. Objects are never freed while the process lives, so that a stale handle is always recognised.
struct fake_object {
    enum fake_kind kind;
    uint32_t index;
    bool is_destroyed;
    bool is_internal; // not made by a caller: does not count as a leak
    struct fake_context *context;
};

enum { FAKE_DEVICE_LIMIT = 8, FAKE_FUNCTION_LIMIT = 512 };

struct fake_op;

struct fake_context {
    struct fake_object object;
    int device;
    int retain_count;
    int lost_code;                // every call gives this once the device is lost
    bool is_ending;               // the last release waits for what is queued
    uint32_t flags;               //
    struct fake_stream *legacy;   // stream 0
    struct fake_stream *orphans;  // follows what destroyed streams had left to do
    struct fake_pool *pool;       // the device's own pool
    struct fake_stream **streams; // all that were made, destroyed ones leave
    int stream_count;
    int stream_capacity;
    uint64_t used_size;    // bytes of device memory
    int64_t pending_count; // operations not done
    uint64_t peers;        // bit for each device whose memory was made accessible
};

// ---- operations ---------------------------------------------------------------------------------------------------

enum fake_op_kind {
    FAKE_OP_NOTHING, // joins, event records, waits
    FAKE_OP_KERNEL,
    FAKE_OP_COPY,
    FAKE_OP_FILL,
    FAKE_OP_HOST,
    FAKE_OP_ALLOC,
    FAKE_OP_FREE,
    FAKE_OP_WAIT_VALUE,
    FAKE_OP_WRITE_VALUE,
    FAKE_OP_CONDITION, // a conditional node: the whole of it in one operation, its body's nodes in order
    FAKE_OP_DEFAULTS,  // handles get their initial values
};

struct fake_kernel {
    struct fake_function *function;
    uint32_t grid;
    unsigned char *params; // owned: copies of all parameters
    size_t params_size;
    void **addresses; // owned: of each parameter in |params|
    int param_count;
};

struct fake_copy {
    uint64_t target;
    uint64_t source;
    size_t size;
    unsigned char *snapshot; // owned: what the source held when the copy was queued; NULL: not looked at
    bool is_staged;          // the snapshot is the source
    uint64_t writes_before;  // fake.host_write_count when it was queued
};

struct fake_fill {
    uint64_t target;
    uint32_t value;
    uint32_t element_size; // 1, 2, 4
    size_t count;
};

struct fake_host {
    void (*function)(void *);
    void (*stream_function)(void *stream, int status, void *user); // cuStreamAddCallback
    void *user;
    void *stream;
};

struct fake_value {
    uint64_t address;
    uint64_t value;
    uint32_t flags;
    bool is_64;
};

struct fake_graph;

struct fake_condition {
    struct fake_graph *graph; // owned: a copy of the body; DEFAULTS: of the whole graph
    uint64_t handle;
    bool is_loop;
};

struct fake_work {
    enum fake_op_kind kind;
    union {
        struct fake_kernel kernel;
        struct fake_copy copy;
        struct fake_fill fill;
        struct fake_host host;
        struct fake_value value;
        struct fake_condition condition;
        struct fake_range *range; // alloc, free
    } u;
};

struct fake_op {
    struct fake_work work;
    struct fake_context *context;
    struct fake_stream *stream;
    uint64_t number; // in the order of submission
    int waiting_for; // operations that are not done
    int ref_count;
    bool is_done;
    bool is_ready; // in fake.ready
    bool is_running;
    bool is_wanted;     // somebody on the host waits for it, or for what follows it
    int64_t not_before; // nanoseconds
    int64_t done_at;    // nanoseconds
    struct fake_op **dependents;
    int dependent_count;
    int dependent_capacity;
    struct fake_op *next_pending; // all that are not done
    struct fake_op *previous_pending;
};

// ---- streams, events, memory, modules ------------------------------------------------------------------------------

struct fake_capture;

struct fake_stream {
    struct fake_object object;
    bool is_blocking; // takes part in the legacy stream's order
    bool is_legacy;
    int priority;
    uint64_t id;
    struct fake_op *tail; // the last operation; owned reference, NULL: none
    struct fake_capture *capture;
    struct fake_node **capture_tails; // owned: what the next captured operation follows
    int capture_tail_count;
};

struct fake_event {
    struct fake_object object;
    bool has_timing;
    struct fake_op *op; // the last record; owned reference, NULL: never recorded
    struct fake_capture *capture;
    struct fake_node **capture_tails;
    int capture_tail_count;
};

enum fake_range_kind { FAKE_RANGE_DEVICE, FAKE_RANGE_HOST, FAKE_RANGE_REGISTERED, FAKE_RANGE_MODULE };
enum fake_range_state { FAKE_RANGE_RESERVED, FAKE_RANGE_LIVE, FAKE_RANGE_FREED };

struct fake_range {
    uint64_t address;
    uint64_t size;
    size_t mapped_size;
    enum fake_range_kind kind;
    enum fake_range_state state;
    bool is_free_called;
    bool is_async;
    bool is_managed; // the host may use it too
    unsigned flags;  // of device memory: not 0 is fine-grained or uncached
    struct fake_context *context;
    const struct fake_module *module; // whose field it is
    uint64_t number;                  // of the allocation, for words
};

struct fake_pool {
    struct fake_object object;
    int device;
    uint64_t release_threshold;
    int attributes[16];
};

struct object;
struct code_object;

struct fake_module {
    struct fake_object object;
    struct object *code;     // owned
    char *text;              // owned: the PTX; NULL: it is a code object
    struct code_object *elf; // owned
    struct fake_function **functions;
    int function_count;
};

// PTX on its way to a binary. The binary is the PTX and its stand-in code behind a line of its own.
struct fake_link {
    struct fake_object object;
    char *binary; // owned; NULL: nothing was added
    size_t size;
};

typedef void fake_entry(void *const *params, uint32_t grid_size, uint32_t block_index);

struct fake_function {
    struct fake_object object;
    struct fake_module *module;
    char *name; // owned
    fake_entry *entry;
    int param_count;
    uint32_t *param_sizes; // owned
    uint32_t *param_offsets;
    uint32_t params_size;
    uint32_t max_block; // threads, as a code object says; 0: PTX
};

// ---- graphs --------------------------------------------------------------------------------------------------------

// Kept by graphs; what it stands for is let go, by a host function, when the last reference goes.
struct fake_user {
    struct fake_object object;
    int ref_count;
    void (*destroy)(void *);
    void *user;
};

struct fake_graph {
    struct fake_object object;
    struct fake_user **users; // one reference to each
    int user_count;
    int user_capacity;
    struct fake_node **nodes; // owned
    int node_count;
    int node_capacity;
    bool is_capturing;
};

struct fake_node {
    struct fake_object object;
    struct fake_graph *graph;
    int position; // in graph->nodes
    struct fake_work work;
    struct fake_graph *child; // owned: a child graph, or the body of a conditional node
    uint64_t handle;          // conditional node; 0: it is none
    bool is_loop;             //
    struct fake_event *event; // record or wait
    bool is_record;
    bool is_disabled;
    struct fake_node **dependencies;
    int dependency_count;
    int dependency_capacity;
};

struct fake_exec {
    struct fake_object object;
    struct fake_graph *graph;  // owned: a copy; nodes correspond by position
    struct fake_graph *source; // the graph it was made from
    struct fake_op *last;      // the end of the last launch; owned reference
    atomic_int in_call;        // a call is changing or launching it
};

struct fake_capture {
    struct fake_graph *graph;
    struct fake_stream *origin;
    pthread_t thread;
    int mode; // 0 global, 1 thread-local, 2 relaxed
    bool is_invalid;
    uint64_t id;
};

// ---- the one state -------------------------------------------------------------------------------------------------

enum { FAKE_HANDLE_LIMIT = 4096 };

struct fake_handle_value {
    unsigned value;
    unsigned initial;
    bool has_default;
};

struct fake_call {
    const char *name;
    long count;
};

struct fake_fault {
    char name[64]; // "*" is any call
    long at;       // the n-th call from now
    int code;
    bool is_sticky; // the device is lost then
};

struct fake {
    pthread_mutex_t lock;
    pthread_cond_t work; // something became ready, or its time has come
    pthread_cond_t done; // an operation is done
    bool is_initialized;
    bool is_gone; // the process is ending
    bool has_threads;
    bool is_forked; // a child of a process that had begun to use the driver
    int version;
    int device_count;
    uint64_t memory_size;
    bool is_traced; // calls are written to stderr
    bool is_seeded;
    uint64_t random; // state
    struct fake_context contexts[FAKE_DEVICE_LIMIT];

    struct fake_object **objects;
    uint32_t object_count;
    uint32_t object_capacity;
    long alive[FAKE_KIND_COUNT];

    struct fake_range **ranges; // by address
    int range_count;
    int range_capacity;
    int freed_count;
    uint64_t range_number;

    struct fake_op **ready;
    int ready_count;
    int ready_capacity;
    struct fake_op *pending;
    uint64_t op_number;
    uint64_t host_write_count; // operations done that may write host memory
    uint64_t stream_id;
    uint64_t capture_id;
    struct fake_handle_value handles[FAKE_HANDLE_LIMIT]; // by handle, from 1
    int handle_count;
    int capture_count; // captures that forbid what is unsafe

    struct fake_call calls[FAKE_FUNCTION_LIMIT];
    int call_count;
    long total_calls;
    struct fake_fault faults[16];
    int fault_count;
    const char *failed; // the call that was told to fail last
    long lost_after;    // kernels until the device is lost; 0: never
    long kernel_count;
    int linger_us;
    int64_t lazy_ns; // what nobody waits for starts so late
    int pause_us;    // calls begin and end with a pause of up to so much
    int violation_count;
    char violations[16][256]; // the first ones
};

extern struct fake fake;

// What a library is for. The bodies of functions are those of the CUDA driver; HIP's are thin layers on top.
struct fake_vendor {
    const char *name;                           // in the names of environment variables
    int version;                                // that the driver says it has
    const char *(*call_name)(const char *name); // the library's name for a function of the CUDA driver
    void (*begin_call_locked)(void);            // before each call; may be NULL
};
extern const struct fake_vendor fake_vendor;
const char *fake_setting(const char *name); // an environment variable: "SEED"; NULL: not set

// state.c
enum fake_need { FAKE_NEEDS_NOTHING, FAKE_NEEDS_INIT, FAKE_NEEDS_DEVICE }; // a device: not if it is lost
int fake_enter(const char *name, enum fake_need need); // the code that the call returns at once, or 0
void fake_leave(const int *enter_code);                // what a call ends with
void fake_count_call(const char *name);                // as if the function were the driver's
bool fake_was_told_to_fail(void);                      // the last fake_enter of this thread
__attribute__((format(printf, 1, 2))) void fake_violation(const char *format, ...);
__attribute__((format(printf, 1, 2))) void fake_violation_locked(const char *format, ...);
void fake_lock(void);
void fake_unlock(void);
void fake_init_locked(void);
uint64_t fake_random_locked(uint64_t limit);
int64_t fake_now(void);
bool fake_in_host_function(void);
void fake_set_in_host_function(bool is_in);
void *fake_alloc(size_t size); // zeroed; ends the process when there is none
#define FAKE_GROW(items, count, capacity)                                                                              \
    ((items) = (count) < (capacity) ? (items) : fake_grow((items), sizeof *(items), &(capacity)))
void *fake_grow(void *items, size_t size, int *capacity);

// Handles are numbers: index and kind. Nothing is read through them.
void *fake_handle(const void *object);
void fake_add_locked(void *object, enum fake_kind kind, struct fake_context *context);
void fake_remove_locked(void *object);
// The object of a handle; NULL if it is none, with a violation naming |call| if it is one that was destroyed.
void *fake_get_locked(const void *handle, enum fake_kind kind, const char *call);

// context.c
struct fake_context *fake_current(void);
void fake_set_current(struct fake_context *context);
void fake_note_set(bool has_failed);
int fake_push_current(struct fake_context *context);
struct fake_context *fake_pop_current(void);
int fake_need_context_locked(const char *call, struct fake_context **out_context);
bool fake_same_context_locked(const char *call, const void *object);
int fake_context_retain_locked(int device, struct fake_context **out_context);
int fake_context_release_locked(int device, bool is_reset);
void fake_lose_locked(struct fake_context *context, int code);

// schedule.c
struct fake_op *fake_op_create(struct fake_context *context, struct fake_stream *stream, const struct fake_work *work);
void fake_op_after_locked(struct fake_op *op, struct fake_op *before); // NULL is skipped
void fake_op_submit_locked(struct fake_op *op);
struct fake_op *fake_op_hold(struct fake_op *op);
void fake_op_release(struct fake_op *op);
void fake_op_wait_locked(struct fake_op *op); // unlocks while waiting; NULL is done
void fake_op_complete_locked(struct fake_op *op);
void fake_hurry_locked(struct fake_op *op); // somebody waits for it; NULL: for everything
void fake_start_threads_locked(void);
void fake_work_finish(struct fake_work *work); // frees what it owns
void fake_work_copy(struct fake_work *to, const struct fake_work *from);

// run.c: what an operation does
void fake_op_run(struct fake_op *op);
void fake_check_work_locked(const struct fake_work *work, const char *call); // when it is queued
bool fake_work_touches(const struct fake_work *work, const struct fake_range *range);
const char *fake_work_name(const struct fake_work *work);
// Stand-in code calls it before an atomic of the hardware, which holds in a device's own memory alone.
void fake_check_atomic(const void *address);
bool fake_value_holds(const struct fake_value *value);

// memory.c
int fake_memory_create_locked(struct fake_context *context, uint64_t size, enum fake_range_kind kind,
                              enum fake_range_state state, struct fake_range **out_range);
void fake_memory_live_locked(struct fake_range *range);
void fake_memory_free_locked(struct fake_range *range);
struct fake_range *fake_memory_add_locked(struct fake_context *context, const void *address, uint64_t size,
                                          enum fake_range_kind kind);
void fake_memory_forget_locked(struct fake_range *range);
struct fake_range *fake_memory_find_locked(uint64_t address); // that contains it, freed ones too; NULL: none
// Whether [address, address + size) is device memory (or, if |host_allowed|, any host memory) that may be used now.
bool fake_memory_check_locked(uint64_t address, uint64_t size, bool host_allowed, const char *what);
void fake_memory_in_flight_locked(const struct fake_range *range, const struct fake_op *ender, const char *what);
void fake_memory_describe_fault(void);

// stream.c
int fake_stream_get_locked(const void *handle, const char *call, struct fake_stream **out_stream);
struct fake_stream *fake_stream_create_locked(struct fake_context *context, bool is_blocking, int priority);
void fake_stream_destroy_locked(struct fake_stream *stream);
void fake_stream_wait_locked(struct fake_stream *stream);
void fake_context_wait_locked(struct fake_context *context);
// Queues the work (or captures it); takes what |work| owns.
int fake_queue_locked(struct fake_stream *stream, struct fake_work *work, const char *call);
int fake_event_record_locked(struct fake_event *event, struct fake_stream *stream, const char *call);
int fake_event_wait_locked(struct fake_event *event, struct fake_stream *stream, const char *call);
int fake_unsafe_locked(const char *call); // 900 if a capture forbids the call
int fake_exchange_capture_mode(int mode); // of the calling thread; returns what was

// module.c
int fake_module_load_locked(struct fake_context *context, const void *image, struct fake_module **out_module);
void fake_module_unload_locked(struct fake_module *module);
int fake_link_add_locked(struct fake_link *link, const void *code); // "compiles"
struct fake_function *fake_module_function_locked(struct fake_module *module, const char *name);
bool fake_module_global_locked(struct fake_module *module, const char *name, uint64_t *out_address, size_t *out_size);
// code_object.c: a linked AMD code object, read as a loader reads it: by segments, dynamic table, hash and note.
struct code_object *code_object_open(const void *image, const void **out_code, size_t *out_code_size); // NULL: damaged
void code_object_close(struct code_object *object);
bool code_object_is_for(const struct code_object *object, const char *architecture);
bool code_object_params(const struct code_object *object, struct fake_function *function);
bool code_object_data(const struct code_object *object, const char *name, size_t *out_size);
void fake_function_add_param(struct fake_function *function, uint32_t offset, uint32_t size);
// Copies the parameters of a launch.
int fake_kernel_make_locked(struct fake_function *function, uint32_t grid, void **params, const char *call,
                            struct fake_kernel *out_kernel);

// graph.c
struct fake_graph *fake_graph_create_locked(struct fake_context *context);
void fake_graph_destroy_locked(struct fake_graph *graph, struct fake_op *after); // |after|: its last launch, or NULL
void fake_graph_keep_locked(struct fake_graph *graph, struct fake_user *user);   // takes a reference
void fake_user_release_locked(struct fake_user *user, int count, struct fake_op *after);
struct fake_node *fake_graph_add_locked(struct fake_graph *graph, struct fake_work *work,
                                        struct fake_node *const *dependencies, size_t count);
void fake_node_after_locked(struct fake_node *node, struct fake_node *before);
bool fake_graph_has_conditions(const struct fake_graph *graph);
void fake_condition_run(struct fake_op *op);
void fake_condition_defaults_locked(const struct fake_graph *graph);
// What the kernel "rill$condition" does.
void fake_condition_entry(void *const *params, uint32_t grid_size, uint32_t block_index);
// And "rill$again".
void fake_again_entry(void *const *params, uint32_t grid_size, uint32_t block_index);
struct fake_graph *fake_graph_clone_locked(const struct fake_graph *graph);
int fake_graph_launch_locked(struct fake_exec *exec, struct fake_stream *stream, const char *call);
// Queues every node; returns the operation that follows all of them. |before| may be NULL.
struct fake_op *fake_graph_expand_locked(struct fake_graph *graph, struct fake_context *context,
                                         struct fake_stream *stream, struct fake_op *before);

#endif
