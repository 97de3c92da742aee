// Every operation of every type over edge values, as tasks out[i] = op(a[i], b[i], c[i]): for whoever can run a task.
#ifndef RILL_TESTS_CODEGEN_TRIALS_H
#define RILL_TESTS_CODEGEN_TRIALS_H

#include "support.h"

#include <inttypes.h>
#include <math.h>

static const int64_t int_edges[] = {0,
                                    1,
                                    -1,
                                    2,
                                    -2,
                                    3,
                                    7,
                                    -7,
                                    8,
                                    31,
                                    32,
                                    33,
                                    63,
                                    64,
                                    65,
                                    100,
                                    127,
                                    128,
                                    -128,
                                    -129,
                                    255,
                                    256,
                                    32767,
                                    32768,
                                    -32768,
                                    65535,
                                    65536,
                                    INT32_MAX,
                                    INT32_MIN,
                                    INT64_C(0x80000000),
                                    INT64_C(0xffffffff),
                                    INT64_C(0x123456789abcdef),
                                    INT64_MAX,
                                    INT64_MIN};
static const double float_edges[] = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     0.5,
                                     -0.5,
                                     0.75,
                                     1.5,
                                     2.5,
                                     -2.5,
                                     3.0,
                                     127.5,
                                     128.0,
                                     -128.9,
                                     255.9,
                                     256.0,
                                     32767.9,
                                     65536.5,
                                     2147483520.0,
                                     2147483647.0,
                                     2147483648.0,
                                     -2147483649.0,
                                     4294967040.0,
                                     4294967295.5,
                                     4294967296.0,
                                     9.2e18,
                                     9223371487098961920.0,
                                     9223372036854774784.0,
                                     9223372036854775808.0,
                                     -9223372036854775808.0,
                                     18446742974197923840.0,
                                     1.8446744073709552e19,
                                     3e38,
                                     1e300,
                                     -1e300,
                                     1e-40,
                                     -1e-310,
                                     1e-45,
                                     INFINITY,
                                     -INFINITY,
                                     NAN};

enum { INT_COUNT = sizeof int_edges / sizeof int_edges[0], FLOAT_COUNT = sizeof float_edges / sizeof float_edges[0] };
enum { TRIAL_LIMIT = 256 };
enum { MOST = FLOAT_COUNT > INT_COUNT ? FLOAT_COUNT : INT_COUNT, PAIR_COUNT = MOST * MOST };

// One operation of one type, as a task out[i] = op(a[i], b[i], c[i]).
struct trial {
    enum ir_op op;
    enum ir_type type;     // of the result
    enum ir_type arg_type; // of the operands
    char name[32];
};

static inline union ir_value edge(enum ir_type type, int index)
{
    union ir_value value = {0};
    if (type == IR_F64) {
        value.f = float_edges[index % FLOAT_COUNT];
    } else if (type == IR_F32) {
        value.f = (double)(float)float_edges[index % FLOAT_COUNT];
    } else {
        value.i = ir_normalize(type, int_edges[index % INT_COUNT]);
    }
    return value;
}

static inline void put(void *array, enum ir_type type, int at, union ir_value value)
{
    switch (type) {
    case IR_I1:
    case IR_I8: ((int8_t *)array)[at] = (int8_t)value.i; break;
    case IR_I16: ((int16_t *)array)[at] = (int16_t)value.i; break;
    case IR_I32: ((int32_t *)array)[at] = (int32_t)value.i; break;
    case IR_F32: ((float *)array)[at] = (float)value.f; break;
    case IR_F64: ((double *)array)[at] = value.f; break;
    default: ((int64_t *)array)[at] = value.i; break;
    }
}

static inline union ir_value take(const void *array, enum ir_type type, int at)
{
    union ir_value value = {0};
    switch (type) {
    case IR_I1: value.i = ((const uint8_t *)array)[at]; break;
    case IR_I8: value.i = ((const int8_t *)array)[at]; break;
    case IR_I16: value.i = ((const int16_t *)array)[at]; break;
    case IR_I32: value.i = ((const int32_t *)array)[at]; break;
    case IR_F32: value.f = (double)((const float *)array)[at]; break;
    case IR_F64: value.f = ((const double *)array)[at]; break;
    default: value.i = ((const int64_t *)array)[at]; break;
    }
    return value;
}

static inline bool same(enum ir_type type, union ir_value x, union ir_value y)
{
    if (ir_type_is_float(type) && isnan(x.f) && isnan(y.f)) {
        return true;
    }
    return x.i == y.i; // bits of the double too
}

static inline enum ir_type first_type(const struct trial *t)
{
    return t->op == IR_OP_SELECT ? IR_I1 : t->arg_type;
}

static inline int arg_count(const struct trial *t)
{
    return ir_op_arg_count(t->op);
}

static inline struct ir_function *add_task(struct fixture *f, const struct trial *t)
{
    struct ir_function *task = ir_function_create(f->module, IR_FUNCTION_TASK, t->name);
    task->kernel = f->kernel;
    task->assume_independent = true;
    f->task = task;
    f->b.function = task;
    f->b.region = &task->body;
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    struct ir_inst *args[3];
    for (int i = 0; i < arg_count(t); i++) {
        args[i] = fixture_load(f, i, iter, i == 0 ? first_type(t) : t->arg_type);
    }
    fixture_store(f, 3, iter, ir_emit(&f->b, t->op, t->type, arg_count(t), args));
    return task;
}

static inline int add_trial(struct trial *trials, int count, enum ir_op op, enum ir_type type, enum ir_type arg_type)
{
    trials[count] = (struct trial){.op = op, .type = type, .arg_type = arg_type};
    snprintf(trials[count].name, sizeof trials[count].name, "%s.%s.%s", ir_op_name(op), ir_type_name(type),
             ir_type_name(arg_type));
    return count + 1;
}

static inline int all_trials(struct trial *trials)
{
    static const enum ir_type ints[] = {IR_I8, IR_I16, IR_I32, IR_I64};
    static const enum ir_type floats[] = {IR_F32, IR_F64};
    int n = 0;
    for (int i = 0; i < 4; i++) {
        for (int op = IR_OP_ADD; op <= IR_OP_UMAX; op++) {
            n = add_trial(trials, n, (enum ir_op)op, ints[i], ints[i]);
        }
        for (int op = IR_OP_EQ; op <= IR_OP_UGE; op++) {
            n = add_trial(trials, n, (enum ir_op)op, IR_I1, ints[i]);
        }
        n = add_trial(trials, n, IR_OP_SELECT, ints[i], ints[i]);
        for (int k = 0; k < i; k++) {
            n = add_trial(trials, n, IR_OP_SEXT, ints[i], ints[k]);
            n = add_trial(trials, n, IR_OP_ZEXT, ints[i], ints[k]);
            n = add_trial(trials, n, IR_OP_TRUNC, ints[k], ints[i]);
        }
        n = add_trial(trials, n, IR_OP_ZEXT, ints[i], IR_I1);
        n = add_trial(trials, n, IR_OP_TRUNC, IR_I1, ints[i]);
        for (int k = 0; k < 2; k++) {
            n = add_trial(trials, n, IR_OP_SITOFP, floats[k], ints[i]);
            n = add_trial(trials, n, IR_OP_UITOFP, floats[k], ints[i]);
            n = add_trial(trials, n, IR_OP_FPTOSI, ints[i], floats[k]);
            n = add_trial(trials, n, IR_OP_FPTOUI, ints[i], floats[k]);
        }
    }
    for (int k = 0; k < 2; k++) {
        for (int op = IR_OP_FADD; op <= IR_OP_FMA; op++) {
            n = add_trial(trials, n, (enum ir_op)op, floats[k], floats[k]);
        }
        for (int op = IR_OP_FEQ; op <= IR_OP_FGE; op++) {
            n = add_trial(trials, n, (enum ir_op)op, IR_I1, floats[k]);
        }
        n = add_trial(trials, n, IR_OP_SELECT, floats[k], floats[k]);
    }
    n = add_trial(trials, n, IR_OP_FPEXT, IR_F64, IR_F32);
    n = add_trial(trials, n, IR_OP_FPTRUNC, IR_F32, IR_F64);
    n = add_trial(trials, n, IR_OP_BITCAST, IR_I32, IR_F32);
    n = add_trial(trials, n, IR_OP_BITCAST, IR_F32, IR_I32);
    n = add_trial(trials, n, IR_OP_BITCAST, IR_I64, IR_F64);
    n = add_trial(trials, n, IR_OP_BITCAST, IR_F64, IR_I64);
    n = add_trial(trials, n, IR_OP_AND, IR_I1, IR_I1);
    n = add_trial(trials, n, IR_OP_OR, IR_I1, IR_I1);
    n = add_trial(trials, n, IR_OP_XOR, IR_I1, IR_I1);
    n = add_trial(trials, n, IR_OP_EQ, IR_I1, IR_I1);
    return n;
}

// A module with all of them; kernel parameters are a, b, c and out.
static inline int build_trials(struct fixture *f, struct trial *trials)
{
    int count = all_trials(trials);
    fixture_init(f);
    f->kernel = ir_function_create(f->module, IR_FUNCTION_KERNEL, "k");
    for (int i = 0; i < 4; i++) {
        fixture_param(f, "a", IR_PTR);
    }
    for (int i = 0; i < count; i++) {
        add_task(f, &trials[i]);
    }
    return count;
}

static inline int fill_trial(const struct trial *t, void *a, void *b, void *c)
{
    int count = arg_count(t) == 1 ? MOST : PAIR_COUNT;
    for (int i = 0; i < count; i++) {
        put(a, first_type(t), i, edge(first_type(t), i % MOST));
        put(b, t->arg_type, i, edge(t->arg_type, i / MOST));
        put(c, t->arg_type, i, edge(t->arg_type, i * 7 + i / 5));
    }
    return count;
}

static inline void compare_trial(const struct trial *t, int count, const void *a, const void *b, const void *c,
                                 const void *out)
{
    for (int i = 0; i < count; i++) {
        union ir_value values[3] = {take(a, first_type(t), i), take(b, t->arg_type, i), take(c, t->arg_type, i)};
        union ir_value expected;
        if (!ir_fold(t->op, t->type, t->arg_type, values, &expected)) {
            FAIL("%s does not fold", t->name);
            return;
        }
        union ir_value got = take(out, t->type, i);
        if (!same(t->type, got, expected)) {
            FAIL("%s(%" PRId64 " %g, %" PRId64 " %g) gives %" PRId64 " %g, expected %" PRId64 " %g", t->name,
                 values[0].i, values[0].f, values[1].i, values[1].f, got.i, got.f, expected.i, expected.f);
            return;
        }
    }
}

#endif
