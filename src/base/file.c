#include "base/file.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rill_status read_all(const char *who, const char *path, int fd, char *text, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, text + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return status_fail(RILL_ERR_IO, "%s: cannot read '%s': %s", who, path, strerror(errno));
        }
        if (got == 0) {
            return status_fail(RILL_ERR_IO, "%s: '%s' became shorter while it was read", who, path);
        }
        done += (size_t)got;
    }
    return RILL_OK;
}

static rill_status read_open(const char *who, const char *path, int fd, char **out_text, size_t *out_size)
{
    struct stat stat;
    if (fstat(fd, &stat) != 0) {
        return status_fail(RILL_ERR_IO, "%s: cannot look at '%s': %s", who, path, strerror(errno));
    }
    if (!S_ISREG(stat.st_mode)) {
        return status_fail(RILL_ERR_IO, "%s: '%s' is not a regular file", who, path);
    }
    if (stat.st_size > FILE_MAX_SIZE) {
        return status_fail(RILL_ERR_LIMIT, "%s: '%s' has %lld bytes, more than %d", who, path, (long long)stat.st_size,
                           FILE_MAX_SIZE);
    }
    size_t size = (size_t)stat.st_size;
    char *text = malloc(size + 1);
    if (text == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the %zu bytes of '%s'", who, size, path);
    }
    rill_status status = read_all(who, path, fd, text, size);
    if (status != RILL_OK) {
        free(text);
        return status;
    }
    text[size] = '\0';
    *out_text = text;
    *out_size = size;
    return RILL_OK;
}

rill_status file_read(const char *who, const char *path, char **out_text, size_t *out_size)
{
    *out_text = NULL;
    *out_size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return status_fail(RILL_ERR_IO, "%s: cannot open '%s': %s", who, path, strerror(errno));
    }
    rill_status status = read_open(who, path, fd, out_text, out_size);
    close(fd);
    return status;
}
