#include "backend/cuda/binary.h"

#include "backend/cuda/loader.h"
#include "base/hash.h"
#include "base/status.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STORE_LIMIT = 64 << 20 }; // bytes of binaries that are kept

struct cuda_binary_key cuda_binary_key_of(const char *ptx, size_t size, int architecture, int version)
{
    struct cuda_binary_key key;
    memset(&key, 0, sizeof key); // it is compared byte by byte
    key.code[0] = hash_bytes(HASH_SEED, ptx, size);
    key.code[1] = hash_bytes(key.code[0] ^ UINT64_C(0x9e3779b97f4a7c15), ptx, size);
    key.size = size;
    key.architecture = architecture;
    key.version = version;
    return key;
}

// ---- making -------------------------------------------------------------------------------------------------------

bool cuda_binary_can_make(const struct cuda_symbols *cu)
{
    return cu->link_create != NULL && cu->link_add != NULL && cu->link_complete != NULL && cu->link_destroy != NULL;
}

rill_status cuda_binary_copy(const void *bytes, size_t size, const struct cuda_binary_key *key,
                             struct cuda_binary **out_binary)
{
    assert(bytes != NULL && size > 0);
    struct cuda_binary *binary = aligned_alloc(64, (sizeof *binary + size + 63) / 64 * 64);
    if (binary == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the module's code");
    }
    binary->next = NULL;
    atomic_init(&binary->reference_count, 1);
    binary->key = *key;
    binary->size = size;
    memcpy(binary->bytes, bytes, size);
    *out_binary = binary;
    return RILL_OK;
}

rill_status cuda_binary_make(const struct cuda_symbols *cu, const char *ptx, const struct cuda_binary_key *key,
                             struct cuda_binary **out_binary)
{
    *out_binary = NULL;
    if (!cuda_binary_can_make(cu)) {
        return status_fail(RILL_ERR_UNSUPPORTED, "the driver has no linker");
    }
    char log[2048] = "";
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_SIZE, CU_JIT_LINE_INFO};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1), (void *)(uintptr_t)1};
    cu_link link = NULL;
    void *bytes = NULL; // the link's, until it is destroyed
    size_t size = 0;
    int result = cu->link_create(3, options, values, &link);
    result = result == CU_SUCCESS
                 ? cu->link_add(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, strlen(ptx) + 1, "rill", 0, NULL, NULL)
                 : result;
    result = result == CU_SUCCESS ? cu->link_complete(link, &bytes, &size) : result;
    rill_status status = cuda_convert(cu, result, "compiling the module's code");
    if (status == RILL_OK) {
        status = cuda_binary_copy(bytes, size, key, out_binary);
    } else {
        char words[1024];
        snprintf(words, sizeof words, "%s", rill_message());
        log[sizeof log - 1] = '\0';
        status = status_fail(status, "%s%s%s", words, log[0] != '\0' ? "; " : "", log);
    }
    if (link != NULL) {
        cu->link_destroy(link);
    }
    return status;
}

void cuda_binary_release(struct cuda_binary *binary)
{
    assert(binary == NULL || atomic_load(&binary->reference_count) > 0);
    if (binary != NULL && atomic_fetch_sub(&binary->reference_count, 1) == 1) {
        free(binary);
    }
}

// ---- keeping ------------------------------------------------------------------------------------------------------

void cuda_binary_store_init(struct cuda_binary_store *store)
{
    thread_mutex_init(&store->lock);
}

struct cuda_binary *cuda_binary_find(struct cuda_binary_store *store, const struct cuda_binary_key *key)
{
    struct cuda_binary *found = NULL;
    thread_lock(&store->lock);
    for (struct cuda_binary **link = &store->first; *link != NULL; link = &(*link)->next) {
        if (memcmp(&(*link)->key, key, sizeof *key) == 0) {
            found = *link;
            *link = found->next;
            found->next = store->first;
            store->first = found;
            atomic_fetch_add(&found->reference_count, 1);
            break;
        }
    }
    thread_unlock(&store->lock);
    return found;
}

// The last of the list, which is used least, if it is not the first too.
static struct cuda_binary *take_last(struct cuda_binary_store *store)
{
    struct cuda_binary **link = &store->first;
    while (*link != NULL && (*link)->next != NULL) {
        link = &(*link)->next;
    }
    struct cuda_binary *last = *link != store->first ? *link : NULL;
    if (last != NULL) {
        *link = NULL;
        assert(store->size >= last->size);
        store->size -= last->size;
    }
    return last;
}

void cuda_binary_keep(struct cuda_binary_store *store, struct cuda_binary *binary)
{
    struct cuda_binary *gone = NULL;
    thread_lock(&store->lock);
    atomic_fetch_add(&binary->reference_count, 1);
    assert(binary->next == NULL); // it is in no list
    binary->next = store->first;
    store->first = binary;
    store->size += binary->size;
    while (store->size > STORE_LIMIT) {
        struct cuda_binary *last = take_last(store);
        if (last == NULL) {
            break;
        }
        last->next = gone;
        gone = last;
    }
    thread_unlock(&store->lock);
    while (gone != NULL) {
        struct cuda_binary *next = gone->next;
        cuda_binary_release(gone);
        gone = next;
    }
}
