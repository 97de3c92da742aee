// The fuzzer's corpus, replayed: whatever the bytes, the front end survives.
#include "support.h"

#include "lang/preprocess.h"

#include <dirent.h>

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    static char text[1 << 20];
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    // A copy of exactly its size, so that a sanitizer sees a read beyond it.
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    struct arena arena;
    arena_init(&arena);
    struct diags diags;
    diags_init(&diags, &arena);
    struct preprocess_options options = {.no_disk = true};
    struct token_list tokens = {0};
    preprocess(&arena, &diags, "corpus.c", copy, length, &options, &tokens);
    struct unit *unit = parse_unit(&arena, &diags, &tokens);
    CHECK(unit != NULL || diags.error_count > 0);
    struct str out;
    str_init(&out, &arena);
    diags_render_all(&diags, false, &out);
    if (diags.error_count == 0) {
        astdump_unit(unit, &out);
    }
    arena_finish(&arena);
    free(copy);
}

TEST(every_file_of_the_corpus_is_survived)
{
    const char *folder = RILL_SOURCE_DIR "/tests/fuzz/corpus/lang";
    DIR *directory = opendir(folder);
    REQUIRE(directory != NULL);
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (entry->d_name[0] != '.') {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            replay(path);
            count++;
        }
    }
    closedir(directory);
    CHECK(count > 0);
}
