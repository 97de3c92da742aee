// What C11, C23 and later compilers add to C99: attributes in brackets, literals of 16 and 32 bits, labels before
// declarations, parameters without names, #elifdef.
#include <rill/kernel.h>

#ifdef NOTHING
#define BASE 1
#elifdef __LINE__
#define BASE 20
#elifndef NOTHING
#define BASE 300
#else
#define BASE 4000
#endif

#ifndef __LINE__
#elifndef NOTHING
#define SECOND 5
#elifdef SECOND
#error not here
#endif

static const unsigned short units[] = u"h\u00e9\U0001F600";
static const unsigned wide[] = U"\U0001F600"
                               "z";

#define NAME_OF(e)                                                                                                     \
    _Generic((e),                                                                                                      \
        unsigned short: 1,                                                                                             \
        unsigned: 2,                                                                                                   \
        int: 3,                                                                                                        \
        unsigned short *: 4,                                                                                           \
        unsigned *: 5,                                                                                                 \
        char *: 6,                                                                                                     \
        int *: 7,                                                                                                      \
        default: 8)

[[gnu::noinline]] static int nothing_of([[maybe_unused]] int, int b, double)
{
    return b;
}

struct [[gnu::packed]] packet {
    char tag;
    int value;
};

__attribute__((noinline)) static int first(int x), __attribute__((unused)) second(int x);

static int first(int x)
{
    return x + 1;
}

static int second(int x)
{
    return x * 2;
}

// run: literals
#pragma rill single
kernel int literals(int out[16])
{
    int k = 0;
    out[k++] = u'a' + U'b' + L'c';
    out[k++] = u'\xffff';
    out[k++] = (U'\xffffffff' > 0) + 2 * (L'\xffffffff' > 0);
    out[k++] = sizeof units;
    out[k++] = units[1] + units[2] * 3 + units[3] * 5 + units[4];
    out[k++] = sizeof wide;
    out[k++] = (int)(wide[0] + wide[1] + wide[2]);
    out[k++] = NAME_OF(u'a') * 1000 + NAME_OF(U'a') * 100 + NAME_OF(L'a') * 10 + NAME_OF('a');
    out[k++] = NAME_OF(u"a") * 1000 + NAME_OF(U"a") * 100 + NAME_OF(L"a") * 10 + NAME_OF(u8"a");
    out[k++] = sizeof(u"a"
                      "bc") +
               sizeof("a"
                      U"bc") *
                   10 +
               sizeof u8"\u00e9" * 100;
    const unsigned short *p = u"xyz";
    out[k++] = p[1];
    out[k++] = BASE + SECOND;
    return k;
}

// run: labels n=50 wild
kernel void labels(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        switch (a[i] & 3) {
        case 0:
            int x = a[i];
            s += x;
            break;
        case 1:
        case 2:
            static const int table[2] = {7, 8};
            s += table[i & 1];
            [[fallthrough]];
        default:
        }
        if (s > 3) {
            goto end;
        }
again:
and_again:
        int y = s + 1;
        s = y * 2;
        if (s < 10) {
            goto again;
        }
end:
        out[i] = s;
    }
}

// run: attributes n=50 wild
kernel void attributes(int n, const int a[n], int out[n])
{
    for ([[maybe_unused]] int i = 0; i < n; i++) {
        [[maybe_unused]] int s = nothing_of(1, a[i], 2.0), t [[gnu::unused]] = 3;
        struct packet p = {1, s};
        out[i] = p.value + (int)sizeof p + first(t) + second(s);
    }
}

// Names beyond ASCII, and an object without any.
float größe[4] = {1, 2, 3, 4};
int *drei = (int[]){3, 4, 5};

static __attribute__((noinline)) int ändere(int x)
{
    größe[x & 3] += 1;
    return x * drei[1];
}

// run: naïve n=20 wild
kernel float naïve(int n, int feld[n])
{
    static const int übrig[2] = {7, 8};
    for (int i = 0; i < n; i++) {
        feld[i] = ändere(feld[i]) + übrig[i & 1] + (int)größe[i & 3];
    }
    return größe[2];
}
