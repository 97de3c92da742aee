// Rill's own part.
#include "peer.h"

#include "rill/rill.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void tiny(float x[1]) { x[0] = x[0] * 0.5f + 1; }\n"
                             "kernel void spin(int rounds, unsigned x[1])\n"
                             "{\n"
                             "    unsigned s = x[0];\n"
                             "#pragma rill single\n"
                             "    for (int i = 0; i < rounds; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; }\n"
                             "    x[0] = s;\n"
                             "}\n"
                             "kernel void stir(float x[65536])\n"
                             "{\n"
                             "    for (int i = 0; i < 65536; i++) {\n"
                             "        float y = x[i];\n"
                             "        for (int k = 0; k < 300; k++) { y = y * 0.5f + 1; }\n"
                             "        x[i] = y;\n"
                             "    }\n"
                             "}\n"
                             "#define PIECE(i) stream_parallel { x[16 * i] = x[16 * i] * 0.5f + 1; }\n"
                             "kernel void fork2(float x[128]) { PIECE(0) PIECE(1) }\n"
                             "kernel void fork4(float x[128]) { PIECE(0) PIECE(1) PIECE(2) PIECE(3) }\n"
                             "kernel void fork8(float x[128]) { PIECE(0) PIECE(1) PIECE(2) PIECE(3)\n"
                             "                                  PIECE(4) PIECE(5) PIECE(6) PIECE(7) }\n";

struct rill {
    rill_context context;
    rill_kernel tiny;
    rill_kernel spin;
    rill_kernel stir;     // a loop for all threads
    rill_kernel forks[3]; // of 2, 4, 8
    rill_stream streams[MAX_K];
    rill_array arrays[MAX_K]; // float[128]
    rill_array words[MAX_K];  // unsigned[1]
    rill_array soup;          // what |stir| works on
    rill_event event;
};

// The benchmark cannot go on without a call's success.
static void must(rill_status status)
{
    if (status != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        exit(1);
    }
}

static const char *open_rill(struct peer *peer)
{
    struct rill *rill = calloc(1, sizeof *rill);
    peer->state = rill;
    if (rill == NULL || rill_open("cpu", NULL, &rill->context) != RILL_OK) {
        return rill_message();
    }
    rill_module module;
    must(rill_module_create(rill->context, source, NULL, &module));
    must(rill_module_kernel(module, "tiny", &rill->tiny));
    must(rill_module_kernel(module, "spin", &rill->spin));
    must(rill_module_kernel(module, "stir", &rill->stir));
    must(rill_module_kernel(module, "fork2", &rill->forks[0]));
    must(rill_module_kernel(module, "fork4", &rill->forks[1]));
    must(rill_module_kernel(module, "fork8", &rill->forks[2]));
    for (int i = 0; i < MAX_K; i++) {
        must(rill_stream_create(rill->context, NULL, &rill->streams[i]));
        must(rill_array_create(rill->context, RILL_F32, RILL_SHAPE(128), &rill->arrays[i]));
        must(rill_array_create(rill->context, RILL_U32, RILL_SHAPE(16), &rill->words[i]));
        must(rill_array_fill(rill->words[i], rill->streams[i], &(uint32_t){1}, sizeof(uint32_t)));
    }
    must(rill_array_create(rill->context, RILL_F32, RILL_SHAPE(65536), &rill->soup));
    // An order and nothing more, as what it is compared with: a task that depends on another has no time either.
    must(rill_event_create(rill->context, &(rill_event_options){.without_time = true}, &rill->event));
    return NULL;
}

static void close_rill(struct peer *peer)
{
    struct rill *rill = peer->state;
    must(rill_close(rill->context));
    free(rill);
}

static void launch_tiny(struct rill *rill, int i)
{
    must(rill_launch(rill->tiny, rill->streams[i], RILL_ARGS(rill->arrays[i])));
}

static double enqueue(struct rill *rill)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) { // the first wakes the threads
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            launch_tiny(rill, 0);
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
        must(rill_stream_synchronize(rill->streams[0]));
    }
    return bench_median(times, BATCHES);
}

static double enqueue_idle(struct rill *rill)
{
    usleep(IDLE_PAUSE_US);
    // The call alone: its handles are at hand, as what names an OpenMP task is in the code.
    rill_kernel kernel = rill->tiny;
    rill_stream stream = rill->streams[0];
    rill_args args = RILL_ARGS(rill->arrays[0]);
    double start = bench_now();
    rill_status status = rill_launch(kernel, stream, args);
    double spent = bench_now() - start;
    must(status);
    must(rill_stream_synchronize(stream));
    return spent;
}

static double complete(struct rill *rill, rill_kernel kernel)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            must(rill_launch(kernel, rill->streams[0], RILL_ARGS(rill->arrays[0])));
            must(rill_stream_synchronize(rill->streams[0]));
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
    }
    return bench_median(times, BATCHES);
}

static double record_and_wait(struct rill *rill)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        launch_tiny(rill, 0);
        launch_tiny(rill, 1);
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            must(rill_event_record(rill->event, rill->streams[0]));
            must(rill_event_wait(rill->event, rill->streams[1]));
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
        must(rill_sync(rill->context));
    }
    return bench_median(times, BATCHES);
}

// From one stream to another, and the host waits for that one.
static double chain(struct rill *rill)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            launch_tiny(rill, 0);
            must(rill_event_record(rill->event, rill->streams[0]));
            must(rill_event_wait(rill->event, rill->streams[1]));
            launch_tiny(rill, 1);
            must(rill_stream_synchronize(rill->streams[1]));
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
    }
    return bench_median(times, BATCHES);
}

// The threads of OpenMP are awake when a region begins, and so are these after a loop that all had a part in.
static double spins(struct rill *rill, int k, bool overlap, int pause_us)
{
    for (int i = 0; i < 3; i++) {
        must(rill_launch(rill->stir, rill->streams[0], RILL_ARGS(rill->soup)));
        must(rill_sync(rill->context));
    }
    usleep((unsigned)pause_us);
    double start = bench_now();
    for (int i = 0; i < k; i++) {
        must(rill_launch(rill->spin, rill->streams[overlap ? i : 0], RILL_ARGS(SPINS, rill->words[i])));
    }
    must(rill_sync(rill->context));
    return bench_now() - start;
}

static void launch_many(int index, void *user)
{
    struct rill *rill = user;
    for (int i = 0; i < PER_THREAD; i++) {
        launch_tiny(rill, index);
    }
    must(rill_stream_synchronize(rill->streams[index]));
}

static double sample_rill(struct peer *peer, enum shape shape, int k)
{
    struct rill *rill = peer->state;
    switch (shape) {
    case SHAPE_ENQUEUE: return enqueue(rill);
    case SHAPE_IDLE: return enqueue_idle(rill);
    case SHAPE_COMPLETE: return complete(rill, rill->tiny);
    case SHAPE_EVENT: return record_and_wait(rill);
    case SHAPE_CHAIN: return chain(rill);
    case SHAPE_FORK: return complete(rill, rill->forks[k == 2 ? 0 : k == 4 ? 1 : 2]);
    case SHAPE_SERIAL: return spins(rill, k, false, 0);
    case SHAPE_OVERLAP: return spins(rill, k, true, 0);
    case SHAPE_OVERLAP_IDLE: return spins(rill, k, true, IDLE_PAUSE_US);
    case SHAPE_THREADS: return bench_threads(k, launch_many, rill) / (k * PER_THREAD);
    default: return (double)NAN;
    }
}

struct peer peer_rill = {.name = "rill", .open = open_rill, .sample = sample_rill, .close = close_rill};
