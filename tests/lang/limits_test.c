// Limits are errors with words, never a stack that overflows; below them everything works.
#include "support.h"

#include "base/str.h"

// |count| times |open|, |middle|, |count| times |close|, between |before| and |after|.
struct nest {
    const char *before, *open, *middle, *close, *after;
};

static const char *nested(const struct nest *nest, int count)
{
    struct arena arena;
    arena_init(&arena);
    struct str text;
    str_init(&text, &arena);
    str_add(&text, nest->before);
    for (int i = 0; i < count; i++) {
        str_add(&text, nest->open);
    }
    str_add(&text, nest->middle);
    for (int i = 0; i < count; i++) {
        str_add(&text, nest->close);
    }
    str_add(&text, nest->after);
    const char *messages = messages_of(text.text);
    arena_finish(&arena);
    return messages;
}

static const struct nest nests[] = {
    {"int f(int n) { return ", "(", "n", ")", "; }"},
    {"int f(int n) { return ", "-(", "n", ")", "; }"},
    {"int f(int n) { return ", "!", "n", "", "; }"},
    {"int f(int n) { return ", "(int)", "n", "", "; }"},
    {"int f(int n) { return ", "n ? n : ", "n", "", "; }"},
    {"void f(int n) { ", "n = ", "n", "", "; }"},
    {"int g(int n); int f(int n) { return ", "g(", "n", ")", "; }"},
    {"int f(int *p) { return ", "p[", "0", "]", "; }"},
    {"int f(int n) { return ", "sizeof ", "n", "", "; }"},
    {"void f(int n) { ", "{", "n = 1;", "}", " }"},
    {"void f(int n) { ", "if (n) ", "n = 1;", "", " }"},
    {"void f(int n) { ", "while (n) {", "n = 1;", "}", " }"},
    {"void f(int n) { ", "for (;;) ", "n = 1;", "", " }"},
    {"void f(int n) { ", "switch (n) { case 1: ", "n = 1;", "}", " }"},
    {"void f(int n) { ", "do ", "n = 1;", "while (n);", " }"},
    {"int ", "(", "x", ")", ";"},
    {"int x = ", "{", "1", "}", ";"},
    {"", "struct {", "int a;", "} x;", ""},
    {"void f", "(void (*g)", "(void)", ")", ";"},
    {"int f(int n) { return ", "_Generic(1, int: ", "n", ")", "; }"},
    {"", "__typeof__(", "int", ")", " x;"},
    {"int f(int n) { return ", "(int){", "n", "}", "; }"},
};

TEST(nesting_below_the_limit_is_accepted)
{
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        const char *messages = nested(&nests[i], 60);
        if (!CHECK(strstr(messages, "error") == NULL)) {
            printf("  in %s%s: %s\n", nests[i].before, nests[i].open, messages);
        }
    }
}

TEST(nesting_beyond_the_limit_is_one_error)
{
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        static const int counts[] = {300, 20000};
        for (int k = 0; k < 2; k++) {
            const char *messages = nested(&nests[i], counts[k]);
            const char *error = strstr(messages, "error: ");
            bool is_limit = error != NULL && (strstr(messages, "nested more than 256 levels deep") != NULL ||
                                              strstr(messages, "expression too deep") != NULL);
            if (!CHECK(is_limit) || !CHECK(strstr(error + 1, "error: ") == NULL)) {
                printf("  %d times %s%s: %.300s\n", counts[k], nests[i].before, nests[i].open, messages);
            }
        }
    }
}

TEST(long_chains_are_no_nesting)
{
    static const struct nest chains[] = {
        {"int f(int n) { return n", " + n", "", "", "; }"},
        {"int f(int n) { return n", " && n", "", "", "; }"},
        {"void f(int n) { n = 1", ", n = 2", "", "", "; }"},
        {"void f(int n) { if (n) n = 1; ", "else if (n) n = 2; ", "", "", " }"},
    };
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        CHECK_STR(nested(&chains[i], 1000), "");
        const char *messages = nested(&chains[i], 100000);
        bool is_limit = strstr(messages, "expression too deep") != NULL || strstr(messages, "in a row") != NULL;
        if (!CHECK(is_limit)) {
            printf("  %s: %.300s\n", chains[i].before, messages);
        }
    }
}

TEST(long_rows_of_labels_are_no_nesting)
{
    static const int counts[] = {1000, 3000};
    for (int k = 0; k < 2; k++) {
        struct arena arena;
        arena_init(&arena);
        struct str text;
        str_init(&text, &arena);
        str_add(&text, "void f(int n) { switch (n) { ");
        for (int i = 0; i < counts[k]; i++) {
            str_printf(&text, "case %d: ", i);
        }
        str_add(&text, "n = 1; } }");
        if (counts[k] == 1000) {
            CHECK_STR(messages_of(text.text), "");
        } else {
            CHECK_CONTAINS(messages_of(text.text), "more than 1024 labels in a row");
        }
        arena_finish(&arena);
    }
}

TEST(types_cannot_be_built_without_end)
{
    static const struct nest pointers = {"int ", "*", "x", "", ";"};
    CHECK_STR(nested(&pointers, 200), "");
    CHECK_CONTAINS(nested(&pointers, 5000), "built more than 256 levels deep");
    static const struct nest arrays = {"int x", "[1]", "", "", ";"};
    CHECK_CONTAINS(nested(&arrays, 5000), "built more than 256 levels deep");
    struct arena arena;
    arena_init(&arena);
    struct str text;
    str_init(&text, &arena);
    str_add(&text, "struct s0 { int a; };\n");
    for (int i = 1; i < 1000; i++) {
        str_printf(&text, "struct s%d { struct s%d a; };\n", i, i - 1);
    }
    str_add(&text, "struct s999 x = {1};\n");
    CHECK_CONTAINS(messages_of(text.text), "built more than 256 levels deep");
    arena_finish(&arena);
}

TEST(sizes_do_not_overflow)
{
    CHECK_CONTAINS(messages_of("char x[1ull << 60];"), "larger than 2^47 bytes");
    CHECK_CONTAINS(messages_of("char x[0xffffffffffffffffu];"), "larger than 2^47 bytes");
    CHECK_CONTAINS(messages_of("struct { char a[1ull << 46], b[1ull << 46], c[1ull << 46]; } x;"),
                   "larger than 2^47 bytes");
    CHECK_CONTAINS(messages_of("int x[] = {[0 ... 100000000] = 1};"), "has more than 1048576 values");
    CHECK_CONTAINS(messages_of("int x[] = {[1ull << 50] = 1};"), "outside");
}

TEST(many_errors_are_counted_and_the_rest_is_only_counted)
{
    struct arena arena;
    arena_init(&arena);
    struct str text;
    str_init(&text, &arena);
    for (int i = 0; i < 200; i++) {
        str_printf(&text, "int a%d = b%d;\n", i, i);
    }
    struct parsed parsed;
    parsed_init(&parsed, "test.c", text.text);
    CHECK_INT(parsed.diags.error_count, 200);
    CHECK(parsed.diags.count <= 60);
    parsed_finish(&parsed);
    arena_finish(&arena);
}

TEST(a_kernel_has_at_most_64_parameters)
{
    for (int count = 64; count <= 65; count++) {
        struct arena arena;
        arena_init(&arena);
        struct str text;
        str_init(&text, &arena);
        str_add(&text, "__rill_kernel__ void k(int p0");
        for (int i = 1; i < count; i++) {
            str_printf(&text, ", int p%d", i);
        }
        str_add(&text, ") {}");
        if (count == 64) {
            CHECK_STR(messages_of(text.text), "");
        } else {
            CHECK_CONTAINS(messages_of(text.text), "has 65 parameters: at most 64 are possible");
        }
        arena_finish(&arena);
    }
}

// True when the n-th allocation was one that the compile makes.
static bool fails_at(const char *text, uint64_t n)
{
    static struct parsed parsed; // outlives the jump
    jmp_buf escape;
    if (setjmp(escape) != 0) {
        arena_finish(&parsed.arena);
        return true;
    }
    parsed_init_failing(&parsed, "test.c", text, &escape, n);
    parsed_finish(&parsed);
    return false;
}

TEST(running_out_of_memory_leaves_by_the_arenas_way_out)
{
    static const char text[] = "#include <rill/kernel.h>\nstruct s { int a; float b[3]; };\n"
                               "kernel void f(int n, struct s x[n]) { for (int i = 0; i < n; i++) x[i].a += i; }\n";
    uint64_t n = 1;
    while (fails_at(text, n)) {
        n = n < 200 ? n + 1 : n + n / 50;
    }
    CHECK(n > 1000); // it was swept to the end
}

TEST(ranges_of_too_many_elements_are_refused_at_once)
{
    static const char *const texts[] = {
        "struct s { int a, b; }; struct s x[1 << 20][1 << 20] = {[0 ... 1048575][0 ... 1048575] = {1}};",
        "struct t { struct { int a, b; } u; int c; } x[1 << 20][1 << 20] = {[0 ... 1048575][0 ... 1048575].u = {1}};",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_CONTAINS(messages_of(texts[i]), "the initialiser of 'x' has");
    }
    CHECK_STR(messages_of("struct s { int a, b; } x[1 << 18] = {[0 ... 262143] = {1}, [0 ... 262143] = {2, 3}};"), "");
}
