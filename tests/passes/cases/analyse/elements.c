// Arrays of structs and unions outside a loop: private if each iteration writes the members that it reads.
#include <rill/kernel.h>

struct node {
    int key;
    int next[2];
    short tag;
};

union both {
    int i;
    float f;
    short s[2];
};

kernel void two_members(int n, const int x[n][9], int y[n])
{
    struct node t[9];
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < 9; j++) { // expect: any
            t[j].key = x[i][j];
            t[j].tag = 1;
        }
        int s = 0;
        for (int j = 0; j < 9; j++) { // expect: any
            s += t[j].key * t[j].tag;
        }
        y[i] = s + t[4].key;
    }
}

kernel void other_member(int n, const int x[n][9], int y[n])
{
    struct node t[9];
    for (int j = 0; j < 9; j++) { // expect: any
        t[j].tag = 3;
    }
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < 9; j++) { // expect: any
            t[j].key = x[i][j];
        }
        int s = 0;
        for (int j = 0; j < 9; j++) { // expect: any
            s += t[j].tag;
            t[j].tag = (short)(s + i);
        }
        y[i] = s;
    }
}

kernel void one_too_many(int n, const int x[n][9], int y[n])
{
    struct node t[9];
    t[8].key = 0;
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < 8; j++) { // expect: any
            t[j].key = x[i][j];
        }
        int s = 0;
        for (int j = 0; j < 9; j++) { // expect: any
            s += t[j].key;
        }
        t[8].key = s;
        y[i] = s;
    }
}

kernel void one_too_early(int n, const int x[n][9], int y[n])
{
    struct node t[9];
    t[0].key = 0;
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 1; j < 9; j++) { // expect: any
            t[j].key = x[i][j];
        }
        int s = 0;
        for (int j = 8; j >= 0; j--) { // expect: any
            s += t[j].key;
        }
        t[0].key = s;
        y[i] = s;
    }
}

kernel void up_and_down(int n, int y[n])
{
    struct node t[64];
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = 0;
        for (int j = 0; j < 30; j++) { // expect: any
            t[j + 2].tag = (short)j;
        }
        for (int j = 31; j >= 2; j--) { // expect: any
            y[i] += t[j].tag;
        }
    }
}

kernel void every_second(int n, int y[n])
{
    struct node t[16];
    for (int j = 0; j < 16; j++) { // expect: any
        t[j].key = j;
    }
    for (int i = 0; i < n; i++) {         // expect: in order
        for (int j = 0; j < 16; j += 2) { // expect: any
            t[j].key = i;
        }
        int s = 0;
        for (int j = 0; j < 16; j++) { // expect: any
            s += t[j].key;
        }
        t[1].key = s;
        y[i] = s;
    }
}

kernel void in_a_branch(int n, const int x[n], int y[n])
{
    struct node t[4];
    for (int j = 0; j < 4; j++) { // expect: any
        t[j].key = j;
    }
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < 4; j++) { // expect: any
            if (x[i] > j) {
                t[j].key = i;
            }
        }
        y[i] = t[2].key;
    }
}

kernel void half_a_union(int n, const int x[n][9], int y[n])
{
    union both t[9];
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < 9; j++) { // expect: any
            t[j].s[1] = (short)x[i][j];
        }
        int s = 0;
        for (int j = 0; j < 9; j++) { // expect: any
            s += t[j].s[1];
        }
        y[i] = s;
    }
}

kernel void other_half(int n, const int x[n][9], int y[n])
{
    union both t[9];
    for (int j = 0; j < 9; j++) { // expect: any
        t[j].i = 0;
    }
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < 9; j++) { // expect: any
            t[j].s[1] = (short)x[i][j];
        }
        int s = 0;
        for (int j = 0; j < 9; j++) { // expect: any
            s += t[j].i;
            t[j].s[0] = (short)i;
        }
        y[i] = s;
    }
}

kernel void read_afterwards(int n, const int x[n][9], int y[n])
{
    struct node t[9];
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < 9; j++) { // expect: any
            t[j].key = x[i][j];
        }
        y[i] = t[3].key;
    }
    y[0] += t[3].key;
}
