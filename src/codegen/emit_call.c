// Calls: of helpers, and of the services that print and take failures. A helper that may fail returns, beside its
// value, whether it did; the caller then ends the iteration, or returns the same way.
#include "codegen/emit.h"

#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// ---- what a helper needs
// -------------------------------------------------------------------------------------------------------

static int function_index(const struct emitter *e, const struct ir_function *function)
{
    for (int i = 0; i < e->module->function_count; i++) {
        if (e->module->functions[i] == function) {
            return i;
        }
    }
    return -1;
}

static void scan_inst(struct emitter *e, struct emit_helper *helper, const struct ir_inst *inst)
{
    bool checked = inst->op == IR_OP_INDEX && e->check_bounds && !inst->in_bounds;
    if (inst->op != IR_OP_CALL && ir_may_fail(inst, checked)) {
        helper->may_fail = true;
        helper->needs_frame = true;
    } else if (inst->op == IR_OP_PRINT) {
        helper->needs_frame = true;
    } else if (inst->op == IR_OP_CALL) {
        const struct emit_helper *callee = emit_helper_of(e, inst->function);
        helper->may_fail |= callee->may_fail;
        helper->has_atomics |= callee->has_atomics;
        helper->needs_frame |= callee->needs_frame;
    }
    helper->has_atomics |= ir_is_atomic(inst);
}

static void scan_region(struct emitter *e, struct emit_helper *helper, const struct ir_region *region)
{
    WALK (inst, region) {
        scan_inst(e, helper, inst);
    }
}

const struct emit_helper *emit_helper_of(struct emitter *e, const struct ir_function *function)
{
    int index = function_index(e, function);
    if (index < 0) {
        emit_fail(e, function->loc, "internal: a call of a function that is not in the module");
        static const struct emit_helper none = {.known = true};
        return &none;
    }
    struct emit_helper *helper = &e->helpers[index];
    if (!helper->known) {
        helper->known = true; // there is no recursion
        scan_region(e, helper, &function->body);
    }
    return helper;
}

// ---- helpers
// -------------------------------------------------------------------------------------------------------------------

static LLVMTypeRef result_type(struct emitter *e, const struct ir_function *function, bool may_fail)
{
    LLVMTypeRef value = e->types[function->return_type];
    if (!may_fail) {
        return value;
    }
    if (function->return_type == IR_VOID) {
        return e->types[IR_I1];
    }
    return LLVMStructTypeInContext(e->context, (LLVMTypeRef[]){value, e->types[IR_I1]}, 2, false);
}

static LLVMValueRef add_helper(struct emitter *e, const char *name, LLVMTypeRef type)
{
    LLVMValueRef llvm = LLVMAddFunction(e->llvm, emit_symbol(e, name), type);
    LLVMSetLinkage(llvm, LLVMInternalLinkage);
    emit_attribute(e, llvm, LLVMAttributeFunctionIndex, "nounwind", 0);
    return llvm;
}

static void declare_helper(struct emitter *e, const struct ir_function *function, struct emit_helper *helper)
{
    int count = function->param_count + (helper->needs_frame ? 2 : 0);
    LLVMTypeRef *params = ARENA_ARRAY(e->arena, LLVMTypeRef, count + 1);
    for (int i = 0; i < function->param_count; i++) {
        params[i] = e->types[function->params[i].type];
    }
    if (helper->needs_frame) {
        params[count - 2] = e->global_ptr;
        params[count - 1] = e->types[IR_I64];
    }
    LLVMTypeRef result = result_type(e, function, helper->may_fail);
    helper->type = LLVMFunctionType(result, params, (unsigned)count, false);
    helper->llvm = add_helper(e, function->name, helper->type);
    if (e->has_remote && helper->has_atomics) {
        helper->remote = add_helper(e, arena_printf(e->arena, "%s" ABI_REMOTE, function->name), helper->type);
    }
}

// The function returns as failed, or the iteration ends.
static void leave_failed(struct emitter *e)
{
    struct emit_function *f = e->function;
    if (f->ir->kind != IR_FUNCTION_HELPER) {
        emit_go(e, f->end);
        return;
    }
    LLVMValueRef yes = emit_const(e, IR_I1, 1);
    if (f->ir->return_type == IR_VOID) {
        LLVMBuildRet(e->builder, yes);
    } else {
        LLVMValueRef none = LLVMConstNull(e->types[f->ir->return_type]);
        LLVMBuildAggregateRet(e->builder, (LLVMValueRef[]){none, yes}, 2);
    }
}

static void define_helper(struct emitter *e, const struct ir_function *function, const struct emit_helper *helper)
{
    struct emit_function f;
    LLVMValueRef llvm = e->is_remote ? helper->remote : helper->llvm;
    emit_function_begin(e, &f, function, llvm);
    if (helper->needs_frame) {
        f.frame = LLVMGetParam(llvm, (unsigned)function->param_count);
        f.iter = LLVMGetParam(llvm, (unsigned)function->param_count + 1);
    }
    emit_region(e, &function->body);
    if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->builder)) == NULL) { // ran off its end
        LLVMTypeRef result = result_type(e, function, helper->may_fail);
        if (LLVMGetTypeKind(result) == LLVMVoidTypeKind) {
            LLVMBuildRetVoid(e->builder);
        } else {
            LLVMBuildRet(e->builder, LLVMConstNull(result));
        }
    }
    emit_function_end(e);
}

void emit_helpers(struct emitter *e)
{
    const struct ir_module *module = e->module;
    e->helpers = ARENA_ARRAY(e->arena, struct emit_helper, module->function_count + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < module->function_count; i++) {
            const struct ir_function *function = module->functions[i];
            if (function->kind != IR_FUNCTION_HELPER) {
                continue;
            }
            (void)emit_helper_of(e, function);
            if (pass == 0) {
                e->helper_count++;
                declare_helper(e, function, &e->helpers[i]);
            } else {
                define_helper(e, function, &e->helpers[i]);
            }
            if (pass == 1 && e->helpers[i].remote != NULL) {
                e->is_remote = true;
                define_helper(e, function, &e->helpers[i]);
                e->is_remote = false;
            }
        }
    }
}

LLVMValueRef emit_call(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_CALL);
    const struct emit_helper *helper = emit_helper_of(e, inst->function);
    if (helper->llvm == NULL) {
        return inst->type == IR_VOID ? NULL : LLVMGetPoison(e->types[inst->type]);
    }
    int count = inst->arg_count + (helper->needs_frame ? 2 : 0);
    LLVMValueRef *args = ARENA_ARRAY(e->arena, LLVMValueRef, count + 1);
    for (int i = 0; i < inst->arg_count; i++) {
        args[i] = emit_value(e, inst->args[i]);
    }
    if (helper->needs_frame) {
        args[count - 2] = e->function->frame;
        args[count - 1] = e->function->iter;
    }
    LLVMValueRef callee = e->is_remote && helper->remote != NULL ? helper->remote : helper->llvm;
    LLVMValueRef call = LLVMBuildCall2(e->builder, helper->type, callee, args, (unsigned)count, "");
    if (!helper->may_fail) {
        return inst->type == IR_VOID ? NULL : call;
    }
    bool has_value = inst->function->return_type != IR_VOID;
    LLVMValueRef failed = has_value ? LLVMBuildExtractValue(e->builder, call, 1, "") : call;
    LLVMBasicBlockRef bad = emit_block(e, "failed");
    LLVMBasicBlockRef good = emit_block(e, "went_well");
    LLVMBuildCondBr(e->builder, failed, bad, good);
    emit_at(e, bad);
    leave_failed(e);
    emit_at(e, good);
    return has_value ? LLVMBuildExtractValue(e->builder, call, 0, "") : NULL;
}

// ---- failures
// --------------------------------------------------------------------------------------------------------------------

static LLVMValueRef failure_record(struct emitter *e, const struct ir_inst *inst, enum abi_failure_kind kind)
{
    LLVMTypeRef i32 = e->types[IR_I32];
    LLVMTypeRef fields[5] = {i32, i32, i32, i32, e->types[IR_PTR]};
    LLVMTypeRef type = LLVMStructTypeInContext(e->context, fields, 5, false);
    LLVMValueRef values[5] = {
        emit_const(e, IR_I32, kind),
        emit_const(e, IR_I32, (int64_t)inst->loc.file),
        emit_const(e, IR_I32, (int64_t)inst->loc.line),
        emit_const(e, IR_I32, (int64_t)inst->loc.column),
        emit_string(e, inst->text != NULL ? inst->text : "", "text"),
    };
    LLVMValueRef record = LLVMAddGlobal(e->llvm, type, "failure");
    LLVMSetInitializer(record, LLVMConstStructInContext(e->context, values, 5, false));
    LLVMSetGlobalConstant(record, true);
    LLVMSetLinkage(record, LLVMPrivateLinkage);
    return record;
}

static LLVMValueRef load_service(struct emitter *e, int64_t offset)
{
    LLVMTypeRef ptr = e->types[IR_PTR];
    LLVMValueRef services = LLVMBuildLoad2(e->builder, ptr, e->function->frame, "services");
    LLVMValueRef at = emit_i64(e, offset);
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, e->types[IR_I8], services, &at, 1, "");
    return LLVMBuildLoad2(e->builder, ptr, address, "");
}

static void report(struct emitter *e, const struct ir_inst *inst, enum abi_failure_kind kind, LLVMValueRef index,
                   LLVMValueRef extent)
{
    if (target_is_gpu(e->target)) {
        emit_gpu_failure(e, inst, kind, index, extent);
        return;
    }
    LLVMTypeRef ptr = e->types[IR_PTR];
    LLVMTypeRef i64 = e->types[IR_I64];
    LLVMTypeRef params[5] = {ptr, ptr, i64, i64, i64};
    LLVMTypeRef type = LLVMFunctionType(e->types[IR_VOID], params, 5, false);
    LLVMValueRef args[5] = {e->function->frame, failure_record(e, inst, kind), e->function->iter, index, extent};
    LLVMValueRef service = load_service(e, offsetof(struct abi_services, fail));
    LLVMValueRef call = LLVMBuildCall2(e->builder, type, service, args, 5, "");
    unsigned cold = LLVMGetEnumAttributeKindForName("cold", 4);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, cold, 0));
}

void emit_failure(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_FAIL);
    LLVMValueRef zero = emit_i64(e, 0);
    report(e, inst, ABI_FAILURE_ASSERT, zero, zero);
    leave_failed(e);
}

void emit_bounds_check(struct emitter *e, const struct ir_inst *inst, LLVMValueRef index, LLVMValueRef extent)
{
    LLVMBasicBlockRef outside = emit_block(e, "outside");
    LLVMBasicBlockRef inside = emit_block(e, "inside");
    // A negative index is a large unsigned one; nothing fits a negative extent.
    LLVMValueRef limit = emit_intrinsic2(e, "llvm.smax", extent, emit_i64(e, 0));
    LLVMValueRef fits = LLVMBuildICmp(e->builder, LLVMIntULT, index, limit, "");
    LLVMBuildCondBr(e->builder, fits, inside, outside);
    emit_at(e, outside);
    report(e, inst, ABI_FAILURE_BOUNDS, index, extent);
    leave_failed(e);
    emit_at(e, inside);
}

void emit_race(struct emitter *e, const struct ir_inst *inst, LLVMValueRef element, LLVMValueRef word)
{
    LLVMBasicBlockRef found = emit_block(e, "race");
    LLVMBasicBlockRef alone = emit_block(e, "alone");
    LLVMValueRef is_alone = LLVMBuildICmp(e->builder, LLVMIntEQ, word, emit_i64(e, 0), "");
    LLVMBuildCondBr(e->builder, is_alone, alone, found);
    emit_at(e, found);
    report(e, inst, inst->imm != 0 ? ABI_FAILURE_RACE_WRITE : ABI_FAILURE_RACE_READ, element, word);
    leave_failed(e);
    emit_at(e, alone);
}

// ---- printing
// --------------------------------------------------------------------------------------------------------------------

// Goes to the next conversion from |at| on and sets its letter; NULL at the end. A `*` counts as one of its own.
static const char *next_conversion(const char *at, char *letter, bool *inside)
{
    for (; *at != '\0'; at++) {
        if (!*inside) {
            if (at[0] == '%' && at[1] == '%') {
                at++;
            } else if (at[0] == '%') {
                *inside = true;
            }
            continue;
        }
        bool is_letter = strchr("diouxXeEfFgGaAcsp", *at) != NULL;
        if (*at == '*' || is_letter) {
            *inside = !is_letter;
            *letter = *at;
            return at + 1;
        }
    }
    return NULL;
}

// One 8-byte value: integers extended as the conversion wants, doubles by their bits, strings as addresses.
static LLVMValueRef print_value(struct emitter *e, const struct ir_inst *arg, bool is_unsigned)
{
    LLVMValueRef value = emit_value(e, arg);
    LLVMTypeRef i64 = e->types[IR_I64];
    switch (arg->type) {
    case IR_F32: value = LLVMBuildFPExt(e->builder, value, e->types[IR_F64], ""); // fall through
    case IR_F64: return LLVMBuildBitCast(e->builder, value, i64, "");
    case IR_PTR: return LLVMBuildPtrToInt(e->builder, value, i64, "");
    case IR_I64: return value;
    default:
        return is_unsigned || arg->type == IR_I1 ? LLVMBuildZExt(e->builder, value, i64, "")
                                                 : LLVMBuildSExt(e->builder, value, i64, "");
    }
}

void emit_print(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_PRINT && inst->text != NULL);
    LLVMValueRef *values = ARENA_ARRAY(e->arena, LLVMValueRef, inst->arg_count + 1);
    char *letters = ARENA_ARRAY(e->arena, char, inst->arg_count + 1);
    const char *at = inst->text;
    bool inside = false;
    for (int i = 0; i < inst->arg_count; i++) {
        at = at != NULL ? next_conversion(at, &letters[i], &inside) : NULL;
        values[i] = print_value(e, inst->args[i], letters[i] != '\0' && strchr("ouxX", letters[i]) != NULL);
    }
    if (target_is_gpu(e->target)) {
        emit_gpu_print(e, inst, values, letters);
        return;
    }
    LLVMTypeRef ptr = e->types[IR_PTR];
    LLVMTypeRef array = LLVMArrayType2(e->types[IR_I64], (uint64_t)(inst->arg_count > 0 ? inst->arg_count : 1));
    LLVMValueRef buffer = emit_alloca(e, array, 8, "values");
    for (int i = 0; i < inst->arg_count; i++) {
        LLVMValueRef index = emit_i64(e, i);
        LLVMValueRef slot = LLVMBuildInBoundsGEP2(e->builder, e->types[IR_I64], buffer, &index, 1, "");
        LLVMBuildStore(e->builder, values[i], slot);
    }
    LLVMTypeRef params[5] = {ptr, e->types[IR_I64], ptr, ptr, e->types[IR_I32]};
    LLVMTypeRef type = LLVMFunctionType(e->types[IR_VOID], params, 5, false);
    LLVMValueRef args[5] = {e->function->frame, e->function->iter, emit_string(e, inst->text, "format"), buffer,
                            emit_const(e, IR_I32, inst->arg_count)};
    LLVMBuildCall2(e->builder, type, load_service(e, offsetof(struct abi_services, print)), args, 5, "");
}
