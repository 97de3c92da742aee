// Checked mode finds every index out of range, in whichever way the kernel gets there; says which array, index, shape
// and line; lets the process go on; and not one byte outside is written.
#include "world.h"

#include "../support/reach.h"

// Everything in one array, so that what is outside is there to be looked at.
enum { POOL = 128, AT_A = 16, AT_B = 32, AT_P = 96, PAIRS = 16, AT_S = 4 };

struct reach {
    struct world world;
    rill_module module;
    rill_array pool, pairs, a, b, p, s;
    char source[32768];
};

static void open_reach(struct reach *r, bool calls_helpers)
{
    world_open(&r->world, 2);
    rill_context context = r->world.context;
    reach_source(r->source, sizeof r->source);
    const char *verify = getenv("RILL_VERIFY");
    char kept[32] = "";
    snprintf(kept, sizeof kept, "%s", verify != NULL ? verify : "");
    setenv("RILL_VERIFY", calls_helpers ? "calls" : "1", 1);
    rill_module_options options = {.path = "reach.c", .check_bounds = true};
    rill_status status = rill_module_create(context, r->source, &options, &r->module);
    setenv("RILL_VERIFY", kept, 1);
    OK(status);
    REQUIRE(status == RILL_OK);
    OK(rill_array_create(context, RILL_I32, RILL_SHAPE(POOL), &r->pool));
    OK(rill_array_create_struct(context, sizeof(struct reach_pair), RILL_SHAPE(PAIRS), &r->pairs));
    OK(rill_array_view(r->pool, AT_A, RILL_SHAPE(REACH_N), &r->a));
    OK(rill_array_view(r->pool, AT_B, RILL_SHAPE(REACH_N, REACH_M), &r->b));
    OK(rill_array_view(r->pool, AT_P, RILL_SHAPE(REACH_P), &r->p));
    OK(rill_array_view(r->pairs, AT_S, RILL_SHAPE(REACH_S), &r->s));
}

static bool is_inside(int i)
{
    return (i >= AT_A && i < AT_A + REACH_N) || (i >= AT_B && i < AT_B + REACH_N * REACH_M) ||
           (i >= AT_P && i < AT_P + REACH_P);
}

static rill_status run(struct reach *r, rill_kernel kernel, int64_t k, bool *out_is_clean)
{
    static int pool[POOL];
    static struct reach_pair pairs[PAIRS], before[PAIRS];
    for (int i = 0; i < POOL; i++) {
        pool[i] = is_inside(i) ? i % 3 : 0x5a5a0000 + i;
    }
    memset(pairs, 0x33, sizeof pairs);
    memcpy(before, pairs, sizeof pairs);
    OK(rill_array_write(r->pool, RILL_CURRENT, pool, sizeof pool));
    OK(rill_array_write(r->pairs, RILL_CURRENT, pairs, sizeof pairs));
    rill_status status =
        rill_call(kernel, RILL_CURRENT, RILL_ARGS(REACH_N, REACH_M, r->a, r->b, r->p, r->s, (int)k), NULL, 0);
    static char said[1024];
    snprintf(said, sizeof said, "%s", status == RILL_OK ? "" : rill_message());
    OK(rill_array_read(r->pool, RILL_CURRENT, pool, sizeof pool));
    OK(rill_array_read(r->pairs, RILL_CURRENT, pairs, sizeof pairs));
    *out_is_clean = memcmp(pairs, before, sizeof *pairs * AT_S) == 0 &&
                    memcmp(pairs + AT_S + REACH_S, before, sizeof *pairs * (PAIRS - AT_S - REACH_S)) == 0;
    for (int i = 0; i < POOL; i++) {
        *out_is_clean &= is_inside(i) || pool[i] == 0x5a5a0000 + i;
    }
    strcpy(r->world.logged, said); // the message of the call itself
    return status;
}

static void run_form(struct reach *r, const struct reach_form *form)
{
    rill_kernel kernel;
    OK(rill_module_kernel(r->module, form->name, &kernel));
    bool is_clean;
    rill_status status = run(r, kernel, form->good, &is_clean);
    if (status != RILL_OK || !is_clean) {
        FAIL("%s stays inside: %s", form->name, r->world.logged);
    }
    status = run(r, kernel, form->bad, &is_clean);
    if (form->array == NULL) {
        if (status != RILL_OK || !is_clean) {
            FAIL("%s stays inside: %s", form->name, r->world.logged);
        }
        return;
    }
    char words[256];
    snprintf(words, sizeof words, "kernel '%s', reach.c:%d: index ", form->name, reach_line(r->source, form));
    char range[128];
    snprintf(range, sizeof range, " of '%s' is out of range [0, %lld)", form->array, (long long)form->extent);
    char shape[64];
    snprintf(shape, sizeof shape, form->shape[0] != '\0' ? "; its shape is %s" : "%s", form->shape);
    char index[32] = "";
    if (form->index != REACH_ANY) {
        snprintf(index, sizeof index, "index %lld of", (long long)form->index);
    }
    const char *said = r->world.logged;
    bool is_said = strstr(said, words) != NULL && strstr(said, range) != NULL && strstr(said, shape) != NULL &&
                   strstr(said, index) != NULL && (form->shape[0] != '\0' || strstr(said, "shape") == NULL);
    if (status != RILL_ERR_BOUNDS || !is_said || !is_clean) {
        FAIL("%s: %s%s%s%s%s\n    said: %s%s", form->name, words, index, range, shape,
             is_clean ? "" : " (written outside)", rill_status_name(status), said);
    }
}

static void run_all(bool calls_helpers)
{
    static struct reach r;
    memset(&r, 0, sizeof r);
    open_reach(&r, calls_helpers);
    for (int i = 0; i < REACH_COUNT; i++) {
        run_form(&r, &reach_forms[i]);
    }
    world_close(&r.world);
}

TEST(every_way_out_of_an_array_is_found_and_every_way_inside_is_not)
{
    run_all(false);
}

TEST(every_way_out_of_an_array_is_found_in_helpers_that_are_called)
{
    run_all(true);
}

TEST(elements_behind_a_pointer_are_those_that_the_launch_was_given)
{
    struct world world;
    world_open(&world, 2);
    rill_module module;
    rill_kernel each;
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "kernel void each(int n, int *p, double *q)\n"
                                 "{ for (int i = 0; i < n; i++) { p[i] = i; q[i] = i; } }\n";
    OK(rill_module_create(world.context, source, &(rill_module_options){.check_bounds = true}, &module));
    OK(rill_module_kernel(module, "each", &each));
    int p[8] = {0};
    double q[8] = {0};
    rill_arg eight = RILL_HOST(p, 8), all = RILL_HOST(q, 8), fewer = RILL_HOST(q, 7);
    OK(rill_call(each, RILL_CURRENT, RILL_ARGS(8, eight, all), NULL, 0));
    CHECK_INT(p[7], 7);
    STATUS(rill_call(each, RILL_CURRENT, RILL_ARGS(8, eight, fewer), NULL, 0), RILL_ERR_BOUNDS);
    CHECK_CONTAINS(rill_message(), "index 7 of 'q' is out of range [0, 7) in iteration 7; its shape is [7]");
    rill_array small = world_array(&world, RILL_I32, 3);
    STATUS(rill_call(each, RILL_CURRENT, RILL_ARGS(4, small, all), NULL, 0), RILL_ERR_BOUNDS);
    CHECK_CONTAINS(rill_message(), "index 3 of 'p' is out of range [0, 3) in iteration 3; its shape is [3]");
    // What the launch counts is no parameter to those who call.
    rill_kernel_info info;
    rill_param_info param;
    OK(rill_kernel_describe(each, &info));
    CHECK_INT(info.param_count, 3);
    STATUS(rill_kernel_param(each, 3, &param), RILL_ERR_INVALID);
    STATUS(rill_launch(each, RILL_CURRENT, RILL_ARGS(8, small, all, 3)), RILL_ERR_ARGUMENTS);
    world_close(&world);
}
