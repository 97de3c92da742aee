// The file of a trace: a name that nobody else writes to, and an end that is overwritten by what follows.
#ifndef RILL_BACKEND_TRACE_FILE_H
#define RILL_BACKEND_TRACE_FILE_H

#include "backend/backend.h"

#include <stdio.h>

struct trace_file {
    FILE *file;       // owned; NULL: it could not be opened, or written
    bool is_seekable; // else the end is written once, when the file is closed
    long end;         // where the next event goes
    char path[4096];
};

// Opens |path|, or, where another context of this process has written there, or a process is writing there now, the
// next of "path.2.json", "path.3.json", … that is free. A failure is
// logged and told to the host, here and in what follows.
void trace_file_open(struct trace_file *file, const char *path, const struct backend_host *host);
// To write events to, at the end of those that are there; NULL: the file is none.
FILE *trace_file_append(struct trace_file *file);
void trace_file_mark_end(struct trace_file *file); // what is written from here on is overwritten by the next event
void trace_file_flush(struct trace_file *file, const struct backend_host *host);
void trace_file_close(struct trace_file *file, const struct backend_host *host);

#endif
