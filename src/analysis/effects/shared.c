// Updates that another block of the same region may meet: these are atomic, also where their loop alone would not need
// it. Those of regions that lie apart are plain.
#include "analysis/effects/effects.h"

#include <assert.h>

// The block that holds the instruction; -1: none.
static int block_of(const struct ir_inst *inst, const struct ir_inst **out_blocks)
{
    for (const struct ir_region *region = inst->parent; region != NULL && region->owner != NULL;
         region = region->owner->parent) {
        if (region->owner->op == IR_OP_BLOCKS) {
            *out_blocks = region->owner;
            return (int)(region - region->owner->regions);
        }
    }
    return -1;
}

// Its region as the conflict rule sees it. Made once for each access.
static const struct block_effect *effect_of(struct analysis *an, int index, const struct ir_inst *blocks)
{
    if (an->block_effects == NULL) {
        an->block_effects = ARENA_ARRAY(an->arena, struct block_effect *, an->accesses.count);
    }
    if (an->block_effects[index] == NULL) {
        struct effects_scope scope = {.begin = index, .end = index + 1, .is_block = true};
        for (int i = 0; i < an->blocks.count; i++) {
            if (an->blocks.items[i].inst == blocks) {
                scope.first_atom = an->blocks.items[i].first_atom;
                scope.entry = &an->blocks.items[i].entry;
            }
        }
        int count;
        effects_sum_up_block(an, &scope, &an->block_effects[index], &count);
    }
    return an->block_effects[index];
}

bool shared_by_blocks(struct analysis *an, int index)
{
    assert(index >= 0 && index < an->accesses.count);
    const struct access *access = &an->accesses.items[index];
    const struct ir_inst *blocks;
    int block = block_of(access->site, &blocks);
    if (block < 0 || base_kind(access->base) == BASE_LOCAL) {
        return false;
    }
    if (an->room == NULL) {
        an->room = conflict_room_create(an->arena);
    }
    for (int i = 0; i < an->accesses.count; i++) {
        const struct access *other = &an->accesses.items[i];
        const struct ir_inst *others;
        if (other->kind == ACCESS_READ || other->base != access->base) {
            continue;
        }
        int other_block = block_of(other->site, &others);
        if (other_block >= 0 && others == blocks && other_block != block &&
            !effects_are_apart(an->room, effect_of(an, index, blocks), effect_of(an, i, blocks))) {
            return true;
        }
    }
    return false;
}
