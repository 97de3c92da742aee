// What instructions compute, as alternatives of polynomials.
#include "analysis/values/evaluate.h"

#include <assert.h>

static const struct sym *evaluate_widening(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *from = sym_of(frame, inst->args[0]);
    enum ir_type type = inst->args[0]->type;
    if (from->alt_count == 0 || (type == IR_I1 && inst->op == IR_OP_SEXT)) {
        return sym_unknown(frame, inst, NULL, inst->type, sym_home(frame, from));
    }
    struct sym *sym = sym_create(an, from->alt_count);
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
    return a->type == b->type && x->alt_count == 1 && y->alt_count == 1 && sym_is_same(&x->alts[0], &y->alts[0]);
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
    struct operand o = {x->alts[0].value, y->alts[0].value,
                        sym_both_needs(frame->an, x->alts[0].needs, y->alts[0].needs), inst->type, inst};
    const struct poly *value = access_operation(frame, is_less == is_straight ? IR_OP_SMIN : IR_OP_SMAX, &o);
    return value == NULL ? NULL : sym_int(frame->an, value, o.needs);
}

static const struct sym *evaluate_select(struct frame *frame, struct ir_inst *inst)
{
    const struct sym *best = selected_extreme(frame, inst);
    if (best != NULL) {
        return best;
    }
    return sym_join(frame, sym_of(frame, inst->args[1]), sym_of(frame, inst->args[2]), inst->type);
}

// An index that is inside its extent cannot have wrapped to there if all the values that would wrap to one lie outside
// of its range.
static bool cannot_wrap(struct analysis *an, const struct poly *value, enum ir_type type, const struct poly *extent)
{
    poly_wide limit = extent != NULL ? value_range(an, extent).hi : POLY_INFINITY;
    const poly_wide most = (poly_wide)1 << 56; // elements, in whatever memory there is
    limit = limit < most || type != IR_I64 ? limit : most;
    poly_wide span = (poly_wide)1 << (8 * ir_type_size(type));
    struct poly_range range = value_range(an, value);
    return range.hi < span && range.lo > limit - 1 - span;
}

// An index of 64 bits. A sum that goes around leads out of every array, unless it can go all the way around.
static const struct poly *exact_index(struct frame *frame, const struct sym_alt *alt, const struct poly *extent,
                                      const struct need **needs, struct loc loc)
{
    bool is_exact = alt->value != NULL && cannot_wrap(frame->an, alt->value, IR_I64, extent);
    return is_exact ? alt->value : sym_exact(frame, alt, IR_I64, true, needs, loc);
}

static const struct need *needs_of_index(struct analysis *an, const struct sym_alt *index, const struct poly *extent)
{
    const struct need *needs = NULL;
    for (const struct need *need = index->needs; need != NULL; need = need->next) {
        if (!poly_equal(need->value, index->value) || !cannot_wrap(an, need->value, need->type, extent)) {
            struct need *copy = ARENA_NEW(an->arena, struct need);
            *copy = *need;
            copy->next = needs;
            needs = copy;
        }
    }
    return needs;
}

// The same for an index that does not vary, where the wrapped value is an atom.
static const struct poly *unwrapped_index(struct analysis *an, const struct poly *index, const struct poly *extent)
{
    int id;
    if (extent == NULL || !poly_is_atom(index, &id)) {
        return index;
    }
    const struct atom *atom = atom_of(an, id);
    bool is_wrapped = atom->kind == ATOM_OP && (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT);
    return is_wrapped && cannot_wrap(an, atom->a, atom->type, extent) ? atom->a : index;
}

static void add_dim(struct frame *frame, struct sym_alt *alt, struct sym_dim dim)
{
    struct analysis *an = frame->an;
    struct sym_dim *dims = ARENA_ARRAY(an->arena, struct sym_dim, alt->dim_count + 1);
    for (int i = 0; i < alt->dim_count; i++) {
        dims[i] = alt->dims[i];
    }
    struct sym_dim *last = alt->dim_count > 0 ? &dims[alt->dim_count - 1] : NULL;
    if (last != NULL && dim.extent == NULL && poly_equal(last->stride, dim.stride)) {
        // Arithmetic on a pointer to an element: the sum is not bounded by the extent of the first index.
        last->index = poly_add(&an->pool, last->index, dim.index);
        last->extent = NULL;
    } else {
        dims[alt->dim_count++] = dim;
    }
    alt->dims = dims;
}

static const struct sym *evaluate_index(struct frame *frame, struct ir_inst *inst)
{
    assert(inst->arg_count == 4);
    struct analysis *an = frame->an;
    const struct sym *base = sym_of(frame, inst->args[0]), *index = sym_of(frame, inst->args[1]);
    // Strides are sizes of what is there: their products do not overflow.
    const struct sym *step = sym_of(frame, inst->args[2]);
    const struct poly *stride = step->alt_count == 1 && step->alts[0].needs == NULL ? step->alts[0].value : NULL;
    const struct poly *extent = sym_exact_or_wrapped(frame, sym_of(frame, inst->args[3]), IR_I64, true);
    int64_t known;
    if (poly_is_const(extent, &known) && known < 0) {
        extent = NULL;
    }
    int count = base->alt_count * index->alt_count;
    bool is_followed = count > 0 && count <= SYM_MAX_ALTS && stride != NULL;
    if (!is_followed) {
        index = sym_unknown(frame, inst, NULL, IR_I64, frame->loop);
        count = base->alt_count;
    }
    struct sym *sym = sym_create(an, count);
    for (int i = 0; i < count; i++) {
        const struct sym_alt *from = &index->alts[i % index->alt_count];
        struct sym_alt *alt = &sym->alts[i];
        *alt = base->alts[i / index->alt_count];
        if (stride == NULL) { // bytes unknown
            alt->value = poly_add(&an->pool, alt->value, from->value);
            continue;
        }
        const struct need *needs = from->needs;
        struct sym_alt exact = *from;
        exact.value = unwrapped_index(an, exact_index(frame, from, extent, &needs, inst->loc), extent);
        exact.needs = needs;
        if (an->module->check_bounds && frame->caller == NULL && count == 1 && needs == NULL && extent != NULL) {
            const struct poly *room = poly_plus(&an->pool, poly_sub(&an->pool, extent, exact.value), -1);
            inst->in_bounds = value_is_nonnegative(an, exact.value, frame_env(frame)->guards) &&
                              value_is_nonnegative(an, room, frame_env(frame)->guards);
        }
        add_dim(frame, alt, (struct sym_dim){exact.value, stride, extent});
        alt->needs = sym_both_needs(an, alt->needs, needs_of_index(an, &exact, extent));
    }
    return sym;
}

static const struct sym *evaluate_offset(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *base = sym_of(frame, inst->args[0]);
    struct sym *sym = sym_create(an, base->alt_count);
    for (int i = 0; i < base->alt_count; i++) {
        sym->alts[i] = base->alts[i];
        sym->alts[i].value = poly_plus(&an->pool, base->alts[i].value, inst->imm);
    }
    return sym;
}

static const struct sym *evaluate_param(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    if (frame->params != NULL) {
        return frame->params[inst->imm];
    }
    if (inst->type == IR_PTR) {
        return sym_pointer_to(an, base_beginning_at(inst));
    }
    if (!ir_type_is_int(inst->type)) {
        return sym_changing_in(an, NULL);
    }
    const struct sym **known = &an->params[inst->imm];
    if (*known == NULL) {
        const struct ir_ctype *ctype = an->kernel->params[inst->imm].ctype;
        bool is_unsigned = sym_is_read_unsigned(inst->type, ctype != NULL && ctype->is_unsigned);
        struct atom atom = {.kind = ATOM_PARAM,
                            .type = inst->type,
                            .index = (int)inst->imm,
                            .range = poly_type_range(inst->type, !is_unsigned)};
        *known = sym_int(an, poly_atom(&an->pool, atom_create(an, atom)), NULL);
    }
    return *known;
}

static const struct sym *evaluate_other(struct frame *frame, struct ir_inst *inst)
{
    return sym_unknown(frame, inst, NULL, inst->type, sym_home_of_operands(frame, inst));
}

// A scalar of a struct parameter is as good as a parameter of its own.
static const struct sym *struct_member(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *address = sym_of(frame, inst->args[0]);
    int64_t offset;
    if (!ir_type_is_int(inst->type) || address->alt_count != 1 || base_kind(address->alts[0].base) != BASE_PARAM ||
        !an->kernel->params[base_index(address->alts[0].base)].is_struct ||
        !poly_is_const(access_flat(an, &address->alts[0]), &offset)) {
        return NULL;
    }
    int index = base_index(address->alts[0].base);
    for (int i = 0; i < an->members.count; i++) {
        const struct atom *atom = atom_of(an, an->members.items[i]);
        if (atom->index == index && atom->offset == offset && atom->type == inst->type) {
            return sym_int(an, poly_atom(&an->pool, an->members.items[i]), NULL);
        }
    }
    struct atom atom = {.kind = ATOM_MEMBER,
                        .type = inst->type,
                        .index = index,
                        .offset = offset,
                        .range = poly_type_range(inst->type, true)};
    int id = atom_create(an, atom);
    VEC_PUSH(an->arena, &an->members, id);
    return sym_int(an, poly_atom(&an->pool, id), NULL);
}

const struct sym *access_evaluate(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    switch (inst->op) {
    case IR_OP_CONST:
        if (inst->type == IR_PTR) {
            return sym_pointer_to(an, base_make(BASE_NULL, 0));
        }
        return sym_int(an, poly_const(&an->pool, inst->imm), NULL);
    case IR_OP_PARAM: return evaluate_param(frame, inst);
    case IR_OP_ADDR_VAR:
        // Memory of a helper belongs to the call; nothing outside of it sees it.
        return sym_pointer_to(an, frame->caller != NULL ? base_make(BASE_NULL, 0) : base_beginning_at(inst));
    case IR_OP_ADDR_GLOBAL: return sym_pointer_to(an, base_beginning_at(inst));
    case IR_OP_SEXT:
    case IR_OP_ZEXT: return evaluate_widening(frame, inst);
    case IR_OP_TRUNC: {
        const struct sym *from = sym_of(frame, inst->args[0]);
        if (from->alt_count != 1 || !inst->no_wrap) {
            return from->alt_count > 0 && inst->type != IR_I1 ? from : evaluate_other(frame, inst);
        }
        struct sym *cut = sym_create(an, 1);
        cut->alts[0] = from->alts[0];
        cut->cut = inst->type;
        return cut;
    }
    case IR_OP_SELECT: return evaluate_select(frame, inst);
    case IR_OP_INDEX: return evaluate_index(frame, inst);
    case IR_OP_OFFSET: return evaluate_offset(frame, inst);
    case IR_OP_LOAD: {
        const struct sym *member = struct_member(frame, inst);
        return member != NULL ? member : access_loaded(frame, inst);
    }
    case IR_OP_ATOMIC:
    case IR_OP_CAS:
    case IR_OP_COMPARE: return sym_unknown(frame, inst, NULL, inst->type, frame->loop);
    default: break;
    }
    if (ir_op_group(inst->op) == IR_GROUP_INTEGER) {
        return access_arithmetic(frame, inst);
    }
    return evaluate_other(frame, inst);
}
