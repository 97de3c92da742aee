// Expressions as text, for messages: as they were written, but for blanks and for what the preprocessor replaced. The
// tree knows which parentheses were written, so none have to be made up.
#include "lang/ast.h"

enum { MOST_TEXT = 80 }; // beyond, it is no help in a message

static const char *binary_sign(enum expr_kind kind)
{
    switch (kind) {
    case EXPR_ADD: return " + ";
    case EXPR_SUB: return " - ";
    case EXPR_MUL: return " * ";
    case EXPR_DIV: return " / ";
    case EXPR_MOD: return " % ";
    case EXPR_SHL: return " << ";
    case EXPR_SHR: return " >> ";
    case EXPR_AND: return " & ";
    case EXPR_OR: return " | ";
    case EXPR_XOR: return " ^ ";
    case EXPR_LT: return " < ";
    case EXPR_LE: return " <= ";
    case EXPR_GT: return " > ";
    case EXPR_GE: return " >= ";
    case EXPR_EQ: return " == ";
    case EXPR_NE: return " != ";
    case EXPR_LOGAND: return " && ";
    case EXPR_LOGOR: return " || ";
    default: return NULL;
    }
}

static bool print(const struct expr *e, struct str *out);

static bool print_prefix(const char *sign, const struct expr *a, struct str *out)
{
    str_add(out, sign);
    return print(a, out);
}

static bool print_call(const struct expr *e, struct str *out)
{
    str_printf(out, "%s(", e->function->name);
    for (int i = 0; i < e->arg_count; i++) {
        str_add(out, i > 0 ? ", " : "");
        if (!print(e->args[i], out)) {
            return false;
        }
    }
    str_add_char(out, ')');
    return true;
}

static const struct expr *without_casts(const struct expr *e)
{
    while (e->kind == EXPR_CAST && e->is_implicit && !e->is_paren) {
        e = e->a;
    }
    return e;
}

static bool print_sum(const struct expr *pointer, const struct expr *index, struct str *out)
{
    bool is_printed = print(pointer, out);
    const struct expr *bare = without_casts(index);
    bool is_minus = bare->kind == EXPR_NEG && !bare->is_paren;
    str_add(out, is_minus ? " - " : " + ");
    return is_printed && print(is_minus ? bare->a : index, out);
}

static bool print_element(const struct expr *pointer, const struct expr *index, struct str *out)
{
    if (without_casts(pointer)->kind == EXPR_PTR_ADD && !without_casts(pointer)->is_paren) {
        str_add(out, "*(");
        bool is_printed = print_sum(pointer, index, out);
        str_add_char(out, ')');
        return is_printed;
    }
    if (!print(pointer, out)) {
        return false;
    }
    str_add_char(out, '[');
    bool is_printed = print(index, out);
    str_add_char(out, ']');
    return is_printed;
}

static bool print_member(const struct expr *e, struct str *out)
{
    bool is_arrow = e->a->kind == EXPR_DEREF && e->a->a->kind != EXPR_PTR_ADD && !e->a->is_paren;
    if (e->member->name == NULL || !print(is_arrow ? e->a->a : e->a, out)) {
        return false;
    }
    str_printf(out, "%s%s", is_arrow ? "->" : ".", e->member->name);
    return true;
}

static bool print_bare(const struct expr *e, struct str *out)
{
    const char *sign = binary_sign(e->kind);
    if (sign != NULL) {
        bool is_printed = print(e->a, out);
        str_add(out, sign);
        return is_printed && print(e->b, out);
    }
    switch (e->kind) {
    case EXPR_INT: str_printf(out, type_is_signed(e->type) ? "%lld" : "%llu", (long long)e->u); return true;
    case EXPR_OBJECT: str_add(out, e->object->name != NULL ? e->object->name : ""); return e->object->name != NULL;
    case EXPR_NEG: return print_prefix("-", e->a, out);
    case EXPR_BITNOT: return print_prefix("~", e->a, out);
    case EXPR_LOGNOT: return print_prefix("!", e->a, out);
    case EXPR_ADDR: return print_prefix("&", e->a, out);
    case EXPR_DECAY: return print(e->a, out);
    case EXPR_DEREF:
        return e->a->kind == EXPR_PTR_ADD && !e->a->is_paren ? print_element(e->a->a, e->a->b, out)
                                                             : print_prefix("*", e->a, out);
    case EXPR_PTR_ADD: return print_sum(e->a, e->b, out);
    case EXPR_MEMBER: return print_member(e, out);
    case EXPR_CALL: return e->function != NULL && print_call(e, out);
    case EXPR_COND: {
        bool is_printed = print(e->a, out);
        str_add(out, " ? ");
        is_printed = is_printed && print(e->b, out);
        str_add(out, " : ");
        return is_printed && print(e->c, out);
    }
    default: return false; // assignments, literals of other kinds: nobody looks for them here
    }
}

static bool print(const struct expr *e, struct str *out)
{
    if (out->length > MOST_TEXT) {
        return false;
    }
    e = without_casts(e);
    str_add(out, e->is_paren ? "(" : "");
    bool is_printed = false;
    if (e->kind == EXPR_CAST && !e->is_implicit) {
        str_printf(out, "(%s)", type_describe(out->arena, e->type));
        is_printed = print(e->a, out);
    } else {
        is_printed = e->kind == EXPR_CAST ? print(e->a, out) : print_bare(e, out);
    }
    str_add(out, e->is_paren ? ")" : "");
    return is_printed;
}

const char *expr_element_text(struct arena *arena, const struct expr *pointer, const struct expr *index)
{
    struct str text;
    str_init(&text, arena);
    bool is_printed = print_element(pointer, index, &text);
    return is_printed && text.length <= MOST_TEXT ? str_text(&text) : NULL;
}
