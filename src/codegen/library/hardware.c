// What stands for the instructions where the target has none of them.
#include "codegen/library/float.h"

float library_exp2(float x) __asm__("_Z4exp2f"); // libclc's

float rill_hw_exp2(float x)
{
    return library_exp2(x);
}

float rill_hw_reciprocal(float x)
{
    return 1.0f / x;
}

float rill_hw_fma_clamped(float a, float b, float c)
{
    float value = fma_of(a, b, c);
    value = value > 0.0f ? value : 0.0f;
    return value < 1.0f ? value : 1.0f;
}
