#!/usr/bin/env python3
"""The dependency table holds over the tree, and the checker catches what breaks it."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from report import Report  # noqa: E402

# (file, include line, whether the table allows it)
PLANTED = [
    ("src/base/x.c", '#include "lang/ast.h"', False),
    ("src/base/x.c", "#include <stdio.h>", True),
    ("src/base/x.c", '#include "rill/rill.h"', False),
    ("src/base/x.c", '#include "rill/status.h"', True),
    ("src/lang/x.c", '#include "ir/ir.h"', False),
    ("src/lang/x.c", '#include "ast.h"', False),
    ("src/lang/x.c", '#include "../base/arena.h"', False),
    ("src/ir/x.c", '#include "plan/plan.h"', False),
    ("src/plan/x.c", '#include "ir/ir.h"', True),
    ("src/plan/x.c", '#include "ir/interpret.h"', False),
    ("src/object/x.c", '#include "plan/plan.h"', False),
    ("src/passes/x.c", '#include "lang/ast.h"', False),
    ("src/passes/x.c", '#include "lower/lower.h"', False),
    ("src/passes/x.c", '#include "analysis/facts.h"', True),
    ("src/passes/x.c", '#include "offload/offload.h"', False),
    ("src/lower/x.c", '#include "lang/ast.h"', True),
    ("src/lower/x.c", '#include "analysis/facts.h"', False),
    ("src/analysis/x.c", '#include "lang/ast.h"', False),
    ("src/analysis/x.c", '#include "passes/demote.h"', False),
    ("src/analysis/x.c", '#include "analysis/effects/effects.h"', True),
    ("src/analysis/values/x.c", '#include "analysis/facts.h"', False),
    ("src/analysis/values/x.c", '#include "analysis/values/atoms.h"', True),
    ("src/analysis/values/x.c", '#include "analysis/scalars/scalars.h"', False),
    ("src/analysis/effects/x.c", '#include "analysis/dependence/pair.h"', False),
    ("src/analysis/dependence/x.c", '#include "analysis/scalars/scalars.h"', True),
    ("src/offload/x.c", '#include "passes/demote.h"', True),
    ("src/passes/x.c", "#include <llvm-c/Core.h>", False),
    ("src/codegen/x.c", "#include <llvm-c/Core.h>", True),
    ("src/codegen/x.c", "#include <llvm/IR/Module.h>", False),
    ("src/codegen/x.c", '#include "lang/ast.h"', False),
    ("src/compiler/x.c", '#include "lang/ast.h"', True),
    ("src/compiler/x.c", '#include "runtime/context.h"', False),
    ("src/compiler/x.c", "  #  include <llvm-c/Core.h>", False),
    ("src/backend/cpu/x.c", '#include "backend/backend.h"', True),
    ("src/backend/cpu/x.c", '#include "backend/gpu/gpu.h"', False),
    ("src/backend/cuda/x.c", '#include "backend/gpu/gpu.h"', True),
    ("src/backend/cuda/x.c", '#include "backend/hip/hip.h"', False),
    ("src/backend/gpu/x.c", '#include "runtime/launch.h"', False),
    ("src/runtime/x.c", '#include "backend/backend.h"', True),
    ("src/runtime/x.c", '#include "backend/cpu/cpu.h"', False),
    ("src/runtime/x.c", '#include "compiler/compiler.h"', True),
    ("src/runtime/x.c", '#include "compiler/pipeline.h"', False),
    ("src/runtime/x.c", '#include "lang/ast.h"', False),
    ("src/cli/x.c", '#include "cli/cli.h"', True),
    ("src/cli/x.c", "#include <rill/rill.h>", True),
    ("src/cli/x.c", '#include "base/str.h"', False),
    ("examples/x.c", '#include "base/str.h"', False),
    ("bench/x.c", '#include "runtime/launch.h"', False),
    ("python/src/x.c", '#include "runtime/launch.h"', False),
    ("python/src/x.c", "#include <rill/rill.h>", True),
    ("include/rill/x.h", '#include "base/str.h"', False),
    ("src/elsewhere/x.c", "#include <stdio.h>", False),
]


def check(root):
    return subprocess.run([ROOT / "tools/check-layers", root], capture_output=True, text=True, check=False)


def main():
    report = Report()
    result = check(ROOT)
    report.check("every_include_of_the_tree_follows_the_table", result.returncode == 0, result.stdout)
    wrong = []
    for name, line, allowed in PLANTED:
        with tempfile.TemporaryDirectory() as root:
            path = pathlib.Path(root, name)
            os.makedirs(path.parent)
            path.write_text(f"// planted\n{line}\n")
            result = check(root)
            if (result.returncode == 0) != allowed or (not allowed and not result.stdout.startswith(name)):
                wrong.append(f"{name}: {line}: expected {'allowed' if allowed else 'caught'}: {result.stdout}")
    report.check("planted_includes_are_caught_and_allowed_ones_are_not", not wrong, "\n".join(wrong))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
