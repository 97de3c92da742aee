// Large objects of which the initialiser names a few elements: the image holds these alone.
#include <rill/kernel.h>

struct row {
    int key;
    char name[12];
    double weight;
    int low : 5, high : 9;
};

static int field[] = {[3000000] = 7, [5] = 3, [1000] = -1, [1023] = 9, 10, [2000000] = 1, [2000001] = 4, [1000] = 8};
static const int constant[2000001] = {[2000000] = 5, [1] = 2};
static struct row rows[200000] = {[3] = {1, "three", 3.5, -2, 100}, [199999] = {.name = "last", .high = 7}};
static char text[3000000] = "begin";
static const int pairs[500000][2] = {[499999] = {1, 2}};

// run: sparse n=64
kernel void sparse(int n, int out[n])
{
    static const short local[1000000] = {[999999] = 77, [0] = -1};
    for (int i = 0; i < n; i++) {
        out[i] = field[i] + 3 * constant[i % 3] + text[i] + local[i] + pairs[i][1];
    }
    out[0] += field[3000000] + constant[2000000] * 100 + local[n + 999935];
    out[1] = rows[3].key + rows[3].name[2] + rows[3].low + rows[3].high + (int)(rows[3].weight * 2);
    out[2] = rows[n + 199935].name[1] + rows[199999].high + rows[199998].high;
    out[3] = field[1023] + field[1024] * 16 + field[1000] * 256 + field[n + 1999936] + field[2000002];
    out[4] = pairs[n + 499935][0] * 10 + pairs[499999][1];
    field[5] += n;
    rows[3].low++;
}

// run: again n=64
kernel int again(int n)
{
    field[n + 2999936]++;
    return field[3000000] + field[5] + rows[3].low;
}
