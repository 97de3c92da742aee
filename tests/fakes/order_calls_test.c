// What automatic order costs in calls of the driver, beside what events by hand would cost, counted on the stand-in.
// The device lies far behind the host, as it does where order costs anything: nothing has run that nobody waits for.
#include "ok.h"
#include "stand_in.h"

enum { SIDE = 8, CHAINS = 4, LINKS = 50, PARTS = 6, TIMES = 5, TILES = SIDE * SIDE, FEW = 4 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "kernel void work(const int a[1], const int b[1], int w[1]) { w[0] += 2 * a[0] + b[0]; }\n";

static long (*calls)(const char *);

struct stage {
    rill_context context;
    rill_kernel work;
    rill_array none;
    rill_array tiles[TILES];
};

static void open_stage(struct stage *stage)
{
    setenv("FAKE_CUDA_LAZY", "10000000", 1); // ten seconds
    setenv("RILL_GRAPH", "off", 1);
    void *library = use_stand_in();
    *(void **)&calls = dlsym(library, "stand_in_calls");
    REQUIRE(calls != NULL);
    rill_module module = {0};
    OK(rill_open("cuda:0", &(rill_open_options){.order = RILL_ORDER_AUTO}, &stage->context));
    OK(rill_module_create(stage->context, source, NULL, &module));
    OK(rill_module_kernel(module, "work", &stage->work));
    OK(rill_array_create(stage->context, RILL_I32, RILL_SHAPE(1), &stage->none));
    for (int i = 0; i < TILES; i++) {
        OK(rill_array_create(stage->context, RILL_I32, RILL_SHAPE(1), &stage->tiles[i]));
    }
}

// Updates tile |w| from |a| and |b|; -1: from none.
static void work(struct stage *stage, rill_stream stream, int a, int b, int w)
{
    OK(rill_launch(
        stage->work, stream,
        RILL_ARGS(a >= 0 ? stage->tiles[a] : stage->none, b >= 0 ? stage->tiles[b] : stage->none, stage->tiles[w])));
}

struct count {
    long tasks, records, waits, questions, sets;
};

static struct count count_now(void)
{
    return (struct count){calls("cuLaunchKernel"), calls("cuEventRecord"), calls("cuStreamWaitEvent"),
                          calls("cuEventQuery") + calls("cuStreamQuery"), calls("cuCtxSetCurrent")};
}

// What |run| takes once everything is warm.
static struct count count_calls(struct stage *stage, void (*run)(struct stage *stage))
{
    for (int i = 0; i < 3; i++) {
        run(stage);
        OK(rill_sync(stage->context));
    }
    struct count before = count_now();
    run(stage);
    struct count after = count_now();
    OK(rill_sync(stage->context));
    return (struct count){after.tasks - before.tasks, after.records - before.records, after.waits - before.waits,
                          after.questions - before.questions, after.sets - before.sets};
}

static void wavefront(struct stage *stage)
{
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            int at = i * SIDE + j;
            work(stage, RILL_ANY, i > 0 ? at - SIDE : -1, j > 0 ? at - 1 : -1, at);
        }
    }
}

TEST(a_wavefront_waits_as_often_as_by_hand)
{
    struct stage stage;
    open_stage(&stage);
    struct count count = count_calls(&stage, wavefront);
    CHECK_INT(count.tasks, SIDE * SIDE);
    CHECK(count.waits <= (SIDE - 1) * SIDE); // each tile for the one above
    CHECK(count.records <= SIDE * SIDE);
    CHECK(count.questions <= FEW);
    CHECK(count.sets <= 2 * count.tasks + FEW); // the device is made current once a launch
    OK(rill_close(stage.context));
}

static void chains(struct stage *stage)
{
    for (int i = 0; i < LINKS; i++) {
        for (int k = 0; k < CHAINS; k++) {
            work(stage, RILL_ANY, -1, -1, k);
        }
    }
}

TEST(chains_stay_on_their_streams)
{
    struct stage stage;
    open_stage(&stage);
    struct count count = count_calls(&stage, chains);
    CHECK_INT(count.waits, 0);
    CHECK(count.records <= CHAINS * LINKS / 4); // nobody waits for any
    CHECK(count.questions <= FEW);
    OK(rill_close(stage.context));
}

// Cells that are computed from their neighbours, to and fro.
static void sweeps(struct stage *stage)
{
    for (int t = 0; t < TIMES; t++) {
        for (int i = 0; i < PARTS; i++) {
            work(stage, RILL_ANY, (i + 1) % PARTS, (i + PARTS - 1) % PARTS, PARTS + i);
        }
        for (int i = 0; i < PARTS; i++) {
            work(stage, RILL_ANY, PARTS + i, -1, i);
        }
    }
}

TEST(sweeps_over_cells_wait_as_often_as_by_hand)
{
    struct stage stage;
    open_stage(&stage);
    struct count count = count_calls(&stage, sweeps);
    // A cell on a stream of its own waits for two neighbours in each half of a sweep, but for those of the first.
    CHECK(count.waits <= PARTS * (4 * TIMES - 2));
    CHECK(count.records <= count.tasks);
    CHECK(count.questions <= FEW);
    OK(rill_close(stage.context));
}

static rill_stream named[3];

// The last one follows the other two, of which the second follows the first.
static void three_streams(struct stage *stage)
{
    work(stage, named[0], -1, -1, 0);
    work(stage, named[1], 0, -1, 1);
    work(stage, named[2], 0, 1, 2);
}

TEST(what_another_wait_implies_is_not_waited_for)
{
    struct stage stage;
    open_stage(&stage);
    for (int i = 0; i < 3; i++) {
        OK(rill_stream_create(stage.context, NULL, &named[i]));
    }
    struct count count = count_calls(&stage, three_streams);
    CHECK_INT(count.waits, 2);
    CHECK_INT(count.questions, 0);
    OK(rill_close(stage.context));
}

// Every array is read and written again and again, by more launches than the table of accesses holds unasked.
static void long_run(struct stage *stage)
{
    for (int t = 0; t < 4 * TIMES; t++) {
        wavefront(stage);
    }
}

TEST(far_behind_the_device_is_asked_seldom)
{
    struct stage stage;
    open_stage(&stage);
    struct count count = count_calls(&stage, long_run);
    CHECK(count.questions <= count.tasks / 8);
    CHECK(count.waits <= 3 * count.tasks);
    OK(rill_close(stage.context));
}
