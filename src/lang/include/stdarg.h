#ifndef __RILL_STDARG_H
#define __RILL_STDARG_H

// Functions with variable arguments may stand in a file; a kernel that reaches one is refused.
typedef struct __rill_va_list {
    void *__next;
} va_list;

void __rill_va_start(va_list *);
void *__rill_va_arg(va_list *);

#define va_start(list, last) __rill_va_start(&(list))
#define va_arg(list, type) (*(type *)__rill_va_arg(&(list)))
#define va_copy(to, from) ((void)((to) = (from)))
#define va_end(list) ((void)(list))

#endif
