// What stands for the instructions where the target has none of them. They are weak so that the compiler does not look
// into them: what it finds out about them does not hold for the instructions.
#include "codegen/library/float.h"

#define REPLACED __attribute__((weak))

float library_exp2(float x) __asm__("_Z4exp2f"); // libclc's

REPLACED float rill_hw_exp2(float x)
{
    return library_exp2(x);
}

REPLACED float rill_hw_reciprocal(float x)
{
    return 1.0f / x;
}

REPLACED float rill_hw_fma_clamped(float a, float b, float c)
{
    float value = fma_of(a, b, c);
    value = value > 0.0f ? value : 0.0f;
    return value < 1.0f ? value : 1.0f;
}
