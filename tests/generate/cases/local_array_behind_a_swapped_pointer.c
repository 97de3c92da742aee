// seed 6071, reduced
//@ buffer b5 i32 14 perm 0 0
//@ int 14
//@ array b5 0 14
#include <rill/kernel.h>
#define TF(e) ((float)((int)(e) & 15) - 8)
int f10[16] = {1, 2};
kernel long run(int n, const int p8[n])
{
        int l15[20] = {p8[3]};
        int *from16 = f10, *to16 = l15;
        for (int t16 = 0; t16 < 3; t16++) {
            for (int i16 = 1; i16 < 15; i16++) {
                to16[i16] = TF(from16[i16 - 1] + from16[i16 + 1] + t16);
            }
            int *other16 = from16;
            from16 = to16;
            to16 = other16;
        }
    return 0;
}
