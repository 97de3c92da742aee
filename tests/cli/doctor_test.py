#!/usr/bin/env python3
"""rill doctor: what it finds, what it says is to be mended, and figures that are there."""
import os
import re
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import ROOT, Report, rill  # noqa: E402

ROWS = ["queue a small kernel", "queue it and wait", "record an event", "two at the same time", "two long ones"]


def main():
    report = Report()
    others = [name for name in os.environ if name.startswith("RILL_") and name != "RILL_BUILD"]

    def doctor(*args, **env):
        kept = {name: os.environ.pop(name) for name in others}
        try:
            return rill("doctor", *args, env=env)
        finally:
            os.environ.update(kept)

    done = doctor("--device", "cpu", RILL_DEVICE="cpu")
    report.check("it_finds_the_library_the_compiler_and_the_cpu", done.rc == 0 and "librill.so" in done.out
                 and re.search(r"compiler +compiles", done.out) and re.search(r"\n  cpu +.*threads?, ", done.out), done)
    figures = [re.search(row + r".* (\d+\.\d\d)( us| of)", done.out) for row in ROWS]
    report.check("it_measures", all(figures) and float(figures[1][1]) > 0, done)
    report.check("it_measures_beside_a_bare_thread", "a bare thread" in done.out and len(re.findall(r" us", done.out)) == 5, done)
    quick = doctor("--quick")
    report.check("quick_measures_nothing", quick.rc == 0 and " us" not in quick.out and "All is well" in quick.out, quick)
    wrong = doctor("--quick", RILL_THREDS="4")
    report.check("a_misspelt_variable_is_to_be_mended", wrong.rc == 1 and "RILL_THREADS" in wrong.out and "1 to mend" in wrong.out, wrong)
    broken = doctor("--quick", RILL_COMPILER="/nowhere.so")
    report.check("a_compiler_that_is_not_there_is_to_be_mended",
                 broken.rc == 1 and "/nowhere.so" in broken.out and "-> librill-compiler.so belongs" in broken.out, broken)
    missing = doctor("--device", "cuda:9")
    report.check("a_device_that_is_not_there_is_said", missing.rc == 1 and "cuda:9" in missing.out and "selftest" in missing.out, missing)
    report.check("what_it_does_not_take_is_refused", doctor("--fast").rc == 2, doctor("--fast"))
    source = (ROOT / "src/cli/cmd_doctor.c").read_text()
    mine = set(re.findall(r'"(RILL_[A-Z_]+)"', source[source.index("variables[] = {"):source.index("// What builds and tests read")]))
    page = (ROOT / "docs/env.md").read_text().split("## Building and testing")[0]
    listed = set(re.findall(r"^\| `(RILL_[A-Z_]+)`", page, re.M))
    report.check("it_knows_the_variables_of_the_docs", mine == listed, f"{mine ^ listed}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
