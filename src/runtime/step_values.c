// What the values of a launch are for: names and numbers, found in a step; and what copies and fills make of them.
#include "base/status.h"
#include "runtime/step.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------------------------

static const char *name_of_argument(const struct step_operation *operation, int index)
{
    if (operation->kind == STEP_LAUNCH) {
        bool is_result = operation->has_result && index == operation->arg_count - 1;
        return is_result ? "result" : operation->kernel->plan->params[index].name;
    }
    return index == 0 ? "target" : operation->kind == STEP_COPY ? "source" : "element";
}

static int by_name(const void *a, const void *b)
{
    const struct step_name *x = a;
    const struct step_name *y = b;
    int order = strcmp(x->name, y->name);
    order = order != 0 ? order : (x->operation > y->operation) - (x->operation < y->operation);
    return order != 0 ? order : (x->argument > y->argument) - (x->argument < y->argument);
}

rill_status step_names_make(const char *who, struct step *step)
{
    size_t count = 0;
    if (step->arg_count == 0) {
        return RILL_OK;
    }
    step->names = context_alloc(step->context, step->arg_count * sizeof *step->names);
    if (step->names == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a step", who);
    }
    for (int i = 0; i < step->count; i++) {
        const struct step_operation *operation = &step->operations[i];
        for (int k = 0; k < operation->arg_count; k++) {
            const char *kernel = operation->kernel != NULL ? operation->kernel->plan->name : operation->who;
            step->names[count++] = (struct step_name){name_of_argument(operation, k), kernel, i, k};
        }
    }
    assert(count == step->arg_count);
    step->name_count = count;
    qsort(step->names, count, sizeof *step->names, by_name);
    return RILL_OK;
}

// The first of that name, or of the next.
static size_t first_of(const struct step *step, const char *name)
{
    size_t begin = 0;
    size_t end = step->name_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (strcmp(step->names[middle].name, name) < 0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

typedef void visitor(void *arg, const struct step_place *place);

// Without a kernel's name only parameters of kernels are meant: "target" of a copy is no name that a program chose.
static rill_status visit_name(const char *who, const struct step *step, const char *text, visitor *visit, void *arg)
{
    const char *dot = strrchr(text, '.');
    const char *name = dot != NULL ? dot + 1 : text;
    size_t length = dot != NULL ? (size_t)(dot - text) : 0;
    bool has_one = false;
    for (size_t i = first_of(step, name); i < step->name_count && strcmp(step->names[i].name, name) == 0; i++) {
        const struct step_name *found = &step->names[i];
        const struct step_operation *operation = &step->operations[found->operation];
        bool is_param =
            operation->kind == STEP_LAUNCH && !(operation->has_result && found->argument == operation->arg_count - 1);
        if (dot == NULL ? is_param : strncmp(found->kernel, text, length) == 0 && found->kernel[length] == '\0') {
            visit(arg, &(struct step_place){found->operation, found->argument});
            has_one = true;
        }
    }
    return has_one ? RILL_OK
                   : status_fail(RILL_ERR_NOT_FOUND, "%s: nothing in the step has an argument '%s'", who, text);
}

static rill_status visit_array(const char *who, const struct step *step, uint64_t id, visitor *visit, void *arg)
{
    bool has_one = false;
    for (int i = 0; i < step->count; i++) {
        const struct step_operation *operation = &step->operations[i];
        for (int k = 0; k < operation->arg_count; k++) {
            const rill_arg *given = &operation->args[k];
            if (given->kind == ARG_HELD && ((const struct array *)given->value.pointer)->id == id) {
                visit(arg, &(struct step_place){i, k});
                has_one = true;
            }
        }
    }
    return has_one ? RILL_OK : status_fail(RILL_ERR_NOT_FOUND, "%s: nothing in the step uses this array", who);
}

// Marks lie between the operations that the program counts.
static rill_status visit_number(const char *who, const struct step *step, const rill_step_value *value, visitor *visit,
                                void *arg)
{
    int begin = 0;
    int end = step->count;
    if (value->operation >= step->number_count) {
        return status_fail(RILL_ERR_NOT_FOUND, "%s: operation %zu of a step with %zu", who, value->operation,
                           step->number_count);
    }
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (step->numbers[middle] < value->operation) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    while (step->operations[begin].kind == STEP_MARK) {
        begin++;
    }
    const struct step_operation *operation = &step->operations[begin];
    assert(operation->number == value->operation);
    if (value->argument >= (size_t)operation->arg_count) {
        return status_fail(RILL_ERR_NOT_FOUND, "%s: argument %zu of operation %zu, %s, which has %d", who,
                           value->argument, value->operation, operation->who, operation->arg_count);
    }
    visit(arg, &(struct step_place){begin, (int)value->argument});
    return RILL_OK;
}

rill_status step_value_visit(const char *who, const struct step *step, const rill_step_value *value, visitor *visit,
                             void *arg)
{
    if (value->value.kind <= RILL_ARG_NONE || value->value.kind > RILL_ARG_CONST_HOST) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: a value was never set", who);
    }
    return value->name != NULL ? visit_name(who, step, value->name, visit, arg)
           : value->array != 0 ? visit_array(who, step, value->array, visit, arg)
                               : visit_number(who, step, value, visit, arg);
}

// ---- copies, fills ------------------------------------------------------------------------------------------------

// An array, or memory of the host that the copy may use.
static rill_status open_side(const char *who, const struct step_operation *operation, const rill_arg *arg,
                             struct array *const *pins, struct step_side *out)
{
    const char *call = operation->who;
    *out = (struct step_side){.array = NULL};
    if (arg->kind == ARG_HELD) {
        out->array = (struct array *)(uintptr_t)arg->value.pointer;
        return RILL_OK;
    }
    if (arg->kind == RILL_ARG_ARRAY) {
        out->array = *pins;
        return RILL_OK;
    }
    bool is_host = arg->kind == RILL_ARG_HOST || arg->kind == RILL_ARG_CONST_HOST;
    uint64_t size = 0;
    if (!is_host || !operation->has_host) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: %s wants %s there", who, call,
                           !operation->has_host ? "an array" : "an array, or memory as RILL_HOST(),");
    }
    if (__builtin_mul_overflow(arg->count, arg->size, &size) || size < operation->size ||
        (arg->value.pointer == NULL && size > 0)) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: %s copies %zu bytes, which the host memory has not", who, call,
                           operation->size);
    }
    out->host = (void *)(uintptr_t)arg->value.pointer;
    return RILL_OK;
}

static rill_status find_copy(const char *who, const struct step_operation *operation, const struct step_side *target,
                             const struct step_side *source, struct step_bytes *out)
{
    const struct step_side *sides[] = {target, source};
    char *at[2];
    size_t size = operation->has_host ? operation->size : source->array->size;
    for (int i = 0; i < 2; i++) {
        if (sides[i]->array == NULL) {
            at[i] = sides[i]->host;
            continue;
        }
        size_t offset = operation->offset;
        if (offset > sides[i]->array->size || size > sides[i]->array->size - offset) {
            return status_fail(RILL_ERR_INVALID, "%s: %s: %zu bytes from byte %zu on are more than the array's %zu",
                               who, operation->who, size, offset, sides[i]->array->size);
        }
        at[i] = sides[i]->array->address + offset;
    }
    *out = (struct step_bytes){.target = at[0], .source = at[1], .size = size};
    return RILL_OK;
}

static rill_status find_fill(const char *who, const struct step_operation *operation, const struct array *array,
                             const rill_arg *element, struct step_bytes *out)
{
    if (element->kind != RILL_ARG_STRUCT || element->value.pointer == NULL || element->size != array->element_size) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: %s wants an element of %zu bytes, as RILL_STRUCT()", who,
                           operation->who, array->element_size);
    }
    *out = (struct step_bytes){.target = array->address,
                               .source = element->value.pointer,
                               .size = array->count,
                               .element_size = array->element_size};
    return RILL_OK;
}

rill_status step_find_bytes(const char *who, const struct step_operation *operation, const rill_arg *args,
                            struct array *const *pins, struct step_bytes *out)
{
    assert(operation->kind == STEP_COPY || operation->kind == STEP_FILL);
    struct step_side sides[2];
    *out = (struct step_bytes){.size = 0};
    RILL_TRY(open_side(who, operation, &args[0], &pins[0], &sides[0]));
    if (operation->kind == STEP_FILL) {
        return sides[0].array != NULL
                   ? find_fill(who, operation, sides[0].array, &args[1], out)
                   : status_fail(RILL_ERR_ARGUMENTS, "%s: %s wants an array there", who, operation->who);
    }
    RILL_TRY(open_side(who, operation, &args[1], &pins[1], &sides[1]));
    return find_copy(who, operation, &sides[0], &sides[1], out);
}
