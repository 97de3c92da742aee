// The IR: structured control flow over instructions with one result each. Instructions point at the instructions whose
// values they use. A value may be used in the region that defines it, after it, and in the regions nested there.
// Mutable scalars are variables read by `get` and written by `set`; whatever has an address is memory.
//
// Arithmetic is defined for all operands, as language.md §6 says; no operation traps. Everything lives in one arena.
//
// A module holds functions of four kinds:
//   kernel   as lowered from the source, kernels called by it and most helpers inlined. Executed serially it is the
//            meaning of the program. `for` carries what the passes found out about a loop.
//   helper   called by `call`; left only where inlining would grow the code too much.
//   task     made by the offload pass from a piece of a kernel: `prologue` runs once for each call, `body` once for
//            each iteration `iter` in [lo, hi). A serial task is called once, with the range [0, 1).
//   finish   the end of a task's reductions: called once, `iter_count` is the number of partial records.
#ifndef RILL_IR_IR_H
#define RILL_IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/loc.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

// X(NAME, "name", bytes)
#define IR_TYPE_LIST(X)                                                                                                \
    X(VOID, "void", 0)                                                                                                 \
    X(I1, "i1", 1)                                                                                                     \
    X(I8, "i8", 1)                                                                                                     \
    X(I16, "i16", 2)                                                                                                   \
    X(I32, "i32", 4)                                                                                                   \
    X(I64, "i64", 8)                                                                                                   \
    X(F16, "f16", 2)                                                                                                   \
    X(BF16, "bf16", 2)                                                                                                 \
    X(F32, "f32", 4)                                                                                                   \
    X(F64, "f64", 8)                                                                                                   \
    X(PTR, "ptr", 8)

enum ir_type {
#define IR_TYPE_ENUM(name, text, size) IR_##name,
    IR_TYPE_LIST(IR_TYPE_ENUM)
#undef IR_TYPE_ENUM
};

// What an operation may do, wherever it stands. Whoever asks "does it write?" asks ir_op_writes(), and so on; nobody
// lists operations for it.
enum ir_op_property {
    IR_PURE = 1 << 0,     // gives a value; no effect, no memory and no variable: may be moved, merged, dropped
    IR_GIVES = 1 << 1,    // gives a value (`call`: unless its type is void), though it is not pure
    IR_GETS = 1 << 2,     // reads the scalar |var|
    IR_SETS = 1 << 3,     // assigns the scalar |var|
    IR_READS = 1 << 4,    // may read memory
    IR_WRITES = 1 << 5,   // may write memory: at args[0], but for a `call`
    IR_ELEMENT = 1 << 6,  // its memory is one element, of type T, at args[0]
    IR_BYTES = 1 << 7,    // its memory is args[2] bytes at args[0], and at args[1] if it also reads
    IR_UPDATES = 1 << 8,  // has an |update|
    IR_ATOMIC = 1 << 9,   // always atomic; an `update` is where |atomic| says so
    IR_FAILS = 1 << 10,   // may end the iteration with an error: see ir_may_fail
    IR_ENDS = 1 << 11,    // a terminator: nothing after it in its region runs
    IR_REGIONS = 1 << 12, // has regions
    IR_REPEATS = 1 << 13, // may run what is in its regions several times
};

// The families that are typed, folded and compiled alike.
enum ir_op_group {
    IR_GROUP_LEAF,          // no operands
    IR_GROUP_NEST,          // the iteration number of a nest taken apart
    IR_GROUP_ASSIGN,        // assigns a scalar variable
    IR_GROUP_INTEGER,       // operands and result T, integers
    IR_GROUP_BITS,          // one operand and result T, integers
    IR_GROUP_FLOAT,         // operands and result T, floats
    IR_GROUP_COMPARE,       // integers or ptr to i1
    IR_GROUP_FLOAT_COMPARE, // floats to i1
    IR_GROUP_CONVERT,       // one operand, to T
    IR_GROUP_SELECT,
    IR_GROUP_MATH,
    IR_GROUP_ADDRESS, // ptr args[0] moved
    IR_GROUP_MEMORY,  // accesses memory at ptr args[0]
    IR_GROUP_CALL,    // calls and failures
    IR_GROUP_NESTED,  // control with regions
    IR_GROUP_LEAVE,   // control that leaves regions
    IR_GROUP_BARRIER,
};

// X(NAME, "name", operands or -1 for any number, group, properties, "what it does"). Operands are inst->args. "T" is
// inst->type.
#define IR_OP_LIST(X)                                                                                                  \
    /* values */                                                                                                       \
    X(CONST, "const", 0, LEAF, IR_PURE, "the integer |imm| of type T; of type ptr: null")                              \
    X(FCONST, "fconst", 0, LEAF, IR_PURE, "the float |fimm| of type T")                                                \
    X(PARAM, "param", 0, LEAF, IR_PURE,                                                                                \
      "the kernel's or helper's parameter number |imm|; a struct by value is a ptr to read-only memory")               \
    X(GET, "get", 0, LEAF, IR_GETS | IR_GIVES, "the value of the scalar variable |var|")                               \
    X(SET, "set", 1, ASSIGN, IR_SETS, "stores args[0] into the scalar variable |var|")                                 \
    X(ADDR_VAR, "addr_var", 0, LEAF, IR_PURE, "the address of the memory variable |var|")                              \
    X(ADDR_GLOBAL, "addr_global", 0, LEAF, IR_PURE, "the address of |global|")                                         \
    X(ADDR_SLOT, "addr_slot", 0, LEAF, IR_PURE, "task: the address of byte |imm| of the launch block")                 \
    X(ITER, "iter", 0, LEAF, IR_PURE, "task: the iteration number, i64, from 0")                                       \
    X(NEST_ITER, "nest_iter", -1, NEST, IR_PURE,                                                                       \
      "task: the own iteration number, i64, of loop |imm| (0: the outermost) of a nest that is one space of "          \
      "iterations; args are the trip counts of its loops 1, 2, …, values of the prologue")                             \
    X(ITER_COUNT, "iter_count", 0, LEAF, IR_PURE, "task: the trip count; finish: the number of partial records; i64")  \
    X(PARTIALS, "partials", 0, LEAF, IR_PURE, "finish: the address of the first partial record")                       \
    /* integers: both operands and result T */                                                                         \
    X(ADD, "add", 2, INTEGER, IR_PURE, "")                                                                             \
    X(SUB, "sub", 2, INTEGER, IR_PURE, "")                                                                             \
    X(MUL, "mul", 2, INTEGER, IR_PURE, "")                                                                             \
    X(SDIV, "sdiv", 2, INTEGER, IR_PURE, "x/0 = 0, MIN/-1 = MIN")                                                      \
    X(UDIV, "udiv", 2, INTEGER, IR_PURE, "x/0 = 0")                                                                    \
    X(SREM, "srem", 2, INTEGER, IR_PURE, "x%0 = x, MIN%-1 = 0")                                                        \
    X(UREM, "urem", 2, INTEGER, IR_PURE, "x%0 = x")                                                                    \
    X(AND, "and", 2, INTEGER, IR_PURE, "")                                                                             \
    X(OR, "or", 2, INTEGER, IR_PURE, "")                                                                               \
    X(XOR, "xor", 2, INTEGER, IR_PURE, "")                                                                             \
    X(SHL, "shl", 2, INTEGER, IR_PURE, "count modulo the width")                                                       \
    X(LSHR, "lshr", 2, INTEGER, IR_PURE, "")                                                                           \
    X(ASHR, "ashr", 2, INTEGER, IR_PURE, "")                                                                           \
    X(SMIN, "smin", 2, INTEGER, IR_PURE, "")                                                                           \
    X(SMAX, "smax", 2, INTEGER, IR_PURE, "")                                                                           \
    X(UMIN, "umin", 2, INTEGER, IR_PURE, "")                                                                           \
    X(UMAX, "umax", 2, INTEGER, IR_PURE, "")                                                                           \
    X(UMULH, "umulh", 2, INTEGER, IR_PURE, "the upper half of the unsigned product, which has twice the width")        \
    /* bits of an integer: operand and result T */                                                                     \
    X(POPCOUNT, "popcount", 1, BITS, IR_PURE, "how many are 1")                                                        \
    X(CLZ, "clz", 1, BITS, IR_PURE, "zeros above the highest 1; of 0: the width")                                      \
    X(CTZ, "ctz", 1, BITS, IR_PURE, "zeros below the lowest 1; of 0: the width")                                       \
    X(BSWAP, "bswap", 1, BITS, IR_PURE, "the bytes in reverse")                                                        \
    X(BITREVERSE, "bitreverse", 1, BITS, IR_PURE, "the bits in reverse")                                               \
    /* floats */                                                                                                       \
    X(FADD, "fadd", 2, FLOAT, IR_PURE, "")                                                                             \
    X(FSUB, "fsub", 2, FLOAT, IR_PURE, "")                                                                             \
    X(FMUL, "fmul", 2, FLOAT, IR_PURE, "")                                                                             \
    X(FDIV, "fdiv", 2, FLOAT, IR_PURE, "")                                                                             \
    X(FNEG, "fneg", 1, FLOAT, IR_PURE, "")                                                                             \
    X(FMA, "fma", 3, FLOAT, IR_PURE, "args[0] * args[1] + args[2], rounded once")                                      \
    /* comparisons: operands of one type (integers, floats, ptr), result i1. Only FNE is true for NaN */               \
    X(EQ, "eq", 2, COMPARE, IR_PURE, "")                                                                               \
    X(NE, "ne", 2, COMPARE, IR_PURE, "")                                                                               \
    X(SLT, "slt", 2, COMPARE, IR_PURE, "")                                                                             \
    X(SLE, "sle", 2, COMPARE, IR_PURE, "")                                                                             \
    X(SGT, "sgt", 2, COMPARE, IR_PURE, "")                                                                             \
    X(SGE, "sge", 2, COMPARE, IR_PURE, "")                                                                             \
    X(ULT, "ult", 2, COMPARE, IR_PURE, "")                                                                             \
    X(ULE, "ule", 2, COMPARE, IR_PURE, "")                                                                             \
    X(UGT, "ugt", 2, COMPARE, IR_PURE, "")                                                                             \
    X(UGE, "uge", 2, COMPARE, IR_PURE, "")                                                                             \
    X(FEQ, "feq", 2, FLOAT_COMPARE, IR_PURE, "")                                                                       \
    X(FNE, "fne", 2, FLOAT_COMPARE, IR_PURE, "")                                                                       \
    X(FLT, "flt", 2, FLOAT_COMPARE, IR_PURE, "")                                                                       \
    X(FLE, "fle", 2, FLOAT_COMPARE, IR_PURE, "")                                                                       \
    X(FGT, "fgt", 2, FLOAT_COMPARE, IR_PURE, "")                                                                       \
    X(FGE, "fge", 2, FLOAT_COMPARE, IR_PURE, "")                                                                       \
    /* conversions to T */                                                                                             \
    X(SEXT, "sext", 1, CONVERT, IR_PURE, "")                                                                           \
    X(ZEXT, "zext", 1, CONVERT, IR_PURE, "also from i1")                                                               \
    X(TRUNC, "trunc", 1, CONVERT, IR_PURE, "to i1: the low bit")                                                       \
    X(SITOFP, "sitofp", 1, CONVERT, IR_PURE, "")                                                                       \
    X(UITOFP, "uitofp", 1, CONVERT, IR_PURE, "")                                                                       \
    X(FPTOSI, "fptosi", 1, CONVERT, IR_PURE, "saturates, NaN is 0")                                                    \
    X(FPTOUI, "fptoui", 1, CONVERT, IR_PURE, "saturates, NaN is 0")                                                    \
    X(FPEXT, "fpext", 1, CONVERT, IR_PURE, "")                                                                         \
    X(FPTRUNC, "fptrunc", 1, CONVERT, IR_PURE, "")                                                                     \
    X(BITCAST, "bitcast", 1, CONVERT, IR_PURE, "i16 and halves, i32 and f32, i64 and f64")                             \
    X(PTRTOINT, "ptrtoint", 1, CONVERT, IR_PURE, "to i64")                                                             \
    X(INTTOPTR, "inttoptr", 1, CONVERT, IR_PURE, "from i64")                                                           \
    X(SELECT, "select", 3, SELECT, IR_PURE, "args[0] (i1) ? args[1] : args[2]; both are evaluated")                    \
    X(MATH, "math", -1, MATH, IR_PURE, "the math function |imm| (enum ir_math) of 1 to 3 operands")                    \
    /* addresses */                                                                                                    \
    X(INDEX, "index", 4, ADDRESS, IR_PURE,                                                                             \
      "ptr args[0] + args[1] (i64) * args[2] (i64, bytes); args[3] (i64) is the extent, const -1 if unknown; "         \
      "|text| names the array")                                                                                        \
    X(OFFSET, "offset", 1, ADDRESS, IR_PURE, "ptr args[0] + |imm| bytes: a member")                                    \
    /* memory */                                                                                                       \
    X(LOAD, "load", 1, MEMORY, IR_READS | IR_ELEMENT | IR_GIVES, "T at args[0]")                                       \
    X(STORE, "store", 2, MEMORY, IR_WRITES | IR_ELEMENT, "args[1], of type T, at args[0]")                             \
    X(COPY, "copy", 3, MEMORY, IR_READS | IR_WRITES | IR_BYTES,                                                        \
      "memmove: to args[0], from args[1], args[2] bytes (i64)")                                                        \
    X(FILL, "fill", 3, MEMORY, IR_WRITES | IR_BYTES, "memset: to args[0], byte args[1] (i8), args[2] bytes")           \
    X(COMPARE, "compare", 3, MEMORY, IR_READS | IR_BYTES | IR_GIVES, "memcmp of args[2] bytes, i32")                   \
    X(UPDATE, "update", 2, MEMORY, IR_READS | IR_WRITES | IR_ELEMENT | IR_UPDATES,                                     \
      "memory: *args[0] = *args[0] |update| args[1] in type T; |atomic| says whether it must be")                      \
    X(VUPDATE, "vupdate", 1, ASSIGN, IR_GETS | IR_SETS | IR_UPDATES, "variable: var = var |update| args[0]")           \
    X(ATOMIC, "atomic", 2, MEMORY, IR_READS | IR_WRITES | IR_ELEMENT | IR_UPDATES | IR_ATOMIC | IR_GIVES,              \
      "the author's atomic |update| (also exchange): returns the old value")                                           \
    X(CAS, "cas", 3, MEMORY, IR_READS | IR_WRITES | IR_ELEMENT | IR_ATOMIC | IR_GIVES,                                 \
      "compare and swap at args[0]: if equal to args[1] store args[2]; returns the old value")                         \
    /* calls and failures */                                                                                           \
    X(CALL, "call", -1, CALL, IR_READS | IR_WRITES | IR_FAILS | IR_GIVES,                                              \
      "the helper |function|: may do what it does")                                                                    \
    X(PRINT, "print", -1, CALL, IR_READS, "printf: |text| is the format; integers i32/i64, floats f64, %s a ptr")      \
    X(FAIL, "fail", 0, CALL, IR_FAILS | IR_ENDS, "an assertion |text| failed: the iteration ends")                     \
    X(CHECK, "check", 2, CALL, IR_FAILS,                                                                               \
      "unless 0 <= args[0] < args[1] (i64) an index of the array |text| is out of range: it ends")                     \
    X(RACE, "race", 2, CALL, IR_FAILS,                                                                                 \
      "unless args[1] (i64) is 0 element args[0] (i64) of the array |text| is touched by another iteration, too, as "  \
      "the record args[1] has it (plan/abi.h), and here written, if |imm| is 1, or read: it ends")                     \
    /* control */                                                                                                      \
    X(IF, "if", 1, NESTED, IR_REGIONS, "args[0] (i1): regions[0], else regions[1] (may be empty)")                     \
    X(BLOCK, "block", 0, NESTED, IR_REGIONS, "regions[0]; `break` of it leaves it")                                    \
    X(LOOP, "loop", 0, NESTED, IR_REGIONS | IR_REPEATS,                                                                \
      "regions[0] again and again; only `break` and `return` leave it")                                                \
    X(FOR, "for", -1, NESTED, IR_REGIONS | IR_REPEATS,                                                                 \
      "a canonical loop: see struct ir_for; args[0] init, args[1] bound, of the variable's type")                      \
    X(SWITCH, "switch", 1, NESTED, IR_REGIONS,                                                                         \
      "runs regions from the one that |cases| names for args[0] (i64) on, falling through; break leaves")              \
    X(CFG, "cfg", 0, NESTED, IR_REGIONS | IR_REPEATS,                                                                  \
      "regions are basic bodies: starts with regions[0]; `jump` goes to another; running off an end leaves")           \
    X(BLOCKS, "blocks", 0, NESTED, IR_REGIONS,                                                                         \
      "stream_parallel: one region of blocks; regions are the blocks, in program order")                               \
    X(BREAK, "break", 0, LEAVE, IR_ENDS, "leaves |target| (block, loop, switch) of the same function")                 \
    X(JUMP, "jump", 0, LEAVE, IR_ENDS, "goes on with region |imm| of the cfg |target|, which encloses it")             \
    X(RETURN, "return", -1, LEAVE, IR_ENDS, "leaves the kernel or helper, with args[0] or without")                    \
    X(YIELD, "yield", 1, LEAVE, IR_ENDS, "ends a region that gives a value (the recheck region of `for`)")             \
    X(BARRIER, "barrier", 0, BARRIER, 0, "two-level tasks: the lanes of a tile meet")

enum ir_op {
#define IR_OP_ENUM(name, text, args, group, properties, doc) IR_OP_##name,
    IR_OP_LIST(IR_OP_ENUM)
#undef IR_OP_ENUM
        IR_OP_COUNT
};

// X(NAME, "C name of the double form", operands). The float form is the same op with type f32.
// Classification macros (isnan …) are expanded by lowering to comparisons and bit tests.
#define IR_MATH_LIST(X)                                                                                                \
    X(ACOS, "acos", 1)                                                                                                 \
    X(ACOSH, "acosh", 1)                                                                                               \
    X(ASIN, "asin", 1)                                                                                                 \
    X(ASINH, "asinh", 1)                                                                                               \
    X(ATAN, "atan", 1)                                                                                                 \
    X(ATAN2, "atan2", 2)                                                                                               \
    X(ATANH, "atanh", 1)                                                                                               \
    X(CBRT, "cbrt", 1)                                                                                                 \
    X(CEIL, "ceil", 1)                                                                                                 \
    X(COPYSIGN, "copysign", 2)                                                                                         \
    X(COS, "cos", 1)                                                                                                   \
    X(COSH, "cosh", 1)                                                                                                 \
    X(ERF, "erf", 1)                                                                                                   \
    X(ERFC, "erfc", 1)                                                                                                 \
    X(EXP, "exp", 1)                                                                                                   \
    X(EXP2, "exp2", 1)                                                                                                 \
    X(EXPM1, "expm1", 1)                                                                                               \
    X(FABS, "fabs", 1)                                                                                                 \
    X(FDIM, "fdim", 2)                                                                                                 \
    X(FLOOR, "floor", 1)                                                                                               \
    X(FMAX, "fmax", 2)                                                                                                 \
    X(FMIN, "fmin", 2)                                                                                                 \
    X(FMOD, "fmod", 2)                                                                                                 \
    X(HYPOT, "hypot", 2)                                                                                               \
    X(ILOGB, "ilogb", 1)                                                                                               \
    X(LDEXP, "ldexp", 2)                                                                                               \
    X(LGAMMA, "lgamma", 1)                                                                                             \
    X(LOG, "log", 1)                                                                                                   \
    X(LOG10, "log10", 1)                                                                                               \
    X(LOG1P, "log1p", 1)                                                                                               \
    X(LOG2, "log2", 1)                                                                                                 \
    X(LOGB, "logb", 1)                                                                                                 \
    X(NEARBYINT, "nearbyint", 1)                                                                                       \
    X(NEXTAFTER, "nextafter", 2)                                                                                       \
    X(POW, "pow", 2)                                                                                                   \
    X(REMAINDER, "remainder", 2)                                                                                       \
    X(RINT, "rint", 1)                                                                                                 \
    X(ROUND, "round", 1)                                                                                               \
    X(SIN, "sin", 1)                                                                                                   \
    X(SINH, "sinh", 1)                                                                                                 \
    X(SQRT, "sqrt", 1)                                                                                                 \
    X(TAN, "tan", 1)                                                                                                   \
    X(TANH, "tanh", 1)                                                                                                 \
    X(TGAMMA, "tgamma", 1)                                                                                             \
    X(TRUNC, "trunc", 1)                                                                                               \
    X(FREXP_FRACTION, "frexp", 1)                                                                                      \
    X(FREXP_EXPONENT, "frexp_exponent", 1)                                                                             \
    X(REMQUO_BITS, "remquo_bits", 2)
// ilogb and frexp_exponent and remquo_bits (the low quotient bits) give i32 (inst->type) from a float operand. ldexp's
// second operand is i32. lrint, lround and kin are rint or round followed by fptosi. modf is trunc and a difference.

enum ir_math {
#define IR_MATH_ENUM(name, text, args) IR_MATH_##name,
    IR_MATH_LIST(IR_MATH_ENUM)
#undef IR_MATH_ENUM
        IR_MATH_COUNT
};

// The table of updates: x = x op e. X(NAME, "name", kind, merge, integer operation, float operation, compare, form):
//   merge      the update by which what two of them have accumulated is put together; updates with one merge may be
//              accumulated together. NONE: it does not accumulate
//   operation  IR_OP_…, the plain operation that gives the new value; COUNT: none in that type
//   compare    minimum and maximum: whether e is strictly better than x
//   form       how the source says it, which decides what a NaN does and which of two equal values stays
// What follows from the columns (which commute, identities, types) is asked of update.c, and decided nowhere else.
#define IR_UPDATE_LIST(X)                                                                                              \
    X(NONE, "none", NONE, NONE, COUNT, COUNT, COUNT, PLAIN)                                                            \
    X(ADD, "add", SUM, ADD, ADD, FADD, COUNT, PLAIN)                                                                   \
    X(SUB, "sub", SUM, ADD, SUB, FSUB, COUNT, PLAIN)                                                                   \
    X(MUL, "mul", PRODUCT, MUL, MUL, FMUL, COUNT, PLAIN)                                                               \
    X(AND, "and", AND, AND, AND, COUNT, COUNT, PLAIN)                                                                  \
    X(OR, "or", OR, OR, OR, COUNT, COUNT, PLAIN)                                                                       \
    X(XOR, "xor", XOR, XOR, XOR, COUNT, COUNT, PLAIN)                                                                  \
    X(LAND, "land", LAND, LAND, COUNT, COUNT, COUNT, PLAIN)                                                            \
    X(LOR, "lor", LOR, LOR, COUNT, COUNT, COUNT, PLAIN)                                                                \
    X(SMIN, "smin", MIN, SMIN, SMIN, COUNT, SLT, PLAIN)                                                                \
    X(UMIN, "umin", MIN, UMIN, UMIN, COUNT, ULT, PLAIN)                                                                \
    X(SMAX, "smax", MAX, SMAX, SMAX, COUNT, SGT, PLAIN)                                                                \
    X(UMAX, "umax", MAX, UMAX, UMAX, COUNT, UGT, PLAIN)                                                                \
    X(FMIN, "fmin", MIN, FMIN, COUNT, COUNT, FLT, CALL)                                                                \
    X(FMIN_IF, "fmin_if", MIN, FMIN_IF, COUNT, COUNT, FLT, IF)                                                         \
    X(FMIN_IF_EQ, "fmin_if_eq", MIN, FMIN_IF_EQ, COUNT, COUNT, FLT, IF_EQ)                                             \
    X(FMIN_COND, "fmin_cond", MIN, FMIN_COND, COUNT, COUNT, FLT, COND)                                                 \
    X(FMIN_COND_EQ, "fmin_cond_eq", MIN, FMIN_COND_EQ, COUNT, COUNT, FLT, COND_EQ)                                     \
    X(FMAX, "fmax", MAX, FMAX, COUNT, COUNT, FGT, CALL)                                                                \
    X(FMAX_IF, "fmax_if", MAX, FMAX_IF, COUNT, COUNT, FGT, IF)                                                         \
    X(FMAX_IF_EQ, "fmax_if_eq", MAX, FMAX_IF_EQ, COUNT, COUNT, FGT, IF_EQ)                                             \
    X(FMAX_COND, "fmax_cond", MAX, FMAX_COND, COUNT, COUNT, FGT, COND)                                                 \
    X(FMAX_COND_EQ, "fmax_cond_eq", MAX, FMAX_COND_EQ, COUNT, COUNT, FGT, COND_EQ)                                     \
    X(EXCHANGE, "exchange", STORE, NONE, COUNT, COUNT, COUNT, PLAIN)

// ADD, SUB, MUL on floats are the float operations. LAND and LOR: x = x && e, operand i1, x of type T gets 0 or 1.
enum ir_update {
#define IR_UPDATE_ENUM(name, text, kind, merge, op, float_op, compare, form) IR_UPDATE_##name,
    IR_UPDATE_LIST(IR_UPDATE_ENUM)
#undef IR_UPDATE_ENUM
        IR_UPDATE_COUNT
};

// X(NAME, "C's and OpenMP's operator")
#define IR_UPDATE_KIND_LIST(X)                                                                                         \
    X(NONE, "none")                                                                                                    \
    X(SUM, "+")                                                                                                        \
    X(PRODUCT, "*")                                                                                                    \
    X(AND, "&")                                                                                                        \
    X(OR, "|")                                                                                                         \
    X(XOR, "^")                                                                                                        \
    X(LAND, "&&")                                                                                                      \
    X(LOR, "||")                                                                                                       \
    X(MIN, "min")                                                                                                      \
    X(MAX, "max")                                                                                                      \
    X(STORE, "=")

enum ir_update_kind {
#define IR_UPDATE_KIND_ENUM(name, text) IR_UPDATE_KIND_##name,
    IR_UPDATE_KIND_LIST(IR_UPDATE_KIND_ENUM)
#undef IR_UPDATE_KIND_ENUM
};

enum ir_update_form {
    IR_FORM_PLAIN,   // one way to say it
    IR_FORM_CALL,    // x = fmin(x, e): a NaN e is ignored, a NaN x replaced
    IR_FORM_IF,      // if (e < x) x = e: a NaN e is ignored, a NaN x stays
    IR_FORM_IF_EQ,   // if (e <= x) x = e
    IR_FORM_COND,    // x = x < e ? x : e: a NaN e is taken, a NaN x replaced
    IR_FORM_COND_EQ, // x = x <= e ? x : e
};

struct ir_inst;
struct ir_function;

// A local of a function. Scalars (is_memory false) are reached by get, set, vupdate only.
struct ir_var {
    const char *name;  // as in the source; temporaries have a name starting with '.'
    enum ir_type type; // scalars; of memory: IR_VOID
    bool is_memory;
    bool is_unsigned; // of the C type: for printing and debug information
    bool is_team;     // memory of a task: of a GPU's team one copy, which its threads share
    uint64_t size;    // memory
    uint32_t align;   //
    int index;        // in function->vars
    struct loc loc;
    // Lowering: 0 for kernel level; unique scope number otherwise. A variable declared inside a loop body belongs to
    // the iteration.
    int depth_key;
    // The innermost FOR, LOOP or BLOCKS whose body declares it; NULL at function level.
    struct ir_inst *scope;
    int64_t slot;           // offload: byte offset in the launch block, -1 if it has none
    struct ir_ctype *ctype; // memory: its C type, for names and members; NULL: not known (not part of the text form)
};

enum { IR_DENSE_SIZE = 1 << 20 };

struct ir_global {
    const char *name;
    uint64_t size;
    uint32_t align;
    bool is_const;
    uint8_t *bytes; // NULL is all zero, but for |pieces|
    // Of an object larger than IR_DENSE_SIZE that is nearly all zero: what is not, in order. The image then holds no
    // bytes of it; whoever loads the image puts the pieces there. Never with |bytes| or |relocs|.
    struct ir_piece {
        uint64_t offset;
        uint64_t size; // not 0
        const uint8_t *bytes;
    } *pieces;
    int piece_count;
    struct ir_reloc {
        uint64_t offset; // of an 8-byte pointer in |bytes|
        struct ir_global *target;
        int64_t addend;
    } *relocs;
    int reloc_count;
    int index;
    struct loc loc;
    struct ir_ctype *ctype; // for reflection and `rill run`
};

// C types as the host sees them: reflection of parameters, fields and struct layouts.
enum ir_ctype_kind { IR_CTYPE_SCALAR, IR_CTYPE_RECORD, IR_CTYPE_ARRAY, IR_CTYPE_POINTER };

struct ir_cmember {
    const char *name;
    struct ir_ctype *type;
    uint64_t offset;
    int bit_offset; // -1: no bit-field
    int bit_width;
};

struct ir_ctype {
    enum ir_ctype_kind kind;
    const char *name;    // "float", "struct particle": as in C
    enum ir_type scalar; // IR_CTYPE_SCALAR; _Bool is I8 with is_bool
    bool is_unsigned;
    bool is_bool;
    uint64_t size;
    uint32_t align;
    struct ir_ctype *element; // arrays and pointers
    int64_t length;           // arrays
    struct ir_cmember *members;
    int member_count;
    bool is_union;
};

struct ir_param {
    const char *name;
    struct loc loc;
    enum ir_type type;      // scalar, or ptr
    struct ir_ctype *ctype; // of the scalar, of the struct by value, or of the array's element
    bool is_struct;         // a struct by value
    bool is_array;          // pointer or array parameter: device memory
    bool is_const;          // pointee const
    bool is_restrict;
    // Kernels: extents as instructions in the kernel's entry (i64), outermost first; rank 0: `T *p`, takes a whole
    // array.
    struct ir_inst **extents;
    int rank;
    // Kernels, where bounds are checked: 1 + the number of the pointer parameter whose elements the launch counts here;
    // 0: the caller gives the argument. Those that count come last.
    int counts;
    // Kernels: an array of the kernel's own, with the extents it has there: the launch lends the memory. Nothing else
    // points to it. Such parameters come behind those that are given.
    bool is_scratch;
    bool is_result; // and the kernel leaves there the struct that it returns: return_ctype; return_type is VOID
};

struct ir_region {
    struct ir_inst *first;
    struct ir_inst *last;
    struct ir_inst *owner; // NULL: the function's own region
    struct loc loc;        // blocks: of `stream_parallel`
    bool in_order;         // blocks: `#pragma rill in_order`
};

// What passes found out about a loop, or what pragmas said.
enum ir_verdict {
    IR_VERDICT_NONE,
    IR_VERDICT_IN_ORDER,
    IR_VERDICT_PROVEN,
    IR_VERDICT_IF,
    IR_VERDICT_SCATTER, // stores to places that are not followed: each keeps that of its last iteration
    IR_VERDICT_ATOMICS, // explicit atomics whose order shows: the author's word that any order will do
    IR_VERDICT_PRAGMA,  // `#pragma rill parallel`: the same
};

static inline bool ir_verdict_is_parallel(enum ir_verdict verdict)
{
    return verdict >= IR_VERDICT_PROVEN;
}

enum ir_role { IR_ROLE_PRIVATE, IR_ROLE_LAST_VALUE, IR_ROLE_REDUCTION, IR_ROLE_SELECTION, IR_ROLE_COMPANION };

struct ir_scalar_role { // a scalar declared outside the loop and assigned in it
    struct ir_var *var;
    enum ir_role role;
    enum ir_update update; // REDUCTION: the update; SELECTION (argmin's x): FMIN_IF … or SMIN … with |inclusive|
    bool inclusive;        // SELECTION: <= or >=
    bool unordered;        // SELECTION of floats: if (!(x < e)), so that a NaN in e is selected
    bool always_written;   // LAST_VALUE: every iteration writes it
    struct ir_var *leader; // COMPANION: the selection's variable
};

// What the author wants of a nest: that the iterations of this loop are what is shared out, each by one thread
// (IR_MAP_OUTER) or by a team (IR_MAP_TWO_LEVEL), or that a thread takes a tile of it and of the loop inside.
enum ir_map { IR_MAP_ANY, IR_MAP_OUTER, IR_MAP_TWO_LEVEL, IR_MAP_TILE };

// The loop over the iterations of one run of a scan, which a GPU's team of threads is to share out: see
// passes/scan_build.c. IR_SCAN_AHEAD: it accumulates. IR_SCAN_HANDS_ON: iterations depend on each other only by
// variables from outside of it, each of which the body's own region reads and updates (GET, VUPDATE) in one place;
// ahead of that nothing is written that is not the iteration's own, and it may be done for an iteration more than once.
// IR_SCAN_LISTS is about any loop: its iterations depend on each other only in that each takes the next number of a
// list and stores by it (ir/lists.h), and would be independent if no two lists came to one number. IR_SCAN_RUNNING,
// likewise: by running values alone (ir/running.h).
enum ir_scan { IR_SCAN_NONE, IR_SCAN_AHEAD, IR_SCAN_HANDS_ON, IR_SCAN_LISTS, IR_SCAN_RUNNING };

struct ir_for {
    struct ir_var *var;
    enum ir_op compare; // SLT SLE SGT SGE ULT ULE UGT UGE NE: `var compare bound` in var's type
    int64_t step;       // not 0
    // The trip count (trip.h) is computed once at entry from init, bound and step, and cannot overflow; iteration
    // k has var = init + k * step; afterwards var has C's value (init if there was no iteration: init is always
    // stored).
    bool recheck; // the bound reads memory: run in order, regions[1] is evaluated before each iteration and yields C's
                  // condition (i1)
    bool pragma_parallel;
    bool pragma_serial;
    bool pragma_single;
    bool carries;     // of a nest that runs in another order: in order, it carries the dependences of the loops inside
    bool is_fallback; // of a nest that runs in another order: the source's, for launches whose tests fail; one thread
    int few;          // of a fallback: with fewer iterations it runs because it is the better order, not for a test
    bool is_search;   // a chunk of iterations that are tried ahead: see passes/search_build.c; not printed
    enum ir_scan scan;
    int runs; // of runs of iterations of a scan, its number: what it stores by |own| of that number; 0: none
    int collapse;
    int block_dim;
    enum ir_map map;
    int tile_rows; // IR_MAP_TILE: iterations of the outer and of the inner loop that one thread of a GPU does
    int tile_columns;
    int level; // 0 ordinary; 1 tile; 2 lane: room for two-level tasks
    // Filled by the passes.
    enum ir_verdict verdict;
    struct ir_scalar_role *roles;
    int role_count;
    const char *order;  // of a nest that runs in another order: says so, for people; not printed
    const char *reason; // in order: why; if: what is tested; scatter: which array; by atomics: which place
    struct loc reason_loc_a;
    struct loc reason_loc_b;
    void *analysis; // of the pass that runs now; not printed
    // Inside a task: the launch also tests the pairs and conditions that this loop's own verdict depends on, so that
    // its iterations may be taken as independent (vectorised without looking at addresses).
    bool tested;
};

bool ir_has_role(const struct ir_for *loop, const struct ir_var *var); // the loop gives the variable one

// LOOP.text of the version of a canonical loop that runs where its variable wraps around.
#define IR_REASON_WRAPS "its variable wraps around on its way to the bound"
// The same where a step that only the launch knows leads away from the bound.
#define IR_REASON_STEP "its step leads away from its bound, or around"
// LOOP.text of a search's chunks, and of what it leaves to the loop of the source: see passes/search_build.c.
#define IR_REASON_SEARCH "it is a search"
// LOOP.text of one that a pragma keeps in order, so that nothing of it is tried ahead.
#define IR_REASON_ASKED "a pragma asks for it"
// What |order| of a loop says of a nest as the source has it, beside the order that it runs in with other trip counts.
#define IR_ORDER_OF_SOURCE "so it runs where the other order has too few iterations to share out"

struct ir_inst {
    enum ir_op op;
    enum ir_type type; // of the result; of what is stored or updated; IR_VOID
    int id;            // value number, unique in the function, -1 if there is no result
    struct loc loc;
    struct ir_inst **args;
    int arg_count;
    int64_t imm;
    double fimm;
    struct ir_var *var;
    struct ir_global *global;
    struct ir_function *function;
    enum ir_update update;
    const char *text;   // LOOP: why it is no canonical one
    const char *source; // INDEX, OFFSET: the element as the source has it, for messages; NULL: not known. Not printed
    bool is_volatile;
    bool is_packed; // memory operations: by its C type the address need not be a multiple of anything. COPY: of bytes,
                    // padding too (memcpy); what copies a struct that is packed is taken to be one
    bool is_around; // LOAD, STORE: of the bits around a bit-field that is written, and of both
    bool is_unsigned; // PRINT and debug only
    bool atomic;    // UPDATE: must be atomic (set by the atomics pass; true until proven otherwise only inside parallel
                    // loops). LOAD: of what others update atomically meanwhile
    bool in_bounds; // INDEX: proven to lie inside its extent
    int own;        // STORE, COPY: in the loop with |runs| of this number, no other iteration stores there by one of
                    // this number and base; 0: nothing is known
    bool is_constant; // STORE, FILL: the analysis takes it to write one constant in every iteration; not printed
    struct ir_region *regions;
    int region_count;
    int64_t *cases;         // SWITCH: |case_count| values …
    int *case_regions;      // … and the regions they start at
    int case_count;         //
    int default_region;     // -1: none
    struct ir_for *loop;    // FOR
    struct ir_inst *target; // BREAK, JUMP
    struct ir_region *parent;
    struct ir_inst *prev;
    struct ir_inst *next;
    int base;   // memory accesses: what the address points into, set by the analysis: see ir/points_to.h; 0 unknown
    void *note; // of the pass that runs now; not printed
    // ADD, SUB, MUL: whoever made the instruction knows that the signed result fits. In a task's loop variable, init +
    // iter * step (not of a `!=` loop, which may wrap), it is the sum in the integers that fits: the number of the
    // iteration, cut to the variable's type, need not. TRUNC: the signed value fits the narrower type. Lets the code
    // generator see a plain induction.
    bool no_wrap;
    // UPDATE, VUPDATE: add or sub of floats whose operand is an fmul of the same source expression: x = fma(±a, b, x),
    // one rounding. Set by lowering when it contracts. Reductions and atomics may drop it, as they may regroup.
    bool fused;
    // UPDATE in a task that must be atomic: 1 + the number of the private copy of its memory that it may go to instead,
    // as plan_effect.copy says; 0: none. Whoever gives no copies just does it atomically.
    int copy;
};

enum ir_function_kind { IR_FUNCTION_KERNEL, IR_FUNCTION_HELPER, IR_FUNCTION_TASK, IR_FUNCTION_FINISH };

enum ir_choice { IR_CHOICE_NONE, IR_CHOICE_LATER, IR_CHOICE_BETTER };

// A task's variable that lives across the iterations of one call and is handed over in the partial record.
struct ir_accumulator {
    struct ir_var *var;
    struct ir_inst *init; // CONST or FCONST
    uint64_t offset;      // in the partial record
    // GPUs: how two are made one, whichever was first. By |merge|, if it is not NONE. Else, if |chosen| is not 0, by
    // taking one of the two: accumulator |chosen| - 1 has the iteration that it is from, -1 if none. That one itself is
    // marked by |choice|, its members follow it. If neither is given, the order of the two counts.
    enum ir_update merge;
    int chosen;
    enum ir_choice choice;
    enum ir_op better; // CHOICE_BETTER: the compare by which accumulator |leader| of one beats the other's
    int leader;
    bool is_inclusive; // CHOICE_BETTER: of equal ones the later is taken
};

struct ir_function {
    const char *name; // tasks: "kernel.3", unique in the module
    enum ir_function_kind kind;
    struct loc loc;
    enum ir_type return_type;
    struct ir_ctype *return_ctype; // kernels
    struct ir_param *params;
    int param_count;
    struct ir_region prologue; // tasks and finishes
    struct ir_region body;
    struct ir_var **vars;
    int var_count;
    int var_capacity;
    int value_count;
    bool may_fail; // helpers: holds a FAIL, a CHECK or a checked INDEX somewhere
    // kernels
    bool pragma_single;
    // tasks
    struct ir_function *kernel; // whose piece it is: its params are what PARAM means
    bool is_serial;             // called once, range [0, 1)
    bool assume_independent;    // the fast version: iterations may be vectorised as independent
    struct ir_inst *count; // of the prologue, i64: so many iterations; NULL: the trip count, as ITER_COUNT gives it
    struct ir_accumulator *accumulators;
    int accumulator_count;
    uint64_t partial_size; // bytes of one partial record; 0: none
    void *analysis;        // kernels: the analysis of a kernel keeps its state here for effects_of_code; not printed
};

struct ir_module {
    struct arena *arena; // borrowed
    const char **files;  // indexed by loc.file
    int file_count;
    struct ir_global **globals;
    int global_count;
    int global_capacity;
    struct ir_function **functions;
    int function_count;
    int function_capacity;
    bool is_gpu;           // made for a GPU: a thread is one iteration, neighbours touch neighbouring elements
    bool has_short_strips; // tests: loops are cut where it does not pay
    bool never_whole;      // tests: no loop in order is one task, however small
    bool check_bounds;     // INDEX must be checked against its extent (unless in_bounds)
    bool check_races;      // loops that are parallel by the author's word are watched for races
};

// ---- build.c: makes instructions at the end of a region, numbered and typed -----------------------------------------

struct ir_module *ir_module_create(struct arena *arena);
struct ir_function *ir_function_create(struct ir_module *module, enum ir_function_kind kind, const char *name);
struct ir_global *ir_global_create(struct ir_module *module, const char *name, uint64_t size, uint32_t align);
uint8_t ir_global_byte(const struct ir_global *global, uint64_t offset); // as it begins; of a pointer 0
struct ir_var *ir_var_create(struct ir_module *module, struct ir_function *function, const char *name,
                             enum ir_type type);

struct ir_builder {
    struct ir_module *module;
    struct ir_function *function;
    struct ir_region *region; // where instructions go: appended
    struct ir_inst *before;   // if not NULL: inserted before this one instead
    struct loc loc;           // given to each
};

struct ir_inst *ir_emit(struct ir_builder *b, enum ir_op op, enum ir_type type, int arg_count,
                        struct ir_inst *const *args);
struct ir_inst *ir_emit0(struct ir_builder *b, enum ir_op op, enum ir_type type);
struct ir_inst *ir_emit1(struct ir_builder *b, enum ir_op op, enum ir_type type, struct ir_inst *x);
struct ir_inst *ir_emit2(struct ir_builder *b, enum ir_op op, enum ir_type type, struct ir_inst *x, struct ir_inst *y);
struct ir_inst *ir_emit3(struct ir_builder *b, enum ir_op op, enum ir_type type, struct ir_inst *x, struct ir_inst *y,
                         struct ir_inst *z);
// The value is stored sign-extended from the type's width; i1 is 0 or 1.
struct ir_inst *ir_const(struct ir_builder *b, enum ir_type type, int64_t value);
struct ir_inst *ir_fconst(struct ir_builder *b, enum ir_type type, double value);
struct ir_inst *ir_get(struct ir_builder *b, struct ir_var *var);
struct ir_inst *ir_set(struct ir_builder *b, struct ir_var *var, struct ir_inst *value);
// Its regions are made empty.
struct ir_inst *ir_control(struct ir_builder *b, enum ir_op op, struct ir_inst *arg, int region_count);
void ir_remove(struct ir_inst *inst); // unlinks it
void ir_move_before(struct ir_inst *inst, struct ir_inst *where);

int ir_type_size(enum ir_type type);
bool ir_type_is_int(enum ir_type type);   // i1 … i64
bool ir_type_is_half(enum ir_type type);  // the floats of 16 bits, whose operations are float's, rounded once more
bool ir_type_is_float(enum ir_type type); //

// ---- op.c: what the list of operations says ------------------------------------------------------------------------

const char *ir_op_name(enum ir_op op);
int ir_op_arg_count(enum ir_op op); // -1: any number
enum ir_op_group ir_op_group(enum ir_op op);
bool ir_op_is_pure(enum ir_op op);        // no effect, no memory, no variable: may be moved, merged, dropped
bool ir_op_is_value(enum ir_op op);       // pure, or `get`: does nothing but give a value, without touching memory
bool ir_op_is_compare(enum ir_op op);     // of integers, pointers or floats
bool ir_op_is_unsigned(enum ir_op op);    // a comparison of unsigned integers or pointers by their order
enum ir_op ir_op_negated(enum ir_op op);  // of integers: the comparison that holds where this does not; else |op|
enum ir_op ir_op_opposite(enum ir_op op); // likewise of floats, none of which is a NaN
enum ir_op ir_op_mirrored(enum ir_op op); // of integers: the same comparison with its sides exchanged; else |op|
bool ir_op_is_division(enum ir_op op);    // of integers: a quotient or a remainder
bool ir_op_is_foldable(enum ir_op op);    // arithmetic, comparison or conversion: ir_fold knows it, given numbers
bool ir_op_sets(enum ir_op op);           // assigns the scalar |var|: set, vupdate
bool ir_op_reads(enum ir_op op);          // may read memory; a call may do anything
bool ir_op_writes(enum ir_op op);         // may write memory, likewise
bool ir_op_accesses(enum ir_op op);       // itself reads or writes memory at args[0]: not a call, nor what is printed
bool ir_op_is_element(enum ir_op op);     // accesses one element of type T at args[0]
bool ir_op_is_bytes(enum ir_op op);       // accesses args[2] bytes: copy, fill, compare
bool ir_op_updates(enum ir_op op);        // has an |update|
bool ir_op_may_fail(enum ir_op op);       // may end the iteration with an error, apart from an INDEX that is checked
bool ir_op_has_regions(enum ir_op op);    //
bool ir_op_repeats(enum ir_op op);        // may run its regions several times: loop, for, cfg
bool ir_op_is_terminator(enum ir_op op);  // nothing after it in its region runs

bool ir_has_result(const struct ir_inst *inst);
bool ir_is_atomic(const struct ir_inst *inst); // an access that must be atomic
// Whether it may end the iteration with an error. |is_checked|: an INDEX would, if it is out of range.
bool ir_may_fail(const struct ir_inst *inst, bool is_checked);

// ---- fold.c: the language's arithmetic on constants, shared by interpreter, folding and the plan's expressions ------
// Integers come and go sign-extended in |i| (i1: 0 or 1), floats in |f| (f32: rounded), pointers in |i|.
union ir_value {
    int64_t i;
    double f;
};
// One pure operation (not MATH, GET, PARAM, INDEX, OFFSET). |arg_type| is the operands' type for comparisons and
// conversions.
bool ir_fold(enum ir_op op, enum ir_type type, enum ir_type arg_type, const union ir_value *args, union ir_value *out);
bool ir_fold_update(enum ir_update update, enum ir_type type, union ir_value old, union ir_value operand,
                    union ir_value *out);
bool ir_fold_math(enum ir_math math, enum ir_type arg_type, const union ir_value *args, union ir_value *out);

// ---- update.c: what the table of updates says ----------------------------------------------------------------------

const char *ir_update_name(enum ir_update update);
enum ir_update_kind ir_update_kind(enum ir_update update);
const char *ir_update_operator(enum ir_update update);                // "+" also for SUB, "min"
bool ir_update_has_assignment(enum ir_update update);                 // C has a compound assignment for it: x += e
bool ir_update_fits(enum ir_update update, enum ir_type type);        // whether x may be of that type
bool ir_update_takes_truth(enum ir_update update);                    // its operand is i1, whatever x is
enum ir_op ir_update_op(enum ir_update update, enum ir_type type);    // the plain operation, or IR_OP_COUNT
enum ir_op ir_update_compare(enum ir_update update, bool with_equal); // MIN, MAX: is e better than x, or as good
// The float forms IF and COND choose one of x and e by one comparison: `first compare second ? first : second`, where
// first is x if |x_first|, else e. False: it is no such form.
bool ir_update_choice(enum ir_update update, enum ir_op *out_compare, bool *out_x_first);
// In x < e ? x : e a NaN resets x: the order of such updates counts, also that of two of one form.
bool ir_update_is_ordered(enum ir_update update);
// Whether updates may be accumulated in parts. Not products of floats: that of a part may be 0 or infinite where none
// of the source's is.
bool ir_update_keeps_range(enum ir_update update, enum ir_type type);
enum ir_update ir_update_min_max(bool is_max, enum ir_type type, bool is_unsigned, enum ir_update_form form);

enum ir_update ir_update_merge(enum ir_update update);
// Where an accumulation of such updates begins. True if merging that value leaves every x as it is, bit by bit; false
// if x may be changed (5 && 1 is 1), so that somebody must know whether anything was accumulated.
bool ir_update_identity(enum ir_update update, enum ir_type type, union ir_value *out);
// Whether workers may gather such updates in copies of their own: an exact identity, and both back ends do it.
bool ir_update_gathers(enum ir_update update, enum ir_type type);
// Whether updates of one x may be accumulated together, in their order, and merged by one update in the end.
bool ir_updates_combine(enum ir_update a, enum ir_update b);
// Whether updates of one x, in one type, may be done in any order and interleaved in any way: x ends with the same
// integer, or with what serial C would give in another order (sums of floats are rounded, and of two zeros of different
// sign a minimum keeps the first).
bool ir_updates_commute(enum ir_update a, enum ir_update b);

// An update of memory, by somebody who may meet another.
struct ir_update_use {
    enum ir_update update; // NONE for cas
    enum ir_type type;
    bool is_explicit; // by rill_atomic_*: the author's word that any order will do
};
// Whether two atomic updates may meet in one place. Explicit ones of different widths may not: no hardware promises
// that one is then atomic for the other.
bool ir_updates_may_meet(struct ir_update_use a, struct ir_update_use b);
bool ir_merges(const struct ir_function *task); // has accumulators, and all of them merge in any order

// ---- print.c, read.c, verify.c --------------------------------------------------------------------------------------

void ir_print(const struct ir_module *module, struct str *out);
void ir_print_function(const struct ir_module *module, const struct ir_function *function, struct str *out);
// Reads what ir_print wrote. NULL and a diagnostic on bad text.
struct ir_module *ir_read(struct arena *arena, struct diags *diags, const char *text);
// True if the module is well formed; else |out| says what is not, one line each.
bool ir_verify(const struct ir_module *module, struct str *out);

// ---- build.c, more --------------------------------------------------------------------------------------------------

const char *ir_type_name(enum ir_type type);
const char *ir_math_name(enum ir_math math);
int ir_math_arg_count(enum ir_math math);
int64_t ir_normalize(enum ir_type type, int64_t value);         // wraps to the type's width, sign-extended (i1: 0 or 1)
void ir_append(struct ir_region *region, struct ir_inst *inst); // links an instruction that is in no region
void ir_make_regions(struct ir_module *module, struct ir_inst *inst, int region_count); // |recheck| wants 2 for a `for`
// A `for` with one empty region.
struct ir_inst *ir_emit_for(struct ir_builder *b, struct ir_var *var, struct ir_inst *init, struct ir_inst *bound,
                            enum ir_op compare, int64_t step);

#endif
