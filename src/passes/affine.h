// Exact integer values of a kernel as polynomials over atoms: scalar parameters, loop variables, loaded values and
// whatever else has no simpler form. A polynomial is a value in the integers; what an IR value of w bits has in common
// with it is said where it is used (equal modulo 2^w, or equal).
//
// A loop test looks at two iterations at once. Atom number a of the one has the identifier 2a, of the other 2a + 1, so
// that both fit into one polynomial.
#ifndef RILL_PASSES_AFFINE_H
#define RILL_PASSES_AFFINE_H

#include "ir/ir.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 affine_wide;

// Bounds that saturate far outside 64 bits: AFFINE_INFINITY is "no bound".
#define AFFINE_INFINITY ((affine_wide)1 << 100)

struct affine_range {
    affine_wide lo;
    affine_wide hi;
};

enum { AFFINE_MAX_DEGREE = 5, AFFINE_MAX_TERMS = 40 };

struct affine_term {
    int64_t coef; // not 0
    int degree;
    int ids[AFFINE_MAX_DEGREE]; // sorted
};

struct affine { // terms sorted by degree and ids: the constant, if any, comes first
    int count;
    struct affine_term terms[];
};

// Memory for polynomials that can be given back to a mark: a loop test makes thousands that live for one pair only.
struct affine_pool {
    struct arena *arena; // borrowed
    struct affine_chunk *first;
    struct affine_chunk *current;
};

struct affine_mark {
    struct affine_chunk *chunk;
    size_t used;
};

void affine_pool_init(struct affine_pool *pool, struct arena *arena);
void *affine_alloc(struct affine_pool *pool, size_t size);
struct affine_mark affine_mark(struct affine_pool *pool);
void affine_release(struct affine_pool *pool, struct affine_mark mark);

// All of these take NULL for "not known" and then give NULL; also where a coefficient or the size would overflow.
const struct affine *affine_const(struct affine_pool *pool, int64_t value);
const struct affine *affine_atom(struct affine_pool *pool, int id);
const struct affine *affine_add(struct affine_pool *pool, const struct affine *a, const struct affine *b);
const struct affine *affine_sub(struct affine_pool *pool, const struct affine *a, const struct affine *b);
const struct affine *affine_scale(struct affine_pool *pool, const struct affine *a, int64_t factor);
const struct affine *affine_mul(struct affine_pool *pool, const struct affine *a, const struct affine *b);
const struct affine *affine_plus(struct affine_pool *pool, const struct affine *a, int64_t value);
// a / b if b divides it without remainder; else NULL.
const struct affine *affine_divide(struct affine_pool *pool, const struct affine *a, const struct affine *b);
// |value| in the place of every |id|.
const struct affine *affine_replace(struct affine_pool *pool, const struct affine *a, int id,
                                    const struct affine *value);
const struct affine *affine_copy(struct affine_pool *pool, const struct affine *a);

bool affine_is_const(const struct affine *a, int64_t *out_value);
bool affine_is_atom(const struct affine *a, int *out_id);
bool affine_equal(const struct affine *a, const struct affine *b);
bool affine_mentions(const struct affine *a, int id);
int64_t affine_constant_of(const struct affine *a); // the constant term
// The sum of the terms that hold |id|, divided by it; |out_rest| (may be NULL) gets the others. NULL where it stands in
// a power.
const struct affine *affine_coefficient(struct affine_pool *pool, const struct affine *a, int id,
                                        const struct affine **out_rest);

affine_wide affine_clamp(affine_wide value);
struct affine_range affine_range_add(struct affine_range a, struct affine_range b);
struct affine_range affine_range_mul(struct affine_range a, struct affine_range b);
struct affine_range affine_type_range(enum ir_type type, bool is_signed);

#endif
