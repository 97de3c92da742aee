// Lvalues: where an object is and how it is read and written there.
#include "lower/internal.h"

#include <assert.h>

// ---- objects -------------------------------------------------------------------------------------------------------

bool lower_is_memory_object(const struct lower *l, const struct object *object)
{
    const struct lower_object *use = lower_object(l, object);
    return !type_is_scalar(object->type) || (object->type->quals & QUAL_VOLATILE) != 0 ||
           (use != NULL && use->is_addressed);
}

struct lower_binding *lower_bind_new(struct lower *l, const struct object *object)
{
    struct lower_binding *binding = ARENA_NEW(l->arena, struct lower_binding);
    const char *name = object->name;
    if (lower_is_memory_object(l, object)) {
        binding->kind = BIND_MEMORY;
        binding->var = lower_memory(l, name, object->type, object->loc);
        binding->var->align = object->align > binding->var->align ? object->align : binding->var->align;
    } else {
        binding->kind = BIND_VAR;
        binding->var =
            name != NULL ? lower_var(l, name, lower_type(object->type)) : lower_temp(l, lower_type(object->type));
        binding->var->is_unsigned = lower_is_unsigned(object->type);
        binding->var->loc = object->loc;
    }
    pointer_map_set(l->arena, &l->frame->bindings, object, binding);
    return binding;
}

struct lower_binding *lower_bind(struct lower *l, const struct object *object)
{
    struct lower_binding *binding = pointer_map_get(&l->frame->bindings, object);
    if (binding != NULL) {
        return binding;
    }
    bool is_own = object->kind == OBJECT_LOCAL || object->kind == OBJECT_PARAM;
    if (is_own && !lower_is_table(l, object)) {
        if (lower_is_scratch(l, object)) {
            lower_bind_scratch(l, object);
            return pointer_map_get(&l->frame->bindings, object);
        }
        return lower_bind_new(l, object);
    }
    binding = ARENA_NEW(l->arena, struct lower_binding);
    binding->kind = BIND_GLOBAL;
    binding->global = lower_global(l, object);
    pointer_map_set(l->arena, &l->frame->bindings, object, binding);
    return binding;
}

static struct lower_place object_place(struct lower *l, const struct object *object)
{
    struct lower_binding *binding = lower_bind(l, object);
    struct lower_place place = {.kind = PLACE_MEMORY, .type = object->type};
    place.access.is_volatile = (object->type->quals & QUAL_VOLATILE) != 0;
    switch (binding->kind) {
    case BIND_VALUE:
        place.kind = PLACE_VALUE;
        place.inst = binding->value;
        break;
    case BIND_PARAM:
        place.kind = type_is_record(object->type) ? PLACE_MEMORY : PLACE_VALUE;
        place.inst = ir_emit0(&l->b, IR_OP_PARAM, type_is_record(object->type) ? IR_PTR : lower_type(object->type));
        place.inst->imm = binding->param;
        break;
    case BIND_VAR:
        place.kind = PLACE_VAR;
        place.var = binding->var;
        break;
    case BIND_MEMORY: place.inst = lower_addr_var(l, binding->var); break;
    case BIND_GLOBAL:
        place.inst = ir_emit0(&l->b, IR_OP_ADDR_GLOBAL, IR_PTR);
        place.inst->global = binding->global;
        break;
    case BIND_ADDRESS: place.inst = binding->value; break;
    case BIND_SCRATCH:
        place.inst = ir_emit0(&l->b, IR_OP_PARAM, IR_PTR);
        place.inst->imm = binding->param;
        break;
    }
    return place;
}

// ---- variable array types ------------------------------------------------------------------------------------------

struct ir_inst *lower_extent_value(struct lower *l, const struct expr *e)
{
    struct lower_extent *extent = pointer_map_get(&l->frame->extents, e);
    if (extent == NULL) {
        return lower_widen(l, lower_value(l, e), e->type);
    }
    return extent->count != NULL ? extent->count : ir_get(&l->b, extent->count_var);
}

static struct ir_inst *extent_count(struct lower *l, const struct type *type)
{
    bool is_variable = type->length == TYPE_LENGTH_VARIABLE;
    return is_variable ? lower_extent_value(l, type->extent) : lower_int(l, IR_I64, type->length);
}

struct ir_inst *lower_type_size(struct lower *l, const struct type *type)
{
    if (!type_is_variable(type)) {
        return lower_int(l, IR_I64, type->kind == TYPE_VOID || type->kind == TYPE_FUNCTION ? 1 : (int64_t)type->size);
    }
    if (type->length == TYPE_LENGTH_VARIABLE) {
        struct lower_extent *extent = pointer_map_get(&l->frame->extents, type->extent);
        if (extent != NULL) {
            return extent->size != NULL ? extent->size : ir_get(&l->b, extent->size_var);
        }
    }
    struct ir_inst *count = extent_count(l, type);
    return lower_binary(l, IR_OP_MUL, IR_I64, count, lower_type_size(l, type->base));
}

void lower_bind_extents(struct lower *l, const struct type *type, bool at_entry)
{
    if (type->kind == TYPE_POINTER) {
        lower_bind_extents(l, type->base, at_entry);
        return;
    }
    if (type->kind != TYPE_ARRAY || !type_is_variable(type)) {
        return;
    }
    lower_bind_extents(l, type->base, at_entry);
    if (type->length != TYPE_LENGTH_VARIABLE || type->extent == NULL) {
        return;
    }
    // A local may share the type of a parameter, by typeof: that one's extents were settled at the entry.
    const struct lower_extent *known = pointer_map_get(&l->frame->extents, type->extent);
    if (known != NULL && (at_entry || known->count != NULL)) {
        return;
    }
    struct lower_extent *extent = ARENA_NEW(l->arena, struct lower_extent);
    struct ir_inst *count = lower_widen(l, lower_value(l, type->extent), type->extent->type);
    struct ir_inst *size = lower_binary(l, IR_OP_MUL, IR_I64, count, lower_type_size(l, type->base));
    if (at_entry) {
        extent->count = count;
        extent->size = size;
    } else {
        extent->count_var = lower_temp(l, IR_I64);
        extent->size_var = lower_temp(l, IR_I64);
        ir_set(&l->b, extent->count_var, count);
        ir_set(&l->b, extent->size_var, size);
    }
    pointer_map_set(l->arena, &l->frame->extents, type->extent, extent);
}

// ---- elements ------------------------------------------------------------------------------------------------------

const char *lower_expr_name(struct lower *l, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_OBJECT: return e->object->name;
    case EXPR_DECAY:
    case EXPR_CAST: return lower_expr_name(l, e->a);
    case EXPR_PTR_ADD:
    case EXPR_DEREF: return lower_expr_name(l, e->a);
    case EXPR_MEMBER: {
        const char *record = lower_expr_name(l, e->a);
        if (e->member->name == NULL || record == NULL) {
            return e->member->name != NULL ? e->member->name : record;
        }
        bool is_arrow = e->a->kind == EXPR_DEREF && e->a->a->kind == EXPR_OBJECT;
        return arena_printf(l->arena, "%s%s%s", record, is_arrow ? "->" : ".", e->member->name);
    }
    default: return NULL;
    }
}

// The number of elements that |pointer| points to the first of; NULL if that is not known.
static struct ir_inst *known_extent(struct lower *l, const struct expr *pointer, const char **out_name)
{
    const struct expr *p = lower_strip(pointer);
    *out_name = lower_expr_name(l, p);
    if (p->kind == EXPR_DECAY && p->a->type->kind == TYPE_ARRAY) {
        bool is_open = p->a->type->length == TYPE_LENGTH_UNKNOWN || p->a->type->length == 0;
        return is_open ? NULL : extent_count(l, p->a->type);
    }
    if (p->kind == EXPR_OBJECT) {
        return lower_bind(l, p->object)->extent;
    }
    return NULL;
}

static struct ir_inst *emit_index(struct lower *l, struct ir_inst *base, struct ir_inst *index, struct ir_inst *stride,
                                  struct ir_inst *extent, const char *name)
{
    int64_t i;
    int64_t bytes;
    int64_t count = -1;
    if (lower_const_value(index, &i) && lower_const_value(stride, &bytes) &&
        (extent == NULL || (lower_const_value(extent, &count) && i >= 0 && i < count))) {
        return lower_offset(l, base, (int64_t)((uint64_t)i * (uint64_t)bytes));
    }
    if (extent == NULL) {
        extent = lower_int(l, IR_I64, -1);
    }
    struct ir_inst *args[] = {base, index, stride, extent};
    struct ir_inst *inst = ir_emit(&l->b, IR_OP_INDEX, IR_PTR, 4, args);
    inst->text = name;
    return inst;
}

struct ir_inst *lower_element(struct lower *l, const struct expr *e, bool is_access)
{
    struct ir_inst *base = lower_value(l, e->a);
    struct ir_inst *index = lower_widen(l, lower_value(l, e->b), e->b->type);
    lower_at(l, e->loc);
    const char *name;
    struct ir_inst *extent = known_extent(l, e->a, &name);
    struct ir_inst *stride = lower_type_size(l, e->a->type->base);
    struct ir_inst *element = emit_index(l, base, index, stride, is_access ? extent : NULL, name);
    if ((element->op == IR_OP_INDEX || element->op == IR_OP_OFFSET) && element->source == NULL) {
        element->source = expr_element_text(l->arena, e->a, e->b);
    }
    return element;
}

struct ir_inst *lower_target(struct lower *l, const struct expr *pointer)
{
    return pointer->kind == EXPR_PTR_ADD ? lower_element(l, pointer, true) : lower_value(l, pointer);
}

// ---- places --------------------------------------------------------------------------------------------------------

// The lvalue that |e| is a member or an element of; NULL: none.
static const struct expr *holder_of(const struct expr *e)
{
    if (e->kind == EXPR_MEMBER) {
        return e->a;
    }
    if (e->kind != EXPR_DEREF) {
        return NULL;
    }
    const struct expr *array = e->a->kind == EXPR_PTR_ADD ? e->a->a : e->a;
    return array->kind == EXPR_DECAY ? array->a : NULL;
}

// Whether an lvalue lies in a struct that is less aligned than its type.
static bool is_packed(const struct expr *e)
{
    bool is_less = false;
    for (const struct expr *holder; (holder = holder_of(e)) != NULL; e = holder) {
        is_less |= e->kind == EXPR_MEMBER && holder->type->align < e->type->align;
    }
    return is_less;
}

static struct lower_place memory_place(const struct expr *e, struct ir_inst *address)
{
    return (struct lower_place){
        .kind = PLACE_MEMORY,
        .inst = address,
        .type = e->type,
        .access = {.is_volatile = (e->type->quals & QUAL_VOLATILE) != 0,
                   .is_packed = is_packed(e) || (type_is_scalar(e->type) && e->type->align < e->type->size)},
    };
}

static struct lower_place member_place(struct lower *l, const struct expr *e)
{
    struct ir_inst *record = lower_address(l, e->a);
    lower_at(l, e->loc);
    struct lower_place place = memory_place(e, record);
    place.access.is_volatile |= (e->a->type->quals & QUAL_VOLATILE) != 0;
    if (e->member->is_bitfield) {
        place.bitfield = e->member;
        place.record_size = e->a->type->record->size;
        place.record_align = place.access.is_packed ? 1 : e->a->type->align;
    } else {
        place.inst = lower_offset(l, record, (int64_t)e->member->offset);
        place.inst->source = place.inst->source != NULL ? place.inst->source : record->source;
    }
    return place;
}

struct lower_place lower_place(struct lower *l, const struct expr *e)
{
    lower_at(l, e->loc);
    switch (e->kind) {
    case EXPR_OBJECT: return object_place(l, e->object);
    case EXPR_COMPOUND_LITERAL:
        if (e->object->kind == OBJECT_LOCAL) {
            lower_bind_new(l, e->object);
            lower_init_local(l, e->object);
        }
        return object_place(l, e->object);
    case EXPR_MEMBER: return member_place(l, e);
    case EXPR_DEREF: return memory_place(e, lower_target(l, e->a));
    case EXPR_STRING: {
        struct ir_inst *address = ir_emit0(&l->b, IR_OP_ADDR_GLOBAL, IR_PTR);
        address->global = lower_string(l, e);
        return memory_place(e, address);
    }
    default: return memory_place(e, lower_value(l, e)); // a struct that is a value: it stands somewhere
    }
}

struct ir_inst *lower_place_address(struct lower *l, const struct lower_place *place)
{
    (void)l;
    return place->inst;
}

struct ir_inst *lower_address(struct lower *l, const struct expr *e)
{
    struct lower_place place = lower_place(l, e);
    return lower_place_address(l, &place);
}

// ---- bit-fields ----------------------------------------------------------------------------------------------------

// The naturally aligned integer inside the record that holds all bits of a field: the smallest, so that a write touches
// no more than it must.
struct window {
    uint64_t offset;
    int size;  // bytes; 0: there is none, the field is put together from bytes
    int shift; // of the field's lowest bit
    int bytes; // that hold it
};

static struct window window_of(const struct lower_place *place)
{
    const struct member *m = place->bitfield;
    uint64_t first = m->offset * 8 + m->bit_offset;
    uint64_t end = first + m->bit_width;
    for (int size = 1; size <= 8; size *= 2) {
        uint64_t unit = (uint64_t)size * 8;
        if (first / unit == (end - 1) / unit && (first / unit + 1) * (uint64_t)size <= place->record_size) {
            return (struct window){
                .offset = first / unit * (uint64_t)size, .size = size, .shift = (int)(first % unit), .bytes = size};
        }
    }
    return (struct window){.offset = first / 8, .shift = (int)(first % 8), .bytes = (int)((end + 7) / 8 - first / 8)};
}

static enum ir_type int_of_size(int size)
{
    assert(size == 1 || size == 2 || size == 4 || size == 8);
    return size == 1 ? IR_I8 : size == 2 ? IR_I16 : size == 4 ? IR_I32 : IR_I64;
}

static struct ir_inst *resize(struct lower *l, struct ir_inst *value, enum ir_type type, bool is_signed)
{
    assert(ir_type_is_int(value->type) && ir_type_is_int(type));
    int grows = ir_type_size(type) - ir_type_size(value->type);
    if (grows == 0) {
        return value;
    }
    return lower_unary(l, grows < 0 ? IR_OP_TRUNC : is_signed ? IR_OP_SEXT : IR_OP_ZEXT, type, value);
}

static struct lower_access window_access(const struct lower_place *place, const struct window *w)
{
    struct lower_access access = place->access;
    access.is_packed |= place->record_align < (uint32_t)w->size;
    return access;
}

static struct ir_inst *window_load(struct lower *l, const struct lower_place *place, const struct window *w)
{
    struct ir_inst *address = lower_offset(l, place->inst, (int64_t)w->offset);
    if (w->size > 0) {
        return lower_load(l, int_of_size(w->size), address, window_access(place, w));
    }
    struct ir_inst *all = lower_int(l, IR_I64, 0);
    for (int i = 0; i < w->bytes && i < 8; i++) {
        struct ir_inst *byte = lower_load(l, IR_I8, lower_offset(l, address, i), place->access);
        struct ir_inst *wide = lower_unary(l, IR_OP_ZEXT, IR_I64, byte);
        wide = lower_binary(l, IR_OP_SHL, IR_I64, wide, lower_int(l, IR_I64, 8 * i));
        all = lower_binary(l, IR_OP_OR, IR_I64, all, wide);
    }
    return all;
}

static void window_store(struct lower *l, const struct lower_place *place, const struct window *w,
                         struct ir_inst *value)
{
    struct ir_inst *address = lower_offset(l, place->inst, (int64_t)w->offset);
    if (w->size > 0) {
        lower_store(l, address, value, window_access(place, w));
        return;
    }
    for (int i = 0; i < w->bytes && i < 8; i++) {
        struct ir_inst *byte = lower_binary(l, IR_OP_LSHR, IR_I64, value, lower_int(l, IR_I64, 8 * i));
        lower_store(l, lower_offset(l, address, i), lower_unary(l, IR_OP_TRUNC, IR_I8, byte), place->access);
    }
}

// The low |width| bits of |value|, extended by the field's sign.
static struct ir_inst *extend_field(struct lower *l, const struct member *m, struct ir_inst *value, int shift)
{
    int bits = 8 * ir_type_size(value->type);
    bool is_signed = !lower_is_unsigned(m->type);
    if (is_signed) {
        struct ir_inst *up = lower_int(l, value->type, bits - shift - m->bit_width);
        value = lower_binary(l, IR_OP_SHL, value->type, value, up);
        return lower_binary(l, IR_OP_ASHR, value->type, value, lower_int(l, value->type, bits - m->bit_width));
    }
    value = lower_binary(l, IR_OP_LSHR, value->type, value, lower_int(l, value->type, shift));
    if (m->bit_width == bits) {
        return value;
    }
    int64_t mask = (int64_t)((UINT64_C(1) << m->bit_width) - 1);
    return lower_binary(l, IR_OP_AND, value->type, value, lower_int(l, value->type, mask));
}

// A packed field of more than 56 bits may reach into a ninth byte, with as many bits as the first eight are shifted by.
static struct ir_inst *ninth_byte(struct lower *l, const struct lower_place *place, const struct window *w)
{
    return lower_offset(l, place->inst, (int64_t)w->offset + 8);
}

static struct ir_inst *read_nine_bytes(struct lower *l, const struct lower_place *place, const struct window *w)
{
    struct ir_inst *low = window_load(l, place, w);
    struct ir_inst *high = lower_load(l, IR_I8, ninth_byte(l, place, w), place->access);
    low = lower_binary(l, IR_OP_LSHR, IR_I64, low, lower_int(l, IR_I64, w->shift));
    high = lower_unary(l, IR_OP_ZEXT, IR_I64, high);
    high = lower_binary(l, IR_OP_SHL, IR_I64, high, lower_int(l, IR_I64, 64 - w->shift));
    return lower_binary(l, IR_OP_OR, IR_I64, low, high);
}

// |bits| are the field's, and no others.
static void write_ninth_byte(struct lower *l, const struct lower_place *place, const struct window *w,
                             struct ir_inst *bits)
{
    const struct member *m = place->bitfield;
    int count = w->shift + m->bit_width - 64;
    struct ir_inst *address = ninth_byte(l, place, w);
    struct ir_inst *old = lower_load(l, IR_I8, address, place->access);
    struct ir_inst *high = lower_binary(l, IR_OP_LSHR, IR_I64, bits, lower_int(l, IR_I64, 64 - w->shift));
    high = lower_unary(l, IR_OP_TRUNC, IR_I8, high);
    old = lower_binary(l, IR_OP_AND, IR_I8, old, lower_int(l, IR_I8, -(INT64_C(1) << count)));
    lower_store(l, address, lower_binary(l, IR_OP_OR, IR_I8, old, high), place->access);
}

static struct ir_inst *read_bitfield(struct lower *l, const struct lower_place *place)
{
    struct window w = window_of(place);
    struct ir_inst *value = w.bytes > 8 ? extend_field(l, place->bitfield, read_nine_bytes(l, place, &w), 0)
                                        : extend_field(l, place->bitfield, window_load(l, place, &w), w.shift);
    return resize(l, value, lower_type(place->type), !lower_is_unsigned(place->type));
}

static struct ir_inst *write_bitfield(struct lower *l, const struct lower_place *whole, struct ir_inst *value)
{
    struct lower_place around = *whole;
    const struct lower_place *place = &around;
    const struct member *m = place->bitfield;
    struct window w = window_of(place);
    around.access.is_around = true;
    struct ir_inst *old = window_load(l, place, &w);
    enum ir_type type = old->type;
    uint64_t mask = m->bit_width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << m->bit_width) - 1;
    struct ir_inst *bits = resize(l, value, type, false);
    bits = lower_binary(l, IR_OP_AND, type, bits, lower_int(l, type, (int64_t)mask));
    if (w.bytes > 8) {
        write_ninth_byte(l, place, &w, bits);
    }
    bits = lower_binary(l, IR_OP_SHL, type, bits, lower_int(l, type, w.shift));
    old = lower_binary(l, IR_OP_AND, type, old, lower_int(l, type, (int64_t)~(mask << w.shift)));
    window_store(l, place, &w, lower_binary(l, IR_OP_OR, type, old, bits));
    return m->type->kind == TYPE_BOOL ? value : extend_field(l, m, value, 0);
}

// ---- reading and writing -------------------------------------------------------------------------------------------

struct ir_inst *lower_place_read(struct lower *l, const struct lower_place *place)
{
    if (place->kind == PLACE_VALUE) {
        return place->inst;
    }
    if (place->kind == PLACE_VAR) {
        return ir_get(&l->b, place->var);
    }
    if (place->bitfield != NULL) {
        return read_bitfield(l, place);
    }
    if (type_is_record(place->type) && place->access.is_packed) { // from here on its address says nothing of that
        struct ir_inst *copy = lower_addr_var(l, lower_memory(l, "unpacked", place->type, l->b.loc));
        lower_copy_record(l, copy, place->inst, place->type, true);
        return copy;
    }
    if (!type_is_scalar(place->type)) {
        return place->inst;
    }
    return lower_load(l, lower_type(place->type), place->inst, place->access);
}

struct ir_inst *lower_place_write(struct lower *l, const struct lower_place *place, struct ir_inst *value)
{
    if (place->kind == PLACE_VAR) {
        ir_set(&l->b, place->var, value);
        return value;
    }
    if (place->bitfield != NULL) {
        return write_bitfield(l, place, value);
    }
    if (!type_is_scalar(place->type)) {
        lower_copy_record(l, place->inst, value, place->type, place->access.is_packed);
        return place->inst;
    }
    lower_store(l, place->inst, value, place->access);
    return value;
}
