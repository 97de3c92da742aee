#include "ir/verify.h"

#include "base/format.h"
#include "base/half.h"

#include <inttypes.h>
#include <string.h>

// ---- small checks --------------------------------------------------------------------------------------------------

static void want_type(struct verifier *v, const struct ir_inst *inst, enum ir_type wanted)
{
    if (inst->type != wanted) {
        ir_verify_error(v, inst, "has type %s, must have %s", ir_type_name(inst->type), ir_type_name(wanted));
    }
}

static void want_arg(struct verifier *v, const struct ir_inst *inst, int index, enum ir_type wanted)
{
    enum ir_type type = inst->args[index]->type;
    if (type != wanted) {
        ir_verify_error(v, inst, "operand %d has type %s, must have %s", index, ir_type_name(type),
                        ir_type_name(wanted));
    }
}

static void want_args(struct verifier *v, const struct ir_inst *inst, enum ir_type wanted)
{
    for (int i = 0; i < inst->arg_count; i++) {
        want_arg(v, inst, i, wanted);
    }
}

static void want_text(struct verifier *v, const struct ir_inst *inst)
{
    if (inst->text == NULL) {
        ir_verify_error(v, inst, "has no text");
    }
}

static bool is_wide_int(enum ir_type type) // an integer other than i1
{
    return ir_type_is_int(type) && type != IR_I1;
}

static bool is_task(const struct verifier *v)
{
    return v->function->kind == IR_FUNCTION_TASK;
}

static bool is_finish(const struct verifier *v)
{
    return v->function->kind == IR_FUNCTION_FINISH;
}

// ---- values --------------------------------------------------------------------------------------------------------

static void verify_const(struct verifier *v, const struct ir_inst *inst)
{
    if (inst->type == IR_PTR ? inst->imm != 0 : !ir_type_is_int(inst->type)) {
        ir_verify_error(v, inst, "must be an integer or a null ptr");
    } else if (ir_normalize(inst->type, inst->imm) != inst->imm) {
        ir_verify_error(v, inst, "%" PRId64 " is not sign-extended from %s", inst->imm, ir_type_name(inst->type));
    }
}

static void verify_fconst(struct verifier *v, const struct ir_inst *inst)
{
    if (!ir_type_is_float(inst->type)) {
        ir_verify_error(v, inst, "has type %s, must have f32 or f64 or a half", ir_type_name(inst->type));
    } else if (inst->type == IR_F32 && inst->fimm == inst->fimm && (double)(float)inst->fimm != inst->fimm) {
        ir_verify_error(v, inst, "%a is no f32", inst->fimm);
    } else if (ir_type_is_half(inst->type) && inst->fimm == inst->fimm &&
               half_round(inst->fimm, inst->type == IR_BF16) != inst->fimm) {
        ir_verify_error(v, inst, "%a is no %s", inst->fimm, ir_type_name(inst->type));
    }
}

static void verify_param(struct verifier *v, const struct ir_inst *inst)
{
    const struct ir_function *owner = is_task(v) || is_finish(v) ? v->function->kernel : v->function;
    if (owner == NULL) {
        return; // said where the function itself is looked at
    }
    if (inst->imm < 0 || inst->imm >= owner->param_count) {
        ir_verify_error(v, inst, "there is no parameter %" PRId64, inst->imm);
    } else {
        want_type(v, inst, owner->params[inst->imm].type);
    }
}

static bool verify_var(struct verifier *v, const struct ir_inst *inst, bool is_memory)
{
    if (!ir_verify_owns_var(v, inst->var)) {
        ir_verify_error(v, inst, "its variable is none of this function's");
        return false;
    }
    if (inst->var->is_memory != is_memory) {
        ir_verify_error(v, inst, "variable '%s' is %s", inst->var->name, is_memory ? "a scalar" : "memory");
        return false;
    }
    return true;
}

static void verify_scalar_access(struct verifier *v, const struct ir_inst *inst)
{
    if (verify_var(v, inst, false)) {
        want_type(v, inst, inst->var->type);
        if (inst->op == IR_OP_SET) {
            want_arg(v, inst, 0, inst->var->type);
        }
    }
}

static void verify_addr_global(struct verifier *v, const struct ir_inst *inst)
{
    const struct ir_global *global = inst->global;
    if (global == NULL || global->index < 0 || global->index >= v->module->global_count ||
        v->module->globals[global->index] != global) {
        ir_verify_error(v, inst, "its global is none of this module's");
    }
    want_type(v, inst, IR_PTR);
}

static void verify_task_value(struct verifier *v, const struct ir_inst *inst)
{
    bool fits = inst->op == IR_OP_PARTIALS ? is_finish(v)
                : inst->op == IR_OP_ITER   ? is_task(v)
                                           : is_task(v) || is_finish(v);
    if (!fits) {
        ir_verify_error(v, inst, "belongs in %s only",
                        inst->op == IR_OP_PARTIALS ? "a finish"
                        : inst->op == IR_OP_ITER   ? "a task"
                                                   : "a task or finish");
    }
    if (inst->op == IR_OP_ITER && v->in_prologue) {
        ir_verify_error(v, inst, "there is no iteration in a prologue");
    }
    bool is_address = inst->op == IR_OP_ADDR_SLOT || inst->op == IR_OP_PARTIALS;
    want_type(v, inst, is_address ? IR_PTR : IR_I64);
    if (inst->op == IR_OP_ADDR_SLOT && inst->imm < 0) {
        ir_verify_error(v, inst, "byte %" PRId64 " of the launch block does not exist", inst->imm);
    }
}

static void verify_nest_iter(struct verifier *v, const struct ir_inst *inst)
{
    if (!is_task(v) || inst->parent != &v->function->body) {
        ir_verify_error(v, inst, "belongs at the top of a task's body only");
    }
    if (inst->arg_count < 1 || inst->imm < 0 || inst->imm > inst->arg_count) {
        ir_verify_error(v, inst, "there is no loop %" PRId64 " in a nest of %d", inst->imm, inst->arg_count + 1);
    }
    want_type(v, inst, IR_I64);
    want_args(v, inst, IR_I64);
    for (int i = 0; i < inst->arg_count; i++) {
        if (inst->args[i]->parent != &v->function->prologue) {
            ir_verify_error(v, inst, "operand %d, a trip count, is no value of the prologue", i);
        }
    }
}

// ---- arithmetic ----------------------------------------------------------------------------------------------------

static void verify_integer(struct verifier *v, const struct ir_inst *inst)
{
    bool is_logic = inst->op == IR_OP_AND || inst->op == IR_OP_OR || inst->op == IR_OP_XOR;
    if (!is_wide_int(inst->type) && !(is_logic && inst->type == IR_I1)) {
        ir_verify_error(v, inst, "is not defined for %s", ir_type_name(inst->type));
    }
    want_args(v, inst, inst->type);
}

static void verify_float(struct verifier *v, const struct ir_inst *inst)
{
    if (!ir_type_is_float(inst->type) || (inst->op == IR_OP_FMA && ir_type_is_half(inst->type))) {
        ir_verify_error(v, inst, "is not defined for %s", ir_type_name(inst->type));
    }
    want_args(v, inst, inst->type);
}

static void verify_compare(struct verifier *v, const struct ir_inst *inst)
{
    enum ir_type type = inst->args[0]->type;
    bool fits;
    if (ir_op_group(inst->op) == IR_GROUP_FLOAT_COMPARE) {
        fits = ir_type_is_float(type);
    } else if (inst->op == IR_OP_EQ || inst->op == IR_OP_NE) {
        fits = ir_type_is_int(type) || type == IR_PTR;
    } else {
        fits = is_wide_int(type) || (type == IR_PTR && ir_op_is_unsigned(inst->op));
    }
    if (!fits) {
        ir_verify_error(v, inst, "does not compare %s", ir_type_name(type));
    }
    want_type(v, inst, IR_I1);
    want_arg(v, inst, 1, type);
}

static bool conversion_fits(enum ir_op op, enum ir_type to, enum ir_type from)
{
    int grows = ir_type_size(to) - ir_type_size(from);
    switch (op) {
    case IR_OP_SEXT: return is_wide_int(to) && is_wide_int(from) && grows > 0;
    case IR_OP_ZEXT: return is_wide_int(to) && ir_type_is_int(from) && (grows > 0 || from == IR_I1);
    case IR_OP_TRUNC: return ir_type_is_int(to) && is_wide_int(from) && (grows < 0 || to == IR_I1);
    case IR_OP_SITOFP: return ir_type_is_float(to) && is_wide_int(from);
    case IR_OP_UITOFP: return ir_type_is_float(to) && ir_type_is_int(from);
    case IR_OP_FPTOSI:
    case IR_OP_FPTOUI: return is_wide_int(to) && ir_type_is_float(from);
    case IR_OP_FPEXT: return ir_type_is_float(to) && ir_type_is_float(from) && grows > 0;
    case IR_OP_FPTRUNC: return ir_type_is_float(to) && ir_type_is_float(from) && grows < 0;
    case IR_OP_BITCAST:
        return grows == 0 &&
               ((is_wide_int(to) && ir_type_is_float(from)) || (ir_type_is_float(to) && is_wide_int(from)));
    case IR_OP_PTRTOINT: return to == IR_I64 && from == IR_PTR;
    case IR_OP_INTTOPTR: return to == IR_PTR && from == IR_I64;
    default: return false;
    }
}

static void verify_conversion(struct verifier *v, const struct ir_inst *inst)
{
    enum ir_type from = inst->args[0]->type;
    if (!conversion_fits(inst->op, inst->type, from)) {
        ir_verify_error(v, inst, "does not convert %s to %s", ir_type_name(from), ir_type_name(inst->type));
    }
}

static void verify_select(struct verifier *v, const struct ir_inst *inst)
{
    if (inst->type == IR_VOID) {
        ir_verify_error(v, inst, "has no type");
    }
    want_arg(v, inst, 0, IR_I1);
    want_arg(v, inst, 1, inst->type);
    want_arg(v, inst, 2, inst->type);
}

static void verify_math(struct verifier *v, const struct ir_inst *inst)
{
    enum ir_math math = (enum ir_math)inst->imm;
    if (inst->imm < 0 || inst->imm >= IR_MATH_COUNT) {
        ir_verify_error(v, inst, "there is no math function %" PRId64, inst->imm);
        return;
    }
    if (inst->arg_count != ir_math_arg_count(math)) {
        ir_verify_error(v, inst, "%s has %d operands, must have %d", ir_math_name(math), inst->arg_count,
                        ir_math_arg_count(math));
        return;
    }
    enum ir_type type = inst->args[0]->type;
    if (!ir_type_is_float(type)) {
        ir_verify_error(v, inst, "%s is not defined for %s", ir_math_name(math), ir_type_name(type));
    }
    bool gives_int = math == IR_MATH_ILOGB || math == IR_MATH_FREXP_EXPONENT || math == IR_MATH_REMQUO_BITS;
    want_type(v, inst, gives_int ? IR_I32 : type);
    if (inst->arg_count > 1) {
        want_arg(v, inst, 1, math == IR_MATH_LDEXP ? IR_I32 : type);
    }
}

// ---- memory --------------------------------------------------------------------------------------------------------

static void verify_update(struct verifier *v, const struct ir_inst *inst, int operand)
{
    if ((unsigned)inst->update >= IR_UPDATE_COUNT || inst->update == IR_UPDATE_NONE ||
        (inst->update == IR_UPDATE_EXCHANGE && inst->op != IR_OP_ATOMIC)) {
        ir_verify_error(v, inst, "its update is %s", ir_update_name(inst->update));
        return;
    }
    if (!ir_update_fits(inst->update, inst->type)) {
        ir_verify_error(v, inst, "update %s is not defined for %s", ir_update_name(inst->update),
                        ir_type_name(inst->type));
    }
    want_arg(v, inst, operand, ir_update_takes_truth(inst->update) ? IR_I1 : inst->type);
}

static void verify_memory(struct verifier *v, const struct ir_inst *inst)
{
    want_arg(v, inst, 0, IR_PTR);
    switch (inst->op) {
    case IR_OP_INDEX:
        want_type(v, inst, IR_PTR);
        for (int i = 1; i < 4; i++) {
            want_arg(v, inst, i, IR_I64);
        }
        break;
    case IR_OP_OFFSET: want_type(v, inst, IR_PTR); break;
    case IR_OP_STORE: want_arg(v, inst, 1, inst->type); break;
    case IR_OP_COPY:
    case IR_OP_COMPARE:
        want_type(v, inst, inst->op == IR_OP_COMPARE ? IR_I32 : IR_VOID);
        want_arg(v, inst, 1, IR_PTR);
        want_arg(v, inst, 2, IR_I64);
        break;
    case IR_OP_FILL:
        want_type(v, inst, IR_VOID);
        want_arg(v, inst, 1, IR_I8);
        want_arg(v, inst, 2, IR_I64);
        break;
    case IR_OP_UPDATE:
    case IR_OP_ATOMIC: verify_update(v, inst, 1); break;
    case IR_OP_CAS:
        want_arg(v, inst, 1, inst->type);
        want_arg(v, inst, 2, inst->type);
        break;
    default: break;
    }
    if (inst->type == IR_VOID && (ir_op_is_element(inst->op) || ir_has_result(inst))) {
        ir_verify_error(v, inst, "has no type");
    }
}

// ---- calls and failures --------------------------------------------------------------------------------------------

static void verify_call(struct verifier *v, const struct ir_inst *inst)
{
    const struct ir_function *callee = inst->function;
    if (callee == NULL || !ir_verify_owns_function(v, callee) || callee->kind != IR_FUNCTION_HELPER) {
        ir_verify_error(v, inst, "calls what is no helper of this module");
        return;
    }
    want_type(v, inst, callee->return_type);
    if (inst->arg_count != callee->param_count) {
        ir_verify_error(v, inst, "gives '%s' %d arguments, it has %d parameters", callee->name, inst->arg_count,
                        callee->param_count);
        return;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        want_arg(v, inst, i, callee->params[i].type);
    }
}

static void verify_print(struct verifier *v, const struct ir_inst *inst)
{
    want_type(v, inst, IR_VOID);
    want_text(v, inst);
    if (inst->text == NULL) {
        return;
    }
    static const enum ir_type types[] = {[FORMAT_I32] = IR_I32,
                                         [FORMAT_I64] = IR_I64,
                                         [FORMAT_F64] = IR_F64,
                                         [FORMAT_TEXT] = IR_PTR,
                                         [FORMAT_POINTER] = IR_PTR};
    const char *at = inst->text;
    int count = 0;
    struct format_item item;
    enum format_result result;
    while ((result = format_next(&at, &item)) == FORMAT_ITEM) {
        for (int i = 0; i < item.arg_count; i++, count++) {
            if (count < inst->arg_count) {
                want_arg(v, inst, count, types[item.args[i]]);
            }
        }
    }
    if (result == FORMAT_BAD) {
        ir_verify_error(v, inst, "its format holds a conversion that is not supported");
    } else if (count != inst->arg_count) {
        ir_verify_error(v, inst, "its format wants %d arguments, it has %d", count, inst->arg_count);
    }
}

static void verify_return(struct verifier *v, const struct ir_inst *inst)
{
    if (is_task(v) || is_finish(v)) {
        ir_verify_error(v, inst, "there is nothing to return from in a task or finish");
        return;
    }
    enum ir_type type = v->function->return_type;
    if (inst->arg_count != (type == IR_VOID ? 0 : 1)) {
        ir_verify_error(v, inst, "has %d operands where the function returns %s", inst->arg_count, ir_type_name(type));
    } else if (type != IR_VOID) {
        want_arg(v, inst, 0, type);
    }
}

// A fused update rounds its product and its sum once: it needs the product's factors.
static void verify_fused(struct verifier *v, const struct ir_inst *inst)
{
    bool updates = ir_op_updates(inst->op) && inst->op != IR_OP_ATOMIC;
    const struct ir_inst *operand = updates ? inst->args[inst->arg_count - 1] : NULL;
    if (operand == NULL || operand->op != IR_OP_FMUL || operand->type != inst->type || ir_type_is_half(inst->type) ||
        ir_update_kind(inst->update) != IR_UPDATE_KIND_SUM) {
        ir_verify_error(v, inst, "only an add or sub update by an fmul of its type can be fused");
    }
}

static void verify_group(struct verifier *v, const struct ir_inst *inst)
{
    switch (ir_op_group(inst->op)) {
    case IR_GROUP_INTEGER:
    case IR_GROUP_BITS: verify_integer(v, inst); break;
    case IR_GROUP_FLOAT: verify_float(v, inst); break;
    case IR_GROUP_COMPARE:
    case IR_GROUP_FLOAT_COMPARE: verify_compare(v, inst); break;
    case IR_GROUP_CONVERT: verify_conversion(v, inst); break;
    case IR_GROUP_ADDRESS:
    case IR_GROUP_MEMORY: verify_memory(v, inst); break;
    default: break;
    }
}

void ir_verify_op(struct verifier *v, const struct ir_inst *inst)
{
    if (inst->fused) {
        verify_fused(v, inst);
    }
    if (inst->no_wrap && inst->op != IR_OP_ADD && inst->op != IR_OP_SUB && inst->op != IR_OP_MUL &&
        inst->op != IR_OP_TRUNC) {
        ir_verify_error(v, inst, "only add, sub, mul and trunc can be no_wrap");
    }
    switch (inst->op) {
    case IR_OP_CONST: verify_const(v, inst); break;
    case IR_OP_FCONST: verify_fconst(v, inst); break;
    case IR_OP_PARAM: verify_param(v, inst); break;
    case IR_OP_GET:
    case IR_OP_SET: verify_scalar_access(v, inst); break;
    case IR_OP_VUPDATE:
        verify_scalar_access(v, inst);
        verify_update(v, inst, 0);
        break;
    case IR_OP_ADDR_VAR:
        verify_var(v, inst, true);
        want_type(v, inst, IR_PTR);
        break;
    case IR_OP_ADDR_GLOBAL: verify_addr_global(v, inst); break;
    case IR_OP_ADDR_SLOT:
    case IR_OP_ITER:
    case IR_OP_ITER_COUNT:
    case IR_OP_PARTIALS: verify_task_value(v, inst); break;
    case IR_OP_NEST_ITER: verify_nest_iter(v, inst); break;
    case IR_OP_SELECT: verify_select(v, inst); break;
    case IR_OP_MATH: verify_math(v, inst); break;
    case IR_OP_CALL: verify_call(v, inst); break;
    case IR_OP_PRINT: verify_print(v, inst); break;
    case IR_OP_FAIL: want_text(v, inst); break;
    case IR_OP_CHECK:
    case IR_OP_RACE:
        want_type(v, inst, IR_VOID);
        want_text(v, inst);
        want_args(v, inst, IR_I64);
        break;
    case IR_OP_RETURN: verify_return(v, inst); break;
    case IR_OP_IF: want_arg(v, inst, 0, IR_I1); break;
    case IR_OP_YIELD: want_arg(v, inst, 0, IR_I1); break;
    case IR_OP_SWITCH: want_arg(v, inst, 0, IR_I64); break;
    default: verify_group(v, inst); break;
    }
}
