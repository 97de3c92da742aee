// Three pictures at once, by kernels/image.c: each on a stream of its own, its blur and edges beside its contrast on
// two. Run it where examples/ lies: build/release/examples/image [radius [picture.png]]
#include "picture.h"
#include "rill/rill.h"

enum { COUNT = 3, WIDTH = 480, HEIGHT = 200 };

static uint8_t picture[COUNT][HEIGHT][WIDTH][3];

typedef struct kernels {
    rill_kernel scene, blur, edges, equalise, compose;
} kernels;

typedef struct frame {
    rill_array grey, even, histogram, rows, smooth, edge, out;
    rill_stream stream, other;
    rill_event begun, evened;
} frame;

static rill_status load(rill_context context, kernels *k)
{
    rill_module module;
    RILL_TRY(rill_module_load(context, "examples/kernels/image.c", NULL, &module));
    RILL_TRY(rill_module_kernel(module, "scene", &k->scene));
    RILL_TRY(rill_module_kernel(module, "blur", &k->blur));
    RILL_TRY(rill_module_kernel(module, "edges", &k->edges));
    RILL_TRY(rill_module_kernel(module, "equalise", &k->equalise));
    return rill_module_kernel(module, "compose", &k->compose);
}

static rill_status make(rill_context context, frame *f)
{
    RILL_TRY(rill_array_create(context, RILL_U8, RILL_SHAPE(HEIGHT, WIDTH), &f->grey));
    RILL_TRY(rill_array_create(context, RILL_U8, RILL_SHAPE(HEIGHT, WIDTH), &f->even));
    RILL_TRY(rill_array_create(context, RILL_I32, RILL_SHAPE(256), &f->histogram));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(HEIGHT, WIDTH), &f->rows));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(HEIGHT, WIDTH), &f->smooth));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(HEIGHT, WIDTH), &f->edge));
    RILL_TRY(rill_array_create(context, RILL_U8, RILL_SHAPE(HEIGHT, WIDTH, 3), &f->out));
    RILL_TRY(rill_stream_create(context, NULL, &f->stream));
    RILL_TRY(rill_stream_create(context, NULL, &f->other));
    RILL_TRY(rill_event_create(context, NULL, &f->begun));
    return rill_event_create(context, NULL, &f->evened);
}

// Queues one picture; waits for nothing.
static rill_status queue(const kernels *k, frame *f, int seed, int radius)
{
    RILL_TRY(rill_launch(k->scene, f->stream, RILL_ARGS(WIDTH, HEIGHT, seed, f->grey)));
    RILL_TRY(rill_event_record(f->begun, f->stream));
    RILL_TRY(rill_event_wait(f->begun, f->other));
    RILL_TRY(rill_launch(k->equalise, f->other, RILL_ARGS(WIDTH, HEIGHT, f->grey, f->even, f->histogram)));
    RILL_TRY(rill_event_record(f->evened, f->other));
    RILL_TRY(rill_launch(k->blur, f->stream, RILL_ARGS(WIDTH, HEIGHT, radius, f->grey, f->rows, f->smooth)));
    RILL_TRY(rill_launch(k->edges, f->stream, RILL_ARGS(WIDTH, HEIGHT, f->smooth, f->edge)));
    RILL_TRY(rill_event_wait(f->evened, f->stream));
    RILL_TRY(rill_launch(k->compose, f->stream, RILL_ARGS(WIDTH, HEIGHT, f->even, f->edge, f->out)));
    return rill_array_read_async(f->out, f->stream, picture[seed], sizeof picture[seed]);
}

static rill_status run(int radius)
{
    RILL_AUTO_CONTEXT context = {0};
    kernels k;
    frame frames[COUNT];
    RILL_TRY(rill_open("auto", NULL, &context));
    RILL_TRY(load(context, &k));
    for (int i = 0; i < COUNT; i++) {
        RILL_TRY(make(context, &frames[i]));
    }
    for (int i = 0; i < COUNT; i++) {
        RILL_TRY(queue(&k, &frames[i], i, radius));
    }
    return rill_sync(context);
}

int main(int argc, char **argv)
{
    rill_status status = run(argc > 1 ? atoi(argv[1]) : 3);
    if (status != RILL_OK) {
        fprintf(stderr, "%s: %s\n", rill_status_name(status), rill_message());
        return 1;
    }
    return picture_write(argc > 2 ? argv[2] : "image.png", WIDTH, COUNT * HEIGHT, &picture[0][0][0][0]) ? 0 : 1;
}
