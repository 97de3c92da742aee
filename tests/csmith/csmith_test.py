#!/usr/bin/env python3
"""Random C programs by Csmith, each run as a kernel under `#pragma rill single`, end with the checksum that gcc gives.

    csmith_test.py                    the seeds of the suite: ten of the first 1,000, which take turns; all of these with
                                      RILL_TEST_LONG
    csmith_test.py 100 250            seeds 100 to 249
    csmith_test.py --trace 17         prints the first global whose checksum differs

All of Csmith's defaults hold but argc. A seed for which Csmith itself finds no end, a program that gcc's build does not
finish in its time, one that only ours does not finish and one that ends a GPU because it reads or writes at an address
that its type forbids say nothing and are counted apart, in the last line.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.path.insert(0, str(ROOT / "tests/support"))
from report import IS_LONG, IS_QUICK, PART, TURN, Report  # noqa: E402

DEVICE = os.environ.get("RILL_TEST_DEVICE", "cpu")
HEADERS = ROOT / "tests/csmith"
GCC = ["gcc", "-std=gnu99", "-O1", "-fwrapv", "-fno-strict-aliasing", "-fsigned-char", "-w", f"-I{ROOT}/include",
       f"-I{HEADERS}"]
CSMITH_SECONDS = 10
GCC_SECONDS = 5  # many of Csmith's programs never end; those that do take milliseconds
OUR_SECONDS = 60

# The program stays as it is: its main becomes a function that the kernel calls.
WRAPPER = """\
#include <rill/kernel.h>
#define main csmith_main
#include "%s"
#undef main
#pragma rill single
kernel unsigned checksum(void)
{
    csmith_main();
    return crc32_context ^ 0xFFFFFFFFu;
}
#ifdef CSMITH_PLAIN
int main(void)
{
    unsigned sum = checksum();
    printf("%%u\\n", sum);
    return 0;
}
#endif
"""


def run(command, seconds, folder):
    """(status, stdout, stderr); the status is None when the time is over."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, cwd=folder)
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def make(seed, folder):
    """The wrapper's path, or None; csmith writes a file into its working directory."""
    status, text, said = run(["csmith", "--no-argc", "--seed", str(seed)], CSMITH_SECONDS, folder)
    if status is None:
        return None
    if status != 0:
        raise RuntimeError(f"csmith --seed {seed}: {said}")
    (folder / f"program{seed}.c").write_text(text)
    path = folder / f"seed{seed}.c"
    path.write_text(WRAPPER % f"program{seed}.c")
    return path


def by_gcc(path, folder, *flags):
    """(seconds or None when it does not end, stdout)"""
    status, _, said = run(GCC + [*flags, "-DCSMITH_PLAIN", "-o", str(folder / "plain"), str(path)], 120, folder)
    if status != 0:
        raise RuntimeError(f"gcc: {said[:500] or 'time over'}")
    status, out, _ = run([str(folder / "plain")], GCC_SECONDS, folder)
    return None if status is None else out


def by_rill(path, folder, *flags):
    return run([str(RILL), "run", str(path), "checksum", f"-I{HEADERS}", "--json", "--device", DEVICE, *flags],
               OUR_SECONDS, folder)


def is_aligned(path, folder):
    """Whether no access is at an address that its type forbids, which C leaves undefined and a GPU does not do."""
    run(GCC + ["-fsanitize=alignment", "-DCSMITH_PLAIN", "-o", str(folder / "aligned"), str(path)], 120, folder)
    return "misaligned" not in run([str(folder / "aligned")], GCC_SECONDS, folder)[2]


def run_seed(seed, folder):
    """('agrees' | 'no program' | 'no end' | 'time over' | 'undefined' | 'differs', detail)"""
    path = make(seed, folder)
    if path is None:
        return "no program", ""
    theirs = by_gcc(path, folder)
    if theirs is None:
        return "no end", ""
    status, out, said = by_rill(path, folder)
    if status is None:
        return "time over", f"ours does not end in {OUR_SECONDS} s"
    if status != 0 and DEVICE != "cpu" and not is_aligned(path, folder):
        return "undefined", ""
    if status != 0:
        return "differs", f"rill run ends with {status}: {said.strip()[:1500]}"
    mine = json.loads(out)["returned"]
    return ("agrees", "") if str(mine) == theirs.strip() else ("differs", f"{mine}, gcc has {theirs.strip()}")


def trace(seed, folder):
    path = make(seed, folder)
    theirs = (by_gcc(path, folder, "-DCSMITH_TRACE") or "").splitlines()
    status, out, said = by_rill(path, folder, "-DCSMITH_TRACE")
    mine = json.loads(out)["printed"].splitlines() if status == 0 else []
    print(said[:1500])
    for number, (a, b) in enumerate(zip(mine, theirs)):
        if a != b:
            print(f"line {number}: {a}, gcc: {b}")
            break


def seeds():
    """(first, count) for each piece."""
    if IS_LONG:
        return [(first, 100) for first in range(1, 1001, 100)]
    return [(1 + TURN % 500 * 2, 2)] if IS_QUICK else [(1 + TURN % 100 * 10 + half, 5) for half in (0, 5)]


def main():
    arguments = sys.argv[1:]
    report = Report()
    if arguments == ["--pieces"]:
        print("\n".join(f"{first} {first + count}" for first, count in seeds()) if PART == "plain" else "")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if arguments and arguments[0] == "--trace":
            trace(int(arguments[1]), folder)
            return 0
        if not arguments and PART != "plain":
            report.skip("csmith", "runs in the plain part")
            return 0
        first, end = (int(a) for a in arguments) if arguments else (seeds()[0][0], sum(seeds()[-1]))
        counts = {"agrees": 0, "no program": 0, "no end": 0, "time over": 0, "undefined": 0, "differs": 0}
        for seed in range(first, end):
            start = time.monotonic()
            verdict, detail = run_seed(seed, folder)
            counts[verdict] += 1
            if verdict == "agrees":
                report.check(f"seed_{seed}_agrees_with_gcc", True)
            elif verdict == "differs":
                report.check(f"seed_{seed}_agrees_with_gcc", False, detail)
            elif verdict == "time over":
                print(f"time over: seed {seed}, {detail}", flush=True)
            if arguments and time.monotonic() - start > 5:
                print(f"seed {seed} took {time.monotonic() - start:.1f} s: {verdict}", flush=True)
        print(", ".join(f"{n} {verdict}" for verdict, n in counts.items()))
        report.check("csmith_finds_no_difference", counts["differs"] == 0)
        # Two in fifty never end, and say nothing.
        if end - first >= 5:
            report.check("programs_of_csmith_end", counts["agrees"] > ((end - first) // 2 if end - first >= 50 else 0))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
