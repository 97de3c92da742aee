// The preprocessor's corners. generate_test.c says how a file of many kernels is read.

//== paste_empty
//@ buffer b0 i32 8 range -5 5
//@ array b0 0 8
#include <rill/kernel.h>
#define CAT(a, b) a ## b
#define CAT3(a, b, c) a ## b ## c
kernel void run(int a[8])
{
    int x = CAT(, 5) + CAT(7, ) + CAT3(1, , 2);
    int CAT(, y) = CAT3(, , 3);
    for (int i = 0; i < 8; i++) {
        a[i] += x CAT(,) + CAT(y, ) * CAT(0, x10);
    }
}

//== stringize
//@ buffer b0 i32 64 range 0 0
//@ array b0 0 64
#include <rill/kernel.h>
#define STR(x) #x
#define XSTR(x) STR(x)
#define VER 4.2
static const char s0[] = STR();
static const char s1[] = STR( a  +   b );
static const char s2[] = STR("q\"\\n" '\'' '"');
static const char s3[] = XSTR(VER) STR(VER);
static const char s4[] = STR(a /* c */ b
    c);
static const char s5[] = XSTR(__LINE__);
kernel void run(int a[64])
{
    int k = 0;
    a[k++] = (int)sizeof s0; a[k++] = (int)sizeof s1; a[k++] = (int)sizeof s2; a[k++] = (int)sizeof s3; a[k++] = (int)sizeof s4; a[k++] = (int)sizeof s5;
    for (int i = 0; i < (int)sizeof s2; i++) a[k + i] = s2[i];
    k += sizeof s2;
    for (int i = 0; i < (int)sizeof s4; i++) a[k + i] = s4[i];
    k += sizeof s4;
    for (int i = 0; i < (int)sizeof s3; i++) a[k + i] = s3[i];
    k += sizeof s3;
    a[k] = s5[0];
}

//== variadic
//@ buffer b0 i32 16 range 0 9
//@ array b0 0 16
#include <rill/kernel.h>
#define SUM(...) sum_n(sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})
#define FIRST(x, ...) x
#define REST(x, ...) __VA_ARGS__
#define COUNT(...) COUNT_(__VA_ARGS__, 5, 4, 3, 2, 1, 0)
#define COUNT_(a, b, c, d, e, n, ...) n
static int sum_n(int n, const int *v) { int s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; }
kernel void run(int a[16])
{
    for (int i = 0; i < 16; i++) {
        a[i] = SUM(i, a[i], 3) + FIRST(i, 2, 3) + SUM(REST(1, 2, i)) + COUNT(a, b, c) * 100 + COUNT((1, 2), 3);
    }
}

//== recursive
//@ buffer b0 i32 4 range 1 9
//@ array b0 0 4
#include <rill/kernel.h>
#define f(x) (x + f)
#define a_(x) b_(x) + a_
#define b_(x) a_(x) * 2
static int g(int x) { return 3 * x; }
#define g(x) g(g(x))
kernel void run(int v[4])
{
    int f = 10, z = 3;
    for (int i = 0; i < 4; i++) {
        v[i] = f(v[i]) + z + g(2);
    }
}

//== indirect_call
//@ buffer b0 i32 4 range 1 9
//@ array b0 0 4
#include <rill/kernel.h>
// The name of a function-like macro at the end of another's expansion takes its arguments from the text after it.
#define ADD(a, b) ((a) + (b))
#define PICK ADD
#define LATER() ADD
#define ID(x) x
#define EMPTY
#define SUB(a, b) a - b
kernel void run(int v[4])
{
    for (int i = 0; i < 4; i++) {
        v[i] = PICK(v[i], 2) + LATER()(3, 4) + ID(ADD)(5, 6) + ID(SUB)(9, 2)
            + ADD
            (1,
             2);
    }
}

//== line
//@ buffer b0 i32 6 range 0 0
//@ array b0 0 6
#include <rill/kernel.h>
#define HERE __LINE__
#define PAIR(x) (x * 1000 + __LINE__)
kernel void run(int v[6])
{
    v[0] = HERE;
    v[1] = PAIR(
        HERE
    );
    v[2] = __LINE__ \
 + __LINE__;
#line 5000
    v[3] = __LINE__;
#line 70 "other.c"
    v[4] = __LINE__; v[5] = sizeof __FILE__;
}

//== if_arith
//@ buffer b0 i32 40 range 0 0
//@ array b0 0 40
#include <rill/kernel.h>
kernel void run(int v[40])
{
    int k = 0;
#if -1 > 0u
    v[k++] = 1;
#endif
#if (0 ? 1u : -1) > 0
    v[k++] = 2;
#endif
#if -1 >> 1 == -1
    v[k++] = 3;
#endif
#if (-1 >> 63) == -1 && (0xffffffffffffffff >> 63) == 1
    v[k++] = 4;
#endif
#if 0 && (1 / 0)
    v[k++] = 5;
#elif 1 || (1 % 0)
    v[k++] = 6;
#endif
#if 'a' == 97 && '\377' < 0 && L'a' == 97 && 'ab' == 24930
    v[k++] = 7;
#endif
#if undefined_thing == 0 && defined k == 0 && !defined(v)
    v[k++] = 8;
#endif
#if 9223372036854775807 + 0 > 0 && 18446744073709551615u == -1
    v[k++] = 9;
#endif
#if (1 ? 2 : 3) == 2
    v[k++] = 10;
#endif
#if 1 ? 0 : 1
    v[k++] = 11;
#elif defined run || 0x7fffffff + 1 > 0
    v[k++] = 12;
#else
    v[k++] = 13;
#endif
#if 0
#if garbage ((( "unterminated
#error no
#elif 1
#endif
 it's an apostrophe
#else
    v[k++] = 14;
#endif
#if ~0u == 0xffffffffffffffff && -9223372036854775807 - 1 < 0 && 1 << 40 > 0
    v[k++] = 15;
#endif
#if 5 % -3 == 2 && -5 / 3 == -1 && (3 & 5 | 8 ^ 1) == 9
    v[k++] = 16;
#endif
#ifdef __STDC__
    v[k++] = 17;
#endif
#if __STDC_VERSION__ >= 199901L
    v[k++] = 18;
#endif
}

//== redefine
//@ buffer b0 i32 4 range 1 9
//@ array b0 0 4
#include <rill/kernel.h>
#define A 1
#define A 1
#define B(x) x + 1
#define B(x) x + 1
#undef C
#define C A
#undef A
#define A 7
kernel void run(int v[4])
{
    for (int i = 0; i < 4; i++) v[i] += A * 100 + C * 10 + B(i);
#undef A
#define A(x) x
    int A = 5;
    v[0] += A + A(2);
}

//== hash_args
//@ buffer b0 i32 8 range 1 9
//@ array b0 0 8
#include <rill/kernel.h>
#define M(a, b) a b
#define PARENS(x) x
#define COMMA ,
#define CALL(f, args) f args
static int add(int a, int b) { return a + b; }
kernel void run(int v[8])
{
    for (int i = 0; i < 8; i++) {
        int w M(=, add(v[i] COMMA 3)) PARENS(;)
        v[i] = CALL(add, (w, i)) M(, ) + PARENS((1, 2));
    }
}

//== trigraph_digraph
//@ buffer b0 i32 8 range 1 9
//@ array b0 0 8
#include <rill/kernel.h>
%:define N 8
%:define J(a, b) a %:%: b
kernel void run(int v<:N:>)
<%
    for (int i = 0; i < N; i++) <% J(v, )<:i:> += J(1, 2); %>
%>

//== splice
//@ buffer b0 i32 8 range 1 9
//@ array b0 0 8
#include <rill/kernel.h>
#def\
ine LONG_\
NAME 4\
2
kernel vo\
id run(int v[8])
{
    // a comment that goes on \
    v[0] = 1000;
    for (int i = 0; i < 8; i++) v[i] +\
= LONG_NAME; /\
* gone *\
/
}

//== xmacro
//@ buffer b0 i32 8 range 0 3
//@ array b0 0 8
#include <rill/kernel.h>
#define LIST(X) X(RED, 3) X(GREEN, 5) X(BLUE, 7) X(NONE, 0)
enum colour {
#define X(n, v) n,
    LIST(X)
#undef X
    COLOUR_COUNT
};
static const int values[] = {
#define X(n, v) [n] = v,
    LIST(X)
#undef X
};
#define X(n, v) static int is_##n(int x) { return x == n ? v : -1; }
LIST(X)
#undef X
kernel void run(int a[8])
{
    for (int i = 0; i < 8; i++) {
        switch (a[i]) {
#define X(n, v) case n: a[i] = values[n] * 10 + is_##n(n) + COLOUR_COUNT; break;
        LIST(X)
#undef X
        }
    }
}

//== pragma_op
//@ buffer b0 i32 100 range 0 9
//@ int 100
//@ array b0 0 100
#include <rill/kernel.h>
#define SERIAL _Pragma("rill serial")
#define PAR _Pragma("rill parallel")
kernel void run(int n, int a[n])
{
    PAR
    for (int i = 0; i < n; i++) a[i] += 2;
    SERIAL for (int i = 0; i < n; i++) a[i] *= 2;
}

//== define_in_args
//@ buffer b0 i32 4 range 1 9
//@ array b0 0 4
#include <rill/kernel.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MAX3(a, b, c) MAX(MAX(a, b), c)
#define SWAP(t, a, b) do { t tmp_ = a; a = b; b = tmp_; } while (0)
kernel void run(int v[4])
{
    for (int i = 0; i < 4; i++) {
        int p = v[i], q = MAX3(i, p, MAX3(1, 2, 3));
        if (p > 3) SWAP(int, p, q);
        else SWAP(int, q, p);
        v[i] = p * 100 + q;
    }
}

//== counter_like
//@ buffer b0 i32 4 range 1 9
//@ array b0 0 4
#include <rill/kernel.h>
#define UNIQ2(a, b) a ## b
#define UNIQ1(a, b) UNIQ2(a, b)
#define UNIQ(n) UNIQ1(n, __LINE__)
kernel void run(int v[4])
{
    int UNIQ(t) = 1;
    int UNIQ(t) = 2;
    for (int UNIQ(i) = 0, k = 0; k < 1; k++) v[0] += UNIQ(i);
    _Static_assert(1, "x");
    v[1] += 3;
}

//== include_std_twice
//@ buffer b0 f32 4 range 1 9
//@ array b0 0 4
#include <rill/kernel.h>
#include <math.h>
#include <math.h>
#include <stdint.h>
#include <limits.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <stddef.h>
#include <inttypes.h>
#include <tgmath.h>
#define INC <stdbool.h>
#include INC
kernel void run(float v[4])
{
    for (int i = 0; i < 4; i++) {
        bool b = v[i] > 3;
        v[i] = b ? fabsf(v[i]) + CHAR_BIT + (float)(INT_MAX % 7) + FLT_DIG : sqrt(v[i]) ;
    }
}

//== defined_macro
//@ buffer b0 i32 4 range 1 9
//@ array b0 0 4
#include <rill/kernel.h>
#define HAVE defined FEATURE
#define FEATURE 1
#if HAVE && FEATURE
#define R 5
#else
#define R 6
#endif
#if defined FEATURE && (defined(NOPE) || FEATURE == 1) && !defined NOPE
#define S 7
#endif
kernel void run(int v[4]) { for (int i = 0; i < 4; i++) v[i] += R * 10 + S; }

//== gnu_comma
//@ buffer b0 i32 4 range 1 9
//@ array b0 0 4
#include <rill/kernel.h>
#define CALL(f, ...) f(0, ##__VA_ARGS__)
static int one(int a) { return a + 1; }
static int two(int a, int b) { return a + 2 * b; }
kernel void run(int v[4]) { for (int i = 0; i < 4; i++) v[i] += CALL(one) + CALL(two, i); }
