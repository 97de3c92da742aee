#include "missing.h"
#inlcude "bad_directives.c"
#if LIMIT = 3
#elif 1 / 0
#endif
#if 1
#else
#else
#endif
#error this file is wrong on purpose
#pragma pack 2
#line nine
#ifdef A
