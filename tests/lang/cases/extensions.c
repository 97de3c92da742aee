int f(int n)
{
    int x = ({ int y = n; y + 1; });
    x = n ?: 2;
    _Atomic int a = 1;
    _Thread_local int t;
    __asm__("nop");
    void *p = &&label;
label:
    return x;
}
typedef float vec __attribute__((vector_size(16)));
int k(a, b) int a; { return a; }
int after(int n) { return _Generic(n, float: 1, double: 2); }
int twice(int n) { return _Generic(n, int: 1, int: 2, default: 3, default: 4); }
__asm__("nop");
double unheard(double x) { __label__ out; return __builtin_isnan(x) + __builtin_return_address(0) + __builtin_fabs(x); }
void fences(int n) { int x; __asm__("" : "=r"(x) : "0"(&n)); __asm__("" : "=r"(n + 1) : "0"(3)); __asm__("" : "r"); }
