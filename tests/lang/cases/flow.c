int f(int n, float x)
{
    break;
    continue;
    case 1: n = 1;
    default: n = 2;
    switch (n) {
    case 1: case 2: break;
    case 2 ... 4: break;
    case 1 + 1: break;
    case n: break;
    case 1.5: break;
    case 9 ... 7: break;
    default: break;
    default: break;
    }
    switch (x) { }
    goto missing;
again:
again:
    if (n) int y = 1;
    else else n = 1;
    n;
    n == 1;
    x + 1, n;
    f(1, x);
    if (n) label: int z = 1;
    if (n) return 1;
}
