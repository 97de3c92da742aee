"""python -m rill: the command line."""
import os
import pathlib
import sys


def main():
    here = pathlib.Path(__file__).parent
    for path in (here / "bin/rill", pathlib.Path(__import__("rill")._core.__file__).parents[2] / "bin/rill"):
        if path.exists():
            os.execv(path, [str(path), *sys.argv[1:]])
    sys.exit("rill: the command line is not installed beside the package")


if __name__ == "__main__":
    main()
