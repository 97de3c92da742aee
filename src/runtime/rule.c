#include "runtime/rule.h"

#include "plan/abi.h"
#include "runtime/module.h"

_Static_assert(ABI_MAX_ARGS_SIZE <= UINT16_MAX, "offsets of arguments have 16 bits");

static void find_number(const struct plan_param *param, struct arg_rule *rule)
{
    const struct ir_ctype *ctype = param->ctype;
    if (ctype->kind != IR_CTYPE_SCALAR || ctype->is_bool) {
        return;
    }
    switch (ctype->scalar) {
    case IR_I8:
    case IR_I16:
    case IR_I32:
    case IR_I64: rule->kind = ctype->is_unsigned ? ARG_RULE_UNSIGNED : ARG_RULE_SIGNED; break;
    case IR_F32: rule->kind = ARG_RULE_F32; break;
    case IR_F64: rule->kind = ARG_RULE_F64; break;
    default: return;
    }
    rule->size = (uint8_t)ctype->size;
}

// An extent that is a number, or an integer parameter or a member of a struct, as it is or widened.
static enum arg_extent_kind find_extent(const struct plan_kernel *plan, const struct plan_expr *expr,
                                        uint32_t *out_place)
{
    enum arg_extent_kind kind = ARG_EXTENT_I64;
    if (expr == NULL) {
        return ARG_EXTENT_NONE;
    }
    if (expr->kind == PLAN_EXPR_CONST && expr->type == IR_I64 && expr->imm >= 0 && expr->imm <= UINT32_MAX) {
        *out_place = (uint32_t)expr->imm;
        return ARG_EXTENT_NUMBER;
    }
    if (expr->kind == PLAN_EXPR_OP && (expr->op == IR_OP_SEXT || expr->op == IR_OP_ZEXT) && expr->type == IR_I64 &&
        expr->arg_type == IR_I32) {
        kind = expr->op == IR_OP_SEXT ? ARG_EXTENT_I32 : ARG_EXTENT_U32;
        expr = expr->args[0];
    }
    if (expr == NULL || expr->kind != PLAN_EXPR_PARAM || expr->type != (kind == ARG_EXTENT_I64 ? IR_I64 : IR_I32)) {
        return ARG_EXTENT_NONE;
    }
    uint64_t offset = plan->params[expr->index].offset + (uint64_t)expr->imm;
    *out_place = (uint32_t)offset;
    return offset + 8 <= ABI_MAX_ARGS_SIZE ? kind : ARG_EXTENT_NONE;
}

static void find_array(const struct plan_kernel *plan, const struct plan_param *param, struct arg_rule *rule)
{
    const struct ir_ctype *element = reflect_element(param->ctype);
    if (element == NULL || element->size > UINT32_MAX) {
        return;
    }
    rule->kind = ARG_RULE_ARRAY;
    rule->type = (uint8_t)reflect_scalar(element);
    rule->element_size = (uint32_t)element->size;
    rule->has_extent = param->rank > 0;
    bool is_known = param->rank <= ARG_RULE_RANK;
    for (int i = 0; is_known && i < param->rank; i++) {
        rule->extents[i] = (uint8_t)find_extent(plan, param->extents[i], &rule->extent_places[i]);
        is_known = rule->extents[i] != ARG_EXTENT_NONE;
    }
    rule->rank = is_known ? (uint8_t)param->rank : 0;
}

void arg_rules_fill(struct arg_rule *rules, const struct plan_kernel *plan)
{
    for (int i = 0; i < plan->param_count; i++) {
        const struct plan_param *param = &plan->params[i];
        rules[i] = (struct arg_rule){.kind = ARG_RULE_NONE};
        if (param->ctype == NULL || param->is_struct || param->offset + 8 > ABI_MAX_ARGS_SIZE) {
            continue;
        }
        rules[i].offset = (uint16_t)param->offset;
        if (param->is_array) {
            find_array(plan, param, &rules[i]);
        } else {
            find_number(param, &rules[i]);
        }
    }
}
