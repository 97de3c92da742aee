#include "backend/gpu/choice.h"

#include <string.h>

enum {
    LOOK_TIME = 1000000,     // nanoseconds: how often it is asked who launches
    PAUSE_TIME = 5000000,    // without a word: whoever launched before has stopped
    SETTLE_TIME = 200000,    // after a change, before anything counts
    TRY_TIME = 1500000,      // at least
    TRY_COUNT = 12,          // launches that count, at least
    GIVE_UP_TIME = 30000000, // without so many
    KEEP_LOOK_TIME = 5000000,
    KEEP_TIME = 15000000,
    MAX_KEEP_TIME = 480000000,
};

static void set_way(struct gpu_choice *choice, enum choice_way way)
{
    atomic_store_explicit(&choice->way, (int)way, memory_order_relaxed);
}

static void begin_part(struct gpu_choice *choice, uint64_t now)
{
    choice->begin = now;
    choice->thread_count = 0;
}

static void begin_alone(struct gpu_choice *choice, uint64_t now)
{
    if (choice->phase != CHOICE_ALONE) {
        atomic_fetch_add_explicit(&choice->own_count, 1, memory_order_relaxed);
    }
    choice->phase = CHOICE_ALONE;
    choice->period = 0;
    set_way(choice, CHOICE_OWN);
    begin_part(choice, now);
}

static void begin_try(struct gpu_choice *choice, bool is_graph, uint64_t now)
{
    choice->phase = is_graph ? CHOICE_TRY_GRAPH : CHOICE_TRY_TASKS;
    memset(&choice->tries[is_graph], 0, sizeof choice->tries[is_graph]);
    set_way(choice, is_graph ? CHOICE_GRAPH : CHOICE_TASKS);
    begin_part(choice, now);
}

static void begin_keep(struct gpu_choice *choice, uint64_t now)
{
    // sum / count, compared without dividing: times are below 2^34, counts below 2^16.
    bool is_graph =
        choice->tries[true].sum * choice->tries[false].count <= choice->tries[false].sum * choice->tries[true].count;
    bool is_same = choice->period > 0 && is_graph == choice->was_graph;
    uint64_t longer = choice->period < MAX_KEEP_TIME ? 2 * choice->period : choice->period;
    choice->period = is_same ? longer : KEEP_TIME;
    choice->phase = CHOICE_KEEP;
    choice->was_graph = is_graph;
    choice->kept_count = choice->thread_count;
    choice->end = now + choice->period;
    set_way(choice, is_graph ? CHOICE_GRAPH : CHOICE_TASKS);
    begin_part(choice, now);
}

static void note_thread(struct gpu_choice *choice, uintptr_t thread)
{
    for (int i = 0; i < choice->thread_count; i++) {
        if (choice->threads[i] == thread) {
            return;
        }
    }
    if (choice->thread_count < CHOICE_MAX_THREADS) {
        choice->threads[choice->thread_count++] = thread;
    }
}

static void go_on_trying(struct gpu_choice *choice, bool is_graph, uint64_t nanoseconds, uint64_t now)
{
    bool tries_graph = choice->phase == CHOICE_TRY_GRAPH;
    uint64_t passed = now - choice->begin;
    // One that began before the change went the other way, or waited for those that did.
    if (is_graph == tries_graph && passed > SETTLE_TIME + nanoseconds) {
        choice->tries[tries_graph].sum += nanoseconds;
        choice->tries[tries_graph].count++;
    }
    bool is_enough = passed >= TRY_TIME && choice->tries[tries_graph].count >= TRY_COUNT;
    if (choice->thread_count < 2 && passed >= (is_enough ? TRY_TIME : GIVE_UP_TIME)) {
        begin_alone(choice, now);
    } else if (is_enough && tries_graph) {
        begin_try(choice, false, now);
    } else if (is_enough) {
        begin_keep(choice, now);
    } else if (passed >= GIVE_UP_TIME) {
        begin_alone(choice, now);
    }
}

// Whether it is other threads, or many more or fewer, than those that the choice was made with.
static bool is_changed(const struct gpu_choice *choice)
{
    int before = choice->kept_count;
    int count = choice->thread_count;
    return 3 * count > 4 * before || 4 * count < 3 * before;
}

static void go_on_keeping(struct gpu_choice *choice, uint64_t now)
{
    bool is_over = now >= choice->end;
    if (now - choice->begin < KEEP_LOOK_TIME && !is_over) {
        return;
    }
    if (choice->thread_count < 2) {
        begin_alone(choice, now);
    } else if (is_over || is_changed(choice)) {
        choice->period = is_over ? choice->period : 0;
        begin_try(choice, true, now);
    } else {
        begin_part(choice, now);
    }
}

void choice_tell(struct gpu_choice *choice, uintptr_t thread, bool is_graph, uint64_t nanoseconds, uint64_t now)
{
    if (!thread_latch_try(&choice->lock)) {
        return; // another tells: one launch more or less does not matter
    }
    if (now < choice->last) {
        now = choice->last; // it waited for the lock's owner
    }
    if (now - choice->last > PAUSE_TIME) {
        begin_alone(choice, now);
    }
    choice->last = now;
    note_thread(choice, thread);
    switch (choice->phase) {
    case CHOICE_ALONE:
        if (now - choice->begin >= LOOK_TIME && choice->thread_count > 1) {
            begin_try(choice, true, now);
        } else if (now - choice->begin >= LOOK_TIME) {
            begin_part(choice, now);
        }
        break;
    case CHOICE_TRY_GRAPH:
    case CHOICE_TRY_TASKS: go_on_trying(choice, is_graph, nanoseconds, now); break;
    case CHOICE_KEEP: go_on_keeping(choice, now); break;
    }
    thread_latch_unlock(&choice->lock);
}
