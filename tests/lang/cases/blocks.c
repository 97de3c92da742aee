#include <rill/kernel.h>

kernel void nested(int n, float x[n])
{
    stream_parallel {
        stream_parallel { x[0] = 1; }
    }
    stream_parallel { }
    stream_parallel { ; }
}

void helper(int n, float *x)
{
    stream_parallel { x[0] = n; }
}

kernel void jumps(int n, float x[n])
{
    for (int i = 0; i < n; i++) {
        stream_parallel {
            if (i == 1) break;
            if (i == 2) continue;
            if (i == 3) return;
            if (i == 4) goto out;
            for (int j = 0; j < n; j++) { if (j) break; else continue; }
        inside:
            x[i] = 1;
        }
        goto inside;
    }
out:
    switch (n) {
    case 1:
        stream_parallel {
        case 2:
            x[0] = 1;
            switch (n) { case 3: break; }
        default:
            x[1] = 1;
        }
    }
}

kernel void shapes(int n, float x[n])
{
    stream_parallel() { x[0] = 1; }
    stream_parallel for (int i = 0; i < n; i++) x[i] = 1;
    stream_parallel x[0] = 1;
    stream_parallel;
}
