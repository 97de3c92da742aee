#include "astdump.h"

#include "lang/preprocess.h"

#include <string.h>

void parsed_init(struct parsed *parsed, const char *path, const char *text)
{
    parsed_init_failing(parsed, path, text, NULL, 0);
}

void parsed_init_failing(struct parsed *parsed, const char *path, const char *text, jmp_buf *escape,
                         uint64_t fail_after)
{
    memset(parsed, 0, sizeof *parsed);
    arena_init(&parsed->arena);
    parsed->arena.escape = escape;
    parsed->arena.fail_after = fail_after;
    diags_init(&parsed->diags, &parsed->arena);
    struct preprocess_options options = {.no_disk = true};
    struct token_list tokens = {0};
    preprocess(&parsed->arena, &parsed->diags, path, text, strlen(text), &options, &tokens);
    parsed->unit = parse_unit(&parsed->arena, &parsed->diags, &tokens);
}

void parsed_finish(struct parsed *parsed)
{
    arena_finish(&parsed->arena);
}

const char *parsed_messages(struct parsed *parsed)
{
    static const char *const words[] = {[DIAG_NOTE] = "note", [DIAG_WARNING] = "warning", [DIAG_ERROR] = "error"};
    struct str out;
    str_init(&out, &parsed->arena);
    for (int i = 0; i < parsed->diags.count; i++) {
        const struct diag *diag = &parsed->diags.items[i];
        str_printf(&out, "%s%u:%u: %s: %s\n", diag->severity == DIAG_NOTE ? "  " : "", diag->loc.line, diag->loc.column,
                   words[diag->severity], diag->text);
    }
    return str_text(&out);
}

struct function *parsed_function(struct parsed *parsed, const char *name)
{
    for (int i = 0; i < parsed->unit->function_count; i++) {
        if (strcmp(parsed->unit->functions[i]->name, name) == 0) {
            return parsed->unit->functions[i];
        }
    }
    return NULL;
}

struct object *parsed_global(struct parsed *parsed, const char *name)
{
    for (int i = 0; i < parsed->unit->global_count; i++) {
        const char *have = parsed->unit->globals[i]->name;
        if (have != NULL && strcmp(have, name) == 0) {
            return parsed->unit->globals[i];
        }
    }
    return NULL;
}

// ---- expressions ---------------------------------------------------------------------------------------------------

static const char *const expr_names[] = {
    [EXPR_NEG] = "neg",     [EXPR_BITNOT] = "bitnot", [EXPR_LOGNOT] = "not",     [EXPR_DECAY] = "decay",
    [EXPR_ADDR] = "addr",   [EXPR_DEREF] = "deref",   [EXPR_ADD] = "add",        [EXPR_SUB] = "sub",
    [EXPR_MUL] = "mul",     [EXPR_DIV] = "div",       [EXPR_MOD] = "mod",        [EXPR_SHL] = "shl",
    [EXPR_SHR] = "shr",     [EXPR_AND] = "and",       [EXPR_OR] = "or",          [EXPR_XOR] = "xor",
    [EXPR_LT] = "lt",       [EXPR_LE] = "le",         [EXPR_GT] = "gt",          [EXPR_GE] = "ge",
    [EXPR_EQ] = "eq",       [EXPR_NE] = "ne",         [EXPR_LOGAND] = "&&",      [EXPR_LOGOR] = "||",
    [EXPR_COMMA] = "comma", [EXPR_PTR_ADD] = "padd",  [EXPR_PTR_DIFF] = "pdiff", [EXPR_ASSIGN] = "=",
    [EXPR_COND] = "?",      [EXPR_STATEMENTS] = "({",
};

static void dump_operands(struct arena *arena, const struct expr *e, struct str *out)
{
    const struct expr *operands[] = {e->a, e->b, e->c};
    for (int i = 0; i < 3; i++) {
        if (operands[i] != NULL) {
            str_add_char(out, ' ');
            astdump_expr(arena, operands[i], out);
        }
    }
    for (int i = 0; i < e->arg_count; i++) {
        str_add_char(out, ' ');
        astdump_expr(arena, e->args[i], out);
    }
}

static const char *object_name(const struct object *object)
{
    return object->name != NULL ? object->name : "_";
}

static void dump_inits(struct arena *arena, const struct object *object, struct str *out)
{
    for (int i = 0; i < object->init_count; i++) {
        const struct init_store *s = &object->inits[i];
        str_printf(out, " @%llu", (unsigned long long)s->offset);
        if (s->bitfield != NULL) {
            str_printf(out, ":%d:%d", s->bitfield->bit_offset, s->bitfield->bit_width);
        }
        str_add_char(out, '=');
        astdump_expr(arena, s->value, out);
    }
}

void astdump_expr(struct arena *arena, const struct expr *e, struct str *out)
{
    const char *type = type_describe(arena, e->type);
    switch (e->kind) {
    case EXPR_INT: {
        bool is_plain = e->type->kind == TYPE_INT;
        str_printf(out, is_plain ? "%lld" : "%lld:", (long long)e->u);
        str_add(out, is_plain ? "" : type);
        return;
    }
    case EXPR_FLOAT: str_printf(out, "%g%s", e->f, e->type->kind == TYPE_FLOAT ? "f" : ""); return;
    case EXPR_STRING: str_printf(out, "\"%s\"", e->bytes); return;
    case EXPR_OBJECT: str_add(out, object_name(e->object)); return;
    case EXPR_FUNCTION: str_add(out, e->function->name); return;
    case EXPR_CAST: str_printf(out, "(%s<%s>", e->is_implicit ? "to" : "cast", type); break;
    case EXPR_MEMBER: str_printf(out, "(.%s", e->member->name != NULL ? e->member->name : "_"); break;
    case EXPR_UPDATE:
        str_printf(out, "(%s%s=<%s>", e->is_postfix ? "post-" : "", expr_names[e->op],
                   type_describe(arena, e->compute_type));
        break;
    case EXPR_CALL: str_printf(out, "(call<%s> %s", type, e->function->name); break;
    case EXPR_COMPOUND_LITERAL:
        str_printf(out, "(literal<%s>", type);
        dump_inits(arena, e->object, out);
        break;
    case EXPR_REFUSED: str_printf(out, "(refused \"%s\"", e->text); break;
    default: {
        bool is_typed = (e->kind >= EXPR_ADD && e->kind <= EXPR_XOR) || e->kind == EXPR_NEG || e->kind == EXPR_COND;
        str_printf(out, "(%s%s%s%s", expr_names[e->kind], is_typed ? "<" : "", is_typed ? type : "",
                   is_typed ? ">" : "");
        break;
    }
    }
    dump_operands(arena, e, out);
    str_add_char(out, ')');
}

// ---- statements ----------------------------------------------------------------------------------------------------

static void line(struct str *out, int depth)
{
    str_printf(out, "%*s", 2 * depth, "");
}

static void dump_pragmas(const struct pragmas *pragmas, struct str *out)
{
    str_add(out, pragmas->parallel ? " parallel" : "");
    str_add(out, pragmas->serial ? " serial" : "");
    str_add(out, pragmas->single ? " single" : "");
    str_add(out, pragmas->in_order ? " in_order" : "");
    str_add(out, pragmas->unroll ? " unroll" : "");
    if (pragmas->collapse > 0) {
        str_printf(out, " collapse(%d)", pragmas->collapse);
    }
    if (pragmas->block_dim > 0) {
        str_printf(out, " block_dim(%d)", pragmas->block_dim);
    }
    str_add(out, pragmas->map == PRAGMA_MAP_OUTER ? " map(outer)" : "");
    str_add(out, pragmas->map == PRAGMA_MAP_TWO_LEVEL ? " map(two_level)" : "");
    if (pragmas->map == PRAGMA_MAP_TILE) {
        str_printf(out, " map(tile(%d, %d))", pragmas->tile_rows, pragmas->tile_columns);
    }
}

static const char *const stmt_names[] = {
    [STMT_EMPTY] = "empty",
    [STMT_EXPR] = "expr",
    [STMT_DECL] = "decl",
    [STMT_BLOCK] = "block",
    [STMT_IF] = "if",
    [STMT_WHILE] = "while",
    [STMT_DO] = "do",
    [STMT_FOR] = "for",
    [STMT_SWITCH] = "switch",
    [STMT_CASE] = "case",
    [STMT_DEFAULT] = "default",
    [STMT_BREAK] = "break",
    [STMT_CONTINUE] = "continue",
    [STMT_RETURN] = "return",
    [STMT_GOTO] = "goto",
    [STMT_LABEL] = "label",
    [STMT_STREAM_PARALLEL] = "stream_parallel",
    [STMT_REFUSED] = "refused",
};

static void dump_stmt(const struct stmt *stmt, int depth, struct str *out);

static void dump_parts(const struct stmt *stmt, int depth, struct str *out)
{
    if (stmt->init != NULL) {
        dump_stmt(stmt->init, depth, out);
    }
    if (stmt->step != NULL) {
        line(out, depth);
        str_add(out, "step ");
        astdump_expr(out->arena, stmt->step, out);
        str_add_char(out, '\n');
    }
    for (int i = 0; i < stmt->item_count; i++) {
        dump_stmt(stmt->items[i], depth, out);
    }
    if (stmt->body != NULL) {
        dump_stmt(stmt->body, depth, out);
    }
    if (stmt->else_body != NULL) {
        line(out, depth - 1);
        str_add(out, "else\n");
        dump_stmt(stmt->else_body, depth, out);
    }
}

static void dump_stmt(const struct stmt *stmt, int depth, struct str *out)
{
    line(out, depth);
    str_add(out, stmt_names[stmt->kind]);
    if (stmt->kind == STMT_STREAM_PARALLEL) {
        str_printf(out, " %d", stmt->block_index);
    }
    dump_pragmas(&stmt->pragmas, out);
    if (stmt->kind == STMT_CASE) {
        str_printf(out, " %lld", (long long)stmt->low);
        if (stmt->high != stmt->low) {
            str_printf(out, "...%lld", (long long)stmt->high);
        }
    }
    if (stmt->label != NULL) {
        str_printf(out, " %s", stmt->label->name);
    }
    if (stmt->object != NULL) {
        str_printf(out, " %s: %s", object_name(stmt->object), type_describe(out->arena, stmt->object->type));
        dump_inits(out->arena, stmt->object, out);
    }
    if (stmt->expr != NULL) {
        str_add_char(out, ' ');
        astdump_expr(out->arena, stmt->expr, out);
    }
    if (stmt->text != NULL) {
        str_printf(out, " \"%s\"", stmt->text);
    }
    str_add_char(out, '\n');
    dump_parts(stmt, depth + 1, out);
}

void astdump_function(const struct function *function, struct str *out)
{
    str_printf(out, "%s%s%s: %s\n", function->is_kernel ? "kernel " : "", function->is_single ? "single " : "",
               function->name, type_describe(out->arena, function->type));
    for (int i = 0; i < function->param_count && function->body != NULL; i++) {
        const struct object *param = function->params[i];
        str_printf(out, "  param %s: %s\n", object_name(param),
                   type_describe(out->arena, param->array_type != NULL ? param->array_type : param->type));
    }
    if (function->body != NULL) {
        dump_stmt(function->body, 1, out);
    }
}

void astdump_unit(const struct unit *unit, struct str *out)
{
    for (int i = 0; i < unit->global_count; i++) {
        const struct object *object = unit->globals[i];
        str_printf(out, "%s %s: %s", object->kind == OBJECT_CONSTANT ? "constant" : "field", object_name(object),
                   type_describe(out->arena, object->type));
        dump_inits(out->arena, object, out);
        str_add_char(out, '\n');
    }
    for (int i = 0; i < unit->function_count; i++) {
        if (!unit->functions[i]->is_builtin) {
            astdump_function(unit->functions[i], out);
        }
    }
}
