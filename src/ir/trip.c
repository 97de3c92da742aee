#include "ir/trip.h"

#include "ir/arith.h"

#include <assert.h>

bool trip_compares(enum ir_op compare)
{
    return (unsigned)compare < IR_OP_COUNT && ir_op_group(compare) == IR_GROUP_COMPARE && compare != IR_OP_EQ;
}

struct ir_trip trip_make(enum ir_op compare, enum ir_type type, bool var_is_unsigned, int64_t step)
{
    assert(trip_compares(compare));
    struct ir_trip trip = {.compare = compare,
                           .type = type,
                           .is_around = compare == IR_OP_NE,
                           .is_unsigned = compare == IR_OP_NE ? var_is_unsigned : ir_op_is_unsigned(compare),
                           .stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step};
    switch (compare) {
    case IR_OP_SLE:
    case IR_OP_ULE: trip.is_inclusive = true; // fall through
    case IR_OP_SLT:
    case IR_OP_ULT: trip.rises = true; break;
    case IR_OP_SGE:
    case IR_OP_UGE: trip.is_inclusive = true; break;
    case IR_OP_NE: trip.rises = step > 0; break;
    default: break;
    }
    trip.is_endless = step == 0 || trip.rises != (step > 0);
    return trip;
}

struct ir_trip trip_of(const struct ir_for *loop)
{
    return trip_make(loop->compare, loop->var->type, loop->var->is_unsigned, loop->step);
}

bool trip_is_signed(const struct ir_for *loop)
{
    return loop->compare != IR_OP_NE && !ir_op_is_unsigned(loop->compare);
}

static uint64_t widened(const struct ir_trip *trip, int64_t value)
{
    return trip->is_unsigned ? arith_unsigned(arith_width(trip->type), value) : (uint64_t)value;
}

// `!=` by steps other than 1 and -1 is no canonical loop; the count is right all the same, or endless.
static uint64_t count_around(const struct ir_trip *trip, uint64_t from, uint64_t to)
{
    uint64_t distance = arith_unsigned(arith_width(trip->type), (int64_t)(to - from));
    if (trip->stride == 1 || distance == 0) {
        return distance;
    }
    bool is_ahead = trip->is_unsigned ? to > from : (int64_t)to > (int64_t)from;
    return is_ahead && (to - from) % trip->stride == 0 ? (to - from) / trip->stride : UINT64_MAX;
}

uint64_t trip_count(const struct ir_trip *trip, int64_t init, int64_t bound)
{
    assert(ir_type_is_int(trip->type));
    uint64_t from = widened(trip, trip->rises ? init : bound);
    uint64_t to = widened(trip, trip->rises ? bound : init);
    if (trip->is_around) {
        return trip->is_endless && init != bound ? UINT64_MAX : count_around(trip, from, to);
    }
    union ir_value runs;
    bool is_known = ir_fold(trip->compare, IR_I1, trip->type, (union ir_value[]){{.i = init}, {.i = bound}}, &runs);
    assert(is_known);
    if (!is_known || runs.i == 0) {
        return 0;
    }
    if (trip->is_endless) {
        return UINT64_MAX;
    }
    uint64_t distance = to - from;
    if (trip->is_inclusive) {
        uint64_t count = distance / trip->stride;
        return count == UINT64_MAX ? count : count + 1;
    }
    return distance / trip->stride + (distance % trip->stride != 0);
}

bool trip_is_known(const struct ir_inst *loop, uint64_t *out_count)
{
    assert(loop->op == IR_OP_FOR);
    if (loop->args[0]->op != IR_OP_CONST || loop->args[1]->op != IR_OP_CONST) {
        return false;
    }
    struct ir_trip trip = trip_of(loop->loop);
    *out_count = trip_count(&trip, loop->args[0]->imm, loop->args[1]->imm);
    return true;
}

bool trip_step_fits(const struct ir_for *loop)
{
    assert(ir_type_is_int(loop->var->type));
    struct ir_trip trip = trip_of(loop);
    int width = arith_width(loop->var->type);
    if (trip.is_around) {
        return trip.stride == 1;
    }
    return !trip.is_endless && (width == 64 || trip.stride < UINT64_C(1) << width);
}
