#!/usr/bin/env python3
"""The conformance programs with code that was not compiled by the call that asks for it: found in the cache of an earlier
process, or built ahead of time (RILL_AHEAD). kernels_test.py does the same with the kernel files.

    saved_test.py blocks stream   only these programs, both ways
    saved_test.py ahead.blocks    this program, this way
    saved_test.py --pieces        the pieces of this part and turn: the short form takes some programs, each in one way

Left out are programs about what is compiled when: the cache's own, those about packages and the compiler's library, and
faults that count the device's operations.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ["RILL_BUILD"])
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import IS_LONG, IS_QUICK, PART, TURN, Report  # pylint: disable=wrong-import-position

OTHER = {"ahead", "cache", "compiler", "fault", "sweep"}
PROGRAMS = sorted({path.name.removesuffix("_test.c") for path in (ROOT / "tests" / "conformance").glob("*_test.c")} - OTHER)
WAYS = ["ahead", "cache"]
LIMIT = 10 * int(os.environ.get("RILL_TEST_TIMEOUT", "120"))  # seconds, for one program


def run(program, **settings):
    env = dict(os.environ, RILL_SANITIZE="off", **settings)  # what is instrumented is compiled
    return subprocess.run([str(BUILD / "tests" / "conformance" / f"{program}_test")], cwd=ROOT, env=env, timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)


def run_way(way, program):
    if way == "ahead":
        return run(program, RILL_AHEAD="here", RILL_CACHE="off")
    with tempfile.TemporaryDirectory() as folder:
        run(program, RILL_CACHE=f"{folder}/cache")
        return run(program, RILL_CACHE=f"{folder}/cache")


def pieces():
    every = [f"{way}.{program}" for program in PROGRAMS for way in WAYS]
    if IS_LONG:
        return every
    step = 31 if IS_QUICK else 11 if PART == "plain" else 41  # odd: both ways take turns
    return [piece for number, piece in enumerate(every) if (number + TURN) % step == 0]


def main():
    words = sys.argv[1:]
    if words == ["--pieces"]:
        print("\n".join(pieces()))
        return 0
    report = Report()
    chosen = [(way, program) for program in PROGRAMS for way in WAYS
              if not words or program in words or f"{way}.{program}" in words]
    for way, program in chosen:
        done = run_way(way, program)
        failed = [line for line in done.stdout.splitlines() if line.startswith("FAIL ")]
        passed = re.findall(r"^ok ", done.stdout, re.M)
        holds = done.returncode == 0 and not failed and (passed or "skip " in done.stdout)
        report.check(f"{program}_{'built_ahead_of_time' if way == 'ahead' else 'from_the_cache'}", holds, done.stdout[-3000:])
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
