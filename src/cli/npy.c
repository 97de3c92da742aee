// NumPy's file format (read: versions 1 to 3, written: 1): a magic, a header that is a Python dictionary, the elements
// in C order.
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

const char *npy_descr(const rill_type_info *type, char text[16])
{
    static const char *const names[] = {[RILL_BOOL] = "|b1", [RILL_I8] = "|i1",  [RILL_U8] = "|u1",  [RILL_I16] = "<i2",
                                        [RILL_U16] = "<u2",  [RILL_I32] = "<i4", [RILL_U32] = "<u4", [RILL_I64] = "<i8",
                                        [RILL_U64] = "<u8",  [RILL_F32] = "<f4", [RILL_F64] = "<f8"};
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

int npy_read(const char *path, struct npy *out)
{
    *out = (struct npy){0};
    size_t size;
    char *text = cli_read_file(path, &size);
    if (text == NULL) {
        return CLI_FILE;
    }
    const unsigned char *bytes = (const unsigned char *)text;
    bool is_npy = size >= 12 && memcmp(text, magic, 6) == 0 && bytes[6] >= 1 && bytes[6] <= 3;
    size_t start = is_npy && bytes[6] > 1 ? 12 : 10; // later versions have four bytes for the header's size
    size_t header_size = is_npy ? bytes[8] | (size_t)bytes[9] << 8 : 0;
    if (start == 12) {
        header_size |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (!is_npy || header_size > size - start) {
        free(text);
        return cli_fail(CLI_FILE, "'%s' is no .npy file", path);
    }
    char *header = malloc(header_size + 1);
    if (header == NULL) {
        free(text);
        return cli_fail(CLI_FILE, "out of memory");
    }
    memcpy(header, text + start, header_size);
    header[header_size] = '\0';
    bool ok = parse_header(header, out);
    free(header);
    if (!ok) {
        free(text);
        return cli_fail(CLI_FILE, "'%s': the header is not one that can be used here (C order, simple types)", path);
    }
    out->size = size - start - header_size;
    memmove(text, text + start + header_size, out->size);
    out->data = text;
    return CLI_OK;
}

void npy_finish(struct npy *npy)
{
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
