// What Rill refuses only where a kernel reaches it is accepted by the parser, and the tree says enough for lowering to
// find it.
#include "support.h"

#include "lang/types.h"

TEST(forbidden_things_parse_as_long_as_no_kernel_reaches_them)
{
    CHECK_STR(messages_of("#include <stdio.h>\n#include <stdlib.h>\n#include <stdarg.h>\n#include <setjmp.h>\n"
                          "#include <errno.h>\n#include <fenv.h>\n#include <complex.h>\n#include <string.h>\n"
                          "static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }\n"
                          "static int apply(int (*f)(int), int x) { return f(x); }\n"
                          "static int sum(int n, ...) { va_list list; va_start(list, n); int s = 0;\n"
                          "  for (int i = 0; i < n; i++) s += va_arg(list, int); va_end(list); return s; }\n"
                          "static int *heap(int n) { int *p = malloc(n * sizeof *p); free(p); return p; }\n"
                          "static long double precise(long double x) { return x * 2.0L; }\n"
                          "static double _Complex turn(double _Complex z) { return z * z + 1; }\n"
                          "static int counter(void) { static int count; return ++count; }\n"
                          "static int vla(int n) { int a[n]; a[0] = n; return a[0]; }\n"
                          "static int jump(void) { jmp_buf b; if (setjmp(b)) return errno; longjmp(b, 1); return 0; }\n"
                          "static int lines(FILE *f) { char s[80]; return fgets(s, sizeof s, f) != NULL; }\n"
                          "int main(void) { fprintf(stderr, \"%d\", apply(fact, 3) + sum(2, 1, 2)); feraiseexcept(1);\n"
                          "  heap(3); precise(1); turn(1); counter(); vla(3); jump(); lines(stdin); exit(0); }\n"),
              "");
}

TEST(refused_calls_say_why)
{
    CHECK_STR(value_of("#include <stdio.h>", "char *s", "printf(s)"),
              "(refused \"printf with a format that is no literal\")");
    CHECK_STR(value_of("#include <stdio.h>", "char *s", "printf(\"%s\", s)"),
              "(refused \"printf of '%s' with a pointer: it takes a string literal or an array of char\")");
    CHECK_STR(value_of("#include <stdio.h>", "int n", "printf(\"%n\", &n)"), "(refused \"printf with '%n'\")");
    CHECK_STR(body_of("void f(void) { __asm__ volatile(\"nop\" ::: \"memory\"); }"), "refused \"inline assembly\"");
    CHECK_STR(body_of("void f(void *p) { goto *p; }"), "refused \"a computed goto\"");
}

TEST(types_and_objects_show_what_is_refused)
{
    struct parsed parsed;
    parsed_init(
        &parsed, "test.c",
        "extern int elsewhere;\n"
        "int f(int n) { int a[n]; static int s; long double x = 1; a[0] = s; return elsewhere + (int)x + a[0]; }");
    CHECK_STR(parsed_messages(&parsed), "");
    const struct stmt *body = parsed_function(&parsed, "f")->body;
    CHECK(type_is_variable(body->items[1]->object->type));
    CHECK_INT(body->items[2]->object->type->kind, TYPE_LDOUBLE);
    CHECK_INT(parsed_global(&parsed, "s")->kind, OBJECT_STATIC_LOCAL);
    CHECK(parsed_global(&parsed, "elsewhere")->is_extern);
    parsed_finish(&parsed);
}

TEST(library_functions_are_builtin_and_undefined_ones_are_not)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c", "#include <stdlib.h>\n#include <string.h>\nint mine(void);\n");
    CHECK(parsed_function(&parsed, "malloc")->is_builtin);
    CHECK(parsed_function(&parsed, "memcpy")->is_builtin);
    CHECK(!parsed_function(&parsed, "mine")->is_builtin);
    parsed_finish(&parsed);
}

TEST(assert_calls_its_own_function)
{
    CHECK_CONTAINS(body_of("#include <assert.h>\nvoid f(int n) { assert(n > 0); }"),
                   "expr (?<void> (gt n 0) (cast<void> 0) (call<void> __rill_assert_fail");
    CHECK_STR(body_of("#define NDEBUG\n#include <assert.h>\nvoid f(int n) { assert(n > 0); }"), "expr (cast<void> 0)");
}
