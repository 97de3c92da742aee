// The runtime against a compiler that is missing, of another version, failing, or whose images are damaged. The
// compiler here is a small library that forwards to the real one and then does what the test wants to what comes back.
#include "world.h"

#include "compiler/compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

// ---- the other compiler -------------------------------------------------------------------------------------------

static const char fake_source[] =
    "#include \"compiler/compiler.h\"\n"
    "#include <dlfcn.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "void (*fake_change)(unsigned char *bytes, size_t *size);\n" // set by the test
    "rill_status fake_status;\n"
    "int fake_has_no_result;\n"
    "void (*fake_enter)(int inside);\n" // around the real compiler
    "static const struct compiler_table *real;\n"
    "static unsigned char *kept;\n" // the first image: a sweep needs it many times
    "static size_t kept_size;\n"
    "static rill_status changed(struct compiler_result **out)\n"
    "{\n"
    "    struct compiler_result *copy = calloc(1, sizeof *copy);\n"
    "    unsigned char *bytes = malloc(kept_size);\n"
    "    memcpy(bytes, kept, kept_size);\n"
    "    copy->size = kept_size;\n"
    "    fake_change(bytes, &copy->size);\n"
    "    unsigned char *exact = malloc(copy->size ? copy->size : 1);\n" // so that a sanitizer sees a step outside
    "    memcpy(exact, bytes, copy->size);\n"
    "    free(bytes);\n"
    "    copy->bytes = exact;\n"
    "    *out = copy;\n"
    "    return RILL_OK;\n"
    "}\n"
    "static rill_status compile(const struct compiler_input *input, struct compiler_result **out)\n"
    "{\n"
    "    if (fake_has_no_result) { *out = NULL; return fake_status; }\n"
    "    if (fake_change && kept && input->emit == COMPILER_IMAGE) return changed(out);\n"
    "    if (fake_enter) fake_enter(1);\n"
    "    rill_status status = real->compile(input, out);\n"
    "    if (status == RILL_OK && fake_change && input->emit == COMPILER_IMAGE) {\n"
    "        kept = malloc(kept_size = (*out)->size);\n"
    "        memcpy(kept, (*out)->bytes, kept_size);\n"
    "        real->free_result(*out);\n"
    "        status = changed(out);\n"
    "    }\n"
    "    if (fake_enter) fake_enter(0);\n"
    "    return fake_status != RILL_OK ? fake_status : status;\n"
    "}\n"
    "static void free_result(struct compiler_result *result)\n"
    "{\n"
    "    if (fake_change) { free((void *)result->bytes); free(result); } else real->free_result(result);\n"
    "}\n"
    "void fake_forget(void) { free(kept); kept = NULL; fake_change = NULL; fake_enter = NULL; fake_status = RILL_OK; "
    "}\n"
    "static const char *message(void) { return \"the pretended compiler failed\"; }\n"
    "struct compiler_table fake_table = {.version = COMPILER_TABLE_VERSION, .compile = compile,\n"
    "                                    .free_result = free_result, .message = message};\n"
    "const struct compiler_table *rill_compiler_table(void)\n"
    "{\n"
    "    void *library = dlopen(getenv(\"RILL_REAL_COMPILER\"), RTLD_NOW | RTLD_LOCAL);\n"
    "    if (!library) return NULL;\n"
    "    const struct compiler_table *(*find)(void);\n"
    "    *(void **)&find = dlsym(library, \"rill_compiler_table\");\n"
    "    real = find();\n"
    "    if (!fake_table.built) fake_table.built = real->built;\n"
    "    return &fake_table;\n"
    "}\n";

struct fake {
    char folder[64];
    char library[128];
    void *handle;
    void (**change)(unsigned char *bytes, size_t *size);
    rill_status *status;
    int *has_no_result;
    void (**enter)(int inside);
    struct compiler_table *table;
};

static void make_fake(struct fake *fake)
{
    memset(fake, 0, sizeof *fake);
    snprintf(fake->folder, sizeof fake->folder, "/tmp/rill_fake_XXXXXX");
    REQUIRE(mkdtemp(fake->folder) != NULL);
    char command[1024];
    char path[128];
    snprintf(path, sizeof path, "%s/fake.c", fake->folder);
    snprintf(fake->library, sizeof fake->library, "%s/fake.so", fake->folder);
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    fputs(fake_source, file);
    fclose(file);
    snprintf(command, sizeof command, "gcc -std=gnu11 -w -shared -fPIC -I%s/include -I%s/src %s -o %s", RILL_SOURCE_DIR,
             RILL_SOURCE_DIR, path, fake->library);
    REQUIRE(system(command) == 0);
    unlink(path);
    if (getenv("RILL_REAL_COMPILER") == NULL) {
        const char *given = getenv("RILL_COMPILER");
        setenv("RILL_REAL_COMPILER", given != NULL ? given : RILL_BUILD_DIR "/lib/librill-compiler.so", 1);
    }
    fake->handle = dlopen(fake->library, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(fake->handle != NULL);
    fake->change = dlsym(fake->handle, "fake_change");
    fake->status = dlsym(fake->handle, "fake_status");
    fake->has_no_result = dlsym(fake->handle, "fake_has_no_result");
    fake->enter = dlsym(fake->handle, "fake_enter");
    fake->table = dlsym(fake->handle, "fake_table");
    setenv("RILL_COMPILER", fake->library, 1);
}

static void drop_fake(struct fake *fake)
{
    setenv("RILL_COMPILER", getenv("RILL_REAL_COMPILER"), 1);
    void (*forget)(void);
    *(void **)&forget = dlsym(fake->handle, "fake_forget");
    forget();
    unlink(fake->library);
    rmdir(fake->folder);
}

static const char small_source[] =
    "#include <rill/kernel.h>\n"
    "int counter[3] = {1, 2, 3};\n"
    "kernel int f(int n, int x[n])\n"
    "{ int s = 0; for (int i = 0; i < n; i++) { x[i] += counter[i % 3]; s += x[i]; } return s; }\n"
    "kernel void g(int n, float x[n]) { for (int t = 0; t < 3; t++) for (int i = 0; i < n; i++) x[i] += t; }\n";

static rill_status create(rill_context context, rill_module *out_module)
{
    return rill_module_create(context, small_source, NULL, out_module);
}

// ---- missing, other, failing --------------------------------------------------------------------------------------

TEST(missing_compiler_says_what_to_install)
{
    rill_context context = {0};
    rill_module module;
    OK(rill_open(world_device(), NULL, &context));
    const char *given = getenv("RILL_COMPILER");
    char *kept = given != NULL ? strdup(given) : NULL;
    setenv("RILL_COMPILER", "/nowhere/librill-compiler.so", 1);
    STATUS(create(context, &module), RILL_ERR_NO_COMPILER);
    CHECK_CONTAINS(rill_message(), "rill_module_create: cannot load the compiler that RILL_COMPILER names: /nowhere");
    if (kept != NULL) {
        setenv("RILL_COMPILER", kept, 1);
    } else {
        unsetenv("RILL_COMPILER");
    }
    OK(create(context, &module)); // found now: the failure was not kept
    OK(rill_close(context));
    free(kept);
}

#if defined(__SANITIZE_ADDRESS__) || defined(WORLD_FINDS_RACES)
#define HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SHADOW 1
#endif
#endif

// LLVM would end the process.
TEST(compile_without_memory_is_refused_and_the_next_one_works)
{
#ifdef HAS_SHADOW
    SKIP("a sanitizer needs more address space than any limit leaves");
#else
    rill_context context = {0};
    rill_module module;
    OK(rill_open(world_device(), NULL, &context));
    OK(create(context, &module)); // the library is loaded
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file != NULL && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    struct rlimit before;
    REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    struct rlimit tight = {.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (16 << 20),
                           .rlim_max = before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &tight) == 0);
    rill_status status = create(context, &module);
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    STATUS(status, RILL_ERR_OUT_OF_MEMORY);
    CHECK_CONTAINS(rill_message(), "the compiler: there are not 32 MB of memory left");
    OK(create(context, &module));
    OK(rill_close(context));
#endif
}

TEST(compiler_of_another_version_is_refused)
{
    struct fake fake;
    make_fake(&fake);
    fake.table->version = COMPILER_TABLE_VERSION + 1;
    rill_context context = {0};
    rill_module module;
    OK(rill_open(world_device(), NULL, &context));
    STATUS(create(context, &module), RILL_ERR_NO_COMPILER);
    CHECK_CONTAINS(rill_message(), "install both from the same release");
    fake.table->version = 4; // which had no other name
    STATUS(create(context, &module), RILL_ERR_NO_COMPILER);
    CHECK_CONTAINS(rill_message(), "is of an older build, whose table has version 4, librill.so is 0");
    fake.table->version = COMPILER_TABLE_VERSION;
    OK(create(context, &module));
    OK(rill_close(context));
    drop_fake(&fake);
}

// Two builds of one release: the plans that they write may differ, and nothing else shows it.
TEST(compiler_of_another_build_is_refused_and_both_are_named)
{
    struct fake fake;
    make_fake(&fake);
    rill_context context = {0};
    rill_module module;
    OK(rill_open(world_device(), NULL, &context));
    fake.table->built = "0.9.7 (build 0123456789ab)";
    STATUS(create(context, &module), RILL_ERR_NO_COMPILER);
    CHECK_UINT(module.id, 0);
    char both[512];
    snprintf(both, sizeof both, "librill-compiler.so in %s is 0.9.7 (build 0123456789ab), librill.so is %s (build ",
             fake.folder, rill_version());
    CHECK_CONTAINS(rill_message(), both);
    CHECK_CONTAINS(rill_message(), "they were not built together");
    CHECK_CONTAINS(rill_message(), "install both from the same release, or let RILL_COMPILER name the compiler");
    fake.table->built = NULL; // taken from the real one
    OK(create(context, &module));
    OK(rill_close(context));
    drop_fake(&fake);
}

TEST(compiler_that_fails_is_an_error_with_words)
{
    struct fake fake;
    make_fake(&fake);
    rill_context context = {0};
    rill_module module;
    OK(rill_open(world_device(), NULL, &context));
    *fake.has_no_result = 1;
    *fake.status = RILL_ERR_OUT_OF_MEMORY;
    STATUS(create(context, &module), RILL_ERR_OUT_OF_MEMORY);
    CHECK_STR(rill_message(), "rill_module_create: the pretended compiler failed");
    *fake.status = RILL_OK;
    STATUS(create(context, &module), RILL_ERR_INTERNAL);
    *fake.has_no_result = 0;
    *fake.status = RILL_ERR_COMPILE;
    STATUS(create(context, &module), RILL_ERR_COMPILE);
    *fake.status = RILL_ERR_UNSUPPORTED;
    STATUS(create(context, &module), RILL_ERR_UNSUPPORTED);
    CHECK_UINT(module.id, 0);
    *fake.status = RILL_OK;
    OK(create(context, &module));
    OK(rill_close(context));
    drop_fake(&fake);
}

// ---- at the same time ---------------------------------------------------------------------------------------------

static struct {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    int wanted;  // compiles that are to be under way at the same time
    int inside;  // that are
    int most;    //
    int entered; // in all
} meeting = {.lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};

// Holds each compile until as many are under way as are wanted, or half a minute is over.
static void meet(int inside)
{
    pthread_mutex_lock(&meeting.lock);
    meeting.inside += inside ? 1 : -1;
    meeting.entered += inside;
    meeting.most = meeting.inside > meeting.most ? meeting.inside : meeting.most;
    pthread_cond_broadcast(&meeting.cond);
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 30;
    int result = 0;
    while (inside && meeting.most < meeting.wanted && result == 0) {
        result = pthread_cond_timedwait(&meeting.cond, &meeting.lock, &end);
    }
    pthread_mutex_unlock(&meeting.lock);
}

struct loading {
    rill_context context;
    const char *path;
    rill_status status;
    rill_kernel kernel;
};

static void *load_in_thread(void *arg)
{
    struct loading *loading = arg;
    loading->status = rill_kernel_load(loading->context, loading->path, "f", &loading->kernel);
    return NULL;
}

// How many compiles were under way at once while two threads loaded |paths|, each one.
static void load_two(const struct fake *fake, const char *const paths[2], int wanted)
{
    struct loading loadings[2];
    pthread_t threads[2];
    rill_context context = {0};
    meeting.wanted = wanted;
    meeting.inside = meeting.most = meeting.entered = 0;
    *fake->enter = meet;
    OK(rill_open(world_device(), NULL, &context));
    for (int i = 0; i < 2; i++) {
        loadings[i] = (struct loading){.context = context, .path = paths[i]};
        REQUIRE(pthread_create(&threads[i], NULL, load_in_thread, &loadings[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        OK(loadings[i].status);
        CHECK(loadings[i].kernel.id != 0);
    }
    OK(rill_close(context));
    *fake->enter = NULL;
}

TEST(files_that_threads_load_are_compiled_at_the_same_time_and_one_file_once)
{
    struct fake fake;
    make_fake(&fake);
    char first[128], second[128];
    const char *const names[] = {first, second};
    snprintf(first, sizeof first, "%s/a.c", fake.folder);
    snprintf(second, sizeof second, "%s/b.c", fake.folder);
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(names[i], "w");
        REQUIRE(file != NULL);
        fputs(small_source, file);
        fclose(file);
    }
    load_two(&fake, names, 2);
    CHECK_INT(meeting.most, 2);
    CHECK_INT(meeting.entered, 2);
    load_two(&fake, (const char *const[]){first, first}, 1);
    CHECK_INT(meeting.most, 1);
    CHECK_INT(meeting.entered, 1);
    unlink(first);
    unlink(second);
    drop_fake(&fake);
}

// ---- damaged images -----------------------------------------------------------------------------------------------

static struct damage {
    size_t cut;  // the size that is left; SIZE_MAX: all
    size_t at;   // the byte that is changed; SIZE_MAX: none
    int with;    // exclusive or
    bool rehash; // so that the damage gets past the hash
    size_t size; // of the image, for the test
} damage;

static uint64_t fnv(const unsigned char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void damage_image(unsigned char *bytes, size_t *size)
{
    damage.size = *size;
    if (damage.cut < *size) {
        *size = damage.cut;
    }
    if (damage.at < *size) {
        bytes[damage.at] ^= (unsigned char)damage.with;
    }
    if (damage.rehash && *size >= sizeof(struct image_header)) {
        struct image_header header;
        memcpy(&header, bytes, sizeof header);
        header.hash = fnv(bytes + sizeof header, *size - sizeof header);
        memcpy(bytes, &header, sizeof header);
    }
}

TEST(image_cut_or_changed_anywhere_is_refused)
{
    struct fake fake;
    make_fake(&fake);
    *fake.change = damage_image;
    rill_context context = {0};
    rill_module module;
    OK(rill_open(world_device(), NULL, &context));
    damage = (struct damage){.cut = SIZE_MAX, .at = SIZE_MAX};
    OK(create(context, &module));
    size_t size = damage.size;
    int loaded = 0;
    for (size_t i = 0; i < size; i += 1 + size / 400) {
        damage = (struct damage){.cut = i, .at = SIZE_MAX};
        loaded += create(context, &module) == RILL_OK;
        damage = (struct damage){.cut = SIZE_MAX, .at = i, .with = 0x10};
        loaded += create(context, &module) == RILL_OK;
    }
    CHECK_INT(loaded, 0);
    CHECK_CONTAINS(rill_message(), "the image is damaged");
    rill_stats stats;
    OK(rill_context_stats(context, &stats));
    CHECK_INT(stats.module_count, 1);
    OK(rill_close(context));
    drop_fake(&fake);
}

TEST(image_with_damage_behind_its_hash_is_refused_or_loads_but_harms_nothing)
{
    struct fake fake;
    make_fake(&fake);
    *fake.change = damage_image;
    rill_context context = {0};
    rill_module module;
    OK(rill_open(world_device(), NULL, &context));
    damage = (struct damage){.cut = SIZE_MAX, .at = SIZE_MAX, .rehash = true};
    OK(create(context, &module));
    size_t size = damage.size;
    size_t step = getenv("RILL_TEST_LONG") != NULL ? 1 : 1 + size / 1000;
    static const int changes[] = {0x01, 0x80, 0xff};
    for (size_t i = sizeof(struct image_header); i < size; i += step) {
        damage = (struct damage){.cut = SIZE_MAX, .at = i, .with = changes[i % 3], .rehash = true};
        rill_status status = create(context, &module);
        if (status == RILL_OK) {
            OK(rill_module_destroy(module)); // not run: code is trusted, its container is not
        }
        damage = (struct damage){.cut = i, .at = SIZE_MAX, .rehash = true};
        STATUS(create(context, &module) == RILL_OK ? RILL_OK : RILL_ERR_INVALID, RILL_ERR_INVALID);
    }
    OK(rill_close(context));
    drop_fake(&fake);
}

// ---- memory -------------------------------------------------------------------------------------------------------

#ifndef HAS_SANITIZER
static _Thread_local int is_inside_compiler;
static _Thread_local long fail_after; // 0: never
static _Thread_local long seen;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

static bool must_fail(void)
{
    return fail_after != 0 && is_inside_compiler == 0 && ++seen == fail_after;
}

// Exported, so that the libraries call these.
#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size)
{
    if (must_fail()) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size)
{
    if (must_fail()) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, size);
}

static void note_inside(int inside)
{
    is_inside_compiler = inside;
}

TEST(nth_malloc_fails_while_a_module_is_made)
{
    struct fake fake;
    make_fake(&fake);
    *fake.enter = note_inside;
    rill_context context = {0};
    rill_module module = {0};
    OK(rill_open(world_device(), NULL, &context));
    OK(create(context, &module)); // the compiler is loaded now
    OK(rill_module_destroy(module));
    int failed = 0;
    for (long n = 1; n < 200; n++) {
        rill_diagnostics diagnostics = {0};
        fail_after = n;
        seen = 0;
        rill_status status =
            rill_module_create(context, small_source, &(rill_module_options){.diagnostics = &diagnostics}, &module);
        bool was_reached = seen >= n;
        fail_after = 0;
        if (status != RILL_OK) {
            failed++;
            // What a module's code needs of libm and libc is opened with memory of the loader's own: without it the
            // symbol is missing.
            CHECK(status == RILL_ERR_OUT_OF_MEMORY || status == RILL_ERR_NOT_FOUND);
            CHECK_UINT(module.id, 0);
        } else {
            OK(rill_module_destroy(module));
        }
        rill_diagnostics_free(&diagnostics);
        rill_stats stats;
        OK(rill_context_stats(context, &stats));
        CHECK_INT(stats.module_count, 0);
        if (!was_reached) {
            break;
        }
    }
    CHECK(failed >= 3);
    OK(create(context, &module));
    int x[3] = {0};
    int sum = 0;
    rill_kernel f;
    OK(rill_module_kernel(module, "f", &f));
    OK(rill_call(f, RILL_CURRENT, RILL_ARGS(3, RILL_HOST(x, 3)), &sum, sizeof sum));
    CHECK_INT(sum, 6);
    OK(rill_close(context));
    drop_fake(&fake);
}
#endif
