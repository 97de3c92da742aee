#include "ir/interpret_code.h"

#include "base/format.h"
#include "base/half.h"
#include "ir/arith.h"

#include <assert.h>
#include <string.h>

// ---- registers and values ------------------------------------------------------------------------------------------

union ir_value interp_value_of(enum ir_type type, uint64_t reg)
{
    switch (type) {
    case IR_F16:
    case IR_BF16: return (union ir_value){.f = half_value((uint16_t)reg, type == IR_BF16)};
    case IR_F32: return (union ir_value){.f = arith_hold(arith_float((uint32_t)reg))};
    case IR_F64: return (union ir_value){.f = arith_double(reg)};
    default: return (union ir_value){.i = (int64_t)reg};
    }
}

uint64_t interp_reg_of(enum ir_type type, union ir_value value)
{
    switch (type) {
    case IR_F16:
    case IR_BF16: return (uint64_t)(int64_t)(int16_t)half_bits(value.f, type == IR_BF16);
    case IR_F32: return (uint64_t)(int64_t)(int32_t)arith_bits32(arith_held(value.f));
    case IR_F64: return arith_bits64(value.f);
    default: return (uint64_t)value.i;
    }
}

void interp_fold(const struct ir_inst *inst, const struct cell *cell, uint64_t *regs)
{
    const int32_t sources[3] = {cell->a, cell->b, cell->c};
    union ir_value args[3] = {{0}};
    union ir_value out = {0};
    for (int i = 0; i < inst->arg_count && i < 3; i++) {
        args[i] = interp_value_of(inst->args[i]->type, regs[sources[i]]);
    }
    ir_fold(inst->op, inst->type, inst->args[0]->type, args, &out);
    regs[cell->dst] = interp_reg_of(inst->type, out);
}

// Whether a * b fits 64 bits.
static bool product_fits(int64_t a, int64_t b)
{
    if (a == 0 || b == 0) {
        return true;
    }
    if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) {
        return false;
    }
    int64_t product = (int64_t)((uint64_t)a * (uint64_t)b);
    return product / b == a;
}

static bool result_fits(enum ir_op op, int64_t a, int64_t b)
{
    switch (op) {
    case IR_OP_ADD: return b >= 0 ? a <= INT64_MAX - b : a >= INT64_MIN - b;
    case IR_OP_SUB: return b >= 0 ? a >= INT64_MIN + b : a <= INT64_MAX + b;
    default: return product_fits(a, b);
    }
}

// The iteration number in init + iter * step, whose claim is about the sum in the integers: |*out_step|, too. NULL: it
// is another sum.
static const struct ir_inst *iteration_in(const struct ir_inst *inst, int64_t *out_step)
{
    const struct ir_inst *distance = inst->op == IR_OP_ADD ? inst->args[1] : NULL;
    *out_step = 1;
    if (distance != NULL && distance->op == IR_OP_MUL && distance->args[1]->op == IR_OP_CONST) {
        *out_step = distance->args[1]->imm;
        distance = distance->args[0];
    }
    bool is_cut = distance != NULL && distance->op == IR_OP_TRUNC && distance->args[0]->op == IR_OP_ITER;
    return is_cut ? distance->args[0] : NULL;
}

bool interp_no_wrap(struct interp *interp, const struct interp_function *fn, const struct ir_inst *inst,
                    const struct cell *cell, uint64_t *regs)
{
    int64_t a = (int64_t)regs[cell->a];
    if (inst->op == IR_OP_TRUNC) {
        regs[cell->dst] = (uint64_t)arith_wrap(cell->width, (uint64_t)a);
        return (int64_t)regs[cell->dst] == a || interp_fail(interp, INTERP_CLAIM, inst);
    }
    int64_t b = (int64_t)regs[cell->b];
    int64_t step;
    const struct ir_inst *iteration = iteration_in(inst, &step);
    if (iteration != NULL) {
        int64_t iter = (int64_t)regs[interp_reg(fn, iteration)];
        b = product_fits(iter, step) ? iter * step : INT64_MAX;
    }
    bool fits = result_fits(inst->op, a, b);
    uint64_t result = inst->op == IR_OP_ADD   ? (uint64_t)a + (uint64_t)b
                      : inst->op == IR_OP_SUB ? (uint64_t)a - (uint64_t)b
                                              : (uint64_t)a * (uint64_t)b;
    regs[cell->dst] = (uint64_t)arith_wrap(cell->width, result);
    return (fits && regs[cell->dst] == result) || interp_fail(interp, INTERP_CLAIM, inst);
}

void interp_math(const struct ir_inst *inst, const struct cell *cell, uint64_t *regs)
{
    union ir_value args[3] = {interp_value_of(inst->args[0]->type, regs[cell->a])};
    union ir_value out = {0};
    if (inst->arg_count > 1) {
        args[1] = interp_value_of(inst->args[1]->type, regs[cell->b]);
    }
    ir_fold_math((enum ir_math)inst->imm, inst->args[0]->type, args, &out);
    regs[cell->dst] = interp_reg_of(inst->type, out);
}

static uint64_t updated(const struct ir_inst *inst, uint64_t old, uint64_t operand)
{
    union ir_value out = {0};
    ir_fold_update(inst->update, inst->type, interp_value_of(inst->type, old),
                   interp_value_of(ir_update_takes_truth(inst->update) ? IR_I1 : inst->type, operand), &out);
    return interp_reg_of(inst->type, out);
}

// The new value of what an update changes. The cell of a fused one names the factors of its product.
static uint64_t updated_by_cell(const struct ir_inst *inst, const struct cell *cell, const uint64_t *regs, uint64_t old)
{
    if (!inst->fused) {
        return updated(inst, old, regs[cell->b]);
    }
    union ir_value args[3] = {interp_value_of(inst->type, regs[cell->b]), interp_value_of(inst->type, regs[cell->c]),
                              interp_value_of(inst->type, old)};
    if (inst->update == IR_UPDATE_SUB) {
        ir_fold(IR_OP_FNEG, inst->type, inst->type, args, &args[0]);
    }
    union ir_value out = {0};
    ir_fold(IR_OP_FMA, inst->type, inst->type, args, &out);
    return interp_reg_of(inst->type, out);
}

void interp_vupdate(const struct ir_inst *inst, const struct cell *cell, uint64_t *regs)
{
    regs[cell->dst] = updated_by_cell(inst, cell, regs, regs[cell->a]);
}

// ---- failures and records ------------------------------------------------------------------------------------------

bool interp_fail(struct interp *interp, enum interp_failure_kind kind, const struct ir_inst *inst)
{
    if (!interp->has_failed) {
        interp->has_failed = true;
        interp->failure =
            (struct interp_failure){.kind = kind,
                                    .text = kind == INTERP_ASSERT   ? inst->text
                                            : kind == INTERP_BOUNDS ? "an index is out of range"
                                            : kind == INTERP_CLAIM  ? "a result that is claimed to fit has wrapped"
                                                                    : "a null pointer is followed",
                                    .loc = inst->loc,
                                    .inst = inst,
                                    .iteration = interp->iteration};
    }
    return false;
}

void interp_record(struct interp *interp, const struct ir_inst *inst, uint64_t address, uint64_t size,
                   enum interp_access_kind kind)
{
    if (interp->options.record == NULL || size == 0) {
        return;
    }
    bool is_update = kind == INTERP_UPDATE || kind == INTERP_ATOMIC;
    bool is_bytes = !ir_op_is_element(inst->op); // also of what is printed
    struct interp_access access = {.address = (const void *)(uintptr_t)address,
                                   .size = size,
                                   .kind = kind,
                                   .update = is_update ? inst->update : IR_UPDATE_NONE,
                                   .type = is_bytes ? IR_VOID : inst->type,
                                   .inst = inst,
                                   .iteration = interp->iteration};
    interp->options.record(interp->options.user, &access);
}

// ---- memory --------------------------------------------------------------------------------------------------------

static uint64_t load(enum ir_type type, uint64_t address)
{
    int64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)address, (size_t)ir_type_size(type));
    int width = type == IR_I1 ? 1 : 8 * ir_type_size(type);
    return (uint64_t)arith_wrap(width, (uint64_t)value);
}

static void store(enum ir_type type, uint64_t address, uint64_t value)
{
    memcpy((void *)(uintptr_t)address, &value, (size_t)ir_type_size(type)); // little endian
}

static bool block_operation(struct interp *interp, const struct ir_inst *inst, const struct cell *cell, uint64_t *regs)
{
    assert(ir_op_is_bytes(inst->op));
    uint64_t to = regs[cell->a];
    uint64_t from = regs[cell->b];
    uint64_t size = regs[cell->c];
    bool has_source = ir_op_reads(inst->op);
    if (inst->op == IR_OP_COMPARE) {
        regs[cell->dst] = 0;
    }
    if (size == 0) {
        return true;
    }
    if (to < INTERP_NULL_PAGE || (has_source && from < INTERP_NULL_PAGE)) {
        return interp_fail(interp, INTERP_NULL, inst);
    }
    if (has_source) {
        interp_record(interp, inst, from, size, INTERP_READ);
    }
    interp_record(interp, inst, to, size, inst->op == IR_OP_COMPARE ? INTERP_READ : INTERP_WRITE);
    if (inst->op == IR_OP_COPY) {
        memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    } else if (inst->op == IR_OP_FILL) {
        memset((void *)(uintptr_t)to, (int)(from & 0xff), size);
    } else {
        // The sign is what C fixes; the value is made the same everywhere.
        int order = memcmp((const void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
        regs[cell->dst] = (uint64_t)(int64_t)((order > 0) - (order < 0));
    }
    return true;
}

static bool read_modify_write(struct interp *interp, const struct ir_inst *inst, const struct cell *cell,
                              uint64_t *regs)
{
    assert(ir_op_is_element(inst->op) && ir_op_reads(inst->op) && ir_op_writes(inst->op));
    uint64_t address = regs[cell->a];
    if (address < INTERP_NULL_PAGE) {
        return interp_fail(interp, INTERP_NULL, inst);
    }
    interp_record(interp, inst, address, (uint64_t)ir_type_size(inst->type),
                  inst->op == IR_OP_UPDATE ? INTERP_UPDATE : INTERP_ATOMIC);
    uint64_t old = load(inst->type, address);
    if (inst->op != IR_OP_CAS) {
        store(inst->type, address, updated_by_cell(inst, cell, regs, old));
    } else if (old == regs[cell->b]) { // by its bits, floats too
        store(inst->type, address, regs[cell->c]);
    }
    if (inst->op != IR_OP_UPDATE) {
        regs[cell->dst] = old;
    }
    return true;
}

bool interp_memory(struct interp *interp, const struct ir_inst *inst, const struct cell *cell, uint64_t *regs)
{
    return ir_op_is_bytes(inst->op) ? block_operation(interp, inst, cell, regs)
                                    : read_modify_write(interp, inst, cell, regs);
}

// ---- printf --------------------------------------------------------------------------------------------------------

// Records what the %s of a format read.
static bool record_texts(struct interp *interp, const struct ir_inst *inst, const uint64_t *cells)
{
    const char *at = inst->text;
    int used = 0;
    struct format_item item;
    while (format_next(&at, &item) == FORMAT_ITEM) {
        used += item.arg_count;
        if (item.is_literal || item.args[item.arg_count - 1] != FORMAT_TEXT || used > inst->arg_count) {
            continue;
        }
        uint64_t address = cells[used - 1];
        if (address > 0 && address < INTERP_NULL_PAGE) {
            return interp_fail(interp, INTERP_NULL, inst);
        }
        if (address != 0 && interp->options.record != NULL && memchr(item.start, '.', item.length) == NULL) {
            interp_record(interp, inst, address, strlen((const char *)(uintptr_t)address) + 1, INTERP_READ);
        }
    }
    return true;
}

static bool format_and_hand_over(struct interp *interp, const struct ir_inst *inst, const uint64_t *cells,
                                 struct arena *arena)
{
    jmp_buf escape;
    if (setjmp(escape) != 0) {
        return false;
    }
    arena->escape = &escape;
    struct str out;
    str_init(&out, arena);
    format_printf(&out, inst->text, cells, inst->arg_count, SIZE_MAX);
    interp->options.print(interp->options.user, interp->iteration, str_text(&out), out.length);
    return true;
}

bool interp_print(struct interp *interp, const struct interp_function *fn, const struct ir_inst *inst, bool *no_memory)
{
    enum { CELL_LIMIT = 256 };
    uint64_t cells[CELL_LIMIT];
    *no_memory = inst->arg_count > CELL_LIMIT;
    if (*no_memory) {
        return false;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        cells[i] = fn->regs[interp_reg(fn, inst->args[i])];
    }
    if (!record_texts(interp, inst, cells)) {
        return false;
    }
    if (interp->options.print == NULL) {
        return true;
    }
    struct arena arena;
    arena_init(&arena);
    *no_memory = !format_and_hand_over(interp, inst, cells, &arena);
    arena_finish(&arena);
    return !*no_memory;
}
