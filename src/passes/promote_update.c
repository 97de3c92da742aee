// Updates that only show when helpers are inlined: `best = max_of(best, e)` and `sum = add(sum, e)` read a place,
// compute with it once and write it again. Each becomes the update that it is, which computes the same; whether that
// makes a reduction is the analysis' to say, which looks at everything else that touches the place.
#include "ir/assignment.h"
#include "ir/walk.h"
#include "passes/promote_internal.h"

#include <assert.h>

enum { MAX_CHAIN = 16, MAX_TREE = 64 };

struct var_use {
    int gets, sets, updates;
};

struct updates {
    struct ir_module *module;
    struct ir_function *function;
    int *uses;            // by value number
    int use_count;        // value numbers beyond are of new instructions
    struct var_use *vars; // by variable
};

struct step { // x = x update operand
    enum ir_update update;
    struct ir_inst *operand;
    struct ir_inst *factor; // the operand is multiplied by it, and rounded once with the sum; NULL: no
};

struct chain {
    struct step steps[MAX_CHAIN]; // outermost first
    int count;
    struct ir_inst *nodes[MAX_CHAIN + 1]; // what the updates stand for, users before what they use
    int node_count;
    struct ir_inst *read; // of x: a GET or a LOAD
};

static bool is_used_once(const struct updates *u, const struct ir_inst *value)
{
    return value->id < u->use_count && u->uses[value->id] == 1;
}

// ---- places --------------------------------------------------------------------------------------------------------

static bool is_assigned_between(const struct ir_inst *first, const struct ir_inst *last, const struct ir_var *var)
{
    for (const struct ir_inst *i = first; i != last; i = i->next) {
        if (i == NULL || assignment_is_in(i, var)) {
            return true; // or |last| does not come after |first|
        }
    }
    return false;
}

// Whether |b|, which is computed later, is what |a| is: the same arithmetic over variables that nothing assigns
// between.
static bool is_same_value(const struct ir_inst *a, const struct ir_inst *b, int *steps)
{
    if (a == b) {
        return true;
    }
    if (--*steps < 0 || a->op != b->op || a->type != b->type || a->imm != b->imm || a->fimm != b->fimm ||
        a->var != b->var || a->global != b->global || a->arg_count != b->arg_count) {
        return false;
    }
    if (a->op == IR_OP_GET) {
        return a->parent == b->parent && !is_assigned_between(a, b, a->var);
    }
    bool is_same = ir_op_is_pure(a->op);
    for (int i = 0; i < a->arg_count && is_same; i++) {
        is_same = is_same_value(a->args[i], b->args[i], steps);
    }
    return is_same;
}

static bool is_same_address(const struct ir_inst *a, const struct ir_inst *b)
{
    int steps = MAX_TREE;
    return is_same_value(a, b, &steps);
}

static bool is_plain(const struct ir_inst *access)
{
    return !access->is_volatile && !access->is_around && !access->atomic;
}

// Whether |read| gives what |write| is about to overwrite.
static bool reads_place_of(const struct ir_inst *read, const struct ir_inst *write)
{
    if (read->type != write->type || read->parent != write->parent) {
        return false;
    }
    if (write->op == IR_OP_SET) {
        return read->op == IR_OP_GET && read->var == write->var && !is_assigned_between(read, write, read->var);
    }
    if (read->op != IR_OP_LOAD || !is_plain(read) || read->is_packed != write->is_packed ||
        !is_same_address(read->args[0], write->args[0])) {
        return false;
    }
    for (const struct ir_inst *i = read; i != write; i = i->next) {
        if (i == NULL || ir_op_writes(i->op) || i->region_count > 0) {
            return false;
        }
    }
    return true;
}

// Whether |tree| mentions the place of |write| too. A tree that is too large to tell may.
static bool mentions_place(const struct ir_inst *tree, const struct ir_inst *write, int *steps)
{
    if (--*steps < 0 || (write->op == IR_OP_SET && tree->op == IR_OP_GET && tree->var == write->var) ||
        (write->op == IR_OP_STORE && tree->op == IR_OP_LOAD && is_same_address(tree->args[0], write->args[0]))) {
        return true;
    }
    for (int i = 0; i < tree->arg_count; i++) {
        if (mentions_place(tree->args[i], write, steps)) {
            return true;
        }
    }
    return false;
}

static bool is_operand(const struct ir_inst *tree, const struct ir_inst *write)
{
    int steps = MAX_TREE;
    return !mentions_place(tree, write, &steps);
}

// ---- forms ---------------------------------------------------------------------------------------------------------

static enum ir_update update_of(enum ir_op op)
{
    switch (op) {
    case IR_OP_ADD:
    case IR_OP_FADD: return IR_UPDATE_ADD;
    case IR_OP_SUB:
    case IR_OP_FSUB: return IR_UPDATE_SUB;
    case IR_OP_MUL:
    case IR_OP_FMUL: return IR_UPDATE_MUL;
    case IR_OP_AND: return IR_UPDATE_AND;
    case IR_OP_OR: return IR_UPDATE_OR;
    case IR_OP_XOR: return IR_UPDATE_XOR;
    case IR_OP_SMIN: return IR_UPDATE_SMIN;
    case IR_OP_SMAX: return IR_UPDATE_SMAX;
    case IR_OP_UMIN: return IR_UPDATE_UMIN;
    case IR_OP_UMAX: return IR_UPDATE_UMAX;
    default: return IR_UPDATE_NONE;
    }
}

// x op a op b: operators of one kind, each used once, down to x. So is a * b + x, rounded once.
static bool find_chain(const struct updates *u, const struct ir_inst *write, struct ir_inst *value, struct chain *chain)
{
    if (reads_place_of(value, write)) {
        chain->read = value;
        chain->node_count = chain->count;
        return chain->count > 0 && is_used_once(u, value);
    }
    bool is_fused = value->op == IR_OP_FMA;
    enum ir_update update = is_fused ? IR_UPDATE_ADD : update_of(value->op);
    if (update == IR_UPDATE_NONE || !ir_update_fits(update, write->type) || value->type != write->type ||
        !is_used_once(u, value) || value->parent != write->parent || chain->count == MAX_CHAIN ||
        (chain->count > 0 && !ir_updates_combine(update, chain->steps[0].update))) {
        return false;
    }
    int level = chain->count++;
    chain->nodes[level] = value;
    if (is_fused) {
        struct ir_inst *a = value->args[0], *b = value->args[1];
        chain->steps[level] = (struct step){update, a, b};
        return is_operand(a, write) && is_operand(b, write) && find_chain(u, write, value->args[2], chain);
    }
    for (int side = 0; side < (update == IR_UPDATE_SUB ? 1 : 2); side++) {
        chain->count = level + 1;
        chain->steps[level] = (struct step){update, value->args[1 - side], NULL};
        if (is_operand(value->args[1 - side], write) && find_chain(u, write, value->args[side], chain)) {
            return true;
        }
    }
    return false;
}

struct relation {
    bool is_max, with_equal, is_unsigned;
};

// Of `a op b ? a : b`.
static bool relation_of(enum ir_op op, struct relation *out)
{
    switch (op) {
    case IR_OP_SLT:
    case IR_OP_FLT: *out = (struct relation){false, false, false}; return true;
    case IR_OP_SLE:
    case IR_OP_FLE: *out = (struct relation){false, true, false}; return true;
    case IR_OP_SGT:
    case IR_OP_FGT: *out = (struct relation){true, false, false}; return true;
    case IR_OP_SGE:
    case IR_OP_FGE: *out = (struct relation){true, true, false}; return true;
    case IR_OP_ULT: *out = (struct relation){false, false, true}; return true;
    case IR_OP_ULE: *out = (struct relation){false, true, true}; return true;
    case IR_OP_UGT: *out = (struct relation){true, false, true}; return true;
    case IR_OP_UGE: *out = (struct relation){true, true, true}; return true;
    default: return false;
    }
}

// a < b ? a : b and kin, one of the two being x, which nothing else uses.
static bool find_choice(const struct updates *u, const struct ir_inst *write, struct ir_inst *value,
                        struct chain *chain)
{
    if (value->op != IR_OP_SELECT || value->type != write->type || !is_used_once(u, value)) {
        return false;
    }
    struct ir_inst *compare = value->args[0];
    struct ir_inst *yes = value->args[1], *no = value->args[2];
    struct relation relation;
    if (!relation_of(compare->op, &relation) || !is_used_once(u, compare) || yes == no) {
        return false;
    }
    bool is_swapped = compare->args[0] == no && compare->args[1] == yes;
    if (!is_swapped && (compare->args[0] != yes || compare->args[1] != no)) {
        return false;
    }
    relation.is_max ^= is_swapped; // b > a ? a : b is a < b ? a : b, for a NaN too
    bool x_first = reads_place_of(yes, write);
    struct ir_inst *x = x_first ? yes : no, *e = x_first ? no : yes;
    bool is_x = reads_place_of(x, write) && x->id < u->use_count && u->uses[x->id] == 2 && is_operand(e, write);
    if (!is_x || x->type == IR_I1) {
        return false;
    }
    enum ir_update_form form = x_first ? (relation.with_equal ? IR_FORM_COND_EQ : IR_FORM_COND)
                                       : (relation.with_equal ? IR_FORM_IF_EQ : IR_FORM_IF);
    if (ir_type_is_float(x->type) && x_first && write->op == IR_OP_STORE) {
        return false; // a NaN resets x: on float memory this is no update
    }
    enum ir_update update = ir_update_min_max(relation.is_max, x->type, relation.is_unsigned, form);
    chain->steps[chain->count++] = (struct step){update, e, NULL};
    chain->nodes[chain->node_count++] = value;
    chain->nodes[chain->node_count++] = compare;
    chain->read = x;
    return true;
}

// fmin(x, e), in either order of its arguments.
static bool find_math(const struct updates *u, const struct ir_inst *write, struct ir_inst *value, struct chain *chain)
{
    bool is_max = value->imm == IR_MATH_FMAX;
    if (value->op != IR_OP_MATH || (!is_max && value->imm != IR_MATH_FMIN) || value->type != write->type ||
        !is_used_once(u, value)) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        struct ir_inst *x = value->args[side], *e = value->args[1 - side];
        if (reads_place_of(x, write) && is_used_once(u, x) && is_operand(e, write)) {
            chain->steps[chain->count++] =
                (struct step){ir_update_min_max(is_max, x->type, false, IR_FORM_CALL), e, NULL};
            chain->nodes[chain->node_count++] = value;
            chain->read = x;
            return true;
        }
    }
    return false;
}

// ---- rewriting -----------------------------------------------------------------------------------------------------

static bool rewrite(struct updates *u, struct ir_inst *write)
{
    bool is_set = write->op == IR_OP_SET;
    struct chain chain = {.count = 0};
    struct ir_inst *value = write->args[is_set ? 0 : 1];
    if ((!is_set && !is_plain(write)) ||
        (!find_choice(u, write, value, &chain) && !find_math(u, write, value, &chain) &&
         !find_chain(u, write, value, &chain))) {
        return false;
    }
    struct ir_builder b = {.module = u->module, .function = u->function, .before = write, .loc = write->loc};
    for (int i = chain.count - 1; i >= 0; i--) { // innermost first: another grouping would round differently
        const struct step *step = &chain.steps[i];
        struct ir_inst *operand = step->operand;
        if (step->factor != NULL) {
            operand = ir_emit2(&b, IR_OP_FMUL, write->type, operand, step->factor);
        }
        struct ir_inst *inst = is_set ? ir_emit1(&b, IR_OP_VUPDATE, write->type, operand)
                                      : ir_emit2(&b, IR_OP_UPDATE, write->type, write->args[0], operand);
        inst->fused = step->factor != NULL;
        inst->var = is_set ? write->var : NULL;
        inst->is_packed = write->is_packed;
        inst->update = step->update;
    }
    ir_remove(write);
    for (int i = 0; i < chain.node_count; i++) {
        ir_remove(chain.nodes[i]);
    }
    ir_remove(chain.read);
    return true;
}

// The SET of |m| before |write|, if between the two m is only updated, in this region, and nothing touches x.
static struct ir_inst *beginning_of(const struct ir_inst *write, const struct ir_var *m, const struct ir_var *x,
                                    int updates)
{
    for (struct ir_inst *i = write->prev; i != NULL; i = i->prev) {
        if (i->op == IR_OP_SET && i->var == m) {
            return updates == 0 ? i : NULL;
        }
        updates -= i->op == IR_OP_VUPDATE && i->var == m;
        if (i->region_count > 0 || i->var == x) {
            return NULL;
        }
    }
    return NULL;
}

// m = x; m op= e; x = m, of a helper that works on its parameter: nothing else touches m, nor x meanwhile.
static bool retarget(struct updates *u, struct ir_inst *write)
{
    struct ir_inst *get = write->args[0];
    if (write->op != IR_OP_SET || get->op != IR_OP_GET || get->var == write->var || get->parent != write->parent ||
        !is_used_once(u, get) || get->var->type != write->var->type) {
        return false;
    }
    struct ir_var *x = write->var, *m = get->var;
    const struct var_use *use = &u->vars[m->index];
    if (use->gets != 1 || use->sets != 1 || use->updates == 0) {
        return false;
    }
    struct ir_inst *set = beginning_of(write, m, x, use->updates);
    struct ir_inst *start = set != NULL ? set->args[0] : NULL;
    if (start == NULL || start->op != IR_OP_GET || start->var != x || start->parent != write->parent ||
        !is_used_once(u, start) || is_assigned_between(start, set, x)) {
        return false;
    }
    for (struct ir_inst *i = set; i != write; i = i->next) {
        i->var = i->op == IR_OP_VUPDATE && i->var == m ? x : i->var;
    }
    ir_remove(write);
    ir_remove(get);
    ir_remove(set);
    ir_remove(start);
    return true;
}

static bool is_in_loop(const struct ir_inst *inst)
{
    const struct ir_inst *owner = inst->parent->owner;
    while (owner != NULL && !ir_op_repeats(owner->op)) {
        owner = owner->parent->owner;
    }
    return owner != NULL;
}

static void count(struct updates *u)
{
    WALK (inst, &u->function->body) {
        for (int i = 0; i < inst->arg_count; i++) {
            u->uses[inst->args[i]->id]++;
        }
        if (inst->op == IR_OP_FOR) {
            u->vars[inst->loop->var->index].sets++;
        } else if (inst->var != NULL) {
            struct var_use *use = &u->vars[inst->var->index];
            use->gets += inst->op == IR_OP_GET;
            use->sets += inst->op == IR_OP_SET;
            use->updates += inst->op == IR_OP_VUPDATE;
        }
    }
}

void promote_updates(struct ir_module *module, struct ir_function *function)
{
    struct updates u = {.module = module,
                        .function = function,
                        .uses = ARENA_ARRAY(module->arena, int, function->value_count + 1),
                        .use_count = function->value_count,
                        .vars = ARENA_ARRAY(module->arena, struct var_use, function->var_count + 1)};
    count(&u);
    for (int i = 0; i < function->param_count; i++) {
        for (int k = 0; k < function->params[i].rank; k++) {
            u.uses[function->params[i].extents[k]->id]++;
        }
    }
    for (struct ir_inst *inst = function->body.first; inst != NULL;) {
        struct ir_inst *next = walk_next(inst, &function->body);
        bool writes = inst->op == IR_OP_SET || inst->op == IR_OP_STORE;
        if (writes && is_in_loop(inst) && !retarget(&u, inst)) {
            rewrite(&u, inst);
        }
        inst = next;
    }
}
