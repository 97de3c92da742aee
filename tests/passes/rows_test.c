// Every row of the pass list by examples: IR in, IR out. A case is one file, cases/rows/PASS/NAME.ir:
//
//     ; run analyse atomics          the passes to run, in the list's order; the last is the one that is shown
//     ; any comment, the C that the code comes from for one
//     rill-ir 1
//     …                              the IR before them
//     ; ---- behind
//     rill-ir 1
//     …                              the IR behind them, what they know beside it in comments, and what they said
//
// The word `gpu` after the passes plans for a GPU, `parts` lets no loop run whole. RILL_TEST_WRITE=1 writes what stands
// behind.
#include "compiler/pipeline.h"
#include "lower_case.h"

#define ROWS CASES "rows/"
#define BEHIND "; ---- behind\n"

struct row_case {
    struct arena arena;
    struct diags diags;
    const char *text; // of the file
    const char *input;
    const char *expected; // "" if there is none yet
    struct pipeline_options options;
    struct pass_set passes;
    int last; // the row that is shown
};

// ---- reading -------------------------------------------------------------------------------------------------------

static bool take_word(struct row_case *c, const char *word, size_t length)
{
    int row = pass_find(word, length);
    if (length == 3 && memcmp(word, "gpu", 3) == 0) {
        c->options.is_gpu = true;
    } else if (length == 5 && memcmp(word, "parts", 5) == 0) {
        c->options.never_whole = true;
    } else if (row <= c->last) {
        return FAIL("'%.*s' is no pass, or it runs before '%s'", (int)length, word, pass_list[c->last].name);
    } else {
        c->passes.has[row] = true;
        c->last = row;
    }
    return true;
}

static bool take_first_line(struct row_case *c)
{
    const char *end = c->text + strcspn(c->text, "\n");
    if (strncmp(c->text, "; run ", 6) != 0) {
        return FAIL("the first line does not say which passes to run");
    }
    for (const char *word = c->text + 6; word < end;) {
        size_t length = strcspn(word, " \n");
        if (length > 0 && !take_word(c, word, length)) {
            return false;
        }
        word += length + strspn(word + length, " ");
    }
    return true;
}

static bool read_case(struct row_case *c, const char *path)
{
    *c = (struct row_case){.last = 0};
    arena_init(&c->arena);
    diags_init(&c->diags, &c->arena);
    size_t length = 0;
    c->text = case_read(&c->arena, path, &length);
    if (c->text == NULL || !take_first_line(c)) {
        return false;
    }
    const char *behind = strstr(c->text, BEHIND);
    size_t before = behind != NULL ? (size_t)(behind - c->text) : length;
    c->input = arena_strndup(&c->arena, c->text, before);
    c->expected = behind != NULL ? behind + strlen(BEHIND) : "";
    c->options.passes = &c->passes;
    return true;
}

// ---- running -------------------------------------------------------------------------------------------------------

static void add_diagnostics(const struct diags *diags, struct str *out)
{
    static const char *const names[] = {"note", "warning", "error"};
    for (int i = 0; i < diags->count; i++) {
        const struct diag *diag = &diags->items[i];
        str_printf(out, "; %s", names[diag->severity]);
        if (diag->loc.line != 0) {
            str_printf(out, " %u:%u", diag->loc.line, diag->loc.column);
        }
        str_printf(out, ": %s\n", diag->text);
    }
}

// What was printed is read back, and means the same.
static void check_read_back(struct row_case *c, const struct ir_module *module, const char *text, const char *name)
{
    struct str first, second, why;
    str_init(&first, &c->arena);
    str_init(&second, &c->arena);
    str_init(&why, &c->arena);
    ir_print(module, &first);
    struct diags diags;
    diags_init(&diags, &c->arena);
    const struct ir_module *again = ir_read(&c->arena, &diags, text);
    if (again == NULL) {
        FAIL("%s: what is printed does not read back: %s", name, diags.count > 0 ? diags.items[0].text : "");
        return;
    }
    ir_print(again, &second);
    if (strcmp(str_text(&first), str_text(&second)) != 0) {
        FAIL("%s: what is read back prints differently:\n%s", name, str_text(&second));
    }
    if (!ir_verify(again, &why)) {
        FAIL("%s: %s", name, str_text(&why));
    }
}

// What stands behind the passes of the case; NULL: the input is wrong.
static const char *run_case(struct row_case *c, const char *name)
{
    struct str out, why;
    str_init(&out, &c->arena);
    str_init(&why, &c->arena);
    struct ir_module *module = ir_read(&c->arena, &c->diags, c->input);
    if (module == NULL || !ir_verify(module, &why)) {
        FAIL("%s: the IR before the pass: %s", name,
             c->diags.count > 0
                 ? arena_printf(&c->arena, "line %u: %s", c->diags.items[0].loc.line, c->diags.items[0].text)
                 : str_text(&why));
        return NULL;
    }
    struct pipeline_result result;
    pipeline_run_passes(module, &c->diags, &c->options, &result);
    if (c->diags.error_count == 0) { // else nothing is shown
        pipeline_print(&result, &out);
        check_read_back(c, module, str_text(&out), name);
        if (!ir_verify(module, &why)) {
            FAIL("%s: %s", name, str_text(&why));
        }
    }
    add_diagnostics(&c->diags, &out);
    return str_text(&out);
}

static void write_case(const struct row_case *c, const char *path, const char *actual)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    fprintf(file, "%s" BEHIND "%s", c->input, actual);
    fclose(file);
}

static void check_case(const char *path, const char *folder, const char *name)
{
    struct row_case c;
    if (!read_case(&c, path)) {
        FAIL("%s cannot be read", path);
    } else if (strcmp(pass_list[c.last].name, folder) != 0) {
        FAIL("%s/%s shows '%s'", folder, name, pass_list[c.last].name);
    } else {
        const char *actual = run_case(&c, name);
        if (actual != NULL && getenv("RILL_TEST_WRITE") != NULL) {
            write_case(&c, path, actual);
        } else if (actual != NULL && strcmp(actual, c.expected) != 0) {
            FAIL("%s/%s differs; this is what came out:\n%s", folder, name, actual);
        }
    }
    arena_finish(&c.arena);
}

typedef void visit_case(const char *path, const char *folder, const char *name);

static int for_each_case(const char *folder, visit_case *visit)
{
    char path[1024];
    snprintf(path, sizeof path, ROWS "%s", folder);
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    int visited = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name);
        if (length > 3 && strcmp(name + length - 3, ".ir") == 0) {
            snprintf(path, sizeof path, ROWS "%s/%s", folder, name);
            visit(path, folder, name);
            visited++;
        }
        free(entries[i]);
    }
    free(entries);
    return visited;
}

TEST(each_pass_makes_of_the_ir_before_it_the_ir_behind_it)
{
    for (int row = 1; row < PASS_COUNT; row++) {
        for_each_case(pass_list[row].name, check_case);
    }
}

// ---- the list ------------------------------------------------------------------------------------------------------

static void check_nothing(const char *path, const char *name)
{
    (void)path;
    (void)name;
}

static void check_no_case(const char *path, const char *folder, const char *name)
{
    (void)path;
    (void)folder;
    (void)name;
}

TEST(every_row_of_the_pass_list_has_four_cases_at_least)
{
    CHECK_INT(pass_list[0].scope, PASS_LOWER); // from C: lower_test
    CHECK(case_for_each("lower_ir", check_nothing) >= 4);
    for (int row = 1; row < PASS_COUNT; row++) {
        int count = for_each_case(pass_list[row].name, check_no_case);
        if (count < 4) {
            FAIL("pass '%s' has %d cases in cases/rows", pass_list[row].name, count);
        }
    }
}

TEST(every_folder_of_cases_belongs_to_a_row)
{
    struct dirent **entries = NULL;
    int count = scandir(ROWS, &entries, NULL, alphasort);
    CHECK(count > 0);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (name[0] != '.' && pass_find(name, strlen(name)) <= 0) {
            FAIL("there is no pass '%s'", name);
        }
        free(entries[i]);
    }
    free(entries);
}

// The passes that |row| needs are rows before it, and so is what these need.
TEST(a_pass_needs_only_passes_before_it)
{
    for (int row = 0; row < PASS_COUNT; row++) {
        CHECK(pass_list[row].name[0] != '\0' && pass_list[row].does[0] != '\0');
        CHECK_INT(pass_find(pass_list[row].name, strlen(pass_list[row].name)), row);
        const char *word = pass_list[row].needs != NULL ? pass_list[row].needs : "";
        while (*word != '\0') {
            size_t length = strcspn(word, " ");
            int needed = pass_find(word, length);
            if (needed < 0 || needed >= row) {
                FAIL("'%s' needs '%.*s', which is no pass before it", pass_list[row].name, (int)length, word);
            }
            word += length + strspn(word + length, " ");
        }
    }
}

// ---- behind every pass ---------------------------------------------------------------------------------------------

static int shown_row;

static void look_behind(const char *path, const char *name)
{
    struct row_case c = {.passes = pass_set_until(shown_row)};
    arena_init(&c.arena);
    diags_init(&c.diags, &c.arena);
    size_t length = 0;
    const char *text = case_read(&c.arena, path, &length);
    REQUIRE(text != NULL);
    c.options = (struct pipeline_options){.contract = true, .verify = true, .passes = &c.passes};
    struct pipeline_result result;
    pipeline_compile(&c.arena, &c.diags, name, text, length, &c.options, &result);
    if (c.diags.error_count > 0 || result.module == NULL) {
        FAIL("%s behind '%s': %s", name, pass_list[shown_row].name,
             c.diags.count > 0 ? c.diags.items[c.diags.count - 1].text : "no module");
    } else {
        struct str out;
        str_init(&out, &c.arena);
        pipeline_print(&result, &out);
        check_read_back(&c, result.module, str_text(&out), name);
    }
    arena_finish(&c.arena);
}

TEST(behind_every_pass_the_ir_prints_and_reads_back)
{
    for (shown_row = 0; shown_row < PASS_COUNT; shown_row++) {
        CHECK(case_for_each("lower_run", look_behind) > 0);
        CHECK(case_for_each("lower_promote", look_behind) > 0);
    }
}
