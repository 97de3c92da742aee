// What inlining leaves of `best = better(best, c)` in a loop, where the helper takes and returns structs: copies of the
// struct's members go in, one of two structs comes out through a copy, and a helper that returns at several places does
// so by leaving a block. Without the copies it is `if (e < best.x) { best.x = e; best.y = …; }`, which the analysis and
// the update forms know:
//
//     m = x; … m …                 reads x instead, where x is not assigned meanwhile
//     if (c) m = e; else m = x;    assigns x itself: if (c) x = e;
//     x = m;
//     { if (c) { …; leave } … }    becomes if (c) { … } else { … }
//     t = c ? a : b                of two plain values becomes one value
#include "ir/assignment.h"
#include "ir/walk.h"
#include "passes/promote_internal.h"

#include <assert.h>

enum { MAX_EXITS = 16, MAX_COPIES = 64 };

// What m may be at some place, where it is to become x: not assigned yet, a copy of x, or something else. None of them:
// the place is not reached.
enum { IS_UNSET = 1, IS_COPY = 2, IS_OTHER = 4 };

struct exit {
    const struct ir_inst *block;
    unsigned state; // of all that leave it
};

struct merging {
    struct ir_var *m, *x;
    const struct ir_inst *first; // where m is assigned first …
    int m_count;                 // instructions with m
    struct exit exits[MAX_EXITS];
    int exit_count;
    struct ir_inst *copies[MAX_COPIES]; // of x into m, which go
    int copy_count;
};

static bool is_in_loop(const struct ir_inst *inst)
{
    const struct ir_inst *owner = inst->parent->owner;
    while (owner != NULL && !ir_op_repeats(owner->op)) {
        owner = owner->parent->owner;
    }
    return owner != NULL;
}

static bool mentions(const struct ir_inst *inst, const struct ir_var *var)
{
    return inst->var == var || (inst->op == IR_OP_FOR && inst->loop->var == var);
}

static bool mentions_inside(const struct ir_inst *inst, const struct ir_var *var)
{
    bool found = mentions(inst, var);
    for (int i = 0; i < inst->region_count && !found; i++) {
        WALK (inner, &inst->regions[i]) {
            found |= mentions(inner, var);
        }
    }
    return found;
}

static bool is_assigned_between(const struct ir_inst *first, const struct ir_inst *last, const struct ir_var *var)
{
    for (const struct ir_inst *i = first; i != last; i = i->next) {
        if (i == NULL || assignment_is_in(i, var)) {
            return true; // or |last| does not come after |first|
        }
    }
    return false;
}

// ---- m becomes x ---------------------------------------------------------------------------------------------------

static bool leave_to(struct merging *g, const struct ir_inst *target, unsigned *state)
{
    unsigned left = *state;
    *state = 0;
    for (int i = g->exit_count - 1; i >= 0; i--) {
        if (g->exits[i].block == target) {
            g->exits[i].state |= left;
            return true;
        }
    }
    return (left & IS_OTHER) == 0; // x would have been assigned where it is not
}

// A copy of x as it was at first.
static bool is_copy_of_x(const struct merging *g, const struct ir_inst *set, unsigned state)
{
    const struct ir_inst *get = set->args[0];
    if (get->op != IR_OP_GET || get->var != g->x || (state & IS_OTHER) != 0) {
        return false;
    }
    bool is_before = get->parent == g->first->parent && !is_assigned_between(get, g->first, g->x);
    for (const struct ir_inst *owner = get; owner != NULL && !is_before; owner = owner->parent->owner) {
        is_before = owner->parent == g->first->parent && !is_assigned_between(g->first, owner, g->x);
    }
    return is_before;
}

static bool merge_assignment(struct merging *g, struct ir_inst *inst, unsigned *state)
{
    g->m_count++;
    if (inst->op == IR_OP_SET && is_copy_of_x(g, inst, *state) && g->copy_count < MAX_COPIES) {
        g->copies[g->copy_count++] = inst;
        *state = IS_COPY;
        return true;
    }
    bool reads_nothing = inst->op == IR_OP_VUPDATE && (*state & IS_UNSET) != 0;
    *state = IS_OTHER;
    return !reads_nothing;
}

static bool merge_list(struct merging *g, struct ir_inst *first, const struct ir_inst *last, unsigned *state);

static bool merge_nested(struct merging *g, struct ir_inst *inst, unsigned *state)
{
    if (inst->op == IR_OP_IF) {
        unsigned other = *state;
        bool ok = merge_list(g, inst->regions[0].first, NULL, state) &&
                  (inst->region_count < 2 || merge_list(g, inst->regions[1].first, NULL, &other));
        *state |= other;
        return ok;
    }
    if (inst->op == IR_OP_BLOCK && g->exit_count < MAX_EXITS) {
        g->exits[g->exit_count++] = (struct exit){.block = inst};
        bool ok = merge_list(g, inst->regions[0].first, NULL, state);
        *state |= g->exits[--g->exit_count].state;
        return ok;
    }
    for (int i = 0; i < inst->region_count; i++) {
        WALK (inner, &inst->regions[i]) {
            bool leaves = inner->op == IR_OP_RETURN || ((inner->op == IR_OP_BREAK || inner->op == IR_OP_JUMP) &&
                                                        !walk_is_inside(inner->target, inst));
            if (leaves || mentions(inner, g->m) || mentions(inner, g->x)) {
                return false;
            }
        }
    }
    return !mentions(inst, g->m) && !mentions(inst, g->x);
}

// From |first| up to |last|. False: m cannot be x.
static bool merge_list(struct merging *g, struct ir_inst *first, const struct ir_inst *last, unsigned *state)
{
    for (struct ir_inst *inst = first; inst != last; inst = inst->next) {
        bool ok = true;
        if (inst->region_count > 0) {
            ok = merge_nested(g, inst, state);
        } else if (inst->op == IR_OP_BREAK) {
            ok = leave_to(g, inst->target, state);
        } else if (inst->op == IR_OP_RETURN || inst->op == IR_OP_JUMP) {
            ok = leave_to(g, NULL, state);
        } else if (inst->var == g->m && ir_op_sets(inst->op)) {
            ok = merge_assignment(g, inst, state);
        } else if (inst->var == g->m) {
            g->m_count++;
            ok = inst->op == IR_OP_GET && (*state & IS_UNSET) == 0;
        } else if (inst->var == g->x) {
            ok = inst->op == IR_OP_GET && (*state & IS_OTHER) == 0;
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

static void rename_in(struct ir_inst *inst, const struct merging *g)
{
    inst->var = inst->var == g->m ? g->x : inst->var;
    for (int i = 0; i < inst->region_count; i++) {
        for (struct ir_inst *k = inst->regions[i].first; k != NULL; k = k->next) {
            rename_in(k, g);
        }
    }
}

// Of all instructions with the variable, how many there are.
static int count_of(const struct ir_function *function, const struct ir_var *var)
{
    int count = 0;
    WALK (inst, &function->body) {
        count += mentions(inst, var);
    }
    return count;
}

static bool is_set_of_get(const struct ir_inst *inst)
{
    const struct ir_inst *get = inst->op == IR_OP_SET ? inst->args[0] : NULL;
    return get != NULL && get->op == IR_OP_GET && get->parent == inst->parent && get->var != inst->var &&
           get->var->type == inst->var->type && !get->var->is_memory && !inst->var->is_memory;
}

static void tidy_block(struct ir_inst *block);

// |write| is x = m.
static bool merge_into(const struct ir_function *function, struct ir_inst *write)
{
    struct ir_inst *get = write->args[0];
    struct merging g = {.m = get->var, .x = write->var};
    struct ir_inst *first = NULL;
    for (struct ir_inst *i = get->prev; i != NULL; i = i->prev) {
        first = mentions_inside(i, g.m) ? i : first;
    }
    if (first == NULL || is_assigned_between(get, write, g.m) || is_assigned_between(get, write, g.x)) {
        return false;
    }
    struct ir_inst *before = first->prev;
    if (first->op == IR_OP_BLOCK) {
        tidy_block(first);
        first = before != NULL ? before->next : write->parent->first;
        while (!mentions_inside(first, g.m)) {
            first = first->next;
        }
    }
    g.first = first;
    unsigned state = IS_UNSET;
    bool ok = merge_list(&g, first, write, &state);
    if (!ok || (state & IS_UNSET) != 0 || g.m_count != count_of(function, g.m)) {
        return false;
    }
    for (struct ir_inst *i = first; i != write; i = i->next) {
        rename_in(i, &g);
    }
    for (int i = 0; i < g.copy_count; i++) {
        ir_remove(g.copies[i]);
    }
    ir_remove(write);
    return true;
}

// ---- blocks that are left ------------------------------------------------------------------------------------------

static bool is_leaving(const struct ir_inst *inst, const struct ir_inst *block)
{
    return inst != NULL && inst->op == IR_OP_BREAK && inst->target == block;
}

static void move_rest(struct ir_inst *branch, struct ir_region *to)
{
    for (struct ir_inst *i = branch->next; i != NULL;) {
        struct ir_inst *next = i->next;
        ir_remove(i);
        ir_append(to, i);
        i = next;
    }
}

// Behind the region comes the end of the block.
static void tidy_tail(struct ir_region *region, struct ir_inst *block)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op != IR_OP_IF || inst->region_count != 2) {
            continue;
        }
        for (int side = 0; side < 2 && inst->next != NULL; side++) {
            const struct ir_inst *other = inst->regions[1 - side].last;
            if (is_leaving(inst->regions[side].last, block) && (other == NULL || !ir_op_is_terminator(other->op))) {
                move_rest(inst, &inst->regions[1 - side]);
            }
        }
    }
    struct ir_inst *last = region->last;
    if (is_leaving(last, block)) {
        ir_remove(last);
        tidy_tail(region, block);
    } else if (last != NULL && last->op == IR_OP_IF) {
        for (int i = 0; i < last->region_count; i++) {
            tidy_tail(&last->regions[i], block);
        }
    }
}

static void tidy_block(struct ir_inst *block)
{
    assert(block->op == IR_OP_BLOCK);
    tidy_tail(&block->regions[0], block);
    WALK (inst, &block->regions[0]) {
        if (is_leaving(inst, block)) {
            return;
        }
    }
    while (block->regions[0].first != NULL) {
        ir_move_before(block->regions[0].first, block);
    }
    ir_remove(block);
}

// ---- copies that are read ------------------------------------------------------------------------------------------

// |set| is m = x, the only assignment of m.
static bool read_original(const struct ir_function *function, struct ir_inst *set)
{
    struct ir_var *m = set->var, *x = set->args[0]->var;
    struct ir_inst *last = set;
    int count = 1;
    for (struct ir_inst *i = set->next; i != NULL; i = i->next) {
        if (mentions_inside(i, m)) {
            last = i;
            count += i->op == IR_OP_GET && i->var == m;
            for (int k = 0; k < i->region_count; k++) {
                WALK (inner, &i->regions[k]) {
                    count += inner->op == IR_OP_GET && inner->var == m;
                }
            }
        }
    }
    if (count != count_of(function, m) || is_assigned_between(set->args[0], last, x) || assignment_is_in(last, x)) {
        return false;
    }
    struct merging g = {.m = m, .x = x};
    for (struct ir_inst *i = set->next; i != last->next; i = i->next) {
        rename_in(i, &g);
    }
    ir_remove(set);
    return true;
}

// ---- choices -------------------------------------------------------------------------------------------------------

// The only assignment in the region, if all else there is at hand.
static struct ir_inst *only_set(const struct ir_region *region)
{
    struct ir_inst *set = NULL;
    for (struct ir_inst *i = region->first; i != NULL; i = i->next) {
        if (i->op == IR_OP_SET && set == NULL) {
            set = i;
        } else if (i->op != IR_OP_GET && i->op != IR_OP_CONST && i->op != IR_OP_FCONST) {
            return NULL;
        }
    }
    return set;
}

// What the condition compares, if |value| reads the same variable.
static struct ir_inst *compared(const struct ir_inst *condition, struct ir_inst *value)
{
    for (int i = 0; i < condition->arg_count && value->op == IR_OP_GET; i++) {
        struct ir_inst *get = condition->args[i];
        if (get->op == IR_OP_GET && get->var == value->var && get->parent == value->parent &&
            !is_assigned_between(get, value, get->var)) {
            return get;
        }
    }
    return value;
}

// c ? a : b, where both sides are at hand.
static bool choose_value(struct ir_module *module, struct ir_function *function, struct ir_inst *branch)
{
    if (branch->region_count != 2) {
        return false;
    }
    struct ir_inst *yes = only_set(&branch->regions[0]), *no = only_set(&branch->regions[1]);
    if (yes == NULL || no == NULL || yes->var != no->var || yes->var->name == NULL || yes->var->name[0] != '.') {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        while (branch->regions[side].first != (side == 0 ? yes : no)) {
            ir_move_before(branch->regions[side].first, branch);
        }
    }
    struct ir_builder b = {.module = module, .function = function, .before = branch, .loc = branch->loc};
    struct ir_inst *c = branch->args[0];
    struct ir_inst *value =
        ir_emit3(&b, IR_OP_SELECT, yes->var->type, c, compared(c, yes->args[0]), compared(c, no->args[0]));
    ir_set(&b, yes->var, value);
    ir_remove(branch);
    return true;
}

static bool choose_values(struct ir_module *module, struct ir_function *function)
{
    bool changed = false;
    for (struct ir_inst *inst = function->body.first; inst != NULL;) {
        struct ir_inst *next = walk_next(inst, &function->body);
        if (inst->op == IR_OP_IF && is_in_loop(inst)) {
            struct ir_inst *behind = walk_over(inst, &function->body);
            bool is_value = choose_value(module, function, inst);
            next = is_value ? behind : next;
            changed |= is_value;
        }
        inst = next;
    }
    return changed;
}

// Copies of what a copy is written to at the end.
static bool read_originals(struct ir_module *module, struct ir_function *function)
{
    bool *is_target = ARENA_ARRAY(module->arena, bool, function->var_count + 1);
    WALK (inst, &function->body) {
        if (is_set_of_get(inst) && is_in_loop(inst)) {
            is_target[inst->var->index] = true;
        }
    }
    bool changed = false;
    for (struct ir_inst *inst = function->body.first; inst != NULL;) {
        struct ir_inst *next = walk_next(inst, &function->body);
        if (is_set_of_get(inst) && is_target[inst->args[0]->var->index] && is_in_loop(inst)) {
            changed |= read_original(function, inst);
        }
        inst = next;
    }
    return changed;
}

bool promote_choices(struct ir_module *module, struct ir_function *function)
{
    if (choose_values(module, function)) {
        return true; // what is at hand may be forwarded first
    }
    bool changed = read_originals(module, function);
    for (struct ir_inst *inst = function->body.first; inst != NULL;) {
        struct ir_inst *next = walk_next(inst, &function->body);
        if (is_set_of_get(inst) && is_in_loop(inst)) {
            changed |= merge_into(function, inst);
        }
        inst = next;
    }
    return changed;
}
