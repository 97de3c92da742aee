// The name is a word of the language before '{' only; a variable, member, tag, label or function of that name keeps its
// C meaning.
#include <rill/kernel.h>

struct stream_parallel { int stream_parallel; };
enum { in_order = 3 };

static int twice(int stream_parallel) { return 2 * stream_parallel; }

kernel int names(int n, int x[n])
{
    struct stream_parallel s = {.stream_parallel = n};
    int stream_parallel = s.stream_parallel;
    stream_parallel += twice(stream_parallel) + in_order;
    if (stream_parallel > 100)
        goto stream_parallel;
    stream_parallel { x[0] = stream_parallel; }
    stream_parallel { x[1] = s.stream_parallel; }
stream_parallel:
    return stream_parallel;
}

static int function(void)
{
    int stream_parallel(void);
    return stream_parallel();
}

// Wrong uses of the name and of its pragma.
kernel void wrong(int n, int x[n])
{
    stream_parallel while (n) x[0] = 1;
    stream_parallel if (n) x[0] = 1;
    stream_parallel (n) { x[0] = 1; }
#pragma rill in_order
    x[0] = 2;
#pragma rill parallel
    stream_parallel { x[0] = 3; }
#pragma rill in_order
    for (int i = 0; i < n; i++) x[i] = 4;
    do {
        stream_parallel { while (n) break; do continue; while (0); switch (n) { default: break; } }
        stream_parallel { break; }
    } while (0);
#pragma rill in_order
}
