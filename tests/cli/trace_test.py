#!/usr/bin/env python3
"""`rill run --trace` and `rill trace`: the drawing for a terminal and the one for a browser; files that are no trace."""
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import xml.dom.minidom

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import Report, rill  # noqa: E402

KERNELS = """#include <rill/kernel.h>
kernel void pair(int n, float x[2])
{
    stream_parallel {
#pragma rill single
        for (int i = 0; i < n; i++) x[0] = x[0] * 0.5f + 1;
    }
    stream_parallel {
#pragma rill single
        for (int i = 0; i < n; i++) x[1] = x[1] * 0.5f + 1;
    }
    x[0] += x[1];
}
"""


def event(name, stream, group, begin, duration, why="first on its stream", kernel="k", line=3):
    return {"ph": "X", "name": name, "pid": stream, "tid": group, "ts": begin, "dur": duration,
            "args": {"kernel": kernel, "file": "some/folder/k.c", "line": line, "group": group, "stream": stream,
                     "thread": 0, "ran": "alone", "why": why}}


def trace(events, **other):
    return {"traceEvents": events, "otherData": {"producer": "rill", "threads": 2, "lost": 0, **other}}


def rows_of(text):
    """Label to drawing, of the rows."""
    return dict(re.findall(r"^(stream \d+(?: block \d+)?) +(\S.*)$", text, re.M))


def check_run(report, work):
    (work / "pair.c").write_text(KERNELS)
    done = rill("run", "pair.c", "--set", "n=100000", "--trace", "pair.json", cwd=work)
    events = json.loads((work / "pair.json").read_text())["traceEvents"] if done.rc == 0 else []
    tasks = [e for e in events if e["ph"] == "X"]
    wanted = {"kernel", "file", "line", "group", "stream", "thread", "why", "ran"}
    report.check("run_writes_a_trace_with_all_of_each_task", len(tasks) == 3 and all(
        e["args"].keys() >= wanted and e["dur"] >= 0 and e["args"]["kernel"] == "pair" for e in tasks), done)
    done = rill("trace", "pair.json", cwd=work)
    report.check("trace_draws_a_row_for_each_block", done.rc == 0 and set(rows_of(done.out)) == {
        "stream 1", "stream 1 block 1", "stream 1 block 2"} and "pair.c:6" in done.out and "after the blocks" in done.out, done)
    for path in ("no/such/folder.json", "."):
        done = rill("run", "pair.c", "--set", "n=1", "--trace", path, cwd=work)
        report.check(f"run_refuses_to_trace_into_{path}", done.rc == 3 and path in done.err and done.out == "", done)
    done = rill("run", "pair.c", "--set", "n=1", "--trace", cwd=work)
    report.check("run_wants_a_file_to_trace_into", done.rc == 2 and "--trace" in done.err, done)


def check_drawing(report, work):
    events = [event("k.0", 1, 0, 1000, 4000), event("k.1", 1, 1, 5000, 2000, "after task k.0 of its launch"),
              event("k.2", 1, 2, 5000, 4000, "after task k.0 of its launch"),
              event("other.0", 2, 0, 7000, 2000, "waited for an event of stream 1; waited 2.000 ms for a thread; its "
                    "iterations in order: 'a' and 'b' overlap, and more words than fit into a line", "other", 30)]
    (work / "four.json").write_text(json.dumps(trace(events)))
    env = {"LANG": "C", "LC_ALL": "", "LC_CTYPE": "", "COLUMNS": "", "TERM": "xterm"}
    done = rill("trace", "four.json", cwd=work, env=env)
    report.check("the_drawing_has_80_columns_of_ascii", done.rc == 0 and done.out.isascii() and "\033" not in done.out
                 and max(map(len, done.out.splitlines())) <= 80, done)
    rows = rows_of(done.out)
    columns = 80 - 19
    report.check("bars_lie_where_the_tasks_were", rows["stream 1"].startswith("[k.0=") and rows["stream 2"].endswith("]")
                 and abs(len(rows["stream 1"]) - columns // 2) <= 1 and abs(len(rows["stream 1 block 1"]) - columns // 4) <= 1
                 and abs(len(rows["stream 2"]) - columns // 4) <= 1, done)
    report.check("the_time_that_tasks_overlap_is_told", "4 tasks on 2 streams, 2 threads: 8.000 ms" in done.out
                 and "4.000 ms of it (50%)" in done.out, done)
    (work / "instant.json").write_text(json.dumps(trace([event("k.0", 1, 0, 0, 0), event("k.1", 1, 0, 3000, 1000)])))
    instant = rill("trace", "instant.json", cwd=work, env=env)
    report.check("a_task_of_no_time_overlaps_nothing", "0.000 ms of it (0%)" in instant.out, instant)
    report.check("why_a_task_began_late_is_told", "waited for an event of stream 1" in " ".join(done.out.split())
                 and "k.c:30, stream 2" in done.out, done)
    report.check("a_utf8_terminal_gets_lines", "├k.0─" in rill("trace", "four.json", cwd=work,
                                                               env=dict(env, LANG="en_US.UTF-8")).out)
    wide = rill("trace", "four.json", "--width", "120", "--tasks", "1", cwd=work, env=env)
    report.check("width_and_tasks_are_honoured", max(map(len, wide.out.splitlines())) in range(110, 121)
                 and "... and 3 more: --tasks 4" in wide.out and "stream 2" in wide.out, wide)
    report.check("columns_are_honoured", max(map(len, rill("trace", "four.json", "--tasks", "0", cwd=work,
                                                           env=dict(env, COLUMNS="60")).out.splitlines())) <= 60)
    many = [event(f"k.{i % 3}", i % 40 + 1, 0, i * 2.5, 2) for i in range(20000)]
    (work / "many.json").write_text(json.dumps(trace(many, lost=7)))
    done = rill("trace", "many.json", cwd=work, env=env)
    report.check("many_tasks_are_drawn_in_few_lines", done.rc == 0 and len(done.out.splitlines()) < 120
                 and "7 more were lost" in done.out and max(map(len, done.out.splitlines())) <= 80, done)
    device = [event("g.0", 1, 0, 0, 5, why="a condition over device data is read back")]
    device[0]["args"].update(thread=-1, ran="read back")
    (work / "device.json").write_text(json.dumps(trace(device, threads=0, device="A <GPU> \x1b[1m")))
    drawn = rill("trace", "device.json", "--svg", "-", cwd=work, env=env).out
    done = rill("trace", "device.json", cwd=work, env=env)
    report.check("a_trace_of_a_gpu_names_it_and_no_thread", done.rc == 0 and "1 task on 1 stream, A <GPU> ?[1m:" in done.out and
                 "thread" not in done.out and "read back: a condition over device data" in re.sub(r"\s+", " ", done.out) and
                 "A &lt;GPU&gt;" in drawn and "thread" not in drawn, (done, drawn))
    (work / "said.json").write_text(json.dumps(trace(device, remarks=["kernel 'k' races \x1b[1m", "and this"])))
    done = rill("trace", "said.json", cwd=work, env=env)
    report.check("what_was_logged_stands_below", done.rc == 0 and "\nlogged\n  kernel 'k' races ?[1m\n  and this\n" in done.out, done)
    (work / "racy.c").write_text("#include <rill/kernel.h>\nkernel void put(int n, const int at[n], int a[n])\n"
                                 "{\n#pragma rill parallel\n    for (int i = 0; i < n; i++) a[at[i] / 2] = i;\n}\n")
    done = rill("run", "racy.c", "--set", "n=1000", "--check=races", "--trace", "racy.json", cwd=work)
    drawn = rill("trace", "racy.json", cwd=work, env=env)
    report.check("a_race_is_told_by_the_run_and_its_trace", done.rc == 1 and "racy.c:5: a race: iteration" in done.err and
                 "logged\n  kernel 'put', racy.c:5: a race: iteration" in drawn.out, (done, drawn))
    (work / "none.json").write_text(json.dumps(trace([])))
    done = rill("trace", "none.json", cwd=work)
    report.check("an_empty_trace_is_said_to_be_empty", done.rc == 0 and done.out == "no task ran\n", done)


def check_svg(report, work):
    names = ["a<b>&\"c'", "x\u0001\uffff\ud800", "π", "k" * 200]
    (work / "odd.json").write_text(json.dumps(trace([event(n, 1, i, i * 10, 500, kernel=n) for i, n in enumerate(names)])))
    done = rill("trace", "odd.json", "--svg", "odd.svg", cwd=work)
    try:
        document = xml.dom.minidom.parse(str(work / "odd.svg"))
        rects = len(document.getElementsByTagName("rect"))
        titles = [t.firstChild.data for t in document.getElementsByTagName("title")]
    except Exception as error:  # pylint: disable=broad-except
        rects, titles = 0, [str(error)]
    report.check("svg_is_xml_whatever_the_names", done.rc == 0 and rects == 1 + len(names)
                 and titles[0].startswith("a<b>&\"c'") and "k.c:3" in titles[0], titles)
    done = rill("trace", "odd.json", "--svg", "-", cwd=work)
    report.check("svg_goes_to_standard_output_too", done.rc == 0 and done.out.startswith("<?xml"), done)
    done = rill("trace", "odd.json", "--svg", "no/such/folder.svg", cwd=work)
    report.check("svg_that_cannot_be_written_is_an_error", done.rc == 3 and "no/such/folder.svg" in done.err, done)


def check_refusals(report, work):
    good = json.dumps(trace([event("k.0", 1, 0, 1000, 4000)]))
    wrong = {
        "empty": (b"", "does not begin"), "text": (b"int main(void) {}", "does not begin"), "half": (good[:90].encode(), "line 1"),
        "list": (b"[1, 2]", "does not begin"), "foreign": (b'{"traceEvents": []}', "another program"),
        "chrome": (json.dumps({"traceEvents": [{"ph": "B", "name": 5, "pid": "x"}], "otherData": {"producer": 3}}).encode(),
                   "another program"),
        "other": (b'{"errors": 0, "warnings": {"a": [null, true, false, -1.5e3]}}', "some other JSON"),
        "deep": (b'{"a": ' + b"[" * 100000, "nested too deeply"), "comma": (b'{"a": 1 "b": 2}', "comma"),
        "after": (good.encode() + b"x", "after the end"), "zeros": (b'{"a": "\0"}', "control character"),
        "word": (b'{"a": nil}', "no JSON"), "number": (b'{"a": 1e}', "number"), "escape": (b'{"a": "\\q"}', "backslash"),
        "hex": (b'{"a": "\\u12"}', "four hexadecimal"), "line": (b'{\n"a":\n"b\n"}', "line 3")}
    for name, (text, words) in wrong.items():
        (work / "wrong.json").write_bytes(text)
        done = rill("trace", "wrong.json", cwd=work)
        report.check(f"trace_refuses_{name}", done.rc == 1 and words in done.err and "wrong.json" in done.err and done.out == "",
                     done)
    for args, rc, words in ((["missing.json"], 3, "missing.json"), ([], 2, "which file"), (["a", "b"], 2, "'b'"),
                            (["a", "--zork"], 2, "--zork"), (["a", "--width", "x"], 2, "--width"), (["a", "--svg"], 2, "--svg"),
                            (["a", "--width", "10"], 2, "40"), (["a", "--tasks=-1"], 2, "--tasks")):
        done = rill("trace", *args, cwd=work)
        report.check(f"trace_{'_'.join(args)}_is_refused", done.rc == rc and words in done.err and done.out == "", done)
    # Files that are damaged at random: an answer, never a crash.
    rng = random.Random(4)
    codes = set()
    for _ in range(300 if "RILL_TEST_LONG" in os.environ else 40):
        text = bytearray(good.encode())
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(text))
            text[place:place + rng.randint(0, 3)] = bytes(rng.choice(b'{}[]",:\\0e-x\xff') for _ in range(rng.randint(0, 2)))
        codes.add(rill("trace", "-", stdin=bytes(text)).rc)
    report.check("a_damaged_trace_never_crashes", codes <= {0, 1}, codes)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        check_run(report, work)
        check_drawing(report, work)
        check_svg(report, work)
        check_refusals(report, work)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
