// The loader of the HIP runtime's library: runtimes that lack one function each, old ones, none at all, and what
// differs between versions.
#include "backend/hip/loader.h"

#include "base/status.h"
#include "misspell.h"

#include <dlfcn.h>

static const char fake_path[] = RILL_BUILD_DIR "/tests/fakes/libfake_hip.so";

static rill_status load(const char *path, const void **out_table)
{
    static struct hip_library library;
    *out_table = &library.symbols;
    return hip_load(path, &library);
}

TEST(a_missing_function_is_named_or_does_without)
{
    enum { OPTIONAL, REQUIRED };
    static const struct misspell_need needs[] = {
#define ENTRY(member, symbol, need, result, parameters)                                                                \
    {symbol, need == REQUIRED, offsetof(struct hip_symbols, member)},
        HIP_SYMBOL_LIST(ENTRY)
#undef ENTRY
    };
    misspell_each(fake_path, needs, sizeof needs / sizeof needs[0], load);
}

TEST(a_whole_runtime_loads)
{
    struct hip_library library;
    CHECK_INT(hip_load(fake_path, &library), RILL_OK);
    CHECK(library.version >= HIP_OLDEST_VERSION);
    CHECK(library.symbols.exec_launch != NULL);
}

TEST(what_is_no_runtime_is_said_to_be_none)
{
    struct hip_library library;
    CHECK_INT(hip_load("/nonexistent/libamdhip64.so", &library), RILL_ERR_NO_DEVICE);
    CHECK_CONTAINS(rill_message(), "/nonexistent/libamdhip64.so");
}

// Loads in a process of its own, with what the environment says and nothing opened yet.
static void check_words(const char *environment, const char *first, const char *second)
{
    char command[800], line[600] = "", self[256];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    REQUIRE(length > 0);
    self[length] = '\0';
    snprintf(command, sizeof command,
             "env -u ROCM_PATH -u RILL_HIP_LIBRARY RILL_HIP_CHILD=1 %s %s loads_what | grep said:", environment, self);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe != NULL);
    CHECK(fgets(line, sizeof line, pipe) != NULL);
    pclose(pipe);
    CHECK_CONTAINS(line, first);
    CHECK_CONTAINS(line, second);
}

static void be_child(void)
{
    struct hip_library library;
    const char *first = getenv("RILL_HIP_FIRST");
    void *there = first != NULL ? dlopen(first, RTLD_NOW | RTLD_LOCAL) : NULL;
    rill_status status = hip_load(NULL, &library);
    bool is_same = there != NULL && dlsym(there, "hipInit") == *(void **)&library.symbols.init;
    printf("said: %s: %s%s\n", rill_status_name(status), status == RILL_OK ? library.path : rill_message(),
           is_same ? ", which was there" : "");
}

TEST(loads_what_the_environment_names)
{
    if (getenv("RILL_HIP_CHILD") != NULL) {
        be_child();
        return;
    }
    char environment[400];
    snprintf(environment, sizeof environment, "RILL_HIP_LIBRARY=%s", fake_path);
    check_words(environment, "RILL_OK", fake_path);
    snprintf(environment, sizeof environment, "FAKE_HIP_VERSION=40500000 RILL_HIP_LIBRARY=%s", fake_path);
    check_words(environment, "RILL_ERR_NO_DEVICE", "is of ROCm 4.5; 5.0 or later is needed");
    snprintf(environment, sizeof environment, "FAKE_HIP_DEVICES=0 RILL_HIP_LIBRARY=%s", fake_path);
    check_words(environment, "RILL_ERR_NO_DEVICE", "finds no AMD GPU");
    snprintf(environment, sizeof environment, "FAKE_HIP_FAIL=hipInit:1:999 RILL_HIP_LIBRARY=%s", fake_path);
    check_words(environment, "RILL_ERR_NO_DEVICE", "does not start: hipInit: hipErrorUnknown (999)");
}

// Of the system's, not of this process, which has the stand-in.
static bool has_runtime(void)
{
    return system("ldconfig -p 2>/dev/null | grep -q libamdhip64") == 0 ||
           (getenv("LD_LIBRARY_PATH") != NULL && system("ls $LD_LIBRARY_PATH/libamdhip64.so.* >/dev/null 2>&1") == 0);
}

static void make_folder(char *root, char *path, size_t size, const char *name)
{
    REQUIRE(mkdtemp(root) != NULL);
    snprintf(path, size, "mkdir -p %s/lib && ln -s %s %s/lib/%s", root, fake_path, root, name);
    CHECK_INT(system(path), 0);
}

static void remove_folder(const char *root)
{
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK_INT(system(command), 0);
}

// $ROCM_PATH is looked at where the system has none.
TEST(finds_a_runtime_below_rocm_path)
{
    char root[] = "/tmp/rill-rocm-XXXXXX", command[600], environment[200], path[200];
    if (has_runtime()) {
        SKIP("the system has a HIP runtime, which goes first");
    }
    make_folder(root, command, sizeof command, "libamdhip64.so.6");
    snprintf(environment, sizeof environment, "ROCM_PATH=%s", root);
    snprintf(path, sizeof path, "%s/lib/libamdhip64.so.6", root);
    check_words(environment, "RILL_OK", path);
    remove_folder(root);
}

// Of several the newest, and the system's before the one below $ROCM_PATH.
TEST(later_runtimes_go_first_and_the_systems_before_rocm_path)
{
    static const char *const versions[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
    char systems[] = "/tmp/rill-rocm-XXXXXX", own[] = "/tmp/rill-rocm-XXXXXX";
    char command[600], environment[300], path[200];
    if (has_runtime()) {
        SKIP("the system has a HIP runtime, which goes first");
    }
    make_folder(systems, command, sizeof command, versions[0]);
    make_folder(own, command, sizeof command, versions[0]);
    snprintf(command, sizeof command, "cd %s/lib && ln -s %s %s && ln -s %s %s", systems, fake_path, versions[1],
             fake_path, versions[2]);
    CHECK_INT(system(command), 0);
    snprintf(environment, sizeof environment, "LD_LIBRARY_PATH=%s/lib ROCM_PATH=%s", systems, own);
    for (int i = 0; i < 3; i++) {
        char found[64];
        snprintf(found, sizeof found, "RILL_OK: %s", versions[i]);
        check_words(environment, found, versions[i]);
        snprintf(path, sizeof path, "%s/lib/%s", systems, versions[i]);
        CHECK_INT(unlink(path), 0);
    }
    snprintf(path, sizeof path, "RILL_OK: %s/lib/%s", own, versions[0]);
    check_words(environment, path, own);
    remove_folder(systems);
    remove_folder(own);
}

// Whatever else there is: two runtimes in one process do not know of each other's memory. The stand-in has the real
// one's name inside.
TEST(a_runtime_that_is_in_the_process_already_goes_first)
{
    char environment[400];
    snprintf(environment, sizeof environment, "RILL_HIP_FIRST=%s", fake_path);
    check_words(environment, "RILL_OK", "libamdhip64.so.6, which was there");
}

// ---- Debian's real runtime
// --------------------------------------------------------------------------------------------------------------------

TEST(a_runtime_that_is_there_and_damaged_is_not_called_missing)
{
    char root[] = "/tmp/rill-rocm-XXXXXX", command[600], environment[200];
    if (has_runtime()) {
        SKIP("there is a HIP runtime");
    }
    make_folder(root, command, sizeof command, "libamdhip64.so.6");
    snprintf(command, sizeof command, "cd %s/lib && rm libamdhip64.so.6 && echo no library > libamdhip64.so.6", root);
    CHECK_INT(system(command), 0);
    snprintf(environment, sizeof environment, "ROCM_PATH=%s", root);
    check_words(environment, "RILL_ERR_NO_DEVICE", "the HIP runtime cannot be opened");
    check_words(environment, root, "libamdhip64.so.6");
    remove_folder(root);
}

TEST(the_real_runtime_without_a_gpu_says_that_there_is_none)
{
    if (!has_runtime()) {
        SKIP("libamdhip64-5 is not installed");
    }
    if (access("/dev/kfd", F_OK) == 0) {
        SKIP("there is an AMD GPU, or at least its kernel driver");
    }
    check_words("", "RILL_ERR_NO_DEVICE", "finds no AMD GPU");
    check_words("", "the HIP runtime libamdhip64.so", "(ROCm ");
}

TEST(without_a_runtime_the_words_are_that_it_is_not_installed)
{
    if (has_runtime()) {
        SKIP("there is a HIP runtime");
    }
    check_words("", "RILL_ERR_NO_DEVICE", "the HIP runtime is not installed");
}

// ---- what differs between versions
// --------------------------------------------------------------------------------------------------------------------

TEST(the_architecture_is_found_whatever_the_layout)
{
    char properties[2048], found[16];
    static const struct {
        size_t at;
        const char *text;
        const char *expected; // NULL: none
    } cases[] = {
        {396, "gfx90a:sramecc+:xnack-", "gfx90a"},
        {1160, "gfx1100", "gfx1100"},
        {0, "gfx942:sramecc+", "gfx942"},
        {396, "gfx9-4-generic", NULL},
        {17, "gfx1", NULL},
        {500, "xgfx90a", NULL},
        {2041, "gfx906", "gfx906"},
        {2043, "gfx90a", NULL},
        {400, "gfx900a0b0c0d0e0f", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(properties, 0, sizeof properties);
        size_t length = strlen(cases[i].text);
        size_t room = sizeof properties - cases[i].at;
        memcpy(properties + cases[i].at, cases[i].text, length < room ? length : room);
        bool has = hip_find_architecture(properties, sizeof properties, found, sizeof found);
        if (!CHECK_INT(has, cases[i].expected != NULL) || (has && !CHECK_STR(found, cases[i].expected))) {
            FAIL("case %zu: %s", i, cases[i].text);
        }
    }
}

TEST(pools_are_trusted_from_5_4_on_and_not_where_they_hang)
{
    CHECK(!hip_trusts_pools(50200000, "gfx90a"));
    CHECK(!hip_trusts_pools(50399999, "gfx90a"));
    CHECK(hip_trusts_pools(50400000, "gfx90a"));
    CHECK(hip_trusts_pools(70000000, "gfx1201"));
    CHECK(!hip_trusts_pools(60200000, "gfx90c"));
}
