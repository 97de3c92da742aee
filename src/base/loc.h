// A place in the source. |file| indexes the compile's list of files; line and column count from 1; line 0 is "nowhere".
#ifndef RILL_BASE_LOC_H
#define RILL_BASE_LOC_H

#include <stdint.h>

struct loc {
    uint32_t file;
    uint32_t line;
    uint32_t column;
};

#endif
