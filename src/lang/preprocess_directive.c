// Directives. While one is read the lexer stops at the end of the line, so that nothing here can run past it.
#include "lang/preprocess_state.h"

#include "base/suggest.h"

#include <assert.h>
#include <string.h>

void pp_skip_line(struct preprocessor *pp)
{
    assert(pp->file->lexer.in_directive); // else the end of the line is passed
    pp_drop_expansions(pp);
    struct lexer *lexer = &pp->file->lexer;
    bool saved = lexer->quiet;
    lexer->quiet = true;
    struct lex_token token;
    do {
        lex_next(lexer, &token);
    } while (!lex_is_end(&token));
    lexer->quiet = saved;
}

void pp_expect_end(struct preprocessor *pp, const char *directive)
{
    struct lex_token token;
    pp_next(pp, &token);
    if (!lex_is_end(&token)) {
        diag_warning(pp->diags, token.loc, "#%s takes nothing more on this line", directive);
    }
}

static void push_conditional(struct preprocessor *pp, struct loc loc, bool taken)
{
    struct conditional *conditional = ARENA_NEW(pp->arena, struct conditional);
    *conditional = (struct conditional){.outer = pp->file->conditionals, .loc = loc, .was_taken = taken};
    pp->file->conditionals = conditional;
}

enum group_end { GROUP_GOES_ON, GROUP_BEGINS, GROUP_ENDS };

static void check_else(struct preprocessor *pp, const char *directive, struct loc loc)
{
    assert(pp->file->conditionals != NULL);
    if (pp->file->conditionals->had_else) {
        diag_error(pp->diags, loc, "#%s after #else", directive);
        diag_note(pp->diags, pp->file->conditionals->loc, "the #if is here");
    }
}

// The operand of #ifdef and its kin.
static bool names_macro(struct preprocessor *pp, const char *directive, bool wanted)
{
    struct lex_token token;
    lex_next(&pp->file->lexer, &token);
    if (token.kind != LEX_IDENT) {
        diag_error(pp->diags, token.loc, "#%s needs the name of a macro", directive);
        return false;
    }
    bool is_defined = pp_is_defined(token.name);
    pp_expect_end(pp, directive);
    return is_defined == wanted;
}

static bool is_elifdef(const char *text) // C23
{
    return strcmp(text, "elifdef") == 0 || strcmp(text, "elifndef") == 0;
}

// A directive met at the level of the conditional whose group is being skipped.
static enum group_end end_of_skipped(struct preprocessor *pp, const struct lex_token *name)
{
    assert(name->kind == LEX_IDENT && pp->file->conditionals != NULL);
    struct conditional *conditional = pp->file->conditionals;
    const char *text = name->name->text;
    if (strcmp(text, "endif") == 0) {
        pp_expect_end(pp, "endif");
        pp->file->conditionals = conditional->outer;
        return GROUP_ENDS;
    }
    bool is_else = strcmp(text, "else") == 0, is_elif = strcmp(text, "elif") == 0;
    if (!is_else && !is_elif && !is_elifdef(text)) {
        return GROUP_GOES_ON;
    }
    check_else(pp, text, name->loc);
    bool take = false;
    if (is_else) {
        conditional->had_else = true;
        take = !conditional->was_taken;
        pp_expect_end(pp, "else");
    } else if (!conditional->was_taken) {
        take = is_elif ? pp_evaluate(pp, "elif") : names_macro(pp, text, text[4] == 'd');
    }
    conditional->was_taken |= take;
    return take ? GROUP_BEGINS : GROUP_GOES_ON;
}

static bool opens_conditional(const struct lex_token *name)
{
    return strcmp(name->name->text, "if") == 0 || strcmp(name->name->text, "ifdef") == 0 ||
           strcmp(name->name->text, "ifndef") == 0;
}

// Skips the group behind a condition that does not hold, to the group that is taken or to the #endif. Begins and ends
// in the middle of a directive's line.
static void skip_group(struct preprocessor *pp)
{
    struct lexer *lexer = &pp->file->lexer;
    pp_skip_line(pp);
    int depth = 0;
    struct lex_token token;
    for (;;) {
        lexer->in_directive = false;
        lexer->quiet = true;
        lex_next(lexer, &token);
        pp_charge(pp, 1, token.loc);
        lexer->in_directive = true;
        if (token.kind == LEX_EOF) {
            break; // pp_close says what is missing
        }
        if (token.kind != LEX_HASH || !(token.flags & LEX_LINE_START)) {
            continue;
        }
        lex_next(lexer, &token);
        lexer->quiet = false;
        if (token.kind == LEX_IDENT) {
            if (opens_conditional(&token)) {
                depth++;
            } else if (depth > 0) {
                depth -= strcmp(token.name->text, "endif") == 0;
            } else if (end_of_skipped(pp, &token) != GROUP_GOES_ON) {
                break;
            }
        }
        pp_skip_line(pp);
    }
    lexer->quiet = false;
}

static void run_if(struct preprocessor *pp, struct loc loc)
{
    bool taken = pp_evaluate(pp, "if");
    push_conditional(pp, loc, taken);
    if (!taken) {
        skip_group(pp);
    }
}

static void run_ifdef(struct preprocessor *pp, struct loc loc, bool wanted)
{
    bool taken = names_macro(pp, wanted ? "ifdef" : "ifndef", wanted);
    push_conditional(pp, loc, taken);
    if (!taken) {
        skip_group(pp);
    }
}

// #elif, #else and #endif behind a group that was taken.
static void run_group_end(struct preprocessor *pp, const struct lex_token *name)
{
    const char *text = name->name->text;
    struct conditional *conditional = pp->file->conditionals;
    if (conditional == NULL) {
        diag_error(pp->diags, name->loc, "#%s without #if", text);
    } else if (strcmp(text, "endif") == 0) {
        pp_expect_end(pp, "endif");
        pp->file->conditionals = conditional->outer;
    } else {
        check_else(pp, text, name->loc);
        if (strcmp(text, "else") == 0) {
            pp_expect_end(pp, "else");
            conditional->had_else = true;
        }
        skip_group(pp);
    }
}

// #line: the lines from the next one on are named anew. Places name a file and a line, so the file gets a new entry
// that shares the text.
static void set_line(struct preprocessor *pp, uint64_t line, const char *path)
{
    struct open_file *file = pp->file;
    struct lexer *lexer = &file->lexer;
    struct source_file source = *pp->diags->files[lexer->file];
    if (path != NULL) {
        source.path = path;
        file->shown_path = path;
    }
    lex_loc(lexer, lexer->p); // brings lexer->line up to here
    lexer->line_shift = (int64_t)line - ((int64_t)lexer->line + 1);
    source.line_shift = lexer->line_shift;
    lexer->file = diags_add_file(pp->diags, source);
}

static bool read_line_number(const struct lex_token *token, uint64_t *out)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < token->length; i++) {
        if (token->text[i] < '0' || token->text[i] > '9' || value > INT32_MAX) {
            return false;
        }
        value = 10 * value + (uint64_t)(token->text[i] - '0');
    }
    *out = value;
    return token->kind == LEX_NUMBER && value >= 1 && value <= INT32_MAX;
}

static void run_line(struct preprocessor *pp)
{
    struct lex_token token;
    uint64_t line;
    pp_next(pp, &token);
    if (!read_line_number(&token, &line)) {
        diag_error(pp->diags, token.loc, "#line needs a decimal number from 1 to 2147483647");
        return;
    }
    const char *path = NULL;
    pp_next(pp, &token);
    if (token.kind == LEX_STRING && token.text[0] == '"' && !(token.flags & LEX_BROKEN)) {
        struct token name = {0};
        lex_string_value(&pp->values, &token, 1, &name);
        path = name.text;
        pp_expect_end(pp, "line");
    } else if (!lex_is_end(&token)) {
        diag_error(pp->diags, token.loc, "after its number #line takes the name of a file in quotes");
        return;
    }
    pp_skip_line(pp);
    set_line(pp, line, path);
}

static void run_message(struct preprocessor *pp, struct loc loc, bool is_error)
{
    const char *text = lex_rest_of_line(&pp->file->lexer);
    if (is_error) {
        diag_error(pp->diags, loc, "#error %s", text);
    } else {
        diag_warning(pp->diags, loc, "#warning %s", text);
    }
}

static void unknown_directive(struct preprocessor *pp, const struct lex_token *name)
{
    static const char *const known[] = {"define", "undef", "include", "if",       "ifdef",  "ifndef",  "elif", "else",
                                        "endif",  "line",  "elifdef", "elifndef", "pragma", "warning", "error"};
    const char *text = name->kind == LEX_IDENT ? name->name->text : NULL;
    if (text == NULL) {
        diag_error(pp->diags, name->loc, "# at the start of a line must be followed by the name of a directive");
        return;
    }
    const char *nearest = diag_suggest(text, known, sizeof known / sizeof *known);
    if (nearest != NULL) {
        diag_error(pp->diags, name->loc, "there is no directive #%s; did you mean #%s?", text, nearest);
    } else {
        diag_error(pp->diags, name->loc, "there is no directive #%s", text);
    }
}

static bool run_named(struct preprocessor *pp, const struct lex_token *name, struct lex_token *out)
{
    const char *text = name->kind == LEX_IDENT ? name->name->text : "";
    if (strcmp(text, "define") == 0) {
        pp_define(pp);
    } else if (strcmp(text, "undef") == 0) {
        pp_undef(pp);
    } else if (strcmp(text, "include") == 0) {
        pp_include(pp, name->loc);
    } else if (strcmp(text, "if") == 0) {
        run_if(pp, name->loc);
    } else if (strcmp(text, "ifdef") == 0 || strcmp(text, "ifndef") == 0) {
        run_ifdef(pp, name->loc, text[2] == 'd');
    } else if (strcmp(text, "elif") == 0 || is_elifdef(text) || strcmp(text, "else") == 0 ||
               strcmp(text, "endif") == 0) {
        run_group_end(pp, name);
    } else if (strcmp(text, "line") == 0) {
        run_line(pp);
    } else if (strcmp(text, "error") == 0 || strcmp(text, "warning") == 0) {
        run_message(pp, name->loc, text[0] == 'e');
    } else if (strcmp(text, "pragma") == 0) {
        return pp_pragma(pp, name->loc, out);
    } else if (strcmp(text, "ident") != 0 && strcmp(text, "sccs") != 0) {
        unknown_directive(pp, name);
    }
    return false;
}

bool pp_directive(struct preprocessor *pp, const struct lex_token *hash, struct lex_token *out)
{
    (void)hash;
    struct open_file *file = pp->file;
    int saved_no_expand = pp->no_expand;
    bool saved_reading = pp->reading_args;
    pp->no_expand = 0;
    pp->reading_args = false;
    file->lexer.in_directive = true;
    struct lex_token name;
    lex_next(&file->lexer, &name);
    bool left = false;
    if (!lex_is_end(&name)) { // a lone # is nothing
        left = run_named(pp, &name, out);
    }
    if (file->lexer.in_directive) { // #include has ended its line itself
        pp_skip_line(pp);
        file->lexer.in_directive = false;
    }
    pp->no_expand = saved_no_expand;
    pp->reading_args = saved_reading;
    return left;
}
