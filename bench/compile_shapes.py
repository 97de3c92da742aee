#!/usr/bin/env python3
"""How long kernel files of 20 to 2,000 lines take to compile, by their shape: processor time of `rill emit`, whole, in
milliseconds, best of three, and the power of the length that it grows with from 500 to 2,000 lines.

    bench/compile_shapes.py [build/release] [--asm | --ptx | --plan]
"""
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

LENGTHS = (20, 200, 500, 1000, 2000)
HEAD = "#include <rill/kernel.h>\n"
OPEN = "kernel void {}(int n, float a[n], float d[n], const float b[n])\n{{\n"
LOOP = "    for (int i = 1; i < n - 1; i++) {\n        float t = b[i];\n"
CLOSE = "    }\n"


def join(template, count):
    return "".join(template.replace("#", str(k)) for k in range(max(1, count)))


def statements(length):
    """One loop, each statement with the result of the one before it."""
    return HEAD + OPEN.format("k") + LOOP + join("        t = t * #.5f + #.25f / (t + #.75f);\n", length) + "        a[i] = t;\n    }\n}\n"


def loads(length):
    """One loop that adds up neighbours."""
    loop = f"    for (int i = 0; i < n - {length}; i++) {{\n        float t = 0;\n"
    return HEAD + OPEN.format("k") + loop + join("        t += b[i + #] * #.5f;\n", length) + "        a[i] = t;\n    }\n}\n"


def branches(length):
    """One loop of conditions."""
    return (HEAD + OPEN.format("k") + LOOP + join("        if (t > #.5f) {\n            t -= #.25f;\n        }\n", length // 3) +
            "        a[i] = t;\n    }\n}\n")


def loops(length):
    """Loops of ten statements, one after the other."""
    body = join("        t = t * #.5f + b[i - 1] - t / 3.0f;\n        t = t * 2.5f + b[i + 1] - t / 7.0f;\n", 4)
    return HEAD + OPEN.format("k") + "".join(
        LOOP + body + f"        {'ad'[k % 2]}[i] = t + {k}.0f;\n" + CLOSE for k in range(max(1, length // 12))) + "}\n"


def kernels(length):
    """Kernels of ten lines."""
    body = join("        t = t * #.5f + 1.0f - t / 3.0f;\n", 4)
    return HEAD + "".join(
        OPEN.format(f"k{k}") + LOOP + body + f"        a[i] = t + {k}.0f;\n" + CLOSE + "}\n" for k in range(max(1, length // 10)))


def helpers(length):
    """Helpers of nine lines, each called once."""
    one = ("static float f#(float t)\n{\n    if (t > #.0f) {\n        t = t * 0.5f + #.0f;\n    } else {\n"
           "        t = t - #.5f / (t * t + 1);\n    }\n    return t;\n}\n")
    return (HEAD + join(one, length // 10) + OPEN.format("k") + LOOP + join("        t = f#(t);\n", length // 10) +
            "        a[i] = t;\n    }\n}\n")


def sums(length):
    """Loops that each add up an array."""
    one = "    float s# = 0;\n    for (int i = 0; i < n; i++) {\n        s# += b[i] * #.5f;\n    }\n    a[#] = s#;\n"
    return HEAD + OPEN.format("k") + join(one, length // 5) + "}\n"


def milliseconds(rill, kind, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([rill, "emit", kind, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main():
    kind = next((word for word in sys.argv[1:] if word.startswith("--")), "--asm")
    build = next((word for word in sys.argv[1:] if not word.startswith("--")), "build/release")
    rill = pathlib.Path(build) / "bin" / "rill"
    print(f"{kind:12}" + "".join(f"{length:>8}" for length in LENGTHS) + "   power")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "k.c"
        for shape in (statements, loads, branches, loops, kernels, helpers, sums):
            best = []
            for length in LENGTHS:
                path.write_text(shape(length))
                best.append(min(milliseconds(rill, kind, path) for _ in range(3)))
            power = math.log(best[4] / best[2]) / math.log(4)
            print(f"{shape.__name__:12}" + "".join(f"{time:8.0f}" for time in best) + f"{power:8.2f}", flush=True)


main()
