#!/usr/bin/env python3
"""rill build: the object links with librill alone, the header compiles as C99 to C23 and C++11 to C++20, and what does not fit
a kernel's parameters does not compile. tests/conformance/ahead_test.c has what a package does in a context.

Of the kernel files, compilers and standards the short form takes some; RILL_TEST_LONG all of them.
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import ROOT, Report, kernel_files, rill  # noqa: E402

BUILD = pathlib.Path(os.environ["RILL_BUILD"])
PART = os.environ.get("RILL_TEST_PART", "plain")
IS_LONG = "RILL_TEST_LONG" in os.environ
TURN = int(os.environ.get("RILL_TEST_TURN", "0"))
STRICT = ["-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Werror", f"-I{ROOT}/include"]
COMPILERS = [("gcc", std) for std in ("c99", "c11", "c17", "c2x")] + [("clang-22", std) for std in ("c99", "c11", "c23")] + \
            [("g++", std) for std in ("c++11", "c++14", "c++17", "c++20")] + [("clang++-22", std) for std in ("c++11", "c++20")]

SOLVE = """#include <rill/kernel.h>
#include <assert.h>
struct particle { float x, y; int id; unsigned flags : 3; };
float gain = 2;
kernel void solve(int n, const float a[n], const float b[n], float c[n])
{ for (int i = 0; i < n; i++) c[i] = gain * a[i] + b[i]; }
kernel double dot(int n, const double x[n], const double *y)
{ double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
kernel void move(int n, struct particle p[n], struct particle by)
{ for (int i = 0; i < n; i++) { p[i].x += by.x; p[i].y += by.y; p[i].id = i; } }
kernel void many(long long k, unsigned char u, const long w[k], unsigned char bytes[k], const char text[k])
{ for (long long i = 0; i < k; i++) bytes[i] = (unsigned char)(w[i] + u + text[i]); }
kernel void check(int n, const int x[n])
{ for (int i = 0; i < n; i++)
    assert(x[i] != 3); }
"""
# Also valid C++.
MAIN = """#include "solve.h"
#include <stdio.h>
#include <string.h>
#define T(x) do { if ((x) != RILL_OK) { printf("%s: %s\\n", #x, rill_message()); return 1; } } while (0)
int main(int argc, char **argv)
{
    rill_context ctx; rill_array c; rill_module module; rill_stream s; rill_array sum;
    float a[8], b[8], out[8], gain = 0; double x[8], r = 0; long w[8]; unsigned char bytes[8]; char text[8];
    struct particle p[2], by;
    int k[8], has_compiler = 0;
    memset(p, 0, sizeof p); memset(&by, 0, sizeof by); by.y = 3;
    for (int i = 0; i < 8; i++) { a[i] = i; b[i] = 1; x[i] = i; k[i] = i; w[i] = i; text[i] = 1; }
    T(rill_open(argc > 1 ? argv[1] : "cpu", NULL, &ctx));
    s = rill_default_stream(ctx);
    T(rill_array_create(ctx, RILL_F32, RILL_SHAPE(8), &c));
    T(rill_array_create(ctx, RILL_F64, RILL_SHAPE(1), &sum));
    T(solve(s, 8, a, (const float *)b, c));
    T(rill_array_read(c, s, out, sizeof out));
    T(dot(RILL_CURRENT, 8, x, RILL_HOST(x, 8), &r));
    T(dot_to(s, 8, x, RILL_HOST(x, 8), sum));
    T(rill_array_read(sum, s, x, sizeof x[0]));
    T(move(s, 2, p, by));
    T(many(8, 5, w, bytes, text));
    T(rill_sync(ctx));
    T(solve_module(ctx, &module));
    T(rill_field_read(module, "gain", s, &gain, sizeof gain));
    printf("%g %g %g %g %d %d %g\\n", (double)out[7], r, x[0], (double)p[1].y, p[1].id, bytes[7], (double)gain);
    T(check(s, 8, k));
    printf("%s ", rill_sync(ctx) == RILL_ERR_ASSERT ? strstr(rill_message(), "kernel") : "no failure");
    char line[4096]; FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) { has_compiler |= strstr(line, "librill-compiler") != NULL; }
    if (maps != NULL) { fclose(maps); }
    printf("compiler %d\\n", has_compiler);
    return rill_close(ctx) == RILL_OK ? 0 : 1;
}
""".replace("T(many(8,", "T(many(s, 8,")
SAID = "15 140 140 3 1 13 2\nkernel 'check', solve.c:15: the assertion 'x[i] != 3' failed in iteration 3 compiler 0\n"

CALL = """#include "solve.h"
rill_status call(rill_context ctx, rill_stream s, rill_array h, float *f, const float *cf, double *d, const double *cd,
                 int *i, struct particle *p, struct particle q, long *w, long long *v, unsigned char *u, char *t);
rill_status call(rill_context ctx, rill_stream s, rill_array h, float *f, const float *cf, double *d, const double *cd,
                 int *i, struct particle *p, struct particle q, long *w, long long *v, unsigned char *u, char *t)
{
    (void)ctx; (void)s; (void)h; (void)f; (void)cf; (void)d; (void)cd; (void)i; (void)p; (void)q; (void)w; (void)v; (void)u; (void)t;
    return %s;
}
"""
RIGHT = ["solve(s, 8, f, cf, f)", "solve(s, 8, h, RILL_HOST(cf, 8), RILL_PTR(f, 8))", "dot(s, 8, cd, RILL_HOST(cd, 8), d)",
         "dot(s, 8, d, h, d)", "move(s, 3, p, q)", "many(s, 8, 200, w, u, t)", "many(s, 8, 1, v, u, t)", "solve(RILL_ANY, 2, f, f, h)"]
WRONG = {"another_element_type": "solve(s, 8, d, cf, f)", "const_memory_that_is_written": "solve(s, 8, f, f, cf)",
         "an_argument_less": "solve(s, 8, f, f)", "an_argument_more": "solve(s, 8, f, f, f, f)",
         "a_pointer_for_a_number": "solve(s, i, f, f, f)", "a_number_for_an_array": "solve(s, 8, 2.5f, f, f)",
         "a_pointer_of_unknown_length": "dot(s, 8, d, d, d)", "a_result_of_another_type": "dot(s, 8, d, h, f)",
         "a_struct_for_an_array_of_it": "move(s, 3, q, q)", "a_pointer_for_a_struct": "move(s, 3, p, p)",
         "no_stream": "solve(8, f, f, f)", "a_context_for_a_stream": "solve(ctx, 8, f, f, f)",
         "signs_that_differ": "many(s, 8, 1, w, t, t)", "a_struct_of_another_kind": "move(s, 3, f, q)",
         "no_result": "dot(s, 8, d, h)", "a_number_that_does_not_fit": "many(s, 8, 300, w, u, t)"}


def run(*command, cwd, env=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False,
                          env=dict(os.environ, **(env or {})))
    return done.returncode, done.stdout + done.stderr


def language(compiler):
    return ["-x", "c++"] if "++" in compiler else ["-x", "c"]


def check_headers(report, work):
    for compiler, std in COMPILERS if IS_LONG else COMPILERS[TURN % 2::2]:
        status, said = run(compiler, f"-std={std}", *STRICT, *language(compiler), "-fsyntax-only", "main.c", cwd=work)
        report.check(f"the_header_compiles_with_{compiler}_{std}", status == 0, said)
    short = (("gcc", "c11"), ("g++", "c++11"))
    for compiler, std in short + ((("clang-22", "c23"), ("clang++-22", "c++20")) if IS_LONG else ()):
        flags = [f"-std={std}", *STRICT, *language(compiler), "-fsyntax-only", "call.c"]
        for call in RIGHT:
            (work / "call.c").write_text(CALL % call)
            status, said = run(compiler, *flags, cwd=work)
            report.check(f"{call}_compiles_with_{compiler}", status == 0, said)
        for name, call in WRONG.items():
            (work / "call.c").write_text(CALL % call)
            status, said = run(compiler, *flags, cwd=work)
            report.check(f"{name}_does_not_compile_with_{compiler}", status != 0, call)


def check_program(report, work):
    """What runs is a plain program: a library that is made with a sanitizer is not for it."""
    if PART not in ("plain", "release"):
        report.skip("programs_that_link_packages", "they are built without the sanitizer")
        return
    lib = BUILD / "lib"
    (work / "solve.c").rename(work / "gone.c")
    env = {"RILL_COMPILER": "/nowhere/compiler.so", "RILL_CACHE": "off"}
    for compiler, name in (("gcc", "main"), ("g++", "main_cxx")):
        status, said = run(compiler, *language(compiler), "main.c", "-x", "none", "solve.o", f"-I{ROOT}/include", f"-L{lib}",
                           "-lrill", f"-Wl,-rpath,{lib}", "-o", name, cwd=work)
        report.check(f"{name}_links_with_librill_alone", status == 0, said)
        status, said = run(f"./{name}", cwd=work, env=env)
        report.check(f"{name}_runs_without_compiler_and_source", status == 0 and said == SAID, said)
    (work / "gone.c").rename(work / "solve.c")
    status, said = run("readelf", "-WlS", "main", cwd=work)
    report.check("nothing_becomes_writable_or_executable", "RWE" not in said and ".rodata" in said, said)


WHICH = "#include <rill/kernel.h>\nkernel int which(int n, const int x[n]) {{ int s = {0}; for (int i = 0; i < n; i++) s += x[i]; return s; }}\n"
USE = """#include "way{0}.h"
int use{0}(rill_stream s);
int use{0}(rill_stream s) {{ int r = -1; const int x[2] = {{1, 1}}; return which(s, 2, x, &r) == RILL_OK ? r : -1; }}
"""
BOTH = """#include <rill/rill.h>
#include <stdio.h>
int use1(rill_stream s); int use2(rill_stream s);
int main(void)
{
    rill_context ctx;
    if (rill_open("cpu", NULL, &ctx) != RILL_OK) { return 1; }
    printf("%d %d\\n", use1(rill_default_stream(ctx)), use2(rill_default_stream(ctx)));
    return rill_close(ctx) != RILL_OK;
}
"""


def check_two_packages(report, work):
    """Kernels of one name in packages of one program: each file calls what its own header is of."""
    if PART not in ("plain", "release"):
        return
    lib = BUILD / "lib"
    link = [f"-I{ROOT}/include", f"-L{lib}", "-lrill", f"-Wl,-rpath,{lib}", "-Wl,-rpath,$ORIGIN"]
    (work / "both.c").write_text(BOTH)
    for number in (1, 2):
        (work / f"way{number}.c").write_text(WHICH.format(number))
        (work / f"use{number}.c").write_text(USE.format(number))
        done = rill("build", f"way{number}.c", "--target", "x86-64", cwd=work)
        report.check(f"package_{number}_of_one_kernel_name_is_built", done.rc == 0, done)
    for compiler in ("gcc", "g++"):
        source, none = language(compiler), ["-x", "none"]
        status, said = run(compiler, *source, "both.c", "use1.c", "use2.c", *none, "way1.o", "way2.o", *link, "-o", "both", cwd=work)
        said += run("./both", cwd=work)[1]
        report.check(f"two_packages_of_one_kernel_name_in_a_program_with_{compiler}", said == "3 4\n", said)
        for number in (1, 2):
            run(compiler, "-shared", "-fPIC", *source, f"use{number}.c", *none, f"way{number}.o", *link, "-o", f"libuse{number}.so", cwd=work)
        status, said = run(compiler, *source, "both.c", *none, "-L.", "-luse1", "-luse2", *link, "-o", "both", cwd=work)
        said += run("./both", cwd=work)[1]
        report.check(f"two_packages_of_one_kernel_name_in_libraries_with_{compiler}", status == 0 and said == "3 4\n", said)


def images_of(data):
    """The ELF files inside an object, x86-64's alone."""
    at = data.find(b"\x7fELF", 1)
    while at >= 0:
        sections, = struct.unpack_from("<Q", data, at + 0x28)
        size, count = struct.unpack_from("<HH", data, at + 0x3A)
        if struct.unpack_from("<H", data, at + 0x12)[0] == 62:
            yield data[at:at + sections + size * count]
        at = data.find(b"\x7fELF", at + 4)


def check_levels(report, work):
    """The instructions of each level: SSE2, AVX2, AVX-512."""
    done = rill("build", "solve.c", "--target", "cpu", "-o", "levels", cwd=work)
    texts = []
    for image in images_of((work / "levels.o").read_bytes()):
        (work / "image.o").write_bytes(image)
        texts.append(run("objdump", "-d", "image.o", cwd=work)[1])
    uses = [[register in text for register in ("%xmm", "%ymm", "%zmm")] for text in texts]
    report.check("three_levels_use_the_registers_that_each_has", done.rc == 0 and [use[:2] for use in uses[:2]] == [[True, False], [True, True]]
                 and not uses[0][2] and not uses[1][2] and len(uses) == 3 and uses[2][2], f"{done} {uses}")


ZOO = """#include <rill/kernel.h>
#include <stdbool.h>
#include <stdint.h>
struct particle { float pos[3]; float m; int id; };
typedef struct { double lo, hi; } range;
typedef float f4 __attribute__((vector_size(16)));
enum mode { FAST, SLOW = 5 };
kernel void grid(int n, int m, const float a[n][m], float b[m][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j]; }
kernel void deep(int n, float c[n][3][2 * n]) { for (int i = 0; i < n; i++) c[i][2][0] = i; }
kernel void scale(struct particle *p, int n, double by) { for (int i = 0; i < n; i++) p[i].m *= (float)by; }
kernel range extent(int n, const double x[n]) { range r = {x[0], x[n - 1]}; return r; }
kernel struct particle heavy(int n, const struct particle p[n]) { return p[n - 1]; }
kernel void quads(int n, f4 x[n], f4 k) { for (int i = 0; i < n; i++) x[i] *= k; }
kernel void halves(int n, _Float16 h[n], _Float16 k) { for (int i = 0; i < n; i++) h[i] = h[i] * k; }
kernel void scalars(int *count, float *f) { *count = 4; *f = 2.5f; }
kernel void modes(enum mode m, bool b, uint8_t u, int16_t s, size_t z, int n, int64_t out[n]) { for (int i = 0; i < n; i++) out[i] = m + b + u + s + (int64_t)z; }
kernel int none(void) { return 42; }
kernel void nothing(void) { }
kernel void fixed(float m[3][3], const int k[4]) { for (int i = 0; i < 3; i++) m[i][i] += k[i]; }
kernel void bare(int n, const float *restrict a, volatile int *b, float c[restrict n]) { for (int i = 0; i < n; i++) c[i] = a[i] + b[0]; }
"""
ZOO_CALL = """#include "zoo.h"
struct two { float a[4]; };
rill_status call(rill_stream s, rill_array h, float *f, const float *cf, double *d, const double *cd, int *i, const int *ci,
                 struct particle *p, const struct particle *cp, range *r, uint16_t *bits, struct two *v, long *w, float (*m)[3], short sh);
rill_status call(rill_stream s, rill_array h, float *f, const float *cf, double *d, const double *cd, int *i, const int *ci,
                 struct particle *p, const struct particle *cp, range *r, uint16_t *bits, struct two *v, long *w, float (*m)[3], short sh)
{
    (void)s; (void)h; (void)f; (void)cf; (void)d; (void)cd; (void)i; (void)ci; (void)p; (void)cp; (void)r; (void)bits; (void)v; (void)w; (void)m; (void)sh;
    %s
    return RILL_OK;
}
"""
ZOO_RIGHT = ["grid(s, 2, 3, cf, f)", "grid(s, 2, 3, &m[0][0], h)", "deep(s, 2, f)", "scale(s, RILL_HOST(p, 2), 2, 1.5)", "scale(s, h, 2, 1)",
             "extent(s, 3, cd, r)", "heavy(s, 3, cp, p)", "quads(s, 3, RILL_HOST(f, 12), RILL_STRUCT(*v))", "halves(s, 3, h, 1.5f)",
             "halves(s, 3, RILL_HOST(bits, 3), 2)", "scalars(s, RILL_HOST(i, 1), RILL_PTR(f, 1))", "fixed(s, &m[0][0], ci)", "none(s, i)",
             "modes(s, 1, true, 2, sh, sizeof *w, 5, w)", "nothing(s)", "bare(s, 3, RILL_HOST(f, 3), RILL_HOST(i, 1), f)", "none_to(s, h)"]
ZOO_WRONG = {"rows_for_elements": "grid(s, 2, 3, m, f)", "const_rows_that_are_written": "grid(s, 2, 3, f, cf)", "doubles_for_floats": "deep(s, 2, d)",
             "a_pointer_without_a_length": "scale(s, p, 2, 1.5)", "a_pointer_for_a_factor": "scale(s, RILL_HOST(p, 2), p, 1.5)",
             "a_result_of_another_struct": "heavy(s, 3, cp, r)", "a_const_result": "heavy(s, 3, cp, cp)", "no_struct_result": "extent(s, 3, cd)",
             "a_number_for_a_vector": "quads(s, 3, h, 1.5f)", "floats_for_halves": "halves(s, 3, f, 1)", "pointers_for_scalars": "scalars(s, i, f)",
             "numbers_for_pointers": "scalars(s, 1, 2)", "const_ints_for_floats": "fixed(s, ci, ci)", "ints_for_longs": "modes(s, 1, 1, 2, 3, 4, 5, i)",
             "an_argument_for_none": "nothing(s, 1)", "an_array_for_a_stream": "nothing(h)", "a_pointer_for_a_result_array": "none_to(s, i)"}


def check_zoo(report, work):
    """Arrays of several dimensions, structs, vectors, half floats, pointers to scalars."""
    (work / "zoo.c").write_text(ZOO)
    done = rill("build", "zoo.c", "--target", "x86-64", cwd=work)
    report.check("kernels_with_parameters_of_every_kind_are_built", done.rc == 0, done)
    every = "".join(f"RILL_TRY({call}); " for call in ZOO_RIGHT)
    for compiler, std in (("gcc", "c99"), ("g++", "c++11")) + ((("clang-22", "c23"), ("clang++-22", "c++20")) if IS_LONG else ()):
        flags = [f"-std={std}", *STRICT, "-Wconversion", *language(compiler), "-fsyntax-only", "call.c"]
        (work / "call.c").write_text(ZOO_CALL % every)
        status, said = run(compiler, *flags, cwd=work)
        report.check(f"parameters_of_every_kind_take_what_fits_with_{compiler}", status == 0, said)
        for name, call in ZOO_WRONG.items():
            (work / "call.c").write_text(ZOO_CALL % f"RILL_TRY({call});")
            status, said = run(compiler, *flags, cwd=work)
            report.check(f"{name}_do_not_compile_with_{compiler}", status != 0, call)


def check_types(report, work):
    text = "#include <rill/kernel.h>\nstruct __attribute__((packed)) odd { char c; double d; };\n" \
           "kernel void odd(int n, struct odd x[n], struct odd y) { for (int i = 0; i < n; i++) x[i] = y; }\n" \
           "kernel void words(int class, float delete[class], int stream) { for (int i = 0; i < class; i++) delete[i] = stream; }\n"
    (work / "odd.c").write_text(text)
    done = rill("build", "odd.c", "--prefix", "my_", "--target", "x86-64", cwd=work)
    report.check("types_without_words_and_names_that_are_taken", done.rc == 0, done)
    use = '#include "odd.h"\n#include "odd.h"\n' \
          "rill_status use(rill_stream s, float *f, rill_arg y);\n" \
          "rill_status use(rill_stream s, float *f, rill_arg y) { RILL_TRY(my_odd(s, 3, RILL_HOST(f, 3), y)); return my_words(s, 3, f, 4); }\n"
    (work / "use.c").write_text(use)
    for compiler, std in (("gcc", "c99"), ("g++", "c++11")):
        status, said = run(compiler, f"-std={std}", *STRICT, *language(compiler), "-fsyntax-only", "use.c", cwd=work)
        report.check(f"such_a_header_compiles_with_{compiler}", status == 0, said)
    (work / "particle.h").write_text("#pragma once\nstruct particle { float x, y; int id; unsigned flags : 3; };\n")
    (work / "use.c").write_text('#include "particle.h"\n#include "solve.h"\n#include "own.h"\nint used;\n')
    done = rill("build", "solve.c", "-o", "own", "--prefix", "own_", "--include", "particle.h", "--target", "x86-64", cwd=work)
    report.check("structs_may_be_declared_elsewhere", done.rc == 0 and "struct particle {" not in (work / "own.h").read_text(), done)
    for flag, expected in (("-DSOLVE_OWN_TYPES", 0), ("-DOTHER", 1)):
        status, said = run("gcc", flag, *STRICT, "-fsyntax-only", "use.c", cwd=work)
        report.check(f"a_program_that_declares_them_says_so_with_{flag}", status == expected, said)


NAMES = """#include <rill/kernel.h>
struct particle { float x, m; };
struct vec { float x, y; };
kernel void move(int n, struct particle particle[n], float new, float new_, float n_at_) { for (int i = 0; i < n; i++) particle[i].x += new + new_ * n_at_; }
kernel struct vec twice(struct vec vec, int rill_arg_int) { vec.x *= 2 * rill_arg_int; return vec; }
kernel int main(int move_at_) { return move_at_ + 1; }
kernel int rill_launch(int place_, int RILL_PLACE_) { return place_ + RILL_PLACE_; }
"""
NAMES_USE = """#include "names.h"
#include <stdio.h>
static int fails(void)
{
    RILL_AUTO_CONTEXT c = {0};
    struct particle p[2] = {{1, 2}, {3, 4}};
    struct vec v = {3, 4}, r;
    int a, b;
    RILL_TRY(rill_open("cpu", NULL, &c));
    RILL_TRY(move(rill_default_stream(c), 2, p, 2, 3, 10));
    RILL_TRY(twice(rill_default_stream(c), v, 2, &r));
    RILL_TRY(main_(rill_default_stream(c), 4, &a));
    RILL_TRY(rill_launch__(rill_default_stream(c), 4, 5, &b));
    RILL_TRY(rill_sync(c));
    printf("%g %g %d %d\\n", (double)p[1].x, (double)r.x, a, b);
    return 0;
}
int main(void)
{
    return fails() && puts(rill_message());
}
"""


def check_names(report, work):
    """Parameters that are called like their types, or as the header calls things; functions of one name."""
    (work / "names.c").write_text(NAMES)
    (work / "names_use.c").write_text(NAMES_USE)
    done = rill("build", "names.c", "--target", "x86-64", cwd=work)
    report.check("names_that_the_header_has_another_use_for_are_built", done.rc == 0, done)
    lib = BUILD / "lib"
    for compiler, std in (("gcc", "c99"), ("g++", "c++11")):
        flags = [f"-std={std}", *STRICT, *language(compiler), "names_use.c"]
        status, said = run(compiler, *flags, "-fsyntax-only", cwd=work)
        report.check(f"such_names_compile_with_{compiler}", status == 0, said)
        if PART in ("plain", "release"):
            status, said = run(compiler, *flags, "-x", "none", "names.o", f"-L{lib}", "-lrill", f"-Wl,-rpath,{lib}", "-o", "names", cwd=work)
            said = run("./names", cwd=work)[1] if status == 0 else said
            report.check(f"such_names_mean_the_same_with_{compiler}", said == "35 12 5 9\n", said)
    for name, kernels in {"a_result_and_a_kernel": "kernel int go(int n) { return n; }\nkernel void go_to(int n) { (void)n; }",
                          "the_module_and_a_kernel": "kernel void one_name_module(int n) { (void)n; }"}.items():
        (work / "one_name.c").write_text("#include <rill/kernel.h>\n" + kernels + "\n")
        done = rill("build", "one_name.c", "--target", "x86-64", cwd=work)
        report.check(f"one_function_for_{name}_is_refused_with_words", done.rc == 2 and "would have two functions" in done.err
                     and not (work / "one_name.o").exists(), done)
        done = rill("build", "one_name.c", "--target", "x86-64", "-o", "other", "--prefix", "my_", cwd=work)
        report.check(f"another_name_mends_{name}", (done.rc == 0) == (name != "a_result_and_a_kernel"), done)


def check_use(report, work):
    """The command line."""
    cases = {"no_file": ([], 2, "which file?"), "two_files": (["a.c", "b.c"], 2, "one file at a time"),
             "no_such_option": (["solve.c", "--fast"], 2, "unknown option"), "no_such_file": (["none.c"], 3, "none.c"),
             "no_such_target": (["solve.c", "--target", "cpu,vax"], 2, "unknown target 'vax'"),
             "no_such_folder": (["solve.c", "-o", "no/where", "--target", "x86-64"], 3, "cannot write 'no/where.o'"),
             "standard_input_without_a_name": (["-"], 2, "needs -o"), "no_identifier": (["solve.c", "--prefix", "a-"], 2, "identifier")}
    for name, (args, status, words) in cases.items():
        done = rill("build", *args, cwd=work)
        report.check(f"{name}_is_said", done.rc == status and words in done.err, done)
    (work / "wrong.c").write_text("#include <rill/kernel.h>\nkernel void f(int n) { return x; }\n")
    done = rill("build", "wrong.c", cwd=work)
    report.check("errors_of_the_source_are_shown", done.rc == 1 and "wrong.c:2:31: error:" in done.err
                 and not (work / "wrong.o").exists(), done)
    before = sorted(path.name for path in work.iterdir())
    done = rill("build", "-", "-o", "piped.o", "--target", "native", "--target", "sm_80", stdin=SOLVE.encode(), cwd=work)
    after = sorted(path.name for path in work.iterdir())
    report.check("standard_input_becomes_two_files_and_nothing_else", done.rc == 0
                 and sorted(set(after) - set(before)) == ["piped.h", "piped.o"], f"{done} {after}")


def check_kernel_files(report, work):
    files = kernel_files()
    files = files if IS_LONG else files[TURN % 24::24]
    for path in files:
        done = rill("build", path, "-o", "kernels", "--prefix", "built_", "--target", "x86-64", cwd=work)
        report.check(f"{path.name}_is_built", done.rc == 0, done)
        (work / "use.c").write_text('#include "kernels.h"\nint used;\n')
        for compiler, std in (("gcc", "c99"), ("g++", "c++11"), ("clang-22", "c23")):
            status, said = run(compiler, f"-std={std}", *STRICT, *language(compiler), "-fsyntax-only", "use.c", cwd=work)
            report.check(f"{path.name}_has_a_header_for_{compiler}", status == 0, said)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "solve.c").write_text(SOLVE)
        (work / "main.c").write_text(MAIN)
        done = rill("build", "solve.c", cwd=work)
        report.check("a_portable_package_is_built", done.rc == 0 and (work / "solve.o").exists() and not done.out, done)
        first = (work / "solve.o").read_bytes()
        rill("build", "solve.c", "--target", "portable", "-o", "solve", cwd=work)
        report.check("the_same_source_gives_the_same_file", (work / "solve.o").read_bytes() == first)
        check_headers(report, work)
        check_program(report, work)
        check_two_packages(report, work)
        check_levels(report, work)
        check_zoo(report, work)
        check_types(report, work)
        check_names(report, work)
        check_use(report, work)
        check_kernel_files(report, work)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
