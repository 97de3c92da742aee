#!/usr/bin/env python3
"""rill selftest: runs the programs that lie beside it, counts what they say, and writes a report."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ["RILL_BUILD"])
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import Report  # pylint: disable=wrong-import-position

GOOD = "#!/bin/sh\necho ok one on $RILL_TEST_DEVICE\necho ok two\necho 'skip three: no'\n"
BAD = "#!/bin/sh\necho ok one\necho '  what was wrong'\necho FAIL two\nexit 1\n"
DEAD = "#!/bin/sh\necho ok one\nkill -SEGV $$\n"


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


def selftest(programs, *args):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lay_out(folder, programs)
        done = subprocess.run([str(folder / "bin" / "rill"), "selftest", *args], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=100, check=False)
        reports = {path.name: path.read_text() for path in folder.glob("*.txt")}
        return done, reports


def main():
    report = Report()
    done, reports = selftest({"a": GOOD, "b": GOOD}, "--device", "cpu")
    report.check("programs_that_pass_give_success_and_are_counted",
                 done.returncode == 0 and "cpu: 4 passed, 0 failed, 2 skipped, in 2 programs" in done.stdout
                 and not reports, done.stdout + done.stderr)
    done, reports = selftest({"a": GOOD, "b": BAD, "c": DEAD}, "--device", "cpu", "--report")
    text = reports.get("rill-selftest-cpu.txt", "")
    report.check("programs_that_fail_or_die_give_failure", done.returncode == 1 and "2 programs did not pass" in done.stderr
                 and "did not end well" in done.stdout, done.stdout + done.stderr)
    report.check("the_report_has_devices_results_and_what_was_wrong",
                 all(words in text for words in ("rill selftest", "devices:", "tested: cpu", "what was wrong",
                                                 "1 passed, 1 failed, 0 skipped")), text)
    done, reports = selftest({"a": GOOD}, "--device", "cpu", "--report=own.txt")
    report.check("the_report_goes_where_it_is_told", list(reports) == ["own.txt"], str(reports))
    done, _ = selftest({}, "--device", "cpu")
    report.check("without_the_programs_it_says_so", done.returncode == 3 and "come with a release" in done.stderr,
                 done.stderr)
    done, _ = selftest({"a": GOOD}, "--device", "nosuch:0")
    report.check("a_device_that_is_not_there_is_said", done.returncode != 0 and "nosuch:0" in done.stderr, done.stderr)
    done, _ = selftest({"a": GOOD}, "--what")
    report.check("wrong_usage_is_said", done.returncode == 2 and "--what" in done.stderr, done.stderr)
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
