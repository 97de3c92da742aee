// Sweeps over points of one colour, which are independent where neighbours have another one; and traps in which they
// have the same.
#include <rill/kernel.h>

// run: red_black n=3 steps=2
// run: red_black n=4 steps=3
// run: red_black n=13 steps=3
// run: red_black n=60 steps=4
kernel void red_black(int n, int steps, float u[n][n], const float f[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int colour = 0; colour < 2; colour++) {
            for (int i = 1; i < n - 1; i++) {
                for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
                    u[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
                }
            }
        }
    }
}

// A corner has the same colour.
// run: with_corner n=13 steps=3
// run: with_corner n=50 steps=3
kernel void with_corner(int n, int steps, unsigned u[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int colour = 0; colour < 2; colour++) {
            for (int i = 1; i < n - 1; i++) {
                for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
                    u[i][j] = u[i][j] * 3 + u[i - 1][j - 1] + u[i + 1][j];
                }
            }
        }
    }
}

// Three colours along the rows: two away is another one, three away the same.
// run: three_colours n=13 steps=3
// run: three_colours n=50 steps=3
kernel void three_colours(int n, int steps, unsigned u[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int colour = 0; colour < 3; colour++) {
            for (int i = 2; i < n - 2; i++) {
                for (int j = 2 + (i + colour) % 3; j < n - 2; j += 3) {
                    u[i][j] = u[i][j] * 3 + u[i][j - 1] + u[i][j + 2] + u[i - 1][j];
                }
            }
        }
    }
}

// run: three_away n=13 steps=3
// run: three_away n=50 steps=3
kernel void three_away(int n, int steps, unsigned u[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int colour = 0; colour < 3; colour++) {
            for (int i = 3; i < n; i++) {
                for (int j = 3 + (i + colour) % 3; j < n; j += 3) {
                    u[i][j] = u[i][j] * 3 + u[i][j - 1] + u[i][j - 3];
                }
            }
        }
    }
}

// The remainder of a negative number is not positive: rows then begin earlier.
// run: negative n=13 from=-3
// run: negative n=50 from=-7
kernel void negative(int n, int from, unsigned u[n][n])
{
    for (int colour = from; colour < from + 2; colour++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 2 + (colour - i) % 2; j < n - 1; j += 2) {
                u[i][j] = u[i][j] * 3 + u[i - 1][j] + u[i][j - 1];
            }
        }
    }
}

// Rows whose ends move with a remainder, backwards.
// run: ends n=13
// run: ends n=50
kernel void ends(int n, unsigned u[n][n + 8])
{
    for (int i = 0; i < n; i++) {
        for (int j = n + i % 5; j >= 3 - i % 4; j -= 2) {
            u[i][j] += (unsigned)(i * j);
        }
    }
}
