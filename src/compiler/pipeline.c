#include "compiler/pipeline.h"

#include "lang/ast.h"
#include "lower/lower.h"

#include <assert.h>

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

static bool is_wanted(const struct pipeline_options *options, int row)
{
    return options->passes == NULL || options->passes->has[row];
}

static void run_on_functions(const struct pass *pass, struct ir_module *module, struct diags *diags)
{
    assert(pass->scope == PASS_KERNELS || pass->scope == PASS_FUNCTIONS);
    int function_count = module->function_count;
    for (int i = 0; i < function_count; i++) {
        enum ir_function_kind kind = module->functions[i]->kind;
        if (kind == IR_FUNCTION_KERNEL || (kind == IR_FUNCTION_HELPER && pass->scope == PASS_FUNCTIONS)) {
            pass->run.on_function(module, module->functions[i], diags);
        }
    }
}

// The passes before the plan, one after the other, each over the whole module. False after errors.
static bool run_passes(struct ir_module *module, const struct pipeline_options *options, struct diags *diags)
{
    for (int row = 0; row < PASS_COUNT; row++) {
        const struct pass *pass = &pass_list[row];
        assert(row == 0 || pass_list[row - 1].scope != PASS_PLAN || pass->scope == PASS_PLAN); // those are the last
        if (pass->scope == PASS_LOWER || pass->scope == PASS_PLAN || !is_wanted(options, row)) {
            continue;
        }
        if (pass->scope == PASS_MODULE) {
            pass->run.on_module(module);
        } else {
            run_on_functions(pass, module, diags);
        }
        if (diags->error_count > 0 || !is_well_formed(options, module, pass->name, diags)) {
            return false;
        }
    }
    return true;
}

// How many of the passes to the plan are asked for.
static int plan_passes_wanted(const struct pipeline_options *options)
{
    int count = 0;
    for (int row = 0; row < PASS_COUNT; row++) {
        count += pass_list[row].scope == PASS_PLAN && is_wanted(options, row);
    }
    return count;
}

static void plan_kernel(struct offload *offload, const struct pipeline_options *options, bool is_complete)
{
    for (int row = 0; row < PASS_COUNT; row++) {
        if (pass_list[row].scope == PASS_PLAN && is_wanted(options, row)) {
            pass_list[row].run.on_plan(offload);
        }
    }
    if (is_complete) {
        offload_finish(offload);
    }
}

// The passes from the kernel to its plan, kernel by kernel, so that what is said about one stands together. They go on
// after errors: each is about something else.
static struct plan_module *make_plan(struct ir_module *module, const struct pipeline_options *options,
                                     struct diags *diags, struct pipeline_result *result)
{
    struct plan_module *plan = offload_module(module);
    int function_count = module->function_count; // tasks are added behind
    bool is_complete = plan_passes_wanted(options) == plan_passes_wanted(&(struct pipeline_options){0});
    result->kernels = ARENA_ARRAY(module->arena, struct offload *, function_count + 1);
    for (int i = 0; i < function_count; i++) {
        if (module->functions[i]->kind == IR_FUNCTION_KERNEL) {
            struct offload *offload = offload_create(module, module->functions[i], plan, diags);
            assert(result->kernel_count < function_count);
            result->kernels[result->kernel_count++] = offload;
            plan_kernel(offload, options, is_complete);
        }
    }
    if (diags->error_count > 0 || !is_well_formed(options, module, "offload", diags) || !is_complete) {
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
    module->check_races = options->check_races;
    name_files(module, diags);
    if (is_well_formed(options, module, "lower", diags)) {
        pipeline_run_passes(module, diags, options, out_result);
    }
}

void pipeline_run_passes(struct ir_module *module, struct diags *diags, const struct pipeline_options *options,
                         struct pipeline_result *out_result)
{
    *out_result = (struct pipeline_result){.module = module};
    module->is_gpu = options->is_gpu;
    module->has_short_strips = options->verify;
    module->never_whole = options->never_whole;
    if (run_passes(module, options, diags) && plan_passes_wanted(options) > 0) {
        out_result->plan = make_plan(module, options, diags, out_result);
    }
}
