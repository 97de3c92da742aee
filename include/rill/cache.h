// The folder in which compiles are kept for the next process: what is there, whether it is sound, and how to empty it.
// Kernels are kept and found without any of this; rill_open_options.cache, or RILL_CACHE in the environment, says
// where.
//
// |folder| may be NULL in every call: the folder that a context would use that does not name one.
//
// Threads: every call may be made from any thread, and while other processes use the folder.
#ifndef RILL_CACHE_H
#define RILL_CACHE_H

#include "rill/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rill_cache_entry {
    const char *name;    // of its file in the folder
    const char *label;   // of what it was made, for people: "cpu solve.c"; "" if it is not sound
    const char *problem; // why it will not be used; "" if it is sound
    bool is_binary;      // what a GPU's driver made of a kernel's code; false: what the compiler made of a file
    bool is_choice;      // which of several kernels is fastest: rill/variants.h
    uint64_t size;       // bytes
    int64_t used;        // when it was used last: seconds since 1970
} rill_cache_entry;

// Gets the entries one by one, in no order. The texts are valid during the call.
typedef void (*rill_cache_visitor)(void *user, const rill_cache_entry *entry);

// Writes the path of the folder, terminated. RILL_ERR_NOT_FOUND: there is none, as RILL_CACHE is off or there is no
// home; RILL_ERR_LIMIT: it does not fit in |size| bytes.
RILL_API RILL_NODISCARD rill_status rill_cache_folder(const char *folder, char *out_path, size_t size);

// Reads every entry and compares its digest. A folder that is not there has none. RILL_ERR_IO if it cannot be read,
// RILL_ERR_INVALID if it would not be used: another user's, or one in which others may write.
RILL_API RILL_NODISCARD rill_status rill_cache_visit(const char *folder, rill_cache_visitor visitor, void *user);

// Removes every entry, or those that are not sound. Processes that use the folder compile anew. |out_count| may be
// NULL.
RILL_API RILL_NODISCARD rill_status rill_cache_remove(const char *folder, bool only_damaged, uint64_t *out_count);

#ifdef __cplusplus
}
#endif
#endif
