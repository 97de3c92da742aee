#!/usr/bin/env python3
"""What takes LLVM more than linear time is kept from it. Told by what is made and by processor time against a smaller case,
never by the clock: each of these shapes once took ten seconds and more."""
import os
import pathlib
import resource
import subprocess
import tempfile

RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
HEAD = "#include <rill/kernel.h>\nkernel void k(int n, float a[n], const float b[n], const int c[n])\n{\n"


def emit(kind, text):
    """The text that `rill emit` writes for a kernel. |kind|: its options."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "k.c"
        path.write_text(text)
        done = subprocess.run([RILL, "emit", *kind.split(), path], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"FAIL rill emit {kind}: {done.stderr}")
    return done.stdout


def seconds(kind, text):
    """Processor time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    emit(kind, text)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def conditions(count):
    """|count| conditional divisions, and as many in the other branch."""
    lines = [f"        if (c[i] > {k}) {{\n            t += b[(i + {k}) % n];\n        }} else {{\n            t -= b[(i * {k}) % n];\n"
             "        }\n" for k in range(count)]
    return HEAD + "    for (int i = 0; i < n; i++) {\n        float t = 0;\n" + "".join(lines) + "        a[i] = t;\n    }\n}\n"


def terms(count):
    """One loop with |count| accesses in a straight line."""
    lines = [f"        t += b[i + {k}] * {k}.5f;\n" for k in range(count)]
    return (HEAD + f"    for (int i = 0; i < n - {count}; i++) {{\n        float t = 0;\n" + "".join(lines) +
            "        a[i] = t;\n    }\n}\n")


def nest(depth):
    """|depth| loops, one in the other."""
    loops = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++) {{\n" for k in range(depth))
    index = " + ".join(f"i{k}" for k in range(depth))
    return ("#include <rill/kernel.h>\nkernel float k(int n, const float b[n])\n{\nfloat t = 0;\n" + loops +
            f"t += b[({index}) % n];\n" + "}\n" * depth + "return t;\n}\n")


def chain(length):
    """Helpers of which each calls the one before it twice: 2^|length| calls."""
    lines = ["static int f0(int *p, int i) { p[i & 7] += i; return p[0]; }\n"]
    lines += [f"static int f{k}(int *p, int i) {{ int t[2]; t[0] = f{k - 1}(p, i); t[1] = f{k - 1}(p, i + 1); return t[i & 1]; }}\n"
              for k in range(1, length)]
    return ("#include <rill/kernel.h>\n" + "".join(lines) +
            f"kernel void k(int n, int x[n]) {{ for (int i = 0; i < n; i++) {{ x[i] = f{length - 1}(x, i); }} }}\n")


def in_one_loop(head, part, count):
    """A kernel of |count| parts in one loop; # in a part is its number."""
    body = "".join(part.replace("#", str(k)) for k in range(count))
    return ("#include <rill/kernel.h>\nstruct pair { int a[2], b; };\nkernel void k(int n, int T, int *x, int *y) {\n" + head +
            " {\n" + body + "} }\n")


# What the passes once compared each with each, or walked through once for each: 0.1 to 0.7 s for 250, then 3 to 30 for 1,000.
PARTS = {
    "updates": ("for (int i = 0; i < n; i++)", "    y[(x[i] + #) & 63] += #;\n"),
    "stores": ("for (int i = 0; i < n; i++)", "    y[(x[i] + #) & 63] = #;\n"),
    "loops_in_a_loop": ("for (int t = 0; t < T; t++)", "    for (int i = 0; i < n; i++) x[i] += #;\n"),
    "structs": ("for (int i = 0; i < n; i++)", "    struct pair v# = {{i}, #}; y[i] += v#.b * v#.a[i & 1];\n"),
    "copies": ("struct pair v = {{n}, 2}; for (int i = 0; i < n; i++)",
               "    struct pair v# = v; v#.a[i & 1] += #; v = v#; y[i] += v.b;\n"),
}


def lines(count):
    """|count| lines of code in loops of ten statements, one after the other."""
    body = []
    for loop in range(count // 12):
        body.append("    for (int i = 1; i < n - 1; i++) {\n        float t = b[i];\n")
        body += [f"        t = t * {k}.5f + b[i {'-+'[k % 2]} 1] - t / {loop * 8 + k + 2}.0f;\n" for k in range(8)]
        body.append(f"        {'ad'[loop % 2]}[i] = t;\n    }}\n")
    return HEAD.replace("const float b", "float d[n], const float b") + "".join(body) + "}\n"


def longest_block(text):
    """The number of instructions in the longest block of LLVM's text."""
    longest = length = 0
    for line in text.splitlines():
        length = length + 1 if line.startswith("  ") else 0
        longest = max(longest, length)
    return longest


def claim(name, good, what):
    print(f"ok {name}" if good else f"FAIL {name}: {what}")


def main():
    few, many = (len(emit("--asm", conditions(count)).splitlines()) for count in (20, 40))
    claim("conditional_divisions_make_code_of_their_number", many < 2.5 * few and many < 40 * 150, f"{few}, then {many} lines")
    longest = longest_block(emit("--llvm", terms(800)))
    claim("long_blocks_are_cut", 0 < longest < 600, f"a block of {longest} instructions")
    small, large = (min(seconds("--asm", nest(depth)) for _ in range(2)) for depth in (6, 24))
    claim("nested_loops_take_time_by_their_number", large < 12 * small, f"{small:.3f} s, then {large:.3f} s")
    small, large = (min(seconds("--asm", chain(length)) for _ in range(2)) for length in (20, 30))
    claim("calls_take_time_by_the_number_of_helpers", large < 6 * small, f"{small:.3f} s, then {large:.3f} s")
    few, many = (emit("--plan", lines(count)).count("    task ") for count in (1000, 3000))
    claim("long_kernels_have_tasks_by_their_length", 0 < few and many < 3.5 * few, f"{few}, then {many} tasks")
    for name, (head, part) in PARTS.items():
        small, large = (min(seconds("--plan", in_one_loop(head, part, count)) for _ in range(2)) for count in (150, 1200))
        claim(f"{name}_take_time_by_their_number", large < 30 * small, f"{small:.3f} s, then {large:.3f} s")
    head, part = "for (int i = 1; i < n; i++)", "    x[i] = x[i] * # + y[i - 1];\n"
    small, large = (min(seconds("--plan --target sm_90", in_one_loop(head, part, count)) for _ in range(2))
                    for count in (150, 1200))
    claim("accesses_of_a_gpu_take_time_by_their_number", large < 30 * small, f"{small:.3f} s, then {large:.3f} s")
    small, large = (min(seconds("--plan", lines(count)) for _ in range(2)) for count in (1500, 9000))
    claim("plans_take_time_by_their_length", large < 30 * small, f"{small:.3f} s, then {large:.3f} s")


main()
