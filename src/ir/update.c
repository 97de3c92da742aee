// What the table of updates (IR_UPDATE_LIST) says, asked by everybody who has to know which updates commute, how they
// accumulate and what they do to a value.
#include "ir/ir.h"

#include <assert.h>
#include <math.h>

struct update_row {
    const char *name;
    enum ir_update_kind kind;
    enum ir_update merge;
    enum ir_op op;
    enum ir_op float_op;
    enum ir_op compare;
    enum ir_update_form form;
};

static const struct update_row rows[] = {
#define ROW(name, text, kind, merge, op, float_op, compare, form)                                                      \
    [IR_UPDATE_##name] = {text,          IR_UPDATE_KIND_##kind, IR_UPDATE_##merge,                                     \
                          IR_OP_##op,    IR_OP_##float_op,      IR_OP_##compare,                                       \
                          IR_FORM_##form},
    IR_UPDATE_LIST(ROW)
#undef ROW
};

static const struct update_row *row_of(enum ir_update update)
{
    assert((unsigned)update < IR_UPDATE_COUNT);
    return &rows[update];
}

const char *ir_update_name(enum ir_update update)
{
    return (unsigned)update < IR_UPDATE_COUNT ? rows[update].name : "?";
}

enum ir_update_kind ir_update_kind(enum ir_update update)
{
    return row_of(update)->kind;
}

const char *ir_update_operator(enum ir_update update)
{
    static const char *const texts[] = {
#define TEXT(name, text) [IR_UPDATE_KIND_##name] = text,
        IR_UPDATE_KIND_LIST(TEXT)
#undef TEXT
    };
    return texts[ir_update_kind(update)];
}

bool ir_update_has_assignment(enum ir_update update)
{
    enum ir_update_kind kind = ir_update_kind(update);
    return kind >= IR_UPDATE_KIND_SUM && kind <= IR_UPDATE_KIND_XOR;
}

// ---- types and operations ------------------------------------------------------------------------------------------

bool ir_update_takes_truth(enum ir_update update)
{
    return ir_update_kind(update) == IR_UPDATE_KIND_LAND || ir_update_kind(update) == IR_UPDATE_KIND_LOR;
}

bool ir_update_fits(enum ir_update update, enum ir_type type)
{
    const struct update_row *row = row_of(update);
    bool is_float = ir_type_is_float(type);
    switch (row->kind) {
    case IR_UPDATE_KIND_NONE: return false;
    case IR_UPDATE_KIND_STORE: return type != IR_VOID;
    case IR_UPDATE_KIND_LAND:
    case IR_UPDATE_KIND_LOR: return ir_type_is_int(type) || is_float;
    case IR_UPDATE_KIND_AND:
    case IR_UPDATE_KIND_OR:
    case IR_UPDATE_KIND_XOR: return ir_type_is_int(type);
    default: break;
    }
    bool is_number = ir_type_is_int(type) && type != IR_I1; // a _Bool neither adds nor has an order
    return is_float ? row->float_op != IR_OP_COUNT || row->form != IR_FORM_PLAIN : is_number && row->op != IR_OP_COUNT;
}

enum ir_op ir_update_op(enum ir_update update, enum ir_type type)
{
    return ir_type_is_float(type) ? row_of(update)->float_op : row_of(update)->op;
}

enum ir_op ir_update_compare(enum ir_update update, bool with_equal)
{
    switch (row_of(update)->compare) {
    case IR_OP_SLT: return with_equal ? IR_OP_SLE : IR_OP_SLT;
    case IR_OP_SGT: return with_equal ? IR_OP_SGE : IR_OP_SGT;
    case IR_OP_ULT: return with_equal ? IR_OP_ULE : IR_OP_ULT;
    case IR_OP_UGT: return with_equal ? IR_OP_UGE : IR_OP_UGT;
    case IR_OP_FLT: return with_equal ? IR_OP_FLE : IR_OP_FLT;
    case IR_OP_FGT: return with_equal ? IR_OP_FGE : IR_OP_FGT;
    default: assert(!"neither a minimum nor a maximum"); return IR_OP_COUNT;
    }
}

bool ir_update_is_ordered(enum ir_update update)
{
    return row_of(update)->form >= IR_FORM_COND;
}

bool ir_update_keeps_range(enum ir_update update, enum ir_type type)
{
    return ir_update_kind(update) != IR_UPDATE_KIND_PRODUCT || !ir_type_is_float(type);
}

bool ir_update_choice(enum ir_update update, enum ir_op *out_compare, bool *out_x_first)
{
    enum ir_update_form form = row_of(update)->form;
    if (form < IR_FORM_IF) {
        return false;
    }
    *out_compare = ir_update_compare(update, form == IR_FORM_IF_EQ || form == IR_FORM_COND_EQ);
    *out_x_first = form >= IR_FORM_COND;
    return true;
}

enum ir_update ir_update_min_max(bool is_max, enum ir_type type, bool is_unsigned, enum ir_update_form form)
{
    if (ir_type_is_float(type)) {
        enum ir_update_kind kind = is_max ? IR_UPDATE_KIND_MAX : IR_UPDATE_KIND_MIN;
        for (int i = 0; i < IR_UPDATE_COUNT; i++) {
            if (rows[i].kind == kind && rows[i].form == form && form != IR_FORM_PLAIN) {
                return (enum ir_update)i;
            }
        }
        assert(!"a form that floats do not have");
    }
    if (is_unsigned) {
        return is_max ? IR_UPDATE_UMAX : IR_UPDATE_UMIN;
    }
    return is_max ? IR_UPDATE_SMAX : IR_UPDATE_SMIN;
}

// ---- accumulation --------------------------------------------------------------------------------------------------

enum ir_update ir_update_merge(enum ir_update update)
{
    return row_of(update)->merge;
}

static int64_t integer_identity(enum ir_update update, enum ir_type type)
{
    int64_t most = (int64_t)(((uint64_t)1 << (8 * ir_type_size(type) - 1)) - 1);
    switch (update) {
    case IR_UPDATE_MUL:
    case IR_UPDATE_LAND: return 1;
    case IR_UPDATE_AND:
    case IR_UPDATE_UMIN: return -1;
    case IR_UPDATE_SMIN: return most;
    case IR_UPDATE_SMAX: return -most - 1;
    default: return 0;
    }
}

static double float_identity(enum ir_update update)
{
    const struct update_row *row = row_of(update);
    switch (row->kind) {
    case IR_UPDATE_KIND_SUM: return -0.0; // 0 + -0 is 0, so that 0 would change a -0
    case IR_UPDATE_KIND_PRODUCT:
    case IR_UPDATE_KIND_LAND: return 1.0;
    // fmin(x, NaN) is x for every x; no other value does that for a NaN x.
    case IR_UPDATE_KIND_MIN: return row->form == IR_FORM_CALL ? (double)NAN : (double)INFINITY;
    case IR_UPDATE_KIND_MAX: return row->form == IR_FORM_CALL ? (double)NAN : -(double)INFINITY;
    default: return 0.0;
    }
}

bool ir_update_identity(enum ir_update update, enum ir_type type, union ir_value *out)
{
    assert(ir_update_merge(update) != IR_UPDATE_NONE && ir_update_fits(update, type));
    if (ir_type_is_float(type)) {
        out->f = float_identity(update);
    } else {
        out->i = ir_normalize(type, integer_identity(update, type));
    }
    return !ir_update_takes_truth(update) && !ir_update_is_ordered(update);
}

bool ir_update_gathers(enum ir_update update, enum ir_type type)
{
    if (ir_type_is_float(type)) {
        return ir_update_kind(update) == IR_UPDATE_KIND_SUM && !ir_type_is_half(type);
    }
    switch (ir_update_kind(update)) {
    case IR_UPDATE_KIND_SUM:
    case IR_UPDATE_KIND_AND:
    case IR_UPDATE_KIND_OR:
    case IR_UPDATE_KIND_XOR:
    case IR_UPDATE_KIND_MIN:
    case IR_UPDATE_KIND_MAX: return type >= IR_I8 && type <= IR_I64 && ir_update_fits(update, type);
    default: return false;
    }
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

bool ir_updates_combine(enum ir_update a, enum ir_update b)
{
    return ir_update_merge(a) != IR_UPDATE_NONE && ir_update_merge(a) == ir_update_merge(b);
}

// One merge and no order: it is the kind and more. Minima of signed and of unsigned numbers do not commute (of 3 and -1
// either may be the lesser), nor do two forms of a float minimum, which do different things to a NaN.
bool ir_updates_commute(enum ir_update a, enum ir_update b)
{
    return ir_updates_combine(a, b) && !ir_update_is_ordered(a);
}

bool ir_updates_may_meet(struct ir_update_use a, struct ir_update_use b)
{
    if (a.is_explicit && b.is_explicit) {
        return ir_type_size(a.type) == ir_type_size(b.type);
    }
    return a.type == b.type && ir_updates_commute(a.update, b.update);
}

bool ir_merges(const struct ir_function *task)
{
    for (int i = 0; i < task->accumulator_count; i++) {
        const struct ir_accumulator *accumulator = &task->accumulators[i];
        if (accumulator->merge == IR_UPDATE_NONE && accumulator->chosen == 0) {
            return false;
        }
    }
    return task->accumulator_count > 0;
}
