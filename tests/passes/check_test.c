// The check pass, shown by the interpreter: what reaches out of an array is found, with the words that every back end
// has too, and what stays inside computes what it computed before.
#include "lower_case.h"
#include "passes/check.h"
#include "reach.h"

static void lower_reach(struct lower_case *c, const char *source, bool calls_helpers)
{
    arena_init(&c->arena);
    diags_init(&c->diags, &c->arena);
    struct preprocess_options options = {0};
    struct token_list tokens = {0};
    preprocess(&c->arena, &c->diags, "reach.c", source, strlen(source), &options, &tokens);
    struct unit *unit = parse_unit(&c->arena, &c->diags, &tokens);
    struct lower_options lower = {.check_bounds = true, .inline_weight = calls_helpers ? 1 : 0};
    c->module = unit != NULL ? lower_unit(&c->arena, &c->diags, unit, &lower) : NULL;
    if (c->module == NULL || c->diags.error_count > 0) {
        FAIL("%s", case_errors(c));
        test_leave(NULL);
    }
    case_promote(c);
    check_module(c->module);
    REQUIRE(case_verify(c, "reach.c"));
}

// ---- the forms -----------------------------------------------------------------------------------------------------

enum { ROOM = 64 }; // elements around each array

struct memory {
    int a[REACH_N + 2 * ROOM], b[REACH_N * REACH_M + 2 * ROOM], p[REACH_P + 2 * ROOM];
    struct reach_pair s[REACH_S + 2 * ROOM];
};

static void fill_memory(struct memory *m)
{
    memset(m, 0x33, sizeof *m);
    for (int i = 0; i < REACH_P; i++) {
        m->p[ROOM + i] = i % 3;
        m->a[ROOM + i] = 0;
    }
}

static bool is_clean(const struct memory *m)
{
    static struct memory kept;
    kept = *m;
    struct memory fresh;
    fill_memory(&fresh);
    memcpy(kept.a + ROOM, fresh.a + ROOM, sizeof(int) * REACH_N);
    memcpy(kept.b + ROOM, fresh.b + ROOM, sizeof(int) * REACH_N * REACH_M);
    memcpy(kept.p + ROOM, fresh.p + ROOM, sizeof(int) * REACH_P);
    memcpy(kept.s + ROOM, fresh.s + ROOM, sizeof *kept.s * REACH_S);
    return memcmp(&kept, &fresh, sizeof kept) == 0;
}

static enum interp_outcome run(struct interp *interp, const struct ir_function *kernel, int64_t k, struct memory *m)
{
    fill_memory(m);
    struct interp_arg args[9] = {{.i = REACH_N},     {.i = REACH_M},     {.p = m->a + ROOM},
                                 {.p = m->b + ROOM}, {.p = m->p + ROOM}, {.p = m->s + ROOM},
                                 {.i = k},           {.i = REACH_P},     {.i = REACH_S}};
    CHECK_INT(kernel->param_count, 9); // p and s are counted
    return interp_kernel(interp, kernel, args, NULL);
}

static void run_form(struct interp *interp, const struct ir_function *kernel, const char *source,
                     const struct reach_form *form)
{
    static struct memory m;
    if (run(interp, kernel, form->good, &m) != INTERP_DONE || !is_clean(&m)) {
        FAIL("%s stays inside", form->name);
    }
    bool is_done = run(interp, kernel, form->bad, &m) == INTERP_DONE;
    if (form->array == NULL || is_done) {
        if (!is_done || form->array != NULL || !is_clean(&m)) {
            FAIL("%s: %s", form->name, is_done ? "is not found" : "stays inside");
        }
        return;
    }
    const struct interp_failure *f = interp_failure(interp);
    bool is_right = f->kind == INTERP_BOUNDS && f->array != NULL && strcmp(f->array, form->array) == 0 &&
                    f->extent == form->extent && (form->index == REACH_ANY || f->index == form->index) &&
                    (int)f->loc.line == reach_line(source, form);
    if (!is_right || !is_clean(&m)) {
        FAIL("%s: line %d: index %lld of '%s' is out of range [0, %lld)%s", form->name, (int)f->loc.line,
             (long long)f->index, f->array != NULL ? f->array : "?", (long long)f->extent,
             is_clean(&m) ? "" : ", and it was written");
    }
}

static void run_forms(bool calls_helpers)
{
    static char source[32768];
    reach_source(source, sizeof source);
    struct lower_case c;
    lower_reach(&c, source, calls_helpers);
    struct interp *interp = interp_create(c.module, &(struct interp_options){0});
    REQUIRE(interp != NULL);
    int found = 0;
    for (int i = 0; i < c.module->function_count; i++) {
        for (int k = 0; k < REACH_COUNT; k++) {
            const struct ir_function *kernel = c.module->functions[i];
            if (kernel->kind == IR_FUNCTION_KERNEL && strcmp(kernel->name, reach_forms[k].name) == 0) {
                interp_reset_globals(interp);
                run_form(interp, kernel, source, &reach_forms[k]);
                found++;
            }
        }
    }
    CHECK_INT(found, REACH_COUNT);
    interp_destroy(interp);
    arena_finish(&c.arena);
}

TEST(interpreter_finds_every_way_out_of_an_array)
{
    run_forms(false);
}

TEST(interpreter_finds_every_way_out_of_an_array_in_helpers_that_are_called)
{
    run_forms(true);
}

TEST(checks_and_counted_parameters_print_and_read_back)
{
    static char source[32768];
    reach_source(source, sizeof source);
    struct lower_case c;
    lower_reach(&c, source, true);
    struct str text, again;
    str_init(&text, &c.arena);
    str_init(&again, &c.arena);
    ir_print(c.module, &text);
    struct ir_module *read = ir_read(&c.arena, &c.diags, str_text(&text));
    REQUIRE(read != NULL);
    ir_print(read, &again);
    CHECK_STR(str_text(&again), str_text(&text));
    CHECK_CONTAINS(str_text(&text), " counts 4");
    arena_finish(&c.arena);
}

// Counts are arguments too, of which 4,000 bytes fit.
TEST(counts_never_take_the_room_of_a_kernel_s_own_arguments)
{
    static const struct {
        int size; // of the struct that goes before three pointers
        int count;
    } cases[] = {{3952, 3}, {3953, 2}, {3960, 2}, {3968, 1}, {3976, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char source[400];
        snprintf(source, sizeof source,
                 "struct big { char b[%d]; };\n"
                 "__rill_kernel__ void f(struct big s, int *a, int *b, int *c)\n"
                 "{ for (int i = 0; i < 4; i++) { a[i] = s.b[i]; b[i] = c[i]; } }\n",
                 cases[i].size);
        struct lower_case c;
        lower_reach(&c, source, false);
        int counts = 0;
        for (int p = 0; p < c.module->functions[0]->param_count; p++) {
            counts += c.module->functions[0]->params[p].counts > 0;
        }
        CHECK_INT(counts, cases[i].count);
        arena_finish(&c.arena);
    }
}

// ---- what stays inside ---------------------------------------------------------------------------------------------

static void run_checked(const char *path, const char *name)
{
    for (int calls_helpers = 0; calls_helpers < 2; calls_helpers++) {
        struct lower_case c;
        case_lower(&c, path, &(struct lower_options){.check_bounds = true, .inline_weight = calls_helpers});
        if (c.module == NULL) {
            FAIL("%s: %s", name, case_errors(&c));
            arena_finish(&c.arena);
            return;
        }
        case_promote(&c);
        check_module(c.module);
        case_run_as_gcc(&c, path, name);
        arena_finish(&c.arena);
    }
}

TEST(checked_kernels_compute_what_gcc_computes)
{
    CHECK(case_for_each("lower_run", run_checked) > 0);
}

// There is no list of arguments to copy: UndefinedBehaviorSanitizer looks.
TEST(helpers_without_arguments_are_called)
{
    static const char source[] =
        "#include <rill/kernel.h>\n"
        "static int sum(void) { int s = 0; for (int i = 0; i < 9; i++) { s += i; } return s; }\n"
        "kernel void f(int n, int x[n]) { for (int i = 0; i < n; i++) { x[i] = sum(); } }\n";
    struct lower_case c;
    lower_reach(&c, source, true);
    struct interp_options options = {0};
    struct interp *interp = interp_create(c.module, &options);
    int x[4] = {0};
    struct interp_arg args[2] = {{.i = 4}, {.p = x}};
    for (int i = 0; i < c.module->function_count; i++) {
        const struct ir_function *kernel = c.module->functions[i];
        if (kernel->kind == IR_FUNCTION_KERNEL) {
            CHECK_INT(interp_kernel(interp, kernel, args, NULL), INTERP_DONE);
        }
    }
    CHECK_INT(x[3], 36);
    interp_destroy(interp);
    arena_finish(&c.arena);
}
