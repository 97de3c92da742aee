// A store outside of every array: checked it is an error like others; unchecked it is what it is in C.
#include "world.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
    "#include <rill/kernel.h>\n"
    "kernel void wild(int n, long at, int x[n]) { for (int i = 0; i < n; i++) x[at + i] = i; }\n";

// 0 if the launch is refused as |expected| and the context works on; 1 if not.
static int run_wild(bool is_checked, rill_status expected, int *page)
{
    rill_context context = {0};
    rill_module module = {0};
    rill_kernel wild = {0};
    if (rill_open("cpu", &(rill_open_options){.thread_count = 2}, &context) != RILL_OK ||
        rill_module_create(context, source, &(rill_module_options){.check_bounds = is_checked}, &module) != RILL_OK ||
        rill_module_kernel(module, NULL, &wild) != RILL_OK ||
        rill_launch(wild, RILL_CURRENT, RILL_ARGS(4, 1024, RILL_PTR(page, 4))) != RILL_OK) { // the next page
        return 1;
    }
    bool is_right = rill_stream_synchronize(RILL_CURRENT) == expected;
    is_right = rill_stream_clear_error(RILL_CURRENT) == RILL_OK && is_right;
    is_right = rill_launch(wild, RILL_CURRENT, RILL_ARGS(4, 0, RILL_PTR(page, 4))) == RILL_OK && is_right;
    is_right = rill_close(context) == RILL_OK && is_right;
    return is_right && page[3] == 3 ? 0 : 1;
}

TEST(wild_store_ends_the_process_only_where_nothing_checks_it)
{
    if (!world_is_cpu()) {
        SKIP("what a GPU does then is its driver's");
    }
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    REQUIRE(mprotect(pages + 4096, 4096, PROT_NONE) == 0);
    CHECK_INT(run_wild(true, RILL_ERR_BOUNDS, (int *)(void *)pages), 0);
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL) { // what a sanitizer says of it
            _exit(0);
        }
        _exit(run_wild(false, RILL_OK, (int *)(void *)pages) & 0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status) != 0); // a sanitizer exits
    munmap(pages, 8192);
}
