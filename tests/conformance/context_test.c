// Contexts: their options, their callbacks, what they say of themselves.
#include "world.h"

struct meter {
    atomic_int inside;
    atomic_int met_count; // calls that found another inside
    atomic_int call_count;
};

static void enter(struct meter *meter)
{
    atomic_fetch_add(&meter->met_count, atomic_fetch_add(&meter->inside, 1) > 0);
    for (volatile int i = 0; i < 2000; i = i + 1) {
    }
    atomic_fetch_add(&meter->call_count, 1);
    atomic_fetch_sub(&meter->inside, 1);
}

static void metered_log(void *user, rill_log_level level, const char *text)
{
    (void)level;
    CHECK(strchr(text, '\n') == NULL);
    enter((struct meter *)user);
}

static void metered_print(void *user, const char *text, size_t length)
{
    CHECK(length > 0 && text[length - 1] == ' '); // whole calls
    enter((struct meter *)user + 1);
}

struct talker {
    rill_context context;
    rill_kernel talk, saxpy;
};

static void *talk_much(void *arg)
{
    const struct talker *talker = arg;
    rill_stream stream = {0};
    rill_array x = {0};
    OK(rill_stream_create(talker->context, NULL, &stream));
    OK(rill_array_create(talker->context, RILL_F32, RILL_SHAPE(10), &x));
    for (int i = 0; i < 20; i++) {
        OK(rill_launch(talker->talk, stream, RILL_ARGS(8)));
        OK(rill_launch(talker->saxpy, stream, RILL_ARGS(9, 1, x, x))); // in order, which is noted
    }
    OK(rill_stream_destroy(stream));
    return NULL;
}

TEST(log_and_print_are_called_one_at_a_time)
{
    enum { THREADS = 4 };
    struct meter meters[2] = {{0}, {0}};
    rill_open_options options = {
        .log = metered_log, .log_user = meters, .print = metered_print, .print_user = meters, .thread_count = 4};
    struct talker talker = {.context = {0}};
    rill_module module = {0};
    OK(rill_open(world_device(), &options, &talker.context));
    OK(rill_module_create(talker.context, world_source, NULL, &module));
    OK(rill_module_kernel(module, "talk", &talker.talk));
    OK(rill_module_kernel(module, "saxpy", &talker.saxpy));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, talk_much, &talker) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    OK(rill_close(talker.context));
    CHECK(atomic_load(&meters[1].call_count) > 0);
    CHECK_INT(atomic_load(&meters[0].met_count), 0);
    CHECK_INT(atomic_load(&meters[1].met_count), 0);
}

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    atomic_fetch_add((atomic_int *)user, 1);
    void *memory = NULL;
    CHECK(alignment != 0 && (alignment & (alignment - 1)) == 0);
    return posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) == 0 ? memory : NULL;
}

static void counted_release(void *user, void *memory, size_t size)
{
    (void)size;
    atomic_fetch_sub((atomic_int *)user, 1);
    free(memory);
}

TEST(what_a_call_takes_by_pointer_is_copied)
{
    atomic_int blocks = 0;
    char device[32];
    snprintf(device, sizeof device, "%s", world_device());
    rill_allocator allocator = {&blocks, counted_allocate, counted_release};
    rill_open_options options = {.allocator = &allocator, .thread_count = 2};
    rill_context context = {0};
    OK(rill_open(device, &options, &context));
    memset(device, 'x', sizeof device - 1);
    memset(&allocator, 0, sizeof allocator);
    memset(&options, 0x55, sizeof options);

    char text[] = "#include \"mine.h\"\nkernel int get(void) { return VALUE + FROM; }\n";
    char name[] = "VALUE", value[] = "30", header[] = "mine.h";
    char content[] = "#include <rill/kernel.h>\n#define FROM 12\n", path[] = "copied.c";
    rill_define define = {name, value};
    rill_header headers = {header, content};
    rill_module_options module_options = {
        .path = path, .defines = &define, .define_count = 1, .headers = &headers, .header_count = 1};
    rill_module module = {0};
    rill_kernel get = {0};
    OK(rill_module_create(context, text, &module_options, &module));
    memset(text, 'x', sizeof text - 1);
    memset(name, 'x', sizeof name - 1);
    memset(value, 'x', sizeof value - 1);
    memset(content, 'x', sizeof content - 1);
    memset(path, 'x', sizeof path - 1);
    memset(&module_options, 0x55, sizeof module_options);
    int result = 0;
    rill_kernel_info info;
    OK(rill_module_kernel(module, "get", &get));
    OK(rill_call(get, RILL_CURRENT, RILL_ARGS(), &result, sizeof result));
    CHECK_INT(result, 42);
    OK(rill_kernel_describe(get, &info));
    CHECK_STR(info.file, "copied.c");
    char *explained = NULL; // which compiles the text again
    OK(rill_module_explain(module, &explained));
    rill_free(explained);
    const char *said = NULL;
    OK(rill_context_device(context, &said));
    CHECK_STR(said, world_device());
    CHECK(atomic_load(&blocks) > 0);
    OK(rill_close(context));
    CHECK_INT(atomic_load(&blocks), 0);
}

TEST(cpu_has_none_of_the_capabilities_that_it_does_not_need)
{
    if (!world_is_cpu()) {
        SKIP("a GPU has what its driver has");
    }
    struct world world;
    world_open(&world, 1);
    for (int i = RILL_CAPABILITY_GRAPHS; i <= RILL_CAPABILITY_PEERS; i++) {
        bool has = true;
        OK(rill_context_has(world.context, (rill_capability)i, &has));
        CHECK(!has);
    }
    bool has = true;
    STATUS(rill_context_has(world.context, (rill_capability)99, &has), RILL_ERR_INVALID);
    world_close(&world);
}

TEST(no_context_has_a_default_stream_that_is_zero_and_a_message)
{
    CHECK_UINT(rill_default_stream((rill_context){0}).id, 0);
    CHECK_STR(rill_message(), "rill_default_stream: the context handle was never set");
    struct world world;
    world_open(&world, 1);
    CHECK_UINT(rill_current_stream(world.context).id, rill_default_stream(world.context).id);
    world_close(&world);
    CHECK_UINT(rill_current_stream(world.context).id, 0);
    CHECK_STR(rill_message(), "rill_current_stream: the context is closed");
}
