// The one state of the stand-in driver: faults and rules, handles, the random numbers, the end of the process.
#include "fake.h"

#include "../cuda/application.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct fake fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static _Thread_local bool in_host_function;
static _Thread_local bool told_to_fail;

void fake_lock(void)
{
    pthread_mutex_lock(&fake.lock);
}

void fake_unlock(void)
{
    pthread_mutex_unlock(&fake.lock);
}

bool fake_in_host_function(void)
{
    return in_host_function;
}

void fake_set_in_host_function(bool is_in)
{
    in_host_function = is_in;
}

bool fake_was_told_to_fail(void)
{
    return told_to_fail;
}

int64_t fake_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t fake_random_locked(uint64_t limit)
{
    fake.random += 0x9e3779b97f4a7c15u;
    uint64_t x = fake.random;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return limit == 0 ? 0 : (x ^ (x >> 31)) % limit;
}

void *fake_alloc(size_t size)
{
    void *memory = calloc(1, size != 0 ? size : 1);
    if (memory == NULL) {
        fprintf(stderr, "fake driver: out of host memory\n");
        _exit(98);
    }
    return memory;
}

void *fake_grow(void *items, size_t size, int *capacity)
{
    *capacity = *capacity == 0 ? 16 : *capacity * 2;
    items = realloc(items, size * (size_t)*capacity);
    if (items == NULL) {
        fprintf(stderr, "fake driver: out of host memory\n");
        _exit(98);
    }
    return items;
}

// ---- rules --------------------------------------------------------------------------------------------------------

static void note_violation(const char *format, va_list args)
{
    char words[240], text[256];
    vsnprintf(words, sizeof words, format, args);
    // The bodies know the CUDA driver's names, with which such words begin.
    size_t length = strcspn(words, ":");
    char call[64];
    snprintf(call, sizeof call, "%.*s", length < sizeof call ? (int)length : 0, words);
    snprintf(text, sizeof text, "%.63s%.190s", fake_vendor.call_name(call), words + strlen(call));
    if (fake.violation_count < 16) {
        snprintf(fake.violations[fake.violation_count], sizeof fake.violations[0], "%s", text);
    }
    fake.violation_count++;
    fprintf(stderr, "fake driver: %s\n", text);
}

void fake_violation_locked(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note_violation(format, args);
    va_end(args);
}

void fake_violation(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fake_lock();
    note_violation(format, args);
    fake_unlock();
    va_end(args);
}

// ---- what the environment says --------------------------------------------------------------------------------------

// FAKE_CUDA_SEED, FAKE_HIP_SEED: each library has variables of its own.
const char *fake_setting(const char *name)
{
    char variable[64];
    snprintf(variable, sizeof variable, "FAKE_%s_%s", fake_vendor.name, name);
    return getenv(variable);
}

static long number_of(const char *name, long otherwise)
{
    const char *text = fake_setting(name);
    return text != NULL && *text != '\0' ? strtol(text, NULL, 0) : otherwise;
}

// "name:n:code", several with commas; a "!" behind the code loses the device.
static void read_faults(const char *text)
{
    while (text != NULL && *text != '\0' && fake.fault_count < 16) {
        struct fake_fault *fault = &fake.faults[fake.fault_count];
        char sticky = '\0';
        if (sscanf(text, "%63[^:]:%ld:%d%c", fault->name, &fault->at, &fault->code, &sticky) >= 3) {
            fault->is_sticky = sticky == '!';
            fake.fault_count++;
        } else {
            fprintf(stderr, "fake driver: FAKE_..._FAIL is not name:n:code: %s\n", text);
        }
        text = strchr(text, ',');
        text = text != NULL ? text + 1 : NULL;
    }
}

static void init_conditions(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&fake.work, &monotonic);
    pthread_cond_init(&fake.done, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void read_environment(void)
{
    fake.version = (int)number_of("VERSION", fake_vendor.version);
    fake.device_count = (int)number_of("DEVICES", 2);
    fake.device_count = fake.device_count > FAKE_DEVICE_LIMIT ? FAKE_DEVICE_LIMIT : fake.device_count;
    fake.memory_size = (uint64_t)number_of("MEMORY", 4L << 30);
    fake.is_seeded = fake_setting("SEED") != NULL;
    fake.random = (uint64_t)number_of("SEED", 1);
    fake.is_traced = fake_setting("TRACE") != NULL;
    fake.lost_after = number_of("LOST", 0);
    fake.lazy_ns = number_of("LAZY", 0) * 1000;
    fake.pause_us = (int)number_of("PAUSE", 0);
    read_faults(fake_setting("FAIL"));
}

// A child has none of the threads, and no real driver serves it either. In its copies of the conditions threads wait
// that it does not have: to signal one would wait for them.
static void begin_child(void)
{
    pthread_mutex_init(&fake.lock, NULL);
    init_conditions();
    fake.is_forked = fake.is_initialized;
    fake.violation_count = 0;
}

__attribute__((constructor)) static void begin(void)
{
    init_conditions();
    read_environment();
    pthread_atfork(fake_lock, fake_unlock, begin_child);
}

// Like a real driver's, this handler runs before those that were registered before the driver was started.
static void go(void)
{
    fake_lock();
    fake.is_gone = true;
    pthread_cond_broadcast(&fake.work);
    fake_unlock();
}

void fake_init_locked(void)
{
    fake.is_initialized = true;
    atexit(go);
    fake_memory_describe_fault();
}

// The driver is gone before the program's last destructors run. A program that broke a rule does not end well.
__attribute__((destructor)) static void end(void)
{
    go();
    fake_lock();
    int count = fake.violation_count;
    fake_unlock();
    if (count > 0) {
        fflush(NULL);
        fprintf(stderr, "fake driver: %d rules were broken, the first: %s\n", count, fake.violations[0]);
        _exit(97);
    }
}

// ---- calls ----------------------------------------------------------------------------------------------------------

static struct fake_call *call_of(const char *name)
{
    for (int i = 0; i < fake.call_count; i++) {
        if (strcmp(fake.calls[i].name, name) == 0) {
            return &fake.calls[i];
        }
    }
    fake.calls[fake.call_count] = (struct fake_call){.name = name};
    return &fake.calls[fake.call_count++];
}

void fake_count_call(const char *name)
{
    fake_lock();
    call_of(name)->count++;
    fake_unlock();
}

static int fault_of(const char *name)
{
    for (int i = 0; i < fake.fault_count; i++) {
        struct fake_fault *fault = &fake.faults[i];
        if ((strcmp(fault->name, "*") != 0 && strcmp(fault->name, name) != 0) || fault->at <= 0 || --fault->at > 0) {
            continue;
        }
        if (fault->is_sticky && fake_current() != NULL) {
            fake_lose_locked(fake_current(), fault->code);
        }
        fake.failed = name;
        return fault->code;
    }
    return FAKE_OK;
}

// Half of the time, so that threads meet at places where they seldom do. Each thread has its own numbers.
static void pause_a_little(void)
{
    static _Thread_local uint64_t numbers;
    if (fake.pause_us <= 0) {
        return;
    }
    numbers = numbers == 0 ? (uint64_t)fake_now() ^ (uint64_t)(uintptr_t)&numbers : numbers;
    numbers ^= numbers << 13;
    numbers ^= numbers >> 7;
    numbers ^= numbers << 17;
    if (numbers >> 63 != 0) {
        usleep((useconds_t)(numbers % (uint64_t)fake.pause_us));
    }
}

void fake_leave(const int *enter_code)
{
    (void)enter_code;
    pause_a_little();
}

int fake_enter(const char *name, enum fake_need need)
{
    name = fake_vendor.call_name(name);
    pause_a_little();
    fake_lock();
    if (fake_vendor.begin_call_locked != NULL) {
        fake_vendor.begin_call_locked();
    }
    int code = FAKE_OK;
    told_to_fail = false;
    if (fake.is_gone) {
        code = FAKE_DEINITIALIZED;
    } else if (in_host_function) {
        fake_violation_locked("%s: called inside a host function", name);
        code = FAKE_NOT_PERMITTED;
    } else if (fake.is_forked || (need != FAKE_NEEDS_NOTHING && !fake.is_initialized)) {
        code = FAKE_NOT_INITIALIZED;
    } else {
        call_of(name)->count++;
        fake.total_calls++;
        code = fault_of(name);
        told_to_fail = code != FAKE_OK;
        if (code == FAKE_OK && need == FAKE_NEEDS_DEVICE && fake_current() != NULL) {
            code = fake_current()->lost_code;
        }
    }
    if (fake.is_traced) {
        fprintf(stderr, "fake driver calls %s%s\n", name, code != FAKE_OK ? ", which fails" : "");
    }
    fake_unlock();
    return code;
}

// ---- handles --------------------------------------------------------------------------------------------------------

static const uint64_t handle_base = UINT64_C(0x00fa000000000000); // no address of any process

void *fake_handle(const void *object)
{
    const struct fake_object *o = object;
    return o == NULL ? NULL : (void *)(uintptr_t)(handle_base | ((uint64_t)o->kind << 40) | ((uint64_t)o->index << 4));
}

void fake_add_locked(void *object, enum fake_kind kind, struct fake_context *context)
{
    struct fake_object *o = object;
    int capacity = (int)fake.object_capacity;
    FAKE_GROW(fake.objects, (int)fake.object_count, capacity);
    fake.object_capacity = (uint32_t)capacity;
    o->kind = kind;
    o->index = fake.object_count;
    o->context = context;
    fake.objects[fake.object_count++] = o;
    fake.alive[kind]++;
}

void fake_remove_locked(void *object)
{
    struct fake_object *o = object;
    o->is_destroyed = true;
    fake.alive[o->kind]--;
}

static const char *const kind_names[FAKE_KIND_COUNT] = {"object",           "context",  "stream", "event",
                                                        "module",           "function", "graph",  "node",
                                                        "executable graph", "pool",     "link",   "user object"};

void *fake_get_locked(const void *handle, enum fake_kind kind, const char *call)
{
    uint64_t bits = (uint64_t)(uintptr_t)handle;
    uint64_t index = (bits >> 4) & 0xffffffff;
    bool is_one = (bits & ~((UINT64_C(0xff) << 40) | (UINT64_C(0xfffffffff)))) == handle_base &&
                  ((bits >> 40) & 0xff) == (uint64_t)kind && index < fake.object_count;
    if (!is_one) {
        fake_violation_locked("%s: %p is not a %s", call, handle, kind_names[kind]);
        return NULL;
    }
    struct fake_object *object = fake.objects[index];
    if (object->is_destroyed || object->index != index) { // a context that ended and began anew has a new number
        fake_violation_locked("%s: this %s was destroyed", call, kind_names[kind]);
        return NULL;
    }
    return object;
}

// ---- for tests in the same process ---------------------------------------------------------------------------------

int stand_in_violations(void)
{
    fake_lock();
    int count = fake.violation_count;
    fake_unlock();
    return count;
}

const char *stand_in_violation(int index)
{
    return index >= 0 && index < 16 ? fake.violations[index] : "";
}

void stand_in_forgive(void)
{
    fake_lock();
    fake.violation_count = 0;
    memset(fake.violations, 0, sizeof fake.violations);
    fake_unlock();
}

// The n-th call of |name| ("*": of any function) from now on returns |code|; n = 0 takes all faults back.
void stand_in_fail(const char *name, long n, int code)
{
    fake_lock();
    if (n == 0) {
        fake.fault_count = 0;
    } else if (fake.fault_count == 0) {
        fake.failed = NULL;
    }
    if (n > 0 && fake.fault_count < 16) {
        struct fake_fault *fault = &fake.faults[fake.fault_count++];
        *fault = (struct fake_fault){.at = n, .code = code};
        snprintf(fault->name, sizeof fault->name, "%s", name);
    }
    fake_unlock();
}

// The call that was told to fail last; "" if none was since the last stand_in_fail.
const char *stand_in_failed(void)
{
    fake_lock();
    const char *name = fake.failed != NULL ? fake.failed : "";
    fake_unlock();
    return name;
}

// Calls made of |name|; "*": of all functions.
long stand_in_calls(const char *name)
{
    fake_lock();
    long count = strcmp(name, "*") == 0 ? fake.total_calls : call_of(name)->count;
    fake_unlock();
    return count;
}

// What is alive: "memory" (ranges), "host" (pinned ranges), "stream", "event", "module", "graph", "exec", "pool".
long stand_in_alive(const char *what)
{
    static const struct {
        const char *name;
        enum fake_kind kind;
    } names[] = {{"stream", FAKE_STREAM}, {"event", FAKE_EVENT}, {"module", FAKE_MODULE},
                 {"graph", FAKE_GRAPH},   {"exec", FAKE_EXEC},   {"pool", FAKE_POOL}};
    long count = 0;
    fake_lock();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, what) != 0) {
            continue;
        }
        for (uint32_t k = 0; k < fake.object_count; k++) {
            const struct fake_object *o = fake.objects[k];
            count += o->kind == names[i].kind && !o->is_destroyed && !o->is_internal;
        }
    }
    for (int i = 0; i < fake.range_count; i++) {
        const struct fake_range *range = fake.ranges[i];
        bool is_alive = range->state != FAKE_RANGE_FREED && !range->is_free_called;
        count += is_alive && range->kind == FAKE_RANGE_DEVICE && strcmp(what, "memory") == 0;
        count += is_alive && range->kind == FAKE_RANGE_HOST && strcmp(what, "host") == 0;
    }
    fake_unlock();
    return count;
}

// Waits until nothing is queued any more.
void stand_in_drain(void)
{
    fake_lock();
    while (fake.pending != NULL) {
        fake_hurry_locked(NULL);
        pthread_cond_wait(&fake.done, &fake.lock);
    }
    fake_unlock();
}

void stand_in_seed(unsigned long seed)
{
    fake_lock();
    fake.is_seeded = true;
    fake.random = seed;
    fake_unlock();
}

// What nobody waits for starts so late; 0: at once.
void stand_in_lazy(int microseconds)
{
    fake_lock();
    fake.lazy_ns = (int64_t)microseconds * 1000;
    fake_unlock();
}

// Calls that use an executable graph take so long, so that others meet them there.
void stand_in_linger(int microseconds)
{
    fake_lock();
    fake.linger_us = microseconds;
    fake_unlock();
}

void stand_in_lose(int code)
{
    fake_lock();
    for (int i = 0; i < FAKE_DEVICE_LIMIT; i++) {
        if (fake.contexts[i].retain_count > 0) {
            fake_lose_locked(&fake.contexts[i], code);
        }
    }
    fake_unlock();
}
