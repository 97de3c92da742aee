// Every function of the list is defined, or this does not link; and what the bodies call themselves here.
#include "hip.h"

#include <string.h>

const struct hip_symbols fake_hip_table = {
#define HIP_MEMBER(member, symbol, need, result, parameters) .member = fake_hip_##member,
    HIP_SYMBOL_LIST(HIP_MEMBER)
#undef HIP_MEMBER
};

struct name {
    const char *member;
    const char *symbol;
};

static const struct name cuda_names[] = {
#define CUDA_NAME(member, symbol, need, parameters) {#member, symbol},
    CUDA_SYMBOL_LIST(CUDA_NAME)
#undef CUDA_NAME
};

static const struct name hip_names[] = {
#define HIP_NAME(member, symbol, need, result, parameters) {#member, symbol},
    HIP_SYMBOL_LIST(HIP_NAME)
#undef HIP_NAME
};

// What does the same has the same member in both lists.
static const char *hip_name(const char *name)
{
    const char *member = NULL;
    for (size_t i = 0; i < sizeof cuda_names / sizeof cuda_names[0] && member == NULL; i++) {
        member = strcmp(cuda_names[i].symbol, name) == 0 ? cuda_names[i].member : NULL;
    }
    for (size_t i = 0; i < sizeof hip_names / sizeof hip_names[0] && member != NULL; i++) {
        if (strcmp(hip_names[i].member, member) == 0) {
            return hip_names[i].symbol;
        }
    }
    return name;
}

const struct fake_vendor fake_vendor = {
    .name = "HIP", .version = 60200000, .call_name = hip_name, .begin_call_locked = hip_need_device_locked};
