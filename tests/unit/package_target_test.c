// Which of the images in a package a device takes: the one that fits best, and none that it cannot run.
#include "runtime/package_target.h"
#include "test.h"

// The best of the list, as a package is searched; "" for none.
static const char *best_of(const char *const *names, const char *device, int level)
{
    const char *best = "";
    int best_rank = 0;
    for (int i = 0; names[i] != NULL; i++) {
        int rank = package_target_rank(names[i], device, level);
        if (rank > best_rank) {
            best_rank = rank;
            best = names[i];
        }
    }
    return best;
}

TEST(processor_takes_the_highest_level_that_it_has)
{
    static const char *const cpu[] = {"sm_90", "x86-64", "x86-64-v4", "x86-64-v3", "gfx942", NULL};
    CHECK_STR(best_of(cpu, NULL, 1), "x86-64");
    CHECK_STR(best_of(cpu, NULL, 2), "x86-64");
    CHECK_STR(best_of(cpu, NULL, 3), "x86-64-v3");
    CHECK_STR(best_of(cpu, NULL, 4), "x86-64-v4");
    static const char *const high[] = {"x86-64-v4", "x86-64-v3", "x86-64-vx", "x86-64-v", "x86-64-v0", "x86", NULL};
    CHECK_STR(best_of(high, NULL, 2), "");
    CHECK_STR(best_of(high, NULL, 3), "x86-64-v3");
    static const char *const none[] = {"sm_80", "gfx942", NULL};
    CHECK_STR(best_of(none, NULL, 4), "");
}

TEST(processor_takes_what_was_built_on_its_like_before_all_else)
{
    char here[PACKAGE_TARGET_SIZE];
    package_target_name("native", here);
    const char *names[] = {"x86-64-v4", here, "x86-64", "native 0123456789abcdef", NULL};
    CHECK_STR(best_of(names, NULL, 4), here);
    CHECK_STR(best_of(names + 2, NULL, 4), "x86-64");
    CHECK_STR(best_of(names + 3, NULL, 4), "");
}

TEST(level_is_held_down_by_the_environment_and_never_raised)
{
    char here[PACKAGE_TARGET_SIZE], words[PACKAGE_TARGET_SIZE];
    package_target_name("native", here);
    int level = package_processor_level();
    CHECK(level >= 1 && level <= 4);
    setenv("RILL_PROCESSOR", "x86-64", 1);
    CHECK_INT(package_processor_level(), 1);
    CHECK_INT(package_target_rank(here, NULL, 1) == 0, level > 1);
    package_device_words(NULL, words);
    CHECK_STR(words, "a CPU of the level x86-64");
    setenv("RILL_PROCESSOR", "x86-64-v9", 1);
    CHECK_INT(package_processor_level(), level);
    setenv("RILL_PROCESSOR", "pentium", 1);
    CHECK_INT(package_processor_level(), level);
    unsetenv("RILL_PROCESSOR");
    CHECK(package_target_rank(here, NULL, level) > 4);
}

TEST(nvidia_gpu_takes_the_newest_architecture_that_is_not_newer_than_its_own)
{
    static const char *const names[] = {"x86-64-v4", "sm_90", "sm_70", "sm_100a", "sm_80", "gfx90a", NULL};
    static const char *const pairs[][2] = {
        {"sm_60", ""},      {"sm_70", "sm_70"},  {"sm_75", "sm_70"},  {"sm_80", "sm_80"},     {"sm_89", "sm_80"},
        {"sm_90", "sm_90"}, {"sm_90a", "sm_90"}, {"sm_100", "sm_90"}, {"sm_100a", "sm_100a"}, {"sm_120", "sm_90"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        CHECK_STR(best_of(names, pairs[i][0], 0), pairs[i][1]);
    }
}

TEST(amd_gpu_takes_its_own_architecture_alone)
{
    static const char *const names[] = {"gfx942", "gfx90a", "sm_90", "gfx942:v4", "x86-64", NULL};
    CHECK_STR(best_of(names, "gfx942", 0), "gfx942");
    CHECK_STR(best_of(names, "gfx942:v4", 0), "gfx942:v4");
    CHECK_STR(best_of(names, "gfx90a", 0), "gfx90a");
    CHECK_STR(best_of(names, "gfx1100", 0), "");
    CHECK_STR(best_of(names, "gfx94", 0), "");
}
