// GNU C's built-in functions, by the names that begin with __builtin_. Those of the C library are the library's own;
// what asks about types and constants is answered here; the others are calls of functions without a body, which
// lowering knows.
#include "lang/parse.h"
#include "lang/scope.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ARGS = 4 };

struct args {
    struct expr *items[MAX_ARGS];
    int count;
};

static struct expr *nothing(struct parser *p, struct loc loc)
{
    return expr_unary(p, EXPR_CAST, &p->basic[TYPE_VOID], loc, expr_int(p, TYPE_INT, 0, loc));
}

// The arguments behind '(', decayed. False, with a message, if their number is wrong or one of them is no good.
static bool argument_list(struct parser *p, const char *name, struct loc loc, int least, struct args *out)
{
    bool is_good = true;
    out->count = 0;
    if (!parse_expect(p, TOKEN_LPAREN, arena_printf(p->arena, "after '__builtin_%s'", name))) {
        return false;
    }
    int count = 0;
    if (!parse_at(p, TOKEN_RPAREN)) {
        do {
            struct expr *e = convert_decay(p, parse_assignment_expression(p));
            is_good = is_good && !expr_is_error(e);
            if (count < MAX_ARGS) {
                out->items[count] = e;
            }
            count++;
        } while (parse_accept(p, TOKEN_COMMA));
    }
    parse_expect(p, TOKEN_RPAREN, "after the arguments");
    out->count = count < MAX_ARGS ? count : MAX_ARGS;
    if (is_good && (count < least || count > MAX_ARGS)) {
        parse_error(p, loc, "'__builtin_%s' takes %s%d argument%s, but %d %s given", name,
                    count < least ? "at least " : "", least, least == 1 ? "" : "s", count, count == 1 ? "is" : "are");
        is_good = false;
    }
    return is_good;
}

// |value| after the other arguments from |first| on, where those do something.
static struct expr *with_effects(struct parser *p, struct expr *value, const struct args *args, int first)
{
    for (int i = args->count - 1; i >= first; i--) {
        if (expr_has_effect(args->items[i])) {
            value = expr_binary(p, EXPR_COMMA, value->type, args->items[i], value);
        }
    }
    return value;
}

// ---- functions that lowering knows ---------------------------------------------------------------------------------

static struct type *type_of_letter(struct parser *p, char letter)
{
    static const struct {
        char letter;
        enum type_kind kind;
    } table[] = {{'v', TYPE_VOID}, {'c', TYPE_UCHAR}, {'h', TYPE_USHORT}, {'i', TYPE_INT},   {'j', TYPE_UINT},
                 {'l', TYPE_LONG}, {'k', TYPE_ULONG}, {'L', TYPE_LLONG},  {'K', TYPE_ULLONG}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].letter == letter) {
            return &p->basic[table[i].kind];
        }
    }
    assert(letter == 'p');
    return type_pointer_to(p->arena, &p->basic[TYPE_VOID]);
}

static struct function *new_function(struct parser *p, const char *name, struct type *result,
                                     struct type *const *params, int count, struct loc loc)
{
    struct type *type = type_function(p->arena, result);
    type->has_prototype = true;
    type->param_count = count;
    type->params = ARENA_ARRAY(p->arena, struct object *, count + 1);
    for (int i = 0; i < count; i++) {
        type->params[i] = declare_object_new(p, NULL, params[i], loc);
        type->params[i]->kind = OBJECT_PARAM;
        type->params[i]->index = i;
    }
    struct function *function = ARENA_NEW(p->arena, struct function);
    function->name = name;
    function->type = type;
    function->loc = loc;
    function->params = type->params;
    function->param_count = count;
    function->is_builtin = true;
    return function;
}

// Result and parameters, a letter each.
struct row {
    const char *name;
    const char *signature;
};

static const struct row plain[] = {
    {"popcount", "ij"},   {"popcountl", "ik"},   {"popcountll", "iK"},   {"parity", "ij"},       {"parityl", "ik"},
    {"parityll", "iK"},   {"clz", "ij"},         {"clzl", "ik"},         {"clzll", "iK"},        {"ctz", "ij"},
    {"ctzl", "ik"},       {"ctzll", "iK"},       {"ffs", "ii"},          {"ffsl", "il"},         {"ffsll", "iL"},
    {"clrsb", "ii"},      {"clrsbl", "il"},      {"clrsbll", "iL"},      {"bswap16", "hh"},      {"bswap32", "jj"},
    {"bswap64", "kk"},    {"bitreverse8", "cc"}, {"bitreverse16", "hh"}, {"bitreverse32", "jj"}, {"bitreverse64", "kk"},
    {"unreachable", "v"}, {"trap", "v"},
};

// Known by these names without the prefix, also where their header is not included.
static const struct row library[] = {
    {"abs", "ii"},       {"labs", "ll"},     {"llabs", "LL"},    {"memcpy", "pppk"},
    {"memmove", "pppk"}, {"memset", "ppik"}, {"memcmp", "ippk"},
};

static const struct row *find_row(const struct row *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static struct expr *function_of_row(struct parser *p, const struct row *row, const char *name, struct loc loc)
{
    struct type *params[3];
    int count = (int)strlen(row->signature) - 1;
    assert(count <= 3);
    for (int i = 0; i < count; i++) {
        params[i] = type_of_letter(p, row->signature[i + 1]);
        bool is_read = params[i]->kind == TYPE_POINTER && (i > 0 || row->signature[0] == 'i');
        if (is_read) {
            params[i] = type_pointer_to(p->arena, type_with_quals(p->arena, params[i]->base, QUAL_CONST));
        }
    }
    struct function *function = new_function(p, name, type_of_letter(p, row->signature[0]), params, count, loc);
    function->is_noreturn = row->signature[0] == 'v';
    struct expr *e = expr_new(p, EXPR_FUNCTION, function->type, loc);
    e->function = function;
    return e;
}

// The bits of a constant, counted or turned round. |width| in bits; |value| has none above.
static bool fold_bits(const char *name, int width, uint64_t value, uint64_t *out)
{
    bool is_negative = (value >> (width - 1) & 1) != 0;
    uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    uint64_t signs = (is_negative ? ~value : value) & all;
    int highest = value == 0 ? -1 : 63 - __builtin_clzll(value);
    *out = 0;
    if (strncmp(name, "popcount", 8) == 0) {
        *out = (uint64_t)__builtin_popcountll(value);
    } else if (strncmp(name, "parity", 6) == 0) {
        *out = (uint64_t)__builtin_popcountll(value) & 1;
    } else if (strncmp(name, "clz", 3) == 0) {
        *out = (uint64_t)(width - 1 - highest);
    } else if (strncmp(name, "ctz", 3) == 0) {
        *out = (uint64_t)(value == 0 ? width : __builtin_ctzll(value));
    } else if (strncmp(name, "ffs", 3) == 0) {
        *out = (uint64_t)(value == 0 ? 0 : __builtin_ctzll(value) + 1);
    } else if (strncmp(name, "clrsb", 5) == 0) {
        *out = (uint64_t)(width - 2 - (signs == 0 ? -1 : 63 - __builtin_clzll(signs)));
    } else if (strncmp(name, "bswap", 5) == 0) {
        *out = __builtin_bswap64(value) >> (64 - width);
    } else if (strncmp(name, "bitreverse", 10) == 0) {
        for (int i = 0; i < width; i++) {
            *out |= (value >> i & 1) << (width - 1 - i);
        }
    } else {
        return false;
    }
    return true;
}

struct expr *builtin_gnu_fold(struct parser *p, struct expr *call)
{
    int64_t value;
    uint64_t result;
    const char *name = call->function->name;
    if (strncmp(name, "__builtin_", 10) != 0 || call->arg_count != 1 || !const_eval_int(call->args[0], &value)) {
        return call;
    }
    int width = (int)call->args[0]->type->size * 8;
    uint64_t bits = width == 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << width) - 1);
    return fold_bits(name + 10, width, bits, &result) ? expr_int(p, call->type->kind, result, call->loc) : call;
}

// ---- overflow ------------------------------------------------------------------------------------------------------

static bool is_integer(const struct type *type)
{
    return type_is_integer(type) && type->kind != TYPE_BOOL;
}

// The three arguments of add_overflow and its kin, of any integer types; typed forms have converted them before.
static bool check_overflow_arguments(struct parser *p, const char *name, const struct args *args, bool is_question)
{
    const struct type *place = args->items[2]->type;
    const struct type *result = is_question || place->kind != TYPE_POINTER ? place : place->base;
    bool is_pointer = is_question || place->kind == TYPE_POINTER;
    for (int i = 0; i < 2; i++) {
        if (!type_is_integer(args->items[i]->type)) {
            parse_error(p, args->items[i]->loc, "'__builtin_%s' needs integers, not '%s'", name,
                        parse_describe(p, args->items[i]->type));
            return false;
        }
    }
    if (is_question && args->items[2]->kind == EXPR_MEMBER && args->items[2]->member->is_bitfield) {
        parse_error(p, args->items[2]->loc, "'__builtin_%s' asks about a type, and a bit-field is none", name);
        return false;
    }
    if (!is_pointer || !is_integer(result) || result->kind == TYPE_ENUM || (result->quals & QUAL_CONST) != 0) {
        parse_error(p, args->items[2]->loc, "'__builtin_%s' needs a pointer to an integer for its result, not '%s'",
                    name, parse_describe(p, place));
        return false;
    }
    return true;
}

// "add", "sub" or "mul", and of typed forms the type: saddl is of long.
static const char *overflow_operation(const char *name, char *out_letter)
{
    static const char *const operations[] = {"add", "sub", "mul"};
    static const char *const ends[] = {"_overflow", "l_overflow", "ll_overflow"};
    for (int i = 0; i < 3; i++) {
        *out_letter = '\0';
        if (strncmp(name, operations[i], 3) == 0 &&
            (strcmp(name + 3, "_overflow") == 0 || strcmp(name + 3, "_overflow_p") == 0)) {
            return operations[i];
        }
        for (int k = 0; k < 3 && (name[0] == 's' || name[0] == 'u') && strncmp(name + 1, operations[i], 3) == 0; k++) {
            if (strcmp(name + 4, ends[k]) == 0) {
                *out_letter = (name[0] == 's' ? "ilL" : "jkK")[k];
                return operations[i];
            }
        }
    }
    return NULL;
}

static struct expr *overflow_call(struct parser *p, const char *name, const char *operation, char letter,
                                  struct loc loc)
{
    struct args args;
    if (!argument_list(p, name, loc, 3, &args)) {
        return expr_error(p, loc);
    }
    bool is_question = strcmp(name + strlen(name) - 2, "_p") == 0;
    for (int i = 0; i < 3 && letter != '\0'; i++) {
        struct type *type = type_of_letter(p, letter);
        const char *what = arena_printf(p->arena, "argument %d of '__builtin_%s'", i + 1, name);
        args.items[i] = convert_assign(p, args.items[i], i < 2 ? type : type_pointer_to(p->arena, type), what);
        if (expr_is_error(args.items[i])) {
            return expr_error(p, loc);
        }
    }
    if (args.count != 3 || !check_overflow_arguments(p, name, &args, is_question)) {
        if (args.count != 3) {
            parse_error(p, loc, "'__builtin_%s' takes 3 arguments, but %d are given", name, args.count);
        }
        return expr_error(p, loc);
    }
    struct type *params[3];
    for (int i = 0; i < 3; i++) {
        params[i] = type_unqualified(p->arena, args.items[i]->type);
    }
    const char *full = arena_printf(p->arena, "__builtin_%s_overflow%s", operation, is_question ? "_p" : "");
    struct expr *e = expr_new(p, EXPR_CALL, &p->basic[TYPE_BOOL], loc);
    e->function = new_function(p, full, &p->basic[TYPE_BOOL], params, 3, loc);
    e->args = ARENA_ARRAY(p->arena, struct expr *, 3);
    memcpy(e->args, args.items, 3 * sizeof *args.items);
    e->arg_count = 3;
    return expr_finish(p, e);
}

// ---- hints and questions -------------------------------------------------------------------------------------------

static bool is_constant(const struct expr *e)
{
    int64_t integer;
    double number;
    struct const_address address;
    if (type_is_integer(e->type)) {
        return const_eval_int(e, &integer);
    }
    if (type_is_float(e->type)) {
        return const_eval_float(e, &number);
    }
    return e->type->kind == TYPE_POINTER && const_eval_address(e, &address) && address.object == NULL;
}

// A value that is passed on, with a promise that nobody here uses.
static struct expr *hint(struct parser *p, const char *name, int least, struct type *type, struct loc loc)
{
    struct args args;
    if (!argument_list(p, name, loc, least, &args)) {
        return expr_error(p, loc);
    }
    struct expr *value = args.items[0];
    bool wants_pointer = type->kind == TYPE_POINTER;
    if (wants_pointer ? value->type->kind != TYPE_POINTER : !type_is_scalar(value->type)) {
        parse_error(p, value->loc, "'__builtin_%s' needs %s, not '%s'", name, wants_pointer ? "a pointer" : "a number",
                    parse_describe(p, value->type));
        return expr_error(p, loc);
    }
    return with_effects(p, convert_to(p, value, type), &args, 1);
}

static struct expr *constant_question(struct parser *p, const char *name, struct loc loc)
{
    struct args args;
    if (!argument_list(p, name, loc, 1, &args)) {
        return expr_error(p, loc);
    }
    return expr_int(p, TYPE_INT, is_constant(args.items[0]), loc);
}

static struct expr *prefetch(struct parser *p, const char *name, struct loc loc)
{
    struct args args;
    if (!argument_list(p, name, loc, 1, &args)) {
        return expr_error(p, loc);
    }
    return with_effects(p, nothing(p, loc), &args, 0);
}

static struct expr *choice(struct parser *p, const char *name, struct loc loc)
{
    (void)name;
    if (!parse_expect(p, TOKEN_LPAREN, "after '__builtin_choose_expr'")) {
        return expr_error(p, loc);
    }
    int64_t which;
    bool is_known = parse_integer_constant(p, "the first argument of '__builtin_choose_expr'", &which);
    parse_expect(p, TOKEN_COMMA, "in '__builtin_choose_expr'");
    struct expr *first = parse_assignment_expression(p);
    parse_expect(p, TOKEN_COMMA, "in '__builtin_choose_expr'");
    struct expr *second = parse_assignment_expression(p);
    parse_expect(p, TOKEN_RPAREN, "after the arguments");
    return !is_known ? expr_error(p, loc) : which != 0 ? first : second;
}

static struct expr *types_question(struct parser *p, const char *name, struct loc loc)
{
    (void)name;
    if (!parse_expect(p, TOKEN_LPAREN, "after '__builtin_types_compatible_p'")) {
        return expr_error(p, loc);
    }
    struct type *a = declare_type_name(p);
    parse_expect(p, TOKEN_COMMA, "between the two types");
    struct type *b = declare_type_name(p);
    parse_expect(p, TOKEN_RPAREN, "after the two types");
    if (type_is_error(a) || type_is_error(b)) {
        return expr_error(p, loc);
    }
    bool same = type_compatible(type_unqualified(p->arena, a), type_unqualified(p->arena, b));
    return expr_int(p, TYPE_INT, same, loc);
}

// ---- all of them ---------------------------------------------------------------------------------------------------

// A function of the C library, by its name without the prefix.
static struct expr *library_function(struct parser *p, const char *name, struct loc loc)
{
    const struct row *row = find_row(library, sizeof library / sizeof *library, name);
    if (row != NULL) {
        return function_of_row(p, row, row->name, loc);
    }
    const struct symbol *symbol = scope_find(p, name);
    struct function *function = NULL;
    bool is_float;
    int math_params = builtin_math_params(name, &is_float);
    if (symbol != NULL && symbol->kind == SYMBOL_FUNCTION && parse_in_builtin_header(p, symbol->function->loc)) {
        function = symbol->function;
    } else if (math_params > 0) { // math.h is not included
        struct type *type = &p->basic[is_float ? TYPE_FLOAT : TYPE_DOUBLE];
        struct type *types[] = {type, type, type};
        function = new_function(p, name, type, types, math_params, loc);
    }
    if (function == NULL) {
        return NULL;
    }
    struct expr *e = expr_new(p, EXPR_FUNCTION, function->type, loc);
    e->function = function;
    return e;
}

static struct expr *expected(struct parser *p, const char *name, struct loc loc)
{
    return hint(p, name, strcmp(name, "expect") == 0 ? 2 : 3, &p->basic[TYPE_LONG], loc);
}

static struct expr *aligned_pointer(struct parser *p, const char *name, struct loc loc)
{
    return hint(p, name, 2, type_of_letter(p, 'p'), loc);
}

// Those that are no functions.
static const struct form {
    const char *name;
    struct expr *(*parse)(struct parser *p, const char *name, struct loc loc); // at its '('
} forms[] = {
    {"expect", expected},
    {"expect_with_probability", expected},
    {"assume_aligned", aligned_pointer},
    {"constant_p", constant_question},
    {"prefetch", prefetch},
    {"choose_expr", choice},
    {"types_compatible_p", types_question},
    {"complex", complex_builtin},
    {"convertvector", vector_builtin},
    {"shuffle", vector_builtin},
    {"shufflevector", vector_builtin},
};

static const struct form *find_form(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

struct expr *builtin_gnu_expression(struct parser *p, const char *name, struct loc loc)
{
    char letter;
    const char *operation = overflow_operation(name, &letter);
    if (operation != NULL) {
        return overflow_call(p, name, operation, letter, loc);
    }
    const struct form *form = find_form(name);
    if (form != NULL) {
        return form->parse(p, name, loc);
    }
    const struct row *row = find_row(plain, sizeof plain / sizeof *plain, name);
    return row != NULL ? function_of_row(p, row, arena_printf(p->arena, "__builtin_%s", name), loc)
                       : library_function(p, name, loc);
}

bool builtin_gnu_has(const char *name)
{
    char letter;
    bool is_float;
    return overflow_operation(name, &letter) != NULL || find_form(name) != NULL ||
           find_row(plain, sizeof plain / sizeof *plain, name) != NULL ||
           find_row(library, sizeof library / sizeof *library, name) != NULL ||
           builtin_math_params(name, &is_float) > 0;
}
