// Arrays and structs declared outside a loop that each iteration fills before it reads them: every read lies inside
// what the same iteration has written for certain.
#include "analysis/effects/effects.h"
#include "analysis/scalars/scalars.h"
#include "ir/walk.h"

#include <assert.h>

struct interval {
    const struct poly *low;
    const struct poly *high;
    int64_t step;  // 0: every byte; else |width| bytes in so many, the first of them at |low|, the last before |high|
    int64_t width; //
};

struct cover {
    struct analysis *an;
    struct loop_info *info; // the loop whose iteration is looked at
    int base;
    const struct call_context *context; // of the helper whose code is looked at; NULL: the kernel's
    int cursor;                         // into the accesses: they stand in the order of the walk
    VEC(struct interval) written;
    bool is_covered;
};

static void cover_region(struct cover *c, const struct ir_region *region, struct loop_info *level);

// Atoms that vary inside one iteration of |level|.
static int inside(const struct loop_info *level)
{
    return (level->count >> 1) + 1;
}

// Whether a read of one member, of one element or of several, lies inside what was written of it in each.
static bool is_inside_steps(struct cover *c, const struct region *read, const struct interval *interval)
{
    struct poly_pool *pool = &c->an->pool;
    int64_t way, step;
    bool is_one = poly_is_const(poly_sub(pool, read->high, read->low), &way) && way == read->width;
    bool keeps_step = read->step != NULL && poly_is_const(read->step, &step) && step % interval->step == 0;
    const struct poly *from = poly_sub(pool, read->low, interval->low);
    if (read->width <= 0 || from == NULL || (!is_one && !keeps_step)) {
        return false;
    }
    for (int i = 0; i < from->count; i++) {
        if (from->terms[i].degree > 0 && from->terms[i].coef % interval->step != 0) {
            return false;
        }
    }
    int64_t offset = poly_constant_of(from) % interval->step;
    offset += offset < 0 ? interval->step : 0;
    const struct poly *last = poly_plus(pool, interval->high, offset + read->width - interval->width);
    return offset + read->width <= interval->width &&
           value_is_nonnegative(c->an, poly_plus(pool, from, -offset), NULL) &&
           value_is_nonnegative(c->an, poly_sub(pool, last, read->high), NULL);
}

static bool is_inside(struct cover *c, const struct region *read)
{
    struct poly_pool *pool = &c->an->pool;
    for (int i = 0; i < c->written.count; i++) {
        const struct interval *interval = &c->written.items[i];
        if (interval->step != 0 ? is_inside_steps(c, read, interval)
                                : value_is_nonnegative(c->an, poly_sub(pool, read->low, interval->low), NULL) &&
                                      value_is_nonnegative(c->an, poly_sub(pool, interval->high, read->high), NULL)) {
            return true;
        }
    }
    return false;
}

// The read's region, over ever more of the loops around it, must lie inside something written.
static void check_read(struct cover *c, const struct access *access, const struct loop_info *level)
{
    if (analysis_has_bug(c->an, BUG_PRIVATE_ARRAYS)) {
        return;
    }
    for (const struct loop_info *loop = level; c->is_covered; loop = loop->parent) {
        struct region region;
        if (effects_find_region(c->an, access, inside(loop), &region) && is_inside(c, &region)) {
            return;
        }
        if (loop == c->info) {
            break;
        }
    }
    c->is_covered = false;
}

// Neighbours become one interval, so that x and y of a struct cover a copy of it.
static void add_written(struct cover *c, const struct poly *low, const struct poly *high)
{
    for (int i = 0; i < c->written.count; i++) {
        struct interval *other = &c->written.items[i];
        if (other->step != 0) {
            continue;
        }
        if (poly_equal(other->high, low)) {
            low = other->low;
        } else if (poly_equal(other->low, high)) {
            high = other->high;
        }
    }
    VEC_PUSH(c->an->arena, &c->written, ((struct interval){.low = low, .high = high}));
}

static void cover_accesses(struct cover *c, const struct ir_inst *inst, const struct loop_info *level)
{
    assert(c->cursor <= c->info->access_end);
    int first = c->cursor;
    while (c->cursor < c->info->access_end && c->an->accesses.items[c->cursor].inst == inst &&
           c->an->accesses.items[c->cursor].context == c->context) {
        const struct access *access = &c->an->accesses.items[c->cursor++];
        if (access->base == c->base && access->kind != ACCESS_WRITE) {
            check_read(c, access, level);
        }
    }
    bool is_alone = c->cursor == first + 1 || inst->op == IR_OP_COPY; // else one of several places
    for (int i = first; i < c->cursor; i++) {
        const struct access *access = &c->an->accesses.items[i];
        const struct poly *low, *high;
        if (is_alone && access->base == c->base && access->kind == ACCESS_WRITE &&
            effects_region(c->an, access, c->an->atoms.count, &low, &high)) {
            add_written(c, low, high);
        }
    }
}

// The helper's code, as it is walked in this call. What comes after an early return is not certain.
static void cover_call(struct cover *c, const struct ir_inst *inst, struct loop_info *level)
{
    const struct call_context *outer = c->context, *context = NULL;
    for (int i = 0; i < c->an->contexts.count && context == NULL; i++) {
        const struct call_context *other = c->an->contexts.items[i];
        context = other->call == inst && other->caller == outer ? other : NULL;
    }
    if (context == NULL || !context->is_walked) {
        return; // noted as an access to everything
    }
    int before = c->written.count;
    c->context = context;
    cover_region(c, &context->callee->body, level);
    c->context = outer;
    c->written.count = effects_returns_early(context->callee) ? before : c->written.count;
}

static struct loop_info *child_of(struct loop_info *level, const struct call_context *context,
                                  const struct ir_inst *inst)
{
    for (struct loop_info *child = level->first_child; child != NULL; child = child->next) {
        if (child->inst == inst && child->context == context) {
            return child;
        }
    }
    return NULL;
}

static void cover_for(struct cover *c, const struct ir_inst *inst, struct loop_info *level)
{
    assert(inst->op == IR_OP_FOR);
    struct loop_info *child = child_of(level, c->context, inst);
    if (child == NULL) {
        c->is_covered = false;
        return;
    }
    int before = c->written.count;
    for (int i = inst->region_count - 1; i >= 0; i--) {
        cover_region(c, &inst->regions[i], child);
    }
    c->written.count = before;
    for (int i = child->access_begin; i < child->access_end; i++) {
        const struct access *access = &c->an->accesses.items[i];
        struct region region;
        int64_t step = 0;
        if (access->base != c->base || !effects_find_region(c->an, access, child->variable >> 1, &region)) {
            continue;
        }
        bool is_all = effects_is_must(c->an, access, child, &region);
        if (!is_all && !effects_is_must_by_steps(c->an, access, child, &step)) {
            continue;
        }
        int64_t found;
        if (is_all) {
            add_written(c, region.low, region.high);
        } else if (region.step != NULL && poly_is_const(region.step, &found) && found == step) {
            VEC_PUSH(c->an->arena, &c->written, ((struct interval){region.low, region.high, step, region.width}));
        }
    }
}

static bool has_break(const struct ir_region *region, const struct ir_inst *target)
{
    WALK (inst, region) {
        if ((inst->op == IR_OP_BREAK && inst->target == target) || inst->op == IR_OP_JUMP) {
            return true;
        }
    }
    return false;
}

static void cover_region(struct cover *c, const struct ir_region *region, struct loop_info *level)
{
    for (const struct ir_inst *inst = region->first; inst != NULL && c->is_covered; inst = inst->next) {
        cover_accesses(c, inst, level);
        if (inst->op == IR_OP_FOR) {
            cover_for(c, inst, level);
            continue;
        }
        if (inst->op == IR_OP_CALL) {
            cover_call(c, inst, level);
            continue;
        }
        int before = c->written.count;
        for (int i = 0; i < inst->region_count; i++) {
            bool is_plain = inst->op == IR_OP_BLOCK && !has_break(&inst->regions[0], inst);
            cover_region(c, &inst->regions[i], level);
            c->written.count = is_plain ? c->written.count : before; // may be skipped: what it writes is not certain
        }
    }
}

static bool is_covered(struct analysis *an, struct loop_info *info, int base)
{
    struct cover c = {.an = an,
                      .info = info,
                      .base = base,
                      .context = info->context,
                      .cursor = info->access_begin,
                      .is_covered = true};
    for (int i = info->inst->region_count - 1; i >= 0; i--) {
        cover_region(&c, &info->inst->regions[i], info);
    }
    return c.is_covered;
}

// A pointer that is stored may be read back anywhere.
static bool stores_no_pointer(struct ir_inst *inst, void *user)
{
    (void)user;
    return !(inst->op == IR_OP_STORE && inst->type == IR_PTR);
}

static bool is_called(const struct analysis *an, const struct ir_function *function)
{
    for (int i = 0; i < an->contexts.count; i++) {
        if (an->contexts.items[i]->callee == function) {
            return true;
        }
    }
    return false;
}

// In the kernel, or in a helper that it calls: each is looked at once. Calls that the walk did not look into touch
// everything anyway.
static bool keeps_pointers(struct analysis *an)
{
    if (an->pointers_are_known) {
        return an->keeps_pointers;
    }
    bool keeps = !walk_region(&an->kernel->body, stores_no_pointer, NULL);
    for (int i = 0; i < an->module->function_count && !keeps; i++) {
        const struct ir_function *function = an->module->functions[i];
        keeps = is_called(an, function) && !walk_region(&function->body, stores_no_pointer, NULL);
    }
    an->pointers_are_known = true;
    an->keeps_pointers = keeps;
    return keeps;
}

static bool is_in_loop(const struct ir_inst *inst)
{
    for (const struct ir_region *region = inst->parent; region != NULL && region->owner != NULL;
         region = region->owner->parent) {
        enum ir_op op = region->owner->op;
        if (ir_op_repeats(op)) {
            return true;
        }
    }
    return false;
}

// Whether a read after the loop may see what the loop left. Reads in loops that cover them see nothing older.
static bool is_read_after(struct analysis *an, struct loop_info *info, int base)
{
    bool comes_again = is_in_loop(info->inst);
    for (int i = comes_again ? 0 : info->access_end; i < an->accesses.count; i++) {
        const struct access *access = &an->accesses.items[i];
        if (access->base != base || access->kind == ACCESS_WRITE || (i >= info->access_begin && i < info->access_end)) {
            continue;
        }
        struct loop_info *other = access->loop;
        while (other != NULL && (loop_contains(other, info) || !is_covered(an, other, base))) {
            other = other->parent;
        }
        if (other == NULL) {
            return true;
        }
    }
    return false;
}

bool scalars_memory_is_private(struct analysis *an, struct loop_info *info, const struct ir_var *var)
{
    assert(var->is_memory);
    int base = base_make(BASE_LOCAL, var->index);
    bool is_touched = false, is_written = false;
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *access = &an->accesses.items[i];
        is_touched |= access->base == base;
        is_written |= access->base == base && access->kind != ACCESS_READ;
        if (access->base == base_make(BASE_UNKNOWN, 0) && access->kind != ACCESS_READ) {
            return false;
        }
    }
    return is_touched && is_written && !keeps_pointers(an) && is_covered(an, info, base) &&
           !is_read_after(an, info, base);
}
