// What the conformance programs share: a context on the device that RILL_TEST_DEVICE names (cpu if unset), a module of
// small kernels, and what was logged and printed.
#ifndef RILL_TESTS_CONFORMANCE_WORLD_H
#define RILL_TESTS_CONFORMANCE_WORLD_H

#include "ok.h"

#include <pthread.h>
#include <stdatomic.h>

static const char world_source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    "struct point { float x, y; int id; };\n"
    "float gain = 2.0f;\n"
    "int table[4] = {1, 2, 3, 4};\n"
    "kernel void saxpy(int n, float a, const float x[n], float y[n])\n"
    "{ for (int i = 0; i < n; i++) y[i] += a * x[i]; }\n"
    "kernel float sum(int n, const float x[n])\n"
    "{ float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    "kernel void scale(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] *= gain; }\n"
    "kernel void grow(void) { for (int i = 0; i < 4; i++) table[i] *= 10; }\n"
    "kernel void move(int n, struct point p[n], struct point by)\n"
    "{ for (int i = 0; i < n; i++) { p[i].x += by.x; p[i].y += by.y; p[i].id = i; } }\n"
    "kernel void grid(int n, int m, float a[n][m])\n"
    "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = 100 * i + j; }\n"
    "kernel void types(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g, uint64_t h,\n"
    "                  float i, double j, _Bool k, double out[11])\n"
    "{ out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = h;\n"
    "  out[8] = i; out[9] = j; out[10] = k; }\n"
    "kernel void checked(int n, int limit, const int x[n])\n"
    "{ for (int i = 0; i < n; i++) assert(x[i] < limit); }\n"
    "kernel void append(int digit, long out[1]) { out[0] = out[0] * 10 + digit; }\n"
    "kernel void talk(int n)\n"
    "{ for (int i = 0; i < n; i++) { if (i % 2) printf(\"%d:%s \", i, \"odd\"); else printf(\"%d:even \", i); } }\n"
    "kernel long slow(int rounds)\n"
    "{ long s = 1;\n"
    "#pragma rill single\n"
    "  for (int i = 0; i < rounds; i++) s = s * 6364136223846793005 + 1442695040888963407;\n"
    "  return s; }\n"
    "kernel void pointer(long n, int *p) { for (long i = 0; i < n; i++) p[i] = (int)i; }\n"
    "kernel int answer(void) { return 42; }\n";

struct world {
    rill_context context;
    rill_module module;
    char logged[4096];
    char printed[65536];
};

static inline void world_log(void *user, rill_log_level level, const char *text)
{
    struct world *world = user;
    size_t used = strlen(world->logged);
    snprintf(world->logged + used, sizeof world->logged - used, "%d: %s\n", (int)level, text);
}

static inline void world_print(void *user, const char *text, size_t length)
{
    struct world *world = user;
    size_t used = strlen(world->printed);
    snprintf(world->printed + used, sizeof world->printed - used, "%.*s", (int)length, text);
}

static inline const char *world_device(void)
{
    const char *device = getenv("RILL_TEST_DEVICE");
    return device != NULL ? device : "cpu";
}

static inline bool world_is_cpu(void)
{
    return strcmp(world_device(), "cpu") == 0;
}

// A traced GPU is given task by task and not as graphs, and what decides over device data is read back.
static inline bool world_is_traced(void)
{
    const char *path = getenv("RILL_TRACE");
    return path != NULL && *path != '\0';
}

// A stand-in device that replays a schedule has one thread: a kernel that waits for another would wait for ever.
static inline bool world_is_serial(void)
{
    return getenv("FAKE_CUDA_SEED") != NULL || getenv("FAKE_HIP_SEED") != NULL;
}

#if defined(__SANITIZE_THREAD__)
#define WORLD_FINDS_RACES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WORLD_FINDS_RACES 1
#endif
#endif

// Whether a kernel that waits for memory to be written, which no event orders, would be reported as the race it is.
static inline bool world_finds_races(void)
{
#ifdef WORLD_FINDS_RACES
    return world_is_cpu();
#else
    return false;
#endif
}

#define STATUS(call, expected) CHECK_STR(rill_status_name(call), #expected)

static inline void world_open(struct world *world, int thread_count)
{
    memset(world, 0, sizeof *world);
    rill_open_options options = {
        .log = world_log, .log_user = world, .print = world_print, .print_user = world, .thread_count = thread_count};
    if (rill_open(world_device(), &options, &world->context) != RILL_OK ||
        rill_module_create(world->context, world_source, NULL, &world->module) != RILL_OK) {
        FAIL("%s", rill_message());
        test_leave(NULL);
    }
}

static inline void world_close(struct world *world)
{
    OK(rill_close(world->context));
}

static inline rill_kernel world_kernel(struct world *world, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(world->module, name, &kernel));
    return kernel;
}

// A callback that holds its stream until the gate is opened. A context has one thread for callbacks: one gate at a
// time.
struct world_gate {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    bool is_open;
};

#define WORLD_GATE_INIT {.lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER}

static inline void world_stand_at_gate(void *user, rill_status status)
{
    struct world_gate *gate = user;
    (void)status;
    pthread_mutex_lock(&gate->lock);
    while (!gate->is_open) {
        pthread_cond_wait(&gate->cond, &gate->lock);
    }
    pthread_mutex_unlock(&gate->lock);
}

static inline void world_open_gate(struct world_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_open = true;
    pthread_cond_broadcast(&gate->cond);
    pthread_mutex_unlock(&gate->lock);
}

static inline rill_array world_array(struct world *world, rill_type type, int64_t n)
{
    rill_array array = {0};
    OK(rill_array_create(world->context, type, RILL_SHAPE(n), &array));
    return array;
}

// For tests that leave orders out on purpose, which ThreadSanitizer rightly calls races.
static inline void need_no_watch(void)
{
    const char *part = getenv("RILL_TEST_PART");
    if (part != NULL && strcmp(part, "tsan") == 0) {
        SKIP("it races on purpose");
    }
}

#endif
