/* several
   lines */ __LINE__
a \
b __LINE__
#define two() __LINE__ __LINE__
two()
__COUNTER__ __COUNTER__
#if __LINE__ == 9 && \
    __LINE__ > 1
yes
#elif 1
no
#else
no
#endif
#line 1000
__LINE__
#line 20 "other.c"
__LINE__ __FILE__
#ifdef __has_include
#if __has_include("lines.c") && !__has_include("nothing.h")
found
#endif
#endif
