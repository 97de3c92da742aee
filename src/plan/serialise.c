// The serialised form. One description of the plan serves both ways: every function here visits a part and either
// writes it or reads it, so that the two cannot drift apart. What is read is untrusted: lengths are checked against
// what is left, nesting is limited, and the indices are checked by plan_check() once everything is there.
#include "base/status.h"
#include "plan/check.h"
#include "plan/plan.h"

#include <string.h>

// Nodes, with the types and expressions in the innermost, of which the language allows 256 and passes make fewer.
enum { MAX_NESTING = 2 * PLAN_MAX_DEPTH, FORMAT_VERSION = 10 };

struct io {
    struct arena *arena; // reading
    struct str *out;     // writing; NULL: reading
    const uint8_t *bytes;
    size_t size;
    size_t at;
    bool failed;
    int depth;
    struct plan_share share; // reading: of the kernel that is read
};

static void io_raw(struct io *io, void *value, size_t size)
{
    if (io->out != NULL) {
        str_add_n(io->out, value, size);
    } else if (io->failed || io->size - io->at < size) {
        io->failed = true;
        memset(value, 0, size);
    } else {
        memcpy(value, io->bytes + io->at, size);
        io->at += size;
    }
}

static void io_i64(struct io *io, int64_t *value)
{
    io_raw(io, value, sizeof *value);
}

static void io_u64(struct io *io, uint64_t *value)
{
    io_raw(io, value, sizeof *value);
}

static void io_u32(struct io *io, uint32_t *value)
{
    io_raw(io, value, sizeof *value);
}

static void io_int(struct io *io, int *value)
{
    int32_t wide = *value;
    io_raw(io, &wide, sizeof wide);
    *value = wide;
}

static void io_bool(struct io *io, bool *value)
{
    uint8_t byte = *value;
    io_raw(io, &byte, 1);
    *value = byte != 0;
}

// Enums go through int: |limit| is one past the largest value.
#define IO_ENUM(io, place, limit)                                                                                      \
    do {                                                                                                               \
        int io_enum_ = (int)*(place);                                                                                  \
        io_int((io), &io_enum_);                                                                                       \
        if (io_enum_ < 0 || io_enum_ >= (int)(limit)) {                                                                \
            (io)->failed = true;                                                                                       \
            io_enum_ = 0;                                                                                              \
        }                                                                                                              \
        *(place) = io_enum_;                                                                                           \
    } while (0)

// A count of things that take at least one byte each.
static void io_count(struct io *io, int *count)
{
    io_int(io, count);
    if (io->out == NULL && (*count < 0 || (size_t)*count > io->size - io->at)) {
        io->failed = true;
        *count = 0;
    }
}

#define IO_ARRAY(io, items, count)                                                                                     \
    do {                                                                                                               \
        io_count((io), (count));                                                                                       \
        if ((io)->out == NULL) {                                                                                       \
            *(items) = arena_alloc((io)->arena, sizeof **(items) * (size_t)*(count));                                  \
        }                                                                                                              \
    } while (0)

// Strings keep the difference between NULL and "".
static void io_string(struct io *io, const char **text)
{
    int length = *text == NULL ? -1 : (int)strlen(*text);
    io_int(io, &length);
    if (io->out != NULL) {
        if (length > 0) {
            str_add_n(io->out, *text, (size_t)length);
        }
        return;
    }
    *text = NULL;
    if (length < 0) {
        return;
    }
    if (io->failed || (size_t)length > io->size - io->at) {
        io->failed = true;
        return;
    }
    *text = arena_strndup(io->arena, (const char *)io->bytes + io->at, (size_t)length);
    io->at += (size_t)length;
}

static void io_bytes(struct io *io, const uint8_t **bytes, uint64_t *size)
{
    io_u64(io, size);
    if (io->out != NULL) {
        str_add_n(io->out, (const char *)*bytes, *size);
        return;
    }
    *bytes = NULL;
    if (io->failed || *size > io->size - io->at) {
        io->failed = true;
        *size = 0;
        return;
    }
    *bytes = memcpy(arena_alloc(io->arena, *size + 1), io->bytes + io->at, *size);
    io->at += *size;
}

static void io_name(struct io *io, const char **text)
{
    io_string(io, text);
    if (io->out == NULL && *text == NULL) {
        *text = "";
    }
}

static void io_loc(struct io *io, struct loc *loc)
{
    io_u32(io, &loc->file);
    io_u32(io, &loc->line);
    io_u32(io, &loc->column);
}

// Whether an optional part is there; reading makes it. Nesting too deep fails.
static bool io_optional(struct io *io, void **place, size_t size)
{
    bool is_there = *place != NULL;
    io_bool(io, &is_there);
    if (io->out == NULL) {
        *place = NULL;
        if (is_there && !io->failed && io->depth < MAX_NESTING) {
            *place = arena_alloc(io->arena, size);
        } else if (is_there) {
            io->failed = true;
        }
    }
    return *place != NULL;
}

static void io_expr(struct io *io, struct plan_expr **place)
{
    if (!io_optional(io, (void **)place, sizeof **place)) {
        return;
    }
    struct plan_expr *expr = *place;
    IO_ENUM(io, &expr->kind, PLAN_EXPR_LOOPVAR + 1);
    IO_ENUM(io, &expr->type, IR_PTR + 1);
    IO_ENUM(io, &expr->op, IR_OP_COUNT);
    IO_ENUM(io, &expr->arg_type, IR_PTR + 1);
    io_int(io, &expr->index);
    io_i64(io, &expr->imm);
    io_raw(io, &expr->fimm, sizeof expr->fimm);
    io_int(io, &expr->arg_count);
    if (expr->arg_count < 0 || expr->arg_count > 3) {
        io->failed = true;
        expr->arg_count = 0;
    }
    io->depth++;
    for (int i = 0; i < expr->arg_count; i++) {
        io_expr(io, &expr->args[i]);
        io->failed |= expr->args[i] == NULL;
    }
    io->depth--;
    if (io->out == NULL && !io->failed) {
        *place = plan_share_expr(&io->share, expr);
    }
}

static void io_ctype(struct io *io, struct ir_ctype **place)
{
    if (!io_optional(io, (void **)place, sizeof **place)) {
        return;
    }
    struct ir_ctype *type = *place;
    IO_ENUM(io, &type->kind, IR_CTYPE_POINTER + 1);
    io_name(io, &type->name);
    IO_ENUM(io, &type->scalar, IR_PTR + 1);
    io_bool(io, &type->is_unsigned);
    io_bool(io, &type->is_bool);
    io_u64(io, &type->size);
    io_u32(io, &type->align);
    io_i64(io, &type->length);
    io_bool(io, &type->is_union);
    io->depth++;
    // What a pointer points to is not described: a list's node would never end.
    if (type->kind == IR_CTYPE_ARRAY) {
        io_ctype(io, &type->element);
        io->failed |= type->element == NULL;
    } else if (io->out == NULL) {
        type->element = NULL;
    }
    IO_ARRAY(io, &type->members, &type->member_count);
    for (int i = 0; i < type->member_count; i++) {
        struct ir_cmember *member = &type->members[i];
        io_string(io, &member->name);
        io_ctype(io, &member->type);
        io->failed |= member->type == NULL;
        io_u64(io, &member->offset);
        io_int(io, &member->bit_offset);
        io_int(io, &member->bit_width);
    }
    io->depth--;
}

static void io_effect(struct io *io, struct plan_effect *effect)
{
    IO_ENUM(io, &effect->base, PLAN_BASE_BLOCK + 1);
    io_int(io, &effect->index);
    IO_ENUM(io, &effect->access, PLAN_UPDATE + 1);
    IO_ENUM(io, &effect->update, IR_UPDATE_COUNT);
    IO_ENUM(io, &effect->type, IR_PTR + 1);
    io_bool(io, &effect->is_must);
    io_bool(io, &effect->is_sure);
    io_bool(io, &effect->is_atomic);
    io_bool(io, &effect->is_explicit);
    io_int(io, &effect->copy);
    io_expr(io, &effect->region.low);
    io_expr(io, &effect->region.high);
    io_expr(io, &effect->region.step);
    io_int(io, &effect->region.width);
    io_loc(io, &effect->loc);
    io_string(io, &effect->why);
    io_string(io, &effect->bound);
    io_loc(io, &effect->bound_loc);
}

static void io_task(struct io *io, struct plan_task *task)
{
    io_name(io, &task->name);
    IO_ENUM(io, &task->kind, PLAN_TASK_PARALLEL + 1);
    io_loc(io, &task->loc);
    io_int(io, &task->group);
    io_int(io, &task->loop);
    io_expr(io, &task->is_few);
    io_expr(io, &task->trip);
    io_expr(io, &task->cost);
    io_expr(io, &task->order_cost);
    io_name(io, &task->entry);
    io_string(io, &task->in_order);
    io_string(io, &task->finish);
    io_int(io, &task->collapse);
    io_int(io, &task->block_dim);
    io_u64(io, &task->partial_size);
    io_int(io, &task->copy_count);
    io_bool(io, &task->is_merged);
    io_int(io, &task->run);
    io_expr(io, &task->team);
    io_int(io, &task->team_columns);
    io_int(io, &task->tile_count);
    for (int i = 0; i < task->tile_count && i < PLAN_MAX_TILES; i++) {
        io_name(io, &task->tiles[i].entry);
        io_int(io, &task->tiles[i].rows);
        io_int(io, &task->tiles[i].columns);
    }
    io_expr(io, &task->row_length);
    io_expr(io, &task->row_count);
    IO_ARRAY(io, &task->effects, &task->effect_count);
    for (int i = 0; i < task->effect_count; i++) {
        io_effect(io, &task->effects[i]);
    }
    IO_ARRAY(io, &task->pairs, &task->pair_count);
    for (int i = 0; i < task->pair_count; i++) {
        struct plan_pair *pair = &task->pairs[i];
        io_int(io, &pair->a);
        io_int(io, &pair->b);
        io_bool(io, &pair->equal_will_do);
        io_bool(io, &pair->is_restrict);
        io_loc(io, &pair->loc_a);
        io_loc(io, &pair->loc_b);
    }
    IO_ARRAY(io, &task->conditions, &task->condition_count);
    for (int i = 0; i < task->condition_count; i++) {
        io_expr(io, &task->conditions[i].expr);
        io_name(io, &task->conditions[i].text);
        io_loc(io, &task->conditions[i].loc);
    }
    io_bool(io, &task->may_fail);
    io_bool(io, &task->may_print);
    IO_ARRAY(io, &task->slot_uses, &task->slot_use_count);
    for (int i = 0; i < task->slot_use_count; i++) {
        io_i64(io, &task->slot_uses[i].offset);
        io_bool(io, &task->slot_uses[i].reads);
        io_bool(io, &task->slot_uses[i].writes);
    }
}

static void io_loop(struct io *io, struct plan_loop *loop)
{
    io_loc(io, &loop->loc);
    IO_ENUM(io, &loop->verdict, IR_VERDICT_PRAGMA + 1);
    io_string(io, &loop->reason);
    io_loc(io, &loop->loc_a);
    io_loc(io, &loop->loc_b);
    io_int(io, &loop->depth);
    io_int(io, &loop->task);
    io_bool(io, &loop->inside_task);
    io_string(io, &loop->notes);
    io_string(io, &loop->fusion);
    io_string(io, &loop->clauses);
    io_bool(io, &loop->is_told);
    IO_ENUM(io, &loop->advice, PLAN_ADVICE_EXCHANGE + 1);
    io_string(io, &loop->advice_place);
    io_expr(io, &loop->work);
}

static void io_conflict(struct io *io, struct plan_conflict *conflict)
{
    IO_ENUM(io, &conflict->kind, PLAN_CONFLICT_IN_ORDER + 1);
    io_int(io, &conflict->block_a);
    io_int(io, &conflict->block_b);
    if (io_optional(io, (void **)&conflict->effect_a, sizeof *conflict->effect_a)) {
        io_effect(io, conflict->effect_a);
    }
    if (io_optional(io, (void **)&conflict->effect_b, sizeof *conflict->effect_b)) {
        io_effect(io, conflict->effect_b);
    }
    io_bool(io, &conflict->is_restrict);
}

static void io_node(struct io *io, struct plan_node **place)
{
    if (!io_optional(io, (void **)place, sizeof **place)) {
        return;
    }
    struct plan_node *node = *place;
    IO_ENUM(io, &node->kind, PLAN_REGION + 1);
    io_int(io, &node->id);
    io_loc(io, &node->loc);
    io_int(io, &node->group);
    io_expr(io, &node->expr);
    io_expr(io, &node->trip);
    io_i64(io, &node->step);
    io_i64(io, &node->slot);
    IO_ENUM(io, &node->type, IR_PTR + 1);
    io_int(io, &node->task);
    io_int(io, &node->target);
    io_bool(io, &node->in_order);
    io_bool(io, &node->goes_on);
    io_loc(io, &node->atomic_a);
    io_loc(io, &node->atomic_b);
    io_int(io, &node->whole_task);
    io_expr(io, &node->whole_if);
    io_expr(io, &node->work);
    IO_ARRAY(io, &node->conflicts, &node->conflict_count);
    for (int i = 0; i < node->conflict_count; i++) {
        io_conflict(io, &node->conflicts[i]);
    }
    IO_ARRAY(io, &node->children, &node->child_count);
    io->failed |= node->kind == PLAN_REGION && node->child_count > PLAN_MAX_BLOCKS;
    io->depth++;
    for (int i = 0; i < node->child_count; i++) {
        io_node(io, &node->children[i]);
        io->failed |= node->children[i] == NULL;
    }
    io->depth--;
}

static void io_param(struct io *io, struct plan_param *param)
{
    io_name(io, &param->name);
    IO_ENUM(io, &param->type, IR_PTR + 1);
    io_bool(io, &param->is_array);
    io_bool(io, &param->is_struct);
    io_bool(io, &param->is_const);
    io_bool(io, &param->is_restrict);
    io_ctype(io, &param->ctype);
    io->failed |= param->ctype == NULL;
    IO_ARRAY(io, &param->extents, &param->rank);
    for (int i = 0; i < param->rank; i++) {
        io_expr(io, &param->extents[i]);
    }
    io_int(io, &param->counts);
    io_expr(io, &param->scratch);
    io_bool(io, &param->is_needed);
    io_bool(io, &param->is_scratch);
    io_bool(io, &param->is_result);
    io_u64(io, &param->offset);
    io_loc(io, &param->loc);
}

static void io_kernel(struct io *io, struct plan_kernel *kernel)
{
    io->share = (struct plan_share){.arena = io->arena};
    io_name(io, &kernel->name);
    io_loc(io, &kernel->loc);
    io_ctype(io, &kernel->return_ctype);
    IO_ARRAY(io, &kernel->params, &kernel->param_count);
    for (int i = 0; i < kernel->param_count; i++) {
        io_param(io, &kernel->params[i]);
    }
    io_int(io, &kernel->hidden_count);
    io_u64(io, &kernel->args_size);
    io_u64(io, &kernel->block_size);
    IO_ARRAY(io, &kernel->slots, &kernel->slot_count);
    for (int i = 0; i < kernel->slot_count; i++) {
        io_name(io, &kernel->slots[i].name);
        io_i64(io, &kernel->slots[i].offset);
        io_u64(io, &kernel->slots[i].size);
    }
    io_node(io, &kernel->root);
    io->failed |= kernel->root == NULL;
    IO_ARRAY(io, &kernel->tasks, &kernel->task_count);
    for (int i = 0; i < kernel->task_count; i++) {
        io_task(io, &kernel->tasks[i]);
    }
    IO_ARRAY(io, &kernel->loops, &kernel->loop_count);
    for (int i = 0; i < kernel->loop_count; i++) {
        io_loop(io, &kernel->loops[i]);
    }
    io_int(io, &kernel->node_count);
    if (io->out == NULL) {
        kernel->memo_count = io->share.memo_count;
    }
}

static void io_module(struct io *io, struct plan_module *module)
{
    uint32_t version = FORMAT_VERSION;
    io_u32(io, &version);
    io->failed |= version != FORMAT_VERSION;
    IO_ARRAY(io, &module->files, &module->file_count);
    for (int i = 0; i < module->file_count; i++) {
        io_name(io, &module->files[i]);
    }
    IO_ARRAY(io, &module->fields, &module->field_count);
    for (int i = 0; i < module->field_count; i++) {
        struct plan_field *field = &module->fields[i];
        io_name(io, &field->name);
        io_u64(io, &field->size);
        io_u32(io, &field->align);
        io_ctype(io, &field->ctype);
    }
    IO_ARRAY(io, &module->pieces, &module->piece_count);
    for (int i = 0; i < module->piece_count; i++) {
        struct plan_piece *piece = &module->pieces[i];
        io_name(io, &piece->symbol);
        io_u64(io, &piece->offset);
        io_bytes(io, &piece->bytes, &piece->size);
    }
    IO_ARRAY(io, &module->kernels, &module->kernel_count);
    for (int i = 0; i < module->kernel_count; i++) {
        if (io->out == NULL) {
            module->kernels[i] = ARENA_NEW(io->arena, struct plan_kernel);
        }
        io_kernel(io, module->kernels[i]);
    }
    io_bool(io, &module->check_bounds);
    io_bool(io, &module->check_races);
}

void plan_write(const struct plan_module *module, struct str *out)
{
    struct io io = {.out = out};
    struct plan_module copy = *module; // visited, not changed
    io_module(&io, &copy);
}

rill_status plan_read(struct arena *arena, const void *bytes, size_t size, struct plan_module **out_module)
{
    *out_module = NULL;
    struct io io = {.arena = arena, .bytes = bytes, .size = size};
    struct plan_module *module = ARENA_NEW(arena, struct plan_module);
    module->arena = arena;
    io_module(&io, module);
    if (io.failed || io.at != size) {
        return status_fail(RILL_ERR_INVALID, "the image's plan is damaged at byte %zu of %zu", io.at, size);
    }
    struct str why;
    str_init(&why, arena);
    if (!plan_check(module, &why)) {
        return status_fail(RILL_ERR_INVALID, "the image's plan is not valid: %s", str_text(&why));
    }
    *out_module = module;
    return RILL_OK;
}
