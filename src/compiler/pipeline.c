#include "compiler/pipeline.h"

#include "analysis/facts.h"
#include "lang/ast.h"
#include "lower/lower.h"
#include "offload/offload.h"
#include "passes/atomics.h"
#include "passes/check.h"
#include "passes/demote.h"
#include "passes/promote.h"
#include "passes/split_locals.h"
#include "passes/switches.h"

// A pass over one kernel. The order below is the order they run in; each leaves the IR well formed.
struct pass {
    const char *name;
    void (*run)(struct ir_module *module, struct ir_function *kernel, struct diags *diags);
    bool takes_helpers;                         // those that are called, too
    void (*run_once)(struct ir_module *module); // instead: over the whole module
};

static void run_switches(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)diags;
    switches_to_branches(module, kernel);
}

static void run_promote(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)diags;
    promote_function(module, kernel);
}

static void run_demote(struct ir_module *module, struct ir_function *kernel, struct diags *diags)
{
    (void)diags;
    demote_function(module, kernel);
}

static void run_check(struct ir_module *module)
{
    if (module->check_bounds) {
        check_module(module);
    }
}

static const struct pass passes[] = {
    {"switches", run_switches, false, NULL},     // those that hold loops become branches
    {"promote", run_promote, true, NULL},        // locals that need no address become scalars
    {"check", NULL, false, run_check},           // where bounds are checked: accesses through pointers
    {"split locals", split_locals, false, NULL}, // each stream_parallel block gets its own
    {"demote", run_demote, false, NULL},         // values that cross from one piece to another become variables
    {"analyse", analyse_loops, false, NULL},     // loops: independence, roles of scalars
    {"atomics", atomics_set, false, NULL},       // updates that several iterations or blocks make
    {"effects", analyse_effects, false, NULL},   // loops: what they touch, what they cost
};

static bool is_well_formed(const struct pipeline_options *options, const struct ir_module *module, const char *pass,
                           struct diags *diags)
{
    if (!options->verify) {
        return true;
    }
    struct str why;
    str_init(&why, diags->arena);
    if (ir_verify(module, &why)) {
        return true;
    }
    diag_error(diags, (struct loc){0},
               "a fault of Rill's own, please report it: after '%s' the IR is not well formed: %s", pass,
               str_text(&why));
    return false;
}

static bool run_passes(struct ir_module *module, const struct pipeline_options *options, struct diags *diags)
{
    int function_count = module->function_count;
    for (size_t p = 0; p < sizeof passes / sizeof passes[0]; p++) {
        if (passes[p].run_once != NULL) {
            passes[p].run_once(module);
        }
        for (int i = 0; passes[p].run != NULL && i < function_count; i++) {
            enum ir_function_kind kind = module->functions[i]->kind;
            if (kind == IR_FUNCTION_KERNEL || (kind == IR_FUNCTION_HELPER && passes[p].takes_helpers)) {
                passes[p].run(module, module->functions[i], diags);
            }
        }
        if (diags->error_count > 0 || !is_well_formed(options, module, passes[p].name, diags)) {
            return false;
        }
    }
    return true;
}

// Kernels that call each other nest what each of them nests.
static void check_depth(const struct plan_module *plan, const struct ir_function *kernel, struct diags *diags)
{
    int depth = plan->kernel_count > 0 ? plan_depth(plan->kernels[plan->kernel_count - 1]->root) : 0;
    if (depth > PLAN_MAX_DEPTH) {
        diag_error(diags, kernel->loc,
                   "control of kernel '%s' is nested %d levels deep with that of the kernels it calls; at most %d are "
                   "possible",
                   kernel->name, depth, PLAN_MAX_DEPTH);
    }
}

static struct plan_module *make_plan(struct ir_module *module, const struct pipeline_options *options,
                                     struct diags *diags)
{
    struct plan_module *plan = offload_module(module);
    int function_count = module->function_count; // tasks are added behind
    for (int i = 0; i < function_count; i++) {
        if (module->functions[i]->kind == IR_FUNCTION_KERNEL) {
            offload_kernel(module, module->functions[i], plan, diags);
            check_depth(plan, module->functions[i], diags);
        }
    }
    if (diags->error_count > 0 || !is_well_formed(options, module, "offload", diags)) {
        return NULL;
    }
    struct str why;
    str_init(&why, diags->arena);
    if (options->verify && !plan_verify(plan, &why)) {
        diag_error(diags, (struct loc){0}, "a fault of Rill's own, please report it: the plan is not valid: %s",
                   str_text(&why));
        return NULL;
    }
    return plan;
}

static void name_files(struct ir_module *module, const struct diags *diags)
{
    module->files = ARENA_ARRAY(module->arena, const char *, diags->file_count);
    module->file_count = diags->file_count;
    for (int i = 0; i < diags->file_count; i++) {
        module->files[i] = diags->files[i]->path;
    }
}

void pipeline_compile(struct arena *arena, struct diags *diags, const char *path, const char *text, size_t length,
                      const struct pipeline_options *options, struct pipeline_result *out_result)
{
    *out_result = (struct pipeline_result){0};
    struct token_list tokens = {0};
    preprocess(arena, diags, path, text, length, &options->preprocess, &tokens);
    struct unit *unit = parse_unit(arena, diags, &tokens);
    if (unit == NULL || diags->error_count > 0) {
        return;
    }
    struct lower_options lower = {.contract = options->contract, .check_bounds = options->check_bounds};
    lower.inline_weight = options->calls_helpers ? 1 : 0;
    struct ir_module *module = lower_unit(arena, diags, unit, &lower);
    if (diags->error_count > 0) {
        return;
    }
    module->check_bounds = options->check_bounds;
    module->is_gpu = options->is_gpu;
    module->has_short_strips = options->verify;
    module->never_whole = options->never_whole;
    name_files(module, diags);
    if (!is_well_formed(options, module, "lower", diags)) {
        return;
    }
    out_result->module = module;
    if (run_passes(module, options, diags)) {
        out_result->plan = make_plan(module, options, diags);
    }
}
