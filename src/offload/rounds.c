// Loops in order around tasks whose trip counts only each round knows: the rows of a sparse matrix, say, which may have
// three elements or a million. A round runs as control, with its tasks; where all of these were too small to be shared,
// the next few rounds run as one serial task, and twice as many after the next round that is so. So control is paid
// once for many small rounds, and no more of them run on one thread by mistake than were small before.
//
// What decides is trip counts alone, not time and not the number of threads: sums of floats have the same bits on every
// run.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/walk.h"

#include <assert.h>
#include <string.h>

enum {
    ROUNDS_FIRST = 8,
    ROUNDS_MOST = 4096,
};

struct rounds {
    struct offload *o;
    struct ir_inst *loop;
    struct ir_var *work;  // operations of the largest task of the round
    struct ir_var *chunk; // rounds that are one task the next time
    struct ir_var *count; // rounds that the task is to run
    struct ir_var *left;  // FOR: rounds to go
    struct ir_var *on;    // LOOP: not 0 after a task that did not leave the loop
};

static struct plan_expr *op(struct rounds *r, enum ir_op op, struct plan_expr *a, struct plan_expr *b)
{
    bool is_compare = op == IR_OP_SLT || op == IR_OP_EQ;
    return plan_op(r->o->arena, op, is_compare ? IR_I1 : IR_I64, IR_I64, a, b);
}

static struct plan_expr *number(struct rounds *r, int64_t value)
{
    return plan_const(r->o->arena, IR_I64, value);
}

static struct plan_expr *get(struct rounds *r, const struct ir_var *var)
{
    return offload_var(r->o, var);
}

static struct ir_var *add_var(struct rounds *r, const char *name)
{
    return ir_var_create(r->o->module, r->o->kernel, arena_printf(r->o->arena, ".%s%d", name, r->o->tasks.count),
                         IR_I64);
}

static void assign(struct rounds *r, struct plan_node *parent, const struct ir_var *var, struct plan_expr *value)
{
    offload_assign(r->o, parent, var, value, r->loop->loc);
}

// Moves the last child of the node to the place |at|.
static void move_last(struct plan_node *node, int at)
{
    assert(at >= 0 && at < node->child_count);
    struct plan_node *last = node->children[node->child_count - 1];
    memmove(&node->children[at + 1], &node->children[at], sizeof last * (size_t)(node->child_count - 1 - at));
    node->children[at] = last;
}

// Behind each parallel task its work is noted.
static void note_work(struct rounds *r, struct plan_node *node)
{
    for (int i = 0; i < node->child_count; i++) {
        struct plan_node *child = node->children[i];
        const struct plan_task *task = child->kind == PLAN_TASK ? &r->o->tasks.items[child->task] : NULL;
        if (task == NULL || task->kind != PLAN_TASK_PARALLEL) {
            note_work(r, child);
            continue;
        }
        assert(node->kind == PLAN_SEQUENCE);
        struct plan_expr *most = number(r, INT64_C(1) << 24); // keeps the product below 2^63
        struct plan_expr *cost = task->cost != NULL ? op(r, IR_OP_SMIN, task->cost, most) : number(r, 1);
        struct plan_expr *work = op(r, IR_OP_MUL, op(r, IR_OP_SMIN, task->trip, most), cost);
        assign(r, node, r->work, op(r, IR_OP_SMAX, get(r, r->work), work));
        move_last(node, ++i);
    }
}

static void add_break(struct rounds *r, struct plan_node *parent, struct plan_expr *condition, int target)
{
    struct plan_node *choice = fragment_add_node(r->o, parent, PLAN_IF, r->loop->loc);
    choice->expr = condition;
    offload_add_expr(r->o, &choice->expr);
    struct plan_node *then = fragment_add_node(r->o, choice, PLAN_SEQUENCE, r->loop->loc);
    fragment_add_node(r->o, then, PLAN_BREAK, r->loop->loc)->target = target;
}

// Some rounds at once, where those of this one were small.
static struct plan_node *add_choice(struct rounds *r, struct plan_node *round)
{
    struct plan_node *choice = fragment_add_node(r->o, round, PLAN_IF, r->loop->loc);
    choice->expr = op(r, IR_OP_SLT, get(r, r->work), number(r, offload_work_too_small(r->o)));
    offload_add_expr(r->o, &choice->expr);
    return fragment_add_node(r->o, choice, PLAN_SEQUENCE, r->loop->loc);
}

static void add_rounds(struct rounds *r, struct plan_node *parent)
{
    struct fragment fragment = {.first = r->loop, .rounds = r->count, .goes_on = r->on};
    fragment_add_node(r->o, parent, PLAN_TASK, r->loop->loc)->task =
        whole_loops_add_task(r->o, fragment, parent->group);
    struct plan_expr *twice = op(r, IR_OP_ADD, get(r, r->chunk), get(r, r->chunk));
    assign(r, parent, r->chunk, op(r, IR_OP_SMIN, twice, number(r, ROUNDS_MOST)));
}

// The loop's node becomes a sequence around a loop that counts the rounds to go.
static void build_for(struct rounds *r, struct plan_node *node)
{
    const struct ir_for *loop = r->loop->loop;
    struct plan_node *body = node->children[0];
    struct plan_expr *trip = node->trip, *first = node->expr;
    r->left = add_var(r, "left");
    node->kind = PLAN_SEQUENCE;
    node->child_count = 0;
    node->trip = NULL;
    node->expr = NULL;
    node->step = 0;
    assign(r, node, r->left, trip);
    assign(r, node, loop->var, first);
    assign(r, node, r->chunk, number(r, ROUNDS_FIRST));
    struct plan_node *rounds = fragment_add_node(r->o, node, PLAN_LOOP, r->loop->loc);
    struct plan_node *round = fragment_add_node(r->o, rounds, PLAN_SEQUENCE, r->loop->loc);
    add_break(r, round, op(r, IR_OP_SLT, get(r, r->left), number(r, 1)), rounds->id);
    assign(r, round, r->work, number(r, 0));
    *fragment_add_node(r->o, round, PLAN_SEQUENCE, r->loop->loc) = *body;
    enum ir_type type = loop->var->type;
    assign(r, round, loop->var,
           plan_op(r->o->arena, IR_OP_ADD, type, type, get(r, loop->var), plan_const(r->o->arena, type, loop->step)));
    assign(r, round, r->left, op(r, IR_OP_SUB, get(r, r->left), number(r, 1)));
    struct plan_node *some = add_choice(r, round);
    assign(r, some, r->count, op(r, IR_OP_SMIN, get(r, r->left), get(r, r->chunk)));
    add_rounds(r, some);
    assign(r, some, r->left, op(r, IR_OP_SUB, get(r, r->left), get(r, r->count)));
}

// The loop stays; what it begins with goes before it, to |parent|.
static void build_loop(struct rounds *r, struct plan_node *node, struct plan_node *parent)
{
    struct plan_node *round = node->children[0];
    assert(round->kind == PLAN_SEQUENCE && parent->kind == PLAN_SEQUENCE);
    int at = 0;
    while (parent->children[at] != node) {
        at++;
    }
    r->on = add_var(r, "on");
    assign(r, parent, r->chunk, number(r, ROUNDS_FIRST));
    move_last(parent, at);
    assign(r, round, r->work, number(r, 0));
    move_last(round, 0);
    struct plan_node *some = add_choice(r, round);
    assign(r, some, r->count, get(r, r->chunk));
    add_rounds(r, some);
    add_break(r, some, op(r, IR_OP_EQ, get(r, r->on), number(r, 0)), node->id);
}

static bool has_parallel(const struct offload *o, const struct control_loop *control)
{
    for (int i = control->first_task; i < control->last_task; i++) {
        if (o->tasks.items[i].kind == PLAN_TASK_PARALLEL) {
            return true;
        }
    }
    return false;
}

void rounds_add(struct offload *o, const struct control_loop *control)
{
    struct ir_inst *loop = control->loop;
    struct plan_node *node = control->node;
    assert((loop->op == IR_OP_FOR && node->kind == PLAN_FOR) || (loop->op == IR_OP_LOOP && node->kind == PLAN_LOOP));
    assert(node->whole_task < 0);
    if (o->module->is_gpu || !whole_loops_may_be_task(o, loop) || !has_parallel(o, control)) {
        return;
    }
    struct rounds r = {.o = o, .loop = loop};
    r.work = add_var(&r, "work");
    r.chunk = add_var(&r, "chunk");
    r.count = add_var(&r, "count");
    note_work(&r, node->children[0]);
    if (loop->op == IR_OP_FOR) {
        build_for(&r, node);
    } else {
        build_loop(&r, node, control->parent);
    }
}
