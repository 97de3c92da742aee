// The code that searches ahead. It tries iterations in chunks, each of them a loop without an exit that keeps the
// smallest number of an iteration that leaves: a reduction. Then the loop itself begins where a chunk found one, and
// does what the source says; if none did, it begins with its last iteration.
//
//     count = iterations up to the limit in which every index is inside its array
//     if (count > FIRST_CHUNK)
//         for (at = 0;;) {
//             last = the variable in iteration min(at + chunk, count) - 1;  hit = last;
//             for (i = the variable in iteration at; i <= last; i += step)
//                 if (the iteration leaves) hit = min(hit, i);
//             if (hit != last || that was all) break;
//             at = the last iteration;  chunk = min(2 * chunk, MOST);
//         }
//
// A chunk's last iteration is the next one's first, so that it does not matter whether it was a hit.
#include "passes/search_loop.h"

#include "ir/assignment.h"
#include "ir/clone.h"
#include "ir/walk.h"

#include <assert.h>

// Chunks begin so small that a hit at once costs little, and double. What is tried in vain is at most about what was
// needed, and at most the last size; a GPU needs larger ones.
enum { FIRST_CHUNK = 4096, MOST_CPU = 1 << 20, MOST_GPU = 1 << 24 };

// ---- how many iterations -------------------------------------------------------------------------------------------

static struct ir_inst *copy_early(struct search *s, struct ir_builder *b, struct ir_inst *value)
{
    if (!walk_is_inside(value, s->loop)) {
        return value;
    }
    if (s->value[value->id] == NULL) {
        struct ir_inst **args = ARENA_ARRAY(s->module->arena, struct ir_inst *, value->arg_count + 1);
        for (int i = 0; i < value->arg_count; i++) {
            args[i] = copy_early(s, b, value->args[i]);
        }
        s->value[value->id] = clone_inst(b, value, args);
    }
    return s->value[value->id];
}

static struct ir_inst *widened(struct ir_builder *b, struct ir_inst *value, bool is_unsigned)
{
    return value->type == IR_I64 ? value : ir_emit1(b, is_unsigned ? IR_OP_ZEXT : IR_OP_SEXT, IR_I64, value);
}

static struct ir_inst *op(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    return ir_emit2(b, op, ir_op_is_compare(op) ? IR_I1 : x->type, x, y);
}

static struct ir_inst *op_const(struct ir_builder *b, enum ir_op which, struct ir_inst *x, int64_t y)
{
    return op(b, which, x, ir_const(b, x->type, y));
}

// How often the variable can be moved on |way|, at least once.
static struct ir_inst *iterations(const struct search *s, struct ir_builder *b, struct ir_inst *way)
{
    struct ir_inst *count = op_const(b, IR_OP_UDIV, way, s->stride < 0 ? -s->stride : s->stride);
    count = op_const(b, IR_OP_UMIN, count, INT64_C(1) << 61);
    return op_const(b, IR_OP_ADD, count, 1);
}

static struct ir_inst *only_if(struct ir_builder *b, struct ir_inst *condition, struct ir_inst *count)
{
    struct ir_inst *none = ir_const(b, IR_I64, 0);
    return ir_emit3(b, IR_OP_SELECT, IR_I64, condition, count, none);
}

// How often the comparison holds from |start| (i64) on, as long as the variable does not wrap around.
static struct ir_inst *count_to_limit(struct search *s, struct ir_builder *b, struct ir_inst *start)
{
    bool is_down = s->stride < 0;
    enum ir_op compare = s->limit_side == 0 ? s->limit->op : ir_op_mirrored(s->limit->op);
    if (compare == IR_OP_NE) {
        compare = is_down ? (s->is_unsigned ? IR_OP_UGT : IR_OP_SGT) : (s->is_unsigned ? IR_OP_ULT : IR_OP_SLT);
    }
    bool is_strict = compare == IR_OP_SLT || compare == IR_OP_SGT || compare == IR_OP_ULT || compare == IR_OP_UGT;
    struct ir_inst *limit = copy_early(s, b, s->limit->args[1 - s->limit_side]);
    limit = widened(b, limit, s->limit->op == IR_OP_NE ? s->is_unsigned : ir_op_is_unsigned(compare));
    struct ir_inst *runs = op(b, compare, start, limit);
    struct ir_inst *way = is_down ? op(b, IR_OP_SUB, start, limit) : op(b, IR_OP_SUB, limit, start);
    way = is_strict ? op_const(b, IR_OP_SUB, way, 1) : way;
    struct ir_inst *count = only_if(b, runs, iterations(s, b, way));
    if (s->var->type == IR_I64) {
        return count;
    }
    // The limit may be of a wider type than the variable.
    int64_t low = s->is_unsigned ? 0 : INT32_MIN;
    int64_t high = s->is_unsigned ? (int64_t)UINT32_MAX : INT32_MAX;
    struct ir_inst *end = ir_const(b, IR_I64, is_down ? low : high);
    way = is_down ? op(b, IR_OP_SUB, start, end) : op(b, IR_OP_SUB, end, start);
    return op(b, IR_OP_SMIN, count, iterations(s, b, way));
}

// How long variable + |offset| stays below |extent| and is not negative.
static struct ir_inst *count_inside(const struct search *s, struct ir_builder *b, struct ir_inst *start,
                                    struct ir_inst *extent, int64_t offset)
{
    if (s->var->type != IR_I64) { // the sum may be one of 32 bits
        extent = op_const(b, IR_OP_SMIN, extent, INT32_MAX);
    }
    struct ir_inst *first = op_const(b, IR_OP_ADD, start, offset);
    struct ir_inst *is_above = op_const(b, IR_OP_SGE, first, 0);
    struct ir_inst *is_below = op(b, IR_OP_SLT, first, extent);
    struct ir_inst *is_inside = op(b, IR_OP_AND, is_above, is_below);
    struct ir_inst *way = s->stride < 0 ? first : op(b, IR_OP_SUB, op_const(b, IR_OP_SUB, extent, 1), first);
    return only_if(b, is_inside, iterations(s, b, way));
}

// Every INDEX that a read is made of has one: an extent of a parameter.
static bool has_extent(const struct search *s, const struct ir_inst *index)
{
    const struct ir_inst *extent = index->args[3];
    return extent->op == IR_OP_CONST ? extent->imm > 0 : !walk_is_inside(extent, s->loop);
}

// The count of iterations that may be tried: those whose indices of the variable alone are inside their arrays. Other
// indices are clamped where they are used, which takes an array of at least one element.
static struct ir_inst *count_of(struct search *s, struct ir_builder *b, struct ir_inst *start)
{
    struct ir_inst *count = count_to_limit(s, b, start);
    WALK (inst, &s->loop->regions[0]) {
        if (inst->op != IR_OP_INDEX || !has_extent(s, inst) || search_is_on_way_out(s, inst)) {
            continue; // nothing that is tried reads there
        }
        int64_t offset;
        struct ir_inst *extent = inst->args[3];
        extent = extent->op == IR_OP_CONST ? ir_const(b, IR_I64, extent->imm) : extent;
        struct ir_inst *inside;
        if (search_index_offset(s, inst->args[1], &offset)) {
            inside = count_inside(s, b, start, extent, offset);
        } else {
            struct ir_inst *has_any = op_const(b, IR_OP_SGT, extent, 0);
            inside = only_if(b, has_any, ir_const(b, IR_I64, INT64_MAX));
        }
        count = op(b, IR_OP_SMIN, count, inside);
    }
    return count;
}

// ---- an iteration that is tried ------------------------------------------------------------------------------------

struct trial {
    struct search *s;
    struct ir_var *hit;
    enum ir_update better;
    struct ir_var *var;    // the loop's variable here
    struct ir_inst *block; // breaking it ends the iteration
};

static void emit_hit(const struct trial *t, struct ir_builder *b)
{
    struct ir_inst *update = ir_emit1(b, IR_OP_VUPDATE, t->hit->type, ir_get(b, t->var));
    update->var = t->hit;
    update->update = t->better;
    struct ir_inst *leave = ir_emit0(b, IR_OP_BREAK, IR_VOID);
    leave->target = t->block;
}

// An index that is no sum of the loop's variable: elsewhere than in the array it may be anything, since C would not
// come to this iteration.
static void clamp_index(const struct trial *t, struct ir_builder *b, const struct ir_inst *inst, struct ir_inst **args)
{
    int64_t offset;
    if (has_extent(t->s, inst) && !search_index_offset(t->s, inst->args[1], &offset)) {
        struct ir_inst *is_inside = op(b, IR_OP_ULT, args[1], args[3]);
        args[1] = only_if(b, is_inside, args[1]);
    }
}

static struct ir_var *copy_of(const struct trial *t, struct ir_var *var)
{
    struct ir_var *copy = var != NULL && var->index < t->s->var_count ? t->s->copy[var->index] : NULL;
    return copy != NULL ? copy : var;
}

static void copy_region(const struct trial *t, const struct ir_region *from, struct ir_builder b)
{
    struct search *s = t->s;
    if (from->owner != s->loop && search_leaves(s, from)) {
        emit_hit(t, &b);
        return;
    }
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        if (inst == s->step) {
            continue;
        }
        if (search_is_exit(s, inst)) {
            emit_hit(t, &b);
            continue;
        }
        struct ir_inst **args = ARENA_ARRAY(s->module->arena, struct ir_inst *, inst->arg_count + 1);
        for (int i = 0; i < inst->arg_count; i++) {
            struct ir_inst *copy = inst->args[i]->id < s->value_count ? s->value[inst->args[i]->id] : NULL;
            args[i] = copy != NULL ? copy : inst->args[i];
        }
        if (inst->op == IR_OP_INDEX) {
            clamp_index(t, &b, inst, args);
        }
        struct ir_inst *made = clone_inst(&b, inst, args);
        made->var = copy_of(t, inst->var);
        inst->note = made;
        if (inst->id >= 0) {
            s->value[inst->id] = made;
        }
        if (made->op == IR_OP_FOR) {
            made->loop->var = copy_of(t, inst->loop->var);
        }
        made->target = inst->target != NULL ? inst->target->note : NULL;
        for (int i = 0; i < inst->region_count; i++) {
            struct ir_builder inner = b;
            inner.region = &made->regions[i];
            copy_region(t, &inst->regions[i], inner);
        }
    }
}

// Scalars that iterations assign are new in each.
static void copy_vars(const struct trial *t, struct ir_inst *chunk)
{
    struct search *s = t->s;
    s->copy[s->var->index] = t->var;
    WALK (inst, &s->loop->regions[0]) {
        struct ir_var *var = assignment_target(inst);
        if (var != NULL && s->copy[var->index] == NULL) {
            struct ir_var *copy = ir_var_create(s->module, s->kernel, var->name, var->type);
            int index = copy->index;
            *copy = *var;
            copy->index = index;
            copy->scope = chunk;
            s->copy[var->index] = copy;
        }
    }
}

static void forget(struct search *s)
{
    for (int i = 0; i < s->value_count; i++) {
        s->value[i] = NULL;
    }
}

// ---- the chunks ----------------------------------------------------------------------------------------------------

static struct ir_var *make_var(const struct search *s, const char *name, enum ir_type type)
{
    struct ir_var *var = ir_var_create(s->module, s->kernel, name, type);
    var->loc = s->loop->loc;
    return var;
}

// The variable in iteration |number|.
static struct ir_inst *value_at(const struct search *s, struct ir_builder *b, struct ir_inst *start,
                                struct ir_inst *number)
{
    enum ir_type type = s->var->type;
    struct ir_inst *steps = type == IR_I64 ? number : ir_emit1(b, IR_OP_TRUNC, type, number);
    return op(b, IR_OP_ADD, start, op_const(b, IR_OP_MUL, steps, s->stride));
}

static void emit_chunk(struct search *s, struct ir_builder *b, struct ir_var *hit, struct ir_inst *first,
                       struct ir_inst *last)
{
    bool is_down = s->stride < 0;
    struct trial t = {.s = s, .hit = hit, .var = make_var(s, s->var->name, s->var->type)};
    t.var->is_unsigned = s->var->is_unsigned;
    t.better = ir_update_min_max(is_down, s->var->type, s->is_unsigned, IR_FORM_PLAIN);
    enum ir_op compare = is_down ? (s->is_unsigned ? IR_OP_UGE : IR_OP_SGE) : (s->is_unsigned ? IR_OP_ULE : IR_OP_SLE);
    struct ir_inst *chunk = ir_emit_for(b, t.var, first, last, compare, s->stride);
    chunk->loop->is_search = true;
    chunk->loop->order = "a search: iterations are tried ahead in chunks, the first that leaves the loop counts";
    copy_vars(&t, chunk);
    struct ir_builder body = *b;
    body.region = &chunk->regions[0];
    body.before = NULL;
    t.block = ir_control(&body, IR_OP_BLOCK, NULL, 1);
    body.region = &t.block->regions[0];
    copy_region(&t, &s->loop->regions[0], body);
    clone_forget(s->kernel);
}

static void emit_break(struct ir_builder *b, struct ir_inst *condition, struct ir_inst *target)
{
    struct ir_inst *branch = ir_control(b, IR_OP_IF, condition, 2);
    struct ir_builder inner = *b;
    inner.region = &branch->regions[0];
    ir_emit0(&inner, IR_OP_BREAK, IR_VOID)->target = target;
}

static void emit_rounds(struct search *s, struct ir_builder *b, struct ir_inst *start, struct ir_inst *count)
{
    struct ir_var *at = make_var(s, ".search_at", IR_I64);
    struct ir_var *size = make_var(s, ".search_size", IR_I64);
    struct ir_var *hit = make_var(s, ".search_hit", s->var->type);
    ir_set(b, at, ir_const(b, IR_I64, 0));
    ir_set(b, size, ir_const(b, IR_I64, FIRST_CHUNK));
    struct ir_inst *rounds = ir_control(b, IR_OP_LOOP, NULL, 1);
    rounds->text = IR_REASON_SEARCH;
    struct ir_builder r = *b;
    r.region = &rounds->regions[0];
    struct ir_inst *begin = ir_get(&r, at);
    struct ir_inst *end = op(&r, IR_OP_ADD, begin, ir_get(&r, size));
    end = op_const(&r, IR_OP_SUB, op(&r, IR_OP_SMIN, end, count), 1);
    struct ir_inst *first = value_at(s, &r, start, begin);
    struct ir_inst *last = value_at(s, &r, start, end);
    ir_set(&r, hit, last);
    ir_set(&r, at, end);
    emit_chunk(s, &r, hit, first, last);
    emit_break(&r, op(&r, IR_OP_NE, ir_get(&r, hit), last), rounds);
    struct ir_inst *twice = op_const(&r, IR_OP_SHL, ir_get(&r, size), 1);
    ir_set(&r, size, op_const(&r, IR_OP_SMIN, twice, s->module->is_gpu ? MOST_GPU : MOST_CPU));
    struct ir_inst *next = op_const(&r, IR_OP_ADD, ir_get(&r, at), 1);
    emit_break(&r, op(&r, IR_OP_SGE, next, count), rounds);
    struct ir_inst *found = ir_get(b, hit);
    if (s->needs_previous) {
        struct ir_inst *is_first = op(b, IR_OP_EQ, found, start);
        struct ir_inst *before = op_const(b, IR_OP_SUB, found, s->stride);
        found = ir_emit3(b, IR_OP_SELECT, s->var->type, is_first, found, before);
    }
    ir_set(b, s->var, found);
}

void search_build(struct search *s)
{
    assert(s->limit != NULL && s->stride != 0);
    struct ir_inst *loop = s->loop;
    s->value_count = s->kernel->value_count;
    s->var_count = s->kernel->var_count;
    s->value = ARENA_ARRAY(s->module->arena, struct ir_inst *, s->value_count + 1);
    s->copy = ARENA_ARRAY(s->module->arena, struct ir_var *, s->var_count + 1);
    struct ir_builder b = {
        .module = s->module, .function = s->kernel, .region = loop->parent, .before = loop, .loc = loop->loc};
    struct ir_inst *start = ir_get(&b, s->var);
    struct ir_inst *count = count_of(s, &b, widened(&b, start, s->is_unsigned));
    forget(s);
    b.loc = loop->loc;
    struct ir_inst *pays = op_const(&b, IR_OP_SGT, count, FIRST_CHUNK);
    struct ir_inst *branch = ir_control(&b, IR_OP_IF, pays, 2);
    struct ir_builder inner = b;
    inner.region = &branch->regions[0];
    inner.before = NULL;
    emit_rounds(s, &inner, start, count);
    loop->text = IR_REASON_SEARCH;
}
