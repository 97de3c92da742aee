#!/usr/bin/env python3
"""What the README, docs/streams.md and docs/language.md show is what happens: their programs compile and run, and their
transcripts are the real output.

A block of C that begins with `// name` is the file name. A block that begins with `$` is a transcript: commands, each with
what it prints; a line `…` stands for the rest, and a command followed by nothing is only run. With --update the
transcripts are written anew, as many lines as they had where `…` ends them: read the difference.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from report import Report  # noqa: E402

BUILD = pathlib.Path(os.environ["RILL_BUILD"])
TRANSCRIPT = r"```\n(\$ .*?)```"


def run(command, folder, **env):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=dict(os.environ, NO_COLOR="1", **env))
    return done.returncode, done.stdout


def commands_of(block, folder):
    """For each command of a transcript: the command, what is shown, its status and what it really prints."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown, *run(shlex.split(command.replace("build/release", str(BUILD))), folder)


def update_transcript(block, folder):
    text = ""
    for command, shown, _, output in commands_of(block, folder):
        lines = output.splitlines(keepends=True)
        if shown.endswith("…\n"):
            lines = lines[:shown.count("\n") - 1] + ["…\n"]
        text += f"$ {command}\n" + ("".join(lines) if shown else "")
    return text


def check_transcript(report, page, block, folder):
    for command, shown, status, output in commands_of(block, folder):
        name = re.sub(r"\W+", "_", command.removeprefix("build/release/bin/"))
        if not shown:
            report.check(f"{page}_runs_{name}", status == 0, output)
            continue
        wanted, rest, _ = shown.partition("…\n")
        same = output.startswith(wanted) if rest else output == wanted
        report.check(f"{page}_shows_what_happens_{name}", same, f"shown:\n{wanted}\nreal:\n{output}")


def write_files(text, folder):
    for block in re.finditer(r"```c\n// (\S+)\n.*?```", text, flags=re.S):
        (folder / block.group(1)).write_text(block.group(0)[5:-3])


def check_plain_c(report, page, kernels, folder):
    for kernel in kernels:
        status, output = run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "-c", kernel], folder)
        report.check(f"{page}_{kernel}_is_plain_c", status == 0, output)


def compile_program(report, page, name, folder):
    status, output = run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"{name}.c", f"-I{ROOT}/include",
                          f"-L{BUILD}/lib", "-lrill", f"-Wl,-rpath,{BUILD}/lib", "-o", name], folder)
    return report.check(f"{page}_program_compiles", status == 0, output)


def check_links(report, page, text):
    missing = [path for path in re.findall(r"`((?:docs|include)/\S+|[A-Z]+\.md)`", text) if not (ROOT / path).exists()]
    report.check(f"{page}_names_files_that_exist", not missing, "\n".join(missing))


def check_readme(report, folder):
    text = (ROOT / "README.md").read_text()
    first = re.search(r"```sh\n(.*)\n", text).group(1)
    report.check("readme_begins_with_the_one_thing_to_install", first == "apt-get install -y git make", first)
    write_files(text, folder)
    check_plain_c(report, "readme", ["heat.c"], folder)
    if compile_program(report, "readme", "main", folder):
        status, output = run(["./main"], folder)
        report.check("readme_program_runs", status == 0 and output == "all heat together: 1000\n", output)
    for block in re.findall(TRANSCRIPT, text, flags=re.S):
        check_transcript(report, "readme", block, folder)
    check_links(report, "readme", text)


def check_streams(report, folder):
    """The stale read happens, though perhaps not every time, and with the event never."""
    text = (ROOT / "docs/streams.md").read_text()
    write_files(text, folder)
    check_plain_c(report, "streams", ["step.c", "pipe.c"], folder)
    for block in re.findall(TRANSCRIPT, text, flags=re.S):
        check_transcript(report, "streams", block, folder)
    check_links(report, "streams", text)
    if not compile_program(report, "streams", "stale", folder):
        return
    shown = re.search(r"```\nwithout the event: (\d+)\nwith the event: +(\d+)\n```", text)
    stale = False
    for _ in range(20):
        status, output = run(["./stale"], folder, RILL_THREADS="2")
        found = re.fullmatch(r"without the event: (\S+)\nwith the event: +(\S+)\n", output)
        if status != 0 or found is None or float(found.group(2)) != float(shown.group(2)):
            report.check("streams_event_gives_the_order", False, output)
            return
        stale = float(found.group(1)) < float(found.group(2))
        if stale:
            break
    report.check("streams_event_gives_the_order", True)
    report.check("streams_read_without_the_event_is_stale", stale, "twenty runs, and every one was lucky")


def check_language(report, folder):
    """docs/language.md: its whole kernels compile with gcc and without a word from Rill, its loops become what stands beside
    them, and the error it shows is what the compiler says."""
    text = (ROOT / "docs/language.md").read_text()
    rill = str(BUILD / "bin/rill")
    head = "#include <rill/kernel.h>\n#include <math.h>\n#include <stdint.h>\n"
    blocks = re.findall(r"```c\n(.*?)```", text, flags=re.S)
    wholes = [block for block in blocks if re.search(r"^kernel ", block, flags=re.M)]
    for number, block in enumerate(wholes):
        (folder / "whole.c").write_text(head + block)
        check_plain_c(report, f"language_{number}", ["whole.c"], folder)
        status, output = run([rill, "check", "whole.c"], folder)
        report.check(f"language_{number}_is_checked_without_a_word", (status, output) == (0, ""), output)
    verdicts = {"proven": "parallel, proven", "parallel, if": "parallel, if", "in order": "in order",
                "scatter": "parallel, scatter"}
    loops = re.findall(r"^(for .*?) +// (proven|parallel, if|in order|scatter)", text, flags=re.M)
    report.check("language_shows_a_loop_of_every_kind", {kind for _, kind in loops} == set(verdicts), loops)
    for loop, kind in loops:
        kernel = f"kernel void f(int n, int k, int *index, float *a, const float *b)\n{{ {loop} }}\n"
        (folder / "loop.c").write_text(head + kernel)
        _, output = run([rill, "explain", "loop.c"], folder)
        name = re.sub(r"\W+", "_", f"{kind}_{loop}").strip("_")
        report.check(f"language_loop_is_{name}", f"loop: {verdicts[kind]}" in output, output)
    shown = re.search(r"```\n(solve\.c:(\d+):\d+: error: .*?)```", text, flags=re.S)
    source = re.search(r"\d+ \| (.*)", shown.group(1)).group(1)
    lines = ["int f(void) {"] + [""] * (int(shown.group(2)) - 2) + [source, "return day; }", ""]
    (folder / "solve.c").write_text("\n".join(lines))
    _, output = run([rill, "check", "solve.c"], folder)
    report.check("language_shows_the_error_as_it_is", output.startswith(shown.group(1)), output)


def check_names(report):
    """Every page: the files, calls, types and constants that it names exist."""
    code = subprocess.run(["git", "grep", "-hoIE", r"\b(rill|RILL)_[A-Za-z0-9_]+", "--", "include", "src", "tests", "tools",
                           "cmake", "examples", "Makefile"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    known = set(code.split())
    if not known:
        report.skip("pages_name_what_exists", "there is no git")
        return
    for page in sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md")]):
        text = page.read_text()
        paths = re.findall(r"`((?:bench|cmake|docs|examples|include|src|tests|tools)/[\w./-]+)`", text)
        wrong = [path for path in paths if not list(ROOT.glob(path + "*")) and not path.endswith(".so")]
        wrong += sorted(set(re.findall(r"\b(?:rill|RILL)_\w*[A-Za-z0-9]\b(?![*…/])", text)) - known)
        report.check(f"{page.stem}_names_what_exists".lower(), not wrong, "\n".join(wrong))


def update(folder):
    for page in ("README.md", "docs/streams.md"):
        text = (ROOT / page).read_text()
        write_files(text, folder)
        text = re.sub(TRANSCRIPT, lambda match: f"```\n{update_transcript(match.group(1), folder)}```", text, flags=re.S)
        (ROOT / page).write_text(text)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if sys.argv[1:] == ["--update"]:
            update(folder)
            return 0
        check_readme(report, folder)
        check_streams(report, folder)
        check_language(report, folder)
    check_names(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
