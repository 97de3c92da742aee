// Helpers that are called rather than inlined, specialised by what their pointer arguments point to. The walk has
// looked at a helper's code anew for each call, so that effects and verdicts are those of the call. What is left is the
// code itself: an update that meets another iteration's in one call may be the iteration's own in another. Calls that
// differ in which updates are atomic get a copy of the helper each; calls that agree share one. Beyond MAX_VARIANTS
// copies of a helper in a kernel all its updates are atomic, which is slower and never wrong; so they are in a call
// that the walk did not look into.
#include "passes/analyse.h"
#include "passes/walk.h"

enum { MAX_VARIANTS = 8 };

struct variant { // a copy of a helper: the original with these updates atomic and these calls redirected
    struct ir_function *from;
    struct ir_function *function;
    struct ir_inst *const *atomics; // in the original's code
    int atomic_count;
    const struct call_context *model; // the first that wanted it: its children are the calls'
    bool is_all;                      // every update is atomic
};

struct specialise {
    struct analysis *an;
    VEC(struct variant) variants;
    struct ir_var **vars;    // of the copy being made, by the original's variable number
    struct ir_inst **values; // by the original's value number
};

static struct ir_function *variant_of_all(struct specialise *s, struct ir_function *from);

// ---- copying -------------------------------------------------------------------------------------------------------

static void copy_region(struct specialise *s, const struct ir_region *from, struct ir_builder to);

static struct ir_inst *copy_inst(struct specialise *s, struct ir_inst *inst, struct ir_builder *to)
{
    struct ir_inst **args = ARENA_ARRAY(s->an->arena, struct ir_inst *, inst->arg_count + 1);
    for (int i = 0; i < inst->arg_count; i++) {
        args[i] = s->values[inst->args[i]->id];
    }
    to->loc = inst->loc;
    struct ir_inst *made = ir_emit(to, inst->op, inst->type, inst->arg_count, args);
    struct ir_inst copy = *inst; // all that is said of it, in its new place
    copy.id = made->id;
    copy.args = made->args;
    copy.parent = made->parent;
    copy.prev = made->prev;
    copy.next = made->next;
    copy.loop = made->loop;
    copy.regions = made->regions;
    copy.region_count = made->region_count;
    copy.note = NULL;
    copy.var = inst->var != NULL ? s->vars[inst->var->index] : NULL;
    *made = copy;
    if (inst->id >= 0) {
        s->values[inst->id] = made;
    }
    inst->note = made; // where jumps to it, variables of its scope and redirected calls find the copy
    if (inst->op == IR_OP_FOR) {
        made->loop = ARENA_NEW(s->an->arena, struct ir_for);
        *made->loop = *inst->loop;
        made->loop->var = s->vars[inst->loop->var->index];
    }
    if (inst->region_count > 0) {
        ir_make_regions(s->an->module, made, inst->region_count);
        for (int i = 0; i < inst->region_count; i++) {
            struct ir_builder inner = *to;
            inner.region = &made->regions[i];
            made->regions[i].loc = inst->regions[i].loc;
            made->regions[i].in_order = inst->regions[i].in_order;
            copy_region(s, &inst->regions[i], inner);
        }
    }
    made->target = inst->target != NULL ? inst->target->note : NULL; // what is left encloses it: it has its copy
    return made;
}

static void copy_region(struct specialise *s, const struct ir_region *from, struct ir_builder to)
{
    for (struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        copy_inst(s, inst, &to);
    }
}

static void copy_vars(struct specialise *s, const struct ir_function *from, struct ir_function *to)
{
    s->vars = ARENA_ARRAY(s->an->arena, struct ir_var *, from->var_count + 1);
    for (int i = 0; i < from->var_count; i++) {
        struct ir_var *copy = ir_var_create(s->an->module, to, from->vars[i]->name, from->vars[i]->type);
        int index = copy->index;
        *copy = *from->vars[i];
        copy->index = index;
        s->vars[i] = copy;
    }
}

// Leaves the copy of each instruction in the original's |note|.
static struct ir_function *copy_function(struct specialise *s, struct ir_function *from)
{
    struct ir_module *module = s->an->module;
    const char *name = arena_printf(s->an->arena, "%s.%s.%d", s->an->kernel->name, from->name,
                                    s->variants.count); // no C name has a dot
    struct ir_function *to = ir_function_create(module, IR_FUNCTION_HELPER, name);
    to->loc = from->loc;
    to->return_type = from->return_type;
    to->return_ctype = from->return_ctype;
    to->params = from->params;
    to->param_count = from->param_count;
    to->may_fail = from->may_fail;
    copy_vars(s, from, to);
    s->values = ARENA_ARRAY(s->an->arena, struct ir_inst *, from->value_count + 1);
    copy_region(s, &from->body,
                (struct ir_builder){.module = module, .function = to, .region = &to->body, .loc = from->loc});
    for (int i = 0; i < to->var_count; i++) {
        to->vars[i]->scope = to->vars[i]->scope != NULL ? to->vars[i]->scope->note : NULL;
    }
    return to;
}

static bool forget_copy(struct ir_inst *inst, void *user)
{
    (void)user;
    inst->note = NULL;
    return true;
}

// ---- variants ------------------------------------------------------------------------------------------------------

static bool make_atomic(struct ir_inst *inst, void *user)
{
    if (inst->op == IR_OP_UPDATE) {
        inst->atomic = true;
    } else if (inst->op == IR_OP_CALL) {
        inst->function = variant_of_all(user, inst->function);
    }
    return true;
}

// The helper with every update atomic, in the helpers that it calls too.
static struct ir_function *variant_of_all(struct specialise *s, struct ir_function *from)
{
    for (int i = 0; i < s->variants.count; i++) {
        if (s->variants.items[i].from == from && s->variants.items[i].is_all) {
            return s->variants.items[i].function;
        }
    }
    struct variant variant = {.from = from, .function = copy_function(s, from), .is_all = true};
    walk_region(&from->body, forget_copy, NULL);
    VEC_PUSH(s->an->arena, &s->variants, variant);
    walk_region(&variant.function->body, make_atomic, s);
    return variant.function;
}

// The updates of the context's own code that must be atomic, each once, in the order of the walk.
static void find_atomics(const struct specialise *s, const struct call_context *context, struct variant *out)
{
    const struct access *accesses = s->an->accesses.items;
    int count = 0;
    for (int i = context->first_access; i >= 0; i = accesses[i].next_in_context) {
        count += accesses[i].is_atomic;
    }
    struct ir_inst **found = ARENA_ARRAY(s->an->arena, struct ir_inst *, count + 1);
    for (int i = context->first_access; i >= 0; i = accesses[i].next_in_context) {
        bool is_new = accesses[i].is_atomic;
        for (int k = 0; k < out->atomic_count && is_new; k++) {
            is_new = found[k] != accesses[i].inst;
        }
        if (is_new) {
            found[out->atomic_count++] = accesses[i].inst;
        }
    }
    out->atomics = found;
}

static bool is_same_variant(const struct variant *a, const struct variant *b)
{
    if (a->from != b->from || a->is_all || a->atomic_count != b->atomic_count) {
        return false;
    }
    for (int i = 0; i < a->atomic_count; i++) {
        if (a->atomics[i] != b->atomics[i]) {
            return false;
        }
    }
    const struct call_context *x = a->model->first_child, *y = b->model->first_child;
    while (x != NULL && y != NULL && x->call == y->call && x->variant == y->variant) {
        x = x->next;
        y = y->next;
    }
    return x == NULL && y == NULL;
}

static bool has_own_variants(const struct call_context *context)
{
    for (const struct call_context *child = context->first_child; child != NULL; child = child->next) {
        if (child->variant != child->call->function) {
            return true;
        }
    }
    return false;
}

// The code for the call; what it calls has its own already.
static struct ir_function *variant_for(struct specialise *s, const struct call_context *context)
{
    struct ir_function *from = context->call->function;
    if (!context->is_walked) {
        return variant_of_all(s, from);
    }
    struct variant variant = {.from = from, .model = context};
    find_atomics(s, context, &variant);
    if (variant.atomic_count == 0 && !has_own_variants(context)) {
        return from;
    }
    int count = 0;
    for (int i = 0; i < s->variants.count; i++) {
        if (is_same_variant(&s->variants.items[i], &variant)) {
            return s->variants.items[i].function;
        }
        count += s->variants.items[i].from == from;
    }
    if (count >= MAX_VARIANTS) {
        return variant_of_all(s, from);
    }
    variant.function = copy_function(s, from);
    for (int i = 0; i < variant.atomic_count; i++) {
        ((struct ir_inst *)variant.atomics[i]->note)->atomic = true;
    }
    for (const struct call_context *child = context->first_child; child != NULL; child = child->next) {
        ((struct ir_inst *)child->call->note)->function = child->variant;
    }
    walk_region(&from->body, forget_copy, NULL);
    VEC_PUSH(s->an->arena, &s->variants, variant);
    return variant.function;
}

static void chain_accesses(struct analysis *an)
{
    for (int i = 0; i < an->contexts.count; i++) {
        an->contexts.items[i]->first_access = -1;
    }
    for (int i = an->accesses.count - 1; i >= 0; i--) {
        struct access *access = &an->accesses.items[i];
        access->next_in_context = -1;
        if (access->context != NULL) {
            access->next_in_context = access->context->first_access;
            access->context->first_access = i;
        }
    }
}

void specialise_calls(struct analysis *an)
{
    struct specialise s = {.an = an};
    if (an->bug == BUG_CALLS_PLAIN) {
        return;
    }
    chain_accesses(an);
    for (int i = an->contexts.count - 1; i >= 0; i--) { // what is called before its callers
        an->contexts.items[i]->variant = variant_for(&s, an->contexts.items[i]);
    }
    for (int i = 0; i < an->contexts.count; i++) {
        if (an->contexts.items[i]->caller == NULL) {
            an->contexts.items[i]->call->function = an->contexts.items[i]->variant;
        }
    }
}
