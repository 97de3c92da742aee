// switch, labels, goto, and where control can go.
#include "lang/parse.h"

#include "base/suggest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- switch --------------------------------------------------------------------------------------------------------

static int compare_cases(const void *a, const void *b)
{
    const struct stmt *x = *(struct stmt *const *)a;
    const struct stmt *y = *(struct stmt *const *)b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    if (x->loc.line != y->loc.line) {
        return x->loc.line < y->loc.line ? -1 : 1;
    }
    return x->loc.column < y->loc.column ? -1 : x->loc.column > y->loc.column;
}

// Values are compared as they are kept, sign-extended: for an unsigned type the order is another one, but equal is
// equal.
static void check_duplicates(struct parser *p, const struct switch_state *state)
{
    int count = state->cases.count;
    struct stmt **sorted = ARENA_ARRAY(p->arena, struct stmt *, count > 0 ? count : 1);
    if (count > 0) {
        memcpy(sorted, state->cases.items, sizeof *sorted * (size_t)count);
        qsort(sorted, (size_t)count, sizeof *sorted, compare_cases);
    }
    for (int i = 1; i < count; i++) {
        if (sorted[i]->low <= sorted[i - 1]->high) {
            parse_error(p, sorted[i]->loc, "the case %lld is here twice", (long long)sorted[i]->low);
            parse_note(p, sorted[i - 1]->loc, "the other one");
        }
    }
}

struct stmt *parse_switch_statement(struct parser *p)
{
    assert(parse_at(p, TOKEN_KW_SWITCH));
    struct stmt *stmt = stmt_new(p, STMT_SWITCH, parse_loc(p));
    parse_advance(p);
    stmt->expr = expr_error(p, stmt->loc);
    if (parse_expect(p, TOKEN_LPAREN, "after 'switch'")) {
        stmt->expr = convert_decay(p, parse_expression(p));
        parse_expect(p, TOKEN_RPAREN, "after the value of 'switch'");
    }
    if (!expr_is_error(stmt->expr) && !type_is_integer(stmt->expr->type)) {
        parse_error(p, stmt->expr->loc, "'switch' needs an integer, not '%s'", parse_describe(p, stmt->expr->type));
        stmt->expr = expr_error(p, stmt->loc);
    }
    stmt->expr = convert_promote(p, stmt->expr);
    struct switch_state state = {.outer = p->body->innermost_switch, .type = stmt->expr->type};
    bool can_break = p->body->can_break;
    p->body->innermost_switch = &state;
    p->body->can_break = true;
    stmt->body = p->is_panicking ? stmt_new(p, STMT_EMPTY, stmt->loc) : parse_statement(p);
    p->body->innermost_switch = state.outer;
    p->body->can_break = can_break;
    check_duplicates(p, &state);
    if (state.default_case != NULL) {
        VEC_PUSH(p->arena, &state.cases, state.default_case);
    }
    stmt->cases = state.cases.items;
    stmt->case_count = state.cases.count;
    return stmt;
}

static bool case_value(struct parser *p, const struct type *type, int64_t *out_value)
{
    struct expr *e = convert_promote(p, convert_decay(p, parse_conditional_expression(p)));
    *out_value = 0;
    if (expr_is_error(e)) {
        return false;
    }
    if (!type_is_integer(e->type) || !const_eval_int(e, out_value)) {
        parse_error(p, e->loc, "the value of 'case' must be an integer constant");
        return false;
    }
    if (type != NULL && type_is_integer(type)) {
        const_eval_int(convert_to_kind(p, e, type->kind), out_value);
    }
    return true;
}

static void case_label(struct parser *p, struct stmt *stmt, struct switch_state *state)
{
    const struct type *type = state != NULL ? state->type : NULL;
    bool is_known = case_value(p, type, &stmt->low);
    stmt->high = stmt->low;
    if (parse_accept(p, TOKEN_ELLIPSIS)) {
        is_known &= case_value(p, type, &stmt->high);
        bool is_empty =
            type != NULL && !type_is_signed(type) ? (uint64_t)stmt->low > (uint64_t)stmt->high : stmt->low > stmt->high;
        if (is_empty && is_known) {
            parse_error(p, stmt->loc, "the range of this case is empty");
            stmt->high = stmt->low;
        }
    }
    if (state != NULL && is_known) {
        VEC_PUSH(p->arena, &state->cases, stmt);
    }
}

static void default_label(struct parser *p, struct stmt *stmt, struct switch_state *state)
{
    if (state == NULL) {
        return;
    }
    if (state->default_case != NULL) {
        parse_error(p, stmt->loc, "two defaults in one switch");
        parse_note(p, state->default_case->loc, "the other one");
        return;
    }
    state->default_case = stmt;
}

static bool at_label(const struct parser *p)
{
    return parse_at(p, TOKEN_KW_CASE) || parse_at(p, TOKEN_KW_DEFAULT);
}

// C23 lets a declaration follow a label, as the next item of the block.
static struct stmt *labeled_body(struct parser *p, bool is_block_item)
{
    if (parse_at(p, TOKEN_RBRACE)) {
        return stmt_new(p, STMT_EMPTY, parse_loc(p)); // C23, and everybody's habit
    }
    if (!p->is_panicking && (parse_at(p, TOKEN_KW_STATIC_ASSERT) || declare_starts_type(p, parse_token(p))) &&
        parse_peek(p, 1)->kind != TOKEN_COLON) {
        if (!is_block_item) {
            parse_error(p, parse_loc(p), "the body of a statement cannot be a declaration: add braces");
        }
        return stmt_new(p, STMT_EMPTY, parse_loc(p));
    }
    p->body->is_block_item = is_block_item;
    return parse_statement(p);
}

// `case 1: case 2: case 3: …` is a chain, not nesting.
struct stmt *parse_case_statement(struct parser *p, bool is_block_item)
{
    assert(at_label(p));
    struct stmt *first = NULL;
    struct stmt **link = &first;
    struct switch_state *state = p->body->innermost_switch;
    int length = 0;
    do {
        bool is_case = parse_at(p, TOKEN_KW_CASE);
        struct stmt *stmt = stmt_new(p, is_case ? STMT_CASE : STMT_DEFAULT, parse_loc(p));
        *link = stmt;
        link = &stmt->body;
        parse_advance(p);
        if (state == NULL) {
            parse_error(p, stmt->loc,
                        p->body->switch_outside ? "'%s' would be a jump into the stream_parallel block"
                                                : "'%s' stands in no switch",
                        is_case ? "case" : "default");
        }
        if (is_case) {
            case_label(p, stmt, state);
        } else {
            default_label(p, stmt, state);
        }
        if (!parse_expect(p, TOKEN_COLON, is_case ? "after the value of 'case'" : "after 'default'")) {
            break;
        }
        if (++length > LANG_MAX_CHAIN) {
            parse_error(p, stmt->loc, "more than %d labels in a row", LANG_MAX_CHAIN);
            parse_give_up(p);
            break;
        }
    } while (at_label(p));
    *link = p->is_panicking || p->gave_up ? stmt_new(p, STMT_EMPTY, parse_loc(p)) : labeled_body(p, is_block_item);
    return first;
}

// ---- goto and labels -----------------------------------------------------------------------------------------------

static struct label_state *find_label(struct parser *p, const char *name)
{
    struct body_state *body = p->body;
    struct label_state *state = hash_map_get(&body->labels, name, strlen(name));
    if (state == NULL) {
        state = ARENA_NEW(p->arena, struct label_state);
        state->label.name = name;
        state->label.index = body->label_list.count;
        state->block = -1;
        hash_map_set(&body->labels, name, strlen(name), state);
        VEC_PUSH(p->arena, &body->label_list, state);
    }
    return state;
}

struct stmt *parse_goto_statement(struct parser *p)
{
    assert(parse_at(p, TOKEN_KW_GOTO));
    struct stmt *stmt = stmt_new(p, STMT_GOTO, parse_loc(p));
    if (p->body->expression_depth > 0) {
        parse_error(p, stmt->loc, "not supported: 'goto' in a statement expression");
    }
    parse_advance(p);
    struct loc loc = parse_loc(p);
    if (parse_at(p, TOKEN_STAR)) {
        stmt->kind = STMT_REFUSED;
        stmt->text = "a computed goto";
        parse_advance(p);
        parse_expression(p);
    } else {
        const char *name = parse_identifier(p);
        if (name == NULL) {
            parse_syntax_error(p, "expected a label after 'goto'");
            return stmt_new(p, STMT_EMPTY, stmt->loc);
        }
        stmt->label = &find_label(p, name)->label;
        struct goto_use use = {.label = stmt->label, .loc = loc, .block = p->body->block};
        VEC_PUSH(p->arena, &p->body->gotos, use);
    }
    parse_expect(p, TOKEN_SEMI, "after 'goto'");
    return stmt;
}

struct stmt *parse_labeled_statement(struct parser *p, bool is_block_item)
{
    struct stmt *stmt = stmt_new(p, STMT_LABEL, parse_loc(p));
    const char *name = parse_identifier(p);
    parse_advance(p);     // the colon
    assert(name != NULL); // the caller has seen both
    struct attributes ignored = {0};
    declare_attributes(p, &ignored);
    struct label_state *state = find_label(p, name);
    if (p->body->expression_depth > 0) {
        parse_error(p, stmt->loc, "not supported: a label in a statement expression");
    } else if (state->label.loc.line != 0) {
        parse_error(p, stmt->loc, "the label '%s' is here twice", name);
        parse_note(p, state->label.loc, "the other one");
    } else {
        state->label.loc = stmt->loc;
        state->label.stmt = stmt;
        state->block = p->body->block;
    }
    stmt->label = &state->label;
    stmt->body = labeled_body(p, is_block_item);
    return stmt;
}

static const char *suggest_label(const struct body_state *body, const char *name)
{
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (int i = 0; i < body->label_list.count; i++) {
        if (body->label_list.items[i]->label.stmt != NULL) {
            suggest_offer(&suggest, body->label_list.items[i]->label.name);
        }
    }
    return suggest_best(&suggest);
}

void parse_check_jumps(struct parser *p)
{
    for (int i = 0; i < p->body->gotos.count; i++) {
        const struct goto_use *use = &p->body->gotos.items[i];
        const struct label_state *state = (const struct label_state *)use->label;
        assert(use->label->index < p->body->label_list.count);
        if (use->label->loc.line == 0) {
            const char *best = suggest_label(p->body, use->label->name);
            parse_error(p, use->loc, "the label '%s' does not exist%s%s%s", use->label->name,
                        best != NULL ? "; did you mean '" : "", best != NULL ? best : "", best != NULL ? "'?" : "");
            use->label->loc = use->loc; // said once
        } else if (state->block != use->block && state->label.stmt != NULL) {
            parse_error(p, use->loc, "'goto %s' would jump across the edge of a stream_parallel block",
                        use->label->name);
            parse_note(p, use->label->loc, "the label is here");
        }
    }
}

// ---- where control can go ------------------------------------------------------------------------------------------

static bool is_always(const struct expr *e)
{
    int64_t value;
    return e == NULL || (type_is_integer(e->type) && const_eval_int(e, &value) && value != 0);
}

// Whether a break (or continue) inside belongs to the loop or switch whose body this is.
static bool has_jump(const struct stmt *stmt, enum stmt_kind kind)
{
    if (stmt == NULL) {
        return false;
    }
    switch (stmt->kind) {
    case STMT_BREAK:
    case STMT_CONTINUE: return stmt->kind == kind;
    case STMT_BLOCK:
        for (int i = 0; i < stmt->item_count; i++) {
            if (has_jump(stmt->items[i], kind)) {
                return true;
            }
        }
        return false;
    case STMT_IF: return has_jump(stmt->body, kind) || has_jump(stmt->else_body, kind);
    case STMT_SWITCH: return kind == STMT_CONTINUE && has_jump(stmt->body, kind);
    case STMT_CASE:
    case STMT_DEFAULT:
    case STMT_LABEL: return has_jump(stmt->body, kind);
    default: return false;
    }
}

static bool switch_falls_through(const struct stmt *stmt)
{
    bool has_default = false;
    for (int i = 0; i < stmt->case_count; i++) {
        has_default |= stmt->cases[i]->kind == STMT_DEFAULT;
    }
    return !has_default || has_jump(stmt->body, STMT_BREAK) || stmt_can_fall_through(stmt->body);
}

static bool block_falls_through(const struct stmt *stmt)
{
    bool reached = true;
    for (int i = 0; i < stmt->item_count; i++) {
        const struct stmt *item = stmt->items[i];
        bool is_entry = item->kind == STMT_LABEL || item->kind == STMT_CASE || item->kind == STMT_DEFAULT;
        reached = (reached || is_entry) && stmt_can_fall_through(item);
    }
    return reached;
}

bool stmt_can_fall_through(const struct stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_RETURN:
    case STMT_GOTO:
    case STMT_BREAK:
    case STMT_CONTINUE: return false;
    case STMT_EXPR: return !(stmt->expr->kind == EXPR_CALL && stmt->expr->function->is_noreturn);
    case STMT_BLOCK: return block_falls_through(stmt);
    case STMT_IF:
        return stmt->else_body == NULL || stmt_can_fall_through(stmt->body) || stmt_can_fall_through(stmt->else_body);
    case STMT_WHILE:
    case STMT_FOR: return !is_always(stmt->expr) || has_jump(stmt->body, STMT_BREAK);
    case STMT_DO: {
        bool reaches_end = stmt_can_fall_through(stmt->body) || has_jump(stmt->body, STMT_CONTINUE);
        return has_jump(stmt->body, STMT_BREAK) || (reaches_end && !is_always(stmt->expr));
    }
    case STMT_SWITCH: return switch_falls_through(stmt);
    case STMT_CASE:
    case STMT_DEFAULT:
    case STMT_LABEL: return stmt_can_fall_through(stmt->body);
    case STMT_STREAM_PARALLEL: return true;
    default: return true;
    }
}
