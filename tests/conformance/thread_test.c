// What belongs to a thread, and what Rill's own threads do to the process.
#include "world.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void *fail_and_ask(void *arg)
{
    char *texts = arg;
    snprintf(texts, 256, "%s", rill_message());
    STATUS(rill_sync((rill_context){0}), RILL_ERR_NULL_HANDLE);
    snprintf(texts + 256, 256, "%s", rill_message());
    return NULL;
}

TEST(message_belongs_to_its_thread_and_to_its_last_failure)
{
    STATUS(rill_array_destroy((rill_array){0}), RILL_ERR_NULL_HANDLE);
    char texts[2][256];
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, fail_and_ask, texts) == 0);
    pthread_join(thread, NULL);
    CHECK_STR(texts[0], ""); // no call had failed there
    CHECK_STR(texts[1], "rill_sync: the context handle was never set");
    CHECK_STR(rill_message(), "rill_array_destroy: the array handle was never set");
    struct world world;
    world_open(&world, 1);
    OK(rill_sync(world.context));
    CHECK_STR(rill_message(), "rill_array_destroy: the array handle was never set"); // of the last that failed
    world_close(&world);
}

TEST(every_status_has_a_name_and_a_text)
{
#define CHECK_STATUS(name, value, text)                                                                                \
    CHECK_STR(rill_status_name(RILL_##name), "RILL_" #name);                                                           \
    CHECK_STR(rill_status_text(RILL_##name), text);                                                                    \
    CHECK(RILL_##name == RILL_OK || RILL_##name < 0);
    RILL_STATUS_LIST(CHECK_STATUS)
#undef CHECK_STATUS
    CHECK(rill_status_name((rill_status)77) != NULL);
    CHECK(rill_status_text((rill_status)-77) != NULL);
}

// A line of /proc/self/task/<id>/<file> that begins with |key|, without it.
static bool read_line(const char *id, const char *file, const char *key, char *out, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/%s", id, file);
    FILE *stream = fopen(path, "r");
    char line[256];
    bool is_found = false;
    while (stream != NULL && !is_found && fgets(line, sizeof line, stream) != NULL) {
        is_found = strncmp(line, key, strlen(key)) == 0;
        snprintf(out, size, "%s", is_found ? line + strlen(key) : "");
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return is_found;
}

struct own_threads {
    int count;      // threads of Rill's, by their names
    int open_count; // of these, those that a signal of the terminal or of a child could reach
};

static struct own_threads look_at_threads(void)
{
    struct own_threads found = {0, 0};
    DIR *folder = opendir("/proc/self/task");
    REQUIRE(folder != NULL);
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char text[256];
        if (entry->d_name[0] == '.' || !read_line(entry->d_name, "comm", "rill-", text, sizeof text)) {
            continue;
        }
        const unsigned long long usual = 1ull << 0 | 1ull << 1 | 1ull << 13 | 1ull << 14 | 1ull << 16; // HUP to CHLD
        found.count++;
        bool is_read = read_line(entry->d_name, "status", "SigBlk:", text, sizeof text);
        found.open_count += !is_read || (strtoull(text, NULL, 16) & usual) != usual;
    }
    closedir(folder);
    return found;
}

static void caught_signals(char out[64])
{
    char id[32];
    snprintf(id, sizeof id, "%ld", (long)getpid());
    REQUIRE(read_line(id, "status", "SigCgt:", out, 64));
}

TEST(threads_start_at_the_first_launch_block_signals_and_no_handler_is_installed)
{
    char before[64], after[64];
    int at_first = look_at_threads().count;
    caught_signals(before);
    struct world world;
    world_open(&world, 3);
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.thread_count, 0);
    CHECK_INT(look_at_threads().count, at_first);
    OK(rill_call(world_kernel(&world, "answer"), RILL_CURRENT, RILL_ARGS(), NULL, 0));
    struct world_gate gate = WORLD_GATE_INIT;
    OK(rill_stream_callback(RILL_CURRENT, world_stand_at_gate, &gate)); // starts the thread of callbacks
    world_open_gate(&gate);
    OK(rill_stream_synchronize(RILL_CURRENT));
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.thread_count, world_is_cpu() ? 3 : 0);
    struct own_threads found = look_at_threads();
    CHECK(found.count > at_first);
    CHECK_INT(found.open_count, 0);
    caught_signals(after);
    CHECK_STR(after, before);
    world_close(&world);
    CHECK_INT(look_at_threads().count, at_first);
}

// A child whose main thread ends by itself, behind a launch, with or without closing its context.
static pid_t leave_main_thread(bool closes)
{
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child != 0) {
        return child;
    }
    rill_context context = {0};
    rill_module module = {0};
    rill_kernel answer = {0};
    if (rill_open("cpu", &(rill_open_options){.thread_count = 2}, &context) != RILL_OK ||
        rill_module_create(context, world_source, NULL, &module) != RILL_OK ||
        rill_module_kernel(module, "answer", &answer) != RILL_OK ||
        rill_launch(answer, RILL_CURRENT, RILL_ARGS()) != RILL_OK || rill_sync(context) != RILL_OK ||
        (closes && rill_close(context) != RILL_OK)) {
        _exit(1);
    }
    pthread_exit(NULL);
}

TEST(process_whose_main_thread_ends_stays_until_its_contexts_are_closed)
{
    if (!world_is_cpu() || world_finds_races()) {
        SKIP("a driver does not survive a fork, and a sanitizer has threads of its own");
    }
    int status = -1;
    pid_t closed = leave_main_thread(true);
    REQUIRE(waitpid(closed, &status, 0) == closed);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    pid_t open = leave_main_thread(false);
    usleep(300000);
    CHECK_INT(waitpid(open, &status, WNOHANG), 0);
    kill(open, SIGKILL);
    REQUIRE(waitpid(open, &status, 0) == open);
}
