// Modules and their kernels.
#include "world.h"

#include <unistd.h>

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    REQUIRE(fputs(text, file) >= 0);
    REQUIRE(fclose(file) == 0);
}

TEST(kernel_knows_its_module)
{
    struct world world;
    world_open(&world, 2);
    rill_module module = {77};
    OK(rill_kernel_module(world_kernel(&world, "sum"), &module));
    CHECK_UINT(module.id, world.module.id);
    STATUS(rill_kernel_module((rill_kernel){0}, &module), RILL_ERR_NULL_HANDLE);
    CHECK_UINT(module.id, 0);
    world_close(&world);
}

TEST(module_of_a_loaded_file_has_its_fields_and_may_be_destroyed)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/rill-module-%d.c", (int)getpid());
    write_file(path, "#include <rill/kernel.h>\nint level = 3;\nkernel int get(void) { return level; }\n");
    struct world world;
    world_open(&world, 2);
    rill_kernel get = {0}, again = {0};
    rill_module module = {0}, other = {0};
    int level = 0;
    OK(rill_kernel_load(world.context, path, "get", &get));
    OK(rill_kernel_module(get, &module));
    OK(rill_field_write(module, "level", RILL_CURRENT, &(int){8}, sizeof(int)));
    OK(rill_call(get, RILL_CURRENT, RILL_ARGS(), &level, sizeof level));
    CHECK_INT(level, 8);

    // The file is read again after that, and the kernel's old handle is stale.
    OK(rill_module_destroy(module));
    STATUS(rill_kernel_module(get, &other), RILL_ERR_STALE);
    write_file(path, "#include <rill/kernel.h>\nint level = 4;\nkernel int get(void) { return level; }\n");
    OK(rill_kernel_load(world.context, path, "get", &again));
    OK(rill_call(again, RILL_CURRENT, RILL_ARGS(), &level, sizeof level));
    CHECK_INT(level, 4);
    OK(rill_kernel_module(again, &other));
    CHECK(other.id != module.id);

    // One that does not compile any more is an error, and the next that does is not.
    OK(rill_module_destroy(other));
    write_file(path, "#include <rill/kernel.h>\nkernel int get(void) { return nothing; }\n");
    STATUS(rill_kernel_load(world.context, path, "get", &get), RILL_ERR_COMPILE);
    write_file(path, "#include <rill/kernel.h>\nkernel int get(void) { return 5; }\n");
    OK(rill_kernel_load(world.context, path, "get", &get));
    OK(rill_call(get, RILL_CURRENT, RILL_ARGS(), &level, sizeof level));
    CHECK_INT(level, 5);
    world_close(&world);
    remove(path);
}

TEST(diagnostics_are_limited_counted_and_freed)
{
    enum { WARNINGS = 1100 };
    char *text = malloc(64 * WARNINGS);
    REQUIRE(text != NULL);
    size_t used = 0;
    for (int i = 0; i < WARNINGS; i++) {
        used += (size_t)sprintf(text + used, "#warning number %d\n", i);
    }
    sprintf(text + used, "int x = unknown;\n");
    rill_diagnostics said = {0};
    STATUS(rill_check(text, &(rill_module_options){.path = "w.c", .diagnostics = &said, .color = true}),
           RILL_ERR_COMPILE);
    CHECK_UINT(said.warning_count, WARNINGS);
    CHECK_UINT(said.error_count, 1);
    CHECK_UINT(said.count, 1001); // the first 1,000 warnings, and the error
    REQUIRE(said.count > 0);
    CHECK_STR(said.items[0].file, "w.c");
    CHECK_INT(said.items[0].severity, RILL_SEVERITY_WARNING);
    CHECK(said.items[0].rendered[strlen(said.items[0].rendered) - 1] == '\n');
    CHECK_CONTAINS(said.items[0].rendered, "\x1b["); // colour
    CHECK_CONTAINS(said.items[0].rendered, "^");
    rill_diagnostics_free(&said);
    CHECK(said.items == NULL && said.count == 0 && said.memory == NULL);
    rill_diagnostics_free(&said);
    free(text);
}

TEST(reflection_tells_bit_fields_unions_pointers_and_nameless_members)
{
    struct world world;
    world_open(&world, 1);
    rill_module module = {0};
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n"
                          "struct odd { int a : 3; int b : 7; union { float f; int i; }; short s[2][3]; };\n"
                          "struct odd things[4];\nfloat *where;\n"
                          "kernel double get(int n, const float *p, struct odd o) { return n + o.b + p[0]; }\n",
                          NULL, &module));
    size_t count = 0;
    rill_field_info field;
    OK(rill_module_field_count(module, &count));
    CHECK_UINT(count, 2);
    OK(rill_module_field(module, 0, &field));
    CHECK_STR(field.name, "things");
    CHECK_INT(field.type->kind, RILL_KIND_ARRAY);
    CHECK_INT(field.type->length, 4);
    const rill_type_info *odd = field.type->element;
    CHECK_STR(odd->name, "struct odd");
    REQUIRE(odd->member_count == 4);
    CHECK_INT(odd->members[1].bit_offset, 3);
    CHECK_INT(odd->members[1].bit_width, 7);
    CHECK_STR(odd->members[2].name, "");
    CHECK(odd->members[2].type->is_union);
    CHECK_INT(odd->members[2].bit_offset, -1);
    CHECK_INT(odd->members[3].type->element->length, 3);
    OK(rill_module_field(module, 1, &field));
    CHECK_INT(field.type->kind, RILL_KIND_POINTER);
    CHECK_STR(field.type->name, "float *");
    CHECK(field.type->element == NULL);

    rill_kernel get = {0};
    rill_param_info param;
    rill_shape shape;
    OK(rill_module_kernel(module, NULL, &get));
    OK(rill_kernel_param(get, 1, &param));
    CHECK(param.is_array && param.is_const);
    CHECK_INT(param.rank, 0);
    STATUS(rill_kernel_param_shape(get, 1, RILL_ARGS(1, 0, 0), &shape), RILL_ERR_INVALID);
    rill_arg none[3] = {rill_arg_int(1), {0, 0, {0}, 0, 0}, {0, 0, {0}, 0, 0}};
    STATUS(rill_launch(get, RILL_CURRENT, (rill_args){none, 3}), RILL_ERR_ARGUMENTS); // never set
    world_close(&world);
}

TEST(tasks_know_the_block_that_they_belong_to)
{
    struct world world;
    world_open(&world, 1);
    rill_module module = {0};
    rill_kernel kernel = {0};
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n"
                          "kernel void parts(int n, float x[restrict n], float y[restrict n])\n"
                          "{\n"
                          "    for (int i = 0; i < n; i++) x[i] = y[i];\n"
                          "    stream_parallel { for (int i = 0; i < n; i++) x[i] += 1; }\n"
                          "    stream_parallel { for (int i = 0; i < n; i++) y[i] += 2; }\n"
                          "}\n",
                          NULL, &module));
    OK(rill_module_kernel(module, NULL, &kernel));
    rill_task_info task;
    for (int i = 0; i < 3; i++) {
        OK(rill_kernel_task(kernel, (size_t)i, &task));
        CHECK_INT(task.group, i);
        CHECK_INT(task.line, 4 + (uint32_t)i);
        CHECK(strncmp(task.name, "parts.", 6) == 0);
    }
    world_close(&world);
}

// What a program may do with a type: what it names as B is a struct of %llu bytes.
static const char *const uses_of_size[] = {
    "kernel void f(int n, B x[n]) { for (int i = 0; i < n; i++) x[i].a[0] = 1; }",
    "kernel void f(int n, B x[restrict n], B y[restrict n]) { for (int i = 0; i < n; i++) x[i] = y[i]; }",
    "kernel void f(int n, B x[n][3]) { for (int i = 0; i < n; i++) x[i][2].a[0] = x[i][1].a[1]; }",
    "kernel void f(B *p, char c) { p[2].a[1] = c; }",
    "kernel void f(B value, char out[1]) { out[0] = value.a[0]; }",
    "kernel unsigned long f(int n) { return n * sizeof(B) + _Alignof(B); }",
    "kernel void f(char out[1]) { B local; local.a[1] = 2; out[0] = local.a[1]; }",
    "kernel char f(int n, const B x[n]) { B local = x[0]; return local.a[n]; }",
    "B field;\nkernel void f(int n) { for (int i = 0; i < n; i++) field.a[i] = 1; }",
    "static const B table = { {1} };\nkernel char f(int n) { return table.a[n]; }",
    "struct two { B first; B second; };\nkernel void f(struct two *p) { p->second.a[0] = p->first.a[0]; }",
    "union either { B first; double d; };\nkernel void f(union either *p) { p->first.a[0] = 1; }",
    "kernel void f(int n, char a[n][sizeof(B)]) { for (int i = 0; i < n; i++) a[i][0] = 1; }",
    "kernel long f(B *p, B *q) { return p - q; }",
};

// True if it compiled. What does not is a fault of the program, and the message says what the limit is.
static bool compile_with_size(struct world *world, const char *use, uint64_t size)
{
    char source[1024];
    rill_module module = {0};
    rill_diagnostics said = {0};
    snprintf(source, sizeof source, "#include <rill/kernel.h>\ntypedef struct { char a[%lluu]; } B;\n%s\n",
             (unsigned long long)size, use);
    rill_status status =
        rill_module_create(world->context, source, &(rill_module_options){.diagnostics = &said}, &module);
    const char *text = said.error_count > 0 ? said.items[said.count - said.error_count].text : "";
    if (status != RILL_OK && (status != RILL_ERR_COMPILE || strstr(text, "yte") == NULL)) {
        FAIL("%llu bytes, %s: %s, %s\n%s", (unsigned long long)size, use, rill_status_name(status), rill_message(),
             text);
    }
    if (size > UINT64_C(1) << 47) {
        CHECK_STR(text, "the array is larger than 2^47 bytes");
    }
    rill_diagnostics_free(&said);
    if (status == RILL_OK) {
        OK(rill_module_destroy(module));
    }
    return status == RILL_OK;
}

TEST(types_of_every_size_compile_or_are_refused_with_the_limit)
{
    struct world world;
    world_open(&world, 1);
    for (size_t i = 0; i < sizeof uses_of_size / sizeof *uses_of_size; i++) {
        int compiled_count = 0;
        for (int k = 3; k < 64; k += k < 38 || k > 48 ? 7 : 1) {
            for (int by = -1; by <= 1; by++) {
                uint64_t size = (UINT64_C(1) << k) + (uint64_t)(int64_t)by;
                compiled_count += compile_with_size(&world, uses_of_size[i], size);
            }
        }
        CHECK(compiled_count > 0);
    }
    world_close(&world);
}
