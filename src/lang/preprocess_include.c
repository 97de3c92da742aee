// #include: where files come from. "name" is looked for beside the including file, then among the headers from memory,
// in the include directories and among the built-in headers; <name> among the built-in headers first.
#include "lang/preprocess_state.h"

#include "base/vec.h"
#include "lang/headers.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *directory_of(struct preprocessor *pp, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? "" : arena_strndup(pp->arena, path, (size_t)(slash - path + 1));
}

static const char *join(struct preprocessor *pp, const char *directory, const char *name)
{
    size_t length = strlen(directory);
    bool slash = length > 0 && directory[length - 1] != '/';
    return arena_printf(pp->arena, "%s%s%s", directory, slash ? "/" : "", name);
}

static void open_loaded(struct preprocessor *pp, struct loaded_file *loaded, struct loc from)
{
    assert(loaded->text != NULL);
    struct open_file *file = ARENA_NEW(pp->arena, struct open_file);
    file->outer = pp->file;
    file->loaded = loaded;
    file->shown_path = loaded->path;
    file->directory = directory_of(pp, loaded->path);
    file->from_memory = loaded->from_memory;
    file->depth = pp->file == NULL ? 0 : pp->file->depth + 1;
    uint32_t index = diags_add_file(pp->diags, (struct source_file){.path = loaded->path,
                                                                    .text = loaded->text,
                                                                    .length = loaded->length,
                                                                    .included_from = from,
                                                                    .builtin = loaded->builtin});
    if (loaded->joined == NULL) {
        loaded->joined = lex_load(pp->arena, pp->diags, index, loaded->text, loaded->length);
    }
    lex_init(&file->lexer, pp->arena, pp->diags, &pp->names);
    lex_open(&file->lexer, loaded->joined, index);
    loaded->was_opened = true;
    pp->file = file;
}

static struct loaded_file *make_loaded(struct preprocessor *pp, const char *path, const char *text, size_t length)
{
    struct loaded_file *loaded = ARENA_NEW(pp->arena, struct loaded_file);
    loaded->path = path;
    loaded->text = text;
    loaded->length = length;
    // A byte order mark is not part of the text.
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        loaded->text += 3;
        loaded->length -= 3;
    }
    return loaded;
}

void pp_open_text(struct preprocessor *pp, const char *path, const char *text, size_t length, bool builtin)
{
    struct loaded_file *loaded = make_loaded(pp, path, text, length);
    loaded->builtin = builtin;
    loaded->from_memory = true;
    open_loaded(pp, loaded, (struct loc){0});
}

void pp_open_main(struct preprocessor *pp, const char *path, const char *text, size_t length)
{
    bool too_large = length > LANG_MAX_FILE_SIZE;
    struct loaded_file *loaded = make_loaded(pp, path, too_large ? "" : text, too_large ? 0 : length);
    loaded->from_memory = pp->options->no_disk;
    open_loaded(pp, loaded, (struct loc){0});
    if (too_large) {
        pp_stop(pp, (struct loc){pp->file->lexer.file, 1, 1}, "%s is larger than %d MiB", path,
                LANG_MAX_FILE_SIZE / (1024 * 1024));
    }
}

void pp_close(struct preprocessor *pp)
{
    assert(pp->file != NULL);
    for (struct conditional *c = pp->file->conditionals; c != NULL; c = c->outer) {
        diag_error(pp->diags, c->loc, "this #if has no #endif");
    }
    pp->file = pp->file->outer;
}

// Tells who asked what was looked for, and what was found at first.
static struct preprocess_probe *note_probe(struct preprocessor *pp, const char *path, bool is_there)
{
    struct preprocess_probes *probes = pp->options->probes;
    struct preprocess_probe *probe = probes != NULL ? hash_map_get(&pp->probed, path, strlen(path)) : NULL;
    if (probes != NULL && probe == NULL) {
        probe = ARENA_NEW(pp->arena, struct preprocess_probe);
        probe->found = is_there ? PREPROCESS_PRESENT : PREPROCESS_ABSENT;
        probe->path = path;
        hash_map_set(&pp->probed, path, strlen(path), probe);
        VEC_PUSH(pp->arena, probes, probe);
    }
    return probe;
}

static bool is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

// Reads a file in steps, so that nothing needs to be known about its size beforehand (a pipe has none). The arena may
// jump out when memory ends; the file is open only around fread.
static struct loaded_file *read_disk(struct preprocessor *pp, const char *path, struct loc loc)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (file == NULL || fstat(fileno(file), &info) != 0) {
        diag_error(pp->diags, loc, "cannot read %s: %s", path, strerror(errno));
        if (file != NULL) {
            fclose(file);
        }
        return NULL;
    }
    fclose(file);
    if (!S_ISREG(info.st_mode)) {
        diag_error(pp->diags, loc, "cannot read %s: it is not a regular file", path);
        return NULL;
    }
    if (info.st_size > LANG_MAX_FILE_SIZE) {
        pp_stop(pp, loc, "%s is larger than %d MiB", path, LANG_MAX_FILE_SIZE / (1024 * 1024));
        return NULL;
    }
    size_t size = (size_t)info.st_size;
    char *text = arena_alloc(pp->arena, size + 1);
    file = fopen(path, "rb");
    if (file == NULL) {
        diag_error(pp->diags, loc, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    size_t length = fread(text, 1, size, file);
    fclose(file);
    text[length] = '\0';
    struct preprocess_probe *probe = note_probe(pp, path, true);
    if (probe != NULL) {
        probe->found = PREPROCESS_READ;
        probe->text = text;
        probe->length = length;
    }
    return make_loaded(pp, path, text, length);
}

static const struct preprocess_header *find_memory(const struct preprocessor *pp, const char *name)
{
    for (int i = 0; i < pp->options->header_count; i++) {
        if (strcmp(pp->options->headers[i].name, name) == 0) {
            return &pp->options->headers[i];
        }
    }
    return NULL;
}

// What a name was found to be. One of |memory|, |builtin| and |disk_path| is set.
struct found {
    const struct preprocess_header *memory;
    const struct builtin_header *builtin;
    const char *disk_path;
};

static bool try_memory(struct preprocessor *pp, const char *name, bool quoted, struct found *found)
{
    if (quoted && pp->file->from_memory && pp->file->directory[0] != '\0') {
        found->memory = find_memory(pp, join(pp, pp->file->directory, name));
    }
    if (found->memory == NULL) {
        found->memory = find_memory(pp, name);
    }
    return found->memory != NULL;
}

static bool try_disk(struct preprocessor *pp, const char *directory, const char *name, struct found *found)
{
    const char *path = name[0] == '/' ? name : join(pp, directory, name);
    if (!pp->options->no_disk) {
        found->disk_path = is_regular(path) ? path : NULL;
        note_probe(pp, path, found->disk_path != NULL);
    }
    return found->disk_path != NULL;
}

// However it is named: the copy that a plain compiler finds on the disk may be of another version.
static bool is_kernel_header(const char *name)
{
    static const char kernel_header[] = "rill/kernel.h";
    size_t length = strlen(name), tail = sizeof kernel_header - 1;
    return length >= tail && strcmp(name + length - tail, kernel_header) == 0 &&
           (length == tail || name[length - tail - 1] == '/');
}

static bool find(struct preprocessor *pp, const char *name, bool quoted, struct found *found)
{
    *found = (struct found){0};
    if (is_kernel_header(name)) {
        found->builtin = headers_find("rill/kernel.h");
        return true;
    }
    if (!quoted) {
        found->builtin = headers_find(name);
        if (found->builtin != NULL) {
            return true;
        }
    }
    if (try_memory(pp, name, quoted, found)) {
        return true;
    }
    if (quoted && !pp->file->from_memory && try_disk(pp, pp->file->directory, name, found)) {
        return true;
    }
    for (int i = 0; i < pp->options->include_dir_count; i++) {
        if (try_disk(pp, pp->options->include_dirs[i], name, found)) {
            return true;
        }
    }
    found->builtin = headers_find(name);
    return found->builtin != NULL;
}

bool pp_has_include(struct preprocessor *pp, const char *name, bool quoted)
{
    struct found found;
    return find(pp, name, quoted, &found);
}

static struct loaded_file *load(struct preprocessor *pp, const struct found *found, struct loc loc)
{
    const char *path = found->disk_path != NULL ? found->disk_path
                       : found->memory != NULL  ? found->memory->name
                                                : arena_printf(pp->arena, "<%s>", found->builtin->name);
    struct loaded_file *loaded = hash_map_get(&pp->loaded, path, strlen(path));
    if (loaded != NULL) {
        return loaded;
    }
    if (found->disk_path != NULL) {
        loaded = read_disk(pp, path, loc);
    } else if (found->memory != NULL) {
        if (found->memory->length > LANG_MAX_FILE_SIZE) {
            pp_stop(pp, loc, "%s is larger than %d MiB", path, LANG_MAX_FILE_SIZE / (1024 * 1024));
            return NULL;
        }
        loaded = make_loaded(pp, path, found->memory->text, found->memory->length);
        loaded->from_memory = true;
    } else {
        loaded = make_loaded(pp, path, found->builtin->text, found->builtin->length);
        loaded->from_memory = loaded->builtin = true;
    }
    if (loaded != NULL) {
        hash_map_set(&pp->loaded, path, strlen(path), loaded);
    }
    return loaded;
}

// The name behind #include when it is made by macros: a string, or tokens from < to >.
static const char *computed_name(struct preprocessor *pp, struct lex_token *token, bool *out_quoted)
{
    if (token->kind == LEX_STRING && token->text[0] == '"' && !(token->flags & LEX_BROKEN)) {
        *out_quoted = true;
        return arena_strndup(pp->arena, token->text + 1, token->length - 2);
    }
    if (token->kind != LEX_PUNCT || token->number != TOKEN_LT) {
        return NULL;
    }
    *out_quoted = false;
    struct str name;
    str_init(&name, pp->arena);
    for (;;) {
        pp_next(pp, token);
        if (lex_is_end(token)) {
            return NULL;
        }
        if (token->kind == LEX_PUNCT && token->number == TOKEN_GT) {
            return str_text(&name);
        }
        if (name.length > 0 && (token->flags & LEX_SPACE)) {
            str_add_char(&name, ' ');
        }
        str_add_n(&name, token->text, token->length);
    }
}

static const char *read_name(struct preprocessor *pp, struct loc *out_loc, bool *out_quoted)
{
    struct lexer *lexer = &pp->file->lexer;
    struct lex_token token;
    lexer->wants_header = true;
    pp_next(pp, &token);
    lexer->wants_header = false;
    *out_loc = token.loc;
    const char *name;
    if (token.kind == LEX_HEADER) {
        *out_quoted = token.text[0] == '"';
        name = arena_strndup(pp->arena, token.text + 1, token.length - 2);
    } else {
        name = computed_name(pp, &token, out_quoted);
    }
    if (name == NULL || name[0] == '\0') {
        diag_error(pp->diags, *out_loc, "#include needs \"name\" or <name>");
        return NULL;
    }
    return name;
}

void pp_include(struct preprocessor *pp, struct loc loc)
{
    struct loc name_loc;
    bool quoted;
    const char *name = read_name(pp, &name_loc, &quoted);
    if (name == NULL) {
        return;
    }
    pp_expect_end(pp, "include");
    pp_skip_line(pp);
    pp->file->lexer.in_directive = false;
    struct found found;
    if (!find(pp, name, quoted, &found)) {
        diag_error(pp->diags, name_loc, "there is no header %s%s%s", quoted ? "\"" : "<", name, quoted ? "\"" : ">");
        return;
    }
    if (pp->file->depth >= LANG_MAX_INCLUDE_DEPTH) {
        pp_stop(pp, loc, "includes are nested more than %d deep; does %s include itself?", LANG_MAX_INCLUDE_DEPTH,
                name);
        return;
    }
    pp_charge(pp, 16, loc);
    struct loaded_file *loaded = load(pp, &found, name_loc);
    if (loaded != NULL && !(loaded->once && loaded->was_opened)) {
        open_loaded(pp, loaded, loc);
    }
}
