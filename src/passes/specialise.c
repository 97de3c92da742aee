// Helpers that are called rather than inlined, specialised by what their pointer arguments point to. The walk has
// looked at a helper's code anew for each call, so that effects and verdicts are those of the call. What is left is the
// code itself: an update that meets another iteration's in one call may be the iteration's own in another. Calls that
// differ in which updates are atomic get a copy of the helper each; calls that agree share one. Beyond MAX_VARIANTS
// copies of a helper in a kernel all its updates are atomic, which is slower and never wrong; so they are in a call
// that the walk did not look into.
//
// A task in which such an update is a reduction calls code made for that task alone: the update goes to memory of the
// iteration that the call hands over.
#include "passes/specialise.h"
#include "ir/clone.h"
#include "ir/walk.h"

#include <assert.h>

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
};

static struct ir_function *variant_of_all(struct specialise *s, struct ir_function *from);

// Leaves the copy of each instruction in the original's |note|.
static struct ir_function *copy_function(struct specialise *s, struct ir_function *from)
{
    const char *name = arena_printf(s->an->arena, "%s.%s.%d", s->an->kernel->name, from->name,
                                    s->variants.count); // no C name has a dot
    return clone_helper(s->an->module, from, name);
}

// ---- variants ------------------------------------------------------------------------------------------------------

static bool make_atomic(struct ir_inst *inst, void *user)
{
    if (inst->op == IR_OP_UPDATE) {
        inst->atomic = !inst->is_packed; // loops that share those run in order
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
    clone_forget(from);
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
        if (child->variant != child->callee) {
            return true;
        }
    }
    return false;
}

// The code for the call; what it calls has its own already.
static struct ir_function *variant_for(struct specialise *s, const struct call_context *context)
{
    assert(context->callee->kind == IR_FUNCTION_HELPER);
    struct ir_function *from = context->callee;
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
    clone_forget(from);
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
    if (analysis_has_bug(an, BUG_CALLS_PLAIN)) {
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

// ---- reductions ----------------------------------------------------------------------------------------------------

struct reduced { // the code of one call in a task
    struct specialise s;
    const struct reduced_target *targets;
    int target_count;
    int param_count; // that are added: one for each accumulator
    const char *name;
    int made_count;
};

static const struct reduced_target *target_of(const struct reduced *r, const struct call_context *context,
                                              const struct ir_inst *inst)
{
    for (int i = 0; i < r->target_count; i++) {
        const struct reduced_update *update = r->targets[i].update;
        if (update->context == context && (inst == NULL || update->inst == inst)) {
            return &r->targets[i];
        }
    }
    return NULL;
}

static bool holds_target(const struct reduced *r, const struct call_context *context)
{
    bool holds = target_of(r, context, NULL) != NULL;
    for (const struct call_context *child = context->first_child; child != NULL && !holds; child = child->next) {
        holds = holds_target(r, child);
    }
    return holds;
}

static void add_params(const struct reduced *r, const struct ir_function *from, struct ir_function *to)
{
    to->param_count = from->param_count + r->param_count;
    to->params = ARENA_ARRAY(r->s.an->arena, struct ir_param, to->param_count);
    for (int i = 0; i < to->param_count; i++) {
        to->params[i] = i < from->param_count
                            ? from->params[i]
                            : (struct ir_param){.name = ".sum", .loc = from->loc, .type = IR_PTR, .is_array = true};
    }
}

static struct ir_inst *added_param(struct ir_builder *b, const struct ir_function *from, int number)
{
    struct ir_inst *param = ir_emit0(b, IR_OP_PARAM, IR_PTR);
    param->imm = from->param_count + number;
    return param;
}

// The copy of an update goes to the accumulator, and says there that it ran.
static void redirect_update(struct reduced *r, const struct ir_function *from, struct ir_function *to,
                            const struct reduced_target *target)
{
    struct ir_inst *copy = target->update->inst->note;
    struct ir_builder b = {.module = r->s.an->module, .function = to, .region = copy->parent, .before = copy};
    b.loc = copy->loc;
    copy->args[0] = added_param(&b, from, target->number);
    copy->atomic = false;
    copy->base = 0;
    if (target->flag_offset > 0) {
        struct ir_inst *flag = ir_emit1(&b, IR_OP_OFFSET, IR_PTR, copy->args[0]);
        flag->imm = target->flag_offset;
        ir_emit(&b, IR_OP_STORE, IR_I32, 2, (struct ir_inst *[2]){flag, ir_const(&b, IR_I32, 1)});
    }
}

static struct ir_function *reduced_code(struct reduced *r, const struct call_context *context);

static void redirect_call(struct reduced *r, const struct ir_function *from, struct ir_function *to,
                          const struct call_context *child)
{
    struct ir_inst *copy = child->call->note;
    if (!holds_target(r, child)) {
        copy->function = child->variant;
        return;
    }
    struct ir_builder b = {.module = r->s.an->module, .function = to, .region = copy->parent, .before = copy};
    b.loc = copy->loc;
    copy->function = reduced_code(r, child);
    struct ir_inst **args = ARENA_ARRAY(r->s.an->arena, struct ir_inst *, copy->arg_count + r->param_count);
    memcpy(args, copy->args, sizeof *args * (size_t)copy->arg_count);
    for (int i = 0; i < r->param_count; i++) {
        args[copy->arg_count + i] = added_param(&b, from, i);
    }
    copy->args = args;
    copy->arg_count += r->param_count;
}

// No helper calls itself, so that the notes of this one stay while those that it calls are copied.
static struct ir_function *reduced_code(struct reduced *r, const struct call_context *context)
{
    struct ir_function *from = context->callee;
    struct variant variant = {.from = from, .model = context};
    struct ir_function *to = copy_function(&r->s, from);
    to->name = arena_printf(r->s.an->arena, "%s.%s.%d", r->name, from->name, r->made_count++);
    add_params(r, from, to);
    find_atomics(&r->s, context, &variant);
    for (int i = 0; i < variant.atomic_count; i++) {
        ((struct ir_inst *)variant.atomics[i]->note)->atomic = true;
    }
    for (int i = 0; i < r->target_count; i++) {
        if (r->targets[i].update->context == context) {
            redirect_update(r, from, to, &r->targets[i]);
        }
    }
    for (const struct call_context *child = context->first_child; child != NULL; child = child->next) {
        redirect_call(r, from, to, child);
    }
    clone_forget(from);
    return to;
}

struct ir_function *specialise_reduced(struct analysis *an, const struct call_context *context,
                                       const struct reduced_call *call)
{
    struct reduced r = {.s = {.an = an},
                        .targets = call->targets,
                        .target_count = call->target_count,
                        .param_count = call->param_count,
                        .name = call->name};
    return reduced_code(&r, context);
}
