// Failures on purpose, on any back end and with real drivers: RILL_FAULT=launch:17 lets the 17th launch fail, so that a
// program can be tried with what its users will meet one day. Without the variable no call goes through here.
#include "backend/backend.h"

#include "base/status.h"
#include "base/thread.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// X(name, status): the operations that can be told to fail, and how they do.
#define FAULT_LIST(X)                                                                                                  \
    X(memory, RILL_ERR_OUT_OF_MEMORY)                                                                                  \
    X(module, RILL_ERR_DEVICE)                                                                                         \
    X(stream, RILL_ERR_DEVICE)                                                                                         \
    X(launch, RILL_ERR_DEVICE)                                                                                         \
    X(copy, RILL_ERR_DEVICE)                                                                                           \
    X(fill, RILL_ERR_DEVICE)                                                                                           \
    X(callback, RILL_ERR_DEVICE)                                                                                       \
    X(event, RILL_ERR_DEVICE)                                                                                          \
    X(record, RILL_ERR_DEVICE)                                                                                         \
    X(wait, RILL_ERR_DEVICE)

enum fault {
#define FAULT_ENUM(name, status) FAULT_##name,
    FAULT_LIST(FAULT_ENUM)
#undef FAULT_ENUM
        FAULT_COUNT
};

static const struct {
    const char *name;
    rill_status status;
} faults[FAULT_COUNT] = {
#define FAULT_ROW(name, status) {#name, status},
    FAULT_LIST(FAULT_ROW)
#undef FAULT_ROW
};

// Part of the registry of back ends: what the process was told, and how many calls are left until then.
static struct {
    pthread_mutex_t lock;
    char text[128];                 // of RILL_FAULT when it was last read; guarded by lock
    atomic_long left[FAULT_COUNT];  // 0: never
    long wanted[FAULT_COUNT];       // for the words
    struct backend tables[4];       // guarded by lock until they are given out
    const struct backend *bases[4]; //
    int table_count;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static rill_status hit(enum fault fault)
{
    if (atomic_load_explicit(&state.left[fault], memory_order_relaxed) <= 0 ||
        atomic_fetch_sub(&state.left[fault], 1) != 1) {
        return RILL_OK;
    }
    return status_fail(faults[fault].status, "RILL_FAULT: call %ld of '%s' fails, as it was told to",
                       state.wanted[fault], faults[fault].name);
}

// ---- the operations -----------------------------------------------------------------------------------------------

// One set for each back end, because an operation does not say whose it is.
#define FAULTY(family)                                                                                                 \
    static rill_status family##_memory_create(struct backend_device *device, uint64_t size, void **out)                \
    {                                                                                                                  \
        *out = NULL;                                                                                                   \
        RILL_TRY(hit(FAULT_memory));                                                                                   \
        return backend_##family.memory_create(device, size, out);                                                      \
    }                                                                                                                  \
    static rill_status family##_host_memory_create(struct backend_device *device, uint64_t size, void **out)           \
    {                                                                                                                  \
        *out = NULL;                                                                                                   \
        RILL_TRY(hit(FAULT_memory));                                                                                   \
        return backend_##family.host_memory_create(device, size, out);                                                 \
    }                                                                                                                  \
    static rill_status family##_image_load(struct backend_device *device, const struct plan_module *plan,              \
                                           const void *code, size_t size, struct backend_image **out)                  \
    {                                                                                                                  \
        *out = NULL;                                                                                                   \
        RILL_TRY(hit(FAULT_module));                                                                                   \
        return backend_##family.image_load(device, plan, code, size, out);                                             \
    }                                                                                                                  \
    static rill_status family##_stream_create(struct backend_device *device, int priority, uint64_t id,                \
                                              struct backend_stream **out)                                             \
    {                                                                                                                  \
        *out = NULL;                                                                                                   \
        RILL_TRY(hit(FAULT_stream));                                                                                   \
        return backend_##family.stream_create(device, priority, id, out);                                              \
    }                                                                                                                  \
    static rill_status family##_stream_wait(struct backend_stream *stream, struct backend_stream *other)               \
    {                                                                                                                  \
        RILL_TRY(hit(FAULT_wait));                                                                                     \
        return backend_##family.stream_wait(stream, other);                                                            \
    }                                                                                                                  \
    static rill_status family##_launch(struct backend_stream *stream, const struct backend_launch *launch)             \
    {                                                                                                                  \
        RILL_TRY(hit(FAULT_launch));                                                                                   \
        return backend_##family.launch(stream, launch);                                                                \
    }                                                                                                                  \
    static rill_status family##_copy(struct backend_stream *stream, void *target, const void *source, size_t size,     \
                                     enum backend_read read)                                                           \
    {                                                                                                                  \
        RILL_TRY(hit(FAULT_copy));                                                                                     \
        return backend_##family.copy(stream, target, source, size, read);                                              \
    }                                                                                                                  \
    static rill_status family##_copy_from(struct backend_stream *stream, void *target, struct backend_device *device,  \
                                          const void *source, size_t size)                                             \
    {                                                                                                                  \
        RILL_TRY(hit(FAULT_copy));                                                                                     \
        return backend_##family.copy_from(stream, target, device, source, size);                                       \
    }                                                                                                                  \
    static rill_status family##_batch_queue(struct backend_stream *stream, struct backend_batch **batch,               \
                                            const struct backend_parts *parts, bool *out_is_done)                      \
    {                                                                                                                  \
        *out_is_done = false;                                                                                          \
        RILL_TRY(hit(FAULT_launch));                                                                                   \
        return backend_##family.batch_queue(stream, batch, parts, out_is_done);                                        \
    }                                                                                                                  \
    static rill_status family##_fill(struct backend_stream *stream, void *target, size_t count, const void *element,   \
                                     size_t size)                                                                      \
    {                                                                                                                  \
        RILL_TRY(hit(FAULT_fill));                                                                                     \
        return backend_##family.fill(stream, target, count, element, size);                                            \
    }                                                                                                                  \
    static rill_status family##_notify(struct backend_stream *stream, backend_notice *notice, void *arg, bool hold)    \
    {                                                                                                                  \
        RILL_TRY(hit(FAULT_callback));                                                                                 \
        return backend_##family.notify(stream, notice, arg, hold);                                                     \
    }                                                                                                                  \
    static rill_status family##_event_create(struct backend_device *device, bool has_time, struct backend_event **out) \
    {                                                                                                                  \
        *out = NULL;                                                                                                   \
        RILL_TRY(hit(FAULT_event));                                                                                    \
        return backend_##family.event_create(device, has_time, out);                                                   \
    }                                                                                                                  \
    static rill_status family##_event_record(struct backend_event *event, struct backend_stream *stream)               \
    {                                                                                                                  \
        RILL_TRY(hit(FAULT_record));                                                                                   \
        return backend_##family.event_record(event, stream);                                                           \
    }                                                                                                                  \
    static rill_status family##_event_wait(struct backend_event *event, struct backend_stream *stream)                 \
    {                                                                                                                  \
        RILL_TRY(hit(FAULT_wait));                                                                                     \
        return backend_##family.event_wait(event, stream);                                                             \
    }                                                                                                                  \
    static void family##_wrap(struct backend *table)                                                                   \
    {                                                                                                                  \
        *table = backend_##family;                                                                                     \
        table->memory_create = family##_memory_create;                                                                 \
        table->host_memory_create = family##_host_memory_create;                                                       \
        table->image_load = family##_image_load;                                                                       \
        table->stream_create = family##_stream_create;                                                                 \
        table->stream_wait = family##_stream_wait;                                                                     \
        table->launch = family##_launch;                                                                               \
        table->copy = family##_copy;                                                                                   \
        if (backend_##family.copy_from != backend_no_copy_from) {                                                      \
            table->copy_from = family##_copy_from;                                                                     \
        }                                                                                                              \
        if (backend_##family.batch_queue != backend_no_batch) {                                                        \
            table->batch_queue = family##_batch_queue;                                                                 \
        }                                                                                                              \
        table->fill = family##_fill;                                                                                   \
        table->notify = family##_notify;                                                                               \
        table->event_create = family##_event_create;                                                                   \
        table->event_record = family##_event_record;                                                                   \
        table->event_wait = family##_event_wait;                                                                       \
    }
FAULTY(cpu)
FAULTY(cuda)
FAULTY(hip)
#undef FAULTY

// ---- what the environment says ------------------------------------------------------------------------------------

static rill_status refuse(const char *text)
{
    char names[200] = "";
    for (int i = 0; i < FAULT_COUNT; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", faults[i].name);
    }
    return status_fail(RILL_ERR_INVALID, "RILL_FAULT=%s: not name:n, or several with commas; the names are %s", text,
                       names);
}

// "launch:17,memory:3"
static rill_status read_text(const char *text)
{
    long wanted[FAULT_COUNT] = {0};
    for (const char *at = text; *at != '\0';) {
        char name[16];
        long n = 0;
        int used = 0, found = -1;
        if (sscanf(at, "%15[a-z]:%ld%n", name, &n, &used) < 2 || n < 1 || (at[used] != '\0' && at[used] != ',')) {
            return refuse(text);
        }
        for (int i = 0; i < FAULT_COUNT; i++) {
            found = strcmp(faults[i].name, name) == 0 ? i : found;
        }
        if (found < 0) {
            return refuse(text);
        }
        wanted[found] = n;
        at += used + (at[used] == ',');
    }
    for (int i = 0; i < FAULT_COUNT; i++) {
        state.wanted[i] = wanted[i];
        atomic_store(&state.left[i], wanted[i]);
    }
    snprintf(state.text, sizeof state.text, "%s", text);
    return RILL_OK;
}

static const struct backend *table_of(const struct backend *backend)
{
    for (int i = 0; i < state.table_count; i++) {
        if (state.bases[i] == backend) {
            return &state.tables[i];
        }
    }
    struct backend *table = &state.tables[state.table_count];
    assert(state.table_count < (int)(sizeof state.tables / sizeof state.tables[0]));
    void (*wrap)(struct backend *) = backend == &backend_cpu    ? cpu_wrap
                                     : backend == &backend_cuda ? cuda_wrap
                                     : backend == &backend_hip  ? hip_wrap
                                                                : NULL;
    if (wrap == NULL) {
        return backend;
    }
    wrap(table);
    state.bases[state.table_count++] = backend;
    return table;
}

rill_status backend_with_faults(const struct backend *backend, const struct backend **out_backend)
{
    const char *text = getenv("RILL_FAULT");
    *out_backend = backend;
    if (text == NULL || *text == '\0') {
        return RILL_OK;
    }
    pthread_mutex_lock(&state.lock);
    rill_status status = strcmp(text, state.text) != 0 ? read_text(text) : RILL_OK; // else the counts go on
    if (status == RILL_OK) {
        *out_backend = table_of(backend);
    }
    pthread_mutex_unlock(&state.lock);
    return status;
}
