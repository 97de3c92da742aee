// Pointers take the memory of a local with them from one task to another: where a pointer variable lives in the launch
// block, what it may point to must live there too, or it would point into a stack that is gone.
//
// An address that is stored in memory, or given to a helper that may keep it or return it, cannot be followed. It is
// taken to be anywhere in the memory that crosses tasks, and in every pointer there that was loaded. A field crosses
// tasks where more than one of them keeps such addresses or loads pointers.
#include "base/vec.h"
#include "ir/points_to.h"
#include "ir/walk.h"
#include "offload/offload.h"

struct pointers {
    struct offload *o;
    const struct points_to *sets;
    bool *needs_slot;                         // by variable
    bool *is_hidden;                          // by variable: its address goes where it cannot be followed,
    bool *is_kept;                            // and that may be a field
    bool is_copied;                           // a struct with pointers in it may be copied to a field
    VEC(const struct ir_function *) harmless; // helpers that keep no pointer: each is looked through once
};

static void hide(struct pointers *p, const struct ir_inst *value, bool in_field)
{
    struct base_set found = {0};
    points_to_of(p->o->arena, p->sets, value, &found);
    for (int i = 0; i < found.count; i++) {
        if (base_kind(found.bases[i]) == BASE_LOCAL) {
            p->is_hidden[base_index(found.bases[i])] = true;
            p->is_kept[base_index(found.bases[i])] |= in_field;
        }
    }
}

// Parameters hold no pointers.
static bool may_be_field(const struct pointers *p, const struct ir_inst *address)
{
    struct base_set found = {0};
    points_to_of(p->o->arena, p->sets, address, &found);
    bool is_field = found.is_unknown;
    for (int i = 0; i < found.count; i++) {
        is_field |= base_kind(found.bases[i]) == BASE_GLOBAL || base_kind(found.bases[i]) == BASE_UNKNOWN;
    }
    return is_field;
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
    struct pointers *p = user;
    bool is_store = ir_op_is_element(inst->op) && ir_op_writes(inst->op) && inst->op != IR_OP_UPDATE;
    p->is_copied |= inst->op == IR_OP_COPY && may_be_field(p, inst->args[0]);
    if (!is_store && (inst->op != IR_OP_CALL || keeps_no_pointer(inst, user))) {
        return true;
    }
    bool in_field = !is_store || may_be_field(p, inst->args[0]);
    for (int i = is_store ? 1 : 0; i < inst->arg_count; i++) {
        if (inst->args[i]->type == IR_PTR) {
            hide(p, inst->args[i], in_field);
        }
    }
    return true;
}

static bool leaves_fields_alone(struct ir_inst *inst, void *user)
{
    bool is_pointer =
        inst->op == IR_OP_LOAD ? inst->type == IR_PTR : inst->op == IR_OP_STORE && inst->args[1]->type == IR_PTR;
    if (inst->op == IR_OP_COPY || inst->op == IR_OP_CALL) {
        return false;
    }
    return !is_pointer || !may_be_field(user, inst->args[0]);
}

static bool is_in_loop(const struct ir_inst *inst)
{
    const struct ir_inst *owner = inst->parent->owner;
    while (owner != NULL && owner->op != IR_OP_FOR && owner->op != IR_OP_LOOP) {
        owner = owner->parent->owner;
    }
    return owner != NULL;
}

// Whether a field may carry a pointer from one fragment to another, or to the next round of a loop around a fragment.
static bool fields_cross(struct pointers *p)
{
    int count = 0;
    for (int i = 0; i < p->o->fragments.count; i++) {
        const struct fragment *fragment = &p->o->fragments.items[i];
        bool has = false;
        struct ir_inst *inst = fragment->first;
        for (int k = 0; k < fragment->count; k++, inst = inst->next) {
            has |= !walk_inst(inst, leaves_fields_alone, p);
        }
        count += !has ? 0 : is_in_loop(fragment->first) ? 2 : 1;
    }
    return count > 1;
}

// Whether a pointer that cannot be followed may cross in the variable.
static bool holds_hidden(const struct pointers *p, const struct ir_var *var)
{
    if (var->is_memory) {
        return var->size >= (uint64_t)ir_type_size(IR_PTR);
    }
    return var->type == IR_PTR && p->sets->of_var[var->index].is_unknown;
}

// Whether the loop, which is a fragment, may also run as control around other fragments.
static bool has_tasks_inside(const struct offload *o, const struct ir_inst *loop)
{
    for (int i = 0; i < o->fragments.count; i++) {
        const struct ir_inst *first = o->fragments.items[i].first;
        if (first != loop && walk_is_inside(first, loop)) {
            return true;
        }
    }
    return false;
}

static bool place(struct pointers *p, int index)
{
    if (p->needs_slot[index]) {
        return false;
    }
    // What belongs to an iteration of a parallel loop is dead when the iteration is.
    const struct ir_var *var = p->o->kernel->vars[index];
    for (int i = 0; var->scope != NULL && i < p->o->fragments.count; i++) {
        const struct fragment *fragment = &p->o->fragments.items[i];
        if (fragment->kind == FRAGMENT_PARALLEL && walk_is_inside(var->scope, fragment->first) &&
            !has_tasks_inside(p->o, fragment->first)) {
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
    p.sets = points_to_find(o->arena, o->kernel);
    p.is_hidden = ARENA_ARRAY(o->arena, bool, o->kernel->var_count + 1);
    p.is_kept = ARENA_ARRAY(o->arena, bool, o->kernel->var_count + 1);
    walk_region(&o->kernel->body, find_hidden, &p);
    bool is_any_kept = false;
    for (int i = 0; i < o->kernel->var_count; i++) {
        p.is_kept[i] |= p.is_hidden[i] && p.is_copied;
        is_any_kept |= p.is_kept[i];
    }
    bool do_cross = is_any_kept && fields_cross(&p);
    for (int i = 0; do_cross && i < o->kernel->var_count; i++) {
        if (p.is_kept[i]) {
            place(&p, i);
        }
    }
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < o->kernel->var_count; i++) {
            changed |= needs_slot[i] && place_targets(&p, o->kernel->vars[i]);
        }
    }
}
