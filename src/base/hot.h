// For what every launch runs. A launch after a pause finds none of it in the caches: each line that its code is on
// costs it time, each page twice. So these functions lie side by side, and what they seldom do is not in between.
#ifndef RILL_BASE_HOT_H
#define RILL_BASE_HOT_H

#define HOT __attribute__((hot))
#define LIKELY(condition) __builtin_expect((condition), 1)
#define UNLIKELY(condition) __builtin_expect((condition), 0)

#endif
