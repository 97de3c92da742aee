// Links one relocatable object for AMD GPUs (what LLVM emits for amdgcn-amd-amdhsa) into the shared object that the HIP
// runtime loads: segments, dynamic symbols with their hash table, the metadata's note, relocations applied. In memory,
// and for this one purpose: a single object, nothing undefined, no libraries. What it makes is what `ld.lld -shared
// --hash-style=sysv -z norelro --strip-all` makes of the same object, and a test holds it to that byte by
// byte; debugging information is left out.
//
// The bytes are not trusted: whatever they hold, linking either works or fails with words.
#ifndef RILL_OBJECT_LINK_H
#define RILL_OBJECT_LINK_H

#include "rill/status.h"

#include <stddef.h>

// |name| is for messages. *out_bytes is the caller's to free().
RILL_NODISCARD rill_status link_amdgpu(const char *name, const void *bytes, size_t size, void **out_bytes,
                                       size_t *out_size);

#endif
