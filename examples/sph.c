// A dam that breaks, by kernels/sph.c. Run it where examples/ lies:
// build/release/examples/sph [steps [picture.png]]
#include "picture.h"
#include "rill/rill.h"

enum { N = 4000, M = 64, SIZE = 512 };

static uint8_t picture[SIZE][SIZE][3];

static rill_status run(int steps)
{
    RILL_AUTO_CONTEXT context = {0};
    rill_module module;
    RILL_TRY(rill_open("auto", NULL, &context));
    RILL_TRY(rill_module_load(context, "examples/kernels/sph.c", NULL, &module));
    rill_kernel dam;
    rill_kernel advance;
    rill_kernel draw;
    RILL_TRY(rill_module_kernel(module, "dam", &dam));
    RILL_TRY(rill_module_kernel(module, "advance", &advance));
    RILL_TRY(rill_module_kernel(module, "draw", &draw));

    rill_array x;
    rill_array v;
    rill_array density;
    rill_array force;
    rill_array cell;
    rill_array first;
    rill_array filled;
    rill_array list;
    rill_array speed;
    RILL_TRY(rill_array_create_struct(context, 2 * sizeof(float), RILL_SHAPE(N), &x));
    RILL_TRY(rill_array_create_struct(context, 2 * sizeof(float), RILL_SHAPE(N), &v));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(N), &density));
    RILL_TRY(rill_array_create_struct(context, 2 * sizeof(float), RILL_SHAPE(N), &force));
    RILL_TRY(rill_array_create(context, RILL_I32, RILL_SHAPE(N), &cell));
    RILL_TRY(rill_array_create(context, RILL_I32, RILL_SHAPE(M * M + 1), &first));
    RILL_TRY(rill_array_create(context, RILL_I32, RILL_SHAPE(M * M), &filled));
    RILL_TRY(rill_array_create(context, RILL_I32, RILL_SHAPE(N), &list));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(SIZE, SIZE), &speed));

    const float spacing = 0.008f;
    RILL_TRY(rill_launch(dam, RILL_CURRENT, RILL_ARGS(N, spacing, x, v)));
    RILL_TRY(rill_launch(
        advance, RILL_CURRENT,
        RILL_ARGS(N, M, steps, 4e-4f, 1000 * spacing * spacing, x, v, density, force, cell, first, filled, list)));
    return rill_call(draw, RILL_CURRENT, RILL_ARGS(N, SIZE, x, v, speed, RILL_HOST(&picture[0][0][0], sizeof picture)),
                     NULL, 0);
}

int main(int argc, char **argv)
{
    rill_status status = run(argc > 1 ? atoi(argv[1]) : 1500);
    if (status != RILL_OK) {
        fprintf(stderr, "%s: %s\n", rill_status_name(status), rill_message());
        return 1;
    }
    return picture_write(argc > 2 ? argv[2] : "sph.png", SIZE, SIZE, &picture[0][0][0]) ? 0 : 1;
}
