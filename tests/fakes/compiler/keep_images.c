// A compiler that remembers, for the many programs that compile the same few texts for a stand-in: RILL_COMPILER names
// this library, RILL_REAL_COMPILER the one that it asks, RILL_TEST_IMAGES the folder with what that one said. Programs
// that run there show the layer that calls a driver; the compiler is shown by other tests, which ask it every time.
//
// Kept is what is the same whenever it is asked: an image without diagnostics of a text that includes no files. Its
// name is the hash of everything that the compiler is told. A file appears whole or not at all, so that programs that
// run side by side may share it.
//
// RILL_TEST_TEXTS is a folder for the texts themselves, for tests that compile them for other targets: each that
// became an image is a file there, whole by itself, with the same name whoever compiles it.
#include "compiler/compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct compiler_table *real_table(void)
{
    const char *path = getenv("RILL_REAL_COMPILER");
    void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        return NULL;
    }
    const struct compiler_table *(*find)(void);
    *(void **)&find = dlsym(library, "rill_compiler_table");
    return find != NULL ? find() : NULL;
}

// ---- what it is told ----------------------------------------------------------------------------------------------

struct hash {
    uint64_t a, b; // two of 64 bits: no two texts meet by chance
};

static void add_bytes(struct hash *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash->a = (hash->a ^ at[i]) * 0x100000001b3;
        hash->b = (hash->b + at[i]) * 0x9e3779b97f4a7c15 ^ hash->b >> 29;
    }
}

static void add_text(struct hash *hash, const char *text)
{
    size_t size = text != NULL ? strlen(text) : 0;
    add_bytes(hash, &size, sizeof size);
    add_bytes(hash, text != NULL ? text : "\xff", size > 0 ? size : text == NULL);
}

static void add_pairs(struct hash *hash, const struct compiler_name_value *pairs, int count)
{
    add_bytes(hash, &count, sizeof count);
    for (int i = 0; i < count; i++) {
        add_text(hash, pairs[i].name);
        add_text(hash, pairs[i].value);
    }
}

// Another compiler of the same path is another one.
static void add_compiler(struct hash *hash)
{
    const char *path = getenv("RILL_REAL_COMPILER");
    struct stat info = {0};
    if (path != NULL && stat(path, &info) == 0) {
        add_bytes(hash, &info.st_mtim, sizeof info.st_mtim);
        add_bytes(hash, &info.st_ino, sizeof info.st_ino);
        add_bytes(hash, &info.st_size, sizeof info.st_size);
    }
}

static bool wants_files(const struct compiler_input *input)
{
    return input->include_dir_count > 0 || memmem(input->text, input->length, "#include \"", 10) != NULL;
}

// False: not kept, because files decide what it becomes.
static bool name_of(const struct compiler_input *input, char *name, size_t size)
{
    const char *folder = getenv("RILL_TEST_IMAGES");
    if (folder == NULL || input->emit != COMPILER_IMAGE || input->text == NULL || wants_files(input)) {
        return false;
    }
    struct hash hash = {0xcbf29ce484222325, 1};
    bool flags[] = {input->contract_off, input->check_bounds, input->fast_math, input->stand_in};
    add_compiler(&hash);
    add_text(&hash, input->path);
    add_bytes(&hash, &input->length, sizeof input->length);
    add_bytes(&hash, input->text, input->length);
    add_pairs(&hash, input->defines, input->define_count);
    add_pairs(&hash, input->headers, input->header_count);
    add_text(&hash, input->target);
    add_text(&hash, input->sanitize);
    add_text(&hash, getenv("RILL_VERIFY"));
    add_bytes(&hash, flags, sizeof flags);
    return snprintf(name, size, "%s/%016llx%016llx", folder, (unsigned long long)hash.a, (unsigned long long)hash.b) <
           (int)size;
}

// ---- what it says -------------------------------------------------------------------------------------------------

// The real compiler's result, or an image from a file.
struct answer {
    struct compiler_result result; // what the caller sees
    struct compiler_result *real;  // NULL: |result| has the bytes of a file
};

static bool read_kept(const char *name, struct answer *answer)
{
    struct stat info;
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    char *bytes = fstat(file, &info) == 0 ? malloc((size_t)info.st_size) : NULL;
    bool is_read = bytes != NULL && read(file, bytes, (size_t)info.st_size) == info.st_size;
    close(file);
    if (!is_read) {
        free(bytes);
        return false;
    }
    answer->result.bytes = bytes;
    answer->result.size = (size_t)info.st_size;
    return true;
}

static void keep(const char *name, const void *bytes, size_t size)
{
    char made[4200];
    snprintf(made, sizeof made, "%s.XXXXXX", name);
    int file = mkstemp(made);
    if (file < 0) {
        return;
    }
    bool is_written = write(file, bytes, size) == (ssize_t)size;
    if (close(file) != 0 || !is_written || rename(made, name) != 0) {
        unlink(made);
    }
}

// ---- the texts ----------------------------------------------------------------------------------------------------

// The first line says how it was compiled, then come its macros. One that wants other files cannot stand alone; there
// is an empty file for it, so that it is counted.
static void print_text(FILE *file, const struct compiler_input *input)
{
    fprintf(file, "// compiled:%s%s%s\n", input->check_bounds ? " bounds" : "", input->fast_math ? " fast" : "",
            input->contract_off ? " exact" : "");
    for (int i = 0; i < input->define_count; i++) {
        const char *value = input->defines[i].value;
        fprintf(file, "#define %s %s\n", input->defines[i].name, value != NULL ? value : "1");
    }
    fwrite(input->text, 1, input->length, file);
    fputc('\n', file);
}

static void keep_text(const struct compiler_input *input)
{
    const char *folder = getenv("RILL_TEST_TEXTS");
    char *text = NULL;
    size_t size = 0;
    FILE *memory = folder != NULL && input->emit == COMPILER_IMAGE ? open_memstream(&text, &size) : NULL;
    if (memory == NULL) {
        return;
    }
    print_text(memory, input);
    fclose(memory);
    struct hash hash = {0xcbf29ce484222325, 1};
    add_bytes(&hash, text, size);
    char name[4096];
    snprintf(name, sizeof name, "%s/%016llx.c", folder, (unsigned long long)hash.a);
    keep(name, text, wants_files(input) ? 0 : size);
    free(text);
}

// ---- compiling ----------------------------------------------------------------------------------------------------

static rill_status compile(const struct compiler_input *input, struct compiler_result **out_result)
{
    char name[4096];
    *out_result = NULL;
    struct answer *answer = calloc(1, sizeof *answer);
    const struct compiler_table *real = real_table();
    if (answer == NULL || real == NULL) {
        free(answer);
        return RILL_ERR_OUT_OF_MEMORY;
    }
    bool is_named = name_of(input, name, sizeof name);
    if (is_named && read_kept(name, answer)) {
        *out_result = &answer->result;
        return RILL_OK;
    }
    rill_status status = real->compile(input, &answer->real);
    if (answer->real == NULL) {
        free(answer);
        return status;
    }
    answer->result = *answer->real;
    if (is_named && status == RILL_OK && answer->real->diagnostic_count == 0) {
        keep(name, answer->real->bytes, answer->real->size);
    }
    if (status == RILL_OK) {
        keep_text(input);
    }
    *out_result = &answer->result;
    return status;
}

static void free_result(struct compiler_result *result)
{
    struct answer *answer = (struct answer *)result; // its first member
    if (answer != NULL && answer->real != NULL) {
        real_table()->free_result(answer->real);
    } else if (answer != NULL) {
        free((void *)answer->result.bytes);
    }
    free(answer);
}

static const char *message(void)
{
    const struct compiler_table *real = real_table();
    return real != NULL ? real->message() : "RILL_REAL_COMPILER names no compiler";
}

static const char *llvm_version(void)
{
    const struct compiler_table *real = real_table();
    return real != NULL ? real->llvm_version() : "";
}

static struct compiler_table table = {.version = COMPILER_TABLE_VERSION,
                                      .llvm_version = llvm_version,
                                      .compile = compile,
                                      .free_result = free_result,
                                      .message = message};

// It is of whatever build the real one is.
static void read_built(void)
{
    const struct compiler_table *real = real_table();
    table.built = real != NULL ? real->built : NULL;
}

const struct compiler_table *rill_compiler_table(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_built);
    return table.built != NULL ? &table : NULL; // RILL_REAL_COMPILER names none
}
