// Initialisers: from nested braces, elided braces and designators to a flat list of stores.
//
// A list walks over the places of an aggregate. In braces it owns everything up to its '}'; without them (elided) it
// takes what it needs from the list around it and returns when its places are used up or a designator comes, which
// belongs to the list in braces. A designator that goes several levels deep walks down as such elided lists, each told
// where to begin, so that what follows the designated place without one fills the next places there, as C has it.
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

// `[a ... b]`: the value goes to the last element and, |count| times, to the ones before it.
struct range {
    uint64_t size; // of an element
    int64_t count;
};

// A place in the list of stores that stays where it is when earlier ones go.
struct mark {
    int at;
    struct mark *outer;
};

struct init {
    struct parser *p;
    struct object *object;
    bool is_static;
    bool has_designators; // only then can a place be stored to twice
    bool flexible_is_allowed;
    int64_t outer_length;     // elements seen of an object whose length is unknown
    uint64_t stored_end;      // bytes; nothing was stored from here on
    uint64_t flexible_end;    // bytes that the initialised flexible array reaches to
    VEC(struct range) ranges; // of the designators before the value that comes next, outermost first
    struct mark *marks;       // innermost first
    VEC(struct init_store) stores;
};

enum list_mode { LIST_BRACED, LIST_ELIDED, LIST_DESIGNATED };

// A place to be filled.
struct place {
    struct type *type;
    uint64_t offset;
    const struct member *bitfield;
};

static void element(struct init *in, struct place place, struct expr *first);
static void list(struct init *in, struct place whole, struct expr *first, enum list_mode mode);

// GNU C's old form of `.name =`.
static bool at_old_designator(const struct parser *p, int ahead)
{
    return parse_peek(p, ahead)->kind == TOKEN_IDENT && parse_peek(p, ahead + 1)->kind == TOKEN_COLON;
}

static bool at_designator(const struct parser *p, int ahead)
{
    enum token_kind kind = parse_peek(p, ahead)->kind;
    return kind == TOKEN_DOT || kind == TOKEN_LBRACKET || at_old_designator(p, ahead);
}

static bool has_members(const struct type *type)
{
    return type_is_record(type) && !complex_is(type);
}

// ---- storing -------------------------------------------------------------------------------------------------------

static const char *describe_target(struct init *in)
{
    const char *name = in->object->name;
    return name != NULL ? arena_printf(in->p->arena, "the initialiser of '%s'", name) : "the initialiser";
}

static bool is_constant(const struct expr *e)
{
    double number;
    struct const_address address;
    if (e->kind == EXPR_STRING || expr_is_error(e)) {
        return true;
    }
    return type_is_arithmetic(e->type) ? const_eval_float(e, &number) : const_eval_address(e, &address);
}

static void store(struct init *in, struct place place, struct expr *value)
{
    assert(value != NULL && place.type != NULL);
    if (in->is_static && !expr_is_error(value) && value->type->kind != TYPE_COMPLEX && !is_constant(value)) {
        parse_error(in->p, value->loc, "%s must be a constant", describe_target(in));
        return;
    }
    if (in->stores.count >= LANG_MAX_INIT_STORES) {
        parse_error(in->p, value->loc, "%s has more than %d values", describe_target(in), LANG_MAX_INIT_STORES);
        parse_give_up(in->p);
        return;
    }
    struct init_store s = {
        .offset = place.offset, .type = place.type, .bitfield = place.bitfield, .value = value, .loc = value->loc};
    VEC_PUSH(in->p->arena, &in->stores, s);
    uint64_t end = place.offset + place.type->size;
    in->stored_end = end > in->stored_end ? end : in->stored_end;
}

// What an earlier initialiser said about these bytes is void.
static void forget(struct init *in, uint64_t offset, uint64_t size)
{
    if (!in->has_designators || offset >= in->stored_end) {
        return; // the usual case: places in ascending order
    }
    int kept = 0;
    for (int i = 0; i < in->stores.count; i++) {
        const struct init_store *s = &in->stores.items[i];
        // A bit-field's unit may begin before its own bits do.
        uint64_t at = s->offset + (s->bitfield != NULL ? s->bitfield->bit_offset / 8u : 0);
        if (at < offset || at >= offset + size) {
            in->stores.items[kept++] = *s;
            continue;
        }
        for (struct mark *mark = in->marks; mark != NULL; mark = mark->outer) {
            mark->at -= kept < mark->at;
        }
    }
    in->stores.count = kept;
}

// A string for an array of characters takes as many bytes as fit; the terminator may be the one that does not.
static void store_string(struct init *in, struct place place, struct expr *string)
{
    struct type *type = place.type;
    uint64_t unit = type->base->size;
    assert(type->kind == TYPE_ARRAY && unit > 0);
    uint64_t length = string->u / unit;
    if (type->length == TYPE_LENGTH_UNKNOWN) {
        in->outer_length = (int64_t)length > in->outer_length ? (int64_t)length : in->outer_length;
        type = type_array_of(in->p->arena, type->base, (int64_t)length);
    } else if (length > (uint64_t)type->length + 1) {
        parse_warning(in->p, string->loc, "the string is too long for '%s'", parse_describe(in->p, type));
    }
    struct expr *copy = ARENA_NEW(in->p->arena, struct expr);
    *copy = *string;
    copy->type = type;
    copy->u = length > (uint64_t)type->length ? (uint64_t)type->length * unit : string->u;
    place.type = type;
    forget(in, place.offset, type->size);
    store(in, place, copy);
}

static bool takes_string(const struct type *type, const struct expr *e)
{
    if (type->kind != TYPE_ARRAY || e->kind != EXPR_STRING) {
        return false;
    }
    const struct type *base = type->base->kind == TYPE_ENUM ? type->base->base : type->base;
    switch (e->type->base->kind) {
    case TYPE_INT:
    case TYPE_UINT: return base->kind == TYPE_INT || base->kind == TYPE_UINT;
    case TYPE_USHORT: return base->kind == TYPE_SHORT || base->kind == TYPE_USHORT;
    default: return type_is_char(base);
    }
}

// A static object may be a copy of a compound literal, as gcc has it: its stores are taken over.
static void store_record(struct init *in, struct place place, struct expr *e)
{
    bool is_literal = e->kind == EXPR_OBJECT && e->object->name != NULL && e->object->name[0] == '(';
    if (!in->is_static || !is_literal) {
        store(in, place, e);
        return;
    }
    for (int i = 0; i < e->object->init_count; i++) {
        const struct init_store *s = &e->object->inits[i];
        store(in, (struct place){.type = s->type, .offset = place.offset + s->offset, .bitfield = s->bitfield},
              s->value);
    }
}

// The parts of a complex number that is written out are values of their own: a static object's must be constants.
static void store_complex(struct init *in, struct place place, struct expr *e)
{
    if (!complex_is_literal(e)) {
        store(in, place, e);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const struct init_store *part = &e->object->inits[i];
        store(in, (struct place){.type = part->type, .offset = place.offset + part->offset}, part->value);
    }
}

static void store_scalar(struct init *in, struct place place, struct expr *e)
{
    const char *what = describe_target(in);
    e = convert_assign(in->p, e, place.type, what);
    if (!expr_is_error(e)) {
        place.type = type_unqualified(in->p->arena, place.type);
        if (complex_is(place.type)) {
            store_complex(in, place, e);
        } else {
            store(in, place, e);
        }
    }
}

// ---- one element ---------------------------------------------------------------------------------------------------

// An expression for a place: it fits, or the place is an aggregate whose first part it is for.
static void place_expression(struct init *in, struct place place, struct expr *e)
{
    struct type *type = place.type;
    if (type_is_error(type) || expr_is_error(e)) {
        return;
    }
    if (takes_string(type, e)) {
        store_string(in, place, e);
    } else if (has_members(type) && type_compatible(type, e->type)) {
        forget(in, place.offset, type->size);
        store_record(in, place, e);
    } else if (type->kind == TYPE_ARRAY || has_members(type)) {
        list(in, place, e, LIST_ELIDED);
    } else {
        store_scalar(in, place, e);
    }
}

// Up to the '}', or to the comma before a designator, which says where the list goes on. |why| is NULL where enough was
// said already.
static void skip_values(struct init *in, struct loc loc, const char *why)
{
    struct parser *p = in->p;
    bool warned = why == NULL;
    while (!parse_at(p, TOKEN_RBRACE) && !parse_at(p, TOKEN_EOF) && !p->is_panicking && !at_designator(p, 0)) {
        if (!warned) {
            parse_warning(p, loc, "%s", why);
            warned = true;
        }
        if (parse_at(p, TOKEN_LBRACE)) {
            struct init scratch = {.p = p, .object = in->object};
            element(&scratch, (struct place){.type = &p->basic[TYPE_ERROR]}, NULL);
        } else {
            parse_assignment_expression(p);
        }
        if (!parse_at(p, TOKEN_COMMA) || at_designator(p, 1)) {
            break;
        }
        parse_advance(p);
    }
}

// `{ 1 }` or `{}` for a scalar, and whatever stands in braces for a place that is already wrong.
static void braced_scalar(struct init *in, struct place place)
{
    struct parser *p = in->p;
    struct loc loc = parse_loc(p);
    if (parse_at(p, TOKEN_RBRACE)) {
        if (type_is_scalar(place.type) || complex_is(place.type)) { // C23: 0
            store(in, place, convert_assign(p, expr_int(p, TYPE_INT, 0, loc), place.type, describe_target(in)));
        } else if (!type_is_error(place.type)) {
            parse_error(p, loc, "%s has no value here", describe_target(in));
        }
    } else if (parse_at(p, TOKEN_DOT) || parse_at(p, TOKEN_LBRACKET)) {
        if (!type_is_error(place.type)) {
            parse_error(p, loc, "a designator for '%s', which has no parts", parse_describe(p, place.type));
        }
        p->is_panicking = true;
    } else {
        element(in, place, NULL);
        parse_accept(p, TOKEN_COMMA);
        skip_values(in, parse_loc(p), type_is_error(place.type) ? NULL : "more values than the place takes");
        bool is_designated = parse_accept(p, TOKEN_COMMA) || at_designator(p, 0);
        if (is_designated && !type_is_error(place.type)) {
            parse_error(p, parse_loc(p), "a designator for '%s', which has no parts", parse_describe(p, place.type));
        }
        p->is_panicking |= is_designated;
    }
}

static void braced(struct init *in, struct place place)
{
    struct parser *p = in->p;
    assert(parse_at(p, TOKEN_LBRACE));
    struct type *type = place.type;
    if (!parse_enter(p)) {
        parse_leave(p);
        return;
    }
    parse_advance(p);
    forget(in, place.offset, type->size);
    bool is_string = type->kind == TYPE_ARRAY && parse_at(p, TOKEN_STRING) &&
                     (parse_peek(p, 1)->kind == TOKEN_RBRACE ||
                      (parse_peek(p, 1)->kind == TOKEN_COMMA && parse_peek(p, 2)->kind == TOKEN_RBRACE));
    if (is_string && (type_is_char(type->base) || type->base->kind == TYPE_INT || type->base->kind == TYPE_UINT)) {
        element(in, place, NULL);
        parse_accept(p, TOKEN_COMMA);
    } else if (type->kind == TYPE_ARRAY || (has_members(type) && type->record->is_complete)) {
        list(in, place, NULL, LIST_BRACED);
    } else {
        braced_scalar(in, place);
    }
    if (p->is_panicking) {
        parse_recover_braces(p);
    }
    parse_expect(p, TOKEN_RBRACE, "at the end of the initialiser");
    parse_leave(p);
}

static void element(struct init *in, struct place place, struct expr *first)
{
    if (first == NULL && parse_at(in->p, TOKEN_LBRACE)) {
        braced(in, place);
        return;
    }
    place_expression(in, place, first != NULL ? first : parse_assignment_expression(in->p));
}

// ---- places of an aggregate ----------------------------------------------------------------------------------------

static bool is_flexible(const struct type *type)
{
    return type->kind == TYPE_ARRAY && type->length == TYPE_LENGTH_UNKNOWN;
}

static int64_t place_count(const struct type *type)
{
    assert(type->kind == TYPE_ARRAY || type_is_record(type));
    if (type->kind == TYPE_ARRAY) {
        return type->length == TYPE_LENGTH_UNKNOWN ? INT64_MAX : type->length;
    }
    const struct record *record = type->record;
    return record->is_union ? (record->member_count > 0) : record->member_count;
}

static struct place place_at(struct init *in, const struct place *whole, int64_t index)
{
    assert(index >= 0 && (whole->type->kind == TYPE_ARRAY || index < whole->type->record->member_count));
    struct type *type = whole->type;
    if (type->kind == TYPE_ARRAY) {
        return (struct place){.type = type->base, .offset = whole->offset + (uint64_t)index * type->base->size};
    }
    const struct member *member = &type->record->members[index];
    struct place place = {
        .type = type_with_quals(in->p->arena, member->type, type->quals),
        .offset = whole->offset + member->offset,
        .bitfield = member->is_bitfield ? member : NULL,
    };
    return place;
}

static void reached(struct init *in, const struct place *whole, int64_t index)
{
    if (!is_flexible(whole->type)) {
        return;
    }
    if (whole->offset == 0) {
        in->outer_length = index + 1 > in->outer_length ? index + 1 : in->outer_length;
    } else {
        uint64_t end = whole->offset + (uint64_t)(index + 1) * whole->type->base->size;
        in->flexible_end = end > in->flexible_end ? end : in->flexible_end;
    }
}

// A flexible array may be initialised where the object itself has one, static, as gcc has it.
static bool check_flexible(struct init *in, const struct place *whole, struct loc loc)
{
    if (!is_flexible(whole->type) || whole->offset == 0 || (in->flexible_is_allowed && in->is_static)) {
        return true;
    }
    parse_error(in->p, loc, "a flexible array can be initialised only in a static object of its own");
    return false;
}

// ---- designators ---------------------------------------------------------------------------------------------------

struct designator {
    int64_t first;
    int64_t last;
    bool is_inside; // the name belongs to an anonymous member, whose list reads it again
};

static bool array_designator(struct init *in, const struct type *type, struct designator *out)
{
    struct parser *p = in->p;
    struct loc loc = parse_loc(p);
    parse_advance(p);
    bool is_known = parse_integer_constant(p, "an index in an initialiser", &out->first);
    out->last = out->first;
    if (parse_accept(p, TOKEN_ELLIPSIS)) {
        is_known &= parse_integer_constant(p, "an index in an initialiser", &out->last);
    }
    parse_expect(p, TOKEN_RBRACKET, "after the index");
    if (!is_known) {
        return false;
    }
    if (type->kind != TYPE_ARRAY) {
        parse_error(p, loc, "'[…]' designates an element, but '%s' is no array", parse_describe(p, type));
        return false;
    }
    bool fits = out->first >= 0 && out->last >= out->first && out->last < place_count(type) &&
                type_array_fits(type->base, out->last);
    if (!fits) {
        parse_error(p, loc, "the index %lld is outside '%s'",
                    (long long)(out->first < 0 || out->last < out->first ? out->first : out->last),
                    parse_describe(p, type));
    }
    return fits;
}

static bool member_designator(struct init *in, const struct type *type, struct designator *out)
{
    struct parser *p = in->p;
    const struct token *token = parse_peek(p, at_old_designator(p, 0) ? 0 : 1);
    if (token->kind != TOKEN_IDENT && token->kind != TOKEN_KW_STREAM_PARALLEL) {
        parse_advance(p);
        parse_syntax_error(p, "expected a member's name after '.'");
        return false;
    }
    const char *name = parse_identifier_text(token);
    if (!has_members(type)) {
        parse_error(p, token->loc, "'.%s' designates a member, but '%s' has none", name, parse_describe(p, type));
        p->is_panicking = true;
        return false;
    }
    for (int i = 0; i < type->record->member_count; i++) {
        const struct member *member = &type->record->members[i];
        uint64_t offset = 0;
        bool is_it = member->name != NULL && strcmp(member->name, name) == 0;
        if (is_it || (member->name == NULL && type_find_member(member->type, name, &offset) != NULL)) {
            *out = (struct designator){.first = i, .last = i, .is_inside = !is_it};
            if (is_it) {
                parse_advance(p);
                parse_advance(p);
            }
            return true;
        }
    }
    parse_error(p, token->loc, "'%s' has no member '%s'", parse_describe(p, type), name);
    parse_note(p, type->record->loc, "it is defined here");
    p->is_panicking = true;
    return false;
}

static uint64_t element_size(const struct type *array)
{
    return array->base->size;
}

// Stores once more, |by| bytes earlier, what was stored since the mark.
static bool repeat(struct init *in, const struct mark *mark, int count, uint64_t by)
{
    for (int k = 0; k < count && !in->p->gave_up; k++) {
        struct init_store s = in->stores.items[mark->at + k];
        if (expr_has_effect(s.value)) {
            parse_error(in->p, s.loc, "a value for a range of elements cannot have an effect");
            return false;
        }
        store(in, (struct place){.type = s.type, .bitfield = s.bitfield, .offset = s.offset - by}, s.value);
    }
    return !in->p->gave_up;
}

// What was said about the places that ranges add is void. Elements that lie side by side go at once.
static void forget_before(struct init *in, struct place place, const struct range *ranges, int count)
{
    if (count == 1 && ranges[0].size == place.type->size) {
        uint64_t size = (uint64_t)ranges[0].count * ranges[0].size;
        forget(in, place.offset - size, size);
        return;
    }
    for (int64_t k = 0; count > 0 && k <= ranges[0].count; k++) {
        struct place earlier = place;
        earlier.offset -= (uint64_t)k * ranges[0].size;
        if (k > 0) {
            forget(in, earlier.offset, earlier.type->size);
        }
        forget_before(in, earlier, ranges + 1, count - 1);
    }
}

// Whether what ranges overwrite can be looked for in reasonable time.
static bool can_forget(struct init *in, struct place place, const struct range *ranges, int count)
{
    enum { MOST = 1 << 24 };
    int64_t steps = in->stores.count + 1;
    for (int i = 0; i < count && steps <= MOST; i++) {
        bool is_one = i == count - 1 && ranges[i].size == place.type->size;
        if (!is_one) {
            steps = ranges[i].count < MOST ? steps * (ranges[i].count + 1) : INT64_MAX;
        }
    }
    if (steps > MOST) {
        parse_error(in->p, parse_loc(in->p), "%s has ranges of too many elements", describe_target(in));
    }
    return steps <= MOST;
}

// `[a ... b].c = x`: the value behind '=' goes to the last element and to the ones before it. Those are filled before
// the values that follow are read, which go behind the place in the last element alone.
static void designated_value(struct init *in, struct place place)
{
    int range_count = in->ranges.count;
    struct range *ranges = ARENA_ARRAY(in->p->arena, struct range, range_count);
    for (int i = 0; i < range_count; i++) {
        ranges[i] = in->ranges.items[i];
    }
    in->ranges.count = 0; // a list in braces has designators of its own
    bool is_aggregate = place.type->kind == TYPE_ARRAY || has_members(place.type);
    if (is_aggregate && range_count > 0) {
        if (!can_forget(in, place, ranges, range_count)) {
            in->p->is_panicking = true;
            return;
        }
        forget_before(in, place, ranges, range_count);
    }
    struct mark mark = {.at = in->stores.count, .outer = in->marks};
    in->marks = &mark;
    element(in, place, NULL);
    bool goes_on = true;
    for (int i = range_count - 1; i >= 0 && goes_on; i--) {
        int count = in->stores.count - mark.at;
        for (int64_t k = 1; count > 0 && k <= ranges[i].count && goes_on; k++) {
            goes_on = repeat(in, &mark, count, (uint64_t)k * ranges[i].size);
        }
    }
    in->marks = mark.outer;
}

// Returns the index behind the designated place, or -1.
static int64_t designated(struct init *in, struct place whole)
{
    struct parser *p = in->p;
    struct designator d = {0};
    in->has_designators = true;
    bool is_old = at_old_designator(p, 0);
    bool is_member = is_old || parse_at(p, TOKEN_DOT);
    if (!(is_member ? member_designator(in, whole.type, &d) : array_designator(in, whole.type, &d))) {
        return -1;
    }
    struct place place = place_at(in, &whole, d.last);
    if (d.last > d.first) {
        struct range range = {.size = element_size(whole.type), .count = d.last - d.first};
        VEC_PUSH(p->arena, &in->ranges, range);
    }
    if (type_is_record(whole.type) && whole.type->record->is_union && !d.is_inside && !at_designator(p, 0)) {
        forget(in, whole.offset, whole.type->size);
    }
    if (d.is_inside || at_designator(p, 0)) {
        if (place.type->kind != TYPE_ARRAY && !has_members(place.type)) {
            parse_error(p, parse_loc(p), "a designator for '%s', which has no parts", parse_describe(p, place.type));
            p->is_panicking = true;
            return -1;
        }
        list(in, place, NULL, LIST_DESIGNATED);
    } else {
        if (!is_old) {
            parse_expect(p, TOKEN_ASSIGN, "after the designator");
        }
        if (!p->is_panicking) {
            designated_value(in, place);
        }
    }
    reached(in, &whole, d.last);
    return d.last + 1;
}

// ---- lists ---------------------------------------------------------------------------------------------------------

// Goes on to the next place? Consumes the comma if so.
static bool next_place(struct init *in, enum list_mode mode, bool has_room)
{
    struct parser *p = in->p;
    if (!parse_at(p, TOKEN_COMMA) || p->is_panicking) {
        return false;
    }
    if (mode != LIST_BRACED && (!has_room || parse_peek(p, 1)->kind == TOKEN_RBRACE || at_designator(p, 1))) {
        return false;
    }
    parse_advance(p);
    return true;
}

static void list_places(struct init *in, struct place whole, struct expr *first, enum list_mode mode)
{
    struct parser *p = in->p;
    int64_t count = place_count(whole.type);
    int64_t index = 0;
    bool starts_designated = mode == LIST_DESIGNATED;
    do {
        struct loc loc = parse_loc(p);
        if (mode == LIST_BRACED && parse_at(p, TOKEN_RBRACE)) {
            return;
        }
        if (!check_flexible(in, &whole, loc)) {
            p->is_panicking = true;
            return;
        }
        if (starts_designated || (mode == LIST_BRACED && at_designator(p, 0))) {
            in->ranges.count = starts_designated ? in->ranges.count : 0;
            starts_designated = false;
            index = designated(in, whole);
            if (index < 0) {
                p->is_panicking = true;
                return;
            }
            if (type_is_record(whole.type) && whole.type->record->is_union) {
                index = count;
            }
            continue;
        }
        if (index >= count) {
            skip_values(in, loc, arena_printf(p->arena, "more values than '%s' takes", parse_describe(p, whole.type)));
            continue;
        }
        element(in, place_at(in, &whole, index), first);
        first = NULL;
        reached(in, &whole, index);
        index++;
    } while (next_place(in, mode, index < count));
}

static void list(struct init *in, struct place whole, struct expr *first, enum list_mode mode)
{
    if (parse_enter(in->p)) {
        bool is_open = !type_is_record(whole.type) || whole.type->record->is_complete;
        bool has_room = place_count(whole.type) > 0 || mode == LIST_BRACED;
        if (is_open && has_room) {
            list_places(in, whole, first, mode);
        } else if (is_open && first != NULL) { // gcc drops the value, clang refuses it
            parse_error(in->p, first->loc, "'%s' takes no value: write {} for it", parse_describe(in->p, whole.type));
        }
    }
    parse_leave(in->p);
}

// ---- the object ----------------------------------------------------------------------------------------------------

static bool check_initialisable(struct parser *p, const struct object *object)
{
    const struct type *type = object->type;
    bool has_open_length = is_flexible(type) && type_is_complete(type->base);
    if (type_is_error(type) || type_is_complete(type) || has_open_length) {
        return true;
    }
    parse_error(p, parse_loc(p), "'%s' has the incomplete type '%s' and cannot be initialised",
                object->name != NULL ? object->name : "(unnamed)", parse_describe(p, type));
    return false;
}

static void finish_type(struct init *in, struct object *object)
{
    struct parser *p = in->p;
    if (is_flexible(object->type)) {
        if (in->outer_length == 0 && !p->is_panicking && !p->gave_up) {
            parse_error(p, object->loc, "'%s' has no length and no elements",
                        object->name != NULL ? object->name : "(unnamed)");
        }
        int64_t length = in->outer_length > 0 ? in->outer_length : 1;
        struct type *type = type_array_of(p->arena, object->type->base, length);
        type->typedef_name = NULL;
        object->type = type;
    } else if (in->flexible_end > object->type->size) {
        // The object is larger than sizeof says: it holds the flexible array's elements too.
        struct type *type = type_copy(p->arena, object->type);
        type->size = (in->flexible_end + type->align - 1) / type->align * type->align;
        object->type = type;
    }
}

void init_object(struct parser *p, struct object *object, bool is_static)
{
    struct init in = {.p = p, .object = object, .is_static = is_static};
    in.flexible_is_allowed = type_is_record(object->type) && object->type->record->has_flexible_array;
    struct place place = {.type = object->type};
    bool is_aggregate = object->type->kind == TYPE_ARRAY;
    if (!check_initialisable(p, object)) {
        object->type = &p->basic[TYPE_ERROR];
        place.type = object->type;
    }
    if (parse_at(p, TOKEN_LBRACE)) {
        element(&in, place, NULL);
    } else {
        struct expr *e = parse_assignment_expression(p);
        if (is_aggregate && !takes_string(place.type, e) && !expr_is_error(e) && !type_is_error(place.type)) {
            parse_error(p, e->loc, "the array '%s' needs an initialiser in braces",
                        object->name != NULL ? object->name : "(unnamed)");
        } else if (has_members(place.type) && !expr_is_error(e) && !type_compatible(place.type, e->type)) {
            store_scalar(&in, place, e); // complains
        } else {
            place_expression(&in, place, e);
        }
    }
    finish_type(&in, object);
    object->has_init = true;
    object->inits = in.stores.items;
    object->init_count = in.stores.count;
}
