// Calls. A callee stands where it is called: its parameters are the arguments' values (or variables, if it assigns
// them), `return` leaves a block around its body. Only what would grow the kernel too much is called as a helper
// function.
#include "lower/internal.h"

// ---- parameters ----------------------------------------------------------------------------------------------------

// The outermost extent that the parameter was declared with.
static void bind_shape(struct lower *l, const struct object *param, struct lower_binding *binding)
{
    const struct type *array = param->array_type;
    const struct lower_object *use = lower_object(l, param);
    if (use != NULL && (use->is_assigned || use->is_addressed)) {
        binding->extent = NULL;
        return;
    }
    if (array == NULL || array->length == TYPE_LENGTH_UNKNOWN ||
        (array->length == TYPE_LENGTH_VARIABLE && array->extent == NULL)) {
        return;
    }
    if (array->length == TYPE_LENGTH_VARIABLE) {
        struct lower_extent *extent = pointer_map_get(&l->frame->extents, array->extent);
        binding->extent = extent != NULL ? extent->count : NULL;
    } else {
        binding->extent = lower_int(l, IR_I64, array->length);
    }
}

void lower_settle_params(struct lower *l, const struct function *function)
{
    for (int i = 0; i < function->param_count; i++) {
        const struct object *param = function->params[i];
        lower_bind_extents(l, param->array_type != NULL ? param->array_type : param->type, true);
    }
    for (int i = 0; i < function->param_count; i++) {
        const struct object *param = function->params[i];
        struct lower_binding *value = lower_bind(l, param);
        const struct lower_object *use = lower_object(l, param);
        bool is_own = value->kind == BIND_MEMORY; // a struct that was copied for the callee
        bool moves = use->is_assigned || lower_is_memory_object(l, param);
        if (type_is_record(param->type)) {
            moves = use->is_assigned || use->is_addressed;
        }
        lower_at(l, param->loc);
        if (!moves || is_own) {
            bind_shape(l, param, value);
            continue;
        }
        struct expr name = {
            .kind = EXPR_OBJECT, .object = (struct object *)param, .type = param->type, .loc = param->loc};
        struct ir_inst *initial = lower_value(l, &name);
        struct lower_binding *binding = lower_bind_new(l, param);
        if (binding->kind == BIND_VAR) {
            ir_set(&l->b, binding->var, initial);
        } else if (type_is_record(param->type)) {
            lower_copy_record(l, lower_addr_var(l, binding->var), initial, param->type, false);
        } else {
            lower_store(l, lower_addr_var(l, binding->var), initial, (struct lower_access){0});
        }
    }
}

// Whether the argument's value may be named wherever the callee is: it depends on nothing but the kernel's parameters,
// or is an address. Other values go into a variable, which tasks can hand on.
static bool is_lasting(const struct ir_inst *value, int depth)
{
    if (depth > 8) {
        return false;
    }
    if (value->type == IR_PTR) {
        return true;
    }
    if (value->op == IR_OP_CONST || value->op == IR_OP_FCONST || value->op == IR_OP_PARAM) {
        return true;
    }
    if (!ir_op_is_pure(value->op)) {
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!is_lasting(value->args[i], depth + 1)) {
            return false;
        }
    }
    return true;
}

static struct lower_binding *bind_argument(struct lower *l, const struct object *param, struct ir_inst *value)
{
    struct lower_binding *binding = ARENA_NEW(l->arena, struct lower_binding);
    const struct lower_object *use = lower_object(l, param);
    if (is_lasting(value, 0) || use->is_assigned || lower_is_memory_object(l, param)) {
        binding->kind = BIND_VALUE;
        binding->value = value;
        return binding;
    }
    binding->kind = BIND_VAR;
    binding->var = lower_var(l, param->name != NULL ? param->name : ".argument", value->type);
    binding->var->is_unsigned = lower_is_unsigned(param->type);
    binding->var->loc = param->loc;
    ir_set(&l->b, binding->var, value);
    return binding;
}

// What the argument is known to point to, if the callee's parameter counts the same elements. Where bounds are checked
// the check pass finds that, and which array it is.
static struct ir_inst *argument_extent(struct lower *l, const struct expr *arg, const struct object *param)
{
    const struct expr *e = lower_strip(arg);
    if (l->options.check_bounds || param->type->kind != TYPE_POINTER || e->type->kind != TYPE_POINTER ||
        type_is_variable(param->type->base) || type_is_variable(e->type->base) ||
        param->type->base->size != e->type->base->size) {
        return NULL;
    }
    if (e->kind == EXPR_OBJECT) {
        return lower_bind(l, e->object)->extent;
    }
    if (e->kind == EXPR_DECAY && e->a->type->kind == TYPE_ARRAY && e->a->type->length > 0) {
        return lower_int(l, IR_I64, e->a->type->length);
    }
    return NULL;
}

static struct ir_var *copy_of_record(struct lower *l, const char *name, const struct type *type, struct ir_inst *from)
{
    struct ir_var *var = lower_memory(l, name, type, l->b.loc);
    lower_copy_record(l, lower_addr_var(l, var), from, type, false);
    return var;
}

static void bind_arguments(struct lower *l, const struct expr *e, struct lower_frame *frame)
{
    const struct function *function = e->function;
    for (int i = 0; i < e->arg_count; i++) {
        struct ir_inst *value = lower_value(l, e->args[i]);
        lower_at(l, e->loc);
        if (i >= function->param_count) {
            continue;
        }
        const struct object *param = function->params[i];
        struct lower_binding *binding;
        if (type_is_record(param->type)) {
            binding = ARENA_NEW(l->arena, struct lower_binding);
            binding->kind = BIND_MEMORY;
            binding->var = copy_of_record(l, param->name, param->type, value);
        } else {
            binding = bind_argument(l, param, value);
            binding->extent = argument_extent(l, e->args[i], param);
        }
        pointer_map_set(l->arena, &frame->bindings, param, binding);
    }
}

// ---- inlining ------------------------------------------------------------------------------------------------------

static struct ir_inst *inline_call(struct lower *l, const struct expr *e, struct lower_info *info)
{
    struct lower_frame frame = {.caller = l->frame, .info = info, .args = e->args, .is_inlined = true};
    bind_arguments(l, e, &frame);
    struct ir_region *outer = l->b.region;
    const struct type *type = e->type;
    struct ir_var *record = NULL;
    if (type_is_record(type)) {
        record = lower_memory(l, NULL, type, e->loc);
        frame.return_address = lower_addr_var(l, record);
    }
    frame.is_direct = info->returns_last;
    if (!frame.is_direct) {
        if (record == NULL && type->kind != TYPE_VOID) {
            frame.return_var = lower_temp(l, lower_type(type));
            frame.return_var->is_unsigned = lower_is_unsigned(type);
        }
        frame.return_block = ir_control(&l->b, IR_OP_BLOCK, NULL, 1);
        l->b.region = &frame.return_block->regions[0];
    }
    l->frame = &frame;
    lower_settle_params(l, info->function);
    lower_stmt(l, info->function->body);
    l->frame = frame.caller;
    l->b.region = outer;
    lower_at(l, e->loc);
    if (record != NULL) {
        return lower_addr_var(l, record);
    }
    if (frame.return_var != NULL) {
        return ir_get(&l->b, frame.return_var);
    }
    if (frame.result == NULL && type->kind != TYPE_VOID) { // it ends without a return: some value
        enum ir_type t = lower_type(type);
        return ir_type_is_float(t) ? ir_fconst(&l->b, t, 0) : lower_int(l, t, 0);
    }
    return frame.result;
}

// ---- helpers -------------------------------------------------------------------------------------------------------

static void declare_params(struct lower *l, struct ir_function *f, const struct function *function)
{
    bool returns_record = type_is_record(function->type->base);
    f->param_count = function->param_count + returns_record;
    f->params = ARENA_ARRAY(l->arena, struct ir_param, f->param_count);
    for (int i = 0; i < function->param_count; i++) {
        const struct object *param = function->params[i];
        struct ir_param *p = &f->params[i];
        p->name = param->name != NULL ? param->name : "";
        p->loc = param->loc;
        p->is_struct = type_is_record(param->type);
        p->is_array = param->type->kind == TYPE_POINTER;
        p->type = p->is_struct ? IR_PTR : lower_type(param->type);
        p->ctype = lower_ctype(l, p->is_array ? param->type->base : param->type);
        p->is_const = p->is_array && (param->type->base->quals & QUAL_CONST) != 0;
        p->is_restrict = (param->type->quals & QUAL_RESTRICT) != 0;
    }
    if (returns_record) {
        struct ir_param *p = &f->params[function->param_count];
        p->name = ".result";
        p->loc = function->loc;
        p->is_struct = true;
        p->type = IR_PTR;
        p->ctype = lower_ctype(l, function->type->base);
    }
}

void lower_enter_function(struct lower *l, struct lower_frame *frame, struct lower_info *info)
{
    const struct function *function = info->function;
    frame->info = info;
    l->frame = frame;
    for (int i = 0; i < function->param_count; i++) {
        struct lower_binding *binding = ARENA_NEW(l->arena, struct lower_binding);
        binding->kind = BIND_PARAM;
        binding->param = i;
        pointer_map_set(l->arena, &frame->bindings, function->params[i], binding);
    }
    lower_settle_params(l, function);
}

static struct ir_function *lower_helper(struct lower *l, struct lower_info *info)
{
    if (info->helper != NULL) {
        return info->helper;
    }
    const struct function *function = info->function;
    // A kernel that a helper calls is there twice.
    const char *name = function->is_kernel ? arena_printf(l->arena, "%s.helper", function->name) : function->name;
    struct ir_function *f = ir_function_create(l->module, IR_FUNCTION_HELPER, name);
    info->helper = f;
    f->loc = function->loc;
    f->return_type = lower_type(function->type->base);
    declare_params(l, f, function);
    struct lower saved = *l;
    l->b = (struct ir_builder){.module = l->module, .function = f, .region = &f->body, .loc = function->loc};
    l->scope = NULL;
    l->scope_key = 0;
    l->scope_count = 0;
    l->temp_count = 0;
    l->single_depth = 0;
    l->plain_depth = 0;
    struct lower_frame frame = {0};
    lower_enter_function(l, &frame, info);
    if (type_is_record(function->type->base)) {
        frame.return_address = ir_emit0(&l->b, IR_OP_PARAM, IR_PTR);
        frame.return_address->imm = function->param_count;
    }
    lower_stmt(l, function->body);
    lower_settle_function(l, f);
    l->b = saved.b;
    l->frame = saved.frame;
    l->scope = saved.scope;
    l->scope_key = saved.scope_key;
    l->scope_count = saved.scope_count;
    l->temp_count = saved.temp_count;
    l->single_depth = saved.single_depth;
    l->plain_depth = saved.plain_depth;
    return f;
}

static struct ir_inst *helper_call(struct lower *l, const struct expr *e, struct lower_info *info)
{
    struct ir_function *f = lower_helper(l, info);
    struct ir_inst **args = ARENA_ARRAY(l->arena, struct ir_inst *, f->param_count + 1);
    for (int i = 0; i < e->arg_count; i++) {
        struct ir_inst *value = lower_value(l, e->args[i]);
        lower_at(l, e->loc);
        if (i >= info->function->param_count) {
            continue;
        }
        const struct type *type = info->function->params[i]->type;
        args[i] = type_is_record(type) ? lower_addr_var(l, copy_of_record(l, NULL, type, value)) : value;
    }
    struct ir_inst *result = NULL;
    if (type_is_record(e->type)) {
        result = lower_addr_var(l, lower_memory(l, NULL, e->type, e->loc));
        args[f->param_count - 1] = result;
    }
    struct ir_inst *call = ir_emit(&l->b, IR_OP_CALL, f->return_type, f->param_count, args);
    call->function = f;
    return result != NULL ? result : e->type->kind == TYPE_VOID ? NULL : call;
}

// ---- calls ---------------------------------------------------------------------------------------------------------

// What such a helper does to memory depends on its arguments: it is worth more to see it where it is called.
static bool takes_pointers(const struct function *function)
{
    for (int i = 0; i < function->param_count; i++) {
        if (function->params[i]->type->kind == TYPE_POINTER) {
            return true;
        }
    }
    return false;
}

static bool fits_inline(const struct lower *l, const struct lower_info *info)
{
    if (info->function->is_kernel && l->b.function->kind == IR_FUNCTION_KERNEL) {
        return true; // a kernel's loops are tasks: they must be seen
    }
    int64_t limit = l->options.inline_weight > 0     ? l->options.inline_weight
                    : takes_pointers(info->function) ? LOWER_INLINE_POINTERS
                                                     : LOWER_INLINE_WEIGHT;
    int64_t total = l->options.kernel_weight > 0 ? l->options.kernel_weight : LOWER_KERNEL_WEIGHT;
    return info->weight <= limit && l->b.function->value_count + info->weight <= total;
}

struct ir_inst *lower_call(struct lower *l, const struct expr *e, bool is_used)
{
    if (e->function->body == NULL) {
        return lower_builtin_call(l, e, is_used);
    }
    struct lower_info *info = lower_info(l, e->function);
    return fits_inline(l, info) ? inline_call(l, e, info) : helper_call(l, e, info);
}
