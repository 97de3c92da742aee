// Initialisers of locals: what no store covers is zero, so memory is filled first unless the stores cover all of it.
#include "lower/internal.h"

#include <assert.h>

static bool covers_all(const struct object *object)
{
    uint64_t end = 0;
    for (int i = 0; i < object->init_count; i++) {
        const struct init_store *store = &object->inits[i];
        bool is_short_text = store->value->kind == EXPR_STRING && store->value->u < store->type->size;
        if (store->bitfield != NULL || store->offset != end || is_short_text) {
            return false;
        }
        end += store->type->size;
    }
    return end == object->type->size;
}

static bool is_zero(const struct init_store *store)
{
    int64_t value;
    double number;
    if (type_is_integer(store->type)) {
        return const_eval_int(store->value, &value) && value == 0;
    }
    // -0.0 has a bit that is not zero.
    return type_is_float(store->type) && const_eval_float(store->value, &number) && number == 0 && 1 / number > 0;
}

static void copy_text(struct lower *l, struct ir_inst *address, const struct init_store *store)
{
    assert(store->value->kind == EXPR_STRING);
    uint64_t size = store->value->u < store->type->size ? store->value->u : store->type->size;
    struct ir_inst *text = ir_emit0(&l->b, IR_OP_ADDR_GLOBAL, IR_PTR);
    text->global = lower_string(l, store->value);
    lower_copy(l, address, text, size, false);
}

static struct ir_inst *address_of(struct lower *l, const struct lower_binding *binding)
{
    if (binding->kind == BIND_MEMORY) {
        return lower_addr_var(l, binding->var);
    }
    assert(binding->kind == BIND_SCRATCH);
    struct ir_inst *address = ir_emit0(&l->b, IR_OP_PARAM, IR_PTR);
    address->imm = binding->param;
    return address;
}

// An array of the launch is large: a loop over its scalars, which is a task like others.
static void fill_scratch(struct lower *l, const struct object *object, const struct lower_binding *binding)
{
    const struct type *element = object->type;
    while (element->kind == TYPE_ARRAY) {
        element = element->base;
    }
    enum ir_type type = lower_type(element);
    type = type == IR_VOID || type == IR_PTR ? IR_I8 : type;
    int64_t count = (int64_t)object->type->size / ir_type_size(type);
    struct ir_var *var = lower_temp(l, IR_I64);
    struct ir_inst *first = lower_int(l, IR_I64, 0);
    struct ir_inst *bound = lower_int(l, IR_I64, count);
    struct ir_inst *loop = ir_emit_for(&l->b, var, first, bound, IR_OP_SLT, 1);
    struct ir_region *outer = l->b.region;
    struct lower_saved_scope saved = lower_enter_scope(l, loop);
    l->b.region = &loop->regions[0];
    struct ir_inst *base = address_of(l, binding);
    struct ir_inst *index = ir_get(&l->b, var);
    struct ir_inst *stride = lower_int(l, IR_I64, ir_type_size(type));
    struct ir_inst *args[] = {base, index, stride, bound};
    struct ir_inst *place = ir_emit(&l->b, IR_OP_INDEX, IR_PTR, 4, args);
    struct ir_inst *zero = ir_type_is_float(type) ? ir_fconst(&l->b, type, 0) : lower_int(l, type, 0);
    lower_store(l, place, zero, (struct lower_access){0});
    lower_leave_scope(l, saved);
    l->b.region = outer;
}

static void init_memory(struct lower *l, const struct object *object, const struct lower_binding *binding)
{
    bool is_filled = !covers_all(object);
    if (is_filled && binding->kind == BIND_SCRATCH) {
        fill_scratch(l, object, binding);
    } else if (is_filled && object->type->size > 0) {
        struct ir_inst *size = lower_int(l, IR_I64, (int64_t)object->type->size);
        struct ir_inst *zero = lower_int(l, IR_I8, 0);
        ir_emit3(&l->b, IR_OP_FILL, IR_VOID, address_of(l, binding), zero, size);
    }
    uint64_t written = 0; // up to here a store has been made: a zero there must be stored too
    for (int i = 0; i < object->init_count; i++) {
        const struct init_store *store = &object->inits[i];
        if (is_filled && store->offset >= written && is_zero(store)) {
            continue;
        }
        written = store->offset + store->type->size > written ? store->offset + store->type->size : written;
        lower_at(l, store->loc);
        struct lower_place place = {.kind = PLACE_MEMORY, .type = store->type, .bitfield = store->bitfield};
        place.access.is_volatile = ((object->type->quals | store->type->quals) & QUAL_VOLATILE) != 0;
        if (store->value->kind == EXPR_STRING) {
            copy_text(l, lower_offset(l, address_of(l, binding), (int64_t)store->offset), store);
            continue;
        }
        struct ir_inst *value = lower_value(l, store->value);
        lower_at(l, store->loc);
        place.inst = address_of(l, binding);
        if (store->bitfield != NULL) {
            // |offset| is that of the storage unit; the place wants the start of the record.
            place.inst = lower_offset(l, place.inst, (int64_t)(store->offset - store->bitfield->offset));
            place.record_size = object->type->size - (store->offset - store->bitfield->offset);
        } else {
            place.inst = lower_offset(l, place.inst, (int64_t)store->offset);
        }
        lower_place_write(l, &place, value);
    }
}

void lower_init_local(struct lower *l, const struct object *object)
{
    struct lower_binding *binding = lower_bind(l, object);
    lower_at(l, object->loc);
    if (binding->kind == BIND_MEMORY || binding->kind == BIND_SCRATCH) {
        init_memory(l, object, binding);
        return;
    }
    struct ir_inst *value = NULL;
    for (int i = 0; i < object->init_count; i++) {
        value = lower_value(l, object->inits[i].value);
    }
    if (value == NULL) {
        enum ir_type type = lower_type(object->type);
        value = ir_type_is_float(type) ? ir_fconst(&l->b, type, 0) : lower_int(l, type, 0);
    }
    lower_at(l, object->loc);
    ir_set(&l->b, binding->var, value);
}
