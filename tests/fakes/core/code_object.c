// Linked AMD code objects, read as whoever loads them reads them: segments, the dynamic table, its hash table, the note
// with the metadata. So what the linker of src/object writes is used here and not only compared.
#include "fake.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct code_object {
    size_t size;
    Elf64_Ehdr header;
    uint64_t hash; // addresses
    uint64_t symbols;
    uint64_t strings;
    uint64_t metadata; // offset and size
    uint64_t metadata_size;
    unsigned char bytes[]; // a copy of the ELF file
};

enum {
    STAND_IN_ALIGN = 16,
    DESCRIPTOR_SIZE = 64,
    DESCRIPTOR_ENTRY = 16,
    METADATA_NOTE = 32,
    NEW_CODE_VERSION = 60000000
};

// ---- segments -------------------------------------------------------------------------------------------------------

static Elf64_Phdr segment_of(const struct code_object *o, int index)
{
    Elf64_Phdr segment;
    memcpy(&segment, o->bytes + o->header.e_phoff + (size_t)index * sizeof segment, sizeof segment);
    return segment;
}

// The bytes at an address of the loaded object; NULL: it has none there.
static const unsigned char *at(const struct code_object *o, uint64_t address, uint64_t size, uint32_t flags)
{
    for (int i = 0; i < o->header.e_phnum; i++) {
        Elf64_Phdr s = segment_of(o, i);
        if (s.p_type == PT_LOAD && (s.p_flags & flags) == flags && address >= s.p_vaddr &&
            address + size <= s.p_vaddr + s.p_filesz && s.p_offset + s.p_filesz <= o->size) {
            return o->bytes + s.p_offset + (address - s.p_vaddr);
        }
    }
    return NULL;
}

static bool read_dynamic(struct code_object *o, const Elf64_Phdr *segment)
{
    for (uint64_t i = 0; i + sizeof(Elf64_Dyn) <= segment->p_filesz; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn tag;
        memcpy(&tag, o->bytes + segment->p_offset + i, sizeof tag);
        o->hash = tag.d_tag == DT_HASH ? tag.d_un.d_ptr : o->hash;
        o->symbols = tag.d_tag == DT_SYMTAB ? tag.d_un.d_ptr : o->symbols;
        o->strings = tag.d_tag == DT_STRTAB ? tag.d_un.d_ptr : o->strings;
        if (tag.d_tag == DT_NULL) {
            return o->hash != 0 && o->symbols != 0 && o->strings != 0;
        }
    }
    return false;
}

static bool read_notes(struct code_object *o, const Elf64_Phdr *segment)
{
    uint64_t offset = segment->p_offset, end = segment->p_offset + segment->p_filesz;
    while (offset + sizeof(Elf64_Nhdr) <= end) {
        Elf64_Nhdr note;
        memcpy(&note, o->bytes + offset, sizeof note);
        uint64_t name = offset + sizeof note, text = name + (note.n_namesz + 3) / 4 * 4;
        if (text + note.n_descsz > end) {
            return false;
        }
        if (note.n_type == METADATA_NOTE && strcmp((const char *)o->bytes + name, "AMDGPU") == 0) {
            o->metadata = text;
            o->metadata_size = note.n_descsz;
            return true;
        }
        offset = text + (note.n_descsz + 3) / 4 * 4;
    }
    return false;
}

struct code_object *code_object_open(const void *image, const void **out_code, size_t *out_code_size)
{
    Elf64_Ehdr header;
    *out_code = NULL;
    memcpy(&header, image, sizeof header);
    if (header.e_type != ET_DYN || header.e_machine != 224 || header.e_shoff == 0) {
        fprintf(stderr, "fake driver: the image is no linked code object\n");
        return NULL;
    }
    // Numbers of the ABI are 2 and 3 for versions 4 and 5; runtimes before ROCm 6 know no more than the first.
    int version = header.e_ident[EI_ABIVERSION] + 2;
    if (version < 4 || version > (fake.version < NEW_CODE_VERSION ? 4 : 5)) {
        fprintf(stderr, "fake driver: a code object of version %d\n", version);
        return NULL;
    }
    size_t size = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
    struct code_object *o = fake_alloc(sizeof *o + size + 1);
    o->size = size;
    o->header = header;
    memcpy(o->bytes, image, size);
    bool has_tables = false, has_note = false;
    for (int i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment = segment_of(o, i);
        has_tables |= segment.p_type == PT_DYNAMIC && read_dynamic(o, &segment);
        has_note |= segment.p_type == PT_NOTE && read_notes(o, &segment);
    }
    if (!has_tables || !has_note) {
        fprintf(stderr, "fake driver: the code object has no %s\n", has_tables ? "metadata" : "dynamic table");
        free(o);
        return NULL;
    }
    // What codegen/stand_in.c puts behind the file.
    const char *mark = (const char *)image + (size + STAND_IN_ALIGN - 1) / STAND_IN_ALIGN * STAND_IN_ALIGN;
    if (memcmp(mark, "rill stand-in\n", 15) == 0) {
        uint64_t code_size;
        memcpy(&code_size, mark + STAND_IN_ALIGN, sizeof code_size);
        *out_code = mark + 2 * STAND_IN_ALIGN;
        *out_code_size = code_size;
    }
    return o;
}

void code_object_close(struct code_object *o)
{
    free(o);
}

// ---- symbols --------------------------------------------------------------------------------------------------------

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 0;
    for (; *name != '\0'; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash ^= (hash & 0xf0000000) >> 24;
        hash &= 0x0fffffff;
    }
    return hash;
}

static bool find_symbol(const struct code_object *o, const char *name, Elf64_Sym *out)
{
    uint32_t counts[2];
    const unsigned char *table = at(o, o->hash, sizeof counts, 0);
    if (table == NULL) {
        return false;
    }
    memcpy(counts, table, sizeof counts);
    uint32_t index, steps = 0;
    memcpy(&index, table + 4 * (2 + hash_of(name) % counts[0]), sizeof index);
    while (index != 0 && index < counts[1] && steps++ < counts[1]) {
        const unsigned char *symbol = at(o, o->symbols + index * sizeof *out, sizeof *out, 0);
        if (symbol == NULL) {
            return false;
        }
        memcpy(out, symbol, sizeof *out);
        const unsigned char *text = at(o, o->strings + out->st_name, strlen(name) + 1, 0);
        if (text != NULL && strcmp((const char *)text, name) == 0) {
            return true;
        }
        memcpy(&index, table + 4 * (2 + counts[0] + index), sizeof index);
    }
    return false;
}

bool code_object_data(const struct code_object *o, const char *name, size_t *out_size)
{
    Elf64_Sym symbol;
    if (!find_symbol(o, name, &symbol)) {
        return false;
    }
    *out_size = symbol.st_size;
    return true;
}

// ---- metadata: MessagePack -----------------------------------------------------------------------------------------

struct pack {
    const unsigned char *at;
    const unsigned char *end;
};

enum pack_kind { PACK_BAD, PACK_NUMBER, PACK_TEXT, PACK_ARRAY, PACK_MAP, PACK_OTHER };

static uint64_t big_endian(struct pack *p, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size && p->at < p->end; i++) {
        value = value << 8 | *p->at++;
    }
    return value;
}

// The head of a value: what it is, and its number, its length or how many values follow. Text is not yet skipped.
static enum pack_kind pack_head(struct pack *p, uint64_t *out)
{
    if (p->at >= p->end) {
        return PACK_BAD;
    }
    unsigned char c = *p->at++;
    *out = c;
    if (c < 0x80 || c >= 0xe0) {
        return PACK_NUMBER;
    }
    if (c < 0xa0) {
        *out = c & 0xf;
        return c < 0x90 ? PACK_MAP : PACK_ARRAY;
    }
    if (c < 0xc0) {
        *out = c & 0x1f;
        return PACK_TEXT;
    }
    switch (c) {
    case 0xc4:
    case 0xd9: *out = big_endian(p, 1); return PACK_TEXT;
    case 0xc5:
    case 0xda: *out = big_endian(p, 2); return PACK_TEXT;
    case 0xc6:
    case 0xdb: *out = big_endian(p, 4); return PACK_TEXT;
    case 0xcc:
    case 0xd0: *out = big_endian(p, 1); return PACK_NUMBER;
    case 0xcd:
    case 0xd1: *out = big_endian(p, 2); return PACK_NUMBER;
    case 0xce:
    case 0xd2:
    case 0xca: *out = big_endian(p, 4); return PACK_NUMBER;
    case 0xcf:
    case 0xd3:
    case 0xcb: *out = big_endian(p, 8); return PACK_NUMBER;
    case 0xdc: *out = big_endian(p, 2); return PACK_ARRAY;
    case 0xdd: *out = big_endian(p, 4); return PACK_ARRAY;
    case 0xde: *out = big_endian(p, 2); return PACK_MAP;
    case 0xdf: *out = big_endian(p, 4); return PACK_MAP;
    default: return PACK_OTHER; // nil and the truth values
    }
}

static void pack_skip(struct pack *p)
{
    uint64_t count;
    enum pack_kind kind = pack_head(p, &count);
    if (kind == PACK_TEXT) {
        p->at = count <= (uint64_t)(p->end - p->at) ? p->at + count : p->end;
    }
    uint64_t values = kind == PACK_ARRAY ? count : kind == PACK_MAP ? 2 * count : 0;
    for (uint64_t i = 0; i < values && p->at < p->end; i++) {
        pack_skip(p);
    }
}

static bool pack_is(struct pack p, const char *text)
{
    uint64_t length;
    return pack_head(&p, &length) == PACK_TEXT && length == strlen(text) && length <= (uint64_t)(p.end - p.at) &&
           memcmp(p.at, text, length) == 0;
}

// The value of a key in the map at |p|; an empty one: there is none.
static struct pack pack_get(struct pack p, const char *key)
{
    uint64_t count = 0;
    if (pack_head(&p, &count) != PACK_MAP) {
        return (struct pack){0};
    }
    for (uint64_t i = 0; i < count && p.at < p.end; i++) {
        bool is_it = pack_is(p, key);
        pack_skip(&p);
        if (is_it) {
            return p;
        }
        pack_skip(&p);
    }
    return (struct pack){0};
}

static uint64_t pack_number(struct pack p)
{
    uint64_t value = 0;
    return pack_head(&p, &value) == PACK_NUMBER ? value : UINT64_MAX;
}

static struct pack metadata_of(const struct code_object *o)
{
    return (struct pack){o->bytes + o->metadata, o->bytes + o->metadata + o->metadata_size};
}

bool code_object_is_for(const struct code_object *o, const char *architecture)
{
    char target[64];
    snprintf(target, sizeof target, "amdgcn-amd-amdhsa--%s", architecture);
    return pack_is(pack_get(metadata_of(o), "amdhsa.target"), target);
}

static bool begins_with_hidden(struct pack kind)
{
    uint64_t length;
    return pack_head(&kind, &length) == PACK_TEXT && length > 7 && memcmp(kind.at, "hidden_", 7) == 0;
}

// The descriptor leads to the entry, which lies where code may run.
static bool check_descriptor(const struct code_object *o, const char *name)
{
    char descriptor_name[300];
    Elf64_Sym descriptor, entry;
    int64_t offset;
    snprintf(descriptor_name, sizeof descriptor_name, "%s.kd", name);
    if (!find_symbol(o, descriptor_name, &descriptor) || !find_symbol(o, name, &entry)) {
        return false;
    }
    const unsigned char *bytes = at(o, descriptor.st_value, DESCRIPTOR_SIZE, 0);
    if (bytes == NULL || descriptor.st_size != DESCRIPTOR_SIZE) {
        fprintf(stderr, "fake driver: %s is no kernel descriptor\n", descriptor_name);
        return false;
    }
    memcpy(&offset, bytes + DESCRIPTOR_ENTRY, sizeof offset);
    if (descriptor.st_value + (uint64_t)offset != entry.st_value || at(o, entry.st_value, 4, PF_X) == NULL) {
        fprintf(stderr, "fake driver: %s does not lead to %s\n", descriptor_name, name);
        return false;
    }
    return true;
}

bool code_object_params(const struct code_object *o, struct fake_function *function)
{
    struct pack kernels = pack_get(metadata_of(o), "amdhsa.kernels");
    uint64_t count = 0;
    if (!check_descriptor(o, function->name) || pack_head(&kernels, &count) != PACK_ARRAY) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++, pack_skip(&kernels)) {
        if (!pack_is(pack_get(kernels, ".name"), function->name)) {
            continue;
        }
        struct pack args = pack_get(kernels, ".args");
        uint64_t arg_count = 0;
        bool is_good = pack_head(&args, &arg_count) == PACK_ARRAY;
        for (uint64_t k = 0; is_good && k < arg_count; k++, pack_skip(&args)) {
            if (!begins_with_hidden(pack_get(args, ".value_kind"))) {
                fake_function_add_param(function, (uint32_t)pack_number(pack_get(args, ".offset")),
                                        (uint32_t)pack_number(pack_get(args, ".size")));
            }
        }
        function->max_block = (uint32_t)pack_number(pack_get(kernels, ".max_flat_workgroup_size"));
        return is_good;
    }
    return false;
}
