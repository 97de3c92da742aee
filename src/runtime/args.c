#include "runtime/args.h"

#include "base/half.h"
#include "base/hot.h"
#include "base/status.h"
#include "runtime/array.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MANY_WORDS = 16 }; // of arguments

// ---- messages -----------------------------------------------------------------------------------------------------

__attribute__((format(printf, 4, 5))) static rill_status refuse(const struct packed_args *packed, int index,
                                                                rill_status status, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct plan_kernel *plan = packed->kernel->plan;
    return status_fail(status, "%s: kernel '%s', parameter '%s': %s", packed->who, plan->name, plan->params[index].name,
                       text);
}

static const char *kind_of_arg(const rill_arg *arg)
{
    switch (arg->kind) {
    case RILL_ARG_INT:
    case RILL_ARG_UINT: return "an integer";
    case RILL_ARG_FLOAT: return "a floating number";
    case RILL_ARG_ARRAY: return "an array";
    case RILL_ARG_PTR:
    case RILL_ARG_CONST_PTR: return "RILL_PTR memory";
    case RILL_ARG_HOST:
    case RILL_ARG_CONST_HOST: return "RILL_HOST memory";
    case RILL_ARG_STRUCT: return "a struct";
    default: return "an argument that was never set";
    }
}

// ---- scalars ------------------------------------------------------------------------------------------------------

static bool fits_signed(int64_t value, int bits)
{
    return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
}

static bool fits_unsigned(uint64_t value, int bits)
{
    return bits == 64 || value < UINT64_C(1) << bits;
}

// Whether an integer argument fits an integer parameter. Its bits are then the value, whatever the signs.
static bool integer_fits(const rill_arg *arg, const struct ir_ctype *ctype)
{
    int bits = (int)ctype->size * 8;
    if (arg->kind == RILL_ARG_INT) {
        return ctype->is_unsigned ? arg->value.i >= 0 && fits_unsigned((uint64_t)arg->value.i, bits)
                                  : fits_signed(arg->value.i, bits);
    }
    return ctype->is_unsigned ? fits_unsigned(arg->value.u, bits)
                              : arg->value.u <= INT64_MAX && fits_signed((int64_t)arg->value.u, bits);
}

// A float argument as an integer one, if it is a whole number that 64 bits hold.
static bool whole_number(double value, bool is_unsigned, rill_arg *out)
{
    if (!(value == floor(value)) || isinf(value)) {
        return false;
    }
    if (value >= -9223372036854775808.0 && value < 9223372036854775808.0) {
        *out = rill_arg_int((int64_t)value);
        return true;
    }
    if (is_unsigned && value >= 0 && value < 18446744073709551616.0) {
        *out = rill_arg_uint((uint64_t)value);
        return true;
    }
    return false;
}

// Texts are made where something is refused, and only there: a launch that is right formats nothing.
static rill_status refuse_number(const struct packed_args *packed, int index, const struct ir_ctype *ctype,
                                 const rill_arg *arg)
{
    char number[64];
    if (arg->kind == RILL_ARG_INT) {
        snprintf(number, sizeof number, "%" PRId64, arg->value.i);
    } else if (arg->kind == RILL_ARG_UINT) {
        snprintf(number, sizeof number, "%" PRIu64, arg->value.u);
    } else {
        snprintf(number, sizeof number, "%.17g", arg->value.f);
    }
    bool has_fraction = arg->kind == RILL_ARG_FLOAT && !isnan(arg->value.f) && arg->value.f != floor(arg->value.f);
    return refuse(packed, index, RILL_ERR_ARGUMENTS,
                  has_fraction ? "%s has a fraction, which %s cannot hold" : "%s does not fit %s", number, ctype->name);
}

static rill_status pack_integer(struct packed_args *packed, int index, const struct ir_ctype *ctype,
                                const rill_arg *given)
{
    assert(ctype->kind == IR_CTYPE_SCALAR && ctype->size <= sizeof given->value.u);
    rill_arg arg = *given;
    unsigned char *at = packed->buffer + packed->kernel->plan->params[index].offset;
    if (ctype->is_bool) {
        *at = arg.kind == RILL_ARG_FLOAT ? arg.value.f != 0 : arg.value.u != 0;
        return RILL_OK;
    }
    if (arg.kind == RILL_ARG_FLOAT && !whole_number(given->value.f, ctype->is_unsigned, &arg)) {
        return refuse_number(packed, index, ctype, given);
    }
    if (!integer_fits(&arg, ctype)) {
        return refuse_number(packed, index, ctype, given);
    }
    memcpy(at, &arg.value.u, ctype->size); // little-endian: the low bytes
    return RILL_OK;
}

static rill_status pack_half(struct packed_args *packed, int index, const struct ir_ctype *ctype, const rill_arg *arg)
{
    bool is_negative = arg->kind == RILL_ARG_INT && arg->value.i < 0;
    double value = arg->kind == RILL_ARG_FLOAT
                       ? arg->value.f
                       : half_sticky(is_negative ? 0 - arg->value.u : arg->value.u, is_negative);
    uint16_t half = half_bits(value, ctype->scalar == IR_BF16);
    if (isinf(half_value(half, ctype->scalar == IR_BF16)) && !isinf(value)) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "%.17g is beyond the range of %s", value, ctype->name);
    }
    memcpy(packed->buffer + packed->kernel->plan->params[index].offset, &half, sizeof half);
    return RILL_OK;
}

static rill_status pack_float(struct packed_args *packed, int index, const struct ir_ctype *ctype, const rill_arg *arg)
{
    unsigned char *at = packed->buffer + packed->kernel->plan->params[index].offset;
    if (ctype->scalar == IR_F64) {
        double value = arg->kind == RILL_ARG_FLOAT ? arg->value.f
                       : arg->kind == RILL_ARG_INT ? (double)arg->value.i
                                                   : (double)arg->value.u;
        memcpy(at, &value, sizeof value);
        return RILL_OK;
    }
    if (ctype->scalar == IR_F16 || ctype->scalar == IR_BF16) {
        return pack_half(packed, index, ctype, arg);
    }
    // From an integer straight to float: by way of double it would be rounded twice.
    float value = arg->kind == RILL_ARG_INT    ? (float)arg->value.i
                  : arg->kind == RILL_ARG_UINT ? (float)arg->value.u
                                               : 0;
    if (arg->kind == RILL_ARG_FLOAT) {
        value = (float)arg->value.f;
        if (isinf(value) && !isinf(arg->value.f)) {
            return refuse(packed, index, RILL_ERR_ARGUMENTS, "%.17g is beyond the range of float", arg->value.f);
        }
    }
    memcpy(at, &value, sizeof value);
    return RILL_OK;
}

static rill_status pack_scalar(struct packed_args *packed, int index, const rill_arg *arg)
{
    const struct ir_ctype *ctype = packed->kernel->plan->params[index].ctype;
    if (arg->kind != RILL_ARG_INT && arg->kind != RILL_ARG_UINT && arg->kind != RILL_ARG_FLOAT) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "%s was passed where %s is wanted", kind_of_arg(arg),
                      ctype->name);
    }
    if (ctype->scalar >= IR_F16 && ctype->scalar <= IR_F64) {
        return pack_float(packed, index, ctype, arg);
    }
    return pack_integer(packed, index, ctype, arg);
}

static rill_status pack_struct(struct packed_args *packed, int index, const rill_arg *arg)
{
    assert(index >= 0 && index < packed->count);
    const struct plan_param *param = &packed->kernel->plan->params[index];
    if (arg->kind != RILL_ARG_STRUCT) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "%s was passed where %s is wanted; use RILL_STRUCT",
                      kind_of_arg(arg), param->ctype->name);
    }
    if (arg->value.pointer == NULL) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "the struct is NULL");
    }
    if (arg->size != param->ctype->size) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "a struct of %" PRIu64 " bytes was passed, %s has %" PRIu64,
                      arg->size, param->ctype->name, param->ctype->size);
    }
    memcpy(packed->buffer + param->offset, arg->value.pointer, arg->size);
    return RILL_OK;
}

// ---- arrays -------------------------------------------------------------------------------------------------------

static rill_status check_element(const struct packed_args *packed, int index, rill_type type, uint64_t size,
                                 bool is_type_known)
{
    const struct ir_ctype *element = reflect_element(packed->kernel->plan->params[index].ctype);
    if (element == NULL) {
        return RILL_OK; // void *: whatever it is
    }
    rill_type wanted = reflect_scalar(element);
    if (is_type_known && type != wanted) {
        const char *given = type == RILL_RECORD ? "structs" : array_type_name(type);
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "its elements are %s, not %s", given, element->name);
    }
    if (size != element->size) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "its elements have %" PRIu64 " bytes, %s has %" PRIu64, size,
                      element->name, element->size);
    }
    return RILL_OK;
}

// A handle that was refused is asked for again with the parameter's name, for the message.
static rill_status pin_array(struct packed_args *packed, int index, uint64_t id, void **out_object)
{
    if (context_pin(packed->context, packed->who, id, KIND_ARRAY, out_object) == RILL_OK) {
        return RILL_OK;
    }
    char who[256];
    const struct plan_kernel *plan = packed->kernel->plan;
    snprintf(who, sizeof who, "%s: kernel '%s', parameter '%s'", packed->who, plan->name, plan->params[index].name);
    return context_pin(packed->context, who, id, KIND_ARRAY, out_object);
}

static bool is_held(const struct packed_args *packed, const rill_arg *arg)
{
    return arg->kind == ARG_HELD && packed->has_held;
}

static rill_status pack_handle(struct packed_args *packed, int index, const rill_arg *arg)
{
    assert(arg->kind == RILL_ARG_ARRAY || is_held(packed, arg));
    void *object = (void *)(uintptr_t)arg->value.pointer;
    if (arg->kind == RILL_ARG_ARRAY) {
        RILL_TRY(pin_array(packed, index, arg->value.id, &object));
    }
    struct array *array = object;
    packed->arrays[index] = array;
    RILL_TRY(check_element(packed, index, array->type, array->element_size, true));
    packed->sizes[index] = array->size;
    memcpy(packed->buffer + packed->kernel->plan->params[index].offset, &array->address, sizeof array->address);
    return RILL_OK;
}

static bool is_host_memory(const rill_arg *arg)
{
    return arg->kind == RILL_ARG_HOST || arg->kind == RILL_ARG_CONST_HOST;
}

static bool is_const_memory(const rill_arg *arg)
{
    return arg->kind == RILL_ARG_CONST_PTR || arg->kind == RILL_ARG_CONST_HOST;
}

static rill_status pack_memory(struct packed_args *packed, int index, const rill_arg *arg)
{
    const struct plan_param *param = &packed->kernel->plan->params[index];
    const struct ir_ctype *element = reflect_element(param->ctype);
    RILL_TRY(check_element(packed, index, (rill_type)arg->type, arg->size, arg->type != RILL_RECORD));
    bool is_whole = arg->count == RILL_WHOLE; // then check_shape() finds the size
    if (is_whole && param->rank == 0) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS,
                      "how many elements there are is not known, as the parameter has no extents: pass RILL_HOST or "
                      "RILL_PTR with a count");
    }
    if (!is_whole &&
        (__builtin_mul_overflow(arg->count, arg->size, &packed->sizes[index]) || packed->sizes[index] > PTRDIFF_MAX)) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "%" PRIu64 " elements are more than can be addressed",
                      arg->count);
    }
    if (arg->value.pointer == NULL && arg->count > 0 && !is_whole) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "the memory is NULL");
    }
    if (element != NULL && element->align > 1 && (uintptr_t)arg->value.pointer % element->align != 0) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "the memory at %p is not aligned to %u bytes, as %s wants",
                      arg->value.pointer, element->align, element->name);
    }
    if (is_const_memory(arg) && !param->is_const && plan_writes_param(packed->kernel->plan, index)) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "the kernel writes it, and the pointer is to const elements");
    }
    memcpy(packed->buffer + param->offset, &arg->value.pointer, sizeof arg->value.pointer);
    if (is_host_memory(arg) && packed->context->backend->has_own_memory) {
        for (int i = 0; packed->host_count == 0 && i < packed->count; i++) {
            packed->hosts[i] = NULL;
        }
        packed->hosts[index] = (void *)(uintptr_t)arg->value.pointer;
        packed->host_count++;
    }
    return RILL_OK;
}

static rill_status pack_array(struct packed_args *packed, int index, const rill_arg *arg)
{
    if (arg->kind == RILL_ARG_ARRAY || is_held(packed, arg)) {
        return pack_handle(packed, index, arg);
    }
    if (arg->kind == RILL_ARG_PTR || is_host_memory(arg) || is_const_memory(arg)) {
        return pack_memory(packed, index, arg);
    }
    const struct ir_ctype *element = reflect_element(packed->kernel->plan->params[index].ctype);
    return refuse(packed, index, RILL_ERR_ARGUMENTS, "%s was passed where an array of %s is wanted", kind_of_arg(arg),
                  element != NULL ? element->name : "something");
}

rill_status args_param_shape(const struct packed_args *packed, int index, rill_shape *out_shape)
{
    assert(index >= 0 && index < packed->kernel->plan->param_count);
    const struct plan_kernel *plan = packed->kernel->plan;
    const struct plan_param *param = &plan->params[index];
    struct plan_values values = {.kernel = plan, .args = packed->buffer, .array_sizes = packed->sizes};
    out_shape->rank = param->rank; // extents beyond the rank mean nothing
    if (param->rank > RILL_MAX_RANK) {
        return refuse(packed, index, RILL_ERR_LIMIT, "it has %d extents; %d are possible", param->rank,
                      (int)RILL_MAX_RANK);
    }
    for (int i = 0; i < param->rank; i++) {
        union ir_value value;
        if (!plan_eval(param->extents[i], &values, &value)) {
            return refuse(packed, index, RILL_ERR_INTERNAL, "extent %d could not be evaluated", i);
        }
        // The analysis takes it for granted: an index in bounds shows that the extents are not negative.
        if (value.i < 0) {
            return refuse(packed, index, RILL_ERR_ARGUMENTS, "its extent %d is %" PRId64 "; it cannot be negative", i,
                          value.i);
        }
        out_shape->extents[i] = value.i;
    }
    return RILL_OK;
}

// Whether an array fits: inner extents equal, the outermost at least the parameter's.
static bool shape_fits(const rill_shape *given, const rill_shape *wanted)
{
    assert(wanted->rank >= 1 && wanted->rank <= RILL_MAX_RANK);
    if (given->rank != wanted->rank || given->extents[0] < wanted->extents[0]) {
        return false;
    }
    for (int i = 1; i < wanted->rank; i++) {
        if (given->extents[i] != wanted->extents[i]) {
            return false;
        }
    }
    return true;
}

static uint64_t count_of(const rill_shape *shape)
{
    uint64_t count = 1;
    bool overflows = false;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->extents[i] <= 0) {
            return 0;
        }
        overflows = __builtin_mul_overflow(count, (uint64_t)shape->extents[i], &count) || overflows;
    }
    return overflows ? UINT64_MAX : count;
}

static rill_status refuse_shape(const struct packed_args *packed, int index, const rill_arg *arg,
                                const rill_shape *wanted)
{
    char wanted_text[256];
    array_shape_text(wanted, wanted_text, sizeof wanted_text);
    if (packed->arrays[index] == NULL) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "%" PRIu64 " elements were passed, the parameter has %s",
                      arg->count, wanted_text);
    }
    char given_text[256];
    array_shape_text(&packed->arrays[index]->shape, given_text, sizeof given_text);
    return refuse(packed, index, RILL_ERR_ARGUMENTS, "the array has the shape %s, the parameter %s", given_text,
                  wanted_text);
}

// Memory of as many elements as the parameter has.
static rill_status take_whole(struct packed_args *packed, int index, const rill_arg *arg, const rill_shape *wanted)
{
    if (__builtin_mul_overflow(count_of(wanted), arg->size, &packed->sizes[index]) ||
        packed->sizes[index] > PTRDIFF_MAX) {
        return refuse(packed, index, RILL_ERR_ARGUMENTS, "%" PRIu64 " elements are more than can be addressed",
                      count_of(wanted));
    }
    return arg->value.pointer != NULL || packed->sizes[index] == 0
               ? RILL_OK
               : refuse(packed, index, RILL_ERR_ARGUMENTS, "the memory is NULL");
}

static __attribute__((noinline)) rill_status check_shape(struct packed_args *packed, int index, const rill_arg *arg)
{
    rill_shape wanted;
    RILL_TRY(args_param_shape(packed, index, &wanted));
    if (packed->arrays[index] == NULL && arg->count == RILL_WHOLE) {
        return take_whole(packed, index, arg, &wanted);
    }
    bool fits = packed->arrays[index] != NULL ? shape_fits(&packed->arrays[index]->shape, &wanted)
                                              : count_of(&wanted) <= arg->count;
    return fits ? RILL_OK : refuse_shape(packed, index, arg, &wanted);
}

// ---- by rules -----------------------------------------------------------------------------------------------------

static bool put_integer(const struct arg_rule *rule, unsigned char *at, const rill_arg *arg)
{
    bool is_signed = rule->kind == ARG_RULE_SIGNED;
    int shift = 64 - 8 * rule->size;
    int64_t value = arg->value.i;
    int64_t cut = is_signed ? (int64_t)(arg->value.u << shift) >> shift : (int64_t)(arg->value.u << shift >> shift);
    bool may_be_negative = is_signed && arg->kind == RILL_ARG_INT;
    if ((arg->kind != RILL_ARG_INT && arg->kind != RILL_ARG_UINT) || cut != value || (value < 0 && !may_be_negative)) {
        return false;
    }
    switch (rule->size) { // little-endian: the low bytes
    case 1: memcpy(at, &value, 1); break;
    case 2: memcpy(at, &value, 2); break;
    case 4: memcpy(at, &value, 4); break;
    default: memcpy(at, &value, 8); break;
    }
    return true;
}

static bool put_array(struct packed_args *packed, const struct arg_rule *rule, int index, const rill_arg *arg)
{
    void *object;
    uint64_t id = arg->value.id;
    struct context *context = packed->context;
    if (UNLIKELY(arg->kind != RILL_ARG_ARRAY || handle_table_of(id) != context->serial ||
                 handle_pin(&context->handles, handle_in_table(id), KIND_ARRAY, &object) != HANDLE_OK)) {
        return false;
    }
    const struct array *array = object;
    if (UNLIKELY((uint8_t)array->type != rule->type || array->element_size != rule->element_size)) {
        context_unpin(context, id);
        return false;
    }
    packed->arrays[index] = object;
    packed->sizes[index] = array->size;
    memcpy(packed->buffer + rule->offset, &array->address, sizeof array->address);
    return true;
}

// The first of what lies on the pages of a launch.
static LAUNCH_PART LAUNCH_PAGE __attribute__((noinline)) bool put_number(const struct arg_rule *rule, unsigned char *at,
                                                                         const rill_arg *arg)
{
    switch (rule->kind) {
    case ARG_RULE_SIGNED:
    case ARG_RULE_UNSIGNED: return put_integer(rule, at, arg);
    case ARG_RULE_F32: {
        float value = arg->kind == RILL_ARG_FLOAT ? (float)arg->value.f : INFINITY;
        memcpy(at, &value, sizeof value);
        return fabsf(value) <= FLT_MAX;
    }
    case ARG_RULE_F64: memcpy(at, &arg->value.f, sizeof arg->value.f); return arg->kind == RILL_ARG_FLOAT;
    default: return false;
    }
}

// False: the long way, which has words for what is wrong.
static inline bool pack_by_rule(struct packed_args *packed, const struct arg_rule *rule, int index, const rill_arg *arg)
{
    return rule->kind == ARG_RULE_ARRAY ? put_array(packed, rule, index, arg)
                                        : put_number(rule, packed->buffer + rule->offset, arg);
}

static int64_t read_extent(const struct packed_args *packed, const struct arg_rule *rule, int index)
{
    int64_t wide;
    int32_t narrow;
    if (rule->extents[index] == ARG_EXTENT_NUMBER) {
        return rule->extent_places[index];
    }
    const unsigned char *at = packed->buffer + rule->extent_places[index];
    if (rule->extents[index] == ARG_EXTENT_I64) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return rule->extents[index] == ARG_EXTENT_I32 ? narrow : (int64_t)(uint32_t)narrow;
}

static bool fits_by_rule(const struct packed_args *packed, const struct arg_rule *rule, int index)
{
    const struct array *array = packed->arrays[index];
    if (rule->rank == 0 || array == NULL || array->shape.rank != rule->rank) {
        return false;
    }
    int64_t outer = read_extent(packed, rule, 0);
    int64_t inner = rule->rank > 1 ? read_extent(packed, rule, 1) : 0;
    return outer >= 0 && inner >= 0 && array->shape.extents[0] >= outer &&
           (rule->rank == 1 || array->shape.extents[1] == inner);
}

// ---- all ----------------------------------------------------------------------------------------------------------

// They are few as a rule: see begin().
static void clear_words(unsigned char *words, size_t count)
{
    if (UNLIKELY(count > MANY_WORDS)) {
        memset(words, 0, count * sizeof(uint64_t));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        memset(words + i * sizeof(uint64_t), 0, sizeof(uint64_t));
    }
}

// Why begin() refused.
static __attribute__((noinline, cold)) rill_status refuse_all(const struct packed_args *packed, rill_args args)
{
    const struct plan_kernel *plan = packed->kernel->plan;
    const char *who = packed->who;
    size_t count = (size_t)(plan->param_count - plan->hidden_count);
    if (count > RILL_MAX_ARGS) {
        return status_fail(RILL_ERR_LIMIT, "%s: kernel '%s' has %zu parameters; %d are possible", who, plan->name,
                           count, (int)RILL_MAX_ARGS);
    }
    if (args.count != count) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: kernel '%s' has %zu parameter%s, but %zu argument%s passed", who,
                           plan->name, count, count == 1 ? "" : "s", args.count, args.count == 1 ? " was" : "s were");
    }
    if (args.items == NULL) {
        return status_fail(RILL_ERR_INVALID, "%s: the list of arguments is NULL", who);
    }
    return status_fail(RILL_ERR_LIMIT, "%s: kernel '%s' has arguments of %" PRIu64 " bytes; %d are possible", who,
                       plan->name, plan->args_size, (int)packed->buffer_size);
}

static inline rill_status begin(struct packed_args *packed, const char *who, const struct kernel *kernel,
                                rill_args args)
{
    const struct backend_kernel *known = &kernel->known;
    size_t count = (size_t)(known->param_count - known->hidden_count);
    packed->context = kernel->context;
    packed->kernel = kernel;
    packed->who = who;
    packed->count = 0;
    packed->host_count = 0;
    if (UNLIKELY(count > RILL_MAX_ARGS || args.count != count || (args.items == NULL && count > 0) ||
                 known->args_size > packed->buffer_size)) {
        return refuse_all(packed, args);
    }
    for (size_t i = 0; i < count; i++) { // few as a rule: two calls would take longer
        packed->sizes[i] = 0;
        packed->arrays[i] = NULL;
    }
    for (int i = (int)count; i < known->param_count; i++) {
        packed->sizes[i] = 0;
    }
    packed->count = (int)count;
    clear_words(packed->buffer, (known->args_size + 7) / 8); // a GPU takes whole words
    return RILL_OK;
}

static __attribute__((noinline)) rill_status pack_any(struct packed_args *packed, int index, const rill_arg *arg)
{
    const struct plan_param *param = &packed->kernel->plan->params[index];
    return param->is_array    ? pack_array(packed, index, arg)
           : param->is_struct ? pack_struct(packed, index, arg)
                              : pack_scalar(packed, index, arg);
}

// What only the launch knows of what was passed: how many elements there are behind a pointer.
__attribute__((noinline)) void args_count_elements(struct packed_args *packed)
{
    const struct plan_kernel *plan = packed->kernel->plan;
    for (int i = packed->count; i < plan->param_count; i++) {
        int array = plan->params[i].counts - 1;
        if (array < 0) {
            continue; // memory that is lent: see scratch.h
        }
        const struct ir_ctype *element = reflect_element(plan->params[array].ctype);
        uint64_t count = packed->sizes[array] / (element != NULL && element->size > 0 ? element->size : 1);
        memcpy(packed->buffer + plan->params[i].offset, &count, sizeof count);
    }
}

HOT rill_status args_pack(struct packed_args *packed, const char *who, const struct kernel *kernel, rill_args args)
{
    RILL_TRY(begin(packed, who, kernel, args));
    const struct arg_rule *rules = kernel->rules;
    for (int i = 0; i < packed->count; i++) {
        if (UNLIKELY(!pack_by_rule(packed, &rules[i], i, &args.items[i]))) {
            RILL_TRY(pack_any(packed, i, &args.items[i]));
        }
    }
    for (int i = 0; i < packed->count; i++) {
        bool has_shape = rules[i].kind == ARG_RULE_ARRAY
                             ? rules[i].has_extent
                             : kernel->plan->params[i].is_array && kernel->plan->params[i].rank > 0;
        if (has_shape && UNLIKELY(!fits_by_rule(packed, &rules[i], i))) {
            RILL_TRY(check_shape(packed, i, &args.items[i]));
        }
    }
    if (UNLIKELY(kernel->known.hidden_count > 0)) {
        args_count_elements(packed);
    }
    return RILL_OK;
}

rill_status args_pack_scalars(struct packed_args *packed, const char *who, const struct kernel *kernel, rill_args args)
{
    RILL_TRY(begin(packed, who, kernel, args));
    const struct plan_kernel *plan = kernel->plan;
    for (int i = 0; i < packed->count; i++) {
        const struct plan_param *param = &plan->params[i];
        if (!param->is_array) {
            RILL_TRY(param->is_struct ? pack_struct(packed, i, &args.items[i])
                                      : pack_scalar(packed, i, &args.items[i]));
        }
    }
    return RILL_OK;
}

void args_drop(struct packed_args *packed)
{
    for (int i = 0; i < packed->count; i++) {
        if (packed->arrays[i] != NULL) {
            context_unpin(packed->context, packed->arrays[i]->id);
        }
    }
}

HOT void args_finish(struct packed_args *packed, uint64_t stream)
{
    for (int i = 0; i < packed->count; i++) {
        if (packed->arrays[i] != NULL) {
            array_note_use(packed->arrays[i], stream); // also of a launch that failed: part of it may run
            context_unpin(packed->context, packed->arrays[i]->id);
        }
    }
}
