#!/usr/bin/env bash
# The tree itself: formatted, files of a size to read, every environment variable written down.
# shellcheck disable=SC2317 # the functions are called through claim
set -u
cd "$(dirname "$0")/../.." || exit
. tests/support/report.sh

long_files() {
    ! find src include tests bench examples python tools cmake -type f \
        \( -name '*.c' -o -name '*.h' -o -name '*.hpp' -o -name '*.py' -o -name '*.sh' -o -name '*.cmake' -o -path 'tools/*' \) \
        -exec awk 'END { if (NR > 1000) printf "%s: %d lines\n", FILENAME, NR }' {} \; | grep .
}

# Every RILL_* variable that the code asks for has its line in docs/env.md, and nothing stands there that it does not.
env_is_documented() {
    diff -u --label "asked for in the code" --label "documented in docs/env.md" \
        <(grep -rhoE '(getenv|environment_has)\("[A-Z0-9_]+"' src include | sed 's/.*("//; s/"//' | sort -u) \
        <(sed '/^## Building and testing/,$d' docs/env.md | grep -oE '^\| `[A-Z0-9_]+' | sed 's/.*`//' | sort -u)
}

scripts_are_executable() {
    ! find tools tests .ci -type f \( -name '*_test.sh' -o -name '*_test.py' -o -path 'tools/*' -o -path '.ci/*' \) \
        ! -path 'tools/*/*' ! -executable | grep .
}

shell_scripts_parse() {
    local file bad=0
    for file in .ci/run tools/* tests/*/*_test.sh; do
        if [ -f "$file" ] && head -1 "$file" | grep -q bash; then
            bash -n "$file" || bad=1
        fi
    done
    return "$bad"
}

claim clang_format_holds_over_the_tree tools/format --check
claim no_file_is_longer_than_a_thousand_lines long_files
claim every_environment_variable_is_documented env_is_documented
claim tools_and_script_tests_are_executable scripts_are_executable
claim shell_scripts_parse shell_scripts_parse
finish
