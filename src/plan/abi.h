// What compiled code and the runtime agree on: how arguments lie in memory, how entries are called, and what an entry
// may call back. Shared by codegen, which emits it, and the back ends, which run it.
#ifndef RILL_PLAN_ABI_H
#define RILL_PLAN_ABI_H

#include <stdint.h>

// Arguments lie in one buffer of at most ABI_MAX_ARGS_SIZE bytes, in parameter order, each at its C alignment: scalars
// by value, structs by value, arrays as an 8-byte device address. plan_param.offset says where.
//
// The launch block is memory of one launch: the result at offset 0 if the kernel returns one, then the slots of the
// locals that cross tasks. It starts zeroed and is aligned to 64 bytes.
enum { ABI_MAX_ARGS_SIZE = 4000, ABI_MAX_BLOCK_SIZE = 64 * 1024, ABI_BLOCK_ALIGN = 64 };

enum abi_failure_kind { ABI_FAILURE_ASSERT = 1, ABI_FAILURE_BOUNDS = 2 };

// Constant data in the image: one for each place that can fail.
struct abi_failure {
    int32_t kind;
    uint32_t file; // index into the plan's files
    uint32_t line;
    uint32_t column;
    const char *text; // assert: the expression; bounds: the array's name
};

struct abi_frame;

// Services for CPU entries. Called from any worker.
struct abi_services {
    // |args| holds one 8-byte value for each conversion: integers sign- or zero-extended as the conversion wants,
    // doubles by their bits, strings as addresses that are read before the call returns.
    void (*print)(struct abi_frame *frame, int64_t iteration, const char *format, const uint64_t *args, int32_t count);
    // Notes the failure; the iteration then ends. index and extent are for bounds.
    void (*fail)(struct abi_frame *frame, const struct abi_failure *failure, int64_t iteration, int64_t index,
                 int64_t extent);
};

// One call of an entry. The runtime derives from this struct.
struct abi_frame {
    const struct abi_services *services; // borrowed
    int64_t iter_count;                  // what ITER_COUNT gives: the trip count, or the number of partial records
    void *globals;                       // reserved
};

// Every CPU entry: runs the iterations [lo, hi) of a task. |partial| is this call's partial record (tasks with
// accumulators; written at the end), or the first of frame->iter_count records (finish functions, range [0, 1)).
typedef void abi_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame);

#endif
