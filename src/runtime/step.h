// Steps inside: what was recorded, and the runs that replay it.
//
// A step is a list of operations in the sequence in which they were recorded. It does not change once it is recorded.
// A run has what one replay needs at a time: the operations' arguments with the values of the launch, what they touch,
// which follows which, and on which lane each is queued. A run belongs to one stream at a time, so that replays on
// several streams share nothing; a stream's next replay uses the same run, behind the one before.
//
//   record.c        the calls that are recorded
//   step.c          the object, its names, its launch
//   step_run.c      runs: made, given values, kept
//   step_order.c    which operation follows which; lanes
//   step_batch.c    a run as a batch of the back end
//   step_play.c     a run is queued
//   step_loop.c     as often as it is to run
#ifndef RILL_RUNTIME_STEP_H
#define RILL_RUNTIME_STEP_H

#include "runtime/args.h"
#include "runtime/array.h"
#include "runtime/hazard.h"
#include "runtime/order.h"
#include "runtime/stream.h"

enum {
    STEP_MAX_LANES = 16,
    STEP_MAX_RUNS = 16,
    STEP_MAX_OPERATIONS = 1 << 16,
};

enum step_kind { STEP_LAUNCH, STEP_COPY, STEP_FILL, STEP_MARK };

// A mark is a place that events mean: it does nothing and follows what was recorded before it.
struct step_operation {
    enum step_kind kind;
    const char *who;       // the call, a constant
    struct kernel *kernel; // of a launch, pinned; else NULL
    size_t number;         // as the program counts operations; of a mark none
    int arg_count;
    rill_arg *args;      // owned: as given; arrays are ARG_HELD, structs lie in |bytes|
    struct array **pins; // of the arguments, those that this operation has pinned; NULL: none
    bool has_result;     // the last argument is the array for what the kernel returns
    size_t offset;       // of a copy: where in its array it begins
    bool has_host;       // of a copy: one side of it is the host's
    size_t size;         // with |has_host|: bytes
    size_t first_arg;    // among those of all operations
    uint64_t stream;     // on which it was recorded
    int barrier;         // the mark that it follows besides; -1: none
    int *before;         // of a mark, owned: what it follows
    int before_count;
    size_t room_size; // of the memory at |args|, which holds |pins| and structs too
};

// A parameter by its name.
struct step_name {
    const char *name;   // borrowed, of the kernel's plan or a constant
    const char *kernel; //
    int operation;
    int argument;
};

struct step_run;

struct record_stream {
    uint64_t id;
    int mark;    // the last one that was recorded here; -1: none
    int barrier; // what is recorded here from now on follows it; -1: nothing
};

struct record_event {
    uint64_t id;
    int mark;
};

struct step {
    struct context *context; // borrowed
    uint64_t id;
    bool is_recorded; // its recording is over
    struct step_operation *operations;
    int count;
    int capacity;
    size_t number_count;     // operations but for marks
    size_t *numbers;         // owned: of each operation how many of these come before it
    struct step_name *names; // owned, sorted
    size_t name_count;
    struct array **arrays; // owned: each array that it uses, once; pinned by the operations
    size_t array_count;
    size_t arg_count;  // of all operations
    uint64_t *steps;   // owned: ids of steps that it has become of, pinned
    size_t step_count; //
    size_t step_capacity;
    size_t dependency_count;
    size_t depth;
    _Atomic size_t repeat_count;
    _Atomic(struct array *) flag; // one of |flags|; NULL: none
    struct array **flags;         // owned: all that ever were, pinned; guarded by |lock|
    size_t flag_count;            //
    size_t flag_capacity;         //

    // While it is recorded.
    struct record_stream *streams; // owned
    size_t stream_count;
    size_t stream_capacity;
    struct record_event *events; // owned
    size_t event_count;
    size_t event_capacity;

    struct thread_mutex lock; // of what follows
    struct step_run *idle;    // owned: the last one used first
    int run_count;
};

struct step_side {
    struct array *array; // NULL: memory of the host
    void *host;
};
// What a copy or a fill is about.
struct step_bytes {
    void *target;
    const void *source;  // of a fill: the element
    size_t size;         // of a fill: how many elements
    size_t element_size; // of a fill
};

// ---- runs ---------------------------------------------------------------------------------------------------------

// One operation of a run.
struct step_task {
    struct packed_args packed; // of a launch
    struct step_bytes bytes;   // of a copy or a fill
    unsigned char *element;    // of a fill: a copy of what |bytes| has
    void *result;              // where the value goes that the kernel returns; NULL: nowhere
    struct hazard_access *accesses;
    int access_count;
    bool is_changed; // its values are not the recorded ones
    bool is_given;   // this launch has a value for it
    bool is_new;     // its part of the batch is not as its values are

    int lane;
    size_t first_wait; // into the run's: tasks of other lanes that it waits for
    int wait_count;
    bool is_awaited;
    struct backend_event *event; // owned; behind it, if others wait for it
    size_t room_size;            // of the memory at packed.sizes
};

// The streams are the run's own. One of the context's pool may be lent to several at once, for blocks, whose work only
// follows what is queued already; but a lane waits for what is queued later.
struct step_lane {
    struct stream stream;      // no handle, and in no list: a queue, owned, and scratch memory
    int last;                  // its last operation
    bool has_begun;            // in the replay under way
    bool is_joined;            // the launch stream follows its end
    struct backend_event *end; // owned
};

struct step_run {
    struct retirement retirement; // first
    struct context *context;      // borrowed
    struct step_run *next;
    struct step *step;         // borrowed
    uint64_t stream;           // on which it was last queued; 0: none yet
    int priority;              // of its lanes
    uint64_t key;              // of the memory that the launch was given: see step_run_take()
    int task_count;            //
    size_t arg_count;          //
    const rill_arg **now;      // owned: of each argument the value of the replay under way; NULL: the recorded one
    bool has_changed;          // some task is_changed
    struct step_task *tasks;   // owned: one for each operation
    struct array **pins;       // owned: what the values of the replay under way have pinned
    size_t pin_count;          //
    bool is_stale;             // what its tasks touch has changed since they were ordered
    int *waits;                // owned
    size_t wait_count;         //
    size_t wait_capacity;      //
    struct hazard_access *all; // owned: what all of it touches, each once; only in contexts with an order
    int all_count;             //
    int all_capacity;
    struct step_lane *lanes; // owned; lane 0 is the stream itself
    int lane_count;
    bool is_serial;              // the device has no more streams: all on lane 0
    struct backend_batch *batch; // owned; NULL: none yet
    struct backend_part *parts;  // owned: by task; NULL: the back end has no batches, or the step is too large
    int *afters;                 // owned: the tasks that parts follow
    int after_count;             //
    int after_capacity;          //
    bool has_news;               // some task is_new
    bool is_reordered;           // |afters| has changed since the batch was queued
    bool is_batchable;           // all tasks can be parts
    int offer_count;             // loops that the back end was offered and did not take
    struct backend_event *fork;  // owned
    size_t dependency_count;     // see rill_step_info
    size_t depth;                //
};

// step_run.c. A run for a replay on the stream with the values, which are checked and pinned; NULL after a failure.
rill_status step_run_take(const char *who, struct step *step, struct stream *stream, rill_step_values values,
                          struct step_run **out_run);
// Back, when the replay is queued; |stream| as it was for step_run_take().
void step_run_return(struct step_run *run, struct stream *stream);
void step_run_destroy(struct step_run *run); // NULL is skipped
// With the recorded values: for rill_record_end().
rill_status step_run_create(const char *who, struct step *step, int priority, struct step_run **out_run);

// step_values.c
struct step_place {
    int operation;
    int argument;
};
// Calls |visit| for each argument that the value is for; RILL_ERR_NOT_FOUND, with words: there is none.
rill_status step_value_visit(const char *who, const struct step *step, const rill_step_value *value,
                             void (*visit)(void *arg, const struct step_place *place), void *arg);
rill_status step_names_make(const char *who, struct step *step);

// With these arguments, which are checked; |pins| has the arrays of those that are handles.
rill_status step_find_bytes(const char *who, const struct step_operation *operation, const rill_arg *args,
                            struct array *const *pins, struct step_bytes *out);

// step_order.c. Finds out what follows what, and lays it out on lanes.
rill_status step_run_order(const char *who, struct step_run *run);

// step_batch.c
// What each task follows, without what that follows anyway.
struct step_edges {
    struct step_run *run;
    bool is_wanted;
    size_t size;
    uint64_t *before; // owned, with |firsts| and |counts|: of each task all that come before it, as bits
    int *firsts;
    int *counts;
    int *items; // owned
    int count;
    int capacity;
};
bool step_may_batch(const struct step_run *run);
rill_status step_edges_begin(const char *who, struct step_edges *edges, struct step_run *run);
// |found| is in falling order. False: no memory.
bool step_edges_add(struct step_edges *edges, int index, const int *found, int found_count);
rill_status step_edges_end(const char *who, struct step_edges *edges); // the run has them
void step_edges_drop(struct step_edges *edges);
// How often the back end runs it, as in backend_parts.
struct step_rounds {
    uint32_t count;
    const void *flag;
};
// |out_is_done| false, with RILL_OK: nothing was queued, the tasks go by lanes.
rill_status step_run_batch(const char *who, struct step_run *run, const struct pinned_stream *on, bool is_ordered,
                           const struct step_rounds *rounds, bool *out_is_done);

// step_play.c
rill_status step_run_play(const char *who, struct step_run *run, const struct pinned_stream *on, bool is_ordered);

// step_loop.c
// Runs it as often as the step says.
rill_status step_run_loop(const char *who, const char *place, struct step_run *run, const struct pinned_stream *on);
void step_loop_finish(struct step *step);

// record.c: the operations of a step that goes
void record_finish_operations(struct step *step);

// step.c
rill_status step_complete(const char *who, struct step *step); // what was recorded is all
void step_dispose(struct step *step);

#endif
