#!/usr/bin/env python3
"""What `rill check` says of stream_parallel blocks: x.c + x.err pairs in tests/passes/cases/blocks.

RILL_UPDATE=1 writes the .err files anew; read what changed.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"


def main():
    failed = False
    for path in sorted((ROOT / "tests/passes/cases/blocks").glob("*.c")):
        done = subprocess.run([RILL, "check", path.name], cwd=path.parent, capture_output=True, text=True, timeout=100)
        said = done.stderr + done.stdout
        expected = path.with_suffix(".err")
        if "RILL_UPDATE" in os.environ:
            expected.write_text(said)
        right = expected.exists() and said == expected.read_text() and done.returncode == (1 if "error:" in said else 0)
        print(f"ok {path.stem}" if right else f"FAIL {path.stem}: rill check says\n{said}")
        failed |= not right
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
