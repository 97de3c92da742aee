// plan/order.h and mapping.h: what both back ends work out from the plan.
#include "test.h"

#include "plan/mapping.h"
#include "plan/order.h"

enum { FLOATS = 16, SIZE = FLOATS * 4 };

// A kernel of two arrays, a region of |count| blocks, and conflicts between what blocks do to the arrays.
struct scene {
    struct plan_param params[2];
    struct plan_kernel kernel;
    char *args[2];
    uint64_t sizes[2];
    struct plan_values values;
    struct plan_node blocks[4];
    struct plan_node *children[4];
    struct plan_effect effects[2];
    struct plan_conflict conflicts[2];
    struct plan_node region;
};

static char memory[4 * SIZE];

static void init(struct scene *scene, int distance)
{
    *scene = (struct scene){.args = {memory, memory + distance}, .sizes = {SIZE, SIZE}};
    for (int i = 0; i < 2; i++) {
        scene->params[i] = (struct plan_param){.type = IR_PTR, .is_array = true, .offset = (uint64_t)i * 8};
        scene->effects[i] = (struct plan_effect){.base = PLAN_BASE_PARAM, .index = i, .region = {.width = 4}};
    }
    for (int i = 0; i < 4; i++) {
        scene->blocks[i] = (struct plan_node){.kind = PLAN_BLOCK};
        scene->children[i] = &scene->blocks[i];
    }
    scene->kernel = (struct plan_kernel){.params = scene->params, .param_count = 2, .args_size = 16};
    scene->values = (struct plan_values){.kernel = &scene->kernel, .args = scene->args, .array_sizes = scene->sizes};
    scene->region = (struct plan_node){
        .kind = PLAN_REGION, .children = scene->children, .child_count = 4, .conflicts = scene->conflicts};
}

static void add_conflict(struct scene *scene, enum plan_conflict_kind kind, int a, int b)
{
    scene->conflicts[scene->region.conflict_count++] = (struct plan_conflict){
        .kind = kind, .block_a = a, .block_b = b, .effect_a = &scene->effects[0], .effect_b = &scene->effects[1]};
}

// How many overlaps were found.
static int settle(const struct scene *scene, struct plan_order *order)
{
    int count = 0;
    plan_order_begin(order, &scene->region);
    for (int i = 0; i < scene->region.conflict_count; i++) {
        if (plan_order_asks(order, &scene->conflicts[i])) {
            count += plan_order_test(order, &scene->conflicts[i], &scene->values) == PLAN_OVERLAPS;
        }
    }
    return count;
}

TEST(blocks_that_nothing_orders_run_at_once)
{
    struct scene scene;
    struct plan_order order;
    init(&scene, SIZE);
    add_conflict(&scene, PLAN_CONFLICT_TEST, 0, 1);
    CHECK_INT(settle(&scene, &order), 0);
    CHECK_INT(order.blocks[1].earlier, 0);
    CHECK_INT(plan_order_way(&order), PLAN_ORDER_CONCURRENT);
    CHECK(!plan_conflict_is_possible(&scene.conflicts[0], &scene.values));
}

TEST(two_overlaps_of_two_blocks_are_found_once)
{
    struct scene scene;
    struct plan_order order;
    init(&scene, SIZE - 4);
    add_conflict(&scene, PLAN_CONFLICT_TEST, 1, 3);
    add_conflict(&scene, PLAN_CONFLICT_TEST, 1, 3);
    CHECK_INT(settle(&scene, &order), 1);
    CHECK_INT(order.blocks[3].earlier, 2);
    CHECK_INT(order.blocks[3].reason, PLAN_ORDER_SHARED);
    CHECK_INT(order.blocks[3].last, 1);
    CHECK(plan_order_follows(&order, 3, 1) && !plan_order_follows(&order, 3, 2));
    CHECK(plan_conflict_is_possible(&scene.conflicts[0], &scene.values));
}

TEST(a_block_marked_in_order_follows_all_before_it_and_is_not_asked_about)
{
    struct scene scene;
    struct plan_order order;
    init(&scene, 0);
    scene.blocks[2].in_order = true;
    add_conflict(&scene, PLAN_CONFLICT_TEST, 0, 2);
    CHECK_INT(settle(&scene, &order), 0);
    CHECK_INT(order.blocks[2].earlier, 3);
    CHECK_INT(order.blocks[2].reason, PLAN_ORDER_MARKED);
    CHECK_INT(order.blocks[3].earlier, 0);
}

TEST(a_chain_of_blocks_says_whether_the_source_or_the_arguments_made_it)
{
    struct scene scene;
    struct plan_order order;
    init(&scene, 0);
    scene.region.child_count = 2;
    add_conflict(&scene, PLAN_CONFLICT_IN_ORDER, 0, 1);
    CHECK_INT(settle(&scene, &order), 0);
    CHECK_INT(plan_order_way(&order), PLAN_ORDER_IN_ORDER);
    scene.conflicts[0].kind = PLAN_CONFLICT_TEST;
    CHECK_INT(settle(&scene, &order), 1);
    CHECK_INT(plan_order_way(&order), PLAN_ORDER_OVERLAP);
}

TEST(regions_that_restrict_keeps_apart_break_it_where_they_overlap_also_in_order)
{
    struct scene scene;
    struct plan_order order;
    init(&scene, 0);
    scene.blocks[1].in_order = true;
    add_conflict(&scene, PLAN_CONFLICT_TEST, 0, 1);
    scene.conflicts[0].is_restrict = true;
    plan_order_begin(&order, &scene.region);
    CHECK(plan_order_asks(&order, &scene.conflicts[0]));
    CHECK_INT(plan_order_test(&order, &scene.conflicts[0], &scene.values), PLAN_BREAKS);
    scene.args[1] = memory + SIZE;
    CHECK_INT(plan_order_test(&order, &scene.conflicts[0], &scene.values), PLAN_APART);
}

TEST(work_is_nothing_without_iterations_and_never_overflows)
{
    CHECK_INT(plan_work(0, 5), 0);
    CHECK_INT(plan_work(-3, 5), 0);
    CHECK_INT(plan_work(6, 7), 42);
    CHECK(plan_work(INT64_MAX, 2) == INT64_MAX);
}

TEST(a_loop_runs_whole_where_it_has_a_task_for_that_and_its_condition_holds)
{
    struct plan_expr yes = {.kind = PLAN_EXPR_CONST, .type = IR_I1, .imm = 1};
    struct plan_expr no = {.kind = PLAN_EXPR_CONST, .type = IR_I1, .imm = 0};
    struct plan_expr slot = {.kind = PLAN_EXPR_SLOT, .type = IR_I1};
    struct plan_values values = {.args = NULL};
    struct plan_node loop = {.kind = PLAN_FOR, .whole_task = -1, .whole_if = &slot};
    bool is_whole = true;
    CHECK(plan_loop_runs_whole(&loop, &values, &is_whole) && !is_whole); // its condition is not looked at
    loop.whole_task = 0;
    CHECK(!plan_loop_runs_whole(&loop, &values, &is_whole) && !is_whole);
    loop.whole_if = &no;
    CHECK(plan_loop_runs_whole(&loop, &values, &is_whole) && !is_whole);
    loop.whole_if = &yes;
    CHECK(plan_loop_runs_whole(&loop, &values, &is_whole) && is_whole);
    loop.whole_if = NULL;
    CHECK(plan_loop_runs_whole(&loop, &values, &is_whole) && is_whole);
}
