#include "backend/gpu/choice.h"

#include <assert.h>
#include <string.h>

enum {
    LOOK_TIME = 1000000,     // nanoseconds: how often it is asked who launches
    PAUSE_TIME = 5000000,    // without a word: whoever launched before has stopped
    SETTLE_TIME = 200000,    // after a change, before anything counts
    TRY_TIME = 1500000,      // at least, unless what is tried is much dearer
    TRY_COUNT = 12,          // launches that count, at least
    GIVE_UP_TIME = 30000000, // without so many
    KEEP_LOOK_TIME = 5000000,
    KEEP_TIME = 15000000,
    MAX_KEEP_TIME = 480000000,
};

static void set_way(struct gpu_choice *choice, bool is_graph)
{
    atomic_store_explicit(&choice->way, is_graph ? CHOICE_GRAPH : CHOICE_TASKS, memory_order_relaxed);
}

static void begin_part(struct gpu_choice *choice, uint64_t now)
{
    choice->begin = now;
    choice->thread_count = 0;
}

static void begin_count(struct gpu_choice *choice, bool is_graph, uint64_t now)
{
    memset(&choice->tries[is_graph], 0, sizeof choice->tries[is_graph]);
    begin_part(choice, now);
}

static void begin_alone(struct gpu_choice *choice, uint64_t now)
{
    if (choice->phase != CHOICE_ALONE) {
        atomic_fetch_add_explicit(&choice->own_count, 1, memory_order_relaxed);
    }
    choice->phase = CHOICE_ALONE;
    atomic_store_explicit(&choice->way, CHOICE_OWN, memory_order_relaxed);
    begin_part(choice, now);
}

static void begin_first(struct gpu_choice *choice, uint64_t now)
{
    choice->phase = CHOICE_TRY_FIRST;
    choice->is_graph = true;
    choice->kept_count = 0;
    set_way(choice, true);
    begin_count(choice, true, now);
}

// What the first one costs is known.
static void begin_other(struct gpu_choice *choice, uint64_t now)
{
    choice->phase = CHOICE_TRY_OTHER;
    set_way(choice, !choice->is_graph);
    begin_count(choice, !choice->is_graph, now);
}

static void begin_keep(struct gpu_choice *choice, uint64_t now)
{
    choice->phase = CHOICE_KEEP;
    set_way(choice, choice->is_graph);
    begin_count(choice, choice->is_graph, now);
}

// Whether a launch of the other way costs more than |times| / 32 of what one of the first costs; without dividing:
// times are below 2^34, counts below 2^16.
static bool is_dearer(const struct gpu_choice *choice, uint64_t times)
{
    bool is_graph = choice->is_graph;
    uint64_t first = choice->tries[is_graph].sum * choice->tries[!is_graph].count;
    uint64_t other = choice->tries[!is_graph].sum * choice->tries[is_graph].count;
    return other / times > first / 32;
}

static void choose(struct gpu_choice *choice, bool is_same, uint64_t now)
{
    assert(choice->phase == CHOICE_TRY_OTHER); // both ways were tried
    uint64_t longer = choice->period < MAX_KEEP_TIME ? 2 * choice->period : choice->period;
    choice->period = is_same && choice->period > 0 ? longer : KEEP_TIME;
    choice->left = choice->period;
    choice->is_graph = choice->is_graph == is_same;
    choice->is_doubted = false;
    begin_keep(choice, now);
}

static void note_thread(struct gpu_choice *choice, uintptr_t thread)
{
    assert(0 <= choice->thread_count && choice->thread_count <= CHOICE_MAX_THREADS);
    for (int i = 0; i < choice->thread_count; i++) {
        if (choice->threads[i] == thread) {
            return;
        }
    }
    if (choice->thread_count < CHOICE_MAX_THREADS) {
        choice->threads[choice->thread_count++] = thread;
    }
}

// One that began before the change went the other way, or waited for those that did.
static void note_time(struct gpu_choice *choice, bool is_graph, uint64_t nanoseconds, uint64_t now)
{
    bool tries_graph = choice->is_graph != (choice->phase == CHOICE_TRY_OTHER);
    if (is_graph == tries_graph && now - choice->begin > SETTLE_TIME + nanoseconds) {
        choice->tries[is_graph].sum += nanoseconds;
        choice->tries[is_graph].count++;
    }
}

static void go_on_trying(struct gpu_choice *choice, uint64_t now)
{
    choice->kept_count = choice->thread_count > choice->kept_count ? choice->thread_count : choice->kept_count;
    bool is_first = choice->phase == CHOICE_TRY_FIRST;
    uint64_t passed = now - choice->begin;
    uint64_t count = choice->tries[choice->is_graph == is_first].count;
    bool is_enough = passed >= TRY_TIME && count >= TRY_COUNT;
    bool is_clear = !is_first && count >= TRY_COUNT && is_dearer(choice, 40);
    if (choice->thread_count < 2 && passed >= (is_enough ? TRY_TIME : GIVE_UP_TIME)) {
        begin_alone(choice, now);
    } else if (is_enough && is_first) {
        begin_other(choice, now);
    } else if (is_enough || is_clear) {
        choose(choice, is_dearer(choice, 31), now);
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
    uint64_t passed = now - choice->begin;
    if (passed < KEEP_LOOK_TIME) {
        return;
    }
    choice->left -= passed < choice->left ? passed : choice->left;
    bool was_doubted = choice->is_doubted;
    choice->is_doubted = is_changed(choice);
    bool is_known = choice->tries[choice->is_graph].count >= TRY_COUNT;
    if (choice->thread_count < 2) {
        begin_alone(choice, now);
    } else if (is_known && choice->is_doubted && was_doubted) { // not only while they come or go
        choice->period = 0;
        choice->kept_count = choice->thread_count;
        begin_other(choice, now);
    } else if (is_known && choice->left == 0) {
        begin_other(choice, now);
    } else {
        begin_keep(choice, now);
    }
}

// What was chosen is kept for those who come again, if it is not one alone.
static void go_on_after_pause(struct gpu_choice *choice, uint64_t now)
{
    if (choice->phase != CHOICE_KEEP) {
        begin_alone(choice, now);
        return;
    }
    begin_keep(choice, now);
    choice->phase = CHOICE_RETURN;
    choice->is_doubted = false; // they may all have been leaving
}

static void go_on_alone(struct gpu_choice *choice, uint64_t now)
{
    if (now - choice->begin < LOOK_TIME) {
        return;
    }
    if (choice->thread_count < 2) {
        begin_part(choice, now);
    } else if (choice->period > 0) {
        begin_keep(choice, now);
    } else {
        begin_first(choice, now);
    }
}

static void go_on_returning(struct gpu_choice *choice, uint64_t now)
{
    if (now - choice->begin < LOOK_TIME) {
        return;
    }
    if (choice->thread_count < 2) {
        begin_alone(choice, now);
    } else {
        choice->phase = CHOICE_KEEP;
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
        go_on_after_pause(choice, now);
    }
    choice->last = now;
    note_thread(choice, thread);
    note_time(choice, is_graph, nanoseconds, now);
    switch (choice->phase) {
    case CHOICE_ALONE: go_on_alone(choice, now); break;
    case CHOICE_TRY_FIRST:
    case CHOICE_TRY_OTHER: go_on_trying(choice, now); break;
    case CHOICE_KEEP: go_on_keeping(choice, now); break;
    case CHOICE_RETURN: go_on_returning(choice, now); break;
    }
    thread_latch_unlock(&choice->lock);
}
