#include "ir/walk.h"

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

bool walk_is_inside(const struct ir_inst *inst, const struct ir_inst *outer)
{
    while (inst != NULL && inst != outer) {
        inst = inst->parent->owner;
    }
    return inst == outer;
}
