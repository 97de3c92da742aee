// What the driver makes of PTX: a binary for one architecture, which loads in a fraction of the time that the compile
// takes. It is kept in memory for the rest of the process, by the PTX, the architecture and the driver, so that a
// module that is loaded again, in another context or after it was unloaded, is not compiled again; and on disk for the
// next process, if the host does that (backend_host).
#ifndef RILL_BACKEND_CUDA_BINARY_H
#define RILL_BACKEND_CUDA_BINARY_H

#include "backend/cuda/symbols.h"
#include "base/thread.h"
#include "rill/status.h"

#include <stdatomic.h>
#include <stdbool.h>

// What a binary depends on. All zero is no key.
struct cuda_binary_key {
    uint64_t code[2]; // two hashes of the PTX
    uint64_t size;    // of the PTX
    int architecture; // 90
    int version;      // of the driver
};

struct cuda_binary {
    struct cuda_binary *next;
    atomic_int reference_count;
    struct cuda_binary_key key;
    size_t size;
    _Alignas(64) unsigned char bytes[];
};

struct cuda_binary_store {
    struct thread_mutex lock;
    struct cuda_binary *first; // owned: the last used first
    size_t size;               // of all
    _Atomic uint64_t made_count;
    _Atomic uint64_t found_count;
};

struct cuda_binary_key cuda_binary_key_of(const char *ptx, size_t size, int architecture, int version);

// Whether the driver has what it takes.
bool cuda_binary_can_make(const struct cuda_symbols *cu);
// Compiles and links. RILL_ERR_UNSUPPORTED: the driver cannot give its binaries away. One reference.
rill_status cuda_binary_make(const struct cuda_symbols *cu, const char *ptx, const struct cuda_binary_key *key,
                             struct cuda_binary **out_binary);
// Of bytes that were made before.
rill_status cuda_binary_copy(const void *bytes, size_t size, const struct cuda_binary_key *key,
                             struct cuda_binary **out_binary);
void cuda_binary_release(struct cuda_binary *binary); // NULL is fine

void cuda_binary_store_init(struct cuda_binary_store *store);
// One reference; NULL: it is not there.
struct cuda_binary *cuda_binary_find(struct cuda_binary_store *store, const struct cuda_binary_key *key);
void cuda_binary_keep(struct cuda_binary_store *store, struct cuda_binary *binary); // the oldest of too many go

#endif
