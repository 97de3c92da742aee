// What an entry of the cache says of a compile: the image, the diagnostics, and what else than its key the compile
// depended on, so that whoever finds it can see whether a compile would give the same today.
#ifndef RILL_RUNTIME_CACHE_ENTRY_H
#define RILL_RUNTIME_CACHE_ENTRY_H

#include "base/identity.h"
#include "compiler/compiler.h"
#include "runtime/cache_store.h"

struct cache_file {
    enum compiler_file_kind kind;
    const char *path;
    uint64_t size;                       // READ: its bytes
    unsigned char digest[IDENTITY_SIZE]; // READ: of the bytes; LIBRARY: its identity
};

struct cache_entry {
    struct compiler_result result; // as the compiler gave it, but for |files|; its image is aligned to 64 bytes
    struct cache_file *files;
    int file_count;
    void *memory; // owned: what |result| and |files| point to, besides the payload
};

// The entry for |result|, behind room for the store's header. False: there is no memory, or a file that it depended on
// cannot be read any more.
bool cache_entry_write(const struct compiler_result *result, unsigned char **out_memory, size_t *out_payload_size);

// |payload| is untrusted, aligned to 64 bytes, and outlives the entry. False: it is none, or there is no memory.
bool cache_entry_read(const unsigned char *payload, size_t size, struct cache_entry *out_entry);
void cache_entry_free(struct cache_entry *entry);

// Whether the files are what they were. |*out_path| is one that is not.
bool cache_entry_is_current(const struct cache_entry *entry, const char **out_path);

#endif
