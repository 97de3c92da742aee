_Static_assert(sizeof(int) == 4, "fine");
_Static_assert(sizeof(int) == 8, "int is small");
_Static_assert(0);
int n;
_Static_assert(n, "not a constant");
struct s { int a; _Static_assert(1 == 2, "in a struct"); };
void f(void) { _Static_assert(3 < 2, "in a block"); }
