#include "lang/types.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

// A record remembers the copies of its type that were made before it was complete (qualified ones, typedefs), so that
// their size can be set when it is known.
struct open_record {
    struct record record; // first, so that the two convert
    VEC(struct type *) copies;
};

static void remember_copy(struct arena *arena, struct type *type)
{
    if (type->record != NULL && !type->record->is_complete) {
        struct open_record *open = (struct open_record *)type->record;
        VEC_PUSH(arena, &open->copies, type);
    }
}

struct type *type_copy(struct arena *arena, const struct type *type)
{
    struct type *copy = ARENA_NEW(arena, struct type);
    *copy = *type;
    remember_copy(arena, copy);
    return copy;
}

int type_depth(const struct type *type)
{
    return type->record != NULL ? type->record->depth : type->depth;
}

struct type *type_pointer_to(struct arena *arena, struct type *base)
{
    assert(base != NULL);
    struct type *type = ARENA_NEW(arena, struct type);
    type->kind = TYPE_POINTER;
    type->size = 8;
    type->align = 8;
    type->base = base;
    type->depth = 1 + (base->record != NULL ? 0 : base->depth);
    return type;
}

bool type_array_fits(const struct type *element, int64_t length)
{
    return length < 0 || element->size == 0 || (uint64_t)length <= TYPE_MAX_SIZE / element->size;
}

struct type *type_array_of(struct arena *arena, struct type *element, int64_t length)
{
    assert(type_array_fits(element, length)); // callers have asked, and said so to the user
    struct type *type = ARENA_NEW(arena, struct type);
    type->kind = TYPE_ARRAY;
    type->base = element;
    type->length = length;
    type->align = element->align;
    type->size = length > 0 ? (uint64_t)length * element->size : 0;
    type->depth = 1 + type_depth(element);
    return type;
}

struct type *type_function(struct arena *arena, struct type *result)
{
    struct type *type = ARENA_NEW(arena, struct type);
    type->kind = TYPE_FUNCTION;
    type->base = result;
    type->align = 1;
    type->depth = 1 + (result->record != NULL ? 0 : result->depth);
    return type;
}

struct type *type_complex(struct arena *arena, struct type *real)
{
    assert(type_is_float(real) || type_is_error(real));
    struct type *type = ARENA_NEW(arena, struct type);
    type->kind = TYPE_COMPLEX;
    type->base = real;
    type->size = 2 * real->size;
    type->align = real->align;
    return type;
}

unsigned type_quals(const struct type *type)
{
    while (type->kind == TYPE_ARRAY) {
        type = type->base;
    }
    return type->quals;
}

struct type *type_with_quals(struct arena *arena, struct type *type, unsigned quals)
{
    if ((type_quals(type) | quals) == type_quals(type) || type->kind == TYPE_ERROR) {
        return type;
    }
    struct type *copy = type_copy(arena, type);
    if (type->kind == TYPE_ARRAY) {
        copy->base = type_with_quals(arena, type->base, quals);
    } else {
        copy->quals |= quals;
    }
    return copy;
}

struct type *type_unqualified(struct arena *arena, struct type *type)
{
    if (type->quals == 0) {
        return type;
    }
    struct type *copy = type_copy(arena, type);
    copy->quals = 0;
    return copy;
}

struct type *type_record_new(struct arena *arena, bool is_union, const char *tag, struct loc loc)
{
    struct open_record *open = ARENA_NEW(arena, struct open_record);
    open->record.tag = tag;
    open->record.is_union = is_union;
    open->record.loc = loc;
    open->record.align = 1;
    struct type *type = ARENA_NEW(arena, struct type);
    type->kind = is_union ? TYPE_UNION : TYPE_STRUCT;
    type->record = &open->record;
    type->align = 1;
    remember_copy(arena, type);
    return type;
}

void type_record_complete(struct record *record)
{
    assert(!record->is_complete); // its copies are told once
    struct open_record *open = (struct open_record *)record;
    record->is_complete = true;
    for (int i = 0; i < record->member_count; i++) {
        const struct type *member = record->members[i].type;
        record->depth = type_depth(member) > record->depth ? type_depth(member) : record->depth;
        record->has_const_member |= (type_quals(member) & QUAL_CONST) != 0 || type_has_const_member(member);
        record->has_pointer |= type_has_pointer(member);
    }
    record->depth++;
    for (int i = 0; i < open->copies.count; i++) {
        struct type *copy = open->copies.items[i];
        copy->size = record->size;
        copy->align = record->align > copy->align ? record->align : copy->align;
    }
}

uint64_t type_size(const struct type *type)
{
    return type->record != NULL ? type->record->size : type->size;
}

bool type_is_error(const struct type *type)
{
    return type->kind == TYPE_ERROR;
}

bool type_is_void(const struct type *type)
{
    return type->kind == TYPE_VOID;
}

bool type_is_integer(const struct type *type)
{
    return type->kind >= TYPE_BOOL && type->kind <= TYPE_ENUM;
}

bool type_is_float(const struct type *type)
{
    return type->kind >= TYPE_BF16 && type->kind <= TYPE_LDOUBLE;
}

bool type_is_real(const struct type *type)
{
    return type->kind >= TYPE_BOOL && type->kind <= TYPE_LDOUBLE;
}

bool type_is_arithmetic(const struct type *type)
{
    return type->kind >= TYPE_BOOL && type->kind <= TYPE_COMPLEX;
}

bool type_is_scalar(const struct type *type)
{
    return type->kind >= TYPE_BOOL && type->kind <= TYPE_POINTER;
}

bool type_is_signed(const struct type *type)
{
    if (type->kind == TYPE_ENUM) {
        type = type->base;
    }
    switch (type->kind) {
    case TYPE_CHAR:
    case TYPE_SCHAR:
    case TYPE_SHORT:
    case TYPE_INT:
    case TYPE_LONG:
    case TYPE_LLONG: return true;
    default: return false;
    }
}

bool type_is_record(const struct type *type)
{
    return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}

bool type_is_variable(const struct type *type)
{
    for (; type->kind == TYPE_ARRAY; type = type->base) {
        if (type->length == TYPE_LENGTH_VARIABLE) {
            return true;
        }
    }
    return false;
}

bool type_is_complete(const struct type *type)
{
    while (type->kind == TYPE_ARRAY) {
        if (type->length == TYPE_LENGTH_UNKNOWN) {
            return false;
        }
        type = type->base;
    }
    if (type_is_record(type)) {
        return type->record->is_complete;
    }
    return type->kind != TYPE_VOID && type->kind != TYPE_FUNCTION;
}

bool type_is_pointer_to(const struct type *type, enum type_kind kind)
{
    return type->kind == TYPE_POINTER && type->base->kind == kind;
}

bool type_is_char(const struct type *type)
{
    return type->kind == TYPE_CHAR || type->kind == TYPE_SCHAR || type->kind == TYPE_UCHAR;
}

int type_int_bits(const struct type *type)
{
    assert(type_is_integer(type));
    return type->kind == TYPE_BOOL ? 1 : (int)type->size * 8;
}

static const struct type *element_of(const struct type *type)
{
    while (type->kind == TYPE_ARRAY) {
        type = type->base;
    }
    return type;
}

bool type_has_const_member(const struct type *type)
{
    type = element_of(type);
    return type->record != NULL && type->record->has_const_member;
}

bool type_has_pointer(const struct type *type)
{
    type = element_of(type);
    return type->kind == TYPE_POINTER || (type->record != NULL && type->record->has_pointer);
}

const struct member *type_find_member(const struct type *type, const char *name, uint64_t *out_offset)
{
    if (!type_is_record(type)) {
        return NULL;
    }
    for (int i = 0; i < type->record->member_count; i++) {
        const struct member *member = &type->record->members[i];
        if (member->name != NULL) {
            if (strcmp(member->name, name) == 0) {
                return member;
            }
            continue;
        }
        uint64_t offset = *out_offset + member->offset;
        const struct member *inner = type_find_member(member->type, name, &offset);
        if (inner != NULL) {
            *out_offset = offset;
            return inner;
        }
    }
    return NULL;
}

// ---- compatibility -------------------------------------------------------------------------------------------------

// Function types may share parts, and comparing two such webs could take exponential time: after so many steps they are
// called compatible.
enum { MAX_COMPARE_STEPS = 100000 };

static bool compatible(const struct type *a, const struct type *b, int *steps);

static bool identical(const struct type *a, const struct type *b, int *steps)
{
    return type_quals(a) == type_quals(b) && compatible(a, b, steps);
}

static bool promotes_to_itself(const struct type *type)
{
    return !(type_is_float(type) && type->size < 8) && !(type_is_integer(type) && type->size < 4);
}

static bool functions_compatible(const struct type *a, const struct type *b, int *steps)
{
    if (!identical(a->base, b->base, steps)) {
        return false;
    }
    if (!a->has_prototype || !b->has_prototype) {
        const struct type *with = a->has_prototype ? a : b;
        for (int i = 0; i < with->param_count && with->has_prototype; i++) {
            if (!promotes_to_itself(with->params[i]->type)) {
                return false;
            }
        }
        return !with->is_variadic;
    }
    if (a->param_count != b->param_count || a->is_variadic != b->is_variadic) {
        return false;
    }
    for (int i = 0; i < a->param_count; i++) {
        // Top-level qualifiers of a parameter are its body's business.
        if (!compatible(a->params[i]->type, b->params[i]->type, steps)) {
            return false;
        }
    }
    return true;
}

static bool enum_compatible(const struct type *a, const struct type *b)
{
    if (a->kind == TYPE_ENUM && b->kind == TYPE_ENUM) {
        return a->base == b->base; // each enum has a base of its own
    }
    return a->kind == TYPE_ENUM ? a->base->kind == b->kind : b->base->kind == a->kind;
}

static bool compatible(const struct type *a, const struct type *b, int *steps)
{
    for (;;) {
        if (a == b || a->kind == TYPE_ERROR || b->kind == TYPE_ERROR || ++*steps > MAX_COMPARE_STEPS) {
            return true;
        }
        if (a->kind == TYPE_ENUM || b->kind == TYPE_ENUM) {
            return enum_compatible(a, b);
        }
        if (a->kind != b->kind) {
            return false;
        }
        switch (a->kind) {
        case TYPE_ARRAY:
            if (a->length >= 0 && b->length >= 0 && a->length != b->length) {
                return false;
            }
            break;
        case TYPE_POINTER:
            if (type_quals(a->base) != type_quals(b->base)) {
                return false;
            }
            break;
        case TYPE_FUNCTION: return functions_compatible(a, b, steps);
        case TYPE_STRUCT:
        case TYPE_UNION: return a->record == b->record;
        case TYPE_COMPLEX: break;
        default: return true;
        }
        a = a->base;
        b = b->base;
    }
}

bool type_compatible(const struct type *a, const struct type *b)
{
    int steps = 0;
    return compatible(a, b, &steps);
}

bool type_identical(const struct type *a, const struct type *b)
{
    return type_quals(a) == type_quals(b) && type_compatible(a, b);
}

struct type *type_composite(struct arena *arena, struct type *a, struct type *b)
{
    if (a == b || a->kind != b->kind) {
        return a;
    }
    struct type *base = NULL;
    switch (a->kind) {
    case TYPE_ARRAY: {
        // A constant length says most, then a variable one.
        struct type *more = a->length >= 0 || b->length == TYPE_LENGTH_UNKNOWN ? a : b;
        base = type_composite(arena, a->base, b->base);
        if (base == more->base) {
            return more;
        }
        struct type *array = type_array_of(arena, base, more->length);
        array->extent = more->extent;
        return array;
    }
    case TYPE_POINTER: base = type_composite(arena, a->base, b->base); break;
    case TYPE_FUNCTION: return a->has_prototype ? a : b;
    default: return a;
    }
    if (base == a->base) {
        return a;
    }
    struct type *copy = type_copy(arena, a);
    copy->base = base;
    return copy;
}
