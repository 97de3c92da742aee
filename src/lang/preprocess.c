#include "lang/preprocess.h"

#include "lang/preprocess_state.h"

#include <assert.h>
#include <string.h>

void pp_stop(struct preprocessor *pp, struct loc loc, const char *format, ...)
{
    if (pp->stopped) {
        return;
    }
    va_list args;
    va_start(args, format);
    diag_error(pp->diags, loc, "%s", arena_vprintf(pp->arena, format, args));
    va_end(args);
    pp->stopped = true;
}

void pp_charge(struct preprocessor *pp, uint64_t tokens, struct loc loc)
{
    pp->work += tokens;
    uint64_t limit = pp->options->work_limit != 0 ? pp->options->work_limit : LANG_MAX_PREPROCESS_WORK;
    if (pp->work > limit) {
        pp_stop(pp, loc, "macros and includes make more than %llu tokens of this file: gave up here",
                (unsigned long long)limit);
    }
}

void pp_next_from_file(struct preprocessor *pp, struct lex_token *out)
{
    for (;;) {
        struct lexer *lexer = &pp->file->lexer;
        lex_next(lexer, out);
        pp_charge(pp, 1, out->loc);
        if (pp->stopped) {
            out->kind = LEX_EOF;
            return;
        }
        if (lexer->in_directive) {
            return;
        }
        if (out->kind == LEX_EOF) {
            if (pp->file->outer == NULL || pp->reading_args) {
                return;
            }
            pp_close(pp);
        } else if (out->kind == LEX_HASH && (out->flags & LEX_LINE_START)) {
            struct lex_token hash = *out;
            if (pp_directive(pp, &hash, out)) {
                return;
            }
        } else {
            return;
        }
    }
}

static struct lex_name *name_of(struct preprocessor *pp, const char *text)
{
    return lex_names_get(&pp->names, text, strlen(text));
}

static void init(struct preprocessor *pp)
{
    lex_names_init(&pp->names, pp->arena);
    hash_map_init(&pp->loaded, pp->arena);
    hash_map_init(&pp->probed, pp->arena);
    pp->values = (struct lex_values){pp->arena, pp->diags};
    pp->name_defined = name_of(pp, "defined");
    pp->name_va_args = name_of(pp, "__VA_ARGS__");
    pp->name_pragma = name_of(pp, "_Pragma");
    pp->name_stream_parallel = name_of(pp, "stream_parallel");
    pp->name_kernel = name_of(pp, "kernel");
    pp->name_short_kernel = name_of(pp, "__rill_short_kernel__");
    for (int i = PP_ASKS_NOTHING + 1; i < PP_QUESTION_COUNT; i++) {
        name_of(pp, pp_question_name(i))->question = i;
    }
}

static void run(struct preprocessor *pp)
{
    struct lex_token token;
    for (;;) {
        pp_next(pp, &token);
        if (token.kind == LEX_EOF) {
            break;
        }
        if (token.kind == LEX_IDENT && token.name == pp->name_pragma) {
            struct lex_token at = token;
            if (!pp_pragma_operator(pp, &at, &token)) {
                continue;
            }
        }
        pp_output(pp, &token);
    }
    pp_finish_output(pp, token.loc);
    assert(pp->no_expand == 0 && !pp->reading_args && (pp->stopped || pp->argument_depth == 0));
}

void preprocess(struct arena *arena, struct diags *diags, const char *path, const char *text, size_t length,
                const struct preprocess_options *options, struct token_list *out_tokens)
{
    static const struct preprocess_options no_options = {0};
    struct preprocessor pp = {.arena = arena, .diags = diags, .out = out_tokens};
    pp.options = options != NULL ? options : &no_options;
    *out_tokens = (struct token_list){0};
    init(&pp);
    pp_open_main(&pp, path, text, length);
    pp_predefine(&pp);
    run(&pp);
    if (!pp.stopped) {
        pp_close(&pp);
    }
}
