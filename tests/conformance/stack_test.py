#!/usr/bin/env python3
"""Locals up to the stated limit fit on a worker's stack, whatever stack the process was given; more is refused with words."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import LIMIT, Report  # noqa: E402

LENGTH = 16000  # elements of a local: 64,000 bytes


def kernel(count):
    """Each local depends on the one before, so that all of them are there at once as far as anybody can see."""
    lines = [f"int t{k}[{LENGTH}];" for k in range(count)]
    for k in range(count):
        before = f"t{k - 1}[(j * 7) % {LENGTH}]" if k > 0 else "j"
        lines.append(f"for (int j = 0; j < {LENGTH}; j++) t{k}[j] = i + j + {before};")
    lines.append(f"out[i] = t{count - 1}[i] + t{count // 2}[i];")
    body = "\n        ".join(lines)
    return f"""#include <rill/kernel.h>
kernel void deep(int n, int out[n])
{{
    for (int i = 0; i < n; i++) {{
        {body}
    }}
}}
"""


def limit_stack():
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (2 << 20, hard))


def run(folder, count):
    path = pathlib.Path(folder) / "deep.c"
    path.write_text(kernel(count))
    return subprocess.run([str(RILL), "run", str(path), "--set", "n=4"], capture_output=True, text=True, timeout=LIMIT,
                          preexec_fn=limit_stack)


def main():
    report = Report()
    if os.environ.get("RILL_TEST_PART", "plain") != "plain":
        report.skip("stack", "runs in the plain part: sanitizers want a stack of their own")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, 60)
        report.check("locals_of_a_task_fit_on_the_stack_of_a_worker", done.returncode == 0, f"{done.returncode}: {done.stderr}")
        done = run(folder, 70)
        report.check("locals_that_do_not_fit_are_refused_with_words",
                     done.returncode == 1 and "take 4480000 bytes, and a task has at most 4194304" in done.stderr,
                     f"{done.returncode}: {done.stderr}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
