#include "ir/walk.h"
#include "passes/check_internal.h"
#include "plan/abi.h"

// ---- what checked indices cover ------------------------------------------------------------------------------------

static bool is_same(const struct ir_inst *a, const struct ir_inst *b)
{
    if (a == b) {
        return true;
    }
    if (a->op != b->op || a->type != b->type || a->imm != b->imm || a->arg_count != b->arg_count ||
        !ir_op_is_pure(a->op) || ir_type_is_float(a->type) || a->var != b->var || a->global != b->global) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (!is_same(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

// Bytes that surely lie behind an address, as far as an index that was checked leads there.
struct window {
    int64_t size;
    const struct ir_param
        *param; // of an array whose extents from |dim| on have not been indexed yet; NULL: |size| counts
    int dim;
};

static bool enter_param(struct window *w, const struct ir_inst *inst, const struct ir_inst *count, int64_t element)
{
    const struct ir_param *param = w->param;
    bool is_fixed = inst->args[2]->op == IR_OP_CONST;
    if (w->dim == 0 && count != NULL && inst->args[3] == count && is_fixed && inst->args[2]->imm == element) {
        *w = (struct window){.size = element}; // the whole array as one row
        return true;
    }
    if (w->dim >= param->rank || !is_same(inst->args[3], param->extents[w->dim])) {
        return false;
    }
    w->dim++;
    if (w->dim == param->rank) {
        bool fits = is_fixed && inst->args[2]->imm == element;
        *w = (struct window){.size = element};
        return fits;
    }
    return true;
}

static bool enter_index(const struct ir_inst *inst, struct window *w)
{
    const struct ir_inst *stride = inst->args[2];
    const struct ir_inst *extent = inst->args[3];
    if (stride->op != IR_OP_CONST || extent->op != IR_OP_CONST || stride->imm <= 0 || extent->imm < 0 ||
        extent->imm > w->size / stride->imm) {
        return false;
    }
    w->size = stride->imm;
    return true;
}

static bool find_window(struct checker *c, const struct ir_inst *address, struct window *out)
{
    switch (address->op) {
    case IR_OP_PARAM:
    case IR_OP_ADDR_VAR:
    case IR_OP_ADDR_GLOBAL: break;
    case IR_OP_OFFSET:
        if (!find_window(c, address->args[0], out) || out->param != NULL || address->imm < 0 ||
            address->imm > out->size) {
            return false;
        }
        out->size -= address->imm;
        return true;
    case IR_OP_INDEX:
        if (!find_window(c, address->args[0], out)) {
            return false;
        }
        if (out->param == NULL) {
            return enter_index(address, out);
        }
        return enter_param(out, address, c->counts[out->param - c->function->params],
                           check_element_of(c, base_make(BASE_PARAM, (int)(out->param - c->function->params))));
    default: return false;
    }
    int base = base_beginning_at(address);
    if (check_is_handed(c->function, base)) {
        return false;
    }
    if (base_kind(base) == BASE_PARAM && c->function->params[base_index(base)].is_array) {
        *out = (struct window){.param = &c->function->params[base_index(base)]};
        return true;
    }
    struct check_extent extent = check_extent_of(c, base); // a constant
    *out = (struct window){.size = extent.count->imm * extent.element};
    return true;
}

static bool is_covered(struct checker *c, const struct ir_inst *address, const struct ir_inst *bytes, int64_t size)
{
    struct window window;
    bool is_fixed = bytes == NULL || bytes->op == IR_OP_CONST;
    int64_t wanted = bytes == NULL ? size : bytes->imm;
    return is_fixed && find_window(c, address, &window) && window.param == NULL && wanted >= 0 && wanted <= window.size;
}

// ---- checks --------------------------------------------------------------------------------------------------------

struct access {
    struct ir_inst *inst;
    struct ir_inst *address;
    struct ir_inst *bytes; // NULL: |size|
    int64_t size;
    const char *name; // of the pointer, where it is not known which array is meant
};

static void emit_check(struct checker *c, struct ir_inst *index, struct ir_inst *extent, const char *name)
{
    struct ir_inst *inst = ir_emit2(&c->b, IR_OP_CHECK, IR_VOID, index, extent);
    inst->text = name;
}

// The number of the first element outside where the access begins before the array, else of its last one.
static struct ir_inst *reached(struct checker *c, struct ir_inst *first, struct ir_inst *last, int64_t element)
{
    struct ir_inst *is_before = ir_emit2(&c->b, IR_OP_SLT, IR_I1, first, check_int(c, 0));
    struct ir_inst *floor = check_op(c, IR_OP_ADD, first, check_int(c, 1 - element));
    struct ir_inst *byte = ir_emit3(&c->b, IR_OP_SELECT, IR_I64, is_before, floor, last);
    return check_op(c, IR_OP_SDIV, byte, check_int(c, element));
}

// Checks that hold wherever |holds| is false; NULL: always.
static void emit_check_if(struct checker *c, struct ir_inst *holds, struct ir_inst *index, struct ir_inst *extent,
                          const char *name)
{
    if (holds != NULL) {
        index = ir_emit3(&c->b, IR_OP_SELECT, IR_I64, holds, index, check_int(c, 0));
        extent = ir_emit3(&c->b, IR_OP_SELECT, IR_I64, holds, extent, check_int(c, 1));
    }
    emit_check(c, index, extent, name);
}

struct span { // of an access, in bytes behind the beginning of the array
    struct ir_inst *first;
    struct ir_inst *last;
    struct ir_inst *is_some; // NULL: it is
};

static struct span span_of(struct checker *c, const struct check_pointer *pointer, const struct access *access)
{
    struct span span = {.first = check_bytes(c, pointer)};
    if (access->bytes == NULL || access->bytes->op == IR_OP_CONST) {
        int64_t size = access->bytes == NULL ? access->size : access->bytes->imm;
        size = size < 0 || size > CHECK_FAR ? CHECK_FAR : size;
        span.last = check_op(c, IR_OP_ADD, span.first, check_int(c, size - 1));
        return span;
    }
    struct ir_inst *size = check_op(c, IR_OP_UMIN, access->bytes, check_int(c, CHECK_FAR));
    span.last = check_op(c, IR_OP_ADD, span.first, check_op(c, IR_OP_SUB, size, check_int(c, 1)));
    span.is_some = ir_emit2(&c->b, IR_OP_NE, IR_I1, access->bytes, check_int(c, 0));
    return span;
}

// One of several arrays: each has its own name and counts its own elements.
static void check_names(struct checker *c, const struct check_pointer *pointer, const struct access *access,
                        const struct check_names *names)
{
    struct ir_inst *parts[3];
    check_spread(c, pointer, parts);
    struct span span = span_of(c, pointer, access);
    bool is_one = names->count == 1 && !names->is_full;
    for (int i = 0; i < names->count; i++) {
        const struct check_array *array = &c->arrays.items[names->items[i] - 1];
        struct ir_inst *holds = span.is_some;
        if (!is_one) {
            struct ir_inst *is_it = ir_emit2(&c->b, IR_OP_EQ, IR_I1, parts[2], check_int(c, names->items[i]));
            holds = holds == NULL ? is_it : ir_emit2(&c->b, IR_OP_AND, IR_I1, holds, is_it);
        }
        struct ir_inst *extent = check_op(c, IR_OP_SDIV, parts[1], check_int(c, array->element));
        emit_check_if(c, holds, reached(c, span.first, span.last, array->element), extent, array->name);
    }
    if (names->count == 0 || names->is_full) {
        // The array need not be whole units long: the bytes decide, the units are what is said of them.
        int64_t unit = access->size > 0 ? access->size : 1;
        struct ir_inst *extent = check_op(c, IR_OP_SDIV, parts[1], check_int(c, unit));
        struct ir_inst *is_before = ir_emit2(&c->b, IR_OP_SLT, IR_I1, span.first, check_int(c, 0));
        struct ir_inst *is_behind = ir_emit2(&c->b, IR_OP_SGE, IR_I1, span.last, parts[1]);
        struct ir_inst *is_out = ir_emit2(&c->b, IR_OP_OR, IR_I1, is_before, is_behind);
        is_out = span.is_some == NULL ? is_out : ir_emit2(&c->b, IR_OP_AND, IR_I1, span.is_some, is_out);
        emit_check_if(c, is_out, reached(c, span.first, span.last, unit), extent, access->name);
    }
}

// An index that is used for this access at once, on the same line, may as well be checked where it is computed: the
// loop analysis then sees an array with an extent.
static bool check_in_index(struct checker *c, const struct check_pointer *pointer, const struct access *access)
{
    struct ir_inst *index = access->address;
    while (index->op == IR_OP_OFFSET) {
        index = index->args[0];
    }
    bool is_open = index->op == IR_OP_INDEX && index->args[3]->op == IR_OP_CONST && index->args[3]->imm == -1 &&
                   index->args[2]->op == IR_OP_CONST && base_beginning_at(index->args[0]) != 0;
    if (!is_open || access->bytes != NULL || pointer->unit != index->args[2]->imm || pointer->index != index->args[1] ||
        pointer->rest + access->size > pointer->unit || check_is_handed(c->function, pointer->base)) {
        return false;
    }
    struct loc at = access->inst->loc;
    if (index->loc.file != at.file || index->loc.line != at.line) {
        return false;
    }
    const struct ir_inst *inst = index;
    while (inst != NULL && inst != access->inst && inst->region_count == 0) {
        inst = inst->next;
    }
    if (inst != access->inst) {
        return false;
    }
    if (pointer->unit != check_element_of(c, pointer->base)) {
        return false;
    }
    c->b.before = index;
    struct check_extent extent = check_extent_of(c, pointer->base);
    index->args[3] = extent.count;
    index->text = extent.name;
    return true;
}

static const char *name_of(const struct ir_inst *address)
{
    while (address->op == IR_OP_OFFSET || (address->op == IR_OP_INDEX && address->text == NULL)) {
        address = address->args[0];
    }
    return address->op == IR_OP_INDEX                               ? address->text
           : address->op == IR_OP_GET && address->var->name != NULL ? address->var->name
                                                                    : "a pointer";
}

static void check_access(struct checker *c, struct access access)
{
    c->b = (struct ir_builder){.module = c->module,
                               .function = c->function,
                               .region = access.inst->parent,
                               .before = access.inst,
                               .loc = access.inst->loc};
    if ((access.bytes != NULL && access.bytes->op == IR_OP_CONST && access.bytes->imm == 0) ||
        is_covered(c, access.address, access.bytes, access.size)) {
        return;
    }
    access.name = name_of(access.address);
    const struct check_pointer *pointer = check_pointer_of(c, access.address);
    if (pointer->kind == CHECK_UNKNOWN || pointer->kind == CHECK_NULL) {
        return; // null is left open
    }
    if (pointer->kind == CHECK_MANY || check_is_handed(c->function, pointer->base)) {
        struct check_names names = pointer->names;
        if (pointer->kind == CHECK_ONE) {
            int base = pointer->base;
            check_names_of(c, c->number, &(struct base_set){.bases = &base, .count = 1}, &names);
        }
        check_names(c, pointer, &access, &names);
        return;
    }
    if (check_in_index(c, pointer, &access)) {
        return;
    }
    struct check_extent extent = check_extent_of(c, pointer->base);
    if (access.bytes == NULL && pointer->unit == extent.element && pointer->rest + access.size <= pointer->unit) {
        emit_check(c, pointer->index != NULL ? pointer->index : check_int(c, 0), extent.count, extent.name);
        return;
    }
    struct span span = span_of(c, pointer, &access);
    emit_check_if(c, span.is_some, reached(c, span.first, span.last, extent.element), extent.count, extent.name);
}

// ---- the walk ------------------------------------------------------------------------------------------------------

// The pointers' companions go along.
static void extend_call(struct checker *c, struct ir_inst *call)
{
    const struct ir_function *callee = call->function;
    struct ir_inst **args = ARENA_ARRAY(c->arena, struct ir_inst *, callee->param_count + 1);
    int count = call->arg_count;
    if (count > 0) { // of none there is no list
        memcpy(args, call->args, sizeof *args * (size_t)count);
    }
    for (int i = 0; i < call->arg_count; i++) {
        if (callee->params[i].is_array) {
            const struct check_pointer *pointer = check_pointer_of(c, call->args[i]);
            c->b = (struct ir_builder){
                .module = c->module, .function = c->function, .region = call->parent, .before = call, .loc = call->loc};
            check_spread(c, pointer, &args[count]);
            count += 3;
        }
    }
    call->args = args;
    call->arg_count = count;
}

static bool visit(struct ir_inst *inst, void *user)
{
    struct checker *c = user;
    if (ir_op_is_element(inst->op)) {
        check_access(c, (struct access){.inst = inst, .address = inst->args[0], .size = ir_type_size(inst->type)});
    } else if (ir_op_is_bytes(inst->op)) {
        struct access access = {.inst = inst, .address = inst->args[1], .bytes = inst->args[2], .size = 1};
        if (ir_op_reads(inst->op)) {
            check_access(c, access);
        }
        access.address = inst->args[0];
        check_access(c, access);
    } else if (inst->op == IR_OP_CALL) {
        extend_call(c, inst);
    }
    return true;
}

static bool forget(struct ir_inst *inst, void *user)
{
    (void)user;
    inst->note = NULL;
    return true;
}

static void check_function(struct checker *c, int number)
{
    c->number = number;
    c->function = c->module->functions[number];
    c->b = (struct ir_builder){.module = c->module, .function = c->function, .region = &c->function->body};
    c->counts = ARENA_ARRAY(c->arena, struct ir_inst *, c->function->param_count + 1);
    check_find_shadows(c);
    walk_region(&c->function->body, visit, c);
    while (check_write_shadows(c)) {
        // What is written may read others.
    }
    walk_region(&c->function->body, forget, NULL);
}

// ---- the module ----------------------------------------------------------------------------------------------------

static const struct ir_ctype count_type = {
    .kind = IR_CTYPE_SCALAR, .name = "long", .scalar = IR_I64, .size = 8, .align = 8};

static struct ir_param *add_params(struct checker *c, struct ir_function *function, int count)
{
    struct ir_param *params = ARENA_ARRAY(c->arena, struct ir_param, function->param_count + count + 1);
    if (function->param_count > 0) {
        memcpy(params, function->params, sizeof *params * (size_t)function->param_count);
    }
    struct ir_ctype *type = ARENA_NEW(c->arena, struct ir_ctype);
    *type = count_type;
    for (int i = 0; i < count; i++) {
        params[function->param_count + i] =
            (struct ir_param){.name = "", .loc = function->loc, .type = IR_I64, .ctype = type};
    }
    function->params = params;
    function->param_count += count;
    return params + function->param_count - count;
}

// Bytes of the arguments, as describe_params lays them out.
static uint64_t args_size(const struct ir_function *kernel)
{
    uint64_t end = 0;
    for (int i = 0; i < kernel->param_count; i++) {
        const struct ir_param *param = &kernel->params[i];
        uint64_t size = param->is_struct ? param->ctype->size : (uint64_t)ir_type_size(param->type);
        uint64_t align = param->is_struct ? param->ctype->align : size;
        end = ((end + align - 1) & ~(align - 1)) + size;
    }
    return end;
}

// As many as fit beside the kernel's own arguments: a kernel that can be launched can be launched checked. Indices of
// the pointers after those are held to nothing.
static void count_pointers(struct checker *c, struct ir_function *kernel)
{
    int given = kernel->param_count;
    uint64_t size = (args_size(kernel) + 7) & ~(uint64_t)7;
    for (int i = 0; i < given && size + 8 <= ABI_MAX_ARGS_SIZE; i++) {
        if (kernel->params[i].is_array && kernel->params[i].rank == 0) {
            struct ir_param *param = add_params(c, kernel, 1);
            param->name = arena_printf(c->arena, "%s.count", kernel->params[i].name);
            param->counts = i + 1;
            size += 8;
        }
    }
}

static void prepare_helper(struct checker *c, int number)
{
    struct ir_function *helper = c->module->functions[number];
    int given = helper->param_count;
    c->helpers[number] =
        (struct check_helper){.first = given, .names = ARENA_ARRAY(c->arena, struct check_names, given + 1)};
    static const char *const words[] = {"offset", "size", "array"};
    for (int i = 0; i < given; i++) {
        for (int k = 0; helper->params[i].is_array && k < 3; k++) {
            add_params(c, helper, 1)->name = arena_printf(c->arena, "%s.%s", helper->params[i].name, words[k]);
        }
    }
}

static int number_of(const struct ir_module *module, const struct ir_function *function)
{
    int i = 0;
    while (module->functions[i] != function) {
        i++;
    }
    return i;
}

struct handing {
    struct checker *c;
    int function;
    bool changed;
};

static bool hand_names(struct ir_inst *inst, void *user)
{
    struct handing *h = user;
    for (int i = 0; inst->op == IR_OP_CALL && i < inst->arg_count; i++) {
        if (inst->function->params[i].is_array) {
            struct check_names *names = &h->c->helpers[number_of(h->c->module, inst->function)].names[i];
            struct check_names before = *names;
            struct base_set set = {0};
            points_to_of(h->c->arena, h->c->sets[h->function], inst->args[i], &set);
            check_names_of(h->c, h->function, &set, names);
            h->changed |= names->count != before.count || names->is_full != before.is_full;
        }
    }
    return true;
}

// From callers to helpers, and on to what those call.
static void find_names(struct checker *c)
{
    struct handing h = {.c = c, .changed = true};
    while (h.changed) {
        h.changed = false;
        for (int i = 0; i < c->module->function_count; i++) {
            h.function = i;
            walk_region(&c->module->functions[i]->body, hand_names, &h);
        }
    }
}

static bool find_failure(struct ir_inst *inst, void *user)
{
    bool *may_fail = user;
    bool is_checked = inst->op == IR_OP_INDEX && !(inst->args[3]->op == IR_OP_CONST && inst->args[3]->imm == -1);
    *may_fail |= ir_may_fail(inst, is_checked);
    return true;
}

static void find_failures(const struct ir_module *module)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < module->function_count; i++) {
            struct ir_function *function = module->functions[i];
            bool may_fail = function->may_fail;
            if (function->kind == IR_FUNCTION_HELPER) {
                walk_region(&function->body, find_failure, &may_fail);
                changed |= may_fail != function->may_fail;
                function->may_fail = may_fail;
            }
        }
    }
}

void check_module(struct ir_module *module)
{
    int count = module->function_count;
    struct checker c = {.module = module, .arena = module->arena};
    c.helpers = ARENA_ARRAY(c.arena, struct check_helper, count + 1);
    c.sets = ARENA_ARRAY(c.arena, struct points_to *, count + 1);
    for (int i = 0; i < count; i++) {
        walk_region(&module->functions[i]->body, forget, NULL);
        c.sets[i] = points_to_find(c.arena, module->functions[i]);
        if (module->functions[i]->kind == IR_FUNCTION_KERNEL) {
            count_pointers(&c, module->functions[i]);
        } else {
            prepare_helper(&c, i);
        }
    }
    find_names(&c);
    for (int i = 0; i < count; i++) {
        check_function(&c, i);
    }
    find_failures(module);
}
