// The code of a tile. Every instruction of the task stands there as often as it has different values in the tile: once,
// for each row, for each column, or for each iteration. Loops are there once, around the copies of what they hold.
//
// A tile at the end of a loop is moved back so far that it lies inside, and does not write what belongs to the tile
// before. Code under a condition that only some iterations of the tile meet is run if any of them does, and only those
// write; a row or column in which none does takes the numbers of one in which some does, so that nothing is loaded
// that the task would not have loaded.
#include "offload/tile.h"

#include "ir/assignment.h"
#include "ir/clone.h"
#include "ir/memory_use.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>
#include <string.h>

enum { STEP_MOST = 1 << 20 };

// A value of the task in the tile.
struct copies {
    struct ir_inst **items; // by tile_index(); NULL: not there yet
    unsigned varies;
    // TILE_ROW or TILE_COLUMN: from one to the next the item is |step| more, which in 64 bits does not wrap; 0: not
    // known.
    unsigned moves;
    int64_t step;
    const struct copies *wide; // of an i32: the same numbers in 64 bits; NULL: not known
};

// Code of which some iterations of the tile have a part.
struct guard {
    const struct ir_region *region; // of the task
    struct ir_inst *enabled[TILE_COPIES];
    struct ir_inst *in_row[TILE_COPIES]; // whether one of the row is enabled
    struct ir_inst *in_column[TILE_COPIES];
    struct ir_inst *marker; // what is computed for all of |region| stands before it; NULL: all of the tile's code
    struct copies *chosen;  // by ir_inst.id of values from outside
    struct guard *outer;
};

// What stands for the memory of an update while its loop is run.
struct kept {
    const struct ir_inst *update;
    struct ir_var *vars[TILE_COPIES];
    struct kept *next;
};

struct jam {
    const struct tile *tile;
    struct ir_function *to;
    struct copies *values; // by ir_inst.id of the task
    struct ir_var ***vars; // by ir_var.index: its copies; NULL: none yet
    bool *is_set;          // by ir_var.index: the one assignment that it has stands behind us
    struct kept *kept;
    struct guard *guard;
    struct ir_inst *rows;   // of the prologue: iterations of the two loops
    struct ir_inst *length; //
};

static void jam_region(struct jam *jam, const struct ir_region *region, struct ir_builder *b);
static void jam_inst(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b);

static struct ir_inst *number(struct ir_builder *b, int64_t value)
{
    return ir_const(b, IR_I64, value);
}

static struct ir_inst *choice(struct ir_builder *b, struct ir_inst *c, struct ir_inst *x, struct ir_inst *y)
{
    return x == y ? x : ir_emit3(b, IR_OP_SELECT, x->type, c, x, y);
}

// ---- values -------------------------------------------------------------------------------------------------------

static struct ir_inst *item(const struct jam *jam, const struct copies *copies, int r, int c)
{
    return copies->items[tile_index(jam->tile, copies->varies, r, c)];
}

static void make_items(struct jam *jam, struct copies *copies, unsigned varies)
{
    copies->varies = varies;
    copies->items = ARENA_ARRAY(jam->tile->arena, struct ir_inst *, tile_count(jam->tile, varies));
}

#define EACH_COPY(tile, copies, r, c)                                                                                  \
    for (int r = 0; r < (((copies) & TILE_ROW) != 0 ? (tile)->rows : 1); r++)                                          \
        for (int c = 0; c < (((copies) & TILE_COLUMN) != 0 ? (tile)->columns : 1); c++)

// The items behind the first of each row, or column, in steps: what is added to the same number is a constant, which an
// address can hold.
static void add_steps(struct jam *jam, struct copies *copies, unsigned moves, int64_t step, struct ir_builder *b)
{
    const struct tile *tile = jam->tile;
    copies->moves = moves;
    copies->step = step;
    EACH_COPY(tile, copies->varies, r, c)
    {
        int k = moves == TILE_ROW ? r : c;
        struct ir_inst *first = item(jam, copies, moves == TILE_ROW ? 0 : r, moves == TILE_ROW ? c : 0);
        struct ir_inst **place = &copies->items[tile_index(tile, copies->varies, r, c)];
        if (k > 0) {
            *place = ir_emit2(b, IR_OP_ADD, first->type, first, ir_const(b, first->type, k * step));
            (*place)->no_wrap = first->type == IR_I64;
        }
    }
}

// A row or column in which no iteration is enabled takes what the first one has in which some is.
static struct copies *choose_enabled(struct jam *jam, struct guard *guard, const struct copies *from, int id)
{
    struct copies *to = &guard->chosen[id];
    if (to->items != NULL) {
        return to;
    }
    struct ir_builder b = {.module = jam->tile->module, .function = jam->to, .before = guard->marker};
    struct ir_inst **enabled = from->varies == TILE_ROW && jam->tile->tiled != TILE_ROW         ? guard->in_row
                               : from->varies == TILE_COLUMN && jam->tile->tiled != TILE_COLUMN ? guard->in_column
                                                                                                : guard->enabled;
    int count = tile_count(jam->tile, from->varies);
    make_items(jam, to, from->varies);
    struct ir_inst *lead = from->items[count - 1];
    for (int i = count - 2; i >= 0; i--) {
        lead = choice(&b, enabled[i], from->items[i], lead);
    }
    for (int i = 0; i < count; i++) {
        to->items[i] = choice(&b, enabled[i], from->items[i], lead);
    }
    return to;
}

static const struct copies *look_up_in(struct jam *jam, struct guard *guard, const struct ir_inst *value)
{
    if (guard == NULL || guard->marker == NULL) {
        return &jam->values[value->id];
    }
    const struct copies *outside = look_up_in(jam, guard->outer, value);
    return outside->varies == 0 || tile_is_in(value, guard->region) ? outside
                                                                    : choose_enabled(jam, guard, outside, value->id);
}

static const struct copies *look_up(struct jam *jam, const struct ir_inst *value)
{
    const struct copies *found = look_up_in(jam, jam->guard, value);
    assert(found->items != NULL); // a value stands before its uses
    return found;
}

// ---- variables ----------------------------------------------------------------------------------------------------

static struct ir_var *copy_of_var(struct jam *jam, const struct ir_var *var, int r, int c)
{
    const struct tile *tile = jam->tile;
    unsigned varies = tile->of_var[var->index];
    if (jam->vars[var->index] == NULL) {
        int count = tile_count(tile, varies);
        jam->vars[var->index] = ARENA_ARRAY(tile->arena, struct ir_var *, count);
        for (int i = 0; i < count; i++) {
            struct ir_var *made = ir_var_create(tile->module, jam->to, var->name, var->type);
            made->is_unsigned = var->is_unsigned;
            made->loc = var->loc;
            jam->vars[var->index][i] = made;
        }
    }
    return jam->vars[var->index][tile_index(tile, varies, r, c)];
}

// The SET whose value a GET has, where that is known.
static const struct ir_inst *source_of(const struct jam *jam, const struct ir_inst *get)
{
    const struct ir_inst *set = assignments_only_set(&jam->tile->assigned[get->var->index]);
    return set != NULL && jam->is_set[get->var->index] && tile_is_in(get, set->parent) ? set : NULL;
}

static void jam_get(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    struct copies *out = &jam->values[inst->id];
    const struct ir_inst *set = source_of(jam, inst);
    if (set != NULL) {
        *out = *look_up(jam, set->args[0]);
        return;
    }
    make_items(jam, out, jam->tile->of_var[inst->var->index]);
    EACH_COPY(jam->tile, out->varies, r, c)
    {
        out->items[tile_index(jam->tile, out->varies, r, c)] = ir_get(b, copy_of_var(jam, inst->var, r, c));
    }
}

static struct ir_inst *clone_for(struct jam *jam, const struct ir_inst *inst, int r, int c, struct ir_builder *b)
{
    struct ir_inst *args[8];
    assert(inst->arg_count <= 8);
    for (int i = 0; i < inst->arg_count; i++) {
        args[i] = item(jam, look_up(jam, inst->args[i]), r, c);
    }
    return clone_inst(b, inst, args);
}

static void jam_assignment(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    EACH_COPY(jam->tile, jam->tile->of_var[inst->var->index], r, c)
    {
        clone_for(jam, inst, r, c, b)->var = copy_of_var(jam, inst->var, r, c);
    }
    jam->is_set[inst->var->index] = inst->op == IR_OP_SET;
}

// ---- arithmetic ---------------------------------------------------------------------------------------------------

// Copies of |inst|: the first of each row, or column, is made of operands, the others follow in steps.
static void jam_in_steps(struct jam *jam, const struct ir_inst *inst, unsigned moves, int64_t step,
                         struct ir_builder *b)
{
    struct copies *out = &jam->values[inst->id];
    make_items(jam, out, jam->tile->of_value[inst->id]);
    EACH_COPY(jam->tile, out->varies & ~moves, r, c)
    {
        out->items[tile_index(jam->tile, out->varies, r, c)] = clone_for(jam, inst, r, c, b);
    }
    add_steps(jam, out, moves, step, b);
}

// A sum, a difference or a multiple of what moves in steps. In 32 bits it may wrap, and the steps with it.
static bool jam_sum(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    bool is_sum = inst->op == IR_OP_ADD || inst->op == IR_OP_SUB || inst->op == IR_OP_MUL;
    if (!is_sum || (inst->type != IR_I64 && inst->type != IR_I32) || (inst->type == IR_I64 && !inst->no_wrap)) {
        return false;
    }
    const struct copies *x = look_up(jam, inst->args[0]);
    const struct copies *y = look_up(jam, inst->args[1]);
    for (unsigned moves = TILE_COLUMN; moves >= TILE_ROW; moves--) {
        bool is_left = (x->varies & moves) != 0;
        const struct copies *moving = is_left ? x : y;
        const struct ir_inst *other = inst->args[is_left];
        bool is_one = ((x->varies ^ y->varies) & moves) != 0 && moving->moves == moves;
        bool is_scaled = inst->op == IR_OP_MUL;
        int64_t factor = is_scaled                           ? (other->op == IR_OP_CONST ? other->imm : 0)
                         : inst->op == IR_OP_SUB && !is_left ? -1
                                                             : 1;
        bool is_short = factor != 0 && factor <= STEP_MOST && factor >= -STEP_MOST && moving->step <= STEP_MOST &&
                        moving->step >= -STEP_MOST;
        if (is_one && is_short) {
            jam_in_steps(jam, inst, moves, moving->step * factor, b);
            return true;
        }
    }
    return false;
}

// An index of 32 bits that wraps between two iterations is negative in one of those that lie there, which is an access
// before the array: so it does not, and in 64 bits it moves in the same steps. See codegen/emit_linear.c.
static bool jam_index(struct jam *jam, const struct ir_inst *inst, const struct copies *source, struct copies *out,
                      struct ir_builder *b)
{
    if (inst->op != IR_OP_SEXT || inst->type != IR_I64) {
        return false;
    }
    if (source->wide != NULL) {
        *out = *source->wide;
        return true;
    }
    if (source->moves == 0 || source->items[0]->type != IR_I32 || jam->guard->marker != NULL ||
        !index_is_accessed(inst)) {
        return false;
    }
    jam_in_steps(jam, inst, source->moves, source->step, b);
    return true;
}

static void jam_value(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    struct copies *out = &jam->values[inst->id];
    const struct copies *source = inst->arg_count > 0 ? look_up(jam, inst->args[0]) : NULL;
    if (jam_index(jam, inst, source, out, b) || jam_sum(jam, inst, b)) {
        return;
    }
    make_items(jam, out, jam->tile->of_value[inst->id]);
    EACH_COPY(jam->tile, out->varies, r, c)
    {
        out->items[tile_index(jam->tile, out->varies, r, c)] = clone_for(jam, inst, r, c, b);
    }
    if (inst->op == IR_OP_TRUNC && inst->no_wrap && inst->type == IR_I32 && source->moves != 0) {
        out->wide = source;
        out->moves = source->moves;
        out->step = source->step;
    }
}

// ---- memory -------------------------------------------------------------------------------------------------------

// A builder under the condition that iteration |r|, |c| has a part in what is done now.
static struct ir_builder when_enabled(struct jam *jam, int r, int c, struct ir_builder *b)
{
    struct ir_builder inner = *b;
    struct ir_inst *enabled = jam->guard->enabled[r * jam->tile->columns + c];
    inner.region = &ir_control(b, IR_OP_IF, enabled, 2)->regions[0];
    inner.before = NULL;
    return inner;
}

static void jam_write(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    EACH_COPY(jam->tile, TILE_BOTH, r, c)
    {
        struct ir_builder inner = when_enabled(jam, r, c, b);
        clone_for(jam, inst, r, c, &inner);
    }
}

static void jam_load(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    const struct tile *tile = jam->tile;
    struct copies *out = &jam->values[inst->id];
    unsigned varies = tile->of_value[inst->id];
    bool is_own = jam->guard->marker != NULL && varies == tile->tiled;
    make_items(jam, out, varies);
    EACH_COPY(tile, varies, r, c)
    {
        struct ir_inst **place = &out->items[tile_index(tile, varies, r, c)];
        if (is_own) {
            struct ir_var *var = ir_var_create(tile->module, jam->to, ".loaded", inst->type);
            struct ir_builder inner = when_enabled(jam, r, c, b);
            ir_set(&inner, var, clone_for(jam, inst, r, c, &inner));
            *place = ir_get(b, var);
        } else {
            *place = clone_for(jam, inst, r, c, b);
        }
    }
}

static struct kept *kept_of(const struct jam *jam, const struct ir_inst *update)
{
    struct kept *kept = jam->kept;
    while (kept != NULL && kept->update != update) {
        kept = kept->next;
    }
    return kept;
}

static void jam_update(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    const struct kept *kept = kept_of(jam, inst);
    if (kept == NULL) {
        jam_write(jam, inst, b);
        return;
    }
    EACH_COPY(jam->tile, TILE_BOTH, r, c)
    {
        b->loc = inst->loc;
        struct ir_inst *operand = item(jam, look_up(jam, inst->args[1]), r, c);
        struct ir_inst *update = ir_emit1(b, IR_OP_VUPDATE, inst->type, operand);
        update->var = kept->vars[r * jam->tile->columns + c];
        update->update = inst->update;
        update->fused = inst->fused;
    }
}

// ---- loops --------------------------------------------------------------------------------------------------------

// What the loop does not change is computed before it: the addresses of what is kept.
static void hoist(struct jam *jam, const struct ir_inst *value, const struct ir_inst *loop, struct ir_builder *b)
{
    if (!tile_is_in(value, &loop->regions[0]) || jam->values[value->id].items != NULL) {
        return;
    }
    for (int i = 0; i < value->arg_count; i++) {
        hoist(jam, value->args[i], loop, b);
    }
    jam_inst(jam, value, b);
}

static void load_kept(struct jam *jam, struct kept *kept, struct ir_builder *b)
{
    const struct ir_inst *update = kept->update;
    EACH_COPY(jam->tile, TILE_BOTH, r, c)
    {
        struct ir_var *var = ir_var_create(jam->tile->module, jam->to, ".kept", update->type);
        struct ir_builder inner = when_enabled(jam, r, c, b);
        inner.loc = update->loc;
        struct ir_inst *load =
            ir_emit1(&inner, IR_OP_LOAD, update->type, item(jam, look_up(jam, update->args[0]), r, c));
        load->is_packed = update->is_packed;
        load->base = update->base;
        ir_set(&inner, var, load);
        kept->vars[r * jam->tile->columns + c] = var;
    }
}

static void store_kept(struct jam *jam, const struct kept *kept, struct ir_builder *b)
{
    const struct ir_inst *update = kept->update;
    EACH_COPY(jam->tile, TILE_BOTH, r, c)
    {
        struct ir_builder inner = when_enabled(jam, r, c, b);
        inner.loc = update->loc;
        struct ir_inst *value = ir_get(&inner, kept->vars[r * jam->tile->columns + c]);
        struct ir_inst *store =
            ir_emit2(&inner, IR_OP_STORE, update->type, item(jam, look_up(jam, update->args[0]), r, c), value);
        store->is_packed = update->is_packed;
        store->base = update->base;
    }
}

static void add_loop(struct jam *jam, const struct ir_inst *inst, struct ir_inst *init, struct ir_inst *bound,
                     struct ir_builder *b)
{
    b->loc = inst->loc;
    struct ir_var *var = copy_of_var(jam, inst->loop->var, 0, 0);
    struct ir_inst *loop = ir_emit_for(b, var, init, bound, inst->loop->compare, inst->loop->step);
    struct ir_builder inner = *b;
    inner.region = &loop->regions[0];
    inner.before = NULL;
    jam_region(jam, &inst->regions[0], &inner);
}

// What a loop keeps is loaded and stored only if it has iterations: else the task would not touch it.
static void jam_loop(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    struct ir_inst *init = look_up(jam, inst->args[0])->items[0];
    struct ir_inst *bound = look_up(jam, inst->args[1])->items[0];
    struct kept *before = jam->kept;
    for (const struct ir_inst *at = inst->regions[0].first; at != NULL; at = at->next) {
        if (at->op == IR_OP_UPDATE && tile_keeps(jam->tile, at) == inst) {
            struct kept *kept = ARENA_NEW(jam->tile->arena, struct kept);
            *kept = (struct kept){.update = at, .next = jam->kept};
            jam->kept = kept;
        }
    }
    if (jam->kept == before) {
        add_loop(jam, inst, init, bound, b);
        return;
    }
    struct ir_builder inner = *b;
    struct ir_inst *runs = ir_emit2(b, inst->loop->compare, IR_I1, init, bound);
    inner.region = &ir_control(b, IR_OP_IF, runs, 2)->regions[0];
    inner.before = NULL;
    for (struct kept *kept = jam->kept; kept != before; kept = kept->next) {
        hoist(jam, kept->update->args[0], inst, &inner);
        load_kept(jam, kept, &inner);
    }
    add_loop(jam, inst, init, bound, &inner);
    for (struct kept *kept = jam->kept; kept != before; kept = kept->next) {
        store_kept(jam, kept, &inner);
    }
    jam->kept = before;
}

// ---- conditions ---------------------------------------------------------------------------------------------------

// A variable that a region assigns and others see, with its values from before.
struct saved {
    const struct ir_var *var;
    struct copies values;
    struct saved *next;
};

static bool is_saved(const struct saved *saved, const struct ir_var *var)
{
    while (saved != NULL && saved->var != var) {
        saved = saved->next;
    }
    return saved != NULL;
}

static struct saved *save_vars(struct jam *jam, const struct ir_region *region, struct ir_builder *b)
{
    struct saved *all = NULL;
    WALK (inst, region) {
        const struct ir_var *var = ir_op_sets(inst->op) ? inst->var : NULL;
        if (var == NULL || is_saved(all, var) || !tile_is_used_outside(jam->tile, var, region)) {
            continue;
        }
        struct saved *saved = ARENA_NEW(jam->tile->arena, struct saved);
        *saved = (struct saved){.var = var, .next = all};
        make_items(jam, &saved->values, jam->tile->of_var[var->index]);
        EACH_COPY(jam->tile, saved->values.varies, r, c)
        {
            saved->values.items[tile_index(jam->tile, saved->values.varies, r, c)] =
                ir_get(b, copy_of_var(jam, var, r, c));
        }
        all = saved;
    }
    return all;
}

// Where the condition does not hold they keep what they had. They vary where it does, at least.
static void restore_vars(struct jam *jam, const struct saved *saved, const struct copies *condition,
                         struct ir_builder *b)
{
    for (; saved != NULL; saved = saved->next) {
        EACH_COPY(jam->tile, saved->values.varies, r, c)
        {
            struct ir_var *var = copy_of_var(jam, saved->var, r, c);
            ir_set(b, var, choice(b, item(jam, condition, r, c), ir_get(b, var), item(jam, &saved->values, r, c)));
        }
        assert((condition->varies & ~saved->values.varies) == 0);
        jam->is_set[saved->var->index] = false;
    }
}

// Without a branch: the region only computes.
static void jam_simple(struct jam *jam, const struct ir_region *region, const struct copies *condition,
                       struct ir_builder *b)
{
    struct saved *saved = save_vars(jam, region, b);
    jam_region(jam, region, b);
    restore_vars(jam, saved, condition, b);
}

static struct ir_inst *any_of(struct ir_builder *b, struct ir_inst *const *values, int count, int step)
{
    struct ir_inst *any = values[0];
    for (int i = 1; i < count; i++) {
        any = ir_emit2(b, IR_OP_OR, IR_I1, any, values[i * step]);
    }
    return any;
}

static void open_guard(struct jam *jam, struct guard *guard, const struct ir_region *region,
                       const struct copies *condition, struct ir_builder *b)
{
    const struct tile *tile = jam->tile;
    *guard = (struct guard){.region = region, .outer = jam->guard};
    guard->chosen = ARENA_ARRAY(tile->arena, struct copies, tile->task->value_count + 1);
    EACH_COPY(tile, TILE_BOTH, r, c)
    {
        int i = r * tile->columns + c;
        guard->enabled[i] = ir_emit2(b, IR_OP_AND, IR_I1, jam->guard->enabled[i], item(jam, condition, r, c));
    }
    for (int r = 0; r < tile->rows; r++) {
        guard->in_row[r] = any_of(b, &guard->enabled[r * tile->columns], tile->columns, 1);
    }
    for (int c = 0; c < tile->columns; c++) {
        guard->in_column[c] = any_of(b, &guard->enabled[c], tile->rows, tile->columns);
    }
}

static void jam_guarded(struct jam *jam, const struct ir_region *region, const struct copies *condition,
                        struct ir_builder *b)
{
    struct guard *guard = ARENA_NEW(jam->tile->arena, struct guard);
    open_guard(jam, guard, region, condition, b);
    struct saved *saved = save_vars(jam, region, b);
    struct ir_builder inner = *b;
    struct ir_inst *any = any_of(b, guard->in_row, jam->tile->rows, 1);
    inner.region = &ir_control(b, IR_OP_IF, any, 2)->regions[0];
    inner.before = NULL;
    guard->marker = ir_const(&inner, IR_I1, 0);
    jam->guard = guard;
    jam_region(jam, region, &inner);
    jam->guard = guard->outer;
    restore_vars(jam, saved, condition, b);
}

static void jam_part(struct jam *jam, const struct ir_region *region, const struct copies *condition,
                     struct ir_builder *b)
{
    if (region->first != NULL && tile_is_simple(region)) {
        jam_simple(jam, region, condition, b);
    } else if (region->first != NULL) {
        jam_guarded(jam, region, condition, b);
    }
}

static void jam_if(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    const struct copies *condition = look_up(jam, inst->args[0]);
    if (condition->varies == 0) {
        struct ir_inst *branch = ir_control(b, IR_OP_IF, condition->items[0], 2);
        for (int i = 0; i < inst->region_count; i++) {
            struct ir_builder inner = *b;
            inner.region = &branch->regions[i];
            inner.before = NULL;
            jam_region(jam, &inst->regions[i], &inner);
        }
        return;
    }
    struct copies other = {0};
    make_items(jam, &other, condition->varies);
    for (int i = 0; i < tile_count(jam->tile, condition->varies); i++) {
        struct ir_inst *truth = ir_const(b, IR_I1, 1);
        other.items[i] = ir_emit2(b, IR_OP_XOR, IR_I1, condition->items[i], truth);
    }
    jam_part(jam, &inst->regions[0], condition, b);
    if (inst->region_count > 1) {
        jam_part(jam, &inst->regions[1], &other, b);
    }
}

// ---- all of it ----------------------------------------------------------------------------------------------------

static void jam_inst(struct jam *jam, const struct ir_inst *inst, struct ir_builder *b)
{
    if (inst->id >= 0 && jam->values[inst->id].items != NULL) {
        return; // it was computed before the loop that it stands in
    }
    b->loc = inst->loc;
    switch (inst->op) {
    case IR_OP_GET: jam_get(jam, inst, b); break;
    case IR_OP_SET:
    case IR_OP_VUPDATE: jam_assignment(jam, inst, b); break;
    case IR_OP_LOAD: jam_load(jam, inst, b); break;
    case IR_OP_STORE: jam_write(jam, inst, b); break;
    case IR_OP_UPDATE: jam_update(jam, inst, b); break;
    case IR_OP_FOR: jam_loop(jam, inst, b); break;
    case IR_OP_IF: jam_if(jam, inst, b); break;
    default: assert(ir_op_is_value(inst->op)); jam_value(jam, inst, b);
    }
}

static void jam_region(struct jam *jam, const struct ir_region *region, struct ir_builder *b)
{
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        jam_inst(jam, inst, b);
    }
}

// The tile's place in one loop of |count| iterations: it begins with |first|, moved back by a multiple of |step| if it
// would end behind the last. Says of each of its |most| iterations whether it is the tile's own.
static struct ir_inst *place(struct ir_inst *first, struct ir_inst *count, int most, int64_t step, struct ir_builder *b,
                             struct ir_inst **own)
{
    struct ir_inst *end = ir_emit2(b, IR_OP_ADD, IR_I64, first, number(b, step * (most - 1) + 1));
    struct ir_inst *zero = number(b, 0);
    struct ir_inst *over = ir_emit2(b, IR_OP_SMAX, IR_I64, ir_emit2(b, IR_OP_SUB, IR_I64, end, count), zero);
    struct ir_inst *back = ir_emit2(b, IR_OP_ADD, IR_I64, over, number(b, step - 1));
    back = ir_emit2(b, IR_OP_UDIV, IR_I64, back, number(b, step));
    for (int i = 0; i < most; i++) {
        own[i] = ir_emit2(b, IR_OP_SLE, IR_I1, back, number(b, i));
    }
    return ir_emit2(b, IR_OP_SUB, IR_I64, first, ir_emit2(b, IR_OP_MUL, IR_I64, back, number(b, step)));
}

static struct ir_inst *divide_up(struct ir_builder *b, struct ir_inst *x, int64_t by)
{
    struct ir_inst *divisor = number(b, by); // operands are emitted in one order, whatever the compiler
    return ir_emit2(b, IR_OP_UDIV, IR_I64, ir_emit2(b, IR_OP_ADD, IR_I64, x, number(b, by - 1)), divisor);
}

// How many tiles there are: the trip counts of the loops become those of tiles, as operands of their digits.
static struct ir_inst *count_tiles(struct jam *jam, const struct ir_inst *digit, struct ir_builder *b,
                                   struct ir_inst **sizes)
{
    const struct tile *tile = jam->tile;
    int last = digit->arg_count - 1;
    struct ir_inst *outer = ir_emit0(b, IR_OP_ITER_COUNT, IR_I64); // of the outermost loop alone, in the end
    for (int i = last; i >= 0; i--) {
        sizes[i] = jam->values[digit->args[i]->id].items[0];
        outer = ir_emit2(b, IR_OP_UDIV, IR_I64, outer, sizes[i]);
    }
    jam->length = sizes[last];
    jam->rows = last > 0 ? sizes[last - 1] : outer;
    struct ir_inst *across = divide_up(b, jam->length, (int64_t)ABI_TILE_LANES * tile->columns);
    struct ir_inst *down = divide_up(b, jam->rows, tile->rows);
    sizes[last] = ir_emit2(b, IR_OP_MUL, IR_I64, across, number(b, ABI_TILE_LANES));
    *(last > 0 ? &sizes[last - 1] : &outer) = down;
    struct ir_inst *count = outer;
    for (int i = 0; i <= last; i++) {
        count = ir_emit2(b, IR_OP_MUL, IR_I64, count, sizes[i]);
    }
    return count;
}

// The digits of the tile's number become those of its iterations.
static void find_place(struct jam *jam, struct guard *guard, struct ir_builder *prologue, struct ir_builder *b)
{
    const struct tile *tile = jam->tile;
    const struct ir_inst *digit = tile->task->body.first;
    struct ir_inst *sizes[8];
    struct ir_inst *own_rows[TILE_COPIES];
    struct ir_inst *own_columns[TILE_COPIES];
    assert(digit->op == IR_OP_NEST_ITER && tile_digit(digit) == TILE_COLUMN && digit->arg_count <= 8);
    jam->to->count = count_tiles(jam, digit, prologue, sizes);
    for (; digit != NULL; digit = digit->next) {
        if (digit->op != IR_OP_NEST_ITER) {
            continue;
        }
        struct copies *copies = &jam->values[digit->id];
        struct ir_inst *at = clone_inst(b, digit, sizes);
        unsigned which = tile_digit(digit);
        if (which == TILE_COLUMN) {
            struct ir_inst *lanes = number(b, ABI_TILE_LANES);
            struct ir_inst *strip = ir_emit2(b, IR_OP_UDIV, IR_I64, at, lanes);
            strip = ir_emit2(b, IR_OP_MUL, IR_I64, strip, number(b, (int64_t)ABI_TILE_LANES * tile->columns));
            at = ir_emit2(b, IR_OP_ADD, IR_I64, strip, ir_emit2(b, IR_OP_UREM, IR_I64, at, lanes));
            at = place(at, jam->length, tile->columns, ABI_TILE_LANES, b, own_columns);
        } else if (which == TILE_ROW) {
            at = ir_emit2(b, IR_OP_MUL, IR_I64, at, number(b, tile->rows));
            at = place(at, jam->rows, tile->rows, 1, b, own_rows);
        }
        make_items(jam, copies, tile->of_value[digit->id]);
        copies->items[0] = at;
        if (copies->varies != 0) {
            add_steps(jam, copies, copies->varies, which == TILE_ROW ? 1 : ABI_TILE_LANES, b);
        }
    }
    EACH_COPY(tile, TILE_BOTH, r, c)
    {
        guard->enabled[r * tile->columns + c] = ir_emit2(b, IR_OP_AND, IR_I1, own_rows[r], own_columns[c]);
    }
}

struct ir_function *tile_jam(const struct tile *tile, const char *name)
{
    const struct ir_function *task = tile->task;
    assert(tile->rows * tile->columns <= TILE_COPIES);
    struct jam jam = {.tile = tile};
    struct guard guard = {.region = &task->body};
    jam.to = ir_function_create(tile->module, IR_FUNCTION_TASK, name);
    jam.to->loc = task->loc;
    jam.to->return_type = IR_VOID;
    jam.to->kernel = task->kernel;
    jam.to->assume_independent = true;
    jam.values = ARENA_ARRAY(tile->arena, struct copies, task->value_count + 1);
    jam.vars = ARENA_ARRAY(tile->arena, struct ir_var **, task->var_count + 1);
    jam.is_set = ARENA_ARRAY(tile->arena, bool, task->var_count + 1);
    jam.guard = &guard;
    struct ir_builder prologue = {.module = tile->module, .function = jam.to, .region = &jam.to->prologue};
    struct ir_builder body = {.module = tile->module, .function = jam.to, .region = &jam.to->body, .loc = task->loc};
    jam_region(&jam, &task->prologue, &prologue);
    prologue.loc = task->loc;
    find_place(&jam, &guard, &prologue, &body);
    jam_region(&jam, &task->body, &body);
    return jam.to;
}
