// Where everything goes: first the headers, then what is read, what runs, what is written. Each of the three is a
// segment that begins on a page of its own in memory, at the same offset in that page as in the file, so that the file
// has no holes.
#include "object/link_state.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

static uint64_t align_up(uint64_t value, uint64_t align)
{
    assert(align > 0);
    return (value + align - 1) / align * align;
}

// 0 read, 1 run, 2 write, 3 not loaded
static int group_of(enum link_kind kind)
{
    return kind <= LINK_RODATA ? 0 : kind == LINK_TEXT ? 1 : kind <= LINK_BSS ? 2 : 3;
}

// By kind; those of one kind stay in the order of the input.
static void sort_sections(struct link *link)
{
    struct link_section *sorted = ARENA_ARRAY(&link->arena, struct link_section, link->section_count);
    int *moved = ARENA_ARRAY(&link->arena, int, link->section_count);
    int count = 0;
    for (int kind = 0; kind < LINK_NOWHERE; kind++) {
        for (int i = 0; i < link->section_count; i++) {
            if ((int)link->sections[i].kind == kind) {
                moved[i] = count;
                sorted[count++] = link->sections[i];
            }
        }
    }
    memcpy(link->sections, sorted, sizeof *sorted * (size_t)count);
    assert(count == link->section_count);
    for (uint32_t i = 0; i < link->file.section_count; i++) {
        if (link->places[i].section >= 0) {
            link->places[i].section = moved[link->places[i].section];
        }
    }
}

static void name_sections(struct link *link)
{
    struct link_section *names = link_find(link, LINK_NAMES);
    assert(names != NULL); // add_tables() has put it there
    names->header.sh_size = 1;
    for (int i = 0; i < link->section_count; i++) {
        link->sections[i].header.sh_name = (uint32_t)names->header.sh_size;
        names->header.sh_size += link->sections[i].name_length + 1;
    }
}

static Elf64_Phdr *add_segment(struct link *link, uint32_t type, uint32_t flags, uint64_t align)
{
    Elf64_Phdr *segment = &link->segments[link->segment_count++];
    *segment = (Elf64_Phdr){.p_type = type, .p_flags = flags, .p_align = align};
    return segment;
}

// Of the section |s| on, which follows what the segment has.
static void extend(Elf64_Phdr *segment, const Elf64_Shdr *s)
{
    if (segment->p_memsz == 0) {
        segment->p_offset = s->sh_offset;
        segment->p_vaddr = s->sh_addr;
        segment->p_paddr = s->sh_addr;
    }
    segment->p_memsz = s->sh_addr + s->sh_size - segment->p_vaddr;
    if (s->sh_type != SHT_NOBITS) {
        segment->p_filesz = segment->p_memsz;
    }
}

// How many there is room for: as lld does it, also for the one of an empty section, which is left out later (the code
// of a module without kernels).
static int count_segments(const struct link *link)
{
    int has[4] = {1, 0, 0, 0};
    int notes = 0;
    for (int i = 0; i < link->section_count; i++) {
        has[group_of(link->sections[i].kind)] = 1;
        notes |= link->sections[i].kind == LINK_NOTE;
    }
    return has[0] + has[1] + has[2] + notes + 3; // PHDR, DYNAMIC, GNU_STACK
}

static void place_sections(struct link *link, uint64_t headers_size)
{
    uint64_t offset = headers_size;
    uint64_t address = headers_size;
    int group = 0;
    for (int i = 0; i < link->section_count; i++) {
        Elf64_Shdr *s = &link->sections[i].header;
        int next = group_of(link->sections[i].kind);
        if (next != group && next != 3) {
            address = align_up(address, LINK_PAGE) + offset % LINK_PAGE;
            group = next;
        }
        if (next == 3) {
            s->sh_offset = align_up(offset, s->sh_addralign);
            offset = s->sh_offset + s->sh_size;
            continue;
        }
        uint64_t aligned = align_up(address, s->sh_addralign);
        bool has_bytes = s->sh_type != SHT_NOBITS;
        offset += has_bytes ? aligned - address : 0;
        s->sh_addr = aligned;
        s->sh_offset = offset;
        address = aligned + s->sh_size;
        offset += has_bytes ? s->sh_size : 0;
    }
    link->section_table = align_up(offset, 8);
    link->file_size = link->section_table + ((uint64_t)link->section_count + 1) * sizeof(Elf64_Shdr);
}

static void add_loads(struct link *link, uint64_t headers_size)
{
    static const uint32_t flags[3] = {PF_R, PF_R | PF_X, PF_R | PF_W};
    for (int group = 0; group < 3; group++) {
        Elf64_Phdr load = {.p_type = PT_LOAD, .p_flags = flags[group], .p_align = LINK_PAGE};
        if (group == 0) {
            load.p_filesz = load.p_memsz = headers_size;
        }
        for (int i = 0; i < link->section_count; i++) {
            if (group_of(link->sections[i].kind) == group) {
                extend(&load, &link->sections[i].header);
            }
        }
        if (load.p_memsz > 0) {
            *add_segment(link, PT_LOAD, 0, 0) = load;
        }
    }
}

static void add_segments(struct link *link, uint64_t headers_size)
{
    Elf64_Phdr *headers = add_segment(link, PT_PHDR, PF_R, 8);
    headers->p_offset = headers->p_vaddr = headers->p_paddr = sizeof(Elf64_Ehdr);
    headers->p_filesz = headers->p_memsz = headers_size - sizeof(Elf64_Ehdr);
    add_loads(link, headers_size);
    extend(add_segment(link, PT_DYNAMIC, PF_R | PF_W, 8), &link_find(link, LINK_DYNAMIC)->header);
    (void)add_segment(link, PT_GNU_STACK, PF_R | PF_W, 0);
    Elf64_Phdr notes = {.p_type = PT_NOTE, .p_flags = PF_R, .p_align = 1};
    for (int i = 0; i < link->section_count; i++) {
        const Elf64_Shdr *s = &link->sections[i].header;
        if (link->sections[i].kind == LINK_NOTE) {
            extend(&notes, s);
            notes.p_align = s->sh_addralign > notes.p_align ? s->sh_addralign : notes.p_align;
        }
    }
    if (link_find(link, LINK_NOTE) != NULL) {
        *add_segment(link, PT_NOTE, 0, 0) = notes;
    }
}

// Section tables name other sections by their index, which is known only now.
static void join_sections(struct link *link)
{
    uint32_t symbols = (uint32_t)(link_find(link, LINK_DYNSYM) - link->sections) + 1;
    uint32_t strings = (uint32_t)(link_find(link, LINK_DYNSTR) - link->sections) + 1;
    link_find(link, LINK_DYNSYM)->header.sh_link = strings;
    link_find(link, LINK_HASH)->header.sh_link = symbols;
    link_find(link, LINK_DYNAMIC)->header.sh_link = strings;
    if (link_find(link, LINK_RELA) != NULL) {
        link_find(link, LINK_RELA)->header.sh_link = symbols;
    }
}

rill_status link_layout(struct link *link)
{
    sort_sections(link);
    name_sections(link);
    join_sections(link);
    uint64_t headers_size = sizeof(Elf64_Ehdr) + (uint64_t)count_segments(link) * sizeof(Elf64_Phdr);
    place_sections(link, headers_size);
    add_segments(link, headers_size);
    // What is relative to something must be able to reach it.
    if (link->file_size > INT32_MAX || link_find(link, LINK_DYNAMIC)->header.sh_addr > INT32_MAX) {
        return link_bad(link, "it is too large");
    }
    return RILL_OK;
}
