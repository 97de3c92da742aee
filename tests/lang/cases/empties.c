struct empty {};
struct around { struct empty e; int x; int none[0]; int y; };
struct around braced = {{}, 1, {}, 2};
struct around elided = {1, 2};
struct around no_room = {{1}, 1, {2}, 2};
union open { int n; int a[]; };
int before[2] = {[1] = 1, 2, [0] = 3, 4, 5, 6};
int after[1] = {1, 2, 3, [5] = 4};
int one = {1, 2, [0] = 3};
int two = {1, {2, [0] = 3}, 4};
static int global_none[0];
__attribute__((kernel)) void unmarked(struct empty e, struct empty *p);
#include <rill/kernel.h>
kernel void marked(int n, struct empty e, struct empty a[n], struct empty *p)
{
    e = a[0] = *p;
}
