// Seed 48 of a generator of pointers, reduced: mp points to l2, which lives in the launch block.
//@ buffer b1 i32 24 range -50 60
//@ buffer b2 i32 24 range -100 60
//@ int 7
//@ int 2
//@ array b1 0 24
//@ array b2 0 24
#include <rill/kernel.h>
kernel int run(int n, int x, int a[24], int b[24])
{
  int y = n;
  int l2[24] = {3};
  int *p = l2, *mp = b;
  for (int t1 = 0; t1 < 1; t1++) {
    for (int i3 = 0; i3 < 24; i3++) { mp[23 - i3] = i3; }
    { int *o = p; p = mp; mp = o; }
  }
  for (int i5 = 1; i5 < 24; i5++) l2[i5] = mp[i5 - 1] * 3 + y;
  for (int i6 = 1; i6 < 24; i6++) a[i6] = l2[i6] + 3;
  return x + y;
}
