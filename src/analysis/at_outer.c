// A loop inside another one, seen where the outer one begins: what nests that become one space are made of. Whatever
// is said here holds in every iteration of the outer loop.
#include "analysis/dependence/dependence.h"
#include "analysis/facts.h"

#include <assert.h>

static const struct loop_facts *facts_of(const struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    assert(loop->op == IR_OP_FOR && facts != NULL);
    return facts;
}

struct plan_expr *facts_condition_at(const struct ir_inst *inner, int number, const struct ir_inst *outer)
{
    const struct loop_facts *facts = facts_of(inner), *around = facts_of(outer);
    assert(facts->analysis == around->analysis && loop_contains(around->info, facts->info));
    assert(number >= 0 && number < facts->condition_count);
    const struct need *need = facts->needs[number];
    return need != NULL ? need_condition(facts->analysis, around->info, need) : NULL;
}

bool facts_pairs_at(const struct ir_inst *inner, const struct ir_inst *outer, struct plan_pair **out_pairs,
                    int *out_count)
{
    const struct loop_facts *facts = facts_of(inner), *around = facts_of(outer);
    const struct loop_info *info = facts->info, *whole = around->info;
    const struct analysis *an = facts->analysis;
    assert(an == around->analysis && loop_contains(whole, info));
    *out_pairs = ARENA_ARRAY(an->arena, struct plan_pair, info->pairs.count + 1);
    *out_count = 0;
    for (int i = 0; i < info->pairs.count; i++) {
        const struct access_pair *from = &info->pairs.items[i];
        if (info->effect_of_access[from->a - info->access_begin] < 0 ||
            info->effect_of_access[from->b - info->access_begin] < 0) {
            continue; // nobody else has that memory
        }
        struct plan_pair pair = {.a = whole->effect_of_access[from->a - whole->access_begin],
                                 .b = whole->effect_of_access[from->b - whole->access_begin],
                                 .equal_will_do = from->equal_will_do,
                                 .loc_a = an->accesses.items[from->a].inst->loc,
                                 .loc_b = an->accesses.items[from->b].inst->loc};
        if (pair.a < 0 || pair.b < 0) {
            return false;
        }
        (*out_pairs)[(*out_count)++] = pair;
    }
    return true;
}
