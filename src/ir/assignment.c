#include "ir/assignment.h"

#include "ir/walk.h"

#include <assert.h>

static bool does_not_assign(struct ir_inst *inst, void *var)
{
    return assignment_target(inst) != var;
}

bool assignment_is_in(const struct ir_inst *inst, const struct ir_var *var)
{
    assert(var != NULL); // or every instruction that assigns nothing would be one that assigns it
    return !walk_inst((struct ir_inst *)inst, does_not_assign, (void *)var); // walked, not changed
}

bool assignment_is_in_region(const struct ir_region *region, const struct ir_var *var)
{
    assert(var != NULL);
    return !walk_region(region, does_not_assign, (void *)var);
}

static void add(struct ir_inst *inst, struct assignments *assignments)
{
    assignments->first = assignments->first == NULL ? inst : assignments->first;
    assignments->count++;
}

void assignments_add(const struct ir_region *region, struct assignments *vars)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = walk_next(inst, region)) {
        const struct ir_var *var = assignment_target(inst);
        if (var != NULL) {
            add(inst, &vars[var->index]);
        }
    }
}

struct search {
    const struct ir_var *var;
    struct assignments found;
};

static bool find(struct ir_inst *inst, void *user)
{
    struct search *search = user;
    if (assignment_target(inst) == search->var) {
        add(inst, &search->found);
    }
    return true;
}

struct assignments assignments_of(const struct ir_region *region, const struct ir_var *var)
{
    assert(var != NULL);
    struct search search = {.var = var};
    walk_region(region, find, &search);
    return search.found;
}
