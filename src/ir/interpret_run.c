#include "ir/arith.h"
#include "ir/interpret_code.h"
#include "ir/trip.h"

#include <assert.h>
#include <string.h>

static int32_t switch_cell(const struct switch_table *table, int64_t value)
{
    int low = 0;
    int high = table->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (table->cases[middle].value < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < table->count && table->cases[low].value == value ? table->cases[low].cell : table->otherwise;
}

static uint64_t next_garbage(struct interp *interp)
{
    uint64_t x = interp->poison_state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void interp_fill(struct interp *interp, unsigned char *memory, uint64_t size)
{
    if (size > 0) {
        memset(memory, interp->options.poison != 0 ? (int)(next_garbage(interp) & 0xff) : 0, size);
    }
}

// Garbage must still be a value of its type: i1 is 0 or 1, integers are sign-extended.
uint64_t interp_fresh_value(struct interp *interp, enum ir_type type)
{
    if (interp->options.poison == 0) {
        return 0;
    }
    int width = type == IR_I1 ? 1 : 8 * ir_type_size(type);
    return (uint64_t)arith_wrap(width, next_garbage(interp));
}

void interp_start_locals(struct interp *interp, struct interp_function *fn)
{
    for (int i = 0; i < fn->function->var_count; i++) {
        fn->regs[fn->var_reg + i] = interp_fresh_value(interp, fn->function->vars[i]->type);
    }
    interp_fill(interp, fn->memory, fn->memory_size);
}

static enum interp_outcome call(struct interp *interp, struct interp_function *fn, const struct cell *cell,
                                const struct ir_inst *inst)
{
    struct interp_function *callee = &interp->functions[cell->a];
    interp_start_locals(interp, callee);
    for (int i = 0; i < inst->arg_count; i++) {
        callee->regs[callee->param_reg + i] = fn->regs[interp_reg(fn, inst->args[i])];
    }
    uint64_t result = 0;
    enum interp_outcome outcome = interp_run(interp, callee, callee->body_cell, &result);
    if (cell->dst >= 0) {
        fn->regs[cell->dst] = result;
    }
    return outcome;
}

static bool is_inside(struct interp *interp, const struct ir_inst *inst, int64_t index, int64_t extent)
{
    if (index >= 0 && index < extent) {
        return true;
    }
    bool is_first = !interp->has_failed;
    interp_fail(interp, INTERP_BOUNDS, inst);
    if (is_first) {
        interp->failure.array = inst->text;
        interp->failure.index = index;
        interp->failure.extent = extent;
    }
    return false;
}

static bool index_checked(struct interp *interp, const struct ir_inst *inst, uint64_t *regs, const struct cell *cell,
                          int64_t extent)
{
    if (extent != -1 && !is_inside(interp, inst, (int64_t)regs[cell->b], extent)) {
        return false;
    }
    regs[cell->dst] = regs[cell->a] + regs[cell->b] * regs[cell->c];
    return true;
}

// Whether there is an iteration to run.
static bool for_start(const struct ir_inst *inst, uint64_t *regs, const struct cell *cell)
{
    assert(inst->op == IR_OP_FOR);
    const struct ir_for *loop = inst->loop;
    regs[cell->c] = 0;
    if (loop->recheck) {
        return true; // the recheck region decides
    }
    struct ir_trip trip = trip_of(loop);
    regs[cell->c + 1] = trip_count(&trip, (int64_t)regs[cell->a], (int64_t)regs[cell->b]);
    return regs[cell->c + 1] != 0;
}

static inline float f32(uint64_t reg)
{
    return arith_float((uint32_t)reg);
}

static inline double f64(uint64_t reg)
{
    return arith_double(reg);
}

static inline uint64_t of_f32(float value)
{
    return (uint64_t)(int64_t)(int32_t)arith_bits32(value);
}

// Names for one cell's operands, and one line for each simple code.
#define A regs[cell->a]
#define B regs[cell->b]
#define C regs[cell->c]
#define D regs[cell->dst]
#define SIMPLE(name, value)                                                                                            \
    case CODE_##name: D = (uint64_t)(value); break
#define WRAP32(value) (int64_t)(int32_t)(uint32_t)(value)
#define LOAD(name, type)                                                                                               \
    case CODE_##name: {                                                                                                \
        uint64_t address = A;                                                                                          \
        type value;                                                                                                    \
        if (address < INTERP_NULL_PAGE) {                                                                              \
            interp_fail(interp, INTERP_NULL, insts[cell - cells]);                                                     \
            goto failed;                                                                                               \
        }                                                                                                              \
        if (records) {                                                                                                 \
            interp_record(interp, insts[cell - cells], address, sizeof value,                                          \
                          insts[cell - cells]->atomic ? INTERP_ATOMIC : INTERP_READ);                                  \
        }                                                                                                              \
        memcpy(&value, (const void *)(uintptr_t)address, sizeof value);                                                \
        D = (uint64_t)(int64_t)value;                                                                                  \
        break;                                                                                                         \
    }
#define STORE(name, type)                                                                                              \
    case CODE_##name: {                                                                                                \
        uint64_t address = A;                                                                                          \
        type value = (type)B;                                                                                          \
        if (address < INTERP_NULL_PAGE) {                                                                              \
            interp_fail(interp, INTERP_NULL, insts[cell - cells]);                                                     \
            goto failed;                                                                                               \
        }                                                                                                              \
        if (records) {                                                                                                 \
            interp_record(interp, insts[cell - cells], address, sizeof value, INTERP_WRITE);                           \
        }                                                                                                              \
        memcpy((void *)(uintptr_t)address, &value, sizeof value);                                                      \
        break;                                                                                                         \
    }

enum interp_outcome interp_run(struct interp *interp, struct interp_function *fn, int entry, uint64_t *out_result)
{
    const struct cell *const cells = fn->cells.items;
    const struct ir_inst *const *const insts = fn->insts.items;
    uint64_t *const regs = fn->regs;
    const bool records = interp->options.record != NULL;
    const struct cell *cell = cells + entry;
    uint64_t left = interp->steps_left;
    for (;;) {
        if (left-- == 0) {
            interp->steps_left = 0;
            return INTERP_STEP_LIMIT;
        }
        switch ((enum code)cell->code) {
            SIMPLE(MOVE, A);
            SIMPLE(SELECT, A != 0 ? B : C);
            SIMPLE(ADD32, WRAP32(A + B));
            SIMPLE(SUB32, WRAP32(A - B));
            SIMPLE(MUL32, WRAP32(A * B));
            SIMPLE(SHL32, WRAP32(A << (B & 31)));
            SIMPLE(LSHR32, WRAP32((uint32_t)A >> (B & 31)));
            SIMPLE(ASHR32, arith_ashr((int64_t)A, B & 31));
            SIMPLE(ADD64, A + B);
            SIMPLE(SUB64, A - B);
            SIMPLE(MUL64, A * B);
            SIMPLE(SHL64, A << (B & 63));
            SIMPLE(LSHR64, A >> (B & 63));
            SIMPLE(ASHR64, arith_ashr((int64_t)A, B & 63));
            SIMPLE(SDIV, arith_wrap(cell->width, (uint64_t)arith_sdiv((int64_t)A, (int64_t)B)));
            SIMPLE(SREM, arith_srem((int64_t)A, (int64_t)B));
            SIMPLE(UDIV, arith_wrap(cell->width, arith_udiv(arith_unsigned(cell->width, (int64_t)A),
                                                            arith_unsigned(cell->width, (int64_t)B))));
            SIMPLE(UREM, arith_wrap(cell->width, arith_urem(arith_unsigned(cell->width, (int64_t)A),
                                                            arith_unsigned(cell->width, (int64_t)B))));
            SIMPLE(AND, A & B);
            SIMPLE(OR, A | B);
            SIMPLE(XOR, A ^ B);
            SIMPLE(SMIN, (int64_t)A < (int64_t)B ? A : B);
            SIMPLE(SMAX, (int64_t)A > (int64_t)B ? A : B);
            SIMPLE(UMIN, A < B ? A : B);
            SIMPLE(UMAX, A > B ? A : B);
            SIMPLE(EQ, A == B);
            SIMPLE(NE, A != B);
            SIMPLE(SLT, (int64_t)A < (int64_t)B);
            SIMPLE(SLE, (int64_t)A <= (int64_t)B);
            SIMPLE(SGT, (int64_t)A > (int64_t)B);
            SIMPLE(SGE, (int64_t)A >= (int64_t)B);
            SIMPLE(ULT, A < B);
            SIMPLE(ULE, A <= B);
            SIMPLE(UGT, A > B);
            SIMPLE(UGE, A >= B);
            SIMPLE(FADD32, of_f32(f32(A) + f32(B)));
            SIMPLE(FSUB32, of_f32(f32(A) - f32(B)));
            SIMPLE(FMUL32, of_f32(f32(A) * f32(B)));
            SIMPLE(FDIV32, of_f32(f32(A) / f32(B)));
            SIMPLE(FNEG32, of_f32(-f32(A)));
            SIMPLE(FMA32, of_f32(fmaf(f32(A), f32(B), f32(C))));
            SIMPLE(FADD64, arith_bits64(f64(A) + f64(B)));
            SIMPLE(FSUB64, arith_bits64(f64(A) - f64(B)));
            SIMPLE(FMUL64, arith_bits64(f64(A) * f64(B)));
            SIMPLE(FDIV64, arith_bits64(f64(A) / f64(B)));
            SIMPLE(FNEG64, arith_bits64(-f64(A)));
            SIMPLE(FMA64, arith_bits64(fma(f64(A), f64(B), f64(C))));
            SIMPLE(FEQ32, f32(A) == f32(B));
            SIMPLE(FNE32, f32(A) != f32(B));
            SIMPLE(FLT32, f32(A) < f32(B));
            SIMPLE(FLE32, f32(A) <= f32(B));
            SIMPLE(FGT32, f32(A) > f32(B));
            SIMPLE(FGE32, f32(A) >= f32(B));
            SIMPLE(FEQ64, f64(A) == f64(B));
            SIMPLE(FNE64, f64(A) != f64(B));
            SIMPLE(FLT64, f64(A) < f64(B));
            SIMPLE(FLE64, f64(A) <= f64(B));
            SIMPLE(FGT64, f64(A) > f64(B));
            SIMPLE(FGE64, f64(A) >= f64(B));
            SIMPLE(WRAP, arith_wrap(cell->width, A));
            SIMPLE(ZERO_EXTEND, arith_unsigned(cell->width, (int64_t)A)); // into a wider type: already sign-extended
            SIMPLE(INDEX, A + B * C);
            SIMPLE(OFFSET, A + (uint64_t)insts[cell - cells]->imm);
            LOAD(LOAD8, int8_t)
            LOAD(LOAD16, int16_t)
            LOAD(LOAD32, int32_t)
            LOAD(LOAD64, int64_t)
            STORE(STORE8, uint8_t)
            STORE(STORE16, uint16_t)
            STORE(STORE32, uint32_t)
            STORE(STORE64, uint64_t)
        case CODE_LOAD1: {
            uint64_t address = A;
            if (address < INTERP_NULL_PAGE) {
                interp_fail(interp, INTERP_NULL, insts[cell - cells]);
                goto failed;
            }
            interp_record(interp, insts[cell - cells], address, 1, INTERP_READ);
            D = *(const unsigned char *)(uintptr_t)address & 1;
            break;
        }
        case CODE_NO_WRAP:
            if (!interp_no_wrap(interp, fn, insts[cell - cells], cell, regs)) {
                goto failed;
            }
            break;
        case CODE_FOLD: interp_fold(insts[cell - cells], cell, regs); break;
        case CODE_MATH: interp_math(insts[cell - cells], cell, regs); break;
        case CODE_VUPDATE: interp_vupdate(insts[cell - cells], cell, regs); break;
        case CODE_INDEX_CHECKED: {
            const struct ir_inst *inst = insts[cell - cells];
            int64_t extent = (int64_t)regs[interp_reg(fn, inst->args[3])];
            if (!index_checked(interp, inst, regs, cell, extent)) {
                goto failed;
            }
            break;
        }
        case CODE_COPY:
        case CODE_FILL:
        case CODE_COMPARE:
        case CODE_UPDATE:
        case CODE_ATOMIC:
        case CODE_CAS:
            if (!interp_memory(interp, insts[cell - cells], cell, regs)) {
                goto failed;
            }
            break;
        case CODE_CALL: {
            interp->steps_left = left;
            enum interp_outcome outcome = call(interp, fn, cell, insts[cell - cells]);
            if (outcome != INTERP_DONE) {
                return outcome;
            }
            left = interp->steps_left;
            break;
        }
        case CODE_PRINT: {
            bool no_memory;
            if (!interp_print(interp, fn, insts[cell - cells], &no_memory)) {
                interp->steps_left = left;
                return no_memory ? INTERP_NO_MEMORY : INTERP_FAILED;
            }
            break;
        }
        case CODE_CHECK:
            if (!is_inside(interp, insts[cell - cells], (int64_t)regs[cell->a], (int64_t)regs[cell->b])) {
                goto failed;
            }
            break;
        case CODE_RACE:
            if (regs[cell->b] != 0) {
                interp_fail(interp, INTERP_ASSERT, insts[cell - cells]);
                goto failed;
            }
            break;
        case CODE_FAIL: interp_fail(interp, INTERP_ASSERT, insts[cell - cells]); goto failed;
        case CODE_JUMP: cell = cells + cell->dst; continue;
        case CODE_JUMP_ZERO:
            if (A == 0) {
                cell = cells + cell->dst;
                continue;
            }
            break;
        case CODE_SWITCH: cell = cells + switch_cell(&fn->switches.items[cell->b], (int64_t)A); continue;
        case CODE_RETURN:
            if (cell->a >= 0) {
                *out_result = A;
            }
            interp->steps_left = left;
            return INTERP_DONE;
        case CODE_FOR_START:
            if (!for_start(insts[cell - cells], regs, cell)) {
                cell = cells + cell->dst;
                continue;
            }
            break;
        case CODE_FOR_STEP:
        case CODE_FOR_NEXT: {
            A = (uint64_t)arith_wrap(cell->width, A + (uint64_t)insts[cell - cells]->loop->step);
            uint64_t k = ++regs[cell->c];
            if (cell->code == CODE_FOR_NEXT && k != regs[cell->c + 1]) {
                cell = cells + cell->dst;
                continue;
            }
            break;
        }
        case CODE_FOR_TELL: interp->options.loop(interp->options.user, insts[cell - cells], (int64_t)C); break;
        case CODE_FOR_LEAVE: interp->options.loop(interp->options.user, insts[cell - cells], -1); break;
        }
        cell++;
    }
failed:
    interp->steps_left = left;
    return INTERP_FAILED;
}
