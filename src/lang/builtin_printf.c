// printf's format against its arguments. A mismatch is an error, as gcc's -Wformat says it; what a kernel cannot do
// with a format (one that is no literal, %s with a pointer, %n) is refused where a kernel reaches it.
#include "lang/parse.h"

#include <ctype.h>
#include <string.h>

struct directive {
    const char *at;
    int length; // of the text, '%' included
    int stars;  // '*' for width and precision
    char size[3];
    char conversion;
};

// Reads the directive that begins at |text|; false when it is none that C knows.
static bool read_directive(const char *text, struct directive *out)
{
    const char *at = text + 1;
    *out = (struct directive){.at = text};
    at += strspn(at, "-+ #0");
    for (int part = 0; part < 2; part++) {
        if (part == 1) {
            if (*at != '.') {
                break;
            }
            at++;
        }
        if (*at == '*') {
            out->stars++;
            at++;
        } else {
            at += strspn(at, "0123456789");
        }
    }
    size_t size = strspn(at, "hljztL");
    if (size > 2 || (size == 2 && strncmp(at, "hh", 2) != 0 && strncmp(at, "ll", 2) != 0)) {
        return false;
    }
    memcpy(out->size, at, size);
    out->conversion = at[size];
    out->length = (int)(at + size - text) + (out->conversion != '\0');
    return out->conversion != '\0' && strchr("diouxXcsfFeEgGaAp%n", out->conversion) != NULL;
}

static enum type_kind wanted_integer(const char *size)
{
    if (strcmp(size, "ll") == 0) {
        return TYPE_LLONG;
    }
    return *size == 'l' || *size == 'j' || *size == 'z' || *size == 't' ? TYPE_LONG : TYPE_INT;
}

static enum type_kind signed_kind(const struct type *type)
{
    switch (type->kind) {
    case TYPE_UINT: return TYPE_INT;
    case TYPE_ULONG: return TYPE_LONG;
    case TYPE_ULLONG: return TYPE_LLONG;
    default: return type->kind;
    }
}

static const char *kind_text(enum type_kind kind)
{
    switch (kind) {
    case TYPE_INT: return "'int'";
    case TYPE_LONG: return "'long'";
    case TYPE_LLONG: return "'long long'";
    case TYPE_DOUBLE: return "'double'";
    case TYPE_LDOUBLE: return "'long double'";
    default: return "a pointer";
    }
}

static enum type_kind wanted_kind(const struct directive *d)
{
    switch (d->conversion) {
    case 's':
    case 'n':
    case 'p': return TYPE_POINTER;
    case 'c': return TYPE_INT;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return d->size[0] == 'L' ? TYPE_LDOUBLE : TYPE_DOUBLE;
    default: return wanted_integer(d->size);
    }
}

static const struct expr *without_casts(const struct expr *e)
{
    while (e->kind == EXPR_CAST && e->type->kind == TYPE_POINTER) {
        e = e->a;
    }
    return e;
}

bool printf_takes_text(const struct expr *e)
{
    e = without_casts(e);
    if (e->kind == EXPR_COND && e->b != NULL) {
        return printf_takes_text(e->b) && printf_takes_text(e->c);
    }
    return e->kind == EXPR_DECAY && e->a->type->kind == TYPE_ARRAY && type_is_char(e->a->type->base);
}

// What a kernel cannot do with this directive; NULL if it can.
static const char *refusal(const struct directive *d, const struct expr *arg)
{
    if (d->conversion == 'n') {
        return "printf with '%n'";
    }
    if (d->conversion == 's' && d->size[0] == 'l') {
        return "printf with '%ls'";
    }
    if (d->conversion == 's' && !printf_takes_text(arg)) {
        return "printf of '%s' with a pointer: it takes a string literal or an array of char";
    }
    return NULL;
}

static bool check_argument(struct parser *p, const struct directive *d, const struct expr *arg)
{
    enum type_kind wanted = wanted_kind(d);
    const struct type *type = arg->type;
    bool fits = signed_kind(type) == wanted;
    if (d->conversion == 's' && type->kind == TYPE_POINTER) {
        fits = type_is_char(type->base) || d->size[0] == 'l';
    }
    if (!fits) {
        parse_error(p, arg->loc, "'%.*s' of printf takes %s, not '%s'", d->length, d->at,
                    d->conversion == 's' ? "'char *'" : kind_text(wanted), parse_describe(p, type));
    }
    return fits;
}

struct format_state {
    struct expr *call;
    int next; // argument
    const char *refused;
};

// Takes the next argument; NULL when there is none left.
static const struct expr *take(struct parser *p, struct format_state *state, const struct directive *d)
{
    if (state->next >= state->call->arg_count) {
        parse_error(p, state->call->loc, "'%.*s' of printf has no argument", d->length, d->at);
        return NULL;
    }
    return state->call->args[state->next++];
}

static bool check_directive(struct parser *p, struct format_state *state, const struct directive *d)
{
    for (int i = 0; i < d->stars; i++) {
        const struct expr *arg = take(p, state, d);
        if (arg == NULL) {
            return false;
        }
        if (signed_kind(arg->type) != TYPE_INT) {
            parse_error(p, arg->loc, "'*' in '%.*s' of printf takes 'int', not '%s'", d->length, d->at,
                        parse_describe(p, arg->type));
            return false;
        }
    }
    if (d->conversion == '%') {
        return true;
    }
    const struct expr *arg = take(p, state, d);
    if (arg == NULL || !check_argument(p, d, arg)) {
        return false;
    }
    const char *refused = refusal(d, arg);
    state->refused = refused != NULL ? refused : state->refused;
    return true;
}

static bool check_format(struct parser *p, struct format_state *state, const struct expr *format)
{
    const char *end = format->bytes + format->u - 1;
    for (const char *at = format->bytes; at < end && *at != '\0'; at++) {
        if (*at != '%') {
            continue;
        }
        struct directive d;
        if (!read_directive(at, &d)) {
            int length = d.length > 0 ? d.length : 1;
            length -= length > 1 && iscntrl((unsigned char)at[length - 1]); // "100%\n": the line end is no part of it
            parse_error(p, format->loc, "printf does not know '%.*s'", length, at);
            return false;
        }
        if (!check_directive(p, state, &d)) {
            return false;
        }
        at += d.length - 1;
    }
    if (state->next < state->call->arg_count) {
        parse_error(p, state->call->args[state->next]->loc, "printf's format has no place for this argument");
        return false;
    }
    return true;
}

struct expr *builtin_check_call(struct parser *p, struct expr *call)
{
    if (call->kind != EXPR_CALL || !call->function->is_builtin || call->arg_count < 1) {
        return call;
    }
    if (strcmp(call->function->name, "printf") != 0) {
        return builtin_gnu_fold(p, call);
    }
    const struct expr *format = without_casts(call->args[0]);
    if (format->kind != EXPR_DECAY || format->a->kind != EXPR_STRING) {
        return expr_refused(p, call->type, call->loc, "printf with a format that is no literal");
    }
    struct format_state state = {.call = call, .next = 1};
    if (!check_format(p, &state, format->a)) {
        return expr_error(p, call->loc);
    }
    return state.refused != NULL ? expr_refused(p, call->type, call->loc, state.refused) : call;
}
