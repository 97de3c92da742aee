#!/usr/bin/env python3
"""The table of every call against every back end in docs/backends.md has each exported function once, and no other."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from report import Report  # noqa: E402

TITLE = "## Every call on every back end"
COLUMNS = 4


def rows_of(text):
    section = text.split(TITLE)[1].split("\n## ")[0]
    return [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| ")][2:]


def calls_in(cell):
    """A name that begins with _ goes on as the one before: `rill_array_read`, `_write` is rill_array_write."""
    calls, stem = [], ""
    for name in re.findall(r"`(\w+)`", cell):
        if name.startswith("rill_"):
            stem = "_".join(name.split("_")[:2])
        if name.startswith("__") or name.startswith("rill_"):
            calls.append(name)
        elif name.startswith("_"):
            calls.append(stem + name)
    return calls


def main():
    report = Report()
    exported = set((ROOT / "tests/house/exports.list").read_text().split())
    rows = rows_of((ROOT / "docs/backends.md").read_text())
    listed = [name for row in rows for name in calls_in(row[0])]
    missing, unknown = sorted(exported - set(listed)), sorted(set(listed) - exported)
    twice = sorted({name for name in listed if listed.count(name) > 1})
    report.check("every_exported_function_is_in_the_table_of_back_ends", exported and not missing, f"not there: {missing}")
    report.check("the_table_of_back_ends_names_nothing_else", not unknown and not twice, f"not exported: {unknown}, twice: {twice}")
    bad = [row[0].strip() for row in rows if len(row) != COLUMNS or not all(cell.strip() for cell in row)]
    report.check("every_back_end_has_its_word_for_each_call", rows and not bad, bad)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
