// An entry of the cache whose digest was right: whatever it says, it is read or refused. What was read lies inside it.
#include "runtime/cache_entry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_lie_inside(const void *bytes, size_t length, const uint8_t *data, size_t size)
{
    const uint8_t *at = bytes;
    if (at < data || length > size || at > data + (size - length)) {
        abort();
    }
}

static void check(const struct cache_entry *entry, const uint8_t *data, size_t size)
{
    must_lie_inside(entry->result.bytes, entry->result.size, data, size);
    for (int i = 0; i < entry->file_count; i++) {
        must_lie_inside(entry->files[i].path, strlen(entry->files[i].path) + 1, data, size);
    }
    for (int i = 0; i < entry->result.diagnostic_count; i++) {
        const struct compiler_diagnostic *diagnostic = &entry->result.diagnostics[i];
        must_lie_inside(diagnostic->file, strlen(diagnostic->file) + 1, data, size);
        must_lie_inside(diagnostic->text, strlen(diagnostic->text) + 1, data, size);
        must_lie_inside(diagnostic->rendered, strlen(diagnostic->rendered) + 1, data, size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cache_entry entry;
    struct cache_words words;
    struct cache_key key = {{0}};
    if (cache_entry_read(data, size, &entry)) {
        check(&entry, data, size);
        cache_entry_free(&entry);
    }
    // The same bytes as a whole file: no digest is right by chance.
    if (cache_store_check(data, size, &key, CACHE_IMAGE, &words) == CACHE_FOUND || words.text[0] == '\0') {
        abort();
    }
    return 0;
}
