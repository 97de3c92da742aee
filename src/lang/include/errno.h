#ifndef __RILL_ERRNO_H
#define __RILL_ERRNO_H

#define EDOM 33
#define ERANGE 34
#define EILSEQ 84

// Refused where a kernel reaches it.
int *__rill_errno(void);
#define errno (*__rill_errno())

#endif
