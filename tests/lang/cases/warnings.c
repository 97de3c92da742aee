#include <stddef.h>

int f(int n, const char *s, unsigned char *u)
{
    char *t = s;
    int i = n / 0 + n % 0;
    i = n << 32;
    i = n >> -1;
    i <<= 64;
    signed char *c = u;
    if ((int *)0 == (float *)0) i = 1;
    char big[2] = "abc";
    int few[2] = {1, 2, 3};
    ;
    int;
    if (n) return 1;
}
