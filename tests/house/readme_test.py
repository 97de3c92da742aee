#!/usr/bin/env python3
"""What the README shows is what happens: its programs compile and run, and its transcripts are the real output.

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


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=dict(os.environ, NO_COLOR="1"))
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


def check_transcript(report, block, folder):
    for command, shown, status, output in commands_of(block, folder):
        name = re.sub(r"\W+", "_", command.removeprefix("build/release/bin/"))
        if not shown:
            report.check(f"readme_runs_{name}", status == 0, output)
            continue
        wanted, rest, _ = shown.partition("…\n")
        same = output.startswith(wanted) if rest else output == wanted
        report.check(f"readme_shows_what_happens_{name}", same, f"shown:\n{wanted}\nreal:\n{output}")


def main():
    report = Report()
    text = (ROOT / "README.md").read_text()
    first = re.search(r"```sh\n(.*)\n", text).group(1)
    report.check("readme_begins_with_the_one_thing_to_install", first == "apt-get install -y git make", first)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for block in re.finditer(r"```c\n// (\S+)\n.*?```", text, flags=re.S):
            (folder / block.group(1)).write_text(block.group(0)[5:-3])
        if sys.argv[1:] == ["--update"]:
            text = re.sub(TRANSCRIPT, lambda match: f"```\n{update_transcript(match.group(1), folder)}```", text, flags=re.S)
            (ROOT / "README.md").write_text(text)
            return 0
        status, output = run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "-c", "heat.c"], folder)
        report.check("readme_kernel_is_plain_c", status == 0, output)
        status, output = run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "main.c", f"-I{ROOT}/include",
                              f"-L{BUILD}/lib", "-lrill", f"-Wl,-rpath,{BUILD}/lib", "-o", "main"], folder)
        if report.check("readme_program_compiles", status == 0, output):
            status, output = run(["./main"], folder)
            report.check("readme_program_runs", status == 0 and output == "all heat together: 1000\n", output)
        for block in re.findall(TRANSCRIPT, text, flags=re.S):
            check_transcript(report, block, folder)
        missing = [path for path in re.findall(r"`((?:docs|include)/\S+|[A-Z]+\.md)`", text) if not (ROOT / path).exists()]
        report.check("readme_names_files_that_exist", not missing, "\n".join(missing))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
