// Symbolic values: made, joined, and known in the integers where ranges and facts say so. Elsewhere a need is noted for
// the launch to test, or the wrapped value is an atom of its own.
#include "analysis/values/evaluate.h"

#include <assert.h>

struct sym *sym_create(struct analysis *an, int alt_count)
{
    assert(alt_count >= 0);
    struct sym *sym = arena_alloc(an->arena, sizeof *sym + sizeof sym->alts[0] * (size_t)alt_count);
    sym->alt_count = alt_count;
    return sym;
}

const struct sym *sym_int(struct analysis *an, const struct poly *value, const struct need *needs)
{
    struct sym *sym = sym_create(an, 1);
    sym->alts[0].value = value;
    sym->alts[0].needs = needs;
    return sym;
}

const struct sym *sym_changing_in(struct analysis *an, struct loop_info *home)
{
    struct sym *sym = sym_create(an, 0);
    sym->home = home;
    return sym;
}

struct loop_info *sym_home(struct frame *frame, const struct sym *sym)
{
    if (sym->alt_count == 0) {
        return loop_contains(sym->home, frame->loop) || sym->home == NULL ? sym->home : frame->loop;
    }
    if (sym->alt_count > 1) { // which of them it is may change, whatever they are
        return frame->loop;
    }
    for (struct loop_info *loop = frame->loop; loop != NULL; loop = loop->parent) {
        const struct poly *flat = access_flat(frame->an, &sym->alts[0]);
        if (flat == NULL || value_varies(frame->an, flat, loop)) {
            return loop;
        }
    }
    return NULL;
}

struct loop_info *sym_home_of_operands(struct frame *frame, const struct ir_inst *inst)
{
    struct loop_info *home = NULL;
    for (int i = 0; i < inst->arg_count; i++) {
        struct loop_info *other = sym_home(frame, sym_of(frame, inst->args[i]));
        home = home == NULL || loop_contains(home, other) ? other : home;
    }
    return home;
}

// What a helper's pointer variable may hold in this call: its sets are over its own parameters, which are the
// arguments'.
static struct base_set bases_in_call(struct frame *frame, const struct ir_var *var)
{
    struct analysis *an = frame->an;
    struct base_set out = {.has_offset = true};
    struct points_to *sets = NULL;
    for (int i = 0; i < an->helper_bases.count && sets == NULL; i++) {
        sets = an->helper_bases.items[i]->function == frame->function ? an->helper_bases.items[i] : NULL;
    }
    if (sets == NULL) {
        sets = points_to_find(an->arena, frame->function);
        VEC_PUSH(an->arena, &an->helper_bases, sets);
    }
    const struct base_set *own = &sets->of_var[var->index];
    out.is_unknown = own->is_unknown;
    for (int i = 0; i < own->count; i++) {
        int base = own->bases[i];
        switch (base_kind(base)) {
        case BASE_PARAM: {
            const struct sym *argument = frame->params[base_index(base)];
            out.is_unknown |= argument == NULL || argument->alt_count == 0;
            for (int k = 0; argument != NULL && k < argument->alt_count; k++) {
                out.is_unknown |= argument->alts[k].base == base_make(BASE_UNKNOWN, 0);
                base_set_add(an->arena, &out, argument->alts[k].base);
            }
            break;
        }
        case BASE_LOCAL: base_set_add(an->arena, &out, base_make(BASE_NULL, 0)); break; // of the call: nobody else's
        default: base_set_add(an->arena, &out, base);
        }
    }
    return out;
}

static const struct sym *pointer_to_any(struct frame *frame, struct ir_inst *inst, struct ir_var *var)
{
    struct analysis *an = frame->an;
    struct base_set set = {.is_unknown = true};
    if (var != NULL) {
        set = frame->caller == NULL ? an->bases->of_var[var->index] : bases_in_call(frame, var);
    }
    int count = set.is_unknown || set.count == 0 || set.count > SYM_MAX_ALTS ? 1 : set.count;
    struct sym *sym = sym_create(an, count);
    struct atom atom = {.kind = ATOM_UNKNOWN,
                        .inst = frame->caller != NULL ? frame->site : inst,
                        .var = frame->caller != NULL ? NULL : var,
                        .home = frame->loop,
                        .type = IR_I64,
                        .range = {-POLY_INFINITY, POLY_INFINITY}};
    const struct poly *offset = poly_atom(&an->pool, atom_create(an, atom));
    for (int i = 0; i < count; i++) {
        bool is_known = !set.is_unknown && set.count > 0 && set.count <= SYM_MAX_ALTS;
        bool is_exact = is_known && !set.has_offset; // the variable is only ever given whole arrays: x, y, x, …
        sym->alts[i].base = is_known ? set.bases[i] : base_make(BASE_UNKNOWN, 0);
        sym->alts[i].value = is_exact ? poly_const(&an->pool, 0) : offset;
        sym->alts[i].source = is_exact ? sym : NULL;
    }
    return sym;
}

const struct sym *sym_pointer_to(struct analysis *an, int base)
{
    struct sym *sym = sym_create(an, 1);
    sym->alts[0].base = base;
    sym->alts[0].value = poly_const(&an->pool, 0);
    return sym;
}

// Unsigned values of up to 32 bits are read as what they are. Of 64 bits both readings serve, since addresses are
// computed modulo 2^64, and the signed one is what the launch computes with.
bool sym_is_read_unsigned(enum ir_type type, bool is_unsigned)
{
    return is_unsigned && type != IR_I64;
}

const struct sym *sym_unknown(struct frame *frame, struct ir_inst *inst, struct ir_var *var, enum ir_type type,
                              struct loop_info *home)
{
    if (type == IR_PTR) {
        return pointer_to_any(frame, inst, var);
    }
    if (!ir_type_is_int(type)) {
        return sym_changing_in(frame->an, home);
    }
    struct atom atom = {.kind = ATOM_UNKNOWN,
                        .inst = frame->caller != NULL ? frame->site : inst, // of the kernel's own code
                        .var = frame->caller != NULL ? NULL : var,
                        .home = home,
                        .type = type,
                        .range = poly_type_range(type, !sym_is_read_unsigned(type, var != NULL && var->is_unsigned))};
    struct sym *sym = sym_create(frame->an, 1);
    sym->alts[0].value = poly_atom(&frame->an->pool, atom_create(frame->an, atom));
    return sym;
}

bool sym_is_same(const struct sym_alt *a, const struct sym_alt *b)
{
    if (a->base != b->base || a->source != b->source || a->dim_count != b->dim_count ||
        !poly_equal(a->value, b->value) || a->needs != b->needs) {
        return false;
    }
    for (int i = 0; i < a->dim_count; i++) {
        if (!poly_equal(a->dims[i].index, b->dims[i].index) || !poly_equal(a->dims[i].stride, b->dims[i].stride)) {
            return false;
        }
    }
    return true;
}

// One of the two. Whatever says which, each of the values is looked at by itself.
const struct sym *sym_join(struct frame *frame, const struct sym *a, const struct sym *b, enum ir_type type)
{
    assert(a != NULL && b != NULL);
    struct analysis *an = frame->an;
    if (a == b) {
        return a;
    }
    if (a == NULL || b == NULL) {
        return sym_unknown(frame, NULL, NULL, type, frame->loop);
    }
    if (!ir_type_is_int(type) && type != IR_PTR) {
        return sym_changing_in(an, frame->loop);
    }
    struct sym *sym = sym_create(an, a->alt_count + b->alt_count);
    sym->alt_count = 0;
    for (int i = 0; i < a->alt_count + b->alt_count; i++) {
        const struct sym_alt *alt = i < a->alt_count ? &a->alts[i] : &b->alts[i - a->alt_count];
        bool is_new = true;
        for (int k = 0; k < sym->alt_count && is_new; k++) {
            is_new = !sym_is_same(&sym->alts[k], alt);
        }
        if (is_new) {
            sym->alts[sym->alt_count++] = *alt;
        }
    }
    if (sym->alt_count > SYM_MAX_ALTS) {
        return sym_unknown(frame, NULL, NULL, type, frame->loop);
    }
    return sym;
}

const struct sym *sym_of(struct frame *frame, const struct ir_inst *inst)
{
    assert(inst->id >= 0);
    const struct sym *sym = inst->id >= 0 ? frame->values[inst->id] : NULL;
    if (sym == NULL) { // dead code only
        sym = sym_unknown(frame, NULL, NULL, inst->type, frame->loop);
        if (inst->id >= 0) {
            frame->values[inst->id] = sym;
        }
    }
    return sym;
}

// ---- values in the integers ----------------------------------------------------------------------------------------

static bool fits(struct frame *frame, const struct poly *value, enum ir_type type, bool is_signed)
{
    struct analysis *an = frame->an;
    struct poly_range wanted = poly_type_range(type, is_signed);
    struct poly_range range = value_range(an, value);
    bool low = range.lo >= wanted.lo, high = range.hi <= wanted.hi;
    // Of 64 bits less is enough: that the sums of the proof fit as well.
    const poly_wide limit = INT64_MAX / 2;
    if (!low) {
        int64_t least = (int64_t)(wanted.lo < -limit ? -limit : wanted.lo);
        low = value_is_nonnegative(an, poly_plus(&an->pool, value, -least), frame_env(frame)->guards);
    }
    if (low && !high) {
        int64_t most = (int64_t)(wanted.hi > limit ? limit : wanted.hi);
        const struct poly *room = poly_plus(&an->pool, poly_scale(&an->pool, value, -1), most);
        high = value_is_nonnegative(an, room, frame_env(frame)->guards);
    }
    return low && high;
}

// The value wrapped to the type, as an atom of its own.
const struct poly *sym_wrapped(struct analysis *an, const struct poly *value, enum ir_type type, bool is_signed)
{
    // A large unsigned number of 64 bits has no name here: it would be taken for a negative one.
    if (value == NULL || (type == IR_I64 && !is_signed && !value_is_nonnegative(an, value, NULL))) {
        return NULL;
    }
    struct poly_range range = poly_type_range(type, is_signed), from = value_range(an, value);
    int id = atom_intern_op(an, is_signed ? IR_OP_SEXT : IR_OP_ZEXT, type, value, NULL, range);
    const struct poly *atom = poly_atom(&an->pool, id);
    if (atom_of(an, id)->facts == NULL) { // what can wrap at one end only, wraps to the other side
        if (from.lo >= range.lo) {
            atom_add_fact(an, id, poly_sub(&an->pool, value, atom), false, NULL);
        }
        if (from.hi <= range.hi) {
            atom_add_fact(an, id, poly_sub(&an->pool, atom, value), false, NULL);
        }
    }
    return atom;
}

// Whether it depends on what only a run knows, so that no bound of it can be computed.
static bool has_unknown(const struct analysis *an, const struct poly *value)
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

const struct poly *sym_exact(struct frame *frame, const struct sym_alt *alt, enum ir_type type, bool is_signed,
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
    if (poly_is_const(alt->value, &constant)) { // unsigned constants are kept sign-extended
        int64_t value = ir_normalize(type, constant);
        if (!is_signed && value < 0) {
            if (type == IR_I64) {
                return NULL;
            }
            value += (int64_t)1 << (8 * ir_type_size(type));
        }
        return poly_const(&an->pool, value);
    }
    if (!value_varies(an, alt->value, NULL) || has_unknown(an, alt->value)) {
        return sym_wrapped(an, alt->value, type, is_signed);
    }
    for (const struct need *other = *needs; other != NULL; other = other->next) {
        if (other->is_signed && is_signed && ir_type_size(other->type) <= ir_type_size(type) &&
            poly_equal(other->value, alt->value)) {
            return alt->value; // what fits a narrower type fits this one
        }
    }
    struct need *need = ARENA_NEW(an->arena, struct need);
    *need = (struct need){alt->value, type, is_signed, loc, *needs};
    *needs = need;
    return alt->value;
}

const struct poly *sym_exact_or_wrapped(struct frame *frame, const struct sym *sym, enum ir_type type, bool is_signed)
{
    if (sym->alt_count != 1) {
        return NULL;
    }
    const struct need *needs = sym->alts[0].needs;
    const struct poly *value = sym_exact(frame, &sym->alts[0], type, is_signed, &needs, (struct loc){0});
    if (needs != sym->alts[0].needs) {
        return sym_wrapped(frame->an, sym->alts[0].value, type, is_signed);
    }
    return sym->alts[0].needs == NULL ? value : NULL;
}

const struct need *sym_both_needs(struct analysis *an, const struct need *a, const struct need *b)
{
    if (a == NULL || a == b) {
        return b;
    }
    for (; b != NULL; b = b->next) {
        bool is_there = false;
        for (const struct need *other = a; other != NULL; other = other->next) {
            is_there |=
                other->type == b->type && other->is_signed == b->is_signed && poly_equal(other->value, b->value);
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
