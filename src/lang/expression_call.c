// Calls, and names that nobody declared.
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

static struct expr *call_argument(struct parser *p, struct expr *e, const struct function *function,
                                  const struct type *type, int index)
{
    if (index >= type->param_count || !type->has_prototype) {
        e = convert_default_argument(p, e);
        if (!expr_is_error(e) && !type_is_scalar(e->type) && !type_is_record(e->type)) {
            parse_error(p, e->loc, "argument %d has the type '%s' and no value", index + 1, parse_describe(p, e->type));
            return expr_error(p, e->loc);
        }
        return e;
    }
    const struct object *param = type->params[index];
    const char *what = function != NULL ? arena_printf(p->arena, "argument %d of '%s'", index + 1, function->name)
                                        : arena_printf(p->arena, "argument %d", index + 1);
    int errors = p->diags->error_count;
    int warnings = p->diags->warning_count;
    struct expr *converted = convert_assign(p, e, param->type, what);
    bool complained = p->diags->error_count + p->diags->warning_count > errors + warnings;
    bool is_own = function != NULL && function->is_builtin; // of no header: its place is the call's
    if (complained && !is_own && !parse_in_builtin_header(p, param->loc)) {
        parse_note(p, param->loc, "the parameter is declared here as '%s'",
                   parse_describe(p, param->array_type != NULL ? param->array_type : param->type));
    }
    return converted;
}

static void check_count(struct parser *p, const struct function *function, const struct type *type, int count,
                        struct loc loc)
{
    bool fits = !type->has_prototype || count == type->param_count || (type->is_variadic && count > type->param_count);
    if (fits) {
        return;
    }
    const char *name = function != NULL ? arena_printf(p->arena, "'%s'", function->name) : "the function";
    parse_error(p, loc, "%s takes %s%d argument%s, but %d %s given", name, type->is_variadic ? "at least " : "",
                type->param_count, type->param_count == 1 ? "" : "s", count, count == 1 ? "is" : "are");
    if (function != NULL && !function->is_builtin && !parse_in_builtin_header(p, function->loc)) {
        parse_note(p, function->loc, "'%s' is declared here", function->name);
    }
}

struct arguments {
    struct expr **items;
    int count;
    int capacity;
};

static void argument_expression_list(struct parser *p, const struct function *function, const struct type *type,
                                     struct arguments *out)
{
    if (!parse_at(p, TOKEN_RPAREN)) {
        do {
            struct expr *e = parse_assignment_expression(p);
            if (type != NULL) {
                e = call_argument(p, e, function, type, out->count);
            }
            VEC_PUSH(p->arena, out, e);
        } while (parse_accept(p, TOKEN_COMMA));
    }
    parse_expect(p, TOKEN_RPAREN, "after the arguments");
}

static struct expr *finish_call(struct parser *p, struct function *function, struct type *type,
                                const struct arguments *arguments, struct loc loc)
{
    struct type *result = type_unqualified(p->arena, type->base);
    if (!type_is_void(result) && !type_is_complete(result)) {
        parse_error(p, loc, "the call gives back '%s', which is never defined", parse_describe(p, result));
        return expr_error(p, loc);
    }
    if (function == NULL) {
        return expr_refused(p, result, loc, "a call through a function pointer");
    }
    for (int i = 0; i < arguments->count; i++) {
        if (expr_is_error(arguments->items[i])) {
            return expr_error(p, loc);
        }
    }
    struct expr *e = expr_new(p, EXPR_CALL, result, loc);
    e->function = function;
    e->args = arguments->items;
    e->arg_count = arguments->count;
    if (!type->has_prototype) {
        VEC_PUSH(p->arena, &p->loose_calls, e);
    }
    return builtin_check_call(p, expr_finish(p, e));
}

void parse_convert_arguments(struct parser *p, struct expr *call)
{
    assert(call->kind == EXPR_CALL && call->function != NULL);
    const struct type *type = call->function->type;
    check_count(p, call->function, type, call->arg_count, call->loc);
    for (int i = 0; i < call->arg_count && i < type->param_count; i++) {
        call->args[i] = call_argument(p, call->args[i], call->function, type, i);
    }
}

struct expr *parse_call(struct parser *p, struct expr *callee, struct loc loc)
{
    struct type *type = callee->type;
    if (type_is_pointer_to(type, TYPE_FUNCTION)) {
        type = type->base;
    }
    struct function *function = callee->kind == EXPR_FUNCTION ? callee->function : NULL;
    if (callee->kind == EXPR_DECAY && callee->a->kind == EXPR_FUNCTION) {
        function = callee->a->function; // (&f)(x)
    }
    if (type->kind != TYPE_FUNCTION) {
        if (!expr_is_error(callee)) {
            parse_error(p, loc, "'%s' cannot be called: it is no function", parse_describe(p, type));
        }
        type = NULL;
    }
    struct arguments arguments = {0};
    bool entered = parse_enter(p);
    if (entered) {
        parse_advance(p);
        argument_expression_list(p, function, type, &arguments);
    }
    parse_leave(p);
    if (type == NULL || !entered) {
        return expr_error(p, loc);
    }
    int errors = p->diags->error_count;
    if (!p->is_panicking) {
        check_count(p, function, type, arguments.count, function != NULL ? callee->loc : loc);
    }
    return p->diags->error_count == errors ? finish_call(p, function, type, &arguments, callee->loc)
                                           : expr_error(p, loc);
}

// ---- names nobody declared -----------------------------------------------------------------------------------------

struct expr *parse_unknown_name(struct parser *p, const struct token *token)
{
    const char *name = parse_identifier_text(token);
    bool is_call = parse_at(p, TOKEN_LPAREN);
    parse_error(p, token->loc, "unknown %s '%s'%s", is_call ? "function" : "name", name,
                parse_name_advice(p, name, false));
    scope_add_unknown(p, name, token->loc);
    return expr_error(p, token->loc);
}
