#include "backend/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 10000, HEAD_SIZE = 160 };

// Which process this is: its number and when it started, since numbers are used again.
static void name_process(char *out, size_t size)
{
    char text[1024] = "";
    unsigned long long start = 0;
    int handle = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t got = handle >= 0 ? read(handle, text, sizeof text - 1) : 0;
    if (handle >= 0) {
        close(handle);
    }
    text[got > 0 ? got : 0] = '\0';
    const char *at = strrchr(text, ')'); // the program's name may have spaces; the start is the 20th word behind it
    for (int i = 0; at != NULL && i < 20; i++) {
        at = strchr(at + 1, ' ');
    }
    start = at != NULL ? strtoull(at + 1, NULL, 10) : 0;
    snprintf(out, size, "%ld-%llu", (long)getpid(), start);
}

static void write_head(char *out, size_t size)
{
    char process[64];
    name_process(process, sizeof process);
    snprintf(out, size, "{\"displayTimeUnit\": \"ms\", \"process\": \"%s\", \"traceEvents\": [", process);
}

// "t.json", "t.2.json", "t.3.json"
static void number_path(const char *path, int number, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    size_t stem = dot != NULL && dot > path ? (size_t)(dot - path) : strlen(path);
    if (number == 1) {
        snprintf(out, size, "%s", path);
    } else {
        snprintf(out, size, "%.*s.%d%s", (int)stem, path, number, path + stem);
    }
}

// Whether another context of this process wrote the file, or somebody is writing it. The lock goes when it is closed.
static bool is_taken(int handle, const char *head)
{
    char text[HEAD_SIZE] = "";
    if (flock(handle, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return true;
    }
    ssize_t got = pread(handle, text, strlen(head), 0);
    return got == (ssize_t)strlen(head) && memcmp(text, head, (size_t)got) == 0;
}

static void fail(struct trace_file *file, const struct backend_host *host)
{
    char text[sizeof file->path + 128];
    snprintf(text, sizeof text, "cannot write the trace '%s': %s", file->path, strerror(errno));
    backend_log(host, BACKEND_LOG_ERROR, "%s", text);
    if (host->trace_failed != NULL) {
        host->trace_failed(host->user, text);
    }
}

// A handle of a file that is this context's alone; -1: none.
static int open_free(struct trace_file *file, const char *path, const char *head)
{
    for (int number = 1; number < MAX_FILES; number++) {
        number_path(path, number, file->path, sizeof file->path);
        int handle = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (handle < 0) { // a pipe, or a device, that takes and gives nothing back
            return open(file->path, O_WRONLY | O_CLOEXEC);
        }
        struct stat info;
        file->is_seekable = fstat(handle, &info) == 0 && S_ISREG(info.st_mode);
        if (!file->is_seekable || !is_taken(handle, head)) {
            return handle;
        }
        close(handle);
    }
    errno = EEXIST;
    return -1;
}

void trace_file_open(struct trace_file *file, const char *path, const struct backend_host *host)
{
    char head[HEAD_SIZE];
    *file = (struct trace_file){.end = 0};
    write_head(head, sizeof head);
    int handle = open_free(file, path, head);
    bool is_empty = handle >= 0 && (!file->is_seekable || ftruncate(handle, 0) == 0);
    file->file = is_empty ? fdopen(handle, "w") : NULL;
    if (file->file == NULL) {
        fail(file, host);
        if (handle >= 0) {
            close(handle);
        }
        return;
    }
    fputs(head, file->file);
    trace_file_mark_end(file);
}

FILE *trace_file_append(struct trace_file *file)
{
    if (file->file != NULL && file->is_seekable) {
        (void)(fseek(file->file, file->end, SEEK_SET) == 0); // else what follows is behind the end, and no trace
    }
    return file->file;
}

void trace_file_mark_end(struct trace_file *file)
{
    file->end = file->is_seekable ? ftell(file->file) : 0;
}

// Whoever forks finds nothing in the buffer that the child would write once more.
void trace_file_flush(struct trace_file *file, const struct backend_host *host)
{
    if (fflush(file->file) != 0 || ferror(file->file)) {
        fail(file, host);
        fclose(file->file);
        file->file = NULL;
    }
}

void trace_file_close(struct trace_file *file, const struct backend_host *host)
{
    if (file->file != NULL && fclose(file->file) != 0) {
        fail(file, host);
    }
    file->file = NULL;
}
