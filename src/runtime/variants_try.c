// The kernels run on copies: each array that one of them may write has a copy on the device, made anew before each run.
// What the first kernel leaves there, and returns, is what the others must leave. Arguments that are the same memory
// share a copy; memory that overlaps otherwise has none that would be like it, and is not tried.
#include "runtime/variants.h"

#include "base/clock.h"
#include "base/status.h"
#include "plan/plan.h"
#include "runtime/callback.h"
#include "runtime/module.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct copied {
    int param;
    rill_array original; // of device memory; zero: it is the host's
    rill_array scratch;
    bool owns_original;    // a wrap
    const void *host;      // of host memory
    uint64_t size;         // bytes
    unsigned char *wanted; // owned: what the first kernel left
    unsigned char *got;    // owned
};

struct trial {
    const struct variants *variants;
    rill_context context;
    rill_stream stream;
    rill_arg items[RILL_MAX_ARGS]; // with copies in place of what is written
    rill_args args;
    struct copied copies[RILL_MAX_ARGS];
    int copy_count;
    const rill_type_info *returns;
    unsigned char *wanted; // owned: the result of the first kernel
    unsigned char *got;    // owned
};

// Where an array argument lies.
struct range {
    uint64_t low;
    uint64_t size;
};

static bool is_host(const rill_arg *arg)
{
    return arg->kind == RILL_ARG_HOST || arg->kind == RILL_ARG_CONST_HOST;
}

static bool is_memory(const rill_arg *arg)
{
    return is_host(arg) || arg->kind == RILL_ARG_PTR || arg->kind == RILL_ARG_CONST_PTR;
}

// ---- copies -------------------------------------------------------------------------------------------------------

// The shape that memory without one has: the parameter's, or its length.
static rill_status shape_of(const struct trial *trial, int param, rill_args args, rill_shape *out)
{
    const rill_arg *arg = &args.items[param];
    if (!trial->variants->has_length[param]) {
        return rill_kernel_param_shape(trial->variants->kernels[0], (size_t)param, args, out);
    }
    *out = (rill_shape){.rank = 1};
    out->extents[0] = (int64_t)arg->count;
    return RILL_OK;
}

static uint64_t elements_of(const rill_shape *shape)
{
    uint64_t count = 1;
    for (int i = 0; i < shape->rank; i++) {
        count *= (uint64_t)shape->extents[i];
    }
    return count;
}

static rill_status find_range(const struct trial *trial, int param, rill_args args, struct range *out)
{
    const rill_arg *arg = &args.items[param];
    *out = (struct range){0};
    if (arg->kind == RILL_ARG_ARRAY) {
        rill_array_info info;
        void *address;
        rill_array array = {arg->value.id};
        RILL_TRY(rill_array_describe(array, &info));
        RILL_TRY(rill_array_address(array, &address));
        *out = (struct range){(uint64_t)(uintptr_t)address, elements_of(&info.shape) * info.element_size};
    } else if (is_memory(arg)) {
        rill_shape shape;
        RILL_TRY(shape_of(trial, param, args, &shape));
        *out = (struct range){(uint64_t)(uintptr_t)arg->value.pointer, elements_of(&shape) * arg->size};
    }
    return RILL_OK;
}

static rill_status make_scratch(const struct trial *trial, rill_type type, uint64_t element_size, rill_shape shape,
                                rill_array *out)
{
    return type == RILL_RECORD ? rill_array_create_struct(trial->context, element_size, shape, out)
                               : rill_array_create(trial->context, type, shape, out);
}

// The element type that the parameter has: memory may only say how large its elements are.
static rill_status element_type(const struct trial *trial, int param, rill_type *out)
{
    rill_param_info info;
    RILL_TRY(rill_kernel_param(trial->variants->kernels[0], (size_t)param, &info));
    const rill_type_info *type = info.type;
    while (type->kind == RILL_KIND_ARRAY) {
        type = type->element;
    }
    *out = type->kind == RILL_KIND_SCALAR ? type->type : RILL_RECORD;
    return RILL_OK;
}

static rill_status copy_array(struct trial *trial, const rill_arg *arg, struct copied *copy)
{
    rill_array_info info;
    copy->original.id = arg->value.id;
    RILL_TRY(rill_array_describe(copy->original, &info));
    copy->size = elements_of(&info.shape) * info.element_size;
    return make_scratch(trial, info.type, info.element_size, info.shape, &copy->scratch);
}

static rill_status copy_memory(struct trial *trial, int param, rill_args args, struct copied *copy)
{
    const rill_arg *arg = &args.items[param];
    rill_shape shape;
    rill_type type;
    RILL_TRY(shape_of(trial, param, args, &shape));
    RILL_TRY(element_type(trial, param, &type));
    copy->size = elements_of(&shape) * arg->size;
    copy->host = arg->value.pointer;
    if (!is_host(arg)) {
        rill_wrap wrap = {
            .memory = (void *)(uintptr_t)arg->value.pointer, .type = type, .element_size = arg->size, .shape = shape};
        RILL_TRY(rill_array_wrap(trial->context, &wrap, &copy->original));
        copy->owns_original = true;
    }
    return make_scratch(trial, type, arg->size, shape, &copy->scratch);
}

static rill_status add_copy(struct trial *trial, int param, rill_args args)
{
    struct copied *copy = &trial->copies[trial->copy_count++];
    copy->param = param;
    RILL_TRY(is_memory(&args.items[param]) ? copy_memory(trial, param, args, copy)
                                           : copy_array(trial, &args.items[param], copy));
    copy->wanted = malloc(copy->size + 1);
    copy->got = malloc(copy->size + 1);
    trial->items[param] = rill_arg_array(copy->scratch);
    return copy->wanted != NULL && copy->got != NULL
               ? RILL_OK
               : status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_variants_launch: no memory to compare in");
}

static bool overlap(const struct range *a, const struct range *b)
{
    return a->low < b->low + b->size && b->low < a->low + a->size;
}

static bool is_same(const struct range *a, const struct range *b)
{
    return a->low == b->low && a->size == b->size;
}

// RILL_ERR_NOT_READY: the arguments overlap in part.
static rill_status make_copies(struct trial *trial, rill_args args)
{
    const struct variants *variants = trial->variants;
    struct range ranges[RILL_MAX_ARGS];
    for (int i = 0; i < (int)args.count; i++) {
        if (variants->is_array[i]) {
            RILL_TRY(find_range(trial, i, args, &ranges[i]));
        }
    }
    for (int i = 0; i < (int)args.count; i++) {
        if (!variants->is_array[i] || !variants->is_written[i] || trial->items[i].value.id != args.items[i].value.id) {
            continue; // it is only read, or has the copy of another
        }
        RILL_TRY(add_copy(trial, i, args));
        for (int k = 0; k < (int)args.count; k++) {
            if (k == i || !variants->is_array[k] || !overlap(&ranges[i], &ranges[k])) {
                continue;
            }
            if (!is_same(&ranges[i], &ranges[k])) {
                return RILL_ERR_NOT_READY;
            }
            trial->items[k] = trial->items[i];
        }
    }
    return RILL_OK;
}

static void finish(struct trial *trial)
{
    for (int i = 0; i < trial->copy_count; i++) {
        struct copied *copy = &trial->copies[i];
        if (copy->scratch.id != 0) {
            RILL_IGNORE(rill_array_destroy(copy->scratch));
        }
        if (copy->owns_original && copy->original.id != 0) {
            RILL_IGNORE(rill_array_destroy(copy->original));
        }
        free(copy->wanted);
        free(copy->got);
    }
    free(trial->wanted);
    free(trial->got);
}

// ---- running ------------------------------------------------------------------------------------------------------

// The copies become what the arguments are.
static rill_status restore(const struct trial *trial)
{
    for (int i = 0; i < trial->copy_count; i++) {
        const struct copied *copy = &trial->copies[i];
        if (copy->size == 0) {
            continue;
        }
        RILL_TRY(copy->original.id != 0 ? rill_array_copy(copy->scratch, copy->original, trial->stream)
                                        : rill_array_write(copy->scratch, trial->stream, copy->host, copy->size));
    }
    return rill_stream_synchronize(trial->stream);
}

static rill_status run(const struct trial *trial, size_t kernel, unsigned char *out_result, double *out_milliseconds)
{
    size_t size = trial->returns->kind != RILL_KIND_VOID ? trial->returns->size : 0;
    RILL_TRY(restore(trial));
    uint64_t begun = clock_now();
    RILL_TRY(
        rill_call(trial->variants->kernels[kernel], trial->stream, trial->args, size > 0 ? out_result : NULL, size));
    *out_milliseconds = (double)(clock_now() - begun) * 1e-6;
    return RILL_OK;
}

static rill_status read_back(const struct trial *trial, bool is_first)
{
    for (int i = 0; i < trial->copy_count; i++) {
        const struct copied *copy = &trial->copies[i];
        if (copy->size > 0) {
            RILL_TRY(rill_array_read(copy->scratch, trial->stream, is_first ? copy->wanted : copy->got, copy->size));
        }
    }
    return RILL_OK;
}

static const char *name_of(const struct trial *trial, size_t kernel)
{
    rill_kernel_info info;
    return rill_kernel_describe(trial->variants->kernels[kernel], &info) == RILL_OK ? info.name : "?";
}

static rill_status compare_all(const struct trial *trial, size_t kernel)
{
    double tolerance = trial->variants->options.tolerance;
    char words[256];
    for (int i = 0; i < trial->copy_count; i++) {
        const struct copied *copy = &trial->copies[i];
        rill_param_info info;
        RILL_TRY(rill_kernel_param(trial->variants->kernels[0], (size_t)copy->param, &info));
        if (!variants_agree(info.type, copy->wanted, copy->got, (size_t)(copy->size / info.type->size), tolerance,
                            words)) {
            return status_fail(RILL_ERR_CONFLICT,
                               "rill_variants_launch: kernel '%s' computes something else than '%s': of '%s' %s",
                               name_of(trial, kernel), name_of(trial, 0), info.name, words);
        }
    }
    if (trial->returns->kind != RILL_KIND_VOID &&
        !variants_agree(trial->returns, trial->wanted, trial->got, 1, tolerance, words)) {
        return status_fail(RILL_ERR_CONFLICT, "rill_variants_launch: kernel '%s' returns something else than '%s': %s",
                           name_of(trial, kernel), name_of(trial, 0), words);
    }
    return RILL_OK;
}

// A failure of one that is none of the first. What the device itself says is passed on.
static rill_status blame(const struct trial *trial, size_t kernel, rill_status status)
{
    bool is_its_own = status == RILL_ERR_ASSERT || status == RILL_ERR_BOUNDS || status == RILL_ERR_CONFLICT ||
                      status == RILL_ERR_ARGUMENTS;
    if (kernel == 0 || !is_its_own) {
        return status;
    }
    struct saved_message message;
    context_save_message(&message);
    return status_fail(RILL_ERR_CONFLICT, "rill_variants_launch: kernel '%s' fails where '%s' does not: %.400s",
                       name_of(trial, kernel), name_of(trial, 0), message.text);
}

// Each once, for what it computes; then in turns, so that what the machine does besides hits all of them.
static rill_status run_all(const struct trial *trial, struct decision *decision)
{
    const struct variants *variants = trial->variants;
    double milliseconds;
    for (size_t i = 0; i < variants->count; i++) {
        rill_status status = run(trial, i, i == 0 ? trial->wanted : trial->got, &milliseconds);
        if (status != RILL_OK) {
            return blame(trial, i, status);
        }
        RILL_TRY(read_back(trial, i == 0));
        RILL_TRY(i > 0 ? compare_all(trial, i) : RILL_OK);
        decision->milliseconds[i] = milliseconds;
    }
    int rounds = variants->options.rounds > 0 ? variants->options.rounds : 5;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < variants->count; i++) {
            RILL_TRY(run(trial, i, trial->got, &milliseconds));
            double *best = &decision->milliseconds[i];
            *best = milliseconds < *best ? milliseconds : *best;
        }
    }
    decision->index = 0;
    for (size_t i = 1; i < variants->count; i++) {
        bool is_faster = decision->milliseconds[i] < decision->milliseconds[decision->index];
        decision->index = is_faster ? i : decision->index;
    }
    return RILL_OK;
}

static rill_status prepare(struct trial *trial, rill_args args)
{
    rill_kernel_info info;
    RILL_TRY(rill_stream_synchronize(trial->stream)); // until then the host's memory is not what the kernel would see
    RILL_TRY(rill_kernel_describe(trial->variants->kernels[0], &info));
    trial->returns = info.returns;
    memcpy(trial->items, args.items, args.count * sizeof *args.items);
    trial->args = (rill_args){trial->items, args.count};
    trial->wanted = malloc(info.returns->size + 1);
    trial->got = malloc(info.returns->size + 1);
    if (trial->wanted == NULL || trial->got == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_variants_launch: no memory to compare in");
    }
    return make_copies(trial, args);
}

rill_status variants_try(const struct variants *variants, rill_stream stream, rill_args args, struct decision *decision)
{
    struct trial *trial = calloc(1, sizeof *trial);
    if (trial == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_variants_launch: no memory to compare in");
    }
    trial->variants = variants;
    trial->stream = stream;
    trial->context = context_handle(variants->context);
    rill_status status = prepare(trial, args);
    status = status == RILL_OK ? run_all(trial, decision) : status;
    struct saved_message message;
    context_save_message(&message);
    finish(trial);
    context_restore_message(&message);
    free(trial);
    return status;
}
