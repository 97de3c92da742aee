// plan/share.c: equal expressions of a plan that was read are one, and what a launch remembers of them.
#include "test.h"

#include "base/arena.h"
#include "base/str.h"
#include "plan/plan.h"

#include <string.h>

// A kernel (int n, int m) with a task of n * m iterations, which cost n * m + what is in a slot, and n * m + n * m.
struct scene {
    struct arena arena;
    struct plan_module *module; // as it was read
    struct plan_task *task;
    int args[2];
    int slot;
    struct plan_values values;
};

static struct plan_expr *binary(struct arena *arena, enum ir_op op, struct plan_expr *a, struct plan_expr *b)
{
    return plan_op(arena, op, IR_I64, IR_I64, a, b);
}

static struct plan_expr *product(struct arena *arena)
{
    struct plan_expr *factors[2];
    for (int i = 0; i < 2; i++) {
        factors[i] = plan_op(arena, IR_OP_SEXT, IR_I64, IR_I32, plan_param(arena, IR_I32, i), NULL);
    }
    return binary(arena, IR_OP_MUL, factors[0], factors[1]);
}

static void init(struct scene *scene)
{
    struct arena *arena = &scene->arena;
    memset(scene, 0, sizeof *scene);
    arena_init(arena);
    struct ir_ctype ctype = {.kind = IR_CTYPE_SCALAR, .name = "int", .scalar = IR_I32, .size = 4, .align = 4};
    struct plan_param params[2];
    for (int i = 0; i < 2; i++) {
        params[i] = (struct plan_param){.name = "n", .type = IR_I32, .ctype = &ctype, .offset = 4 * (uint64_t)i};
    }
    struct plan_expr slot = {.kind = PLAN_EXPR_SLOT, .type = IR_I32};
    struct plan_expr *wide = plan_op(arena, IR_OP_SEXT, IR_I64, IR_I32, &slot, NULL);
    struct plan_task task = {.name = "k.0", .kind = PLAN_TASK_PARALLEL, .loop = -1, .entry = "k.0", .in_order = "k.1"};
    task.collapse = 1;
    task.trip = product(arena);
    task.cost = binary(arena, IR_OP_ADD, product(arena), wide);
    task.order_cost = binary(arena, IR_OP_ADD, product(arena), product(arena));
    struct plan_node root = {.kind = PLAN_TASK, .whole_task = -1, .slot = -1};
    struct plan_slot slots[] = {{.name = "s", .size = 4}};
    struct plan_kernel kernel = {.name = "k",
                                 .params = params,
                                 .param_count = 2,
                                 .args_size = 8,
                                 .block_size = 4,
                                 .slots = slots,
                                 .slot_count = 1,
                                 .root = &root,
                                 .tasks = &task,
                                 .task_count = 1,
                                 .node_count = 1};
    struct plan_kernel *kernels[] = {&kernel};
    struct plan_module module = {.arena = arena, .kernels = kernels, .kernel_count = 1};
    struct str bytes;
    str_init(&bytes, arena);
    plan_write(&module, &bytes);
    rill_status status = plan_read(arena, bytes.text, bytes.length, &scene->module);
    if (!CHECK_INT(status, RILL_OK)) {
        printf("%s\n", rill_message());
        return;
    }
    scene->task = &scene->module->kernels[0]->tasks[0];
    scene->values = (struct plan_values){
        .kernel = scene->module->kernels[0], .args = scene->args, .block = &scene->slot, .width = 1};
}

static int64_t value_of(const struct scene *scene, const struct plan_expr *expr)
{
    union ir_value value = {.i = -1};
    CHECK(plan_eval(expr, &scene->values, &value));
    return value.i;
}

TEST(equal_expressions_are_one)
{
    struct scene scene;
    init(&scene);
    const struct plan_task *task = scene.task;
    CHECK(task->cost->args[0] == task->trip);
    CHECK(task->order_cost->args[0] == task->trip && task->order_cost->args[1] == task->trip);
    // Two conversions, the product and the sum of two; not what a slot has part in.
    CHECK_INT(scene.module->kernels[0]->memo_count, 4);
    CHECK(task->trip->memo > 0 && task->order_cost->memo > 0 && task->cost->memo == 0);
    CHECK(task->order_cost->memo != task->trip->memo);
    arena_finish(&scene.arena);
}

TEST(what_was_evaluated_is_remembered_and_slots_are_not)
{
    struct scene scene;
    init(&scene);
    _Atomic uint8_t known[4] = {0};
    _Atomic uint64_t bits[4] = {0};
    scene.args[0] = 6;
    scene.args[1] = 7;
    scene.slot = 100;
    CHECK_INT(value_of(&scene, scene.task->cost), 142);
    scene.values.memo = (struct plan_memo){.known = known, .values = bits};
    CHECK_INT(value_of(&scene, scene.task->cost), 142);
    CHECK(known[scene.task->trip->memo - 1] == 1 && known[scene.task->order_cost->memo - 1] == 0);
    // Who changes the arguments has to clear the memo: this shows that it is used.
    scene.args[0] = 1000;
    scene.slot = 200;
    CHECK_INT(value_of(&scene, scene.task->cost), 242);
    CHECK_INT(value_of(&scene, scene.task->order_cost), 84);
    memset((void *)known, 0, sizeof known);
    CHECK_INT(value_of(&scene, scene.task->trip), 7000);
    CHECK_INT(value_of(&scene, scene.task->order_cost), 14000);
    arena_finish(&scene.arena);
}

TEST(what_cannot_be_evaluated_is_not_remembered)
{
    struct scene scene;
    init(&scene);
    _Atomic uint8_t known[4] = {0};
    _Atomic uint64_t bits[4] = {0};
    union ir_value value;
    scene.values.memo = (struct plan_memo){.known = known, .values = bits};
    scene.values.args = NULL;
    CHECK(!plan_eval(scene.task->trip, &scene.values, &value));
    for (int i = 0; i < 4; i++) {
        CHECK_INT(known[i], 0);
    }
    arena_finish(&scene.arena);
}
