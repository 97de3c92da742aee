#!/usr/bin/env python3
"""What code, above all of GPUs, must hold to be right and fast, read in its assembly: widths of accesses, barriers with
the waits before them and the invalidations behind, scopes of atomics, shuffles, and that nothing of it stands where it is
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
#include <math.h>
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
{
#pragma rill parallel
  for (int i = 0; i < n; i++) { c[k[i]] = a[i]; } }
kernel float sum(int n, const float a[n])
{ float s = 0; for (int i = 0; i < n; i++) { s += a[i]; } return s; }
kernel double dot(int n, const double a[n], const double b[n])
{ double s = 0; for (int i = 0; i < n; i++) { s += a[i] * b[i]; } return s; }
kernel void histogram(int n, const int a[n], int c[256])
{ for (int i = 0; i < n; i++) { c[a[i]]++; } }
kernel void least(int n, const float a[n], float c[2])
{ float s = a[0]; int k = 0; for (int i = 0; i < n; i++) { if (a[i] < s) { s = a[i]; k = i; } } c[0] = s; c[1] = k; }
kernel void bell(int n, const float a[n], float c[n])
{ for (int i = 0; i < n; i++) { c[i] = expf(-a[i] * a[i]); } }
kernel void product(int n, const float a[n][n], const float b[n][n], float c[n][n])
{ for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { float s = 0;
  for (int k = 0; k < n; k++) { s += a[i][k] * b[k][j]; } c[i][j] = s; } } }
kernel void scatter(int n, const int a[n], float c[n], unsigned long d[n], double e[n])
{ for (int i = 0; i < n; i++) { c[a[i]] += 1.5f; e[a[i]] += 0.5; rill_atomic_max(&d[a[i]], (unsigned long)i); } }
kernel void pieces(int n, const float a[n], unsigned char c[4 * n])
{ for (int i = 0; i < n; i++) { float f = a[i] * 2; memcpy(&c[4 * i], &f, sizeof f); } }
kernel void twice(int n, volatile int a[n])
{ for (int i = 0; i < n; i++) { a[i] = 1; a[i] = 2; } }
kernel void narrow(short m, int n, int a[n], const int p[4])
{
#pragma rill single
  for (int i = 0; i != m; i++) { for (int j = 0; j < 2; j++) { for (int k = 0; k < m; k++) {
  a[j * m + k] = (j + 7 <= p[k & 3]) << 2; } } } }
kernel void plane(int n, const double a[n][n], double c[n][n])
{ for (int i = 1; i < n - 1; i++) { for (int j = 1; j < n - 1; j++) { c[i][j] = a[i][j - 1] + a[i][j + 1]; } } }
kernel void running(int n, double a[n][n])
{ for (int i = 0; i < n; i++) { for (int j = 1; j < n; j++) { a[i][j] += a[i][j - 1]; } } }
kernel void extremes(int n, const int k[n], short a[n], unsigned char b[n])
{
#pragma rill parallel
  for (int i = 0; i < n; i++) { rill_atomic_max(&a[k[i]], 7); b[i] = rill_atomic_min(&b[k[i]], 7) == 7; } }
#define WAVE(k) s += (k) * sinf(x * (k) + s); s -= (k) * cosf(x * (k) - s);
kernel void waves(int n, int m, const float a[n], float c[n])
{ for (int i = 0; i < n; i++) { float x = a[i], s = 0;
  for (int k = 0; k < m; k++) { WAVE(1.5f) WAVE(2.5f) WAVE(3.5f) WAVE(4.5f) WAVE(5.5f) WAVE(6.5f) } c[i] = s; } }
kernel void own(int n, const int k[n], const float a[n], float c[n])
{ for (int i = 0; i < n; i++) { float f[4] = {0}; short s[4] = {0};
  rill_atomic_max(&f[k[i] & 3], a[i]); rill_atomic_add(&s[k[i] & 3], 7); rill_atomic_cas(&s[k[i] & 1], 7, 9); c[i] = f[1] * s[2]; } }
kernel void either(int n, const int k[n], unsigned c[n], float d[n])
{ unsigned s[4] = {0};
#pragma rill single
  for (int i = 0; i < n; i++) { d[i] = rill_atomic_mul(k[i] & 1 ? &s[i & 3] : &c[i], 3) + s[i & 1]; } }
kernel void rows(int n, int m, const double a[n][m], const double x[m], double y[n])
{ for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < m; j++) { s += a[i][j] * x[j]; } y[i] = s; } }
kernel void columns(int n, int m, const double a[n][m], const double x[n], double y[m])
{ for (int j = 0; j < m; j++) { y[j] = 0; for (int i = 0; i < n; i++) { y[j] += a[i][j] * x[i]; } } }
static const int way[16][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1},
                               {0, 2}, {2, 0}, {0, -2}, {-2, 0}, {2, 2}, {2, -2}, {-2, 2}, {-2, -2}};
kernel void around(int n, int m, const float a[n][m], float c[n][m])
{ for (int i = 2; i < n - 2; i++) { for (int j = 2; j < m - 2; j++) { float s = 0;
  for (int q = 0; q < 16; q++) { s += a[i + way[q][0]][j + way[q][1]]; } c[i][j] = s; } } }
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
    ("narrow.0", (r"(min|max)\.[su]16", 0), (r"max\.s32", 1)), # ptxas gets those of 16 bits wrong
    # LLVM makes them for atomics all the same, where it is harmless: what they choose is stored, and never compared.
    ("extremes.0", (r"cas\.b32", 2), (r"(?:min|max)\.[su]16 (%rs\d+),.*\n(?:.*\n)*setp\S+ %p\d+,.*\1\b", 0)),
    ("sum.0", (r"ld\.global\.nc\.v4\.b32", 1), (SHUFFLES, 10), (r"st\.shared.*\n(.*\n)?bar\.sync\s+0", 1), (r"bar\.", 1),
     (r"ld\.shared", 1), (r"atom|membar|fence", 0), (r"st\.global", 1)),
    ("sum.0.finish", (SHUFFLES, 10), (r"bar\.sync\s+0", 1)),
    ("dot.0", (r"ld\.global\.nc\.v2\.b64", 2), (SHUFFLES, 20), (r"bar\.", 1), (r"fma\.rn\.f64", None)),
    # Four iterations at a time, and what is left one by one: their loads are one, before the first update.
    ("histogram.0", (r"ld\.global\.nc\.v4\.b32", 1), (r"atom\.shared\.add\.u32", 5), (r"bar\.sync\s+0", 2),
     (r"atom\.global\.add\.u32", 6)),
    # The same under a condition; nothing is loaded again where it holds: four, once aligned and once not, and the rest.
    ("least.1", (r"ld\.global\.nc\.v4\.b32", 1), (r"ld\.global\.nc\.b32", 5)),
    ("bell.0", (r"ld\.global(\.nc)?\.v4\.b32", 1), (r"st\.global\.v4\.b32", 1)),
    # The loads of eight rounds are under way before the first is used; nothing is called to divide.
    ("product.0", (r"((add\.s64 .*\n)?ld\.global\.nc\.b32 .*\n){16}(fma\.rn\.f32 .*\n){8}", 1), (r"div\.[us]64", 0),
     (r"fma\.rn\.f32", 9)),
    ("waves.0", (r"call.*rill_f32_far_sin", 12)), # not four times each: more code, more registers, and no faster
    ("scatter.0", (r"atom\.global\.add\.f32", 1), (r"atom\.global\.add\.f64", 1), (r"atom\.global\.max\.u64", 1), (r"cas", 0)),
    # ptxas would convert the float to a byte, not cut its bits, did no operation on integers stand in between.
    ("pieces.0", (r"and\.b32 (%r\d+), %r\d+, 0xffffffff\n(.*\n)*st\.global\.b8 .*\1", 1)),
    ("twice.0", (r"st\.volatile\.global\.b32", 2)),
    # There are no atomics on memory of a thread's own; where a pointer leads is found out before one is done.
    ("own.0", (r"atom|isspacep|generic", 0)),
    ("either.0", (r"isspacep\.local", None), (r"atom\.\S*cas\.b32", None), (r"\.local\.cas", 0)),
    # A team's sum: a tree of five steps, two words each, and the whole to all of them; the first thread stores it, the
    # others wait. One thread's has no part in it. The rows' elements lie side by side.
    ("rows.2", (SHUFFLES, 10), (r"shfl\.sync\.idx\.b32", 2), (r"bar\.warp\.sync", 2), (r"st\.global\.b64", 2),
     (r"\.shared|bar\.sync", 0), (r"ld\.global\.nc\.b64 .*\+\d*256\]", None)),
    # Teams across warps: one step in the warp, then through shared memory; six meetings: around the first store, around
    # what is put down, around the last store. The registers do for 512 threads.
    ("columns.2", (SHUFFLES, 2), (r"shfl\.sync\.idx", 0), (r"st\.shared\.b64", 1), (r"ld\.shared\.b64", 16),
     (r"bar\.sync\s+0", 6), (r"bar\.warp", 0)),
    ("checks.0", (r"ld\.relaxed\.gpu\.global\.b32", 1), (r"st\.release\.sys\.global\.b32", 1), (r"trap", 0)),
]


# What the families of AMD GPUs call the same things. "wait": before a barrier all that was written to shared memory is
# there, and what was stored; "drop": behind it nobody reads from a cache what another has written since; "publish": all
# stores are out before the flag is, for the host to see.
CDNA = {
    "wave": 64, "wide": "dwordx4", "store": "ds_write_b32", "load": "ds_read_b32", "add": "global_atomic_add ",
    "wait": r"s_waitcnt lgkmcnt\(0\)\n", "barrier": r"s_barrier\n", "drop": "",
    "max": r"global_atomic_umax_x2 v\[\d+:\d+\], v\[\d+:\d+\], off\n", "add_f32": r"global_atomic_add_f32 .* off\n",
    "add_f64": r"global_atomic_add_f64 .* off\n", "swap": (r"global_atomic_cmpswap v", r"global_atomic_cmpswap_x2 v"),
}
GFX90A = {**CDNA, "claimed": r"global_load_dword .* glc", "returns": " glc\n",
          "publish": r"buffer_wbl2\ns_waitcnt vmcnt\(0\) .*\nglobal_store_dword .* offset:4\n"}
GFX942 = {**CDNA, "claimed": r"global_load_dword .* sc1\n", "returns": " sc0 sc1\n",
          "publish": r"buffer_wbl2 sc0 sc1\ns_waitcnt vmcnt\(0\) .*\nglobal_store_dword .* offset:4 sc0 sc1\n"}
GFX1030 = {**CDNA, "wave": 32, "wait": r"s_waitcnt lgkmcnt\(0\)\n(?:s_waitcnt_vscnt null, 0x0\n)?",
           "drop": r"buffer_gl0_inv\n", "claimed": r"global_load_dword .* glc dlc\n", "returns": " glc\n",
           "add_f32": None, "add_f64": None,  # there are none: compare and swap
           "publish": r"s_waitcnt_vscnt null, 0x0\nglobal_store_dword .* offset:4\n"}
GFX1100 = {**GFX1030, "wide": "b128", "store": "ds_store_b32", "load": "ds_load_b32", "add": "global_atomic_add_u32 ",
           "max": r"global_atomic_max_u64 v\[\d+:\d+\], v\[\d+:\d+\], off\n", "claimed": r"global_load_b32 .* glc\n",
           "add_f32": r"global_atomic_add_f32 .* off\n",
           "swap": (r"global_atomic_cmpswap_b32 v", r"global_atomic_cmpswap_b64 v"),
           "publish": r"s_waitcnt_vscnt null, 0x0\nglobal_store_b32 .* offset:4\n"}
GFX1201 = {**GFX1100, "wait": r"(?:s_wait_storecnt 0x0\n)?s_wait_(?:loadcnt_)?dscnt 0x0\n",
           "barrier": r"s_barrier_signal -1\n(?:[vs]_(?!wait|barrier).*\n)*s_barrier_wait -1\n", "drop": r"global_inv scope:SCOPE_SE\n",
           "max": r"global_atomic_max_u64 .* off scope:SCOPE_DEV\n",
           "add_f32": r"global_atomic_add_f32 .* off scope:SCOPE_DEV\n",
           "claimed": r"global_load_b32 .* scope:SCOPE_DEV\n", "returns": " th:TH_ATOMIC_RETURN scope:SCOPE_SYS\n",
           "publish": r"global_wb scope:SCOPE_SYS\ns_wait_storecnt 0x0\nglobal_store_b32 .* offset:4 scope:SCOPE_SYS\n"}


def amd(family):
    """The entries, held to what the family has."""
    steps = {64: 6, 32: 5}[family["wave"]]
    meet = family["wait"] + family["barrier"] + family["drop"]
    loosely = family["wait"] + r"(?:[sv]_(?!barrier|wait|load).*\n)*" + family["barrier"] + family["drop"]  # arithmetic between
    swaps = "|".join(family["swap"])
    native = [family[key] for key in ("add_f32", "add_f64") if family[key]]
    return [
        ("triad.0", (f"global_load_{family['wide']}", 2), (f"global_store_{family['wide']}", 1),
         (r"s_barrier|atomic|ds_|_inv|_wb", 0)),
        ("shift.0", (f"global_load_{family['wide']}", None), (f"global_store_{family['wide']}", 1)),
        ("wide.0", (f"global_load_{family['wide']}", 1), (f"global_store_{family['wide']}", 1)),
        ("apart.0", (f"global_store_{family['wide']}|{family['barrier']}", 0)),
        ("sum.0", (f"global_load_{family['wide']}", None), (r"ds_bpermute_b32", 2 * steps), (family["store"], 1),
         (family["load"], 1), (meet, 1), (family["barrier"], 1), (r"atomic", 0)),
        ("sum.0.finish", (r"ds_bpermute_b32", 2 * steps), (meet, 1), (family["barrier"], 1)),
        ("dot.0", (r"ds_bpermute_b32", 4 * steps), (meet, 1)),
        ("histogram.0", (r"ds_add_u32", 5), (loosely, 2), (family["barrier"], 2), (family["add"], 6),
         (f"global_load_{family['wide']}", 1)),
        # Float additions and the maximum are the hardware's in the device's own memory, where it has them …
        ("scatter.0", (family["max"], 1), (swaps, 2 - len(native)), *[(pattern, 1) for pattern in native]),
        # … and for memory elsewhere never: each is a loop around a compare and swap that everybody sees.
        ("scatter.0.remote", (f"(?:{family['swap'][0]}).*{family['returns']}", 1),
         (f"(?:{family['swap'][1]}).*{family['returns']}", 2), (r"atomic_add_f|atomic_u?max", 0),
         (r"s_cbranch_execnz", None)),
        ("histogram.0.remote", (family["add"], 6), (r"cmpswap", 0)),  # which a bus does too
        # A team is 32 threads also where a wave is 64.
        ("rows.2", (r"ds_bpermute_b32", {64: 12, 32: 10}[family["wave"]]), (family["barrier"], 0), (r"atomic", 0)),
        ("columns.2", (r"ds_bpermute_b32", 2), (loosely, None), (r"atomic", 0)),
        ("own.0", (r"atomic|flat_", 0)),
        ("either.0", (r"flat_atomic_cmpswap", None), (r"private_base", None)),
        ("checks.0", (family["claimed"], 1), (family["publish"], 1), (r"s_trap", 0)),
    ]


X86 = [
    # The index that one kernel narrows, `k & 3`, keeps no other kernel of the file from being vectorised.
    ("plane.0", (r"vaddpd.*ymm", None)),
    # What the iteration before has stored stays in a register.
    ("running.0", (r"vaddsd", 1), (r"-8\(", 0)),
    # A loop over a table of 16 offsets is unrolled, and the loop around it is vectors.
    ("around.0", (r"vaddps.*ymm", 16)),
]

TARGETS = {
    "x86-64-v3": X86,
    "sm_75": PTX, "sm_90": PTX, "sm_100": PTX, "gfx90a": amd(GFX90A), "gfx942": amd(GFX942), "gfx1030": amd(GFX1030),
    "gfx1100": amd(GFX1100), "gfx1201": amd(GFX1201), "gfx90a:v4": amd(GFX90A), "gfx1030:v4": amd(GFX1030),
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
    if target.startswith("gfx"):
        stacks = re.findall(r"uses_dynamic_stack:? +(?:1|true)", done.stdout)
        report.check(f"{target}_kernels_that_call_the_library_claim_no_dynamic_stack", not stacks, "\n".join(stacks))
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
