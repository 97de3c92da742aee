#include "base/handle.h"

#include "test.h"

enum { APPLE = 1, PEAR = 2 };

struct fruit {
    atomic_int disposed;
};

static void dispose(void *object, int kind)
{
    (void)kind;
    atomic_fetch_add(&((struct fruit *)object)->disposed, 1);
}

static struct handle_table *make_table(void)
{
    struct handle_table *table = aligned_alloc(_Alignof(struct handle_table), sizeof *table);
    memset(table, 0, sizeof *table);
    handle_table_init(table, dispose);
    return table;
}

static void free_table(struct handle_table *table)
{
    handle_table_finish(table);
    free(table);
}

TEST(handle_gives_back_what_was_added_until_it_is_retired)
{
    struct handle_table *table = make_table();
    struct fruit fruit = {0};
    void *object;
    uint64_t id = handle_add(table, &fruit, APPLE);
    CHECK(id != 0);
    CHECK_INT(handle_pin(table, id, APPLE, &object), HANDLE_OK);
    CHECK(object == &fruit);
    handle_unpin(table, id);
    CHECK_INT(handle_retire(table, id, APPLE, &object), HANDLE_OK);
    CHECK_INT(handle_pin(table, id, APPLE, &object), HANDLE_STALE);
    CHECK(object == NULL);
    CHECK_INT(handle_retire(table, id, APPLE, &object), HANDLE_STALE);
    CHECK_INT(fruit.disposed, 0);
    handle_unpin(table, id);
    CHECK_INT(fruit.disposed, 1);
    free_table(table);
}

// Threads pin what they made one after the other: a stream of the one, an array of the other.
TEST(what_is_added_in_a_row_is_pinned_on_cache_lines_of_its_own)
{
    enum { COUNT = 200 };
    struct handle_table *table = make_table();
    struct fruit fruit = {0};
    uint64_t ids[COUNT];
    uintptr_t lines[COUNT];
    for (int i = 0; i < COUNT; i++) {
        ids[i] = handle_add(table, &fruit, APPLE);
        struct handle_entry *entry = handle_entry_of(table, ids[i]);
        CHECK_INT(atomic_load(&entry->state) >> HANDLE_LIVE_SHIFT, handle_live_state(ids[i], APPLE));
        lines[i] = (uintptr_t)&entry->state / 64;
        for (int k = 0; k < i; k++) {
            CHECK(lines[k] != lines[i]);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        void *object;
        CHECK_INT(handle_retire(table, ids[i], APPLE, &object), HANDLE_OK);
        handle_unpin(table, ids[i]);
    }
    CHECK_INT(fruit.disposed, COUNT);
    free_table(table);
}

TEST(retired_object_lives_until_its_last_pin)
{
    struct handle_table *table = make_table();
    struct fruit fruit = {0};
    void *object;
    uint64_t id = handle_add(table, &fruit, APPLE);
    CHECK_INT(handle_pin(table, id, -1, &object), HANDLE_OK);
    CHECK_INT(handle_retire(table, id, APPLE, &object), HANDLE_OK);
    handle_unpin(table, id);
    CHECK_INT(fruit.disposed, 0);
    handle_unpin(table, id);
    CHECK_INT(fruit.disposed, 1);
    free_table(table);
}

TEST(handle_of_another_kind_is_told_apart)
{
    struct handle_table *table = make_table();
    struct fruit fruit = {0};
    void *object;
    uint64_t id = handle_add(table, &fruit, APPLE);
    CHECK_INT(handle_pin(table, id, PEAR, &object), HANDLE_WRONG_KIND);
    handle_retire(table, id, APPLE, &object);
    handle_unpin(table, id);
    CHECK_INT(handle_pin(table, id, PEAR, &object), HANDLE_STALE);
    free_table(table);
}

TEST(stale_handle_stays_stale_when_its_slot_is_used_again)
{
    struct handle_table *table = make_table();
    struct fruit fruit = {0};
    void *object;
    uint64_t first = handle_add(table, &fruit, APPLE);
    handle_retire(table, first, APPLE, &object);
    handle_unpin(table, first);
    for (int i = 0; i < 10000; i++) {
        uint64_t id = handle_add(table, &fruit, APPLE);
        CHECK(id != first);
        CHECK_INT(handle_pin(table, first, APPLE, &object), HANDLE_STALE);
        handle_retire(table, id, APPLE, &object);
        handle_unpin(table, id);
    }
    CHECK_INT(table->slot_count, 1);
    free_table(table);
}

TEST(slot_whose_generations_are_used_up_is_not_used_again)
{
    struct handle_table *table = make_table();
    table->generation_limit = 3;
    struct fruit fruit = {0};
    void *object;
    uint64_t ids[9];
    for (int i = 0; i < 9; i++) {
        ids[i] = handle_add(table, &fruit, APPLE);
        for (int k = 0; k < i; k++) {
            CHECK(ids[k] != ids[i]);
        }
        handle_retire(table, ids[i], APPLE, &object);
        handle_unpin(table, ids[i]);
    }
    CHECK_INT(table->slot_count, 3);
    free_table(table);
}

TEST(table_that_is_full_says_so)
{
    struct handle_table *table = make_table();
    table->slot_limit = 4;
    struct fruit fruit = {0};
    for (int i = 0; i < 3; i++) {
        CHECK(handle_add(table, &fruit, APPLE) != 0);
    }
    CHECK(handle_add(table, &fruit, APPLE) == 0);
    free_table(table);
}

TEST(ids_that_were_never_given_out_are_stale)
{
    struct handle_table *table = make_table();
    void *object;
    CHECK_INT(handle_pin(table, 0, -1, &object), HANDLE_STALE);
    CHECK_INT(handle_pin(table, 12345678901234, -1, &object), HANDLE_STALE);
    CHECK_INT(handle_pin(table, (UINT64_C(1) << 42) - 1, -1, &object), HANDLE_STALE);
    free_table(table);
}

TEST(joined_id_comes_apart_again)
{
    uint64_t full = handle_join((1u << HANDLE_TABLE_BITS) - 1, 77);
    CHECK_UINT(handle_table_of(full), (1u << HANDLE_TABLE_BITS) - 1);
    CHECK_UINT(handle_in_table(full), 77);
}

struct visit {
    int count;
};

static void count_one(void *object, void *arg)
{
    (void)object;
    ((struct visit *)arg)->count++;
}

TEST(visit_and_retire_all_reach_every_live_object_of_a_kind)
{
    struct handle_table *table = make_table();
    struct fruit fruits[1500] = {{0}};
    for (int i = 0; i < 1500; i++) {
        CHECK(handle_add(table, &fruits[i], i % 3 == 0 ? APPLE : PEAR) != 0);
    }
    struct visit visit = {0};
    handle_visit(table, APPLE, count_one, &visit);
    CHECK_INT(visit.count, 500);
    handle_retire_all(table, PEAR, NULL, NULL);
    int disposed = 0;
    for (int i = 0; i < 1500; i++) {
        disposed += fruits[i].disposed;
    }
    CHECK_INT(disposed, 1000);
    CHECK_INT(table->live_count, 500);
    free_table(table);
}

TEST(mark_is_seen_at_the_pin_and_stays_while_pinned)
{
    struct handle_table *table = make_table();
    struct fruit fruit = {0};
    void *object = NULL;
    uint64_t id = handle_add(table, &fruit, APPLE);
    CHECK(!handle_pin_marked_at_once(table, id, APPLE, &object));
    REQUIRE(handle_pin_at_once(table, id, APPLE, &object));
    CHECK(!handle_is_marked(table, id));
    handle_mark(table, id);
    CHECK(handle_is_marked(table, id));
    CHECK(!handle_unmark(table, id)); // pinned
    handle_unpin(table, id);

    object = NULL;
    CHECK(!handle_pin_marked_at_once(table, id, PEAR, &object));
    REQUIRE(handle_pin_marked_at_once(table, id, APPLE, &object) && object == &fruit);
    handle_unpin(table, id);
    REQUIRE(handle_pin_at_once(table, id, APPLE, &object)); // who does not ask for it is not kept off
    handle_unpin(table, id);
    CHECK(handle_unmark(table, id));
    CHECK(!handle_pin_marked_at_once(table, id, APPLE, &object));

    handle_mark(table, id);
    CHECK_INT(handle_retire(table, id, APPLE, &object), HANDLE_OK);
    CHECK(!handle_unmark(table, id)); // the pin of retiring
    handle_unpin(table, id);
    CHECK(handle_unmark(table, id)); // it is gone
    uint64_t next = handle_add(table, &fruit, APPLE);
    CHECK_INT(handle_slot_of(next), handle_slot_of(id));
    CHECK(!handle_pin_marked_at_once(table, next, APPLE, &object));
    handle_mark(table, id); // stale: the slot is another's
    CHECK(!handle_pin_marked_at_once(table, next, APPLE, &object));
    CHECK_INT(handle_retire(table, next, APPLE, &object), HANDLE_OK);
    handle_unpin(table, next);
    free_table(table);
}

TEST(part_is_the_objects_and_goes_with_it)
{
    struct handle_table *table = make_table();
    struct fruit fruit = {0};
    int core = 0;
    void *object = NULL;
    uint64_t id = handle_add(table, &fruit, APPLE);
    CHECK(handle_part_at_once(table, id) == NULL);
    handle_set_part(table, id, &core);
    REQUIRE(handle_pin_at_once(table, id, APPLE, &object));
    CHECK(object == &fruit && handle_part_at_once(table, id) == &core);
    handle_unpin(table, id);
    CHECK_INT(handle_retire(table, id, APPLE, &object), HANDLE_OK);
    handle_unpin(table, id);
    uint64_t next = handle_add(table, &fruit, PEAR);
    CHECK_INT(handle_slot_of(next), handle_slot_of(id));
    CHECK(handle_part_at_once(table, next) == NULL);
    CHECK(!handle_pin_at_once(table, id, APPLE, &object));
    CHECK(!handle_pin_at_once(table, next, APPLE, &object));
    CHECK_INT(handle_retire(table, next, PEAR, &object), HANDLE_OK);
    handle_unpin(table, next);
    CHECK_INT(fruit.disposed, 2);
    free_table(table);
}

// The table's own stripes and those that it must ask for, in the first slots and in those beyond.
TEST(many_objects_have_stripes_of_their_own)
{
    enum { COUNT = 3 * HANDLE_FIRST_SLOTS };
    struct handle_table *table = make_table();
    static struct fruit fruits[COUNT];
    static uint64_t ids[COUNT];
    void *object = NULL;
    memset(fruits, 0, sizeof fruits);
    for (int i = 0; i < COUNT; i++) {
        ids[i] = handle_add_striped(table, &fruits[i], APPLE);
        REQUIRE(handle_pin_striped(table, ids[i], APPLE, (unsigned)i, &object));
        CHECK(object == &fruits[i]);
        CHECK_INT(handle_retire(table, ids[i], APPLE, &object), HANDLE_OK);
        handle_unpin(table, ids[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        CHECK_INT(fruits[i].disposed, 0);
        handle_unpin_striped(table, ids[i], (unsigned)i);
        CHECK_INT(fruits[i].disposed, 1);
    }
    CHECK_INT(table->live_count, 0);
    free_table(table);
}

TEST(pins_of_all_stripes_keep_an_object)
{
    struct handle_table *table = make_table();
    struct fruit fruit = {0};
    struct fruit next = {0};
    void *object = NULL;
    uint64_t id = handle_add_striped(table, &fruit, APPLE);
    CHECK(handle_pin_striped(table, id, APPLE, 3, &object));
    CHECK(object == &fruit);
    CHECK(!handle_pin_striped(table, id, PEAR, 3, &object));
    CHECK(handle_pin_striped(table, id, APPLE, HANDLE_STRIPES + 5, &object));
    CHECK_INT(handle_pin(table, id, APPLE, &object), HANDLE_OK);
    CHECK_INT(handle_retire(table, id, APPLE, &object), HANDLE_OK);
    CHECK(!handle_pin_striped(table, id, APPLE, 4, &object));
    handle_unpin(table, id);
    handle_unpin_striped(table, id, 3);
    handle_unpin(table, id);
    CHECK_INT(fruit.disposed, 0);
    handle_unpin_striped(table, id, 9); // another one's: the sum counts
    CHECK_INT(fruit.disposed, 1);
    uint64_t other = handle_add(table, &next, APPLE); // in the same slot, without
    CHECK_INT(handle_slot_of(other), handle_slot_of(id));
    CHECK(!handle_pin_striped(table, id, APPLE, 0, &object));
    CHECK(!handle_pin_striped(table, other, APPLE, 0, &object));
    CHECK_INT(handle_retire(table, other, APPLE, &object), HANDLE_OK);
    handle_unpin(table, other);
    CHECK_INT(next.disposed, 1);
    CHECK_INT(fruit.disposed, 1);
    CHECK_INT(table->live_count, 0);
    free_table(table);
}

struct race {
    struct handle_table *table;
    _Atomic uint64_t id;
    atomic_int stop;
    atomic_long pinned;
};

static void *pin_stripes_again_and_again(void *arg)
{
    struct race *race = arg;
    for (unsigned i = 0; !atomic_load(&race->stop); i++) {
        uint64_t id = atomic_load(&race->id);
        void *object;
        if (handle_pin_striped(race->table, id, APPLE, i, &object)) {
            struct fruit *fruit = object;
            CHECK_INT(atomic_load(&fruit->disposed), 0);
            atomic_fetch_add(&race->pinned, 1);
            handle_unpin_striped(race->table, id, i / 3);
        }
    }
    return NULL;
}

static void *pin_again_and_again(void *arg)
{
    struct race *race = arg;
    while (!atomic_load(&race->stop)) {
        uint64_t id = atomic_load(&race->id);
        void *object;
        if (handle_pin(race->table, id, APPLE, &object) == HANDLE_OK) {
            struct fruit *fruit = object;
            CHECK_INT(atomic_load(&fruit->disposed), 0);
            atomic_fetch_add(&race->pinned, 1);
            handle_unpin(race->table, id);
        }
    }
    return NULL;
}

static void race_for_objects(void *(*first)(void *), void *(*others)(void *), int striped_of_three)
{
    enum { ROUNDS = 20000 };
    struct race race = {.table = make_table()};
    struct fruit *fruits = calloc(ROUNDS, sizeof *fruits);
    struct thread threads[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        REQUIRE(thread_start(&threads[i], "pinner", i == 0 ? first : others, &race) == RILL_OK);
    }
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t id = i % 3 < striped_of_three ? handle_add_striped(race.table, &fruits[i], APPLE)
                                               : handle_add(race.table, &fruits[i], APPLE);
        atomic_store(&race.id, id);
        void *object;
        CHECK_INT(handle_retire(race.table, id, APPLE, &object), HANDLE_OK);
        handle_unpin(race.table, id);
    }
    atomic_store(&race.stop, 1);
    for (int i = 0; i < 3; i++) {
        thread_join(&threads[i]);
    }
    int wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        wrong += fruits[i].disposed != 1;
    }
    CHECK_INT(wrong, 0);
    free(fruits);
    free_table(race.table);
}

TEST(object_is_disposed_of_once_and_never_while_pinned)
{
    race_for_objects(pin_again_and_again, pin_again_and_again, 0);
}

TEST(object_with_stripes_is_disposed_of_once_and_never_while_pinned)
{
    race_for_objects(pin_stripes_again_and_again, pin_stripes_again_and_again, 3);
    race_for_objects(pin_again_and_again, pin_stripes_again_and_again, 2);
}
