// Loops and the verdicts they must get: cases/analyse/*.c, where each loop's line says `// expect: proven` (in order,
// if, scatter, atomics, pragma, or any; `proven, if inlined`: whatever it is where helpers are called). Then every one
// of these loops is run and must keep what was claimed of it.
#include "analyse_check.h"
#include "analyse_generate.h"
#include "form.h"

#define DIRECTORY RILL_SOURCE_DIR "/tests/passes/cases/analyse"

struct expectations {
    int inline_weight; // helpers heavier than this are called; 0: none of these
    int count;
};

// Of a helper that is called less is seen: a scatter may run in order, and what is in order may be a scatter.
static bool is_as_good(const struct expectations *e, const char *expected, const char *actual)
{
    bool may_scatter = strcmp(expected, "scatter") == 0 || strcmp(expected, "in order") == 0;
    bool scatters = strcmp(actual, "scatter") == 0 || strcmp(actual, "in order") == 0;
    return strcmp(expected, "any") == 0 || strcmp(expected, actual) == 0 ||
           (e->inline_weight > 0 && may_scatter && scatters);
}

static void check_line(const struct analyse_case *c, const char *file, uint32_t line, const char *text,
                       struct expectations *e)
{
    const char *mark = strstr(text, "// expect: ");
    if (mark == NULL) {
        return;
    }
    char expected[32];
    snprintf(expected, sizeof expected, "%s", mark + strlen("// expect: "));
    expected[strcspn(expected, "\n")] = '\0';
    char *inlined = strstr(expected, ", if inlined"); // what is made of a helper's result is seen only then
    if (inlined != NULL && e->inline_weight > 0) {
        return;
    }
    expected[inlined != NULL ? (size_t)(inlined - expected) : strlen(expected)] = '\0';
    const struct ir_inst *loop = loop_at(c, line);
    e->count++;
    if (loop == NULL) {
        FAIL("%s:%u: no canonical loop here", file, line);
        return;
    }
    const char *actual = verdict_names[loop->loop->verdict];
    if (!is_as_good(e, expected, actual)) {
        FAIL("%s:%u: expected %s, is %s: %s", file, line, expected, actual,
             loop->loop->reason != NULL ? loop->loop->reason : "");
    }
    bool has_reason = loop->loop->reason != NULL && loop->loop->reason_loc_a.line != 0;
    if (loop->loop->verdict != IR_VERDICT_PROVEN && !has_reason) {
        FAIL("%s:%u: %s without a reason and its place", file, line, actual);
    }
}

static void for_each_case(void (*visit)(const char *path, void *user), void *user)
{
    DIR *directory = opendir(DIRECTORY);
    REQUIRE(directory != NULL);
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        size_t length = strlen(entry->d_name);
        if (length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s", DIRECTORY, entry->d_name);
            visit(path, user);
        }
    }
    closedir(directory);
}

static void check_verdicts(const char *path, void *user)
{
    struct expectations *e = user;
    struct analyse_case c;
    if (analyse_file(&c, path, 0, e->inline_weight)) {
        FILE *file = fopen(path, "r");
        char line[512];
        for (uint32_t number = 1; fgets(line, sizeof line, file) != NULL; number++) {
            check_line(&c, strrchr(path, '/') + 1, number, line, e);
        }
        fclose(file);
    }
    arena_finish(&c.arena);
}

TEST(loops_get_the_verdicts_their_lines_expect)
{
    struct expectations e = {0};
    for_each_case(check_verdicts, &e);
    CHECK(e.count > 250);
}

TEST(helpers_that_are_called_leave_every_verdict_as_it_is)
{
    struct expectations e = {.inline_weight = 1};
    for_each_case(check_verdicts, &e);
    CHECK(e.count > 250);
}

struct sweep {
    int bug;
    int inline_weight;
    int runs;
    int bad;
    int claimed;
    char first[640];
};

static void check_claims(const char *path, void *user)
{
    struct sweep *sweep = user;
    struct analyse_case c;
    if (analyse_file(&c, path, sweep->bug, sweep->inline_weight)) {
        int count = c.module->function_count;
        for (int i = 0; i < count; i++) {
            char first[600];
            struct ir_function *kernel = c.module->functions[i];
            if (kernel->kind == IR_FUNCTION_KERNEL &&
                check_kernel(&c, kernel, sweep->runs, first, sizeof first, &sweep->claimed) > 0) {
                if (sweep->bug == 0) {
                    FAIL("%s: %s", strrchr(path, '/') + 1, first);
                }
                if (sweep->bad++ == 0) {
                    snprintf(sweep->first, sizeof sweep->first, "%s", first);
                }
            }
        }
    }
    arena_finish(&c.arena);
}

// |count| in the long form, a share of them in the short one.
static int runs_of(int count)
{
    return form_is_long() ? count : form_is_sanitized() ? count / 20 : count / 3;
}

TEST(recorded_accesses_keep_every_claim)
{
    struct sweep sweep = {.runs = runs_of(40)};
    for_each_case(check_claims, &sweep);
    CHECK_INT(sweep.bad, 0);
    CHECK(sweep.claimed > 50 * sweep.runs);
    sweep = (struct sweep){.runs = runs_of(40), .inline_weight = 1};
    for_each_case(check_claims, &sweep);
    CHECK_INT(sweep.bad, 0);
    CHECK(sweep.claimed > 50 * sweep.runs);
}

// Few of the values near the ends of a type make a sum wrap where it matters.
TEST(sums_that_wrap_keep_every_claim)
{
    struct sweep sweep = {.runs = runs_of(3000)};
    check_claims(DIRECTORY "/wraps.c", &sweep);
    CHECK_INT(sweep.bad, 0);
}

// Those of tests/kernels that stay inside their arrays with whatever arguments.
TEST(kernels_of_the_tree_keep_every_claim)
{
    static const char *const files[] = {"aliases", "calls",   "dependence", "helpers",    "imperfect", "inner",
                                        "members", "private", "nests",      "reductions", "structs"};
    for (int weight = 0; weight < 2; weight++) {
        struct sweep sweep = {.runs = 10, .inline_weight = weight};
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            char path[512];
            snprintf(path, sizeof path, "%s/tests/kernels/%s.c", RILL_SOURCE_DIR, files[i]);
            check_claims(path, &sweep);
        }
        CHECK_INT(sweep.bad, 0);
        CHECK(sweep.claimed > 500);
    }
}

TEST(every_planted_bug_is_caught)
{
    unsigned long step = form_is_long() ? 1 : form_is_sanitized() ? 12 : 3; // in short one in three, in turns
    for (int bug = 1; bug < BUG_COUNT; bug++) {
        if (!form_takes((unsigned long)bug, step)) {
            continue;
        }
        struct sweep sweep = {.bug = bug, .runs = 12, .inline_weight = bug >= BUG_CALLS_PLAIN};
        for_each_case(check_claims, &sweep);
        if (sweep.bad == 0) {
            FAIL("bug %d goes unnoticed", bug);
        }
    }
}

// Kernels made from seeds, in short a sample of them. RILL_ANALYSE_SEEDS=first:count runs others than the default.
TEST(generated_loops_keep_every_claim)
{
    unsigned long first = 1, count = 250;
    const char *wanted = getenv("RILL_ANALYSE_SEEDS");
    if (wanted != NULL) {
        sscanf(wanted, "%lu:%lu", &first, &count);
    }
    int claimed = 0;
    unsigned long step = form_is_long() || wanted != NULL ? 1 : form_is_sanitized() ? 10 : 3;
    for (unsigned long seed = first; seed < first + count; seed++) {
        if (!form_takes(seed, step)) {
            continue;
        }
        struct analyse_case c;
        struct arena arena;
        arena_init(&arena);
        struct str text;
        str_init(&text, &arena);
        generate_prelude(&text);
        generate_kernel(&text, seed, "made");
        char complaint[600];
        bool is_made = analyse_text_calling(&c, str_text(&text), seed % 2 == 0 ? 1 : 0);
        struct ir_function *kernel = NULL;
        for (int i = 0; is_made && i < c.module->function_count; i++) {
            kernel = c.module->functions[i]->kind == IR_FUNCTION_KERNEL ? c.module->functions[i] : kernel;
        }
        if (!is_made || check_kernel(&c, kernel, 25, complaint, sizeof complaint, &claimed) > 0) {
            FAIL("seed %lu: %s\n%s", seed, c.module != NULL ? complaint : "does not compile", str_text(&text));
        }
        arena_finish(&c.arena);
        arena_finish(&arena);
    }
    CHECK(wanted != NULL || (unsigned long)claimed > 1000 / step);
}

// Of an index that is not followed nothing but a suspicion can be told.
TEST(words_say_no_more_than_is_known)
{
    static const struct {
        const char *text;
        const char *words;
        bool is_certain;
    } cases[] = {
        {"kernel void f(int n, int *a) {\nfor (int i = 0; i < n; i++) a[i / 2] = i; }", "by more than one", true},
        {"kernel void f(int n, int *a) {\nfor (int i = 0; i < n; i++) a[i ^ 1] /= 3; }", "by another iteration", false},
        {"kernel void f(int n, int *a) {\nfor (int i = 0; i < n; i++) a[i + 1] = a[i]; }", "by another iteration",
         true},
        {"kernel void f(int n, int *a) {\nfor (int i = 0; i < n; i++) a[i ^ 1] = a[i]; }", "by another iteration",
         false},
        {"kernel void f(int n, int a[n]) {\nfor (int b = 0; b < n; b += 64)\n"
         "for (int i = b; i < b + 64 && i < n; i++) a[i] += a[n - 1 - i]; }",
         "by another iteration", true},
        {"kernel void f(int n, int a[n]) {\nfor (int b = 0; b < n; b += 64)\n"
         "for (int i = b; i < b + 64 && i != n; i++) a[i] += a[n - 1 - i]; }",
         "by another iteration", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct analyse_case c;
        const struct ir_inst *loop = analyse_text(&c, cases[i].text) ? loop_at(&c, 2) : NULL;
        if (CHECK(loop != NULL && loop->loop->reason != NULL)) {
            const char *reason = loop->loop->reason;
            if (strstr(reason, cases[i].words) == NULL || (strstr(reason, "perhaps") == NULL) != cases[i].is_certain) {
                FAIL("%s: %s", cases[i].text, reason);
            }
        }
        arena_finish(&c.arena);
    }
}
