#include <math.h>
static long double wide(long double x) { return x + 1; }
struct callback { int (*f)(int); int n; };
static struct callback c;
__rill_kernel__ int types(int n)
{
    long double _Complex z = n;
    n += (int)wide(n);
    n += c.n;
    return n;
}
