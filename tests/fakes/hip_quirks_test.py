#!/usr/bin/env python3
"""What differs between HIP runtimes and AMD devices, on the stand-in: conformance programs give the same everywhere.

No pools, functions that are missing in older runtimes, another layout of the properties, another architecture, few
hardware queues. RILL_TEST_LONG runs more programs.
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
from report import Report  # pylint: disable=wrong-import-position

LIBRARY = BUILD / "tests" / "fakes" / "libfake_hip.so"
IS_LONG = "RILL_TEST_LONG" in os.environ
LIMIT = 5 * int(os.environ.get("RILL_TEST_TIMEOUT", "120"))  # seconds, for one program
IS_PLAIN = os.environ.get("RILL_TEST_PART", "plain") == "plain"


def run(program, test, library=LIBRARY, **settings):
    """Whether all went well, what did not, and the whole output. In short only the test that is named."""
    env = dict(os.environ, RILL_HIP_LIBRARY=str(library), RILL_STAND_IN="1", RILL_TEST_DEVICE="amdgpu:0", **settings)
    command = [str(BUILD / "tests" / "conformance" / f"{program}_test")] + ([] if IS_LONG else [test])
    done = subprocess.run(command, env=env, timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("fake driver calls")]
    good = done.returncode == 0 and "\nok " in "\n" + done.stdout and not any(line.startswith("fake driver:") for line in lines)
    wrong = "\n".join(line for line in lines if not line.startswith("ok "))
    return good, wrong[-3000:], done.stdout


def without(folder, name):
    """A copy of the stand-in in which the function is not found."""
    data = LIBRARY.read_bytes()
    wanted = b"\0" + name.encode() + b"\0"
    assert wanted in data, name
    path = pathlib.Path(folder) / f"without_{name}.so"
    path.write_bytes(data.replace(wanted, b"\0x" + wanted[2:]))
    return path


def check_versions(report):
    programs = {"stream": "wait_means_the_last_record_before_it"}
    programs.update({"launch": "", "failure": "", "memory": ""} if IS_LONG else {})
    cases = {"a_device_without_pools": {"FAKE_HIP_ATTRIBUTE": "88:0"},
             "rocm_5_2_whose_pools_are_not_trusted": {"FAKE_HIP_VERSION": "50200000"},
             "gfx1100": {"FAKE_HIP_ARCH": "gfx1100"}}
    for name, settings in cases.items():
        for program, test in programs.items():
            good, wrong, _ = run(program, test, **settings)
            report.check(f"{program}_test_on_{name}", good, wrong)


def check_missing(report):
    names = ["hipLaunchHostFunc"] + (["hipGetDevicePropertiesR0600"] if IS_PLAIN else [])
    names += ["hipMallocFromPoolAsync", "hipGraphLaunch", "hipDeviceGetUuid"] if IS_LONG else []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            good, wrong, _ = run("stream", "callback_runs_in_order", without(folder, name))
            report.check(f"stream_test_without_{name}", good, wrong)


def check_queues(report):
    counts = {}
    for queues in ("2", "64"):
        good, wrong, output = run("blocks", "updates_of_many_blocks", RILL_GRAPH="off", FAKE_HIP_TRACE="1", GPU_MAX_HW_QUEUES=queues)
        counts[queues] = output.count("fake driver calls hipStreamWaitEvent")
        report.check(f"blocks_test_with_{queues}_queues", good, wrong)
    report.check("few_queues_take_fewer_edges", 0 < counts["2"] < counts["64"], str(counts))


SORT = """#include <rill/algorithms.h>
kernel void sort(int n, uint32_t x[n]) { rill_sort_u32(n, x); }
"""


def check_blocks(report):
    """The runtime proposes blocks of as many threads as the device takes, and refuses them where the code is for fewer."""
    seen = {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sort.c"
        path.write_text(SORT)
        for device in ("cpu", "amdgpu:0"):
            env = dict(os.environ, RILL_HIP_LIBRARY=str(LIBRARY), RILL_STAND_IN="1", RILL_GRAPH="off", RILL_RESIDENT="block",
                       FAKE_HIP_ATTRIBUTE="56:1024")
            done = subprocess.run([str(BUILD / "bin" / "rill"), "run", "--device", device, str(path), "--set", "n=3000"], env=env,
                                  timeout=LIMIT, capture_output=True, text=True, errors="replace", check=False)
            seen[device] = re.findall(r"checksum \w+", done.stdout) or [f"{device}: {done.stdout}{done.stderr}"]
    report.check("blocks_are_no_larger_than_the_code_is_for", seen["cpu"] == seen["amdgpu:0"], str(seen))


def check_words(report):
    """What `rill devices` says of a runtime whose pools are not used, and of one whose are."""
    for version, arch, is_used in (("50200000", "gfx90a", False), ("50700000", "gfx90c", False), ("60200000", "gfx90c", False),
                                   ("50700000", "gfx90a", True), ("60200000", "gfx90a", True)):
        env = dict(os.environ, RILL_HIP_LIBRARY=str(LIBRARY), FAKE_HIP_VERSION=version, FAKE_HIP_ARCH=arch)
        done = subprocess.run([str(BUILD / "bin" / "rill"), "devices"], env=env, capture_output=True, text=True, check=False)
        good = f", {arch}, ROCm" in done.stdout and ("no stream-ordered memory" in done.stdout) != is_used
        report.check(f"devices_says_whether_memory_is_stream_ordered_{version}_{arch}", good, done.stdout + done.stderr)


def main():
    report = Report()
    check_missing(report)
    check_words(report)
    check_blocks(report)
    if IS_PLAIN or IS_LONG:  # the same code once more costs the sanitizers too much
        check_versions(report)
        check_queues(report)
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
