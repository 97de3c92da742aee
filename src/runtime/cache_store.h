// A folder of entries, each a file of its own whose name is the key. An entry carries a digest of all that is in it,
// which is compared before anything of it is used: so one that was torn, cut or changed is found out, whatever tore it,
// and nothing has to be synchronised with the disk.
//
// An entry appears whole or not at all: it is written to a file without a name, which then gets the name (where the
// file system cannot do that, to a temporary name that is moved). Processes that make the same entry at the same time
// do not wait for each other, as both write the same.
//
// No call fails in a way that its caller must handle: what cannot be read is missing, what cannot be written is not
// kept, and words say why.
//
// Threads: everything but open and close may be called from every thread.
#ifndef RILL_RUNTIME_CACHE_STORE_H
#define RILL_RUNTIME_CACHE_STORE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CACHE_KEY_SIZE = 32,
    CACHE_LABEL_SIZE = 104,
    CACHE_HEADER_SIZE = 192,  // what comes behind it in memory is aligned to 64 bytes
    CACHE_FORMAT = 1,         // of entries; those of another one are missing
    CACHE_MAX_ENTRY = 1 << 28 // bytes
};

struct cache_key {
    unsigned char bytes[CACHE_KEY_SIZE];
};

// What an entry is: X(NAME, number in the file, ending of its name)
#define CACHE_KIND_LIST(X)                                                                                             \
    X(IMAGE, 1, "image")                                                                                               \
    X(BINARY, 2, "binary")                                                                                             \
    X(CHOICE, 3, "choice")

enum cache_kind {
#define CACHE_KIND_ENUM(name, number, ending) CACHE_##name = number,
    CACHE_KIND_LIST(CACHE_KIND_ENUM)
#undef CACHE_KIND_ENUM
};

struct cache_store {
    int folder;          // owned; -1: not open
    uint64_t limit;      // bytes of all entries, beyond which the least recently used go
    bool only_looks;     // finding is no use: the time of an entry stays as it is
    atomic_uint kept;    // entries written by this store: now and then it is trimmed
    char path[PATH_MAX]; // for words
};

struct cache_words {
    char text[512]; // one sentence; "": there is nothing to say
};

enum cache_access {
    CACHE_USABLE,
    CACHE_ABSENT, // it cannot be made, or opened: nothing that somebody need be warned of
    CACHE_UNSAFE, // others may write there, or put it there
};

// Opens the folder, and makes it with its parents if it is not there.
enum cache_access cache_store_open(struct cache_store *store, const char *path, struct cache_words *out_words);
void cache_store_close(struct cache_store *store);

enum cache_found {
    CACHE_FOUND,
    CACHE_MISSING,
    CACHE_OLDER,     // of another format
    CACHE_DAMAGED,   // or unreadable, or somebody else's: the words say which
    CACHE_NO_MEMORY, // or no more open files
};

// An entry in memory.
struct cache_blob {
    unsigned char *memory;        // owned: the whole entry
    const unsigned char *payload; // in |memory|, aligned to 64 bytes
    size_t size;                  // of the payload
    char label[CACHE_LABEL_SIZE]; // terminated
};

enum cache_found cache_store_find(const struct cache_store *store, const struct cache_key *key, enum cache_kind kind,
                                  struct cache_blob *out_blob, struct cache_words *out_words);
void cache_blob_free(struct cache_blob *blob);

// An entry to be written: |memory| has room for the header, then the payload.
struct cache_item {
    const struct cache_key *key;
    enum cache_kind kind;
    const char *label; // for people; cut if it is long
    unsigned char *memory;
    size_t payload_size;
    bool replaces; // one that was found and is no good
};

// False: it was not kept.
bool cache_store_keep(struct cache_store *store, const struct cache_item *item, struct cache_words *out_words);

// Removes the least recently used entries until the rest is well within the limit, and what writers that were killed
// have left. How many entries went.
size_t cache_store_trim(struct cache_store *store);

// Whether a file of that name is an entry, and what the name says of it.
bool cache_store_is_entry(const char *name);
enum cache_kind cache_store_read_name(const char *name, struct cache_key *out_key);

// What the bytes of a file are, as cache_store_find() sees them.
enum cache_found cache_store_check(const unsigned char *bytes, size_t size, const struct cache_key *key,
                                   enum cache_kind kind, struct cache_words *out_words);

#endif
