// Keeps narrow indices from LLVM's loop vectoriser.
//
// The vectoriser may take an index that wraps, like `i & 3` or `(unsigned char)i`, for one that counts up, and then
// adds a test that the loop ends before it wraps. LLVM 22 leaves out such a test if there is one already for a wider
// type: where the loop has `a[(unsigned char)i]` tested against 255, `b[i & 3]` goes untested and is loaded as if it
// were contiguous. So the vectoriser must not see that an index was narrowed. A rotation by nothing hides it: the
// analysis of counters does not look through one, every vector unit has it, and the simplification that follows removes
// it.
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

// Whether the analysis would see a value of fewer bits in it.
static bool is_narrowing(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAnd:
    case LLVMURem: return LLVMIsAConstantInt(LLVMGetOperand(inst, 1)) != NULL;
    case LLVMAShr: return is_op(LLVMGetOperand(inst, 0), LLVMShl);
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

static void note_narrowing(void *arg, LLVMValueRef inst)
{
    bool *any = arg;
    *any = *any || is_narrowing(inst);
}

static void note_indices(void *arg, LLVMValueRef inst)
{
    if (LLVMGetInstructionOpcode(inst) == LLVMGetElementPtr) {
        for (int i = 1; i < LLVMGetNumOperands(inst); i++) {
            add_part(arg, LLVMGetOperand(inst, (unsigned)i));
        }
    }
}

bool opaque_is_needed(struct emitter *e)
{
    bool any = false;
    pipeline_each_inst(e, note_narrowing, &any);
    return any;
}

void opaque_indices(struct emitter *e)
{
    struct index_parts parts = {.arena = e->arena};
    hash_map_init(&parts.seen, e->arena);
    pipeline_each_inst(e, note_indices, &parts);
    hide_in_indices(e, &parts);
}
