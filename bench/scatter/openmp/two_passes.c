// A scatter by hand with OpenMP, without critical sections: the first pass finds the last iteration that stores to each
// place, the second stores what that one has. Then the same where no two places are equal.

void two_passes(int n, int m, const int *restrict at, const float *restrict v, float *restrict out, int *restrict last)
{
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int k = 0; k < m; k++) {
            last[k] = -1;
        }
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++) {
            int seen = __atomic_load_n(&last[at[i]], __ATOMIC_RELAXED);
            while (seen < i &&
                   !__atomic_compare_exchange_n(&last[at[i]], &seen, i, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            }
        }
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++) {
            if (last[at[i]] == i) {
                out[at[i]] = v[i];
            }
        }
    }
}

void one_pass(int n, int m, const int *restrict at, const float *restrict v, float *restrict out, int *restrict last)
{
    (void)m;
    (void)last;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        out[at[i]] = v[i];
    }
}
