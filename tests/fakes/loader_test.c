// The loader of the CUDA driver's library, with drivers that lack one function each: copies of the stand-in in which
// one name is spelt wrong.
#include "backend/cuda/loader.h"

#include "base/status.h"
#include "misspell.h"

static const char fake_path[] = RILL_BUILD_DIR "/tests/fakes/libfake_cuda.so";

static rill_status load(const char *path, const void **out_table)
{
    static struct cuda_library library;
    *out_table = &library.symbols;
    return cuda_load(path, &library);
}

TEST(a_missing_function_is_named_or_does_without)
{
    enum { OPTIONAL, REQUIRED };
    static const struct misspell_need needs[] = {
#define ENTRY(member, symbol, need, parameters) {symbol, need == REQUIRED, offsetof(struct cuda_symbols, member)},
        CUDA_SYMBOL_LIST(ENTRY)
#undef ENTRY
    };
    misspell_each(fake_path, needs, sizeof needs / sizeof needs[0], load);
}

TEST(a_whole_driver_loads)
{
    struct cuda_library library;
    CHECK_INT(cuda_load(fake_path, &library), RILL_OK);
    CHECK(library.version >= CUDA_OLDEST_VERSION);
    CHECK(library.symbols.exec_launch != NULL);
}

TEST(what_is_no_driver_is_said_to_be_none)
{
    struct cuda_library library;
    CHECK_INT(cuda_load("/nonexistent/libcuda.so", &library), RILL_ERR_NO_DEVICE);
    CHECK_CONTAINS(rill_message(), "/nonexistent/libcuda.so");
}

// In a process of its own: the version is read when the library is opened.
TEST(an_old_driver_is_refused_with_its_version)
{
    struct cuda_library library;
    if (getenv("FAKE_CUDA_VERSION") != NULL) {
        rill_status status = cuda_load(fake_path, &library);
        printf("%s: %s\n", rill_status_name(status), rill_message());
        return;
    }
    char command[600], line[600] = "";
    char self[256];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    REQUIRE(length > 0);
    self[length] = '\0';
    snprintf(command, sizeof command, "FAKE_CUDA_VERSION=11070 %s an_old_driver | grep RILL_ERR", self);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe != NULL);
    CHECK(fgets(line, sizeof line, pipe) != NULL);
    pclose(pipe);
    CHECK_CONTAINS(line, "RILL_ERR_NO_DEVICE");
    CHECK_CONTAINS(line, "11.7");
}
