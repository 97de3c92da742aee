// Whether the accesses of an independent loop may be called parallel to LLVM's vectoriser.
//
// It then forgets all order between them, also inside one iteration. That shows in one place: strided accesses through
// one base (a[2 * i] and a[2 * i + 1], members of structs) are joined into one wide access, loads at the place of the
// first, stores at the place of the last. An access in between that touches the same memory through another base, which
// a launch allows where both always have the same index, would be passed. So a loop is called parallel only if nothing
// stands between accesses that could be joined; else LLVM compares addresses at run time and keeps the order itself.
#include "codegen/emit.h"

#include "ir/points_to.h"

enum { BASE_LIMIT = 24 };

// What has been seen of one base.
struct base {
    const struct ir_inst *root;
    bool loaded;       // by a strided load …
    bool store_since;  // … and then something was stored
    bool stored;       // by a strided store …
    bool access_since; // … and then something else was loaded or stored
};

struct order {
    const struct ir_function *function;
    const struct ir_inst *loop; // NULL: the task's own loop
    struct base bases[BASE_LIMIT];
    int base_count;
    bool is_repeated; // inside a loop that is walked several times
    bool is_safe;
};

// ---- strides
// -----------------------------------------------------------------------------------------------------------------

enum stride { STRIDE_NONE, STRIDE_ONE, STRIDE_OTHER };

static bool is_inside(const struct order *order, const struct ir_inst *inst)
{
    if (order->loop == NULL) {
        return inst->parent != &order->function->prologue;
    }
    for (const struct ir_region *region = inst->parent; region != NULL && region->owner != NULL;) {
        if (region->owner == order->loop) {
            return true;
        }
        region = region->owner->parent;
    }
    return false;
}

static enum stride stride_of(const struct order *order, const struct ir_inst *value);

// The task's loop variable is set once, from the iteration number; other variables are not followed.
static enum stride stride_of_var(const struct order *order, const struct ir_var *var)
{
    if (order->loop != NULL) {
        return order->loop->loop->var == var ? STRIDE_ONE : STRIDE_OTHER;
    }
    const struct ir_inst *first = order->function->body.first;
    for (; first != NULL; first = first->next) {
        if (first->op == IR_OP_SET && first->var == var) {
            return stride_of(order, first->args[0]);
        }
    }
    return STRIDE_OTHER;
}

static enum stride stride_of_sum(enum stride x, enum stride y)
{
    return x == STRIDE_NONE ? y : y == STRIDE_NONE ? x : STRIDE_OTHER;
}

// How the value grows from one iteration to the next: not at all (or by loaded data, which no one joins), by one, or in
// some other way.
static enum stride stride_of(const struct order *order, const struct ir_inst *value)
{
    if (!is_inside(order, value)) {
        return STRIDE_NONE;
    }
    switch (value->op) {
    case IR_OP_CONST:
    case IR_OP_PARAM:
    case IR_OP_ADDR_GLOBAL:
    case IR_OP_ADDR_SLOT:
    case IR_OP_LOAD: return STRIDE_NONE;
    case IR_OP_ITER: return order->loop == NULL ? STRIDE_ONE : STRIDE_NONE;
    case IR_OP_GET: return stride_of_var(order, value->var);
    case IR_OP_SEXT:
    case IR_OP_ZEXT:
    case IR_OP_TRUNC: return stride_of(order, value->args[0]);
    case IR_OP_ADD: return stride_of_sum(stride_of(order, value->args[0]), stride_of(order, value->args[1]));
    case IR_OP_SUB: {
        enum stride right = stride_of(order, value->args[1]);
        return right == STRIDE_NONE ? stride_of(order, value->args[0]) : STRIDE_OTHER;
    }
    default: return STRIDE_OTHER;
    }
}

// Whether LLVM could see the pointer move by a constant other than the size of what is accessed.
static bool is_strided(const struct order *order, const struct ir_inst *pointer, enum ir_type type)
{
    for (; pointer->op == IR_OP_INDEX || pointer->op == IR_OP_OFFSET; pointer = pointer->args[0]) {
        if (pointer->op == IR_OP_OFFSET) {
            continue;
        }
        enum stride stride = stride_of(order, pointer->args[1]);
        bool is_size = pointer->args[2]->op == IR_OP_CONST && pointer->args[2]->imm == ir_type_size(type);
        if (stride == STRIDE_OTHER || (stride == STRIDE_ONE && !is_size)) {
            return true;
        }
    }
    return stride_of(order, pointer) == STRIDE_OTHER;
}

// ---- the walk
// ----------------------------------------------------------------------------------------------------------------

static bool is_same_root(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->op == b->op && a->imm == b->imm && a->global == b->global && a->var == b->var;
}

static struct base *base_of(struct order *order, const struct ir_inst *pointer)
{
    pointer = address_root(pointer);
    for (int i = 0; i < order->base_count; i++) {
        if (is_same_root(order->bases[i].root, pointer)) {
            return &order->bases[i];
        }
    }
    if (order->base_count == BASE_LIMIT) {
        order->is_safe = false;
        return &order->bases[0];
    }
    struct base *base = &order->bases[order->base_count++];
    *base = (struct base){.root = pointer};
    return base;
}

static void note_access(struct order *order, const struct ir_inst *pointer, enum ir_type type, bool is_store)
{
    struct base *own = base_of(order, pointer);
    bool strided = is_strided(order, pointer, type);
    if (strided && ((!is_store && own->loaded && own->store_since) || (is_store && own->stored && own->access_since))) {
        order->is_safe = false;
    }
    for (int i = 0; i < order->base_count; i++) {
        struct base *base = &order->bases[i];
        base->store_since |= is_store && base->loaded;
        base->access_since |= base->stored && !(strided && is_store && base == own);
    }
    own->loaded |= strided && !is_store;
    own->stored |= strided && is_store;
}

static void walk(struct order *order, const struct ir_region *region);

static void walk_inst(struct order *order, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_LOAD: note_access(order, inst->args[0], inst->type, false); break;
    case IR_OP_STORE: note_access(order, inst->args[0], inst->type, true); break;
    case IR_OP_UPDATE:
        note_access(order, inst->args[0], inst->type, false);
        note_access(order, inst->args[0], inst->type, true);
        break;
    default: break; // what else touches memory is not called parallel, or is no vector code
    }
    // A loop inside may be unrolled: its iterations then follow each other in one body. What makes a loop unsafe is a
    // chain of three accesses, so that three rounds show all there is; those of a loop around show it for loops in it.
    bool repeats = ir_op_repeats(inst->op);
    int rounds = repeats && !order->is_repeated ? 3 : 1;
    bool is_repeated = order->is_repeated;
    order->is_repeated |= repeats;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < inst->region_count; i++) {
            walk(order, &inst->regions[i]);
        }
    }
    order->is_repeated = is_repeated;
}

static void walk(struct order *order, const struct ir_region *region)
{
    for (const struct ir_inst *inst = region->first; inst != NULL && order->is_safe; inst = inst->next) {
        walk_inst(order, inst);
    }
}

bool emit_order_is_free(struct emitter *e, const struct ir_inst *loop)
{
    struct order order = {.function = e->function->ir, .loop = loop, .is_safe = true};
    walk(&order, loop != NULL ? &loop->regions[0] : &e->function->ir->body);
    return order.is_safe;
}
