// Reads that no write of the same iteration precedes, on some way through a loop's body.
#include "analysis/scalars/scalars.h"

#include "analysis/values/polynomial.h"
#include "ir/trip.h"

#include <string.h>

struct target { // a place that `break` goes to
    const struct ir_inst *inst;
    bool *written; // on all ways that came here; NULL: none came
    struct target *outer;
};

struct walk {
    struct arena *arena;
    struct poly_pool *scratch; // where it is asked for again and again; NULL: none
    int count;
    struct scalar_use *uses;
    bool *written; // by variable: on every way to this place
    bool is_dead;
    struct target *targets;
};

static void *zeroed(struct walk *w, size_t size)
{
    return w->scratch != NULL ? memset(poly_alloc(w->scratch, size), 0, size) : arena_alloc(w->arena, size);
}

static bool *copy_bools(struct walk *w, const bool *from)
{
    bool *copy = zeroed(w, sizeof *copy * (size_t)(w->count + 1));
    memcpy(copy, from, sizeof *copy * (size_t)w->count);
    return copy;
}

static void meet(struct walk *w, bool *into, const bool *from)
{
    for (int i = 0; i < w->count; i++) {
        into[i] = into[i] && from[i];
    }
}

static void visit_region(struct walk *w, struct ir_region *region);

static void note_read(struct walk *w, struct ir_inst *inst, bool is_update)
{
    struct scalar_use *use = &w->uses[inst->var->index];
    if (is_update) {
        use->is_mixed |= use->update != NULL && !ir_updates_combine(use->update->update, inst->update);
        use->update = use->update == NULL ? inst : use->update;
        use->update_count++;
        use->write = use->write == NULL ? inst : use->write;
    } else {
        use->get = use->get == NULL ? inst : use->get;
        use->get_count++;
    }
    if (!w->written[inst->var->index] && !w->is_dead && (use->exposed == NULL || use->exposed->op == IR_OP_VUPDATE)) {
        use->exposed = inst; // one that is no update says more
    }
}

static void note_write(struct walk *w, struct ir_inst *inst, struct ir_var *var)
{
    struct scalar_use *use = &w->uses[var->index];
    if (use->write == NULL || use->write->op == IR_OP_VUPDATE) {
        use->write = inst;
    }
    use->set_count++;
    w->written[var->index] = true;
}

static bool runs_at_least_once(const struct ir_inst *inst)
{
    uint64_t count;
    return trip_is_known(inst, &count) && count > 0;
}

static void visit_for(struct walk *w, struct ir_inst *inst)
{
    note_write(w, inst, inst->loop->var);
    bool *before = copy_bools(w, w->written);
    for (int i = inst->region_count - 1; i >= 0; i--) { // the bound is read before the body runs
        visit_region(w, &inst->regions[i]);
        w->is_dead = false;
    }
    if (!runs_at_least_once(inst)) {
        w->written = before;
    }
}

static void leave_to(struct walk *w, const struct ir_inst *target)
{
    for (struct target *t = w->targets; t != NULL && !w->is_dead; t = t->outer) {
        if (t->inst == target) {
            if (t->written == NULL) {
                t->written = copy_bools(w, w->written);
            } else {
                meet(w, t->written, w->written);
            }
        }
    }
    w->is_dead = true;
}

static void visit_if(struct walk *w, struct ir_inst *inst)
{
    bool *other = copy_bools(w, w->written);
    bool was_dead = w->is_dead;
    visit_region(w, &inst->regions[0]);
    bool *first = w->written;
    bool first_dead = w->is_dead;
    w->written = other;
    w->is_dead = was_dead;
    if (inst->region_count > 1) {
        visit_region(w, &inst->regions[1]);
    }
    if (w->is_dead && !first_dead) {
        w->written = first;
        w->is_dead = false;
    } else if (!w->is_dead && !first_dead) {
        meet(w, w->written, first);
    }
}

// block, loop and switch: what `break` leaves.
static void visit_left(struct walk *w, struct ir_inst *inst)
{
    struct target target = {inst, NULL, w->targets};
    bool *entry = copy_bools(w, w->written);
    bool was_dead = w->is_dead;
    w->targets = &target;
    for (int i = 0; i < inst->region_count; i++) {
        if (inst->op == IR_OP_SWITCH) { // entered here, or from the region before
            if (w->is_dead || i == 0) {
                w->written = copy_bools(w, entry);
            } else {
                meet(w, w->written, entry);
            }
            w->is_dead = was_dead;
        }
        visit_region(w, &inst->regions[i]);
    }
    w->targets = target.outer;
    if (inst->op == IR_OP_LOOP) {
        w->is_dead = true; // only breaks leave it
    }
    if (inst->op == IR_OP_SWITCH && inst->default_region < 0) { // no case may fit
        w->written = entry;
        w->is_dead = was_dead;
    } else if (target.written != NULL) {
        if (!w->is_dead) {
            meet(w, target.written, w->written);
        }
        w->written = target.written;
        w->is_dead = false;
    }
}

static void visit_cfg(struct walk *w, struct ir_inst *inst)
{
    bool *entry = copy_bools(w, w->written);
    for (int i = 0; i < inst->region_count; i++) {
        w->written = copy_bools(w, entry);
        w->is_dead = false;
        visit_region(w, &inst->regions[i]);
    }
    w->written = entry;
    w->is_dead = false;
}

static void visit_inst(struct walk *w, struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_GET: note_read(w, inst, false); return;
    case IR_OP_VUPDATE: note_read(w, inst, true); return;
    case IR_OP_SET: note_write(w, inst, inst->var); return;
    case IR_OP_FOR: visit_for(w, inst); return;
    case IR_OP_IF: visit_if(w, inst); return;
    case IR_OP_BLOCK:
    case IR_OP_LOOP:
    case IR_OP_SWITCH: visit_left(w, inst); return;
    case IR_OP_CFG: visit_cfg(w, inst); return;
    case IR_OP_BREAK: leave_to(w, inst->target); return;
    case IR_OP_JUMP:
    case IR_OP_RETURN:
    case IR_OP_FAIL: w->is_dead = true; return;
    default:
        for (int i = 0; i < inst->region_count; i++) {
            visit_region(w, &inst->regions[i]);
        }
        return;
    }
}

static void visit_region(struct walk *w, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        visit_inst(w, inst);
    }
}

struct scalar_use *scalars_use(struct poly_pool *scratch, const struct ir_function *function, struct ir_inst *loop)
{
    struct walk w = {.scratch = scratch, .count = function->var_count};
    w.uses = zeroed(&w, sizeof *w.uses * (size_t)(w.count + 1));
    w.written = zeroed(&w, sizeof *w.written * (size_t)(w.count + 1));
    w.written[loop->loop->var->index] = true;
    for (int i = loop->region_count - 1; i >= 0; i--) {
        visit_region(&w, &loop->regions[i]);
        w.is_dead = w.is_dead && i == 0;
    }
    for (int i = 0; i < w.count; i++) {
        w.uses[i].always_written = w.written[i] && !w.is_dead;
    }
    return w.uses;
}

struct scalar_use *scalars_use_region(struct arena *arena, const struct ir_function *function, struct ir_region *region)
{
    struct walk w = {.arena = arena, .count = function->var_count};
    w.uses = ARENA_ARRAY(arena, struct scalar_use, w.count + 1);
    w.written = ARENA_ARRAY(arena, bool, w.count + 1);
    visit_region(&w, region);
    for (int i = 0; i < w.count; i++) {
        w.uses[i].always_written = w.written[i] && !w.is_dead;
    }
    return w.uses;
}

bool scalars_is_declared_in(const struct ir_var *var, const struct ir_inst *loop)
{
    for (const struct ir_inst *scope = var->scope; scope != NULL;
         scope = scope->parent != NULL ? scope->parent->owner : NULL) {
        if (scope == loop) {
            return true;
        }
    }
    return false;
}

// ---- after the loop ------------------------------------------------------------------------------------------------

struct first_use {
    bool is_read;    // some way reads before it writes
    bool is_written; // every way writes
    bool escapes;    // some way jumps elsewhere
};

static struct first_use first_use(const struct ir_inst *first, const struct ir_var *var);

static struct first_use use_of_inst(const struct ir_inst *inst, const struct ir_var *var)
{
    struct first_use use = {0};
    if (inst->op == IR_OP_GET || inst->op == IR_OP_VUPDATE) {
        use.is_read = inst->var == var;
        return use;
    }
    if (inst->op == IR_OP_SET) {
        use.is_written = inst->var == var;
        return use;
    }
    use.escapes = inst->op == IR_OP_BREAK || inst->op == IR_OP_JUMP;
    if (inst->op == IR_OP_FOR && inst->loop->var == var) {
        use.is_written = true;
        return use;
    }
    bool all_write = inst->op == IR_OP_IF && inst->region_count > 1;
    for (int i = 0; i < inst->region_count; i++) {
        struct first_use inner = first_use(inst->regions[i].first, var);
        use.is_read |= inner.is_read;
        use.escapes |= inner.escapes;
        all_write &= inner.is_written && !inner.escapes;
    }
    use.is_written = all_write && !use.is_read;
    return use;
}

static struct first_use first_use(const struct ir_inst *first, const struct ir_var *var)
{
    struct first_use use = {0};
    for (const struct ir_inst *inst = first; inst != NULL; inst = inst->next) {
        struct first_use inner = use_of_inst(inst, var);
        use.is_read |= inner.is_read;
        use.escapes |= inner.escapes;
        if (use.is_read || (inner.is_written && !use.escapes)) {
            use.is_written = !use.is_read;
            return use;
        }
    }
    return use;
}

bool scalars_live_after(const struct ir_inst *inst, const struct ir_var *var)
{
    bool escapes = false;
    while (inst != NULL) {
        struct first_use use = first_use(inst->next, var);
        if (use.is_read) {
            return true;
        }
        escapes |= use.escapes;
        if (use.is_written && !escapes) {
            return false;
        }
        const struct ir_inst *owner = inst->parent->owner;
        if (owner == NULL) {
            return false;
        }
        if (owner->op == IR_OP_FOR && owner->loop->var == var) {
            return false; // its own loop gives it the next value
        }
        bool repeats = ir_op_repeats(owner->op) || owner->op == IR_OP_SWITCH || owner->op == IR_OP_BLOCKS;
        for (int i = 0; repeats && i < owner->region_count; i++) {
            if (first_use(owner->regions[i].first, var).is_read) {
                return true;
            }
        }
        // A variable of a loop's body is new in each iteration; what follows the loop does not see it.
        if ((owner->op == IR_OP_FOR || owner->op == IR_OP_LOOP) && var->scope == owner) {
            return false;
        }
        inst = owner;
    }
    return false;
}
