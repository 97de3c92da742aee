#!/usr/bin/env python3
"""The map of files in docs/architecture.md names every source file of its folders, and no other."""
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from report import Report  # noqa: E402


def rows():
    """Folder to the names of its row."""
    text = (ROOT / "docs/architecture.md").read_text()
    part = text.split("## Which file\n")[1].split("\n## ")[0]
    found = {}
    for line in part.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 2:
            for folder in re.findall(r"`([^`]+)`", cells[0]):
                found[folder] = [name.split("/")[-1] for name in re.findall(r"`([^`]+)`", cells[1])]
    return found


def stems(folder):
    return {path.stem for path in (ROOT / "src" / folder).glob("*.[ch]")}


def main():
    report = Report()
    table = rows()
    folders = {path.parent.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.c")}
    without = {folder for folder in folders if folder not in table} - {"cli", "codegen/library"}
    report.check("every_folder_has_a_row", not without, f"without: {sorted(without)}")
    for folder, names in table.items():
        patterns = [re.sub(r"\.[ch]$", "", name) for name in names]
        missing = [stem for stem in sorted(stems(folder)) if not any(fnmatch.fnmatch(stem, p) for p in patterns)]
        report.check(f"the_row_of_{folder}_names_every_file", not missing, f"not named: {missing}")
    text = (ROOT / "docs/architecture.md").read_text()
    paths = re.findall(r"`((?:src/)?(?:base|lang|ir|plan|object|lower|analysis|passes|offload|codegen|compiler|runtime|backend)"
                       r"/[\w/]+\.[ch])`", text)
    gone = [path for path in paths if not (ROOT / "src" / path.removeprefix("src/")).exists()]
    report.check("every_file_that_the_page_names_exists", paths and not gone, f"gone: {gone}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
