// Loads x86-64 relocatable objects (ELF64) into this process: reads and checks them, places their sections, resolves
// their symbols, applies their relocations, and tells debuggers and profilers about them. The bytes are not trusted:
// whatever they hold, loading either works or fails with words. (The code in them is: see SECURITY.md.)
//
// Memory is writable or executable, never both. Everything of one object lies close together; what is further away than
// a call can reach is called through stubs that the loader makes.
#ifndef RILL_OBJECT_OBJECT_H
#define RILL_OBJECT_OBJECT_H

#include "rill/status.h"

#include <stddef.h>

struct object;

struct object_options {
    const char *name; // for messages
    // The address of what the object does not define itself; NULL: there is none. May be NULL.
    void *(*resolve)(void *user, const char *symbol);
    void *user;
};

// |bytes| is not needed afterwards. Each load is a placement of its own, with data of its own.
rill_status object_load(const void *bytes, size_t size, const struct object_options *options,
                        struct object **out_object);
// Nothing of it may run any more. NULL is skipped.
void object_unload(struct object *object);

// The address of a symbol that the object defines, local ones included; NULL: there is none.
void *object_symbol(const struct object *object, const char *name);

#endif
