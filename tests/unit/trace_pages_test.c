// The pages of a trace, while one thread writes and others add to it.
#include "backend/backend.h"

#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE_RECORDS = 512, SENDERS = 5 }; // the first is trace.c's

static sem_t is_freeing;
static sem_t may_free;
static atomic_bool holds_release; // the next memory of a page's size waits for |may_free| before it is freed

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    void *memory;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static void release(void *user, void *memory, size_t size)
{
    (void)user;
    if (size > PAGE_RECORDS * 64 && atomic_exchange(&holds_release, false)) {
        sem_post(&is_freeing);
        sem_wait(&may_free);
    }
    free(memory);
}

// Adds what fills one page, and so writes it, or waits for who writes.
struct sender {
    struct trace *trace;
    sem_t is_near; // it has added all but the last
    pthread_t thread;
};

static void *send(void *arg)
{
    struct sender *sender = arg;
    static const struct trace_cause cause = {.kind = TRACE_NOTHING};
    for (int i = 0; i < PAGE_RECORDS; i++) {
        if (i == PAGE_RECORDS - 1) {
            sem_post(&sender->is_near);
        }
        trace_add(sender->trace, &(struct trace_event){.task = "task",
                                                       .kernel = "kernel",
                                                       .file = "file.c",
                                                       .stream = 1,
                                                       .way = "alone",
                                                       .way_text = "",
                                                       .cause = &cause});
    }
    return NULL;
}

static void start(struct sender *sender, struct trace *trace)
{
    *sender = (struct sender){.trace = trace};
    sem_init(&sender->is_near, 0, 0);
    REQUIRE(pthread_create(&sender->thread, NULL, send, sender) == 0);
    sem_wait(&sender->is_near);
    usleep(20000); // until it has come to the lock of the file; less makes the test weaker, not wrong
}

// Counts the events of a pipe, to its end.
static void *drain(void *arg)
{
    static char text[4 << 20];
    int *handle = arg;
    size_t used = 0;
    ssize_t got;
    while (used < sizeof text - 1 && (got = read(*handle, text + used, sizeof text - 1 - used)) > 0) {
        used += (size_t)got;
    }
    text[used] = '\0';
    int count = 0;
    for (const char *at = text; (at = strstr(at, "\"ph\": \"X\"")) != NULL; at++) {
        count++;
    }
    *handle = count;
    return NULL;
}

// A pipe that nobody reads holds the first writer, so that the second writes two pages; while it frees them, two more
// are filled, the first of which is the one that was kept.
TEST(pages_that_are_written_together_are_freed_once)
{
    const struct backend_host host = {.allocate = allocate, .release = release};
    char dir[] = "/tmp/rill_pages_XXXXXX";
    char path[64];
    REQUIRE(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/t.json", dir);
    REQUIRE(mkfifo(path, 0600) == 0);
    int pipe = open(path, O_RDONLY | O_NONBLOCK);
    REQUIRE(pipe >= 0 && fcntl(pipe, F_SETFL, 0) == 0);
    setenv("RILL_TRACE", path, 1);
    struct trace *trace = trace_create(&host, &(struct trace_origin){.thread_count = SENDERS});
    unsetenv("RILL_TRACE");
    REQUIRE(trace != NULL);
    sem_init(&is_freeing, 0, 0);
    sem_init(&may_free, 0, 0);
    atomic_store(&holds_release, true);
    struct sender senders[SENDERS];
    for (int i = 0; i < 3; i++) {
        start(&senders[i], trace);
    }
    pthread_t reader;
    int handle = pipe;
    REQUIRE(pthread_create(&reader, NULL, drain, &handle) == 0);
    sem_wait(&is_freeing);
    start(&senders[3], trace);
    start(&senders[4], trace);
    sem_post(&may_free);
    for (int i = 0; i < SENDERS; i++) {
        pthread_join(senders[i].thread, NULL);
    }
    atomic_store(&holds_release, false);
    trace_destroy(trace);
    pthread_join(reader, NULL);
    CHECK_INT(handle, SENDERS * PAGE_RECORDS);
    close(pipe);
    unlink(path);
    rmdir(dir);
}
