// What instructions compute, as alternatives of polynomials. Sums, differences and products hold modulo 2^width without
// any condition; only where a value is widened, divided or compared must it be known in the integers, and there ranges
// and facts are asked, or a need is noted for the launch to test.
#include "passes/analyse.h"

static struct sym *new_sym(struct analysis *an, int alt_count)
{
    struct sym *sym = arena_alloc(an->arena, sizeof *sym + sizeof sym->alts[0] * (size_t)alt_count);
    sym->alt_count = alt_count;
    return sym;
}

const struct sym *sym_int(struct analysis *an, const struct affine *value, const struct need *needs)
{
    struct sym *sym = new_sym(an, 1);
    sym->alts[0].value = value;
    sym->alts[0].needs = needs;
    return sym;
}

static const struct sym *sym_tainted(struct analysis *an, unsigned taint)
{
    struct sym *sym = new_sym(an, 0);
    sym->taint = taint;
    return sym;
}

static const struct sym *pointer_to_any(struct frame *frame, struct ir_inst *inst, struct ir_var *var)
{
    struct analysis *an = frame->an;
    struct base_set set = {.is_unknown = true};
    if (var != NULL && frame->caller == NULL) {
        set = an->bases->of_var[var->index];
    }
    int count = set.is_unknown || set.count == 0 || set.count > SYM_MAX_ALTS ? 1 : set.count;
    struct sym *sym = new_sym(an, count);
    struct atom atom = {.kind = ATOM_UNKNOWN,
                        .inst = frame->caller != NULL ? frame->site : inst,
                        .var = frame->caller != NULL ? NULL : var,
                        .home = frame->loop,
                        .taint = TAINT_OPAQUE,
                        .type = IR_I64,
                        .range = {-AFFINE_INFINITY, AFFINE_INFINITY}};
    const struct affine *offset = affine_atom(&an->pool, atom_create(an, atom));
    for (int i = 0; i < count; i++) {
        bool is_known = !set.is_unknown && set.count > 0 && set.count <= SYM_MAX_ALTS;
        bool is_exact = is_known && !set.has_offset; // the variable is only ever given whole arrays: x, y, x, …
        sym->alts[i].base = is_known ? set.bases[i] : base_make(BASE_UNKNOWN, 0);
        sym->alts[i].value = is_exact ? affine_const(&an->pool, 0) : offset;
        sym->alts[i].source = is_exact ? sym : NULL;
    }
    return sym;
}

// Unsigned values of up to 32 bits are read as what they are. Of 64 bits both readings serve, since addresses are
// computed modulo 2^64, and the signed one is what the launch computes with.
static bool is_small_unsigned(enum ir_type type, bool is_unsigned)
{
    return is_unsigned && type != IR_I64;
}

const struct sym *sym_unknown(struct frame *frame, struct ir_inst *inst, struct ir_var *var, enum ir_type type,
                              unsigned taint)
{
    if (type == IR_PTR) {
        return pointer_to_any(frame, inst, var);
    }
    if (!ir_type_is_int(type)) {
        return sym_tainted(frame->an, taint & TAINT_DATA);
    }
    struct atom atom = {.kind = ATOM_UNKNOWN,
                        .inst = frame->caller != NULL ? frame->site : inst, // what hangs on what is asked in the kernel
                        .var = frame->caller != NULL ? NULL : var,
                        .home = frame->loop,
                        .taint = taint,
                        .type = type,
                        .range = affine_type_range(type, !is_small_unsigned(type, var != NULL && var->is_unsigned))};
    struct sym *sym = new_sym(frame->an, 1);
    sym->alts[0].value = affine_atom(&frame->an->pool, atom_create(frame->an, atom));
    sym->taint = taint & TAINT_DATA;
    return sym;
}

static unsigned taint_of(const struct analysis *an, const struct sym *sym)
{
    unsigned taint = sym->taint;
    for (int i = 0; i < sym->alt_count; i++) {
        taint |= value_taint(an, sym->alts[i].value);
    }
    return taint & TAINT_DATA;
}

static bool same_alt(const struct sym_alt *a, const struct sym_alt *b)
{
    if (a->base != b->base || a->source != b->source || a->dim_count != b->dim_count ||
        !affine_equal(a->value, b->value) || a->needs != b->needs) {
        return false;
    }
    for (int i = 0; i < a->dim_count; i++) {
        if (!affine_equal(a->dims[i].index, b->dims[i].index) || !affine_equal(a->dims[i].stride, b->dims[i].stride)) {
            return false;
        }
    }
    return true;
}

const struct sym *sym_join(struct frame *frame, const struct sym *a, const struct sym *b, enum ir_type type,
                           unsigned taint)
{
    struct analysis *an = frame->an;
    if (a == b) {
        return a;
    }
    if (a == NULL || b == NULL) {
        return sym_unknown(frame, NULL, NULL, type, TAINT_OPAQUE | taint);
    }
    if (!ir_type_is_int(type) && type != IR_PTR) {
        return sym_tainted(an, (a->taint | b->taint | taint) & TAINT_DATA);
    }
    struct sym *sym = new_sym(an, a->alt_count + b->alt_count);
    sym->taint = (a->taint | b->taint | taint) & TAINT_DATA;
    sym->alt_count = 0;
    for (int i = 0; i < a->alt_count + b->alt_count; i++) {
        const struct sym_alt *alt = i < a->alt_count ? &a->alts[i] : &b->alts[i - a->alt_count];
        bool is_new = true;
        for (int k = 0; k < sym->alt_count && is_new; k++) {
            is_new = !same_alt(&sym->alts[k], alt);
        }
        if (is_new) {
            sym->alts[sym->alt_count++] = *alt;
        }
    }
    if (sym->alt_count > SYM_MAX_ALTS) {
        return sym_unknown(frame, NULL, NULL, type, TAINT_OPAQUE | taint_of(an, a) | taint_of(an, b) | taint);
    }
    return sym;
}

const struct sym *sym_of(struct frame *frame, const struct ir_inst *inst)
{
    const struct sym *sym = inst->id >= 0 ? frame->values[inst->id] : NULL;
    if (sym == NULL) { // dead code only
        sym = sym_unknown(frame, NULL, NULL, inst->type, TAINT_OPAQUE);
        if (inst->id >= 0) {
            frame->values[inst->id] = sym;
        }
    }
    return sym;
}

// ---- values in the integers ----------------------------------------------------------------------------------------

static bool fits(struct frame *frame, const struct affine *value, enum ir_type type, bool is_signed)
{
    struct analysis *an = frame->an;
    struct affine_range wanted = affine_type_range(type, is_signed);
    struct affine_range range = value_range(an, value);
    bool low = range.lo >= wanted.lo, high = range.hi <= wanted.hi;
    if (!low && wanted.lo >= INT64_MIN / 2) {
        low = value_is_nonnegative(an, affine_plus(&an->pool, value, (int64_t)-wanted.lo), frame->env.guards);
    }
    if (low && !high && wanted.hi <= INT64_MAX / 2) {
        const struct affine *room = affine_plus(&an->pool, affine_scale(&an->pool, value, -1), (int64_t)wanted.hi);
        high = value_is_nonnegative(an, room, frame->env.guards);
    }
    return low && high;
}

// The value wrapped to the type, as an atom of its own.
static const struct affine *wrapped(struct analysis *an, const struct affine *value, enum ir_type type, bool is_signed)
{
    // A large unsigned number of 64 bits has no name here: it would be taken for a negative one.
    if (value == NULL || (type == IR_I64 && !is_signed && !value_is_nonnegative(an, value, NULL))) {
        return NULL;
    }
    struct affine_range range = affine_type_range(type, is_signed), from = value_range(an, value);
    int id = atom_intern_op(an, is_signed ? IR_OP_SEXT : IR_OP_ZEXT, type, value, NULL, range);
    const struct affine *atom = affine_atom(&an->pool, id);
    if (atom_of(an, id)->facts == NULL) { // what can wrap at one end only, wraps to the other side
        if (from.lo >= range.lo) {
            atom_add_fact(an, id, affine_sub(&an->pool, value, atom), false, NULL);
        }
        if (from.hi <= range.hi) {
            atom_add_fact(an, id, affine_sub(&an->pool, atom, value), false, NULL);
        }
    }
    return atom;
}

// Whether it hangs on what only a run knows, so that no bound of it can be computed.
static bool has_unknown(const struct analysis *an, const struct affine *value)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            const struct atom *atom = atom_of(an, value->terms[i].ids[k]);
            if ((atom->kind == ATOM_UNKNOWN && atom->home != NULL) ||
                (atom->kind == ATOM_OP && (has_unknown(an, atom->a) || has_unknown(an, atom->b)))) {
                return true;
            }
        }
    }
    return false;
}

// A sum of 64-bit values with small factors. No loop runs long enough to carry one around, and a fixed part that does
// leads out of every array.
static bool is_small_sum(const struct affine *value)
{
    for (int i = 0; i < value->count; i++) {
        const struct affine_term *term = &value->terms[i];
        if (term->degree > 1 || (term->degree == 1 && (term->coef > 1 << 20 || term->coef < -(1 << 20)))) {
            return false;
        }
    }
    return true;
}

const struct affine *sym_exact(struct frame *frame, const struct sym_alt *alt, enum ir_type type, bool is_signed,
                               const struct need **needs, struct loc loc)
{
    struct analysis *an = frame->an;
    if (type == IR_I1) {
        return alt->value;
    }
    if (alt->value != NULL && fits(frame, alt->value, type, is_signed)) {
        return alt->value;
    }
    int64_t constant;
    if (affine_is_const(alt->value, &constant)) { // unsigned constants are kept sign-extended
        int64_t value = ir_normalize(type, constant);
        if (!is_signed && value < 0) {
            if (type == IR_I64) {
                return NULL;
            }
            value += (int64_t)1 << (8 * ir_type_size(type));
        }
        return affine_const(&an->pool, value);
    }
    if (type == IR_I64 && is_signed && is_small_sum(alt->value)) {
        return alt->value;
    }
    if (!value_varies(an, alt->value, NULL) || has_unknown(an, alt->value)) {
        return wrapped(an, alt->value, type, is_signed);
    }
    for (const struct need *other = *needs; other != NULL; other = other->next) {
        if (other->is_signed && is_signed && ir_type_size(other->type) <= ir_type_size(type) &&
            affine_equal(other->value, alt->value)) {
            return alt->value; // what fits a narrower type fits this one
        }
    }
    struct need *need = ARENA_NEW(an->arena, struct need);
    *need = (struct need){alt->value, type, is_signed, loc, *needs};
    *needs = need;
    return alt->value;
}

const struct affine *sym_exact_or_wrapped(struct frame *frame, const struct sym *sym, enum ir_type type, bool is_signed)
{
    if (sym->alt_count != 1) {
        return NULL;
    }
    const struct need *needs = sym->alts[0].needs;
    const struct affine *value = sym_exact(frame, &sym->alts[0], type, is_signed, &needs, (struct loc){0});
    if (needs != sym->alts[0].needs) {
        return wrapped(frame->an, sym->alts[0].value, type, is_signed);
    }
    return sym->alts[0].needs == NULL ? value : NULL;
}

static const struct need *both_needs(struct analysis *an, const struct need *a, const struct need *b)
{
    if (a == NULL || a == b) {
        return b;
    }
    for (; b != NULL; b = b->next) {
        bool is_there = false;
        for (const struct need *other = a; other != NULL; other = other->next) {
            is_there |=
                other->type == b->type && other->is_signed == b->is_signed && affine_equal(other->value, b->value);
        }
        if (!is_there) {
            struct need *copy = ARENA_NEW(an->arena, struct need);
            *copy = *b;
            copy->next = a;
            a = copy;
        }
    }
    return a;
}

// ---- operations on single alternatives -----------------------------------------------------------------------------

struct operand {
    const struct affine *a;
    const struct affine *b;
    const struct need *needs;
    enum ir_type type;
    struct ir_inst *inst;
};

// Quotient and remainder of a by b are two atoms tied by a = b * quotient + remainder.
static void tie_division(struct analysis *an, int quotient, int remainder, const struct affine *a,
                         const struct affine *b, bool is_floor)
{
    struct affine_pool *pool = &an->pool;
    if (atom_of(an, quotient)->facts != NULL) {
        return;
    }
    const struct affine *guard = value_range(an, b).lo >= 1 ? NULL : b;
    struct atom *rest = atom_of(an, remainder);
    if (guard == NULL || value_range(an, a).lo > INT32_MIN) {
        rest->quotient = quotient;
        rest->divisor = b;
    }
    const struct affine *q = affine_atom(pool, quotient), *r = affine_atom(pool, remainder);
    const struct affine *sum = affine_add(pool, affine_mul(pool, b, q), r);
    bool is_positive = is_floor || value_is_nonnegative(an, a, NULL);
    const struct affine *top = affine_plus(pool, affine_sub(pool, b, r), -1); // b - 1 - r >= 0
    const struct affine *bottom = is_positive ? r : affine_plus(pool, affine_add(pool, b, r), -1);
    for (int i = 0; i < 2; i++) {
        int id = i == 0 ? quotient : remainder;
        atom_add_fact(an, id, affine_sub(pool, a, sum), true, guard);
        atom_add_fact(an, id, top, false, guard);
        atom_add_fact(an, id, bottom, false, guard);
        if (is_positive && value_is_nonnegative(an, a, NULL)) {
            atom_add_fact(an, id, q, false, guard);
        }
    }
    // k / m with k < n * m stays below n. That is not linear, so it is said here.
    int loop_id;
    if (affine_is_atom(a, &loop_id) && atom_of(an, loop_id)->kind == ATOM_LOOP) {
        const struct affine *end = affine_plus(pool, atom_of(an, loop_id)->loop->last, 1);
        const struct affine *count = affine_divide(pool, end, b);
        if (count != NULL && is_positive) {
            atom_add_fact(an, quotient, affine_plus(pool, affine_sub(pool, count, q), -1), false, guard);
        }
    }
}

struct division {
    bool is_floor; // by a power of two: rounds down; else towards zero
    bool wants_remainder;
    struct affine_range limits; // of the type: results of exact operands stay inside
    enum ir_type type;
};

static struct affine_range narrowed(struct affine_range range, struct affine_range limits)
{
    range.lo = range.lo > limits.lo ? range.lo : limits.lo;
    range.hi = range.hi < limits.hi ? range.hi : limits.hi;
    return range;
}

static const struct affine *divide(struct analysis *an, const struct affine *a, const struct affine *b,
                                   struct division how)
{
    bool is_floor = how.is_floor, wants_remainder = how.wants_remainder;
    if (a == NULL || b == NULL) {
        return NULL;
    }
    int64_t divisor;
    const struct affine *exact = affine_is_const(b, &divisor) && divisor != 0 ? affine_divide(&an->pool, a, b) : NULL;
    if (exact != NULL) {
        return wants_remainder ? affine_const(&an->pool, 0) : exact;
    }
    bool is_positive = value_is_nonnegative(an, a, NULL); // no guards: the atoms serve everywhere
    is_floor &= !is_positive;
    struct affine_range range_a = value_range(an, a), range_b = value_range(an, b);
    struct affine_range range_q = {-AFFINE_INFINITY, AFFINE_INFINITY}, range_r = range_q;
    if (range_b.lo >= 1) {
        range_q = (struct affine_range){range_a.lo < 0 ? range_a.lo : 0, range_a.hi > 0 ? range_a.hi : 0};
        range_r = (struct affine_range){is_positive || is_floor ? 0 : -(range_b.hi - 1), range_b.hi - 1};
        if (range_b.lo == range_b.hi && range_a.lo >= 0) {
            range_q = (struct affine_range){range_a.lo / range_b.lo, range_a.hi / range_b.lo};
        }
    } else { // x / 0 is 0, x % 0 is x; a negative divisor at most turns the sign
        affine_wide most = -range_a.lo > range_a.hi ? -range_a.lo : range_a.hi;
        range_q = range_r = (struct affine_range){-most, most};
        if (is_positive && range_b.lo >= 0) {
            range_q.lo = range_r.lo = 0;
        }
    }
    enum ir_op division = is_floor ? IR_OP_ASHR : IR_OP_SDIV, rest = is_floor ? IR_OP_AND : IR_OP_SREM;
    const struct affine *second = b, *mask = b;
    if (is_floor) { // only for powers of two: shift and mask are floor division and its remainder
        int shift = 63 - __builtin_clzll((unsigned long long)divisor);
        second = affine_const(&an->pool, shift);
        mask = affine_const(&an->pool, divisor - 1);
    }
    int q = atom_intern_op(an, division, how.type, a, second, narrowed(range_q, how.limits));
    int r = atom_intern_op(an, rest, how.type, a, mask, narrowed(range_r, how.limits));
    tie_division(an, q, r, a, b, is_floor);
    return affine_atom(&an->pool, wants_remainder ? r : q);
}

static bool is_power_of_two(int64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

static const struct affine *extreme(struct analysis *an, enum ir_op op, const struct affine *a, const struct affine *b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    if (affine_equal(a, b)) {
        return a;
    }
    struct affine_pool *pool = &an->pool;
    bool is_min = op == IR_OP_SMIN;
    struct affine_range x = value_range(an, a), y = value_range(an, b);
    struct affine_range range = {(x.lo < y.lo) == is_min ? x.lo : y.lo, (x.hi < y.hi) == is_min ? x.hi : y.hi};
    int id = atom_intern_op(an, op, IR_I64, a, b, range);
    if (atom_of(an, id)->facts == NULL) {
        const struct affine *value = affine_atom(pool, id);
        atom_add_fact(an, id, is_min ? affine_sub(pool, a, value) : affine_sub(pool, value, a), false, NULL);
        atom_add_fact(an, id, is_min ? affine_sub(pool, b, value) : affine_sub(pool, value, b), false, NULL);
    }
    return affine_atom(pool, id);
}

// x & mask with a mask that is not a run of low bits, |, ^, and shifts by what is not constant.
static const struct affine *opaque(struct analysis *an, enum ir_op op, enum ir_type type, const struct affine *a,
                                   const struct affine *b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    struct affine_range range = affine_type_range(type, true), x = value_range(an, a), y = value_range(an, b);
    if (op == IR_OP_AND && (x.lo >= 0 || y.lo >= 0)) {
        range = (struct affine_range){0, x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : x.hi < y.hi ? x.hi : y.hi};
    }
    int id = atom_intern_op(an, op, IR_I64, a, b, range);
    struct atom *atom = atom_of(an, id);
    atom->taint |= TAINT_OPAQUE;
    if (op == IR_OP_AND && atom->facts == NULL) {
        const struct affine *value = affine_atom(&an->pool, id);
        if (x.lo >= 0) {
            atom_add_fact(an, id, affine_sub(&an->pool, a, value), false, NULL);
        }
        if (y.lo >= 0) {
            atom_add_fact(an, id, affine_sub(&an->pool, b, value), false, NULL);
        }
    }
    return affine_atom(&an->pool, id);
}

static const struct affine *exact_operand(struct frame *frame, struct operand *o, const struct affine *value,
                                          bool is_signed)
{
    struct sym_alt alt = {.value = value};
    return sym_exact(frame, &alt, o->type, is_signed, &o->needs, o->inst->loc);
}

// Exact, wrapped if it must be: for what only bounds other values, where that says enough.
static const struct affine *wrapped_operand(struct frame *frame, struct operand *o, const struct affine *value,
                                            bool is_signed)
{
    const struct need *needs = o->needs;
    const struct affine *exact = exact_operand(frame, o, value, is_signed);
    if (o->needs == needs) {
        return exact;
    }
    o->needs = needs;
    return wrapped(frame->an, value, o->type, is_signed);
}

static const struct affine *and_mask(struct frame *frame, struct operand *o)
{
    struct analysis *an = frame->an;
    int64_t mask;
    if (affine_is_const(o->a, &mask)) {
        const struct affine *a = o->a;
        o->a = o->b;
        o->b = a;
    }
    // Of a value that may have wrapped: the quotient has no limits, the remainder needs none.
    const struct division low_bits = {true, true, {-AFFINE_INFINITY, AFFINE_INFINITY}, IR_I64};
    if (affine_is_const(o->b, &mask)) {
        if (mask >= 0 && is_power_of_two(mask + 1)) { // the low bits are right whatever was carried out at the top
            return divide(an, o->a, affine_const(&an->pool, mask + 1), low_bits);
        }
        if (mask < 0 && mask != INT64_MIN && is_power_of_two(-mask)) {
            const struct affine *low = divide(an, o->a, affine_const(&an->pool, -mask), low_bits);
            return affine_sub(&an->pool, o->a, low);
        }
    }
    return opaque(an, IR_OP_AND, o->type, exact_operand(frame, o, o->a, true), exact_operand(frame, o, o->b, true));
}

static const struct affine *shift(struct frame *frame, struct operand *o, enum ir_op op)
{
    struct analysis *an = frame->an;
    int64_t count;
    int bits = 8 * ir_type_size(o->type);
    if (affine_is_const(o->b, &count)) {
        count &= bits - 1;
        if (count > 61) {
            return NULL;
        }
        const struct affine *power = affine_const(&an->pool, (int64_t)1 << count);
        if (op == IR_OP_SHL) {
            return affine_mul(&an->pool, o->a, power);
        }
        const struct affine *a = exact_operand(frame, o, o->a, op == IR_OP_ASHR);
        struct division how = {true, false, affine_type_range(o->type, op == IR_OP_ASHR), o->type};
        return count == 0 ? a : divide(an, a, power, how);
    }
    if (op != IR_OP_SHL) {
        return NULL;
    }
    const struct affine *a = exact_operand(frame, o, o->a, true);
    const struct affine *b = opaque(an, IR_OP_AND, o->type, o->b, affine_const(&an->pool, bits - 1));
    // As the type's signed reading, so that all uses of the variable it goes to agree.
    const struct affine *value = wrapped(an, opaque(an, IR_OP_SHL, IR_I64, a, b), o->type, true);
    return value;
}

// b * (a / b) + a % b is a, whatever b is (but for the one case that wraps, which is excluded here).
static const struct affine *joined(struct analysis *an, const struct affine *value)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        const struct affine_term *term = &value->terms[i];
        for (int k = 0; k < term->degree; k++) {
            const struct atom *rest = atom_of(an, term->ids[k]);
            bool is_rest = rest->kind == ATOM_OP && (rest->op == IR_OP_SREM || rest->op == IR_OP_AND);
            if (!is_rest || rest->quotient == 0) {
                continue;
            }
            // The terms with the remainder, times what ties it: if that makes the sum shorter, it is the better form.
            const struct affine *whole = affine_sub(
                &an->pool, rest->a, affine_mul(&an->pool, rest->divisor, affine_atom(&an->pool, rest->quotient)));
            const struct affine *shorter = affine_replace(&an->pool, value, term->ids[k], whole);
            if (shorter != NULL && shorter->count < value->count) {
                return joined(an, shorter);
            }
        }
    }
    return value;
}

static const struct affine *binary(struct frame *frame, enum ir_op op, struct operand *o)
{
    struct analysis *an = frame->an;
    struct affine_pool *pool = &an->pool;
    bool is_signed = op == IR_OP_SDIV || op == IR_OP_SREM || op == IR_OP_SMIN || op == IR_OP_SMAX;
    switch (op) {
    case IR_OP_ADD: return joined(an, affine_add(pool, o->a, o->b));
    case IR_OP_SUB: return affine_sub(pool, o->a, o->b);
    case IR_OP_MUL: return affine_mul(pool, o->a, o->b);
    case IR_OP_SHL:
    case IR_OP_LSHR:
    case IR_OP_ASHR: return shift(frame, o, op);
    case IR_OP_AND: return and_mask(frame, o);
    case IR_OP_OR:
    case IR_OP_XOR:
        return opaque(an, op, o->type, exact_operand(frame, o, o->a, true), exact_operand(frame, o, o->b, true));
    default: break;
    }
    if (op >= IR_OP_SMIN && op <= IR_OP_UMAX) {
        return extreme(an, op == IR_OP_SMIN || op == IR_OP_UMIN ? IR_OP_SMIN : IR_OP_SMAX,
                       wrapped_operand(frame, o, o->a, is_signed), wrapped_operand(frame, o, o->b, is_signed));
    }
    const struct affine *a = exact_operand(frame, o, o->a, is_signed);
    const struct affine *b = exact_operand(frame, o, o->b, is_signed);
    bool is_remainder = op == IR_OP_SREM || op == IR_OP_UREM;
    struct division how = {false, is_remainder, affine_type_range(o->type, is_signed), o->type};
    switch (op) {
    case IR_OP_SDIV:
    case IR_OP_UDIV:
    case IR_OP_SREM:
    case IR_OP_UREM: return is_remainder && an->bug == BUG_REMAINDER_DIFFERS ? a : divide(an, a, b, how);
    default: return NULL;
    }
}

static bool fits_plainly(const struct analysis *an, const struct sym *sym, enum ir_type type)
{
    struct affine_range wanted = affine_type_range(type, true);
    for (int i = 0; i < sym->alt_count; i++) {
        struct affine_range range = value_range(an, sym->alts[i].value);
        if (sym->alts[i].needs != NULL || range.lo < wanted.lo || range.hi > wanted.hi) {
            return false;
        }
    }
    return sym->alt_count > 0;
}

// Whether the value stands for whatever the instruction gives, wrapped or not.
static bool is_own_atom(const struct analysis *an, const struct sym *sym, const struct ir_inst *inst)
{
    int id;
    return sym->alt_count == 1 && affine_is_atom(sym->alts[0].value, &id) && atom_of(an, id)->inst == inst;
}

// Tells the code generator of sums that do not wrap: operands and result fit, by their ranges alone.
static void mark_no_wrap(struct frame *frame, struct ir_inst *inst, const struct sym *result)
{
    bool is_sum = inst->op == IR_OP_ADD || inst->op == IR_OP_SUB || inst->op == IR_OP_MUL;
    if (is_sum && frame->caller == NULL && inst->type == IR_I32 && !is_own_atom(frame->an, result, inst) &&
        fits_plainly(frame->an, result, inst->type) &&
        fits_plainly(frame->an, sym_of(frame, inst->args[0]), inst->type) &&
        fits_plainly(frame->an, sym_of(frame, inst->args[1]), inst->type)) {
        inst->no_wrap = true;
    }
}

static const struct sym *evaluate_binary(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *a = sym_of(frame, inst->args[0]), *b = sym_of(frame, inst->args[1]);
    unsigned taint = taint_of(an, a) | taint_of(an, b);
    int count = a->alt_count * b->alt_count;
    if (count == 0 || count > SYM_MAX_ALTS || inst->type == IR_I1) {
        return sym_unknown(frame, inst, NULL, inst->type, TAINT_OPAQUE | taint);
    }
    struct sym *sym = new_sym(an, count);
    sym->taint = (a->taint | b->taint) & TAINT_DATA;
    for (int i = 0; i < count; i++) {
        const struct sym_alt *x = &a->alts[i / b->alt_count], *y = &b->alts[i % b->alt_count];
        struct operand o = {x->value, y->value, both_needs(an, x->needs, y->needs), inst->type, inst};
        sym->alts[i].value = binary(frame, inst->op, &o);
        sym->alts[i].needs = o.needs;
        if (sym->alts[i].value == NULL) {
            return sym_unknown(frame, inst, NULL, inst->type, TAINT_OPAQUE | taint);
        }
    }
    return sym;
}

// ---- conversions, selections, addresses ----------------------------------------------------------------------------

static const struct sym *evaluate_widening(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *from = sym_of(frame, inst->args[0]);
    enum ir_type type = inst->args[0]->type;
    if (from->alt_count == 0 || (type == IR_I1 && inst->op == IR_OP_SEXT)) {
        return sym_unknown(frame, inst, NULL, inst->type, TAINT_OPAQUE | from->taint);
    }
    struct sym *sym = new_sym(an, from->alt_count);
    sym->taint = from->taint;
    for (int i = 0; i < from->alt_count; i++) {
        const struct need *needs = from->alts[i].needs;
        bool is_signed = inst->op == IR_OP_SEXT && type != IR_I1;
        sym->alts[i].value = sym_exact(frame, &from->alts[i], type, is_signed, &needs, inst->loc);
        sym->alts[i].needs = needs;
    }
    return sym;
}

static bool same_value(struct frame *frame, const struct ir_inst *a, const struct ir_inst *b)
{
    if (a == b) {
        return true;
    }
    const struct sym *x = sym_of(frame, a), *y = sym_of(frame, b);
    return a->type == b->type && x->alt_count == 1 && y->alt_count == 1 && same_alt(&x->alts[0], &y->alts[0]);
}

// x < y ? x : y and its kin.
static const struct sym *selected_extreme(struct frame *frame, struct ir_inst *inst)
{
    const struct ir_inst *condition = inst->args[0];
    bool is_less = condition->op == IR_OP_SLT || condition->op == IR_OP_SLE;
    if (!ir_type_is_int(inst->type) || (!is_less && condition->op != IR_OP_SGT && condition->op != IR_OP_SGE)) {
        return NULL;
    }
    bool is_straight =
        same_value(frame, condition->args[0], inst->args[1]) && same_value(frame, condition->args[1], inst->args[2]);
    bool is_crossed =
        same_value(frame, condition->args[1], inst->args[1]) && same_value(frame, condition->args[0], inst->args[2]);
    if (!is_straight && !is_crossed) {
        return NULL;
    }
    const struct sym *x = sym_of(frame, inst->args[1]), *y = sym_of(frame, inst->args[2]);
    if (x->alt_count != 1 || y->alt_count != 1) {
        return NULL;
    }
    struct operand o = {x->alts[0].value, y->alts[0].value, both_needs(frame->an, x->alts[0].needs, y->alts[0].needs),
                        inst->type, inst};
    const struct affine *value = binary(frame, is_less == is_straight ? IR_OP_SMIN : IR_OP_SMAX, &o);
    return value == NULL ? NULL : sym_int(frame->an, value, o.needs);
}

static const struct sym *evaluate_select(struct frame *frame, struct ir_inst *inst)
{
    const struct sym *best = selected_extreme(frame, inst);
    if (best != NULL) {
        return best;
    }
    unsigned taint = taint_of(frame->an, sym_of(frame, inst->args[0]));
    return sym_join(frame, sym_of(frame, inst->args[1]), sym_of(frame, inst->args[2]), inst->type, taint);
}

// An index that is inside its extent cannot have wrapped to there if all the values that would wrap to one lie outside
// of its range.
static const struct need *needs_of_index(struct analysis *an, const struct sym_alt *index, const struct affine *extent)
{
    const struct need *needs = NULL;
    for (const struct need *need = index->needs; need != NULL; need = need->next) {
        affine_wide limit = extent != NULL ? value_range(an, extent).hi : AFFINE_INFINITY;
        affine_wide span = (affine_wide)1 << (8 * ir_type_size(need->type));
        struct affine_range range = value_range(an, need->value);
        bool is_settled = affine_equal(need->value, index->value) && range.hi < span && range.lo > limit - 1 - span;
        if (!is_settled) {
            struct need *copy = ARENA_NEW(an->arena, struct need);
            *copy = *need;
            copy->next = needs;
            needs = copy;
        }
    }
    return needs;
}

static void add_dim(struct frame *frame, struct sym_alt *alt, struct sym_dim dim)
{
    struct analysis *an = frame->an;
    struct sym_dim *dims = ARENA_ARRAY(an->arena, struct sym_dim, alt->dim_count + 1);
    for (int i = 0; i < alt->dim_count; i++) {
        dims[i] = alt->dims[i];
    }
    struct sym_dim *last = alt->dim_count > 0 ? &dims[alt->dim_count - 1] : NULL;
    if (last != NULL && dim.extent == NULL && affine_equal(last->stride, dim.stride)) {
        // Arithmetic on a pointer to an element: the sum is not bounded by the extent of the first index.
        last->index = affine_add(&an->pool, last->index, dim.index);
        last->extent = NULL;
    } else {
        dims[alt->dim_count++] = dim;
    }
    alt->dims = dims;
}

static const struct sym *evaluate_index(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *base = sym_of(frame, inst->args[0]), *index = sym_of(frame, inst->args[1]);
    // Strides are sizes of what is there: their products do not overflow.
    const struct sym *step = sym_of(frame, inst->args[2]);
    const struct affine *stride = step->alt_count == 1 && step->alts[0].needs == NULL ? step->alts[0].value : NULL;
    const struct affine *extent = sym_exact_or_wrapped(frame, sym_of(frame, inst->args[3]), IR_I64, true);
    int64_t known;
    if (affine_is_const(extent, &known) && known < 0) {
        extent = NULL;
    }
    int count = base->alt_count * index->alt_count;
    bool is_followed = count > 0 && count <= SYM_MAX_ALTS && stride != NULL;
    if (!is_followed) {
        index = sym_unknown(frame, inst, NULL, IR_I64, TAINT_OPAQUE | taint_of(an, index));
        count = base->alt_count;
    }
    struct sym *sym = new_sym(an, count);
    for (int i = 0; i < count; i++) {
        const struct sym_alt *from = &index->alts[i % index->alt_count];
        struct sym_alt *alt = &sym->alts[i];
        *alt = base->alts[i / index->alt_count];
        if (stride == NULL) { // bytes unknown
            alt->value = affine_add(&an->pool, alt->value, from->value);
            continue;
        }
        const struct need *needs = from->needs;
        struct sym_alt exact = *from;
        exact.value = sym_exact(frame, from, IR_I64, true, &needs, inst->loc);
        exact.needs = needs;
        if (an->module->check_bounds && frame->caller == NULL && count == 1 && needs == NULL && extent != NULL) {
            const struct affine *room = affine_plus(&an->pool, affine_sub(&an->pool, extent, exact.value), -1);
            inst->in_bounds = value_is_nonnegative(an, exact.value, frame->env.guards) &&
                              value_is_nonnegative(an, room, frame->env.guards);
        }
        add_dim(frame, alt, (struct sym_dim){exact.value, stride, extent});
        alt->needs = both_needs(an, alt->needs, needs_of_index(an, &exact, extent));
    }
    return sym;
}

static const struct sym *evaluate_offset(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *base = sym_of(frame, inst->args[0]);
    struct sym *sym = new_sym(an, base->alt_count);
    for (int i = 0; i < base->alt_count; i++) {
        sym->alts[i] = base->alts[i];
        sym->alts[i].value = affine_plus(&an->pool, base->alts[i].value, inst->imm);
    }
    return sym;
}

static const struct sym *pointer_to(struct analysis *an, int base)
{
    struct sym *sym = new_sym(an, 1);
    sym->alts[0].base = base;
    sym->alts[0].value = affine_const(&an->pool, 0);
    return sym;
}

static const struct sym *evaluate_param(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    if (frame->params != NULL) {
        return frame->params[inst->imm];
    }
    if (inst->type == IR_PTR) {
        return pointer_to(an, base_make(BASE_PARAM, (int)inst->imm));
    }
    if (!ir_type_is_int(inst->type)) {
        return sym_tainted(an, 0);
    }
    const struct sym **known = &an->params[inst->imm];
    if (*known == NULL) {
        const struct ir_ctype *ctype = an->kernel->params[inst->imm].ctype;
        bool is_unsigned = is_small_unsigned(inst->type, ctype != NULL && ctype->is_unsigned);
        struct atom atom = {.kind = ATOM_PARAM,
                            .type = inst->type,
                            .index = (int)inst->imm,
                            .range = affine_type_range(inst->type, !is_unsigned)};
        *known = sym_int(an, affine_atom(&an->pool, atom_create(an, atom)), NULL);
    }
    return *known;
}

static const struct sym *evaluate_other(struct frame *frame, struct ir_inst *inst)
{
    unsigned taint = 0;
    for (int i = 0; i < inst->arg_count; i++) {
        taint |= taint_of(frame->an, sym_of(frame, inst->args[i]));
    }
    if (inst->op == IR_OP_PTRTOINT) {
        taint |= TAINT_DATA; // an address is data: nobody can follow it
    }
    return sym_unknown(frame, inst, NULL, inst->type, TAINT_OPAQUE | taint);
}

// A scalar of a struct parameter is as good as a parameter of its own.
static const struct sym *struct_member(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *address = sym_of(frame, inst->args[0]);
    int64_t offset;
    if (!ir_type_is_int(inst->type) || address->alt_count != 1 || base_kind(address->alts[0].base) != BASE_PARAM ||
        !an->kernel->params[base_index(address->alts[0].base)].is_struct ||
        !affine_is_const(access_flat(an, &address->alts[0]), &offset)) {
        return NULL;
    }
    int index = base_index(address->alts[0].base);
    for (int i = 0; i < an->members.count; i++) {
        const struct atom *atom = atom_of(an, an->members.items[i]);
        if (atom->index == index && atom->offset == offset && atom->type == inst->type) {
            return sym_int(an, affine_atom(&an->pool, an->members.items[i]), NULL);
        }
    }
    struct atom atom = {.kind = ATOM_MEMBER,
                        .type = inst->type,
                        .index = index,
                        .offset = offset,
                        .range = affine_type_range(inst->type, true)};
    int id = atom_create(an, atom);
    VEC_PUSH(an->arena, &an->members, id);
    return sym_int(an, affine_atom(&an->pool, id), NULL);
}

const struct sym *access_evaluate(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    switch (inst->op) {
    case IR_OP_CONST:
        if (inst->type == IR_PTR) {
            return pointer_to(an, base_make(BASE_NULL, 0));
        }
        return sym_int(an, affine_const(&an->pool, inst->imm), NULL);
    case IR_OP_PARAM: return evaluate_param(frame, inst);
    case IR_OP_ADDR_VAR:
        // Memory of a helper belongs to the call; nothing outside of it sees it.
        return pointer_to(an,
                          frame->caller != NULL ? base_make(BASE_NULL, 0) : base_make(BASE_LOCAL, inst->var->index));
    case IR_OP_ADDR_GLOBAL: return pointer_to(an, base_make(BASE_GLOBAL, inst->global->index));
    case IR_OP_SEXT:
    case IR_OP_ZEXT: return evaluate_widening(frame, inst);
    case IR_OP_TRUNC: {
        const struct sym *from = sym_of(frame, inst->args[0]);
        return from->alt_count > 0 && inst->type != IR_I1 ? from : evaluate_other(frame, inst);
    }
    case IR_OP_SELECT: return evaluate_select(frame, inst);
    case IR_OP_INDEX: return evaluate_index(frame, inst);
    case IR_OP_OFFSET: return evaluate_offset(frame, inst);
    case IR_OP_LOAD: {
        const struct sym *member = struct_member(frame, inst);
        return member != NULL ? member : sym_unknown(frame, inst, NULL, inst->type, TAINT_DATA);
    }
    case IR_OP_ATOMIC:
    case IR_OP_CAS:
    case IR_OP_COMPARE: return sym_unknown(frame, inst, NULL, inst->type, TAINT_DATA);
    default: break;
    }
    if (inst->op >= IR_OP_ADD && inst->op <= IR_OP_UMAX) {
        const struct sym *result = evaluate_binary(frame, inst);
        mark_no_wrap(frame, inst, result);
        return result;
    }
    return evaluate_other(frame, inst);
}

// ---- guards --------------------------------------------------------------------------------------------------------

static enum ir_op negated(enum ir_op op)
{
    switch (op) {
    case IR_OP_SLT: return IR_OP_SGE;
    case IR_OP_SLE: return IR_OP_SGT;
    case IR_OP_SGT: return IR_OP_SLE;
    case IR_OP_SGE: return IR_OP_SLT;
    case IR_OP_ULT: return IR_OP_UGE;
    case IR_OP_ULE: return IR_OP_UGT;
    case IR_OP_UGT: return IR_OP_ULE;
    case IR_OP_UGE: return IR_OP_ULT;
    case IR_OP_EQ: return IR_OP_NE;
    case IR_OP_NE: return IR_OP_EQ;
    default: return op;
    }
}

static const struct guard *compare_guard(struct frame *frame, const struct ir_inst *condition, enum ir_op op,
                                         const struct guard *next)
{
    struct analysis *an = frame->an;
    struct affine_pool *pool = &an->pool;
    bool is_signed = op < IR_OP_ULT;
    enum ir_type type = condition->args[0]->type;
    const struct affine *a = sym_exact_or_wrapped(frame, sym_of(frame, condition->args[0]), type, is_signed);
    const struct affine *b = sym_exact_or_wrapped(frame, sym_of(frame, condition->args[1]), type, is_signed);
    const struct affine *value = NULL;
    switch (op) {
    case IR_OP_SLT:
    case IR_OP_ULT: value = affine_plus(pool, affine_sub(pool, b, a), -1); break;
    case IR_OP_SLE:
    case IR_OP_ULE: value = affine_sub(pool, b, a); break;
    case IR_OP_SGT:
    case IR_OP_UGT: value = affine_plus(pool, affine_sub(pool, a, b), -1); break;
    case IR_OP_SGE:
    case IR_OP_UGE:
    case IR_OP_EQ: value = affine_sub(pool, a, b); break;
    default: break;
    }
    if (value == NULL) {
        return next;
    }
    struct guard *guard = ARENA_NEW(an->arena, struct guard);
    *guard = (struct guard){value, op == IR_OP_EQ, next};
    return guard;
}

const struct guard *access_guard(struct frame *frame, const struct ir_inst *condition, bool is_true,
                                 const struct guard *next)
{
    if (condition->op == IR_OP_AND && condition->type == IR_I1 && is_true) {
        next = access_guard(frame, condition->args[0], true, next);
        return access_guard(frame, condition->args[1], true, next);
    }
    if (condition->op == IR_OP_OR && condition->type == IR_I1 && !is_true) {
        next = access_guard(frame, condition->args[0], false, next);
        return access_guard(frame, condition->args[1], false, next);
    }
    bool is_int_compare =
        condition->op >= IR_OP_EQ && condition->op <= IR_OP_UGE && ir_type_is_int(condition->args[0]->type);
    if (!is_int_compare) {
        return next;
    }
    return compare_guard(frame, condition, is_true ? condition->op : negated(condition->op), next);
}
