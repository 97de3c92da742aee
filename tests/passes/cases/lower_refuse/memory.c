#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
extern int elsewhere;
int missing(int);
static int count(void) { static int calls; return ++calls; }
static int (*pointer)(void) = count;
__rill_kernel__ int memory(int n, char *p)
{
    int *q = malloc(4);
    free(q);
    puts("x");
    n += count();
    n += pointer();
    n += elsewhere;
    n += missing(n);
    n += (int)strlen(p);
    n += rand();
    q = (int *)(long)n;
    return n;
}
