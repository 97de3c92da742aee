#include "object/object.h"

#include "base/status.h"
#include "object/load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_ALIGN = 4096, STUB_ALIGN = 16 };

// The compiler allows 1 GiB of fields and constants; what it adds itself is small. Code reaches 2 GiB.
static const uint64_t max_object_size = (UINT64_C(1) << 30) + (UINT64_C(1) << 26);

// ---- placing ------------------------------------------------------------------------------------------------------

static enum object_part part_of(const Elf64_Shdr *section)
{
    if ((section->sh_flags & SHF_EXECINSTR) != 0) {
        return OBJECT_CODE;
    }
    return (section->sh_flags & SHF_WRITE) != 0 ? OBJECT_DATA : OBJECT_CONSTANTS;
}

bool object_is_placed(const Elf64_Shdr *section)
{
    return (section->sh_flags & SHF_ALLOC) != 0 && section->sh_type != SHT_NULL;
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

static rill_status check_placed(const struct elf_file *file, const Elf64_Shdr *section)
{
    uint64_t align = section->sh_addralign;
    if ((section->sh_flags & SHF_TLS) != 0) {
        return status_fail(RILL_ERR_UNSUPPORTED, "%s: thread-local variables are not supported", file->name);
    }
    if (align > MAX_ALIGN || (align & (align - 1)) != 0) {
        return status_fail(RILL_ERR_INVALID, "%s: a section wants to be aligned to %llu bytes", file->name,
                           (unsigned long long)align);
    }
    if (section->sh_size > max_object_size) {
        return status_fail(RILL_ERR_LIMIT, "%s: a section has %llu bytes", file->name,
                           (unsigned long long)section->sh_size);
    }
    return RILL_OK;
}

// Gives variables that have no section yet an offset in the data part, for now in symbol_addresses.
static rill_status measure_common(struct object_loader *loader, uint64_t *size)
{
    struct elf_file *file = &loader->file;
    for (uint32_t i = 0; i < file->symbol_count; i++) {
        Elf64_Sym symbol = elf_symbol(file, i);
        if (symbol.st_shndx != SHN_COMMON) {
            continue;
        }
        uint64_t align = symbol.st_value > 0 ? symbol.st_value : 1; // of a common symbol the value is its alignment
        if (align > MAX_ALIGN || (align & (align - 1)) != 0 || symbol.st_size > max_object_size ||
            *size > max_object_size) {
            return status_fail(RILL_ERR_INVALID, "%s: the symbol '%s' is too large", file->name,
                               elf_symbol_name(file, &symbol));
        }
        *size = align_up(*size, align);
        loader->symbol_addresses[i] = *size;
        *size += symbol.st_size;
    }
    return RILL_OK;
}

// Gives every section its offset from the start of its part, for now in section_addresses.
static rill_status measure_sections(struct object_loader *loader, uint64_t *sizes)
{
    struct elf_file *file = &loader->file;
    for (uint32_t i = 1; i < file->section_count; i++) {
        Elf64_Shdr section = elf_section(file, i);
        if (!object_is_placed(&section)) {
            continue;
        }
        RILL_TRY(check_placed(file, &section));
        enum object_part part = part_of(&section);
        sizes[part] = align_up(sizes[part], section.sh_addralign > 1 ? section.sh_addralign : 1);
        loader->section_addresses[i] = sizes[part];
        sizes[part] += section.sh_size;
        if (sizes[part] > max_object_size) {
            return status_fail(RILL_ERR_LIMIT, "%s: it is larger than 1,088 MiB", file->name);
        }
    }
    return measure_common(loader, &sizes[OBJECT_DATA]);
}

static rill_status measure(struct object_loader *loader)
{
    struct object *object = loader->object;
    uint64_t sizes[OBJECT_PART_COUNT] = {0};
    RILL_TRY(measure_sections(loader, sizes));
    RILL_TRY(relocate_plan(loader));
    loader->stubs_offset = align_up(sizes[OBJECT_CODE], STUB_ALIGN);
    sizes[OBJECT_CODE] = loader->stubs_offset + (uint64_t)loader->stub_count * 16;
    loader->slots_offset = align_up(sizes[OBJECT_CONSTANTS], 8);
    sizes[OBJECT_CONSTANTS] = loader->slots_offset + (uint64_t)loader->slot_count * 8;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t at = 0;
    for (int part = 0; part < OBJECT_PART_COUNT; part++) {
        object->starts[part] = at;
        object->sizes[part] = align_up(sizes[part], page);
        at += object->sizes[part];
    }
    loader->slots_offset += object->starts[OBJECT_CONSTANTS];
    object->memory_size = at > 0 ? at : page;
    return RILL_OK;
}

static rill_status place(struct object_loader *loader)
{
    struct elf_file *file = &loader->file;
    struct object *object = loader->object;
    void *memory = mmap(NULL, object->memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for %zu bytes of code", file->name,
                           object->memory_size);
    }
    object->memory = memory;
    for (uint32_t i = 1; i < file->section_count; i++) {
        Elf64_Shdr section = elf_section(file, i);
        if (!object_is_placed(&section)) {
            continue;
        }
        unsigned char *at = object->memory + object->starts[part_of(&section)] + loader->section_addresses[i];
        loader->section_addresses[i] = (uint64_t)(uintptr_t)at;
        if (section.sh_type != SHT_NOBITS && section.sh_size > 0) {
            memcpy(at, file->bytes + section.sh_offset, section.sh_size);
        }
    }
    return RILL_OK;
}

// ---- symbols ------------------------------------------------------------------------------------------------------

// "__start_name" and "__stop_name" are the edges of a section. Sanitizers find their tables with them.
static bool find_section_edge(const struct object_loader *loader, const char *name, uint64_t *out_address)
{
    bool is_start = strncmp(name, "__start_", 8) == 0;
    if (!is_start && strncmp(name, "__stop_", 7) != 0) {
        return false;
    }
    name += is_start ? 8 : 7;
    uint64_t low = UINT64_MAX;
    uint64_t high = 0;
    for (uint32_t i = 1; i < loader->file.section_count; i++) {
        Elf64_Shdr section = elf_section(&loader->file, i);
        if (!object_is_placed(&section) || strcmp(elf_section_name(&loader->file, &section), name) != 0) {
            continue;
        }
        uint64_t address = loader->section_addresses[i];
        low = address < low ? address : low;
        high = address + section.sh_size > high ? address + section.sh_size : high;
    }
    *out_address = is_start ? low : high;
    return high != 0;
}

static rill_status resolve_undefined(struct object_loader *loader, uint32_t index, const Elf64_Sym *symbol)
{
    const char *name = elf_symbol_name(&loader->file, symbol);
    if (*name == '\0') {
        return RILL_OK; // symbol 0: relocations against it are against address 0
    }
    if (strcmp(name, "_GLOBAL_OFFSET_TABLE_") == 0) {
        loader->symbol_addresses[index] = (uint64_t)(uintptr_t)(loader->object->memory + loader->slots_offset);
        return RILL_OK;
    }
    if (find_section_edge(loader, name, &loader->symbol_addresses[index])) {
        return RILL_OK;
    }
    const struct object_options *options = loader->options;
    void *address = options->resolve != NULL ? options->resolve(options->user, name) : NULL;
    if (address == NULL && ELF64_ST_BIND(symbol->st_info) != STB_WEAK) {
        return status_fail(RILL_ERR_NOT_FOUND, "%s: nobody defines '%s'", loader->file.name, name);
    }
    loader->symbol_addresses[index] = (uint64_t)(uintptr_t)address;
    return RILL_OK;
}

static rill_status resolve_one(struct object_loader *loader, uint32_t index)
{
    struct elf_file *file = &loader->file;
    Elf64_Sym symbol = elf_symbol(file, index);
    const char *name = elf_symbol_name(file, &symbol);
    if (symbol.st_shndx == SHN_UNDEF) {
        return resolve_undefined(loader, index, &symbol);
    }
    if (symbol.st_shndx == SHN_ABS) {
        loader->symbol_addresses[index] = symbol.st_value;
        return RILL_OK;
    }
    if (symbol.st_shndx == SHN_COMMON) {
        const struct object *object = loader->object;
        unsigned char *data = object->memory + object->starts[OBJECT_DATA];
        loader->symbol_addresses[index] += (uint64_t)(uintptr_t)data;
        return RILL_OK;
    }
    if (symbol.st_shndx >= SHN_LORESERVE || ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) {
        return status_fail(RILL_ERR_UNSUPPORTED, "%s: the kind of symbol that '%s' is is not supported", file->name,
                           name);
    }
    Elf64_Shdr section = elf_section(file, symbol.st_shndx);
    if (!object_is_placed(&section)) {
        return RILL_OK; // of a section that only debuggers read
    }
    if (symbol.st_value > section.sh_size || symbol.st_size > section.sh_size - symbol.st_value) {
        return status_fail(RILL_ERR_INVALID, "%s: the symbol '%s' lies outside its section", file->name, name);
    }
    uint64_t address = loader->section_addresses[symbol.st_shndx] + symbol.st_value;
    loader->symbol_addresses[index] = address;
    unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (*name != '\0' && type != STT_SECTION && type != STT_FILE) {
        struct object *object = loader->object;
        hash_map_set(&object->symbols, arena_strdup(&object->arena, name), strlen(name), (void *)(uintptr_t)address);
    }
    return RILL_OK;
}

void *object_symbol(const struct object *object, const char *name)
{
    return hash_map_get(&object->symbols, name, strlen(name));
}

// ---- loading ------------------------------------------------------------------------------------------------------

static rill_status protect(struct object_loader *loader)
{
    static const int protections[OBJECT_PART_COUNT] = {
        [OBJECT_CODE] = PROT_READ | PROT_EXEC, [OBJECT_CONSTANTS] = PROT_READ, [OBJECT_DATA] = PROT_READ | PROT_WRITE};
    struct object *object = loader->object;
    for (int part = 0; part < OBJECT_PART_COUNT; part++) {
        if (object->sizes[part] > 0 &&
            mprotect(object->memory + object->starts[part], object->sizes[part], protections[part]) != 0) {
            return status_fail(RILL_ERR_UNSUPPORTED,
                               "%s: this system does not let a program make its own memory executable",
                               loader->file.name);
        }
    }
    return RILL_OK;
}

static rill_status load(struct object_loader *loader, struct arena *scratch)
{
    size_t sections = loader->file.section_count;
    size_t symbols = loader->file.symbol_count + (size_t)1;
    loader->section_addresses = ARENA_ARRAY(scratch, uint64_t, sections);
    loader->symbol_addresses = ARENA_ARRAY(scratch, uint64_t, symbols);
    loader->stub_of_symbol = ARENA_ARRAY(scratch, uint32_t, symbols);
    loader->slot_of_symbol = ARENA_ARRAY(scratch, uint32_t, symbols);
    RILL_TRY(measure(loader));
    RILL_TRY(place(loader));
    for (uint32_t i = 0; i < loader->file.symbol_count; i++) {
        RILL_TRY(resolve_one(loader, i));
    }
    RILL_TRY(relocate_apply(loader));
    RILL_TRY(protect(loader));
    debug_register(loader);
    return RILL_OK;
}

rill_status object_load(const void *bytes, size_t size, const struct object_options *options,
                        struct object **out_object)
{
    *out_object = NULL;
    struct object_loader loader = {.options = options};
    RILL_TRY(elf_open(&loader.file, options->name, EM_X86_64, bytes, size));
    struct object *object = calloc(1, sizeof *object);
    if (object == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory to load it", options->name);
    }
    loader.object = object;
    struct arena scratch;
    jmp_buf escape;
    arena_init(&scratch);
    arena_init(&object->arena);
    scratch.escape = &escape;
    object->arena.escape = &escape;
    hash_map_init(&object->symbols, &object->arena);
    volatile rill_status status = RILL_ERR_OUT_OF_MEMORY;
    if (setjmp(escape) == 0) {
        status = load(&loader, &scratch);
    } else {
        status_fail(status, "%s: no memory to load it", options->name);
    }
    arena_finish(&scratch);
    object->arena.escape = NULL;
    if (status != RILL_OK) {
        object_unload(object);
        return status;
    }
    *out_object = object;
    return RILL_OK;
}

void object_unload(struct object *object)
{
    if (object == NULL) {
        return;
    }
    debug_unregister(object);
    if (object->memory != NULL) {
        munmap(object->memory, object->memory_size);
    }
    arena_finish(&object->arena);
    free(object);
}
