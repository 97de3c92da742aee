// The built-in headers, and rill/kernel.h as a plain C compiler sees it.
#include "tokens.h"

#include "lang/ast.h"
#include "lang/headers.h"

#include <rill/kernel.h>

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <unistd.h>

static char *read_file(const char *path, size_t *out_length)
{
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    char *text = calloc(1, 1 << 20);
    *out_length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

TEST(the_embedded_kernel_header_is_the_file)
{
    size_t length;
    char *text = read_file(RILL_SOURCE_DIR "/include/rill/kernel.h", &length);
    const struct builtin_header *header = headers_find("rill/kernel.h");
    REQUIRE(header != NULL);
    CHECK_UINT(header->length, length);
    CHECK(header->length == length && memcmp(header->text, text, length + 1) == 0);
    free(text);
}

TEST(every_standard_header_is_there_and_parses)
{
    static const char *const names[] = {
        "assert", "complex", "ctype",  "errno",  "fenv",   "float",   "inttypes", "iso646",      "limits",
        "locale", "math",    "setjmp", "signal", "stdarg", "stdbool", "stddef",   "stdint",      "stdio",
        "stdlib", "string",  "tgmath", "time",   "wchar",  "wctype",  "stdalign", "stdnoreturn", "rill/kernel"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s.h", names[i]);
        CHECK(headers_find(text) != NULL);
        snprintf(text, sizeof text, "#include <%s.h>\n#include <%s.h>\n", names[i], names[i]);
        struct tokens tokens;
        tokens_init(&tokens, text, strlen(text), &(struct preprocess_options){.no_disk = true});
        parse_unit(&tokens.arena, &tokens.diags, &tokens.list);
        if (!CHECK_STR(tokens_messages(&tokens), "")) {
            FAIL("<%s.h>", names[i]);
        }
        tokens_finish(&tokens);
    }
    CHECK(headers_find("") == NULL);
    CHECK(headers_find("zzz.h") == NULL);
    CHECK(headers_find("stdio") == NULL);
}

TEST(all_headers_together_parse)
{
    struct tokens tokens;
    struct arena arena;
    struct str text;
    arena_init(&arena);
    str_init(&text, &arena);
    for (size_t i = 0; i < builtin_header_count; i++) {
        CHECK(i == 0 || strcmp(builtin_headers[i - 1].name, builtin_headers[i].name) < 0);
        str_printf(&text, "#include <%s>\n", builtin_headers[i].name);
    }
    tokens_init(&tokens, text.text, text.length, &(struct preprocess_options){.no_disk = true});
    parse_unit(&tokens.arena, &tokens.diags, &tokens.list);
    CHECK_STR(tokens_messages(&tokens), "");
    tokens_finish(&tokens);
    arena_finish(&arena);
}

TEST(max_align_t_is_as_the_c_library_has_it)
{
    static const char text[] = "#include <stddef.h>\n"
                               "_Static_assert(_Alignof(max_align_t) == 16 && sizeof(max_align_t) == 32, \"\");\n";
    CHECK_UINT(_Alignof(max_align_t), 16);
    CHECK_UINT(sizeof(max_align_t), 32);
    struct tokens tokens;
    tokens_init(&tokens, text, sizeof text - 1, &(struct preprocess_options){.no_disk = true});
    parse_unit(&tokens.arena, &tokens.diags, &tokens.list);
    CHECK_STR(tokens_messages(&tokens), "");
    tokens_finish(&tokens);
}

// A kernel file with every header in use has no message.
TEST(what_the_headers_offer_can_be_used)
{
    static const char text[] =
        "#include <rill/kernel.h>\n#include <assert.h>\n#include <inttypes.h>\n#include <iso646.h>\n#include "
        "<stdio.h>\n"
        "#include <stdlib.h>\n#include <string.h>\n#include <float.h>\n#include <limits.h>\n"
        "kernel void k(int n, float a[n], double b[n], uint32_t u[n])\n{\n"
        "    for (int i = 0; i < n; i++) {\n"
        "        assert(n > 0 and isfinite(a[i]));\n"
        "        a[i] = isnan(b[i]) ? NAN : INFINITY - (float)M_PI;\n"
        "        b[i] = HUGE_VAL + lround(b[i]) + fpclassify(a[i]) + signbit(b[i]) + isunordered(a[i], b[i]);\n"
        "        u[i] = rill_random_u32(i, n) + UINT32_C(7) + abs(i) + rill_atomic_add(&u[0], 1);\n"
        "        printf(\"%\" PRIu32 \"\\n\", u[i]);\n"
        "        double whole;\n"
        "        b[i] += modf(b[i], &whole) + scalbn(b[i], 3) + rill_random_normal_f32(1, i) + DBL_MAX;\n"
        "        bool t = true; size_t s = sizeof t; ptrdiff_t d = INT_MAX; (void)s; (void)d;\n"
        "        memset(&u[i], 0, sizeof u[i]);\n"
        "    }\n}\n";
    struct tokens tokens;
    tokens_init(&tokens, text, sizeof text - 1, &(struct preprocess_options){.no_disk = true});
    parse_unit(&tokens.arena, &tokens.diags, &tokens.list);
    CHECK_STR(tokens_messages(&tokens), "");
    tokens_finish(&tokens);
}

static bool is_true(const char *headers, const char *expression)
{
    char text[512];
    snprintf(text, sizeof text, "%s\n#if %s\nyes_it_is\n#endif", headers, expression);
    struct tokens tokens;
    tokens_init(&tokens, text, strlen(text), NULL);
    CHECK_STR(tokens_messages(&tokens), "");
    bool yes = strstr(tokens_text(&tokens), "yes_it_is") != NULL;
    tokens_finish(&tokens);
    return yes;
}

static void check_limit(const char *name, uintmax_t bits, bool positive)
{
    char expression[128];
    snprintf(expression, sizeof expression, "%s == %" PRIuMAX "u && (%s > 0) == %d", name, bits, name, positive);
    if (!CHECK(is_true("#include <limits.h>\n#include <stdint.h>\n", expression))) {
        FAIL("%s", expression);
    }
}

TEST(integer_limits_are_those_of_the_host)
{
#define LIMIT(name) check_limit(#name, (uintmax_t)(name), (name) > 0)
    LIMIT(CHAR_BIT);
    LIMIT(SCHAR_MIN);
    LIMIT(SCHAR_MAX);
    LIMIT(UCHAR_MAX);
    LIMIT(CHAR_MIN);
    LIMIT(CHAR_MAX);
    LIMIT(SHRT_MIN);
    LIMIT(SHRT_MAX);
    LIMIT(USHRT_MAX);
    LIMIT(INT_MIN);
    LIMIT(INT_MAX);
    LIMIT(UINT_MAX);
    LIMIT(LONG_MIN);
    LIMIT(LONG_MAX);
    LIMIT(ULONG_MAX);
    LIMIT(LLONG_MIN);
    LIMIT(LLONG_MAX);
    LIMIT(ULLONG_MAX);
    LIMIT(INT8_MIN);
    LIMIT(INT16_MIN);
    LIMIT(INT32_MIN);
    LIMIT(INT64_MIN);
    LIMIT(UINT8_MAX);
    LIMIT(UINT16_MAX);
    LIMIT(UINT32_MAX);
    LIMIT(UINT64_MAX);
    LIMIT(INT_FAST16_MAX);
    LIMIT(INT_FAST16_MIN);
    LIMIT(UINT_FAST32_MAX);
    LIMIT(INT_LEAST8_MIN);
    LIMIT(INTPTR_MAX);
    LIMIT(UINTPTR_MAX);
    LIMIT(INTMAX_MIN);
    LIMIT(UINTMAX_MAX);
    LIMIT(SIZE_MAX);
    LIMIT(PTRDIFF_MIN);
    LIMIT(WCHAR_MAX);
    LIMIT(WCHAR_MIN);
    LIMIT(WINT_MAX);
    LIMIT(SIG_ATOMIC_MAX);
}

static struct token last_constant(const char *headers, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "%s\n%s", headers, name);
    struct tokens tokens;
    tokens_init(&tokens, text, strlen(text), NULL);
    struct token token = tokens.list.items[tokens.list.count - 2];
    token.text = NULL;
    tokens_finish(&tokens);
    return token;
}

TEST(float_limits_are_those_of_the_host)
{
#define FLOATS "#include <float.h>\n#include <math.h>\n"
#define FLOAT_LIMIT(name) CHECK(last_constant(FLOATS, #name).f == (double)(name))
    FLOAT_LIMIT(FLT_MAX);
    FLOAT_LIMIT(FLT_MIN);
    FLOAT_LIMIT(FLT_EPSILON);
    FLOAT_LIMIT(DBL_MAX);
    FLOAT_LIMIT(DBL_MIN);
    FLOAT_LIMIT(DBL_EPSILON);
    FLOAT_LIMIT(INFINITY);
    FLOAT_LIMIT(M_PI);
    FLOAT_LIMIT(M_E);
    FLOAT_LIMIT(M_SQRT2);
    FLOAT_LIMIT(M_LN2);
    FLOAT_LIMIT(M_2_SQRTPI);
    CHECK(last_constant(FLOATS, "FLT_MAX").is_float32);
    CHECK(!last_constant(FLOATS, "DBL_MAX").is_float32);
    struct token nan_token = last_constant(FLOATS, "NAN");
    CHECK(nan_token.kind == TOKEN_FLOAT && nan_token.is_float32 && isnan(nan_token.f) && !signbit(nan_token.f));
    CHECK(is_true(FLOATS, "FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53 && FLT_MAX_EXP == 128 && DBL_MIN_EXP == -1021"));
}

TEST(assert_looks_at_ndebug_each_time)
{
    CHECK_EXPANDS("#define NDEBUG\n#include <assert.h>\nassert(a);",
                  "void __rill_assert_fail ( const char * condition , "
                  "const char * file , int line ) ; ( ( void ) 0 ) ;");
    struct tokens tokens;
    const char *text = "#define NDEBUG\n#include <assert.h>\n#undef NDEBUG\n#include <assert.h>\nassert(a == \"b\");";
    tokens_init(&tokens, text, strlen(text), NULL);
    CHECK_CONTAINS(tokens_text(&tokens),
                   "( ( a == \"b\" ) ? ( void ) 0 : __rill_assert_fail ( \"a == \\42b\\42\" , \"t.c\" , 5 ) ) ;");
    tokens_finish(&tokens);
}

TEST(a_local_header_of_a_standard_name_comes_first_in_quotes)
{
    static const struct preprocess_header mine[] = {{"math.h", "mine", 4}};
    struct preprocess_options options = {.headers = mine, .header_count = 1, .no_disk = true};
    struct tokens tokens;
    tokens_init(&tokens, "#include \"math.h\"\n", 18, &options);
    CHECK_STR(tokens_text(&tokens), "mine");
    tokens_finish(&tokens);
    tokens_init(&tokens, "#include <math.h>\n", 18, &options);
    CHECK_CONTAINS(tokens_text(&tokens), "double acos ( double )");
    tokens_finish(&tokens);
}

TEST(the_kernel_header_is_the_built_in_one_however_it_is_named)
{
    static const char *const names[] = {"<rill/kernel.h>", "\"rill/kernel.h\"",
                                        "\"" RILL_SOURCE_DIR "/include/rill/kernel.h\""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[512];
        snprintf(text, sizeof text, "#include %s\nkernel void f(void) { stream_parallel { } }", names[i]);
        struct tokens tokens;
        tokens_init(&tokens, text, strlen(text), NULL);
        CHECK_INT(tokens.list.items[tokens.list.count - 5].kind, TOKEN_KW_STREAM_PARALLEL);
        CHECK_STR(tokens_messages(&tokens), "");
        tokens_finish(&tokens);
    }
}

// ---- random numbers ------------------------------------------------------------------------------------------------

TEST(the_generator_is_philox_4x32_10)
{
    // The first words of the authors' known answers whose upper counter words this interface can give.
    CHECK_UINT(rill_random_bits_(0, 0, 0), UINT64_C(0xe169c58d6627e8d5));
    CHECK_UINT(rill_random_u32(0, 0), 0x6627e8d5);
    CHECK(rill_random_u32(1, 0) != rill_random_u32(0, 1));
    CHECK(rill_random_u32(UINT64_C(1) << 32, 0) != rill_random_u32(0, 0));
    CHECK(rill_random_u32(0, UINT64_C(1) << 32) != rill_random_u32(0, 0));
}

TEST(uniform_numbers_fill_their_interval)
{
    enum { COUNT = 100000, BINS = 64 };
    int bins32[BINS] = {0}, bins64[BINS] = {0};
    for (uint64_t i = 0; i < COUNT; i++) {
        float f = rill_random_f32(7, i);
        double d = rill_random_f64(7, i);
        REQUIRE(f >= 0 && f < 1 && d >= 0 && d < 1);
        bins32[(int)(f * BINS)]++;
        bins64[(int)(d * BINS)]++;
    }
    double chi32 = 0, chi64 = 0, expected = (double)COUNT / BINS;
    for (int i = 0; i < BINS; i++) {
        chi32 += (bins32[i] - expected) * (bins32[i] - expected) / expected;
        chi64 += (bins64[i] - expected) * (bins64[i] - expected) / expected;
    }
    CHECK(chi32 > 25 && chi32 < 120); // 63 degrees of freedom: beyond these one time in a million
    CHECK(chi64 > 25 && chi64 < 120);
}

// The tail that a result claims, against the C library's.
static double tail_error(uint64_t n)
{
    double p = (double)n * 0x1p-65;
    double x = (double)rill_normal_tail_(n);
    double density = exp(-x * x / 2) / sqrt(2 * M_PI);
    double claimed = 0.5 * erfc(x / M_SQRT2);
    return fabs(claimed - p) / density / x;
}

TEST(normal_numbers_are_accurate_into_the_tails)
{
    double worst = 0;
    for (int zeros = 0; zeros < 64; zeros++) {
        for (uint64_t i = 0; i < 200; i++) {
            double error = tail_error((rill_random_bits_(3, i + 1000 * (uint64_t)zeros, 9) >> zeros) | 1);
            worst = error > worst ? error : worst;
        }
    }
    CHECK(worst < 3e-7);
    CHECK(rill_normal_tail_(1) > 9.1f && rill_normal_tail_(1) < 9.25f);
    CHECK(rill_normal_tail_(UINT64_MAX) > 0 && rill_normal_tail_(UINT64_MAX) < 1e-18f);
    for (uint64_t n = 1; n < UINT64_MAX / 3; n = n * 3 + 2) { // it falls as the tail grows
        CHECK(rill_normal_tail_(n | 1) >= rill_normal_tail_((n * 3 + 2) | 1));
    }
}

TEST(normal_numbers_have_their_moments)
{
    enum { COUNT = 200000 };
    double sum[5] = {0};
    for (uint64_t i = 0; i < COUNT; i++) {
        double x = (double)rill_random_normal_f32(11, i), power = 1;
        for (int k = 0; k < 5; k++, power *= x) {
            sum[k] += power / COUNT;
        }
    }
    CHECK_NEAR(sum[1], 0, 0.012);
    CHECK_NEAR(sum[2], 1, 0.016);
    CHECK_NEAR(sum[3], 0, 0.045);
    CHECK_NEAR(sum[4], 3, 0.12);
}

// ---- the plain build -----------------------------------------------------------------------------------------------

static const char plain_program[] =
    "#include <rill/kernel.h>\n#include <stdio.h>\n"
    "struct s { int RILL_KERNEL_member; };\n"
    "#pragma rill single\n"
    "kernel int f(int n)\n{\n"
    "    int x = 5; float y = 2; unsigned char c = 255; double nan = (double)NAN;\n"
    "    #pragma rill in_order\n"
    "    stream_parallel { n++; }\n"
    "    RILL_STREAM_PARALLEL { n++; }\n"
    "    int bad = rill_atomic_add(&x, 3) != 5 || x != 8;\n"
    "    bad += rill_atomic_cas(&x, 8, 100) != 8 || rill_atomic_cas(&x, 8, 1) != 100 || x != 100;\n"
    "    bad += rill_atomic_add(&c, 1) != 255 || c != 0 || rill_atomic_sub(&c, 1) != 0 || c != 255;\n"
    "    bad += rill_atomic_min(&y, 1.0) != 2 || y != 1 || rill_atomic_max(&y, nan) != 1 || y != 1;\n"
    "    bad += rill_atomic_min(&nan, 3) == 3 || nan != 3;\n"
    "    bad += rill_atomic_exchange(&x, 6) != 100 || rill_atomic_mul(&x, 7) != 6 || x != 42;\n"
    "    bad += rill_atomic_and(&x, 10) != 42 || rill_atomic_or(&x, 1) != 10 || rill_atomic_xor(&x, 3) != 11 || x != "
    "8;\n"
    "    return bad ? -1 : n;\n}\n"
    "int main(void)\n{\n"
    "    uint64_t hash = 0;\n"
    "    for (int i = 0; i < 20000; i++) {\n"
    "        union { float f; uint32_t u; } a, b;\n"
    "        union { double f; uint64_t u; } d;\n"
    "        a.f = rill_random_normal_f32(1, (uint64_t)i); b.f = rill_random_f32(2, (uint64_t)i);\n"
    "        d.f = rill_random_f64(3, (uint64_t)i);\n"
    "        hash = hash * 31 + a.u; hash = hash * 31 + b.u; hash = hash * 31 + d.u;\n"
    "    }\n"
    "    printf(\"%d %016llx %.3f\", f(1), (unsigned long long)hash, M_PI);\n"
    "    return 0;\n}\n";

static void run_plain(const char *compiler, const char *folder, const char *flags, char out[128])
{
    char command[1024];
    out[0] = '\0';
    snprintf(command, sizeof command,
             "cd %s && %s -pedantic-errors -Wall -Wextra -Werror %s -I" RILL_SOURCE_DIR "/include t.c -o t -lm && ./t",
             folder, compiler, flags);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe != NULL);
    size_t length = fread(out, 1, 127, pipe);
    out[length] = '\0';
    if (pclose(pipe) != 0) {
        FAIL("%s", command);
    }
}

TEST(the_plain_build_is_c99_and_has_one_result_whatever_is_contracted)
{
    static const char *const compilers[] = {"gcc", "clang", "clang-22"};
    static const char *const flags[] = {"-std=c99 -O0", "-std=c99 -O2", "-std=c11 -O3 -march=native -ffp-contract=fast",
                                        "-std=c99 -O2 -ffp-contract=off"};
    char folder[] = "/tmp/rill-plain-XXXXXX", path[64], command[128];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/t.c", folder);
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    fputs(plain_program, file);
    fclose(file);
    char first[128] = "";
    int found = 0;
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compilers[c]);
        if (system(command) != 0) {
            continue;
        }
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            char out[128];
            run_plain(compilers[c], folder, flags[i], out);
            if (found++ == 0) {
                strcpy(first, out);
                CHECK(strncmp(out, "3 ", 2) == 0);
            }
            CHECK_STR(out, first);
        }
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
    if (found == 0) {
        SKIP("there is no C compiler");
    }
}

TEST(the_math_functions_of_the_header_agree_with_the_c_library)
{
    if (system("gcc --version >/dev/null 2>&1") != 0) {
        SKIP("there is no gcc");
    }
    char folder[] = "/tmp/rill-inline-XXXXXX", command[1024];
    REQUIRE(mkdtemp(folder) != NULL);
    const char *sources = RILL_SOURCE_DIR "/tests/lang/headers";
    // -fno-builtin: gcc's own prototypes would stand in the way of the header's definitions.
    snprintf(
        command, sizeof command,
        "cd %s && gcc -w -O1 -fno-builtin -c %s/inline_math.c && gcc -w -O1 -fno-builtin -c %s/inline_math_main.c && "
        "gcc inline_math.o inline_math_main.o -o t -lm && ./t",
        folder, sources, sources);
    CHECK_INT(system(command), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
}
