// Which tasks are worth tiles. In a nest of two parallel loops around others, like the product of two matrices,
// neighbouring iterations read the same elements: a[i][k] is one for all j, b[k][j] one for all i. A thread that takes
// eight rows by eight columns at once, in one walk over k, loads sixteen elements for 64 products instead of 128.
// Each iteration does what it did, in its order: they are interleaved, which independent iterations do not notice.
//
// What allows it is independence alone: an element that two iterations read is one that neither writes, so that one
// load serves both. What an iteration updates in every round of a loop is in a register meanwhile if the launch has
// seen that nothing else the loop reads is there; without that a tile gains nothing, and there is none.
#include "offload/tile.h"

#include "ir/assignment.h"
#include "ir/invariant.h"
#include "ir/points_to.h"
#include "ir/walk.h"
#include "offload/offload.h"
#include "plan/abi.h"

#include <assert.h>
#include <string.h>

enum {
    CODE_LIMIT = 300,     // instructions of an iteration
    REGISTER_LIMIT = 100, // 4-byte registers for what a tile holds, of 128
    GUARD_REGISTERS = 16, // more where conditions part a tile
    FAR_COST = 16,        // of loads whose columns lie in different lines
    SMALLER = 4,          // times: of the second shape
    DIGITS_MOST = 3,      // loops around the innermost one
    GAIN_PERCENT = 65,    // of the loads in loops are left, at most
};

// ---- regions ------------------------------------------------------------------------------------------------------

bool tile_is_in(const struct ir_inst *inst, const struct ir_region *region)
{
    const struct ir_region *at = inst->parent;
    while (at != NULL && at != region) {
        at = at->owner != NULL ? at->owner->parent : NULL;
    }
    return at != NULL;
}

static bool refers_to(const struct ir_inst *inst, const struct ir_var *var)
{
    return inst->var == var || (inst->op == IR_OP_FOR && inst->loop->var == var);
}

bool tile_is_used_outside(const struct tile *tile, const struct ir_var *var, const struct ir_region *region)
{
    WALK (inst, &tile->task->body) {
        if (refers_to(inst, var) && !tile_is_in(inst, region)) {
            return true;
        }
    }
    return false;
}

bool tile_is_simple(const struct ir_region *region)
{
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (!ir_op_is_value(inst->op) && !ir_op_sets(inst->op)) {
            return false;
        }
    }
    return true;
}

static const struct ir_inst *loop_around(const struct ir_inst *inst)
{
    const struct ir_inst *owner = inst->parent->owner;
    while (owner != NULL && owner->op != IR_OP_FOR) {
        owner = owner->parent->owner;
    }
    return owner;
}

// ---- where things vary --------------------------------------------------------------------------------------------

static unsigned varies(const struct tile *tile, const struct ir_inst *inst)
{
    unsigned all = 0;
    if (inst->op == IR_OP_GET) {
        return tile->of_var[inst->var->index];
    }
    if (inst->op == IR_OP_NEST_ITER) {
        return tile->tiled & tile_digit(inst);
    }
    for (int i = 0; i < inst->arg_count; i++) {
        all |= tile->of_value[inst->args[i]->id];
    }
    return all;
}

// Where it varies whether |inst|, which assigns |var|, is reached, as far as anybody sees that afterwards: what is used
// under the condition alone is not seen by iterations for which it does not hold. In a loop it may be in a later round.
static unsigned varies_by_control(const struct tile *tile, const struct ir_inst *inst, const struct ir_var *var)
{
    unsigned all = 0;
    for (const struct ir_region *region = inst->parent; region->owner != NULL; region = region->owner->parent) {
        const struct ir_inst *owner = region->owner;
        if (owner->op == IR_OP_IF && (loop_around(owner) != NULL || tile_is_used_outside(tile, var, region))) {
            all |= tile->of_value[owner->args[0]->id];
        }
    }
    return all;
}

// True: something was found to vary in more loops than before.
static bool note_varies(struct tile *tile, const struct ir_region *region)
{
    bool is_new = false;
    WALK (inst, region) {
        unsigned own = varies(tile, inst);
        const struct ir_var *var = assignment_target(inst);
        if (inst->id >= 0) {
            is_new |= (own & ~tile->of_value[inst->id]) != 0;
            tile->of_value[inst->id] |= (unsigned char)own;
        }
        if (var != NULL) {
            own |= inst->op == IR_OP_FOR ? 0 : varies_by_control(tile, inst, var);
            is_new |= (own & ~tile->of_var[var->index]) != 0;
            tile->of_var[var->index] |= (unsigned char)own;
        }
    }
    return is_new;
}

static void find_varies(struct tile *tile, unsigned tiled)
{
    const struct ir_function *task = tile->task;
    tile->tiled = tiled;
    memset(tile->of_value, 0, (size_t)task->value_count);
    memset(tile->of_var, 0, (size_t)task->var_count);
    while (note_varies(tile, &task->body)) {
    }
}

// The loops of which the bounds of inner loops are independent.
static unsigned may_be_tiled(struct tile *tile)
{
    unsigned bounds = 0;
    find_varies(tile, TILE_BOTH);
    WALK (inst, &tile->task->body) {
        if (inst->op == IR_OP_FOR) {
            bounds |= tile->of_value[inst->args[0]->id] | tile->of_value[inst->args[1]->id];
        }
    }
    return TILE_BOTH & ~bounds;
}

// ---- updates ------------------------------------------------------------------------------------------------------

static bool is_only_read(const struct tile *tile, const struct ir_inst *load)
{
    const struct ir_inst *root = address_root(load->args[0]);
    return (root->op == IR_OP_ADDR_GLOBAL && root->global->is_const) ||
           (root->op == IR_OP_PARAM && tile->kernel->params[root->imm].is_array &&
            plan_task_only_reads(tile->kernel, tile->plan, (int)root->imm));
}

// Whether the launch sees that what the task writes of one parameter and of the other is apart.
static bool are_apart(const struct tile *tile, int64_t a, int64_t b)
{
    const struct plan_task *plan = tile->plan;
    for (int i = 0; i < plan->effect_count; i++) {
        const struct plan_effect *x = &plan->effects[i];
        for (int k = 0; k < plan->effect_count; k++) {
            const struct plan_effect *y = &plan->effects[k];
            bool are_these = x->base == PLAN_BASE_PARAM && x->index == a && y->base == PLAN_BASE_PARAM && y->index == b;
            if (x->base == PLAN_BASE_UNKNOWN || (are_these && !plan_task_keeps_apart(plan, i, k))) {
                return false;
            }
        }
    }
    return true;
}

const struct ir_inst *tile_keeps(const struct tile *tile, const struct ir_inst *update)
{
    const struct ir_inst *loop = update->parent->owner;
    const struct ir_inst *root = address_root(update->args[0]);
    if (loop == NULL || loop->op != IR_OP_FOR || root->op != IR_OP_PARAM || update->op != IR_OP_UPDATE ||
        !invariant_in_loop(update->args[0], loop)) {
        return NULL;
    }
    WALK (inst, &loop->regions[0]) {
        if (inst == update || !ir_op_accesses(inst->op)) {
            continue;
        }
        const struct ir_inst *other = address_root(inst->args[0]);
        bool is_apart = inst->op == IR_OP_LOAD ? is_only_read(tile, inst)
                                               : inst->op == IR_OP_UPDATE && other->op == IR_OP_PARAM &&
                                                     other->imm != root->imm && are_apart(tile, root->imm, other->imm);
        if (!is_apart) {
            return NULL;
        }
    }
    return loop;
}

// ---- what may be tiled --------------------------------------------------------------------------------------------

// Whether it stands under a branch that is for some iterations of a tile only.
static bool is_guarded(const struct tile *tile, const struct ir_inst *inst)
{
    for (const struct ir_region *region = inst->parent; region->owner != NULL; region = region->owner->parent) {
        const struct ir_inst *owner = region->owner;
        if (owner->op == IR_OP_IF && tile->of_value[owner->args[0]->id] != 0 && !tile_is_simple(region)) {
            return true;
        }
    }
    return false;
}

static bool may_write(const struct tile *tile, const struct ir_inst *inst)
{
    const struct ir_inst *root = address_root(inst->args[0]);
    bool is_plain = !inst->is_volatile && !inst->atomic && !inst->is_around &&
                    (root->op == IR_OP_PARAM || root->op == IR_OP_ADDR_GLOBAL);
    bool is_kept = inst->op == IR_OP_UPDATE && tile_keeps(tile, inst) != NULL;
    // Two iterations that write one place are none that can be taken in any order.
    return is_plain && tile->of_value[inst->args[0]->id] == tile->tiled && (loop_around(inst) == NULL || is_kept);
}

// What is loaded for an iteration whose condition does not hold is loaded for another: of its row, or its column.
static bool may_load(const struct tile *tile, const struct ir_inst *inst)
{
    bool is_own = tile->of_value[inst->id] == TILE_BOTH;
    return !inst->is_volatile && !inst->atomic && inst->type != IR_PTR &&
           !(is_own && is_guarded(tile, inst) && loop_around(inst) != NULL);
}

// A number that was set under another condition may be one of an iteration for which this one does not hold.
static bool may_get(const struct tile *tile, const struct ir_inst *inst)
{
    const struct assignments *assigned = &tile->assigned[inst->var->index];
    bool is_shared = tile->of_var[inst->var->index] == 0 || ir_type_is_float(inst->type);
    return is_shared || !is_guarded(tile, inst) || assignments_only_set(assigned) != NULL;
}

static bool is_in_loop_over(const struct ir_inst *inst, const struct ir_var *var)
{
    const struct ir_inst *loop = loop_around(inst);
    while (loop != NULL && loop->loop->var != var) {
        loop = loop_around(loop);
    }
    return loop != NULL;
}

// Its variable is nobody's but its own, and that of other such loops.
static bool may_loop(const struct tile *tile, const struct ir_inst *inst)
{
    const struct ir_var *var = inst->loop->var;
    WALK (other, &tile->task->body) {
        bool is_bad = other->op == IR_OP_GET ? !is_in_loop_over(other, var) : other->op != IR_OP_FOR;
        if (refers_to(other, var) && is_bad) {
            return false;
        }
    }
    return !inst->loop->recheck;
}

static bool may_branch(const struct tile *tile, const struct ir_inst *inst)
{
    bool is_simple = tile_is_simple(&inst->regions[0]) && (inst->region_count < 2 || tile_is_simple(&inst->regions[1]));
    return tile->of_value[inst->args[0]->id] == 0 || is_simple || loop_around(inst) == NULL;
}

static bool may_be_in_tile(const struct tile *tile, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_ITER:
    case IR_OP_ADDR_VAR: return false;
    case IR_OP_GET: return may_get(tile, inst);
    case IR_OP_SET:
    case IR_OP_VUPDATE: return true;
    case IR_OP_LOAD: return may_load(tile, inst);
    case IR_OP_STORE:
    case IR_OP_UPDATE: return may_write(tile, inst);
    case IR_OP_IF: return may_branch(tile, inst);
    case IR_OP_FOR: return may_loop(tile, inst);
    default: return ir_op_is_value(inst->op);
    }
}

static bool has_good_code(const struct tile *tile)
{
    int count = 0;
    WALK (inst, &tile->task->body) {
        if (++count > CODE_LIMIT || !may_be_in_tile(tile, inst)) {
            return false;
        }
    }
    for (const struct ir_inst *inst = tile->task->prologue.first; inst != NULL; inst = inst->next) {
        const struct ir_var *var = assignment_target(inst);
        bool is_set_again = var != NULL && assignment_is_in_region(&tile->task->body, var);
        if (is_set_again || (!ir_op_is_value(inst->op) && inst->op != IR_OP_SET && inst->op != IR_OP_LOAD)) {
            return false;
        }
    }
    return true;
}

// ---- whether it pays ----------------------------------------------------------------------------------------------

static int registers_of(enum ir_type type)
{
    return ir_type_size(type) > 4 ? 2 : 1;
}

// Whether an index moves by a constant from one column to the next.
static bool moves_evenly(const struct tile *tile, const struct ir_inst *index, int depth)
{
    if ((tile->of_value[index->id] & TILE_COLUMN) == 0 || index->op == IR_OP_NEST_ITER) {
        return true;
    }
    const struct ir_inst *set =
        index->op == IR_OP_GET ? assignments_only_set(&tile->assigned[index->var->index]) : NULL;
    if (depth == 0 || (index->op == IR_OP_GET && set == NULL)) {
        return false;
    }
    bool is_scaled = index->op == IR_OP_MUL && index->args[0]->op != IR_OP_CONST && index->args[1]->op != IR_OP_CONST;
    bool is_even = set != NULL || index->op == IR_OP_ADD || index->op == IR_OP_SUB || index->op == IR_OP_SEXT ||
                   index->op == IR_OP_TRUNC || (index->op == IR_OP_MUL && !is_scaled);
    for (int i = 0; i < index->arg_count && is_even; i++) {
        is_even = moves_evenly(tile, index->args[i], depth - 1);
    }
    return is_even && (set == NULL || moves_evenly(tile, set->args[0], depth - 1));
}

// Whether the elements that a load has for neighbouring columns are neighbours.
static bool is_close(const struct tile *tile, const struct ir_inst *load)
{
    enum { DEPTH = 12 };
    const struct ir_inst *at = load->args[0];
    while (at->op == IR_OP_OFFSET) {
        at = at->args[0];
    }
    return (tile->of_value[load->id] & TILE_COLUMN) == 0 ||
           (at->op == IR_OP_INDEX && at->args[2]->op == IR_OP_CONST &&
            (tile->of_value[at->args[0]->id] & TILE_COLUMN) == 0 && moves_evenly(tile, at->args[1], DEPTH));
}

// The addresses that a load needs: one for all columns where these are constant distances apart.
static int count_addresses(const struct tile *tile, const struct ir_inst *load)
{
    unsigned varies = tile->of_value[load->id];
    bool is_one = is_close(tile, load) && !is_guarded(tile, load);
    return tile_count(tile, is_one ? varies & ~(unsigned)TILE_COLUMN : varies);
}

// What a tile of this shape holds in a round of its loops: what is accumulated, what was loaded for it, and addresses.
static int count_registers(const struct tile *tile)
{
    int count = 0;
    WALK (inst, &tile->task->body) {
        if (loop_around(inst) == NULL) {
            continue;
        }
        if (inst->op == IR_OP_UPDATE || inst->op == IR_OP_LOAD) {
            count += registers_of(inst->type) * tile_count(tile, tile->of_value[inst->args[0]->id]);
            count += inst->op == IR_OP_LOAD ? registers_of(IR_PTR) * count_addresses(tile, inst) : 0;
            count += inst->op == IR_OP_UPDATE && is_guarded(tile, inst) ? GUARD_REGISTERS : 0;
        } else if (ir_op_sets(inst->op)) {
            count += registers_of(inst->var->type) * tile_count(tile, tile->of_var[inst->var->index]);
        }
    }
    return count;
}

// The loads in loops that are left, of a hundred.
static int loads_left(const struct tile *tile)
{
    int before = 0;
    int after = 0;
    WALK (inst, &tile->task->body) {
        if (inst->op == IR_OP_LOAD && loop_around(inst) != NULL) {
            before += tile_count(tile, TILE_BOTH);
            after += tile_count(tile, tile->of_value[inst->id]);
        }
    }
    return before > 0 ? 100 * after / before : 100;
}

// What the loads of a round cost, for each of a thousand iterations: a warp loads 128 bytes at a time, or one element
// if each of its threads has another line.
static int cost_of_loads(const struct tile *tile)
{
    int cost = 0;
    WALK (inst, &tile->task->body) {
        if (inst->op == IR_OP_LOAD && loop_around(inst) != NULL) {
            bool is_one = (tile->of_value[inst->id] & TILE_COLUMN) == 0;
            int each = is_one ? 1 : is_close(tile, inst) ? registers_of(inst->type) : FAR_COST;
            cost += each * tile_count(tile, tile->of_value[inst->id]);
        }
    }
    return 1000 * cost / tile_count(tile, TILE_BOTH);
}

// The shape of at most so many iterations whose loads cost least, if it leaves registers enough and spares loads
// enough.
static bool find_shape(struct tile *tile, int most)
{
    static const int shapes[][2] = {{8, 8}, {8, 4}, {4, 4}, {8, 2}, {4, 2}, {2, 2}, {8, 1}, {1, 8}, {4, 1}, {1, 4}};
    struct tile best = {0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        tile->rows = shapes[i][0];
        tile->columns = shapes[i][1];
        bool fits = (tile->rows > 1) == ((tile->tiled & TILE_ROW) != 0) &&
                    (tile->columns > 1) == ((tile->tiled & TILE_COLUMN) != 0) && tile->rows * tile->columns <= most;
        if (fits && count_registers(tile) <= REGISTER_LIMIT && loads_left(tile) <= GAIN_PERCENT &&
            (best.rows == 0 || cost_of_loads(tile) < cost_of_loads(&best))) {
            best = *tile;
        }
    }
    tile->rows = best.rows;
    tile->columns = best.columns;
    return best.rows > 0;
}

// ---- the pass -----------------------------------------------------------------------------------------------------

static struct ir_function *function_of(const struct offload *o, const char *name)
{
    for (int i = o->first_function; i < o->module->function_count; i++) {
        if (strcmp(o->module->functions[i]->name, name) == 0) {
            return o->module->functions[i];
        }
    }
    return NULL;
}

static bool is_nest(const struct ir_function *task)
{
    const struct ir_inst *first = task->body.first;
    return task->assume_independent && task->accumulator_count == 0 && first != NULL && first->op == IR_OP_NEST_ITER &&
           first->arg_count >= 1 && first->arg_count <= DIGITS_MOST && first->imm == first->arg_count;
}

static void add_shape(struct offload *o, struct plan_task *plan, struct tile *tile)
{
    const char *name = arena_printf(o->arena, "%s.tile%dx%d", plan->name, tile->rows, tile->columns);
    plan->tiles[plan->tile_count++] = (struct plan_tile){name, tile->rows, tile->columns};
    tile_jam(tile, name);
}

// The shape of a pragma, whether it pays or not. False: the nest cannot be taken so.
static bool add_asked(struct offload *o, struct plan_task *plan, struct tile *tile, unsigned tiled,
                      const struct ir_for *asked)
{
    unsigned wanted = (asked->tile_rows > 1 ? TILE_ROW : 0) | (asked->tile_columns > 1 ? TILE_COLUMN : 0);
    if (wanted == 0) {
        return true; // a thread for each iteration
    }
    if ((wanted & ~tiled) != 0) {
        return false;
    }
    find_varies(tile, wanted);
    if (!has_good_code(tile)) {
        return false;
    }
    tile->rows = asked->tile_rows;
    tile->columns = asked->tile_columns;
    add_shape(o, plan, tile);
    return true;
}

// |asked|: the loop whose pragma says which shape; NULL: none does. False: what it says cannot be done.
static bool make_tile(struct offload *o, struct plan_task *plan, const struct ir_for *asked)
{
    const struct ir_function *task = function_of(o, plan->entry);
    if (task == NULL || !is_nest(task)) {
        return false;
    }
    struct tile tile = {.module = o->module, .arena = o->arena, .kernel = o->out, .plan = plan, .task = task};
    tile.assigned = ARENA_ARRAY(o->arena, struct assignments, task->var_count + 1);
    tile.of_value = ARENA_ARRAY(o->arena, unsigned char, task->value_count + 1);
    tile.of_var = ARENA_ARRAY(o->arena, unsigned char, task->var_count + 1);
    assignments_add(&task->prologue, tile.assigned);
    assignments_add(&task->body, tile.assigned);
    unsigned tiled = may_be_tiled(&tile);
    if (asked != NULL || tiled == 0) {
        return asked != NULL && add_asked(o, plan, &tile, tiled, asked);
    }
    find_varies(&tile, tiled);
    // A small one for nests that do not fill the device with large ones.
    int most = TILE_COPIES;
    while (has_good_code(&tile) && plan->tile_count < PLAN_MAX_TILES && find_shape(&tile, most)) {
        add_shape(o, plan, &tile);
        most = tile.rows * tile.columns / SMALLER;
    }
    return true;
}

// The loop that a pragma wants in tiles, of which the task is made.
static const struct ir_inst *asked_of(const struct offload *o, int task)
{
    for (int i = 0; i < o->fragments.count; i++) {
        const struct fragment *fragment = &o->fragments.items[i];
        if (fragment->kind == FRAGMENT_PARALLEL && fragment->task == task &&
            fragment->first->loop->map == IR_MAP_TILE) {
            return fragment->first;
        }
    }
    return NULL;
}

void tiles_make(struct offload *o)
{
    bool may = o->module->is_gpu && !o->module->check_bounds;
    for (int i = 0; may && i < o->tasks.count; i++) {
        struct plan_task *plan = &o->tasks.items[i];
        const struct ir_inst *asked = plan->kind == PLAN_TASK_PARALLEL ? asked_of(o, i) : NULL;
        bool is_space = plan->kind == PLAN_TASK_PARALLEL && plan->collapse >= 2 && plan->row_length != NULL &&
                        plan->partial_size == 0 && plan->copy_count == 0 && plan->block_dim == 0 && !plan->may_fail &&
                        !plan->may_print;
        bool is_made = is_space && make_tile(o, plan, asked != NULL ? asked->loop : NULL);
        if (asked != NULL && !is_made) {
            diag_warning(o->diags, asked->loc,
                         "'#pragma rill map(tile)' is not followed: the loops are no nest of two whose neighbouring "
                         "iterations one thread can do together");
        }
    }
}
