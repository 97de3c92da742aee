#!/usr/bin/env bash
# The Debian package, installed by dpkg on a copy of this system that has neither the tree nor a build: somebody who has
# never run Rill builds a project with it. The copy is an overlay, which takes root and a kernel that allows it.
# shellcheck disable=SC2317 # the functions are called through claim
set -u
cd "$(dirname "$0")/../.." || exit
build=${RILL_BUILD:?the build directory}
. tests/support/report.sh
. tests/release/project.sh
box=${1:-}

in_copy() {
    chroot "$box/copy" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

as_user() {
    chroot --userspec=12345:12345 "$box/copy" env -i PATH=/usr/bin:/bin HOME=/home/fresh LC_ALL=C.UTF-8 \
        bash -c "cd /home/fresh/project && $1"
}

makes_a_copy() {
    mount -t tmpfs none "$box" && mkdir "$box/above" "$box/work" "$box/copy" &&
        mount -t overlay none -o "lowerdir=/,upperdir=$box/above,workdir=$box/work" "$box/copy" &&
        mount -t tmpfs none "$box/copy/tmp" && mount -t tmpfs none "$box/copy$PWD" &&
        mount --rbind /dev "$box/copy/dev" && mount --rbind /proc "$box/copy/proc" &&
        chmod 1777 "$box/copy/tmp" && write_project "$box/copy/home/fresh/project" &&
        chown -R 12345:12345 "$box/copy/home/fresh"
}

is_installed() {
    cp "$1" "$box/copy/tmp/rill.deb" && in_copy dpkg -i /tmp/rill.deb && in_copy dpkg -s rill | grep -q '^Status: install ok' &&
        in_copy ldconfig -p | grep -q 'librill.so.0 '
}

# The command for somebody without a folder of Rill's, and the papers.
has_its_command() {
    as_user 'rill doctor --quick && [ ! -e ~/.cache/rill ] && rill run heat.c heat --set n=8 && [ -d ~/.cache/rill ]' &&
        in_copy test -f /usr/share/man/man1/rill.1 && in_copy test -f /usr/share/bash-completion/completions/rill &&
        in_copy bash -c '. /usr/share/bash-completion/completions/rill && complete -p rill'
}

builds_by_make() {
    as_user 'make && [ "$(./main)" = "total 135" ] && ldd ./main | grep "librill.so.0 => /.*lib/librill.so.0"'
}

builds_by_cmake() {
    as_user 'rm heat.h && cmake -S . -B build >/dev/null && cmake --build build && [ "$(build/client)" = "total 135" ] &&
        [ "$(build/client_cxx)" = "total 60" ]'
}

builds_in_cxx() {
    as_user 'rill build heat.c && g++ -std=c++20 -Wall -Wextra -Wpedantic -Werror main.cpp heat.o $(pkg-config --cflags --libs rill) -o cxx &&
        [ "$(./cxx)" = "total 60" ]'
}

leaves_nothing() {
    in_copy dpkg -r rill && ! in_copy sh -c 'ls -d /usr/include/rill /usr/lib/librill* /usr/lib/cmake/rill /usr/share/doc/rill /usr/bin/rill' 2>/dev/null
}

if [ -n "$box" ]; then # on the copy's side
    claim a_copy_of_this_system_is_made makes_a_copy
    claim dpkg_installs_the_package is_installed "$2"
    claim a_fresh_user_has_the_command_its_page_and_completion has_its_command
    claim a_fresh_user_builds_by_make_and_pkg_config builds_by_make
    claim a_fresh_user_builds_by_cmake builds_by_cmake
    claim a_fresh_user_builds_in_cxx builds_in_cxx
    claim dpkg_removes_all_of_it leaves_nothing
    finish
fi

box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/copy" "$box/trial"
# shellcheck disable=SC2016 # for the other shell
if [ ! -e /etc/debian_version ] || ! command -v dpkg cpack chroot unshare >/dev/null; then
    skip dpkg_installs_the_package "this is no Debian"
elif ! unshare -m sh -c 'mount -t tmpfs none "$0" && mkdir "$0/a" "$0/b" "$0/c" &&
        mount -t overlay none -o "lowerdir=/,upperdir=$0/a,workdir=$0/b" "$0/c"' "$box/trial" 2>/dev/null; then
    skip dpkg_installs_the_package "no overlay can be made here"
else
    cpack -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip --config "$build/CPackConfig.cmake" -B "$box/deb" >"$box/log" 2>&1 || cat "$box/log"
    cp "$box"/deb/*.deb "$box/rill.deb"
    mkdir "$box/system"
    unshare -m "$0" "$box/system" "$box/rill.deb" || report_status=1
fi
finish
