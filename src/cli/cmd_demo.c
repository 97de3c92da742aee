// rill demo: a short tour in the terminal. The kernel's text is compiled while you watch.
#include "cli/cli.h"

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

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void heading(const char *text)
{
    bool color = cli_color(stdout);
    printf("\n%s== %s%s\n\n", color ? "\033[1m" : "", text, color ? "\033[0m" : "");
}

static rill_status run_heat(rill_context context, rill_kernel heat, int n, int steps)
{
    rill_array t = {0};
    rill_array next = {0};
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(n, n), &t));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(n, n), &next));
    float hot = 100;
    rill_array middle = {0};
    RILL_TRY(rill_array_view(t, (size_t)n * (size_t)n / 2, RILL_SHAPE(n), &middle));
    RILL_TRY(rill_array_fill(middle, RILL_CURRENT, &hot, sizeof hot));
    float sum = 0;
    double start = now_ms();
    RILL_TRY(rill_call(heat, RILL_CURRENT, RILL_ARGS(n, steps, 0.2f, t, next), &sum, sizeof sum));
    double spent = now_ms() - start;
    double cells = (double)n * n * steps;
    printf("%d x %d cells, %d steps: %.1f ms, %.2f billion cells a second; all heat together: %g\n", n, n, steps, spent,
           cells / spent * 1e-6, (double)sum);
    return RILL_OK;
}

static rill_status tour(rill_context context)
{
    rill_diagnostics said = {0};
    rill_module_options options = {.path = "heat.c", .diagnostics = &said, .color = cli_color(stdout)};
    heading("A kernel file is plain C");
    fputs(demo_source, stdout);

    double start = now_ms();
    rill_module module;
    rill_status status = rill_module_create(context, demo_source, &options, &module);
    double spent = now_ms() - start;
    rill_diagnostics_free(&said);
    RILL_TRY(status);
    heading("rill explain heat.c");
    char *text = NULL;
    RILL_TRY(rill_module_explain(module, &text));
    fputs(text, stdout);
    rill_free(text);

    heading("Compiled and run");
    rill_kernel heat;
    RILL_TRY(rill_module_kernel(module, "heat", &heat));
    printf("compiled in %.1f ms, the compiler's own start included\n", spent);
    RILL_TRY(run_heat(context, heat, 1000, 100));
    rill_stats stats;
    RILL_TRY(rill_context_stats(context, &stats));
    printf("%llu tasks on %d threads, %llu of them spread over several\n", (unsigned long long)stats.task_count,
           stats.thread_count, (unsigned long long)stats.parallel_count);

    heading("What cannot be shown independent is refused");
    fputs(wrong_source, stdout);
    putchar('\n');
    options.path = "race.c";
    status = rill_check(wrong_source, &options);
    cli_print_diagnostics(&said, stdout);
    rill_diagnostics_free(&said);
    return status == RILL_ERR_COMPILE ? RILL_OK : status;
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
        printf("rill %s on %s\n", rill_version(), device);
    }
    status = tour(context);
    int code = status == RILL_OK ? CLI_OK : cli_fail_status(status);
    status = rill_close(context);
    return status == RILL_OK || code != CLI_OK ? code : cli_fail_status(status);
}
