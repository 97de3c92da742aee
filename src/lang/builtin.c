// Names that only the parser knows: what no declaration in C could say, because its type follows the arguments.
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

// ---- rill_atomic_… -------------------------------------------------------------------------------------------------

struct atomic {
    const char *name;
    int value_count;
    bool integers_only;
};

static const struct atomic atomics[] = {
    {"rill_atomic_add", 1, false}, {"rill_atomic_sub", 1, false}, {"rill_atomic_mul", 1, false},
    {"rill_atomic_min", 1, false}, {"rill_atomic_max", 1, false}, {"rill_atomic_and", 1, true},
    {"rill_atomic_or", 1, true},   {"rill_atomic_xor", 1, true},  {"rill_atomic_exchange", 1, false},
    {"rill_atomic_cas", 2, false},
};

bool builtin_has_kernel_header(const struct parser *p)
{
    for (int i = 0; i < p->diags->file_count; i++) {
        const struct source_file *file = p->diags->files[i];
        const char *at = strstr(file->path, "rill/kernel.h");
        if (at != NULL && at[strlen("rill/kernel.h")] != '.') {
            return true;
        }
    }
    return false;
}

static struct object *unnamed_param(struct parser *p, struct type *type, int index, struct loc loc)
{
    struct object *param = declare_object_new(p, NULL, type, loc);
    param->kind = OBJECT_PARAM;
    param->index = index;
    return param;
}

// T f(T *, T…), for this one use.
static struct function *atomic_function(struct parser *p, const struct atomic *atomic, struct type *pointer,
                                        struct loc loc)
{
    assert(pointer->kind == TYPE_POINTER);
    struct type *value = type_unqualified(p->arena, pointer->base);
    struct type *type = type_function(p->arena, value);
    type->has_prototype = true;
    type->param_count = 1 + atomic->value_count;
    type->params = ARENA_ARRAY(p->arena, struct object *, type->param_count);
    for (int i = 0; i < type->param_count; i++) {
        type->params[i] = unnamed_param(p, i == 0 ? type_unqualified(p->arena, pointer) : value, i, loc);
    }
    struct function *function = ARENA_NEW(p->arena, struct function);
    function->name = atomic->name;
    function->type = type;
    function->loc = loc;
    function->params = type->params;
    function->param_count = type->param_count;
    function->is_builtin = true;
    return function;
}

static bool check_atomic_pointer(struct parser *p, const struct atomic *atomic, const struct expr *e)
{
    const struct type *type = e->type;
    if (expr_is_error(e)) {
        return false;
    }
    bool fits = type->kind == TYPE_POINTER && ((type_is_integer(type->base) && type->base->kind != TYPE_BOOL) ||
                                               (type_is_float(type->base) && type->base->kind != TYPE_LDOUBLE));
    if (!fits) {
        parse_error(p, e->loc, "'%s' needs a pointer to an integer, float or double, not '%s'", atomic->name,
                    parse_describe(p, type));
    } else if (atomic->integers_only && !type_is_integer(type->base)) {
        fits = false;
        parse_error(p, e->loc, "'%s' needs a pointer to an integer, not '%s'", atomic->name, parse_describe(p, type));
    } else if ((type->base->quals & QUAL_CONST) != 0) {
        fits = false;
        parse_error(p, e->loc, "'%s' changes what its first argument points to, but that is const", atomic->name);
    }
    return fits;
}

static struct expr *atomic_call(struct parser *p, const struct atomic *atomic, struct loc loc)
{
    if (!parse_expect(p, TOKEN_LPAREN, arena_printf(p->arena, "after '%s'", atomic->name))) {
        return expr_error(p, loc);
    }
    VEC(struct expr *) args = {0};
    do {
        struct expr *e = convert_decay(p, parse_assignment_expression(p));
        VEC_PUSH(p->arena, &args, e);
    } while (parse_accept(p, TOKEN_COMMA));
    parse_expect(p, TOKEN_RPAREN, "after the arguments");
    if (args.count != 1 + atomic->value_count) {
        parse_error(p, loc, "'%s' takes %d arguments, but %d %s given", atomic->name, 1 + atomic->value_count,
                    args.count, args.count == 1 ? "is" : "are");
        return expr_error(p, loc);
    }
    if (!check_atomic_pointer(p, atomic, args.items[0])) {
        return expr_error(p, loc);
    }
    struct function *function = atomic_function(p, atomic, args.items[0]->type, loc);
    for (int i = 1; i < args.count; i++) {
        const char *what = arena_printf(p->arena, "argument %d of '%s'", i + 1, atomic->name);
        args.items[i] = convert_assign(p, args.items[i], function->type->base, what);
        if (expr_is_error(args.items[i])) {
            return expr_error(p, loc);
        }
    }
    struct expr *e = expr_new(p, EXPR_CALL, function->type->base, loc);
    e->function = function;
    e->args = args.items;
    e->arg_count = args.count;
    return expr_finish(p, e);
}

// ---- offsetof ------------------------------------------------------------------------------------------------------

static bool offset_step(struct parser *p, struct type **type, uint64_t *offset)
{
    struct loc loc = parse_loc(p);
    if (parse_accept(p, TOKEN_LBRACKET)) {
        int64_t index;
        bool is_known = parse_integer_constant(p, "the index of offsetof", &index);
        parse_expect(p, TOKEN_RBRACKET, "after the index");
        if (!is_known || (*type)->kind != TYPE_ARRAY) {
            if (is_known) {
                parse_error(p, loc, "offsetof: '%s' is no array", parse_describe(p, *type));
            }
            return false;
        }
        *offset += (uint64_t)index * (*type)->base->size;
        *type = (*type)->base;
        return true;
    }
    const char *name = parse_identifier(p);
    if (name == NULL) {
        parse_syntax_error(p, "expected a member's name in offsetof");
        return false;
    }
    uint64_t inner = 0;
    const struct member *member = type_find_member(*type, name, &inner);
    if (member == NULL) {
        parse_error(p, loc, "'%s' has no member '%s'", parse_describe(p, *type), name);
        return false;
    }
    if (member->is_bitfield) {
        parse_error(p, loc, "offsetof: '%s' is a bit-field", name);
        return false;
    }
    *offset += inner + member->offset;
    *type = member->type;
    return true;
}

static struct expr *offsetof_expression(struct parser *p, struct loc loc)
{
    if (!parse_expect(p, TOKEN_LPAREN, "after 'offsetof'")) {
        return expr_error(p, loc);
    }
    struct type *type = declare_type_name(p);
    parse_expect(p, TOKEN_COMMA, "after the type in offsetof");
    if (!type_is_error(type) && (!type_is_record(type) || !type_is_complete(type))) {
        parse_error(p, loc, "offsetof needs a complete struct or union, not '%s'", parse_describe(p, type));
        type = &p->basic[TYPE_ERROR];
    }
    uint64_t offset = 0;
    bool is_good = !type_is_error(type) && offset_step(p, &type, &offset);
    while (is_good && (parse_at(p, TOKEN_LBRACKET) || parse_accept(p, TOKEN_DOT))) {
        is_good = offset_step(p, &type, &offset);
    }
    if (!is_good) {
        while (!parse_at(p, TOKEN_RPAREN) && !parse_at(p, TOKEN_SEMI) && !parse_at(p, TOKEN_EOF)) {
            parse_advance(p);
        }
    }
    parse_expect(p, TOKEN_RPAREN, "after offsetof");
    return is_good ? expr_int(p, TYPE_ULONG, offset, loc) : expr_error(p, loc);
}

// ---- all of them ---------------------------------------------------------------------------------------------------

static struct expr *function_name(struct parser *p, struct loc loc)
{
    const char *name = p->body != NULL ? p->body->function->name : "";
    struct expr *e = expr_string(p, name, strlen(name) + 1, loc);
    struct type *element = type_with_quals(p->arena, e->type->base, QUAL_CONST);
    e->type = type_array_of(p->arena, element, e->type->length);
    return e;
}

struct expr *builtin_expression(struct parser *p, const struct token *token)
{
    const char *name = parse_identifier_text(token);
    if (strcmp(name, "__func__") == 0 || strcmp(name, "__FUNCTION__") == 0 ||
        strcmp(name, "__PRETTY_FUNCTION__") == 0) {
        return function_name(p, token->loc);
    }
    struct expr *e = NULL;
    bool is_offsetof = strcmp(name, "__builtin_offsetof") == 0;
    const struct atomic *atomic = NULL;
    for (size_t i = 0; strncmp(name, "rill_atomic_", 12) == 0 && i < sizeof atomics / sizeof *atomics; i++) {
        atomic = strcmp(atomics[i].name, name) == 0 ? &atomics[i] : atomic;
    }
    if (!is_offsetof && strncmp(name, "__builtin_", 10) == 0) {
        struct expr *gnu = parse_enter(p) ? builtin_gnu_expression(p, name + 10, token->loc) : NULL;
        parse_leave(p);
        return gnu;
    }
    if (!is_offsetof && (atomic == NULL || !builtin_has_kernel_header(p))) {
        return NULL;
    }
    if (parse_enter(p)) {
        e = is_offsetof ? offsetof_expression(p, token->loc) : atomic_call(p, atomic, token->loc);
    }
    parse_leave(p);
    return e != NULL ? e : expr_error(p, token->loc);
}

struct type *builtin_type(struct parser *p, const char *name)
{
    // What gcc's own headers would call it; Rill's <stdarg.h> has a struct.
    return strcmp(name, "__builtin_va_list") == 0 ? type_pointer_to(p->arena, &p->basic[TYPE_VOID]) : NULL;
}
