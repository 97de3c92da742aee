// Reflection: the plan's types in the words of the public headers. Infos lie in the module's arena.
#include "base/hash.h"
#include "base/hot.h"
#include "base/status.h"
#include "runtime/module.h"

#include <assert.h>

struct known_type {
    const struct ir_ctype *ctype; // by whose bytes it is found
    rill_type_info info;
};

struct reflection {
    struct arena *arena;
    struct hash_map known; // so that a type which reaches itself through a pointer comes to an end
};

rill_type reflect_scalar(const struct ir_ctype *ctype)
{
    if (ctype == NULL || ctype->kind != IR_CTYPE_SCALAR) {
        return RILL_RECORD;
    }
    if (ctype->is_bool) {
        return RILL_BOOL;
    }
    switch (ctype->scalar) {
    case IR_I1: return RILL_BOOL;
    case IR_I8: return ctype->is_unsigned ? RILL_U8 : RILL_I8;
    case IR_I16: return ctype->is_unsigned ? RILL_U16 : RILL_I16;
    case IR_I32: return ctype->is_unsigned ? RILL_U32 : RILL_I32;
    case IR_I64: return ctype->is_unsigned ? RILL_U64 : RILL_I64;
    case IR_F16: return RILL_F16;
    case IR_BF16: return RILL_BF16;
    case IR_F32: return RILL_F32;
    case IR_F64: return RILL_F64;
    case IR_PTR:
    case IR_VOID: break;
    }
    return RILL_RECORD;
}

const struct ir_ctype *reflect_element(const struct ir_ctype *ctype)
{
    while (ctype != NULL && ctype->kind == IR_CTYPE_ARRAY) {
        ctype = ctype->element;
    }
    return ctype;
}

static rill_type_kind kind_of(const struct ir_ctype *ctype)
{
    switch (ctype->kind) {
    case IR_CTYPE_SCALAR: return RILL_KIND_SCALAR;
    case IR_CTYPE_RECORD: return RILL_KIND_RECORD;
    case IR_CTYPE_ARRAY: return RILL_KIND_ARRAY;
    case IR_CTYPE_POINTER: return RILL_KIND_POINTER;
    }
    return RILL_KIND_VOID;
}

static rill_type_info *reflect_type(struct reflection *r, const struct ir_ctype *ctype)
{
    struct known_type *known = hash_map_get(&r->known, (const char *)&ctype, sizeof ctype);
    if (known != NULL) {
        return &known->info;
    }
    known = ARENA_NEW(r->arena, struct known_type);
    known->ctype = ctype;
    hash_map_set(&r->known, (const char *)&known->ctype, sizeof known->ctype, known);
    rill_type_info *info = &known->info;
    if (ctype == NULL) {
        info->kind = RILL_KIND_VOID;
        info->name = "void";
        return info;
    }
    info->kind = kind_of(ctype);
    info->type = reflect_scalar(ctype);
    info->name = ctype->name != NULL ? ctype->name : "";
    info->size = ctype->size;
    info->alignment = ctype->align;
    info->is_union = ctype->is_union;
    if (ctype->element != NULL) {
        info->element = reflect_type(r, ctype->element);
        info->length = ctype->length;
    }
    rill_member_info *members =
        ARENA_ARRAY(r->arena, rill_member_info, ctype->member_count > 0 ? ctype->member_count : 1);
    for (int i = 0; i < ctype->member_count; i++) {
        const struct ir_cmember *member = &ctype->members[i];
        members[i].name = member->name != NULL ? member->name : "";
        members[i].type = reflect_type(r, member->type);
        members[i].offset = member->offset;
        members[i].bit_offset = member->bit_offset;
        members[i].bit_width = member->bit_width;
    }
    info->members = members;
    info->member_count = (size_t)ctype->member_count;
    return info;
}

static void reflect_kernel(struct reflection *r, const struct plan_kernel *plan, struct kernel *kernel)
{
    bool has_few = plan->param_count <= ARG_RULE_FEW;
    struct arg_rule *rules = has_few ? kernel->few_rules : ARENA_ARRAY(r->arena, struct arg_rule, plan->param_count);
    arg_rules_fill(rules, plan);
    kernel->rules = rules;
    kernel->returns = reflect_type(r, plan->return_ctype);
    kernel->params = ARENA_ARRAY(r->arena, rill_param_info, plan->param_count > 0 ? plan->param_count : 1);
    for (int i = 0; i < plan->param_count; i++) {
        const struct plan_param *param = &plan->params[i];
        kernel->params[i] = (rill_param_info){.name = param->name,
                                              .is_array = param->is_array,
                                              .is_const = param->is_const,
                                              .rank = param->rank,
                                              .type = reflect_type(r, param->ctype)};
    }
}

void reflect_module(struct module *module)
{
    const struct plan_module *plan = module->plan;
    struct reflection r = {.arena = &module->arena};
    hash_map_init(&r.known, r.arena);
    for (int i = 0; i < plan->kernel_count; i++) {
        reflect_kernel(&r, plan->kernels[i], &module->kernels[i]);
    }
    module->fields = ARENA_ARRAY(r.arena, rill_field_info, plan->field_count > 0 ? plan->field_count : 1);
    for (int i = 0; i < plan->field_count; i++) {
        const struct plan_field *field = &plan->fields[i];
        module->fields[i] =
            (rill_field_info){.name = field->name, .size = field->size, .type = reflect_type(&r, field->ctype)};
    }
}

// ---- calls --------------------------------------------------------------------------------------------------------

HOT rill_status kernel_begin_launch(const char *who, rill_kernel handle, unsigned stripe, struct context **out_context,
                                    struct kernel **out_kernel)
{
    RILL_TRY(context_enter_striped(who, handle.id, KIND_KERNEL, stripe, out_context));
    struct context *context = *out_context;
    void *object;
    if (LIKELY(handle_table_of(handle.id) == context->serial &&
               handle_pin_striped(&context->handles, handle_in_table(handle.id), KIND_KERNEL, stripe, &object))) {
        *out_kernel = object;
        return RILL_OK;
    }
    rill_status status = context_pin_slowly(context, who, handle.id, KIND_KERNEL, &object);
    assert(status != RILL_OK); // every kernel has stripes
    context_leave_striped(context, stripe);
    return status;
}

HOT void kernel_end_launch(struct context *context, const struct kernel *kernel, unsigned stripe)
{
    handle_unpin_striped(&context->handles, handle_in_table(kernel->id), stripe);
    context_leave_striped(context, stripe);
}

rill_status kernel_begin(const char *who, rill_kernel handle, struct context **out_context, struct kernel **out_kernel)
{
    void *object;
    RILL_TRY(context_begin(who, handle.id, KIND_KERNEL, out_context, &object));
    *out_kernel = object;
    return RILL_OK;
}

static const char *file_of(const struct kernel *kernel, struct loc loc)
{
    const struct plan_module *plan = kernel->module->plan;
    return loc.file < (uint32_t)plan->file_count ? plan->files[loc.file] : "";
}

rill_status rill_kernel_module(rill_kernel handle, rill_module *out_module)
{
    RILL_TRY(context_check_out("rill_kernel_module", out_module, "out_module"));
    out_module->id = 0;
    struct context *context;
    struct kernel *kernel;
    RILL_TRY(kernel_begin("rill_kernel_module", handle, &context, &kernel));
    out_module->id = kernel->module->id;
    return context_end(context, handle.id, RILL_OK);
}

rill_status rill_kernel_describe(rill_kernel handle, rill_kernel_info *out_info)
{
    RILL_TRY(context_check_out("rill_kernel_describe", out_info, "out_info"));
    *out_info = (rill_kernel_info){.name = NULL};
    struct context *context;
    struct kernel *kernel;
    RILL_TRY(kernel_begin("rill_kernel_describe", handle, &context, &kernel));
    const struct plan_kernel *plan = kernel->plan;
    *out_info = (rill_kernel_info){.name = plan->name,
                                   .file = file_of(kernel, plan->loc),
                                   .line = plan->loc.line,
                                   .param_count = (size_t)(plan->param_count - plan->hidden_count),
                                   .task_count = (size_t)plan->task_count,
                                   .returns = kernel->returns};
    return context_end(context, handle.id, RILL_OK);
}

rill_status rill_kernel_param(rill_kernel handle, size_t index, rill_param_info *out_info)
{
    RILL_TRY(context_check_out("rill_kernel_param", out_info, "out_info"));
    *out_info = (rill_param_info){.name = NULL};
    struct context *context;
    struct kernel *kernel;
    RILL_TRY(kernel_begin("rill_kernel_param", handle, &context, &kernel));
    int count = kernel->plan->param_count - kernel->plan->hidden_count;
    if (index >= (size_t)count) {
        return context_end(
            context, handle.id,
            status_fail(RILL_ERR_INVALID, "rill_kernel_param: index %zu of %d parameters", index, count));
    }
    *out_info = kernel->params[index];
    return context_end(context, handle.id, RILL_OK);
}

rill_status rill_kernel_task(rill_kernel handle, size_t index, rill_task_info *out_info)
{
    RILL_TRY(context_check_out("rill_kernel_task", out_info, "out_info"));
    *out_info = (rill_task_info){.name = NULL};
    struct context *context;
    struct kernel *kernel;
    RILL_TRY(kernel_begin("rill_kernel_task", handle, &context, &kernel));
    if (index >= (size_t)kernel->plan->task_count) {
        return context_end(
            context, handle.id,
            status_fail(RILL_ERR_INVALID, "rill_kernel_task: index %zu of %d tasks", index, kernel->plan->task_count));
    }
    const struct plan_task *task = &kernel->plan->tasks[index];
    *out_info = (rill_task_info){.name = task->name,
                                 .file = file_of(kernel, task->loc),
                                 .line = task->loc.line,
                                 .is_parallel = task->kind == PLAN_TASK_PARALLEL,
                                 .group = task->group};
    return context_end(context, handle.id, RILL_OK);
}
