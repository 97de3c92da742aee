// The CPU back end on plans made by hand, whose entries are functions of this file: no compiler, no loader.
#include "backend/cpu/exec.h"
#include "backend/cpu/image.h"
#include "backend/cpu/stream.h"

#include "test.h"

// ---- a context of its own -----------------------------------------------------------------------------------------

struct bench {
    struct backend_device *device;
    struct backend_stream *stream;
    struct arena arena;
    struct plan_module plan;
    struct plan_kernel *kernels[4];
    struct backend_image *image;
    char printed[4096];
    size_t printed_size;
    char logged[1024];
};

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    void *memory;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static void release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static void keep_log(void *user, enum backend_log_level level, const char *text)
{
    struct bench *bench = user;
    (void)level;
    snprintf(bench->logged, sizeof bench->logged, "%s", text);
}

static void keep_print(void *user, const char *text, size_t length)
{
    struct bench *bench = user;
    size_t room = sizeof bench->printed - 1 - bench->printed_size;
    size_t kept = length < room ? length : room;
    memcpy(bench->printed + bench->printed_size, text, kept);
    bench->printed_size += kept;
    bench->printed[bench->printed_size] = '\0';
}

// Without a pool: every block gets a stream of its own.
static rill_status acquire_stream(void *user, int priority, struct backend_lease *out_lease)
{
    struct bench *bench = user;
    *out_lease = (struct backend_lease){0};
    return backend_cpu.stream_create(bench->device, priority, 0, &out_lease->stream);
}

static void release_stream(void *user, const struct backend_lease *lease, bool is_sound)
{
    (void)user;
    CHECK(is_sound);
    backend_cpu.stream_destroy(lease->stream);
}

static void open_bench(struct bench *bench, int thread_count)
{
    memset(bench, 0, sizeof *bench);
    struct backend_host host = {.user = bench,
                                .allocate = allocate,
                                .release = release,
                                .log = keep_log,
                                .print = keep_print,
                                .acquire_stream = acquire_stream,
                                .release_stream = release_stream,
                                .thread_count = thread_count};
    REQUIRE(backend_cpu.device_open(0, &host, &bench->device) == RILL_OK);
    REQUIRE(backend_cpu.stream_create(bench->device, 0, 7, &bench->stream) == RILL_OK);
    arena_init(&bench->arena);
    bench->plan.arena = &bench->arena;
    static const char *files[] = {"kernel.c"};
    bench->plan.files = files;
    bench->plan.file_count = 1;
    bench->plan.kernels = bench->kernels;
}

static void close_bench(struct bench *bench)
{
    backend_cpu.stream_destroy(bench->stream);
    // Launches hold their image until they have run.
    image_unload(bench->image);
    backend_cpu.device_close(bench->device);
    arena_finish(&bench->arena);
}

// ---- entries ------------------------------------------------------------------------------------------------------

struct args {
    int64_t n;
    int64_t *out;
    int64_t stop_at;
};

static void fill_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    const struct args *a = args;
    (void)block;
    (void)partial;
    (void)frame;
    for (int64_t i = lo; i < hi; i++) {
        a->out[i] += i;
    }
}

static void ones_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    const struct args *a = args;
    (void)block;
    (void)partial;
    (void)frame;
    a->out[0] += hi - lo;
}

// A sum whose bits depend on how it is split.
static void sum_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    (void)args;
    (void)block;
    (void)frame;
    float sum = 0;
    for (int64_t i = lo; i < hi; i++) {
        sum += 1.0f / (float)(i + 1);
    }
    *(float *)partial = sum;
}

static void sum_finish(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    (void)args;
    (void)lo;
    (void)hi;
    float sum = 0;
    for (int64_t i = 0; i < frame->iter_count; i++) {
        sum += *(float *)((char *)partial + 8 * i);
    }
    *(float *)block = sum;
}

// Appends the loop variable in slot 8 as a digit to out[0].
static void digit_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    const struct args *a = args;
    (void)lo;
    (void)hi;
    (void)partial;
    (void)frame;
    int32_t t;
    memcpy(&t, (char *)block + 8, sizeof t);
    a->out[0] = a->out[0] * 10 + t;
}

static void stop_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    const struct args *a = args;
    (void)lo;
    (void)hi;
    (void)partial;
    (void)frame;
    char *flag = (char *)block + 16;
    *flag = a->out[0] >= a->stop_at;
}

static void print_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    (void)args;
    (void)block;
    (void)partial;
    for (int64_t i = lo; i < hi; i++) {
        uint64_t cells[1] = {(uint64_t)i};
        if (i % 1000 == 0) {
            frame->services->print(frame, i, "%lld;", cells, 1);
            frame->services->print(frame, i, "again\n", NULL, 0);
        }
    }
}

static void flood_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    const struct args *a = args;
    (void)block;
    (void)lo;
    (void)hi;
    (void)partial;
    for (int64_t i = 0; i < a->n; i++) {
        frame->services->print(frame, 0, "%lld ", (uint64_t[]){(uint64_t)i}, 1);
    }
}

static const struct abi_failure failing_place = {
    .kind = ABI_FAILURE_ASSERT, .file = 0, .line = 12, .column = 5, .text = "x > 0"};
static const struct abi_failure bounds_place = {
    .kind = ABI_FAILURE_BOUNDS, .file = 0, .line = 21, .column = 9, .text = "out"};

static void fail_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    const struct args *a = args;
    (void)block;
    (void)partial;
    if (lo <= a->stop_at && a->stop_at < hi) {
        frame->services->fail(frame, &failing_place, a->stop_at, 0, 0);
    }
}

static void bounds_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    const struct args *a = args;
    (void)block;
    (void)partial;
    if (lo <= a->stop_at && a->stop_at < hi) {
        frame->services->fail(frame, &bounds_place, a->stop_at, a->n + 3, a->n);
    }
}

static void in_order_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial,
                           struct abi_frame *frame)
{
    const struct args *a = args;
    (void)block;
    (void)lo;
    (void)hi;
    (void)partial;
    (void)frame;
    a->out[0] = -1;
}

static atomic_int meeting;

// Two blocks that each wait, for a while, until the other one has begun.
static void meet_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame)
{
    const struct args *a = args;
    (void)block;
    (void)lo;
    (void)hi;
    (void)partial;
    (void)frame;
    atomic_fetch_add(&meeting, 1);
    for (int i = 0; i < 100000 && atomic_load(&meeting) < 2; i++) {
        usleep(20);
    }
    if (atomic_load(&meeting) >= 2) {
        __atomic_fetch_add(a->out, 1, __ATOMIC_RELAXED);
    }
}

#define ENTRY_LIST(X)                                                                                                  \
    X(fill_entry)                                                                                                      \
    X(ones_entry)                                                                                                      \
    X(sum_entry)                                                                                                       \
    X(sum_finish)                                                                                                      \
    X(digit_entry)                                                                                                     \
    X(stop_entry)                                                                                                      \
    X(print_entry)                                                                                                     \
    X(fail_entry)                                                                                                      \
    X(bounds_entry)                                                                                                    \
    X(in_order_entry)                                                                                                  \
    X(flood_entry)                                                                                                     \
    X(meet_entry)

static void *resolve(void *user, const char *name, bool is_field)
{
    (void)user;
    (void)is_field;
#define RESOLVE_ONE(entry)                                                                                             \
    if (strcmp(name, #entry) == 0) {                                                                                   \
        union {                                                                                                        \
            abi_entry *function;                                                                                       \
            void *object;                                                                                              \
        } cast = {.function = entry};                                                                                  \
        return cast.object;                                                                                            \
    }
    ENTRY_LIST(RESOLVE_ONE)
    return NULL;
}

// ---- plans --------------------------------------------------------------------------------------------------------

static struct plan_node *new_node(struct bench *bench, enum plan_node_kind kind)
{
    struct plan_node *node = ARENA_NEW(&bench->arena, struct plan_node);
    node->kind = kind;
    node->id = bench->kernels[0]->node_count++;
    node->slot = -1;
    node->whole_task = -1;
    node->children = ARENA_ARRAY(&bench->arena, struct plan_node *, 8);
    return node;
}

static struct plan_node *child(struct plan_node *parent, struct plan_node *node)
{
    parent->children[parent->child_count++] = node;
    return node;
}

static struct plan_expr *slot_expr(struct bench *bench, enum ir_type type, int64_t offset)
{
    struct plan_expr *expr = plan_const(&bench->arena, type, offset);
    expr->kind = PLAN_EXPR_SLOT;
    return expr;
}

// A kernel of struct args with an empty sequence as its root.
static struct plan_node *new_kernel(struct bench *bench)
{
    struct plan_kernel *kernel = ARENA_NEW(&bench->arena, struct plan_kernel);
    static const char *names[] = {"n", "out", "stop_at"};
    bench->kernels[bench->plan.kernel_count++] = kernel;
    kernel->name = "kernel";
    kernel->params = ARENA_ARRAY(&bench->arena, struct plan_param, 3);
    kernel->param_count = 3;
    for (int i = 0; i < 3; i++) {
        kernel->params[i] = (struct plan_param){
            .name = names[i], .type = i == 1 ? IR_PTR : IR_I64, .is_array = i == 1, .offset = (uint64_t)i * 8};
    }
    kernel->params[1].extents = ARENA_ARRAY(&bench->arena, struct plan_expr *, 1);
    kernel->params[1].extents[0] = plan_param(&bench->arena, IR_I64, 0);
    kernel->params[1].rank = 1;
    kernel->args_size = sizeof(struct args);
    kernel->block_size = 64;
    kernel->tasks = ARENA_ARRAY(&bench->arena, struct plan_task, 8);
    kernel->root = new_node(bench, PLAN_SEQUENCE);
    return kernel->root;
}

static struct plan_task *add_task(struct bench *bench, struct plan_node *parent, const char *entry)
{
    struct plan_kernel *kernel = bench->kernels[0];
    struct plan_task *task = &kernel->tasks[kernel->task_count];
    *task = (struct plan_task){.name = "kernel.0", .kind = PLAN_TASK_SERIAL, .entry = entry, .loop = -1, .loc.line = 3};
    if (parent != NULL) {
        child(parent, new_node(bench, PLAN_TASK))->task = kernel->task_count;
    }
    kernel->task_count++;
    return task;
}

static struct plan_task *add_loop(struct bench *bench, struct plan_node *parent, const char *entry)
{
    struct plan_task *task = add_task(bench, parent, entry);
    task->kind = PLAN_TASK_PARALLEL;
    task->trip = plan_param(&bench->arena, IR_I64, 0);
    task->loop = 0;
    return task;
}

static void load(struct bench *bench)
{
    REQUIRE(image_create(bench->device, &bench->plan, resolve, NULL, &bench->image) == RILL_OK);
}

static rill_status launch(struct bench *bench, struct args args, void *result, size_t result_size)
{
    uint64_t sizes[3] = {0, (uint64_t)args.n * 8, 0};
    struct backend_launch launch = {
        .image = bench->image, .args = &args, .array_sizes = sizes, .result = result, .result_size = result_size};
    return backend_cpu.launch(bench->stream, &launch);
}

static void wait_for(struct bench *bench)
{
    backend_cpu.stream_synchronize(bench->stream);
}

// ---- tests --------------------------------------------------------------------------------------------------------

TEST(parallel_task_runs_every_iteration_once)
{
    static const int64_t trips[] = {0, 1, 2, 63, 64, 1000, 100000, 1234567};
    for (int threads = 1; threads <= 7; threads += 3) {
        for (int i = 0; i < 8; i++) {
            struct bench bench;
            open_bench(&bench, threads);
            add_loop(&bench, new_kernel(&bench), "fill_entry");
            load(&bench);
            int64_t n = trips[i];
            int64_t *out = calloc((size_t)n + 1, sizeof *out);
            REQUIRE(launch(&bench, (struct args){.n = n, .out = out}, NULL, 0) == RILL_OK);
            wait_for(&bench);
            int64_t wrong = out[n] != 0;
            for (int64_t k = 0; k < n; k++) {
                wrong += out[k] != k;
            }
            CHECK_INT(wrong, 0);
            free(out);
            close_bench(&bench);
        }
    }
}

TEST(trip_count_beyond_2_to_the_32_is_cut_without_loss)
{
    struct bench bench;
    open_bench(&bench, 1); // one thread: the entry adds without an atomic
    add_loop(&bench, new_kernel(&bench), "ones_entry");
    load(&bench);
    int64_t count = 0;
    REQUIRE(launch(&bench, (struct args){.n = INT64_C(1) << 40, .out = &count}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(count, INT64_C(1) << 40);
    close_bench(&bench);
}

TEST(reduction_has_the_same_bits_with_any_number_of_threads)
{
    static const int64_t trips[] = {1, 10, 5000, 100000, 3000000};
    for (int i = 0; i < 5; i++) {
        float results[4] = {0};
        for (int threads = 1; threads <= 4; threads++) {
            struct bench bench;
            open_bench(&bench, threads);
            struct plan_task *task = add_loop(&bench, new_kernel(&bench), "sum_entry");
            task->finish = "sum_finish";
            task->partial_size = 8;
            load(&bench);
            for (int round = 0; round < 3; round++) {
                float result = -1;
                REQUIRE(launch(&bench, (struct args){.n = trips[i]}, &result, sizeof result) == RILL_OK);
                wait_for(&bench);
                results[threads - 1] = result;
                CHECK(results[threads - 1] == results[0]);
            }
            close_bench(&bench);
        }
        CHECK(results[0] > 0.9f);
    }
}

TEST(control_loop_writes_its_variable_and_leaves_cs_value)
{
    struct bench bench;
    open_bench(&bench, 2);
    struct plan_node *root = new_kernel(&bench);
    struct plan_node *loop = child(root, new_node(&bench, PLAN_FOR));
    loop->slot = 8;
    loop->type = IR_I32;
    loop->expr = plan_const(&bench.arena, IR_I32, 1);
    loop->trip = plan_param(&bench.arena, IR_I64, 0);
    loop->step = 2;
    add_task(&bench, child(loop, new_node(&bench, PLAN_SEQUENCE)), "digit_entry");
    add_task(&bench, root, "digit_entry");
    load(&bench);
    int64_t out[4] = {0};
    REQUIRE(launch(&bench, (struct args){.n = 3, .out = out}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], 1357); // t = 1, 3, 5, and 7 afterwards
    out[0] = 0;
    REQUIRE(launch(&bench, (struct args){.n = 0, .out = out}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], 1);
    close_bench(&bench);
}

TEST(loop_runs_until_a_break_and_return_ends_the_kernel)
{
    struct bench bench;
    open_bench(&bench, 2);
    struct plan_node *root = new_kernel(&bench);
    struct plan_node *set = child(root, new_node(&bench, PLAN_ASSIGN));
    set->slot = 8;
    set->type = IR_I32;
    set->expr = plan_const(&bench.arena, IR_I32, 1);
    struct plan_node *loop = child(root, new_node(&bench, PLAN_LOOP));
    struct plan_node *body = child(loop, new_node(&bench, PLAN_SEQUENCE));
    add_task(&bench, body, "digit_entry");
    add_task(&bench, body, "stop_entry");
    struct plan_node *test = child(body, new_node(&bench, PLAN_IF));
    test->expr = slot_expr(&bench, IR_I1, 16);
    child(test, new_node(&bench, PLAN_BREAK))->target = loop->id;
    add_task(&bench, root, "digit_entry");
    child(root, new_node(&bench, PLAN_RETURN));
    add_task(&bench, root, "digit_entry");
    load(&bench);
    int64_t out[1] = {0};
    REQUIRE(launch(&bench, (struct args){.n = 1, .out = out, .stop_at = 111}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], 1111); // three rounds, one task after the loop, none after the return
    close_bench(&bench);
}

TEST(loop_runs_whole_where_the_plan_says_so)
{
    struct bench bench;
    open_bench(&bench, 2);
    struct plan_node *root = new_kernel(&bench);
    struct plan_node *loop = child(root, new_node(&bench, PLAN_FOR));
    loop->slot = 8;
    loop->type = IR_I32;
    loop->expr = plan_const(&bench.arena, IR_I32, 5);
    loop->trip = plan_const(&bench.arena, IR_I64, 3);
    loop->step = 1;
    add_task(&bench, child(loop, new_node(&bench, PLAN_SEQUENCE)), "digit_entry");
    loop->whole_task = 1;
    add_task(&bench, NULL, "in_order_entry");
    loop->whole_if = plan_op(&bench.arena, IR_OP_SLT, IR_I1, IR_I64, plan_param(&bench.arena, IR_I64, 0),
                             plan_const(&bench.arena, IR_I64, 10));
    load(&bench);
    int64_t out[1] = {0};
    REQUIRE(launch(&bench, (struct args){.n = 9, .out = out}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], -1);
    out[0] = 0;
    REQUIRE(launch(&bench, (struct args){.n = 10, .out = out}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], 567);
    struct backend_stats stats;
    backend_cpu.device_stats(bench.device, &stats);
    CHECK_INT(stats.whole_count, 1);
    close_bench(&bench);
}

TEST(task_whose_condition_fails_runs_in_order_counted_and_logged)
{
    struct bench bench;
    open_bench(&bench, 2);
    struct plan_task *task = add_loop(&bench, new_kernel(&bench), "fill_entry");
    task->in_order = "in_order_entry";
    task->conditions = ARENA_ARRAY(&bench.arena, struct plan_condition, 1);
    task->conditions[0].expr = plan_op(&bench.arena, IR_OP_NE, IR_I1, IR_I64, plan_param(&bench.arena, IR_I64, 2),
                                       plan_const(&bench.arena, IR_I64, 0));
    task->conditions[0].text = "stride != 0";
    task->condition_count = 1;
    load(&bench);
    int64_t out[2] = {0};
    REQUIRE(launch(&bench, (struct args){.n = 2, .out = out, .stop_at = 1}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[1], 1);
    REQUIRE(launch(&bench, (struct args){.n = 2, .out = out, .stop_at = 0}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], -1);
    struct backend_stats stats;
    backend_cpu.device_stats(bench.device, &stats);
    CHECK_INT(stats.in_order_count, 1);
    CHECK_STR(bench.logged, "kernel 'kernel', kernel.c:3: the loop runs in order: the condition 'stride != 0' does not "
                            "hold");
    close_bench(&bench);
}

TEST(printed_text_comes_out_in_serial_order)
{
    struct bench bench;
    open_bench(&bench, 4);
    add_loop(&bench, new_kernel(&bench), "print_entry")->may_print = true;
    load(&bench);
    REQUIRE(launch(&bench, (struct args){.n = 20000}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    char expected[1024] = "";
    for (int i = 0; i < 20; i++) {
        sprintf(expected + strlen(expected), "%d;again\n", i * 1000);
    }
    CHECK_STR(bench.printed, expected);
    close_bench(&bench);
}

TEST(failure_ends_the_launch_and_stays_on_the_stream_until_cleared)
{
    struct bench bench;
    open_bench(&bench, 2);
    struct plan_node *root = new_kernel(&bench);
    add_loop(&bench, root, "fail_entry");
    add_loop(&bench, root, "fill_entry");
    load(&bench);
    int64_t out[200] = {0};
    REQUIRE(launch(&bench, (struct args){.n = 200, .out = out, .stop_at = 77}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    int64_t touched = 0;
    for (int i = 0; i < 200; i++) {
        touched += out[i] != 0;
    }
    CHECK_INT(touched, 0); // the later task did not start
    struct backend_error error;
    REQUIRE(backend_cpu.stream_error(bench.stream, &error));
    CHECK_INT(error.status, RILL_ERR_ASSERT);
    CHECK_STR(error.text, "kernel 'kernel', kernel.c:12: the assertion 'x > 0' failed in iteration 77");
    CHECK_INT(error.line, 12);
    CHECK_INT(error.iteration, 77);
    CHECK_INT(error.stream, 7);
    CHECK_INT(launch(&bench, (struct args){.n = 200, .out = out, .stop_at = -1}, NULL, 0), RILL_ERR_ASSERT);
    backend_cpu.stream_clear_error(bench.stream);
    CHECK(!backend_cpu.stream_error(bench.stream, &error));
    CHECK_INT(launch(&bench, (struct args){.n = 200, .out = out, .stop_at = -1}, NULL, 0), RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[199], 199);
    close_bench(&bench);
}

TEST(index_out_of_range_names_array_index_and_shape)
{
    struct bench bench;
    open_bench(&bench, 2);
    add_loop(&bench, new_kernel(&bench), "bounds_entry");
    load(&bench);
    REQUIRE(launch(&bench, (struct args){.n = 40, .stop_at = 39}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    struct backend_error error;
    REQUIRE(backend_cpu.stream_error(bench.stream, &error));
    CHECK_INT(error.status, RILL_ERR_BOUNDS);
    CHECK_STR(error.array, "out");
    CHECK_STR(error.shape, "[40]");
    CHECK_INT(error.index, 43);
    CHECK_INT(error.extent, 40);
    CHECK_STR(error.text,
              "kernel 'kernel', kernel.c:21: index 43 of 'out' is out of range [0, 40) in iteration 39; its "
              "shape is [40]");
    close_bench(&bench);
}

TEST(caller_gets_its_own_failure_and_the_stream_stays_clean)
{
    struct bench bench;
    open_bench(&bench, 2);
    add_loop(&bench, new_kernel(&bench), "fail_entry");
    load(&bench);
    struct args args = {.n = 10, .stop_at = 3};
    uint64_t sizes[3] = {0};
    struct backend_error error = {0};
    struct backend_launch launch = {.image = bench.image, .args = &args, .array_sizes = sizes, .caller = &error};
    REQUIRE(backend_cpu.launch(bench.stream, &launch) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(error.status, RILL_ERR_ASSERT);
    CHECK(!backend_cpu.stream_error(bench.stream, NULL));
    close_bench(&bench);
}

static struct plan_node *add_region(struct bench *bench, struct plan_node *parent, int block_count, const char *entry)
{
    struct plan_node *region = child(parent, new_node(bench, PLAN_REGION));
    for (int i = 0; i < block_count; i++) {
        struct plan_node *block = child(region, new_node(bench, PLAN_SEQUENCE));
        block->group = i + 1;
        add_task(bench, block, entry)->group = i + 1;
    }
    return region;
}

TEST(blocks_of_a_region_run_at_once)
{
    struct bench bench;
    open_bench(&bench, 2);
    struct plan_node *root = new_kernel(&bench);
    add_region(&bench, root, 2, "meet_entry");
    load(&bench);
    int64_t out[1] = {0};
    atomic_store(&meeting, 0);
    REQUIRE(launch(&bench, (struct args){.n = 1, .out = out}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], 2); // each saw the other begin
    close_bench(&bench);
}

// A region of four blocks that append their numbers to a decimal number.
static struct plan_node *add_digits(struct bench *bench)
{
    struct plan_node *region = add_region(bench, new_kernel(bench), 4, "digit_entry");
    for (int i = 0; i < 4; i++) {
        struct plan_node *set = new_node(bench, PLAN_ASSIGN);
        set->slot = 8;
        set->type = IR_I32;
        set->expr = plan_const(&bench->arena, IR_I32, i + 1);
        region->children[i]->children[1] = region->children[i]->children[0];
        region->children[i]->children[0] = set;
        region->children[i]->child_count = 2;
    }
    return region;
}

static void check_digits(bool in_order)
{
    for (int threads = 1; threads <= 4; threads++) {
        struct bench bench;
        open_bench(&bench, threads);
        struct plan_node *region = add_digits(&bench);
        for (int i = 0; i < 4; i++) {
            region->children[i]->in_order = in_order;
            bench.kernels[0]->tasks[i].cost = in_order ? NULL : plan_const(&bench.arena, IR_I64, 10);
        }
        load(&bench);
        for (int round = 0; round < 200; round++) {
            int64_t out[1] = {0};
            REQUIRE(launch(&bench, (struct args){.n = 1, .out = out}, NULL, 0) == RILL_OK);
            wait_for(&bench);
            CHECK_INT(out[0], 1234);
        }
        close_bench(&bench);
    }
}

TEST(blocks_in_order_follow_each_other)
{
    check_digits(true);
}

TEST(blocks_that_are_known_to_be_small_run_one_after_the_other)
{
    check_digits(getenv("RILL_SCHEDULE") != NULL); // in a chosen schedule only those that must
}

TEST(blocks_whose_regions_meet_run_in_program_order)
{
    struct bench bench;
    open_bench(&bench, 4);
    struct plan_node *root = new_kernel(&bench);
    struct plan_node *region = add_region(&bench, root, 2, "fill_entry");
    struct plan_kernel *kernel = bench.kernels[0];
    kernel->tasks[0].entry = "in_order_entry"; // out[0] = -1
    kernel->tasks[1].entry = "ones_entry";     // out[0] += 1
    region->conflicts = ARENA_ARRAY(&bench.arena, struct plan_conflict, 1);
    region->conflict_count = 1;
    static struct plan_effect effect = {.base = PLAN_BASE_PARAM, .index = 1, .access = PLAN_WRITE};
    region->conflicts[0] = (struct plan_conflict){
        .kind = PLAN_CONFLICT_TEST, .block_a = 0, .block_b = 1, .effect_a = &effect, .effect_b = &effect};
    load(&bench);
    for (int round = 0; round < 200; round++) {
        int64_t out[1] = {5};
        REQUIRE(launch(&bench, (struct args){.n = 1, .out = out}, NULL, 0) == RILL_OK);
        wait_for(&bench);
        CHECK_INT(out[0], 0);
    }
    struct backend_stats stats;
    backend_cpu.device_stats(bench.device, &stats);
    CHECK_INT(stats.block_in_order_count, 200);
    CHECK_CONTAINS(bench.logged, "block 2 of the region at line");
    close_bench(&bench);
}

TEST(region_in_a_control_loop_is_ordered_with_what_stands_around_it)
{
    struct bench bench;
    open_bench(&bench, 3);
    struct plan_node *root = new_kernel(&bench);
    struct plan_node *loop = child(root, new_node(&bench, PLAN_FOR));
    loop->expr = plan_const(&bench.arena, IR_I32, 0);
    loop->trip = plan_const(&bench.arena, IR_I64, 500);
    loop->step = 1;
    struct plan_node *body = child(loop, new_node(&bench, PLAN_SEQUENCE));
    add_task(&bench, body, "ones_entry");
    add_region(&bench, body, 2, "meet_entry"); // meeting is 2 already: they only count
    add_task(&bench, body, "ones_entry");
    load(&bench);
    atomic_store(&meeting, 2);
    int64_t out[1] = {0};
    REQUIRE(launch(&bench, (struct args){.n = 1, .out = out}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], 2000);
    close_bench(&bench);
}

TEST(launches_of_one_stream_run_in_order_and_streams_overlap)
{
    struct bench bench;
    open_bench(&bench, 2);
    struct plan_node *root = new_kernel(&bench);
    add_task(&bench, root, "meet_entry");
    load(&bench);
    struct backend_stream *other;
    REQUIRE(backend_cpu.stream_create(bench.device, 0, 8, &other) == RILL_OK);
    atomic_store(&meeting, 0);
    int64_t out[1] = {0};
    struct args args = {.n = 1, .out = out};
    uint64_t sizes[3] = {0};
    struct backend_launch request = {.image = bench.image, .args = &args, .array_sizes = sizes};
    REQUIRE(backend_cpu.launch(bench.stream, &request) == RILL_OK);
    REQUIRE(backend_cpu.launch(other, &request) == RILL_OK);
    backend_cpu.stream_synchronize(bench.stream);
    backend_cpu.stream_synchronize(other);
    CHECK_INT(out[0], 2);
    backend_cpu.stream_destroy(other);
    close_bench(&bench);
}

TEST(events_order_streams_also_with_one_thread)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct bench bench;
        open_bench(&bench, threads);
        struct plan_node *root = new_kernel(&bench);
        struct plan_node *set = child(root, new_node(&bench, PLAN_ASSIGN));
        set->slot = 8;
        set->type = IR_I32;
        set->expr = plan_op(&bench.arena, IR_OP_TRUNC, IR_I32, IR_I64, plan_param(&bench.arena, IR_I64, 2), NULL);
        add_task(&bench, root, "digit_entry");
        load(&bench);
        struct backend_stream *other;
        struct backend_event *event;
        REQUIRE(backend_cpu.stream_create(bench.device, 0, 8, &other) == RILL_OK);
        REQUIRE(backend_cpu.event_create(bench.device, true, &event) == RILL_OK);
        uint64_t sizes[3] = {0};
        for (int round = 0; round < 300; round++) {
            int64_t out[1] = {0};
            for (int i = 1; i <= 8; i++) {
                struct backend_stream *here = i % 2 != 0 ? bench.stream : other;
                struct args args = {.n = 1, .out = out, .stop_at = i};
                struct backend_launch request = {.image = bench.image, .args = &args, .array_sizes = sizes};
                if (i > 1) {
                    REQUIRE(backend_cpu.event_wait(event, here) == RILL_OK);
                }
                REQUIRE(backend_cpu.launch(here, &request) == RILL_OK);
                REQUIRE(backend_cpu.event_record(event, here) == RILL_OK);
            }
            struct backend_error error;
            CHECK(!backend_cpu.event_synchronize(event, &error));
            CHECK_INT(out[0], 12345678);
        }
        backend_cpu.event_destroy(event);
        backend_cpu.stream_destroy(other);
        close_bench(&bench);
    }
}

TEST(many_launches_use_the_same_memory_again)
{
    struct bench bench;
    open_bench(&bench, 2);
    add_loop(&bench, new_kernel(&bench), "fill_entry");
    load(&bench);
    int64_t out[100] = {0};
    for (int i = 0; i < 20000; i++) {
        REQUIRE(launch(&bench, (struct args){.n = 100, .out = out}, NULL, 0) == RILL_OK);
    }
    wait_for(&bench);
    CHECK_INT(out[99], 99 * 20000);
    int segments = 1;
    for (struct cpu_segment *segment = bench.stream->free; segment != NULL; segment = segment->next) {
        segments++;
    }
    CHECK(segments <= 4096 / 50);
    close_bench(&bench);
}

TEST(break_leaves_a_block_and_a_loop_may_run_whole)
{
    struct bench bench;
    open_bench(&bench, 2);
    struct plan_node *root = new_kernel(&bench);
    struct plan_node *set = child(root, new_node(&bench, PLAN_ASSIGN));
    set->slot = 8;
    set->type = IR_I32;
    set->expr = plan_const(&bench.arena, IR_I32, 1);
    struct plan_node *block = child(root, new_node(&bench, PLAN_BLOCK));
    struct plan_node *body = child(block, new_node(&bench, PLAN_SEQUENCE));
    add_task(&bench, body, "digit_entry");
    struct plan_node *test = child(body, new_node(&bench, PLAN_IF));
    test->expr = plan_op(&bench.arena, IR_OP_SGT, IR_I1, IR_I64, plan_param(&bench.arena, IR_I64, 2),
                         plan_const(&bench.arena, IR_I64, 0));
    child(test, new_node(&bench, PLAN_BREAK))->target = block->id;
    add_task(&bench, body, "digit_entry");
    struct plan_node *loop = child(root, new_node(&bench, PLAN_LOOP));
    child(loop, new_node(&bench, PLAN_SEQUENCE)); // would never end
    loop->whole_task = bench.kernels[0]->task_count;
    add_task(&bench, NULL, "digit_entry");
    load(&bench);
    int64_t out[1] = {0};
    REQUIRE(launch(&bench, (struct args){.n = 1, .out = out, .stop_at = 1}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], 11); // left after the first, then the loop as a whole
    out[0] = 0;
    REQUIRE(launch(&bench, (struct args){.n = 1, .out = out, .stop_at = 0}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], 111);
    close_bench(&bench);
}

TEST(region_without_blocks_is_passed)
{
    struct bench bench;
    open_bench(&bench, 2);
    struct plan_node *root = new_kernel(&bench);
    child(root, new_node(&bench, PLAN_REGION));
    add_task(&bench, root, "ones_entry");
    load(&bench);
    int64_t out[1] = {0};
    REQUIRE(launch(&bench, (struct args){.n = 1, .out = out}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_INT(out[0], 1);
    close_bench(&bench);
}

TEST(plan_that_cannot_be_evaluated_is_an_error_of_the_stream)
{
    static const enum plan_node_kind kinds[] = {PLAN_IF, PLAN_FOR, PLAN_ASSIGN, PLAN_TASK};
    for (int i = 0; i < 4; i++) {
        struct bench bench;
        open_bench(&bench, 2);
        struct plan_node *root = new_kernel(&bench);
        struct plan_node *node = new_node(&bench, kinds[i]);
        struct plan_expr *unknown = plan_const(&bench.arena, IR_I64, 0);
        unknown->kind = PLAN_EXPR_VAR;
        node->expr = unknown;
        node->trip = unknown;
        node->slot = 8;
        node->type = IR_I64;
        node->task = 0;
        add_loop(&bench, NULL, "fill_entry")->trip = unknown;
        child(node, new_node(&bench, PLAN_SEQUENCE));
        child(root, node);
        load(&bench);
        REQUIRE(launch(&bench, (struct args){.n = 1}, NULL, 0) == RILL_OK);
        wait_for(&bench);
        struct backend_error error;
        REQUIRE(backend_cpu.stream_error(bench.stream, &error));
        CHECK_INT(error.status, RILL_ERR_INTERNAL);
        CHECK_STR(error.text, "kernel 'kernel': its plan could not be evaluated");
        close_bench(&bench);
    }
}

TEST(image_without_an_entry_is_refused_by_name)
{
    struct bench bench;
    open_bench(&bench, 1);
    add_task(&bench, new_kernel(&bench), "no_such_entry");
    CHECK_INT(image_create(bench.device, &bench.plan, resolve, NULL, &bench.image), RILL_ERR_INVALID);
    CHECK_STR(rill_message(), "the image lacks the symbol 'no_such_entry'");
    CHECK(bench.image == NULL);
    bench.kernels[0]->tasks[0].entry = "";
    CHECK_INT(image_create(bench.device, &bench.plan, resolve, NULL, &bench.image), RILL_ERR_INVALID);
    bench.kernels[0]->tasks[0].entry = "fill_entry";
    static struct plan_field field = {.name = "field", .size = 4, .align = 4};
    bench.plan.fields = &field;
    bench.plan.field_count = 1;
    CHECK_INT(image_create(bench.device, &bench.plan, resolve, NULL, &bench.image), RILL_ERR_INVALID);
    CHECK_STR(rill_message(), "the image lacks the symbol 'field'");
    close_bench(&bench);
}

TEST(serial_task_that_prints_much_does_not_keep_it_all)
{
    struct bench bench;
    open_bench(&bench, 1);
    add_task(&bench, new_kernel(&bench), "flood_entry")->may_print = true;
    load(&bench);
    REQUIRE(launch(&bench, (struct args){.n = 100000}, NULL, 0) == RILL_OK);
    wait_for(&bench);
    CHECK_CONTAINS(bench.printed, "0 1 2 3 ");
    CHECK(bench.stream->workspace->print.text_capacity < 512 * 1024);
    close_bench(&bench);
}

static void wait_a_little(void *arg, const struct backend_error *error)
{
    (void)error;
    atomic_fetch_add((atomic_int *)arg, 1);
}

TEST(work_of_many_streams_takes_turns_on_one_thread)
{
    struct bench bench;
    open_bench(&bench, 1);
    atomic_int notices = 0;
    struct backend_stream *others[4];
    for (int i = 0; i < 4; i++) {
        REQUIRE(backend_cpu.stream_create(bench.device, i - 1, 10 + (uint64_t)i, &others[i]) == RILL_OK);
    }
    for (int i = 0; i < 4000; i++) {
        REQUIRE(backend_cpu.notify(others[i % 4], wait_a_little, &notices, false) == RILL_OK);
    }
    for (int i = 0; i < 4; i++) {
        backend_cpu.stream_synchronize(others[i]);
        CHECK(backend_cpu.stream_is_idle(others[i]));
        backend_cpu.stream_destroy(others[i]);
    }
    CHECK_INT(atomic_load(&notices), 4000);
    backend_cpu.stream_destroy(NULL);
    close_bench(&bench);
}
