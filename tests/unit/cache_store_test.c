// The cache's folder of entries: what is damaged is found out, whatever fails leaves a folder that works, writers may
// be killed at any point. System calls of this program go through functions that can be told to fail.
#include "runtime/cache_entry.h"
#include "runtime/cache_store.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

// ---- calls that fail ----------------------------------------------------------------------------------------------

static long fail_at; // 0: never
static long seen;
static int fail_with;
static bool has_no_unnamed; // the file system has no files without a name

static bool must_fail(void)
{
    if (fail_at == 0 || ++seen != fail_at) {
        return false;
    }
    errno = fail_with;
    return true;
}

static int open_for_real(int folder, const char *path, int flags, unsigned mode)
{
    if (has_no_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return must_fail() ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

static unsigned mode_of(int flags, va_list args)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, unsigned) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    unsigned mode = mode_of(flags, args);
    va_end(args);
    return open_for_real(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    unsigned mode = mode_of(flags, args);
    va_end(args);
    return open_for_real(folder, path, flags, mode);
}

int fstat(int fd, struct stat *info)
{
    return must_fail() ? -1 : (int)syscall(SYS_newfstatat, fd, "", info, AT_EMPTY_PATH);
}

int fstatat(int folder, const char *restrict path, struct stat *restrict info, int flags)
{
    return must_fail() ? -1 : (int)syscall(SYS_newfstatat, folder, path, info, flags);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    return must_fail() ? -1 : (ssize_t)syscall(SYS_read, fd, bytes, size);
}

// A disk that is nearly full takes a part first.
ssize_t write(int fd, const void *bytes, size_t size)
{
    return must_fail() ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, size > 100 ? size / 2 : size);
}

int linkat(int from_folder, const char *from, int folder, const char *name, int flags)
{
    return must_fail() ? -1 : (int)syscall(SYS_linkat, from_folder, from, folder, name, flags);
}

int unlinkat(int folder, const char *name, int flags)
{
    return must_fail() ? -1 : (int)syscall(SYS_unlinkat, folder, name, flags);
}

int renameat(int from_folder, const char *from, int folder, const char *name)
{
    return must_fail() ? -1 : (int)syscall(SYS_renameat2, from_folder, from, folder, name, 0);
}

int mkdir(const char *path, mode_t mode)
{
    return must_fail() ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int futimens(int fd, const struct timespec times[2])
{
    return must_fail() ? -1 : (int)syscall(SYS_utimensat, fd, NULL, times, 0);
}

// ---- a folder -----------------------------------------------------------------------------------------------------

static char root[64]; // of this test
static char folder[128];

static void make_root(void)
{
    snprintf(root, sizeof root, "/tmp/rill-store-XXXXXX");
    REQUIRE(mkdtemp(root) != NULL);
    snprintf(folder, sizeof folder, "%s/a/b", root);
}

static void drop_root(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    CHECK_INT(system(command), 0);
}

static struct cache_key key_of(int number)
{
    struct cache_key key = {{1, 2, 3}};
    memcpy(key.bytes + 4, &number, sizeof number);
    return key;
}

enum { PAYLOAD = 300 };

static void fill(unsigned char *payload, size_t size, int number)
{
    for (size_t i = 0; i < size; i++) {
        payload[i] = (unsigned char)(i * 13 + (size_t)number * 101);
    }
}

static bool keep_sized(struct cache_store *store, int number, size_t size, bool replaces)
{
    struct cache_key key = key_of(number);
    struct cache_words words;
    unsigned char *memory = malloc(CACHE_HEADER_SIZE + size);
    fill(memory + CACHE_HEADER_SIZE, size, number);
    struct cache_item item = {&key, CACHE_IMAGE, "a label", memory, size, replaces};
    bool is_kept = cache_store_keep(store, &item, &words);
    CHECK(is_kept == (words.text[0] == '\0'));
    free(memory);
    return is_kept;
}

static bool keep(struct cache_store *store, int number, bool replaces)
{
    return keep_sized(store, number, PAYLOAD, replaces);
}

// What is found is right, or is not found.
static enum cache_found find(const struct cache_store *store, int number)
{
    struct cache_key key = key_of(number);
    struct cache_blob blob;
    struct cache_words words;
    enum cache_found found = cache_store_find(store, &key, CACHE_IMAGE, &blob, &words);
    if (found == CACHE_FOUND) {
        unsigned char payload[PAYLOAD];
        fill(payload, PAYLOAD, number);
        CHECK_UINT(blob.size, PAYLOAD);
        CHECK_UINT((uintptr_t)blob.payload % 64, 0);
        CHECK_MEM(blob.payload, payload, PAYLOAD);
        CHECK_STR(blob.label, "a label");
    } else {
        CHECK(blob.memory == NULL);
    }
    CHECK((words.text[0] != '\0') == (found == CACHE_DAMAGED || found == CACHE_OLDER));
    cache_blob_free(&blob);
    return found;
}

static void open_store(struct cache_store *store)
{
    struct cache_words words;
    if (cache_store_open(store, folder, &words) != CACHE_USABLE) {
        FAIL("%s", words.text);
        test_leave(NULL);
    }
}

struct contents {
    int entries;
    int others;
};

static struct contents look(void)
{
    struct contents found = {0};
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return found;
    }
    for (struct dirent *at = readdir(directory); at != NULL; at = readdir(directory)) {
        bool is_entry = strstr(at->d_name, ".image") != NULL;
        found.entries += is_entry;
        found.others += !is_entry && strcmp(at->d_name, ".") != 0 && strcmp(at->d_name, "..") != 0;
    }
    closedir(directory);
    return found;
}

static void path_of(int number, char out[256])
{
    struct cache_key key = key_of(number);
    int used = snprintf(out, 256, "%s/", folder);
    for (int i = 0; i < CACHE_KEY_SIZE; i++) {
        used += snprintf(out + used, 256 - (size_t)used, "%02x", key.bytes[i]);
    }
    snprintf(out + used, 256 - (size_t)used, ".image");
}

// ---- the tests ----------------------------------------------------------------------------------------------------

TEST(entry_is_found_as_it_was_kept_and_folders_are_this_users_alone)
{
    make_root();
    struct cache_store store;
    open_store(&store);
    struct stat info;
    REQUIRE(stat(folder, &info) == 0);
    CHECK_INT(info.st_mode & 0777, 0700);
    CHECK_INT(find(&store, 1), CACHE_MISSING);
    CHECK(keep(&store, 1, false));
    CHECK(keep(&store, 2, false));
    CHECK_INT(find(&store, 1), CACHE_FOUND);
    CHECK_INT(find(&store, 2), CACHE_FOUND);
    CHECK_INT(find(&store, 3), CACHE_MISSING);
    CHECK(keep(&store, 1, false)); // somebody else has made it meanwhile
    CHECK(keep(&store, 1, true));
    CHECK_INT(look().entries, 2);
    CHECK_INT(look().others, 0);
    cache_store_close(&store);
    drop_root();
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    REQUIRE(fwrite(bytes, 1, size, file) == size);
    REQUIRE(fclose(file) == 0);
    REQUIRE(chmod(path, 0600) == 0);
}

TEST(entry_changed_in_any_byte_or_cut_anywhere_is_not_found_and_is_replaced)
{
    make_root();
    struct cache_store store;
    open_store(&store);
    CHECK(keep(&store, 1, false));
    char path[256];
    path_of(1, path);
    unsigned char whole[CACHE_HEADER_SIZE + PAYLOAD + 1], bytes[sizeof whole];
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    size_t size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    REQUIRE(size == CACHE_HEADER_SIZE + PAYLOAD);
    for (size_t i = 0; i < size; i++) {
        memcpy(bytes, whole, size);
        bytes[i] ^= (unsigned char)(1 << i % 8);
        write_bytes(path, bytes, size);
        enum cache_found found = find(&store, 1);
        CHECK(found == CACHE_DAMAGED || found == CACHE_OLDER);
        write_bytes(path, whole, i);
        CHECK_INT(find(&store, 1), CACHE_DAMAGED);
    }
    memcpy(bytes, whole, size);
    bytes[size] = 0;
    write_bytes(path, bytes, size + 1);
    CHECK_INT(find(&store, 1), CACHE_DAMAGED);
    CHECK(keep(&store, 1, true));
    CHECK_INT(find(&store, 1), CACHE_FOUND);

    // A sound entry by the name of another is not that one.
    char other[256];
    path_of(2, other);
    write_bytes(other, whole, size);
    CHECK_INT(find(&store, 2), CACHE_DAMAGED);
    cache_store_close(&store);
    drop_root();
}

TEST(file_of_others_link_pipe_and_folder_in_the_place_of_an_entry_are_not_read)
{
    make_root();
    struct cache_store store;
    open_store(&store);
    CHECK(keep(&store, 1, false));
    CHECK(keep(&store, 9, false));
    char path[256], target[256];
    path_of(1, path);
    path_of(9, target);
    CHECK_INT(chmod(path, 0622), 0);
    CHECK_INT(find(&store, 1), CACHE_DAMAGED);
    CHECK(keep(&store, 1, true));
    CHECK_INT(find(&store, 1), CACHE_FOUND);
    path_of(2, path);
    CHECK_INT(symlink(target, path), 0);
    CHECK_INT(find(&store, 2), CACHE_DAMAGED);
    CHECK(keep(&store, 2, true));
    CHECK_INT(find(&store, 2), CACHE_FOUND);
    CHECK_INT(find(&store, 9), CACHE_FOUND); // it was not written through the link
    path_of(3, path);
    CHECK_INT(mkfifo(path, 0600), 0);
    CHECK_INT(find(&store, 3), CACHE_DAMAGED); // and does not wait for a writer
    path_of(4, path);
    CHECK_INT(mkdir(path, 0700), 0);
    CHECK_INT(find(&store, 4), CACHE_DAMAGED);
    CHECK(!keep(&store, 4, true));
    if (geteuid() == 0) {
        path_of(9, path);
        CHECK_INT(chown(path, 12345, 0), 0);
        CHECK_INT(find(&store, 9), CACHE_DAMAGED);
    }
    cache_store_close(&store);
    drop_root();
}

TEST(folder_that_others_write_to_or_own_or_that_is_a_link_is_refused_with_words)
{
    make_root();
    struct cache_store store;
    struct cache_words words;
    open_store(&store);
    cache_store_close(&store);
    CHECK_INT(chmod(folder, 0770), 0);
    CHECK_INT(cache_store_open(&store, folder, &words), CACHE_UNSAFE);
    CHECK_CONTAINS(words.text, "others may write to the cache");
    CHECK_INT(chmod(folder, 0755), 0); // reading is no harm
    CHECK_INT(cache_store_open(&store, folder, &words), CACHE_USABLE);
    cache_store_close(&store);
    char link[128];
    snprintf(link, sizeof link, "%s/link", root);
    CHECK_INT(symlink(folder, link), 0);
    CHECK_INT(cache_store_open(&store, link, &words), CACHE_UNSAFE);
    CHECK_CONTAINS(words.text, "is a symbolic link");
    strcat(link, "//");
    CHECK_INT(cache_store_open(&store, link, &words), CACHE_UNSAFE);
    if (geteuid() == 0) {
        CHECK_INT(chown(folder, 12345, 0), 0);
        CHECK_INT(cache_store_open(&store, folder, &words), CACHE_UNSAFE);
        CHECK_CONTAINS(words.text, "belongs to user 12345");
    }
    CHECK_INT(cache_store_open(&store, "/proc/nowhere/rill", &words), CACHE_ABSENT);
    CHECK_CONTAINS(words.text, "cannot be opened");
    CHECK_INT(cache_store_open(&store, "/dev/null", &words), CACHE_ABSENT);
    CHECK_INT(store.folder, -1);
    drop_root();
}

TEST(folder_that_vanishes_is_a_cache_without_entries)
{
    make_root();
    struct cache_store store;
    open_store(&store);
    CHECK(keep(&store, 1, false));
    drop_root();
    CHECK_INT(find(&store, 1), CACHE_MISSING);
    CHECK(!keep(&store, 1, false));
    CHECK_UINT(cache_store_trim(&store), 0);
    cache_store_close(&store);
}

static void set_age(int number, time_t seconds)
{
    char path[256];
    path_of(number, path);
    struct timeval now;
    gettimeofday(&now, NULL);
    struct timeval times[2] = {{now.tv_sec - seconds, 0}, {now.tv_sec - seconds, 0}};
    CHECK_INT(utimes(path, times), 0);
}

TEST(least_recently_used_entries_go_first_and_a_clock_that_jumped_is_not_believed)
{
    enum { COUNT = 20 };
    make_root();
    struct cache_store store;
    open_store(&store);
    for (int i = 0; i < COUNT; i++) {
        CHECK(keep(&store, i, false));
        set_age(i, 1000 * (i + 1));
    }
    set_age(3, -100000);                      // used in the future: it says nothing
    CHECK_INT(find(&store, 15), CACHE_FOUND); // used now
    CHECK_UINT(cache_store_trim(&store), 0);  // there is room
    char path[256];
    path_of(15, path);
    struct stat info;
    REQUIRE(stat(path, &info) == 0);
    uint64_t size = (uint64_t)info.st_blocks * 512;
    size = size > 0 ? size : (uint64_t)info.st_size;
    store.limit = size * 8; // of which seven stay
    CHECK_UINT(cache_store_trim(&store), COUNT - 7);
    for (int i = 0; i < COUNT; i++) {
        bool stays = i == 15 || (i <= 6 && i != 3);
        CHECK_INT(find(&store, i), stays ? CACHE_FOUND : CACHE_MISSING);
    }
    cache_store_close(&store);
    drop_root();
}

static void write_aged(const char *path, time_t age)
{
    time_t then = time(NULL) - age;
    struct timeval times[2] = {{then, 0}, {then, 0}};
    write_bytes(path, (const unsigned char *)"x", 1);
    CHECK_INT(utimes(path, times), 0);
}

TEST(what_a_killed_writer_left_goes_after_a_minute_and_what_nobody_finished_after_an_hour)
{
    make_root();
    struct cache_store store;
    open_store(&store);
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    CHECK_INT(waitpid(child, NULL, 0), child);
    // By a process that is gone: now, and two minutes ago; by one that runs, two minutes and two hours ago; by nobody.
    const struct {
        pid_t writer;
        time_t age;
        bool stays;
    } left[] = {{child, 0, true}, {child, 120, false}, {getpid(), 120, true}, {getpid(), 7200, false}, {0, 120, true}};
    char path[256];
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/.new-%d-2-%d", folder, (int)left[i].writer, i);
        write_aged(path, left[i].age);
    }
    CHECK_UINT(cache_store_trim(&store), 0);
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/.new-%d-2-%d", folder, (int)left[i].writer, i);
        CHECK_INT(access(path, F_OK) == 0, left[i].stays);
    }
    cache_store_close(&store);
    drop_root();
}

static int open_file_count(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory != NULL && readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}

// Everything that a store does.
static void use_store(void)
{
    struct cache_store store;
    struct cache_words words;
    if (cache_store_open(&store, folder, &words) != CACHE_USABLE) {
        CHECK(words.text[0] != '\0');
        return;
    }
    enum cache_found before = find(&store, 1);
    CHECK(before != CACHE_FOUND);
    bool is_kept = keep(&store, 1, before == CACHE_DAMAGED);
    enum cache_found found = find(&store, 1);
    CHECK(found == CACHE_FOUND || found == CACHE_NO_MEMORY || found == (is_kept ? CACHE_DAMAGED : CACHE_MISSING));
    if (keep(&store, 1, true)) {
        set_age(1, 1000);
    }
    find(&store, 1);
    store.limit = 1;
    cache_store_trim(&store);
    cache_store_close(&store);
}

static void sweep(void)
{
    static const int errors[] = {EIO, ENOSPC, EACCES, EMFILE, EROFS};
    for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++) {
        for (long n = 1;; n++) {
            make_root();
            int open_before = open_file_count();
            fail_with = errors[e];
            seen = 0;
            fail_at = n;
            use_store();
            bool was_reached = seen >= n;
            fail_at = 0;
            CHECK_INT(open_file_count(), open_before);
            CHECK_INT(look().others, 0);
            struct cache_store store;
            open_store(&store);
            CHECK(keep(&store, 1, true));
            CHECK_INT(find(&store, 1), CACHE_FOUND);
            cache_store_close(&store);
            drop_root();
            if (!was_reached) {
                CHECK(n > 15);
                break;
            }
            REQUIRE(n < 1000);
        }
    }
}

TEST(nth_file_operation_fails)
{
    sweep();
}

TEST(nth_file_operation_fails_where_files_need_names)
{
    has_no_unnamed = true;
    sweep();
    has_no_unnamed = false;
}

// Keeps, finds and trims until it is killed.
static void churn(int number)
{
    struct cache_store store;
    struct cache_words words;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody is left behind where the test itself is ended
    srand((unsigned)number + 1);
    if (cache_store_open(&store, folder, &words) != CACHE_USABLE) {
        _exit(1);
    }
    for (;;) {
        int which = rand() % 20;
        enum cache_found found = find(&store, which);
        if (found != CACHE_FOUND && found != CACHE_MISSING) {
            _exit(2);
        }
        if (found == CACHE_MISSING || rand() % 4 == 0) {
            keep(&store, which, rand() % 2 == 0);
        }
        if (rand() % 50 == 0) {
            store.limit = 30000;
            cache_store_trim(&store);
        }
    }
}

static void kill_in_rounds(bool leaves_nothing)
{
    enum { PROCESSES = 16 };
    int rounds = getenv("RILL_TEST_LONG") != NULL ? 100 : 5;
    make_root();
    for (int round = 0; round < rounds; round++) {
        pid_t children[PROCESSES];
        for (int i = 0; i < PROCESSES; i++) {
            children[i] = fork();
            if (children[i] == 0) {
                churn(round * PROCESSES + i);
            }
        }
        for (int i = 0; i < PROCESSES; i++) {
            usleep((unsigned)(rand() % 5000));
            kill(children[i], SIGKILL);
            int status = 0;
            CHECK_INT(waitpid(children[i], &status, 0), children[i]);
            CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); // none has ended by itself: nothing was wrong
        }
        struct cache_store store;
        open_store(&store);
        for (int i = 0; i < 20; i++) {
            enum cache_found found = find(&store, i);
            CHECK(found == CACHE_FOUND || found == CACHE_MISSING);
            CHECK(keep(&store, i, found != CACHE_FOUND)); // no lock was left
            CHECK_INT(find(&store, i), CACHE_FOUND);
        }
        cache_store_close(&store);
        if (leaves_nothing) {
            CHECK_INT(look().others, 0);
        }
    }
    drop_root();
}

TEST(processes_that_are_killed_leave_whole_entries_or_none)
{
    kill_in_rounds(true);
}

// A temporary file may stay then, for a minute.
TEST(processes_that_are_killed_leave_whole_entries_where_files_need_names)
{
    has_no_unnamed = true;
    kill_in_rounds(false);
    has_no_unnamed = false;
}

// ---- what an entry says -------------------------------------------------------------------------------------------

static void make_result(struct compiler_result *out)
{
    static const struct compiler_diagnostic diagnostics[] = {
        {1, "k.c", 3, 9, "text", "k.c:3:9: warning: text\n"},
        {0, "", 0, 0, "", "note"},
    };
    static const struct compiler_file files[] = {
        {COMPILER_FILE_ABSENT, "/proc/nowhere/a.h", NULL, 0},
        {COMPILER_FILE_PRESENT, "/proc/self/stat", NULL, 0},
    };
    *out = (struct compiler_result){.diagnostics = diagnostics,
                                    .diagnostic_count = 2,
                                    .warning_count = 7,
                                    .bytes = "the image",
                                    .size = 10,
                                    .files = files,
                                    .file_count = 2};
}

TEST(entry_cut_or_changed_behind_its_digest_is_read_or_refused_and_harms_nothing)
{
    struct compiler_result result;
    make_result(&result);
    unsigned char *memory;
    size_t size;
    REQUIRE(cache_entry_write(&result, &memory, &size));
    unsigned char *payload = memory + CACHE_HEADER_SIZE;
    struct cache_entry entry;
    const char *changed;
    REQUIRE(cache_entry_read(payload, size, &entry));
    CHECK_UINT(entry.result.size, 10);
    CHECK_STR(entry.result.bytes, "the image");
    CHECK_INT(entry.result.warning_count, 7);
    REQUIRE(entry.result.diagnostic_count == 2);
    CHECK_STR(entry.result.diagnostics[0].rendered, "k.c:3:9: warning: text\n");
    CHECK_INT(entry.result.diagnostics[0].line, 3);
    CHECK(cache_entry_is_current(&entry, &changed));
    cache_entry_free(&entry);
    int read = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char *cut = malloc(i + 1); // so that a sanitizer sees a step outside
        memcpy(cut, payload, i);
        CHECK(!cache_entry_read(cut, i, &entry));
        free(cut);
        static const unsigned char changes[] = {0x01, 0x80, 0xff};
        payload[i] ^= changes[i % 3];
        if (cache_entry_read(payload, size, &entry)) {
            read++;
            cache_entry_is_current(&entry, &changed);
            cache_entry_free(&entry);
        }
        payload[i] ^= changes[i % 3];
    }
    CHECK(read > 0 && read < (int)size); // a text may be another one
    free(memory);
}
