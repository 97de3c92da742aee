// What the list of operations (IR_OP_LIST) says, asked by everybody who has to know which operations read, write, fail
// or end a region.
#include "ir/ir.h"

#include <assert.h>
#include <stddef.h>

struct op_row {
    const char *name;
    int arg_count;
    enum ir_op_group group;
    unsigned properties; // enum ir_op_property
};

static const struct op_row rows[] = {
#define ROW(name, text, args, group, properties, doc) [IR_OP_##name] = {text, args, IR_GROUP_##group, properties},
    IR_OP_LIST(ROW)
#undef ROW
};

static const struct op_row *row_of(enum ir_op op)
{
    assert((unsigned)op < IR_OP_COUNT);
    return &rows[op];
}

static bool has(enum ir_op op, unsigned properties)
{
    return (row_of(op)->properties & properties) != 0;
}

const char *ir_op_name(enum ir_op op)
{
    return (unsigned)op < IR_OP_COUNT ? rows[op].name : "?";
}

int ir_op_arg_count(enum ir_op op)
{
    return row_of(op)->arg_count;
}

enum ir_op_group ir_op_group(enum ir_op op)
{
    return row_of(op)->group;
}

// ---- values --------------------------------------------------------------------------------------------------------

bool ir_op_is_pure(enum ir_op op)
{
    return has(op, IR_PURE);
}

bool ir_op_is_value(enum ir_op op)
{
    return has(op, IR_PURE) || (has(op, IR_GETS) && !has(op, IR_SETS));
}

bool ir_op_is_compare(enum ir_op op)
{
    return ir_op_group(op) == IR_GROUP_COMPARE || ir_op_group(op) == IR_GROUP_FLOAT_COMPARE;
}

bool ir_op_is_unsigned(enum ir_op op)
{
    return op == IR_OP_ULT || op == IR_OP_ULE || op == IR_OP_UGT || op == IR_OP_UGE;
}

bool ir_op_is_division(enum ir_op op)
{
    return op == IR_OP_SDIV || op == IR_OP_UDIV || op == IR_OP_SREM || op == IR_OP_UREM;
}

bool ir_op_is_foldable(enum ir_op op)
{
    switch (ir_op_group(op)) {
    case IR_GROUP_INTEGER:
    case IR_GROUP_BITS:
    case IR_GROUP_FLOAT:
    case IR_GROUP_COMPARE:
    case IR_GROUP_FLOAT_COMPARE:
    case IR_GROUP_CONVERT:
    case IR_GROUP_SELECT: return true;
    default: return false;
    }
}

bool ir_has_result(const struct ir_inst *inst)
{
    return has(inst->op, IR_PURE | IR_GIVES) && (inst->op != IR_OP_CALL || inst->type != IR_VOID);
}

// ---- variables and memory ------------------------------------------------------------------------------------------

bool ir_op_sets(enum ir_op op)
{
    return has(op, IR_SETS);
}

bool ir_op_reads(enum ir_op op)
{
    return has(op, IR_READS);
}

bool ir_op_writes(enum ir_op op)
{
    return has(op, IR_WRITES);
}

bool ir_op_accesses(enum ir_op op)
{
    return has(op, IR_ELEMENT | IR_BYTES);
}

bool ir_op_is_element(enum ir_op op)
{
    return has(op, IR_ELEMENT);
}

bool ir_op_is_bytes(enum ir_op op)
{
    return has(op, IR_BYTES);
}

bool ir_op_updates(enum ir_op op)
{
    return has(op, IR_UPDATES);
}

bool ir_is_atomic(const struct ir_inst *inst)
{
    return has(inst->op, IR_ATOMIC) || (inst->op == IR_OP_UPDATE && inst->atomic);
}

// ---- control -------------------------------------------------------------------------------------------------------

bool ir_op_may_fail(enum ir_op op)
{
    return has(op, IR_FAILS);
}

bool ir_may_fail(const struct ir_inst *inst, bool is_checked)
{
    if (inst->op == IR_OP_INDEX) {
        return is_checked;
    }
    return has(inst->op, IR_FAILS) && (inst->op != IR_OP_CALL || inst->function->may_fail);
}

bool ir_op_has_regions(enum ir_op op)
{
    return has(op, IR_REGIONS);
}

bool ir_op_repeats(enum ir_op op)
{
    return has(op, IR_REPEATS);
}

bool ir_op_is_terminator(enum ir_op op)
{
    return has(op, IR_ENDS);
}

enum ir_op ir_op_negated(enum ir_op op)
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

enum ir_op ir_op_opposite(enum ir_op op)
{
    switch (op) {
    case IR_OP_FLT: return IR_OP_FGE;
    case IR_OP_FLE: return IR_OP_FGT;
    case IR_OP_FGT: return IR_OP_FLE;
    case IR_OP_FGE: return IR_OP_FLT;
    default: return ir_op_negated(op);
    }
}

enum ir_op ir_op_mirrored(enum ir_op op)
{
    switch (op) {
    case IR_OP_SLT: return IR_OP_SGT;
    case IR_OP_SLE: return IR_OP_SGE;
    case IR_OP_SGT: return IR_OP_SLT;
    case IR_OP_SGE: return IR_OP_SLE;
    case IR_OP_ULT: return IR_OP_UGT;
    case IR_OP_ULE: return IR_OP_UGE;
    case IR_OP_UGT: return IR_OP_ULT;
    case IR_OP_UGE: return IR_OP_ULE;
    default: return op;
    }
}
