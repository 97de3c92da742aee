// Compares the built-in <math.h>'s own functions with the C library's on the values where they could go wrong.
#include <math.h>
#include <stdio.h>
#include <string.h>

double own_modf(double x, double *whole);
float own_modff(float x, float *whole);
long own_lround(double x);
long own_lroundf(float x);
long own_lrint(double x);
long own_lrintf(float x);
double own_scalbln(double x, long n);
float own_scalblnf(float x, long n);
int own_fpclassify(double x);
int own_fpclassifyf(float x);
int own_isnormal(double x);
int own_isnormalf(float x);
int own_isfinite(double x);
int own_isinff(float x);
int own_isnan(double x);
int own_signbit(double x);
int own_signbitf(float x);
int own_islessgreater(double x, double y);
int own_isunordered(double x, double y);

static int bad;

static void check(int holds, const char *what, double x)
{
    if (!holds) {
        printf("%s of %a\n", what, x);
        bad = 1;
    }
}

static int same(double a, double b)
{
    return (isnan(a) && isnan(b) && !signbit(a) == !signbit(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static int kind_of(int kind)
{
    return kind == FP_NAN ? 0 : kind == FP_INFINITE ? 1 : kind == FP_ZERO ? 2 : kind == FP_SUBNORMAL ? 3 : 4;
}

static void check_value(double x)
{
    static const long scales[] = {0, 1, -1, 100, -1000, 1000, -3000, 5000, 1L << 40, -(1L << 40)};
    float f = (float)x, own_f, f_whole;
    double own, whole;
    check(same(own_modf(x, &own), modf(x, &whole)) && same(own, whole), "modf", x);
    check(same((double)own_modff(f, &own_f), (double)modff(f, &f_whole)) && same((double)own_f, (double)f_whole),
          "modff", x);
    if (fabs(x) < 0x1p62) {
        check(own_lround(x) == lround(x) && own_lroundf(f) == lroundf(f), "lround", x);
        check(own_lrint(x) == lrint(x) && own_lrintf(f) == lrintf(f), "lrint", x);
    }
    for (int i = 0; i < 10; i++) {
        check(same(own_scalbln(x, scales[i]), scalbln(x, scales[i])), "scalbln", x);
        check(same((double)own_scalblnf(f, scales[i]), (double)scalblnf(f, scales[i])), "scalblnf", x);
    }
    check(own_fpclassify(x) == kind_of(fpclassify(x)) && own_fpclassifyf(f) == kind_of(fpclassify(f)), "fpclassify", x);
    check(!own_isnormal(x) == !isnormal(x) && !own_isnormalf(f) == !isnormal(f), "isnormal", x);
    check(!own_isfinite(x) == !isfinite(x), "isfinite", x);
    check(!own_isinff(f) == !isinf(f), "isinf", x);
    check(!own_isnan(x) == !isnan(x), "isnan", x);
    check(!own_signbit(x) == !signbit(x) && !own_signbitf(f) == !signbit(f), "signbit", x);
}

int main(void)
{
    static const double values[] = {0.0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -2.5,
                                    1e300,
                                    -1e300,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    -NAN,
                                    5e-324,
                                    -1e-310,
                                    1e-40,
                                    1e-30,
                                    3.999999,
                                    1e15 + 0.5,
                                    4503599627370497.5,
                                    0.49999999999999994,
                                    -8388609.5};
    int count = sizeof values / sizeof *values;
    for (int i = 0; i < count; i++) {
        check_value(values[i]);
        for (int j = 0; j < count; j++) {
            check(!own_islessgreater(values[i], values[j]) == !islessgreater(values[i], values[j]), "islessgreater",
                  values[i]);
            check(!own_isunordered(values[i], values[j]) == !isunordered(values[i], values[j]), "isunordered",
                  values[i]);
        }
    }
    return bad;
}
