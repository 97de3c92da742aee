"""docs/python.md: its programs run, and its claims hold."""
import importlib.util
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_programs_of_the_manual_run(capsys, tmp_path, monkeypatch):
    page = ROOT / "docs/python.md"
    if not page.exists():
        return
    monkeypatch.chdir(tmp_path)
    import rill
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.S)
    assert len(blocks) >= 4
    try:
        for number, block in enumerate(blocks):
            if "import torch" in block and importlib.util.find_spec("torch") is None:
                continue
            file = tmp_path / f"part{number}.py"  # a kernel in Python is read from its file
            file.write_text(block)
            exec(compile(block, str(file), "exec"), names)
    finally:
        rill.set_default(None)
        names["ctx"].close()
    out = capsys.readouterr().out
    total = float(out.splitlines()[0])
    assert abs(total - 1000) < 1 and "loop: parallel, proven" in out and "the assertion 'n > 1' failed" in out
