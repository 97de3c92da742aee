// Numbers, texts and bytes in a row, written and read back: what entries of the cache and packages are made of. A text
// has its length before it and a zero behind, so that what is read can point into the bytes.
#ifndef RILL_RUNTIME_SERIAL_H
#define RILL_RUNTIME_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct serial_writer {
    unsigned char *bytes; // borrowed, with room; NULL: it is only counted
    size_t used;
};

void serial_put(struct serial_writer *writer, const void *bytes, size_t size);
void serial_put_number(struct serial_writer *writer, uint64_t number);
void serial_put_text(struct serial_writer *writer, const char *text); // NULL is written as ""

struct serial_reader {
    const unsigned char *bytes; // borrowed: what is left
    size_t left;
    bool is_bad; // something did not fit: all that is read from then on is 0, "" and NULL
};

const void *serial_take(struct serial_reader *reader, uint64_t size);
uint64_t serial_take_number(struct serial_reader *reader, uint64_t most);
const char *serial_take_text(struct serial_reader *reader);

#endif
