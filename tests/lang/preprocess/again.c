#ifndef DEPTH
#define DEPTH 0
#endif
#if DEPTH == 0
#undef DEPTH
#define DEPTH 1
zero
#include "again.c"
#elif DEPTH == 1
#undef DEPTH
#define DEPTH 2
one
#include "again.c"
#define NAME "again.c"
#define DEEPER 2
#else
two __FILE__
#endif
#if DEPTH == 2 ? 1 : 0
#undef DEPTH
#define DEPTH 3
end
#ifdef NAME
#include NAME
#endif
#endif
