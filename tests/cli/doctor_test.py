#!/usr/bin/env python3
"""rill doctor: what it finds, what it says is to be mended, and figures that are there."""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import RILL, ROOT, Done, Report, rill  # noqa: E402

ROWS = ["queue a small kernel", "queue it and wait", "record an event", "two at the same time", "two long ones"]


NOBODY = 65534


def plain(**env):
    """The environment without Rill's variables, but for these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RILL_")}
    return dict(kept, RILL_BUILD=os.environ["RILL_BUILD"], **{name: str(value) for name, value in env.items()})


def doctor_as(user, limit=None, args=("--quick",), **env):
    """As |user|, NULL for this one, under a limit of the shell's."""
    def prepare():
        if limit is not None:
            resource.setrlimit(*limit)
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
    return Done(subprocess.run([str(RILL), "doctor", *args], capture_output=True, env=plain(**env), preexec_fn=prepare, check=False))


def has(done, words, remedy):
    """A line with |words|, and the next one is the arrow with |remedy|."""
    return done.rc == 1 and re.search(words + r".*\n +-> .*" + remedy, done.out) is not None


def check_cache(report, work):
    cache = work / "cache"
    done = doctor_as(None, RILL_CACHE=cache)
    report.check("a_cache_that_is_not_there_is_no_fault_and_is_not_made", done.rc == 0 and f"folder       {cache}" in done.out
                 and "is made when" in done.out and not cache.exists(), done)
    done = doctor_as(None, args=("--device", "cpu"), RILL_CACHE=cache)
    report.check("the_cache_is_tried", done.rc == 0 and re.search(r"found again in \d+\.\d\d ms", done.out) and
                 len(list(cache.glob("*.image"))) > 0, done)
    victim = next(cache.glob("*.image"))
    victim.write_bytes(victim.read_bytes()[:-1])
    done = doctor_as(None, RILL_CACHE=cache)
    report.check("damaged_entries_are_to_be_removed", has(done, "damaged +1 that", "rill cache verify --remove"), done)
    rill("cache", "verify", "--remove", env={"RILL_CACHE": str(cache)})
    done = doctor_as(None, RILL_CACHE=cache)
    report.check("and_then_all_is_well", done.rc == 0 and "usable       mode 700, of this user" in done.out, done)
    cache.chmod(0o770)
    done = doctor_as(None, RILL_CACHE=cache)
    report.check("a_cache_that_others_write_to_is_to_be_closed", has(done, r"mode 770", f"chmod 700 '{cache}'"), done)
    cache.chmod(0o700)
    (work / "link").symlink_to(cache)
    done = doctor_as(None, RILL_CACHE=work / "link")
    report.check("a_link_is_to_be_followed_by_hand", has(done, "symbolic link", "readlink -f"), done)
    (work / "file").write_text("")
    done = doctor_as(None, RILL_CACHE=work / "file")
    report.check("a_file_is_no_cache", has(done, "it is no folder", "rm "), done)
    done = doctor_as(None, RILL_CACHE="off")
    report.check("a_cache_that_is_off_is_no_fault", done.rc == 0 and "none: RILL_CACHE=off" in done.out, done)
    done = doctor_as(None, HOME="", XDG_CACHE_HOME="")
    report.check("without_a_home_the_cache_is_to_be_named", has(done, "neither RILL_CACHE", "RILL_CACHE=FOLDER"), done)
    done = doctor_as(None, RILL_CACHE="/proc/nowhere/rill")
    if os.geteuid() != 0:
        report.check("a_cache_that_cannot_be_made_is_to_be_elsewhere", has(done, "may not write to /proc", "RILL_CACHE=FOLDER"), done)
        return
    work.chmod(0o755)
    done = doctor_as(NOBODY, RILL_CACHE=work / "mine")
    report.check("a_cache_that_cannot_be_made_is_to_be_elsewhere", has(done, f"may not write to {work}", "RILL_CACHE=FOLDER"), done)
    cache.chmod(0o755)
    done = doctor_as(NOBODY, RILL_CACHE=cache)
    report.check("a_cache_of_another_is_to_be_given_over", has(done, "belongs to root, and this is nobody", "chown -R nobody"), done)
    cache.chmod(0o500)
    os.chown(cache, NOBODY, -1)
    done = doctor_as(NOBODY, RILL_CACHE=cache)
    report.check("a_cache_that_its_owner_may_not_write_is_to_be_opened", has(done, "cannot be written", f"chmod 700 '{cache}'"), done)


def check_limits(report):
    for name, kind, value, words, remedy in (("addresses", resource.RLIMIT_AS, 900 << 20, "addresses +1 GB", "ulimit -v"),
                                             ("files", resource.RLIMIT_NOFILE, 64, "files +64 at most", "ulimit -n 1024"),
                                             ("stack", resource.RLIMIT_STACK, 64 << 10, "stack +66 kB", "ulimit -s 8192")):
        if os.environ.get("RILL_TEST_PART", "plain") not in ("plain", "release"):
            continue  # a sanitizer needs more itself
        done = doctor_as(None, limit=(kind, (value, value)), RILL_CACHE="off")
        report.check(f"a_limit_of_{name}_is_to_be_raised", has(done, words, remedy), done)
    one = doctor_as(None, RILL_CACHE="off", RILL_THREADS=1)
    report.check("processors_that_are_not_used_are_said", os.cpu_count() == 1 or "of which 1 are used" in one.out, one)


def check_nodes(report, work):
    """A folder in place of /, with what the kernel shows of a card."""
    slot = work / "sys/bus/pci/devices/0000:01:00.0"
    slot.mkdir(parents=True)
    (work / "dev").mkdir()
    (slot / "vendor").write_text("0x10de\n")
    (slot / "class").write_text("0x030200\n")
    env = {"RILL_TEST_ROOT": work, "RILL_CACHE": "off", "RILL_CUDA_LIBRARY": "/nowhere/libcuda.so"}
    done = doctor_as(None, **env)
    report.check("a_card_without_its_file_wants_the_module", has(done, "there is a card, and no .*/dev/nvidiactl", "modprobe nvidia"), done)
    for node in ("nvidiactl", "nvidia0", "nvidia-uvm"):
        (work / "dev" / node).write_text("")
        (work / "dev" / node).chmod(0o666)
    done = doctor_as(None, **env)
    report.check("a_card_without_its_library_wants_the_driver", has(done, "cuda:0 .*/nowhere/libcuda.so", "install NVIDIA's driver"), done)
    for name, device in (("RILL_CUDA_LIBRARY", "cuda:0"), ("RILL_HIP_LIBRARY", "amdgpu:0")):
        done = doctor_as(None, RILL_TEST_ROOT=work / "none", RILL_CACHE="off", **{name: "/nowhere/driver.so"})
        report.check(f"what_{name}_names_is_wanted_without_a_card_too", has(done, f"{device} .*/nowhere/driver.so", f"unset {name}"), done)
    user = NOBODY if os.geteuid() == 0 else None
    work.chmod(0o755)
    (work / "dev" / "nvidia-uvm").chmod(0o000)
    done = doctor_as(user, **env)
    report.check("a_file_that_is_closed_is_to_be_opened", has(done, r"may not open .*/dev/nvidia-uvm \(mode 000\)", "chmod a.rw"), done)
    if os.geteuid() == 0:
        os.chown(work / "dev" / "nvidia-uvm", -1, 44)  # Debian's group video
        (work / "dev" / "nvidia-uvm").chmod(0o660)
        done = doctor_as(NOBODY, **env)
        report.check("a_group_that_may_open_it_is_named", has(done, r"\(mode 660\)", "usermod -aG video"), done)


def main():
    report = Report()
    others = [name for name in os.environ if name.startswith("RILL_") and name != "RILL_BUILD"]

    def doctor(*args, **env):
        kept = {name: os.environ.pop(name) for name in others}
        try:
            return rill("doctor", *args, env=env)
        finally:
            os.environ.update(kept)

    done = doctor("--device", "cpu", RILL_DEVICE="cpu")
    report.check("it_finds_the_library_the_compiler_and_the_cpu", done.rc == 0 and "librill.so" in done.out
                 and re.search(r"compiler +compiles", done.out) and re.search(r"\n  cpu +.*threads?, ", done.out), done)
    figures = [re.search(row + r".* (\d+\.\d\d)( us| of)", done.out) for row in ROWS]
    report.check("it_measures", all(figures) and float(figures[1][1]) > 0, done)
    report.check("it_measures_beside_a_bare_thread", "a bare thread" in done.out and len(re.findall(r"\d us", done.out)) == 5, done)
    quick = doctor("--quick")
    report.check("quick_measures_nothing", quick.rc == 0 and not re.search(r"\d us", quick.out) and "All is well" in quick.out, quick)
    wrong = doctor("--quick", RILL_THREDS="4")
    report.check("a_misspelt_variable_is_to_be_mended", wrong.rc == 1 and "RILL_THREADS" in wrong.out and "1 to mend" in wrong.out, wrong)
    for name, value, may_be in (("RILL_CHECK", "bound", "bounds races"), ("RILL_CHECK", "races,bound", "bounds races"), ("RILL_THREADS", "four", "a number"),
                                ("RILL_GRAPH", "yes", "on off auto"), ("RILL_LOG", "all", "note")):
        wrong = doctor("--quick", **{name: value})
        report.check(f"{name}={value}_is_to_be_mended", wrong.rc == 1 and f"is '{value}'" in wrong.out and f"-> it may be {may_be}" in wrong.out, wrong)
    for name, value in (("RILL_CHECK", "races,bounds"), ("RILL_CHECK", ""), ("RILL_THREADS", "4"), ("RILL_SCHEDULE", "0x12"), ("RILL_CONTRACT", "off"),
                        ("RILL_DEVICE", "cpu"), ("RILL_ORDER", "auto")):
        right = doctor("--quick", **{name: value})
        report.check(f"{name}={value}_is_as_it_should_be", right.rc == 0, right)
    for name, value in (("RILL_DEVICE", "cuda:9"), ("RILL_ORDER", "any"), ("RILL_FAULT", "often"), ("RILL_TRACE", "/nowhere/t.json")):
        wrong = doctor("--quick", **{name: value})
        report.check(f"with_{name}={value}_nothing_can_be_opened", wrong.rc == 1 and f"unset {name}" in wrong.out, wrong)
    broken = doctor("--quick", RILL_COMPILER="/nowhere.so")
    report.check("a_compiler_that_is_not_there_is_to_be_mended",
                 broken.rc == 1 and "/nowhere.so" in broken.out and "-> librill-compiler.so belongs" in broken.out, broken)
    missing = doctor("--device", "cuda:9")
    report.check("a_device_that_is_not_there_is_said", missing.rc == 1 and "cuda:9" in missing.out and "selftest" in missing.out, missing)
    report.check("what_it_does_not_take_is_refused", doctor("--fast").rc == 2, doctor("--fast"))
    source = (ROOT / "src/cli/cmd_doctor.c").read_text()
    mine = set(re.findall(r'"(RILL_[A-Z_]+)"', source[source.index("variables[] = {"):source.index("// What builds and tests read")]))
    page = (ROOT / "docs/env.md").read_text().split("## Building and testing")[0]
    listed = set(re.findall(r"^\| `(RILL_(?!TEST_)[A-Z_]+)`", page, re.M))
    report.check("it_knows_the_variables_of_the_docs", mine == listed, f"{mine ^ listed}")
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as root:
        check_cache(report, pathlib.Path(cache))
        check_limits(report)
        check_nodes(report, pathlib.Path(root))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
