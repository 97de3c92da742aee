// What kernels print comes out in the serial order; assertions that hold say nothing.
#include <assert.h>
#include <inttypes.h>
#include <rill/kernel.h>
#include <stdio.h>

// run: formats n=4
kernel void formats(int n, const int a[n], const double b[n])
{
    for (int i = 0; i < n; i++) {
        printf("%d %5d|%-5d|%05d %+d %x %#x %X %o %u %c %%\n", a[i], a[i], a[i], a[i], a[i], a[i], a[i], a[i], a[i],
               -a[i], 'a' + i);
        printf("%f %.2f %10.3f|%-10.1f|%e %g %G %a\n", b[i], b[i], b[i], b[i], b[i], b[i] * 1e10, b[i] * 1e-10, b[i]);
        printf("%ld %lld %hd %hhd %zu %lu %" PRId64 " %" PRIx64 "\n", (long)a[i] << 40, -1LL, (short)(a[i] * 1000),
               (char)(a[i] * 3), sizeof a[0], ~0UL, (int64_t)a[i] * 1000000007, (uint64_t)-i);
    }
}

// run: strings n=3
kernel void strings(int n)
{
    char word[8] = "abc";
    printf("hello\n");
    for (int i = 0; i < n; i++) {
        word[i % 3] = 'x';
        printf("%s %s %.2s [%6s] [%-6s]\n", "literal", word, "clipped", word, "l");
    }
    printf("no newline");
    printf("");
    printf("!\n");
}

// run: in_parallel n=300
kernel void in_parallel(int n, const int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = a[i] * 2;
        if (a[i] % 10 == 3) {
            printf("%d: %d\n", i, a[i]);
        }
    }
}

// run: nested n=12 m=10
kernel void nested(int n, int m, const int a[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (a[i][j] > 80) {
                printf("[%d,%d]", i, j);
            }
        }
        printf(" row %d\n", i);
    }
}

// run: between_tasks n=100
kernel int between_tasks(int n, int a[n])
{
    printf("start %d\n", n);
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
    }
    printf("sum %d\n", sum);
    for (int i = 0; i < n; i++) {
        a[i] = sum - a[i];
        if (i % 25 == 0) {
            printf("a[%d] = %d\n", i, a[i]);
        }
    }
    printf("end\n");
    return sum;
}

// run: in_blocks n=20
kernel void in_blocks(int n, int a[n], int b[n])
{
    for (int t = 0; t < 3; t++) {
        stream_parallel
        {
            for (int i = 0; i < n; i += 5) {
                a[i] = t;
                printf("a %d %d\n", t, i);
            }
        }
#pragma rill in_order
        stream_parallel
        {
            for (int i = 0; i < n; i += 7) {
                b[i] = t;
                printf("b %d %d\n", t, i);
            }
        }
    }
}

static int checked(int x)
{
    assert(x > 0);
    assert(x < 1000 && "small");
    return x * 2;
}

// run: assertions n=200
kernel void assertions(int n, const int a[n], int b[n])
{
    assert(n > 0);
    for (int i = 0; i < n; i++) {
        b[i] = checked(a[i]);
        assert(b[i] == 2 * a[i]);
    }
}

static void show(const char *label, int value)
{
    printf("value %d\n", value);
    (void)label;
}

// run: in_helpers n=30
kernel void in_helpers(int n, const int a[n])
{
    for (int i = 0; i < n; i++) {
        if (a[i] > 50) {
            show("big", a[i]);
        }
    }
}

// run: counted n=10
kernel int counted(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        printf("%*d|%-*d|%.*f\n", i, i, i, i, i % 4, i * 1.5);
        total += i;
    }
    return total;
}

// A choice of texts.
// run: choices n=12
kernel void choices(int n, const int a[n])
{
    for (int i = 0; i < n; i++) {
        char own[4] = {'a', 'b', (char)('c' + i), '\0'};
        printf("%s %5s|%.2s\n", i % 2 == 0 ? "even" : "odd",
               a[i] > 5    ? "large"
               : a[i] == 5 ? own
                           : "small",
               (const char *)(i > 3 ? "over" : "under"));
    }
}
