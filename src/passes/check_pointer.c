// What is known of a pointer: where in its array it points, and which array that is. The instructions that compute this
// stand right before the pointer's own, so that they are known wherever it is.
#include "passes/check_internal.h"

#include "ir/walk.h"

#include <assert.h>

// ---- arithmetic ----------------------------------------------------------------------------------------------------

struct ir_inst *check_int(struct checker *c, int64_t value)
{
    return ir_const(&c->b, IR_I64, value);
}

static bool is_int(const struct ir_inst *inst, int64_t *out)
{
    *out = inst->imm;
    return inst->op == IR_OP_CONST;
}

struct ir_inst *check_op(struct checker *c, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    union ir_value values[2];
    union ir_value folded;
    bool x_known = is_int(x, &values[0].i);
    bool y_known = is_int(y, &values[1].i);
    if (x_known && y_known && ir_fold(op, IR_I64, IR_I64, values, &folded)) {
        return check_int(c, folded.i);
    }
    bool is_none = y_known && (op == IR_OP_ADD                       ? values[1].i == 0
                               : op == IR_OP_MUL || op == IR_OP_SDIV ? values[1].i == 1
                                                                     : false);
    return is_none ? x : ir_emit2(&c->b, op, IR_I64, x, y);
}

// The product with a constant, of what may be any number: kept from wrapping around into the array again.
static struct ir_inst *scale(struct checker *c, struct ir_inst *index, int64_t by)
{
    if (by == 1) {
        return index;
    }
    int64_t most = by > 0 ? CHECK_FAR / by : CHECK_FAR;
    index = check_op(c, IR_OP_SMIN, index, check_int(c, most));
    index = check_op(c, IR_OP_SMAX, index, check_int(c, -most));
    return check_op(c, IR_OP_MUL, index, check_int(c, by));
}

struct ir_inst *check_bytes(struct checker *c, const struct check_pointer *pointer)
{
    struct ir_inst *bytes = pointer->index == NULL ? check_int(c, 0) : scale(c, pointer->index, pointer->unit);
    return check_op(c, IR_OP_ADD, bytes, check_int(c, pointer->rest));
}

void check_spread(struct checker *c, const struct check_pointer *pointer, struct ir_inst *out[3])
{
    if (pointer->kind == CHECK_MANY) {
        out[0] = check_bytes(c, pointer);
        out[1] = pointer->size;
        out[2] = pointer->array;
    } else if (pointer->kind == CHECK_ONE) {
        struct check_extent extent = check_extent_of(c, pointer->base);
        out[0] = check_bytes(c, pointer);
        out[1] = scale(c, extent.count, extent.element);
        out[2] = extent.name == NULL ? check_beside(c, pointer->base, 2)
                                     : check_int(c, check_number_of(c, c->function, pointer->base));
    } else {
        bool is_null = pointer->kind == CHECK_NULL;
        out[0] = check_int(c, is_null ? 0 : CHECK_FAR);
        out[1] = check_int(c, is_null ? 0 : INT64_MAX);
        out[2] = check_int(c, is_null ? 0 : -1);
    }
}

// ---- variables -----------------------------------------------------------------------------------------------------

// The unit in which a pointer is counted: elements of its array, or bytes. 0: any will do.
static int64_t unit_of(const struct checker *c, const struct ir_inst *value)
{
    int64_t unit;
    int64_t other;
    switch (value->op) {
    case IR_OP_PARAM:
    case IR_OP_ADDR_VAR:
    case IR_OP_ADDR_GLOBAL: return check_element_of(c, base_beginning_at(value));
    case IR_OP_INDEX:
        unit = unit_of(c, value->args[0]);
        return unit != 0 && is_int(value->args[2], &other) && other % unit == 0 ? unit : unit != 0;
    case IR_OP_OFFSET: unit = unit_of(c, value->args[0]); return unit == 0 || value->imm % unit == 0 ? unit : 1;
    case IR_OP_SELECT:
        unit = unit_of(c, value->args[1]);
        other = unit_of(c, value->args[2]);
        return unit == 0 || unit == other ? other : other == 0 ? unit : 1;
    case IR_OP_GET: return value->var->index < c->shadow_count ? c->shadows[value->var->index].unit : 1;
    case IR_OP_CONST: return 0;
    default: return 1;
    }
}

static bool find_units(struct checker *c, const struct ir_region *region)
{
    bool changed = false;
    WALK (inst, region) {
        if (inst->op == IR_OP_SET && inst->var->type == IR_PTR) {
            struct check_shadow *shadow = &c->shadows[inst->var->index];
            int64_t unit = unit_of(c, inst->args[0]);
            if (unit != 0 && unit != shadow->unit && shadow->unit != 1) {
                shadow->unit = shadow->unit == 0 ? unit : 1;
                changed = true;
            }
        }
    }
    return changed;
}

void check_find_shadows(struct checker *c)
{
    c->shadow_count = c->function->var_count;
    c->shadows = ARENA_ARRAY(c->arena, struct check_shadow, c->shadow_count + 1);
    for (int i = 0; i < c->shadow_count; i++) {
        const struct base_set *set = &c->sets[c->number]->of_var[i];
        struct check_shadow *shadow = &c->shadows[i];
        bool is_one = set->count == 1 && !set->is_unknown;
        shadow->kind = is_one ? CHECK_ONE : set->count > 0 || set->is_unknown ? CHECK_MANY : CHECK_NULL;
        shadow->base = is_one ? set->bases[0] : 0;
        shadow->unit = shadow->kind == CHECK_MANY ? 1 : 0;
        if (c->function->vars[i]->type == IR_PTR) {
            check_names_of(c, c->number, set, &shadow->names);
        }
    }
    while (find_units(c, &c->function->body)) {
        // A unit changes twice at most.
    }
}

static struct ir_var *new_shadow(struct checker *c, const struct ir_var *pointer, const char *what)
{
    const char *name = arena_printf(c->arena, ".%s.%s", pointer->name != NULL ? pointer->name : "", what);
    struct ir_var *var = ir_var_create(c->module, c->function, name, IR_I64);
    var->scope = pointer->scope;
    var->depth_key = pointer->depth_key;
    var->loc = pointer->loc;
    return var;
}

static void read_shadow(struct checker *c, const struct ir_var *var, struct check_pointer *out)
{
    struct check_shadow *shadow = var->index < c->shadow_count ? &c->shadows[var->index] : NULL;
    out->kind = shadow != NULL ? shadow->kind : CHECK_UNKNOWN;
    if (out->kind != CHECK_ONE && out->kind != CHECK_MANY) {
        return;
    }
    out->base = shadow->base;
    out->unit = shadow->unit == 0 ? 1 : shadow->unit;
    out->names = shadow->names;
    if (shadow->index == NULL) {
        shadow->index = new_shadow(c, var, "index");
        shadow->size = out->kind == CHECK_MANY ? new_shadow(c, var, "size") : NULL;
        shadow->array = out->kind == CHECK_MANY ? new_shadow(c, var, "array") : NULL;
    }
    out->index = ir_get(&c->b, shadow->index);
    if (out->kind == CHECK_MANY) {
        out->size = ir_get(&c->b, shadow->size);
        out->array = ir_get(&c->b, shadow->array);
    }
}

static void write_shadow(struct checker *c, struct ir_inst *set, const struct check_shadow *shadow)
{
    assert(set->op == IR_OP_SET && set->var->type == IR_PTR);
    const struct check_pointer *value = check_pointer_of(c, set->args[0]);
    c->b.region = set->parent;
    c->b.before = set;
    c->b.loc = set->loc;
    struct ir_inst *parts[3];
    if (shadow->kind == CHECK_MANY) {
        check_spread(c, value, parts);
        ir_set(&c->b, shadow->size, parts[1]);
        ir_set(&c->b, shadow->array, parts[2]);
    } else if (value->kind != CHECK_ONE) {
        parts[0] = check_int(c, -CHECK_FAR); // null
    } else if (value->unit == shadow->unit && value->rest == 0) {
        parts[0] = value->index != NULL ? value->index : check_int(c, 0);
    } else {
        parts[0] = check_bytes(c, value); // the variable's unit is the byte
    }
    ir_set(&c->b, shadow->index, parts[0]);
}

static void write_in_region(struct checker *c, struct ir_region *region, const bool *is_due)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = walk_next(inst, region)) {
        bool is_pointer = inst->op == IR_OP_SET && inst->var->type == IR_PTR && inst->var->index < c->shadow_count;
        if (is_pointer && is_due[inst->var->index]) {
            write_shadow(c, inst, &c->shadows[inst->var->index]);
        }
    }
}

bool check_write_shadows(struct checker *c)
{
    bool *is_due = ARENA_ARRAY(c->arena, bool, c->shadow_count + 1);
    bool is_any = false;
    for (int i = 0; i < c->shadow_count; i++) {
        is_due[i] = c->shadows[i].index != NULL && !c->shadows[i].is_written;
        c->shadows[i].is_written |= is_due[i];
        is_any |= is_due[i];
    }
    if (is_any) {
        write_in_region(c, &c->function->body, is_due);
    }
    return is_any;
}

// ---- values --------------------------------------------------------------------------------------------------------

static void to_unit_byte(struct checker *c, struct check_pointer *pointer)
{
    if (pointer->unit != 1) {
        pointer->index = check_bytes(c, pointer);
        pointer->unit = 1;
        pointer->rest = 0;
    }
}

static void add_offset(struct checker *c, struct check_pointer *pointer, int64_t bytes)
{
    assert(pointer->unit > 0);
    int64_t sum = pointer->rest + bytes;
    int64_t whole = sum / pointer->unit - (sum % pointer->unit < 0);
    pointer->rest = sum - whole * pointer->unit;
    if (whole != 0) {
        struct ir_inst *by = check_int(c, whole);
        pointer->index = pointer->index == NULL ? by : check_op(c, IR_OP_ADD, pointer->index, by);
    }
}

static void add_index(struct checker *c, struct check_pointer *pointer, const struct ir_inst *inst)
{
    int64_t stride;
    bool is_fixed = is_int(inst->args[2], &stride);
    if (!is_fixed || stride % pointer->unit != 0) {
        to_unit_byte(c, pointer);
    }
    struct ir_inst *by = is_fixed ? scale(c, inst->args[1], stride / pointer->unit)
                                  : check_op(c, IR_OP_MUL, inst->args[1], inst->args[2]);
    pointer->index = pointer->index == NULL ? by : check_op(c, IR_OP_ADD, pointer->index, by);
}

static struct ir_inst *select_int(struct checker *c, struct ir_inst *condition, struct ir_inst *x, struct ir_inst *y)
{
    return x == y ? x : ir_emit3(&c->b, IR_OP_SELECT, IR_I64, condition, x, y);
}

static struct ir_inst *index_or(struct checker *c, const struct check_pointer *pointer)
{
    return pointer->kind == CHECK_NULL ? check_int(c, -CHECK_FAR)
           : pointer->index == NULL    ? check_int(c, 0)
                                       : pointer->index;
}

static void add_own_names(struct checker *c, const struct check_pointer *pointer, struct check_names *out)
{
    if (pointer->kind == CHECK_ONE) {
        int base = pointer->base;
        check_names_of(c, c->number, &(struct base_set){.bases = &base, .count = 1}, out);
    }
    check_add_names(out, &pointer->names);
    out->is_full |= pointer->kind == CHECK_UNKNOWN || pointer->kind == CHECK_NULL;
}

// Which of two, in a form that holds for both.
static void select_pointer(struct checker *c, const struct ir_inst *inst, struct check_pointer *out)
{
    struct check_pointer x = *check_pointer_of(c, inst->args[1]);
    struct check_pointer y = *check_pointer_of(c, inst->args[2]);
    c->b.region = inst->parent;
    c->b.before = (struct ir_inst *)inst;
    c->b.loc = inst->loc;
    bool is_one = (x.kind == CHECK_ONE || x.kind == CHECK_NULL) && (y.kind == CHECK_ONE || y.kind == CHECK_NULL) &&
                  (x.kind != y.kind || x.base == y.base);
    bool is_none = x.kind < CHECK_ONE && y.kind < CHECK_ONE;
    if (is_none) {
        out->kind = x.kind == CHECK_NULL ? y.kind : x.kind;
    } else if (is_one) {
        *out = x.kind == CHECK_ONE ? x : y;
        if (x.kind == y.kind && (x.unit != y.unit || x.rest != y.rest)) {
            to_unit_byte(c, &x);
            to_unit_byte(c, &y);
            *out = x;
        }
        out->index = select_int(c, inst->args[0], index_or(c, &x), index_or(c, &y));
    } else {
        struct ir_inst *one[3];
        struct ir_inst *other[3];
        check_spread(c, &x, one);
        check_spread(c, &y, other);
        *out = (struct check_pointer){.kind = CHECK_MANY, .unit = 1};
        add_own_names(c, &x, &out->names);
        add_own_names(c, &y, &out->names);
        out->index = select_int(c, inst->args[0], one[0], other[0]);
        out->size = select_int(c, inst->args[0], one[1], other[1]);
        out->array = select_int(c, inst->args[0], one[2], other[2]);
    }
}

// A pointer out of memory, or from a helper, points into the only array that holds its address: then that is the one it
// was made of, for C has pointers point nowhere else. Behind the last element another array may begin: then it is not
// known which is meant, and neither if the array is a local.
static void look_up(struct checker *c, struct ir_inst *value, struct check_pointer *out)
{
    struct base_set set = {0};
    check_candidates(c, c->number, &set);
    if (set.count == 0) {
        return;
    }
    c->b.before = value->next;
    struct ir_inst *address = ir_emit1(&c->b, IR_OP_PTRTOINT, IR_I64, value);
    struct ir_inst *parts[3];
    check_spread(c, out, parts); // not known
    struct ir_inst *hits = check_int(c, 0);
    struct ir_inst *found[3] = {parts[0], parts[1], parts[2]};
    for (int i = 0; i < set.count; i++) {
        struct check_pointer first = {.kind = CHECK_ONE, .base = set.bases[i], .unit = 1};
        struct ir_inst *own[3];
        check_spread(c, &first, own);
        struct ir_inst *start = ir_emit1(&c->b, IR_OP_PTRTOINT, IR_I64, check_beginning(c, set.bases[i]));
        own[0] = ir_emit2(&c->b, IR_OP_SUB, IR_I64, address, start);
        struct ir_inst *is_it = ir_emit2(&c->b, IR_OP_ULE, IR_I1, own[0], own[1]);
        hits = check_op(c, IR_OP_ADD, hits, ir_emit1(&c->b, IR_OP_ZEXT, IR_I64, is_it));
        for (int k = 0; k < 3; k++) {
            found[k] = select_int(c, is_it, own[k], found[k]);
        }
    }
    struct ir_inst *is_one = ir_emit2(&c->b, IR_OP_EQ, IR_I1, hits, check_int(c, 1));
    *out = (struct check_pointer){.kind = CHECK_MANY, .unit = 1};
    out->index = select_int(c, is_one, found[0], parts[0]);
    out->size = select_int(c, is_one, found[1], parts[1]);
    out->array = select_int(c, is_one, found[2], parts[2]);
    set.is_unknown = true;
    check_names_of(c, c->number, &set, &out->names);
}

static void begin_at(struct checker *c, int base, struct check_pointer *out)
{
    *out = (struct check_pointer){.kind = CHECK_ONE, .base = base, .unit = check_element_of(c, base)};
    if (check_is_handed(c->function, base)) {
        out->index = check_beside(c, base, 0);
    }
}

static void follow(struct checker *c, struct ir_inst *value, struct check_pointer *out)
{
    switch (value->op) {
    case IR_OP_PARAM:
    case IR_OP_ADDR_VAR:
    case IR_OP_ADDR_GLOBAL: begin_at(c, base_beginning_at(value), out); return;
    case IR_OP_GET: read_shadow(c, value->var, out); return;
    case IR_OP_CONST: out->kind = CHECK_NULL; return;
    case IR_OP_SELECT: select_pointer(c, value, out); return;
    case IR_OP_INDEX:
    case IR_OP_OFFSET:
        *out = *check_pointer_of(c, value->args[0]);
        c->b.region = value->parent;
        c->b.before = value;
        c->b.loc = value->loc;
        if (out->kind < CHECK_ONE) {
            return;
        }
        if (value->op == IR_OP_OFFSET) {
            add_offset(c, out, value->imm);
        } else {
            add_index(c, out, value);
        }
        return;
    default: look_up(c, value, out); return;
    }
}

const struct check_pointer *check_pointer_of(struct checker *c, struct ir_inst *value)
{
    assert(value->type == IR_PTR);
    if (value->note == NULL) {
        struct check_pointer *pointer = ARENA_NEW(c->arena, struct check_pointer);
        struct ir_builder kept = c->b;
        c->b.region = value->parent;
        c->b.before = value;
        c->b.loc = value->loc;
        follow(c, value, pointer);
        c->b = kept;
        value->note = pointer;
    }
    return value->note;
}
