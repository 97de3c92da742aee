// Instructions, folded where their operands are constants, so that the passes see `a[i][2]` as it was meant.
#include "lower/internal.h"

#include "base/half.h"

#include <assert.h>
#include <string.h>

void lower_at(struct lower *l, struct loc loc)
{
    if (loc.line != 0) {
        l->b.loc = loc;
    }
}

bool lower_enter(struct lower *l, struct loc loc)
{
    if (++l->depth <= LOWER_MAX_DEPTH) {
        return true;
    }
    if (!l->was_too_deep) {
        diag_error(l->diags, loc, "with the functions it calls this is nested more than %d levels deep",
                   LOWER_MAX_DEPTH);
        l->was_too_deep = true;
    }
    return false;
}

void lower_leave(struct lower *l)
{
    l->depth--;
}

bool lower_is_dead(const struct lower *l)
{
    return l->b.region->last != NULL && ir_op_is_terminator(l->b.region->last->op);
}

struct ir_inst *lower_int(struct lower *l, enum ir_type type, int64_t value)
{
    return ir_const(&l->b, type, value);
}

bool lower_const_value(const struct ir_inst *inst, int64_t *out_value)
{
    *out_value = inst->imm;
    return inst->op == IR_OP_CONST;
}

static bool constant_operand(const struct ir_inst *inst, union ir_value *out)
{
    if (inst->op == IR_OP_CONST) {
        out->i = inst->imm;
        return true;
    }
    if (inst->op == IR_OP_FCONST) {
        out->f = inst->fimm;
        return true;
    }
    return false;
}

static struct ir_inst *fold(struct lower *l, enum ir_op op, enum ir_type type, int count, struct ir_inst *const *args)
{
    assert(count >= 1 && count <= 3);
    union ir_value values[3];
    union ir_value result;
    for (int i = 0; i < count; i++) {
        if (!constant_operand(args[i], &values[i])) {
            return NULL;
        }
    }
    if (type == IR_PTR || args[0]->type == IR_PTR || !ir_fold(op, type, args[0]->type, values, &result)) {
        return NULL;
    }
    return ir_type_is_float(type) ? ir_fconst(&l->b, type, result.f) : ir_const(&l->b, type, result.i);
}

struct ir_inst *lower_unary(struct lower *l, enum ir_op op, enum ir_type type, struct ir_inst *x)
{
    assert(ir_op_arg_count(op) == 1 && ir_op_is_pure(op));
    // Widening in two steps is widening in one: unsigned values stay what they are.
    bool widens_twice = (op == IR_OP_SEXT || op == IR_OP_ZEXT) && x->op == IR_OP_ZEXT;
    if (widens_twice || (op == IR_OP_SEXT && x->op == IR_OP_SEXT)) {
        op = x->op;
        x = x->args[0];
    }
    struct ir_inst *folded = fold(l, op, type, 1, &x);
    return folded != NULL ? folded : ir_emit1(&l->b, op, type, x);
}

struct ir_inst *lower_binary(struct lower *l, enum ir_op op, enum ir_type type, struct ir_inst *x, struct ir_inst *y)
{
    assert(ir_op_arg_count(op) == 2 && ir_op_is_pure(op));
    struct ir_inst *args[] = {x, y};
    struct ir_inst *folded = fold(l, op, type, 2, args);
    return folded != NULL ? folded : ir_emit2(&l->b, op, type, x, y);
}

struct ir_inst *lower_select(struct lower *l, struct ir_inst *condition, struct ir_inst *x, struct ir_inst *y)
{
    assert(condition->type == IR_I1 && x->type == y->type);
    int64_t known;
    if (lower_const_value(condition, &known)) {
        return known != 0 ? x : y;
    }
    return ir_emit3(&l->b, IR_OP_SELECT, x->type, condition, x, y);
}

struct ir_inst *lower_not(struct lower *l, struct ir_inst *condition)
{
    assert(condition->type == IR_I1);
    return lower_binary(l, IR_OP_XOR, IR_I1, condition, lower_int(l, IR_I1, 1));
}

struct ir_inst *lower_is_nonzero(struct lower *l, struct ir_inst *value)
{
    assert(value->type != IR_VOID);
    if (value->type == IR_I1) {
        return value;
    }
    if (ir_type_is_float(value->type)) {
        return lower_binary(l, IR_OP_FNE, IR_I1, value, ir_fconst(&l->b, value->type, 0));
    }
    if (value->op == IR_OP_ZEXT && value->args[0]->type == IR_I1) {
        return value->args[0]; // a comparison that became an int and is asked for its truth
    }
    return lower_binary(l, IR_OP_NE, IR_I1, value, lower_int(l, value->type, 0));
}

struct ir_inst *lower_widen(struct lower *l, struct ir_inst *value, const struct type *from)
{
    assert(ir_type_is_int(value->type));
    if (value->type == IR_I64) {
        return value;
    }
    return lower_unary(l, lower_is_unsigned(from) ? IR_OP_ZEXT : IR_OP_SEXT, IR_I64, value);
}

static struct ir_inst *convert_from_int(struct lower *l, struct ir_inst *value, const struct type *from,
                                        enum ir_type to)
{
    bool is_unsigned = lower_is_unsigned(from);
    if (ir_type_is_float(to)) {
        return lower_unary(l, is_unsigned ? IR_OP_UITOFP : IR_OP_SITOFP, to, value);
    }
    if (to == IR_PTR) {
        int64_t known;
        if (lower_const_value(value, &known) && known == 0) {
            return lower_int(l, IR_PTR, 0);
        }
        return ir_emit1(&l->b, IR_OP_INTTOPTR, IR_PTR, lower_widen(l, value, from));
    }
    int grows = ir_type_size(to) - ir_type_size(value->type);
    if (grows == 0) {
        return value;
    }
    return lower_unary(l, grows < 0 ? IR_OP_TRUNC : is_unsigned ? IR_OP_ZEXT : IR_OP_SEXT, to, value);
}

struct ir_inst *lower_convert(struct lower *l, struct ir_inst *value, const struct type *from, const struct type *to)
{
    if (to->kind == TYPE_VOID || type_is_record(to)) {
        return value;
    }
    enum ir_type type = lower_type(to);
    if (to->kind == TYPE_BOOL) {
        return from->kind == TYPE_BOOL ? value : lower_unary(l, IR_OP_ZEXT, IR_I8, lower_is_nonzero(l, value));
    }
    if (type_is_integer(from)) {
        return convert_from_int(l, value, from, type);
    }
    if (from->kind == TYPE_POINTER) {
        if (type == IR_PTR) {
            return value;
        }
        struct ir_inst *address = ir_emit1(&l->b, IR_OP_PTRTOINT, IR_I64, value);
        return type == IR_I64 ? address : lower_unary(l, IR_OP_TRUNC, type, address);
    }
    if (ir_type_is_float(type)) {
        if (type == value->type) {
            return value;
        }
        bool is_between = ir_type_is_half(type) && ir_type_is_half(value->type);
        if (is_between) { // neither holds the other's values: by way of one that holds both
            value = lower_unary(l, IR_OP_FPEXT, IR_F32, value);
        }
        bool grows = ir_type_size(type) > ir_type_size(value->type);
        return lower_unary(l, grows ? IR_OP_FPEXT : IR_OP_FPTRUNC, type, value);
    }
    return lower_unary(l, lower_is_unsigned(to) ? IR_OP_FPTOUI : IR_OP_FPTOSI, type, value);
}

struct ir_inst *lower_math(struct lower *l, enum ir_math math, enum ir_type type, struct ir_inst *x, struct ir_inst *y)
{
    assert((unsigned)math < IR_MATH_COUNT);
    struct ir_inst *args[] = {x, y};
    struct ir_inst *inst = ir_emit(&l->b, IR_OP_MATH, type, y != NULL ? 2 : 1, args);
    inst->imm = math;
    return inst;
}

struct ir_inst *lower_offset(struct lower *l, struct ir_inst *address, int64_t offset)
{
    assert(address->type == IR_PTR);
    if (offset == 0) {
        return address;
    }
    if (address->op == IR_OP_OFFSET) {
        offset = (int64_t)((uint64_t)offset + (uint64_t)address->imm); // around, as addresses go
        address = address->args[0];
    }
    if (offset == 0) {
        return address;
    }
    struct ir_inst *inst = ir_emit1(&l->b, IR_OP_OFFSET, IR_PTR, address);
    inst->imm = offset;
    return inst;
}

// What a constant of the module holds at a known place; NULL if it is not known.
static struct ir_inst *load_constant(struct lower *l, enum ir_type type, const struct ir_inst *address)
{
    assert(address->type == IR_PTR);
    int64_t offset = address->op == IR_OP_OFFSET ? address->imm : 0;
    const struct ir_inst *base = address->op == IR_OP_OFFSET ? address->args[0] : address;
    const struct ir_global *global = base->op == IR_OP_ADDR_GLOBAL ? base->global : NULL;
    int size = ir_type_size(type);
    if (global == NULL || !global->is_const || type == IR_PTR || offset < 0 ||
        (uint64_t)offset + (uint64_t)size > global->size) {
        return NULL;
    }
    for (int i = 0; i < global->reloc_count; i++) {
        int64_t at = (int64_t)global->relocs[i].offset;
        if (at < offset + size && offset < at + 8) {
            return NULL;
        }
    }
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) {
        bits |= (uint64_t)ir_global_byte(global, (uint64_t)offset + (uint64_t)i) << (8 * i);
    }
    if (type == IR_F32) {
        uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return ir_fconst(&l->b, type, (double)value);
    }
    if (ir_type_is_half(type)) {
        return ir_fconst(&l->b, type, half_value((uint16_t)bits, type == IR_BF16));
    }
    if (type == IR_F64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return ir_fconst(&l->b, type, value);
    }
    return lower_int(l, type, (int64_t)bits);
}

struct ir_inst *lower_load(struct lower *l, enum ir_type type, struct ir_inst *address, struct lower_access access)
{
    assert(address->type == IR_PTR && type != IR_VOID);
    struct ir_inst *known = access.is_volatile ? NULL : load_constant(l, type, address);
    if (known != NULL) {
        return known;
    }
    struct ir_inst *inst = ir_emit1(&l->b, IR_OP_LOAD, type, address);
    inst->is_volatile = access.is_volatile;
    inst->is_packed = access.is_packed;
    inst->is_around = access.is_around;
    return inst;
}

struct ir_inst *lower_store(struct lower *l, struct ir_inst *address, struct ir_inst *value, struct lower_access access)
{
    assert(address->type == IR_PTR && value->type != IR_VOID);
    struct ir_inst *inst = ir_emit2(&l->b, IR_OP_STORE, value->type, address, value);
    inst->is_volatile = access.is_volatile;
    inst->is_packed = access.is_packed;
    inst->is_around = access.is_around;
    return inst;
}

void lower_copy(struct lower *l, struct ir_inst *to, struct ir_inst *from, uint64_t size, bool is_packed)
{
    assert(to->type == IR_PTR && from->type == IR_PTR);
    if (size > 0) {
        struct ir_inst *bytes = lower_int(l, IR_I64, (int64_t)size);
        ir_emit3(&l->b, IR_OP_COPY, IR_VOID, to, from, bytes)->is_packed = is_packed;
    }
}

// The alignment of what in a type is aligned most, packed or not: a copy of the whole may become copies of that.
static uint64_t most_aligned(const struct type *type)
{
    while (type->kind == TYPE_ARRAY) {
        type = type->base;
    }
    if (!type_is_record(type)) {
        return type->size;
    }
    uint64_t most = 1;
    for (int i = 0; i < type->record->member_count; i++) {
        uint64_t align = most_aligned(type->record->members[i].type);
        most = align > most ? align : most;
    }
    return most;
}

void lower_copy_record(struct lower *l, struct ir_inst *to, struct ir_inst *from, const struct type *type,
                       bool is_packed)
{
    lower_copy(l, to, from, type->size, is_packed || most_aligned(type) > type->align);
}

void lower_jump(struct lower *l, struct lower_target target)
{
    if (lower_is_dead(l)) {
        return;
    }
    struct ir_inst *inst = ir_emit0(&l->b, target.region < 0 ? IR_OP_BREAK : IR_OP_JUMP, IR_VOID);
    inst->target = target.inst;
    inst->imm = target.region < 0 ? 0 : target.region;
}

struct ir_var *lower_var(struct lower *l, const char *name, enum ir_type type)
{
    struct ir_var *var = ir_var_create(l->module, l->b.function, name, type);
    var->loc = l->b.loc;
    var->scope = l->scope;
    var->depth_key = l->scope_key;
    return var;
}

struct ir_var *lower_temp(struct lower *l, enum ir_type type)
{
    return lower_var(l, arena_printf(l->arena, ".t%d", ++l->temp_count), type);
}

struct ir_var *lower_memory(struct lower *l, const char *name, const struct type *type, struct loc loc)
{
    if (name == NULL) {
        name = arena_printf(l->arena, ".t%d", ++l->temp_count);
    }
    struct ir_var *var = lower_var(l, name, IR_VOID);
    var->is_memory = true;
    var->size = type->size;
    var->align = type->align > 0 ? type->align : 1;
    var->loc = loc;
    var->ctype = lower_ctype(l, type);
    return var;
}

struct ir_inst *lower_addr_var(struct lower *l, struct ir_var *var)
{
    assert(var->is_memory); // a scalar has no address
    struct ir_inst *inst = ir_emit0(&l->b, IR_OP_ADDR_VAR, IR_PTR);
    inst->var = var;
    return inst;
}

struct lower_saved_scope lower_enter_scope(struct lower *l, struct ir_inst *scope)
{
    struct lower_saved_scope saved = {l->scope, l->scope_key};
    l->scope = scope;
    l->scope_key = ++l->scope_count;
    return saved;
}

void lower_leave_scope(struct lower *l, struct lower_saved_scope saved)
{
    l->scope = saved.scope;
    l->scope_key = saved.key;
}
