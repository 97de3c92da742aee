// Updates of one fixed place in helpers that are called. Each call hands over memory of the iteration for them, which
// starts at the operation's identity; what the helper left there is then accumulated as if it had been the operand of
// an update in the loop itself.
#include "offload/outline.h"
#include "passes/specialise.h"

#include <assert.h>

enum { FLAG_OFFSET = 8, ROOM = 16 }; // a value of at most eight bytes, and the flag that an update ran

static const struct call_context *root_of(const struct call_context *context)
{
    while (context != NULL && context->caller != NULL) {
        context = context->caller;
    }
    return context;
}

static bool is_under(const struct reduced_update *update, const struct ir_inst *call)
{
    const struct call_context *root = root_of(update->context);
    return root != NULL && root->call == call;
}

static bool is_entry_of(const struct reduce_entry *entry, const struct ir_inst *call)
{
    for (int k = 0; entry->memory != NULL && k < entry->memory->update_count; k++) {
        if (is_under(&entry->memory->updates[k], call)) {
            return true;
        }
    }
    return false;
}

bool reduce_is_in_call(const struct outline *out, const struct ir_inst *inst)
{
    for (int i = 0; i < out->reduction_count; i++) {
        if (is_entry_of(&out->reductions[i], inst)) {
            return true;
        }
    }
    return false;
}

static struct ir_inst *at(struct ir_builder *b, struct ir_inst *address, int64_t offset)
{
    struct ir_inst *inst = ir_emit1(b, IR_OP_OFFSET, IR_PTR, address);
    inst->imm = offset;
    return inst;
}

static void store(struct ir_builder *b, enum ir_type type, struct ir_inst *address, struct ir_inst *value)
{
    ir_emit(b, IR_OP_STORE, type, 2, (struct ir_inst *[2]){address, value});
}

// The iteration's memory, ready for the call.
static struct ir_inst *make_room(struct outline *out, const struct reduce_entry *entry, struct ir_builder *b)
{
    const char *name = arena_printf(out->o->arena, "%s.called", entry->local->name);
    struct ir_var *var = ir_var_create(out->o->module, out->function, name, IR_VOID);
    var->is_memory = true;
    var->size = ROOM;
    var->align = 8;
    var->slot = -1;
    struct ir_inst *address = ir_emit0(b, IR_OP_ADDR_VAR, IR_PTR);
    address->var = var;
    store(b, entry->type, address, reduce_identity(b, entry->update, entry->type));
    if (entry->ran != NULL) {
        store(b, IR_I32, at(b, address, FLAG_OFFSET), ir_const(b, IR_I32, 0));
    }
    return address;
}

static void take_result(const struct reduce_entry *entry, struct ir_inst *address, struct ir_builder *b)
{
    reduce_merge_value(b, entry, entry->local, ir_emit1(b, IR_OP_LOAD, entry->type, address));
    if (entry->ran != NULL) {
        struct ir_inst *flag = ir_emit1(b, IR_OP_LOAD, IR_I32, at(b, address, FLAG_OFFSET));
        ir_set(b, entry->ran, ir_emit2(b, IR_OP_OR, IR_I32, ir_get(b, entry->ran), flag));
    }
}

static void add_targets(struct outline *out, const struct reduce_entry *entry, const struct ir_inst *call,
                        struct reduced_call *into)
{
    struct reduced_target *targets =
        ARENA_ARRAY(out->o->arena, struct reduced_target, into->target_count + entry->memory->update_count);
    for (int i = 0; i < into->target_count; i++) {
        targets[i] = into->targets[i];
    }
    for (int k = 0; k < entry->memory->update_count; k++) {
        if (is_under(&entry->memory->updates[k], call)) {
            targets[into->target_count++] =
                (struct reduced_target){.update = &entry->memory->updates[k],
                                        .number = into->param_count,
                                        .flag_offset = entry->ran != NULL ? FLAG_OFFSET : 0};
        }
    }
    into->targets = targets;
    into->param_count++;
}

void reduce_call(struct outline *out, const struct ir_inst *inst, struct ir_inst *clone, struct ir_builder *to)
{
    assert(inst->op == IR_OP_CALL && reduce_is_in_call(out, inst));
    struct ir_builder before = *to;
    before.before = clone;
    before.region = clone->parent;
    struct reduced_call call = {0};
    const struct call_context *root = NULL;
    struct ir_inst **rooms = ARENA_ARRAY(out->o->arena, struct ir_inst *, out->reduction_count);
    for (int i = 0; i < out->reduction_count; i++) {
        const struct reduce_entry *entry = &out->reductions[i];
        if (is_entry_of(entry, inst)) {
            add_targets(out, entry, inst, &call);
            root = root_of(call.targets[call.target_count - 1].update->context);
            rooms[i] = make_room(out, entry, &before);
        }
    }
    call.name = arena_printf(out->o->arena, "%s.%d", out->function->name, out->call_count++);
    clone->function = specialise_reduced(out->o->kernel->analysis, root, &call);
    struct ir_inst **args = ARENA_ARRAY(out->o->arena, struct ir_inst *, inst->arg_count + call.param_count);
    int count = 0;
    for (; count < inst->arg_count; count++) {
        args[count] = clone->args[count];
    }
    for (int i = 0; i < out->reduction_count; i++) {
        if (rooms[i] != NULL) {
            args[count++] = rooms[i];
            take_result(&out->reductions[i], rooms[i], to);
        }
    }
    clone->args = args;
    clone->arg_count = count;
}

// ---- the address ---------------------------------------------------------------------------------------------------

// Of the helper's code: in terms of what the kernel handed over.
static struct ir_inst *value_in(struct outline *fin, struct ir_inst *inst, const struct call_context *context)
{
    if (context == NULL) {
        return outline_value(fin, inst);
    }
    if (inst->op == IR_OP_PARAM) {
        return value_in(fin, context->call->args[inst->imm], context->caller);
    }
    struct ir_inst **args = ARENA_ARRAY(fin->o->arena, struct ir_inst *, inst->arg_count + 1);
    for (int i = 0; i < inst->arg_count; i++) {
        args[i] = value_in(fin, inst->args[i], context);
    }
    fin->prologue.loc = inst->loc;
    struct ir_inst *clone = ir_emit(&fin->prologue, inst->op, inst->type, inst->arg_count, args);
    clone->imm = inst->imm;
    clone->fimm = inst->fimm;
    clone->global = inst->global;
    clone->text = inst->text;
    clone->in_bounds = inst->in_bounds;
    clone->is_constant = inst->is_constant;
    clone->no_wrap = inst->no_wrap;
    return clone;
}

struct ir_inst *reduce_address(struct outline *fin, const struct memory_reduction *memory)
{
    return value_in(fin, memory->updates[0].inst->args[0], memory->updates[0].context);
}
