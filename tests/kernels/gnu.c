// What GNU C adds to C: statement expressions, `?:` with two operands, __auto_type, steps of `void *`, and the rest
// that programs bring along.
#include <rill/kernel.h>

#define MAX(a, b)                                                                                                      \
    ({                                                                                                                 \
        __typeof__(a) a_ = (a);                                                                                        \
        __typeof__(b) b_ = (b);                                                                                        \
        a_ > b_ ? a_ : b_;                                                                                             \
    })
#define CLAMP(x, low, high)                                                                                            \
    MAX(low, ({                                                                                                        \
            __auto_type x_ = (x);                                                                                      \
            x_ < (high) ? x_ : (high);                                                                                 \
        }))
#ifdef __STRICT_ANSI__ // gcc -std=c99
#define TYPEOF(x) __typeof__(x)
#else
#define TYPEOF(x) typeof(x)
#endif
#define SWAP(a, b)                                                                                                     \
    do {                                                                                                               \
        TYPEOF(a) t_ = (a);                                                                                            \
        (a) = (b);                                                                                                     \
        (b) = t_;                                                                                                      \
    } while (0)

struct pair {
    int a, b;
};

static inline __attribute__((always_inline)) int next(int *counter)
{
    return (*counter)++;
}

// A macro that names its operands is still a reduction.
// run: largest n=1000 wild
kernel int largest(int n, const int a[n], int bins[4])
{
    int most = -1000;
    for (int i = 0; i < n; i++) {
        most = MAX(most, a[i]);
        bins[a[i] & 3] = MAX(bins[a[i] & 3], a[i] >> 4);
    }
    return most;
}

// The operands are evaluated once: one that has an effect keeps its name.
// run: once n=200 wild
kernel void once(int n, const int a[n], int out[n], int count[n])
{
    for (int i = 0; i < n; i++) {
        int c = 0;
        out[i] = MAX(next(&c), a[i]) + MAX(c++, 1) + CLAMP(a[i], -100, c + 50);
        out[i] += next(&c) ?: 7;
        out[i] += (a[i] & 1) ?: c;
        out[i] += c++ ?: 100;
        count[i] = c;
    }
}

// Statements with loops, blocks, switches and structs in them, wherever an expression may stand.
// run: statements n=300 wild
kernel void statements(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = ({
            int sum = 0;
            for (int k = 0; k < 8; k++) {
                if (k == (a[i] & 15)) {
                    break;
                }
                if (k == 2) {
                    continue;
                }
                sum += k * a[i];
            }
            sum;
        });
        out[i] += ({
                      struct pair p = {a[i], 2};
                      p.a ^= 5;
                      p;
                  }).a;
        if (a[i] > 0 && ({
                int q = out[i];
                q *= 3;
                q > 10;
            })) {
            out[i] -= 9;
        }
        switch (({
            int q = a[i] & 3;
            q++;
            q;
        })) {
        case 1 ... 2: out[i] += 1000; break;
        case 3:
            out[i] += ({
                int r;
                switch (a[i] & 12) {
                case 4: r = 1; break;
                default: r = 2;
                }
                r;
            });
            break;
        default: break;
        }
        ({ out[i]++; });
        ({ ; });
    }
}

// A bound that statements compute, and a body that writes what the bound reads inside one.
// run: bounds n=64
kernel void bounds(int n, int out[n])
{
    for (int i = 0; i < ({ int half = n; half /= 2; half; }); i++) {
        out[i] = i * i;
    }
    int end = n;
    for (int i = n / 2; i < end; i++) {
        out[i] = ({
            end -= i % 7 == 3;
            end;
        });
    }
}

// The bits of contraction: a name ends the expression.
// run: rounded n=200 wild
kernel void rounded(int n, const float a[n], float out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = ({
            float product = a[i] * 3.7f;
            product + 1.1f;
        });
    }
}

struct tail {
    int n;
    float rest[0];
};

// run: forms n=100 wild
kernel void forms(int n, const int a[n], int out[n])
{
    static const int table[16] = {[0 ... 7] = 0b101, [8 ... 14] = 9};
    for (int i = 0; i < n; i++) {
        int u = a[i], v = i;
        SWAP(u, v);
        struct pair p = {a : u, b : v};
        const void *bytes = a;
        bytes += sizeof *a * (unsigned)i;
        const void *first = a;
        __asm__ volatile("" ::: "memory");
        out[i] = p.a + 3 * p.b + table[a[i] & 15] + *(const int *)bytes + (int)(bytes - first) + (int)sizeof(void) +
                 (int)sizeof(struct tail) + __PRETTY_FUNCTION__[0] + __extension__ __alignof__(double);
    }
}

static const int TAPS = 5;

// Lengths that are const and known make arrays of fixed length.
// run: lengths n=60 wild
kernel void lengths(int n, const int a[n], int out[n])
{
    const int half = TAPS / 2, width = 2 * half + 1;
    for (int i = 0; i < n; i++) {
        const unsigned char more = 3;
        int window[width], pairs[half + more][2];
        for (int k = 0; k < width; k++) {
            int at = i + k - half;
            window[k] = at < 0 || at >= n ? 0 : a[at];
            pairs[k % (half + more)][k & 1] = window[k];
        }
        int sum = (int)(sizeof window + sizeof pairs);
        for (int k = 0; k < TAPS; k++) {
            sum = sum * 3 + window[k] - pairs[k][k & 1];
        }
        out[i] = sum;
    }
}

static void store(int *to, int value)
{
    *to = value;
}

static void store_twice(int *to, int value)
{
    return store(to, 2 * value);
}

// run: returns n=50 wild
kernel void returns(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        store_twice(&out[i], a[i]);
    }
}

static int *counted(int *count, int *place)
{
    ++*count;
    return place;
}

// An empty asm statement hides values from a compiler: an output has the value of the input in its place.
// run: hidden n=100 wild
kernel void hidden(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int u = a[i], v = i, count = 0, named = 0;
        long wide;
        __asm__("" : "=r"(u), "=r"(v) : "0"(v), "1"(u)); // both are read first
        __asm__ volatile("" : "+r"(*counted(&count, &u)) : : "memory");
        __asm__("" : [result] "=r"(named) : [other] "r"(u), "[result]"(count + 10) : "cc");
        __asm__ volatile("" : : "r"(v++));
        __asm__("" : "=r"(wide) : "0"((long)a[i]));
        out[i] = u + 3 * v + 100 * count + 1000 * named + (int)(wide >> 1);
    }
}

static int set_bits(int *x, int value)
{
    *x |= 128;
    return value;
}

static float moved(float *x, float by)
{
    *x *= 2;
    return by;
}

// A call in the operand of an update comes before all of it, its reading of the place too.
// run: called_first n=100 wild
kernel void called_first(int n, const int a[n], int out[n], float f[n])
{
    for (int i = 0; i < n; i++) {
        int x = a[i] & 15;
        struct {
            int low : 9, high : 12;
        } bits = {x, x};
        float y = (float)(a[i] & 1023);
        x |= set_bits(&x, 1);
        x += set_bits(&x, 3) * 5;
        bits.low += set_bits(&x, 2);
        y += moved(&y, 0.5f);
        y -= moved(&y, 0.25f) * moved(&y, 3.0f);
        out[i] = x + 1024 * bits.low;
        f[i] = y;
    }
}

// Functions of math.h by their built-in names, without the header's help.
// run: builtin_math n=100 wild
kernel void builtin_math(int n, const float x[n], float out[n], double wide[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = __builtin_fabsf(x[i]) + __builtin_copysignf(2.0f, x[i]) + __builtin_floorf(x[i]);
        wide[i] = __builtin_sqrt(__builtin_fabs(x[i])) + __builtin_fmax(x[i], 0) + __alignof__(void) +
                  __alignof__(builtin_math);
    }
}

typedef int small_int __attribute__((mode(QI)));
typedef unsigned wide_int __attribute__((__mode__(__DI__)));
typedef float wide_float __attribute__((mode(DF)));

struct modes {
    int a __attribute__((mode(HI)));
    unsigned b __attribute__((mode(byte)));
};

// Machine modes, and the macros of types and their limits.
// run: modes n=100 wild
kernel void modes(int n, const int a[n], long out[n])
{
    for (int i = 0; i < n; i++) {
        small_int s = a[i];
        wide_int w = a[i];
        wide_float f = a[i] * 0.1;
        struct modes m = {a[i], a[i]};
        int half __attribute__((mode(HI))) = a[i];
        __INT_LEAST16_TYPE__ least = a[i];
        __UINT_FAST16_TYPE__ fast = a[i];
        out[i] = s + (long)(w >> 3) + (long)(f * 1e6) + m.a * m.b + half + least + (long)(fast / 3);
        out[i] +=
            sizeof m + __INT64_C(3) + __UINT_LEAST8_MAX__ + (__INT_FAST32_WIDTH__ == sizeof(__INT_FAST32_TYPE__) * 8);
        out[i] += __builtin_isinff(f) + __builtin_isnanf(f) + __builtin_finite(f);
    }
}

// Extents that are declared in a statement expression.
// run: extents_inside n=30 m=4 wild
kernel void extents_inside(int n, int m, const int a[n][m], int out[n][4])
{
    for (int i = 1; i < n; i++) {
        out[i][0] = ({
            int k = m;
            int(*rows)[k] = (int(*)[k])a;
            rows[i][1];
        });
        out[i][1] = ({
            int k = m;
            __auto_type rows = (const int(*)[k])a;
            rows[i][2];
        });
        out[i][2] = ({
            int k = m - 1;
            ((const int(*)[k])a)[i][0];
        });
        out[i][3] = ({
                        int k = m;
                        (int)sizeof(int[k]);
                    }) +
                    ({ (const int(*)[m]) a; })[i][3];
    }
}
