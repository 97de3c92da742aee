// The trip count of a canonical loop: the only place that says how init, bound, compare and step give it. Code that
// counts in another language (LLVM's, the IR's) is made from struct ir_trip, and tests hold it against trip_count().
#ifndef RILL_IR_TRIP_H
#define RILL_IR_TRIP_H

#include "ir/ir.h"

// How the count follows from init and bound. With distance = |rises| ? bound - init : init - bound, in 64 unsigned bits
// after both were widened (|is_unsigned|: by zeros, else by the sign):
//   |is_around|               distance modulo 2^width: `!=`, whose step is 1 or -1
//   not (init compare bound)  0
//   |is_endless|              UINT64_MAX: it moves away from its bound
//   |is_inclusive|            distance / stride + 1, at most UINT64_MAX
//   otherwise                 ceil(distance / stride)
struct ir_trip {
    enum ir_op compare;
    enum ir_type type; // of init and bound
    bool is_unsigned;  // of the comparison; of `!=` that of the variable
    bool is_around;
    bool rises;
    bool is_inclusive;
    bool is_endless;
    uint64_t stride; // of a step, without its sign
};

// |var_is_unsigned| is that of the variable's C type: it counts for `!=` only.
struct ir_trip trip_make(enum ir_op compare, enum ir_type type, bool var_is_unsigned, int64_t step);
struct ir_trip trip_of(const struct ir_for *loop);
// Exact for all values, but for 2^64 iterations, which are one less.
uint64_t trip_count(const struct ir_trip *trip, int64_t init, int64_t bound);
// Of a loop whose init and bound are constants; false if they are not.
bool trip_is_known(const struct ir_inst *loop, uint64_t *out_count);

bool trip_compares(enum ir_op compare); // a canonical loop may have this comparison
// Compares signed numbers by their order: the variable never wraps around.
bool trip_is_signed(const struct ir_for *loop);
// The step moves the variable towards the bound, and one step is less than once around the type.
bool trip_step_fits(const struct ir_for *loop);

#endif
