// Statements, functions, pragmas and blocks.
#include "support.h"

TEST(loops_keep_their_parts)
{
    CHECK_STR(body_of("void f(int n) { for (int i = 0, j = n; i < j; i++, j--) ; for (;;) break; }"),
              "for (lt i j); block; decl i: int @0=0; decl j: int @0=n; step (comma (post-add=<int> i 1) "
              "(post-sub=<int> j 1)); empty; for; break");
    CHECK_STR(body_of("void f(int n) { while (n) n--; do { n++; continue; } while (n < 3); }"),
              "while n; expr (post-sub=<int> n 1); do (lt n 3); block; expr (post-add=<int> n 1); continue");
}

TEST(else_belongs_to_the_nearest_if)
{
    CHECK_STR(body_of("int f(int a) { if (a) if (a > 1) return 1; else return 2; return 3; }"),
              "if a; if (gt a 1); return 1; else; return 2; return 3");
}

TEST(switch_lists_its_cases)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c",
                "int f(char c) { switch (c) { case 'a': case 'c' ... 'e': return 1; { case -1: break; } default: "
                "return 2; } return 0; }");
    CHECK_STR(parsed_messages(&parsed), "");
    const struct stmt *stmt = parsed_function(&parsed, "f")->body->items[0];
    CHECK_INT(stmt->kind, STMT_SWITCH);
    CHECK_INT(stmt->expr->type->kind, TYPE_INT);
    CHECK_INT(stmt->case_count, 4);
    CHECK_INT(stmt->cases[1]->low, 'c');
    CHECK_INT(stmt->cases[1]->high, 'e');
    CHECK_INT(stmt->cases[2]->low, -1);
    CHECK_INT(stmt->cases[3]->kind, STMT_DEFAULT);
    parsed_finish(&parsed);
}

TEST(labels_and_gotos_meet)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c", "void f(int n) { goto end; again: n--; if (n) goto again; end: ; }");
    CHECK_STR(parsed_messages(&parsed), "");
    const struct stmt *body = parsed_function(&parsed, "f")->body;
    CHECK(body->items[0]->label->stmt == body->items[3]);
    CHECK(body->items[1]->label == body->items[2]->body->label);
    CHECK_INT(body->items[0]->label->index, 0);
    CHECK_INT(body->items[1]->label->index, 1);
    parsed_finish(&parsed);
}

TEST(inner_names_hide_outer_ones)
{
    CHECK_STR(body_of("int x; void f(float x) { { char x = 1; { extern int x; x = 2; } x = 3; } x = 4; }"),
              "block; decl x: char @0=(to<char> 1); block; expr (= x 2); expr (= x (to<char> 3)); "
              "expr (= x (to<float> 4))");
    CHECK_STR(messages_of("typedef int T; void f(void) { T T = 1; T++; { typedef float T; T y = 1; y++; } }"), "");
    CHECK_STR(messages_of("typedef int T; void f(int T) { T = T * T; }"), "");
    CHECK_STR(messages_of("struct s { int s; }; void f(struct s s) { s.s = 1; goto s; s: ; }"), "");
}

TEST(extents_are_evaluated_where_the_declaration_stands)
{
    CHECK_STR(body_of("void f(int n, float *p) { float (*q)[n] = (float (*)[n])p; n = 0; q[1][2] = 3; }"),
              "decl (extent): long long @0=(to<long long> n); decl q: float (*)[(extent)] @0=(cast<float (*)[n]> p); "
              "expr (= n 0); expr (= (deref (padd (decay (deref (padd q 1))) 2)) (to<float> 3))");
}

TEST(functions_know_what_they_are)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c",
                "#include <rill/kernel.h>\n"
                "kernel void k(int n, float x[n]) { x[0] = sinf(x[0]); }\n"
                "static inline int h(int a) { int b = a; { int c = b; b = c; } return b; }\n"
                "int declared(int);\n"
                "#pragma rill single\n"
                "kernel int one(void) { return h(1); }\n"
                "void none() { }\n");
    CHECK_STR(parsed_messages(&parsed), "");
    CHECK(parsed_function(&parsed, "k")->is_kernel);
    CHECK(!parsed_function(&parsed, "k")->is_single);
    CHECK(parsed_function(&parsed, "one")->is_single);
    CHECK(parsed_function(&parsed, "h")->is_static && parsed_function(&parsed, "h")->is_inline);
    CHECK_INT(parsed_function(&parsed, "h")->local_count, 2);
    CHECK(parsed_function(&parsed, "declared")->body == NULL && !parsed_function(&parsed, "declared")->is_builtin);
    CHECK(parsed_function(&parsed, "sinf")->is_builtin);
    CHECK(parsed_function(&parsed, "none")->type->has_prototype);
    parsed_finish(&parsed);
}

TEST(a_function_of_a_builtin_header_that_the_user_defines_is_the_users)
{
    struct parsed parsed;
    parsed_init(&parsed, "test.c", "#include <math.h>\nfloat fminf(float a, float b) { return a < b ? a : b; }\n");
    CHECK_STR(parsed_messages(&parsed), "");
    CHECK(!parsed_function(&parsed, "fminf")->is_builtin);
    parsed_finish(&parsed);
}

TEST(pragmas_attach_to_the_next_loop)
{
    CHECK_STR(body_of("#include <rill/kernel.h>\n"
                      "kernel void f(int n, float x[n]) {\n"
                      "#pragma rill parallel\n#pragma rill collapse(2)\n"
                      "for (int i = 0; i < n; i++)\n"
                      "#pragma rill serial, block_dim( 64 )\n"
                      "for (int j = 0; j < n; j++) x[j] = 0;\n"
                      "#pragma rill single\n"
                      "while (n) n--;\n}"),
              "for parallel collapse(2) (lt i n); decl i: int @0=0; step (post-add=<int> i 1); "
              "for serial block_dim(64) (lt j n); decl j: int @0=0; step (post-add=<int> j 1); "
              "expr (= (deref (padd x j)) (to<float> 0)); while single n; expr (post-sub=<int> n 1)");
}

TEST(map_says_what_is_shared_out)
{
    CHECK_STR(body_of("#include <rill/kernel.h>\n#define R 4\n"
                      "kernel void f(int n, float x[n]) {\n"
                      "#pragma rill map( outer )\n"
                      "for (int i = 0; i < n; i++)\n"
                      "#pragma rill parallel, map(tile( R, 8 )) block_dim(64)\n"
                      "for (int j = 0; j < n; j++) x[j] = 0;\n"
                      "#pragma rill map(two_level)\n"
                      "for (int j = 0; j < n; j++) x[j] = 0;\n"
                      "#pragma rill map(inner)\n"
                      "for (int j = 0; j < n; j++) x[j] = 0;\n"
                      "#pragma rill map(serial)\n"
                      "while (n) n--;\n}"),
              "for map(outer) (lt i n); decl i: int @0=0; step (post-add=<int> i 1); "
              "for parallel block_dim(64) map(tile(4, 8)) (lt j n); decl j: int @0=0; step (post-add=<int> j 1); "
              "expr (= (deref (padd x j)) (to<float> 0)); "
              "for map(two_level) (lt j n); decl j: int @0=0; step (post-add=<int> j 1); "
              "expr (= (deref (padd x j)) (to<float> 0)); "
              "for serial (lt j n); decl j: int @0=0; step (post-add=<int> j 1); "
              "expr (= (deref (padd x j)) (to<float> 0)); while single n; expr (post-sub=<int> n 1)");
}

TEST(blocks_are_numbered_and_keep_their_pragma)
{
    CHECK_STR(body_of("#include <rill/kernel.h>\n"
                      "kernel void f(int n, float x[n]) { stream_parallel { x[0] = 1; }\n"
                      "#pragma rill in_order\n"
                      "stream_parallel { for (int i = 0; i < n; i++) { if (i) break; } } x[2] = 3;\n"
                      "RILL_STREAM_PARALLEL { x[1] = 2; } }"),
              "stream_parallel 0; block; expr (= (deref (padd x 0)) (to<float> 1)); stream_parallel 1 in_order; block; "
              "for (lt i n); decl i: int @0=0; step (post-add=<int> i 1); block; if i; break; "
              "expr (= (deref (padd x 2)) (to<float> 3)); stream_parallel 2; block; "
              "expr (= (deref (padd x 1)) (to<float> 2))");
}

TEST(the_name_stream_parallel_keeps_its_meaning_elsewhere)
{
    CHECK_STR(messages_of("#include <rill/kernel.h>\n"
                          "struct s { int stream_parallel; };\n"
                          "kernel int f(struct s s) { int stream_parallel = s.stream_parallel + 1;\n"
                          "  stream_parallel *= 2; struct s t = {.stream_parallel = stream_parallel};\n"
                          "  stream_parallel { s = t; }\n"
                          "  return stream_parallel; }\n"
                          "int g(void) { int stream_parallel(void); return stream_parallel(); }\n"),
              "2:16: warning: 'stream_parallel' is a name here; for a plain C compiler it is a macro of rill/kernel.h: "
              "define "
              "RILL_NO_SHORT_NAMES before the #include, then write RILL_KERNEL and RILL_STREAM_PARALLEL\n");
    CHECK_STR(messages_of("#define RILL_NO_SHORT_NAMES\n#include <rill/kernel.h>\n"
                          "RILL_KERNEL int f(int kernel) { int stream_parallel = kernel; return stream_parallel; }"),
              "");
    CHECK_STR(messages_of("int stream_parallel; int f(void) { return stream_parallel++; }"), "");
}

TEST(the_example_of_the_language_is_accepted)
{
    CHECK_STR(messages_of("#include <rill/kernel.h>\n"
                          "kernel void contact(int n, const float x[n], const float v[n], float f[n])\n"
                          "{ for (int i = 0; i < n; i++) f[i] = -40.0f * fminf(x[i], 0.0f) - 0.1f * v[i]; }\n"
                          "kernel void spring(int n, const float x[n], float g[n])\n"
                          "{ for (int i = 1; i < n - 1; i++) g[i] = x[i-1] - 2 * x[i] + x[i+1]; }\n"
                          "kernel float simulate(int n, int steps, float dt, float x[n], float v[n], float f[n], "
                          "float g[n]) {\n"
                          "for (int t = 0; t < steps; t++) {\n"
                          "stream_parallel { contact(n, x, v, f); }\nstream_parallel { spring(n, x, g); }\n"
                          "for (int i = 0; i < n; i++) { v[i] += dt * (f[i] + g[i]); x[i] += dt * v[i]; } }\n"
                          "float energy = 0; for (int i = 0; i < n; i++) energy += v[i] * v[i]; return energy; }\n"),
              "");
}

TEST(every_builtin_header_parses)
{
    static const char *const names[] = {"assert", "complex", "ctype",  "errno",  "fenv",   "float",      "inttypes",
                                        "iso646", "limits",  "locale", "math",   "setjmp", "signal",     "stdalign",
                                        "stdarg", "stdbool", "stddef", "stdint", "stdio",  "stdlib",     "stdnoreturn",
                                        "string", "tgmath",  "time",   "wchar",  "wctype", "rill/kernel"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[100];
        snprintf(text, sizeof text, "#include <%s.h>\nint x;\n", names[i]);
        if (!CHECK_STR(messages_of(text), "")) {
            printf("  in %s\n", text);
        }
    }
}

TEST(printf_keeps_its_promoted_arguments)
{
    CHECK_STR(
        body_of("#include <stdio.h>\n"
                "void f(float x, char c, long n) { char s[4] = \"abc\"; printf(\"%5.2f %c %ld %s %s %*d%%\", x, c,"
                " n, s, \"lit\", 3, c); }"),
        "decl s: char [4] @0=\"abc\"; expr (call<int> printf (to<const char *> (decay \"%5.2f %c %ld %s %s "
        "%*d%%\")) (to<double> x) (to<int> c) n (decay s) (decay \"lit\") 3 (to<int> c))");
}

TEST(missing_returns_are_found)
{
    static const char *const fine[] = {
        "int f(int a) { if (a) return 1; else return 2; }",
        "int f(int a) { for (;;) { if (a) return 1; } }",
        "int f(int a) { while (1) a++; }",
        "int f(int a) { switch (a) { case 1: return 1; default: return 2; } }",
        "int f(int a) { do { return a; } while (0); }",
        "int f(int a) { goto x; x: return a; }",
        "_Noreturn void g(void); int f(int a) { if (a) return 1; g(); }",
        "void f(int a) { a++; }",
    };
    static const char *const wrong[] = {
        "int f(int a) { if (a) return 1; }",
        "int f(int a) { for (;;) { if (a) break; } }",
        "int f(int a) { while (a) return 1; }",
        "int f(int a) { switch (a) { case 1: return 1; } }",
        "int f(int a) { switch (a) { case 1: return 1; default: break; } }",
        "int f(int a) { return a; x: a++; if (a) goto x; }",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        CHECK_STR(messages_of(fine[i]), "");
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (!CHECK_CONTAINS(messages_of(wrong[i]), "'f' may end without returning")) {
            printf("  in %s\n", wrong[i]);
        }
    }
}
