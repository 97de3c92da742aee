#define SUM(a, b) ((a) + (b)
#define TWICE(x) (2 * (x) +)
int f(int n)
{
    int y = TWICE(n);
    return SUM(n, 1);
}
int g(int n) { return TWICE(m); }
