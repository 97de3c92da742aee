// What the notes of a loop that is watched for races are made with.
#ifndef RILL_OFFLOAD_RACES_NOTE_H
#define RILL_OFFLOAD_RACES_NOTE_H

#include "ir/ir.h"

enum { RACES_PER_ARRAY = 4, RACES_BEFORE_ARRAYS = 3 }; // arguments of the helper that looks an address up

// i64 rill.race.find.N(address, bytes, word of this access, N times: begin of an array, bytes, granule, shadow): the
// word of an access that this one races with, or 0.
struct ir_function *races_find_helper(struct ir_module *module, int array_count);
struct ir_ctype *races_integer_type(struct ir_module *module); // of each of these

#endif
