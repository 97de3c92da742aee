// The formatter against the C library's own printf.
#include "support.h"

#include "base/format.h"

#include <float.h>
#include <limits.h>

static uint64_t cell_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

// Formats and compares with |expected|, whose length may hold zero characters.
static void check_format(const char *format, const uint64_t *args, int count, const char *expected, size_t length)
{
    struct arena arena;
    arena_init(&arena);
    struct str out;
    str_init(&out, &arena);
    CHECK(format_printf(&out, format, args, count, SIZE_MAX));
    if (out.length != length || memcmp(str_text(&out), expected, length) != 0) {
        FAIL("\"%s\" gives \"%s\", expected \"%s\"", format, str_text(&out), expected);
    }
    arena_finish(&arena);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

TEST(integers_print_as_in_c)
{
    static const char *const plain[] = {"%d",   "%i",   "%u",   "%o",   "%x",  "%X",   "%5d|",   "%-5d|",
                                        "%05d", "%+d",  "% d",  "%#x",  "%#o", "%.3d", "%8.3d|", "%-8.3u|",
                                        "%c",   "%3c|", "%hhd", "%hhu", "%hd", "%hu",  "%hhx",   "%.0d"};
    static const char *const wide[] = {"%ld", "%lld", "%lu", "%llx", "%jd", "%zu", "%td", "%20lld|", "%#llX"};
    static const int64_t values[] = {0, 1, -1, 42, 127, 128, 255, 256, 65, INT_MAX, INT_MIN, 0x12345};
    static const int64_t wide_values[] = {0, -1, INT64_MAX, INT64_MIN, 1234567890123};
    char expected[128];
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
            int length = snprintf(expected, sizeof expected, plain[i], (int)values[v]);
            uint64_t cell = (uint64_t)values[v];
            check_format(plain[i], &cell, 1, expected, (size_t)length);
        }
    }
    for (size_t v = 0; v < sizeof wide_values / sizeof *wide_values; v++) {
        for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
            int length = snprintf(expected, sizeof expected, wide[i], wide_values[v]);
            uint64_t cell = (uint64_t)wide_values[v];
            check_format(wide[i], &cell, 1, expected, (size_t)length);
        }
    }
}

TEST(floats_print_as_in_c)
{
    static const char *const formats[] = {"%f",   "%F",   "%e",      "%E",     "%g",    "%G",    "%a",      "%A",
                                          "%.3f", "%.0f", "%10.2e|", "%-12g|", "%+.1f", "%#.0f", "%012.4f", "%lf"};
    static const double values[] = {0,       -0.0,     1,         -1.5, 3.14159265358979, 1e300, 1e-300,
                                    DBL_MAX, INFINITY, -INFINITY, NAN};
    char expected[512];
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            int length = snprintf(expected, sizeof expected, formats[i], values[v]);
            uint64_t cell = cell_of(values[v]);
            check_format(formats[i], &cell, 1, expected, (size_t)length);
        }
    }
}

TEST(texts_and_pointers_print_as_in_c)
{
    static const char *const formats[] = {"%s", "%10s|", "%-10s|", "%.2s|", "%5.1s|"};
    char expected[64];
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        int length = snprintf(expected, sizeof expected, formats[i], "word");
        uint64_t cell = address_of("word");
        check_format(formats[i], &cell, 1, expected, (size_t)length);
    }
    int length = snprintf(expected, sizeof expected, "%p", (void *)expected);
    uint64_t cell = address_of(expected);
    check_format("%p", &cell, 1, expected, (size_t)length);
    cell = 0;
    check_format("%s", &cell, 1, "(null)", 6);
}

#pragma GCC diagnostic pop

TEST(stars_take_their_width_and_precision_from_the_arguments)
{
    check_format("[%*d]", (uint64_t[]){6, 42}, 2, "[    42]", 8);
    check_format("[%*d]", (uint64_t[]){(uint64_t)-6, 42}, 2, "[42    ]", 8);
    check_format("[%.*f]", (uint64_t[]){1, cell_of(2.25)}, 2, "[2.2]", 5);
    check_format("[%.*f]", (uint64_t[]){(uint64_t)-1, cell_of(2.25)}, 2, "[2.250000]", 10);
    check_format("[%*.*s]", (uint64_t[]){4, 2, address_of("word")}, 3, "[  wo]", 6);
}

TEST(wide_fields_are_as_wide_as_asked_and_beyond_the_limit_refused)
{
    struct arena arena;
    arena_init(&arena);
    struct str out;
    str_init(&out, &arena);
    CHECK(format_printf(&out, "%*d|%.5000f|%6000s", (uint64_t[]){7000, 5, cell_of(0.5), address_of("x")}, 4, SIZE_MAX));
    CHECK_UINT(out.length, 7000 + 1 + 5002 + 1 + 6000);
    CHECK(!format_printf(&out, "%*d", (uint64_t[]){1000001, 5}, 2, SIZE_MAX));
    CHECK(!format_printf(&out, "%*d", (uint64_t[]){(uint64_t)INT32_MIN, 5}, 2, SIZE_MAX));
    CHECK(format_printf(&out, "%.*f", (uint64_t[]){(uint64_t)INT32_MIN, cell_of(0.5)}, 2, SIZE_MAX)); // as if not there
    CHECK(!format_printf(&out, "%1000001d", (uint64_t[]){5}, 1, SIZE_MAX));
    arena_finish(&arena);
}

TEST(several_conversions_and_literals_keep_their_order)
{
    check_format("a=%d b=%s 100%% %c\n", (uint64_t[]){1, address_of("x"), 'z'}, 3, "a=1 b=x 100% z\n", 15);
    check_format("", NULL, 0, "", 0);
    check_format("%%", NULL, 0, "%", 1);
    check_format("a%cb", (uint64_t[]){0}, 1, "a\0b", 3);
}

TEST(a_text_without_an_end_is_cut_at_the_limit)
{
    struct arena arena;
    arena_init(&arena);
    struct str out;
    str_init(&out, &arena);
    char *unterminated = malloc(4);
    memcpy(unterminated, "abcd", 4);
    uint64_t cell = address_of(unterminated);
    CHECK(format_printf(&out, "%s|%2s", (uint64_t[]){cell, cell}, 2, 4));
    CHECK_STR(str_text(&out), "abcd|abcd");
    free(unterminated);
    arena_finish(&arena);
}

TEST(what_is_not_supported_is_refused)
{
    static const char *const bad[] = {
        "%n",         "%Lf",
        "%ls",        "%lc",
        "%",          "%5",
        "%y",         "%hs",
        "%hf",        "%-",
        "%.",         "%1000001d",
        "%.1000001f", "%0000000000000000000000000000000000000000000000000000000000000001d"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *at = bad[i];
        struct format_item item;
        if (format_next(&at, &item) != FORMAT_BAD) {
            FAIL("\"%s\" is not refused", bad[i]);
        }
        CHECK(at == bad[i]);
    }
    struct arena arena;
    arena_init(&arena);
    struct str out;
    str_init(&out, &arena);
    CHECK(!format_printf(&out, "%d %d", (uint64_t[]){1}, 1, SIZE_MAX)); // too few arguments
    CHECK(!format_printf(&out, "%q", (uint64_t[]){1}, 1, SIZE_MAX));
    arena_finish(&arena);
}
