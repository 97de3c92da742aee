#include "ir/interpret_code.h"
#include "ir/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A jump whose destination is known only once |target| has been compiled.
struct patch {
    int cell;
    const struct ir_inst *target;
    int region; // of a cfg; -1: behind the target
};

struct compiler {
    struct interp *interp;
    struct interp_function *fn;
    VEC(struct patch) patches;
};

int interp_reg(const struct interp_function *fn, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_PARAM: return fn->param_reg + (int)inst->imm;
    case IR_OP_ITER: return fn->iter_reg;
    case IR_OP_ITER_COUNT: return fn->iter_count_reg;
    case IR_OP_PARTIALS: return fn->partials_reg;
    default: return inst->id;
    }
}

int interp_function_index(const struct interp *interp, const struct ir_function *function)
{
    for (int i = 0; i < interp->module->function_count; i++) {
        if (interp->module->functions[i] == function) {
            return i;
        }
    }
    return -1;
}

// ---- emitting ------------------------------------------------------------------------------------------------------

static int emit(struct compiler *c, const struct ir_inst *inst, struct cell cell)
{
    VEC_PUSH(&c->interp->arena, &c->fn->cells, cell);
    VEC_PUSH(&c->interp->arena, &c->fn->insts, inst);
    return c->fn->cells.count - 1;
}

static int here(const struct compiler *c)
{
    return c->fn->cells.count;
}

static int arg_reg(const struct compiler *c, const struct ir_inst *inst, int index)
{
    return index < inst->arg_count ? interp_reg(c->fn, inst->args[index]) : -1;
}

// A cell of the instruction's own operands and result.
static int emit_plain(struct compiler *c, const struct ir_inst *inst, enum code code, int width)
{
    return emit(c, inst,
                (struct cell){.code = (uint16_t)code,
                              .width = (uint16_t)width,
                              .dst = inst->id,
                              .a = arg_reg(c, inst, 0),
                              .b = arg_reg(c, inst, 1),
                              .c = arg_reg(c, inst, 2)});
}

static int new_reg(struct compiler *c)
{
    return c->fn->reg_count++;
}

static int width_of(enum ir_type type)
{
    assert(type != IR_VOID);
    return type == IR_I1 ? 1 : 8 * ir_type_size(type);
}

static int var_reg(const struct compiler *c, const struct ir_var *var)
{
    assert(!var->is_memory);
    return c->fn->var_reg + var->index;
}

// ---- arithmetic ----------------------------------------------------------------------------------------------------

// The cell code of an integer operation at a width, or FOLD.
static enum code integer_code(enum ir_op op, int width)
{
    bool is_32 = width == 32;
    if (is_32 || width == 64) {
        switch (op) {
        case IR_OP_ADD: return is_32 ? CODE_ADD32 : CODE_ADD64;
        case IR_OP_SUB: return is_32 ? CODE_SUB32 : CODE_SUB64;
        case IR_OP_MUL: return is_32 ? CODE_MUL32 : CODE_MUL64;
        case IR_OP_SHL: return is_32 ? CODE_SHL32 : CODE_SHL64;
        case IR_OP_LSHR: return is_32 ? CODE_LSHR32 : CODE_LSHR64;
        case IR_OP_ASHR: return is_32 ? CODE_ASHR32 : CODE_ASHR64;
        case IR_OP_SDIV: return CODE_SDIV;
        case IR_OP_SREM: return CODE_SREM;
        case IR_OP_UDIV: return CODE_UDIV;
        case IR_OP_UREM: return CODE_UREM;
        default: break;
        }
    }
    switch (op) {
    case IR_OP_AND: return CODE_AND;
    case IR_OP_OR: return CODE_OR;
    case IR_OP_XOR: return CODE_XOR;
    case IR_OP_SMIN: return CODE_SMIN;
    case IR_OP_SMAX: return CODE_SMAX;
    case IR_OP_UMIN: return CODE_UMIN;
    case IR_OP_UMAX: return CODE_UMAX;
    default: return CODE_FOLD;
    }
}

static enum code float_code(enum ir_op op, enum ir_type type)
{
    if (ir_type_is_half(type)) {
        return CODE_FOLD;
    }
    return (enum code)((type == IR_F32 ? CODE_FADD32 : CODE_FADD64) + (int)(op - IR_OP_FADD));
}

static enum code pure_code(const struct ir_inst *inst)
{
    enum ir_op op = inst->op;
    if (inst->no_wrap) {
        return CODE_NO_WRAP;
    }
    switch (ir_op_group(op)) {
    case IR_GROUP_INTEGER: return integer_code(op, width_of(inst->type));
    case IR_GROUP_FLOAT: return float_code(op, inst->type);
    case IR_GROUP_COMPARE: return (enum code)(CODE_EQ + (int)(op - IR_OP_EQ));
    case IR_GROUP_FLOAT_COMPARE:
        if (ir_type_is_half(inst->args[0]->type)) {
            return CODE_FOLD;
        }
        return (enum code)((inst->args[0]->type == IR_F32 ? CODE_FEQ32 : CODE_FEQ64) + (int)(op - IR_OP_FEQ));
    default: break;
    }
    switch (op) {
    case IR_OP_SEXT:
    case IR_OP_PTRTOINT:
    case IR_OP_INTTOPTR:
    case IR_OP_BITCAST: return CODE_MOVE; // the register's bits are the value's
    case IR_OP_TRUNC: return CODE_WRAP;
    case IR_OP_ZEXT: return CODE_ZERO_EXTEND;
    case IR_OP_SELECT: return CODE_SELECT;
    case IR_OP_MATH: return CODE_MATH;
    case IR_OP_OFFSET: return CODE_OFFSET;
    default: return CODE_FOLD;
    }
}

static void compile_pure(struct compiler *c, const struct ir_inst *inst)
{
    enum code code = pure_code(inst);
    int width = width_of(code == CODE_ZERO_EXTEND ? inst->args[0]->type : inst->type);
    emit_plain(c, inst, code, width);
}

static void compile_index(struct compiler *c, const struct ir_inst *inst)
{
    const struct ir_inst *extent = inst->args[3];
    bool is_unknown = extent->op == IR_OP_CONST && extent->imm == -1;
    bool is_checked = (c->interp->options.check_bounds || c->interp->module->check_bounds) && !is_unknown;
    emit_plain(c, inst, is_checked ? CODE_INDEX_CHECKED : CODE_INDEX, 64);
}

// A fused update works on the factors of its operand, not on the rounded product.
static void name_factors(const struct compiler *c, struct cell *cell, const struct ir_inst *product)
{
    cell->b = arg_reg(c, product, 0);
    cell->c = arg_reg(c, product, 1);
}

static void compile_update(struct compiler *c, const struct ir_inst *inst)
{
    int cell = emit_plain(c, inst, CODE_UPDATE, 0);
    if (inst->fused) {
        name_factors(c, &c->fn->cells.items[cell], inst->args[1]);
    }
}

// An update of a variable by a plain operation is that operation.
static void compile_vupdate(struct compiler *c, const struct ir_inst *inst)
{
    bool is_float = ir_type_is_float(inst->type);
    enum ir_op op = ir_update_op(inst->update, inst->type);
    int reg = var_reg(c, inst->var);
    struct cell cell = {.code = CODE_VUPDATE, .width = (uint16_t)width_of(inst->type), .dst = reg, .a = reg};
    cell.b = arg_reg(c, inst, 0);
    if (inst->fused) {
        name_factors(c, &cell, inst->args[0]);
    } else if (op != IR_OP_COUNT) {
        enum code code = is_float ? float_code(op, inst->type) : integer_code(op, cell.width);
        cell.code = (uint16_t)(code == CODE_FOLD ? CODE_VUPDATE : code);
    }
    emit(c, inst, cell);
}

static enum code load_code(enum ir_type type)
{
    switch (type) {
    case IR_I1: return CODE_LOAD1;
    case IR_I8: return CODE_LOAD8;
    case IR_I16:
    case IR_F16:
    case IR_BF16: return CODE_LOAD16;
    case IR_I32:
    case IR_F32: return CODE_LOAD32;
    default: return CODE_LOAD64;
    }
}

static enum code store_code(enum ir_type type)
{
    switch (ir_type_size(type)) {
    case 1: return CODE_STORE8;
    case 2: return CODE_STORE16;
    case 4: return CODE_STORE32;
    default: return CODE_STORE64;
    }
}

// ---- control -------------------------------------------------------------------------------------------------------

static void compile_region(struct compiler *c, const struct ir_region *region, int yield_reg);

static void jump_to(struct compiler *c, const struct ir_inst *inst, const struct ir_inst *target, int region)
{
    int cell = emit(c, inst, (struct cell){.code = CODE_JUMP});
    VEC_PUSH(&c->interp->arena, &c->patches, (struct patch){cell, target, region});
}

// Lets the jumps to |target| among the patches from |first| on go to |cell|.
static void land(struct compiler *c, int first, const struct ir_inst *target, int region, int cell)
{
    for (int i = first; i < c->patches.count; i++) {
        struct patch *patch = &c->patches.items[i];
        if (patch->target == target && patch->region == region) {
            c->fn->cells.items[patch->cell].dst = cell;
        }
    }
}

static void compile_if(struct compiler *c, const struct ir_inst *inst)
{
    int skip = emit(c, inst, (struct cell){.code = CODE_JUMP_ZERO, .a = arg_reg(c, inst, 0)});
    compile_region(c, &inst->regions[0], -1);
    if (inst->region_count > 1 && inst->regions[1].first != NULL) {
        int done = emit(c, inst, (struct cell){.code = CODE_JUMP});
        c->fn->cells.items[skip].dst = here(c);
        compile_region(c, &inst->regions[1], -1);
        c->fn->cells.items[done].dst = here(c);
    } else {
        c->fn->cells.items[skip].dst = here(c);
    }
}

// The counter takes |init|, then: [recheck, leave if false,] body, step, again.
static void compile_for(struct compiler *c, const struct ir_inst *inst)
{
    const struct ir_for *loop = inst->loop;
    int counter = var_reg(c, loop->var);
    int temporaries = new_reg(c);
    new_reg(c);
    struct cell common = {.width = (uint16_t)width_of(loop->var->type), .a = counter, .c = temporaries};
    emit(c, inst, (struct cell){.code = CODE_MOVE, .dst = counter, .a = arg_reg(c, inst, 0)});
    struct cell start = common;
    start.code = CODE_FOR_START;
    start.a = arg_reg(c, inst, 0);
    start.b = arg_reg(c, inst, 1);
    int entry = emit(c, inst, start);
    int top = here(c);
    int leave = -1;
    if (loop->recheck) {
        int condition = new_reg(c);
        compile_region(c, &inst->regions[1], condition);
        leave = emit(c, inst, (struct cell){.code = CODE_JUMP_ZERO, .a = condition});
    }
    bool tells = c->interp->options.loop != NULL;
    if (tells) {
        emit(c, inst, (struct cell){.code = CODE_FOR_TELL, .c = temporaries});
    }
    compile_region(c, &inst->regions[0], -1);
    struct cell next = common;
    next.code = loop->recheck ? CODE_FOR_STEP : CODE_FOR_NEXT;
    next.dst = top;
    emit(c, inst, next);
    if (loop->recheck) {
        emit(c, inst, (struct cell){.code = CODE_JUMP, .dst = top});
        c->fn->cells.items[leave].dst = here(c);
    }
    c->fn->cells.items[entry].dst = here(c);
    if (tells) {
        emit(c, inst, (struct cell){.code = CODE_FOR_LEAVE});
    }
}

static int compare_cases(const void *a, const void *b)
{
    int64_t x = ((const struct switch_case *)a)->value;
    int64_t y = ((const struct switch_case *)b)->value;
    return (x > y) - (x < y);
}

static void compile_switch(struct compiler *c, const struct ir_inst *inst)
{
    struct arena *arena = &c->interp->arena;
    int number = c->fn->switches.count;
    VEC_PUSH(arena, &c->fn->switches, (struct switch_table){0});
    emit(c, inst, (struct cell){.code = CODE_SWITCH, .a = arg_reg(c, inst, 0), .b = number});
    int *starts = ARENA_ARRAY(arena, int, inst->region_count);
    for (int i = 0; i < inst->region_count; i++) {
        starts[i] = here(c);
        compile_region(c, &inst->regions[i], -1);
    }
    struct switch_table table = {.cases = ARENA_ARRAY(arena, struct switch_case, inst->case_count + 1),
                                 .count = inst->case_count,
                                 .otherwise = inst->default_region >= 0 ? starts[inst->default_region] : here(c)};
    for (int i = 0; i < inst->case_count; i++) {
        table.cases[i] = (struct switch_case){inst->cases[i], starts[inst->case_regions[i]]};
    }
    qsort(table.cases, (size_t)table.count, sizeof *table.cases, compare_cases);
    c->fn->switches.items[number] = table;
}

static void compile_control(struct compiler *c, const struct ir_inst *inst)
{
    int first_patch = c->patches.count;
    int top = here(c);
    switch (inst->op) {
    case IR_OP_IF: compile_if(c, inst); break;
    case IR_OP_FOR: compile_for(c, inst); break;
    case IR_OP_SWITCH: compile_switch(c, inst); break;
    case IR_OP_LOOP:
        compile_region(c, &inst->regions[0], -1);
        emit(c, inst, (struct cell){.code = CODE_JUMP, .dst = top});
        break;
    case IR_OP_CFG: {
        int *starts = ARENA_ARRAY(&c->interp->arena, int, inst->region_count);
        for (int i = 0; i < inst->region_count; i++) {
            starts[i] = here(c);
            compile_region(c, &inst->regions[i], -1);
            jump_to(c, inst, inst, -1);
        }
        for (int i = 0; i < inst->region_count; i++) {
            land(c, first_patch, inst, i, starts[i]);
        }
        break;
    }
    default: // block, blocks
        for (int i = 0; i < inst->region_count; i++) {
            compile_region(c, &inst->regions[i], -1);
        }
        break;
    }
    land(c, first_patch, inst, -1, here(c));
}

// ---- instructions --------------------------------------------------------------------------------------------------

static void set_constant(struct compiler *c, const struct ir_inst *inst)
{
    uint64_t value = 0;
    switch (inst->op) {
    case IR_OP_CONST: value = (uint64_t)inst->imm; break;
    case IR_OP_FCONST: value = interp_reg_of(inst->type, (union ir_value){.f = inst->fimm}); break;
    case IR_OP_ADDR_GLOBAL: value = (uint64_t)(uintptr_t)c->interp->globals[inst->global->index]; break;
    default: break;
    }
    c->fn->regs[inst->id] = value;
}

// The numbers of the loops inside it are divided off; then what is left is cut to its own loop's.
static void compile_nest_iter(struct compiler *c, const struct ir_inst *inst)
{
    assert(inst->imm >= 0 && inst->imm <= inst->arg_count && inst->arg_count > 0);
    struct cell cell = {.code = CODE_UDIV, .width = 64, .dst = inst->id, .a = c->fn->iter_reg};
    for (int loop = inst->arg_count; loop > inst->imm; loop--) {
        cell.b = arg_reg(c, inst, loop - 1);
        emit(c, inst, cell);
        cell.a = inst->id;
    }
    if (inst->imm > 0) {
        cell.code = CODE_UREM;
        cell.b = arg_reg(c, inst, (int)inst->imm - 1);
        emit(c, inst, cell);
    }
}

static void compile_inst(struct compiler *c, const struct ir_inst *inst, int yield_reg)
{
    switch (inst->op) {
    case IR_OP_CONST:
    case IR_OP_FCONST:
    case IR_OP_ADDR_GLOBAL: set_constant(c, inst); break;
    case IR_OP_PARAM:
    case IR_OP_ITER:
    case IR_OP_ITER_COUNT:
    case IR_OP_PARTIALS:
    case IR_OP_ADDR_VAR: // set with the frame
    case IR_OP_BARRIER: break;
    case IR_OP_NEST_ITER: compile_nest_iter(c, inst); break;
    case IR_OP_ADDR_SLOT: VEC_PUSH(&c->interp->arena, &c->fn->slots, (struct interp_slot){inst->id, inst->imm}); break;
    case IR_OP_GET: emit(c, inst, (struct cell){.code = CODE_MOVE, .dst = inst->id, .a = var_reg(c, inst->var)}); break;
    case IR_OP_SET:
        emit(c, inst, (struct cell){.code = CODE_MOVE, .dst = var_reg(c, inst->var), .a = arg_reg(c, inst, 0)});
        break;
    case IR_OP_VUPDATE: compile_vupdate(c, inst); break;
    case IR_OP_INDEX: compile_index(c, inst); break;
    case IR_OP_LOAD: emit_plain(c, inst, load_code(inst->type), 0); break;
    case IR_OP_STORE: emit_plain(c, inst, store_code(inst->type), 0); break;
    case IR_OP_COPY: emit_plain(c, inst, CODE_COPY, 0); break;
    case IR_OP_FILL: emit_plain(c, inst, CODE_FILL, 0); break;
    case IR_OP_COMPARE: emit_plain(c, inst, CODE_COMPARE, 0); break;
    case IR_OP_UPDATE: compile_update(c, inst); break;
    case IR_OP_ATOMIC: emit_plain(c, inst, CODE_ATOMIC, 0); break;
    case IR_OP_CAS: emit_plain(c, inst, CODE_CAS, 0); break;
    case IR_OP_CALL: {
        int cell = emit_plain(c, inst, CODE_CALL, 0);
        c->fn->cells.items[cell].a = interp_function_index(c->interp, inst->function);
        break;
    }
    case IR_OP_PRINT: emit_plain(c, inst, CODE_PRINT, 0); break;
    case IR_OP_FAIL: emit_plain(c, inst, CODE_FAIL, 0); break;
    case IR_OP_CHECK: emit_plain(c, inst, CODE_CHECK, 64); break;
    case IR_OP_RACE: emit_plain(c, inst, CODE_RACE, 64); break;
    case IR_OP_BREAK: jump_to(c, inst, inst->target, -1); break;
    case IR_OP_JUMP: jump_to(c, inst, inst->target, (int)inst->imm); break;
    case IR_OP_RETURN: emit_plain(c, inst, CODE_RETURN, 0); break;
    case IR_OP_YIELD:
        emit(c, inst, (struct cell){.code = CODE_MOVE, .dst = yield_reg, .a = arg_reg(c, inst, 0)});
        break;
    default:
        if (ir_op_has_regions(inst->op)) {
            compile_control(c, inst);
        } else {
            compile_pure(c, inst);
        }
        break;
    }
}

static void compile_region(struct compiler *c, const struct ir_region *region, int yield_reg)
{
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        compile_inst(c, inst, yield_reg);
    }
}

// ---- frames --------------------------------------------------------------------------------------------------------

// Temporaries of loops come after everything else: two and a condition for each `for`.
static int count_for(const struct ir_region *region)
{
    int count = 0;
    WALK (inst, region) {
        count += inst->op == IR_OP_FOR;
    }
    return count;
}

static void place_registers(struct compiler *c)
{
    struct interp_function *fn = c->fn;
    const struct ir_function *function = fn->function;
    const struct ir_function *owner = function->kernel != NULL ? function->kernel : function;
    fn->param_reg = function->value_count;
    fn->var_reg = fn->param_reg + owner->param_count;
    fn->iter_reg = fn->var_reg + function->var_count;
    fn->iter_count_reg = fn->iter_reg + 1;
    fn->partials_reg = fn->iter_reg + 2;
    fn->reg_count = fn->iter_reg + 3;
    int temporaries = 3 * (count_for(&function->prologue) + count_for(&function->body));
    fn->regs = ARENA_ARRAY(&c->interp->arena, uint64_t, fn->reg_count + temporaries);
}

static bool place_memory(struct compiler *c, uint64_t *offsets)
{
    const struct ir_function *function = c->fn->function;
    uint64_t size = 0;
    uint64_t align = 16;
    for (int i = 0; i < function->var_count; i++) {
        const struct ir_var *var = function->vars[i];
        if (!var->is_memory) {
            continue;
        }
        align = var->align > align ? var->align : align;
        size = (size + var->align - 1) & ~((uint64_t)var->align - 1);
        offsets[i] = size;
        // A byte between them, so that an object of no size has an address of its own too.
        if (var->size > (UINT64_C(1) << 40) || size > (UINT64_C(1) << 40)) {
            return false;
        }
        size += var->size + 1;
    }
    c->fn->memory_size = size;
    void *memory = NULL;
    if (size > 0 && posix_memalign(&memory, align, size) != 0) {
        return false;
    }
    c->fn->memory = memory;
    if (size > 0) {
        memset(memory, 0, size);
    }
    return true;
}

// Sets the registers of the addresses of memory variables, and marks the variables that |region| touches.
static void set_addresses(struct compiler *c, const struct ir_region *region, const uint64_t *offsets, bool *touched)
{
    WALK (inst, region) {
        if (inst->op == IR_OP_ADDR_VAR) {
            c->fn->regs[inst->id] = (uint64_t)(uintptr_t)(c->fn->memory + offsets[inst->var->index]);
        }
        const struct ir_var *var = inst->op == IR_OP_FOR ? inst->loop->var : inst->var;
        if (var != NULL && touched != NULL) {
            touched[var->index] = true;
        }
    }
}

// What the prologue sets and what accumulates lives across iterations; everything else starts anew in each.
static void find_fresh(struct compiler *c, const uint64_t *offsets, const bool *kept)
{
    const struct ir_function *function = c->fn->function;
    for (int i = 0; i < function->var_count; i++) {
        const struct ir_var *var = function->vars[i];
        if (kept[i]) {
            continue;
        }
        if (var->is_memory) {
            VEC_PUSH(&c->interp->arena, &c->fn->fresh_memory, (struct interp_var_memory){offsets[i], var->size});
        } else {
            VEC_PUSH(&c->interp->arena, &c->fn->fresh, c->fn->var_reg + i);
        }
    }
}

void interp_compile(struct interp *interp, struct interp_function *fn)
{
    struct compiler c = {.interp = interp, .fn = fn};
    const struct ir_function *function = fn->function;
    uint64_t *offsets = ARENA_ARRAY(&interp->arena, uint64_t, function->var_count + 1);
    bool *kept = ARENA_ARRAY(&interp->arena, bool, function->var_count + 1);
    place_registers(&c);
    if (!place_memory(&c, offsets)) {
        longjmp(*interp->arena.escape, 1);
    }
    set_addresses(&c, &function->prologue, offsets, kept);
    set_addresses(&c, &function->body, offsets, NULL);
    for (int i = 0; i < function->accumulator_count; i++) {
        kept[function->accumulators[i].var->index] = true;
    }
    find_fresh(&c, offsets, kept);
    fn->prologue_cell = here(&c);
    compile_region(&c, &function->prologue, -1);
    emit(&c, NULL, (struct cell){.code = CODE_RETURN, .a = -1});
    fn->body_cell = here(&c);
    compile_region(&c, &function->body, -1);
    emit(&c, NULL, (struct cell){.code = CODE_RETURN, .a = -1});
}
