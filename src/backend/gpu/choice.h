// Which way launches of one task go while several threads launch at once, each on a stream of its own. What that costs
// is decided by the driver's own lock, and neither way is always the cheaper one: eight threads get more from direct
// launches, sixteen from graphs. It shows only where all go the same way, so they do: first as graphs for a while, then
// task by task, and what was cheaper on average is kept, for longer each time that it stays so. Then only the other way
// is tried, and no longer than it takes to see that it is dearer. What was found out outlives a pause, and a time in
// which one thread launches alone: threads that come again go on where they were.
//
// A stream times one launch in so many, fewer while it is alone, and tells of it here; the others only read two flags,
// which change rarely.
#ifndef RILL_BACKEND_GPU_CHOICE_H
#define RILL_BACKEND_GPU_CHOICE_H

#include "base/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CHOICE_EVERY = 16, CHOICE_ALONE_EVERY = 64, CHOICE_MAX_THREADS = 32 };

// |way| while launches are alone, and each instance finds out for itself.
enum choice_way { CHOICE_OWN, CHOICE_GRAPH, CHOICE_TASKS };

// RETURN: launches begin again after a pause, and it is not known yet of how many threads.
enum choice_phase { CHOICE_ALONE, CHOICE_TRY_FIRST, CHOICE_TRY_OTHER, CHOICE_KEEP, CHOICE_RETURN };

struct gpu_choice {
    atomic_int way;        // enum choice_way
    atomic_uint own_count; // how often |way| became CHOICE_OWN: what instances have measured before is of no use

    char apart[64];           // what follows is not on the line that every launch reads
    struct thread_latch lock; // of what follows
    enum choice_phase phase;
    uint64_t begin;                        // of the phase, or of this part of it
    uint64_t last;                         // when somebody told of a launch
    uint64_t left;                         // nanoseconds: how much longer the choice is kept
    uint64_t period;                       // for how long it was to be kept; 0: there is none yet
    uintptr_t threads[CHOICE_MAX_THREADS]; // that told of a launch since |begin|
    int thread_count;
    int kept_count;  // threads when the choice was made
    bool is_doubted; // it was other threads the last time that somebody looked
    struct {
        uint64_t sum; // nanoseconds
        uint64_t count;
    } tries[2];    // by whether it was as a graph
    bool is_graph; // the choice, or what is tried first
};

// A launch of |thread| that went one way took so long; |now| is the time after it, in nanoseconds.
void choice_tell(struct gpu_choice *choice, uintptr_t thread, bool is_graph, uint64_t nanoseconds, uint64_t now);

#endif
