// The arrays that pointers point into: how long they are, what they are called.
#include "passes/check_internal.h"

#include <assert.h>

// ---- sizes ---------------------------------------------------------------------------------------------------------

static int64_t element_size(const struct ir_ctype *type, uint64_t size)
{
    while (type != NULL && type->kind == IR_CTYPE_ARRAY) {
        type = type->element;
    }
    uint64_t element = type != NULL && type->size > 0 ? type->size : 1;
    return size % element == 0 ? (int64_t)element : 1;
}

bool check_is_handed(const struct ir_function *function, int base)
{
    return function->kind == IR_FUNCTION_HELPER && base_kind(base) == BASE_PARAM &&
           !function->params[base_index(base)].is_struct;
}

static uint64_t fixed_size(const struct checker *c, int base, const struct ir_ctype **out_type)
{
    int index = base_index(base);
    switch (base_kind(base)) {
    case BASE_GLOBAL: *out_type = c->module->globals[index]->ctype; return c->module->globals[index]->size;
    case BASE_LOCAL: *out_type = c->function->vars[index]->ctype; return c->function->vars[index]->size;
    default: *out_type = c->function->params[index].ctype; return *out_type != NULL ? (*out_type)->size : 0;
    }
}

int64_t check_element_of(const struct checker *c, int base)
{
    if (check_is_handed(c->function, base)) {
        return 1;
    }
    const struct ir_ctype *type;
    uint64_t size = fixed_size(c, base, &type);
    bool is_array = base_kind(base) == BASE_PARAM && c->function->params[base_index(base)].is_array;
    return element_size(type, is_array ? 0 : size);
}

// ---- counts of a kernel's parameters -------------------------------------------------------------------------------

// Behind the last extent: everything that reads or writes comes later.
static void go_to_entry(struct checker *c, const struct ir_param *param)
{
    c->b.before = c->function->body.first;
    for (struct ir_inst *inst = c->function->body.first; inst != NULL; inst = inst->next) {
        for (int i = 0; i < param->rank; i++) {
            if (param->extents[i] == inst) {
                c->b.before = inst->next;
            }
        }
    }
    c->b.region = &c->function->body;
}

static struct ir_inst *param_value(struct checker *c, int index)
{
    struct ir_inst *inst = ir_emit0(&c->b, IR_OP_PARAM, c->function->params[index].type);
    inst->imm = index;
    return inst;
}

static int counting_param(const struct ir_function *kernel, int index)
{
    for (int i = 0; i < kernel->param_count; i++) {
        if (kernel->params[i].counts == index + 1) {
            return i;
        }
    }
    return -1;
}

static struct ir_inst *count_of_param(struct checker *c, int index)
{
    if (c->counts[index] != NULL) {
        return c->counts[index];
    }
    const struct ir_param *param = &c->function->params[index];
    struct ir_builder kept = c->b;
    go_to_entry(c, param);
    struct ir_inst *count = NULL;
    if (param->rank == 0) {
        int counting = counting_param(c->function, index);
        count = counting >= 0 ? param_value(c, counting) : check_int(c, INT64_MAX);
    }
    for (int i = 0; i < param->rank; i++) {
        count = count == NULL ? param->extents[i] : check_op(c, IR_OP_MUL, count, param->extents[i]);
    }
    c->b = kept;
    c->counts[index] = count;
    return count;
}

struct ir_inst *check_beside(struct checker *c, int base, int which)
{
    assert(which >= 0 && which < 3);
    int place = 0;
    for (int i = 0; i < base_index(base); i++) {
        place += c->function->params[i].is_array;
    }
    return param_value(c, c->helpers[c->number].first + 3 * place + which);
}

struct check_extent check_extent_of(struct checker *c, int base)
{
    struct check_extent extent = {.element = check_element_of(c, base)};
    if (check_is_handed(c->function, base)) {
        extent.count = check_beside(c, base, 1);
        return extent;
    }
    extent.name = base_name(c->module, c->function, base);
    if (base_kind(base) == BASE_PARAM && c->function->params[base_index(base)].is_array) {
        extent.count = count_of_param(c, base_index(base));
    } else {
        const struct ir_ctype *type;
        extent.count = check_int(c, (int64_t)fixed_size(c, base, &type) / extent.element);
    }
    return extent;
}

// ---- names ---------------------------------------------------------------------------------------------------------

int check_number_of(struct checker *c, const struct ir_function *function, int base)
{
    const struct ir_function *owner = base_kind(base) == BASE_GLOBAL ? NULL : function;
    for (int i = 0; i < c->arrays.count; i++) {
        if (c->arrays.items[i].function == owner && c->arrays.items[i].base == base) {
            return i + 1;
        }
    }
    struct ir_function *kept = c->function;
    c->function = (struct ir_function *)function;
    struct check_array array = {.function = owner,
                                .base = base,
                                .name = base_name(c->module, function, base),
                                .element = check_element_of(c, base)};
    c->function = kept;
    VEC_PUSH(c->arena, &c->arrays, array);
    return c->arrays.count;
}

void check_add_name(struct check_names *names, int number)
{
    assert(names->count <= CHECK_MAX_NAMES);
    for (int i = 0; i < names->count; i++) {
        if (names->items[i] == number) {
            return;
        }
    }
    if (names->count == CHECK_MAX_NAMES) {
        names->is_full = true;
        return;
    }
    names->items[names->count++] = number;
}

void check_add_names(struct check_names *to, const struct check_names *from)
{
    for (int i = 0; i < from->count; i++) {
        check_add_name(to, from->items[i]);
    }
    to->is_full |= from->is_full;
}

// Those that a pointer out of memory may have been made of: no more than can be told apart.
void check_candidates(struct checker *c, int function, struct base_set *out)
{
    const struct ir_function *owner = c->module->functions[function];
    for (int i = 0; owner->kind == IR_FUNCTION_KERNEL && i < owner->param_count; i++) {
        if (owner->params[i].is_array) {
            base_set_add(c->arena, out, base_make(BASE_PARAM, i));
        }
    }
    for (int i = 0; i < c->module->global_count; i++) {
        if (c->module->globals[i]->ctype != NULL) {
            base_set_add(c->arena, out, base_make(BASE_GLOBAL, i));
        }
    }
    if (out->count > CHECK_MAX_NAMES) {
        out->count = 0;
    }
}

struct ir_inst *check_beginning(struct checker *c, int base)
{
    if (base_kind(base) == BASE_PARAM) {
        return param_value(c, base_index(base));
    }
    struct ir_inst *inst = ir_emit0(&c->b, IR_OP_ADDR_GLOBAL, IR_PTR);
    inst->global = c->module->globals[base_index(base)];
    return inst;
}

void check_names_of(struct checker *c, int function, const struct base_set *set, struct check_names *out)
{
    const struct ir_function *owner = c->module->functions[function];
    for (int i = 0; i < set->count; i++) {
        if (check_is_handed(owner, set->bases[i])) {
            check_add_names(out, &c->helpers[function].names[base_index(set->bases[i])]);
        } else {
            check_add_name(out, check_number_of(c, owner, set->bases[i]));
        }
    }
    if (set->is_unknown && !out->is_full) {
        struct base_set others = {0};
        check_candidates(c, function, &others);
        check_names_of(c, function, &others, out);
    }
    out->is_full |= set->is_unknown;
}
