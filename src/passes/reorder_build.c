// The code of a nest in its new order: its loops and statements are copied to where they run now.
#include "passes/reorder_build.h"

#include "ir/clone.h"
#include "ir/trip.h"
#include "ir/walk.h"

#include <assert.h>

enum { STRIP = 64 }; // iterations: some vectors of them, and few enough that many strips can be shared out

static bool build_order(struct build *b, const struct order *order);

static int count_of(const struct build *b)
{
    return b->nest->statement_count;
}

static bool has(statement_set set, int statement)
{
    return (set >> statement & 1) != 0;
}

// The loop whose body the builder stands in: what is declared there is new in each of its iterations.
static struct ir_inst *scope_of(const struct build *b)
{
    struct ir_inst *owner = b->to.region->owner;
    bool is_outside = owner == NULL;
    owner = is_outside ? b->nest->root->inst->parent->owner : owner;
    while (owner != NULL && owner->op != IR_OP_FOR && owner->op != IR_OP_LOOP && owner->op != IR_OP_BLOCKS) {
        owner = owner->parent->owner;
        if (owner == NULL && !is_outside) {
            is_outside = true;
            owner = b->nest->root->inst->parent->owner;
        }
    }
    return owner;
}

struct ir_var *build_new_var(struct build *b, const struct ir_inst *inst, enum ir_type type)
{
    const struct ir_var *from = inst->loop->var;
    struct ir_var *var = ir_var_create(b->nest->module, b->nest->kernel, from->name, type);
    var->is_unsigned = from->is_unsigned && type == from->type;
    var->loc = from->loc;
    var->scope = scope_of(b);
    return var;
}

// ---- values --------------------------------------------------------------------------------------------------------

// What one statement's copy consists of.
struct copy {
    struct build *b;
    int statement;
    struct pointer_map made; // original instruction → copy
    struct pointer_map vars; // original variable → copy
};

static int number_of_loop(const struct statement *statement, const struct ir_inst *loop)
{
    for (int d = 0; d < statement->depth; d++) {
        if (statement->loops[d]->inst == loop) {
            return d;
        }
    }
    return -1;
}

static int direction_of(const struct build *b, int statement, int loop)
{
    return b->nest->statements[statement].loops[loop]->inst->loop->step > 0 ? 1 : -1;
}

static struct ir_inst *scaled(struct ir_builder *to, struct ir_inst *value, int factor)
{
    return factor == 1 ? value : ir_emit2(to, IR_OP_MUL, IR_I64, value, ir_const(to, IR_I64, factor));
}

// What is left of the wavefront's number once the other loops have been taken off.
static struct ir_inst *solved_value(struct build *b, struct ir_builder *to, int statement)
{
    const struct wave *wave = b->waves[statement];
    struct ir_inst *value = ir_get(to, wave->var);
    for (int k = 0; k < NEST_DEPTH; k++) {
        int weight = wave->order->weights[k];
        if (weight != 0 && k != wave->order->solved) {
            struct ir_inst *other = build_wide_value(b, to, statement, k);
            value = ir_emit2(to, IR_OP_SUB, IR_I64, value, scaled(to, other, weight * direction_of(b, statement, k)));
        }
    }
    return scaled(to, value, direction_of(b, statement, wave->order->solved));
}

struct ir_inst *build_wide_value(struct build *b, struct ir_builder *to, int statement, int loop)
{
    assert(build_is_placed(b, statement, loop));
    const struct ir_var *from = b->nest->statements[statement].loops[loop]->inst->loop->var;
    struct ir_var *var = b->vars[statement][loop];
    if (b->pins[statement][loop] != NULL) {
        return b->pins[statement][loop];
    }
    if (var == NULL) {
        return solved_value(b, to, statement);
    }
    struct ir_inst *value = ir_get(to, var);
    return var->type == IR_I64 ? value : ir_emit1(to, from->is_unsigned ? IR_OP_ZEXT : IR_OP_SEXT, IR_I64, value);
}

// The value of a loop's variable, as the type that it has in the source.
static struct ir_inst *loop_value(struct build *b, struct ir_builder *to, int statement, int loop)
{
    const struct ir_var *from = b->nest->statements[statement].loops[loop]->inst->loop->var;
    struct ir_var *var = b->vars[statement][loop];
    if (var != NULL && var->type == from->type) {
        return ir_get(to, var);
    }
    struct ir_inst *value = build_wide_value(b, to, statement, loop);
    if (from->type != IR_I64) {
        value = ir_emit1(to, IR_OP_TRUNC, from->type, value);
        value->no_wrap = !from->is_unsigned;
    }
    return value;
}

// The value at the builder's place: it is movable, and so is what it is made of.
static struct ir_inst *copy_value(struct copy *c, struct ir_builder *to, struct ir_inst *value)
{
    const struct loop_nest *nest = c->b->nest;
    struct ir_inst *made = pointer_map_get(&c->made, value);
    if (made != NULL || !walk_is_inside(value, nest->root->inst)) {
        return made != NULL ? made : value;
    }
    assert(nest_is_movable(nest, value));
    to->loc = value->loc;
    const struct ir_inst *loop = value->op == IR_OP_GET ? nest_counting_loop(nest, value) : NULL;
    int number = loop != NULL ? number_of_loop(&nest->statements[c->statement], loop) : -1;
    if (number >= 0) {
        made = loop_value(c->b, to, c->statement, number);
    } else {
        struct ir_inst *args[8] = {0};
        struct ir_inst **list =
            value->arg_count <= 8 ? args : ARENA_ARRAY(nest->an->arena, struct ir_inst *, value->arg_count);
        for (int i = 0; i < value->arg_count; i++) {
            list[i] = copy_value(c, to, value->args[i]);
        }
        made = clone_inst(to, value, list);
    }
    pointer_map_set(nest->an->arena, &c->made, value, made);
    return made;
}

// ---- statements ----------------------------------------------------------------------------------------------------

// Variables that the nest declares belong to its iterations: the copy has its own.
static struct ir_var *copy_var(struct copy *c, struct ir_var *var)
{
    const struct loop_nest *nest = c->b->nest;
    if (var == NULL || var->scope == NULL || !walk_is_inside(var->scope, nest->root->inst)) {
        return var;
    }
    struct ir_var *made = pointer_map_get(&c->vars, var);
    if (made == NULL) {
        made = ir_var_create(nest->module, nest->kernel, var->name, var->type);
        int index = made->index;
        *made = *var;
        made->index = index;
        made->scope = pointer_map_get(&c->made, var->scope);
        made->scope = made->scope != NULL ? made->scope : scope_of(c->b);
        pointer_map_set(nest->an->arena, &c->vars, var, made);
    }
    return made;
}

static void copy_inst(struct copy *c, struct ir_inst *inst, struct ir_builder to)
{
    const struct loop_nest *nest = c->b->nest;
    if (!nest_is_inside(inst, &nest->statements[c->statement])) {
        return; // a part of it that is a statement of its own
    }
    if (inst->op == IR_OP_GET) {
        const struct ir_inst *loop = nest_counting_loop(nest, inst);
        int number = loop != NULL ? number_of_loop(&nest->statements[c->statement], loop) : -1;
        if (number >= 0) {
            to.loc = inst->loc;
            pointer_map_set(nest->an->arena, &c->made, inst, loop_value(c->b, &to, c->statement, number));
            return;
        }
    }
    struct ir_inst **args = ARENA_ARRAY(nest->an->arena, struct ir_inst *, inst->arg_count + 1);
    for (int i = 0; i < inst->arg_count; i++) {
        struct ir_inst *made = pointer_map_get(&c->made, inst->args[i]);
        if (made == NULL && walk_is_inside(inst->args[i], nest->root->inst)) {
            assert(nest->statements[c->statement].left_out_count > 0 && ir_op_is_pure(inst->op));
            return; // made of a part that is a statement of its own: nobody here uses it
        }
        args[i] = made != NULL ? made : inst->args[i];
    }
    struct ir_inst *made = clone_inst(&to, inst, args);
    pointer_map_set(nest->an->arena, &c->made, inst, made);
    made->var = copy_var(c, inst->var);
    made->target = inst->target != NULL ? pointer_map_get(&c->made, inst->target) : NULL;
    if (inst->loop != NULL) {
        made->loop->var = copy_var(c, inst->loop->var);
    }
    for (int i = 0; i < inst->region_count; i++) {
        struct ir_builder inner = to;
        inner.region = &made->regions[i];
        inner.before = NULL;
        for (struct ir_inst *part = inst->regions[i].first; part != NULL; part = part->next) {
            copy_inst(c, part, inner);
        }
    }
}

// Values from outside the statement come first, so that every use of them is behind them.
static void copy_operands(struct copy *c, const struct ir_inst *inst)
{
    const struct statement *statement = &c->b->nest->statements[c->statement];
    for (int i = 0; i < inst->arg_count && nest_is_inside(inst, statement); i++) {
        if (!nest_is_inside(inst->args[i], statement)) {
            copy_value(c, &c->b->to, inst->args[i]);
        }
    }
}

static void copy_statement(struct build *b, int number)
{
    const struct statement *statement = &b->nest->statements[number];
    struct copy c = {.b = b, .statement = number};
    for (struct ir_inst *inst = statement->first;; inst = inst->next) {
        copy_operands(&c, inst);
        for (int i = 0; i < inst->region_count; i++) {
            WALK (part, &inst->regions[i]) {
                copy_operands(&c, part);
            }
        }
        if (inst == statement->last) {
            break;
        }
    }
    for (struct ir_inst *inst = statement->first;; inst = inst->next) {
        copy_inst(&c, inst, b->to);
        if (inst == statement->last) {
            break;
        }
    }
}

// ---- loops ---------------------------------------------------------------------------------------------------------

// Whether the value can be copied here: no loop whose variable it is made of is still to come.
static bool is_known(const struct build *b, int statement, struct ir_inst *value, struct pointer_map *seen)
{
    const struct loop_nest *nest = b->nest;
    if (!walk_is_inside(value, nest->root->inst) || pointer_map_get(seen, value) != NULL) {
        return true;
    }
    pointer_map_set(nest->an->arena, seen, value, value);
    const struct ir_inst *loop = value->op == IR_OP_GET ? nest_counting_loop(nest, value) : NULL;
    int number = loop != NULL ? number_of_loop(&nest->statements[statement], loop) : -1;
    if (number >= 0) {
        return build_is_placed(b, statement, number);
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!is_known(b, statement, value->args[i], seen)) {
            return false;
        }
    }
    return true;
}

// Whether the bounds of the loop depend on no loop that is still to come: neither the numbers that they are nor the
// code that computes them, in which a variable may cancel out (i = t; i < t; i += m).
static bool has_known_bounds(const struct build *b, int statement, int loop)
{
    const struct statement *s = &b->nest->statements[statement];
    const struct loop_info *info = s->loops[loop];
    for (int d = 0; d < s->depth; d++) {
        if (b->vars[statement][d] == NULL &&
            (poly_mentions(info->init, s->loops[d]->variable) || poly_mentions(info->bound, s->loops[d]->variable))) {
            return false;
        }
    }
    struct pointer_map seen = {0};
    return !b->has_new_bounds[statement] && is_known(b, statement, info->inst->args[0], &seen) &&
           is_known(b, statement, info->inst->args[1], &seen);
}

static void set_var(struct build *b, statement_set set, const int *loops, struct ir_var *var)
{
    for (int i = 0; i < count_of(b); i++) {
        if (has(set, i)) {
            b->vars[i][loops[i]] = var;
        }
    }
}

static void enter(struct build *b, struct ir_inst *control, int region)
{
    b->to.region = &control->regions[region];
    b->to.before = NULL;
}

// The loop as it is in the source, around the statements.
static struct ir_inst *copy_loop(struct build *b, statement_set set, int loop)
{
    int first = __builtin_ctz(set);
    struct ir_inst *from = b->nest->statements[first].loops[loop]->inst;
    struct copy c = {.b = b, .statement = first};
    struct ir_inst *args[2] = {copy_value(&c, &b->to, from->args[0]), copy_value(&c, &b->to, from->args[1])};
    struct ir_inst *made = clone_inst(&b->to, from, args);
    made->loop->var = build_new_var(b, from, from->loop->var->type);
    int loops[NEST_STATEMENTS];
    for (int i = 0; i < NEST_STATEMENTS; i++) {
        loops[i] = loop;
    }
    set_var(b, set, loops, made->loop->var);
    enter(b, made, 0);
    return made;
}

// Bounds of a loop that counts up by one, as i64: [low, high). False: they do not fit.
static bool wide_bounds(struct build *b, int statement, int loop, struct ir_inst **out_low, struct ir_inst **out_high)
{
    struct ir_inst *from = b->nest->statements[statement].loops[loop]->inst;
    const struct ir_trip trip = trip_of(from->loop);
    bool is_wide = trip.type == IR_I64;
    const struct analysis *an = b->nest->an;
    struct poly_range range = atom_of(an, b->nest->statements[statement].loops[loop]->variable)->range;
    if (range.hi >= INT64_MAX - STRIP || !trip.rises || trip.stride != 1 ||
        (is_wide && (trip.is_unsigned || trip.is_inclusive))) {
        return false;
    }
    struct copy c = {.b = b, .statement = statement};
    struct ir_inst *ends[2];
    for (int i = 0; i < 2; i++) {
        ends[i] = copy_value(&c, &b->to, from->args[i]);
        ends[i] = is_wide ? ends[i] : ir_emit1(&b->to, trip.is_unsigned ? IR_OP_ZEXT : IR_OP_SEXT, IR_I64, ends[i]);
    }
    *out_low = ends[0];
    *out_high = trip.is_inclusive ? ir_emit2(&b->to, IR_OP_ADD, IR_I64, ends[1], ir_const(&b->to, IR_I64, 1)) : ends[1];
    return true;
}

// A loop over strips of the loop, which itself is left for its own place.
static bool strip_loop(struct build *b, statement_set set, int loop)
{
    int first = __builtin_ctz(set);
    struct ir_inst *from = b->nest->statements[first].loops[loop]->inst;
    struct ir_inst *low, *high;
    if (!wide_bounds(b, first, loop, &low, &high)) {
        return false;
    }
    struct ir_var *var = build_new_var(b, from, IR_I64);
    b->to.loc = from->loc;
    struct ir_inst *made = ir_emit_for(&b->to, var, low, high, IR_OP_SLT, STRIP);
    for (int i = 0; i < count_of(b); i++) {
        if (has(set, i)) {
            b->strips[i][loop] = var;
            b->strip_ends[i][loop] = high;
        }
    }
    enter(b, made, 0);
    return true;
}

// The iterations of one strip.
static void loop_in_strip(struct build *b, statement_set set, int loop)
{
    int first = __builtin_ctz(set);
    struct ir_inst *from = b->nest->statements[first].loops[loop]->inst;
    b->to.loc = from->loc;
    struct ir_inst *low = ir_get(&b->to, b->strips[first][loop]);
    struct ir_inst *next = ir_emit2(&b->to, IR_OP_ADD, IR_I64, low, ir_const(&b->to, IR_I64, STRIP));
    struct ir_inst *high = ir_emit2(&b->to, IR_OP_SMIN, IR_I64, next, b->strip_ends[first][loop]);
    struct ir_var *var = build_new_var(b, from, IR_I64);
    struct ir_inst *made = ir_emit_for(&b->to, var, low, high, IR_OP_SLT, 1);
    for (int i = 0; i < count_of(b); i++) {
        b->vars[i][loop] = has(set, i) ? var : b->vars[i][loop];
    }
    enter(b, made, 0);
}

// ---- orders --------------------------------------------------------------------------------------------------------

static bool is_same_loop(const struct build *b, statement_set set, const int *loops)
{
    const struct loop_info *info = NULL;
    for (int i = 0; i < count_of(b); i++) {
        if (has(set, i)) {
            const struct loop_info *own = b->nest->statements[i].loops[loops[i]];
            if (info != NULL && own != info) {
                return false;
            }
            info = own;
        }
    }
    return true;
}

static struct ir_inst *emit_guard(struct build *b, const struct build_guard *guard)
{
    struct ir_inst *all = NULL;
    for (; guard != NULL; guard = guard->next) {
        struct ir_inst *value = guard->var != NULL ? ir_get(&b->to, guard->var) : ir_const(&b->to, IR_I64, 0);
        struct ir_inst *holds = ir_emit2(&b->to, guard->op, IR_I1, value, guard->bound);
        all = all == NULL ? holds : ir_emit2(&b->to, IR_OP_AND, IR_I1, all, holds);
    }
    return all;
}

// Tests what must hold for the statements, if it is one test for all of them.
static void open_guard(struct build *b, statement_set set)
{
    const struct build_guard *guard = b->guards[__builtin_ctz(set)];
    for (int i = 0; i < count_of(b); i++) {
        if (has(set, i) && b->guards[i] != guard) {
            return;
        }
    }
    if (guard != NULL) {
        enter(b, ir_control(&b->to, IR_OP_IF, emit_guard(b, guard), 2), 0);
        for (int i = 0; i < count_of(b); i++) {
            b->guards[i] = has(set, i) ? NULL : b->guards[i];
        }
    }
}

static bool build_rest(struct build *b, statement_set set, int depth)
{
    while (set != 0) {
        int first = __builtin_ctz(set);
        const struct statement *statement = &b->nest->statements[first];
        struct build inner = *b;
        if (statement->depth == depth) {
            open_guard(&inner, (statement_set)1 << first);
            copy_statement(&inner, first);
            set &= ~((statement_set)1 << first);
            continue;
        }
        statement_set together = 0;
        for (int i = first; i < count_of(b); i++) {
            const struct statement *other = &b->nest->statements[i];
            if (has(set, i) && depth < other->depth && other->loops[depth] == statement->loops[depth]) {
                together |= (statement_set)1 << i;
            }
        }
        set &= ~together;
        if (inner.strips[first][depth] != NULL) {
            loop_in_strip(&inner, together, depth);
        } else if (tiles_have(&inner, first, depth)) {
            tiles_loop(&inner, together, depth);
        } else if (inner.vars[first][depth] == NULL) {
            if (!has_known_bounds(&inner, first, depth)) {
                return false;
            }
            copy_loop(&inner, together, depth);
        }
        if (!build_rest(&inner, together, depth + 1)) {
            return false;
        }
    }
    return true;
}

// Of a loop around tiles the analysis would find that it is parallel where all of them are empty.
static bool holds_tiles(const struct order *order)
{
    for (; order != NULL; order = order->next) {
        if (order->is_tiled || holds_tiles(order->first)) {
            return true;
        }
    }
    return false;
}

static bool build_loop(struct build *b, const struct order *order)
{
    int first = __builtin_ctz(order->statements);
    struct build inner = *b;
    open_guard(&inner, order->statements);
    if (order->is_tiled) {
        return tiles_open(&inner, order) && build_order(&inner, order->first);
    }
    bool is_same = !scan_is_wave(order) && is_same_loop(b, order->statements, order->loops);
    for (int i = 0; i < count_of(b) && is_same; i++) {
        is_same = !has(order->statements, i) || (has_known_bounds(&inner, i, order->loops[i]) &&
                                                 b->nest->statements[i].pivots[order->loops[i]] == NULL);
    }
    bool is_built = true;
    if (is_same && order->is_strip) {
        is_built = strip_loop(&inner, order->statements, order->loops[first]);
    } else if (is_same) {
        struct ir_inst *made = copy_loop(&inner, order->statements, order->loops[first]);
        made->loop->carries = !order->is_parallel && holds_tiles(order->first);
    } else {
        is_built = scan_loop(&inner, order);
    }
    return is_built && build_order(&inner, order->first);
}

// Whether two of the statements are in a loop that is still to be placed.
static bool share_a_loop(const struct build *b, statement_set set)
{
    for (int i = 0; i < count_of(b); i++) {
        const struct statement *x = &b->nest->statements[i];
        for (int k = i + 1; has(set, i) && k < count_of(b); k++) {
            const struct statement *y = &b->nest->statements[k];
            for (int d = 0; has(set, k) && d < x->depth && d < y->depth; d++) {
                if (x->loops[d] == y->loops[d] && !build_is_placed(b, i, d)) {
                    return true;
                }
            }
        }
    }
    return false;
}

// Loops that are made with new bounds are not shared by the rest of several statements: one after the other.
static bool build_new_rest(struct build *b, const struct order *order)
{
    if (share_a_loop(b, order->statements)) {
        return false;
    }
    for (int i = 0; i < count_of(b); i++) {
        if (!has(order->statements, i)) {
            continue;
        }
        struct build inner = *b;
        open_guard(&inner, (statement_set)1 << i);
        for (int d = 0; d < b->nest->statements[i].depth; d++) {
            struct order loop = {.kind = ORDER_LOOP, .statements = (statement_set)1 << i};
            loop.loops[i] = d;
            if (!build_is_placed(&inner, i, d) && !scan_loop(&inner, &loop)) {
                return false;
            }
        }
        copy_statement(&inner, i);
    }
    return true;
}

static bool is_piece(const struct statement *statement)
{
    for (int d = 0; d < statement->depth; d++) {
        if (statement->pivots[d] != NULL) {
            return true;
        }
    }
    return false;
}

static bool build_order(struct build *b, const struct order *order)
{
    for (; order != NULL; order = order->next) {
        struct build own = *b;
        if (!scan_pins(&own, order->statements)) {
            return false;
        }
        bool is_new = false;
        for (int i = 0; i < count_of(b); i++) {
            is_new |= has(order->statements, i) && (own.has_new_bounds[i] || is_piece(&b->nest->statements[i]));
        }
        bool is_built = order->kind == ORDER_LOOP ? build_loop(&own, order)
                        : is_new                  ? build_new_rest(&own, order)
                                                  : build_rest(&own, order->statements, 0);
        if (!is_built) {
            return false;
        }
    }
    return true;
}

bool nest_build(struct loop_nest *nest, const struct order *order, struct ir_builder *to)
{
    struct build b = {.nest = nest, .to = *to};
    return build_order(&b, order);
}
