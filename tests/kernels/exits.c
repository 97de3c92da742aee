// Ways out of the serial part of a loop that runs in order and holds a task. An iteration that leaves early says
// nothing about the next one: each of these kernels leaves early in some iterations and runs to the end in others after
// them.
#include <rill/kernel.h>

// run: continue_in_switch n=20000 steps=60
kernel int continue_in_switch(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int s = 0; s < steps; s++) {
        switch (a[s] % 4) {
        case 1: continue;
        case 2: c[s]++; break;
        }
        for (int i = 0; i < n; i++) {
            b[i] += a[i] + s;
        }
        count++;
    }
    return count;
}

// run: continue_in_if n=20000 steps=60
kernel int continue_in_if(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int s = 0; s < steps; s++) {
        if (a[s] % 3 == 0) {
            c[s] += 7;
            if (c[s] & 1) {
                continue;
            }
            c[s]++;
        }
        for (int i = 0; i < n; i++) {
            b[i] = b[i] * 3 + a[i] + s;
        }
        count++;
    }
    return count;
}

// run: goto_out_of_loop n=20000 steps=60
kernel int goto_out_of_loop(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int s = 0; s < steps; s++) {
        for (int k = 0; k < 9; k++) {
            c[s] = c[s] * 5 + c[k];
            if (c[s] % 11 == 0) {
                goto next;
            }
        }
        for (int i = 0; i < n; i++) {
            b[i] += a[i] ^ s;
        }
        count++;
next:;
    }
    return count;
}

// Three labels, one behind the other.
// run: goto_forward n=20000 steps=60
kernel int goto_forward(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int s = 0; s < steps; s++) {
        switch (a[s] % 5) {
        case 0: goto one;
        case 1: goto two;
        case 2: goto three;
        case 3: c[s] += count; break;
        }
        for (int i = 0; i < n; i++) {
            b[i] += a[i] + s;
        }
        count += 1;
one:
        for (int i = 0; i < n; i++) {
            b[i] ^= a[i] * s;
        }
        count += 100;
two:
        c[s] += b[0];
        for (int i = 0; i < n; i++) {
            b[i] = b[i] * 5 + 1;
        }
        count += 10000;
three:
        c[s]++;
    }
    return count;
}

// run: goto_back n=20000 steps=40
kernel int goto_back(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int s = 0; s < steps; s++) {
        int tries = 0;
again:
        for (int i = 0; i < n; i++) {
            b[i] += a[i] + tries;
        }
        count++;
        switch (b[s] % 3) {
        case 0:
            if (++tries < 5) {
                goto again;
            }
            break;
        case 1: c[s] += tries; continue;
        }
        for (int i = 0; i < n; i++) {
            b[i] += 2;
        }
    }
    return count;
}

// Leaves the in-order loop around it at last, after iterations that went on.
// run: break_at_last n=20000 steps=60
kernel int break_at_last(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int r = 0; r < 5; r++) {
        for (int s = 0; s < steps; s++) {
            for (int k = 0; k < 4; k++) {
                c[k] = c[k] * 3 + a[s] + r;
                if (c[k] % 13 == 0) {
                    goto out;
                }
                if (c[k] % 13 == 1) {
                    goto next;
                }
            }
            for (int i = 0; i < n; i++) {
                b[i] += a[i] + s;
            }
            count++;
next:;
        }
        count += 1000;
out:
        count += 1000000;
    }
    return count;
}

// run: return_at_last n=20000 steps=60 last=50
// run: return_at_last n=20000 steps=60 last=500
// run: return_at_last n=20000 steps=60 last=0
kernel int return_at_last(int n, int steps, int last, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int s = 0; s < steps; s++) {
        switch (a[s] % 4 + (s == last) * 8) {
        case 1: continue;
        case 2: c[s]++; break;
        case 8:
        case 9:
        case 10:
        case 11: return -count;
        }
        for (int i = 0; i < n; i++) {
            b[i] += a[i] + s;
        }
        count++;
    }
    return count;
}

kernel void one_step(int n, int s, const int a[n], int c[n], int b[n])
{
    switch (a[s] % 4) {
    case 1: return;
    case 2: c[s]++; break;
    }
    for (int i = 0; i < n; i++) {
        b[i] += a[i] + s;
    }
    for (int k = 0; k < 5; k++) {
        c[s] = c[s] * 7 + k;
        if (c[s] % 3 == 0) {
            return;
        }
    }
    for (int i = 0; i < n; i++) {
        b[i] ^= c[s];
    }
    c[s]++;
}

// The called kernel stands for its body: its returns leave that body alone.
// run: return_of_called n=20000 steps=60
kernel void return_of_called(int n, int steps, const int a[n], int c[n], int b[n])
{
    for (int s = 0; s < steps; s++) {
        one_step(n, s, a, c, b);
        for (int i = 0; i < n; i++) {
            b[i] += s;
        }
    }
}

kernel int step_count(int n, int s, const int a[n], int c[n], int b[n])
{
    for (int k = 0; k < 5; k++) {
        c[s] = c[s] * 7 + k;
        if (c[s] % 11 == 0) {
            return 1;
        }
        if (c[s] % 11 == 1) {
            return 100;
        }
    }
    for (int i = 0; i < n; i++) {
        b[i] ^= a[i] + c[s];
    }
    return 10000;
}

// run: value_of_called n=20000 steps=60
kernel int value_of_called(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int s = 0; s < steps; s++) {
        count += step_count(n, s, a, c, b);
    }
    return count;
}

// Two loops in order around the task; the serial part leaves either.
// run: continue_outer n=20000 steps=30
kernel int continue_outer(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int r = 0; r < steps; r++) {
        for (int s = 0; s < 6; s++) {
            switch (a[(r * 6 + s) % n] % 7) {
            case 0: goto next_outer;
            case 1: continue;
            case 2: goto next_inner;
            case 3: c[s]++; break;
            }
            for (int i = 0; i < n; i++) {
                b[i] += a[i] + s + r;
            }
            count++;
next_inner:
            count += 100;
        }
        for (int i = 0; i < n; i++) {
            b[i] = b[i] * 3 + r;
        }
        count += 10000;
next_outer:
        c[r]++;
    }
    return count;
}

// run: in_while n=20000 steps=60
kernel int in_while(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    int s = 0;
    while (s < steps) {
        s++;
        switch (a[s] % 4) {
        case 1: continue;
        case 2: c[s]++; break;
        case 3:
            if (s > 50) {
                goto done;
            }
        }
        for (int i = 0; i < n; i++) {
            b[i] += a[i] + s;
        }
        count++;
    }
done:
    return count;
}

// run: in_do n=20000 steps=60
kernel int in_do(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    int s = 0;
    do {
        int k = 0;
        while (k < 5) {
            c[s] = c[s] * 3 + k++;
            if (c[s] % 7 == 0) {
                goto next;
            }
        }
        for (int i = 0; i < n; i++) {
            b[i] += a[i] + s;
        }
        count++;
next:
        s++;
    } while (s < steps);
    return count;
}

// The serial part stands after the task, and again before the next one.
// run: after_the_task n=20000 steps=60
kernel int after_the_task(int n, int steps, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++) {
            b[i] += a[i] + s;
        }
        switch (b[s] % 4) {
        case 1: continue;
        case 2: c[s]++; break;
        }
        for (int i = 0; i < n; i++) {
            b[i] ^= s;
        }
        for (int k = 0; k < 6; k++) {
            c[s] = c[s] * 5 + b[k];
            switch (c[s] % 5) {
            case 0: goto next;
            case 1: return count;
            }
        }
        count++;
next:;
    }
    return count + 100000;
}

// In a block of a region that stands in the loop.
// run: in_block n=20000 steps=60
kernel int in_block(int n, int steps, const int a[n], int c[n], int b[n], int d[n])
{
    for (int s = 0; s < steps; s++) {
        stream_parallel
        {
            for (int t = 0; t < 3; t++) {
                switch ((a[s] + t) % 4) {
                case 1: continue;
                case 2: c[s]++; break;
                case 3: goto end;
                }
                for (int i = 0; i < n; i++) {
                    b[i] += a[i] + s;
                }
                c[s] += 2;
            }
end:;
        }
        stream_parallel
        {
            for (int i = 0; i < n; i++) {
                d[i] += a[i] ^ s;
            }
        }
    }
    return c[3];
}

// By conditions that only the launch knows, and by those that data decide, out of the same loop.
// run: by_scalars n=20000 steps=60 from=10 to=20
// run: by_scalars n=20000 steps=60 from=0 to=100
kernel int by_scalars(int n, int steps, int from, int to, const int a[n], int c[n], int b[n])
{
    int count = 0;
    for (int s = 0; s < steps; s++) {
        switch (s < from ? 0 : s < to ? 1 : 2) {
        case 0: break;
        case 1:
            if (a[s] & 1) {
                continue;
            }
            c[s] += 3;
            break;
        default: c[s]++;
        }
        for (int i = 0; i < n; i++) {
            b[i] += a[i] + s;
        }
        count++;
    }
    return count;
}
