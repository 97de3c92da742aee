#!/usr/bin/env python3
"""The conformance programs on the stand-ins for the GPU drivers: results, and no rule of the driver broken.

Programs run as they are and with seeds that pick any legal order; RILL_TEST_LONG takes all and more seeds. This shows
the layer that calls the driver; what the device does is shown by other tests, and on a device.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ["RILL_BUILD"])
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import Report  # pylint: disable=wrong-import-position

# Each stand-in with the variable that names it and the device that it gives.
STAND_INS = {
    "cuda": ("RILL_CUDA_LIBRARY", BUILD / "tests" / "fakes" / "libfake_cuda.so", "cuda:0"),
    "hip": ("RILL_HIP_LIBRARY", BUILD / "tests" / "fakes" / "libfake_hip.so", "amdgpu:0"),
}
PROGRAMS = ["access", "args", "blocks", "bound", "condition", "failure", "fault", "fuse", "handles", "launch",
            "memory", "misuse", "races", "regions", "restrict", "shared", "stream", "stream_order", "stream_use",
            "trace", "transfer", "wait"]
# Streams of the pool are lent where no graph is replayed; how many lie idle behind a long queue is the CPU's to say.
WORDS = {"pools": ["pooled_streams", "lent_while", "cap_and_trim", "shares"],
         "math_special": ["special_values", "exact_functions"]}
MATH = ["math_float", "math_special", "math_ulp"]  # the library of GPU kernels, without the hardware's instructions
STRESS = ["graph", "graph_threads"]  # random programs against serial execution
IN_SHORT = ["failure", "launch", "shared", "stream"]  # what shows most of order and lifetime
IS_LONG = "RILL_TEST_LONG" in os.environ
LIMIT = 3 * int(os.environ.get("RILL_TEST_TIMEOUT", "120"))  # seconds, for one program
IS_PLAIN = os.environ.get("RILL_TEST_PART", "plain") == "plain"


def jobs():
    """Graphs and direct launches are held to the same; under the sanitizers the stand-ins take turns with them."""
    if IS_LONG:
        return [(vendor, program, {"RILL_GRAPH": graph, **seed}) for vendor in STAND_INS for graph in ("on", "off")
                for program in PROGRAMS + ["sweep"] + STRESS
                for seed in [{}] + [{"SEED": str(number)} for number in range(1, 11)]]
    if not IS_PLAIN:
        first, second = ("on", "off") if os.environ["RILL_TEST_PART"] == "tsan" else ("off", "on")
        return [(vendor, program, {"RILL_GRAPH": graph}) for vendor, graph in (("cuda", first), ("hip", second))
                for program in IN_SHORT]
    return [(vendor, program, {"RILL_GRAPH": graph}) for vendor, graph in (("cuda", "on"), ("hip", "off"))
            for program in PROGRAMS] + \
           [("cuda", "sweep", {"RILL_GRAPH": "on"}), ("hip", "stream", {"RILL_GRAPH": "on"})] + \
           [("cuda", program, {"RILL_GRAPH": "off"}) for program in ("condition", "pools", "stream")] + \
           [("cuda", "graph", {"RILL_GRAPH": "on"}), ("hip", "graph", {"RILL_GRAPH": "off"})] + \
           [("cuda", program, {"RILL_GRAPH": "off"}) for program in MATH] + \
           [("cuda", "stream", {"RILL_TRACE": "/dev/null"}), ("hip", "blocks", {"RILL_TRACE": "/dev/null"})] + \
           [(vendor, program, {"SEED": "1"}) for vendor in STAND_INS for program in ("failure", "stream")]


def run(vendor, program, settings):
    variable, library, device = STAND_INS[vendor]
    env = dict(os.environ, RILL_STAND_IN="1", RILL_TEST_DEVICE=device, **{variable: str(library)})
    for key, value in settings.items():
        env[key if key.startswith("RILL") else f"FAKE_{vendor.upper()}_{key}"] = value
    env.pop("RILL_TEST_PROGRESS", None)
    try:
        folder = "stress" if program in STRESS else "conformance"
        done = subprocess.run([str(BUILD / "tests" / folder / f"{program}_test")] + WORDS.get(program, []),
                              env=env, timeout=LIMIT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False)
    except subprocess.TimeoutExpired as late:
        return False, f"ran longer than {LIMIT} s\n{(late.output or b'').decode(errors='replace')[-3000:]}", 0
    good = done.returncode == 0 and "fake driver:" not in done.stdout
    wrong = "\n".join(line for line in done.stdout.splitlines() if not line.startswith("ok "))
    return good, f"status {done.returncode}\n{wrong[-4000:]}", len(re.findall(r"^ok ", done.stdout, re.M))


def main():
    report = Report()
    todo = jobs()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (vendor, program, settings), (good, detail, count) in zip(todo, pool.map(lambda job: run(*job), todo)):
            how = "".join(f"_{key.split('_')[-1].lower()}_{value}" for key, value in settings.items())
            report.check(f"{program}_test_on_the_stand_in_for_{vendor}{how} ({count} tests)", good, detail)
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
