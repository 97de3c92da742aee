// Finds out what is made of loaded data (access_data.h), in the order of execution. What an iteration leaves to the
// next is taken from the pass before; passes are made until none changes that. What holds then holds for every
// iteration, and what is not found by then is not claimed.
//
// A choice among values that can be followed (a conditional expression, two branches) makes nothing of data, whatever
// the condition: each of the values is looked at by itself. Made of data is what a loop carries around by such choices
// (a rank that is counted) and what it leaves behind when data says how long it runs (a place that is searched).
#include "passes/access_data.h"
#include "passes/access_walk.h"

enum { MAX_PASSES = 12, MAX_DEPTH = 32, CALL_BUDGET = 2000, MAX_VERSION = 1 << 24 };

struct choice { // a condition on the way to here
    bool is_data;
    const struct choice *outer;
};

struct leave { // what `break`, or `return` where |inst| is NULL, leaves
    const struct ir_inst *inst;
    bool is_loop;
    uint32_t version; // assignments in it have larger ones
    const struct choice *choices;
    data_cell *state;       // joined so far
    const data_cell *entry; // of a loop: as it was before
    bool is_reached;
    bool by_data; // data says whether it is left so
    struct leave *outer;
};

struct pass { // one for the whole kernel
    struct analysis *an;
    uint32_t version;
    int call_budget;
    bool has_changed;
};

struct flow { // one walk over one function's body
    struct pass *pass;
    struct data_node *node;
    data_cell *state;
    int count; // of its cells
    bool is_dead;
    const struct choice *choices;
    struct leave *leaves;
    uint8_t result;
    bool has_result;
    int depth;
};

static void flow_region(struct flow *f, const struct ir_region *region);

// ---- states --------------------------------------------------------------------------------------------------------

static data_cell *copy_state(struct flow *f)
{
    size_t size = sizeof *f->state * (size_t)f->count;
    data_cell *copy = affine_alloc(&f->pass->an->scratch, size + sizeof *copy);
    memcpy(copy, f->state, size);
    return copy;
}

static void set_state(struct flow *f, const data_cell *state, bool is_dead)
{
    memcpy(f->state, state, sizeof *state * (size_t)f->count);
    f->is_dead = is_dead;
}

static data_cell new_cell(struct flow *f, unsigned bits)
{
    return ++f->pass->version << DATA_SHIFT | bits;
}

// Two ways meet; |by_data|: data says which of them was taken.
static void join(struct flow *f, data_cell *into, const data_cell *from, bool by_data)
{
    for (int c = 0; c < f->count; c++) {
        if (into[c] != from[c]) {
            unsigned bits = data_meet(into[c] & DATA_BITS, from[c] & DATA_BITS);
            into[c] = new_cell(f, bits | (by_data && (bits & DATA_UNSET) == 0 ? DATA_CHOSEN : 0));
        }
    }
}

static data_cell *cell_of(struct flow *f, const struct ir_var *var)
{
    return &f->state[f->node->first_cell + f->node->function->first_cell[var->index]];
}

static bool is_by_data(const struct choice *choices, const struct choice *end)
{
    for (; choices != end; choices = choices->outer) {
        if (choices->is_data) {
            return true;
        }
    }
    return false;
}

// ---- values --------------------------------------------------------------------------------------------------------

static const struct leave *innermost_loop(const struct flow *f)
{
    const struct leave *loop = f->leaves;
    while (loop != NULL && !loop->is_loop) {
        loop = loop->outer;
    }
    return loop;
}

static uint8_t bits_of(const struct flow *f, const struct ir_inst *value)
{
    uint8_t bits = value->id >= 0 ? f->node->values[value->id] : 0;
    if ((bits & DATA_CARRIED) != 0) { // by the loop around, unless it was computed before
        const struct leave *loop = innermost_loop(f);
        bits &= (uint8_t)(loop != NULL && f->node->made[value->id] < loop->version ? ~DATA_CARRIED : DATA_BITS);
    }
    return bits;
}

static uint8_t all_args(const struct flow *f, const struct ir_inst *inst)
{
    uint8_t bits = 0;
    for (int i = 0; i < inst->arg_count; i++) {
        bits |= bits_of(f, inst->args[i]);
    }
    return bits;
}

static int64_t constant_size(const struct ir_inst *size)
{
    return size->op == IR_OP_CONST ? size->imm : -1;
}

static uint8_t load_from(struct flow *f, const struct ir_inst *address, int64_t size)
{
    struct data_targets targets;
    data_targets_of(f->pass->an, f->node, address, &targets);
    return data_load(&targets, f->state, size);
}

static void store_to(struct flow *f, const struct ir_inst *address, int64_t size, uint8_t bits, bool is_update)
{
    struct data_targets targets;
    struct data_store store = {size, bits, is_update, f->node, &f->pass->version};
    data_targets_of(f->pass->an, f->node, address, &targets);
    data_store_to(&targets, f->state, &store);
}

static uint8_t flow_memory(struct flow *f, const struct ir_inst *inst)
{
    int64_t size = ir_type_size(inst->type);
    uint8_t bits = 0;
    switch (inst->op) {
    case IR_OP_LOAD: return load_from(f, inst->args[0], size);
    case IR_OP_STORE: store_to(f, inst->args[0], size, bits_of(f, inst->args[1]), false); return 0;
    case IR_OP_UPDATE: store_to(f, inst->args[0], size, bits_of(f, inst->args[1]), true); return 0;
    case IR_OP_ATOMIC:
        bits = load_from(f, inst->args[0], size);
        store_to(f, inst->args[0], size, bits_of(f, inst->args[1]), inst->update != IR_UPDATE_EXCHANGE);
        return bits;
    case IR_OP_CAS:
        bits = load_from(f, inst->args[0], size);
        store_to(f, inst->args[0], -1, bits_of(f, inst->args[2]), false); // perhaps
        return bits;
    case IR_OP_COPY:
        size = constant_size(inst->args[2]);
        store_to(f, inst->args[0], size, load_from(f, inst->args[1], size), false);
        return 0;
    case IR_OP_FILL:
        store_to(f, inst->args[0], constant_size(inst->args[2]), bits_of(f, inst->args[1]), false);
        return 0;
    case IR_OP_COMPARE:
        size = constant_size(inst->args[2]);
        return load_from(f, inst->args[0], size) | load_from(f, inst->args[1], size);
    default: return 0;
    }
}

static uint8_t flow_value(struct flow *f, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_GET: return *cell_of(f, inst->var) & DATA_BITS & ~DATA_UNSET;
    case IR_OP_PARAM: {
        const struct data_node *node = f->node;
        uint8_t bits = node->caller != NULL ? node->caller->values[node->call->args[inst->imm]->id] : 0;
        return bits & (uint8_t)(innermost_loop(f) != NULL ? ~DATA_CARRIED : DATA_BITS);
    }
    case IR_OP_SELECT: {
        uint8_t bits = data_meet(bits_of(f, inst->args[1]), bits_of(f, inst->args[2]));
        return bits | ((bits_of(f, inst->args[0]) & DATA_MAYBE) != 0 ? DATA_CHOSEN : 0);
    }
    case IR_OP_PTRTOINT: return all_args(f, inst) | TAINT_HIDDEN; // no data: nobody chose it
    case IR_OP_LOAD:
    case IR_OP_STORE:
    case IR_OP_UPDATE:
    case IR_OP_ATOMIC:
    case IR_OP_CAS:
    case IR_OP_COPY:
    case IR_OP_FILL:
    case IR_OP_COMPARE: return flow_memory(f, inst);
    default: return all_args(f, inst);
    }
}

// ---- branches ------------------------------------------------------------------------------------------------------

static void flow_if(struct flow *f, const struct ir_inst *inst)
{
    struct affine_mark mark = affine_mark(&f->pass->an->scratch);
    struct choice choice = {(bits_of(f, inst->args[0]) & DATA_MAYBE) != 0, f->choices};
    data_cell *before = copy_state(f);
    f->choices = &choice;
    flow_region(f, &inst->regions[0]);
    data_cell *first = copy_state(f);
    bool first_is_dead = f->is_dead;
    set_state(f, before, false);
    if (inst->region_count > 1) {
        flow_region(f, &inst->regions[1]);
    }
    f->choices = choice.outer;
    if (f->is_dead) {
        set_state(f, first, first_is_dead);
    } else if (!first_is_dead) {
        join(f, f->state, first, choice.is_data);
    }
    affine_release(&f->pass->an->scratch, mark);
}

static struct leave open_leave(struct flow *f, const struct ir_inst *inst)
{
    return (struct leave){
        .inst = inst, .version = f->pass->version, .choices = f->choices, .state = copy_state(f), .outer = f->leaves};
}

// In a loop only that is carried which this loop carries.
static struct leave open_loop(struct flow *f, const struct ir_inst *inst)
{
    struct leave leave = open_leave(f, inst);
    leave.is_loop = true;
    leave.entry = copy_state(f);
    for (int c = 0; c < f->count; c++) {
        f->state[c] &= ~(data_cell)DATA_CARRIED;
        leave.state[c] = f->state[c];
    }
    return leave;
}

static bool is_assigned_since(const struct leave *leave, data_cell cell)
{
    return cell >> DATA_SHIFT > leave->version;
}

// Behind the loop: what it has not touched is carried as it was before.
static void end_carrying(struct flow *f, const struct leave *loop)
{
    for (int c = 0; c < f->count; c++) {
        f->state[c] &= ~(data_cell)DATA_CARRIED;
        f->state[c] |= is_assigned_since(loop, f->state[c]) ? 0 : loop->entry[c] & DATA_CARRIED;
    }
}

// The state here, or what reached the end by `break`, or both.
static void close_leave(struct flow *f, struct leave *leave)
{
    f->leaves = leave->outer;
    if (leave->is_reached && f->is_dead) {
        set_state(f, leave->state, false);
    } else if (leave->is_reached) {
        join(f, f->state, leave->state, leave->by_data);
    }
}

static void flow_block(struct flow *f, const struct ir_inst *inst)
{
    struct affine_mark mark = affine_mark(&f->pass->an->scratch);
    struct leave leave = open_leave(f, inst);
    f->leaves = &leave;
    flow_region(f, &inst->regions[0]);
    close_leave(f, &leave);
    affine_release(&f->pass->an->scratch, mark);
}

static void flow_switch(struct flow *f, const struct ir_inst *inst)
{
    struct affine_mark mark = affine_mark(&f->pass->an->scratch);
    struct leave leave = open_leave(f, inst);
    struct choice choice = {(bits_of(f, inst->args[0]) & DATA_MAYBE) != 0, f->choices};
    data_cell *entry = copy_state(f);
    f->leaves = &leave;
    f->choices = &choice;
    f->is_dead = true;
    for (int i = 0; i < inst->region_count; i++) {
        if (f->is_dead) {
            set_state(f, entry, false);
        } else {
            join(f, f->state, entry, choice.is_data); // falls through from the one before
        }
        flow_region(f, &inst->regions[i]);
    }
    f->choices = choice.outer;
    if (f->is_dead) {
        set_state(f, entry, false); // no case may fit
    } else {
        join(f, f->state, entry, choice.is_data);
    }
    close_leave(f, &leave);
    affine_release(&f->pass->an->scratch, mark);
}

// ---- leaving -------------------------------------------------------------------------------------------------------

static void note_exit(struct flow *f, const struct ir_inst *inst, bool is_data, bool returns_data)
{
    struct data_exit *exit = pointer_map_get(&f->node->exits, inst);
    if (exit == NULL && !is_data) {
        return;
    }
    struct arena *arena = f->pass->an->arena;
    if (exit == NULL) {
        exit = ARENA_NEW(arena, struct data_exit);
        exit->inst = inst;
        exit->bits = ARENA_ARRAY(arena, uint8_t, f->node->function->cell_count + 1);
        pointer_map_set(arena, &f->node->exits, inst, exit);
    }
    exit->is_data = is_data;
    exit->returns_data = returns_data;
    for (int c = 0; c < f->node->function->cell_count; c++) {
        exit->bits[c] = f->state[f->node->first_cell + c] & DATA_BITS;
    }
}

// Out of all loops up to |leave|: what one carried that data ends here is made of data.
static void cross_loops(struct flow *f, const struct ir_inst *inst, const struct leave *leave, bool returns_data)
{
    bool is_data = false;
    for (const struct leave *crossed = f->leaves; crossed != NULL; crossed = crossed->outer) {
        bool by_data = crossed->is_loop && is_by_data(f->choices, crossed->choices);
        is_data |= by_data;
        for (int c = 0; c < f->count && by_data; c++) {
            f->state[c] |= (f->state[c] & DATA_CARRIED) != 0 ? DATA_SURE : 0;
        }
        if (crossed->is_loop) {
            end_carrying(f, crossed);
        }
        if (crossed == leave) {
            break;
        }
    }
    note_exit(f, inst, is_data, returns_data);
}

static void flow_exit(struct flow *f, const struct ir_inst *inst)
{
    struct leave *leave = f->leaves;
    bool returns_data = false;
    while (leave != NULL && (inst->op == IR_OP_RETURN ? leave->outer != NULL : leave->inst != inst->target)) {
        leave = leave->outer;
    }
    if (inst->op == IR_OP_RETURN && inst->arg_count > 0) {
        uint8_t bits = bits_of(f, inst->args[0]);
        const struct leave *loop = innermost_loop(f);
        if (loop != NULL) {
            bool is_data = (bits & DATA_CARRIED) != 0 && is_by_data(f->choices, loop->choices);
            bits = (bits & (uint8_t)~DATA_CARRIED) | (is_data ? DATA_SURE : 0);
            returns_data = is_data;
        }
        f->result = f->has_result ? data_meet(f->result, bits) : bits;
        f->result |= is_by_data(f->choices, NULL) ? DATA_CHOSEN : 0;
        f->has_result = true;
    }
    cross_loops(f, inst, leave, returns_data);
    if (leave == NULL) {
        f->is_dead = true;
        return;
    }
    leave->by_data |= is_by_data(f->choices, leave->choices);
    if (!leave->is_reached) {
        memcpy(leave->state, f->state, sizeof *f->state * (size_t)f->count);
        leave->is_reached = true;
    } else {
        join(f, leave->state, f->state, leave->by_data);
    }
    f->is_dead = true;
}

// ---- loops ---------------------------------------------------------------------------------------------------------

static struct data_loop *loop_of(struct flow *f, const struct ir_inst *inst)
{
    struct data_node *node = f->node;
    struct data_loop *loop = pointer_map_get(&node->loops, inst);
    if (loop != NULL) {
        return loop;
    }
    struct arena *arena = f->pass->an->arena;
    loop = ARENA_NEW(arena, struct data_loop);
    loop->inst = inst;
    loop->cell_count = f->count;
    loop->back = ARENA_ARRAY(arena, uint8_t, f->count + 1);
    loop->is_assigned = ARENA_ARRAY(arena, bool, f->count + 1);
    loop->header = ARENA_ARRAY(arena, uint8_t, node->function->cell_count + 1);
    loop->after = ARENA_ARRAY(arena, uint8_t, node->function->cell_count + 1);
    pointer_map_set(arena, &node->loops, inst, loop);
    return loop;
}

// At the entry of an iteration: what came in, or what one before has left.
static unsigned carried(unsigned entry, unsigned back)
{
    unsigned bits = data_meet((uint8_t)entry, (uint8_t)back) | DATA_CARRIED;
    if ((back & DATA_CHOSEN) != 0 && (back & DATA_UNSET) == 0) {
        bits = (bits & ~(unsigned)DATA_CHOSEN) | DATA_SURE;
    }
    return bits;
}

static void note_cells(const struct flow *f, const uint8_t *to)
{
    uint8_t *out = (uint8_t *)to; // of the loop's, which only this file writes
    for (int c = 0; c < f->node->function->cell_count; c++) {
        out[c] = f->state[f->node->first_cell + c] & DATA_BITS;
    }
}

static void begin_iteration(struct flow *f, const struct data_loop *loop)
{
    for (int c = 0; c < f->count; c++) {
        if (loop->is_assigned[c]) {
            f->state[c] = new_cell(f, carried(f->state[c] & DATA_BITS, loop->back[c]));
        }
    }
    note_cells(f, loop->header);
}

static void end_iteration(struct flow *f, struct data_loop *loop, const data_cell *header)
{
    for (int c = 0; c < f->count && !f->is_dead; c++) {
        uint8_t bits = f->state[c] & DATA_BITS;
        if (f->state[c] != header[c] && (!loop->is_assigned[c] || loop->back[c] != bits)) {
            loop->is_assigned[c] = true;
            loop->back[c] = bits;
            f->pass->has_changed = true;
        }
    }
    f->pass->has_changed |= !loop->is_seen;
    loop->is_seen = true;
}

static void flow_loop(struct flow *f, const struct ir_inst *inst)
{
    struct affine_mark mark = affine_mark(&f->pass->an->scratch);
    struct data_loop *loop = loop_of(f, inst);
    struct leave leave = open_loop(f, inst);
    begin_iteration(f, loop);
    data_cell *header = copy_state(f);
    f->leaves = &leave;
    flow_region(f, &inst->regions[0]);
    end_iteration(f, loop, header);
    f->is_dead = true; // only `break` leaves it
    close_leave(f, &leave);
    affine_release(&f->pass->an->scratch, mark);
}

static void flow_for(struct flow *f, const struct ir_inst *inst)
{
    struct affine_mark mark = affine_mark(&f->pass->an->scratch);
    struct data_loop *loop = loop_of(f, inst);
    uint8_t init = bits_of(f, inst->args[0]), bound = bits_of(f, inst->args[1]);
    struct leave leave = open_loop(f, inst);
    begin_iteration(f, loop);
    *cell_of(f, inst->loop->var) = new_cell(f, init | DATA_CARRIED);
    data_cell *header = copy_state(f);
    f->leaves = &leave;
    for (int i = inst->region_count - 1; i >= 0; i--) {
        f->is_dead = false;
        flow_region(f, &inst->regions[i]);
    }
    end_iteration(f, loop, header);
    f->leaves = leave.outer;
    for (int c = 0; c < f->count; c++) { // as it would begin the next one
        unsigned bits = leave.entry[c] & DATA_BITS, back = loop->back[c];
        bool is_counted = ((init | bound) & TAINT_DATA) != 0 && (back & DATA_CARRIED) != 0;
        unsigned next = (carried(bits, back) & ~(unsigned)DATA_CARRIED) | (bits & DATA_CARRIED);
        next |= is_counted ? DATA_SURE : 0;
        f->state[c] = loop->is_assigned[c] ? new_cell(f, next) : leave.entry[c];
    }
    f->is_dead = false;
    *cell_of(f, inst->loop->var) = new_cell(f, data_meet(init, bound));
    note_cells(f, loop->after);
    affine_release(&f->pass->an->scratch, mark);
}

// Each body may come after each: what one leaves, all begin with.
static void flow_cfg(struct flow *f, const struct ir_inst *inst)
{
    struct affine_mark mark = affine_mark(&f->pass->an->scratch);
    struct data_loop *loop = loop_of(f, inst);
    struct leave leave = open_loop(f, inst);
    begin_iteration(f, loop);
    data_cell *header = copy_state(f);
    f->leaves = &leave;
    for (int i = 0; i < inst->region_count; i++) {
        set_state(f, header, false);
        flow_region(f, &inst->regions[i]);
        if (!f->is_dead) {
            leave.is_reached = true;
            join(f, leave.state, f->state, false);
        }
    }
    // The leave's state began as the entry's; jumps and ends were joined to it.
    set_state(f, leave.state, false);
    for (int c = 0; c < f->count; c++) {
        if (loop->is_assigned[c]) {
            f->state[c] = new_cell(f, data_meet(f->state[c] & DATA_BITS, loop->back[c]));
        }
    }
    end_iteration(f, loop, header);
    end_carrying(f, &leave);
    f->leaves = leave.outer;
    note_cells(f, loop->after);
    affine_release(&f->pass->an->scratch, mark);
}

static void flow_jump(struct flow *f, const struct ir_inst *inst)
{
    for (struct leave *leave = f->leaves; leave != NULL; leave = leave->outer) {
        if (leave->inst == inst->target) {
            join(f, leave->state, f->state, false);
            break;
        }
    }
    f->is_dead = true;
}

// ---- calls ---------------------------------------------------------------------------------------------------------

static struct data_node *new_node(struct analysis *an, struct data_node *caller, const struct ir_inst *call,
                                  struct ir_function *function)
{
    struct data_node *node = ARENA_NEW(an->arena, struct data_node);
    node->caller = caller;
    node->call = call;
    node->function = data_function_of(an, function);
    node->values = ARENA_ARRAY(an->arena, uint8_t, function->value_count + 1);
    node->made = ARENA_ARRAY(an->arena, uint32_t, function->value_count + 1);
    if (caller != NULL) {
        node->first_cell = caller->first_cell + caller->function->cell_count;
        pointer_map_set(an->arena, &caller->calls, call, node);
    }
    return node;
}

struct data_node *data_of_call(const struct data_node *node, const struct ir_inst *call)
{
    return node != NULL ? pointer_map_get(&node->calls, call) : NULL;
}

// Runs the function's body in a state that has cells for its variables too.
static void flow_body(struct flow *f, const data_cell *outer, int outer_count)
{
    struct analysis *an = f->pass->an;
    const struct ir_function *function = f->node->function->function;
    f->count = f->node->first_cell + f->node->function->cell_count;
    f->state = affine_alloc(&an->scratch, sizeof *f->state * (size_t)(f->count + 1));
    for (int c = 0; c < f->count; c++) {
        f->state[c] = c < outer_count ? outer[c] : DATA_UNSET;
    }
    struct leave leave = open_leave(f, NULL);
    f->leaves = &leave;
    flow_region(f, &function->body);
    close_leave(f, &leave);
}

static void flow_call(struct flow *f, const struct ir_inst *inst)
{
    struct analysis *an = f->pass->an;
    uint8_t unused, *result = inst->id >= 0 ? &f->node->values[inst->id] : &unused;
    bool is_walked = f->depth + 1 < MAX_DEPTH && f->pass->call_budget > 0;
    f->pass->call_budget -= access_call_charge(inst->function);
    if (!is_walked) {
        struct data_targets anywhere = {.items = {{.kind = TARGET_UNKNOWN}}, .count = 1};
        struct data_store store = {-1, TAINT_HIDDEN, false, f->node, &f->pass->version};
        data_store_to(&anywhere, f->state, &store);
        *result = TAINT_HIDDEN;
        return;
    }
    struct affine_mark mark = affine_mark(&an->scratch);
    struct data_node *child = data_of_call(f->node, inst);
    child = child != NULL ? child : new_node(an, f->node, inst, inst->function);
    struct flow inner = {.pass = f->pass, .node = child, .depth = f->depth + 1};
    flow_body(&inner, f->state, f->count);
    memcpy(f->state, inner.state, sizeof *f->state * (size_t)f->count);
    f->is_dead = inner.is_dead;
    *result = inner.has_result ? inner.result : TAINT_HIDDEN;
    if (inst->id >= 0) {
        f->node->made[inst->id] = f->pass->version;
    }
    affine_release(&an->scratch, mark);
}

// ---- the passes ----------------------------------------------------------------------------------------------------

static void flow_inst(struct flow *f, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_SET: *cell_of(f, inst->var) = new_cell(f, bits_of(f, inst->args[0])); return;
    case IR_OP_VUPDATE: {
        data_cell *cell = cell_of(f, inst->var);
        *cell = new_cell(f, (*cell & DATA_BITS & ~(unsigned)DATA_UNSET) | bits_of(f, inst->args[0]));
        return;
    }
    case IR_OP_IF: flow_if(f, inst); return;
    case IR_OP_BLOCK: flow_block(f, inst); return;
    case IR_OP_LOOP: flow_loop(f, inst); return;
    case IR_OP_FOR: flow_for(f, inst); return;
    case IR_OP_SWITCH: flow_switch(f, inst); return;
    case IR_OP_CFG: flow_cfg(f, inst); return;
    case IR_OP_BLOCKS:
        for (int i = 0; i < inst->region_count; i++) {
            flow_region(f, &inst->regions[i]);
        }
        return;
    case IR_OP_BREAK:
    case IR_OP_RETURN: flow_exit(f, inst); return;
    case IR_OP_JUMP: flow_jump(f, inst); return;
    case IR_OP_FAIL: f->is_dead = true; return;
    case IR_OP_CALL: flow_call(f, inst); return;
    default: break;
    }
    uint8_t bits = flow_value(f, inst);
    if (inst->id >= 0) {
        f->node->values[inst->id] = bits;
        f->node->made[inst->id] = f->pass->version;
    }
}

static void flow_region(struct flow *f, const struct ir_region *region)
{
    for (const struct ir_inst *inst = region->first; inst != NULL && !f->is_dead; inst = inst->next) {
        flow_inst(f, inst);
    }
}

void data_find(struct analysis *an)
{
    struct pass pass = {.an = an, .has_changed = true};
    struct data_node *node = new_node(an, NULL, NULL, an->kernel);
    for (int i = 0; i < MAX_PASSES && pass.has_changed; i++) {
        struct affine_mark mark = affine_mark(&an->scratch);
        struct flow flow = {.pass = &pass, .node = node};
        pass.version = 0;
        pass.call_budget = CALL_BUDGET;
        pass.has_changed = false;
        flow_body(&flow, NULL, 0);
        affine_release(&an->scratch, mark);
    }
    an->data = pass.has_changed || pass.version > MAX_VERSION ? NULL : node;
}

// ---- what the walk asks --------------------------------------------------------------------------------------------

unsigned data_of_value(const struct data_node *node, const struct ir_inst *inst)
{
    return node != NULL && inst->id >= 0 ? node->values[inst->id] & (TAINT_DATA | TAINT_HIDDEN) : TAINT_HIDDEN;
}

const struct data_loop *data_of_loop(const struct data_node *node, const struct ir_inst *inst)
{
    return node != NULL ? pointer_map_get(&node->loops, inst) : NULL;
}

static unsigned var_bits(const struct data_node *node, const uint8_t *cells, const struct ir_var *var)
{
    return cells[node->function->first_cell[var->index]] & (TAINT_DATA | TAINT_HIDDEN);
}

unsigned data_in_loop(const struct data_node *node, const struct data_loop *loop, const struct ir_var *var)
{
    return loop != NULL ? var_bits(node, loop->header, var) : TAINT_HIDDEN;
}

unsigned data_after_loop(const struct data_node *node, const struct data_loop *loop, const struct ir_var *var)
{
    return loop != NULL ? var_bits(node, loop->after, var) : TAINT_HIDDEN;
}

static const struct data_exit *find_exit(const struct data_node *node, const struct ir_inst *inst)
{
    const struct data_exit *exit = node != NULL ? pointer_map_get(&node->exits, inst) : NULL;
    return exit != NULL && exit->is_data ? exit : NULL;
}

bool data_is_exit(const struct data_node *node, const struct ir_inst *inst)
{
    return find_exit(node, inst) != NULL;
}

bool data_is_returned(const struct data_node *node, const struct ir_inst *inst)
{
    const struct data_exit *exit = find_exit(node, inst);
    return exit != NULL && exit->returns_data;
}

unsigned data_at_exit(const struct data_node *node, const struct ir_inst *inst, const struct ir_var *var)
{
    const struct data_exit *exit = find_exit(node, inst);
    return exit != NULL ? var_bits(node, exit->bits, var) : 0;
}
