// A running value that is kept in memory: y[i] = y[i - 1] + x[i] reads in each iteration what the last one has stored.
// It is taken as one in a scalar,
//
//     s = y[first - 1];  for (i = first; …) { s' = s + x[i];  y[i] = s';  s = s'; }
//
// while the loop is looked at and copied. The source's own loop stays as it is.
#include "passes/scan_loop.h"

#include "analysis/values/evaluate.h"
#include "ir/clone.h"
#include "ir/points_to.h"
#include "ir/walk.h"

#include <assert.h>

// Of the loop's variable and of what does not change in the loop.
static bool is_plain(const struct scan *s, const struct ir_inst *value)
{
    if (!walk_is_inside(value, s->loop)) {
        return true;
    }
    if (value->op == IR_OP_GET) {
        return value->var == s->loop->loop->var;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!is_plain(s, value->args[i])) {
            return false;
        }
    }
    return ir_op_is_pure(value->op);
}

// Whether this is all that the instruction may touch: a pointer may point to one of several arrays.
static bool is_only_place(const struct scan *s, const struct loop_info *info, const struct access *access)
{
    int count = 0;
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *other = &s->an->accesses.items[i];
        count += other->inst == access->inst && other->kind == access->kind;
    }
    return count == 1 && !access->is_alternative;
}

// Whether |read| is, in each iteration, where |write| was in the one before.
static bool is_last_written(struct scan *s, const struct loop_info *info, const struct access *read,
                            const struct access *write)
{
    if (read->kind != ACCESS_READ || read->inst->op != IR_OP_LOAD || read->inst->type != write->inst->type ||
        read->base != write->base || read->context != NULL || read->needs != NULL || write->needs != NULL ||
        read->flat == NULL || write->flat == NULL || read->inst->parent->owner != s->loop || read->inst->is_volatile ||
        read->inst->is_packed || !is_plain(s, read->inst->args[0]) || !is_only_place(s, info, read)) {
        return false;
    }
    struct poly_pool *scratch = &s->an->scratch;
    struct poly_mark mark = poly_mark(scratch);
    const struct poly *rest;
    int64_t factor, way;
    bool is_last = poly_is_const(poly_sub(scratch, write->flat, read->flat), &way) &&
                   poly_is_const(poly_coefficient(scratch, write->flat, info->variable, &rest), &factor) &&
                   factor != 0 && !value_varies(s->an, rest, info) && factor < INT32_MAX && factor > -INT32_MAX &&
                   way == factor * s->loop->loop->step;
    poly_release(scratch, mark);
    return is_last;
}

static bool is_store(const struct access *access)
{
    const struct ir_inst *inst = access->inst;
    bool is_update = inst->op == IR_OP_UPDATE && access->kind == ACCESS_UPDATE &&
                     ir_update_op(inst->update, inst->type) != IR_OP_COUNT;
    return ((inst->op == IR_OP_STORE && access->kind == ACCESS_WRITE) || is_update) && !inst->is_volatile &&
           !inst->is_packed && !inst->is_around && access->context == NULL;
}

// Whatever else the loop writes is elsewhere, or the launch tests that it is.
static bool is_alone(struct scan *s, const struct loop_info *info, const struct access *write)
{
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *other = &s->an->accesses.items[i];
        if (other->kind == ACCESS_READ || other == write) {
            continue;
        }
        enum relation relation = access_relation(s->an, other, write);
        if (relation == RELATION_SAME || relation == RELATION_UNKNOWN ||
            (relation == RELATION_TWO_BASES && s->apart_count == SCAN_APART)) {
            return false;
        }
        if (relation == RELATION_TWO_BASES) {
            s->apart[s->apart_count++] = (struct base_pair){other->base, write->base};
        }
    }
    return true;
}

// x op= e becomes a read, the operation and a store.
static struct ir_inst *split_update(struct scan *s, struct ir_inst *update, struct scan_memory *out)
{
    struct ir_builder to = {
        .module = s->module, .function = s->kernel, .region = update->parent, .before = update, .loc = update->loc};
    struct ir_inst *old = ir_emit1(&to, IR_OP_LOAD, update->type, update->args[0]);
    enum ir_op op = ir_update_op(update->update, update->type);
    struct ir_inst *value = ir_emit2(&to, op, update->type, old, update->args[1]);
    struct ir_inst *store = ir_emit2(&to, IR_OP_STORE, update->type, update->args[0], value);
    out->update = update;
    out->made[0] = old;
    out->made[1] = value;
    out->made[2] = store;
    ir_remove(update);
    return store;
}

static void take_store(struct scan *s, const struct loop_info *info, int number)
{
    struct scan_memory *memory = &s->memories[s->memory_count];
    const struct access *write = &s->an->accesses.items[number];
    int apart_count = s->apart_count;
    *memory = (struct scan_memory){0};
    if (!is_alone(s, info, write)) {
        s->apart_count = apart_count;
        return;
    }
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *read = &s->an->accesses.items[i];
        if (!is_last_written(s, info, read, write)) {
            continue;
        }
        if (memory->load_count == SCAN_LOADS) {
            s->apart_count = apart_count;
            return;
        }
        memory->loads[memory->load_count++] = read->inst;
    }
    if (memory->load_count == 0) {
        s->apart_count = apart_count;
        return;
    }
    struct ir_inst *store = write->inst;
    memory->address = memory->loads[0]->args[0];
    memory->var = ir_var_create(s->module, s->kernel, ".last", store->type);
    memory->var->loc = s->loop->loc;
    for (struct ir_inst *owner = s->loop->parent->owner; owner != NULL; owner = owner->parent->owner) {
        bool is_scope = owner->op == IR_OP_FOR || owner->op == IR_OP_LOOP || owner->op == IR_OP_BLOCKS;
        memory->var->scope = memory->var->scope == NULL && is_scope ? owner : memory->var->scope;
    }
    for (int i = 0; i < memory->load_count; i++) {
        struct ir_inst *load = memory->loads[i];
        memory->saved[i] = *load;
        load->op = IR_OP_GET;
        load->var = memory->var;
        load->args = NULL;
        load->arg_count = 0;
        load->base = 0;
    }
    store = store->op == IR_OP_UPDATE ? split_update(s, store, memory) : store;
    struct ir_builder to = {
        .module = s->module, .function = s->kernel, .region = &s->loop->regions[0], .loc = store->loc};
    memory->set = ir_set(&to, memory->var, store->args[1]);
    s->memory_count++;
}

bool scan_may_have_memory(const struct scan *s)
{
    for (const struct ir_inst *store = s->loop->regions[0].first; store != NULL; store = store->next) {
        if (store->op != IR_OP_STORE && store->op != IR_OP_UPDATE) {
            continue;
        }
        for (const struct ir_inst *load = s->loop->regions[0].first; load != NULL; load = load->next) {
            if (load->op == IR_OP_LOAD && load->type == store->type && address_root(load->args[0]) != NULL &&
                scan_is_same(s, address_root(load->args[0]), address_root(store->args[0])) &&
                !scan_is_same(s, load->args[0], store->args[0])) {
                return true;
            }
        }
    }
    return false;
}

void scan_take_memory(struct scan *s)
{
    s->memory_count = s->apart_count = 0;
    const struct loop_info *info = scan_may_have_memory(s) ? scan_info(s) : NULL;
    if (info == NULL) {
        return;
    }
    for (int i = info->access_begin; i < info->access_end && s->memory_count < SCAN_MEMORIES; i++) {
        const struct access *access = &s->an->accesses.items[i];
        bool is_taken = access->inst->parent == NULL; // and taken apart
        if (!is_taken && is_store(access) && access->inst->parent->owner == s->loop &&
            is_plain(s, access->inst->args[0]) && is_only_place(s, info, access)) {
            take_store(s, info, i);
        }
    }
    if (s->memory_count > 0) {
        s->an = NULL; // it is of the code as it was
    }
}

void scan_give_memory_back(struct scan *s)
{
    for (int m = s->memory_count - 1; m >= 0; m--) {
        struct scan_memory *memory = &s->memories[m];
        ir_remove(memory->set);
        for (int i = 0; i < memory->load_count; i++) {
            struct ir_inst *load = memory->loads[i];
            load->op = memory->saved[i].op;
            load->var = memory->saved[i].var;
            load->args = memory->saved[i].args;
            load->arg_count = memory->saved[i].arg_count;
            load->base = memory->saved[i].base;
        }
        if (memory->update != NULL) {
            ir_append(s->loop->regions[0].last == NULL ? &s->loop->regions[0] : memory->made[2]->parent,
                      memory->update);
            ir_move_before(memory->update, memory->made[0]);
            for (int i = 2; i >= 0; i--) {
                ir_remove(memory->made[i]);
            }
        }
    }
    if (s->memory_count > 0) {
        s->an = NULL;
    }
    s->memory_count = 0;
}

static struct ir_inst *copy_first(struct scan *s, struct ir_builder *to, struct ir_inst *value)
{
    if (!walk_is_inside(value, s->loop)) {
        return value;
    }
    if (value->op == IR_OP_GET) {
        return s->loop->args[0];
    }
    struct ir_inst **args = ARENA_ARRAY(s->module->arena, struct ir_inst *, value->arg_count + 1);
    for (int i = 0; i < value->arg_count; i++) {
        args[i] = copy_first(s, to, value->args[i]);
    }
    return clone_inst(to, value, args);
}

void scan_read_memory(struct scan *s, struct ir_builder *to)
{
    for (int m = 0; m < s->memory_count; m++) {
        const struct scan_memory *memory = &s->memories[m];
        struct ir_inst *address = copy_first(s, to, memory->address);
        ir_set(to, memory->var, ir_emit1(to, IR_OP_LOAD, memory->var->type, address));
    }
}
