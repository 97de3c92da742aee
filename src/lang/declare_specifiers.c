// Declaration specifiers, in any order, and what GNU C and C11 add to them.
#include "lang/parse.h"

#include "base/suggest.h"

#include <assert.h>
#include <string.h>

uint32_t declare_alignas(struct parser *p)
{
    struct loc loc = parse_loc(p);
    parse_advance(p);
    if (!parse_expect(p, TOKEN_LPAREN, "after '_Alignas'")) {
        return 0;
    }
    int64_t value = 0;
    bool is_known = true;
    if (declare_starts_type(p, parse_token(p))) {
        value = declare_type_name(p)->align;
    } else {
        is_known = parse_integer_constant(p, "an alignment", &value);
    }
    parse_expect(p, TOKEN_RPAREN, "after the alignment");
    return !is_known || value == 0 ? 0 : declare_check_align(p, value, loc); // _Alignas(0) says nothing
}

// ---- the type ------------------------------------------------------------------------------------------------------

struct words {
    int voids, bools, chars, shorts, ints, longs, floats, doubles, signeds, unsigneds, complexes, halves, bfloats;
};

static bool has_words(const struct words *w)
{
    return w->voids + w->bools + w->chars + w->shorts + w->ints + w->longs + w->floats + w->doubles + w->signeds +
               w->unsigneds + w->complexes + w->halves + w->bfloats >
           0;
}

static bool add_word(struct words *w, enum token_kind token)
{
    switch (token) {
    case TOKEN_KW_VOID: w->voids++; return true;
    case TOKEN_KW_BOOL: w->bools++; return true;
    case TOKEN_KW_CHAR: w->chars++; return true;
    case TOKEN_KW_SHORT: w->shorts++; return true;
    case TOKEN_KW_INT: w->ints++; return true;
    case TOKEN_KW_LONG: w->longs++; return true;
    case TOKEN_KW_FLOAT: w->floats++; return true;
    case TOKEN_KW_DOUBLE: w->doubles++; return true;
    case TOKEN_KW_FLOAT16: w->halves++; return true;
    case TOKEN_KW_BF16: w->bfloats++; return true;
    case TOKEN_KW_SIGNED: w->signeds++; return true;
    case TOKEN_KW_UNSIGNED: w->unsigneds++; return true;
    case TOKEN_KW_COMPLEX: w->complexes++; return true;
    default: return false;
    }
}

// TYPE_ERROR when the words do not make a type.
static enum type_kind integer_kind(const struct words *w)
{
    bool is_unsigned = w->unsigneds > 0;
    if (w->signeds + w->unsigneds > 1 || w->ints > 1 || w->chars > 1 || w->shorts > 1 || w->longs > 2) {
        return TYPE_ERROR;
    }
    if (w->chars > 0) {
        bool fits = w->ints + w->shorts + w->longs == 0;
        return !fits ? TYPE_ERROR : is_unsigned ? TYPE_UCHAR : w->signeds > 0 ? TYPE_SCHAR : TYPE_CHAR;
    }
    if (w->shorts > 0) {
        return w->longs > 0 ? TYPE_ERROR : is_unsigned ? TYPE_USHORT : TYPE_SHORT;
    }
    if (w->longs == 2) {
        return is_unsigned ? TYPE_ULLONG : TYPE_LLONG;
    }
    if (w->longs == 1) {
        return is_unsigned ? TYPE_ULONG : TYPE_LONG;
    }
    return is_unsigned ? TYPE_UINT : TYPE_INT;
}

static enum type_kind words_kind(const struct words *w)
{
    assert(has_words(w));
    int integers = w->chars + w->shorts + w->ints + w->signeds + w->unsigneds;
    int others = w->voids + w->bools + w->floats + w->doubles + w->halves + w->bfloats;
    if (others > 1 || (others == 1 && integers > 0) || (others == 1 && w->longs > w->doubles)) {
        return TYPE_ERROR;
    }
    if (w->voids > 0) {
        return TYPE_VOID;
    }
    if (w->bools > 0) {
        return TYPE_BOOL;
    }
    if (w->halves + w->bfloats > 0) {
        return w->halves > 0 ? TYPE_F16 : TYPE_BF16;
    }
    if (w->floats > 0) {
        return TYPE_FLOAT;
    }
    if (w->doubles > 0) {
        return w->longs > 0 ? TYPE_LDOUBLE : TYPE_DOUBLE;
    }
    return integer_kind(w);
}

static struct type *complex_type(struct parser *p, const struct words *words, struct loc loc)
{
    struct words rest = *words;
    rest.complexes = 0;
    enum type_kind kind = has_words(&rest) ? words_kind(&rest) : TYPE_DOUBLE;
    if (words->complexes > 1 || kind < TYPE_FLOAT) {
        parse_error(p, loc, "these words do not make a type");
        return &p->basic[TYPE_ERROR];
    }
    return complex_of(p, kind);
}

static struct type *words_type(struct parser *p, const struct words *words, struct loc loc)
{
    if (words->complexes > 0) {
        return complex_type(p, words, loc);
    }
    enum type_kind kind = words_kind(words);
    if (kind == TYPE_ERROR) {
        parse_error(p, loc, "these words do not make a type");
    }
    return &p->basic[kind];
}

static struct type *without_quals(struct parser *p, struct type *type)
{
    type = type_unqualified(p->arena, type);
    if (type->kind == TYPE_ARRAY) {
        type = type_copy(p->arena, type);
        type->base = without_quals(p, type->base);
    }
    return type;
}

static struct type *typeof_specifier(struct parser *p)
{
    bool keeps_quals = strcmp(parse_token(p)->text, "typeof_unqual") != 0;
    parse_advance(p);
    if (!parse_expect(p, TOKEN_LPAREN, "after '__typeof__'")) {
        return &p->basic[TYPE_ERROR];
    }
    struct type *type = NULL;
    if (parse_enter(p)) {
        type = declare_starts_type(p, parse_token(p)) ? declare_type_name(p) : parse_expression(p)->type;
        parse_expect(p, TOKEN_RPAREN, "after '__typeof__'");
    }
    parse_leave(p);
    if (type == NULL) {
        return &p->basic[TYPE_ERROR];
    }
    return keeps_quals ? type : without_quals(p, type);
}

// ---- all of them ---------------------------------------------------------------------------------------------------

// Without underscores they are words of GNU C and C23 alone: a program may also have them as names.
static bool is_typeof(const struct token *token)
{
    assert(token->kind == TOKEN_IDENT); // not the last of all, which is the file's end
    bool is_word = strcmp(token->text, "typeof") == 0 || strcmp(token->text, "typeof_unqual") == 0;
    return is_word && token[1].kind == TOKEN_LPAREN;
}

bool declare_starts_type(struct parser *p, const struct token *token)
{
    switch (token->kind) {
    case TOKEN_KW_VOID:
    case TOKEN_KW_BOOL:
    case TOKEN_KW_CHAR:
    case TOKEN_KW_SHORT:
    case TOKEN_KW_INT:
    case TOKEN_KW_LONG:
    case TOKEN_KW_FLOAT:
    case TOKEN_KW_DOUBLE:
    case TOKEN_KW_FLOAT16:
    case TOKEN_KW_BF16:
    case TOKEN_KW_SIGNED:
    case TOKEN_KW_UNSIGNED:
    case TOKEN_KW_COMPLEX:
    case TOKEN_KW_IMAGINARY:
    case TOKEN_KW_STRUCT:
    case TOKEN_KW_UNION:
    case TOKEN_KW_ENUM:
    case TOKEN_KW_CONST:
    case TOKEN_KW_VOLATILE:
    case TOKEN_KW_RESTRICT:
    case TOKEN_KW_TYPEDEF:
    case TOKEN_KW_EXTERN:
    case TOKEN_KW_STATIC:
    case TOKEN_KW_AUTO:
    case TOKEN_KW_REGISTER:
    case TOKEN_KW_INLINE:
    case TOKEN_KW_NORETURN:
    case TOKEN_KW_ALIGNAS:
    case TOKEN_KW_ATOMIC:
    case TOKEN_KW_THREAD_LOCAL:
    case TOKEN_KW_TYPEOF:
    case TOKEN_KW_ATTRIBUTE:
    case TOKEN_KW_KERNEL: return true;
    case TOKEN_IDENT: {
        const struct symbol *symbol = scope_find(p, token->text);
        return symbol != NULL ? symbol->kind == SYMBOL_TYPEDEF
                              : is_typeof(token) || builtin_type(p, token->text) != NULL;
    }
    default: return false;
    }
}

static bool storage_specifier(struct parser *p, struct specifiers *out)
{
    enum storage_class storage;
    const struct token *token = parse_token(p);
    switch (token->kind) {
    case TOKEN_KW_TYPEDEF: storage = STORAGE_TYPEDEF; break;
    case TOKEN_KW_EXTERN: storage = STORAGE_EXTERN; break;
    case TOKEN_KW_STATIC: storage = STORAGE_STATIC; break;
    case TOKEN_KW_AUTO: storage = STORAGE_AUTO; break;
    case TOKEN_KW_REGISTER: storage = STORAGE_REGISTER; break;
    default: return false;
    }
    if (out->storage != STORAGE_NONE) {
        parse_error(p, token->loc, "'%s' after another storage class", token->text);
    }
    out->storage = storage;
    parse_advance(p);
    return true;
}

static bool function_specifier(struct parser *p, struct specifiers *out)
{
    const struct token *token = parse_token(p);
    switch (token->kind) {
    case TOKEN_KW_INLINE: out->is_inline = true; break;
    case TOKEN_KW_NORETURN: out->attributes.is_noreturn = true; break;
    case TOKEN_KW_KERNEL: out->is_kernel = true; break;
    case TOKEN_KW_EXTENSION: break;
    case TOKEN_KW_THREAD_LOCAL: parse_error(p, token->loc, "'_Thread_local' is not supported"); break;
    case TOKEN_KW_IMAGINARY: parse_error(p, token->loc, "'_Imaginary' is not supported"); break;
    case TOKEN_KW_ATOMIC:
        parse_error(p, token->loc, "'_Atomic' is not supported: use rill_atomic_add() and its kin");
        if (parse_peek(p, 1)->kind == TOKEN_LPAREN) {
            parse_advance(p);
            parse_skip_parens(p);
            out->type = &p->basic[TYPE_ERROR];
            return true;
        }
        break;
    case TOKEN_KW_ATTRIBUTE:
        out->attributes.takes_type = true;
        declare_attributes(p, &out->attributes);
        return true;
    case TOKEN_KW_ALIGNAS: {
        uint32_t align = declare_alignas(p);
        out->alignas = align > out->alignas ? align : out->alignas;
        return true;
    }
    default: return false;
    }
    parse_advance(p);
    return true;
}

static unsigned qualifier_of(enum token_kind token)
{
    switch (token) {
    case TOKEN_KW_CONST: return QUAL_CONST;
    case TOKEN_KW_VOLATILE: return QUAL_VOLATILE;
    case TOKEN_KW_RESTRICT: return QUAL_RESTRICT;
    default: return 0;
    }
}

// A struct, union, enum, typedef name or __typeof__. NULL: the token is none of them.
static struct type *type_specifier(struct parser *p, struct specifiers *out)
{
    const struct token *token = parse_token(p);
    switch (token->kind) {
    case TOKEN_KW_STRUCT:
    case TOKEN_KW_UNION: out->declares_tag = true; return declare_record(p);
    case TOKEN_KW_ENUM: out->declares_tag = true; return declare_enum(p);
    case TOKEN_KW_TYPEOF: return typeof_specifier(p);
    case TOKEN_IDENT: {
        const struct symbol *symbol = scope_find(p, token->text);
        if (symbol == NULL && is_typeof(token)) {
            return typeof_specifier(p);
        }
        struct type *type = symbol == NULL                   ? builtin_type(p, token->text)
                            : symbol->kind == SYMBOL_TYPEDEF ? symbol->type
                                                             : NULL;
        if (type != NULL) {
            parse_advance(p);
        }
        return type;
    }
    default: return NULL;
    }
}

// `fooo x;`: two names in a row where a declaration must stand, so the first was meant to be a type.
static bool unknown_type(struct parser *p, struct specifiers *out)
{
    const struct token *token = parse_token(p);
    enum token_kind next = parse_peek(p, 1)->kind;
    if (token->kind != TOKEN_IDENT || (next != TOKEN_IDENT && next != TOKEN_STAR) ||
        scope_find(p, token->text) != NULL) {
        return false;
    }
    if (next == TOKEN_STAR && !parse_at_identifier(p, 2)) {
        return false;
    }
    parse_error(p, token->loc, "unknown type '%s'%s", token->text, parse_name_advice(p, token->text, true));
    parse_advance(p);
    out->type = &p->basic[TYPE_ERROR];
    return true;
}

// `kernal void f(…)`: a name before what begins a type. It was meant to be a specifier.
static bool unknown_specifier(struct parser *p, struct specifiers *out)
{
    const struct token *token = parse_token(p);
    const struct token *next = parse_peek(p, 1);
    if (token->kind != TOKEN_IDENT || next->kind == TOKEN_KW_ATTRIBUTE || !declare_starts_type(p, next) ||
        scope_find(p, token->text) != NULL) {
        return false;
    }
    static const char *const words[] = {"kernel",   "static",  "inline", "const", "unsigned", "signed",
                                        "volatile", "typedef", "extern", "long",  "short",    "register"};
    const char *best = diag_suggest(token->text, words, sizeof words / sizeof *words);
    if (strcmp(token->text, "kernel") == 0 || strcmp(token->text, "RILL_KERNEL") == 0) {
        parse_error(p, token->loc, "unknown word '%s'; #include <rill/kernel.h>", token->text);
        p->missed_header = true;
        out->is_kernel = true;
    } else {
        const char *advice = best != NULL ? arena_printf(p->arena, "; did you mean '%s'?", best)
                                          : parse_name_advice(p, token->text, true);
        parse_error(p, token->loc, "unknown word '%s'%s", token->text, advice);
    }
    out->is_kernel |= best != NULL && strcmp(best, "kernel") == 0; // and then less is complained about
    parse_advance(p);
    return true;
}

static struct type *finish_type(struct parser *p, struct specifiers *out, const struct words *words)
{
    if (out->type != NULL) {
        if (has_words(words)) {
            bool is_record = out->type->kind == TYPE_STRUCT || out->type->kind == TYPE_UNION;
            parse_error(p, out->loc, "these words do not make a type%s",
                        is_record ? ": is a ';' missing after the '}' of the struct?" : "");
            return is_record ? words_type(p, words, out->loc) : out->type; // what follows is meant to have the latter
        }
        return out->type;
    }
    if (has_words(words)) {
        const struct token *token = parse_token(p);
        bool is_128 = token->kind == TOKEN_IDENT && strcmp(token->text, "__int128") == 0;
        return !is_128 || !unknown_type(p, out) ? words_type(p, words, out->loc) : out->type;
    }
    if (!unknown_type(p, out)) {
        const struct token *token = parse_token(p);
        const char *advice = out->storage == STORAGE_AUTO ? parse_foreign_advice("auto")
                             : token->kind == TOKEN_IDENT ? parse_foreign_advice(token->text)
                                                          : "";
        parse_syntax_error(p, "expected a type, found %s%s", token_describe(p->arena, token), advice);
        return &p->basic[TYPE_ERROR];
    }
    return out->type;
}

bool declare_specifiers(struct parser *p, struct specifiers *out, enum declare_place place)
{
    *out = (struct specifiers){.loc = parse_loc(p)};
    struct words words = {0};
    unsigned quals = 0;
    for (;;) {
        enum token_kind token = parse_token(p)->kind;
        if (storage_specifier(p, out) || function_specifier(p, out)) {
            continue;
        }
        if (qualifier_of(token) != 0) {
            quals |= qualifier_of(token);
            parse_advance(p);
            continue;
        }
        if (add_word(&words, token)) {
            parse_advance(p);
            continue;
        }
        if (out->type != NULL || has_words(&words)) {
            break;
        }
        struct type *type = type_specifier(p, out);
        if (type == NULL) {
            if (!unknown_specifier(p, out)) {
                break;
            }
            continue;
        }
        out->type = type;
    }
    out->type = declare_apply_attributes(p, finish_type(p, out, &words), &out->attributes, out->loc);
    if ((quals & QUAL_RESTRICT) != 0 && out->type->kind != TYPE_POINTER && !type_is_error(out->type)) {
        parse_error(p, out->loc, "'restrict' is for pointers, not for '%s'", parse_describe(p, out->type));
        quals &= ~(unsigned)QUAL_RESTRICT;
    }
    out->type = type_with_quals(p->arena, out->type, quals);
    bool plain = place == DECLARE_MEMBER || place == DECLARE_TYPE_NAME;
    if (plain && (out->storage != STORAGE_NONE || out->is_inline || out->is_kernel)) {
        parse_error(p, out->loc, "a storage class has no place here");
    }
    return !p->is_panicking;
}
