#!/usr/bin/env bash
# RILL_ARGS and the headers as users see them: tests/conformance/args_test.c built by four compilers, and a C++ program.
# shellcheck disable=SC2317 # the functions are called through claim
set -u
cd "$(dirname "$0")/../.." || exit
build=${RILL_BUILD:?the build directory}
. tests/support/report.sh
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
strict="-Wall -Wextra -Wpedantic -Wshadow -Werror -D_GNU_SOURCE -Iinclude -Itests/support"

args_under() { # args_under COMPILER...
    # shellcheck disable=SC2086
    "$@" $strict tests/conformance/args_test.c -o "$box/args" -lm && "$box/args"
}

refused_by() { # a pointer that is not wrapped does not compile
    cat >"$box/wrong.c" <<'END'
#include <rill/rill.h>
rill_status f(rill_kernel k, float *p);
rill_status f(rill_kernel k, float *p) { return rill_launch(k, RILL_CURRENT, RILL_ARGS(1, p)); }
END
    ! "$@" -Iinclude -fsyntax-only "$box/wrong.c" 2>/dev/null
}

owners_clean_up() {
    cat >"$box/owners.cpp" <<'END'
#include <rill/rill.hpp>
#include <cstring>
static const char text[] = "#include <rill/kernel.h>\n"
                           "kernel void add(int n, float x[n], float by) { for (int i = 0; i < n; i++) x[i] += by; }\n";
int main()
{
    rill::context ctx = rill::open("cpu");
    rill_module module{0};
    rill::check(rill_module_create(ctx.get(), text, nullptr, &module));
    rill_kernel kernel{0};
    rill::check(rill_module_kernel(module, nullptr, &kernel));
    rill::array x = rill::make_array(ctx, RILL_F32, RILL_SHAPE(5));
    rill_array old{0};
    {
        rill::stream s = rill::make_stream(ctx);
        rill::stream moved = std::move(s);
        rill::array y = rill::make_array(ctx, RILL_F32, RILL_SHAPE(5));
        old = y.get();
        rill::check(rill_launch(kernel, moved.get(), RILL_ARGS(5, y.get(), 1)));
        rill::check(rill_launch(kernel, moved.get(), RILL_ARGS(5, x.get(), 2.5)));
    }
    rill::array other = rill::make_array(ctx, RILL_F32, RILL_SHAPE(5));
    rill::variants ways = rill::make_variants({kernel, kernel});
    rill::launch(ways, RILL_CURRENT, 5, other, 4);
    if (rill::read_at<float>(other, 4) != 4.0f) {
        return 5;
    }
    float host[5];
    rill::check(rill_array_read(x.get(), RILL_CURRENT, host, sizeof host));
    rill::write_at(x, 3, 8.0f);
    if (rill::read_at<float>(x, 3) != 8.0f || rill::module_of(kernel).id != module.id) {
        return 3;
    }
    try {
        rill::read_at<double>(x, 3);
        return 4;
    } catch (const std::invalid_argument &) {
    }
    try {
        rill::check(rill_array_destroy(old));
    } catch (const rill::error &e) {
        return host[4] == 2.5f && e.status() == RILL_ERR_STALE && std::strstr(e.what(), "was destroyed") ? 0 : 1;
    }
    return 2;
}
END
    # shellcheck disable=SC2086
    "$@" $strict "$box/owners.cpp" -o "$box/owners" -L"$build/lib" -lrill -Wl,-rpath,"$build/lib" && "$box/owners"
}

containers_are_memory() {
    cat >"$box/containers.cpp" <<'END'
#include <rill/rill.hpp>
#include <array>
#include <cstring>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif
static const char text[] =
    "#include <rill/kernel.h>\n"
    "kernel void add(int n, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] += x[i]; }\n"
    "kernel double sum(int n, const float x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    "struct pair { int a, b; };\n"
    "kernel struct pair two(void) { struct pair p = {3, 4}; return p; }\n";
struct pair {
    int a, b;
};
// A number of the same size, which would be the bits of another.
template <typename Wrong> static bool refuses_result(rill_kernel kernel, int n, const rill::array &z)
{
    try {
        (void)(n < 0 ? rill::call<Wrong>(kernel, RILL_CURRENT) : rill::call<Wrong>(kernel, RILL_CURRENT, n, z));
    } catch (const std::invalid_argument &e) {
        return std::strstr(e.what(), "what the kernel returns is of another type") != nullptr;
    }
    return false;
}
static bool refuses_element(const rill::array &z)
{
    try {
        (void)rill::read_at<unsigned>(z, 0);
    } catch (const std::invalid_argument &e) {
        return std::strstr(e.what(), "an element of the array is of another type") != nullptr;
    }
    return false;
}
static bool refuses(rill_kernel add, const std::vector<float> &fixed)
{
    try {
        rill::launch(add, RILL_CURRENT, 4, fixed, fixed);
    } catch (const rill::error &e) {
        return e.status() == RILL_ERR_ARGUMENTS && std::strstr(e.what(), "'y'") && std::strstr(e.what(), "const");
    }
    return false;
}
int main()
{
    rill::context ctx = rill::open("cpu");
    rill_module module{0};
    rill_kernel add{0}, sum{0}, two{0};
    rill::check(rill_module_create(ctx.get(), text, nullptr, &module));
    rill::check(rill_module_kernel(module, "add", &add));
    rill::check(rill_module_kernel(module, "sum", &sum));
    rill::check(rill_module_kernel(module, "two", &two));
    std::vector<float> x(4, 1.5f);
    const std::array<float, 4> by{{1, 2, 3, 4}};
    rill::array z = rill::make_array(ctx, RILL_F32, RILL_SHAPE(4));
    rill::launch(add, RILL_CURRENT, 4, by, x);
    rill::launch(add, RILL_CURRENT, 4, x, z);
    if (rill::call<double>(sum, RILL_CURRENT, 4, z) != 16 || x[3] != 5.5f) {
        return 1;
    }
#if __cplusplus >= 202002L
    rill::launch(add, RILL_CURRENT, 2, std::span<const float>(by), std::span<float>(x).subspan(2));
    rill::check(rill_sync(ctx.get()));
    if (x[2] != 5.5f || x[3] != 7.5f) {
        return 2;
    }
#endif
    if (rill::call<pair>(two, RILL_CURRENT).b != 4 || !refuses_result<long>(two, -1, z) ||
        !refuses_result<long>(sum, 4, z) || !refuses_result<unsigned long long>(sum, 4, z) || !refuses_element(z)) {
        return 4;
    }
    return refuses(add, x) ? 0 : 3;
}
END
    # shellcheck disable=SC2086
    "$@" $strict "$box/containers.cpp" -o "$box/containers" -L"$build/lib" -lrill -Wl,-rpath,"$build/lib" && "$box/containers"
}

temporary_is_refused_by() {
    cat >"$box/temporary.cpp" <<'END'
#include <rill/rill.hpp>
#include <vector>
void f(rill_kernel k) { rill::launch(k, RILL_CURRENT, std::vector<float>(4)); }
END
    ! "$@" -Iinclude -fsyntax-only "$box/temporary.cpp" 2>"$box/said" && grep -q 'give it a name' "$box/said"
}

claim a_temporary_container_is_refused_by_gxx temporary_is_refused_by g++ -std=c++11
claim a_temporary_container_is_refused_by_clangxx temporary_is_refused_by clang++-22 -std=c++20
claim arguments_are_made_by_gcc args_under gcc -std=c11
claim arguments_are_made_by_clang args_under clang-22 -std=c11
claim arguments_are_made_by_gxx args_under g++ -std=c++17 -x c++
claim arguments_are_made_in_the_oldest_language args_under g++ -std=c++11 -x c++
claim arguments_are_made_by_clangxx args_under clang++-22 -std=c++17 -x c++
claim bare_pointer_is_refused_by_gcc refused_by gcc -std=c11
claim bare_pointer_is_refused_by_clangxx refused_by clang++-22 -std=c++17 -x c++
if nm -D "$build/lib/librill.so" | grep -q -E '__(asan|tsan)_init'; then
    skip owners_clean_up_with_gxx "the library is built with a sanitizer"
else
    claim owners_clean_up_with_gxx owners_clean_up g++ -std=c++11
    claim owners_clean_up_with_clangxx owners_clean_up clang++-22 -std=c++20
    claim containers_are_memory_with_gxx containers_are_memory g++ -std=c++11
    claim containers_are_memory_with_clangxx containers_are_memory clang++-22 -std=c++20
fi
finish
