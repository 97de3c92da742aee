#include "lang/parse.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

// ---- messages ------------------------------------------------------------------------------------------------------

static bool is_silent(const struct parser *p)
{
    return p->is_panicking || p->gave_up;
}

void parse_error(struct parser *p, struct loc loc, const char *format, ...)
{
    if (is_silent(p)) {
        return;
    }
    va_list args;
    va_start(args, format);
    diag_error(p->diags, loc, "%s", arena_vprintf(p->arena, format, args));
    va_end(args);
}

void parse_syntax_error(struct parser *p, const char *format, ...)
{
    if (is_silent(p)) {
        return;
    }
    va_list args;
    va_start(args, format);
    const struct token *token = parse_token(p);
    diag_error(p->diags, token->loc, "%s", arena_vprintf(p->arena, format, args));
    va_end(args);
    if (token->macro.line != 0 && !parse_in_builtin_header(p, token->macro)) {
        diag_note(p->diags, token->macro, "it comes from a macro, here");
    }
    p->is_panicking = true;
}

void parse_note(struct parser *p, struct loc loc, const char *format, ...)
{
    if (is_silent(p)) {
        return;
    }
    va_list args;
    va_start(args, format);
    diag_note(p->diags, loc, "%s", arena_vprintf(p->arena, format, args));
    va_end(args);
}

void parse_warning(struct parser *p, struct loc loc, const char *format, ...)
{
    if (is_silent(p) || parse_in_builtin_header(p, loc)) {
        return;
    }
    va_list args;
    va_start(args, format);
    diag_warning(p->diags, loc, "%s", arena_vprintf(p->arena, format, args));
    va_end(args);
}

bool parse_in_builtin_header(const struct parser *p, struct loc loc)
{
    return loc.file < (uint32_t)p->diags->file_count && p->diags->files[loc.file]->builtin;
}

const char *parse_describe(struct parser *p, const struct type *type)
{
    return type_describe(p->arena, type);
}

// ---- the cursor ----------------------------------------------------------------------------------------------------

static int next_index(const struct parser *p, int index)
{
    do {
        index += index < p->token_count - 1;
    } while (p->tokens[index].kind == TOKEN_PRAGMA);
    return index;
}

const struct token *parse_token(const struct parser *p)
{
    assert(p->position < p->token_count && p->tokens[p->position].kind != TOKEN_PRAGMA);
    return &p->tokens[p->position];
}

const struct token *parse_peek(const struct parser *p, int ahead)
{
    assert(ahead >= 0);
    int index = p->position;
    for (; ahead > 0; ahead--) {
        index = next_index(p, index);
    }
    return &p->tokens[index];
}

struct loc parse_loc(const struct parser *p)
{
    return parse_token(p)->loc;
}

bool parse_at(const struct parser *p, enum token_kind kind)
{
    return parse_token(p)->kind == kind;
}

// Pragmas from |from| up to the current token: those of C and of other compilers work at once, ours wait for their
// object.
static void pass_pragmas(struct parser *p, int from)
{
    for (int i = from; i < p->position; i++) {
        const struct token *token = &p->tokens[i];
        if (token->pragma == PRAGMA_PACK) {
            parse_pragma_pack(p, token);
        } else if (token->pragma == PRAGMA_CONTRACT) {
            p->is_uncontracted = strcmp(token->text, "OFF") == 0;
        } else {
            VEC_PUSH(p->arena, &p->pragmas, (struct waiting_pragma){.token = token, .before = p->position});
        }
    }
}

void parse_advance(struct parser *p)
{
    int from = p->position + 1;
    p->position = next_index(p, p->position);
    pass_pragmas(p, from);
}

bool parse_accept(struct parser *p, enum token_kind kind)
{
    if (!parse_at(p, kind)) {
        return false;
    }
    parse_advance(p);
    return true;
}

static const char *kind_text(enum token_kind kind)
{
    switch (kind) {
#define KIND_TEXT(name, spelling)                                                                                      \
    case TOKEN_##name: return "'" spelling "'";
#define KIND_TEXT_KW(name, spelling)                                                                                   \
    case TOKEN_KW_##name: return "'" spelling "'";
        TOKEN_KEYWORD_LIST(KIND_TEXT_KW)
        TOKEN_PUNCT_LIST(KIND_TEXT)
#undef KIND_TEXT
#undef KIND_TEXT_KW
    default: return "a token";
    }
}

// Behind the token before the current one, when that one ends an earlier line; otherwise nowhere.
static struct loc end_of_line_before(const struct parser *p)
{
    const struct token *current = parse_token(p);
    const struct token *before = current;
    while (before > p->tokens && (before == current || before->kind == TOKEN_PRAGMA)) {
        before--;
    }
    bool is_earlier = before != current && before->kind != TOKEN_PRAGMA && before->loc.file == current->loc.file &&
                      before->loc.line < current->loc.line;
    struct loc loc = before->loc;
    if (!is_earlier) {
        return (struct loc){0};
    }
    bool is_spelt = before->macro.line == 0 && before->kind != TOKEN_STRING && before->kind != TOKEN_CHAR;
    loc.column += is_spelt ? before->length : 1;
    return loc;
}

bool parse_expect(struct parser *p, enum token_kind kind, const char *where)
{
    if (parse_accept(p, kind)) {
        if (kind == TOKEN_SEMI) {
            p->is_panicking = false; // what the panic was about ends here
        }
        return true;
    }
    struct loc loc = end_of_line_before(p);
    if (kind == TOKEN_SEMI && loc.line != 0 && !p->is_panicking) {
        // Forgotten at the end of a line: said there, and taken for written.
        parse_error(p, loc, "expected ';' %s", where);
        return true;
    }
    parse_syntax_error(p, "expected %s %s, found %s", kind_text(kind), where, token_describe(p->arena, parse_token(p)));
    return false;
}

const char *parse_identifier_text(const struct token *token)
{
    return token->kind == TOKEN_KW_STREAM_PARALLEL ? "stream_parallel" : token->text;
}

bool parse_at_identifier(const struct parser *p, int ahead)
{
    enum token_kind kind = parse_peek(p, ahead)->kind;
    return kind == TOKEN_IDENT || kind == TOKEN_KW_STREAM_PARALLEL;
}

// For a plain compiler the two short names are macros that vanish: said once for each where one is used as a name.
static void warn_of_short_name(struct parser *p, const struct token *token)
{
    bool *said = token->text[0] == 'k' ? &p->said_kernel : &p->said_stream_parallel;
    if (!*said) {
        parse_warning(p, token->loc,
                      "'%s' is a name here; for a plain C compiler it is a macro of rill/kernel.h: define "
                      "RILL_NO_SHORT_NAMES before the #include, then write RILL_KERNEL and RILL_STREAM_PARALLEL",
                      token->text);
    }
    *said = true;
}

const char *parse_identifier(struct parser *p)
{
    if (!parse_at_identifier(p, 0)) {
        return NULL;
    }
    const char *name = parse_identifier_text(parse_token(p));
    if (parse_token(p)->is_short_name) {
        warn_of_short_name(p, parse_token(p));
    }
    parse_advance(p);
    return name;
}

void parse_skip_parens(struct parser *p)
{
    assert(parse_at(p, TOKEN_LPAREN));
    int depth = 0;
    do {
        if (parse_at(p, TOKEN_LPAREN)) {
            depth++;
        } else if (parse_at(p, TOKEN_RPAREN)) {
            depth--;
        } else if (parse_at(p, TOKEN_EOF)) {
            return;
        }
        parse_advance(p);
    } while (depth > 0);
}

void parse_recover(struct parser *p)
{
    int braces = 0;
    while (!parse_at(p, TOKEN_EOF)) {
        if (parse_at(p, TOKEN_LBRACE)) {
            braces++;
        } else if (parse_at(p, TOKEN_RBRACE)) {
            if (braces == 0) {
                break;
            }
            braces--;
            if (braces == 0) {
                // A whole body was skipped; what follows it begins something new, unless it ends a declaration.
                parse_advance(p);
                parse_accept(p, TOKEN_SEMI);
                break;
            }
        } else if (parse_at(p, TOKEN_SEMI) && braces == 0) {
            parse_advance(p);
            break;
        }
        parse_advance(p);
    }
    p->is_panicking = false;
}

void parse_recover_header(struct parser *p, int open)
{
    assert(open >= 0 && open <= p->position);
    int depth = 0;
    for (int i = open; i < p->position; i++) {
        depth += (p->tokens[i].kind == TOKEN_LPAREN) - (p->tokens[i].kind == TOKEN_RPAREN);
    }
    while (!parse_at(p, TOKEN_EOF) && !parse_at(p, TOKEN_RBRACE)) {
        if (parse_at(p, TOKEN_LBRACE)) {
            p->is_panicking = false;
            return;
        }
        depth += parse_at(p, TOKEN_LPAREN);
        depth -= parse_at(p, TOKEN_RPAREN);
        bool is_end = parse_at(p, TOKEN_RPAREN) && depth <= 0;
        parse_advance(p);
        if (is_end) {
            p->is_panicking = false;
            return;
        }
    }
}

void parse_recover_braces(struct parser *p)
{
    int depth = 0;
    while (!parse_at(p, TOKEN_EOF) && !parse_at(p, TOKEN_SEMI)) {
        if (parse_at(p, TOKEN_RBRACE) && depth-- == 0) {
            p->is_panicking = false;
            return;
        }
        depth += parse_at(p, TOKEN_LBRACE);
        parse_advance(p);
    }
}

// ---- limits --------------------------------------------------------------------------------------------------------

void parse_give_up(struct parser *p)
{
    p->gave_up = true;
    p->position = p->token_count - 1;
}

bool parse_enter(struct parser *p)
{
    if (++p->nesting <= LANG_MAX_NESTING) {
        return true;
    }
    parse_error(p, parse_loc(p), "nested more than %d levels deep", LANG_MAX_NESTING);
    parse_give_up(p);
    return false;
}

void parse_leave(struct parser *p)
{
    assert(p->nesting > 0);
    p->nesting--;
}

// ---- the unit ------------------------------------------------------------------------------------------------------

static void init_basic_types(struct parser *p)
{
    static const uint8_t sizes[] = {
        [TYPE_BOOL] = 1, [TYPE_CHAR] = 1, [TYPE_SCHAR] = 1, [TYPE_UCHAR] = 1,  [TYPE_SHORT] = 2,    [TYPE_USHORT] = 2,
        [TYPE_INT] = 4,  [TYPE_UINT] = 4, [TYPE_LONG] = 8,  [TYPE_ULONG] = 8,  [TYPE_LLONG] = 8,    [TYPE_ULLONG] = 8,
        [TYPE_BF16] = 2, [TYPE_F16] = 2,  [TYPE_FLOAT] = 4, [TYPE_DOUBLE] = 8, [TYPE_LDOUBLE] = 16,
    };
    for (int kind = 0; kind <= TYPE_LDOUBLE; kind++) {
        struct type *type = &p->basic[kind];
        type->kind = (enum type_kind)kind;
        type->size = sizes[kind];
        type->align = sizes[kind] != 0 ? sizes[kind] : 1;
    }
}

static void declarations(struct parser *p, const struct token_list *tokens)
{
    p->tokens = tokens->items;
    p->token_count = tokens->count;
    p->position = 0;
    if (p->tokens[0].kind == TOKEN_PRAGMA) {
        p->position = next_index(p, 0);
        pass_pragmas(p, 0);
    }
    while (!parse_at(p, TOKEN_EOF)) {
        int before = p->position;
        declare_external(p);
        if (p->is_panicking) {
            parse_recover(p);
        }
        if (p->position == before) {
            parse_advance(p); // whatever it was, it has been complained about
        }
    }
}

struct unit *parse_unit(struct arena *arena, struct diags *diags, const struct token_list *tokens)
{
    // In the arena, because the basic types in it outlive this call.
    struct parser *p = ARENA_NEW(arena, struct parser);
    p->arena = arena;
    p->diags = diags;
    init_basic_types(p);
    hash_map_init(&p->names, arena);
    hash_map_init(&p->tags, arena);
    hash_map_init(&p->linkage, arena);
    scope_push(p);
    struct token_list header = {0};
    if (complex_header(arena, diags, tokens, &header)) {
        declarations(p, &header);
        p->is_uncontracted = false; // the header's own
    }
    declarations(p, tokens);
    parse_take_pragmas(p);
    declare_finish_unit(p);

    struct unit *unit = ARENA_NEW(arena, struct unit);
    unit->functions = p->functions.items;
    unit->function_count = p->functions.count;
    unit->globals = p->globals.items;
    unit->global_count = p->globals.count;
    return unit;
}
