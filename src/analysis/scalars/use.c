// Reads that no write of the same iteration precedes, on some way through a loop's body.
#include "analysis/scalars/scalars.h"

#include "analysis/values/polynomial.h"
#include "ir/flow.h"
#include "ir/trip.h"

#include <assert.h>
#include <string.h>

// The state of the flow is an array of bool, by variable: whether it was written on every way to this place.
struct walk {
    struct arena *arena;
    struct poly_pool *scratch; // where it is asked for again and again; NULL: none
    int count;
    struct scalar_use *uses;
};

static void *zeroed(struct walk *w, size_t size)
{
    return w->scratch != NULL ? memset(poly_alloc(w->scratch, size), 0, size) : arena_alloc(w->arena, size);
}

static void *copy_written(struct flow *flow, const void *from)
{
    struct walk *w = flow->user;
    bool *copy = zeroed(w, sizeof *copy * (size_t)(w->count + 1));
    memcpy(copy, from, sizeof *copy * (size_t)w->count);
    return copy;
}

static void join_written(struct flow *flow, void *to, const void *from)
{
    const struct walk *w = flow->user;
    bool *into = to;
    const bool *other = from;
    for (int i = 0; i < w->count; i++) {
        into[i] = into[i] && other[i];
    }
}

static void note_read(struct flow *flow, struct ir_inst *inst, bool is_update)
{
    assert(!inst->var->is_memory);
    const struct walk *w = flow->user;
    const bool *written = flow->state;
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
    if (!written[inst->var->index] && !flow->is_dead && (use->exposed == NULL || use->exposed->op == IR_OP_VUPDATE)) {
        use->exposed = inst; // one that is no update says more
    }
}

static void note_write(struct flow *flow, struct ir_inst *inst, const struct ir_var *var)
{
    assert(!var->is_memory);
    const struct walk *w = flow->user;
    bool *written = flow->state;
    struct scalar_use *use = &w->uses[var->index];
    if (use->write == NULL || use->write->op == IR_OP_VUPDATE) {
        use->write = inst;
    }
    use->set_count++;
    written[var->index] = true;
}

static bool runs_at_least_once(const struct ir_inst *inst)
{
    uint64_t count;
    return trip_is_known(inst, &count) && count > 0;
}

static void *enter_loop(struct flow *flow, struct ir_inst *inst)
{
    if (inst->op == IR_OP_FOR) {
        note_write(flow, inst, inst->loop->var);
    }
    return NULL;
}

static void leave_loop(struct flow *flow, struct ir_inst *inst, void *before, void *loop)
{
    (void)loop;
    if (inst->op == IR_OP_FOR && !runs_at_least_once(inst)) {
        bool *written = before;
        written[inst->loop->var->index] = true; // also by a loop without iterations
        flow->state = before;
    }
}

static void visit(struct flow *flow, struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_GET: note_read(flow, inst, false); return;
    case IR_OP_VUPDATE: note_read(flow, inst, true); return;
    case IR_OP_SET: note_write(flow, inst, inst->var); return;
    default: return;
    }
}

static const struct flow_problem first_writes = {
    .copy = copy_written, .join = join_written, .visit = visit, .enter_loop = enter_loop, .leave_loop = leave_loop};

static struct flow begin(struct walk *w)
{
    w->uses = zeroed(w, sizeof *w->uses * (size_t)(w->count + 1));
    return (struct flow){
        .problem = &first_writes, .user = w, .state = zeroed(w, sizeof(bool) * (size_t)(w->count + 1))};
}

static struct scalar_use *end(const struct flow *flow)
{
    const struct walk *w = flow->user;
    const bool *written = flow->state;
    for (int i = 0; i < w->count; i++) {
        w->uses[i].always_written = written[i] && !flow->is_dead;
    }
    return w->uses;
}

struct scalar_use *scalars_use(struct poly_pool *scratch, const struct ir_function *function, struct ir_inst *loop)
{
    assert(loop->op == IR_OP_FOR);
    struct walk w = {.scratch = scratch, .count = function->var_count};
    struct flow flow = begin(&w);
    bool *written = flow.state;
    written[loop->loop->var->index] = true;
    for (int i = loop->region_count - 1; i >= 0; i--) { // the bound is read before the body runs
        flow.is_dead = false;
        flow_region(&flow, &loop->regions[i]);
    }
    return end(&flow);
}

struct scalar_use *scalars_use_region(struct arena *arena, const struct ir_function *function, struct ir_region *region)
{
    struct walk w = {.arena = arena, .count = function->var_count};
    struct flow flow = begin(&w);
    flow_region(&flow, region);
    return end(&flow);
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
