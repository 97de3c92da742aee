// Every format, and the serial order.
#include <inttypes.h>
#include <rill/kernel.h>
#include <stdio.h>
#include <string.h>

// run: ints n=7
// run: ints n=0
kernel void ints(int n)
{
    for (int i = 0; i < n; i++) {
        int v = (i - 3) * 1234567;
        printf("%d|%5d|%-9d|%09d|%+d|% d|%.3d|%12.8d|%i\n", v, v, v, v, v, v, v, v, v);
        printf("%u|%x|%X|%#x|%o|%#o|%08x|%-12X|%#10x|%.0d\n", v, v, v, v, v, v, v, v, v, i);
        printf("%hhd|%hhu|%hd|%hu|%hhx\n", v, v, v, v, v);
        printf("%ld|%lu|%lx|%lld|%llu|%zu|%zd|%jd|%td\n", (long)v * v, (unsigned long)v, (long)v, (long long)v,
               (unsigned long long)v, (size_t)i, (size_t)i, (intmax_t)v, (ptrdiff_t)v);
        printf("%" PRId64 "|%" PRIu32 "|%" PRIx8 "|%" PRIu64 "\n", (int64_t)v, (uint32_t)v, (uint8_t)v, (uint64_t)v);
        printf("%*d|%-*d|%.*d|%*.*d\n", 8, v, 12, v, 9, v, 14, 10, v);
        printf("%*d|%.*d\n", -8, v, -3, v);
    }
}

// run: floats n=5
kernel void floats(int n)
{
    for (int i = 0; i < n; i++) {
        double v = (i - 2) * 1234.5678;
        float f = i / 3.0f;
        printf("%f|%10.3f|%-12.1f|%+f|% f|%.0f|%#.0f|%012.4f\n", v, v, v, v, v, v, v, v);
        printf("%e|%E|%.2e|%15.8e|%g|%G|%.10g|%#g|%g\n", v, v, v, v, v, v, v, v, f);
        printf("%f %f %e %g %F\n", 1.0 / 0.0, -1.0 / 0.0, 0.0 / 1, -0.0, (double)f);
        printf("%a|%A|%.3a|%a\n", v, v, v, (double)f);
        printf("%lf|%g|%g|%g|%g\n", v, 1e-5, 123456789.0, 1e100, 1e-320);
        printf("%.20f|%.15g|%.17g\n", 0.1, 0.1, 0.1);
        printf("%*.*f|%-*.2f|\n", 12, 3, v, 10, v);
    }
}

// run: chars n=4
kernel void chars(int n)
{
    char buf[8] = "abc";
    const char lit[] = "const array";
    for (int i = 0; i < n; i++) {
        buf[0] = 'a' + i;
        char own[6];
        memcpy(own, "hello", 6);
        own[i] = 'X';
        printf("%c%c|%5c|%-3c|%s|%10s|%-10s|%.2s|%8.3s|%%|%s|%s\n", 'x', 65 + i, 'r', 'l', "literal", "right", "left",
               "cut", "precise", own, lit);
        printf("%s\n", own);
        printf("no newline ");
        printf("tab\tquote\"back\\slash\101\x41\0hidden");
        printf("\n");
        printf("%.*s|%*s|\n", i, "abcdef", 6, "ab");
    }
}

// run: order n=200
kernel void order(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i * i;
        if (i % 7 == 0) {
            printf("i %d\n", i);
        }
    }
    printf("between %d\n", a[3]);
    for (int i = n - 1; i >= 0; i -= 50) {
        printf("down %d %d\n", i, a[i]);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            printf("%d,%d%c", i, j, j == i ? 10 : 32);
        }
    }
    stream_parallel
    {
        for (int i = 0; i < 3; i++) {
            printf("one %d\n", i);
        }
    }
    stream_parallel
    {
        for (int i = 0; i < 3; i++) {
            printf("two %d\n", i);
        }
    }
    int t = 0;
    while (t < 3) {
        printf("t %d\n", t++);
    }
}

static void show(const char *what, int v)
{
    printf("%c=%d;", what[0], v);
    if (v > 2) {
        printf("\n");
    }
}

// run: helper n=5
kernel int helper(int n, int a[n])
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        show("a", i);
        show("bc", a[i]);
        (void)printf("%d", i);
        total += i;
    }
    printf("\n");
    return total;
}

// run: odd n=3
kernel void odd(int n)
{
    for (int i = 0; i < n; i++) {
        printf("%d %d %d\n", (char)(200 + i), (unsigned char)(200 + i), (short)(40000 + i));
        printf("%d %d %s\n", i > 1, 'a' + i, "");
        printf("");
        printf("%s", "");
    }
}
