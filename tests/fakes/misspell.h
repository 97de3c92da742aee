// A driver that lacks one function: a copy of a stand-in in which that name is spelt wrong.
#ifndef RILL_TESTS_FAKES_MISSPELL_H
#define RILL_TESTS_FAKES_MISSPELL_H

#include "test.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

static inline char *misspell_read(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *out_size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*out_size);
    bool good = fread(bytes, 1, *out_size, file) == *out_size;
    fclose(file);
    return good ? bytes : NULL;
}

// The names that the dynamic linker looks at.
static inline bool misspell_name(char *bytes, const char *name)
{
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    for (int i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes + header.e_shoff + (size_t)i * sizeof section, sizeof section);
        if (section.sh_type != SHT_STRTAB || (section.sh_flags & SHF_ALLOC) == 0) {
            continue;
        }
        char *names = bytes + section.sh_offset;
        for (size_t at = 1; at < section.sh_size; at += strlen(names + at) + 1) {
            if (strcmp(names + at, name) == 0) {
                names[at] = 'x';
                return true;
            }
        }
    }
    return false;
}

// Writes a copy of |library| without |name| to a new file, which |path| ("/tmp/...XXXXXX") is changed to.
static inline void misspell(const char *library, const char *name, char *path)
{
    size_t size = 0;
    char *bytes = misspell_read(library, &size);
    int file = mkstemp(path);
    REQUIRE(bytes != NULL && file >= 0);
    if (!misspell_name(bytes, name)) {
        FAIL("the stand-in has no name %s", name);
    }
    CHECK(write(file, bytes, size) == (ssize_t)size);
    close(file);
    free(bytes);
}

#endif
