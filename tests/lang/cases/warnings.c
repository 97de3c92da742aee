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

char wraps = 300;
unsigned char fine = -1;
signed char also = 200;
unsigned mask = -1;
int high = 0x80000000;

int g(int a[3])
{
    int b[3];
    b[4] = 1;
    b[-1] = 2;
    int *end = &b[3];
    return sizeof a + *end;
}
