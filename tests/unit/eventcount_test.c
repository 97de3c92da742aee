// The eventcount and the pollers of base/, through every interleaving of their steps: a model checker of the code
// itself.
//
// Each atomic operation, each sleep and each wake is one step. The threads of the model are functions that are run
// again from their beginning for every step: what they did before is answered from a log, the next operation is done,
// and at the one after that they are left by a jump. So the state of the model is its shared words and the logs, can be
// copied, and is searched depth first; a state that was met before is not searched again.
//
// A wake-up is lost where nobody can take a step and somebody has not come to its end. To show that this would be
// found, each scene is also searched with one step missing or in the wrong place.
#include "base/thread.h"

#include "test.h"

enum op { OP_ADD, OP_LOAD, OP_SWAP, OP_SLEEP, OP_WAKE, OP_LOCK };

static int get(const atomic_int *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void set(atomic_int *word, int value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static int step(enum op op, void *word, int operand, int wanted);
static int step_add(void *word, int by);
static bool step_swap(void *word, int *expected, int wanted);
static void step_wake(void *word, int most);

#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_load
#undef atomic_load_explicit
#undef atomic_compare_exchange_strong
#define atomic_fetch_add(word, by) step_add(word, by)
#define atomic_fetch_sub(word, by) step_add(word, -(by))
#define atomic_load(word) step(OP_LOAD, word, 0, 0)
#define atomic_load_explicit(word, order) step(OP_LOAD, word, 0, 0)
#define atomic_compare_exchange_strong(word, expected, wanted) step_swap(word, expected, wanted)
#define thread_sleep(word, seen) step(OP_SLEEP, word, (int)(seen), 0)
#define thread_wake(word, most) step_wake(word, most)

#include "base/eventcount.c" // NOLINT: it must see the names above

// ---- the model ------------------------------------------------------------------------------------------------------

enum { MOST_THREADS = 4, MOST_STEPS = 40, TABLE_SIZE = 1 << 21 };

// A step that is left out or done in the wrong place.
enum flaw {
    NO_FLAW,
    NO_RECHECK, // a waiter does not look again once it is counted, nor a poller once it is not
    NO_COUNT,   // a waiter is not counted
    NO_EPOCH,   // a notifier does not change the epoch
    NO_WAKE,    // a notifier does not wake
    LOOK_FIRST, // who makes the condition true looks for waiters or pollers before that
};

enum sleep_state { AWAKE, ASLEEP, WOKEN };

struct actor {
    int results[MOST_STEPS];
    int step_count;
    enum sleep_state sleep;
    int is_done;
};

// Everything that a step may change.
struct world {
    struct eventcount events;
    struct pollers pollers;
    atomic_int work; // what there is to do, or to wait for
    atomic_int lock; // 1: held
    struct actor actors[MOST_THREADS];
};

struct scene {
    bool keeps_work; // nobody takes it
    int count;       // threads
    void (*bodies[MOST_THREADS])(void);
};

struct search {
    const struct scene *scene;
    struct met {
        uint64_t hash; // 0: none
        uint64_t path_count;
    } *met;
    int state_count;
    bool has_lost; // a wake-up
    bool has_left; // work, with nobody to do it
};

static struct world world;
static enum flaw flaw;
static int current;      // who takes a step
static int replayed;     // of its log
static bool has_acted;   // it has done its step
static int choice;       // which of the sleepers a wake finds, of |choice_count|
static int choice_count; //
static jmp_buf left;

static void fall_asleep(struct actor *self, const atomic_int *word, int seen)
{
    if (self->sleep == AWAKE && get(word) == seen) { // one step, as in the kernel
        self->sleep = ASLEEP;
        longjmp(left, 1);
    }
    self->sleep = AWAKE;
}

static void wake_sleepers(int most)
{
    int asleep = 0;
    for (int i = 0; i < MOST_THREADS; i++) {
        asleep += world.actors[i].sleep == ASLEEP;
    }
    REQUIRE(most <= 1 || most >= asleep);
    choice_count = most >= asleep || most == 0 ? 1 : asleep;
    for (int i = 0, found = 0; most > 0 && i < MOST_THREADS; i++) {
        if (world.actors[i].sleep == ASLEEP && (most >= asleep || found++ == choice)) {
            world.actors[i].sleep = WOKEN;
        }
    }
}

static int perform(enum op op, atomic_int *word, int operand, int wanted)
{
    int before = get(word);
    switch (op) {
    case OP_LOAD: break;
    case OP_ADD: set(word, before + operand); break;
    case OP_SWAP: set(word, before == operand ? wanted : before); break;
    case OP_SLEEP: fall_asleep(&world.actors[current], word, operand); break;
    case OP_WAKE: wake_sleepers(operand); break;
    case OP_LOCK:
        if (before != 0) {
            longjmp(left, 1);
        }
        set(word, 1);
        break;
    }
    return before;
}

// One operation of the thread that takes a step: from its log, or now, or not yet. Returns what the word was before.
static int step(enum op op, void *word, int operand, int wanted)
{
    struct actor *self = &world.actors[current];
    if (replayed < self->step_count) {
        return self->results[replayed++];
    }
    if (has_acted) {
        longjmp(left, 1);
    }
    int result = perform(op, word, operand, wanted);
    REQUIRE(self->step_count < MOST_STEPS);
    self->results[self->step_count++] = result;
    replayed++;
    has_acted = true;
    return result;
}

static int step_add(void *word, int by)
{
    bool is_dropped =
        (flaw == NO_COUNT && word == &world.events.waiter_count) || (flaw == NO_EPOCH && word == &world.events.epoch);
    int before = step(OP_ADD, word, is_dropped ? 0 : by, 0);
    return flaw == NO_COUNT && by < 0 ? 1 : before; // what the assertion wants to see
}

static bool step_swap(void *word, int *expected, int wanted)
{
    int before = step(OP_SWAP, word, *expected, wanted);
    bool is_done = before == *expected;
    *expected = before;
    return is_done;
}

static void step_wake(void *word, int most)
{
    step(OP_WAKE, word, flaw == NO_WAKE ? 0 : most, 0);
}

// ---- the search -----------------------------------------------------------------------------------------------------

static uint64_t hash_world(void)
{
    const unsigned *words = (const unsigned *)&world;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof world / sizeof *words; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash | 1;
}

static struct met *find_met(struct search *search, uint64_t hash)
{
    size_t at = (hash >> 20) % TABLE_SIZE;
    while (search->met[at].hash != 0 && search->met[at].hash != hash) {
        at = (at + 1) % TABLE_SIZE;
    }
    return &search->met[at];
}

// A step of one thread. False: it could not take one.
static bool take_step(const struct scene *scene, int actor, int chosen)
{
    current = actor;
    replayed = 0;
    has_acted = false;
    choice = chosen;
    choice_count = 1;
    enum sleep_state before = world.actors[actor].sleep;
    if (setjmp(left) == 0) {
        scene->bodies[actor]();
        world.actors[actor].is_done = 1;
        return true;
    }
    return has_acted || world.actors[actor].sleep != before;
}

static bool has_failed(const struct search *search)
{
    return search->has_lost || search->has_left;
}

// Nobody can go on.
static void judge_end(struct search *search)
{
    for (int i = 0; i < search->scene->count; i++) {
        search->has_lost |= !world.actors[i].is_done;
    }
    search->has_left |= get(&world.work) != 0 && !search->scene->keeps_work;
}

// From the world as it is, which it leaves as it was: how many interleavings there are.
static uint64_t search_on(struct search *search)
{
    uint64_t hash = hash_world();
    if (find_met(search, hash)->hash != 0) {
        return find_met(search, hash)->path_count;
    }
    REQUIRE(search->state_count < TABLE_SIZE / 2);
    search->state_count++;
    uint64_t paths = 0;
    bool is_end = true;
    const struct world here = world;
    for (int i = 0; i < search->scene->count; i++) {
        bool can_go_on = !here.actors[i].is_done && here.actors[i].sleep != ASLEEP;
        for (int chosen = 0, count = 1; can_go_on && chosen < count && !has_failed(search); chosen++) {
            if (take_step(search->scene, i, chosen)) {
                count = choice_count;
                is_end = false;
                paths += search_on(search);
            }
            memcpy(&world, &here, sizeof world);
        }
    }
    if (is_end && !has_failed(search)) {
        judge_end(search);
        paths = 1;
    }
    *find_met(search, hash) = (struct met){hash, paths};
    return paths;
}

// The number of interleavings; 0: in one of them a wake-up is lost, or work is left.
static uint64_t search_all(const struct scene *scene, enum flaw with)
{
    if (thread_is_checked() && scene->count > 2) {
        SKIP("one thread takes all steps: ThreadSanitizer has nothing to find, and takes a minute");
    }
    struct search search = {.scene = scene, .met = calloc(TABLE_SIZE, sizeof *search.met)};
    memset(&world, 0, sizeof world);
    flaw = with;
    uint64_t paths = search_on(&search);
    free(search.met);
    return has_failed(&search) ? 0 : paths;
}

// ---- scenes: waiting ------------------------------------------------------------------------------------------------

struct goal {
    int amount;
    int look_count;
};

static bool is_there(void *arg)
{
    struct goal *goal = arg;
    bool is_recheck = goal->look_count++ % 2 == 1;
    return !(is_recheck && flaw == NO_RECHECK) && atomic_load(&world.work) >= goal->amount;
}

static void wait_for_one(void)
{
    struct goal goal = {.amount = 1};
    eventcount_wait(&world.events, is_there, &goal);
}

static void wait_for_two(void)
{
    struct goal goal = {.amount = 2};
    eventcount_wait(&world.events, is_there, &goal);
}

static bool has_waiters(void)
{
    return atomic_load(&world.events.waiter_count) > 0;
}

static void add_and_notify(int most)
{
    if (flaw == LOOK_FIRST) {
        bool has_seen = has_waiters();
        atomic_fetch_add(&world.work, 1);
        if (has_seen) {
            eventcount_wake(&world.events, most);
        }
        return;
    }
    atomic_fetch_add(&world.work, 1);
    eventcount_notify(&world.events, most);
}

static void add_for_all(void)
{
    add_and_notify(INT_MAX);
}

static void add_for_one(void)
{
    add_and_notify(1);
}

static bool take_some(void *arg)
{
    struct goal *goal = arg;
    bool is_recheck = goal->look_count++ % 2 == 1;
    int there = is_recheck && flaw == NO_RECHECK ? 0 : atomic_load(&world.work);
    while (there > 0 && !atomic_compare_exchange_strong(&world.work, &there, there - 1)) {
    }
    return there > 0;
}

static void wait_and_take(void)
{
    struct goal goal = {0};
    eventcount_wait(&world.events, take_some, &goal);
}

// True if every flaw that makes a difference in the scene is found.
static bool finds(const struct scene *scene, const enum flaw *flaws, int count)
{
    bool finds_all = true;
    for (int i = 0; i < count; i++) {
        finds_all &= CHECK_INT(search_all(scene, flaws[i]), 0);
    }
    return finds_all;
}

static const enum flaw wait_flaws[] = {NO_RECHECK, NO_COUNT, NO_EPOCH, NO_WAKE, LOOK_FIRST};

TEST(waiter_and_notifier_lose_no_wake_up)
{
    static const struct scene scene = {true, 2, {wait_for_one, add_for_all}};
    CHECK(search_all(&scene, NO_FLAW) > 10);
    CHECK(finds(&scene, wait_flaws, 5));
}

TEST(two_waiters_for_different_amounts_lose_no_wake_up)
{
    static const struct scene scene = {true, 4, {wait_for_one, wait_for_two, add_for_all, add_for_all}};
    CHECK(search_all(&scene, NO_FLAW) > 100000);
    CHECK(finds(&scene, wait_flaws, 5));
}

TEST(each_of_two_who_take_work_is_woken_for_one_piece)
{
    static const struct scene scene = {false, 4, {wait_and_take, wait_and_take, add_for_one, add_for_one}};
    CHECK(search_all(&scene, NO_FLAW) > 100000);
    CHECK(finds(&scene, wait_flaws, 5));
}

// ---- scenes: polling ------------------------------------------------------------------------------------------------

static void poll_once(void)
{
    struct goal goal = {0};
    if (!pollers_enter_alone(&world.pollers)) {
        return;
    }
    take_some(&goal);
    pollers_leave(&world.pollers);
    while (flaw != NO_RECHECK && take_some(&(struct goal){0})) {
    }
}

static void add_for_poller(void)
{
    bool has_poller = flaw == LOOK_FIRST && pollers_are_present(&world.pollers);
    atomic_fetch_add(&world.work, 1);
    if (flaw != LOOK_FIRST) {
        has_poller = pollers_are_present(&world.pollers);
    }
    if (!has_poller) {
        take_some(&(struct goal){0});
    }
}

static const enum flaw poll_flaws[] = {NO_RECHECK, LOOK_FIRST};

TEST(work_left_to_a_poller_that_leaves_is_not_left_behind)
{
    static const struct scene one = {false, 2, {poll_once, add_for_poller}};
    static const struct scene more = {false, 4, {poll_once, poll_once, add_for_poller, add_for_poller}};
    CHECK(search_all(&one, NO_FLAW) > 10);
    CHECK(finds(&one, poll_flaws, 2));
    CHECK(search_all(&more, NO_FLAW) > 10000);
    CHECK(finds(&more, poll_flaws, 2));
}

// ---- scenes: the pool -----------------------------------------------------------------------------------------------

static void lock_world(void)
{
    step(OP_LOCK, &world.lock, 0, 0);
}

static void unlock_world(void)
{
    atomic_fetch_sub(&world.lock, 1);
}

// Wakes one worker if there is more work than those who poll can take. The lock is held on entry.
static void unlock_and_wake(bool has_seen_pollers)
{
    bool is_wanted = !has_seen_pollers && atomic_load(&world.work) > atomic_load(&world.pollers.count);
    unlock_world();
    if (is_wanted) {
        eventcount_notify(&world.events, 1);
    }
}

// Polls once, then sleeps until there is something, takes it and wakes another for the rest.
static void be_a_worker(void)
{
    bool may_look = flaw != NO_RECHECK;
    pollers_enter(&world.pollers);
    pollers_leave(&world.pollers);
    lock_world();
    while (!may_look || atomic_load(&world.work) == 0) {
        unsigned key = eventcount_prepare(&world.events);
        unlock_world();
        eventcount_commit(&world.events, key);
        may_look = true;
        lock_world();
    }
    atomic_fetch_sub(&world.work, 1);
    unlock_and_wake(false);
}

static void push_work(void)
{
    bool has_seen = flaw == LOOK_FIRST && pollers_are_present(&world.pollers);
    lock_world();
    atomic_fetch_add(&world.work, 1);
    unlock_and_wake(has_seen);
}

static void push_twice(void)
{
    push_work();
    push_work();
}

TEST(worker_that_polls_and_then_sleeps_is_woken_for_what_came_meanwhile)
{
    static const struct scene one = {false, 2, {be_a_worker, push_work}};
    static const struct scene more = {false, 3, {be_a_worker, be_a_worker, push_twice}};
    CHECK(search_all(&one, NO_FLAW) > 10);
    CHECK(finds(&one, poll_flaws, 2));
    CHECK(search_all(&more, NO_FLAW) > 100000);
    CHECK(finds(&more, poll_flaws, 2));
    CHECK_INT(search_all(&more, NO_WAKE), 0);
    CHECK_INT(search_all(&more, NO_EPOCH), 0);
}
