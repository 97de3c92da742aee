// A local whose address goes to helpers that only read it: they get what they read instead of the address, so that the
// local can become a variable, and a value keeps its meaning on the way into the helper. The helper's code for this is
// a copy in which those loads are parameters; the pointer is null there, and nobody looks at it.
//
// Nothing writes the local while such a call runs: its address goes nowhere else, and every call that gets it only
// reads. So what is read before the call is what the helper would have read, whether it would have read it or not.
#include "passes/promote_internal.h"

#include "ir/clone.h"
#include "ir/walk.h"

#include <assert.h>
#include <string.h>

enum {
    MAX_READS = 16, // of one call
    MAX_PARAMS = 64,
    MAX_LOOKS = 1000 * 1000, // at instructions of helpers, for all calls of a function
};

struct read {
    int param;
    int64_t offset;
    enum ir_type type;
};

// What is known of the values of one function.
struct address {
    bool is_known;
    int param; // of a helper: the parameter; of a local: 0
    int64_t offset;
};

struct reads {
    struct read items[MAX_READS];
    int count;
    bool is_good;                    // nothing else is done with the pointers
    const struct address *addresses; // by the helper's value number
};

static void add_read(struct reads *reads, struct read read)
{
    for (int i = 0; i < reads->count; i++) {
        const struct read *other = &reads->items[i];
        if (other->param == read.param && other->offset == read.offset && other->type == read.type) {
            return;
        }
    }
    if (reads->count == MAX_READS) {
        reads->is_good = false;
        return;
    }
    reads->items[reads->count++] = read;
}

static int find_read(const struct reads *reads, int param, int64_t offset, enum ir_type type)
{
    for (int i = 0; i < reads->count; i++) {
        const struct read *read = &reads->items[i];
        if (read->param == param && read->offset == offset && read->type == type) {
            return i;
        }
    }
    return -1;
}

// ---- what a helper reads -------------------------------------------------------------------------------------------

struct look {
    const struct ir_module *module;
    uint64_t mask; // the parameters that are looked at
    struct reads *reads;
    struct address *addresses; // by value number
    int *budget;
};

static struct reads reads_of(const struct ir_module *module, const struct ir_function *helper, uint64_t mask,
                             int *budget);

// The parameters of the callee that get one of the addresses.
static uint64_t mask_of(const struct ir_inst *call, const struct address *addresses)
{
    uint64_t mask = 0;
    for (int i = 0; i < call->arg_count && i < MAX_PARAMS; i++) {
        mask |= addresses[call->args[i]->id].is_known ? UINT64_C(1) << i : 0;
    }
    return mask;
}

static void look_at_call(struct look *l, const struct ir_inst *inst)
{
    struct reads inner = reads_of(l->module, inst->function, mask_of(inst, l->addresses), l->budget);
    l->reads->is_good &= inner.is_good && inst->arg_count <= MAX_PARAMS;
    for (int i = 0; i < inner.count && l->reads->is_good; i++) {
        const struct address *address = &l->addresses[inst->args[inner.items[i].param]->id];
        add_read(l->reads, (struct read){address->param, address->offset + inner.items[i].offset, inner.items[i].type});
    }
}

static bool look_at(struct ir_inst *inst, void *user)
{
    struct look *l = user;
    if (inst->op == IR_OP_PARAM && inst->type == IR_PTR && (l->mask >> inst->imm & 1) != 0) {
        l->addresses[inst->id] = (struct address){.is_known = true, .param = (int)inst->imm};
    }
    bool takes = false;
    l->reads->is_good &= --*l->budget > 0;
    for (int i = 0; i < inst->arg_count; i++) {
        takes |= l->addresses[inst->args[i]->id].is_known;
    }
    if (!takes) {
        return l->reads->is_good;
    }
    struct address from = l->addresses[inst->args[0]->id];
    if (inst->op == IR_OP_OFFSET) {
        from.offset = (int64_t)((uint64_t)from.offset + (uint64_t)inst->imm);
        l->addresses[inst->id] = from;
    } else if (inst->op == IR_OP_LOAD && !inst->is_volatile) {
        add_read(l->reads, (struct read){from.param, from.offset, inst->type});
    } else if (inst->op == IR_OP_CALL) {
        look_at_call(l, inst);
    } else {
        l->reads->is_good = false;
    }
    return l->reads->is_good;
}

static struct reads reads_of(const struct ir_module *module, const struct ir_function *helper, uint64_t mask,
                             int *budget)
{
    struct reads reads = {.is_good = helper->param_count <= MAX_PARAMS};
    struct look l = {.module = module, .mask = mask, .reads = &reads, .budget = budget};
    if (reads.is_good) {
        l.addresses = ARENA_ARRAY(module->arena, struct address, helper->value_count + 1);
        reads.addresses = l.addresses;
        walk_region(&((struct ir_function *)helper)->body, look_at, &l); // looked at, not changed
    }
    return reads;
}

// ---- the helper that takes values ----------------------------------------------------------------------------------

static struct ir_function *by_value(struct ir_module *module, struct ir_function *from, uint64_t mask,
                                    const struct reads *reads);

static struct ir_inst *null_before(struct ir_module *module, struct ir_function *function, struct ir_inst *inst)
{
    struct ir_builder b = {
        .module = module, .function = function, .region = inst->parent, .before = inst, .loc = inst->loc};
    return ir_const(&b, IR_PTR, 0);
}

// Redirects the call to the code that takes values, which |value_of| gives.
static void pass_values(struct ir_module *module, struct ir_function *function, struct ir_inst *call, uint64_t mask,
                        struct ir_inst *(*value_of)(void *user, const struct read *read), void *user)
{
    int budget = MAX_LOOKS; // it was looked at before
    struct reads reads = reads_of(module, call->function, mask, &budget);
    struct ir_inst **args = ARENA_ARRAY(module->arena, struct ir_inst *, call->arg_count + reads.count);
    for (int i = 0; i < reads.count; i++) {
        args[call->arg_count + i] = value_of(user, &reads.items[i]);
    }
    for (int i = 0; i < call->arg_count; i++) {
        bool is_value = i < MAX_PARAMS && (mask >> i & 1) != 0;
        args[i] = is_value ? null_before(module, function, call) : call->args[i];
    }
    call->function = by_value(module, call->function, mask, &reads);
    call->args = args;
    call->arg_count += reads.count;
}

struct inside { // the copy being made
    struct ir_module *module;
    struct ir_function *from;
    struct ir_function *to;
    const struct reads *reads; // of the original
    struct ir_inst *call;      //
};

static struct ir_inst *value_inside(void *user, const struct read *read)
{
    const struct inside *in = user;
    struct ir_inst *copy = in->call->note;
    const struct address *address = &in->reads->addresses[in->call->args[read->param]->id];
    struct ir_builder b = {
        .module = in->module, .function = in->to, .region = copy->parent, .before = copy, .loc = copy->loc};
    struct ir_inst *param = ir_emit0(&b, IR_OP_PARAM, read->type);
    param->imm =
        in->from->param_count + find_read(in->reads, address->param, address->offset + read->offset, read->type);
    return param;
}

static bool rewrite_inside(struct ir_inst *inst, void *user)
{
    struct inside *in = user;
    struct ir_inst *copy = inst->note;
    if (inst->op == IR_OP_LOAD && in->reads->addresses[inst->args[0]->id].is_known) {
        const struct address *address = &in->reads->addresses[inst->args[0]->id];
        copy->op = IR_OP_PARAM;
        copy->imm = in->from->param_count + find_read(in->reads, address->param, address->offset, inst->type);
        copy->arg_count = 0;
    } else if (inst->op == IR_OP_CALL && mask_of(inst, in->reads->addresses) != 0) {
        in->call = inst;
        pass_values(in->module, in->to, copy, mask_of(inst, in->reads->addresses), value_inside, in);
    }
    return true;
}

static void add_params(struct ir_module *module, struct ir_function *to, const struct reads *reads)
{
    struct ir_param *params = ARENA_ARRAY(module->arena, struct ir_param, to->param_count + reads->count);
    memcpy(params, to->params, sizeof *params * (size_t)to->param_count);
    for (int i = 0; i < reads->count; i++) {
        const struct ir_param *from = &to->params[reads->items[i].param];
        params[to->param_count + i] = (struct ir_param){.name = from->name,
                                                        .loc = from->loc,
                                                        .type = reads->items[i].type,
                                                        .is_array = reads->items[i].type == IR_PTR};
    }
    to->params = params;
    to->param_count += reads->count;
}

// Made once for each set of parameters and of what is read there: its name says which, and no C name has a dot.
static const char *name_by_value(struct ir_module *module, const struct ir_function *from, uint64_t mask,
                                 const struct reads *reads)
{
    const char *name = arena_printf(module->arena, "%s.by%llx", from->name, (unsigned long long)mask);
    for (int i = 0; i < reads->count; i++) {
        const struct read *read = &reads->items[i];
        name =
            arena_printf(module->arena, "%s.%d_%lld_%d", name, read->param, (long long)read->offset, (int)read->type);
    }
    return name;
}

static struct ir_function *by_value(struct ir_module *module, struct ir_function *from, uint64_t mask,
                                    const struct reads *reads)
{
    const char *name = name_by_value(module, from, mask, reads);
    for (int i = 0; i < module->function_count; i++) {
        if (strcmp(module->functions[i]->name, name) == 0) {
            return module->functions[i];
        }
    }
    struct inside in = {.module = module, .from = from, .reads = reads};
    in.to = clone_helper(module, from, name);
    walk_region(&from->body, rewrite_inside, &in);
    clone_forget(from);
    add_params(module, in.to, reads);
    promote_function(module, in.to);
    return in.to;
}

// ---- locals --------------------------------------------------------------------------------------------------------

struct local {
    struct ir_module *module;
    struct ir_function *function;
    const struct ir_var *var;
    struct address *addresses; // by value number; an index into it is somewhere inside
    bool *is_inside;           // by value number: an address of which only this is known
    bool is_good;
    int call_count;
    int *budget;
    struct ir_inst *call; // that is rewritten now
};

static bool is_touched_by(const struct local *l, const struct ir_inst *value)
{
    return l->addresses[value->id].is_known || l->is_inside[value->id];
}

static bool is_read_by_call(const struct local *l, const struct ir_inst *call)
{
    for (int i = 0; i < call->arg_count; i++) {
        if (l->is_inside[call->args[i]->id]) {
            return false;
        }
    }
    return reads_of(l->module, call->function, mask_of(call, l->addresses), l->budget).is_good;
}

static bool look_at_use(struct ir_inst *inst, void *user)
{
    struct local *l = user;
    if (inst->op == IR_OP_ADDR_VAR && inst->var == l->var) {
        l->addresses[inst->id] = (struct address){.is_known = true};
        return true;
    }
    bool takes_first = inst->arg_count > 0 && is_touched_by(l, inst->args[0]);
    bool takes_other = false;
    for (int i = 1; i < inst->arg_count; i++) {
        takes_other |= is_touched_by(l, inst->args[i]);
    }
    if (!takes_first && !takes_other) {
        return true;
    }
    switch (inst->op) {
    case IR_OP_OFFSET:
        l->addresses[inst->id] = l->addresses[inst->args[0]->id];
        l->addresses[inst->id].offset += inst->imm;
        l->is_inside[inst->id] = l->is_inside[inst->args[0]->id];
        break;
    case IR_OP_INDEX: l->is_inside[inst->id] = true; break;
    case IR_OP_LOAD: break;
    case IR_OP_STORE:
    case IR_OP_UPDATE: l->is_good &= !takes_other; break; // else the address is kept
    case IR_OP_COPY:
    case IR_OP_FILL: break;
    case IR_OP_CALL:
        l->call_count++;
        l->is_good &= is_read_by_call(l, inst);
        break;
    default: l->is_good = false;
    }
    return l->is_good;
}

static struct ir_inst *value_before(void *user, const struct read *read)
{
    const struct local *l = user;
    struct ir_builder b = {.module = l->module,
                           .function = l->function,
                           .region = l->call->parent,
                           .before = l->call,
                           .loc = l->call->loc};
    struct ir_inst *address = l->call->args[read->param];
    if (read->offset != 0) {
        address = ir_emit1(&b, IR_OP_OFFSET, IR_PTR, address);
        address->imm = read->offset;
    }
    return ir_emit1(&b, IR_OP_LOAD, read->type, address);
}

static bool rewrite_use(struct ir_inst *inst, void *user)
{
    struct local *l = user;
    uint64_t mask = inst->op == IR_OP_CALL ? mask_of(inst, l->addresses) : 0;
    if (mask != 0) {
        l->call = inst;
        pass_values(l->module, l->function, inst, mask, value_before, l);
    }
    return true;
}

static bool is_no_call(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_CALL;
}

static bool promote_local(struct ir_module *module, struct ir_function *function, const struct ir_var *var, int *budget)
{
    assert(var->is_memory);
    struct local l = {.module = module, .function = function, .var = var, .is_good = true, .budget = budget};
    l.addresses = ARENA_ARRAY(module->arena, struct address, function->value_count + 1);
    l.is_inside = ARENA_ARRAY(module->arena, bool, function->value_count + 1);
    walk_region(&function->body, look_at_use, &l);
    if (!l.is_good || l.call_count == 0) {
        return false;
    }
    walk_region(&function->body, rewrite_use, &l);
    return true;
}

// One walk for all locals: which go to calls, and to nothing that forbids it whatever the helpers do. A walk for each
// of the others would take time with their square, where a program has thousands.
struct passed {
    const struct ir_var **roots; // by value number: the local that it is an address in
    bool *is_passed;             // by the local's index
    bool *is_kept;
};

static void note_passed(struct passed *p, const struct ir_inst *inst, int place)
{
    const struct ir_var *var = p->roots[inst->args[place]->id];
    if (var == NULL) {
        return;
    }
    switch (inst->op) {
    case IR_OP_OFFSET:
    case IR_OP_INDEX:
        p->is_kept[var->index] |= place > 0;
        p->roots[inst->id] = place == 0 ? var : NULL;
        break;
    case IR_OP_LOAD:
    case IR_OP_COPY:
    case IR_OP_FILL: break;
    case IR_OP_STORE:
    case IR_OP_UPDATE: p->is_kept[var->index] |= place > 0; break;
    case IR_OP_CALL: p->is_passed[var->index] = true; break;
    default: p->is_kept[var->index] = true;
    }
}

static bool look_for_passed(struct ir_inst *inst, void *user)
{
    struct passed *p = user;
    if (inst->op == IR_OP_ADDR_VAR) {
        p->roots[inst->id] = inst->var;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        note_passed(p, inst, i);
    }
    return true;
}

bool promote_call(struct ir_module *module, struct ir_function *function)
{
    bool changed = false;
    if (walk_region(&function->body, is_no_call, NULL)) {
        return false;
    }
    int budget = MAX_LOOKS;
    struct passed passed = {.roots = ARENA_ARRAY(module->arena, const struct ir_var *, function->value_count + 1),
                            .is_passed = ARENA_ARRAY(module->arena, bool, function->var_count + 1),
                            .is_kept = ARENA_ARRAY(module->arena, bool, function->var_count + 1)};
    walk_region(&function->body, look_for_passed, &passed);
    int count = function->var_count;
    for (int i = 0; i < count; i++) {
        const struct ir_var *var = function->vars[i];
        assert(var->index == i);
        changed |= var->is_memory && passed.is_passed[i] && !passed.is_kept[i] &&
                   promote_local(module, function, var, &budget);
    }
    return changed;
}
