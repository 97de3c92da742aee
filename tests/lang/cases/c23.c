// What C23 has and Rill has not.
#include <rill/kernel.h>

enum small : unsigned char { ONE = 1 };
struct bits {
    enum small a : 3;
    enum small : 3;
};
constexpr int size = 3;

kernel void k(int n, int x[n])
{
    auto a = 3.5f;
    int *b = nullptr;
    _BitInt(17) c;
    if (n < 0) {
        unreachable();
    }
    thread_local int d;
}
