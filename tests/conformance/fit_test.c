// What fits a parameter and what does not, at the last value that does: a launch looks at a few bytes for the usual
// arguments (runtime/rule.h) and at the plan for all others, and nobody may see which.
#include "world.h"

#include <math.h>

static const char source[] =
    "#include <rill/kernel.h>\n#include <stdint.h>\n"
    "kernel void numbers(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g, uint64_t h,\n"
    "                    int64_t out[8])\n"
    "{ out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = (int64_t)h; }\n"
    "kernel void floats(float a, double b, double out[2]) { out[0] = a; out[1] = b; }\n"
    "kernel void signed_32(int n, float a[n]) { for (int i = 0; i < n; i++) { a[i] = 1; } }\n"
    "kernel void unsigned_32(unsigned n, float a[n]) { for (unsigned i = 0; i < n; i++) { a[i] = 1; } }\n"
    "kernel void signed_64(long n, float a[n]) { for (long i = 0; i < n; i++) { a[i] = 1; } }\n"
    "kernel void sum_of(int n, float a[n + 1]) { for (int i = 0; i < n; i++) { a[i] = 1; } }\n"
    "kernel void grid(int n, long m, float a[n][m])\n"
    "{ for (int i = 0; i < n; i++) { for (long k = 0; k < m; k++) { a[i][k] = 1; } } }\n"
    "kernel void cube(int n, int m, float a[n][m][2])\n"
    "{ for (int i = 0; i < n; i++) { for (int k = 0; k < m; k++) { a[i][k][0] = 1; } } }\n";

struct limits {
    struct world world;
    rill_module module;
};

static void open_limits(struct limits *limits)
{
    world_open(&limits->world, 0);
    OK(rill_module_create(limits->world.context, source, NULL, &limits->module));
}

static rill_kernel kernel_of(const struct limits *limits, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(limits->module, name, &kernel));
    return kernel;
}

// As the parameters of |numbers|: bits and sign.
static bool fits(int param, const rill_arg *arg)
{
    int bits = 8 << param / 2;
    bool is_negative = arg->kind == RILL_ARG_INT && arg->value.i < 0;
    uint64_t size = is_negative ? 0 - arg->value.u : arg->value.u; // how far from 0
    uint64_t highest = UINT64_MAX >> (64 - bits);                  // of the unsigned type
    return param % 2 == 0 ? size <= highest / 2 + is_negative : !is_negative && size <= highest;
}

TEST(integers_fit_to_their_last_value_whatever_their_sign)
{
    struct limits limits;
    open_limits(&limits);
    rill_kernel numbers = kernel_of(&limits, "numbers");
    rill_array out = world_array(&limits.world, RILL_I64, 8);
    int failed = 0;
    int refused = 0;
    for (int param = 0; param < 8; param++) {
        for (int shift = 7; shift <= 64; shift++) {
            for (int step = -2; step <= 1; step++) {
                uint64_t bits = (shift < 64 ? UINT64_C(1) << shift : 0) + (uint64_t)(int64_t)step;
                rill_arg values[] = {rill_arg_int((int64_t)bits), rill_arg_int((int64_t)-bits), rill_arg_uint(bits)};
                for (int k = 0; k < 3; k++) {
                    rill_arg args[9];
                    for (int i = 0; i < 8; i++) {
                        args[i] = rill_arg_int(1);
                    }
                    args[8] = rill_arg_array(out);
                    args[param] = values[k];
                    bool is_taken = rill_launch(numbers, RILL_CURRENT, (rill_args){args, 9}) == RILL_OK;
                    failed += is_taken != fits(param, &values[k]);
                    refused += !is_taken;
                    if (is_taken && (shift % 8 < 2 || shift % 8 == 7)) {
                        int64_t got[8];
                        OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
                        failed += got[param] != values[k].value.i || got[(param + 1) % 8] != 1;
                    }
                }
            }
        }
    }
    CHECK_INT(failed, 0);
    CHECK(refused > 1000);
    OK(rill_module_destroy(limits.module));
    world_close(&limits.world);
}

TEST(floats_take_what_is_finite_in_them_and_what_was_not_finite_before)
{
    struct limits limits;
    open_limits(&limits);
    rill_kernel floats = kernel_of(&limits, "floats");
    rill_array out = world_array(&limits.world, RILL_F64, 2);
    static const struct {
        double value;
        bool fits;
    } cases[] = {{0.5, true},    {3.4028234e38, true}, {-3.4028234e38, true}, {3.5e38, false},    {-1e300, false},
                 {1e-300, true}, {INFINITY, true},     {-INFINITY, true},     {(double)NAN, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = cases[i].value;
        rill_status status = rill_launch(floats, RILL_CURRENT, RILL_ARGS(value, value, out));
        CHECK_INT(status == RILL_OK, cases[i].fits);
        if (status == RILL_OK) {
            double got[2];
            OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
            CHECK(isnan(value) ? isnan(got[0]) && isnan(got[1]) : got[0] == (float)value && got[1] == value);
        }
    }
    OK(rill_launch(floats, RILL_CURRENT, RILL_ARGS(16777217, 3u, out))); // integers convert
    double got[2];
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    CHECK_NEAR(got[0], 16777216, 0);
    CHECK_NEAR(got[1], 3, 0);
    CHECK_INT(rill_launch(floats, RILL_CURRENT, RILL_ARGS(out, 3u, out)), RILL_ERR_ARGUMENTS);
    OK(rill_module_destroy(limits.module));
    world_close(&limits.world);
}

TEST(arrays_fit_by_every_extent)
{
    struct limits limits;
    open_limits(&limits);
    rill_array flat = world_array(&limits.world, RILL_F32, 10);
    rill_array doubles = world_array(&limits.world, RILL_F64, 10);
    rill_array grid;
    rill_array cube;
    OK(rill_array_create(limits.world.context, RILL_F32, RILL_SHAPE(4, 5), &grid));
    OK(rill_array_create(limits.world.context, RILL_F32, RILL_SHAPE(4, 5, 2), &cube));
    static const char *const names[] = {"signed_32", "unsigned_32", "signed_64"};
    for (int i = 0; i < 3; i++) {
        rill_kernel kernel = kernel_of(&limits, names[i]);
        OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(10, flat)));
        OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(0, flat)));
        CHECK_INT(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(11, flat)), RILL_ERR_ARGUMENTS);
        CHECK_INT(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(-1, flat)), RILL_ERR_ARGUMENTS);
        CHECK_INT(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(4, grid)), RILL_ERR_ARGUMENTS);
        CHECK_INT(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(10, doubles)), RILL_ERR_ARGUMENTS);
    }
    CHECK_INT(rill_launch(kernel_of(&limits, "unsigned_32"), RILL_CURRENT, RILL_ARGS(4294967295u, flat)),
              RILL_ERR_ARGUMENTS);
    OK(rill_launch(kernel_of(&limits, "sum_of"), RILL_CURRENT, RILL_ARGS(9, flat)));
    CHECK_INT(rill_launch(kernel_of(&limits, "sum_of"), RILL_CURRENT, RILL_ARGS(10, flat)), RILL_ERR_ARGUMENTS);
    rill_kernel plane = kernel_of(&limits, "grid");
    OK(rill_launch(plane, RILL_CURRENT, RILL_ARGS(4, 5, grid)));
    OK(rill_launch(plane, RILL_CURRENT, RILL_ARGS(2, 5, grid)));
    CHECK_INT(rill_launch(plane, RILL_CURRENT, RILL_ARGS(5, 5, grid)), RILL_ERR_ARGUMENTS);
    CHECK_INT(rill_launch(plane, RILL_CURRENT, RILL_ARGS(4, 4, grid)), RILL_ERR_ARGUMENTS);
    CHECK_INT(rill_launch(plane, RILL_CURRENT, RILL_ARGS(-1, 5, grid)), RILL_ERR_ARGUMENTS);
    CHECK_INT(rill_launch(plane, RILL_CURRENT, RILL_ARGS(4, -5, grid)), RILL_ERR_ARGUMENTS);
    OK(rill_launch(kernel_of(&limits, "cube"), RILL_CURRENT, RILL_ARGS(4, 5, cube)));
    CHECK_INT(rill_launch(kernel_of(&limits, "cube"), RILL_CURRENT, RILL_ARGS(4, 4, cube)), RILL_ERR_ARGUMENTS);
    OK(rill_array_destroy(flat));
    CHECK_INT(rill_launch(kernel_of(&limits, "signed_32"), RILL_CURRENT, RILL_ARGS(1, flat)), RILL_ERR_STALE);
    OK(rill_module_destroy(limits.module));
    world_close(&limits.world);
}
