// The words for a kernel's failure: the same on every device.
#include "backend/backend.h"
#include "plan/abi.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// The extents of the array |name|, "[100][20]", as far as they can be known.
static void describe_shape(const struct backend_failure *failure, char *out, size_t size)
{
    const struct plan_kernel *kernel = failure->kernel;
    const struct plan_module *module = failure->module;
    size_t used = 0;
    for (int i = 0; i < kernel->param_count; i++) {
        const struct plan_param *param = &kernel->params[i];
        if (!param->is_array || strcmp(param->name, failure->text) != 0) {
            continue;
        }
        if (param->rank == 0 && failure->values != NULL && failure->values->array_sizes != NULL) { // a whole array
            uint64_t element = param->ctype->size > 0 ? param->ctype->size : 1;
            snprintf(out, size, "[%llu]", (unsigned long long)(failure->values->array_sizes[i] / element));
        }
        for (int k = 0; k < param->rank && used < size; k++) {
            union ir_value value;
            if (!plan_eval(param->extents[k], failure->values, &value)) {
                break;
            }
            used += (size_t)snprintf(out + used, size - used, "[%lld]", (long long)value.i);
        }
        return;
    }
    for (int i = 0; i < module->field_count; i++) {
        if (strcmp(module->fields[i].name, failure->text) != 0) {
            continue;
        }
        for (const struct ir_ctype *type = module->fields[i].ctype;
             type != NULL && type->kind == IR_CTYPE_ARRAY && used < size; type = type->element) {
            used += (size_t)snprintf(out + used, size - used, "[%lld]", (long long)type->length);
        }
        return;
    }
}

// " in iteration 7"; nothing for a task that runs once.
static void describe_iteration(int64_t iteration, char *out, size_t size)
{
    out[0] = '\0';
    if (iteration >= 0) {
        snprintf(out, size, " in iteration %lld", (long long)iteration);
    }
}

void backend_describe_failure(const struct backend_failure *failure, struct backend_error *out_error)
{
    const struct plan_module *plan = failure->module;
    assert(failure->kernel != NULL && failure->text != NULL);
    *out_error =
        (struct backend_error){.status = failure->kind == ABI_FAILURE_BOUNDS ? RILL_ERR_BOUNDS : RILL_ERR_ASSERT,
                               .line = failure->line,
                               .column = failure->column,
                               .iteration = failure->iteration >= 0 ? failure->iteration : 0,
                               .stream = failure->stream};
    const char *file = plan_file(plan, failure->file);
    snprintf(out_error->kernel, sizeof out_error->kernel, "%s", failure->kernel->name);
    snprintf(out_error->file, sizeof out_error->file, "%s", file);
    char where[48];
    describe_iteration(failure->iteration, where, sizeof where);
    if (failure->kind != ABI_FAILURE_BOUNDS) {
        snprintf(out_error->text, sizeof out_error->text, "kernel '%s', %s:%u: the assertion '%s' failed%s",
                 out_error->kernel, file, failure->line, failure->text, where);
        return;
    }
    snprintf(out_error->array, sizeof out_error->array, "%s", failure->text);
    out_error->index = failure->index;
    out_error->extent = failure->extent;
    describe_shape(failure, out_error->shape, sizeof out_error->shape);
    snprintf(out_error->text, sizeof out_error->text,
             "kernel '%s', %s:%u: index %lld of '%s' is out of range [0, %lld)%s%s%s", out_error->kernel, file,
             failure->line, (long long)failure->index, failure->text, (long long)failure->extent, where,
             out_error->shape[0] != '\0' ? "; its shape is " : "", out_error->shape);
}

// The name of an effect's base, and whether it is a `restrict` parameter.
static const char *name_base(const struct plan_module *module, const struct plan_kernel *kernel,
                             const struct plan_effect *effect, bool *out_is_restrict)
{
    *out_is_restrict = effect->base == PLAN_BASE_PARAM && kernel->params[effect->index].is_restrict;
    return effect->base == PLAN_BASE_PARAM ? kernel->params[effect->index].name : module->fields[effect->index].name;
}

void backend_describe_restrict(const struct plan_module *module, const struct plan_kernel *kernel,
                               const struct plan_effect *a, const struct plan_effect *b,
                               struct backend_error *out_error)
{
    assert(a != NULL && b != NULL);
    *out_error =
        (struct backend_error){.status = RILL_ERR_CONFLICT, .line = a->loc.line, .column = a->loc.column, .stream = 0};
    bool is_a;
    bool is_b;
    const char *name_a = name_base(module, kernel, a, &is_a);
    const char *name_b = name_base(module, kernel, b, &is_b);
    const char *file = plan_file(module, a->loc.file);
    snprintf(out_error->kernel, sizeof out_error->kernel, "%s", kernel->name);
    snprintf(out_error->file, sizeof out_error->file, "%s", file);
    snprintf(out_error->array, sizeof out_error->array, "%s", name_a);
    char which[128] = "both are";
    if (!is_a || !is_b) {
        snprintf(which, sizeof which, "'%s' is", is_a ? name_a : name_b);
    }
    snprintf(out_error->text, sizeof out_error->text,
             "kernel '%s', %s:%u: '%s' and '%s' (line %u) overlap, but %s restrict", kernel->name, file, a->loc.line,
             name_a, name_b, b->loc.line, which);
}
