# shellcheck shell=bash
# What shell tests print: one line for each claim, counted by tools/run-tests. Sourced, not run:
#
#   . "$(dirname "$0")/../support/report.sh"
#   claim the_library_is_small test "$size" -lt 1000000
#   finish
report_status=0
export RILL_CACHE=${RILL_CACHE-off} # nothing depends on what this user has compiled before

# claim NAME COMMAND...: holds if the command succeeds; what it printed is shown if it does not.
claim() {
    local name=$1 said
    shift
    if said=$("$@" 2>&1); then
        echo "ok $name"
    else
        printf '%s\n' "$said" | sed 's/^/  /'
        echo "FAIL $name"
        report_status=1
    fi
}

# skip NAME WHY
skip() {
    echo "skip $1: $2"
}

finish() {
    exit $report_status
}
