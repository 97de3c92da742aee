// Stores to places that loaded data says, for bench/scatter. The first is a scatter: Rill gives serial C's result, also
// where places are equal. In the second the author says that no two are.
#include <rill/kernel.h>

// run: scatter n=40000 m=300
kernel void scatter(int n, int m, const int at[restrict n], const float v[restrict n], float out[restrict m])
{
    for (int i = 0; i < n; i++) {
        out[at[i]] = v[i];
    }
}

// The numbers that tests draw for |at| repeat: with more than one of them the author's word would be broken.
// run: permute n=1 m=300
kernel void permute(int n, int m, const int at[restrict n], const float v[restrict n], float out[restrict m])
{
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        out[at[i]] = v[i];
    }
}
