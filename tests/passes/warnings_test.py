#!/usr/bin/env python3
"""A loop nest that ends up on one thread is warned of, once, with the reason: the outermost loop that matters, wherever it
stands. What was asked for, and what is short, is not. `// here` marks the loops that are to be warned of."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.path.insert(0, str(ROOT / "tests/support"))
from report import Report  # noqa: E402

CHAIN = "for (int i = 1; i < n; i++) x[i] = x[i] * x[i - 1] + 1;"
CASES = {
    "loop_in_order_is_warned_of": f"{CHAIN} // here",
    "in_a_condition_over_arguments_too": f"if (m > 3)\n{CHAIN} // here",
    "in_a_condition_over_device_data_too": f"if (x[0] > 3)\n{CHAIN} // here",
    "in_a_block_too": f"stream_parallel {{\n{CHAIN} // here\n}}",
    "inside_a_short_loop_too": f"for (int t = 0; t < 10; t++)\n{CHAIN} // here",
    "inside_two_short_loops_too": f"for (int t = 0; t < 10; t++)\nfor (int u = 0; u < 4; u++)\n{CHAIN} // here",
    "inside_a_loop_that_was_asked_for_too": f"#pragma rill serial\nfor (int t = 0; t < m; t++)\n{CHAIN} // here",
    "loop_that_is_not_canonical_too":
        "for (int t = 0; t < 2; t++)\nfor (int i = t; i + 1 < n; i += 2) x[i] += x[i + 1]; // here",
    "of_a_nest_only_the_outermost": f"for (int t = 0; t < m; t++) // here\n{CHAIN}",
    "of_a_while_only_the_outermost": f"while (x[0] < 3) // here\n{CHAIN}",
    "what_was_asked_for_is_not": f"#pragma rill single\nfor (int t = 0; t < m; t++)\n{CHAIN}",
    "what_is_short_is_not": "for (int i = 1; i < 30; i++) x[i] = x[i] * x[i - 1] + 1;",
    "what_lies_in_a_parallel_loop_is_not":
        "for (int k = 0; k < m; k++) { float s = 0; for (int i = 1; i < n; i++) s = s * y[k] + 1; y[k] = s; }",
    "time_loop_with_a_task_is_not": "for (int t = 0; t < m; t++)\nfor (int i = 0; i < n; i++) x[i] += t;",
    "small_parallel_loop_in_a_condition_is_not": "if (x[0] > 3)\nfor (int i = 0; i < 8; i++) x[i] += 1;",
}


def main():
    report = Report()
    for name, body in CASES.items():
        text = f"#include <rill/kernel.h>\nkernel void f(int n, int m, float x[n], float y[m])\n{{\n{body}\n}}\n"
        said = subprocess.run([RILL, "check", "--json", "-"], input=text, capture_output=True, text=True, timeout=100,
                              check=False).stdout
        wanted = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("// here")]
        found = [d["line"] for d in json.loads(said)["diagnostics"] if "runs in order, on one thread: " in d["text"]]
        report.check(name, found == wanted, f"{text}\n{said}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
