#include "runtime/cache_store.h"

#include "base/blake2.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct header {
    char magic[8];
    uint32_t format;
    uint32_t kind;
    uint64_t payload_size;
    unsigned char key[CACHE_KEY_SIZE];
    unsigned char digest[32]; // of the whole entry, with zeros in its place
    char label[CACHE_LABEL_SIZE];
};

_Static_assert(sizeof(struct header) == CACHE_HEADER_SIZE, "no holes, and the payload is aligned");

static const char magic[8] = {'r', 'i', 'l', 'l', 'k', 'e', 'p', 't'};

enum {
    DEFAULT_LIMIT = 256 << 20,
    TRIM_EVERY = 64, // entries that are kept between two looks at the whole folder
    MINUTE = 60,
    HOUR = 3600,
    TOUCH_AFTER = 60, // seconds: an entry that was used since then is not marked again
    MAX_NAME = 96,
};

static const char temporary_start[] = ".new-";

__attribute__((format(printf, 2, 3))) static void say(struct cache_words *words, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(words->text, sizeof words->text, format, args);
    va_end(args);
}

static const char *ending_of(enum cache_kind kind)
{
    switch (kind) {
#define KIND_CASE(name, number, ending)                                                                                \
    case CACHE_##name: return ending;
        CACHE_KIND_LIST(KIND_CASE)
#undef KIND_CASE
    }
    return "entry";
}

static void name_entry(const struct cache_key *key, enum cache_kind kind, char out[MAX_NAME])
{
    for (size_t i = 0; i < sizeof key->bytes; i++) {
        snprintf(out + 2 * i, 3, "%02x", key->bytes[i]);
    }
    snprintf(out + 2 * sizeof key->bytes, MAX_NAME - 2 * sizeof key->bytes, ".%s", ending_of(kind));
}

// ---- the folder ---------------------------------------------------------------------------------------------------

// Makes |path| and what lies above it. What cannot be made is seen when the folder is opened.
static void make_folders(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            mkdir(part, 0700); // also fails for what is there
        }
    }
}

static enum cache_access check_folder(const struct cache_store *store, struct cache_words *words)
{
    struct stat info;
    if (fstat(store->folder, &info) != 0) {
        say(words, "the cache %.400s cannot be looked at: %s", store->path, strerror(errno));
        return CACHE_ABSENT;
    }
    if (info.st_uid != geteuid()) {
        say(words, "the cache %.400s belongs to user %u and not to user %u, who runs this: it is not used", store->path,
            (unsigned)info.st_uid, (unsigned)geteuid());
        return CACHE_UNSAFE;
    }
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        say(words, "others may write to the cache %.400s (mode %03o): it is not used; chmod 700 mends that",
            store->path, (unsigned)info.st_mode & 0777);
        return CACHE_UNSAFE;
    }
    return CACHE_USABLE;
}

enum cache_access cache_store_open(struct cache_store *store, const char *path, struct cache_words *out_words)
{
    *store = (struct cache_store){.folder = -1, .limit = DEFAULT_LIMIT};
    out_words->text[0] = '\0';
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof store->path) {
        say(out_words, "the path of the cache has %zu bytes", length);
        return CACHE_ABSENT;
    }
    memcpy(store->path, path, length + 1);
    while (length > 1 && store->path[length - 1] == '/') { // else a link would be followed
        store->path[--length] = '\0';
    }
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    store->folder = open(store->path, flags);
    if (store->folder < 0 && errno == ENOENT) {
        make_folders(store->path);
        store->folder = open(store->path, flags);
    }
    if (store->folder < 0) {
        int error = errno;
        struct stat info;
        bool is_link = (error == ELOOP || error == ENOTDIR) && lstat(store->path, &info) == 0 && S_ISLNK(info.st_mode);
        if (is_link) {
            say(out_words, "the cache %.400s is a symbolic link: it is not used; name the folder itself", store->path);
            return CACHE_UNSAFE;
        }
        say(out_words, "the cache %.400s cannot be opened: %s", store->path, strerror(error));
        return CACHE_ABSENT;
    }
    enum cache_access access = check_folder(store, out_words);
    if (access != CACHE_USABLE) {
        cache_store_close(store);
    }
    return access;
}

void cache_store_close(struct cache_store *store)
{
    if (store->folder >= 0) {
        close(store->folder);
        store->folder = -1;
    }
}

// ---- finding ------------------------------------------------------------------------------------------------------

static void digest_entry(const unsigned char *bytes, size_t size, unsigned char out[32])
{
    static const unsigned char zeros[sizeof((struct header *)0)->digest];
    const size_t at = offsetof(struct header, digest), behind = at + sizeof zeros;
    struct blake2 hash;
    blake2_init(&hash, sizeof zeros);
    blake2_add(&hash, bytes, at);
    blake2_add(&hash, zeros, sizeof zeros);
    blake2_add(&hash, bytes + behind, size - behind);
    blake2_finish(&hash, out);
}

enum cache_found cache_store_check(const unsigned char *bytes, size_t size, const struct cache_key *key,
                                   enum cache_kind kind, struct cache_words *out_words)
{
    struct header header;
    unsigned char digest[sizeof header.digest];
    if (size < sizeof header) {
        say(out_words, "it is too short, %zu bytes", size);
        return CACHE_DAMAGED;
    }
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic) != 0) {
        say(out_words, "it is no entry of a cache");
        return CACHE_DAMAGED;
    }
    if (header.format != CACHE_FORMAT) {
        say(out_words, "its format is %u, and not %d", header.format, CACHE_FORMAT);
        return CACHE_OLDER;
    }
    if (header.payload_size != size - sizeof header) {
        say(out_words, "it has %zu bytes and not %llu", size - sizeof header, (unsigned long long)header.payload_size);
        return CACHE_DAMAGED;
    }
    digest_entry(bytes, size, digest);
    if (memcmp(digest, header.digest, sizeof digest) != 0) {
        say(out_words, "its digest is wrong");
        return CACHE_DAMAGED;
    }
    if (header.kind != (uint32_t)kind || memcmp(header.key, key->bytes, sizeof header.key) != 0) {
        say(out_words, "it has the name of another");
        return CACHE_DAMAGED;
    }
    return CACHE_FOUND;
}

static bool read_whole(int fd, unsigned char *out, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, out + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got == 0 ? EIO : errno;
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

// A file that is no entry of ours is not read.
static enum cache_found check_file(int fd, struct stat *out_info, struct cache_words *words)
{
    if (fstat(fd, out_info) != 0) {
        say(words, "it cannot be looked at: %s", strerror(errno));
        return CACHE_DAMAGED;
    }
    if (!S_ISREG(out_info->st_mode) || out_info->st_uid != geteuid() ||
        (out_info->st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        say(words, "it is not a file that only this user writes");
        return CACHE_DAMAGED;
    }
    if (out_info->st_size < CACHE_HEADER_SIZE || out_info->st_size > CACHE_MAX_ENTRY) {
        say(words, "it has %lld bytes", (long long)out_info->st_size);
        return CACHE_DAMAGED;
    }
    return CACHE_FOUND;
}

// The time of an entry's last use is that of its file. A time in the future, of a clock that jumped, is mended.
static void touch(int fd, const struct stat *info)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time_t age = now.tv_sec - info->st_mtim.tv_sec;
    if (age < 0 || age >= TOUCH_AFTER) {
        futimens(fd, NULL); // where this fails the entry only looks older than it is
    }
}

static enum cache_found read_entry(int fd, bool only_looks, const struct cache_key *key, enum cache_kind kind,
                                   struct cache_blob *out, struct cache_words *words)
{
    struct stat info;
    enum cache_found found = check_file(fd, &info, words);
    if (found != CACHE_FOUND) {
        return found;
    }
    size_t size = (size_t)info.st_size;
    unsigned char *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (memory == NULL) {
        return CACHE_NO_MEMORY;
    }
    if (!read_whole(fd, memory, size)) {
        say(words, "it cannot be read: %s", strerror(errno));
        found = CACHE_DAMAGED;
    } else {
        found = cache_store_check(memory, size, key, kind, words);
    }
    if (found != CACHE_FOUND) {
        free(memory);
        return found;
    }
    if (!only_looks) {
        touch(fd, &info);
    }
    out->memory = memory;
    out->payload = memory + CACHE_HEADER_SIZE;
    out->size = size - CACHE_HEADER_SIZE;
    memcpy(out->label, memory + offsetof(struct header, label), sizeof out->label);
    out->label[sizeof out->label - 1] = '\0';
    return CACHE_FOUND;
}

enum cache_found cache_store_find(const struct cache_store *store, const struct cache_key *key, enum cache_kind kind,
                                  struct cache_blob *out_blob, struct cache_words *out_words)
{
    char name[MAX_NAME];
    *out_blob = (struct cache_blob){.memory = NULL};
    out_words->text[0] = '\0';
    name_entry(key, kind, name);
    // Without waiting: a pipe would have no writer.
    int fd = openat(store->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        return CACHE_MISSING;
    }
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        return CACHE_NO_MEMORY; // that says nothing of the entry
    }
    struct cache_words why = {""};
    enum cache_found found = CACHE_DAMAGED;
    if (fd < 0) {
        say(&why, "it cannot be opened: %s", strerror(errno));
    } else {
        found = read_entry(fd, store->only_looks, key, kind, out_blob, &why);
        close(fd);
    }
    if (why.text[0] != '\0') {
        say(out_words, "%.400s/%s is not used: %s", store->path, name, why.text);
    }
    return found;
}

void cache_blob_free(struct cache_blob *blob)
{
    free(blob->memory);
    *blob = (struct cache_blob){.memory = NULL};
}

// ---- keeping ------------------------------------------------------------------------------------------------------

static bool write_whole(int fd, const unsigned char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t put = write(fd, bytes + done, size - done);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            errno = put == 0 ? ENOSPC : errno;
            return false;
        }
        done += (size_t)put;
    }
    return true;
}

// Gives the file without a name that |fd| is the name of an entry.
static bool give_name(const struct cache_store *store, int fd, const char *name, bool replaces)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    for (int turn = 0; turn < 2; turn++) {
        if (linkat(AT_FDCWD, self, store->folder, name, AT_SYMLINK_FOLLOW) == 0) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
        if (!replaces) {
            return true; // somebody else has made the same meanwhile
        }
        if (turn == 0 && unlinkat(store->folder, name, 0) != 0 && errno != ENOENT) {
            return false;
        }
    }
    return true; // somebody else has replaced it
}

// Whether it was done; |*out_is_able| false: the file system has no files without a name.
static bool keep_unnamed(const struct cache_store *store, const char *name, const struct cache_item *item,
                         bool *out_is_able)
{
    int fd = openat(store->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    *out_is_able = fd >= 0;
    if (fd < 0) {
        return false;
    }
    bool is_written = write_whole(fd, item->memory, CACHE_HEADER_SIZE + item->payload_size);
    bool is_kept = is_written && give_name(store, fd, name, item->replaces);
    int error = errno;
    *out_is_able = is_kept || !is_written || error == EEXIST || error == ENOSPC;
    close(fd);
    errno = error;
    return is_kept;
}

static bool keep_by_moving(struct cache_store *store, const char *name, const struct cache_item *item)
{
    char temporary[MAX_NAME];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(temporary, sizeof temporary, "%s%d-%u-%lx", temporary_start, (int)getpid(), atomic_load(&store->kept),
             (unsigned long)now.tv_nsec ^ (unsigned long)(uintptr_t)&now);
    int fd = openat(store->folder, temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return false;
    }
    bool is_written = write_whole(fd, item->memory, CACHE_HEADER_SIZE + item->payload_size);
    int error = errno;
    bool is_closed = close(fd) == 0;
    error = is_written ? errno : error;
    if (is_written && is_closed && renameat(store->folder, temporary, store->folder, name) == 0) {
        return true;
    }
    error = is_written && is_closed ? errno : error;
    unlinkat(store->folder, temporary, 0);
    errno = error;
    return false;
}

static void fill_header(const struct cache_item *item)
{
    struct header header = {.format = CACHE_FORMAT, .kind = (uint32_t)item->kind, .payload_size = item->payload_size};
    memcpy(header.magic, magic, sizeof magic);
    memcpy(header.key, item->key->bytes, sizeof header.key);
    snprintf(header.label, sizeof header.label, "%s", item->label);
    memcpy(item->memory, &header, sizeof header);
    digest_entry(item->memory, sizeof header + item->payload_size, header.digest);
    memcpy(item->memory, &header, sizeof header);
}

bool cache_store_keep(struct cache_store *store, const struct cache_item *item, struct cache_words *out_words)
{
    out_words->text[0] = '\0';
    if (item->payload_size > CACHE_MAX_ENTRY - CACHE_HEADER_SIZE) {
        say(out_words, "the cache %.400s takes no entry of %zu bytes", store->path, item->payload_size);
        return false;
    }
    char name[MAX_NAME];
    name_entry(item->key, item->kind, name);
    fill_header(item);
    bool is_able;
    bool is_kept = keep_unnamed(store, name, item, &is_able) || (!is_able && keep_by_moving(store, name, item));
    if (!is_kept) {
        say(out_words, "nothing can be written to the cache %.400s: %s", store->path, strerror(errno));
        return false;
    }
    if (atomic_fetch_add(&store->kept, 1) % TRIM_EVERY == 0) {
        cache_store_trim(store);
    }
    return true;
}

// ---- trimming -----------------------------------------------------------------------------------------------------

struct seen_entry {
    int64_t used; // when it was used last; INT64_MIN: in the future, which means nothing
    uint64_t size;
    char name[MAX_NAME];
};

struct seen {
    struct seen_entry *items; // owned
    size_t count;
    size_t capacity;
    uint64_t size; // of all
};

bool cache_store_is_entry(const char *name)
{
    size_t digits = strspn(name, "0123456789abcdef");
    if (digits != 2 * CACHE_KEY_SIZE || name[digits] != '.') {
        return false;
    }
#define KIND_TEST(kind, number, ending)                                                                                \
    if (strcmp(name + digits + 1, ending) == 0) {                                                                      \
        return true;                                                                                                   \
    }
    CACHE_KIND_LIST(KIND_TEST)
#undef KIND_TEST
    return false;
}

enum cache_kind cache_store_read_name(const char *name, struct cache_key *out_key)
{
    assert(cache_store_is_entry(name));
    for (size_t i = 0; i < sizeof out_key->bytes; i++) {
        const char digits[3] = {name[2 * i], name[2 * i + 1], '\0'};
        out_key->bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
#define KIND_TEST(kind, number, ending)                                                                                \
    if (strcmp(name + 2 * CACHE_KEY_SIZE + 1, ending) == 0) {                                                          \
        return CACHE_##kind;                                                                                           \
    }
    CACHE_KIND_LIST(KIND_TEST)
#undef KIND_TEST
    return CACHE_IMAGE;
}

static bool see(struct seen *seen, const char *name, const struct stat *info, time_t now)
{
    if (seen->count == seen->capacity) {
        size_t capacity = seen->capacity > 0 ? 2 * seen->capacity : 256;
        struct seen_entry *items = realloc(seen->items, capacity * sizeof *items);
        if (items == NULL) {
            return false;
        }
        seen->items = items;
        seen->capacity = capacity;
    }
    struct seen_entry *entry = &seen->items[seen->count++];
    bool is_sane = info->st_mtim.tv_sec <= now + HOUR;
    entry->used = is_sane ? info->st_mtim.tv_sec * INT64_C(1000000000) + info->st_mtim.tv_nsec : INT64_MIN;
    entry->size = (uint64_t)info->st_blocks * 512;
    entry->size = entry->size > 0 ? entry->size : (uint64_t)info->st_size;
    assert(strlen(name) < sizeof entry->name); // cache_store_is_entry() has seen it
    memcpy(entry->name, name, strlen(name) + 1);
    seen->size += entry->size;
    return true;
}

// Whether the process that wrote the file of this name is gone. It may run on another machine, or in a container, where
// its number says nothing: so it is believed of files alone that nobody has written to for a minute.
static bool is_left(const char *name, time_t age)
{
    long pid = strtol(name + sizeof temporary_start - 1, NULL, 10);
    bool is_gone = pid > 0 && pid <= INT32_MAX && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
    return age > HOUR || age < -HOUR || (is_gone && age > MINUTE);
}

static void look_around(const struct cache_store *store, DIR *folder, struct seen *out)
{
    time_t now = time(NULL);
    for (const struct dirent *at = readdir(folder); at != NULL; at = readdir(folder)) {
        bool is_temporary = strncmp(at->d_name, temporary_start, sizeof temporary_start - 1) == 0;
        struct stat info;
        if ((!is_temporary && !cache_store_is_entry(at->d_name)) ||
            fstatat(store->folder, at->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(info.st_mode)) {
            continue;
        }
        time_t age = now - info.st_mtim.tv_sec;
        if (is_temporary && is_left(at->d_name, age)) {
            unlinkat(store->folder, at->d_name, 0); // its writer was killed
        } else if (!is_temporary && !see(out, at->d_name, &info, now)) {
            return; // no memory: those that were seen will do
        }
    }
}

static int compare_use(const void *left, const void *right)
{
    const struct seen_entry *a = left, *b = right;
    return a->used < b->used ? -1 : a->used > b->used;
}

size_t cache_store_trim(struct cache_store *store)
{
    int fd = openat(store->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return 0;
    }
    struct seen seen = {.items = NULL};
    look_around(store, folder, &seen);
    closedir(folder);
    size_t gone = 0;
    if (seen.size > store->limit) {
        qsort(seen.items, seen.count, sizeof *seen.items, compare_use);
        const uint64_t wanted = store->limit / 8 * 7;
        for (size_t i = 0; i < seen.count && seen.size > wanted; i++) {
            gone += unlinkat(store->folder, seen.items[i].name, 0) == 0;
            seen.size -= seen.items[i].size;
        }
    }
    free(seen.items);
    return gone;
}
