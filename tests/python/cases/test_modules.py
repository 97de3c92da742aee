"""Modules, fields, options, what is printed and logged; the package itself."""
import os
import subprocess
import sys

import pytest

import rill

HEAD = "#include <rill/kernel.h>\n"


def test_fields_are_read_and_written(ctx, module):
    assert module.fields["table"] == (rill.i32, (3,)) and module.fields["level"] == (rill.f64, ())
    module.write_field("table", memoryview(bytes(12)).cast("i"))
    module.write_field("table", (2).to_bytes(4, sys.byteorder))
    module.triple()
    assert module.read_field("table").tolist() == [6, 0, 0] and module.read_field("level") == 0.5
    module.write_field("level", 2)
    assert module.read_field("level") == 2
    with pytest.raises(rill.NotFoundError, match="there is no field 'nothing'; the module has: table, level"):
        module.read_field("nothing")


def test_options_reach_the_compiler(ctx, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk/disk.h").write_text("#define DISK 100\n")
    (tmp_path / "unit.h").write_text("#define UNIT 2\n")
    text = HEAD + '#include "unit.h"\n#include "disk.h"\nkernel int f(void) { return SCALE * UNIT + DISK; }\n'
    (tmp_path / "f.c").write_text(text)
    options = {"defines": {"SCALE": 3}, "include_dirs": [tmp_path / "disk"]}
    assert ctx.load(tmp_path / "f.c", **options).f() == 106
    assert ctx.load(tmp_path / "f.c", headers={"unit.h": "#define UNIT 7"}, **options).f() == 121
    look = ctx.kernel(HEAD + "kernel int look(int n, const int x[n], int i) { return x[i]; }", check_bounds=True)
    with pytest.raises(rill.BoundsError):
        look(3, ctx.array([1, 2, 3], "i32"), 3)
    with pytest.raises(rill.FileError):
        ctx.load(tmp_path / "none.c")


def test_error_in_the_source_has_its_place(ctx):
    with pytest.raises(rill.CompileError, match=r"edit\.c:2:") as info:
        ctx.module(HEAD + "kernel void f(int n) { n + ; }\n", path="edit.c")
    first = info.value.diagnostics[0]
    assert (first.severity, first.file, first.line) == ("error", "edit.c", 2) and "^" in first.rendered


def test_warnings_are_kept(ctx):
    module = ctx.module(HEAD + "kernel void f(int n, const int i[n], float x[n])\n"
                        "{ for (int k = 0; k < n; k++) x[i[k]] = x[i[k]] * 2 + x[0]; }\n")
    assert [d.severity for d in module.diagnostics][:1] == ["warning"]


def test_kernel_that_is_not_there(ctx, module):
    assert not hasattr(module, "nothing") and hasattr(module, "fill")
    with pytest.raises(AttributeError, match="'nothing'"):
        module.nothing
    with pytest.raises(rill.NotFoundError):
        module.kernel("nothing")


def test_explain_and_emit(module):
    assert "loop: parallel, proven" in module.explain() and "task fill.0" in module.emit("plan")
    with pytest.raises(ValueError, match="is no form of the code"):
        module.emit("fortran")


def test_kernels_print_to_pythons_stdout(ctx, module, capsys):
    module.say(3)
    ctx.sync()
    assert capsys.readouterr().out == "i = 0\ni = 1\ni = 2\n"


def test_print_and_log_go_where_they_are_told():
    printed, logged = [], []
    text = HEAD + '#include <stdio.h>\nkernel void say(void) { printf("here\\n"); }\n'
    with rill.open("cpu", print=printed.append, log=lambda level, words: logged.append((level, words))) as context:
        context.kernel(text)()
        context.kernel(HEAD + "#include <assert.h>\nkernel void f(int n) { assert(n > 1); }")
        s = context.stream()
        context.kernel(HEAD + "#include <assert.h>\nkernel void f(int n) { assert(n > 1); }")(1, stream=s)
        del s  # its failure goes to the log, and to the next sync
        with pytest.raises(rill.AssertError):
            context.sync()
    assert printed == ["here\n"] and any("'n > 1' failed" in words for _, words in logged)


def test_default_context(monkeypatch):
    script = """
import rill
a = rill.array([1.0, 2.0])
assert a.context is rill.default() and rill.zeros(3).context is a.context
b = rill.open("cpu")
assert rill.default() is a.context
rill.set_default(b)
assert rill.zeros(3).context is b
rill.set_default(None)
try:
    rill.default()
except rill.InvalidError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False,
                          env=dict(os.environ, RILL_DEVICE="cpu"))
    assert done.stdout.startswith("2 contexts are open") and done.returncode == 0, done.stderr


def test_command_line_is_the_packages():
    done = subprocess.run([sys.executable, "-m", "rill", "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and rill.__version__ in done.stdout, done


def test_compiles_are_kept_where_the_program_says(tmp_path):
    for wanted in ((0, 1), (1, 0)):
        with rill.open("cpu", cache=tmp_path) as context:
            context.module(HEAD + "kernel int one(void) { return 1; }\n")
            stats = context.stats.cache
            assert (stats.hit_count, stats.missing_count) == wanted


def test_devices_and_versions():
    names = [device.name for device in rill.devices()]
    assert "cpu" in names and rill.__version__.count(".") == 2
    with pytest.raises(rill.DeviceError):
        rill.open("nothing:3")
    with pytest.raises(rill.InvalidError):
        rill.open("cpu", graphs="maybe")


def test_types():
    assert rill.f32(0.1) != 0.1 and rill.i32(3.0) == 3 and repr(rill.f32[:, :]) == "rill.f32[:, :]"
    assert rill.dtype("f64") is rill.f64 and rill.dtype(int) is rill.i64 and rill.f32[:] == rill.f32[:] != rill.f32[:, :]
    for wrong in ("f128", "complex128", object):
        with pytest.raises(TypeError):
            rill.dtype(wrong)
    with pytest.raises(TypeError):
        rill.f32[3]


def test_names_of_kernels_in_python_are_all_there():
    from rill import script
    assert set(script.__all__) == rill._SCRIPT and set(script.__all__) <= set(dir(rill))
    assert all(getattr(rill, name) is getattr(script, name) for name in script.__all__)
    with pytest.raises(AttributeError):
        rill.nothing


def test_import_loads_neither_numpy_nor_the_compiler():
    script = ("import sys; sys.modules.pop('ast', None); import rill; maps = open('/proc/self/maps').read(); "
              "print('numpy' in sys.modules, 'ast' in sys.modules, 'librill-compiler' in maps, 'librill.so' in maps)")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "False False False True\n", done
