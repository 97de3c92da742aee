// What the tasks of one launch print. A parallel task's calls come from all workers in any order; they are kept as
// records and put into the serial order, iteration by iteration, when the task has ended.
#ifndef RILL_BACKEND_CPU_PRINT_H
#define RILL_BACKEND_CPU_PRINT_H

#include "base/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct backend_device;

struct print_record {
    int64_t iteration;
    uint64_t sequence; // order of arrival, which within an iteration is the serial order
    size_t offset;     // into |text|
    size_t length;
};

struct print_log {
    struct thread_mutex lock;
    struct print_record *records; // owned, guarded by lock
    size_t record_count;
    size_t record_capacity;
    size_t ordered_count; // of the records: they belong to tasks that have ended
    char *text;           // owned, guarded by lock
    size_t text_size;
    size_t text_capacity;
    _Atomic uint64_t lost_count; // calls since the last flush, which says it
};

void print_init(struct print_log *log);
void print_finish(struct backend_device *device, struct print_log *log);

// Formats one call and keeps it. Without memory the call is lost and counted, and the next flush says so.
void print_add(struct backend_device *device, struct print_log *log, int64_t iteration, const char *format,
               const uint64_t *args, int count);
// Puts the records of the task that has just ended in order. They stay until print_flush().
void print_order(struct print_log *log);
// Hands the text to the host and empties the log.
void print_flush(struct backend_device *device, struct print_log *log);

#endif
