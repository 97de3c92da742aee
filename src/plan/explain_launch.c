// A launch for people: what becomes of each nest with these values. The walk goes the way that back ends go, but of a
// loop in order it takes the round in the middle, and it runs nothing: what tasks compute it does not know.
#include "plan/mapping.h"
#include "plan/print.h"
#include "plan/resident.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct walk {
    const struct plan_module *module;
    const struct plan_kernel *kernel;
    const struct plan_machine *machine;
    struct plan_values values;
    unsigned char *block; // the launch block, as far as it is known
    bool *is_unknown;     // by slot: a task computes it
    struct str *out;
    int depth;
};

__attribute__((format(printf, 2, 3))) static void say(struct walk *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char line[512];
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    str_printf(w->out, "%*s%s", 2 + 2 * w->depth, "", line);
}

static bool eval(struct walk *w, const struct plan_expr *expr, int64_t *out)
{
    union ir_value value;
    bool is_known =
        expr != NULL && !plan_expr_reads(w->kernel, expr, w->is_unknown) && plan_eval(expr, &w->values, &value);
    *out = is_known ? value.i : 0;
    return is_known;
}

// 1234567 as 1.2 million.
static const char *amount(char *buffer, size_t size, int64_t value)
{
    double v = (double)value;
    const char *unit = v >= 1e9 ? " billion" : v >= 1e6 ? " million" : v >= 1e4 ? " thousand" : "";
    double scale = v >= 1e9 ? 1e9 : v >= 1e6 ? 1e6 : v >= 1e4 ? 1e3 : 1;
    snprintf(buffer, size, scale == 1 ? "%.0f%s" : "%.3g%s", v / scale, unit);
    return buffer;
}

static void store_slot(struct walk *w, int64_t offset, enum ir_type type, const union ir_value *value)
{
    if (offset < 0 || (uint64_t)offset + (uint64_t)ir_type_size(type) > w->kernel->block_size) {
        return;
    }
    if (type == IR_F32) {
        float number = (float)value->f;
        memcpy(w->block + offset, &number, sizeof number);
    } else {
        memcpy(w->block + offset, value, (size_t)ir_type_size(type)); // little endian
    }
}

static void set_known(struct walk *w, int64_t offset, bool is_known)
{
    int slot = plan_slot_at(w->kernel, offset);
    if (slot >= 0) {
        w->is_unknown[slot] = !is_known;
    }
}

// ---- tasks ---------------------------------------------------------------------------------------------------------

// How neighbouring iterations touch the array, for a GPU and for vectors. What they touch in all, over |trip|
// iterations, says how far they are apart where nothing else does.
static void say_effect(struct walk *w, const struct plan_effect *effect, int64_t trip)
{
    static const char *const verbs[] = {"reads", "writes", "updates"};
    const struct plan_region *region = &effect->region;
    int64_t step, low, high, bytes = 0;
    say(w, "  %s %s: ", verbs[effect->access], plan_effect_base_name(w->module, w->kernel, effect));
    if (region->step != NULL && eval(w, region->step, &step) && step != 0) {
        bytes = step < 0 ? -step : step;
    } else if (trip > 0 && eval(w, region->low, &low) && eval(w, region->high, &high) && high > low) {
        bytes = (high - low) / trip;
    }
    int width = region->width > 0 ? region->width : ir_type_size(effect->type);
    if (bytes == 0) {
        str_add(w->out, region->low == NULL ? "anywhere" : "all iterations the same places, or nearly");
    } else if (bytes <= width) {
        str_add(w->out, "neighbouring iterations touch neighbouring elements");
    } else {
        str_printf(w->out, "%lld bytes from one iteration's to the next one's", (long long)bytes);
    }
    str_add(w->out, effect->access == PLAN_UPDATE && effect->is_atomic ? ", atomic\n" : "\n");
}

static void say_effects(struct walk *w, const struct plan_task *task, int64_t trip)
{
    enum { MOST = 12 };
    for (int i = 0; i < task->effect_count && i < MOST; i++) {
        const struct plan_effect *effect = &task->effects[i];
        bool is_said = false; // arrays are read at many places
        for (int k = 0; k < i && !is_said; k++) {
            const struct plan_effect *other = &task->effects[k];
            is_said = other->base == effect->base && other->index == effect->index && other->access == effect->access;
        }
        if (!is_said && effect->base != PLAN_BASE_BLOCK) {
            say_effect(w, effect, trip);
        }
    }
}

// Conditions and pairs, as far as they are known here.
static bool is_known_fast(struct walk *w, const struct plan_task *task, bool *out_fast, struct str *why)
{
    for (int i = 0; i < task->condition_count; i++) {
        if (plan_expr_reads(w->kernel, task->conditions[i].expr, w->is_unknown)) {
            return false;
        }
    }
    *out_fast = plan_task_is_fast(w->kernel, task, &w->values, why);
    return true;
}

static void say_gpu(struct walk *w, const struct plan_task *task, int64_t trip)
{
    int64_t limit;
    say(w, "  one launch");
    if (task->team != NULL && eval(w, task->team, &limit)) {
        str_printf(w->out,
                   trip <= limit ? "; two-level: %s for each iteration"
                                 : "; one thread for each iteration (two-level, %s each, where there are fewer or "
                                   "longer ones)",
                   task->team_columns > 0 ? "a team across warps" : "a warp");
    }
    for (int i = 0; i < task->tile_count; i++) {
        str_printf(w->out, "%s %d x %d", i == 0 ? "; in tiles, if they fill the device, of" : " or",
                   task->tiles[i].rows, task->tiles[i].columns);
    }
    str_add(w->out, task->is_merged ? "; sums by thread blocks\n" : "\n");
}

static void say_cpu(struct walk *w, const struct plan_task *task, int64_t trip, int64_t work)
{
    struct plan_cut cut;
    plan_cut_task(task, trip, work, w->machine->workers, true, &cut);
    if (cut.is_shared) {
        say(w, "  shared: %lld pieces of %lld iterations for %d threads\n", (long long)cut.pieces, (long long)cut.size,
            w->machine->workers);
    } else {
        say(w, "  on one thread: %s\n",
            w->machine->workers < 2  ? "there is no other"
            : work < PLAN_WORK_ALONE ? "sharing so little costs more than it saves"
                                     : "there is one piece");
    }
    int64_t cost;
    if (task->order_cost != NULL && eval(w, task->order_cost, &cost)) {
        char a[32];
        say(w, "  or in order without atomics, ~%s operations, where that is less\n",
            amount(a, sizeof a, plan_work(trip, cost > 1 ? cost : 1)));
    }
}

static void explain_task(struct walk *w, int index)
{
    const struct plan_task *task = &w->kernel->tasks[index];
    if (task->kind == PLAN_TASK_SERIAL) {
        int64_t cost;
        if (task->loop >= 0) {
            say(w, "line %u: the nest in the order of the source, on one thread\n", task->loc.line);
        } else if (task->cost != NULL && eval(w, task->cost, &cost) && cost > PLAN_WORK_CHUNK) {
            char a[32];
            say(w, "line %u: serial code, ~%s operations\n", task->loc.line, amount(a, sizeof a, cost));
        }
        return;
    }
    char a[32], b[32], c[32];
    int64_t trip, cost;
    bool has_trip = eval(w, task->trip, &trip);
    bool has_cost = task->cost != NULL && eval(w, task->cost, &cost);
    cost = has_cost ? (cost > 1 ? cost : 1) : PLAN_COST_UNKNOWN;
    say(w, "line %u: %s", task->loc.line, task->collapse > 1 ? "" : "task of ");
    if (task->collapse > 1) {
        str_printf(w->out, "collapsed, %d loops as one space of ", task->collapse);
    }
    if (!has_trip) {
        str_add(w->out, "as many iterations as only a run tells\n");
        say_effects(w, task, 0);
        return;
    }
    int64_t work = plan_work(trip, cost);
    str_printf(w->out, "%s iterations, ~%s operations each, ~%s in all (%s)\n", amount(a, sizeof a, trip),
               amount(b, sizeof b, cost), amount(c, sizeof c, work), task->name);
    bool is_fast = true;
    struct str why;
    str_init(&why, w->out->arena);
    if (!is_known_fast(w, task, &is_fast, &why)) {
        say(w, "  parallel if conditions hold that only a run tells\n");
    } else if (!is_fast) {
        say(w, "  in order, on one thread: %s\n", str_text(&why));
        return;
    }
    if (trip <= 0) {
        say(w, "  nothing to do\n");
    } else if (w->machine->is_gpu) {
        say_gpu(w, task, trip);
    } else {
        say_cpu(w, task, trip, work);
    }
    say_effects(w, task, trip);
}

// ---- control -------------------------------------------------------------------------------------------------------

static void explain_node(struct walk *w, const struct plan_node *node);

static void explain_children(struct walk *w, const struct plan_node *node)
{
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            explain_node(w, node->children[i]);
        }
    }
}

// What the launch compares: the loops inside as tasks, against the loop itself as one.
static void explain_ways(struct walk *w, const struct plan_node *node)
{
    char a[32], b[32];
    int64_t takes_inner = 0, inner, outer;
    const struct plan_task *task = &w->kernel->tasks[node->task];
    if (!eval(w, node->expr, &takes_inner)) {
        say(w, "line %u: outer or inner, as only a run tells\n", node->loc.line);
        explain_children(w, node);
        return;
    }
    say(w, "line %u: %s", node->loc.line,
        takes_inner != 0 ? "inner: the loop is control, those inside it are tasks"
                         : "outer: its iterations are shared out");
    bool is_compared = node->expr->kind == PLAN_EXPR_OP && node->expr->op == IR_OP_SLT &&
                       eval(w, node->expr->args[0], &inner) && eval(w, node->expr->args[1], &outer);
    if (is_compared) {
        str_printf(w->out, " (one thread's operations: inner ~%s, outer ~%s)", amount(a, sizeof a, inner),
                   amount(b, sizeof b, outer));
    }
    str_add_char(w->out, '\n');
    bool is_fast;
    struct str why;
    str_init(&why, w->out->arena);
    if (takes_inner != 0 && is_known_fast(w, task, &is_fast, &why) && !is_fast) {
        say(w, "  outer would be in order: %s\n", str_text(&why));
    }
    const struct plan_node *taken = node->children[takes_inner != 0 ? 0 : 1];
    if (taken != NULL) {
        explain_node(w, taken);
    }
}

static bool is_source_order(const struct plan_kernel *kernel, const struct plan_node *node)
{
    node = plan_node_alone(node);
    return node != NULL && node->kind == PLAN_TASK && kernel->tasks[node->task].kind == PLAN_TASK_SERIAL &&
           kernel->tasks[node->task].loop >= 0;
}

// Whether the expression reads a slot of the compiler's own that is called |name| and a number.
static bool reads_slot(const struct walk *w, const struct plan_expr *expr, const char *name)
{
    int slot = expr->kind == PLAN_EXPR_SLOT ? plan_slot_at(w->kernel, expr->imm) : -1;
    bool reads = slot >= 0 && strncmp(w->kernel->slots[slot].name, name, strlen(name)) == 0;
    for (int i = 0; i < expr->arg_count && !reads; i++) {
        reads = reads_slot(w, expr->args[i], name);
    }
    return reads;
}

static void explain_if(struct walk *w, const struct plan_node *node)
{
    int64_t holds;
    const struct plan_node *other = node->child_count > 1 ? node->children[1] : NULL;
    if (node->task >= 0) {
        explain_ways(w, node);
    } else if (!eval(w, node->expr, &holds)) {
        say(w, "line %u: either of these, as only a run tells\n", node->loc.line);
        w->depth++;
        explain_children(w, node);
        w->depth--;
    } else {
        if (is_source_order(w->kernel, other)) {
            say(w, "line %u: %s\n", node->loc.line,
                holds != 0 ? "another order than the source's: its tests hold"
                           : "another order than the source's is not lawful for these values");
        }
        const struct plan_node *taken = holds != 0 ? node->children[0] : other;
        if (holds != 0 && reads_slot(w, node->expr, ".work")) {
            say(w,
                "line %u: what was parallel in this round is too small to share: the next ones run as one serial "
                "task\n",
                node->loc.line);
        } else if (taken != NULL) {
            explain_node(w, taken);
        }
    }
}

// Whatever the body assigns or computes is not known where the middle of the loop begins.
static void forget(struct walk *w, const struct plan_node *node)
{
    if (node->kind == PLAN_ASSIGN) {
        set_known(w, node->slot, false);
    }
    const struct plan_task *task = plan_node_task(node) >= 0 ? &w->kernel->tasks[plan_node_task(node)] : NULL;
    for (int i = 0; task != NULL && i < task->slot_use_count; i++) {
        if (task->slot_uses[i].writes) {
            set_known(w, task->slot_uses[i].offset, false);
        }
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            forget(w, node->children[i]);
        }
    }
}

static bool explain_whole(struct walk *w, const struct plan_node *node)
{
    int64_t is_small = 0;
    if (node->whole_task < 0 || (node->whole_if != NULL && !eval(w, node->whole_if, &is_small))) {
        return false;
    }
    if (node->whole_if == NULL || is_small != 0) {
        say(w,
            "line %u: whole: one thread runs the loop in order, as what is parallel in a round is too small to share\n",
            node->loc.line);
        return true;
    }
    return false;
}

// Where rounds are counted in a slot of the compiler's own (offload/rounds.c): how many are left at the loop's entry.
static bool rounds_left(struct walk *w, int64_t *out)
{
    for (int i = 0; i < w->kernel->slot_count; i++) {
        const struct plan_slot *slot = &w->kernel->slots[i];
        if (slot->name != NULL && strncmp(slot->name, ".left", 5) == 0 && slot->size == 8 && !w->is_unknown[i]) {
            memcpy(out, w->block + slot->offset, sizeof *out);
            return true;
        }
    }
    return false;
}

// Goes on by so many rounds with every variable that each round adds a constant to.
static void skip_rounds(struct walk *w, const struct plan_node *node, int64_t rounds)
{
    const struct plan_expr *sum = node->kind == PLAN_ASSIGN ? node->expr : NULL;
    int64_t value, step;
    if (sum != NULL && sum->kind == PLAN_EXPR_OP && sum->op == IR_OP_ADD && sum->args[0]->kind == PLAN_EXPR_SLOT &&
        sum->args[0]->imm == node->slot && plan_expr_is_const(sum->args[1], &step) && eval(w, sum->args[0], &value)) {
        union ir_value later = {.i = value + rounds * step};
        store_slot(w, node->slot, node->type, &later);
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            skip_rounds(w, node->children[i], rounds);
        }
    }
}

static void explain_rounds(struct walk *w, const struct plan_node *node)
{
    char a[32], b[32];
    int64_t left;
    if (rounds_left(w, &left)) {
        if (left < 1) {
            return;
        }
        skip_rounds(w, node->children[0], left / 2);
        say(w, "line %u: in order, %s rounds; in the middle, round %s\n", node->loc.line, amount(a, sizeof a, left),
            amount(b, sizeof b, left / 2 + 1));
    } else {
        say(w, "line %u: in order, as many rounds as only a run tells; the first:\n", node->loc.line);
    }
    w->depth++;
    explain_node(w, node->children[0]);
    w->depth--;
    forget(w, node->children[0]);
}

static bool is_resident(struct walk *w, const struct plan_node *node)
{
    size_t count = (size_t)w->kernel->slot_count + 1;
    struct plan_resident slots = {ARENA_ARRAY(w->out->arena, bool, count), ARENA_ARRAY(w->out->arena, bool, count),
                                  ARENA_ARRAY(w->out->arena, bool, count)};
    return plan_loop_is_resident(w->kernel, node, &slots);
}

static void explain_loop(struct walk *w, const struct plan_node *node)
{
    int64_t trip = 0, first = 0;
    bool is_for = node->kind == PLAN_FOR;
    bool has_trip = is_for && eval(w, node->trip, &trip), has_first = is_for && eval(w, node->expr, &first);
    if (explain_whole(w, node) || (has_trip && trip <= 0)) {
        return;
    }
    if (node->kind == PLAN_LOOP) {
        explain_rounds(w, node);
        return;
    }
    char a[32], b[32];
    forget(w, node->children[0]);
    if (node->slot >= 0) {
        union ir_value middle = {.i = first + trip / 2 * node->step};
        store_slot(w, node->slot, node->type, &middle);
        set_known(w, node->slot, has_trip && has_first);
    }
    if (has_trip) {
        say(w, "line %u: in order, %s rounds%s%s\n", node->loc.line, amount(a, sizeof a, trip),
            trip > 2 && has_first ? "; in the middle, round " : ":",
            trip > 2 && has_first ? amount(b, sizeof b, trip / 2 + 1) : "");
    } else {
        say(w, "line %u: in order, as many rounds as only a run tells:\n", node->loc.line);
    }
    w->depth++;
    if (w->machine->is_gpu && is_resident(w, node)) {
        int64_t work = 0;
        say(w, "the loop may stay on the device, as one grid whose threads meet behind each task");
        str_printf(w->out, node->work != NULL && eval(w, node->work, &work) ? "; ~%s operations a round\n" : "\n",
                   amount(a, sizeof a, work));
    }
    explain_node(w, node->children[0]);
    w->depth--;
}

static void explain_assign(struct walk *w, const struct plan_node *node)
{
    union ir_value value;
    bool is_known = !plan_expr_reads(w->kernel, node->expr, w->is_unknown) && plan_eval(node->expr, &w->values, &value);
    if (is_known) {
        store_slot(w, node->slot, node->type, &value);
    }
    set_known(w, node->slot, is_known);
}

static void explain_node(struct walk *w, const struct plan_node *node)
{
    switch (node->kind) {
    case PLAN_IF: explain_if(w, node); break;
    case PLAN_FOR:
    case PLAN_LOOP: explain_loop(w, node); break;
    case PLAN_ASSIGN: explain_assign(w, node); break;
    case PLAN_TASK:
        explain_task(w, node->task);
        forget(w, node);
        break;
    case PLAN_REGION:
        say(w, "line %u: %d blocks, each on a stream of its own\n", node->loc.line, node->child_count);
        w->depth++;
        explain_children(w, node);
        w->depth--;
        break;
    default: explain_children(w, node); break;
    }
}

void plan_explain_launch(const struct plan_module *module, const struct plan_values *values,
                         const struct plan_machine *machine, struct str *out)
{
    const struct plan_kernel *kernel = values->kernel;
    struct walk w = {.module = module, .kernel = kernel, .machine = machine, .values = *values, .out = out};
    w.block = ARENA_ARRAY(out->arena, unsigned char, kernel->block_size + 1);
    w.is_unknown = ARENA_ARRAY(out->arena, bool, kernel->slot_count + 1);
    for (int i = 0; i < kernel->slot_count; i++) {
        w.is_unknown[i] = true;
    }
    w.values.block = w.block;
    w.values.memo = (struct plan_memo){0};
    str_printf(out, "kernel %s (%s:%u) on %s", kernel->name, plan_file(module, kernel->loc.file), kernel->loc.line,
               machine->name);
    if (!machine->is_gpu) {
        str_printf(out, ", %d thread%s", machine->workers, machine->workers == 1 ? "" : "s");
    }
    str_add(out, "; arrays taken not to overlap\n");
    explain_node(&w, kernel->root);
}
