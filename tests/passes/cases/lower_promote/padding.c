// memcpy keeps the bytes between members, and with them the struct that they go through; an assignment need not.
#include <rill/kernel.h>
#include <string.h>
struct padded { short s; int i; };
kernel void f(char *to, const char *from, struct padded *at)
{
    struct padded c, d;
    unsigned bits;
    memcpy(&c, from, sizeof c);
    memcpy(to, &c, sizeof c);
    memcpy(&d, from, sizeof d);
    memcpy(&bits, &d.i, sizeof bits);
    d.i = bits + 1;
    *at = d;
}
