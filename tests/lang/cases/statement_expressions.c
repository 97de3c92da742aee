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
    int (*rows)[n] = ({ int m = n; (int (*)[m])x; });
    x[4] = ({ int (*row)[n + 1] = (int (*)[n + 1])x; row; })[1][0];
    x[5] = sizeof *({ typedef int row[n]; (row *)x; });
    x[6] = ({ int m = n; int y[m]; y[0] = 1; y; })[0] + ({ int one = 1; rows + one; })[0][0] + ({ (int (*)[n])x; })[1][0];
    return 0;
}
