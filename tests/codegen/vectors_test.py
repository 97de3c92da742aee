#!/usr/bin/env python3
"""Which loops become vector code on a CPU: LLVM's form of an entry is read for the operations that a vector loop has. Each
kernel is one that a plain C compiler vectorises, so that an entry without them is several times behind it."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import Report  # pylint: disable=wrong-import-position

# The index of the first kernel is hidden from the vectoriser; those of the others, in its module, need not be.
NARROW = """
#include <rill/kernel.h>
kernel void table(int n, const float t[4], float c[n])
{ for (int i = 0; i < n; i++) { c[i] = t[i & 3]; } }
kernel void stencil(int n, const float a[n][n], float c[n][n])
{ for (int i = 1; i < n - 1; i++) { for (int j = 1; j < n - 1; j++) {
  c[i][j] = a[i - 1][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j]; } } }
kernel void both(int n, const float t[4], const float a[n][n], float c[n][n])
{ for (int i = 1; i < n - 1; i++) { for (int j = 1; j < n - 1; j++) {
  c[i][j] = a[i - 1][j] + a[i][j - 1] + a[i + 1][j] + t[i & 3]; } } }
"""

CONVERSIONS = "#include <rill/kernel.h>\n" + "".join(
    f"kernel void {a}_to_{b.split()[-1]}(int n, const {a} x[n], {b} y[n])\n"
    f"{{ for (int i = 0; i < n; i++) {{ y[i] = ({b})(x[i] * 2); }} }}\n"
    for a in ("float", "double") for b in ("int", "unsigned char", "signed short", "unsigned"))

# What is the same for a whole row must be known to be, also in the copies that unrolling makes of the inner loop's body.
ROWS = """
#include <rill/kernel.h>
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
kernel void blur(int h, int w, const float a[h][w], float c[h][w])
{ for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) { float s = 0;
  for (int k = -2; k <= 2; k++) { s += (k + 3) * a[clamp(y + k, 0, h - 1)][x]; } c[y][x] = s; } } }
kernel void flat(int h, int w, const float *a, float *c)
{ for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) { float s = 0;
  for (int k = -2; k <= 2; k++) { int r = y + k; if (r < 0) { r = 0; } if (r >= h) { r = h - 1; } s += a[r * w + x]; }
  c[y * w + x] = s; } } }
"""

# Indices of 32 bits that move by a constant: nothing is tested before the vector loop, and strides are seen.
STRIDES = """
#include <rill/kernel.h>
kernel void grey(int n, const unsigned char p[3 * n], unsigned char c[n])
{ for (int i = 0; i < n; i++) { c[i] = (77 * p[3 * i] + 150 * p[3 * i + 1] + 29 * p[3 * i + 2]) >> 8; } }
kernel void pixel(int n, const unsigned char *p, unsigned char *c)
{ for (int i = 0; i < n; i++) { const unsigned char *q = p + 3 * i; c[i] = (77 * q[0] + 150 * q[1] + 29 * q[2]) >> 8; } }
kernel void image(int h, int w, const unsigned char *p, unsigned char *c)
{ for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) { int i = y * w + x;
  c[i] = (77 * p[3 * i] + 150 * p[3 * i + 1] + 29 * p[3 * i + 2]) >> 8; } } }
kernel void rows(int h, int w, const float a[h][w], float c[h][w])
{ for (int y = 0; y < h; y++) { for (int x = 1; x < w; x++) { c[y][x] = a[y][x] + a[y][x - 1]; } } }
kernel void some(int n, const int a[n], int c[n])
{ for (int i = 0; i < n; i++) { int k = (int)(i * 500000003u); if (k >= 0 && k < n) { c[i] = a[k]; } } }
"""

# Neighbours of a loop around one that has no vectors itself: it walks down columns, or needs what it has just made.
LANES = """
#include <rill/kernel.h>
kernel void columns(int n, int m, const float a[n][m], const float w[n], float c[m])
{ for (int j = 0; j < m; j++) { float s = 0; for (int i = 0; i < n; i++) { s += w[i] * a[i][j]; } c[j] = s; } }
kernel void polynomial(int n, int m, const float a[m], const float x[n], float y[n])
{ for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < m; k++) { s = s * x[i] + a[k]; } y[i] = s; } }
kernel void product(int n, const float a[n * n], const float b[n * n], float c[n * n])
{ for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { float s = 0;
  for (int k = 0; k < n; k++) { s += a[i * n + k] * b[k * n + j]; } c[i * n + j] = s; } } }
kernel void in_memory(int n, const float a[n][n], const float b[n][n], float c[n][n])
{ for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { for (int k = 0; k < n; k++) { c[i][j] += a[i][k] * b[k][j]; } } } }
kernel void own_rows(int n, int m, const float v[n][m][n], const float x[n][m], float y[n][n])
{ for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { float s = 0;
  for (int k = 0; k < m; k++) { s += v[i][k][j] * x[i][k]; } y[i][j] = s; } } }
kernel void places(int n, int m, const float v[m][n], const int at[m][n], const float x[n], float y[n])
{ for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < m; k++) { s += v[k][i] * x[at[k][i]]; } y[i] = s; } }
kernel void rows_alone(int n, int m, const float a[n][m], float y[n])
{ for (int i = 0; i < n; i++) { float s = 1; for (int k = 0; k < m; k++) { s = s * 0.5f + a[i][k]; } y[i] = s; } }
kernel void uneven(int n, const float a[n][n], float y[n])
{ for (int j = 0; j < n; j++) { float s = 1; for (int i = 0; i < j; i++) { s = s * 0.5f + a[i][j]; } y[j] = s; } }
"""

# (claim, source, entry, (pattern, holds) …): the pattern is found in the entry's text, or not.
FLOATS = r"= fadd [a-z ]*<\d+ x float>|llvm\.fma\.v\d+f32\("
FUSED = (r"llvm\.fma\.v\d+f32\(", True)
PANEL = (r"alloca \[\d+ x i8\], align 64", True)
GREY = (r"shufflevector <\d+ x i8>", True)
NO_TEST = (r"vector\.scevcheck", False)
CASES = [
    ("a_masked_index_costs_other_kernels_nothing", NARROW, "stencil.0", (FLOATS, True)),
    ("a_masked_index_costs_its_own_kernel_nothing_else", NARROW, "both.0", (FLOATS, True)),
    ("rows_chosen_by_a_clamped_number_are_loaded_whole", ROWS, "blur.0", (FLOATS, True), (r"masked\.gather", False)),
    ("rows_of_a_flat_array_are_loaded_whole", ROWS, "flat.0", (FLOATS, True), (r"masked\.gather", False)),
    ("rows_of_a_flat_array_in_a_nest_are_loaded_whole", ROWS, "flat.1", (FLOATS, True), (r"masked\.gather", False)),
    ("interleaved_bytes_are_loaded_whole", STRIDES, "grey.0", GREY, NO_TEST),
    ("interleaved_bytes_by_a_pointer_are_loaded_whole", STRIDES, "pixel.0", GREY, NO_TEST),
    ("interleaved_bytes_of_an_image_are_loaded_whole", STRIDES, "image.1", GREY, NO_TEST),
    ("rows_in_strips_need_no_test_of_their_numbers", STRIDES, "rows.0", (FLOATS, True), NO_TEST),
    ("sums_down_columns_are_taken_side_by_side", LANES, "columns.2", FUSED),
    ("recurrences_are_taken_side_by_side", LANES, "polynomial.0", FUSED),
    ("products_with_a_local_sum_are_taken_side_by_side", LANES, "product.0", FUSED),
    ("products_with_a_local_sum_share_what_they_load", LANES, "product.0", PANEL),
    ("products_with_a_sum_in_memory_share_what_they_load", LANES, "in_memory.0", PANEL, FUSED),
    ("rows_that_share_nothing_are_taken_one_by_one", LANES, "own_rows.0", FUSED, (r"panel", False)),
    ("gathered_elements_beside_rows_are_taken_side_by_side", LANES, "places.2", FUSED, (r"masked\.gather", True)),
    ("iterations_that_walk_along_rows_are_taken_one_by_one", LANES, "rows_alone.0", (r"x float>", False)),
    ("iterations_of_different_lengths_are_taken_one_by_one", LANES, "uneven.0", (r"x float>", False)),
    ("an_index_of_some_iterations_may_wrap", STRIDES, "some.0", (r"mul i64 %[^,]*, 500000003", False)),
] + [
    # Element by element it takes five times as long.
    (f"conversions_of_{entry}_take_whole_vectors", CONVERSIONS, f"{entry}.0", (r"= fpto[su]i <\d+ x ", True),
     (r"fpto[su]i\.sat\.v\d", False))
    for entry in ("float_to_int", "float_to_char", "float_to_short", "double_to_int", "float_to_unsigned")
]


def entry_text(source, entry, target, folder):
    """LLVM's form of the entry, or what went wrong."""
    path = folder / "k.c"
    path.write_text(source)
    run = subprocess.run([RILL, "emit", "--llvm", "--target", target, path], capture_output=True, text=True, check=False)
    found = re.search(r"^define[^\n]*@\"?" + re.escape(entry) + r"\"?\(.*?^}$", run.stdout, re.M | re.S)
    return (found.group(), "") if found else (None, f"no {entry}: {run.stderr}")


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        for target in ("x86-64-v3", "x86-64-v4"):
            for claim, source, entry, *wants in CASES:
                text, error = entry_text(source, entry, target, pathlib.Path(name))
                wrong = error or [pattern for pattern, holds in wants if bool(re.search(pattern, text)) != holds]
                report.check(f"{claim}_{target.replace('-', '_')}", not wrong, f"{wrong} in\n{text}")
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
