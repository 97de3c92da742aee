#!/usr/bin/env python3
"""The conformance programs on the stand-ins for the GPU drivers: results, and no rule of the driver broken.

Every program of tests/conformance and the random graphs, found by name. There are four ways to run one: on the stand-in for
CUDA or for HIP, with graphs or task by task. In the plain build each program runs in one of the four ways; under
ThreadSanitizer one in two of those that start threads, one in four of the others, and one in sixteen of those about what
kernels compute; under AddressSanitizer one program in ten. The turn of the run decides which. Of the kernel files against gcc (kernels_test.py)
each stand-in has a share. A run by hand is the whole product. RILL_TEST_LONG adds what runs long on one device, and seeds that pick any legal
order, of which the plain build has a few: ten for each program, three under the sanitizers, which are many times slower.
This shows the layer that calls the driver; what the device does is shown by other tests, and on a device.

    conformance_test.py blocks stream   only these programs, in all four ways
    conformance_test.py hip.on.blocks   only this piece: a stand-in, with graphs or without, and the program
    conformance_test.py --pieces        the pieces of this part and turn
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
from report import IS_LONG, IS_QUICK, IS_SHORT, JOBS, PART, TURN, Report  # pylint: disable=wrong-import-position

# Each stand-in with the variable that names it and the device that it gives.
STAND_INS = {
    "cuda": ("RILL_CUDA_LIBRARY", BUILD / "tests" / "fakes" / "libfake_cuda.so", "cuda:0"),
    "hip": ("RILL_HIP_LIBRARY", BUILD / "tests" / "fakes" / "libfake_hip.so", "amdgpu:0"),
}
# The compiler's seam has no device: its programs run once, with no stand-in.
PROGRAMS = sorted(path.name.removesuffix("_test.c") for path in (ROOT / "tests" / "conformance").glob("*_test.c")
                  if path.name != "compiler_test.c")
STRESS = ["graph", "graph_threads", "graph_auto"]  # random programs against serial execution
SOAK = "soak"  # many launches and modules
# About the code of the device, which the stand-in runs as the CPU's: their long form is for the CPU and for a GPU.
DEVICE_CODE = ["math_float", "math_special", "math_ulp"]
# About what kernels compute, not about who runs what when.
COMPUTES = ["access", "algorithm_lists", "algorithms", "args", "bound", "copies", "fit", "fuse", "locale", "reach", "regions",
            "restrict", "ways"] + DEVICE_CODE
# Every call of the driver fails once, and no call waits; here on a device without memory in stream order.
SWEEPS = [("cuda", "faults", {"ATTRIBUTE": "115:0"}), ("hip", "hip_faults", {"ATTRIBUTE": "88:0"}),
          ("cuda", "host", {"ATTRIBUTE": "115:0"}), ("hip", "hip_host", {"ATTRIBUTE": "88:0"})]
KERNELS = "kernels"  # the kernel files against gcc
# Of these, each stand-in has one file in so many.
SHARES = {"plain": 10, "asan": 40, "tsan": 40}
LONG_SHARES = 8  # the pieces in which it has all of them
WAYS = [("cuda", "on"), ("hip", "off"), ("cuda", "off"), ("hip", "on")]
# Scripts that drive the command line or the C interface of other languages. What they load cannot be sanitized.
SCRIPTS = ["arithmetic", "python"]
# Streams of the pool are lent where no graph is replayed; how many lie idle behind a long queue is the CPU's to say.
WORDS = {"pools": ["pooled_streams", "lent_while", "cap_and_trim", "shares"]}
IN_SHORT = {"math_special": ["special_values", "exact_functions"]}  # the rest of it is about the CPU's vectors
LIMIT = 10 * int(os.environ.get("RILL_TEST_TIMEOUT", "120"))  # seconds, for one program
IMAGES = BUILD / "tests" / "images"


def plain_extras():
    """What only the plain build adds: launches that are traced, orders picked by a seed, calls that fail in turn."""
    return [(vendor, program, {"RILL_TRACE": "/dev/null"}) for vendor in STAND_INS for program in ("blocks", "condition", "stream")] + \
           [(vendor, program, {"SEED": "1"}) for vendor in STAND_INS for program in ("failure", "stream")] + SWEEPS


def all_jobs():
    scripts = SCRIPTS if PART == "plain" else []
    seeds = [{"SEED": str(number)} for number in range(1, 11 if PART == "plain" else 4)]
    return [(vendor, KERNELS, {"RILL_GRAPH": graph, "RILL_TEST_SHARE": f"{share}/{LONG_SHARES}"}) for vendor, graph in WAYS
            for share in range(LONG_SHARES)] + \
           [(vendor, program, {"RILL_GRAPH": graph, **seed}) for vendor, graph in WAYS
            for program in scripts + PROGRAMS + STRESS + [SOAK]
            for seed in [{}] + (seeds if program in PROGRAMS + STRESS else [])] + (plain_extras() if PART == "plain" else SWEEPS)


def starts_threads(program):
    folder = "stress" if program in STRESS else "conformance"
    return "pthread_create" in (ROOT / "tests" / folder / f"{program}_test.c").read_text()


def runs_in(program, number):
    """Whether a program runs in this part and turn. In the plain build all do, but for the quick form."""
    if PART == "plain":
        return not IS_QUICK or (number + TURN) % 8 == 0
    step = 10 if PART == "asan" else 16 if program in COMPUTES else 2 if starts_threads(program) else 4
    return (number + TURN) % step == 0 and program not in DEVICE_CODE  # these show nothing new there


def jobs():
    """(stand-in, program, settings). The slowest first."""
    if not IS_SHORT:
        return [job for job in all_jobs() if IS_LONG or "SEED" not in job[2]]
    step = SHARES[PART]
    kernels = [(vendor, KERNELS, {"RILL_GRAPH": WAYS[(TURN + index) % 4][1], "RILL_TEST_SHARE": f"{(TURN + index * step // 2) % step}/{step}"})
               for index, vendor in enumerate(STAND_INS)]
    programs = PROGRAMS + STRESS + (SCRIPTS if PART == "plain" else [])
    # Another way in each part: a program is in the same place of the list in all of them.
    first = TURN + {"plain": 0, "tsan": 1, "asan": 2}[PART]
    ways = [WAYS[(number + number // 4 + first) % 4] for number in range(len(programs))]
    found = [(vendor, program, {"RILL_GRAPH": graph})
             for number, (program, (vendor, graph)) in enumerate(zip(programs, ways)) if runs_in(program, number)]
    if PART != "plain":
        return kernels + found
    return found if IS_QUICK else kernels + found + plain_extras()[TURN % 7::7]


def piece_of(vendor, program, settings):
    if program == KERNELS:
        program += "." + settings["RILL_TEST_SHARE"].replace("/", "of")
    kind = "trace" if "RILL_TRACE" in settings else "seed" if "SEED" in settings else "sweep"
    return f"{vendor}.{settings.get('RILL_GRAPH', kind)}.{program}"


def command_of(program):
    if program == KERNELS or program in SCRIPTS:
        return [str(ROOT / "tests" / "conformance" / f"{program}_test.py")]
    folder = "stress" if program in STRESS + [SOAK] else "fakes" if program.endswith(("faults", "host")) else "conformance"
    words = WORDS.get(program, []) + ([] if IS_LONG else IN_SHORT.get(program, []))
    return [str(BUILD / "tests" / folder / f"{program}_test")] + words


def run(vendor, program, settings):
    variable, library, device = STAND_INS[vendor]
    env = dict(os.environ, RILL_STAND_IN="1", RILL_TEST_DEVICE=device, RILL_DEVICE=device, **{variable: str(library)})
    for key, value in settings.items():
        env[key if key.startswith("RILL") else f"FAKE_{vendor.upper()}_{key}"] = value
    env.pop("RILL_TEST_PROGRESS", None)
    if "SEED" in settings or program in DEVICE_CODE:
        env.pop("RILL_TEST_LONG", None)
    if program in PROGRAMS + STRESS and program != "sweep":  # the sweep counts what a compilation takes
        env.update(RILL_COMPILER=str(BUILD / "tests" / "fakes" / "libkeep_images.so"), RILL_TEST_IMAGES=str(IMAGES),
                   RILL_REAL_COMPILER=os.environ.get("RILL_COMPILER", str(BUILD / "lib" / "librill-compiler.so")))
    try:
        done = subprocess.run(command_of(program), env=env, timeout=LIMIT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
    except subprocess.TimeoutExpired as late:
        return False, f"ran longer than {LIMIT} s\n{(late.output or b'').decode(errors='replace')[-3000:]}", 0
    good = done.returncode == 0 and "fake driver:" not in done.stdout
    wrong = "\n".join(line for line in done.stdout.splitlines() if not line.startswith("ok "))
    return good, f"status {done.returncode}\n{wrong[-4000:]}", len(re.findall(r"^ok ", done.stdout, re.M))


def forget_images():
    """Pieces run side by side, and one may still use them."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for image in IMAGES.iterdir():
        image.unlink(missing_ok=True)


def main():
    report = Report()
    words = sys.argv[1:]
    if words == ["--pieces"]:
        forget_images()
        print("\n".join(dict.fromkeys(piece_of(*job) for job in jobs())))
        return
    todo = [job for job in jobs() if not words or piece_of(*job) in words]
    if not todo:  # programs
        todo = [job for job in jobs() if job[1] in words]
    IMAGES.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for (vendor, program, settings), (good, detail, count) in zip(todo, pool.map(lambda job: run(*job), todo)):
            how = "".join(f"_{key.split('_')[-1].lower()}_{value}" for key, value in settings.items())
            report.check(f"{program}_test_on_the_stand_in_for_{vendor}{how} ({count} tests)", good, detail)
    if not words:
        forget_images()
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
