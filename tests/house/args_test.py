#!/usr/bin/env python3
"""RILL_ARGS makes the same list with every compiler, in C and in C++, and refuses what is no argument."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from report import Report  # noqa: E402

FLAGS = ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", f"-I{ROOT}/include"]
COMPILERS = {
    "gcc": ["gcc", "-std=c11", "-x", "c"],
    "clang": ["clang-22", "-std=c11", "-x", "c"],
    "gxx": ["g++", "-std=c++17", "-x", "c++"],
    "clangxx": ["clang++-22", "-std=c++17", "-x", "c++"],
}
# What must not compile: a plain pointer says neither where it points nor how far; 65 is one too many.
REFUSED = {
    "a_bare_pointer": "RILL_ARGS(p)",
    "sixty_five_values": "RILL_ARGS(" + ", ".join(["1"] * 65) + ")",
}


def compile_file(compiler, source, program):
    return subprocess.run([*compiler, *FLAGS, source, "-o", program], capture_output=True, text=True, check=False)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "program")
        for name, compiler in COMPILERS.items():
            done = compile_file(compiler, ROOT / "tests/house/args_calls.c", program)
            if report.check(f"args_compile_with_{name}", done.returncode == 0, done.stderr):
                status = subprocess.run([program], check=False).returncode
                report.check(f"args_hold_what_was_written_with_{name}", status == 0, f"check {status} failed")
            for what, call in REFUSED.items():
                source = pathlib.Path(folder, "refused.c")
                source.write_text("#include <rill/args.h>\nstatic void take(rill_args args) { (void)args; }\n"
                                  f"int main(void) {{ int x = 0, *p = &x; (void)p; take({call}); return 0; }}\n")
                done = compile_file(compiler, source, program)
                report.check(f"args_refuse_{what}_with_{name}", done.returncode != 0 and "error" in done.stderr)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
