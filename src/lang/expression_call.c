// Calls, and names that nobody declared.
#include "lang/parse.h"

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
    if (complained && !parse_in_builtin_header(p, param->loc)) {
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
    if (function != NULL && !parse_in_builtin_header(p, function->loc)) {
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

// Where some library names are declared, for the advice to include it.
static const char *header_of(const char *name)
{
    static const struct {
        const char *header;
        const char *names; // between spaces
    } table[] = {
        {"math.h", " sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 log log2 log10 log1p expm1 pow sqrt cbrt "
                   "hypot fabs floor ceil round trunc fmod fmin fmax fma erf erfc tgamma lgamma copysign isnan isinf "
                   "sinf cosf tanf asinf acosf atanf atan2f sinhf coshf tanhf expf exp2f logf log2f log10f powf sqrtf "
                   "cbrtf hypotf fabsf floorf ceilf roundf truncf fmodf fminf fmaxf fmaf erff INFINITY NAN M_PI "},
        {"stdio.h", " printf fprintf puts putchar stdout stderr "},
        {"stdlib.h", " abs labs llabs malloc calloc realloc free exit abort rand qsort "},
        {"string.h", " memcpy memset memmove memcmp strlen strcmp strcpy "},
        {"stdbool.h", " bool true false "},
        {"stddef.h", " size_t ptrdiff_t NULL offsetof "},
        {"stdint.h", " int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t intptr_t uintptr_t INT32_MAX "
                     "INT64_MAX UINT32_MAX UINT64_MAX INT32_MIN INT64_MIN "},
        {"limits.h", " INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN CHAR_BIT "},
        {"float.h", " FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON "},
        {"assert.h", " assert static_assert "},
        {"rill/kernel.h", " kernel stream_parallel rill_random_u32 rill_random_f32 rill_random_f64 "
                          "rill_random_normal_f32 rill_atomic_add rill_atomic_sub rill_atomic_mul rill_atomic_min "
                          "rill_atomic_max rill_atomic_and rill_atomic_or rill_atomic_xor rill_atomic_exchange "
                          "rill_atomic_cas "},
    };
    char word[64];
    size_t length = strlen(name);
    if (length + 3 > sizeof word) {
        return NULL;
    }
    word[0] = ' ';
    memcpy(word + 1, name, length);
    memcpy(word + 1 + length, " ", 2);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strstr(table[i].names, word) != NULL) {
            return table[i].header;
        }
    }
    return NULL;
}

const char *parse_name_advice(struct parser *p, const char *name, bool wants_type)
{
    const char *header = header_of(name);
    if (header != NULL) {
        return arena_printf(p->arena, "; #include <%s>", header);
    }
    if (p->diags->last_dropped) {
        return ""; // nobody will read it, and looking takes time
    }
    const char *best = scope_suggest(p, name, wants_type);
    return best != NULL ? arena_printf(p->arena, "; did you mean '%s'?", best) : "";
}

struct expr *parse_unknown_name(struct parser *p, const struct token *token)
{
    const char *name = parse_identifier_text(token);
    bool is_call = parse_at(p, TOKEN_LPAREN);
    parse_error(p, token->loc, "unknown %s '%s'%s", is_call ? "function" : "name", name,
                parse_name_advice(p, name, false));
    scope_add_unknown(p, name, token->loc);
    return expr_error(p, token->loc);
}
