// Compaction, out[k++] = x: to each place stores one iteration at most, because none stores below what the counter was
// when it began, nor as far as what it is when it ends.
#include "passes/scan_loop.h"

#include "ir/assignment.h"
#include "ir/walk.h"

#include <assert.h>

struct place { // counter + |offset|, the counter as |get| reads it
    struct scan_carry *carry;
    const struct ir_inst *get;
    int64_t offset;
};

// ---- how far a counter moves ---------------------------------------------------------------------------------------

static bool has_break(const struct ir_region *region)
{
    WALK (inst, region) {
        if (inst->op == IR_OP_BREAK) {
            return true;
        }
    }
    return false;
}

// Whether what comes after |inst| may be left out, because of it or of something in it.
static bool may_leave(const struct ir_inst *inst)
{
    if (inst->op == IR_OP_BREAK) {
        return true;
    }
    for (int i = 0; i < inst->region_count; i++) {
        WALK (in, &inst->regions[i]) {
            if (in->op == IR_OP_BREAK && !walk_is_inside(in->target, inst)) {
                return true;
            }
        }
    }
    return false;
}

static int64_t least_in_region(const struct ir_region *region, const struct ir_var *counter);

// The least that the instruction adds to the counter.
static int64_t least_added(const struct ir_inst *inst, const struct ir_var *counter)
{
    if (ir_op_sets(inst->op) && inst->var == counter) {
        struct scan_update update;
        bool is_update = scan_is_update(inst, &update);
        assert(is_update && update.operand->op == IR_OP_CONST);
        return is_update ? update.operand->imm : 0;
    }
    if (inst->op == IR_OP_BLOCK) {
        return least_in_region(&inst->regions[0], counter);
    }
    if (inst->op != IR_OP_IF) {
        return 0;
    }
    int64_t a = least_in_region(&inst->regions[0], counter), b = least_in_region(&inst->regions[1], counter);
    return a < b ? a : b;
}

static int64_t least_in_region(const struct ir_region *region, const struct ir_var *counter)
{
    int64_t sum = 0;
    for (const struct ir_inst *inst = region->first; inst != NULL && !has_break(region); inst = inst->next) {
        sum += least_added(inst, counter);
    }
    return sum;
}

// The least that is added between the beginning of an iteration and |inst|, if it comes to |inst|.
static int64_t least_before(const struct scan *s, const struct ir_inst *inst, const struct ir_var *counter)
{
    int64_t sum = 0;
    for (const struct ir_inst *at = inst; at != s->loop; at = at->parent->owner) {
        for (const struct ir_inst *before = at->prev; before != NULL; before = before->prev) {
            sum += least_added(before, counter);
        }
    }
    return sum;
}

// The least that is added after |inst|: to the end of the iteration, or of a loop's in it that it stands in.
static int64_t least_behind(const struct scan *s, const struct ir_inst *inst, const struct ir_var *counter)
{
    int64_t sum = 0;
    for (const struct ir_inst *at = inst; at != s->loop && at->op != IR_OP_FOR; at = at->parent->owner) {
        for (const struct ir_inst *behind = at->next; behind != NULL; behind = behind->next) {
            if (may_leave(behind)) {
                return sum;
            }
            sum += least_added(behind, counter);
        }
    }
    return sum;
}

// ---- places --------------------------------------------------------------------------------------------------------

static bool find_counter(struct scan *s, const struct ir_inst *index, struct place *out)
{
    if (index->op == IR_OP_SEXT || index->op == IR_OP_ZEXT) {
        index = index->args[0];
    }
    int64_t offset = 0;
    bool is_sum = index->op == IR_OP_ADD || index->op == IR_OP_SUB;
    if (is_sum && index->args[1]->op == IR_OP_CONST) {
        int64_t part = index->args[1]->imm;
        if (part > INT32_MAX || part < -INT32_MAX) {
            return false;
        }
        offset = index->op == IR_OP_ADD ? part : -part;
        index = index->args[0];
    }
    struct scan_carry *carry = index->op == IR_OP_GET ? scan_carry_of(s, index->var) : NULL;
    *out = (struct place){carry, index, offset};
    return carry != NULL && carry->is_counter && walk_is_inside(index, s->loop);
}

// The address of |size| bytes inside one element, counter + offset, of an array.
static bool find_place(struct scan *s, const struct ir_inst *address, int64_t size, struct place *out)
{
    int64_t end = size;
    for (;; address = address->args[0]) {
        if (address->op == IR_OP_OFFSET && address->imm >= 0 && address->imm <= INT32_MAX) {
            end += address->imm;
            continue;
        }
        if (address->op != IR_OP_INDEX || address->args[2]->op != IR_OP_CONST) {
            return false;
        }
        const struct ir_inst *base = address->args[0], *extent = address->args[3];
        if (base->op == IR_OP_PARAM || base->op == IR_OP_ADDR_GLOBAL) {
            return address->args[2]->imm >= end && find_counter(s, address->args[1], out);
        }
        if (extent->op != IR_OP_CONST || extent->imm <= 0 || extent->imm > INT32_MAX ||
            address->args[2]->imm > INT32_MAX) {
            return false;
        }
        end += (extent->imm - 1) * address->args[2]->imm; // an index inside its extent, as everywhere
    }
}

// Whether the place is from |lag| above what the counter was at the iteration's beginning to below |lag| above what it
// is at its end.
static bool is_in_range(const struct scan *s, const struct place *place, int64_t lag)
{
    const struct ir_var *counter = place->carry->var;
    return least_before(s, place->get, counter) + place->offset >= lag &&
           place->offset < least_behind(s, place->get, counter) + lag;
}

static int64_t stored_size(const struct ir_inst *inst)
{
    if (inst->op == IR_OP_STORE) {
        return inst->is_packed ? 0 : ir_type_size(inst->type);
    }
    bool is_copy = inst->op == IR_OP_COPY && inst->args[2]->op == IR_OP_CONST;
    return is_copy && inst->args[2]->imm <= INT32_MAX ? inst->args[2]->imm : 0;
}

// Marks the stores to the array that |first| stores to, if all that the loop does there is to store to own places. What
// else the loop does there is compared with them as ever.
static void mark_base(struct scan *s, const struct loop_info *info, int first)
{
    const struct access *items = s->an->accesses.items;
    bool is_marked = false;
    for (int64_t lag = 0; lag <= 1 && !is_marked; lag++) {
        struct scan_carry *carry = NULL;
        bool fits = true;
        for (int i = first; i < info->access_end && fits; i++) {
            if (items[i].base != items[first].base || items[i].kind != ACCESS_WRITE) {
                continue;
            }
            struct place place = {0};
            int64_t size = stored_size(items[i].inst);
            fits = size > 0 && items[i].context == NULL && find_place(s, items[i].inst->args[0], size, &place) &&
                   is_in_range(s, &place, lag) && (carry == NULL || carry == place.carry);
            carry = fits ? place.carry : carry;
        }
        for (int i = first; i < info->access_end && fits; i++) {
            if (items[i].base == items[first].base && items[i].kind == ACCESS_WRITE) {
                pointer_map_set(s->module->arena, &s->own, items[i].inst, carry);
                s->has_own = is_marked = true;
            }
        }
    }
}

void scan_find_own(struct scan *s, const struct loop_info *info)
{
    const struct access *items = s->an->accesses.items;
    for (int i = info->access_begin; i < info->access_end; i++) {
        bool is_first = items[i].kind == ACCESS_WRITE;
        for (int k = info->access_begin; k < i && is_first; k++) {
            is_first = items[k].kind != ACCESS_WRITE || items[k].base != items[i].base;
        }
        if (is_first) {
            mark_base(s, info, i);
        }
    }
}
