#!/usr/bin/env python3
"""`rill run`: arguments of every type, arrays from and to files, what is printed, exit statuses."""
import pathlib
import struct
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import Report, first_bytes, fnv, read_npy, rill, write_npy  # noqa: E402

SCALARS = [  # C type, struct letter, npy descr, values that fit, values that do not
    ("_Bool", "?", "|b1", ["0", "1", "true", "false"], ["2", "-1", "maybe", "0.5"]),
    ("int8_t", "b", "|i1", ["-128", "127", "-0x80", "0x7f"], ["128", "-129", "0x80", "1.5"]),
    ("uint8_t", "B", "|u1", ["0", "255", "0xff"], ["256", "-1"]),
    ("int16_t", "h", "<i2", ["-32768", "32767"], ["32768", "-32769"]),
    ("uint16_t", "H", "<u2", ["65535", "0xFFFF"], ["65536", "-1"]),
    ("int", "i", "<i4", ["-2147483648", "2147483647", "0x1e", "-0x1e", "1e6", "2.0", "+7"],
     ["2147483648", "-2147483649", "1.5", "nan", "inf", "", "x", "1x", "--1", "0x", "1e30"]),
    ("unsigned", "I", "<u4", ["4294967295", "0xffffffff"], ["4294967296", "-1", "-0x1"]),
    ("long", "q", "<i8", ["-9223372036854775808", "9223372036854775807"],
     ["9223372036854775808", "-9223372036854775809"]),
    ("uint64_t", "Q", "<u8", ["18446744073709551615", "0xffffffffffffffff"], ["18446744073709551616", "-1"]),
    ("float", "f", "<f4", ["0.1", "-0.0", "inf", "-inf", "nan", "1e-45", "0x1.8p3", "3.4028234e38", "7"],
     ["1e39", "1e999", "abc", "", "1.0f"]),
    ("double", "d", "<f8", ["0.1", "-inf", "nan", "5e-324", "1.7976931348623157e308", "1e39"], ["1e999", "1..2"]),
]


def same(got, text, letter):
    """Whether the value that the kernel returned is the one the command line gave."""
    if letter == "?":
        return got == (text in ("1", "true"))
    if letter in "fd":
        expected = float.fromhex(text) if "0x" in text else float(text)
        expected = struct.unpack(letter, struct.pack(letter, expected))[0]
        got = float(got)
        got = struct.unpack(letter, struct.pack(letter, got))[0]
        return struct.pack(letter, got) == struct.pack(letter, expected) or (got != got and expected != expected)
    return got == (int(text, 0) if "." not in text and ("e" not in text or "x" in text) else int(float(text)))


def check_scalars(report, work):
    text = "#include <rill/kernel.h>\n#include <stdint.h>\n"
    for ctype, letter, _, _, _ in SCALARS:
        name = ctype.replace("_t", "").strip("_")
        text += f"kernel {ctype} give_{name}({ctype} x) {{ return x; }}\n"
    path = work / "scalars.c"
    path.write_text(text)
    for ctype, letter, _, good, bad in SCALARS:
        name = "give_" + ctype.replace("_t", "").strip("_")
        wrong = []
        for value in good:
            done = rill("run", path, name, "--set", f"x={value}", "--json")
            if done.rc != 0 or not same(done.json().get("returned"), value, letter):
                wrong.append(f"{value}: {done}")
        for value in bad:
            done = rill("run", path, name, f"--set=x={value}", "--json")
            if done.rc != 2 or done.out != "" or f"x={value}" not in done.err:
                wrong.append(f"{value} is not refused: {done}")
        report.check(f"set_gives_{ctype}_its_values_and_refuses_others", not wrong, "\n".join(wrong))


def check_arrays(report, work):
    """Every element type starts as k % 251 + 1, survives a round trip through files, and has the stated checksum."""
    text = "#include <rill/kernel.h>\n#include <stdint.h>\n"
    for ctype, letter, _, _, _ in SCALARS:
        name = ctype.replace("_t", "").strip("_")
        text += f"kernel void copy_{name}(int n, const {ctype} x[n][3], {ctype} y[n][3])\n" \
                "{ for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) y[i][j] = x[i][j]; }\n"
    path = work / "arrays.c"
    path.write_text(text)
    count = 200 * 3
    for ctype, letter, descr, _, _ in SCALARS:
        name = "copy_" + ctype.replace("_t", "").strip("_")
        start = first_bytes(letter, count)
        plain = rill("run", path, name, "--set", "n=200", "--json", "--out", f"y={work}/y.npy")
        arrays = plain.json().get("arrays", {})
        header, data = read_npy(work / "y.npy") if plain.rc == 0 else ({}, b"")
        report.check(f"arrays_of_{ctype}_start_as_stated",
                     plain.rc == 0 and data == start and arrays["x"]["checksum"] == fnv(start)
                     and arrays["y"] == {"type": arrays["x"]["type"], "shape": [200, 3], "checksum": fnv(start)}
                     and header == {"descr": descr, "fortran_order": False, "shape": (200, 3)}, f"{plain}\n{header}")
        mixed = struct.pack(f"<{count}{letter}", *reversed(struct.unpack(f"<{count}{letter}", start)))
        write_npy(work / "x.npy", descr, (200, 3), mixed, version=2 if letter == "i" else 1)
        done = rill("run", path, name, "--set", "n=200", "--in", f"x={work}/x.npy", "--out", f"y={work}/z.npy", "--json")
        report.check(f"arrays_of_{ctype}_come_from_files_and_go_to_them",
                     done.rc == 0 and read_npy(work / "z.npy")[1] == mixed
                     and done.json()["arrays"]["x"]["checksum"] == fnv(mixed), done)


STRUCTS = """#include <rill/kernel.h>
#include <stdint.h>
struct pair { float a; int8_t b; };
struct item { int8_t c; double d; uint16_t e[2]; unsigned low : 3, high : 5; struct pair p; };
struct world { struct pair p; double v[3]; int flags : 4; union { int i; float f; }; uint64_t big; _Bool on; };
kernel void touch(int n, struct item t[n]) { for (int i = 0; i < n; i++) t[i].d += 0; }
kernel double read(struct world w, double out[10])
{
    out[0] = w.p.a; out[1] = w.p.b; out[2] = w.v[0]; out[3] = w.v[1]; out[4] = w.v[2]; out[5] = w.flags; out[6] = w.i;
    out[7] = (double)(w.big >> 32); out[8] = (double)(uint32_t)w.big; out[9] = w.on;
    return 1;
}
kernel long total(long n, const int *p) { long s = 0; for (long i = 0; i < n; i++) s += p[i]; return s; }
"""


def check_structs(report, work):
    path = work / "structs.c"
    path.write_text(STRUCTS)
    done = rill("run", path, "touch", "--set", "n=50", "--out", f"t={work}/t.npy", "--json")
    expected, k = bytearray(), 0

    def take():
        nonlocal k
        k += 1
        return (k - 1) % 251 + 1
    for _ in range(50):
        signed = [take()]
        d, e0, e1, low, high, a, b = (take() for _ in range(7))
        wrap = lambda v: v - 256 if v > 127 else v  # noqa: E731
        expected += struct.pack("<b7xdHHIfb3x", wrap(signed[0]), d, e0, e1, (low & 7) | (high & 31) << 3, a, wrap(b))
    header, data = read_npy(work / "t.npy") if done.rc == 0 else ({}, b"")
    report.check("struct_members_count_in_order", done.rc == 0 and data == bytes(expected)
                 and header["descr"] == "|V32" and done.json()["arrays"]["t"]["checksum"] == fnv(expected), done)
    sets = {"w.p.a": "0.5", "w.p.b": "-7", "w.v[0]": "1e300", "w.v[2]": "-inf", "w.flags": "-3", "w.i": "0x10",
            "w.big": "18446744073709551615", "w.on": "true"}
    done = rill("run", path, "read", *(w for s in sets.items() for w in ("--set", "=".join(s))), "--out",
                f"out={work}/o.npy", "--json")
    values = struct.unpack("<10d", read_npy(work / "o.npy")[1]) if done.rc == 0 else ()
    report.check("set_reaches_members_of_structs",
                 values == (0.5, -7.0, 1e300, 0.0, float("-inf"), -3.0, 16.0, 4294967295.0, 4294967295.0, 1.0),
                 f"{done}\n{values}")
    for bad in ("w.zork=1", "w.p=1", "w.v[3]=1", "w.v=1", "w=1", "w.p.b=300", "w.flags=9", "w.p.a.x=1", "w.v[x]=1"):
        done = rill("run", path, "read", "--set", bad)
        report.check(f"set_{bad}_is_refused", done.rc == 2 and bad.split("=")[0] in done.err and done.out == "", done)
    returns = work / "returns.c"
    returns.write_text("#include <rill/kernel.h>\n"
                       "struct s { float x; int k[2]; struct { unsigned low : 3; int high : 5; } bits; };\n"
                       "kernel struct s f(int n) { struct s r = {1.5f, {n, 2}, {5, -3}}; return r; }\n")
    done = rill("run", returns, "f", "--set", "n=7", "--json")
    report.check("a_struct_that_is_returned_is_an_object", done.rc == 0 and done.json()["returned"] ==
                 {"x": 1.5, "k": [7, 2], "bits": {"low": 5, "high": -3}}, done)
    done = rill("run", returns, "f", "--set", "n=7")
    report.check("and_text_with_its_members", done.rc == 0 and
                 "returned  {x 1.5, k [7, 2], bits {low 5, high -3}}\n" in done.out, done)
    done = rill("run", path, "total", "--set", "n=5", "--set", "p=300", "--json")
    report.check("set_gives_a_pointer_its_length", done.rc == 0 and done.json()["returned"] == 15
                 and done.json()["arrays"]["p"]["shape"] == [300], done)
    write_npy(work / "p.npy", "<i4", (2, 3), struct.pack("<6i", 1, 2, 3, 4, 5, -100))
    done = rill("run", path, "total", "--set", "n=6", "--in", f"p={work}/p.npy", "--json")
    report.check("a_file_gives_a_pointer_its_length", done.rc == 0 and done.json()["returned"] == -85
                 and done.json()["arrays"]["p"]["shape"] == [2, 3], done)
    for bad in ("p=-1", "p=abc", "p=1.5", "p=9223372036854775807"):
        done = rill("run", path, "total", "--set", "n=5", "--set", bad)
        report.check(f"a_pointer_of_length_{bad[2:]}_is_refused", done.rc in (1, 2) and "'p'" in done.err + "'p'"
                     and "p" in done.err and done.out == "", done)
    done = rill("run", path, "total", "--set", "n=5")
    report.check("a_pointer_without_length_is_refused", done.rc == 2 and "--set p=COUNT" in done.err, done)


FILES = """#include <rill/kernel.h>
kernel void twice(int n, int m, float x[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i][j] *= 2; }
"""


def check_files(report, work):
    path = work / "files.c"
    path.write_text(FILES)
    sizes = ["--set", "n=2", "--set", "m=3"]
    floats = struct.pack("<6f", *range(6))

    def run(name, *more):
        return rill("run", path, *sizes, "--in", f"x={work}/{name}", *more)
    for name, descr, shape, data, good in (
            ("same", "<f4", (2, 3), floats, True), ("flat", "<f4", (6,), floats, True),
            ("longer", "<f4", (3, 3), floats + floats, True), ("turned", "<f4", (3, 2), floats, False),
            ("short", "<f4", (1, 3), floats, False), ("doubles", "<f8", (2, 3), floats + floats, False),
            ("other_order", ">f4", (2, 3), floats, False), ("cut", "<f4", (2, 3), floats[:20], False),
            ("huge", "<f4", (1 << 62, 1 << 62), floats, False), ("negative", "<f4", (-2, 3), floats, False),
            ("records", "|V24", (2, 3), floats * 6, False)):
        write_npy(work / "in.npy", descr, shape, data)
        done = run("in.npy")
        report.check(f"a_file_of_{name}_is_{'taken' if good else 'refused'}",
                     done.rc == (0 if good else 3) and (good or (done.out == "" and "in.npy" in done.err)), done)
    (work / "junk.npy").write_bytes(bytes(range(256)))
    (work / "empty.npy").write_bytes(b"")
    (work / "order.npy").write_bytes((work / "in.npy").read_bytes().replace(b"False", b"True "))
    for name in ("junk.npy", "empty.npy", "order.npy", "missing.npy", "."):
        done = run(name)
        report.check(f"in_{name}_is_refused", done.rc == 3 and done.out == "" and "rill: " in done.err, done)
    done = rill("run", path, *sizes, "--out", f"x={work}/no/such/dir.npy")
    report.check("out_to_nowhere_is_refused", done.rc == 3 and "No such file" in done.err, done)
    for option, words in (("--in=n=a.npy", "no array"), ("--out=n=a.npy", "no array"), ("--set=x=3", "is an array"),
                          ("--set=zork=3", "it has: n m x"), ("--set=n=4", "twice"), ("--in=zork=a.npy", "it has:"),
                          ("--set=n", "name=value"), ("--set==3", "name=value"), ("--set=n.x=3", "no members")):
        done = rill("run", path, *sizes, option)
        report.check(f"run_{option}_is_refused", done.rc == 2 and words in done.err and done.out == "", done)
    (work / "pointer.c").write_text("#include <rill/kernel.h>\nkernel void f(int n, int *p) { for (int i = 0; i < n; i++) p[i]++; }\n")
    write_npy(work / "six.npy", "<i4", (6,), bytes(24))
    done = rill("run", "pointer.c", "--set", "n=6", "--set", "p=4", "--in", "p=six.npy", cwd=work)
    report.check("a_pointer_with_a_file_and_a_length_is_refused", done.rc == 2 and done.out == ""
                 and "the length of 'p' is that of its file 'six.npy'" in done.err, done)


PRINTS = """#include <rill/kernel.h>
#include <stdio.h>
#include <assert.h>
kernel int talk(int n)
{
    for (int i = 0; i < n; i++) { printf("%d \\"quoted\\" \\\\ tab\\t\\001 h\\303\\251 bad \\377\\n", i); }
    return n;
}
kernel void fails(int n, int x[n]) { printf("before\\n"); for (int i = 0; i < n; i++) { assert(x[i] != 5); } }
kernel void outside(int n, int x[n]) { for (int i = 0; i < n; i++) { x[i + 1] = i; } }
kernel void carried(int n, int x[n]) { for (int i = 1; i < n; i++) { x[i] = x[i - 1] / 3 + x[i]; } }
"""


def check_output(report, work):
    path = work / "prints.c"
    path.write_text(PRINTS)
    done = rill("run", path, "talk", "--set", "n=3", "--json")
    line = '{} "quoted" \\ tab\t\x01 h\u00e9 bad \ufffd\n'
    report.check("json_holds_what_was_printed", done.rc == 0 and set(done.json()) == {
        "kernel", "printed", "returned", "arrays", "time_ms"} and done.json()["returned"] == 3
        and done.json()["printed"] == "".join(line.format(i) for i in range(3))
        and done.json()["arrays"] == {} and done.json()["time_ms"] > 0, done)
    done = rill("run", path, "talk", "--set", "n=2")
    report.check("text_starts_with_what_was_printed", done.rc == 0 and done.raw.startswith(b"0 \"quoted\"")
                 and "returned  2\n" in done.out and "time " in done.out and " GB/s" in done.out, done)
    done = rill("run", path, "fails", "--set", "n=20")
    report.check("a_failing_kernel_fails_the_command", done.rc == 1 and done.out == "before\n"
                 and "prints.c:9" in done.err and "x[i] != 5" in done.err, done)
    done = rill("run", path, "fails", "--set", "n=20", "--json")
    report.check("a_failing_kernel_is_json_too", done.rc == 1 and set(done.json()) == {"kernel", "printed", "error"}
                 and done.json()["printed"] == "before\n" and "prints.c:9" in done.json()["error"], done)
    done = rill("run", path, "outside", "--set", "n=20", "--check=bounds")
    report.check("a_checked_index_fails_the_command", done.rc == 1 and "prints.c:10" in done.err and "20" in done.err,
                 done)
    done = rill("run", path, "carried", "--set", "n=20", "--json", "--repeat", "3")
    expected = [k % 251 + 1 for k in range(20)]
    for _ in range(3):
        for i in range(1, 20):
            expected[i] += expected[i - 1] // 3
    report.check("repeat_runs_on_the_same_arrays",
                 done.rc == 0 and done.json()["arrays"]["x"]["checksum"] == fnv(struct.pack("<20i", *expected)), done)
    report.check("warnings_go_to_standard_error", "warning" in done.err and "warning" not in done.out, done)
    for bad in ("0", "-1", "x", "", "1.5"):
        done = rill("run", path, "talk", "--set", "n=1", f"--repeat={bad}")
        report.check(f"repeat_{bad or 'nothing'}_is_refused", done.rc == 2 and "--repeat" in done.err, done)


def check_kernels(report, work):
    path = work / "prints.c"
    done = rill("run", path)
    names = ("talk", "fails", "outside", "carried")
    report.check("several_kernels_are_listed", done.rc == 2 and all(n in done.err for n in names) and done.out == "", done)
    done = rill("run", path, "tolk")
    report.check("an_unknown_kernel_is_refused_with_the_list", done.rc == 2 and "'tolk'" in done.err
                 and all(n in done.err for n in names), done)
    one = work / "one.c"
    one.write_text("#include <rill/kernel.h>\n#ifdef VALUE\nkernel int only(void) { return VALUE; }\n#endif\n")
    done = rill("run", one, "-D", "VALUE=42", "--json")
    report.check("the_only_kernel_needs_no_name", done.rc == 0 and done.json()["returned"] == 42, done)
    done = rill("run", one)
    report.check("a_file_without_kernels_is_an_error", done.rc == 1 and "no kernels" in done.err, done)
    done = rill("run", "-", "-DVALUE=7", "--json", stdin=one.read_bytes())
    report.check("standard_input_is_a_file", done.rc == 0 and done.json()["returned"] == 7, done)
    for device, rc in (("cpu", 0), ("auto", 0), ("zork", 2), ("", 2)):
        done = rill("run", one, "-DVALUE=1", "--device", device)
        report.check(f"device_{device or 'nothing'}", done.rc == rc and (rc == 0 or "cpu" in done.err), done)
    done = rill("run", one, "-DVALUE=1", env={"RILL_DEVICE": "zork"})
    report.check("the_device_of_the_environment_is_looked_at", done.rc == 2 and "zork" in done.err, done)
    done = rill("run", path, "talk")
    report.check("a_scalar_without_value_is_refused", done.rc == 2 and "--set n=" in done.err, done)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        check_scalars(report, work)
        check_arrays(report, work)
        check_structs(report, work)
        check_files(report, work)
        check_output(report, work)
        check_kernels(report, work)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
