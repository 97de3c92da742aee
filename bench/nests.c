// Loop nests as textbooks have them, unchanged, beside gcc -O3 -march=native, serial and with OpenMP pragmas where
// those offer themselves (for particles with atomics). Every row is run at a large size and at a tenth of each extent.
// Builds take turns, the least time of each counts, and all results are compared with serial C's. On a GPU the arrays
// are there already, and only serial C is beside it.
//
//     build/release/bench/nests [--full] [--alone] [--work] [--large | --small] [--device NAME] [--seconds N] [name …]
//
// --full takes the sizes that the default shortens, so that it ends in minutes; --seconds gives each row so long.
// --alone leaves gcc's builds out, and with them the comparison of results: for full sizes where time on the device is
// short. --work takes the processor time of all threads: with RILL_THREADS=1 what the code itself costs, whoever else
// uses the machine.
#include "nests.h"
#include "tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// A row's rounds end after |seconds|, but not before the second, since the first is to warm up, unless that was long.
// OpenMP's threads keep their cores for a while after a loop, so there is a pause before each build.
enum { MIN_ROUNDS = 2, MAX_ROUNDS = 40, LONG_ROUND_S = 10, PAUSE_US = 3000 };

enum { BY_SERIAL, BY_OPENMP, BY_RILL, WAYS };
static const char *const way_names[WAYS] = {"gcc serial", "gcc omp", "rill"};

enum { LARGE, SMALL };

// A row that is slower than serial C.
enum { MAX_SLOWER = 128 };
struct slower {
    const char *name;
    int size;
    double ratio;
};

struct bench {
    rill_context context;
    const char *device;
    bool is_cpu;
    bool is_full;
    bool is_alone;
    double seconds;  // for the rounds of one row
    clockid_t clock; // for its runs
    bool wants[2];   // the large sizes, the small ones
    char **names;    // borrowed: the rows wanted, all if there are none
    int name_count;
    char dir[32];
    double log_sums[2][2]; // of the ratios to serial C and to OpenMP, large and small
    int counts[2][2];
    struct slower slower[MAX_SLOWER];
    int slower_count;
    bool is_wrong;
};

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

// ---- one run ------------------------------------------------------------------------------------------------------

struct runs {
    struct bench *bench; // borrowed
    struct data data;
    native_function *natives[WAYS]; // NULL: there is none
    rill_kernel kernel;
    rill_array on_device[MAX_ARRAYS]; // on a GPU
    rill_arg args[MAX_INTS + MAX_DOUBLES + MAX_ARRAYS];
    size_t arg_count;
    double least[WAYS];
};

static rill_status prepare_args(struct runs *runs)
{
    const struct row *row = runs->data.row;
    for (size_t i = 0; i < strlen(row->sizes); i++) {
        runs->args[runs->arg_count++] = rill_arg_int(runs->data.sizes[i]);
    }
    for (int i = 0; i < row->double_count; i++) {
        runs->args[runs->arg_count++] = rill_arg_float(row->doubles[i]);
    }
    for (int i = 0; i < runs->data.array_count; i++) {
        const struct data *data = &runs->data;
        if (runs->bench->is_cpu) {
            size_t size = data->types[i] == RILL_F64 ? sizeof(double) : sizeof(int);
            runs->args[runs->arg_count++] =
                rill_arg_memory(RILL_ARG_HOST, data->types[i], data->arrays[i], data->counts[i], size);
        } else {
            RILL_TRY(rill_array_create(runs->bench->context, data->types[i], data->shapes[i], &runs->on_device[i]));
            runs->args[runs->arg_count++] = rill_arg_array(runs->on_device[i]);
        }
    }
    return RILL_OK;
}

static rill_status move_arrays(struct runs *runs, bool is_upload)
{
    for (int i = 0; i < runs->data.array_count && !runs->bench->is_cpu; i++) {
        void *array = runs->data.arrays[i];
        size_t size = runs->data.bytes[i];
        RILL_TRY(is_upload ? rill_array_write(runs->on_device[i], RILL_CURRENT, array, size)
                           : rill_array_read(runs->on_device[i], RILL_CURRENT, array, size));
    }
    return rill_sync(runs->bench->context);
}

static rill_status run_rill(struct runs *runs, double *out_time)
{
    RILL_TRY(move_arrays(runs, true));
    double begin = read_clock(runs->bench->clock);
    RILL_TRY(rill_call(runs->kernel, RILL_CURRENT, (rill_args){runs->args, runs->arg_count}, NULL, 0));
    *out_time = read_clock(runs->bench->clock) - begin;
    return move_arrays(runs, false);
}

// Sums in another order, and thousands of steps on top of them, keep this many digits.
static const double TOLERANCE = 1e-8;

static void check(struct runs *runs, int way)
{
    if (way == BY_SERIAL) {
        data_expect(&runs->data);
        return;
    }
    double error = runs->natives[BY_SERIAL] != NULL ? data_error(&runs->data) : 0;
    if (!(error <= TOLERANCE)) {
        printf("%s: %s differs from serial C by %g\n", runs->data.row->name, way_names[way], error);
        runs->bench->is_wrong = true;
    }
}

static rill_status run_once(struct runs *runs, int way)
{
    double time = (double)NAN;
    if (way != BY_RILL && runs->natives[way] == NULL) {
        return RILL_OK;
    }
    data_reset(&runs->data);
    usleep(PAUSE_US);
    if (way == BY_RILL) {
        RILL_TRY(run_rill(runs, &time));
    } else {
        double begin = read_clock(runs->bench->clock);
        runs->natives[way](runs->data.sizes, runs->data.row->doubles, runs->data.arrays);
        time = read_clock(runs->bench->clock) - begin;
    }
    check(runs, way);
    runs->least[way] = fmin(runs->least[way], time); // a NAN is passed over
    return RILL_OK;
}

// ---- one row ------------------------------------------------------------------------------------------------------

static bool is_enough(const struct bench *bench, int round, double elapsed)
{
    return elapsed > (round < MIN_ROUNDS ? LONG_ROUND_S : bench->seconds);
}

static rill_status measure(struct runs *runs)
{
    const struct row *row = runs->data.row;
    char path[64];
    snprintf(path, sizeof path, "bench/kernels/%s.c", row->file);
    RILL_TRY(rill_kernel_load(runs->bench->context, tree_file(path), row->name, &runs->kernel));
    if (!runs->bench->is_alone) {
        runs->natives[BY_SERIAL] = native_build(row, false, runs->bench->dir);
    }
    if (row->has_openmp && runs->bench->is_cpu && !runs->bench->is_alone) {
        runs->natives[BY_OPENMP] = native_build(row, true, runs->bench->dir);
    }
    RILL_TRY(prepare_args(runs));
    double begin = now();
    for (int round = 0; round < MAX_ROUNDS && !is_enough(runs->bench, round, now() - begin); round++) {
        for (int way = 0; way < WAYS; way++) {
            RILL_TRY(run_once(runs, way));
        }
    }
    for (int i = 0; i < runs->data.array_count && !runs->bench->is_cpu; i++) {
        RILL_TRY(rill_array_destroy(runs->on_device[i]));
    }
    return RILL_OK;
}

static void print_time(double time)
{
    if (isnan(time)) {
        printf("%12s", "-");
    } else {
        printf("%12.3f", time * 1e3);
    }
}

// Notes the ratio of another way's time to Rill's.
static void print_ratio(struct bench *bench, int size, int way, double ratio)
{
    if (!isfinite(ratio)) {
        printf("%9s", "-");
        return;
    }
    printf("%9.2f", ratio);
    bench->log_sums[size][way] += log(ratio);
    bench->counts[size][way]++;
}

static void print_row(struct bench *bench, const struct runs *runs, int size)
{
    const struct row *row = runs->data.row;
    char sizes[64] = "";
    for (size_t i = 0; i < strlen(row->sizes); i++) {
        size_t length = strlen(sizes);
        snprintf(sizes + length, sizeof sizes - length, "%s%d", i > 0 ? "x" : "", runs->data.sizes[i]);
    }
    printf("%-20s%-26s", row->name, sizes);
    for (int way = 0; way < WAYS; way++) {
        print_time(runs->least[way]);
    }
    for (int way = BY_SERIAL; way < BY_RILL; way++) {
        print_ratio(bench, size, way, runs->least[way] / runs->least[BY_RILL]);
    }
    putchar('\n');
    fflush(stdout);
    if (runs->least[BY_RILL] > runs->least[BY_SERIAL] && bench->slower_count < MAX_SLOWER) {
        bench->slower[bench->slower_count++] =
            (struct slower){row->name, size, runs->least[BY_SERIAL] / runs->least[BY_RILL]};
    }
}

static bool is_wanted(const struct bench *bench, const char *name)
{
    for (int i = 0; i < bench->name_count; i++) {
        if (strstr(name, bench->names[i]) != NULL) {
            return true;
        }
    }
    return bench->name_count == 0;
}

// False: this row could not be run.
static bool run_row(struct bench *bench, const struct row *row, int size)
{
    struct runs runs = {.bench = bench, .least = {NAN, NAN, NAN}};
    int sizes[MAX_INTS] = {0};
    for (size_t i = 0; i < strlen(row->sizes); i++) {
        bool is_extent = row->sizes[i] >= 'A' && row->sizes[i] <= 'Z';
        int large = bench->is_full ? row->full[i] : row->large[i];
        sizes[i] = size == SMALL && is_extent ? row->full[i] / 10 : large;
    }
    bool is_done = data_init(&runs.data, row, sizes);
    if (!is_done) {
        fprintf(stderr, "%s: no memory\n", row->name);
    } else if (measure(&runs) != RILL_OK) {
        fprintf(stderr, "%s: %s\n", row->name, rill_message());
        is_done = false;
    } else {
        print_row(bench, &runs, size);
    }
    data_finish(&runs.data);
    return is_done;
}

// ---- all of it ----------------------------------------------------------------------------------------------------

static bool run_rows(struct bench *bench)
{
    bool is_done = true;
    printf("milliseconds%s on %s, the least of rounds in turn; 'x serial' and 'x omp' are their times over rill's: "
           "above 1 rill is faster\n",
           bench->clock == CLOCK_MONOTONIC ? "" : " of processor time", bench->device);
    for (int size = LARGE; size <= SMALL; size++) {
        if (!bench->wants[size]) {
            continue;
        }
        printf("%-46s", size == LARGE ? "large" : "a tenth of each extent");
        for (int way = 0; way < WAYS; way++) {
            printf("%12s", way_names[way]);
        }
        printf("%9s%9s\n", "x serial", "x omp");
        for (int i = 0; i < nest_row_count; i++) {
            is_done &= !is_wanted(bench, nest_rows[i].name) || run_row(bench, &nest_rows[i], size);
        }
    }
    return is_done;
}

static void print_means(const struct bench *bench)
{
    for (int size = LARGE; size <= SMALL; size++) {
        for (int way = BY_SERIAL; way < BY_RILL; way++) {
            int count = bench->counts[size][way];
            if (count > 0) {
                printf("%s: geometric mean over %s %.3f (%d rows)\n", size == LARGE ? "large" : "small", way_names[way],
                       exp(bench->log_sums[size][way] / count), count);
            }
        }
    }
    printf("slower than one core of gcc:");
    for (int i = 0; i < bench->slower_count; i++) {
        const struct slower *slower = &bench->slower[i];
        printf("%s %s%s %.2f", i > 0 ? "," : "", slower->name, slower->size == SMALL ? " (small)" : "", slower->ratio);
    }
    printf("%s\n", bench->slower_count > 0 ? "" : " none");
}

static bool read_options(struct bench *bench, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--full") == 0) {
            bench->is_full = true;
        } else if (strcmp(argv[i], "--alone") == 0) {
            bench->is_alone = true;
        } else if (strcmp(argv[i], "--large") == 0) {
            bench->wants[SMALL] = false;
        } else if (strcmp(argv[i], "--small") == 0) {
            bench->wants[LARGE] = false;
        } else if (strcmp(argv[i], "--work") == 0) {
            bench->clock = CLOCK_PROCESS_CPUTIME_ID;
        } else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            bench->device = argv[++i];
        } else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            bench->seconds = atof(argv[++i]);
        } else {
            fprintf(stderr,
                    "usage: nests [--full] [--alone] [--work] [--large | --small] [--device NAME] [--seconds N] "
                    "[name …]\n");
            return false;
        }
    }
    bench->names = argv + i;
    bench->name_count = argc - i;
    bench->is_cpu = strcmp(bench->device, "cpu") == 0;
    return true;
}

int main(int argc, char **argv)
{
    static struct bench bench = {.device = "cpu",
                                 .seconds = 0.7,
                                 .clock = CLOCK_MONOTONIC,
                                 .wants = {true, true},
                                 .dir = "/tmp/rill-bench-XXXXXX"};
    if (!read_options(&bench, argc, argv)) {
        return 2;
    }
    if (rill_open(bench.device, NULL, &bench.context) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    if (mkdtemp(bench.dir) == NULL) {
        perror("mkdtemp");
        return 1;
    }
    bool is_done = run_rows(&bench);
    print_means(&bench);
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", bench.dir);
    is_done &= system(command) == 0;
    is_done &= rill_close(bench.context) == RILL_OK;
    return is_done && !bench.is_wrong ? 0 : 1;
}
