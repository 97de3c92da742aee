#include "runtime/package_format.h"

#include "base/blake2.h"
#include "runtime/serial.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The digest is of this struct without it, and of the list, which follows.
struct head {
    char magic[8];
    uint64_t size; // of all
    uint64_t list_size;
    uint32_t image_count;
    uint32_t header_count;
    uint32_t define_count;
    uint32_t flags;
    unsigned char zeros[24];
    unsigned char digest[PACKAGE_DIGEST_SIZE];
    unsigned char more_zeros[32];
};

_Static_assert(sizeof(struct head) == 128, "what follows is aligned");

static const char family[] = "rillpk"; // two digits follow: the form
static const char form[] = "01";

enum { HAS_SOURCE = 1, CONTRACT_OFF = 2, CHECK_BOUNDS = 4, FAST_MATH = 8, CHECK_RACES = 16, ALL_FLAGS = 31 };

enum { MAX_ITEMS = 1 << 16 };

static void digest_of(const void *bytes, size_t size, unsigned char out[PACKAGE_DIGEST_SIZE])
{
    struct blake2 hash;
    blake2_init(&hash, PACKAGE_DIGEST_SIZE);
    blake2_add(&hash, bytes, size);
    blake2_finish(&hash, out);
}

static void digest_of_list(struct head head, const void *list, unsigned char out[PACKAGE_DIGEST_SIZE])
{
    struct blake2 hash;
    memset(head.digest, 0, sizeof head.digest);
    blake2_init(&hash, PACKAGE_DIGEST_SIZE);
    blake2_add(&hash, &head, sizeof head);
    blake2_add(&hash, list, head.list_size);
    blake2_finish(&hash, out);
}

// ---- writing ------------------------------------------------------------------------------------------------------

static void put_pairs(struct serial_writer *writer, const struct compiler_name_value *pairs, int count)
{
    for (int i = 0; i < count; i++) {
        serial_put_text(writer, pairs[i].name);
        serial_put_number(writer, pairs[i].value != NULL);
        serial_put_text(writer, pairs[i].value);
    }
}

static uint64_t aligned(uint64_t offset)
{
    return (offset + PACKAGE_ALIGN - 1) / PACKAGE_ALIGN * PACKAGE_ALIGN;
}

// |end|: of the list, behind which the images begin. The length of the list does not depend on it.
static uint64_t put_list(struct serial_writer *writer, const struct package *package, uint64_t end)
{
    const struct compiler_input *source = &package->source;
    serial_put_text(writer, package->built);
    serial_put_text(writer, source->path);
    serial_put_number(writer, package->has_source ? source->length : 0);
    if (package->has_source) {
        serial_put(writer, source->text, source->length);
    }
    serial_put(writer, "", 1);
    put_pairs(writer, source->defines, source->define_count);
    put_pairs(writer, source->headers, package->has_source ? source->header_count : 0);
    uint64_t at = aligned(end);
    for (int i = 0; i < package->image_count; i++) {
        const struct package_image *image = &package->images[i];
        serial_put_text(writer, image->target);
        serial_put_number(writer, at);
        serial_put_number(writer, image->size);
        serial_put(writer, image->digest, sizeof image->digest);
        at = aligned(at + image->size);
    }
    return at;
}

unsigned char *package_write(struct package *package, size_t *out_size)
{
    assert(package->image_count <= PACKAGE_MAX_IMAGES);
    *out_size = 0;
    for (int i = 0; i < package->image_count; i++) {
        digest_of(package->images[i].payload, package->images[i].size, package->images[i].digest);
    }
    struct serial_writer counter = {.bytes = NULL};
    put_list(&counter, package, 0);
    const struct compiler_input *source = &package->source;
    struct head head = {.list_size = counter.used,
                        .image_count = (uint32_t)package->image_count,
                        .header_count = package->has_source ? (uint32_t)source->header_count : 0,
                        .define_count = (uint32_t)source->define_count};
    head.flags = (package->has_source ? HAS_SOURCE : 0) | (source->contract_off ? CONTRACT_OFF : 0) |
                 (source->check_bounds ? CHECK_BOUNDS : 0) | (source->check_races ? CHECK_RACES : 0) |
                 (source->fast_math ? FAST_MATH : 0);
    memcpy(head.magic, family, sizeof family - 1);
    memcpy(head.magic + sizeof family - 1, form, sizeof form - 1);
    counter.used = 0;
    head.size = put_list(&counter, package, sizeof head + head.list_size);
    unsigned char *bytes = aligned_alloc(PACKAGE_ALIGN, head.size);
    if (bytes == NULL) {
        return NULL;
    }
    memset(bytes, 0, head.size);
    struct serial_writer writer = {.bytes = bytes + sizeof head};
    put_list(&writer, package, sizeof head + head.list_size);
    assert(writer.used == head.list_size);
    digest_of_list(head, bytes + sizeof head, head.digest);
    memcpy(bytes, &head, sizeof head);
    uint64_t at = aligned(sizeof head + head.list_size);
    for (int i = 0; i < package->image_count; i++) {
        memcpy(bytes + at, package->images[i].payload, package->images[i].size);
        at = aligned(at + package->images[i].size);
    }
    *out_size = head.size;
    return bytes;
}

// ---- reading ------------------------------------------------------------------------------------------------------

static void take_pairs(struct serial_reader *reader, struct compiler_name_value *pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count && !reader->is_bad; i++) {
        pairs[i].name = serial_take_text(reader);
        bool has_value = serial_take_number(reader, 1) != 0;
        const char *value = serial_take_text(reader);
        pairs[i].value = has_value ? value : NULL;
    }
}

static void take_image(struct serial_reader *reader, const struct head *head, const unsigned char *bytes,
                       struct package_image *image)
{
    image->target = serial_take_text(reader);
    uint64_t at = serial_take_number(reader, head->size);
    image->size = serial_take_number(reader, head->size - at);
    const void *digest = serial_take(reader, sizeof image->digest);
    reader->is_bad = reader->is_bad || at % PACKAGE_ALIGN != 0 || at < sizeof *head + head->list_size;
    if (!reader->is_bad) {
        memcpy(image->digest, digest, sizeof image->digest);
        image->payload = bytes + at;
    }
}

static void take_source(struct serial_reader *reader, const struct head *head, struct compiler_input *source)
{
    source->path = serial_take_text(reader);
    source->length = (size_t)serial_take_number(reader, reader->left);
    source->text = serial_take(reader, source->length);
    const char *end = serial_take(reader, 1);
    reader->is_bad = reader->is_bad || *end != '\0';
    source->define_count = (int)head->define_count;
    source->header_count = (int)head->header_count;
    source->contract_off = (head->flags & CONTRACT_OFF) != 0;
    source->check_bounds = (head->flags & CHECK_BOUNDS) != 0;
    source->check_races = (head->flags & CHECK_RACES) != 0;
    source->fast_math = (head->flags & FAST_MATH) != 0;
}

// The list's digest was right.
static enum package_found take_list(const struct head *head, const unsigned char *bytes, struct package *out)
{
    size_t pairs_size = sizeof(struct compiler_name_value) * ((size_t)head->define_count + head->header_count);
    char *memory = calloc(1, pairs_size + sizeof(struct package_image) * head->image_count + 1);
    if (memory == NULL) {
        return PACKAGE_NO_MEMORY;
    }
    struct compiler_name_value *defines = (struct compiler_name_value *)(void *)memory;
    struct compiler_name_value *headers = defines + head->define_count;
    *out = (struct package){.memory = memory, .image_count = (int)head->image_count};
    out->images = (struct package_image *)(void *)(memory + pairs_size);
    struct serial_reader reader = {.bytes = bytes + sizeof *head, .left = (size_t)head->list_size};
    out->built = serial_take_text(&reader);
    take_source(&reader, head, &out->source);
    take_pairs(&reader, defines, head->define_count);
    take_pairs(&reader, headers, head->header_count);
    out->source.defines = defines;
    out->source.headers = headers;
    out->has_source = (head->flags & HAS_SOURCE) != 0;
    for (uint32_t i = 0; i < head->image_count && !reader.is_bad; i++) {
        take_image(&reader, head, bytes, &out->images[i]);
    }
    if (reader.is_bad || reader.left != 0) {
        package_finish(out);
        return PACKAGE_DAMAGED;
    }
    return PACKAGE_SOUND;
}

enum package_found package_read(const void *bytes, size_t size, struct package *out_package)
{
    *out_package = (struct package){.memory = NULL};
    struct head head;
    if (size < sizeof head) {
        return PACKAGE_DAMAGED;
    }
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, family, sizeof family - 1) != 0) {
        return PACKAGE_NONE;
    }
    if (memcmp(head.magic + sizeof family - 1, form, sizeof form - 1) != 0) {
        return PACKAGE_OLDER;
    }
    unsigned char digest[PACKAGE_DIGEST_SIZE];
    if (head.size != size || head.list_size > size - sizeof head || head.image_count > PACKAGE_MAX_IMAGES ||
        head.define_count > MAX_ITEMS || head.header_count > MAX_ITEMS || head.flags > ALL_FLAGS) {
        return PACKAGE_DAMAGED;
    }
    digest_of_list(head, (const unsigned char *)bytes + sizeof head, digest);
    if (memcmp(digest, head.digest, sizeof digest) != 0) {
        return PACKAGE_DAMAGED;
    }
    return take_list(&head, bytes, out_package);
}

void package_finish(struct package *package)
{
    free(package->memory);
    *package = (struct package){.memory = NULL};
}

bool package_image_is_sound(const struct package_image *image)
{
    unsigned char digest[PACKAGE_DIGEST_SIZE];
    digest_of(image->payload, image->size, digest);
    return memcmp(digest, image->digest, sizeof digest) == 0;
}

uint64_t package_check(const void *bytes, size_t size)
{
    struct head head;
    uint64_t check = 0;
    if (size >= sizeof head) {
        memcpy(&head, bytes, sizeof head);
        memcpy(&check, head.digest, sizeof check);
    }
    return check;
}
