// Modules, kernels, arguments, arrays and launches, from C text to results.
#include "world.h"

TEST(kernel_runs_and_gives_its_result)
{
    struct world world;
    world_open(&world, 0);
    int n = 1 << 20;
    rill_array x = world_array(&world, RILL_F32, n);
    rill_array y = world_array(&world, RILL_F32, n);
    float one = 1;
    OK(rill_array_fill(x, RILL_CURRENT, &one, sizeof one));
    for (int i = 0; i < 10; i++) {
        OK(rill_launch(world_kernel(&world, "saxpy"), RILL_CURRENT, RILL_ARGS(n, 0.5, x, y)));
    }
    float total = 0;
    OK(rill_call(world_kernel(&world, "sum"), RILL_CURRENT, RILL_ARGS(n, y), &total, sizeof total));
    CHECK_NEAR(total, 5.0 * n, 0);
    rill_array result = world_array(&world, RILL_F32, 1);
    OK(rill_launch_result(world_kernel(&world, "sum"), RILL_CURRENT, RILL_ARGS(n, x), result));
    OK(rill_array_read(result, RILL_CURRENT, &total, sizeof total));
    CHECK_NEAR(total, n, 0);
    int answer = 0;
    OK(rill_call(world_kernel(&world, "answer"), RILL_CURRENT, RILL_ARGS(), &answer, sizeof answer));
    CHECK_INT(answer, 42);
    OK(rill_call(world_kernel(&world, "answer"), RILL_CURRENT, RILL_ARGS(), NULL, 0));
    world_close(&world);
}

TEST(every_scalar_type_arrives)
{
    struct world world;
    world_open(&world, 1);
    rill_array out = world_array(&world, RILL_F64, 11);
    int8_t a = -128;
    uint8_t b = 255;
    int16_t c = -32768;
    uint16_t d = 65535;
    int32_t e = INT32_MIN;
    uint32_t f = UINT32_MAX;
    int64_t g = -(INT64_C(1) << 52);
    uint64_t h = UINT64_C(1) << 63;
    OK(rill_launch(world_kernel(&world, "types"), RILL_CURRENT,
                   RILL_ARGS(a, b, c, d, e, f, g, h, 0.25f, -1.5, true, out)));
    double got[11];
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    double expected[11] = {
        -128, 255,  -32768, 65535, -2147483648.0, 4294967295.0, -4503599627370496.0, 9223372036854775808.0,
        0.25, -1.5, 1};
    for (int i = 0; i < 11; i++) {
        CHECK_NEAR(got[i], expected[i], 0);
    }
    // As in a C call: other types convert when the value fits.
    OK(rill_launch(world_kernel(&world, "types"), RILL_CURRENT,
                   RILL_ARGS(-1.0, 7LL, 8, 9.0f, 10ULL, 11, 12u, 13, 14, 15, 0.5, out)));
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    CHECK_NEAR(got[0], -1, 0);
    CHECK_NEAR(got[3], 9, 0);
    CHECK_NEAR(got[8], 14, 0);
    CHECK_NEAR(got[10], 1, 0); // 0.5 is not 0
    world_close(&world);
}

struct point {
    float x, y;
    int id;
};

TEST(structs_go_by_value_and_in_arrays)
{
    struct world world;
    world_open(&world, 0);
    struct point points[100] = {{0, 0, 0}};
    rill_array p;
    OK(rill_array_create_struct(world.context, sizeof(struct point), RILL_SHAPE(100), &p));
    OK(rill_array_write(p, RILL_CURRENT, points, sizeof points));
    struct point by = {1.5f, -2, 0};
    OK(rill_launch(world_kernel(&world, "move"), RILL_CURRENT, RILL_ARGS(100, p, RILL_STRUCT(by))));
    by.x = 1000; // taken by value
    OK(rill_array_read(p, RILL_CURRENT, points, sizeof points));
    CHECK_NEAR(points[99].x, 1.5, 0);
    CHECK_NEAR(points[99].y, -2, 0);
    CHECK_INT(points[99].id, 99);
    world_close(&world);
}

TEST(host_memory_and_device_pointers_are_arguments)
{
    struct world world;
    world_open(&world, 0);
    float x[50];
    float y[50] = {0};
    for (int i = 0; i < 50; i++) {
        x[i] = (float)i;
    }
    OK(rill_launch(world_kernel(&world, "saxpy"), RILL_CURRENT, RILL_ARGS(50, 2, RILL_HOST(x, 50), RILL_HOST(y, 50))));
    OK(rill_sync(world.context));
    CHECK_NEAR(y[49], 98, 0);
    rill_array array = world_array(&world, RILL_I32, 10);
    void *address;
    OK(rill_array_address(array, &address));
    OK(rill_launch(world_kernel(&world, "pointer"), RILL_CURRENT, RILL_ARGS(10, RILL_PTR((int *)address, 10))));
    int values[10];
    OK(rill_array_read(array, RILL_CURRENT, values, sizeof values));
    CHECK_INT(values[9], 9);
    world_close(&world);
}

// What the kernel reads may be const, also where its parameter is not declared so.
TEST(memory_of_const_elements_is_not_written)
{
    struct world world;
    world_open(&world, 0);
    static const float x[4] = {1, 2, 3, 4};
    float y[4] = {0};
    const float *fixed = y;
    rill_kernel saxpy = world_kernel(&world, "saxpy");
    OK(rill_launch(saxpy, RILL_CURRENT, RILL_ARGS(4, 2, RILL_HOST(x, 4), RILL_HOST(y, 4))));
    rill_args refused = RILL_ARGS(4, 2, RILL_HOST(x, 4), RILL_HOST(fixed, 4));
    STATUS(rill_launch(saxpy, RILL_CURRENT, refused), RILL_ERR_ARGUMENTS);
    CHECK_CONTAINS(rill_message(), "'y'");
    CHECK_CONTAINS(rill_message(), "const");
    refused = RILL_ARGS(4, 2, RILL_PTR(x, 4), RILL_PTR(fixed, 4));
    STATUS(rill_launch(saxpy, RILL_CURRENT, refused), RILL_ERR_ARGUMENTS);
    OK(rill_sync(world.context));
    CHECK_NEAR(y[3], 8, 0);
    rill_module module;
    rill_kernel sum;
    double total = 0;
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n"
                          "kernel double sum(int n, float x[n]) "
                          "{ double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n",
                          NULL, &module));
    OK(rill_module_kernel(module, "sum", &sum));
    OK(rill_call(sum, RILL_CURRENT, RILL_ARGS(4, RILL_HOST(x, 4)), &total, sizeof total));
    CHECK_NEAR(total, 10, 0);
    world_close(&world);
}

TEST(views_show_part_of_an_array_and_keep_it_alive)
{
    struct world world;
    world_open(&world, 0);
    rill_array whole = world_array(&world, RILL_F32, 12);
    rill_array rows;
    rill_array tail;
    OK(rill_array_view(whole, 0, RILL_SHAPE(3, 4), &rows));
    OK(rill_array_view(rows, 8, RILL_SHAPE(4), &tail));
    OK(rill_launch(world_kernel(&world, "grid"), RILL_CURRENT, RILL_ARGS(3, 4, rows)));
    OK(rill_array_destroy(whole));
    OK(rill_array_destroy(rows));
    float last[4];
    OK(rill_array_read(tail, RILL_CURRENT, last, sizeof last));
    CHECK_NEAR(last[0], 200, 0);
    CHECK_NEAR(last[3], 203, 0);
    rill_array_info info;
    OK(rill_array_describe(tail, &info));
    CHECK_INT(info.size, 16);
    CHECK_INT(info.shape.rank, 1);
    STATUS(rill_array_describe(rows, &info), RILL_ERR_STALE);
    world_close(&world);
}

static atomic_int released;

static void note_release(void *user, void *memory)
{
    CHECK(user == memory);
    atomic_fetch_add(&released, 1);
}

TEST(wrapped_memory_is_used_in_place_and_released_once)
{
    struct world world;
    world_open(&world, 0);
    rill_array owner = world_array(&world, RILL_F32, 64); // memory that any device has
    void *memory = NULL;
    OK(rill_array_address(owner, &memory));
    rill_array array;
    rill_wrap wrap = {
        .memory = memory, .type = RILL_F32, .shape = RILL_SHAPE(64), .release = note_release, .user = memory};
    OK(rill_array_wrap(world.context, &wrap, &array));
    float host[64] = {[3] = 5};
    OK(rill_array_write(owner, RILL_CURRENT, host, sizeof host));
    OK(rill_launch(world_kernel(&world, "scale"), RILL_CURRENT, RILL_ARGS(64, array)));
    rill_array view;
    OK(rill_array_view(array, 3, RILL_SHAPE(1), &view));
    OK(rill_array_destroy(array));
    OK(rill_sync(world.context));
    OK(rill_array_read(owner, RILL_CURRENT, host, sizeof host));
    CHECK_NEAR(host[3], 10, 0);
    CHECK_INT(atomic_load(&released), 0);
    OK(rill_array_destroy(view));
    world_close(&world);
    CHECK_INT(atomic_load(&released), 1);
}

TEST(fields_are_read_and_written_by_name_one_copy_for_each_module)
{
    struct world world;
    world_open(&world, 0);
    rill_module other;
    OK(rill_module_create(world.context, world_source, NULL, &other));
    int table[4];
    OK(rill_launch(world_kernel(&world, "grow"), RILL_CURRENT, RILL_ARGS()));
    OK(rill_field_read(world.module, "table", RILL_CURRENT, table, sizeof table));
    CHECK_INT(table[3], 40);
    OK(rill_field_read(other, "table", RILL_CURRENT, table, sizeof table));
    CHECK_INT(table[3], 4);
    float gain = 3;
    OK(rill_field_write(world.module, "gain", RILL_CURRENT, &gain, sizeof gain));
    float x[1] = {7};
    OK(rill_launch(world_kernel(&world, "scale"), RILL_CURRENT, RILL_ARGS(1, RILL_HOST(x, 1))));
    OK(rill_sync(world.context));
    CHECK_NEAR(x[0], 21, 0);
    size_t count;
    OK(rill_module_field_count(world.module, &count));
    CHECK_INT(count, 2);
    for (size_t i = 0; i < count; i++) {
        rill_field_info info;
        OK(rill_module_field(world.module, i, &info));
        CHECK(strcmp(info.name, "table") != 0 ||
              (info.size == 16 && info.type->kind == RILL_KIND_ARRAY && info.type->length == 4));
    }
    world_close(&world);
}

TEST(reflection_tells_names_types_shapes_and_layouts)
{
    struct world world;
    world_open(&world, 0);
    size_t count;
    OK(rill_module_kernel_count(world.module, &count));
    CHECK_INT(count, 13);
    rill_kernel kernel;
    OK(rill_module_kernel_at(world.module, 0, &kernel));
    rill_kernel_info info;
    OK(rill_kernel_describe(kernel, &info));
    CHECK_STR(info.name, "saxpy");
    CHECK_INT(info.param_count, 4);
    CHECK_INT(info.line, 8);
    CHECK_INT(info.returns->kind, RILL_KIND_VOID);
    rill_task_info task;
    OK(rill_kernel_task(kernel, 0, &task));
    CHECK(task.is_parallel);
    CHECK_INT(task.line, 9);
    kernel = world_kernel(&world, "sum");
    OK(rill_kernel_describe(kernel, &info));
    CHECK_INT(info.returns->type, RILL_F32);
    kernel = world_kernel(&world, "move");
    rill_param_info param;
    OK(rill_kernel_param(kernel, 1, &param));
    CHECK_STR(param.name, "p");
    CHECK(param.is_array);
    CHECK_INT(param.rank, 1);
    CHECK_INT(param.type->kind, RILL_KIND_RECORD);
    CHECK_STR(param.type->name, "struct point");
    CHECK_INT(param.type->size, sizeof(struct point));
    REQUIRE(param.type->member_count == 3);
    CHECK_STR(param.type->members[2].name, "id");
    CHECK_INT(param.type->members[2].offset, 8);
    CHECK_INT(param.type->members[2].type->type, RILL_I32);
    rill_arg args[3] = {rill_arg_int(6), rill_arg_int(7), {0, 0, {0}, 0, 0}};
    rill_shape shape;
    OK(rill_kernel_param_shape(world_kernel(&world, "grid"), 2, (rill_args){args, 3}, &shape));
    CHECK_INT(shape.rank, 2);
    CHECK_INT(shape.extents[0], 6);
    CHECK_INT(shape.extents[1], 7);
    world_close(&world);
}

TEST(compile_errors_are_a_list_and_the_first_is_the_message)
{
    struct world world;
    world_open(&world, 0);
    rill_diagnostics diagnostics = {0};
    rill_module_options options = {.path = "wrong.c", .diagnostics = &diagnostics};
    rill_module module;
    STATUS(rill_module_create(world.context, "#include <rill/kernel.h>\nkernel void f(int n) { n = x; y = n; }\n",
                              &options, &module),
           RILL_ERR_COMPILE);
    CHECK_UINT(module.id, 0);
    CHECK_CONTAINS(rill_message(), "rill_module_create: wrong.c:2:");
    CHECK_CONTAINS(rill_message(), "(and 1 more)");
    CHECK_INT(diagnostics.error_count, 2);
    REQUIRE(diagnostics.count >= 2);
    CHECK_INT(diagnostics.items[0].line, 2);
    CHECK_STR(diagnostics.items[0].file, "wrong.c");
    CHECK_CONTAINS(diagnostics.items[0].rendered, "^");
    rill_diagnostics_free(&diagnostics);
    CHECK(diagnostics.items == NULL);
    STATUS(rill_check("kernel int f(", NULL), RILL_ERR_COMPILE);
    OK(rill_check(world_source, NULL));
    world_close(&world);
}

TEST(defines_headers_from_memory_and_include_paths_reach_the_compiler)
{
    struct world world;
    world_open(&world, 0);
    rill_define defines[] = {{"VALUE", "17"}, {"FLAG", NULL}};
    rill_header headers[] = {{"mine.h", "#define FROM_HEADER 100\n"}};
    rill_module_options options = {.defines = defines, .define_count = 2, .headers = headers, .header_count = 1};
    rill_module module;
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n#include \"mine.h\"\n"
                          "kernel int f(void) { return VALUE + FLAG + FROM_HEADER; }\n",
                          &options, &module));
    rill_kernel kernel;
    OK(rill_module_kernel(module, NULL, &kernel));
    int result = 0;
    OK(rill_call(kernel, RILL_CURRENT, RILL_ARGS(), &result, sizeof result));
    CHECK_INT(result, 118);
    char folder[] = "/tmp/rill_include_XXXXXX";
    REQUIRE(mkdtemp(folder) != NULL);
    char path[128];
    snprintf(path, sizeof path, "%s/far.h", folder);
    FILE *file = fopen(path, "w");
    fputs("#define FAR 5\n", file);
    fclose(file);
    const char *dirs[] = {folder};
    rill_module_options with_dir = {.include_dirs = dirs, .include_dir_count = 1};
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n#include \"far.h\"\nkernel int f(void) { return FAR; }\n",
                          &with_dir, &module));
    OK(rill_module_kernel(module, NULL, &kernel));
    OK(rill_call(kernel, RILL_CURRENT, RILL_ARGS(), &result, sizeof result));
    CHECK_INT(result, 5);
    unlink(path);
    rmdir(folder);
    world_close(&world);
}

TEST(file_is_loaded_once_for_each_path)
{
    struct world world;
    world_open(&world, 0);
    char path[] = "/tmp/rill_file_XXXXXX.c";
    int fd = mkstemps(path, 2);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, world_source, sizeof world_source - 1) == (ssize_t)sizeof world_source - 1);
    close(fd);
    rill_kernel one;
    rill_kernel two;
    rill_kernel other;
    OK(rill_kernel_load(world.context, path, "grow", &one));
    OK(rill_kernel_load(world.context, path, "grow", &two));
    OK(rill_kernel_load(world.context, path, "scale", &other));
    CHECK_UINT(one.id, two.id);
    CHECK(other.id != one.id);
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.module_count, 2);
    STATUS(rill_kernel_load(world.context, path, "nothing", &one), RILL_ERR_NOT_FOUND);
    CHECK_CONTAINS(rill_message(), "has no kernel 'nothing'; it has 'saxpy', 'sum'");
    unlink(path);
    STATUS(rill_kernel_load(world.context, "/nowhere/x.c", NULL, &one), RILL_ERR_IO);
    CHECK_STR(rill_message(), "rill_kernel_load: cannot open '/nowhere/x.c': No such file or directory");
    world_close(&world);
}

TEST(explain_and_emit_give_text)
{
    struct world world;
    world_open(&world, 0);
    char *text;
    OK(rill_module_explain(world.module, &text));
    CHECK_CONTAINS(text, "kernel saxpy");
    rill_free(text);
    OK(rill_module_emit(world.module, RILL_EMIT_PLAN, NULL, &text));
    CHECK_CONTAINS(text, "saxpy");
    rill_free(text);
    OK(rill_module_emit(world.module, RILL_EMIT_ASM, NULL, &text));
    CHECK_CONTAINS(text, world_is_cpu()                            ? ".text"
                         : strncmp(world_device(), "cuda", 4) == 0 ? ".entry"
                                                                   : ".amdhsa_kernel");
    rill_free(text);
    OK(rill_source_emit(world_source, NULL, RILL_EMIT_IR, &text));
    CHECK_CONTAINS(text, "saxpy");
    rill_free(text);
    STATUS(rill_module_emit(world.module, (rill_emit)99, NULL, &text), RILL_ERR_INVALID);
    world_close(&world);
}

TEST(what_a_kernel_prints_comes_in_serial_order)
{
    struct world world;
    world_open(&world, 4);
    OK(rill_launch(world_kernel(&world, "talk"), RILL_CURRENT, RILL_ARGS(2000)));
    OK(rill_sync(world.context));
    char expected[65536] = "";
    size_t used = 0;
    for (int i = 0; i < 2000; i++) {
        used += (size_t)sprintf(expected + used, "%d:%s ", i, i % 2 != 0 ? "odd" : "even");
    }
    CHECK_STR(world.printed, expected);
    world_close(&world);
}

static _Atomic size_t line_count;

static void count_lines(void *user, const char *text, size_t length)
{
    (void)user;
    for (size_t i = 0; i < length; i++) {
        line_count += text[i] == '\n';
    }
}

enum { MOST_MEMORY = 256 << 10 }; // of one piece: less than a CPU wants for 20,000 lines

static void *allocate_little(void *user, size_t size, size_t alignment)
{
    (void)user;
    void *memory = NULL;
    bool is_little = size <= MOST_MEMORY && posix_memalign(&memory, alignment < 16 ? 16 : alignment, size) == 0;
    return is_little ? memory : NULL;
}

static void release_little(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

TEST(printed_text_that_is_lost_is_counted_and_said)
{
    struct world world = {0};
    rill_allocator allocator = {.allocate = allocate_little, .release = release_little};
    rill_open_options options = {.log = world_log, .log_user = &world, .print = count_lines, .allocator = &allocator};
    OK(rill_open(world_device(), &options, &world.context));
    rill_module module;
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n#include <stdio.h>\n"
                          "kernel void lines(int n) { for (int i = 0; i < n; i++) printf(\"%d\\n\", i); }\n",
                          NULL, &module));
    rill_kernel lines;
    OK(rill_module_kernel(module, "lines", &lines));
    OK(rill_call(lines, RILL_CURRENT, RILL_ARGS(100), NULL, 0));
    CHECK_INT(line_count, 100);
    CHECK_STR(world.logged, "");
    OK(rill_call(lines, RILL_CURRENT, RILL_ARGS(20000), NULL, 0));
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK(stats.print_lost_count > 0);
    CHECK_INT(line_count, 20100 - stats.print_lost_count);
    char words[64];
    snprintf(words, sizeof words, "%llu of its printf calls are lost", (unsigned long long)stats.print_lost_count);
    CHECK_CONTAINS(world.logged, world_is_cpu() ? "printf calls of kernels are lost" : words);
    OK(rill_close(world.context));
}

TEST(overlapping_arguments_run_in_order_counted_and_logged)
{
    struct world world;
    world_open(&world, 4);
    rill_module module;
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n"
                          "kernel void shift(int n, const int a[n], int b[n])\n"
                          "{ for (int i = 0; i < n; i++) b[i] = a[i] + 1; }\n",
                          NULL, &module));
    rill_kernel shift;
    OK(rill_module_kernel(module, "shift", &shift));
    int values[1001] = {0};
    OK(rill_launch(shift, RILL_CURRENT, RILL_ARGS(1000, RILL_HOST(values, 1000), RILL_HOST(values + 1, 1000))));
    OK(rill_sync(world.context));
    CHECK_INT(values[1000], 1000); // as serial C gives it: each element from the one before
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.in_order_count, 1);
    CHECK_CONTAINS(world.logged, "the loop runs in order: 'a' and 'b' overlap");
    OK(rill_launch(shift, RILL_CURRENT, RILL_ARGS(1000, RILL_HOST(values, 1000), RILL_HOST(values, 1000))));
    OK(rill_sync(world.context));
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.in_order_count, 1); // the same elements in every iteration are no overlap
    world_close(&world);
}

TEST(module_may_be_destroyed_while_its_launches_are_queued)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel slow = world_kernel(&world, "slow");
    rill_kernel append = world_kernel(&world, "append");
    long out[1] = {0};
    OK(rill_launch(slow, RILL_CURRENT, RILL_ARGS(20000000)));
    for (int i = 1; i <= 5; i++) {
        OK(rill_launch(append, RILL_CURRENT, RILL_ARGS(i, RILL_HOST(out, 1))));
    }
    OK(rill_module_destroy(world.module));
    STATUS(rill_launch(append, RILL_CURRENT, RILL_ARGS(6, RILL_HOST(out, 1))), RILL_ERR_STALE);
    CHECK_STR(rill_message(), "rill_launch: the kernel was destroyed");
    STATUS(rill_module_destroy(world.module), RILL_ERR_STALE);
    OK(rill_sync(world.context));
    CHECK_INT(out[0], 12345);
    world_close(&world);
}

TEST(array_may_be_destroyed_while_it_is_in_use)
{
    struct world world;
    world_open(&world, 2);
    int n = 1000;
    float host[1000];
    rill_array x = world_array(&world, RILL_F32, n);
    rill_array y = world_array(&world, RILL_F32, n);
    float one = 1;
    OK(rill_launch(world_kernel(&world, "slow"), RILL_CURRENT, RILL_ARGS(20000000)));
    OK(rill_array_fill(x, RILL_CURRENT, &one, sizeof one));
    OK(rill_launch(world_kernel(&world, "saxpy"), RILL_CURRENT, RILL_ARGS(n, 3, x, y)));
    OK(rill_array_read_async(y, RILL_CURRENT, host, sizeof host));
    OK(rill_array_destroy(x));
    OK(rill_array_destroy(y));
    OK(rill_sync(world.context));
    CHECK_NEAR(host[999], 3, 0);
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.array_count, 0);
    CHECK_INT(stats.array_size, 0);
    world_close(&world);
}

TEST(reads_writes_copies_and_fills_keep_stream_order)
{
    struct world world;
    world_open(&world, 2);
    int n = 100000;
    rill_array a = world_array(&world, RILL_I32, n);
    rill_array b = world_array(&world, RILL_I32, n);
    int *host = malloc((size_t)n * sizeof *host);
    for (int i = 0; i < n; i++) {
        host[i] = i;
    }
    OK(rill_array_write(a, RILL_CURRENT, host, (size_t)n * sizeof *host)); // large: waits for the copy
    memset(host, 0, (size_t)n * sizeof *host);
    OK(rill_array_copy(b, a, RILL_CURRENT));
    int seven = 7;
    OK(rill_array_fill(a, RILL_CURRENT, &seven, sizeof seven));
    OK(rill_array_write(a, RILL_CURRENT, host, 4)); // small: returns at once
    host[0] = 55;
    OK(rill_array_read(b, RILL_CURRENT, host, (size_t)n * sizeof *host));
    CHECK_INT(host[n - 1], n - 1);
    OK(rill_array_read(a, RILL_CURRENT, host, (size_t)n * sizeof *host));
    CHECK_INT(host[0], 0);
    CHECK_INT(host[1], 7);
    CHECK_INT(host[n - 1], 7);
    free(host);
    world_close(&world);
}

TEST(mathematics_comes_from_the_c_library)
{
    struct world world;
    world_open(&world, 2);
    rill_module module;
    OK(rill_module_create(
        world.context,
        "#include <rill/kernel.h>\n#include <math.h>\n#include <string.h>\n"
        "kernel void f(int n, const double x[n], double y[n], float z[n])\n"
        "{ for (int i = 0; i < n; i++) { y[i] = sin(x[i]) + exp(-x[i]) + pow(x[i], 1.5) + erf(x[i]);\n"
        "    z[i] = cosf((float)x[i]) + tgammaf((float)x[i] + 1) + hypotf((float)x[i], 2); } }\n"
        "struct big { int v[200]; };\n"
        "kernel void g(struct big a[2]) { a[1] = a[0]; }\n",
        NULL, &module));
    rill_kernel f;
    rill_kernel g;
    OK(rill_module_kernel(module, "f", &f));
    OK(rill_module_kernel(module, "g", &g));
    enum { N = 1000 };
    static double x[N];
    static double y[N];
    static float z[N];
    for (int i = 0; i < N; i++) {
        x[i] = i * 0.01;
    }
    OK(rill_call(f, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N), RILL_HOST(y, N), RILL_HOST(z, N)), NULL, 0));
    for (int i = 0; i < N; i++) {
        CHECK_NEAR(y[i], sin(x[i]) + exp(-x[i]) + pow(x[i], 1.5) + erf(x[i]), 1e-12);
        float expected = cosf((float)x[i]) + tgammaf((float)x[i] + 1) + hypotf((float)x[i], 2);
        CHECK_NEAR(z[i], expected, fabsf(expected) * 1e-5f);
    }
    struct {
        int v[200];
    } big[2] = {{{1, 2, 3}}, {{0}}};
    OK(rill_call(g, RILL_CURRENT, RILL_ARGS(RILL_HOST(big, 2)), NULL, 0));
    CHECK_INT(big[1].v[2], 3);
    world_close(&world);
}

// Writes a kernel of |count| parameters that returns a sum over them.
static void write_wide_kernel(char *text, int count)
{
    text += sprintf(text, "#include <rill/kernel.h>\nkernel int f(");
    for (int i = 0; i < count; i++) {
        text += sprintf(text, "int a%d%s", i, i + 1 < count ? ", " : ") { return 0");
    }
    for (int i = 0; i < count; i++) {
        text += sprintf(text, " + %d * a%d", i, i);
    }
    sprintf(text, "; }\n");
}

TEST(kernel_takes_up_to_64_arguments_also_by_an_array)
{
    struct world world;
    world_open(&world, 1);
    char text[8192];
    rill_module module = {0};
    write_wide_kernel(text, RILL_MAX_ARGS + 1);
    STATUS(rill_module_create(world.context, text, NULL, &module), RILL_ERR_COMPILE);
    CHECK_CONTAINS(rill_message(), "has 65 parameters: at most 64 are possible");
    write_wide_kernel(text, RILL_MAX_ARGS);
    OK(rill_module_create(world.context, text, NULL, &module));
    rill_kernel f = {0};
    OK(rill_module_kernel(module, NULL, &f));
    rill_arg args[RILL_MAX_ARGS];
    int expected = 0;
    for (int i = 0; i < RILL_MAX_ARGS; i++) {
        args[i] = rill_arg_int(i + 1);
        expected += i * (i + 1);
    }
    int result = 0;
    OK(rill_call(f, RILL_CURRENT, (rill_args){args, RILL_MAX_ARGS}, &result, sizeof result));
    CHECK_INT(result, expected);
    world_close(&world);
}

TEST(extents_of_zero_are_arrays_too)
{
    struct world world;
    world_open(&world, 2);
    rill_array none = world_array(&world, RILL_F32, 0);
    OK(rill_launch(world_kernel(&world, "scale"), RILL_CURRENT, RILL_ARGS(0, none)));
    OK(rill_launch(world_kernel(&world, "scale"), RILL_CURRENT, RILL_ARGS(0, RILL_HOST((float *)NULL, 0))));
    float sum = 1;
    OK(rill_call(world_kernel(&world, "sum"), RILL_CURRENT, RILL_ARGS(0, none), &sum, sizeof sum));
    CHECK_NEAR(sum, 0, 0);
    OK(rill_array_read(none, RILL_CURRENT, NULL, 0));
    float value = 1;
    OK(rill_array_fill(none, RILL_CURRENT, &value, sizeof value));
    rill_array flat = {0};
    OK(rill_array_create(world.context, RILL_F64, RILL_SHAPE(INT64_MAX, 0, INT64_MAX), &flat));
    OK(rill_sync(world.context));
    world_close(&world);
}

TEST(asynchronous_transfers_keep_stream_order)
{
    struct world world;
    world_open(&world, 2);
    int n = 1000;
    float in[1000];
    float out[1000] = {0};
    for (int i = 0; i < n; i++) {
        in[i] = (float)i;
    }
    rill_array x = world_array(&world, RILL_F32, n);
    OK(rill_array_write_async(x, RILL_CURRENT, in, sizeof in));
    OK(rill_launch(world_kernel(&world, "scale"), RILL_CURRENT, RILL_ARGS(n, x)));
    OK(rill_array_read_async(x, RILL_CURRENT, out, sizeof out));
    OK(rill_sync(world.context));
    CHECK_NEAR(out[999], 1998, 0);
    const char *name;
    OK(rill_context_device(world.context, &name));
    CHECK(strncmp(name, world_device(), strlen(name)) == 0);
    char *text;
    OK(rill_source_explain(world_source, NULL, &text));
    CHECK_CONTAINS(text, "kernel saxpy");
    rill_free(text);
    world_close(&world);
}

TEST(devices_are_listed)
{
    CHECK(rill_device_count() >= 1);
    rill_device_info info;
    OK(rill_device_get(rill_device_count() - 1, &info));
    CHECK_STR(info.name, "cpu");
    CHECK(info.thread_count >= 1);
    CHECK(info.memory_size > 0);
    CHECK(strlen(info.description) > 0);
    CHECK(strlen(rill_version()) > 0);
}

// They all came for one lock while the last were still being started: 40 s of processor time for a thousand.
TEST(a_thousand_threads_cost_little_for_four_iterations)
{
    if (!world_is_cpu()) {
        SKIP("threads of the CPU");
    }
#ifdef RILL_IS_SANITIZED
    SKIP("a sanitizer takes time for each thread");
#endif
    struct timespec begin;
    struct timespec end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    struct world world;
    world_open(&world, 1000);
    rill_array x = world_array(&world, RILL_F32, 4);
    OK(rill_launch(world_kernel(&world, "scale"), RILL_CURRENT, RILL_ARGS(4, x)));
    OK(rill_sync(world.context));
    world_close(&world);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    CHECK(end.tv_sec - begin.tv_sec < 10);
}
