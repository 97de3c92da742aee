#include "runtime/package_types.h"

#include <assert.h>
#include <string.h>

void package_types_init(struct package_types *types, struct str *out, struct arena *arena)
{
    *types = (struct package_types){.out = out};
    hash_map_init(&types->done, arena);
}

// ---- layout -------------------------------------------------------------------------------------------------------

static bool is_named(const struct ir_ctype *record)
{
    return record->name != NULL && strcmp(record->name, "struct") != 0 && strcmp(record->name, "union") != 0;
}

// Whether a plain compiler gives the members the places that they have: no attribute has moved them.
static bool is_laid_out_plainly(const struct ir_ctype *record)
{
    uint64_t end = 0;
    uint32_t alignment = 1;
    bool has_bits = false;
    for (int i = 0; i < record->member_count; i++) {
        const struct ir_cmember *member = &record->members[i];
        uint32_t own = member->type->align > 0 ? member->type->align : 1;
        alignment = own > alignment ? own : alignment;
        has_bits |= member->bit_offset >= 0;
        uint64_t expected = record->is_union ? 0 : (end + own - 1) / own * own;
        if (member->bit_offset < 0 && !has_bits && member->offset != expected) {
            return false;
        }
        end = member->offset + member->type->size;
    }
    return alignment == record->align; // the size is asserted in the header
}

static const struct ir_ctype *element_of(const struct ir_ctype *type)
{
    while (type->kind == IR_CTYPE_ARRAY) {
        type = type->element;
    }
    return type;
}

static bool has_words(const struct ir_ctype *record, int depth)
{
    enum { DEEPEST = 64 };
    if (depth > DEEPEST || record->member_count == 0 || !is_laid_out_plainly(record)) {
        return false;
    }
    for (int i = 0; i < record->member_count; i++) {
        const struct ir_ctype *type = record->members[i].type;
        const struct ir_ctype *element = element_of(type);
        bool is_plain = element->kind == IR_CTYPE_SCALAR || element->kind == IR_CTYPE_POINTER ||
                        (element->kind == IR_CTYPE_RECORD && has_words(element, depth + 1));
        bool has_extent = type->kind != IR_CTYPE_ARRAY || type->length > 0;
        if (!is_plain || !has_extent) {
            return false;
        }
    }
    return true;
}

bool package_type_has_words(const struct ir_ctype *record)
{
    return record != NULL && record->kind == IR_CTYPE_RECORD && is_named(record) && has_words(record, 0);
}

// ---- words --------------------------------------------------------------------------------------------------------

static const char *scalar_words(const struct ir_ctype *type)
{
    switch (type->scalar) {
    case IR_F16:
    case IR_BF16: return "uint16_t"; // its bits: not every compiler has the type
    default: return type->is_bool ? "bool" : type->name;
    }
}

static void put_members(struct package_types *types, const struct ir_ctype *record, int depth);

static void indent(struct package_types *types, int depth)
{
    str_printf(types->out, "%*s", 4 * depth, "");
}

static void put_member(struct package_types *types, const struct ir_cmember *member, int depth)
{
    const struct ir_ctype *element = element_of(member->type);
    indent(types, depth);
    if (element->kind == IR_CTYPE_RECORD && !is_named(element)) {
        str_printf(types->out, "%s%s {\n", member->name[0] == '\0' ? "__extension__ " : "",
                   element->is_union ? "union" : "struct");
        put_members(types, element, depth + 1);
        indent(types, depth);
        str_add(types->out, "}");
    } else {
        str_add(types->out, element->kind == IR_CTYPE_SCALAR    ? scalar_words(element)
                            : element->kind == IR_CTYPE_POINTER ? "void *"
                                                                : element->name);
    }
    if (member->name[0] != '\0') {
        str_printf(types->out, " %s", member->name);
    }
    for (const struct ir_ctype *type = member->type; type->kind == IR_CTYPE_ARRAY; type = type->element) {
        str_printf(types->out, "[%lld]", (long long)type->length);
    }
    if (member->bit_offset >= 0) {
        str_printf(types->out, " : %d", member->bit_width);
    }
    str_add(types->out, ";\n");
}

static void put_members(struct package_types *types, const struct ir_ctype *record, int depth)
{
    for (int i = 0; i < record->member_count; i++) {
        put_member(types, &record->members[i], depth);
    }
}

// Which declaration it is: two headers that have the same one leave it to the first.
static uint64_t digest_of(uint64_t hash, const struct ir_ctype *type)
{
    uint64_t words[] = {(uint64_t)type->kind, (uint64_t)type->scalar, type->size, type->align, type->is_union};
    hash = hash_bytes(hash, words, sizeof words);
    hash = type->name != NULL ? hash_bytes(hash, type->name, strlen(type->name)) : hash;
    for (int i = 0; type->kind == IR_CTYPE_RECORD && i < type->member_count; i++) {
        const struct ir_cmember *member = &type->members[i];
        int64_t place[] = {(int64_t)member->offset, member->bit_offset, member->bit_width};
        hash = hash_bytes(hash, place, sizeof place);
        hash = digest_of(hash_bytes(hash, member->name, strlen(member->name)), member->type);
    }
    return type->kind == IR_CTYPE_ARRAY ? digest_of(hash, type->element) : hash;
}

static bool has_tag(const struct ir_ctype *record)
{
    return strchr(record->name, ' ') != NULL; // "struct particle"
}

static void put_record(struct package_types *types, const struct ir_ctype *record)
{
    const char *space = strchr(record->name, ' ');
    const char *word = space != NULL ? space + 1 : record->name;
    unsigned long long digest = digest_of(HASH_SEED, record);
    str_printf(types->out, "#ifndef RILL_TYPE_%s_%016llx\n#define RILL_TYPE_%s_%016llx\n", word, digest, word, digest);
    if (has_tag(record)) {
        str_printf(types->out, "%s {\n", record->name);
    } else {
        str_printf(types->out, "typedef %s {\n", record->is_union ? "union" : "struct");
    }
    put_members(types, record, 1);
    str_printf(types->out, has_tag(record) ? "};\n" : "} %s;\n", record->name);
    str_add(types->out, "#endif\n");
}

static void declare_inside(struct package_types *types, const struct ir_ctype *record)
{
    for (int i = 0; i < record->member_count; i++) {
        const struct ir_ctype *element = element_of(record->members[i].type);
        if (element->kind == IR_CTYPE_RECORD && is_named(element)) {
            package_types_declare(types, element);
        } else if (element->kind == IR_CTYPE_RECORD) {
            declare_inside(types, element);
        }
    }
}

void package_types_declare(struct package_types *types, const struct ir_ctype *record)
{
    assert(is_named(record));
    size_t length = strlen(record->name);
    if (hash_map_get(&types->done, record->name, length) == NULL) {
        hash_map_set(&types->done, record->name, length, (void *)(uintptr_t)record);
        declare_inside(types, record);
        put_record(types, record);
    }
}

void package_types_assert(struct package_types *types, const char *name, const struct ir_ctype *record)
{
    const char *space = strchr(record->name, ' ');
    str_printf(types->out, "typedef char %s_has_%s_as_the_kernels_do_[sizeof(%s) == %llu ? 1 : -1];\n", name,
               space != NULL ? space + 1 : record->name, record->name, (unsigned long long)record->size);
}
