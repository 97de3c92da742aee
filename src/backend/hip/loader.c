#include "backend/hip/loader.h"

#include "backend/gpu/driver.h"
#include "base/status.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- results ------------------------------------------------------------------------------------------------------

// Faults of kernels and devices that are gone. 1052 and 1053 are of the layer below.
bool hip_is_lost(int result)
{
    return result == 700 || result == 702 || result == 710 || result == 719 || result == 214 || result == 1052 ||
           result == 1053;
}

rill_status hip_convert(const struct hip_symbols *symbols, int result, const char *what)
{
    struct gpu_result converted = {.code = result, .is_lost = hip_is_lost(result)};
    bool needs_words = gpu_result_needs_words(result);
    converted.name = needs_words && symbols->error_name != NULL ? symbols->error_name(result) : NULL;
    converted.text = needs_words && symbols->error_text != NULL ? symbols->error_text(result) : NULL;
    return gpu_result_convert(&converted, what);
}

// ---- quirks -------------------------------------------------------------------------------------------------------

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool hip_find_architecture(const void *properties, size_t size, char *out, size_t out_size)
{
    const char *bytes = properties;
    assert(out_size >= 8); // "gfx90a" and its end
    for (size_t i = 0; i + 6 < size; i++) {
        if (memcmp(bytes + i, "gfx", 3) != 0 || (i > 0 && bytes[i - 1] != '\0')) {
            continue;
        }
        size_t length = 3;
        while (i + length < size && is_hex(bytes[i + length])) {
            length++;
        }
        bool ends = i + length < size && (bytes[i + length] == '\0' || bytes[i + length] == ':');
        if (ends && length >= 6 && length < out_size) {
            memcpy(out, bytes + i, length);
            out[length] = '\0';
            return true;
        }
    }
    return false;
}

bool hip_trusts_pools(int version, const char *architecture)
{
    static const char *const hanging[] = {"gfx90c"};
    size_t length = strcspn(architecture, ":");
    for (size_t i = 0; i < sizeof hanging / sizeof hanging[0]; i++) {
        if (strlen(hanging[i]) == length && strncmp(hanging[i], architecture, length) == 0) {
            return false;
        }
    }
    return version >= HIP_POOL_VERSION;
}

// ---- loading ------------------------------------------------------------------------------------------------------

enum need { OPTIONAL, REQUIRED };

static rill_status find_symbols(struct hip_library *library)
{
    static const struct dylib_need needs[] = {
#define SYMBOL_ENTRY(member, symbol, need, result, parameters) {symbol, need == REQUIRED},
        HIP_SYMBOL_LIST(SYMBOL_ENTRY)
#undef SYMBOL_ENTRY
    };
    enum { COUNT = sizeof needs / sizeof needs[0] };
    _Static_assert(sizeof library->symbols == COUNT * sizeof(void *), "the table holds the list and nothing else");
    const char *missing = dylib_fill(&library->dylib, needs, COUNT, &library->symbols);
    if (missing != NULL) {
        return status_fail(RILL_ERR_NO_DEVICE, "the HIP runtime %s has no %s: it is older than ROCm %d.%d",
                           library->path, missing, HIP_OLDEST_VERSION / 10000000,
                           HIP_OLDEST_VERSION % 10000000 / 100000);
    }
    if (library->symbols.device_properties == NULL && library->symbols.device_properties_old == NULL) {
        return status_fail(RILL_ERR_NO_DEVICE, "the HIP runtime %s has no hipGetDeviceProperties", library->path);
    }
    return RILL_OK;
}

static rill_status start(struct hip_library *library)
{
    const struct hip_symbols *hip = &library->symbols;
    RILL_TRY(find_symbols(library));
    int result = hip->runtime_version(&library->version);
    if (result == HIP_SUCCESS && library->version < HIP_OLDEST_VERSION) {
        return status_fail(RILL_ERR_NO_DEVICE, "the HIP runtime %s is of ROCm %d.%d; %d.%d or later is needed",
                           library->path, library->version / 10000000, library->version % 10000000 / 100000,
                           HIP_OLDEST_VERSION / 10000000, HIP_OLDEST_VERSION % 10000000 / 100000);
    }
    result = result == HIP_SUCCESS ? hip->init(0) : result;
    if (result == HIP_NO_DEVICE || result == HIP_INVALID_DEVICE) { // the latter is what ROCm 5 says
        return status_fail(RILL_ERR_NO_DEVICE, "the HIP runtime %s (ROCm %d.%d) finds no AMD GPU", library->path,
                           library->version / 10000000, library->version % 10000000 / 100000);
    }
    if (result != HIP_SUCCESS) {
        hip_convert(hip, result, "hipInit");
        char words[512];
        snprintf(words, sizeof words, "%s", rill_message());
        return status_fail(RILL_ERR_NO_DEVICE, "the HIP runtime %s does not start: %s", library->path, words);
    }
    return RILL_OK;
}

static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

// Why a library could not be opened.
struct reason {
    char text[512];
};

static bool open_path(struct hip_library *library, const char *path, struct reason *why)
{
    snprintf(library->path, sizeof library->path, "%s", path);
    return dylib_open(&library->dylib, path, why->text, sizeof why->text);
}

// One of several places. Of those that fail the first counts where there is a library, that cannot be opened: it is
// damaged, or lacks another.
static bool try_path(struct hip_library *library, const char *path, struct reason *why)
{
    struct reason own = {""};
    if (open_path(library, path, &own)) {
        return true;
    }
    bool is_absent = strncmp(own.text, path, strlen(path)) == 0 && strstr(own.text, "No such file") != NULL;
    if (!is_absent && why->text[0] == '\0') {
        *why = own;
    }
    return false;
}

static bool open_in_folder(struct hip_library *library, const char *folder, struct reason *why)
{
    char path[256];
    for (int i = 0; i < NAME_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (try_path(library, path, why)) {
            return true;
        }
    }
    return false;
}

// Two runtimes in one process do not know of each other's memory: one that is there is taken, whatever its version.
static bool open_any(struct hip_library *library, struct reason *why)
{
    for (int i = 0; i < NAME_COUNT; i++) {
        if (dylib_open_loaded(&library->dylib, names[i])) {
            snprintf(library->path, sizeof library->path, "%s", names[i]);
            return true;
        }
    }
    for (int i = 0; i < NAME_COUNT; i++) {
        if (try_path(library, names[i], why)) {
            return true;
        }
    }
    const char *root = getenv("ROCM_PATH");
    char folder[240];
    if (root != NULL && *root != '\0') {
        snprintf(folder, sizeof folder, "%s/lib", root);
        if (open_in_folder(library, folder, why)) {
            return true;
        }
    }
    static const char *const folders[] = {"/opt/rocm/lib", "/opt/rocm/hip/lib", "/usr/lib/x86_64-linux-gnu",
                                          "/usr/lib64"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (open_in_folder(library, folders[i], why)) {
            return true;
        }
    }
    return false;
}

rill_status hip_load(const char *path, struct hip_library *out_library)
{
    *out_library = (struct hip_library){.version = 0};
    const char *named = getenv("RILL_HIP_LIBRARY");
    path = path != NULL ? path : named != NULL && *named != '\0' ? named : NULL;
    struct reason why = {""};
    bool is_open = path != NULL ? open_path(out_library, path, &why) : open_any(out_library, &why);
    if (!is_open && why.text[0] != '\0') {
        return status_fail(RILL_ERR_NO_DEVICE, "the HIP runtime cannot be opened: %s", why.text);
    }
    if (!is_open) {
        return status_fail(RILL_ERR_NO_DEVICE, "the HIP runtime is not installed: there is no libamdhip64.so.7, .6 or "
                                               ".5, nor one in $ROCM_PATH/lib or /opt/rocm/lib");
    }
    // A library that will not do stays open too: this one leaves threads and exit handlers behind once it was started.
    return start(out_library);
}
