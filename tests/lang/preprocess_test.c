#include "tokens.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

// ---- macros --------------------------------------------------------------------------------------------------------

TEST(object_macros_are_replaced_and_rescanned)
{
    CHECK_EXPANDS("#define a b\n#define b c\na b c", "c c c");
    CHECK_EXPANDS("#define empty\nx empty y", "x y");
    CHECK_EXPANDS("#define a 1\n#undef a\na", "a");
    CHECK_EXPANDS("#define LPAREN (\n#define f(x) [x]\nf LPAREN 1)", "f ( 1 )");
}

TEST(a_macro_is_not_replaced_inside_itself)
{
    CHECK_EXPANDS("#define x x + 1\nx", "x + 1");
    CHECK_EXPANDS("#define a b\n#define b a\na b", "a b");
    CHECK_EXPANDS("#define f(x) f(x + 1)\nf(f(2))", "f ( f ( 2 + 1 ) + 1 )");
    // Marked for good: not replaced later either, when f is no longer being expanded.
    CHECK_EXPANDS("#define f(x) x f\nf(1)(2)", "1 f ( 2 )");
    CHECK_EXPANDS("#define NIL(x) x\n#define G_0(a) NIL(G_1)(a)\n#define G_1(a) NIL(G_0)(a)\nG_0(42)", "G_0 ( 42 )");
}

TEST(function_macros_need_their_parenthesis)
{
    CHECK_EXPANDS("#define f(x) <x>\nf f(1) f\n(2) f", "f < 1 > < 2 > f");
    CHECK_EXPANDS("#define f() 1\nf() f( ) f", "1 1 f");
    CHECK_EXPANDS("#define f (x)\nf", "( x )");
    CHECK_EXPANDS("#define f(x, y) x:y\nf((1, 2), [3)", "( 1 , 2 ) : [ 3");
    CHECK_EXPANDS("#define f(x, y) x-y;\nf(,) f(1,) f(,2)", "- ; 1 - ; - 2 ;");
    CHECK_EXPANDS("#define f(x) <x>\nf()", "< >");
}

TEST(arguments_are_replaced_before_they_are_put_in)
{
    CHECK_EXPANDS("#define a 1\n#define f(x) x a\n#define g(x) #x x\nf(a) g(a)", "1 1 \"a\" 1");
    CHECK_EXPANDS("#define f(x) x\n#define g f\nf(f)(1) g(g)(2)", "f ( 1 ) f ( 2 )");
    // The comma that an argument leaves separates arguments when the result is scanned again.
    CHECK_SAYS("#define comma ,\n#define two(x, y) [x|y]\n#define one(x) two(x, 3)\none(1 comma 2)",
               "4:1: error: the macro 'two' takes 2 arguments, 3 are given");
}

TEST(variable_arguments_are_the_rest)
{
    CHECK_EXPANDS("#define f(...) <__VA_ARGS__>\nf() f(1) f(1, 2)", "< > < 1 > < 1 , 2 >");
    CHECK_EXPANDS("#define f(x, ...) x:__VA_ARGS__\nf(1, 2, 3) f(1,)", "1 : 2 , 3 1 :");
    CHECK_EXPANDS("#define s(...) #__VA_ARGS__\ns(a, b  c)", "\"a, b c\"");
    CHECK_EXPANDS("#define f(x, rest...) x:rest\nf(1, 2, 3)", "1 : 2 , 3");
}

TEST(the_comma_before_absent_variable_arguments_goes)
{
    CHECK_EXPANDS("#define f(x, ...) g(x, ## __VA_ARGS__)\nf(1) f(1, 2) f(1, 2, 3)",
                  "g ( 1 ) g ( 1 , 2 ) g ( 1 , 2 , 3 )");
    CHECK_EXPANDS("#define f(...) g(0, ## __VA_ARGS__)\nf() f(1)", "g ( 0 ) g ( 0 , 1 )");
    CHECK_EXPANDS("#define f(x, r...) g(x, ## r)\nf(1) f(1, 2)", "g ( 1 ) g ( 1 , 2 )");
    CHECK_EXPANDS("#define f(x, ...) g(x, ## __VA_ARGS__)\nf(1, )", "g ( 1 , )"); // there is one, and it is empty
}

TEST(stringizing_keeps_the_spelling)
{
    CHECK_EXPANDS("#define s(x) #x\ns(a+b) s( a  +\n b ) s()", "\"a+ba + b\"");
    CHECK_EXPANDS("#define s(x) #x\ns(\"a\\n\") ;", "\"\\42a\\134n\\42\" ;");
    CHECK_EXPANDS("#define s(x) #x\ns('\"') ;", "\"'\\42'\" ;");
    CHECK_SAYS("#define s(x) #x\ns(\\) ;", "error: # makes no valid string of an argument that ends in a backslash");
    CHECK_EXPANDS("#define s(x) #x\n#define a b\ns(a)", "\"a\"");
    CHECK_EXPANDS("#define s(x) #x\n#define t(x) s(x)\n#define a b\nt(a)", "\"b\"");
    CHECK_SAYS("#define h # x\nh", "error: '#' does not belong here"); // in an object-like macro it is no operator
}

TEST(pasting_makes_one_token)
{
    CHECK_EXPANDS("#define p(x, y) x##y\np(a, b) p(1, 2) p(+, +) p(<, <=) p(L, \"x\")", "ab 12 ++ <<= L\"x\"");
    CHECK_EXPANDS("#define p(x, y) x##y\np(, a) p(a,) p(,) ;", "a a ;");
    CHECK_EXPANDS("#define p(x, y) x##y\n#define ab ok\n#define a 1\np(a, b)", "ok");
    CHECK_EXPANDS("#define p(x, y, z) x##y##z\np(a, , c) p(, b,) p(,,) ;", "ac b ;");
    CHECK_EXPANDS("#define p(x, y) x##y\np(a b, c d)", "a bc d");
    CHECK_EXPANDS("#define o a ## b\n#define ab ok\no", "ok");
    CHECK_EXPANDS("#define x(n) x##n\n#define x1 x(2)\nx(1)", "x ( 2 )");
}

// 6.10.3.5 of the standard, its examples 3, 4, 5 and 7, and those of 6.10.3.3 and 6.10.3.4.
TEST(the_standards_own_examples)
{
    CHECK_EXPANDS("#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n"
                  "#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n"
                  "#define r(x,y) x ## y\n#define str(x) # x\n"
                  "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n"
                  "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
                  "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\n"
                  "char c[2][6] = { str(hello), str() };\n",
                  "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; "
                  "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; "
                  "int i [ ] = { 1 , 23 , 4 , 5 , } ; "
                  "char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;");
    CHECK_EXPANDS("#define str(s) # s\n#define xstr(s) str(s)\n"
                  "#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\\n x ## s, x ## t)\n"
                  "#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n"
                  "#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n"
                  "debug(1, 2);\n"
                  "fputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // this goes away\n == 0) str(: @\\n), s);\n"
                  "xstr(INCFILE(2).h) ; glue(HIGH, LOW); xglue(HIGH, LOW)",
                  "printf ( \"x1= %d, x2= %s\" , x1 , x2 ) ; "
                  "fputs ( \"strncmp(\\42abc\\1340d\\42, \\42abc\\42, '\\1344') == 0: @\\12\" , s ) ; "
                  "\"vers2.h\" ; \"hello\" ; \"hello, world\"");
    CHECK_EXPANDS("#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),\n"
                  "t(10,,), t(,11,), t(,,12), t(,,) };",
                  "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;");
    CHECK_EXPANDS("#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n"
                  "#define report(test, ...) ((test)?puts(#test):\\\n printf(__VA_ARGS__))\n"
                  "debug(\"Flag\");\ndebug(\"X = %d\\n\", x);\nshowlist(The first, second, and third items.);\n"
                  "report(x>y, \"x is %d but y is %d\", x, y);\n",
                  "fprintf ( stderr , \"Flag\" ) ; fprintf ( stderr , \"X = %d\\12\" , x ) ; "
                  "puts ( \"The first, second, and third items.\" ) ; "
                  "( ( x > y ) ? puts ( \"x>y\" ) : printf ( \"x is %d but y is %d\" , x , y ) ) ;");
    CHECK_EXPANDS("#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n"
                  "#define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);",
                  "char p [ ] = \"x ## y\" ;");
    // Unspecified in the standard; as gcc and clang have it.
    CHECK_EXPANDS("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
}

TEST(macros_that_cannot_be_are_refused_with_words)
{
    CHECK_SAYS("#define", "1:8: error: #define needs the name of a macro");
    CHECK_SAYS("#define 3", "error: #define needs the name of a macro");
    CHECK_SAYS("#define defined", "error: 'defined' cannot be the name of a macro");
    CHECK_SAYS("#define f(a, a) a", "1:14: error: the macro parameter 'a' is named twice");
    CHECK_SAYS("#define f(a b) a", "error: expected ',' or ')' in the parameters of the macro 'f'");
    CHECK_SAYS("#define f(..., a) a", "error: expected ')' after '...' in the parameters of the macro 'f'");
    CHECK_SAYS("#define f(a", "error: expected ',' or ')'");
    CHECK_SAYS("#define f(x) #y", "1:14: error: # needs a parameter of the macro after it");
    CHECK_SAYS("#define f ## x", "1:11: error: ## cannot stand at the start of a macro");
    CHECK_SAYS("#define f x ##", "1:13: error: ## cannot stand at the end of a macro");
    CHECK_SAYS("#define f(x) __VA_ARGS__", "error: __VA_ARGS__ stands only in a macro whose parameters end in '...'");
    CHECK_SAYS("#define f(__VA_ARGS__) 1", "error: __VA_ARGS__ cannot be the name of a parameter");
    CHECK_SAYS("#define f(x, y) x\nf(1)",
               "2:1: error: the macro 'f' takes 2 arguments, 1 is given\n1:9: note: it is defined");
    CHECK_SAYS("#define f(x) x\nf(1, 2, 3)", "error: the macro 'f' takes 1 argument, 3 are given");
    CHECK_SAYS("#define f(x, y, ...) x\nf(1)", "error: the macro 'f' takes at least 2 arguments, 1 is given");
    CHECK_SAYS("#define f(x) x\na f(1\n", "2:3: error: the arguments of the macro 'f' do not end");
    CHECK_SAYS("#define p(x, y) x##y\np(+, -)", "2:3: error: ## makes no valid token of '+' and '-'");
    CHECK_SAYS("#define p(x, y) x##y\np(/, /)", "error: ## makes no valid token of '/' and '/'");
    CHECK_SAYS("#undef", "error: #undef needs the name of a macro");
}

TEST(a_redefinition_is_a_warning_unless_it_is_the_same)
{
    CHECK_EXPANDS("#define a b c\n#define a b  c\n#define f(x) x+1\n#define f(x) x+1\n", "");
    CHECK_SAYS("#define a 1\n#define a 2\n",
               "2:9: warning: the macro 'a' is redefined\n1:9: note: the definition before");
    CHECK_SAYS("#define f(x) x\n#define f(y) y\n", "warning: the macro 'f' is redefined");
    CHECK_SAYS("#define a b c\n#define a b/**/+c\n", "warning: the macro 'a' is redefined");
    CHECK_SAYS("#define __STDC__ 2\n", "warning: the built-in macro '__STDC__' is redefined");
}

TEST(directives_inside_arguments_run)
{
    CHECK_EXPANDS("#define f(x) <x>\nf(1\n#ifdef f\n2\n#else\n3\n#endif\n4)", "< 1 2 4 >");
    CHECK_EXPANDS("#define f(x) <x>\nf(1\n#define a 5\na)", "< 1 5 >");
}

TEST(a_macros_token_knows_where_it_was_used_and_spelt)
{
    struct tokens tokens;
    const char *text = "#define one(x) 1 + x\n#define two(x) one(x)\n  two( y );";
    tokens_init(&tokens, text, strlen(text), NULL);
    CHECK_STR(tokens_text(&tokens), "1 + y ;");
    const struct token *one = &tokens.list.items[0], *y = &tokens.list.items[2];
    CHECK_UINT(one->loc.line, 3);
    CHECK_UINT(one->loc.column, 3);
    CHECK_UINT(one->macro.line, 1);
    CHECK_UINT(one->macro.column, 16);
    CHECK_UINT(y->loc.line, 3); // an argument stands where it was written
    CHECK_UINT(y->loc.column, 8);
    tokens_finish(&tokens);
}

// ---- conditionals --------------------------------------------------------------------------------------------------

static bool is_true(const char *expression)
{
    char text[512];
    snprintf(text, sizeof text, "#if %s\nyes\n#else\nno\n#endif", expression);
    struct tokens tokens;
    tokens_init(&tokens, text, strlen(text), NULL);
    CHECK_STR(tokens_messages(&tokens), "");
    bool yes = strcmp(tokens_text(&tokens), "yes") == 0;
    tokens_finish(&tokens);
    return yes;
}

TEST(if_evaluates_integer_expressions)
{
    static const char *const truths[] = {
        "1",
        "2 + 3 * 4 == 14",
        "(2 + 3) * 4 == 20",
        "10 - 4 - 3 == 3",
        "7 / 2 == 3 && -7 / 2 == -3 && -7 % 2 == -1",
        "1 << 4 == 16",
        "-8 >> 1 == -4",
        "~0 == -1",
        "!0",
        "!5 == 0",
        "-1 < 0",
        "-1 > 0u",
        "0xffffffff > 0",
        "0xffffffffffffffff == -1",
        "18446744073709551615u == -1",
        "1 ? 2 : 0",
        "0 ? 0 : 1",
        "1 ? 1 : 0 ? 0 : 0",
        "(0 || 3) == 1",
        "(2 && 3) == 1",
        "0 && 1 / 0 || 1",
        "1 || 1 / 0",
        "1 ? 1 : 1 / 0",
        "6 ^ 3 == 1 || 1",
        "(6 ^ 3) == 5",
        "(6 & 3) == 2",
        "(6 | 1) == 7",
        "3 > 2 > 0",
        "'a' == 97",
        "'\\377' < 0",
        "L'\\377' > 0",
        "undefined_name == 0",
        "1L == 1ULL",
        "9223372036854775807 + 1 < 0",
        "(-9223372036854775807 - 1) / -1 < 0",
        "(-9223372036854775807 - 1) % -1 == 0",
        "+1",
        "- -1 == 1",
        "0b101 == 5",
        "int == 0",
        "1 == 1 != 0",
        "(0 ? 1u : -1) > 0",
        "2 <= 2 && 2 >= 2 && 2 != 3",
    };
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        if (!CHECK(is_true(truths[i]))) {
            printf("  %s\n", truths[i]);
        }
    }
    CHECK(!is_true("0"));
    CHECK(!is_true("1 == 2"));
}

TEST(defined_is_asked_before_the_name_is_replaced)
{
    CHECK_EXPANDS("#define a b\n#if defined a && defined(a) && !defined b && ! defined ( b )\nyes\n#endif", "yes");
    CHECK_EXPANDS("#define a\n#if defined a\nyes\n#endif", "yes");
    CHECK_EXPANDS("#define f(x) x\n#if f(1) && defined f\nyes\n#endif", "yes");
    CHECK_EXPANDS("#ifdef a\nno\n#endif\n#define a\n#ifdef a\nyes\n#endif\n#ifndef a\nno\n#endif", "yes");
}

TEST(one_group_of_a_conditional_is_taken)
{
    CHECK_EXPANDS("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne", "b e");
    CHECK_EXPANDS("#if 0\na\n#elif 0\nb\n#else\nd\n#endif", "d");
    CHECK_EXPANDS("#if 1\n#if 0\na\n#else\nb\n#endif\n#else\n#if 1\nc\n#endif\n#endif", "b");
    CHECK_EXPANDS("#if 0\n#if 1\n#else\n#endif\na\n#endif\nb", "b");
    CHECK_EXPANDS("#if 1\na\n#elif 1 / 0\nb\n#endif", "a"); // not evaluated any more
    CHECK_EXPANDS("#if 0\ndon't \"mind\n#error no\n#nonsense\n@\n#endif\na", "a");
    CHECK_EXPANDS("#\n# /* */\n#  define a b\na", "b");
}

TEST(bad_conditionals_are_errors_with_words)
{
    CHECK_SAYS("#if\n#endif", "1:4: error: #if: an expression is missing");
    CHECK_SAYS("#if 1 +\n#endif", "error: #if: the expression ends where an operand is wanted");
    CHECK_SAYS("#if (1\n#endif", "error: #if: expected ')'");
    CHECK_SAYS("#if 1 2\n#endif", "1:7: error: #if: expected an operator");
    CHECK_SAYS("#if 1, 2\n#endif", "error: #if: a comma cannot stand in this expression");
    CHECK_SAYS("#if a = 1\n#endif", "error: #if: '=' cannot stand in this expression; did you mean '=='?");
    CHECK_SAYS("#if 1.0\n#endif", "error: #if: a floating constant cannot stand here");
    CHECK_SAYS("#if \"a\"\n#endif", "error: #if: a string cannot stand in this expression");
    CHECK_SAYS("#if 1 / 0\n#endif", "1:7: error: #if: division by zero");
    CHECK_SAYS("#if 0\n#elif 1 % 0\n#endif", "2:9: error: #elif: division by zero");
    CHECK_SAYS("#if defined\n#endif", "error: #if: defined needs the name of a macro");
    CHECK_SAYS("#if 1 ? 2\n#endif", "error: #if: expected ':'");
    CHECK_SAYS("#else", "1:2: error: #else without #if");
    CHECK_SAYS("#endif", "error: #endif without #if");
    CHECK_SAYS("#if 1\n#else\n#else\n#endif", "3:2: error: #else after #else\n1:2: note: the #if is here");
    CHECK_SAYS("#if 0\n#else\n#elif 1\n#endif", "error: #elif after #else");
    CHECK_SAYS("x\n#if 1\n#ifdef a\n#endif", "2:2: error: this #if has no #endif");
    CHECK_SAYS("#ifdef\n#endif", "error: #ifdef needs the name of a macro");
    CHECK_SAYS("#if 1\n#endif x", "2:8: warning: #endif takes nothing more on this line");
}

// ---- other directives ----------------------------------------------------------------------------------------------

TEST(line_renames_what_follows)
{
    CHECK_EXPANDS("__LINE__ __FILE__\n#line 100\n__LINE__\n\n__LINE__\n#line 7 \"other.c\"\n__LINE__ __FILE__",
                  "1 \"t.c\" 100 102 7 \"other.c\"");
    CHECK_EXPANDS("#define n 33\n#line n \"x\"\n__LINE__", "33");
    CHECK_SAYS("#line 50 \"x\"\n@", "50:1: error: '@' does not belong here");
    CHECK_SAYS("#line", "error: #line needs a decimal number");
    CHECK_SAYS("#line 0", "error: #line needs a decimal number");
    CHECK_SAYS("#line 2147483648", "error: #line needs a decimal number");
    CHECK_SAYS("#line 0x10", "error: #line needs a decimal number");
    CHECK_SAYS("#line 1 2", "error: after its number #line takes the name of a file in quotes");
}

TEST(messages_carry_a_renamed_line_and_its_text)
{
    struct tokens tokens;
    const char *text = "first\n#line 50 \"gen.k\"\nsecond @\n";
    tokens_init(&tokens, text, strlen(text), NULL);
    struct str out;
    str_init(&out, &tokens.arena);
    diags_render_all(&tokens.diags, false, &out);
    CHECK_STR(str_text(&out), "gen.k:50:8: error: '@' does not belong here\n   50 | second @\n      |        ^\n");
    tokens_finish(&tokens);
}

TEST(error_and_warning_say_their_text)
{
    CHECK_SAYS("#error it's  \"bad\" /* x */", "1:2: error: #error it's  \"bad\" /* x */");
    CHECK_SAYS("#warning mind this", "1:2: warning: #warning mind this");
    CHECK_SAYS("#error", "error: #error");
}

TEST(unknown_directives_are_errors_with_a_suggestion)
{
    CHECK_SAYS("#inclde <x>", "1:2: error: there is no directive #inclde; did you mean #include?");
    CHECK_SAYS("#elsif 1", "error: there is no directive #elsif");
    CHECK_SAYS("# 5", "1:3: error: # at the start of a line must be followed by the name of a directive");
    CHECK_SAYS("a # b", "1:3: error: '#' does not belong here");
}

TEST(pragmas_reach_the_parser_as_one_token)
{
    CHECK_EXPANDS("#pragma rill parallel\nfor", "<rill parallel> for");
    CHECK_EXPANDS("#pragma rill   block_dim( 64 )  collapse(2)\n", "<rill block_dim( 64 ) collapse(2)>");
    CHECK_EXPANDS("#define N 8\n#define serial no\n#pragma rill block_dim(N) serial\n", "<rill block_dim(8) serial>");
    CHECK_EXPANDS("#pragma pack(push, 1)\nint\n#pragma pack()", "<pack push, 1> int <pack >");
    CHECK_EXPANDS("#pragma STDC FP_CONTRACT OFF\nx\n#pragma clang fp contract(fast)",
                  "<contract OFF> x <contract FAST>");
    CHECK_EXPANDS("#pragma GCC ivdep\n#pragma unroll(4)\n#pragma\nx", "x");
    CHECK_SAYS("#pragma omp parallel for\n#pragma omp simd", "1:2: warning: OpenMP's pragmas are ignored");
    CHECK_SAYS("#pragma other \"x\"", "1:2: warning: unknown pragma 'other' is ignored");
    CHECK_SAYS("#pragma pack 1", "warning: #pragma pack needs parentheses and is ignored");
}

TEST(the_pragma_operator_is_a_pragma)
{
    CHECK_EXPANDS("a _Pragma(\"rill parallel\") b", "a <rill parallel> b");
    CHECK_EXPANDS("#define P(x) _Pragma(#x)\n#define LOOP P(rill block_dim(32)) for\nx LOOP y",
                  "x <rill block_dim(32)> for y");
    CHECK_EXPANDS("_Pragma(\"pack(2)\") _Pragma(\"message \\\"x\\\"\") c", "<pack 2> c");
    CHECK_EXPANDS("#define f(x) <x>\nf(_Pragma(\"rill serial\") 1)", "< <rill serial> 1 >");
    CHECK_SAYS("_Pragma(x)", "1:1: error: _Pragma takes a string in parentheses");
    CHECK_SAYS("_Pragma", "error: _Pragma takes a string in parentheses");
}

TEST(predefined_macros_are_there)
{
    CHECK_EXPANDS("__STDC__ __STDC_VERSION__ __STDC_HOSTED__ __RILL__", "1 199901L 1 1");
    CHECK_EXPANDS("__COUNTER__ __COUNTER__ __COUNTER__", "0 1 2");
    CHECK_EXPANDS("__DATE__ ; __TIME__", "\"Jan  1 1970\" ; \"00:00:00\"");
    CHECK_EXPANDS("#ifdef __GNUC__\nno\n#endif\n#if __SIZEOF_LONG__ == 8 && __CHAR_BIT__ == 8 && __LP64__\nyes\n#endif",
                  "yes");
    CHECK_EXPANDS("#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__\nyes\n#endif", "yes");
    CHECK_EXPANDS("#define line __LINE__\n\nline", "3");
}

TEST(definitions_come_from_the_options)
{
    static const struct preprocess_define defines[] = {{"N", "16"}, {"FLAG", NULL}, {"F(x)", "x+1"}};
    struct tokens tokens;
    tokens_init(&tokens, "N FLAG F(2)", 11, &(struct preprocess_options){.defines = defines, .define_count = 3});
    CHECK_STR(tokens_text(&tokens), "16 1 2 + 1");
    CHECK_STR(tokens_messages(&tokens), "");
    tokens_finish(&tokens);
}

// ---- includes ------------------------------------------------------------------------------------------------------

#define MEMORY(name, text) {(name), (text), sizeof(text) - 1}
static const struct preprocess_header memory[] = {
    MEMORY("a.h", "A_H __FILE__\n#include \"sub/b.h\"\n"),
    MEMORY("sub/b.h", "B_H\n#include \"c.h\"\n"),
    MEMORY("sub/c.h", "C_H\n"),
    MEMORY("once.h", "#pragma once\nONCE\n"),
    MEMORY("guard.h", "#ifndef G\n#define G\nGUARD\n#endif\n"),
    MEMORY("open.h", "#if 1\nx\n"),
    MEMORY("call.h", "f(1"),
    MEMORY("self.h", "#include \"self.h\"\n"),
};

static bool expands_with_memory(const char *text, const char *expected, const char *messages)
{
    struct preprocess_options options = {.headers = memory, .header_count = 8, .no_disk = true};
    struct tokens tokens;
    tokens_init(&tokens, text, strlen(text), &options);
    bool same = CHECK_STR(tokens_text(&tokens), expected);
    bool said = messages[0] == '\0' ? CHECK_STR(tokens_messages(&tokens), "")
                                    : CHECK_CONTAINS(tokens_messages(&tokens), messages);
    tokens_finish(&tokens);
    return same && said;
}

TEST(headers_come_from_memory_beside_the_one_that_includes)
{
    expands_with_memory("#include \"a.h\"\nmain", "A_H \"a.h\" B_H C_H main", "");
    expands_with_memory("#include <sub/c.h>\n", "C_H", "");
    expands_with_memory("#define H \"sub/c.h\"\n#include H\n#define L <sub/\n#include L c.h>\n", "C_H",
                        "there is no header");
    expands_with_memory("#define X sub/c.h\n#include <X>\n", "", "there is no header <X>");
    expands_with_memory("#define h <sub/c.h>\n#include h\n", "C_H", "");
}

TEST(once_and_guards_keep_a_header_out)
{
    expands_with_memory("#include \"once.h\"\n#include \"once.h\"\n", "ONCE", "");
    expands_with_memory("#include \"guard.h\"\n#include \"guard.h\"\n", "GUARD", "");
}

TEST(a_file_ends_what_it_began)
{
    expands_with_memory("#include \"open.h\"\ny", "x y", "1:2: error: this #if has no #endif");
    expands_with_memory("#define f(x) <x>\n#include \"call.h\"\n) y", "f ) y",
                        "error: the arguments of the macro 'f' do not end");
}

TEST(bad_includes_are_errors_and_the_file_goes_on)
{
    expands_with_memory("#include \"none.h\"\nx", "x", "1:10: error: there is no header \"none.h\"");
    expands_with_memory("#include <none.h>\nx", "x", "error: there is no header <none.h>");
    expands_with_memory("#include\nx", "x", "error: #include needs \"name\" or <name>");
    expands_with_memory("#include x\nx", "x", "error: #include needs \"name\" or <name>");
    expands_with_memory("#include \"\"\nx", "x", "error: #include needs \"name\" or <name>");
    expands_with_memory("#include \"sub/c.h\" y\nx", "C_H x", "1:20: warning: #include takes nothing more");
}

TEST(has_include_asks_for_a_header)
{
    expands_with_memory("#if defined __has_include && __has_include(\"a.h\") && !__has_include(<none.h>)\nyes\n#endif",
                        "yes", "");
    expands_with_memory("#if __has_include(<math.h>)\nyes\n#endif", "yes", "");
}

TEST(if_asks_what_the_compiler_has)
{
    static const struct {
        const char *question;
        const char *answer;
    } rows[] = {
        {"__has_attribute(packed)", "1"},
        {"__has_attribute(__always_inline__)", "1"},
        {"__has_attribute(gnu::aligned)", "1"},
        {"__has_attribute(cleanup)", "0"},
        {"__has_attribute(constructor)", "0"},
        {"__has_attribute(no_such)", "0"},
        {"__has_c_attribute(nodiscard)", "202003L"},
        {"__has_c_attribute(__noreturn__)", "202202L"},
        {"__has_c_attribute(packed)", "0"},
        {"__has_c_attribute(gnu::packed)", "1"},
        {"__has_c_attribute(msvc::packed)", "0"},
        {"__has_builtin(__builtin_expect)", "1"},
        {"__has_builtin(__builtin_popcountll)", "1"},
        {"__has_builtin(__builtin_uaddl_overflow)", "1"},
        {"__has_builtin(__builtin_memcpy)", "1"},
        {"__has_builtin(__builtin_sqrtf)", "1"},
        {"__has_builtin(__builtin_offsetof)", "1"},
        {"__has_builtin(__builtin_return_address)", "0"},
        {"__has_builtin(memcpy)", "0"},
        {"__has_feature(c_static_assert)", "1"},
        {"__has_feature(address_sanitizer)", "0"},
        {"__has_extension(attribute_ext_vector_type)", "1"},
        {"!defined __has_feature", "0"},
        {"defined(__has_builtin) && defined __has_attribute", "1"},
        {"defined __has_c_attribute && defined __has_extension", "1"},
        {"0 && __has_attribute(a::b)", "0"},
        {"HAS(noinline)", "1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(text, sizeof text, "#define HAS(x) __has_attribute(x)\n#if (%s) == %s\nyes\n#endif", rows[i].question,
                 rows[i].answer);
        expands_with_memory(text, "yes", "");
    }
    expands_with_memory("#define packed no_such\n#if __has_attribute(packed)\nyes\n#endif", "yes", "");
    expands_with_memory("#ifndef __has_builtin\nno\n#elif __has_builtin(__builtin_trap)\nyes\n#endif", "yes", "");
    expands_with_memory("#define __has_builtin(x) 0\n#if __has_builtin(__builtin_trap)\nno\n#endif\nyes", "yes", "");
    expands_with_memory("#if __has_attribute\n#endif", "",
                        "1:5: error: #if: __has_attribute needs a name in parentheses");
    expands_with_memory("#if __has_builtin(3)\n#endif", "",
                        "1:5: error: #if: __has_builtin needs a name in parentheses");
    expands_with_memory("#if __has_builtin(x\n#endif\ny", "y",
                        "1:5: error: #if: __has_builtin needs a name in parentheses");
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    fputs(text, file);
    fclose(file);
}

TEST(headers_come_from_the_disk_by_the_search_order)
{
    char root[] = "/tmp/rill-preprocess-XXXXXX";
    REQUIRE(mkdtemp(root) != NULL);
    char path[5][128];
    snprintf(path[0], sizeof path[0], "%s/inc", root);
    mkdir(path[0], 0700);
    snprintf(path[1], sizeof path[1], "%s/main.c", root);
    snprintf(path[2], sizeof path[2], "%s/a.h", root);
    snprintf(path[3], sizeof path[3], "%s/inc/a.h", root);
    snprintf(path[4], sizeof path[4], "%s/inc/b.h", root);
    write_file(path[2], "beside\n");
    write_file(path[3], "in_inc\n");
    write_file(path[4], "#include \"a.h\"\n");
    const char *text = "#include \"a.h\"\n#include <a.h>\n#include \"b.h\"\n#include \"inc\"\n";
    const char *dirs[] = {path[0]};
    struct tokens tokens;
    arena_init(&tokens.arena);
    diags_init(&tokens.diags, &tokens.arena);
    preprocess(&tokens.arena, &tokens.diags, path[1], text, strlen(text),
               &(struct preprocess_options){.include_dirs = dirs, .include_dir_count = 1}, &tokens.list);
    CHECK_STR(tokens_text(&tokens), "beside in_inc in_inc");
    CHECK_CONTAINS(tokens_messages(&tokens), "4:10: error: there is no header \"inc\"");
    tokens_finish(&tokens);
    unlink(path[4]);
    unlink(path[3]);
    unlink(path[2]);
    rmdir(path[0]);
    rmdir(root);
}

// ---- limits --------------------------------------------------------------------------------------------------------

static bool text_says(const char *text, size_t length, const char *part)
{
    struct tokens tokens;
    tokens_init(&tokens, text, length,
                &(struct preprocess_options){.headers = memory, .header_count = 8, .no_disk = true});
    bool says = CHECK_CONTAINS(tokens_messages(&tokens), part);
    CHECK_INT(tokens.list.items[tokens.list.count - 1].kind, TOKEN_EOF);
    tokens_finish(&tokens);
    return says;
}

TEST(include_depth_is_limited)
{
    const char *text = "#include \"self.h\"";
    text_says(text, strlen(text), "error: includes are nested more than 64 deep; does self.h include itself?");
}

TEST(macro_depth_is_limited)
{
    struct str text;
    struct arena arena;
    arena_init(&arena);
    str_init(&text, &arena);
    for (int i = 0; i < LANG_MAX_MACRO_DEPTH + 1; i++) {
        str_printf(&text, "#define m%d m%d\n", i, i + 1);
    }
    str_add(&text, "m1\n");
    struct tokens tokens;
    tokens_init(&tokens, text.text, text.length, NULL);
    CHECK_STR(tokens_text(&tokens), "m513"); // exactly as deep as it may be
    CHECK_STR(tokens_messages(&tokens), "");
    tokens_finish(&tokens);
    str_add(&text, "m0\n");
    text_says(text.text, text.length, "error: macros are nested more than 512 deep here");
    struct str nested;
    str_init(&nested, &arena);
    str_add(&nested, "#define f(x) x\n");
    for (int i = 0; i < 2000; i++) {
        str_add(&nested, "f(");
    }
    text_says(nested.text, nested.length, "do not end");
    for (int i = 0; i < 2000; i++) {
        str_add(&nested, ")");
    }
    text_says(nested.text, nested.length, "error: macros are nested more than 512 deep here");
    arena_finish(&arena);
}

TEST(file_size_is_limited)
{
    size_t length = LANG_MAX_FILE_SIZE + 1;
    char *text = malloc(length + 1);
    memset(text, '\n', length);
    text[length] = '\0';
    text_says(text, length, "error: t.c is larger than 16 MiB");
    struct tokens tokens;
    tokens_init(&tokens, text, LANG_MAX_FILE_SIZE, NULL);
    CHECK_STR(tokens_messages(&tokens), "");
    tokens_finish(&tokens);
    free(text);
}

TEST(token_count_is_limited)
{
    size_t length = 2 * (size_t)(LANG_MAX_TOKENS + 1);
    char *text = malloc(length + 1);
    for (size_t i = 0; i < length; i++) {
        text[i] = i % 2 == 0 ? ';' : '\n';
    }
    text[length] = '\0';
    text_says(text, length, "error: the file has more than 2097152 tokens");
    free(text);
}

TEST(expansions_that_explode_are_given_up)
{
    struct arena arena;
    struct str text;
    arena_init(&arena);
    str_init(&text, &arena);
    str_add(&text, "#define f0(x)\n#define s0(x) x\n#define s(x) #x\n#define p0(x) x\n");
    for (int i = 1; i < 60; i++) {
        str_printf(&text, "#define f%d(x) f%d(x x)\n#define s%d(x) s%d(s(x x))\n", i, i - 1, i, i - 1);
    }
    size_t start = text.length;
    str_add(&text, "f59(1)\n");
    text_says(text.text, text.length, "error: macros and includes make more than 8000000 tokens");
    text.length = start;
    str_add(&text, "s59(1)\n");
    text_says(text.text, text.length, "error: macros and includes make more than 8000000 tokens");
    arena_finish(&arena);
}

TEST(deep_expressions_are_refused)
{
    struct arena arena;
    struct str text;
    arena_init(&arena);
    str_init(&text, &arena);
    static const char *const repeated[] = {"(", "- ", "1 ? "};
    for (int k = 0; k < 3; k++) {
        text.length = 0;
        str_add(&text, "#if ");
        for (int i = 0; i < 10000; i++) {
            str_add(&text, repeated[k]);
        }
        str_add(&text, "1\n#endif\n");
        text_says(text.text, text.length, "error: #if: the expression is nested too deeply");
    }
    arena_finish(&arena);
}

static bool survives(uint64_t fail_after)
{
    static const char text[] = "#define f(x, ...) #x x##1 __VA_ARGS__\n#include \"a.h\"\n#line 3 \"q\"\n"
                               "f(a, \"b\", 3) _Pragma(\"rill serial\") 1.5 'c' @\n#if 1 + f(2)\n";
    struct preprocess_options options = {.headers = memory, .header_count = 8, .no_disk = true};
    struct arena arena;
    jmp_buf escape;
    arena_init(&arena);
    arena.fail_after = fail_after;
    arena.escape = &escape;
    if (setjmp(escape) != 0) {
        arena_finish(&arena);
        return false;
    }
    struct diags diags;
    struct token_list list;
    diags_init(&diags, &arena);
    preprocess(&arena, &diags, "t.c", text, sizeof text - 1, &options, &list);
    arena_finish(&arena);
    return true;
}

// The n-th allocation fails, for every n: the arena's owner gets control back, and nothing is lost.
TEST(running_out_of_memory_leaves_through_the_arena)
{
    uint64_t n = 1;
    while (n < 5000 && !survives(n)) {
        n++;
    }
    CHECK(n > 100 && n < 5000);
}

// ---- messages as they are shown
// --------------------------------------------------------------------------------------

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return NULL;
    }
    char *text = calloc(1, 1 << 16);
    size_t length = fread(text, 1, (1 << 16) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

// x.c with x.err: the messages, rendered, are x.err. RILL_TEST_UPDATE=1 writes what they are now.
static void check_pair(const char *folder, const char *name)
{
    char source[512], expected[512];
    snprintf(source, sizeof source, "%s/%s.c", folder, name);
    snprintf(expected, sizeof expected, "%s/%s.err", folder, name);
    char *text = read_text(source), *wanted = read_text(expected);
    REQUIRE(text != NULL && wanted != NULL);
    struct tokens tokens;
    struct str out;
    arena_init(&tokens.arena);
    diags_init(&tokens.diags, &tokens.arena);
    str_init(&out, &tokens.arena);
    preprocess(&tokens.arena, &tokens.diags, arena_printf(&tokens.arena, "%s.c", name), text, strlen(text), NULL,
               &tokens.list);
    diags_render_all(&tokens.diags, false, &out);
    if (getenv("RILL_TEST_UPDATE") != NULL) {
        FILE *file = fopen(expected, "w");
        REQUIRE(file != NULL);
        fputs(str_text(&out), file);
        fclose(file);
    } else {
        CHECK_STR(str_text(&out), wanted);
    }
    tokens_finish(&tokens);
    free(text);
    free(wanted);
}

TEST(messages_are_those_of_the_err_files)
{
    const char *folder = RILL_SOURCE_DIR "/tests/lang/preprocess";
    DIR *dir = opendir(folder);
    REQUIRE(dir != NULL);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".err") == 0) {
            *dot = '\0';
            check_pair(folder, entry->d_name);
            count++;
        }
    }
    closedir(dir);
    CHECK(count >= 3);
}

// ---- stream_parallel -----------------------------------------------------------------------------------------------

static int count_kind(const char *text, enum token_kind kind)
{
    struct tokens tokens;
    tokens_init(&tokens, text, strlen(text), NULL);
    int count = 0;
    for (int i = 0; i < tokens.list.count; i++) {
        count += tokens.list.items[i].kind == kind;
    }
    CHECK_STR(tokens_messages(&tokens), "");
    tokens_finish(&tokens);
    return count;
}

TEST(stream_parallel_is_a_word_only_before_a_block_and_after_kernel_h)
{
#define KERNEL "#include <rill/kernel.h>\n"
    CHECK_INT(count_kind(KERNEL "stream_parallel { }", TOKEN_KW_STREAM_PARALLEL), 1);
    CHECK_INT(count_kind(KERNEL "stream_parallel\n/* x */ { }", TOKEN_KW_STREAM_PARALLEL), 1);
    CHECK_INT(count_kind(KERNEL "int stream_parallel; s.stream_parallel = 1; stream_parallel (x) {",
                         TOKEN_KW_STREAM_PARALLEL),
              0);
    CHECK_INT(count_kind(KERNEL "struct stream_parallel { int a; };", TOKEN_KW_STREAM_PARALLEL), 0);
    CHECK_INT(count_kind(KERNEL "RILL_STREAM_PARALLEL { } RILL_STREAM_PARALLEL x", TOKEN_KW_STREAM_PARALLEL), 2);
    CHECK_INT(count_kind(KERNEL "#define BLOCK stream_parallel {\nBLOCK }", TOKEN_KW_STREAM_PARALLEL), 1);
    CHECK_INT(count_kind("stream_parallel { }", TOKEN_KW_STREAM_PARALLEL), 0);
    CHECK_INT(count_kind("#define RILL_NO_SHORT_NAMES\n" KERNEL "stream_parallel { } kernel", TOKEN_KW_STREAM_PARALLEL),
              0);
    CHECK_INT(count_kind("#define RILL_NO_SHORT_NAMES\n" KERNEL "kernel RILL_KERNEL", TOKEN_KW_KERNEL), 1);
    CHECK_INT(count_kind(KERNEL "kernel void f(void);", TOKEN_KW_KERNEL), 1);
    CHECK_INT(count_kind("kernel", TOKEN_KW_KERNEL), 0);
}

TEST(a_file_cannot_turn_on_the_short_names_itself)
{
    CHECK_EXPANDS("#pragma rill short_names\nstream_parallel {", "<rill short_names> stream_parallel {");
    CHECK_INT(count_kind("#pragma rill short_names\nstream_parallel {", TOKEN_KW_STREAM_PARALLEL), 0);
}
