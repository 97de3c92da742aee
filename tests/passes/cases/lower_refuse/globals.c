static int small[4];
static int large[] = {[600000000] = 1};
static int *pointers[20000000] = {[5] = small};
__rill_kernel__ int globals(int n)
{
    static const char more[1000000000] = "text";
    return large[n] + *pointers[n] + more[n];
}
