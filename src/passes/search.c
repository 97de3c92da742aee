// The pass: loops that the launch itself would run, and that are left early, search ahead.
#include "passes/search.h"

#include "passes/search_loop.h"

#include <assert.h>

static void search_region(struct ir_module *module, struct ir_function *kernel, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR) {
            continue; // it may be a task, whose iterations search for themselves
        }
        struct search s = {.module = module, .kernel = kernel, .loop = inst};
        if (inst->op == IR_OP_LOOP && search_find(&s)) {
            search_build(&s);
            continue;
        }
        for (int i = 0; i < inst->region_count && inst->op != IR_OP_CFG; i++) {
            search_region(module, kernel, &inst->regions[i]);
        }
    }
}

void search_loops(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)diags;
    assert(kernel->kind == IR_FUNCTION_KERNEL);
    if (!kernel->pragma_single && !module->check_bounds) {
        search_region(module, kernel, &kernel->body);
    }
}
