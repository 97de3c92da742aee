// A statement with jumps that no block or loop can express (into the middle of a loop, a switch whose cases stand deep
// in its body) is flattened into regions that jump to one another. Only statements that hold a target of such a jump
// are taken apart; all others stay structured inside a region, and jump out of it.
#include "lower/internal.h"

#include <assert.h>

static void flatten(struct lower *l, const struct stmt *stmt);

static int count_regions(const struct stmt *stmt)
{
    if (stmt == NULL) {
        return 0;
    }
    int count = 5; // a flattened loop takes four, with room for what follows a jump
    for (int i = 0; i < stmt->item_count; i++) {
        count += count_regions(stmt->items[i]);
    }
    return count + count_regions(stmt->body) + count_regions(stmt->else_body);
}

static int new_region(struct lower *l)
{
    struct lower_cfg *cfg = l->frame->cfg;
    assert(cfg->count < cfg->capacity); // count_regions() has made room for all
    return cfg->count++;
}

static struct lower_target to_region(const struct lower *l, int region)
{
    return (struct lower_target){l->frame->cfg->inst, region};
}

// Goes on in |region|: what came before falls into it.
static void start(struct lower *l, int region)
{
    assert(region >= 0 && region < l->frame->cfg->count);
    lower_jump(l, to_region(l, region));
    l->b.region = &l->frame->cfg->inst->regions[region];
}

static void add_target(struct lower *l, struct pointer_map *map, const void *key)
{
    struct lower_target *target = ARENA_NEW(l->arena, struct lower_target);
    *target = to_region(l, new_region(l));
    pointer_map_set(l->arena, map, key, target);
}

// A block of stream_parallel is a world of its own: nothing jumps across its edge.
static bool is_flattened(const struct lower *l, const struct stmt *stmt)
{
    if (stmt->kind == STMT_STREAM_PARALLEL) {
        return false;
    }
    return lower_is_irregular(l->frame->info, stmt);
}

static void assign_targets(struct lower *l, const struct stmt *stmt)
{
    if (stmt == NULL || !is_flattened(l, stmt)) {
        return;
    }
    const struct lower_info *info = l->frame->info;
    if (stmt->kind == STMT_LABEL) {
        if (pointer_map_get(&info->irregular, stmt->label) != NULL) {
            add_target(l, &l->frame->labels, stmt->label);
        }
    } else if (stmt->kind == STMT_SWITCH) {
        for (int i = 0; i < stmt->case_count; i++) {
            add_target(l, &l->frame->cfg->map, stmt->cases[i]);
        }
    }
    for (int i = 0; i < stmt->item_count; i++) {
        assign_targets(l, stmt->items[i]);
    }
    assign_targets(l, stmt->body);
    assign_targets(l, stmt->else_body);
}

static void branch(struct lower *l, const struct expr *expr, int yes, int no)
{
    if (lower_is_dead(l)) {
        return;
    }
    struct ir_inst *condition = lower_condition(l, expr);
    lower_at(l, expr->loc);
    struct ir_inst *inst = ir_control(&l->b, IR_OP_IF, condition, 2);
    struct ir_region *outer = l->b.region;
    l->b.region = &inst->regions[0];
    lower_jump(l, to_region(l, yes));
    l->b.region = &inst->regions[1];
    lower_jump(l, to_region(l, no));
    l->b.region = outer;
}

static void flatten_if(struct lower *l, const struct stmt *stmt)
{
    int yes = new_region(l);
    int no = new_region(l);
    int end = new_region(l);
    branch(l, stmt->expr, yes, no);
    l->b.region = &l->frame->cfg->inst->regions[yes];
    flatten(l, stmt->body);
    lower_jump(l, to_region(l, end));
    l->b.region = &l->frame->cfg->inst->regions[no];
    if (stmt->else_body != NULL) {
        flatten(l, stmt->else_body);
    }
    start(l, end);
}

static void flatten_loop(struct lower *l, const struct stmt *stmt)
{
    if (stmt->init != NULL && !lower_is_dead(l)) {
        lower_stmt(l, stmt->init);
    } else if (stmt->init != NULL && stmt->init->kind == STMT_DECL) {
        lower_bind(l, stmt->init->object);
    }
    int head = new_region(l);
    int body = new_region(l);
    int next = new_region(l);
    int end = new_region(l);
    struct lower_target outer_break = l->frame->break_target;
    struct lower_target outer_continue = l->frame->continue_target;
    l->frame->break_target = to_region(l, end);
    l->frame->continue_target = to_region(l, next);
    lower_jump(l, to_region(l, stmt->kind == STMT_DO ? body : head));
    l->b.region = &l->frame->cfg->inst->regions[head];
    if (stmt->expr != NULL) {
        branch(l, stmt->expr, body, end);
    } else {
        lower_jump(l, to_region(l, body));
    }
    l->b.region = &l->frame->cfg->inst->regions[body];
    flatten(l, stmt->body);
    start(l, next);
    if (stmt->step != NULL) {
        lower_effect(l, stmt->step);
    }
    lower_jump(l, to_region(l, head));
    l->frame->break_target = outer_break;
    l->frame->continue_target = outer_continue;
    l->b.region = &l->frame->cfg->inst->regions[end];
}

static void flatten_switch(struct lower *l, const struct stmt *stmt)
{
    int end = new_region(l);
    if (!lower_is_dead(l) && stmt->case_count == 0) {
        lower_effect(l, stmt->expr);
        lower_jump(l, to_region(l, end));
    } else if (!lower_is_dead(l)) {
        int *regions = ARENA_ARRAY(l->arena, int, stmt->case_count);
        struct ir_inst *inst = ir_control(&l->b, IR_OP_SWITCH, lower_switch_value(l, stmt), stmt->case_count);
        struct ir_region *outer = l->b.region;
        for (int i = 0; i < stmt->case_count; i++) {
            regions[i] = i;
            l->b.region = &inst->regions[i];
            lower_jump(l, *(struct lower_target *)pointer_map_get(&l->frame->cfg->map, stmt->cases[i]));
        }
        lower_switch_cases(l, inst, stmt, regions);
        l->b.region = outer;
        lower_jump(l, to_region(l, end));
    }
    struct lower_target outer_break = l->frame->break_target;
    l->frame->break_target = to_region(l, end);
    flatten(l, stmt->body);
    l->frame->break_target = outer_break;
    start(l, end);
}

static void flatten_labeled(struct lower *l, const struct stmt *stmt, const struct lower_target *target)
{
    if (target != NULL && target->region >= 0) {
        start(l, target->region);
    }
    flatten(l, stmt->body);
}

// Names declared where nothing runs are still names: a jump may lead behind them.
static void declare_all(struct lower *l, const struct stmt *stmt)
{
    if (stmt == NULL) {
        return;
    }
    if (stmt->kind == STMT_DECL && stmt->object->kind == OBJECT_LOCAL) {
        lower_bind(l, stmt->object);
    }
    for (int i = 0; i < stmt->item_count; i++) {
        declare_all(l, stmt->items[i]);
    }
    if (is_flattened(l, stmt)) {
        declare_all(l, stmt->init);
        declare_all(l, stmt->body);
        declare_all(l, stmt->else_body);
    }
}

static void flatten(struct lower *l, const struct stmt *stmt)
{
    if (!is_flattened(l, stmt)) {
        if (!lower_is_dead(l)) {
            lower_stmt(l, stmt);
        }
        return;
    }
    lower_at(l, stmt->loc);
    switch (stmt->kind) {
    case STMT_BLOCK:
        for (int i = 0; i < stmt->item_count; i++) {
            flatten(l, stmt->items[i]);
        }
        break;
    case STMT_IF: flatten_if(l, stmt); break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: flatten_loop(l, stmt); break;
    case STMT_SWITCH: flatten_switch(l, stmt); break;
    case STMT_LABEL: flatten_labeled(l, stmt, pointer_map_get(&l->frame->labels, stmt->label)); break;
    case STMT_CASE:
    case STMT_DEFAULT: flatten_labeled(l, stmt, pointer_map_get(&l->frame->cfg->map, stmt)); break;
    default: lower_stmt(l, stmt); break;
    }
}

void lower_cfg(struct lower *l, const struct stmt *stmt)
{
    struct lower_cfg cfg = {.capacity = count_regions(stmt) + 8};
    struct lower_cfg *outer_cfg = l->frame->cfg;
    struct ir_region *outer = l->b.region;
    cfg.inst = ir_control(&l->b, IR_OP_CFG, NULL, cfg.capacity);
    l->frame->cfg = &cfg;
    int first = new_region(l);
    declare_all(l, stmt);
    assign_targets(l, stmt);
    l->b.region = &cfg.inst->regions[first];
    flatten(l, stmt);
    int last = new_region(l); // running off the end of this one leaves
    lower_jump(l, to_region(l, last));
    cfg.inst->region_count = cfg.count;
    l->frame->cfg = outer_cfg;
    l->b.region = outer;
}
