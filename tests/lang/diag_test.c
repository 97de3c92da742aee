#include "base/diag.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "test.h"

#include <string.h>

struct fixture {
    struct arena arena; // owned
    struct diags diags;
    uint32_t file;
};

static void fixture_init(struct fixture *f, const char *text)
{
    arena_init(&f->arena);
    diags_init(&f->diags, &f->arena);
    f->file = diags_add_file(&f->diags, (struct source_file){.path = "a.c", .text = text, .length = strlen(text)});
}

static void fixture_finish(struct fixture *f)
{
    arena_finish(&f->arena);
}

static const char *render(struct fixture *f, bool color)
{
    struct str out;
    str_init(&out, &f->arena);
    diags_render_all(&f->diags, color, &out);
    return str_text(&out);
}

// One error at |line|, |column| of |text|, rendered.
static void check_render(const char *text, uint32_t line, uint32_t column, const char *expected)
{
    struct fixture f;
    fixture_init(&f, text);
    diag_error(&f.diags, (struct loc){f.file, line, column}, "bad");
    CHECK_STR(render(&f, false), expected);
    fixture_finish(&f);
}

TEST(a_message_shows_the_line_and_a_caret)
{
    check_render("one\ntwo three\n", 2, 5, "a.c:2:5: error: bad\n    2 | two three\n      |     ^\n");
    check_render("one", 1, 1, "a.c:1:1: error: bad\n    1 | one\n      | ^\n");
    check_render("one", 1, 4, "a.c:1:4: error: bad\n    1 | one\n      |    ^\n"); // behind the end
    check_render("one\r\ntwo\r\n", 1, 2, "a.c:1:2: error: bad\n    1 | one\n      |  ^\n");
}

TEST(a_place_that_does_not_exist_shows_no_line)
{
    check_render("one\n", 7, 1, "a.c:7:1: error: bad\n");
    check_render("one\n", 0, 0, "error: bad\n");
    check_render("one", 1, 4000000000u, "a.c:1:4000000000: error: bad\n    1 | one\n      |    ^\n");
    struct fixture f;
    fixture_init(&f, "x");
    diag_error(&f.diags, (struct loc){99, 1, 1}, "bad");
    CHECK_STR(render(&f, false), "error: bad\n");
    fixture_finish(&f);
}

TEST(tabs_and_characters_beyond_ascii_keep_the_caret_in_place)
{
    check_render("\tx", 1, 2, "a.c:1:2: error: bad\n    1 |     x\n      |     ^\n");
    check_render("ab\tx", 1, 4, "a.c:1:4: error: bad\n    1 | ab  x\n      |     ^\n");
    check_render("\xc3\xa9 x", 1, 4, "a.c:1:4: error: bad\n    1 | \xc3\xa9 x\n      |   ^\n");
    check_render("\xe4\xb8\xad x", 1, 5,
                 "a.c:1:5: error: bad\n    1 | \xe4\xb8\xad x\n      |    ^\n");               // two columns wide
    check_render("e\xcc\x81x", 1, 4, "a.c:1:4: error: bad\n    1 | e\xcc\x81x\n      |  ^\n"); // an accent has none
}

TEST(control_bytes_and_broken_utf8_never_reach_the_terminal)
{
    check_render("a\x1b[31m x", 1, 3, "a.c:1:3: error: bad\n    1 | a\xef\xbf\xbd[31m x\n      |   ^\n");
    check_render("a\xff\xc3 x", 1, 5, "a.c:1:5: error: bad\n    1 | a\xef\xbf\xbd\xef\xbf\xbd x\n      |     ^\n");
    check_render("a\xe2\x80\xaex", 1, 5,
                 "a.c:1:5: error: bad\n    1 | a\xef\xbf\xbdx\n      |   ^\n"); // turns the text round
    struct fixture f;
    fixture_init(&f, "x");
    diag_error(&f.diags, (struct loc){f.file, 0, 0}, "name \x1b]0;%s\x07", "evil");
    CHECK_STR(render(&f, false), "error: name \xef\xbf\xbd]0;evil\xef\xbf\xbd\n");
    fixture_finish(&f);
}

TEST(long_lines_are_cut_around_the_column)
{
    char line[1001];
    memset(line, 'a', 1000);
    line[1000] = '\0';
    line[500] = 'X';
    struct fixture f;
    fixture_init(&f, line);
    diag_error(&f.diags, (struct loc){f.file, 1, 501}, "bad");
    const char *text = render(&f, false);
    CHECK(strlen(text) < 300);
    const char *shown = strchr(text, '\n') + 1;
    const char *caret = strchr(strchr(shown, '\n'), '^');
    const char *caret_line = strchr(shown, '\n') + 1;
    CHECK_CONTAINS(shown, "| ...aaa");
    CHECK_CONTAINS(shown, "aaa...\n");
    CHECK(caret != NULL && shown[caret - caret_line] == 'X');
    fixture_finish(&f);
}

TEST(the_caret_of_a_long_line_is_right_at_every_column)
{
    char line[401];
    for (int i = 0; i < 400; i++) {
        line[i] = i % 7 == 3 ? '\t' : (char)('a' + i % 26);
    }
    line[400] = '\0';
    for (uint32_t column = 1; column <= 400; column++) {
        if (line[column - 1] == '\t') {
            continue;
        }
        struct fixture f;
        fixture_init(&f, line);
        diag_error(&f.diags, (struct loc){f.file, 1, column}, "bad");
        const char *shown = strchr(render(&f, false), '\n') + 1;
        const char *caret_line = strchr(shown, '\n') + 1;
        const char *caret = strchr(caret_line, '^');
        CHECK(caret != NULL && shown[caret - caret_line] == line[column - 1]);
        fixture_finish(&f);
    }
}

TEST(notes_follow_their_message_and_color_is_optional)
{
    struct fixture f;
    fixture_init(&f, "one\ntwo\n");
    diag_warning(&f.diags, (struct loc){f.file, 1, 1}, "odd %d", 7);
    diag_note(&f.diags, (struct loc){f.file, 2, 1}, "see here");
    CHECK_STR(render(&f, false), "a.c:1:1: warning: odd 7\n    1 | one\n      | ^\n"
                                 "a.c:2:1: note: see here\n    2 | two\n      | ^\n");
    CHECK_CONTAINS(render(&f, true), "\x1b[1;35mwarning: \x1b[0modd 7");
    CHECK(strstr(render(&f, false), "\x1b") == NULL);
    CHECK_INT(f.diags.warning_count, 1);
    CHECK_INT(f.diags.error_count, 0);
    fixture_finish(&f);
}

TEST(after_the_limit_errors_are_only_counted_and_their_notes_dropped)
{
    struct fixture f;
    fixture_init(&f, "x");
    f.diags.error_limit = 2;
    for (int i = 0; i < 5; i++) {
        diag_error(&f.diags, (struct loc){f.file, 0, 0}, "e%d", i);
        diag_note(&f.diags, (struct loc){f.file, 0, 0}, "n%d", i);
    }
    CHECK_INT(f.diags.error_count, 5);
    CHECK_STR(render(&f, false), "error: e0\nnote: n0\nerror: e1\nnote: n1\n3 more errors are not shown\n");
    fixture_finish(&f);
    fixture_init(&f, "x");
    for (int i = 0; i < 60; i++) {
        diag_error(&f.diags, (struct loc){f.file, 0, 0}, "e%d", i);
    }
    CHECK_INT(f.diags.count, 50); // the default
    fixture_finish(&f);
}

TEST(built_in_headers_give_no_warnings_but_errors)
{
    struct fixture f;
    fixture_init(&f, "x");
    uint32_t header =
        diags_add_file(&f.diags, (struct source_file){.path = "<h>", .text = "y", .length = 1, .builtin = true});
    diag_warning(&f.diags, (struct loc){header, 1, 1}, "hidden");
    diag_note(&f.diags, (struct loc){header, 1, 1}, "hidden too");
    CHECK_INT(f.diags.count, 0);
    CHECK_INT(f.diags.warning_count, 0);
    diag_error(&f.diags, (struct loc){header, 1, 1}, "shown");
    CHECK_INT(f.diags.count, 1);
    fixture_finish(&f);
}

TEST(a_message_in_a_header_says_who_included_it)
{
    struct fixture f;
    fixture_init(&f, "main\n");
    struct source_file b = {.path = "b.h", .text = "b\n", .length = 2, .included_from = {f.file, 3, 1}};
    uint32_t b_file = diags_add_file(&f.diags, b);
    struct source_file c = {.path = "c.h", .text = "c\n", .length = 2, .included_from = {b_file, 1, 1}};
    uint32_t c_file = diags_add_file(&f.diags, c);
    diag_error(&f.diags, (struct loc){c_file, 1, 1}, "bad");
    CHECK_STR(render(&f, false), "In file included from b.h:1:\nIn file included from a.c:3:\n"
                                 "c.h:1:1: error: bad\n    1 | c\n      | ^\n");
    fixture_finish(&f);
}

TEST(the_nearest_name_is_suggested)
{
    static const char *const names[] = {"length", "width", "height", "n", "depth", "index"};
    CHECK_STR(diag_suggest("lenght", names, 6), "length");
    CHECK_STR(diag_suggest("Width", names, 6), "width");
    CHECK_STR(diag_suggest("heigh", names, 6), "height");
    CHECK_STR(diag_suggest("idx", names, 6), NULL);
    CHECK_STR(diag_suggest("m", names, 6), NULL);
    CHECK_STR(diag_suggest("completely", names, 6), NULL);
    CHECK_STR(diag_suggest("", names, 6), NULL);
    CHECK_STR(diag_suggest("x", names, 0), NULL);
}

TEST(the_distance_counts_slips)
{
    CHECK_INT(suggest_distance("abc", "abc", 9), 0);
    CHECK_INT(suggest_distance("abc", "abd", 9), 1);
    CHECK_INT(suggest_distance("abc", "acb", 9), 1); // neighbours swapped
    CHECK_INT(suggest_distance("abc", "ab", 9), 1);
    CHECK_INT(suggest_distance("abc", "xabc", 9), 1);
    CHECK_INT(suggest_distance("kitten", "sitting", 9), 3);
    CHECK_INT(suggest_distance("abc", "xyz", 1), 2); // beyond the limit
    char longer[100];
    memset(longer, 'a', 99);
    longer[99] = '\0';
    CHECK_INT(suggest_distance(longer, longer, 5), 6);
}

TEST(utf8_is_decoded_strictly)
{
    uint32_t code;
    CHECK_INT(utf8_decode("a", 1, &code), 1);
    CHECK_INT(utf8_decode("\xe2\x82\xac", 3, &code), 3);
    CHECK_UINT(code, 0x20ac);
    CHECK_INT(utf8_decode("\xf4\x8f\xbf\xbf", 4, &code), 4);
    CHECK_UINT(code, 0x10ffff);
    CHECK_INT(utf8_decode("\xe2\x82\xac", 2, &code), 0);     // cut off
    CHECK_INT(utf8_decode("\xc0\x80", 2, &code), 0);         // overlong
    CHECK_INT(utf8_decode("\xe0\x80\x80", 3, &code), 0);     //
    CHECK_INT(utf8_decode("\xed\xa0\x80", 3, &code), 0);     // a surrogate
    CHECK_INT(utf8_decode("\xf4\x90\x80\x80", 4, &code), 0); // too large
    CHECK_INT(utf8_decode("\x80", 1, &code), 0);
    CHECK_INT(utf8_decode("", 0, &code), 0);
    char bytes[4];
    for (uint32_t c = 0; c <= 0x10ffff; c += 0x3f) {
        if (c >= 0xd800 && c < 0xe000) {
            continue;
        }
        int size = utf8_encode(c, bytes);
        CHECK(utf8_decode(bytes, (size_t)size, &code) == size && code == c);
    }
}
