// Compiles on disk: a second process finds what the first one compiled and loads no compiler; whatever a compile
// depends on is a miss when it changes; a folder that cannot be used, and files that cannot be read or written, change
// nothing but the time it takes. This program is its own second process.
#define TEST_NO_MAIN
#include "world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char blocks_source[] = "#include <rill/kernel.h>\n"
                                    "kernel void f(int n, int a[n], int b[n], const int c[n])\n"
                                    "{\n"
                                    "    stream_parallel { for (int i = 0; i < n; i++) a[i] = c[i] + 1; }\n"
                                    "#pragma rill in_order\n"
                                    "    stream_parallel { for (int i = 0; i < n; i++) b[i] = a[i] * 2; }\n"
                                    "}\n";
static const char swapped_source[] = "#include <rill/kernel.h>\n"
                                     "kernel void f(int n, int a[n], int b[n], const int c[n])\n"
                                     "{\n"
                                     "    stream_parallel { for (int i = 0; i < n; i++) b[i] = a[i] * 2; }\n"
                                     "#pragma rill in_order\n"
                                     "    stream_parallel { for (int i = 0; i < n; i++) a[i] = c[i] + 1; }\n"
                                     "}\n";
static const char grouped_source[] = "#include <rill/kernel.h>\n"
                                     "kernel void f(int n, int a[n], int b[n], const int c[n])\n"
                                     "{\n"
                                     "    stream_parallel { for (int i = 0; i < n; i++) a[i] = c[i] + 1; \n"
                                     "                      for (int i = 0; i < n; i++) b[i] = a[i] * 2; }\n"
                                     "}\n";

// ---- a folder -----------------------------------------------------------------------------------------------------

static char root[64];
static char folder[96];

static void make_root(void)
{
    snprintf(root, sizeof root, "/tmp/rill-cache-XXXXXX");
    REQUIRE(mkdtemp(root) != NULL);
    snprintf(folder, sizeof folder, "%s/cache", root);
}

static void drop_root(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    CHECK_INT(system(command), 0);
}

static const char *in_root(const char *name)
{
    static char path[4][160];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", root, name);
    return path[turn];
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    REQUIRE(fputs(text, file) >= 0);
    REQUIRE(fclose(file) == 0);
}

// The only image of the folder.
static void find_image(char *out, size_t size)
{
    out[0] = '\0';
    DIR *directory = opendir(folder);
    REQUIRE(directory != NULL);
    for (struct dirent *at = readdir(directory); at != NULL; at = readdir(directory)) {
        if (strstr(at->d_name, ".image") != NULL) {
            snprintf(out, size, "%s/%s", folder, at->d_name);
        }
    }
    closedir(directory);
    REQUIRE(out[0] != '\0');
}

struct use {
    rill_context context;
    char logged[8192];
};

static void note(void *user, rill_log_level level, const char *text)
{
    struct use *use = user;
    size_t used = strlen(use->logged);
    snprintf(use->logged + used, sizeof use->logged - used, "%d: %s\n", (int)level, text);
}

static void open_with(struct use *use, const char *cache)
{
    memset(use, 0, sizeof *use);
    OK(rill_open(world_device(), &(rill_open_options){.log = note, .log_user = use, .cache = cache}, &use->context));
}

static rill_cache_stats stats_of(const struct use *use)
{
    rill_stats stats;
    OK(rill_context_stats(use->context, &stats));
    return stats.cache;
}

// A program under a sanitizer has instrumented kernels, which are not kept, unless it says otherwise.
static rill_module_options plain(void)
{
    return (rill_module_options){.sanitize = "off"};
}

// Makes a module and runs its kernel f(n, a, b, c): a = 8, b is given.
static void check_module(const struct use *use, rill_module module, int b_expected)
{
    rill_kernel f;
    OK(rill_module_kernel(module, "f", &f));
    int a[3] = {5, 5, 5}, b[3] = {0}, c[3] = {7, 7, 7};
    rill_stream stream = rill_default_stream(use->context);
    OK(rill_launch(f, stream, RILL_ARGS(3, RILL_HOST(a, 3), RILL_HOST(b, 3), RILL_HOST(c, 3))));
    OK(rill_sync(use->context));
    CHECK_INT(a[2], 8);
    CHECK_INT(b[2], b_expected);
}

static void run_text(const struct use *use, const char *text, int b_expected)
{
    rill_module module;
    rill_module_options options = plain();
    OK(rill_module_create(use->context, text, &options, &module));
    check_module(use, module, b_expected);
    OK(rill_module_destroy(module));
}

static bool has_loaded_compiler(void)
{
    const char *named = getenv("RILL_COMPILER");
    const char *slash = named != NULL ? strrchr(named, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : "librill-compiler.so";
    char line[4096];
    bool is_there = false;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        is_there = is_there || strstr(line, name) != NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return is_there;
}

// ---- the second process -------------------------------------------------------------------------------------------

static void die_at(const char *operation, const char *names); // below, with the operations

// Loads the file of the name FILE with the cache in the folder FOLDER, and says what came of it in one line. With the
// number of a file operation it is killed there; with "named" behind, its folder has no files without a name.
static int be_second(char **argv)
{
    struct use use;
    rill_module module;
    rill_module_options options = plain();
    open_with(&use, argv[1]);
    die_at(argv[3], argv[3] != NULL ? argv[4] : NULL);
    rill_status status = rill_module_load(use.context, argv[2], &options, &module);
    if (status != RILL_OK) {
        printf("%s\n", rill_message());
        return 1;
    }
    check_module(&use, module, 16);
    rill_cache_stats stats = stats_of(&use);
    bool has_binaries = false;
    OK(rill_context_has(use.context, RILL_CAPABILITY_BINARIES, &has_binaries));
    CHECK_UINT(stats.binary_hit_count + stats.binary_miss_count, has_binaries ? 1 : 0);
    CHECK_UINT(stats.binary_kept_count, stats.binary_miss_count);
    printf("hit %d missed %d kept %d compiler %d\n", (int)stats.hit_count, (int)stats.missing_count,
           (int)stats.kept_count, has_loaded_compiler());
    OK(rill_close(use.context));
    return test_run.failed_file != NULL;
}

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "--second") == 0) {
        return be_second(argv + 1);
    }
    return test_main(argc, argv);
}

struct second {
    int output;
    int errors;         // -1: as this one's
    const char *dies;   // at this file operation; NULL: it lives
    const char *naming; // "named": files need names; NULL
};

static pid_t start_second(const char *path, struct second how)
{
    char self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    REQUIRE(length > 0);
    self[length] = '\0';
    pid_t child = fork();
    if (child == 0) {
        dup2(how.output, STDOUT_FILENO);
        if (how.errors >= 0) {
            dup2(how.errors, STDERR_FILENO);
        }
        execl(self, self, "--second", folder, path, how.dies, how.naming, (char *)NULL);
        _exit(127);
    }
    REQUIRE(child > 0);
    return child;
}

static const char *second_with(const char *path, int errors)
{
    static char said[1024];
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t child = start_second(path, (struct second){.output = ends[1], .errors = errors});
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got = 1; got > 0 && used < sizeof said - 1; used += got > 0 ? (size_t)got : 0) {
        got = read(ends[0], said + used, sizeof said - 1 - used);
    }
    close(ends[0]);
    said[used] = '\0';
    int status = 1;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    return said;
}

static const char *second(const char *path)
{
    return second_with(path, -1);
}

// ---- the tests ----------------------------------------------------------------------------------------------------

TEST(second_process_finds_what_the_first_compiled_and_loads_no_compiler)
{
    make_root();
    const char *path = in_root("k.c");
    write_file(path, blocks_source);
    CHECK_STR(second(path), "hit 0 missed 1 kept 1 compiler 1\n");
    CHECK_STR(second(path), "hit 1 missed 0 kept 0 compiler 0\n");
    CHECK_STR(second(path), "hit 1 missed 0 kept 0 compiler 0\n");
    drop_root();
}

// The number of calls of the driver's linker in a process that loads the file. The stand-in writes what is called.
static int links_of(const char *path, const char *expected)
{
    char line[4096];
    int links = 0, calls = 0;
    FILE *errors = tmpfile();
    REQUIRE(errors != NULL);
    CHECK_STR(second_with(path, fileno(errors)), expected);
    rewind(errors);
    while (fgets(line, sizeof line, errors) != NULL) {
        links += strstr(line, "cuLinkCreate") != NULL;
        calls += strstr(line, "cuModuleLoadData") != NULL;
    }
    fclose(errors);
    CHECK(calls > 0);
    return links;
}

TEST(second_process_has_the_driver_make_no_binary)
{
    if (strncmp(world_device(), "cuda", 4) != 0 || getenv("RILL_STAND_IN") == NULL) {
        SKIP("what the driver is asked to do is seen on the stand-in for CUDA");
    }
    make_root();
    const char *path = in_root("k.c");
    write_file(path, blocks_source);
    setenv("FAKE_CUDA_TRACE", "1", 1);
    CHECK_INT(links_of(path, "hit 0 missed 1 kept 1 compiler 1\n"), 1);
    CHECK_INT(links_of(path, "hit 1 missed 0 kept 0 compiler 0\n"), 0);
    char command[256];
    snprintf(command, sizeof command, "printf x | dd of=\"$(ls %s/*.binary)\" bs=1 seek=300 conv=notrunc 2>%s", folder,
             in_root("said"));
    CHECK_INT(system(command), 0); // a binary that is damaged is made again, once
    CHECK_INT(links_of(path, "hit 1 missed 0 kept 0 compiler 0\n"), 1);
    CHECK_INT(links_of(path, "hit 1 missed 0 kept 0 compiler 0\n"), 0);
    unsetenv("FAKE_CUDA_TRACE");
    drop_root();
}

TEST(other_order_or_grouping_of_blocks_misses)
{
    make_root();
    struct use use;
    open_with(&use, folder);
    run_text(&use, blocks_source, 16);
    run_text(&use, swapped_source, 10);
    run_text(&use, grouped_source, 16);
    rill_cache_stats stats = stats_of(&use);
    CHECK_UINT(stats.missing_count, 3);
    CHECK_UINT(stats.kept_count, 3);
    CHECK_UINT(stats.hit_count, 0);
    run_text(&use, swapped_source, 10);
    run_text(&use, blocks_source, 16);
    run_text(&use, grouped_source, 16);
    stats = stats_of(&use);
    CHECK_UINT(stats.missing_count, 3);
    CHECK_UINT(stats.hit_count, 3);
    CHECK_STR(use.logged, "");
    OK(rill_close(use.context));
    drop_root();
}

TEST(every_option_that_the_compiler_sees_is_in_the_key)
{
    make_root();
    static const rill_define one = {"X", "1"}, two = {"X", "2"}, bare = {"X", NULL};
    static const rill_header header = {"a.h", "int a;"}, longer = {"a.h", "int a;\n"};
    static const char *const dirs[] = {"/proc/nowhere", "/proc/other"};
    const rill_module_options options[] = {
        {.path = NULL},
        {.path = "other.c"},
        {.defines = &one, .define_count = 1},
        {.defines = &two, .define_count = 1},
        {.defines = &bare, .define_count = 1},
        {.headers = &header, .header_count = 1},
        {.headers = &longer, .header_count = 1},
        {.include_dirs = dirs, .include_dir_count = 1},
        {.include_dirs = dirs, .include_dir_count = 2},
        {.contract_off = true},
        {.check_bounds = true},
        {.check_races = true},
        {.check_bounds = true, .check_races = true},
        {.fast_math = true},
        {.color = true},
    };
    enum { COUNT = sizeof options / sizeof options[0] };
    struct use use;
    open_with(&use, folder);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < COUNT; i++) {
            rill_module module;
            rill_module_options given = options[i];
            given.sanitize = "off";
            OK(rill_module_create(use.context, blocks_source, &given, &module));
            OK(rill_module_destroy(module));
            CHECK_UINT(stats_of(&use).missing_count, turn == 0 ? (uint64_t)i + 1 : COUNT);
        }
    }
    CHECK_UINT(stats_of(&use).hit_count, COUNT);
    OK(rill_close(use.context));
    drop_root();
}

TEST(what_the_environment_asks_of_the_compiler_is_in_the_key)
{
    static const char *const cases[][2] = {{"RILL_CONTRACT", "off"},
                                           {"RILL_CHECK", "bounds"},
                                           {"RILL_CHECK", "races"},
                                           {"RILL_VERIFY", "1"},
                                           {"RILL_VERIFY", "calls"}};
    enum { COUNT = sizeof cases / sizeof cases[0] };
    if (getenv("RILL_CONTRACT") != NULL || getenv("RILL_CHECK") != NULL || getenv("RILL_VERIFY") != NULL) {
        SKIP("the environment asks for something already");
    }
    make_root();
    struct use use;
    open_with(&use, folder);
    for (uint64_t i = 0; i < COUNT; i++) {
        setenv(cases[i][0], cases[i][1], 1);
        run_text(&use, blocks_source, 16);
        CHECK_UINT(stats_of(&use).missing_count, i + 1);
        run_text(&use, blocks_source, 16);
        CHECK_UINT(stats_of(&use).hit_count, i + 1);
        unsetenv(cases[i][0]);
    }
    OK(rill_close(use.context));
    drop_root();
}

static const char including_source[] = "#include <rill/kernel.h>\n"
                                       "#include \"size.h\"\n"
                                       "#if __has_include(\"more.h\")\n"
                                       "#define FACTOR 3\n"
                                       "#else\n"
                                       "#define FACTOR 2\n"
                                       "#endif\n"
                                       "kernel void f(int n, int a[n], int b[n], const int c[n])\n"
                                       "{ for (int i = 0; i < n; i++) { a[i] = c[i] + 1; b[i] = SIZE * FACTOR; } }\n";

static void load(struct use *use, const char *path, const char *dir, int b_expected)
{
    rill_module module;
    const char *dirs[] = {in_root("first"), dir};
    rill_module_options options = plain();
    options.include_dirs = dirs;
    options.include_dir_count = 2;
    OK(rill_module_load(use->context, path, &options, &module));
    check_module(use, module, b_expected);
    OK(rill_module_destroy(module));
}

TEST(included_file_that_changes_comes_or_goes_is_a_miss)
{
    make_root();
    char path[160], dir[160];
    snprintf(path, sizeof path, "%s", in_root("k.c"));
    snprintf(dir, sizeof dir, "%s", in_root("second"));
    CHECK_INT(mkdir(in_root("first"), 0700), 0);
    CHECK_INT(mkdir(dir, 0700), 0);
    write_file(path, including_source);
    write_file(in_root("second/size.h"), "#define SIZE 10\n");
    struct use use;
    open_with(&use, folder);
    load(&use, path, dir, 20);
    load(&use, path, dir, 20);
    CHECK_UINT(stats_of(&use).hit_count, 1);
    write_file(in_root("second/size.h"), "#define SIZE 11\n"); // of the same length
    load(&use, path, dir, 22);
    CHECK_UINT(stats_of(&use).changed_count, 1);
    CHECK_CONTAINS(use.logged, "second/size.h has changed");
    write_file(in_root("first/size.h"), "#define SIZE 12\n"); // is found before the other
    load(&use, path, dir, 24);
    CHECK_UINT(stats_of(&use).changed_count, 2);
    write_file(in_root("more.h"), ""); // is only asked for
    load(&use, path, dir, 36);
    CHECK_UINT(stats_of(&use).changed_count, 3);
    load(&use, path, dir, 36);
    CHECK_UINT(stats_of(&use).hit_count, 2);
    CHECK_INT(unlink(in_root("more.h")), 0);
    load(&use, path, dir, 24);
    CHECK_INT(unlink(in_root("first/size.h")), 0);
    load(&use, path, dir, 22);
    CHECK_UINT(stats_of(&use).changed_count, 5);
    CHECK_UINT(stats_of(&use).kept_count, 6);
    OK(rill_close(use.context));
    drop_root();
}

static const char warning_source[] = "#include <rill/kernel.h>\n"
                                     "#warning look here\n"
                                     "#warning and here\n"
                                     "kernel void f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = i; }\n";

TEST(diagnostics_are_those_of_the_compile)
{
    make_root();
    struct use use;
    open_with(&use, folder);
    rill_diagnostics said[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        rill_module module;
        rill_module_options options = {.sanitize = "off", .path = "warn.c", .diagnostics = &said[i]};
        OK(rill_module_create(use.context, warning_source, &options, &module));
    }
    CHECK_UINT(stats_of(&use).hit_count, 1);
    CHECK(said[0].count >= 2);
    REQUIRE(said[0].count == said[1].count);
    CHECK_UINT(said[1].warning_count, said[0].warning_count);
    for (size_t i = 0; i < said[0].count; i++) {
        CHECK_INT(said[1].items[i].severity, said[0].items[i].severity);
        CHECK_INT(said[1].items[i].line, said[0].items[i].line);
        CHECK_INT(said[1].items[i].column, said[0].items[i].column);
        CHECK_STR(said[1].items[i].file, said[0].items[i].file);
        CHECK_STR(said[1].items[i].text, said[0].items[i].text);
        CHECK_STR(said[1].items[i].rendered, said[0].items[i].rendered);
    }
    rill_diagnostics_free(&said[0]);
    rill_diagnostics_free(&said[1]);
    OK(rill_close(use.context));
    drop_root();
}

TEST(what_does_not_compile_is_not_kept)
{
    make_root();
    struct use use;
    open_with(&use, folder);
    rill_module module;
    rill_module_options options = plain();
    for (int i = 0; i < 2; i++) {
        STATUS(rill_module_create(use.context, "int x = unknown;", &options, &module), RILL_ERR_COMPILE);
    }
    CHECK_UINT(stats_of(&use).missing_count, 2);
    CHECK_UINT(stats_of(&use).kept_count, 0);
    OK(rill_close(use.context));
    drop_root();
}

TEST(explain_of_a_module_that_was_found_asks_the_compiler)
{
    make_root();
    struct use use;
    open_with(&use, folder);
    rill_module_options options = plain();
    for (int i = 0; i < 2; i++) {
        rill_module module;
        char *text = NULL;
        OK(rill_module_create(use.context, blocks_source, &options, &module));
        OK(rill_module_explain(module, &text));
        CHECK_CONTAINS(text, "kernel f");
        rill_free(text);
    }
    CHECK_UINT(stats_of(&use).hit_count, 1);
    OK(rill_close(use.context));
    drop_root();
}

// ---- damage -------------------------------------------------------------------------------------------------------

static size_t read_image(const char *path, unsigned char *out, size_t size)
{
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    size_t got = fread(out, 1, size, file);
    fclose(file);
    return got;
}

static void write_image(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    REQUIRE(fwrite(bytes, 1, size, file) == size);
    REQUIRE(fclose(file) == 0);
}

TEST(damaged_entry_is_reported_once_replaced_and_never_run)
{
    make_root();
    char path[512];
    struct use use;
    open_with(&use, folder);
    run_text(&use, blocks_source, 16);
    find_image(path, sizeof path);
    static unsigned char whole[1 << 20], bytes[sizeof whole];
    size_t size = read_image(path, whole, sizeof whole);
    REQUIRE(size > 1000 && size < sizeof whole);
    uint64_t damaged = 0;
    for (int i = 0; i < 24; i++) {
        size_t at = i < 8 ? (size_t)i * 24 : size / 16 * (size_t)(i - 8); // the header, and all that follows
        size_t left = i % 3 == 2 ? at : size;
        memcpy(bytes, whole, size);
        bytes[at] ^= 0x40;
        write_image(path, bytes, left);
        run_text(&use, blocks_source, 16);
        CHECK_UINT(stats_of(&use).damaged_count, ++damaged);
        CHECK_UINT(stats_of(&use).hit_count, damaged - 1);
        run_text(&use, blocks_source, 16); // it was replaced
        CHECK_UINT(stats_of(&use).hit_count, damaged);
    }
    int warnings = 0;
    for (const char *at = use.logged; (at = strstr(at, "1: ")) != NULL; at++) {
        warnings += at == use.logged || at[-1] == '\n';
    }
    CHECK_INT(warnings, 1);
    OK(rill_close(use.context));
    drop_root();
}

// ---- folders ------------------------------------------------------------------------------------------------------

static void expect_none(const char *cache, const char *words)
{
    struct use use;
    open_with(&use, cache);
    run_text(&use, blocks_source, 16);
    run_text(&use, blocks_source, 16);
    rill_cache_stats stats = stats_of(&use);
    CHECK_UINT(stats.hit_count, 0);
    CHECK_UINT(stats.kept_count, 0);
    CHECK_CONTAINS(use.logged, words);
    OK(rill_close(use.context));
}

TEST(without_a_folder_that_can_be_used_everything_is_compiled_and_it_is_said_once)
{
    make_root();
    expect_none("off", "");
    expect_none("/proc/nowhere/rill", "2: the cache /proc/nowhere/rill cannot be opened");
    CHECK_INT(mkdir(folder, 0700), 0);
    CHECK_INT(chmod(folder, 0777), 0);
    expect_none(folder, "1: others may write to the cache");
    CHECK_INT(symlink(root, in_root("link")), 0);
    expect_none(in_root("link"), "is a symbolic link");
    drop_root();
}

TEST(environment_names_the_folder_where_the_program_does_not)
{
    make_root();
    const char *before = getenv("RILL_CACHE");
    char *kept = before != NULL ? strdup(before) : NULL;
    const char *base_before = getenv("XDG_CACHE_HOME");
    char *base_kept = base_before != NULL ? strdup(base_before) : NULL;
    struct use use;
    struct stat info;
    setenv("RILL_CACHE", in_root("named"), 1);
    open_with(&use, NULL);
    run_text(&use, blocks_source, 16);
    OK(rill_close(use.context));
    CHECK_INT(stat(in_root("named"), &info), 0);
    CHECK_INT(info.st_mode & 0777, 0700);
    unsetenv("RILL_CACHE");
    setenv("XDG_CACHE_HOME", root, 1);
    open_with(&use, NULL);
    run_text(&use, blocks_source, 16);
    OK(rill_close(use.context));
    CHECK_INT(stat(in_root("rill"), &info), 0);
    setenv("RILL_CACHE", "off", 1);
    open_with(&use, NULL);
    run_text(&use, blocks_source, 16);
    CHECK_UINT(stats_of(&use).missing_count, 0);
    OK(rill_close(use.context));
    open_with(&use, in_root("named")); // the program's word is the last one
    run_text(&use, blocks_source, 16);
    CHECK_UINT(stats_of(&use).hit_count, 1);
    OK(rill_close(use.context));
    if (kept != NULL) {
        setenv("RILL_CACHE", kept, 1);
    }
    unsetenv("XDG_CACHE_HOME");
    if (base_kept != NULL) {
        setenv("XDG_CACHE_HOME", base_kept, 1);
    }
    free(kept);
    free(base_kept);
    drop_root();
}

TEST(instrumented_kernels_are_not_kept)
{
    if (!world_is_cpu()) {
        SKIP("there are none on a GPU");
    }
    make_root();
    struct use use;
    open_with(&use, folder);
    rill_module module;
    // It does not load where the program has no such runtime, which is not asked here.
    RILL_IGNORE(rill_module_create(use.context, blocks_source, &(rill_module_options){.sanitize = "address"}, &module));
    CHECK_UINT(stats_of(&use).passed_count, 1);
    CHECK_UINT(stats_of(&use).missing_count, 0);
    CHECK_UINT(stats_of(&use).kept_count, 0);
    OK(rill_close(use.context));
    drop_root();
}

static void count_entry(void *user, const rill_cache_entry *entry)
{
    int *counts = user;
    counts[0] += !entry->is_binary;
    counts[1] += entry->problem[0] != '\0';
    CHECK(entry->size > 0 && entry->used > 0 && (entry->label[0] != '\0' || entry->problem[0] != '\0'));
}

TEST(folder_is_visited_and_emptied)
{
    make_root();
    char path[512], small[4];
    int counts[2] = {0};
    uint64_t removed = 77;
    OK(rill_cache_folder(folder, path, sizeof path));
    CHECK_STR(path, folder);
    STATUS(rill_cache_folder(folder, small, sizeof small), RILL_ERR_LIMIT);
    STATUS(rill_cache_folder("off", path, sizeof path), RILL_ERR_NOT_FOUND);
    STATUS(rill_cache_folder(folder, NULL, 0), RILL_ERR_INVALID);
    STATUS(rill_cache_visit(folder, NULL, NULL), RILL_ERR_INVALID);
    OK(rill_cache_visit(folder, count_entry, counts));
    CHECK_INT(counts[0], 0);
    CHECK_INT(access(folder, F_OK), -1); // it was not made
    struct use use;
    open_with(&use, folder);
    run_text(&use, blocks_source, 16);
    find_image(path, sizeof path);
    run_text(&use, swapped_source, 10);
    OK(rill_cache_visit(folder, count_entry, counts));
    CHECK_INT(counts[0], 2);
    CHECK_INT(counts[1], 0);
    CHECK_INT(truncate(path, 300), 0);
    OK(rill_cache_visit(folder, count_entry, counts));
    CHECK_INT(counts[1], 1);
    OK(rill_cache_remove(folder, true, &removed));
    CHECK_UINT(removed, 1);
    run_text(&use, swapped_source, 10);
    CHECK_UINT(stats_of(&use).hit_count, 1);
    OK(rill_cache_remove(folder, false, NULL));
    run_text(&use, swapped_source, 10);
    CHECK_UINT(stats_of(&use).missing_count, 3);
    CHECK_INT(chmod(folder, 0777), 0);
    STATUS(rill_cache_visit(folder, count_entry, counts), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "rill_cache_visit: others may write to the cache");
    STATUS(rill_cache_visit("/dev/null", count_entry, counts), RILL_ERR_IO);
    OK(rill_close(use.context));
    drop_root();
}

// ---- many at once -------------------------------------------------------------------------------------------------

static void *run_in_thread(void *arg)
{
    const struct use *use = arg;
    for (int i = 0; i < 3; i++) {
        run_text(use, blocks_source, 16);
        run_text(use, swapped_source, 10);
    }
    return NULL;
}

TEST(threads_that_compile_the_same_at_once_are_all_right)
{
    enum { THREADS = 4 };
    make_root();
    struct use use;
    open_with(&use, folder);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, run_in_thread, &use) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    rill_cache_stats stats = stats_of(&use);
    CHECK_UINT(stats.hit_count + stats.missing_count, 6 * THREADS);
    CHECK(stats.hit_count >= 4 * THREADS); // each thread finds its own at the latest
    CHECK_UINT(stats.damaged_count, 0);
    CHECK_STR(use.logged, "");
    OK(rill_close(use.context));
    drop_root();
}

static uint64_t microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

// Everything in the folder but the entries that are expected there, which are removed.
static int drop_entries(void)
{
    int others = 0;
    DIR *directory = opendir(folder);
    REQUIRE(directory != NULL);
    for (struct dirent *at = readdir(directory); at != NULL; at = readdir(directory)) {
        const char *ending = strrchr(at->d_name, '.');
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, at->d_name);
        if (strcmp(ending, ".image") == 0 || strcmp(ending, ".binary") == 0) {
            CHECK_INT(unlink(path), 0);
        } else {
            others += at->d_name[0] != '.' || strlen(at->d_name) > 2;
        }
    }
    closedir(directory);
    return others;
}

enum { MOST_PROCESSES = 64 };

struct crowd {
    pid_t children[MOST_PROCESSES];
    uint64_t ends[MOST_PROCESSES]; // microseconds after the beginning at which it is killed; 0: never
    int killed_count;              // that were still running then
};

// Starts |count| at once and kills some, each at a time of its own within |span| microseconds.
static void run_crowd(struct crowd *crowd, int count, uint64_t span, const char *path, int silent, unsigned *seed)
{
    for (int i = 0; i < count; i++) {
        bool is_victim = rand_r(seed) % 3 == 0;
        crowd->ends[i] = is_victim ? 1 + (uint64_t)rand_r(seed) % (span + 1) : 0;
        crowd->children[i] = start_second(path, (struct second){.output = silent, .errors = -1});
    }
    uint64_t begun = microseconds();
    for (int left = count; left > 0;) {
        usleep(200);
        for (int i = 0; i < count; i++) {
            int status = 1;
            if (crowd->children[i] == 0) {
                continue;
            }
            if (crowd->ends[i] != 0 && microseconds() - begun >= crowd->ends[i]) {
                kill(crowd->children[i], SIGKILL);
            }
            if (waitpid(crowd->children[i], &status, WNOHANG) == crowd->children[i]) {
                bool is_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
                CHECK(status == 0 || (is_killed && crowd->ends[i] != 0));
                crowd->killed_count += is_killed;
                crowd->children[i] = 0;
                left--;
            }
        }
    }
}

TEST(processes_on_an_empty_cache_of_which_some_are_killed_leave_it_usable)
{
    bool is_long = getenv("RILL_TEST_LONG") != NULL;
    int count = is_long ? MOST_PROCESSES : 6, rounds = is_long ? 100 : 2;
    unsigned seed = 1;
    uint64_t span = 100000;
    int killed = 0, kept = 0;
    if (is_long) {
        alarm(3600); // a hundred rounds take minutes, on a busy machine a quarter of an hour
    }
    make_root();
    char path[160];
    snprintf(path, sizeof path, "%s", in_root("k.c"));
    write_file(path, blocks_source);
    int silent = open("/dev/null", O_WRONLY);
    for (int round = 0; round < rounds; round++) {
        struct crowd crowd = {.killed_count = 0};
        uint64_t begun = microseconds();
        run_crowd(&crowd, count, span, path, silent, &seed);
        span = microseconds() - begun; // of the next round
        killed += crowd.killed_count;
        const char *said = second(path);
        bool was_kept = strcmp(said, "hit 1 missed 0 kept 0 compiler 0\n") == 0;
        kept += was_kept;
        CHECK(was_kept || strcmp(said, "hit 0 missed 1 kept 1 compiler 1\n") == 0); // all of them may have been killed
        CHECK_STR(second(path), "hit 1 missed 0 kept 0 compiler 0\n");
        CHECK_INT(drop_entries(), 0);
        CHECK_INT(rmdir(folder), 0); // nothing else was left there
    }
    printf("  %d rounds of %d processes: %d were killed, the entry was there after %d rounds\n", rounds, count, killed,
           kept);
    close(silent);
    drop_root();
}

// ---- calls that fail ----------------------------------------------------------------------------------------------

#ifndef WORLD_FINDS_RACES
static _Thread_local long fail_at; // 0: never
static _Thread_local long seen;
static bool has_no_unnamed; // the file system has no files without a name
static bool is_to_die;      // at |fail_at|

static void die_at(const char *operation, const char *names)
{
    is_to_die = operation != NULL;
    fail_at = operation != NULL ? atol(operation) : 0;
    has_no_unnamed = names != NULL;
}

// Exported, so that the library calls these.
#define EXPORTED __attribute__((visibility("default")))

static bool must_fail(void)
{
    if (fail_at == 0 || ++seen != fail_at) {
        return false;
    }
    if (is_to_die) {
        kill(getpid(), SIGKILL);
    }
    errno = EIO;
    return true;
}

#include <sys/syscall.h>

EXPORTED int openat(int in, const char *path, int flags, ...)
{
    if (has_no_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return must_fail() ? -1 : (int)syscall(SYS_openat, in, path, flags, 0600);
}

EXPORTED ssize_t write(int fd, const void *bytes, size_t size)
{
    return must_fail() ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, size);
}

EXPORTED ssize_t read(int fd, void *bytes, size_t size)
{
    return must_fail() ? -1 : (ssize_t)syscall(SYS_read, fd, bytes, size);
}

EXPORTED int linkat(int from_folder, const char *from, int in, const char *name, int flags)
{
    return must_fail() ? -1 : (int)syscall(SYS_linkat, from_folder, from, in, name, flags);
}

EXPORTED int renameat(int from_folder, const char *from, int in, const char *name)
{
    return must_fail() ? -1 : (int)syscall(SYS_renameat2, from_folder, from, in, name, 0);
}

EXPORTED int unlinkat(int in, const char *name, int flags)
{
    return must_fail() ? -1 : (int)syscall(SYS_unlinkat, in, name, flags);
}

TEST(nth_file_operation_fails_and_every_module_is_made)
{
    for (long n = 1;; n++) {
        make_root();
        struct use use;
        rill_module module;
        rill_module_options options = plain();
        open_with(&use, folder);
        bool was_reached = false;
        for (int turn = 0; turn < 2; turn++) {
            seen = turn == 0 ? 0 : seen;
            fail_at = n;
            rill_status status = rill_module_create(use.context, blocks_source, &options, &module);
            was_reached = seen >= n;
            fail_at = 0;
            OK(status);
            if (status == RILL_OK) {
                check_module(&use, module, 16);
                OK(rill_module_destroy(module));
            }
        }
        run_text(&use, blocks_source, 16);
        OK(rill_close(use.context));
        drop_root();
        if (!was_reached) {
            CHECK(n > 5);
            break;
        }
        REQUIRE(n < 200);
    }
}

// Makes what lies in the folder two minutes older, and counts it.
static int age_others(void)
{
    int others = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *at = directory != NULL ? readdir(directory) : NULL; at != NULL; at = readdir(directory)) {
        if (strncmp(at->d_name, ".new-", 5) == 0) {
            struct timespec times[2] = {{time(NULL) - 120, 0}, {time(NULL) - 120, 0}};
            CHECK_INT(utimensat(dirfd(directory), at->d_name, times, 0), 0);
            others++;
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return others;
}

static void kill_at_each(const char *naming, int *out_left)
{
    char path[160], operation[24];
    make_root();
    snprintf(path, sizeof path, "%s", in_root("k.c"));
    write_file(path, blocks_source);
    int silent = open("/dev/null", O_WRONLY), status;
    *out_left = 0;
    for (long n = 1;; n++) {
        snprintf(operation, sizeof operation, "%ld", n);
        struct second how = {.output = silent, .errors = -1, .dies = operation, .naming = naming};
        pid_t child = start_second(path, how);
        CHECK_INT(waitpid(child, &status, 0), child);
        bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        CHECK(was_killed || status == 0);
        *out_left += age_others();
        const char *said = second(path);
        CHECK(strcmp(said, "hit 1 missed 0 kept 0 compiler 0\n") == 0 ||
              strcmp(said, "hit 0 missed 1 kept 1 compiler 1\n") == 0);
        CHECK_INT(drop_entries(), 0);
        if (!was_killed) {
            CHECK(n > 4);
            break;
        }
        REQUIRE(n < 100);
    }
    close(silent);
    drop_root();
}

TEST(process_killed_at_the_nth_file_operation_leaves_a_usable_folder)
{
    int left;
    kill_at_each(NULL, &left);
    CHECK_INT(left, 0);
    kill_at_each("named", &left);
    CHECK(left > 0); // until the next process kept something
}
#else
static void die_at(const char *operation, const char *names)
{
    (void)operation;
    (void)names;
}
#endif
