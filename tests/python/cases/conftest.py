"""What the cases share: a context on the device under test, and a module of small kernels."""
import os

import pytest

import rill

DEVICE = os.environ.get("RILL_TEST_DEVICE", "cpu")

TEXT = r"""#include <rill/kernel.h>
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
struct point { float x; int id; };
kernel void fill(int n, float value, float x[n]) { for (int i = 0; i < n; i++) x[i] = value; }
kernel void add(int n, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] += x[i]; }
kernel double sum(int n, const float x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
kernel void grid(int n, int m, int16_t g[n][m])
{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) g[i][j] = 10 * i + j; }
kernel int total(int n, int m, const int g[n][m])
{ int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += g[i][j] * (i + 1); return s; }
kernel int64_t wide(int64_t a, uint64_t b) { return a + (int64_t)(b >> 32); }
kernel _Bool both(_Bool a, _Bool b) { return a && b; }
kernel float half_of(float x) { return x / 2; }
kernel void check(int n, const int x[n]) { for (int i = 0; i < n; i++) assert(x[i] > 0); }
kernel void move(int n, struct point p[n]) { for (int i = 0; i < n; i++) { p[i].x += 1; p[i].id = i; } }
kernel float weight(struct point p, float w) { return p.x * w + p.id; }
int table[3] = {1, 2, 3};
double level = 0.5;
kernel void triple(void) { for (int i = 0; i < 3; i++) table[i] *= 3; }
kernel void say(int n) { for (int i = 0; i < n; i++) printf("i = %d\n", i); }
struct big { double v[40]; int n; };
kernel struct big many(int n) { struct big b; for (int i = 0; i < 40; i++) b.v[i] = i * n; b.n = n; return b; }
kernel void spin(long rounds, double out[1])
{ double x = 1; for (long i = 0; i < rounds; i++) x = x * 1.0000001 + 1e-9; out[0] = x; }
"""


@pytest.fixture(scope="session")
def ctx():
    context = rill.open(DEVICE)
    yield context
    context.close()


@pytest.fixture(scope="session")
def module(ctx):
    return ctx.module(TEXT)


@pytest.fixture
def stream(ctx):
    with ctx.stream() as s:
        yield s
