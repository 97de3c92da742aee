// The variable of a loop as atoms, with what its bounds say of them.
#include "analysis/values/evaluate.h"
#include "ir/trip.h"
#include "ir/walk.h"

#include <assert.h>

struct loop_info *access_new_loop(struct frame *frame, struct ir_inst *inst)
{
    assert(inst->op == IR_OP_FOR);
    struct analysis *an = frame->an;
    struct loop_info *info = ARENA_NEW(an->arena, struct loop_info);
    info->inst = inst;
    info->context = frame->context;
    info->function = frame->function;
    info->parent = frame->loop;
    info->is_kernel_loop = frame->caller == NULL;
    if (info->parent != NULL) {
        *(info->parent->last_child != NULL ? &info->parent->last_child->next : &info->parent->first_child) = info;
        info->parent->last_child = info;
    }
    VEC_PUSH(an->arena, &an->loops, info);
    return info;
}

// More iterations than any loop has time for: so far is a variable of 64 bits from where it began, at most.
static const poly_wide most_iterations = (poly_wide)1 << 56;

static void make_variable(struct analysis *an, struct loop_info *info, struct poly_range range)
{
    struct atom atom = {
        .kind = ATOM_LOOP, .type = info->inst->loop->var->type, .loop = info, .home = info, .range = range};
    info->variable = atom_create(an, atom);
    atom.kind = ATOM_COUNT;
    atom.range = (struct poly_range){0, most_iterations};
    info->count = atom_create(an, atom);
}

static bool writes_memory(const struct ir_region *region)
{
    WALK (inst, region) {
        if (ir_op_writes(inst->op)) {
            return true;
        }
    }
    return false;
}

// for (k = 0; k < (n + b - 1) / b; k++): block k begins before n. That is not linear, so it is said here.
static void tie_to_quotient(struct analysis *an, const struct loop_info *info)
{
    struct poly_pool *pool = &an->pool;
    const struct ir_for *loop = info->inst->loop;
    int id;
    if ((loop->compare != IR_OP_SLT && loop->compare != IR_OP_ULT) || loop->step != 1 || loop->recheck ||
        !poly_is_atom(info->bound, &id) || value_range(an, info->init).lo < 0) {
        return;
    }
    const struct atom *quotient = atom_of(an, id);
    if (quotient->kind != ATOM_OP || quotient->op != IR_OP_SDIV || value_range(an, quotient->b).lo < 1) {
        return;
    }
    const struct poly *whole = quotient->a;
    int64_t least;
    if (poly_is_atom(whole, &id) && atom_of(an, id)->kind == ATOM_OP && atom_of(an, id)->op == IR_OP_SMAX &&
        poly_is_const(atom_of(an, id)->b, &least) && least == 0) {
        whole = atom_of(an, id)->a; // it is positive if an iteration runs
    }
    const struct poly *next = poly_plus(pool, poly_atom(pool, info->variable), 1);
    atom_add_fact(an, info->variable, poly_sub(pool, whole, poly_mul(pool, quotient->b, next)), false, NULL);
}

// The variable's bounds, given that an iteration runs, and the facts that tie it to the iteration's number.
static void bound_variable(struct analysis *an, struct loop_info *info, bool is_signed)
{
    struct poly_pool *pool = &an->pool;
    const struct ir_for *loop = info->inst->loop;
    enum ir_op compare = loop->compare;
    bool is_up = loop->step > 0 || analysis_has_bug(an, BUG_DOWNWARD_LOOPS);
    const struct poly *end = info->bound;
    if (compare == IR_OP_SLT || compare == IR_OP_ULT || (compare == IR_OP_NE && is_up)) {
        end = poly_plus(pool, end, -1);
    } else if (compare == IR_OP_SGT || compare == IR_OP_UGT || compare == IR_OP_NE) {
        end = poly_plus(pool, end, 1);
    }
    info->first = is_up ? info->init : end;
    info->last = is_up ? end : info->init;
    struct poly_range range = poly_type_range(loop->var->type, is_signed);
    struct poly_range low = value_range(an, info->first), high = value_range(an, info->last);
    range.lo = low.lo > range.lo ? low.lo : range.lo;
    range.hi = high.hi < range.hi ? high.hi : range.hi;
    struct poly_range init = value_range(an, info->init);
    poly_wide far = poly_clamp(most_iterations * loop->step); // below 0 for a loop that goes down
    range.lo = far < 0 && init.lo + far > range.lo ? init.lo + far : range.lo;
    range.hi = far > 0 && init.hi + far < range.hi ? init.hi + far : range.hi;
    make_variable(an, info, range);
    bool is_open = loop->recheck && writes_memory(&info->inst->regions[0]); // the bound may move
    const struct poly *variable = poly_atom(pool, info->variable);
    const struct poly *stepped = poly_add(pool, info->init, poly_scale(pool, poly_atom(pool, info->count), loop->step));
    for (int i = 0; i < 2; i++) {
        int id = i == 0 ? info->variable : info->count;
        if (is_up || !is_open) {
            atom_add_fact(an, id, poly_sub(pool, variable, info->first), false, NULL);
        }
        if (!is_up || !is_open) {
            atom_add_fact(an, id, poly_sub(pool, info->last, variable), false, NULL);
        }
        if (i == 1 || (loop->step != 1 && loop->step != -1)) {
            atom_add_fact(an, id, poly_sub(pool, variable, stepped), true, NULL);
        }
    }
    tie_to_quotient(an, info);
}

static const struct poly *bound_of(struct frame *frame, const struct ir_inst *bound, enum ir_type type, bool is_signed)
{
    const struct sym *sym = sym_of(frame, bound);
    bool fits = sym->cut == type && is_signed; // though its range does not show it
    return sym_exact_or_wrapped(frame, sym, fits ? IR_I64 : type, is_signed);
}

// Bounds of a loop are values in the integers, wrapped ones if need be. `!=` counts like `<` if the end is not before
// the start; otherwise it runs all around, and nothing is known but that no value comes twice.
void access_open_loop(struct frame *frame, struct loop_info *info)
{
    struct analysis *an = frame->an;
    struct ir_inst *inst = info->inst;
    enum ir_type type = inst->loop->var->type;
    enum ir_op compare = inst->loop->compare;
    bool is_signed = !trip_of(inst->loop).is_unsigned || type == IR_I64;
    info->init = bound_of(frame, inst->args[0], type, is_signed);
    info->bound = bound_of(frame, inst->args[1], type, is_signed);
    // A value of several alternatives is at least one value.
    struct atom edge = {
        .kind = ATOM_UNKNOWN, .type = type, .home = frame->loop, .range = poly_type_range(type, is_signed)};
    info->init = info->init != NULL ? info->init : poly_atom(&an->pool, atom_create(an, edge));
    info->bound = info->bound != NULL ? info->bound : poly_atom(&an->pool, atom_create(an, edge));
    if (compare == IR_OP_NE) {
        const struct poly *way = poly_sub(&an->pool, info->bound, info->init);
        way = inst->loop->step > 0 ? way : poly_scale(&an->pool, way, -1);
        if (!value_is_nonnegative(an, way, frame_env(frame)->guards)) {
            make_variable(an, info, edge.range);
            return;
        }
    }
    bound_variable(an, info, is_signed);
}

// Whether the body may write what the bound reads.
bool access_may_change_bound(const struct analysis *an, const struct loop_info *info)
{
    assert(info->access_begin <= info->access_end);
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *read = &an->accesses.items[i];
        for (int k = info->access_begin; k < info->access_end && read->recheck == info; k++) {
            const struct access *write = &an->accesses.items[k];
            if (write->kind != ACCESS_READ && access_relation(an, read, write) != RELATION_NONE) {
                return true;
            }
        }
    }
    return false;
}
