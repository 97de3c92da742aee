// Statements. Jumps, labels and switch are in statement_flow.c, stream_parallel in statement_stream.c.
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

struct stmt *stmt_new(struct parser *p, enum stmt_kind kind, struct loc loc)
{
    struct stmt *stmt = ARENA_NEW(p->arena, struct stmt);
    stmt->kind = kind;
    stmt->loc = loc;
    return stmt;
}

// ---- blocks --------------------------------------------------------------------------------------------------------

static bool begins_statement(enum token_kind kind)
{
    switch (kind) {
    case TOKEN_SEMI:
    case TOKEN_LBRACE:
    case TOKEN_KW_IF:
    case TOKEN_KW_SWITCH:
    case TOKEN_KW_CASE:
    case TOKEN_KW_DEFAULT:
    case TOKEN_KW_FOR:
    case TOKEN_KW_WHILE:
    case TOKEN_KW_DO:
    case TOKEN_KW_BREAK:
    case TOKEN_KW_CONTINUE:
    case TOKEN_KW_GOTO:
    case TOKEN_KW_RETURN: return true;
    default: return false;
    }
}

// `__attribute__((fallthrough));`, or C23's `[[likely]] if (…)`: attributes before no declaration. Longer ones than
// this are not looked through: asked at every declaration, it must not cost more than the declaration does.
static bool at_attribute_statement(const struct parser *p)
{
    enum { MOST_TOKENS = 64 };
    int ahead = 0;
    while (parse_peek(p, ahead)->kind == TOKEN_KW_ATTRIBUTE) {
        int depth = 0;
        do {
            enum token_kind kind = parse_peek(p, ++ahead)->kind;
            depth += kind == TOKEN_LPAREN;
            depth -= kind == TOKEN_RPAREN;
            if (kind == TOKEN_EOF || ahead > MOST_TOKENS) {
                return false;
            }
        } while (depth > 0);
        ahead++;
    }
    enum token_kind kind = parse_peek(p, ahead)->kind;
    return ahead > 0 && begins_statement(kind);
}

static bool starts_declaration(struct parser *p)
{
    const struct token *token = parse_token(p);
    if (token->kind == TOKEN_KW_STATIC_ASSERT) {
        return true;
    }
    if (token->kind == TOKEN_KW_EXTENSION) {
        return declare_starts_type(p, parse_peek(p, 1));
    }
    if (token->kind == TOKEN_IDENT && parse_peek(p, 1)->kind == TOKEN_COLON) {
        return false; // a label may be called like a type
    }
    if (declare_starts_type(p, token)) {
        return !at_attribute_statement(p);
    }
    // `fooo x;` and `fooo *x = …`: the specifiers complain about the type.
    if (token->kind != TOKEN_IDENT || scope_find(p, token->text) != NULL) {
        return false;
    }
    enum token_kind third = parse_peek(p, 3)->kind;
    bool is_pointer = parse_peek(p, 1)->kind == TOKEN_STAR && parse_peek(p, 2)->kind == TOKEN_IDENT &&
                      (third == TOKEN_SEMI || third == TOKEN_ASSIGN);
    return is_pointer || (parse_peek(p, 1)->kind == TOKEN_IDENT && !parse_at_stream_parallel(p));
}

static struct stmt *attribute_statement(struct parser *p)
{
    struct attributes attributes = {0};
    declare_attributes(p, &attributes);
    return parse_statement(p);
}

static void block_item(struct parser *p, struct stmt_list *items)
{
    if (!starts_declaration(p)) {
        p->body->is_block_item = true;
        struct stmt *stmt = parse_statement(p);
        VEC_PUSH(p->arena, items, stmt);
        return;
    }
    struct pragmas pragmas = parse_take_pragmas(p);
    parse_refuse_pragmas(p, &pragmas, "a declaration");
    declare_local(p, items);
}

static void block_item_list(struct parser *p, struct stmt_list *items)
{
    while (!parse_at(p, TOKEN_RBRACE) && !parse_at(p, TOKEN_EOF)) {
        int before = p->position;
        block_item(p, items);
        if (p->is_panicking) {
            parse_recover(p);
        }
        if (p->position == before && !parse_at(p, TOKEN_RBRACE)) {
            parse_advance(p);
        }
    }
    if (p->pragmas.count > 0) {
        struct pragmas pragmas = parse_take_pragmas(p);
        parse_refuse_pragmas(p, &pragmas, "the end of the block");
    }
}

struct stmt *parse_compound_statement(struct parser *p, bool opens_scope)
{
    assert(parse_at(p, TOKEN_LBRACE));
    struct stmt *block = stmt_new(p, STMT_BLOCK, parse_loc(p));
    struct stmt_list items = {0};
    bool is_uncontracted = p->is_uncontracted; // what a pragma in the block says ends with it
    parse_advance(p);
    if (opens_scope) {
        scope_push(p);
    }
    block_item_list(p, &items);
    if (opens_scope) {
        scope_pop(p);
    }
    block->end = parse_loc(p);
    block->items = items.items;
    block->item_count = items.count;
    p->is_uncontracted = is_uncontracted;
    if (!parse_accept(p, TOKEN_RBRACE)) {
        parse_syntax_error(p, "expected '}' at the end of the block");
        parse_note(p, block->loc, "the block begins here");
    }
    return block;
}

// ---- simple statements ---------------------------------------------------------------------------------------------

static bool is_useless(const struct expr *e)
{
    if (expr_is_error(e) || type_is_void(e->type) || expr_has_effect(e)) {
        return false;
    }
    return e->kind != EXPR_COND || !type_is_void(e->type);
}

static struct stmt *expression_statement(struct parser *p)
{
    struct loc loc = parse_loc(p);
    if (parse_accept(p, TOKEN_SEMI)) {
        return stmt_new(p, STMT_EMPTY, loc);
    }
    struct stmt *stmt = stmt_new(p, STMT_EXPR, loc);
    stmt->expr = convert_decay(p, parse_expression(p));
    bool is_useful = !is_useless(stmt->expr);
    parse_expect(p, TOKEN_SEMI, "after the expression");
    // The value of a statement expression is its last statement.
    bool is_value =
        p->body->expression_depth > 0 && parse_at(p, TOKEN_RBRACE) && parse_peek(p, 1)->kind == TOKEN_RPAREN;
    if (!is_useful && !is_value) {
        parse_warning(p, stmt->expr->loc, "this expression has no effect");
    }
    return stmt;
}

static struct stmt *return_statement(struct parser *p)
{
    struct stmt *stmt = stmt_new(p, STMT_RETURN, parse_loc(p));
    const struct function *function = p->body->function;
    struct type *result = function->type->base;
    parse_advance(p);
    if (p->body->expression_depth > 0) {
        parse_error(p, stmt->loc, "not supported: 'return' in a statement expression");
    } else if (p->body->block >= 0) {
        parse_error(p, stmt->loc, "'return' would leave the stream_parallel block");
    }
    if (!parse_at(p, TOKEN_SEMI)) {
        struct expr *e = parse_expression(p);
        if (type_is_void(result)) {
            e = convert_decay(p, e);
            stmt->expr = type_is_void(e->type) ? e : NULL; // what GNU C allows: the call, and then the return
            if (!expr_is_error(e) && stmt->expr == NULL) {
                parse_error(p, stmt->loc, "'%s' returns nothing, but a value is given", function->name);
            }
        } else {
            const char *what = arena_printf(p->arena, "'return' of '%s'", function->name);
            stmt->expr = convert_assign(p, e, result, what);
        }
    } else if (!type_is_void(result) && !type_is_error(result)) {
        parse_error(p, stmt->loc, "'%s' returns '%s', but no value is given", function->name,
                    parse_describe(p, result));
    }
    parse_expect(p, TOKEN_SEMI, "after 'return'");
    return stmt;
}

static struct stmt *break_statement(struct parser *p)
{
    bool is_break = parse_at(p, TOKEN_KW_BREAK);
    const char *word = is_break ? "break" : "continue";
    struct stmt *stmt = stmt_new(p, is_break ? STMT_BREAK : STMT_CONTINUE, parse_loc(p));
    parse_advance(p);
    const struct body_state *body = p->body;
    if (!(is_break ? body->can_break : body->can_continue)) {
        if (is_break ? body->breaks_outside : body->continues_outside) {
            parse_error(p, stmt->loc,
                        body->expression_depth > 0 ? "not supported: '%s' out of a statement expression"
                                                   : "'%s' would leave the stream_parallel block",
                        word);
        } else {
            parse_error(p, stmt->loc, "'%s' stands in no loop%s", word, is_break ? " and no switch" : "");
        }
    }
    parse_expect(p, TOKEN_SEMI, is_break ? "after 'break'" : "after 'continue'");
    return stmt;
}

// ---- if ------------------------------------------------------------------------------------------------------------

// `if (n = 3)` compares nothing. Who means it writes a pair of parentheses more, as for other compilers.
static struct expr *parse_condition(struct parser *p, const char *word)
{
    bool is_grouped = parse_at(p, TOKEN_LPAREN);
    struct expr *e = parse_expression(p);
    if (e->kind == EXPR_ASSIGN && !is_grouped) {
        parse_warning(p, e->loc,
                      "the condition of '%s' is an assignment: '==' compares, and in parentheses '=' is meant", word);
    }
    if (strcmp(word, "if") != 0) {
        parse_warn_of_endless(p, e, word);
    }
    return convert_condition(p, e, arena_printf(p->arena, "the condition of '%s'", word));
}

static struct expr *parenthesized_condition(struct parser *p, const char *word)
{
    struct loc loc = parse_loc(p);
    int open = p->position;
    if (!parse_expect(p, TOKEN_LPAREN, arena_printf(p->arena, "after '%s'", word))) {
        return expr_error(p, loc);
    }
    struct expr *e = parse_condition(p, word);
    parse_expect(p, TOKEN_RPAREN, "after the condition");
    if (p->is_panicking) {
        parse_recover_header(p, open);
    }
    return e;
}

// The body of if, else and the loops: a scope of its own.
static struct stmt *substatement(struct parser *p)
{
    if (parse_at(p, TOKEN_RBRACE) || parse_at(p, TOKEN_EOF)) {
        parse_syntax_error(p, "expected a statement, found %s", token_describe(p->arena, parse_token(p)));
        return stmt_new(p, STMT_EMPTY, parse_loc(p));
    }
    if (!p->is_panicking && starts_declaration(p)) {
        parse_error(p, parse_loc(p), "a declaration cannot be the only statement here: put it in braces");
        struct stmt_list ignored = {0};
        scope_push(p);
        declare_local(p, &ignored);
        scope_pop(p);
        return stmt_new(p, STMT_EMPTY, parse_loc(p));
    }
    scope_push(p);
    struct stmt *stmt = parse_statement(p);
    scope_pop(p);
    return stmt;
}

// A long chain of else-ifs is not deep nesting for the one who writes it, so it is no recursion here.
static struct stmt *if_statement(struct parser *p)
{
    struct stmt *first = NULL;
    struct stmt **link = &first;
    int length = 0;
    do {
        struct stmt *stmt = stmt_new(p, STMT_IF, parse_loc(p));
        *link = stmt;
        parse_advance(p);
        stmt->expr = parenthesized_condition(p, "if");
        stmt->body = substatement(p);
        if (p->is_panicking || !parse_accept(p, TOKEN_KW_ELSE)) {
            return first;
        }
        link = &stmt->else_body;
        if (++length > LANG_MAX_CHAIN) {
            parse_error(p, stmt->loc, "more than %d 'else if' in a row", LANG_MAX_CHAIN);
            parse_give_up(p);
            return first;
        }
    } while (parse_at(p, TOKEN_KW_IF) && p->pragmas.count == 0);
    *link = substatement(p);
    return first;
}

// ---- loops ---------------------------------------------------------------------------------------------------------

static struct stmt *loop_body(struct parser *p)
{
    struct body_state *body = p->body;
    bool can_break = body->can_break;
    bool can_continue = body->can_continue;
    body->can_break = true;
    body->can_continue = true;
    struct stmt *stmt = substatement(p);
    body->can_break = can_break;
    body->can_continue = can_continue;
    return stmt;
}

static struct stmt *while_statement(struct parser *p)
{
    struct stmt *stmt = stmt_new(p, STMT_WHILE, parse_loc(p));
    parse_advance(p);
    stmt->expr = parenthesized_condition(p, "while");
    stmt->body = loop_body(p);
    return stmt;
}

static struct stmt *do_statement(struct parser *p)
{
    struct stmt *stmt = stmt_new(p, STMT_DO, parse_loc(p));
    parse_advance(p);
    stmt->body = loop_body(p);
    if (!p->is_panicking && parse_expect(p, TOKEN_KW_WHILE, "after the body of 'do'")) {
        stmt->expr = parenthesized_condition(p, "while");
        parse_expect(p, TOKEN_SEMI, "after 'do … while (…)'");
    }
    if (stmt->expr == NULL) {
        stmt->expr = expr_error(p, stmt->loc);
    }
    return stmt;
}

static struct stmt *for_init(struct parser *p)
{
    struct loc loc = parse_loc(p);
    if (parse_accept(p, TOKEN_SEMI)) {
        return NULL;
    }
    if (!starts_declaration(p)) {
        p->body->is_block_item = true;
        struct stmt *stmt = stmt_new(p, STMT_EXPR, loc);
        stmt->expr = convert_decay(p, parse_expression(p));
        parse_expect(p, TOKEN_SEMI, "after the first part of 'for'");
        return stmt;
    }
    struct stmt_list items = {0};
    declare_local(p, &items);
    if (items.count == 1) {
        return items.items[0];
    }
    struct stmt *block = stmt_new(p, STMT_BLOCK, loc);
    block->items = items.items;
    block->item_count = items.count;
    block->end = loc;
    return block;
}

static void for_header(struct parser *p, struct stmt *stmt)
{
    if (!parse_expect(p, TOKEN_LPAREN, "after 'for'")) {
        return;
    }
    stmt->init = for_init(p);
    if (!parse_at(p, TOKEN_SEMI) && !p->is_panicking) {
        stmt->expr = parse_condition(p, "for");
    }
    if (!parse_expect(p, TOKEN_SEMI, "after the condition of 'for'")) {
        return;
    }
    if (!parse_at(p, TOKEN_RPAREN)) {
        stmt->step = convert_decay(p, parse_expression(p));
    }
    parse_expect(p, TOKEN_RPAREN, "after the last part of 'for'");
}

static struct stmt *for_statement(struct parser *p)
{
    struct stmt *stmt = stmt_new(p, STMT_FOR, parse_loc(p));
    parse_advance(p);
    scope_push(p);
    int open = p->position;
    for_header(p, stmt);
    if (p->is_panicking) {
        parse_recover_header(p, open);
    }
    stmt->body = p->is_panicking ? stmt_new(p, STMT_EMPTY, stmt->loc) : loop_body(p);
    scope_pop(p);
    return stmt;
}

// ---- any statement -------------------------------------------------------------------------------------------------

static struct stmt *loop_statement(struct parser *p, const struct pragmas *pragmas)
{
    struct stmt *stmt;
    enum token_kind token = parse_token(p)->kind;
    parse_check_loop_pragmas(p, pragmas,
                             token == TOKEN_KW_FOR  ? STMT_FOR
                             : token == TOKEN_KW_DO ? STMT_DO
                                                    : STMT_WHILE);
    switch (token) {
    case TOKEN_KW_FOR: stmt = for_statement(p); break;
    case TOKEN_KW_DO: stmt = do_statement(p); break;
    default: stmt = while_statement(p); break;
    }
    stmt->pragmas = *pragmas;
    return stmt;
}

// GNU C's other spelling, which C leaves to the program.
static bool is_asm(struct parser *p)
{
    const struct token *token = parse_token(p);
    enum token_kind next = parse_peek(p, 1)->kind;
    return token->kind == TOKEN_IDENT && strcmp(token->text, "asm") == 0 && scope_find(p, "asm") == NULL &&
           (next == TOKEN_LPAREN || next == TOKEN_KW_VOLATILE || next == TOKEN_KW_GOTO || next == TOKEN_KW_INLINE);
}

static struct stmt *plain_statement(struct parser *p, bool is_block_item)
{
    const struct token *token = parse_token(p);
    if (is_asm(p)) {
        return parse_asm_statement(p);
    }
    switch (token->kind) {
    case TOKEN_LBRACE: return parse_compound_statement(p, true);
    case TOKEN_KW_IF: return if_statement(p);
    case TOKEN_KW_SWITCH: return parse_switch_statement(p);
    case TOKEN_KW_CASE:
    case TOKEN_KW_DEFAULT: return parse_case_statement(p, is_block_item);
    case TOKEN_KW_BREAK:
    case TOKEN_KW_CONTINUE: return break_statement(p);
    case TOKEN_KW_RETURN: return return_statement(p);
    case TOKEN_KW_GOTO: return parse_goto_statement(p);
    case TOKEN_KW_ASM: return parse_asm_statement(p);
    case TOKEN_KW_ATTRIBUTE:
        if (at_attribute_statement(p)) {
            return attribute_statement(p);
        }
        break;
    case TOKEN_KW_ELSE:
        parse_error(p, token->loc, "'else' without an 'if' before it");
        parse_advance(p);
        return plain_statement(p, is_block_item);
    case TOKEN_IDENT:
        if (parse_peek(p, 1)->kind == TOKEN_COLON) {
            return parse_labeled_statement(p, is_block_item);
        }
        break;
    default: break;
    }
    return expression_statement(p);
}

static const char *statement_word(const struct parser *p)
{
    const struct token *token = parse_token(p);
    return token->kind == TOKEN_KW_IF       ? "an 'if'"
           : token->kind == TOKEN_LBRACE    ? "a block"
           : token->kind == TOKEN_RBRACE    ? "the end of the block"
           : token->kind == TOKEN_KW_RETURN ? "a 'return'"
                                            : "this statement";
}

static struct stmt *any_statement(struct parser *p)
{
    bool is_block_item = p->body->is_block_item;
    p->body->is_block_item = false;
    struct pragmas pragmas = {0};
    if (p->pragmas.count > 0) {
        pragmas = parse_take_pragmas(p);
    }
    if (parse_at(p, TOKEN_KW_FOR) || parse_at(p, TOKEN_KW_WHILE) || parse_at(p, TOKEN_KW_DO)) {
        return loop_statement(p, &pragmas);
    }
    if (parse_at_stream_parallel(p)) {
        return parse_stream_parallel(p, &pragmas);
    }
    parse_refuse_pragmas(p, &pragmas, statement_word(p));
    return plain_statement(p, is_block_item);
}

struct stmt *parse_statement(struct parser *p)
{
    struct stmt *stmt = NULL;
    if (parse_enter(p)) {
        stmt = any_statement(p);
    }
    parse_leave(p);
    return stmt != NULL ? stmt : stmt_new(p, STMT_EMPTY, parse_loc(p));
}
