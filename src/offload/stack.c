// The stack of a task: its locals in memory, and those of the helpers it calls. The stack of a
// worker is limited: a kernel that needs more is refused here, because at run time it could only crash.
#include "ir/walk.h"
#include "offload/offload.h"

#include <assert.h>

struct stack_use {
    const struct ir_module *module;
    uint64_t *sizes; // by function: 0 is not known yet, else the size plus one
    uint64_t calls;  // the most that one call takes
};

static uint64_t own_size(const struct ir_function *function)
{
    uint64_t size = 0;
    for (int i = 0; i < function->var_count; i++) {
        size += function->vars[i]->is_memory ? function->vars[i]->size : 0;
    }
    return size;
}

static uint64_t size_of(const struct stack_use *outer, const struct ir_function *function);

static bool find_calls(struct ir_inst *inst, void *user)
{
    struct stack_use *use = user;
    if (inst->op == IR_OP_CALL) {
        uint64_t size = size_of(use, inst->function);
        use->calls = size > use->calls ? size : use->calls;
    }
    return true;
}

// Helpers do not call themselves, so that this ends.
static uint64_t size_of(const struct stack_use *outer, const struct ir_function *function)
{
    int index = 0;
    while (outer->module->functions[index] != function) {
        index++;
    }
    if (outer->sizes[index] == 0) {
        struct stack_use use = {.module = outer->module, .sizes = outer->sizes};
        walk_region(&function->body, find_calls, &use);
        outer->sizes[index] = own_size(function) + use.calls + 1;
    }
    return outer->sizes[index] - 1;
}

void stack_check(struct offload *o)
{
    assert(o->first_function <= o->module->function_count);
    uint64_t all = 0;
    for (int i = 0; i < o->module->function_count; i++) {
        all += own_size(o->module->functions[i]);
    }
    if (all <= OFFLOAD_MAX_LOCALS) {
        return; // as almost always: no need to look who calls whom
    }
    struct stack_use use = {.module = o->module};
    use.sizes = ARENA_ARRAY(o->arena, uint64_t, o->module->function_count);
    for (int i = o->first_function; i < o->module->function_count; i++) {
        const struct ir_function *task = o->module->functions[i];
        uint64_t size = size_of(&use, task);
        if (size > OFFLOAD_MAX_LOCALS) {
            diag_error(o->diags, task->loc,
                       "the locals used here, with those of the functions called here, take %llu bytes, and a task has "
                       "at most %d: pass some as arrays",
                       (unsigned long long)size, OFFLOAD_MAX_LOCALS);
            return; // the other version of the task has the same
        }
    }
}
