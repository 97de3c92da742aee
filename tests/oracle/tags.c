// The marks by which an access is known again behind the passes.
#include "oracle.h"

#include "ir/assignment.h"
#include "ir/walk.h"

bool tag_is_memory(enum ir_op op)
{
    return ir_op_is_element(op) || ir_op_is_bytes(op);
}

static bool is_scalar_op(enum ir_op op)
{
    return op == IR_OP_GET || ir_op_sets(op);
}

// The text of an access is unused otherwise, and is copied with it.
const struct tag *tag_of(const struct ir_inst *inst)
{
    if (!tag_is_memory(inst->op) && !is_scalar_op(inst->op)) {
        return NULL;
    }
    // A pass that keeps an element in a variable takes the operands of the access, and with them its iterations.
    const struct tag *tag = (const struct tag *)(const void *)inst->text;
    return tag != NULL && inst->arg_count >= ir_op_arg_count(inst->op) + tag->depth ? tag : NULL;
}

// A copy and a comparison touch two places.
int tag_number(const struct ir_inst *inst, int which)
{
    const struct tag *tag = tag_of(inst);
    return tag != NULL ? 2 * tag->number + which : -1;
}

int tag_nest(const struct ir_inst *inst)
{
    const struct tag *tag = tag_of(inst);
    return tag != NULL ? tag->nest : -1;
}

static int loops_around(const struct ir_inst *inst, const struct ir_inst *out[ORACLE_DEPTH])
{
    int depth = 0;
    const struct ir_inst *found[ORACLE_DEPTH];
    for (const struct ir_inst *owner = inst->parent->owner; owner != NULL; owner = owner->parent->owner) {
        if (owner->op == IR_OP_FOR) {
            if (depth == ORACLE_DEPTH) {
                return -1;
            }
            found[depth++] = owner;
        }
    }
    for (int i = 0; i < depth; i++) {
        out[i] = found[depth - 1 - i];
    }
    return depth;
}

static void tag_access(struct ir_module *module, struct ir_function *kernel, struct ir_inst *inst, struct tag tag)
{
    const struct ir_inst *loops[ORACLE_DEPTH];
    tag.depth = loops_around(inst, loops);
    if (tag.depth <= 0) {
        return;
    }
    int own = ir_op_arg_count(inst->op);
    struct ir_inst **args = ARENA_ARRAY(module->arena, struct ir_inst *, own + tag.depth);
    memcpy(args, inst->args, sizeof *args * (size_t)own);
    struct ir_builder b = {
        .module = module, .function = kernel, .region = inst->parent, .before = inst, .loc = inst->loc};
    for (int i = 0; i < tag.depth; i++) {
        args[own + i] = ir_get(&b, loops[i]->loop->var);
    }
    inst->args = args;
    inst->arg_count = own + tag.depth;
    struct tag *kept = ARENA_NEW(module->arena, struct tag);
    *kept = tag;
    inst->text = (const char *)kept;
}

// A scalar that is none of the loops' around it.
static bool is_carried(const struct ir_inst *inst)
{
    const struct ir_inst *loops[ORACLE_DEPTH];
    int depth = loops_around(inst, loops);
    for (int i = 0; i < depth; i++) {
        if (loops[i]->loop->var == inst->var) {
            return false;
        }
    }
    return depth > 0 && assignment_is_in(loops[0], inst->var);
}

struct tagging {
    struct ir_module *module;
    struct ir_function *kernel;
    const struct ir_inst *root;
    int count;
    int nests;
};

static bool tag_one(struct ir_inst *inst, void *user)
{
    struct tagging *t = user;
    if (inst->op == IR_OP_FOR && (t->root == NULL || !walk_is_inside(inst, t->root))) {
        t->root = inst;
        t->nests++;
    }
    bool is_inside = t->root != NULL && walk_is_inside(inst, t->root);
    if (is_inside && (tag_is_memory(inst->op) || (is_scalar_op(inst->op) && is_carried(inst)))) {
        tag_access(t->module, t->kernel, inst, (struct tag){.number = t->count++, .nest = t->nests - 1});
    }
    return true;
}

int tags_add(struct ir_module *module, struct ir_function *kernel)
{
    struct tagging t = {.module = module, .kernel = kernel};
    walk_region(&kernel->body, tag_one, &t);
    return t.nests;
}
