// The stand-in driver itself: that it runs what it is given in any order the CUDA driver would be free to choose, and
// that each of its rules, broken, is reported.
#include "../codegen/support.h"

#include "cuda/application.h"

#include <pthread.h>

struct driver {
    struct cuda_symbols cu;
#define MEMBER(symbol, parameters) int(*symbol) parameters;
    CUDA_APPLICATION_LIST(MEMBER)
#undef MEMBER
#define MEMBER(symbol, result, parameters) result(*symbol) parameters;
    STAND_IN_LIST(MEMBER)
#undef MEMBER
};

static struct driver d;
static cu_context context;

static void find(void *library, void *slot, const char *name)
{
    *(void **)slot = dlsym(library, name);
    if (*(void **)slot == NULL) {
        FAIL("the stand-in has no %s", name);
    }
}

// Opens the driver and makes the context of device 0 current.
static void begin(void)
{
    if (d.cu.init == NULL) {
        void *library = dlopen(RILL_BUILD_DIR "/tests/fakes/libfake_cuda.so", RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            FAIL("%s", dlerror());
            REQUIRE(false);
        }
#define FIND(member, symbol, need, parameters) find(library, &d.cu.member, symbol);
        CUDA_SYMBOL_LIST(FIND)
#undef FIND
#define FIND(symbol, parameters) find(library, &d.symbol, #symbol);
        CUDA_APPLICATION_LIST(FIND)
#undef FIND
#define FIND(symbol, result, parameters) find(library, &d.symbol, #symbol);
        STAND_IN_LIST(FIND)
#undef FIND
    }
    REQUIRE(d.cu.init(0) == 0);
    REQUIRE(d.cu.primary_retain(&context, 0) == 0);
    REQUIRE(d.cu.context_set(context) == 0);
}

static void end(void)
{
    CHECK_INT(d.cu.primary_release(0), 0);
    d.cu.context_set(NULL);
    CHECK_INT(d.stand_in_violations(), 0);
    d.stand_in_forgive();
}

// Exactly one rule was broken, in these words.
static bool broke(const char *words)
{
    bool good = CHECK_INT(d.stand_in_violations(), 1) && CHECK_CONTAINS(d.stand_in_violation(0), words);
    d.stand_in_forgive();
    return good;
}

static cu_stream new_stream(void)
{
    cu_stream stream = NULL;
    CHECK_INT(d.cu.stream_create(&stream, CU_STREAM_NON_BLOCKING, 0), 0);
    return stream;
}

static cu_event new_event(void)
{
    cu_event event = NULL;
    CHECK_INT(d.cu.event_create(&event, CU_EVENT_DISABLE_TIMING), 0);
    return event;
}

static cu_address new_memory(size_t size)
{
    cu_address address = 0;
    CHECK_INT(d.cu.memory_alloc(&address, size), 0);
    return address;
}

// A word that streams wait for, so that a test decides when they go on.
struct gate {
    uint32_t *word;
};

static struct gate new_gate(void)
{
    struct gate gate = {0};
    void *memory = NULL;
    CHECK_INT(d.cu.host_alloc(&memory, 64, 0), 0);
    gate.word = memory;
    __atomic_store_n(gate.word, 0, __ATOMIC_RELEASE);
    return gate;
}

static void wait_gate(cu_stream stream, struct gate gate)
{
    CHECK_INT(d.cu.stream_wait_value(stream, (cu_address)(uintptr_t)gate.word, 1, CU_WAIT_VALUE_GEQ), 0);
}

static void open_gate(struct gate gate)
{
    __atomic_store_n(gate.word, 1, __ATOMIC_RELEASE);
}

static void free_gate(struct gate gate)
{
    CHECK_INT(d.cu.host_free(gate.word), 0);
}

// ---- a module: k$0 does a[i] = a[i] * 3 + n
// -----------------------------------------------------------------------------------------

struct code {
    cu_module module;
    cu_function function;
};

static struct code load_code(void)
{
    struct code code = {0};
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "n", IR_I32);
    fixture_param(&f, "a", IR_PTR);
    ir_global_create(f.module, "counter", 12, 4);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    struct ir_inst *three = ir_const(&f.b, IR_I32, 3);
    struct ir_inst *old = ir_emit2(&f.b, IR_OP_MUL, IR_I32, fixture_load(&f, 1, iter, IR_I32), three);
    fixture_store(&f, 1, iter, ir_emit2(&f.b, IR_OP_ADD, IR_I32, old, fixture_arg(&f, 0)));
    struct codegen_options options = {.target = "sm_90", .stand_in = true};
    struct codegen_output output;
    if (codegen_emit(f.module, &options, &output) != RILL_OK) {
        FAIL("codegen_emit: %s", rill_message());
        REQUIRE(false);
    }
    CHECK_INT(d.cu.module_load(&code.module, output.bytes, 0, NULL, NULL), 0);
    CHECK_INT(d.cu.module_function(&code.function, code.module, "k$0"), 0);
    codegen_output_finish(&output);
    fixture_finish(&f);
    return code;
}

struct params {
    struct {
        int32_t n;
        uint64_t a;
    } args;
    uint64_t block, partial, frame;
    int64_t trip, chunk;
    void *all[6];
};

static void set_params(struct params *p, int32_t n, cu_address a, int64_t trip)
{
    *p = (struct params){.args = {n, a}, .trip = trip};
    void *all[6] = {&p->args, &p->block, &p->trip, &p->chunk, &p->partial, &p->frame};
    memcpy(p->all, all, sizeof all);
}

static int launch(struct code code, cu_stream stream, int32_t n, cu_address a, int64_t trip)
{
    struct params p;
    set_params(&p, n, a, trip);
    int result = d.cu.launch(code.function, 4, 1, 1, 1, 1, 1, 0, stream, p.all, NULL);
    memset(&p, 0xff, sizeof p); // the driver has its own copy
    return result;
}

static int32_t read_first(cu_address a)
{
    int32_t value = -1;
    CHECK_INT(d.cuMemcpyDtoH_v2(&value, a, sizeof value), 0);
    return value;
}

// ---- running
// --------------------------------------------------------------------------------------------------------------------------

TEST(every_function_of_the_list_is_there)
{
    begin();
    int version = 0, count = 0, warp = 0;
    CHECK_INT(d.cu.driver_version(&version), 0);
    CHECK(version >= 11080);
    CHECK_INT(d.cu.device_count(&count), 0);
    CHECK_INT(count, 2);
    CHECK_INT(d.cu.device_attribute(&warp, CU_DEVICE_WARP_SIZE, 1), 0);
    CHECK_INT(warp, 1);
    end();
}

TEST(kernels_run_with_a_copy_of_their_arguments_and_in_the_order_of_their_stream)
{
    begin();
    struct code code = load_code();
    struct gate gate = new_gate();
    cu_stream stream = new_stream();
    cu_address a = new_memory(4000);
    CHECK_INT(d.cu.set32_async(a, 1, 1000, stream), 0);
    wait_gate(stream, gate);
    CHECK_INT(launch(code, stream, 2, a, 1000), 0); // 5
    CHECK_INT(launch(code, stream, 1, a, 1000), 0); // 16
    CHECK_INT(d.cu.stream_query(stream), CU_NOT_READY);
    open_gate(gate);
    CHECK_INT(d.cu.stream_synchronize(stream), 0);
    CHECK_INT(read_first(a), 16);
    CHECK_INT(read_first(a + 3996), 16);
    CHECK_INT(d.cu.memory_free(a), 0);
    CHECK_INT(d.cu.stream_destroy(stream), 0);
    CHECK_INT(d.cu.module_unload(code.module), 0);
    free_gate(gate);
    end();
}

TEST(streams_overlap_and_events_order_them)
{
    begin();
    struct code code = load_code();
    struct gate gate = new_gate();
    cu_stream first = new_stream(), second = new_stream(), third = new_stream();
    cu_event event = new_event();
    cu_address a = new_memory(64), b = new_memory(64);
    CHECK_INT(d.cuMemsetD8_v2(a, 0, 64), 0);
    CHECK_INT(d.cuMemsetD8_v2(b, 0, 64), 0);
    wait_gate(first, gate);
    CHECK_INT(launch(code, first, 7, a, 16), 0);
    CHECK_INT(d.cu.event_record(event, first), 0);
    CHECK_INT(d.cu.stream_wait_event(second, event, 0), 0);
    CHECK_INT(launch(code, second, 1, a, 16), 0); // 22
    CHECK_INT(d.cu.event_destroy(event), 0);      // the wait stands
    CHECK_INT(launch(code, third, 9, b, 16), 0);
    CHECK_INT(d.cu.stream_synchronize(third), 0);
    CHECK_INT(d.cu.stream_query(second), CU_NOT_READY);
    open_gate(gate);
    CHECK_INT(d.cu.stream_synchronize(second), 0);
    CHECK_INT(read_first(a), 22);
    CHECK_INT(read_first(b), 9);
    d.cu.memory_free(a);
    d.cu.memory_free(b);
    d.cu.stream_destroy(first);
    d.cu.stream_destroy(second);
    d.cu.stream_destroy(third);
    d.cu.module_unload(code.module);
    free_gate(gate);
    end();
}

TEST(fields_are_memory_of_the_module)
{
    begin();
    struct code code = load_code();
    cu_address address = 0;
    size_t size = 0;
    CHECK_INT(d.cu.module_global(&address, &size, code.module, "counter"), 0);
    CHECK_INT(size, 12);
    int32_t value = 77;
    CHECK_INT(d.cuMemcpyHtoD_v2(address + 4, &value, 4), 0);
    CHECK_INT(read_first(address + 4), 77);
    CHECK_INT(d.cu.module_global(&address, &size, code.module, "missing"), CU_NOT_FOUND);
    cu_function function;
    CHECK_INT(d.cu.module_function(&function, code.module, "k$1"), CU_NOT_FOUND);
    d.cu.module_unload(code.module);
    end();
}

// A diamond: one node, two that follow it and commute with each other, one that follows both.
TEST(the_nodes_of_a_graph_follow_each_other_and_take_new_parameters)
{
    begin();
    struct code code = load_code();
    cu_stream stream = new_stream();
    cu_address a = new_memory(64), b = new_memory(64);
    cu_graph graph;
    cu_node nodes[4];
    cu_exec exec;
    REQUIRE(d.cu.graph_create(&graph, 0) == 0);
    for (int i = 0; i < 4; i++) {
        static const int after[4][2] = {{0, 0}, {0, 0}, {0, 0}, {1, 2}};
        static const size_t count[4] = {0, 1, 1, 2};
        cu_node before[2] = {nodes[after[i][0]], nodes[after[i][1]]};
        struct params p;
        set_params(&p, i + 1, i == 2 ? b : a, 16);
        struct cu_kernel_node kernel = {code.function, 4, 1, 1, 1, 1, 1, 0, p.all, NULL};
        REQUIRE(d.cu.graph_add_kernel(&nodes[i], graph, before, count[i], &kernel) == 0);
    }
    REQUIRE(d.cu.graph_instantiate(&exec, graph, 0) == 0);
    for (int round = 0; round < 20; round++) {
        d.cu.set32_async(a, 0, 16, stream);
        d.cu.set32_async(b, 0, 16, stream);
        struct params p;
        set_params(&p, round, a, 16);
        struct cu_kernel_node kernel = {code.function, 4, 1, 1, 1, 1, 1, 0, p.all, NULL};
        CHECK_INT(d.cu.exec_set_kernel(exec, nodes[3], &kernel), 0);
        CHECK_INT(d.cu.exec_launch(exec, stream), 0);
        CHECK_INT(d.cu.stream_synchronize(stream), 0);
        CHECK_INT(read_first(a), ((1 * 3) + 2) * 3 + round);
        CHECK_INT(read_first(b), 3);
    }
    d.cu.exec_destroy(exec);
    d.cu.graph_destroy(graph);
    d.cu.memory_free(a);
    d.cu.memory_free(b);
    d.cu.stream_destroy(stream);
    d.cu.module_unload(code.module);
    end();
}

TEST(a_capture_becomes_a_graph_and_a_graph_launch_destroys_it)
{
    begin();
    struct code code = load_code();
    cu_stream stream = new_stream(), other = new_stream();
    cu_event fork = new_event(), join = new_event();
    cu_address a = new_memory(64);
    d.cuMemsetD8_v2(a, 0, 64);
    cu_graph graph = NULL;
    cu_exec exec = NULL;
    int capturing = 0;
    CHECK_INT(d.cuStreamBeginCapture_v2(stream, 2), 0);
    CHECK_INT(launch(code, stream, 1, a, 16), 0);
    d.cu.event_record(fork, stream);
    d.cu.stream_wait_event(other, fork, 0);
    CHECK_INT(launch(code, other, 2, a, 16), 0);
    d.cu.event_record(join, other);
    d.cu.stream_wait_event(stream, join, 0);
    CHECK_INT(d.cu.stream_is_capturing(other, &capturing), 0);
    CHECK_INT(capturing, 1);
    CHECK_INT(d.cuStreamEndCapture(stream, &graph), 0);
    CHECK_INT(read_first(a), 0); // nothing ran
    REQUIRE(d.cu.graph_instantiate(&exec, graph, 0) == 0);
    CHECK_INT(d.cu.exec_launch(exec, other), 0);
    CHECK_INT(d.cu.stream_synchronize(other), 0);
    CHECK_INT(read_first(a), 5);
    CHECK_INT(d.cuStreamBeginCapture_v2(stream, 2), 0);
    CHECK_INT(d.cu.exec_launch(exec, stream), CU_CAPTURE_UNSUPPORTED);
    cu_graph none;
    CHECK_INT(d.cuStreamEndCapture(stream, &none), 901);
    d.cu.exec_destroy(exec);
    d.cu.graph_destroy(graph);
    d.cu.memory_free(a);
    d.cu.event_destroy(fork);
    d.cu.event_destroy(join);
    d.cu.stream_destroy(stream);
    d.cu.stream_destroy(other);
    d.cu.module_unload(code.module);
    end();
}

TEST(memory_in_stream_order_lives_from_its_allocation_to_its_free)
{
    begin();
    cu_stream stream = new_stream();
    cu_address a = 0;
    CHECK_INT(d.cuMemAllocAsync(&a, 400, stream), 0);
    CHECK_INT(d.cu.set32_async(a, 5, 100, stream), 0);
    int32_t values[100] = {0};
    CHECK_INT(d.cu.copy_async((cu_address)(uintptr_t)values, a, sizeof values, stream), 0);
    CHECK_INT(values[99], 5); // pageable memory: the call waits
    CHECK_INT(d.cu.memory_free_async(a, stream), 0);
    CHECK_INT(d.cu.stream_synchronize(stream), 0);
    CHECK_INT(d.stand_in_alive("memory"), 0);
    d.cu.stream_destroy(stream);
    end();
}

// ---- rules
// ----------------------------------------------------------------------------------------------------------------------------

TEST(a_copy_between_ranges_that_overlap_is_refused)
{
    begin();
    cu_stream stream = new_stream();
    cu_address a = new_memory(64);
    CHECK_INT(d.cu.copy_async(a + 31, a, 32, stream), CU_INVALID_VALUE);
    CHECK_INT(d.cu.copy_async(a, a + 31, 32, stream), CU_INVALID_VALUE);
    CHECK_INT(d.cu.copy_async(a, a, 32, stream), CU_INVALID_VALUE);
    CHECK_INT(d.cu.copy_async(a + 32, a, 32, stream), 0);
    CHECK_INT(d.cu.stream_synchronize(stream), 0);
    d.cu.memory_free(a);
    d.cu.stream_destroy(stream);
    end();
}

TEST(use_after_free_is_reported)
{
    begin();
    struct code code = load_code();
    cu_stream stream = new_stream();
    cu_address a = new_memory(64);
    CHECK_INT(d.cu.memory_free(a), 0);
    CHECK_INT(d.cu.set8_async(a + 4, 0, 4, stream), 0);
    d.cu.stream_synchronize(stream);
    CHECK(d.stand_in_violations() >= 1);
    CHECK_CONTAINS(d.stand_in_violation(0), "use after free");
    d.stand_in_forgive();
    launch(code, stream, 1, a, 0); // no iteration touches it, but its address is an argument
    d.cu.stream_synchronize(stream);
    broke("use after free: a kernel's argument");
    CHECK(d.cu.memory_free(a) != 0);
    broke("freed twice");
    cu_address b = new_memory(64);
    d.cu.set8_async(b + 60, 0, 5, stream);
    d.cu.stream_synchronize(stream);
    broke("5 bytes at 60 of an allocation of 64");
    d.cu.memory_free(b);
    d.cu.stream_destroy(stream);
    d.cu.module_unload(code.module);
    end();
}

TEST(memory_freed_while_in_flight_is_reported)
{
    begin();
    struct code code = load_code();
    struct gate gate = new_gate();
    cu_stream stream = new_stream(), other = new_stream();
    cu_address a = 0;
    CHECK_INT(d.cuMemAllocAsync(&a, 64, stream), 0);
    d.cu.stream_synchronize(stream);
    wait_gate(stream, gate);
    launch(code, stream, 1, a, 0);
    CHECK_INT(d.cu.memory_free_async(a, other), 0);
    CHECK_INT(d.cu.stream_synchronize(other), 0);
    broke("freed while in flight");
    open_gate(gate);
    d.cu.stream_synchronize(stream);
    d.cu.stream_destroy(stream);
    d.cu.stream_destroy(other);
    d.cu.module_unload(code.module);
    free_gate(gate);
    end();
}

static void *open_later(void *arg)
{
    usleep(20000);
    open_gate(*(struct gate *)arg);
    return NULL;
}

TEST(a_synchronous_free_while_work_is_in_flight_is_reported)
{
    begin();
    struct gate gate = new_gate();
    cu_stream stream = new_stream();
    cu_address a = new_memory(64);
    wait_gate(stream, gate);
    pthread_t thread;
    pthread_create(&thread, NULL, open_later, &gate);
    CHECK_INT(d.cu.memory_free(a), 0); // waits
    pthread_join(thread, NULL);
    broke("synchronous free");
    d.cu.stream_destroy(stream);
    d.cu.stream_synchronize(NULL);
    free_gate(gate);
    end();
}

TEST(destroyed_streams_and_events_are_reported)
{
    begin();
    cu_stream stream = new_stream();
    cu_event event = new_event();
    d.cu.stream_destroy(stream);
    CHECK(d.cu.stream_synchronize(stream) != 0);
    broke("this stream was destroyed");
    cu_stream alive = new_stream();
    d.cu.event_destroy(event);
    CHECK(d.cu.event_record(event, alive) != 0);
    broke("this event was destroyed");
    CHECK(d.cu.stream_destroy((cu_stream)(uintptr_t)0x12340) != 0);
    broke("is not a stream");
    d.cu.stream_destroy(alive);
    end();
}

TEST(a_wrong_context_is_reported)
{
    begin();
    struct code code = load_code();
    cu_stream stream = new_stream();
    cu_context second;
    CHECK_INT(d.cu.primary_retain(&second, 1), 0);
    d.cu.context_set(second);
    CHECK(launch(code, stream, 1, 0, 0) != 0);
    broke("the current context is not the object's");
    d.cu.context_set(NULL);
    cu_event event;
    CHECK(d.cu.event_create(&event, 0) != 0);
    broke("no context is current");
    d.cu.context_set(context);
    d.cu.primary_release(1);
    CHECK(d.cu.context_set(second) != 0);
    broke("this context was destroyed");
    d.cu.stream_destroy(stream);
    d.cu.module_unload(code.module);
    end();
}

TEST(host_memory_that_changes_too_early_is_reported)
{
    begin();
    struct gate gate = new_gate();
    cu_stream stream = new_stream();
    cu_address a = new_memory(64);
    void *pinned = NULL;
    CHECK_INT(d.cu.host_alloc(&pinned, 64, 0), 0);
    memset(pinned, 1, 64);
    wait_gate(stream, gate);
    CHECK_INT(d.cu.copy_async(a, (cu_address)(uintptr_t)pinned, 64, stream), 0);
    memset(pinned, 2, 64);
    open_gate(gate);
    d.cu.stream_synchronize(stream);
    broke("the host changed 64 bytes");
    struct gate again = new_gate();
    wait_gate(stream, again);
    CHECK_INT(d.cu.copy_async(a, (cu_address)(uintptr_t)pinned, 64, stream), 0);
    CHECK_INT(d.cu.host_free(pinned), 0);
    broke("cuMemFreeHost: freed while in flight");
    open_gate(again);
    d.cu.stream_synchronize(stream);
    CHECK_INT(d.stand_in_violations(), 1); // the copy found the memory gone
    d.stand_in_forgive();
    d.cu.memory_free(a);
    d.cu.stream_destroy(stream);
    free_gate(gate);
    free_gate(again);
    end();
}

static void call_driver(void *user)
{
    *(int *)user = d.cu.stream_query(NULL);
}

TEST(a_driver_call_inside_a_host_function_is_reported)
{
    begin();
    cu_stream stream = new_stream();
    int result = 0;
    CHECK_INT(d.cu.host_function(stream, call_driver, &result), 0);
    d.cu.stream_synchronize(stream);
    CHECK_INT(result, 800);
    broke("called inside a host function");
    d.cu.stream_destroy(stream);
    end();
}

static void *launch_often(void *arg)
{
    d.cu.context_set(context);
    cu_stream stream = new_stream();
    for (int i = 0; i < 500 && d.stand_in_violations() == 0; i++) {
        d.cu.exec_launch(arg, stream);
    }
    d.cu.stream_synchronize(stream);
    d.cu.stream_destroy(stream);
    d.cu.context_set(NULL);
    return NULL;
}

TEST(one_executable_graph_in_two_threads_is_reported)
{
    begin();
    cu_graph graph;
    cu_exec exec;
    REQUIRE(d.cu.graph_create(&graph, 0) == 0 && d.cu.graph_instantiate(&exec, graph, 0) == 0);
    pthread_t threads[2];
    d.stand_in_linger(5000);
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, launch_often, exec);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    d.stand_in_linger(0);
    CHECK(d.stand_in_violations() > 0);
    CHECK_CONTAINS(d.stand_in_violation(0), "two threads use one executable graph");
    d.stand_in_forgive();
    d.cu.exec_destroy(exec);
    d.cu.graph_destroy(graph);
    end();
}

TEST(what_is_left_when_a_context_ends_is_reported)
{
    begin();
    new_stream();
    CHECK_INT(d.stand_in_alive("stream"), 1);
    d.cu.primary_release(0);
    broke("ends with 1 streams");
    begin();
    new_event();
    d.cu.primary_release(0);
    broke("ends with 1 events");
    begin();
    new_memory(8);
    CHECK_INT(d.stand_in_alive("memory"), 1);
    d.cu.primary_release(0);
    broke("ends with 1 allocations");
    begin();
    load_code();
    d.cu.primary_release(0);
    broke("ends with 1 modules");
    begin();
    cu_graph graph;
    d.cu.graph_create(&graph, 0);
    d.cu.primary_release(0);
    broke("ends with 1 graphs");
    d.cu.context_set(NULL);
}

TEST(a_module_unloaded_while_its_kernel_is_queued_is_reported)
{
    begin();
    struct code code = load_code();
    struct gate gate = new_gate();
    cu_stream stream = new_stream();
    wait_gate(stream, gate);
    launch(code, stream, 1, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, open_later, &gate);
    d.cu.module_unload(code.module);
    pthread_join(thread, NULL);
    broke("a kernel of the module is in flight");
    d.cu.stream_destroy(stream);
    d.cu.stream_synchronize(NULL);
    free_gate(gate);
    end();
}

// ---- faults
// ---------------------------------------------------------------------------------------------------------------------------

TEST(the_nth_call_fails_and_the_others_do_not)
{
    begin();
    long before = d.stand_in_calls("cuEventCreate");
    d.stand_in_fail("cuEventCreate", 2, CU_OUT_OF_MEMORY);
    cu_event event;
    for (int i = 1; i <= 3; i++) {
        int code = d.cu.event_create(&event, 0);
        CHECK_INT(code, i == 2 ? CU_OUT_OF_MEMORY : 0);
        if (code == 0) {
            d.cu.event_destroy(event);
        }
    }
    CHECK_INT(d.stand_in_calls("cuEventCreate") - before, 3);
    d.stand_in_fail("*", 1, 999);
    CHECK_INT(d.cu.stream_synchronize(NULL), 999);
    CHECK_INT(d.cu.stream_synchronize(NULL), 0);
    d.stand_in_fail("", 0, 0);
    end();
}

TEST(a_lost_device_stays_lost_until_its_context_ends)
{
    begin();
    struct gate gate = new_gate();
    cu_stream stream = new_stream();
    wait_gate(stream, gate); // never opened: what is queued on a lost device ends
    d.stand_in_lose(CU_ILLEGAL_ADDRESS);
    CHECK_INT(d.cu.stream_synchronize(stream), CU_ILLEGAL_ADDRESS);
    CHECK_INT(d.cu.stream_query(stream), CU_ILLEGAL_ADDRESS);
    CHECK_INT(d.cu.stream_destroy(stream), CU_ILLEGAL_ADDRESS);
    d.cu.context_set(NULL);
    CHECK_INT(d.cu.primary_release(0), 0);
    begin();
    stream = new_stream();
    CHECK_INT(d.cu.stream_synchronize(stream), 0);
    d.cu.stream_destroy(stream);
    end();
}

// ---- seeds: in a process of its own each, since a seed is for a whole run
// -----------------------------------------------------------

static char order[64];
static int order_count;

static void note(void *user)
{
    order[order_count++] = (char)('a' + *(int *)user);
}

static void run_seeded(void)
{
    begin();
    struct gate gate = new_gate();
    cu_stream streams[8];
    static int names[8];
    for (int i = 0; i < 8; i++) {
        names[i] = i;
        streams[i] = new_stream();
    }
    cu_event event = new_event();
    wait_gate(streams[0], gate);
    d.cu.event_record(event, streams[0]);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 8; i++) {
            d.cu.stream_wait_event(streams[i], event, 0);
            d.cu.host_function(streams[i], note, &names[i]);
        }
    }
    open_gate(gate);
    d.cuCtxSynchronize();
    d.cu.event_destroy(event);
    for (int i = 0; i < 8; i++) {
        d.cu.stream_destroy(streams[i]);
    }
    free_gate(gate);
    end();
    printf("%s\n", order);
}

// Whoever waits gets what it waits for, and what that follows; the rest stays where it is.
TEST(a_lazy_driver_leaves_in_flight_what_nobody_waits_for)
{
    enum { LONG = 600 * 1000 * 1000 };
    begin();
    struct code code = load_code();
    cu_stream first = new_stream(), second = new_stream(), third = new_stream();
    cu_event event = new_event();
    cu_address a = new_memory(64), b = new_memory(64);
    CHECK_INT(d.cuMemsetD8_v2(a, 0, 64), 0);
    d.stand_in_lazy(LONG);
    CHECK_INT(launch(code, first, 7, a, 16), 0);
    CHECK_INT(d.cu.event_record(event, first), 0);
    CHECK_INT(d.cu.stream_wait_event(second, event, 0), 0);
    CHECK_INT(launch(code, second, 1, a, 16), 0);
    CHECK_INT(launch(code, third, 9, b, 16), 0);
    CHECK_INT(d.cu.stream_query(first), CU_NOT_READY);
    CHECK_INT(d.cu.event_query(event), CU_NOT_READY);
    CHECK_INT(d.cu.stream_synchronize(second), 0);
    CHECK_INT(d.cu.event_query(event), 0);
    CHECK_INT(d.cu.stream_query(third), CU_NOT_READY);
    d.stand_in_drain();
    CHECK_INT(d.cu.stream_query(third), 0);
    d.stand_in_lazy(0);
    CHECK_INT(read_first(a), 22);
    d.cu.memory_free(a);
    d.cu.memory_free(b);
    d.cu.event_destroy(event);
    d.cu.stream_destroy(first);
    d.cu.stream_destroy(second);
    d.cu.stream_destroy(third);
    d.cu.module_unload(code.module);
    end();
}

TEST(a_seed_decides_the_order)
{
    if (getenv("FAKE_CUDA_SEED") != NULL) {
        run_seeded();
        return;
    }
    char orders[4][64] = {{0}};
    char self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    REQUIRE(length > 0);
    self[length] = '\0';
    for (int i = 0; i < 4; i++) {
        char command[700];
        snprintf(command, sizeof command, "FAKE_CUDA_SEED=%d %s a_seed_decides | grep '^[a-h]*$'", i < 2 ? 7 : 6 + i,
                 self);
        FILE *pipe = popen(command, "r");
        REQUIRE(pipe != NULL);
        CHECK(fgets(orders[i], sizeof orders[i], pipe) != NULL);
        pclose(pipe);
        CHECK_INT(strlen(orders[i]), 25);
    }
    CHECK_STR(orders[0], orders[1]);
    CHECK(strcmp(orders[0], orders[2]) != 0 || strcmp(orders[0], orders[3]) != 0);
}
