// Structured control flow becomes basic blocks. A region that ends by break, jump, return or fail leaves its block
// ended; whoever opened the region then goes on in a block of his own.
#include "codegen/emit.h"
#include "codegen/lanes.h"

#include <assert.h>

// ---- leaving
// -----------------------------------------------------------------------------------------------------------

static struct emit_target *find_target(struct emitter *e, const struct ir_inst *inst)
{
    for (struct emit_target *target = e->function->targets; target != NULL; target = target->outer) {
        if (target->inst == inst) {
            return target;
        }
    }
    return NULL;
}

static void emit_leave(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->target != NULL);
    struct emit_target *target = find_target(e, inst->target);
    if (target == NULL) {
        emit_fail(e, inst->loc, "internal: '%s' leaves something that does not enclose it", ir_op_name(inst->op));
        return;
    }
    emit_go(e, inst->op == IR_OP_JUMP ? target->regions[inst->imm] : target->exit);
}

static void emit_return(struct emitter *e, const struct ir_inst *inst)
{
    const struct ir_function *ir = e->function->ir;
    if (ir->kind != IR_FUNCTION_HELPER) {
        if (inst->arg_count > 0) {
            emit_fail(e, inst->loc, "internal: a task returns a value");
        }
        emit_go(e, e->function->end);
        return;
    }
    LLVMValueRef value = inst->arg_count > 0 ? emit_value(e, inst->args[0]) : NULL;
    if (!emit_helper_of(e, ir)->may_fail) {
        if (value != NULL) {
            LLVMBuildRet(e->builder, value);
        } else {
            LLVMBuildRetVoid(e->builder);
        }
        return;
    }
    LLVMValueRef no = emit_const(e, IR_I1, 0);
    if (value == NULL) {
        LLVMBuildRet(e->builder, no);
    } else {
        LLVMBuildAggregateRet(e->builder, (LLVMValueRef[]){value, no}, 2);
    }
}

// ---- regions inside
// ------------------------------------------------------------------------------------------------------

static void emit_if(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->region_count >= 1 && inst->region_count <= 2);
    bool has_else = inst->region_count > 1 && inst->regions[1].first != NULL;
    LLVMBasicBlockRef yes = emit_block(e, "then");
    LLVMBasicBlockRef no = has_else ? emit_block(e, "else") : NULL;
    LLVMBasicBlockRef after = emit_block(e, "after");
    LLVMBuildCondBr(e->builder, emit_value(e, inst->args[0]), yes, has_else ? no : after);
    emit_at(e, yes);
    emit_region(e, &inst->regions[0]);
    emit_go(e, after);
    if (has_else) {
        emit_at(e, no);
        emit_region(e, &inst->regions[1]);
        emit_go(e, after);
    }
    emit_at(e, after);
}

static void emit_loop(struct emitter *e, const struct ir_inst *inst, bool again)
{
    struct emit_target target = {inst, emit_block(e, "left"), NULL, e->function->targets};
    e->function->targets = &target;
    LLVMBasicBlockRef body = emit_block(e, again ? "again" : "inside");
    emit_go(e, body);
    emit_at(e, body);
    emit_region(e, &inst->regions[0]);
    emit_go(e, again ? body : target.exit);
    e->function->targets = target.outer;
    emit_at(e, target.exit);
}

static void emit_switch(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->region_count > 0);
    struct emit_target target = {inst, emit_block(e, "left"), NULL, e->function->targets};
    e->function->targets = &target;
    LLVMBasicBlockRef *blocks = ARENA_ARRAY(e->arena, LLVMBasicBlockRef, inst->region_count + 1);
    for (int i = 0; i < inst->region_count; i++) {
        blocks[i] = emit_block(e, "case");
    }
    blocks[inst->region_count] = target.exit;
    LLVMBasicBlockRef otherwise = inst->default_region >= 0 ? blocks[inst->default_region] : target.exit;
    LLVMValueRef value = emit_value(e, inst->args[0]);
    LLVMValueRef branch = LLVMBuildSwitch(e->builder, value, otherwise, (unsigned)inst->case_count);
    for (int i = 0; i < inst->case_count; i++) {
        LLVMAddCase(branch, LLVMConstInt(LLVMTypeOf(value), (uint64_t)inst->cases[i], true),
                    blocks[inst->case_regions[i]]);
    }
    for (int i = 0; i < inst->region_count; i++) {
        emit_at(e, blocks[i]);
        emit_region(e, &inst->regions[i]);
        emit_go(e, blocks[i + 1]);
    }
    e->function->targets = target.outer;
    emit_at(e, target.exit);
}

static void emit_cfg(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->region_count > 0);
    struct emit_target target = {inst, emit_block(e, "left"), NULL, e->function->targets};
    e->function->targets = &target;
    target.regions = ARENA_ARRAY(e->arena, LLVMBasicBlockRef, inst->region_count + 1);
    for (int i = 0; i < inst->region_count; i++) {
        target.regions[i] = emit_block(e, "body");
    }
    emit_go(e, inst->region_count > 0 ? target.regions[0] : target.exit);
    for (int i = 0; i < inst->region_count; i++) {
        emit_at(e, target.regions[i]);
        emit_region(e, &inst->regions[i]);
        emit_go(e, target.exit);
    }
    e->function->targets = target.outer;
    emit_at(e, target.exit);
}

void emit_control_inst(struct emitter *e, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_IF: emit_if(e, inst); break;
    case IR_OP_BLOCK: emit_loop(e, inst, false); break;
    case IR_OP_LOOP: emit_loop(e, inst, true); break;
    case IR_OP_FOR: emit_for(e, inst); break;
    case IR_OP_SWITCH: emit_switch(e, inst); break;
    case IR_OP_CFG: emit_cfg(e, inst); break;
    case IR_OP_BLOCKS: // inside one task blocks run in program order
        for (int i = 0; i < inst->region_count; i++) {
            emit_region(e, &inst->regions[i]);
        }
        break;
    case IR_OP_BREAK:
    case IR_OP_JUMP: emit_leave(e, inst); break;
    case IR_OP_RETURN: emit_return(e, inst); break;
    case IR_OP_YIELD: break; // whoever evaluates the region takes the value
    case IR_OP_BARRIER: emit_fail(e, inst->loc, "not supported: barriers of two-level tasks"); break;
    default: break;
    }
}

static void emit_inst(struct emitter *e, const struct ir_inst *inst)
{
    debug_at(e, e->builder, inst->loc);
    if (e->function->lanes != NULL && lanes_emit(e->function->lanes, inst)) {
        return;
    }
    emit_team_note(e, inst);
    if (emit_team_is_alone(e, inst)) {
        LLVMBasicBlockRef after = emit_team_begin_alone(e);
        bool is_plain = ir_op_is_bytes(inst->op) || !ir_op_reads(inst->op);
        if (inst->op == IR_OP_IF) {
            emit_if(e, inst);
        } else {
            (void)(is_plain ? emit_memory(e, inst) : emit_update(e, inst));
        }
        emit_team_end_alone(e, after);
        return;
    }
    if (ir_op_is_value(inst->op)) {
        emit_set_value(e, inst, emit_pure(e, inst));
        return;
    }
    if (ir_op_accesses(inst->op)) {
        bool is_plain = ir_op_is_bytes(inst->op) || !ir_op_reads(inst->op) || !ir_op_writes(inst->op);
        emit_set_value(e, inst, is_plain ? emit_memory(e, inst) : emit_update(e, inst));
        return;
    }
    switch (inst->op) {
    case IR_OP_SET:
        LLVMBuildStore(e->builder, emit_value(e, inst->args[0]), e->function->vars[inst->var->index]);
        emit_counter_set(e, inst);
        break;
    case IR_OP_VUPDATE: emit_set_value(e, inst, emit_update(e, inst)); break;
    case IR_OP_CALL: emit_set_value(e, inst, emit_call(e, inst)); break;
    case IR_OP_PRINT: emit_print(e, inst); break;
    case IR_OP_FAIL: emit_failure(e, inst); break;
    case IR_OP_RACE: emit_race(e, inst, emit_value(e, inst->args[0]), emit_value(e, inst->args[1])); break;
    case IR_OP_CHECK: emit_bounds_check(e, inst, emit_value(e, inst->args[0]), emit_value(e, inst->args[1])); break;
    default:
        emit_control_inst(e, inst);
        emit_team_note(e, inst); // whichever way it went
        break;
    }
}

void emit_region(struct emitter *e, const struct ir_region *region)
{
    emit_insts(e, region->first, NULL);
}

void emit_insts(struct emitter *e, const struct ir_inst *first, const struct ir_inst *behind)
{
    for (const struct ir_inst *inst = first; inst != behind; inst = inst->next) {
        if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->builder)) != NULL) {
            return; // nothing after a terminator runs
        }
        emit_inst(e, inst);
    }
}
