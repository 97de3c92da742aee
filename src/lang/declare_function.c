// Functions: what is declared, what a definition adds, and what a kernel must be like.
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

// ---- declarations --------------------------------------------------------------------------------------------------

static struct function *new_function(struct parser *p, const struct specifiers *specifiers, const struct declarator *d)
{
    assert(d->name != NULL && (d->type->kind == TYPE_FUNCTION || type_is_error(d->type)));
    struct function *function = ARENA_NEW(p->arena, struct function);
    function->name = d->name;
    function->type = d->type;
    function->loc = d->loc;
    function->is_kernel = specifiers->is_kernel;
    function->is_inline = specifiers->is_inline;
    function->is_static = specifiers->storage == STORAGE_STATIC;
    function->is_noreturn = specifiers->attributes.is_noreturn || d->attributes.is_noreturn;
    function->is_builtin = parse_in_builtin_header(p, d->loc);
    VEC_PUSH(p->arena, &p->functions, function);
    return function;
}

static struct function *merge_function(struct parser *p, struct function *function, const struct specifiers *specifiers,
                                       const struct declarator *d)
{
    if (!type_compatible(function->type, d->type)) {
        parse_error(p, d->loc, "'%s' is declared as '%s' here", d->name, parse_describe(p, d->type));
        if (!parse_in_builtin_header(p, function->loc)) {
            parse_note(p, function->loc, "and as '%s' here", parse_describe(p, function->type));
        }
        return new_function(p, specifiers, d);
    }
    if (specifiers->storage == STORAGE_STATIC && !function->is_static) {
        parse_error(p, d->loc, "'%s' is static here but was not before", d->name);
        parse_note(p, function->loc, "the first declaration");
    }
    function->type = type_composite(p->arena, function->type, d->type);
    function->is_kernel |= specifiers->is_kernel;
    function->is_inline |= specifiers->is_inline;
    function->is_noreturn |= specifiers->attributes.is_noreturn || d->attributes.is_noreturn;
    return function;
}

struct function *declare_function(struct parser *p, const struct specifiers *specifiers, const struct declarator *d)
{
    struct symbol *linked = hash_map_get(&p->linkage, d->name, strlen(d->name));
    struct function *function;
    if (linked != NULL && linked->kind == SYMBOL_FUNCTION) {
        function = merge_function(p, linked->function, specifiers, d);
    } else {
        if (linked != NULL) {
            parse_error(p, d->loc, "'%s' is declared as a function here", d->name);
            parse_note(p, linked->loc, "and as an object here");
        }
        function = new_function(p, specifiers, d);
        struct symbol *symbol = ARENA_NEW(p->arena, struct symbol);
        *symbol = (struct symbol){.kind = SYMBOL_FUNCTION, .name = d->name, .loc = d->loc, .function = function};
        hash_map_set(&p->linkage, d->name, strlen(d->name), symbol);
    }
    const struct symbol *here = scope_find_here(p, d->name);
    if (here != NULL && here->kind != SYMBOL_FUNCTION && here->kind != SYMBOL_UNKNOWN && linked == NULL) {
        parse_error(p, d->loc, "'%s' is declared twice in one scope", d->name);
        parse_note(p, here->loc, "the first declaration");
    }
    if (here == NULL || here->kind != SYMBOL_FUNCTION || here->function != function) {
        scope_add(p, SYMBOL_FUNCTION, d->name, d->loc)->function = function;
    }
    builtin_adopt(function);
    return function;
}

// ---- kernels -------------------------------------------------------------------------------------------------------

// Why a kernel's array cannot have elements of this type; NULL if it can.
static const char *element_trouble(const struct type *type)
{
    while (type->kind == TYPE_ARRAY) {
        type = type->base;
    }
    switch (type->kind) {
    case TYPE_POINTER: return "it points to pointers, and the arrays of a kernel hold none";
    case TYPE_VOID: return "a 'void *' does not say what the elements are";
    case TYPE_FUNCTION: return "a kernel takes no function pointers";
    case TYPE_LDOUBLE: return "'long double' is not supported in kernels";
    case TYPE_COMPLEX: return "'long double' is not supported in kernels";
    case TYPE_STRUCT:
    case TYPE_UNION:
        if (!type->record->is_complete) {
            return "its elements have an incomplete type";
        }
        if (type->record->size == 0) {
            return "its elements have no bytes: leave it out";
        }
        if (type->record->has_flexible_array) {
            return "its elements end in a flexible array, so that their size is not known";
        }
        return type->record->has_pointer ? "its elements hold pointers, and the arrays of a kernel hold none" : NULL;
    default: return NULL;
    }
}

static const char *param_trouble(const struct type *type)
{
    switch (type->kind) {
    case TYPE_POINTER: return element_trouble(type->base);
    case TYPE_LDOUBLE: return "'long double' is not supported in kernels";
    case TYPE_COMPLEX: return "'long double' is not supported in kernels";
    case TYPE_STRUCT:
    case TYPE_UNION:
        if (type->record->size == 0) {
            return "it has no bytes: leave it out";
        }
        if (type->record->has_flexible_array) {
            return "its flexible array would not be passed: make it a parameter of its own";
        }
        return type->record->has_pointer ? "it holds pointers: pass the arrays as parameters" : NULL;
    default: return NULL;
    }
}

void declare_check_kernel(struct parser *p, const struct function *function)
{
    const struct type *result = function->type->base;
    bool is_record = result->kind == TYPE_STRUCT || result->kind == TYPE_UNION;
    const char *wrong = is_record && type_is_complete(result) ? param_trouble(result) : NULL;
    bool returns = type_is_void(result) || type_is_integer(result) || type_is_error(result) || is_record ||
                   (type_is_float(result) && result->kind != TYPE_LDOUBLE);
    if (!returns || wrong != NULL) {
        parse_error(p, function->loc, "the kernel '%s' returns '%s': %s", function->name, parse_describe(p, result),
                    wrong != NULL ? wrong : "a kernel returns a number, a struct or nothing");
    }
    if (function->type->is_variadic) {
        parse_error(p, function->loc, "the kernel '%s' cannot take '...'", function->name);
    }
    if (function->param_count > LANG_MAX_PARAMS) {
        parse_error(p, function->loc, "the kernel '%s' has %d parameters: at most %d are possible", function->name,
                    function->param_count, LANG_MAX_PARAMS);
    }
    for (int i = 0; i < function->param_count; i++) {
        const struct object *param = function->params[i];
        if (param->name != NULL && param->name[0] == '(') {
            parse_error(p, param->loc, "parameter %d of the kernel '%s' needs a name", i + 1, function->name);
            continue;
        }
        const char *trouble = param_trouble(param->type);
        if (trouble != NULL) {
            parse_error(p, param->loc, "'%s' cannot be a kernel's parameter of the type '%s': %s", param->name,
                        parse_describe(p, param->array_type != NULL ? param->array_type : param->type), trouble);
        }
    }
}

// ---- definitions ---------------------------------------------------------------------------------------------------

static void check_definition(struct parser *p, const struct declarator *d)
{
    const struct type *result = d->type->base;
    if (!type_is_void(result) && !type_is_complete(result)) {
        parse_error(p, d->loc, "'%s' returns the incomplete type '%s'", d->name, parse_describe(p, result));
    }
    for (int i = 0; i < d->param_count; i++) {
        struct object *param = d->params[i];
        if (param->name == NULL) {
            param->name = "(unnamed)"; // C23: nobody can name it
        }
        if (!type_is_complete(param->type)) {
            parse_error(p, param->loc, "the parameter '%s' has the incomplete type '%s'", param->name,
                        parse_describe(p, param->type));
            param->type = &p->basic[TYPE_ERROR];
        }
        for (const struct type *type = param->array_type; type != NULL && type->kind == TYPE_ARRAY; type = type->base) {
            if (type->length == TYPE_LENGTH_VARIABLE && type->extent == NULL) {
                parse_error(p, param->loc, "'[*]' is for declarations only: '%s' needs an extent", param->name);
                break;
            }
        }
    }
}

static void function_body(struct parser *p, struct function *function, const struct symbol *declared)
{
    struct body_state body = {.function = function, .block = -1};
    hash_map_init(&body.labels, p->arena);
    p->body = &body;
    scope_push(p);
    scope_add_again(p, declared); // `enum e { A } x` among the parameters
    for (int i = 0; i < function->param_count; i++) {
        struct object *param = function->params[i];
        if (param->name[0] != '(' && scope_find_here(p, param->name) == NULL) {
            scope_add(p, SYMBOL_OBJECT, param->name, param->loc)->object = param;
        }
    }
    function->body = parse_compound_statement(p, false);
    parse_check_jumps(p);
    scope_pop(p);
    p->body = NULL;
    const struct type *result = function->type->base;
    if (!type_is_void(result) && !type_is_error(result) && stmt_can_fall_through(function->body) &&
        !(strcmp(function->name, "main") == 0 && !function->is_kernel)) {
        parse_warning(p, function->body->end, "'%s' may end without returning its '%s'", function->name,
                      parse_describe(p, result));
    }
}

static void kernel_pragmas(struct parser *p, struct function *function, const struct pragmas *pragmas)
{
    if (!parse_has_pragmas(pragmas)) {
        return;
    }
    bool only_single = pragmas->single && !pragmas->parallel && !pragmas->serial && !pragmas->in_order &&
                       !pragmas->unroll && pragmas->collapse == 0 && pragmas->block_dim == 0 &&
                       pragmas->map == PRAGMA_MAP_ANY;
    if (!function->is_kernel) {
        parse_error(p, pragmas->loc, "this '#pragma rill' stands before '%s', which is no kernel", function->name);
    } else if (!only_single) {
        parse_error(p, pragmas->loc, "only '#pragma rill single' may stand before a kernel");
    } else {
        function->is_single = true;
    }
}

void declare_function_definition(struct parser *p, const struct specifiers *specifiers, const struct declarator *d,
                                 const struct pragmas *pragmas)
{
    struct function *function = declare_function(p, specifiers, d);
    if (function->body != NULL) {
        parse_error(p, d->loc, "'%s' is defined twice", d->name);
        parse_note(p, function->loc, "the first definition");
        function = new_function(p, specifiers, d); // so that the body is looked at all the same
    }
    check_definition(p, d);
    function->loc = d->loc;
    function->type = d->type->has_prototype ? d->type : function->type;
    function->params = d->params;
    function->param_count = d->param_count;
    function->is_builtin = false;
    if (!d->type->has_prototype) {
        // `f() { … }` takes nothing, `f(a) int a; { … }` what it says. C lets a call be wrong; here it is looked at.
        struct type *type = type_copy(p->arena, d->type);
        type->has_prototype = true;
        type->params = d->params;
        type->param_count = d->param_count;
        function->type = type;
    }
    if (function->is_kernel) {
        declare_check_kernel(p, function);
    }
    kernel_pragmas(p, function, pragmas);
    function_body(p, function, d->symbols);
}
