#include "lower_case.h"

// The text form without places, files and C types: what a reader compares.
static const char *plain_ir(struct lower_case *c)
{
    struct str text;
    str_init(&text, &c->arena);
    ir_print(c->module, &text);
    struct str out;
    str_init(&out, &c->arena);
    for (const char *line = str_text(&text); *line != '\0';) {
        size_t length = strcspn(line, "\n");
        bool is_kept = strncmp(line, "file ", 5) != 0 && strncmp(line, "ctype ", 6) != 0 &&
                       strncmp(line, "rill-ir", 7) != 0;
        for (size_t i = 0; is_kept && i < length; i++) {
            if (strncmp(line + i, " !0:", 4) == 0) {
                i += 1 + strspn(line + i + 2, "0123456789:");
            } else if (strncmp(line + i, " ctype ", 7) == 0) {
                i += 6 + strspn(line + i + 7, "0123456789");
            } else {
                str_add_char(&out, line[i]);
            }
        }
        if (is_kept) {
            str_add_char(&out, '\n');
        }
        line += length + (line[length] == '\n');
    }
    return str_text(&out);
}

static void check_ir(const char *path, const char *name)
{
    struct lower_case c;
    struct lower_options options = {.contract = strstr(name, "contract") != NULL};
    case_lower(&c, path, &options);
    if (c.module == NULL) {
        FAIL("%s: %s", name, case_errors(&c));
    } else if (case_verify(&c, name)) {
        case_compare(path, ".ir", plain_ir(&c));
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
    } else if (case_verify(&c, name)) {
        void *library = case_build(path);
        if (CHECK(library != NULL)) {
            case_run(&c, library, name);
            dlclose(library);
        }
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
