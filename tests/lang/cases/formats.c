#include <stdio.h>

void f(int i, long l, long long ll, float x, char *s, const char *format, unsigned u, size_t z)
{
    char name[8] = "name";
    printf("%d %u %x %c %i\n", i, u, i, i, u);
    printf("%ld %lld %zu %f %s %s %p %%\n", l, ll, z, x, name, "text", (void *)s);
    printf("%d\n", l);
    printf("%ld\n", i);
    printf("%lld\n", l);
    printf("%f\n", i);
    printf("%d\n", x);
    printf("%s\n", i);
    printf("%s\n", &i);
    printf("%p\n", i);
    printf("%d %d\n", i);
    printf("%d\n", i, i);
    printf("%*d\n", x, i);
    printf("%q\n", i);
    printf("%");
    printf("100%\n");
    printf();
}
