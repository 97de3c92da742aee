// From the unit to the module: every kernel, then what is left of its helpers.
#include "lower/lower.h"

#include "lower/internal.h"

// ---- kernels -------------------------------------------------------------------------------------------------------

static const struct type *element_of(const struct type *type)
{
    while (type->kind == TYPE_ARRAY) {
        type = type->base;
    }
    return type;
}

static void declare_param(struct lower *l, const struct object *param, struct ir_param *out)
{
    out->name = param->name != NULL ? param->name : "";
    out->loc = param->loc;
    out->is_struct = type_is_record(param->type);
    out->is_array = param->type->kind == TYPE_POINTER;
    out->type = out->is_struct ? IR_PTR : lower_type(param->type);
    if (out->is_array) {
        const struct type *element = element_of(param->type->base);
        out->ctype = lower_ctype(l, element);
        out->is_const = (element->quals & QUAL_CONST) != 0 || (param->type->base->quals & QUAL_CONST) != 0;
        out->is_restrict = (param->type->quals & QUAL_RESTRICT) != 0;
    } else {
        out->ctype = lower_ctype(l, param->type);
    }
}

static struct ir_inst *extent_at_entry(struct lower *l, const struct type *array)
{
    if (array->length != TYPE_LENGTH_VARIABLE) {
        return lower_int(l, IR_I64, array->length);
    }
    struct lower_extent *extent = array->extent != NULL ? pointer_map_get(&l->frame->extents, array->extent) : NULL;
    return extent != NULL ? extent->count : lower_int(l, IR_I64, 0);
}

// After lower_settle_params: the extents are there. An array whose outermost extent is not written takes a whole array.
static void fill_shape(struct lower *l, const struct object *param, struct ir_param *out)
{
    const struct type *array = param->array_type;
    if (array == NULL || array->length == TYPE_LENGTH_UNKNOWN ||
        (array->length == TYPE_LENGTH_VARIABLE && array->extent == NULL)) {
        return;
    }
    for (const struct type *t = array; t->kind == TYPE_ARRAY; t = t->base) {
        out->rank++;
    }
    out->extents = ARENA_ARRAY(l->arena, struct ir_inst *, out->rank);
    int i = 0;
    for (const struct type *t = array; t->kind == TYPE_ARRAY; t = t->base) {
        out->extents[i++] = extent_at_entry(l, t);
    }
}

static void lower_kernel(struct lower *l, struct lower_info *info)
{
    const struct function *function = info->function;
    struct ir_function *f = ir_function_create(l->module, IR_FUNCTION_KERNEL, function->name);
    f->loc = function->loc;
    f->pragma_single = function->is_single;
    f->return_type = lower_type(function->type->base);
    bool returns_record = type_is_record(function->type->base);
    f->return_ctype = f->return_type != IR_VOID || returns_record ? lower_ctype(l, function->type->base) : NULL;
    f->param_count = function->param_count;
    f->params = ARENA_ARRAY(l->arena, struct ir_param, f->param_count);
    for (int i = 0; i < f->param_count; i++) {
        declare_param(l, function->params[i], &f->params[i]);
    }
    l->b = (struct ir_builder){.module = l->module, .function = f, .region = &f->body, .loc = function->loc};
    l->scope = NULL;
    l->scope_key = 0;
    l->scope_count = 0;
    l->temp_count = 0;
    l->block_count = 0;
    l->scratch = NULL;
    l->scratch_count = 0;
    struct lower_frame frame = {0};
    lower_enter_function(l, &frame, info);
    for (int i = 0; i < function->param_count; i++) {
        fill_shape(l, function->params[i], &f->params[i]);
    }
    if (returns_record) {
        frame.return_address = lower_result_address(l, function);
    }
    l->entry_end = f->body.last;
    lower_stmt(l, function->body);
    lower_at(l, function->body->end);
    lower_settle_function(l, f);
    l->frame = NULL;
}

// ---- the unit ------------------------------------------------------------------------------------------------------

static void copy_files(struct lower *l)
{
    l->module->file_count = l->diags->file_count;
    l->module->files = ARENA_ARRAY(l->arena, const char *, l->diags->file_count);
    for (int i = 0; i < l->diags->file_count; i++) {
        l->module->files[i] = l->diags->files[i]->path;
    }
}

// Every field is there, in order, whether a kernel reaches it or not: the host reads and writes them by name.
static void lower_fields(struct lower *l)
{
    for (int i = 0; i < l->unit->global_count; i++) {
        const struct object *object = l->unit->globals[i];
        const char *why;
        bool is_plain = lower_refused_type(object->type, &why) == NULL && object->type->size > 0;
        if (object->kind == OBJECT_FIELD && !object->is_extern && is_plain) {
            lower_global(l, object);
        }
    }
}

// A static kernel is for the kernels of its file, as a static function is for its functions: the host does not find it.
static bool is_launchable(const struct function *function)
{
    return function->is_kernel && function->body != NULL && !function->is_static;
}

// One that is inline too comes from a header that a file need not use up.
static void warn_of_unreached(struct lower *l)
{
    for (int i = 0; i < l->unit->function_count; i++) {
        const struct function *function = l->unit->functions[i];
        if (function->is_kernel && function->body != NULL && function->is_static && !function->is_inline &&
            lower_info(l, function) == NULL) {
            diag_warning(l->diags, function->loc,
                         "'%s' is static, so that the host cannot launch it, and no kernel calls it", function->name);
        }
    }
}

struct ir_module *lower_unit(struct arena *arena, struct diags *diags, const struct unit *unit,
                             const struct lower_options *options)
{
    struct lower l = {.arena = arena, .diags = diags, .unit = unit};
    if (options != NULL) {
        l.options = *options;
    }
    l.module = ir_module_create(arena);
    l.module->check_bounds = l.options.check_bounds;
    copy_files(&l);
    int errors = diags->error_count;
    for (int i = 0; i < unit->function_count; i++) {
        if (is_launchable(unit->functions[i])) {
            lower_reach(&l, unit->functions[i]);
        }
    }
    if (diags->error_count != errors) {
        return l.module;
    }
    warn_of_unreached(&l);
    lower_fields(&l);
    for (int i = 0; i < unit->function_count; i++) {
        if (is_launchable(unit->functions[i])) {
            lower_kernel(&l, lower_info(&l, unit->functions[i]));
        }
    }
    return l.module;
}
