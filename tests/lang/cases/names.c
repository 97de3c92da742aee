#include <rill/kernel.h>

struct particle { float mass, charge; };
typedef struct particle particle;
static const int number_of_steps = 10;

kernel void step(int count, particle p[count])
{
    for (int i = 0; i < cuont; i++) {
        p[i].mas = 1;
        p[i].position = 2;
        p[i].mass = squareroot(2.0f) + number_of_step;
    }
    cuont = 3; // said once for a function
    printf("%d\n", count);
    partical q;
    uint32 x = 1;
    enum colour c;
}

kernel void other(int n)
{
    int y = cuont + INT_MAX;
    goto ende;
end:
    y++;
}
