// What a launch touches, by addresses: the effects of its kernel's plan with the values of its arguments. The effects
// are made short once for each kernel; a launch evaluates only that.
#ifndef RILL_RUNTIME_FOOTPRINT_H
#define RILL_RUNTIME_FOOTPRINT_H

#include "runtime/args.h"
#include "runtime/hazard.h"

enum { FOOTPRINT_MAX_RULES = 48, FOOTPRINT_MAX = FOOTPRINT_MAX_RULES + RILL_MAX_ARGS + 1 };

struct footprint {
    struct hazard_access items[FOOTPRINT_MAX];
    int count;
};

// An end of a region: |constant| + |factor| * the number at |offset| of the arguments, or whatever |expr| gives.
enum footprint_number { FOOTPRINT_NONE, FOOTPRINT_S32, FOOTPRINT_U32, FOOTPRINT_I64, FOOTPRINT_EXPR };

struct footprint_bound {
    enum footprint_number number;
    uint64_t constant;
    uint64_t factor;
    uint64_t offset;
    const struct plan_expr *expr; // FOOTPRINT_EXPR
};

// An effect of a kernel, whichever tasks have it.
struct footprint_rule {
    const struct plan_effect *effect; // one of those that it stands for
    struct hazard_access access;      // all but the span
    bool is_whole;                    // all that lies behind the base
    uint64_t base;                    // of a field
    uint64_t size;                    //
    struct footprint_bound low;
    struct footprint_bound high;
    struct footprint_bound step;
    const struct plan_task *task; // HAZARD_UPDATE: atomic only where the task's fast version runs; NULL: always
};

// What hazard_access.what says of an access: which parameter or field of the kernel, or none of them.
enum { FOOTPRINT_RESULT = -1, FOOTPRINT_ANYTHING = -2, FOOTPRINT_FIELD = 1 << 16 };

// Fills in what launches of the kernel, whose plan and image are known, evaluate. Memory is of the module's arena.
void footprint_describe(struct kernel *kernel);

// |result|: where the value goes that the kernel returns; NULL: nowhere that others see.
void footprint_of_launch(struct footprint *out, const struct packed_args *packed, const void *result);

// An access of [address, address + size); false: there is none.
bool footprint_of_bytes(struct hazard_access *out, enum hazard_kind kind, const void *address, size_t size);

#endif
