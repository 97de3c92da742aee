// The potential of two charges, by kernels/solver.c. Run it where examples/ lies:
// build/release/examples/solver [steps at most [picture.png]]
#include "picture.h"
#include "rill/rill.h"

enum { M = 512 };

static uint8_t picture[M][M][3];

static rill_status run(int most)
{
    RILL_AUTO_CONTEXT context = {0};
    rill_module module;
    RILL_TRY(rill_open("auto", NULL, &context));
    RILL_TRY(rill_module_load(context, "examples/kernels/solver.c", NULL, &module));
    rill_kernel charges;
    rill_kernel solve;
    rill_kernel draw;
    RILL_TRY(rill_module_kernel(module, "charges", &charges));
    RILL_TRY(rill_module_kernel(module, "solve", &solve));
    RILL_TRY(rill_module_kernel(module, "draw", &draw));

    rill_array b;
    rill_array u;
    rill_array r;
    rill_array p;
    rill_array q;
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(M, M), &b));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(M, M), &u));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(M, M), &r));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(M, M), &p));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(M, M), &q));

    int steps = 0;
    RILL_TRY(rill_launch(charges, RILL_CURRENT, RILL_ARGS(M, b)));
    RILL_TRY(rill_call(solve, RILL_CURRENT, RILL_ARGS(M, most, 1e-4f, b, u, r, p, q), &steps, sizeof steps));
    printf("%d steps\n", steps);
    return rill_call(draw, RILL_CURRENT, RILL_ARGS(M, u, RILL_HOST(&picture[0][0][0], sizeof picture)), NULL, 0);
}

int main(int argc, char **argv)
{
    rill_status status = run(argc > 1 ? atoi(argv[1]) : 5000);
    if (status != RILL_OK) {
        fprintf(stderr, "%s: %s\n", rill_status_name(status), rill_message());
        return 1;
    }
    return picture_write(argc > 2 ? argv[2] : "solver.png", M, M, &picture[0][0][0]) ? 0 : 1;
}
