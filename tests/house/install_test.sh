#!/usr/bin/env bash
# tools/install-deps against a pretended machine: it says what and how much before it installs, is quiet when there is
# nothing to do, and explains itself where it cannot install.
# shellcheck disable=SC2317 # the functions are called through claim
set -u
cd "$(dirname "$0")/../.." || exit
. tests/support/report.sh
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

# A PATH with the plain tools the script itself uses, and whatever the case adds.
for tool in bash cat env grep id mktemp paste rm sed; do
    ln -s "$(command -v "$tool")" "$box/$tool"
done

add() { # add NAME BODY: a command of the pretended machine
    rm -f "$box/$1" # it may be a link to the real one
    printf '#!/bin/bash\n%s\n' "$2" >"$box/$1"
    chmod +x "$box/$1"
}

run() {
    PATH=$box bash tools/install-deps "$@" >"$box/out" 2>&1
    local status=$?
    cat "$box/out"
    return "$status"
}

explains_without_apt() {
    run && return 1
    grep -q 'There is no apt-get' "$box/out" && grep -q 'Missing: gcc, g++, cmake, ninja, LLVM 22' "$box/out" &&
        grep -q 'RILL_LLVM_CONFIG=/path/to/llvm-config' "$box/out"
}

takes_tools_of_the_users_own() {
    local tool
    for tool in gcc g++ cmake ninja; do
        add "$tool" true
    done
    add my-llvm 'echo 22.1.0'
    RILL_LLVM_CONFIG=$box/my-llvm run || return 1
    add my-llvm 'echo 19.1.0'
    ! RILL_LLVM_CONFIG=$box/my-llvm run
}

says_how_much_before_it_installs() {
    # The pretended apt-get notes each call and what the script had printed by then.
    add dpkg-query 'echo "gcc installed"'
    add id 'echo 0'
    # shellcheck disable=SC2016
    add apt-get 'echo "$*" >>"$BOX/calls"
        case "$*" in
        *--assume-no*) printf "Need to get 12.3 MB of archives.\nAfter this operation, 45 MB of additional disk space will be used.\n"; exit 1 ;;
        *-s\ *) printf "Inst cmake (3)\nInst ninja-build (1)\n" ;;
        *-y*) cp_out=$(cat "$BOX/out"); echo "$cp_out" >"$BOX/said" ;;
        esac'
    BOX=$box run || return 1
    grep -q 'not installed: g++ libc6-dev make cmake' "$box/said" &&
        grep -q 'Installing 2 packages, .*: 12.3 MB to download, 45 MB on disk' "$box/said" &&
        head -1 "$box/calls" | grep -q update && [ "$(grep -c -- -y "$box/calls")" = 1 ]
}

says_why_when_apt_refuses() {
    # shellcheck disable=SC2016
    add apt-get 'case "$*" in *install*) echo "E: Unable to locate package llvm-22-dev"; exit 100 ;; esac'
    run && return 1
    grep -q 'Unable to locate package' "$box/out" && grep -q 'bookworm-security main' "$box/out"
}

is_quiet_when_all_is_there() {
    # shellcheck disable=SC2016
    add dpkg-query 'shift 2; for name in "$@"; do echo "$name installed"; done'
    add apt-get 'echo called; exit 1'
    run test && [ ! -s "$box/out" ]
}

claim explains_without_apt explains_without_apt
claim takes_tools_of_the_users_own takes_tools_of_the_users_own
claim says_how_much_before_it_installs says_how_much_before_it_installs
claim says_why_when_apt_refuses says_why_when_apt_refuses
claim is_quiet_when_all_is_there is_quiet_when_all_is_there
finish
