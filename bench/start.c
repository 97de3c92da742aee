// How long a program with twenty kernels takes to start: without the cache of compiles, with one that is empty, with
// one that an earlier process has filled, and with kernels that were built ahead of time (with an empty cache and a
// filled one: of PTX the driver has to make its own). Beside these, on an NVIDIA GPU, NVRTC with the driver's cache
// empty and filled. Each start is a process of its own; times are from its first call until all kernels are runnable,
// and those of the whole process as its parent sees it.
//
//   start [device…]      cpu, and cuda:0 where there is one, without it
//   start --cuda         prints the kernels of NVRTC's start, for start_peers.py
#include "start_nvrtc.h"
#include <rill/rill.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What textbooks and image libraries have, each a file of its own.
static const char *const sources[] = {
    "kernel void scale(int n, float a, float x[n]) { for (int i = 0; i < n; i++) x[i] *= a; }",
    "kernel void axpy(int n, float a, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }",
    "kernel void triad(int n, double s, double a[n], const double b[n], const double c[n])\n"
    "{ for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i]; }",
    "kernel double dot(int n, const double x[n], const double y[n])\n"
    "{ double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }",
    "kernel float largest(int n, const float x[n])\n"
    "{ float m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i]; return m; }",
    "kernel void histogram(int n, const unsigned char x[n], int bins[256])\n"
    "{ for (int i = 0; i < n; i++) bins[x[i]]++; }",
    "kernel void gather(int n, const int at[n], const float x[n], float y[n])\n"
    "{ for (int i = 0; i < n; i++) y[i] = x[at[i]]; }",
    "kernel void transpose(int n, int m, const float a[n][m], float b[m][n])\n"
    "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j]; }",
    "kernel void matvec(int n, int m, const float a[n][m], const float x[m], float y[n])\n"
    "{ for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < m; j++) s += a[i][j] * x[j]; y[i] = s; } }",
    "kernel void matmul(int n, const float a[n][n], const float b[n][n], float c[n][n])\n"
    "{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {\n"
    "    float s = 0; for (int k = 0; k < n; k++) s += a[i][k] * b[k][j]; c[i][j] = s; } }",
    "kernel void jacobi(int n, const double a[n][n], double b[n][n])\n"
    "{ for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)\n"
    "    b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]); }",
    "kernel void heat(int n, int steps, float a[n], float b[n])\n"
    "{ for (int t = 0; t < steps; t++) {\n"
    "    for (int i = 1; i < n - 1; i++) b[i] = 0.5f * a[i] + 0.25f * (a[i - 1] + a[i + 1]);\n"
    "    for (int i = 1; i < n - 1; i++) a[i] = b[i]; } }",
    "kernel void gray(int n, const unsigned char rgb[n][3], unsigned char out[n])\n"
    "{ for (int i = 0; i < n; i++) out[i] = (rgb[i][0] * 77 + rgb[i][1] * 150 + rgb[i][2] * 29) >> 8; }",
    "kernel void threshold(int n, int limit, unsigned char x[n])\n"
    "{ for (int i = 0; i < n; i++) x[i] = x[i] > limit ? 255 : 0; }",
    "kernel void blur(int h, int w, const float a[h][w], float b[h][w])\n"
    "{ for (int y = 1; y < h - 1; y++) for (int x = 1; x < w - 1; x++) {\n"
    "    float s = 0; for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) s += a[y + i][x + j];\n"
    "    b[y][x] = s / 9; } }",
    "kernel void mandelbrot(int h, int w, int out[h][w])\n"
    "{ for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {\n"
    "    float cr = 3.0f * x / w - 2, ci = 2.0f * y / h - 1, r = 0, i = 0; int n = 0;\n"
    "    for (; n < 100 && r * r + i * i < 4; n++) { float t = r * r - i * i + cr; i = 2 * r * i + ci; r = t; }\n"
    "    out[y][x] = n; } }",
    "#include <math.h>\n"
    "kernel void forces(int n, const float p[n][3], float f[n][3])\n"
    "{ for (int i = 0; i < n; i++) { float fx = 0, fy = 0, fz = 0;\n"
    "    for (int j = 0; j < n; j++) {\n"
    "      float x = p[j][0] - p[i][0], y = p[j][1] - p[i][1], z = p[j][2] - p[i][2];\n"
    "      float d = 1 / sqrtf(x * x + y * y + z * z + 1e-6f), k = d * d * d; fx += k * x; fy += k * y; fz += k * z; "
    "}\n"
    "    f[i][0] = fx; f[i][1] = fy; f[i][2] = fz; } }",
    "#include <math.h>\n"
    "kernel void softmax(int n, int m, float x[n][m])\n"
    "{ for (int i = 0; i < n; i++) { float top = x[i][0], s = 0;\n"
    "    for (int j = 1; j < m; j++) top = fmaxf(top, x[i][j]);\n"
    "    for (int j = 0; j < m; j++) { x[i][j] = expf(x[i][j] - top); s += x[i][j]; }\n"
    "    for (int j = 0; j < m; j++) x[i][j] /= s; } }",
    "kernel void spmv(int n, int k, const int row[n + 1], const int col[k], const double a[k], const double x[n],\n"
    "                 double y[n])\n"
    "{ for (int i = 0; i < n; i++) { double s = 0; for (int j = row[i]; j < row[i + 1]; j++) s += a[j] * x[col[j]];\n"
    "    y[i] = s; } }",
    "kernel void collatz(int n, int steps[n])\n"
    "{ for (int i = 0; i < n; i++) { long v = i + 1; int s = 0;\n"
    "    while (v != 1 && s < 1000) { v = v % 2 ? 3 * v + 1 : v / 2; s++; } steps[i] = s; } }",
};

enum { KERNEL_COUNT = sizeof sources / sizeof sources[0], STARTS = 9 };

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int stop(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, rill_message());
    return 1;
}

static int has_compiler(void)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        found |= strstr(line, "librill-compiler.so") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

// ---- one start ----------------------------------------------------------------------------------------------------

// What one process says: ms until the device is open, ms from there until all kernels are, also of processors, compiles
// that were found, and whether the compiler is in memory.
struct start {
    double opened, ready, busy, process;
    int hits, has_compiler;
};

static double busy_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// What the kernels of a program come from: text, or the packages in a file, which stand for those in its own.
struct packages {
    const unsigned char *bytes; // NULL: text
    uint64_t offsets[KERNEL_COUNT + 1];
};

// The file begins with the offsets.
static int map_packages(const char *path, struct packages *out)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        perror(path);
        return 1;
    }
    void *found = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (found == MAP_FAILED) {
        perror(path);
        return 1;
    }
    out->bytes = found;
    memcpy(out->offsets, found, sizeof out->offsets);
    return 0;
}

static void source_of(int index, char *text, size_t size)
{
    snprintf(text, size, "#include <rill/kernel.h>\n%s\n", sources[index]);
}

static rill_status make_kernel(rill_context context, const struct packages *packages, int index)
{
    char text[2048];
    rill_module module;
    rill_kernel kernel;
    if (packages->bytes != NULL) {
        rill_package package = {.bytes = packages->bytes + packages->offsets[index],
                                .size = packages->offsets[index + 1] - packages->offsets[index]};
        return rill_package_kernel(context, &package, 0, &kernel);
    }
    source_of(index, text, sizeof text);
    RILL_TRY(rill_module_create(context, text, NULL, &module));
    return rill_module_kernel(module, NULL, &kernel);
}

static int be_program(const char *device, const char *cache, const char *packages_path)
{
    rill_context context;
    struct packages packages = {.bytes = NULL};
    if (packages_path[0] != '\0' && map_packages(packages_path, &packages) != 0) {
        return 1;
    }
    double begun = now_ms();
    if (rill_open(device, &(rill_open_options){.cache = cache}, &context) != RILL_OK) {
        return stop("rill_open");
    }
    double opened = now_ms(), busy = busy_ms();
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (make_kernel(context, &packages, i) != RILL_OK) {
            return stop("a kernel");
        }
    }
    double ready = now_ms();
    busy = busy_ms() - busy;
    rill_stats stats;
    if (rill_context_stats(context, &stats) != RILL_OK) {
        return stop("rill_context_stats");
    }
    printf("%f %f %f %d %d\n", opened - begun, ready - opened, busy, (int)(stats.cache.hit_count + stats.ahead_count),
           has_compiler());
    return rill_close(context) == RILL_OK ? 0 : stop("rill_close");
}

static int be_nvrtc(void)
{
    struct nvrtc nvrtc;
    double begun = now_ms();
    if (nvrtc_open(&nvrtc) != 0) {
        return 1;
    }
    double opened = now_ms(), busy = busy_ms();
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (nvrtc_load(&nvrtc, nvrtc_sources[i]) != 0) {
            fprintf(stderr, "NVRTC or the driver refuses kernel %d\n", i);
            return 1;
        }
    }
    double ready = now_ms();
    printf("%f %f %f 0 0\n", opened - begun, ready - opened, busy_ms() - busy);
    return 0;
}

// Each kernel with a form feed behind it.
static int print_cuda(void)
{
    for (int i = 0; i < KERNEL_COUNT; i++) {
        printf("%s\f", nvrtc_sources[i]);
    }
    return 0;
}

// A way to start: what the process is told.
struct way {
    const char *name;
    const char *device; // NULL: NVRTC
    const char *cache;
    const char *packages; // "": compiled
    int empties;          // each start finds an empty cache
};

static int run_program(const char *self, const struct way *way, struct start *out)
{
    char command[2048], line[256] = "";
    if (way->device != NULL) {
        snprintf(command, sizeof command, "exec '%s' --program '%s' '%s' '%s'", self, way->device, way->cache,
                 way->packages);
    } else {
        snprintf(command, sizeof command, "CUDA_CACHE_PATH='%s' exec '%s' --nvrtc", way->cache, self);
    }
    double begun = now_ms();
    FILE *said = popen(command, "r");
    int is_said = said != NULL && fgets(line, sizeof line, said) != NULL;
    int status = said != NULL ? pclose(said) : -1;
    out->process = now_ms() - begun;
    return is_said && status == 0 &&
           sscanf(line, "%lf %lf %lf %d %d", &out->opened, &out->ready, &out->busy, &out->hits, &out->has_compiler) ==
               5;
}

// ---- the table ----------------------------------------------------------------------------------------------------

static int compare_ready(const void *left, const void *right)
{
    double a = ((const struct start *)left)->ready, b = ((const struct start *)right)->ready;
    return a < b ? -1 : a > b;
}

// The median of several starts. 1: one failed.
static int show(const char *self, const char *device, const struct way *way)
{
    struct start starts[STARTS];
    for (int i = 0; i < STARTS; i++) {
        char command[512];
        snprintf(command, sizeof command, "rm -rf '%s'", way->cache);
        if ((way->empties && system(command) != 0) || !run_program(self, way, &starts[i])) {
            return 1;
        }
    }
    qsort(starts, STARTS, sizeof starts[0], compare_ready);
    const struct start *middle = &starts[STARTS / 2];
    printf("%-10s %-12s %9.2f %9.2f %9.3f %9.3f %9.2f %7d %9s\n", device, way->name, middle->opened, middle->ready,
           middle->ready / KERNEL_COUNT, middle->busy / KERNEL_COUNT, middle->process, middle->hits,
           middle->has_compiler ? "yes" : "no");
    fflush(stdout);
    return 0;
}

static int write_packages(const char *path)
{
    enum { PAGE = 4096 };
    uint64_t offsets[KERNEL_COUNT + 1] = {PAGE};
    const char *const targets[] = {"portable", "sm_90"};
    rill_package_options options = {.targets = targets, .target_count = 2};
    FILE *file = fopen(path, "wb");
    int failed = file == NULL;
    for (int i = 0; i < KERNEL_COUNT && !failed; i++) {
        char text[2048];
        rill_built built;
        source_of(i, text, sizeof text);
        if (rill_package_build(text, NULL, &options, &built) != RILL_OK) {
            fclose(file);
            return stop("rill_package_build");
        }
        failed = fseek(file, (long)offsets[i], SEEK_SET) != 0 ||
                 fwrite(built.package, 1, built.package_size, file) != built.package_size;
        offsets[i + 1] = offsets[i] + built.package_size; // a multiple of 64
        rill_built_free(&built);
    }
    failed = failed || fseek(file, 0, SEEK_SET) != 0 || fwrite(offsets, sizeof offsets, 1, file) != 1;
    failed = (file != NULL && fclose(file) != 0) || failed;
    if (failed) {
        perror(path);
    }
    return failed;
}

static int show_device(const char *self, const char *device)
{
    char root[] = "/tmp/rill-start-XXXXXX";
    if (mkdtemp(root) == NULL) {
        perror(root);
        return 1;
    }
    char cache[64], ahead_cache[64], driver[64], packages[64], command[128];
    snprintf(cache, sizeof cache, "%s/cache", root);
    snprintf(ahead_cache, sizeof ahead_cache, "%s/ahead-cache", root);
    snprintf(driver, sizeof driver, "%s/driver", root);
    snprintf(packages, sizeof packages, "%s/packages", root);
    const struct way ways[] = {
        {"cache off", device, "off", "", 0},
        {"cache empty", device, cache, "", 1},
        {"cache warm", device, cache, "", 0},
        {"ahead, empty", device, ahead_cache, packages, 1},
        {"ahead, warm", device, ahead_cache, packages, 0},
        {"nvrtc, empty", NULL, driver, "", 1},
        {"nvrtc, warm", NULL, driver, "", 0},
    };
    int result = write_packages(packages);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && result == 0; i++) {
        if (ways[i].device != NULL) {
            result = show(self, device, &ways[i]);
        } else if (strncmp(device, "cuda", 4) == 0 && show(self, device, &ways[i]) != 0) {
            printf("%-10s %-12s is not here\n", device, ways[i].name);
        }
    }
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command) != 0 || result;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "--program") == 0) {
        return be_program(argv[2], argv[3], argv[4]);
    }
    if (argc == 2 && strcmp(argv[1], "--cuda") == 0) {
        return print_cuda();
    }
    if (argc == 2 && strcmp(argv[1], "--nvrtc") == 0) {
        return be_nvrtc();
    }
    char self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        perror("/proc/self/exe");
        return 1;
    }
    self[length] = '\0';
    printf("a program with %d kernels, ms, median of %d starts\n%-10s %-12s %9s %9s %9s %9s %9s %7s %9s\n",
           KERNEL_COUNT, STARTS, "device", "way", "open", "ready", "a kernel", "processor", "process", "found",
           "compiler");
    for (int i = 1; i < argc; i++) {
        if (show_device(self, argv[i]) != 0) {
            return 1;
        }
    }
    if (argc > 1) {
        return 0;
    }
    rill_context context;
    int has_gpu = rill_open("cuda:0", NULL, &context) == RILL_OK && rill_close(context) == RILL_OK;
    return show_device(self, "cpu") != 0 || (has_gpu && show_device(self, "cuda:0") != 0);
}
