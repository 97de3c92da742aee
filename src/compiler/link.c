#include "compiler/link.h"

#include "base/status.h"
#include "object/link.h"

#include <stdlib.h>
#include <string.h>

enum { TAIL_ALIGN = 16 };

static size_t aligned(size_t size)
{
    return (size + TAIL_ALIGN - 1) / TAIL_ALIGN * TAIL_ALIGN;
}

rill_status compiler_link(struct codegen_output *code)
{
    void *linked;
    size_t size;
    RILL_TRY(link_amdgpu("the kernel's code", code->bytes, code->own_size, &linked, &size));
    size_t tail = aligned(code->own_size) < code->size ? code->size - aligned(code->own_size) : 0;
    size_t whole = tail > 0 ? aligned(size) + tail : size;
    char *bytes = calloc(1, whole + 1);
    if (bytes == NULL) {
        free(linked);
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "the compiler: no memory for %zu bytes of linked code", whole);
    }
    memcpy(bytes, linked, size);
    if (tail > 0) {
        memcpy(bytes + aligned(size), code->bytes + aligned(code->own_size), tail);
    }
    free(linked);
    codegen_output_finish(code);
    *code = (struct codegen_output){.bytes = bytes, .size = whole, .own_size = size};
    return RILL_OK;
}
