#!/usr/bin/env python3
"""Files and memory that run out: input that never ends, output that cannot be written, an address space with a limit."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import RILL, Report, rill, write_npy  # noqa: E402

IS_PLAIN = os.environ.get("RILL_TEST_PART", "plain") in ("plain", "release")

SAXPY = """#include <rill/kernel.h>
kernel void saxpy(int n, float alpha, const float x[n], float y[n], const float *p)
{
    for (int i = 0; i < n; i++) y[i] += alpha * x[i] + p[0];
}
"""
ARGS = ["--set", "n=10", "--set", "alpha=2", "--set", "p=3"]


def check_names(report, path):
    done = rill("run", path, "--set", "n=10", "--set", "alpa=2", "--out", "why=f.npy")
    words = ["no parameter 'alpa'; did you mean 'alpha'?", "no parameter 'why'", "parameter 'alpha' (float) has no value",
             "parameter 'p' is a pointer: add --set p=COUNT"]
    report.check("a_mistyped_name_and_what_is_missing_are_both_said",
                 done.rc == 2 and all(word in done.err for word in words), done)


def check_input(report, path, work):
    done = rill("run", path, *ARGS, "--in", "x=/dev/zero", timeout=20)
    report.check("an_array_from_a_device_without_end_is_refused", done.rc == 3 and "no .npy file" in done.err, done)
    done = rill("check", "/dev/zero", timeout=60)
    report.check("a_source_without_end_is_refused", done.rc == 3 and "more than 16 MiB" in done.err, done)
    write_npy(work / "ten.npy", "<f4", [10], bytes(40))
    whole = (work / "ten.npy").read_bytes()
    for name, data, rc, words in (("exact", whole, 0, ""), ("more", whole + bytes(4), 3, "more than its header says"),
                                  ("endless", whole + bytes(1 << 22), 3, "more than its header says"),
                                  ("less", whole[:-1], 3, "cut short"), ("header", whole[:20], 3, "no .npy")):
        fifo = work / f"{name}.fifo"
        os.mkfifo(fifo)
        def feed(where=fifo, what=data):
            try:
                where.write_bytes(what)
            except BrokenPipeError:
                pass  # it was not read to its end
        thread = threading.Thread(target=feed)
        thread.start()
        done = rill("run", path, *ARGS, "--in", f"x={fifo}")
        thread.join()
        report.check(f"a_pipe_that_gives_{name}", done.rc == rc and words in done.err, done)
    (work / "long.npy").write_bytes(whole + bytes(100))
    done = rill("run", path, *ARGS, "--in", f"x={work / 'long.npy'}")
    report.check("what_follows_the_elements_of_a_file_is_left_alone", done.rc == 0, done)


def check_output(report, path, work):
    trace = work / "trace.json"
    done = rill("run", path, *ARGS, "--trace", trace)
    report.check("a_trace_is_written", done.rc == 0 and trace.read_text().endswith("}}\n"), done)
    for option in (["--trace", "/dev/full"], ["--out", "y=/dev/full"]):
        done = rill("run", path, *ARGS, *option)
        report.check(f"{option[0][2:]}_to_a_full_disk_is_an_error", done.rc == 3 and "/dev/full" in done.err, done)
    done = rill("trace", trace, "--svg", "/dev/full")
    report.check("a_drawing_to_a_full_disk_is_an_error", done.rc == 3 and "/dev/full" in done.err, done)
    done = rill("run", path, *ARGS, "--trace", "/dev/stdout")
    report.check("a_trace_goes_to_a_pipe_whole", done.rc == 0 and '"traceEvents"' in done.out and "}}\n" in done.out, done)
    for words in (["--version"], ["--help"], ["run", "--help"], ["devices"], ["explain", path], ["emit", "--ir", path],
                  ["emit", "--openmp", path], ["check", "--json", path], ["trace", trace], ["run", path, *ARGS],
                  ["run", path, *ARGS, "--json"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([str(RILL), *map(str, words)], stdout=full, stderr=subprocess.PIPE, check=False)
        name = "_".join(str(word) for word in words[:2] if word != path).strip("-")
        report.check(f"standard_output_of_{name}_is_full", done.returncode == 3 and b"standard output" in done.stderr,
                     done.stderr)


def limited(megabytes, *args):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    return subprocess.run([str(RILL), *map(str, args)], capture_output=True, check=False, preexec_fn=limit,
                          env=dict(os.environ, RILL_THREADS="1"))


def check_memory(report, path, work):
    if not IS_PLAIN:
        report.skip("memory", "a sanitizer needs more address space than any limit leaves")
        return
    sparse = work / "sparse.c"
    sparse.write_text("#include <rill/kernel.h>\nstatic int x[] = {[260000000] = 1};\n"
                      "kernel int f(int n) { return x[n]; }\n")
    done = limited(512, "check", sparse)
    report.check("a_large_initialiser_of_one_element_takes_no_memory", done.returncode == 0, done.stderr)
    done = rill("run", sparse, "--set", "n=260000000", "--json")
    report.check("and_the_element_is_there", done.rc == 0 and done.json()["returned"] == 1, done)
    loops = work / "loops.c"
    loops.write_text("#include <rill/kernel.h>\nkernel void f(int n, float x[n], float y[n])\n{\n" + "".join(
        f"for (int i = 1; i < n; i++) x[i] = x[i] * {k}.5f + y[i - 1];\n" for k in range(60)) + "}\n")
    table = work / "table.c"
    table.write_text("#include <rill/kernel.h>\nstatic const int t[1000000] = {[0 ... 999999] = 3};\n"
                     "kernel int f(int n) { return t[n]; }\n")
    for source, args in ((path, ARGS), (loops, ["--set", "n=100"]), (table, ["--set", "n=100"])):
        codes = {}
        for megabytes in range(16, 480, 16):  # from what does not load the library to what is enough
            done = limited(megabytes, "run", source, *args)
            codes[megabytes] = (done.returncode, done.stderr[-200:])
        # 127: the program itself, or a library that it needs, could not be loaded.
        bad = {limit: code for limit, code in codes.items() if code[0] not in (0, 1) and
               not (code[0] == 127 and b"shared librar" in code[1])}
        report.check(f"a_compile_without_memory_is_an_error_{source.stem}", not bad and codes[464][0] == 0, bad or codes[464])


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        path = work / "saxpy.c"
        path.write_text(SAXPY)
        check_names(report, path)
        check_input(report, path, work)
        check_output(report, path, work)
        check_memory(report, path, work)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
