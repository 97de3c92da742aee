#include <rill/kernel.h>
#include <float.h>
#include <limits.h>

kernel long classification(long seed, long out[64], double real[64])
{
    double values[] = {0.0, -0.0, 1.0, -2.5, INFINITY, -INFINITY, NAN, DBL_MIN / 4, 1e300, (double)seed};
    for (int i = 0; i < 10; i++) {
        double x = values[i];
        float f = (float)x;
        out[i] = !!isnan(x) + 2 * !!isinf(x) + 4 * !!isfinite(x) + 8 * !!isnormal(x) + 16 * !!signbit(x) +
                 32 * !!isnan(f) + 64 * !!isinf(f) + 128 * !!signbit(f);
        out[10 + i] = fpclassify(x) == FP_NAN ? 1 : fpclassify(x) == FP_ZERO ? 2 : fpclassify(x) == FP_SUBNORMAL ? 3 : fpclassify(x) == FP_INFINITE ? 4 : 5;
        out[20 + i] = (x < 1) + 2 * (x <= 1) + 4 * (x > 1) + 8 * (x >= 1) + 16 * (x == 1) + 32 * (x != 1) + 64 * !(x < 1);
        if (!isnan(x)) real[i] = fmin(x, 0.5) + fmax(x, 0.25);
        if (!isnan(x)) real[10 + i] = copysign(1.0, x);
    }
    return 0;
}

kernel long rounding(long seed, long out[64], double real[64])
{
    double x = (double)(seed % 1000) / 4;
    float f = (float)x;
    real[0] = floor(x); real[1] = ceil(x); real[2] = trunc(x); real[3] = round(x); real[4] = rint(x);
    real[5] = floorf(f); real[6] = sqrt(fabs(x)); real[7] = sqrtf(fabsf(f)); real[8] = fma(x, x, 1.0);
    real[9] = fmaf(f, f, -1.0f); real[10] = fdim(x, 1.0); real[11] = fmod(x, 0.75);
    out[0] = lrint(x); out[1] = lround(x); out[2] = llrintf(f);
    double whole;
    real[12] = modf(x, &whole);
    real[13] = whole;
    int e;
    real[14] = frexp(x, &e);
    out[3] = e;
    real[15] = ldexp(x, 3);
    real[16] = scalbn(x, -2);
    int q;
    real[17] = remquo(x, 0.7, &q);
    out[4] = q & 7;
    real[18] = remainder(x, 0.7);
    out[5] = ilogb(3.0 + fabs(x));
    real[19] = logb(3.0 + fabs(x));
    real[20] = nextafter(x, 1e9);
    return 0;
}

kernel long atomics(long seed, long out[64], double real[64])
{
    out[0] = rill_atomic_add(&out[1], seed);
    out[2] = rill_atomic_sub(&out[1], 3);
    out[3] = rill_atomic_max(&out[1], 10);
    out[4] = rill_atomic_min(&out[1], 8);
    out[5] = rill_atomic_exchange(&out[1], 7);
    out[6] = rill_atomic_cas(&out[1], 7, 9);
    out[7] = rill_atomic_cas(&out[1], 7, 10);
    out[8] = rill_atomic_or(&out[1], 6);
    out[9] = rill_atomic_and(&out[1], 12);
    out[10] = rill_atomic_xor(&out[1], 5);
    out[11] = rill_atomic_mul(&out[1], 3);
    real[0] = rill_atomic_add(&real[1], 1.5);
    real[2] = rill_atomic_max(&real[1], 0.5);
    unsigned char c = 250;
    out[12] = rill_atomic_add(&c, 10);
    out[13] = c;
    return out[1];
}

kernel long numbers(long seed, long out[64], double real[64])
{
    for (int i = 0; i < 20; i++) {
        out[i] = rill_random_u32((uint64_t)seed, (uint64_t)i);
        real[i] = rill_random_f32((uint64_t)seed, (uint64_t)i);
        real[20 + i] = rill_random_f64((uint64_t)i, (uint64_t)seed);
        real[40 + i] = rill_random_normal_f32((uint64_t)seed, (uint64_t)i);
    }
    out[20] = INT_MAX;
    real[60] = M_PI;
    real[61] = FLT_EPSILON;
    return 0;
}
