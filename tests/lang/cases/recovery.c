int missing_semicolon = 1
int after = 2;
struct unfinished { int a int b; float c; };
int f(int n)
{
    int x = ;
    for (int i = 0 i < n; i++) { x += i; }
    if (n > { x = 1; }
    x = (n + 1;
    x = n +* 2;
    return x
}
int a[3] = {1, 2,, 3};
int b[2] = {{1, 2}, .q = 3};
float g(float y { return y; }
int h(void) { unknown_thing(1, 2; return later; }
}
double last = 1.0;
int i = last_one;
