#!/usr/bin/env python3
"""The test runner and test.h count what happened: a test that fails, dies, hangs or says nothing is a failure."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from report import Report  # noqa: E402

PROGRAM = """
#include "test.h"
#include <signal.h>
TEST(holds) { CHECK(1); CHECK_INT(2, 2); CHECK_STR("a", "a"); CHECK_NEAR(1.0, 1.001, 0.01); CHECK_MEM("ab", "ab", 2); }
TEST(bad_check) { CHECK(0); }
TEST(bad_int) { CHECK_INT(2, 3); }
TEST(bad_str) { CHECK_STR("a", NULL); }
TEST(bad_near) { CHECK_NEAR(1.0, 2.0, 0.5); }
TEST(bad_nan) { CHECK_NEAR(NAN, 2.0, 0.5); }
TEST(bad_mem) { CHECK_MEM("ab", "ac", 2); }
TEST(bad_require) { REQUIRE(1 == 2); printf("not reached\\n"); }
TEST(skipped) { SKIP("no such thing"); printf("not reached\\n"); }
TEST(dies) { if (getenv("DIE") != NULL) { raise(SIGSEGV); } }
"""


def run(command, **env):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ, **env))
    return done.returncode, done.stdout


def check_header(report, folder):
    source, program = folder / "x.c", folder / "x"
    source.write_text(PROGRAM)
    subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", f"-I{ROOT}/tests/support", source, "-o", program, "-lm"], check=True)
    status, output = run([program])
    lines = output.splitlines()
    failed = sorted(line.split()[1] for line in lines if line.startswith("FAIL "))
    report.check("each_kind_of_check_can_fail",
                 failed == ["bad_check", "bad_int", "bad_mem", "bad_nan", "bad_near", "bad_require", "bad_str"], output)
    report.check("require_and_skip_end_the_test", "not reached" not in output, output)
    report.check("the_last_line_of_a_program_counts", lines[-1] == "# 2 passed, 7 failed, 1 skipped" and status == 1, output)
    status, output = run([program, "holds", "skip"])
    report.check("words_choose_tests", output.splitlines()[-1] == "# 1 passed, 0 failed, 1 skipped" and status == 0, output)


def check_runner(report, folder):
    """A tree with nothing but scripts, run by a copy of the runner."""
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools/run-tests", folder / "tools/run-tests")
    (folder / "tests/cli").mkdir(parents=True)
    scripts = {
        "good": "echo ok one; echo ok two; echo skip three: why",
        "bad": "echo reason; echo FAIL four; echo ok five; exit 1",
        "lies": "echo ok six; exit 3",
        "dies": "echo run seven; kill -SEGV $$",
        "hangs": "sleep 600",
        "silent": "true",
    }
    for name, body in scripts.items():
        path = folder / f"tests/cli/{name}_test.sh"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    (folder / "tests/cli/never_built_test.c").write_text("")
    runner = [folder / "tools/run-tests", "--no-build", "--part", "plain"]
    status, output = run([*runner, "good", "bad", "lies", "dies", "silent", "never"])
    last = output.splitlines()[-1]
    report.check("the_runner_counts_everything", last == "4 passed, 5 failed, 1 skipped" and status == 1, output)
    # By itself: however short the time, it is over only for what hangs.
    status, hung = run([*runner, "--program-timeout", "1", "hangs"])
    report.check("what_hangs_is_counted", hung.splitlines()[-1] == "0 passed, 1 failed, 0 skipped" and status == 1, hung)
    output += hung
    wanted = ["reason", "FAIL four", "FAIL cli/lies_test: exit status 3", "FAIL cli/dies_test: ended by SIGSEGV in seven",
              "FAIL cli/hangs_test: ran longer than 1 s", "FAIL cli/silent_test: reported nothing", "was not built"]
    missing = [text for text in wanted if text not in output]
    report.check("the_runner_says_what_happened", not missing, f"{missing}\n{output}")
    status, output = run([*runner, "good"])
    report.check("the_runner_succeeds_when_all_is_well",
                 output.splitlines()[-1] == "2 passed, 0 failed, 1 skipped" and status == 0, output)


# The runner knows a script that has pieces by the option in quotes, which are written so that this one has none.
PIECES = """#!/usr/bin/env python3
import os, sys
if sys.argv[1:] == [\"--pieces\"]:
    print("a 1\\nb 2\\nc 3")
    sys.exit()
with open(os.environ["RILL_BUILD"] + "/ran", "a") as ran:
    print(*sys.argv[1:], file=ran)
good = sys.argv[1:2] != ["b"] or os.path.exists(os.environ["RILL_BUILD"] + "/mended")
print("ok" if good else "FAIL", "piece")
sys.exit(not good)
"""


def check_pieces(report, folder):
    """What is run piece by piece, and what a run that goes on runs again."""
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools/run-tests", folder / "tools/run-tests")
    (folder / "tests/cli").mkdir(parents=True)
    script, build = folder / "tests/cli/x_test.py", folder / "build/dev"
    script.write_text(PIECES)
    script.chmod(0o755)

    def ran(*options):
        (build / "ran").unlink(missing_ok=True)
        _, output = run([folder / "tools/run-tests", "--no-build", "--part", "plain", *options])
        lines = sorted((build / "ran").read_text().splitlines()) if (build / "ran").exists() else []
        return lines, output.splitlines()[-1], output

    got = ran("--all")
    report.check("scripts_with_pieces_run_by_them", got[:2] == (["a 1", "b 2", "c 3"], "2 passed, 1 failed, 0 skipped"), got)
    (build / "mended").write_text("")
    got = ran("--all", "--resume")
    report.check("a_run_that_goes_on_runs_what_failed", got[:2] == (["b 2"], "3 passed, 0 failed, 0 skipped"), got)
    report.check("only_what_is_named_runs", ran("--all", "x_test:c-3")[0] == ["c 3"])
    (folder / "README.md").write_text("another tree")
    got = ran("--all", "--resume")
    report.check("another_tree_runs_everything", got[0] == ["a 1", "b 2", "c 3"], got)
    report.check("another_form_runs_everything", ran("--resume")[0] == ["a 1", "b 2", "c 3"])
    report.check("another_turn_runs_everything", ran("--resume", "--turn", "7")[0] == ["a 1", "b 2", "c 3"])
    report.check("the_same_turn_runs_nothing_again", ran("--resume", "--turn", "7")[0] == [])


SAMPLED = """#!/bin/sh
echo "ok $(basename "$0") ${RILL_TEST_QUICK:-no}"
"""


def check_samples(report, folder):
    """The long form runs everything in every part; the short form samples, of which each program is in one turn."""
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools/run-tests", folder / "tools/run-tests")
    names = {"conformance/a", "conformance/b", "conformance/c", "conformance/d", "conformance/e", "codegen/link", "codegen/x"}
    for name in names:
        path = folder / f"tests/{name}_test.sh"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SAMPLED)
        path.chmod(0o755)

    def ran(part, *options):
        _, output = run([folder / "tools/run-tests", "--no-build", "--part", part, *options])
        return {line.split("_test:")[0].split()[-1] for line in output.splitlines() if "_test:" in line}

    for part in ("plain", "asan", "tsan"):
        got = ran(part, "--all")
        report.check(f"the_long_form_runs_everything_under_{part}", got == names, got)
    got = ran("plain")
    report.check("the_short_form_runs_everything_in_the_plain_build", got == names, got)
    turns = [ran("asan", "--turn", str(turn)) for turn in range(6)]
    report.check("samples_are_smaller", all(len(turn & {f"conformance/{x}" for x in "abcde"}) <= 1 for turn in turns), turns)
    report.check("every_program_has_its_turn", set.union(*turns) == names, turns)
    report.check("what_is_named_runs_in_every_turn", ran("asan", "--turn", "1", "conformance/") == {f"conformance/{x}" for x in "abcde"})
    got = ran("tsan")
    report.check("what_runs_threads_runs_whole_under_tsan", got == {f"conformance/{x}" for x in "abcde"}, got)
    got = ran("plain", "--quick")
    report.check("the_quick_form_leaves_out_what_takes_long", got == names - {"codegen/link"}, got)


TWINS = {"fakes/one_test.c", "fakes/hip_one_test.c", "fakes/lone_test.c"}


def check_twins(report, folder):
    """Of two tests of one thing on two drivers each runs under one of the sanitizers."""
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools/run-tests", folder / "tools/run-tests")
    for preset in ("dev", "asan", "tsan"):
        for name in TWINS:
            (folder / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "tests" / name).write_text("")
            path = folder / "build" / preset / "tests" / name.removesuffix(".c")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SAMPLED)
            path.chmod(0o755)

    def ran(part, turn):
        _, output = run([folder / "tools/run-tests", "--no-build", "--part", part, "--turn", str(turn)])
        return {line.split("_test:")[0].split()[-1] for line in output.splitlines() if "_test:" in line}

    for turn in range(2):
        asan, tsan = ran("asan", turn), ran("tsan", turn)
        report.check(f"twins_share_the_sanitizers_in_turn_{turn}", "fakes/lone" in asan & tsan and len(asan) == len(tsan) == 2
                     and asan | tsan == {"fakes/one", "fakes/hip_one", "fakes/lone"}, (asan, tsan))
    report.check("twins_both_run_in_the_plain_build", len(ran("plain", 0)) == 3)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        check_header(report, pathlib.Path(folder))
        check_runner(report, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_pieces(report, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_samples(report, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_twins(report, pathlib.Path(folder))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
