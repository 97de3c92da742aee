// No guard: C says that <assert.h> looks at NDEBUG anew each time.
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __rill_assert_fail(#condition, __FILE__, __LINE__))
#endif

#ifndef __RILL_ASSERT_H
#define __RILL_ASSERT_H

void __rill_assert_fail(const char *condition, const char *file, int line);
#define static_assert _Static_assert

#endif
