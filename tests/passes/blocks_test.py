#!/usr/bin/env python3
"""What `rill check` says of stream_parallel blocks: x.c + x.err pairs in tests/passes/cases/blocks; and the groups of the
tasks in the plan.

RILL_UPDATE=1 writes the .err files anew; read what changed.
"""
import os
import re
import tempfile
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import LIMIT  # noqa: E402

GROUPS = """#include <rill/kernel.h>
kernel int groups(int n, int count[2], int a[n], int b[n])
{
    for (int i = 0; i < n; i++) a[i] = i;
    stream_parallel {
        count[0] = n / 2;
        for (int i = 0; i < count[0]; i++) a[i] = 1;
    }
    stream_parallel {
        int s = 0;
        for (int i = 0; i < count[1]; i++) s += b[i];
        b[0] = s;
        while (b[1] > 0) b[1]--;
    }
    for (int i = 0; i < count[1]; i++) b[i] += a[i];
    int total = 0;
    for (int i = 0; i < n; i++) total += b[i];
    return total;
}
"""


def groups_of_tasks():
    """A sentence if a task has another group than its line says: none outside of blocks, and all that a block needs its own,
    also what computes a bound, or begins and ends a reduction."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "groups.c"
        path.write_text(GROUPS)
        plan = subprocess.run([RILL, "emit", "--plan", path], capture_output=True, text=True, timeout=LIMIT).stdout
    tasks = re.findall(r"task (\S+) \S+( group (\d+))?.*; (\d+):", plan)
    for name, _, group, line in tasks:
        expected = "1" if 5 <= int(line) <= 8 else "2" if 9 <= int(line) <= 14 else ""
        if group != expected:
            return f"task {name} of line {line} has group '{group}', not '{expected}':\n{plan}"
    lines = {int(line) for _, _, _, line in tasks}
    return None if lines >= {4, 6, 7, 11, 15, 17} else f"there are tasks for lines {sorted(lines)} only:\n{plan}"


MANY = "#include <rill/kernel.h>\nkernel void many(int x[100])\n{\n" + "".join(
    f"    stream_parallel {{ x[{i}] = {i}; }}\n" for i in range(100)) + "}\n"
ATOMICS = """#include <rill/kernel.h>
kernel void meet(int n, int x[n])
{
    stream_parallel { rill_atomic_add(&x[0], 1); }
    stream_parallel { rill_atomic_max(&x[0], 7); }
    ;
    stream_parallel { rill_atomic_add(&x[0], 1); }
    stream_parallel { rill_atomic_add(&x[1], 7); }
    ;
    stream_parallel { x[0] += 1; }
    stream_parallel { x[0] -= 7; }
}
"""


def regions_in_explain(text):
    """The lines of `rill explain` about regions, without the groups."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "regions.c"
        path.write_text(text)
        out = subprocess.run([RILL, "explain", path], capture_output=True, text=True, timeout=LIMIT).stdout
    return [re.sub(r"( group \d+)+", "", line.strip()) for line in out.splitlines() if line.startswith("  region of")]


def explain_names_what_regions_rest_on():
    """A sentence if explicit atomics, or blocks beyond those that run at the same time, are not called by their names."""
    expected = {
        ATOMICS: ["region of 2 blocks, line 4:; independent by explicit atomics (line 4 and line 5)",
                  "region of 2 blocks, line 7:; independent for all arguments",
                  "region of 2 blocks, line 10:; independent for all arguments"],
        MANY: ["region of 64 blocks, line 4:; independent for all arguments",
               "region of 36 blocks, line 68:; independent for all arguments; after the 64 blocks before them: no more run at "
               "the same time"],
    }
    for text, lines in expected.items():
        found = regions_in_explain(text)
        if found != lines:
            return "\n".join(["explain says", *found, "and not", *lines])
    return None


def main():
    failed = False
    wrong = groups_of_tasks()
    print("ok groups_of_tasks" if wrong is None else f"FAIL groups_of_tasks: {wrong}")
    unnamed = explain_names_what_regions_rest_on()
    name = "explain_names_what_regions_rest_on"
    print(f"ok {name}" if unnamed is None else f"FAIL {name}: {unnamed}")
    wrong = wrong or unnamed
    failed |= wrong is not None
    for path in sorted((ROOT / "tests/passes/cases/blocks").glob("*.c")):
        done = subprocess.run([RILL, "check", path.name], cwd=path.parent, capture_output=True, text=True, timeout=LIMIT)
        said = done.stderr + done.stdout
        expected = path.with_suffix(".err")
        if "RILL_UPDATE" in os.environ:
            expected.write_text(said)
        right = expected.exists() and said == expected.read_text() and done.returncode == (1 if "error:" in said else 0)
        print(f"ok {path.stem}" if right else f"FAIL {path.stem}: rill check says\n{said}")
        failed |= not right
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
