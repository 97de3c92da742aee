// Conditions that say which iterations touch memory.
#include <rill/kernel.h>

kernel void odd(int n, int *a)
{
    for (int i = 1; i < n - 1; i++) { // expect: proven
        if (i % 2) {
            a[i] = a[i - 1] + a[i + 1];
        }
    }
}

kernel void even(int n, int *a)
{
    for (int i = 1; i < n - 1; i++) { // expect: proven
        if (!(i % 2)) {
            a[i] = a[i - 1] + a[i + 1];
        }
    }
}

kernel void by_mask(int n, int *a)
{
    for (int i = 1; i < n - 1; i++) { // expect: proven
        if (i & 1) {
            a[i] = a[i - 1] + a[i + 1];
        }
    }
}

kernel void odd_or_else(int n, int *a)
{
    for (int i = 1; i < n - 1; i++) { // expect: in order
        if (i % 2) {
            a[i] = a[i - 1] + a[i + 1];
        } else {
            a[i] = 7;
        }
    }
}

kernel void odd_by_two(int n, int *a)
{
    for (int i = 1; i < n - 2; i++) { // expect: in order
        if (i % 2) {
            a[i] = a[i + 2];
        }
    }
}

kernel void two_of_three(int n, int *a)
{
    for (int i = 1; i < n - 1; i++) { // expect: in order
        if (i % 3) {
            a[i] = a[i - 1] + a[i + 1];
        }
    }
}

// The rest of a negative number is -1 or 0: one of three values.
kernel void odd_below_zero(int n, int *a)
{
    for (int i = -4; i < n; i++) { // expect: in order
        if (i % 2 != -1) {
            a[i + 5] = a[i + 4] + 1;
        }
    }
}

kernel void all_but_the_first(int n, int *a)
{
    for (int i = 0; i < n; i++) { // expect: proven
        if (i) {
            a[i] = a[0];
        }
    }
}

kernel void all_but_one(int n, int k, int *a)
{
    for (int i = 0; i < n; i++) { // expect: if
        if (i != k) {
            a[i] = a[k];
        }
    }
}

kernel void not_the_last(unsigned n, unsigned char *a)
{
    for (unsigned i = 0; i < n; i++) { // expect: in order
        if ((i & 3) != 3) {
            a[i & 3] = a[3] + a[(i + 1) & 3];
        }
    }
}
