// What the tests of lowering and promotion share: a kernel file becomes a module; the kernels of a file are run by the
// interpreter and, built by gcc, on the machine, and must leave the same bytes.
//
// A kernel that is run has the signature
//     kernel long name(long seed, long out[64], double real[64])
// and computes whatever it tests into its arrays and its result.
#ifndef RILL_TESTS_PASSES_LOWER_CASE_H
#define RILL_TESTS_PASSES_LOWER_CASE_H

#include "ir/interpret.h"
#include "lang/ast.h"
#include "lang/preprocess.h"
#include "lower/lower.h"
#include "passes/promote.h"
#include "test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>

#define CASES RILL_SOURCE_DIR "/tests/passes/cases/"

struct lower_case {
    struct arena arena;
    struct diags diags;
    struct ir_module *module; // NULL after errors
};

static inline char *case_read(struct arena *arena, const char *path, size_t *out_length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    struct str text;
    str_init(&text, arena);
    char buffer[4096];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) {
        str_add_n(&text, buffer, got);
    }
    fclose(file);
    str_add(&text, "");
    *out_length = text.length;
    return text.text != NULL ? text.text : (char *)"";
}

static inline void case_lower(struct lower_case *c, const char *path, const struct lower_options *options)
{
    arena_init(&c->arena);
    diags_init(&c->diags, &c->arena);
    c->module = NULL;
    size_t length = 0;
    const char *text = case_read(&c->arena, path, &length);
    const char *slash = strrchr(path, '/');
    struct preprocess_options preprocess_options = {0};
    struct token_list tokens = {0};
    preprocess(&c->arena, &c->diags, slash != NULL ? slash + 1 : path, text != NULL ? text : "", length,
               &preprocess_options, &tokens);
    struct unit *unit = parse_unit(&c->arena, &c->diags, &tokens);
    if (unit == NULL || c->diags.error_count > 0) {
        return;
    }
    struct ir_module *module = lower_unit(&c->arena, &c->diags, unit, options);
    c->module = c->diags.error_count > 0 ? NULL : module;
}

static inline void case_promote(struct lower_case *c)
{
    for (int i = 0; i < c->module->function_count; i++) {
        promote_function(c->module, c->module->functions[i]);
    }
}

static inline bool case_verify(struct lower_case *c, const char *name)
{
    struct str why;
    str_init(&why, &c->arena);
    return ir_verify(c->module, &why) || FAIL("%s: %s", name, str_text(&why));
}

static inline const char *case_errors(struct lower_case *c)
{
    struct str out;
    str_init(&out, &c->arena);
    diags_render_all(&c->diags, false, &out);
    return str_text(&out);
}

// The text form without places, files and C types: what a reader compares.
static inline const char *case_plain_ir(struct lower_case *c)
{
    struct str text;
    str_init(&text, &c->arena);
    ir_print(c->module, &text);
    struct str out;
    str_init(&out, &c->arena);
    for (const char *line = str_text(&text); *line != '\0';) {
        size_t length = strcspn(line, "\n");
        bool is_kept =
            strncmp(line, "file ", 5) != 0 && strncmp(line, "ctype ", 6) != 0 && strncmp(line, "rill-ir", 7) != 0;
        for (size_t i = 0; is_kept && i < length; i++) {
            if (strncmp(line + i, " !0:", 4) == 0) {
                i += 1 + strspn(line + i + 2, "0123456789:");
            } else if (strncmp(line + i, " ctype ", 7) == 0) {
                i += 6 + strspn(line + i + 7, "0123456789");
            } else {
                str_add_char(&out, line[i]);
            }
        }
        if (is_kept) {
            str_add_char(&out, '\n');
        }
        line += length + (line[length] == '\n');
    }
    return str_text(&out);
}

// ---- directories ---------------------------------------------------------------------------------------------------

typedef void case_visit(const char *path, const char *name);

static inline int case_for_each(const char *folder, case_visit *visit)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", CASES, folder);
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    int visited = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name);
        if (length > 2 && strcmp(name + length - 2, ".c") == 0) {
            snprintf(path, sizeof path, "%s%s/%s", CASES, folder, name);
            visit(path, name);
            visited++;
        }
        free(entries[i]);
    }
    free(count >= 0 ? entries : NULL);
    return visited;
}

// Compares |actual| with the file beside |path| that ends in |suffix|. RILL_TEST_WRITE=1 writes it instead.
static inline void case_compare(const char *path, const char *suffix, const char *actual)
{
    char expected_path[1024];
    snprintf(expected_path, sizeof expected_path, "%.*s%s", (int)strlen(path) - 2, path, suffix);
    if (getenv("RILL_TEST_WRITE") != NULL) {
        FILE *file = fopen(expected_path, "wb");
        REQUIRE(file != NULL);
        fputs(actual, file);
        fclose(file);
        return;
    }
    struct arena scratch;
    arena_init(&scratch);
    size_t length = 0;
    const char *expected = case_read(&scratch, expected_path, &length);
    if (expected == NULL) {
        FAIL("%s is missing", expected_path);
    } else if (strcmp(expected, actual) != 0) {
        FAIL("%s differs; this is what came out:\n%s", expected_path, actual);
    }
    arena_finish(&scratch);
}

// ---- running -------------------------------------------------------------------------------------------------------

enum { CASE_LENGTH = 64 };

struct case_memory {
    int64_t out[CASE_LENGTH];
    double real[CASE_LENGTH];
};

typedef long case_function(long seed, int64_t *out, double *real);

static inline void *case_build(const char *path)
{
    char folder[] = "/tmp/rill-lower-XXXXXX";
    if (system("gcc --version >/dev/null 2>&1") != 0) {
        SKIP("there is no gcc to compare with");
    }
    if (mkdtemp(folder) == NULL) {
        return NULL;
    }
    char library[64];
    char command[2048];
    snprintf(library, sizeof library, "%s/kernel.so", folder);
    snprintf(
        command, sizeof command,
        "gcc -std=c99 -w -O1 -fwrapv -fno-strict-aliasing -fsigned-char -ffp-contract=off -D_GNU_SOURCE -shared -fPIC "
        "-I%s/include -o %s %s -lm",
        RILL_SOURCE_DIR, library, path);
    void *handle = system(command) == 0 ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(library);
    rmdir(folder);
    return handle;
}

static inline void case_run_kernel(struct interp *interp, const struct ir_function *kernel, void *library,
                                   const char *name)
{
    case_function *native = (case_function *)(intptr_t)dlsym(library, kernel->name);
    if (!CHECK(native != NULL) || !CHECK_INT(kernel->param_count, 3)) {
        return;
    }
    static const long seeds[] = {0, 1, 2, 3, 7, -1, -5, 100, 12345, 1L << 33, -(1L << 40)};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        struct case_memory ours = {0};
        struct case_memory theirs = {0};
        long expected = native(seeds[i], theirs.out, theirs.real);
        struct interp_arg args[3] = {{.i = seeds[i]}, {.p = ours.out}, {.p = ours.real}};
        union ir_value result = {0};
        enum interp_outcome outcome = interp_kernel(interp, kernel, args, &result);
        if (outcome != INTERP_DONE) {
            const struct interp_failure *failure = interp_failure(interp);
            FAIL("%s: %s(%ld): outcome %d: %s", name, kernel->name, seeds[i], outcome,
                 outcome == INTERP_FAILED ? failure->text : "");
            continue;
        }
        if (result.i != expected) {
            FAIL("%s: %s(%ld) returns %ld, with gcc %ld", name, kernel->name, seeds[i], (long)result.i, expected);
        }
        for (int k = 0; k < CASE_LENGTH; k++) {
            if (ours.out[k] != theirs.out[k]) {
                FAIL("%s: %s(%ld): out[%d] is %ld, with gcc %ld", name, kernel->name, seeds[i], k, (long)ours.out[k],
                     (long)theirs.out[k]);
            }
            if (memcmp(&ours.real[k], &theirs.real[k], sizeof ours.real[k]) != 0) {
                FAIL("%s: %s(%ld): real[%d] is %a, with gcc %a", name, kernel->name, seeds[i], k, ours.real[k],
                     theirs.real[k]);
            }
        }
    }
}

// Runs every kernel of the module and of the library, from the same initial fields.
static inline void case_run(struct lower_case *c, void *library, const char *name)
{
    struct interp_options options = {.step_limit = 50000000};
    for (int i = 0; i < c->module->function_count; i++) {
        const struct ir_function *kernel = c->module->functions[i];
        if (kernel->kind != IR_FUNCTION_KERNEL || kernel->return_type != IR_I64) {
            continue; // kernels that others call may look as they like
        }
        struct interp *interp = interp_create(c->module, &options);
        REQUIRE(interp != NULL);
        case_run_kernel(interp, kernel, library, name);
        interp_destroy(interp);
    }
}

// Verified, and every kernel computes what it computes in gcc's build of |path|.
static inline void case_run_as_gcc(struct lower_case *c, const char *path, const char *name)
{
    void *library = case_verify(c, name) ? case_build(path) : NULL;
    if (CHECK(library != NULL)) {
        case_run(c, library, name);
        dlclose(library);
    }
}

#endif
