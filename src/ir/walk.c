#include "ir/walk.h"

#include <assert.h>

bool walk_region(const struct ir_region *region, walk_visit *visit, void *user)
{
    for (struct ir_inst *inst = region->first; inst != NULL;) {
        struct ir_inst *next = inst->next; // the visitor may unlink the instruction
        if (!walk_inst(inst, visit, user)) {
            return false;
        }
        inst = next;
    }
    return true;
}

bool walk_inst(struct ir_inst *inst, walk_visit *visit, void *user)
{
    if (!visit(inst, user)) {
        return false;
    }
    for (int i = 0; i < inst->region_count; i++) {
        if (!walk_region(&inst->regions[i], visit, user)) {
            return false;
        }
    }
    return true;
}

bool walk_region_back(const struct ir_region *region, walk_visit *visit, void *user)
{
    for (struct ir_inst *inst = region->last; inst != NULL;) {
        struct ir_inst *before = inst->prev; // the visitor may unlink the instruction
        for (int i = inst->region_count - 1; i >= 0; i--) {
            if (!walk_region_back(&inst->regions[i], visit, user)) {
                return false;
            }
        }
        if (!visit(inst, user)) {
            return false;
        }
        inst = before;
    }
    return true;
}

// The first instruction in the owner's regions from number |from| on; NULL: they are empty.
static struct ir_inst *first_in(const struct ir_inst *owner, int from)
{
    for (int i = from; i < owner->region_count; i++) {
        if (owner->regions[i].first != NULL) {
            return owner->regions[i].first;
        }
    }
    return NULL;
}

struct ir_inst *walk_next(const struct ir_inst *inst, const struct ir_region *region)
{
    struct ir_inst *inner = first_in(inst, 0);
    return inner != NULL ? inner : walk_over(inst, region);
}

struct ir_inst *walk_over(const struct ir_inst *inst, const struct ir_region *region)
{
    while (inst->next == NULL && inst->parent != region) {
        const struct ir_inst *owner = inst->parent->owner;
        assert(owner != NULL && inst->parent >= owner->regions && inst->parent < owner->regions + owner->region_count);
        struct ir_inst *other = first_in(owner, (int)(inst->parent - owner->regions) + 1);
        if (other != NULL) {
            return other;
        }
        inst = owner;
    }
    return inst->next;
}

bool walk_is_inside(const struct ir_inst *inst, const struct ir_inst *outer)
{
    while (inst != NULL && inst != outer) {
        inst = inst->parent->owner;
    }
    return inst == outer;
}
