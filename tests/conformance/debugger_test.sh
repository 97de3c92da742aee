#!/usr/bin/env bash
# gdb stops on a kernel's line, and perf's map names a kernel's task: of one that was compiled, found in the cache, and built
# ahead of time.
# shellcheck disable=SC2317 # the functions are called through claim
set -u
cd "$(dirname "$0")/../.." || exit
build=${RILL_BUILD:?the build directory}
. tests/support/report.sh
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

if nm -D "$build/lib/librill.so" | grep -q -E '__(asan|tsan)_init'; then
    skip gdb_stops_on_a_line_of_a_kernel_from_a_compile "the library is built with a sanitizer"
    finish
fi

cat >"$box/solve.c" <<'END'
#include <rill/kernel.h>
kernel void solve(int n, float x[n])
{
    for (int i = 0; i < n; i++) {
        float t = x[i] * 2;
        x[i] = t + 1;
    }
}
END
cat >"$box/host.c" <<'END'
#include <rill/rill.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static float host[1000];
    rill_context context = {0};
    rill_kernel solve = {0};
    if (argc < 2 || rill_open("cpu", NULL, &context) != RILL_OK ||
        rill_kernel_load(context, argv[1], "solve", &solve) != RILL_OK ||
        rill_call(solve, RILL_CURRENT, RILL_ARGS(1000, RILL_HOST(host, 1000)), NULL, 0) != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
        return 1;
    }
    return rill_close(context) == RILL_OK && host[999] == 1 ? 0 : 1;
}
END
gcc -g -Iinclude "$box/host.c" -o "$box/host" -L"$build/lib" -lrill -Wl,-rpath,"$build/lib" || exit 1

stops_on_line() {
    gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' -ex 'break solve.c:6' -ex run \
        -ex bt -ex delete -ex continue --args "$box/host" "$box/solve.c" >"$box/said" 2>&1
    cat "$box/said"
    grep -q 'hit Breakpoint 1, solve.*solve.c:6' "$box/said" && grep -q 'x\[i\] = t + 1;' "$box/said" &&
        grep -q 'exited normally' "$box/said"
}

map_names_the_task() {
    RILL_PERF=1 "$box/host" "$box/solve.c" &
    local pid=$!
    wait $pid || return 1
    cat "/tmp/perf-$pid.map"
    grep -q ' solve\.0$' "/tmp/perf-$pid.map"
    local found=$?
    rm -f "/tmp/perf-$pid.map"
    return $found
}

# |$2| with the kernel from |$1|.
from() {
    case $1 in
    compile) RILL_CACHE=off "$2" ;;
    cache) RILL_CACHE=$box/cache "$box/host" "$box/solve.c" && RILL_CACHE=$box/cache "$2" && ls "$box"/cache/*.image ;;
    package) RILL_CACHE=off RILL_AHEAD=here "$2" ;;
    esac
}

for way in compile cache package; do
    if ! command -v gdb >/dev/null; then
        skip gdb_stops_on_a_line_of_a_kernel_from_a_$way "there is no gdb"
    elif ! gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex run --args true 2>&1 | grep -q 'exited normally'; then
        skip gdb_stops_on_a_line_of_a_kernel_from_a_$way "gdb may not run programs here"
    else
        claim gdb_stops_on_a_line_of_a_kernel_from_a_$way from $way stops_on_line
    fi
    claim perf_map_names_the_task_of_a_kernel_from_a_$way from $way map_names_the_task
done
finish
