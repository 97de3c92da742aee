typedef int order __attribute__((scalar_storage_order("big-endian")));
typedef float four __attribute__((ext_vector_type(4)));
typedef union { int i; float f; } __attribute__((__transparent_union__)) either;
static void set(void) __attribute__((constructor));
static void set(void) {}
static void unset(int *p) { *p = 0; }
__attribute__((optimize("O3", "unroll-loops"), hot, always_inline)) static inline int a(int x) { return x; }
__attribute__((optimize("fp-contract=off"))) static float b(float x) { return x * x + x; }
extern int other(int) __attribute__((alias("a")));
int f(int n)
{
    int x __attribute__((cleanup(unset))) = n;
    int y __attribute__((unused)) = n;
    switch (x) {
    case 1: x++; __attribute__((fallthrough));
    case 2: x++; break;
    default: break;
    }
    return x;
}
typedef int too_wide __attribute__((mode(TI)));
static int moded(int x __attribute__((mode(QI)))) { return x; }
