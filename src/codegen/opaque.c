// Keeps narrow indices from LLVM's loop vectoriser.
//
// The vectoriser may take an index that wraps, like `i & 3` or `(unsigned char)i`, for one that counts up, and then
// adds a test that the loop ends before it wraps. LLVM 22 leaves out such a test if there is one already for a wider
// type: where the loop has `a[(unsigned char)i]` tested against 255, `b[i & 3]` goes untested and is loaded as if it
// were contiguous. So the vectoriser must not see that an index was narrowed. A rotation by nothing hides it: the
// analysis of counters does not look through one, every vector unit has it, and the simplification that follows removes
// it.
//
// Only functions that were written with such an index need this: in others the passes before have made what looks like
// one, a row's number taken modulo 2^32, and hiding it costs the vector code. For the same reason 32 bits stay visible
// everywhere: they are one width, and the tests for one width do not stand in for each other.
#include "codegen/pipeline.h"

#include "base/hash.h"
#include "base/vec.h"

#include <llvm-c/Core.h>
#include <string.h>

enum { NARROW_BITS = 16 };

static unsigned bits_of(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static bool is_op(LLVMValueRef value, LLVMOpcode op)
{
    return LLVMIsAInstruction(value) != NULL && LLVMGetInstructionOpcode(value) == op;
}

static bool is_constant(LLVMValueRef value, uint64_t constant)
{
    return LLVMIsAConstantInt(value) != NULL && LLVMConstIntGetZExtValue(value) == constant;
}

// Whether |inst| cuts its operand to 32 bits, without its sign.
static bool is_word(LLVMValueRef inst)
{
    return is_constant(LLVMGetOperand(inst, 1), UINT32_MAX);
}

// `x << c >> d`, with a constant added in between or not: how a value is cut with its sign, other than to 32 bits.
static bool is_cut_by_shifts(LLVMValueRef inst)
{
    LLVMValueRef shifted = LLVMGetOperand(inst, 0);
    if (is_op(shifted, LLVMAdd)) {
        shifted = LLVMGetOperand(shifted, 0);
    }
    return is_op(shifted, LLVMShl) && (bits_of(inst) != 64 || !is_constant(LLVMGetOperand(shifted, 1), 32));
}

// Whether the analysis would see a value of fewer bits in it.
static bool is_narrowing(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAnd:
    case LLVMURem: return LLVMIsAConstantInt(LLVMGetOperand(inst, 1)) != NULL && !is_word(inst);
    case LLVMAShr: return is_cut_by_shifts(inst);
    case LLVMZExt:
    case LLVMSExt: return bits_of(LLVMGetOperand(inst, 0)) <= NARROW_BITS && !is_op(LLVMGetOperand(inst, 0), LLVMLoad);
    default: return false;
    }
}

static bool is_arithmetic(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMXor:
    case LLVMUDiv:
    case LLVMLShr:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc: return true;
    default: return false;
    }
}

static void hide(struct emitter *e, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    unsigned id = LLVMLookupIntrinsicID("llvm.fshl", strlen("llvm.fshl"));
    LLVMValueRef rotate = LLVMGetIntrinsicDeclaration(e->llvm, id, &type, 1);
    LLVMPositionBuilderBefore(e->builder, LLVMGetNextInstruction(inst));
    LLVMSetCurrentDebugLocation2(e->builder, LLVMInstructionGetDebugLoc(inst));
    // All uses become the rotation's first, so that its own operands can be set after.
    LLVMValueRef none = LLVMConstNull(type);
    LLVMValueRef args[3] = {none, none, none};
    LLVMValueRef call = LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(rotate), rotate, args, 3, "");
    LLVMReplaceAllUsesWith(inst, call);
    LLVMSetOperand(call, 0, inst);
    LLVMSetOperand(call, 1, inst);
}

// What an index is made of, each value once.
struct index_parts {
    struct arena *arena;
    struct hash_map seen;
    VEC(LLVMValueRef) values;
};

static void add_part(struct index_parts *parts, LLVMValueRef value)
{
    if (LLVMIsAInstruction(value) == NULL || hash_map_get(&parts->seen, (const char *)&value, sizeof value) != NULL) {
        return;
    }
    LLVMValueRef *key = arena_alloc(parts->arena, sizeof *key);
    *key = value;
    hash_map_set(&parts->seen, (const char *)key, sizeof *key, value);
    VEC_PUSH(parts->arena, &parts->values, value);
}

static void hide_in_indices(struct emitter *e, struct index_parts *parts)
{
    for (int at = 0; at < parts->values.count; at++) {
        LLVMValueRef value = parts->values.items[at];
        if (is_narrowing(value)) {
            hide(e, value);
        } else if (is_arithmetic(value)) {
            for (int i = 0; i < LLVMGetNumOperands(value); i++) {
                add_part(parts, LLVMGetOperand(value, (unsigned)i));
            }
        }
    }
}

static bool has_narrowing(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst != NULL; inst = LLVMGetNextInstruction(inst)) {
            if (is_narrowing(inst)) {
                return true;
            }
        }
    }
    return false;
}

static void note_indices(struct index_parts *parts, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst != NULL; inst = LLVMGetNextInstruction(inst)) {
            for (int i = 1; is_op(inst, LLVMGetElementPtr) && i < LLVMGetNumOperands(inst); i++) {
                add_part(parts, LLVMGetOperand(inst, (unsigned)i));
            }
        }
    }
}

void opaque_find(struct emitter *e, struct opaque *opaque)
{
    *opaque = (struct opaque){0};
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        if (has_narrowing(f)) {
            VEC_PUSH(e->arena, &opaque->functions, f);
        }
    }
}

void opaque_indices(struct emitter *e, const struct opaque *opaque)
{
    struct index_parts parts = {.arena = e->arena};
    hash_map_init(&parts.seen, e->arena);
    for (int i = 0; i < opaque->functions.count; i++) {
        note_indices(&parts, opaque->functions.items[i]);
    }
    hide_in_indices(e, &parts);
}
