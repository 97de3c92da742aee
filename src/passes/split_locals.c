// Locals that several stream_parallel blocks of a region use.
#include "passes/split_locals.h"

#include "analysis/scalars/scalars.h"
#include "ir/memory_use.h"
#include "ir/walk.h"

#include <assert.h>
#include <limits.h>

struct var_use {
    struct ir_var *var;
    struct ir_var *replacement; // NULL: only look
    struct loc loc;             // of the first use
    bool is_used;
    bool is_written;
};

static bool use_in(struct ir_inst *inst, void *user)
{
    struct var_use *use = user;
    bool is_loop = inst->op == IR_OP_FOR && inst->loop->var == use->var;
    if (inst->var != use->var && !is_loop) {
        return true;
    }
    if (!use->is_used) {
        use->loc = inst->loc;
    }
    use->is_used = true;
    use->is_written |= is_loop || (inst->op != IR_OP_GET && inst->op != IR_OP_ADDR_VAR);
    if (use->replacement != NULL && is_loop) {
        inst->loop->var = use->replacement;
    } else if (use->replacement != NULL) {
        inst->var = use->replacement;
    }
    return true;
}

static struct var_use look(struct ir_region *region, struct ir_var *var, struct ir_var *replacement)
{
    struct var_use use = {.var = var, .replacement = replacement};
    walk_region(region, use_in, &use);
    return use;
}

struct split {
    struct ir_module *module;
    struct ir_function *kernel;
    struct diags *diags;
    struct scalar_use **uses; // of each block of the region that is looked at
};

// Each block that writes gets a variable of its own, which begins with the value from before the region where the block
// may look at it; afterwards the variable has the last writer's value. Blocks that only read keep the variable, which
// nobody writes then.
static void split(const struct split *s, struct ir_inst *inst, struct ir_var *var)
{
    assert(!var->is_memory && inst->op == IR_OP_BLOCKS);
    struct ir_var *last = NULL;
    for (int i = 0; i < inst->region_count; i++) {
        if (!look(&inst->regions[i], var, NULL).is_written) {
            continue;
        }
        struct ir_var *own = ir_var_create(s->module, s->kernel, var->name, var->type);
        int index = own->index;
        *own = *var;
        own->index = index;
        look(&inst->regions[i], var, own);
        last = own;
        const struct scalar_use *use = &s->uses[i][var->index];
        if (use->exposed != NULL || !use->always_written) {
            struct ir_builder before = {
                .module = s->module, .function = s->kernel, .region = inst->parent, .before = inst, .loc = inst->loc};
            ir_set(&before, own, ir_get(&before, var));
        }
    }
    struct ir_builder b = {
        .module = s->module, .function = s->kernel, .region = inst->parent, .before = inst->next, .loc = inst->loc};
    if (last != NULL) {
        ir_set(&b, var, ir_get(&b, last));
    }
}

// Whether a block may see what an earlier one wrote, or code behind the region what the last writer has not written for
// certain and an earlier one has.
static bool is_carried(const struct split *s, const struct ir_inst *inst, const struct ir_var *var)
{
    assert(inst->op == IR_OP_BLOCKS);
    int writer_count = 0;
    bool is_certain = true; // of the last writer so far
    for (int i = 0; i < inst->region_count; i++) {
        struct ir_region *region = &((struct ir_inst *)inst)->regions[i]; // looked at, not changed
        const struct scalar_use *use = &s->uses[i][var->index];
        if (use->exposed != NULL && writer_count > 0) {
            return true;
        }
        if (look(region, (struct ir_var *)var, NULL).is_written) {
            writer_count++;
            is_certain = use->always_written;
        }
    }
    return writer_count > 1 && !is_certain && scalars_live_after(inst, var);
}

static void report_local(const struct split *s, const struct ir_var *var, struct loc first, struct loc other)
{
    if (var->is_memory && var->ctype != NULL && var->ctype->kind == IR_CTYPE_ARRAY) {
        diag_error(s->diags, other,
                   "local array '%s' is used by two stream_parallel blocks and written by one; its parts are not told "
                   "apart, since it lies in the launch's own block",
                   var->name);
        diag_note(s->diags, first,
                  "the other block uses it here; pass it as an array, whose parts are compared, or declare it in each "
                  "block");
        return;
    }
    if (var->is_memory) {
        diag_error(s->diags, other, "local '%s' lies in memory that two stream_parallel blocks use and one writes",
                   var->name);
        diag_note(s->diags, first, "the other block uses it here; pass it as an array, or declare it in each block");
        return;
    }
    diag_error(s->diags, other, "local '%s' carries a value from one stream_parallel block to another", var->name);
    diag_note(s->diags, first,
              "the other block uses it here; pass it as an array, or write it before it is read "
              "in each block");
}

static void check_local(const struct split *s, struct ir_inst *inst, struct ir_var *var)
{
    struct var_use first = {0};
    struct var_use other = {0};
    bool is_written = false;
    for (int i = 0; i < inst->region_count; i++) {
        struct var_use use = look(&inst->regions[i], var, NULL);
        if (!use.is_used) {
            continue;
        }
        if (var->is_memory) {
            use.is_written = memory_is_written(inst->regions[i].first, INT_MAX, var);
        }
        is_written |= use.is_written;
        if (!first.is_used) {
            first = use;
        } else if (!other.is_used || use.is_written) {
            other = use;
        }
    }
    if (!other.is_used || !is_written) {
        return;
    }
    if (!var->is_memory && !is_carried(s, inst, var)) {
        split(s, inst, var);
        return;
    }
    report_local(s, var, first.loc, other.loc);
}

static bool split_region(struct ir_inst *inst, void *user)
{
    struct split *s = user;
    if (inst->op == IR_OP_BLOCKS) {
        s->uses = ARENA_ARRAY(s->module->arena, struct scalar_use *, inst->region_count);
        for (int i = 0; i < inst->region_count; i++) {
            s->uses[i] = scalars_use_region(s->module->arena, s->kernel, &inst->regions[i]);
        }
    }
    int count = s->kernel->var_count; // splitting adds variables, which need no look
    for (int i = 0; inst->op == IR_OP_BLOCKS && i < count; i++) {
        check_local(s, inst, s->kernel->vars[i]);
    }
    return true;
}

void split_locals(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    assert(kernel->kind == IR_FUNCTION_KERNEL);
    struct split s = {.module = module, .kernel = kernel, .diags = diags};
    walk_region(&kernel->body, split_region, &s);
}
