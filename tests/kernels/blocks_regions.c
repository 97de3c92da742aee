// stream_parallel: which regions of one array two blocks may touch, and what the launch decides.
#include <rill/kernel.h>

// run: even_odd n=1001
kernel void even_odd(int n, int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i += 2) {
            a[i] = a[i] * 3 + i;
        }
    }
    stream_parallel
    {
        for (int i = 1; i < n; i += 2) {
            a[i] = a[i] * 5 - i;
        }
    }
}

// run: thirds n=300
kernel void thirds(int n, int a[3 * n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[3 * i + 2] -= 7;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[3 * i] *= a[3 * i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[3 * i + 1] ^= i;
        }
    }
}

// Backwards from the end against forwards from the start.
// run: backwards n=500
kernel void backwards(int n, int a[2 * n])
{
    stream_parallel
    {
        for (int i = n - 1; i >= 0; i--) {
            a[n + i] = a[n + i] * 2 + i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[n - 1 - i] = a[n - 1 - i] * 3 + i;
        }
    }
}

// Negative strides meet or not: the launch says.
// run: towards n=400 k=0
// run: towards n=400 k=399
// run: towards n=400 k=400
// run: towards n=400 k=-1
kernel void towards(int n, int k, int a[4 * n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[2 * n - 1 - i] = i * 7;
        }
    }
    stream_parallel
    {
        for (int i = n; i > 0; i--) {
            a[n + k + i - 1] = i * 11;
        }
    }
}

// run: strided n=100 s=2 t=3 o=0
// run: strided n=100 s=2 t=2 o=1
// run: strided n=100 s=4 t=2 o=1
// run: strided n=100 s=4 t=2 o=2
// run: strided n=100 s=1 t=1 o=100
// run: strided n=100 s=0 t=1 o=0
// run: strided n=100 s=0 t=0 o=3
kernel void strided(int n, int s, int t, int o, int a[1000])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i * s] = i + 1;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[o + i * t] = -i;
        }
    }
}

// run: squares n=40 m=60
kernel void squares(int n, int m, int a[2 * n][2 * m])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 2 * m; j++) {
                a[i][j] = i * 100 + j;
            }
        }
    }
    stream_parallel
    {
        for (int i = n; i < 2 * n; i++) {
            for (int j = 0; j < 2 * m; j++) {
                a[i][j] = a[i][j] - i * j;
            }
        }
    }
}

// run: columns n=50
kernel void columns(int n, int a[n][4])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i][0] = i;
            a[i][1] = -i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i][2] = a[i][2] + i;
        }
    }
    stream_parallel
    {
        for (int i = n - 1; i >= 0; i--) {
            a[i][3] = a[i][3] * i;
        }
    }
}

// One block reads the row that the other leaves alone.
// run: read_beside n=100
kernel void read_beside(int n, int a[3][n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[0][i] = a[2][i] + 1;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[1][i] = a[2][n - 1 - i] - 1;
        }
    }
}

// run: read_shifted n=1000 k=1000
// run: read_shifted n=1000 k=1
// run: read_shifted n=1000 k=0
// run: read_shifted n=1000 k=999
kernel void read_shifted(int n, int k, int a[3 * n], int b[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = i * i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = a[i + k];
        }
    }
}

// The later block writes what the earlier one reads.
// run: write_behind n=1000 k=1000
// run: write_behind n=1000 k=500
kernel void write_behind(int n, int k, int a[3 * n], int b[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = a[i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i + k] = -i;
        }
    }
}

struct cell {
    int mass;
    float speed;
    short kind;
    char flag[2];
};

// struct cell: ifhbb mass speed kind flag0 flag1
// run: members n=300
kernel void members(int n, struct cell c[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            c[i].mass = c[i].mass * 2 + i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            c[i].speed = c[i].speed * 0.5f;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            c[i].kind ^= 3;
            c[i].flag[1] = 1;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            c[i].flag[0] += 1;
        }
    }
}

// run: struct_halves n=100
kernel void struct_halves(int n, struct cell c[2 * n])
{
    struct cell fresh = {1, 2.5f, 3, {4, 5}};
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            c[i] = fresh;
        }
    }
    stream_parallel
    {
        for (int i = n; i < 2 * n; i++) {
            c[i].mass += fresh.mass;
            c[i].kind = fresh.kind;
        }
    }
}

static int table[4][64];
static struct {
    int head;
    int body[64];
    int tail;
} record;
static float other_table[64];

// run: field_rows n=64
kernel int field_rows(int n, const int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            table[0][i] = a[i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            table[1][63 - i] = a[i] * 2;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            table[3][i] = a[n - 1 - i];
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            other_table[i] = table[2][i] + a[i];
        }
    }
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += table[0][i] * 3 + table[1][i] * 5 + table[3][i] * 7 + (int)other_table[i];
    }
    return s;
}

// run: field_members n=64
kernel int field_members(int n, const int a[n])
{
    stream_parallel
    {
        record.head = a[0];
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            record.body[i] = a[i] + i;
        }
    }
    stream_parallel
    {
        record.tail = a[n - 1];
        record.tail *= 3;
    }
    return record.head * 7 + record.body[5] + record.body[63] + record.tail;
}

// A field against an argument: compared by address at launch.
// run: field_or_argument n=64
kernel int field_or_argument(int n, int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            table[0][i] = i * 3;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = i * 5;
        }
    }
    return table[0][7] + a[9];
}

// The index wraps at 256: each block has its own half all the same.
// run: masked n=1000
kernel void masked(int n, int a[512])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i & 255] = 4;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[256 + (i & 255)] = 5;
        }
    }
}

// run: divided n=1000
kernel void divided(int n, int a[2 * n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i / 4] = 1;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[n + i % 100] = 2;
        }
    }
}

// Triangles: the inner bound depends on the outer variable.
// run: triangles n=40
kernel void triangles(int n, int a[n][n], int b[n][n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                a[i][j] = i - j;
            }
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            for (int j = i; j < n; j++) {
                b[i][j] = j - i;
            }
        }
    }
}

// run: empty_ranges n=100 m=0
// run: empty_ranges n=0 m=5
// run: empty_ranges n=50 m=10
kernel void empty_ranges(int n, int m, int a[200])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = 1;
        }
    }
    stream_parallel
    {
        for (int i = 10; i < m; i++) {
            a[i + 90] = 2;
        }
    }
    stream_parallel
    {
        for (int i = 150; i < 200; i++) {
            a[i] = 3;
        }
    }
}

// The bounds are locals that change between the regions of one time loop.
// run: moving n=64 steps=10
kernel void moving(int n, int steps, int a[n * 12])
{
    int low = 0, high = n;
    for (int t = 0; t < steps; t++) {
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                a[low + i] += t;
            }
        }
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                a[high + i] -= 2 * t;
            }
        }
        low += n;
        high = low + n - (t & 3);
    }
}

// Inside a block a local moves: the block's regions follow it.
// run: local_moves n=100
kernel void local_moves(int n, int a[6 * n])
{
    stream_parallel
    {
        int k = 0;
        for (int i = 0; i < n; i++) {
            a[k + i] = 1;
        }
        k += 2 * n;
        for (int i = 0; i < n; i++) {
            a[k + i] = 2;
        }
    }
    stream_parallel
    {
        int k = n;
        for (int i = 0; i < n; i++) {
            a[k + i] = 3;
        }
        k += 2 * n;
        for (int i = 0; i < n; i++) {
            a[k + i] = 4;
        }
    }
}

// Pointers into one array.
// run: pointers n=200 k=200
// run: pointers n=200 k=100
kernel void pointers(int n, int k, int a[2 * n])
{
    int *first = a, *second = a + k;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            *(first + i) = i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            second[i] = -i;
        }
    }
}

// run: walking_pointers n=200
kernel void walking_pointers(int n, int a[2 * n])
{
    stream_parallel
    {
        int *p = a;
        for (int i = 0; i < n; i++) {
            *p++ = i;
        }
    }
    stream_parallel
    {
        int *q = a + n;
        for (int i = 0; i < n; i++) {
            *q++ = -i;
        }
    }
}

// 8-bit elements that share a word.
// run: bytes n=999
kernel void bytes(int n, char a[2 * n], _Bool b[n])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[2 * i] = (char)i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[2 * i + 1] = (char)(i >> 8);
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i += 2) {
            b[i] = 1;
        }
    }
    stream_parallel
    {
        for (int i = 1; i < n; i += 2) {
            b[i] = 0;
        }
    }
}

// A union of widths: the same memory through two types.
// run: two_types n=100
kernel void two_types(int n, long a[2 * n])
{
    int *halves = (int *)a;
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = i * 0x100000001L;
        }
    }
    stream_parallel
    {
        for (int i = 2 * n; i < 4 * n; i++) {
            halves[i] = i;
        }
    }
}

// run: sixteen n=33
kernel void sixteen(int n, int a[16][n]){
#define ROW(r)                                                                                                         \
    stream_parallel                                                                                                    \
    {                                                                                                                  \
        for (int i = 0; i < n; i++) {                                                                                  \
            a[r][i] = a[r][i] * (r + 2) + i;                                                                           \
        }                                                                                                              \
    }
    ROW(15) ROW(14) ROW(13) ROW(12) ROW(11) ROW(10) ROW(9) ROW(8) ROW(7) ROW(6) ROW(5) ROW(4) ROW(3) ROW(2) ROW(1)
        ROW(0)
#undef ROW
}

// The index wraps, and every iteration writes a[5]: a block that seems to lie far beyond the array does not.
// run: wraps n=100
kernel void wraps(int n, int a[n])
{
    stream_parallel
    {
        for (int i = 1; i < n; i++) {
            a[i * 65536 * 65536 + 5] = i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = -i;
        }
    }
}

// run: wraps_by_argument n=100 k=65536
// run: wraps_by_argument n=5 k=-2147483648
// run: wraps_by_argument n=9 k=3
kernel void wraps_by_argument(int n, int k, int a[100])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i * k * k + 5] = i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = -i;
        }
    }
}
