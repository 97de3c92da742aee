//@ buffer b0 i32 64 range 0 1000
//@ buffer b1 i32 64 range 0 0
//@ buffer b2 i32 32 range 0 0
//@ buffer b3 i32 32 perm 0 0
//@ array b0 0 64
//@ array b1 0 64
//@ array b2 0 32
//@ array b3 0 32
#include <rill/kernel.h>
// Where an iteration writes depends on what those before it wrote: nobody's word that they do not meet.
kernel int run(int x[64], int table[64], int parent[32], int cycle[32])
{
    for (int i = 0; i < 40; i++) {
        unsigned h = (unsigned)x[i] * 2654435761u % 64;
        while (table[h] != 0 && table[h] != x[i] + 1) {
            h = (h + 1) % 64;
        }
        table[h] = x[i] + 1;
    }
    for (int i = 0; i < 32; i++) {
        parent[i] = i;
    }
    for (int i = 0; i < 24; i++) {
        int a = x[i] % 32, b = x[i + 24] % 32;
        while (parent[a] != a) {
            a = parent[a];
        }
        while (parent[b] != b) {
            b = parent[b];
        }
        if (a != b) {
            parent[a] = b;
        }
    }
    int moves = 0;
    for (int i = 0; i < 32; i++) {
        while (cycle[i] != i) {
            int k = cycle[i];
            cycle[i] = cycle[k];
            cycle[k] = k;
            moves++;
        }
    }
    for (int i = 1; i < 64; i++) {
        int v = x[i], k = i;
        for (; k > 0 && x[k - 1] > v; k--) {
            x[k] = x[k - 1];
        }
        x[k] = v;
    }
    return moves;
}
