#include <stdio.h>
#include <assert.h>
int total = 3, *where = &total;
static struct { char c; double d[2]; const char *text; } field = {'x', {1.5}, "words"};
const int limit = 7;
static const float table[3] = {1, 2, 3};
__rill_kernel__ void fields(int n)
{
    total += limit;
    *where = (int)table[n];
    field.d[1] = field.c;
    assert(n < limit);
    printf("%d %s %g\n", n, "text", table[0]);
}
