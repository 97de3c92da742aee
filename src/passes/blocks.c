// Regions of stream_parallel blocks: locals that cross from one block to another, and memory that two blocks touch.
#include "base/vec.h"
#include "passes/memory_use.h"
#include "passes/offload.h"
#include "passes/scalars.h"
#include "passes/walk.h"

#include <limits.h>

// ---- locals
// --------------------------------------------------------------------------------------------------------------

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
            use.is_written = memory_is_written(s->module->arena, inst->regions[i].first, INT_MAX, var);
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

void blocks_split_locals(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    struct split s = {.module = module, .kernel = kernel, .diags = diags};
    walk_region(&kernel->body, split_region, &s);
}

// ---- memory
// --------------------------------------------------------------------------------------------------------------

struct block_effects {
    struct block_effect *items;
    int count;
};

// Where the region hangs on a test, the whole array is touched if it fails.
static struct plan_effect *kept(struct offload *o, const struct block_effect *effect)
{
    const int64_t beyond = (int64_t)1 << 46; // more than any array has
    struct plan_effect *copy = ARENA_NEW(o->arena, struct plan_effect);
    *copy = effect->effect;
    if (effect->only_if != NULL) {
        struct plan_expr *zero = plan_const(o->arena, IR_I64, 0);
        copy->region.low = plan_select(o->arena, effect->only_if, copy->region.low, zero);
        copy->region.high =
            plan_select(o->arena, effect->only_if, copy->region.high, plan_const(o->arena, IR_I64, beyond));
        copy->region.step =
            copy->region.step != NULL ? plan_select(o->arena, effect->only_if, copy->region.step, zero) : NULL;
    }
    offload_add_expr(o, &copy->region.low);
    offload_add_expr(o, &copy->region.high);
    offload_add_expr(o, &copy->region.step);
    return copy;
}

static void report(struct offload *o, struct ir_inst *inst, int block, const struct plan_effect *a,
                   const struct plan_effect *b)
{
    struct str text_a;
    struct str text_b;
    str_init(&text_a, o->arena);
    str_init(&text_b, o->arena);
    plan_effect_print(o->plan, o->out, a, &text_a);
    plan_effect_print(o->plan, o->out, b, &text_b);
    diag_error(o->diags, b->loc.line != 0 ? b->loc : inst->regions[block].loc,
               "this stream_parallel block %s, which an earlier block of the region also touches", str_text(&text_b));
    diag_note(o->diags, a->loc, "the earlier block %s here", str_text(&text_a));
    if (a->access == PLAN_UPDATE && b->access == PLAN_UPDATE && !updates_may_meet(a, b)) {
        diag_note(o->diags, b->loc, "%s of %s and %s of %s do not commute", ir_update_name(a->update),
                  ir_type_name(a->type), ir_update_name(b->update), ir_type_name(b->type));
    }
    diag_note(o->diags, inst->regions[block].loc,
              "put '#pragma rill in_order' before this block, or ';' between the two, which ends the region, to run "
              "it afterwards");
}

static void add_conflict(struct offload *o, struct plan_node *node, struct plan_conflict conflict)
{
    struct {
        struct plan_conflict *items;
        int count;
        int capacity;
    } conflicts = {node->conflicts, node->conflict_count, node->conflict_count};
    VEC_PUSH(o->arena, &conflicts, conflict);
    node->conflicts = conflicts.items;
    node->conflict_count = conflicts.count;
}

// What only the author's word makes independent is kept, for `explain`.
static void note_atomics(struct offload *o, struct plan_node *node, const struct block_effect *a,
                         const struct block_effect *b)
{
    bool is_new = node != NULL && node->atomic_a.line == 0 && a->effect.is_explicit && b->effect.is_explicit;
    bool one_base = a->effect.base == b->effect.base && a->effect.index == b->effect.index;
    if (is_new && one_base && !effects_are_apart(o->room, a, b)) {
        node->atomic_a = a->effect.loc;
        node->atomic_b = b->effect.loc;
    }
}

// The worst of all pairs of effects. Tests are kept in the node, NULL for blocks of two nodes: one runs after the
// other; the first certain conflict is reported.
static void check_pair(struct offload *o, struct ir_inst *inst, struct plan_node *node,
                       const struct block_effects *effects, int i, int j)
{
    for (int x = 0; x < effects[i].count; x++) {
        for (int y = 0; y < effects[j].count; y++) {
            const struct plan_effect *a = &effects[i].items[x].effect;
            const struct plan_effect *b = &effects[j].items[y].effect;
            if (a->access == PLAN_READ && b->access == PLAN_READ) {
                continue;
            }
            bool is_restrict = offload_restrict_parts(o, a, b);
            if (is_restrict && !o->module->check_bounds) {
                continue;
            }
            note_atomics(o, node, &effects[i].items[x], &effects[j].items[y]);
            enum conflict_answer answer =
                is_restrict ? CONFLICT_TEST : effects_conflict(o->room, &effects[i].items[x], &effects[j].items[y]);
            if (answer == CONFLICT_ALWAYS) {
                report(o, inst, j, a, b);
                return;
            }
            if (answer == CONFLICT_TEST && node != NULL) {
                struct plan_conflict conflict = {.kind = PLAN_CONFLICT_TEST,
                                                 .block_a = i % PLAN_MAX_BLOCKS,
                                                 .block_b = j % PLAN_MAX_BLOCKS,
                                                 .effect_a = kept(o, &effects[i].items[x]),
                                                 .effect_b = kept(o, &effects[j].items[y]),
                                                 .is_restrict = is_restrict};
                add_conflict(o, node, conflict);
            }
        }
    }
}

void blocks_check(struct offload *o, struct ir_inst *inst, struct plan_node **nodes)
{
    struct block_effects *effects = ARENA_ARRAY(o->arena, struct block_effects, inst->region_count);
    o->room = o->room != NULL ? o->room : conflict_room_create(o->arena);
    for (int i = 0; i < inst->region_count; i++) {
        effects_of_block(o->module, o->kernel, &inst->regions[i], &effects[i].items, &effects[i].count);
    }
    for (int j = 1; j < inst->region_count; j++) {
        for (int i = 0; i < j; i++) {
            bool share_node = i / PLAN_MAX_BLOCKS == j / PLAN_MAX_BLOCKS;
            struct plan_node *node = share_node ? nodes[j / PLAN_MAX_BLOCKS] : NULL;
            if (!inst->regions[j].in_order) {
                check_pair(o, inst, node, effects, i, j);
            } else if (node != NULL) {
                struct plan_conflict conflict = {
                    .kind = PLAN_CONFLICT_IN_ORDER, .block_a = i % PLAN_MAX_BLOCKS, .block_b = j % PLAN_MAX_BLOCKS};
                add_conflict(o, node, conflict);
            }
        }
    }
}
