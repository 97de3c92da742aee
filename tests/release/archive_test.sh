#!/usr/bin/env bash
# The archive of `make release`: its size, what it asks of the machine, and that it runs where it was unpacked.
# shellcheck disable=SC2317 # the functions are called through claim
set -u
cd "$(dirname "$0")/../.." || exit
build=${RILL_BUILD:?the build directory}
. tests/support/report.sh
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

# In short packed faster, and so larger than what is released.
is_made() {
    XZ_LEVEL=${RILL_TEST_LONG:+6}
    XZ_LEVEL=${XZ_LEVEL:-1} tools/make-archive "$build" "$box/dist" && tar -C "$box" -xf "$box"/dist/*.tar.xz && mv "$box"/rill-* "$box/elsewhere"
}

is_at_most_25_megabytes() {
    [ "$(stat -c %s "$box"/dist/*.tar.xz)" -le 25000000 ]
}

# What a program ships whose kernels were built ahead of time.
has_a_runtime_under_one_megabyte() {
    [ "$(stat -Lc %s "$box/elsewhere/lib/librill.so")" -lt 1000000 ]
}

programs() {
    find "$box/elsewhere" -type f -exec sh -c 'for file; do head -c 4 "$file" | grep -q ELF && echo "$file"; done' sh {} +
}

needs_glibc_2_34_at_most() {
    local file newest bad=0
    for file in $(programs); do
        newest=$(objdump -T "$file" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -V | tail -1)
        if [ "$(printf '%s\n2.34\n' "$newest" | sort -V | tail -1)" != 2.34 ]; then
            echo "${file#"$box"/elsewhere/} needs glibc $newest:" && objdump -T "$file" | grep -F "GLIBC_$newest"
            bad=1
        fi
    done
    [ "$(programs | wc -l)" -gt 20 ] && [ "$bad" = 0 ]
}

needs_no_library_but_its_own_and_the_c_library() {
    local file
    for file in $(programs); do
        readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
    done | sort -u >"$box/needed"
    cat "$box/needed"
    grep -q librill "$box/needed" && ! grep -Ev '^(librill|libc|libm|libdl|libpthread|ld-linux-x86-64)\.so' "$box/needed"
}

knows_nothing_of_where_it_was_built() {
    local file
    for file in $(programs); do
        if strings -a "$file" | grep -F -e "$PWD/" -e "$build/"; then
            echo "in ${file#"$box"/elsewhere/}"
            return 1
        fi
    done
}

# tests/house/libraries_test.sh holds that the string is found where there are hooks.
has_no_hooks_for_planted_bugs() {
    local file
    for file in $(programs); do
        if strings -a "$file" | grep -F 'bugs can be planted'; then
            echo "in ${file#"$box"/elsewhere/}"
            return 1
        fi
    done
}

runs_a_kernel() {
    "$box/elsewhere/bin/rill" run "$box/elsewhere/bench/kernels/vectors.c" triad --set n=1000 --set s=2 --device cpu
}

runs_its_tests() {
    "$box/elsewhere/tests/run" cpu args_test handles_test blocks_test &&
        "$box/elsewhere/tests/generate/generate_test" seeds 1 3
}

has_every_benchmark() {
    local source
    for source in bench/*.c; do
        [ -x "$box/elsewhere/bench/bin/$(basename "$source" .c)" ] || return 1
    done
    "$box/elsewhere/bench/bin/launch"
}

runs_its_example() {
    (cd "$box/elsewhere" && examples/bin/simulate) &&
        cc -I"$box/elsewhere/include" "$box/elsewhere/examples/simulate.c" -L"$box/elsewhere/lib" -lrill -lm -o "$box/own" &&
        (cd "$box/elsewhere" && LD_LIBRARY_PATH=$box/elsewhere/lib "$box/own")
}

# A project of its own, which knows of Rill only the folder it was unpacked into.
is_found_by_cmake() {
    mkdir -p "$box/project" && cp "$box/elsewhere/examples/simulate.c" "$box/project/"
    cat >"$box/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(client C CXX)
find_package(rill 0.1 REQUIRED)
add_executable(client simulate.c)
target_link_libraries(client rill::rill m)
file(WRITE ${CMAKE_BINARY_DIR}/owner.cpp "#include <rill/rill.hpp>\nint main() { rill::context ctx = rill::open(\"cpu\"); }\n")
add_executable(owner ${CMAKE_BINARY_DIR}/owner.cpp)
target_link_libraries(owner rill::rill)
END
    cmake -S "$box/project" -B "$box/project/build" -DCMAKE_PREFIX_PATH="$box/elsewhere" &&
        cmake --build "$box/project/build" && "$box/project/build/owner" &&
        (cd "$box/elsewhere" && "$box/project/build/client")
}

is_found_by_pkg_config() {
    local flags
    flags=$(PKG_CONFIG_PATH=$box/elsewhere/lib/pkgconfig pkg-config --cflags --libs "rill >= 0.1") || return 1
    # shellcheck disable=SC2086
    cc "$box/elsewhere/examples/simulate.c" $flags -lm -o "$box/by_flags" &&
        (cd "$box/elsewhere" && LD_LIBRARY_PATH=$box/elsewhere/lib "$box/by_flags")
}

runs_from_python() {
    (cd "$box/elsewhere/examples/python" && python3 -c 'import array, rill
with rill.Context("cpu") as ctx:
    x = array.array("f", range(10))
    module = ctx.module("#include <rill/kernel.h>\nkernel float sum(int n, const float x[n])\n"
                        "{ float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n")
    assert module.sum(10, x) == 45')
}

# Each command of the first block of its README, one after the other.
its_readme_is_true() {
    local command
    sed -n '/^```sh/,/^```/p' "$box/elsewhere/README.md" | sed '/^```/d; s/ *#.*//' >"$box/commands"
    [ "$(wc -l <"$box/commands")" -ge 7 ] || return 1
    while read -r command; do
        echo "$command"
        (cd "$box/elsewhere" && RILL_THREADS=2 bash -c "$command") </dev/null || return 1
    done <"$box/commands"
    [ -s "$box/elsewhere/fluid.png" ]
}

is_a_debian_package() {
    cpack -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip --config "$build/CPackConfig.cmake" -B "$box/deb" && dpkg-deb --info "$box"/deb/*.deb &&
        dpkg-deb -x "$box"/deb/*.deb "$box/root" && "$box/root/usr/bin/rill" doctor --quick &&
        cc examples/simulate.c -I"$box/root/usr/include" -L"$box/root/usr/lib" -lrill -o "$box/by_deb" &&
        LD_LIBRARY_PATH=$box/root/usr/lib "$box/by_deb"
}

claim the_archive_is_made is_made
claim it_is_at_most_25_megabytes is_at_most_25_megabytes
claim its_runtime_is_under_one_megabyte has_a_runtime_under_one_megabyte
claim it_needs_glibc_2_34_at_most needs_glibc_2_34_at_most
claim it_needs_no_other_library needs_no_library_but_its_own_and_the_c_library
claim it_knows_nothing_of_where_it_was_built knows_nothing_of_where_it_was_built
claim it_runs_a_kernel_where_it_is_unpacked runs_a_kernel
claim its_tests_run_where_they_are_unpacked runs_its_tests
claim its_benchmarks_are_all_there has_every_benchmark
claim its_example_runs_and_builds runs_its_example
claim has_no_hooks_for_planted_bugs has_no_hooks_for_planted_bugs
claim its_readme_is_true its_readme_is_true
if command -v dpkg-deb >/dev/null; then
    claim it_is_a_debian_package_too is_a_debian_package
else
    skip it_is_a_debian_package_too "there is no dpkg-deb"
fi
claim cmake_finds_it is_found_by_cmake
if command -v pkg-config >/dev/null; then
    claim pkg_config_finds_it is_found_by_pkg_config
else
    skip pkg_config_finds_it "there is no pkg-config"
fi
claim python_finds_it runs_from_python
finish
