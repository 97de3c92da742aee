// The plan for people: every loop's verdict with its lines, then the tasks with what they touch.
#include "plan/plan.h"

#include "plan/print.h"

#include <string.h>

struct explain {
    const struct plan_module *module;
    const struct plan_kernel *kernel;
    struct str *out;
    bool color;
};

static const char *paint(const struct explain *e, const char *code)
{
    return e->color ? code : "";
}

static const char *verdict_text(enum ir_verdict verdict)
{
    switch (verdict) {
    case IR_VERDICT_PROVEN: return "parallel, proven";
    case IR_VERDICT_IF: return "parallel, if";
    case IR_VERDICT_SCATTER: return "parallel, scatter";
    case IR_VERDICT_ATOMICS: return "parallel, by atomics";
    case IR_VERDICT_PRAGMA: return "parallel, by pragma";
    default: return "in order";
    }
}

static const char *verdict_color(enum ir_verdict verdict)
{
    return verdict == IR_VERDICT_PROVEN ? "\033[32m" : verdict == IR_VERDICT_IN_ORDER ? "\033[33m" : "\033[36m";
}

// Of a loop that is a task where the loop around it is control: when that is.
static const char *when_inside(const struct explain *e, const struct plan_loop *loop)
{
    const struct plan_loop *around = loop;
    while (around > e->kernel->loops && (around->depth >= loop->depth || around->task < 0)) {
        around--;
    }
    bool is_atomic = false;
    const struct plan_task *task = around->task >= 0 ? &e->kernel->tasks[around->task] : NULL;
    for (int i = 0; task != NULL && around != loop && i < task->effect_count; i++) {
        is_atomic |= task->effects[i].access == PLAN_UPDATE && task->effects[i].is_atomic;
    }
    return is_atomic ? ", where that is faster than the atomics of the loop around it"
                     : ", where the loop around it is too short";
}

static void explain_loop(struct explain *e, const struct plan_loop *loop)
{
    str_printf(e->out, "  %*s%s:%u: loop: %s%s%s", 2 * loop->depth, "", plan_file(e->module, loop->loc.file),
               loop->loc.line, paint(e, verdict_color(loop->verdict)), verdict_text(loop->verdict),
               paint(e, "\033[0m"));
    if (loop->task >= 0) {
        str_printf(e->out, " -> task %s%s", e->kernel->tasks[loop->task].name,
                   loop->inside_task ? when_inside(e, loop) : "");
    } else if (loop->inside_task) {
        str_add(e->out, " (inside a task)");
    } else {
        str_add(e->out, " (control)");
    }
    str_add_char(e->out, '\n');
    if (loop->reason != NULL) {
        str_printf(e->out, "  %*s    %s", 2 * loop->depth, "", loop->reason);
        if (loop->loc_a.line != 0) {
            str_printf(e->out, " (line %u", loop->loc_a.line);
            if (loop->loc_b.line != 0 && loop->loc_b.line != loop->loc_a.line) {
                str_printf(e->out, " and line %u", loop->loc_b.line);
            }
            str_add_char(e->out, ')');
        }
        str_add_char(e->out, '\n');
    }
    if (loop->notes != NULL && loop->notes[0] != '\0') {
        str_printf(e->out, "  %*s    %s\n", 2 * loop->depth, "", loop->notes);
    }
    if (loop->fusion != NULL) {
        str_printf(e->out, "  %*s    %s\n", 2 * loop->depth, "", loop->fusion);
    }
}

// The lines of all loops that are in the task, if there is more than one.
static void explain_fused(struct explain *e, const struct plan_task *task)
{
    int count = 0;
    for (int i = 0; i < e->kernel->loop_count; i++) {
        count += e->kernel->loops[i].task == (int)(task - e->kernel->tasks);
    }
    if (count < 2) {
        return;
    }
    str_printf(e->out, ", %d loops fused: lines", count);
    for (int i = 0; i < e->kernel->loop_count; i++) {
        const struct plan_loop *loop = &e->kernel->loops[i];
        if (loop->task == (int)(task - e->kernel->tasks)) {
            str_printf(e->out, "%s %u", --count == 0 ? " and" : "", loop->loc.line);
        }
    }
}

static const char *base_of(const struct explain *e, const struct plan_task *task, int effect)
{
    return plan_effect_base_name(e->module, e->kernel, &task->effects[effect]);
}

// Whether a pair before |index| has the same words: they name arrays, and two arrays have many regions.
static bool is_pair_said(const struct explain *e, const struct plan_task *task, int index)
{
    const struct plan_pair *pair = &task->pairs[index];
    const char *a = base_of(e, task, pair->a);
    const char *b = base_of(e, task, pair->b);
    for (int i = 0; i < index; i++) {
        const struct plan_pair *other = &task->pairs[i];
        const char *c = base_of(e, task, other->a);
        const char *d = base_of(e, task, other->b);
        if (((strcmp(a, c) == 0 && strcmp(b, d) == 0) || (strcmp(a, d) == 0 && strcmp(b, c) == 0)) &&
            pair->is_restrict == other->is_restrict && pair->equal_will_do == other->equal_will_do) {
            return true;
        }
    }
    return false;
}

static void explain_pair(struct explain *e, const struct plan_task *task, const struct plan_pair *pair)
{
    str_printf(e->out, "    tested at launch: '%s' and '%s' do not overlap%s\n", base_of(e, task, pair->a),
               base_of(e, task, pair->b),
               pair->is_restrict     ? ", as restrict says, else an error"
               : pair->equal_will_do ? " (or are the same), else in order"
                                     : ", else in order");
}

// What made the region a bound of what is touched: launches on other streams are then ordered by all of it.
static void explain_bound(struct explain *e, const struct plan_effect *effect)
{
    if (effect->bound != NULL && effect->bound_loc.line == effect->loc.line) {
        str_printf(e->out, ", a bound: %s", effect->bound);
    } else if (effect->bound != NULL) {
        str_printf(e->out, ", a bound: %s (line %u)", effect->bound, effect->bound_loc.line);
    }
}

static void explain_task(struct explain *e, const struct plan_task *task)
{
    str_printf(e->out, "  task %s, line %u: %s", task->name, task->loc.line,
               task->kind == PLAN_TASK_PARALLEL ? "parallel" : "serial");
    if (task->trip != NULL) {
        str_add(e->out, ", ");
        plan_expr_print(e->kernel, task->trip, e->out);
    }
    if (task->collapse > 1) {
        str_printf(e->out, ", %d loops as one space", task->collapse);
    }
    if (task->block_dim != 0) {
        str_printf(e->out, ", %d threads a block", task->block_dim);
    }
    if (task->group != 0) {
        str_printf(e->out, ", group %d", task->group);
    }
    if (task->partial_size != 0) {
        str_add(e->out, ", with reductions");
    }
    if (task->team != NULL) {
        int64_t limit;
        str_add(e->out,
                task->team_columns > 0 ? ", a block for 16 neighbouring iterations" : ", a warp for each iteration");
        str_add(e->out, plan_expr_is_const(task->team, &limit) ? " of few" : " where its loops are long enough");
    }
    if (task->order_cost != NULL) {
        str_add(e->out, ", or on one thread where that is faster without atomics");
    }
    explain_fused(e, task);
    str_add_char(e->out, '\n');
    for (int i = 0; i < task->effect_count; i++) {
        const struct plan_effect *effect = &task->effects[i];
        str_add(e->out, "    ");
        plan_effect_print(e->module, e->kernel, effect, e->out);
        str_printf(e->out, " (line %u)", effect->loc.line);
        explain_bound(e, effect);
        if (effect->why != NULL) {
            str_printf(e->out, ": %s", effect->why);
        }
        str_add(e->out, effect->copy > 0 ? "; private copies when small" : "");
        str_add_char(e->out, '\n');
    }
    for (int i = 0; i < task->pair_count; i++) {
        if (!is_pair_said(e, task, i)) {
            explain_pair(e, task, &task->pairs[i]);
        }
    }
    for (int i = 0; i < task->condition_count; i++) {
        str_printf(e->out, "    tested at launch: %s, else in order\n", task->conditions[i].text);
    }
}

static void explain_regions(struct explain *e, const struct plan_node *node)
{
    if (node->kind == PLAN_REGION) {
        str_printf(e->out, "  region of %d block%s, line %u:", node->child_count, node->child_count == 1 ? "" : "s",
                   node->loc.line);
        for (int i = 0; i < node->child_count; i++) {
            str_printf(e->out, " group %d%s", node->children[i]->group,
                       node->children[i]->in_order ? " (in order)" : "");
        }
        if (node->child_count == 1) {
            str_add(e->out, "; no other block beside it");
        } else if (node->atomic_a.line != 0) {
            str_printf(e->out, "; %s (line %u",
                       node->conflict_count == 0 ? "independent by explicit atomics" : "explicit atomics meet",
                       node->atomic_a.line);
            if (node->atomic_b.line != node->atomic_a.line) {
                str_printf(e->out, " and line %u", node->atomic_b.line);
            }
            str_add_char(e->out, ')');
        } else if (node->conflict_count == 0) {
            str_add(e->out, "; independent for all arguments");
        }
        if (node->goes_on) {
            str_printf(e->out, "; after the %d blocks before them: no more run at the same time", PLAN_MAX_BLOCKS);
        }
        str_add_char(e->out, '\n');
        for (int i = 0; i < node->conflict_count; i++) {
            const struct plan_conflict *conflict = &node->conflicts[i];
            if (conflict->kind == PLAN_CONFLICT_IN_ORDER) {
                str_printf(e->out, "    block %d starts after block %d\n", conflict->block_b + 1,
                           conflict->block_a + 1);
                continue;
            }
            str_printf(e->out, "    tested at launch: block %d ", conflict->block_a + 1);
            plan_effect_print(e->module, e->kernel, conflict->effect_a, e->out);
            str_printf(e->out, ", block %d ", conflict->block_b + 1);
            plan_effect_print(e->module, e->kernel, conflict->effect_b, e->out);
            str_add(e->out, conflict->is_restrict ? "; an error if they overlap, as restrict says they do not\n"
                                                  : "; program order if they overlap\n");
        }
    }
    for (int i = 0; i < node->child_count; i++) {
        explain_regions(e, node->children[i]);
    }
}

void plan_explain(const struct plan_module *module, bool color, struct str *out)
{
    struct explain e = {.module = module, .out = out, .color = color};
    for (int i = 0; i < module->kernel_count; i++) {
        e.kernel = module->kernels[i];
        str_printf(out, "%s%skernel %s%s (%s:%u)\n", i > 0 ? "\n" : "", paint(&e, "\033[1m"), e.kernel->name,
                   paint(&e, "\033[0m"), plan_file(e.module, e.kernel->loc.file), e.kernel->loc.line);
        for (int k = 0; k < e.kernel->loop_count; k++) {
            explain_loop(&e, &e.kernel->loops[k]);
        }
        explain_regions(&e, e.kernel->root);
        for (int k = 0; k < e.kernel->task_count; k++) {
            explain_task(&e, &e.kernel->tasks[k]);
        }
    }
}
