// Loop variables of 8 and 16 bits, and unsigned ones, that wrap around on their way to the bound. C defines it, so the
// loop goes on; whether it happens is known at launch only.
#include <rill/kernel.h>
#include <stdint.h>

// Wraps for 250..254 by 3; does not for others.
// run: up_by_three n=300 lo=250 hi=254
// run: up_by_three n=300 lo=0 hi=200
// run: up_by_three n=300 lo=7 hi=255
// run: up_by_three n=300 lo=200 hi=100
kernel int up_by_three(int n, uint8_t lo, uint8_t hi, int a[n])
{
    int k = 0;
    uint8_t i;
    for (i = lo; i < hi; i += 3) {
        a[i] += i;
        k++;
    }
    return 1000 * k + i;
}

// run: down_by_five n=300 hi=100 lo=3
// run: down_by_five n=300 hi=101 lo=3
// run: down_by_five n=300 hi=2 lo=0
// run: down_by_five n=300 hi=255 lo=254
kernel int down_by_five(int n, uint8_t hi, uint8_t lo, int a[n])
{
    int last = -1;
    for (uint8_t i = hi; i > lo; i -= 5) {
        a[i] = a[i] * 3 + i;
        last = i;
    }
    return last;
}

// run: down_to n=70000 hi=60000 lo=4
// run: down_to n=70000 hi=60001 lo=2
// run: down_to n=70000 hi=6 lo=6
kernel void down_to(int n, uint16_t hi, uint16_t lo, int a[n])
{
    for (uint16_t i = hi; i >= lo; i -= 7) {
        a[i] += 1;
    }
}

// A signed one goes around from 127 to -128.
// run: signed_char n=300 lo=100 hi=127
// run: signed_char n=300 lo=-128 hi=120
// run: signed_char n=300 lo=-100 hi=126
kernel int signed_char(int n, int8_t lo, int8_t hi, int a[n])
{
    int s = 0;
    for (int8_t i = lo; i < hi; i += 5) {
        a[i + 128] += i;
        s += i;
    }
    return s;
}

// The bound has another type.
// run: wide_bound n=300 lo=250 hi=255
// run: wide_bound n=300 lo=250 hi=-5
// run: wide_bound n=300 lo=9 hi=100
kernel void wide_bound(int n, uint8_t lo, int hi, int a[n])
{
    for (uint8_t i = lo; i < hi; i += 7) {
        a[i] += 2;
    }
}

// run: unsigned_down n=1000 hi=4294967295 lo=4294967000
// run: unsigned_down n=1000 hi=999 lo=1
// run: unsigned_down n=1000 hi=10 lo=10
kernel void unsigned_down(int n, unsigned hi, unsigned lo, int a[n])
{
    for (unsigned i = hi; i > lo; i -= 2) {
        a[i % 1000] += 1;
    }
}

// Inner loops, and locals that belong to the iteration.
// run: inner n=64 lo=251 hi=253
// run: inner n=64 lo=0 hi=253
kernel void inner(int n, uint8_t lo, uint8_t hi, int a[n][256])
{
    for (int y = 0; y < n; y++) {
        for (uint8_t i = lo; i < hi; i += 3) {
            int t[2] = {y, i};
            for (uint8_t k = 0; k < 2; k++) {
                a[y][i] += t[k];
            }
        }
    }
}

// run: with_continue n=300 lo=252 hi=255
// run: with_continue n=300 lo=2 hi=250
kernel int with_continue(int n, uint8_t lo, uint8_t hi, int a[n])
{
    int odd = 0;
    for (uint8_t i = lo; i < hi; i += 9) {
        if (i % 2 == 0) {
            continue;
        }
        odd++;
        a[i] = odd;
    }
    return odd;
}

// run: with_goto n=300 lo=252 hi=255
// run: with_goto n=300 lo=2 hi=250
kernel int with_goto(int n, uint8_t lo, uint8_t hi, int a[n])
{
    int odd = 0;
    for (uint8_t i = lo; i < hi; i += 9) {
        if (i % 2 == 0) {
            goto next;
        }
        odd++;
        a[i] = odd;
next:;
    }
    return odd;
}

static int count_up(uint8_t lo, uint8_t hi)
{
    int k = 0;
    for (uint8_t i = lo; i < hi; i += 3) {
        k += i;
    }
    return k;
}

// run: in_a_helper n=256
kernel void in_a_helper(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = count_up((uint8_t)i, 254);
    }
}

// run: constants n=300
kernel int constants(int n, int a[n])
{
    int k = 0;
    for (uint8_t i = 250; i < 254; i += 3) {
        a[i]++;
        k++;
    }
    for (int8_t i = -100; i > -127; i -= 5) {
        a[i + 128]++;
        k++;
    }
    return k;
}

// Blocks in a loop that may wrap are blocks where it does not.
// run: blocks_inside m=40 k=9
// run: blocks_inside m=254 k=9
kernel void blocks_inside(int m, int k, int a[m], const int b[m])
{
#pragma rill serial
    for (unsigned char t = 0; t < m; t += 7) {
        stream_parallel
        {
            for (int i = 0; i < k; i++) {
                a[2 * i] = b[i] + t;
            }
        }
        stream_parallel
        {
            for (int i = 0; i < k; i++) {
                a[2 * i + 1] = b[m - 1 - i] - t;
            }
        }
    }
}

// An index that wraps and is used only where it is one: nothing may be concluded from the iterations that do not.
// run: some_wrap n=1000
kernel void some_wrap(int n, const int a[n], int c[n])
{
    for (int i = 0; i < n; i++) {
        int k = (int)(i * 500000003u);
        if (k >= 0 && k < n) {
            c[i] = a[k];
        }
        c[i] += (int)(i * 400000009u) % 7;
    }
}

// The same index, used by every iteration, and reckoned from numbers that wrap before the loop.
// run: wrapped_start n=900 far=4294967196
kernel void wrapped_start(int n, unsigned far, const int a[3 * n + 300], int c[n])
{
    int from = (int)(far + 100u); // 0
    for (int i = 0; i < n; i++) {
        c[i] = a[from + 3 * i + 2] - a[(int)(far + 200u) + 3 * i - 100];
    }
}

// The index wraps in later rounds of the loop around, not in the first one.
// run: wraps_later n=300 rounds=12 far=1073741824
// run: wraps_later n=300 rounds=12 far=0
kernel void wraps_later(int n, int rounds, int far, int a[2 * n])
{
    for (int k = 0; k < rounds; k += 4) {
        for (int i = 0; i < n; i++) {
            a[k * far + i] = a[k * far + i + n] + 3 * a[k * far + i];
        }
    }
}

// It fits in each round that has iterations; what all rounds together might reach does not.
// run: fits_each_round n=300 rounds=5 wide=1000000000
kernel void fits_each_round(int n, int rounds, int wide, int a[2 * n])
{
    for (int k = 0; k < rounds; k++) {
        int m = k == 0 ? n : 0;
        for (int i = 0; i < m; i++) {
            a[k * wide + i] = a[k * wide + i + n] + 3 * a[k * wide + i];
        }
    }
}
