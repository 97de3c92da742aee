// Host memory and a GPU: arrays of pageable memory written and read, beside the driver's own copies by hand; how long
// the call of an asynchronous copy takes while the stream is busy; and a launch with RILL_HOST beside the upload, the
// launch and the download by hand. Where there is no NVIDIA GPU the same calls on the CPU, beside memcpy() and a plain
// loop. Both take turns, and medians are compared.
//
//     build/release/bench/gpu_transfer
#include "rill/rill.h"

#include "raw_driver.h"

#include <math.h>

enum { TURNS = 15, SMALL = 1024, MOST = 256 << 20, BUSY_SIZE = 24 << 20, SPINS = 20000000 };

static const char source[] =
    "#include <rill/kernel.h>\n"
    "kernel void step(int n, float s, float x[n])\n"
    "{ for (int i = 0; i < n; i++) { x[i] = s * x[i] + 1; } }\n"
    "kernel long spin(int rounds)\n"
    "{ long s = 1;\n"
    "#pragma rill single\n"
    "  for (int i = 0; i < rounds; i++) { s = s * 6364136223846793005 + 1442695040888963407; }\n"
    "  return s; }\n";

// The copies of the driver, which the other benchmarks do not need.
static struct {
    struct raw driver;
    int (*upload)(uint64_t, const void *, size_t);
    int (*download)(void *, uint64_t, size_t);
    int (*upload_async)(uint64_t, const void *, size_t, void *);
    int (*download_async)(void *, uint64_t, size_t, void *);
    void *stream;
    uint64_t memory;
} raw;

struct bench {
    bool is_gpu;
    rill_context context;
    rill_kernel step;
    rill_kernel spin;
    rill_array array; // of MOST bytes
    rill_array small; // of SMALL floats
    rill_array result;
    char *host; // owned: pageable
    char *copy; // owned: what the CPU's peer copies to
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool open_raw(void)
{
    const char *path = getenv("RILL_CUDA_LIBRARY");
    void *library = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW);
    if (library == NULL || !raw_open(&raw.driver)) {
        return false;
    }
    *(void **)&raw.upload = dlsym(library, "cuMemcpyHtoD_v2");
    *(void **)&raw.download = dlsym(library, "cuMemcpyDtoH_v2");
    *(void **)&raw.upload_async = dlsym(library, "cuMemcpyHtoDAsync_v2");
    *(void **)&raw.download_async = dlsym(library, "cuMemcpyDtoHAsync_v2");
    return raw.upload != NULL && raw.download != NULL && raw.upload_async != NULL && raw.download_async != NULL &&
           raw.driver.stream(&raw.stream, 1, 0) == 0 && raw.driver.alloc(&raw.memory, MOST) == 0;
}

// ---- what is measured -----------------------------------------------------------------------------------------------

// One way to do a thing. |size| in bytes; false: it failed.
typedef bool way_function(const struct bench *bench, size_t size);

static bool write_rill(const struct bench *bench, size_t size)
{
    return rill_array_write_at(bench->array, RILL_CURRENT, 0, bench->host, size) == RILL_OK &&
           rill_sync(bench->context) == RILL_OK;
}

static bool write_raw(const struct bench *bench, size_t size)
{
    if (!bench->is_gpu) {
        memcpy(bench->copy, bench->host, size);
        return true;
    }
    return raw.upload(raw.memory, bench->host, size) == 0;
}

static bool read_rill(const struct bench *bench, size_t size)
{
    return rill_array_read_at(bench->array, RILL_CURRENT, 0, bench->host, size) == RILL_OK;
}

static bool read_raw(const struct bench *bench, size_t size)
{
    if (!bench->is_gpu) {
        memcpy(bench->host, bench->copy, size);
        return true;
    }
    return raw.download(bench->host, raw.memory, size) == 0;
}

static bool launch_host(const struct bench *bench, size_t size)
{
    float *x = (float *)(void *)bench->host;
    (void)size;
    return rill_launch(bench->step, RILL_CURRENT, RILL_ARGS(SMALL, 0.5f, RILL_HOST(x, SMALL))) == RILL_OK &&
           rill_sync(bench->context) == RILL_OK;
}

static bool launch_arrays(const struct bench *bench, size_t size)
{
    return rill_array_write(bench->small, RILL_CURRENT, bench->host, size) == RILL_OK &&
           rill_launch(bench->step, RILL_CURRENT, RILL_ARGS(SMALL, 0.5f, bench->small)) == RILL_OK &&
           rill_array_read(bench->small, RILL_CURRENT, bench->host, size) == RILL_OK;
}

static bool launch_raw(const struct bench *bench, size_t size)
{
    float *x = (float *)(void *)bench->host;
    if (!bench->is_gpu) {
        for (int i = 0; i < SMALL; i++) {
            x[i] = 0.5f * x[i] + 1;
        }
        return true;
    }
    return raw.upload_async(raw.driver.arrays[0], x, size, raw.stream) == 0 &&
           raw_launch(&raw.driver, 0, raw.stream, 0.5f) == 0 &&
           raw.download_async(x, raw.driver.arrays[0], size, raw.stream) == 0 &&
           raw.driver.synchronize(raw.stream) == 0;
}

// Microseconds; a NAN if it failed.
static double time_of(const struct bench *bench, way_function *way, size_t size)
{
    double begin = now_us();
    bool is_good = way(bench, size);
    return is_good ? now_us() - begin : (double)NAN;
}

static double median_of(double *times)
{
    qsort(times, TURNS, sizeof *times, compare);
    return times[TURNS / 2];
}

// Medians of ways that take turns; the last is what the others are compared with.
static void measure(const struct bench *bench, way_function *const *ways, int count, size_t size, double *out)
{
    enum { MOST_WAYS = 3 };
    double times[MOST_WAYS][TURNS];
    for (int turn = -1; turn < TURNS; turn++) { // the first is to warm up
        for (int i = 0; i < count; i++) {
            double time = time_of(bench, ways[i], size);
            times[i][turn < 0 ? 0 : turn] = time;
        }
    }
    for (int i = 0; i < count; i++) {
        out[i] = median_of(times[i]);
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void show_copies(const struct bench *bench)
{
    static const size_t sizes[] = {4 << 10, 64 << 10, 1 << 20, 16 << 20, MOST};
    way_function *const writes[] = {write_rill, write_raw};
    way_function *const reads[] = {read_rill, read_raw};
    printf("pageable memory, GB/s       written  by hand   ratio      read  by hand   ratio\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        double to[2];
        double from[2];
        measure(bench, writes, 2, sizes[i], to);
        measure(bench, reads, 2, sizes[i], from);
        double bytes = (double)sizes[i] * 1e-3;
        printf("%10zu KiB           %10.2f%9.2f%8.2f%10.2f%9.2f%8.2f\n", sizes[i] >> 10, bytes / to[0], bytes / to[1],
               to[1] / to[0], bytes / from[0], bytes / from[1], from[1] / from[0]);
    }
}

static void show_launches(const struct bench *bench)
{
    way_function *const ways[] = {launch_host, launch_arrays, launch_raw};
    double times[3];
    measure(bench, ways, 3, SMALL * sizeof(float), times);
    printf("launch with 4 KiB of the host, us: RILL_HOST %.2f, write, launch and read %.2f, by hand %.2f; RILL_HOST is "
           "%.2fx of by hand\n",
           times[0], times[1], times[2], times[0] / times[2]);
}

static rill_status queue_spin(const struct bench *bench)
{
    return rill_launch_result(bench->spin, RILL_CURRENT, RILL_ARGS(SPINS), bench->result);
}

static int spin_raw(void)
{
    int rounds = SPINS;
    void *params[] = {&raw.driver.arrays[1], &rounds};
    return raw.driver.launch(raw.driver.spin, 1, 1, 1, 1, 1, 1, 0, raw.stream, params, NULL);
}

// How long the call takes that queues a copy behind a kernel that runs for tens of milliseconds.
static rill_status show_busy(const struct bench *bench)
{
    RILL_TRY(queue_spin(bench));
    double begin = now_us();
    RILL_TRY(rill_array_write_at_async(bench->array, RILL_CURRENT, 0, bench->host, BUSY_SIZE));
    double rill = now_us() - begin;
    RILL_TRY(rill_sync(bench->context));
    double whole = now_us() - begin;
    printf("an asynchronous write of 24 MiB of pageable memory behind a kernel, us: the call %.0f, all of it %.0f",
           rill, whole);
    if (bench->is_gpu && spin_raw() == 0) {
        begin = now_us();
        int failed = raw.upload_async(raw.memory, bench->host, BUSY_SIZE, raw.stream);
        double by_hand = now_us() - begin;
        failed |= raw.driver.synchronize(raw.stream);
        printf("; cuMemcpyHtoDAsync %.0f%s", by_hand, failed != 0 ? " (failed)" : "");
    }
    putchar('\n');
    return RILL_OK;
}

// ---- all of it ------------------------------------------------------------------------------------------------------

static rill_status open_bench(struct bench *bench)
{
    rill_module module;
    bench->is_gpu = rill_open("cuda:0", NULL, &bench->context) == RILL_OK;
    if (!bench->is_gpu) {
        RILL_TRY(rill_open("cpu", NULL, &bench->context));
    }
    RILL_TRY(rill_module_create(bench->context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "step", &bench->step));
    RILL_TRY(rill_module_kernel(module, "spin", &bench->spin));
    RILL_TRY(rill_array_create(bench->context, RILL_U8, RILL_SHAPE(MOST), &bench->array));
    RILL_TRY(rill_array_create(bench->context, RILL_F32, RILL_SHAPE(SMALL), &bench->small));
    return rill_array_create(bench->context, RILL_I64, RILL_SHAPE(1), &bench->result);
}

int main(void)
{
    struct bench bench = {.host = calloc(1, MOST), .copy = calloc(1, MOST)};
    if (bench.host == NULL || bench.copy == NULL || open_bench(&bench) != RILL_OK) {
        fprintf(stderr, "%s\n", bench.host == NULL || bench.copy == NULL ? "out of memory" : rill_message());
        return 1;
    }
    if (bench.is_gpu && !open_raw()) {
        printf("the driver does not have what the calls by hand need\n");
        return 0;
    }
    printf("%s\n", bench.is_gpu ? "cuda:0; by hand: the driver's calls"
                                : "there is no NVIDIA GPU here: the CPU; by hand: memcpy(), a plain loop");
    show_copies(&bench);
    show_launches(&bench);
    if (show_busy(&bench) != RILL_OK || rill_close(bench.context) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    free(bench.host);
    free(bench.copy);
    return 0;
}
