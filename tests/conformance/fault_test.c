// RILL_FAULT: on every device the n-th operation of a kind fails with words that say so, and the rest works on.
#include "world.h"

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n";

enum { N = 32 };

static void nothing(void *user, rill_status status)
{
    (void)user;
    (void)status;
}

struct things {
    rill_module module;
    rill_kernel add;
    rill_array x;
    rill_stream stream;
    rill_event event;
};

static rill_status make(rill_context context, struct things *t)
{
    RILL_TRY(rill_module_create(context, source, NULL, &t->module));
    RILL_TRY(rill_module_kernel(t->module, "add", &t->add));
    RILL_TRY(rill_array_create(context, RILL_I32, RILL_SHAPE(N), &t->x));
    RILL_TRY(rill_stream_create(context, NULL, &t->stream));
    return rill_event_create(context, NULL, &t->event);
}

static rill_status use(rill_context context, struct things *t, int *out_first)
{
    int host[N], one = 1;
    memset(host, 0, sizeof host);
    RILL_TRY(rill_array_write(t->x, t->stream, host, sizeof host));
    RILL_TRY(rill_array_fill(t->x, t->stream, &one, sizeof one));
    for (int i = 0; i < 3; i++) {
        RILL_TRY(rill_launch(t->add, t->stream, RILL_ARGS(N, 1, t->x)));
    }
    RILL_TRY(rill_event_record(t->event, t->stream));
    RILL_TRY(rill_event_wait(t->event, rill_default_stream(context)));
    RILL_TRY(rill_stream_callback(t->stream, nothing, NULL));
    RILL_TRY(rill_array_read(t->x, t->stream, host, sizeof host));
    *out_first = host[0];
    return RILL_OK;
}

// Everything once with the fault: one call fails and says why. Then all of it works.
static void check_fault(const char *fault)
{
    rill_context context = {0};
    struct things t = {.module = {0}};
    int first = -1;
    setenv("RILL_FAULT", fault, 1);
    rill_status status = rill_open(world_device(), NULL, &context);
    status = status == RILL_OK ? make(context, &t) : status;
    status = status == RILL_OK ? use(context, &t, &first) : status;
    if (status == RILL_OK) {
        FAIL("%s: nothing fails", fault);
    }
    if (!CHECK_CONTAINS(rill_message(), "RILL_FAULT: call ")) {
        FAIL("%s", fault);
    }
    unsetenv("RILL_FAULT");
    if (context.id == 0) {
        OK(rill_open(world_device(), NULL, &context));
    }
    if (t.event.id == 0) {
        t = (struct things){.module = {0}};
        OK(make(context, &t));
    }
    OK(rill_stream_synchronize(t.stream));
    if (use(context, &t, &first) != RILL_OK || first != 4) {
        FAIL("after %s: %d, %s", fault, first, rill_message());
    }
    OK(rill_close(context));
}

TEST(each_operation_fails_when_it_is_told_to_and_the_rest_works_on)
{
    static const char *const faults[] = {"memory:1", "module:1", "stream:1", "launch:3", "copy:1",
                                         "fill:1",   "event:1",  "record:1", "wait:1",   "callback:1"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        check_fault(faults[i]);
    }
}

TEST(a_setting_that_makes_no_sense_is_refused_with_the_names)
{
    static const char *const wrong[] = {"lanch:1", "launch", "launch:0", "launch:x", "launch:1;copy:2", "17"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        rill_context context;
        setenv("RILL_FAULT", wrong[i], 1);
        STATUS(rill_open(world_device(), NULL, &context), RILL_ERR_INVALID);
        CHECK_CONTAINS(rill_message(), wrong[i]);
        CHECK_CONTAINS(rill_message(), "memory, module, stream, launch");
    }
    unsetenv("RILL_FAULT");
}
