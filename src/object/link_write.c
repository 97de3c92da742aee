// The bytes of the result: sections copied, relocations applied, tables, headers.
#include "object/link_state.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *at(struct link *link, const struct link_section *section)
{
    return link->bytes + section->header.sh_offset;
}

// ---- what the object brought ---------------------------------------------------------------------------------------

static void copy_sections(struct link *link)
{
    for (uint32_t i = 1; i < link->file.section_count; i++) {
        Elf64_Shdr in = elf_section(&link->file, i);
        const struct link_place *place = &link->places[i];
        if (place->section >= 0 && in.sh_type != SHT_NOBITS) {
            memcpy(at(link, &link->sections[place->section]) + place->offset, link->file.bytes + in.sh_offset,
                   in.sh_size);
        }
    }
}

static rill_status reach(const struct link *link, const Elf64_Sym *symbol, int64_t value, int bits)
{
    int64_t limit = (int64_t)1 << (bits - 1);
    if (value < -limit || value >= limit) {
        return link_bad(link, "'%s' is too far away", elf_symbol_name(&link->file, symbol));
    }
    return RILL_OK;
}

static rill_status apply(struct link *link, const struct link_place *place, const Elf64_Rela *rela,
                         Elf64_Rela **next_relative)
{
    const struct link_section *section = &link->sections[place->section];
    uint64_t where = section->header.sh_addr + place->offset + rela->r_offset;
    unsigned char *field = at(link, section) + place->offset + rela->r_offset;
    Elf64_Sym symbol = elf_symbol(&link->file, (uint32_t)ELF64_R_SYM(rela->r_info));
    uint64_t target = link_address(link, &symbol) + (uint64_t)rela->r_addend;
    uint64_t distance = target - where;
    uint32_t word = (uint32_t)distance;
    switch (ELF64_R_TYPE(rela->r_info)) {
    case LINK_ABS64:
        if (symbol.st_shndx == SHN_ABS) {
            memcpy(field, &target, sizeof target);
            break;
        }
        *(*next_relative)++ =
            (Elf64_Rela){.r_offset = where, .r_info = ELF64_R_INFO(0, LINK_RELATIVE64), .r_addend = (int64_t)target};
        break;
    case LINK_REL64: memcpy(field, &distance, sizeof distance); break;
    case LINK_REL32:
        RILL_TRY(reach(link, &symbol, (int64_t)distance, 32));
        memcpy(field, &word, sizeof word);
        break;
    case LINK_REL32_LO: memcpy(field, &word, sizeof word); break;
    case LINK_REL32_HI:
        word = (uint32_t)(distance >> 32);
        memcpy(field, &word, sizeof word);
        break;
    case LINK_REL16: { // a branch counts words from the instruction behind it
        int64_t words = ((int64_t)distance - 4) / 4;
        RILL_TRY(reach(link, &symbol, words, 16));
        int16_t half = (int16_t)words;
        memcpy(field, &half, sizeof half);
        break;
    }
    default: break;
    }
    return RILL_OK;
}

static rill_status relocate(struct link *link)
{
    Elf64_Rela *relatives = ARENA_ARRAY(&link->arena, Elf64_Rela, (size_t)link->relative_count + 1);
    Elf64_Rela *next = relatives;
    for (uint32_t i = 1; i < link->file.section_count; i++) {
        Elf64_Shdr section = elf_section(&link->file, i);
        if (section.sh_type != SHT_RELA || link->places[section.sh_info].section < 0) {
            continue;
        }
        for (uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela rela = elf_relocation(&link->file, &section, k);
            if (ELF64_R_TYPE(rela.r_info) != LINK_NONE) {
                RILL_TRY(apply(link, &link->places[section.sh_info], &rela, &next));
            }
        }
    }
    if (link->relative_count > 0) {
        memcpy(at(link, link_find(link, LINK_RELA)), relatives, sizeof *relatives * link->relative_count);
    }
    return RILL_OK;
}

// ---- tables -------------------------------------------------------------------------------------------------------

// The hash of the System V ABI.
static uint32_t hash_name(const char *name)
{
    uint32_t hash = 0;
    for (; *name != '\0'; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        uint32_t high = hash & 0xf0000000;
        hash ^= high >> 24;
        hash &= ~high;
    }
    return hash;
}

static void write_symbols(struct link *link)
{
    uint32_t count = link->export_count + 1;
    unsigned char *symbols = at(link, link_find(link, LINK_DYNSYM));
    unsigned char *strings = at(link, link_find(link, LINK_DYNSTR));
    uint32_t *hash = ARENA_ARRAY(&link->arena, uint32_t, 2 + 2 * (size_t)count);
    uint32_t *chains = hash + 2 + count;
    uint32_t used = 1;
    hash[0] = hash[1] = count;
    for (uint32_t i = 1; i < count; i++) {
        Elf64_Sym symbol = elf_symbol(&link->file, link->exports[i - 1]);
        const char *name = elf_symbol_name(&link->file, &symbol);
        size_t length = strlen(name) + 1;
        symbol.st_value = link_address(link, &symbol);
        symbol.st_name = used;
        if (symbol.st_shndx != SHN_ABS) {
            symbol.st_shndx = (uint16_t)(link->places[symbol.st_shndx].section + 1);
        }
        memcpy(symbols + i * sizeof symbol, &symbol, sizeof symbol);
        memcpy(strings + used, name, length);
        used += (uint32_t)length;
        uint32_t *bucket = &hash[2 + hash_name(name) % count];
        chains[i] = *bucket;
        *bucket = i;
    }
    memcpy(at(link, link_find(link, LINK_HASH)), hash, sizeof *hash * (2 + 2 * (size_t)count));
}

static void write_dynamic(struct link *link)
{
    Elf64_Dyn tags[10];
    int count = 0;
    const struct link_section *rela = link_find(link, LINK_RELA);
#define TAG(tag, value)                                                                                                \
    tags[count++] = (Elf64_Dyn)                                                                                        \
    {                                                                                                                  \
        .d_tag = (tag), .d_un.d_val = (value)                                                                          \
    }
    if (rela != NULL) {
        TAG(DT_RELA, rela->header.sh_addr);
        TAG(DT_RELASZ, rela->header.sh_size);
        TAG(DT_RELAENT, sizeof(Elf64_Rela));
        TAG(DT_RELACOUNT, link->relative_count);
    }
    TAG(DT_SYMTAB, link_find(link, LINK_DYNSYM)->header.sh_addr);
    TAG(DT_SYMENT, sizeof(Elf64_Sym));
    TAG(DT_STRTAB, link_find(link, LINK_DYNSTR)->header.sh_addr);
    TAG(DT_STRSZ, link_find(link, LINK_DYNSTR)->header.sh_size);
    TAG(DT_HASH, link_find(link, LINK_HASH)->header.sh_addr);
    TAG(DT_NULL, 0);
#undef TAG
    memcpy(at(link, link_find(link, LINK_DYNAMIC)), tags, sizeof *tags * (size_t)count);
}

// ---- headers ------------------------------------------------------------------------------------------------------

static void write_headers(struct link *link)
{
    Elf64_Ehdr header = link->file.header;
    header.e_type = ET_DYN;
    header.e_entry = 0;
    header.e_phoff = sizeof header;
    header.e_shoff = link->section_table;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = (uint16_t)link->segment_count;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = (uint16_t)(link->section_count + 1);
    header.e_shstrndx = (uint16_t)(link_find(link, LINK_NAMES) - link->sections + 1);
    memcpy(link->bytes, &header, sizeof header);
    memcpy(link->bytes + sizeof header, link->segments, sizeof(Elf64_Phdr) * (size_t)link->segment_count);
    unsigned char *names = at(link, link_find(link, LINK_NAMES));
    for (int i = 0; i < link->section_count; i++) {
        const struct link_section *s = &link->sections[i];
        memcpy(link->bytes + link->section_table + ((size_t)i + 1) * sizeof s->header, &s->header, sizeof s->header);
        memcpy(names + s->header.sh_name, s->name, s->name_length);
    }
}

rill_status link_write(struct link *link)
{
    link->bytes = calloc(1, link->file_size);
    if (link->bytes == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for %llu bytes of linked code", link->file.name,
                           (unsigned long long)link->file_size);
    }
    copy_sections(link);
    rill_status status = relocate(link);
    if (status != RILL_OK) {
        free(link->bytes);
        link->bytes = NULL;
        return status;
    }
    write_symbols(link);
    write_dynamic(link);
    write_headers(link);
    return RILL_OK;
}
