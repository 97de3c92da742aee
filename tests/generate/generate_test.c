// Kernels made from seeds, and those of tests/generate/cases, run every way there is: see differ.h and generate.h.
//
//   generate_test                   the tests
//   generate_test seeds FIRST LAST [calls | inlined]
//                                   these seeds; a kernel that differs goes to /tmp/generate-SEED.c. Helpers are called
//                                   instead of inlined where 4 divides the seed, or always, or never. With
//                                   GENERATE_NO_CPU in the environment on no CPU threads (but on the device of
//                                   RILL_TEST_DEVICE), with GENERATE_GCC by gcc each and not one in 20
//   generate_test print SEED        the kernel of a seed
//   generate_test file PATH         one file; RILL_VERIFY=calls, whole or gpu: as for seeds that leave 0, 2 or 3 when
//                                   they are divided by 4; long: loops are cut as for users
//   generate_test traps PATH        all kernels of a file of many
//   generate_test shrink PATH       drops statements of a file that differs while it still does; to standard output
#define TEST_NO_MAIN
#include "test.h"

#include "differ.h"
#include "form.h"
#include "generate.h"
#include "tree.h"

#include <dirent.h>
#include <sys/stat.h>

static void open_differ(struct differ *differ)
{
    static char scratch[64];
    static char include[PATH_MAX];
    char compiler[PATH_MAX + 64];
    snprintf(include, sizeof include, "%.4000s/include", tree_root());
    *differ = (struct differ){.include_dir = include};
    snprintf(scratch, sizeof scratch, "/tmp/rill-generate-%d", (int)getpid());
    mkdir(scratch, 0700);
    differ->scratch = scratch;
    snprintf(compiler, sizeof compiler, "%s/lib/librill-compiler.so", RILL_BUILD_DIR);
    if (access(compiler, R_OK) != 0) {
        snprintf(compiler, sizeof compiler, "%s", tree_file("lib/librill-compiler.so"));
    }
    const char *verify = getenv("RILL_VERIFY"); // for one file, as for seeds: see check_seed()
    differ->calls_helpers = verify != NULL && strstr(verify, "calls") != NULL;
    differ->plans_whole = verify != NULL && strstr(verify, "whole") != NULL;
    differ->plans_for_gpu = verify != NULL && strstr(verify, "gpu") != NULL;
    differ->plans_long_runs = verify != NULL && strstr(verify, "long") != NULL;
    if (!differ_open(differ, compiler)) {
        FAIL("%s", rill_message());
    }
}

static void close_differ(struct differ *differ)
{
    static const char *const files[] = {"gcc_kernel.c", "gcc_main.c", "gcc_in", "gcc_out", "gcc_run", "gcc_errors"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", differ->scratch, files[i]);
        unlink(path);
    }
    rmdir(differ->scratch);
    differ_close(differ);
}

enum helpers { HELPERS_BY_SEED, HELPERS_CALLED, HELPERS_INLINED };

static bool check_seed(struct differ *differ, uint64_t seed, enum helpers helpers)
{
    struct arena arena;
    struct str text;
    struct str why;
    arena_init(&arena);
    str_init(&text, &arena);
    str_init(&why, &arena);
    generate_kernel(seed, &text);
    differ->calls_helpers = helpers == HELPERS_BY_SEED ? seed % 4 == 0 : helpers == HELPERS_CALLED;
    differ->plans_whole = seed % 4 == 2;
    differ->plans_for_gpu = seed % 4 == 3;
    differ->plans_long_runs = (seed & GENERATE_PATTERNS) != 0 && GENERATE_IS_HUGE(seed);
    bool ok = differ_check(differ, str_text(&text), &why);
    if (!ok) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/generate-%llu.c", (unsigned long long)seed);
        FILE *file = fopen(path, "w");
        if (file != NULL) {
            fputs(str_text(&text), file);
            fclose(file);
        }
        printf("seed %llu (%s):\n%s\n", (unsigned long long)seed, path, str_text(&why));
    }
    arena_finish(&arena);
    return ok;
}

static void show_stats(const struct differ_stats *s)
{
    printf("# %d files, %d built by gcc; loops: %d in order, %d proven, %d if, %d scatter, %d by atomics or pragma; %d "
           "tasks, %d parallel, %d with "
           "reductions, %d with copies, %d loops fused; %d pairs, %d conditions, %d runs in order; %d regions, %d "
           "conflicts\n",
           s->file_count, s->gcc_count, s->verdict_counts[1], s->verdict_counts[2], s->verdict_counts[3],
           s->verdict_counts[4], s->verdict_counts[5] + s->verdict_counts[6], s->task_count, s->parallel_count,
           s->reduction_count, s->copied_count, s->fused_count, s->pair_count, s->condition_count,
           s->in_order_run_count, s->region_count, s->conflict_count);
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

static bool check_file(struct differ *differ, const char *path)
{
    struct arena arena;
    struct str why;
    arena_init(&arena);
    str_init(&why, &arena);
    char *text = read_file(path);
    bool calls_helpers = differ->calls_helpers;
    differ->calls_helpers |= text != NULL && strstr(text, "\n// helpers are called\n") != NULL;
    bool ok = text != NULL && differ_check(differ, text, &why);
    differ->calls_helpers = calls_helpers;
    if (!ok) {
        printf("%s:\n%s\n", path, text != NULL ? str_text(&why) : "cannot be read");
    }
    free(text);
    arena_finish(&arena);
    return ok;
}

static unsigned timeout_seconds(void)
{
    const char *limit = getenv("RILL_TEST_TIMEOUT");
    return limit != NULL ? (unsigned)strtoul(limit, NULL, 10) : 120;
}

// Seeds of the suite: |all| in the long form, in the short one |count| of these, which take turns; sanitized parts take
// one in |share|.
struct seeds {
    int first, count, all;
};

static struct seeds seeds_of_the_form(int count, int all, int share)
{
    share = form_is_sanitized() ? share : 1;
    if (form_is_long()) {
        return (struct seeds){.count = all / share, .all = all};
    }
    return (struct seeds){(int)(form_turn() % (unsigned long)(all / count)) * count, count / share, all};
}

TEST(generated_kernels_agree_between_interpreter_plan_cpu_and_gcc)
{
    static const uint64_t kinds[10] = {0,
                                       GENERATE_EXITS,
                                       GENERATE_WRAPS,
                                       GENERATE_LOCALS,
                                       GENERATE_NESTS,
                                       GENERATE_SCATTERS,
                                       GENERATE_FOLLOWS,
                                       GENERATE_OVERLAPS,
                                       GENERATE_ORDERS,
                                       0};
    struct seeds seeds = seeds_of_the_form(60, 10000, 9);
    struct differ differ;
    open_differ(&differ);
    differ.is_quick = !form_is_long() && getenv("RILL_TEST_DEVICE") == NULL;
    int failed = 0;
    printf("  seeds from number %d on\n", seeds.first);
    for (int i = seeds.first; i < seeds.first + seeds.count && failed < 5; i++) {
        alarm(timeout_seconds()); // for each kernel
        differ.use_gcc = i % 20 == 0;
        failed += check_seed(&differ, kinds[i % 10] + (uint64_t)i + 1, HELPERS_BY_SEED) ? 0 : 1;
    }
    CHECK_INT(failed, 0);
    CHECK(seeds.count < 100 || differ.stats.fused_count > 0);
    show_stats(&differ.stats);
    close_differ(&differ);
}

// What carries something from one iteration to the next: with those above 200 in the short form.
TEST(scans_lists_searches_and_tables_agree_between_interpreter_plan_cpu_and_gcc)
{
    struct seeds seeds = seeds_of_the_form(140, 10000, 20);
    struct differ differ;
    open_differ(&differ);
    differ.is_quick = !form_is_long() && getenv("RILL_TEST_DEVICE") == NULL;
    int failed = 0;
    printf("  seeds from number %d on\n", seeds.first);
    for (int i = seeds.first; i < seeds.first + seeds.count && failed < 5; i++) {
        alarm(timeout_seconds()); // for each kernel
        differ.use_gcc = i % 20 == 0;
        failed += check_seed(&differ, GENERATE_PATTERNS + (uint64_t)i, HELPERS_BY_SEED) ? 0 : 1;
    }
    CHECK_INT(failed, 0);
    show_stats(&differ.stats);
    close_differ(&differ);
}

// The same results, whether a helper that gets the address of a local is inlined, so that the index in it is followed,
// or called, so that it is not.
TEST(helpers_that_write_locals_agree_inlined_and_called)
{
    struct seeds seeds = seeds_of_the_form(6, 1000, 3);
    struct differ differ;
    open_differ(&differ);
    int failed = 0;
    for (int i = seeds.first; i < seeds.first + seeds.count && failed < 5; i++) {
        alarm(timeout_seconds()); // for each kernel
        failed += check_seed(&differ, GENERATE_HELPERS + (uint64_t)i, HELPERS_CALLED) ? 0 : 1;
        failed += check_seed(&differ, GENERATE_HELPERS + (uint64_t)i, HELPERS_INLINED) ? 0 : 1;
    }
    CHECK_INT(failed, 0);
    show_stats(&differ.stats);
    close_differ(&differ);
}

TEST(kernels_that_once_differed_agree)
{
    struct differ differ;
    open_differ(&differ);
    differ.use_gcc = true;
    DIR *dir = opendir(tree_file("tests/generate/cases"));
    REQUIRE(dir != NULL);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strstr(entry->d_name, ".c") != NULL) {
            char path[PATH_MAX + 512];
            snprintf(path, sizeof path, "%s/tests/generate/cases/%s", tree_root(), entry->d_name);
            CHECK(check_file(&differ, path));
        }
    }
    closedir(dir);
    close_differ(&differ);
}

static int run_seeds(uint64_t first, uint64_t last, enum helpers helpers)
{
    struct differ differ;
    open_differ(&differ);
    differ.skip_cpu = getenv("GENERATE_NO_CPU") != NULL;
    differ.only_device = differ.skip_cpu && getenv("RILL_TEST_DEVICE") != NULL;
    differ.skip_cpu = differ.skip_cpu && !differ.only_device;
    int failed = 0;
    for (uint64_t seed = first; seed <= last; seed++) {
        differ.use_gcc = seed % (getenv("GENERATE_GCC") != NULL ? 1 : 20) == 0;
        failed += check_seed(&differ, seed, helpers) ? 0 : 1;
        if (seed % 100 == 0) {
            fprintf(stderr, "%llu\n", (unsigned long long)seed);
        }
    }
    show_stats(&differ.stats);
    printf("%d differ\n", failed);
    close_differ(&differ);
    return failed != 0;
}

// A file of tests/generate/traps holds many kernels. Each begins with a line `//== name`, then come the comments that
// differ.h explains, once or, with a line `// or` between, several times: the kernel is run with each, in the short
// form with the first.
struct traps {
    int number; // of kernels met
    int every;  // one in so many is run
    int count;  // of runs
    int failed;
};

static size_t line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return length + (line[length] == '\n');
}

static void check_trap(struct differ *differ, struct traps *traps, const char *start, const char *end)
{
    const char *head = start + line_length(start);
    const char *code = head;
    while (strncmp(code, "//@ ", 4) == 0 || strncmp(code, "// or\n", 6) == 0) {
        code += line_length(code);
    }
    while (head < code) {
        const char *next = strstr(head, "// or\n");
        const char *stop = next != NULL && next < code ? next : code;
        struct arena arena;
        struct str text;
        struct str why;
        arena_init(&arena);
        str_init(&text, &arena);
        str_init(&why, &arena);
        str_printf(&text, "%.*s%.*s", (int)(stop - head), head, (int)(end - code), code);
        alarm(timeout_seconds());
        traps->count++;
        if (!differ_check(differ, str_text(&text), &why)) {
            traps->failed++;
            printf("%.*s:\n%s\n", (int)strcspn(start, "\n"), start, str_text(&why));
        }
        arena_finish(&arena);
        head = traps->every > 1 || stop == code ? code : stop + line_length(stop);
    }
}

static void check_traps(struct differ *differ, struct traps *traps, const char *path)
{
    char *text = read_file(path);
    const char *start = text != NULL ? strstr(text, "\n//== ") : NULL;
    traps->failed += start == NULL;
    while (start != NULL) {
        const char *next = strstr(start + 1, "\n//== ");
        differ->calls_helpers = traps->number % 4 == 0;
        if (form_takes((unsigned long)traps->number++, (unsigned long)traps->every)) {
            check_trap(differ, traps, start + 1, next != NULL ? next + 1 : start + strlen(start));
        }
        start = next;
    }
    free(text);
}

static int is_c_file(const struct dirent *entry)
{
    return strstr(entry->d_name, ".c") != NULL;
}

// In the order of their names, so that the share that runs is the same everywhere.
TEST(kernels_full_of_traps_agree)
{
    struct traps traps = {.every = form_is_long() ? 1 : form_is_sanitized() ? 120 : 24};
    struct differ differ;
    open_differ(&differ);
    differ.use_gcc = true;
    struct dirent **entries = NULL;
    int entry_count = scandir(tree_file("tests/generate/traps"), &entries, is_c_file, alphasort);
    REQUIRE(entry_count > 0);
    for (int i = 0; i < entry_count; i++) {
        char path[PATH_MAX + 512];
        snprintf(path, sizeof path, "%s/tests/generate/traps/%s", tree_root(), entries[i]->d_name);
        check_traps(&differ, &traps, path);
        free(entries[i]);
    }
    free(entries);
    CHECK_INT(traps.failed, 0);
    CHECK(traps.count > 0);
    close_differ(&differ);
}

static int run_traps(const char *path)
{
    struct traps traps = {.every = 1};
    struct differ differ;
    open_differ(&differ);
    differ.use_gcc = true;
    check_traps(&differ, &traps, path);
    show_stats(&differ.stats);
    printf("%d kernels, %d runs, %d differ\n", traps.number, traps.count, traps.failed);
    close_differ(&differ);
    return traps.failed != 0;
}

static int run_file(const char *path)
{
    struct differ differ;
    open_differ(&differ);
    differ.use_gcc = true;
    differ.skip_cpu = getenv("GENERATE_NO_CPU") != NULL;
    bool ok = check_file(&differ, path);
    show_stats(&differ.stats);
    close_differ(&differ);
    return !ok;
}

// ---- shrinking
// -----------------------------------------------------------------------------------------------------------------

// The statement that begins at |at|: a line, or up to the line that closes its brace. NULL if it cannot go.
static const char *statement_end(const char *at)
{
    int depth = 0;
    const char *line = at;
    for (;;) {
        size_t length = strcspn(line, "\n");
        for (size_t i = 0; i < length; i++) {
            depth += line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
            if (depth < 0) {
                return NULL;
            }
        }
        bool is_pragma = line[strspn(line, " ")] == '#'; // goes with what follows
        line += length + (line[length] == '\n');
        if (depth == 0 && !is_pragma) {
            return line;
        }
        if (*line == '\0') {
            return NULL;
        }
    }
}

// What kind of disagreement it is: the words before the first colon or number.
static void kind_of(const char *why, char *out, size_t size)
{
    size_t limit = strncmp(why, "the interpreter", 15) == 0 ? 60 : 24; // there the reason stands farther behind
    snprintf(out, size < limit ? size : limit, "%s", why);
}

static bool still_differs(struct differ *differ, const char *text, const char *kind)
{
    struct arena arena;
    struct str why;
    char found[64] = "";
    arena_init(&arena);
    str_init(&why, &arena);
    differ->stats.file_count = 0; // by which the ways of compiling are chosen
    bool differs = !differ_check(differ, text, &why);
    kind_of(str_text(&why), found, sizeof found);
    arena_finish(&arena);
    return differs && strcmp(found, kind) == 0;
}

// One round over all statements; true if something went.
static bool shrink_round(struct differ *differ, char *text, const char *kind)
{
    bool went = false;
    const char *body = strstr(text, "kernel ");
    for (char *at = text + (body != NULL ? body - text : 0); *at != '\0';) {
        char *next = at + strcspn(at, "\n");
        next += *next == '\n';
        const char *end =
            strncmp(at, "//@", 3) == 0 || at[0] != ' ' || strncmp(at, "    return", 10) == 0 ? NULL : statement_end(at);
        if (end != NULL) {
            char *kept = strdup(text);
            memmove(at, end, strlen(end) + 1);
            if (still_differs(differ, text, kind)) {
                went = true;
                next = at;
            } else {
                strcpy(text, kept);
            }
            free(kept);
        }
        at = next;
    }
    return went;
}

static int shrink_file(const char *path)
{
    struct differ differ;
    open_differ(&differ);
    differ.skip_cpu = getenv("GENERATE_NO_CPU") != NULL;
    char *text = read_file(path);
    struct arena arena;
    struct str why;
    char kind[64] = "";
    arena_init(&arena);
    str_init(&why, &arena);
    bool differs = text != NULL && !differ_check(&differ, text, &why);
    kind_of(str_text(&why), kind, sizeof kind);
    while (differs && shrink_round(&differ, text, kind)) {
    }
    if (differs) {
        fputs(text, stdout);
    }
    fprintf(stderr, "%s\n", differs ? str_text(&why) : "the file does not differ");
    arena_finish(&arena);
    free(text);
    close_differ(&differ);
    return !differs;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "shrink") == 0) {
        return shrink_file(argv[2]);
    }
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "seeds") == 0) {
        setvbuf(stdout, NULL, _IOLBF, 0);
        enum helpers helpers = argc == 4                       ? HELPERS_BY_SEED
                               : strcmp(argv[4], "calls") == 0 ? HELPERS_CALLED
                                                               : HELPERS_INLINED;
        return run_seeds(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), helpers);
    }
    if (argc == 3 && strcmp(argv[1], "file") == 0) {
        return run_file(argv[2]);
    }
    if (argc == 3 && strcmp(argv[1], "traps") == 0) {
        return run_traps(argv[2]);
    }
    if (argc == 3 && strcmp(argv[1], "print") == 0) {
        struct arena arena;
        struct str text;
        arena_init(&arena);
        str_init(&text, &arena);
        generate_kernel(strtoull(argv[2], NULL, 10), &text);
        fputs(str_text(&text), stdout);
        arena_finish(&arena);
        return 0;
    }
    return test_main(argc, argv);
}
