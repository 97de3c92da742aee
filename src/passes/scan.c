// A loop whose iterations depend on each other only by scalars s = s op e, where e does not depend on such scalars:
// sums that are stored on the way, and counters that say where to store next. It is written as three steps over runs of
// iterations, of which the first and the last are parallel: see passes/scan_build.c. Recurrences s = a * s + b, and
// scalars that are set anew under a condition, are scans as well; and what a loop keeps in an array from one iteration
// to the next is a scalar, while it is looked at.
//
// The first step reads before the third writes: so the updates may depend only on what no earlier iteration writes, and
// the launch tests that arguments do not overlap. Where they do, or where there are few iterations, the source's loop
// runs. Whether the third step is parallel is for the analysis proper to say.
#include "passes/scan.h"

#include "analysis/analyse.h"
#include "ir/walk.h"
#include "passes/scan_loop.h"

#include <assert.h>

static void scan_loop(struct scan *s, struct ir_inst *loop)
{
    struct loop_nest *nest;
    s->loop = loop;
    if (!scan_may_be(s)) {
        return;
    }
    scan_take_memory(s);
    if (scan_find(s, &nest)) {
        scan_build(s, nest);
    }
    scan_give_memory_back(s);
}

// ---- loops that are control ----------------------------------------------------------------------------------------

static bool is_worth_a_look(struct scan *s, struct ir_inst *loop)
{
    s->loop = loop;
    return scan_may_be(s) && (scan_hands_on(s) || scan_may_have_memory(s));
}

static bool has_candidate(struct scan *s, const struct ir_inst *outer)
{
    WALK (inst, &outer->regions[0]) {
        if (inst->op == IR_OP_FOR && is_worth_a_look(s, (struct ir_inst *)inst)) {
            return true;
        }
    }
    return false;
}

// Whether the loop runs in order, as far as the analysis can tell before the passes that follow: then those inside it
// are as good as others. Inside one that is parallel a scan is the business of one thread.
static bool is_in_order(struct scan *s, const struct ir_inst *loop)
{
    struct diags *diags = ARENA_NEW(s->module->arena, struct diags); // what it finds is said by the analysis proper
    diags_init(diags, s->module->arena);
    analyse_loops(s->module, s->kernel, diags);
    bool is_in_order = loop->loop->verdict == IR_VERDICT_IN_ORDER && !loop->loop->pragma_single;
    WALK (inst, &s->kernel->body) {
        if (inst->op == IR_OP_FOR) {
            inst->loop->verdict = IR_VERDICT_NONE;
            inst->loop->roles = NULL;
            inst->loop->role_count = 0;
            inst->loop->reason = NULL;
            inst->loop->reason_loc_a = inst->loop->reason_loc_b = (struct loc){0};
            inst->loop->analysis = NULL;
        }
    }
    return is_in_order;
}

static void scan_region(struct scan *s, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        int made = s->made;
        if (inst->op == IR_OP_FOR) {
            scan_loop(s, inst);
        }
        bool is_left = inst->op == IR_OP_BLOCKS || inst->op == IR_OP_CFG || s->made > made ||
                       (inst->op == IR_OP_FOR && (inst->loop->is_fallback || inst->loop->is_search ||
                                                  !has_candidate(s, inst) || !is_in_order(s, inst)));
        for (int i = 0; i < inst->region_count && !is_left; i++) {
            scan_region(s, &inst->regions[i]);
        }
        inst = next;
    }
}

void scan_loops(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)diags;
    assert(kernel->kind == IR_FUNCTION_KERNEL);
    struct scan s = {.module = module, .kernel = kernel};
    if (!kernel->pragma_single && !module->check_bounds) {
        scan_region(&s, &kernel->body);
    }
}
