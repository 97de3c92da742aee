#include "object/load.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

enum { STUB_SIZE = 16 };

// jmp *[rip + 2], then the address 8-byte aligned at the stub's half.
static void write_stub(unsigned char *stub, uint64_t address)
{
    assert((uintptr_t)stub % 8 == 0);
    static const unsigned char jump[8] = {0xff, 0x25, 0x02, 0x00, 0x00, 0x00, 0xcc, 0xcc};
    memcpy(stub, jump, sizeof jump);
    memcpy(stub + 8, &address, sizeof address);
}

static bool is_via_slot(uint32_t type)
{
    return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
}

static size_t width_of(uint32_t type)
{
    switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64: return 8;
    case R_X86_64_NONE: return 0;
    default: return 4;
    }
}

static bool is_known(uint32_t type)
{
    switch (type) {
    case R_X86_64_NONE:
    case R_X86_64_64:
    case R_X86_64_PC64:
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: return true;
    default: return false;
    }
}

// The relocation sections whose target is placed; calls |visit| for each relocation in them.
typedef rill_status relocation_visitor(struct object_loader *loader, const Elf64_Shdr *target, uint64_t target_address,
                                       const Elf64_Rela *relocation);

static rill_status visit_all(struct object_loader *loader, relocation_visitor *visit)
{
    const struct elf_file *file = &loader->file;
    for (uint32_t i = 1; i < file->section_count; i++) {
        Elf64_Shdr section = elf_section(file, i);
        if (section.sh_type != SHT_RELA) {
            continue;
        }
        Elf64_Shdr target = elf_section(file, section.sh_info);
        if (section.sh_info == 0 || !object_is_placed(&target)) {
            continue; // debuggers relocate what only they read
        }
        if (section.sh_link != file->symbol_section) {
            return status_fail(RILL_ERR_INVALID, "%s: relocations name another symbol table", file->name);
        }
        for (uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela relocation = elf_relocation(file, &section, k);
            RILL_TRY(visit(loader, &target, loader->section_addresses[section.sh_info], &relocation));
        }
    }
    return RILL_OK;
}

static rill_status plan_one(struct object_loader *loader, const Elf64_Shdr *target, uint64_t target_address,
                            const Elf64_Rela *relocation)
{
    (void)target_address;
    uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
    uint64_t symbol = ELF64_R_SYM(relocation->r_info);
    if (!is_known(type)) {
        return status_fail(RILL_ERR_UNSUPPORTED, "%s: relocations of type %u are not supported", loader->file.name,
                           type);
    }
    if (type == R_X86_64_NONE) {
        return RILL_OK;
    }
    if (symbol >= loader->file.symbol_count || target->sh_type == SHT_NOBITS ||
        relocation->r_offset > target->sh_size || width_of(type) > target->sh_size - relocation->r_offset) {
        return status_fail(RILL_ERR_INVALID, "%s: a relocation lies outside", loader->file.name);
    }
    if (is_via_slot(type) && loader->slot_of_symbol[symbol] == 0) {
        loader->slot_of_symbol[symbol] = ++loader->slot_count;
    }
    Elf64_Sym entry = elf_symbol(&loader->file, (uint32_t)symbol);
    if ((type == R_X86_64_PLT32 || type == R_X86_64_PC32) && entry.st_shndx == SHN_UNDEF &&
        loader->stub_of_symbol[symbol] == 0) {
        loader->stub_of_symbol[symbol] = ++loader->stub_count;
    }
    return RILL_OK;
}

rill_status relocate_plan(struct object_loader *loader)
{
    return visit_all(loader, plan_one);
}

static bool fits_signed(int64_t value)
{
    return value >= INT32_MIN && value <= INT32_MAX;
}

static rill_status too_far(const struct object_loader *loader, uint32_t symbol)
{
    Elf64_Sym entry = elf_symbol(&loader->file, symbol);
    return status_fail(RILL_ERR_UNSUPPORTED, "%s: '%s' is too far away for the code that uses it", loader->file.name,
                       elf_symbol_name(&loader->file, &entry));
}

// Whether the four bytes at |at| belong to a call or a jump, which may go through a stub.
static bool is_branch(const unsigned char *at, uint64_t offset)
{
    return (offset >= 1 && (at[-1] == 0xe8 || at[-1] == 0xe9)) ||
           (offset >= 2 && at[-2] == 0x0f && (at[-1] & 0xf0) == 0x80);
}

// What the relocation refers to: the symbol, its place in the table of addresses, or its stub.
static uint64_t target_of(const struct object_loader *loader, uint32_t type, uint32_t symbol, const unsigned char *at,
                          const Elf64_Rela *relocation)
{
    const unsigned char *memory = loader->object->memory;
    uint64_t address = loader->symbol_addresses[symbol];
    if (is_via_slot(type)) {
        return (uint64_t)(uintptr_t)(memory + loader->slots_offset) + (loader->slot_of_symbol[symbol] - 1) * 8;
    }
    uint32_t stub = loader->stub_of_symbol[symbol];
    if (stub == 0 || (type != R_X86_64_PLT32 && type != R_X86_64_PC32)) {
        return address;
    }
    int64_t distance = (int64_t)(address + (uint64_t)relocation->r_addend - (uint64_t)(uintptr_t)at);
    if (fits_signed(distance) || (type == R_X86_64_PC32 && !is_branch(at, relocation->r_offset))) {
        return address;
    }
    return (uint64_t)(uintptr_t)(memory + loader->stubs_offset) + (uint64_t)(stub - 1) * STUB_SIZE;
}

static rill_status apply_one(struct object_loader *loader, const Elf64_Shdr *target, uint64_t target_address,
                             const Elf64_Rela *relocation)
{
    (void)target;
    uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
    uint32_t symbol = (uint32_t)ELF64_R_SYM(relocation->r_info);
    if (type == R_X86_64_NONE) {
        return RILL_OK;
    }
    unsigned char *at = (unsigned char *)(uintptr_t)target_address + relocation->r_offset;
    uint64_t value = target_of(loader, type, symbol, at, relocation) + (uint64_t)relocation->r_addend;
    uint64_t place = (uint64_t)(uintptr_t)at;
    switch (type) {
    case R_X86_64_64: memcpy(at, &value, 8); return RILL_OK;
    case R_X86_64_PC64:
        value -= place;
        memcpy(at, &value, 8);
        return RILL_OK;
    case R_X86_64_32:
        if (value > UINT32_MAX) {
            return too_far(loader, symbol);
        }
        break;
    case R_X86_64_32S:
        if (!fits_signed((int64_t)value)) {
            return too_far(loader, symbol);
        }
        break;
    default:
        value -= place;
        if (!fits_signed((int64_t)value)) {
            return too_far(loader, symbol);
        }
        break;
    }
    uint32_t narrow = (uint32_t)value;
    memcpy(at, &narrow, sizeof narrow);
    return RILL_OK;
}

rill_status relocate_apply(struct object_loader *loader)
{
    unsigned char *memory = loader->object->memory;
    for (uint32_t i = 0; i < loader->file.symbol_count; i++) {
        uint64_t address = loader->symbol_addresses[i];
        if (loader->stub_of_symbol[i] != 0) {
            write_stub(memory + loader->stubs_offset + (size_t)(loader->stub_of_symbol[i] - 1) * STUB_SIZE, address);
        }
        if (loader->slot_of_symbol[i] != 0) {
            memcpy(memory + loader->slots_offset + (size_t)(loader->slot_of_symbol[i] - 1) * 8, &address, 8);
        }
    }
    return visit_all(loader, apply_one);
}
