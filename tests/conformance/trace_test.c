// RILL_TRACE: what ran when. Overlap is read from it, not from wall time.
#include "world.h"

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void spins(int n, float x[2])\n"
                             "{\n"
                             "    stream_parallel {\n"
                             "        float s = x[0];\n"
                             "#pragma rill single\n"
                             "        for (int i = 0; i < n; i++) s = s * 0.5f + 1;\n"
                             "        x[0] = s;\n"
                             "    }\n"
                             "    stream_parallel {\n"
                             "        float t = x[1];\n"
                             "#pragma rill single\n"
                             "        for (int i = 0; i < n; i++) t = t * 0.5f + 1;\n"
                             "        x[1] = t;\n"
                             "    }\n"
                             "}\n"
                             "kernel void shift(int n, const int a[n], int b[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) b[i] = a[i] + 1;\n"
                             "}\n";

struct event {
    char name[64];
    int group;
    double begin;
    double duration;
    char rest[512];
};

// The events of a trace, one a line.
static int read_events(const char *text, struct event *events, int limit)
{
    int count = 0;
    for (const char *at = text; count < limit && (at = strstr(at, "{\"ph\": \"X\"")) != NULL; at++) {
        struct event *event = &events[count];
        unsigned lane;
        count += sscanf(at,
                        "{\"ph\": \"X\", \"name\": \"%63[^\"]\", \"pid\": %u, \"tid\": %d, \"ts\": %lf, \"dur\": %lf, "
                        "\"args\": %511[^\n]",
                        event->name, &lane, &event->group, &event->begin, &event->duration, event->rest) == 6;
    }
    return count;
}

static char *trace_of(void (*body)(struct world *world, rill_module module))
{
    char path[] = "/tmp/rill_trace_XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    setenv("RILL_TRACE", path, 1);
    struct world world;
    world_open(&world, 2);
    unsetenv("RILL_TRACE");
    rill_module module = {0};
    OK(rill_module_create(world.context, source, &(rill_module_options){.path = "traced.c"}, &module));
    body(&world, module);
    world_close(&world);
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL && text != NULL);
    CHECK(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    unlink(path);
    return text;
}

static void run_spins(struct world *world, rill_module module)
{
    (void)world;
    rill_kernel spins = {0};
    float x[2] = {0};
    OK(rill_module_kernel(module, "spins", &spins));
    OK(rill_call(spins, RILL_CURRENT, RILL_ARGS(30000000, RILL_HOST(x, 2)), NULL, 0));
}

TEST(blocks_overlap_in_the_trace_and_have_their_lines)
{
    char *text = trace_of(run_spins);
    struct event events[8];
    REQUIRE(read_events(text, events, 8) == 2);
    const struct event *a = events[0].group == 1 ? &events[0] : &events[1];
    const struct event *b = events[0].group == 1 ? &events[1] : &events[0];
    CHECK_STR(a->name, "spins.0");
    CHECK_STR(b->name, "spins.1");
    CHECK_INT(b->group, 2);
    CHECK(a->begin < b->begin + b->duration && b->begin < a->begin + a->duration);
    CHECK_CONTAINS(a->rest, "\"kernel\": \"spins\", \"file\": \"traced.c\", \"line\": 5,");
    CHECK_CONTAINS(a->rest, "\"ran\": \"alone\"");
    CHECK_CONTAINS(text, "\"lost\": 0");
    free(text);
}

static void run_shifts(struct world *world, rill_module module)
{
    rill_kernel shift = {0};
    OK(rill_module_kernel(module, "shift", &shift));
    int n = 1000000;
    rill_array a = world_array(world, RILL_I32, n);
    rill_array b = world_array(world, RILL_I32, n);
    int small[11] = {0};
    OK(rill_launch(shift, RILL_CURRENT, RILL_ARGS(n, a, b)));
    OK(rill_launch(shift, RILL_CURRENT, RILL_ARGS(10, RILL_HOST(small, 10), RILL_HOST(small + 1, 10))));
    OK(rill_launch(shift, RILL_CURRENT, RILL_ARGS(10, a, b)));
    OK(rill_sync(world->context));
}

TEST(trace_tells_how_each_task_ran_and_keeps_stream_order)
{
    char *text = trace_of(run_shifts);
    struct event events[8];
    REQUIRE(read_events(text, events, 8) == 3);
    CHECK_CONTAINS(events[0].rest, "\"ran\": \"shared\"");
    CHECK_CONTAINS(events[1].rest, "\"ran\": \"in order\"");
    CHECK_CONTAINS(events[2].rest, "\"ran\": \"alone\"");
    CHECK(events[1].begin >= events[0].begin + events[0].duration - 0.001);
    CHECK(events[2].begin >= events[1].begin + events[1].duration - 0.001);
    free(text);
}

TEST(trace_that_cannot_be_written_is_logged)
{
    struct world world;
    setenv("RILL_TRACE", "/no/such/folder/trace.json", 1);
    world_open(&world, 1);
    unsetenv("RILL_TRACE");
    world_close(&world);
    CHECK_CONTAINS(world.logged, "0: cannot write the trace '/no/such/folder/trace.json': No such file or directory");
}
