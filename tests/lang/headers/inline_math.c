// What the built-in <math.h> defines itself, made visible to inline_math_main.c, which has the C library's.
#define __rill_nan__ __builtin_nanf("")
#define __rill_inf__ __builtin_inff()
#include "../../../src/lang/include/math.h"

double own_modf(double x, double *whole)
{
    return modf(x, whole);
}
float own_modff(float x, float *whole)
{
    return modff(x, whole);
}
long own_lround(double x)
{
    return lround(x);
}
long own_lroundf(float x)
{
    return lroundf(x);
}
long own_lrint(double x)
{
    return lrint(x);
}
long own_lrintf(float x)
{
    return lrintf(x);
}
double own_scalbln(double x, long n)
{
    return scalbln(x, n);
}
float own_scalblnf(float x, long n)
{
    return scalblnf(x, n);
}
int own_fpclassify(double x)
{
    return fpclassify(x);
}
int own_fpclassifyf(float x)
{
    return fpclassify(x);
}
int own_isnormal(double x)
{
    return isnormal(x);
}
int own_isnormalf(float x)
{
    return isnormal(x);
}
int own_isfinite(double x)
{
    return isfinite(x);
}
int own_isinff(float x)
{
    return isinf(x);
}
int own_isnan(double x)
{
    return isnan(x);
}
int own_signbit(double x)
{
    return signbit(x);
}
int own_signbitf(float x)
{
    return signbit(x);
}
int own_islessgreater(double x, double y)
{
    return islessgreater(x, y);
}
int own_isunordered(double x, double y)
{
    return isunordered(x, y);
}
