// Slips of everyday C and of blocks, one a kernel: each is found, and none hides the next.
#include <rill/kernel.h>

kernel int jump_out(int n, int a[n])
{
    stream_parallel { for (int i = 0; i < n; i++) a[i] += 1; return 3; }
    stream_parallel { a[0] = 2; }
    return 1;
}

kernel void goto_out(int n, int a[n])
{
    stream_parallel { if (n > 3) goto end; a[0]++; }
    end: ;
}

kernel void break_out(int n, int a[n])
{
    for (int t = 0; t < 3; t++) { stream_parallel { if (n > 3) break; a[0]++; } }
}

kernel void nested(int n, int a[n])
{
    stream_parallel { stream_parallel { a[0] = 1; } }
}

static void h(int n, int *a) { stream_parallel { a[0] = n; } }
kernel void in_helper(int n, int a[n]) { h(n, a); }

kernel void pragma_no_block(int n, int a[n])
{
#pragma rill in_order
    for (int i = 0; i < n; i++) a[i] = 1;
}

kernel void undeclared(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = b; }

kernel void missing_semi(int n, int a[n]) { for (int i = 0; i < n; i++) { a[i] = 3 } }

struct s { int x; };
kernel void wrong_type(int n, struct s a[n]) { for (int i = 0; i < n; i++) a[i] = 3; }

kernel void const_write(int n, const int a[n]) { for (int i = 0; i < n; i++) a[i] = 3; }

kernel void dup_case(int n, int a[n]) { switch (n) { case 1: a[0] = 1; break; case 1: a[0] = 2; } }

kernel void break_outside(int n, int a[n]) { a[0] = 1; break; }

kernel void dup_label(int n, int a[n]) { x: a[0]++; x: if (a[0] < 5) goto x; }

kernel void undefined_label(int n, int a[n]) { goto nowhere; }

static void nothing(void) {}
kernel void void_value(int n, int a[n]) { a[0] = nothing(); }

static int same(int x) { return x; }
kernel void too_many_args(int n, int a[n]) { a[0] = same(1, 2); }

kernel void pragma_orphan(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = 1;
#pragma rill parallel
}

kernel void pragma_unknown(int n, int a[n]) {
#pragma rill turbo
for (int i = 0; i < n; i++) a[i] = 1; }

kernel int *kernel_returns_pointer(int n, int a[n]) { return a; }
