// Memory of the host that a device copies from and to without a detour: pinned by the driver of a GPU, plain aligned
// memory on the CPU. A copy to or from other memory goes through pinned memory of Rill's own, piece by piece; one of
// this memory (the _async forms of array.h, RILL_HOST of args.h) is one copy that the device makes while the host does
// other things, and may be captured into a graph.
//
// Pinned memory is taken from the whole system: allocate it once and use it again.
//
// Threads: any thread may allocate, and free what another has allocated. The memory itself is ordinary memory.
// Lifetime: it dies with its context at the latest.
#ifndef RILL_HOST_H
#define RILL_HOST_H

#include "rill/context.h"
#include "rill/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// |size| bytes, aligned to 64 at least; what they hold is not specified. A size of 0 gives an address that is freed
// like others. On the CPU the memory is of the context's allocator.
RILL_API RILL_NODISCARD rill_status rill_host_alloc(rill_context context, size_t size, void **out_memory);

// Frees what rill_host_alloc() gave out for |context|: the address that it gave, once; NULL is skipped. Does not wait
// for work: copies and launches that are queued may still use the memory, which is free once every stream of the
// context has come past what was queued on it until now. The program itself must not touch it any more. Memory for
// which that comes later goes back to the system with the next rill_host_alloc(), rill_host_free() or
// rill_context_trim() that no callback makes, as that may wait for the device, or with its context.
RILL_API RILL_NODISCARD rill_status rill_host_free(rill_context context, void *memory);

// Between the two the program reads, or with |writes| writes, memory of the host that it also gives to Rill (RILL_HOST,
// the _async forms): RILL_ORDER_CHECK reports launches and copies that use it meanwhile and for which the program has
// not waited. In other contexts nothing happens. Any number may be open at a time.
RILL_API RILL_NODISCARD rill_status rill_host_access_begin(rill_context context, const void *memory, size_t size,
                                                           bool writes);
RILL_API RILL_NODISCARD rill_status rill_host_access_end(rill_context context, const void *memory);

#ifdef __cplusplus
}
#endif
#endif
