#include "object/elf.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

static rill_status bad(const struct elf_file *file, const char *what)
{
    return status_fail(RILL_ERR_INVALID, "%s: not a usable object: %s", file->name, what);
}

static bool is_inside(const struct elf_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

Elf64_Shdr elf_section(const struct elf_file *file, uint32_t index)
{
    assert(index == 0 || index < file->section_count); // the first tells how many there are
    Elf64_Shdr section;
    memcpy(&section, file->bytes + file->header.e_shoff + (uint64_t)index * sizeof section, sizeof section);
    return section;
}

Elf64_Sym elf_symbol(const struct elf_file *file, uint32_t index)
{
    assert(index < file->symbol_count);
    Elf64_Shdr table = elf_section(file, file->symbol_section);
    Elf64_Sym symbol;
    memcpy(&symbol, file->bytes + table.sh_offset + (uint64_t)index * sizeof symbol, sizeof symbol);
    return symbol;
}

Elf64_Rela elf_relocation(const struct elf_file *file, const Elf64_Shdr *section, uint64_t index)
{
    assert(section->sh_type == SHT_RELA && index < section->sh_size / sizeof(Elf64_Rela));
    Elf64_Rela relocation;
    memcpy(&relocation, file->bytes + section->sh_offset + index * sizeof relocation, sizeof relocation);
    return relocation;
}

const char *elf_section_name(const struct elf_file *file, const Elf64_Shdr *section)
{
    return section->sh_name < file->names_size ? (const char *)file->names + section->sh_name : "";
}

const char *elf_symbol_name(const struct elf_file *file, const Elf64_Sym *symbol)
{
    return symbol->st_name < file->symbol_names_size ? (const char *)file->symbol_names + symbol->st_name : "";
}

static rill_status check_header(struct elf_file *file)
{
    if (file->size < sizeof file->header) {
        return bad(file, "it is too short for a header");
    }
    memcpy(&file->header, file->bytes, sizeof file->header);
    const Elf64_Ehdr *h = &file->header;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0) {
        return bad(file, "it does not begin with the mark of ELF");
    }
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != file->machine) {
        return bad(file, file->machine == EM_X86_64 ? "it is not for x86-64" : "it is not for an AMD GPU");
    }
    if (h->e_type != ET_REL) {
        return bad(file, "it is not relocatable");
    }
    if (h->e_shentsize != sizeof(Elf64_Shdr) || !is_inside(file, h->e_shoff, sizeof(Elf64_Shdr))) {
        return bad(file, "its section table lies outside");
    }
    // With very many sections the count stands in the first section instead.
    Elf64_Shdr first = elf_section(file, 0);
    uint64_t count = h->e_shnum != 0 ? h->e_shnum : first.sh_size;
    if (count == 0 || count > UINT32_MAX || !is_inside(file, h->e_shoff, count * sizeof(Elf64_Shdr))) {
        return bad(file, "its section table lies outside");
    }
    file->section_count = (uint32_t)count;
    return RILL_OK;
}

// A string table that ends with a zero, so that every string that begins in it ends in it.
static rill_status open_strings(struct elf_file *file, uint64_t index, const unsigned char **out, size_t *out_size)
{
    if (index >= file->section_count) {
        return bad(file, "a string table is missing");
    }
    Elf64_Shdr section = elf_section(file, (uint32_t)index);
    if (section.sh_type != SHT_STRTAB || section.sh_size == 0 || !is_inside(file, section.sh_offset, section.sh_size) ||
        file->bytes[section.sh_offset + section.sh_size - 1] != '\0') {
        return bad(file, "a string table is damaged");
    }
    *out = file->bytes + section.sh_offset;
    *out_size = section.sh_size;
    return RILL_OK;
}

static rill_status check_symbol_table(struct elf_file *file, uint32_t index, const Elf64_Shdr *section)
{
    if (file->symbol_section != 0) {
        return bad(file, "it has two symbol tables");
    }
    if (section->sh_entsize != sizeof(Elf64_Sym) || section->sh_size % sizeof(Elf64_Sym) != 0 ||
        section->sh_size / sizeof(Elf64_Sym) > UINT32_MAX) {
        return bad(file, "its symbol table is damaged");
    }
    file->symbol_section = index;
    file->symbol_count = (uint32_t)(section->sh_size / sizeof(Elf64_Sym));
    return open_strings(file, section->sh_link, &file->symbol_names, &file->symbol_names_size);
}

static rill_status check_section(struct elf_file *file, uint32_t index)
{
    Elf64_Shdr section = elf_section(file, index);
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !is_inside(file, section.sh_offset, section.sh_size)) {
        return bad(file, "a section lies outside");
    }
    if (section.sh_type == SHT_SYMTAB) {
        return check_symbol_table(file, index, &section);
    }
    if (section.sh_type == SHT_RELA &&
        (section.sh_entsize != sizeof(Elf64_Rela) || section.sh_size % sizeof(Elf64_Rela) != 0 ||
         section.sh_info >= file->section_count)) {
        return bad(file, "its relocations are damaged");
    }
    if (section.sh_type == SHT_REL) {
        return bad(file, "it has relocations without addends");
    }
    return RILL_OK;
}

static rill_status check_symbols(struct elf_file *file)
{
    for (uint32_t i = 0; i < file->symbol_count; i++) {
        Elf64_Sym symbol = elf_symbol(file, i);
        if (symbol.st_name >= file->symbol_names_size) {
            return bad(file, "a symbol's name lies outside");
        }
        if (symbol.st_shndx < SHN_LORESERVE && symbol.st_shndx >= file->section_count) {
            return bad(file, "a symbol's section lies outside");
        }
    }
    return RILL_OK;
}

rill_status elf_open(struct elf_file *file, const char *name, uint16_t machine, const void *bytes, size_t size)
{
    *file = (struct elf_file){.name = name, .machine = machine, .bytes = bytes, .size = size};
    RILL_TRY(check_header(file));
    uint64_t names = file->header.e_shstrndx != SHN_XINDEX ? file->header.e_shstrndx : elf_section(file, 0).sh_link;
    RILL_TRY(open_strings(file, names, &file->names, &file->names_size));
    for (uint32_t i = 1; i < file->section_count; i++) {
        RILL_TRY(check_section(file, i));
    }
    return check_symbols(file);
}
