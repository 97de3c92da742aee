// What the result holds: which input section goes where, which symbols are seen from outside, which relocations are
// left to whoever loads it.
#include "object/link.h"

#include "base/status.h"
#include "object/link_state.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rill_status link_bad(const struct link *link, const char *format, ...)
{
    char words[256];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return status_fail(RILL_ERR_INVALID, "%s: cannot be linked: %s", link->file.name, words);
}

struct link_section *link_find(struct link *link, enum link_kind kind)
{
    for (int i = 0; i < link->section_count; i++) {
        if (link->sections[i].kind == kind) {
            return &link->sections[i];
        }
    }
    return NULL;
}

uint64_t link_address(const struct link *link, const Elf64_Sym *symbol)
{
    assert(symbol->st_shndx == SHN_ABS || link->places[symbol->st_shndx].section >= 0); // check_symbol() said so
    if (symbol->st_shndx == SHN_ABS) {
        return symbol->st_value;
    }
    const struct link_place *place = &link->places[symbol->st_shndx];
    return link->sections[place->section].header.sh_addr + place->offset + symbol->st_value;
}

// ---- sections -----------------------------------------------------------------------------------------------------

static enum link_kind kind_of(const Elf64_Shdr *section)
{
    if ((section->sh_flags & SHF_ALLOC) == 0) {
        return LINK_NOWHERE;
    }
    if (section->sh_type == SHT_NOTE) {
        return LINK_NOTE;
    }
    if ((section->sh_flags & SHF_EXECINSTR) != 0) {
        return LINK_TEXT;
    }
    if ((section->sh_flags & SHF_WRITE) != 0) {
        return section->sh_type == SHT_NOBITS ? LINK_BSS : LINK_DATA;
    }
    return LINK_RODATA;
}

// ".text.unlikely." goes to ".text"; a name that none of these begins stays what it is.
static uint32_t name_length_of(const char *name)
{
    static const char *const prefixes[] = {".text", ".rodata", ".data.rel.ro", ".bss.rel.ro", ".data", ".bss"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0 && (name[length] == '.' || name[length] == '\0')) {
            return (uint32_t)length;
        }
    }
    return (uint32_t)strlen(name);
}

static int find_output(const struct link *link, const char *name, uint32_t length, enum link_kind kind)
{
    for (int i = 0; i < link->section_count; i++) {
        const struct link_section *s = &link->sections[i];
        if (s->kind == kind && s->name_length == length && memcmp(s->name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

static rill_status add_section(struct link *link, enum link_kind kind, const char *name, uint32_t length,
                               Elf64_Shdr header)
{
    if (link->section_count == LINK_MAX_SECTIONS) {
        return link_bad(link, "it has too many sections");
    }
    link->sections[link->section_count++] =
        (struct link_section){.kind = kind, .header = header, .name = name, .name_length = length};
    return RILL_OK;
}

static rill_status check_input(const struct link *link, const Elf64_Shdr *in, const char *name)
{
    const uint64_t known = SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS;
    if ((in->sh_flags & ~known) != 0) {
        return link_bad(link, "section '%s' has flags %#llx", name, (unsigned long long)in->sh_flags);
    }
    if (in->sh_type != SHT_PROGBITS && in->sh_type != SHT_NOBITS && in->sh_type != SHT_NOTE) {
        return link_bad(link, "section '%s' is of type %u", name, in->sh_type);
    }
    if (in->sh_type == SHT_NOBITS && kind_of(in) != LINK_BSS) {
        return link_bad(link, "section '%s' has no bytes and is not writable", name);
    }
    if (in->sh_addralign > LINK_PAGE || (in->sh_addralign & (in->sh_addralign - 1)) != 0) {
        return link_bad(link, "section '%s' is aligned to %llu", name, (unsigned long long)in->sh_addralign);
    }
    if (in->sh_size > INT32_MAX) {
        return link_bad(link, "section '%s' has %llu bytes", name, (unsigned long long)in->sh_size);
    }
    return RILL_OK;
}

// Behind what the output section holds already.
static rill_status place_input(struct link *link, uint32_t index)
{
    Elf64_Shdr in = elf_section(&link->file, index);
    enum link_kind kind = kind_of(&in);
    link->places[index].section = -1;
    if (kind == LINK_NOWHERE) {
        return RILL_OK;
    }
    const char *name = elf_section_name(&link->file, &in);
    RILL_TRY(check_input(link, &in, name));
    uint32_t length = name_length_of(name);
    int at = find_output(link, name, length, kind);
    if (at < 0) {
        at = link->section_count;
        RILL_TRY(add_section(link, kind, name, length,
                             (Elf64_Shdr){.sh_type = in.sh_type, .sh_flags = in.sh_flags, .sh_addralign = 1}));
    }
    Elf64_Shdr *out = &link->sections[at].header;
    uint64_t align = in.sh_addralign > 1 ? in.sh_addralign : 1;
    out->sh_addralign = align > out->sh_addralign ? align : out->sh_addralign;
    out->sh_flags |= in.sh_flags;
    out->sh_size = (out->sh_size + align - 1) / align * align;
    assert((align & (align - 1)) == 0);
    link->places[index] = (struct link_place){.section = at, .offset = out->sh_size};
    out->sh_size += in.sh_size;
    return out->sh_size <= INT32_MAX ? RILL_OK : link_bad(link, "its section '%s' grows too large", name);
}

// ---- symbols ------------------------------------------------------------------------------------------------------

static rill_status check_symbol(const struct link *link, const Elf64_Sym *symbol)
{
    const char *name = elf_symbol_name(&link->file, symbol);
    if (symbol->st_shndx == SHN_UNDEF) {
        return link_bad(link, "'%s' is used and not defined", name);
    }
    if (symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_ABS) {
        return link_bad(link, "'%s' is in no section (%#x)", name, symbol->st_shndx);
    }
    if (symbol->st_shndx != SHN_ABS) {
        const struct link_place *place = &link->places[symbol->st_shndx];
        Elf64_Shdr in = elf_section(&link->file, symbol->st_shndx);
        if (place->section < 0) {
            return link_bad(link, "'%s' is in a section that is not loaded", name);
        }
        if (symbol->st_value > in.sh_size || symbol->st_size > in.sh_size - symbol->st_value) {
            return link_bad(link, "'%s' lies outside its section", name);
        }
    }
    return RILL_OK;
}

static bool is_export(const Elf64_Sym *symbol)
{
    unsigned char seen = ELF64_ST_VISIBILITY(symbol->st_other);
    return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && (seen == STV_DEFAULT || seen == STV_PROTECTED);
}

static rill_status find_exports(struct link *link)
{
    link->exports = ARENA_ARRAY(&link->arena, uint32_t, (size_t)link->file.symbol_count + 1);
    for (uint32_t i = 1; i < link->file.symbol_count; i++) {
        Elf64_Sym symbol = elf_symbol(&link->file, i);
        if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) {
            continue;
        }
        RILL_TRY(check_symbol(link, &symbol));
        if (is_export(&symbol)) {
            link->exports[link->export_count++] = i;
            assert(link->export_count <= link->file.symbol_count);
        }
    }
    return RILL_OK;
}

// ---- relocations --------------------------------------------------------------------------------------------------

// An address in data depends on where the object is loaded: that relocation stays.
static rill_status check_relocation(struct link *link, const Elf64_Shdr *target, const Elf64_Rela *rela)
{
    uint32_t type = ELF64_R_TYPE(rela->r_info);
    uint64_t size = type == LINK_ABS64 || type == LINK_REL64 ? 8 : type == LINK_REL16 ? 2 : 4;
    if (type == LINK_NONE) {
        return RILL_OK;
    }
    if (type != LINK_ABS64 && type != LINK_REL32 && type != LINK_REL64 && type != LINK_REL32_LO &&
        type != LINK_REL32_HI && type != LINK_REL16) {
        return link_bad(link, "it has a relocation of type %u", type);
    }
    if (rela->r_offset > target->sh_size || size > target->sh_size - rela->r_offset || target->sh_type == SHT_NOBITS) {
        return link_bad(link, "a relocation lies outside its section");
    }
    if (ELF64_R_SYM(rela->r_info) >= link->file.symbol_count) {
        return link_bad(link, "a relocation names a symbol that there is not");
    }
    Elf64_Sym symbol = elf_symbol(&link->file, (uint32_t)ELF64_R_SYM(rela->r_info));
    RILL_TRY(check_symbol(link, &symbol));
    if (type == LINK_ABS64 && symbol.st_shndx != SHN_ABS) {
        if ((target->sh_flags & SHF_WRITE) == 0) {
            return link_bad(link, "an address stands in memory that is only read");
        }
        link->relative_count++;
    }
    return RILL_OK;
}

static rill_status find_relocations(struct link *link)
{
    for (uint32_t i = 1; i < link->file.section_count; i++) {
        Elf64_Shdr section = elf_section(&link->file, i);
        if (section.sh_type != SHT_RELA || link->places[section.sh_info].section < 0) {
            continue;
        }
        if (section.sh_link != link->file.symbol_section) {
            return link_bad(link, "its relocations are for another symbol table");
        }
        Elf64_Shdr target = elf_section(&link->file, section.sh_info);
        for (uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela rela = elf_relocation(&link->file, &section, k);
            RILL_TRY(check_relocation(link, &target, &rela));
        }
    }
    return RILL_OK;
}

// ---- the result's own sections ------------------------------------------------------------------------------------

static rill_status add_own(struct link *link, enum link_kind kind, const char *name, Elf64_Shdr header)
{
    return add_section(link, kind, name, (uint32_t)strlen(name), header);
}

static rill_status add_tables(struct link *link)
{
    uint64_t count = (uint64_t)link->export_count + 1;
    uint64_t names = 1;
    for (uint32_t i = 0; i < link->export_count; i++) {
        Elf64_Sym symbol = elf_symbol(&link->file, link->exports[i]);
        names += strlen(elf_symbol_name(&link->file, &symbol)) + 1;
    }
    if (names > INT32_MAX) {
        return link_bad(link, "the names of its symbols are too long");
    }
    RILL_TRY(add_own(link, LINK_DYNSYM, ".dynsym",
                     (Elf64_Shdr){.sh_type = SHT_DYNSYM,
                                  .sh_flags = SHF_ALLOC,
                                  .sh_size = count * sizeof(Elf64_Sym),
                                  .sh_entsize = sizeof(Elf64_Sym),
                                  .sh_info = 1,
                                  .sh_addralign = 8}));
    RILL_TRY(add_own(link, LINK_HASH, ".hash",
                     (Elf64_Shdr){.sh_type = SHT_HASH,
                                  .sh_flags = SHF_ALLOC,
                                  .sh_size = (2 + 2 * count) * 4,
                                  .sh_entsize = 4,
                                  .sh_addralign = 4}));
    RILL_TRY(add_own(link, LINK_DYNSTR, ".dynstr",
                     (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_flags = SHF_ALLOC, .sh_size = names, .sh_addralign = 1}));
    if (link->relative_count > 0) {
        RILL_TRY(add_own(link, LINK_RELA, ".rela.dyn",
                         (Elf64_Shdr){.sh_type = SHT_RELA,
                                      .sh_flags = SHF_ALLOC,
                                      .sh_size = link->relative_count * sizeof(Elf64_Rela),
                                      .sh_entsize = sizeof(Elf64_Rela),
                                      .sh_addralign = 8}));
    }
    int tags = link->relative_count > 0 ? 10 : 6;
    RILL_TRY(add_own(link, LINK_DYNAMIC, ".dynamic",
                     (Elf64_Shdr){.sh_type = SHT_DYNAMIC,
                                  .sh_flags = SHF_ALLOC | SHF_WRITE,
                                  .sh_size = (uint64_t)tags * sizeof(Elf64_Dyn),
                                  .sh_entsize = sizeof(Elf64_Dyn),
                                  .sh_addralign = 8}));
    return add_own(link, LINK_NAMES, ".shstrtab", (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1});
}

static rill_status run(struct link *link)
{
    link->places = ARENA_ARRAY(&link->arena, struct link_place, link->file.section_count);
    link->places[0].section = -1;
    for (uint32_t i = 1; i < link->file.section_count; i++) {
        RILL_TRY(place_input(link, i));
    }
    RILL_TRY(find_exports(link));
    RILL_TRY(find_relocations(link));
    RILL_TRY(add_tables(link));
    RILL_TRY(link_layout(link));
    return link_write(link);
}

rill_status link_amdgpu(const char *name, const void *bytes, size_t size, void **out_bytes, size_t *out_size)
{
    struct link link = {.bytes = NULL};
    *out_bytes = NULL;
    *out_size = 0;
    RILL_TRY(elf_open(&link.file, name, EM_AMDGPU, bytes, size));
    arena_init(&link.arena);
    jmp_buf out_of_memory;
    rill_status status;
    if (setjmp(out_of_memory) == 0) {
        link.arena.escape = &out_of_memory;
        status = run(&link);
    } else {
        status = status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory to link it", name);
    }
    arena_finish(&link.arena);
    if (status == RILL_OK) {
        *out_bytes = link.bytes;
        *out_size = link.file_size;
    }
    return status;
}
