// asm statements. One with an instruction in it is refused where a kernel reaches it. An empty one is a fence for a
// compiler, or hides a value from it: `asm("" : "=r"(y) : "0"(x))` is y = x.
#include "lang/parse.h"

#include <string.h>

struct operand {
    const char *name; // of `[name] "r"(e)`; NULL: none
    const char *constraint;
    struct expr *value;
    struct loc loc;
};

struct operands {
    struct operand *items;
    int count;
    int capacity;
};

static void operand_list(struct parser *p, struct operands *out)
{
    if (parse_at(p, TOKEN_COLON) || parse_at(p, TOKEN_RPAREN)) {
        return;
    }
    do {
        struct operand operand = {.loc = parse_loc(p)};
        if (parse_accept(p, TOKEN_LBRACKET)) {
            operand.name = parse_identifier(p);
            parse_expect(p, TOKEN_RBRACKET, "after the operand's name");
        }
        operand.constraint = parse_at(p, TOKEN_STRING) ? parse_token(p)->text : "";
        parse_expect(p, TOKEN_STRING, "before the operand");
        parse_expect(p, TOKEN_LPAREN, "before the operand");
        operand.value = parse_expression(p);
        parse_expect(p, TOKEN_RPAREN, "after the operand");
        VEC_PUSH(p->arena, out, operand);
    } while (!p->is_panicking && parse_accept(p, TOKEN_COMMA));
}

// The output that an input with this constraint lies in, "0" or "[name]"; NULL: it has a place of its own.
static struct operand *matched(const struct operands *outputs, const char *constraint)
{
    constraint += strspn(constraint, "%&");
    if (constraint[0] >= '0' && constraint[0] <= '9') {
        int index = constraint[0] - '0';
        return index < outputs->count ? &outputs->items[index] : NULL;
    }
    size_t length = constraint[0] == '[' ? strcspn(constraint + 1, "]") : 0;
    for (int i = 0; i < outputs->count && length > 0; i++) {
        const char *name = outputs->items[i].name;
        if (name != NULL && strlen(name) == length && strncmp(name, constraint + 1, length) == 0) {
            return &outputs->items[i];
        }
    }
    return NULL;
}

static void add_effect(struct parser *p, struct stmt_list *out, struct expr *e)
{
    struct stmt *stmt = stmt_new(p, STMT_EXPR, e->loc);
    stmt->expr = e;
    VEC_PUSH(p->arena, out, stmt);
}

// A name for the input's value: all inputs are read before an output is written.
static struct expr *read_first(struct parser *p, struct stmt_list *out, struct expr *value, struct type *type)
{
    struct object *object = declare_local_object(p, NULL, type_unqualified(p->arena, type), value->loc);
    object->inits = ARENA_NEW(p->arena, struct init_store);
    *object->inits = (struct init_store){.type = object->type, .value = value, .loc = value->loc};
    object->init_count = 1;
    object->has_init = true;
    struct stmt *declaration = stmt_new(p, STMT_DECL, value->loc);
    declaration->object = object;
    VEC_PUSH(p->arena, out, declaration);
    return expr_object(p, object, value->loc);
}

// What an empty statement with operands does: nothing, but that an output gets the value of the input in its place.
static void move_operands(struct parser *p, const struct operands *outputs, const struct operands *inputs,
                          struct stmt_list *out)
{
    struct stmt_list writes = {0};
    for (int i = 0; i < inputs->count; i++) {
        struct expr *value = convert_decay(p, inputs->items[i].value);
        struct operand *output = matched(outputs, inputs->items[i].constraint);
        if (output == NULL) {
            add_effect(p, out, value);
            continue;
        }
        value = convert_assign(p, value, output->value->type, "an operand of 'asm'");
        if (expr_is_error(value) || expr_is_error(output->value)) {
            continue;
        }
        value = read_first(p, out, value, output->value->type);
        add_effect(p, &writes, operate_assign(p, output->value, value, output->loc));
        output->constraint = NULL; // written
    }
    for (int i = 0; i < outputs->count; i++) {
        if (outputs->items[i].constraint != NULL) {
            add_effect(p, out, outputs->items[i].value);
        }
    }
    for (int i = 0; i < writes.count; i++) {
        VEC_PUSH(p->arena, out, writes.items[i]);
    }
}

static struct stmt *empty_asm(struct parser *p)
{
    struct stmt *block = stmt_new(p, STMT_BLOCK, parse_loc(p));
    struct operands outputs = {0};
    struct operands inputs = {0};
    struct stmt_list items = {0};
    parse_advance(p); // '('
    parse_advance(p); // ""
    if (parse_accept(p, TOKEN_COLON)) {
        operand_list(p, &outputs);
        if (!p->is_panicking && parse_accept(p, TOKEN_COLON)) {
            operand_list(p, &inputs);
        }
    }
    while (!p->is_panicking && (parse_accept(p, TOKEN_COLON) || parse_accept(p, TOKEN_COMMA) ||
                                parse_accept(p, TOKEN_STRING))) { // what it overwrites
    }
    parse_expect(p, TOKEN_RPAREN, "after the operands");
    if (!p->is_panicking) {
        move_operands(p, &outputs, &inputs, &items);
    }
    block->items = items.items;
    block->item_count = items.count;
    block->end = block->loc;
    return block;
}

struct stmt *parse_asm_statement(struct parser *p)
{
    struct stmt *stmt = stmt_new(p, STMT_REFUSED, parse_loc(p));
    stmt->text = "inline assembly";
    bool is_goto = false;
    parse_advance(p);
    while (parse_at(p, TOKEN_KW_VOLATILE) || parse_at(p, TOKEN_KW_GOTO) || parse_at(p, TOKEN_KW_INLINE)) {
        is_goto |= parse_at(p, TOKEN_KW_GOTO);
        parse_advance(p);
    }
    const struct token *text = parse_peek(p, 1);
    bool is_empty = !is_goto && text->kind == TOKEN_STRING && text->length == 0;
    if (is_empty && parse_at(p, TOKEN_LPAREN)) {
        stmt = empty_asm(p);
    } else if (parse_at(p, TOKEN_LPAREN)) {
        parse_skip_parens(p);
    }
    parse_expect(p, TOKEN_SEMI, "after the assembly");
    return stmt;
}
