// Types in words, as C would declare them: the text grows from the inside (where a name would stand) outwards.
#include "lang/types.h"

#include "base/str.h"

#include <string.h>

// A type may name others many times over; what is said of it stays readable.
enum { MAX_TEXT = 240, MAX_PARTS = 100 };

static const char *const kind_names[] = {
    [TYPE_ERROR] = "(unknown)",
    [TYPE_VOID] = "void",
    [TYPE_BOOL] = "_Bool",
    [TYPE_CHAR] = "char",
    [TYPE_SCHAR] = "signed char",
    [TYPE_UCHAR] = "unsigned char",
    [TYPE_SHORT] = "short",
    [TYPE_USHORT] = "unsigned short",
    [TYPE_INT] = "int",
    [TYPE_UINT] = "unsigned int",
    [TYPE_LONG] = "long",
    [TYPE_ULONG] = "unsigned long",
    [TYPE_LLONG] = "long long",
    [TYPE_ULLONG] = "unsigned long long",
    [TYPE_BF16] = "__bf16",
    [TYPE_F16] = "_Float16",
    [TYPE_FLOAT] = "float",
    [TYPE_DOUBLE] = "double",
    [TYPE_LDOUBLE] = "long double",
    [TYPE_STRUCT] = "struct",
    [TYPE_UNION] = "union",
};

static void add_quals(struct str *out, unsigned quals)
{
    str_add(out, (quals & QUAL_CONST) != 0 ? "const " : "");
    str_add(out, (quals & QUAL_VOLATILE) != 0 ? "volatile " : "");
    str_add(out, (quals & QUAL_RESTRICT) != 0 ? "restrict " : "");
}

static const char *describe_leaf(struct arena *arena, const struct type *type)
{
    struct str out;
    str_init(&out, arena);
    add_quals(&out, type_quals(type));
    if (type->typedef_name != NULL) {
        str_add(&out, type->typedef_name);
    } else if (type->kind == TYPE_ENUM) {
        str_printf(&out, "enum %s", type->enum_tag != NULL ? type->enum_tag : "(unnamed)");
    } else if (type_is_record(type) && type->record->lane_count > 0) {
        const struct type *lane = type->record->members[0].type->base;
        str_printf(&out, "vector of %d %s", type->record->lane_count, kind_names[lane->kind]);
    } else if (type_is_record(type) && type->record->is_complex) {
        str_printf(&out, "%s _Complex", kind_names[type->record->members[0].type->kind]);
    } else if (type_is_record(type)) {
        str_printf(&out, "%s %s", kind_names[type->kind], type->record->tag != NULL ? type->record->tag : "(unnamed)");
    } else if (type->kind == TYPE_COMPLEX) {
        str_printf(&out, "%s _Complex", kind_names[type->base->kind]);
    } else {
        str_add(&out, kind_names[type->kind]);
    }
    return str_text(&out);
}

static const char *describe_extent(struct arena *arena, const struct type *type)
{
    if (type->length >= 0) {
        return arena_printf(arena, "[%lld]", (long long)type->length);
    }
    if (type->length == TYPE_LENGTH_UNKNOWN) {
        return "[]";
    }
    const struct expr *extent = type->extent;
    while (extent != NULL && extent->kind == EXPR_CAST) {
        extent = extent->a;
    }
    if (extent == NULL) {
        return "[*]";
    }
    bool is_name = extent->kind == EXPR_OBJECT && extent->object->name != NULL;
    return arena_printf(arena, "[%s]", is_name ? extent->object->name : "...");
}

static const char *describe(struct arena *arena, const struct type *type, const char *inner, int *parts);

static const char *describe_function(struct arena *arena, const struct type *type, const char *inner, int *parts)
{
    struct str out;
    str_init(&out, arena);
    str_printf(&out, "%s(", inner);
    for (int i = 0; i < type->param_count && out.length < MAX_TEXT; i++) {
        str_printf(&out, "%s%s", i > 0 ? ", " : "", describe(arena, type->params[i]->type, "", parts));
    }
    if (type->is_variadic) {
        str_add(&out, type->param_count > 0 ? ", ..." : "...");
    } else if (type->has_prototype && type->param_count == 0) {
        str_add(&out, "void");
    }
    str_add_char(&out, ')');
    return describe(arena, type->base, str_text(&out), parts);
}

static const char *describe_pointer(struct arena *arena, const struct type *type, const char *inner, int *parts)
{
    struct str out;
    str_init(&out, arena);
    bool wraps =
        type->base->typedef_name == NULL && (type->base->kind == TYPE_ARRAY || type->base->kind == TYPE_FUNCTION);
    str_add(&out, wraps ? "(*" : "*");
    add_quals(&out, type->quals);
    if (*inner == '\0' && out.text[out.length - 1] == ' ') {
        out.text[--out.length] = '\0';
    }
    str_add(&out, inner);
    str_add(&out, wraps ? ")" : "");
    return describe(arena, type->base, str_text(&out), parts);
}

static const char *describe(struct arena *arena, const struct type *type, const char *inner, int *parts)
{
    if (strlen(inner) > MAX_TEXT || --*parts < 0) {
        return "...";
    }
    if (type->typedef_name == NULL) {
        switch (type->kind) {
        case TYPE_POINTER: return describe_pointer(arena, type, inner, parts);
        case TYPE_ARRAY:
            return describe(arena, type->base, arena_printf(arena, "%s%s", inner, describe_extent(arena, type)), parts);
        case TYPE_FUNCTION: return describe_function(arena, type, inner, parts);
        default: break;
        }
    }
    const char *leaf = describe_leaf(arena, type);
    return *inner == '\0' ? leaf : arena_printf(arena, "%s %s", leaf, inner);
}

const char *type_describe(struct arena *arena, const struct type *type)
{
    int parts = MAX_PARTS;
    return describe(arena, type, "", &parts);
}
