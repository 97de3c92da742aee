// Shared updates (language.md §3): assignments of the form x = x op e whose result nobody uses are one instruction, so
// that the analysis may take them for reductions or make them atomic. What only looks like one is left to the ordinary
// path: read, compute, write.
#include "lower/internal.h"

static bool is_lossless(const struct type *from, const struct type *to)
{
    if (type_is_integer(from) && type_is_integer(to)) {
        if (to->kind == TYPE_BOOL) {
            return from->kind == TYPE_BOOL;
        }
        if (type_is_signed(from) == type_is_signed(to)) {
            return from->size <= to->size;
        }
        return !type_is_signed(from) && (from->size < to->size || from->kind == TYPE_BOOL);
    }
    if (type_is_float(from) && type_is_float(to)) {
        return from->kind == to->kind || from->size < to->size;
    }
    if (type_is_integer(from) && type_is_float(to)) {
        // 8, 11, 24 and 53 bits of significand
        return from->size * 8 <= (to->size == 2 ? 8U : to->kind == TYPE_FLOAT ? 16U : 32U);
    }
    return false;
}

static bool same_arithmetic_type(const struct type *a, const struct type *b)
{
    return lower_type(a) == lower_type(b) && type_is_float(a) == type_is_float(b) &&
           (a->kind == TYPE_BOOL) == (b->kind == TYPE_BOOL);
}

// Whether |e| may be x of an update: a scalar place that evaluating once and evaluating twice are the same for.
static bool is_target(const struct lower *l, const struct expr *x)
{
    if (!x->is_lvalue || !type_is_arithmetic(x->type) || lower_type(x->type) == IR_VOID ||
        (x->kind == EXPR_MEMBER && x->member->is_bitfield)) {
        return false;
    }
    return lower_is_operand(l, x);
}

static bool is_operand(const struct lower *l, const struct expr *e, const struct expr *x)
{
    return lower_is_operand(l, e) && !lower_mentions(e, x);
}

static struct ir_inst *emit_update(struct lower *l, const struct lower_place *place, enum ir_update update,
                                   struct ir_inst *operand)
{
    enum ir_type type = lower_type(place->type);
    struct ir_inst *inst;
    if (place->kind == PLACE_VAR) {
        inst = ir_emit1(&l->b, IR_OP_VUPDATE, type, operand);
        inst->var = place->var;
    } else {
        inst = ir_emit2(&l->b, IR_OP_UPDATE, type, place->inst, operand);
        inst->is_packed = place->access.is_packed;
    }
    inst->update = update;
    return inst;
}

// x += a * b is one source expression: with contraction the product and the sum are rounded once.
static void fuse(const struct lower *l, struct ir_inst *update, const struct expr *operand)
{
    update->fused = l->options.contract && !operand->is_uncontracted && operand->kind == EXPR_MUL &&
                    ir_type_is_float(update->type) && !ir_type_is_half(update->type) &&
                    update->args[update->arg_count - 1]->op == IR_OP_FMUL;
}

// ---- sums, products, bits ------------------------------------------------------------------------------------------

static enum ir_update update_of(enum expr_kind op)
{
    switch (op) {
    case EXPR_ADD: return IR_UPDATE_ADD;
    case EXPR_SUB: return IR_UPDATE_SUB;
    case EXPR_MUL: return IR_UPDATE_MUL;
    case EXPR_AND: return IR_UPDATE_AND;
    case EXPR_OR: return IR_UPDATE_OR;
    case EXPR_XOR: return IR_UPDATE_XOR;
    case EXPR_LOGAND: return IR_UPDATE_LAND;
    case EXPR_LOGOR: return IR_UPDATE_LOR;
    default: return IR_UPDATE_NONE;
    }
}

// The operation is done in |compute|; it may as well be done in x's own type.
static bool computes_in_own_type(const struct type *x, const struct type *compute)
{
    if (same_arithmetic_type(x, compute)) {
        return x->kind != TYPE_BOOL;
    }
    return type_is_integer(x) && type_is_integer(compute) && x->kind != TYPE_BOOL;
}

static bool update_expression(struct lower *l, const struct expr *e)
{
    enum ir_update update = update_of(e->op);
    if (e->op == EXPR_PTR_ADD || update == IR_UPDATE_NONE || !is_target(l, e->a) ||
        !computes_in_own_type(e->a->type, e->compute_type) || !is_operand(l, e->b, e->a)) {
        return false;
    }
    struct lower_place place = lower_place(l, e->a);
    struct ir_inst *operand = lower_value(l, e->b);
    lower_at(l, e->loc);
    struct ir_inst *inst = emit_update(l, &place, update, lower_convert(l, operand, e->compute_type, e->a->type));
    if (update == IR_UPDATE_ADD || update == IR_UPDATE_SUB) {
        fuse(l, inst, e->b);
    }
    return true;
}

enum { MAX_CHAIN = 64 };

// The way from the root of x = … down to x: every node of it, outermost first.
struct chain {
    const struct expr *nodes[MAX_CHAIN];
    bool x_is_left[MAX_CHAIN];
    int count;
};

static bool is_in_class(enum expr_kind kind, enum expr_kind class)
{
    return kind == class || (class == EXPR_ADD && kind == EXPR_SUB);
}

// Finds x below |e| along operators of one class and one type. The other operands must not read x.
static bool find_chain(const struct lower *l, const struct expr *e, const struct expr *x, enum expr_kind class,
                       struct chain *chain)
{
    e = lower_strip(e);
    if (lower_same(e, x)) {
        return chain->count > 0;
    }
    if (!is_in_class(e->kind, class) || chain->count == MAX_CHAIN || !computes_in_own_type(x->type, e->type)) {
        return false;
    }
    int level = chain->count++;
    chain->nodes[level] = e;
    chain->x_is_left[level] = true;
    if (is_operand(l, e->b, x) && find_chain(l, e->a, x, class, chain)) {
        return true;
    }
    chain->count = level + 1;
    chain->x_is_left[level] = false;
    return e->kind != EXPR_SUB && is_operand(l, e->a, x) && find_chain(l, e->b, x, class, chain);
}

// x + a - b of integers is x + (a - b): one update.
static struct ir_inst *joined_operand(struct lower *l, const struct chain *chain, enum expr_kind class,
                                      struct ir_inst *const *operands)
{
    enum ir_type type = operands[0]->type;
    enum ir_op op = class == EXPR_ADD   ? IR_OP_ADD
                    : class == EXPR_MUL ? IR_OP_MUL
                    : class == EXPR_AND ? IR_OP_AND
                    : class == EXPR_OR  ? IR_OP_OR
                                        : IR_OP_XOR;
    struct ir_inst *sum = NULL;
    for (int i = chain->count - 1; i >= 0; i--) {
        bool is_minus = chain->nodes[i]->kind == EXPR_SUB;
        if (sum == NULL && !is_minus) {
            sum = operands[i];
        } else if (is_minus) {
            sum = lower_binary(l, IR_OP_SUB, type, sum != NULL ? sum : lower_int(l, type, 0), operands[i]);
        } else {
            sum = lower_binary(l, op, type, sum, operands[i]);
        }
    }
    return sum;
}

static bool chain_expression(struct lower *l, const struct expr *e)
{
    const struct expr *x = e->a;
    const struct expr *root = lower_strip(e->b);
    enum expr_kind class = root->kind == EXPR_SUB ? EXPR_ADD : root->kind;
    struct chain chain = {.count = 0};
    if (update_of(class) == IR_UPDATE_NONE || class == EXPR_LOGAND || class == EXPR_LOGOR ||
        !find_chain(l, e->b, x, class, &chain)) {
        return false;
    }
    struct lower_place place = lower_place(l, x);
    struct ir_inst *operands[MAX_CHAIN];
    for (int i = chain.count - 1; i >= 0; i--) {
        const struct expr *other = chain.x_is_left[i] ? chain.nodes[i]->b : chain.nodes[i]->a;
        operands[i] = lower_convert(l, lower_value(l, other), other->type, x->type);
    }
    lower_at(l, e->loc);
    if (type_is_integer(x->type)) {
        emit_update(l, &place, update_of(class), joined_operand(l, &chain, class, operands));
        return true;
    }
    // Innermost first, one update each: for floats another grouping would round differently.
    for (int i = chain.count - 1; i >= 0; i--) {
        struct ir_inst *inst = emit_update(l, &place, update_of(chain.nodes[i]->kind), operands[i]);
        if (class == EXPR_ADD) {
            fuse(l, inst, chain.x_is_left[i] ? chain.nodes[i]->b : chain.nodes[i]->a);
        }
    }
    return true;
}

// x = x && e, also with x on the right: e has no effect, so it may be evaluated where C would skip it.
static bool logical_expression(struct lower *l, const struct expr *e)
{
    const struct expr *x = e->a;
    const struct expr *root = lower_strip(e->b);
    if ((root->kind != EXPR_LOGAND && root->kind != EXPR_LOGOR) || !type_is_integer(x->type)) {
        return false;
    }
    // x = x && a && b: the chain leans left, x is its last left operand.
    const struct expr *others[MAX_CHAIN];
    int count = 0;
    const struct expr *node = root;
    while (node->kind == root->kind && !lower_same(node, x)) {
        bool x_right = lower_same(lower_strip(node->b), x);
        if (count == MAX_CHAIN || !is_operand(l, x_right ? node->a : node->b, x)) {
            return false;
        }
        others[count++] = x_right ? node->a : node->b;
        node = lower_strip(x_right ? node->b : node->a);
    }
    if (!lower_same(node, x) || count == 0) {
        return false;
    }
    struct lower_place place = lower_place(l, x);
    struct ir_inst *operand = NULL;
    for (int i = count - 1; i >= 0; i--) {
        struct ir_inst *truth = lower_condition(l, others[i]);
        enum ir_op op = root->kind == EXPR_LOGAND ? IR_OP_AND : IR_OP_OR;
        operand = operand == NULL ? truth : lower_binary(l, op, IR_I1, operand, truth);
    }
    lower_at(l, e->loc);
    emit_update(l, &place, update_of(root->kind), operand);
    return true;
}

// ---- minimum and maximum -------------------------------------------------------------------------------------------

// |e| is without implicit casts, unless a call makes them. A minimum compares in the common type and keeps one of two
// values of x's type.
static bool emit_min_max(struct lower *l, const struct expr *x, const struct expr *e, bool is_max,
                         enum ir_update_form form)
{
    if (!is_target(l, x) || x->type->kind == TYPE_BOOL || !is_operand(l, e, x) || !is_lossless(e->type, x->type)) {
        return false;
    }
    // In x < e ? x : e a NaN resets x: on float memory this is no update.
    bool is_local = x->kind == EXPR_OBJECT && (x->object->kind == OBJECT_LOCAL || x->object->kind == OBJECT_PARAM);
    if (type_is_float(x->type) && form >= IR_FORM_COND && (!is_local || lower_is_memory_object(l, x->object))) {
        return false;
    }
    struct lower_place place = lower_place(l, x);
    struct ir_inst *operand = lower_convert(l, lower_value(l, e), e->type, x->type);
    enum ir_update update = ir_update_min_max(is_max, lower_type(x->type), !type_is_signed(x->type), form);
    emit_update(l, &place, update, operand);
    return true;
}

static bool call_expression(struct lower *l, const struct expr *e)
{
    const struct expr *call = lower_strip(e->b);
    int direction = call->kind == EXPR_CALL && call->function->body == NULL ? lower_builtin_min_max(call->function) : 0;
    if (direction == 0 || !same_arithmetic_type(call->type, e->a->type)) {
        return false;
    }
    const struct expr *p = lower_strip(call->args[0]);
    const struct expr *q = lower_strip(call->args[1]);
    bool p_is_x = lower_same(p, e->a);
    if (p_is_x == lower_same(q, e->a)) {
        return false;
    }
    // With its conversion to the parameter, which C does before anything is compared: fmaxf(x, i) keeps (float)i.
    return emit_min_max(l, e->a, call->args[p_is_x], direction > 0, IR_FORM_CALL);
}

// |condition| compares e with x, either way round; the answer is as `e rel x`.
struct relation {
    enum expr_kind rel;
    const struct expr *e;
};

static bool compares_with(const struct expr *condition, const struct expr *x, struct relation *out)
{
    condition = lower_truth(lower_strip(condition));
    if (condition->kind < EXPR_LT || condition->kind > EXPR_GE) {
        return false;
    }
    const struct expr *p = lower_strip(condition->a);
    const struct expr *q = lower_strip(condition->b);
    bool p_is_x = lower_same(p, x);
    if (p_is_x == lower_same(q, x)) {
        return false;
    }
    *out = (struct relation){p_is_x ? expr_mirrored(condition->kind) : condition->kind, p_is_x ? q : p};
    return true;
}

static bool conditional_expression(struct lower *l, const struct expr *e)
{
    const struct expr *x = e->a;
    const struct expr *cond = lower_strip(e->b);
    struct relation relation;
    if (cond->kind != EXPR_COND || !compares_with(cond->a, x, &relation)) {
        return false;
    }
    const struct expr *yes = lower_strip(cond->b);
    const struct expr *no = lower_strip(cond->c);
    bool is_eq = relation.rel == EXPR_LE || relation.rel == EXPR_GE;
    bool e_is_less = relation.rel == EXPR_LT || relation.rel == EXPR_LE;
    if (lower_same(yes, relation.e) && lower_same(no, x)) { // e < x ? e : x
        return emit_min_max(l, x, relation.e, !e_is_less, is_eq ? IR_FORM_IF_EQ : IR_FORM_IF);
    }
    if (lower_same(yes, x) && lower_same(no, relation.e)) { // x < e ? x : e
        return emit_min_max(l, x, relation.e, e_is_less, is_eq ? IR_FORM_COND_EQ : IR_FORM_COND);
    }
    return false;
}

// ---- the two doors -------------------------------------------------------------------------------------------------

bool lower_try_update(struct lower *l, const struct expr *e)
{
    if (e->kind == EXPR_UPDATE) {
        return update_expression(l, e);
    }
    if (!is_target(l, e->a)) {
        return false;
    }
    return chain_expression(l, e) || logical_expression(l, e) || call_expression(l, e) || conditional_expression(l, e);
}

static const struct stmt *only_statement(const struct stmt *stmt)
{
    while (stmt != NULL && stmt->kind == STMT_BLOCK && stmt->item_count == 1) {
        stmt = stmt->items[0];
    }
    return stmt;
}

// if (e < x) x = e; and kin. With anything more in it (a companion) it stays an `if`.
bool lower_try_update_if(struct lower *l, const struct stmt *stmt)
{
    const struct stmt *then = only_statement(stmt->body);
    if (stmt->else_body != NULL || then == NULL || then->kind != STMT_EXPR || then->expr->kind != EXPR_ASSIGN) {
        return false;
    }
    const struct expr *x = then->expr->a;
    struct relation relation;
    if (!is_target(l, x) || !compares_with(stmt->expr, x, &relation) ||
        !lower_same(lower_strip(then->expr->b), relation.e)) {
        return false;
    }
    bool is_eq = relation.rel == EXPR_LE || relation.rel == EXPR_GE;
    bool is_max = relation.rel == EXPR_GT || relation.rel == EXPR_GE;
    lower_at(l, then->expr->loc);
    return emit_min_max(l, x, relation.e, is_max, is_eq ? IR_FORM_IF_EQ : IR_FORM_IF);
}
