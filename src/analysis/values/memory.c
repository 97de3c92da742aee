// Notes what an instruction touches: one access for each alternative of its address.
#include "analysis/values/evaluate.h"

#include <assert.h>

const struct poly *access_flat(struct analysis *an, const struct sym_alt *alt)
{
    const struct poly *sum = alt->value;
    for (int i = 0; i < alt->dim_count; i++) {
        sum = poly_add(&an->pool, sum, poly_mul(&an->pool, alt->dims[i].index, alt->dims[i].stride));
    }
    return sum;
}

// A position that is not followed must still be one: an atom without bounds.
static const struct poly *unknown_offset(struct frame *frame, struct ir_inst *inst)
{
    struct atom atom = {.kind = ATOM_UNKNOWN,
                        .inst = frame->caller != NULL ? frame->site : inst,
                        .home = frame->loop,
                        .type = IR_I64,
                        .range = {-POLY_INFINITY, POLY_INFINITY}};
    return poly_atom(&frame->an->pool, atom_create(frame->an, atom));
}

static void note(struct frame *frame, struct ir_inst *inst, const struct ir_inst *address, struct access access)
{
    assert(address->type == IR_PTR);
    struct analysis *an = frame->an;
    const struct sym *pointer = sym_of(frame, address);
    int base = pointer->alt_count > 0 ? pointer->alts[0].base : 0;
    access.inst = inst;
    access.loop = frame->loop;
    access.guards = frame_env(frame)->guards;
    access.site = frame->site != NULL ? frame->site : inst;
    access.context = frame->context;
    access.recheck = frame->recheck;
    access.is_alternative = pointer->alt_count > 1;
    for (int i = 0; i < pointer->alt_count; i++) {
        const struct sym_alt *alt = &pointer->alts[i];
        base = alt->base == base ? base : 0;
        if (base_kind(alt->base) == BASE_NULL) {
            continue; // null, or memory of a helper's call
        }
        access.base = alt->base;
        access.dims = alt->dims;
        access.dim_count = alt->dim_count;
        access.offset = alt->value;
        access.needs = alt->needs;
        access.source = alt->source;
        access.flat = access_flat(an, alt);
        if (access.flat == NULL) {
            access.dim_count = 0;
            access.needs = NULL;
            access.flat = access.offset = unknown_offset(frame, inst);
        }
        VEC_PUSH(an->arena, &an->accesses, access);
    }
    if (frame->caller == NULL) {
        inst->base = pointer->alt_count > 0 ? base : 0;
    }
}

static const struct poly *bytes_of(struct frame *frame, const struct ir_inst *size)
{
    return sym_exact_or_wrapped(frame, sym_of(frame, size), IR_I64, true);
}

static bool constant_of(struct frame *frame, const struct ir_inst *value, int64_t *out)
{
    if (value->op == IR_OP_FCONST) {
        memcpy(out, &value->fimm, sizeof *out);
        return true;
    }
    const struct sym *sym = sym_of(frame, value);
    return ir_type_is_int(value->type) && sym->alt_count == 1 && sym->alts[0].needs == NULL &&
           poly_is_const(sym->alts[0].value, out);
}

// In a helper, where it does so for one of the calls.
static void note_constant(const struct frame *frame, struct ir_inst *inst, bool has_constant)
{
    inst->is_constant = has_constant || (frame->caller != NULL && inst->is_constant);
}

static void note_store(struct frame *frame, struct ir_inst *inst)
{
    struct access access = {
        .kind = ACCESS_WRITE, .type = inst->type, .size = poly_const(&frame->an->pool, ir_type_size(inst->type))};
    access.has_constant = constant_of(frame, inst->args[1], &access.constant) && !inst->is_volatile;
    if (access.has_constant && ir_type_is_int(inst->type)) {
        access.constant = ir_normalize(inst->type, access.constant);
    }
    note_constant(frame, inst, access.has_constant);
    note(frame, inst, inst->args[0], access);
}

// What is not looked into may read and write anything.
void access_note_everything(struct frame *frame, struct ir_inst *inst)
{
    struct access access = {.inst = inst,
                            .type = IR_VOID,
                            .base = base_make(BASE_UNKNOWN, 0),
                            .loop = frame->loop,
                            .guards = frame_env(frame)->guards,
                            .site = frame->site != NULL ? frame->site : inst,
                            .context = frame->context,
                            .recheck = frame->recheck};
    access.flat = access.offset = unknown_offset(frame, inst);
    VEC_PUSH(frame->an->arena, &frame->an->accesses, access);
    access.kind = ACCESS_WRITE;
    VEC_PUSH(frame->an->arena, &frame->an->accesses, access);
}

void access_note(struct frame *frame, struct ir_inst *inst)
{
    struct poly_pool *pool = &frame->an->pool;
    struct access access = {.type = inst->type, .update = inst->update};
    switch (inst->op) {
    case IR_OP_STORE: note_store(frame, inst); return;
    case IR_OP_LOAD:
    case IR_OP_UPDATE:
    case IR_OP_ATOMIC:
    case IR_OP_CAS:
        access.size = poly_const(pool, ir_type_size(inst->type));
        access.kind = inst->op == IR_OP_LOAD ? ACCESS_READ : inst->op == IR_OP_UPDATE ? ACCESS_UPDATE : ACCESS_ATOMIC;
        note(frame, inst, inst->args[0], access);
        return;
    case IR_OP_COPY:
    case IR_OP_COMPARE:
        access.type = IR_VOID;
        access.size = bytes_of(frame, inst->args[2]);
        access.kind = ACCESS_READ;
        note(frame, inst, inst->args[1], access);
        access.kind = inst->op == IR_OP_COPY ? ACCESS_WRITE : ACCESS_READ;
        note(frame, inst, inst->args[0], access);
        return;
    case IR_OP_FILL:
        access.type = IR_VOID;
        access.size = bytes_of(frame, inst->args[2]);
        access.kind = ACCESS_WRITE;
        access.has_constant = constant_of(frame, inst->args[1], &access.constant);
        note_constant(frame, inst, access.has_constant);
        note(frame, inst, inst->args[0], access);
        return;
    case IR_OP_PRINT:
        for (int i = 0; i < inst->arg_count; i++) {
            if (inst->args[i]->type == IR_PTR) { // %s reads as far as the string goes
                access.type = IR_I8;
                note(frame, inst, inst->args[i], access);
            }
        }
        return;
    default: return;
    }
}

static bool is_restrict(const struct analysis *an, int base)
{
    return base_kind(base) == BASE_PARAM && an->kernel->params[base_index(base)].is_restrict;
}

enum relation access_relation(const struct analysis *an, const struct access *a, const struct access *b)
{
    enum base_kind x = base_kind(a->base), y = base_kind(b->base);
    if (x == BASE_UNKNOWN || y == BASE_UNKNOWN) {
        return RELATION_UNKNOWN;
    }
    if (a->base == b->base) {
        return RELATION_SAME;
    }
    if (x == BASE_LOCAL || y == BASE_LOCAL || (x == BASE_GLOBAL && y == BASE_GLOBAL) || is_restrict(an, a->base) ||
        is_restrict(an, b->base)) {
        return RELATION_NONE;
    }
    return RELATION_TWO_BASES;
}
