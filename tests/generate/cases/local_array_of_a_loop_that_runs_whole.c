// The loop is parallel, and runs whole as part of a loop in order: each iteration has its own array there too.
//@ buffer b1 u64 16 range 0 9
//@ int 3
//@ array b1 0 16
#include <rill/kernel.h>
unsigned long field[16] = {1, 2};
kernel void run(int steps, unsigned long out[16])
{
    int step = 0;
    while (step < steps) {
        step++;
        for (int i = 0; i < 16; i++) {
            unsigned long own[3][2];
            for (int y = 0; y < 3; y++) {
                for (int x = 0; x < 2; x++) {
                    own[y][x] = ~step + y * 2 - x;
                }
            }
            own[i % 3][(i / 2) % 2] = i << (i & 3);
            field[i] = own[1][0] + own[0][1];
        }
    }
    for (int i = 0; i < 16; i++) {
        out[i] += field[i];
    }
}
