// C99's complex numbers, and what GNU C adds to them.
#include <rill/kernel.h>

#include <complex.h>

typedef float complex cfloat;
typedef double complex cdouble;

// struct cfloat: ff re im
// struct cdouble: dd re im

// run: sums n=5000
// run: sums n=300 wild
kernel void sums(int n, const cfloat a[n], const cfloat b[n], cfloat out[n], cfloat back[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = a[i] + b[i];
        back[i] = a[i] - b[i] + -a[i];
    }
}

// run: products n=5000
// run: products n=4000 wild
kernel void products(int n, const cfloat a[n], const cfloat b[n], cfloat out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = a[i] * b[i];
    }
}

// run: products_double n=5000
// run: products_double n=4000 wild
kernel void products_double(int n, const cdouble a[n], const cdouble b[n], cdouble out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = a[i] * b[i];
    }
}

// run: quotients n=5000
// run: quotients n=4000 wild
kernel void quotients(int n, const cfloat a[n], const cfloat b[n], cfloat out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = a[i] / b[i];
    }
}

// run: quotients_double n=5000
// run: quotients_double n=4000 wild
kernel void quotients_double(int n, const cdouble a[n], const cdouble b[n], cdouble out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = a[i] / b[i];
    }
}

// Beside the smallest and the largest numbers there are.
// run: far_quotients n=3000
kernel void far_quotients(int n, const cdouble a[n], const cdouble b[n], cdouble out[n])
{
    static const double scales[6] = {1, 0x1p-1060, 0x1p1012, 0x1p-530, 0x1p-1022, 0x1p970};
    for (int i = 0; i < n; i++) {
        cdouble x = a[i] * scales[i % 6], y = b[i];
        y = scales[i / 6 % 6] * creal(y) + scales[i / 36 % 6] * cimag(y) * 1.0i;
        out[i] = x / y;
    }
}

// A real number beside a complex one: no part is made up.
// run: mixed n=2000 r=3
// run: mixed n=2000 r=0 wild
kernel void mixed(int n, double r, const cdouble z[n], const float x[n], cdouble out[8 * n])
{
    for (int i = 0; i < n; i++) {
        out[8 * i] = z[i] + x[i];
        out[8 * i + 1] = x[i] - z[i];
        out[8 * i + 2] = z[i] - r;
        out[8 * i + 3] = z[i] * x[i];
        out[8 * i + 4] = 2 * z[i];
        out[8 * i + 5] = z[i] / x[i];
        out[8 * i + 6] = x[i] / z[i];
        out[8 * i + 7] = i + z[i];
    }
}

// run: updates n=1000
// run: updates n=1000 wild
kernel void updates(int n, const cfloat a[n], cfloat x[n], cdouble y[n], double r[n])
{
    for (int i = 0; i < n; i++) {
        x[i] += a[i];
        x[i] -= 2;
        x[i] *= 3.0f;
        x[i] *= x[i];
        x[i] /= 1.5f;
        x[i] /= a[i];
        y[i] += a[i];
        y[i] *= a[i];
        y[i] -= y[i] * a[i];
        r[i] += a[i];
        r[i] *= a[i];
        x[i]++;
        --x[i];
        y[i] += x[i]++ + ++x[i];
    }
}

// run: conversions n=800
// run: conversions n=800 wild
kernel void conversions(int n, const cdouble z[n], cfloat f[n], float re[n], long whole[n], _Bool truth[n],
                        int logic[n])
{
    for (int i = 0; i < n; i++) {
        cdouble w = i % 3 == 0 ? z[i] : i % 3 == 1 ? 0 : i % 7 - 3;
        f[i] = w;
        re[i] = w;
        whole[i] = i % 3 != 0 ? (long)w : 7;
        truth[i] = w;
        logic[i] = (w == z[i]) + 2 * (w != 0) + 4 * !w + 8 * (w && i) + 16 * (w || z[i]) + (w ? 32 : 0);
        logic[i] += 64 * (w == 2) + 128 * (creal(w) == w);
    }
}

// run: parts n=500
// run: parts n=500 wild
kernel void parts(int n, cfloat z[n], cdouble w[n], double out[4 * n])
{
    for (int i = 0; i < n; i++) {
        __real__ z[i] += 1;
        __imag__ w[i] = __real__ z[i];
        z[i] = ~z[i];
        cfloat *p = &z[i];
        __imag *p *= 2;
        out[4 * i] = crealf(z[i]) + cimag(w[i]);
        out[4 * i + 1] = __imag__(z[i] * 2.0f) + __imag__ 3.0f;
        out[4 * i + 2] = cimag(conj(w[i]) + conjf(z[i]));
        out[4 * i + 3] = creal(i & 1 ? w[i] : (cdouble)i);
    }
}

static const cfloat roots[4] = {1, I, -1.0f, -I};
static const cdouble numbers[] = {1 + 2i, 2.5 - 1.5i, {4}, [4] = I * I, 3.0 * (1.0 + 0.5i)};
static cdouble kept[3] = {1, 2i};
struct waves {
    int n;
    cfloat a[2];
    cdouble b;
};
static const struct waves first = {2, {1 + 1.0if, 2}, .b = 3i};

// run: constants n=100
kernel void constants(int n, cdouble out[n])
{
    cdouble local[3] = {1, 2.0 + 1i};
    struct waves w = {1, {I, local[1]}, out[0]};
    for (int i = 0; i < n; i++) {
        out[i] =
            roots[i % 4] + numbers[i % 5] + kept[i % 3] + local[i % 3] + first.b * first.a[i % 2] + w.a[i % 2] + w.b;
        out[i] += sizeof(cfloat) + _Alignof(cdouble) * 1.0i +
                  (cfloat){
                      2,
                  } +
                  __builtin_complex((double)i, -0.0);
    }
    kept[1] = out[0];
    for (int i = 0; i < n; i++) {
        out[i] += kept[1];
    }
}

static cdouble horner(int n, const cdouble *c, cdouble z)
{
    cdouble s = 0;
    for (int k = n - 1; k >= 0; k--) {
        s = s * z + c[k];
    }
    return s;
}

// run: values n=700 scale.re=2 scale.im=-1 shift.re=0.5 shift.im=3
kernel cdouble values(int n, cdouble scale, cfloat shift, const cdouble a[n], cdouble out[n])
{
    cdouble c[4] = {1, 2i, a[0], 0.5};
    for (int i = 0; i < n; i++) {
        out[i] = horner(4, c, a[i] / 32.0);
    }
    return out[n - 1] * scale - out[0] * 2.0i + shift;
}

struct pole {
    cfloat at, weight[2];
    int order;
};
// struct pole: ffffffi ar ai br bi cr ci order

// run: structs n=400
kernel void structs(int n, const struct pole p[n], struct pole q[n])
{
    for (int i = 0; i < n; i++) {
        struct pole one = p[i];
        one.weight[1] *= one.at;
        one.at -= one.weight[0] * 0.25f;
        one.order += one.at == p[i].at;
        q[i] = one;
    }
}

// run: sum n=100000 ~ 1e-4
kernel cfloat sum(int n, const cfloat a[n], cfloat out[1])
{
    cfloat s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    out[0] = s;
    return s;
}

// run: dot n=20000 ~ 1e-10
kernel void dot(int n, const cdouble a[n], const cdouble b[n], cdouble out[2])
{
    cdouble s = 0;
    double norm = 0;
    for (int i = 0; i < n; i++) {
        s += conj(a[i]) * b[i];
        norm += creal(a[i] * conj(a[i]));
        out[1] += a[i];
    }
    out[0] = s / norm;
}

// run: running n=6000 ~ 1e-5
kernel void running(int n, const cfloat a[n], cfloat out[n])
{
    cfloat s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
}

// run: transform n=64 ~ 1e-4
kernel void transform(int n, const cfloat x[n], cfloat y[n])
{
    for (int k = 0; k < n; k++) {
        cfloat s = 0;
        for (int j = 0; j < n; j++) {
            s += x[j] * cexpf(-2.0f * (float)M_PI * I * (float)(k * j % n) / (float)n);
        }
        y[k] = s;
    }
}

// run: mandelbrot n=40 m=60
kernel void mandelbrot(int n, int m, int out[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            cdouble c = -2.0 + 3.0 * j / m + (2.0 * i / n - 1) * I, z = 0;
            int k = 0;
            while (k < 100 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4) {
                z = z * z + c;
                k++;
            }
            out[i][j] = k;
        }
    }
}

// run: functions n=600 ~ 1e-13
kernel void functions(int n, const cdouble a[n], cdouble out[19][n], double real[2][n])
{
    for (int i = 0; i < n; i++) {
        cdouble z = a[i] / (i % 2 ? 8 : 40) - (0.4 + 0.3i);
        out[0][i] = csqrt(z);
        out[1][i] = clog(z);
        out[2][i] = cpow(z, 1.5 + 0.25i);
        out[3][i] = cexp(z);
        out[4][i] = csin(z);
        out[5][i] = ccos(z);
        out[6][i] = ctan(z);
        out[7][i] = csinh(z);
        out[8][i] = ccosh(z);
        out[9][i] = ctanh(z);
        out[10][i] = casin(z);
        out[11][i] = cacos(z);
        out[12][i] = catan(z);
        out[13][i] = casinh(z);
        out[14][i] = cacosh(z);
        out[15][i] = catanh(z);
        out[16][i] = cproj(z);
        out[17][i] = conj(z);
        out[18][i] = cpow(z, 3);
        real[0][i] = cabs(z);
        real[1][i] = carg(z);
    }
}

// The imaginary part of a real number is 0, and the number is computed all the same.
// run: imaginary_of_real n=20
kernel void imaginary_of_real(int n, int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int j = a[i];
        out[i] = 10 * __imag__ ++j;
        out[i] += __real__ j++;
        a[i] = j;
    }
}
