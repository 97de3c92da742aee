"""What script tests print: one line for each claim, counted by tools/run-tests.

    report = Report()
    report.check("name_of_the_claim", condition, "what is wrong otherwise")
    sys.exit(report.finish())
"""
import os

# Which form of the suite it is (tools/run-tests): everything, samples, or the least; none of them in a run by hand. The turn
# says which samples.
IS_LONG = "RILL_TEST_LONG" in os.environ
IS_QUICK = "RILL_TEST_QUICK" in os.environ
IS_SHORT = "RILL_TEST_TURN" in os.environ and not IS_LONG
PART = os.environ.get("RILL_TEST_PART", "plain")
TURN = int(os.environ.get("RILL_TEST_TURN", "0"))
# Processes that a script may run side by side: one where the runner itself runs several scripts.
JOBS = int(os.environ.get("RILL_TEST_JOBS", len(os.sched_getaffinity(0))))

# Nothing depends on what this user has compiled before.
os.environ.setdefault("RILL_CACHE", "off")

# Seconds that one command may take: what the runner gives one TEST, more in slower builds.
LIMIT = int(os.environ.get("RILL_TEST_TIMEOUT", "120"))


class Report:
    def __init__(self):
        self.failed = False

    def check(self, name, holds, detail=""):
        if holds:
            print(f"ok {name}", flush=True)
            return True
        for line in str(detail).splitlines():
            print("  " + line)
        print(f"FAIL {name}", flush=True)
        self.failed = True
        return False

    def skip(self, name, why):
        print(f"skip {name}: {why}", flush=True)

    def finish(self):
        return 1 if self.failed else 0
