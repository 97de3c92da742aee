// Arrays are device memory with an element type and a shape. They hold scalars or structs, may be views of another
// array, may wrap memory from elsewhere.
//
// Threads: any array may be used from any thread, on any stream, as soon as it exists. Two uses that touch the same
// elements are ordered by a stream or an event, not by the array.
// Lifetime: an array may be destroyed at any time; its memory goes back when the work that used it has run and no view
// of it is left: when each stream on which the array or a view of it was used has come past what was queued there until
// then. Other streams are not waited for. Once an address of the memory is known to the program (rill_array_address,
// rill_array_wrap) nobody can tell which streams use it, and it waits for all streams of the context.
#ifndef RILL_ARRAY_H
#define RILL_ARRAY_H

#include "rill/context.h"
#include "rill/status.h"
#include "rill/stream.h"
#include "rill/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rill_array {
    uint64_t id; // 0 is no array: every call refuses it
} rill_array;

// An array of scalars, all zero. Extents may be 0.
RILL_API RILL_NODISCARD rill_status rill_array_create(rill_context context, rill_type type, rill_shape shape,
                                                      rill_array *out_array);
// An array of structs of |element_size| bytes each, all zero.
RILL_API RILL_NODISCARD rill_status rill_array_create_struct(rill_context context, size_t element_size,
                                                             rill_shape shape, rill_array *out_array);

// A view of |array|: |shape| elements from element |offset| on, counted in its flat order. A view keeps the memory
// alive, also after |array| is destroyed.
RILL_API RILL_NODISCARD rill_status rill_array_view(rill_array array, size_t offset, rill_shape shape,
                                                    rill_array *out_view);

// Memory from elsewhere. On the CPU any memory of the process, aligned for its elements.
typedef struct rill_wrap {
    void *memory;
    rill_type type;
    size_t element_size; // of RILL_RECORD; else 0 or the type's size
    rill_shape shape;
    // Called once when Rill no longer uses the memory, on a thread of Rill's own or in the call that let go of it: soon
    // after the last use, and before rill_close returns at the latest. May be NULL. It must not wait for Rill. Not
    // called if rill_array_wrap fails.
    void (*release)(void *user, void *memory);
    void *user;
} rill_wrap;
RILL_API RILL_NODISCARD rill_status rill_array_wrap(rill_context context, const rill_wrap *wrap, rill_array *out_array);

// The handle is stale at once. Does not wait. Takes time for each stream that used the array and is busy, not for
// others.
RILL_API RILL_NODISCARD rill_status rill_array_destroy(rill_array array);

// Names the array in the reports of RILL_ORDER_CHECK, in 47 bytes at most: it, and what shares its bytes.
RILL_API RILL_NODISCARD rill_status rill_array_label(rill_array array, const char *label);

typedef struct rill_array_info {
    rill_type type;
    size_t element_size; // bytes
    rill_shape shape;
    size_t size; // bytes in all
} rill_array_info;
RILL_API RILL_NODISCARD rill_status rill_array_describe(rill_array array, rill_array_info *out_info);

// The device address of the first element; on the CPU it can be read and written when no work that uses it is queued.
// From then on the array, once destroyed, waits for all streams of its context, also for those that never used it.
RILL_API RILL_NODISCARD rill_status rill_array_address(rill_array array, void **out_address);

// Reads or writes the first |size| bytes, in the order of |stream|; more than the array has is RILL_ERR_INVALID and
// nothing is changed.
// read waits until |host| has the data. write returns when |host| may be reused; it may wait for that.
RILL_API RILL_NODISCARD rill_status rill_array_read(rill_array array, rill_stream stream, void *host, size_t size);
RILL_API RILL_NODISCARD rill_status rill_array_write(rill_array array, rill_stream stream, const void *host,
                                                     size_t size);
// The same without waiting, however large and whatever is queued before: |host| is used until the stream has come past
// it. On a GPU pinned memory saves a copy: rill_host_alloc().
RILL_API RILL_NODISCARD rill_status rill_array_read_async(rill_array array, rill_stream stream, void *host,
                                                          size_t size);
RILL_API RILL_NODISCARD rill_status rill_array_write_async(rill_array array, rill_stream stream, const void *host,
                                                           size_t size);
// The same for |count| elements from element |offset| on, counted in the array's flat order: one element is
// rill_array_read_at(array, stream, i, &value, 1). Elements that the array does not have are RILL_ERR_INVALID, and
// nothing is changed.
RILL_API RILL_NODISCARD rill_status rill_array_read_at(rill_array array, rill_stream stream, size_t offset, void *host,
                                                       size_t count);
RILL_API RILL_NODISCARD rill_status rill_array_write_at(rill_array array, rill_stream stream, size_t offset,
                                                        const void *host, size_t count);
RILL_API RILL_NODISCARD rill_status rill_array_read_at_async(rill_array array, rill_stream stream, size_t offset,
                                                             void *host, size_t count);
RILL_API RILL_NODISCARD rill_status rill_array_write_at_async(rill_array array, rill_stream stream, size_t offset,
                                                              const void *host, size_t count);
// Sets every element to the |element_size| bytes at |element|, which are copied before the call returns.
RILL_API RILL_NODISCARD rill_status rill_array_fill(rill_array array, rill_stream stream, const void *element,
                                                    size_t element_size);
// Copies all of |source| to the start of |target|, which must have at least as many bytes. They may overlap.
RILL_API RILL_NODISCARD rill_status rill_array_copy(rill_array target, rill_array source, rill_stream stream);
// Copies all of |source| to the start of |target|, which may be of another context and so of another device: after what
// is queued on |source_stream|, and in the order of |target_stream|. Each stream is of its array's context. Between two
// contexts the call waits until the source has been read; devices that reach each other copy directly, others through
// the host.
RILL_API RILL_NODISCARD rill_status rill_array_transfer(rill_array target, rill_stream target_stream, rill_array source,
                                                        rill_stream source_stream);

// RILL_AUTO_ARRAY a = {0}; destroys the array at the end of the scope. A handle still zero is skipped.
RILL_API void rill_auto_array(rill_array *array);
#if defined(__GNUC__)
#define RILL_AUTO_ARRAY __attribute__((cleanup(rill_auto_array))) rill_array
#endif

#ifdef __cplusplus
}
#endif
#endif
