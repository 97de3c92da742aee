// Held to gcc: seeded programs of macros that use each other, and the files of tests/lang/preprocess that have no .err
// beside them, are expanded by `gcc -E` and by the preprocessor; the tokens must be the same.
#include "tokens.h"

#include <dirent.h>
#include <unistd.h>

// ---- both sides ----------------------------------------------------------------------------------------------------

static char *read_all(FILE *file, size_t *out_length)
{
    size_t capacity = 1 << 16, length = 0, got;
    char *text = malloc(capacity);
    while ((got = fread(text + length, 1, capacity - length - 1, file)) > 0) {
        length += got;
        if (capacity - length < 2) {
            text = realloc(text, capacity *= 2);
        }
    }
    text[length] = '\0';
    *out_length = length;
    return text;
}

// What `gcc -E` makes of the file; NULL if it found an error.
static char *gcc_expansion(const char *path, size_t *out_length)
{
    char command[512];
    snprintf(command, sizeof command, "gcc -E -P -w -std=gnu99 -x c '%s' 2>/dev/null", path);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe != NULL);
    char *text = read_all(pipe, out_length);
    if (pclose(pipe) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static bool has_gcc(void)
{
    return system("gcc --version >/dev/null 2>&1") == 0;
}

static void init_from_path(struct tokens *tokens, const char *path, const char *text, size_t length)
{
    arena_init(&tokens->arena);
    diags_init(&tokens->diags, &tokens->arena);
    preprocess(&tokens->arena, &tokens->diags, path, text, length, NULL, &tokens->list);
}

enum outcome { SAME, DIFFERENT, REFUSED };

// Compares the two; REFUSED if either found an error, as most random uses of ## do.
static enum outcome compare(const char *path, const char *text, size_t length)
{
    size_t expected_length;
    char *expected_text = gcc_expansion(path, &expected_length);
    struct tokens actual;
    init_from_path(&actual, path, text, length);
    enum outcome outcome = REFUSED;
    if (expected_text != NULL && actual.diags.error_count == 0) {
        struct tokens expected;
        init_from_path(&expected, path, expected_text, expected_length); // only makes tokens of it
        bool same = CHECK_STR(tokens_text(&actual), tokens_text(&expected));
        outcome = same ? SAME : DIFFERENT;
        tokens_finish(&expected);
    }
    tokens_finish(&actual);
    free(expected_text);
    return outcome;
}

// ---- programs ------------------------------------------------------------------------------------------------------

enum { MACRO_COUNT = 7 };

struct generator {
    struct str out;
    uint64_t state;
    int arity[MACRO_COUNT]; // -1: object-like
    bool variadic[MACRO_COUNT];
    int param_count; // of the macro being written; 0 outside
    bool param_rest;
};

static unsigned draw(struct generator *g, unsigned count)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(g->state >> 33) % count;
}

static void add_tokens(struct generator *g, int depth);

static void add_use(struct generator *g, int depth)
{
    int macro = (int)draw(g, MACRO_COUNT);
    str_add_char(&g->out, (char)('A' + macro));
    if (g->arity[macro] < 0 || depth > 3 || draw(g, 4) == 0) {
        return;
    }
    int count = g->arity[macro] + (g->variadic[macro] ? (int)draw(g, 3) : 0);
    str_add(&g->out, draw(g, 5) == 0 ? " (" : "(");
    for (int i = 0; i < count; i++) {
        str_add(&g->out, i > 0 ? "," : "");
        add_tokens(g, depth + 1);
    }
    str_add_char(&g->out, ')');
}

static void add_param(struct generator *g)
{
    int count = g->param_count + g->param_rest;
    int param = (int)draw(g, (unsigned)count);
    str_add(&g->out, param == g->param_count ? "__VA_ARGS__" : param == 0 ? "p" : "q");
}

static void add_tokens(struct generator *g, int depth)
{
    static const char *const plain[] = {"x", "y", "1", "+", "(a)", "(a, b)", "\"s\\n\"", "'\\''", "z", "->"};
    int count = (int)draw(g, depth == 0 ? 6 : 3);
    bool has_params = g->param_count + g->param_rest > 0;
    for (int i = 0; i < count; i++) {
        str_add_char(&g->out, ' ');
        unsigned kind = draw(g, 10);
        if (kind < 4 && has_params) {
            str_add(&g->out, depth == 0 && draw(g, 6) == 0 ? "#" : "");
            add_param(g);
            if (draw(g, 6) == 0) {
                str_add(&g->out, " ## ");
                add_param(g);
            }
        } else if (kind < 8) {
            add_use(g, depth);
        } else {
            str_add(&g->out, plain[draw(g, sizeof plain / sizeof *plain)]);
        }
    }
}

static void add_definition(struct generator *g, int macro)
{
    str_printf(&g->out, "#define %c", 'A' + macro);
    g->param_count = g->arity[macro] < 0 ? 0 : g->arity[macro];
    g->param_rest = g->variadic[macro];
    if (g->arity[macro] >= 0) {
        static const char *const lists[] = {"", "p", "p, q"};
        str_printf(&g->out, "(%s%s%s)", lists[g->param_count], g->param_rest && g->param_count > 0 ? ", " : "",
                   g->param_rest ? "..." : "");
    }
    add_tokens(g, 0);
    if (g->param_rest && draw(g, 2) == 0) {
        str_add(&g->out, " , ## __VA_ARGS__");
    }
    str_add_char(&g->out, '\n');
    g->param_count = 0;
    g->param_rest = false;
}

static void add_program(struct generator *g)
{
    for (int i = 0; i < MACRO_COUNT; i++) {
        g->arity[i] = draw(g, 3) == 0 ? -1 : (int)draw(g, 3);
        g->variadic[i] = g->arity[i] >= 0 && draw(g, 3) == 0;
    }
    for (int i = 0; i < MACRO_COUNT; i++) {
        add_definition(g, i);
    }
    for (int i = 0; i < 6; i++) {
        add_tokens(g, 0);
        str_add(&g->out, ";\n");
    }
}

// Stringizing an argument that was expanded shows where the expansion left blanks, which C leaves open: the blanks
// inside the strings are not compared.
static void drop_blanks(char *text)
{
    char *to = text;
    for (; *text != '\0'; text++) {
        if (*text != ' ') {
            *to++ = *text;
        }
    }
    *to = '\0';
}

static enum outcome compare_seed(uint64_t seed, const char *path)
{
    struct arena arena;
    struct generator g = {.state = seed * 7919 + 1};
    arena_init(&arena);
    str_init(&g.out, &arena);
    add_program(&g);
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    fputs(g.out.text, file);
    fclose(file);

    size_t expected_length;
    char *expected_text = gcc_expansion(path, &expected_length);
    struct tokens actual, expected;
    init_from_path(&actual, path, g.out.text, g.out.length);
    enum outcome outcome = REFUSED;
    if (expected_text != NULL && actual.diags.error_count == 0) {
        init_from_path(&expected, path, expected_text, expected_length);
        char *a = arena_strdup(&arena, tokens_text(&actual)), *b = arena_strdup(&arena, tokens_text(&expected));
        drop_blanks(a);
        drop_blanks(b);
        outcome = CHECK_STR(a, b) ? SAME : DIFFERENT;
        tokens_finish(&expected);
    }
    if (outcome == DIFFERENT) {
        FAIL("seed %llu:\n%s", (unsigned long long)seed, g.out.text);
    }
    tokens_finish(&actual);
    free(expected_text);
    arena_finish(&arena);
    return outcome;
}

TEST(random_macros_expand_as_gcc_expands_them)
{
    if (!has_gcc()) {
        SKIP("there is no gcc");
    }
    char path[] = "/tmp/rill-macros-XXXXXX";
    int handle = mkstemp(path);
    REQUIRE(handle >= 0);
    close(handle);
    const char *wanted = getenv("RILL_TEST_SEEDS");
    uint64_t count = wanted != NULL ? strtoull(wanted, NULL, 10) : 60;
    uint64_t same = 0;
    for (uint64_t seed = 1; seed <= count; seed++) {
        same += compare_seed(seed, path) == SAME;
    }
    CHECK(same > count / 4); // most of the others paste what cannot be pasted
    unlink(path);
}

TEST(the_files_expand_as_gcc_expands_them)
{
    if (!has_gcc()) {
        SKIP("there is no gcc");
    }
    const char *folder = RILL_SOURCE_DIR "/tests/lang/preprocess";
    DIR *dir = opendir(folder);
    REQUIRE(dir != NULL);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 2, ".c") != 0) {
            continue;
        }
        char path[512], pair[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        snprintf(pair, sizeof pair, "%s/%.*s.err", folder, (int)length - 2, entry->d_name);
        if (access(pair, F_OK) == 0) {
            continue;
        }
        FILE *file = fopen(path, "r");
        REQUIRE(file != NULL);
        size_t size;
        char *text = read_all(file, &size);
        fclose(file);
        if (compare(path, text, size) != SAME) {
            FAIL("%s", path);
        }
        free(text);
        count++;
    }
    closedir(dir);
    CHECK(count >= 4);
}
