// Types: specifiers in any order, declarators, records, enums, and which types go together.
#include "support.h"

#include "lang/types.h"

static const char *declared(const char *declaration, const char *name)
{
    static char buffer[1024];
    struct parsed parsed;
    parsed_init(&parsed, "test.c", declaration);
    const struct object *object = parsed_global(&parsed, name);
    const struct function *function = parsed_function(&parsed, name);
    const struct type *type = object != NULL ? object->type : function != NULL ? function->type : NULL;
    bool is_good = parsed.diags.error_count == 0 && type != NULL;
    snprintf(buffer, sizeof buffer, "%s", is_good ? type_describe(&parsed.arena, type) : parsed_messages(&parsed));
    parsed_finish(&parsed);
    return buffer;
}

TEST(specifiers_mean_the_same_in_any_order)
{
    CHECK_STR(declared("long unsigned int long x;", "x"), "unsigned long long");
    CHECK_STR(declared("int const static long x;", "x"), "const long");
    CHECK_STR(declared("short unsigned x;", "x"), "unsigned short");
    CHECK_STR(declared("unsigned x;", "x"), "unsigned int");
    CHECK_STR(declared("char signed x;", "x"), "signed char");
    CHECK_STR(declared("double long x;", "x"), "long double");
    CHECK_STR(declared("double _Complex x;", "x"), "double _Complex");
    CHECK_STR(declared("typedef int T; T volatile const extern x;", "x"), "const volatile T");
}

TEST(words_that_make_no_type_are_refused)
{
    static const char *const wrong[] = {"long char x;",      "float int x;",      "short long x;", "unsigned signed x;",
                                        "unsigned float x;", "long long long x;", "long float x;", "void int x;",
                                        "short double x;",   "int _Complex x;"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (!CHECK_CONTAINS(messages_of(wrong[i]), "these words do not make a type")) {
            printf("  in %s\n", wrong[i]);
        }
    }
}

TEST(declarators_read_inside_out)
{
    CHECK_STR(declared("int *x[3];", "x"), "int *[3]");
    CHECK_STR(declared("int (*x)[3];", "x"), "int (*)[3]");
    CHECK_STR(declared("int *(*x)(int, char *);", "x"), "int *(*)(int, char *)");
    CHECK_STR(declared("int (*(*x[3])(void))[4];", "x"), "int (*(*[3])(void))[4]");
    CHECK_STR(declared("void (*signal(int, void (*)(int)))(int);", "signal"), "void (*(int, void (*)(int)))(int)");
    CHECK_STR(declared("const int *const *x;", "x"), "const int *const *");
    CHECK_STR(declared("char ((x));", "x"), "char");
    CHECK_STR(declared("typedef int A[3]; const A x[2];", "x"), "const A [2]");
    CHECK_STR(declared("typedef float F(int); F x;", "x"), "F");
    CHECK_STR(declared("int x(int (int), int a[3], int b[const 2]);", "x"), "int (int (*)(int), int *, int *const)");
}

TEST(array_parameters_keep_what_was_written)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c", "void f(int n, int m, float a[n][m + 1], int b[static 3], double c[][n]) {}");
    CHECK_STR(parsed_messages(&parsed), "");
    const struct function *f = parsed_function(&parsed, "f");
    CHECK_STR(type_describe(&parsed.arena, f->params[2]->type), "float (*)[...]");
    CHECK_STR(type_describe(&parsed.arena, f->params[2]->array_type), "float [n][...]");
    CHECK(type_is_variable(f->params[2]->array_type));
    CHECK_INT(f->params[2]->array_type->extent->type->kind, TYPE_LLONG);
    CHECK(f->params[2]->array_type->extent->a->object == f->params[0]);
    CHECK_STR(type_describe(&parsed.arena, f->params[3]->array_type), "int [3]");
    CHECK_STR(type_describe(&parsed.arena, f->params[4]->type), "double (*)[n]");
    CHECK_INT(f->params[4]->array_type->length, TYPE_LENGTH_UNKNOWN);
    CHECK_INT(f->params[4]->index, 4);
    parsed_finish(&parsed);
}

TEST(enums_have_the_integer_type_that_gcc_gives_them)
{
    CHECK_STR(type_of("enum { A } x;", "+x"), "unsigned int");
    CHECK_STR(type_of("enum { A = -1 } x;", "+x"), "int");
    CHECK_STR(type_of("enum { A = 4294967295 } x;", "+x"), "unsigned int");
    CHECK_STR(type_of("enum { A = 4294967296 } x;", "+x"), "unsigned long");
    CHECK_STR(type_of("enum { A = -1, B = 4294967295 } x;", "+x"), "long");
    CHECK_STR(type_of("enum { A } x;", "A"), "int");
    CHECK_STR(type_of("enum { A = 4294967295 } x;", "A"), "unsigned int");
    CHECK_STR(type_of("enum __attribute__((packed)) { A } x;", "sizeof x == 1 ? 1 : 1.0"), "double");
    CHECK_STR(messages_of("enum __attribute__((packed)) e { A = 200 }; _Static_assert(sizeof(enum e) == 1, \"\");"),
              "");
    CHECK_STR(messages_of("enum e { A, B = 5, C }; _Static_assert(C == 6 && A == 0, \"\");"), "");
}

TEST(a_record_is_complete_for_those_who_named_it_before)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c",
                "struct s; typedef struct s S; extern const S x; S *p; struct s { int a; double b; }; S y;");
    CHECK_STR(parsed_messages(&parsed), "");
    CHECK_INT(parsed_global(&parsed, "x")->type->size, 16);
    CHECK_INT(parsed_global(&parsed, "p")->type->base->size, 16);
    CHECK_INT(parsed_global(&parsed, "y")->type->align, 8);
    parsed_finish(&parsed);
}

TEST(compatible_types_may_be_declared_again)
{
    CHECK_STR(messages_of("int f(int); int f(const int); int f(); int a[]; int a[3]; int a[3];"
                          "extern int (*p)[]; int (*p)[4]; enum e { E } x; unsigned x;"
                          "typedef int T; typedef int T; struct s *q; struct s *q;"),
              "");
    CHECK_CONTAINS(messages_of("int f(int); int f(long);"), "'f' is declared as 'int (long)' here");
    CHECK_CONTAINS(messages_of("int a[3]; int a[4];"), "and as 'int [3]' here");
    CHECK_CONTAINS(messages_of("int f(float); int f();"), "declared as");
    CHECK_CONTAINS(messages_of("struct s { int a; }; struct t { int a; }; struct s x; struct t x;"), "'struct t'");
    CHECK_CONTAINS(messages_of("const int *p; int *p;"), "and as 'const int *' here");
}

TEST(typeof_names_any_type)
{
    CHECK_STR(declared("int a[3]; __typeof__(a) x;", "x"), "int [3]");
    CHECK_STR(declared("__typeof__(int *) x, y;", "y"), "int *");
    CHECK_STR(declared("const int a = 1; __typeof__(a + 1.0f) x;", "x"), "float");
    CHECK_STR(declared("const int a = 1; typeof_unqual(a) x;", "x"), "int");
    CHECK_STR(declared("const int a[2][3]; typeof_unqual(a) x;", "x"), "int [2][3]");
    CHECK_STR(declared("typeof_unqual(const int *volatile) x;", "x"), "const int *");
    CHECK_STR(declared("int typeof_unqual(int); int x;", "x"), "int");
}

TEST(bitfields_of_packed_records_begin_at_their_byte)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c",
                "struct __attribute__((packed)) s { int a : 7; int b : 32; char c; } x;\n"
                "struct t { char c; int a : 8, b : 20; } y;");
    CHECK_STR(parsed_messages(&parsed), "");
    const struct record *s = parsed_global(&parsed, "x")->type->record;
    CHECK_INT(s->size, 6);
    CHECK_INT(s->members[1].offset, 0);
    CHECK_INT(s->members[1].bit_offset, 7);
    CHECK_INT(s->members[2].offset, 5);
    const struct record *t = parsed_global(&parsed, "y")->type->record;
    CHECK_INT(t->size, 8);
    CHECK_INT(t->members[1].offset, 0);
    CHECK_INT(t->members[1].bit_offset, 8);
    CHECK_INT(t->members[2].offset, 4);
    CHECK_INT(t->members[2].bit_offset, 0);
    parsed_finish(&parsed);
}

TEST(alignment_is_raised_where_it_is_asked_for)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c",
                "_Alignas(64) float a[4]; int b __attribute__((aligned(32))); _Alignas(double) char c;\n"
                "typedef int wide __attribute__((aligned(16))); wide d; struct { char c; wide w; } e;");
    CHECK_STR(parsed_messages(&parsed), "");
    CHECK_INT(parsed_global(&parsed, "a")->align, 64);
    CHECK_INT(parsed_global(&parsed, "b")->align, 32);
    CHECK_INT(parsed_global(&parsed, "c")->align, 8);
    CHECK_INT(parsed_global(&parsed, "d")->align, 16);
    CHECK_INT(parsed_global(&parsed, "e")->type->size, 32);
    parsed_finish(&parsed);
    CHECK_CONTAINS(messages_of("_Alignas(3) int a;"), "a power of two");
    CHECK_CONTAINS(messages_of("_Alignas(1) int a;"), "is less than what 'int' needs");
}

TEST(objects_at_file_scope_are_fields_or_constants)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c",
                "float field[3]; const float table[2] = {1, 2}; const int *p; static int s; extern int e;\n"
                "int f(void) { static int counter; static const int t[] = {1}; extern int field2; return counter; }");
    CHECK_INT(parsed_global(&parsed, "field")->kind, OBJECT_FIELD);
    CHECK_INT(parsed_global(&parsed, "table")->kind, OBJECT_CONSTANT);
    CHECK_INT(parsed_global(&parsed, "p")->kind, OBJECT_FIELD);
    CHECK(parsed_global(&parsed, "s")->is_static);
    CHECK(parsed_global(&parsed, "e")->is_extern);
    CHECK(!parsed_global(&parsed, "field")->is_extern);
    CHECK_INT(parsed_global(&parsed, "counter")->kind, OBJECT_STATIC_LOCAL);
    CHECK_INT(parsed_global(&parsed, "t")->kind, OBJECT_CONSTANT);
    CHECK(parsed_global(&parsed, "field2")->is_extern);
    for (int i = 0; i < parsed.unit->global_count; i++) {
        CHECK_INT(parsed.unit->globals[i]->index, i);
    }
    parsed_finish(&parsed);
}
