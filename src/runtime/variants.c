#include "runtime/variants.h"

#include "base/blake2.h"
#include "base/status.h"
#include "plan/plan.h"
#include "runtime/callback.h"
#include "runtime/module.h"
#include "runtime/record.h"
#include "runtime/stream.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who_creates[] = "rill_variants_create";

void variants_dispose(struct variants *variants)
{
    struct context *context = variants->context;
    struct decision *at = atomic_load(&variants->decisions);
    while (at != NULL) {
        struct decision *next = at->next;
        context_free(context, at, sizeof *at);
        at = next;
    }
    context_free(context, variants, sizeof *variants);
}

// ---- making -------------------------------------------------------------------------------------------------------

static bool is_same_type(const struct ir_ctype *a, const struct ir_ctype *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    const struct ir_ctype *left = reflect_element(a), *right = reflect_element(b);
    return a->size == b->size && left != NULL && right != NULL && left->size == right->size &&
           reflect_scalar(left) == reflect_scalar(right);
}

static int given_count(const struct plan_kernel *plan)
{
    return plan->param_count - plan->hidden_count;
}

static rill_status check_signature(const struct plan_kernel *first, const struct plan_kernel *other)
{
    int count = given_count(first);
    if (given_count(other) != count) {
        return status_fail(RILL_ERR_INVALID, "%s: kernel '%s' has %d parameters, '%s' %d", who_creates, other->name,
                           given_count(other), first->name, count);
    }
    for (int i = 0; i < count; i++) {
        const struct plan_param *a = &first->params[i], *b = &other->params[i];
        if (a->is_array != b->is_array || a->is_struct != b->is_struct || a->rank != b->rank ||
            !is_same_type(a->ctype, b->ctype)) {
            return status_fail(RILL_ERR_INVALID, "%s: parameter '%s' of kernel '%s' is not what '%s' of '%s' is",
                               who_creates, b->name, other->name, a->name, first->name);
        }
    }
    return is_same_type(first->return_ctype, other->return_ctype)
               ? RILL_OK
               : status_fail(RILL_ERR_INVALID, "%s: kernel '%s' does not return what '%s' does", who_creates,
                             other->name, first->name);
}

// What a trial would do to more than its copies.
static rill_status check_effects(const struct kernel *kernel)
{
    const struct plan_kernel *plan = kernel->plan;
    for (int t = 0; t < plan->task_count; t++) {
        const struct plan_task *task = &plan->tasks[t];
        if (task->may_print) {
            return status_fail(RILL_ERR_UNSUPPORTED, "%s: kernel '%s' prints: it cannot be tried without effect",
                               who_creates, plan->name);
        }
        for (int i = 0; i < task->effect_count; i++) {
            const struct plan_effect *effect = &task->effects[i];
            bool is_elsewhere = effect->base == PLAN_BASE_FIELD || effect->base == PLAN_BASE_UNKNOWN;
            if (effect->access != PLAN_READ && is_elsewhere) {
                bool is_field = effect->base == PLAN_BASE_FIELD;
                return status_fail(RILL_ERR_UNSUPPORTED,
                                   "%s: kernel '%s' writes %s%s: it cannot be tried without effect", who_creates,
                                   plan->name, is_field ? "the field " : "memory that is no argument",
                                   is_field ? kernel->module->plan->fields[effect->index].name : "");
            }
        }
    }
    return RILL_OK;
}

static void describe_params(struct variants *variants, const struct plan_kernel *plan)
{
    variants->param_count = (size_t)given_count(plan);
    for (int i = 0; i < given_count(plan); i++) {
        const struct plan_param *param = &plan->params[i];
        rill_type type = param->is_array || param->is_struct ? RILL_RECORD : reflect_scalar(param->ctype);
        variants->is_array[i] = param->is_array;
        variants->has_length[i] = param->is_array && param->rank == 0;
        variants->is_number[i] = type != RILL_RECORD && (type < RILL_F32);
        variants->is_written[i] |= param->is_array && !param->is_const && plan_writes_param(plan, i);
    }
}

static void add_identity(struct blake2 *hash, const struct kernel *kernel)
{
    blake2_add(hash, &kernel->module->image_hash, sizeof kernel->module->image_hash);
    blake2_add(hash, kernel->plan->name, strlen(kernel->plan->name) + 1);
}

// The device, by what it is and not by its number.
static void add_device(struct blake2 *hash, const struct context *context)
{
    size_t count = rill_device_count();
    rill_device_info info;
    for (size_t i = 0; i < count; i++) {
        if (rill_device_get(i, &info) == RILL_OK && strcmp(info.name, context->device_name) == 0) {
            int32_t threads = context->thread_count > 0 ? context->thread_count : info.thread_count;
            blake2_add(hash, info.description, strlen(info.description) + 1);
            blake2_add(hash, &threads, sizeof threads);
        }
    }
    const char *target = context->backend->device_target(context->device);
    blake2_add(hash, target != NULL ? target : "cpu", target != NULL ? strlen(target) : 3);
}

static rill_status take_kernels(struct variants *variants, const rill_kernel *kernels, size_t count)
{
    const struct plan_kernel *first = NULL;
    struct blake2 hash;
    blake2_init(&hash, sizeof variants->identity.bytes);
    add_device(&hash, variants->context);
    for (size_t i = 0; i < count; i++) {
        void *object;
        RILL_TRY(context_pin(variants->context, who_creates, kernels[i].id, KIND_KERNEL, &object));
        const struct kernel *kernel = object;
        rill_status status = first != NULL ? check_signature(first, kernel->plan) : RILL_OK;
        status = status == RILL_OK ? check_effects(kernel) : status;
        if (status == RILL_OK && given_count(kernel->plan) <= RILL_MAX_ARGS) {
            describe_params(variants, kernel->plan);
            add_identity(&hash, kernel);
            variants->kernels[i] = kernels[i];
        }
        first = kernel->plan; // all are alike
        context_unpin(variants->context, kernels[i].id);
        RILL_TRY(status);
    }
    variants->count = count;
    blake2_finish(&hash, variants->identity.bytes);
    return RILL_OK;
}

static rill_status make(struct context *context, const rill_kernel *kernels, size_t count,
                        const rill_variants_options *options, uint64_t *out_id)
{
    struct variants *variants = context_alloc(context, sizeof *variants);
    if (variants == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for variants", who_creates);
    }
    variants->context = context;
    variants->options = options != NULL ? *options : (rill_variants_options){.tolerance = 0};
    rill_status status = take_kernels(variants, kernels, count);
    if (status == RILL_OK) {
        variants->id = context_add(context, who_creates, variants, KIND_VARIANTS);
        status = variants->id != 0 ? RILL_OK : RILL_ERR_OUT_OF_MEMORY;
    }
    if (status != RILL_OK) {
        variants_dispose(variants);
        return status;
    }
    *out_id = variants->id;
    return RILL_OK;
}

rill_status rill_variants_create(const rill_kernel *kernels, size_t count, const rill_variants_options *options,
                                 rill_variants *out_variants)
{
    RILL_TRY(context_check_out(who_creates, out_variants, "out_variants"));
    out_variants->id = 0;
    RILL_TRY(context_check_out(who_creates, kernels, "kernels"));
    if (count == 0 || count > RILL_MAX_VARIANTS) {
        return status_fail(RILL_ERR_INVALID, "%s: %zu kernels were given; 1 to %d are possible", who_creates, count,
                           (int)RILL_MAX_VARIANTS);
    }
    if (options != NULL && (!(options->tolerance >= 0) || options->rounds < 0)) {
        return status_fail(RILL_ERR_INVALID, "%s: the tolerance or the number of rounds is negative", who_creates);
    }
    struct context *context;
    RILL_TRY(context_enter(who_creates, kernels[0].id, KIND_KERNEL, &context));
    rill_status status = make(context, kernels, count, options, &out_variants->id);
    context_leave(context);
    return status;
}

rill_status rill_variants_destroy(rill_variants handle)
{
    struct context *context;
    RILL_TRY(context_enter("rill_variants_destroy", handle.id, KIND_VARIANTS, &context));
    void *object;
    rill_status status = context_retire(context, "rill_variants_destroy", handle.id, KIND_VARIANTS, &object);
    if (status == RILL_OK) {
        context_unpin(context, handle.id);
    }
    context_leave(context);
    return status;
}

void rill_auto_variants(rill_variants *handle)
{
    if (handle->id == 0) {
        return;
    }
    struct saved_message message;
    context_save_message(&message);
    if (rill_variants_destroy(*handle) != RILL_OK) { // stale: its context was closed first
        context_restore_message(&message);
    }
    handle->id = 0;
}

// ---- shape classes ------------------------------------------------------------------------------------------------

static unsigned bits_of(uint64_t value)
{
    return value != 0 ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

// Of a number: how many binary digits it has, and its sign.
static unsigned size_of_number(const rill_arg *arg)
{
    int64_t value = arg->kind == RILL_ARG_FLOAT && arg->value.f > -9e18 && arg->value.f < 9e18 ? (int64_t)arg->value.f
                    : arg->kind == RILL_ARG_INT                                                ? arg->value.i
                                                                                               : 0;
    if (arg->kind == RILL_ARG_UINT) {
        return bits_of(arg->value.u);
    }
    enum { NEGATIVE = 128 };
    return value < 0 ? NEGATIVE + bits_of(0 - (uint64_t)value) : bits_of((uint64_t)value);
}

static unsigned size_of_array(const rill_arg *arg)
{
    rill_array_info info;
    if (arg->kind != RILL_ARG_ARRAY) {
        return bits_of(arg->count);
    }
    if (rill_array_describe((rill_array){arg->value.id}, &info) != RILL_OK) {
        return 0; // the launch says why
    }
    uint64_t count = 1;
    for (int i = 0; i < info.shape.rank; i++) {
        count *= (uint64_t)info.shape.extents[i];
    }
    return bits_of(count);
}

static uint64_t class_of(const struct variants *variants, rill_args args)
{
    uint64_t class = 1;
    for (size_t i = 0; i < args.count && i < variants->param_count; i++) {
        unsigned size = variants->is_number[i]    ? size_of_number(&args.items[i])
                        : variants->has_length[i] ? size_of_array(&args.items[i])
                                                  : 0;
        class = (class ^ size) * UINT64_C(0x9e3779b97f4a7c15);
        class ^= class >> 29;
    }
    return class;
}

static struct decision *find_decision(const struct variants *variants, uint64_t class)
{
    struct decision *at = atomic_load_explicit(&variants->decisions, memory_order_acquire);
    while (at != NULL && at->class != class) {
        at = at->next;
    }
    return at;
}

// Found or made; NULL: no memory. Two threads may make one for the same class: the list then has both, and the younger
// is the one that everybody finds.
static struct decision *decision_of(struct variants *variants, uint64_t class)
{
    struct decision *found = find_decision(variants, class);
    if (found != NULL) {
        return found;
    }
    struct decision *made = context_alloc(variants->context, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->class = class;
    made->next = atomic_load(&variants->decisions);
    while (!atomic_compare_exchange_weak(&variants->decisions, &made->next, made)) {
    }
    return made;
}

// ---- what is remembered -------------------------------------------------------------------------------------------

// The entry of the cache.
struct remembered {
    uint64_t count;
    uint64_t index;
    double milliseconds[RILL_MAX_VARIANTS];
};

static void key_of(const struct variants *variants, uint64_t class, struct cache_key *out)
{
    static const char kind[] = "choice";
    struct blake2 hash;
    blake2_init(&hash, sizeof out->bytes);
    blake2_add(&hash, kind, sizeof kind);
    blake2_add(&hash, variants->identity.bytes, sizeof variants->identity.bytes);
    blake2_add(&hash, &variants->options.tolerance, sizeof variants->options.tolerance); // what "agree" means
    blake2_add(&hash, &class, sizeof class);
    blake2_finish(&hash, out->bytes);
}

static bool recall(const struct variants *variants, struct decision *decision)
{
    struct cache_key key;
    struct cache_blob blob;
    struct remembered found;
    key_of(variants, decision->class, &key);
    if (variants->options.no_cache || !cache_find_choice(variants->context, &key, &blob)) {
        return false;
    }
    bool is_sound = blob.size == sizeof found;
    if (is_sound) {
        memcpy(&found, blob.payload, sizeof found);
        is_sound = found.count == variants->count && found.index < variants->count;
    }
    cache_blob_free(&blob);
    if (is_sound) {
        decision->index = (size_t)found.index;
        memcpy(decision->milliseconds, found.milliseconds, sizeof decision->milliseconds);
        decision->is_remembered = true;
    }
    return is_sound;
}

static void remember(const struct variants *variants, const struct decision *decision)
{
    struct cache_key key;
    struct remembered kept = {.count = variants->count, .index = decision->index};
    memcpy(kept.milliseconds, decision->milliseconds, sizeof kept.milliseconds);
    key_of(variants, decision->class, &key);
    if (!variants->options.no_cache) {
        rill_kernel_info info;
        bool is_known = rill_kernel_describe(variants->kernels[0], &info) == RILL_OK;
        cache_keep_choice(variants->context, &key, is_known ? info.name : "", &kept, sizeof kept);
    }
}

// ---- launching ----------------------------------------------------------------------------------------------------

static bool may_wait(const struct variants *variants, rill_stream handle)
{
    struct stream *stream;
    bool may = !callback_is_running() && !record_is_on(variants->context) &&
               stream_pin(variants->context, "rill_variants_launch", handle, &stream) == RILL_OK;
    if (may) {
        may = stream_may_wait("rill_variants_launch", stream) == RILL_OK;
        context_unpin(variants->context, stream->id);
    }
    return may;
}

// What cannot be tried here is launched as it is: its own failure, if it has one, comes from there.
static bool is_no_verdict(rill_status status)
{
    return status == RILL_ERR_NOT_READY || status == RILL_ERR_OUT_OF_MEMORY || status == RILL_ERR_CAPTURING;
}

// Decides, if this thread is the first that wants to.
static rill_status decide(struct variants *variants, rill_stream stream, rill_args args, struct decision *decision)
{
    int open = DECISION_OPEN;
    if (!atomic_compare_exchange_strong(&decision->state, &open, DECISION_TRYING)) {
        return RILL_OK;
    }
    rill_status status = RILL_OK;
    bool is_made = recall(variants, decision);
    if (!is_made && may_wait(variants, stream)) {
        status = variants_try(variants, stream, args, decision);
        is_made = status == RILL_OK;
        if (is_made) {
            remember(variants, decision);
        }
    }
    atomic_store_explicit(&decision->state, is_made ? DECISION_MADE : DECISION_OPEN, memory_order_release);
    return is_no_verdict(status) ? RILL_OK : status;
}

static rill_status choose(struct variants *variants, rill_stream stream, rill_args args, rill_kernel *out)
{
    if (stream.id == UINT64_MAX - 1) { // RILL_ANY: the trials are of no stream
        stream.id = variants->context->default_stream;
    }
    *out = variants->kernels[0];
    if (args.count != variants->param_count || (args.items == NULL && args.count > 0) || variants->count == 1) {
        return RILL_OK; // the launch says what is wrong
    }
    struct decision *decision = decision_of(variants, class_of(variants, args));
    if (decision == NULL) {
        return RILL_OK;
    }
    if (atomic_load_explicit(&decision->state, memory_order_acquire) != DECISION_MADE) {
        RILL_TRY(decide(variants, stream, args, decision));
    }
    if (atomic_load_explicit(&decision->state, memory_order_acquire) == DECISION_MADE) {
        *out = variants->kernels[decision->index];
    }
    return RILL_OK;
}

// Enters the context of variants and pins them.
static rill_status begin(const char *who, rill_variants handle, struct context **out_context,
                         struct variants **out_variants)
{
    void *object;
    RILL_TRY(context_begin(who, handle.id, KIND_VARIANTS, out_context, &object));
    *out_variants = object;
    return RILL_OK;
}

rill_status rill_variants_launch(rill_variants handle, rill_stream stream, rill_args args)
{
    struct context *context;
    struct variants *variants;
    rill_kernel kernel;
    RILL_TRY(begin("rill_variants_launch", handle, &context, &variants));
    rill_status status = choose(variants, stream, args, &kernel);
    if (status == RILL_OK) {
        status = (rill_launch)(kernel, stream, args); // without a place: this one is no user's
    }
    return context_end(context, handle.id, status);
}

rill_status rill_variants_call(rill_variants handle, rill_stream stream, rill_args args, void *out_result, size_t size)
{
    struct context *context;
    struct variants *variants;
    rill_kernel kernel;
    RILL_TRY(begin("rill_variants_call", handle, &context, &variants));
    rill_status status = choose(variants, stream, args, &kernel);
    if (status == RILL_OK) {
        status = rill_call(kernel, stream, args, out_result, size);
    }
    return context_end(context, handle.id, status);
}

rill_status rill_variants_describe(rill_variants handle, rill_args args, rill_variants_choice *out_choice)
{
    RILL_TRY(context_check_out("rill_variants_describe", out_choice, "out_choice"));
    *out_choice = (rill_variants_choice){.is_known = false};
    struct context *context;
    struct variants *variants;
    RILL_TRY(begin("rill_variants_describe", handle, &context, &variants));
    if (args.count != variants->param_count || (args.items == NULL && args.count > 0)) {
        return context_end(context, handle.id,
                           status_fail(RILL_ERR_ARGUMENTS,
                                       "rill_variants_describe: the kernels have %zu parameters, but %zu "
                                       "arguments were passed",
                                       variants->param_count, args.count));
    }
    const struct decision *decision = find_decision(variants, class_of(variants, args));
    if (decision != NULL && atomic_load_explicit(&decision->state, memory_order_acquire) == DECISION_MADE) {
        out_choice->is_known = true;
        out_choice->is_remembered = decision->is_remembered;
        out_choice->index = decision->index;
        memcpy(out_choice->milliseconds, decision->milliseconds, variants->count * sizeof(double));
    }
    return context_end(context, handle.id, RILL_OK);
}
