// stream_parallel blocks. The header turns the name into a keyword, which is one only before '{': a variable or member
// of that name keeps its meaning. Without the header it is an ordinary name, and writing a block with it deserves
// advice.
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

static bool is_plain_name(const struct token *token)
{
    return token->kind == TOKEN_IDENT &&
           (strcmp(token->text, "stream_parallel") == 0 || strcmp(token->text, "RILL_STREAM_PARALLEL") == 0);
}

// True where a block was meant, right or wrong.
bool parse_at_stream_parallel(struct parser *p)
{
    const struct token *token = parse_token(p);
    bool is_plain = is_plain_name(token);
    if (token->kind != TOKEN_KW_STREAM_PARALLEL && !is_plain) {
        return false;
    }
    bool is_declared = scope_find(p, parse_identifier_text(token)) != NULL;
    switch (parse_peek(p, 1)->kind) {
    case TOKEN_LBRACE:
    case TOKEN_KW_FOR:
    case TOKEN_KW_WHILE:
    case TOKEN_KW_DO:
    case TOKEN_KW_IF: return true;
    case TOKEN_COLON: return false; // a label
    default: return !is_declared;
    }
}

// Complains and goes on to the block if there is one.
static bool expect_brace(struct parser *p, struct loc loc)
{
    if (parse_at(p, TOKEN_LBRACE)) {
        return true;
    }
    if (parse_at(p, TOKEN_LPAREN)) {
        parse_error(p, loc, "stream_parallel takes no parentheses: write 'stream_parallel { … }'");
        parse_skip_parens(p);
        if (parse_at(p, TOKEN_LBRACE)) {
            return true;
        }
    } else {
        parse_error(p, loc, "stream_parallel must be followed by a block: write 'stream_parallel { … }'");
    }
    return false;
}

// The name before something that is no block is plain also with the header.
static void check_header(struct parser *p, const struct token *token)
{
    if (!builtin_has_kernel_header(p)) {
        if (!p->missed_header) {
            parse_error(p, token->loc, "'%s' has its meaning through the header: #include <rill/kernel.h>",
                        token->text);
        }
        p->missed_header = true;
    } else if (parse_at(p, TOKEN_LBRACE)) {
        parse_error(p, token->loc, "the short names are off here (RILL_NO_SHORT_NAMES): write RILL_STREAM_PARALLEL");
    }
}

static void check_place(struct parser *p, struct loc loc)
{
    assert(p->body != NULL); // statements stand in functions
    const struct body_state *body = p->body;
    if (body->block >= 0) {
        parse_error(p, loc, "a stream_parallel block cannot stand inside another");
    } else if (body->expression_depth > 0) {
        parse_error(p, loc, "a stream_parallel block cannot stand in an expression");
    } else if (!body->function->is_kernel) {
        parse_error(p, loc, "stream_parallel stands in '%s', which is no kernel: a helper has no tasks",
                    body->function->name);
    }
}

static void check_block_pragmas(struct parser *p, const struct pragmas *pragmas)
{
    if (pragmas->parallel || pragmas->serial || pragmas->single || pragmas->unroll || pragmas->collapse > 0 ||
        pragmas->block_dim > 0 || pragmas->map != PRAGMA_MAP_ANY) {
        parse_error(p, pragmas->loc, "only '#pragma rill in_order' may stand before a stream_parallel block");
    }
}

static bool is_empty(const struct stmt *block)
{
    for (int i = 0; i < block->item_count; i++) {
        if (block->items[i]->kind != STMT_EMPTY) {
            return false;
        }
    }
    return true;
}

// Nothing outside is a target for what stands inside, until the block ends.
static struct stmt *block_of(struct parser *p, int index)
{
    struct body_state *body = p->body;
    assert(index >= 0 && parse_at(p, TOKEN_LBRACE));
    struct body_state outside = *body;
    body->breaks_outside |= body->can_break;
    body->continues_outside |= body->can_continue;
    body->switch_outside |= body->innermost_switch != NULL;
    body->can_break = false;
    body->can_continue = false;
    body->innermost_switch = NULL;
    body->block = index;
    struct stmt *block = parse_compound_statement(p, true);
    body->breaks_outside = outside.breaks_outside;
    body->continues_outside = outside.continues_outside;
    body->switch_outside = outside.switch_outside;
    body->can_break = outside.can_break;
    body->can_continue = outside.can_continue;
    body->innermost_switch = outside.innermost_switch;
    body->block = outside.block;
    return block;
}

struct stmt *parse_stream_parallel(struct parser *p, const struct pragmas *pragmas)
{
    struct stmt *stmt = stmt_new(p, STMT_STREAM_PARALLEL, parse_loc(p));
    const struct token *token = parse_token(p);
    parse_advance(p);
    if (is_plain_name(token)) {
        check_header(p, token);
    }
    if (!expect_brace(p, stmt->loc)) {
        return parse_at(p, TOKEN_SEMI) || parse_at(p, TOKEN_RBRACE) ? stmt_new(p, STMT_EMPTY, stmt->loc)
                                                                    : parse_statement(p);
    }
    check_place(p, stmt->loc);
    check_block_pragmas(p, pragmas);
    stmt->pragmas = *pragmas;
    stmt->block_index = p->body->function->block_count++;
    stmt->body = block_of(p, stmt->block_index);
    if (is_empty(stmt->body)) {
        parse_warning(p, stmt->loc, "this stream_parallel block is empty");
    }
    return stmt;
}
