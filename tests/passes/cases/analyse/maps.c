// Element-wise loops, stencils, strides, offsets. Each loop's line says which verdict it must get.
#include <rill/kernel.h>
#include <math.h>

kernel void copy(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = x[i];
    }
}

kernel void in_place(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        x[i] = 2 * x[i] + 1;
    }
}

kernel void saxpy(int n, float a, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = a * x[i] + y[i];
    }
}

kernel void plain_pointers(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = x[i] + x[i];
    }
}

kernel void unsigned_index(unsigned n, const float *x, float *y)
{
    for (unsigned i = 0; i < n; i++) { // expect: proven
        y[i] = x[i];
    }
}

kernel void size_index(unsigned long n, const float *x, float *y)
{
    for (unsigned long i = 0; i < n; i++) { // expect: proven
        y[i] = x[i];
    }
}

kernel void long_index(long n, const float *x, float *y)
{
    for (long i = 1; i < n - 1; i++) { // expect: proven
        y[i] = x[i - 1] + x[i + 1];
    }
}

kernel void downwards(int n, const float x[n], float y[n])
{
    for (int i = n - 1; i >= 0; i--) { // expect: proven
        y[i] = x[n - 1 - i];
    }
}

kernel void downwards_recurrence(int n, float x[n])
{
    for (int i = n - 2; i >= 0; i--) { // expect: in order
        x[i] = x[i + 1] + 1;
    }
}

kernel void reverse_in_place_half(int n, float x[n])
{
    for (int i = 0; i < n / 2; i++) { // expect: proven
        float t = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = t;
    }
}

kernel void reverse_in_place_all(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i] = x[n - 1 - i];
    }
}

kernel void stencil3(int n, const float x[n], float y[n])
{
    for (int i = 1; i < n - 1; i++) { // expect: proven
        y[i] = x[i - 1] - 2 * x[i] + x[i + 1];
    }
}

kernel void stencil_in_place(int n, float x[n])
{
    for (int i = 1; i < n - 1; i++) { // expect: in order
        x[i] = x[i - 1] - 2 * x[i] + x[i + 1];
    }
}

kernel void prefix(int n, float x[n])
{
    for (int i = 1; i < n; i++) { // expect: in order
        x[i] = x[i] + x[i - 1];
    }
}

kernel void shift_left(int n, float x[n])
{
    for (int i = 0; i < n - 1; i++) { // expect: in order
        x[i] = x[i + 1];
    }
}

kernel void red_black(int n, float x[n])
{
    for (int i = 1; i < n - 1; i += 2) { // expect: proven
        x[i] = 0.5f * (x[i - 1] + x[i + 1]);
    }
    for (int i = 2; i < n - 1; i += 2) { // expect: proven
        x[i] = 0.5f * (x[i - 1] + x[i + 1]);
    }
}

kernel void step_two_clash(int n, float x[n])
{
    for (int i = 2; i < n; i += 2) { // expect: in order
        x[i] = x[i - 2];
    }
}

kernel void step_minus_three(int n, float x[n])
{
    for (int i = n - 1; i >= 3; i -= 3) { // expect: proven
        x[i] = x[i - 1] + x[i - 2];
    }
}

kernel void even_from_odd(int n, float x[n])
{
    for (int i = 0; i < n / 2; i++) { // expect: proven
        x[2 * i] = x[2 * i + 1];
    }
}

kernel void even_from_even(int n, float x[n])
{
    for (int i = 1; i < n / 2; i++) { // expect: in order
        x[2 * i] = x[2 * i - 2];
    }
}

kernel void halves(int n, float x[2 * n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        x[i] = x[i + n];
    }
}

kernel void lower_to_upper(int n, float x[n])
{
    int h = n / 2;
    for (int i = 0; i < h; i++) { // expect: proven
        x[i + h] = x[i];
    }
}

kernel void offset(int n, int k, float *x)
{
    for (int i = 0; i < n; i++) { // expect: if
        x[i] = x[i + k];
    }
}

kernel void far_offset(int n, float *x)
{
    for (int i = 0; i < n; i++) { // expect: if
        x[i] = x[i + 4096];
    }
}

kernel void constant_window(float x[2048])
{
    for (int i = 0; i < 1024; i++) { // expect: proven
        x[i] = x[i + 1024];
    }
    for (int i = 0; i < 1024; i++) { // expect: in order
        x[i] = x[i + 1023];
    }
}

kernel void strided(int n, int s, float *x)
{
    for (int i = 0; i < n; i++) { // expect: if
        x[i * s] = 1.5f * i;
    }
}

kernel void strided_long(long n, long s, float *x)
{
    for (long i = 0; i < n; i++) { // expect: if
        x[i * s] = 1.5f * i;
    }
}

kernel void negative_stride(int n, float *x)
{
    for (int i = 0; i < n; i++) { // expect: if
        x[-3 * i] = i;
    }
}

kernel void same_place(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[0] = i;
    }
}

kernel void same_place_constant(int n, const float x[n], int flag[1])
{
    for (int i = 0; i < n; i++) { // expect: proven
        if (x[i] < 0) {
            flag[0] = 1;
        }
    }
}

kernel void same_place_two_constants(int n, const float x[n], int flag[1])
{
    for (int i = 0; i < n; i++) { // expect: in order
        if (x[i] < 0) {
            flag[0] = 1;
        } else {
            flag[0] = 2;
        }
    }
}

kernel void same_constant_read(int n, const float x[n], int flag[1], int y[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        if (x[i] < 0) {
            flag[0] = 1;
        }
        y[i] = flag[0];
    }
}

kernel void clear_overlapping(int n, float x[n])
{
    for (int i = 0; i < n - 3; i++) { // expect: proven
        for (int j = 0; j < 4; j++) { // expect: proven
            x[i + j] = 0;
        }
    }
}

kernel void read_fixed(int n, float x[n])
{
    for (int i = 1; i < n; i++) { // expect: proven
        x[i] = x[0] + i;
    }
}

kernel void read_fixed_clash(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i] = x[0] + i;
    }
}

kernel void read_param_index(int n, int k, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: if
        x[i] = x[k] + i;
    }
}

kernel void conditional_write(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        if (x[i] > 0) {
            y[i] = sqrtf(x[i]);
        }
    }
}

kernel void continue_is_fine(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        if (x[i] <= 0) {
            continue;
        }
        y[i] = sqrtf(x[i]);
    }
}

kernel void selected_index(int n, float x[n], const float y[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        int left = i == 0 ? n - 1 : i - 1;
        x[i] = x[left] + y[i];
    }
}

kernel void selected_read(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        int left = i == 0 ? n - 1 : i - 1;
        int right = i == n - 1 ? 0 : i + 1;
        y[i] = x[left] + x[right];
    }
}

kernel void selected_pair(int n, const float x[n], float *y)
{
    for (int i = 0; i < n; i++) { // expect: if
        int where = x[i] > 0 ? 2 * i : 2 * i + 1;
        y[where] = x[i];
    }
}

kernel void selected_clash(int n, const float x[n], float *y)
{
    for (int i = 0; i < n; i++) { // expect: in order
        int where = x[i] > 0 ? i : i + 1;
        y[where] = x[i];
    }
}

kernel void not_equal(int n, float x[n])
{
    for (int i = 0; i != n; i++) { // expect: proven
        x[i] = i;
    }
}

kernel void less_or_equal(int n, float x[n + 1])
{
    for (int i = 0; i <= n; i++) { // expect: proven
        x[i] = i;
    }
}

kernel void short_counter(float x[100])
{
    for (short i = 0; i < 100; i++) { // expect: proven
        x[i] = i;
    }
}

kernel void char_counter(float x[100])
{
    for (unsigned char i = 0; i < 100; i++) { // expect: proven
        x[i] = i;
    }
}

kernel void no_iteration(float x[1])
{
    for (int i = 5; i < 5; i++) { // expect: any
        x[0] = i;
    }
}

kernel void swap_halves(int n, float x[n])
{
    for (int i = 0; i < n / 2; i++) { // expect: proven
        float t = x[2 * i];
        x[2 * i] = x[2 * i + 1];
        x[2 * i + 1] = t;
    }
}

kernel void shifts(int n, float x[n])
{
    for (int i = 0; i < n >> 1; i++) { // expect: proven
        x[i << 1] = x[(i << 1) + 1];
    }
}

kernel void pairs_of_shift(int n, float *x)
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i >> 1] = i;
    }
}

kernel void low_bit(int n, float *x)
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i & 1] = i;
    }
}

kernel void xor_neighbour_read(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = x[i ^ 1];
    }
}

kernel void xor_neighbour_write(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i] = x[i ^ 1];
    }
}

kernel void clear_low_bit(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i += 2) { // expect: proven
        y[i & ~1] = x[i];
    }
}

kernel void float_index(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        y[(int)(0.5f * i)] = x[i];
    }
}

kernel void square_index(int n, float *x)
{
    for (int i = 0; i < n; i++) { // expect: scatter
        x[i * i] = i;
    }
}
