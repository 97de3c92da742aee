#!/usr/bin/env python3
"""Each public header compiles alone, in C and in C++, with both compilers; so does each internal header, in C."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from report import Report  # noqa: E402

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-pedantic-errors", "-Wshadow", "-Werror", f"-I{ROOT}/include"]
C = ["-x", "c"]
CXX = ["-x", "c++"]
COMPILERS = [
    ("gcc_c99", ["gcc", "-std=c99", *C]),
    ("gcc_c11", ["gcc", "-std=c11", *C]),
    ("clang_c11", ["clang-22", "-std=c11", *C]),
    ("clang_c23", ["clang-22", "-std=c23", *C]),
    ("gcc_cxx", ["g++", "-std=c++17", *CXX]),
    ("clang_cxx", ["clang++-22", "-std=c++17", *CXX]),
    ("clang_cxx20", ["clang++-22", "-std=c++20", *CXX]),
]


def compile_text(compiler, text, *flags, whole=False):
    """Empty if the text compiles, else what the compiler says. gcc looks at dropped values only in a |whole| compile."""
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(text)
        file.flush()
        how = ["-c", "-o", "/dev/null"] if whole else ["-fsyntax-only"]
        command = [*compiler, *STRICT, *how, *flags, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stderr or f"exit status {done.returncode}"


def main():
    report = Report()
    for header in sorted((ROOT / "include/rill").iterdir()):
        name = header.stem + ("_hpp" if header.suffix == ".hpp" else "")
        # Twice, so that a missing include guard shows.
        text = f"#include <rill/{header.name}>\n#include <rill/{header.name}>\nextern int used;\n"
        for label, compiler in COMPILERS:
            if header.suffix == ".hpp" and "c++" not in compiler:
                continue
            if "-std=c99" in compiler and header.name != "kernel.h":
                continue  # kernel files are C99; the API may use C11
            said = compile_text(compiler, text)
            report.check(f"header_{name}_compiles_alone_with_{label}", not said, said)

    # A host file may include a kernel file, before or after the API's headers, to have its serial build for comparison.
    for order in (["kernel.h", "rill.h"], ["rill.h", "kernel.h"]):
        text = "".join(f"#include <rill/{name}>\n" for name in order) + "kernel void k(int n) { (void)n; }\n"
        for label, compiler in COMPILERS:
            if "-std=c99" not in compiler:
                said = compile_text(compiler, text)
                report.check(f"kernel_file_{'before' if order[0] == 'kernel.h' else 'after'}_rill_h_compiles_with_{label}",
                             not said, said)

    # A status must be looked at; in cleanup RILL_IGNORE drops it.
    for label, compiler in COMPILERS:
        if "-std=c99" not in compiler:
            drop = "#include <rill/rill.h>\nvoid drop(rill_context c);\nvoid drop(rill_context c) { %s; }\n"
            said = compile_text(compiler, drop % "rill_close(c)", whole=True)
            report.check(f"status_must_be_looked_at_with_{label}", "unused" in said or "ignoring" in said, said)
            said = compile_text(compiler, drop % "RILL_IGNORE(rill_close(c))", whole=True)
            report.check(f"status_is_dropped_on_purpose_with_{label}", not said, said)

    wrong = []
    for header in sorted((ROOT / "src").rglob("*.h")):
        if "codegen" in header.parts or "src/lang/include" in str(header):
            continue  # LLVM's own headers are not pedantic; the language's built-in headers are text for our front end
        text = f'#include "{header.relative_to(ROOT / "src")}"\nextern int used;\n'
        said = compile_text(["gcc", "-std=c11", *C], text, f"-I{ROOT}/src", "-D_GNU_SOURCE")
        if said:
            wrong.append(f"{header.relative_to(ROOT)}: {said}")
    report.check("every_internal_header_compiles_alone", not wrong, "\n".join(wrong))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
