// A step is a sequence of launches, copies and fills that was recorded once and is launched as one, as often as wanted.
//
//     RILL_TRY(rill_record_begin(context));
//     RILL_TRY(rill_launch(forces, RILL_CURRENT, RILL_ARGS(n, x, f)));
//     RILL_TRY(rill_launch(move, RILL_CURRENT, RILL_ARGS(n, dt, f, x)));
//     RILL_AUTO_STEP step = {0};
//     RILL_TRY(rill_record_end(context, &step));
//     RILL_TRY(rill_step_launch(step, RILL_CURRENT, RILL_NO_VALUES));
//     RILL_TRY(rill_step_launch(step, RILL_CURRENT, RILL_VALUES(RILL_SET("dt", 0.5f), RILL_SET_ARRAY(x, other))));
//
// The results of a step are those of what was recorded, one after the other in the sequence of the calls. What does not
// touch the same bytes may overlap when it is launched, on whatever streams it was recorded: Rill orders the parts of a
// step by what they read and write, in contexts of every order. Events recorded and waited for in the recording, and
// rill_stream_wait(), order besides. To other work a step is one launch on its stream: it begins after what is queued
// there, and what is queued behind it begins when all of it has run.
//
// Threads: a thread records what it calls itself; other threads go on as ever. A step may be launched by any thread, on
// any stream, and by several at once.
// Lifetime: a step keeps what it uses: arrays, kernels and steps may be destroyed, and their handles are stale then as
// ever. Memory that is not Rill's (RILL_PTR, RILL_HOST, the host's side of a copy) must live as long as it is used.
#ifndef RILL_STEP_H
#define RILL_STEP_H

#include "rill/args.h"
#include "rill/context.h"
#include "rill/launch.h"
#include "rill/status.h"
#include "rill/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rill_step {
    uint64_t id; // 0 is no step: every call refuses it
} rill_step;

// From here to rill_record_end() what the calling thread queues on |context| is checked and recorded, and does not run:
// rill_launch(), rill_launch_result(), rill_array_fill(), rill_array_copy(), rill_array_transfer() within the context,
// the _async reads and writes, rill_event_record(), rill_event_wait(), rill_stream_wait() and rill_step_launch(). What
// gives data or waits (rill_array_read(), rill_array_write(), rill_call(), rill_sync(), queries, callbacks) is
// RILL_ERR_RECORDING, and the recording goes on; so it does after any call that fails, which has recorded nothing.
// Creating and destroying things is not recorded: it happens at once. An event that was recorded before the recording
// cannot be waited for in it. A thread records one step at a time.
RILL_API RILL_NODISCARD rill_status rill_record_begin(rill_context context);
// Ends the recording and makes a step of it. If that fails the recording is over too, and there is no step.
RILL_API RILL_NODISCARD rill_status rill_record_end(rill_context context, rill_step *out_step);
// Ends the recording and forgets it.
RILL_API RILL_NODISCARD rill_status rill_record_drop(rill_context context);

// A value for one launch of a step, in place of what was recorded.
typedef struct rill_step_value {
    const char *name; // "dt": the parameter of that name of every kernel; "move.dt": of this kernel. NULL: by |array|
    uint64_t array;   // everything that was the array of this handle, not a view of it; 0: by number
    size_t operation; // the number of the launch, copy or fill, from 0 in the sequence of the calls ...
    size_t argument;  // ... and of its argument, from 0
    rill_arg value;   // must fit as the recorded one had to
} rill_step_value;

// |items| is read by the call only.
typedef struct rill_step_values {
    const rill_step_value *items;
    size_t count;
} rill_step_values;

static inline rill_step_value rill_step_value_(const char *name, rill_arg value)
{
    rill_step_value one;
    one.name = name;
    one.array = 0;
    one.operation = 0;
    one.argument = 0;
    one.value = value;
    return one;
}

static inline rill_step_value rill_step_value_at_(size_t operation, size_t argument, rill_arg value)
{
    rill_step_value one = rill_step_value_(NULL, value);
    one.operation = operation;
    one.argument = argument;
    return one;
}

static inline rill_step_value rill_step_array_(rill_array recorded, rill_array now)
{
    rill_step_value one = rill_step_value_(NULL, rill_arg_array(now));
    one.array = recorded.id;
    return one;
}

static inline rill_step_values rill_step_no_values_(void)
{
    rill_step_values none;
    none.items = NULL;
    none.count = 0;
    return none;
}

#ifdef __cplusplus
}

// Holds the values until the end of the full expression, which is the call.
template <size_t Count> struct rill_step_values_list_ {
    rill_step_value items[Count];
    operator rill_step_values() const
    {
        return rill_step_values{items, Count};
    }
};
template <typename... Values>
inline rill_step_values_list_<sizeof...(Values)> rill_step_values_make_(const Values &...values)
{
    return rill_step_values_list_<sizeof...(Values)>{{values...}};
}
#define RILL_VALUES(...) rill_step_values_make_(__VA_ARGS__)

extern "C" {
#else
#define RILL_VALUES(...)                                                                                               \
    ((rill_step_values){(const rill_step_value[]){__VA_ARGS__},                                                        \
                        sizeof((const rill_step_value[]){__VA_ARGS__}) / sizeof(rill_step_value)})
#endif

// The recorded values, all of them; and one to thirty others: RILL_VALUES(RILL_SET("n", 5), RILL_SET_AT(0, 2, y)). A
// value is what RILL_ARGS takes. The arguments of rill_array_copy() and of the _async reads and writes are 0 the target
// and 1 the source, by name "rill_array_copy.target" and "rill_array_copy.source"; of rill_array_fill() "target" and,
// as RILL_STRUCT(), "element". The array of rill_launch_result() is "result", behind the kernel's parameters.
#define RILL_NO_VALUES rill_step_no_values_()
#define RILL_SET(name, x) rill_step_value_((name), RILL_ARG(x))
#define RILL_SET_AT(operation, argument, x) rill_step_value_at_((operation), (argument), RILL_ARG(x))
#define RILL_SET_ARRAY(recorded, now) rill_step_array_((recorded), (now))

// Queues the step on |stream| and returns at once. The values hold for this launch; where two name the same argument
// the later one does. A launch with a value that does not fit, or that names nothing in the step, is refused and queues
// nothing. Which parts follow which is found anew where values change what is touched. An error in a kernel is on
// |stream| when the step has run; of a part that the driver refuses, those before it run and the call returns the
// error. While the thread records, the step becomes part of the recording.
RILL_API RILL_NODISCARD rill_status rill_step_launch(rill_step step, rill_stream stream, rill_step_values values);
// The same with the place of the call in the program, as rill_launch_at() has it.
RILL_API RILL_NODISCARD rill_status rill_step_launch_at(const char *place, rill_step step, rill_stream stream,
                                                        rill_step_values values);
#define rill_step_launch(...) rill_step_launch_at(RILL_PLACE_, __VA_ARGS__)

// From now on a launch of the step runs it |count| times, one after the other; 1 at first. The host waits for none of
// them.
RILL_API RILL_NODISCARD rill_status rill_step_repeat(rill_step step, size_t count);

// From now on a launch of the step runs it again and again until the first element of |flag| is not 0 when a round is
// over, and rill_step_repeat() times at the most if that was called with more than 1. |flag| is an array of RILL_I32 or
// RILL_U32, which some part of the step writes; the step keeps it. Where the device loops by itself
// (RILL_CAPABILITY_CONDITIONS, and a step that is one graph) the call returns at once as ever. Elsewhere it looks at
// the flag behind each round, and so waits: RILL_ERR_IN_CALLBACK in a callback, RILL_ERR_CAPTURING on a stream that is
// captured. To launch such a step in a recording is RILL_ERR_RECORDING. With a handle that is zero launches run as
// rill_step_repeat() says again.
RILL_API RILL_NODISCARD rill_status rill_step_until(rill_step step, rill_array flag);

typedef struct rill_step_info {
    size_t operation_count;  // launches, copies and fills
    size_t dependency_count; // pairs of them where the one follows the other at once, with the recorded values
    size_t depth;            // of the longest chain of them: what was recorded if nothing may overlap
    size_t repeat_count;
} rill_step_info;
RILL_API RILL_NODISCARD rill_status rill_step_describe(rill_step step, rill_step_info *out_info);

// The handle is stale at once. Does not wait: what was launched runs.
RILL_API RILL_NODISCARD rill_status rill_step_destroy(rill_step step);

// RILL_AUTO_STEP s = {0}; destroys the step at the end of the scope. A handle still zero is skipped.
RILL_API void rill_auto_step(rill_step *step);
#if defined(__GNUC__)
#define RILL_AUTO_STEP __attribute__((cleanup(rill_auto_step))) rill_step
#endif

#ifdef __cplusplus
}
#endif
#endif
