#!/usr/bin/env bash
# A program built with ThreadSanitizer and an ordinary librill: what is ordered is not reported, a missing event and a
# racing loop are, with the kernel's own lines.
# shellcheck disable=SC2317 # the functions are called through claim
set -u
cd "$(dirname "$0")/../.." || exit
build=${RILL_BUILD:?the build directory}
. tests/support/report.sh
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

if nm -D "$build/lib/librill.so" | grep -q -E '__(asan|tsan)_init'; then
    skip ordinary_library_under_thread_sanitizer "the library is built with a sanitizer"
    finish
fi

cat >"$box/race.c" <<'END'
#include <rill/rill.h>
#include <rill/tsan.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
RILL_TSAN_SYMBOLIZER
static const char text[] =
    "#include <rill/kernel.h>\n"
    "kernel void fill(int n, float x[n])\n"
    "{\n"
    "    for (int i = 0; i < n; i++)\n"
    "        x[i] = i;\n"
    "}\n"
    "kernel float sum(int n, const float x[n])\n"
    "{\n"
    "    float s = 0;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        s += x[i];\n"
    "    return s;\n"
    "}\n"
    "kernel void collide(int n, const int p[n], float x[n])\n"
    "{\n"
    "#pragma rill parallel\n"
    "    for (int i = 0; i < n; i++)\n"
    "        x[p[i]] = 0.5f * x[p[n - 1 - i]];\n"
    "}\n"
    "kernel void three(int n, float x[n], float y[n], float z[2 * n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) x[i] += 1; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) y[i] += 2; }\n"
    "    stream_parallel { for (int i = 0; i < 2 * n; i++) z[i] += 3; }\n"
    "}\n";
struct shared {
    rill_kernel fill;
    rill_stream stream;
    rill_array x;
};
// Threads that queue on one stream, which orders what they do to one array: more than the stream keeps in one piece.
static void *queue_much(void *user)
{
    const struct shared *s = user;
    float values[200] = {1};
    for (int i = 0; i < 1000; i++) {
        if (rill_launch(s->fill, s->stream, RILL_ARGS(200, s->x)) != RILL_OK ||
            rill_array_fill(s->x, s->stream, values, sizeof *values) != RILL_OK ||
            rill_array_write(s->x, s->stream, values, sizeof values) != RILL_OK) {
            printf("%s\n", rill_message());
        }
    }
    return NULL;
}
static rill_status run_threads(struct shared *s)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, queue_much, s);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    return rill_stream_synchronize(s->stream);
}
enum { FEW = 1000, MANY = 30000 };
static float host_values[FEW];
static void write_values(void *user, rill_status status)
{
    (void)user;
    (void)status;
    nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL); // the stream is held, and more is queued
    for (int i = 0; i < FEW; i++) {
        host_values[i] = 2;
    }
}
// What is queued behind a callback, and what the callback itself writes, is seen by whoever goes on with the stream.
static rill_status run_callbacks(struct shared *s)
{
    for (int round = 0; round < 60; round++) {
        float values[FEW];
        for (int i = 0; i < FEW; i++) {
            values[i] = (float)i;
        }
        RILL_TRY(rill_stream_callback(s->stream, write_values, NULL));
        RILL_TRY(rill_array_write(s->x, s->stream, values, sizeof values));
        RILL_TRY(rill_launch(s->fill, s->stream, RILL_ARGS(FEW, RILL_HOST(host_values, FEW))));
        RILL_TRY(rill_array_write(s->x, s->stream, values, sizeof values));
        if (round % 3 == 0) {
            RILL_TRY(rill_stream_synchronize(s->stream));
        }
    }
    return rill_stream_synchronize(s->stream);
}
// Arrays that are destroyed while several streams still use them: the last frees what the others read.
static rill_status run_destroyed(rill_context ctx, rill_kernel fill, rill_kernel sum)
{
    rill_stream streams[4];
    rill_array results[4];
    for (int i = 0; i < 4; i++) {
        RILL_TRY(rill_stream_create(ctx, NULL, &streams[i]));
        RILL_TRY(rill_array_create(ctx, RILL_F32, RILL_SHAPE(1), &results[i]));
    }
    for (int round = 0; round < 60; round++) {
        rill_array x;
        RILL_TRY(rill_array_create(ctx, RILL_F32, RILL_SHAPE(FEW), &x));
        RILL_TRY(rill_launch(fill, streams[0], RILL_ARGS(FEW, x)));
        for (int i = 1; i < 4; i++) {
            RILL_TRY(rill_stream_wait(streams[i], streams[0]));
            RILL_TRY(rill_launch_result(sum, streams[i], RILL_ARGS(FEW, x), results[i]));
        }
        RILL_TRY(rill_array_destroy(x));
    }
    return rill_sync(ctx);
}
// The third block follows the other two, which run at once.
static rill_status run_blocks(rill_context ctx, rill_kernel three)
{
    rill_array all, low, high;
    RILL_TRY(rill_array_create(ctx, RILL_F32, RILL_SHAPE(MANY), &all));
    RILL_TRY(rill_array_view(all, 0, RILL_SHAPE(MANY / 2), &low));
    RILL_TRY(rill_array_view(all, MANY / 2, RILL_SHAPE(MANY / 2), &high));
    for (int i = 0; i < 10; i++) {
        RILL_TRY(rill_launch(three, RILL_CURRENT, RILL_ARGS(MANY / 2, low, high, all)));
    }
    return rill_sync(ctx);
}
static rill_status run(const char *what)
{
    RILL_AUTO_CONTEXT ctx = {0};
    RILL_TRY(rill_open("cpu", &(rill_open_options){.thread_count = 4}, &ctx));
    rill_module m;
    rill_kernel fill, sum, collide, three;
    RILL_TRY(rill_module_create(ctx, text, &(rill_module_options){.path = "race_kernel.c"}, &m));
    RILL_TRY(rill_module_kernel(m, "fill", &fill));
    RILL_TRY(rill_module_kernel(m, "sum", &sum));
    RILL_TRY(rill_module_kernel(m, "collide", &collide));
    RILL_TRY(rill_module_kernel(m, "three", &three));
    int n = strcmp(what, "unordered") == 0 ? 2000 : 100000; // few: the sanitizer still knows where each was written
    static float host[100000];
    rill_array x, result;
    rill_stream a, b;
    rill_event done;
    RILL_TRY(rill_array_create(ctx, RILL_F32, RILL_SHAPE(n), &x));
    RILL_TRY(rill_array_create(ctx, RILL_F32, RILL_SHAPE(1), &result));
    RILL_TRY(rill_stream_create(ctx, NULL, &a));
    RILL_TRY(rill_stream_create(ctx, NULL, &b));
    RILL_TRY(rill_event_create(ctx, NULL, &done));
    if (strcmp(what, "collide") == 0) { // all places are the first one, which the compiler cannot know
        rill_array places;
        RILL_TRY(rill_array_create(ctx, RILL_I32, RILL_SHAPE(n), &places));
        for (int i = 0; i < 50; i++) {
            RILL_TRY(rill_launch(collide, a, RILL_ARGS(n, places, x)));
        }
        return rill_sync(ctx);
    }
    if (strcmp(what, "callbacks") == 0) {
        return run_callbacks(&(struct shared){fill, a, x});
    }
    if (strcmp(what, "destroyed") == 0) {
        return run_destroyed(ctx, fill, sum);
    }
    if (strcmp(what, "blocks") == 0) {
        return run_blocks(ctx, three);
    }
    if (strcmp(what, "threads") == 0) {
        return run_threads(&(struct shared){fill, a, x});
    }
    for (int i = 0; i < 20; i++) {
        RILL_TRY(rill_launch(fill, a, RILL_ARGS(n, x)));
        RILL_TRY(rill_event_record(done, a));
        if (strcmp(what, "ordered") == 0) {
            RILL_TRY(rill_event_wait(done, b));
        }
        RILL_TRY(rill_launch_result(sum, b, RILL_ARGS(n, x), result));
        RILL_TRY(rill_stream_wait(a, b));
        RILL_TRY(rill_launch(fill, a, RILL_ARGS(n, RILL_HOST(host, n))));
        RILL_TRY(rill_stream_synchronize(a));
        host[i] = 1; // the program's own access, ordered by the synchronise
    }
    return rill_sync(ctx);
}
int main(int argc, char **argv)
{
    rill_status status = run(argc > 1 ? argv[1] : "ordered");
    if (status != RILL_OK) {
        printf("%s\n", rill_message());
    }
    return status != RILL_OK;
}
END
clang-22 -std=gnu11 -g -O1 -fsanitize=thread -Iinclude "$box/race.c" -o "$box/race" -L"$build/lib" -lrill \
    -Wl,-rpath,"$build/lib" || exit 1

run_race() {
    "$box/race" "$1" >"$box/said" 2>&1
    local status=$?
    cat "$box/said"
    return $status
}

ordered_work_is_clean() { # ordered_work_is_clean WAY
    run_race "$1" && ! grep -q 'data race' "$box/said"
}

# Each under the machine's own schedule and two more: on a busy machine one thread may do it all.
schedules_are_clean() { # schedules_are_clean WAY
    run_race "$1" && ! grep -q 'data race' "$box/said" || return 1
    for seed in 1 2; do
        RILL_SCHEDULE=$seed run_race "$1" && ! grep -q 'data race' "$box/said" || return 1
    done
}

# The sanitizer reports what two threads really did. On a busy machine one thread may do it all, so a racing program is
# run under several schedules; one that shows the race is enough. The first report ends the program: to find that it has
# seen a race before costs the sanitizer as much as the first time, for each element again.
race_is_shown() {
    local what=$1 pattern
    shift
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        TSAN_OPTIONS="${TSAN_OPTIONS:-}:halt_on_error=1" RILL_SCHEDULE=$seed run_race "$what" >/dev/null
        local shown=1
        for pattern in 'data race' "$@"; do
            grep -q "$pattern" "$box/said" || shown=0
        done
        [ $shown -eq 1 ] && return 0
    done
    cat "$box/said"
    return 1
}

missing_event_is_named() {
    race_is_shown unordered 'fill.* race_kernel.c:5' 'sum.* race_kernel.c:11'
}

racing_loop_is_named() {
    race_is_shown collide 'collide.* race_kernel.c:18'
}

# The same with gcc's sanitizer and without the line that names the kernel's lines, and the line in C++.
report_needs_the_symbolizer() {
    grep -v 'RILL_TSAN_SYMBOLIZER' "$box/race.c" >"$box/plain.c"
    gcc -std=gnu11 -g -O1 -fsanitize=thread -Iinclude "$box/plain.c" -o "$box/plain" -L"$build/lib" -lrill \
        -Wl,-rpath,"$build/lib" || return 1
    mv "$box/race" "$box/race.clang" && mv "$box/plain" "$box/race"
    race_is_shown unordered '<null>' && ! grep -q 'race_kernel.c' "$box/said"
}

gcc_names_the_lines_too() {
    gcc -std=gnu11 -g -O1 -fsanitize=thread -Iinclude "$box/race.c" -o "$box/race" -L"$build/lib" -lrill \
        -Wl,-rpath,"$build/lib" || return 1
    race_is_shown unordered 'fill.* race_kernel.c:5' 'sum.* race_kernel.c:11'
}

symbolizer_is_c_in_cxx() {
    printf '#include <rill/tsan.h>\nRILL_TSAN_SYMBOLIZER\n' >"$box/line.cpp"
    g++ -Wall -Wextra -Werror -Iinclude -c "$box/line.cpp" -o "$box/line.o" &&
        nm "$box/line.o" | grep -q ' T __tsan_symbolize_external$'
}

claim ordered_streams_are_clean_under_thread_sanitizer ordered_work_is_clean ordered
claim threads_on_one_stream_are_clean_under_thread_sanitizer ordered_work_is_clean threads
claim work_behind_a_callback_is_clean_under_thread_sanitizer schedules_are_clean callbacks
claim destroyed_arrays_are_clean_under_thread_sanitizer schedules_are_clean destroyed
claim blocks_that_run_in_order_are_clean_under_thread_sanitizer schedules_are_clean blocks
claim missing_event_is_reported_with_the_kernels_lines missing_event_is_named
claim racing_loop_is_reported_with_the_kernels_lines racing_loop_is_named
claim symbolizer_line_is_for_cxx_too symbolizer_is_c_in_cxx
claim race_has_no_line_without_the_symbolizer report_needs_the_symbolizer
claim race_is_reported_with_its_lines_by_gcc_too gcc_names_the_lines_too
finish
