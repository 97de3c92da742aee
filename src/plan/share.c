// Expressions of a kernel that are equal become one when a plan is read, so that a launch evaluates each once. The
// bounds of an index stand in the conditions, costs and regions of every task that has it, and ranges of products
// repeat their parts many times over: as trees they are several times as large.
#include "plan/plan.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

enum { FIRST_CAPACITY = 64, MEMO_MOST = 4096 };

static uint64_t hash_of(const struct plan_expr *expr)
{
    const int64_t parts[] = {expr->kind, expr->type, expr->op, expr->arg_type, expr->index, expr->imm};
    uint64_t hash = hash_bytes(HASH_SEED, parts, sizeof parts);
    hash = hash_bytes(hash, &expr->fimm, sizeof expr->fimm);
    return hash_bytes(hash, expr->args, sizeof expr->args[0] * (size_t)expr->arg_count);
}

// Operands are shared already, so that equal ones are one.
static bool is_same(const struct plan_expr *a, const struct plan_expr *b)
{
    return a->kind == b->kind && a->type == b->type && a->op == b->op && a->arg_type == b->arg_type &&
           a->index == b->index && a->imm == b->imm && a->arg_count == b->arg_count &&
           memcmp(&a->fimm, &b->fimm, sizeof a->fimm) == 0 &&
           memcmp(a->args, b->args, sizeof a->args[0] * (size_t)a->arg_count) == 0;
}

// Where |expr| is, or belongs.
static struct plan_expr **place_of(const struct plan_share *share, const struct plan_expr *expr)
{
    size_t mask = (size_t)share->capacity - 1;
    assert(share->count < share->capacity && ((size_t)share->capacity & mask) == 0);
    size_t i = (size_t)hash_of(expr) & mask;
    while (share->table[i] != NULL && !is_same(share->table[i], expr)) {
        i = (i + 1) & mask;
    }
    return &share->table[i];
}

static void grow(struct plan_share *share)
{
    struct plan_share larger = *share;
    larger.capacity = share->capacity > 0 ? 2 * share->capacity : FIRST_CAPACITY;
    larger.table = ARENA_ARRAY(share->arena, struct plan_expr *, larger.capacity);
    for (int i = 0; i < share->capacity; i++) {
        if (share->table[i] != NULL) {
            *place_of(&larger, share->table[i]) = share->table[i];
        }
    }
    *share = larger;
}

// Leaves are as soon read as looked up.
static void number(struct plan_share *share, struct plan_expr *expr)
{
    expr->is_fixed = expr->kind == PLAN_EXPR_CONST || expr->kind == PLAN_EXPR_PARAM || expr->kind == PLAN_EXPR_EXTENT ||
                     expr->kind == PLAN_EXPR_WIDTH;
    if (expr->kind != PLAN_EXPR_OP && expr->kind != PLAN_EXPR_TRIP) {
        return;
    }
    expr->is_fixed = true;
    for (int i = 0; i < expr->arg_count; i++) {
        expr->is_fixed &= expr->args[i]->is_fixed;
    }
    if (expr->is_fixed && share->memo_count < MEMO_MOST) {
        expr->memo = ++share->memo_count;
    }
}

struct plan_expr *plan_share_expr(struct plan_share *share, struct plan_expr *expr)
{
    if (2 * share->count >= share->capacity) {
        grow(share);
    }
    struct plan_expr **place = place_of(share, expr);
    if (*place == NULL) {
        number(share, expr);
        *place = expr;
        share->count++;
    }
    return *place;
}
