// Fields, constants and strings: their bytes are evaluated here, addresses in them become relocations.
#include "lower/image.h"
#include "lower/internal.h"

#include "base/half.h"

#include <assert.h>
#include <string.h>

enum { MAX_POINTERS_SIZE = 64 << 20 }; // of an object that holds pointers and is initialised: it is never sparse

static const uint64_t max_globals_size = UINT64_C(1) << 30;

struct image {
    struct lower_image bytes;
    VEC(struct ir_reloc) relocs;
};

static void put_integer(struct image *image, uint64_t offset, uint64_t size, uint64_t value)
{
    assert(size <= sizeof value);
    uint8_t bytes[8];
    for (uint64_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    lower_image_put(&image->bytes, offset, bytes, size);
}

static void put_bitfield(struct image *image, uint64_t unit, const struct member *m, uint64_t value)
{
    for (int i = 0; i < m->bit_width; i++) {
        uint64_t bit = unit * 8 + m->bit_offset + (uint64_t)i;
        uint8_t mask = (uint8_t)(1U << (bit % 8));
        uint8_t *byte = lower_image_at(&image->bytes, bit / 8);
        *byte = (value >> i & 1) != 0 ? *byte | mask : *byte & (uint8_t)~mask;
    }
}

static void put_float(struct image *image, uint64_t offset, const struct type *type, double value)
{
    if (type->kind == TYPE_FLOAT) {
        float narrow = (float)value;
        lower_image_put(&image->bytes, offset, &narrow, sizeof narrow);
    } else if (type->kind == TYPE_F16 || type->kind == TYPE_BF16) {
        uint16_t half = half_bits(value, type->kind == TYPE_BF16);
        lower_image_put(&image->bytes, offset, &half, sizeof half);
    } else {
        lower_image_put(&image->bytes, offset, &value, sizeof value);
    }
}

static void drop_reloc(struct image *image, uint64_t offset)
{
    int kept = 0;
    for (int i = 0; i < image->relocs.count; i++) {
        if (image->relocs.items[i].offset != offset) {
            image->relocs.items[kept++] = image->relocs.items[i];
        }
    }
    image->relocs.count = kept;
}

static void put_address(struct lower *l, struct image *image, uint64_t offset, const struct init_store *store)
{
    struct const_address address;
    drop_reloc(image, offset);
    if (!const_eval_address(store->value, &address) || address.function != NULL) {
        diag_error(l->diags, store->loc,
                   address.function != NULL ? "a kernel cannot use a function pointer"
                                            : "this address is not a constant");
        return;
    }
    if (address.object == NULL && address.string == NULL) {
        put_integer(image, offset, 8, (uint64_t)address.offset);
        return;
    }
    struct ir_reloc reloc = {.offset = offset, .addend = address.offset};
    reloc.target = address.object != NULL ? lower_global(l, address.object) : lower_string(l, address.string);
    put_integer(image, offset, 8, 0);
    VEC_PUSH(l->arena, &image->relocs, reloc);
}

static void put_store(struct lower *l, struct image *image, uint64_t base, const struct init_store *store)
{
    uint64_t offset = base + store->offset;
    const struct type *type = store->type;
    const struct expr *value = store->value;
    while (value->kind == EXPR_CAST && type_is_record(type)) {
        value = value->a;
    }
    uint64_t size = store->bitfield != NULL ? 0 : type->size;
    if (offset + size > image->bytes.size) {
        return;
    }
    int64_t integer;
    double number;
    if (value->kind == EXPR_STRING && type->kind == TYPE_ARRAY) {
        lower_image_put(&image->bytes, offset, value->bytes, value->u < type->size ? value->u : type->size);
    } else if (value->kind == EXPR_COMPOUND_LITERAL && !type_is_scalar(type)) {
        for (int i = 0; i < value->object->init_count; i++) {
            put_store(l, image, offset, &value->object->inits[i]);
        }
    } else if (type->kind == TYPE_POINTER) {
        put_address(l, image, offset, store);
    } else if (type_is_integer(type) && const_eval_int(value, &integer)) {
        if (store->bitfield != NULL) {
            put_bitfield(image, offset, store->bitfield, (uint64_t)integer);
        } else {
            put_integer(image, offset, type->size, (uint64_t)integer);
        }
    } else if (type_is_float(type) && const_eval_float(value, &number)) {
        put_float(image, offset, type, number);
    } else {
        diag_error(l->diags, store->loc, "this initialiser is not a constant");
    }
}

static void evaluate(struct lower *l, const struct object *object, struct ir_global *global)
{
    struct image image = {0};
    lower_image_init(&image.bytes, l->arena, global->size);
    for (int i = 0; i < object->init_count; i++) {
        put_store(l, &image, 0, &object->inits[i]);
    }
    global->relocs = image.relocs.items;
    global->reloc_count = image.relocs.count;
    if (global->reloc_count > 0 && global->size > MAX_POINTERS_SIZE) {
        diag_error(l->diags, object->loc,
                   "'%s' is initialised with pointers and has %llu bytes; at most %d are possible", global->name,
                   (unsigned long long)global->size, MAX_POINTERS_SIZE);
        return;
    }
    lower_image_finish(&image.bytes, global);
    if (global->piece_count > 0 && global->is_const) { // a symbol of the image, spelt as every kind of code can
        char *name = arena_strdup(l->arena, global->name);
        for (char *at = name; *at != '\0'; at++) {
            *at = *at == '.' ? '$' : *at;
        }
        global->name = name;
    }
}

// Code reaches what a module holds by offsets of 32 bits. Said where the object is declared that is too much.
static bool has_room(struct lower *l, const struct object *object, uint64_t size)
{
    bool fits = size <= max_globals_size && l->globals_size <= max_globals_size - size;
    if (!fits && l->globals_size <= max_globals_size) {
        diag_error(l->diags, object->loc,
                   "fields and constants take more than 1 GiB with the %llu bytes of '%s': pass it as an array",
                   (unsigned long long)size, object->name != NULL ? object->name : "this literal");
    }
    l->globals_size = fits ? l->globals_size + size : max_globals_size + 1;
    return fits;
}

struct ir_global *lower_global(struct lower *l, const struct object *object)
{
    struct ir_global *global = pointer_map_get(&l->globals, object);
    if (global != NULL) {
        return global;
    }
    uint64_t size = object->type->size;
    for (int i = 0; i < object->init_count; i++) { // a flexible array member may be longer than its type
        uint64_t end = object->inits[i].offset + (object->inits[i].bitfield != NULL ? 0 : object->inits[i].type->size);
        size = end > size ? end : size;
    }
    const char *name = object->name != NULL ? object->name : arena_printf(l->arena, ".literal%d", l->string_count++);
    if (lower_name_is_taken(l, name)) { // constants of functions may share a name
        name = arena_printf(l->arena, "%s.%d", name, l->module->global_count);
    }
    global = ir_global_create(l->module, name, size, object->align > 0 ? object->align : 1);
    pointer_map_set(l->arena, &l->globals, object, global); // before its bytes: two may point to each other
    global->is_const = object->kind == OBJECT_CONSTANT || object->kind == OBJECT_LOCAL;
    global->loc = object->loc;
    global->ctype = lower_ctype(l, object->type);
    if (has_room(l, object, size) && object->init_count > 0) {
        evaluate(l, object, global);
    }
    return global;
}

static bool is_known(const struct init_store *store)
{
    int64_t integer;
    double number;
    if (store->value->kind == EXPR_STRING) {
        return store->type->kind == TYPE_ARRAY;
    }
    return type_is_integer(store->type) ? const_eval_int(store->value, &integer)
                                        : type_is_float(store->type) && const_eval_float(store->value, &number);
}

bool lower_is_table(const struct lower *l, const struct object *object)
{
    const struct type *type = object->type;
    while (type->kind == TYPE_ARRAY) {
        type = type->base;
    }
    const struct lower_object *use = lower_object(l, object);
    bool is_written = use != NULL && (use->is_assigned || use->is_addressed) && (type->quals & QUAL_CONST) == 0;
    if (object->kind != OBJECT_LOCAL || object->type->kind != TYPE_ARRAY || !object->has_init || is_written ||
        (type->quals & QUAL_VOLATILE) != 0 || type_is_variable(object->type)) {
        return false;
    }
    for (int i = 0; i < object->init_count; i++) {
        if (!is_known(&object->inits[i])) {
            return false;
        }
    }
    return true;
}

bool lower_name_is_taken(struct lower *l, const char *name)
{
    if (l->names.arena == NULL) {
        hash_map_init(&l->names, l->arena);
    }
    for (; l->named_count < l->module->global_count; l->named_count++) { // those that came since it was asked last
        struct ir_global *global = l->module->globals[l->named_count];
        hash_map_set(&l->names, global->name, strlen(global->name), global);
    }
    return hash_map_get(&l->names, name, strlen(name)) != NULL;
}

struct ir_global *lower_string(struct lower *l, const struct expr *e)
{
    struct ir_global *global = pointer_map_get(&l->strings, e);
    if (global != NULL) {
        return global;
    }
    uint64_t size = e->type->size > e->u ? e->type->size : e->u;
    global = ir_global_create(l->module, arena_printf(l->arena, ".string%d", l->string_count++), size, 1);
    pointer_map_set(l->arena, &l->strings, e, global);
    global->align = e->type->base->align;
    global->is_const = true;
    global->loc = e->loc;
    global->ctype = lower_ctype(l, e->type);
    global->bytes = arena_alloc(l->arena, size);
    memcpy(global->bytes, e->bytes, e->u);
    return global;
}

struct ir_inst *lower_constant(struct lower *l, const struct object *object)
{
    if (!type_is_arithmetic(object->type) || object->is_extern || (object->type->quals & QUAL_VOLATILE) != 0) {
        return NULL;
    }
    int64_t integer = 0;
    double number = 0;
    enum ir_type type = lower_type(object->type);
    if (ir_type_is_float(type)) {
        bool known =
            object->init_count == 0 || (object->init_count == 1 && const_eval_float(object->inits[0].value, &number));
        return known ? ir_fconst(&l->b, type, number) : NULL;
    }
    bool known =
        object->init_count == 0 || (object->init_count == 1 && const_eval_int(object->inits[0].value, &integer));
    return known && type != IR_VOID ? lower_int(l, type, integer) : NULL;
}
