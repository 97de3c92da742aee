// The form the interpreter runs: each function is an array of cells over an array of 64-bit registers, one for each
// value, parameter and scalar variable. There is no recursion, so a function's registers and local memory exist once.
//
// A register holds an integer sign-extended (i1: 0 or 1), an address, a double's bits, or a float's 32 bits
// sign-extended. With that, comparisons, and, or, xor, min and max are the same operation for every width.
#ifndef RILL_IR_INTERPRET_CODE_H
#define RILL_IR_INTERPRET_CODE_H

#include "ir/interpret.h"

#include "base/vec.h"

#define CODE_LIST(X)                                                                                                   \
    X(MOVE)                                                                                                            \
    X(SELECT)                                                                                                          \
    X(ADD32)                                                                                                           \
    X(SUB32)                                                                                                           \
    X(MUL32)                                                                                                           \
    X(SHL32)                                                                                                           \
    X(LSHR32)                                                                                                          \
    X(ASHR32)                                                                                                          \
    X(ADD64)                                                                                                           \
    X(SUB64)                                                                                                           \
    X(MUL64)                                                                                                           \
    X(SHL64)                                                                                                           \
    X(LSHR64)                                                                                                          \
    X(ASHR64)                                                                                                          \
    X(SDIV)                                                                                                            \
    X(SREM)                                                                                                            \
    X(UDIV)                                                                                                            \
    X(UREM) /* results wrapped to the cell's width */                                                                  \
    X(AND)                                                                                                             \
    X(OR)                                                                                                              \
    X(XOR)                                                                                                             \
    X(SMIN)                                                                                                            \
    X(SMAX)                                                                                                            \
    X(UMIN)                                                                                                            \
    X(UMAX)                                                                                                            \
    X(EQ)                                                                                                              \
    X(NE)                                                                                                              \
    X(SLT)                                                                                                             \
    X(SLE)                                                                                                             \
    X(SGT)                                                                                                             \
    X(SGE)                                                                                                             \
    X(ULT)                                                                                                             \
    X(ULE)                                                                                                             \
    X(UGT)                                                                                                             \
    X(UGE)                                                                                                             \
    X(FADD32)                                                                                                          \
    X(FSUB32)                                                                                                          \
    X(FMUL32)                                                                                                          \
    X(FDIV32)                                                                                                          \
    X(FNEG32)                                                                                                          \
    X(FMA32)                                                                                                           \
    X(FADD64)                                                                                                          \
    X(FSUB64)                                                                                                          \
    X(FMUL64)                                                                                                          \
    X(FDIV64)                                                                                                          \
    X(FNEG64)                                                                                                          \
    X(FMA64)                                                                                                           \
    X(FEQ32)                                                                                                           \
    X(FNE32)                                                                                                           \
    X(FLT32)                                                                                                           \
    X(FLE32)                                                                                                           \
    X(FGT32)                                                                                                           \
    X(FGE32)                                                                                                           \
    X(FEQ64)                                                                                                           \
    X(FNE64)                                                                                                           \
    X(FLT64)                                                                                                           \
    X(FLE64)                                                                                                           \
    X(FGT64)                                                                                                           \
    X(FGE64)                                                                                                           \
    X(WRAP)                                                                                                            \
    X(ZERO_EXTEND) /* to, from the cell's width */                                                                     \
    X(NO_WRAP)     /* add, sub, mul whose result is claimed to fit */                                                  \
    X(FOLD)        /* any other pure operation, by ir_fold */                                                          \
    X(MATH)                                                                                                            \
    X(INDEX)                                                                                                           \
    X(INDEX_CHECKED)                                                                                                   \
    X(CHECK)                                                                                                           \
    X(RACE)                                                                                                            \
    X(OFFSET)                                                                                                          \
    X(LOAD1)                                                                                                           \
    X(LOAD8)                                                                                                           \
    X(LOAD16)                                                                                                          \
    X(LOAD32)                                                                                                          \
    X(LOAD64)                                                                                                          \
    X(STORE8)                                                                                                          \
    X(STORE16)                                                                                                         \
    X(STORE32)                                                                                                         \
    X(STORE64)                                                                                                         \
    X(COPY)                                                                                                            \
    X(FILL)                                                                                                            \
    X(COMPARE)                                                                                                         \
    X(UPDATE)                                                                                                          \
    X(VUPDATE)                                                                                                         \
    X(ATOMIC)                                                                                                          \
    X(CAS)                                                                                                             \
    X(CALL)                                                                                                            \
    X(PRINT)                                                                                                           \
    X(FAIL)                                                                                                            \
    X(JUMP)                                                                                                            \
    X(JUMP_ZERO)                                                                                                       \
    X(SWITCH)                                                                                                          \
    X(RETURN)                                                                                                          \
    X(FOR_START) /* a: init, b: bound, c: first of 2 temporaries (k, trip count); to dst if there is no iteration */   \
    X(FOR_NEXT)  /* a: counter, c: temporaries; to dst if there is another iteration */                                \
    X(FOR_STEP)  /* a: counter, c: temporaries: recheck loops */                                                       \
    X(FOR_TELL)                                                                                                        \
    X(FOR_LEAVE)

enum code {
#define CODE_ENUM(name) CODE_##name,
    CODE_LIST(CODE_ENUM)
#undef CODE_ENUM
};

struct cell {
    uint16_t code;
    uint16_t width; // in bits, where it matters
    int32_t dst;    // a register, or the cell to go to
    int32_t a, b, c;
};

struct switch_case {
    int64_t value;
    int32_t cell;
};

struct switch_table {
    struct switch_case *cases; // sorted by value
    int count;
    int32_t otherwise;
};

struct interp_slot { // a register that holds an address in the launch block
    int reg;
    int64_t offset;
};

struct interp_function {
    const struct ir_function *function;
    VEC(struct cell) cells;
    VEC(const struct ir_inst *) insts; // of each cell
    VEC(struct switch_table) switches;
    VEC(struct interp_slot) slots;
    VEC(int) fresh; // registers of the variables that an iteration of a task starts without
    VEC(struct interp_var_memory {
        uint64_t offset;
        uint64_t size;
    })
    fresh_memory;
    int prologue_cell;
    int body_cell;
    int reg_count;
    int param_reg; // the first parameter's
    int var_reg;   // the first variable's
    int iter_reg;
    int iter_count_reg;
    int partials_reg;
    uint64_t *regs;        // owned by the arena
    unsigned char *memory; // owned: the memory variables
    uint64_t memory_size;
};

enum { INTERP_MAX_SCRATCH = 1 << 30 };

struct interp_scratch {
    struct interp_scratch *next;
    unsigned char *memory; // owned
};

struct interp {
    struct arena arena;
    const struct ir_module *module; // borrowed
    struct interp_options options;
    struct interp_function *functions; // as in the module
    unsigned char **globals;           // owned: as in the module
    struct interp_failure failure;
    bool has_failed;
    int64_t iteration;
    uint64_t steps_left;
    uint64_t step_count;
    uint64_t poison_state;
    struct interp_scratch *scratch; // owned: of the kernel that runs
};

// Fills |fn| for |function|. The frame exists already: registers of constants and addresses are set here.
void interp_compile(struct interp *interp, struct interp_function *fn);
int interp_function_index(const struct interp *interp, const struct ir_function *function);

// ---- interpret_run.c

enum { INTERP_NULL_PAGE = 4096 }; // lower addresses are taken for null

// Runs from a cell to its `return`.
enum interp_outcome interp_run(struct interp *interp, struct interp_function *fn, int entry, uint64_t *out_result);
void interp_start_locals(struct interp *interp, struct interp_function *fn);
uint64_t interp_fresh_value(struct interp *interp, enum ir_type type);
void interp_fill(struct interp *interp, unsigned char *memory, uint64_t size);

// ---- interpret_slow.c: what is too large for the loop over cells; false if the iteration ends here

bool interp_fail(struct interp *interp, enum interp_failure_kind kind, const struct ir_inst *inst);
void interp_record(struct interp *interp, const struct ir_inst *inst, uint64_t address, uint64_t size,
                   enum interp_access_kind kind);
bool interp_no_wrap(struct interp *interp, const struct interp_function *fn, const struct ir_inst *inst,
                    const struct cell *cell, uint64_t *regs);
void interp_fold(const struct ir_inst *inst, const struct cell *cell, uint64_t *regs);
void interp_math(const struct ir_inst *inst, const struct cell *cell, uint64_t *regs);
void interp_vupdate(const struct ir_inst *inst, const struct cell *cell, uint64_t *regs);
bool interp_memory(struct interp *interp, const struct ir_inst *inst, const struct cell *cell, uint64_t *regs);
bool interp_print(struct interp *interp, const struct interp_function *fn, const struct ir_inst *inst, bool *no_memory);
union ir_value interp_value_of(enum ir_type type, uint64_t reg);
uint64_t interp_reg_of(enum ir_type type, union ir_value value);
// The register that holds an instruction's value.
int interp_reg(const struct interp_function *fn, const struct ir_inst *inst);

#endif
