#include "ir/read.h"
#include "ir/text.h"

#include <string.h>

enum { DEPTH_LIMIT = 2000 };

static const char *const op_names[] = {
#define ROW(name, text, args, group, properties, doc) text,
    IR_OP_LIST(ROW)
#undef ROW
};
static const char *const math_names[] = {
#define ROW(name, text, args) text,
    IR_MATH_LIST(ROW)
#undef ROW
};
static const char *const update_names[] = {
#define ROW(name, text, kind, merge, op, float_op, compare, form) text,
    IR_UPDATE_LIST(ROW)
#undef ROW
};
static const char *const verdict_names[] = {
#define ROW(name, text) [IR_VERDICT_##name] = text,
    IR_VERDICT_LIST(ROW)
#undef ROW
};
static const char *const role_names[] = {
#define ROW(name, text) [IR_ROLE_##name] = text,
    IR_ROLE_LIST(ROW)
#undef ROW
};

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

// Takes a word that must be one of |names|.
static int read_one_of(struct reader *r, const char *const *names, int count, const char *what)
{
    int found = ir_read_find(r, names, count);
    if (found < 0) {
        ir_read_fail(r, "expected %s", what);
        return 0;
    }
    ir_read_next(r);
    return found;
}

enum ir_op ir_read_op(struct reader *r)
{
    return (enum ir_op)read_one_of(r, op_names, IR_OP_COUNT, "an operation");
}

enum ir_update ir_read_update(struct reader *r)
{
    return (enum ir_update)read_one_of(r, update_names, IR_UPDATE_COUNT, "an update");
}

struct ir_var *ir_read_var(struct reader *r)
{
    int index = ir_read_index(r, '$');
    if (!r->failed && index >= r->function->var_count) {
        ir_read_fail(r, "the function has no variable %d", index);
    }
    return r->failed ? NULL : r->function->vars[index];
}

struct ir_inst *ir_read_value(struct reader *r)
{
    int number = ir_read_value_number(r);
    if (!r->failed && (number >= r->values.count || r->values.items[number] == NULL)) {
        ir_read_fail(r, "value %%%d does not exist before this line", number);
    }
    return r->failed ? NULL : r->values.items[number];
}

// ---- loops ---------------------------------------------------------------------------------------------------------

static void read_role(struct reader *r, struct ir_for *loop)
{
    struct ir_scalar_role *roles = ARENA_ARRAY(r->arena, struct ir_scalar_role, loop->role_count + 1);
    if (loop->role_count > 0) {
        memcpy(roles, loop->roles, sizeof *roles * (size_t)loop->role_count);
    }
    loop->roles = roles;
    struct ir_scalar_role *role = &roles[loop->role_count++];
    role->var = ir_read_var(r);
    role->role = (enum ir_role)read_one_of(r, role_names, COUNT_OF(role_names), "a role");
    for (;;) {
        if (ir_read_accept(r, "update")) {
            role->update = ir_read_update(r);
        } else if (ir_read_accept(r, "inclusive")) {
            role->inclusive = true;
        } else if (ir_read_accept(r, "unordered")) {
            role->unordered = true;
        } else if (ir_read_accept(r, "always_written")) {
            role->always_written = true;
        } else if (ir_read_accept(r, "leader")) {
            role->leader = ir_read_var(r);
        } else {
            return;
        }
    }
}

// One attribute of a `for`; false if the word is none.
static bool read_for_attribute(struct reader *r, struct ir_for *loop)
{
    if (ir_read_accept(r, "step")) {
        loop->step = ir_read_int(r);
    } else if (ir_read_accept(r, "recheck")) {
        loop->recheck = true;
    } else if (ir_read_accept(r, "tested")) {
        loop->tested = true;
    } else if (ir_read_accept(r, "parallel")) {
        loop->pragma_parallel = true;
    } else if (ir_read_accept(r, "serial")) {
        loop->pragma_serial = true;
    } else if (ir_read_accept(r, "single")) {
        loop->pragma_single = true;
    } else if (ir_read_accept(r, "carries")) {
        loop->carries = true;
    } else if (ir_read_accept(r, "fallback")) {
        loop->is_fallback = true;
    } else if (ir_read_accept(r, "few")) {
        loop->few = ir_read_small(r, 0, INT32_MAX);
    } else if (ir_read_accept(r, "scan")) {
        loop->scan = (enum ir_scan)ir_read_small(r, IR_SCAN_NONE, IR_SCAN_RUNNING);
    } else if (ir_read_accept(r, "runs")) {
        loop->runs = ir_read_small(r, 0, INT32_MAX);
    } else if (ir_read_accept(r, "collapse")) {
        loop->collapse = ir_read_small(r, INT32_MIN, INT32_MAX);
    } else if (ir_read_accept(r, "block_dim")) {
        loop->block_dim = ir_read_small(r, INT32_MIN, INT32_MAX);
    } else if (ir_read_accept(r, "map_outer")) {
        loop->map = IR_MAP_OUTER;
    } else if (ir_read_accept(r, "map_two_level")) {
        loop->map = IR_MAP_TWO_LEVEL;
    } else if (ir_read_accept(r, "map_tile")) {
        loop->map = IR_MAP_TILE;
        loop->tile_rows = ir_read_small(r, 1, 8);
        loop->tile_columns = ir_read_small(r, 1, 8);
    } else if (ir_read_accept(r, "level")) {
        loop->level = ir_read_small(r, INT32_MIN, INT32_MAX);
    } else if (ir_read_accept(r, "verdict")) {
        loop->verdict = (enum ir_verdict)read_one_of(r, verdict_names, COUNT_OF(verdict_names), "a verdict");
    } else if (ir_read_accept(r, "reason")) {
        loop->reason = ir_read_text(r);
    } else if (ir_read_accept(r, "between")) {
        loop->reason_loc_a = ir_read_loc(r);
        loop->reason_loc_b = ir_read_loc(r);
    } else if (ir_read_accept(r, "role")) {
        read_role(r, loop);
    } else {
        return false;
    }
    return true;
}

static void read_case(struct reader *r, struct ir_inst *inst)
{
    int count = inst->case_count;
    if ((count & (count - 1)) == 0) { // full: capacities are powers of two
        int64_t *cases = ARENA_ARRAY(r->arena, int64_t, count == 0 ? 1 : 2 * count);
        int *regions = ARENA_ARRAY(r->arena, int, count == 0 ? 1 : 2 * count);
        if (count > 0) {
            memcpy(cases, inst->cases, sizeof *cases * (size_t)count);
            memcpy(regions, inst->case_regions, sizeof *regions * (size_t)count);
        }
        inst->cases = cases;
        inst->case_regions = regions;
    }
    inst->cases[count] = ir_read_int(r);
    inst->case_regions[count] = ir_read_small(r, 0, INT32_MAX);
    inst->case_count = count + 1;
}

// ---- attributes ----------------------------------------------------------------------------------------------------

static struct ir_inst *read_target(struct reader *r)
{
    int label = ir_read_label(r);
    if (!r->failed && label >= r->labels.count) {
        ir_read_fail(r, "label L%d does not exist before this line", label);
    }
    return r->failed ? NULL : r->labels.items[label];
}

static void read_operand(struct reader *r, struct ir_inst *inst)
{
    int count = inst->arg_count;
    if ((count & (count - 1)) == 0) { // full: capacities are powers of two
        struct ir_inst **args = ARENA_ARRAY(r->arena, struct ir_inst *, count == 0 ? 1 : 2 * count);
        if (count > 0) {
            memcpy(args, inst->args, sizeof *args * (size_t)count);
        }
        inst->args = args;
    }
    inst->args[count] = ir_read_value(r);
    inst->arg_count = count + 1;
}

// An attribute that starts with a sigil; false if the word does not.
static bool read_reference(struct reader *r, struct ir_inst *inst)
{
    switch (r->length > 0 ? r->word[0] : '\0') {
    case '%': read_operand(r, inst); return true;
    case '"': inst->text = ir_read_text(r); return true;
    case '$':
        if (inst->loop != NULL) {
            inst->loop->var = ir_read_var(r);
        } else {
            inst->var = ir_read_var(r);
        }
        return true;
    case '&': inst->global = ir_read_global_at(r, ir_read_index(r, '&')); return true;
    case '@': inst->function = ir_read_function_at(r, ir_read_index(r, '@')); return true;
    case '!': inst->loc = ir_read_loc(r); return true;
    default: return false;
    }
}

static bool read_attribute(struct reader *r, struct ir_inst *inst)
{
    if (ir_read_accept(r, "of")) {
        inst->target = read_target(r);
    } else if (ir_read_accept(r, "imm")) {
        inst->imm = ir_read_int(r);
    } else if (ir_read_accept(r, "volatile")) {
        inst->is_volatile = true;
    } else if (ir_read_accept(r, "packed")) {
        inst->is_packed = true;
    } else if (ir_read_accept(r, "around")) {
        inst->is_around = true;
    } else if (ir_read_accept(r, "unsigned")) {
        inst->is_unsigned = true;
    } else if (ir_read_accept(r, "atomic")) {
        inst->atomic = true;
    } else if (ir_read_accept(r, "in_bounds")) {
        inst->in_bounds = true;
    } else if (ir_read_accept(r, "no_wrap")) {
        inst->no_wrap = true;
    } else if (ir_read_accept(r, "fused")) {
        inst->fused = true;
    } else if (ir_read_accept(r, "own")) {
        inst->own = ir_read_small(r, 0, INT32_MAX);
    } else if (ir_read_accept(r, "copy")) {
        inst->copy = ir_read_small(r, 0, INT32_MAX);
    } else if (ir_read_accept(r, "base")) {
        inst->base = ir_read_small(r, INT32_MIN, INT32_MAX);
    } else if (ir_read_accept(r, "case")) {
        read_case(r, inst);
    } else if (ir_read_accept(r, "default")) {
        inst->default_region = ir_read_small(r, INT32_MIN, INT32_MAX);
    } else {
        return read_reference(r, inst);
    }
    return true;
}

static void read_attributes(struct reader *r, struct ir_inst *inst)
{
    bool updates = ir_op_updates(inst->op);
    while (!r->is_line_end && !ir_read_is(r, "{")) {
        int update = updates ? ir_read_find(r, update_names, IR_UPDATE_COUNT) : -1;
        int compare = inst->op == IR_OP_FOR ? ir_read_find(r, op_names, IR_OP_COUNT) : -1;
        if (update >= 0) {
            inst->update = (enum ir_update)update;
            ir_read_next(r);
        } else if (compare >= 0) {
            inst->loop->compare = (enum ir_op)compare;
            ir_read_next(r);
        } else if (!(inst->op == IR_OP_FOR && read_for_attribute(r, inst->loop)) && !read_attribute(r, inst)) {
            ir_read_fail(r, "'%.*s' does not belong to %s", (int)(r->length < 40 ? r->length : 40), r->word,
                         ir_op_name(inst->op));
        }
    }
}

// ---- instructions --------------------------------------------------------------------------------------------------

static void define_value(struct reader *r, struct ir_inst *inst)
{
    VEC_RESERVE(r->arena, &r->values, inst->id + 1);
    while (r->values.count <= inst->id) {
        r->values.items[r->values.count++] = NULL;
    }
    if (r->values.items[inst->id] != NULL) {
        ir_read_fail(r, "value %%%d stands twice", inst->id);
    }
    r->values.items[inst->id] = inst;
    if (inst->id >= r->function->value_count) {
        r->function->value_count = inst->id + 1;
    }
}

// Regions are kept in one array whose size is known only at the end of the last; until then they are read one by one,
// and then moved, with their instructions told where they are now.
static void read_regions(struct reader *r, struct ir_inst *inst)
{
    VEC(struct ir_region *) regions = {0};
    while (ir_read_is(r, "{")) {
        struct ir_region *region = ARENA_NEW(r->arena, struct ir_region);
        VEC_PUSH(r->arena, &regions, region);
        ir_read_region(r, region, inst);
    }
    if (regions.count == 0) {
        return;
    }
    ir_make_regions(r->module, inst, regions.count);
    for (int i = 0; i < regions.count; i++) {
        inst->regions[i] = *regions.items[i];
        for (struct ir_inst *inner = inst->regions[i].first; inner != NULL; inner = inner->next) {
            inner->parent = &inst->regions[i];
        }
    }
}

static void read_inst(struct reader *r, struct ir_region *region)
{
    struct ir_inst *inst = ARENA_NEW(r->arena, struct ir_inst);
    inst->id = -1;
    inst->default_region = -1;
    if (r->word[0] == '%') {
        inst->id = ir_read_value_number(r);
        ir_read_expect(r, "=");
    }
    inst->op = ir_read_op(r);
    inst->loop = inst->op == IR_OP_FOR ? ARENA_NEW(r->arena, struct ir_for) : NULL;
    if (ir_op_has_regions(inst->op)) {
        if (ir_read_label(r) != r->labels.count) {
            ir_read_fail(r, "expected label L%d", r->labels.count);
        }
        VEC_PUSH(r->arena, &r->labels, inst);
    }
    if (ir_read_is_type(r)) {
        inst->type = ir_read_type(r);
    }
    if (ir_op_has_imm(inst->op)) {
        inst->imm = ir_read_int(r);
    } else if (inst->op == IR_OP_FCONST) {
        inst->fimm = ir_read_float(r);
    } else if (inst->op == IR_OP_MATH) {
        inst->imm = read_one_of(r, math_names, IR_MATH_COUNT, "a math function");
    }
    read_attributes(r, inst);
    ir_append(region, inst);
    if (ir_op_has_regions(inst->op)) {
        read_regions(r, inst);
    }
    if (inst->id >= 0 && !r->failed) {
        define_value(r, inst);
    }
    ir_read_line_end(r);
}

void ir_read_region(struct reader *r, struct ir_region *region, struct ir_inst *owner)
{
    region->owner = owner;
    if (++r->depth > DEPTH_LIMIT) {
        ir_read_fail(r, "regions are nested too deeply");
    }
    ir_read_expect(r, "{");
    region->in_order = ir_read_accept(r, "in_order");
    if (ir_read_is_loc(r)) {
        region->loc = ir_read_loc(r);
    }
    ir_read_line_end(r);
    while (!r->is_end && !ir_read_is(r, "}")) {
        read_inst(r, region);
    }
    ir_read_expect(r, "}");
    r->depth--;
}
