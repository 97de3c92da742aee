// Stores to places that loaded data says: each keeps the store of its last iteration, as in serial C. Beside them
// textbook algorithms that read and write one array through indices that are not followed, which run in order.
#include <rill/kernel.h>
#include <stdint.h>
#include <string.h>

// run: by_index n=60000 m=300
// run: by_index n=60000 m=60000
// run: by_index n=30 m=3000
kernel void by_index(int n, int m, float v[n], float out[m])
{
    for (int i = 0; i < n; i++) {
        out[(int)v[i] * 7919 % m] = i;
    }
}

// run: permutation n=70001
kernel void permutation(int n, int at[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        at[i] = (int)((int64_t)i * 48271 % n);
    }
    for (int i = 0; i < n; i++) {
        out[at[i]] = i;
    }
}

// run: all_to_one n=50000
kernel void all_to_one(int n, int at[n], int out[4])
{
    for (int i = 0; i < n; i++) {
        out[at[i] & 1] = i;
    }
}

// struct particle: ffh6xd x y id mass
struct particle {
    float x, y;
    int16_t id;
    double mass;
};

// run: members n=40000 m=251
kernel void members(int n, int m, const int at[n], const float v[n], struct particle out[m])
{
    for (int i = 0; i < n; i++) {
        if (at[i] % 7 == 3) {
            continue;
        }
        out[at[i] - 1].x = v[i];
        if (i % 3 == 0) {
            out[at[i] - 1].y = i;
        }
        if (i % 5 == 0) {
            out[m - at[i]].mass = i;
            out[at[i] - 1].id = (int16_t)i;
        }
    }
}

// run: whole_structs n=40000 m=251
kernel void whole_structs(int n, int m, const int at[n], const struct particle from[n], struct particle out[m])
{
    for (int i = 0; i < n; i++) {
        out[at[i] - 1] = from[i];
    }
}

// run: small_elements n=80000 m=251
kernel void small_elements(int n, int m, const int at[n], uint8_t bytes[m], int16_t shorts[m], int64_t longs[m])
{
    for (int i = 0; i < n; i++) {
        bytes[at[i] - 1] = (uint8_t)i;
        shorts[(at[i] * 3) % m] = (int16_t)i;
        longs[at[(i + 1) % n] - 1] = i;
    }
}

// run: two_stores n=40000 m=600
kernel void two_stores(int n, int m, const int at[n], int out[m])
{
    for (int i = 0; i < n; i++) {
        out[at[i]] = i;
        out[at[n - 1 - i] + 1] = -i;
        if (at[i] % 2) {
            out[at[i]] = i + 7;
        }
    }
}

// run: rows n=3000 m=251
kernel void rows(int n, int m, const int at[n], const float v[n][40], float out[m][40])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 40; j++) {
            out[at[i] - 1][j] = v[i][j] + i;
        }
    }
}

// run: compressed_rows n=9000
kernel void compressed_rows(int n, int start[n + 1], int out[4 * n])
{
    for (int i = 0; i <= n; i++) {
        start[i] = 3 * i + i % 2;
    }
    for (int i = 0; i < n; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            out[k] = i;
        }
    }
}

// run: inside_a_search n=20000 m=600
kernel void inside_a_search(int n, int m, const int at[n], int out[m])
{
    for (int i = 0; i < n; i++) {
        int k = at[i];
        while (k % 5 != 0) {
            k += at[k];
            if (k > 400) {
                break;
            }
        }
        switch (at[i] % 3) {
        case 0: out[k % m] = i; break;
        case 1: out[at[i]] = -i;
        default: k = 0;
        }
    }
}

// run: through_a_local n=30000 m=700
kernel void through_a_local(int n, int m, const int at[n], int out[m])
{
    for (int i = 0; i < n; i++) {
        int corner[4];
        for (int k = 0; k < 4; k++) {
            corner[k] = at[(i + k) % n] + k;
        }
        out[corner[i % 4] + corner[(i + 1) % 4]] = i;
    }
}

// run: beside_sums n=50000 m=251
kernel long beside_sums(int n, int m, const int at[n], int out[m], int count[m])
{
    long sum = 0;
    int last = -1;
    for (int i = 0; i < n; i++) {
        sum += at[i];
        count[at[i] - 1]++;
        out[at[i] - 1] = i;
        if (at[i] > 90) {
            last = i;
        }
    }
    return sum * 3 + last;
}

static int table[512];

// run: into_a_field n=50000
kernel int into_a_field(int n, const int at[n])
{
    for (int i = 0; i < n; i++) {
        table[at[i]] = i;
    }
    int sum = 0;
    for (int i = 0; i < 512; i++) {
        sum ^= table[i] + i;
    }
    return sum;
}

// run: in_time n=20000 m=251 steps=6
kernel void in_time(int n, int m, int steps, int at[n], int out[m])
{
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++) {
            out[(at[i] + s) % m] = i + s;
        }
        for (int i = 0; i < n; i++) {
            at[i] = (at[i] + out[i % m]) % 251 + 1;
        }
    }
}

// run: in_blocks n=40000 m=251
kernel void in_blocks(int n, int m, const int at[n], int out[m], int other[m])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            out[at[i] - 1] = i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            other[at[n - 1 - i] - 1] = i;
        }
    }
}

// run: overlapping n=30000
kernel void overlapping(int n, int a[2 * n + 300])
{
    int *at = a, *out = a + 100;
    for (int i = 0; i < n; i++) {
        out[at[i] % n + i / 2] = at[i] % 251 + 1;
    }
}

// run: first_index n=9000 m=251 from=5
kernel void first_index(int n, int m, const int at[n], unsigned short from, int out[m])
{
    for (unsigned short i = from; i < n; i += 3) {
        out[at[i] - 1] = i;
    }
}

// run: downwards n=50000 m=251
kernel void downwards(int n, int m, const int at[n], int out[m])
{
    for (long i = n - 1; i >= 0; i -= 2) {
        out[at[i] - 1] = (int)i;
    }
}

// run: by_product n=40000
kernel void by_product(int n, int out[n])
{
    for (long i = 0; i < n; i++) {
        out[i * i % n] = (int)i;
    }
}

// run: by_bits n=32768
kernel void by_bits(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i ^ 5] = i;
    }
}

static void set_place(int *place, int at)
{
    *place = at;
}

// run: place_from_a_helper n=40000
kernel void place_from_a_helper(int n, const int at[n], int out[100])
{
    for (int i = 0; i < n; i++) {
        int place = 0;
        set_place(&place, at[i]);
        out[place] = i;
    }
}

// run: rows_by_data n=16
kernel void rows_by_data(int n, const int at[n], int out[16][16])
{
#pragma rill serial
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 16; j++) {
            out[at[i] & 15][j] = i;
        }
    }
}

struct __attribute__((packed)) packed_cell {
    char tag;
    int where;
};

// run: packed n=40000 m=251
kernel void packed(int n, int m, const int at[n], unsigned char bytes[5 * 251])
{
    for (int i = 0; i < n; i++) {
        ((struct packed_cell *)bytes)[at[i] - 1].where = i;
        if (i % 3 == 0) {
            ((struct packed_cell *)bytes)[at[i] - 1].tag = (char)i;
        }
    }
    for (int i = 0; i < m; i++) {
        bytes[5 * i] ^= 1;
    }
}

// run: copied n=40000 m=251
kernel void copied(int n, int m, const int at[n], const struct particle from[n], struct particle out[m])
{
    for (int i = 0; i < n; i++) {
        memcpy(&out[at[i] - 1], &from[i], sizeof out[0]);
    }
}

// run: remainder_of_data n=40000 m=251
kernel void remainder_of_data(int n, int m, const int v[n], int out[m])
{
    for (int i = 0; i < n; i++) {
        out[((v[i] - 500) % m + m) % m] = i;
    }
}
