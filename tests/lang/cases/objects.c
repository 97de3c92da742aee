const int constant = 3;
struct locked { const int id; int value; };
extern int e;
static int e;
int twice = 1;
int twice = 2;
int typed;
float typed;
int name;
int name(void);
void v;
struct incomplete x;
int array[];
int zero[0];
int negative[-3];
int huge[1000000000][1000000000];
int fractional[1.5];
int runtime[name];
auto int automatic;

int f(int n, int n, struct locked l)
{
    int x;
    float x;
    constant = 4;
    constant++;
    l = l;
    l.id = 3;
    l.value = 4;
    "abc" = 0;
    f = 0;
    n + 1 = 2;
    &n = 0;
    int *p = &3;
    p = &f(1, 2, l);
    (n) = 1;
    static int s = n;
    extern int w = 3;
    register int r;
    typedef int T;
    T T;
    int a[3];
    a = 0;
    return sizeof(void) + sizeof(struct incomplete) + _Alignof(struct incomplete);
}

int f(int a, int b, struct locked c) { return a; }
