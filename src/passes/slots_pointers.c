// Pointers take the memory of a local with them from one task to another: where a pointer variable lives in the launch
// block, what it may point to must live there too, or it would point into a stack that is gone.
//
// An address that is stored in memory, or given to a helper that may keep it or return it, cannot be followed. It is
// taken to be anywhere in the memory that crosses tasks, and in every pointer there that was loaded.
#include "base/vec.h"
#include "passes/bases.h"
#include "passes/offload.h"
#include "passes/walk.h"

struct pointers {
    struct offload *o;
    const struct base_sets *sets;
    bool *needs_slot;                         // by variable
    bool *is_hidden;                          // by variable: its address goes where it cannot be followed
    VEC(const struct ir_function *) harmless; // helpers that keep no pointer: each is looked through once
};

static void hide(struct pointers *p, const struct ir_inst *value)
{
    struct base_set found = {0};
    bases_of(p->o->arena, p->sets, value, &found);
    for (int i = 0; i < found.count; i++) {
        if (base_kind(found.bases[i]) == BASE_LOCAL) {
            p->is_hidden[base_index(found.bases[i])] = true;
        }
    }
}

static bool is_harmless(struct pointers *p, const struct ir_function *function);

static bool keeps_no_pointer(struct ir_inst *inst, void *user)
{
    if (inst->op == IR_OP_CALL) {
        return is_harmless(user, inst->function);
    }
    return inst->op != IR_OP_STORE || inst->type != IR_PTR;
}

static bool is_harmless(struct pointers *p, const struct ir_function *function)
{
    for (int i = 0; i < p->harmless.count; i++) {
        if (p->harmless.items[i] == function) {
            return true;
        }
    }
    if (function->return_type == IR_PTR || !walk_region(&function->body, keeps_no_pointer, p)) {
        return false;
    }
    VEC_PUSH(p->o->arena, &p->harmless, function);
    return true;
}

static bool find_hidden(struct ir_inst *inst, void *user)
{
    bool is_store = inst->op == IR_OP_STORE || inst->op == IR_OP_ATOMIC || inst->op == IR_OP_CAS;
    if (!is_store && (inst->op != IR_OP_CALL || keeps_no_pointer(inst, user))) {
        return true;
    }
    for (int i = is_store ? 1 : 0; i < inst->arg_count; i++) {
        if (inst->args[i]->type == IR_PTR) {
            hide(user, inst->args[i]);
        }
    }
    return true;
}

// Whether a pointer that cannot be followed may cross in the variable.
static bool holds_hidden(const struct pointers *p, const struct ir_var *var)
{
    if (var->is_memory) {
        return var->size >= (uint64_t)ir_type_size(IR_PTR);
    }
    return var->type == IR_PTR && p->sets->of_var[var->index].is_unknown;
}

static bool place(struct pointers *p, int index)
{
    if (p->needs_slot[index]) {
        return false;
    }
    // What belongs to an iteration of a parallel loop is dead when the iteration is.
    const struct ir_var *var = p->o->kernel->vars[index];
    for (int i = 0; var->scope != NULL && i < p->o->pieces.count; i++) {
        const struct piece *piece = &p->o->pieces.items[i];
        if (piece->kind == PIECE_PARALLEL && walk_is_inside(var->scope, piece->first)) {
            return false;
        }
    }
    p->needs_slot[index] = true;
    return true;
}

static bool place_targets(struct pointers *p, const struct ir_var *var)
{
    bool changed = false;
    if (holds_hidden(p, var)) {
        for (int i = 0; i < p->o->kernel->var_count; i++) {
            changed |= p->is_hidden[i] && place(p, i);
        }
    }
    const struct base_set *set = &p->sets->of_var[var->index];
    for (int i = 0; !var->is_memory && i < set->count; i++) {
        changed |= base_kind(set->bases[i]) == BASE_LOCAL && place(p, base_index(set->bases[i]));
    }
    return changed;
}

void slots_follow_pointers(struct offload *o, bool *needs_slot)
{
    struct pointers p = {.o = o, .needs_slot = needs_slot};
    p.sets = bases_find(o->arena, o->kernel);
    p.is_hidden = ARENA_ARRAY(o->arena, bool, o->kernel->var_count + 1);
    walk_region(&o->kernel->body, find_hidden, &p);
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < o->kernel->var_count; i++) {
            changed |= needs_slot[i] && place_targets(&p, o->kernel->vars[i]);
        }
    }
}
