#!/usr/bin/env python3
"""A loop nest that ends up on one thread is warned of, once, with the reason: the outermost loop that matters, wherever it
stands; of loops that cannot but run in order the counted one inside. What was asked for, and what is short, is not. `// here` marks the loops that are to be warned of."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.path.insert(0, str(ROOT / "tests/support"))
from report import LIMIT, Report  # noqa: E402

CHAIN = "for (int i = 1; i < n; i++) x[i] = x[i - 1] * x[i - 1] + x[i];"
CASES = {
    "loop_in_order_is_warned_of": f"{CHAIN} // here",
    "in_a_condition_over_arguments_too": f"if (m > 3)\n{CHAIN} // here",
    "in_a_condition_over_device_data_too": f"if (x[0] > 3)\n{CHAIN} // here",
    "in_a_block_too": f"stream_parallel {{\n{CHAIN} // here\n}}",
    "inside_a_short_loop_too": f"for (int t = 0; t < 10; t++)\n{CHAIN} // here",
    "inside_two_short_loops_too": f"for (int t = 0; t < 10; t++)\nfor (int u = 0; u < 4; u++)\n{CHAIN} // here",
    "inside_a_loop_that_was_asked_for_too": f"#pragma rill serial\nfor (int t = 0; t < m; t++)\n{CHAIN} // here",
    "loop_that_is_not_canonical_too":
        "for (int t = 0; t < 2; t++)\nfor (int i = t; i * 2 < n; i += 2) x[i] += x[i + 1]; // here",
    "of_a_nest_only_the_outermost": "for (int t = 0; t < m; t++) // here\nfor (int i = 1; i < n; i++) x[i] = x[i - 1] * x[i - 1] + x[n - i];",
    "of_a_while_the_counted_loop_inside": f"while (x[0] < 3)\n{CHAIN} // here",
    "of_a_while_without_one_itself": "while (x[0] < 3) x[0] *= x[1]; // here",
    "of_a_while_with_a_short_one_itself": "while (x[0] < 3) // here\nfor (int i = 1; i < 4; i++) x[0] = x[0] * x[1] + 1;",
    "of_a_bitonic_sort_the_loop_over_the_elements":
        "for (int k = 2; k <= n; k *= 2)\nfor (int j = k / 2; j > 0; j /= 2)\n"
        "for (int i = 0; i < n; i++) { // here\nint l = i ^ j;\n"
        "if (l > i && (x[i] > x[l]) == ((i & k) == 0)) { float t = x[i]; x[i] = x[l]; x[l] = t; } }",
    "what_is_short_by_its_step_is_not": "for (int i = 100; i < 10000; i += 1000) x[i] = x[i - 1] * x[i - 1] + x[i];",
    "what_is_far_and_short_is_not":
        "for (long i = -9223372036854775807; i < 9223372036854775800; i += 9223372036854775807) x[1] = x[0] * x[1];",
    "what_is_far_and_long_is":
        "float s = 1;\nfor (long i = -9223372036854775807; i < 9223372036854775800; i++) s = s * s + y[0]; // here\nx[0] = s;",
    "what_was_asked_for_is_not": f"#pragma rill single\nfor (int t = 0; t < m; t++)\n{CHAIN}",
    "what_is_short_is_not": "for (int i = 1; i < 30; i++) x[i] = x[i - 1] * x[i - 1] + x[i];",
    "what_lies_in_a_parallel_loop_is_not":
        "for (int k = 0; k < m; k++) { float s = 0; for (int i = 1; i < n; i++) s = s * y[k] + 1; y[k] = s; }",
    "time_loop_with_a_task_is_not": "for (int t = 0; t < m; t++)\nfor (int i = 0; i < n; i++) x[i] += t;",
    "small_parallel_loop_in_a_condition_is_not": "if (x[0] > 3)\nfor (int i = 0; i < 8; i++) x[i] += 1;",
}


# '#pragma rill collapse(3)' that is not followed: why, and of which loop (its line in the body, from 1).
COLLAPSES = {
    "collapse_of_a_single_loop_speaks_of_no_inner_one":
        ("for (int i = 0; i < n; i++) x[i][0] = i;", "there is no loop in the body", 2),
    "collapse_of_more_loops_than_there_are_names_the_last_one":
        ("for (int i = 0; i < n; i++)\nfor (int j = 0; j < 4; j++) x[i][j] = j;", "there is no loop in the body", 3),
    "collapse_of_an_imperfect_nest_says_so":
        ("for (int i = 0; i < n; i++) {\nx[i][0] = 1; for (int j = 0; j < 4; j++) x[i][j] += j; }",
         "something else stands in it beside the inner loop", 2),
}


def check_collapses(report):
    for name, (body, why, line) in COLLAPSES.items():
        text = f"#include <rill/kernel.h>\nkernel void f(int n, float x[n][4]) {{\n#pragma rill collapse(3)\n{body}\n}}\n"
        said = subprocess.run([RILL, "check", "--json", "-"], input=text, capture_output=True, text=True, timeout=LIMIT,
                              check=False).stdout
        found = [(d["line"], d["text"]) for d in json.loads(said)["diagnostics"]]
        wanted = [(4, f"'#pragma rill collapse(3)' is not followed: {why}"), (line + 2, "of this loop")]
        report.check(name, found[:2] == wanted, f"{text}\n{said}")


# What the warning calls the elements: as they are written, blanks aside.
TEXTS = {
    "sums_as_written": ("x[1+i] = x[ i ] * 2 + x[i] / 3;", ["x[1 + i]", "x[i]"]),
    "parentheses_and_casts_as_written": ("x[(i >> 1) + (long)(m)] = i;", ["x[(i >> 1) + (long)(m)]"]),
    "not_followed_as_written": ("int l = i ^ m; float t = x[l]; x[l] = x[i] + t;", ["x[l]", "x[i]"]),
    "through_pointers_as_written": ("float *p = x + 1; *(p + i - 1) = p[i] * p[-i];", ["*(p + i - 1)", "p[i]"]),
    "members_as_written": ("s[i+1].v[2] = s[i].v[2] * 2;", ["s[i + 1].v[2]", "s[i].v[2]"]),
    "macros_as_they_expand": ("y[AT(i, 1)] = y[AT(m, i)] + 1;", ["y[((i) * m + (1))]", "y[((m) * m + (i))]"]),
}


def check_texts(report):
    for name, (body, wanted) in TEXTS.items():
        text = ("#include <rill/kernel.h>\n#define AT(i, j) ((i) * m + (j))\nstruct s { float v[4]; };\n"
                f"kernel void f(int n, int m, float *x, float *y, struct s *s)\n{{\nfor (int i = 0; i < n; i++) {{ {body} }}\n}}\n")
        said = subprocess.run([RILL, "check", "--json", "-"], input=text, capture_output=True, text=True, timeout=LIMIT,
                              check=False).stdout
        found = [d["text"] for d in json.loads(said)["diagnostics"] if "runs in order, on one thread: " in d["text"]]
        named = re.findall(r"'([^']*)'", found[0]) if found else []
        report.check(name, all(word in wanted for word in named) and named != [], f"{text}\n{said}")


# What a loop that is none of those that are taken apart is told to be, or why it is none.
WHILE = "it is a 'while' loop, where a 'for' with '%s' as its step might be parallel"
WHYS = {
    "while_that_counts_is_told_of_for": ("int i = 0, k = 0; while (i < n) { if (x[i] > 0) y[k++] = x[i]; i++; }",
                                         WHILE % "i++"),
    "while_that_counts_down_by_two_too": ("int i = n; while (i > 0) { y[i - 1] += y[i]; i -= 2; }", WHILE % "i -= 2"),
    "while_that_does_not_count_is_not": ("int i = 0; while (i < n) { if (x[i] > 0) i++; else i += 2; }",
                                         "it is a 'while' loop"),
}


def check_whys(report):
    for name, (body, wanted) in WHYS.items():
        text = f"#include <rill/kernel.h>\nkernel void f(int n, const double x[n], double y[n])\n{{\n{body}\n}}\n"
        said = subprocess.run([RILL, "check", "--json", "-"], input=text, capture_output=True, text=True, timeout=LIMIT,
                              check=False).stdout
        found = [d["text"] for d in json.loads(said)["diagnostics"]]
        report.check(name, f"this loop runs in order, on one thread: {wanted}" in found, f"{text}\n{said}")
    scan = "for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; }\n"
    text = ("#include <rill/kernel.h>\nkernel void f(int n, const double x[n], double y[n])\n{\ndouble s = 0;\n"
            f"{scan * 60}}}\n")
    env = {name: value for name, value in os.environ.items() if name != "RILL_VERIFY"}  # which makes scans smaller
    said = subprocess.run([RILL, "explain", "-"], input=text, capture_output=True, text=True, timeout=LIMIT,
                          env=env, check=False).stdout
    report.check("scan_without_memory_says_so", "a scan: runs of" in said and "have used up the 48 KiB" in said, said)


# What a note says to write where the loop runs in order only because an index is not followed: the pragma only where
# order, or that elements are shared, is all that is at stake; an exchange where each iteration reads and then replaces.
ORDER = "'#pragma rill parallel' before the loop says that any order will do"
SHARE = "'#pragma rill parallel' before the loop says that no two iterations share '%s'"
EXCHANGE = "if any order will do, 'rill_atomic_exchange(&%s, …)' returns the old value as it stores the new one"
PRAGMAS = {
    "pragma_is_named_where_a_read_is_not_followed": ("x[i] = x[(int)y[i]] + 1;", ORDER),
    "pragma_is_named_where_a_product_is_not_followed": ("x[i * (int)y[i]] = x[i] + 1;", ORDER),
    "pragma_is_not_named_where_it_would_be_false": ("x[i + 1] = x[i] * x[i] + 1;", None),
    "exchange_is_named_where_lists_are_linked": ("y[i] = x[c[i]]; x[c[i]] = i;", EXCHANGE % "x[c[i]]"),
    "exchange_is_named_under_a_condition_of_its_own":
        ("if (c[i] > 3) { float old = x[c[i]]; x[c[i]] = i * 2; y[i] = old > 1 ? old : 0; }", EXCHANGE % "x[c[i]]"),
    "exchange_is_not_named_where_the_old_value_is_in_the_new":
        ("float old = x[c[i]]; x[c[i]] = old * old + 1;", SHARE % "x[c[i]]"),
    "exchange_is_not_named_where_the_old_value_goes_through_a_variable":
        ("float t = 0; if (x[c[i]] > 1) t = 1; x[c[i]] = t;", SHARE % "x[c[i]]"),
    "exchange_is_not_named_where_the_old_value_goes_through_memory":
        ("y[i] = x[c[i]]; x[c[i]] = y[i] + i;", SHARE % "x[c[i]]"),
    "exchange_is_not_named_where_the_old_value_decides": ("if (x[c[i]] == 0) x[c[i]] = i;", SHARE % "x[c[i]]"),
    "exchange_is_not_named_where_the_old_value_ends_the_iteration":
        ("if (x[c[i]] == 3) continue; x[c[i]] = i;", SHARE % "x[c[i]]"),
    "exchange_is_not_named_where_the_new_value_is_read": ("x[c[i]] = i; y[i] = x[c[i]];", SHARE % "x[c[i]]"),
    "exchange_is_not_named_where_others_are_read_too":
        ("y[i] = x[c[i]] + x[c[i + 1]]; x[c[i]] = i;", SHARE % "x[c[i]]"),
}


def check_pragmas(report):
    for name, (body, wanted) in PRAGMAS.items():
        text = ("#include <rill/kernel.h>\nkernel void f(int n, const int *c, float *x, float *y)\n{\n"
                f"for (int i = 0; i < n; i++) {{ {body} }}\n}}\n")
        said = subprocess.run([RILL, "check", "--json", "-"], input=text, capture_output=True, text=True, timeout=LIMIT,
                              check=False).stdout
        found = [d["text"] for d in json.loads(said)["diagnostics"]]
        named = [word for word in found if "'#pragma rill parallel'" in word or "rill_atomic" in word]
        report.check(name, named == [wanted] * (wanted is not None) and len(found) > 1, f"{text}\n{said}")
    by_exchange = ("#include <rill/kernel.h>\nkernel void f(int n, const int *c, float *x, float *y)\n{\n"
                   "for (int i = 0; i < n; i++) y[i] = rill_atomic_exchange(&x[c[i]], i);\n}\n")
    said = subprocess.run([RILL, "explain", "-"], input=by_exchange, capture_output=True, text=True, timeout=LIMIT,
                          check=False).stdout
    report.check("exchange_as_advised_is_parallel", "parallel, by atomics" in said, said)


def check_inlined(report):
    """A loop of kernels that call each other is one place."""
    text = ("#include <rill/kernel.h>\n" + f"kernel void f(int n, float x[n]) {{\n{CHAIN}\n}}\n"
            "kernel void g(int n, float x[n]) { f(n, x); }\nkernel void h(int n, float x[n]) { f(n, x); g(n, x); }\n")
    said = subprocess.run([RILL, "check", "--json", "-"], input=text, capture_output=True, text=True, timeout=LIMIT,
                          check=False).stdout
    found = [d["line"] for d in json.loads(said)["diagnostics"] if "runs in order, on one thread: " in d["text"]]
    report.check("loop_that_several_kernels_inline_once", found == [3], f"{text}\n{said}")


def check_static(report):
    """A static kernel that no kernel calls is warned of, unless it is inline, as in headers. The host finds neither."""
    text = ("#include <rill/kernel.h>\nstatic kernel void one(int n, float x[n]) { x[0] = 1; }\n"
            "static kernel void two(int n, float x[n]) { x[0] = 2; }\n"
            "static inline kernel void three(int n, float x[n]) { x[0] = 3; }\n"
            "kernel void four(int n, float x[n]) { one(n, x); }\n")
    said = subprocess.run([RILL, "check", "--json", "-"], input=text, capture_output=True, text=True, timeout=LIMIT,
                          check=False).stdout
    found = [(d["line"], d["text"]) for d in json.loads(said)["diagnostics"]]
    report.check("static_kernel_that_no_kernel_calls",
                 found == [(3, "'two' is static, so that the host cannot launch it, and no kernel calls it")], said)


def main():
    report = Report()
    check_static(report)
    check_collapses(report)
    check_inlined(report)
    check_texts(report)
    check_whys(report)
    check_pragmas(report)
    for name, body in CASES.items():
        text = f"#include <rill/kernel.h>\nkernel void f(int n, int m, float x[n], float y[m])\n{{\n{body}\n}}\n"
        said = subprocess.run([RILL, "check", "--json", "-"], input=text, capture_output=True, text=True, timeout=LIMIT,
                              check=False).stdout
        wanted = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("// here")]
        found = [d["line"] for d in json.loads(said)["diagnostics"] if "runs in order, on one thread: " in d["text"]]
        report.check(name, found == wanted, f"{text}\n{said}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
