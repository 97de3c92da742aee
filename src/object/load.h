// What the parts of the loader share.
#ifndef RILL_OBJECT_LOAD_H
#define RILL_OBJECT_LOAD_H

#include "base/hash.h"
#include "object/elf.h"
#include "object/object.h"

enum object_part { OBJECT_CODE, OBJECT_CONSTANTS, OBJECT_DATA, OBJECT_PART_COUNT };

struct object_debug;

struct object {
    struct arena arena;      // holds the map and its names
    struct hash_map symbols; // name → address
    unsigned char *memory;   // owned: one mapping for all parts
    size_t memory_size;
    size_t starts[OBJECT_PART_COUNT]; // of the parts, whole pages
    size_t sizes[OBJECT_PART_COUNT];
    struct object_debug *debug; // owned; NULL: none
};

// While an object is being loaded.
struct object_loader {
    struct elf_file file;
    const struct object_options *options;
    struct object *object;
    uint64_t *section_addresses; // of each section; 0: not placed
    uint64_t *symbol_addresses;  // of each symbol
    uint32_t *stub_of_symbol;    // 1 …: number of its stub; 0: none
    uint32_t *slot_of_symbol;    // of its pointer in the table of addresses
    uint32_t stub_count;
    uint32_t slot_count;
    size_t stubs_offset; // in the memory
    size_t slots_offset; //
};

// object.c: whether the section becomes memory.
bool object_is_placed(const Elf64_Shdr *section);

// relocate.c: looks at the relocations once to see what stubs and addresses they need, and then applies them.
rill_status relocate_plan(struct object_loader *loader);
rill_status relocate_apply(struct object_loader *loader);

// debug.c: tells gdb (always) and perf (if RILL_PERF=1). Failing to is no error: the code runs without.
void debug_register(struct object_loader *loader);
void debug_unregister(struct object *object);

#endif
