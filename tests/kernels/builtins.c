// GNU C's built-in functions: bits, overflow, hints, and the library by its other names.
#include <rill/kernel.h>
#include <stdint.h>
#include <string.h>

// What C leaves open, and Rill does not: zeros of 0.
#ifdef __RILL__
#define CLZ(x) __builtin_clz(x)
#define CTZ(x) __builtin_ctz(x)
#define CLZLL(x) __builtin_clzll(x)
#define CTZLL(x) __builtin_ctzll(x)
#define REVERSE8(x) __builtin_bitreverse8(x)
#define REVERSE16(x) __builtin_bitreverse16(x)
#define REVERSE32(x) __builtin_bitreverse32(x)
#define REVERSE64(x) __builtin_bitreverse64(x)
#else
static uint64_t reversed(uint64_t x, int width)
{
    uint64_t r = 0;
    for (int i = 0; i < width; i++) {
        r |= (x >> i & 1) << (width - 1 - i);
    }
    return r;
}
#define CLZ(x) ((x) == 0 ? 32 : __builtin_clz(x))
#define CTZ(x) ((x) == 0 ? 32 : __builtin_ctz(x))
#define CLZLL(x) ((x) == 0 ? 64 : __builtin_clzll(x))
#define CTZLL(x) ((x) == 0 ? 64 : __builtin_ctzll(x))
#define REVERSE8(x) (uint8_t)reversed((uint8_t)(x), 8)
#define REVERSE16(x) (uint16_t)reversed((uint16_t)(x), 16)
#define REVERSE32(x) (uint32_t)reversed((uint32_t)(x), 32)
#define REVERSE64(x) reversed(x, 64)
#endif

// run: counts n=400 wild
kernel void counts(int n, const uint32_t a[n], const uint64_t b[n], int out[n][12])
{
    for (int i = 0; i < n; i++) {
        uint32_t x = i == 7 ? 0 : a[i];
        uint64_t y = i == 9 ? 0 : b[i];
        out[i][0] = __builtin_popcount(x) + 100 * __builtin_popcountl(y);
        out[i][1] = __builtin_popcountll(y & x);
        out[i][2] = CLZ(x) + 100 * CLZLL(y);
        out[i][3] = CTZ(x) + 100 * CTZLL(y);
        out[i][4] = __builtin_ffs((int)x) + 100 * __builtin_ffsll((long long)y);
        out[i][5] = __builtin_ffsl((long)(y << 20));
        out[i][6] = __builtin_parity(x) + 2 * __builtin_parityl(y) + 4 * __builtin_parityll(y >> 3);
        out[i][7] = __builtin_clrsb((int)x) + 100 * __builtin_clrsbll((long long)y);
        out[i][8] = CLZ(x >> 31 >> 1) + CTZ(x << 31 << 1);
        out[i][9] = __builtin_clrsbl((long)(y >> 40)) + __builtin_popcount((unsigned char)x);
        out[i][10] = CLZLL((uint64_t)x | 1) + CTZLL((uint64_t)x << 32);
        out[i][11] = (int)sizeof(__builtin_popcountll(y)) + (int)sizeof(__builtin_bswap16(x));
    }
}

// run: turned n=300 wild
kernel void turned(int n, const uint64_t a[n], uint64_t out[n][7])
{
    for (int i = 0; i < n; i++) {
        out[i][0] = __builtin_bswap16(a[i]);
        out[i][1] = __builtin_bswap32(a[i]);
        out[i][2] = __builtin_bswap64(a[i]);
        out[i][3] = REVERSE8(a[i]);
        out[i][4] = REVERSE16(a[i]);
        out[i][5] = REVERSE32(a[i]);
        out[i][6] = REVERSE64(a[i]);
    }
}

// Constants where C wants constants.
enum { ONES = __builtin_popcount(0xf0f0), LOG = 31 - __builtin_clz(1024), LOW = __builtin_ctzll(1ull << 40) };
static const uint32_t swapped[__builtin_popcount(7)] = {__builtin_bswap32(0x01020304u), __builtin_bswap16(0x0102),
                                                        __builtin_ffs(0) + __builtin_parity(7)};
_Static_assert(__builtin_constant_p(3) && __builtin_constant_p("abc"), "constants");
_Static_assert(__builtin_types_compatible_p(int, const int) && !__builtin_types_compatible_p(int, long), "types");

// run: constants n=8
kernel void constants(int n, uint32_t out[n])
{
    for (int i = 0; i < n; i++) {
        uint32_t room[LOG];
        room[i % LOG] = swapped[i % 3] + ONES + LOW;
        out[i] = room[i % LOG] + (uint32_t)__builtin_constant_p(out[0]) +
                 (uint32_t)__builtin_choose_expr(sizeof(int) == 4, 1, "two");
    }
}

#define OVERFLOWS(A, B, R, x, y, at)                                                                                   \
    do {                                                                                                               \
        R r;                                                                                                           \
        out[i][at] = __builtin_add_overflow((A)(x), (B)(y), &r);                                                       \
        out[i][at] = out[i][at] * 31 + (long)r;                                                                        \
        out[i][at] = out[i][at] * 31 + __builtin_sub_overflow((A)(x), (B)(y), &r);                                     \
        out[i][at] = out[i][at] * 31 + (long)r;                                                                        \
        out[i][at] = out[i][at] * 31 + __builtin_mul_overflow((A)(x), (B)(y), &r);                                     \
        out[i][at] = out[i][at] * 31 + (long)r;                                                                        \
        out[i][at] = out[i][at] * 31 + __builtin_mul_overflow_p((A)(x), (B)(y), (R)0);                                 \
    } while (0)

static const uint64_t edges[] = {0,          1,           2,          0x7f,       0x80,
                                 0xff,       0x7fff,      0x8000,     0xffff,     0x7fffffff,
                                 0x80000000, 0xffffffff,  ~0ull >> 1, 1ull << 63, ~0ull,
                                 ~0ull << 1, ~0ull << 31, 1ull << 32, 3037000500, 0xfffffffeffffffff};
enum { EDGES = sizeof edges / sizeof *edges };

// run: overflows_narrow n=400
// run: overflows_wide n=400
kernel void overflows_narrow(int n, int64_t out[n][16])
{
    for (int i = 0; i < n; i++) {
        uint64_t x = edges[i % EDGES], y = edges[i / EDGES % EDGES];
        OVERFLOWS(int, int, int, x, y, 0);
        OVERFLOWS(int, int, unsigned, x, y, 1);
        OVERFLOWS(unsigned, int, int, x, y, 2);
        OVERFLOWS(unsigned, unsigned, int, x, y, 3);
        OVERFLOWS(unsigned, unsigned, unsigned, x, y, 4);
        OVERFLOWS(short, unsigned, signed char, x, y, 5);
        OVERFLOWS(unsigned char, char, unsigned short, x, y, 6);
        OVERFLOWS(char, unsigned, short, x, y, 7);
        OVERFLOWS(int, unsigned short, unsigned char, x, y, 8);
        OVERFLOWS(_Bool, int, char, x, y, 9);
        int r;
        unsigned u;
        out[i][10] = __builtin_sadd_overflow((int)x, (int)y, &r) + 2 * (long)r;
        out[i][11] = __builtin_ssub_overflow((int)x, (int)y, &r) + 2 * (long)r;
        out[i][12] = __builtin_smul_overflow((int)x, (int)y, &r) + 2 * (long)r;
        out[i][13] = __builtin_uadd_overflow((unsigned)x, (unsigned)y, &u) + 2 * (long)u;
        out[i][14] = __builtin_usub_overflow((unsigned)x, (unsigned)y, &u) + 2 * (long)u;
        out[i][15] = __builtin_umul_overflow((unsigned)x, (unsigned)y, &u) + 2 * (long)u;
    }
}

kernel void overflows_wide(int n, int64_t out[n][16])
{
    for (int i = 0; i < n; i++) {
        uint64_t x = edges[i % EDGES], y = edges[i / EDGES % EDGES];
        OVERFLOWS(int64_t, int64_t, int64_t, x, y, 0);
        OVERFLOWS(int64_t, int64_t, uint64_t, x, y, 1);
        OVERFLOWS(uint64_t, int64_t, int64_t, x, y, 2);
        OVERFLOWS(int64_t, uint64_t, uint64_t, x, y, 3);
        OVERFLOWS(uint64_t, uint64_t, uint64_t, x, y, 4);
        OVERFLOWS(uint64_t, uint64_t, int64_t, x, y, 5);
        OVERFLOWS(int, uint64_t, int64_t, x, y, 6);
        OVERFLOWS(uint64_t, int, int, x, y, 7);
        OVERFLOWS(int64_t, unsigned, unsigned short, x, y, 8);
        OVERFLOWS(int, int, int64_t, x, y, 9);
        OVERFLOWS(int, unsigned, uint64_t, x, y, 10);
        long long r;
        unsigned long u;
        out[i][11] = __builtin_saddll_overflow(x, y, &r) + 2 * r;
        out[i][12] = __builtin_smulll_overflow(x, y, &r) + 2 * r;
        out[i][13] = __builtin_uaddl_overflow(x, y, &u) + 2 * u;
        out[i][14] = __builtin_usubl_overflow(x, y, &u) + 2 * u;
        out[i][15] = __builtin_umull_overflow(x, y, &u) + 2 * u;
    }
}

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static int sign_of(int x)
{
    if (likely(x > 0)) {
        return 1;
    }
    if (unlikely(x == 0)) {
        return 0;
    }
    if (x < 0) {
        return -1;
    }
    __builtin_unreachable();
}

// A hint is neither in the way of a reduction nor of an update.
// run: hints n=500 wild
kernel int hints(int n, const int a[n], int out[n], int bins[8])
{
    int least = 0;
    for (int i = 0; i < n; i++) {
        const int *p = __builtin_assume_aligned(a, 4);
        __builtin_prefetch(&a[i]);
        out[i] = sign_of(p[i]) + (int)sizeof(__builtin_expect(1, 1)) + __builtin_abs(p[i] >> 1);
        if (unlikely(a[i] < least)) {
            least = a[i];
        }
        if (likely((a[i] & 1) != 0)) {
            bins[a[i] & 7]++;
        }
        if (__builtin_expect_with_probability(out[i] == 12345, 0, 0.9)) {
            __builtin_trap();
        }
    }
    return least;
}

// run: floats n=300 wild
kernel void floats(int n, const float a[n], const double b[n], float f[n][4], double d[n][4], int out[n])
{
    for (int i = 0; i < n; i++) {
        f[i][0] = __builtin_fabsf(a[i]);
        f[i][1] = __builtin_sqrtf(__builtin_fabsf(a[i]));
        f[i][2] = __builtin_copysignf(2.0f, a[i]) + __builtin_fmaf(a[i], 3.0f, -1.0f);
        f[i][3] = a[i] > 0 ? __builtin_inff() : __builtin_fminf(a[i], -1.0f);
        d[i][0] = __builtin_fabs(b[i]);
        d[i][1] = __builtin_sqrt(__builtin_fabs(b[i]));
        d[i][2] = __builtin_copysign(2.0, b[i]) + __builtin_fma(b[i], 3.0, -1.0) + __builtin_floor(b[i]);
        d[i][3] = b[i] > 0 ? -__builtin_huge_val() : __builtin_fmax(b[i], -1.0);
        out[i] = !!__builtin_isnan(a[i]) + 2 * !!__builtin_isinf(b[i]) + 4 * !!__builtin_isfinite(b[i]) +
                 8 * !!__builtin_signbit(a[i]) + 16 * !!__builtin_isnormal(a[i]) +
                 32 * !!__builtin_isunordered(a[i], b[i]) + 64 * !!__builtin_isnan(__builtin_nanf("")) +
                 128 * __builtin_isinf_sign(b[i]);
    }
}

// 1 / sqrt(x), two roundings, the same bits everywhere.
// run: inverse_roots n=300 wild
kernel void inverse_roots(int n, const float a[n], const double b[n], float f[n], double d[n])
{
    for (int i = 0; i < n; i++) {
        f[i] = rill_rsqrtf(a[i]);
        d[i] = rill_rsqrt(b[i]);
    }
}

// run: memory n=64 wild
kernel void memory(int n, const float a[n], uint32_t out[n])
{
    for (int i = 0; i < n; i++) {
        __builtin_memcpy(&out[i], &a[i], sizeof out[i]);
    }
}

// The trip count is a function of bits: found where the loop starts.
// run: bit_loops n=64 wild
kernel void bit_loops(int n, const uint32_t a[n], int out[n])
{
    for (int i = 0; i < __builtin_popcount((unsigned)n - 1) * 8; i++) {
        int sum = 0;
        for (uint32_t rest = a[i]; rest != 0; rest &= rest - 1) {
            sum = sum * 3 + __builtin_ctz(rest);
        }
        out[i] = sum;
    }
}
