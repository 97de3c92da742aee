// Searches: loops that are left early. Chunks of a search begin with 4,096 iterations and double, each beginning with
// the last iteration of the one before: hits at 4,095, 4,096, 12,286 and 12,287 are at the edges of two.
#include <rill/kernel.h>
#include <stdio.h>

static int fill(int i)
{
    return (i * 7 + i / 13) % 1000;
}

// run: with_break n=20000 at=0
// run: with_break n=20000 at=4094
// run: with_break n=20000 at=4095
// run: with_break n=20000 at=4096
// run: with_break n=20000 at=12286
// run: with_break n=20000 at=12287
// run: with_break n=20000 at=19999
// run: with_break n=20000 at=-1
// run: with_break n=0 at=-1
// run: with_break n=1 at=0
// run: with_break n=4096 at=4095
// run: with_break n=4097 at=4096
kernel int with_break(int n, int at, int a[n], int out[2])
{
    for (int i = 0; i < n; i++) {
        a[i] = fill(i);
    }
    if (at >= 0) {
        a[at] = -5;
    }
    int found = -1, i;
    for (i = 0; i < n; i++) {
        if (a[i] == -5) {
            found = i;
            break;
        }
    }
    out[0] = i;
    out[1] = found;
    return found;
}

// run: with_return n=30000 at=17000
// run: with_return n=30000 at=-1
kernel int with_return(int n, int at, int a[n], int out[1])
{
    for (int i = 0; i < n; i++) {
        a[i] = fill(i);
    }
    if (at >= 0) {
        a[at] = -5;
    }
    out[0] = 1;
    for (int i = 0; i < n; i++) {
        if (a[i] < 0) {
            return i;
        }
    }
    out[0] = 2;
    return -1;
}

// run: with_goto n=30000 at=29999
// run: with_goto n=30000 at=-1
kernel int with_goto(int n, int at, int a[n])
{
    int i, r = 0;
    for (i = 0; i < n; i++) {
        a[i] = fill(i);
    }
    if (at >= 0) {
        a[at] = -5;
    }
    for (i = 0; i < n; i++) {
        if (a[i] == -5) {
            goto found;
        }
    }
    r = 100;
found:
    return r + i;
}

// run: in_condition n=20000 at=12288
// run: in_condition n=20000 at=0
// run: in_condition n=20000 at=-1
kernel int in_condition(int n, int at, int a[n])
{
    int i;
    for (i = 0; i < n; i++) {
        a[i] = fill(i);
    }
    if (at >= 0) {
        a[at] = -5;
    }
    for (i = 0; i < n && a[i] != -5; i++)
        ;
    return i;
}

// run: with_while n=20000 at=9000
// run: with_while n=20000 at=-1
kernel int with_while(int n, int at, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = fill(i);
    }
    if (at >= 0) {
        a[at] = -5;
    }
    int i = 3;
    while (i < n && a[i] != -5) {
        i++;
    }
    return i;
}

// run: several_hits n=50000 first=20000
// run: several_hits n=50000 first=49990
kernel int several_hits(int n, int first, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i >= first && i % 3 == 0;
    }
    int at = -1;
    for (int i = 0; i < n; i++) {
        if (a[i]) {
            at = i;
            break;
        }
    }
    return at;
}

// run: any n=20000 at=15000
// run: any n=20000 at=-1
kernel int any(int n, int at, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i != at;
    }
    int ok = 1;
    for (int i = 0; i < n; i++) {
        if (!a[i]) {
            ok = 0;
            break;
        }
    }
    return ok;
}

// run: value_of_hit n=20000 at=15000
// run: value_of_hit n=20000 at=-1
kernel double value_of_hit(int n, int at, double x[n], double out[1])
{
    for (int i = 0; i < n; i++) {
        x[i] = i * 0.25;
    }
    if (at >= 0) {
        x[at] = 1e6;
    }
    double best = -1;
    for (int i = 0; i < n; i++) {
        double y = x[i] * x[i] + 1;
        if (y > 1e11) {
            best = y;
            out[0] = x[i];
            break;
        }
    }
    return best;
}

// run: nan_first n=20000 at=15000
// run: nan_first n=20000 at=0
kernel int nan_first(int n, int at, float x[n])
{
    for (int i = 0; i < n; i++) {
        x[i] = i;
    }
    x[at] = NAN;
    int i;
    for (i = 0; i < n; i++) {
        if (!(x[i] < 1e9f)) {
            break;
        }
    }
    return i;
}

// run: downwards n=20000 at=3
// run: downwards n=20000 at=15904
// run: downwards n=20000 at=-1
kernel int downwards(int n, int at, int a[n])
{
    int i;
    for (i = 0; i < n; i++) {
        a[i] = fill(i);
    }
    if (at >= 0) {
        a[at] = -5;
    }
    for (i = n - 1; i >= 0; i--) {
        if (a[i] < 0) {
            break;
        }
    }
    return i;
}

// run: downwards_unsigned n=20000 at=3
// run: downwards_unsigned n=20000 at=-1
kernel unsigned downwards_unsigned(unsigned n, int at, int a[n])
{
    for (unsigned i = 0; i < n; i++) {
        a[i] = fill(i);
    }
    if (at >= 0) {
        a[at] = -5;
    }
    unsigned i = n;
    while (i > 0 && a[i - 1] >= 0) {
        i--;
    }
    return i;
}

// run: by_threes n=60000 at=30000
// run: by_threes n=60000 at=30001
// run: by_threes n=60001 at=59999
kernel int by_threes(int n, int at, int a[n])
{
    int i;
    for (i = 0; i < n; i++) {
        a[i] = i == at;
    }
    for (i = 0; i < n; i += 3) {
        if (a[i]) {
            break;
        }
    }
    return i;
}

// run: wide n=20000 at=19998
// run: wide n=20000 at=-1
kernel long wide(size_t n, long at, long a[n])
{
    for (size_t i = 0; i < n; i++) {
        a[i] = (long)i == at;
    }
    for (size_t i = 0; i < n; i++) {
        if (a[i]) {
            return (long)i;
        }
    }
    return -1;
}

// run: int_with_long_bound n=20000 at=19998
kernel long int_with_long_bound(long n, long at, long a[n])
{
    for (long i = 0; i < n; i++) {
        a[i] = i == at;
    }
    int i;
    for (i = 0; i < n; i++) {
        if (a[i]) {
            break;
        }
    }
    return i;
}

// run: not_equal n=20000 at=19998
// run: not_equal n=20000 at=-1
kernel int not_equal(int n, int at, int a[n])
{
    int i;
    for (i = 0; i != n; i++) {
        a[i] = i == at;
    }
    for (i = 0; i != n; ++i) {
        if (a[i] != 0) {
            break;
        }
    }
    return i;
}

// run: with_continue n=20000 at=7000 other=9000
// run: with_continue n=20000 at=7001 other=9000
kernel int with_continue(int n, int at, int other, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at || i == other;
    }
    int found = -1;
    for (int i = 0; i < n; i++) {
        if (i % 2) {
            continue;
        }
        if (a[i]) {
            found = i;
            break;
        }
    }
    return found;
}

// run: two_exits n=20000 at=7000 other=9000
// run: two_exits n=20000 at=9000 other=7000
// run: two_exits n=20000 at=9000 other=9000
// run: two_exits n=20000 at=-1 other=-1
kernel int two_exits(int n, int at, int other, int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at;
        b[i] = i == other;
    }
    int kind = 0, i;
    for (i = 0; i < n; i++) {
        if (a[i]) {
            kind = 1;
            break;
        }
        if (b[i] == 1) {
            kind = 2 + kind;
            break;
        }
    }
    return 100000 * kind + i;
}

// The last iterations that were completed leave something.
// run: keeps_last n=20000 at=7000
// run: keeps_last n=20000 at=0
// run: keeps_last n=20000 at=-1
kernel int keeps_last(int n, int at, int a[n], int out[3])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at ? -1 : fill(i);
    }
    int before = -7, now = -8, i;
    for (i = 0; i < n; i++) {
        now = a[i] * 2;
        if (now < 0) {
            break;
        }
        before = now + i;
    }
    out[0] = before;
    out[1] = now;
    out[2] = i;
    return before;
}

// Carries a value: in order.
// run: carries n=20000
kernel int carries(int n, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = fill(i);
    }
    int sum = 0, i;
    for (i = 0; i < n; i++) {
        sum += a[i];
        if (sum > 3000000) {
            break;
        }
    }
    return sum + i;
}

// run: changes_sometimes n=20000 at=15000
kernel int changes_sometimes(int n, int at, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at ? -1 : fill(i);
    }
    int last = -1;
    for (int i = 0; i < n; i++) {
        if (a[i] == 77) {
            last = i;
        }
        if (a[i] < 0) {
            break;
        }
    }
    return last;
}

// Stores before it leaves: in order.
// run: stores n=20000 at=15000
kernel int stores(int n, int at, int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at;
        b[i] = 0;
    }
    int i;
    for (i = 0; i < n; i++) {
        b[i] = i + 1;
        if (a[i]) {
            break;
        }
    }
    return i;
}

// run: prints_first n=9000 at=5000
kernel void prints_first(int n, int at, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at;
    }
    for (int i = 0; i < n; i++) {
        if (i % 2500 == 0) {
            printf("%d\n", i);
        }
        if (a[i]) {
            printf("found %d\n", i);
            break;
        }
    }
}

// run: stores_on_the_way_out n=9000 at=5000
// run: stores_on_the_way_out n=9000 at=-1
kernel void stores_on_the_way_out(int n, int at, int a[n], int out[2])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at;
    }
    out[0] = out[1] = -1;
    for (int i = 0; i < n; i++) {
        if (a[i]) {
            out[0] = i;
            if (i > 10) {
                out[1] = i * 2;
            }
            printf("found %d\n", i);
            break;
        }
    }
}

// The bound is more than the array has: C never gets there.
// run: beyond_the_array n=6000 m=1000000000 at=5999
// run: beyond_the_array n=6000 m=1000000000 at=10
kernel int beyond_the_array(int n, int m, int at, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at;
    }
    for (int i = 0; i < m; i++) {
        if (a[i]) {
            return i;
        }
    }
    return -1;
}

// run: indirect n=20000 m=10 at=5000
kernel int indirect(int n, int m, int at, int a[n], int b[m])
{
    for (int i = 0; i < n; i++) {
        a[i] = i < at ? i % m : 1 << 30; // behind the hit nothing may be read
    }
    for (int i = 0; i < m; i++) {
        b[i] = i;
    }
    a[at] = 3;
    int i;
    for (i = 0; i < n; i++) {
        int k = a[i];
        if (i >= at || b[k] > 100) {
            break;
        }
    }
    return i;
}

// run: neighbours n=20000 at=15000
// run: neighbours n=20000 at=-1
kernel int neighbours(int n, int at, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = at >= 0 && i >= at ? -i : i;
    }
    int i;
    for (i = 1; i < n; i++) {
        if (a[i] < a[i - 1]) {
            break; // is it sorted?
        }
    }
    return i;
}

// run: row_with n=6000 m=7 at=5500
// run: row_with n=6000 m=7 at=-1
// run: row_with n=6000 m=0 at=-1
kernel int row_with(int n, int m, int at, int a[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = i == at ? 9 : 1;
        }
    }
    int row = -1;
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
        }
        if (sum == 9 * m && m > 0) {
            row = i;
            break;
        }
    }
    return row;
}

// run: substring n=20000 m=5 at=14000
// run: substring n=20000 m=5 at=-1
kernel int substring(int n, int m, int at, char text[n], char word[m])
{
    for (int i = 0; i < n; i++) {
        text[i] = 'a' + fill(i) % 20;
    }
    for (int j = 0; j < m; j++) {
        word[j] = 'z' - j;
        if (at >= 0) {
            text[at + j] = 'z' - j;
        }
    }
    int i;
    for (i = 0; i + m <= n; i++) {
        int same = 1;
        for (int j = 0; j < m; j++) {
            same = same && text[i + j] == word[j];
        }
        if (same) {
            break;
        }
    }
    return i;
}

// run: in_time_loop n=9000 steps=5
kernel int in_time_loop(int n, int steps, int a[n], int out[steps])
{
    int t = 0;
    for (int i = 0; i < n; i++) {
        a[i] = i == 8000;
    }
    while (t < steps) {
        int at = -1;
        for (int i = 0; i < n; i++) {
            if (a[i] > 0) {
                at = i;
                break;
            }
        }
        out[t] = at;
        for (int i = 0; i < n; i++) {
            a[i] = i == at - 1500;
        }
        t++;
    }
    return t;
}

// run: in_rows n=50 m=6000
kernel void in_rows(int n, int m, int a[n][m], int out[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = j == i * 100;
        }
    }
    for (int i = 0; i < n; i++) {
        int at = -1;
        for (int j = 0; j < m; j++) {
            if (a[i][j]) {
                at = j;
                break;
            }
        }
        out[i] = at;
    }
}

// run: in_blocks n=9000 at=8000 other=4096
kernel void in_blocks(int n, int at, int other, int a[n], int b[n], int out[2])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            a[i] = i == at;
        }
        int i;
        for (i = 0; i < n; i++) {
            if (a[i]) {
                break;
            }
        }
        out[0] = i;
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            b[i] = i == other;
        }
        int i = 0;
        while (i < n && !b[i]) {
            i++;
        }
        out[1] = i;
    }
}

// Read by a pointer of which no size is known: in order.
// run: any_size n=9000 at=8000 a=9000
kernel int any_size(int n, int at, int *a)
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at;
    }
    for (int i = 0; i < n; i++) {
        if (a[i]) {
            return i;
        }
    }
    return -1;
}

// The bound is read from memory, and the result decides what follows.
// run: bound_in_memory n=9000 at=8000
kernel int bound_in_memory(int n, int at, int a[n], int last[1])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at;
    }
    last[0] = n - 10;
    int i;
    for (i = 0; i < last[0]; i++) {
        if (a[i]) {
            break;
        }
    }
    if (i < last[0]) {
        for (int j = 0; j < n; j++) {
            a[j] += i;
        }
    }
    return i;
}

// run: asked_for n=9000 at=8000
kernel int asked_for(int n, int at, int a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = i == at;
    }
    int i;
#pragma rill serial
    for (i = 0; i < n; i++) {
        if (a[i]) {
            break;
        }
    }
    return i;
}

// A search inside of a loop whose step may lead away: it is one in neither version of the nest.
// run: under_a_step n=40 m=30 h=3
// run: under_a_step n=40 m=30 h=-1
kernel int under_a_step(int n, int m, int h, const int a[n], int out[n])
{
    int rounds = 0;
    for (int i = 0; i < n; i += h) {
        int k = 0;
        while (k < m && a[k] != i) {
            k++;
        }
        out[i] = k;
        rounds++;
        if (h < 0) {
            break;
        }
    }
    return rounds;
}

// run: under_a_wrap n=40 m=30
kernel int under_a_wrap(int n, int m, const int a[n], int out[n])
{
    int rounds = 0;
    for (uint8_t i = 0; i < (n < 256 ? n : 255); i += 2) {
        int k = 0;
        while (k < m && a[k] != i) {
            k++;
        }
        out[i] = k;
        rounds++;
    }
    return rounds;
}

// What the search leaves to the loop of the source has two loops that become one task.
// run: row_with_two n=6000 m=40 at=5500
// run: row_with_two n=50 m=40 at=-1
kernel int row_with_two(int n, int m, int at, int a[n][m], int twice[m], int thrice[m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = i == at ? 9 : 1;
        }
    }
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
        }
        if (sum == 9 * m) {
            for (int j = 0; j < m; j++) {
                twice[j] = 2 * a[i][j];
            }
            for (int j = 0; j < m; j++) {
                thrice[j] = a[i][j] + twice[j];
            }
            return i;
        }
    }
    return -1;
}
