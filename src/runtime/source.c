#include "runtime/source.h"

#include "base/dylib.h"
#include "base/status.h"
#include "rill/rill.h"
#include "runtime/context.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- options ------------------------------------------------------------------------------------------------------

static rill_status check_list(const char *who, const void *list, size_t count, const char *what)
{
    return list != NULL || count == 0
               ? RILL_OK
               : status_fail(RILL_ERR_INVALID, "%s: the list of %zu %s is NULL", who, count, what);
}

rill_status source_check_options(const char *who, const rill_module_options *options)
{
    if (options == NULL) {
        return RILL_OK;
    }
    if (options->diagnostics != NULL) {
        *options->diagnostics = (rill_diagnostics){0};
    }
    if (options->define_count > INT_MAX || options->include_dir_count > INT_MAX || options->header_count > INT_MAX) {
        return status_fail(RILL_ERR_INVALID, "%s: too many defines, include paths or headers", who);
    }
    RILL_TRY(check_list(who, options->defines, options->define_count, "defines"));
    RILL_TRY(check_list(who, options->include_dirs, options->include_dir_count, "include paths"));
    RILL_TRY(check_list(who, options->headers, options->header_count, "headers"));
    for (size_t i = 0; i < options->define_count; i++) {
        if (options->defines[i].name == NULL) {
            return status_fail(RILL_ERR_INVALID, "%s: define %zu has no name", who, i);
        }
    }
    for (size_t i = 0; i < options->include_dir_count; i++) {
        if (options->include_dirs[i] == NULL) {
            return status_fail(RILL_ERR_INVALID, "%s: include path %zu is NULL", who, i);
        }
    }
    for (size_t i = 0; i < options->header_count; i++) {
        if (options->headers[i].name == NULL || options->headers[i].text == NULL) {
            return status_fail(RILL_ERR_INVALID, "%s: header %zu lacks its name or its text", who, i);
        }
    }
    return RILL_OK;
}

static char *copy_text(struct arena *arena, const char *text)
{
    return text != NULL ? arena_strdup(arena, text) : NULL;
}

static void copy_lists(struct arena *arena, struct compiler_input *input, const rill_module_options *options)
{
    struct compiler_name_value *defines = ARENA_ARRAY(arena, struct compiler_name_value, options->define_count + 1);
    for (size_t i = 0; i < options->define_count; i++) {
        defines[i].name = copy_text(arena, options->defines[i].name);
        defines[i].value = copy_text(arena, options->defines[i].value);
    }
    const char **dirs = ARENA_ARRAY(arena, const char *, options->include_dir_count + 1);
    for (size_t i = 0; i < options->include_dir_count; i++) {
        dirs[i] = copy_text(arena, options->include_dirs[i]);
    }
    struct compiler_name_value *headers = ARENA_ARRAY(arena, struct compiler_name_value, options->header_count + 1);
    for (size_t i = 0; i < options->header_count; i++) {
        headers[i].name = copy_text(arena, options->headers[i].name);
        headers[i].value = copy_text(arena, options->headers[i].text);
    }
    input->defines = defines;
    input->define_count = (int)options->define_count;
    input->include_dirs = dirs;
    input->include_dir_count = (int)options->include_dir_count;
    input->headers = headers;
    input->header_count = (int)options->header_count;
}

static bool environment_has(const char *variable, const char *word)
{
    const char *value = getenv(variable);
    return value != NULL && strstr(value, word) != NULL;
}

// What the caller or the environment asks for; "off" too, NULL if neither does.
static const char *wanted_sanitizer(const rill_module_options *options)
{
    const char *wanted = options->sanitize != NULL ? options->sanitize : getenv("RILL_SANITIZE");
    return wanted != NULL && *wanted != '\0' ? wanted : NULL;
}

// Kernels are instrumented like the program that runs them, unless it or the environment says otherwise. What is only
// shown, for any target, is instrumented when that was asked for.
static const char *sanitizer(const char *wanted, enum compiler_emit emit, const char *target)
{
    bool is_gpu = target != NULL && (strncmp(target, "sm_", 3) == 0 || strncmp(target, "gfx", 3) == 0);
    if (emit == COMPILER_IMAGE && is_gpu) {
        return NULL; // there is no such tool on a GPU
    }
    if (wanted != NULL || emit != COMPILER_IMAGE) {
        return wanted != NULL && strcmp(wanted, "off") != 0 ? wanted : NULL;
    }
    if (dylib_process_symbol("__tsan_read1_pc") != NULL) {
        return "thread";
    }
    return dylib_process_symbol("__asan_report_load1") != NULL ? "address" : NULL;
}

bool source_is_sanitized(const struct source *source)
{
    return sanitizer(source->input.sanitize, COMPILER_IMAGE, source->input.target) != NULL;
}

struct source *source_copy(struct arena *arena, const char *text, size_t length, const char *path,
                           const rill_module_options *options)
{
    static const rill_module_options defaults;
    options = options != NULL ? options : &defaults;
    path = path != NULL ? path : options->path != NULL ? options->path : "kernel.c";
    struct source *source = ARENA_NEW(arena, struct source);
    struct compiler_input *input = &source->input;
    input->path = copy_text(arena, path);
    input->text = arena_strndup(arena, text, length);
    input->length = length;
    copy_lists(arena, input, options);
    input->target = copy_text(arena, options->target);
    input->sanitize = copy_text(arena, wanted_sanitizer(options));
    input->after = copy_text(arena, options->after);
    input->contract_off = options->contract_off || environment_has("RILL_CONTRACT", "off");
    input->check_bounds = options->check_bounds || environment_has("RILL_CHECK", "bounds");
    input->check_races = options->check_races || environment_has("RILL_CHECK", "races");
    input->stand_in = environment_has("RILL_STAND_IN", "1"); // a testing aid
    input->fast_math = options->fast_math;
    input->color = options->color;
    return source;
}

// ---- the compiler -------------------------------------------------------------------------------------------------

typedef const struct compiler_table *table_function(void);

enum { FIRST_WITH_BUILT = 5 }; // of the table's versions

static rill_status refuse_table(const char *who, const void *place, const struct compiler_table *table)
{
    char built[128] = "of no known version";
    if (table != NULL && table->version >= FIRST_WITH_BUILT && table->built != NULL) {
        snprintf(built, sizeof built, "%s", table->built);
    } else if (table != NULL && table->version < FIRST_WITH_BUILT) {
        snprintf(built, sizeof built, "of an older build, whose table has version %d", table->version);
    }
    char folder[256];
    bool is_known = place != NULL && dylib_directory_of(place, folder, sizeof folder);
    return status_fail(RILL_ERR_NO_COMPILER,
                       "%s: librill-compiler.so%s%s is %s, librill.so is %s: they were not built together, and would "
                       "misread each other's plans; install both from the same release, or let RILL_COMPILER name the "
                       "compiler that came with librill.so",
                       who, is_known ? " in " : "", is_known ? folder : "", built, COMPILER_BUILT);
}

// The compiler's first step is to take its thread-local memory, for which the loader ends the process if there is none.
static rill_status look_for_memory(const char *who)
{
    enum { MEGABYTES = 16 };
    const size_t size = (size_t)MEGABYTES << 20;
    void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: there are not %d MB of memory left to compile in", who,
                           MEGABYTES);
    }
    munmap(found, size);
    return RILL_OK;
}

static rill_status read_table(const char *who, const struct dylib *library, const struct compiler_table **out_table)
{
    union {
        void *object;
        table_function *function;
    } cast = {.object = dylib_symbol(library, "rill_compiler_table")};
    RILL_TRY(look_for_memory(who));
    const struct compiler_table *table = cast.object != NULL ? cast.function() : NULL;
    bool is_of_this_version = table != NULL && table->version == COMPILER_TABLE_VERSION;
    if (is_of_this_version && table->built != NULL && strcmp(table->built, COMPILER_BUILT) == 0) {
        *out_table = table;
        return RILL_OK;
    }
    return refuse_table(who, cast.object, table);
}

static bool locate_beside(char *out, size_t size)
{
    union {
        rill_status (*function)(rill_context);
        void *object;
    } self = {.function = rill_sync};
    char directory[PATH_MAX];
    if (!dylib_directory_of(self.object, directory, sizeof directory)) {
        return false;
    }
    int length = snprintf(out, size, "%s/librill-compiler.so", directory);
    return length > 0 && (size_t)length < size;
}

bool source_locate_compiler(char *out, size_t size)
{
    const char *given = getenv("RILL_COMPILER");
    if (given != NULL && *given != '\0') {
        int length = snprintf(out, size, "%s", given);
        return strchr(given, '/') != NULL && length > 0 && (size_t)length < size;
    }
    return locate_beside(out, size) && access(out, R_OK) == 0;
}

// The library stays open until the process ends: other contexts may use it, and LLVM does not like to be unloaded.
rill_status source_find_compiler(const char *who, const struct compiler_table **out_table)
{
    char path[PATH_MAX + 32];
    char error[512] = "";
    struct dylib library = {0};
    const char *given = getenv("RILL_COMPILER");
    if (given != NULL && *given != '\0') {
        if (!dylib_open(&library, given, error, sizeof error)) {
            return status_fail(RILL_ERR_NO_COMPILER, "%s: cannot load the compiler that RILL_COMPILER names: %s", who,
                               error);
        }
        return read_table(who, &library, out_table);
    }
    if (locate_beside(path, sizeof path) && !dylib_open(&library, path, error, sizeof error) &&
        access(path, F_OK) == 0) {
        return status_fail(RILL_ERR_NO_COMPILER, "%s: the compiler is installed, but cannot be loaded: %s", who, error);
    }
    char second[512] = "";
    if (library.handle == NULL && !dylib_open(&library, "librill-compiler.so", second, sizeof second)) {
        return status_fail(RILL_ERR_NO_COMPILER,
                           "%s: the compiler is not installed: librill-compiler.so is neither beside librill.so nor "
                           "where the system looks for libraries; install librill-compiler from the same release (%s)",
                           who, error[0] != '\0' ? error : second);
    }
    return read_table(who, &library, out_table);
}

// ---- diagnostics --------------------------------------------------------------------------------------------------

static size_t text_size(const char *text)
{
    return text != NULL ? strlen(text) + 1 : 1;
}

static const char *put_text(char **at, const char *text)
{
    char *start = *at;
    size_t size = text_size(text);
    memcpy(start, text != NULL ? text : "", size);
    *at += size;
    return start;
}

bool source_copy_diagnostics(const struct compiler_result *result, rill_diagnostics *out)
{
    *out = (rill_diagnostics){0};
    size_t count = (size_t)result->diagnostic_count;
    size_t size = count * sizeof(rill_diagnostic);
    for (size_t i = 0; i < count; i++) {
        const struct compiler_diagnostic *d = &result->diagnostics[i];
        size += text_size(d->file) + text_size(d->text) + text_size(d->rendered);
    }
    if (count == 0) {
        return true;
    }
    rill_diagnostic *items = malloc(size);
    if (items == NULL) {
        return false;
    }
    char *at = (char *)(items + count);
    for (size_t i = 0; i < count; i++) {
        const struct compiler_diagnostic *d = &result->diagnostics[i];
        items[i].severity = (rill_severity)d->severity;
        items[i].file = put_text(&at, d->file);
        items[i].line = d->line;
        items[i].column = d->column;
        items[i].text = put_text(&at, d->text);
        items[i].rendered = put_text(&at, d->rendered);
    }
    out->error_count = (size_t)result->error_count;
    out->warning_count = (size_t)result->warning_count;
    out->items = items;
    out->memory = items;
    out->count = count;
    return true;
}

void rill_diagnostics_free(rill_diagnostics *diagnostics)
{
    if (diagnostics != NULL) {
        free(diagnostics->memory);
        *diagnostics = (rill_diagnostics){0};
    }
}

static rill_status describe_errors(const char *who, const struct compiler_result *result)
{
    for (int i = 0; i < result->diagnostic_count; i++) {
        const struct compiler_diagnostic *d = &result->diagnostics[i];
        if (d->severity != RILL_SEVERITY_ERROR) {
            continue;
        }
        char more[64] = "";
        if (result->error_count > 1) {
            snprintf(more, sizeof more, " (and %d more)", result->error_count - 1);
        }
        return status_fail(RILL_ERR_COMPILE, "%s: %s:%u:%u: error: %s%s", who, d->file != NULL ? d->file : "?", d->line,
                           d->column, d->text, more);
    }
    return status_fail(RILL_ERR_COMPILE, "%s: the source did not compile", who);
}

// ---- compiling ----------------------------------------------------------------------------------------------------

rill_status source_compile(const char *who, const struct compiler_table *table, const struct source *source,
                           enum compiler_emit emit, rill_diagnostics *diagnostics, struct compiler_result **out_result)
{
    *out_result = NULL;
    struct compiler_input input = source->input;
    input.emit = emit;
    input.sanitize = sanitizer(input.sanitize, emit, input.target);
    struct compiler_result *result = NULL;
    rill_status status = table->compile(&input, &result);
    if (result == NULL) {
        return status_fail(status != RILL_OK ? status : RILL_ERR_INTERNAL, "%s: %s", who, table->message());
    }
    if (diagnostics != NULL && !source_copy_diagnostics(result, diagnostics)) {
        status = status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the diagnostics", who);
    } else if (status == RILL_ERR_COMPILE || result->error_count > 0) {
        status = describe_errors(who, result);
    } else if (status != RILL_OK) {
        status_fail(status, "%s: %s", who, table->message());
    }
    if (status != RILL_OK) {
        table->free_result(result);
        return status;
    }
    *out_result = result;
    return RILL_OK;
}

rill_status source_take_text(const char *who, const struct compiler_table *table, struct compiler_result *result,
                             char **out_text)
{
    char *text = malloc(result->size + 1);
    if (text == NULL) {
        table->free_result(result);
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the text", who);
    }
    memcpy(text, result->bytes, result->size);
    text[result->size] = '\0';
    table->free_result(result);
    *out_text = text;
    return RILL_OK;
}

enum compiler_emit source_emit_kind(rill_emit kind)
{
    switch (kind) {
    case RILL_EMIT_IR: return COMPILER_IR;
    case RILL_EMIT_PLAN: return COMPILER_PLAN;
    case RILL_EMIT_LLVM: return COMPILER_LLVM;
    case RILL_EMIT_ASM: return COMPILER_ASM;
    case RILL_EMIT_OPENMP: return COMPILER_OPENMP;
    }
    return COMPILER_CHECK;
}

// Compiles text that no module is made of. |out_text| NULL: only the diagnostics are wanted.
static rill_status compile_text(const char *who, const char *text, const rill_module_options *options,
                                enum compiler_emit emit, char **out_text)
{
    RILL_TRY(context_check_out(who, text, "text"));
    RILL_TRY(source_check_options(who, options));
    const struct compiler_table *table;
    RILL_TRY(source_find_compiler(who, &table));
    struct arena arena;
    jmp_buf escape;
    arena_init(&arena);
    arena.escape = &escape;
    if (setjmp(escape) != 0) {
        arena_finish(&arena);
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the source", who);
    }
    struct source *source = source_copy(&arena, text, strlen(text), NULL, options);
    struct compiler_result *result;
    rill_diagnostics *diagnostics = options != NULL ? options->diagnostics : NULL;
    rill_status status = source_compile(who, table, source, emit, diagnostics, &result);
    arena_finish(&arena);
    if (status != RILL_OK) {
        return status;
    }
    if (out_text != NULL) {
        return source_take_text(who, table, result, out_text);
    }
    table->free_result(result);
    return RILL_OK;
}

rill_status rill_check(const char *text, const rill_module_options *options)
{
    return compile_text("rill_check", text, options, COMPILER_CHECK, NULL);
}

rill_status rill_source_emit(const char *text, const rill_module_options *options, rill_emit kind, char **out_text)
{
    RILL_TRY(context_check_out("rill_source_emit", out_text, "out_text"));
    *out_text = NULL;
    enum compiler_emit emit = source_emit_kind(kind);
    if (emit == COMPILER_CHECK) {
        return status_fail(RILL_ERR_INVALID, "rill_source_emit: %d is no kind of output", (int)kind);
    }
    if (options != NULL && options->after != NULL && kind != RILL_EMIT_IR) {
        return status_fail(RILL_ERR_INVALID, "rill_source_emit: 'after' is for RILL_EMIT_IR: passes leave IR");
    }
    return compile_text("rill_source_emit", text, options, emit, out_text);
}

rill_status rill_source_explain(const char *text, const rill_module_options *options, char **out_text)
{
    RILL_TRY(context_check_out("rill_source_explain", out_text, "out_text"));
    *out_text = NULL;
    return compile_text("rill_source_explain", text, options, COMPILER_EXPLAIN, out_text);
}
