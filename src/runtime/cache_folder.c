// The cache's folder as a whole, for those who look after it.
#include "base/status.h"
#include "rill/cache.h"
#include "runtime/cache.h"
#include "runtime/context.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rill_status choose(const char *who, const char *folder, char *out, size_t size)
{
    return cache_choose_folder(folder, out, size)
               ? RILL_OK
               : status_fail(RILL_ERR_NOT_FOUND,
                             "%s: there is no cache: it is off, or neither RILL_CACHE, "
                             "XDG_CACHE_HOME nor HOME says where it is",
                             who);
}

rill_status rill_cache_folder(const char *folder, char *out_path, size_t size)
{
    char path[PATH_MAX];
    RILL_TRY(context_check_out("rill_cache_folder", out_path, "out_path"));
    RILL_TRY(choose("rill_cache_folder", folder, path, sizeof path));
    size_t length = strlen(path);
    if (length >= size) {
        return status_fail(RILL_ERR_LIMIT, "rill_cache_folder: the path has %zu bytes, and there is room for %zu",
                           length + 1, size);
    }
    memcpy(out_path, path, length + 1);
    return RILL_OK;
}

// What is done with each file of an entry.
typedef void entry_function(const struct cache_store *store, const char *name, const struct stat *info, void *arg);

static rill_status for_each(const char *who, const char *folder, entry_function *function, void *arg)
{
    char path[PATH_MAX];
    struct cache_store store;
    struct cache_words words;
    RILL_TRY(choose(who, folder, path, sizeof path));
    if (access(path, F_OK) != 0) { // it would be made
        return RILL_OK;
    }
    enum cache_access access = cache_store_open(&store, path, &words);
    if (access != CACHE_USABLE) {
        return status_fail(access == CACHE_UNSAFE ? RILL_ERR_INVALID : RILL_ERR_IO, "%s: %s", who, words.text);
    }
    store.only_looks = true;
    int fd = openat(store.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    rill_status status = RILL_OK;
    if (directory == NULL) {
        status = status_fail(RILL_ERR_IO, "%s: the cache %.400s cannot be read", who, path);
        if (fd >= 0) {
            close(fd);
        }
    } else {
        for (const struct dirent *at = readdir(directory); at != NULL; at = readdir(directory)) {
            struct stat info;
            if (cache_store_is_entry(at->d_name) &&
                fstatat(store.folder, at->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
                function(&store, at->d_name, &info, arg);
            }
        }
        closedir(directory);
    }
    cache_store_close(&store);
    return status;
}

// Whether the entry would be used by whoever looks for it.
static bool look(const struct cache_store *store, const char *name, struct cache_blob *out_blob,
                 struct cache_words *out_words)
{
    struct cache_key key;
    enum cache_kind kind = cache_store_read_name(name, &key);
    enum cache_found found = cache_store_find(store, &key, kind, out_blob, out_words);
    struct cache_entry entry;
    if (found == CACHE_FOUND && kind == CACHE_IMAGE) {
        if (!cache_entry_read(out_blob->payload, out_blob->size, &entry)) {
            snprintf(out_words->text, sizeof out_words->text, "it makes no sense");
            return false;
        }
        cache_entry_free(&entry);
    }
    return found == CACHE_FOUND;
}

struct visit {
    rill_cache_visitor visitor;
    void *user;
};

static void visit_entry(const struct cache_store *store, const char *name, const struct stat *info, void *arg)
{
    const struct visit *visit = arg;
    struct cache_blob blob;
    struct cache_words words;
    bool is_sound = look(store, name, &blob, &words);
    struct cache_key key;
    rill_cache_entry entry = {.name = name,
                              .label = is_sound ? blob.label : "",
                              .problem = is_sound                ? ""
                                         : words.text[0] != '\0' ? words.text
                                                                 : "it cannot be read",
                              .is_binary = cache_store_read_name(name, &key) == CACHE_BINARY,
                              .is_choice = cache_store_read_name(name, &key) == CACHE_CHOICE,
                              .size = (uint64_t)info->st_size,
                              .used = info->st_mtim.tv_sec};
    visit->visitor(visit->user, &entry);
    cache_blob_free(&blob);
}

rill_status rill_cache_visit(const char *folder, rill_cache_visitor visitor, void *user)
{
    if (visitor == NULL) {
        return status_fail(RILL_ERR_INVALID, "rill_cache_visit: the visitor is NULL");
    }
    return for_each("rill_cache_visit", folder, visit_entry, &(struct visit){visitor, user});
}

struct removal {
    bool only_damaged;
    uint64_t count;
    uint64_t left_count; // that could not be removed
};

static void remove_entry(const struct cache_store *store, const char *name, const struct stat *info, void *arg)
{
    (void)info;
    struct removal *removal = arg;
    struct cache_blob blob = {.memory = NULL};
    struct cache_words words;
    if (!removal->only_damaged || !look(store, name, &blob, &words)) {
        bool is_gone = unlinkat(store->folder, name, 0) == 0;
        removal->count += is_gone;
        removal->left_count += !is_gone;
    }
    cache_blob_free(&blob);
}

rill_status rill_cache_remove(const char *folder, bool only_damaged, uint64_t *out_count)
{
    struct removal removal = {.only_damaged = only_damaged};
    rill_status status = for_each("rill_cache_remove", folder, remove_entry, &removal);
    if (out_count != NULL) {
        *out_count = removal.count;
    }
    return status == RILL_OK && removal.left_count > 0
               ? status_fail(RILL_ERR_IO, "rill_cache_remove: %llu entries could not be removed",
                             (unsigned long long)removal.left_count)
               : status;
}
