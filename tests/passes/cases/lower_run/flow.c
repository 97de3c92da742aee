#include <rill/kernel.h>

static int classify(int x)
{
    switch (x) {
    case 0: return 10;
    case 1:
    case 2: x += 5; // falls through
    case 3: x *= 2; break;
    case -4: return -1;
    case 5 ... 9: x = 50; break;
    case 1000 ... 100000: return 7;
    default: x = 99;
    case 77: x++;
    }
    return x;
}

kernel long switches(long seed, long out[64], double real[64])
{
    for (int i = -6; i < 12; i++) out[i + 6] = classify(i);
    out[20] = classify((int)seed);
    out[21] = classify(77);
    unsigned long u = (unsigned long)seed;
    switch (u) {
    case 0xffffffffffffffffUL: out[22] = 1; break;
    case 3: out[22] = 2;
    }
    switch ((char)seed) { case -1: out[23] = 1; break; case 'a': out[23] = 2; break; default: out[23] = 3; }
    int n = 0;
    for (int i = 0; i < 10; i++) {
        switch (i & 3) {
        case 0: continue;
        case 1: n += 10; break;
        default: n++;
        }
        n += 100;
    }
    out[24] = n;
    switch (seed) { int k; case 1: k = 5; out[25] = k; break; default: k = 6; out[25] = k; }
    switch (seed & 1) out[26] = 5;
    switch (seed & 1) case 1: out[27] = 6;
    switch (seed & 7) { case 1: { out[28] = 1; break; } case 2: if (n) break; out[28] = 3; default: out[28] += 4; }
    return n;
}

kernel long duff(long seed, long out[64], double real[64])
{
    int count = (int)(seed & 15) + 1, n = (count + 3) / 4, i = 0;
    switch (count % 4) {
    case 0: do { out[i] = i; i++;
    case 3:      out[i] = i * 2; i++;
    case 2:      out[i] = i * 3; i++;
    case 1:      out[i] = i * 4; i++;
            } while (--n > 0);
    }
    out[40] = i;
    switch (seed & 3) {
    case 0:
        if (seed > 3) {
    case 1:
            out[41] = 1;
        } else {
    default:
            out[41] = 2;
        }
        out[42] = 3;
    }
    return i;
}

kernel long forward(long seed, long out[64], double real[64])
{
    int n = (int)(seed & 7);
    if (n == 0) goto end;
    if (n == 1) goto middle;
    out[0] = 1;
    if (n == 2) goto end;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i * j == 6) goto found;
            out[1]++;
        }
    }
    out[2] = 5;
    goto middle;
found:
    out[2] = 6;
middle:
    out[3] = 7;
    if (n == 4) goto end;
    { goto inner; out[4] = 1; }
inner:
    out[5] = 2;
end:
    return n;
}

kernel long backward(long seed, long out[64], double real[64])
{
    int i = 0, j, s = 0;
again:
    if (i < (int)(seed & 7)) {
        i++;
        s += i;
        j = 0;
inner:
        s += j++;
        if (j < 3) goto inner;
        if (s & 1) goto again;
        s++;
        goto again;
    }
    out[0] = s;
first:
    s++;
second:
    s += 2;
    if (s % 5 == 0) goto first;
    if (s % 7 == 0) goto second;
    if (s < 60) { s += 3; goto first; }
    out[1] = s;
    {
        int k = 0;
    loop:
        k++;
        if (k < 4) { if (k == 2) { k++; goto loop; } s++; goto loop; }
        s += k;
    }
    return s;
}

kernel long irregular(long seed, long out[64], double real[64])
{
    int i = 0, n = (int)(seed & 7), s = 0;
    if (n & 1) goto inside;
    for (i = 0; i < n; i++) {
        s += i;
inside:
        s += 10;
        if (s > 45) break;
        if (s & 4) continue;
        s++;
    }
    out[0] = s; out[1] = i;
    if (n > 3) goto then;
    while (n < 3) {
        n++;
        if (n == 2) {
then:
            s += 100;
            if (s > 500) goto out;
        } else {
            s -= 7;
        }
    }
    out[2] = s;
    do {
        s--;
        switch (s & 3) {
        case 0: goto out;
        case 1: s += 2;
        back:
        case 2: s -= 9; break;
        default: s -= 2;
        }
        if (s > 300) goto back;
    } while (s > 0);
out:
    out[3] = s; out[4] = n;
    return s;
}

static long early(long x, long *trace)
{
    for (int i = 0; i < 10; i++) {
        if (x > 100) return x + i;
        *trace += 1;
        x *= 2;
        if (x < -50) { goto low; }
    }
    return -x;
low:
    return x - 1;
}

static void nothing(int x, long *out)
{
    if (x == 1) return;
    *out += x;
    while (1) { if (x++ > 5) return; *out += 2; }
}

kernel long returns(long seed, long out[64], double real[64])
{
    long t = 0;
    out[0] = early(seed, &t);
    out[1] = early(3, &t) + early(-3, &t);
    nothing((int)(seed & 3), &t);
    out[2] = t;
    if (seed == 7) return 1;
    for (int i = 0; i < 5; i++) { if (i == seed) return i + 1000; out[3] += i; }
    {
        if (seed < 0) { out[4] = 1; return -5; } else return 6;
    }
}
