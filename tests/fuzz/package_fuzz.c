// A package whose list has the right digest: whatever else it says, it is read or refused. What was read lies inside
// it.
#include "base/blake2.h"
#include "runtime/package_format.h"
#include "runtime/package_target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Where these stand in the head of a package.
enum { SIZE_AT = 8, LIST_SIZE_AT = 16, DIGEST_AT = 64, HEAD_SIZE = 128 };

// No digest is right by chance: it is made right, and the size with it.
static void seal(unsigned char *bytes, size_t size)
{
    uint64_t whole = size, list_size;
    struct blake2 hash;
    memcpy(&list_size, bytes + LIST_SIZE_AT, sizeof list_size);
    memcpy(bytes + SIZE_AT, &whole, sizeof whole);
    if (list_size > size - HEAD_SIZE) {
        list_size = size - HEAD_SIZE;
        memcpy(bytes + LIST_SIZE_AT, &list_size, sizeof list_size);
    }
    memset(bytes + DIGEST_AT, 0, PACKAGE_DIGEST_SIZE);
    blake2_init(&hash, PACKAGE_DIGEST_SIZE);
    blake2_add(&hash, bytes, HEAD_SIZE + list_size);
    blake2_finish(&hash, bytes + DIGEST_AT);
}

static void must_lie_inside(const void *at, size_t length, const unsigned char *bytes, size_t size)
{
    const unsigned char *first = at;
    if (first < bytes || length > size || first > bytes + (size - length)) {
        abort();
    }
}

static void check_pairs(const struct compiler_name_value *pairs, int count, const unsigned char *bytes, size_t size)
{
    for (int i = 0; i < count; i++) {
        must_lie_inside(pairs[i].name, strlen(pairs[i].name) + 1, bytes, size);
        if (pairs[i].value != NULL) {
            must_lie_inside(pairs[i].value, strlen(pairs[i].value) + 1, bytes, size);
        }
    }
}

static void check(const struct package *package, const unsigned char *bytes, size_t size)
{
    const struct compiler_input *source = &package->source;
    must_lie_inside(package->built, strlen(package->built) + 1, bytes, size);
    must_lie_inside(source->path, strlen(source->path) + 1, bytes, size);
    must_lie_inside(source->text, source->length + 1, bytes, size);
    check_pairs(source->defines, source->define_count, bytes, size);
    check_pairs(source->headers, source->header_count, bytes, size);
    for (int i = 0; i < package->image_count; i++) {
        const struct package_image *image = &package->images[i];
        must_lie_inside(image->payload, image->size, bytes, size);
        package_image_is_sound(image);
        package_target_rank(image->target, "sm_90", 0);
        package_target_rank(image->target, NULL, 4);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct package package;
    unsigned char *bytes = aligned_alloc(PACKAGE_ALIGN, (size + PACKAGE_ALIGN) / PACKAGE_ALIGN * PACKAGE_ALIGN);
    if (bytes == NULL) {
        return 0;
    }
    memcpy(bytes, data, size);
    if (package_read(bytes, size, &package) == PACKAGE_SOUND) {
        check(&package, bytes, size);
        package_finish(&package);
    }
    if (size >= HEAD_SIZE) {
        seal(bytes, size);
        if (package_read(bytes, size, &package) == PACKAGE_SOUND) {
            check(&package, bytes, size);
            package_finish(&package);
        }
    }
    free(bytes);
    return 0;
}
