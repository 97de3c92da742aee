#!/usr/bin/env python3
"""The kernel texts inside the programs of tests/conformance link for AMD GPUs as ld.lld does it.

The programs run as always, on the CPU, with a compiler that writes down every text it is given (tests/fakes/compiler);
then link_test compiles each for AMD's architectures and compares what Rill links with lld's output. In short a few
programs, each text for one architecture; with RILL_TEST_LONG every program, test and script of tests/conformance, and
those that run on a GPU's stand-in alone, for all five. Kernel files are compared by link_test itself.

    link_texts_test.py blocks_test.c   only the texts of these programs
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ["RILL_BUILD"])
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import IS_LONG, JOBS, LIMIT, PART, Report  # pylint: disable=wrong-import-position

# Quick ones, with blocks, fields, conditions over device data, reductions, several tasks.
IN_SHORT = ["bound_test.c", "condition_test.c", "fault_test.c", "fit_test.c", "fuse_test.c", "handles_test.c"]
# It has kernel files, which link_test compares, and no text of its own.
FILES_ONLY = ["kernels_test.py"]
HIP = {"RILL_HIP_LIBRARY": str(BUILD / "tests" / "fakes" / "libfake_hip.so"), "RILL_STAND_IN": "1",
       "RILL_TEST_DEVICE": "amdgpu:0", "RILL_DEVICE": "amdgpu:0"}
PROGRAM_LIMIT = 10 * LIMIT


def programs():
    """(what is run, settings)."""
    found = sorted(path for path in (ROOT / "tests" / "conformance").glob("*_test.*") if path.name not in FILES_ONLY)
    chosen = sys.argv[1:] or (None if IS_LONG else IN_SHORT)
    found = [path for path in found if chosen is None or path.name in chosen]
    with_device = [path for path in found if path.suffix == ".c" and path.name != "compiler_test.c"]
    return [(path, {}) for path in found] + [(path, HIP) for path in with_device if IS_LONG]


def run(path, settings, texts):
    command = [str(BUILD / "tests" / "conformance" / path.stem) if path.suffix == ".c" else str(path)]
    env = dict(os.environ, RILL_COMPILER=str(BUILD / "tests" / "fakes" / "libkeep_images.so"), RILL_TEST_TEXTS=texts,
               RILL_REAL_COMPILER=os.environ.get("RILL_COMPILER", str(BUILD / "lib" / "librill-compiler.so")), **settings)
    env.pop("RILL_TEST_LONG", None)  # more numbers, not more texts
    env.pop("RILL_TEST_PROGRESS", None)
    done = subprocess.run(command, env=env, timeout=PROGRAM_LIMIT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    return done.returncode, done.stdout[-3000:]


def link(texts):
    env = dict(os.environ, RILL_TEST_TEXTS=texts)
    env.pop("RILL_TEST_PROGRESS", None)
    done = subprocess.run([str(BUILD / "tests" / "codegen" / "link_test"), "every_text"], env=env, timeout=PROGRAM_LIMIT * 3,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def main():
    report = Report()
    if PART != "plain":  # the linker under sanitizers is link_test's; the texts are the same
        report.skip("texts_of_programs", "in the plain build alone")
        return report.finish()
    with tempfile.TemporaryDirectory(prefix="rill-texts-") as texts:
        todo = programs()
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for (path, settings), (status, output) in zip(todo, pool.map(lambda job: run(*job, texts), todo)):
                if status != 0:
                    where = "amdgpu" if settings else "cpu"
                    report.check(f"{path.name} on {where} gives its texts", False, output)
        files = list(pathlib.Path(texts).glob("*.c"))
        with_files = sum(file.stat().st_size == 0 for file in files)
        status, output = link(texts)
        if re.search(r"^skip ", output, re.M):
            report.skip("texts_of_programs", "there is no ld.lld of LLVM 22")
        else:
            compared = re.search(r"texts, (\d+ compared, \d+ too deep)", output)
            report.check(f"the_texts_of_{len(todo)}_runs_link_as_lld_does_it ({len(files)} texts, {with_files} that want"
                         f" other files, {compared[1] if compared else 'none compared'})", status == 0 and compared, output)
            report.check("there_are_texts", len(files) - with_files >= len({path for path, _ in todo}) // 2, str(len(files)))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
