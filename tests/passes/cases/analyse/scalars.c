// Scalars: private, last value, reductions, selections, carried.
#include <rill/kernel.h>
#include <math.h>

kernel void c89(int n, const float x[n], float y[n])
{
    int i;
    float t;
    for (i = 0; i < n; i++) { // expect: proven
        t = x[i];
        y[i] = t * t;
    }
}

kernel void c89_nest(int n, int m, float a[n][m])
{
    int i, j;
    for (i = 0; i < n; i++) {     // expect: proven
        for (j = 0; j < m; j++) { // expect: proven
            a[i][j] = i - j;
        }
    }
}

kernel int last_value(int n, const int x[n])
{
    int t = -1;
    for (int i = 0; i < n; i++) { // expect: proven
        t = x[i];
    }
    return t;
}

kernel int last_value_sometimes(int n, const int x[n])
{
    int t = -1;
    for (int i = 0; i < n; i++) { // expect: proven
        if (x[i] > 0) {
            t = x[i];
        }
    }
    return t;
}

kernel void written_on_one_way(int n, const int x[n], int y[n])
{
    int t = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        if (x[i] > 0) {
            t = x[i];
        }
        y[i] = t;
    }
}

kernel void written_on_both_ways(int n, const int x[n], int y[n])
{
    int t;
    for (int i = 0; i < n; i++) { // expect: proven
        if (x[i] > 0) {
            t = x[i];
        } else {
            t = 0;
        }
        y[i] = t;
    }
}

kernel void written_in_switch(int n, const int x[n], int y[n])
{
    int t;
    for (int i = 0; i < n; i++) { // expect: proven
        switch (x[i]) {
        case 0: t = 5; break;
        case 1: t = 7;
        default: t = 9;
        }
        y[i] = t;
    }
}

kernel void written_in_inner_loop(int n, int m, const int x[n], int y[n])
{
    int t = 3;
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < m; j++) { // expect: proven
            t = x[i] + j;
        }
        y[i] = t;
    }
}

kernel void written_in_fixed_inner_loop(int n, const int x[n], int y[n])
{
    int t = 3;
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < 4; j++) { // expect: proven
            t = x[i] + j;
        }
        y[i] = t;
    }
}

kernel void before_continue(int n, const int x[n], int y[n])
{
    int t = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        if (x[i] == 0) {
            continue;
        }
        y[i] = t;
        t = x[i];
    }
}

kernel float sum(int n, const float x[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) { // expect: proven
        s += x[i];
    }
    return s;
}

kernel float several(int n, const float x[n], const int k[n])
{
    float s = 0, low = 1e30f, high = -1e30f;
    int bits = 0, all = 1, any = 0, p = 1;
    for (int i = 0; i < n; i++) { // expect: proven
        s = s + x[i] - 1;
        p = k[i] * p;
        low = fminf(x[i], low);
        if (x[i] > high) {
            high = x[i];
        }
        bits |= k[i];
        all = all && k[i] > 0;
        any = k[i] < 0 || any;
    }
    return s + p + low + high + bits + all + any;
}

kernel float float_product(int n, const float x[n])
{
    float p = 1;
    for (int i = 0; i < n; i++) { // expect: in order
        p *= x[i];
    }
    return p;
}

kernel void float_products(int n, const float x[n], float y[n], const int k[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        y[k[i]] *= x[i];
    }
    for (int i = 0; i < n; i++) { // expect: in order
        y[2] *= x[i];
    }
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] *= x[i];
    }
}

kernel float any_product(int n, const float x[n], float y[n])
{
    float p = 1;
#pragma rill parallel
    for (int i = 0; i < n; i++) { // expect: pragma
        p *= x[i];
        y[2] *= x[i];
    }
    return p;
}

kernel float sum_backwards(int n, const float x[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        s = x[i] - s;
    }
    return s;
}

kernel float mixed_operators(int n, const float x[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        s += x[i];
        s *= 2;
    }
    return s;
}

kernel float plus_and_minus(int n, const float x[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) { // expect: proven
        if (x[i] > 0) {
            s += x[i];
        } else {
            s -= x[i];
        }
    }
    return s;
}

kernel void running_sum(int n, const float x[n], float y[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        s += x[i];
        y[i] = s;
    }
}

kernel void sum_of_itself(int n, float x[n])
{
    float s = 1;
    for (int i = 0; i < n; i++) { // expect: in order
        s += s * x[i];
    }
    x[0] = s;
}

kernel int divided(int n, const int x[n])
{
    int s = 1000;
    for (int i = 0; i < n; i++) { // expect: in order
        s /= x[i];
    }
    return s;
}

kernel void sum_in_nest(int n, int m, const float a[n][m], float y[n])
{
    float s;
    for (int i = 0; i < n; i++) { // expect: proven
        s = 0;
        for (int j = 0; j < m; j++) { // expect: proven
            s += a[i][j];
        }
        y[i] = s;
    }
}

kernel float sum_of_nest(int n, int m, const float a[n][m])
{
    float s = 0;
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: proven
            s += a[i][j];
        }
    }
    return s;
}

kernel int argmin(int n, const float x[n])
{
    float best = 1e30f;
    int where = -1;
    for (int i = 0; i < n; i++) { // expect: proven
        if (x[i] < best) {
            best = x[i];
            where = i;
        }
    }
    return where;
}

kernel int argmax_inclusive(int n, const int x[n])
{
    int best = -1000, where = -1;
    for (int i = 0; i < n; i++) { // expect: proven
        int v = x[i];
        if (best <= v) {
            best = v;
            where = i;
        }
    }
    return where;
}

kernel int argmin_two(int n, int m, const float a[n][m])
{
    float best = 1e30f;
    int row = -1, column = -1;
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: proven
            if (a[i][j] < best) {
                best = a[i][j];
                row = i;
                column = j;
            }
        }
    }
    return row * m + column;
}

kernel int argmin_companion_read(int n, const float x[n], int y[n])
{
    float best = 1e30f;
    int where = -1;
    for (int i = 0; i < n; i++) { // expect: in order
        if (x[i] < best) {
            best = x[i];
            where = i;
        }
        y[i] = where;
    }
    return where;
}

kernel int argmin_flag(int n, const float x[n], int y[n])
{
    float best = 1e30f;
    for (int i = 0; i < n; i++) { // expect: in order
        int hit = 0;
        if (x[i] < best) {
            best = x[i];
            hit = 1;
        }
        y[i] = hit;
    }
    return (int)best;
}

kernel int argmin_other_value(int n, const float x[n], const float y[n])
{
    float best = 1e30f;
    int where = -1;
    for (int i = 0; i < n; i++) { // expect: in order
        if (x[i] < best) {
            best = y[i];
            where = i;
        }
    }
    return where;
}

kernel int argmin_else(int n, const float x[n])
{
    float best = 1e30f;
    int where = -1, misses = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        if (x[i] < best) {
            best = x[i];
            where = i;
        } else {
            misses++;
        }
    }
    return where + misses;
}

kernel void counter(int n, const float x[n], float y[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        if (x[i] > 0) {
            y[k++] = x[i];
        }
    }
}

kernel void induction(int n, float y[2 * n])
{
    int k = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        y[k] = i;
        k += 2;
    }
}

kernel int count(int n, const float x[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) { // expect: proven
        if (x[i] > 0) {
            k++;
        }
    }
    return k;
}

kernel void recurrence(int n, float y[n])
{
    float a = 0, b = 1;
    for (int i = 0; i < n; i++) { // expect: in order
        float t = a + b;
        a = b;
        b = t;
        y[i] = a;
    }
}

kernel void while_inside(int n, const int x[n], int y[n])
{
    int steps;
    for (int i = 0; i < n; i++) { // expect: proven
        int v = x[i] & 1023;
        steps = 0;
        while (v > 1) {
            v = v & 1 ? 3 * v + 1 : v / 2;
            steps++;
            if (steps > 100) {
                break;
            }
        }
        y[i] = steps;
    }
}

kernel void do_inside(int n, const int x[n], int y[n])
{
    int v, last;
    for (int i = 0; i < n; i++) { // expect: proven
        v = x[i] & 15;
        do {
            last = v;
            v--;
        } while (v > 0);
        y[i] = last;
    }
}

kernel int parameter_assigned(int n, int k, const int x[n], int y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        k = x[i] * 2;
        y[i] = k;
    }
    return k;
}

kernel void swap_variables(int n, float x[n])
{
    float t = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        float u = x[i];
        x[i] = t;
        t = u;
    }
}

kernel int loop_variable_after(int n, float x[n])
{
    int i;
    for (i = 0; i < n; i++) { // expect: proven
        x[i] = i;
    }
    return i;
}

kernel int narrow_update(int n, const int x[n])
{
    unsigned char s = 0;
    for (int i = 0; i < n; i++) { // expect: proven
        s += x[i];
    }
    return s;
}

kernel int float_into_int(int n, const float x[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        s += x[i];
    }
    return s;
}

kernel float conditional_form(int n, const float x[n])
{
    float low = 1e30f;
    for (int i = 0; i < n; i++) { // expect: proven
        low = low < x[i] ? low : x[i];
    }
    return low;
}
