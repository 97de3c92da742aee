// Loops that carry something from one iteration to the next, each as somebody might write it who has not heard of Rill:
// scans, lists, searches, what is gathered.
#include <rill/kernel.h>

// run: inclusive n=40000 ~ 1e-3
kernel void inclusive(int n, const float a[n], float out[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
}

// run: exclusive n=40000 ~ 1e-9
kernel void exclusive(int n, const double a[n], double out[n])
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        out[i] = s;
        s += a[i];
    }
}

// run: in_place n=40000 ~ 1e-9
kernel void in_place(int n, double a[n])
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        a[i] = s;
    }
}

// run: in_place_exclusive n=40000 ~ 1e-9
kernel void in_place_exclusive(int n, double a[n])
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        double t = a[i];
        a[i] = s;
        s += t;
    }
}

// run: in_memory n=40000 ~ 1e-9
kernel void in_memory(int n, double a[n])
{
    for (int i = 1; i < n; i++) {
        a[i] += a[i - 1];
    }
}

// run: in_memory_long n=40000 ~ 1e-9
kernel void in_memory_long(int n, double a[n])
{
    for (int i = 1; i < n; i++) {
        a[i] = a[i] + a[i - 1];
    }
}

// run: in_memory_other n=40000 ~ 1e-9
kernel void in_memory_other(int n, const double a[n], double out[n])
{
    out[0] = a[0];
    for (int i = 1; i < n; i++) {
        out[i] = out[i - 1] + a[i];
    }
}

// run: ints n=40000
kernel void ints(int n, const int a[n], int out[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        out[i] = s;
    }
}

// run: running_max n=40000
kernel void running_max(int n, const float a[n], float out[n])
{
    float m = -1e30f;
    for (int i = 0; i < n; i++) {
        if (a[i] > m) {
            m = a[i];
        }
        out[i] = m;
    }
}

// run: running_fmax n=40000
kernel void running_fmax(int n, const float a[n], float out[n])
{
    float m = 0;
    for (int i = 0; i < n; i++) {
        m = fmaxf(m, a[i]);
        out[i] = m;
    }
}

// run: running_min n=40000
kernel void running_min(int n, const int a[n], int out[n])
{
    int m = 1 << 30;
    for (int i = 0; i < n; i++) {
        m = a[i] < m ? a[i] : m;
        out[i] = m;
    }
}

// run: running_product n=40000
kernel void running_product(int n, const unsigned a[n], unsigned out[n])
{
    unsigned m = 1;
    for (int i = 0; i < n; i++) {
        m *= a[i];
        out[i] = m;
    }
}

// run: running_and n=40000
kernel void running_and(int n, const unsigned a[n], unsigned out[n])
{
    unsigned m = 5;
    for (int i = 0; i < n; i++) {
        m &= a[i];
        out[i] = m;
    }
}

// run: running_or n=40000
kernel void running_or(int n, const unsigned a[n], unsigned out[n])
{
    unsigned m = 5;
    for (int i = 0; i < n; i++) {
        m |= a[i];
        out[i] = m;
    }
}

// run: running_xor n=40000
kernel void running_xor(int n, const unsigned a[n], unsigned out[n])
{
    unsigned m = 5;
    for (int i = 0; i < n; i++) {
        m ^= a[i];
        out[i] = m;
    }
}

// run: two_sums n=40000 ~ 1e-9
kernel void two_sums(int n, const double a[n], const double b[n], double out[n])
{
    struct two {
        double x, y;
    } s = {0, 0};
    for (int i = 0; i < n; i++) {
        s.x += a[i];
        s.y += b[i];
        out[i] = s.x * s.y;
    }
}

// run: two_loops_in_one n=40000 ~ 1e-9
kernel void two_loops_in_one(int n, const double a[n], double x[n], double y[n])
{
    double s = 0, t = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        x[i] = s;
        t += a[i] * a[i];
        y[i] = t;
    }
}

// run: linear n=40000 ~ 1e-9
kernel void linear(int n, const double a[n], const double b[n], double y[n])
{
    for (int i = 1; i < n; i++) {
        y[i] = 1 / a[i] * y[i - 1] + b[i];
    }
}

// run: smoothing n=40000 alpha=0.25 ~ 1e-9
kernel void smoothing(int n, double alpha, const double x[n], double y[n])
{
    double s = x[0];
    for (int i = 0; i < n; i++) {
        s = alpha * x[i] + (1 - alpha) * s;
        y[i] = s;
    }
}

// run: segmented n=40000 ~ 1e-9
kernel void segmented(int n, const double a[n], const int flag[n], double out[n])
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        if (flag[i] > 90) {
            s = 0;
        }
        s += a[i];
        out[i] = s;
    }
}

// run: segmented_choice n=40000 ~ 1e-9
kernel void segmented_choice(int n, const double a[n], const int flag[n], double out[n])
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s = flag[i] > 90 ? a[i] : s + a[i];
        out[i] = s;
    }
}

// run: backwards n=40000 ~ 1e-9
kernel void backwards(int n, const double a[n], double out[n])
{
    double s = 0;
    for (int i = n - 1; i >= 0; i--) {
        s += a[i];
        out[i] = s;
    }
}

// run: backwards_counted n=40000 ~ 1e-9
kernel void backwards_counted(int n, const double a[n], double out[n])
{
    double s = 0;
    for (int i = n; i-- > 0;) {
        s += a[i];
        out[i] = s;
    }
}

// run: rows n=200 m=300 ~ 1e-4
kernel void rows(int n, int m, const float a[n][m], float out[n][m])
{
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < m; j++) {
            s += a[i][j];
            out[i][j] = s;
        }
    }
}

// run: columns n=200 m=300
kernel void columns(int n, int m, int a[n][m])
{
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] += a[i - 1][j];
        }
    }
}

// run: integral_image n=200 m=300
kernel void integral_image(int n, int m, const int a[n][m], int out[n][m])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int j = 0; j < m; j++) {
            s += a[i][j];
            out[i][j] = s + (i > 0 ? out[i - 1][j] : 0);
        }
    }
}

// run: pointer_walk n=40000 ~ 1e-9
kernel void pointer_walk(int n, const double a[n], double out[n])
{
    const double *p = a;
    double *q = out, s = 0;
    for (int i = 0; i < n; i++) {
        s += *p++;
        *q++ = s;
    }
}

// run: by_while n=40000 ~ 1e-9
kernel void by_while(int n, const double a[n], double out[n])
{
    double s = 0;
    int i = 0;
    while (i < n) {
        s += a[i];
        out[i] = s;
        i++;
    }
}

// run: last_valid n=40000
kernel void last_valid(int n, const int a[n], int out[n])
{
    int last = -1;
    for (int i = 0; i < n; i++) {
        if (a[i] > 50) {
            last = i;
        }
        out[i] = last;
    }
}

// run: keep n=40000
kernel int keep(int n, const float x[n], float out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            out[k++] = x[i];
        }
    }
    return k;
}

// run: keep_apart n=40000
kernel int keep_apart(int n, const float x[n], float out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            out[k] = x[i];
            k++;
        }
    }
    return k;
}

// run: keep_prefix n=40000
kernel int keep_prefix(int n, const float x[n], float out[n])
{
    int k = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            out[++k] = x[i];
        }
    }
    return k + 1;
}

// run: keep_continue n=40000
kernel int keep_continue(int n, const float x[n], float out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] <= 10) {
            continue;
        }
        out[k] = x[i];
        k += 1;
    }
    return k;
}

// run: keep_indices n=40000
kernel int keep_indices(int n, const float x[n], int out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            out[k++] = i;
        }
    }
    return k;
}

// run: keep_both n=40000
kernel int keep_both(int n, const float x[n], float a[n], float b[n])
{
    int k = 0, l = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            a[k++] = x[i];
        } else {
            b[l++] = x[i];
        }
    }
    return k - l;
}

// run: keep_used n=40000
kernel int keep_used(int n, const float x[n], float out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            out[k++] = x[i];
        }
    }
    for (int j = 0; j < k; j++) {
        out[j] *= 2;
    }
    return k;
}

// run: keep_pointer n=40000
kernel int keep_pointer(int n, const float x[n], float out[n])
{
    float *q = out;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            *q++ = x[i];
        }
    }
    return (int)(q - out);
}

// run: keep_branchless n=40000
kernel int keep_branchless(int n, const float x[n], float out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        out[k] = x[i];
        k += x[i] > 10;
    }
    return k;
}

// run: keep_in_place n=40000
kernel int keep_in_place(int n, float x[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            x[k++] = x[i];
        }
    }
    return k;
}

// run: keep_while n=40000
kernel int keep_while(int n, const float x[n], float out[n])
{
    int k = 0, i = 0;
    while (i < n) {
        if (x[i] > 10) {
            out[k++] = x[i];
        }
        i++;
    }
    return k;
}

// run: keep_bounded n=40000
kernel int keep_bounded(int n, const float x[n], float out[n])
{
    int k = 0;
    for (int i = 0; i < n && k < 100; i++) {
        if (x[i] > 10) {
            out[k++] = x[i];
        }
    }
    return k;
}

// run: keep_memory n=40000
kernel void keep_memory(int n, const float x[n], float out[n], int count[1])
{
    count[0] = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            out[count[0]++] = x[i];
        }
    }
}

// run: count_only n=40000
kernel int count_only(int n, const float x[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            k++;
        }
    }
    return k;
}

// run: unique n=40000
kernel int unique(int n, const int x[n], int out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (i == 0 || x[i] != x[i - 1]) {
            out[k++] = x[i];
        }
    }
    return k;
}

// run: find n=40000
kernel int find(int n, const float x[n])
{
    int at = -1;
    for (int i = 0; i < n; i++) {
        if (x[i] > 31.2f) {
            at = i;
            break;
        }
    }
    return at;
}

// run: find_return n=40000
kernel int find_return(int n, const float x[n])
{
    for (int i = 0; i < n; i++) {
        if (x[i] > 31.2f) {
            return i;
        }
    }
    return -1;
}

// run: find_goto n=40000
kernel int find_goto(int n, const float x[n])
{
    int i;
    for (i = 0; i < n; i++) {
        if (x[i] > 31.2f) {
            goto out;
        }
    }
    i = -1;
out:
    return i;
}

// run: find_condition n=40000
kernel int find_condition(int n, const float x[n])
{
    int i = 0;
    while (i < n && x[i] <= 31.2f) {
        i++;
    }
    return i;
}

// run: find_empty_body n=40000
kernel int find_empty_body(int n, const float x[n])
{
    int i;
    for (i = 0; i < n && x[i] <= 31.2f; i++)
        ;
    return i;
}

// run: find_flag n=40000
kernel int find_flag(int n, const float x[n])
{
    int found = 0, at = 0;
    for (int i = 0; i < n && !found; i++) {
        if (x[i] > 31.2f) {
            found = 1;
            at = i;
        }
    }
    return at;
}

// run: all_of n=40000
kernel int all_of(int n, const float x[n])
{
    bool all = true;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) {
            all = false;
            break;
        }
    }
    return all;
}

// run: any_return n=40000
kernel int any_return(int n, const float x[n])
{
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) {
            return 1;
        }
    }
    return 0;
}

// run: find_last n=40000
kernel int find_last(int n, const float x[n])
{
    for (int i = n - 1; i >= 0; i--) {
        if (x[i] > 31.2f) {
            return i;
        }
    }
    return -1;
}

// run: find_do n=40000
kernel int find_do(int n, const float x[n])
{
    int i = -1;
    do {
        i++;
    } while (i < n - 1 && x[i] <= 31.2f);
    return i;
}

// run: append n=40000
kernel int append(int n, const float x[n], float out[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            int at = rill_atomic_add(&k, 1);
            out[at] = 1;
        }
    }
    return k;
}

// run: append_memory n=40000
kernel void append_memory(int n, const float x[n], float out[n], int k[1])
{
    for (int i = 0; i < n; i++) {
        if (x[i] > 10) {
            out[rill_atomic_add(&k[0], 1) % 40000] = 1;
        }
    }
}

struct item {
    float key;
    int at;
};
static struct item better(struct item a, struct item b)
{
    return b.key > a.key ? b : a;
}
// run: best_helper n=40000
kernel int best_helper(int n, const float x[n])
{
    struct item best = {-1, -1};
    for (int i = 0; i < n; i++) {
        struct item c = {x[i], i};
        best = better(best, c);
    }
    return best.at;
}

// run: argmax n=40000
kernel int argmax(int n, const float x[n])
{
    float m = x[0];
    int at = 0;
    for (int i = 1; i < n; i++) {
        if (x[i] > m) {
            m = x[i];
            at = i;
        }
    }
    return at;
}

// run: argmax_index n=40000
kernel int argmax_index(int n, const float x[n])
{
    int at = 0;
    for (int i = 1; i < n; i++) {
        if (x[i] > x[at]) {
            at = i;
        }
    }
    return at;
}

// run: argmin_payload n=40000
kernel int argmin_payload(int n, const float x[n], const int y[n])
{
    float m = 1e30f;
    int at = -1, what = 0;
    for (int i = 0; i < n; i++) {
        float d = x[i] - 3;
        d = d * d;
        if (d < m) {
            m = d;
            at = i;
            what = y[i];
        }
    }
    return at + what;
}

static float plus(float a, float b)
{
    return a + b;
}
// run: add_helper n=40000 ~ 1e-4
kernel float add_helper(int n, const float x[n])
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        s = plus(s, x[i]);
    }
    return s;
}

struct v3 {
    float x, y, z;
};
static struct v3 v3_add(struct v3 a, struct v3 b)
{
    return (struct v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
// run: vec_helper n=40000 ~ 1e-4
kernel void vec_helper(int n, const float x[3 * n], float out[3])
{
    struct v3 s = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        struct v3 p = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        s = v3_add(s, p);
    }
    out[0] = s.x;
    out[1] = s.y;
    out[2] = s.z;
}

// run: min_and_max n=40000
kernel void min_and_max(int n, const float x[n], float out[2])
{
    float lo = x[0], hi = x[0];
    for (int i = 0; i < n; i++) {
        if (x[i] < lo) {
            lo = x[i];
        }
        if (x[i] > hi) {
            hi = x[i];
        }
    }
    out[0] = lo;
    out[1] = hi;
}

// run: mean_and_variance n=40000 ~ 1e-9
kernel double mean_and_variance(int n, const double x[n])
{
    double s = 0, q = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        q += x[i] * x[i];
    }
    return q / n - s / n * (s / n);
}

// run: own_histogram n=40000
kernel void own_histogram(int n, const unsigned char x[n], int out[256])
{
    int h[256] = {0};
    for (int i = 0; i < n; i++) {
        h[x[i]]++;
    }
    for (int i = 0; i < 256; i++) {
        out[i] = h[i];
    }
}

// run: own_sums n=40000 ~ 1e-9
kernel void own_sums(int n, const unsigned char x[n], const double w[n], double out[64])
{
    double h[64];
    for (int i = 0; i < 64; i++) {
        h[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        h[x[i] % 64] += w[i];
    }
    for (int i = 0; i < 64; i++) {
        out[i] = h[i];
    }
}

// run: own_maximum n=40000
kernel void own_maximum(int n, const unsigned char x[n], const int w[n], int out[256])
{
    int h[256] = {0};
    for (int i = 0; i < n; i++) {
        if (w[i] > h[x[i]]) {
            h[x[i]] = w[i];
        }
    }
    for (int i = 0; i < 256; i++) {
        out[i] = h[i];
    }
}

// run: counting_sort n=40000
kernel void counting_sort(int n, const unsigned char x[n], unsigned char out[n])
{
    int h[257] = {0};
    for (int i = 0; i < n; i++) {
        h[x[i] + 1]++;
    }
    for (int i = 0; i < 256; i++) {
        h[i + 1] += h[i];
    }
    for (int i = 0; i < n; i++) {
        out[h[x[i]]++] = x[i];
    }
}

// run: csr_rows n=500 m=200
kernel int csr_rows(int n, int m, const int a[n][m], int start[n + 1], int col[n * m])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        start[i] = k;
        for (int j = 0; j < m; j++) {
            if (a[i][j] > 60) {
                col[k++] = j;
            }
        }
    }
    start[n] = k;
    return k;
}
