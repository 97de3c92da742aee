// A package in bytes: a head, a list (which build of Rill made it, the source with its options, the images with their
// targets), then the images, each in the form in which the cache keeps one. The head has a digest of the list, which
// has one of each image; what is used is compared first.
#ifndef RILL_RUNTIME_PACKAGE_FORMAT_H
#define RILL_RUNTIME_PACKAGE_FORMAT_H

#include "compiler/compiler.h"

enum { PACKAGE_ALIGN = 64, PACKAGE_DIGEST_SIZE = 32, PACKAGE_MAX_IMAGES = 64 };

struct package_image {
    const char *target;           // "x86-64-v3", "sm_90", "native …": see package_target.h
    const unsigned char *payload; // aligned; see runtime/cache_entry.h
    uint64_t size;
    unsigned char digest[PACKAGE_DIGEST_SIZE]; // not verified by package_read()
};

struct package {
    const char *built;            // COMPILER_BUILT of what made it
    struct compiler_input source; // path, text, defines, headers and options; what was included is among the headers
    bool has_source;              // else there is no text and no headers
    struct package_image *images;
    int image_count;
    void *memory; // owned, of a package that was read: what this struct points to besides the bytes
};

// The bytes (free()); NULL: no memory. The digests are computed.
unsigned char *package_write(struct package *package, size_t *out_size);

enum package_found {
    PACKAGE_SOUND,
    PACKAGE_NONE,    // it does not begin like one
    PACKAGE_OLDER,   // of another form
    PACKAGE_DAMAGED, // cut, or changed
    PACKAGE_NO_MEMORY,
};

// |bytes| are untrusted, aligned to PACKAGE_ALIGN, and outlive the package. Images are not verified yet.
enum package_found package_read(const void *bytes, size_t size, struct package *out_package);
void package_finish(struct package *package);
bool package_image_is_sound(const struct package_image *image);

// What rill_package.check is for these bytes: 0 if they are too few.
uint64_t package_check(const void *bytes, size_t size);

#endif
