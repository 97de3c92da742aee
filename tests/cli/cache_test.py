#!/usr/bin/env python3
"""rill cache: what it lists is what is there, damage is found, and what is removed is compiled again."""
import os
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import Report, rill  # noqa: E402

KERNEL = "#include <rill/kernel.h>\nkernel void {0}(int n, float x[n]) {{ for (int i = 0; i < n; i++) x[i] *= {1}; }}\n"


def run(work, env, name):
    (work / f"{name}.c").write_text(KERNEL.format(name, 2))
    return rill("run", f"{name}.c", "--set", "n=8", "--device", "cpu", cwd=work, env=env)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        cache = work / "kept"
        env = {"RILL_CACHE": str(cache), "RILL_SANITIZE": "off", "RILL_LOG": ""}
        done = rill("cache", "stats", env=env)
        report.check("a_folder_that_is_not_there_has_nothing_and_is_not_made", done.rc == 0 and not cache.exists()
                     and re.search(r"^entries +0: ", done.out, re.M), done)
        first, second = run(work, env, "first"), run(work, env, "second")
        done = rill("cache", "list", env=env)
        lines = done.out.splitlines()
        report.check("the_list_has_each_compile_once", first.rc == second.rc == done.rc == 0 and len(lines) == 2
                     and all(re.fullmatch(r" +\d+ s +\d+\.\d kB +image +[0-9a-f]{12}  cpu (first|second)\.c", line)
                             for line in lines), done)
        stats = rill("cache", "stats", "--folder", cache)
        report.check("stats_count_them", re.search(r"^entries +2: 2 of the compiler, 0 ", stats.out, re.M)
                     and re.search(r"^damaged +0$", stats.out, re.M) and str(cache) in stats.out, stats)
        for path in cache.iterdir():
            os.utime(path, (10**9, 10**9))
        done = rill("cache", "verify", env=env)
        report.check("looking_is_no_use", all(path.stat().st_mtime == 10**9 for path in cache.iterdir()))
        report.check("sound_entries_are_sound", done.rc == 0 and done.out == "2 entries, 0 damaged\n", done)

        victim = sorted(cache.iterdir())[0]
        data = bytearray(victim.read_bytes())
        data[len(data) // 2] ^= 1
        victim.write_bytes(data)
        done = rill("cache", "verify", env=env)
        report.check("damage_is_found_and_named", done.rc == 1 and f"{victim} is not used: its digest is wrong" in done.out
                     and "2 entries, 1 damaged" in done.out and victim.exists(), done)
        report.check("the_list_shows_damage", rill("cache", "list", env=env).out.count("damaged\n") == 1)
        done = rill("cache", "verify", "--remove", env=env)
        report.check("damage_is_removed", done.rc == 0 and "1 removed" in done.out and not victim.exists(), done)
        (cache / "mine.txt").write_text("kept")
        done = rill("cache", "clear", env=env)
        report.check("clear_removes_entries_and_nothing_else", done.rc == 0
                     and done.out == f"1 entries removed from {cache}\n"
                     and [path.name for path in cache.iterdir()] == ["mine.txt"], done)
        again = run(work, env, "first")
        report.check("what_was_removed_is_compiled_again", again.rc == 0
                     and len(list(cache.glob("*.image"))) == 1, again)

        cache.chmod(0o777)
        done = rill("cache", "list", env=env)
        report.check("a_folder_that_others_write_to_is_refused", done.rc != 0 and "others may write" in done.err, done)
        done = rill("cache", "list", env={"RILL_CACHE": "off"})
        report.check("no_cache_is_said", done.rc != 0 and "there is no cache" in done.err, done)
        for words in ([], ["zork"], ["list", "stats"], ["clear", "--remove"]):
            done = rill("cache", *words, env=env)
            report.check(f"wrong_usage_is_refused_{'_'.join(words) or 'without_words'}", done.rc == 2 and done.out == "", done)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
