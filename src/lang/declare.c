// Declarations: typedefs, objects at file scope and in blocks, and what the unit looks like at its end.
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

// ---- making objects ------------------------------------------------------------------------------------------------

struct object *declare_object_new(struct parser *p, const char *name, struct type *type, struct loc loc)
{
    struct object *object = ARENA_NEW(p->arena, struct object);
    object->name = name;
    object->type = type;
    object->loc = loc;
    object->align = type->align;
    return object;
}

struct object *declare_local_object(struct parser *p, const char *name, struct type *type, struct loc loc)
{
    struct object *object = declare_object_new(p, name, type, loc);
    object->kind = OBJECT_LOCAL;
    object->index = p->body != NULL ? p->body->function->local_count++ : 0;
    return object;
}

void declare_global_add(struct parser *p, struct object *object)
{
    assert(object->type != NULL);
    object->index = p->globals.count;
    VEC_PUSH(p->arena, &p->globals, object);
}

static void apply_align(struct parser *p, struct object *object, const struct specifiers *specifiers,
                        const struct declarator *d)
{
    if (specifiers->alignas != 0 && specifiers->alignas < object->type->align) {
        parse_error(p, d->loc, "'_Alignas(%u)' is less than what '%s' needs", specifiers->alignas,
                    parse_describe(p, object->type));
    }
    uint32_t asked = specifiers->alignas;
    asked = specifiers->attributes.align > asked ? specifiers->attributes.align : asked;
    asked = d->attributes.align > asked ? d->attributes.align : asked;
    object->align = asked > object->align ? asked : object->align;
    object->align = object->type->align > object->align ? object->type->align : object->align;
}

// ---- names that are taken ------------------------------------------------------------------------------------------

static bool check_free(struct parser *p, const struct declarator *d)
{
    const struct symbol *other = scope_find_here(p, d->name);
    if (other == NULL || other->kind == SYMBOL_UNKNOWN) {
        return true;
    }
    parse_error(p, d->loc, "'%s' is declared twice in one scope", d->name);
    parse_note(p, other->loc, "the first declaration");
    return false;
}

static void declare_typedef(struct parser *p, const struct specifiers *specifiers, const struct declarator *d)
{
    struct type *type = type_copy(p->arena, d->type);
    if (!type_is_error(type)) {
        type->typedef_name = d->name;
    }
    uint32_t align =
        d->attributes.align > specifiers->attributes.align ? d->attributes.align : specifiers->attributes.align;
    if (align != 0) {
        type->align = align;
    }
    const struct symbol *other = scope_find_here(p, d->name);
    if (other != NULL && other->kind == SYMBOL_TYPEDEF && type_identical(other->type, type)) {
        return; // C11 allows it to be said again
    }
    if (check_free(p, d)) {
        scope_add(p, SYMBOL_TYPEDEF, d->name, d->loc)->type = type;
    }
}

// ---- objects with linkage ------------------------------------------------------------------------------------------

static enum object_kind static_kind(const struct type *type)
{
    return (type_quals(type) & QUAL_CONST) != 0 ? OBJECT_CONSTANT : OBJECT_FIELD;
}

static struct object *merge_object(struct parser *p, struct object *object, const struct specifiers *specifiers,
                                   const struct declarator *d)
{
    if (!type_identical(object->type, d->type)) {
        parse_error(p, d->loc, "'%s' is declared as '%s' here", d->name, parse_describe(p, d->type));
        parse_note(p, object->loc, "and as '%s' here", parse_describe(p, object->type));
        return object;
    }
    if (specifiers->storage == STORAGE_STATIC && !object->is_static) {
        parse_error(p, d->loc, "'%s' is static here but was not before", d->name);
        parse_note(p, object->loc, "the first declaration");
    } else if (specifiers->storage == STORAGE_NONE && object->is_static && p->scope->depth == 0) {
        parse_error(p, d->loc, "'%s' was static before but is not here", d->name);
        parse_note(p, object->loc, "the first declaration");
    }
    object->type = type_composite(p->arena, object->type, d->type);
    return object;
}

// At file scope, or `extern` in a block.
static struct object *linked_object(struct parser *p, const struct specifiers *specifiers, const struct declarator *d)
{
    struct symbol *linked = hash_map_get(&p->linkage, d->name, strlen(d->name));
    struct object *object;
    if (linked != NULL && linked->kind == SYMBOL_OBJECT) {
        object = merge_object(p, linked->object, specifiers, d);
    } else {
        if (linked != NULL) {
            parse_error(p, d->loc, "'%s' is declared as an object here", d->name);
            parse_note(p, linked->loc, "and as a function here");
            return declare_object_new(p, d->name, d->type, d->loc);
        }
        object = declare_object_new(p, d->name, d->type, d->loc);
        object->is_static = specifiers->storage == STORAGE_STATIC;
        object->is_extern = true;
        object->kind = static_kind(d->type);
        declare_global_add(p, object);
        struct symbol *symbol = ARENA_NEW(p->arena, struct symbol);
        *symbol = (struct symbol){.kind = SYMBOL_OBJECT, .name = d->name, .loc = d->loc, .object = object};
        hash_map_set(&p->linkage, d->name, strlen(d->name), symbol);
    }
    const struct symbol *here = scope_find_here(p, d->name);
    if (here == NULL || here->kind != SYMBOL_OBJECT || here->object != object) {
        if (here == NULL || check_free(p, d)) {
            scope_add(p, SYMBOL_OBJECT, d->name, d->loc)->object = object;
        }
    }
    apply_align(p, object, specifiers, d);
    return object;
}

static void check_object_type(struct parser *p, struct declarator *d)
{
    if (type_is_void(d->type)) {
        parse_error(p, d->loc, "'%s' cannot have the type 'void'", d->name);
        d->type = &p->basic[TYPE_ERROR];
    }
}

static void file_object(struct parser *p, const struct specifiers *specifiers, struct declarator *d)
{
    check_object_type(p, d);
    if (specifiers->storage == STORAGE_AUTO || specifiers->storage == STORAGE_REGISTER) {
        parse_error(p, d->loc, "'%s' at file scope cannot be auto or register", d->name);
    }
    struct object *object = linked_object(p, specifiers, d);
    if (specifiers->storage != STORAGE_EXTERN) {
        object->is_extern = false;
    }
    if (parse_accept(p, TOKEN_ASSIGN)) {
        if (object->has_init) {
            parse_error(p, d->loc, "'%s' is initialised twice", d->name);
            parse_note(p, object->loc, "the first definition");
        }
        object->is_extern = false;
        object->loc = d->loc;
        init_object(p, object, true);
    }
}

// ---- objects in blocks ---------------------------------------------------------------------------------------------

static void check_complete(struct parser *p, struct object *object)
{
    if (!type_is_complete(object->type)) {
        parse_error(p, object->loc, "'%s' has the incomplete type '%s'", object->name, parse_describe(p, object->type));
        object->type = &p->basic[TYPE_ERROR];
    }
}

static void static_local(struct parser *p, const struct specifiers *specifiers, struct declarator *d)
{
    struct object *object = declare_object_new(p, d->name, d->type, d->loc);
    bool is_const = (type_quals(d->type) & QUAL_CONST) != 0;
    object->kind = is_const ? OBJECT_CONSTANT : OBJECT_STATIC_LOCAL;
    object->is_static = true;
    apply_align(p, object, specifiers, d);
    if (type_is_variable(d->type)) {
        parse_error(p, d->loc, "'%s' is static: its extents must be constants", d->name);
        object->type = &p->basic[TYPE_ERROR];
    }
    if (check_free(p, d)) {
        scope_add(p, SYMBOL_OBJECT, d->name, d->loc)->object = object;
    }
    declare_global_add(p, object);
    if (parse_accept(p, TOKEN_ASSIGN)) {
        init_object(p, object, true);
    }
    check_complete(p, object);
}

static void automatic_local(struct parser *p, const struct specifiers *specifiers, struct declarator *d,
                            struct stmt_list *out)
{
    struct object *object = declare_local_object(p, d->name, d->type, d->loc);
    apply_align(p, object, specifiers, d);
    if (check_free(p, d)) {
        scope_add(p, SYMBOL_OBJECT, d->name, d->loc)->object = object;
    }
    if (parse_at(p, TOKEN_ASSIGN)) {
        if (type_is_variable(object->type)) {
            parse_error(p, d->loc, "an array of variable length cannot be initialised");
            object->type = &p->basic[TYPE_ERROR];
        }
        parse_advance(p);
        init_object(p, object, false);
    }
    check_complete(p, object);
    struct stmt *stmt = stmt_new(p, STMT_DECL, d->loc);
    stmt->object = object;
    VEC_PUSH(p->arena, out, stmt);
}

static void block_object(struct parser *p, const struct specifiers *specifiers, struct declarator *d,
                         struct stmt_list *out)
{
    check_object_type(p, d);
    switch (specifiers->storage) {
    case STORAGE_EXTERN:
        linked_object(p, specifiers, d);
        if (parse_accept(p, TOKEN_ASSIGN)) {
            parse_error(p, d->loc, "an extern declaration in a block cannot be initialised");
            struct object *scratch = declare_local_object(p, d->name, d->type, d->loc);
            init_object(p, scratch, false);
        }
        break;
    case STORAGE_STATIC: static_local(p, specifiers, d); break;
    default: automatic_local(p, specifiers, d, out); break;
    }
}

// ---- declarations --------------------------------------------------------------------------------------------------

static void asm_label(struct parser *p)
{
    if (parse_at(p, TOKEN_KW_ASM)) {
        parse_error(p, parse_loc(p), "a name for the assembler is not supported");
        parse_advance(p);
        if (parse_at(p, TOKEN_LPAREN)) {
            parse_skip_parens(p);
        }
    }
}

static void init_declarator(struct parser *p, const struct specifiers *specifiers, struct declarator *d,
                            struct stmt_list *out)
{
    asm_label(p);
    d->attributes.takes_type = true;
    declare_attributes(p, &d->attributes);
    d->type = declare_apply_attributes(p, d->type, &d->attributes, d->loc);
    if (specifiers->storage == STORAGE_TYPEDEF) {
        declare_typedef(p, specifiers, d);
        return;
    }
    if (d->type->kind == TYPE_FUNCTION) {
        declare_function(p, specifiers, d);
        return;
    }
    if (specifiers->is_kernel || specifiers->is_inline) {
        parse_error(p, d->loc, "'%s' is no function: it cannot be %s", d->name,
                    specifiers->is_kernel ? "a kernel" : "inline");
    }
    if (out == NULL) {
        file_object(p, specifiers, d);
    } else {
        block_object(p, specifiers, d, out);
    }
}

static void warn_of_nothing(struct parser *p, const struct specifiers *specifiers)
{
    if (!specifiers->declares_tag && !type_is_error(specifiers->type)) {
        parse_warning(p, specifiers->loc, "this declares nothing");
    }
}

void declare_static_assert(struct parser *p)
{
    assert(parse_at(p, TOKEN_KW_STATIC_ASSERT));
    struct loc loc = parse_loc(p);
    parse_advance(p);
    if (!parse_expect(p, TOKEN_LPAREN, "after '_Static_assert'")) {
        return;
    }
    int64_t value;
    bool is_known = parse_integer_constant(p, "the condition of '_Static_assert'", &value);
    const char *text = NULL;
    if (parse_accept(p, TOKEN_COMMA)) {
        if (parse_at(p, TOKEN_STRING)) {
            text = parse_token(p)->text;
            parse_advance(p);
        } else {
            parse_syntax_error(p, "expected a string after the condition");
        }
    }
    parse_expect(p, TOKEN_RPAREN, "after '_Static_assert'");
    parse_expect(p, TOKEN_SEMI, "after '_Static_assert'");
    if (is_known && value == 0) {
        parse_error(p, loc, "static assertion failed%s%s", text != NULL ? ": " : "", text != NULL ? text : "");
    }
}

// __auto_type name = value: the type is the value's.
static void auto_declaration(struct parser *p, struct stmt_list *out)
{
    parse_advance(p);
    struct declarator d = {.loc = parse_loc(p), .name = parse_identifier(p)};
    if (d.name == NULL || !parse_expect(p, TOKEN_ASSIGN, "after the name that '__auto_type' declares")) {
        p->is_panicking = true;
        return;
    }
    struct expr *value = convert_decay(p, parse_assignment_expression(p));
    d.type = type_unqualified(p->arena, value->type);
    check_object_type(p, &d);
    struct object *object = declare_local_object(p, d.name, d.type, d.loc);
    if (check_free(p, &d)) {
        scope_add(p, SYMBOL_OBJECT, d.name, d.loc)->object = object;
    }
    object->has_init = true;
    object->inits = ARENA_NEW(p->arena, struct init_store);
    *object->inits = (struct init_store){.type = d.type, .value = value, .loc = d.loc};
    object->init_count = expr_is_error(value) ? 0 : 1;
    struct stmt *stmt = stmt_new(p, STMT_DECL, d.loc);
    stmt->object = object;
    VEC_PUSH(p->arena, out, stmt);
    parse_expect(p, TOKEN_SEMI, "after the declaration");
}

static bool at_auto_type(struct parser *p)
{
    const struct token *token = parse_token(p);
    return token->kind == TOKEN_IDENT && strcmp(token->text, "__auto_type") == 0 && parse_at_identifier(p, 1);
}

// GNU C takes attributes behind the comma, for the next declarator alone. Those that matter stand behind it.
static bool next_declarator(struct parser *p)
{
    if (p->is_panicking || !parse_accept(p, TOKEN_COMMA)) {
        return false;
    }
    struct attributes ignored = {0};
    declare_attributes(p, &ignored);
    return true;
}

void declare_local(struct parser *p, struct stmt_list *out)
{
    if (parse_at(p, TOKEN_KW_STATIC_ASSERT)) {
        declare_static_assert(p);
        return;
    }
    if (at_auto_type(p)) {
        auto_declaration(p, out);
        return;
    }
    struct specifiers specifiers;
    if (!declare_specifiers(p, &specifiers, DECLARE_BLOCK)) {
        return;
    }
    if (parse_accept(p, TOKEN_SEMI)) {
        warn_of_nothing(p, &specifiers);
        return;
    }
    struct stmt_list *hoisted = p->hoisted;
    p->hoisted = out;
    do {
        struct declarator d = declare_declarator(p, specifiers.type, DECLARE_BLOCK);
        if (d.name == NULL || p->is_panicking) {
            break;
        }
        if (d.type->kind == TYPE_FUNCTION && parse_at(p, TOKEN_LBRACE)) {
            parse_error(p, d.loc, "a function cannot be defined inside another");
            p->is_panicking = true;
            break;
        }
        init_declarator(p, &specifiers, &d, out);
    } while (next_declarator(p));
    p->hoisted = hoisted;
    parse_expect(p, TOKEN_SEMI, "after the declaration");
}

// A function definition, if that is what the declarator begins.
static bool function_definition(struct parser *p, const struct specifiers *specifiers, const struct declarator *d,
                                const struct pragmas *pragmas)
{
    bool is_function = d->type->kind == TYPE_FUNCTION && specifiers->storage != STORAGE_TYPEDEF;
    if (!is_function) {
        if (d->type->kind == TYPE_ERROR && parse_at(p, TOKEN_LBRACE)) {
            p->is_panicking = true; // complained about already; its body makes no sense
            return true;
        }
        return false;
    }
    if (d->has_names) {
        declare_old_style_params(p, d);
    }
    if (!parse_at(p, TOKEN_LBRACE)) {
        return false;
    }
    declare_function_definition(p, specifiers, d, pragmas);
    return true;
}

// The declarators of a file-scope declaration. True when nothing may follow: a function was defined, or all went wrong.
static bool external_declarators(struct parser *p, const struct specifiers *specifiers, const struct pragmas *pragmas)
{
    bool is_first = true;
    do {
        struct declarator d = declare_declarator(p, specifiers->type, DECLARE_FILE);
        if (d.name == NULL || p->is_panicking) {
            return true;
        }
        // Only the first declarator can begin a definition.
        if (is_first && function_definition(p, specifiers, &d, pragmas)) {
            return true;
        }
        init_declarator(p, specifiers, &d, NULL);
        is_first = false;
    } while (next_declarator(p));
    return false;
}

void declare_external(struct parser *p)
{
    struct pragmas pragmas = parse_take_pragmas(p);
    struct loc loc = parse_loc(p);
    if (parse_accept(p, TOKEN_SEMI)) {
        return;
    }
    if (parse_at(p, TOKEN_KW_STATIC_ASSERT)) {
        declare_static_assert(p);
        return;
    }
    if (parse_at(p, TOKEN_RBRACE)) {
        parse_error(p, loc, "'}' closes nothing");
        return;
    }
    if (parse_accept(p, TOKEN_KW_ASM)) {
        parse_error(p, loc, "assembly is not supported");
        p->is_panicking = true;
        return;
    }
    struct specifiers specifiers;
    if (!declare_specifiers(p, &specifiers, DECLARE_FILE)) {
        return;
    }
    if (parse_at(p, TOKEN_SEMI)) {
        warn_of_nothing(p, &specifiers);
    } else if (external_declarators(p, &specifiers, &pragmas)) {
        return;
    }
    parse_expect(p, TOKEN_SEMI, "after the declaration");
    parse_refuse_pragmas(p, &pragmas, "a declaration");
}

// Calls made before anything said what the parameters are: by now a definition may have.
static void finish_loose_calls(struct parser *p)
{
    for (int i = 0; i < p->loose_calls.count; i++) {
        struct expr *call = p->loose_calls.items[i];
        if (call->function->type->has_prototype) {
            parse_convert_arguments(p, call);
        }
    }
}

// Tentative definitions become definitions.
void declare_finish_unit(struct parser *p)
{
    finish_loose_calls(p);
    for (int i = 0; i < p->globals.count; i++) {
        struct object *object = p->globals.items[i];
        if (object->is_extern || type_is_complete(object->type) || object->kind == OBJECT_STATIC_LOCAL) {
            continue;
        }
        if (object->type->kind == TYPE_ARRAY && type_is_complete(object->type->base)) {
            parse_warning(p, object->loc, "'%s' has no length: one element is assumed", object->name);
            object->type = type_array_of(p->arena, object->type->base, 1);
        } else {
            parse_error(p, object->loc, "'%s' has the type '%s', which is never completed",
                        object->name != NULL ? object->name : "(unnamed)", parse_describe(p, object->type));
        }
    }
}
