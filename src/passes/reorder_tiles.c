// Tiles for a CPU: where no loop is parallel, and two of them carry all dependences forwards, they are cut into tiles.
// A tile depends on those before it in either direction alone, so that the tiles of a diagonal are independent:
// Gauss-Seidel, alignments of two strings, filters that go through a picture. Inside a tile the order is the source's.
//
// Where a dependence leads backwards in the second loop (the neighbour above to the right), tiles lean: with each
// iteration of the first loop they begin one or two iterations of the second one earlier.
#include "passes/reorder_build.h"

#include "ir/trip.h"

#include <assert.h>

enum {
    TILE_LOG = 6, // iterations of the first loop; and of the second where tiles lean
    WIDE_LOG = 7, // of the second where they do not
    TILE = 1 << TILE_LOG,
    MOST_LEAN = 2,
};

static bool has(statement_set set, int statement)
{
    return (set >> statement & 1) != 0;
}

// ---- whether there are tiles ---------------------------------------------------------------------------------------

// The first two loops of the lead that have not been placed; false: the others of the set are not in both of them.
static bool find_loops(const struct loop_nest *nest, statement_set set, const uint8_t *used, int *out)
{
    const struct statement *lead = &nest->statements[__builtin_ctz(set)];
    int count = 0;
    for (int d = 0; d < lead->depth && count < 2; d++) {
        out[count] = d;
        count += (used[__builtin_ctz(set)] >> d & 1) == 0;
    }
    for (int i = 0; i < nest->statement_count && count == 2; i++) {
        const struct statement *s = &nest->statements[i];
        for (int d = 0; has(set, i) && d <= out[1]; d++) {
            bool is_open = d == out[0] || d == out[1];
            if (d >= s->depth || s->loops[d] != lead->loops[d] || ((used[i] >> d & 1) == 0) != is_open) {
                return false;
            }
        }
    }
    return count == 2;
}

// Whether the loop counts by one between bounds that no loop of the nest but those |outside| has in it, and has many
// iterations, as far as the text says.
static bool is_even(const struct statement *lead, int loop, int outside)
{
    const struct loop_info *info = lead->loops[loop];
    if (info->first == NULL || info->last == NULL || trip_of(info->inst->loop).stride != 1 ||
        lead->sides[loop] != SIDE_ALL || facts_has_few_iterations(info->inst)) {
        return false;
    }
    for (int d = outside; d < lead->depth; d++) {
        if (poly_mentions(info->first, lead->loops[d]->variable) ||
            poly_mentions(info->last, lead->loops[d]->variable)) {
            return false;
        }
    }
    return true;
}

// No dependence leads backwards in the sum of the loops by these weights.
static bool is_forward(struct loop_nest *nest, const bool *active, statement_set set, const int *weights)
{
    for (int d = 0; d < nest->dependences.count; d++) {
        const struct dependence *dependence = &nest->dependences.items[d];
        if (active[d] && has(set, dependence->from) && has(set, dependence->to) &&
            nest_wave_distance(nest, d, weights).may_be_negative) {
            return false;
        }
    }
    return true;
}

bool nest_tiles(struct loop_nest *nest, const bool *active, statement_set set, const uint8_t *used, struct order *out)
{
    int loops[2];
    if (nest->module->is_gpu || !find_loops(nest, set, used, loops)) {
        return false;
    }
    const struct statement *lead = &nest->statements[__builtin_ctz(set)];
    int weights[NEST_DEPTH] = {0};
    weights[loops[0]] = 1;
    if (!is_even(lead, loops[0], loops[0]) || !is_even(lead, loops[1], loops[0]) ||
        !is_forward(nest, active, set, weights)) {
        return false;
    }
    weights[loops[1]] = 1;
    for (int lean = 0; lean <= MOST_LEAN; lean++) {
        weights[loops[0]] = lean;
        if (is_forward(nest, active, set, weights)) {
            out->is_tiled = true;
            out->is_parallel = true;
            out->tiled[0] = loops[0];
            out->tiled[1] = loops[1];
            out->lean = lean;
            return true;
        }
    }
    return false;
}

// ---- the code ------------------------------------------------------------------------------------------------------

// One of the two loops: the values of its variable, i64, and the number of its iterations.
struct extent {
    struct ir_inst *low;
    struct ir_inst *high;
    struct ir_inst *count;
    bool rises;
};

struct tiles {
    const struct order *order;
    struct extent extents[2];
    struct ir_var *diagonal;
    struct ir_var *row; // of the tile, along the first loop
};

static struct ir_inst *constant(struct build *b, int64_t value)
{
    return ir_const(&b->to, IR_I64, value);
}

static struct ir_inst *two(struct build *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    return ir_emit2(&b->to, op, IR_I64, x, y);
}

static bool find_extent(struct build *b, int statement, int loop, struct extent *out)
{
    const struct loop_info *info = b->nest->statements[statement].loops[loop];
    out->rises = info->inst->loop->step > 0;
    out->low = scan_value(b, statement, info->first);
    out->high = scan_value(b, statement, info->last);
    if (out->low == NULL || out->high == NULL) {
        return false;
    }
    struct ir_inst *one = constant(b, 1);
    struct ir_inst *distance = two(b, IR_OP_SUB, out->high, out->low);
    out->count = two(b, IR_OP_ADD, distance, one);
    return true;
}

// Iterations of one of the loops, |which|, in a tile: so many bits.
static int size_log(const struct order *order, int which)
{
    return which == 1 && order->lean == 0 ? WIDE_LOG : TILE_LOG;
}

static struct ir_inst *tile_count(struct build *b, const struct tiles *tiles, int which)
{
    int log = size_log(tiles->order, which);
    struct ir_inst *up = two(b, IR_OP_ADD, tiles->extents[which].count, constant(b, ((int64_t)1 << log) - 1));
    return two(b, IR_OP_ASHR, up, constant(b, log));
}

static struct ir_inst *divided(struct build *b, struct ir_inst *value, int by)
{
    return by == 1 ? value : two(b, IR_OP_SDIV, value, constant(b, by));
}

static void enter(struct build *b, struct ir_inst *control)
{
    b->to.region = &control->regions[0];
    b->to.before = NULL;
}

bool tiles_open(struct build *b, const struct order *order)
{
    int lead = __builtin_ctz(order->statements);
    const struct statement *s = &b->nest->statements[lead];
    struct tiles *tiles = ARENA_NEW(b->nest->an->arena, struct tiles);
    tiles->order = order;
    b->to.loc = s->loops[order->tiled[0]]->inst->loc;
    if (!find_extent(b, lead, order->tiled[0], &tiles->extents[0]) ||
        !find_extent(b, lead, order->tiled[1], &tiles->extents[1])) {
        return false;
    }
    // Diagonal d holds tile |column| of each |row| with d = (1 + lean) * row + column: by so many columns does the
    // first tile of a row that begins at the loop's first iteration lie behind that of the row before it.
    const int way = 1 + order->lean;
    struct ir_inst *rows = tile_count(b, tiles, 0);
    struct ir_inst *last_row = two(b, IR_OP_SUB, rows, constant(b, 1));
    struct ir_inst *lean = constant(b, order->lean);
    struct ir_inst *columns = tile_count(b, tiles, 1);
    columns = two(b, IR_OP_ADD, columns, lean);
    struct ir_inst *diagonals = two(b, IR_OP_ADD, two(b, IR_OP_MUL, last_row, constant(b, way)), columns);
    tiles->diagonal = build_new_var(b, s->loops[order->tiled[0]]->inst, IR_I64);
    struct ir_inst *outer = ir_emit_for(&b->to, tiles->diagonal, constant(b, 0), diagonals, IR_OP_SLT, 1);
    outer->loop->carries = true;
    enter(b, outer);

    struct ir_inst *number = ir_get(&b->to, tiles->diagonal);
    struct ir_inst *beyond =
        two(b, IR_OP_SUB, two(b, IR_OP_ADD, number, constant(b, way)), columns); // 1 + lean rounds up
    struct ir_inst *low = divided(b, two(b, IR_OP_SMAX, beyond, constant(b, 0)), way);
    struct ir_inst *high = two(b, IR_OP_SMIN, divided(b, number, way), last_row);
    tiles->row = build_new_var(b, s->loops[order->tiled[0]]->inst, IR_I64);
    struct ir_inst *inner = ir_emit_for(&b->to, tiles->row, low, high, IR_OP_SLE, 1);
    enter(b, inner);
    for (int i = 0; i < b->nest->statement_count; i++) {
        b->tiles[i] = has(order->statements, i) ? tiles : b->tiles[i];
    }
    return true;
}

bool tiles_have(const struct build *b, int statement, int loop)
{
    const struct tiles *tiles = b->tiles[statement];
    return tiles != NULL && (tiles->order->tiled[0] == loop || tiles->order->tiled[1] == loop);
}

// The iterations of the tile, by their numbers: from |out_low| on, to before |out_high|; not cut at the loop's ends.
static void find_span(struct build *b, int statement, int which, struct ir_inst **out_low, struct ir_inst **out_high)
{
    const struct tiles *tiles = b->tiles[statement];
    struct ir_inst *number = ir_get(&b->to, tiles->row);
    if (which == 1) {
        number = two(b, IR_OP_SUB, ir_get(&b->to, tiles->diagonal), number);
    }
    struct ir_inst *size = constant(b, (int64_t)1 << size_log(tiles->order, which));
    *out_low = two(b, IR_OP_MUL, number, size);
    if (which == 1 && tiles->order->lean > 0) {
        const struct extent *first = &tiles->extents[0];
        struct ir_inst *value = build_wide_value(b, &b->to, statement, tiles->order->tiled[0]);
        struct ir_inst *done =
            first->rises ? two(b, IR_OP_SUB, value, first->low) : two(b, IR_OP_SUB, first->high, value);
        *out_low = two(b, IR_OP_SUB, *out_low, two(b, IR_OP_MUL, done, constant(b, tiles->order->lean)));
    }
    *out_high = two(b, IR_OP_ADD, *out_low, size);
}

// The type of the variable in a tile: that of the source, which indices are made of, if it holds what is beyond the
// ends: one iteration, or most of a tile before the first one where tiles lean.
static enum ir_type type_in_tile(const struct build *b, int statement, int loop)
{
    const struct loop_info *info = b->nest->statements[statement].loops[loop];
    const struct ir_var *var = info->inst->loop->var;
    struct poly_range range = atom_of(b->nest->an, info->variable)->range;
    bool fits = range.lo > INT32_MIN + TILE && range.hi < INT32_MAX;
    return var->type == IR_I32 && !var->is_unsigned && fits ? IR_I32 : IR_I64;
}

static struct ir_inst *narrowed(struct build *b, struct ir_inst *value, enum ir_type type)
{
    if (type == IR_I64) {
        return value;
    }
    struct ir_inst *made = ir_emit1(&b->to, IR_OP_TRUNC, type, value);
    made->no_wrap = true;
    return made;
}

// Where tiles lean, some iterations of the first loop have none of the second, and begin beyond the end, by more than
// the variable may hold.
static void enter_if(struct build *b, bool leans, enum ir_op op, struct ir_inst *begin, struct ir_inst *behind)
{
    if (leans) {
        struct ir_inst *choice = ir_control(&b->to, IR_OP_IF, ir_emit2(&b->to, op, IR_I1, begin, behind), 2);
        enter(b, choice);
    }
}

void tiles_loop(struct build *b, statement_set set, int loop)
{
    int lead = __builtin_ctz(set);
    const struct tiles *tiles = b->tiles[lead];
    int which = loop == tiles->order->tiled[1];
    const struct extent *extent = &tiles->extents[which];
    const struct ir_inst *from = b->nest->statements[lead].loops[loop]->inst;
    bool leans = which == 1 && tiles->order->lean > 0;
    struct ir_inst *begin, *end;
    b->to.loc = from->loc;
    find_span(b, lead, which, &begin, &end);
    enum ir_type type = type_in_tile(b, lead, loop);
    struct ir_var *var = build_new_var(b, from, type);
    struct ir_inst *made;
    if (extent->rises) {
        begin = two(b, IR_OP_ADD, extent->low, begin);
        struct ir_inst *behind = two(b, IR_OP_ADD, extent->high, constant(b, 1));
        enter_if(b, leans, IR_OP_SLT, begin, behind);
        begin = leans ? two(b, IR_OP_SMAX, begin, extent->low) : begin;
        end = two(b, IR_OP_SMIN, two(b, IR_OP_ADD, extent->low, end), behind);
        end = narrowed(b, end, type);
        begin = narrowed(b, begin, type);
        made = ir_emit_for(&b->to, var, begin, end, IR_OP_SLT, 1);
    } else {
        begin = two(b, IR_OP_SUB, extent->high, begin);
        struct ir_inst *behind = two(b, IR_OP_SUB, extent->low, constant(b, 1));
        enter_if(b, leans, IR_OP_SGT, begin, behind);
        begin = leans ? two(b, IR_OP_SMIN, begin, extent->high) : begin;
        end = two(b, IR_OP_SMAX, two(b, IR_OP_SUB, extent->high, end), behind);
        end = narrowed(b, end, type);
        begin = narrowed(b, begin, type);
        made = ir_emit_for(&b->to, var, begin, end, IR_OP_SGT, -1);
    }
    made->loop->carries = true;
    for (int i = 0; i < b->nest->statement_count; i++) {
        b->vars[i][loop] = has(set, i) ? var : b->vars[i][loop];
    }
    enter(b, made);
}
