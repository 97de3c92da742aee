# shellcheck shell=bash
# A project outside of the tree, as a user would write one: a Makefile with pkg-config, a CMakeLists.txt, C and C++, and
# kernels that are built ahead of time. Sourced, not run.

# write_project FOLDER
write_project() {
    local to=$1
    mkdir -p "$to"
    cat >"$to/scale.h" <<'END'
#define FACTOR 3
END
    cat >"$to/heat.c" <<'END'
#include <rill/kernel.h>
#include "scale.h"
kernel void heat(int n, const float a[n], float b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = FACTOR * a[i];
    }
}
kernel long total(int n, const float b[n])
{
    long t = 0;
    for (int i = 0; i < n; i++) {
        t += (long)b[i];
    }
    return t;
}
END
    cat >"$to/main.c" <<'END'
#include "heat.h"
#include <stdio.h>

static rill_status run(long *out)
{
    RILL_AUTO_CONTEXT ctx = {0};
    RILL_TRY(rill_open("cpu", NULL, &ctx));
    float a[10], b[10];
    for (int i = 0; i < 10; i++) {
        a[i] = i;
    }
    RILL_TRY(heat(RILL_CURRENT, 10, a, b));
    return total(RILL_CURRENT, 10, b, out);
}

int main(void)
{
    long t = 0;
    if (run(&t) != RILL_OK) {
        puts(rill_message());
        return 1;
    }
    printf("total %ld\n", t);
    return 0;
}
END
    cat >"$to/main.cpp" <<'END'
#include "heat.h"
#include <rill/rill.hpp>
#include <cstdio>
#include <vector>

int main()
{
    rill::context ctx = rill::open("cpu");
    rill::array b = rill::make_array(ctx, RILL_F32, RILL_SHAPE(10));
    const std::vector<float> a(10, 2.0f);
    long t = 0;
    rill::check(heat(RILL_CURRENT, 10, a, b));
    rill::check(total(RILL_CURRENT, 10, b, &t));
    std::printf("total %ld\n", t);
}
END
    cat >"$to/Makefile" <<'END'
CFLAGS = -std=c99 -Wall -Werror $(shell pkg-config --cflags rill)
LDLIBS = $(shell pkg-config --libs rill) $(shell pkg-config --variable=rpath rill)
RILL = $(shell pkg-config --variable=rill rill)

main: main.o heat.o
main.o: heat.h
heat.o heat.h &: heat.c
	$(RILL) build heat.c --target cpu,sm_80,gfx942 --depfile heat.d
-include heat.d
END
    cat >"$to/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(client C CXX)
find_package(rill 0.1 REQUIRED)
add_executable(client main.c)
target_link_libraries(client rill::rill)
rill_add_kernels(client heat.c TARGETS cpu sm_90)
add_library(kernels STATIC empty.c)
rill_add_kernels(kernels heat.c NO_SOURCE OPTIONS --check=bounds)
add_executable(client_cxx main.cpp)
target_link_libraries(client_cxx PRIVATE kernels rill::rill)
END
    echo 'int unused_empty;' >"$to/empty.c"
}
