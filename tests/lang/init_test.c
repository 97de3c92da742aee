// Initialisers become flat stores at their offsets.
#include "support.h"

#include "lang/types.h"

// " @0=1 @4=2" for the object x of |text|, or the messages.
static const char *stores(const char *text)
{
    static char buffer[4096];
    struct parsed parsed;
    parsed_init(&parsed, "test.c", text);
    const struct object *x = parsed_global(&parsed, "x");
    struct str out;
    str_init(&out, &parsed.arena);
    for (int i = 0; x != NULL && i < x->init_count; i++) {
        str_printf(&out, "%s@%llu=", i > 0 ? " " : "", (unsigned long long)x->inits[i].offset);
        astdump_expr(&parsed.arena, x->inits[i].value, &out);
    }
    snprintf(buffer, sizeof buffer, "%s", parsed.diags.count == 0 ? str_text(&out) : parsed_messages(&parsed));
    parsed_finish(&parsed);
    return buffer;
}

static long long size_of(const char *text)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c", text);
    const struct object *x = parsed_global(&parsed, "x");
    long long size = x != NULL ? (long long)x->type->size : -1;
    parsed_finish(&parsed);
    return size;
}

TEST(braces_may_be_left_out)
{
    CHECK_STR(stores("int x[2][2] = {1, 2, 3, 4};"), "@0=1 @4=2 @8=3 @12=4");
    CHECK_STR(stores("int x[2][2] = {{1}, {3, 4}};"), "@0=1 @8=3 @12=4");
    CHECK_STR(stores("struct { int a; struct { int b, c; } d; int e; } x = {1, 2, 3, 4};"), "@0=1 @4=2 @8=3 @12=4");
    CHECK_STR(stores("struct { int a; struct { int b, c; } d; int e; } x = {1, {2}, 4};"), "@0=1 @4=2 @12=4");
    CHECK_STR(stores("int x = {5};"), "@0=5");
}

TEST(designators_choose_places_and_what_follows_goes_on_from_there)
{
    CHECK_STR(stores("int x[5] = {[3] = 1, 2, [0] = 3, 4};"), "@12=1 @16=2 @0=3 @4=4");
    CHECK_STR(stores("struct { int a[3], b; } x = {.a[1] = 5, 6, 7};"), "@4=5 @8=6 @12=7");
    CHECK_STR(stores("struct { int a, b, c; } x = {.c = 1, .a = 2, 3};"), "@8=1 @0=2 @4=3");
    CHECK_STR(stores("struct { struct { int p, q; } a[2]; } x = {.a[1].q = 1, .a[0] = {2, 3}};"), "@12=1 @0=2 @4=3");
    CHECK_STR(stores("struct { int a; union { int b; float c; }; } x = {.c = 2, .a = 1};"), "@4=(to<float> 2) @0=1");
    CHECK_STR(stores("int x[6] = {[1 ... 3] = 7, 8};"), "@12=7 @8=7 @4=7 @16=8");
}

TEST(a_later_initialiser_of_a_whole_replaces_what_was_there)
{
    CHECK_STR(stores("struct { int a[2]; int b; } x = {{1, 2}, 3, .a = {4}};"), "@8=3 @0=4");
    CHECK_STR(stores("struct { union { int i; char c; } u; } x = {.u.i = 257, .u.c = 1};"), "@0=(to<char> 1)");
    CHECK_STR(stores("int x[2] = {1, 2, [0] = 3};"), "@0=1 @4=2 @0=3");
}

TEST(strings_fill_arrays_of_characters)
{
    CHECK_STR(stores("char x[] = \"abc\";"), "@0=\"abc\"");
    CHECK_INT(size_of("char x[] = \"abc\";"), 4);
    CHECK_INT(size_of("char x[] = {\"abc\"};"), 4);
    CHECK_STR(stores("char x[3] = \"abc\";"), "@0=\"abc\"");
    CHECK_STR(stores("char x[2][4] = {\"ab\", \"cd\"};"), "@0=\"ab\" @4=\"cd\"");
    CHECK_STR(stores("struct { char s[4]; int n; } x = {\"ab\", 3};"), "@0=\"ab\" @4=3");
    CHECK_STR(stores("const char *x[2] = {\"ab\", 0};"),
              "@0=(to<const char *> (decay \"ab\")) @8=(to<const char *> 0)");
    CHECK_INT(size_of("int x[] = L\"abc\";"), 16);
    CHECK_CONTAINS(stores("char x[2] = \"abc\";"), "the string is too long");
}

TEST(the_length_comes_from_the_initialiser)
{
    CHECK_INT(size_of("int x[] = {1, 2, 3};"), 12);
    CHECK_INT(size_of("int x[] = {[9] = 1, [3] = 2};"), 40);
    CHECK_INT(size_of("int x[][2] = {1, 2, 3};"), 16);
    CHECK_INT(size_of("struct { int n; int a[]; } x = {1, {2, 3, 4}};"), 16);
}

TEST(bitfields_are_stored_as_such)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c", "struct { unsigned a : 3, : 4, b : 5; } x = {1, 2};");
    const struct object *x = parsed_global(&parsed, "x");
    CHECK_INT(x->init_count, 2);
    CHECK_INT(x->inits[1].bitfield->bit_offset, 7);
    CHECK_INT(x->inits[1].bitfield->bit_width, 5);
    CHECK_INT(x->inits[1].type->kind, TYPE_UINT);
    parsed_finish(&parsed);
}

TEST(locals_take_any_expression)
{
    CHECK_STR(body_of("struct s { int a, b; }; struct s g(int);\n"
                      "void f(int i) { struct s x = g(i), y = {i}, z[2] = {x, {1, i}}; }"),
              "decl x: struct s @0=(call<struct s> g i); decl y: struct s @0=i; decl z: struct s [2] @0=x @8=1 @12=i");
    CHECK_STR(body_of("struct s { struct { int a; } t; int b; };\n"
                      "void f(struct s p) { struct s x = {p.t, 2}; }"),
              "decl x: struct s @0=(.t p) @4=2");
}

TEST(static_objects_need_constants)
{
    CHECK_STR(stores("int y; int *x = &y + 1;"), "@0=(padd (addr y) 1)");
    CHECK_STR(stores("int y[3]; int *x[2] = {y, &y[2]};"), "@0=(decay y) @8=(padd (decay y) 2)");
    CHECK_CONTAINS(stores("int y; int x = y;"), "the initialiser of 'x' must be a constant");
    CHECK_CONTAINS(stores("int g(void); int x = g();"), "must be a constant");
    CHECK_CONTAINS(stores("const int y = 3; int x = y;"), "must be a constant");
    CHECK_CONTAINS(messages_of("void f(int n) { static int x = n; }"), "must be a constant");
}

TEST(what_does_not_fit_is_said)
{
    CHECK_CONTAINS(stores("int x[2] = {1, 2, 3};"), "more values than 'int [2]' takes");
    CHECK_CONTAINS(stores("int x = {1, 2};"), "more values");
    CHECK_CONTAINS(stores("int x[2] = {[2] = 1};"), "the index 2 is outside 'int [2]'");
    CHECK_CONTAINS(stores("int x[2] = {[-1] = 1};"), "the index -1 is outside");
    CHECK_CONTAINS(stores("struct s { int a; } x = {.b = 1};"), "'struct s' has no member 'b'");
    CHECK_CONTAINS(stores("int x[2] = 1;"), "needs an initialiser in braces");
    CHECK_CONTAINS(stores("struct s { int a; } x = 1;"), "'int' does not convert to 'struct s'");
    CHECK_CONTAINS(stores("int *x = 1;"), "integer used as a pointer");
    CHECK_CONTAINS(stores("struct s x = {1};"), "incomplete");
    CHECK_CONTAINS(stores("int x[] = {};"), "no length and no elements");
    CHECK_CONTAINS(stores("int x = {.a = 1};"), "which has no parts");
    CHECK_CONTAINS(messages_of("void f(int n) { int a[n] = {1}; }"), "variable length cannot be initialised");
}

TEST(an_empty_list_is_all_zero)
{
    CHECK_STR(stores("int x[3] = {};"), "");
    CHECK_STR(stores("int x = {};"), "@0=0");
    CHECK_STR(stores("float x = {};"), "@0=(to<float> 0)");
    CHECK_STR(stores("int *x = {};"), "@0=(to<int *> 0)");
    CHECK_STR(stores("int x[3] = {1, {}, [0] = {}};"), "@4=0 @0=0");
    CHECK_CONTAINS(stores("struct s x = {};"), "struct s");
    CHECK_STR(stores("struct { int a; } x = {};"), "");
}

TEST(a_static_object_may_be_a_compound_literal)
{
    CHECK_STR(stores("struct s { int a, b; }; struct s x = (struct s){1, 2};"), "@0=1 @4=2");
    CHECK_STR(stores("struct s { int a, b; }; struct s x[2] = {{3}, (struct s){.b = 4}};"), "@0=3 @12=4");
    CHECK_STR(stores("int *x = (int[]){1, 2};"), "@0=(decay (literal 1))");
    CHECK_CONTAINS(stores("struct s { int a; } y; struct s x = y;"), "must be a constant");
}
