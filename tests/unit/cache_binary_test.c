// A binary of the cache whose digest is right, and which the driver does not take, is made again and replaced. The
// driver is the stand-in; each step is a process of its own, as a process keeps its binaries in memory too.
#include "ok.h"
#include "runtime/cache_store.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/wait.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = i + 1; }\n";

static char folder[64];

// Makes the module and runs its kernel in another process. How many binaries were found and made: 16 * found + made.
static int counts_of_process(void)
{
    pid_t child = fork();
    if (child == 0) {
        rill_context context;
        rill_module module;
        rill_kernel f;
        rill_stats stats;
        int a[4] = {0};
        setenv("RILL_CUDA_LIBRARY", RILL_BUILD_DIR "/tests/fakes/libfake_cuda.so", 1);
        setenv("RILL_COMPILER", RILL_BUILD_DIR "/lib/librill-compiler.so", 1);
        setenv("RILL_STAND_IN", "1", 1);
        rill_module_options options = {.sanitize = "off"};
        OK(rill_open("cuda:0", &(rill_open_options){.cache = folder}, &context));
        OK(rill_module_create(context, source, &options, &module));
        OK(rill_module_kernel(module, "f", &f));
        OK(rill_launch(f, rill_default_stream(context), RILL_ARGS(4, RILL_HOST(a, 4))));
        OK(rill_sync(context));
        CHECK_INT(a[3], 4);
        OK(rill_context_stats(context, &stats));
        OK(rill_close(context));
        int counts = (int)(16 * stats.cache.binary_hit_count + stats.cache.binary_miss_count);
        _exit(test_run.failed_file != NULL ? 255 : counts);
    }
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The key of the only binary in the folder, which is its name.
static bool find_key(struct cache_key *out)
{
    int found = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *at = directory != NULL ? readdir(directory) : NULL; at != NULL; at = readdir(directory)) {
        if (strstr(at->d_name, ".binary") == NULL) {
            continue;
        }
        found++;
        for (size_t i = 0; i < sizeof out->bytes; i++) {
            const char digits[3] = {at->d_name[2 * i], at->d_name[2 * i + 1], '\0'};
            out->bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return found == 1;
}

TEST(binary_that_the_driver_does_not_take_is_made_again_and_replaced)
{
    snprintf(folder, sizeof folder, "/tmp/rill-binary-XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    CHECK_INT(counts_of_process(), 1);
    CHECK_INT(counts_of_process(), 16);
    struct cache_store store;
    struct cache_words words;
    struct cache_key key;
    REQUIRE(cache_store_open(&store, folder, &words) == CACHE_USABLE);
    REQUIRE(find_key(&key));
    unsigned char memory[CACHE_HEADER_SIZE + 64] = {0};
    snprintf((char *)memory + CACHE_HEADER_SIZE, 64, "no binary of any driver");
    CHECK(cache_store_keep(&store, &(struct cache_item){&key, CACHE_BINARY, "bad", memory, 64, true}, &words));
    cache_store_close(&store);
    CHECK_INT(counts_of_process(), 16); // found, and then made: the back end alone sees that it is no good
    CHECK_INT(counts_of_process(), 16);
    struct cache_blob blob;
    REQUIRE(cache_store_open(&store, folder, &words) == CACHE_USABLE);
    REQUIRE(cache_store_find(&store, &key, CACHE_BINARY, &blob, &words) == CACHE_FOUND);
    CHECK(blob.size != 64 && strcmp(blob.label, "bad") != 0); // it was replaced
    cache_blob_free(&blob);
    cache_store_close(&store);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}
