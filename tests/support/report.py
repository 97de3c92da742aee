"""What script tests print: one line for each claim, counted by tools/run-tests.

    report = Report()
    report.check("name_of_the_claim", condition, "what is wrong otherwise")
    sys.exit(report.finish())
"""
import os

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
