// Expressions: every conversion is a node, every node has C's type.
#include "support.h"

TEST(integers_narrower_than_int_are_promoted)
{
    CHECK_STR(value_of("", "char a, short b", "a + b"), "(add<int> (to<int> a) (to<int> b))");
    CHECK_STR(value_of("", "unsigned char a", "~a"), "(bitnot (to<int> a))");
    CHECK_STR(value_of("", "_Bool a", "-a"), "(neg<int> (to<int> a))");
    CHECK_STR(value_of("", "unsigned short a, unsigned char b", "a << b"), "(shl<int> (to<int> a) (to<int> b))");
    CHECK_STR(type_of("char c;", "+c"), "int");
    CHECK_STR(type_of("char c;", "c"), "char");
}

TEST(operands_meet_in_their_common_type)
{
    static const struct {
        const char *a, *b, *common;
    } rows[] = {
        {"int", "unsigned int", "unsigned int"},
        {"int", "long", "long"},
        {"unsigned int", "long", "long"},
        {"unsigned int", "unsigned long", "unsigned long"},
        {"long", "unsigned long", "unsigned long"},
        {"long", "long long", "long long"},
        {"unsigned long", "long long", "unsigned long long"},
        {"long long", "unsigned long long", "unsigned long long"},
        {"int", "float", "float"},
        {"unsigned long long", "float", "float"},
        {"float", "double", "double"},
        {"double", "long double", "long double"},
        {"char", "_Bool", "int"},
        {"float", "double _Complex", "double _Complex"},
        {"double", "float _Complex", "double _Complex"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char declarations[200];
        snprintf(declarations, sizeof declarations, "%s a; %s b;", rows[i].a, rows[i].b);
        CHECK_STR(type_of(declarations, "a * b"), rows[i].common);
        CHECK_STR(type_of(declarations, "b + a"), rows[i].common);
        CHECK_STR(type_of(declarations, "1 ? a : b"), rows[i].common);
    }
}

TEST(a_shift_has_the_type_of_its_left_operand)
{
    CHECK_STR(type_of("int a; long b;", "a << b"), "int");
    CHECK_STR(type_of("unsigned char a; long b;", "a >> b"), "int");
    CHECK_STR(type_of("long a;", "a << 1u"), "long");
}

TEST(bitfields_promote_by_their_width)
{
    const char *s = "struct { unsigned a : 5, b : 32; long c : 7; unsigned long d : 32; int e : 32; _Bool f : 1; } s;";
    CHECK_STR(type_of(s, "+s.a"), "int");
    CHECK_STR(type_of(s, "+s.b"), "unsigned int");
    CHECK_STR(type_of(s, "+s.c"), "int");
    CHECK_STR(type_of(s, "+s.d"), "unsigned int");
    CHECK_STR(type_of(s, "+s.e"), "int");
    CHECK_STR(type_of(s, "s.f + s.f"), "int");
    CHECK_STR(type_of(s, "+(s.a = 3)"), "int");
}

TEST(constants_have_the_type_that_holds_them)
{
    CHECK_STR(type_of("", "1"), "int");
    CHECK_STR(type_of("", "2147483648"), "long");
    CHECK_STR(type_of("", "0x80000000"), "unsigned int");
    CHECK_STR(type_of("", "1u"), "unsigned int");
    CHECK_STR(type_of("", "1ull"), "unsigned long long");
    CHECK_STR(type_of("", "'a'"), "int");
    CHECK_STR(type_of("", "1.0f"), "float");
    CHECK_STR(type_of("", "1.0"), "double");
    CHECK_STR(type_of("", "1.0L"), "long double");
    CHECK_STR(type_of("", "\"abc\""), "char [4]");
    CHECK_STR(type_of("", "L\"abc\""), "int [4]");
    CHECK_STR(type_of("", "sizeof 1"), "unsigned long");
}

TEST(comparisons_and_logic_give_int)
{
    CHECK_STR(value_of("", "float a, int b", "a < b"), "(lt a (to<float> b))");
    CHECK_STR(type_of("double a;", "a == a"), "int");
    CHECK_STR(type_of("double a;", "!a"), "int");
    CHECK_STR(value_of("", "float a, int *p", "a && p || !p"), "(|| (&& a p) (not p))");
}

TEST(arrays_decay_except_where_they_do_not)
{
    CHECK_STR(value_of("int a[3];", "int i", "a[i]"), "(deref (padd (decay a) i))");
    CHECK_STR(value_of("int a[3];", "int i", "i[a]"), "(deref (padd (decay a) i))");
    CHECK_STR(value_of("int a[3];", "void", "&a"), "(addr a)");
    CHECK_STR(type_of("int a[3];", "&a"), "int (*)[3]");
    CHECK_STR(type_of("int a[3];", "a + 0"), "int *");
    CHECK_STR(value_of("int a[3];", "void", "sizeof a"), "12:unsigned long");
    CHECK_STR(value_of("int a[2][3];", "int i, int j", "a[i][j]"),
              "(deref (padd (decay (deref (padd (decay a) i))) j))");
    CHECK_STR(type_of("int f(float);", "f"), "int (float)");
    CHECK_STR(type_of("int f(float);", "*f"), "int (float)");
    CHECK_STR(type_of("int f(float);", "&f"), "int (*)(float)");
}

TEST(pointer_arithmetic_is_its_own_operator)
{
    CHECK_STR(value_of("", "int *p, int i", "p + i"), "(padd p i)");
    CHECK_STR(value_of("", "int *p, short i", "i + p"), "(padd p (to<int> i))");
    CHECK_STR(value_of("", "int *p, int i", "p - i"), "(padd p (neg<int> i))");
    CHECK_STR(value_of("", "int *p, unsigned i", "p - i"), "(padd p (sub<long> 0:long (to<long> i)))");
    CHECK_STR(value_of("", "int *p, const int *q", "p - q"), "(pdiff p q)");
    CHECK_STR(value_of("", "int *p", "p++"), "(post-padd=<int *> p 1)");
    CHECK_STR(value_of("", "int *p", "--p"), "(padd=<int *> p (neg<int> 1))");
    CHECK_STR(value_of("", "int *p, long n", "p -= n"), "(padd=<int *> p (neg<long> n))");
    CHECK_STR(type_of("int *p, *q;", "p - q"), "long");
}

TEST(addresses_of_what_was_reached_through_a_pointer_are_that_pointer)
{
    CHECK_STR(value_of("", "int *p, int i", "&p[i]"), "(padd p i)");
    CHECK_STR(value_of("struct s { int a, b; };", "struct s *p", "&p->b"), "(addr (.b (deref p)))");
}

TEST(updates_say_in_which_type_they_compute)
{
    CHECK_STR(value_of("", "char c, int i", "c += i"), "(add=<int> c i)");
    CHECK_STR(value_of("", "int i, double d", "i *= d"), "(mul=<double> i d)");
    CHECK_STR(value_of("", "float x", "x /= 2"), "(div=<float> x (to<float> 2))");
    CHECK_STR(value_of("", "unsigned char c, long n", "c <<= n"), "(shl=<int> c n)");
    CHECK_STR(value_of("", "_Bool b", "b++"), "(post-add=<int> b 1)");
    CHECK_STR(value_of("", "float x", "--x"), "(sub=<float> x (to<float> 1))");
    CHECK_STR(type_of("char c; int i;", "c += i"), "char");
}

TEST(assignment_converts_to_the_left_side)
{
    CHECK_STR(value_of("", "char c, double d", "c = d"), "(= c (to<char> d))");
    CHECK_STR(value_of("", "_Bool b, int *p", "b = p"), "(= b (to<_Bool> p))");
    CHECK_STR(value_of("", "int *p", "p = 0"), "(= p (to<int *> 0))");
    CHECK_STR(value_of("", "void *v, int *p", "p = v"), "(= p (to<int *> v))");
    CHECK_STR(value_of("struct s { int a; };", "struct s x, const struct s y", "x = y"), "(= x y)");
    CHECK_STR(value_of("", "int a, short b, char c", "a = b = c"), "(= a (to<int> (= b (to<short> c))))");
}

TEST(the_conditional_operator_finds_a_common_type)
{
    CHECK_STR(value_of("", "int c, int *p", "c ? p : 0"), "(?<int *> c p (to<int *> 0))");
    CHECK_STR(type_of("int c, *p; const int *q;", "c ? p : q"), "const int *");
    CHECK_STR(type_of("int c, *p; void *q;", "c ? p : q"), "void *");
    CHECK_STR(type_of("int c, *p;", "c ? p : (void *)0"), "int *");
    CHECK_STR(type_of("struct s { int a; } x, y;", "1 ? x : y"), "struct s");
}

TEST(members_are_found_through_anonymous_ones)
{
    const char *s = "struct s { int a; union { int b; struct { char c, d; }; }; };";
    CHECK_STR(value_of(s, "struct s x", "x.a"), "(.a x)");
    CHECK_STR(value_of(s, "struct s x", "x.d"), "(.d (._ (._ x)))");
    CHECK_STR(value_of(s, "struct s *p", "p->b"), "(.b (._ (deref p)))");
    CHECK_STR(type_of("const struct { int a; } x;", "x.a"), "const int");
}

TEST(generic_selection_goes_by_the_type_of_the_value)
{
    CHECK_STR(value_of("", "const float x", "_Generic(x, double: 1, float: 2, default: 3)"), "2");
    CHECK_STR(value_of("", "char c", "_Generic(c, int: 1, char: 2, signed char: 3)"), "2");
    CHECK_STR(value_of("", "char c", "_Generic(c + 0, int: 1, default: 2)"), "1");
    CHECK_STR(value_of("int a[3];", "void", "_Generic(a, int *: 1, default: 2)"), "1");
    CHECK_STR(value_of("", "int *const p", "_Generic(p, const int *: 1, int *: 2)"), "2");
}

TEST(sizeof_a_variable_array_is_computed)
{
    CHECK_STR(value_of("", "int n, int m, float a[n][m]", "sizeof a[0]"),
              "(mul<unsigned long> (to<unsigned long> (to<long long> m)) 4:unsigned long)");
    CHECK_STR(value_of("", "int n, float a[n]", "sizeof a"), "8:unsigned long");
    CHECK_STR(body_of("void f(int n) { double a[n]; int x = sizeof a; }"),
              "decl (extent): long long @0=(to<long long> n); decl a: double [(extent)]; decl x: int @0=(to<int> "
              "(mul<unsigned long> (to<unsigned long> (extent)) 8:unsigned long))");
}

TEST(a_length_that_is_const_and_known_is_fixed)
{
    CHECK_CONTAINS(body_of("static const int N = 3; void f(void) { const int m = 2 * N, k = m; double a[k + 1]; }"),
                   "decl a: double [7]");
    CHECK_CONTAINS(body_of("void f(int n) { const int m = n; double a[m]; }"), "decl a: double [(extent)]");
    CHECK_CONTAINS(body_of("void f(void) { const int m = m; double a[m]; }"), "decl a: double [(extent)]");
    CHECK_CONTAINS(body_of("void f(void) { int m = 3; double a[m]; }"), "decl a: double [(extent)]");
    char text[4096];
    int length = snprintf(text, sizeof text, "void f(void) { const int x0 = 1;");
    for (int i = 0; i < 40; i++) { // each twice the one before
        length += snprintf(text + length, sizeof text - (size_t)length, " const int x%d = x%d + x%d;", i + 1, i, i);
    }
    snprintf(text + length, sizeof text - (size_t)length, " double a[x3], b[x40]; }");
    const char *body = body_of(text);
    CHECK_CONTAINS(body, "decl a: double [8]");
    CHECK_CONTAINS(body, "decl b: double [(extent)]");
}

TEST(a_call_converts_its_arguments)
{
    CHECK_STR(value_of("double g(float, char *, ...);", "int i, float x", "g(i, 0, x, 'c')"),
              "(call<double> g (to<float> i) (to<char *> 0) (to<double> x) 99)");
    CHECK_STR(value_of("int g();", "float x, char c", "g(x, c)"), "(call<int> g (to<double> x) (to<int> c))");
    CHECK_STR(value_of("int g(int);", "void", "(&g)(1) + (*g)(2)"), "(add<int> (call<int> g 1) (call<int> g 2))");
}

TEST(calls_through_pointers_are_refused_where_reached)
{
    CHECK_STR(value_of("", "int (*p)(int)", "p(1)"), "(refused \"a call through a function pointer\")");
    CHECK_STR(type_of("int *(*p)(int);", "p(1)"), "int *");
}

TEST(compound_literals_are_objects)
{
    CHECK_STR(value_of("struct v { float x, y; };", "void", "(struct v){1, .y = 2}.y"),
              "(.y (literal<struct v> @0=(to<float> 1) @4=(to<float> 2)))");
    CHECK_STR(value_of("", "void", "sizeof (int[]){1, 2, 3}"), "12:unsigned long");
    CHECK_STR(value_of("", "void", "*&(int){3}"), "(deref (addr (literal<int> @0=3)))");
}

TEST(the_address_of_an_object_is_noted)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c",
                "struct s { int a; int b[3]; };\n"
                "int g(int *);\n"
                "void f(int i) { int plain = 1, taken = 2, array[4], out[4]; struct s x, y; int *p = &taken;\n"
                "  array[i] = plain; g(out); x.b[i] = x.a; g(&y.b[1]); p[i] = 0; g(p); }");
    CHECK_STR(parsed_messages(&parsed), "");
    const struct stmt *body = parsed_function(&parsed, "f")->body;
    int taken = 0;
    for (int i = 0; i < body->item_count; i++) {
        const struct object *object = body->items[i]->object;
        if (object != NULL) {
            bool expected = strcmp(object->name, "taken") == 0 || strcmp(object->name, "out") == 0 ||
                            strcmp(object->name, "y") == 0;
            CHECK_INT(object->address_taken, expected);
            taken += object->address_taken;
        }
    }
    CHECK_INT(taken, 3);
    parsed_finish(&parsed);
}

TEST(constants_fold_with_the_languages_own_arithmetic)
{
    static const struct {
        const char *expression;
        long long value;
    } rows[] = {
        {"2147483647 + 1", -2147483648LL},
        {"(-2147483647 - 1) / -1", -2147483648LL},
        {"(-2147483647 - 1) % -1", 0},
        {"7 / 0", 0},
        {"7 % 0", 7},
        {"1 << 33", 2},
        {"-8 >> 1", -4},
        {"-1 >> 33", -1},
        {"(int)3e9f", 2147483647},
        {"(int)-3e9", -2147483648LL},
        {"(unsigned char)300.0", 255},
        {"(unsigned)-1.0", 0},
        {"(int)(0.0 / 0.0)", 0},
        {"(_Bool)(0.0 / 0.0)", 1},
        {"(_Bool)0.1", 1},
        {"(signed char)200", -56},
        {"-1 < 0u", 0},
        {"(char)-1 < 0", 1},
        {"1 ? -1 : 0u", 4294967295},
        {"0 && 1 / 0", 0},
        {"(int)(float)16777217", 16777216},
        {"(long)&((struct { int a; double b[4]; } *)0)->b[2]", 24},
        {"!1.5 + !0.0", 1},
        {"~0u >> 28", 15},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text, "const long x = %s;", rows[i].expression);
        struct parsed parsed;
        parsed_init(&parsed, "test.c", text);
        int64_t value = -77;
        CHECK_INT(parsed.diags.error_count, 0);
        const struct object *x = parsed_global(&parsed, "x");
        CHECK(x->init_count == 1 && const_eval_int(x->inits[0].value, &value));
        if (!CHECK_INT(value, rows[i].value)) {
            printf("  in %s\n", rows[i].expression);
        }
        parsed_finish(&parsed);
    }
}

TEST(atomics_take_the_type_of_what_they_change)
{
    const char *h = "#include <rill/kernel.h>";
    CHECK_STR(value_of(h, "float *p", "rill_atomic_add(p, 1)"), "(call<float> rill_atomic_add p (to<float> 1))");
    CHECK_STR(value_of(h, "unsigned char *p, int i", "rill_atomic_max(&p[i], i)"),
              "(call<unsigned char> rill_atomic_max (padd p i) (to<unsigned char> i))");
    CHECK_STR(value_of(h, "int64_t *p", "rill_atomic_cas(p, 0, 1)"),
              "(call<int64_t> rill_atomic_cas p (to<int64_t> 0) (to<int64_t> 1))");
    CHECK_CONTAINS(value_of(h, "float *p", "rill_atomic_xor(p, 1)"), "needs a pointer to an integer, not 'float *'");
    CHECK_CONTAINS(value_of(h, "struct s *p", "rill_atomic_add(p, 1)"),
                   "needs a pointer to an integer, float or double");
    CHECK_CONTAINS(value_of(h, "const int *p", "rill_atomic_add(p, 1)"), "but that is const");
    CHECK_CONTAINS(value_of(h, "int *p", "rill_atomic_add(p)"), "takes 2 arguments, but 1 is given");
    CHECK_CONTAINS(value_of("", "int *p", "rill_atomic_add(p, 1)"), "#include <rill/kernel.h>");
}

TEST(offsetof_follows_members_and_indices)
{
    const char *s = "#include <stddef.h>\nstruct s { char c; struct { int a, b[4]; } t[2]; union { double u; }; };";
    CHECK_STR(value_of(s, "void", "offsetof(struct s, t)"), "4:unsigned long");
    CHECK_STR(value_of(s, "void", "offsetof(struct s, t[1].b[2])"), "36:unsigned long");
    CHECK_STR(value_of(s, "void", "offsetof(struct s, u)"), "48:unsigned long");
}
