// Assigned under a condition, a bit-field is a choice of bits by a constant mask: of vectors of several widths, of both
// arms, and in other words.
//@ buffer un bytes 640 range 0 255
//@ buffer a u32 100 range 0 2000000000
//@ buffer b u32 100 range 0 2000000000
//@ buffer c u64 100 range 0 2000000000
//@ array un 0 640
//@ array a 0 100
//@ array b 0 100
//@ array c 0 100
#include <rill/kernel.h>
union un {
    unsigned long u;
    struct {
        unsigned x;
        int y : 20;
        int z : 12;
    } s;
};
kernel void run(union un un[80], unsigned a[100], const unsigned b[100], unsigned long c[100])
{
    for (int i = 0; i < 80; i++) {
        union un t = un[i];
        if (t.u & 4) {
            t.s.y = t.s.x;
        }
        un[i] = t;
    }
    for (int i = 0; i < 100; i++) {
        a[i] = b[i] & 1 ? (b[i] & 0xfffff) | (a[i] & ~0xfffffu) : a[i];
    }
    for (int i = 0; i < 100; i++) {
        a[i] = b[i] & 2 ? b[i] : (b[i] & 0xff00ff) | (a[i] & ~0xff00ffu);
    }
    for (int i = 0; i < 100; i++) {
        c[i] = a[i] & 1 ? ((c[i] ^ b[i]) & 0xf0f0f0f0f0) ^ c[i] : c[i];
    }
}
