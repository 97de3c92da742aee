#!/usr/bin/env python3
"""rill selftest: runs the programs that lie beside it, counts what they say, and writes a report."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ["RILL_BUILD"])
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import LIMIT, Report  # pylint: disable=wrong-import-position

GOOD = "#!/bin/sh\necho ok one on $RILL_TEST_DEVICE\necho ok two\necho 'skip three: no'\n"
BAD = "#!/bin/sh\necho ok one\necho '  what was wrong'\necho FAIL two\nexit 1\n"
DEAD = "#!/bin/sh\necho ok one\nkill -SEGV $$\n"
# Waits for ever, and so does what it started.
STUCK = "#!/bin/sh\necho run one\necho ok one\necho run two\nsleep 1000 &\nwait\n"
# Each waits until both run: alone it would wait for ever.
PAIR = "#!/bin/sh\nmkdir $TOGETHER/%s\nuntil [ -d $TOGETHER/%s ]; do sleep 0.05; done\necho ok one\n"


def lay_out(folder, programs):
    """A tree as an archive has it: bin/rill and tests/conformance."""
    (folder / "bin").mkdir()
    shutil.copy(BUILD / "bin" / "rill", folder / "bin" / "rill")
    (folder / "lib").symlink_to(BUILD / "lib")
    if programs:
        (folder / "tests" / "conformance").mkdir(parents=True)
    for name, text in programs.items():
        path = folder / "tests" / "conformance" / f"{name}_test"
        path.write_text(text)
        path.chmod(0o755)


def selftest(programs, *args, end_at=None):
    """What it said, and its reports. It gets SIGTERM when it has said the words |end_at|."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lay_out(folder, programs)
        process = subprocess.Popen([str(folder / "bin" / "rill"), "selftest", *args], cwd=folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, TOGETHER=name))
        head = ""
        while end_at is not None and end_at not in head:
            head += process.stdout.readline() or end_at
        if end_at is not None:
            process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
        done = subprocess.CompletedProcess(args, process.returncode, head + out, err)
        reports = {path.name: path.read_text() for path in folder.glob("*.txt")}
        return done, reports


def main():
    report = Report()
    done, reports = selftest({"a": GOOD, "b": GOOD}, "--device", "cpu")
    report.check("programs_that_pass_give_success_and_are_counted",
                 done.returncode == 0 and "cpu: 4 passed, 0 failed, 2 skipped, in 2 programs" in done.stdout
                 and "[2/2]" in done.stdout and "did not pass:" not in done.stdout and not reports, done.stdout + done.stderr)
    done, reports = selftest({"a": GOOD, "b": BAD, "c": DEAD}, "--device", "cpu", "--report")
    text = reports.get("rill-selftest-cpu.txt", "")
    report.check("programs_that_fail_or_die_give_failure", done.returncode == 1 and "2 programs did not pass" in done.stderr
                 and "ended by signal 11" in done.stdout and "did not pass:\n  b_test\n  c_test\n" in done.stdout,
                 done.stdout + done.stderr)
    report.check("the_report_has_devices_results_and_what_was_wrong",
                 all(words in text for words in ("rill selftest", "devices:", "tested:\ncpu: 3 programs", "what was wrong",
                                                 "1 passed, 1 failed, 0 skipped")), text)
    done, _ = selftest({"a": PAIR % ("a", "b"), "b": PAIR % ("b", "a")}, "--device", "cpu", "--jobs", "2")
    report.check("programs_run_side_by_side", done.returncode == 0 and "2 programs, 2 at once" in done.stdout,
                 done.stdout + done.stderr)
    for seconds in (2, 10, 50):  # a busy machine may need more for the program to come where it is stuck
        done, reports = selftest({"a": STUCK, "b": GOOD}, "--device", "cpu", "--jobs", "1", "--time", str(seconds),
                                 "--report=r.txt")
        if "| run two" in reports.get("r.txt", ""):
            break
    report.check("what_does_not_end_is_ended_when_the_time_is_over_and_named_with_where_it_was",
                 done.returncode == 1 and f"in at most {seconds} s" in done.stdout.splitlines()[0]
                 and "the time is over" in done.stdout and "a_test\n" in done.stdout.split("did not pass:")[1]
                 and "b_test: not run" in done.stdout and "| run two" in reports.get("r.txt", "")
                 and "| run one" not in reports["r.txt"],
                 done.stdout + done.stderr + str(reports))
    done, reports = selftest({"a": GOOD, "b": STUCK}, "--device", "cpu", "--jobs", "1", "--report=r.txt", end_at="a_test")
    report.check("ended_by_a_signal_it_ends_the_programs_and_writes_the_report",
                 done.returncode == 1 and "Terminated" in done.stdout and "b_test" in reports.get("r.txt", ""),
                 done.stdout + done.stderr + str(reports))
    done, reports = selftest({"a": GOOD}, "--device", "cpu", "--report=own.txt")
    report.check("the_report_goes_where_it_is_told", list(reports) == ["own.txt"], str(reports))
    done, _ = selftest({}, "--device", "cpu")
    report.check("without_the_programs_it_says_so", done.returncode == 3 and "come with a release" in done.stderr,
                 done.stderr)
    done, _ = selftest({"a": GOOD}, "--device", "nosuch:0")
    report.check("a_device_that_is_not_there_is_said", done.returncode != 0 and "nosuch:0" in done.stderr, done.stderr)
    done, _ = selftest({"a": GOOD}, "--time", "0")
    report.check("a_time_that_is_none_is_refused", done.returncode == 2 and "--time" in done.stderr, done.stderr)
    done, _ = selftest({"a": GOOD}, "--what")
    report.check("wrong_usage_is_said", done.returncode == 2 and "--what" in done.stderr, done.stderr)
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
