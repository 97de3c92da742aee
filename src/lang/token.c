#include "lang/token.h"

#include <string.h>

static const char *const spellings[] = {[TOKEN_EOF] = "end of file",
#define SPELLING(name, spelling) [TOKEN_##name] = (spelling),
#define SPELLING_KW(name, spelling) [TOKEN_KW_##name] = (spelling),
                                        TOKEN_KEYWORD_LIST(SPELLING_KW) TOKEN_PUNCT_LIST(SPELLING)
#undef SPELLING
#undef SPELLING_KW
};

const char *token_spelling(enum token_kind kind)
{
    return (size_t)kind < sizeof spellings / sizeof *spellings ? spellings[kind] : NULL;
}

const char *token_describe(struct arena *arena, const struct token *token)
{
    switch (token->kind) {
    case TOKEN_EOF: return "end of file";
    case TOKEN_IDENT: return arena_printf(arena, "identifier '%s'", token->text);
    case TOKEN_INT:
    case TOKEN_FLOAT: return arena_printf(arena, "constant %s", token->text);
    case TOKEN_CHAR: return arena_printf(arena, "character constant %s", token->text);
    case TOKEN_STRING: return "a string literal";
    case TOKEN_PRAGMA:
        return token->pragma == PRAGMA_PACK       ? "'#pragma pack'"
               : token->pragma == PRAGMA_CONTRACT ? "'#pragma STDC FP_CONTRACT'"
                                                  : arena_printf(arena, "'#pragma rill %s'", token->text);
    case TOKEN_KW_KERNEL: return "'kernel'";
    case TOKEN_KW_STREAM_PARALLEL: return "'stream_parallel'";
    default: return arena_printf(arena, "'%s'", token->text != NULL ? token->text : token_spelling(token->kind));
    }
}
