// Which tasks are taken in panels: independent iterations around a loop whose iterations are independent too, around
// one that runs in order and loads what all rows share, like the product of two matrices. Four rows by some vectors of
// columns stay in registers through the innermost loop, so that one load serves four multiplications; and what they
// share is copied for a block of rows, where it lies side by side in the cache.
//
// Independence allows any order of rows and columns. Each element's own loop runs as it did.
#include "codegen/panels.h"

#include "ir/assignment.h"
#include "ir/trip.h"
#include "ir/walk.h"

enum { CODE_LIMIT = 120 }; // instructions of an iteration

// ---- what varies from row to row ----------------------------------------------------------------------------------

static bool is_in(const struct ir_inst *inst, const struct ir_region *region)
{
    const struct ir_region *at = inst->parent;
    while (at != NULL && at != region) {
        at = at->owner != NULL ? at->owner->parent : NULL;
    }
    return at != NULL;
}

bool panels_is_strips(const struct panels *panels, const struct ir_inst *inst)
{
    const struct ir_function *task = panels->e->function->ir;
    if (inst->op != IR_OP_IF || inst->parent != &task->body || inst->args[0]->parent != &task->prologue ||
        (inst->region_count > 1 && inst->regions[1].first != NULL)) {
        return false;
    }
    for (const struct ir_inst *at = inst->regions[0].first; at != NULL; at = at->next) {
        if (!ir_op_is_value(at->op) && at->op != IR_OP_SET) {
            return false;
        }
    }
    return true;
}

static bool is_left_out(const struct panels *panels, const struct ir_inst *inst)
{
    const struct ir_inst *owner = inst->parent->owner;
    return owner != NULL && panels_is_strips(panels, owner);
}

// True: something was found to vary that did not before.
static bool note_varying(struct panels *panels)
{
    bool is_new = false;
    WALK (inst, &panels->e->function->ir->body) {
        if (is_left_out(panels, inst)) {
            continue;
        }
        bool does = (inst->op == IR_OP_GET && panels->row_var[inst->var->index]) || inst->op == IR_OP_ITER;
        for (int i = 0; i < inst->arg_count; i++) {
            does |= inst->args[i]->id >= 0 && panels->row_value[inst->args[i]->id];
        }
        if (does && inst->id >= 0 && !panels->row_value[inst->id]) {
            panels->row_value[inst->id] = true;
            is_new = true;
        }
        if (does && ir_op_sets(inst->op) && !panels->row_var[inst->var->index]) {
            panels->row_var[inst->var->index] = true;
            is_new = true;
        }
    }
    return is_new;
}

static bool varies(const struct panels *panels, const struct ir_inst *inst)
{
    return panels->row_value[inst->id];
}

// ---- the shape of the code ----------------------------------------------------------------------------------------

static const struct ir_inst *into_columns(const struct panels *panels, const struct ir_inst *inst)
{
    while (inst == panels->columns && inst != NULL) {
        const struct ir_inst *first = inst->regions[0].first;
        inst = first != NULL ? first : inst->next;
    }
    return inst;
}

const struct ir_inst *panels_first(const struct panels *panels)
{
    return into_columns(panels, panels->depth->regions[0].first);
}

const struct ir_inst *panels_next(const struct panels *panels, const struct ir_inst *inst)
{
    if (inst->next == NULL && inst->parent == &panels->columns->regions[0] && panels->update != NULL) {
        return panels->columns->next;
    }
    return into_columns(panels, inst->next);
}

// The only loop of a region; NULL: there is none, or something else that has regions.
static const struct ir_inst *only_loop(const struct ir_region *region)
{
    const struct ir_inst *loop = NULL;
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR && loop == NULL) {
            loop = inst;
        } else if (inst->region_count > 0) {
            return NULL;
        }
    }
    return loop;
}

// Whether nothing reads a variable that a loop before the others assigns.
static bool keeps_to_itself(const struct panels *panels, const struct ir_inst *head)
{
    const struct ir_region *body = &panels->e->function->ir->body;
    WALK (inst, &head->regions[0]) {
        bool is_good = ir_op_is_value(inst->op) || ir_op_sets(inst->op) || inst->op == IR_OP_FOR ||
                       inst->op == IR_OP_LOAD || inst->op == IR_OP_STORE || inst->op == IR_OP_UPDATE;
        if (!is_good || inst->is_volatile || inst->atomic) {
            return false;
        }
    }
    WALK (inst, body) {
        bool reads = inst->op == IR_OP_GET || inst->op == IR_OP_VUPDATE;
        if (reads && !walk_is_inside(inst, head) && assignment_is_in(head, inst->var)) {
            return false;
        }
    }
    return true;
}

// Around both loops there are values, which each row computes by itself, and before them loops that hand on nothing but
// what they write to memory.
static bool has_good_rows(struct panels *panels, const struct ir_inst *outer)
{
    bool is_behind = false;
    for (const struct ir_inst *inst = panels->e->function->ir->body.first; inst != NULL; inst = inst->next) {
        bool is_head = inst->op == IR_OP_FOR && inst != outer && !is_behind;
        bool is_good = ir_op_is_value(inst->op) || inst->op == IR_OP_SET || inst == outer ||
                       panels_is_strips(panels, inst) || (is_head && keeps_to_itself(panels, inst));
        if (!is_good) {
            return false;
        }
        panels->has_heads |= is_head;
        is_behind |= inst == outer;
    }
    return true;
}

// Whether a value of the inner loop can be computed before the outer one.
static bool is_settled(const struct ir_inst *outer, const struct ir_inst *value)
{
    if (!is_in(value, &outer->regions[0])) {
        return true;
    }
    if (!ir_op_is_pure(value->op)) {
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!is_settled(outer, value->args[i])) {
            return false;
        }
    }
    return true;
}

// All rows have the same iterations of both loops.
static bool has_good_loops(struct panels *panels)
{
    const struct ir_inst *columns = panels->columns, *depth = panels->depth;
    const struct ir_inst *outer = panels->update != NULL ? depth : columns;
    bool is_same = true;
    for (int i = 0; i < 2; i++) {
        is_same &= !varies(panels, columns->args[i]) && !varies(panels, depth->args[i]) &&
                   is_settled(outer, columns->args[i]) && is_settled(outer, depth->args[i]);
    }
    return is_same && lanes_may_count(panels->lanes, depth) && has_good_rows(panels, outer);
}

// Whether a value of the innermost loop can be computed without what that loop hands on; |is_fixed|: and is the same in
// all of its iterations.
static bool is_free(const struct panels *panels, const struct ir_inst *value, bool is_fixed)
{
    const struct ir_region *depth = &panels->depth->regions[0];
    if (!is_in(value, depth)) {
        return true;
    }
    if (value->op == IR_OP_GET) {
        const struct ir_inst *set = assignments_only_set(&panels->lanes->assigned[value->var->index]);
        return value->var == panels->columns->loop->var ||
               (value->var == panels->depth->loop->var ? !is_fixed
                                                       : !assignment_is_in_region(depth, value->var) ||
                                                             (set != NULL && is_free(panels, set->args[0], is_fixed)));
    }
    if (is_fixed && !ir_op_is_pure(value->op)) {
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!is_free(panels, value->args[i], is_fixed)) {
            return false;
        }
    }
    return true;
}

// What stands in the columns before the depth and behind it.
static bool has_good_columns(const struct panels *panels)
{
    bool is_behind = false;
    for (const struct ir_inst *inst = panels->columns->regions[0].first; inst != NULL; inst = inst->next) {
        bool writes = inst->op == IR_OP_STORE || inst->op == IR_OP_UPDATE;
        bool is_good = ir_op_is_value(inst->op) || ir_op_sets(inst->op) || inst->op == IR_OP_LOAD ||
                       inst == panels->depth || (writes && is_behind);
        if (!is_good) {
            return false;
        }
        is_behind |= inst == panels->depth;
    }
    return true;
}

// ---- the innermost loop -------------------------------------------------------------------------------------------

// A variable of one iteration.
static bool is_temporary(const struct panels *panels, const struct ir_var *var)
{
    const struct ir_inst *set = assignments_only_set(&panels->lanes->assigned[var->index]);
    if (set == NULL || !is_in(set, &panels->depth->regions[0])) {
        return false;
    }
    bool is_set = false;
    int count = 0;
    for (const struct ir_inst *inst = panels_first(panels); inst != NULL; inst = panels_next(panels, inst)) {
        is_set |= inst == set;
        if (inst->op == IR_OP_GET && inst->var == var) {
            count++;
            if (!is_set) {
                return false;
            }
        }
    }
    WALK (inst, &panels->e->function->ir->body) {
        count -= inst->op == IR_OP_GET && inst->var == var;
    }
    return count == 0;
}

static bool keep(struct panels *panels, const struct ir_var *var)
{
    for (int i = 0; i < panels->kept_count; i++) {
        if (panels->kept[i] == var) {
            return true;
        }
    }
    if (is_temporary(panels, var)) {
        return true;
    }
    if (!panels->lanes->varies[var->index] || panels->kept_count == PANEL_VARIABLES || panels->update != NULL) {
        return false;
    }
    panels->kept[panels->kept_count++] = var;
    return true;
}

static bool note_load(struct panels *panels, const struct ir_inst *load)
{
    bool is_vector = panels->lanes->values[load->id].kind == LANES_VECTOR;
    if (panels->update != NULL && !emit_is_only_read(panels->e, load)) {
        return false;
    }
    if (!is_vector || varies(panels, load)) { // of a row's own: along the lanes, or one for all
        return !is_vector || lanes_is_unit(panels->lanes, load);
    }
    if (panels->copied_count == PANEL_COPIES || !is_free(panels, load, false)) {
        return false;
    }
    panels->copied[panels->copied_count++] = load;
    return true;
}

// Straight code that loads, computes and adds up.
static bool has_good_depth(struct panels *panels)
{
    for (const struct ir_inst *inst = panels_first(panels); inst != NULL; inst = panels_next(panels, inst)) {
        bool is_good = inst->op == IR_OP_LOAD   ? note_load(panels, inst)
                       : ir_op_sets(inst->op)   ? keep(panels, inst->var)
                       : inst == panels->update ? varies(panels, inst->args[0]) && is_free(panels, inst->args[0], true)
                                                : ir_op_is_value(inst->op);
        if (!is_good) {
            return false;
        }
    }
    return panels->copied_count > 0 && (panels->kept_count > 0 || panels->update != NULL);
}

// Copies are made before anything is written; that another column writes what is copied is ruled out with the
// dependence of the columns. What this one writes itself comes behind its loop. Where the depth is around the columns
// nobody writes what it loads, but for the place that is updated: each has its own, in the order of the depth.
static bool has_good_code(struct panels *panels)
{
    struct emit_function *f = panels->e->function;
    bool *only_read = f->only_read;
    if (panels->update != NULL) {
        emit_plan_reads(panels->e);
    }
    bool is_good = (panels->update != NULL || has_good_columns(panels)) && has_good_depth(panels);
    f->only_read = only_read;
    return is_good;
}

// ---- all of it ----------------------------------------------------------------------------------------------------

static bool is_short(const struct ir_function *task)
{
    int count = 0;
    WALK (inst, &task->body) {
        count++;
    }
    return count <= CODE_LIMIT;
}

// The only update of memory in a loop's body.
static const struct ir_inst *only_update(const struct ir_inst *loop)
{
    const struct ir_inst *update = NULL;
    for (const struct ir_inst *inst = loop->regions[0].first; inst != NULL; inst = inst->next) {
        if (ir_op_accesses(inst->op) && ir_op_writes(inst->op)) {
            if (update != NULL || inst->op != IR_OP_UPDATE) {
                return NULL;
            }
            update = inst;
        }
    }
    return update;
}

// Which of two loops counts columns: an independent one that holds the other, or that adds up in memory.
static bool find_loops(struct panels *panels)
{
    const struct ir_inst *outer = panels->e->function->ir->body.last;
    while (outer != NULL && outer->op != IR_OP_FOR) {
        outer = outer->prev;
    }
    const struct ir_inst *inner = outer != NULL ? only_loop(&outer->regions[0]) : NULL;
    if (inner == NULL || emit_has_loops(&inner->regions[0])) {
        return false;
    }
    if (outer->loop->verdict >= IR_VERDICT_PROVEN && emit_is_independent(outer->loop)) {
        panels->columns = outer;
        panels->depth = inner;
        return true;
    }
    panels->columns = inner;
    panels->depth = outer;
    panels->update = only_update(inner);
    return panels->update != NULL && emit_is_independent(inner->loop);
}

struct panels *panels_find(struct emitter *e)
{
    const struct ir_function *task = e->function->ir;
    struct panels *panels = ARENA_NEW(e->arena, struct panels);
    *panels = (struct panels){.e = e};
    if (!task->assume_independent || task->accumulator_count > 0 || task->is_serial || !is_short(task) ||
        !find_loops(panels)) {
        return NULL;
    }
    panels->lanes = lanes_find_rows(e, panels->columns, PANEL_ROWS);
    if (panels->lanes == NULL || !panels->lanes->may_mask) {
        return NULL;
    }
    panels->row_value = ARENA_ARRAY(e->arena, bool, task->value_count + 1);
    panels->row_var = ARENA_ARRAY(e->arena, bool, task->var_count + 1);
    while (note_varying(panels)) {
    }
    uint64_t trips;
    bool is_narrow = trip_is_known(panels->columns, &trips) && trips < (uint64_t)panels->lanes->width / 2;
    return !is_narrow && has_good_loops(panels) && has_good_code(panels) ? panels : NULL;
}
