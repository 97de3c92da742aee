#include "differ_internal.h"

#include "compiler/pipeline.h"
#include "lang/ast.h"
#include "lower/lower.h"
#include "plan_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_LIMIT = 400 * 1000 * 1000, MAX_SHOWN = 6 };

struct printed {
    char *text;
    size_t length;
    size_t capacity;
};

// One file on its way through all the checks.
struct run {
    struct differ *differ;
    struct differ_case *c;
    struct str *why;
    const struct ir_module *lowered;
    struct pipeline_result made;
    const struct ir_function *kernel; // as lowered
    size_t image_size;
    unsigned char *expected;
    unsigned char *actual;
    struct printed expected_print;
};

// ---- images: all buffers, then all fields, then 8 bytes of the returned value
// ------------------------------------------------------------------------------------------------------------------

static size_t buffers_size(const struct differ_case *c)
{
    size_t size = 0;
    for (int i = 0; i < c->buffer_count; i++) {
        size += (size_t)c->buffers[i].count * (size_t)c->buffers[i].type->size;
    }
    return size;
}

static size_t fields_size(const struct ir_module *module)
{
    size_t size = 0;
    for (int i = 0; i < module->global_count; i++) {
        size += module->globals[i]->is_const ? 0 : module->globals[i]->size;
    }
    return size;
}

static void take_buffers(const struct run *r, unsigned char *to)
{
    for (int i = 0; i < r->c->buffer_count; i++) {
        const struct differ_buffer *b = &r->c->buffers[i];
        memcpy(to, b->now, (size_t)b->count * (size_t)b->type->size);
        to += (size_t)b->count * (size_t)b->type->size;
    }
}

static void take_returned(const struct run *r, unsigned char *to, union ir_value value)
{
    enum ir_type type = r->kernel->return_type;
    float f32 = (float)value.f;
    memset(to + r->image_size - 8, 0, 8);
    if (type == IR_F32) {
        memcpy(to + r->image_size - 8, &f32, sizeof f32);
    } else if (type != IR_VOID) {
        memcpy(to + r->image_size - 8, &value, (size_t)ir_type_size(type)); // little-endian
    }
}

static bool same_element(const unsigned char *a, const unsigned char *b, int size, bool is_float)
{
    if (memcmp(a, b, (size_t)size) == 0) {
        return true;
    }
    float fa;
    float fb;
    double da;
    double db;
    memcpy(&fa, a, sizeof fa);
    memcpy(&fb, b, sizeof fb);
    memcpy(&da, a, size == 8 ? 8 : 0);
    memcpy(&db, b, size == 8 ? 8 : 0);
    return is_float && (size == 4 ? isnan(fa) && isnan(fb) : isnan(da) && isnan(db));
}

static void show_element(struct str *out, const unsigned char *at, int size, bool is_float)
{
    int64_t i = 0;
    float f32 = 0;
    double f64 = 0;
    memcpy(&i, at, (size_t)size);
    memcpy(&f32, at, 4);
    memcpy(&f64, at, size == 8 ? 8 : 0);
    if (is_float) {
        str_printf(out, "%.9g", size == 4 ? (double)f32 : f64);
    } else {
        str_printf(out, "%lld", (long long)(size == 8 ? i : (i << (64 - 8 * size)) >> (64 - 8 * size)));
    }
}

static bool compare_piece(struct run *r, const char *name, size_t at, size_t size, int element, bool is_float)
{
    int wrong = 0;
    for (size_t k = 0; k + (size_t)element <= size; k += (size_t)element) {
        const unsigned char *a = r->expected + at + k;
        const unsigned char *b = r->actual + at + k;
        if (same_element(a, b, element, is_float)) {
            continue;
        }
        if (wrong++ < MAX_SHOWN) {
            str_printf(r->why, "  %s[%zu] is ", name, k / (size_t)element);
            show_element(r->why, b, element, is_float);
            str_add(r->why, ", expected ");
            show_element(r->why, a, element, is_float);
            str_add(r->why, "\n");
        }
    }
    if (wrong > MAX_SHOWN) {
        str_printf(r->why, "  ... %d of %zu in %s\n", wrong, size / (size_t)element, name);
    }
    return wrong == 0;
}

static const struct ir_ctype *leaf_of(const struct ir_ctype *type)
{
    while (type != NULL && type->kind == IR_CTYPE_ARRAY) {
        type = type->element;
    }
    return type;
}

static bool compare(struct run *r, const char *who)
{
    size_t start = r->why->length;
    str_printf(r->why, "%s differs from the kernel as lowered:\n", who);
    size_t at = 0;
    bool ok = true;
    for (int i = 0; i < r->c->buffer_count; i++) {
        const struct differ_buffer *b = &r->c->buffers[i];
        size_t size = (size_t)b->count * (size_t)b->type->size;
        ok = compare_piece(r, b->name, at, size, b->type->size, b->type->is_float) && ok;
        at += size;
    }
    for (int i = 0; i < r->lowered->global_count; i++) {
        const struct ir_global *global = r->lowered->globals[i];
        if (!global->is_const) {
            const struct ir_ctype *leaf = leaf_of(global->ctype);
            bool is_scalar = leaf != NULL && leaf->kind == IR_CTYPE_SCALAR;
            ok = compare_piece(r, global->name, at, global->size, is_scalar ? (int)leaf->size : 1,
                               is_scalar && ir_type_is_float(leaf->scalar)) &&
                 ok;
            at += global->size;
        }
    }
    enum ir_type type = r->kernel->return_type;
    if (type != IR_VOID) {
        ok = compare_piece(r, "return", at, (size_t)ir_type_size(type), ir_type_size(type), ir_type_is_float(type)) &&
             ok;
    }
    if (ok) {
        r->why->length = start;
        r->why->text[start] = '\0';
    }
    return ok;
}

// ---- the meaning
// -------------------------------------------------------------------------------------------------------------------

static void take_print(void *user, int64_t iteration, const char *text, size_t length)
{
    (void)iteration;
    struct printed *p = user;
    if (p->length + length + 1 > p->capacity) {
        p->capacity = 2 * (p->length + length + 64);
        p->text = realloc(p->text, p->capacity);
    }
    memcpy(p->text + p->length, text, length);
    p->length += length;
}

static void take_context_print(void *user, const char *text, size_t length)
{
    take_print(user, 0, text, length);
}

static struct ir_module *lower(struct run *r)
{
    struct arena *arena = &r->c->arena;
    struct diags diags;
    diags_init(&diags, arena);
    struct preprocess_options options = {0};
    struct token_list tokens = {0};
    preprocess(arena, &diags, "generated.c", r->c->text, strlen(r->c->text), &options, &tokens);
    struct unit *unit = parse_unit(arena, &diags, &tokens);
    struct ir_module *module = NULL;
    if (unit != NULL && diags.error_count == 0) {
        struct lower_options lower_options = {.contract = false};
        module = lower_unit(arena, &diags, unit, &lower_options);
    }
    if (diags.error_count > 0) {
        str_add(r->why, "refused by the front end or lowering:\n");
        diags_render_all(&diags, false, r->why);
        return NULL;
    }
    return module;
}

static const struct ir_function *last_kernel(const struct ir_module *module)
{
    for (int i = module->function_count - 1; i >= 0; i--) {
        if (module->functions[i]->kind == IR_FUNCTION_KERNEL) {
            return module->functions[i];
        }
    }
    return NULL;
}

static void make_args(const struct run *r, struct interp_arg *args, uint64_t *sizes)
{
    for (int i = 0; i < r->c->arg_count; i++) {
        const struct differ_arg *arg = &r->c->args[i];
        const struct differ_buffer *b = &r->c->buffers[arg->buffer];
        switch (arg->kind) {
        case DIFFER_INT: args[i].i = arg->i; break;
        case DIFFER_FLOAT: args[i].f = arg->f; break;
        case DIFFER_STRUCT: args[i].p = b->now; break;
        case DIFFER_ARRAY:
            args[i].p = b->now + arg->offset * (uint64_t)b->type->size;
            sizes[i] = arg->count * (uint64_t)b->type->size;
            break;
        }
    }
}

static bool interpret(struct run *r, const struct ir_module *module, const struct ir_function *kernel,
                      unsigned char *to, struct printed *print, uint64_t poison)
{
    struct interp_arg args[DIFFER_MAX] = {0};
    uint64_t sizes[DIFFER_MAX] = {0};
    differ_case_reset(r->c);
    make_args(r, args, sizes);
    struct interp_options options = {
        .check_bounds = true, .step_limit = STEP_LIMIT, .poison = poison, .print = take_print, .user = print};
    struct interp *interp = interp_create(module, &options);
    union ir_value returned = {0};
    enum interp_outcome outcome = interp_kernel(interp, kernel, args, &returned);
    if (outcome != INTERP_DONE) {
        const struct interp_failure *f = outcome == INTERP_FAILED ? interp_failure(interp) : NULL;
        str_printf(r->why, "the interpreter of kernel %s gave %d: %s, line %u, array %s, index %lld of %lld\n",
                   kernel->name, (int)outcome, f != NULL ? f->text : "-", f != NULL ? f->loc.line : 0,
                   f != NULL && f->array != NULL ? f->array : "-", f != NULL ? (long long)f->index : 0,
                   f != NULL ? (long long)f->extent : 0);
    } else {
        take_buffers(r, to);
        unsigned char *at = to + buffers_size(r->c);
        for (int i = 0; i < module->global_count; i++) {
            if (!module->globals[i]->is_const) {
                memcpy(at, interp_global_address(interp, module->globals[i]), module->globals[i]->size);
                at += module->globals[i]->size;
            }
        }
        take_returned(r, to, returned);
    }
    interp_destroy(interp);
    return outcome == INTERP_DONE;
}

// Without its own arrays, which the interpreter has memory for.
static int given_count(const struct ir_function *kernel)
{
    int count = 0;
    for (int i = 0; kernel != NULL && i < kernel->param_count; i++) {
        count += !kernel->params[i].is_scratch;
    }
    return count;
}

static bool find_meaning(struct run *r)
{
    r->lowered = lower(r);
    if (r->lowered == NULL) {
        return false;
    }
    r->kernel = last_kernel(r->lowered);
    if (r->kernel == NULL || given_count(r->kernel) != r->c->arg_count) {
        str_printf(r->why, "no kernel, or it has %d parameters and not %d\n", given_count(r->kernel), r->c->arg_count);
        return false;
    }
    r->image_size = buffers_size(r->c) + fields_size(r->lowered) + 8;
    r->expected = calloc(1, r->image_size + 8);
    r->actual = calloc(1, r->image_size + 8);
    struct printed dropped = {0};
    bool ok = interpret(r, r->lowered, r->kernel, r->expected, &r->expected_print, 77) &&
              interpret(r, r->lowered, r->kernel, r->actual, &dropped, 78) &&
              compare(r, "the same kernel with other garbage in its locals"); // nothing uninitialised is read
    free(dropped.text);
    return ok;
}

// ---- the passes and the plan
// ------------------------------------------------------------------------------------------------------------------

static void count_plan(struct differ_stats *stats, const struct plan_kernel *kernel)
{
    for (int i = 0; i < kernel->loop_count; i++) {
        const char *fusion = kernel->loops[i].fusion;
        stats->verdict_counts[kernel->loops[i].verdict]++;
        stats->fused_count += fusion != NULL && strncmp(fusion, "fused", 5) == 0;
    }
    for (int i = 0; i < kernel->task_count; i++) {
        const struct plan_task *task = &kernel->tasks[i];
        stats->task_count++;
        stats->parallel_count += task->kind == PLAN_TASK_PARALLEL;
        stats->reduction_count += task->partial_size != 0;
        stats->copied_count += task->copy_count > 0;
        stats->pair_count += task->pair_count;
        stats->condition_count += task->condition_count;
    }
}

static void count_nodes(struct differ_stats *stats, const struct plan_node *node)
{
    stats->region_count += node->kind == PLAN_REGION;
    stats->conflict_count += node->conflict_count;
    for (int i = 0; i < node->child_count; i++) {
        count_nodes(stats, node->children[i]);
    }
}

static bool compile(struct run *r)
{
    struct diags diags;
    diags_init(&diags, &r->c->arena);
    struct pipeline_options options = {.verify = !r->differ->plans_long_runs, .contract = false};
    options.calls_helpers = r->differ->calls_helpers;
    options.never_whole = !r->differ->plans_whole; // small loops, too, task by task
    options.is_gpu = r->differ->plans_for_gpu;
    pipeline_compile(&r->c->arena, &diags, "generated.c", r->c->text, strlen(r->c->text), &options, &r->made);
    if (diags.error_count == 0 && r->made.plan != NULL) {
        return true;
    }
    r->differ->stats.refused_count++;
    str_add(r->why, "refused by the passes:\n");
    diags_render_all(&diags, false, r->why);
    return false;
}

static bool check_ir_text(struct run *r)
{
    struct str first;
    struct str second;
    str_init(&first, &r->c->arena);
    str_init(&second, &r->c->arena);
    ir_print(r->made.module, &first);
    struct diags diags;
    diags_init(&diags, &r->c->arena);
    struct ir_module *again = ir_read(&r->c->arena, &diags, str_text(&first));
    if (again == NULL) {
        str_add(r->why, "the printed IR does not read back:\n");
        diags_render_all(&diags, false, r->why);
        return false;
    }
    ir_print(again, &second);
    if (first.length != second.length || memcmp(first.text, second.text, first.length) != 0) {
        str_add(r->why, "the IR printed, read and printed again is another text\n");
        return false;
    }
    return true;
}

static struct plan_module *check_plan_bytes(struct run *r)
{
    struct str first;
    struct str second;
    str_init(&first, &r->c->arena);
    str_init(&second, &r->c->arena);
    plan_write(r->made.plan, &first);
    struct plan_module *again = NULL;
    rill_status status = plan_read(&r->c->arena, first.text, first.length, &again);
    if (status != RILL_OK) {
        str_printf(r->why, "the plan does not read back: %s\n", rill_message());
        return NULL;
    }
    plan_write(again, &second);
    if (first.length != second.length || memcmp(first.text, second.text, first.length) != 0) {
        str_add(r->why, "the plan written, read and written again has other bytes\n");
        return NULL;
    }
    return again;
}

static const struct plan_kernel *find_plan(const struct plan_module *plan, const char *name)
{
    for (int i = 0; i < plan->kernel_count; i++) {
        if (strcmp(plan->kernels[i]->name, name) == 0) {
            return plan->kernels[i];
        }
    }
    return NULL;
}

static bool run_plan(struct run *r, const struct plan_module *plan, const char *who, struct plan_run_options *options)
{
    struct interp_arg args[DIFFER_MAX] = {0};
    uint64_t sizes[DIFFER_MAX] = {0};
    differ_case_reset(r->c);
    make_args(r, args, sizes);
    memset(r->actual, 0, r->image_size);
    options->poison = 1234567 + options->seed;
    options->step_limit = STEP_LIMIT;
    options->out_fields = r->actual + buffers_size(r->c);
    struct plan_run_result result;
    struct str wrong;
    str_init(&wrong, &r->c->arena);
    plan_run(r->made.module, plan, find_plan(plan, r->kernel->name), args, sizes, options, &result, &wrong);
    r->differ->stats.in_order_run_count += result.in_order_count;
    bool ok = true;
    if (wrong.length > 0) {
        str_printf(r->why, "%s: %s", who, str_text(&wrong));
        ok = false;
    }
    if (result.outcome != INTERP_DONE) {
        str_printf(r->why, "%s: the interpreter gave %d: %s, line %u\n", who, (int)result.outcome,
                   result.failure.text != NULL ? result.failure.text : "-", result.failure.loc.line);
        return false;
    }
    take_buffers(r, r->actual);
    take_returned(r, r->actual, result.returned);
    return compare(r, who) && ok;
}

static bool check_plan(struct run *r)
{
    const struct plan_module *plan = check_plan_bytes(r);
    if (plan == NULL || !check_ir_text(r)) {
        return false;
    }
    const struct plan_kernel *kernel = find_plan(plan, r->kernel->name);
    count_plan(&r->differ->stats, kernel);
    count_nodes(&r->differ->stats, kernel->root);
    for (int i = 0; i < kernel->loop_count; i++) {
        if (kernel->loops[i].verdict > IR_VERDICT_SCATTER && strstr(r->c->text, "\n// nobody gives his word") != NULL) {
            str_printf(r->why, "independent by the word of the author, who gave none: the loop in line %d\n",
                       (int)kernel->loops[i].loc.line);
            return false;
        }
    }
    struct printed dropped = {0};
    bool ok = interpret(r, r->made.module, last_kernel(r->made.module), r->actual, &dropped, 79) &&
              compare(r, "the kernel after the passes");
    free(dropped.text);
    struct plan_run_options forward = {.order = INTERP_FORWARD, .seed = 1};
    struct plan_run_options backward = {.order = INTERP_BACKWARD, .seed = 2, .chunk = 3};
    struct plan_run_options seeded = {.order = INTERP_SEEDED, .seed = 3};
    struct plan_run_options in_order = {.order = INTERP_FORWARD, .seed = 4, .force_in_order = true};
    ok = run_plan(r, plan, "the plan, forward,", &forward) && ok;
    ok = ok && run_plan(r, plan, "the plan, backward,", &backward);
    ok = ok && run_plan(r, plan, "the plan, in any order,", &seeded);
    ok = run_plan(r, plan, "the plan, everything in order,", &in_order) && ok;
    return ok;
}

// ---- the CPU
// ----------------------------------------------------------------------------------------------------------------------

static void make_rill_args(const struct run *r, rill_arg *args)
{
    for (int i = 0; i < r->c->arg_count; i++) {
        const struct differ_arg *arg = &r->c->args[i];
        const struct differ_buffer *b = &r->c->buffers[arg->buffer];
        const struct ir_param *param = &r->kernel->params[i];
        switch (arg->kind) {
        case DIFFER_INT: args[i] = rill_arg_int(arg->i); break;
        case DIFFER_FLOAT: args[i] = rill_arg_float(arg->f); break;
        case DIFFER_STRUCT: args[i] = rill_arg_struct(b->now, param->ctype->size); break;
        case DIFFER_ARRAY: {
            uint64_t element = param->ctype->size;
            args[i] = rill_arg_memory(RILL_ARG_HOST, b->type->type, b->now + arg->offset * (uint64_t)b->type->size,
                                      arg->count * (uint64_t)b->type->size / element, element);
            break;
        }
        }
    }
}

static bool read_fields(struct run *r, rill_module module, rill_stream stream, unsigned char *to)
{
    for (int i = 0; i < r->lowered->global_count; i++) {
        const struct ir_global *global = r->lowered->globals[i];
        if (global->is_const) {
            continue;
        }
        if (rill_field_read(module, global->name, stream, to, global->size) != RILL_OK) {
            return false;
        }
        to += global->size;
    }
    return true;
}

static bool launch(struct run *r, rill_context context, rill_module module)
{
    rill_kernel kernel = {0};
    rill_arg args[DIFFER_MAX];
    unsigned char returned[8] = {0};
    differ_case_reset(r->c);
    make_rill_args(r, args);
    memset(r->actual, 0, r->image_size);
    rill_stream stream = rill_default_stream(context);
    size_t size = r->kernel->return_type != IR_VOID ? (size_t)ir_type_size(r->kernel->return_type) : 0;
    rill_args list = {.items = args, .count = (size_t)r->c->arg_count};
    if (rill_module_kernel(module, r->kernel->name, &kernel) != RILL_OK ||
        rill_call(kernel, stream, list, size > 0 ? returned : NULL, size) != RILL_OK ||
        !read_fields(r, module, stream, r->actual + buffers_size(r->c))) {
        return false;
    }
    take_buffers(r, r->actual);
    memcpy(r->actual + r->image_size - 8, returned, 8);
    return true;
}

static bool check_context(struct run *r, int index)
{
    static const char *const who[] = {"the CPU with 1 thread", "the CPU with 2 threads, task by task,",
                                      "the CPU with 7 threads"};
    const char *device = index + 1 == DIFFER_CONTEXTS ? getenv("RILL_TEST_DEVICE") : NULL;
    const char *name = device != NULL ? device : who[index];
    struct printed *print = r->differ->printed[index];
    print->length = 0;
    rill_context context = r->differ->contexts[index];
    rill_module_options options = {.path = "generated.c", .contract_off = true};
    rill_module module = {0};
    bool ok = rill_module_create(context, r->c->text, &options, &module) == RILL_OK && launch(r, context, module);
    if (!ok) {
        str_printf(r->why, "%s: %s\n", name, rill_message());
    } else {
        ok = compare(r, name);
    }
    if (ok && (print->length != r->expected_print.length ||
               (print->length > 0 && memcmp(print->text, r->expected_print.text, print->length) != 0))) {
        str_printf(r->why, "%s: printed\n%.*s\nexpected\n%.*s\n", name, (int)print->length, print->text,
                   (int)r->expected_print.length, r->expected_print.text);
        ok = false;
    }
    if (module.id != 0 && rill_module_destroy(module) != RILL_OK) {
        str_printf(r->why, "%s: the module cannot be destroyed: %s\n", name, rill_message());
        ok = false;
    }
    return ok;
}

static void drop_log(void *user, rill_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

bool differ_open(struct differ *differ, const char *compiler_library)
{
    static const int counts[DIFFER_CONTEXTS] = {1, 2, 7};
    setenv("RILL_COMPILER", compiler_library, 0);
    for (int i = 0; i < DIFFER_CONTEXTS; i++) {
        differ->printed[i] = calloc(1, sizeof(struct printed));
        rill_open_options options = {
            .log = drop_log, .print = take_context_print, .print_user = differ->printed[i], .thread_count = counts[i]};
        const char *device = i + 1 == DIFFER_CONTEXTS ? getenv("RILL_TEST_DEVICE") : NULL;
        if (rill_open(device != NULL ? device : "cpu", &options, &differ->contexts[i]) != RILL_OK) {
            return false;
        }
    }
    return true;
}

void differ_close(struct differ *differ)
{
    for (int i = 0; i < DIFFER_CONTEXTS; i++) {
        rill_auto_context(&differ->contexts[i]);
        struct printed *print = differ->printed[i];
        free(print != NULL ? print->text : NULL);
        free(print);
    }
}

// ---- all of it
// --------------------------------------------------------------------------------------------------------------------

static bool check_gcc(struct run *r)
{
    struct differ_gcc_job job = {
        .kernel = r->kernel, .module = r->lowered, .out = r->actual, .out_size = r->image_size};
    bool ran = false;
    memset(r->actual, 0, r->image_size);
    if (!differ_gcc_run(r->differ, r->c, &job, &ran, r->why)) {
        return false;
    }
    r->differ->stats.gcc_count += ran;
    return !ran || compare(r, "gcc's build");
}

static bool is_left_out(const struct differ *differ, int index)
{
    return differ->skip_cpu || (differ->only_device && index + 1 < DIFFER_CONTEXTS) ||
           (differ->is_quick && index == (differ->stats.file_count % 2 == 0 ? 0 : 2));
}

// The compiler that the contexts load shall inline what was inlined here. In the second context, and in the third for
// every other file, small loops run task by task: else none of those tasks would ever run as code.
static void choose_ways(const struct differ *differ, int index)
{
    if (index == 1 || (index == 2 && !differ->is_quick && differ->stats.file_count % 2 == 0)) {
        setenv("RILL_VERIFY", differ->calls_helpers ? "calls,parts" : "parts", 1);
    } else if (differ->calls_helpers) {
        setenv("RILL_VERIFY", "calls", 1);
    } else {
        unsetenv("RILL_VERIFY");
    }
}

bool differ_check(struct differ *differ, const char *text, struct str *out_why)
{
    struct differ_case c;
    struct run r = {.differ = differ, .c = &c, .why = out_why};
    differ->stats.file_count++;
    bool ok = differ_case_read(&c, text, out_why) && find_meaning(&r);
    ok = ok && (!differ->use_gcc || check_gcc(&r));
    ok = ok && compile(&r) && check_plan(&r);
    for (int i = 0; ok && i < DIFFER_CONTEXTS; i++) {
        choose_ways(differ, i);
        ok = is_left_out(differ, i) || check_context(&r, i);
    }
    free(r.expected);
    free(r.actual);
    free(r.expected_print.text);
    differ_case_finish(&c);
    return ok;
}
