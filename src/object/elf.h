// An ELF64 relocatable object as it lies in memory, checked. After elf_open() every offset, size, index and
// string that these structs give out is inside the file.
#ifndef RILL_OBJECT_ELF_H
#define RILL_OBJECT_ELF_H

#include "rill/status.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
    const char *name; // for messages, borrowed
    uint16_t machine; // what it must be for: EM_X86_64, EM_AMDGPU
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
    uint32_t section_count;
    const unsigned char *names; // of the sections, ended by a zero
    size_t names_size;
    uint32_t symbol_section; // 0: the object has no symbols
    uint32_t symbol_count;
    const unsigned char *symbol_names;
    size_t symbol_names_size;
};

rill_status elf_open(struct elf_file *file, const char *name, uint16_t machine, const void *bytes, size_t size);

// Structs are copied out, because nothing says that they are aligned in the file.
Elf64_Shdr elf_section(const struct elf_file *file, uint32_t index);
Elf64_Sym elf_symbol(const struct elf_file *file, uint32_t index);
Elf64_Rela elf_relocation(const struct elf_file *file, const Elf64_Shdr *section, uint64_t index);
const char *elf_section_name(const struct elf_file *file, const Elf64_Shdr *section);
const char *elf_symbol_name(const struct elf_file *file, const Elf64_Sym *symbol);

#endif
