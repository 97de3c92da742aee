// Regions of stream_parallel blocks: memory that two blocks touch.
#include "base/vec.h"
#include "offload/offload.h"

#include <assert.h>

struct block_effects {
    struct block_effect *items;
    int count;
};

// Where the region depends on a test, the whole array is touched if it fails.
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
    assert(node->kind == PLAN_REGION && conflict.block_a < conflict.block_b);
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
    assert(i < j); // the later block is the one that is reported
    for (int x = 0; x < effects[i].count; x++) {
        for (int y = 0; y < effects[j].count; y++) {
            const struct plan_effect *a = &effects[i].items[x].effect;
            const struct plan_effect *b = &effects[j].items[y].effect;
            if (a->access == PLAN_READ && b->access == PLAN_READ) {
                continue;
            }
            bool is_restrict = restrict_separates(o, a, b);
            if (is_restrict && !o->module->check_bounds && !o->module->check_races) {
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

static void check_blocks(struct offload *o, struct ir_inst *inst)
{
    struct plan_node **nodes = offload_note(o, inst)->nodes;
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

// Regions inside a block before the one around it.
static void check_region(struct offload *o, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        for (int i = 0; i < inst->region_count; i++) {
            check_region(o, &inst->regions[i]);
        }
        if (inst->op == IR_OP_BLOCKS && offload_note(o, inst)->nodes != NULL) {
            check_blocks(o, inst);
        }
    }
}

void blocks_check(struct offload *o)
{
    check_region(o, &o->kernel->body);
}
