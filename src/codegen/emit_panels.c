// The code of tasks in panels: see panels.h. For each block of rows, each panel of columns and each stretch of the
// innermost loop, what the rows share is copied, and tiles of four rows run through the copy. Between two stretches the
// sums of a block's rows are in memory of the call's own. A last row or column is masked or taken alone.
#include "codegen/panels.h"

#include "ir/assignment.h"
#include "ir/walk.h"

#include <assert.h>
#include <string.h>

// A loop over i64 numbers while its code is emitted: at least one round.
struct rounds {
    LLVMBasicBlockRef body;
    LLVMValueRef at;
    LLVMValueRef first;
    LLVMBasicBlockRef before;
};

static struct rounds open_rounds(struct emitter *e, LLVMValueRef first, const char *name)
{
    struct rounds rounds = {.body = emit_block(e, name), .first = first};
    rounds.before = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, rounds.body);
    emit_at(e, rounds.body);
    rounds.at = LLVMBuildPhi(e->builder, e->types[IR_I64], name);
    return rounds;
}

// The next round begins with |next| if |more|.
static void close_rounds(struct emitter *e, const struct rounds *rounds, LLVMValueRef next, LLVMValueRef more)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef after = emit_block(e, "after");
    LLVMBuildCondBr(e->builder, more, rounds->body, after);
    LLVMAddIncoming(rounds->at, (LLVMValueRef[]){rounds->first, next}, (LLVMBasicBlockRef[]){rounds->before, latch}, 2);
    emit_at(e, after);
}

static LLVMValueRef less(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildICmp(e->builder, LLVMIntSLT, x, y, "");
}

static LLVMValueRef least(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(e->builder, less(e, x, y), x, y, "");
}

static LLVMValueRef plus(struct emitter *e, LLVMValueRef x, int64_t y)
{
    return LLVMBuildNSWAdd(e->builder, x, emit_i64(e, y), "");
}

// Opens a block that runs if |condition|; returns the one behind.
static LLVMBasicBlockRef open_if(struct emitter *e, LLVMValueRef condition, const char *name)
{
    LLVMBasicBlockRef inside = emit_block(e, name);
    LLVMBasicBlockRef after = emit_block(e, "after");
    LLVMBuildCondBr(e->builder, condition, inside, after);
    emit_at(e, inside);
    return after;
}

static void close_if(struct emitter *e, LLVMBasicBlockRef after)
{
    emit_go(e, after);
    emit_at(e, after);
}

// ---- rows ---------------------------------------------------------------------------------------------------------

static LLVMValueRef *copy_of(struct emitter *e, LLVMValueRef *from, int count)
{
    LLVMValueRef *to = ARENA_ARRAY(e->arena, LLVMValueRef, count + 1);
    memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

// Rows that begin with what is there before them. What varies has a place for each.
static void open_rows(struct panels *panels, int count, const struct panel_row *outer)
{
    struct emitter *e = panels->e;
    const struct ir_function *task = e->function->ir;
    panels->row_count = count;
    for (int r = 0; r < count; r++) {
        struct panel_row *row = &panels->rows[r];
        row->values = copy_of(e, outer->values, task->value_count);
        row->vars = copy_of(e, outer->vars, task->var_count);
        row->items = ARENA_ARRAY(e->arena, LLVMValueRef, task->value_count + 1);
        row->slots = ARENA_ARRAY(e->arena, LLVMValueRef, task->var_count + 1);
        for (int i = 0; i < task->var_count; i++) {
            const struct ir_var *var = task->vars[i];
            bool is_own = r == 0 || panels->row_var[i];
            if (panels->lanes->varies[i] && var != panels->lanes->counter) {
                row->slots[i] = is_own ? lanes_emit_slot(panels->lanes, var) : panels->rows[0].slots[i];
            } else if (panels->row_var[i] && !var->is_memory) {
                row->vars[i] = emit_alloca(e, e->types[var->type], (uint32_t)ir_type_size(var->type), var->name);
            }
        }
    }
}

static void enter_row(struct panels *panels, const struct panel_row *row)
{
    struct emit_function *f = panels->e->function;
    f->iter = row->iter;
    f->values = row->values;
    f->vars = row->vars;
    panels->lanes->items = row->items;
    panels->lanes->vars = row->slots;
}

static void emit_in_row(struct panels *panels, const struct ir_inst *inst)
{
    struct emitter *e = panels->e;
    // Nothing is noted of what it was set to: that would be another row's.
    if (inst->op == IR_OP_SET && (e->function->lanes == NULL || !panels->lanes->varies[inst->var->index])) {
        LLVMBuildStore(e->builder, emit_value(e, inst->args[0]), e->function->vars[inst->var->index]);
        return;
    }
    emit_insts(e, inst, inst->next);
}

// What rows share is emitted once.
static void emit_in_rows(struct panels *panels, const struct ir_inst *inst)
{
    bool is_own = inst->id >= 0 && panels->row_value[inst->id];
    is_own |= ir_op_sets(inst->op) && panels->row_var[inst->var->index];
    is_own |= inst->op == IR_OP_STORE || inst->op == IR_OP_UPDATE;
    for (int r = 0; r < (is_own ? panels->row_count : 1); r++) {
        enter_row(panels, &panels->rows[r]);
        emit_in_row(panels, inst);
    }
    for (int r = 1; r < panels->row_count && !is_own && inst->id >= 0; r++) {
        panels->rows[r].values[inst->id] = panels->rows[0].values[inst->id];
        panels->rows[r].items[inst->id] = panels->rows[0].items[inst->id];
    }
    enter_row(panels, &panels->rows[0]);
}

static const struct ir_inst *outer_of(const struct panels *panels)
{
    return panels->update != NULL ? panels->depth : panels->columns;
}

// Up to the loops.
static void emit_begin_of_rows(struct panels *panels)
{
    const struct ir_inst *inst = panels->e->function->ir->body.first;
    assert(panels->e->function->lanes == NULL);
    for (; inst != outer_of(panels); inst = inst->next) {
        if (inst->op == IR_OP_FOR) { // the rows of the block have been through it
            continue;
        }
        if (!panels_is_strips(panels, inst)) {
            emit_in_rows(panels, inst);
        } else if (panels->row_count == 1) { // several rows are taken where there are no strips
            emit_insts(panels->e, inst, inst->next);
        }
    }
}

// Up to the innermost loop: nothing before it writes memory.
static void emit_begin(struct panels *panels)
{
    emit_begin_of_rows(panels);
    panels->e->function->lanes = panels->lanes;
    if (panels->update != NULL) {
        return;
    }
    for (const struct ir_inst *inst = panels->columns->regions[0].first; inst != panels->depth; inst = inst->next) {
        emit_in_rows(panels, inst);
    }
}

// ---- the innermost loop -------------------------------------------------------------------------------------------

// A value that the columns compute and that is the same for all, computed before them.
static LLVMValueRef emit_settled(struct panels *panels, const struct ir_inst *value)
{
    struct emitter *e = panels->e;
    if (e->function->values[value->id] == NULL) {
        for (int i = 0; i < value->arg_count; i++) {
            emit_settled(panels, value->args[i]);
        }
        emit_set_value(e, value, emit_pure(e, value));
    }
    return emit_value(e, value);
}

// A stretch of the innermost loop.
struct stretch {
    LLVMValueRef init; // of the whole loop, in the variable's own type
    LLVMValueRef from; // iterations
    LLVMValueRef to;
};

static LLVMValueRef open_counter(struct panels *panels, const struct stretch *stretch, LLVMValueRef at)
{
    struct emitter *e = panels->e;
    LLVMBuilderRef b = e->builder;
    const struct ir_for *loop = panels->depth->loop;
    bool is_narrow = loop->var->type != IR_I64;
    LLVMValueRef first = is_narrow ? LLVMBuildSExt(b, stretch->init, e->types[IR_I64], "") : stretch->init;
    LLVMValueRef distance = LLVMBuildNSWMul(b, at, emit_i64(e, loop->step), "");
    LLVMValueRef wide = LLVMBuildNSWAdd(b, first, distance, "");
    LLVMValueRef value = is_narrow ? LLVMBuildTrunc(b, wide, e->types[loop->var->type], "") : wide;
    LLVMBuildStore(b, value, e->function->vars[loop->var->index]);
    // A panel has a column at least, so that an iteration of the depth is one of the columns', too.
    const struct ir_inst *inner = panels->update != NULL ? panels->columns : panels->depth;
    struct emit_counter counter = {wide, value, first, loop->step, &inner->regions[0], NULL};
    emit_counter_open(e, loop->var, &counter);
    return wide;
}

static int64_t bytes_of(const struct panels *panels, enum ir_type type)
{
    return (int64_t)panels->lanes->width * ir_type_size(type);
}

// Vector number |at| of memory of the call's own.
static LLVMValueRef vector_at(struct panels *panels, LLVMValueRef memory, enum ir_type type, LLVMValueRef at)
{
    struct emitter *e = panels->e;
    LLVMValueRef offset = LLVMBuildNSWMul(e->builder, at, emit_i64(e, bytes_of(panels, type)), "");
    return LLVMBuildInBoundsGEP2(e->builder, e->types[IR_I8], memory, &offset, 1, "");
}

static void store_vector(struct panels *panels, LLVMValueRef value, LLVMValueRef address)
{
    LLVMSetAlignment(LLVMBuildStore(panels->e->builder, value, address), 64);
}

static LLVMValueRef load_vector(struct panels *panels, enum ir_type type, LLVMValueRef address)
{
    LLVMValueRef load = LLVMBuildLoad2(panels->e->builder, lanes_type(panels->lanes, type), address, "");
    LLVMSetAlignment(load, 64);
    return load;
}

static int number_of_copy(const struct panels *panels, const struct ir_inst *inst)
{
    for (int i = 0; i < panels->copied_count; i++) {
        if (panels->copied[i] == inst) {
            return i;
        }
    }
    return -1;
}

// Copies what the rows share, if there are enough.
static void emit_copying(struct panels *panels, const struct stretch *stretch, LLVMValueRef rows,
                         const struct panel_row *outer)
{
    struct emitter *e = panels->e;
    LLVMValueRef pays =
        LLVMBuildAnd(e->builder, less(e, emit_i64(e, PANEL_ROWS - 1), rows), less(e, stretch->from, stretch->to), "");
    LLVMBasicBlockRef after = open_if(e, pays, "copying");
    open_rows(panels, 1, outer);
    panels->rows[0].iter = outer->iter;
    emit_begin(panels);
    struct rounds rounds = open_rounds(e, stretch->from, "copy");
    open_counter(panels, stretch, rounds.at);
    LLVMValueRef place = LLVMBuildNSWSub(e->builder, rounds.at, stretch->from, "");
    for (const struct ir_inst *inst = panels_first(panels); inst != NULL; inst = panels_next(panels, inst)) {
        bool is_own = (inst->id >= 0 && panels->row_value[inst->id]) ||
                      (ir_op_sets(inst->op) && (panels->row_var[inst->var->index] || inst->op != IR_OP_SET)) ||
                      inst == panels->update;
        if (!is_own) {
            emit_in_rows(panels, inst);
        }
        int copy = number_of_copy(panels, inst);
        if (copy >= 0) {
            LLVMValueRef value = panels->rows[0].items[inst->id];
            store_vector(panels, value, vector_at(panels, panels->copies[copy], inst->type, place));
        }
    }
    emit_counter_close(e, panels->depth);
    LLVMValueRef next = plus(e, rounds.at, 1);
    close_rounds(e, &rounds, next, less(e, next, stretch->to));
    enter_row(panels, outer);
    e->function->lanes = NULL;
    close_if(e, after);
}

// ---- sums in memory -----------------------------------------------------------------------------------------------

// A value that the depth computes and does not change.
static void emit_fixed(struct panels *panels, const struct ir_inst *value, bool *is_done)
{
    if (!walk_is_inside(value, panels->depth) || is_done[value->id]) {
        return;
    }
    is_done[value->id] = true;
    if (value->op == IR_OP_GET && value->var != panels->lanes->counter) {
        const struct ir_inst *set = assignments_only_set(&panels->lanes->assigned[value->var->index]);
        if (set != NULL && walk_is_inside(set, panels->depth)) {
            emit_fixed(panels, set->args[0], is_done);
            emit_in_rows(panels, set);
        }
    }
    for (int i = 0; i < value->arg_count; i++) {
        emit_fixed(panels, value->args[i], is_done);
    }
    emit_in_rows(panels, value);
}

static void emit_place_of_sums(struct panels *panels)
{
    struct emitter *e = panels->e;
    emit_fixed(panels, panels->update->args[0], ARENA_ARRAY(e->arena, bool, e->function->ir->value_count + 1));
}

static void take_sums(struct panels *panels, LLVMValueRef *sums)
{
    emit_place_of_sums(panels);
    for (int r = 0; r < panels->row_count; r++) {
        struct emitter *e = panels->e;
        enter_row(panels, &panels->rows[r]);
        sums[r] = emit_alloca(e, lanes_type(panels->lanes, panels->update->type), 64, "sum");
        LLVMBuildStore(e->builder, lanes_emit_load(panels->lanes, panels->update), sums[r]);
    }
    enter_row(panels, &panels->rows[0]);
}

static LLVMValueRef load_sum(struct panels *panels, LLVMValueRef sum)
{
    return LLVMBuildLoad2(panels->e->builder, lanes_type(panels->lanes, panels->update->type), sum, "");
}

static void add_to_sums(struct panels *panels, LLVMValueRef *sums)
{
    const struct ir_inst *update = panels->update;
    for (int r = 0; r < panels->row_count; r++) {
        enter_row(panels, &panels->rows[r]);
        LLVMValueRef sum = lanes_emit_updated(panels->lanes, update, update->type, load_sum(panels, sums[r]));
        LLVMBuildStore(panels->e->builder, sum, sums[r]);
    }
    enter_row(panels, &panels->rows[0]);
}

static void give_sums(struct panels *panels, LLVMValueRef *sums)
{
    emit_place_of_sums(panels);
    for (int r = 0; r < panels->row_count; r++) {
        enter_row(panels, &panels->rows[r]);
        lanes_emit_store(panels->lanes, panels->update, load_sum(panels, sums[r]));
    }
    enter_row(panels, &panels->rows[0]);
}

static void emit_depth(struct panels *panels, const struct stretch *stretch)
{
    struct emitter *e = panels->e;
    LLVMValueRef sums[PANEL_ROWS];
    LLVMBasicBlockRef after = open_if(e, less(e, stretch->from, stretch->to), "runs");
    if (panels->update != NULL) {
        take_sums(panels, sums);
    }
    struct rounds rounds = open_rounds(e, stretch->from, "depth");
    open_counter(panels, stretch, rounds.at);
    LLVMValueRef place = LLVMBuildNSWSub(e->builder, rounds.at, stretch->from, "");
    for (const struct ir_inst *inst = panels_first(panels); inst != NULL; inst = panels_next(panels, inst)) {
        int copy = number_of_copy(panels, inst);
        if (inst == panels->update) {
            add_to_sums(panels, sums);
            continue;
        }
        if (copy < 0 || panels->row_count == 1) { // a row alone is soon done with what is copied for others
            emit_in_rows(panels, inst);
            continue;
        }
        LLVMValueRef value =
            load_vector(panels, inst->type, vector_at(panels, panels->copies[copy], inst->type, place));
        for (int r = 0; r < panels->row_count; r++) {
            panels->rows[r].items[inst->id] = value;
        }
    }
    emit_counter_close(e, panels->depth);
    LLVMValueRef next = plus(e, rounds.at, 1);
    close_rounds(e, &rounds, next, less(e, next, stretch->to));
    if (panels->update != NULL) {
        give_sums(panels, sums);
    }
    close_if(e, after);
}

// ---- tiles --------------------------------------------------------------------------------------------------------

static void take_saved(struct panels *panels, LLVMValueRef row, bool is_saved)
{
    struct emitter *e = panels->e;
    for (int i = 0; i < panels->kept_count; i++) {
        const struct ir_var *var = panels->kept[i];
        for (int r = 0; r < panels->row_count; r++) {
            LLVMValueRef place = vector_at(panels, panels->saved[i], var->type, plus(e, row, r));
            LLVMValueRef slot = panels->rows[r].slots[var->index];
            if (is_saved) {
                LLVMValueRef value = LLVMBuildLoad2(e->builder, lanes_type(panels->lanes, var->type), slot, "");
                store_vector(panels, value, place);
            } else {
                LLVMBuildStore(e->builder, load_vector(panels, var->type, place), slot);
            }
        }
    }
}

// The loop's variable as C leaves it.
static void set_last(struct panels *panels, const struct stretch *stretch, LLVMValueRef trip)
{
    struct emitter *e = panels->e;
    const struct ir_for *loop = panels->depth->loop;
    enum ir_type type = loop->var->type;
    LLVMValueRef count = type == IR_I64 ? trip : LLVMBuildTrunc(e->builder, trip, e->types[type], "");
    LLVMValueRef moved = LLVMBuildMul(e->builder, count, emit_const(e, type, loop->step), "");
    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, stretch->init, moved, ""), e->function->vars[loop->var->index]);
}

// |count| rows from iteration |at| on; |row|: their number in the block.
static void emit_tile(struct panels *panels, int count, LLVMValueRef at, LLVMValueRef row,
                      const struct stretch *stretch, LLVMValueRef trip, const struct panel_row *outer)
{
    struct emitter *e = panels->e;
    open_rows(panels, count, outer);
    for (int r = 0; r < count; r++) {
        panels->rows[r].iter = plus(e, at, r);
    }
    emit_begin(panels);
    LLVMValueRef is_later = less(e, emit_i64(e, 0), stretch->from);
    LLVMBasicBlockRef after = open_if(e, is_later, "go_on");
    take_saved(panels, row, false);
    close_if(e, after);
    emit_depth(panels, stretch);
    LLVMBasicBlockRef last = emit_block(e, "last");
    LLVMBasicBlockRef save = emit_block(e, "save");
    after = emit_block(e, "after");
    LLVMBuildCondBr(e->builder, less(e, stretch->to, trip), save, last);
    emit_at(e, save);
    take_saved(panels, row, true);
    emit_go(e, after);
    emit_at(e, last);
    set_last(panels, stretch, trip);
    for (const struct ir_inst *inst = panels->depth->next; inst != NULL && panels->update == NULL; inst = inst->next) {
        emit_in_rows(panels, inst);
    }
    emit_go(e, after);
    emit_at(e, after);
    enter_row(panels, outer);
    e->function->lanes = NULL;
}

// Rows |from| to |to|, |count| at a time as far as that goes. Returns the first that is left.
static LLVMValueRef emit_tiles(struct panels *panels, int count, LLVMValueRef block, LLVMValueRef from, LLVMValueRef to,
                               const struct stretch *stretch, LLVMValueRef trip, const struct panel_row *outer)
{
    struct emitter *e = panels->e;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMValueRef more = less(e, plus(e, from, count - 1), to);
    LLVMBasicBlockRef after = open_if(e, more, "tiles");
    struct rounds rounds = open_rounds(e, from, "tile");
    LLVMValueRef row = LLVMBuildNSWSub(e->builder, rounds.at, block, "");
    emit_tile(panels, count, rounds.at, row, stretch, trip, outer);
    LLVMValueRef next = plus(e, rounds.at, count);
    close_rounds(e, &rounds, next, less(e, plus(e, next, count - 1), to));
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->builder);
    close_if(e, after);
    LLVMValueRef left = LLVMBuildPhi(e->builder, e->types[IR_I64], "");
    LLVMAddIncoming(left, (LLVMValueRef[]){from, next}, (LLVMBasicBlockRef[]){before, end}, 2);
    return left;
}

// ---- blocks -------------------------------------------------------------------------------------------------------

static void make_memory(struct panels *panels)
{
    struct emitter *e = panels->e;
    for (int i = 0; i < panels->copied_count; i++) {
        uint64_t size = (uint64_t)(PANEL_DEPTH * bytes_of(panels, panels->copied[i]->type));
        panels->copies[i] = emit_alloca(e, LLVMArrayType2(e->types[IR_I8], size), 64, "panel");
    }
    for (int i = 0; i < panels->kept_count; i++) {
        uint64_t size = (uint64_t)(PANEL_BLOCK * bytes_of(panels, panels->kept[i]->type));
        panels->saved[i] = emit_alloca(e, LLVMArrayType2(e->types[IR_I8], size), 64, "saved");
    }
}

// All stretches of the innermost loop for the rows of a block and the columns from number |at| on.
static void emit_panel(struct panels *panels, LLVMValueRef block, LLVMValueRef end, LLVMValueRef init,
                       LLVMValueRef trip, const struct panel_row *outer)
{
    struct emitter *e = panels->e;
    struct rounds rounds = open_rounds(e, emit_i64(e, 0), "stretch");
    LLVMValueRef to = least(e, plus(e, rounds.at, PANEL_DEPTH), trip);
    struct stretch stretch = {init, rounds.at, to};
    emit_copying(panels, &stretch, LLVMBuildNSWSub(e->builder, end, block, ""), outer);
    LLVMValueRef left = emit_tiles(panels, PANEL_ROWS, block, block, end, &stretch, trip, outer);
    emit_tiles(panels, 1, block, left, end, &stretch, trip, outer);
    close_rounds(e, &rounds, to, less(e, to, trip));
}

// What stands before the loops, for each row as everywhere. What is noted there of variables is no row's of a tile.
static void emit_heads(struct panels *panels, LLVMValueRef block, LLVMValueRef end, const struct panel_row *outer)
{
    struct emitter *e = panels->e;
    struct emit_function *f = e->function;
    struct rounds rounds = open_rounds(e, block, "head");
    open_rows(panels, 1, outer);
    panels->rows[0].iter = rounds.at;
    enter_row(panels, &panels->rows[0]);
    emit_insts(e, f->ir->body.first, outer_of(panels));
    if (f->counters != NULL) {
        memset(f->counters, 0, (size_t)f->ir->var_count * sizeof *f->counters);
        memset(f->sources, 0, (size_t)f->ir->value_count * sizeof *f->sources);
    }
    LLVMValueRef next = plus(e, rounds.at, 1);
    close_rounds(e, &rounds, next, less(e, next, end));
    enter_row(panels, outer);
}

static void emit_block_of_rows(struct panels *panels, LLVMValueRef block, LLVMValueRef end, struct panel_row *outer)
{
    struct emitter *e = panels->e;
    struct lanes *lanes = panels->lanes;
    if (panels->has_heads) {
        emit_heads(panels, block, end, outer);
    }
    open_rows(panels, 1, outer);
    panels->rows[0].iter = block;
    enter_row(panels, &panels->rows[0]);
    emit_begin_of_rows(panels);
    const struct ir_inst *columns = panels->columns;
    LLVMValueRef init = emit_settled(panels, columns->args[0]);
    LLVMValueRef trip = emit_loop_trip(e, columns->loop, init, emit_settled(panels, columns->args[1]));
    LLVMValueRef depth_init = emit_settled(panels, panels->depth->args[0]);
    LLVMValueRef depth =
        emit_loop_trip(e, panels->depth->loop, depth_init, emit_settled(panels, panels->depth->args[1]));
    enter_row(panels, outer);
    outer->iter = block;
    LLVMBasicBlockRef after = open_if(e, less(e, emit_i64(e, 0), trip), "columns");
    struct rounds rounds = open_rounds(e, emit_i64(e, 0), "panel");
    LLVMValueRef next = plus(e, rounds.at, lanes->width);
    lanes_emit_place(lanes, init, rounds.at, LLVMBuildNSWSub(e->builder, trip, rounds.at, ""));
    emit_panel(panels, block, end, depth_init, depth, outer);
    lanes->mask = NULL;
    close_rounds(e, &rounds, next, less(e, next, trip));
    close_if(e, after);
}

// How many iterations are a block: where the launch has cut rows into strips, one.
static LLVMValueRef size_of_block(struct panels *panels)
{
    struct emitter *e = panels->e;
    LLVMValueRef size = emit_i64(e, PANEL_BLOCK);
    for (const struct ir_inst *inst = e->function->ir->body.first; inst != NULL; inst = inst->next) {
        if (panels_is_strips(panels, inst)) {
            size = LLVMBuildSelect(e->builder, emit_value(e, inst->args[0]), emit_i64(e, 1), size, "");
        }
    }
    return size;
}

void panels_emit(struct panels *panels, LLVMValueRef lo, LLVMValueRef hi)
{
    struct emitter *e = panels->e;
    struct emit_function *f = e->function;
    struct panel_row outer = {f->iter, f->values, f->vars, NULL, NULL};
    make_memory(panels);
    LLVMValueRef size = size_of_block(panels);
    LLVMBasicBlockRef after = open_if(e, less(e, lo, hi), "blocks");
    struct rounds rounds = open_rounds(e, lo, "block");
    LLVMValueRef next = LLVMBuildNSWAdd(e->builder, rounds.at, size, "");
    emit_block_of_rows(panels, rounds.at, least(e, next, hi), &outer);
    close_rounds(e, &rounds, next, less(e, next, hi));
    close_if(e, after);
    outer.iter = lo;
    enter_row(panels, &outer);
}
