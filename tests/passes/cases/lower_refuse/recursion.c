static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__rill_kernel__ int recursion(int n) { return even(n); }
static int not_reached(int n) { return n > 0 ? not_reached(n - 1) : 0; }
