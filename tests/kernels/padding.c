// memcpy and memmove copy the bytes between members as well, through whatever struct lies on their way.
#include <rill/kernel.h>
#include <string.h>

struct padded {
    short s;
    int i;
    long j;
    char c;
}; // 24 bytes, of which 2 and 3 and the last seven are padding

struct listed {
    char kind;
    int x[4];
    char last;
}; // 24 bytes, of which 1 to 3 and the last three are padding

// run: through_a_struct n=40 wild
kernel long through_a_struct(int n, unsigned char a[n * 24], const unsigned char b[n * 24])
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        struct padded c;
        memcpy(&c, &b[i * 24], sizeof c);
        sum += c.s + c.i + c.c;
        memcpy(&a[i * 24], &c, sizeof c);
    }
    return sum;
}

// run: through_two n=40 wild
kernel void through_two(int n, unsigned char a[n * 24], const unsigned char b[n * 24], int out[n])
{
    for (int i = 0; i < n; i++) {
        struct padded c, d;
        memcpy(&c, &b[i * 24], sizeof c);
        memmove(&d, &c, sizeof d);
        out[i] = d.i ^ c.s;
        memmove(&a[i * 24], &d, sizeof d);
    }
}

// run: the_first_part n=40 wild
kernel void the_first_part(int n, unsigned char a[n * 24], const unsigned char b[n * 24], int out[n])
{
    for (int i = 0; i < n; i++) {
        struct padded c;
        memcpy(&c, &b[i * 24], sizeof c);
        out[i] = c.i;
        memcpy(&a[i * 24], &c, 8);
    }
}

// run: with_an_array n=40 k=2 wild
kernel void with_an_array(int n, int k, unsigned char a[n * 24], const unsigned char b[n * 24], int out[n])
{
    for (int i = 0; i < n; i++) {
        struct listed c;
        memcpy(&c, &b[i * 24], sizeof c);
        out[i] = c.x[(k + i) & 3] + c.kind;
        memcpy(&a[i * 24], &c, sizeof c);
    }
}

static void pass_on(unsigned char *to, struct listed *from, int *out, int k)
{
    *out = from->x[k & 3];
    memcpy(to, from, sizeof *from);
}

// run: with_a_helper n=40 k=1 wild
kernel void with_a_helper(int n, int k, unsigned char a[n * 24], const unsigned char b[n * 24], int out[n])
{
    for (int i = 0; i < n; i++) {
        struct listed c;
        memcpy(&c, &b[i * 24], sizeof c);
        pass_on(&a[i * 24], &c, &out[i], k + i);
    }
}

// run: of_numbers n=40 wild
kernel void of_numbers(int n, float f[n], unsigned out[n])
{
    for (int i = 0; i < n; i++) {
        unsigned u;
        memcpy(&u, &f[i], 4);
        out[i] = u;
        u ^= 0x80000000u;
        memcpy(&f[i], &u, 4);
    }
}
