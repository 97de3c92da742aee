// Included by tests/kernels/language.c.
#ifndef SHARED_H
#define SHARED_H
#define SHARED_BIAS 40
static inline int biased(int x)
{
    return x + SHARED_BIAS;
}
#endif
