#include <rill/kernel.h>

static int lookup(int i)
{
    const int table[5] = {3, 1, 4, 1, 5};
    return table[i % 5 < 0 ? 0 : i % 5];
}

static int written(int i)
{
    int table[3] = {1, 2, 3};
    table[i & 1] += 10;
    return table[0] * 100 + table[1] + table[2];
}

static void change(int *p) { *p = 9; }

static int escapes(int i)
{
    int table[3] = {1, 2, 3};
    change(table + (i & 1));
    return table[0] * 100 + table[1] + table[2];
}

kernel long tables(long seed, long out[64], double real[64])
{
    int i = (int)(seed & 15);
    out[0] = lookup(i) + lookup(i + 1);
    out[1] = written(i) + written(i + 1);
    out[2] = escapes(i);
    double weights[2][2] = {{0.5, 0.25}, {1}};
    real[0] = weights[i & 1][i >> 1 & 1];
    struct { short a; float b; } const pairs[] = {{1, 2.5f}, {.b = 3}};
    real[1] = pairs[i & 1].b + pairs[1].a;
    const char text[] = "table";
    out[3] = text[i % 5];
    for (int k = 0; k < 3; k++) {
        int square[3] = {0, 1, 4};
        out[4 + k] = square[k];
        int own[3] = {0, 1, 4};
        out[7 + k] = own[k]++ + own[k];
    }
    return sizeof text;
}
