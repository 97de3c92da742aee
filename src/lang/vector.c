// GNU C's vectors (vector_size, ext_vector_type). For everybody behind the parser a vector is a struct with one array,
// the lanes, and an operation on vectors is a compound literal with an operation for each lane: nobody else has to know
// them.
//
// A lane of an operand stands once in each lane of the result: see naming.h.
#include "lang/naming.h"

#include <assert.h>
#include <string.h>

enum { MAX_LANES = 64 };

// ---- types ---------------------------------------------------------------------------------------------------------

bool vector_is(const struct type *type)
{
    return type->kind == TYPE_STRUCT && type->record->lane_count > 0;
}

static struct type *lane_type(const struct type *vector)
{
    assert(vector_is(vector));
    return vector->record->members[0].type->base;
}

static struct type *vector_type(struct parser *p, struct type *lane, int count)
{
    for (int i = 0; i < p->vectors.count; i++) {
        struct type *known = p->vectors.items[i];
        if (lane_type(known)->kind == lane->kind && known->record->lane_count == count) {
            return known;
        }
    }
    uint64_t size = lane->size;
    while (size < lane->size * (uint64_t)count) {
        size *= 2; // of three lanes as of four
    }
    struct type *type = type_record_new(p->arena, false, NULL, (struct loc){0});
    struct record *record = type->record;
    record->members = ARENA_NEW(p->arena, struct member);
    record->members[0] = (struct member){.name = "lanes", .type = type_array_of(p->arena, lane, count)};
    record->member_count = 1;
    record->lane_count = count;
    record->size = size;
    record->align = (uint32_t)size;
    type_record_complete(record);
    VEC_PUSH(p->arena, &p->vectors, type);
    return type;
}

static bool is_lane_type(const struct type *type)
{
    bool is_number = type_is_integer(type) || (type_is_float(type) && type->kind != TYPE_LDOUBLE);
    return is_number && type->kind != TYPE_BOOL && type->kind != TYPE_ENUM;
}

static struct type *vector_of(struct parser *p, struct type *lane, const struct attributes *a, struct loc loc)
{
    if (type_is_error(lane)) {
        return lane;
    }
    if (!is_lane_type(lane)) {
        parse_error(p, loc, "a vector has lanes of numbers, not of '%s'", parse_describe(p, lane));
        return &p->basic[TYPE_ERROR];
    }
    int64_t size = (int64_t)lane->size, count = a->lanes > 0 ? a->lanes : a->vector_size / size;
    bool is_power = a->lanes > 0 || (a->vector_size % size == 0 && (count & (count - 1)) == 0);
    if (count < 1 || count > MAX_LANES || !is_power) {
        parse_error(p, loc, "a vector has 1 to %d lanes, and by 'vector_size' a power of two of them", MAX_LANES);
        return &p->basic[TYPE_ERROR];
    }
    struct type *plain = vector_type(p, &p->basic[lane->kind], (int)count);
    if (a->lanes > 0) {
        plain = type_copy(p->arena, plain);
        plain->is_ext_vector = true;
    }
    return lane->quals != 0 ? type_with_quals(p->arena, plain, lane->quals) : plain;
}

struct type *vector_apply(struct parser *p, struct type *type, const struct attributes *attributes, struct loc loc)
{
    if (attributes->vector_size == 0 && attributes->lanes == 0) {
        return type;
    }
    struct type *base = NULL;
    switch (type->kind) {
    case TYPE_POINTER:
        base = vector_apply(p, type->base, attributes, loc);
        return type_with_quals(p->arena, type_pointer_to(p->arena, base), type->quals);
    case TYPE_ARRAY:
        base = vector_apply(p, type->base, attributes, loc);
        if (type->length == TYPE_LENGTH_VARIABLE) {
            parse_error(p, loc, "write the vector's type as a typedef first");
            return &p->basic[TYPE_ERROR];
        }
        return type_is_error(base) ? base : type_array_of(p->arena, base, type->length);
    default: return vector_of(p, type, attributes, loc);
    }
}

// ---- lanes ---------------------------------------------------------------------------------------------------------

static struct expr *array_of_lanes(struct parser *p, struct expr *e)
{
    const struct member *lanes = &e->type->record->members[0];
    struct expr *array = expr_new(p, EXPR_MEMBER, type_with_quals(p->arena, lanes->type, e->type->quals), e->loc);
    array->a = e;
    array->member = lanes;
    array->is_lvalue = e->is_lvalue;
    return expr_finish(p, array);
}

// A place if |a| is one.
struct expr *vector_subscript(struct parser *p, struct expr *a, struct expr *index, struct loc loc)
{
    struct expr *lane = operate_subscript(p, array_of_lanes(p, a), index, loc);
    lane->is_lvalue = lane->is_lvalue && a->is_lvalue;
    return lane;
}

static struct expr *lane_of(struct parser *p, struct expr *e, int lane)
{
    return vector_subscript(p, e, expr_int(p, TYPE_INT, (uint64_t)lane, e->loc), e->loc);
}

// The lanes of an operand, which each may be used once in each lane of the result; of a number, the number in each.
static void take_lanes(struct parser *p, struct naming *n, struct expr *e, const struct type *vector, struct expr **out)
{
    int count = vector->record->lane_count;
    if (!vector_is(e->type)) {
        e = convert_to(p, e, lane_type(vector));
        e = naming_may_repeat(e) ? e : naming_name(p, n, e, e->loc);
        for (int i = 0; i < count; i++) {
            out[i] = e;
        }
        return;
    }
    e = naming_inside(p, n, e);
    bool is_literal = naming_is_literal(e, e->type->record->lane_count);
    if (!is_literal && !naming_may_repeat(e)) {
        e = naming_name(p, n, e, e->loc);
    }
    for (int i = 0; i < e->type->record->lane_count; i++) {
        out[i] = is_literal ? e->object->inits[i].value : lane_of(p, e, i);
    }
}

static struct expr *make(struct parser *p, const struct naming *n, struct type *type, struct expr **lanes,
                         struct loc loc)
{
    int count = type->record->lane_count;
    struct type *lane = lane_type(type);
    for (int i = 0; i < count; i++) {
        if (expr_is_error(lanes[i])) {
            return expr_error(p, loc);
        }
    }
    for (int i = 0; i < count; i++) {
        lanes[i] = convert_to(p, lanes[i], lane);
    }
    struct expr *literal = naming_literal(p, type, lanes, count, lane->size, loc);
    return naming_around(p, n, literal, loc);
}

static bool is_in_function(struct parser *p, struct loc loc)
{
    if (p->body == NULL) {
        parse_error(p, loc, "an operation on vectors is no constant: it needs a function around it");
    }
    return p->body != NULL;
}

// ---- operators -----------------------------------------------------------------------------------------------------

// Of as many lanes as |vector|, signed integers of their size: what a comparison gives.
static struct type *truth_type(struct parser *p, const struct type *vector)
{
    uint64_t size = lane_type(vector)->size;
    enum type_kind kind = size == 1 ? TYPE_SCHAR : size == 2 ? TYPE_SHORT : size == 4 ? TYPE_INT : TYPE_LONG;
    return vector_type(p, &p->basic[kind], vector->record->lane_count);
}

// The vector type of the two; NULL: they do not go together.
static struct type *common_vector(struct parser *p, const struct expr *a, const struct expr *b)
{
    bool a_vector = vector_is(a->type), b_vector = vector_is(b->type);
    if (a_vector && b_vector && a->type->record != b->type->record) {
        return NULL;
    }
    bool fits = (a_vector || type_is_arithmetic(a->type)) && (b_vector || type_is_arithmetic(b->type));
    return fits ? type_unqualified(p->arena, a_vector ? a->type : b->type) : NULL;
}

struct expr *vector_binary(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    struct type *type = common_vector(p, a, b);
    bool wants_integers = kind >= EXPR_MOD && kind <= EXPR_XOR;
    bool is_truth = kind >= EXPR_LT && kind <= EXPR_NE;
    if (type == NULL || kind > EXPR_NE || (wants_integers && type_is_float(lane_type(type)))) {
        return NULL;
    }
    if (!is_in_function(p, loc)) {
        return expr_error(p, loc);
    }
    struct naming n = {0};
    struct expr *x[MAX_LANES], *y[MAX_LANES];
    take_lanes(p, &n, a, type, x);
    take_lanes(p, &n, b, type, y);
    for (int i = 0; i < type->record->lane_count; i++) {
        x[i] = operate_binary(p, kind, x[i], y[i], loc);
        if (is_truth && !expr_is_error(x[i])) {
            x[i] =
                operate_condition(p, x[i], expr_int(p, TYPE_INT, UINT64_MAX, loc), expr_int(p, TYPE_INT, 0, loc), loc);
        }
    }
    return make(p, &n, is_truth ? truth_type(p, type) : type, x, loc);
}

struct expr *vector_unary(struct parser *p, enum expr_kind kind, struct expr *a, struct loc loc)
{
    struct type *type = type_unqualified(p->arena, a->type);
    if (!is_in_function(p, loc)) {
        return expr_error(p, loc);
    }
    struct naming n = {0};
    struct expr *x[MAX_LANES];
    take_lanes(p, &n, a, type, x);
    for (int i = 0; i < type->record->lane_count; i++) {
        struct expr *lane = convert_promote(p, x[i]);
        x[i] = expr_unary(p, kind, type_unqualified(p->arena, lane->type), loc, lane);
    }
    return make(p, &n, type, x, loc);
}

// Each lane is an update of its own, which may be a reduction or atomic. What is added must be known before the first
// lane changes: v += v.yx.
struct expr *vector_update(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    struct type *type = common_vector(p, a, b);
    bool wants_integers = kind >= EXPR_MOD && kind <= EXPR_XOR;
    if (type == NULL || type->record != a->type->record || (wants_integers && type_is_float(lane_type(type)))) {
        return NULL;
    }
    if (!is_in_function(p, loc)) {
        return expr_error(p, loc);
    }
    struct naming n = {0};
    struct expr *x[MAX_LANES];
    struct expr *place = a;
    if (expr_has_effect(a)) {
        place = operate_deref(p, naming_name(p, &n, operate_address(p, a, loc), loc), loc);
    }
    take_lanes(p, &n, b, type, x);
    for (int i = 0; i < type->record->lane_count && !expr_is_error(x[i]); i++) {
        x[i] = x[i]->kind == EXPR_INT || x[i]->kind == EXPR_FLOAT ? x[i] : naming_name(p, &n, x[i], loc);
    }
    struct expr *all = NULL;
    for (int i = 0; i < type->record->lane_count; i++) {
        struct expr *one = operate_update(p, kind, lane_of(p, place, i), x[i], loc);
        all = all == NULL ? one : expr_binary(p, EXPR_COMMA, one->type, all, one);
    }
    return naming_around(p, &n, expr_binary(p, EXPR_COMMA, type, all, place), loc);
}

// c ? a : b by lanes, where each that is not 0 takes the first.
struct expr *vector_condition(struct parser *p, struct expr *c, struct expr *a, struct expr *b, struct loc loc)
{
    struct type *type = vector_is(a->type) || vector_is(b->type) ? common_vector(p, a, b) : NULL;
    if (type == NULL || type->record->lane_count != c->type->record->lane_count) {
        parse_error(p, loc, "the three operands of '?:' do not go together: '%s', '%s' and '%s'",
                    parse_describe(p, c->type), parse_describe(p, a->type), parse_describe(p, b->type));
        return expr_error(p, loc);
    }
    if (!is_in_function(p, loc)) {
        return expr_error(p, loc);
    }
    struct naming n = {0};
    struct expr *x[MAX_LANES], *y[MAX_LANES], *z[MAX_LANES];
    take_lanes(p, &n, c, c->type, x);
    take_lanes(p, &n, a, type, y);
    take_lanes(p, &n, b, type, z);
    for (int i = 0; i < type->record->lane_count; i++) {
        x[i] = operate_condition(p, x[i], y[i], z[i], loc);
    }
    return make(p, &n, type, x, loc);
}

// A number in every lane, or the same bytes in other lanes. NULL: neither.
// Between vectors of one size, and from and to an integer of it, the bytes are kept; other numbers stand in every lane,
// and all do in a vector by ext_vector_type, which is clang's and OpenCL's.
struct expr *vector_cast(struct parser *p, struct expr *a, struct type *type, struct loc loc)
{
    struct naming n = {0};
    struct expr *x[MAX_LANES];
    bool is_same_size = type_size(type) == type_size(a->type);
    bool is_from_bits = vector_is(type) && !type->is_ext_vector && type_is_integer(a->type) && is_same_size;
    bool is_spread = vector_is(type) && type_is_arithmetic(a->type) && !is_from_bits;
    bool is_pun = is_from_bits || (vector_is(a->type) && (vector_is(type) || type_is_integer(type)) && is_same_size);
    if ((!is_spread && !is_pun) || !is_in_function(p, loc)) {
        return is_spread || is_pun ? expr_error(p, loc) : NULL;
    }
    if (is_spread) {
        take_lanes(p, &n, a, type, x);
        return make(p, &n, type, x, loc);
    }
    struct expr *address = operate_address(p, naming_name(p, &n, a, loc), loc);
    struct expr *pointer = expr_unary(p, EXPR_CAST, type_pointer_to(p->arena, type), loc, address);
    struct expr *value = operate_deref(p, pointer, loc);
    value->is_lvalue = false;
    return naming_around(p, &n, value, loc);
}

// ---- parts ---------------------------------------------------------------------------------------------------------

// Of x, y, z, w and of r, g, b, a. -1: none of them.
static int lane_of_letter(char letter)
{
    const char *names = "xyzwrgba";
    const char *found = letter != '\0' ? strchr(names, letter) : NULL;
    return found != NULL ? (int)(found - names) % 4 : -1;
}

// v.y is a place, v.zyx a value.
struct expr *vector_member(struct parser *p, struct expr *a, const char *name, struct loc loc)
{
    int count = 0, lanes[4];
    const struct record *record = a->type->record;
    for (; name[count] != '\0' && count < 4; count++) {
        lanes[count] = lane_of_letter(name[count]);
        if (lanes[count] < 0 || lanes[count] >= record->lane_count) {
            break;
        }
    }
    if (count == 0 || name[count] != '\0') {
        parse_error(p, loc, "'%s' has no lanes '%s': they are called x, y, z, w or r, g, b, a, at most four at a time",
                    parse_describe(p, a->type), name);
        return expr_error(p, loc);
    }
    if (count == 1) {
        return lane_of(p, a, lanes[0]);
    }
    if (!is_in_function(p, loc)) {
        return expr_error(p, loc);
    }
    struct naming n = {0};
    struct expr *x[MAX_LANES], *y[4];
    take_lanes(p, &n, a, a->type, x);
    for (int i = 0; i < count; i++) {
        y[i] = x[lanes[i]];
    }
    return make(p, &n, vector_type(p, lane_type(a->type), count), y, loc);
}

// ---- built-in functions --------------------------------------------------------------------------------------------

// A lane of |a|, or of |b| behind it, by a number that is taken modulo how many there are.
static struct expr *chosen_lane(struct parser *p, struct expr *a, struct expr *b, struct expr *index)
{
    struct loc loc = index->loc;
    int count = a->type->record->lane_count;
    struct expr *mask = expr_int(p, TYPE_INT, (uint64_t)count - 1, loc);
    struct expr *first = vector_subscript(p, a, operate_binary(p, EXPR_AND, index, mask, loc), loc);
    if (b == NULL) {
        return first;
    }
    struct expr *second = vector_subscript(p, b, operate_binary(p, EXPR_AND, index, mask, loc), loc);
    struct expr *which = operate_binary(p, EXPR_AND, index, expr_int(p, TYPE_INT, (uint64_t)count, loc), loc);
    return operate_condition(p, which, second, first, loc);
}

static struct expr *shuffle(struct parser *p, struct expr **args, int count, struct loc loc)
{
    struct expr *a = args[0], *b = count == 3 ? args[1] : NULL, *mask = args[count - 1];
    bool fits = (count == 2 || count == 3) && vector_is(a->type) && vector_is(mask->type) &&
                (b == NULL || b->type->record == a->type->record) && type_is_integer(lane_type(mask->type)) &&
                mask->type->record->lane_count == a->type->record->lane_count;
    if (!fits) {
        parse_error(p, loc,
                    "'__builtin_shuffle' takes one or two vectors of a type and one of integers with as many lanes");
        return expr_error(p, loc);
    }
    struct naming n = {0};
    struct expr *x[MAX_LANES];
    a = naming_may_repeat(a) ? a : naming_name(p, &n, a, loc);
    b = b == NULL || naming_may_repeat(b) ? b : naming_name(p, &n, b, loc);
    take_lanes(p, &n, mask, mask->type, x);
    for (int i = 0; i < a->type->record->lane_count; i++) {
        struct expr *index = naming_may_repeat(x[i]) ? x[i] : naming_name(p, &n, x[i], loc);
        x[i] = chosen_lane(p, a, b, index);
    }
    return make(p, &n, type_unqualified(p->arena, a->type), x, loc);
}

static struct expr *shufflevector(struct parser *p, struct expr **args, int count, struct loc loc)
{
    int lanes = count - 2;
    bool fits = lanes > 0 && vector_is(args[0]->type) && vector_is(args[1]->type) &&
                lane_type(args[0]->type)->kind == lane_type(args[1]->type)->kind;
    if (!fits) {
        parse_error(p, loc,
                    "'__builtin_shufflevector' takes two vectors with lanes of one type and the numbers of lanes");
        return expr_error(p, loc);
    }
    struct naming n = {0};
    struct expr *x[MAX_LANES], *y[MAX_LANES], *result[MAX_LANES];
    take_lanes(p, &n, args[0], args[0]->type, x);
    take_lanes(p, &n, args[1], args[1]->type, y);
    int first = args[0]->type->record->lane_count, all = first + args[1]->type->record->lane_count;
    for (int i = 0; i < lanes; i++) {
        int64_t lane = 0;
        if (!const_eval_int(args[i + 2], &lane) || lane < -1 || lane >= all) {
            parse_error(p, args[i + 2]->loc, "the number of a lane is a constant from 0 to %d, or -1 for any", all - 1);
            return expr_error(p, loc);
        }
        lane = lane < 0 ? 0 : lane;
        result[i] = lane < first ? x[lane] : y[lane - first];
    }
    return make(p, &n, vector_type(p, lane_type(args[0]->type), lanes), result, loc);
}

static struct expr *convertvector(struct parser *p, struct loc loc)
{
    struct expr *a = convert_decay(p, parse_assignment_expression(p));
    parse_expect(p, TOKEN_COMMA, "after the vector");
    struct type *type = declare_type_name(p);
    parse_expect(p, TOKEN_RPAREN, "after the type");
    if (expr_is_error(a) || type_is_error(type)) {
        return expr_error(p, loc);
    }
    if (!vector_is(a->type) || !vector_is(type) || a->type->record->lane_count != type->record->lane_count) {
        parse_error(p, loc, "'__builtin_convertvector' takes a vector and a type with as many lanes");
        return expr_error(p, loc);
    }
    struct naming n = {0};
    struct expr *x[MAX_LANES];
    take_lanes(p, &n, a, a->type, x);
    return make(p, &n, type_unqualified(p->arena, type), x, loc);
}

struct expr *vector_builtin(struct parser *p, const char *name, struct loc loc)
{
    bool is_shuffle = strcmp(name, "shuffle") == 0, is_convert = strcmp(name, "convertvector") == 0;
    struct expr *args[MAX_LANES + 2];
    int count = 0;
    if (!is_in_function(p, loc) || !parse_expect(p, TOKEN_LPAREN, "after the function's name")) {
        return expr_error(p, loc);
    }
    if (is_convert) {
        return convertvector(p, loc);
    }
    bool is_good = true;
    do {
        struct expr *e = convert_decay(p, parse_assignment_expression(p));
        is_good = is_good && !expr_is_error(e) && count < MAX_LANES + 2;
        args[count < MAX_LANES + 2 ? count : 0] = e;
        count++;
    } while (parse_accept(p, TOKEN_COMMA));
    parse_expect(p, TOKEN_RPAREN, "after the arguments");
    if (!is_good || count < 2) {
        return expr_error(p, loc);
    }
    return is_shuffle ? shuffle(p, args, count, loc) : shufflevector(p, args, count, loc);
}
