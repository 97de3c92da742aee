// For what every launch runs. A launch after a pause finds none of it in the caches: each line that its code is on
// costs it time, each page twice. So these functions lie side by side, and what they seldom do is not in between.
#ifndef RILL_BASE_HOT_H
#define RILL_BASE_HOT_H

#define HOT __attribute__((hot))
// All that it calls becomes part of it, but for what is noinline: calls that save and restore registers are a third of
// what a launch would run.
#define FLAT __attribute__((flatten))
// The functions that a launch is, the runtime's and the back end's, lie one behind the other, on two pages.
#define LAUNCH_PART FLAT __attribute__((hot, section(".text.hot.launch")))
#define LAUNCH_PAGE __attribute__((aligned(4096)))
#define LIKELY(condition) __builtin_expect((condition), 1)
#define UNLIKELY(condition) __builtin_expect((condition), 0)

#endif
