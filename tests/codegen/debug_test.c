// Debug information: the object's line table leads from code to the kernel's lines, and gdb stops on them.
#include "support.h"

// Line 2 loads, line 3 multiplies, line 4 stores.
static void build_lines(struct fixture *f)
{
    fixture_init(f);
    fixture_task(f, true);
    fixture_param(f, "x", IR_PTR);
    struct ir_inst *zero = ir_const(&f->b, IR_I64, 0);
    f->b.loc = (struct loc){0, 2, 5};
    struct ir_inst *x = fixture_load(f, 0, zero, IR_I32);
    f->b.loc = (struct loc){0, 3, 5};
    struct ir_inst *y = ir_emit2(&f->b, IR_OP_MUL, IR_I32, x, x);
    f->b.loc = (struct loc){0, 4, 5};
    fixture_store(f, 0, zero, y);
}

static char *output_of(const char *command, char *out, size_t size)
{
    FILE *pipe = popen(command, "r");
    size_t used = pipe != NULL ? fread(out, 1, size - 1, pipe) : 0;
    out[used] = '\0';
    if (pipe != NULL) {
        pclose(pipe);
    }
    return out;
}

TEST(the_line_table_names_the_kernels_lines)
{
    struct fixture f;
    build_lines(&f);
    struct codegen_output code;
    REQUIRE(codegen_emit(f.module, &(struct codegen_options){0}, &code) == RILL_OK);
    char path[] = "/tmp/rill-debug-XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0 && write(fd, code.bytes, code.size) == (ssize_t)code.size);
    close(fd);
    char command[128];
    static char out[8192];
    snprintf(command, sizeof command, "readelf --debug-dump=decodedline %s 2>&1", path);
    output_of(command, out, sizeof out);
    for (int line = 2; line <= 4; line++) { // a row: file, line, address
        bool found = false;
        for (const char *row = strstr(out, "\ntest.c "); row != NULL; row = strstr(row + 1, "\ntest.c ")) {
            found |= atoi(row + 8) == line;
        }
        if (!found) {
            FAIL("no row for line %d in\n%s", line, out);
        }
    }
    unlink(path);
    codegen_output_finish(&code);
    fixture_finish(&f);
}

TEST(gdb_stops_on_a_kernels_line)
{
    if (run_command("command -v gdb >/dev/null 2>&1") != 0 || run_command("command -v cc >/dev/null 2>&1") != 0) {
        SKIP("no gdb");
    }
    struct fixture f;
    build_lines(&f);
    struct codegen_output code;
    REQUIRE(codegen_emit(f.module, &(struct codegen_options){0}, &code) == RILL_OK);
    char dir[] = "/tmp/rill-debug-XXXXXX", path[64], command[512];
    REQUIRE(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/a.o", dir);
    write_file(path, code.bytes, code.size);
    snprintf(path, sizeof path, "%s/main.c", dir);
    static const char source[] = "void entry(void *, void *, long, long, void *, void *) __asm__(\"k.0\");\n"
                                 "int main(void) { int x = 3; void *p = &x; void *f[3] = {0};\n"
                                 "entry(&p, 0, 0, 1, 0, f); return x; }\n";
    write_file(path, source, strlen(source));
    CHECK_INT(run_command("cc -g -o %s/a %s/main.c %s/a.o", dir, dir, dir), 0);
    static char out[8192];
    snprintf(command, sizeof command, "cd %s && gdb -nx -batch -ex 'break test.c:3' -ex run -ex backtrace ./a 2>&1",
             dir);
    output_of(command, out, sizeof out);
    if (strstr(out, "ptrace") != NULL) {
        SKIP("this machine does not let gdb trace");
    }
    CHECK_CONTAINS(out, "test.c:3");
    CHECK_CONTAINS(out, "k.0");
    CHECK_CONTAINS(out, "in main ()");
    run_command("rm -rf %s", dir);
    codegen_output_finish(&code);
    fixture_finish(&f);
}
