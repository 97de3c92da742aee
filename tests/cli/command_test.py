#!/usr/bin/env python3
"""The command line as a whole: help, version, devices, demo, check, explain; wrong usage, wrong files; the man page and the
completion."""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import RILL, ROOT, Report, rill  # noqa: E402

COMMANDS = ["run", "check", "explain", "emit", "build", "trace", "devices", "cache", "doctor", "selftest", "demo"]
GOOD = "#include <rill/kernel.h>\nkernel void good(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] *= 2; }\n"
WARNS = "#include <rill/kernel.h>\nkernel void slow(int n, float x[n])\n" \
        "{ for (int i = 1; i < n; i++) x[i] = x[i - 1] * x[i - 1] + x[i]; }\n"
WRONG = "#include <rill/kernel.h>\nkernel void wrong(int n, float x[n])\n{\n    for (int i = 0; i < n; i++) x[i] = y;\n" \
        "    n = \"text\";\n}\n"


def check_help(report):
    done = rill("--help")
    report.check("help_names_every_command", done.rc == 0 and all(f"  {c} " in done.out for c in COMMANDS)
                 and done.err == "" and "Exit status" in done.out, done)
    for word in ("-h", "help"):
        report.check(f"{word}_is_help", rill(word).out == done.out)
    for command in COMMANDS:
        shown = rill(command, "--help")
        report.check(f"{command}_help_teaches", shown.rc == 0 and shown.out.startswith(f"usage: rill {command}")
                     and shown.err == "" and max(map(len, shown.out.splitlines())) <= 120, shown)
    done = rill()
    report.check("no_command_shows_help_and_fails", done.rc == 2 and "usage" in done.err and done.out == "", done)
    done = rill("zork")
    report.check("an_unknown_command_is_refused_with_the_list", done.rc == 2 and "'zork'" in done.err
                 and all(c in done.err for c in COMMANDS) and done.out == "", done)
    done = rill("--version")
    report.check("version_is_one_line", done.rc == 0 and re.fullmatch(r"rill \d+\.\d+\.\d+\S*\n", done.out), done)


def check_help_example(report, work):
    """The program that --help shows is a program."""
    text = rill("--help").out
    lines = text.split("Save this as saxpy.c:\n")[1].split("then\n")[0]
    (work / "saxpy.c").write_text("\n".join(line[2:] for line in lines.splitlines()))
    for command in re.findall(r"^  rill (.*?)  +\S", text.split("then\n")[1], re.M):
        done = rill(*command.split(), cwd=work)
        report.check(f"help_example_rill_{command.replace(' ', '_')}_works", done.rc == 0, done)


def check_demo(report):
    done = rill("demo", cwd=ROOT, env={"LANG": "C", "LC_ALL": "C", "COLUMNS": "80", "RILL_THREADS": "2"})
    report.check("demo_runs", done.rc == 0 and "\033" not in done.out and done.err == "", done)
    shows = {
        "the_devices_and_why_there_are_no_others": r"^cpu .*\n(.*\n)*cuda:0 +\S",
        "what_the_loops_became": "parallel, proven", "the_time_to_compile": r"compiled in [\d.]+ ms",
        "the_same_bits_from_gcc": r"^the same file by gcc .* serial: [\d.]+ ms.*\nall 1000 x 1000 cells have the same bits$",
        "spins_one_after_the_other": r"on one stream: 2 tasks on 1 stream, 2 threads: [\d.]+ ms,\nfor 0\.000 ms",
        "spins_on_two_streams": r"two streams: 2 tasks on 2 streams(.*\n)+?stream 1 .*spin.*\nstream 2 .*spin",
        "spins_as_blocks": r"blocks: 2 tasks on 1 stream(.*\n)+?stream 1 block 1 .*\nstream 1 block 2 ",
        "a_conflict_refused_with_a_caret": r"^race\.c:\d+:\d+: error: .*\n.*\n +\| +\^$",
        "an_index_out_of_range_with_its_line": r"kernel 'blur', blur\.c:5: index 8 of 'x' is out of range \[0, 8\)",
        "that_the_process_lives": r"the process is alive, and the next kernel on the same stream returned \d"}
    for name, pattern in shows.items():
        report.check(f"demo_shows_{name}", re.search(pattern, done.out, re.M), done.out)
    done = rill("demo", cwd="/", env={"PATH": "/nonexistent"})
    report.check("demo_without_gcc_says_so", done.rc == 0 and "not compared with gcc" in done.out, done)


def check_devices_and_demo(report):
    done = rill("devices")
    report.check("devices_lists_the_cpu", done.rc == 0 and re.search(r"^cpu +\S.*\d threads?, [\d.]+ GB$", done.out, re.M),
                 done)
    done = rill("devices", "--all")
    report.check("devices_says_why_others_are_not_there", done.rc == 0 and done.out.startswith(rill("devices").out)
                 and all(re.search(rf"^{name}:0 +(not there: .*\w|\S)", done.out, re.M) for name in ("cuda", "amdgpu")), done)
    check_demo(report)
    for command in ("devices", "demo"):
        done = rill(command, "more")
        report.check(f"{command}_takes_no_arguments", done.rc == 2 and "'more'" in done.err, done)


def check_check(report, work):
    for name, text in (("good", GOOD), ("warns", WARNS), ("wrong", WRONG)):
        (work / f"{name}.c").write_text(text)
    for name, strict, rc in (("good", False, 0), ("good", True, 0), ("warns", False, 0), ("warns", True, 1),
                             ("wrong", False, 1), ("wrong", True, 1)):
        done = rill("check", work / f"{name}.c", *(["--strict"] if strict else []))
        report.check(f"check_{name}{'_strict' if strict else ''}_exits_{rc}", done.rc == rc and done.out == ""
                     and ("error:" in done.err) == (name == "wrong") and ("warning:" in done.err) == (name == "warns")
                     and ("^" in done.err) == (name != "good"), done)
        found = rill("check", "--json", work / f"{name}.c", *(["--strict"] if strict else []))
        data = found.json()
        severities = [d["severity"] for d in data.get("diagnostics", [])]
        report.check(f"check_{name}{'_strict' if strict else ''}_is_json",
                     found.rc == rc and set(data) == {"errors", "warnings", "diagnostics"}
                     and data["errors"] == severities.count("error") == (2 if name == "wrong" else 0)
                     and data["warnings"] == severities.count("warning") == (1 if name == "warns" else 0)
                     and all(set(d) == {"severity", "file", "line", "column", "text"} and d["line"] > 0
                             and d["file"].endswith(f"{name}.c") for d in data["diagnostics"]), found)
    places = [(d["line"], d["severity"]) for d in rill("check", "--json", work / "wrong.c").json()["diagnostics"]]
    report.check("check_reports_every_error_with_its_line", (4, "error") in places and (5, "error") in places, places)
    done = rill("check", "-", "--json", stdin=WRONG.encode())
    report.check("check_reads_standard_input", done.rc == 1 and done.json()["diagnostics"][0]["file"] == "<stdin>", done)


def check_many(report, work):
    """A file that is wrong a thousand times fills no screen; JSON has more of it; nothing goes uncounted."""
    loop = "    for (int i = 1; i < n; i++) x[i] = x[i - 1] * x[i - 1] + x[i];\n"
    head = "#include <rill/kernel.h>\nkernel void many(int n, float x[n])\n{\n"
    for name, text, what, count in (("warn", loop, "warning", 60), ("wrong", "    x[0] = unknown%d;\n", "error", 1200)):
        (work / f"many_{name}.c").write_text(head + "".join(text.replace("%d", str(i)) for i in range(count)) + "}\n")
        done = rill("check", work / f"many_{name}.c")
        report.check(f"check_shows_50_{what}s_and_counts_the_rest", done.err.count(f": {what}: ") == 50
                     and f"rill: {count - 50} more {what}s are not shown\n" in done.err, done)
        data = rill("check", "--json", work / f"many_{name}.c").json()
        report.check(f"json_counts_all_{what}s", data[f"{what}s"] == count
                     and len(data["diagnostics"]) >= min(count, 50), (data[f"{what}s"], len(data["diagnostics"])))


def check_files(report, work):
    (work / "empty.c").write_text("")
    (work / "junk.c").write_bytes(bytes(range(1, 256)) * 20)
    (work / "zeros.c").write_bytes(GOOD.encode() + b"\0\0" + GOOD.encode())
    (work / "none.c").write_text("int f(int x) { return x; }\n")
    expected = {  # (check, explain, emit, run)
        "empty.c": (0, 0, 0, 1), "none.c": (0, 0, 0, 1), "junk.c": (1, 1, 1, 1), "zeros.c": (3, 3, 3, 3),
        "missing.c": (3, 3, 3, 3), ".": (3, 3, 3, 3)}
    if os.geteuid() != 0:  # root reads everything
        (work / "locked.c").write_text(GOOD)
        (work / "locked.c").chmod(0)
        expected["locked.c"] = (3, 3, 3, 3)
    else:
        report.skip("a file without permission", "root may read it")
    for name, codes in expected.items():
        for command, rc in zip((["check"], ["explain"], ["emit", "--llvm"], ["run"]), codes):
            done = rill(*command, work / name)
            words = rc == 0 or (done.err != "" and (command != ["check"] or name in done.err or name == "."))
            report.check(f"{'_'.join(command)}_{name}_exits_{rc}", done.rc == rc and words
                         and (rc == 0 or done.out == ""), done)
    for command in (["check"], ["explain"], ["emit", "--ir"], ["run"]):
        for more, words in (([], "which file"), (["a.c", "--zork"], "--zork"), (["a.c", "--target"], "--target"),
                            (["a.c", "--contract=maybe"], "maybe"), (["a.c", "--check=all"], "all"), (["a.c", "-D"], "-D"),
                            (["a.c", "b.c", "c.c"], ".c'")):
            done = rill(*command, *more)
            report.check(f"{'_'.join(command + more)}_is_wrong_usage".replace(" ", "_"),
                         done.rc == 2 and words in done.err and done.out == "", done)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([str(RILL), "explain", str(work / "good.c")], stdout=full, stderr=subprocess.PIPE, check=False)
    report.check("a_full_disk_is_no_success", done.returncode == 3 and b"standard output" in done.stderr, done.stderr)
    (work / "inner").mkdir()
    (work / "inner" / "size.h").write_text("#define SIZE 3\n")
    (work / "includes.c").write_text('#include <rill/kernel.h>\n#include "size.h"\nkernel int size(void) { return SIZE; }\n')
    done = rill("run", work / "includes.c", "-I", work / "inner", "--json")
    report.check("include_directories_are_searched", done.rc == 0 and done.json()["returned"] == 3, done)
    done = rill("run", work / "includes.c")
    report.check("a_missing_header_is_an_error", done.rc == 1 and "size.h" in done.err, done)


def check_explain(report, work):
    done = rill("explain", work / "good.c")
    report.check("explain_says_parallel", done.rc == 0 and "parallel, proven" in done.out and "x" in done.out, done)
    done = rill("explain", work / "warns.c")
    report.check("explain_says_in_order_with_the_line", done.rc == 0 and "in order" in done.out and ":3" in done.out, done)
    (work / "none.c").write_text("int twice(int x) { return 2 * x; }\n")
    done = rill("explain", work / "none.c")
    report.check("explain_says_that_there_are_no_kernels", done.rc == 0 and "none.c' has no kernels" in done.err, done)
    done = rill("explain", work / "wrong.c")
    report.check("explain_of_a_wrong_file_fails", done.rc == 1 and "error:" in done.err and done.out == "", done)
    check_explain_launch(report, work)


def check_explain_launch(report, work):
    """What a launch with given numbers would do."""
    (work / "sums.c").write_text(
        "#include <rill/kernel.h>\n"
        "kernel void sums(int n, int m, const float *a, float s[n])\n"
        "{\n"
        "    for (int i = 0; i < n; i++) {\n"
        "        s[i] = 0;\n"
        "        for (int j = 0; j < m; j++) s[i] += a[i * m + j];\n"
        "    }\n"
        "}\n"
        "kernel void steps(int n, int t, float a[n], float b[n])\n"
        "{\n"
        "    for (int k = 0; k < t; k++) {\n"
        "        for (int i = 1; i < n; i++) b[i] = a[i - 1];\n"
        "        for (int i = 0; i < n; i++) a[i] = b[i];\n"
        "    }\n"
        "}\n")

    def explain(*words, threads=16):
        return rill("explain", work / "sums.c", *words, env={"RILL_THREADS": str(threads)})

    done = explain("sums", "--set", "n=4000", "--set", "m=1000")
    report.check("rows_are_shared_out_where_there_are_many", done.rc == 0 and "outer" in done.out and "16 threads" in done.out
                 and "pieces" in done.out, done)
    done = explain("sums", "--set", "n=2", "--set", "m=4000000")
    report.check("two_long_rows_are_cut_inside", done.rc == 0 and "inner" in done.out, done)
    done = explain("sums", "--set", "n=4000", "--set", "m=1000", threads=1)
    report.check("with_one_thread_nothing_is_shared", "there is no other" in done.out and "pieces" not in done.out, done)
    done = explain("steps", "--set", "n=100", "--set", "t=50")
    report.check("small_rounds_run_whole", done.rc == 0 and "whole" in done.out, done)
    done = explain("steps", "--set", "n=1000000", "--set", "t=50")
    report.check("large_rounds_are_tasks", "in order, 50 rounds" in done.out and "neighbouring elements" in done.out, done)
    done = explain("steps", "--set", "n=1000000")
    report.check("a_missing_number_is_named", done.rc == 2 and "--set t=" in done.err, done)
    done = explain("--set", "n=1")
    report.check("one_kernel_is_to_be_named", done.rc == 2 and "sums steps" in done.err, done)


def in_terminal(command, env):
    """What the command writes to a terminal."""
    parent, child = pty.openpty()
    process = subprocess.Popen([str(RILL), *map(str, command)], stdin=child, stdout=child, stderr=child,
                               env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **env})
    os.close(child)
    out = b""
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        out += part
    os.close(parent)
    process.wait()
    return out


def check_color(report, work):
    command = ["check", work / "wrong.c"]
    report.check("a_terminal_gets_colour", b"\033[" in in_terminal(command, {"TERM": "xterm"}))
    report.check("no_color_is_honoured", b"\033[" not in in_terminal(command, {"TERM": "xterm", "NO_COLOR": "1"}))
    report.check("a_dumb_terminal_gets_no_colour", b"\033[" not in in_terminal(command, {"TERM": "dumb"}))
    report.check("a_pipe_gets_no_colour", "\033[" not in rill(*command, env={"TERM": "xterm"}).err)


def check_man(report):
    page = ROOT / "docs" / "rill.1"
    if shutil.which("groff") is None:
        report.skip("the man page renders", "there is no groff")
        return
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(page)], capture_output=True, text=True, check=False)
    report.check("the_man_page_has_no_faults", done.returncode == 0 and done.stderr == "", done.stderr)
    done = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", str(page)], capture_output=True, text=True, check=False)
    shown = set()
    for command in COMMANDS:
        shown |= set(re.findall(r"(?<![\w-])--?[A-Za-z][a-z-]*", rill(command, "--help").out))
    missing = sorted(o for o in shown | set(COMMANDS) if o not in done.stdout and o not in ("-O", "-fopenmp", "-lrill"))
    report.check("the_man_page_has_every_option_of_the_help", not missing, missing)


def complete(*words):
    script = f'. {ROOT}/docs/completion/rill.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rill; ' \
             'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, "bash", *map(str, words)], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def check_completion(report, work):
    script = ROOT / "docs" / "completion" / "rill.bash"
    done = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True, check=False)
    report.check("the_completion_parses", done.returncode == 0, done.stderr)
    report.check("commands_are_completed", sorted(complete("rill", "")) == sorted(COMMANDS + ["--help", "--version"]))
    report.check("a_started_command_is_completed", complete("rill", "ex") == ["explain"])
    for command in COMMANDS:
        shown = set(re.findall(r"(?<![\w-])--[a-z-]+", rill(command, "--help").out)) - {"--version", "--device"}
        offered = {o.split("=")[0] for o in complete("rill", command, "--")}
        report.check(f"options_of_{command}_are_completed", shown <= offered | {"--help"}, f"{shown - offered}")
    report.check("devices_of_run_are_offered", "--device" in complete("rill", "run", "--d"))
    report.check("kernel_files_are_completed", complete("rill", "run", f"{work}/goo") == [f"{work}/good.c"])
    (work / "two words.c").write_text("")
    report.check("names_with_spaces_are_completed", complete("rill", "run", f"{work}/two") == [f"{work}/two words.c"])
    report.check("devices_are_completed", "cpu" in complete(RILL, "run", "x.c", "--device", "c"))
    report.check("targets_are_completed", complete("rill", "emit", "x.c", "--target", "sm_9") == ["sm_90"])
    report.check("kernels_of_the_file_are_completed", complete("rill", "run", work / "good.c", "g") == ["good"])


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        check_help(report)
        check_help_example(report, work)
        check_devices_and_demo(report)
        check_check(report, work)
        check_many(report, work)
        check_files(report, work)
        check_explain(report, work)
        check_color(report, work)
        check_man(report)
        check_completion(report, work)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
