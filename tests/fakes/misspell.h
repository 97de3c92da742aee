// A driver that lacks one function: a copy of a stand-in in which that name is spelt wrong. And what every loader does
// with such drivers.
#ifndef RILL_TESTS_FAKES_MISSPELL_H
#define RILL_TESTS_FAKES_MISSPELL_H

#include "rill/status.h"

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

// A function of a vendor's list.
struct misspell_need {
    const char *name;
    bool is_required;
    size_t offset; // of its member in the table
};

// Loads a driver from |path|; |out_table| is where its functions are.
typedef rill_status misspell_load(const char *path, const void **out_table);

// A driver without a function is refused by the function's name, or does without and has no such member.
static inline void misspell_each(const char *library, const struct misspell_need *needs, size_t count,
                                 misspell_load *load)
{
    int required = 0, optional = 0;
    for (size_t i = 0; i < count; i++) {
        const void *table = NULL;
        char path[] = "/tmp/rill-driver-XXXXXX";
        misspell(library, needs[i].name, path);
        rill_status status = load(path, &table);
        unlink(path);
        required += needs[i].is_required;
        optional += !needs[i].is_required;
        if (needs[i].is_required) {
            CHECK_INT(status, RILL_ERR_NO_DEVICE);
            CHECK_CONTAINS(rill_message(), needs[i].name);
            continue;
        }
        CHECK_INT(status, RILL_OK);
        void *member;
        memcpy(&member, (const char *)table + needs[i].offset, sizeof member);
        CHECK(member == NULL);
    }
    CHECK(required > 20 && optional > 5);
}

#endif
