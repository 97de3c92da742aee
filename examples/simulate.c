// Two forces computed side by side in every step of a small simulation. Run it where examples/ lies:
// build/release/examples/simulate
#include "rill/rill.h"

#include <stdio.h>
#include <stdlib.h>

static rill_status run(int n, int steps, float *host)
{
    RILL_AUTO_CONTEXT context = {0};
    RILL_TRY(rill_open("auto", NULL, &context));

    rill_kernel simulate;
    RILL_TRY(rill_kernel_load(context, "examples/kernels/simulate.c", "simulate", &simulate));

    rill_array x;
    rill_array v;
    rill_array f;
    rill_array g;
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(n), &x)); // zeros
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(n), &v));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(n), &f));
    RILL_TRY(rill_array_create(context, RILL_F32, RILL_SHAPE(n), &g));
    for (int i = 0; i < n; i++) {
        host[i] = i % 7 == 0 ? -0.5f : 0.25f;
    }
    RILL_TRY(rill_array_write(x, RILL_CURRENT, host, (size_t)n * sizeof *host));

    float energy = 0;
    RILL_TRY(rill_call(simulate, RILL_CURRENT, RILL_ARGS(n, steps, 0.01f, x, v, f, g), &energy, sizeof energy));
    RILL_TRY(rill_array_read(x, RILL_CURRENT, host, (size_t)n * sizeof *host));
    printf("after %d steps: energy %g, x[0] = %g, x[n/2] = %g\n", steps, (double)energy, (double)host[0],
           (double)host[n / 2]);
    return RILL_OK;
}

int main(void)
{
    int n = 100000;
    float *host = malloc((size_t)n * sizeof *host);
    rill_status status = host != NULL ? run(n, 100, host) : RILL_ERR_OUT_OF_MEMORY;
    if (status != RILL_OK) {
        fprintf(stderr, "%s: %s\n", rill_status_name(status), rill_message());
    }
    free(host);
    return status == RILL_OK ? 0 : 1;
}
