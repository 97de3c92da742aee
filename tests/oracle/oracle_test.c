// Every nest of the tree's kernels, and of generated ones, as isl sees it: see oracle.h.
//
//   oracle_test                    the tests
//   oracle_test file PATH...       files: what is unlawful, what is missed, what is skipped. With ORACLE_GPU in the
//                                  environment as they are compiled for a GPU
//   oracle_test seeds FIRST COUNT  generated kernels of the kind `orders`; with ORACLE_SCHEDULE isl's scheduler is
//   asked
#define TEST_NO_MAIN
#include "test.h"

#include "form.h"
#include "generate.h"
#include "oracle.h"
#include "spoil.h"
#include "tree.h"

#include <dirent.h>

struct session {
    struct arena arena;
    struct str complaints;
    struct str missed;
    struct oracle oracle;
};

static void session_init(struct session *s)
{
    *s = (struct session){0};
    arena_init(&s->arena);
    str_init(&s->complaints, &s->arena);
    str_init(&s->missed, &s->arena);
    s->oracle.findings.complaints = &s->complaints;
    s->oracle.findings.missed = &s->missed;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *text = calloc(1, 1 << 20);
    fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static void show(const struct session *s)
{
    const struct oracle_counts *c = &s->oracle.counts;
    const struct findings *f = &s->oracle.findings;
    printf(
        "# %d kernels, %d nests: %d checked (%d in another order, %d in part); %d loops called parallel, %d pairs of "
        "dependent accesses; %d loops in order that carry nothing; isl's scheduler finds more in %d nests of %d (and "
        "nothing in time for %d)\n",
        c->kernel_count, c->nest_count, c->checked_count, c->reordered_count, c->partly_count, f->claimed_count,
        f->dependence_count, f->missed_count, f->deeper_count, f->scheduled_count, f->late_count);
    for (int i = 0; i < ORACLE_REASONS && c->skipped[i].why != NULL; i++) {
        printf("# skipped %d: %s\n", c->skipped[i].count, c->skipped[i].why);
    }
}

static bool check_file(struct session *s, const char *path)
{
    char *text = read_file(path);
    s->oracle.findings.file = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    bool is_right = text != NULL && oracle_check(&s->oracle, path, text);
    free(text);
    return is_right;
}

static int run_files(int count, char **paths)
{
    struct session s;
    session_init(&s);
    s.oracle.says_skipped = true;
    s.oracle.is_gpu = getenv("ORACLE_GPU") != NULL;
    s.oracle.findings.wants_schedule = true;
    for (int i = 0; i < count; i++) {
        if (!check_file(&s, paths[i])) {
            printf("%s does not compile\n", paths[i]);
        }
    }
    printf("%s%s", str_text(&s.missed), str_text(&s.complaints));
    show(&s);
    return s.oracle.findings.complaint_count > 0;
}

// ---- the tree ------------------------------------------------------------------------------------------------------

static const char *const folders[] = {"tests/kernels",
                                      "bench/kernels",
                                      "examples/kernels",
                                      "tests/passes/cases/analyse",
                                      "tests/generate/cases",
                                      "tests/passes/cases/rows/reorder",
                                      "tests/passes/cases/rows/analyse"};

static unsigned timeout_seconds(void)
{
    const char *limit = getenv("RILL_TEST_TIMEOUT");
    return limit != NULL ? (unsigned)strtoul(limit, NULL, 10) : 120;
}

static int is_source(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return (length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0) ||
           (length > 3 && strcmp(entry->d_name + length - 3, ".ir") == 0);
}

// Calls |visit| for one in |step| of the tree's kernel files.
static void each_file(unsigned long step, void (*visit)(struct session *s, const char *path), struct session *s)
{
    unsigned long number = 0;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        struct dirent **entries = NULL;
        int count = scandir(tree_file(folders[i]), &entries, is_source, alphasort);
        CHECK(count > 0);
        for (int k = 0; k < count; k++) {
            char path[PATH_MAX + 512];
            snprintf(path, sizeof path, "%s/%s/%s", tree_root(), folders[i], entries[k]->d_name);
            if (form_takes(number++, step)) {
                alarm(timeout_seconds()); // for each file
                visit(s, path);
            }
            free(entries[k]);
        }
        free(entries);
    }
}

static void visit_file(struct session *s, const char *path)
{
    if (!check_file(s, path)) {
        FAIL("%s does not compile", path);
    }
}

static void end_session(struct session *s)
{
    if (s->oracle.findings.complaint_count > 0) {
        FAIL("isl calls unlawful:\n%s", str_text(&s->complaints));
    }
    show(s);
    arena_finish(&s->arena);
}

TEST(nests_of_the_tree_keep_the_dependences_that_isl_finds)
{
    struct session s;
    session_init(&s);
    for (int is_gpu = 0; is_gpu < 2; is_gpu++) {
        if (form_is_long() || form_takes((unsigned long)is_gpu, 2)) {
            s.oracle.is_gpu = is_gpu != 0;
            each_file(form_is_long() ? 1 : 10, visit_file, &s);
        }
    }
    CHECK(s.oracle.counts.checked_count > 5);
    end_session(&s);
}

static void compare_lists(struct session *s, const char *path)
{
    char *text = read_file(path);
    struct str plain, marked;
    str_init(&plain, &s->arena);
    str_init(&marked, &s->arena);
    oracle_list_loops(path, text, false, &plain);
    oracle_list_loops(path, text, true, &marked);
    if (strcmp(str_text(&plain), str_text(&marked)) != 0) {
        FAIL("%s: marks on its accesses change what becomes of its loops: without\n%swith\n%s", path, str_text(&plain),
             str_text(&marked));
    }
    free(text);
}

TEST(marks_on_accesses_change_no_loop)
{
    struct session s;
    session_init(&s);
    each_file(form_is_long() ? 1 : 4, compare_lists, &s);
    arena_finish(&s.arena);
}

// ---- generated nests -----------------------------------------------------------------------------------------------

static bool check_seed(struct session *s, uint64_t seed)
{
    struct str text;
    char name[32];
    str_init(&text, &s->arena);
    generate_kernel(seed, &text);
    snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
    s->oracle.findings.file = arena_printf(&s->arena, "%s", name);
    s->oracle.is_gpu = seed % 4 == 3;
    int before = s->oracle.findings.complaint_count;
    return oracle_check(&s->oracle, name, str_text(&text)) && s->oracle.findings.complaint_count == before;
}

// |all| in the long form, in the short one |count| of them, which take turns.
static void check_seeds(struct session *s, uint64_t kind, int count, int all)
{
    int first = form_is_long() ? 0 : (int)(form_turn() % (unsigned long)(all / count)) * count;
    int last = form_is_long() ? all : first + count;
    for (int i = first; i < last && s->oracle.findings.complaint_count < 20; i++) {
        alarm(timeout_seconds()); // for each kernel
        check_seed(s, kind + (uint64_t)i + 1);
    }
}

TEST(generated_nests_keep_the_dependences_that_isl_finds)
{
    struct session s;
    session_init(&s);
    check_seeds(&s, GENERATE_ORDERS, 40, 2000);
    CHECK(s.oracle.counts.checked_count > 40 && s.oracle.counts.reordered_count > 0);
    check_seeds(&s, GENERATE_NESTS, 5, 500);
    check_seeds(&s, GENERATE_OVERLAPS, 5, 500);
    check_seeds(&s, GENERATE_WRAPS, 5, 500);
    check_seeds(&s, 0, 5, 500);
    end_session(&s);
}

// ---- planted faults ------------------------------------------------------------------------------------------------

static void check_text(struct session *s, const char *body)
{
    bool is_whole = strncmp(body, "kernel ", 7) == 0;
    const char *include = "#include <rill/kernel.h>\n";
    char *text =
        is_whole ? arena_printf(&s->arena, "%s%s", include, body) : arena_printf(&s->arena, SPOIL_KERNEL, body);
    s->oracle.findings.file = "text";
    CHECK(oracle_check(&s->oracle, "text.c", text));
    CHECK(s->oracle.counts.checked_count == s->oracle.counts.nest_count);
}

TEST(every_planted_fault_is_found)
{
    for (const struct spoil_case *c = spoil_cases; c->name != NULL; c++) {
        struct session s;
        session_init(&s);
        check_text(&s, c->body);
        if (s.oracle.findings.complaint_count > 0) {
            FAIL("'%s' without the fault: %s", c->name, str_text(&s.complaints));
        }
        s.oracle.spoil = c->spoil;
        check_text(&s, c->body);
        if (!s.oracle.is_spoilt) {
            FAIL("'%s' could not be planted", c->name);
        } else if (strstr(str_text(&s.complaints), c->words) == NULL) {
            FAIL("'%s' goes unnoticed; found: %s", c->name, str_text(&s.complaints));
        }
        arena_finish(&s.arena);
    }
}

TEST(what_is_missed_is_listed)
{
    struct session s;
    session_init(&s);
    s.oracle.spoil = spoil_call_in_order;
    s.oracle.findings.wants_schedule = true;
    check_text(&s, "for (int i = 0; i < n; i++) { for (int j = 1; j < m; j++) { a[i][j] = a[i][j - 1] + 1; } }");
    CHECK_INT(s.oracle.findings.complaint_count, 0);
    CHECK_INT(s.oracle.findings.missed_count, 1);
    CHECK_INT(s.oracle.findings.deeper_count, 1);
    CHECK_CONTAINS(str_text(&s.missed), "text:5: in order, and carries no dependence");
    CHECK_CONTAINS(str_text(&s.missed), "text:5: isl finds 1 parallel loops of 2, not 0");
    arena_finish(&s.arena);
}

// isl's scheduler is asked in the long form alone: it takes longest, and what it finds is no fault.
TEST(nests_in_which_isl_finds_more_parallel_loops_are_counted)
{
    struct session s;
    session_init(&s);
    s.oracle.findings.wants_schedule = true;
    if (form_is_long()) {
        each_file(1, visit_file, &s);
    } else {
        visit_file(&s, tree_file("bench/kernels/nest_products.c"));
    }
    CHECK(s.oracle.findings.scheduled_count > 10);
    printf("%s", str_text(&s.missed));
    end_session(&s);
}

static int run_seeds(uint64_t first, uint64_t count)
{
    struct session s;
    session_init(&s);
    s.oracle.findings.wants_schedule = getenv("ORACLE_SCHEDULE") != NULL;
    for (uint64_t seed = first; seed < first + count; seed++) {
        check_seed(&s, seed);
    }
    printf("%s%s", str_text(&s.missed), str_text(&s.complaints));
    show(&s);
    return s.oracle.findings.complaint_count > 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 2 && strcmp(argv[1], "file") == 0) {
        return run_files(argc - 2, argv + 2);
    }
    if (argc == 4 && strcmp(argv[1], "seeds") == 0) {
        return run_seeds(strtoull(argv[2], NULL, 10) | GENERATE_ORDERS, strtoull(argv[3], NULL, 10));
    }
    return test_main(argc, argv);
}
