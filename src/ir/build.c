#include "ir/ir.h"

#include "base/half.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

struct type_row {
    const char *name;
    int size;
};

static const struct type_row type_rows[] = {
#define IR_TYPE_ROW(name, text, size) [IR_##name] = {text, size},
    IR_TYPE_LIST(IR_TYPE_ROW)
#undef IR_TYPE_ROW
};

struct math_row {
    const char *name;
    int arg_count;
};

static const struct math_row math_rows[] = {
#define IR_MATH_ROW(name, text, args) [IR_MATH_##name] = {text, args},
    IR_MATH_LIST(IR_MATH_ROW)
#undef IR_MATH_ROW
};

// ---- tables --------------------------------------------------------------------------------------------------------

int ir_type_size(enum ir_type type)
{
    assert((unsigned)type <= IR_PTR);
    return type_rows[type].size;
}

const char *ir_type_name(enum ir_type type)
{
    return (unsigned)type <= IR_PTR ? type_rows[type].name : "?";
}

bool ir_type_is_int(enum ir_type type)
{
    return type >= IR_I1 && type <= IR_I64;
}

bool ir_type_is_half(enum ir_type type)
{
    return type == IR_F16 || type == IR_BF16;
}

bool ir_type_is_float(enum ir_type type)
{
    return type >= IR_F16 && type <= IR_F64;
}

const char *ir_math_name(enum ir_math math)
{
    return (unsigned)math < IR_MATH_COUNT ? math_rows[math].name : "?";
}

int ir_math_arg_count(enum ir_math math)
{
    assert((unsigned)math < IR_MATH_COUNT);
    return math_rows[math].arg_count;
}

// ---- creation ------------------------------------------------------------------------------------------------------

struct ir_module *ir_module_create(struct arena *arena)
{
    struct ir_module *module = ARENA_NEW(arena, struct ir_module);
    module->arena = arena;
    return module;
}

// Pointer lists of the contract are three fields, not a vector: this doubles one of them.
static void *grown(struct arena *arena, void *items, int count, int *capacity)
{
    if (count < *capacity) {
        return items;
    }
    *capacity = *capacity < 8 ? 8 : 2 * *capacity;
    void **larger = ARENA_ARRAY(arena, void *, *capacity);
    if (count > 0) {
        memcpy(larger, items, sizeof(void *) * (size_t)count);
    }
    return larger;
}

struct ir_function *ir_function_create(struct ir_module *module, enum ir_function_kind kind, const char *name)
{
    struct ir_function *function = ARENA_NEW(module->arena, struct ir_function);
    function->name = name;
    function->kind = kind;
    module->functions = grown(module->arena, module->functions, module->function_count, &module->function_capacity);
    module->functions[module->function_count++] = function;
    return function;
}

struct ir_global *ir_global_create(struct ir_module *module, const char *name, uint64_t size, uint32_t align)
{
    struct ir_global *global = ARENA_NEW(module->arena, struct ir_global);
    global->name = name;
    global->size = size;
    global->align = align;
    global->index = module->global_count;
    module->globals = grown(module->arena, module->globals, module->global_count, &module->global_capacity);
    module->globals[module->global_count++] = global;
    return global;
}

uint8_t ir_global_byte(const struct ir_global *global, uint64_t offset)
{
    assert(offset < global->size);
    if (global->bytes != NULL) {
        return global->bytes[offset];
    }
    int low = 0;
    int high = global->piece_count; // the piece is one of these, or there is none
    while (low < high) {
        int middle = low + (high - low) / 2;
        const struct ir_piece *piece = &global->pieces[middle];
        if (offset < piece->offset) {
            high = middle;
        } else if (offset - piece->offset >= piece->size) {
            low = middle + 1;
        } else {
            return piece->bytes[offset - piece->offset];
        }
    }
    return 0;
}

struct ir_var *ir_var_create(struct ir_module *module, struct ir_function *function, const char *name,
                             enum ir_type type)
{
    struct ir_var *var = ARENA_NEW(module->arena, struct ir_var);
    var->name = name;
    var->type = type;
    var->index = function->var_count;
    var->slot = -1;
    function->vars = grown(module->arena, function->vars, function->var_count, &function->var_capacity);
    function->vars[function->var_count++] = var;
    return var;
}

// ---- instructions --------------------------------------------------------------------------------------------------

static void link_last(struct ir_region *region, struct ir_inst *inst)
{
    assert((region->first == NULL) == (region->last == NULL));
    inst->parent = region;
    inst->prev = region->last;
    inst->next = NULL;
    if (region->last != NULL) {
        region->last->next = inst;
    } else {
        region->first = inst;
    }
    region->last = inst;
}

static void link_before(struct ir_inst *inst, struct ir_inst *where)
{
    assert(where->parent != NULL);
    inst->parent = where->parent;
    inst->prev = where->prev;
    inst->next = where;
    if (where->prev != NULL) {
        where->prev->next = inst;
    } else {
        where->parent->first = inst;
    }
    where->prev = inst;
}

void ir_append(struct ir_region *region, struct ir_inst *inst)
{
    link_last(region, inst);
}

struct ir_inst *ir_emit(struct ir_builder *b, enum ir_op op, enum ir_type type, int arg_count,
                        struct ir_inst *const *args)
{
    struct arena *arena = b->module->arena;
    struct ir_inst *inst = ARENA_NEW(arena, struct ir_inst);
    inst->op = op;
    inst->type = type;
    inst->loc = b->loc;
    inst->default_region = -1;
    inst->arg_count = arg_count;
    if (arg_count > 0) {
        inst->args = ARENA_ARRAY(arena, struct ir_inst *, arg_count);
        memcpy(inst->args, args, sizeof *args * (size_t)arg_count);
    }
    if (op == IR_OP_FOR) {
        inst->loop = ARENA_NEW(arena, struct ir_for);
    }
    inst->id = ir_has_result(inst) ? b->function->value_count++ : -1;
    if (b->before != NULL) {
        link_before(inst, b->before);
    } else {
        link_last(b->region, inst);
    }
    return inst;
}

struct ir_inst *ir_emit0(struct ir_builder *b, enum ir_op op, enum ir_type type)
{
    return ir_emit(b, op, type, 0, NULL);
}

struct ir_inst *ir_emit1(struct ir_builder *b, enum ir_op op, enum ir_type type, struct ir_inst *x)
{
    return ir_emit(b, op, type, 1, (struct ir_inst *const[]){x});
}

struct ir_inst *ir_emit2(struct ir_builder *b, enum ir_op op, enum ir_type type, struct ir_inst *x, struct ir_inst *y)
{
    return ir_emit(b, op, type, 2, (struct ir_inst *const[]){x, y});
}

struct ir_inst *ir_emit3(struct ir_builder *b, enum ir_op op, enum ir_type type, struct ir_inst *x, struct ir_inst *y,
                         struct ir_inst *z)
{
    return ir_emit(b, op, type, 3, (struct ir_inst *const[]){x, y, z});
}

int64_t ir_normalize(enum ir_type type, int64_t value)
{
    switch (type) {
    case IR_I1: return value & 1;
    case IR_I8: return (int8_t)value;
    case IR_I16: return (int16_t)value;
    case IR_I32: return (int32_t)value;
    default: return value;
    }
}

struct ir_inst *ir_const(struct ir_builder *b, enum ir_type type, int64_t value)
{
    assert(ir_type_is_int(type) || (type == IR_PTR && value == 0));
    struct ir_inst *inst = ir_emit0(b, IR_OP_CONST, type);
    inst->imm = ir_normalize(type, value);
    return inst;
}

struct ir_inst *ir_fconst(struct ir_builder *b, enum ir_type type, double value)
{
    assert(ir_type_is_float(type));
    struct ir_inst *inst = ir_emit0(b, IR_OP_FCONST, type);
    inst->fimm = type == IR_F32          ? (double)(float)value
                 : ir_type_is_half(type) ? half_round(value, type == IR_BF16)
                                         : value;
    return inst;
}

struct ir_inst *ir_get(struct ir_builder *b, struct ir_var *var)
{
    assert(!var->is_memory);
    struct ir_inst *inst = ir_emit0(b, IR_OP_GET, var->type);
    inst->var = var;
    return inst;
}

struct ir_inst *ir_set(struct ir_builder *b, struct ir_var *var, struct ir_inst *value)
{
    assert(!var->is_memory && value->type == var->type);
    struct ir_inst *inst = ir_emit1(b, IR_OP_SET, var->type, value);
    inst->var = var;
    return inst;
}

void ir_make_regions(struct ir_module *module, struct ir_inst *inst, int region_count)
{
    inst->regions = ARENA_ARRAY(module->arena, struct ir_region, region_count);
    inst->region_count = region_count;
    for (int i = 0; i < region_count; i++) {
        inst->regions[i].owner = inst;
    }
}

struct ir_inst *ir_control(struct ir_builder *b, enum ir_op op, struct ir_inst *arg, int region_count)
{
    assert(ir_op_has_regions(op) && region_count > 0);
    struct ir_inst *inst = ir_emit(b, op, IR_VOID, arg != NULL ? 1 : 0, &arg);
    ir_make_regions(b->module, inst, region_count);
    return inst;
}

struct ir_inst *ir_emit_for(struct ir_builder *b, struct ir_var *var, struct ir_inst *init, struct ir_inst *bound,
                            enum ir_op compare, int64_t step)
{
    struct ir_inst *inst = ir_emit2(b, IR_OP_FOR, IR_VOID, init, bound);
    ir_make_regions(b->module, inst, 1);
    inst->loop->var = var;
    inst->loop->compare = compare;
    inst->loop->step = step;
    return inst;
}

void ir_remove(struct ir_inst *inst)
{
    struct ir_region *region = inst->parent;
    if (region == NULL) {
        return;
    }
    if (inst->prev != NULL) {
        inst->prev->next = inst->next;
    } else {
        region->first = inst->next;
    }
    if (inst->next != NULL) {
        inst->next->prev = inst->prev;
    } else {
        region->last = inst->prev;
    }
    inst->parent = NULL;
    inst->prev = NULL;
    inst->next = NULL;
}

void ir_move_before(struct ir_inst *inst, struct ir_inst *where)
{
    assert(inst != where);
    if (inst == where) {
        return;
    }
    ir_remove(inst);
    link_before(inst, where);
}

bool ir_has_role(const struct ir_for *loop, const struct ir_var *var)
{
    for (int i = 0; i < loop->role_count; i++) {
        if (loop->roles[i].var == var) {
            return true;
        }
    }
    return false;
}
