#!/usr/bin/env bash
# What the two libraries export, need and weigh.
# shellcheck disable=SC2317 # the functions are called through claim
set -u
cd "$(dirname "$0")/../.." || exit
build=${RILL_BUILD:?the build directory}
. tests/support/report.sh

needed() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

every_declared_call_is_exported() {
    diff -u --label "declared in include/rill" --label tests/house/exports.list \
        <(grep -hoE '^RILL_API[^(]*\(' include/rill/*.h | grep -oE 'rill_[a-z0-9_]+\($' | tr -d '(' | LC_ALL=C sort -u) \
        <(grep '^rill_' tests/house/exports.list)
}

runtime_needs_only_libc() {
    ! needed "$build/lib/librill.so" | grep -Ev '^(libc|libm|libdl|libpthread|ld-linux-x86-64)\.so'
}

runtime_is_under_one_megabyte() {
    local copy size
    copy=$(mktemp)
    strip -o "$copy" "$build/lib/librill.so"
    size=$(stat -c %s "$copy")
    rm -f "$copy"
    echo "librill.so is $size bytes stripped"
    [ "$size" -lt 1000000 ]
}

compiler_exports_one_symbol() {
    local found
    found=$(nm -D --defined-only "$build/lib/librill-compiler.so" | awk '{ print $3 }')
    echo "exported: $found"
    [ "$found" = rill_compiler_table ]
}

# tests/release/archive_test.sh holds that a release has no such string.
hooks_for_planted_bugs_can_be_seen() {
    strings -a "$build/lib/librill-compiler.so" | grep -F 'bugs can be planted'
}

cli_needs_the_runtime_only() {
    ! needed "$build/bin/rill" | grep -Ev '^(librill|libc|libm|libpthread)\.so'
}

# Where the library lies and the loader refuses it, the words are the loader's, not "install it".
compiler_that_cannot_be_loaded_is_named() {
    local box said
    box=$(mktemp -d)
    mkdir "$box/bin" "$box/lib"
    cp "$build/bin/rill" "$box/bin"
    cp -P "$build"/lib/librill.so* "$box/lib"
    echo 'no library' >"$box/lib/librill-compiler.so"
    said=$(echo 'int x;' | "$box/bin/rill" check - 2>&1)
    rm -rf "$box"
    echo "$said"
    [[ $said = *"is installed, but cannot be loaded: "*"librill-compiler.so: "* ]]
}

claim exported_symbols_equal_the_list tools/check-exports "$build"
claim hooks_for_planted_bugs_can_be_seen hooks_for_planted_bugs_can_be_seen
claim every_declared_call_is_exported every_declared_call_is_exported
claim runtime_library_needs_only_the_c_library runtime_needs_only_libc
claim runtime_library_is_under_one_megabyte runtime_is_under_one_megabyte
claim compiler_library_exports_one_symbol compiler_exports_one_symbol
claim command_line_needs_the_runtime_library_only cli_needs_the_runtime_only
claim compiler_that_cannot_be_loaded_is_named compiler_that_cannot_be_loaded_is_named
finish
