// What the files of the preprocessor share. Tokens flow from the innermost open file (next_from_file, which also runs
// the directives) through the stack of macro expansions (pp_next) to the output.
#ifndef RILL_LANG_PREPROCESS_STATE_H
#define RILL_LANG_PREPROCESS_STATE_H

#include "lang/lex.h"
#include "lang/preprocess.h"

enum macro_kind { MACRO_OBJECT, MACRO_FUNCTION, MACRO_FILE, MACRO_LINE, MACRO_COUNTER, MACRO_INCLUDE_LEVEL };

// What #if may ask by a name that #ifdef finds.
enum pp_question {
    PP_ASKS_NOTHING,
    PP_HAS_INCLUDE,
    PP_HAS_ATTRIBUTE,
    PP_HAS_C_ATTRIBUTE,
    PP_HAS_BUILTIN,
    PP_HAS_FEATURE,
    PP_HAS_EXTENSION,
    PP_QUESTION_COUNT
};

struct macro {
    enum macro_kind kind;
    struct lex_name *name;
    struct loc loc;
    bool is_variadic;         // the last parameter takes the rest
    bool is_predefined;       // no redefinition without a warning
    bool is_active;           // being expanded: its name is not replaced now
    struct lex_name **params; // with the variadic one
    int param_count;
    struct lex_token *body;
    int body_count;
};

// A definition that `#pragma push_macro` keeps for `pop_macro`.
struct pushed_macro {
    struct pushed_macro *outer;
    struct macro *macro; // NULL: there was none
};

// A list of tokens that goes back to a free list when it is done with, so that long expansions do not fill the arena.
struct token_buffer {
    struct lex_token *items;
    int count;
    int capacity;
    struct token_buffer *next; // in the free list
};

// Tokens that are read before those of the file: an expansion, an argument, or one token that was put back.
struct expansion {
    struct expansion *outer;
    struct macro *macro; // active while this is read; NULL for an argument or a token put back
    struct token_buffer *buffer;
    int position;
    bool is_barrier; // at its end there is an LEX_EOF and not the outer expansion
};

struct conditional {
    struct conditional *outer;
    struct loc loc;
    bool was_taken; // one of its groups was
    bool had_else;
};

// A file that was read once; kept because X-macro lists are included again and again.
struct loaded_file {
    const char *path;
    const char *text;
    size_t length;
    struct lex_text *joined;
    bool builtin;
    bool once; // #pragma once
    bool was_opened;
    bool from_memory;
};

struct open_file {
    struct open_file *outer;
    struct loaded_file *loaded;
    struct lexer lexer;
    struct conditional *conditionals;
    const char *directory;  // where its own "includes" are looked for first; "" is the current one
    bool from_memory;       // |directory| is one of names, not of the disk
    const char *shown_path; // for __FILE__
    int depth;
};

struct preprocessor {
    struct arena *arena;
    struct diags *diags;
    const struct preprocess_options *options;
    struct lex_names names;
    struct lex_values values;
    struct open_file *file;
    struct hash_map loaded; // path → struct loaded_file
    struct hash_map probed; // path → struct preprocess_probe
    struct expansion *expansions;
    struct expansion *free_expansions;
    struct token_buffer *free_buffers;
    int expansion_depth;
    int argument_depth;
    int no_expand;          // > 0: names are not replaced
    bool reading_args;      // the end of the file is not passed
    bool pending_space;     // the next token has white space before it
    bool stopped;           // a limit was reached: everything reads as the end
    bool predefining;       // the definitions now read are the compiler's own
    bool short_names;       // `stream_parallel {` is the keyword
    bool said_openmp;       // that its pragmas are not used
    uint64_t work;          // tokens read and copied so far
    uint64_t counter;       // __COUNTER__
    struct token_list *out; //
    int attribute_depth;    // of brackets, inside [[…]]; 0 outside
    struct {
        struct lex_token *items;
        int count;
        int capacity;
    } strings; // adjacent literals not yet joined
    struct lex_name *name_defined, *name_va_args, *name_pragma, *name_stream_parallel;
    struct lex_name *name_kernel, *name_short_kernel; // the word, and what the header makes of it
};

// preprocess.c
void pp_next_from_file(struct preprocessor *pp, struct lex_token *out); // not expanded
void pp_stop(struct preprocessor *pp, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void pp_charge(struct preprocessor *pp, uint64_t tokens, struct loc loc);

// preprocess_macro.c: definitions
void pp_define(struct preprocessor *pp);
void pp_undef(struct preprocessor *pp);
struct macro *pp_add_builtin(struct preprocessor *pp, const char *name, enum macro_kind kind);

// preprocess_expand.c
void pp_next(struct preprocessor *pp, struct lex_token *out);
void pp_push_back(struct preprocessor *pp, const struct lex_token *token);
void pp_drop_expansions(struct preprocessor *pp); // at the end of a directive
struct token_buffer *pp_buffer(struct preprocessor *pp, int capacity);
void pp_buffer_add(struct preprocessor *pp, struct token_buffer **buffer, const struct lex_token *token);
void pp_buffer_release(struct preprocessor *pp, struct token_buffer *buffer);

// preprocess_paste.c: the operators # and ##
struct lex_token pp_stringify(struct preprocessor *pp, const struct lex_token *tokens, int count, struct loc loc);
struct lex_token pp_paste(struct preprocessor *pp, const struct lex_token *left, const struct lex_token *right);

// preprocess_directive.c
// Runs the directive behind |hash|. Returns whether it left a token (a pragma) in |out|.
bool pp_directive(struct preprocessor *pp, const struct lex_token *hash, struct lex_token *out);
void pp_skip_line(struct preprocessor *pp);
void pp_expect_end(struct preprocessor *pp, const char *directive);

// preprocess_has.c
const char *pp_question_name(enum pp_question question);
bool pp_is_defined(const struct lex_name *name);
// Of prefix::name, or NULL and name; 0: no.
long pp_answer(enum pp_question question, const struct lex_name *prefix, const struct lex_name *name);

// preprocess_if.c
bool pp_evaluate(struct preprocessor *pp, const char *directive);

// preprocess_include.c
void pp_include(struct preprocessor *pp, struct loc loc);
bool pp_has_include(struct preprocessor *pp, const char *name, bool quoted);
void pp_open_main(struct preprocessor *pp, const char *path, const char *text, size_t length);
// A text that is no file: predefined macros, the operand of _Pragma.
void pp_open_text(struct preprocessor *pp, const char *path, const char *text, size_t length, bool builtin);
void pp_close(struct preprocessor *pp);

// preprocess_pragma.c
// The rest of the line with single blanks. Macros are replaced inside parentheses only: `block_dim(N)` may use one,
// while a macro that happens to be called `serial` does not change what the pragma says.
const char *pp_rest_of_pragma(struct preprocessor *pp);
struct lex_token pp_pragma_token(struct loc loc, const char *text, enum pragma_kind kind);
// Both return whether a token is left in |out|.
bool pp_pragma(struct preprocessor *pp, struct loc loc, struct lex_token *out);
bool pp_pragma_operator(struct preprocessor *pp, const struct lex_token *at, struct lex_token *out);

// preprocess_predefined.c
void pp_predefine(struct preprocessor *pp);

// preprocess_foreign.c: a pragma that is not ours and begins with |first|. Returns as pp_pragma does.
bool pp_foreign_pragma(struct preprocessor *pp, struct loc loc, const struct lex_token *first, struct lex_token *out);

// preprocess_output.c
void pp_output(struct preprocessor *pp, const struct lex_token *token);
void pp_finish_output(struct preprocessor *pp, struct loc loc);

#endif
