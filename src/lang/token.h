// Tokens after preprocessing: phases 1 to 6 of C's translation are done, adjacent string literals are joined.
#ifndef RILL_LANG_TOKEN_H
#define RILL_LANG_TOKEN_H

#include "base/diag.h"

#include <stdbool.h>
#include <stdint.h>

// X(NAME, "spelling"). __typeof__ and kin are folded to one token.
#define TOKEN_KEYWORD_LIST(X)                                                                                          \
    X(AUTO, "auto")                                                                                                    \
    X(BREAK, "break")                                                                                                  \
    X(CASE, "case")                                                                                                    \
    X(CHAR, "char")                                                                                                    \
    X(CONST, "const")                                                                                                  \
    X(CONTINUE, "continue")                                                                                            \
    X(DEFAULT, "default")                                                                                              \
    X(DO, "do")                                                                                                        \
    X(DOUBLE, "double")                                                                                                \
    X(ELSE, "else")                                                                                                    \
    X(ENUM, "enum")                                                                                                    \
    X(EXTERN, "extern")                                                                                                \
    X(FLOAT, "float")                                                                                                  \
    X(FOR, "for")                                                                                                      \
    X(GOTO, "goto")                                                                                                    \
    X(IF, "if")                                                                                                        \
    X(INLINE, "inline")                                                                                                \
    X(INT, "int")                                                                                                      \
    X(LONG, "long")                                                                                                    \
    X(REGISTER, "register")                                                                                            \
    X(RESTRICT, "restrict")                                                                                            \
    X(RETURN, "return")                                                                                                \
    X(SHORT, "short")                                                                                                  \
    X(SIGNED, "signed")                                                                                                \
    X(SIZEOF, "sizeof")                                                                                                \
    X(STATIC, "static")                                                                                                \
    X(STRUCT, "struct")                                                                                                \
    X(SWITCH, "switch")                                                                                                \
    X(TYPEDEF, "typedef")                                                                                              \
    X(UNION, "union")                                                                                                  \
    X(UNSIGNED, "unsigned")                                                                                            \
    X(VOID, "void")                                                                                                    \
    X(VOLATILE, "volatile")                                                                                            \
    X(WHILE, "while")                                                                                                  \
    X(FLOAT16, "_Float16")                                                                                             \
    X(BF16, "__bf16")                                                                                                  \
    X(BOOL, "_Bool")                                                                                                   \
    X(COMPLEX, "_Complex")                                                                                             \
    X(REAL, "__real__")                                                                                                \
    X(IMAG, "__imag__")                                                                                                \
    X(IMAGINARY, "_Imaginary")                                                                                         \
    X(ALIGNAS, "_Alignas")                                                                                             \
    X(ALIGNOF, "_Alignof")                                                                                             \
    X(GENERIC, "_Generic")                                                                                             \
    X(NORETURN, "_Noreturn")                                                                                           \
    X(STATIC_ASSERT, "_Static_assert")                                                                                 \
    X(ATOMIC, "_Atomic")                                                                                               \
    X(THREAD_LOCAL, "_Thread_local")                                                                                   \
    X(TYPEOF, "__typeof__")                                                                                            \
    X(ATTRIBUTE, "__attribute__")                                                                                      \
    X(EXTENSION, "__extension__")                                                                                      \
    X(ASM, "__asm__")                                                                                                  \
    X(KERNEL, "__rill_kernel__")                                                                                       \
    X(STREAM_PARALLEL, "__rill_stream_parallel__")

#define TOKEN_PUNCT_LIST(X)                                                                                            \
    X(LBRACKET, "[")                                                                                                   \
    X(RBRACKET, "]")                                                                                                   \
    X(LPAREN, "(")                                                                                                     \
    X(RPAREN, ")")                                                                                                     \
    X(LBRACE, "{")                                                                                                     \
    X(RBRACE, "}")                                                                                                     \
    X(DOT, ".")                                                                                                        \
    X(ARROW, "->")                                                                                                     \
    X(INC, "++")                                                                                                       \
    X(DEC, "--")                                                                                                       \
    X(AMP, "&")                                                                                                        \
    X(STAR, "*")                                                                                                       \
    X(PLUS, "+")                                                                                                       \
    X(MINUS, "-")                                                                                                      \
    X(TILDE, "~")                                                                                                      \
    X(NOT, "!")                                                                                                        \
    X(SLASH, "/")                                                                                                      \
    X(PERCENT, "%")                                                                                                    \
    X(SHL, "<<")                                                                                                       \
    X(SHR, ">>")                                                                                                       \
    X(LT, "<")                                                                                                         \
    X(GT, ">")                                                                                                         \
    X(LE, "<=")                                                                                                        \
    X(GE, ">=")                                                                                                        \
    X(EQ, "==")                                                                                                        \
    X(NE, "!=")                                                                                                        \
    X(CARET, "^")                                                                                                      \
    X(PIPE, "|")                                                                                                       \
    X(ANDAND, "&&")                                                                                                    \
    X(OROR, "||")                                                                                                      \
    X(QUESTION, "?")                                                                                                   \
    X(COLON, ":")                                                                                                      \
    X(SEMI, ";")                                                                                                       \
    X(ELLIPSIS, "...")                                                                                                 \
    X(ASSIGN, "=")                                                                                                     \
    X(MUL_ASSIGN, "*=")                                                                                                \
    X(DIV_ASSIGN, "/=")                                                                                                \
    X(MOD_ASSIGN, "%=")                                                                                                \
    X(ADD_ASSIGN, "+=")                                                                                                \
    X(SUB_ASSIGN, "-=")                                                                                                \
    X(SHL_ASSIGN, "<<=")                                                                                               \
    X(SHR_ASSIGN, ">>=")                                                                                               \
    X(AND_ASSIGN, "&=")                                                                                                \
    X(XOR_ASSIGN, "^=")                                                                                                \
    X(OR_ASSIGN, "|=")                                                                                                 \
    X(COMMA, ",")

enum token_kind {
    TOKEN_EOF,
    TOKEN_IDENT,
    TOKEN_INT,    // |u|, type flags
    TOKEN_FLOAT,  // |f|, type flags
    TOKEN_CHAR,   // |u| (a character constant: its int value)
    TOKEN_STRING, // |text|/|length| hold the bytes, without the terminator
    TOKEN_PRAGMA, // |pragma| says which, |text| what it says
#define TOKEN_ENUM(name, spelling) TOKEN_##name,
#define TOKEN_ENUM_KW(name, spelling) TOKEN_KW_##name,
    TOKEN_KEYWORD_LIST(TOKEN_ENUM_KW) TOKEN_PUNCT_LIST(TOKEN_ENUM)
#undef TOKEN_ENUM
#undef TOKEN_ENUM_KW
};

enum pragma_kind {
    PRAGMA_RILL,     // |text| is what follows `rill`
    PRAGMA_PACK,     // |text| is what stands inside the parentheses of `pack(…)`
    PRAGMA_CONTRACT, // `#pragma STDC FP_CONTRACT`: |text| is ON, OFF or DEFAULT
};

struct token {
    enum token_kind kind;
    struct loc loc;      // where it was spelt; for a macro's token, where the outermost macro was used
    struct loc macro;    // line 0, or where the macro's own text spells it
    const char *text;    // identifier or spelling, terminated; string bytes for TOKEN_STRING
    uint32_t length;     // of text
    uint64_t u;          // integer value
    double f;            // float value, already rounded to float when is_float32, and so for the others
    bool is_unsigned;    // the constant's C99 type, settled by value, base and suffix
    bool is_long;        //
    bool is_long_long;   //
    bool is_float32;     // suffix f
    bool is_float16;     // suffix f16
    bool is_bf16;        // suffix bf16
    bool is_imaginary;   // suffix i or j, beside others
    bool is_long_double; // suffix l
    char encoding;       // of characters and strings: 'L', 'u', 'U', '8' (u8), or '\0' without a prefix
    bool is_short_name;  // TOKEN_IDENT: `kernel` or `stream_parallel`, a macro of rill/kernel.h for other compilers
    enum pragma_kind pragma;
};

// How C spells a keyword or punctuator; NULL for the kinds that have no one spelling.
const char *token_spelling(enum token_kind kind);

// "identifier 'x'", "'+='", "end of file": for messages.
const char *token_describe(struct arena *arena, const struct token *token);

#endif
