// Packages: what was built ahead of time runs without the compiler and is the same in everything else; what does not
// fit the device, or is no package, is said. tests/cli/build_test.py has the object and the header.
#include "world.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "#include <assert.h>\n"
                             "int counter[4] = {1, 2, 3, 4};\n"
                             "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n"
                             "kernel long sum(int n, const int x[n])\n"
                             "{ long s = 0; for (int i = 0; i < n; i++) s += x[i]; counter[0]++; return s; }\n"
                             "kernel void check(int n, const int x[n])\n"
                             "{ for (int i = 0; i < n; i++)\n"
                             "    assert(x[i] < 10); }\n"
                             "kernel void loose(int n, int *x) { for (int i = 0; i < n; i++) x[i] = i; }\n"
                             "kernel void pair(int n, int a[n], int b[n])\n"
                             "{ stream_parallel { for (int i = 0; i < n; i++) a[i] = i; }\n"
                             "  stream_parallel { for (int i = 0; i < n; i++) b[i] = -i; } }\n";
enum { ADD, SUM, CHECK_KERNEL, LOOSE, PAIR, KERNEL_COUNT };
enum { N = 100 };

// ---- building -----------------------------------------------------------------------------------------------------

static bool is_amd(void)
{
    return strncmp(world_device(), "amdgpu", 6) == 0;
}

// For the devices that these programs run on: what is built for AMD's GPUs runs on exactly those.
static void build_with(rill_package_options options, rill_built *out)
{
    static const char *const portable[] = {"portable"};
    static const char *const amd[] = {"gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1101"};
    if (options.targets == NULL) {
        options.targets = is_amd() ? amd : portable;
        options.target_count = is_amd() ? sizeof amd / sizeof amd[0] : 1;
    }
    OK(rill_package_build(source, &(rill_module_options){.path = "some/ahead.c"}, &options, out));
    REQUIRE(out->package != NULL);
}

static rill_package package_of(const rill_built *built)
{
    return (rill_package){.bytes = built->package, .size = built->package_size};
}

// No context opened until it is let go finds the compiler. What is instrumented is compiled, so nothing is.
static void hide_compiler(void)
{
    setenv("RILL_COMPILER", "/nowhere/librill-compiler.so", 1);
    setenv("RILL_SANITIZE", "off", 1);
}

static void show_compiler(void)
{
    unsetenv("RILL_COMPILER");
    unsetenv("RILL_SANITIZE");
}

static void open_bare(struct world *world)
{
    memset(world, 0, sizeof *world);
    rill_open_options options = {.log = world_log, .log_user = world, .cache = "off"};
    OK(rill_open(world_device(), &options, &world->context));
}

static rill_stats stats_of(const struct world *world)
{
    rill_stats stats;
    OK(rill_context_stats(world->context, &stats));
    return stats;
}

// ---- it is the same -----------------------------------------------------------------------------------------------

TEST(a_package_runs_without_the_compiler)
{
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead"}, &built);
    hide_compiler();
    open_bare(&world);
    rill_package package = package_of(&built);
    rill_stream stream = rill_default_stream(world.context);
    int x[N];
    long sum = 0;
    for (int i = 0; i < N; i++) {
        x[i] = i;
    }
    OK(rill_package_launch(&package, ADD, NULL, stream, RILL_ARGS(N, 3, RILL_HOST(x, N))));
    OK(rill_package_call(&package, SUM, stream, RILL_ARGS(N, RILL_HOST(x, N)), &sum, sizeof sum));
    CHECK_INT(sum, N * (N - 1) / 2 + 3 * N);
    rill_array result;
    OK(rill_array_create(world.context, RILL_I64, RILL_SHAPE(1), &result));
    OK(rill_package_launch_result(&package, SUM, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N)), result));
    sum = 0;
    OK(rill_array_read(result, stream, &sum, sizeof sum));
    CHECK_INT(sum, N * (N - 1) / 2 + 3 * N);
    rill_stats stats = stats_of(&world);
    CHECK_INT(stats.ahead_count, 1);
    CHECK_INT(stats.ahead_compiled_count, 0);
    rill_module module;
    STATUS(rill_module_create(world.context, source, NULL, &module), RILL_ERR_NO_COMPILER);
    OK(rill_close(world.context));
    show_compiler();
    rill_built_free(&built);
}

TEST(fields_blocks_and_reflection_are_those_of_a_compile)
{
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead"}, &built);
    hide_compiler();
    open_bare(&world);
    rill_package package = package_of(&built);
    rill_module module, again;
    OK(rill_package_module(world.context, &package, &module));
    OK(rill_package_module(world.context, &package, &again));
    CHECK(module.id == again.id);
    size_t count;
    OK(rill_module_kernel_count(module, &count));
    CHECK_INT(count, KERNEL_COUNT);
    rill_kernel kernel, by_name;
    rill_kernel_info info;
    rill_param_info param;
    OK(rill_package_kernel(world.context, &package, SUM, &kernel));
    OK(rill_module_kernel(module, "sum", &by_name));
    CHECK(kernel.id == by_name.id);
    OK(rill_kernel_describe(kernel, &info));
    CHECK_STR(info.name, "sum");
    CHECK_STR(info.file, "some/ahead.c");
    CHECK_INT(info.line, 5);
    OK(rill_kernel_param(kernel, 1, &param));
    CHECK(param.is_array && param.is_const && param.rank == 1);
    int counter[4] = {0}, x[1] = {9}, a[N], b[N];
    OK(rill_call(kernel, RILL_CURRENT, RILL_ARGS(1, RILL_HOST(x, 1)), NULL, 0));
    OK(rill_field_read(module, "counter", RILL_CURRENT, counter, sizeof counter));
    CHECK_INT(counter[0], 2);
    CHECK_INT(counter[3], 4);
    OK(rill_package_launch(&package, PAIR, NULL, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(a, N), RILL_HOST(b, N))));
    OK(rill_sync(world.context));
    CHECK_INT(a[N - 1] + b[N - 1], 0);
    CHECK_INT(a[7], 7);
    STATUS(rill_package_kernel(world.context, &package, KERNEL_COUNT, &kernel), RILL_ERR_INVALID);
    OK(rill_close(world.context));
    show_compiler();
    rill_built_free(&built);
}

TEST(a_failed_assertion_names_the_line_of_the_source)
{
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead"}, &built);
    open_bare(&world);
    rill_package package = package_of(&built);
    int x[3] = {1, 11, 2};
    STATUS(rill_package_call(&package, CHECK_KERNEL, RILL_CURRENT, RILL_ARGS(3, RILL_HOST(x, 3)), NULL, 0),
           RILL_ERR_ASSERT);
    CHECK_CONTAINS(rill_message(), "kernel 'check', some/ahead.c:9: the assertion 'x[i] < 10' failed in iteration 1");
    OK(rill_close(world.context));
    rill_built_free(&built);
}

TEST(memory_may_be_as_long_as_the_parameter_says)
{
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead"}, &built);
    open_bare(&world);
    rill_package package = package_of(&built);
    int x[N] = {0};
    rill_arg whole = rill_arg_memory(RILL_ARG_HOST, RILL_I32, x, RILL_WHOLE, sizeof x[0]);
    OK(rill_package_call(&package, ADD, RILL_CURRENT, RILL_ARGS(N, 5, whole), NULL, 0));
    CHECK_INT(x[0], 5);
    CHECK_INT(x[N - 1], 5);
    OK(rill_package_call(&package, ADD, RILL_CURRENT, RILL_ARGS(N / 2, 5, whole), NULL, 0));
    CHECK_INT(x[N / 2 - 1], 10);
    CHECK_INT(x[N / 2], 5);
    STATUS(rill_package_call(&package, ADD, RILL_CURRENT, RILL_ARGS(-1, 5, whole), NULL, 0), RILL_ERR_ARGUMENTS);
    STATUS(rill_package_call(&package, LOOSE, RILL_CURRENT, RILL_ARGS(N, whole), NULL, 0), RILL_ERR_ARGUMENTS);
    CHECK_CONTAINS(rill_message(), "pass RILL_HOST or RILL_PTR with a count");
    whole.value.pointer = NULL;
    STATUS(rill_package_call(&package, ADD, RILL_CURRENT, RILL_ARGS(N, 5, whole), NULL, 0), RILL_ERR_ARGUMENTS);
    OK(rill_package_call(&package, ADD, RILL_CURRENT, RILL_ARGS(0, 5, whole), NULL, 0));
    OK(rill_close(world.context));
    rill_built_free(&built);
}

TEST(a_module_that_was_destroyed_is_opened_again)
{
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead"}, &built);
    open_bare(&world);
    rill_package package = package_of(&built);
    int x[1] = {0};
    rill_module module;
    for (int i = 0; i < 3; i++) {
        OK(rill_package_launch(&package, ADD, NULL, RILL_CURRENT, RILL_ARGS(1, 1, RILL_HOST(x, 1))));
        OK(rill_sync(world.context));
        OK(rill_package_module(world.context, &package, &module));
        OK(rill_module_destroy(module));
    }
    CHECK_INT(x[0], 3);
    CHECK_INT(stats_of(&world).ahead_count + stats_of(&world).ahead_compiled_count, 3);
    rill_array none = {0};
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(1), &none));
    OK(rill_array_destroy(none));
    STATUS(rill_package_launch(&package, ADD, NULL, RILL_CURRENT, RILL_ARGS(1, 1, none)), RILL_ERR_STALE);
    OK(rill_close(world.context));
    rill_built_free(&built);
}

TEST(each_context_has_a_module_of_its_own_and_current_must_be_one)
{
    rill_built built;
    struct world first, second;
    build_with((rill_package_options){.name = "ahead"}, &built);
    open_bare(&first);
    open_bare(&second);
    rill_package package = package_of(&built);
    rill_module one, other;
    OK(rill_package_module(first.context, &package, &one));
    OK(rill_package_module(second.context, &package, &other));
    CHECK(one.id != other.id);
    int x[1] = {0};
    STATUS(rill_package_launch(&package, ADD, NULL, RILL_CURRENT, RILL_ARGS(1, 1, RILL_HOST(x, 1))), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "does not say of which context");
    rill_stream stream = rill_default_stream(second.context);
    OK(rill_package_launch(&package, ADD, NULL, stream, RILL_ARGS(1, 1, RILL_HOST(x, 1))));
    OK(rill_stream_synchronize(stream));
    CHECK_INT(x[0], 1);
    STATUS(rill_package_launch(&package, ADD, NULL, (rill_stream){0}, RILL_ARGS(1, 1, RILL_HOST(x, 1))),
           RILL_ERR_NULL_HANDLE);
    STATUS(rill_package_launch(NULL, ADD, NULL, stream, RILL_ARGS(1, 1, RILL_HOST(x, 1))), RILL_ERR_INVALID);
    OK(rill_close(first.context));
    OK(rill_close(second.context));
    rill_built_free(&built);
}

struct racer {
    const rill_package *package;
    rill_context context;
    int x[1];
};

static void *race(void *user)
{
    struct racer *racer = user;
    rill_stream stream;
    OK(rill_stream_create(racer->context, NULL, &stream));
    for (int i = 0; i < 20; i++) {
        OK(rill_package_launch(racer->package, ADD, NULL, stream, RILL_ARGS(1, 1, RILL_HOST(racer->x, 1))));
    }
    OK(rill_stream_destroy(stream));
    return NULL;
}

TEST(threads_that_come_first_at_once_open_it_once)
{
    enum { THREADS = 8 };
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead"}, &built);
    open_bare(&world);
    rill_package package = package_of(&built);
    pthread_t threads[THREADS];
    struct racer racers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        racers[i] = (struct racer){.package = &package, .context = world.context};
        REQUIRE(pthread_create(&threads[i], NULL, race, &racers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(racers[i].x[0], 20);
    }
    rill_stats stats = stats_of(&world);
    CHECK_INT(stats.ahead_count + stats.ahead_compiled_count, 1);
    CHECK_INT(stats.module_count, 1);
    OK(rill_close(world.context));
    rill_built_free(&built);
}

TEST(warnings_are_those_of_the_build_and_loops_in_order_are_told_at_the_launch)
{
    static const char text[] = "#include <rill/kernel.h>\n"
                               "kernel void follow(int n, const int at[n], float a[n])\n"
                               "{ for (int i = 1; i < n; i++) a[i] = a[at[i]] + a[i - 1] * a[i - 1]; }\n"
                               "kernel void doubtful(int n, unsigned a[n])\n"
                               "{\n"
                               "#pragma rill parallel\n"
                               "    for (int i = 0; i < n; i++) a[i / 2] = i;\n"
                               "}\n";
    if (!world_is_cpu()) {
        SKIP("it is the same on every device");
    }
    rill_built built;
    rill_diagnostics diagnostics = {0};
    struct world world;
    OK(rill_package_build(text, &(rill_module_options){.diagnostics = &diagnostics}, NULL, &built));
    CHECK(diagnostics.warning_count >= 2);
    rill_diagnostics_free(&diagnostics);
    open_bare(&world);
    rill_package package = package_of(&built);
    int at[2] = {0};
    float a[2] = {0};
    OK(rill_package_call(&package, 1, RILL_CURRENT, RILL_ARGS(2, RILL_HOST((unsigned *)at, 2)), NULL, 0));
    CHECK(strstr(world.logged, "left to chance") == NULL);
    OK(rill_package_call(&package, 0, RILL_CURRENT, RILL_ARGS(2, RILL_HOST(at, 2), RILL_HOST(a, 2)), NULL, 0));
    CHECK_CONTAINS(world.logged, "2: kernel 'follow', kernel.c:3: this loop runs in order");
    OK(rill_close(world.context));
    rill_built_free(&built);
}

// ---- which code is taken ------------------------------------------------------------------------------------------

// Runs a package without the compiler; what was logged stays in |world|.
static void run_bare(const rill_package *package, struct world *world)
{
    int x[N] = {0};
    open_bare(world);
    OK(rill_package_call(package, ADD, RILL_CURRENT, RILL_ARGS(N, 3, RILL_HOST(x, N)), NULL, 0));
    CHECK_INT(x[N - 1], 3);
    CHECK_INT(stats_of(world).ahead_count, 1);
    CHECK_INT(stats_of(world).ahead_compiled_count, 0);
    OK(rill_close(world->context));
}

TEST(each_processor_runs_the_code_of_its_level)
{
    if (!world_is_cpu()) {
        SKIP("it is about processors");
    }
    static const char *const levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    static const char *const taken[] = {"for x86-64\n", "for x86-64\n", "for x86-64-v3\n", "for x86-64-v4\n"};
    const char *all[] = {"cpu", "sm_80", "gfx942"}, *high[] = {"x86-64-v3"};
    rill_built built, above;
    struct world world;
    build_with((rill_package_options){.name = "ahead", .targets = all, .target_count = 3}, &built);
    build_with((rill_package_options){.name = "above", .targets = high, .target_count = 1}, &above);
    hide_compiler();
    rill_package package = package_of(&built), other = package_of(&above);
    for (int i = 0; i < 4; i++) {
        setenv("RILL_PROCESSOR", levels[i], 1);
        run_bare(&package, &world);
        int own = __builtin_cpu_supports("x86-64-v4") ? 3 : __builtin_cpu_supports("x86-64-v3") ? 2 : 1;
        CHECK_CONTAINS(world.logged, "'some/ahead.c' runs as it was built ");
        CHECK_CONTAINS(world.logged, taken[i < own ? i : own]);
    }
    setenv("RILL_PROCESSOR", "x86-64-v2", 1);
    open_bare(&world);
    rill_module module;
    STATUS(rill_package_module(world.context, &other, &module), RILL_ERR_NO_COMPILER);
    CHECK_CONTAINS(rill_message(), "was built for x86-64-v3, this is a CPU of the level x86-64");
    OK(rill_close(world.context));
    unsetenv("RILL_PROCESSOR");
    show_compiler();
    rill_built_free(&above);
    rill_built_free(&built);
}

TEST(each_gpu_runs_the_code_of_its_architecture)
{
    if (strncmp(world_device(), "cuda", 4) != 0 || getenv("RILL_STAND_IN") == NULL) {
        SKIP("the stand-in for CUDA has any architecture");
    }
    static const char *const given = "FAKE_CUDA_ATTRIBUTE"; // 75 is the first number of the architecture
    static const char *const pairs[][2] = {
        {"75:7", "for sm_70\n"}, {"75:8", "for sm_80\n"}, {"75:9", "for sm_90\n"}, {"75:12", "for sm_90\n"}};
    const char *targets[] = {"portable", "sm_80", "sm_90"};
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead", .targets = targets, .target_count = 3}, &built);
    hide_compiler();
    rill_package package = package_of(&built);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        setenv(given, pairs[i][0], 1);
        run_bare(&package, &world);
        CHECK_CONTAINS(world.logged, pairs[i][1]);
    }
    setenv(given, "75:6", 1);
    open_bare(&world);
    rill_module module;
    STATUS(rill_package_module(world.context, &package, &module), RILL_ERR_NO_COMPILER);
    CHECK_CONTAINS(rill_message(), "x86-64-v4, sm_70, sm_80, sm_90, this is a GPU of the architecture sm_6");
    OK(rill_close(world.context));
    unsetenv(given);
    show_compiler();
    rill_built_free(&built);
}

// ---- what does not fit --------------------------------------------------------------------------------------------

// A target that no device of these tests has.
static const char *const elsewhere[] = {"gfx900"};

TEST(a_device_that_was_not_named_is_served_from_the_source)
{
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead", .targets = elsewhere, .target_count = 1}, &built);
    open_bare(&world);
    rill_package package = package_of(&built);
    int x[2] = {0};
    OK(rill_package_call(&package, ADD, RILL_CURRENT, RILL_ARGS(2, 7, RILL_HOST(x, 2)), NULL, 0));
    CHECK_INT(x[1], 7);
    CHECK_INT(stats_of(&world).ahead_compiled_count, 1);
    OK(rill_close(world.context));
    rill_built_free(&built);
}

TEST(without_the_compiler_the_message_says_what_was_built_and_what_is_here)
{
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead", .targets = elsewhere, .target_count = 1}, &built);
    hide_compiler();
    open_bare(&world);
    rill_package package = package_of(&built);
    rill_module module = {77};
    STATUS(rill_package_module(world.context, &package, &module), RILL_ERR_NO_COMPILER);
    CHECK_INT(module.id, 0);
    CHECK_CONTAINS(rill_message(), "'some/ahead.c' was built for gfx900, this is a ");
    CHECK_CONTAINS(rill_message(), world_is_cpu() ? "CPU of the level x86-64" : "GPU of the architecture ");
    CHECK_CONTAINS(rill_message(), "rill build --target");
    OK(rill_close(world.context));
    show_compiler();
    rill_built_free(&built);
}

TEST(a_package_without_its_source_serves_the_devices_that_were_named_alone)
{
    rill_built built;
    struct world world;
    char *text;
    build_with((rill_package_options){.name = "ahead", .targets = elsewhere, .target_count = 1, .no_source = true},
               &built);
    open_bare(&world);
    rill_package package = package_of(&built);
    rill_module module = {77};
    STATUS(rill_package_module(world.context, &package, &module), RILL_ERR_UNSUPPORTED);
    CHECK_CONTAINS(rill_message(), "the source is not in the package");
    rill_built_free(&built);
    build_with((rill_package_options){.name = "ahead", .no_source = true}, &built);
    CHECK(memmem(built.package, built.package_size, "x[i] += by", 10) == NULL);
    package = package_of(&built);
    OK(rill_package_module(world.context, &package, &module));
    STATUS(rill_module_explain(module, &text), RILL_ERR_NOT_FOUND);
    OK(rill_close(world.context));
    rill_built_free(&built);
}

TEST(checks_that_the_environment_asks_for_are_compiled)
{
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead"}, &built);
    rill_package package = package_of(&built);
    int x[2] = {0};
    setenv("RILL_CHECK", "bounds", 1);
    open_bare(&world);
    STATUS(rill_package_call(&package, LOOSE, RILL_CURRENT, RILL_ARGS(3, RILL_HOST(x, 2)), NULL, 0), RILL_ERR_BOUNDS);
    CHECK_INT(stats_of(&world).ahead_compiled_count, 1);
    OK(rill_close(world.context));
    hide_compiler();
    open_bare(&world);
    OK(rill_package_call(&package, LOOSE, RILL_CURRENT, RILL_ARGS(2, RILL_HOST(x, 2)), NULL, 0));
    CHECK_CONTAINS(world.logged, "without the checks that the environment asks for");
    CHECK_INT(stats_of(&world).ahead_count, 1);
    OK(rill_close(world.context));
    unsetenv("RILL_CHECK");
    show_compiler();
    rill_built_free(&built);
}

TEST(a_package_with_checks_has_them)
{
    rill_built built;
    struct world world;
    static const char *const amd[] = {"gfx90a", "gfx942", "gfx1100"};
    rill_package_options options = {.targets = amd, .target_count = is_amd() ? 3 : 0};
    OK(rill_package_build(source, &(rill_module_options){.check_bounds = true}, &options, &built));
    hide_compiler();
    open_bare(&world);
    rill_package package = package_of(&built);
    int x[2] = {0};
    STATUS(rill_package_call(&package, LOOSE, RILL_CURRENT, RILL_ARGS(3, RILL_HOST(x, 2)), NULL, 0), RILL_ERR_BOUNDS);
    OK(rill_close(world.context));
    show_compiler();
    rill_built_free(&built);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    fputs(text, file);
    fclose(file);
}

TEST(what_a_source_includes_is_in_the_package)
{
    char folder[] = "/tmp/rill-ahead-XXXXXX", path[256], deep[256], command[256];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/main.c", folder);
    snprintf(deep, sizeof deep, "%s/deep", folder);
    REQUIRE(mkdir(deep, 0700) == 0);
    write_text(folder, "deep/a.h", "#include \"b.h\"\n#define A (B + 1)\n");
    write_text(folder, "deep/b.h", "#define B 40\n");
    write_text(folder, "c.h", "#define C 1\n");
    static const char text[] = "#include <rill/kernel.h>\n#include \"deep/a.h\"\n#include \"c.h\"\n"
                               "kernel int all(void) { return A + C + D; }\n";
    rill_define define = {.name = "D", .value = "1000"};
    const char *dirs[] = {folder};
    rill_module_options options = {
        .path = path, .defines = &define, .define_count = 1, .include_dirs = dirs, .include_dir_count = 1};
    rill_built built;
    OK(rill_package_build(text, &options, &(rill_package_options){.targets = elsewhere, .target_count = 1}, &built));
    snprintf(command, sizeof command, "rm -rf %s", folder);
    REQUIRE(system(command) == 0);
    struct world world;
    open_bare(&world);
    rill_package package = package_of(&built);
    int all = 0;
    OK(rill_package_call(&package, 0, RILL_CURRENT, RILL_ARGS(), &all, sizeof all));
    CHECK_INT(all, 1042);
    OK(rill_close(world.context));
    rill_built_free(&built);
}

// ---- what is no package -------------------------------------------------------------------------------------------

TEST(a_header_of_another_build_is_refused)
{
    rill_built built;
    struct world world;
    build_with((rill_package_options){.name = "ahead"}, &built);
    open_bare(&world);
    rill_package package = package_of(&built);
    rill_module module;
    OK(rill_package_module(world.context, &package, &module));
    package.check = 12345;
    STATUS(rill_package_module(world.context, &package, &module), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "is not the one that its header was made with");
    package.bytes = (const char *)package.bytes + 8;
    package.check = 0;
    STATUS(rill_package_module(world.context, &package, &module), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "not aligned");
    OK(rill_close(world.context));
    rill_built_free(&built);
}

// Opens it without a compiler. True: it was refused with a message that names no fault of Rill's own.
static bool is_refused(const struct world *world, const void *bytes, size_t size)
{
    rill_package package = {.bytes = bytes, .size = size};
    rill_module module = {77};
    rill_status status = rill_package_module(world->context, &package, &module);
    if (status == RILL_OK) {
        OK(rill_module_destroy(module));
        return false;
    }
    CHECK_INT(module.id, 0);
    if (status != RILL_ERR_INVALID || strstr(rill_message(), "rill_package_module: ") != rill_message()) {
        FAIL("%s: %s", rill_status_name(status), rill_message());
    }
    return true;
}

TEST(every_cut_and_every_changed_byte_is_found)
{
    rill_built built;
    struct world world;
    const char *target = "native";
    const char *wanted[] = {target};
    if (!world_is_cpu()) {
        SKIP("the loader is the same on every device");
    }
    build_with((rill_package_options){.name = "ahead", .targets = wanted, .target_count = 1}, &built);
    hide_compiler();
    size_t size = built.package_size;
    unsigned char *copy = aligned_alloc(64, (size + 63) / 64 * 64);
    REQUIRE(copy != NULL);
    int refused = 0, passed = 0;
    // The head and the list byte by byte, the image at every seventh; a cut at each of these too.
    for (size_t at = 0; at < size; at += at < 1024 ? 1 : getenv("RILL_TEST_LONG") != NULL ? 7 : 331) {
        open_bare(&world);
        memcpy(copy, built.package, size);
        CHECK(is_refused(&world, copy, at));
        copy[at] ^= (unsigned char)(1 << at % 8);
        if (is_refused(&world, copy, size)) {
            refused++;
        } else {
            passed++; // it lies between two parts, and nothing is read there
        }
        OK(rill_close(world.context));
    }
    CHECK(refused > 1000);
    CHECK(passed <= 64);
    free(copy);
    show_compiler();
    rill_built_free(&built);
}

// ---- building what cannot be --------------------------------------------------------------------------------------

TEST(what_cannot_be_built_is_said)
{
    rill_built built = {.package = &built};
    const char *wrong[] = {"sm_90", "pentium"};
    rill_diagnostics diagnostics;
    STATUS(rill_package_build(source, NULL, &(rill_package_options){.targets = wrong, .target_count = 2}, &built),
           RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "unknown target 'pentium'");
    CHECK_CONTAINS(rill_message(), "x86-64-v4");
    CHECK_CONTAINS(rill_message(), "'cpu' and 'portable' stand for several");
    CHECK(built.package == NULL && built.object == NULL && built.header == NULL);
    STATUS(rill_package_build(source, NULL, &(rill_package_options){.name = "a-b"}, &built), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "is no identifier");
    STATUS(rill_package_build(source, NULL, &(rill_package_options){.target_count = 2}, &built), RILL_ERR_INVALID);
    STATUS(rill_package_build("kernel void k(int n) { x; }", &(rill_module_options){.diagnostics = &diagnostics}, NULL,
                              &built),
           RILL_ERR_COMPILE);
    CHECK(diagnostics.error_count > 0);
    rill_diagnostics_free(&diagnostics);
    STATUS(rill_package_build(NULL, NULL, NULL, &built), RILL_ERR_INVALID);
    STATUS(rill_package_build(source, NULL, NULL, NULL), RILL_ERR_INVALID);
}

TEST(the_same_source_gives_the_same_bytes)
{
    rill_built first, second;
    build_with((rill_package_options){.name = "ahead"}, &first);
    build_with((rill_package_options){.name = "ahead"}, &second);
    CHECK_INT(first.object_size, second.object_size);
    CHECK(memcmp(first.object, second.object, first.object_size) == 0);
    CHECK_STR(first.header, second.header);
    rill_built_free(&first);
    rill_built_free(&second);
}

// ---- memory that runs out -----------------------------------------------------------------------------------------

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_ALLOCATOR_OF_ITS_OWN 1
#endif
#endif
#ifndef HAS_ALLOCATOR_OF_ITS_OWN
static _Thread_local long fail_at; // 0: never
static _Thread_local long seen;

static bool must_fail(void)
{
    return fail_at != 0 && ++seen == fail_at;
}

// glibc's own, behind those that the library calls instead.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size)
{
    return must_fail() ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __libc_calloc(count, size);
}

EXPORTED void *realloc(void *memory, size_t size)
{
    return must_fail() ? NULL : __libc_realloc(memory, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : __libc_memalign(alignment, size);
}

TEST(nth_allocation_of_opening_fails_and_the_next_call_opens_it)
{
    rill_built built;
    if (!world_is_cpu()) {
        SKIP("a driver allocates for itself");
    }
    build_with((rill_package_options){.name = "ahead"}, &built);
    hide_compiler();
    rill_package package = package_of(&built);
    long n = 1;
    for (bool was_reached = true; was_reached; n++) {
        struct world world;
        rill_kernel kernel = {77};
        int x[2] = {0};
        open_bare(&world);
        seen = 0;
        fail_at = n;
        rill_status status = rill_package_kernel(world.context, &package, ADD, &kernel);
        was_reached = seen >= n;
        fail_at = 0;
        if (status != RILL_OK && (status != RILL_ERR_OUT_OF_MEMORY || kernel.id != 0)) {
            FAIL("allocation %ld: %s: %s", n, rill_status_name(status), rill_message());
        }
        CHECK(status != RILL_OK || was_reached || kernel.id != 0);
        OK(rill_package_call(&package, ADD, RILL_CURRENT, RILL_ARGS(2, 7, RILL_HOST(x, 2)), NULL, 0));
        CHECK_INT(x[1], 7);
        CHECK_INT(stats_of(&world).module_count, 1);
        OK(rill_close(world.context));
        REQUIRE(n < 2000);
    }
    CHECK(n > 10);
    show_compiler();
    rill_built_free(&built);
}
#endif
