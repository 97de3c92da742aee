#include "compiler/pass_list.h"

#include "analysis/facts.h"
#include "passes/atomics.h"
#include "passes/check.h"
#include "passes/demote.h"
#include "passes/promote.h"
#include "passes/reorder.h"
#include "passes/scan.h"
#include "passes/search.h"
#include "passes/split_locals.h"
#include "passes/switches.h"

#include <assert.h>
#include <string.h>

static void run_switches(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)diags;
    switches_to_branches(module, kernel);
}

static void run_promote(struct ir_module *module, struct ir_function *function, struct diags *diags)
{
    (void)diags;
    promote_function(module, function);
}

static void run_check(struct ir_module *module)
{
    if (module->check_bounds) {
        check_module(module);
    }
}

static void run_demote(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)diags;
    demote_function(module, kernel);
}

// clang-format off
#define ROW(text, of, what)               .name = text, .scope = of, .does = what
#define MODULE(name, on, does)            {ROW(name, PASS_MODULE, does), .run.on_module = on}
#define KERNELS(name, on, uses, does)     {ROW(name, PASS_KERNELS, does), .needs = uses, .run.on_function = on}
#define LOOPS(name, on, does)             {ROW(name, PASS_KERNELS, does), .run.on_function = on, .changes_loops = true}
#define FUNCTIONS(name, on, does)         {ROW(name, PASS_FUNCTIONS, does), .run.on_function = on}
#define PLAN(name, on, uses, does)        {ROW(name, PASS_PLAN, does), .needs = uses, .run.on_plan = on}

#define FACTS "analyse atomics effects"

const struct pass pass_list[PASS_COUNT] = {
    {.name = "lower", .scope = PASS_LOWER, .does = "the typed tree of the C file becomes IR"},
    KERNELS("switches", run_switches, NULL, "a switch that holds loops or blocks becomes branches"),
    FUNCTIONS("promote", run_promote, "locals that need no address become scalars, scalars assigned once become values"),
    MODULE("check", run_check, "with --check=bounds: accesses through pointers are checked"),
    KERNELS("split-locals", split_locals, NULL, "each stream_parallel block gets its own copy of a local it fills"),
    LOOPS("search", search_loops, "loops that are left early try iterations ahead, in chunks that are parallel"),
    LOOPS("reorder", reorder_loops, "nests of loops in another order, where that makes more of them parallel"),
    LOOPS("scan", scan_loops, "loops that hand on running values, and store them or by them, in three steps"),
    KERNELS("demote", run_demote, NULL, "values that cross from one task to another become variables"),
    KERNELS("analyse", analyse_loops, NULL, "loops: whether iterations are independent, roles of scalars"),
    KERNELS("atomics", atomics_set, "analyse", "updates that several iterations or blocks may make become atomic"),
    KERNELS("effects", analyse_effects, "analyse atomics", "loops: what they touch, what must be disjoint, what they cost"),
    PLAN("params", describe_params, NULL, "the signature, and where the arguments lie"),
    PLAN("choose", choose_loops, FACTS, "which loops become tasks"),
    PLAN("describe", describe_loops, FACTS " choose", "the list of loops for explain; warns of loops on one thread"),
    PLAN("nests", nests_find, FACTS " params choose", "perfect nests whose loops are taken as one space"),
    PLAN("fuse", fuse_loops, FACTS " params choose describe",
         "which consecutive loops are one task: tried on a copy of the kernel, which is analysed again"),
    PLAN("short-loops", short_loops_find, FACTS " params choose",
         "loops that the launch may run as control, with the loops inside as tasks"),
    PLAN("partition", partition_kernel, FACTS " params choose describe",
         "the tree of control and tasks; loops that may run whole, scatters"),
    PLAN("blocks", blocks_check, FACTS " params choose describe partition",
         "compares stream_parallel blocks: conflicts are errors or tests at launch"),
    PLAN("slots", slots_assign, FACTS " params choose describe partition",
         "room in the launch block for variables that more than one task uses"),
    PLAN("privatise", privatise_updates, FACTS " params choose describe partition",
         "arrays whose atomic updates may go to a copy for each worker"),
    PLAN("outline", outline_tasks, FACTS " params choose describe partition slots",
         "a function for each task, with its reductions and its version in order"),
    PLAN("tiles", tiles_make, FACTS " params choose describe partition slots outline",
         "GPUs: a version of nests that share what they read, in which a thread takes several iterations"),
    PLAN("stack", stack_check, FACTS " params choose describe partition slots outline",
         "refuses tasks whose locals do not fit on a stack"),
    PLAN("restrict", restrict_check, FACTS " params choose describe partition",
         "with --check=bounds: tests that restrict pointers do not overlap"),
    PLAN("depth", depth_check, FACTS " params choose describe partition", "refuses control that is nested too deep"),
};
// clang-format on

int pass_find(const char *name, size_t length)
{
    for (int i = 0; i < PASS_COUNT; i++) {
        if (strlen(pass_list[i].name) == length && memcmp(pass_list[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

struct pass_set pass_set_until(int row)
{
    assert(row >= 0 && row < PASS_COUNT);
    struct pass_set set = {0};
    for (int i = 0; i <= row; i++) {
        set.has[i] = true;
    }
    return set;
}

struct pass_set pass_set_of_source_loops(void)
{
    struct pass_set set = {0};
    for (int i = 0; i < PASS_COUNT; i++) {
        set.has[i] = !pass_list[i].changes_loops;
    }
    return set;
}

void pass_list_print(struct str *out)
{
    for (int i = 0; i < PASS_COUNT; i++) {
        str_printf(out, "  %-13s %s\n", pass_list[i].name, pass_list[i].does);
    }
}
