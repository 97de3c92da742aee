// Statements, into structured control flow. Code that cannot be reached (after a jump, in the same list) is not
// emitted.
#include "lower/loop.h"

void lower_body(struct lower *l, const struct stmt *stmt, struct ir_region *region)
{
    struct ir_region *outer = l->b.region;
    l->b.region = region;
    if (stmt != NULL) {
        lower_stmt(l, stmt);
    }
    l->b.region = outer;
}

static void declare(struct lower *l, const struct stmt *stmt)
{
    const struct object *object = stmt->object;
    if (object->kind != OBJECT_LOCAL || object->is_extern) {
        return;
    }
    if (lower_is_scratch(l, object) && !lower_is_table(l, object)) {
        lower_bind_scratch(l, object); // again where it was met before: its length may be another
    } else {
        lower_bind_extents(l, object->type, false);
    }
    struct lower_binding *binding = lower_bind(l, object);
    if (object->has_init && binding->kind != BIND_GLOBAL) {
        lower_init_local(l, object);
    }
}

static void declare_only(struct lower *l, const struct stmt *stmt)
{
    if (stmt->kind == STMT_DECL && stmt->object->kind == OBJECT_LOCAL) {
        lower_bind(l, stmt->object);
    }
}

// ---- lists with labels ---------------------------------------------------------------------------------------------

static void lower_list(struct lower *l, const struct stmt *block, int low, int high, const struct lower_spans *spans,
                       bool *is_open);
static void lower_loop(struct lower *l, const struct stmt *stmt);

static struct lower_target set_label(struct lower *l, struct label *label, struct ir_inst *inst)
{
    struct lower_target *old = pointer_map_get(&l->frame->labels, label);
    struct lower_target saved = old != NULL ? *old : (struct lower_target){0};
    struct lower_target *target = ARENA_NEW(l->arena, struct lower_target);
    *target = (struct lower_target){inst, -1};
    pointer_map_set(l->arena, &l->frame->labels, label, target);
    return saved;
}

static void restore_label(struct lower *l, struct label *label, struct lower_target saved)
{
    struct lower_target *target = ARENA_NEW(l->arena, struct lower_target);
    *target = saved;
    pointer_map_set(l->arena, &l->frame->labels, label, target);
}

// A forward jump leaves a block; a backward jump leaves a block inside a loop, whose other end breaks the loop.
static void lower_span(struct lower *l, const struct stmt *stmt, const struct lower_spans *spans, int which,
                       bool *is_open)
{
    const struct lower_span *span = &spans->items[which];
    is_open[which] = true;
    struct ir_region *outer = l->b.region;
    struct ir_inst *loop = NULL;
    struct lower_saved_scope saved = {l->scope, l->scope_key};
    if (span->is_loop) {
        loop = ir_control(&l->b, IR_OP_LOOP, NULL, 1);
        l->b.region = &loop->regions[0];
        lower_enter_scope(l, loop);
    }
    struct ir_inst *block = ir_control(&l->b, IR_OP_BLOCK, NULL, 1);
    l->b.region = &block->regions[0];
    struct lower_target old = set_label(l, span->label, block);
    lower_list(l, stmt, span->low, span->high, spans, is_open);
    restore_label(l, span->label, old);
    if (loop != NULL) {
        lower_jump(l, (struct lower_target){loop, -1});
        lower_leave_scope(l, saved);
    }
    l->b.region = outer;
    is_open[which] = false;
}

static int span_at(const struct lower_spans *spans, const bool *is_open, int low, int high)
{
    int best = -1;
    for (int i = 0; spans != NULL && i < spans->count; i++) {
        const struct lower_span *span = &spans->items[i];
        if (span->low == low && span->high <= high && !is_open[i] &&
            (best < 0 || span->high > spans->items[best].high)) {
            best = i;
        }
    }
    return best;
}

// Where all loops are plain ones nothing would be known of what blocks touch: there they are statements, in program
// order, and a loop around them is a loop.
static bool is_block(const struct lower *l, const struct stmt *stmt)
{
    return stmt->kind == STMT_STREAM_PARALLEL ||
           (stmt->kind == STMT_FOR && stmt->pragmas.unroll && l->plain_depth == 0);
}

// A statement of a region: one block, or a loop that is unrolled into several.
struct blocks_item {
    const struct stmt *stmt;
    struct lower_unrolled *loop; // NULL: a block
    int count;
};

// False: the statement is no block, after all.
static bool find_item(struct lower *l, const struct stmt *stmt, bool reports, struct blocks_item *out)
{
    *out = (struct blocks_item){.stmt = stmt, .count = 1};
    if (stmt->kind == STMT_FOR) {
        out->loop = ARENA_NEW(l->arena, struct lower_unrolled);
        if (!lower_unroll_find(l, stmt, reports, out->loop)) {
            return false;
        }
        out->count = out->loop->count * out->loop->block_count;
    }
    return true;
}

static void lower_item(struct lower *l, const struct blocks_item *item, struct ir_region *regions)
{
    for (int i = 0; i < item->count; i++) {
        const struct stmt *block = item->loop != NULL ? item->loop->blocks[i % item->loop->block_count] : item->stmt;
        regions[i].loc = block->loc;
        regions[i].in_order = block->pragmas.in_order;
        int outer = l->block_key;
        l->block_key = ++l->block_count;
        if (item->loop != NULL) {
            lower_unroll_block(l, item->loop, i, &regions[i]);
        } else {
            lower_body(l, block->body, &regions[i]);
        }
        l->block_key = outer;
    }
}

// Consecutive stream_parallel blocks are one region.
static int lower_blocks(struct lower *l, const struct stmt *list, int low, int high)
{
    int end = low;
    if (l->plain_depth > 0) {
        for (; end < high && is_block(l, list->items[end]); end++) {
            lower_stmt(l, list->items[end]->body);
        }
        return end;
    }
    struct blocks_item *items = ARENA_ARRAY(l->arena, struct blocks_item, high - low);
    int count = 0;
    while (end < high && is_block(l, list->items[end]) &&
           find_item(l, list->items[end], end == low, &items[end - low])) {
        count += items[end++ - low].count;
    }
    if (count == 0) { // it was said why the loop cannot be unrolled
        lower_loop(l, list->items[low]);
        return low + 1;
    }
    lower_at(l, list->items[low]->loc);
    struct ir_inst *inst = ir_control(&l->b, IR_OP_BLOCKS, NULL, count);
    struct lower_saved_scope saved = lower_enter_scope(l, inst);
    struct ir_region *next = inst->regions;
    for (int i = low; i < end; i++) {
        lower_item(l, &items[i - low], next);
        next += items[i - low].count;
    }
    lower_leave_scope(l, saved);
    return end;
}

// if (n <= 0) return;
static bool is_way_out(const struct stmt *stmt)
{
    const struct stmt *body = stmt->kind == STMT_IF && stmt->else_body == NULL ? stmt->body : NULL;
    while (body != NULL && body->kind == STMT_BLOCK && body->item_count > 0) {
        body = body->items[body->item_count - 1];
    }
    return body != NULL && body->kind == STMT_RETURN;
}

static void lower_list(struct lower *l, const struct stmt *block, int low, int high, const struct lower_spans *spans,
                       bool *is_open)
{
    struct lower_guard *saved = l->guard;
    int i = low;
    while (i < high) {
        int span = span_at(spans, is_open, i, high);
        if (lower_is_dead(l)) {
            // Nothing runs here, but a name declared here may be used behind a label.
            declare_only(l, block->items[i]);
            i++;
        } else if (span >= 0) {
            int end = spans->items[span].high;
            lower_span(l, block, spans, span, is_open);
            i = end;
        } else if (is_block(l, block->items[i])) {
            i = lower_blocks(l, block, i, high);
        } else {
            lower_stmt(l, block->items[i]);
            if (is_way_out(block->items[i])) {
                lower_guard_enter(l, block->items[i]->expr, true); // what follows in the list
            }
            i++;
        }
    }
    lower_guard_leave(l, saved);
}

static void lower_block(struct lower *l, const struct stmt *stmt)
{
    const struct lower_spans *spans = pointer_map_get(&l->frame->info->spans, stmt);
    bool *is_open = spans != NULL ? ARENA_ARRAY(l->arena, bool, spans->count) : NULL;
    lower_list(l, stmt, 0, stmt->item_count, spans, is_open);
}

// ---- if, loops -----------------------------------------------------------------------------------------------------

static void lower_if(struct lower *l, const struct stmt *stmt)
{
    if (lower_try_update_if(l, stmt)) {
        return;
    }
    struct ir_inst *condition = lower_condition(l, stmt->expr);
    lower_at(l, stmt->loc);
    int64_t known;
    if (lower_const_value(condition, &known)) {
        const struct stmt *taken = known != 0 ? stmt->body : stmt->else_body;
        if (taken != NULL) {
            lower_stmt(l, taken);
        }
        return;
    }
    struct ir_inst *inst = ir_control(&l->b, IR_OP_IF, condition, 2);
    struct lower_guard *saved = lower_guard_enter(l, stmt->expr, false);
    lower_body(l, stmt->body, &inst->regions[0]);
    lower_guard_leave(l, saved);
    saved = lower_guard_enter(l, stmt->expr, true);
    lower_body(l, stmt->else_body, &inst->regions[1]);
    lower_guard_leave(l, saved);
}

// Whether a `continue` (or a `break`) in |stmt| belongs to the loop around it.
static bool has_own(const struct stmt *stmt, enum stmt_kind kind)
{
    if (stmt == NULL) {
        return false;
    }
    if (stmt->kind == kind) {
        return true;
    }
    bool catches = stmt->kind == STMT_WHILE || stmt->kind == STMT_DO || stmt->kind == STMT_FOR ||
                   (stmt->kind == STMT_SWITCH && kind == STMT_BREAK);
    if (catches) {
        return false;
    }
    for (int i = 0; i < stmt->item_count; i++) {
        if (has_own(stmt->items[i], kind)) {
            return true;
        }
    }
    return has_own(stmt->body, kind) || has_own(stmt->else_body, kind);
}

bool lower_has_continue(const struct stmt *body)
{
    return has_own(body, STMT_CONTINUE);
}

// Leaves |loop| unless the condition holds.
static void leave_unless(struct lower *l, const struct expr *expr, struct ir_inst *loop)
{
    if (expr == NULL || lower_is_dead(l)) {
        return;
    }
    struct ir_inst *condition = lower_condition(l, expr);
    lower_at(l, expr->loc);
    int64_t known;
    struct lower_target out = {loop, -1};
    if (lower_const_value(condition, &known)) {
        if (known == 0) {
            lower_jump(l, out);
        }
        return;
    }
    struct ir_inst *branch = ir_control(&l->b, IR_OP_IF, condition, 2);
    struct ir_region *outer = l->b.region;
    l->b.region = &branch->regions[1];
    lower_jump(l, out);
    l->b.region = outer;
}

static void loop_body(struct lower *l, const struct stmt *stmt)
{
    if (lower_is_dead(l)) {
        return;
    }
    if (!lower_has_continue(stmt->body)) {
        lower_stmt(l, stmt->body);
        return;
    }
    lower_at(l, stmt->loc);
    struct ir_inst *block = ir_control(&l->b, IR_OP_BLOCK, NULL, 1);
    l->frame->continue_target = (struct lower_target){block, -1};
    lower_body(l, stmt->body, &block->regions[0]);
}

static void refuse_parallel(struct lower *l, const struct stmt *stmt, const char *why, struct loc where)
{
    const struct pragmas *pragmas = &stmt->pragmas;
    const char *pragma = pragmas->parallel                ? "parallel"
                         : pragmas->collapse != 0         ? "collapse"
                         : pragmas->block_dim != 0        ? "block_dim"
                         : pragmas->map != PRAGMA_MAP_ANY ? "map"
                                                          : NULL;
    if (pragma == NULL) {
        return;
    }
    diag_error(l->diags, stmt->loc, "'#pragma rill %s' needs a canonical loop, and this is none: %s", pragma, why);
    if (where.line != 0 && (where.line != stmt->loc.line || where.file != stmt->loc.file)) {
        diag_note(l->diags, where, "here");
    }
}

void lower_plain_loop(struct lower *l, const struct stmt *stmt, const char *why)
{
    lower_at(l, stmt->loc);
    struct ir_inst *loop = ir_control(&l->b, IR_OP_LOOP, NULL, 1);
    bool is_asked = stmt->pragmas.serial || stmt->pragmas.single || l->single_depth > 0;
    loop->text = is_asked ? IR_REASON_ASKED : why;
    struct ir_region *outer = l->b.region;
    struct lower_target outer_break = l->frame->break_target;
    struct lower_target outer_continue = l->frame->continue_target;
    struct lower_saved_scope saved = lower_enter_scope(l, loop);
    l->b.region = &loop->regions[0];
    l->frame->break_target = (struct lower_target){loop, -1};
    l->single_depth += stmt->pragmas.single;
    if (stmt->kind != STMT_DO) {
        leave_unless(l, stmt->expr, loop);
    }
    loop_body(l, stmt);
    if (stmt->kind == STMT_DO) {
        leave_unless(l, stmt->expr, loop);
    } else if (stmt->step != NULL && !lower_is_dead(l)) {
        lower_effect(l, stmt->step);
    }
    l->single_depth -= stmt->pragmas.single;
    lower_leave_scope(l, saved);
    l->b.region = outer;
    l->frame->break_target = outer_break;
    l->frame->continue_target = outer_continue;
}

// do { … } while (0): no loop at all.
static bool lower_once(struct lower *l, const struct stmt *stmt)
{
    int64_t known;
    if (stmt->kind != STMT_DO || !const_eval_int(stmt->expr, &known) || known != 0) {
        return false;
    }
    if (!has_own(stmt->body, STMT_BREAK) && !has_own(stmt->body, STMT_CONTINUE)) {
        lower_stmt(l, stmt->body);
        return true;
    }
    struct lower_target outer_break = l->frame->break_target;
    struct lower_target outer_continue = l->frame->continue_target;
    struct ir_inst *block = ir_control(&l->b, IR_OP_BLOCK, NULL, 1);
    l->frame->break_target = (struct lower_target){block, -1};
    l->frame->continue_target = l->frame->break_target;
    lower_body(l, stmt->body, &block->regions[0]);
    l->frame->break_target = outer_break;
    l->frame->continue_target = outer_continue;
    return true;
}

// `while (i < n) { …; i++; }` as somebody may write who does not mind: what a `for` would be. NULL: it is another loop.
static const char *why_not_for(struct lower *l, const struct stmt *stmt)
{
    const struct stmt *last = stmt->body;
    while (last->kind == STMT_BLOCK && last->item_count > 0) {
        last = last->items[last->item_count - 1];
    }
    const struct expr *step = last->kind == STMT_EXPR ? last->expr : NULL, *condition = stmt->expr;
    bool counts = step != NULL && step->kind == EXPR_UPDATE && (step->op == EXPR_ADD || step->op == EXPR_SUB) &&
                  step->a->kind == EXPR_OBJECT && step->b->kind == EXPR_INT && type_is_integer(step->a->type);
    const struct expr *left = condition->kind >= EXPR_LT && condition->kind <= EXPR_NE ? condition->a : NULL;
    while (left != NULL && left->kind == EXPR_CAST) {
        left = left->a;
    }
    if (!counts || left == NULL || left->kind != EXPR_OBJECT || left->object != step->a->object ||
        has_own(stmt->body, STMT_BREAK) || has_own(stmt->body, STMT_CONTINUE)) {
        return NULL;
    }
    const char *name = left->object->name, *sign = step->op == EXPR_ADD ? "+" : "-";
    const char *by = step->b->u == 1 ? arena_printf(l->arena, "%s%s%s", name, sign, sign)
                                     : arena_printf(l->arena, "%s %s= %lld", name, sign, (long long)step->b->u);
    return arena_printf(l->arena, "it is a 'while' loop, where a 'for' with '%s' as its step might be parallel", by);
}

static void lower_loop(struct lower *l, const struct stmt *stmt)
{
    if (lower_once(l, stmt) || lower_steps_split(l, stmt, lower_loop)) {
        return;
    }
    const char *why = stmt->kind == STMT_WHILE ? "it is a 'while' loop" : "it is a 'do' loop";
    const char *advice = stmt->kind == STMT_WHILE ? why_not_for(l, stmt) : NULL;
    why = advice != NULL ? advice : why;
    struct loc where = stmt->loc;
    if (stmt->kind != STMT_DO && l->plain_depth == 0 && lower_for(l, stmt, &why, &where)) {
        return;
    }
    if (l->plain_depth == 0) {
        refuse_parallel(l, stmt, why, where);
    }
    lower_at(l, stmt->loc);
    if (stmt->init != NULL) {
        lower_stmt(l, stmt->init);
    }
    lower_plain_loop(l, stmt, l->plain_depth > 0 ? IR_REASON_STEP : why);
}

// ---- switch --------------------------------------------------------------------------------------------------------

// Longer GNU ranges are mapped to their first value before the switch.
enum { MAX_EXPANDED_RANGE = 64 };

static int64_t range_length(const struct stmt *label)
{
    return (int64_t)((uint64_t)label->high - (uint64_t)label->low);
}

struct ir_inst *lower_switch_value(struct lower *l, const struct stmt *stmt)
{
    const struct type *type = stmt->expr->type;
    struct ir_inst *value = lower_widen(l, lower_value(l, stmt->expr), type);
    lower_at(l, stmt->loc);
    bool is_unsigned = lower_is_unsigned(type);
    for (int i = 0; i < stmt->case_count; i++) {
        const struct stmt *label = stmt->cases[i];
        if (label->kind != STMT_CASE || (uint64_t)range_length(label) < MAX_EXPANDED_RANGE) {
            continue;
        }
        struct ir_inst *low = lower_int(l, IR_I64, label->low);
        struct ir_inst *high = lower_int(l, IR_I64, label->high);
        struct ir_inst *above = lower_binary(l, is_unsigned ? IR_OP_UGE : IR_OP_SGE, IR_I1, value, low);
        struct ir_inst *below = lower_binary(l, is_unsigned ? IR_OP_ULE : IR_OP_SLE, IR_I1, value, high);
        value = lower_select(l, lower_binary(l, IR_OP_AND, IR_I1, above, below), low, value);
    }
    return value;
}

// |regions|: where each of the statement's cases starts.
void lower_switch_cases(struct lower *l, struct ir_inst *inst, const struct stmt *stmt, const int *regions)
{
    int64_t count = 0;
    for (int i = 0; i < stmt->case_count; i++) {
        uint64_t length = (uint64_t)range_length(stmt->cases[i]);
        count += stmt->cases[i]->kind != STMT_CASE ? 0 : length < MAX_EXPANDED_RANGE ? (int64_t)length + 1 : 1;
    }
    inst->cases = ARENA_ARRAY(l->arena, int64_t, count);
    inst->case_regions = ARENA_ARRAY(l->arena, int, count);
    for (int i = 0; i < stmt->case_count; i++) {
        const struct stmt *label = stmt->cases[i];
        if (label->kind == STMT_DEFAULT) {
            inst->default_region = regions[i];
            continue;
        }
        uint64_t length = (uint64_t)range_length(label);
        for (uint64_t k = 0; k <= (length < MAX_EXPANDED_RANGE ? length : 0); k++) {
            inst->cases[inst->case_count] = (int64_t)((uint64_t)label->low + k);
            inst->case_regions[inst->case_count++] = regions[i];
        }
    }
}

static const struct stmt *behind_labels(const struct stmt *stmt)
{
    while (stmt->kind == STMT_CASE || stmt->kind == STMT_DEFAULT) {
        stmt = stmt->body;
    }
    return stmt;
}

// Every case label stands straight in the body: the statements from one to the next are a region.
static void lower_regular_switch(struct lower *l, const struct stmt *stmt)
{
    struct stmt *single = stmt->body;
    struct stmt *const *items = stmt->body->kind == STMT_BLOCK ? stmt->body->items : &single;
    int item_count = stmt->body->kind == STMT_BLOCK ? stmt->body->item_count : 1;
    int region_count = 0;
    if (stmt->case_count == 0) {
        lower_effect(l, stmt->expr); // nothing in the body can be reached
        return;
    }
    int *regions = ARENA_ARRAY(l->arena, int, stmt->case_count);
    for (int i = 0; i < item_count; i++) {
        bool starts = false;
        for (const struct stmt *s = items[i]; s->kind == STMT_CASE || s->kind == STMT_DEFAULT; s = s->body) {
            starts = true;
            for (int k = 0; k < stmt->case_count; k++) {
                regions[k] = stmt->cases[k] == s ? region_count : regions[k];
            }
        }
        region_count += starts;
    }
    struct ir_inst *inst = ir_control(&l->b, IR_OP_SWITCH, lower_switch_value(l, stmt), region_count);
    lower_switch_cases(l, inst, stmt, regions);
    struct lower_target outer_break = l->frame->break_target;
    struct ir_region *outer = l->b.region;
    l->frame->break_target = (struct lower_target){inst, -1};
    int next = 0;
    for (int i = 0; i < item_count; i++) {
        const struct stmt *item = behind_labels(items[i]);
        if (item != items[i]) {
            l->b.region = &inst->regions[next++];
        }
        if (next > 0 && !lower_is_dead(l)) {
            lower_stmt(l, item);
        } else {
            declare_only(l, item);
        }
    }
    l->b.region = outer;
    l->frame->break_target = outer_break;
}

// ---- return --------------------------------------------------------------------------------------------------------

static void lower_return(struct lower *l, const struct stmt *stmt)
{
    struct lower_frame *frame = l->frame;
    struct ir_inst *value = NULL;
    if (stmt->expr != NULL && stmt->expr->type->kind == TYPE_VOID) {
        lower_effect(l, stmt->expr);
    } else if (stmt->expr != NULL) {
        value = lower_value(l, stmt->expr);
    }
    lower_at(l, stmt->loc);
    if (value != NULL && type_is_record(stmt->expr->type)) {
        lower_copy_record(l, frame->return_address, value, stmt->expr->type, false);
        value = NULL;
    }
    if (frame->is_direct) {
        frame->result = value;
        return;
    }
    if (frame->is_inlined) {
        if (value != NULL && frame->return_var != NULL) {
            ir_set(&l->b, frame->return_var, value);
        }
        lower_jump(l, (struct lower_target){frame->return_block, -1});
        return;
    }
    enum ir_type type = l->b.function->return_type;
    if (type != IR_VOID && value == NULL) {
        value = ir_type_is_float(type) ? ir_fconst(&l->b, type, 0) : lower_int(l, type, 0);
    }
    ir_emit(&l->b, IR_OP_RETURN, IR_VOID, type != IR_VOID ? 1 : 0, &value);
}

// ---- all of them ---------------------------------------------------------------------------------------------------

static void lower_goto(struct lower *l, const struct stmt *stmt)
{
    const struct lower_target *target = pointer_map_get(&l->frame->labels, stmt->label);
    if (target == NULL || target->inst == NULL) {
        diag_error(l->diags, stmt->loc, "not supported: this 'goto %s'", stmt->label->name);
        return;
    }
    lower_jump(l, *target);
}

static void lower_kind(struct lower *l, const struct stmt *stmt)
{
    lower_at(l, stmt->loc);
    if (l->frame->info->has_jumps && pointer_map_get(&l->frame->info->roots, stmt) != NULL) {
        lower_cfg(l, stmt);
        return;
    }
    switch (stmt->kind) {
    case STMT_EXPR: lower_effect(l, stmt->expr); break;
    case STMT_DECL: declare(l, stmt); break;
    case STMT_BLOCK: lower_block(l, stmt); break;
    case STMT_IF: lower_if(l, stmt); break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
    case STMT_STREAM_PARALLEL:
        if (is_block(l, stmt)) {
            struct stmt *items[] = {(struct stmt *)stmt};
            struct stmt list = {.items = items, .item_count = 1};
            lower_blocks(l, &list, 0, 1);
        } else {
            lower_loop(l, stmt);
        }
        break;
    case STMT_SWITCH: lower_regular_switch(l, stmt); break;
    case STMT_BREAK: lower_jump(l, l->frame->break_target); break;
    case STMT_CONTINUE: lower_jump(l, l->frame->continue_target); break;
    case STMT_RETURN: lower_return(l, stmt); break;
    case STMT_GOTO: lower_goto(l, stmt); break;
    case STMT_LABEL:
    case STMT_CASE:
    case STMT_DEFAULT: lower_stmt(l, stmt->body); break;
    case STMT_EMPTY:
    case STMT_REFUSED: break;
    }
}

void lower_stmt(struct lower *l, const struct stmt *stmt)
{
    if (lower_enter(l, stmt->loc)) {
        lower_kind(l, stmt);
    }
    lower_leave(l);
}
