// Math calls: within a few units in the last place of the C library's, relative to the largest value of the array.
#include <rill/kernel.h>
#include <tgmath.h>

// run: trigonometry n=2000 ~ 4e-7
kernel void trigonometry(int n, const float a[n], float b[6][n])
{
    for (int i = 0; i < n; i++) {
        float x = a[i] * 0.25f - 2;
        b[0][i] = sinf(x);
        b[1][i] = cosf(x);
        b[2][i] = atanf(x);
        b[3][i] = asinf(sinf(x) * 0.9f);
        b[4][i] = acosf(cosf(x) * 0.9f);
        b[5][i] = atan2f(x, a[i] - 10);
    }
}

// run: trigonometry_double n=2000 ~ 1e-15
kernel void trigonometry_double(int n, const double a[n], double b[6][n])
{
    for (int i = 0; i < n; i++) {
        double x = a[i] * 0.25 - 2;
        b[0][i] = sin(x);
        b[1][i] = cos(x);
        b[2][i] = atan(x);
        b[3][i] = asin(sin(x) * 0.9);
        b[4][i] = acos(cos(x) * 0.9);
        b[5][i] = atan2(x, a[i] - 10);
    }
}

// run: exponentials n=2000 ~ 5e-7
kernel void exponentials(int n, const float a[n], float b[5][n])
{
    for (int i = 0; i < n; i++) {
        float x = a[i] * 0.1f - 1;
        b[0][i] = expf(x) * 0.05f;
        b[1][i] = exp2f(x) * 0.5f;
        b[2][i] = expm1f(x * 0.1f);
        b[3][i] = tanhf(x);
        b[4][i] = powf(a[i], 0.75f);
    }
}

// run: exponentials_double n=2000 ~ 2e-15
kernel void exponentials_double(int n, const double a[n], double b[6][n])
{
    for (int i = 0; i < n; i++) {
        double x = a[i] * 0.1 - 1;
        b[0][i] = exp(x) * 0.05;
        b[1][i] = exp2(x) * 0.5;
        b[2][i] = expm1(x * 0.1);
        b[3][i] = tanh(x);
        b[4][i] = pow(a[i], 0.75);
        b[5][i] = sinh(x * 0.5) + cosh(x * 0.5);
    }
}

// run: logarithms n=2000 ~ 5e-7
kernel void logarithms(int n, const float a[n], const double b[n], float c[4][n], double d[4][n])
{
    for (int i = 0; i < n; i++) {
        c[0][i] = logf(a[i]);
        c[1][i] = log2f(a[i]);
        c[2][i] = log10f(a[i]);
        c[3][i] = log1pf(a[i]);
        d[0][i] = log(b[i]);
        d[1][i] = log2(b[i]);
        d[2][i] = log10(b[i]);
        d[3][i] = log1p(b[i]);
    }
}

// run: others n=1000 ~ 1e-6
kernel void others(int n, const float a[n], const double b[n], float c[5][n], double d[5][n])
{
    for (int i = 0; i < n; i++) {
        c[0][i] = cbrtf(a[i]);
        c[1][i] = hypotf(a[i], 3);
        c[2][i] = erff(a[i] * 0.1f);
        c[3][i] = asinhf(a[i]);
        c[4][i] = acoshf(a[i] + 1);
        d[0][i] = cbrt(b[i]);
        d[1][i] = hypot(b[i], 4);
        d[2][i] = erfc(b[i] * 0.1);
        d[3][i] = atanh(b[i] * 0.01);
        d[4][i] = sinh(b[i] * 0.1);
    }
}

// run: gammas n=300 ~ 1e-5
kernel void gammas(int n, const double a[n], double b[n], double c[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = lgamma(a[i]);
        c[i] = tgamma(a[i] * 0.125 + 0.5);
    }
}

// run: generic n=500 ~ 5e-7
kernel void generic(int n, const float a[n], const double b[n], float c[n], double d[n], int sizes[3])
{
    for (int i = 0; i < n; i++) {
        c[i] = sin(a[i]) + fabs(a[i]);
        d[i] = exp(b[i] * 0.01) + pow(a[i], 0.5) + sqrt(i);
    }
    sizes[0] = sizeof sin(a[0]);
    sizes[1] = sizeof sin(b[0]);
    sizes[2] = sizeof sqrt(n);
}

// run: mandelbrot n=40 m=60
kernel void mandelbrot(int n, int m, int count[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            double cr = j * (3.0 / 60) - 2, ci = i * (2.0 / 40) - 1, zr = 0, zi = 0;
            int k = 0;
            while (k < 100 && zr * zr + zi * zi < 4) {
                double t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
                k++;
            }
            count[i][j] = k;
        }
    }
}

// run: newton n=400
kernel void newton(int n, const double a[n], double root[n])
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        for (int k = 0; k < 8; k++) {
            x = 0.5 * (x + a[i] / x);
        }
        root[i] = x;
    }
}
