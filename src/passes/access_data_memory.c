// Memory of locals, for access_data.c: which of its bytes hold what is made of loaded data.
#include "passes/access_data.h"

enum { CELL_SIZE = 4, MAX_SPLIT = 64 }; // larger objects are one cell

static int cells_of(const struct ir_var *var)
{
    if (!var->is_memory || var->size > MAX_SPLIT || var->size == 0) {
        return 1;
    }
    return (int)(var->size + CELL_SIZE - 1) / CELL_SIZE;
}

struct data_function *data_function_of(struct analysis *an, struct ir_function *function)
{
    for (int i = 0; i < an->data_functions.count; i++) {
        if (an->data_functions.items[i]->function == function) {
            return an->data_functions.items[i];
        }
    }
    struct data_function *made = ARENA_NEW(an->arena, struct data_function);
    made->function = function;
    made->bases = function == an->kernel ? an->bases : bases_find(an->arena, function);
    made->first_cell = ARENA_ARRAY(an->arena, int, function->var_count + 1);
    for (int v = 0; v < function->var_count; v++) {
        made->first_cell[v] = made->cell_count;
        made->cell_count += cells_of(function->vars[v]);
    }
    VEC_PUSH(an->arena, &an->data_functions, made);
    return made;
}

// ---- where addresses point -----------------------------------------------------------------------------------------

static void add_target(struct data_targets *out, struct data_target target)
{
    if (out->count == DATA_MAX_TARGETS) { // more are as good as any
        out->items[0] = (struct data_target){.kind = TARGET_UNKNOWN};
        return;
    }
    out->items[out->count++] = target;
}

static void add_targets(struct analysis *an, const struct data_node *node, const struct ir_inst *address,
                        struct data_target so_far, struct data_targets *out);

static void add_param(struct analysis *an, const struct data_node *node, int index, struct data_target so_far,
                      struct data_targets *out)
{
    if (node->caller != NULL) {
        add_targets(an, node->caller, node->call->args[index], so_far, out);
        return;
    }
    so_far.kind = an->kernel->params[index].is_struct ? TARGET_STRUCT : TARGET_SHARED;
    add_target(out, so_far);
}

static void add_local(const struct data_node *node, const struct ir_var *var, struct data_target so_far,
                      struct data_targets *out)
{
    so_far.kind = TARGET_LOCAL;
    so_far.node = node;
    so_far.var = var;
    add_target(out, so_far);
}

static void add_pointer_var(struct analysis *an, const struct data_node *node, const struct ir_var *var,
                            struct data_targets *out)
{
    const struct base_set *set = &node->function->bases->of_var[var->index];
    struct data_target vague = {.is_vague = true};
    if (set->is_unknown) {
        add_target(out, (struct data_target){.kind = TARGET_UNKNOWN});
    }
    for (int i = 0; i < set->count; i++) {
        int base = set->bases[i];
        switch (base_kind(base)) {
        case BASE_PARAM: add_param(an, node, base_index(base), vague, out); break;
        case BASE_LOCAL: add_local(node, node->function->function->vars[base_index(base)], vague, out); break;
        case BASE_GLOBAL: add_target(out, (struct data_target){.kind = TARGET_SHARED}); break;
        case BASE_NULL: break;
        case BASE_UNKNOWN: add_target(out, (struct data_target){.kind = TARGET_UNKNOWN}); break;
        }
    }
}

static void add_targets(struct analysis *an, const struct data_node *node, const struct ir_inst *address,
                        struct data_target so_far, struct data_targets *out)
{
    switch (address->op) {
    case IR_OP_OFFSET:
        so_far.is_vague |= __builtin_add_overflow(so_far.offset, address->imm, &so_far.offset);
        add_targets(an, node, address->args[0], so_far, out);
        return;
    case IR_OP_INDEX: {
        int64_t way = 0;
        bool is_fixed = address->args[1]->op == IR_OP_CONST && address->args[2]->op == IR_OP_CONST &&
                        !__builtin_mul_overflow(address->args[1]->imm, address->args[2]->imm, &way);
        so_far.is_vague |= !is_fixed || __builtin_add_overflow(so_far.offset, way, &so_far.offset);
        add_targets(an, node, address->args[0], so_far, out);
        return;
    }
    case IR_OP_SELECT:
        add_targets(an, node, address->args[1], so_far, out);
        add_targets(an, node, address->args[2], so_far, out);
        return;
    case IR_OP_PARAM: add_param(an, node, (int)address->imm, so_far, out); return;
    case IR_OP_ADDR_VAR: add_local(node, address->var, so_far, out); return;
    case IR_OP_ADDR_GLOBAL:
        so_far.kind = TARGET_SHARED;
        add_target(out, so_far);
        return;
    case IR_OP_GET: add_pointer_var(an, node, address->var, out); return;
    case IR_OP_CONST: return; // null
    default: add_target(out, (struct data_target){.kind = TARGET_UNKNOWN}); return;
    }
}

void data_targets_of(struct analysis *an, const struct data_node *node, const struct ir_inst *address,
                     struct data_targets *out)
{
    out->count = 0;
    add_targets(an, node, address, (struct data_target){.kind = TARGET_UNKNOWN}, out);
}

// ---- what lies there -----------------------------------------------------------------------------------------------

uint8_t data_meet(uint8_t a, uint8_t b)
{
    if ((a & DATA_UNSET) != 0 || (b & DATA_UNSET) != 0) {
        return (a & DATA_UNSET) != 0 ? b : a;
    }
    return (uint8_t)((a & b & TAINT_DATA) | ((a | b) & (TAINT_HIDDEN | DATA_CHOSEN | DATA_MAYBE | DATA_CARRIED)));
}

struct cells {
    int first;
    int end;
    bool is_whole; // each of them, from its first byte to its last
};

static struct cells cells_at(const struct data_target *target, int64_t size)
{
    int first = target->node->first_cell + target->node->function->first_cell[target->var->index];
    int count = cells_of(target->var);
    int64_t all = (int64_t)target->var->size, offset = target->offset;
    struct cells cells = {first, first + count, false};
    if (target->is_vague || size <= 0 || offset < 0 || offset > all || size > all - offset) {
        return cells;
    }
    if (all > MAX_SPLIT) {
        cells.is_whole = size == all;
        return cells;
    }
    cells.end = first + (int)((offset + size + CELL_SIZE - 1) / CELL_SIZE);
    cells.first = first + (int)(offset / CELL_SIZE);
    cells.is_whole = offset % CELL_SIZE == 0 && ((offset + size) % CELL_SIZE == 0 || offset + size == all);
    return cells;
}

static uint8_t load_local(const struct data_target *target, const data_cell *state, int64_t size)
{
    struct cells cells = cells_at(target, size);
    uint8_t bits = DATA_UNSET;
    for (int c = cells.first; c < cells.end; c++) {
        uint8_t cell = state[c] & DATA_BITS;
        bits = data_meet(bits, (cell & DATA_UNSET) != 0 ? 0 : cell);
    }
    bits &= (uint8_t)((bits & TAINT_DATA) != 0 ? ~DATA_UNSET : ~(DATA_UNSET | DATA_MAYBE));
    return bits | TAINT_HIDDEN;
}

uint8_t data_load(const struct data_targets *targets, const data_cell *state, int64_t size)
{
    uint8_t bits = DATA_UNSET;
    for (int i = 0; i < targets->count; i++) {
        const struct data_target *target = &targets->items[i];
        switch (target->kind) {
        case TARGET_SHARED: bits = data_meet(bits, DATA_SURE); break;
        case TARGET_STRUCT: bits = data_meet(bits, target->is_vague ? DATA_SURE : 0); break; // as good as a parameter
        case TARGET_LOCAL: bits = data_meet(bits, load_local(target, state, size)); break;
        case TARGET_UNKNOWN: bits = data_meet(bits, TAINT_HIDDEN); break;
        }
    }
    return (bits & DATA_UNSET) != 0 ? TAINT_HIDDEN : bits;
}

static void store_cell(data_cell *cell, const struct data_store *store, bool is_certain)
{
    uint8_t old = *cell & DATA_BITS, bits = store->bits;
    if (store->is_update) {
        bits = (old & DATA_UNSET) != 0 ? 0 : bits | old;
    }
    bits = is_certain ? bits : data_meet(old, bits);
    *cell = ++*store->version << DATA_SHIFT | bits;
}

static void store_everywhere(data_cell *state, const struct data_store *store)
{
    for (const struct data_node *node = store->node; node != NULL; node = node->caller) {
        const struct ir_function *function = node->function->function;
        for (int v = 0; v < function->var_count; v++) {
            int first = node->first_cell + node->function->first_cell[v];
            for (int c = 0; c < cells_of(function->vars[v]) && function->vars[v]->is_memory; c++) {
                store_cell(&state[first + c], store, false);
            }
        }
    }
}

void data_store_to(const struct data_targets *targets, data_cell *state, const struct data_store *store)
{
    for (int i = 0; i < targets->count; i++) {
        const struct data_target *target = &targets->items[i];
        if (target->kind == TARGET_UNKNOWN) {
            store_everywhere(state, store);
        } else if (target->kind == TARGET_LOCAL) {
            struct cells cells = cells_at(target, store->size);
            for (int c = cells.first; c < cells.end; c++) {
                store_cell(&state[c], store, cells.is_whole && targets->count == 1);
            }
        }
    }
}
