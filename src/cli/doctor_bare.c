// The same without Rill: the NVIDIA driver's own calls, and threads of the C library.
#include "cli/doctor.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// X(member, symbol, parameters)
#define CALLS(X)                                                                                                       \
    X(init, "cuInit", (unsigned))                                                                                      \
    X(retain, "cuDevicePrimaryCtxRetain", (void **, int))                                                              \
    X(release, "cuDevicePrimaryCtxRelease_v2", (int))                                                                  \
    X(set_current, "cuCtxSetCurrent", (void *))                                                                        \
    X(load, "cuModuleLoadData", (void **, const void *))                                                               \
    X(unload, "cuModuleUnload", (void *))                                                                              \
    X(function, "cuModuleGetFunction", (void **, void *, const char *))                                                \
    X(stream, "cuStreamCreate", (void **, unsigned))                                                                   \
    X(destroy, "cuStreamDestroy_v2", (void *))                                                                         \
    X(synchronize, "cuStreamSynchronize", (void *))                                                                    \
    X(event, "cuEventCreate", (void **, unsigned))                                                                     \
    X(destroy_event, "cuEventDestroy_v2", (void *))                                                                    \
    X(record, "cuEventRecord", (void *, void *))                                                                       \
    X(wait, "cuStreamWaitEvent", (void *, void *, unsigned))                                                           \
    X(launch, "cuLaunchKernel",                                                                                        \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))

struct driver {
#define MEMBER(member, symbol, parameters) int(*member) parameters;
    CALLS(MEMBER)
#undef MEMBER
    void *context, *module, *kernel;
    void *streams[2];
    void *events[2];
};

static const char empty[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry empty()\n{\nret;\n}\n";

static bool find_calls(struct driver *d)
{
    const char *path = getenv("RILL_CUDA_LIBRARY");
    void *library = dlopen(path != NULL && *path != '\0' ? path : "libcuda.so.1", RTLD_NOW);
    if (library == NULL) {
        return false;
    }
    bool has_all = true;
#define FIND(member, symbol, parameters)                                                                               \
    {                                                                                                                  \
        void *found = dlsym(library, symbol);                                                                          \
        memcpy(&d->member, &found, sizeof found);                                                                      \
        has_all = has_all && found != NULL;                                                                            \
    }
    CALLS(FIND)
#undef FIND
    return has_all;
}

static bool begin(struct driver *d)
{
    enum { NON_BLOCKING = 1, DISABLE_TIMING = 2 };
    bool is_good = d->set_current(d->context) == 0 && d->load(&d->module, empty) == 0 &&
                   d->function(&d->kernel, d->module, "empty") == 0;
    for (int i = 0; i < 2 && is_good; i++) {
        is_good = d->stream(&d->streams[i], NON_BLOCKING) == 0 && d->event(&d->events[i], DISABLE_TIMING) == 0;
    }
    return is_good;
}

static void end(struct driver *d)
{
    for (int i = 0; i < 2; i++) {
        (void)(d->streams[i] != NULL && d->destroy(d->streams[i]));
        (void)(d->events[i] != NULL && d->destroy_event(d->events[i]));
    }
    (void)(d->module != NULL && d->unload(d->module));
}

static bool launch_on(struct driver *d, int stream)
{
    return d->launch(d->kernel, 1, 1, 1, 64, 1, 1, 0, d->streams[stream], NULL, NULL) == 0;
}

static bool queue(void *user)
{
    struct driver *d = user;
    return launch_on(d, 0);
}

static bool queue_and_wait(void *user)
{
    struct driver *d = user;
    return launch_on(d, 0) && d->synchronize(d->streams[0]) == 0;
}

static bool pass_event(void *user)
{
    struct driver *d = user;
    return d->record(d->events[0], d->streams[0]) == 0 && d->wait(d->streams[1], d->events[0], 0) == 0;
}

static bool fork_and_join(void *user)
{
    struct driver *d = user;
    return pass_event(d) && launch_on(d, 0) && launch_on(d, 1) && d->record(d->events[1], d->streams[1]) == 0 &&
           d->wait(d->streams[0], d->events[1], 0) == 0 && d->synchronize(d->streams[0]) == 0;
}

static bool settle(void *user)
{
    struct driver *d = user;
    return d->synchronize(d->streams[0]) == 0 && d->synchronize(d->streams[1]) == 0;
}

bool doctor_measure_cuda(struct doctor_times *out)
{
    struct driver d = {0};
    if (!find_calls(&d) || d.init(0) != 0 || d.retain(&d.context, 0) != 0) {
        return false;
    }
    bool is_good = begin(&d);
    if (is_good) {
        *out = (struct doctor_times){.launch = doctor_time_of(queue, settle, &d),
                                     .round = doctor_time_of(queue_and_wait, settle, &d),
                                     .event = doctor_time_of(pass_event, settle, &d),
                                     .fork = doctor_time_of(fork_and_join, settle, &d),
                                     .overlap = -1};
    }
    end(&d);
    d.release(0);
    return is_good && out->launch >= 0 && out->round >= 0 && out->event >= 0 && out->fork >= 0;
}

// ---- threads -------------------------------------------------------------------------------------------------------

struct echo {
    sem_t call, answer;
    bool is_over;
};

static void *echo_thread(void *user)
{
    struct echo *echo = user;
    while (sem_wait(&echo->call) == 0 && !echo->is_over) {
        sem_post(&echo->answer);
    }
    return NULL;
}

static bool wake_and_wait(void *user)
{
    struct echo *echo = user;
    return sem_post(&echo->call) == 0 && sem_wait(&echo->answer) == 0;
}

bool doctor_measure_threads(struct doctor_times *out)
{
    struct echo echo = {.is_over = false};
    pthread_t thread;
    sem_init(&echo.call, 0, 0);
    sem_init(&echo.answer, 0, 0);
    if (pthread_create(&thread, NULL, echo_thread, &echo) != 0) {
        return false;
    }
    double least = doctor_time_of(wake_and_wait, NULL, &echo);
    echo.is_over = true;
    sem_post(&echo.call);
    pthread_join(thread, NULL);
    *out = (struct doctor_times){.launch = -1, .round = least, .event = -1, .fork = -1, .overlap = -1};
    return least >= 0;
}
