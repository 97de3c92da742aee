// What the plan says of a kernel's parameters and loops, and the warning of loops that end up on one thread.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/trip.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>
#include <string.h>

static const char *role_text(const struct ir_scalar_role *role)
{
    switch (role->role) {
    case IR_ROLE_PRIVATE: return "private";
    case IR_ROLE_LAST_VALUE: return "keeps its last value";
    case IR_ROLE_REDUCTION: return "reduction";
    case IR_ROLE_SELECTION: return "selection";
    default: return "chosen with the selection";
    }
}

// The roles of the scalars, for people and as OpenMP's clauses.
static void describe_roles(struct offload *o, const struct ir_for *from, struct plan_loop *loop)
{
    struct str notes;
    struct str clauses;
    str_init(&notes, o->arena);
    str_init(&clauses, o->arena);
    for (int i = 0; i < from->role_count; i++) {
        const struct ir_scalar_role *role = &from->roles[i];
        if (role->var->name[0] == '.') {
            continue; // the compiler's own
        }
        str_printf(&notes, "%s'%s' %s", notes.length > 0 ? ", " : "", role->var->name, role_text(role));
        if (role->role == IR_ROLE_REDUCTION) {
            str_printf(&notes, " %s", ir_update_name(role->update));
            str_printf(&clauses, " reduction(%s:%s)", ir_update_operator(role->update), role->var->name);
        } else {
            const char *clause = role->role == IR_ROLE_PRIVATE ? "private" : "lastprivate";
            str_printf(&clauses, " %s(%s)", clause, role->var->name);
        }
    }
    loop->notes = notes.length > 0 ? str_text(&notes) : NULL;
    loop->clauses = clauses.length > 0 ? str_text(&clauses) : NULL;
}

// Whether the trip count is a small constant.
static bool is_short(const struct offload *o, const struct ir_inst *inst)
{
    enum { FEW = 64 };
    int64_t first, bound;
    if (!plan_expr_is_const(expr_of_value(o->arena, inst->args[0]), &first) ||
        !plan_expr_is_const(expr_of_value(o->arena, inst->args[1]), &bound)) {
        return false;
    }
    struct ir_trip trip = trip_of(inst->loop);
    return trip_count(&trip, first, bound) <= FEW;
}

// Whether the order of this loop needs no warning, though that of a loop inside it may: the author asked for
// the order, or it is short.
static bool is_no_matter(const struct offload *o, const struct ir_inst *inst)
{
    return inst->op == IR_OP_FOR && (inst->loop->pragma_serial || is_short(o, inst));
}

// Whether the author asked for one thread.
static bool is_meant(const struct offload *o, const struct ir_inst *inst)
{
    return o->kernel->pragma_single ||
           (inst->op == IR_OP_FOR && (inst->loop->pragma_single || inst->loop->is_fallback));
}

static bool is_no_counted_loop(struct ir_inst *inst, void *user)
{
    const struct offload *o = user;
    return inst->op != IR_OP_FOR || is_meant(o, inst) || is_no_matter(o, inst);
}

// A `while`, or a loop over k *= 2, has to run in order whatever is in it. A counted loop inside is the one that might
// be parallel, so that the warning is about that one.
static bool is_frame(struct offload *o, const struct ir_inst *inst)
{
    return inst->op == IR_OP_LOOP && !walk_region(&inst->regions[0], is_no_counted_loop, o);
}

// Kernels that others call are looked at again in each of those.
static bool was_told(const struct diags *diags, struct loc loc, const char *text)
{
    for (int i = 0; i < diags->count; i++) {
        const struct diag *diag = &diags->items[i];
        if (diag->severity == DIAG_WARNING && diag->loc.file == loc.file && diag->loc.line == loc.line &&
            diag->loc.column == loc.column && strncmp(diag->text, text, strlen(text)) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_of_arguments(const struct plan_expr *expr)
{
    bool is_leaf = expr->kind == PLAN_EXPR_CONST || expr->kind == PLAN_EXPR_PARAM;
    if (!is_leaf && expr->kind != PLAN_EXPR_OP && expr->kind != PLAN_EXPR_TRIP) {
        return false;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (!is_of_arguments(expr->args[i])) {
            return false;
        }
    }
    return true;
}

// How many operations the loop is, where the launch can tell by its arguments.
static struct plan_expr *work_of(struct offload *o, const struct ir_inst *inst)
{
    const struct loop_facts *facts = inst->op == IR_OP_FOR ? inst->loop->analysis : NULL;
    if (facts == NULL || facts->trip == NULL || !is_of_arguments(facts->trip)) {
        return NULL;
    }
    bool is_known = facts->plain_cost != NULL && is_of_arguments(facts->plain_cost);
    struct plan_expr *cost = is_known ? facts->plain_cost : plan_const(o->arena, IR_I64, 1);
    return plan_op(o->arena, IR_OP_MUL, IR_I64, IR_I64, facts->trip, cost);
}

static void note_advice(struct offload *o, const struct ir_inst *inst, const struct plan_loop *loop)
{
    switch (loop->advice) {
    case PLAN_ADVICE_NONE: break;
    case PLAN_ADVICE_ANY_ORDER:
        diag_note(o->diags, inst->loc, "'#pragma rill parallel' before the loop says that any order will do");
        break;
    case PLAN_ADVICE_APART:
        diag_note(o->diags, inst->loc, "'#pragma rill parallel' before the loop says that no two iterations share '%s'",
                  loop->advice_place);
        break;
    case PLAN_ADVICE_EXCHANGE:
        diag_note(o->diags, inst->loc,
                  "if any order will do, 'rill_atomic_exchange(&%s, …)' returns the old value as it stores the new one",
                  loop->advice_place);
        break;
    }
}

static void warn_of_one_thread(struct offload *o, const struct ir_inst *inst, struct plan_loop *loop)
{
    static const char words[] = "this loop runs in order, on one thread";
    bool is_taken_along = loop->inside_task && loop->verdict != IR_VERDICT_IN_ORDER; // too small for a task of its own
    if (is_meant(o, inst) || is_no_matter(o, inst) || is_taken_along) {
        return;
    }
    const struct loop_facts *facts = inst->op == IR_OP_FOR ? inst->loop->analysis : NULL;
    loop->is_told = true;
    loop->advice = facts != NULL ? facts->advice : PLAN_ADVICE_NONE;
    loop->advice_place = facts != NULL ? facts->advice_place : NULL;
    loop->work = work_of(o, inst);
    if (was_told(o->diags, inst->loc, words)) {
        return;
    }
    diag_warning(o->diags, inst->loc, "%s%s%s", words, loop->reason != NULL ? ": " : "",
                 loop->reason != NULL ? loop->reason : "");
    if (loop->loc_a.line != 0) {
        diag_note(o->diags, loop->loc_a, "here");
    }
    if (loop->loc_b.line != 0 && loop->loc_b.line != loop->loc_a.line) {
        diag_note(o->diags, loop->loc_b, "and here");
    }
    note_advice(o, inst, loop);
}

// Every iteration would have been a fragment of one task; now each forks and joins, one after the other.
static void warn_of_blocks(struct offload *o, const struct ir_inst *inst)
{
    static const char words[] = "this loop runs in order, because stream_parallel blocks stand in it";
    const struct loop_facts *facts = inst->op == IR_OP_FOR ? inst->loop->analysis : NULL;
    if (facts == NULL || !facts->parallel_but_for_blocks || is_no_matter(o, inst) ||
        was_told(o->diags, inst->loc, words)) {
        return;
    }
    diag_warning(o->diags, inst->loc, "%s; without them its iterations would run in parallel", words);
    diag_note(
        o->diags, inst->loc,
        "write a loop in each block, 'stream_parallel { for (…) … }', or no blocks; '#pragma rill serial' before the "
        "loop says that its order is meant");
}

// A loop that is no task is mapped otherwise than its pragma says.
static void warn_of_map(struct offload *o, struct ir_inst *inst, const struct plan_loop *loop)
{
    static const char words[] = "'#pragma rill map' is not followed";
    if (inst->op != IR_OP_FOR || inst->loop->map == IR_MAP_ANY || inst->loop->carries ||
        offload_note(o, inst)->is_chosen || was_told(o->diags, inst->loc, words)) {
        return;
    }
    bool is_in_order = loop->verdict == IR_VERDICT_IN_ORDER;
    diag_warning(o->diags, inst->loc, "%s: %s%s", words,
                 is_in_order ? "the loop runs in order: " : "a loop around it is the task",
                 !is_in_order || loop->reason == NULL ? "" : loop->reason);
}

static void describe_loop(struct offload *o, struct ir_inst *inst, int depth, bool inside_task)
{
    assert(offload_note(o, inst)->loop_index < 0); // each loop once
    struct plan_loop loop = {.loc = inst->loc, .depth = depth, .task = -1, .inside_task = inside_task};
    loop.verdict = IR_VERDICT_IN_ORDER;
    loop.reason = inst->op == IR_OP_FOR ? inst->loop->reason : inst->text;
    if (inst->op == IR_OP_FOR) {
        loop.verdict = inst->loop->verdict == IR_VERDICT_NONE ? IR_VERDICT_IN_ORDER : inst->loop->verdict;
        loop.loc_a = inst->loop->reason_loc_a;
        loop.loc_b = inst->loop->reason_loc_b;
        loop.fusion = inst->loop->order;
        describe_roles(o, inst->loop, &loop);
    }
    offload_note(o, inst)->loop_index = o->loops.count;
    VEC_PUSH(o->arena, &o->loops, loop);
}

// Of the two loops of a search, whether it is the one around its chunks.
static bool has_chunks(const struct ir_inst *loop)
{
    WALK (inst, &loop->regions[0]) {
        if (inst->op == IR_OP_FOR && inst->loop->is_search) {
            return true;
        }
    }
    return false;
}

// |is_told|: no warning is due here, because a loop around it is a parallel task or was warned of, or one thread was
// asked for. Of a nest that ends up on one thread the outermost loop that matters is warned of.
static void describe_region(struct offload *o, struct ir_region *region, int depth, bool inside_task, bool is_told)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_LOOP && inst->text != NULL &&
            (strcmp(inst->text, IR_REASON_WRAPS) == 0 || strcmp(inst->text, IR_REASON_STEP) == 0)) {
            continue; // the loop is described where it does not wrap
        }
        if (inst->op == IR_OP_LOOP && inst->text != NULL && strcmp(inst->text, IR_REASON_SEARCH) == 0) {
            // Described as the loop of its chunks; what it leaves to the source's is an iteration or two.
            if (has_chunks(inst)) {
                describe_region(o, &inst->regions[0], depth, inside_task, is_told);
            }
            continue;
        }
        if (inst->op == IR_OP_FOR && inst->loop->is_fallback) {
            continue; // described in the order in which it runs as a rule
        }
        bool is_loop = inst->op == IR_OP_FOR || inst->op == IR_OP_LOOP;
        bool is_task = inst->op == IR_OP_FOR && offload_note(o, inst)->is_chosen;
        bool is_code = inst->region_count > 0 && !offload_note(o, inst)->has_task;
        if (is_loop) {
            describe_loop(o, inst, depth, inside_task);
        }
        if (is_loop) {
            warn_of_blocks(o, inst);
            warn_of_map(o, inst, &o->loops.items[o->loops.count - 1]);
        }
        bool warns = is_loop && is_code && !is_frame(o, inst);
        if (warns && !is_told) {
            warn_of_one_thread(o, inst, &o->loops.items[o->loops.count - 1]);
        }
        bool tells = is_task || (warns && (is_meant(o, inst) || !is_no_matter(o, inst)));
        for (int i = 0; i < inst->region_count; i++) {
            describe_region(o, &inst->regions[i], depth + is_loop, inside_task || is_task || is_code, is_told || tells);
        }
    }
}

void describe_loops(struct offload *o)
{
    describe_region(o, &o->kernel->body, 0, false, false);
}

void describe_signature(struct offload *o)
{
    const struct ir_function *kernel = o->kernel;
    struct plan_kernel *out = o->out;
    out->param_count = kernel->param_count;
    out->params = ARENA_ARRAY(o->arena, struct plan_param, kernel->param_count);
    for (int i = 0; i < kernel->param_count; i++) {
        const struct ir_param *from = &kernel->params[i];
        struct plan_param *to = &out->params[i];
        *to = (struct plan_param){.name = from->name,
                                  .type = from->type,
                                  .is_array = from->is_array,
                                  .is_struct = from->is_struct,
                                  .is_const = from->is_const,
                                  .is_restrict = from->is_restrict,
                                  .ctype = from->ctype,
                                  .rank = from->rank,
                                  .counts = from->counts,
                                  .is_scratch = from->is_scratch,
                                  .is_result = from->is_result,
                                  .loc = from->loc};
        out->hidden_count += from->counts > 0 || from->is_scratch;
        to->extents = ARENA_ARRAY(o->arena, struct plan_expr *, from->rank);
        for (int k = 0; k < from->rank; k++) {
            to->extents[k] = expr_of_value(o->arena, from->extents[k]);
        }
        uint64_t size = from->is_struct ? from->ctype->size : (uint64_t)ir_type_size(from->type);
        uint64_t align = from->is_struct ? from->ctype->align : size;
        to->offset = (out->args_size + align - 1) & ~(align - 1);
        out->args_size = to->offset + size;
    }
    if (out->args_size > ABI_MAX_ARGS_SIZE) {
        diag_error(o->diags, kernel->loc, "the arguments of kernel '%s' take %llu bytes; at most %d fit: pass an array",
                   kernel->name, (unsigned long long)out->args_size, ABI_MAX_ARGS_SIZE);
    }
}

void describe_params(struct offload *o)
{
    if (o->kernel->return_type != IR_VOID) {
        o->result = ir_var_create(o->module, o->kernel, ".result", o->kernel->return_type);
    }
    describe_signature(o);
}
