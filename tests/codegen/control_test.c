// Control flow, helpers, failures, printing and globals: compiled code does what the interpreter does.
#include "support.h"

#include "ir/trip.h"

#include <inttypes.h>

// Goes into a region of |inst|; fixture_leave comes back.
static struct ir_region *enter(struct fixture *f, struct ir_inst *inst, int region)
{
    struct ir_region *outer = f->b.region;
    f->b.region = &inst->regions[region];
    return outer;
}

static void emit_break(struct fixture *f, struct ir_inst *target)
{
    ir_emit0(&f->b, IR_OP_BREAK, IR_VOID)->target = target;
}

static void emit_jump(struct fixture *f, struct ir_inst *target, int region)
{
    struct ir_inst *inst = ir_emit0(&f->b, IR_OP_JUMP, IR_VOID);
    inst->target = target;
    inst->imm = region;
}

static void vupdate(struct fixture *f, struct ir_var *var, enum ir_update update, struct ir_inst *value)
{
    struct ir_inst *inst = ir_emit1(&f->b, IR_OP_VUPDATE, var->type, value);
    inst->var = var;
    inst->update = update;
}

// ---- canonical loops
// -----------------------------------------------------------------------------------------------------------

struct for_trial {
    enum ir_op compare;
    enum ir_type type;
    bool is_unsigned;
    int64_t step;
    char name[32];
};

// For each pair (init, bound): how often the loop ran (at most 1000 are counted) and what the variable is afterwards.
static void add_for_task(struct fixture *f, const struct for_trial *t)
{
    struct ir_function *task = ir_function_create(f->module, IR_FUNCTION_TASK, t->name);
    task->kernel = f->kernel;
    task->assume_independent = true;
    f->task = task;
    f->b.function = task;
    f->b.region = &task->body;
    struct ir_var *var = ir_var_create(f->module, task, "i", t->type);
    var->is_unsigned = t->is_unsigned;
    struct ir_var *count = ir_var_create(f->module, task, "count", IR_I64);
    struct ir_var *sum = ir_var_create(f->module, task, "sum", IR_I64);
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    ir_set(&f->b, count, ir_const(&f->b, IR_I64, 0));
    ir_set(&f->b, sum, ir_const(&f->b, IR_I64, 0));
    struct ir_inst *init = fixture_load(f, 0, iter, t->type);
    struct ir_inst *bound = fixture_load(f, 1, iter, t->type);
    struct ir_inst *loop = ir_emit_for(&f->b, var, init, bound, t->compare, t->step);
    struct ir_region *outer = enter(f, loop, 0);
    vupdate(f, count, IR_UPDATE_ADD, ir_const(&f->b, IR_I64, 1));
    struct ir_inst *value = ir_get(&f->b, var);
    vupdate(f, sum, IR_UPDATE_ADD, t->type == IR_I64 ? value : ir_emit1(&f->b, IR_OP_SEXT, IR_I64, value));
    f->b.region = outer;
    fixture_store(f, 2, iter, ir_get(&f->b, count));
    fixture_store(f, 3, iter, ir_get(&f->b, var));
    fixture_store(f, 4, iter, ir_get(&f->b, sum));
}

enum { FOR_EDGES = 18 };

static int64_t for_edge(enum ir_type type, int index)
{
    int width = 8 * ir_type_size(type);
    int64_t most = width == 64 ? INT64_MAX : (INT64_C(1) << (width - 1)) - 1;
    const int64_t edges[FOR_EDGES] = {0,  1,   2,    3,        -1,       -2,        5,         10,        -10,
                                      99, 100, most, most - 1, most - 5, -most - 1, -most - 0, -most + 6, 64};
    return ir_normalize(type, edges[index]);
}

static void check_for(struct fixture *f, const struct for_trial *t)
{
    abi_entry *entry = fixture_entry(f, t->name);
    if (entry == NULL) {
        return;
    }
    int checked = 0;
    for (int i = 0; i < FOR_EDGES * FOR_EDGES; i++) {
        int64_t init = for_edge(t->type, i / FOR_EDGES), bound = for_edge(t->type, i % FOR_EDGES);
        struct ir_trip how = trip_make(t->compare, t->type, t->is_unsigned, t->step);
        uint64_t trip = trip_count(&how, init, bound);
        if (trip > 100000) {
            continue; // too long to run
        }
        int64_t count = -1, last = 0, sum = -1, wanted_sum = 0;
        void *args[5] = {&init, &bound, &count, &last, &sum};
        struct test_frame frame = new_frame(1);
        entry(args, NULL, 0, 1, NULL, &frame.frame);
        for (uint64_t k = 0; k < trip; k++) {
            int64_t value = ir_normalize(t->type, (int64_t)((uint64_t)init + k * (uint64_t)t->step));
            wanted_sum = (int64_t)((uint64_t)wanted_sum + (uint64_t)value);
        }
        int64_t wanted = ir_normalize(t->type, (int64_t)((uint64_t)init + trip * (uint64_t)t->step));
        if ((uint64_t)count != trip || ir_normalize(t->type, last) != wanted || sum != wanted_sum) {
            FAIL("%s from %" PRId64 " to %" PRId64 ": %" PRId64 " times to %" PRId64 ", sum %" PRId64
                 "; expected %" PRIu64 " times to %" PRId64 ", sum %" PRId64,
                 t->name, init, bound, count, last, sum, trip, wanted, wanted_sum);
            return;
        }
        checked++;
    }
    CHECK(checked >= 50);
}

TEST(loops_run_as_often_as_trip_count_says)
{
    static const enum ir_op compares[] = {IR_OP_SLT, IR_OP_SLE, IR_OP_SGT, IR_OP_SGE, IR_OP_ULT,
                                          IR_OP_ULE, IR_OP_UGT, IR_OP_UGE, IR_OP_NE};
    static const enum ir_type types[] = {IR_I8, IR_I16, IR_I32, IR_I64};
    static const int64_t steps[] = {1, 2, 7};
    static struct for_trial trials[160];
    int count = 0;
    for (int c = 0; c < 9; c++) {
        for (int k = 0; k < 4; k++) {
            for (int s = 0; s < 3; s++) {
                bool falls = compares[c] == IR_OP_SGT || compares[c] == IR_OP_SGE || compares[c] == IR_OP_UGT ||
                             compares[c] == IR_OP_UGE;
                if (compares[c] == IR_OP_NE && s == 2) {
                    continue;
                }
                int64_t step = compares[c] == IR_OP_NE ? (s == 0 ? 1 : -1) : falls ? -steps[s] : steps[s];
                struct for_trial *t = &trials[count++];
                *t = (struct for_trial){compares[c], types[k], compares[c] >= IR_OP_ULT, step, ""};
                snprintf(t->name, sizeof t->name, "for.%s.%s.%d", ir_op_name(compares[c]), ir_type_name(types[k]), s);
            }
        }
    }
    struct fixture f;
    fixture_init(&f);
    f.kernel = ir_function_create(f.module, IR_FUNCTION_KERNEL, "k");
    for (int i = 0; i < 5; i++) {
        fixture_param(&f, "a", IR_PTR);
    }
    for (int i = 0; i < count; i++) {
        add_for_task(&f, &trials[i]);
    }
    if (fixture_build(&f, &(struct codegen_options){0})) {
        for (int i = 0; i < count; i++) {
            check_for(&f, &trials[i]);
        }
    }
    fixture_finish(&f);
}

// ---- switch, cfg, loop
// -----------------------------------------------------------------------------------------------------------

static void both_ways(struct fixture *f, int64_t count, int32_t *x, int32_t *y, const struct codegen_options *options)
{
    int32_t *expected = calloc((size_t)count, sizeof *expected);
    memcpy(expected, y, sizeof *y * (size_t)count);
    struct interp *interp = interp_create(f->module, &(struct interp_options){0});
    struct interp_arg args[2] = {{.p = x}, {.p = expected}};
    struct interp_launch launch = {.args = args, .iter_count = count, .lo = 0, .hi = count};
    CHECK(interp_task(interp, f->task, &launch) == INTERP_DONE);
    interp_destroy(interp);
    if (fixture_build(f, options)) {
        void *buffer[2] = {x, y};
        struct test_frame frame = new_frame(count);
        fixture_entry(f, "k.0")(buffer, NULL, 0, count, NULL, &frame.frame);
        CHECK_MEM(y, expected, sizeof *y * (size_t)count);
        dlclose(f->library);
        f->library = NULL;
    }
    free(expected);
}

TEST(switch_falls_through_and_breaks)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "x", IR_PTR);
    fixture_param(&f, "y", IR_PTR);
    struct ir_var *v = ir_var_create(f.module, f.task, "v", IR_I32);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    ir_set(&f.b, v, ir_const(&f.b, IR_I32, 0));
    struct ir_inst *x = ir_emit1(&f.b, IR_OP_SEXT, IR_I64, fixture_load(&f, 0, iter, IR_I32));
    struct ir_inst *choice = ir_control(&f.b, IR_OP_SWITCH, x, 4);
    int64_t cases[] = {1, 2, 7, -1};
    int regions[] = {0, 1, 3, 1};
    choice->cases = cases;
    choice->case_regions = regions;
    choice->case_count = 4;
    choice->default_region = 2;
    for (int i = 0; i < 4; i++) {
        struct ir_region *outer = enter(&f, choice, i);
        vupdate(&f, v, IR_UPDATE_ADD, ir_const(&f.b, IR_I32, 1 << (4 * i)));
        if (i == 1) {
            emit_break(&f, choice);
        }
        f.b.region = outer;
    }
    fixture_store(&f, 1, iter, ir_get(&f.b, v));
    int32_t in[8] = {0, 1, 2, 7, -1, 3, INT32_MAX, INT32_MIN}, out[8] = {0};
    both_ways(&f, 8, in, out, &(struct codegen_options){0});
    CHECK_INT(out[1], 0x11);
    CHECK_INT(out[0], 0x1100);
    CHECK_INT(out[3], 0x1000);
    fixture_finish(&f);
}

// Collatz steps as a cfg: 0 test, 1 odd, 2 even, 3 count and go back.
TEST(cfg_jumps_as_told)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "x", IR_PTR);
    fixture_param(&f, "y", IR_PTR);
    struct ir_var *v = ir_var_create(f.module, f.task, "v", IR_I32);
    struct ir_var *n = ir_var_create(f.module, f.task, "n", IR_I32);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    ir_set(&f.b, v, fixture_load(&f, 0, iter, IR_I32));
    ir_set(&f.b, n, ir_const(&f.b, IR_I32, 0));
    struct ir_inst *cfg = ir_control(&f.b, IR_OP_CFG, NULL, 4);
    struct ir_region *outer = enter(&f, cfg, 0);
    struct ir_inst *more = ir_emit2(&f.b, IR_OP_SGT, IR_I1, ir_get(&f.b, v), ir_const(&f.b, IR_I32, 1));
    struct ir_inst *test = ir_control(&f.b, IR_OP_IF, more, 2);
    struct ir_region *inner = enter(&f, test, 0);
    struct ir_inst *low = ir_emit1(&f.b, IR_OP_TRUNC, IR_I1, ir_get(&f.b, v));
    struct ir_inst *odd = ir_control(&f.b, IR_OP_IF, low, 2);
    struct ir_region *innermost = enter(&f, odd, 0);
    emit_jump(&f, cfg, 1);
    f.b.region = innermost;
    emit_jump(&f, cfg, 2);
    f.b.region = inner;
    enter(&f, cfg, 1);
    struct ir_inst *three = ir_emit2(&f.b, IR_OP_MUL, IR_I32, ir_get(&f.b, v), ir_const(&f.b, IR_I32, 3));
    ir_set(&f.b, v, ir_emit2(&f.b, IR_OP_ADD, IR_I32, three, ir_const(&f.b, IR_I32, 1)));
    emit_jump(&f, cfg, 3);
    enter(&f, cfg, 2);
    ir_set(&f.b, v, ir_emit2(&f.b, IR_OP_SDIV, IR_I32, ir_get(&f.b, v), ir_const(&f.b, IR_I32, 2)));
    emit_jump(&f, cfg, 3);
    enter(&f, cfg, 3);
    vupdate(&f, n, IR_UPDATE_ADD, ir_const(&f.b, IR_I32, 1));
    emit_jump(&f, cfg, 0);
    f.b.region = outer;
    fixture_store(&f, 1, iter, ir_get(&f.b, n));
    int32_t in[40], out[40] = {0};
    for (int i = 0; i < 40; i++) {
        in[i] = i;
    }
    both_ways(&f, 40, in, out, &(struct codegen_options){0});
    CHECK_INT(out[27], 111);
    both_ways(&f, 40, in, out, &(struct codegen_options){.unoptimised = true});
    fixture_finish(&f);
}

// A loop whose condition the body changes, left by breaks of two depths.
TEST(loops_and_blocks_are_left_where_break_says)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "x", IR_PTR);
    fixture_param(&f, "y", IR_PTR);
    struct ir_var *v = ir_var_create(f.module, f.task, "v", IR_I32);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    struct ir_inst *x = fixture_load(&f, 0, iter, IR_I32);
    ir_set(&f.b, v, ir_const(&f.b, IR_I32, 0));
    struct ir_inst *loop = ir_control(&f.b, IR_OP_LOOP, NULL, 1);
    struct ir_region *outer = enter(&f, loop, 0);
    struct ir_inst *block = ir_control(&f.b, IR_OP_BLOCK, NULL, 1);
    struct ir_region *inner = enter(&f, block, 0);
    struct ir_inst *done = ir_emit2(&f.b, IR_OP_SGE, IR_I1, ir_get(&f.b, v), x);
    struct ir_inst *test = ir_control(&f.b, IR_OP_IF, done, 1);
    struct ir_region *innermost = enter(&f, test, 0);
    emit_break(&f, loop);
    f.b.region = innermost;
    struct ir_inst *small = ir_emit2(&f.b, IR_OP_SLT, IR_I1, ir_get(&f.b, v), ir_const(&f.b, IR_I32, 10));
    test = ir_control(&f.b, IR_OP_IF, small, 2);
    innermost = enter(&f, test, 0);
    vupdate(&f, v, IR_UPDATE_ADD, ir_const(&f.b, IR_I32, 1));
    emit_break(&f, block);
    f.b.region = innermost;
    vupdate(&f, v, IR_UPDATE_ADD, ir_const(&f.b, IR_I32, 7));
    f.b.region = inner;
    f.b.region = outer;
    fixture_store(&f, 1, iter, ir_get(&f.b, v));
    int32_t in[6] = {-1, 0, 5, 10, 11, 30}, out[6] = {0};
    both_ways(&f, 6, in, out, &(struct codegen_options){0});
    CHECK_INT(out[5], 31);
    fixture_finish(&f);
}

// ---- helpers and failures
// ------------------------------------------------------------------------------------------------------------

// helper checked(v): assert(v < 100); return v * 2. The task stores checked(x[i]) + 1.
static void build_checked(struct fixture *f)
{
    fixture_init(f);
    fixture_task(f, false);
    fixture_param(f, "x", IR_PTR);
    fixture_param(f, "y", IR_PTR);
    struct ir_function *helper = ir_function_create(f->module, IR_FUNCTION_HELPER, "checked");
    helper->return_type = IR_I32;
    helper->may_fail = true;
    static struct ir_param param = {.name = "v", .type = IR_I32};
    helper->params = &param;
    helper->param_count = 1;
    struct ir_builder task = f->b;
    f->b.function = helper;
    f->b.region = &helper->body;
    struct ir_inst *v = ir_emit0(&f->b, IR_OP_PARAM, IR_I32);
    struct ir_inst *bad = ir_emit2(&f->b, IR_OP_SGE, IR_I1, v, ir_const(&f->b, IR_I32, 100));
    struct ir_inst *test = ir_control(&f->b, IR_OP_IF, bad, 1);
    struct ir_region *outer = enter(f, test, 0);
    f->b.loc = (struct loc){0, 42, 9};
    ir_emit0(&f->b, IR_OP_FAIL, IR_VOID)->text = "v < 100";
    f->b.region = outer;
    struct ir_inst *twice = ir_emit2(&f->b, IR_OP_ADD, IR_I32, v, v);
    ir_emit1(&f->b, IR_OP_RETURN, IR_VOID, twice);
    f->b = task;
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    struct ir_inst *x = fixture_load(f, 0, iter, IR_I32);
    struct ir_inst *args[1] = {x};
    struct ir_inst *call = ir_emit(&f->b, IR_OP_CALL, IR_I32, 1, args);
    call->function = helper;
    fixture_store(f, 1, iter, ir_emit2(&f->b, IR_OP_ADD, IR_I32, call, ir_const(&f->b, IR_I32, 1)));
}

static void check_failures(const struct codegen_options *options)
{
    struct fixture f;
    build_checked(&f);
    if (fixture_build(&f, options)) {
        int32_t x[6] = {1, 2, 100, 4, 200, 6}, y[6] = {0, 0, -5, 0, -6, 0};
        void *buffer[2] = {x, y};
        struct test_frame frame = new_frame(6);
        fixture_entry(&f, "k.0")(buffer, NULL, 0, 6, NULL, &frame.frame);
        CHECK(y[0] == 3 && y[1] == 5 && y[3] == 9 && y[5] == 13); // the others run all the same
        CHECK(y[2] == -5 && y[4] == -6);                          // a failed iteration ends at once
        CHECK_INT(frame.fail_count, 2);
        CHECK_INT(frame.fail_iteration, 4);
        CHECK_INT(frame.failure.kind, ABI_FAILURE_ASSERT);
        CHECK_INT(frame.failure.line, 42);
        CHECK_INT(frame.failure.column, 9);
        CHECK_STR(frame.failure.text, "v < 100");
    }
    fixture_finish(&f);
}

TEST(a_failure_in_a_helper_ends_the_iteration_only)
{
    check_failures(&(struct codegen_options){0});
    check_failures(&(struct codegen_options){.unoptimised = true});
}

TEST(bounds_are_checked_when_asked_for)
{
    for (int checked = 0; checked < 2; checked++) {
        struct fixture f;
        fixture_init(&f);
        fixture_task(&f, false);
        fixture_param(&f, "x", IR_PTR);
        fixture_param(&f, "y", IR_PTR);
        struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
        struct ir_inst *at = ir_emit1(&f.b, IR_OP_SEXT, IR_I64, fixture_load(&f, 0, iter, IR_I32));
        struct ir_inst *place = fixture_index_of(&f, fixture_arg(&f, 1), at, 4, ir_const(&f.b, IR_I64, 4));
        ir_emit2(&f.b, IR_OP_STORE, IR_I32, place, ir_const(&f.b, IR_I32, 77));
        if (fixture_build(&f, &(struct codegen_options){.check_bounds = checked})) {
            int32_t x[3] = {0, checked ? 4 : 1, checked ? -1 : 2}, y[8] = {0};
            void *buffer[2] = {x, y + 2};
            struct test_frame frame = new_frame(3);
            fixture_entry(&f, "k.0")(buffer, NULL, 0, 3, NULL, &frame.frame);
            CHECK_INT(frame.fail_count, checked ? 2 : 0);
            CHECK(y[2] == 77 && y[6] == 0 && y[1] == 0);
            if (checked) {
                CHECK_INT(frame.failure.kind, ABI_FAILURE_BOUNDS);
                CHECK_INT(frame.index, -1);
                CHECK_INT(frame.extent, 4);
                CHECK_INT(frame.fail_iteration, 2);
                CHECK_STR(frame.failure.text, "a");
            }
        }
        fixture_finish(&f);
    }
}

TEST(nothing_fits_a_negative_extent)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, true);
    fixture_param(&f, "n", IR_I64);
    fixture_param(&f, "y", IR_PTR);
    struct ir_inst *zero = ir_const(&f.b, IR_I64, 0);
    struct ir_inst *place = fixture_index_of(&f, fixture_arg(&f, 1), zero, 4, fixture_arg(&f, 0));
    ir_emit2(&f.b, IR_OP_STORE, IR_I32, place, ir_const(&f.b, IR_I32, 77));
    if (fixture_build(&f, &(struct codegen_options){.check_bounds = true})) {
        int32_t y = 0;
        struct {
            int64_t n;
            int32_t *y;
        } args = {-3, &y};
        struct test_frame frame = new_frame(1);
        fixture_entry(&f, "k.0")(&args, NULL, 0, 1, NULL, &frame.frame);
        CHECK_INT(frame.fail_count, 1);
        CHECK_INT(frame.extent, -3);
        CHECK_INT(y, 0);
    }
    fixture_finish(&f);
}

TEST(print_hands_over_its_values_as_the_conversions_want)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, true);
    fixture_param(&f, "x", IR_PTR);
    struct ir_inst *args[6] = {ir_const(&f.b, IR_I32, -1), ir_const(&f.b, IR_I32, -1), ir_fconst(&f.b, IR_F64, 2.5),
                               ir_const(&f.b, IR_I32, 8),  ir_const(&f.b, IR_I64, -9), fixture_arg(&f, 0)};
    struct ir_inst *print = ir_emit(&f.b, IR_OP_PRINT, IR_VOID, 6, args);
    print->text = "%d %%%u %g %*ld %s\n";
    if (fixture_build(&f, &(struct codegen_options){0})) {
        char text[] = "words";
        void *buffer[1] = {text};
        struct test_frame frame = new_frame(1);
        fixture_entry(&f, "k.0")(buffer, NULL, 0, 1, NULL, &frame.frame);
        double half = 2.5;
        uint64_t bits;
        memcpy(&bits, &half, sizeof bits);
        CHECK_INT(frame.print_count, 1);
        CHECK_STR(frame.format, "%d %%%u %g %*ld %s\n");
        CHECK_INT(frame.value_count, 6);
        CHECK(frame.values[0] == UINT64_MAX && frame.values[1] == UINT32_MAX && frame.values[2] == bits);
        CHECK(frame.values[3] == 8 && frame.values[4] == (uint64_t)-9 && frame.values[5] == (uintptr_t)text);
    }
    fixture_finish(&f);
}

// ---- globals, slots, structs
// ---------------------------------------------------------------------------------------------------------

TEST(fields_are_exported_with_their_bytes_and_pointers)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, true);
    struct ir_global *field = ir_global_create(f.module, "field", 12, 4);
    uint8_t bytes[12] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
    field->bytes = bytes;
    struct ir_global *table = ir_global_create(f.module, "table", 24, 8);
    struct ir_reloc relocs[2] = {{16, field, 0}, {0, field, 8}};
    uint8_t empty[24] = {0};
    table->bytes = empty;
    table->relocs = relocs;
    table->reloc_count = 2;
    struct ir_global *limit = ir_global_create(f.module, "limit", 4, 4);
    limit->is_const = true;
    limit->bytes = bytes + 4;
    struct ir_inst *at = ir_emit0(&f.b, IR_OP_ADDR_GLOBAL, IR_PTR);
    at->global = table;
    struct ir_inst *third = ir_emit1(&f.b, IR_OP_LOAD, IR_PTR, at);
    struct ir_inst *from = ir_emit0(&f.b, IR_OP_ADDR_GLOBAL, IR_PTR);
    from->global = limit;
    struct ir_inst *value = ir_emit1(&f.b, IR_OP_LOAD, IR_I32, from);
    struct ir_inst *update = ir_emit2(&f.b, IR_OP_UPDATE, IR_I32, third, value);
    update->update = IR_UPDATE_MUL;
    struct ir_inst *slot = ir_emit0(&f.b, IR_OP_ADDR_SLOT, IR_PTR);
    slot->imm = 8;
    ir_emit2(&f.b, IR_OP_STORE, IR_I32, slot, value);
    if (fixture_build(&f, &(struct codegen_options){0})) {
        const int32_t *data = dlsym(f.library, "field");
        void *const *pointers = dlsym(f.library, "table");
        REQUIRE(data != NULL && pointers != NULL);
        CHECK(data[0] == 1 && data[1] == 2 && data[2] == 3);
        CHECK(pointers[0] == data + 2 && pointers[1] == NULL && pointers[2] == data);
        int32_t block[16] = {0};
        struct test_frame frame = new_frame(1);
        fixture_entry(&f, "k.0")(NULL, block, 0, 1, NULL, &frame.frame);
        CHECK_INT(data[2], 6);
        CHECK_INT(block[2], 2);
        CHECK(dlsym(f.library, "limit") == NULL);
    }
    fixture_finish(&f);
}

TEST(struct_parameters_lie_at_their_c_alignment)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, true);
    fixture_param(&f, "c", IR_I8);
    fixture_param(&f, "s", IR_PTR);
    fixture_param(&f, "h", IR_I16);
    fixture_param(&f, "out", IR_PTR);
    struct ir_ctype record = {.kind = IR_CTYPE_RECORD, .name = "struct s", .size = 12, .align = 4};
    f.kernel->params[1].is_struct = true;
    f.kernel->params[1].is_array = false;
    f.kernel->params[1].ctype = &record;
    struct ir_inst *zero = ir_const(&f.b, IR_I64, 0);
    struct ir_inst *member = ir_emit1(&f.b, IR_OP_OFFSET, IR_PTR, fixture_arg(&f, 1));
    member->imm = 8;
    struct ir_inst *value = ir_emit1(&f.b, IR_OP_LOAD, IR_I32, member);
    struct ir_inst *wide = ir_emit1(&f.b, IR_OP_SEXT, IR_I32, fixture_arg(&f, 2));
    struct ir_inst *sum = ir_emit2(&f.b, IR_OP_ADD, IR_I32, value, wide);
    fixture_store(&f, 3, zero,
                  ir_emit2(&f.b, IR_OP_ADD, IR_I32, sum, ir_emit1(&f.b, IR_OP_SEXT, IR_I32, fixture_arg(&f, 0))));
    if (fixture_build(&f, &(struct codegen_options){0})) {
        int32_t out = 0;
        struct {
            int8_t c;
            struct {
                int32_t a, b, c;
            } s;
            int16_t h;
            int32_t *out;
        } args = {1, {2, 3, 40}, 500, &out};
        struct test_frame frame = new_frame(1);
        fixture_entry(&f, "k.0")(&args, NULL, 0, 1, NULL, &frame.frame);
        CHECK_INT(out, 541);
    }
    fixture_finish(&f);
}

// Locals in memory belong to the iteration; an independent loop around them must not mix them up.
TEST(local_arrays_are_the_iterations_own)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "x", IR_PTR);
    fixture_param(&f, "y", IR_PTR);
    struct ir_var *local = ir_var_create(f.module, f.task, "t", IR_VOID);
    local->is_memory = true;
    local->size = 64;
    local->align = 4;
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    struct ir_inst *x = fixture_load(&f, 0, iter, IR_I32);
    struct ir_inst *base = ir_emit0(&f.b, IR_OP_ADDR_VAR, IR_PTR);
    base->var = local;
    struct ir_inst *masked = ir_emit2(&f.b, IR_OP_AND, IR_I32, x, ir_const(&f.b, IR_I32, 15));
    struct ir_inst *at = fixture_index_of(&f, base, ir_emit1(&f.b, IR_OP_ZEXT, IR_I64, masked), 4, NULL);
    ir_emit3(&f.b, IR_OP_FILL, IR_VOID, base, ir_const(&f.b, IR_I8, 1), ir_const(&f.b, IR_I64, 64));
    ir_emit2(&f.b, IR_OP_STORE, IR_I32, at, x);
    struct ir_inst *third = ir_emit1(&f.b, IR_OP_OFFSET, IR_PTR, base);
    third->imm = 12;
    fixture_store(&f, 1, iter, ir_emit1(&f.b, IR_OP_LOAD, IR_I32, third));
    int32_t in[64], out[64] = {0};
    for (int i = 0; i < 64; i++) {
        in[i] = i * 5 + 1;
    }
    both_ways(&f, 64, in, out, &(struct codegen_options){0});
    fixture_finish(&f);
}
