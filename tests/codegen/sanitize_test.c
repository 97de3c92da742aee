// Kernels instrumented for sanitizers. The runs happen in programs of their own, built with the sanitizer by clang.
#include "support.h"

static const char *clang(void)
{
    static const char *const names[] = {"clang-22", "/usr/lib/llvm-22/bin/clang"};
    for (int i = 0; i < 2; i++) {
        if (run_command("command -v %s >/dev/null 2>&1", names[i]) == 0) {
            return names[i];
        }
    }
    return NULL;
}

// p[i] = 7, at line 2 of test.c.
static void build_store(struct fixture *f)
{
    fixture_init(f);
    fixture_task(f, false);
    fixture_param(f, "p", IR_PTR);
    struct ir_global *field = ir_global_create(f->module, "field", 12, 4);
    (void)field;
    fixture_store(f, 0, ir_emit0(&f->b, IR_OP_ITER, IR_I64), ir_const(&f->b, IR_I32, 7));
}

// Builds main.c with the instrumented object and runs it; what it said is in |out|.
static bool run_with(const char *sanitize, const char *source, char *out, size_t out_size)
{
    struct fixture f;
    build_store(&f);
    struct codegen_output code;
    struct codegen_options options = {.sanitize = sanitize};
    char dir[] = "/tmp/rill-sanitize-XXXXXX";
    bool good = CHECK(codegen_emit(f.module, &options, &code) == RILL_OK) && CHECK(mkdtemp(dir) != NULL);
    if (good) {
        char path[64];
        snprintf(path, sizeof path, "%s/a.o", dir);
        good = write_file(path, code.bytes, code.size);
        snprintf(path, sizeof path, "%s/main.c", dir);
        good = good && write_file(path, source, strlen(source));
        good = good && CHECK_INT(run_command("%s -g -fsanitize=%s -I%s/src -o %s/a %s/main.c %s/a.o -lpthread", clang(),
                                             sanitize, RILL_SOURCE_DIR, dir, dir, dir),
                                 0);
        run_command("%s/a > %s/out 2>&1", dir, dir);
        snprintf(path, sizeof path, "%s/out", dir);
        FILE *file = fopen(path, "r");
        size_t size = file != NULL ? fread(out, 1, out_size - 1, file) : 0;
        out[size] = '\0';
        if (file != NULL) {
            fclose(file);
        }
    }
    run_command("rm -rf %s", dir);
    codegen_output_finish(&code);
    fixture_finish(&f);
    return good;
}

TEST(instrumented_code_reads_as_llvm_text)
{
    struct fixture f;
    build_store(&f);
    struct codegen_output code;
    struct codegen_options options = {.sanitize = "address", .kind = CODEGEN_LLVM};
    REQUIRE(codegen_emit(f.module, &options, &code) == RILL_OK);
    CHECK_CONTAINS(code.bytes, "__asan_");
    CHECK(strstr(code.bytes, "badref") == NULL);
    CHECK(strstr(code.bytes, "asan.module_ctor") == NULL);
    codegen_output_finish(&code);
    fixture_finish(&f);
}

TEST(address_sanitizer_sees_a_kernels_store_behind_the_end)
{
    if (clang() == NULL) {
        SKIP("no clang 22");
    }
    static const char source[] = "#include \"plan/abi.h\"\n#include <stdlib.h>\n"
                                 "abi_entry entry __asm__(\"k.0\");\nextern int field[3];\n"
                                 "int main(void) { int *p = malloc(40 + field[0]); struct abi_frame f = {0};\n"
                                 "entry(&p, 0, 0, 10, 0, &f); entry(&p, 0, 10, 11, 0, &f); return p[9]; }\n";
    static char out[16384];
    REQUIRE(run_with("address", source, out, sizeof out));
    CHECK_CONTAINS(out, "heap-buffer-overflow");
    CHECK_CONTAINS(out, "0 bytes after 40-byte region");
    CHECK_CONTAINS(out, "test.c:2");
}

TEST(thread_sanitizer_names_the_kernels_lines)
{
    if (clang() == NULL) {
        SKIP("no clang 22");
    }
    static const char source[] =
        "#include \"plan/abi.h\"\n#include <pthread.h>\n#include <stdio.h>\n#include <string.h>\n"
        "abi_entry entry __asm__(\"k.0\");\n"
        "int __tsan_symbolize_external(uintptr_t pc, char *fn, size_t fn_size, char *file, size_t file_size, int *line,"
        " int *column);\n"
        "int __tsan_symbolize_external(uintptr_t pc, char *fn, size_t fn_size, char *file, size_t file_size, int *line,"
        " int *column) {\n"
        "const struct abi_place *place = (const struct abi_place *)(pc & ~ABI_PLACE_BIT);\n"
        "snprintf(fn, fn_size, \"%s\", place->function); snprintf(file, file_size, \"%s\", place->file);\n"
        "*line = (int)place->line; *column = (int)place->column; return 1; }\n"
        "static int data[10];\n"
        "static void *run(void *p) { int *d = data; struct abi_frame f = {0}; entry(&d, 0, 0, 10, 0, &f); return p; }\n"
        "int main(void) { pthread_t a; pthread_create(&a, 0, run, 0); run(0); pthread_join(a, 0); return data[3]; }\n";
    static char out[16384];
    REQUIRE(run_with("thread", source, out, sizeof out));
    CHECK_CONTAINS(out, "data race");
    CHECK_CONTAINS(out, "k.0 test.c:2:3");
}
