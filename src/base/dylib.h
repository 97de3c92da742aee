// Shared libraries opened while the program runs.
#ifndef RILL_BASE_DYLIB_H
#define RILL_BASE_DYLIB_H

#include <stdbool.h>
#include <stddef.h>

struct dylib {
    void *handle; // NULL: not open
};

// Symbols stay local to the library. False, with the loader's words in |error|, if it cannot be opened.
bool dylib_open(struct dylib *dylib, const char *path, char *error, size_t error_size);
// Only if the process has opened it already, by whatever path.
bool dylib_open_loaded(struct dylib *dylib, const char *name);
void dylib_close(struct dylib *dylib);
void *dylib_symbol(const struct dylib *dylib, const char *name); // NULL if there is none

// One function of a library that a table of pointers to functions holds.
struct dylib_need {
    const char *name;
    bool is_required;
};
// Fills |table|, which has one pointer for each of |needs| and nothing else; NULL for what the library does not have.
// The name of the first that is required and missing, with which it stops; NULL: none is.
const char *dylib_fill(const struct dylib *dylib, const struct dylib_need *needs, size_t count, void *table);

// The directory of the library or program that holds |address|, without a slash at the end. False if it is not known or
// does not fit.
bool dylib_directory_of(const void *address, char *out, size_t size);

// What the whole process knows by that name, libm and the sanitizers' runtime included; NULL if nothing.
void *dylib_process_symbol(const char *name);

#endif
