#include "runtime/cache.h"

#include "base/status.h"
#include "runtime/context.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum cache_state { CACHE_UNTRIED, CACHE_OPEN, CACHE_CLOSED };

struct cache {
    struct thread_mutex lock; // while it is opened
    atomic_int state;         // enum cache_state; what follows is constant once it is open
    struct cache_store store;
    struct cache_builds builds;
    char compiler[PATH_MAX]; // the library's path
    bool knows_compiler;     // which it is that would be asked: else its answers cannot be told from another's
    char folder[PATH_MAX];
    atomic_bool has_warned; // of an entry: the next ones are notes

    _Atomic uint64_t hit_count;
    _Atomic uint64_t missing_count;
    _Atomic uint64_t changed_count;
    _Atomic uint64_t damaged_count;
    _Atomic uint64_t passed_count;
    _Atomic uint64_t kept_count;
    _Atomic uint64_t not_kept_count;
    _Atomic uint64_t binary_hit_count;
    _Atomic uint64_t binary_miss_count;
    _Atomic uint64_t binary_kept_count;
    _Atomic uint64_t choice_kept_count;
};

// ---- where --------------------------------------------------------------------------------------------------------

static bool join(char *out, size_t size, const char *a, const char *b)
{
    int length = snprintf(out, size, "%s%s", a, b);
    return length > 0 && (size_t)length < size;
}

// The variables of a program that runs with other rights than its caller's are not trusted.
bool cache_choose_folder(const char *wanted, char *out, size_t size)
{
    const char *named = wanted != NULL ? wanted : secure_getenv("RILL_CACHE");
    if (named != NULL && named[0] != '\0') {
        return strcmp(named, "off") != 0 && join(out, size, named, "");
    }
    const char *base = secure_getenv("XDG_CACHE_HOME");
    if (base != NULL && base[0] == '/') { // what is relative is to be ignored, as that standard says
        return join(out, size, base, "/rill");
    }
    const char *home = secure_getenv("HOME");
    return home != NULL && home[0] == '/' && join(out, size, home, "/.cache/rill");
}

struct cache *cache_create(struct context *context, const char *wanted)
{
    char folder[PATH_MAX];
    struct cache *cache =
        cache_choose_folder(wanted, folder, sizeof folder) ? context_alloc(context, sizeof *cache) : NULL;
    if (cache != NULL) {
        thread_mutex_init(&cache->lock);
        cache->store.folder = -1;
        memcpy(cache->folder, folder, sizeof folder);
    }
    return cache;
}

void cache_destroy(struct context *context, struct cache *cache)
{
    if (cache != NULL) {
        cache_store_close(&cache->store);
        thread_mutex_finish(&cache->lock);
        context_free(context, cache, sizeof *cache);
    }
}

void cache_read_stats(struct cache *cache, rill_cache_stats *out_stats)
{
    *out_stats = (rill_cache_stats){.hit_count = 0};
    if (cache != NULL) {
        out_stats->hit_count = atomic_load(&cache->hit_count);
        out_stats->missing_count = atomic_load(&cache->missing_count);
        out_stats->changed_count = atomic_load(&cache->changed_count);
        out_stats->damaged_count = atomic_load(&cache->damaged_count);
        out_stats->passed_count = atomic_load(&cache->passed_count);
        out_stats->kept_count = atomic_load(&cache->kept_count);
        out_stats->not_kept_count = atomic_load(&cache->not_kept_count);
        out_stats->binary_hit_count = atomic_load(&cache->binary_hit_count);
        out_stats->binary_miss_count = atomic_load(&cache->binary_miss_count);
        out_stats->binary_kept_count = atomic_load(&cache->binary_kept_count);
        out_stats->choice_kept_count = atomic_load(&cache->choice_kept_count);
    }
}

static void open_store(struct context *context, struct cache *cache)
{
    union {
        rill_status (*function)(rill_context);
        void *object;
    } self = {.function = rill_sync};
    struct cache_words words;
    cache->knows_compiler = source_locate_compiler(cache->compiler, sizeof cache->compiler) &&
                            identity_of_file(cache->compiler, &cache->builds.compiler) &&
                            identity_of_address(self.object, &cache->builds.runtime);
    enum cache_access access = cache_store_open(&cache->store, cache->folder, &words);
    if (access != CACHE_USABLE) {
        context_log(context, access == CACHE_UNSAFE ? RILL_LOG_WARNING : RILL_LOG_NOTE, "%s", words.text);
    }
    atomic_store(&cache->state, access == CACHE_USABLE ? CACHE_OPEN : CACHE_CLOSED);
}

static bool is_open(struct context *context, struct cache *cache)
{
    if (atomic_load(&cache->state) == CACHE_UNTRIED) {
        thread_lock(&cache->lock);
        if (atomic_load(&cache->state) == CACHE_UNTRIED) {
            open_store(context, cache);
        }
        thread_unlock(&cache->lock);
    }
    return atomic_load(&cache->state) == CACHE_OPEN;
}

// ---- looking ------------------------------------------------------------------------------------------------------

// The first time it is a warning: what is damaged is replaced, and where it cannot be, once is enough.
static void report_damage(struct context *context, struct cache *cache, const char *words)
{
    bool has_warned = atomic_exchange(&cache->has_warned, true);
    context_log(context, has_warned ? RILL_LOG_NOTE : RILL_LOG_WARNING, "the cache's entry %s; it is made again",
                words);
}

static void open_entry(struct context *context, struct cache_lookup *lookup)
{
    struct cache *cache = context->cache;
    const char *changed;
    if (!cache_entry_read(lookup->blob.payload, lookup->blob.size, &lookup->entry)) {
        atomic_fetch_add(&cache->damaged_count, 1);
        report_damage(context, cache, "makes no sense");
        lookup->replaces = true;
    } else if (!cache_entry_is_current(&lookup->entry, &changed)) {
        atomic_fetch_add(&cache->changed_count, 1);
        context_log(context, RILL_LOG_NOTE, "the cache's entry for %s is made again: %s has changed",
                    lookup->blob.label, changed);
        lookup->replaces = true;
    } else {
        atomic_fetch_add(&cache->hit_count, 1);
        lookup->is_found = true;
        lookup->may_keep = false;
    }
}

void cache_find_image(struct context *context, const struct source *source, struct cache_lookup *out_lookup)
{
    struct cache *cache = context->cache;
    *out_lookup = (struct cache_lookup){.is_found = false};
    if (cache == NULL) {
        return;
    }
    if (!is_open(context, cache) || !cache->knows_compiler || source_is_sanitized(source)) {
        if (atomic_fetch_add(&cache->passed_count, 1) == 0 && !cache->knows_compiler) {
            context_log(context, RILL_LOG_NOTE,
                        "compiles are not kept in the cache: librill-compiler.so is not beside librill.so");
        }
        return;
    }
    struct cache_words words;
    cache_key_of_image(&cache->builds, context->backend->name, &source->input, &out_lookup->key);
    out_lookup->may_keep = true;
    switch (cache_store_find(&cache->store, &out_lookup->key, CACHE_IMAGE, &out_lookup->blob, &words)) {
    case CACHE_FOUND: open_entry(context, out_lookup); break;
    case CACHE_MISSING: atomic_fetch_add(&cache->missing_count, 1); break;
    case CACHE_OLDER:
        atomic_fetch_add(&cache->damaged_count, 1);
        context_log(context, RILL_LOG_NOTE, "the cache's entry %s", words.text);
        out_lookup->replaces = true;
        break;
    case CACHE_DAMAGED:
        atomic_fetch_add(&cache->damaged_count, 1);
        report_damage(context, cache, words.text);
        out_lookup->replaces = true;
        break;
    case CACHE_NO_MEMORY: atomic_fetch_add(&cache->passed_count, 1); break;
    }
}

// Whether the compiler that was asked is the one in the key: the file may have been replaced since.
static bool is_same_compiler(const struct cache *cache)
{
    struct identity now;
    return identity_of_file(cache->compiler, &now) &&
           memcmp(now.bytes, cache->builds.compiler.bytes, sizeof now.bytes) == 0;
}

static void note_not_kept(struct context *context, struct cache *cache, const char *words)
{
    if (atomic_fetch_add(&cache->not_kept_count, 1) == 0) {
        context_log(context, RILL_LOG_NOTE, "%s", words);
    }
}

static void keep(struct context *context, const struct cache_item *item, _Atomic uint64_t *count)
{
    struct cache_words words;
    if (cache_store_keep(&context->cache->store, item, &words)) {
        atomic_fetch_add(count, 1);
    } else {
        note_not_kept(context, context->cache, words.text);
    }
}

void cache_keep_image(struct context *context, const struct cache_lookup *lookup, const struct source *source,
                      const struct compiler_result *result)
{
    struct cache *cache = context->cache;
    if (!lookup->may_keep) {
        return;
    }
    assert(!lookup->is_found && result->error_count == 0);
    unsigned char *memory = NULL;
    size_t size = 0;
    if (!is_same_compiler(cache)) {
        note_not_kept(context, cache, "librill-compiler.so was replaced: what the one in use gives is not kept");
        return;
    }
    if (!cache_entry_write(result, &memory, &size)) {
        note_not_kept(context, cache, "there is no memory for an entry of the cache, or LLVM's library is gone");
        return;
    }
    char label[CACHE_LABEL_SIZE];
    snprintf(label, sizeof label, "%.32s %.70s", context->backend->name, source->input.path);
    struct cache_item item = {.key = &lookup->key,
                              .kind = CACHE_IMAGE,
                              .label = label,
                              .memory = memory,
                              .payload_size = size,
                              .replaces = lookup->replaces};
    keep(context, &item, &cache->kept_count);
    free(memory);
}

void cache_end(struct cache_lookup *lookup)
{
    cache_entry_free(&lookup->entry);
    cache_blob_free(&lookup->blob);
}

// ---- binaries -----------------------------------------------------------------------------------------------------

bool cache_find_binary(struct context *context, const struct backend_binary_key *key, struct cache_blob *out_blob)
{
    struct cache *cache = context->cache;
    *out_blob = (struct cache_blob){.memory = NULL};
    if (cache == NULL || !is_open(context, cache)) {
        return false;
    }
    struct cache_key digest;
    struct cache_words words;
    cache_key_of_binary(key, &digest);
    enum cache_found found = cache_store_find(&cache->store, &digest, CACHE_BINARY, out_blob, &words);
    if (found == CACHE_DAMAGED) {
        report_damage(context, cache, words.text);
    }
    atomic_fetch_add(found == CACHE_FOUND ? &cache->binary_hit_count : &cache->binary_miss_count, 1);
    return found == CACHE_FOUND;
}

// An entry of bytes that replaces whatever is there: that was no good, or is the same.
static void keep_bytes(struct context *context, struct cache_item *item, const void *bytes, _Atomic uint64_t *count)
{
    item->memory = malloc(CACHE_HEADER_SIZE + item->payload_size);
    if (item->memory == NULL) {
        note_not_kept(context, context->cache, "there is no memory for an entry of the cache");
        return;
    }
    memcpy(item->memory + CACHE_HEADER_SIZE, bytes, item->payload_size);
    item->replaces = true;
    keep(context, item, count);
    free(item->memory);
}

void cache_keep_binary(struct context *context, const struct backend_binary_key *key, const void *bytes, size_t size)
{
    struct cache *cache = context->cache;
    if (cache == NULL || !is_open(context, cache)) {
        return;
    }
    struct cache_key digest;
    cache_key_of_binary(key, &digest);
    char label[CACHE_LABEL_SIZE];
    snprintf(label, sizeof label, "%.32s %.60s", context->backend->name, key->maker);
    struct cache_item item = {.key = &digest, .kind = CACHE_BINARY, .label = label, .payload_size = size};
    keep_bytes(context, &item, bytes, &cache->binary_kept_count);
}

// ---- choices ------------------------------------------------------------------------------------------------------

bool cache_find_choice(struct context *context, const struct cache_key *key, struct cache_blob *out_blob)
{
    struct cache *cache = context->cache;
    struct cache_words words;
    *out_blob = (struct cache_blob){.memory = NULL};
    if (cache == NULL || !is_open(context, cache)) {
        return false;
    }
    enum cache_found found = cache_store_find(&cache->store, key, CACHE_CHOICE, out_blob, &words);
    if (found == CACHE_DAMAGED) {
        report_damage(context, cache, words.text);
    }
    return found == CACHE_FOUND;
}

void cache_keep_choice(struct context *context, const struct cache_key *key, const char *kernel, const void *bytes,
                       size_t size)
{
    struct cache *cache = context->cache;
    if (cache == NULL || !is_open(context, cache)) {
        return;
    }
    char label[CACHE_LABEL_SIZE];
    snprintf(label, sizeof label, "%.32s %.60s", context->backend->name, kernel);
    struct cache_item item = {.key = key, .kind = CACHE_CHOICE, .label = label, .payload_size = size};
    keep_bytes(context, &item, bytes, &cache->choice_kept_count);
}
