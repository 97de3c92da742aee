// Peels parts of loops off the statement that they are in. A scalar that is summed in a loop ties all of that loop to
// what is around it; what else the loop does, and does not mention the scalar, may be a statement of its own:
//
//     t = 0;
//     for k { c[k][j] += b[i][j] * a[i][k];  t += b[k][j] * a[i][k]; }
//     c[i][j] = t;
//
// Within one execution of the statement the part then comes before all of the rest: they must not touch the same memory
// there. Only for a GPU, where a loop more that is parallel counts for more than a loop that is run twice.
#include "ir/walk.h"
#include "passes/reorder_nest.h"

#include <assert.h>

// Whether the part mentions no scalar that the rest of the statement mentions, and writes something.
static bool stands_alone(struct loop_nest *nest, const struct statement *rest, const struct run *part)
{
    const struct ir_region *region = rest->first->parent;
    bool *is_mentioned = ARENA_ARRAY(nest->an->arena, bool, nest->kernel->var_count + 1);
    const struct ir_var *var;
    bool writes = false;
    for (const struct ir_inst *inst = rest->first; inst != rest->last->next; inst = walk_next(inst, region)) {
        if (!nest_is_in_run(inst, part) && nest_mentions_carried(nest, inst, &var)) {
            is_mentioned[var->index] = true;
        }
    }
    for (const struct ir_inst *inst = rest->first; inst != rest->last->next; inst = walk_next(inst, region)) {
        if (!nest_is_in_run(inst, part)) {
            continue;
        }
        if (inst->target != NULL || (nest_mentions_carried(nest, inst, &var) && is_mentioned[var->index])) {
            return false;
        }
        writes |= inst->op == IR_OP_STORE || inst->op == IR_OP_UPDATE;
    }
    return writes;
}

// Whether in one execution of the statement the part and the rest may touch the same memory, one of them writing.
static bool may_collide(struct loop_nest *nest, const struct statement *rest, const struct run *part)
{
    const struct analysis *an = nest->an;
    struct run all = {rest->first, rest->last};
    struct pair_relation relations[NEST_DEPTH];
    bool may_meet = false;
    for (int i = nest->root->access_begin; i < nest->root->access_end && !may_meet; i++) {
        const struct access *x = &an->accesses.items[i];
        for (int k = nest->root->access_begin; k < nest->root->access_end && nest_is_in_run(x->site, part); k++) {
            const struct access *y = &an->accesses.items[k];
            if ((x->kind == ACCESS_READ && y->kind == ACCESS_READ) || !nest_is_in_run(y->site, &all) ||
                nest_is_in_run(y->site, part) || access_relation(an, x, y) != RELATION_SAME) {
                continue; // other bases that may overlap are compared by the launch
            }
            struct poly_mark mark = poly_mark(&nest->an->scratch);
            for (int d = 0; d < rest->depth; d++) {
                relations[d] = (struct pair_relation){nest_way(nest, rest->loops[d], rest->loops[d]), true};
            }
            may_meet |= nest_may_meet(nest, i, k, relations, rest->depth);
            poly_release(&nest->an->scratch, mark);
        }
    }
    return may_meet;
}

int nest_peel(struct loop_nest *nest, struct statement *rest, struct run *out_parts, struct ir_inst **out_loops)
{
    enum { PARTS = 8 };
    int found = 0;
    for (struct ir_inst *inst = rest->first; nest->module->is_gpu; inst = inst->next) {
        struct run parts[PARTS];
        bool is_loop = inst->op == IR_OP_FOR && nest_is_member(nest, inst, rest->loops, rest->depth);
        int count = is_loop ? nest_find_runs(nest, &inst->regions[0], parts, PARTS) : 0;
        for (int i = 0; i < count && count > 1 && found < NEST_LEFT_OUT; i++) {
            int tested = nest->conditions.count;
            if (stands_alone(nest, rest, &parts[i]) && !may_collide(nest, rest, &parts[i])) {
                out_parts[found] = parts[i];
                out_loops[found] = inst;
                rest->left_out[found++] = parts[i];
                rest->left_out_count = found;
            } else {
                nest->conditions.count = tested;
            }
        }
        if (inst == rest->last) {
            break;
        }
    }
    return found;
}
