// Every update of every type: of a variable, of memory, atomic, and as the author's atomic that gives the old value.
#include "support.h"

#include <inttypes.h>
#include <math.h>

static const int64_t int_edges[] = {0,    1,     -1,     2,         5,         -7,        127,
                                    -128, 32767, -32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
static const double float_edges[] = {0.0,   -0.0,     1.0,       -1.0, 2.5, -3.25, 1e30,
                                     1e-40, INFINITY, -INFINITY, NAN,  7.0, 8.0,   9.0};

enum { EDGE_COUNT = 14, COUNT = EDGE_COUNT * EDGE_COUNT };

struct trial {
    enum ir_update update;
    enum ir_type type;
    char name[32];
};

static bool is_float_only(enum ir_update update)
{
    return update >= IR_UPDATE_FMIN && update <= IR_UPDATE_FMAX_COND_EQ;
}

static bool fits(enum ir_update update, enum ir_type type)
{
    bool is_float = ir_type_is_float(type);
    switch (update) {
    case IR_UPDATE_NONE: return false;
    case IR_UPDATE_ADD:
    case IR_UPDATE_SUB:
    case IR_UPDATE_MUL:
    case IR_UPDATE_LAND:
    case IR_UPDATE_LOR:
    case IR_UPDATE_EXCHANGE: return true;
    default: return is_float == is_float_only(update);
    }
}

static enum ir_type operand_type(const struct trial *t)
{
    return t->update == IR_UPDATE_LAND || t->update == IR_UPDATE_LOR ? IR_I1 : t->type;
}

static union ir_value edge(enum ir_type type, int index)
{
    union ir_value value = {0};
    if (ir_type_is_float(type)) {
        value.f = type == IR_F32 ? (double)(float)float_edges[index] : float_edges[index];
    } else {
        value.i = ir_normalize(type, int_edges[index]);
    }
    return value;
}

static void put(void *array, enum ir_type type, int at, union ir_value value)
{
    char *address = (char *)array + at * ir_type_size(type);
    float narrow = (float)value.f;
    if (type == IR_F32) {
        memcpy(address, &narrow, sizeof narrow);
    } else {
        memcpy(address, &value, (size_t)ir_type_size(type)); // little-endian
    }
}

static union ir_value take(const void *array, enum ir_type type, int at)
{
    const char *address = (const char *)array + at * ir_type_size(type);
    union ir_value value = {0};
    float narrow;
    if (type == IR_F32) {
        memcpy(&narrow, address, sizeof narrow);
        value.f = (double)narrow;
    } else {
        memcpy(&value, address, (size_t)ir_type_size(type));
        if (!ir_type_is_float(type)) {
            value.i = ir_normalize(type, value.i);
        }
    }
    return value;
}

static bool same(enum ir_type type, union ir_value x, union ir_value y)
{
    return (ir_type_is_float(type) && isnan(x.f) && isnan(y.f)) || x.i == y.i;
}

// p0[i]: operand; p1[i] through a variable; p2[i] plain; p3[i] atomic; p4[i] by ATOMIC, whose old value goes to p5[i].
static void add_task(struct fixture *f, const struct trial *t)
{
    struct ir_function *task = ir_function_create(f->module, IR_FUNCTION_TASK, t->name);
    task->kernel = f->kernel;
    task->assume_independent = true;
    f->task = task;
    f->b.function = task;
    f->b.region = &task->body;
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    struct ir_inst *operand = fixture_load(f, 0, iter, operand_type(t));
    if (t->update != IR_UPDATE_EXCHANGE) {
        struct ir_var *v = ir_var_create(f->module, task, "v", t->type);
        ir_set(&f->b, v, fixture_load(f, 1, iter, t->type));
        struct ir_inst *update = ir_emit1(&f->b, IR_OP_VUPDATE, t->type, operand);
        update->var = v;
        update->update = t->update;
        fixture_store(f, 1, iter, ir_get(&f->b, v));
        for (int atomic = 0; atomic < 2; atomic++) {
            update = ir_emit2(&f->b, IR_OP_UPDATE, t->type, fixture_at(f, 2 + atomic, iter, t->type), operand);
            update->update = t->update;
            update->atomic = atomic;
        }
    }
    struct ir_inst *old = ir_emit2(&f->b, IR_OP_ATOMIC, t->type, fixture_at(f, 4, iter, t->type), operand);
    old->update = t->update;
    fixture_store(f, 5, iter, old);
}

static void check_trial(struct fixture *f, const struct trial *t)
{
    static uint64_t arrays[6][COUNT];
    for (int i = 0; i < COUNT; i++) {
        put(arrays[0], operand_type(t), i, edge(operand_type(t), i / EDGE_COUNT));
        for (int k = 1; k < 6; k++) {
            put(arrays[k], t->type, i, edge(t->type, i % EDGE_COUNT));
        }
    }
    void *args[6] = {arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5]};
    struct test_frame frame = new_frame(COUNT);
    abi_entry *entry = fixture_entry(f, t->name);
    if (entry == NULL) {
        return;
    }
    entry(args, NULL, 0, COUNT, NULL, &frame.frame);
    for (int i = 0; i < COUNT; i++) {
        union ir_value old = edge(t->type, i % EDGE_COUNT);
        union ir_value operand = take(arrays[0], operand_type(t), i);
        union ir_value expected;
        if (!ir_fold_update(t->update, t->type, old, operand, &expected)) {
            FAIL("%s does not fold", t->name);
            return;
        }
        for (int k = t->update == IR_UPDATE_EXCHANGE ? 4 : 1; k < 5; k++) {
            union ir_value got = take(arrays[k], t->type, i);
            if (!same(t->type, got, expected)) {
                FAIL("%s way %d: %" PRId64 " %g by %" PRId64 " %g gives %" PRId64 " %g, expected %" PRId64 " %g",
                     t->name, k, old.i, old.f, operand.i, operand.f, got.i, got.f, expected.i, expected.f);
                return;
            }
        }
        if (!same(t->type, take(arrays[5], t->type, i), old)) {
            FAIL("%s: the atomic does not give the old value", t->name);
            return;
        }
    }
}

static void check_all(const struct codegen_options *options)
{
    static const enum ir_type types[] = {IR_I8, IR_I16, IR_I32, IR_I64, IR_F32, IR_F64};
    static struct trial trials[256];
    int count = 0;
    for (int k = 0; k < 6; k++) {
        for (int update = 0; update < IR_UPDATE_COUNT; update++) {
            if (fits((enum ir_update)update, types[k])) {
                struct trial *t = &trials[count++];
                *t = (struct trial){.update = (enum ir_update)update, .type = types[k]};
                snprintf(t->name, sizeof t->name, "%s.%s", ir_update_name(t->update), ir_type_name(t->type));
            }
        }
    }
    struct fixture f;
    fixture_init(&f);
    f.kernel = ir_function_create(f.module, IR_FUNCTION_KERNEL, "k");
    for (int i = 0; i < 6; i++) {
        fixture_param(&f, "a", IR_PTR);
    }
    for (int i = 0; i < count; i++) {
        add_task(&f, &trials[i]);
    }
    if (fixture_build(&f, options)) {
        for (int i = 0; i < count; i++) {
            check_trial(&f, &trials[i]);
        }
    }
    fixture_finish(&f);
}

TEST(updates_give_what_ir_fold_update_gives)
{
    check_all(&(struct codegen_options){0});
}

TEST(updates_give_what_ir_fold_update_gives_when_not_optimised)
{
    check_all(&(struct codegen_options){.unoptimised = true});
}

TEST(cas_stores_only_where_the_old_value_is_expected)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "p", IR_PTR);
    fixture_param(&f, "old", IR_PTR);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    struct ir_inst *args[3] = {fixture_at(&f, 0, iter, IR_I16), ir_const(&f.b, IR_I16, 5), ir_const(&f.b, IR_I16, -1)};
    fixture_store(&f, 1, iter, ir_emit(&f.b, IR_OP_CAS, IR_I16, 3, args));
    if (fixture_build(&f, &(struct codegen_options){0})) {
        int16_t p[4] = {5, 6, 5, 7}, old[4] = {0};
        void *buffer[2] = {p, old};
        struct test_frame frame = new_frame(4);
        fixture_entry(&f, "k.0")(buffer, NULL, 0, 4, NULL, &frame.frame);
        CHECK(p[0] == -1 && p[1] == 6 && p[2] == -1 && p[3] == 7);
        CHECK(old[0] == 5 && old[1] == 6 && old[2] == 5 && old[3] == 7);
    }
    fixture_finish(&f);
}

// Sums, products, minima … of a task's own: one partial record for each call.
TEST(accumulators_are_stored_into_the_partial_record)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "x", IR_PTR);
    struct ir_var *sum = ir_var_create(f.module, f.task, "sum", IR_F64);
    struct ir_var *least = ir_var_create(f.module, f.task, "least", IR_I32);
    struct ir_region *body = f.b.region;
    struct ir_region unused = {0};
    f.b.region = &unused;
    struct ir_accumulator accumulators[2] = {{.var = sum, .init = ir_fconst(&f.b, IR_F64, 0.0), .offset = 8},
                                             {.var = least, .init = ir_const(&f.b, IR_I32, INT32_MAX), .offset = 0}};
    f.b.region = body;
    f.task->accumulators = accumulators;
    f.task->accumulator_count = 2;
    f.task->partial_size = 16;
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    struct ir_inst *x = fixture_load(&f, 0, iter, IR_I32);
    struct ir_inst *update = ir_emit1(&f.b, IR_OP_VUPDATE, IR_F64, ir_emit1(&f.b, IR_OP_SITOFP, IR_F64, x));
    update->var = sum;
    update->update = IR_UPDATE_ADD;
    update = ir_emit1(&f.b, IR_OP_VUPDATE, IR_I32, x);
    update->var = least;
    update->update = IR_UPDATE_SMIN;
    if (fixture_build(&f, &(struct codegen_options){0})) {
        int x_data[100];
        for (int i = 0; i < 100; i++) {
            x_data[i] = (i * 37) % 101 - 50;
        }
        void *buffer[1] = {x_data};
        for (int64_t lo = 0; lo < 100; lo += 9) {
            int64_t hi = lo + 23 < 100 ? lo + 23 : 100;
            struct {
                int32_t least;
                int32_t gap;
                double sum;
            } partial = {7, 1234, -1.0};
            struct test_frame frame = new_frame(100);
            fixture_entry(&f, "k.0")(buffer, NULL, lo, hi, &partial, &frame.frame);
            int expected = INT32_MAX;
            double total = 0;
            for (int64_t i = lo; i < hi; i++) {
                total += x_data[i];
                expected = x_data[i] < expected ? x_data[i] : expected;
            }
            CHECK(partial.least == expected && partial.sum == total && partial.gap == 1234);
        }
    }
    fixture_finish(&f);
}

// Float sums may be put in another order: that is what makes them vectors.
TEST(float_sums_of_a_task_are_vectorised)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "x", IR_PTR);
    struct ir_var *sum = ir_var_create(f.module, f.task, "sum", IR_F32);
    struct ir_region *body = f.b.region;
    struct ir_region unused = {0};
    f.b.region = &unused;
    struct ir_accumulator accumulator = {.var = sum, .init = ir_fconst(&f.b, IR_F32, 0.0), .offset = 0};
    f.b.region = body;
    f.task->accumulators = &accumulator;
    f.task->accumulator_count = 1;
    f.task->partial_size = 4;
    struct ir_inst *x = fixture_load(&f, 0, ir_emit0(&f.b, IR_OP_ITER, IR_I64), IR_F32);
    struct ir_inst *update = ir_emit1(&f.b, IR_OP_VUPDATE, IR_F32, x);
    update->var = sum;
    update->update = IR_UPDATE_ADD;
    struct codegen_output code;
    struct codegen_options options = {.target = "x86-64-v3", .kind = CODEGEN_ASM};
    REQUIRE(codegen_emit(f.module, &options, &code) == RILL_OK);
    CHECK_CONTAINS(code.bytes, "vaddps");
    codegen_output_finish(&code);
    fixture_finish(&f);
}
