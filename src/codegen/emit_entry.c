// Entries: the frame around a task's body. On the CPU an entry runs the iterations [lo, hi) it is given; on a GPU each
// thread finds its own. plan/abi.h fixes both signatures.
#include "codegen/emit.h"
#include "codegen/lanes.h"
#include "codegen/panels.h"

#include "ir/assignment.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// ---- functions in general
// --------------------------------------------------------------------------------------------

static void make_vars(struct emitter *e, struct emit_function *f)
{
    f->vars = ARENA_ARRAY(e->arena, LLVMValueRef, f->ir->var_count + 1);
    for (int i = 0; i < f->ir->var_count; i++) {
        const struct ir_var *var = f->ir->vars[i];
        if (var->is_memory) {
            f->has_memory_vars = true;
            LLVMTypeRef type = LLVMArrayType2(e->types[IR_I8], var->size);
            LLVMValueRef slot = emit_alloca(e, type, var->align != 0 ? var->align : 1, var->name);
            if (LLVMGetPointerAddressSpace(LLVMTypeOf(slot)) != TARGET_SPACE_GENERIC) {
                slot = LLVMBuildAddrSpaceCast(f->entry, slot, e->types[IR_PTR], "");
            }
            f->vars[i] = slot;
        } else {
            f->vars[i] = emit_alloca(e, e->types[var->type], (uint32_t)ir_type_size(var->type), var->name);
            // Reading a variable that was never written gives some value; poison would be worse than that.
            LLVMBuildStore(f->entry, LLVMConstNull(e->types[var->type]), f->vars[i]);
        }
    }
}

void emit_function_begin(struct emitter *e, struct emit_function *f, const struct ir_function *ir, LLVMValueRef llvm)
{
    assert(e->function == NULL); // functions are emitted one after the other
    *f = (struct emit_function){.ir = ir, .llvm = llvm};
    e->function = f;
    f->values = ARENA_ARRAY(e->arena, LLVMValueRef, ir->value_count + 1);
    LLVMBasicBlockRef entry = emit_block(e, "entry");
    LLVMBasicBlockRef start = emit_block(e, "start");
    e->entry = LLVMCreateBuilderInContext(e->context);
    f->entry = e->entry;
    LLVMPositionBuilderAtEnd(f->entry, entry);
    LLVMPositionBuilderBefore(f->entry, LLVMBuildBr(f->entry, start));
    f->scope = debug_function(e, ir, llvm);
    debug_at(e, f->entry, ir->loc);
    debug_at(e, e->builder, ir->loc);
    make_vars(e, f);
    emit_at(e, start);
}

void emit_function_end(struct emitter *e)
{
    assert(e->function != NULL);
    LLVMDisposeBuilder(e->entry);
    e->entry = NULL;
    LLVMSetCurrentDebugLocation2(e->builder, NULL);
    e->function = NULL;
}

// ---- arguments
// -------------------------------------------------------------------------------------------------------

// The same rule as plan_param.offset: in order, each at its C alignment.
static uint64_t layout_params(struct emitter *e, struct emit_function *f, const struct ir_function *kernel)
{
    uint64_t at = 0;
    f->param_offsets = ARENA_ARRAY(e->arena, uint64_t, kernel->param_count + 1);
    f->params = ARENA_ARRAY(e->arena, LLVMValueRef, kernel->param_count + 1);
    for (int i = 0; i < kernel->param_count; i++) {
        const struct ir_param *param = &kernel->params[i];
        bool by_value = param->is_struct && param->ctype != NULL;
        uint64_t size = by_value ? param->ctype->size : (uint64_t)ir_type_size(param->type);
        uint64_t align = by_value ? param->ctype->align : size;
        align = align == 0 ? 1 : align;
        at = (at + align - 1) / align * align;
        f->param_offsets[i] = at;
        at += size;
    }
    return at;
}

static const struct ir_param *param_of(const struct ir_function *ir, int64_t index)
{
    const struct ir_function *owner = ir->kernel != NULL ? ir->kernel : ir;
    return &owner->params[index];
}

// Loaded once, in the entry block: nothing writes the argument buffer while a launch runs.
static LLVMValueRef load_param(struct emitter *e, int64_t index)
{
    assert(index >= 0);
    struct emit_function *f = e->function;
    const struct ir_param *param = param_of(f->ir, index);
    LLVMBuilderRef b = f->entry;
    LLVMValueRef offset = emit_i64(e, (int64_t)f->param_offsets[index]);
    LLVMValueRef address = LLVMBuildInBoundsGEP2(b, e->types[IR_I8], f->args, &offset, 1, "");
    if (param->is_struct) {
        return LLVMGetPointerAddressSpace(LLVMTypeOf(address)) == TARGET_SPACE_GENERIC
                   ? address
                   : LLVMBuildAddrSpaceCast(b, address, e->types[IR_PTR], "");
    }
    bool is_pointer = param->type == IR_PTR;
    enum ir_type stored = param->type == IR_I1 ? IR_I8 : param->type;
    LLVMValueRef value = LLVMBuildLoad2(b, is_pointer ? e->global_ptr : e->types[stored], address, param->name);
    LLVMSetAlignment(value, (unsigned)ir_type_size(stored));
    emit_metadata(e, value, "invariant.load", LLVMMDNodeInContext2(e->context, NULL, 0));
    if (is_pointer && target_is_gpu(e->target)) {
        value = LLVMBuildAddrSpaceCast(b, value, e->types[IR_PTR], param->name);
    }
    return param->type == IR_I1 ? LLVMBuildTrunc(b, value, e->types[IR_I1], "") : value;
}

LLVMValueRef emit_param(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_PARAM);
    struct emit_function *f = e->function;
    if (f->ir->kind == IR_FUNCTION_HELPER) {
        return LLVMGetParam(f->llvm, (unsigned)inst->imm);
    }
    if (f->params[inst->imm] == NULL) {
        f->params[inst->imm] = load_param(e, inst->imm);
    }
    return f->params[inst->imm];
}

// ---- what each thread or call runs
// -------------------------------------------------------------------------------------

struct range {
    LLVMValueRef lo;
    LLVMValueRef hi;
    LLVMValueRef step;
};

void emit_set_accumulators(struct emitter *e)
{
    const struct ir_function *ir = e->function->ir;
    for (int i = 0; i < ir->accumulator_count; i++) {
        const struct ir_inst *init = ir->accumulators[i].init;
        enum ir_type type = ir->accumulators[i].var->type;
        LLVMValueRef value = init->op == IR_OP_FCONST ? emit_real(e, type, init->fimm)
                                                      : LLVMConstInt(e->types[type], (uint64_t)init->imm, true);
        LLVMBuildStore(e->builder, value, e->function->vars[ir->accumulators[i].var->index]);
    }
}

void emit_store_accumulators(struct emitter *e)
{
    const struct ir_function *ir = e->function->ir;
    for (int i = 0; i < ir->accumulator_count; i++) {
        const struct ir_accumulator *accumulator = &ir->accumulators[i];
        enum ir_type type = accumulator->var->type;
        LLVMValueRef value = LLVMBuildLoad2(e->builder, e->types[type], e->function->vars[accumulator->var->index], "");
        LLVMValueRef offset = emit_i64(e, (int64_t)accumulator->offset);
        LLVMValueRef address = LLVMBuildGEP2(e->builder, e->types[IR_I8], e->function->partial, &offset, 1, "");
        emit_store_raw(e, type, value, address, (uint32_t)ir_type_size(type));
    }
}

static void emit_once(struct emitter *e, LLVMBasicBlockRef exit)
{
    e->function->iter = emit_i64(e, -1); // of no parallel loop: what fails names no iteration
    e->function->end = exit;
    emit_region(e, &e->function->ir->prologue);
    emit_region(e, &e->function->ir->body);
    emit_go(e, exit);
}

// ---- the loop over the iterations
// --------------------------------------------------------------------------------------------

static bool is_accumulator(const struct ir_function *ir, const struct ir_var *var)
{
    for (int i = 0; i < ir->accumulator_count; i++) {
        if (ir->accumulators[i].var == var) {
            return true;
        }
    }
    return false;
}

// What neither the prologue sets nor the call accumulates belongs to the iteration and has no value when it begins.
void emit_forget_vars(struct emitter *e)
{
    const struct ir_function *ir = e->function->ir;
    for (int i = 0; i < ir->var_count; i++) {
        const struct ir_var *var = ir->vars[i];
        if (!var->is_memory && !is_accumulator(ir, var) && !assignment_is_in_region(&ir->prologue, var)) {
            LLVMBuildStore(e->builder, LLVMConstNull(e->types[var->type]), e->function->vars[i]);
        }
    }
}

// Iterations that are taken as the lanes of vectors; returns the one behind them.
static LLVMValueRef emit_in_lanes(struct emitter *e, struct range range)
{
    const struct ir_function *ir = e->function->ir;
    struct lanes *lanes = ir->assume_independent && ir->accumulator_count == 0 ? lanes_find(e, NULL) : NULL;
    if (lanes == NULL) {
        return range.lo;
    }
    LLVMBuilderRef b = e->builder;
    LLVMValueRef distance = LLVMBuildSub(b, range.hi, range.lo, "");
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntSLT, range.lo, range.hi, "");
    LLVMValueRef trip = LLVMBuildSelect(b, some, distance, emit_i64(e, 0), "");
    LLVMValueRef done = lanes_emit_loop(lanes, range.lo, trip);
    return done == trip ? range.hi : LLVMBuildAdd(b, range.lo, done, "");
}

static void emit_iterations(struct emitter *e, struct range range, LLVMBasicBlockRef exit)
{
    struct emit_function *f = e->function;
    f->iter = range.lo;
    f->end = exit;
    emit_region(e, &f->ir->prologue);
    emit_set_accumulators(e);
    struct panels *panels = panels_find(e);
    if (panels != NULL) {
        panels_emit(panels, range.lo, range.hi);
        emit_go(e, exit);
        return;
    }
    range.lo = emit_in_lanes(e, range);
    if (range.lo == range.hi) {
        emit_go(e, exit);
        return;
    }
    LLVMBasicBlockRef loop = emit_block(e, "loop");
    LLVMBasicBlockRef latch = emit_block(e, "latch");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntSLT, range.lo, range.hi, "");
    LLVMValueRef enter = LLVMBuildCondBr(e->builder, some, loop, exit);
    f->before = enter;
    f->first = range.lo;

    emit_at(e, loop);
    f->iter = LLVMBuildPhi(e->builder, e->types[IR_I64], "iter");
    f->end = latch;
    emit_forget_vars(e);
    struct emit_group group = {0};
    bool independent = f->ir->assume_independent && emit_order_is_free(e, NULL);
    int math_calls = e->math_call_count;
    if (independent) {
        emit_group_push(e, &group);
    }
    emit_region(e, &f->ir->body);
    if (independent) {
        emit_group_pop(e);
    }
    emit_go(e, latch);

    emit_at(e, latch);
    debug_at(e, e->builder, f->ir->loc);
    emit_induction_close(e, before, latch);
    LLVMValueRef next = LLVMBuildNSWAdd(e->builder, f->iter, range.step, "next");
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, next, range.hi, "");
    LLVMValueRef branch = LLVMBuildCondBr(e->builder, more, loop, exit);
    emit_loop_notes(e, branch, &f->ir->body, group.group, e->math_call_count > math_calls);
    LLVMAddIncoming(f->iter, &range.lo, &before, 1);
    LLVMAddIncoming(f->iter, &next, &latch, 1);
}

// ---- signatures
// --------------------------------------------------------------------------------------------------------

static void add_type_attribute(struct emitter *e, LLVMValueRef function, int index, const char *name, LLVMTypeRef type)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)index, LLVMCreateTypeAttribute(e->context, kind, type));
}

// A task's version that runs in order is called only if arguments overlap: small and soon compiled is better than fast.
bool emit_is_fallback(const struct ir_function *ir)
{
    static const char suffix[] = ".in_order";
    size_t length = strlen(ir->name);
    return length >= sizeof suffix && strcmp(ir->name + length - (sizeof suffix - 1), suffix) == 0;
}

static const char *entry_name(struct emitter *e, const struct ir_function *ir)
{
    return emit_symbol(e, arena_printf(e->arena, "%s%s", ir->name, e->is_remote ? ABI_REMOTE : ""));
}

static LLVMValueRef declare_gpu_entry(struct emitter *e, const struct ir_function *ir, uint64_t args_size)
{
    bool is_amd = e->target->kind == TARGET_AMDGPU;
    LLVMTypeRef buffer = LLVMArrayType2(e->types[IR_I8], args_size != 0 ? (args_size + 7) / 8 * 8 : 8);
    LLVMTypeRef args = is_amd ? LLVMPointerTypeInContext(e->context, TARGET_SPACE_KERNARG) : e->types[IR_PTR];
    LLVMTypeRef i64 = e->types[IR_I64];
    LLVMTypeRef params[] = {args, e->global_ptr, i64, i64, e->global_ptr, e->global_ptr};
    if (e->target->is_stand_in) {
        return stand_in_declare(e, entry_name(e, ir), params, 6);
    }
    LLVMTypeRef type = LLVMFunctionType(e->types[IR_VOID], params, 6, false);
    LLVMValueRef function = LLVMAddFunction(e->llvm, entry_name(e, ir), type);
    LLVMSetFunctionCallConv(function, is_amd ? 91 : 71); // amdgpu_kernel, ptx_kernel
    add_type_attribute(e, function, 1, is_amd ? "byref" : "byval", buffer);
    emit_attribute(e, function, 1, "align", 16);
    if (is_amd) {
        LLVMSetVisibility(function, LLVMProtectedVisibility);
        emit_attribute_text(e, function, "amdgpu-flat-work-group-size", ir->count != NULL ? "1,256" : "1,1024");
        emit_attribute_text(e, function, "uniform-work-group-size", "true");
    } else if (ir->count !=
               NULL) { // tiles fill the registers: two blocks of shape.c's at a time are what there is room for
        emit_attribute_text(e, function, "nvvm.maxntid", "256");
        emit_attribute_text(e, function, "nvvm.minctasm", "2");
    }
    return function;
}

// Whether a pointer may come out of memory, and so may point into the launch block, where locals live that cross tasks.
static bool loads_pointer(const struct ir_region *region)
{
    WALK (inst, region) {
        bool is_load = ir_op_is_element(inst->op) && ir_has_result(inst);
        if ((is_load && inst->type == IR_PTR) || inst->op == IR_OP_INTTOPTR || inst->op == IR_OP_CALL) {
            return true;
        }
    }
    return false;
}

static LLVMValueRef declare_cpu_entry(struct emitter *e, const struct ir_function *ir)
{
    LLVMTypeRef ptr = e->types[IR_PTR];
    LLVMTypeRef i64 = e->types[IR_I64];
    LLVMTypeRef params[] = {ptr, ptr, i64, i64, ptr, ptr};
    LLVMTypeRef type = LLVMFunctionType(e->types[IR_VOID], params, 6, false);
    LLVMValueRef function = LLVMAddFunction(e->llvm, ir->name, type);
    // Nobody else has the addresses of the argument buffer, the launch block and the partial records of this call.
    emit_attribute(e, function, 1, "noalias", 0);
    emit_attribute(e, function, 1, "readonly", 0);
    if (!loads_pointer(&ir->prologue) && !loads_pointer(&ir->body)) {
        emit_attribute(e, function, 2, "noalias", 0);
    }
    emit_attribute(e, function, 5, "noalias", 0);
    return function;
}

static void name_params(LLVMValueRef function, bool is_gpu)
{
    static const char *const cpu[] = {"args", "block", "lo", "hi", "partial", "frame"};
    static const char *const gpu[] = {"args", "block", "trip", "chunk", "partial", "frame"};
    for (unsigned i = 0; i < 6; i++) {
        const char *name = is_gpu ? gpu[i] : cpu[i];
        LLVMSetValueName2(LLVMGetParam(function, i), name, strlen(name));
    }
}

// abi_frame.iter_count on the CPU; on a GPU the trip count, or the number of partial records, is an argument.
static LLVMValueRef load_count(struct emitter *e)
{
    struct emit_function *f = e->function;
    if (target_is_gpu(e->target)) {
        return LLVMGetParam(f->llvm, 2);
    }
    LLVMValueRef offset = emit_i64(e, offsetof(struct abi_frame, iter_count));
    LLVMValueRef address = LLVMBuildInBoundsGEP2(f->entry, e->types[IR_I8], f->frame, &offset, 1, "");
    LLVMValueRef count = LLVMBuildLoad2(f->entry, e->types[IR_I64], address, "count");
    emit_metadata(e, count, "invariant.load", LLVMMDNodeInContext2(e->context, NULL, 0));
    return count;
}

static struct range cpu_range(struct emitter *e)
{
    LLVMValueRef llvm = e->function->llvm;
    return (struct range){LLVMGetParam(llvm, 2), LLVMGetParam(llvm, 3), emit_i64(e, 1)};
}

// The first thread of a GPU's grid runs what is done once; the others go to |leave|. Where the records of a task merge
// in any order all threads of the one block that there is do so before.
static void choose_thread(struct emitter *e, LLVMBasicBlockRef leave)
{
    LLVMBuilderRef b = e->builder;
    const struct ir_function *task = emit_merge_task(e, e->function->ir);
    LLVMBasicBlockRef run = emit_block(e, "run");
    if (task != NULL) {
        emit_merge_records(e, task, leave);
        if (e->function->failed == NULL) {
            LLVMBuildBr(b, run);
        } else {
            LLVMBuildCondBr(b, e->function->failed, leave, run);
        }
    } else {
        LLVMValueRef number = emit_thread(e).number;
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, number, emit_i64(e, 0), ""), run, leave);
    }
    emit_at(e, run);
}

static void emit_body(struct emitter *e)
{
    struct emit_function *f = e->function;
    bool is_gpu = target_is_gpu(e->target);
    LLVMBasicBlockRef exit = emit_block(e, "exit");
    LLVMBasicBlockRef leave = is_gpu ? emit_block(e, "leave") : exit;
    if (f->ir->is_serial || f->ir->kind == IR_FUNCTION_FINISH) {
        if (is_gpu) {
            choose_thread(e, leave);
        }
        emit_set_accumulators(e);
        emit_once(e, exit);
        emit_at(e, exit);
    } else if (is_gpu) {
        emit_grid(e, leave);
        emit_go(e, exit);
        emit_at(e, exit);
    } else {
        emit_iterations(e, cpu_range(e), exit);
        emit_at(e, exit);
    }
    if (f->ir->kind == IR_FUNCTION_TASK && (!is_gpu || f->ir->is_serial)) {
        emit_store_accumulators(e);
    }
    LLVMBuildRetVoid(e->builder);
    if (leave != exit) {
        emit_at(e, leave);
        LLVMBuildRetVoid(e->builder);
    }
}

static bool region_can_fail(const struct emitter *e, const struct ir_region *region)
{
    WALK (inst, region) {
        bool is_checked = inst->op == IR_OP_INDEX && e->check_bounds && !inst->in_bounds;
        if (inst->op != IR_OP_CALL && ir_may_fail(inst, is_checked)) { // helpers are looked at themselves
            return true;
        }
    }
    return false;
}

bool emit_has_loops(const struct ir_region *region)
{
    WALK (inst, region) {
        if (inst->op == IR_OP_FOR || inst->op == IR_OP_LOOP) {
            return true;
        }
    }
    return false;
}

// Whether something in a launch of |kernel| can.
static bool kernel_can_fail(const struct emitter *e, const struct ir_function *kernel)
{
    for (int i = 0; i < e->module->function_count; i++) {
        const struct ir_function *function = e->module->functions[i];
        bool is_of_it = function->kernel == kernel || function->kind == IR_FUNCTION_HELPER;
        if (is_of_it && (region_can_fail(e, &function->prologue) || region_can_fail(e, &function->body))) {
            return true;
        }
    }
    return false;
}

// On a GPU nobody looks at the failure record between two tasks of a launch, so that each looks itself. A kernel that
// cannot fail has no frame. Goes on with whether something has failed.
static LLVMValueRef has_failed(struct emitter *e)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef frame = e->function->frame;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef look = emit_block(e, "look");
    LLVMBasicBlockRef looked = emit_block(e, "looked");
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, frame, ""), looked, look);
    emit_at(e, look);
    LLVMValueRef claimed = LLVMBuildLoad2(b, e->types[IR_I32], frame, "claimed");
    LLVMSetAlignment(claimed, 4);
    LLVMSetOrdering(claimed, LLVMAtomicOrderingMonotonic);
    const char *scope = e->target->kind == TARGET_AMDGPU ? "agent" : "device";
    LLVMSetAtomicSyncScopeID(claimed, LLVMGetSyncScopeID(e->context, scope, strlen(scope)));
    LLVMValueRef is_claimed = LLVMBuildICmp(b, LLVMIntNE, claimed, emit_const(e, IR_I32, 0), "");
    LLVMBuildBr(b, looked);
    emit_at(e, looked);
    LLVMValueRef failed = LLVMBuildPhi(b, e->types[IR_I1], "failed");
    LLVMAddIncoming(failed, (LLVMValueRef[]){emit_const(e, IR_I1, 0), is_claimed}, (LLVMBasicBlockRef[]){before, look},
                    2);
    return failed;
}

static void leave_if_failed(struct emitter *e)
{
    LLVMBasicBlockRef skip = emit_block(e, "skip");
    LLVMBasicBlockRef go = emit_block(e, "go");
    LLVMBuildCondBr(e->builder, has_failed(e), skip, go);
    emit_at(e, skip);
    LLVMBuildRetVoid(e->builder);
    emit_at(e, go);
}

// Begins the code of an entry, or of a function with an entry's parameters.
static void begin_with_params(struct emitter *e, struct emit_function *f, const struct ir_function *ir,
                              LLVMValueRef llvm)
{
    uint64_t *offsets = f->param_offsets;
    LLVMValueRef *params = f->params;
    bool is_gpu = target_is_gpu(e->target);
    name_params(llvm, is_gpu);
    emit_function_begin(e, f, ir, llvm);
    f->param_offsets = offsets;
    f->params = params;
    f->args = LLVMGetParam(llvm, 0);
    f->block = LLVMGetParam(llvm, 1);
    f->partial = LLVMGetParam(llvm, 4);
    f->frame = LLVMGetParam(llvm, 5);
    f->count = load_count(e);
    f->chunk = is_gpu ? LLVMGetParam(llvm, 3) : NULL;
}

// Declares the entry and begins its code: what is emitted next runs unless the launch has failed.
void emit_entry_begin(struct emitter *e, struct emit_function *f, const struct ir_function *ir)
{
    *f = (struct emit_function){.ir = ir};
    const struct ir_function *kernel = ir->kernel != NULL ? ir->kernel : ir;
    uint64_t args_size = layout_params(e, f, kernel);
    bool is_gpu = target_is_gpu(e->target);
    LLVMValueRef llvm = is_gpu ? declare_gpu_entry(e, ir, args_size) : declare_cpu_entry(e, ir);
    emit_attribute(e, llvm, LLVMAttributeFunctionIndex, "nounwind", 0);
    if (e->target->isa == TARGET_ISA_AVX512) {
        // Some processors' descriptions ask for half-width vectors; the math routines are full width.
        emit_attribute_text(e, llvm, "prefer-vector-width", "512");
    }
    if (emit_is_fallback(ir)) {
        emit_attribute(e, llvm, LLVMAttributeFunctionIndex, "cold", 0);
        emit_attribute(e, llvm, LLVMAttributeFunctionIndex, "optsize", 0);
    }
    if (is_gpu && emit_has_loops(&ir->body)) {
        emit_mark_loops(e, llvm);
    }
    begin_with_params(e, f, ir, llvm);
    if (is_gpu && e->failure_kernel != kernel) {
        e->can_fail = kernel_can_fail(e, kernel);
        e->failure_kernel = kernel;
    }
    bool can_fail = is_gpu && e->can_fail;
    int columns;
    bool has_team = emit_plan_has_team(e, ir, &columns);
    bool stays = ir_merges(ir) || emit_merge_task(e, ir) != NULL || emit_copies_has(e, ir) || has_team;
    if (columns > 0 && e->target->kind == TARGET_NVPTX) { // the registers must do for such a block
        emit_attribute_text(e, llvm, "nvvm.maxntid", arena_printf(e->arena, "%d", columns * ABI_GPU_TEAM));
    }
    if (can_fail && stays) {
        f->failed = has_failed(e); // threads that meet stay together, and each may see something else here
    } else if (can_fail) {
        leave_if_failed(e);
    }
}

void emit_mark_loops(struct emitter *e, LLVMValueRef entry)
{
    emit_attribute_text(e, entry, EMIT_INNER_LOOPS, "");
    if (e->target->is_stand_in) {
        stand_in_mark(e, entry, EMIT_INNER_LOOPS);
    }
}

LLVMTypeRef emit_part_type(struct emitter *e)
{
    bool is_amd = e->target->kind == TARGET_AMDGPU;
    LLVMTypeRef args = is_amd ? LLVMPointerTypeInContext(e->context, TARGET_SPACE_KERNARG) : e->types[IR_PTR];
    LLVMTypeRef i64 = e->types[IR_I64], i32 = e->types[IR_I32];
    LLVMTypeRef params[] = {args, e->global_ptr, i64, i64, e->global_ptr, e->global_ptr, e->types[IR_PTR], i32, i32};
    return LLVMFunctionType(e->types[IR_VOID], params, e->target->is_stand_in ? 9 : 7, false);
}

LLVMValueRef emit_part(struct emitter *e, const struct emit_resident *resident, const struct ir_function *ir)
{
    assert(target_is_gpu(e->target) && ir->kernel != NULL);
    const char *name = emit_symbol(e, arena_printf(e->arena, "%s.part", ir->name));
    LLVMValueRef llvm = LLVMAddFunction(e->llvm, name, emit_part_type(e));
    LLVMSetLinkage(llvm, LLVMInternalLinkage);
    emit_attribute(e, llvm, LLVMAttributeFunctionIndex, "nounwind", 0);
    emit_attribute(e, llvm, LLVMAttributeFunctionIndex, "alwaysinline", 0);
    emit_attribute(e, llvm, LLVMAttributeFunctionIndex, "convergent", 0); // threads meet in it
    struct emit_function f = {.ir = ir};
    layout_params(e, &f, ir->kernel);
    begin_with_params(e, &f, ir, llvm);
    f.resident = resident;
    f.control = LLVMGetParam(llvm, 6);
    f.only_read = resident->only_read;
    emit_body(e);
    emit_function_end(e);
    return llvm;
}

void emit_entry(struct emitter *e, const struct ir_function *ir)
{
    struct emit_function f;
    emit_entry_begin(e, &f, ir);
    if (target_is_gpu(e->target)) {
        emit_plan_count(e);
        emit_plan_reads(e);
    }
    emit_body(e);
    emit_function_end(e);
}
