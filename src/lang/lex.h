// The lexer: from the text of one file to preprocessing tokens. Trigraphs are not replaced (the lexer warns where one
// stands), lines that end in a backslash are joined beforehand by lex_load.
#ifndef RILL_LANG_LEX_H
#define RILL_LANG_LEX_H

#include "base/hash.h"
#include "lang/token.h"

struct macro;
struct pushed_macro;

// A name, interned: two identifiers are the same if and only if the pointers are.
struct lex_name {
    const char *text; // terminated
    uint32_t length;
    enum token_kind keyword;     // TOKEN_IDENT if it is none
    struct macro *macro;         // NULL if it is not defined as one
    struct pushed_macro *pushed; // definitions that `#pragma push_macro` keeps
    int question;                // enum pp_question: __has_include and its kin
};

struct lex_names {
    struct arena *arena; // borrowed
    struct hash_map map;
};

void lex_names_init(struct lex_names *names, struct arena *arena);
struct lex_name *lex_names_get(struct lex_names *names, const char *text, size_t length);

enum { LEX_PADDING = 4 };

// A file with its lines joined. A line of the file as it is on disk starts at line_starts[line - 1] of the joined text.
struct lex_text {
    const char *text; // followed by LEX_PADDING zero bytes: the lexer looks ahead without counting
    uint32_t length;
    uint32_t *line_starts;
    uint32_t line_count;
};

// Joins the lines of |text|. Warns through |diags| where blanks follow the backslash; |file| is for these messages.
struct lex_text *lex_load(struct arena *arena, struct diags *diags, uint32_t file, const char *text, size_t length);

enum lex_kind {
    LEX_EOF,
    LEX_END_OF_LINE, // only while |in_directive|
    LEX_IDENT,
    LEX_NUMBER,
    LEX_CHAR,
    LEX_STRING,
    LEX_PUNCT,
    LEX_HASH,
    LEX_HASH_HASH,
    LEX_HEADER, // <name> or "name", only while |wants_header|
    LEX_OTHER,  // a byte that no token begins with
    // What the preprocessor makes of these:
    LEX_PARAM,       // a macro's parameter in its body; |number| says which
    LEX_PLACEMARKER, // an empty argument beside ##
    LEX_PRAGMA,      // |text| is what a TOKEN_PRAGMA holds
};

enum {
    LEX_LINE_START = 1,  // the first token of its line
    LEX_SPACE = 2,       // white space stands before it
    LEX_NO_EXPAND = 4,   // a macro's own name, met again in its expansion: never replaced again
    LEX_STRINGIFY = 8,   // LEX_PARAM: the operand of #
    LEX_PASTE_LEFT = 16, // in a macro's body: ## follows
    LEX_BROKEN = 64,     // a literal that was already complained about
};

struct lex_token {
    uint8_t kind; // enum lex_kind
    uint8_t flags;
    uint16_t number; // LEX_PUNCT: its enum token_kind; LEX_PARAM: its index; LEX_PRAGMA: its enum pragma_kind
    uint32_t length;
    const char *text; // the spelling; not terminated
    struct lex_name *name;
    struct loc loc;   // as in struct token
    struct loc macro; //
};

struct lexer {
    struct arena *arena;     // borrowed
    struct diags *diags;     // borrowed
    struct lex_names *names; // borrowed
    const struct lex_text *source;
    const char *p;
    const char *end;
    uint32_t file;
    uint32_t line; // where |p| was when last asked; counts from 1
    int64_t line_shift;
    bool in_directive; // stop at the end of the line
    bool wants_header; // the next token may be a header's name
    bool quiet;        // in a skipped group: no messages
    bool line_start;   // nothing of this line was read yet
};

void lex_init(struct lexer *lexer, struct arena *arena, struct diags *diags, struct lex_names *names);
void lex_open(struct lexer *lexer, const struct lex_text *source, uint32_t file);
void lex_next(struct lexer *lexer, struct lex_token *out_token);
struct loc lex_loc(struct lexer *lexer, const char *at);

bool lex_is_punct(const struct lex_token *token, enum token_kind kind);
bool lex_is_end(const struct lex_token *token); // of the file or of the line

// The rest of the joined line, as it is written, blanks at both ends left out; the lexer then stands at the line's end.
const char *lex_rest_of_line(struct lexer *lexer);

// Values of literals; messages go to |diags|. All of them accept any bytes.
struct lex_values {
    struct arena *arena;
    struct diags *diags;
};

// TOKEN_INT or TOKEN_FLOAT with value and type. After an error it is the integer 0.
void lex_number_value(struct lex_values *values, const struct lex_token *token, struct token *out);
// TOKEN_CHAR.
void lex_char_value(struct lex_values *values, const struct lex_token *token, struct token *out);
// The bytes of one unit of a literal.
uint32_t lex_unit_size(char encoding);

// TOKEN_STRING from |count| adjacent literals. If one has a prefix, all have it; |text| is an array of units.
void lex_string_value(struct lex_values *values, const struct lex_token *tokens, int count, struct token *out);

bool lex_is_ident_code(uint32_t code, bool first);

// Reads \uXXXX or \UXXXXXXXX at |p|; returns its length in bytes or 0.
int lex_ucn_decode(const char *p, const char *end, uint32_t *out_code);

#endif
