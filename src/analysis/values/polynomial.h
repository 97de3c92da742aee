// Exact integer values of a kernel as polynomials over atoms: scalar parameters, loop variables, loaded values and
// whatever else has no simpler form. A polynomial is a value in the integers; what an IR value of w bits has in common
// with it is said where it is used (equal modulo 2^w, or equal).
//
// A loop test looks at two iterations at once. Atom number a of the one has the identifier 2a, of the other 2a + 1, so
// that both fit into one polynomial.
#ifndef RILL_ANALYSIS_VALUES_POLYNOMIAL_H
#define RILL_ANALYSIS_VALUES_POLYNOMIAL_H

#include "ir/ir.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 poly_wide;

// Bounds that saturate far outside 64 bits: POLY_INFINITY is "no bound".
#define POLY_INFINITY ((poly_wide)1 << 100)

struct poly_range {
    poly_wide lo;
    poly_wide hi;
};

enum { POLY_MAX_DEGREE = 5, POLY_MAX_TERMS = 40 };

struct poly_term {
    int64_t coef; // not 0
    int degree;
    int ids[POLY_MAX_DEGREE]; // sorted
};

struct poly { // terms sorted by degree and ids: the constant, if any, comes first
    int count;
    struct poly_term terms[];
};

// Memory for polynomials that can be given back to a mark: a loop test makes thousands that live for one pair only.
struct poly_pool {
    struct arena *arena; // borrowed
    struct poly_chunk *first;
    struct poly_chunk *current;
};

struct poly_mark {
    struct poly_chunk *chunk;
    size_t used;
};

void poly_pool_init(struct poly_pool *pool, struct arena *arena);
void *poly_alloc(struct poly_pool *pool, size_t size);
struct poly_mark poly_mark(struct poly_pool *pool);
void poly_release(struct poly_pool *pool, struct poly_mark mark);

// All of these take NULL for "not known" and then give NULL; also where a coefficient or the size would overflow.
const struct poly *poly_const(struct poly_pool *pool, int64_t value);
const struct poly *poly_atom(struct poly_pool *pool, int id);
const struct poly *poly_add(struct poly_pool *pool, const struct poly *a, const struct poly *b);
const struct poly *poly_sub(struct poly_pool *pool, const struct poly *a, const struct poly *b);
const struct poly *poly_scale(struct poly_pool *pool, const struct poly *a, int64_t factor);
const struct poly *poly_mul(struct poly_pool *pool, const struct poly *a, const struct poly *b);
const struct poly *poly_plus(struct poly_pool *pool, const struct poly *a, int64_t value);
// a / b if b divides it without remainder; else NULL.
const struct poly *poly_divide(struct poly_pool *pool, const struct poly *a, const struct poly *b);
// |value| in the place of every |id|.
const struct poly *poly_replace(struct poly_pool *pool, const struct poly *a, int id, const struct poly *value);
const struct poly *poly_copy(struct poly_pool *pool, const struct poly *a);

bool poly_is_const(const struct poly *a, int64_t *out_value);
bool poly_is_atom(const struct poly *a, int *out_id);
bool poly_equal(const struct poly *a, const struct poly *b);
bool poly_mentions(const struct poly *a, int id);
int64_t poly_constant_of(const struct poly *a); // the constant term
// The sum of the terms that hold |id|, divided by it; |out_rest| (may be NULL) gets the others. NULL where it stands in
// a power.
const struct poly *poly_coefficient(struct poly_pool *pool, const struct poly *a, int id, const struct poly **out_rest);

poly_wide poly_clamp(poly_wide value);
struct poly_range poly_range_add(struct poly_range a, struct poly_range b);
struct poly_range poly_range_mul(struct poly_range a, struct poly_range b);
struct poly_range poly_type_range(enum ir_type type, bool is_signed);

#endif
