#include "backend/cuda/loader.h"

#include "backend/gpu/driver.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- results ------------------------------------------------------------------------------------------------------

// Results after which the driver's context refuses everything: an illegal address and the other faults of kernels, a
// device that is gone.
int cuda_is_lost(int result)
{
    return (result >= 700 && result <= 719 && result != 701 && result != 704 && result != 705 && result != 708 &&
            result != 709 && result != 712 && result != 713) ||
           result == 46 || result == 214 || result == 721;
}

rill_status cuda_convert(const struct cuda_symbols *symbols, int result, const char *what)
{
    struct gpu_result converted = {.code = result, .is_lost = cuda_is_lost(result)};
    bool needs_words = gpu_result_needs_words(result);
    if (needs_words && symbols->error_name != NULL && symbols->error_name(result, &converted.name) != CU_SUCCESS) {
        converted.name = NULL;
    }
    if (needs_words && symbols->error_text != NULL && symbols->error_text(result, &converted.text) != CU_SUCCESS) {
        converted.text = NULL;
    }
    return gpu_result_convert(&converted, what);
}

// ---- PTX
// -------------------------------------------------------------------------------------------------------------

void cuda_lower_ptx(char *ptx, int version)
{
    static const char word[] = ".version ";
    // From CUDA 12.3 on drivers take 8.3, which is what is asked for except on targets that need such a driver anyway.
    if (version >= 12030) {
        return;
    }
    char *at = strstr(ptx, word);
    if (at == NULL || strlen(at) < sizeof word + 2) {
        return;
    }
    at += sizeof word - 1;
    int major = version / 1000 - 4; // CUDA 11.8 takes 7.8, CUDA 12.1 takes 8.1
    int minor = version % 1000 / 10;
    bool is_plain = at[0] >= '0' && at[0] <= '9' && at[1] == '.' && at[2] >= '0' && at[2] <= '9';
    if (is_plain && (at[0] - '0') * 10 + at[2] - '0' > major * 10 + minor) {
        at[0] = (char)('0' + major);
        at[2] = (char)('0' + minor);
    }
}

// ---- loading ------------------------------------------------------------------------------------------------------

enum need { OPTIONAL, REQUIRED };

static rill_status find_symbols(struct cuda_library *library)
{
    static const struct dylib_need needs[] = {
#define SYMBOL_ENTRY(member, symbol, need, parameters) {symbol, need == REQUIRED},
        CUDA_SYMBOL_LIST(SYMBOL_ENTRY)
#undef SYMBOL_ENTRY
    };
    enum { COUNT = sizeof needs / sizeof needs[0] };
    _Static_assert(sizeof library->symbols == COUNT * sizeof(void *), "the table holds the list and nothing else");
    const char *missing = dylib_fill(&library->dylib, needs, COUNT, &library->symbols);
    if (missing != NULL) {
        return status_fail(RILL_ERR_NO_DEVICE, "the NVIDIA driver %s has no %s: it is older than CUDA %d.%d",
                           library->path, missing, CUDA_OLDEST_VERSION / 1000, CUDA_OLDEST_VERSION % 1000 / 10);
    }
    return RILL_OK;
}

static rill_status start(struct cuda_library *library)
{
    const struct cuda_symbols *cu = &library->symbols;
    RILL_TRY(find_symbols(library));
    int result = cu->driver_version(&library->version);
    if (result == CU_SUCCESS && library->version < CUDA_OLDEST_VERSION) {
        return status_fail(RILL_ERR_NO_DEVICE, "the NVIDIA driver %s is of CUDA %d.%d; %d.%d or later is needed",
                           library->path, library->version / 1000, library->version % 1000 / 10,
                           CUDA_OLDEST_VERSION / 1000, CUDA_OLDEST_VERSION % 1000 / 10);
    }
    result = result == CU_SUCCESS ? cu->init(0) : result;
    if (result != CU_SUCCESS) {
        cuda_convert(cu, result, "cuInit");
        char words[512];
        snprintf(words, sizeof words, "%s", rill_message());
        return status_fail(RILL_ERR_NO_DEVICE, "the NVIDIA driver %s does not start: %s", library->path, words);
    }
    return RILL_OK;
}

rill_status cuda_load(const char *path, struct cuda_library *out_library)
{
    *out_library = (struct cuda_library){.version = 0};
    const char *named = getenv("RILL_CUDA_LIBRARY");
    path = path != NULL ? path : named != NULL && *named != '\0' ? named : "libcuda.so.1";
    snprintf(out_library->path, sizeof out_library->path, "%s", path);
    char error[512] = "";
    if (!dylib_open(&out_library->dylib, path, error, sizeof error)) {
        return status_fail(RILL_ERR_NO_DEVICE, "there is no NVIDIA driver: %s", error);
    }
    rill_status status = start(out_library);
    if (status == RILL_OK) {
        const void *inside = dylib_symbol(&out_library->dylib, "cuInit");
        out_library->has_identity = identity_of_address(inside, &out_library->identity);
    }
    if (status != RILL_OK) {
        dylib_close(&out_library->dylib);
    }
    return status;
}
