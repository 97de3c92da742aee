// Declarators. They read inside out, so a declarator is first collected as a list of derivations (pointer to, array of,
// function returning) in the order in which they apply to the base type, and then applied.
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

enum derivation_kind { DERIVE_POINTER, DERIVE_ARRAY, DERIVE_FUNCTION };

struct derivation {
    enum derivation_kind kind;
    struct loc loc;
    unsigned quals;         // of a pointer; of an array parameter: of the pointer that it becomes
    bool has_star;          // [*]
    struct expr *extent;    // NULL: [] or [*]
    struct object **params; //
    int param_count;        //
    bool is_variadic;       //
    bool has_prototype;     //
    bool has_names;         // of parameters whose types stand before the body
    struct symbol *symbols; // what the parameters declare, newest first
};

struct derivations {
    struct derivation *items;
    int count;
    int capacity;
};

static void declarator(struct parser *p, struct derivations *out, struct declarator *d, enum declare_place place);

// ---- parameters ----------------------------------------------------------------------------------------------------

struct param_list {
    struct object **items;
    int count;
    int capacity;
};

// An array parameter is a pointer, a function parameter a pointer to it; what was written is kept.
static void adjust_param(struct parser *p, struct object *param)
{
    struct type *type = param->type;
    if (type->kind == TYPE_ARRAY) {
        param->array_type = type;
        param->type = type_with_quals(p->arena, type_pointer_to(p->arena, type->base), type->quals);
        param->align = 8;
    } else if (type->kind == TYPE_FUNCTION) {
        param->type = type_pointer_to(p->arena, type);
        param->align = 8;
    }
}

static void parameter_declaration(struct parser *p, struct param_list *out)
{
    struct specifiers specifiers;
    if (!declare_specifiers(p, &specifiers, DECLARE_PARAM)) {
        return;
    }
    if (specifiers.storage != STORAGE_NONE && specifiers.storage != STORAGE_REGISTER) {
        parse_error(p, specifiers.loc, "a parameter has no storage class");
    }
    struct declarator d = declare_declarator(p, specifiers.type, DECLARE_PARAM);
    struct attributes ignored = {0}; // none changes what the caller passes
    declare_attributes(p, &ignored);
    struct object *param = declare_object_new(p, d.name, d.type, d.name != NULL ? d.loc : specifiers.loc);
    param->kind = OBJECT_PARAM;
    param->index = out->count;
    adjust_param(p, param);
    if (type_is_void(param->type)) {
        parse_error(p, param->loc, "a parameter cannot have the type 'void'");
        param->type = &p->basic[TYPE_ERROR];
    }
    if (d.name != NULL) {
        const struct symbol *other = scope_find_here(p, d.name);
        if (other != NULL && other->kind == SYMBOL_UNKNOWN) {
            // An extent before it asked for the name, and has been told that nobody knows it.
            diag_note(p->diags, d.loc, "'%s' is declared here: put it before the parameter that needs it", d.name);
        } else if (other != NULL) {
            parse_error(p, d.loc, "two parameters are called '%s'", d.name);
        } else {
            scope_add(p, SYMBOL_OBJECT, d.name, d.loc)->object = param;
        }
    }
    VEC_PUSH(p->arena, out, param);
}

static bool is_identifier_list(struct parser *p)
{
    enum token_kind next = parse_peek(p, 1)->kind;
    return parse_at(p, TOKEN_IDENT) && !declare_starts_type(p, parse_token(p)) &&
           (next == TOKEN_COMMA || next == TOKEN_RPAREN);
}

// Whether declarations stand behind the ')' of the list that begins here.
static bool is_old_style(struct parser *p)
{
    int at = 1;
    while (parse_peek(p, at)->kind == TOKEN_COMMA && parse_peek(p, at + 1)->kind == TOKEN_IDENT) {
        at += 2;
    }
    return p->scope->depth == 0 && parse_peek(p, at)->kind == TOKEN_RPAREN &&
           parse_peek(p, at + 1)->kind != TOKEN_KW_ATTRIBUTE && declare_starts_type(p, parse_peek(p, at + 1));
}

static void identifier_list(struct parser *p, struct derivation *out)
{
    struct param_list params = {0};
    if (!is_old_style(p)) {
        const char *name = parse_token(p)->text;
        parse_error(p, parse_loc(p), "parameter '%s' has no type%s", name, parse_name_advice(p, name, true));
        while (!parse_at(p, TOKEN_RPAREN) && !parse_at(p, TOKEN_EOF)) {
            parse_advance(p);
        }
        return;
    }
    do {
        struct loc loc = parse_loc(p);
        const char *name = parse_identifier(p);
        for (int i = 0; i < params.count; i++) {
            if (strcmp(params.items[i]->name, name) == 0) {
                parse_error(p, loc, "two parameters are called '%s'", name);
            }
        }
        struct object *param = declare_object_new(p, name, &p->basic[TYPE_ERROR], loc);
        param->kind = OBJECT_PARAM;
        param->index = params.count;
        VEC_PUSH(p->arena, &params, param);
    } while (parse_accept(p, TOKEN_COMMA));
    out->has_names = true;
    out->params = params.items;
    out->param_count = params.count;
}

static void parameter_type_list(struct parser *p, struct derivation *out)
{
    struct param_list params = {0};
    out->has_prototype = true;
    scope_push(p);
    do {
        if (parse_accept(p, TOKEN_ELLIPSIS)) {
            out->is_variadic = true;
            if (params.count == 0) {
                parse_error(p, out->loc, "'...' needs a parameter before it");
            }
            break;
        }
        parameter_declaration(p, &params);
    } while (!p->is_panicking && parse_accept(p, TOKEN_COMMA));
    out->symbols = p->scope->symbols;
    scope_pop(p);
    out->params = params.items;
    out->param_count = params.count;
}

static void function_suffix(struct parser *p, struct derivation *out)
{
    assert(parse_at(p, TOKEN_LPAREN));
    parse_advance(p);
    if (parse_accept(p, TOKEN_RPAREN)) {
        return; // (): says nothing about the parameters
    }
    if (parse_at(p, TOKEN_KW_VOID) && parse_peek(p, 1)->kind == TOKEN_RPAREN) {
        out->has_prototype = true;
        parse_advance(p);
    } else if (is_identifier_list(p)) {
        identifier_list(p, out);
    } else {
        parameter_type_list(p, out);
    }
    parse_expect(p, TOKEN_RPAREN, "after the parameters");
}

// ---- arrays --------------------------------------------------------------------------------------------------------

static unsigned type_qualifier_list(struct parser *p)
{
    unsigned quals = 0;
    for (;;) {
        if (parse_accept(p, TOKEN_KW_CONST)) {
            quals |= QUAL_CONST;
        } else if (parse_accept(p, TOKEN_KW_VOLATILE)) {
            quals |= QUAL_VOLATILE;
        } else if (parse_accept(p, TOKEN_KW_RESTRICT)) {
            quals |= QUAL_RESTRICT;
        } else if (parse_at(p, TOKEN_KW_ATTRIBUTE)) {
            struct attributes ignored = {0};
            declare_attributes(p, &ignored);
        } else {
            return quals;
        }
    }
}

static void array_suffix(struct parser *p, struct derivation *out, enum declare_place place)
{
    assert(parse_at(p, TOKEN_LBRACKET));
    parse_advance(p);
    bool is_static = parse_accept(p, TOKEN_KW_STATIC);
    out->quals = type_qualifier_list(p);
    is_static |= parse_accept(p, TOKEN_KW_STATIC);
    if ((is_static || out->quals != 0) && place != DECLARE_PARAM) {
        parse_error(p, out->loc, "'static' and qualifiers in '[]' are for parameters");
        out->quals = 0;
    }
    if (parse_at(p, TOKEN_STAR) && parse_peek(p, 1)->kind == TOKEN_RBRACKET) {
        parse_advance(p);
        out->has_star = true;
        if (place != DECLARE_PARAM) {
            parse_error(p, out->loc, "'[*]' is for parameters");
        }
    } else if (!parse_at(p, TOKEN_RBRACKET)) {
        out->extent = convert_decay(p, parse_assignment_expression(p));
    }
    parse_expect(p, TOKEN_RBRACKET, "after the extent of an array");
}

// ---- collecting ----------------------------------------------------------------------------------------------------

static void suffixes(struct parser *p, struct derivations *out, enum declare_place place)
{
    while (!p->is_panicking && (parse_at(p, TOKEN_LBRACKET) || parse_at(p, TOKEN_LPAREN))) {
        struct derivation derivation = {.loc = parse_loc(p)};
        if (parse_at(p, TOKEN_LBRACKET)) {
            derivation.kind = DERIVE_ARRAY;
            array_suffix(p, &derivation, place);
        } else {
            derivation.kind = DERIVE_FUNCTION;
            function_suffix(p, &derivation);
        }
        VEC_PUSH(p->arena, out, derivation);
    }
}

// After '(' of a declarator that may have no name: does a parameter list begin here, or a nested declarator?
static bool is_nested(struct parser *p, enum declare_place place)
{
    bool may_be_abstract = place == DECLARE_PARAM || place == DECLARE_TYPE_NAME;
    const struct token *next = parse_peek(p, 1);
    if (next->kind == TOKEN_KW_ATTRIBUTE) {
        return true;
    }
    return !may_be_abstract || (next->kind != TOKEN_RPAREN && !declare_starts_type(p, next));
}

static void direct_declarator(struct parser *p, struct derivations *out, struct declarator *d, enum declare_place place)
{
    struct derivations inner = {0};
    if (parse_at(p, TOKEN_LPAREN) && is_nested(p, place)) {
        parse_advance(p);
        struct attributes ignored = {0};
        declare_attributes(p, &ignored);
        declarator(p, &inner, d, place);
        parse_expect(p, TOKEN_RPAREN, "in the declarator");
    } else if (parse_at_identifier(p, 0) && place != DECLARE_TYPE_NAME) {
        d->loc = parse_loc(p);
        d->name = parse_identifier(p);
    }
    struct derivations behind = {0};
    suffixes(p, &behind, place);
    for (int i = behind.count - 1; i >= 0; i--) {
        VEC_PUSH(p->arena, out, behind.items[i]);
    }
    for (int i = 0; i < inner.count; i++) {
        VEC_PUSH(p->arena, out, inner.items[i]);
    }
}

static void declarator(struct parser *p, struct derivations *out, struct declarator *d, enum declare_place place)
{
    if (parse_enter(p)) {
        while (parse_at(p, TOKEN_STAR)) {
            struct derivation derivation = {.kind = DERIVE_POINTER, .loc = parse_loc(p)};
            parse_advance(p);
            derivation.quals = type_qualifier_list(p);
            VEC_PUSH(p->arena, out, derivation);
        }
        direct_declarator(p, out, d, place);
    }
    parse_leave(p);
}

// ---- applying ------------------------------------------------------------------------------------------------------

// C evaluates an extent once, where the declaration stands. A hidden local keeps it for later.
static struct expr *hoist_extent(struct parser *p, struct expr *extent)
{
    struct object *object = declare_local_object(p, "(extent)", extent->type, extent->loc);
    object->has_init = true;
    object->inits = ARENA_NEW(p->arena, struct init_store);
    object->inits[0] = (struct init_store){.type = extent->type, .value = extent, .loc = extent->loc};
    object->init_count = 1;
    struct stmt *stmt = stmt_new(p, STMT_DECL, extent->loc);
    stmt->object = object;
    VEC_PUSH(p->arena, p->hoisted, stmt);
    return expr_object(p, object, extent->loc);
}

static struct type *variable_array(struct parser *p, struct type *element, struct expr *extent,
                                   enum declare_place place)
{
    if (place == DECLARE_MEMBER || p->scope->depth == 0) {
        if (place != DECLARE_PARAM) {
            parse_error(p, extent->loc, "the extent of an array %s must be a constant",
                        place == DECLARE_MEMBER ? "in a struct" : "at file scope");
            return &p->basic[TYPE_ERROR];
        }
    }
    extent = convert_to_kind(p, extent, TYPE_LLONG);
    if (place == DECLARE_BLOCK && p->hoisted != NULL) {
        extent = hoist_extent(p, extent);
    }
    struct type *type = type_array_of(p->arena, element, TYPE_LENGTH_VARIABLE);
    type->extent = extent;
    return type;
}

// Nodes that the values of names may come to: `const int m = m;` has no end, and sums of sums double.
enum { MOST_KNOWN = 1000 };

// The expression with the values of what is const and known in the place of their names.
static struct expr *with_known_values(struct parser *p, struct expr *e, int *nodes)
{
    if (e == NULL || e->arg_count > 0 || ++*nodes > MOST_KNOWN) {
        return e;
    }
    const struct object *object = e->kind == EXPR_OBJECT ? e->object : NULL;
    bool is_known = object != NULL && (object->kind == OBJECT_LOCAL || object->kind == OBJECT_CONSTANT) &&
                    type_is_integer(object->type) && object->type->quals == QUAL_CONST && object->init_count == 1;
    if (is_known) {
        return with_known_values(p, object->inits[0].value, nodes);
    }
    struct expr *copy = ARENA_NEW(p->arena, struct expr);
    *copy = *e;
    copy->a = with_known_values(p, e->a, nodes);
    copy->b = with_known_values(p, e->b, nodes);
    copy->c = with_known_values(p, e->c, nodes);
    return copy;
}

// `const int n = 8; float x[n];`: for C an array of variable length, for its author none.
static bool is_known_length(struct parser *p, struct expr *extent, enum declare_place place, int64_t *out_length)
{
    int nodes = 0;
    return const_eval_int(extent, out_length) ||
           (place == DECLARE_BLOCK && const_eval_int(with_known_values(p, extent, &nodes), out_length));
}

static struct type *sized_array(struct parser *p, struct type *element, const struct derivation *by,
                                enum declare_place place)
{
    struct expr *extent = by->extent;
    if (expr_is_error(extent)) {
        return &p->basic[TYPE_ERROR];
    }
    if (!type_is_integer(extent->type)) {
        parse_error(p, extent->loc, "the extent of an array must be an integer, not '%s'",
                    parse_describe(p, extent->type));
        return &p->basic[TYPE_ERROR];
    }
    int64_t length;
    if (place == DECLARE_PARAM && expr_has_effect(extent)) {
        parse_error(p, extent->loc, "not supported: the extent of a parameter that changes something");
        return &p->basic[TYPE_ERROR];
    }
    if (!is_known_length(p, extent, place, &length)) {
        return variable_array(p, element, extent, place);
    }
    bool is_none =
        length == 0 && place == DECLARE_MEMBER; // GNU C's: as the last member, an older form of a flexible one
    if (!is_none && length <= 0 && (type_is_signed(extent->type) || length == 0)) {
        parse_error(p, extent->loc, "an array needs at least one element, not %lld", (long long)length);
        return &p->basic[TYPE_ERROR];
    }
    if (length < 0 || !type_array_fits(element, length)) {
        parse_error(p, extent->loc, "the array is larger than " TYPE_MAX_SIZE_WORDS);
        return &p->basic[TYPE_ERROR];
    }
    struct type *type = type_array_of(p->arena, element, length);
    if (type_is_variable(element)) {
        type->size = 0;
    }
    return type;
}

static struct type *derive_array(struct parser *p, struct type *element, const struct derivation *by,
                                 enum declare_place place)
{
    if (!type_is_complete(element)) {
        parse_error(p, by->loc, "an array cannot have elements of the type '%s'%s", parse_describe(p, element),
                    element->kind == TYPE_ARRAY ? ": only the outermost extent may be left out"
                    : element->kind == TYPE_STRUCT || element->kind == TYPE_UNION ? ", which is not defined"
                                                                                  : "");
        return &p->basic[TYPE_ERROR];
    }
    if (element->align > 1 && !type_is_variable(element) && element->size % element->align != 0) {
        parse_error(p, by->loc, "elements of '%s' would not be aligned: its size is no multiple of its alignment",
                    parse_describe(p, element));
        return &p->basic[TYPE_ERROR];
    }
    struct type *type;
    if (by->extent == NULL) {
        type = type_array_of(p->arena, element, by->has_star ? TYPE_LENGTH_VARIABLE : TYPE_LENGTH_UNKNOWN);
    } else {
        type = sized_array(p, element, by, place);
    }
    if (by->quals != 0 && !type_is_error(type)) {
        type->quals = by->quals; // for adjust_param; nobody else sees an array's own qualifiers
    }
    return type;
}

static struct type *derive_function(struct parser *p, struct type *result, const struct derivation *by)
{
    if (result->kind == TYPE_ARRAY || result->kind == TYPE_FUNCTION) {
        parse_error(p, by->loc, "a function cannot return %s", result->kind == TYPE_ARRAY ? "an array" : "a function");
        return &p->basic[TYPE_ERROR];
    }
    struct type *type = type_function(p->arena, result);
    if (by->has_names) {
        return type; // what the parameters are is not part of it
    }
    type->params = by->params;
    type->param_count = by->param_count;
    type->is_variadic = by->is_variadic;
    type->has_prototype = by->has_prototype;
    for (int i = 0; i < by->param_count; i++) {
        int depth = by->params[i]->type->depth;
        type->depth = depth >= type->depth ? depth + 1 : type->depth;
    }
    return type;
}

static struct type *derive(struct parser *p, struct type *type, const struct derivation *by, enum declare_place place)
{
    if (type_is_error(type)) {
        return type;
    }
    if (type_depth(type) >= TYPE_MAX_DEPTH) {
        parse_error(p, by->loc, "the type is built more than %d levels deep", TYPE_MAX_DEPTH);
        return &p->basic[TYPE_ERROR];
    }
    switch (by->kind) {
    case DERIVE_ARRAY: return derive_array(p, type, by, place);
    case DERIVE_FUNCTION: return derive_function(p, type, by);
    default: return type_with_quals(p->arena, type_pointer_to(p->arena, type), by->quals);
    }
}

struct declarator declare_declarator(struct parser *p, struct type *base, enum declare_place place)
{
    struct declarator d = {.loc = parse_loc(p)};
    struct derivations derivations = {0};
    declarator(p, &derivations, &d, place);
    bool needs_name = place == DECLARE_FILE || place == DECLARE_BLOCK || place == DECLARE_MEMBER;
    if (d.name == NULL && needs_name) {
        parse_syntax_error(p, "expected a name, found %s", token_describe(p->arena, parse_token(p)));
    }
    d.type = base;
    for (int i = 0; i < derivations.count; i++) {
        d.type = derive(p, d.type, &derivations.items[i], place);
    }
    if (derivations.count > 0 && derivations.items[derivations.count - 1].kind == DERIVE_FUNCTION) {
        d.params = derivations.items[derivations.count - 1].params;
        d.param_count = derivations.items[derivations.count - 1].param_count;
        d.symbols = derivations.items[derivations.count - 1].symbols;
        d.has_names = derivations.items[derivations.count - 1].has_names;
    }
    return d;
}

// ---- parameters whose types stand before the body ------------------------------------------------------------------

static void old_style_declarator(struct parser *p, const struct specifiers *specifiers, const struct declarator *of)
{
    struct declarator d = declare_declarator(p, specifiers->type, DECLARE_PARAM);
    struct object *param = NULL;
    for (int i = 0; i < of->param_count && d.name != NULL && param == NULL; i++) {
        param = strcmp(of->params[i]->name, d.name) == 0 ? of->params[i] : NULL;
    }
    if (param == NULL) {
        parse_error(p, d.loc, "'%s' is no parameter of '%s'", d.name != NULL ? d.name : "this", of->name);
    } else if (scope_find_here(p, d.name) != NULL) {
        parse_error(p, d.loc, "the parameter '%s' is declared twice", d.name);
    } else {
        struct object *declared = declare_object_new(p, d.name, d.type, d.loc);
        declared->kind = OBJECT_PARAM;
        declared->index = param->index;
        *param = *declared;
        adjust_param(p, param);
        scope_add(p, SYMBOL_OBJECT, d.name, d.loc)->object = param;
    }
}

void declare_old_style_params(struct parser *p, const struct declarator *of)
{
    assert(of->has_names);
    scope_push(p);
    while (!p->is_panicking && !parse_at(p, TOKEN_LBRACE) && !parse_at(p, TOKEN_EOF)) {
        struct specifiers specifiers;
        if (!declare_specifiers(p, &specifiers, DECLARE_PARAM)) {
            break;
        }
        if (specifiers.storage != STORAGE_NONE && specifiers.storage != STORAGE_REGISTER) {
            parse_error(p, specifiers.loc, "a parameter has no storage class");
        }
        do {
            old_style_declarator(p, &specifiers, of);
        } while (!p->is_panicking && parse_accept(p, TOKEN_COMMA));
        parse_expect(p, TOKEN_SEMI, "after the declaration of a parameter");
    }
    for (int i = 0; i < of->param_count; i++) {
        struct object *param = of->params[i];
        if (scope_find_here(p, param->name) == NULL) {
            parse_error(p, param->loc, "parameter '%s' has no type", param->name);
        }
    }
    scope_pop(p);
}

struct type *declare_type_name(struct parser *p)
{
    struct specifiers specifiers;
    if (!declare_specifiers(p, &specifiers, DECLARE_TYPE_NAME)) {
        return &p->basic[TYPE_ERROR];
    }
    struct declarator d = declare_declarator(p, specifiers.type, DECLARE_TYPE_NAME);
    return d.type;
}
