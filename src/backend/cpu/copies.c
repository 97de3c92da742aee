// Private copies of memory that all iterations of a task update. A million atomic updates of 256 counters cost more
// than doing them one after the other; so each worker gathers its own in a copy that begins with the operation's
// identity, without atomics, and when the task has ended the copies are added up and the sum goes to the memory itself.
// That last step is atomic where another block or stream may update the same memory at the same time.
//
// A part of the memory belongs to each worker, and to nobody else while the task runs. It begins with a head that says
// whether the worker has come at all.
#include "backend/cpu/exec.h"

#include <assert.h>
#include <string.h>

enum {
    COPIES_PART_SIZE = 4 << 20, // beyond, what is set up and added is far from the caches
    COPIES_SIZE = 32 << 20,     // of all workers
    COPIES_WORK = 16,           // simple operations for each element that is set up and added: below, it does not pay
    COPIES_LINE = 64,
};

struct copies_head {
    bool is_used;
    struct abi_copy copies[PLAN_MAX_COPIES];
};

// A task without copies: no update finds its place in them.
static const struct abi_copy no_copies[PLAN_MAX_COPIES];

static size_t round_up(size_t size)
{
    return (size + COPIES_LINE - 1) & ~(size_t)(COPIES_LINE - 1);
}

static struct copies_head *head_of(const struct cpu_copies *copies, int worker)
{
    return (struct copies_head *)(copies->memory + (size_t)worker * copies->stride);
}

// ---- operations -----------------------------------------------------------------------------------------------------

#define COPIES_SUM(a, b) ((a) + (b))
#define COPIES_AND(a, b) ((a) & (b))
#define COPIES_OR(a, b) ((a) | (b))
#define COPIES_XOR(a, b) ((a) ^ (b))
#define COPIES_MIN(a, b) ((a) < (b) ? (a) : (b))
#define COPIES_MAX(a, b) ((a) > (b) ? (a) : (b))

// X(update, IR type, C type, member of ir_value, operation): for each update by which gathered values merge.
#define COPIES_INTEGERS(X, ir, s, u)                                                                                   \
    X(ADD, ir, u, i, COPIES_SUM)                                                                                       \
    X(AND, ir, u, i, COPIES_AND)                                                                                       \
    X(OR, ir, u, i, COPIES_OR)                                                                                         \
    X(XOR, ir, u, i, COPIES_XOR)                                                                                       \
    X(SMIN, ir, s, i, COPIES_MIN)                                                                                      \
    X(SMAX, ir, s, i, COPIES_MAX)                                                                                      \
    X(UMIN, ir, u, i, COPIES_MIN)                                                                                      \
    X(UMAX, ir, u, i, COPIES_MAX)
#define COPIES_LIST(X)                                                                                                 \
    COPIES_INTEGERS(X, I8, int8_t, uint8_t)                                                                            \
    COPIES_INTEGERS(X, I16, int16_t, uint16_t)                                                                         \
    COPIES_INTEGERS(X, I32, int32_t, uint32_t)                                                                         \
    COPIES_INTEGERS(X, I64, int64_t, uint64_t)                                                                         \
    X(ADD, F32, float, f, COPIES_SUM)                                                                                  \
    X(ADD, F64, double, f, COPIES_SUM)

struct copies_operation {
    enum ir_update update;
    enum ir_type type;
    void (*clear)(void *copy, size_t count, union ir_value identity);
    void (*add)(void *into, const void *from, size_t count);                              // one copy to another
    void (*store)(void *shared, const void *copy, size_t count, union ir_value identity); // to its place, atomically
    void (*place)(void *shared, const void *copy, size_t count, union ir_value identity); // the same where it is alone
};

// What is still the identity leaves memory alone; floats are compared by their bits, since 0 + -0 is not -0.
#define COPIES_DEFINE(update, ir, type, member, operation)                                                             \
    static void clear_##update##_##ir(void *copy, size_t count, union ir_value identity)                               \
    {                                                                                                                  \
        type *to = copy;                                                                                               \
        for (size_t i = 0; i < count; i++) {                                                                           \
            to[i] = (type)identity.member;                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    static void add_##update##_##ir(void *into, const void *from, size_t count)                                        \
    {                                                                                                                  \
        type *to = into;                                                                                               \
        const type *more = from;                                                                                       \
        for (size_t i = 0; i < count; i++) {                                                                           \
            to[i] = (type)operation(to[i], more[i]);                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    static void store_##update##_##ir(void *shared, const void *copy, size_t count, union ir_value identity)           \
    {                                                                                                                  \
        type *to = shared;                                                                                             \
        const type *from = copy;                                                                                       \
        const type none = (type)identity.member;                                                                       \
        for (size_t i = 0; i < count; i++) {                                                                           \
            if (memcmp(&from[i], &none, sizeof none) == 0) {                                                           \
                continue;                                                                                              \
            }                                                                                                          \
            type old, wanted;                                                                                          \
            __atomic_load(&to[i], &old, __ATOMIC_RELAXED);                                                             \
            do {                                                                                                       \
                wanted = (type)operation(old, from[i]);                                                                \
            } while (!__atomic_compare_exchange(&to[i], &old, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));     \
        }                                                                                                              \
    }
COPIES_LIST(COPIES_DEFINE)
#undef COPIES_DEFINE

#define COPIES_DEFINE_PLACE(update, ir, type, member, operation)                                                       \
    static void place_##update##_##ir(void *shared, const void *copy, size_t count, union ir_value identity)           \
    {                                                                                                                  \
        type *to = shared;                                                                                             \
        const type *from = copy;                                                                                       \
        const type none = (type)identity.member;                                                                       \
        for (size_t i = 0; i < count; i++) {                                                                           \
            if (memcmp(&from[i], &none, sizeof none) != 0) {                                                           \
                to[i] = (type)operation(to[i], from[i]);                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
COPIES_LIST(COPIES_DEFINE_PLACE)
#undef COPIES_DEFINE_PLACE

static const struct copies_operation operations[] = {
#define COPIES_ENTRY(update, ir, type, member, operation)                                                              \
    {IR_UPDATE_##update,   IR_##ir, clear_##update##_##ir, add_##update##_##ir, store_##update##_##ir,                 \
     place_##update##_##ir},
    COPIES_LIST(COPIES_ENTRY)
#undef COPIES_ENTRY
};

static const struct copies_operation *operation_of(enum ir_update update, enum ir_type type)
{
    enum ir_update wanted = ir_update_merge(update);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (operations[i].update == wanted && operations[i].type == type) {
            return &operations[i];
        }
    }
    return NULL;
}

static union ir_value identity_of(const struct copied_span *copy)
{
    union ir_value identity;
    (void)ir_update_identity(copy->update, copy->type, &identity); // exact, since such updates gather
    return identity;
}

// ---- a task's copies ------------------------------------------------------------------------------------------------

// How large each copy is and where it lies in a worker's part. False: it cannot be known, or is too large.
static bool lay_out(struct cpu_exec *exec, uint64_t *out_element_count)
{
    struct cpu_copies *copies = &exec->copies;
    assert(exec->task->copy_count <= PLAN_MAX_COPIES);
    size_t at = round_up(sizeof(struct copies_head));
    for (int i = 0; i < exec->task->copy_count; i++) {
        struct plan_span span;
        const struct plan_effect *effect;
        if (!plan_span_of_copy(exec->task, i, &exec->run->values, &span, &effect) ||
            span.high - span.low > COPIES_PART_SIZE || operation_of(effect->update, effect->type) == NULL) {
            return false;
        }
        uint64_t width = (uint64_t)ir_type_size(effect->type);
        if (span.low % width != 0) {
            return false;
        }
        uint64_t size = (span.high - span.low) / width * width;
        copies->items[i] = (struct copied_span){
            .first = span.low, .size = size, .offset = at, .type = effect->type, .update = effect->update};
        at += round_up(size);
        *out_element_count += size / width;
    }
    copies->stride = at;
    return at <= COPIES_PART_SIZE + round_up(sizeof(struct copies_head));
}

// Room for as many workers. What was there is forgotten.
static bool reserve(struct backend_device *device, struct cpu_copies *copies, size_t size)
{
    if (size <= copies->size) {
        return true;
    }
    copies_finish(device, copies);
    copies->memory = device_alloc(device, size, COPIES_LINE);
    copies->size = copies->memory != NULL ? size : 0;
    return copies->memory != NULL;
}

void copies_begin(struct cpu_exec *exec, int64_t work, int worker_count)
{
    struct cpu_copies *copies = &exec->copies;
    struct backend_device *device = exec->run->device;
    uint64_t element_count = 0;
    copies->count = 0;
    // Whichever worker runs the task alone, the part is its own.
    size_t part_count = (size_t)device->pool.worker_count;
    if (!lay_out(exec, &element_count) || part_count * copies->stride > COPIES_SIZE ||
        (uint64_t)work / COPIES_WORK / (uint64_t)worker_count < element_count ||
        !reserve(device, copies, part_count * copies->stride)) {
        return;
    }
    for (size_t i = 0; i < part_count; i++) {
        head_of(copies, (int)i)->is_used = false;
    }
    copies->count = exec->task->copy_count;
}

// The worker's first chunk of the task: its cache gets the copy, and nobody else's.
static void begin_part(const struct cpu_copies *copies, struct copies_head *head)
{
    head->is_used = true;
    for (int i = 0; i < copies->count; i++) {
        const struct copied_span *copy = &copies->items[i];
        char *bytes = (char *)head + copy->offset;
        uint64_t width = (uint64_t)ir_type_size(copy->type);
        operation_of(copy->update, copy->type)->clear(bytes, copy->size / width, identity_of(copy));
        head->copies[i] = (struct abi_copy){
            .first = copy->first, .limit = copy->size < width ? 0 : copy->size - width + 1, .bytes = bytes};
    }
}

const struct abi_copy *copies_of(struct cpu_exec *exec, const struct cpu_worker *worker)
{
    const struct cpu_copies *copies = &exec->copies;
    if (exec->task->copy_count == 0 || copies->count == 0) {
        return no_copies;
    }
    assert((size_t)(worker->index + 1) * copies->stride <= copies->size);
    struct copies_head *head = head_of(copies, worker->index);
    if (!head->is_used) {
        begin_part(copies, head);
    }
    return head->copies;
}

// One sum of all copies first: these additions are not atomic, and run over vectors.
static void end_copy(struct cpu_exec *exec, const struct copied_span *copy)
{
    const struct copies_operation *operation = operation_of(copy->update, copy->type);
    size_t count = copy->size / (uint64_t)ir_type_size(copy->type);
    char *sum = NULL;
    for (int i = 0; i < exec->run->device->pool.worker_count; i++) {
        struct copies_head *head = head_of(&exec->copies, i);
        char *bytes = (char *)head + copy->offset;
        if (!head->is_used) {
            continue;
        }
        if (sum == NULL) {
            sum = bytes;
        } else {
            operation->add(sum, bytes, count);
        }
    }
    if (sum != NULL) {
        bool is_alone = exec->task->group == 0 && task_is_only_one(exec->run->device);
        (is_alone ? operation->place : operation->store)((void *)(uintptr_t)copy->first, sum, count, identity_of(copy));
    }
}

void copies_end(struct cpu_exec *exec)
{
    if (exec->task->copy_count == 0) {
        return;
    }
    for (int i = 0; i < exec->copies.count; i++) {
        end_copy(exec, &exec->copies.items[i]);
    }
    exec->copies.count = 0;
}

void copies_finish(struct backend_device *device, struct cpu_copies *copies)
{
    if (copies->memory != NULL) {
        device_free(device, copies->memory, copies->size);
    }
    copies->memory = NULL;
    copies->size = 0;
}
