// The layout of the launch path: where the code and the data of a launch lie, and what is fetched ahead of it.
//
// A launch that comes after a pause finds nothing of it in the caches: to wait for each of its cache lines, and for the
// page tables of each of its pages, takes longer than all that it computes. So what a launch touches lies together, and
// what cannot be together is asked for at once. Every such measure is listed here, with the row of bench/streams that
// shows it (`build/release/bench/streams`); one that gains less than 3 % there or in bench/launch does not stay.
//
//   code    HOT, FLAT, LAUNCH_PART, LAUNCH_PAGE below: one stretch of   "enqueue, threads asleep"
//           code for the runtime's part and one for the back end's, on
//           two pages; rill_whole_options in cmake/RillFolders.cmake
//           optimise librill.so as a whole, so that they can be
//   data    BACKEND_DEVICE_FRONT, BACKEND_STREAM_FRONT (backend.h):      "enqueue, threads asleep"
//           what a launch reads of a device and a stream is at its
//           front, on one page; runtime/context.c: the first context in
//           static memory that is its own fork mark, one page less
//   fetch   fetch_for_reading() in runtime/launch.c, only while all      "enqueue, threads asleep"
//           workers sleep: the lines of both
//   fetch   fetch_for_writing() in cpu/segment.c: the lines of the next  "enqueue, threads awake"
//           operation, which a worker has had
//   wake    thread_wake() makes its system call itself: the C library's  "enqueue, threads asleep"
//           wrapper is two more pages
#ifndef RILL_BASE_HOT_H
#define RILL_BASE_HOT_H

#include <stddef.h>

// What every launch runs. What it seldom does is not in between: noinline, and cold where it is an error.
#define HOT __attribute__((hot))
// All that it calls becomes part of it, but for what is noinline: calls that save and restore registers are a third of
// what a launch would run.
#define FLAT __attribute__((flatten))
// The functions that a launch is, the runtime's and the back end's, lie one behind the other, on two pages.
#define LAUNCH_PART FLAT __attribute__((hot, section(".text.hot.launch")))
#define LAUNCH_PAGE __attribute__((aligned(4096)))
#define LIKELY(condition) __builtin_expect((condition), 1)
#define UNLIKELY(condition) __builtin_expect((condition), 0)

enum {
    HOT_LINE = 64,
    HOT_PART_SIZE = 3328, // bytes of code of either half of a launch; more is fetched in vain, less is waited for
};

// Asks for cache lines that will be read soon. An address that is wrong does no harm.
static inline void fetch_for_reading(const void *memory, size_t size)
{
    for (size_t i = 0; i < size; i += HOT_LINE) {
        const char *line = (const char *)memory + i;
        __builtin_prefetch(line, 0, 2);
        __asm__ volatile("" : : "r"(line)); // or gcc leaves out the call, as one that changes nothing
    }
}

// The same for lines that will be written.
static inline void fetch_for_writing(char *memory, size_t size)
{
    for (size_t i = 0; i < size; i += HOT_LINE) {
#if defined(__x86_64__)
        __asm__ volatile("prefetchw %0" : : "m"(memory[i])); // does nothing where it is not known
#else
        __builtin_prefetch(memory + i, 1);
#endif
    }
}

#endif
