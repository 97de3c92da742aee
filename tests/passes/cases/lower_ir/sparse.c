static int field[1000000] = {[5] = 3, [999999] = -1};
static const double constant[200000] = {[100000] = 1.5};
static int none[1000000] = {[3] = 0};
__rill_kernel__ void sparse(int n, double x[n])
{
    x[0] = constant[100000] + constant[1] + constant[n] + field[n] + none[n];
}
