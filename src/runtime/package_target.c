#include "runtime/package_target.h"

#include "runtime/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- sets ---------------------------------------------------------------------------------------------------------

// Code for the first NVIDIA GPUs that CUDA 12 supports without a warning runs on all later ones: PTX is compiled by the
// driver.
#define OLDEST_PTX "sm_70"

static const char *const cpu_targets[] = {"x86-64", "x86-64-v3", "x86-64-v4", NULL};
static const char *const portable_targets[] = {"x86-64", "x86-64-v3", "x86-64-v4", OLDEST_PTX, NULL};

const char *const *package_target_set(const char *word)
{
    return strcmp(word, "cpu") == 0 ? cpu_targets : strcmp(word, "portable") == 0 ? portable_targets : NULL;
}

// ---- this processor -----------------------------------------------------------------------------------------------

static int level_here(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v4")   ? 4
           : __builtin_cpu_supports("x86-64-v3") ? 3
           : __builtin_cpu_supports("x86-64-v2") ? 2
                                                 : 1;
}

static const char base[] = "x86-64", step[] = "x86-64-v";

// "x86-64-v3": 3. 0: it is no level.
static int level_of(const char *name)
{
    if (strcmp(name, base) == 0) {
        return 1;
    }
    return strncmp(name, step, sizeof step - 1) == 0 ? atoi(name + sizeof step - 1) : 0;
}

// RILL_PROCESSOR, a testing aid: a level below this processor's own. 0: there is none.
static int level_wanted(void)
{
    const char *wanted = getenv("RILL_PROCESSOR");
    int level = wanted != NULL ? level_of(wanted) : 0;
    return level < level_here() ? level : 0;
}

int package_processor_level(void)
{
    int wanted = level_wanted();
    return wanted > 0 ? wanted : level_here();
}

static const char native[] = "native ";

static void native_name(char out[PACKAGE_TARGET_SIZE])
{
    struct cache_key key;
    cache_key_of_processor(&key);
    int used = snprintf(out, PACKAGE_TARGET_SIZE, "%s", native);
    for (int i = 0; i < CACHE_KEY_SIZE; i++) {
        used += snprintf(out + used, (size_t)(PACKAGE_TARGET_SIZE - used), "%02x", key.bytes[i]);
    }
}

void package_target_name(const char *target, char out[PACKAGE_TARGET_SIZE])
{
    if (strcmp(target, "native") == 0) {
        native_name(out);
    } else {
        snprintf(out, PACKAGE_TARGET_SIZE, "%s", target);
    }
}

void package_target_words(const char *name, char out[PACKAGE_TARGET_SIZE])
{
    bool is_native = strncmp(name, native, sizeof native - 1) == 0;
    snprintf(out, PACKAGE_TARGET_SIZE, "%s", is_native ? "native (the processor it was built on)" : name);
}

void package_device_words(const char *device, char out[PACKAGE_TARGET_SIZE])
{
    if (device != NULL) {
        snprintf(out, PACKAGE_TARGET_SIZE, "a GPU of the architecture %s", device);
        return;
    }
    int level = package_processor_level();
    if (level > 1) {
        snprintf(out, PACKAGE_TARGET_SIZE, "a CPU of the level x86-64-v%d", level);
    } else {
        snprintf(out, PACKAGE_TARGET_SIZE, "a CPU of the level x86-64");
    }
}

// ---- rank ---------------------------------------------------------------------------------------------------------

static int rank_on_cpu(const char *name, int level)
{
    enum { NATIVE = 100 };
    char here[PACKAGE_TARGET_SIZE];
    if (strncmp(name, native, sizeof native - 1) == 0) {
        native_name(here);
        return level_wanted() == 0 && strcmp(name, here) == 0 ? NATIVE : 0;
    }
    int wanted = level_of(name);
    return wanted > 0 && wanted <= level ? wanted : 0;
}

// "sm_90": 90. What ends in a letter ("sm_90a") runs on that architecture alone.
static int architecture_of(const char *name)
{
    char *end;
    static const char family[] = "sm_";
    if (strncmp(name, family, sizeof family - 1) != 0) {
        return 0;
    }
    long number = strtol(name + sizeof family - 1, &end, 10);
    return *end == '\0' && number > 0 && number < 10000 ? (int)number : 0;
}

int package_target_rank(const char *name, const char *device, int level)
{
    enum { EXACT = 100000 };
    if (device == NULL) {
        return rank_on_cpu(name, level);
    }
    if (strcmp(name, device) == 0) {
        return EXACT;
    }
    char number[PACKAGE_TARGET_SIZE];
    snprintf(number, sizeof number, "%s", device);
    size_t length = strlen(number);
    if (length > 0 && number[length - 1] >= 'a' && number[length - 1] <= 'z') {
        number[length - 1] = '\0'; // a device named with its letter runs what its plain architecture runs
    }
    int wanted = architecture_of(name), has = architecture_of(number);
    return wanted > 0 && wanted <= has ? wanted : 0;
}
