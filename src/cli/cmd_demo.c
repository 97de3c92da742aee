// rill demo: a short tour in the terminal. What it shows it does while you watch.
#include "cli/demo.h"
#include "cli/fill.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char demo_source[] =
    "#include <rill/kernel.h>\n"
    "\n"
    "kernel float heat(int n, int steps, float k, float t[n][n], float next[n][n])\n"
    "{\n"
    "    for (int s = 0; s < steps; s++) {                       // in order: a step needs the one before\n"
    "        for (int i = 1; i < n - 1; i++)                     // parallel\n"
    "            for (int j = 1; j < n - 1; j++)\n"
    "                next[i][j] = t[i][j] + k * (t[i-1][j] + t[i+1][j] + t[i][j-1] + t[i][j+1] - 4 * t[i][j]);\n"
    "        for (int i = 1; i < n - 1; i++)                     // parallel\n"
    "            for (int j = 1; j < n - 1; j++)\n"
    "                t[i][j] = next[i][j];\n"
    "    }\n"
    "    float sum = 0;\n"
    "    for (int i = 0; i < n; i++)                             // a reduction\n"
    "        for (int j = 0; j < n; j++)\n"
    "            sum += t[i][j];\n"
    "    return sum;\n"
    "}\n";

static const char wrong_source[] = "#include <rill/kernel.h>\n"
                                   "\n"
                                   "kernel void race(int n, float x[n], float y[n])\n"
                                   "{\n"
                                   "    stream_parallel {\n"
                                   "        for (int i = 0; i < n; i++) x[i] = 2 * x[i];\n"
                                   "    }\n"
                                   "    stream_parallel {\n"
                                   "        for (int i = 0; i < n; i++) y[i] = x[i];\n"
                                   "    }\n"
                                   "}\n";

static const char beyond_source[] = "#include <rill/kernel.h>\n"
                                    "\n"
                                    "kernel void blur(int n, const float x[n], float y[n])\n"
                                    "{\n"
                                    "    for (int i = 0; i < n; i++) y[i] = 0.5f * (x[i] + x[i + 1]);\n"
                                    "}\n";

double demo_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void heading(const char *text)
{
    bool color = cli_color(stdout);
    printf("\n%s== %s%s\n\n", color ? "\033[1m" : "", text, color ? "\033[0m" : "");
    fflush(stdout);
}

// Runs it twice and keeps the better time, so that threads have started and memory is there, as in the serial program.
static rill_status run_heat(rill_context context, rill_kernel kernel, struct demo_heat *heat)
{
    size_t count = (size_t)heat->n * (size_t)heat->n;
    float *cells = malloc(count * sizeof *cells);
    RILL_AUTO_ARRAY t = {0};
    RILL_AUTO_ARRAY next = {0};
    RILL_AUTO_ARRAY middle = {0};
    float sum = 0;
    float zero = 0;
    float hot = 100;
    rill_status status = rill_array_create(context, RILL_F32, RILL_SHAPE(heat->n, heat->n), &t);
    if (status == RILL_OK) {
        status = rill_array_create(context, RILL_F32, RILL_SHAPE(heat->n, heat->n), &next);
    }
    if (status == RILL_OK) {
        status = rill_array_view(t, count / 2, RILL_SHAPE(heat->n), &middle);
    }
    for (int round = 0; round < 2 && status == RILL_OK; round++) {
        status = rill_array_fill(t, RILL_CURRENT, &zero, sizeof zero);
        if (status == RILL_OK) {
            status = rill_array_fill(middle, RILL_CURRENT, &hot, sizeof hot);
        }
        if (status == RILL_OK) {
            status = rill_sync(context);
        }
        double start = demo_now();
        if (status == RILL_OK) {
            status = rill_call(kernel, RILL_CURRENT, RILL_ARGS(heat->n, heat->steps, 0.2f, t, next), &sum, sizeof sum);
        }
        double spent = demo_now() - start;
        heat->time = round == 0 || spent < heat->time ? spent : heat->time;
    }
    if (status == RILL_OK && cells != NULL) {
        status = rill_array_read(t, RILL_CURRENT, cells, count * sizeof *cells);
        heat->checksum = fill_checksum(cells, count * sizeof *cells);
    }
    free(cells);
    if (status == RILL_OK) {
        printf("%d x %d cells, %d steps: %.1f ms, %.2f billion cells a second; all heat together: %g\n", heat->n,
               heat->n, heat->steps, heat->time, (double)count * heat->steps / heat->time * 1e-6, (double)sum);
    }
    return status;
}

static rill_status show_heat(rill_context context, bool *is_same)
{
    rill_module_options options = {.path = "heat.c", .contract_off = true};
    heading("A kernel file is plain C");
    fputs(demo_source, stdout);
    double start = demo_now();
    rill_module module;
    RILL_TRY(rill_module_create(context, demo_source, &options, &module));
    double spent = demo_now() - start;

    heading("rill explain heat.c");
    char *text = NULL;
    RILL_TRY(rill_module_explain(module, &text));
    const char *tasks = strstr(text, "\n  task ");
    printf("%.*s\n(and more of each task)\n", tasks != NULL ? (int)(tasks - text) : (int)strlen(text), text);
    rill_free(text);

    heading("Compiled, run, and compared with gcc");
    start = demo_now();
    rill_module again;
    RILL_TRY(rill_module_create(context, demo_source, &options, &again));
    printf("compiled in %.1f ms, the compiler's own start included; a second time in %.1f ms\n", spent,
           demo_now() - start);
    rill_kernel kernel;
    RILL_TRY(rill_module_kernel(module, "heat", &kernel));
    struct demo_heat heat = {.source = demo_source, .n = 1000, .steps = 100};
    RILL_TRY(run_heat(context, kernel, &heat));
    rill_stats stats;
    RILL_TRY(rill_context_stats(context, &stats));
    printf("%llu tasks on %d threads, %llu of them spread over several\n", (unsigned long long)stats.task_count,
           stats.thread_count, (unsigned long long)stats.parallel_count);
    *is_same = demo_compare_with_gcc(&heat);
    return RILL_OK;
}

static rill_status show_refusal(void)
{
    rill_diagnostics said = {0};
    rill_module_options options = {.path = "race.c", .diagnostics = &said, .color = cli_color(stdout)};
    heading("What cannot be shown independent is refused");
    fputs(wrong_source, stdout);
    putchar('\n');
    rill_status status = rill_check(wrong_source, &options);
    cli_print_diagnostics(&said, stdout);
    rill_diagnostics_free(&said);
    return status == RILL_ERR_COMPILE ? RILL_OK : status;
}

static rill_status show_bounds(rill_context context)
{
    heading("An index out of range, with RILL_CHECK=bounds");
    fputs(beyond_source, stdout);
    putchar('\n');
    rill_module_options options = {.path = "blur.c", .check_bounds = true};
    rill_module module;
    rill_kernel blur;
    RILL_TRY(rill_module_create(context, beyond_source, &options, &module));
    RILL_TRY(rill_module_kernel(module, "blur", &blur));
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float y[8] = {0};
    rill_status status = rill_call(blur, RILL_CURRENT, RILL_ARGS(8, RILL_HOST(x, 8), RILL_HOST(y, 8)), NULL, 0);
    if (status != RILL_ERR_BOUNDS) {
        return status != RILL_OK ? status : RILL_ERR_INTERNAL;
    }
    puts(rill_message());
    rill_kernel heat;
    RILL_TRY(rill_module_create(context, demo_source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "heat", &heat));
    float cells[16] = {1, 1, 1, 1};
    float next[16] = {0};
    float sum = 0;
    RILL_TRY(rill_call(heat, RILL_CURRENT, RILL_ARGS(4, 1, 0.2f, RILL_HOST(cells, 16), RILL_HOST(next, 16)), &sum,
                       sizeof sum));
    printf("the process is alive, and the next kernel on the same stream returned %g\n", (double)sum);
    return RILL_OK;
}

static rill_status tour(rill_context context, bool *is_same)
{
    RILL_TRY(show_heat(context, is_same));
    heading("Two kernels at the same time");
    RILL_TRY(demo_spins());
    RILL_TRY(show_refusal());
    return show_bounds(context);
}

int cmd_demo(int argc, char **argv)
{
    if (argc > 1) {
        return cli_fail(CLI_USAGE, "demo takes no arguments, not '%s'", argv[1]);
    }
    rill_context context;
    rill_status status = rill_open("auto", NULL, &context);
    if (status != RILL_OK) {
        return cli_fail_status(status);
    }
    const char *device = "";
    if (rill_context_device(context, &device) == RILL_OK) {
        printf("rill %s on %s. The devices of this machine:\n", rill_version(), device);
    }
    int code = cli_print_devices(true);
    bool is_same = true;
    if (code == CLI_OK) {
        status = tour(context, &is_same);
        code = status != RILL_OK ? cli_fail_status(status) : is_same ? CLI_OK : CLI_FAILED;
    }
    status = rill_close(context);
    return status == RILL_OK || code != CLI_OK ? code : cli_fail_status(status);
}
