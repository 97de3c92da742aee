// How a launch maps loops to the machine: the decisions that a plan leaves open, made with the numbers at hand. Back
// ends ask here, and so does whoever explains a launch.
#ifndef RILL_PLAN_MAPPING_H
#define RILL_PLAN_MAPPING_H

#include "plan/plan.h"

struct plan_machine {
    bool is_gpu;
    int workers;      // threads of a CPU
    const char *name; // for people
};

// In simple operations, of which a core does up to 40 each nanosecond when they vectorise and about one when they do
// not.
enum {
    PLAN_WORK_ALONE = 120 * 1000,  // less than this runs on one thread: sharing it would cost more than it saves
    PLAN_WORK_CHUNK = 40 * 1000,   // the least that is worth taking from a share
    PLAN_WORK_PARTIAL = 60 * 1000, // a piece of a loop with reductions
    PLAN_MAX_PARTIALS = 256,       // pieces of one loop with reductions
};

// How a CPU cuts the iterations of a task into pieces.
struct plan_cut {
    int64_t size;   // of a piece, in iterations
    int64_t pieces; //
    bool is_shared; // among threads
};
// |trip| iterations, at least one, of |work| operations in all. |may_share|: nothing else is known that keeps it on one
// thread. With reductions the pieces depend on trip count and work alone, so that the result is the same on every
// machine and with any number of threads.
void plan_cut_task(const struct plan_task *task, int64_t trip, int64_t work, int workers, bool may_share,
                   struct plan_cut *out);

// Whether the loop in order runs as one serial task. False: it cannot be evaluated.
bool plan_loop_runs_whole(const struct plan_node *loop, const struct plan_values *values, bool *out_runs_whole);

enum { PLAN_COST_UNKNOWN = 64 }; // simple operations of an iteration, for want of a better guess

// Of one iteration, at least 1, and how many iterations there are. False: it cannot be known.
bool plan_task_cost(const struct plan_task *task, const struct plan_values *values, int64_t *out_cost);
bool plan_task_trip(const struct plan_task *task, const struct plan_values *values, int64_t *out_trip);
// Of |trip| iterations; INT64_MAX is the most.
int64_t plan_work(int64_t trip, int64_t cost);

// explain_launch.c: for people, what a launch with these values does with each nest of the kernel, what else it could
// do, and why it does not. |values->block| and |values->memo| are not used.
void plan_explain_launch(const struct plan_module *module, const struct plan_values *values,
                         const struct plan_machine *machine, struct str *out);

#endif
