#ifndef __RILL_TIME_H
#define __RILL_TIME_H

#include <stddef.h>

typedef long clock_t;
typedef long time_t;
#define CLOCKS_PER_SEC ((clock_t)1000000)

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};

// Declared, and refused where a kernel reaches them.
clock_t clock(void);
double difftime(time_t, time_t);
time_t mktime(struct tm *);
time_t time(time_t *);
char *asctime(const struct tm *);
char *ctime(const time_t *);
struct tm *gmtime(const time_t *);
struct tm *localtime(const time_t *);
size_t strftime(char *restrict, size_t, const char *restrict, const struct tm *restrict);

#endif
