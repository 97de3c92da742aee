// rill build: compiles a source for each target and puts what comes of it into a package, an object and a header.
#include "base/status.h"
#include "base/str.h"
#include "runtime/cache_entry.h"
#include "runtime/context.h"
#include "runtime/package.h"
#include "runtime/package_header.h"
#include "runtime/package_object.h"
#include "runtime/package_target.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct build {
    const char *who; // begins messages
    const rill_package_options *options;
    rill_diagnostics *diagnostics; // the caller's; may be NULL
    const struct compiler_table *table;
    struct arena arena;
    struct source *source;
    const char *targets[PACKAGE_MAX_IMAGES]; // the compiler's names
    int target_count;
    struct package package;
    struct package_image images[PACKAGE_MAX_IMAGES];
    char names[PACKAGE_MAX_IMAGES][PACKAGE_TARGET_SIZE];
    unsigned char *memories[PACKAGE_MAX_IMAGES]; // owned: what the images lie in
    struct str files;                            // that were included
};

// ---- targets ------------------------------------------------------------------------------------------------------

static rill_status add_target(struct build *build, const char *target)
{
    for (int i = 0; i < build->target_count; i++) {
        if (strcmp(build->targets[i], target) == 0) {
            return RILL_OK; // said twice
        }
    }
    if (build->target_count == PACKAGE_MAX_IMAGES) {
        return status_fail(RILL_ERR_LIMIT, "%s: a package has at most %d targets", build->who, (int)PACKAGE_MAX_IMAGES);
    }
    build->targets[build->target_count++] = target;
    return RILL_OK;
}

static rill_status add_targets(struct build *build)
{
    static const char *const portable[] = {"portable"};
    const rill_package_options *options = build->options;
    const char *const *words = options->target_count > 0 ? options->targets : portable;
    size_t count = options->target_count > 0 ? options->target_count : 1;
    for (size_t i = 0; i < count; i++) {
        if (words[i] == NULL) {
            return status_fail(RILL_ERR_INVALID, "%s: target %zu is NULL", build->who, i);
        }
        const char *const *set = package_target_set(words[i]);
        for (int k = 0; set != NULL && set[k] != NULL; k++) {
            RILL_TRY(add_target(build, set[k]));
        }
        RILL_TRY(set == NULL ? add_target(build, arena_strdup(&build->arena, words[i])) : RILL_OK);
    }
    return RILL_OK;
}

// ---- what the source includes -------------------------------------------------------------------------------------

// How a source says the path, as far as it can be told: without the folder in which it was found.
static const char *included_name(const struct compiler_input *input, const char *path)
{
    const char *slash = strrchr(input->path, '/');
    size_t length = slash != NULL ? (size_t)(slash - input->path) + 1 : 0;
    if (strncmp(path, input->path, length) == 0 && path[length] != '/') {
        return path + length;
    }
    for (int i = 0; i < input->include_dir_count; i++) {
        length = strlen(input->include_dirs[i]);
        while (length > 0 && input->include_dirs[i][length - 1] == '/') {
            length--;
        }
        if (strncmp(path, input->include_dirs[i], length) == 0 && path[length] == '/') {
            return path + length + 1;
        }
    }
    return path;
}

static bool has_header(const struct compiler_name_value *headers, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(headers[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// What was read becomes headers from memory, so that the package compiles without the files. Two files that a source
// may mean by one name would be mixed up: such a package has no source.
static rill_status take_headers(struct build *build, const struct compiler_result *result)
{
    struct compiler_input *input = &build->source->input;
    struct compiler_name_value *headers =
        ARENA_ARRAY(&build->arena, struct compiler_name_value, input->header_count + result->file_count + 1);
    int count = 0;
    for (int i = 0; i < input->header_count; i++) {
        headers[count++] = input->headers[i];
    }
    for (int i = 0; i < result->file_count; i++) {
        const struct compiler_file *file = &result->files[i];
        if (file->kind != COMPILER_FILE_READ) {
            continue;
        }
        const char *name = included_name(input, file->path);
        if (has_header(headers, count, name)) {
            return status_fail(RILL_ERR_UNSUPPORTED,
                               "%s: '%s' includes two files that can be said as \"%s\", and the package can hold one: "
                               "rename one of them, or leave the source out (--no-source)",
                               build->who, input->path, name);
        }
        headers[count].name = arena_strdup(&build->arena, name);
        headers[count++].value = arena_strndup(&build->arena, file->bytes, file->size);
    }
    build->package.source.headers = headers;
    build->package.source.header_count = count;
    return RILL_OK;
}

// ---- compiling ----------------------------------------------------------------------------------------------------

static void note_files(struct build *build, const struct compiler_result *result)
{
    for (int i = 0; i < result->file_count; i++) {
        if (result->files[i].kind == COMPILER_FILE_READ) {
            str_printf(&build->files, "%s\n", result->files[i].path);
        }
    }
}

static rill_status keep_image(struct build *build, int index, const struct compiler_result *result)
{
    struct compiler_result alone = *result;
    alone.file_count = 0; // what the compile looked at is no matter where the image runs
    size_t size;
    if (!cache_entry_write(&alone, &build->memories[index], &size)) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for an image", build->who);
    }
    package_target_name(build->targets[index], build->names[index]);
    build->images[index] = (struct package_image){
        .target = build->names[index], .payload = build->memories[index] + CACHE_HEADER_SIZE, .size = size};
    build->package.image_count = index + 1;
    return RILL_OK;
}

// The compiler, which lists the targets that it knows, knows nothing of the words for several.
static rill_status name_sets(rill_status status)
{
    struct saved_message message;
    context_save_message(&message);
    if (status != RILL_ERR_INVALID || strstr(message.text, "unknown target") == NULL) {
        return status;
    }
    return status_fail(status, "%s; 'cpu' and 'portable' stand for several", message.text);
}

static rill_status compile_for(struct build *build, int index)
{
    build->source->input.target = build->targets[index];
    bool is_first = index == 0;
    rill_diagnostics diagnostics = {0};
    struct compiler_result *result = NULL;
    rill_status status =
        name_sets(source_compile(build->who, build->table, build->source, COMPILER_IMAGE, &diagnostics, &result));
    if (build->diagnostics != NULL && (is_first || status == RILL_ERR_COMPILE)) {
        rill_diagnostics_free(build->diagnostics);
        *build->diagnostics = diagnostics;
    } else {
        rill_diagnostics_free(&diagnostics);
    }
    RILL_TRY(status);
    // Out of memory may leave by the arena: the result is the only thing here that it does not own.
    jmp_buf *outer = build->arena.escape;
    jmp_buf escape;
    build->arena.escape = &escape;
    volatile rill_status kept = RILL_ERR_OUT_OF_MEMORY;
    if (setjmp(escape) == 0) {
        if (is_first) {
            note_files(build, result);
        }
        kept = is_first && build->package.has_source ? take_headers(build, result) : RILL_OK;
    } else {
        status_fail(kept, "%s: no memory for the headers", build->who);
    }
    build->arena.escape = outer;
    kept = kept == RILL_OK ? keep_image(build, index, result) : kept;
    build->table->free_result(result);
    return kept;
}

// ---- names --------------------------------------------------------------------------------------------------------

// "src/heat-2d.c": heat_2d.
static const char *default_name(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = arena_strdup(arena, slash != NULL ? slash + 1 : path);
    size_t length = strlen(name);
    if (length > 2 && strcmp(name + length - 2, ".c") == 0) {
        name[length - 2] = '\0';
    }
    for (char *at = name; *at != '\0'; at++) {
        *at = isalnum((unsigned char)*at) ? *at : '_';
    }
    return isdigit((unsigned char)name[0]) || name[0] == '\0' ? arena_printf(arena, "k%s", name) : name;
}

static rill_status check_identifier(const char *who, const char *name, const char *what)
{
    bool is_one = name[0] == '_' || isalpha((unsigned char)name[0]);
    for (const char *at = name; *at != '\0'; at++) {
        is_one = is_one && (*at == '_' || isalnum((unsigned char)*at));
    }
    return is_one ? RILL_OK : status_fail(RILL_ERR_INVALID, "%s: the %s '%s' is no identifier of C", who, what, name);
}

// ---- all ----------------------------------------------------------------------------------------------------------

static rill_status write_all(struct build *build, const char *name, rill_built *out)
{
    build->package.images = build->images;
    unsigned char *bytes = package_write(&build->package, &out->package_size);
    out->package = bytes;
    if (bytes == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a package", build->who);
    }
    const char *symbol = arena_printf(&build->arena, "rill_package_%s", name);
    out->object = package_object_make(symbol, out->package, out->package_size, &out->object_size);
    if (out->object == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for an object", build->who);
    }
    out->files = strdup(str_text(&build->files));
    if (out->files == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the list of files", build->who);
    }
    struct package_header header = {.name = name,
                                    .prefix = build->options->prefix != NULL ? build->options->prefix : "",
                                    .include = build->options->include,
                                    .path = build->source->input.path,
                                    .size = out->package_size,
                                    .check = package_check(out->package, out->package_size),
                                    .image = &build->images[0]};
    return package_header_make(&header, &build->arena, &out->header);
}

static rill_status build_all(struct build *build, const char *text, const rill_module_options *options, rill_built *out)
{
    build->source = source_copy(&build->arena, text, strlen(text), NULL, options);
    struct compiler_input *input = &build->source->input;
    if (build->source->input.sanitize == NULL) {
        input->sanitize = "off"; // the program that builds is not the one that runs
    }
    const char *name = build->options->name;
    name = name != NULL ? name : default_name(&build->arena, input->path);
    RILL_TRY(check_identifier(build->who, name, "name"));
    if (build->options->prefix != NULL && build->options->prefix[0] != '\0') {
        RILL_TRY(check_identifier(build->who, build->options->prefix, "prefix"));
    }
    str_init(&build->files, &build->arena);
    RILL_TRY(add_targets(build));
    RILL_TRY(source_find_compiler(build->who, &build->table));
    build->package.source = *input;
    build->package.built = COMPILER_BUILT;
    build->package.has_source = !build->options->no_source;
    for (int i = 0; i < build->target_count; i++) {
        RILL_TRY(compile_for(build, i));
    }
    return write_all(build, name, out);
}

static rill_status build_guarded(struct build *build, const char *text, const rill_module_options *options,
                                 rill_built *out)
{
    arena_init(&build->arena);
    jmp_buf escape;
    build->arena.escape = &escape;
    volatile rill_status status = RILL_ERR_OUT_OF_MEMORY;
    if (setjmp(escape) == 0) {
        status = build_all(build, text, options, out);
    } else {
        status_fail(status, "%s: no memory to build in", build->who);
    }
    arena_finish(&build->arena);
    for (int i = 0; i < PACKAGE_MAX_IMAGES; i++) {
        free(build->memories[i]);
    }
    return status;
}

rill_status package_build(const char *who, const char *text, const rill_module_options *options,
                          const rill_package_options *package, rill_built *out_built)
{
    struct build *build = calloc(1, sizeof *build);
    if (build == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory to build in", who);
    }
    build->who = who;
    build->options = package;
    build->diagnostics = options != NULL ? options->diagnostics : NULL;
    rill_status status = build_guarded(build, text, options, out_built);
    free(build);
    if (status != RILL_OK) {
        rill_built_free(out_built);
    }
    return status;
}

rill_status rill_package_build(const char *text, const rill_module_options *options,
                               const rill_package_options *package, rill_built *out_built)
{
    static const char who[] = "rill_package_build";
    static const rill_package_options defaults;
    RILL_TRY(context_check_out(who, out_built, "out_built"));
    *out_built = (rill_built){.package = NULL};
    RILL_TRY(context_check_out(who, text, "text"));
    RILL_TRY(source_check_options(who, options));
    package = package != NULL ? package : &defaults;
    if (package->target_count > 0 && package->targets == NULL) {
        return status_fail(RILL_ERR_INVALID, "%s: the list of %zu targets is NULL", who, package->target_count);
    }
    return package_build(who, text, options, package, out_built);
}

void rill_built_free(rill_built *built)
{
    if (built != NULL) {
        free(built->package);
        free(built->object);
        free(built->header);
        free(built->files);
        *built = (rill_built){.package = NULL};
    }
}
