// Loops in order around tasks, which a GPU runs as one grid whose threads meet: what control reads and assigns, what
// tasks write, and ways out.
#include <math.h>
#include <rill/kernel.h>

// The sum is assigned by control and written by a task; a parallel loop reads it in the same round.
// run: normalise n=300 steps=7 ~ 1e-9
// run: normalise n=5000 steps=3 ~ 1e-9
// run: normalise n=1 steps=3 ~ 1e-9
// run: normalise n=0 steps=3
kernel void normalise(int n, int steps, double x[n], double sums[steps])
{
    double sum = 0;
    for (int s = 0; s < steps; s++) {
        sum = 1;
        for (int i = 0; i < n; i++) {
            sum += x[i] * x[i];
        }
        for (int i = 0; i < n; i++) {
            x[i] = x[i] / sqrt(sum) + s;
        }
        sums[s] = sum;
    }
}

// A condition over data leaves the loop; the number of rounds is returned.
// run: converge n=100 most=50
// run: converge n=100 most=3
// run: converge n=2 most=0
kernel int converge(int n, int most, int x[n], int changed[1])
{
    int rounds = 0;
    for (int s = 0; s < most; s++) {
        changed[0] = 0;
        for (int i = 0; i < n; i++) {
            if (x[i] > 1) {
                x[i] = x[i] / 2;
                changed[0] = 1;
            }
        }
        rounds++;
        if (changed[0] == 0) {
            break;
        }
    }
    return rounds;
}

// run: halve n=64
// run: halve n=1
kernel int halve(int n, int x[n])
{
    int left = n, rounds = 0;
    while (left > 1) {
        int half = (left + 1) / 2;
        for (int i = 0; i + half < left; i++) {
            x[i] += x[i + half];
        }
        left = half;
        rounds = rounds + 1;
    }
    return rounds * 1000 + left;
}

// The bound of an inner loop is computed by the round before, and by data.
// run: grow n=200 steps=30
kernel int grow(int n, int steps, int x[n], int length[1])
{
    int k = 1;
    length[0] = 1;
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < k; i++) {
            x[i] += s;
        }
        length[0] = length[0] + x[0] % 5;
        k = length[0] < n ? length[0] : n;
        for (int i = n - 1; i >= n - k; i--) {
            x[i] ^= i;
        }
    }
    return k;
}

// One counter for all loops, as in C89.
// run: counters n=40 steps=9
kernel int counters(int n, int steps, int x[n], int y[n])
{
    int i, t, last = 0;
    for (t = 0; t < steps; t++) {
        for (i = 0; i < n; i++) {
            x[i] = x[i] + y[i] + t;
        }
        last += i;
        for (i = 0; i < n; i += 2) {
            y[i] = x[n - 1 - i];
        }
        last ^= i + t;
    }
    return last + t;
}

// Two loops in order inside one, with work of their own, and tasks between.
// run: sweeps n=20 m=24 steps=3
kernel void sweeps(int n, int m, int steps, int a[n][m])
{
    for (int s = 0; s < steps; s++) {
        for (int i = 1; i < n; i++) {
            for (int j = 0; j < m; j++) {
                a[i][j] += a[i - 1][j] ^ s;
            }
        }
        for (int i = n - 2; i >= 0; i--) {
            for (int j = 0; j < m; j++) {
                a[i][j] -= a[i + 1][m - 1 - j];
            }
        }
        a[0][s % m] = s;
    }
}

// Each round has several reductions of different kinds and types, and a search for the least.
// run: pivots n=30
// run: pivots n=1
kernel void pivots(int n, int a[n], int at[n], long sums[n], unsigned bits[n], double largest[n])
{
    for (int k = 0; k < n; k++) {
        int place = k, least = 2147483647;
        long sum = 0;
        unsigned all = 0;
        double most = -1;
        for (int i = k; i < n; i++) {
            sum += a[i];
            all ^= (unsigned)a[i];
            most = fmax(most, a[i] * 0.5);
            if (a[i] < least) {
                least = a[i];
                place = i;
            }
        }
        int moved = a[k];
        a[k] = a[place];
        a[place] = moved;
        at[k] = place;
        sums[k] = sum;
        bits[k] = all;
        largest[k] = most;
        for (int i = k + 1; i < n; i++) {
            a[i] += k;
        }
    }
}

// A local array that rounds share, written by one task and read by another.
// run: window n=100 steps=20
kernel void window(int n, int steps, int x[n], int out[steps])
{
    int w[8] = {0};
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < 8; i++) {
            w[i] = w[i] * 3 + x[(s * 8 + i) % n];
        }
        for (int i = 0; i < n; i++) {
            x[i] += w[i % 8] & 15;
        }
        out[s] = w[s % 8];
    }
}

// Nothing is left of a round for some, and every branch of control has tasks.
// run: branches n=50 steps=12
kernel void branches(int n, int steps, int x[n], int y[n], const int flag[steps])
{
    for (int s = 0; s < steps; s++) {
        if (flag[s] % 3 == 0) {
            for (int i = 0; i < n; i++) {
                x[i] = y[n - 1 - i] + s;
            }
            continue;
        }
        if (s % 4 == 1) {
            for (int i = s; i < n; i++) {
                y[i] = x[i - s];
            }
        } else {
            y[s] = x[s];
            for (int i = 0; i < n - 10 * s; i++) {
                x[i] += y[i];
            }
        }
    }
}

// Out of two loops at once, at a place that data decides.
// run: two_ways_out n=16 m=20
kernel int two_ways_out(int n, int m, int a[n][m], int limit[1])
{
    int found = -1;
    for (int i = 1; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < m; j++) {
                a[i][j] += a[i - 1][m - 1 - j] + k;
            }
            if (a[i][i] > 60 + limit[0]) {
                found = i * 10 + k;
                goto out;
            }
        }
    }
out:
    for (int j = 0; j < m; j++) {
        a[0][j] = found;
    }
    return found;
}

// Two loops of rounds at the same time.
// run: beside n=70 steps=11
kernel void beside(int n, int steps, int x[n], int y[n])
{
    stream_parallel
    {
        for (int s = 0; s < steps; s++) {
            for (int i = 0; i < n; i++) {
                x[i] = x[i] * 3 + s;
            }
            x[s] = x[n - 1 - s];
        }
    }
    stream_parallel
    {
        for (int s = 0; s < steps; s++) {
            for (int i = 0; i < n; i++) {
                y[i] = y[i] * 5 - s;
            }
            y[n - 1] = y[s];
        }
    }
}

// The variable of the loop afterwards, also where there was no round.
// run: afterwards n=20 first=3 last=17
// run: afterwards n=20 first=9 last=2
kernel int afterwards(int n, int first, int last, int x[n])
{
    int s;
    for (s = first; s < last; s += 4) {
        for (int i = 0; i < n; i++) {
            x[i] += x[s] > 3 ? 1 : s;
        }
        x[s] = s;
    }
    if (s > 17) {
        for (int i = 0; i < n; i++) {
            x[i] -= s;
        }
    }
    return s;
}

// Rounds without a task: no thread waits for another before the last value is there.
// run: unmet n=4000 most=2 k=0
// run: unmet n=4000 most=6 k=0
kernel void unmet(int n, int most, int k, int x[n], int y[n])
{
    int number = k;
    for (int s = 0; s < most; s++) {
        if (number == 3) {
            for (int i = 0; i < n; i++) {
                x[i] += 1;
            }
            for (int i = 0; i < n; i++) {
                y[i] = x[n - 1 - i];
            }
        }
        number++;
    }
    for (int i = 0; i < n; i++) {
        y[i] += number;
    }
}
