// What stands behind some of the passes, for people and for the tests of passes.
#include "compiler/pipeline.h"

#include "ir/walk.h"
#include "plan/print.h"

struct notes {
    const struct ir_module *module;
    const struct plan_module *plan;
    struct plan_kernel *kernel;
    struct offload *offload; // NULL: only facts
    struct str *out;
    int depth;
};

// Comment lines of text that has several.
static void add_comment(struct str *out, const char *text)
{
    bool is_start = true;
    for (; *text != '\0'; text++) {
        str_add(out, is_start ? "; " : "");
        str_add_char(out, *text);
        is_start = *text == '\n';
    }
    str_add(out, is_start ? "" : "\n");
}

static void begin_line(struct notes *n)
{
    for (int i = 0; i < n->depth; i++) {
        str_add(n->out, "  ");
    }
}

static void name_loop(struct notes *n, const struct ir_inst *inst)
{
    begin_line(n);
    if (inst->op == IR_OP_FOR) {
        str_printf(n->out, "for $%s#%d", inst->loop->var->name, inst->loop->var->index);
    } else {
        str_add(n->out, ir_op_name(inst->op));
    }
    if (inst->loc.line != 0) {
        str_printf(n->out, " %u:%u", inst->loc.line, inst->loc.column);
    }
    str_add_char(n->out, ':');
}

// ---- facts of the analysis -----------------------------------------------------------------------------------------

static void print_line(struct notes *n, const char *text)
{
    begin_line(n);
    str_printf(n->out, "%s\n", text);
}

static void print_pairs(struct notes *n, const struct loop_facts *facts)
{
    for (int i = 0; i < facts->pair_count; i++) {
        const struct plan_pair *pair = &facts->pairs[i];
        begin_line(n);
        str_printf(n->out, "disjoint%s: %s and %s\n", pair->equal_will_do ? " or equal" : "",
                   plan_effect_base_name(n->plan, n->kernel, &facts->effects[pair->a]),
                   plan_effect_base_name(n->plan, n->kernel, &facts->effects[pair->b]));
    }
    for (int i = 0; i < facts->condition_count; i++) {
        begin_line(n);
        str_printf(n->out, "if %s: ", facts->conditions[i].text);
        plan_expr_print(n->kernel, facts->conditions[i].expr, n->out);
        str_add_char(n->out, '\n');
    }
}

static void print_effects(struct notes *n, const struct loop_facts *facts)
{
    for (int i = 0; i < facts->effect_count; i++) {
        begin_line(n);
        plan_effect_print(n->plan, n->kernel, &facts->effects[i], n->out);
        str_add_char(n->out, '\n');
    }
}

static void print_facts(struct notes *n, const struct ir_inst *inst)
{
    const struct loop_facts *facts = inst->loop->analysis;
    name_loop(n, inst);
    if (facts->trip != NULL) {
        str_add(n->out, " trip ");
        plan_expr_print(n->kernel, facts->trip, n->out);
    }
    if (facts->cost != NULL) {
        str_add(n->out, " cost ");
        plan_expr_print(n->kernel, facts->cost, n->out);
    }
    str_add_char(n->out, '\n');
    n->depth++;
    print_effects(n, facts);
    print_pairs(n, facts);
    for (int i = 0; i < facts->reduction_count; i++) {
        begin_line(n);
        str_printf(n->out, "reduces into memory by %s of %s\n", ir_update_name(facts->reductions[i].update),
                   ir_type_name(facts->reductions[i].type));
    }
    if (facts->shared_count > 0) {
        begin_line(n);
        str_printf(n->out, "updates that iterations share: %d\n", facts->shared_count);
    }
    if (facts->independent_by_updates) {
        print_line(n, "independent only because updates of the same memory commute");
    }
    if (facts->parallel_but_for_blocks) {
        print_line(n, "in order only because of the blocks in it");
    }
    n->depth--;
}

// ---- what the passes towards the plan have settled -----------------------------------------------------------------

// What is around a loop: nothing that is a task, a task, or one that may also be control with tasks in it.
enum around { AROUND_NONE, AROUND_TASK, AROUND_EITHER };

static const char *what_becomes_of(const struct offload_note *note, enum around around)
{
    if (around != AROUND_NONE) {
        return around == AROUND_EITHER && note->is_chosen ? "a task, where the loop around it is control" : "in a task";
    }
    return note->is_chosen ? "a task" : note->has_task ? "control" : "serial code";
}

static void print_choice(struct notes *n, struct ir_inst *inst, enum around around)
{
    const struct offload_note *note = offload_note(n->offload, inst);
    name_loop(n, inst);
    str_printf(n->out, " %s", what_becomes_of(note, around));
    if (note->nest != NULL && note->nest->is_found) {
        str_printf(n->out, ", a nest of %d loops", note->nest->count);
        const char *words = nest_words(n->offload, note->nest);
        str_printf(n->out, "%s%s", words != NULL ? ", " : "", words != NULL ? words : "");
    } else if (note->nest != NULL && note->nest->why_not != NULL) {
        str_printf(n->out, ", no nest: %s", note->nest->why_not);
    }
    if (note->loop_index >= 0 && n->offload->loops.items[note->loop_index].fusion != NULL) {
        str_printf(n->out, ", %s", n->offload->loops.items[note->loop_index].fusion);
    }
    if (note->is_short != NULL) {
        str_add(n->out, ", or control if ");
        plan_expr_print(n->kernel, note->is_short, n->out);
    }
    str_add_char(n->out, '\n');
}

static enum around around_inside(struct notes *n, struct ir_inst *inst, enum around around)
{
    if (inst->op != IR_OP_FOR || n->offload == NULL || !offload_note(n->offload, inst)->is_chosen) {
        return around;
    }
    return around != AROUND_TASK && offload_note(n->offload, inst)->is_short != NULL ? AROUND_EITHER : AROUND_TASK;
}

static void print_loops(struct notes *n, struct ir_region *region, enum around around)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        bool is_loop = inst->op == IR_OP_FOR || inst->op == IR_OP_LOOP;
        if (is_loop && n->offload != NULL) {
            print_choice(n, inst, around);
        } else if (inst->op == IR_OP_FOR && inst->loop->analysis != NULL) {
            print_facts(n, inst);
        }
        n->depth += is_loop;
        for (int i = 0; i < inst->region_count; i++) {
            print_loops(n, &inst->regions[i], around_inside(n, inst, around));
        }
        n->depth -= is_loop;
    }
}

static void print_copies(struct notes *n)
{
    for (int i = 0; i < n->kernel->task_count; i++) {
        const struct plan_task *task = &n->kernel->tasks[i];
        for (int k = 0; k < task->effect_count; k++) {
            if (task->effects[k].copy != 0) {
                str_printf(n->out, "  task %s: updates of %s may go to private copy %d\n", task->name,
                           plan_effect_base_name(n->plan, n->kernel, &task->effects[k]), task->effects[k].copy);
            }
        }
    }
}

static void print_plan(struct notes *n)
{
    struct offload *o = n->offload;
    offload_show(o);
    if (o->is_chosen) {
        str_printf(n->out, "loops of kernel %s\n", n->kernel->name);
        n->depth = 1;
        print_loops(n, &o->kernel->body, AROUND_NONE);
    }
    str_add(n->out, "plan of ");
    plan_print_kernel(n->plan, n->kernel, o->has_slots, n->out);
    print_copies(n);
}

// Of a kernel that has no plan yet: facts name its parameters.
static void print_kernel_facts(struct notes *n, struct ir_function *kernel)
{
    struct diags diags; // what is wrong with the parameters is said when the plan is made
    diags_init(&diags, n->out->arena);
    struct offload *o = offload_create((struct ir_module *)n->module, kernel, (struct plan_module *)n->plan, &diags);
    describe_signature(o);
    n->kernel = o->out;
    str_printf(n->out, "facts about the loops of kernel %s\n", kernel->name);
    n->depth = 1;
    print_loops(n, &kernel->body, AROUND_NONE);
}

static bool has_no_facts(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_FOR || inst->loop->analysis == NULL;
}

void pipeline_print(const struct pipeline_result *result, struct str *out)
{
    struct str text;
    str_init(&text, out->arena);
    struct notes n = {.module = result->module, .out = &text};
    ir_print(result->module, out);
    for (int i = 0; i < result->kernel_count; i++) {
        n.offload = result->kernels[i];
        n.plan = n.offload->plan;
        n.kernel = n.offload->out;
        print_plan(&n);
    }
    for (int i = 0; i < result->module->function_count && result->kernel_count == 0; i++) {
        struct ir_function *function = result->module->functions[i];
        if (function->kind == IR_FUNCTION_KERNEL && !walk_region(&function->body, has_no_facts, NULL)) {
            n.plan = n.plan != NULL ? n.plan : offload_module(result->module);
            print_kernel_facts(&n, function);
        }
    }
    add_comment(out, str_text(&text));
}
