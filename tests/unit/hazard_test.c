// The table of unfinished accesses against a list of all accesses ever: whatever conflicts is followed, directly or by
// way of work that followed it, and whatever the table names does conflict.
#include "runtime/context.h"
#include "runtime/hazard.h"

#include "test.h"

enum { STREAMS = 4, STEPS = 400, PLACES = 96 };

// What one piece of work touched, and what it comes after: of each stream all up to a number.
struct work {
    struct hazard_point point;
    struct hazard_access access;
    uint64_t after[STREAMS];
    int stream;
};

struct model {
    struct context context;
    struct hazard_table table;
    struct work works[STEPS];
    int count;
    int streams[STREAMS];
    uint64_t numbers[STREAMS];
    uint64_t after[STREAMS][STREAMS]; // of what is queued next on a stream
    uint64_t passed[STREAMS];
    int wrong_count;
    uint64_t random;
};

static uint32_t pick(struct model *m, uint32_t count)
{
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(m->random >> 33) % count;
}

static void release(void *user, struct hazard_point *point)
{
    (void)user;
    (void)point;
}

static struct hazard_access draw_access(struct model *m)
{
    uint64_t low = pick(m, PLACES);
    uint64_t high = low + 1 + pick(m, PLACES / 2);
    struct hazard_access access = {.span = {.low = low, .high = high}, .kind = (enum hazard_kind)pick(m, 3)};
    if (pick(m, 3) == 0) {
        access.span.step = 2 + pick(m, 3);
        access.span.width = 1;
    }
    if (access.kind == HAZARD_UPDATE) {
        access.update = (enum ir_update)(1 + pick(m, 2));
        access.type = IR_I32;
    }
    if (pick(m, 100) == 0) {
        access.span = (struct plan_span){.high = UINT64_MAX};
    }
    return access;
}

static struct work *work_of(const struct hazard_point *point)
{
    return (struct work *)(uintptr_t)((const char *)point - offsetof(struct work, point));
}

struct question {
    struct model *model;
    struct work *work;
};

static void join(uint64_t *after, const struct work *other)
{
    for (int i = 0; i < STREAMS; i++) {
        after[i] = other->after[i] > after[i] ? other->after[i] : after[i];
    }
    after[other->stream] = other->point.number > after[other->stream] ? other->point.number : after[other->stream];
}

static void follow(void *arg, const struct hazard_entry *entry)
{
    struct question *question = arg;
    struct work *other = work_of(entry->point);
    bool is_real = other->stream != question->work->stream && hazard_conflicts(&other->access, &question->work->access);
    question->model->wrong_count += !is_real;
    join(question->work->after, other);
}

static bool has_passed(void *arg, const struct hazard_point *point)
{
    const struct model *m = arg;
    return point->number <= m->passed[work_of(point)->stream];
}

static void step(struct model *m)
{
    int s = (int)pick(m, STREAMS);
    struct work *work = &m->works[m->count++];
    *work = (struct work){.stream = s, .access = draw_access(m)};
    memcpy(work->after, m->after[s], sizeof work->after);
    struct question question = {m, work};
    hazard_find(&m->table, &work->access, &m->streams[s], follow, &question);
    for (int i = 0; i + 1 < m->count; i++) {
        const struct work *old = &m->works[i];
        bool is_before = old->stream == s || work->after[old->stream] >= old->point.number ||
                         m->passed[old->stream] >= old->point.number;
        m->wrong_count += !is_before && hazard_conflicts(&old->access, &work->access);
    }
    work->point = (struct hazard_point){.stream = &m->streams[s], .number = ++m->numbers[s], .reference_count = 1};
    m->wrong_count += !hazard_add(&m->table, &work->access, &work->point);
    hazard_release(&m->table, &work->point);
    memcpy(m->after[s], work->after, sizeof work->after);
    m->after[s][s] = work->point.number;
}

static void run_model(struct model *m, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    m->context.allocator = host_allocator;
    m->random = 2 * seed + 1;
    hazard_init(&m->table, &m->context);
    m->table.release = release;
    for (int i = 0; i < STEPS; i++) {
        step(m);
        if (pick(m, 40) == 0) { // what has run has run together with all that it came after
            int s = (int)pick(m, STREAMS);
            m->passed[s] = m->numbers[s];
            for (int k = 0; k < STREAMS; k++) {
                m->passed[k] = m->after[s][k] > m->passed[k] ? m->after[s][k] : m->passed[k];
            }
            hazard_sweep(&m->table, has_passed, m);
        }
    }
    hazard_finish(&m->table);
    for (int i = 0; i < m->count; i++) {
        m->wrong_count += m->works[i].point.reference_count != 0;
    }
}

TEST(random_work_follows_what_it_conflicts_with_and_nothing_else)
{
    static struct model model;
    for (uint64_t seed = 0; seed < 300; seed++) {
        run_model(&model, seed);
        if (model.wrong_count != 0) {
            FAIL("seed %llu: %d wrong", (unsigned long long)seed, model.wrong_count);
            return;
        }
    }
}

static struct hazard_access bytes(enum hazard_kind kind, uint64_t low, uint64_t high)
{
    return (struct hazard_access){.span = {.low = low, .high = high}, .kind = kind};
}

TEST(a_write_takes_the_place_of_what_lies_in_it)
{
    struct context context = {.allocator = host_allocator};
    struct hazard_table table;
    struct hazard_point points[3] = {{0}};
    int streams[2];
    hazard_init(&table, &context);
    table.release = release;
    for (int i = 0; i < 3; i++) {
        points[i] = (struct hazard_point){.stream = &streams[i % 2], .reference_count = 1};
    }
    struct hazard_access read = bytes(HAZARD_READ, 10, 20);
    struct hazard_access write = bytes(HAZARD_WRITE, 0, 100);
    for (int i = 0; i < 10; i++) {
        CHECK(hazard_add(&table, &read, &points[i % 2]));
    }
    CHECK_UINT(table.entry_count, 2); // one for each stream
    CHECK(hazard_add(&table, &write, &points[2]));
    CHECK_UINT(table.entry_count, 1);
    CHECK_INT(points[0].reference_count, 1);
    hazard_forget(&table, 0, 99);
    CHECK_UINT(table.entry_count, 1); // it touches more
    hazard_forget(&table, 0, 100);
    CHECK_UINT(table.entry_count, 0);
    hazard_finish(&table);
}
