// Branches of a compaction that become plain code: if (keep) out[k++] = x stores x whether it is kept or not, as long
// as k is not where the run ends, and adds 0 or 1 to k. What is stored in vain lies where a later iteration of the run
// will store. A branch that nobody can predict costs more than all the rest.
#include "passes/scan_loop.h"

#include "ir/assignment.h"
#include "ir/walk.h"

#include <assert.h>

bool scan_is_same(const struct scan *s, const struct ir_inst *a, const struct ir_inst *b)
{
    if (a == b) {
        return true;
    }
    bool is_fixed = a->op != IR_OP_GET || a->var == s->loop->loop->var || !assignment_is_in(s->loop, a->var);
    if (a->op != b->op || a->type != b->type || a->imm != b->imm || a->var != b->var || a->global != b->global ||
        a->arg_count != b->arg_count || !ir_op_is_value(a->op) || a->op == IR_OP_FCONST || !is_fixed) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (!scan_is_same(s, a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

// Whether each iteration reads there anyway, before the branch.
static bool is_read_before(const struct scan *s, const struct ir_inst *load, const struct ir_inst *branch)
{
    for (const struct ir_inst *inst = branch->prev; inst != NULL; inst = inst->prev) {
        if (inst->op == IR_OP_LOAD && inst->type == load->type && scan_is_same(s, inst->args[0], load->args[0])) {
            return true;
        }
    }
    return false;
}

// The region does nothing but to count by one, once, and to store to own places by that counter.
static struct scan_carry *counter_of(struct scan *s, const struct ir_region *region, const struct ir_inst *branch)
{
    struct scan_carry *carry = NULL;
    int stores = 0;
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        struct scan_carry *by = NULL;
        if (ir_op_sets(inst->op)) {
            by = scan_carry_of(s, inst->var);
            if (by == NULL || !by->is_counter || by->most != 1 || by->is_repeated) {
                return NULL;
            }
        } else if (inst->op == IR_OP_STORE) {
            by = pointer_map_get(&s->own, inst);
            stores++;
            if (by == NULL) {
                return NULL;
            }
        } else if (inst->op == IR_OP_LOAD ? !is_read_before(s, inst, branch) : !ir_op_is_value(inst->op)) {
            return NULL;
        }
        if (by != NULL && carry != NULL && by != carry) {
            return NULL;
        }
        carry = by != NULL ? by : carry;
    }
    return stores > 0 ? carry : NULL;
}

// Every array that the counter stores to must get all of its places: all stores are in the region.
static bool has_all(const struct scan *s, const struct scan_carry *carry, const struct ir_region *region)
{
    WALK (inst, &s->loop->regions[0]) {
        bool is_of_carry = pointer_map_get(&s->own, inst) == carry || (ir_op_sets(inst->op) && inst->var == carry->var);
        if (is_of_carry && inst->parent != region) {
            return false;
        }
    }
    return true;
}

void scan_find_flat(struct scan *s)
{
    for (struct ir_inst *inst = s->loop->regions[0].first; inst != NULL; inst = inst->next) {
        bool is_flat = inst->op == IR_OP_IF;
        for (int i = 0; i < 2 && is_flat; i++) {
            struct scan_carry *carry = counter_of(s, &inst->regions[i], inst);
            bool is_empty = inst->regions[i].first == NULL;
            is_flat = (is_empty && i == 1) || (carry != NULL && has_all(s, carry, &inst->regions[i]));
        }
        if (is_flat) {
            assert(s->has_own);
            pointer_map_set(s->module->arena, &s->flat, inst, inst);
            for (int i = 0; i < 2; i++) {
                struct scan_carry *carry = counter_of(s, &inst->regions[i], inst);
                if (carry != NULL) {
                    carry->is_flat = true;
                }
            }
        }
    }
}
