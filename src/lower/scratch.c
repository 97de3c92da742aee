// Arrays of a kernel that are too large for a thread, or of a length that only the launch knows: hidden parameters of
// the kernel, memory that the launch lends (ir_param.is_scratch). The launch must know how large they are before
// anything runs, so that their extents are computed at the kernel's entry, of its arguments and of what is made of
// these once.
#include "lower/internal.h"

#include <assert.h>

enum { MAX_EXTENT_DEPTH = 64 };

// One array in one place of the kernel, with what its extents came to.
struct lower_scratch {
    struct lower_scratch *next;
    const struct object *object;
    int block_key; // of the block that it was met in
    int param;
};

// What must hold where statements stand, as far as it was met: `if` around them, and `if (…) return` before them.
struct lower_guard {
    struct lower_guard *outer;
    const struct expr *condition;
    bool is_negated;
    struct lower_frame *frame;
};

// ---- values at the kernel's entry ----------------------------------------------------------------------------------

static struct ir_inst *at_entry(struct lower *l, struct lower_frame *frame, const struct expr *e, int depth);

// Whether it has one value from its declaration on.
static bool is_settled(const struct lower *l, const struct object *object)
{
    const struct lower_object *use = lower_object(l, object);
    return (use == NULL || (!use->is_assigned && !use->is_addressed)) && (object->type->quals & QUAL_VOLATILE) == 0 &&
           type_is_integer(object->type);
}

static struct ir_inst *object_at_entry(struct lower *l, struct lower_frame *frame, const struct object *object,
                                       int depth)
{
    const struct lower_binding *binding = pointer_map_get(&frame->bindings, object);
    int64_t known;
    if (binding != NULL && binding->kind == BIND_VALUE && lower_const_value(binding->value, &known)) {
        return lower_int(l, binding->value->type, known); // of an unrolled loop
    }
    if (!is_settled(l, object)) {
        return NULL;
    }
    if (object->kind == OBJECT_PARAM && frame->caller == NULL) {
        struct ir_inst *param = ir_emit0(&l->b, IR_OP_PARAM, lower_type(object->type));
        param->imm = object->index;
        return param;
    }
    if (object->kind == OBJECT_PARAM) {
        return at_entry(l, frame->caller, frame->args[object->index], depth);
    }
    bool has_value = object->kind == OBJECT_LOCAL && object->has_init && object->init_count == 1;
    return has_value ? at_entry(l, frame, object->inits[0].value, depth) : NULL;
}

// A helper that is one `return`.
static struct ir_inst *call_at_entry(struct lower *l, struct lower_frame *frame, const struct expr *e, int depth)
{
    const struct function *function = e->function;
    const struct stmt *body = function->body;
    if (body == NULL || body->kind != STMT_BLOCK || body->item_count != 1 || body->items[0]->kind != STMT_RETURN ||
        body->items[0]->expr == NULL || e->arg_count != function->param_count) {
        return NULL;
    }
    struct lower_frame inner = {.caller = frame, .args = e->args};
    return at_entry(l, &inner, body->items[0]->expr, depth);
}

static struct ir_inst *truth_at_entry(struct lower *l, struct lower_frame *frame, const struct expr *e, int depth)
{
    struct ir_inst *value = at_entry(l, frame, e, depth);
    return value != NULL ? lower_is_nonzero(l, value) : NULL;
}

static struct ir_inst *as_int(struct lower *l, struct ir_inst *truth, const struct type *type)
{
    return truth != NULL ? lower_unary(l, IR_OP_ZEXT, lower_type(type), truth) : NULL;
}

static struct ir_inst *both_at_entry(struct lower *l, struct lower_frame *frame, const struct expr *e, int depth)
{
    if (e->kind == EXPR_LOGAND || e->kind == EXPR_LOGOR) {
        struct ir_inst *x = truth_at_entry(l, frame, e->a, depth);
        struct ir_inst *y = x != NULL ? truth_at_entry(l, frame, e->b, depth) : NULL;
        enum ir_op op = e->kind == EXPR_LOGAND ? IR_OP_AND : IR_OP_OR;
        return y != NULL ? as_int(l, lower_binary(l, op, IR_I1, x, y), e->type) : NULL;
    }
    struct ir_inst *x = at_entry(l, frame, e->a, depth);
    struct ir_inst *y = x != NULL ? at_entry(l, frame, e->b, depth) : NULL;
    if (y == NULL) {
        return NULL;
    }
    if (e->kind >= EXPR_LT && e->kind <= EXPR_NE) {
        return as_int(l, lower_compare(l, e->kind, e->a->type, x, y), e->type);
    }
    if (e->kind == EXPR_SHL || e->kind == EXPR_SHR) {
        y = lower_convert(l, y, e->b->type, e->a->type); // taken modulo the width, which leaves the low bits
    }
    return lower_arithmetic(l, e->kind, e->type, x, y);
}

static struct ir_inst *choice_at_entry(struct lower *l, struct lower_frame *frame, const struct expr *e, int depth)
{
    struct ir_inst *condition = truth_at_entry(l, frame, e->a, depth);
    struct ir_inst *x = condition != NULL ? at_entry(l, frame, e->b, depth) : NULL;
    struct ir_inst *y = x != NULL ? at_entry(l, frame, e->c, depth) : NULL;
    return y != NULL ? lower_select(l, condition, x, y) : NULL;
}

static struct ir_inst *unary_at_entry(struct lower *l, struct lower_frame *frame, const struct expr *e, int depth)
{
    if (e->kind == EXPR_LOGNOT) {
        struct ir_inst *truth = truth_at_entry(l, frame, e->a, depth);
        return truth != NULL ? as_int(l, lower_not(l, truth), e->type) : NULL;
    }
    struct ir_inst *x = at_entry(l, frame, e->a, depth);
    if (x == NULL || e->kind == EXPR_CAST) {
        return x == NULL                    ? NULL
               : e->type->kind == TYPE_BOOL ? as_int(l, lower_is_nonzero(l, x), e->type)
                                            : lower_convert(l, x, e->a->type, e->type);
    }
    enum ir_type type = lower_type(e->type);
    return e->kind == EXPR_NEG ? lower_binary(l, IR_OP_SUB, type, lower_int(l, type, 0), x)
                               : lower_binary(l, IR_OP_XOR, type, x, lower_int(l, type, -1));
}

// NULL: it is not made of arguments alone, by integers.
static struct ir_inst *at_entry(struct lower *l, struct lower_frame *frame, const struct expr *e, int depth)
{
    int64_t known;
    if (depth > MAX_EXTENT_DEPTH || !type_is_integer(e->type)) {
        return NULL;
    }
    depth++;
    if (const_eval_int(e, &known)) {
        return lower_int(l, lower_type(e->type), known);
    }
    if (e->kind >= EXPR_ADD && e->kind <= EXPR_LOGOR) {
        return both_at_entry(l, frame, e, depth);
    }
    switch (e->kind) {
    case EXPR_OBJECT: return object_at_entry(l, frame, e->object, depth);
    case EXPR_CALL: return call_at_entry(l, frame, e, depth);
    case EXPR_COND: return choice_at_entry(l, frame, e, depth);
    case EXPR_NEG:
    case EXPR_BITNOT:
    case EXPR_LOGNOT:
    case EXPR_CAST: return unary_at_entry(l, frame, e, depth);
    default: return NULL;
    }
}

// ---- guards --------------------------------------------------------------------------------------------------------

struct lower_guard *lower_guard_enter(struct lower *l, const struct expr *condition, bool is_negated)
{
    struct lower_guard *saved = l->guard;
    l->guard = ARENA_NEW(l->arena, struct lower_guard);
    *l->guard = (struct lower_guard){saved, condition, is_negated, l->frame};
    return saved;
}

void lower_guard_leave(struct lower *l, struct lower_guard *saved)
{
    l->guard = saved;
}

// An extent counts only where its declaration is reached, as far as the arguments say whether it is.
static struct ir_inst *guarded(struct lower *l, struct ir_inst *extent)
{
    struct ir_inst *zero = lower_int(l, IR_I64, 0);
    for (const struct lower_guard *guard = l->guard; guard != NULL; guard = guard->outer) {
        struct ir_inst *holds = truth_at_entry(l, guard->frame, guard->condition, 0);
        if (holds == NULL) {
            extent = lower_binary(l, IR_OP_SMAX, IR_I64, extent, zero); // perhaps it is not reached
        } else {
            holds = guard->is_negated ? lower_not(l, holds) : holds;
            extent = lower_select(l, holds, extent, zero);
        }
    }
    return extent;
}

// ---- parameters ----------------------------------------------------------------------------------------------------

static bool is_same(const struct ir_inst *a, const struct ir_inst *b)
{
    if (a->op != b->op || a->type != b->type || a->imm != b->imm || a->arg_count != b->arg_count) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (!is_same(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

// An array that comes to life again, in a loop or in a second call, may have the memory it had: nothing of it is kept.
// Not so in two blocks, which may run at a time.
static const struct lower_scratch *find_same(const struct lower *l, const struct object *object,
                                             const struct ir_param *param)
{
    for (const struct lower_scratch *s = l->scratch; s != NULL; s = s->next) {
        const struct ir_param *other = &l->b.function->params[s->param];
        bool is_one = s->object == object && s->block_key == l->block_key && other->rank == param->rank;
        for (int i = 0; is_one && i < param->rank; i++) {
            is_one = is_same(other->extents[i], param->extents[i]);
        }
        if (is_one) {
            return s;
        }
    }
    return NULL;
}

static int append(struct lower *l, struct ir_function *kernel, struct ir_param param)
{
    struct ir_param *params = ARENA_ARRAY(l->arena, struct ir_param, kernel->param_count + 1);
    for (int i = 0; i < kernel->param_count; i++) {
        params[i] = kernel->params[i];
    }
    params[kernel->param_count] = param;
    kernel->params = params;
    return kernel->param_count++;
}

static const struct lower_scratch *add_param(struct lower *l, const struct object *object, struct ir_param param)
{
    struct ir_function *kernel = l->b.function;
    struct lower_scratch *scratch = ARENA_NEW(l->arena, struct lower_scratch);
    *scratch = (struct lower_scratch){
        .next = l->scratch, .object = object, .block_key = l->block_key, .param = append(l, kernel, param)};
    l->scratch = scratch;
    l->scratch_count++;
    if (l->scratch_count == LOWER_MAX_SCRATCH + 1) {
        diag_error(l->diags, object->loc,
                   "kernel '%s' has more than %d arrays of its own, with those of the kernels it calls", kernel->name,
                   LOWER_MAX_SCRATCH);
    }
    return scratch;
}

static const struct type *element_of(const struct type *type)
{
    while (type->kind == TYPE_ARRAY) {
        type = type->base;
    }
    return type;
}

// The extents of the type, at the entry; what the declaration counts by is kept for the uses of the array.
static bool find_extents(struct lower *l, const struct type *type, struct ir_param *param)
{
    int rank = 0;
    for (const struct type *t = type; t->kind == TYPE_ARRAY; t = t->base) {
        rank++;
    }
    param->extents = ARENA_ARRAY(l->arena, struct ir_inst *, rank);
    param->rank = rank;
    for (const struct type *t = type; t->kind == TYPE_ARRAY; t = t->base) {
        struct ir_inst *count =
            t->length != TYPE_LENGTH_VARIABLE ? lower_int(l, IR_I64, t->length) : at_entry(l, l->frame, t->extent, 0);
        if (count == NULL) {
            return false;
        }
        param->extents[param->rank - rank--] = count;
    }
    return true;
}

static struct ir_inst *keep_extents(struct lower *l, const struct type *type, struct ir_inst **extents)
{
    if (type->kind != TYPE_ARRAY) {
        return lower_int(l, IR_I64, (int64_t)type->size);
    }
    struct ir_inst *row = keep_extents(l, type->base, extents + 1);
    struct ir_inst *size = lower_binary(l, IR_OP_MUL, IR_I64, extents[0], row);
    if (type->length == TYPE_LENGTH_VARIABLE) {
        struct lower_extent *extent = ARENA_NEW(l->arena, struct lower_extent);
        *extent = (struct lower_extent){.count = extents[0], .size = size};
        pointer_map_set(l->arena, &l->frame->extents, type->extent, extent);
    }
    return size;
}

static void refuse_extent(struct lower *l, const struct object *object)
{
    diag_error(l->diags, object->loc,
               "the length of '%s' must be made of the kernel's arguments, by integers and by variables that get their "
               "value where they are declared and never again",
               object->name);
    diag_note(l->diags, object->loc, "the launch lends the memory before anything runs; else pass it as an array");
}

// The instructions that follow go to the kernel's entry, behind what is there already.
static struct ir_builder go_to_entry(struct lower *l)
{
    struct ir_builder saved = l->b;
    struct ir_region *body = &l->b.function->body;
    l->b.region = body;
    l->b.before = l->entry_end != NULL ? l->entry_end->next : body->first;
    return saved;
}

static void leave_entry(struct lower *l, struct ir_builder saved)
{
    struct ir_inst *last = l->b.before != NULL ? l->b.before->prev : l->b.function->body.last;
    l->entry_end = last;
    l->b = saved;
}

bool lower_is_scratch(const struct lower *l, const struct object *object)
{
    if (object->kind != OBJECT_LOCAL || object->name == NULL || object->type->kind != TYPE_ARRAY ||
        !l->frame->info->function->is_kernel || l->b.function->kind != IR_FUNCTION_KERNEL) {
        return false;
    }
    return type_is_variable(object->type) || object->type->size > LOWER_MAX_LOCALS ||
           (object->type->size > LOWER_MAX_OUTER && l->scope == NULL);
}

static void check_place(struct lower *l, const struct object *object)
{
    const char *name = object->name;
    if (l->parallel_depth > 0) {
        diag_error(
            l->diags, object->loc,
            "'%s' belongs to an iteration of a loop under '#pragma rill parallel': its length must be a constant, of "
            "%d bytes at most; or declare it before the loop, with a part for each iteration",
            name, LOWER_MAX_LOCALS);
    }
    if (object->align > LOWER_SCRATCH_ALIGN) {
        diag_error(l->diags, object->loc, "'%s' asks for an alignment of %u: an array of this size has %d at most",
                   name, (unsigned)object->align, LOWER_SCRATCH_ALIGN);
    }
}

void lower_bind_scratch(struct lower *l, const struct object *object)
{
    check_place(l, object);
    const struct type *element = element_of(object->type);
    struct ir_param param = {.name = object->name,
                             .loc = object->loc,
                             .type = IR_PTR,
                             .ctype = lower_ctype(l, element),
                             .is_array = true,
                             .is_restrict = true,
                             .is_scratch = true};
    struct ir_builder saved = go_to_entry(l);
    lower_at(l, object->loc);
    if (!find_extents(l, object->type, &param)) {
        refuse_extent(l, object);
        param.rank = 1;
        param.extents[0] = lower_int(l, IR_I64, 1);
        lower_bind_extents(l, object->type, true);
    } else {
        keep_extents(l, object->type, param.extents);
    }
    for (int i = 0; i < param.rank; i++) {
        param.extents[i] = guarded(l, param.extents[i]);
    }
    leave_entry(l, saved);
    const struct lower_scratch *scratch = find_same(l, object, &param);
    if (scratch == NULL) {
        scratch = add_param(l, object, param);
    }
    struct lower_binding *binding = ARENA_NEW(l->arena, struct lower_binding);
    binding->kind = BIND_SCRATCH;
    binding->param = scratch->param;
    pointer_map_set(l->arena, &l->frame->bindings, object, binding);
}

struct ir_inst *lower_result_address(struct lower *l, const struct function *function)
{
    struct ir_param param = {.name = ".result",
                             .loc = function->loc,
                             .type = IR_PTR,
                             .ctype = lower_ctype(l, function->type->base),
                             .is_array = true,
                             .is_restrict = true,
                             .is_scratch = true,
                             .is_result = true,
                             .rank = 1};
    param.extents = ARENA_ARRAY(l->arena, struct ir_inst *, 1);
    param.extents[0] = lower_int(l, IR_I64, 1);
    struct ir_inst *address = ir_emit0(&l->b, IR_OP_PARAM, IR_PTR);
    address->imm = append(l, l->b.function, param);
    return address;
}
