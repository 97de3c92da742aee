#ifndef __RILL_COMPLEX_H
#define __RILL_COMPLEX_H

// Complex types may be named; a kernel that reaches a value of one is refused.
#define complex _Complex
#define _Complex_I __rill_complex_i()
#define I _Complex_I
float _Complex __rill_complex_i(void);

#define __RILL_COMPLEX(name)                                                                                           \
    double _Complex name(double _Complex);                                                                             \
    float _Complex name##f(float _Complex);                                                                            \
    long double _Complex name##l(long double _Complex);
#define __RILL_COMPLEX_REAL(name)                                                                                      \
    double name(double _Complex);                                                                                      \
    float name##f(float _Complex);                                                                                     \
    long double name##l(long double _Complex);

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
double _Complex cpow(double _Complex, double _Complex);
float _Complex cpowf(float _Complex, float _Complex);
long double _Complex cpowl(long double _Complex, long double _Complex);

#undef __RILL_COMPLEX
#undef __RILL_COMPLEX_REAL

#endif
