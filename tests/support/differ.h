// One kernel file, run every way there is: as lowered by the interpreter (which is its meaning), after the passes, as a
// plan in several orders with every claim checked, compiled on CPU threads and on the device that RILL_TEST_DEVICE
// names, and by gcc. All must leave the same bytes.
//
// The file says in comments what it is run with; its last kernel is the one that runs:
//     //@ buffer b0 f32 40 range -8 8    40 elements, each a whole number of [-8, 8] that depends on its place alone
//     //@ buffer b1 i32 16 perm 0 0      a permutation of 0 ... 15
//     //@ buffer b1 i32 16 below 0 0     each less than its place, the first 0
//     //@ buffer b2 bytes 24 points 0 0   structs of an int, a float and two shorts
//     //@ int 37                         the arguments in order: numbers,
//     //@ float 0.5
//     //@ array b0 4 36                  36 elements of a buffer from element 4 on,
//     //@ struct b2                      a struct whose bytes are those of a buffer
// and a line `// nobody gives his word` that none of its loops is parallel by a pragma or by explicit atomics.
// Floats are compared bit for bit, except that all NaNs are the same.
#ifndef RILL_TESTS_SUPPORT_DIFFER_H
#define RILL_TESTS_SUPPORT_DIFFER_H

#include "base/str.h"
#include "rill/rill.h"

#include <stdbool.h>

enum { DIFFER_CONTEXTS = 3 };

// What was exercised, summed over all files.
struct differ_stats {
    int file_count;
    int refused_count; // by the compiler
    int gcc_count;
    int verdict_counts[8]; // loops by enum ir_verdict
    int task_count;
    int parallel_count;
    int reduction_count; // parallel tasks with partial records
    int fused_count;     // loops that are in a task with one before
    int copied_count;    // tasks that may have private copies
    int pair_count;
    int condition_count;
    int in_order_run_count; // tasks that ran in order because of the arguments
    int region_count;
    int conflict_count;
    int field_count;
};

struct printed;

struct differ {
    rill_context contexts[DIFFER_CONTEXTS];   // 1, 2 and 7 threads
    struct printed *printed[DIFFER_CONTEXTS]; // what each printed; owned
    struct differ_stats stats;
    bool use_gcc;
    bool skip_cpu;
    bool only_device;        // that of RILL_TEST_DEVICE, and no CPU
    bool is_quick;           // each file in two of the contexts: compiling takes most of the time
    bool calls_helpers;      // the passes inline none
    bool plans_whole;        // the plan that the interpreter runs may have small loops as one task
    bool plans_for_gpu;      // ... is one for GPUs
    bool plans_long_runs;    // ... cuts loops as it does for users, not into short pieces; the IR is not verified
    const char *scratch;     // gcc: a directory for its files
    const char *include_dir; // gcc: where rill/kernel.h is
};

bool differ_open(struct differ *differ, const char *compiler_library);
void differ_close(struct differ *differ);

// True if all agree. Else |out_why| says what does not.
bool differ_check(struct differ *differ, const char *text, struct str *out_why);

#endif
