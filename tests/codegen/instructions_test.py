#!/usr/bin/env python3
"""What the code of GPUs must hold to be right and fast, read in its assembly: widths of accesses, barriers with the
waits before them and the invalidations behind, scopes of atomics, shuffles, and that nothing of it stands where it is
not wanted. For each target and kernel file a list of patterns that an entry must, or must not, have."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import Report  # pylint: disable=wrong-import-position

SOURCE = """
#include <rill/kernel.h>
#include <assert.h>
#include <string.h>
kernel void triad(int n, const float a[n], const float b[n], float c[n])
{ for (int i = 0; i < n; i++) { c[i] = a[i] + 0.5f * b[i]; } }
kernel void shift(int n, const float a[n], float c[n])
{ for (int i = 1; i < n - 1; i++) { c[i] = a[i - 1] + a[i + 1]; } }
kernel void wide(int n, const double a[n], double c[n])
{ for (int i = 0; i < n; i++) { c[i] = a[i] * 2; } }
kernel void bytes(int n, const unsigned char a[n], unsigned char c[n])
{ for (int i = 0; i < n; i++) { c[i] = a[i] + 1; } }
kernel void apart(int n, const int k[n], const float a[n], float c[n])
{ for (int i = 0; i < n; i++) { c[k[i]] = a[i]; } }
kernel float sum(int n, const float a[n])
{ float s = 0; for (int i = 0; i < n; i++) { s += a[i]; } return s; }
kernel double dot(int n, const double a[n], const double b[n])
{ double s = 0; for (int i = 0; i < n; i++) { s += a[i] * b[i]; } return s; }
kernel void histogram(int n, const int a[n], int c[256])
{ for (int i = 0; i < n; i++) { c[a[i]]++; } }
kernel void scatter(int n, const int a[n], float c[n], unsigned long d[n])
{ for (int i = 0; i < n; i++) { c[a[i]] += 1.5f; rill_atomic_max(&d[a[i]], (unsigned long)i); } }
kernel void pieces(int n, const float a[n], unsigned char c[4 * n])
{ for (int i = 0; i < n; i++) { float f = a[i] * 2; memcpy(&c[4 * i], &f, sizeof f); } }
kernel void twice(int n, volatile int a[n])
{ for (int i = 0; i < n; i++) { a[i] = 1; a[i] = 2; } }
kernel void checks(int n, const int a[n], int c[n])
{ for (int i = 0; i < n; i++) { assert(a[i] > 0); c[i] = a[i]; } }
"""

# (entry, (pattern, count) …): so many matches in the entry's code; None: at least one. The text is one line for each
# instruction, without labels and comments.
SHUFFLES = r"shfl\.sync\.down\.b32"
PTX = [
    ("triad.0", (r"ld\.global\.v4\.b32", 2), (r"st\.global\.v4\.b32", 1), (r"ld\.global\.b32", 2), (r"fma\.rn\.f32", 5),
     (r"bar\.|atom|membar|fence|ld\.relaxed", 0), (r"mul\.lo\.s64|mad\.lo\.s64|div\.", 0)),
    # What nobody writes meanwhile is read without looking whether somebody did; in triad it may be the array written.
    ("shift.0", (r"st\.global\.v4\.b32", 1), (r"ld\.global\.nc\.v4\.b32", 1), (r"ld\.global\.b32", 0)),
    ("wide.0", (r"ld\.global\.v2\.b64", 1), (r"st\.global\.v2\.b64", 1), (r"\.nc\.", 0)),
    ("bytes.0", (r"ld\.global\.v2\.b32", 1), (r"st\.global\.v2\.b32", 1)),
    ("apart.0", (r"\.v[24]\.", 0), (r"st\.global\.b32", 1)),
    ("sum.0", (r"ld\.global\.nc\.v4\.b32", 1), (SHUFFLES, 10), (r"st\.shared.*\n(.*\n)?bar\.sync\s+0", 1), (r"bar\.", 1),
     (r"ld\.shared", 1), (r"atom|membar|fence", 0), (r"st\.global", 1)),
    ("sum.0.finish", (SHUFFLES, 10), (r"bar\.sync\s+0", 1)),
    ("dot.0", (r"ld\.global\.nc\.v2\.b64", 2), (SHUFFLES, 20), (r"bar\.", 1), (r"fma\.rn\.f64", None)),
    ("histogram.0", (r"atom\.shared\.add\.u32", 1), (r"bar\.sync\s+0", 2), (r"atom\.global\.add\.u32", 2)),
    ("scatter.0", (r"atom\.global\.add\.f32", 1), (r"atom\.global\.max\.u64", 1), (r"cas", 0)),
    # ptxas would convert the float to a byte, not cut its bits, did no operation on integers stand in between.
    ("pieces.0", (r"and\.b32 (%r\d+), %r\d+, 0xffffffff\n(.*\n)*st\.global\.b8 .*\1", 1)),
    ("twice.0", (r"st\.volatile\.global\.b32", 2)),
    ("checks.0", (r"ld\.relaxed\.gpu\.global\.b32", 1), (r"st\.release\.sys\.global\.b32", 1), (r"trap", 0)),
]


def amd(wave, store, load, wide, flush, claimed, add_f32):
    """|flush|: what drops the caches behind a barrier, or nothing."""
    steps = {64: 6, 32: 5}[wave]
    barrier = r"s_waitcnt lgkmcnt\(0\)\n(s_waitcnt_vscnt null, 0x0\n)?s_barrier\n" + flush
    return [
        ("triad.0", (f"global_load_{wide}", 2), (f"global_store_{wide}", 1), (r"s_barrier|atomic|ds_", 0)),
        ("sum.0", (f"global_load_{wide}", None), (r"ds_bpermute_b32", 2 * steps), (f"ds_{store}", 1), (f"ds_{load}", 1),
         (barrier, 1), (r"s_barrier", 1), (r"atomic", 0)),
        ("dot.0", (r"ds_bpermute_b32", 4 * steps), (barrier, 1)),
        ("histogram.0", (r"ds_add_u32", 1), (barrier, 2), (r"global_atomic_add", 2)),
        ("scatter.0", (add_f32, 1), (r"cmpswap", 0)),
        ("checks.0", (claimed, 1), (r"s_trap", 0)),
    ]


TARGETS = {
    "sm_75": PTX, "sm_90": PTX, "sm_100": PTX,
    "gfx90a": amd(64, "write_b32", "read_b32", "dwordx4", "", r"global_load_dword .* glc", "global_atomic_add_f32"),
    "gfx942": amd(64, "write_b32", "read_b32", "dwordx4", "", r"global_load_dword .* sc1", "global_atomic_add_f32"),
    "gfx1100": amd(32, "store_b32", "load_b32", "b128", "buffer_gl0_inv\n", r"global_load_b32 .* glc", "global_atomic_add_f32"),
}


def entries(text, is_ptx):
    """Instructions of each entry, by its name with dots."""
    found = {}
    name = None
    for full in text.splitlines():
        line = re.sub(r"\s*(//|;).*" if not is_ptx else r"\s*//.*", "", full).strip().rstrip(";")
        begins = re.match(r"\.visible \.entry (\S+)\(" if is_ptx else r"([a-z_]+\.\d+[\w.]*):$", line)
        if begins:
            name = begins.group(1).replace("$", ".")
            found[name] = []
        elif full == "}":
            name = None
        elif name and line and not line.startswith((".", "$")) and not line.endswith(":"):
            found[name].append(re.sub(r"\s+", " ", line))
    return {key: "\n".join(lines) + "\n" for key, lines in found.items()}


def check_target(report, target, folder):
    path = folder / "kernels.c"
    path.write_text(SOURCE)
    done = subprocess.run([str(RILL), "emit", "--asm", "--target", target, str(path)], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        report.check(f"{target}_is_emitted", False, done.stderr)
        return
    code = entries(done.stdout, target.startswith("sm_"))
    for entry, *patterns in TARGETS[target]:
        text = code.get(entry, "")
        wrong = []
        for pattern, wanted in patterns:
            count = len(re.findall(pattern, text))
            if count != wanted and not (wanted is None and count > 0):
                wrong.append(f"{pattern!r} stands {count} times, not {wanted}")
        report.check(f"{target}_{entry}", not wrong, "\n".join(wrong + [text]))
    if target.startswith("sm_") and shutil.which("ptxas"):
        (folder / "kernels.ptx").write_text(done.stdout)
        taken = subprocess.run(["ptxas", f"-arch={target}", str(folder / "kernels.ptx"), "-o", str(folder / "kernels.cubin")],
                               capture_output=True, text=True, check=False)
        report.check(f"ptxas_takes_{target}", taken.returncode == 0, taken.stderr)
    elif target.startswith("sm_"):
        report.skip(f"ptxas_takes_{target}", "there is no ptxas here")


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        for target in TARGETS:
            check_target(report, target, pathlib.Path(name))
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
