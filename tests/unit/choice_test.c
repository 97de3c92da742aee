// Which way launches of several threads go: with a clock of the test's own.
#include "backend/gpu/choice.h"

#include "test.h"

struct crowd {
    struct gpu_choice choice;
    uint64_t now;       // nanoseconds
    uint64_t graph;     // what a launch costs each of them
    uint64_t tasks;     //
    uint64_t ran_graph; // nanoseconds spent so
    uint64_t ran_tasks; //
    int change_count;   // how often the way changed
};

static enum choice_way way_of(struct crowd *crowd)
{
    return (enum choice_way)atomic_load(&crowd->choice.way);
}

// |count| threads launch for so many milliseconds. Alone they launch as graphs.
static void launch(struct crowd *crowd, int count, uint64_t milliseconds)
{
    uint64_t end = crowd->now + milliseconds * 1000000;
    while (crowd->now < end) {
        for (int i = 0; i < count; i++) {
            enum choice_way way = way_of(crowd);
            bool is_graph = way != CHOICE_TASKS;
            uint64_t time = is_graph ? crowd->graph : crowd->tasks;
            crowd->now += time * CHOICE_EVERY / (uint64_t)count;
            crowd->ran_graph += is_graph ? time : 0;
            crowd->ran_tasks += is_graph ? 0 : time;
            choice_tell(&crowd->choice, (uintptr_t)(i + 1), is_graph, time, crowd->now);
            crowd->change_count += way_of(crowd) != way;
        }
    }
}

TEST(one_thread_finds_out_for_itself)
{
    struct crowd crowd = {.graph = 2000, .tasks = 1000};
    launch(&crowd, 1, 100);
    CHECK_INT(way_of(&crowd), CHOICE_OWN);
    CHECK_INT(crowd.change_count, 0);
    CHECK_INT(atomic_load(&crowd.choice.own_count), 0);
}

TEST(several_threads_go_the_way_that_is_cheaper_for_all)
{
    for (int count = 2; count <= 64; count *= 2) {
        struct crowd crowd = {.graph = 3000 * (uint64_t)count, .tasks = 2000 * (uint64_t)count};
        launch(&crowd, count, 2000);
        CHECK(crowd.ran_tasks > 10 * crowd.ran_graph);
        crowd = (struct crowd){.graph = 2500 * (uint64_t)count, .tasks = 3000 * (uint64_t)count};
        launch(&crowd, count, 2000);
        CHECK(crowd.ran_graph > 10 * crowd.ran_tasks);
    }
}

TEST(what_was_chosen_again_is_kept_longer)
{
    struct crowd crowd = {.graph = 30000, .tasks = 20000};
    launch(&crowd, 8, 500);
    int first = crowd.change_count;
    launch(&crowd, 8, 500);
    CHECK(crowd.change_count - first < first);
    CHECK(crowd.change_count - first <= 6);
}

TEST(when_one_way_becomes_dearer_the_other_is_taken)
{
    struct crowd crowd = {.graph = 30000, .tasks = 20000};
    launch(&crowd, 8, 500);
    crowd.tasks = 60000;
    launch(&crowd, 8, 600); // as long as a choice is kept, at most
    CHECK_INT(way_of(&crowd), CHOICE_GRAPH);
}

TEST(when_more_threads_come_it_is_found_out_anew)
{
    struct crowd crowd = {.graph = 30000, .tasks = 20000};
    launch(&crowd, 8, 500);
    CHECK_INT(way_of(&crowd), CHOICE_TASKS);
    crowd.graph = 40000;
    crowd.tasks = 60000;
    launch(&crowd, 16, 20); // long before the end of what was kept
    CHECK_INT(way_of(&crowd), CHOICE_GRAPH);
}

TEST(a_thread_left_alone_forgets_what_was_chosen_for_many)
{
    struct crowd crowd = {.graph = 30000, .tasks = 20000};
    launch(&crowd, 8, 500);
    crowd.graph = 2000;
    launch(&crowd, 1, 20);
    CHECK_INT(way_of(&crowd), CHOICE_OWN);
    CHECK_INT(atomic_load(&crowd.choice.own_count), 1);
}

TEST(threads_that_come_again_go_on_as_they_chose)
{
    struct crowd crowd = {.graph = 30000, .tasks = 20000};
    launch(&crowd, 8, 500);
    uint64_t ran_graph = crowd.ran_graph;
    for (int i = 0; i < 4; i++) { // less than what was chosen last is kept
        crowd.now += 100000000;
        launch(&crowd, 8, 20);
    }
    CHECK_INT(way_of(&crowd), CHOICE_TASKS);
    CHECK(crowd.ran_graph == ran_graph);
}

TEST(what_was_chosen_for_many_is_known_after_one_was_alone)
{
    struct crowd crowd = {.graph = 30000, .tasks = 20000};
    launch(&crowd, 8, 500);
    launch(&crowd, 1, 20);
    CHECK_INT(way_of(&crowd), CHOICE_OWN);
    launch(&crowd, 8, 3);
    CHECK_INT(way_of(&crowd), CHOICE_TASKS);
    int change_count = crowd.change_count;
    launch(&crowd, 8, 20);
    CHECK_INT(crowd.change_count, change_count);
}

TEST(one_thread_that_comes_after_many_finds_out_for_itself)
{
    struct crowd crowd = {.graph = 30000, .tasks = 20000};
    launch(&crowd, 8, 500);
    crowd.now += 100000000;
    crowd.graph = 2000;
    launch(&crowd, 1, 2);
    CHECK_INT(way_of(&crowd), CHOICE_OWN);
}

TEST(threads_that_come_or_go_put_nothing_to_the_test)
{
    struct crowd crowd = {.graph = 30000, .tasks = 20000};
    launch(&crowd, 8, 500);
    int change_count = crowd.change_count;
    launch(&crowd, 3, 4);
    launch(&crowd, 8, 20);
    launch(&crowd, 3, 9);
    crowd.now += 100000000;
    launch(&crowd, 3, 6);
    launch(&crowd, 8, 20);
    CHECK_INT(crowd.change_count, change_count);
}

TEST(what_is_much_dearer_is_soon_given_up)
{
    struct crowd alike = {.graph = 10500, .tasks = 10000};
    struct crowd apart = {.graph = 17000, .tasks = 10000};
    launch(&alike, 8, 500);
    launch(&apart, 8, 500);
    CHECK(3 * apart.ran_graph < 2 * alike.ran_graph);
    CHECK(50 * apart.ran_graph < apart.ran_tasks);
}

TEST(threads_that_launch_one_after_the_other_are_alone)
{
    struct crowd crowd = {.graph = 2000, .tasks = 1000};
    for (int i = 0; i < 5; i++) {
        launch(&crowd, 1, 3);
        crowd.now += 10000000;
        crowd.choice.threads[0] = 1000; // what the next one finds was another thread
    }
    CHECK_INT(way_of(&crowd), CHOICE_OWN);
    CHECK_INT(crowd.change_count, 0);
}

// |count| launches, each of the next of four threads and long after the one before.
static void launch_seldom(struct crowd *crowd, int count)
{
    for (int i = 0; i < count; i++) {
        crowd->now += 50000000;
        choice_tell(&crowd->choice, (uintptr_t)(i % 4) + 1, way_of(crowd) == CHOICE_GRAPH, 2000, crowd->now);
    }
}

TEST(threads_that_hardly_launch_are_left_to_themselves)
{
    struct crowd crowd = {.graph = 2000, .tasks = 1000};
    launch(&crowd, 4, 3);
    CHECK(way_of(&crowd) != CHOICE_OWN); // it is being found out
    launch_seldom(&crowd, 4);
    CHECK_INT(way_of(&crowd), CHOICE_OWN);
    launch(&crowd, 4, 100);
    CHECK(way_of(&crowd) != CHOICE_OWN); // it was
    launch_seldom(&crowd, 4);
    CHECK_INT(way_of(&crowd), CHOICE_OWN);
}
