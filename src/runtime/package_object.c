#include "runtime/package_object.h"

#include "runtime/package_format.h"

#include <assert.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

static const char section_names[] = "\0.rodata.rill\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab";

// The sections, in the order of the names.
enum { NONE, DATA, STACK, SYMBOLS, STRINGS, NAMES, SECTION_COUNT };

// Where things lie in the file.
struct layout {
    size_t data, symbols, strings, names, sections, end;
    size_t strings_size;
};

static size_t aligned(size_t offset, size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

static struct layout layout_of(const char *symbol, size_t size)
{
    struct layout at = {.data = aligned(sizeof(Elf64_Ehdr), PACKAGE_ALIGN), .strings_size = strlen(symbol) + 2};
    at.symbols = aligned(at.data + size, sizeof(uint64_t));
    at.strings = at.symbols + 2 * sizeof(Elf64_Sym);
    at.names = at.strings + at.strings_size;
    at.sections = aligned(at.names + sizeof section_names, sizeof(uint64_t));
    at.end = at.sections + SECTION_COUNT * sizeof(Elf64_Shdr);
    return at;
}

static Elf64_Ehdr header_of(const struct layout *at)
{
    Elf64_Ehdr header = {.e_type = ET_REL,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_shoff = at->sections,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTION_COUNT,
                         .e_shstrndx = NAMES};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    return header;
}

static void put_sections(unsigned char *file, const struct layout *at, size_t size)
{
    Elf64_Shdr sections[SECTION_COUNT] = {
        [DATA] = {.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_offset = at->data, .sh_size = size},
        [STACK] = {.sh_type = SHT_PROGBITS, .sh_offset = at->symbols, .sh_addralign = 1}, // empty: not executable
        [SYMBOLS] = {.sh_type = SHT_SYMTAB, .sh_offset = at->symbols, .sh_size = 2 * sizeof(Elf64_Sym)},
        [STRINGS] = {.sh_type = SHT_STRTAB, .sh_offset = at->strings, .sh_size = at->strings_size, .sh_addralign = 1},
        [NAMES] = {.sh_type = SHT_STRTAB, .sh_offset = at->names, .sh_size = sizeof section_names, .sh_addralign = 1},
    };
    sections[DATA].sh_addralign = PACKAGE_ALIGN;
    sections[SYMBOLS].sh_addralign = sizeof(uint64_t);
    sections[SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
    sections[SYMBOLS].sh_link = STRINGS;
    sections[SYMBOLS].sh_info = 1; // the first one that is not local
    const char *name = section_names;
    for (int i = DATA; i < SECTION_COUNT; i++) {
        name += strlen(name) + 1;
        sections[i].sh_name = (Elf64_Word)(name - section_names);
    }
    memcpy(file + at->sections, sections, sizeof sections);
}

unsigned char *package_object_make(const char *symbol, const void *bytes, size_t size, size_t *out_size)
{
    struct layout at = layout_of(symbol, size);
    unsigned char *file = calloc(1, at.end);
    *out_size = 0;
    if (file == NULL) {
        return NULL;
    }
    Elf64_Ehdr header = header_of(&at);
    Elf64_Sym symbols[2] = {{0},
                            {.st_name = 1,
                             .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                             .st_other = STV_HIDDEN,
                             .st_shndx = DATA,
                             .st_size = size}};
    memcpy(file, &header, sizeof header);
    memcpy(file + at.data, bytes, size);
    memcpy(file + at.symbols, symbols, sizeof symbols);
    memcpy(file + at.strings + 1, symbol, strlen(symbol));
    memcpy(file + at.names, section_names, sizeof section_names);
    put_sections(file, &at, size);
    assert(at.sections + SECTION_COUNT * sizeof(Elf64_Shdr) == at.end);
    *out_size = at.end;
    return file;
}
