//@ buffer b0 i32 40 range 1 50
//@ int 30
//@ array b0 0 40
#include <rill/kernel.h>
// Fields carry the addresses of locals from one task to another, and from one round of a loop to the next.
struct node {
    struct node *next;
    int value;
};
struct held {
    int *at;
    long pad[3];
};
struct node *heads[4];
struct held held;

kernel int run(int n, int x[40])
{
    struct node last = {0, x[0]};
    struct node first = {&last, 5};
    int counter = 7;
    int round = 0;
    struct held keep = {&counter, {1, 2, 3}};
    held = keep;
    heads[2] = &first;
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        for (const struct node *p = heads[i]; p != 0; p = p->next) {
            sum += p->value;
        }
    }
    for (int t = 0; t < 4; t++) {
        int *at = t == 0 ? &round : held.at;
        held.at = at;
        *at += sum;
        for (int i = 0; i < n; i++) {
            x[i] += sum + t;
        }
    }
    heads[2] = 0;
    held.at = 0;
    return counter * 1000 + round;
}
