#include "tokens.h"

#include "lang/lex.h"

#include <locale.h>

// The first token of |text|, which must make no message.
static struct token first(const char *text)
{
    struct tokens tokens;
    tokens_init(&tokens, text, strlen(text), NULL);
    CHECK_STR(tokens_messages(&tokens), "");
    struct token token = tokens.list.items[0];
    token.text = NULL;
    tokens_finish(&tokens);
    return token;
}

TEST(every_keyword_and_punctuator_is_its_own_token)
{
    static const struct {
        const char *spelling;
        enum token_kind kind;
    } all[] = {
#define ENTRY(name, spelling) {spelling, TOKEN_##name},
#define ENTRY_KW(name, spelling) {spelling, TOKEN_KW_##name},
        TOKEN_KEYWORD_LIST(ENTRY_KW) TOKEN_PUNCT_LIST(ENTRY)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!CHECK_INT(first(all[i].spelling).kind, all[i].kind)) {
            printf("  of %s\n", all[i].spelling);
        }
    }
}

TEST(alternate_spellings_of_keywords_are_keywords)
{
    CHECK_INT(first("__const").kind, TOKEN_KW_CONST);
    CHECK_INT(first("__inline__").kind, TOKEN_KW_INLINE);
    CHECK_INT(first("__restrict").kind, TOKEN_KW_RESTRICT);
    CHECK_INT(first("__volatile__").kind, TOKEN_KW_VOLATILE);
    CHECK_INT(first("__signed__").kind, TOKEN_KW_SIGNED);
    CHECK_INT(first("__typeof").kind, TOKEN_KW_TYPEOF);
    CHECK_INT(first("__alignof__").kind, TOKEN_KW_ALIGNOF);
    CHECK_INT(first("typeof").kind, TOKEN_IDENT);
    CHECK_INT(first("asm").kind, TOKEN_IDENT);
}

TEST(punctuators_are_the_longest_that_fit)
{
    CHECK_EXPANDS("a+++++b", "a ++ ++ + b");
    CHECK_EXPANDS("a<<=b>>=c...d->e", "a <<= b >>= c ... d -> e");
    CHECK_EXPANDS("..", ". .");
    CHECK_EXPANDS("x--->y", "x -- -> y");
}

TEST(digraphs_mean_what_they_stand_for)
{
    CHECK_EXPANDS("<: :> <% %>", "[ ] { }");
    CHECK_EXPANDS("%: define a b\na", "b");
    CHECK_EXPANDS("#define glue(x, y) x %:%: y\nglue(a, b)", "ab");
    CHECK_EXPANDS("#define s(x) #x\ns(<: %>)", "\"<: %>\"");
}

TEST(comments_are_blanks)
{
    CHECK_EXPANDS("a/* b \n c */d // e\nf", "a d f");
    CHECK_EXPANDS("a//b\\\nc\nd", "a d");
    CHECK_EXPANDS("\"/* no */\" '/' /*/ x */ y", "\"/* no */\" '/' y");
    CHECK_SAYS("a\n  /* b", "2:3: error: this comment does not end");
}

TEST(lines_that_end_in_a_backslash_are_joined)
{
    CHECK_EXPANDS("in\\\nt x\\\r\ny", "int xy");
    CHECK_EXPANDS("+\\\n+ \"a\\\nb\"", "++ \"ab\"");
    CHECK_SAYS("a \\ \nb", "1:3: warning: blanks stand between the backslash and the end of the line");
}

TEST(places_count_the_lines_of_the_file)
{
    struct tokens tokens;
    const char *text = "a\\\n b\n/* x\ny */ c\n\td";
    tokens_init(&tokens, text, strlen(text), NULL);
    static const uint32_t places[][2] = {{1, 1}, {2, 2}, {4, 6}, {5, 2}};
    REQUIRE(tokens.list.count == 5);
    for (int i = 0; i < 4; i++) {
        CHECK_UINT(tokens.list.items[i].loc.line, places[i][0]);
        CHECK_UINT(tokens.list.items[i].loc.column, places[i][1]);
    }
    tokens_finish(&tokens);
}

TEST(trigraphs_stay_as_they_are_with_a_warning)
{
    CHECK_SAYS("a = b ?\?! c;", "1:7: warning: the trigraph ?\?! is not replaced");
    CHECK_SAYS("\"?\?/\"", "1:2: warning: the trigraph");
    CHECK_EXPANDS("\"?\?x\"", "\"?\?x\"");
}

struct int_case {
    const char *text;
    uint64_t value;
    const char *type; // of u, l, L (long long)
};

TEST(integer_constants_have_the_first_type_that_fits)
{
    static const struct int_case cases[] = {
        {"0", 0, ""},
        {"2147483647", 2147483647, ""},
        {"2147483648", 2147483648, "l"},
        {"0x7fffffff", 0x7fffffff, ""},
        {"0x80000000", 0x80000000, "u"},
        {"0xffffffff", 0xffffffff, "u"},
        {"0x100000000", 0x100000000, "l"},
        {"037777777777", 0xffffffff, "u"},
        {"0x8000000000000000", UINT64_C(1) << 63, "ul"},
        {"9223372036854775807", INT64_MAX, "l"},
        {"4294967295u", 4294967295, "u"},
        {"4294967296u", 4294967296, "ul"},
        {"1l", 1, "l"},
        {"1UL", 1, "ul"},
        {"1lu", 1, "ul"},
        {"1ll", 1, "L"},
        {"1uLL", 1, "uL"},
        {"0xffffffffffffffffLL", UINT64_MAX, "uL"},
        {"0b1011", 11, ""},
        {"0B11111111111111111111111111111111", 0xffffffff, "u"},
        {"0", 0, ""},
        {"00", 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct token token = first(cases[i].text);
        char type[8] = "";
        strcat(type, token.is_unsigned ? "u" : "");
        strcat(type, token.is_long ? "l" : "");
        strcat(type, token.is_long_long ? "L" : "");
        CHECK_INT(token.kind, TOKEN_INT);
        CHECK_UINT(token.u, cases[i].value);
        CHECK_STR(type, cases[i].type);
    }
}

TEST(bad_integers_are_errors_with_words)
{
    CHECK_SAYS("18446744073709551616", "error: the constant 18446744073709551616 does not fit into 64 bits");
    CHECK_SAYS("9223372036854775808", "warning: 9223372036854775808 fits no signed type and is taken as unsigned");
    CHECK_SAYS("089", "error: the digit 8 does not belong in the octal constant 089");
    CHECK_SAYS("0b12", "error: the digit 2 does not belong in the binary constant 0b12");
    CHECK_SAYS("0x", "error: the constant 0x has no digits");
    CHECK_SAYS("1lul", "error: the suffix \"lul\" of the integer constant 1lul is none that C has");
    CHECK_SAYS("1lL", "error: the suffix \"lL\"");
    CHECK_SAYS("12ab", "error: the suffix \"ab\"");
    CHECK_SAYS("3ii", "error: the suffix \"ii\" of the integer constant 3ii is none that C has");
    CHECK_SAYS("1.5ifj", "error: the suffix \"ifj\"");
}

TEST(floating_constants_are_rounded_once)
{
    CHECK(first("1.5").f == 1.5);
    CHECK(first("0.1").f == 0.1);
    CHECK(first("0.1f").f == (double)0.1f && first("0.1f").is_float32);
    CHECK(first("1e3L").f == 1000 && first("1e3L").is_long_double);
    CHECK(first(".5e-1").f == .5e-1);
    CHECK(first("5.").f == 5);
    CHECK(first("0x1.8p3").f == 12);
    CHECK(first("0x.8p0f").f == 0.5);
    CHECK(first("0X1P-1074").f == 0x1p-1074);
    CHECK(first("010.5").f == 10.5);
    CHECK(first("09e0").f == 9);
    // Rounded to double first and then to float, this would be 1.
    CHECK(first("1.00000005960464477539062500001f").f == (double)1.00000011920928955078125f);
    CHECK(first("0e5").f == 0);
}

TEST(bad_floats_are_errors_with_words)
{
    CHECK_SAYS("1e", "error: the exponent of 1e has no digits");
    CHECK_SAYS("1e+", "error: the exponent of 1e+ has no digits");
    CHECK_SAYS("0x1.8", "error: the hexadecimal floating constant 0x1.8 needs an exponent");
    CHECK_SAYS("0x.p1", "error: the constant 0x.p1 has no digits");
    CHECK_SAYS("1.2.3", "error: the suffix \".3\" of the floating constant 1.2.3 is none that C has");
    CHECK_SAYS("1.0fx", "error: the suffix \"fx\"");
    CHECK_SAYS("1e999", "warning: the constant 1e999 is beyond the range of double and becomes infinity");
    CHECK_SAYS("1e39f", "warning: the constant 1e39f is beyond the range of float");
    CHECK_SAYS("1e-50f", "warning: the constant 1e-50f is too small for float and becomes zero");
}

TEST(floating_constants_do_not_depend_on_the_locale)
{
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "pt_BR.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof commas / sizeof *commas && found == NULL; i++) {
        found = setlocale(LC_NUMERIC, commas[i]);
    }
    double value = first("1.5").f;
    setlocale(LC_NUMERIC, "C");
    CHECK(value == 1.5);
    if (found == NULL) {
        SKIP("no locale with a decimal comma is installed");
    }
}

TEST(character_constants_have_their_int_value)
{
    CHECK_INT((int64_t)first("'a'").u, 'a');
    CHECK_INT((int64_t)first("'\\n'").u, '\n');
    CHECK_INT((int64_t)first("'\\0'").u, 0);
    CHECK_INT((int64_t)first("'\\377'").u, -1);
    CHECK_INT((int64_t)first("'\\x80'").u, -128);
    CHECK_INT((int64_t)first("'\\''").u, '\'');
    CHECK_INT((int64_t)first("'\"'").u, '"');
    CHECK_INT((int64_t)first("'\\e'").u, 27);
    CHECK_INT((int64_t)first("L'\\xffff'").u, 0xffff);
    CHECK_INT((int64_t)first("L'\xc3\xa9'").u, 0xe9);
    CHECK_INT((int64_t)first("L'\\u00e9'").u, 0xe9);
    CHECK(first("L'a'").encoding == 'L');
    CHECK_INT((int64_t)first("u'\\uffff'").u, 0xffff);
    CHECK_INT((int64_t)first("U'\\xffffffff'").u, 0xffffffff);
    CHECK(first("u8'a'").encoding == '8');
    CHECK_SAYS("u'\\x10000'", "error: the escape \\x10000 is beyond the range of char16_t");
    CHECK_SAYS("u8'\u00e9'", "error: the character does not fit into one unit of UTF-8");
    CHECK_SAYS("'ab'", "warning: a character constant of several characters");
    CHECK_SAYS("''", "error: a character constant needs a character");
    CHECK_SAYS("'a", "1:1: error: the closing ' is missing");
    CHECK_SAYS("'\\400'", "error: the escape \\400 is beyond the range of char");
    CHECK_SAYS("'\\x'", "error: \\x needs hexadecimal digits after it");
}

TEST(strings_hold_their_bytes_and_are_joined)
{
    CHECK_EXPANDS("\"a\" \"b\"\n\"c\"", "\"abc\"");
    CHECK_EXPANDS("\"\\x41\" \"1\"", "\"A1\"");
    CHECK_EXPANDS("\"\\1012\"", "\"A2\"");
    CHECK_EXPANDS("\"a\" L\"b\"", "L\"ab\"");
    CHECK_EXPANDS("L\"\\u20ac\"", "L\"\\20254\"");
    CHECK_EXPANDS("\"\\u20ac\"", "\"\\342\\202\\254\"");
    CHECK_EXPANDS("\"\\a\\b\\f\\n\\r\\t\\v\\?\\\\\"", "\"\\7\\10\\14\\12\\15\\11\\13?\\134\"");
    CHECK_SAYS("L\"a\" u\"b\"", "1:6: error: string literals with different prefixes stand side by side");
    CHECK_SAYS("x = \"abc\ny", "1:5: error: the closing \" is missing");
    CHECK_SAYS("\"ab\\q\"", "1:4: warning: the escape \\q is unknown");
    CHECK_SAYS("\"\\u12\"", "error: \\u needs 4 hexadecimal digits");
    CHECK_SAYS("\"\\ud800\"", "error: \\ud800 is not a universal character name");
    CHECK_SAYS("\"\\u0041\"", "error: \\u0041 is not a universal character name");
}

TEST(a_string_may_hold_a_zero_byte)
{
    struct tokens tokens;
    tokens_init(&tokens, "\"a\\0b\"", 6, NULL);
    CHECK_UINT(tokens.list.items[0].length, 3);
    CHECK_MEM(tokens.list.items[0].text, "a\0b", 4);
    tokens_finish(&tokens);
}

TEST(identifiers_may_hold_letters_beyond_ascii)
{
    CHECK_EXPANDS("\xc3\xa9t\xc3\xa9 = $x;", "\xc3\xa9t\xc3\xa9 = $x ;");
    // Both spellings are one name.
    CHECK_EXPANDS("#define \\u00e9 7\n\xc3\xa9", "7");
    CHECK_SAYS("a \xc3\x97 b", "1:3: error: '\xc3\x97' does not belong here");
    CHECK_SAYS("a \xff b", "1:3: error: the byte 0xff does not belong here");
    CHECK_SAYS("a @ b", "1:3: error: '@' does not belong here");
}

TEST(zero_bytes_are_blanks_with_a_warning)
{
    struct tokens tokens;
    tokens_init(&tokens, "a\0b", 3, NULL);
    CHECK_STR(tokens_text(&tokens), "a b");
    CHECK_CONTAINS(tokens_messages(&tokens), "1:2: warning: a zero byte");
    tokens_finish(&tokens);
}

TEST(a_byte_order_mark_is_skipped)
{
    CHECK_EXPANDS("\xef\xbb\xbf#define a b\na", "b");
}

TEST(every_prefix_of_a_program_ends_in_the_end_of_file)
{
    static const char text[] = "#include <rill/kernel.h>\n#define f(x, ...) #x x##y __VA_ARGS__ \"\\x41\\u00e9\n"
                               "#if (1 + f(2)) && defined(x)\nkernel int a[0x1.8p3] = { L'\\xff', f(a, \"b\", c) };\n"
                               "#elif 0\n_Pragma(\"rill parallel\") /* c */ // d\n#endif\n%:%: ?\?= \\\n'";
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = malloc(length + 1); // so that the sanitizer sees a read past the end
        memcpy(copy, text, length);
        copy[length] = '\0';
        struct tokens tokens;
        tokens_init(&tokens, copy, length, NULL);
        CHECK_INT(tokens.list.items[tokens.list.count - 1].kind, TOKEN_EOF);
        tokens_finish(&tokens);
        free(copy);
    }
}

TEST(any_bytes_end_in_the_end_of_file)
{
    uint64_t state = 12345;
    for (int round = 0; round < 300; round++) {
        char bytes[257];
        for (int i = 0; i < 256; i++) {
            static const char likely[] = "#()\"'\\\n ,/*<>abcdefindul01.xL%:";
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            unsigned draw = (unsigned)(state >> 33);
            bytes[i] = draw % 4 == 0 ? (char)(draw >> 8) : likely[(draw >> 8) % (sizeof likely - 1)];
        }
        bytes[256] = '\0';
        struct tokens tokens;
        tokens_init(&tokens, bytes, 256, &(struct preprocess_options){.no_disk = true});
        CHECK_INT(tokens.list.items[tokens.list.count - 1].kind, TOKEN_EOF);
        struct str out;
        str_init(&out, &tokens.arena);
        diags_render_all(&tokens.diags, true, &out);
        tokens_finish(&tokens);
    }
}

TEST(tokens_describe_themselves)
{
    struct tokens tokens;
    const char *text = "x 12 += \"s\" while 'c'";
    tokens_init(&tokens, text, strlen(text), NULL);
    static const char *const words[] = {"identifier 'x'",         "constant 12", "'+='", "a string literal", "'while'",
                                        "character constant 'c'", "end of file"};
    for (int i = 0; i < 7; i++) {
        CHECK_STR(token_describe(&tokens.arena, &tokens.list.items[i]), words[i]);
    }
    tokens_finish(&tokens);
}

TEST(numbers_may_have_separators)
{
    CHECK_INT((int64_t)first("1'000'000").u, 1000000);
    CHECK_INT((int64_t)first("0xff'ff").u, 0xffff);
    CHECK_INT((int64_t)first("0b1010'0101").u, 165);
    CHECK(first("1'0.2'5").f == 10.25);
}

TEST(attributes_in_brackets_are_those_of_gnu_c)
{
    CHECK_EXPANDS("[[nodiscard]] int f", "__attribute__ ( ( nodiscard ) ) int f");
    CHECK_EXPANDS("[[gnu::aligned(8), x::y]]", "__attribute__ ( ( aligned ( 8 ) , y ) )");
    CHECK_EXPANDS("a[b[0]]", "a [ b [ 0 ] ]");
    CHECK_EXPANDS("[[]] [[a(b[1])]]", "__attribute__ ( ( ) ) __attribute__ ( ( a ( b [ 1 ] ) ) )");
}
