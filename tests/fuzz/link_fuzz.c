// Linking an AMD code object: whatever the bytes are, there is a result or words. What was linked is a shared object
// whose segments lie inside it.
#include "object/link.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *bytes = NULL;
    size_t linked_size = 0;
    rill_status status = link_amdgpu("fuzz.o", data, size, &bytes, &linked_size);
    if ((status == RILL_OK) != (bytes != NULL) || (status != RILL_OK && rill_message()[0] == '\0')) {
        abort();
    }
    if (status == RILL_OK) {
        Elf64_Ehdr header;
        memcpy(&header, bytes, sizeof header);
        for (int i = 0; i < header.e_phnum; i++) {
            Elf64_Phdr segment;
            memcpy(&segment, (char *)bytes + header.e_phoff + (size_t)i * sizeof segment, sizeof segment);
            if (segment.p_offset > linked_size || segment.p_filesz > linked_size - segment.p_offset) {
                fprintf(stderr, "segment %d lies outside\n", i);
                abort();
            }
        }
    }
    free(bytes);
    return 0;
}
