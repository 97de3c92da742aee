// C's types as the IR and the host see them.
#include "lower/internal.h"

#include <assert.h>

enum ir_type lower_type(const struct type *type)
{
    switch (type->kind) {
    case TYPE_BOOL:
    case TYPE_CHAR:
    case TYPE_SCHAR:
    case TYPE_UCHAR: return IR_I8;
    case TYPE_SHORT:
    case TYPE_USHORT: return IR_I16;
    case TYPE_INT:
    case TYPE_UINT: return IR_I32;
    case TYPE_LONG:
    case TYPE_ULONG:
    case TYPE_LLONG:
    case TYPE_ULLONG: return IR_I64;
    case TYPE_ENUM: return lower_type(type->base);
    case TYPE_BF16: return IR_BF16;
    case TYPE_F16: return IR_F16;
    case TYPE_FLOAT: return IR_F32;
    case TYPE_DOUBLE: return IR_F64;
    case TYPE_POINTER: return IR_PTR;
    default: return IR_VOID;
    }
}

bool lower_is_unsigned(const struct type *type)
{
    return type_is_integer(type) && !type_is_signed(type);
}

static const char *scalar_name(const struct type *type)
{
    switch (type->kind) {
    case TYPE_BOOL: return "_Bool";
    case TYPE_CHAR: return "char";
    case TYPE_SCHAR: return "signed char";
    case TYPE_UCHAR: return "unsigned char";
    case TYPE_SHORT: return "short";
    case TYPE_USHORT: return "unsigned short";
    case TYPE_INT: return "int";
    case TYPE_UINT: return "unsigned int";
    case TYPE_LONG: return "long";
    case TYPE_ULONG: return "unsigned long";
    case TYPE_LLONG: return "long long";
    case TYPE_ULLONG: return "unsigned long long";
    case TYPE_BF16: return "__bf16";
    case TYPE_F16: return "_Float16";
    case TYPE_FLOAT: return "float";
    case TYPE_DOUBLE: return "double";
    default: return "void";
    }
}

static struct ir_ctype *record_ctype(struct lower *l, const struct type *type)
{
    assert(type_is_record(type));
    const struct record *record = type->record;
    struct ir_ctype *known = pointer_map_get(&l->ctypes, record);
    if (known != NULL) {
        return known;
    }
    struct ir_ctype *c = ARENA_NEW(l->arena, struct ir_ctype);
    pointer_map_set(l->arena, &l->ctypes, record, c); // before its members: a record may point to itself
    c->kind = IR_CTYPE_RECORD;
    c->is_union = record->is_union;
    const char *word = record->is_union ? "union" : "struct";
    if (record->is_complex) {
        c->name = record->members[0].type->kind == TYPE_FLOAT ? "float _Complex" : "double _Complex";
    } else if (record->tag != NULL) {
        c->name = arena_printf(l->arena, "%s %s", word, record->tag);
    } else {
        c->name = type->typedef_name != NULL ? type->typedef_name : word;
    }
    c->size = record->size;
    c->align = record->align;
    c->members = ARENA_ARRAY(l->arena, struct ir_cmember, record->member_count);
    c->member_count = record->member_count;
    for (int i = 0; i < record->member_count; i++) {
        const struct member *member = &record->members[i];
        c->members[i] = (struct ir_cmember){.name = member->name != NULL ? member->name : "",
                                            .type = lower_ctype(l, member->type),
                                            .offset = member->offset,
                                            .bit_offset = member->is_bitfield ? member->bit_offset : -1,
                                            .bit_width = member->is_bitfield ? member->bit_width : 0};
    }
    return c;
}

struct ir_ctype *lower_ctype(struct lower *l, const struct type *type)
{
    if (type_is_record(type)) {
        return record_ctype(l, type);
    }
    bool is_shared = type->kind < TYPE_POINTER && type->kind != TYPE_ENUM;
    if (is_shared && l->scalars[type->kind] != NULL) {
        return l->scalars[type->kind];
    }
    struct ir_ctype *c = ARENA_NEW(l->arena, struct ir_ctype);
    if (is_shared) {
        l->scalars[type->kind] = c;
    }
    c->size = type->size;
    c->align = type->align;
    if (type->kind == TYPE_POINTER) {
        c->kind = IR_CTYPE_POINTER;
        c->name = type_describe(l->arena, type);
        c->scalar = IR_PTR;
        // What a function pointer points to has no layout; nor does the host ever look through it.
        c->element = type->base->kind == TYPE_FUNCTION ? NULL : lower_ctype(l, type->base);
    } else if (type->kind == TYPE_ARRAY) {
        c->kind = IR_CTYPE_ARRAY;
        c->name = type_describe(l->arena, type);
        c->element = lower_ctype(l, type->base);
        c->length = type->length;
    } else {
        c->kind = IR_CTYPE_SCALAR;
        c->name = scalar_name(type->kind == TYPE_ENUM ? type->base : type);
        c->scalar = lower_type(type);
        c->is_unsigned = lower_is_unsigned(type);
        c->is_bool = type->kind == TYPE_BOOL;
    }
    return c;
}

// Looks through arrays and members, not through pointers: what is pointed to is met when it is used.
const struct type *lower_refused_type(const struct type *type, const char **out_why)
{
    switch (type->kind) {
    case TYPE_LDOUBLE: *out_why = "long double"; return type;
    case TYPE_COMPLEX: *out_why = "long double"; return type;
    case TYPE_POINTER:
        if (type->base->kind == TYPE_FUNCTION) {
            *out_why = "a function pointer";
            return type;
        }
        return NULL;
    case TYPE_ARRAY: return lower_refused_type(type->base, out_why);
    case TYPE_STRUCT:
    case TYPE_UNION:
        for (int i = 0; i < type->record->member_count; i++) {
            const struct type *found = lower_refused_type(type->record->members[i].type, out_why);
            if (found != NULL) {
                return found;
            }
        }
        return NULL;
    default: return NULL;
    }
}
