#include <rill/kernel.h>

kernel long conversions(long seed, long out[64], double real[64])
{
    int k = 0;
    signed char c = (signed char)seed;
    unsigned char uc = (unsigned char)seed;
    short s = (short)(seed * 3);
    unsigned short us = (unsigned short)(seed * 5);
    int i = (int)(seed * 7);
    unsigned u = (unsigned)(seed * 11);
    unsigned long ul = (unsigned long)seed * 13;
    _Bool b = seed;
    out[k++] = c + uc;
    out[k++] = s * us;
    out[k++] = i + u;
    out[k++] = i > u;
    out[k++] = i < (long)u;
    out[k++] = (long)(ul >> 3);
    out[k++] = seed >> 3;
    out[k++] = (char)(c << 2);
    out[k++] = b + 1;
    out[k++] = !b;
    out[k++] = ~uc;
    out[k++] = -us;
    out[k++] = (unsigned char)~uc;
    out[k++] = c == uc;
    out[k++] = (i ^ u) & 0xff;
    out[k++] = i | s;
    out[k++] = (_Bool)0.5;
    b = 2.0f * (float)seed;
    out[k++] = b;
    b += 5;
    out[k++] = b;
    b--;
    out[k++] = b;
    out[k++] = sizeof(b) + sizeof(long);
    out[k++] = seed ? c : uc;
    uc += 300;
    out[k++] = uc;
    us *= 1000;
    out[k++] = us;
    s <<= 3;
    out[k++] = s;
    i /= 3;
    out[k++] = i;
    u %= 17;
    out[k++] = u;
    c -= 200;
    out[k++] = c;
    real[0] = seed;
    real[1] = (float)seed;
    real[2] = (unsigned long)seed;
    real[3] = u / 3.0f;
    real[4] = 1.0f / 3;
    real[5] = 1 / 3.0;
    real[6] = -(double)s;
    real[7] = (float)0.1 + 0.1;
    out[k++] = (long)real[3];
    float f = 16777217.0f;
    f += 1;
    real[8] = f;
    f *= 1.5;
    real[9] = f;
    i += 2.75;
    out[k++] = i;
    return k;
}

kernel long division(long seed, long out[64], double real[64])
{
    long d = seed % 1000 + 3;
    if (d == 0) d = 7;
    int i = (int)seed, e = (int)d;
    if (e == 0 || e == -1) e = 5;
    out[0] = seed / d;
    out[1] = seed % d;
    out[2] = i / e;
    out[3] = i % e;
    out[4] = (unsigned)i / 7u;
    out[5] = (unsigned long)seed % 1000u;
    out[6] = -7 / 2;
    out[7] = -7 % 2;
    real[0] = (double)seed / d;
    return 0;
}

kernel long logic(long seed, long out[64], double real[64])
{
    int a = (int)(seed & 3), b = (int)(seed >> 1 & 3), n = 0;
    out[0] = a && b;
    out[1] = a || b;
    out[2] = a && n++ && b;
    out[3] = n;
    out[4] = a || n++ || b;
    out[5] = n;
    out[6] = (a && b) + (a || b) * 2 + !a * 4;
    out[7] = a ? b ? 1 : 2 : b ? 3 : 4;
    out[8] = a && out[0] && out[1];
    out[9] = a || out[2];
    out[10] = (a, b);
    out[11] = a < b && b < 3;
    double x = seed, y = x - x;
    out[12] = x && y;
    out[13] = !x;
    out[14] = x < y || x > y;
    out[15] = a & b | a ^ b;
    out[16] = a == b != n;
    while (a && n < 10) n++;
    out[17] = n;
    real[0] = a ? x : 2;
    real[1] = b ? 1.5f : a;
    return n;
}

kernel long order(long seed, long out[64], double real[64])
{
    int i = 0, k = 3;
    long a[8] = {1, 2, 3, 4};
    out[i++] = k++;
    out[i++] = ++k;
    out[i++] = k--;
    out[i++] = --k;
    a[k] = i++;
    out[i++] = a[3];
    long *p = a;
    out[i++] = *p++;
    out[i++] = *++p;
    out[i++] = (*p)++;
    out[i++] = *p;
    out[i++] = p - a;
    p += 2;
    p[-1] += 10;
    out[i++] = p[-1];
    out[i++] = p > a;
    out[i++] = p == a + 4;
    int x = 5, y;
    y = x = (int)seed;
    out[i++] = y + x;
    unsigned char c = 255;
    out[i++] = c++;
    out[i++] = c;
    out[i++] = (c = 300);
    out[i++] = (c += 300);
    real[0] = (x += 2, x * 2);
    return i;
}
