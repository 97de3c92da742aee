// Pointers to locals that one task sets and another follows: what they point to crosses with them.
#include <rill/kernel.h>

int kept[64] = {1, 2, 3};

static int *either(int *a, int *b, int k)
{
    return k & 1 ? a : b;
}

static void swap(int **a, int **b)
{
    int *old = *a;
    *a = *b;
    *b = old;
}

// run: swapped_with_a_field seed=5 steps=3
// run: swapped_with_a_field seed=5 steps=4
kernel int swapped_with_a_field(int seed, int steps)
{
    int other[64] = {seed};
    int *from = kept, *to = other;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < 63; i++) {
            to[i] = from[i - 1] * 3 + from[i + 1] + t;
        }
        int *old = from;
        from = to;
        to = old;
    }
    return from[7];
}

// run: chosen_by_a_helper k=0
// run: chosen_by_a_helper k=1
kernel void chosen_by_a_helper(int k, int out[64])
{
    int odd[64] = {11}, even[64] = {22};
    int *chosen = either(odd, even, k);
    for (int i = 1; i < 64; i++) {
        chosen[i] = i * k + 5;
    }
    for (int i = 0; i < 64; i++) {
        out[i] = chosen[i];
    }
}

// run: swapped_by_a_helper steps=5
kernel void swapped_by_a_helper(int steps, int out[64])
{
    int one[64] = {1}, two[64] = {2};
    int *from = one, *to = two;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < 64; i++) {
            to[i] = from[i] + from[i - 1] + i;
        }
        swap(&from, &to);
    }
    for (int i = 0; i < 64; i++) {
        out[i] = from[i];
    }
}

struct pair {
    int *from, *to;
};

// run: held_by_a_struct n=64
kernel void held_by_a_struct(int n, const int a[64], int out[64])
{
    int one[64] = {4, 5}, two[64] = {6, 7};
    struct pair p = {one, two}, q;
    for (int i = 0; i < n; i++) {
        p.to[i] = p.from[i] + a[i];
    }
    q = p;
    for (int i = 0; i < n; i++) {
        out[i] = q.to[i] - q.from[i];
    }
}
