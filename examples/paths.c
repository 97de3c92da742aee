// Spheres on a floor under a sky, by kernels/paths.c. Run it where examples/ lies:
// build/release/examples/paths [samples [picture.png]]
#include "picture.h"
#include "rill/rill.h"

enum { WIDTH = 480, HEIGHT = 320 };
enum { MATTE, MIRROR, GLASS };

typedef struct sphere { // as the kernel has it
    float center[3];
    float radius;
    float color[3];
    float light;
    int surface;
} sphere;

static const sphere spheres[] = {
    {{0, -1000, 0}, 1000, {0.5f, 0.5f, 0.5f}, 0, MATTE},
    {{-1.1f, 1, -0.5f}, 1, {0.9f, 0.9f, 0.9f}, 0, MIRROR},
    {{1.1f, 1, -0.2f}, 1, {1, 1, 1}, 0, GLASS},
    {{0, 0.4f, 0.9f}, 0.4f, {0.8f, 0.25f, 0.2f}, 0, MATTE},
    {{-1.9f, 0.35f, 1}, 0.35f, {0.2f, 0.45f, 0.8f}, 0, MATTE},
    {{2, 0.3f, 1.2f}, 0.3f, {0.9f, 0.7f, 0.2f}, 0, MIRROR},
    {{0.2f, 3.6f, -1.5f}, 0.6f, {1, 0.9f, 0.7f}, 6, MATTE},
};
static uint8_t picture[HEIGHT][WIDTH][3];

static rill_status run(int samples)
{
    RILL_AUTO_CONTEXT context = {0};
    rill_module module;
    RILL_TRY(rill_open("auto", NULL, &context));
    RILL_TRY(rill_module_load(context, "examples/kernels/paths.c", NULL, &module));
    rill_kernel render;
    RILL_TRY(rill_module_kernel(module, "render", &render));

    const int n = sizeof spheres / sizeof spheres[0];
    return rill_call(
        render, RILL_CURRENT,
        RILL_ARGS(n, WIDTH, HEIGHT, samples, RILL_HOST(spheres, n), RILL_HOST(&picture[0][0][0], sizeof picture)), NULL,
        0);
}

int main(int argc, char **argv)
{
    rill_status status = run(argc > 1 ? atoi(argv[1]) : 64);
    if (status != RILL_OK) {
        fprintf(stderr, "%s: %s\n", rill_status_name(status), rill_message());
        return 1;
    }
    return picture_write(argc > 2 ? argv[2] : "paths.png", WIDTH, HEIGHT, &picture[0][0][0]) ? 0 : 1;
}
