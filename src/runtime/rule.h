// What a parameter usually takes, in a few bytes: a launch looks at these and not at the plan's types and expressions,
// which lie all over memory. A rule only ever says yes. What it does not know, or would refuse, goes the long way
// through the plan, which has the words for it.
#ifndef RILL_RUNTIME_RULE_H
#define RILL_RUNTIME_RULE_H

#include "plan/plan.h"
#include "rill/rill.h"

enum arg_rule_kind { ARG_RULE_NONE, ARG_RULE_SIGNED, ARG_RULE_UNSIGNED, ARG_RULE_F32, ARG_RULE_F64, ARG_RULE_ARRAY };

// What an extent is: an integer in the argument buffer, or a number that the kernel says.
enum arg_extent_kind { ARG_EXTENT_NONE, ARG_EXTENT_I32, ARG_EXTENT_U32, ARG_EXTENT_I64, ARG_EXTENT_NUMBER };

enum { ARG_RULE_RANK = 2, ARG_RULE_FEW = 8 };

struct arg_rule {
    uint8_t kind;                          // enum arg_rule_kind
    uint8_t size;                          // numbers: bytes
    uint8_t type;                          // arrays: rill_type of an element
    uint8_t rank;                          // arrays whose extents are known
    bool has_extent;                       // arrays: rank > 0 in the plan; where |rank| is 0 the plan knows them
    uint8_t extents[ARG_RULE_RANK];        // enum arg_extent_kind
    uint16_t offset;                       // in the argument buffer
    uint32_t extent_places[ARG_RULE_RANK]; // where an extent is in the argument buffer, or the number itself
    uint32_t element_size;                 // arrays
};

// One for each parameter of |plan|.
void arg_rules_fill(struct arg_rule *rules, const struct plan_kernel *plan);

#endif
