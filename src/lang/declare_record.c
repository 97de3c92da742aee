// Structs, unions and enums.
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

struct member_list {
    struct member_declaration *items;
    int count;
    int capacity;
    struct hash_map names; // of the members, those of anonymous members too
};

// ---- members -------------------------------------------------------------------------------------------------------

static void claim_name(struct parser *p, struct member_list *list, const struct member *member)
{
    if (member->name == NULL) {
        for (int i = 0; type_is_record(member->type) && i < member->type->record->member_count; i++) {
            claim_name(p, list, &member->type->record->members[i]);
        }
        return;
    }
    size_t length = strlen(member->name);
    const struct member *other = hash_map_get(&list->names, member->name, length);
    if (other != NULL) {
        parse_error(p, member->loc, "two members are called '%s'", member->name);
        parse_note(p, other->loc, "the other one");
        return;
    }
    struct member *kept = ARENA_NEW(p->arena, struct member);
    *kept = *member;
    hash_map_set(&list->names, member->name, length, kept);
}

static void add_member(struct parser *p, struct member_list *list, struct member_declaration declaration)
{
    assert((declaration.width >= 0) == declaration.member.is_bitfield);
    claim_name(p, list, &declaration.member);
    VEC_PUSH(p->arena, list, declaration);
}

static int bitfield_width(struct parser *p, const char *name, const struct type *type)
{
    struct loc loc = parse_loc(p);
    int64_t width;
    if (!parse_integer_constant(p, "the width of a bit-field", &width)) {
        return 1;
    }
    if (!type_is_integer(type)) {
        if (!type_is_error(type)) {
            parse_error(p, loc, "a bit-field cannot have the type '%s'", parse_describe(p, type));
        }
        return 1;
    }
    if (width < 0 || width > type_int_bits(type)) {
        parse_error(p, loc, "a bit-field of '%s' is 0 to %d bits wide, not %lld", parse_describe(p, type),
                    type_int_bits(type), (long long)width);
        return 1;
    }
    if (width == 0 && name != NULL) {
        parse_error(p, loc, "the bit-field '%s' has no bits", name);
        return 1;
    }
    return (int)width;
}

// A flexible array is told apart later, when it is known whether it is the last member.
static bool check_member_type(struct parser *p, const struct declarator *d)
{
    if (type_is_error(d->type)) {
        return true; // kept, so that its uses are not complained about
    }
    if (d->type->kind == TYPE_FUNCTION) {
        parse_error(p, d->loc, "the member '%s' cannot be a function", d->name);
        return false;
    }
    bool is_flexible = d->type->kind == TYPE_ARRAY && d->type->length == TYPE_LENGTH_UNKNOWN;
    if (!is_flexible && !type_is_complete(d->type)) {
        parse_error(p, d->loc, "the member '%s' has the incomplete type '%s'", d->name, parse_describe(p, d->type));
        return false;
    }
    return true;
}

static void struct_declarator(struct parser *p, const struct specifiers *specifiers, struct member_list *list)
{
    struct member_declaration m = {.width = -1, .member.type = specifiers->type, .member.loc = parse_loc(p)};
    if (!parse_at(p, TOKEN_COLON)) {
        struct declarator d = declare_declarator(p, specifiers->type, DECLARE_MEMBER);
        if (p->is_panicking) {
            return;
        }
        if (!check_member_type(p, &d)) {
            d.type = &p->basic[TYPE_ERROR];
        }
        m.member.name = d.name;
        m.member.type = d.type;
        m.member.loc = d.loc;
    }
    if (parse_accept(p, TOKEN_COLON)) {
        m.width = bitfield_width(p, m.member.name, m.member.type);
        if (!type_is_integer(m.member.type)) {
            m.member.type = &p->basic[TYPE_INT]; // complained about; the layout needs some width
        }
        m.member.is_bitfield = true;
    }
    struct attributes attributes = specifiers->attributes;
    attributes.vector_size = attributes.lanes = 0;
    attributes.mode = NULL; // the specifiers' type has it already
    attributes.takes_type = true;
    declare_attributes(p, &attributes);
    m.member.type = declare_apply_attributes(p, m.member.type, &attributes, m.member.loc);
    m.align = attributes.align > specifiers->alignas ? attributes.align : specifiers->alignas;
    m.is_packed = attributes.is_packed;
    if (m.member.name != NULL || m.member.is_bitfield) {
        add_member(p, list, m);
    }
}

static void anonymous_member(struct parser *p, const struct specifiers *specifiers, struct member_list *list)
{
    struct type *type = specifiers->type;
    if (type_is_record(type) && type->record->tag == NULL && type->typedef_name == NULL && type->record->is_complete) {
        struct member_declaration m = {.width = -1, .member.type = type, .member.loc = specifiers->loc};
        m.align =
            specifiers->attributes.align > specifiers->alignas ? specifiers->attributes.align : specifiers->alignas;
        add_member(p, list, m);
    } else if (!type_is_error(type)) {
        parse_warning(p, specifiers->loc, "this declares no member");
    }
}

static void struct_declaration(struct parser *p, struct member_list *list)
{
    if (parse_at(p, TOKEN_KW_STATIC_ASSERT)) {
        declare_static_assert(p);
        return;
    }
    if (parse_accept(p, TOKEN_SEMI)) {
        return;
    }
    struct specifiers specifiers;
    if (!declare_specifiers(p, &specifiers, DECLARE_MEMBER)) {
        return;
    }
    if (parse_at(p, TOKEN_SEMI)) {
        anonymous_member(p, &specifiers, list);
    } else {
        do {
            struct_declarator(p, &specifiers, list);
        } while (!p->is_panicking && parse_accept(p, TOKEN_COMMA));
    }
    parse_expect(p, TOKEN_SEMI, "after the member");
}

static void struct_declaration_list(struct parser *p, struct member_list *list)
{
    hash_map_init(&list->names, p->arena);
    while (!parse_at(p, TOKEN_RBRACE) && !parse_at(p, TOKEN_EOF)) {
        int before = p->position;
        struct_declaration(p, list);
        if (p->is_panicking) {
            parse_recover(p);
        }
        if (p->position == before) {
            parse_advance(p);
        }
    }
    parse_expect(p, TOKEN_RBRACE, "at the end of the members");
}

static void check_flexible(struct parser *p, struct record *record, struct member_list *list)
{
    int named = 0;
    for (int i = 0; i < list->count; i++) {
        struct member *member = &list->items[i].member;
        bool can_be = !record->is_union && i == list->count - 1 && named > 0;
        if (can_be && member->type->kind == TYPE_ARRAY && member->type->length == 0) {
            member->type = type_array_of(p->arena, member->type->base, TYPE_LENGTH_UNKNOWN);
        }
        bool is_flexible = member->type->kind == TYPE_ARRAY && member->type->length == TYPE_LENGTH_UNKNOWN;
        if (is_flexible && !can_be) {
            parse_error(p, member->loc, "the flexible array '%s' must be the last of several members of a struct",
                        member->name);
            member->type = &p->basic[TYPE_ERROR];
        } else if (is_flexible) {
            record->has_flexible_array = true;
        }
        named += member->name != NULL || !member->is_bitfield;
    }
}

// ---- struct and union ----------------------------------------------------------------------------------------------

static struct type *wrong_tag(struct parser *p, const struct symbol *symbol, const char *tag, struct loc loc)
{
    parse_error(p, loc, "'%s' is another kind of tag", tag);
    parse_note(p, symbol->loc, "it is declared here");
    return &p->basic[TYPE_ERROR];
}

// The type that a tag names here: found, or declared and incomplete. A definition, and `struct s;`, look only into the
// innermost scope.
static struct type *tagged_record(struct parser *p, bool is_union, const char *tag, struct loc loc, bool is_new)
{
    struct symbol *symbol = is_new ? scope_find_tag_here(p, tag) : scope_find_tag(p, tag);
    if (symbol != NULL) {
        bool fits = symbol->type->kind == (is_union ? TYPE_UNION : TYPE_STRUCT);
        return fits ? symbol->type : wrong_tag(p, symbol, tag, loc);
    }
    struct type *type = type_record_new(p->arena, is_union, tag, loc);
    scope_add_tag(p, tag, loc, type);
    return type;
}

static void record_body(struct parser *p, struct type *type, struct attributes *attributes, struct loc loc)
{
    struct record *record = type->record;
    if (record->is_complete) {
        parse_error(p, loc, "'%s' is defined twice", parse_describe(p, type));
        parse_note(p, record->loc, "the first definition");
        record = type_record_new(p->arena, record->is_union, NULL, loc)->record;
    }
    record->loc = loc;
    struct member_list list = {0};
    struct stmt_list *hoisted = p->hoisted;
    p->hoisted = NULL;
    if (parse_enter(p)) {
        parse_advance(p);
        struct_declaration_list(p, &list);
    }
    parse_leave(p);
    p->hoisted = hoisted;
    if (record->is_complete) {
        parse_error(p, loc, "'%s' is defined inside itself", parse_describe(p, type));
        return;
    }
    declare_attributes(p, attributes);
    check_flexible(p, record, &list);
    declare_layout(p, record, list.items, list.count, attributes);
    type_record_complete(record);
    if (record->depth > TYPE_MAX_DEPTH) {
        parse_error(p, loc, "the type is built more than %d levels deep", TYPE_MAX_DEPTH);
        parse_give_up(p);
    }
}

struct type *declare_record(struct parser *p)
{
    bool is_union = parse_at(p, TOKEN_KW_UNION);
    struct loc loc = parse_loc(p);
    parse_advance(p);
    struct attributes attributes = {0};
    declare_attributes(p, &attributes);
    struct loc tag_loc = parse_loc(p);
    const char *tag = parse_identifier(p);
    bool is_definition = parse_at(p, TOKEN_LBRACE);
    if (tag == NULL && !is_definition) {
        parse_syntax_error(p, "expected a tag or '{' after '%s'", is_union ? "union" : "struct");
        return &p->basic[TYPE_ERROR];
    }
    struct type *type;
    if (tag != NULL) {
        type = tagged_record(p, is_union, tag, tag_loc, is_definition || parse_at(p, TOKEN_SEMI));
    } else {
        type = type_record_new(p->arena, is_union, NULL, loc);
    }
    if (is_definition) {
        if (type_is_error(type)) {
            type = type_record_new(p->arena, is_union, NULL, loc);
        }
        record_body(p, type, &attributes, tag != NULL ? tag_loc : loc);
    }
    return type;
}

// ---- enum ----------------------------------------------------------------------------------------------------------

struct enum_range {
    bool has_negative;
    int64_t min;
    uint64_t max;
    VEC(struct symbol *) large; // enumerators beyond int: they get the enum's integer type once it is known
};

static enum type_kind enum_kind(const struct enum_range *range, bool is_packed)
{
    if (range->has_negative) {
        int64_t max = range->max > INT64_MAX ? INT64_MAX : (int64_t)range->max;
        if (is_packed && range->min >= INT8_MIN && max <= INT8_MAX) {
            return TYPE_SCHAR;
        }
        if (is_packed && range->min >= INT16_MIN && max <= INT16_MAX) {
            return TYPE_SHORT;
        }
        return range->min >= INT32_MIN && max <= INT32_MAX ? TYPE_INT : TYPE_LONG;
    }
    if (is_packed && range->max <= UINT8_MAX) {
        return TYPE_UCHAR;
    }
    if (is_packed && range->max <= UINT16_MAX) {
        return TYPE_USHORT;
    }
    return range->max <= UINT32_MAX ? TYPE_UINT : TYPE_ULONG;
}

// Its value and whether that is beyond long's range; the next enumerator counts on from there.
struct enum_value {
    int64_t value;
    bool is_big;
};

static struct enum_value enum_constant_value(struct parser *p, struct enum_value next)
{
    struct expr *e = convert_decay(p, parse_conditional_expression(p));
    if (expr_is_error(e)) {
        return next;
    }
    int64_t value;
    if (!type_is_integer(e->type) || !const_eval_int(e, &value)) {
        parse_error(p, e->loc, "the value of an enumerator must be an integer constant");
        return next;
    }
    return (struct enum_value){.value = value, .is_big = !type_is_signed(e->type) && value < 0};
}

static void enumerator(struct parser *p, struct enum_value *next, struct enum_range *range)
{
    struct loc loc = parse_loc(p);
    const char *name = parse_identifier(p);
    if (name == NULL) {
        parse_syntax_error(p, "expected an enumerator's name, found %s", token_describe(p->arena, parse_token(p)));
        return;
    }
    struct attributes ignored = {0};
    declare_attributes(p, &ignored);
    struct enum_value value = parse_accept(p, TOKEN_ASSIGN) ? enum_constant_value(p, *next) : *next;
    const struct symbol *other = scope_find_here(p, name);
    if (other != NULL && other->kind != SYMBOL_UNKNOWN) {
        parse_error(p, loc, "'%s' is declared twice", name);
        parse_note(p, other->loc, "the first declaration");
    }
    struct symbol *symbol = scope_add(p, SYMBOL_CONSTANT, name, loc);
    symbol->value = value.value;
    bool fits = !value.is_big && value.value >= INT32_MIN && value.value <= INT32_MAX;
    symbol->type = &p->basic[fits ? TYPE_INT : value.is_big ? TYPE_ULONG : TYPE_LONG];
    if (!fits) {
        VEC_PUSH(p->arena, &range->large, symbol);
    }
    if (!value.is_big && value.value < 0) {
        range->has_negative = true;
        range->min = value.value < range->min ? value.value : range->min;
    } else if ((uint64_t)value.value > range->max) {
        range->max = (uint64_t)value.value;
    }
    next->is_big = value.is_big || value.value == INT64_MAX;
    next->value = (int64_t)((uint64_t)value.value + 1);
}

static void enum_body(struct parser *p, struct type *type, struct attributes *attributes, struct loc loc)
{
    parse_advance(p);
    struct enum_range range = {0};
    struct enum_value next = {0};
    if (parse_at(p, TOKEN_RBRACE)) {
        parse_error(p, loc, "an enum needs an enumerator");
    }
    while (!parse_at(p, TOKEN_RBRACE) && !p->is_panicking) {
        enumerator(p, &next, &range);
        if (!parse_accept(p, TOKEN_COMMA)) {
            break;
        }
    }
    if (p->is_panicking) {
        parse_recover_braces(p);
    }
    parse_expect(p, TOKEN_RBRACE, "at the end of the enumerators");
    declare_attributes(p, attributes);
    const struct type *basic = &p->basic[enum_kind(&range, attributes->is_packed)];
    type->base = type_copy(p->arena, basic); // an enum's own copy: that is how two are told apart
    type->size = basic->size;
    type->align = basic->align;
    for (int i = 0; i < range.large.count; i++) {
        range.large.items[i]->type = &p->basic[basic->kind];
    }
}

static struct type *find_enum(struct parser *p, const char *tag, struct loc loc)
{
    const struct symbol *symbol = scope_find_tag(p, tag);
    if (symbol == NULL) {
        const char *best = scope_suggest_tag(p, tag);
        parse_error(p, loc, "'enum %s' is not defined%s%s%s", tag, best != NULL ? "; did you mean '" : "",
                    best != NULL ? best : "", best != NULL ? "'?" : "");
        return &p->basic[TYPE_ERROR];
    }
    return symbol->type->kind == TYPE_ENUM ? symbol->type : wrong_tag(p, symbol, tag, loc);
}

struct type *declare_enum(struct parser *p)
{
    struct loc loc = parse_loc(p);
    parse_advance(p);
    struct attributes attributes = {0};
    declare_attributes(p, &attributes);
    struct loc tag_loc = parse_loc(p);
    const char *tag = parse_identifier(p);
    if (parse_at(p, TOKEN_COLON) && declare_starts_type(p, parse_peek(p, 1))) { // else the width of a bit-field
        parse_error(p, parse_loc(p),
                    "not supported: an enum with a type of its own: write '__attribute__((packed))', "
                    "or store it in a member of that type");
        parse_advance(p);
        declare_type_name(p);
    }
    if (!parse_at(p, TOKEN_LBRACE)) {
        if (tag == NULL) {
            parse_syntax_error(p, "expected a tag or '{' after 'enum'");
            return &p->basic[TYPE_ERROR];
        }
        return find_enum(p, tag, tag_loc);
    }
    const struct symbol *other = tag != NULL ? scope_find_tag_here(p, tag) : NULL;
    if (other != NULL) {
        parse_error(p, tag_loc, "'%s' is defined twice", tag);
        parse_note(p, other->loc, "the first definition");
    }
    struct type *type = ARENA_NEW(p->arena, struct type);
    type->kind = TYPE_ENUM;
    type->enum_tag = tag;
    type->base = &p->basic[TYPE_UINT]; // until the enumerators are known
    type->size = 4;
    type->align = 4;
    enum_body(p, type, &attributes, loc);
    if (tag != NULL && other == NULL) {
        scope_add_tag(p, tag, tag_loc, type);
    }
    return type;
}
