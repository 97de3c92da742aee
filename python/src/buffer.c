// Python's buffer protocol, whose functions older headers leave out of the stable ABI.
#include "core.h"

#include <string.h>

int PyObject_CheckBuffer(PyObject *object);
int PyObject_GetBuffer(PyObject *object, struct buffer *view, int flags);
void PyBuffer_Release(struct buffer *view);
int PyBuffer_IsContiguous(const struct buffer *view, char order);

int buffer_is_offered(PyObject *object)
{
    return PyObject_CheckBuffer(object);
}

int buffer_get(PyObject *object, struct buffer *buffer, int flags)
{
    return PyObject_GetBuffer(object, buffer, flags);
}

void buffer_release(struct buffer *buffer)
{
    PyBuffer_Release(buffer);
}

bool buffer_is_contiguous(const struct buffer *buffer)
{
    return PyBuffer_IsContiguous(buffer, 'C') != 0;
}

// The letter says what a number is, its size how wide: `l` has 4 bytes in one notation and 8 in another.
int buffer_type(const char *format, Py_ssize_t itemsize)
{
    static const int signed_types[] = {-1, RILL_I8, RILL_I16, -1, RILL_I32, -1, -1, -1, RILL_I64};
    static const int unsigned_types[] = {-1, RILL_U8, RILL_U16, -1, RILL_U32, -1, -1, -1, RILL_U64};
    static const int float_types[] = {-1, -1, RILL_F16, -1, RILL_F32, -1, -1, -1, RILL_F64};
    if (format == NULL) {
        return itemsize == 1 ? RILL_U8 : -1;
    }
    if (format[0] == '<' || format[0] == '=' || format[0] == '@' || (format[0] == '>' && itemsize == 1) ||
        format[0] == '|') {
        format++;
    }
    if (format[0] == 'T' && format[1] == '{') {
        return RILL_RECORD;
    }
    if (format[0] == '\0' || format[1] != '\0' || itemsize < 1 || itemsize > 8) {
        return -1;
    }
    if (format[0] == '?') {
        return RILL_BOOL;
    }
    if (strchr("cbhilqn", format[0]) != NULL) {
        return signed_types[itemsize];
    }
    if (strchr("BHILQN", format[0]) != NULL) {
        return unsigned_types[itemsize];
    }
    return strchr("efd", format[0]) != NULL ? float_types[itemsize] : -1;
}
