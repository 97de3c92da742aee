// The words for a kernel's failure: the same on every device.
#include "backend/backend.h"
#include "plan/abi.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
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

rill_status backend_failure_status(int kind)
{
    switch (kind) {
    case ABI_FAILURE_BOUNDS: return RILL_ERR_BOUNDS;
    case ABI_FAILURE_RACE_READ:
    case ABI_FAILURE_RACE_WRITE: return RILL_ERR_RACE;
    default: return RILL_ERR_ASSERT;
    }
}

// "[1][20]", or "[3]" where the extents are not known.
static void describe_element(const struct backend_failure *failure, const char *shape, char *out, size_t size)
{
    enum { MOST = 16 }; // more than an array has
    long long extents[MOST];
    long long left = failure->index;
    int count = 0;
    for (const char *at = shape; *at != '\0' && count < MOST; at = strchr(at, ']') + 1) {
        extents[count++] = strtoll(at + 1, NULL, 10);
    }
    long long digits[MOST + 1] = {left};
    for (int i = count - 1; i > 0 && extents[i] > 0; i--) {
        digits[i] = left % extents[i];
        left /= extents[i];
        digits[0] = left;
    }
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; (i < count || i == 0) && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "[%lld]", digits[i]);
    }
}

static void describe_race(const struct backend_failure *failure, struct backend_error *error)
{
    uint64_t word = (uint64_t)failure->extent;
    bool other_writes = (word & ABI_RACE_WRITE) != 0;
    bool writes = failure->kind == ABI_FAILURE_RACE_WRITE;
    error->other_iteration = (int64_t)(word >> ABI_RACE_ITERATION_SHIFT) - 1;
    error->other_line = (uint32_t)(word >> ABI_RACE_LINE_SHIFT & ABI_RACE_LINE_MASK);
    char place[96], line[32] = "in another file";
    describe_element(failure, error->shape, place, sizeof place);
    if (error->other_line != 0) {
        snprintf(line, sizeof line, "in line %u", error->other_line);
    }
    snprintf(error->text, sizeof error->text,
             "kernel '%s', %s:%u: a race: iteration %lld %s %s%.32s, which iteration %lld %s %.20s", error->kernel,
             error->file, error->line, (long long)failure->iteration, writes ? "writes" : "reads", failure->text, place,
             (long long)error->other_iteration, other_writes ? "writes" : "reads", line);
}

void backend_describe_failure(const struct backend_failure *failure, struct backend_error *out_error)
{
    const struct plan_module *plan = failure->module;
    assert(failure->kernel != NULL && failure->text != NULL);
    *out_error = (struct backend_error){.status = backend_failure_status(failure->kind),
                                        .line = failure->line,
                                        .column = failure->column,
                                        .iteration = failure->iteration >= 0 ? failure->iteration : 0,
                                        .stream = failure->stream};
    const char *file = plan_file(plan, failure->file);
    snprintf(out_error->kernel, sizeof out_error->kernel, "%s", failure->kernel->name);
    snprintf(out_error->file, sizeof out_error->file, "%s", file);
    char where[48];
    describe_iteration(failure->iteration, where, sizeof where);
    if (out_error->status == RILL_ERR_ASSERT) {
        snprintf(out_error->text, sizeof out_error->text, "kernel '%s', %s:%u: the assertion '%s' failed%s",
                 out_error->kernel, file, failure->line, failure->text, where);
        return;
    }
    snprintf(out_error->array, sizeof out_error->array, "%s", failure->text);
    out_error->index = failure->index;
    out_error->extent = failure->extent;
    describe_shape(failure, out_error->shape, sizeof out_error->shape);
    if (out_error->status == RILL_ERR_RACE) {
        out_error->extent = 0;
        describe_race(failure, out_error);
        return;
    }
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
