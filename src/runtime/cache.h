// What a compile gave, kept on disk for the next process: see docs/cache.md. A context has a cache unless it was told
// not to; the folder is opened at the first compile.
//
// Threads: everything but create and destroy may be called from every thread.
#ifndef RILL_RUNTIME_CACHE_H
#define RILL_RUNTIME_CACHE_H

#include "backend/backend.h"
#include "rill/context.h"
#include "runtime/cache_entry.h"
#include "runtime/source.h"

struct cache;
struct context;

// |wanted|: what the program said, a folder or "off"; NULL: as the environment says. NULL: there is none.
struct cache *cache_create(struct context *context, const char *wanted);
void cache_destroy(struct context *context, struct cache *cache); // NULL is fine
// The folder's path. False: there is none.
bool cache_choose_folder(const char *wanted, char *out, size_t size);
void cache_read_stats(struct cache *cache, rill_cache_stats *out_stats); // NULL is fine

// One look into the cache, and what came of it.
struct cache_lookup {
    bool is_found;
    struct cache_entry entry; // if it was found
    struct cache_blob blob;   // owned: what the entry points to
    struct cache_key key;
    bool may_keep; // what the compiler gives instead
    bool replaces; // an entry that is no good
};

// Looks for an image of |source| for a device of |context|. Where there is none the compiler is asked, and what it
// gives should be kept. The compiler's library is not loaded. To be ended in any case.
void cache_find_image(struct context *context, const struct source *source, struct cache_lookup *out_lookup);
void cache_keep_image(struct context *context, const struct cache_lookup *lookup, const struct source *source,
                      const struct compiler_result *result);
void cache_end(struct cache_lookup *lookup);

// What a GPU's driver made of code. True: found, and the blob is the caller's.
bool cache_find_binary(struct context *context, const struct backend_binary_key *key, struct cache_blob *out_blob);
void cache_keep_binary(struct context *context, const struct backend_binary_key *key, const void *bytes, size_t size);

// Which of several kernels is fastest: see variants.c. True: found, and the blob is the caller's.
bool cache_find_choice(struct context *context, const struct cache_key *key, struct cache_blob *out_blob);
void cache_keep_choice(struct context *context, const struct cache_key *key, const char *kernel, const void *bytes,
                       size_t size);

// What compiles for |source| depend on, as far as is known without compiling. |compiler| is the library's identity.
struct cache_builds {
    struct identity runtime;
    struct identity compiler;
};
void cache_key_of_image(const struct cache_builds *builds, const char *device, const struct compiler_input *input,
                        struct cache_key *out_key);
void cache_key_of_processor(struct cache_key *out_key); // what it can do, and not which of them it is
void cache_key_of_binary(const struct backend_binary_key *binary, struct cache_key *out_key);

#endif
