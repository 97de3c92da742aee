// GNU C's attributes.
#include "lang/parse.h"

#include <string.h>

bool declare_is_attribute(const char *text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(text, "__", 2) == 0) {
        return strncmp(text + 2, word, length) == 0 && strcmp(text + 2 + length, "__") == 0;
    }
    return strcmp(text, word) == 0;
}

uint32_t declare_check_align(struct parser *p, int64_t value, struct loc loc)
{
    if (value <= 0 || (value & (value - 1)) != 0 || value > 4096) {
        parse_error(p, loc, "an alignment must be a power of two from 1 to 4096, not %lld", (long long)value);
        return 0;
    }
    return (uint32_t)value;
}

static void aligned_attribute(struct parser *p, struct attributes *attributes, struct loc loc)
{
    int64_t value = 16; // what gcc takes without a number on x86-64
    if (parse_accept(p, TOKEN_LPAREN)) {
        if (!parse_integer_constant(p, "an alignment", &value)) {
            value = 1;
        }
        parse_expect(p, TOKEN_RPAREN, "after the alignment");
    }
    uint32_t align = declare_check_align(p, value, loc);
    attributes->align = align > attributes->align ? align : attributes->align;
}

// Those that have their meaning here, and hints without which a program does the same.
static const char *const known_attributes[] = {
    "aligned",
    "packed",
    "noreturn",
    "mode",
    "vector_size",
    "ext_vector_type",
    "access",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cold",
    "const",
    "deprecated",
    "designated_init",
    "fallthrough",
    "flatten",
    "format",
    "format_arg",
    "hot",
    "leaf",
    "malloc",
    "may_alias",
    "no_instrument_function",
    "no_sanitize",
    "noclone",
    "noinline",
    "nonnull",
    "nonstring",
    "nothrow",
    "pure",
    "returns_nonnull",
    "sentinel",
    "unused",
    "used",
    "visibility",
    "warn_unused_result",
};

bool declare_has_attribute(const char *text)
{
    for (size_t i = 0; i < sizeof known_attributes / sizeof *known_attributes; i++) {
        if (declare_is_attribute(text, known_attributes[i])) {
            return true;
        }
    }
    return false;
}

// Attributes that would change what the program computes and that are not done here. All others say something to the
// optimiser, the linker or a checker.
static void foreign_attribute(struct parser *p, const struct token *token, const char *text)
{
    static const char *const refused[] = {"address_space",
                                          "scalar_storage_order",
                                          "ms_struct",
                                          "hardbool",
                                          "transparent_union",
                                          "cleanup",
                                          "alias",
                                          "weakref",
                                          "ifunc"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (declare_is_attribute(text, refused[i])) {
            parse_error(p, token->loc, "the attribute '%s' is not supported", text);
            return;
        }
    }
    if (declare_is_attribute(text, "constructor") || declare_is_attribute(text, "destructor")) {
        parse_warning(p, token->loc, "the attribute '%s' is ignored: a module runs nothing but its kernels", text);
    }
    const struct token *argument = parse_peek(p, 1);
    if (declare_is_attribute(text, "optimize") && argument->kind == TOKEN_STRING &&
        strstr(argument->text, "fp-contract") != NULL) {
        parse_warning(p, token->loc,
                      "the attribute '%s' does not set contraction: write '#pragma STDC FP_CONTRACT OFF'", text);
    }
}

static void vector_attribute(struct parser *p, struct attributes *attributes, const struct token *token, int64_t *out)
{
    int64_t value = 0;
    if (!parse_expect(p, TOKEN_LPAREN, "after the attribute")) {
        return;
    }
    if (parse_integer_constant(p, "the size of a vector", &value) && value <= 0) {
        parse_error(p, token->loc, "a vector needs a size, not %lld", (long long)value);
    } else if (!attributes->takes_type) {
        parse_error(p, token->loc, "'%s' does not stand here: write it in a typedef", token->text);
    } else {
        *out = value;
    }
    parse_expect(p, TOKEN_RPAREN, "after the size of a vector");
}

static void mode_attribute(struct parser *p, struct attributes *attributes, const struct token *token)
{
    if (!parse_expect(p, TOKEN_LPAREN, "after the attribute")) {
        return;
    }
    if (!attributes->takes_type) {
        parse_error(p, token->loc, "'%s' does not stand here: write it in a typedef", token->text);
    } else if (parse_at(p, TOKEN_IDENT)) {
        attributes->mode = parse_token(p)->text;
    }
    parse_advance(p);
    parse_expect(p, TOKEN_RPAREN, "after the mode");
}

// gcc's machine modes: a number of the same kind in another size.
static struct type *with_mode(struct parser *p, struct type *type, const char *mode, struct loc loc)
{
    static const struct {
        const char *name;
        enum type_kind kind; // the signed one, whose unsigned form is the next
    } modes[] = {{"QI", TYPE_SCHAR}, {"byte", TYPE_SCHAR}, {"HI", TYPE_SHORT},     {"SI", TYPE_INT},
                 {"DI", TYPE_LONG},  {"word", TYPE_LONG},  {"pointer", TYPE_LONG}, {"HF", TYPE_F16},
                 {"SF", TYPE_FLOAT}, {"DF", TYPE_DOUBLE}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        bool is_kind = type_is_float(&p->basic[modes[i].kind]) ? type_is_float(type)
                                                               : type_is_integer(type) && type->kind != TYPE_ENUM;
        if (declare_is_attribute(mode, modes[i].name) && is_kind && type->kind != TYPE_BOOL) {
            bool is_unsigned = type_is_integer(type) && !type_is_signed(type);
            struct type *other = &p->basic[modes[i].kind + (is_unsigned ? 1 : 0)];
            return type->quals != 0 ? type_with_quals(p->arena, other, type->quals) : other;
        }
    }
    parse_error(p, loc, "the mode '%s' of '%s' is not supported", mode, parse_describe(p, type));
    return &p->basic[TYPE_ERROR];
}

struct type *declare_apply_attributes(struct parser *p, struct type *type, const struct attributes *attributes,
                                      struct loc loc)
{
    if (attributes->mode != NULL && !type_is_error(type)) {
        type = with_mode(p, type, attributes->mode, loc);
    }
    return vector_apply(p, type, attributes, loc);
}

static void attribute(struct parser *p, struct attributes *attributes)
{
    const struct token *token = parse_token(p);
    parse_advance(p); // any word, keywords like const too
    const char *text = token->text != NULL ? token->text : "";
    if (declare_is_attribute(text, "aligned")) {
        aligned_attribute(p, attributes, token->loc);
        return;
    }
    if (declare_is_attribute(text, "vector_size") || declare_is_attribute(text, "ext_vector_type")) {
        vector_attribute(p, attributes, token,
                         declare_is_attribute(text, "vector_size") ? &attributes->vector_size : &attributes->lanes);
        return;
    }
    if (declare_is_attribute(text, "mode")) {
        mode_attribute(p, attributes, token);
        return;
    }
    if (declare_is_attribute(text, "packed")) {
        attributes->is_packed = true;
    } else if (declare_is_attribute(text, "noreturn")) {
        attributes->is_noreturn = true;
    } else {
        foreign_attribute(p, token, text);
    }
    if (parse_at(p, TOKEN_LPAREN)) {
        parse_skip_parens(p);
    }
}

void declare_attributes(struct parser *p, struct attributes *attributes)
{
    while (parse_accept(p, TOKEN_KW_ATTRIBUTE)) {
        if (!parse_expect(p, TOKEN_LPAREN, "after '__attribute__'") ||
            !parse_expect(p, TOKEN_LPAREN, "after '__attribute__('")) {
            return;
        }
        while (!parse_at(p, TOKEN_RPAREN) && !parse_at(p, TOKEN_EOF) && !p->is_panicking) {
            if (!parse_accept(p, TOKEN_COMMA)) {
                attribute(p, attributes);
            }
        }
        parse_expect(p, TOKEN_RPAREN, "after the attributes");
        parse_expect(p, TOKEN_RPAREN, "after the attributes");
    }
}
