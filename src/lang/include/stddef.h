#ifndef __RILL_STDDEF_H
#define __RILL_STDDEF_H

typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __SIZE_TYPE__ size_t;
typedef __WCHAR_TYPE__ wchar_t;

// As the C library has it: of the largest alignment, and as large as its members there.
typedef struct {
    _Alignas(16) long long __rill_integer;
    _Alignas(16) double __rill_float;
} max_align_t;

#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)

#endif
