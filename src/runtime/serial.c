#include "runtime/serial.h"

#include <string.h>

void serial_put(struct serial_writer *writer, const void *bytes, size_t size)
{
    if (writer->bytes != NULL && size > 0) {
        memcpy(writer->bytes + writer->used, bytes, size);
    }
    writer->used += size;
}

void serial_put_number(struct serial_writer *writer, uint64_t number)
{
    serial_put(writer, &number, sizeof number);
}

void serial_put_text(struct serial_writer *writer, const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    serial_put_number(writer, length);
    serial_put(writer, text != NULL ? text : "", length + 1);
}

const void *serial_take(struct serial_reader *reader, uint64_t size)
{
    const void *at = reader->bytes;
    if (reader->is_bad || size > reader->left) {
        reader->is_bad = true;
        return NULL;
    }
    reader->bytes += size;
    reader->left -= (size_t)size;
    return at;
}

uint64_t serial_take_number(struct serial_reader *reader, uint64_t most)
{
    uint64_t number = 0;
    const void *at = serial_take(reader, sizeof number);
    if (at != NULL) {
        memcpy(&number, at, sizeof number);
    }
    reader->is_bad = reader->is_bad || number > most;
    return reader->is_bad ? 0 : number;
}

const char *serial_take_text(struct serial_reader *reader)
{
    uint64_t length = serial_take_number(reader, SIZE_MAX - 1);
    const char *text = serial_take(reader, length + 1);
    if (text == NULL || memchr(text, '\0', (size_t)length + 1) != text + length) {
        reader->is_bad = true;
        return "";
    }
    return text;
}
