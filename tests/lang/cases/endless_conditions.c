#include <rill/kernel.h>

typedef enum { RED, GREEN } colour;

kernel void endless(int n, int x[n], unsigned m, int8_t s, size_t z)
{
    for (unsigned i = m; i >= 0; i--) {
        x[i] = 1;
    }
    for (uint8_t i = 0; i < 300; i++) {
        x[i] = 2;
    }
    for (uint16_t i = 0; 65535 >= i; i += 2) {
        x[i] = 3;
    }
    while (s != 128) {
        s++;
    }
    do {
        x[z] = 4;
    } while (z-- >= 0);
    for (uint64_t i = 0; i <= 18446744073709551615u; i++) {
        x[i] = 5;
    }
    for (int i = 0; i < 0x80000000; i++) { // compared as unsigned int
        x[i] = 6;
    }
    for (int i = 0; i < 2147483648; i++) { // compared as long
        x[i] = 7;
    }
    for (colour c = GREEN; c >= RED; c--) {
        x[c] = 8;
    }
    for (signed char c = 0; c > -129L; c--) {
        x[0] = 9;
    }
    for (uint8_t i = 0; i < 18446744073709551615u; i++) {
        x[i] = 10;
    }
}

kernel void ends(int n, int x[n], unsigned m, int8_t s, uint8_t u, _Bool b)
{
    for (unsigned i = m; i > 0; i--) {
        x[i] = 1;
    }
    for (uint8_t i = 0; i < 255; i++) {
        x[i] = 2;
    }
    for (int i = 0; i < 0x7fffffff; i++) {
        x[i] = 3;
    }
    for (unsigned i = m; i != -1; i--) { // -1 is the largest unsigned int here
        x[i] = 4;
    }
    while (s != 127 && u <= 254) {
        s++;
    }
    while (s >= 0u) { // s is the unsigned one here: it holds, but not by the type that is written
        s--;
    }
    if (m >= 0) {
        x[0] = 5;
    }
    while (b <= 1 && n > 3) {
        b = 0;
    }
    while (1 < 2) {
        break;
    }
}
