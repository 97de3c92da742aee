// What a load gives. It is the same value for as long as neither the address changes nor anybody writes there: a width
// that a field holds does not vary with a loop that leaves the field alone. Arguments that overlap are no matter here:
// a loop that reads one and writes the other needs the two apart for its own verdict, and the launch tests that.
#include "analysis/values/evaluate.h"
#include "ir/walk.h"

#include <assert.h>

struct loaded { // a value read from memory that does not change in a loop
    const struct loop_info *still;
    int base;
    enum ir_type type;
    const struct poly *flat;
    const struct sym *value;
};

struct writes { // of one loop
    struct analysis *an;
    const struct points_to *sets;
    struct base_set bases;
};

static bool note_writes(struct ir_inst *inst, void *user)
{
    struct writes *writes = user;
    if (inst->op == IR_OP_CALL) {
        writes->bases.is_unknown = true; // of a helper that is not looked into here
    } else if (ir_op_writes(inst->op)) {
        points_to_of(writes->an->arena, writes->sets, inst->args[0], &writes->bases);
    }
    return !writes->bases.is_unknown;
}

// The bases that the loop may write, found once.
static const struct base_set *written_in(struct frame *frame, struct loop_info *loop)
{
    struct analysis *an = frame->an;
    if (loop->stores == NULL) {
        struct writes writes = {.an = an, .sets = an->bases};
        if (loop->function == an->kernel) {
            walk_inst(loop->inst, note_writes, &writes);
        } else {
            writes.bases.is_unknown = true; // a helper's loop: its pointers are not the kernel's
        }
        loop->stores = ARENA_NEW(an->arena, struct base_set);
        *loop->stores = writes.bases;
    }
    return loop->stores;
}

// Nobody writes a constant, and a struct parameter is a copy.
static bool is_constant(const struct analysis *an, int base)
{
    int index = base_index(base);
    return (base_kind(base) == BASE_GLOBAL && an->module->globals[index]->is_const) ||
           (base_kind(base) == BASE_PARAM && an->kernel->params[index].is_struct);
}

static bool is_known_base(int base)
{
    return base_kind(base) == BASE_PARAM || base_kind(base) == BASE_GLOBAL || base_kind(base) == BASE_LOCAL;
}

// The outermost loop around the load in which its value stays the same; NULL: none.
static struct loop_info *still_in(struct frame *frame, const struct ir_inst *load, const struct sym_alt *address)
{
    struct analysis *an = frame->an;
    struct loop_info *still = NULL;
    const struct poly *flat = access_flat(an, address);
    if (load->is_volatile || flat == NULL || address->needs != NULL || !is_known_base(address->base)) {
        return NULL;
    }
    for (struct loop_info *loop = frame->loop; loop != NULL; loop = loop->parent) {
        if (value_varies(an, flat, loop) ||
            (!is_constant(an, address->base) && base_set_may_hold(written_in(frame, loop), address->base))) {
            break;
        }
        still = loop;
    }
    return still;
}

// The same place was read in the same loop before: the same value.
static const struct sym *find_loaded(struct analysis *an, const struct loaded *wanted)
{
    assert(wanted->still != NULL);
    for (int i = 0; i < an->loaded.count; i++) {
        const struct loaded *other = &an->loaded.items[i];
        if (other->still == wanted->still && other->base == wanted->base && other->type == wanted->type &&
            poly_equal(other->flat, wanted->flat)) {
            return other->value;
        }
    }
    return NULL;
}

const struct sym *access_loaded(struct frame *frame, struct ir_inst *load)
{
    assert(load->op == IR_OP_LOAD);
    enum { MAX_LOADED = 256 }; // looked through one by one; a load beyond is a value of its own
    struct analysis *an = frame->an;
    const struct sym *address = sym_of(frame, load->args[0]);
    struct loop_info *still = address->alt_count == 1 ? still_in(frame, load, &address->alts[0]) : NULL;
    if (still == NULL || load->type == IR_PTR) {
        return sym_unknown(frame, load, NULL, load->type, frame->loop);
    }
    struct loaded wanted = {still, address->alts[0].base, load->type, access_flat(an, &address->alts[0]), NULL};
    const struct sym *known = find_loaded(an, &wanted);
    if (known == NULL) {
        known = wanted.value = sym_unknown(frame, load, NULL, load->type, still->parent);
        if (an->loaded.count < MAX_LOADED) {
            VEC_PUSH(an->arena, &an->loaded, wanted);
        }
    }
    return known;
}
