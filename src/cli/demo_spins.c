#include "cli/demo.h"
#include "cli/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "\n"
                             "kernel void spin(int n, float x[1])\n"
                             "{\n"
                             "#pragma rill single\n"
                             "    for (int i = 0; i < n; i++) x[0] = 0.5f * x[0] + 1;     // one thread\n"
                             "}\n"
                             "\n"
                             "kernel void both(int n, float x[1], float y[1])\n"
                             "{\n"
                             "    stream_parallel { spin(n, x); }\n"
                             "    stream_parallel { spin(n, y); }\n"
                             "}\n";

enum { SPINS = 10000000 };

enum way { SERIAL, STREAMS, BLOCKS };

static rill_status launch(rill_context context, rill_kernel spin, rill_kernel both, enum way way)
{
    RILL_AUTO_STREAM a = {0};
    RILL_AUTO_STREAM b = {0};
    rill_array x = {0};
    rill_array y = {0};
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(1), &x));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(1), &y));
    RILL_TRY(rill_stream_create(context, NULL, &a));
    RILL_TRY(rill_stream_create(context, NULL, &b));
    if (way == BLOCKS) {
        RILL_TRY(rill_launch(both, a, RILL_ARGS(SPINS, x, y)));
    } else {
        RILL_TRY(rill_launch(spin, a, RILL_ARGS(SPINS, x)));
        RILL_TRY(rill_launch(spin, way == STREAMS ? b : a, RILL_ARGS(SPINS, y)));
    }
    return rill_sync(context);
}

static rill_status run_traced(enum way way)
{
    RILL_AUTO_CONTEXT context = {0};
    rill_module module;
    rill_kernel spin;
    rill_kernel both;
    RILL_TRY(rill_open("auto", NULL, &context));
    RILL_TRY(rill_module_create(context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "spin", &spin));
    RILL_TRY(rill_module_kernel(module, "both", &both));
    return launch(context, spin, both, way); // the context closes, and writes the trace
}

static rill_status show(enum way way, const char *path)
{
    static const char *const titles[] = {[SERIAL] = "rill_launch twice on one stream",
                                         [STREAMS] = "once on each of two streams",
                                         [BLOCKS] = "one kernel with two stream_parallel blocks"};
    if (truncate(path, 0) != 0) { // or the trace would go to another file, beside that of the last context
        printf("\nnot drawn: cannot empty '%s'\n", path);
        return RILL_OK;
    }
    RILL_TRY(run_traced(way));
    struct timeline timeline;
    struct timeline_style style = timeline_style(stdout);
    style.task_limit = 0;
    printf("\n%s: ", titles[way]);
    if (timeline_read(path, &timeline) == CLI_OK) {
        timeline_draw(&timeline, &style, stdout);
    }
    timeline_finish(&timeline);
    return RILL_OK;
}

rill_status demo_spins(void)
{
    const char *temporary = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/rill-demo-XXXXXX", temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    int file = mkstemp(path);
    if (file < 0) {
        printf("not drawn: cannot make a file '%s'\n", path);
        return RILL_OK;
    }
    close(file);
    fputs(source, stdout);
    const char *set = getenv("RILL_TRACE");
    char *before = set != NULL ? strdup(set) : NULL;
    setenv("RILL_TRACE", path, 1);
    rill_status status = RILL_OK;
    for (int way = SERIAL; way <= BLOCKS && status == RILL_OK; way++) {
        status = show((enum way)way, path);
    }
    if (before != NULL) {
        setenv("RILL_TRACE", before, 1);
    } else {
        unsetenv("RILL_TRACE");
    }
    free(before);
    unlink(path);
    return status;
}
