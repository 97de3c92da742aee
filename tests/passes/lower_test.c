#include "lower_case.h"

static void check_ir(const char *path, const char *name)
{
    struct lower_case c;
    struct lower_options options = {.contract = strstr(name, "contract") != NULL};
    case_lower(&c, path, &options);
    if (c.module == NULL) {
        FAIL("%s: %s", name, case_errors(&c));
    } else if (case_verify(&c, name)) {
        case_compare(path, ".ir", case_plain_ir(&c));
    }
    arena_finish(&c.arena);
}

TEST(every_construct_lowers_to_the_ir_beside_it)
{
    CHECK(case_for_each("lower_ir", check_ir) > 0);
}

static void check_refusal(const char *path, const char *name)
{
    struct lower_case c;
    case_lower(&c, path, NULL);
    if (c.module != NULL) {
        FAIL("%s is accepted", name);
    } else {
        case_compare(path, ".err", case_errors(&c));
    }
    arena_finish(&c.arena);
}

TEST(what_a_kernel_must_not_reach_is_refused_with_the_words_beside_it)
{
    CHECK(case_for_each("lower_refuse", check_refusal) > 0);
}

static void run_with(const char *path, const char *name, const struct lower_options *options)
{
    struct lower_case c;
    case_lower(&c, path, options);
    if (c.module == NULL) {
        FAIL("%s: %s", name, case_errors(&c));
    } else {
        case_run_as_gcc(&c, path, name);
    }
    arena_finish(&c.arena);
}

static void run_inlined(const char *path, const char *name)
{
    run_with(path, name, NULL);
}

TEST(kernels_compute_what_gcc_computes)
{
    CHECK(case_for_each("lower_run", run_inlined) > 0);
}

static void run_called(const char *path, const char *name)
{
    struct lower_options options = {.inline_weight = 1, .check_bounds = true};
    run_with(path, name, &options);
}

TEST(kernels_compute_the_same_when_their_helpers_are_called)
{
    CHECK(case_for_each("lower_run", run_called) > 0);
}

static void read_back(const char *path, const char *name)
{
    struct lower_case c;
    struct lower_options options = {.contract = true};
    case_lower(&c, path, &options);
    if (c.module == NULL) {
        FAIL("%s: %s", name, case_errors(&c));
        arena_finish(&c.arena);
        return;
    }
    struct str first;
    struct str second;
    str_init(&first, &c.arena);
    str_init(&second, &c.arena);
    ir_print(c.module, &first);
    struct ir_module *again = ir_read(&c.arena, &c.diags, str_text(&first));
    if (again == NULL) {
        FAIL("%s: %s", name, case_errors(&c));
    } else {
        ir_print(again, &second);
        CHECK(strcmp(str_text(&first), str_text(&second)) == 0);
    }
    arena_finish(&c.arena);
}

TEST(lowered_modules_print_and_read_back_unchanged)
{
    CHECK(case_for_each("lower_run", read_back) > 0);
    CHECK(case_for_each("lower_ir", read_back) > 0);
}
