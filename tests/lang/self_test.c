// The parser reads its own source: real C, some 6,000 lines of it, without a complaint.
#include "support.h"

#include "lang/preprocess.h"

#include <glob.h>

static void check_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    static char text[1 << 20];
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    struct parsed parsed = {0};
    arena_init(&parsed.arena);
    diags_init(&parsed.diags, &parsed.arena);
    static const char *const folders[] = {RILL_SOURCE_DIR "/src", RILL_SOURCE_DIR "/include"};
    struct preprocess_options options = {.include_dirs = folders, .include_dir_count = 2};
    struct token_list tokens = {0};
    preprocess(&parsed.arena, &parsed.diags, path, text, length, &options, &tokens);
    parsed.unit = parse_unit(&parsed.arena, &parsed.diags, &tokens);
    if (!CHECK_STR(parsed_messages(&parsed), "")) {
        printf("  in %s\n", path);
    }
    parsed_finish(&parsed);
}

TEST(the_parser_accepts_its_own_source)
{
    static const char *const patterns[] = {"types*",      "scope*",     "parse*",   "declare*",   "init*",
                                           "expression*", "statement*", "convert*", "constants*", "builtin*"};
    int count = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char pattern[4096];
        snprintf(pattern, sizeof pattern, RILL_SOURCE_DIR "/src/lang/%s.c", patterns[i]);
        glob_t found;
        REQUIRE(glob(pattern, 0, NULL, &found) == 0);
        for (size_t k = 0; k < found.gl_pathc; k++) {
            check_file(found.gl_pathv[k]);
            count++;
        }
        globfree(&found);
    }
    CHECK(count >= 20);
}
