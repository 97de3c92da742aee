#!/usr/bin/env python3
"""`#pragma rill map(…)`: the tasks that the plan has then, on a CPU and on a GPU, and a warning where it cannot be followed."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.path.insert(0, str(ROOT / "tests/support"))
from report import LIMIT, Report  # noqa: E402

HEAD = "kernel void f(int n, int m, float a[n][m], float s[n], const float b[n][m], const float c[m][m]) {\n"
NEST = "for (int i = 0; i < n; i++)\nfor (int j = 0; j < m; j++) a[i][j] += 1;"
SUMS = "for (int i = 0; i < n; i++) {\ns[i] = 0;\nfor (int j = 0; j < m; j++) s[i] += a[i][j]; }"
SHORT = "for (int i = 0; i < 4; i++)\nfor (int j = 0; j < m; j++) a[i][j] += 1;"
COLUMNS = "for (int i = 1; i < n; i++)\nfor (int j = 0; j < m; j++) a[i][j] += a[i - 1][j];"
PRODUCT = "for (int i = 0; i < n; i++)\nfor (int j = 0; j < m; j++)\nfor (int k = 0; k < m; k++) a[i][j] += b[i][k] * c[k][j];"
LINE = "for (int i = 0; i < n; i++) s[i] += 1;"
CHAIN = "for (int i = 1; i < n; i++) s[i] += s[i - 1];"

# Target, pragma, loops, the lines of parallel tasks (line 4 is the first loop), words of the plan and words that are not.
PLANS = {
    "without_a_pragma_a_nest_is_cut": ("x86-64-v3", None, NEST, [4], ["collapse 2"], []),
    "outer_is_one_loop": ("x86-64-v3", "outer", NEST, [4], [], ["collapse"]),
    "outer_is_one_loop_on_a_gpu": ("sm_90", "outer", NEST, [4], [], ["collapse", "teams"]),
    "outer_is_no_team": ("sm_90", "outer", SUMS, [4], [], ["teams"]),
    "outer_may_be_short": ("x86-64-v3", "outer", SHORT, [4], [], ["collapse"]),
    "without_a_pragma_what_is_imperfect_has_two_ways": ("x86-64-v3", None, SUMS, [6, 4], [], []),
    "outer_has_one_way": ("x86-64-v3", "outer", SUMS, [4], [], []),
    "inner_is_control_around_a_task": ("x86-64-v3", "inner", NEST, [5], ["for i"], []),
    "inner_is_control_on_a_gpu": ("sm_90", "inner", SUMS, [6], ["for i"], []),
    "serial_has_no_parallel_task": ("x86-64-v3", "serial", NEST, [], ["serial"], []),
    "two_levels_are_a_team_for_any_number": ("sm_90", "two_level", SUMS, [4], ["teams up to 1099511627776"], []),
    "two_levels_are_no_one_space": ("sm_90", "two_level", NEST, [4], ["teams up to 1099511627776"], ["collapse"]),
    "two_levels_on_a_cpu_are_the_outer_loop": ("x86-64-v3", "two_level", NEST, [4], [], ["collapse"]),
    "tile_has_the_shape": ("sm_90", "tile(4, 2)", PRODUCT, [4], ["collapse 2", "tile 4 x 2"], ["8 x"]),
    "tile_of_a_row": ("sm_90", "tile(1, 8)", PRODUCT, [4], ["tile 1 x 8"], []),
    "tile_of_a_column": ("sm_90", "tile(2, 1)", PRODUCT, [4], ["tile 2 x 1"], []),
    "a_large_tile_is_that_of_a_block": ("sm_90", "tile(32, 32)", PRODUCT, [4], ["tile 4 x 1"], []),
    "a_large_tile_of_both": ("sm_90", "tile(64, 128)", PRODUCT, [4], ["tile 8 x 4"], []),
    "a_block_without_tiles": ("sm_90", "tile(8, 32)", PRODUCT, [4], ["collapse 2"], ["tile "]),
    "a_narrow_tile_of_a_block": ("sm_90", "tile(64, 4)", PRODUCT, [4], ["tile 8 x 1"], []),
    "tile_of_one_is_none": ("sm_90", "tile(1, 1)", PRODUCT, [4], ["collapse 2"], ["tile "]),
    "a_tile_that_is_not_known_to_pay": ("sm_90", "tile(2, 2)", NEST, [4], ["tile 2 x 2"], []),
    "a_tile_on_a_cpu_is_the_usual_task": ("x86-64-v3", "tile(4, 4)", NEST, [4], ["collapse 2"], ["tile "]),
    "the_order_stays": ("x86-64-v3", "inner", COLUMNS, [5], ["for i"], ["+64"]),
}

# Target, pragma, loops, words of the warning; None: there is none.
WARNINGS = {
    "of_a_loop_in_order": ("x86-64-v3", "outer", CHAIN, "is not followed: the loop runs in order: 's[i]'"),
    "of_a_loop_that_is_no_task": ("x86-64-v3", "outer", SUMS.replace("\nfor", "\n#pragma rill map(outer)\nfor"),
                                  "is not followed: a loop around it is the task"),
    "of_a_loop_without_one_for_a_team": ("sm_90", "two_level", LINE, "a team of threads can share no loop inside"),
    "of_no_nest_for_a_tile": ("sm_90", "tile(2, 2)", LINE, "the loops are no nest of two"),
    "not_of_a_team_on_a_cpu": ("x86-64-v3", "two_level", LINE, None),
    "not_of_a_tile_on_a_cpu": ("x86-64-v3", "tile(2, 2)", LINE, None),
    "not_of_what_is_followed": ("sm_90", "tile(8, 8)", PRODUCT, None),
    "not_of_what_was_asked_to_run_in_order": ("x86-64-v3", "serial", CHAIN, None),
}


def emit(target, pragma, loops):
    text = "#include <rill/kernel.h>\n" + HEAD + (f"#pragma rill map({pragma})\n" if pragma else "\n") + loops + "\n}\n"
    done = subprocess.run([RILL, "emit", "--plan", "-", "--target", target], input=text, capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    return text, done.stdout, done.stderr


def main():
    report = Report()
    for name, (target, pragma, loops, lines, words, others) in PLANS.items():
        text, plan, errors = emit(target, pragma, loops)
        tasks = [int(line.rsplit("; ", 1)[1].split(":")[0]) for line in plan.splitlines()
                 if " task " in line and " parallel " in line]
        body = plan.partition("\n")[2]
        report.check(name, tasks == lines and all(word in body for word in words) and "warning" not in errors and
                     not any(word in body for word in others), f"{text}\n{tasks}\n{plan}{errors}")
    for name, (target, pragma, loops, words) in WARNINGS.items():
        text, plan, errors = emit(target, pragma, loops)
        said = [line for line in errors.splitlines() if "warning: '#pragma rill map" in line]
        report.check(name, (said == []) if words is None else (len(said) == 1 and words in said[0]), f"{text}\n{errors}\n{plan}")
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
