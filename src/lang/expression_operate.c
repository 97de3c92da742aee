// Operators: from operands to a checked node with its conversions.
#include "lang/parse.h"

#include "base/suggest.h"

#include <assert.h>

static const char *const operator_names[] = {
    [EXPR_ADD] = "+",  [EXPR_SUB] = "-", [EXPR_MUL] = "*", [EXPR_DIV] = "/", [EXPR_MOD] = "%",     [EXPR_SHL] = "<<",
    [EXPR_SHR] = ">>", [EXPR_AND] = "&", [EXPR_OR] = "|",  [EXPR_XOR] = "^", [EXPR_LT] = "<",      [EXPR_LE] = "<=",
    [EXPR_GT] = ">",   [EXPR_GE] = ">=", [EXPR_EQ] = "==", [EXPR_NE] = "!=", [EXPR_LOGAND] = "&&", [EXPR_LOGOR] = "||",
};

static struct expr *bad_operands(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    assert((size_t)kind < sizeof operator_names / sizeof *operator_names && operator_names[kind] != NULL);
    if (!expr_is_error(a) && !expr_is_error(b)) {
        parse_error(p, loc, "operator '%s' does not take '%s' and '%s'", operator_names[kind],
                    parse_describe(p, a->type), parse_describe(p, b->type));
    }
    return expr_error(p, loc);
}

static struct expr *binary_at(struct parser *p, enum expr_kind kind, struct type *type, struct expr *a, struct expr *b,
                              struct loc loc)
{
    struct expr *e = expr_binary(p, kind, type, a, b);
    e->loc = loc;
    return e;
}

// ---- pointers ------------------------------------------------------------------------------------------------------

static bool check_pointee(struct parser *p, const struct type *pointer, struct loc loc)
{
    assert(pointer->kind == TYPE_POINTER);
    if (type_is_complete(pointer->base) || type_is_void(pointer->base)) {
        return true;
    }
    parse_error(p, loc, "arithmetic on '%s': the size of '%s' is not known", parse_describe(p, pointer),
                parse_describe(p, pointer->base));
    return false;
}

static struct expr *negate_index(struct parser *p, struct expr *index, struct loc loc)
{
    index = convert_promote(p, index);
    if (type_is_signed(index->type)) {
        return expr_unary(p, EXPR_NEG, index->type, loc, index);
    }
    struct expr *zero = expr_int(p, TYPE_LONG, 0, loc);
    return expr_binary(p, EXPR_SUB, zero->type, zero, convert_to_kind(p, index, TYPE_LONG));
}

// As GNU C has it, a step of `void *` is a byte.
static struct expr *as_bytes(struct parser *p, struct expr *pointer)
{
    if (!type_is_void(pointer->type->base)) {
        return pointer;
    }
    struct type *byte = type_with_quals(p->arena, &p->basic[TYPE_CHAR], type_quals(pointer->type->base));
    return convert_to(p, pointer, type_pointer_to(p->arena, byte));
}

static struct expr *pointer_add(struct parser *p, struct expr *pointer, struct expr *index, struct loc loc)
{
    assert(type_is_integer(index->type) || expr_is_error(index));
    if (type_is_void(pointer->type->base)) {
        struct type *type = type_unqualified(p->arena, pointer->type);
        return convert_to(p, pointer_add(p, as_bytes(p, pointer), index, loc), type);
    }
    if (!check_pointee(p, pointer->type, loc)) {
        return expr_error(p, loc);
    }
    struct type *type = type_unqualified(p->arena, pointer->type);
    return binary_at(p, EXPR_PTR_ADD, type, pointer, convert_promote(p, index), loc);
}

static struct expr *additive(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    assert(kind == EXPR_ADD || kind == EXPR_SUB);
    bool a_pointer = a->type->kind == TYPE_POINTER;
    bool b_pointer = b->type->kind == TYPE_POINTER;
    if (type_is_arithmetic(a->type) && type_is_arithmetic(b->type)) {
        struct type *type = convert_arithmetic(p, &a, &b);
        return binary_at(p, kind, type, a, b, loc);
    }
    if (a_pointer && type_is_integer(b->type)) {
        return pointer_add(p, a, kind == EXPR_SUB ? negate_index(p, b, loc) : b, loc);
    }
    if (kind == EXPR_ADD && b_pointer && type_is_integer(a->type)) {
        return pointer_add(p, b, a, loc);
    }
    if (kind == EXPR_SUB && a_pointer && b_pointer && type_compatible(a->type->base, b->type->base)) {
        a = as_bytes(p, a);
        b = as_bytes(p, b);
        if (!check_pointee(p, a->type, loc)) {
            return expr_error(p, loc);
        }
        return binary_at(p, EXPR_PTR_DIFF, &p->basic[TYPE_LONG], a, b, loc);
    }
    return bad_operands(p, kind, a, b, loc);
}

// The type in which two pointers, or a pointer and a null constant, are compared or chosen between. NULL: they do not
// go together.
static struct type *common_pointer(struct parser *p, struct expr *a, struct expr *b)
{
    bool a_pointer = a->type->kind == TYPE_POINTER;
    bool b_pointer = b->type->kind == TYPE_POINTER;
    if (a_pointer && convert_is_null_constant(b)) {
        return a->type;
    }
    if (b_pointer && convert_is_null_constant(a)) {
        return b->type;
    }
    if (!a_pointer || !b_pointer) {
        return NULL;
    }
    struct type *base;
    if (type_is_void(a->type->base) || type_is_void(b->type->base)) {
        base = &p->basic[TYPE_VOID];
    } else if (type_compatible(a->type->base, b->type->base)) {
        base = type_composite(p->arena, a->type->base, b->type->base);
    } else {
        return NULL;
    }
    unsigned quals = type_quals(a->type->base) | type_quals(b->type->base);
    return type_pointer_to(p->arena, type_with_quals(p->arena, base, quals));
}

static struct expr *comparison(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    assert(kind >= EXPR_LT && kind <= EXPR_NE);
    bool is_equality = kind == EXPR_EQ || kind == EXPR_NE;
    bool numbers = is_equality ? type_is_arithmetic(a->type) && type_is_arithmetic(b->type)
                               : type_is_real(a->type) && type_is_real(b->type);
    if (numbers) {
        convert_arithmetic(p, &a, &b);
        return binary_at(p, kind, &p->basic[TYPE_INT], a, b, loc);
    }
    struct type *type = common_pointer(p, a, b);
    if (type == NULL) {
        if (a->type->kind != TYPE_POINTER || b->type->kind != TYPE_POINTER) {
            return bad_operands(p, kind, a, b, loc);
        }
        parse_warning(p, loc, "comparison of pointers to different types: '%s' and '%s'", parse_describe(p, a->type),
                      parse_describe(p, b->type));
        type = type_pointer_to(p->arena, &p->basic[TYPE_VOID]);
    }
    return binary_at(p, kind, &p->basic[TYPE_INT], convert_to(p, a, type), convert_to(p, b, type), loc);
}

// ---- binary --------------------------------------------------------------------------------------------------------

static void warn_of_constants(struct parser *p, enum expr_kind kind, const struct expr *a, const struct expr *b,
                              struct loc loc)
{
    int64_t value;
    if (!type_is_integer(a->type) || !const_eval_int(b, &value)) {
        return;
    }
    if ((kind == EXPR_DIV || kind == EXPR_MOD) && value == 0) {
        parse_warning(p, loc, "division by zero: the result is %s", kind == EXPR_DIV ? "0" : "the left operand");
    } else if ((kind == EXPR_SHL || kind == EXPR_SHR) && (value < 0 || value >= type_int_bits(a->type))) {
        parse_warning(p, loc, "shift by %lld: the count is taken modulo %d", (long long)value, type_int_bits(a->type));
    }
}

static struct expr *shift(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    assert(kind == EXPR_SHL || kind == EXPR_SHR);
    if (!type_is_integer(a->type) || !type_is_integer(b->type)) {
        return bad_operands(p, kind, a, b, loc);
    }
    a = convert_promote(p, a);
    b = convert_promote(p, b);
    warn_of_constants(p, kind, a, b, loc);
    return binary_at(p, kind, a->type, a, b, loc);
}

static struct expr *arithmetic(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    bool wants_integers = kind != EXPR_MUL && kind != EXPR_DIV;
    bool fits = wants_integers ? type_is_integer(a->type) && type_is_integer(b->type)
                               : type_is_arithmetic(a->type) && type_is_arithmetic(b->type);
    if (!fits) {
        return bad_operands(p, kind, a, b, loc);
    }
    struct type *type = convert_arithmetic(p, &a, &b);
    warn_of_constants(p, kind, a, b, loc);
    return binary_at(p, kind, type, a, b, loc);
}

struct expr *operate_binary(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    if (kind == EXPR_COMMA) {
        a = convert_decay(p, a);
        b = convert_decay(p, b);
        return binary_at(p, kind, type_unqualified(p->arena, b->type), a, b, loc);
    }
    a = convert_decay(p, a);
    b = convert_decay(p, b);
    if (expr_is_error(a) || expr_is_error(b)) {
        return expr_error(p, loc);
    }
    if (vector_is(a->type) || vector_is(b->type)) {
        struct expr *e = vector_binary(p, kind, a, b, loc);
        return e != NULL ? e : bad_operands(p, kind, a, b, loc);
    }
    if (complex_is(a->type) || complex_is(b->type)) {
        struct expr *e = complex_binary(p, kind, a, b, loc);
        return e != NULL ? e : bad_operands(p, kind, a, b, loc);
    }
    switch (kind) {
    case EXPR_ADD:
    case EXPR_SUB: return additive(p, kind, a, b, loc);
    case EXPR_SHL:
    case EXPR_SHR: return shift(p, kind, a, b, loc);
    case EXPR_LOGAND:
    case EXPR_LOGOR:
        if (!type_is_scalar(a->type) || !type_is_scalar(b->type)) {
            return bad_operands(p, kind, a, b, loc);
        }
        return binary_at(p, kind, &p->basic[TYPE_INT], a, b, loc);
    default: break;
    }
    if (kind >= EXPR_LT && kind <= EXPR_NE) {
        return comparison(p, kind, a, b, loc);
    }
    return arithmetic(p, kind, a, b, loc);
}

struct expr *operate_condition(struct parser *p, struct expr *a, struct expr *b, struct expr *c, struct loc loc)
{
    bool by_lanes = vector_is(a->type);
    a = by_lanes ? a : convert_condition(p, a, "the condition of '?:'");
    b = convert_decay(p, b);
    c = convert_decay(p, c);
    if (expr_is_error(a) || expr_is_error(b) || expr_is_error(c)) {
        return expr_error(p, loc);
    }
    if (by_lanes) {
        return vector_condition(p, a, b, c, loc);
    }
    struct type *type = NULL;
    bool is_complex = complex_is(b->type) || complex_is(c->type);
    if (is_complex && complex_is_number(b->type) && complex_is_number(c->type)) {
        type = complex_common(p, b, c);
        b = convert_to(p, b, type);
        c = convert_to(p, c, type);
    } else if (type_is_arithmetic(b->type) && type_is_arithmetic(c->type)) {
        type = convert_arithmetic(p, &b, &c);
    } else if (type_is_void(b->type) || type_is_void(c->type)) {
        type = &p->basic[TYPE_VOID];
        b = convert_to(p, b, type);
        c = convert_to(p, c, type);
    } else if (type_is_record(b->type) && type_compatible(b->type, c->type)) {
        type = type_unqualified(p->arena, b->type);
    } else {
        type = common_pointer(p, b, c);
        if (type != NULL) {
            b = convert_to(p, b, type);
            c = convert_to(p, c, type);
        }
    }
    if (type == NULL) {
        parse_error(p, loc, "the two sides of '?:' do not go together: '%s' and '%s'", parse_describe(p, b->type),
                    parse_describe(p, c->type));
        return expr_error(p, loc);
    }
    struct expr *e = expr_new(p, EXPR_COND, type, loc);
    e->a = a;
    e->b = b;
    e->c = c;
    return expr_finish(p, e);
}

// ---- assignment ----------------------------------------------------------------------------------------------------

static bool check_modifiable(struct parser *p, const struct expr *e, struct loc loc, const char *verb)
{
    if (expr_is_error(e)) {
        return false;
    }
    if (!e->is_lvalue || e->type->kind == TYPE_FUNCTION) {
        parse_error(p, loc, "cannot %s this: it is a value, not an object", verb);
    } else if (e->type->kind == TYPE_ARRAY) {
        parse_error(p, loc, "cannot %s a whole array", verb);
    } else if ((e->type->quals & QUAL_CONST) != 0) {
        const char *name = e->kind == EXPR_OBJECT ? e->object->name : e->kind == EXPR_MEMBER ? e->member->name : NULL;
        parse_error(p, loc, "cannot %s %s%s%s: it is const", verb, name != NULL ? "'" : "this",
                    name != NULL ? name : "", name != NULL ? "'" : "");
        if (e->kind == EXPR_OBJECT) {
            parse_note(p, e->object->loc, "'%s' is declared here", e->object->name);
        }
    } else if (type_has_const_member(e->type)) {
        parse_error(p, loc, "cannot %s this: '%s' has a const member", verb, parse_describe(p, e->type));
    } else if (!type_is_complete(e->type)) {
        parse_error(p, loc, "cannot %s this: its type '%s' is incomplete", verb, parse_describe(p, e->type));
    } else {
        return true;
    }
    return false;
}

struct expr *operate_assign(struct parser *p, struct expr *a, struct expr *b, struct loc loc)
{
    if (!check_modifiable(p, a, loc, "assign to")) {
        return expr_error(p, loc);
    }
    b = convert_assign(p, b, a->type, "assignment");
    return binary_at(p, EXPR_ASSIGN, type_unqualified(p->arena, a->type), a, b, loc);
}

static struct expr *update(struct parser *p, enum expr_kind op, struct type *compute, struct expr *a, struct expr *b)
{
    struct expr *e = expr_new(p, EXPR_UPDATE, type_unqualified(p->arena, a->type), a->loc);
    e->op = op;
    e->compute_type = compute;
    e->a = a;
    e->b = b;
    return expr_finish(p, e);
}

static struct expr *pointer_update(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b,
                                   struct loc loc)
{
    if (!check_pointee(p, a->type, loc)) {
        return expr_error(p, loc);
    }
    b = kind == EXPR_SUB ? negate_index(p, b, loc) : convert_promote(p, b);
    return update(p, EXPR_PTR_ADD, type_unqualified(p->arena, a->type), a, b);
}

struct expr *operate_update(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    b = convert_decay(p, b);
    if (!check_modifiable(p, a, loc, "change") || expr_is_error(b)) {
        return expr_error(p, loc);
    }
    struct expr *e;
    if (vector_is(a->type)) { // each lane by itself
        e = vector_update(p, kind, a, b, loc);
        return e != NULL ? e : bad_operands(p, kind, a, b, loc);
    }
    if (complex_is(a->type) || complex_is(b->type)) {
        e = complex_update(p, kind, a, b, loc);
        return e != NULL ? e : bad_operands(p, kind, a, b, loc);
    }
    bool wants_integers = kind >= EXPR_MOD && kind <= EXPR_XOR;
    if (a->type->kind == TYPE_POINTER && (kind == EXPR_ADD || kind == EXPR_SUB) && type_is_integer(b->type)) {
        e = pointer_update(p, kind, a, b, loc);
    } else if (!type_is_arithmetic(a->type) || !type_is_arithmetic(b->type) ||
               (wants_integers && (!type_is_integer(a->type) || !type_is_integer(b->type)))) {
        return bad_operands(p, kind, a, b, loc);
    } else if (kind == EXPR_SHL || kind == EXPR_SHR) {
        b = convert_promote(p, b);
        struct type *compute = convert_promote(p, a)->type;
        e = update(p, kind, type_unqualified(p->arena, compute), a, b);
    } else {
        struct type *compute = convert_common_type(p, a, b);
        e = update(p, kind, compute, a, convert_to(p, b, compute));
    }
    if (e->kind == EXPR_UPDATE && e->op != EXPR_PTR_ADD) {
        struct expr left = {.type = e->compute_type, .kind = EXPR_REFUSED};
        warn_of_constants(p, kind, &left, e->b, loc);
    }
    e->loc = loc;
    return e;
}

struct expr *operate_step(struct parser *p, struct expr *a, bool is_decrement, bool is_postfix, struct loc loc)
{
    if (!check_modifiable(p, a, loc, is_decrement ? "decrement" : "increment")) {
        return expr_error(p, loc);
    }
    if (complex_is(a->type) && is_postfix) {
        return complex_postfix(p, is_decrement ? EXPR_SUB : EXPR_ADD, a, loc);
    }
    bool is_vector = (vector_is(a->type) && !is_postfix) || complex_is(a->type);
    if (!type_is_arithmetic(a->type) && a->type->kind != TYPE_POINTER && !is_vector) {
        parse_error(p, loc, "operator '%s' does not take '%s'", is_decrement ? "--" : "++", parse_describe(p, a->type));
        return expr_error(p, loc);
    }
    struct expr *one = expr_int(p, TYPE_INT, 1, loc);
    struct expr *e = operate_update(p, is_decrement ? EXPR_SUB : EXPR_ADD, a, one, loc);
    e->is_postfix = is_postfix && e->kind == EXPR_UPDATE;
    return e;
}

// ---- places --------------------------------------------------------------------------------------------------------

struct expr *operate_address(struct parser *p, struct expr *a, struct loc loc)
{
    if (expr_is_error(a)) {
        return a;
    }
    struct type *type = type_pointer_to(p->arena, a->type);
    if (a->kind == EXPR_FUNCTION) {
        return expr_unary(p, EXPR_DECAY, type, loc, a);
    }
    if (!a->is_lvalue) {
        parse_error(p, loc, "cannot take the address of a value");
        return expr_error(p, loc);
    }
    if (a->kind == EXPR_MEMBER && a->member->is_bitfield) {
        parse_error(p, loc, "cannot take the address of the bit-field '%s'", a->member->name);
        return expr_error(p, loc);
    }
    convert_mark_address_taken(a);
    if (a->kind == EXPR_DEREF) {
        // &*p is p and &a[i] is a + i, but neither may be assigned to.
        struct expr *e = ARENA_NEW(p->arena, struct expr);
        *e = *a->a;
        if (e->kind == EXPR_PTR_ADD || e->kind == EXPR_DECAY) {
            e->loc = loc;
            return e;
        }
    }
    return expr_unary(p, EXPR_ADDR, type, loc, a);
}

struct expr *operate_deref(struct parser *p, struct expr *a, struct loc loc)
{
    a = convert_decay(p, a);
    if (expr_is_error(a)) {
        return a;
    }
    if (a->type->kind != TYPE_POINTER) {
        parse_error(p, loc, "operator '*' needs a pointer, not '%s'", parse_describe(p, a->type));
        return expr_error(p, loc);
    }
    if (a->kind == EXPR_DECAY && a->a->kind == EXPR_FUNCTION) {
        return a->a;
    }
    struct type *base = a->type->base;
    if (!type_is_complete(base) && type_is_record(base)) {
        parse_error(p, loc, "'%s' is declared but never defined", parse_describe(p, base));
        return expr_error(p, loc);
    }
    if (type_is_void(base)) {
        parse_error(p, loc, "a 'void *' does not say what it points to: cast it first");
        return expr_error(p, loc);
    }
    struct expr *e = expr_unary(p, EXPR_DEREF, base, loc, a);
    e->is_lvalue = base->kind != TYPE_FUNCTION;
    return e;
}

// One behind the last may be meant as an end address; an array at the end of a struct may go on.
static void warn_of_index(struct parser *p, const struct expr *a, const struct expr *b, struct loc loc)
{
    int64_t index;
    if (a->type->kind != TYPE_ARRAY || a->type->length < 0 || a->kind == EXPR_MEMBER || !type_is_integer(b->type) ||
        !const_eval_int(b, &index)) {
        return;
    }
    if (index < 0 || index > a->type->length) {
        parse_warning(p, loc, "the index %lld is outside '%s'", (long long)index, parse_describe(p, a->type));
    }
}

struct expr *operate_subscript(struct parser *p, struct expr *a, struct expr *b, struct loc loc)
{
    if (expr_is_error(a) || expr_is_error(b)) {
        return expr_error(p, loc);
    }
    if (type_is_integer(a->type) && !type_is_integer(b->type)) {
        struct expr *swap = a; // 2[x]
        a = b;
        b = swap;
    }
    if (vector_is(a->type)) {
        return vector_subscript(p, a, b, loc);
    }
    warn_of_index(p, a, b, loc);
    if (a->type->kind == TYPE_ARRAY) {
        // Indexing in place does not let the address out.
        a = expr_unary(p, EXPR_DECAY, type_pointer_to(p->arena, a->type->base), a->loc, a);
    }
    b = convert_decay(p, b);
    if (a->type->kind != TYPE_POINTER) {
        parse_error(p, loc, "'%s' cannot be indexed: it is neither an array nor a pointer", parse_describe(p, a->type));
        return expr_error(p, loc);
    }
    if (!type_is_integer(b->type)) {
        parse_error(p, b->loc, "an index must be an integer, not '%s'", parse_describe(p, b->type));
        return expr_error(p, loc);
    }
    struct expr *sum = pointer_add(p, a, b, loc);
    return expr_is_error(sum) ? sum : operate_deref(p, sum, loc);
}

static struct expr *unknown_member(struct parser *p, const struct expr *a, const char *name, struct loc loc)
{
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (int i = 0; i < a->type->record->member_count; i++) {
        const char *candidate = a->type->record->members[i].name;
        if (candidate != NULL) {
            suggest_offer(&suggest, candidate);
        }
    }
    const char *best = suggest_best(&suggest);
    parse_error(p, loc, "'%s' has no member '%s'%s%s%s", parse_describe(p, a->type), name,
                best != NULL ? "; did you mean '" : "", best != NULL ? best : "", best != NULL ? "'?" : "");
    parse_note(p, a->type->record->loc, "it is defined here");
    return expr_error(p, loc);
}

// One step to a member, through the anonymous members on the way.
static struct expr *member_step(struct parser *p, struct expr *a, const char *name, struct loc loc)
{
    const struct record *record = a->type->record;
    uint64_t offset = 0;
    const struct member *found = type_find_member(a->type, name, &offset);
    for (int i = 0; found != NULL && i < record->member_count; i++) {
        const struct member *member = &record->members[i];
        bool is_way =
            member == found || (member->name == NULL && type_find_member(member->type, name, &offset) != NULL);
        if (!is_way) {
            continue;
        }
        struct expr *e = expr_new(p, EXPR_MEMBER, type_with_quals(p->arena, member->type, a->type->quals), loc);
        e->a = a;
        e->member = member;
        e->is_lvalue = a->is_lvalue;
        e = expr_finish(p, e);
        return member == found || expr_is_error(e) ? e : member_step(p, e, name, loc);
    }
    return unknown_member(p, a, name, loc);
}

struct expr *operate_member(struct parser *p, struct expr *a, const char *name, struct loc loc)
{
    if (expr_is_error(a)) {
        return a;
    }
    if (!type_is_record(a->type) || complex_is(a->type)) {
        bool is_pointer = a->type->kind == TYPE_POINTER && type_is_record(a->type->base);
        parse_error(p, loc, "'%s' has no members%s", parse_describe(p, a->type), is_pointer ? "; use '->'" : "");
        return expr_error(p, loc);
    }
    if (vector_is(a->type)) {
        return vector_member(p, a, name, loc);
    }
    if (!a->type->record->is_complete) {
        parse_error(p, loc, "'%s' is declared but never defined", parse_describe(p, a->type));
        return expr_error(p, loc);
    }
    return member_step(p, a, name, loc);
}

// ---- casts and sizes -----------------------------------------------------------------------------------------------

struct expr *operate_cast(struct parser *p, struct expr *a, struct type *type, struct loc loc)
{
    a = convert_decay(p, a);
    if (expr_is_error(a) || type_is_error(type)) {
        return expr_error(p, loc);
    }
    const struct type *from = a->type;
    bool is_same = vector_is(type) && vector_is(from) && type->record == from->record;
    if ((vector_is(type) || vector_is(from)) && !is_same && !type_is_void(type)) {
        struct expr *e = vector_cast(p, a, type_unqualified(p->arena, type), loc);
        if (e != NULL) {
            return e;
        }
    }
    bool is_complex = complex_is(type) || complex_is(from);
    if (is_complex && complex_is_number(type) && complex_is_number(from)) {
        struct expr *e = convert_to(p, a, type);
        return e == a && a->is_lvalue ? expr_unary(p, EXPR_CAST, type_unqualified(p->arena, type), loc, a) : e;
    }
    bool fits = type_is_void(type) || (type_is_arithmetic(type) && type_is_arithmetic(from)) ||
                (type->kind == TYPE_POINTER && (from->kind == TYPE_POINTER || type_is_integer(from))) ||
                (type_is_integer(type) && from->kind == TYPE_POINTER) ||
                (type_is_record(type) && type_compatible(type, from)); // GNU: does nothing
    if (!fits) {
        parse_error(p, loc, "cannot cast '%s' to '%s'", parse_describe(p, from), parse_describe(p, type));
        return expr_error(p, loc);
    }
    return expr_unary(p, EXPR_CAST, type_unqualified(p->arena, type), loc, a);
}

struct expr *operate_sizeof(struct parser *p, struct type *type, struct loc loc)
{
    if (type_is_error(type)) {
        return expr_error(p, loc);
    }
    if (type_is_void(type)) {
        return expr_int(p, TYPE_ULONG, 1, loc); // as GNU C has it
    }
    if (!type_is_complete(type)) {
        parse_error(p, loc, "the size of '%s' is not known", parse_describe(p, type));
        return expr_error(p, loc);
    }
    if (!type_is_variable(type)) {
        return expr_int(p, TYPE_ULONG, type_size(type), loc);
    }
    struct expr *size = operate_sizeof(p, type->base, loc);
    if (type->length == TYPE_LENGTH_VARIABLE && type->extent == NULL) {
        parse_error(p, loc, "the size of '%s' is not known", parse_describe(p, type));
        return expr_error(p, loc);
    }
    struct expr *count = NULL;
    if (type->length == TYPE_LENGTH_VARIABLE) {
        count = expr_unary(p, EXPR_CAST, &p->basic[TYPE_ULONG], loc, type->extent);
        count->is_implicit = true;
        count->is_extent = true; // what it is made of may have been assigned to since
    } else {
        count = expr_int(p, TYPE_ULONG, (uint64_t)type->length, loc);
    }
    return expr_is_error(size) ? size : expr_binary(p, EXPR_MUL, &p->basic[TYPE_ULONG], count, size);
}

enum expr_kind expr_mirrored(enum expr_kind compare)
{
    switch (compare) {
    case EXPR_LT: return EXPR_GT;
    case EXPR_LE: return EXPR_GE;
    case EXPR_GT: return EXPR_LT;
    case EXPR_GE: return EXPR_LE;
    default: return compare;
    }
}
