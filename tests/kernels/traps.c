// Programs that look parallel and are not, or not quite: each gives what gcc's build gives.
#include <rill/kernel.h>

// run: insertion_sort n=300
kernel void insertion_sort(int n, int x[n])
{
    for (int i = 1; i < n; i++) {
        int v = x[i], k = i;
        for (; k > 0 && x[k - 1] > v; k--) {
            x[k] = x[k - 1];
        }
        x[k] = v;
    }
}

// run: fill_hash_table n=300
kernel void fill_hash_table(int n, const int x[n], int table[512])
{
    for (int i = 0; i < 512; i++) {
        table[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        int key = x[i] * 1000 + i;
        unsigned h = (unsigned)key * 2654435761u % 512;
        while (table[h] != 0) {
            h = (h + 1) % 512;
        }
        table[h] = key;
    }
}

// run: join_sets n=200
kernel void join_sets(int n, const int x[2 * n], int parent[100])
{
    for (int i = 0; i < 100; i++) {
        parent[i] = i;
    }
    for (int i = 0; i < n; i++) {
        int a = x[2 * i], b = x[2 * i + 1];
        while (parent[a] != a) {
            a = parent[a];
        }
        while (parent[b] != b) {
            b = parent[b];
        }
        if (a != b) {
            parent[a] = b;
        }
    }
}

// run: sift_down n=300
kernel void sift_down(int n, int x[n])
{
    for (int i = n / 2 - 1; i >= 0; i--) {
        int at = i;
        for (;;) {
            int c = 2 * at + 1;
            if (c >= n) {
                break;
            }
            if (c + 1 < n && x[c + 1] > x[c]) {
                c++;
            }
            if (x[at] >= x[c]) {
                break;
            }
            int t = x[at];
            x[at] = x[c];
            x[c] = t;
            at = c;
        }
    }
}

// run: rank_scatter n=200
kernel void rank_scatter(int n, const int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        int rank = 0;
        for (int k = 0; k < n; k++) {
            if (x[k] < x[i] || (x[k] == x[i] && k < i)) {
                rank++;
            }
        }
        y[rank] = x[i];
    }
}

// run: neighbours_around n=1000
kernel void neighbours_around(int n, int x[n])
{
    for (int i = 0; i < n; i++) {
        int left = i > 0 ? i - 1 : n - 1;
        int right = i < n - 1 ? i + 1 : 0;
        x[i] = (x[left] + x[right]) & 1023;
    }
}

// run: largest_run n=1000 wild
kernel int largest_run(int n, const int x[n])
{
    int sum = 0, most = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] >> 8;
        if (sum < 0) {
            sum = 0;
        }
        if (sum > most) {
            most = sum;
        }
    }
    return most;
}

// run: two_smallest n=1000 wild
kernel int two_smallest(int n, const int x[n])
{
    int first = 2147483647, second = 2147483647, where = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] < first) {
            second = first;
            first = x[i];
            where = i;
        } else if (x[i] < second) {
            second = x[i];
        }
    }
    return second ^ where;
}

struct item {
    struct item *next;
    int value;
};
struct item *chain;

// run: list_of_locals n=1000
kernel int list_of_locals(int n, int x[n])
{
    struct item last = {0, x[1]};
    struct item first = {&last, x[0]};
    chain = &first;
    for (int i = 0; i < n; i++) {
        x[i] += 3;
    }
    int sum = 0;
    for (struct item *p = chain; p != 0; p = p->next) {
        sum = sum * 100 + p->value;
        p->value = 1;
    }
    for (int i = 0; i < n; i++) {
        x[i] += first.value + last.value;
    }
    chain = 0;
    return sum;
}

// run: halves_of_words n=500 wild
kernel void halves_of_words(int n, int x[n])
{
    short *half = (short *)x;
    for (int i = 0; i < n; i++) {
        half[2 * i + 1] = (short)x[i];
    }
    for (int i = 0; i < n - 1; i++) {
        half[2 * i + 3] = (short)x[i];
    }
}

// run: table_that_stays_partly n=250
kernel void table_that_stays_partly(int n, int x[4 * n])
{
    int row[4] = {1, 2, 3, 4};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            if (x[4 * i + k] & 1) {
                row[k] = x[4 * i + k];
            }
        }
        for (int k = 0; k < 4; k++) {
            x[4 * i + k] = row[3 - k];
        }
    }
}
