#include "base/dylib.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool dylib_open(struct dylib *dylib, const char *path, char *error, size_t error_size)
{
    dylib->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (dylib->handle == NULL) {
        const char *words = dlerror();
        snprintf(error, error_size, "%s", words != NULL ? words : "unknown error");
    }
    return dylib->handle != NULL;
}

bool dylib_open_loaded(struct dylib *dylib, const char *name)
{
    dylib->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    return dylib->handle != NULL;
}

void dylib_close(struct dylib *dylib)
{
    if (dylib->handle != NULL) {
        dlclose(dylib->handle);
        dylib->handle = NULL;
    }
}

void *dylib_symbol(const struct dylib *dylib, const char *name)
{
    return dlsym(dylib->handle, name);
}

const char *dylib_fill(const struct dylib *dylib, const struct dylib_need *needs, size_t count, void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dylib_symbol(dylib, needs[i].name);
        if (address == NULL && needs[i].is_required) {
            return needs[i].name;
        }
        memcpy((char *)table + i * sizeof address, &address, sizeof address); // a pointer to a function, by its bits
    }
    return NULL;
}

bool dylib_directory_of(const void *address, char *out, size_t size)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash == NULL || (size_t)(slash - info.dli_fname) >= size) {
        return false;
    }
    size_t length = (size_t)(slash - info.dli_fname);
    memcpy(out, info.dli_fname, length);
    out[length] = '\0';
    return true;
}

void *dylib_process_symbol(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}
