// tgamma and lgamma of doubles; floats go through them. Between 2 and 3, and near the zeros of lgamma at 1 and 2, they
// are polynomials (fitted by tools/fit-gamma); elsewhere the recurrence, Stirling's series or the reflection leads
// there.
#include "codegen/library/double.h"

double library_exp(double x) __asm__("_Z3expd"); // libclc's
double library_log(double x) __asm__("_Z3logd");
double library_pow(double x, double y) __asm__("_Z3powdd");
double library_sin(double x) __asm__("_Z3sind");

#define PI 0x1.921fb54442d18p+1
#define MANY 12.0 // from here on Stirling's series

// ---- polynomials
// ------------------------------------------------------------------------------------------------------------------

// gamma(2.5 + u), |u| up to 1/2.
INLINE double gamma_between(double u)
{
    double p = -0x1.61678760e530bp-24;
    p = __builtin_fma(p, u, 0x1.ba42dbab2658fp-23);
    p = __builtin_fma(p, u, -0x1.c189aebb2619bp-22);
    p = __builtin_fma(p, u, 0x1.1e01a1e36520ap-20);
    p = __builtin_fma(p, u, -0x1.57dc4d9963c13p-19);
    p = __builtin_fma(p, u, 0x1.e716924cc6e9dp-18);
    p = __builtin_fma(p, u, -0x1.ad8b2d371d88ep-17);
    p = __builtin_fma(p, u, 0x1.013bdfc057f7bp-14);
    p = __builtin_fma(p, u, 0x1.0886fa7157a6ep-18);
    p = __builtin_fma(p, u, 0x1.8b8fcf944edc5p-11);
    p = __builtin_fma(p, u, 0x1.a55ed2133d31ep-10);
    p = __builtin_fma(p, u, 0x1.5489cc6a2c406p-7);
    p = __builtin_fma(p, u, 0x1.d0a9bc49334e7p-6);
    p = __builtin_fma(p, u, 0x1.c138b89493ef9p-4);
    p = __builtin_fma(p, u, 0x1.03f6d2fa4f4fdp-2);
    p = __builtin_fma(p, u, 0x1.4f224d4b7e016p-1);
    p = __builtin_fma(p, u, 0x1.de9585f1a7093p-1);
    p = __builtin_fma(p, u, 0x1.544fa6d47b390p+0);
    return p;
}

// gamma(1/v) / ((1/v)^(1/v - 1/2) e^(-1/v)), v up to 1/12.
INLINE double gamma_factor(double v)
{
    double p = 0x1.408ff7415b93ap-11;
    p = __builtin_fma(p, v, -0x1.a26bd95ccb768p-10);
    p = __builtin_fma(p, v, 0x1.81e2f0146a72ep-13);
    p = __builtin_fma(p, v, 0x1.01895da13bafcp-9);
    p = __builtin_fma(p, v, -0x1.2d907d6c9db89p-11);
    p = __builtin_fma(p, v, -0x1.b87930a98ef1cp-8);
    p = __builtin_fma(p, v, 0x1.1d32d71ccfa27p-7);
    p = __builtin_fma(p, v, 0x1.abcc42a9d88a2p-3);
    p = __builtin_fma(p, v, 0x1.40d931ff62706p+1);
    return p;
}

// What Stirling's formula for lgamma(1/v) lacks, divided by v; z = v^2.
INLINE double log_gamma_rest(double z)
{
    double p = -0x1.d5a2c8180fe46p-10;
    p = __builtin_fma(p, z, 0x1.b8d03cffbb4eep-11);
    p = __builtin_fma(p, z, -0x1.38130ac360d5cp-11);
    p = __builtin_fma(p, z, 0x1.a01a016ef901fp-11);
    p = __builtin_fma(p, z, -0x1.6c16c16c14e36p-9);
    p = __builtin_fma(p, z, 0x1.5555555555555p-4);
    return p;
}

// lgamma(1 + t) / t, t from -1/4 to 1/2; u = t - 1/8.
INLINE double log_gamma_at_one(double u)
{
    double p = -0x1.008137519e89ep-7;
    p = __builtin_fma(p, u, 0x1.2e33c0d0002f8p-7);
    p = __builtin_fma(p, u, -0x1.4ef2480cd8f3bp-8);
    p = __builtin_fma(p, u, 0x1.8e9fcf486145cp-8);
    p = __builtin_fma(p, u, -0x1.29e6efaa00b83p-7);
    p = __builtin_fma(p, u, 0x1.63ccca40982c5p-7);
    p = __builtin_fma(p, u, -0x1.9ff9a69c9da54p-7);
    p = __builtin_fma(p, u, 0x1.f532c3868baa6p-7);
    p = __builtin_fma(p, u, -0x1.300fac479a029p-6);
    p = __builtin_fma(p, u, 0x1.7267f900d6bf8p-6);
    p = __builtin_fma(p, u, -0x1.c661f987c1322p-6);
    p = __builtin_fma(p, u, 0x1.191d2cc162184p-5);
    p = __builtin_fma(p, u, -0x1.5f8aa1a50ebbcp-5);
    p = __builtin_fma(p, u, 0x1.bda1a59a609b7p-5);
    p = __builtin_fma(p, u, -0x1.1fa50b2c268ecp-4);
    p = __builtin_fma(p, u, 0x1.7d0a946993e9ap-4);
    p = __builtin_fma(p, u, -0x1.067ff1215ef9cp-3);
    p = __builtin_fma(p, u, 0x1.82625d02b974ep-3);
    p = __builtin_fma(p, u, -0x1.4362a8b2fc308p-2);
    p = __builtin_fma(p, u, 0x1.7792e12fe4dc8p-1);
    p = __builtin_fma(p, u, -0x1.ebb5bd9a570d1p-2);
    return p;
}

// lgamma(2 + t) / t, |t| up to 1/2.
INLINE double log_gamma_at_two(double t)
{
    double p = 0x1.2703c6effc4ebp-22;
    p = __builtin_fma(p, t, -0x1.37fd97eeee99dp-21);
    p = __builtin_fma(p, t, 0x1.f038cb2f6a913p-21);
    p = __builtin_fma(p, t, -0x1.08fccc794a9c7p-19);
    p = __builtin_fma(p, t, 0x1.2620de1c78d97p-18);
    p = __builtin_fma(p, t, -0x1.3d4ce65b1d70bp-17);
    p = __builtin_fma(p, t, 0x1.5808af19fa483p-16);
    p = __builtin_fma(p, t, -0x1.78d8f868f383fp-15);
    p = __builtin_fma(p, t, 0x1.a127cd91ac95bp-14);
    p = __builtin_fma(p, t, -0x1.d3fd6a9087d23p-13);
    p = __builtin_fma(p, t, 0x1.0b36af5972ed1p-11);
    p = __builtin_fma(p, t, -0x1.38ac5bfce42c1p-10);
    p = __builtin_fma(p, t, 0x1.7add6eadfcc7bp-9);
    p = __builtin_fma(p, t, -0x1.e404fc21d8fe7p-8);
    p = __builtin_fma(p, t, 0x1.51322ac7d8333p-6);
    p = __builtin_fma(p, t, -0x1.13e001a557555p-4);
    p = __builtin_fma(p, t, 0x1.4a34cc4a60fa6p-2);
    p = __builtin_fma(p, t, 0x1.b0ee6072093cep-2);
    return p;
}

// ---- what both need
// ----------------------------------------------------------------------------------------------------------------

INLINE bool is_integer(double x)
{
    return __builtin_floor(x) == x;
}

// |sin(pi y)| for y > 0. What is taken off is exact.
INLINE double sine_of_half_turns(double y)
{
    double f = y - __builtin_floor(y);
    return library_sin(PI * (f > 0.5 ? 1.0 - f : f));
}

// ---- tgamma
// ------------------------------------------------------------------------------------------------------------------------

// gamma(y), 0 < y < MANY. The product of the factors keeps what its roundings lose.
static double near_gamma(double y)
{
    double whole = __builtin_floor(y);
    double t = y - whole;
    double value = gamma_between(t - 0.5);
    if (whole == 0.0) { // gamma(y + 2) / (y (y + 1))
        double next = y + 1.0;
        double product = y * next;
        double low = __builtin_fma(y, next, -product) + y * (y - (next - 1.0));
        double quotient = value / product;
        return product == 0.0 || quotient == __builtin_inf() ? quotient
                                                             : __builtin_fma(-quotient, low / product, quotient);
    }
    if (whole == 1.0) {
        return value / y;
    }
    double product = 1.0;
    double low = 0.0;
    for (double i = 2.0; i < whole; i += 1.0) {
        double factor = t + i; // exact: y less an integer
        double next = product * factor;
        low = __builtin_fma(product, factor, -next) + low * factor;
        product = next;
    }
    double high = value * product;
    return high + __builtin_fma(value, low, __builtin_fma(value, product, -high));
}

// The power in Stirling's formula overflows before the result does: it is the square of this.
INLINE double root_of_power(double y)
{
    return library_pow(y, 0.5 * y - 0.25);
}

static double negative_gamma(double y) // gamma(-y), y no integer
{
    double sign = __builtin_floor(y * 0.5) * 2.0 == __builtin_floor(y) ? -1.0 : 1.0;
    double part = sign * PI / (y * sine_of_half_turns(y));
    if (y < MANY) {
        return part / near_gamma(y);
    }
    if (y > 190.0) {
        return sign * 0.0;
    }
    double root = root_of_power(y);
    return part / gamma_factor(1.0 / y) / (root * library_exp(-y)) / root;
}

double rill_f64_tgamma(double x)
{
    if (x != x || x == __builtin_inf()) {
        return x + x;
    }
    if (x == 0.0) {
        return __builtin_copysign(__builtin_inf(), x);
    }
    if (x < 0.0) {
        double size = -x;
        return is_integer(size) ? __builtin_nan("") : size < 0x1p-60 ? 1.0 / x : negative_gamma(size);
    }
    if (x < MANY) {
        return x < 0x1p-60 ? 1.0 / x : near_gamma(x);
    }
    if (x > 172.0) {
        return __builtin_inf();
    }
    double root = root_of_power(x);
    return root * library_exp(-x) * (root * gamma_factor(1.0 / x));
}

// ---- lgamma
// ------------------------------------------------------------------------------------------------------------------------

static double positive_log_gamma(double y)
{
    if (y >= MANY) {
        double v = 1.0 / y;
        double rest = __builtin_fma(log_gamma_rest(v * v), v, 0x1.acfe390c97d69p-2); // log(2 pi) / 2 - 1/2
        return y > 0x1p60 ? y * (library_log(y) - 1.0) : __builtin_fma(y - 0.5, library_log(y) - 1.0, rest);
    }
    if (y < 0.75) {
        double next = y < 0.5 ? y * log_gamma_at_one(y - 0.125) : (y - 1.0) * log_gamma_at_two(y - 1.0);
        return next - library_log(y);
    }
    if (y < 1.5) {
        return (y - 1.0) * log_gamma_at_one(y - 1.125) + 0.0; // lgamma(1) is +0
    }
    double product = 1.0;
    while (y >= 2.5) {
        y -= 1.0;
        product *= y;
    }
    double value = (y - 2.0) * log_gamma_at_two(y - 2.0);
    return product == 1.0 ? value : value + library_log(product);
}

// Near the zeros between negative integers the two terms cancel: there the error is some ulps of the terms.
double rill_f64_lgamma(double x)
{
    if (x != x) {
        return x;
    }
    double size = size_of_double(x);
    if (size == __builtin_inf() || (x <= 0.0 && is_integer(size))) {
        return __builtin_inf();
    }
    if (size < 0x1p-60) {
        return -library_log(size);
    }
    if (x > 0.0) {
        return positive_log_gamma(x);
    }
    return library_log(PI / (size * sine_of_half_turns(size))) - positive_log_gamma(size);
}
