#include "runtime/cache_entry.h"

#include "base/blake2.h"
#include "runtime/serial.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The payload: this, the image, the files, the diagnostics. Texts have their length before them and a zero behind.
struct head {
    uint64_t image_size;
    uint32_t file_count;
    uint32_t diagnostic_count;
    uint32_t error_count;
    uint32_t warning_count;
    unsigned char zeros[40]; // so that the image is aligned
};

_Static_assert(sizeof(struct head) == 64, "what follows is aligned");

enum { MAX_ITEMS = 1 << 20 };

// ---- writing ------------------------------------------------------------------------------------------------------

static bool put_file(struct serial_writer *writer, const struct compiler_file *file)
{
    struct identity identity = {{0}};
    bool is_known = true;
    if (file->kind == COMPILER_FILE_LIBRARY) {
        is_known = identity_of_file(file->path, &identity);
    } else if (file->kind == COMPILER_FILE_READ && writer->bytes != NULL) {
        struct blake2 hash;
        blake2_init(&hash, sizeof identity.bytes);
        blake2_add(&hash, file->bytes, file->size);
        blake2_finish(&hash, identity.bytes);
    }
    serial_put_number(writer, (uint64_t)file->kind);
    serial_put_text(writer, file->path);
    serial_put_number(writer, file->size);
    serial_put(writer, identity.bytes, sizeof identity.bytes);
    return is_known;
}

static bool put_all(struct serial_writer *writer, const struct compiler_result *result)
{
    struct head head = {.image_size = result->size,
                        .file_count = (uint32_t)result->file_count,
                        .diagnostic_count = (uint32_t)result->diagnostic_count,
                        .error_count = (uint32_t)result->error_count,
                        .warning_count = (uint32_t)result->warning_count};
    bool is_known = true;
    serial_put(writer, &head, sizeof head);
    serial_put(writer, result->bytes, result->size);
    for (int i = 0; i < result->file_count; i++) {
        is_known = put_file(writer, &result->files[i]) && is_known;
    }
    for (int i = 0; i < result->diagnostic_count; i++) {
        const struct compiler_diagnostic *diagnostic = &result->diagnostics[i];
        serial_put_number(writer, (uint64_t)diagnostic->severity);
        serial_put_number(writer, diagnostic->line);
        serial_put_number(writer, diagnostic->column);
        serial_put_text(writer, diagnostic->file);
        serial_put_text(writer, diagnostic->text);
        serial_put_text(writer, diagnostic->rendered);
    }
    return is_known;
}

bool cache_entry_write(const struct compiler_result *result, unsigned char **out_memory, size_t *out_payload_size)
{
    struct serial_writer counter = {.bytes = NULL};
    *out_memory = NULL;
    *out_payload_size = 0;
    if (!put_all(&counter, result)) {
        return false;
    }
    unsigned char *memory = malloc(CACHE_HEADER_SIZE + counter.used);
    if (memory == NULL) {
        return false;
    }
    struct serial_writer writer = {.bytes = memory + CACHE_HEADER_SIZE};
    if (!put_all(&writer, result)) {
        free(memory);
        return false;
    }
    assert(writer.used == counter.used);
    *out_memory = memory;
    *out_payload_size = writer.used;
    return true;
}

// ---- reading ------------------------------------------------------------------------------------------------------

static void take_file(struct serial_reader *reader, struct cache_file *file)
{
    file->kind = (enum compiler_file_kind)serial_take_number(reader, COMPILER_FILE_LIBRARY);
    file->path = serial_take_text(reader);
    file->size = serial_take_number(reader, UINT64_MAX);
    const void *digest = serial_take(reader, sizeof file->digest);
    if (digest != NULL) {
        memcpy(file->digest, digest, sizeof file->digest);
    }
}

static void take_diagnostic(struct serial_reader *reader, struct compiler_diagnostic *diagnostic)
{
    enum { ERROR = 2 };
    diagnostic->severity = (int)serial_take_number(reader, ERROR);
    diagnostic->line = (uint32_t)serial_take_number(reader, UINT32_MAX);
    diagnostic->column = (uint32_t)serial_take_number(reader, UINT32_MAX);
    diagnostic->file = serial_take_text(reader);
    diagnostic->text = serial_take_text(reader);
    diagnostic->rendered = serial_take_text(reader);
}

bool cache_entry_read(const unsigned char *payload, size_t size, struct cache_entry *out_entry)
{
    struct serial_reader reader = {.bytes = payload, .left = size};
    struct head head = {.image_size = 0};
    *out_entry = (struct cache_entry){.memory = NULL};
    const void *start = serial_take(&reader, sizeof head);
    if (start == NULL) {
        return false;
    }
    memcpy(&head, start, sizeof head);
    const void *image = serial_take(&reader, head.image_size);
    // An entry without an image is none, and one with errors is not kept.
    if (image == NULL || head.image_size == 0 || head.error_count != 0 || head.file_count > MAX_ITEMS ||
        head.diagnostic_count > MAX_ITEMS || head.warning_count > INT32_MAX) {
        return false;
    }
    size_t files_size = sizeof(struct cache_file) * head.file_count;
    char *memory = calloc(1, files_size + sizeof(struct compiler_diagnostic) * head.diagnostic_count + 1);
    if (memory == NULL) {
        return false;
    }
    struct cache_file *files = (struct cache_file *)(void *)memory;
    struct compiler_diagnostic *diagnostics = (struct compiler_diagnostic *)(void *)(memory + files_size);
    for (uint32_t i = 0; i < head.file_count && !reader.is_bad; i++) {
        take_file(&reader, &files[i]);
    }
    for (uint32_t i = 0; i < head.diagnostic_count && !reader.is_bad; i++) {
        take_diagnostic(&reader, &diagnostics[i]);
    }
    if (reader.is_bad || reader.left != 0) {
        free(memory);
        return false;
    }
    *out_entry = (struct cache_entry){.files = files, .file_count = (int)head.file_count, .memory = memory};
    out_entry->result = (struct compiler_result){.diagnostics = diagnostics,
                                                 .diagnostic_count = (int)head.diagnostic_count,
                                                 .warning_count = (int)head.warning_count,
                                                 .bytes = image,
                                                 .size = (size_t)head.image_size};
    return true;
}

void cache_entry_free(struct cache_entry *entry)
{
    free(entry->memory);
    *entry = (struct cache_entry){.memory = NULL};
}

// ---- today --------------------------------------------------------------------------------------------------------

static bool has_digest(int fd, const unsigned char wanted[IDENTITY_SIZE])
{
    unsigned char bytes[16384], digest[IDENTITY_SIZE];
    struct blake2 hash;
    blake2_init(&hash, sizeof digest);
    for (;;) {
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return false;
        }
        if (got == 0) {
            break;
        }
        blake2_add(&hash, bytes, (size_t)got);
    }
    blake2_finish(&hash, digest);
    return memcmp(digest, wanted, sizeof digest) == 0;
}

static bool is_same_text(const struct cache_file *file)
{
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    bool is_same = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size == file->size &&
                   has_digest(fd, file->digest);
    if (fd >= 0) {
        close(fd);
    }
    return is_same;
}

static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode); // as the preprocessor looks
}

static bool is_same(const struct cache_file *file)
{
    struct identity identity;
    switch (file->kind) {
    case COMPILER_FILE_READ: return is_same_text(file);
    case COMPILER_FILE_PRESENT: return is_there(file->path);
    case COMPILER_FILE_ABSENT: return !is_there(file->path);
    case COMPILER_FILE_LIBRARY:
        return identity_of_file(file->path, &identity) &&
               memcmp(identity.bytes, file->digest, sizeof file->digest) == 0;
    }
    return false;
}

bool cache_entry_is_current(const struct cache_entry *entry, const char **out_path)
{
    for (int i = 0; i < entry->file_count; i++) {
        if (!is_same(&entry->files[i])) {
            *out_path = entry->files[i].path;
            return false;
        }
    }
    *out_path = NULL;
    return true;
}
