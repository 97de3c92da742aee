// NumPy's file format (read: versions 1 to 3, written: 1): a magic, a header that is a Python dictionary, the elements
// in C order.
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_HEADER = 1 << 20 };

static const char magic[] = "\x93NUMPY";

const char *npy_descr(const rill_type_info *type, char text[16])
{
    static const char *const names[] = {
        [RILL_BOOL] = "|b1", [RILL_I8] = "|i1",  [RILL_U8] = "|u1",  [RILL_I16] = "<i2", [RILL_U16] = "<u2",
        [RILL_I32] = "<i4",  [RILL_U32] = "<u4", [RILL_I64] = "<i8", [RILL_U64] = "<u8", [RILL_F32] = "<f4",
        [RILL_F64] = "<f8",  [RILL_F16] = "<f2", [RILL_BF16] = "|V2"}; // which NumPy has no name for
    if (type->kind == RILL_KIND_SCALAR) {
        snprintf(text, 16, "%s", names[type->type]);
    } else {
        snprintf(text, 16, "|V%zu", type->size);
    }
    return text;
}

static const char *find_value(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (at == NULL) {
        return NULL;
    }
    at += strlen(key);
    return at + strspn(at, ": ");
}

static bool parse_header(const char *header, struct npy *out)
{
    const char *descr = find_value(header, "'descr'");
    const char *order = find_value(header, "'fortran_order'");
    const char *shape = find_value(header, "'shape'");
    if (descr == NULL || order == NULL || shape == NULL || descr[0] != '\'' || shape[0] != '(' ||
        strncmp(order, "False", 5) != 0) {
        return false;
    }
    size_t length = strcspn(descr + 1, "'");
    if (length >= sizeof out->descr) {
        return false;
    }
    memcpy(out->descr, descr + 1, length);
    for (const char *at = shape + 1; *at != ')' && *at != '\0';) {
        char *end;
        long long extent = strtoll(at, &end, 10);
        if (end == at || extent < 0 || out->shape.rank == RILL_MAX_RANK) {
            return false;
        }
        out->shape.extents[out->shape.rank++] = extent;
        at = end + strspn(end, ", ");
    }
    return true;
}

// The start of the file, up to the elements.
static bool read_header(FILE *file, const char *path, struct npy *out)
{
    unsigned char start[12];
    bool is_npy = fread(start, 1, 10, file) == 10 && memcmp(start, magic, 6) == 0 && start[6] >= 1 && start[6] <= 3;
    bool is_long = is_npy && start[6] > 1; // later versions have four bytes for the header's size
    is_npy = is_npy && (!is_long || fread(start + 10, 1, 2, file) == 2);
    size_t size = is_npy ? start[8] | (size_t)start[9] << 8 : 0;
    size |= is_npy && is_long ? (size_t)start[10] << 16 | (size_t)start[11] << 24 : 0;
    if (!is_npy || size > MAX_HEADER) {
        cli_fail(CLI_FILE, "'%s' is no .npy file", path);
        return false;
    }
    char *header = malloc(size + 1);
    bool is_read = header != NULL && fread(header, 1, size, file) == size;
    if (is_read) {
        header[size] = '\0';
    }
    bool is_usable = is_read && parse_header(header, out);
    free(header);
    if (!is_read) {
        cli_fail(CLI_FILE, "'%s' is no .npy file", path);
    } else if (!is_usable) {
        cli_fail(CLI_FILE, "'%s': the header is not one that can be used here (C order, simple types)", path);
    }
    return is_usable;
}

int npy_open(const char *path, struct npy *out)
{
    *out = (struct npy){.path = path};
    out->file = cli_open(path);
    return out->file != NULL && read_header(out->file, path, out) ? CLI_OK : CLI_FILE;
}

int npy_read(struct npy *npy, size_t size)
{
    struct stat info;
    bool is_file = fstat(fileno(npy->file), &info) == 0 && S_ISREG(info.st_mode);
    if (is_file && (uint64_t)info.st_size < size) {
        return cli_fail(CLI_FILE, "'%s' is cut short", npy->path); // before memory is taken for it
    }
    npy->data = malloc(size + 1);
    if (npy->data == NULL) {
        return cli_fail(CLI_FILE, "'%s': no memory for %zu bytes", npy->path, size);
    }
    if (fread(npy->data, 1, size, npy->file) != size) {
        return ferror(npy->file) != 0 ? cli_fail(CLI_FILE, "cannot read '%s': %s", npy->path, strerror(errno))
                                      : cli_fail(CLI_FILE, "'%s' is cut short", npy->path);
    }
    // A pipe or a device that goes on may never end, and is not what its header says.
    return !is_file && fgetc(npy->file) != EOF ? cli_fail(CLI_FILE, "'%s' gives more than its header says", npy->path)
                                               : CLI_OK;
}

void npy_finish(struct npy *npy)
{
    cli_close(npy->file);
    free(npy->data);
    *npy = (struct npy){0};
}

int npy_write(const char *path, const char *descr, const rill_shape *shape, const void *data, size_t size)
{
    char header[512];
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < shape->rank; i++) {
        length += snprintf(header + length, sizeof header - (size_t)length, "%lld,%s", (long long)shape->extents[i],
                           i + 1 < shape->rank ? " " : "");
    }
    length += snprintf(header + length, sizeof header - (size_t)length, "), }");
    // The data starts at a multiple of 64 bytes.
    while ((10 + length + 1) % 64 != 0) {
        header[length++] = ' ';
    }
    header[length++] = '\n';
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return cli_fail(CLI_FILE, "cannot write '%s': %s", path, strerror(errno));
    }
    unsigned char start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, (unsigned char)(length >> 8)};
    bool ok = fwrite(start, 1, sizeof start, file) == sizeof start &&
              fwrite(header, 1, (size_t)length, file) == (size_t)length && fwrite(data, 1, size, file) == size;
    ok = fclose(file) == 0 && ok;
    return ok ? CLI_OK : cli_fail(CLI_FILE, "cannot write '%s': %s", path, strerror(errno));
}
