#!/usr/bin/env bash
# An installed Rill (cmake --install) in projects of their own: a Makefile with pkg-config, CMake with find_package, C++,
# and kernels that were built ahead of time, which run with librill.so alone.
# shellcheck disable=SC2317 # the functions are called through claim
set -u
cd "$(dirname "$0")/../.." || exit
build=${RILL_BUILD:?the build directory}
. tests/support/report.sh
. tests/release/project.sh
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
export RILL_CACHE=off PKG_CONFIG_PATH=$box/prefix/lib/pkgconfig
unset MAKEFLAGS

is_installed() {
    cmake --install "$build" --prefix "$box/prefix" && [ -x "$box/prefix/bin/rill" ]
}

# |$1| prints this and has no compiler.
says() {
    local said
    said=$(RILL_COMPILER=/nowhere/compiler.so "$1") && [ "$said" = "$2" ] || { echo "$said"; return 1; }
}

is_built_by_make() {
    make -C "$box/project" && says "$box/project/main" "total 135"
}

is_built_again_when_what_it_includes_changes() {
    sleep 1.1 # make looks at seconds on some file systems
    echo '#define FACTOR 4' >"$box/project/scale.h"
    make -C "$box/project" && says "$box/project/main" "total 180"
}

is_built_by_cmake() {
    mkdir "$box/other" && cp "$box"/project/*.[ch] "$box/project/main.cpp" "$box/project/CMakeLists.txt" "$box/other/" &&
        rm "$box/other/heat.h" && # else it is found first, with an object of another build
        cmake -S "$box/other" -B "$box/other/build" -DCMAKE_PREFIX_PATH="$box/prefix" >"$box/cmake.log" 2>&1 &&
        cmake --build "$box/other/build" >>"$box/cmake.log" 2>&1 || { cat "$box/cmake.log"; return 1; }
    says "$box/other/build/client" "total 180"
}

is_linked_from_a_library_in_cxx() {
    says "$box/other/build/client_cxx" "total 80"
}

is_built_again_by_cmake() {
    sleep 1.1
    echo '#define FACTOR 5' >"$box/other/scale.h"
    cmake --build "$box/other/build" >"$box/cmake.log" 2>&1 && says "$box/other/build/client" "total 225" || { cat "$box/cmake.log"; return 1; }
}

says_what_is_wrong_with_rill_add_kernels() {
    mkdir -p "$box/wrong" "$box/twice"
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(w C)\nfind_package(rill REQUIRED)\nadd_library(one STATIC heat.c)\nrill_add_kernels(one heat.c)\nrill_add_kernels(one other/heat.c)\n' \
        >"$box/twice/CMakeLists.txt"
    mkdir -p "$box/twice/other" && cp "$box"/project/*.[ch] "$box/twice/" && cp "$box/project/heat.c" "$box/twice/other/"
    ! cmake -S "$box/twice" -B "$box/twice/build" -DCMAKE_PREFIX_PATH="$box/prefix" >"$box/cmake.log" 2>&1 &&
        grep -q "'one' has kernels of another file heat.c" "$box/cmake.log" || return 1
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(w C)\nfind_package(rill REQUIRED)\nrill_add_kernels(none heat.c)\n' \
        >"$box/wrong/CMakeLists.txt"
    ! cmake -S "$box/wrong" -B "$box/wrong/build" -DCMAKE_PREFIX_PATH="$box/prefix" >"$box/cmake.log" 2>&1 &&
        grep -q "there is no target 'none'" "$box/cmake.log"
}

needs_the_runtime_alone() {
    mkdir -p "$box/ship" && cp "$box/project/main" "$box/ship/" && cp "$box"/prefix/lib/librill.so.0 "$box/ship/" &&
        [ "$(LD_LIBRARY_PATH=$box/ship "$box/ship/main")" = "total 180" ] && du -bL "$box/ship"/*
}

write_project "$box/project"
claim it_is_installed is_installed
claim a_makefile_with_pkg_config_builds_kernels_ahead is_built_by_make
claim make_builds_them_again_when_an_included_file_changes is_built_again_when_what_it_includes_changes
claim cmake_with_rill_add_kernels_builds_them is_built_by_cmake
claim cxx_takes_them_from_a_static_library is_linked_from_a_library_in_cxx
claim a_program_ships_with_the_runtime_alone needs_the_runtime_alone
claim cmake_builds_them_again_when_an_included_file_changes is_built_again_by_cmake
claim rill_add_kernels_says_what_is_wrong says_what_is_wrong_with_rill_add_kernels
finish
