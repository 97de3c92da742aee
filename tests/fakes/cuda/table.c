// Every function of the list is defined, or this does not link.
#include "cuda.h"

const struct cuda_symbols fake_cuda_table = {
#define CUDA_MEMBER(member, symbol, need, parameters) .member = fake_cu_##member,
    CUDA_SYMBOL_LIST(CUDA_MEMBER)
#undef CUDA_MEMBER
};

static const char *same_name(const char *name)
{
    return name;
}

const struct fake_vendor fake_vendor = {.name = "CUDA", .version = 13000, .call_name = same_name};
