// The preprocessor, the accepted extensions, volatile, names.
#include "include/shared.h"
#include <rill/kernel.h>
#include <stddef.h>
#include <stdint.h>

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT(x) #x
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define APPLY(f, ...) f(__VA_ARGS__)
#define EACH(X)                                                                                                        \
    X(1)                                                                                                               \
    X(2)                                                                                                               \
    X(3)                                                                                                               \
    X(4)
#define AS_SUM(n) +n * 10
#define EMPTY
#define LINE_NOW __LINE__

#if defined(SHARED_H) && SHARED_BIAS > 5 && !defined(NOTHING) && (1 ? 2 : 0) == 2 && -1 < 0u + 0
#define CHOSEN 1
#elif 1
#define CHOSEN 2
#else
#error not here
#endif

// run: preprocessor n=20
kernel int preprocessor(int n, int a[n])
{
    int CAT(va, lue) = 5 EMPTY;
    for (int i = 0; i < n; i++) {
        a[i] = APPLY(MAX, i, value) + biased(i) + CHOSEN;
    }
    int sum = 0 EACH(AS_SUM);
    int line = LINE_NOW - __LINE__;
#undef MAX
#define MAX 7
    const char text[] = TEXT(a + "b\n");
    return sum + line + MAX + (int)sizeof text + text[4] + value +
#ifdef NOTHING
           1000 +
#endif
           sizeof(__FILE__) * 0 + (int)sizeof __func__;
}

#define KIND(x) _Generic((x), int: 1, unsigned: 2, float: 3, double: 4, long: 5, char *: 6, const int *: 7, default: 8)

// run: generics n=4
kernel void generics(int n, const int a[n], int out[10])
{
    short s = 1;
    char word[4] = "abc";
    out[0] = KIND(1);
    out[1] = KIND(1u);
    out[2] = KIND(1.0f);
    out[3] = KIND(1.0);
    out[4] = KIND(1L + s);
    out[5] = KIND(word);
    out[6] = KIND(a);
    out[7] = KIND(s);
    out[8] = KIND(s + s);
    out[9] = KIND((char)1);
}

_Static_assert(sizeof(int) == 4, "int has four bytes");

// run: typeofs n=20
kernel int typeofs(int n, const short a[n])
{
    _Static_assert(sizeof(a[0]) == 2, "");
    __typeof__(a[0] + 1) sum = 0;
    for (int i = 0; i < n; i++) {
        __typeof__(a[i]) x = a[i];
        __typeof__(int[3]) w = {x, x * 2, x * 3};
        sum += w[i % 3];
    }
    return sum + (int)sizeof sum;
}

// run: aligned n=10
kernel int aligned(int n, int out[n])
{
    struct wide {
        _Alignas(16) float v[3];
        char c;
    };
    for (int i = 0; i < n; i++) {
        _Alignas(32) int x[2] = {i, i + 1};
        struct wide w = {{i, i + 1, i + 2}, 'w'};
        out[i] = x[1] + (int)w.v[2] + ((uintptr_t)x % 32 == 0) * 100 + ((uintptr_t)&w % 16 == 0) * 1000;
    }
    return sizeof(struct wide) * 100 + _Alignof(struct wide) + offsetof(struct wide, c);
}

static volatile int port;
static volatile unsigned char flags[4];

// run: volatiles n=10
kernel int volatiles(int n, const int a[n])
{
    volatile int x = 3;
    for (int i = 0; i < n; i++) {
        port = a[i];
        port += 2;
        flags[i % 4] ^= a[i];
        x = x * 3 + port;
        *(volatile int *)&x += 1;
    }
    return x + flags[0] + flags[1] * 2 + flags[2] * 3 + flags[3] * 4;
}

typedef int number;
typedef number vector[3];
typedef const vector *vectors;

// run: typedefs n=10
kernel int typedefs(int n, const int a[n][3])
{
    vectors p = (vectors)a;
    number sum = 0;
    for (int i = 0; i < n; i++) {
        number number = p[i][1];
        sum += number * (*(p + i))[2];
    }
    return sum + sizeof(vector);
}

// run: anonymous n=10
kernel int anonymous(int n, const int a[n])
{
    struct {
        union {
            struct {
                short low, high;
            };
            int all;
        };
        int other;
    } v;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        v.all = a[i] * 100000;
        v.other = v.high;
        v.low = 7;
        sum += v.all + v.other;
    }
    return sum;
}

// run: digraphs n=3
kernel int digraphs(int n, int a[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) <%
        int w<:2:> = <%a<:i:>, 3%>;
        sum += w<:0:> * w<:1:>;
    %>
    return sum;
}

// run: operators_of_c n=30
kernel int operators_of_c(int n, const int a[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        int x = a[i], y = i + 1;
        s += x++ + y;
        s -= x-- - y;
        s ^= - -x;
        s += ~-x & !x | x < y, s++;
        s += (x > y) - (x < y);
        s += x & 1 == 0;
        s += sizeof x++ + x;
        s += *&x + (&a[i])[0] + 0 [a];
        s = s << 1 >> 1;
        s += x ? y ? 1 : 2 : 3;
    }
    return s;
}

/* A comment // inside */
// A comment that goes on \
   int not_here = 1;
// run: comments n=5
kernel int comments(int n, int a[n]) /* here */
{
    int s = 0; // run over
    for (int i = 0; i < n; i++) {
        s += a[i] /* divided by // */ / 2;
    }
    return s /**/ + 1;
}

// What the parameters of a definition declare, its body knows: tags and constants.
static int in_params(enum side{LEFT = 3, RIGHT = LEFT << 2} side, struct box { int size; } * box)
{
    enum side other = side == LEFT ? RIGHT : LEFT;
    struct box inner = {box->size + LEFT};
    return other + inner.size;
}

// run: declared_in_parameters n=20
kernel void declared_in_parameters(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        struct {
            int size;
        } box = {i};
        out[i] = in_params(i % 2 == 0 ? 3 : 12, (void *)&box);
    }
}
