#include "lang/lex.h"

#include "base/utf8.h"

#include <assert.h>
#include <string.h>

struct keyword {
    const char *spelling;
    enum token_kind kind;
};

static const struct keyword keywords[] = {
#define KEYWORD(name, spelling) {spelling, TOKEN_KW_##name},
    TOKEN_KEYWORD_LIST(KEYWORD)
#undef KEYWORD
        {"__const", TOKEN_KW_CONST},
    {"__const__", TOKEN_KW_CONST},
    {"__inline", TOKEN_KW_INLINE},
    {"__inline__", TOKEN_KW_INLINE},
    {"__restrict", TOKEN_KW_RESTRICT},
    {"__restrict__", TOKEN_KW_RESTRICT},
    {"__volatile", TOKEN_KW_VOLATILE},
    {"__volatile__", TOKEN_KW_VOLATILE},
    {"__signed", TOKEN_KW_SIGNED},
    {"__signed__", TOKEN_KW_SIGNED},
    {"__typeof", TOKEN_KW_TYPEOF},
    {"__attribute", TOKEN_KW_ATTRIBUTE},
    {"__alignof", TOKEN_KW_ALIGNOF},
    {"__alignof__", TOKEN_KW_ALIGNOF},
    {"__asm", TOKEN_KW_ASM},
    {"__complex__", TOKEN_KW_COMPLEX},
    {"__complex", TOKEN_KW_COMPLEX},
    {"__real", TOKEN_KW_REAL},
    {"__imag", TOKEN_KW_IMAG},
    {"__thread", TOKEN_KW_THREAD_LOCAL},
};

static struct lex_name *add_name(struct lex_names *names, const char *text, size_t length)
{
    struct lex_name *name = ARENA_NEW(names->arena, struct lex_name);
    name->text = text;
    name->length = (uint32_t)length;
    name->keyword = TOKEN_IDENT;
    hash_map_set(&names->map, text, length, name);
    return name;
}

void lex_names_init(struct lex_names *names, struct arena *arena)
{
    names->arena = arena;
    hash_map_init(&names->map, arena);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        add_name(names, keywords[i].spelling, strlen(keywords[i].spelling))->keyword = keywords[i].kind;
    }
}

struct lex_name *lex_names_get(struct lex_names *names, const char *text, size_t length)
{
    struct lex_name *name = hash_map_get(&names->map, text, length);
    return name != NULL ? name : add_name(names, arena_strndup(names->arena, text, length), length);
}

void lex_init(struct lexer *lexer, struct arena *arena, struct diags *diags, struct lex_names *names)
{
    *lexer = (struct lexer){.arena = arena, .diags = diags, .names = names};
}

void lex_open(struct lexer *lexer, const struct lex_text *source, uint32_t file)
{
    assert(source->text[source->length] == '\0'); // the lexer looks ahead without counting
    lexer->source = source;
    lexer->p = source->text;
    lexer->end = source->text + source->length;
    lexer->file = file;
    lexer->line = 1;
    lexer->line_start = true;
}

// Places are asked for in rising order but for messages about the inside of a token, hence the way back.
struct loc lex_loc(struct lexer *lexer, const char *at)
{
    const struct lex_text *source = lexer->source;
    assert(at >= source->text && at <= source->text + source->length);
    uint32_t offset = (uint32_t)(at - source->text);
    while (lexer->line < source->line_count && source->line_starts[lexer->line] <= offset) {
        lexer->line++;
    }
    while (lexer->line > 1 && source->line_starts[lexer->line - 1] > offset) {
        lexer->line--;
    }
    return (struct loc){lexer->file, (uint32_t)((int64_t)lexer->line + lexer->line_shift),
                        offset - source->line_starts[lexer->line - 1] + 1};
}

static void skip_block_comment(struct lexer *lexer)
{
    assert(lexer->p[0] == '/' && lexer->p[1] == '*');
    const char *start = lexer->p;
    const char *p = start + 2;
    for (;;) {
        p = p < lexer->end ? memchr(p, '*', (size_t)(lexer->end - p)) : NULL;
        if (p == NULL) {
            // Said in a skipped group too: whatever follows is lost.
            diag_error(lexer->diags, lex_loc(lexer, start), "this comment does not end");
            lexer->p = lexer->end;
            return;
        }
        if (p + 1 < lexer->end && p[1] == '/') {
            lexer->p = p + 2;
            return;
        }
        p++;
    }
}

static void skip_line_comment(struct lexer *lexer)
{
    const char *p = memchr(lexer->p, '\n', (size_t)(lexer->end - lexer->p));
    lexer->p = p == NULL ? lexer->end : p;
}

// Skips white space and comments; returns the flags of the token behind them.
static uint8_t skip_space(struct lexer *lexer)
{
    uint8_t flags = 0;
    for (; lexer->p < lexer->end; flags |= LEX_SPACE) {
        char c = *lexer->p;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lexer->p++;
        } else if (c == '\n') {
            if (lexer->in_directive) {
                break;
            }
            lexer->p++;
            lexer->line_start = true;
        } else if (c == '\0') {
            if (!lexer->quiet) {
                diag_warning(lexer->diags, lex_loc(lexer, lexer->p), "a zero byte in the source is taken for a blank");
            }
            lexer->p++;
        } else if (c == '/' && lexer->p[1] == '*') {
            skip_block_comment(lexer);
        } else if (c == '/' && lexer->p[1] == '/') {
            skip_line_comment(lexer);
        } else {
            break;
        }
    }
    if (lexer->line_start) {
        flags |= LEX_LINE_START;
    }
    return flags;
}

static bool is_ident_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int lex_ucn_decode(const char *p, const char *end, uint32_t *out_code)
{
    if (end - p < 6 || p[0] != '\\' || (p[1] != 'u' && p[1] != 'U')) {
        return 0;
    }
    int digits = p[1] == 'u' ? 4 : 8;
    if (end - p < digits + 2) {
        return 0;
    }
    uint32_t code = 0;
    for (int i = 2; i < digits + 2; i++) {
        char c = p[i];
        uint32_t digit = is_digit(c)              ? (uint32_t)(c - '0')
                         : (c >= 'a' && c <= 'f') ? (uint32_t)(c - 'a' + 10)
                         : (c >= 'A' && c <= 'F') ? (uint32_t)(c - 'A' + 10)
                                                  : 16;
        if (digit == 16) {
            return 0;
        }
        code = code << 4 | digit;
    }
    *out_code = code;
    return digits + 2;
}

// The characters beyond ASCII that may stand in an identifier: the ranges of C11's annex D, which are a little wider
// than those of C99 and easier to state.
bool lex_is_ident_code(uint32_t code, bool first)
{
    static const uint32_t single[] = {0xa8, 0xaa, 0xad, 0xaf};
    static const uint32_t ranges[][2] = {
        {0xb2, 0xb5},       {0xb7, 0xba},       {0xbc, 0xbe},       {0xc0, 0xd6},       {0xd8, 0xf6},
        {0xf8, 0x167f},     {0x1681, 0x180d},   {0x180f, 0x1fff},   {0x200b, 0x200d},   {0x202a, 0x202e},
        {0x203f, 0x2040},   {0x2054, 0x2054},   {0x2060, 0x206f},   {0x2070, 0x218f},   {0x2460, 0x24ff},
        {0x2776, 0x2793},   {0x2c00, 0x2dff},   {0x2e80, 0x2fff},   {0x3004, 0x3007},   {0x3021, 0x302f},
        {0x3031, 0x303f},   {0x3040, 0xd7ff},   {0xf900, 0xfd3d},   {0xfd40, 0xfdcf},   {0xfdf0, 0xfe44},
        {0xfe47, 0xfffd},   {0x10000, 0x1fffd}, {0x20000, 0x2fffd}, {0x30000, 0x3fffd}, {0x40000, 0x4fffd},
        {0x50000, 0x5fffd}, {0x60000, 0x6fffd}, {0x70000, 0x7fffd}, {0x80000, 0x8fffd}, {0x90000, 0x9fffd},
        {0xa0000, 0xafffd}, {0xb0000, 0xbfffd}, {0xc0000, 0xcfffd}, {0xd0000, 0xdfffd}, {0xe0000, 0xefffd}};
    static const uint32_t not_first[][2] = {{0x300, 0x36f}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f}};
    for (size_t i = 0; first && i < sizeof not_first / sizeof *not_first; i++) {
        if (code >= not_first[i][0] && code <= not_first[i][1]) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        if (code == single[i]) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (code >= ranges[i][0] && code <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

// The size of the identifier character beyond ASCII at |p|, written in UTF-8 or as a universal character name; else 0.
static int extended_size(const struct lexer *lexer, const char *p, bool first, uint32_t *out_code)
{
    if (p >= lexer->end) {
        return 0;
    }
    int size = *p == '\\'                  ? lex_ucn_decode(p, lexer->end, out_code)
               : (unsigned char)*p >= 0x80 ? utf8_decode(p, (size_t)(lexer->end - p), out_code)
                                           : 0;
    return size > 0 && lex_is_ident_code(*out_code, first) ? size : 0;
}

// Identifiers with universal character names are kept in UTF-8, so that both spellings are one name.
static struct lex_name *extended_name(struct lexer *lexer, const char *p, const char *end)
{
    assert(p < end && end <= lexer->end);
    char *text = arena_alloc(lexer->arena, (size_t)(end - p) + 4);
    size_t length = 0;
    while (p < end) {
        uint32_t code;
        int size = *p == '\\' ? lex_ucn_decode(p, end, &code) : 0;
        if (size > 0) {
            length += (size_t)utf8_encode(code, text + length);
            p += size;
        } else {
            text[length++] = *p++;
        }
    }
    return lex_names_get(lexer->names, text, length);
}

static void lex_ident(struct lexer *lexer, struct lex_token *token)
{
    const char *start = lexer->p, *p = start;
    bool extended = false;
    uint32_t code;
    for (;;) {
        int size;
        if (is_ident_byte(*p)) {
            p++;
        } else if ((size = extended_size(lexer, p, p == start, &code)) > 0) {
            p += size;
            extended = true;
        } else {
            break;
        }
    }
    lexer->p = p;
    token->kind = LEX_IDENT;
    assert(p > start && p <= lexer->end);
    token->name = extended ? extended_name(lexer, start, p) : lex_names_get(lexer->names, start, (size_t)(p - start));
    token->text = token->name->text;
    token->length = token->name->length;
}

static void lex_number(struct lexer *lexer, struct lex_token *token)
{
    const char *p = lexer->p;
    uint32_t code;
    for (;;) {
        int size;
        if ((*p == 'e' || *p == 'E' || *p == 'p' || *p == 'P') && (p[1] == '+' || p[1] == '-')) {
            p += 2;
        } else if (*p == '.' || is_ident_byte(*p)) {
            p++;
        } else if (*p == '\'' && is_ident_byte(p[1]) && p > lexer->p && is_ident_byte(p[-1])) {
            p += 2; // C23's 1'000'000
        } else if ((size = extended_size(lexer, p, false, &code)) > 0) {
            p += size;
        } else {
            break;
        }
    }
    token->kind = LEX_NUMBER;
    token->length = (uint32_t)(p - lexer->p);
    lexer->p = p;
}

static void warn_trigraph(struct lexer *lexer, const char *p)
{
    if (!lexer->quiet && p + 2 < lexer->end && p[0] == '?' && p[1] == '?' && p[2] != '\0' &&
        strchr("=/'()!<>-", p[2]) != NULL) {
        diag_warning(lexer->diags, lex_loc(lexer, p), "the trigraph ?\?%c is not replaced", p[2]);
    }
}

// A string or character constant; |prefix| is the length of what stands before the quote.
static void lex_quoted(struct lexer *lexer, struct lex_token *token, int prefix)
{
    const char *start = lexer->p, *p = start + prefix;
    char quote = *p++;
    while (p < lexer->end && *p != quote && *p != '\n') {
        warn_trigraph(lexer, p);
        p += *p == '\\' && p + 1 < lexer->end && p[1] != '\n' ? 2 : 1;
    }
    token->kind = quote == '"' ? LEX_STRING : LEX_CHAR;
    if (p < lexer->end && *p == quote) {
        p++;
    } else {
        token->flags |= LEX_BROKEN;
        if (!lexer->quiet) {
            diag_error(lexer->diags, lex_loc(lexer, start), "the closing %c is missing", quote);
        }
    }
    token->length = (uint32_t)(p - start);
    lexer->p = p;
}

// A header's name, if one stands here: its characters are not tokens, and a backslash in it is no escape.
static bool lex_header(struct lexer *lexer, struct lex_token *token)
{
    char close = *lexer->p == '<' ? '>' : *lexer->p == '"' ? '"' : '\0';
    if (close == '\0') {
        return false;
    }
    const char *p = lexer->p + 1;
    while (p < lexer->end && *p != close && *p != '\n') {
        p++;
    }
    if (p == lexer->end || *p != close) {
        return false;
    }
    token->kind = LEX_HEADER;
    token->length = (uint32_t)(p + 1 - lexer->p);
    lexer->p = p + 1;
    return true;
}

struct punct {
    char text[4];
    uint8_t length;
    uint16_t kind;
};

// Longest first for each first character; digraphs stand for what they mean. # and ## are no tokens of the language.
enum { HASH = 0xfffe, HASH_HASH = 0xffff };
static const struct punct puncts[] = {
    {"...", 3, TOKEN_ELLIPSIS},
    {"<<=", 3, TOKEN_SHL_ASSIGN},
    {">>=", 3, TOKEN_SHR_ASSIGN},
    {"->", 2, TOKEN_ARROW},
    {"++", 2, TOKEN_INC},
    {"--", 2, TOKEN_DEC},
    {"<<", 2, TOKEN_SHL},
    {">>", 2, TOKEN_SHR},
    {"<=", 2, TOKEN_LE},
    {">=", 2, TOKEN_GE},
    {"==", 2, TOKEN_EQ},
    {"!=", 2, TOKEN_NE},
    {"&&", 2, TOKEN_ANDAND},
    {"||", 2, TOKEN_OROR},
    {"*=", 2, TOKEN_MUL_ASSIGN},
    {"/=", 2, TOKEN_DIV_ASSIGN},
    {"%=", 2, TOKEN_MOD_ASSIGN},
    {"+=", 2, TOKEN_ADD_ASSIGN},
    {"-=", 2, TOKEN_SUB_ASSIGN},
    {"&=", 2, TOKEN_AND_ASSIGN},
    {"^=", 2, TOKEN_XOR_ASSIGN},
    {"|=", 2, TOKEN_OR_ASSIGN},
    {"##", 2, HASH_HASH},
    {"<:", 2, TOKEN_LBRACKET},
    {":>", 2, TOKEN_RBRACKET},
    {"<%", 2, TOKEN_LBRACE},
    {"%>", 2, TOKEN_RBRACE},
    {"%:", 2, HASH},
    {"[", 1, TOKEN_LBRACKET},
    {"]", 1, TOKEN_RBRACKET},
    {"(", 1, TOKEN_LPAREN},
    {")", 1, TOKEN_RPAREN},
    {"{", 1, TOKEN_LBRACE},
    {"}", 1, TOKEN_RBRACE},
    {".", 1, TOKEN_DOT},
    {"&", 1, TOKEN_AMP},
    {"*", 1, TOKEN_STAR},
    {"+", 1, TOKEN_PLUS},
    {"-", 1, TOKEN_MINUS},
    {"~", 1, TOKEN_TILDE},
    {"!", 1, TOKEN_NOT},
    {"/", 1, TOKEN_SLASH},
    {"%", 1, TOKEN_PERCENT},
    {"<", 1, TOKEN_LT},
    {">", 1, TOKEN_GT},
    {"^", 1, TOKEN_CARET},
    {"|", 1, TOKEN_PIPE},
    {"?", 1, TOKEN_QUESTION},
    {":", 1, TOKEN_COLON},
    {";", 1, TOKEN_SEMI},
    {"=", 1, TOKEN_ASSIGN},
    {",", 1, TOKEN_COMMA},
    {"#", 1, HASH},
};

static void set_punct(struct lexer *lexer, struct lex_token *token, uint16_t kind, uint32_t length)
{
    token->kind = kind == HASH ? LEX_HASH : kind == HASH_HASH ? LEX_HASH_HASH : LEX_PUNCT;
    token->number = token->kind == LEX_PUNCT ? kind : 0;
    token->length = length;
    lexer->p += length;
}

static bool lex_punct(struct lexer *lexer, struct lex_token *token)
{
    const char *p = lexer->p;
    if (p[0] == '%' && p[1] == ':' && p[2] == '%' && p[3] == ':') {
        set_punct(lexer, token, HASH_HASH, 4);
        return true;
    }
    for (size_t i = 0; i < sizeof puncts / sizeof *puncts; i++) {
        if (p[0] == puncts[i].text[0] && memcmp(p, puncts[i].text, puncts[i].length) == 0) {
            warn_trigraph(lexer, p);
            set_punct(lexer, token, puncts[i].kind, puncts[i].length);
            return true;
        }
    }
    return false;
}

// A byte that begins no token. A whole UTF-8 character is kept together, so that messages can show it.
static void lex_other(struct lexer *lexer, struct lex_token *token)
{
    uint32_t code;
    int size = utf8_decode(lexer->p, (size_t)(lexer->end - lexer->p), &code);
    token->kind = LEX_OTHER;
    token->length = size > 0 ? (uint32_t)size : 1;
    lexer->p += token->length;
}

static int quote_prefix(const char *p)
{
    int prefix = p[0] == 'u' && p[1] == '8' ? 2 : p[0] == 'L' || p[0] == 'u' || p[0] == 'U' ? 1 : 0;
    return p[prefix] == '"' || p[prefix] == '\'' ? prefix : -1;
}

static void lex_token_at(struct lexer *lexer, struct lex_token *token)
{
    const char *p = lexer->p;
    uint32_t code;
    int prefix;
    if (lexer->wants_header && lex_header(lexer, token)) {
        return;
    }
    if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
        lex_number(lexer, token);
    } else if ((prefix = quote_prefix(p)) >= 0) {
        lex_quoted(lexer, token, prefix);
    } else if (is_ident_byte(*p) || extended_size(lexer, p, true, &code) > 0) {
        lex_ident(lexer, token);
    } else if (!lex_punct(lexer, token)) {
        lex_other(lexer, token);
    }
}

void lex_next(struct lexer *lexer, struct lex_token *out_token)
{
    uint8_t flags = skip_space(lexer);
    *out_token = (struct lex_token){.flags = flags, .text = lexer->p, .loc = lex_loc(lexer, lexer->p)};
    if (lexer->p >= lexer->end) {
        out_token->kind = lexer->in_directive ? LEX_END_OF_LINE : LEX_EOF;
    } else if (*lexer->p == '\n') {
        out_token->kind = LEX_END_OF_LINE;
    } else {
        lexer->line_start = false;
        lex_token_at(lexer, out_token);
    }
}

bool lex_is_punct(const struct lex_token *token, enum token_kind kind)
{
    return token->kind == LEX_PUNCT && token->number == kind;
}

bool lex_is_end(const struct lex_token *token)
{
    return token->kind == LEX_EOF || token->kind == LEX_END_OF_LINE;
}

const char *lex_rest_of_line(struct lexer *lexer)
{
    const char *p = lexer->p;
    const char *end = memchr(p, '\n', (size_t)(lexer->end - p));
    end = end == NULL ? lexer->end : end;
    lexer->p = end;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) {
        p++;
    }
    while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) {
        end--;
    }
    char *copy = arena_strndup(lexer->arena, p, (size_t)(end - p));
    for (char *c = copy; c < copy + (end - p); c++) {
        *c = *c == '\0' ? ' ' : *c;
    }
    return copy;
}
