#!/usr/bin/env python3
"""`rill emit --ir --after=PASS`: the list of passes, and the code as it stands behind each."""
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import Report, rill  # noqa: E402

PASSES = """#include <rill/kernel.h>
kernel int sum(int n, const int x[n], int out[16])
{
    int s = 0, keep[2];
    keep[0] = n;
    for (int i = 0; i < n; i++) { s += x[i]; out[x[i] & 15] += keep[0]; }
    return s;
}
"""


def check_passes(report, source):
    """--after: the list, in the order of running, and what stands behind each pass."""
    listed = rill("emit", "--ir", "--after=list")
    names = [line.split()[0] for line in listed.out.splitlines()]
    report.check("the_list_of_passes_needs_no_file", listed.rc == 0 and names[0] == "lower" and "fuse" in names, listed)
    report.check("every_pass_has_its_line", all(len(line.split()) > 3 for line in listed.out.splitlines()), listed)
    after = {name: rill("emit", "--ir", "--after", name, source) for name in names}
    wrong = [name for name, done in after.items() if done.rc != 0 or not done.out.startswith("rill-ir 1\n")]
    report.check("every_pass_can_be_looked_behind", not wrong, " ".join(wrong))
    report.check("locals_are_memory_before_promotion",
                 "memory" in after["lower"].out and "memory" not in after["promote"].out, after["promote"])
    report.check("verdicts_stand_behind_the_analysis",
                 "verdict" in after["analyse"].out and "verdict" not in after["demote"].out, after["analyse"])
    report.check("effects_are_comments", "; " in after["effects"].out and "reads x bytes" in after["effects"].out,
                 after["effects"])
    report.check("the_plan_grows", "task sum.0" in after["partition"].out and "task sum.0" not in after["choose"].out,
                 after["partition"])
    code = "".join(line + "\n" for line in after[names[-1]].out.splitlines() if not line.startswith(";"))
    report.check("behind_the_last_pass_is_what_ir_shows", code == rill("emit", "--ir", source).out, after[names[-1]])


def check_usage(report, source):
    for name, args, words in (
            ("an_unknown_pass", ["--ir", "--after=zork", source], "there is no pass 'zork'"),
            ("an_unknown_pass_lists_them", ["--ir", "--after=zork", source], "  partition "),
            ("another_kind", ["--plan", "--after=promote", source], "--after goes with --ir, not --plan"),
            ("the_list_of_another_kind", ["--asm", "--after=list"], "--after goes with --ir, not --asm"),
            ("no_name", ["--ir", source, "--after"], "--after")):
        done = rill("emit", *args)
        report.check(f"after_with_{name}_is_refused", done.rc == 2 and words in done.err and done.out == "", done)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "passes.c"
        source.write_text(PASSES, encoding="utf-8")
        check_passes(report, source)
        check_usage(report, source)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
