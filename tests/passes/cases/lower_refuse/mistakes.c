// What is C and no kernel, each once, as people write it.
#include <rill/kernel.h>
#include <stdlib.h>
#include <complex.h>
#include <stdarg.h>
#include <errno.h>
#include <setjmp.h>

static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
kernel void recursion(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = fact(i); }

static int odd(int n); static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
kernel void mutual_recursion(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = even(i); }

kernel void kernel_recursion(int n, int a[n]) { if (n > 1) kernel_recursion(n - 1, a); a[0]++; }

static int f(int x) { return x; }
kernel void fptr(int n, int a[n]) { int (*p)(int) = f; for (int i = 0; i < n; i++) a[i] = p(i); }

kernel void static_local(int n, int a[n]) { static int c; for (int i = 0; i < n; i++) a[i] = c++; }

static int vla_object(int n, int i) { int t[n]; t[0] = i; return t[0]; }
kernel void vla_in_helper(int n, int a[n]) { for (int i = 0; i < n; i++) { a[i] = vla_object(n, i); } }

kernel void uses_malloc(int n, int a[n]) { int *p = malloc(4); a[0] = p != 0; }

kernel void long_double(int n, double a[n]) { for (int i = 0; i < n; i++) { long double x = a[i]; a[i] = x * 2; } }

kernel void uses_complex(int n, double a[n]) { long double _Complex z = 1; a[0] = 2; }

static int sum(int n, ...) { va_list l; va_start(l, n); int s = va_arg(l, int); va_end(l); return s; }
kernel void varargs(int n, int a[n]) { a[0] = sum(1, 2); }

kernel void uses_errno(int n, int a[n]) { a[0] = errno; }

kernel void uses_setjmp(int n, int a[n]) { jmp_buf b; a[0] = setjmp(b); }

kernel void inline_asm(int r[4]) { __asm__("nop"); r[0] = 1; }

kernel void int_to_pointer(int n, int a[n]) { int *p = (int *)0x1000; a[0] = *p; }

kernel void int_roundtrip_pointer(int n, int a[n]) { int *p = (int *)((uintptr_t)a + 4); p[0] = 3; }

static int big_local(int n, int a[n])
{
    int t[20000];
    for (int i = 0; i < n; i++) t[i] = a[i];
    for (int i = 1; i < n; i++) a[i] = t[i - 1];
    return t[0];
}
kernel int calls_big_local(int n, int a[n]) { return big_local(n, a); }
