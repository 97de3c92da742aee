#include <stdio.h>
#include <stdarg.h>
static int sum(int n, ...) { return n; }
__rill_kernel__ void printing(int n, char text[n])
{
    const char *format = "%d\n";
    printf(format, n);
    printf("%s\n", text);
    printf("%n\n", &n);
    int k = printf("x");
    n = sum(2, 3, k);
    fprintf(stderr, "x");
    printf("%5lc|\n", n);
}
