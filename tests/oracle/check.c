// A kernel file on its way through the passes, with a look at every nest before and after.
#include "oracle.h"

#include "compiler/pipeline.h"
#include "ir/walk.h"

#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { MOST_PARAMS = 32, MOST_LOOKS = 1000, MOST_MS = 2000 };

struct look { // at one nest with one set of arguments
    isl_ctx *ctx;
    struct ir_function *kernel;
    int nest;
    int64_t arguments[MOST_PARAMS];
    int64_t places[MOST_PARAMS]; // of arrays, where they overlap
    int overlap;                 // 0: they do not
    struct storages storages;
    struct model before;
    struct model after;
};

static isl_ctx *volatile running;

static void stop_running(int number)
{
    (void)number;
    if (running != NULL) {
        isl_ctx_abort(running);
    }
}

// Counts the time that the process is busy: what else the machine does has no say.
void oracle_limit(isl_ctx *ctx, int milliseconds)
{
    if (ctx != NULL) {
        isl_ctx_resume(ctx);
    }
    running = ctx;
    struct itimerval timer = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

// ---- arguments -----------------------------------------------------------------------------------------------------

// Those that the file says it is run with, in their order.
static bool arguments_of_text(const char *text, const struct ir_function *kernel, int64_t *out)
{
    int at = 0;
    for (const char *line = strstr(text, "//@ "); line != NULL; line = strstr(line + 1, "\n//@ ")) {
        line += *line == '\n';
        bool is_argument = strncmp(line, "//@ buffer", 10) != 0;
        if (strncmp(line, "//@ int ", 8) == 0 && at < kernel->param_count && at < MOST_PARAMS) {
            out[at] = ir_normalize(kernel->params[at].type, strtoll(line + 8, NULL, 10));
        }
        at += is_argument;
    }
    return at == kernel->param_count;
}

// Equal ones, different ones, and large ones.
static void arguments_of_set(int set, const struct ir_function *kernel, int64_t *out)
{
    for (int i = 0; i < kernel->param_count; i++) {
        out[i] = set == 0 ? 17 : set == 1 ? 6 + i * 5 % 13 : 611 + i * 3;
        if (kernel->params[i].type == IR_I8) {
            out[i] %= 64;
        }
    }
}

// ---- looks ---------------------------------------------------------------------------------------------------------

struct looks {
    struct look *items[MOST_LOOKS];
    int count;
};

static struct extraction extraction_of(struct look *look)
{
    return (struct extraction){.ctx = look->ctx,
                               .kernel = look->kernel,
                               .arguments = look->arguments,
                               .places = look->overlap > 0 ? look->places : NULL,
                               .nest = look->nest,
                               .storages = &look->storages};
}

// Each array begins where the one before it has its last element, or has its middle.
static void place_arrays(struct look *look)
{
    struct walk walk = {.ctx = look->ctx, .kernel = look->kernel, .arguments = look->arguments};
    walk.domain = isl_set_universe(walk_space(&walk));
    walk.context = isl_set_universe(isl_space_params_alloc(look->ctx, 0));
    int64_t place = 0;
    for (int i = 0; i < look->kernel->param_count; i++) {
        const struct ir_param *param = &look->kernel->params[i];
        if (param->is_array) {
            int64_t size = value_size_of(&walk, param),
                    element = param->ctype != NULL ? (int64_t)param->ctype->size : 4;
            look->places[i] = place;
            place += look->overlap == 1 ? size - element : size / 2 / 8 * 8;
        }
    }
    isl_set_free(walk.domain);
    isl_set_free(walk.context);
}

static void look_before(struct looks *looks, struct ir_function *kernel, int nest, const int64_t *arguments,
                        int overlap)
{
    struct look *look = calloc(1, sizeof *look);
    look->ctx = isl_ctx_alloc();
    isl_options_set_on_error(look->ctx, ISL_ON_ERROR_CONTINUE);
    look->kernel = kernel;
    look->nest = nest;
    memcpy(look->arguments, arguments, sizeof look->arguments);
    look->overlap = overlap;
    place_arrays(look);
    struct extraction from = extraction_of(look);
    oracle_limit(look->ctx, MOST_MS);
    model_extract(&from, false, &look->before);
    oracle_limit(NULL, 0);
    looks->items[looks->count++] = look;
}

static void count_skipped(struct oracle *oracle, const struct look *look, const char *why, struct loc loc)
{
    struct oracle_counts *counts = &oracle->counts;
    if (oracle->says_skipped) {
        str_printf(oracle->findings.missed, "%s:%u: skipped: %s (%s)\n", oracle->findings.file, loc.line, why,
                   look->kernel->name);
    }
    for (int i = 0; i < ORACLE_REASONS; i++) {
        if (counts->skipped[i].why == NULL || strcmp(counts->skipped[i].why, why) == 0) {
            counts->skipped[i].why = why;
            counts->skipped[i].count++;
            return;
        }
    }
}

static bool is_reordered(const struct model *after)
{
    for (int i = 0; i < after->loop_count; i++) {
        if (after->loops[i].inst->loop->order != NULL) {
            return true;
        }
    }
    return false;
}

static bool is_partly(const struct storages *storages)
{
    for (int i = 0; i < storages->count; i++) {
        if (!storages->items[i].is_followed && storages->items[i].is_written) {
            return true;
        }
    }
    return false;
}

static void count_checked(struct oracle_counts *counts, const struct look *look, bool is_first)
{
    counts->checked_count += is_first;
    counts->reordered_count += is_first && is_reordered(&look->after);
    counts->partly_count += is_first && is_partly(&look->storages);
}

// Whether another order of the nest stands in the kernel, be it behind a test.
static bool is_touched(const struct look *look)
{
    WALK (inst, &look->kernel->body) {
        if (inst->op == IR_OP_FOR && inst->loop->order != NULL) {
            return true;
        }
    }
    return false;
}

static void compare(struct oracle *oracle, struct look *look, bool is_first)
{
    struct findings *findings = &oracle->findings;
    struct extraction from = extraction_of(look);
    if (look->overlap > 0 && !is_touched(look)) {
        return; // as in the source: nothing to compare
    }
    if (oracle->late == look->kernel && !is_first) {
        return; // other arguments would take as long
    }
    oracle_limit(look->ctx, MOST_MS);
    model_extract(&from, true, &look->after);
    const struct model *refused = look->before.refused != NULL ? &look->before : &look->after;
    if (refused->refused == NULL) {
        model_settle(&from, &look->before);
        model_settle(&from, &look->after);
        compare_order(&look->storages, &look->before, &look->after, findings);
        if (look->overlap == 0) { // what else the verdicts need apart is not looked at here
            check_verdicts(&look->storages, &look->after, findings);
        }
    }
    bool is_late = isl_ctx_aborted(look->ctx);
    oracle->late = is_late ? look->kernel : oracle->late;
    oracle_limit(NULL, 0);
    isl_ctx_resume(look->ctx);
    if (is_late || refused->refused != NULL) {
        if (is_first) {
            count_skipped(oracle, look, is_late ? "isl takes too long" : refused->refused, refused->refused_at);
        }
        return;
    }
    count_checked(&oracle->counts, look, is_first);
    if (is_first && findings->wants_schedule) {
        compare_schedule(look->ctx, &look->storages, &look->before, &look->after, findings);
    }
}

static void finish(struct look *look)
{
    model_finish(&look->before);
    model_finish(&look->after);
    isl_ctx_free(look->ctx);
    free(look);
}

// ---- files ---------------------------------------------------------------------------------------------------------

static int arrays_of(const struct ir_function *kernel)
{
    int count = 0;
    for (int i = 0; i < kernel->param_count; i++) {
        count += kernel->params[i].is_array && !kernel->params[i].is_restrict;
    }
    return count;
}

static void look_at_kernel(struct oracle *oracle, struct ir_module *module, struct ir_function *kernel,
                           const char *text, struct looks *looks)
{
    int64_t arguments[MOST_PARAMS] = {0};
    bool is_said = arguments_of_text(text, kernel, arguments);
    if (!is_said && strstr(text, "//@ ") != NULL) {
        return; // another kernel of the file is run
    }
    int nests = kernel->param_count <= MOST_PARAMS ? tags_add(module, kernel) : 0;
    oracle->counts.kernel_count++;
    oracle->counts.nest_count += nests;
    for (int set = 0; set < ORACLE_SETS; set++) {
        if (!is_said) {
            arguments_of_set(set, kernel, arguments);
        }
        for (int nest = 0; nest < nests && looks->count < MOST_LOOKS - ORACLE_OVERLAPS; nest++) {
            look_before(looks, kernel, nest, arguments, 0);
            for (int k = 1; k <= ORACLE_OVERLAPS && (is_said || set == ORACLE_SETS - 1) && arrays_of(kernel) > 1; k++) {
                look_before(looks, kernel, nest, arguments, k);
            }
        }
        if (is_said) {
            return;
        }
    }
}

static bool compile_before(const char *path, const char *text, struct arena *arena, struct diags *diags,
                           const struct pipeline_options *options, struct pipeline_result *out)
{
    if (strstr(text, "\nrill-ir ") != NULL) { // an example of a pass: the IR before it
        const char *behind = strstr(text, "; ---- behind");
        size_t length = behind != NULL ? (size_t)(behind - text) : strlen(text);
        *out =
            (struct pipeline_result){.module = ir_read(arena, diags, arena_printf(arena, "%.*s", (int)length, text))};
        return out->module != NULL;
    }
    struct pass_set before = pass_set_until(pass_find("split-locals", strlen("split-locals")));
    struct pipeline_options part = *options;
    part.passes = &before;
    pipeline_compile(arena, diags, path, text, strlen(text), &part, out);
    return out->module != NULL && diags->error_count == 0;
}

static void compile_after(struct ir_module *module, struct diags *diags, const struct pipeline_options *options)
{
    struct pass_set before = pass_set_until(pass_find("split-locals", strlen("split-locals")));
    struct pass_set after = pass_set_until(pass_find("effects", strlen("effects")));
    for (int i = 0; i < PASS_COUNT; i++) {
        after.has[i] &= !before.has[i];
    }
    struct pipeline_options part = *options;
    struct pipeline_result result;
    part.passes = &after;
    pipeline_run_passes(module, diags, &part, &result);
}

static void check_module(struct oracle *oracle, struct ir_module *module, struct diags *diags, const char *text,
                         const struct pipeline_options *options)
{
    struct looks looks = {.count = 0};
    int count = module->function_count;
    for (int i = 0; i < count; i++) {
        if (module->functions[i]->kind == IR_FUNCTION_KERNEL) {
            look_at_kernel(oracle, module, module->functions[i], text, &looks);
        }
    }
    compile_after(module, diags, options);
    for (int i = 0; i < count && oracle->spoil != NULL; i++) {
        if (module->functions[i]->kind == IR_FUNCTION_KERNEL) {
            oracle->is_spoilt |= oracle->spoil(module, module->functions[i]);
        }
    }
    for (int i = 0; i < looks.count; i++) {
        const struct look *look = looks.items[i];
        bool is_first = true; // of the sets of arguments
        for (int k = 0; k < i; k++) {
            is_first &= looks.items[k]->kernel != look->kernel || looks.items[k]->nest != look->nest;
        }
        compare(oracle, looks.items[i], is_first);
    }
    list_missed(&oracle->findings);
    for (int i = 0; i < looks.count; i++) {
        finish(looks.items[i]);
    }
}

bool oracle_check(struct oracle *oracle, const char *path, const char *text)
{
    struct arena arena;
    struct diags diags;
    struct pipeline_result result;
    struct pipeline_options options = {.contract = true, .is_gpu = oracle->is_gpu};
    struct sigaction action = {.sa_handler = stop_running, .sa_flags = SA_RESTART}, old;
    sigaction(SIGVTALRM, &action, &old);
    arena_init(&arena);
    diags_init(&diags, &arena);
    bool is_right = compile_before(path, text, &arena, &diags, &options, &result);
    if (is_right) {
        check_module(oracle, result.module, &diags, text, &options); // what the analysis calls an error it has judged
    }
    arena_finish(&arena);
    assert(running == NULL); // or a late signal would end the program
    sigaction(SIGVTALRM, &old, NULL);
    return is_right;
}

// ---- what the marks change -----------------------------------------------------------------------------------------

static void list_loops(const struct ir_module *module, struct str *out)
{
    for (int i = 0; i < module->function_count; i++) {
        const struct ir_function *kernel = module->functions[i];
        if (kernel->kind != IR_FUNCTION_KERNEL) {
            continue;
        }
        str_printf(out, "%s\n", kernel->name);
        WALK (inst, &kernel->body) {
            if (inst->op == IR_OP_FOR) {
                str_printf(out, "line %u: verdict %d, %d roles%s, step %lld: %s\n", inst->loc.line,
                           (int)inst->loop->verdict, inst->loop->role_count,
                           inst->loop->order != NULL ? ", another order" : "", (long long)inst->loop->step,
                           inst->loop->reason != NULL ? inst->loop->reason : "");
            }
        }
    }
}

void oracle_list_loops(const char *path, const char *text, bool with_marks, struct str *out)
{
    struct arena arena;
    struct diags diags;
    struct pipeline_result result;
    struct pipeline_options options = {.contract = true};
    arena_init(&arena);
    diags_init(&diags, &arena);
    if (compile_before(path, text, &arena, &diags, &options, &result)) {
        int count = result.module->function_count;
        for (int i = 0; i < count && with_marks; i++) {
            if (result.module->functions[i]->kind == IR_FUNCTION_KERNEL) {
                tags_add(result.module, result.module->functions[i]);
            }
        }
        compile_after(result.module, &diags, &options);
        list_loops(result.module, out);
    }
    arena_finish(&arena);
}
