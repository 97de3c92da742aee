// Each cases/<name>.c gives exactly the text of cases/<name>.err, carets included. RILL_UPDATE=1 writes the .err files
// anew, to be looked at before they are committed.
#include "support.h"

#include <dirent.h>

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    size_t count = fread(text, 1, (size_t)size, file);
    text[count] = '\0';
    fclose(file);
    return text;
}

static void check_case(const char *folder, const char *name)
{
    char source[4096];
    char expected[4096];
    snprintf(source, sizeof source, "%s/%s.c", folder, name);
    snprintf(expected, sizeof expected, "%s/%s.err", folder, name);
    char *text = read_whole(source);
    REQUIRE(text != NULL);
    char path[300];
    snprintf(path, sizeof path, "%s.c", name);
    struct parsed parsed;
    parsed_init(&parsed, path, text);
    struct str out;
    str_init(&out, &parsed.arena);
    diags_render_all(&parsed.diags, false, &out);
    if (getenv("RILL_UPDATE") != NULL) {
        FILE *file = fopen(expected, "wb");
        REQUIRE(file != NULL);
        fputs(str_text(&out), file);
        fclose(file);
    }
    char *wanted = read_whole(expected);
    if (!CHECK(wanted != NULL) || !CHECK_STR(str_text(&out), wanted)) {
        printf("  in %s\n", source);
    }
    free(wanted);
    free(text);
    parsed_finish(&parsed);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

TEST(every_case_gives_the_messages_beside_it)
{
    const char *folder = RILL_SOURCE_DIR "/tests/lang/cases";
    DIR *directory = opendir(folder);
    REQUIRE(directory != NULL);
    char *names[500];
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL && count < 500; entry = readdir(directory)) {
        size_t length = strlen(entry->d_name);
        if (length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0) {
            names[count++] = strndup(entry->d_name, length - 2);
        }
    }
    closedir(directory);
    CHECK(count > 10);
    qsort(names, (size_t)count, sizeof *names, compare_names);
    for (int i = 0; i < count; i++) {
        check_case(folder, names[i]);
        free(names[i]);
    }
}
