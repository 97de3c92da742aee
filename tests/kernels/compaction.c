// Lists that keep the order of what is put on them. Trip counts lie around the fewest that are cut into runs (32768),
// and one is more than a round of them (128 times 8192).
#include <rill/kernel.h>

#include <stdint.h>

// run: positive n=0 x=8 out=8 wild
// run: positive n=32767 x=32767 out=32767 wild
// run: positive n=32768 x=32768 out=32768 wild
// run: positive n=40961 x=40961 out=40961 wild
// run: positive n=1100001 x=1100001 out=1100001 wild
kernel int positive(int n, const float x[n], float out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 0) {
            out[k++] = x[i];
        }
    }
    return k;
}

// Nothing is kept, and everything.
// run: none_or_all n=50000 above=2147483647 x=50000 out=50000 wild
// run: none_or_all n=50000 above=-2147483648 x=50000 out=50000 wild
kernel int none_or_all(int n, int above, const int x[n], int out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > above) {
            out[k] = i;
            k++;
        }
    }
    return k;
}

// Two lists.
// run: partition n=50000 x=50000 even=50000 odd=50000 counts=2 wild
kernel void partition(int n, const int x[n], int even[n], int odd[n], int counts[2])
{
    int e = 0, o = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] & 1) {
            odd[o++] = x[i];
        } else {
            even[e++] = x[i];
        }
    }
    counts[0] = e;
    counts[1] = o;
}

// Several arrays by one counter, which another loop goes on with.
// run: inside n=50000 x=50000 y=50000 ox=50000 oy=50000 index=50000 wild
kernel int inside(int n, const int x[n], const int y[n], int ox[n], int oy[n], int64_t index[n])
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        int64_t r = (int64_t)x[i] * x[i] + (int64_t)y[i] * y[i];
        if (r < (INT64_C(1) << 60)) {
            ox[count] = x[i];
            oy[count] = y[i];
            index[count] = r;
            ++count;
        }
    }
    for (int j = 0; j < count; j++) {
        ox[j] ^= 1;
    }
    return count;
}

// From the back, every third, with a counter before its places.
// run: backwards n=120000 x=120000 out=40001 wild
kernel int64_t backwards(int n, const int x[n], int out[n / 3 + 1])
{
    int64_t last = -1;
    for (int i = n - 1; i >= 0; i -= 3) {
        if (x[i] % 5 != 0) {
            out[++last] = x[i];
        }
    }
    return last;
}

// run: behind n=50000 x=50000 out=50000 wild
kernel unsigned behind(unsigned n, const unsigned x[n], unsigned out[n])
{
    unsigned k = 0;
    for (unsigned i = 0; i != n; i++) {
        if (x[i] >> 31) {
            k++;
            out[k - 1] = i;
        }
    }
    return k;
}

// Runs of equal elements: what is compared with is read.
// run: unique n=50000 x=50000 out=50000 starts=50000
kernel size_t unique(size_t n, const int x[n], int out[n], int starts[n])
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || x[i] != x[i - 1]) {
            starts[k] = (int)i;
            out[k++] = x[i];
        }
    }
    return k;
}

// Two entries at a time, and one.
// run: pairs n=50000 x=50000 out=100000 wild
kernel int pairs(int n, const int x[n], int out[2 * n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] % 3 == 0) {
            out[k] = x[i];
            out[k + 1] = i;
            k += 2;
        } else if (x[i] % 3 == 1) {
            out[k++] = -1;
        }
    }
    return k;
}

// Stays in order: with one entry taken, two are written, the second of which is the next one's first.
// run: overwritten n=50000 x=50000 out=50001 wild
kernel int overwritten(int n, const int x[n], int out[n + 1])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] & 4) {
            out[k] = x[i];
            out[k + 1] = 0;
            k++;
        }
    }
    return k;
}

// Stays in order: written whether kept or not.
// run: branchless n=50000 x=50000 out=50000 wild
kernel int branchless(int n, const int x[n], int out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        out[k] = x[i];
        k += x[i] > 10;
    }
    return k;
}

// run: continued n=50000 x=50000 out=50000 wild
kernel int continued(int n, const int x[n], int out[n])
{
    int k = 0, rest = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] <= 0) {
            rest += x[i];
            continue;
        }
        if (x[i] % 7 == 0) {
            continue;
        }
        out[k++] = x[i] * 2;
    }
    return k ^ rest;
}

// Stays in order: in place, what is read ahead may be written.
// run: in_place n=50000 x=50000 wild
kernel int in_place(int n, int x[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 3) {
            x[k++] = x[i];
        }
    }
    return k;
}

// Stays in order: the counter decides.
// run: limited n=50000 cap=1000 x=50000 out=1000 wild
kernel int limited(int n, int cap, const int x[n], int out[cap])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 3 && k < cap) {
            out[k++] = x[i];
        }
    }
    return k;
}

// Stays in order: written, then read by the condition.
// run: written_first n=50000 x=50000 t=50000 out=50000 wild
kernel int written_first(int n, const int x[n], int t[n], int out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        t[i] = x[i] / 3;
        if (t[i] & 1) {
            out[k++] = i;
        }
    }
    return k;
}

// Read by the condition, then written.
// run: written_behind n=50000 x=50000 out=50000 wild
kernel int written_behind(int n, int x[n], int out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] & 1) {
            out[k++] = i;
        }
        x[i] = 0;
    }
    return k;
}

// Entries of a matrix by rows, as many as there are.
// run: nonzeros h=300 w=70 m=21000 row=21000 col=21000
// run: nonzeros h=70 w=300 m=21000 row=21000 col=21000
// run: nonzeros h=1000 w=9 m=9000 row=9000 col=9000
kernel int nonzeros(int h, int w, const int m[h][w], int row[h * w], int col[h * w])
{
    int k = 0;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            if (m[y][x] % 4 == 0) {
                row[k] = y;
                col[k++] = x;
            }
        }
    }
    return k;
}

// struct entry: ifd where weight value
struct entry {
    int where;
    float weight;
    double value;
};

// Structs, member by member and whole.
// run: structs n=40000 x=40000 out=40000 whole=40000 wild
kernel int structs(int n, const struct entry x[n], struct entry out[n], struct entry whole[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i].where > 0) {
            out[k].where = i;
            out[k].weight = x[i].weight;
            whole[k] = x[i];
            k++;
        }
    }
    return k;
}

// Rows of three.
// run: triples n=40000 x=120000 out=120000 wild
kernel int triples(int n, const float x[n][3], float out[n][3])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i][0] < x[i][1]) {
            for (int j = 0; j < 3; j++) {
                out[k][j] = x[i][j];
            }
            k++;
        }
    }
    return k;
}

// Two arrays that may be one: then it runs in order.
static int positions(int n, const int x[n], int a[n], int b[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 0) {
            a[k] = i;
            b[n - 1 - k] = i;
            k++;
        }
    }
    return k;
}
// run: both_ends n=50000 x=50000 a=50000 b=50000 wild
kernel int both_ends(int n, const int x[n], int a[n], int b[n])
{
    return positions(n, x, a, b);
}
// run: both_in_one n=50000 x=50000 a=50000 wild
kernel int both_in_one(int n, const int x[n], int a[n])
{
    return positions(n, x, a, a);
}

// A scalar of the iteration, one that matters afterwards, and the loop's own.
// run: scalars n=50000 x=50000 out=50000 wild
kernel int scalars(int n, const int x[n], int out[n])
{
    int i, k = 5, v, last = -1, most = 0;
    for (i = 5; i <= n - 6; i += 1) {
        v = x[i];
        if (v < 0) {
            v = ~v;
        }
        if (v % 3 == 1) {
            out[k - 5] = v;
            k++;
            last = v;
        }
        most = v > most ? v : most;
    }
    return i + k + last + most;
}

// A list that is made again and again, in a loop that is control.
// run: again n=40000 steps=3 x=40000 out=40000 wild
kernel int again(int n, int steps, int x[n], int out[n])
{
    int all = 0;
    for (int t = 0; t < steps; t++) {
        int k = 0;
        for (int i = 0; i < n; i++) {
            if (x[i] & (1 << t)) {
                out[k++] = x[i];
            }
        }
        for (int i = 0; i < k; i++) {
            x[i] = out[i] + 1;
        }
        all += k;
    }
    return all;
}

// One list behind the other in one array.
// run: one_behind_the_other n=50000 x=50000 out=50000 wild
kernel int one_behind_the_other(int n, const int x[n], int out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) {
            out[k++] = x[i];
        }
    }
    for (int i = 0; i < n; i++) {
        if (x[i] >= 0) {
            out[k++] = x[i];
        }
    }
    return k;
}

// Contour lines, two ends for each edge that one crosses: the corners of a square in an array of the iteration's own,
// which decides what is kept.
// run: contour n=300 m=40 f=12000 out=80000
// run: contour n=257 m=3 f=771 out=4112 wild
kernel int contour(int n, int m, const float f[n][m], float out[n * m * 4 + 4])
{
    int k = 0;
    for (int i = 0; i < n - 1; i++) {
        for (int j = 0; j < m - 1; j++) {
            float corners[4] = {f[i][j], f[i][j + 1], f[i + 1][j + 1], f[i + 1][j]};
            for (int e = 0; e < 4; e++) {
                int next = (e + 1) % 4;
                if ((corners[e] < 8) != (corners[next] < 8)) {
                    out[k++] = (float)(i * m + j) + corners[next];
                }
            }
        }
    }
    return k;
}

// The same with an array that is updated, of which an element behind another is read; and one that stays as it was
// where a condition does not hold.
// run: digits n=40000 x=40000 out=80000 wild
kernel int digits(int n, const uint32_t x[n], int out[2 * n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        int count[4] = {0, 0, 0, 0};
        for (int b = 0; b < 32; b += 2) {
            count[x[i] >> b & 3]++;
        }
        if (count[1] > count[2]) {
            count[3] = 0;
        }
        if (count[3] > 3) {
            out[k++] = count[0];
        }
        if (count[0] > 5) {
            out[k++] = count[3] - count[1];
        }
    }
    return k;
}

// Neighbours in rows of a list, whose ends are read from memory, into an array of the same type: it might be the one
// that the ends are in, which the launch tests.
// run: near n=2000 m=40 row=2001 x=10000 out=100000
kernel int near(int n, int m, int row[n + 1], int x[n * 5], int out[n * 5][2])
{
    for (int i = 0; i <= n; i++) {
        row[i] = i * 5 - i % 5;
    }
    for (int i = 0; i < n * 5; i++) {
        x[i] = x[i] * 7 % m;
    }
    int k = 0;
    for (int i = 0; i < n; i++) {
        for (int e = row[i]; e < row[i + 1]; e++) {
            if (x[e] < i % m) {
                out[k][0] = i;
                out[k][1] = e;
                k++;
            }
        }
    }
    return k;
}

// It is the one that the ends are in: what is kept moves them.
// run: moving_ends n=300 row=4000
kernel int moving_ends(int n, int row[n * 10 + 1000])
{
    for (int i = 0; i < n * 10; i++) {
        row[i] = i < n ? i + 1 : 0;
    }
    int k = 0, *out = &row[n];
    for (int i = 0; i < n; i++) {
        for (int e = row[i]; e < row[n + i / 2] + i + 3; e++) {
            out[k++] = e % 3;
        }
    }
    return k;
}

// Cells of a grid around each point: the place of a row is made of data.
// run: cells_around n=1000 g=9 start=82 c=2000 list=1000 out=50000
kernel int cells_around(int n, int g, int start[g * g + 1], int c[n][2], int list[n], int out[n * 50])
{
    for (int i = 0; i <= g * g; i++) {
        start[i] = (int)((int64_t)n * i / (g * g));
    }
    for (int i = 0; i < n; i++) {
        list[i] = (i * 7 + 3) % n;
        c[i][0] = (i * 5 + c[i][0]) % g;
        c[i][1] = (i * 3 + c[i][1]) % g;
    }
    int k = 0;
    for (int i = 0; i < n; i++) {
        for (int y = c[i][1] - 1; y <= c[i][1] + 1; y++) {
            for (int x = c[i][0] - 1; x <= c[i][0] + 1; x++) {
                if (x < 0 || y < 0 || x >= g || y >= g) {
                    continue;
                }
                for (int e = start[y * g + x]; e < start[y * g + x + 1]; e++) {
                    if (list[e] > i && (list[e] ^ i) % 4 == 0) {
                        out[k++] = list[e];
                    }
                }
            }
        }
    }
    return k;
}

// What is kept is looked up in a table.
// run: by_table n=50000 x=50000 out=50000 wild
kernel int by_table(int n, const int x[n], int out[n])
{
    static const int most[4] = {3, -5, 100000, 0};
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > most[x[i] & 3]) {
            out[k++] = most[i & 3];
        }
    }
    return k;
}

// Three columns around a cell, which are too few to be cut into runs, in a loop that only data ends.
// run: flood w=40 h=30 cell=1200 stack=4800
kernel int flood(int w, int h, int cell[h][w], int stack[h * w * 4])
{
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            cell[y][x] = (x * y + cell[y][x]) % 3 != 0;
        }
    }
    int top = 0, count = 0;
    stack[top++] = 0;
    cell[0][0] = 2;
    while (top > 0) {
        int at = stack[--top], y = at / w, x = at % w;
        count++;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int ny = y + dy, nx = x + dx;
                if (ny >= 0 && nx >= 0 && ny < h && nx < w && cell[ny][nx] == 1) {
                    cell[ny][nx] = 2;
                    stack[top++] = ny * w + nx;
                }
            }
        }
    }
    return count;
}
