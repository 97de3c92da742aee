// The plan as text: expressions in C's spelling, effects as ranges of bytes, control as an indented tree.
#include "plan/plan.h"

#include "plan/print.h"

#include <stdlib.h>
#include <string.h>

// ---- expressions
// -------------------------------------------------------------------------------------------------------

static const char *operator_of(enum ir_op op)
{
    switch (op) {
    case IR_OP_ADD:
    case IR_OP_FADD: return "+";
    case IR_OP_SUB:
    case IR_OP_FSUB: return "-";
    case IR_OP_MUL:
    case IR_OP_FMUL: return "*";
    case IR_OP_SDIV:
    case IR_OP_UDIV:
    case IR_OP_FDIV: return "/";
    case IR_OP_SREM:
    case IR_OP_UREM: return "%";
    case IR_OP_AND: return "&";
    case IR_OP_OR: return "|";
    case IR_OP_XOR: return "^";
    case IR_OP_SHL: return "<<";
    case IR_OP_LSHR:
    case IR_OP_ASHR: return ">>";
    case IR_OP_EQ:
    case IR_OP_FEQ: return "==";
    case IR_OP_NE:
    case IR_OP_FNE: return "!=";
    case IR_OP_SLT:
    case IR_OP_ULT:
    case IR_OP_FLT: return "<";
    case IR_OP_SLE:
    case IR_OP_ULE:
    case IR_OP_FLE: return "<=";
    case IR_OP_SGT:
    case IR_OP_UGT:
    case IR_OP_FGT: return ">";
    case IR_OP_SGE:
    case IR_OP_UGE:
    case IR_OP_FGE: return ">=";
    default: return NULL;
    }
}

const char *plan_file(const struct plan_module *module, uint32_t index)
{
    return index < (uint32_t)module->file_count ? module->files[index] : "?";
}

static const char *slot_name(const struct plan_kernel *kernel, int64_t offset)
{
    for (int i = 0; kernel != NULL && i < kernel->slot_count; i++) {
        if (kernel->slots[i].offset == offset) {
            return kernel->slots[i].name;
        }
    }
    return "slot";
}

// Which scalar of a struct by value.
static void print_member(const struct plan_kernel *kernel, const struct plan_expr *expr, struct str *out)
{
    if (kernel == NULL || expr->index < 0 || expr->index >= kernel->param_count ||
        !kernel->params[expr->index].is_struct) {
        return;
    }
    const struct ir_ctype *type = kernel->params[expr->index].ctype;
    for (int i = 0; type != NULL && i < type->member_count; i++) {
        if (type->members[i].name != NULL && (int64_t)type->members[i].offset == expr->imm) {
            str_printf(out, ".%s", type->members[i].name);
            return;
        }
    }
    str_printf(out, "+%lld", (long long)expr->imm);
}

static void print_leaf(const struct plan_kernel *kernel, const struct plan_expr *expr, struct str *out)
{
    const char *param = kernel != NULL && expr->index >= 0 && expr->index < kernel->param_count
                            ? kernel->params[expr->index].name
                            : "?";
    switch (expr->kind) {
    case PLAN_EXPR_CONST:
        if (ir_type_is_float(expr->type)) {
            str_printf(out, "%.17g", expr->fimm);
        } else {
            str_printf(out, "%lld", (long long)expr->imm);
        }
        break;
    case PLAN_EXPR_PARAM:
        str_add(out, param);
        print_member(kernel, expr, out);
        break;
    case PLAN_EXPR_EXTENT: str_printf(out, "sizeof(%s)", param); break;
    case PLAN_EXPR_WIDTH: str_add(out, "width"); break;
    case PLAN_EXPR_SLOT: str_add(out, slot_name(kernel, expr->imm)); break;
    case PLAN_EXPR_VAR: str_printf(out, "var%d", expr->index); break;
    default: str_printf(out, "loop%d", expr->index); break;
    }
}

static void print_nested(const struct plan_kernel *kernel, const struct plan_expr *expr, struct str *out)
{
    bool is_operation = expr->kind == PLAN_EXPR_OP && (operator_of(expr->op) != NULL || expr->op == IR_OP_SELECT);
    if (is_operation) {
        str_add_char(out, '(');
    }
    plan_expr_print(kernel, expr, out);
    if (is_operation) {
        str_add_char(out, ')');
    }
}

static bool is_widening(enum ir_op op)
{
    return op == IR_OP_SEXT || op == IR_OP_ZEXT || op == IR_OP_TRUNC || op == IR_OP_FPEXT;
}

void plan_expr_print(const struct plan_kernel *kernel, const struct plan_expr *expr, struct str *out)
{
    if (expr == NULL) {
        str_add_char(out, '?');
        return;
    }
    if (expr->kind == PLAN_EXPR_TRIP) {
        str_add(out, "trips(");
        plan_expr_print(kernel, expr->args[0], out);
        str_printf(out, " %s ", operator_of(expr->op) != NULL ? operator_of(expr->op) : "?");
        plan_expr_print(kernel, expr->args[1], out);
        str_printf(out, ", %+lld)", (long long)expr->imm);
        return;
    }
    if (expr->kind != PLAN_EXPR_OP) {
        print_leaf(kernel, expr, out);
        return;
    }
    if (expr->op == IR_OP_SELECT) {
        print_nested(kernel, expr->args[0], out);
        str_add(out, " ? ");
        print_nested(kernel, expr->args[1], out);
        str_add(out, " : ");
        print_nested(kernel, expr->args[2], out);
        return;
    }
    const char *sign = operator_of(expr->op);
    if (sign != NULL && expr->arg_count == 2) {
        print_nested(kernel, expr->args[0], out);
        str_printf(out, " %s ", sign);
        print_nested(kernel, expr->args[1], out);
        return;
    }
    if (is_widening(expr->op)) {
        print_nested(kernel, expr->args[0], out); // the value is what matters to a reader
        return;
    }
    str_printf(out, "%s(", ir_op_name(expr->op));
    for (int i = 0; i < expr->arg_count; i++) {
        str_add(out, i > 0 ? ", " : "");
        plan_expr_print(kernel, expr->args[i], out);
    }
    str_add_char(out, ')');
}

// ---- effects
// -------------------------------------------------------------------------------------------------------------

const char *plan_effect_base_name(const struct plan_module *module, const struct plan_kernel *kernel,
                                  const struct plan_effect *effect)
{
    switch (effect->base) {
    case PLAN_BASE_PARAM: return effect->index < kernel->param_count ? kernel->params[effect->index].name : "?";
    case PLAN_BASE_FIELD: return effect->index < module->field_count ? module->fields[effect->index].name : "?";
    case PLAN_BASE_BLOCK: return "locals";
    default: return "anything";
    }
}

// What a region depends on where it is another one if an index wraps.
static const struct plan_expr *test_of(const struct plan_region *region)
{
    const struct plan_expr *ends[] = {region->low, region->high};
    for (int i = 0; i < 2; i++) {
        if (ends[i]->kind == PLAN_EXPR_OP && ends[i]->op == IR_OP_SELECT) {
            return ends[i]->args[0];
        }
    }
    return NULL;
}

static const struct plan_expr *if_test_is(const struct plan_expr *expr, const struct plan_expr *test, bool holds)
{
    bool depends =
        test != NULL && expr->kind == PLAN_EXPR_OP && expr->op == IR_OP_SELECT && plan_expr_equal(expr->args[0], test);
    return depends ? expr->args[holds ? 1 : 2] : expr;
}

static void print_ends(const struct plan_kernel *kernel, const struct plan_region *region, const struct plan_expr *test,
                       bool holds, struct str *out)
{
    str_add_char(out, '[');
    plan_expr_print(kernel, if_test_is(region->low, test, holds), out);
    str_add(out, ", ");
    plan_expr_print(kernel, if_test_is(region->high, test, holds), out);
    str_add_char(out, ')');
}

void plan_effect_print(const struct plan_module *module, const struct plan_kernel *kernel,
                       const struct plan_effect *effect, struct str *out)
{
    static const char *const verbs[] = {"reads", "writes", "updates"};
    str_printf(out, "%s ", verbs[effect->access]);
    if (effect->access == PLAN_UPDATE) {
        str_printf(out, "(%s%s) ", ir_update_name(effect->update), effect->is_atomic ? ", atomic" : "");
    }
    str_add(out, plan_effect_base_name(module, kernel, effect));
    if (effect->base == PLAN_BASE_UNKNOWN) {
        return;
    }
    if (effect->region.low == NULL) {
        str_add(out, ", all of it");
        return;
    }
    const struct plan_expr *test = test_of(&effect->region);
    str_add(out, " bytes ");
    print_ends(kernel, &effect->region, test, true, out);
    if (effect->region.step != NULL) {
        str_add(out, " step ");
        plan_expr_print(kernel, if_test_is(effect->region.step, test, true), out);
        str_printf(out, " width %d", effect->region.width);
    }
    if (test != NULL) {
        str_add(out, ", if its index wraps ");
        print_ends(kernel, &effect->region, test, false, out);
    }
    str_add(out, effect->is_must ? "" : " at most");
}

// ---- the tree
// --------------------------------------------------------------------------------------------------------------

struct print {
    const struct plan_module *module;
    const struct plan_kernel *kernel;
    bool has_slots; // else nodes name variables by number
    struct str *out;
};

static void indent(struct print *p, int depth)
{
    for (int i = 0; i < depth; i++) {
        str_add(p->out, "  ");
    }
}

static void print_loc(struct print *p, struct loc loc)
{
    if (loc.line != 0) {
        str_printf(p->out, "  ; %u:%u", loc.line, loc.column);
    }
}

static void print_task(struct print *p, const struct plan_task *task, int depth)
{
    indent(p, depth);
    str_printf(p->out, "task %s %s", task->name, task->kind == PLAN_TASK_PARALLEL ? "parallel" : "serial");
    if (task->group != 0) {
        str_printf(p->out, " group %d", task->group);
    }
    if (task->trip != NULL) {
        str_add(p->out, " trip ");
        plan_expr_print(p->kernel, task->trip, p->out);
    }
    if (task->collapse > 1) {
        str_printf(p->out, " collapse %d", task->collapse);
    }
    if (task->block_dim != 0) {
        str_printf(p->out, " block_dim %d", task->block_dim);
    }
    if (task->partial_size != 0) {
        str_printf(p->out, " partial %llu", (unsigned long long)task->partial_size);
    }
    if (task->is_merged) {
        str_add(p->out, " merged");
    }
    if (task->run > 1) {
        str_printf(p->out, " run %d", task->run);
    }
    if (task->team != NULL) {
        str_add(p->out, " teams up to ");
        plan_expr_print(p->kernel, task->team, p->out);
        str_add(p->out, task->team_columns > 0 ? " by columns" : "");
    }
    for (int i = 0; i < task->tile_count; i++) {
        str_printf(p->out, " tile %d x %d", task->tiles[i].rows, task->tiles[i].columns);
    }
    if (task->cost != NULL && task->kind == PLAN_TASK_PARALLEL) { // a serial one says more by its text
        str_add(p->out, " cost ");
        plan_expr_print(p->kernel, task->cost, p->out);
    }
    if (task->order_cost != NULL) {
        str_add(p->out, " in order ");
        plan_expr_print(p->kernel, task->order_cost, p->out);
    }
    print_loc(p, task->loc);
    str_add_char(p->out, '\n');
    for (int i = 0; i < task->effect_count; i++) {
        indent(p, depth + 1);
        plan_effect_print(p->module, p->kernel, &task->effects[i], p->out);
        print_loc(p, task->effects[i].loc);
        str_add_char(p->out, '\n');
    }
    for (int i = 0; i < task->pair_count; i++) {
        const struct plan_pair *pair = &task->pairs[i];
        indent(p, depth + 1);
        str_printf(p->out, "apart%s: %s and %s\n",
                   pair->is_restrict     ? " by restrict"
                   : pair->equal_will_do ? " or equal"
                                         : "",
                   plan_effect_base_name(p->module, p->kernel, &task->effects[pair->a]),
                   plan_effect_base_name(p->module, p->kernel, &task->effects[pair->b]));
    }
    for (int i = 0; i < task->condition_count; i++) {
        indent(p, depth + 1);
        str_printf(p->out, "if %s: ", task->conditions[i].text);
        plan_expr_print(p->kernel, task->conditions[i].expr, p->out);
        str_add_char(p->out, '\n');
    }
}

static void print_conflicts(struct print *p, const struct plan_node *node, int depth)
{
    for (int i = 0; i < node->conflict_count; i++) {
        const struct plan_conflict *conflict = &node->conflicts[i];
        indent(p, depth);
        if (conflict->kind == PLAN_CONFLICT_IN_ORDER) {
            str_printf(p->out, "block %d after block %d\n", conflict->block_b, conflict->block_a);
            continue;
        }
        str_printf(p->out, "test%s: block %d ", conflict->is_restrict ? " restrict" : "", conflict->block_a);
        plan_effect_print(p->module, p->kernel, conflict->effect_a, p->out);
        str_printf(p->out, " | block %d ", conflict->block_b);
        plan_effect_print(p->module, p->kernel, conflict->effect_b, p->out);
        str_add_char(p->out, '\n');
    }
}

static void print_target(struct print *p, const struct plan_node *node)
{
    if (p->has_slots) {
        str_printf(p->out, " %s =", slot_name(p->kernel, node->slot));
    } else {
        str_printf(p->out, " var%lld =", (long long)node->slot);
    }
}

static void print_node(struct print *p, const struct plan_node *node, int depth)
{
    static const char *const names[] = {"sequence", "if",     "for",    "loop", "block",
                                        "break",    "return", "assign", "task", "region"};
    if (node->kind == PLAN_TASK) {
        print_task(p, &p->kernel->tasks[node->task], depth);
        return;
    }
    indent(p, depth);
    str_printf(p->out, "%s", names[node->kind]);
    if (node->group != 0 && node->kind == PLAN_SEQUENCE) {
        str_printf(p->out, " group %d%s", node->group, node->in_order ? " in_order" : "");
    }
    if (node->kind == PLAN_FOR || node->kind == PLAN_ASSIGN) {
        print_target(p, node);
    }
    if (node->expr != NULL) {
        str_add_char(p->out, ' ');
        plan_expr_print(p->kernel, node->expr, p->out);
    }
    if (node->trip != NULL) {
        str_printf(p->out, " step %lld, ", (long long)node->step);
        plan_expr_print(p->kernel, node->trip, p->out);
        str_add(p->out, " times");
    }
    if (node->kind == PLAN_BREAK || node->kind == PLAN_FOR || node->kind == PLAN_LOOP || node->kind == PLAN_BLOCK) {
        str_printf(p->out, " #%d", node->kind == PLAN_BREAK ? node->target : node->id);
    }
    print_loc(p, node->loc);
    str_add_char(p->out, '\n');
    print_conflicts(p, node, depth + 1);
    if (node->whole_task >= 0) {
        indent(p, depth + 1);
        str_printf(p->out, "whole, as %s, if ", p->kernel->tasks[node->whole_task].name);
        plan_expr_print(p->kernel, node->whole_if, p->out);
        str_add_char(p->out, '\n');
    }
    if (node->work != NULL) {
        indent(p, depth + 1);
        str_add(p->out, "work ");
        plan_expr_print(p->kernel, node->work, p->out);
        str_add_char(p->out, '\n');
    }
    for (int i = 0; i < node->child_count; i++) {
        print_node(p, node->children[i], depth + 1);
    }
}

static void print_kernel(struct print *p)
{
    const struct plan_kernel *kernel = p->kernel;
    str_printf(p->out, "kernel %s(", kernel->name);
    for (int i = 0; i < kernel->param_count; i++) {
        const struct plan_param *param = &kernel->params[i];
        str_printf(p->out, "%s%s%s %s%s", i > 0 ? ", " : "", param->is_const ? "const " : "",
                   param->ctype != NULL ? param->ctype->name : "?", param->is_array && param->rank == 0 ? "*" : "",
                   param->name);
        for (int k = 0; k < param->rank; k++) {
            str_add_char(p->out, '[');
            plan_expr_print(kernel, param->extents[k], p->out);
            str_add_char(p->out, ']');
        }
    }
    str_printf(p->out, ")%s%s  args %llu block %llu\n", kernel->return_ctype != NULL ? " -> " : "",
               kernel->return_ctype != NULL ? kernel->return_ctype->name : "", (unsigned long long)kernel->args_size,
               (unsigned long long)kernel->block_size);
    for (int i = 0; i < kernel->slot_count; i++) {
        str_printf(p->out, "  slot %s at %lld, %llu bytes\n", kernel->slots[i].name, (long long)kernel->slots[i].offset,
                   (unsigned long long)kernel->slots[i].size);
    }
    if (kernel->root != NULL) { // as long as it is made there is none
        print_node(p, kernel->root, 1);
    }
}

void plan_print_kernel(const struct plan_module *module, const struct plan_kernel *kernel, bool has_slots,
                       struct str *out)
{
    print_kernel(&(struct print){.module = module, .kernel = kernel, .has_slots = has_slots, .out = out});
}

void plan_print(const struct plan_module *module, struct str *out)
{
    struct print p = {.module = module, .has_slots = true, .out = out};
    for (int i = 0; i < module->field_count; i++) {
        str_printf(out, "field %s %s, %llu bytes\n", module->fields[i].name,
                   module->fields[i].ctype != NULL ? module->fields[i].ctype->name : "?",
                   (unsigned long long)module->fields[i].size);
    }
    for (int i = 0; i < module->piece_count; i++) {
        str_printf(out, "piece of %s at %llu, %llu bytes\n", module->pieces[i].symbol,
                   (unsigned long long)module->pieces[i].offset, (unsigned long long)module->pieces[i].size);
    }
    for (int i = 0; i < module->kernel_count; i++) {
        p.kernel = module->kernels[i];
        print_kernel(&p);
    }
}
