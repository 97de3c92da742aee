#ifndef __RILL_COMPLEX_H
#define __RILL_COMPLEX_H

#include <math.h>

#define complex _Complex
#define _Complex_I (__builtin_complex(0.0f, 1.0f))
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))

// The functions for double, then for float: what differs between the two is named here.
#define __RILL_T double
#define __RILL_F(name) name
#define __RILL_LOG_MOST 709.0
#define __RILL_MOST 0x1p1020
#define __RILL_LEAST 0x1p-1000
#define __RILL_FAR 0x1p30
#include <complex_functions.h>

#undef __RILL_T
#undef __RILL_F
#undef __RILL_LOG_MOST
#undef __RILL_MOST
#undef __RILL_LEAST
#undef __RILL_FAR
#define __RILL_T float
#define __RILL_F(name) name##f
#define __RILL_LOG_MOST 88.0f
#define __RILL_MOST 0x1p124f
#define __RILL_LEAST 0x1p-100f
#define __RILL_FAR 0x1p14f
#include <complex_functions.h>

#undef __RILL_T
#undef __RILL_F
#undef __RILL_LOG_MOST
#undef __RILL_MOST
#undef __RILL_LEAST
#undef __RILL_FAR

// Declared, as C has them, and refused where a kernel reaches them.
#define __RILL_COMPLEX(name) long double _Complex name##l(long double _Complex);
#define __RILL_COMPLEX_REAL(name) long double name##l(long double _Complex);
__RILL_COMPLEX(cacos)
__RILL_COMPLEX(casin)
__RILL_COMPLEX(catan)
__RILL_COMPLEX(ccos)
__RILL_COMPLEX(csin)
__RILL_COMPLEX(ctan)
__RILL_COMPLEX(cacosh)
__RILL_COMPLEX(casinh)
__RILL_COMPLEX(catanh)
__RILL_COMPLEX(ccosh)
__RILL_COMPLEX(csinh)
__RILL_COMPLEX(ctanh)
__RILL_COMPLEX(cexp)
__RILL_COMPLEX(clog)
__RILL_COMPLEX(csqrt)
__RILL_COMPLEX(conj)
__RILL_COMPLEX(cproj)
__RILL_COMPLEX_REAL(cabs)
__RILL_COMPLEX_REAL(carg)
__RILL_COMPLEX_REAL(cimag)
__RILL_COMPLEX_REAL(creal)
long double _Complex cpowl(long double _Complex, long double _Complex);
#undef __RILL_COMPLEX
#undef __RILL_COMPLEX_REAL

#endif
