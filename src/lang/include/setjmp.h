#ifndef __RILL_SETJMP_H
#define __RILL_SETJMP_H

typedef struct __rill_jmp_buf {
    long __registers[25];
} jmp_buf[1];

// Declared, and refused where a kernel reaches them.
int __rill_setjmp(jmp_buf);
void longjmp(jmp_buf, int);
#define setjmp(environment) __rill_setjmp(environment)

#endif
