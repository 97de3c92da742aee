// A drop of fluid in a box, by kernels/fluid.c. Run it where examples/ lies:
// build/release/examples/fluid [steps [picture.png]]
#include "picture.h"
#include "rill/rill.h"

enum { SIDE = 96, N = SIDE * SIDE, M = 128, SIZE = 512 };

static uint8_t picture[SIZE][SIZE][3];

static rill_status run(int steps)
{
    RILL_AUTO_CONTEXT context = {0};
    rill_module module;
    RILL_TRY(rill_open("auto", NULL, &context));
    RILL_TRY(rill_module_load(context, "examples/kernels/fluid.c", NULL, &module));
    rill_kernel drop;
    rill_kernel advance;
    rill_kernel draw;
    RILL_TRY(rill_module_kernel(module, "drop", &drop));
    RILL_TRY(rill_module_kernel(module, "advance", &advance));
    RILL_TRY(rill_module_kernel(module, "draw", &draw));

    rill_array x;
    rill_array v;
    rill_array c;
    rill_array volume;
    rill_array grid_v;
    rill_array grid_m;
    RILL_TRY(rill_array_create_struct(context, 2 * sizeof(float), RILL_SHAPE(N), &x));
    RILL_TRY(rill_array_create_struct(context, 2 * sizeof(float), RILL_SHAPE(N), &v));
    RILL_TRY(rill_array_create_struct(context, 4 * sizeof(float), RILL_SHAPE(N), &c));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(N), &volume));
    RILL_TRY(rill_array_create_struct(context, 2 * sizeof(float), RILL_SHAPE(M, M), &grid_v));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(M, M), &grid_m));

    RILL_TRY(rill_launch(drop, RILL_CURRENT, RILL_ARGS(N, M, x, v, c, volume)));
    RILL_TRY(rill_launch(advance, RILL_CURRENT, RILL_ARGS(N, M, steps, 2e-4f, x, v, c, volume, grid_v, grid_m)));
    return rill_call(draw, RILL_CURRENT, RILL_ARGS(N, SIZE, x, RILL_HOST(&picture[0][0][0], sizeof picture)), NULL, 0);
}

int main(int argc, char **argv)
{
    rill_status status = run(argc > 1 ? atoi(argv[1]) : 1500);
    if (status != RILL_OK) {
        fprintf(stderr, "%s: %s\n", rill_status_name(status), rill_message());
        return 1;
    }
    return picture_write(argc > 2 ? argv[2] : "fluid.png", SIZE, SIZE, &picture[0][0][0]) ? 0 : 1;
}
