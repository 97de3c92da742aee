// The order of accesses inside an iteration survives vectorisation, also where two parameters are the same array: each
// iteration touches elements of its own only, so the loop is independent, but what it loads depends on what it stored.
#include "support.h"

enum { TASK_COUNT = 150, TRIP = 67, WIDTH = 4 };

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

// WIDTH * iter + k: an element of the iteration's own, written in one of several ways.
static struct ir_inst *own_element(struct fixture *f, struct ir_inst *iter, uint64_t *state)
{
    struct ir_inst *first = next(state) % 2 == 0
                                ? ir_emit2(&f->b, IR_OP_MUL, IR_I64, iter, ir_const(&f->b, IR_I64, WIDTH))
                                : ir_emit2(&f->b, IR_OP_SHL, IR_I64, iter, ir_const(&f->b, IR_I64, 2));
    return ir_emit2(&f->b, IR_OP_ADD, IR_I64, first, ir_const(&f->b, IR_I64, (int64_t)(next(state) % WIDTH)));
}

// Parameters 0 and 1 are the same array; 2 is another, indexed by the iteration.
static void add_task(struct fixture *f, int number, uint64_t *state)
{
    struct ir_function *task = ir_function_create(f->module, IR_FUNCTION_TASK, arena_printf(&f->arena, "k.%d", number));
    task->kernel = f->kernel;
    task->assume_independent = true;
    f->task = task;
    f->b.function = task;
    f->b.region = &task->body;
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    struct ir_inst *sum = ir_const(&f->b, IR_I32, 1);
    int count = 3 + (int)(next(state) % 8);
    for (int i = 0; i < count; i++) {
        int param = (int)(next(state) % 2);
        struct ir_inst *at = fixture_at(f, param, own_element(f, iter, state), IR_I32);
        switch (next(state) % 4) {
        case 0:
        case 1: sum = ir_emit2(&f->b, IR_OP_ADD, IR_I32, sum, ir_emit1(&f->b, IR_OP_LOAD, IR_I32, at)); break;
        case 2: ir_emit2(&f->b, IR_OP_STORE, IR_I32, at, sum); break;
        default: {
            struct ir_inst *update = ir_emit2(&f->b, IR_OP_UPDATE, IR_I32, at, sum);
            update->update = IR_UPDATE_XOR;
        }
        }
        if (next(state) % 3 == 0) {
            sum = ir_emit2(&f->b, IR_OP_MUL, IR_I32, sum, ir_const(&f->b, IR_I32, 3));
        }
    }
    fixture_store(f, 2, iter, sum);
}

static void start_data(int32_t *data)
{
    for (int i = 0; i < WIDTH * TRIP; i++) {
        data[i] = i * 7 + 1;
    }
}

static void check_task(struct fixture *f, struct interp *interp, int number)
{
    static int32_t expected[WIDTH * TRIP], expected_out[TRIP], data[WIDTH * TRIP], out[TRIP];
    struct ir_function *task = f->module->functions[1 + number];
    start_data(expected);
    start_data(data);
    struct interp_arg args[3] = {{.p = expected}, {.p = expected}, {.p = expected_out}};
    struct interp_launch launch = {.args = args, .iter_count = TRIP, .lo = 0, .hi = TRIP};
    CHECK(interp_task(interp, task, &launch) == INTERP_DONE);
    abi_entry *entry = fixture_entry(f, task->name);
    if (entry != NULL) {
        void *buffer[3] = {data, data, out};
        struct test_frame frame = new_frame(TRIP);
        entry(buffer, NULL, 0, TRIP, NULL, &frame.frame);
        if (!CHECK_MEM(data, expected, sizeof data) || !CHECK_MEM(out, expected_out, sizeof out)) {
            FAIL("that was %s", task->name);
        }
    }
}

TEST(order_inside_an_iteration_is_kept_for_equal_arrays)
{
    struct fixture f;
    fixture_init(&f);
    f.kernel = ir_function_create(f.module, IR_FUNCTION_KERNEL, "k");
    for (int i = 0; i < 3; i++) {
        fixture_param(&f, "p", IR_PTR);
    }
    uint64_t state = 2024;
    for (int i = 0; i < TASK_COUNT; i++) {
        add_task(&f, i, &state);
    }
    if (fixture_build(&f, &(struct codegen_options){0})) {
        struct interp *interp = interp_create(f.module, &(struct interp_options){0});
        for (int i = 0; i < TASK_COUNT; i++) {
            check_task(&f, interp, i);
        }
        interp_destroy(interp);
    }
    fixture_finish(&f);
}
