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
