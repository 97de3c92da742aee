// Library functions that a program declares by hand, as C allows, in place of including their header.
#include "lang/headers.h"
#include "lang/parse.h"

#include <stdio.h>
#include <string.h>

static char letter_of(const struct type *type)
{
    switch (type->kind) {
    case TYPE_INT: return 'i';
    case TYPE_LONG: return 'l';
    case TYPE_LLONG: return 'L';
    case TYPE_ULONG: return 'u';
    case TYPE_FLOAT: return 'f';
    case TYPE_DOUBLE: return 'd';
    case TYPE_POINTER: return type->base->kind == TYPE_VOID ? 'p' : type->base->kind == TYPE_CHAR ? 's' : '?';
    default: return '?';
    }
}

// Result and parameters, a letter each.
enum { SIGNATURE_SIZE = 8 };

static void signature_of(const struct type *type, char out[SIGNATURE_SIZE])
{
    int count = 0;
    out[count++] = letter_of(type->base);
    for (int i = 0; i < type->param_count && count < SIGNATURE_SIZE - 2; i++) {
        out[count++] = letter_of(type->params[i]->type);
    }
    if (type->is_variadic) {
        out[count++] = '.';
    }
    out[count] = '\0';
}

// math.h declares most of its functions by a macro: __RILL_MATH_2(pow).
static bool is_in_math_header(const char *name, int name_length, int param_count)
{
    char text[64];
    const struct builtin_header *header = headers_find("math.h");
    int length = snprintf(text, sizeof text, "__RILL_MATH_%d(%.*s)\n", param_count, name_length, name);
    return header != NULL && length < (int)sizeof text && strstr(header->text, text) != NULL;
}

static bool is_math(const char *name, const char *signature)
{
    size_t length = strlen(name);
    int param_count = (int)strlen(signature) - 1;
    if (strspn(signature, "d") == strlen(signature)) {
        return is_in_math_header(name, (int)length, param_count);
    }
    return strspn(signature, "f") == strlen(signature) && length > 1 && name[length - 1] == 'f' &&
           is_in_math_header(name, (int)length - 1, param_count);
}

// Those of numbers alone: their count of parameters, 0 if it is none of them.
int builtin_math_params(const char *name, bool *out_is_float)
{
    size_t length = strlen(name);
    if (strcmp(name, "fma") == 0 || strcmp(name, "fmaf") == 0) {
        *out_is_float = length == 4;
        return 3;
    }
    for (int count = 1; count <= 2; count++) {
        *out_is_float = false;
        if (is_in_math_header(name, (int)length, count)) {
            return count;
        }
        *out_is_float = true;
        if (length > 1 && name[length - 1] == 'f' && is_in_math_header(name, (int)length - 1, count)) {
            return count;
        }
    }
    return 0;
}

void builtin_adopt(struct function *function)
{
    static const struct {
        const char *name;
        const char *signature;
    } table[] = {
        {"memcpy", "pppu"}, {"memmove", "pppu"}, {"memset", "ppiu"}, {"memcmp", "ippu"}, {"abs", "ii"},
        {"labs", "ll"},     {"llabs", "LL"},     {"printf", "is."},  {"fma", "dddd"},    {"fmaf", "ffff"},
    };
    bool is_settled = function->is_builtin || function->is_static || function->body != NULL;
    if (is_settled || !function->type->has_prototype) {
        return;
    }
    char signature[SIGNATURE_SIZE];
    signature_of(function->type, signature);
    bool is_known = is_math(function->name, signature);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        is_known |= strcmp(table[i].name, function->name) == 0 && strcmp(table[i].signature, signature) == 0;
    }
    function->is_builtin |= is_known;
}
