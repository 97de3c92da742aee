// The state of one link, between link.c (what there is), link_layout.c (where it goes) and link_write.c (the bytes).
#ifndef RILL_OBJECT_LINK_STATE_H
#define RILL_OBJECT_LINK_STATE_H

#include "base/arena.h"
#include "object/elf.h"

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

// Relocations of the AMDGPU ABI. The others want a table of addresses or a symbol from elsewhere; code whose symbols
// are all its own has none.
enum {
    LINK_NONE = 0,
    LINK_ABS32_LO = 1,
    LINK_ABS32_HI = 2,
    LINK_ABS64 = 3,
    LINK_REL32 = 4,
    LINK_REL64 = 5,
    LINK_ABS32 = 6,
    LINK_REL32_LO = 10,
    LINK_REL32_HI = 11,
    LINK_RELATIVE64 = 13, // made, not read
    LINK_REL16 = 14,
};

// The order of the sections of the result.
enum link_kind {
    LINK_NOTE,
    LINK_DYNSYM,
    LINK_HASH,
    LINK_DYNSTR,
    LINK_RELA,
    LINK_RODATA,
    LINK_TEXT,
    LINK_DATA, // with .dynamic, which comes behind what needs relocations
    LINK_DYNAMIC,
    LINK_BSS,
    LINK_NAMES,
    LINK_NOWHERE,
};

// One section of the result.
struct link_section {
    enum link_kind kind;
    Elf64_Shdr header; // sh_name is the offset in the table of names
    const char *name;
    uint32_t name_length;
};

// Where an input section lies in the result.
struct link_place {
    int section; // index into link.sections; -1: nowhere
    uint64_t offset;
};

enum { LINK_MAX_SECTIONS = 64, LINK_MAX_SEGMENTS = 8, LINK_PAGE = 4096 };

struct link {
    struct arena arena;
    struct elf_file file;
    struct link_place *places; // of each input section
    struct link_section sections[LINK_MAX_SECTIONS];
    int section_count;
    uint32_t *exports; // symbols of the input
    uint32_t export_count;
    uint32_t relative_count; // dynamic relocations
    uint64_t file_size;
    uint64_t section_table; // its offset in the file
    Elf64_Phdr segments[LINK_MAX_SEGMENTS];
    int segment_count;
    unsigned char *bytes; // the result
};

rill_status link_bad(const struct link *link, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The first section of a kind; NULL: there is none.
struct link_section *link_find(struct link *link, enum link_kind kind);
// The address of an input symbol, which link_layout() made known.
uint64_t link_address(const struct link *link, const Elf64_Sym *symbol);

// link_layout.c: addresses and offsets of sections and segments.
rill_status link_layout(struct link *link);
// link_write.c: everything into link->bytes.
rill_status link_write(struct link *link);

#endif
