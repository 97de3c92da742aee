// What a statement expression may not do: nothing jumps across its edge.
#include <rill/kernel.h>

int outside = ({ 3; });

kernel int k(int n, int x[n])
{
    for (int i = 0; i < n; i++) {
        x[i] = ({ if (x[i] > 3) { break; } 1; });
        x[i] += ({ if (x[i] > 3) { continue; } 1; });
        x[i] += ({ if (x[i] > 3) { return 1; } 1; });
        x[i] += ({ if (x[i] > 3) { goto out; } 1; });
        x[i] += ({ again: x[i]++; 1; });
        x[i] += ({ int y = 3; });
        ({ x[i]; }) = 3;
    out:;
    }
    x[0] = ({ stream_parallel { x[1] = 2; } 3; });
    switch (n) {
        x[2] = ({ case 3: 4; });
    }
    x[3] = ({ 4; 5; });
    return 0;
}
