// The analysis of one kernel, from the walk to the facts that the offload pass reads.
#include "analysis/analyse.h"
#include "analysis/dependence/dependence.h"

#include "analysis/effects/effects.h"

#include <assert.h>

// Nothing is walked yet.
static struct analysis *create(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    enum { TEST_BUDGET = 30000, CALL_BUDGET = 2000 };
    struct analysis *an = ARENA_NEW(module->arena, struct analysis);
    an->module = module;
    an->kernel = kernel;
    an->var_count = kernel->var_count;
    an->arena = module->arena;
    an->diags = diags;
    an->budget = TEST_BUDGET;
    an->call_budget = CALL_BUDGET;
    an->systems = ARENA_ARRAY(an->arena, struct system, SYSTEM_COUNT);
    poly_pool_init(&an->pool, an->arena);
    poly_pool_init(&an->scratch, an->arena);
    an->params = ARENA_ARRAY(an->arena, const struct sym *, kernel->param_count + 1);
    an->bases = points_to_find(an->arena, kernel);
    return an;
}

struct analysis *analysis_create(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    struct analysis *an = create(module, kernel, diags);
    access_walk(an);
    return an;
}

bool facts_is_shared(const struct ir_inst *loop, const struct ir_inst *update)
{
    const struct loop_facts *facts = loop->loop->analysis;
    for (int i = 0; facts != NULL && i < facts->shared_count; i++) {
        if (facts->shared[i] == update) {
            return true;
        }
    }
    return false;
}

// ---- effects -------------------------------------------------------------------------------------------------------

static void add_pairs(struct analysis *an, const struct loop_info *info, struct loop_facts *facts,
                      const int *effect_of_access)
{
    facts->pairs = ARENA_ARRAY(an->arena, struct plan_pair, info->pairs.count + 1);
    for (int i = 0; i < info->pairs.count; i++) {
        const struct access_pair *from = &info->pairs.items[i];
        struct plan_pair pair = {.a = effect_of_access[from->a - info->access_begin],
                                 .b = effect_of_access[from->b - info->access_begin],
                                 .equal_will_do = from->equal_will_do,
                                 .loc_a = an->accesses.items[from->a].inst->loc,
                                 .loc_b = an->accesses.items[from->b].inst->loc};
        bool is_new = true;
        for (int k = 0; k < facts->pair_count; k++) {
            struct plan_pair *other = &facts->pairs[k];
            if ((other->a == pair.a && other->b == pair.b) || (other->a == pair.b && other->b == pair.a)) {
                other->equal_will_do &= pair.equal_will_do;
                is_new = false;
            }
        }
        if (is_new && pair.a >= 0 && pair.b >= 0) {
            facts->pairs[facts->pair_count++] = pair;
        }
    }
}

static bool is_reduced(const struct loop_facts *facts, int access)
{
    for (int k = 0; k < facts->reduction_count; k++) {
        const struct memory_reduction *reduction = &facts->reductions[k];
        for (int i = 0; i < reduction->update_count; i++) {
            if (reduction->updates[i].access == access) {
                return true;
            }
        }
    }
    return false;
}

// Which effects are updates of reductions, and nothing else.
static void find_reduced_effects(const struct analysis *an, const struct loop_info *info, struct loop_facts *facts,
                                 const int *effect_of_access)
{
    bool *is_other = ARENA_ARRAY(an->arena, bool, facts->effect_count + 1);
    for (int i = info->access_begin; i < info->access_end && facts->reduction_count > 0; i++) {
        int effect = effect_of_access[i - info->access_begin];
        if (effect >= 0 && !is_reduced(facts, i)) {
            is_other[effect] = true;
        }
    }
    for (int k = 0; k < facts->reduction_count; k++) {
        for (int i = 0; i < facts->reductions[k].update_count; i++) {
            struct reduced_update *update = &facts->reductions[k].updates[i];
            int effect = effect_of_access[update->access - info->access_begin];
            update->effect = effect >= 0 && !is_other[effect] ? effect : -1;
            facts->reductions[k].is_atomic |= an->accesses.items[update->access].is_atomic;
        }
    }
}

static void fill_effects(struct analysis *an, struct loop_info *info)
{
    assert(info->access_begin <= info->access_end);
    struct loop_facts *facts = info->inst->loop->analysis;
    int count = info->access_end - info->access_begin;
    int *effect_of_access = ARENA_ARRAY(an->arena, int, count + 1);
    struct ir_inst *roots[1] = {info->inst};
    struct effects_scope scope = {.begin = info->access_begin,
                                  .end = info->access_end,
                                  .first_atom = info->variable >> 1,
                                  .entry = &info->entry,
                                  .info = info,
                                  .roots = roots,
                                  .root_count = 1};
    effects_sum_up(an, &scope, &facts->effects, &facts->effect_count, effect_of_access);
    info->effect_of_access = effect_of_access;
    add_pairs(an, info, facts, effect_of_access);
    find_reduced_effects(an, info, facts, effect_of_access);
}

static void judge_loops(struct analysis *an)
{
    an->kernel->analysis = an;
    for (int i = 0; i < an->loops.count; i++) {
        if (an->loops.items[i]->is_kernel_loop) {
            independence_judge(an, an->loops.items[i]);
        }
    }
}

void analyse_loops(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    judge_loops(analysis_create(module, kernel, diags));
}

#ifdef RILL_PLANTED_BUGS
void analyse_with_bug(struct ir_module *module, struct ir_function *kernel, struct diags *diags, enum planted_bug bug)
{
    // So that a test of the release can look for it in the library.
    static const char mark[] __attribute__((used)) = "bugs can be planted in this build";
    struct analysis *an = create(module, kernel, diags);
    an->bug = bug;
    access_walk(an);
    judge_loops(an);
}
#endif

void analyse_effects(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    assert(kernel->analysis != NULL);
    (void)module;
    (void)diags;
    struct analysis *an = kernel->analysis;
    for (int i = 0; i < an->loops.count; i++) {
        struct loop_info *info = an->loops.items[i];
        if (info->is_kernel_loop) {
            struct loop_facts *facts = info->inst->loop->analysis;
            facts->shared = info->shared.items;
            facts->shared_count = info->shared.count;
            fill_effects(an, info);
            cost_fill(an, info, facts);
        }
    }
}

// ---- pieces of code ------------------------------------------------------------------------------------------------

struct code {
    struct ir_inst *first;
    int count;
};

static bool is_in_code(const struct access *access, void *data)
{
    const struct code *code = data;
    const struct ir_inst *inst = access->site;
    while (inst != NULL && inst->parent != code->first->parent) {
        inst = inst->parent != NULL ? inst->parent->owner : NULL;
    }
    const struct ir_inst *part = code->first;
    for (int i = 0; inst != NULL && part != NULL && i < code->count; i++, part = part->next) {
        if (part == inst) {
            return true;
        }
    }
    return false;
}

// The instructions with regions among the code, so that what is declared in them counts as its own.
static void find_roots(struct arena *arena, struct ir_inst *inst, int count, struct effects_scope *scope)
{
    struct ir_inst **roots = ARENA_ARRAY(arena, struct ir_inst *, count + 1);
    for (int i = 0; i < count && inst != NULL; i++, inst = inst->next) {
        if (inst->region_count > 0) {
            roots[scope->root_count++] = inst;
        }
    }
    scope->roots = roots;
}

// What a whole block touches is asked before the region; what a part of it touches is asked once it gets there.
static struct effects_scope scope_of(struct ir_module *module, struct ir_function *kernel, struct code *code,
                                     bool is_block)
{
    struct analysis *an = kernel->analysis;
    if (an == NULL) {
        struct diags *diags = ARENA_NEW(module->arena, struct diags);
        diags_init(diags, module->arena);
        an = analysis_create(module, kernel, diags);
        kernel->analysis = an;
    }
    struct effects_scope scope = {.end = an->accesses.count, .wants = is_in_code, .data = code, .is_block = is_block};
    find_roots(an->arena, code->first, code->count, &scope);
    const struct ir_inst *owner = code->first->parent->owner;
    if (owner != NULL && owner->op == IR_OP_BLOCKS) {
        for (int i = 0; i < an->blocks.count; i++) {
            if (an->blocks.items[i].inst == owner) {
                scope.first_atom = an->blocks.items[i].first_atom;
                scope.entry = is_block ? &an->blocks.items[i].entry : &an->blocks.items[i].kept;
            }
        }
    }
    return scope;
}

void effects_of_code(struct ir_module *module, struct ir_function *kernel, struct ir_inst *first, int count,
                     struct plan_effect **out_effects, int *out_count)
{
    assert(first != NULL && count > 0);
    struct code code = {first, count};
    struct effects_scope scope = scope_of(module, kernel, &code, false);
    effects_sum_up(kernel->analysis, &scope, out_effects, out_count, NULL);
}

void effects_of_block(struct ir_module *module, struct ir_function *kernel, struct ir_region *block,
                      struct block_effect **out_effects, int *out_count)
{
    struct code code = {block->first, 0};
    for (const struct ir_inst *part = block->first; part != NULL; part = part->next) {
        code.count++;
    }
    *out_effects = NULL;
    *out_count = 0;
    if (code.count > 0) {
        struct effects_scope scope = scope_of(module, kernel, &code, true);
        effects_sum_up_block(kernel->analysis, &scope, out_effects, out_count);
    }
}

// ---- expressions ---------------------------------------------------------------------------------------------------

static struct plan_expr *leaf(struct arena *arena, enum plan_expr_kind kind, enum ir_type type, int index)
{
    struct plan_expr *expr = ARENA_NEW(arena, struct plan_expr);
    *expr = (struct plan_expr){.kind = kind, .type = type, .index = index};
    return expr;
}

// More than any value has that the demote pass leaves to be computed anew.
enum { MOST_STEPS = 1000 };

static struct plan_expr *expr_within(struct arena *arena, const struct ir_inst *value, int *steps)
{
    if (--*steps < 0) {
        return NULL;
    }
    switch (value->op) {
    case IR_OP_CONST: return value->type == IR_PTR ? NULL : plan_const(arena, value->type, value->imm);
    case IR_OP_FCONST: {
        struct plan_expr *expr = leaf(arena, PLAN_EXPR_CONST, value->type, 0);
        expr->fimm = value->fimm;
        return expr;
    }
    case IR_OP_PARAM: return value->type == IR_PTR ? NULL : plan_param(arena, value->type, (int)value->imm);
    case IR_OP_PTRTOINT: // an argument's address, which the launch knows
        return value->args[0]->op != IR_OP_PARAM ? NULL
                                                 : plan_op(arena, IR_OP_PTRTOINT, IR_I64, IR_PTR,
                                                           plan_param(arena, IR_PTR, (int)value->args[0]->imm), NULL);
    case IR_OP_GET: return value->type == IR_PTR ? NULL : leaf(arena, PLAN_EXPR_VAR, value->type, value->var->index);
    case IR_OP_SELECT:
        return plan_select(arena, expr_within(arena, value->args[0], steps), expr_within(arena, value->args[1], steps),
                           expr_within(arena, value->args[2], steps));
    default: break;
    }
    bool is_arithmetic = ir_op_is_foldable(value->op) && value->op != IR_OP_FMA;
    if (!is_arithmetic || value->type == IR_PTR || value->args[0]->type == IR_PTR) {
        return NULL;
    }
    struct plan_expr *a = expr_within(arena, value->args[0], steps);
    struct plan_expr *b = value->arg_count > 1 ? expr_within(arena, value->args[1], steps) : NULL;
    return plan_op(arena, value->op, value->type, value->args[0]->type, a, b);
}

struct plan_expr *expr_of_value(struct arena *arena, const struct ir_inst *value)
{
    int steps = MOST_STEPS;
    return expr_within(arena, value, &steps);
}
