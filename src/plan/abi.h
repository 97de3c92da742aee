// What compiled code and the runtime agree on: how arguments lie in memory, how entries are called, and what an entry
// may call back. Shared by codegen, which emits it, and the back ends, which run it.
#ifndef RILL_PLAN_ABI_H
#define RILL_PLAN_ABI_H

#include <stdbool.h>
#include <stdint.h>

// Arguments lie in one buffer of at most ABI_MAX_ARGS_SIZE bytes, in parameter order, each at its C alignment: scalars
// by value, structs by value, arrays as an 8-byte device address. plan_param.offset says where.
//
// The launch block is memory of one launch: the result at offset 0 if the kernel returns one, then the slots of the
// locals that cross tasks. It starts zeroed and is aligned to 64 bytes.
enum { ABI_MAX_ARGS_SIZE = 4000, ABI_MAX_BLOCK_SIZE = 64 * 1024, ABI_BLOCK_ALIGN = 64 };

enum abi_failure_kind {
    ABI_FAILURE_ASSERT = 1,
    ABI_FAILURE_BOUNDS = 2,
    ABI_FAILURE_RACE_READ = 3, // the access that found it reads, or is an atomic
    ABI_FAILURE_RACE_WRITE = 4,
};

// The check of races: what is noted of an access is a word. Bit 0 says that it writes and is no explicit atomic, then
// come its class, the line (0: not known) and the number of the iteration, from 1. Two accesses of one class, but for
// 0, do not race: stores of one constant, and updates of any kind, which are atomic. A record holds four words: two
// that write, two that do not. Of a failure the other's word is the extent, and the index is the element.
enum {
    ABI_RACE_RECORD_SIZE = 32,
    ABI_RACE_WRITE = 1,
    ABI_RACE_CLASS_SHIFT = 1,
    ABI_RACE_CLASS_MASK = 127,
    ABI_RACE_CLASS_UPDATE = 127, // explicit atomics; classes below are kinds of updates, lower ones are constants
    ABI_RACE_LINE_SHIFT = 8,
    ABI_RACE_LINE_MASK = 0xfffff,
    ABI_RACE_ITERATION_SHIFT = 28,
};

// Constant data in the image: one for each place that can fail.
struct abi_failure {
    int32_t kind;
    uint32_t file; // index into the plan's files
    uint32_t line;
    uint32_t column;
    const char *text; // assert: the expression; bounds: the array's name
};

struct abi_frame;

// Where a call of a CPU entry does updates that would have to be atomic: one at an address less than |limit| bytes
// behind |first| is done there, |bytes| standing for |first|, and need not be. Any other is atomic, in its own place;
// so nothing is with |limit| 0, and an index out of range does what it would do without copies.
struct abi_copy {
    uint64_t first;
    uint64_t limit;
    void *bytes;
};

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
    const struct abi_copy *copies;       // borrowed: one for each private copy of the task, plan_task.copy_count
};

// Every CPU entry: runs the iterations [lo, hi) of a task. |partial| is this call's partial record (tasks with
// accumulators; written at the end), or the first of frame->iter_count records (finish functions, range [0, 1)).
typedef void abi_entry(const void *args, void *block, int64_t lo, int64_t hi, void *partial, struct abi_frame *frame);

// CPU entries instrumented for ThreadSanitizer tell it, in place of a return address, ABI_PLACE_BIT plus the address of
// the access's place, which lies in the image. __tsan_symbolize_external turns that into names and lines.
#define ABI_PLACE_BIT (UINT64_C(1) << 60)

struct abi_place {
    const char *file;
    const char *function; // the entry
    uint32_t line;
    uint32_t column;
};

// Every GPU entry is a kernel with these parameters: the argument buffer by value (its size rounded up to 8, at least
// 8), aligned to 16; the launch block; the trip count (finish: the number of partial records); the iterations of one
// partial record; the first partial record; and the frame. Without accumulators the threads of the grid share the
// iterations, whatever the grid; with accumulators thread t runs [t * chunk, (t + 1) * chunk) and writes record t, so
// the grid has at least ceil(trip / chunk) threads. Where the accumulators merge in any order (plan_task.is_merged), it
// is block t that does so, its threads together, and all threads of the one block that the finish has merge the
// records: these blocks are whole warps. Otherwise serial tasks and finishes run on thread 0. Grids are
// one-dimensional. A task without accumulators may gather the updates of its first private copy (plan_effect.copy) in
// memory that a block shares: then the first partial record is the address that the copy stands for, and the iterations
// of a record are its bytes, at most ABI_GPU_COPY_SIZE, 0 for none. Where teams take the iterations (plan_task.team, by
// the trip count and the arguments alone) ABI_GPU_TEAM consecutive threads are one, and blocks are whole teams. In PTX,
// which has no dots in names, "k.3" is called "k$3".
//
// A trip count (finish: number of records) below 0 means that the host does not know it: the entry computes it from the
// launch block, and with it the iterations of one record. An assignment or condition of the plan over what tasks
// compute has an entry for itself, "k.n7" for node 7: it stores into the slot, or the truth of the condition as one
// byte of the launch block, at the offset that is the iterations of one record elsewhere. "rill.store" stores what is
// the trip count elsewhere: that is value, size (1, 2, 4 or 8) + 16 * offset. plan_trip_has_code() and
// plan_node_has_code() say which there are.
//
// A loop in order that stays on the device (plan_loop_is_resident()) has an entry for itself, "k.r4" for node 4: its
// blocks have ABI_GPU_MERGED_BLOCK threads at least. More than one block are launched such that all of them run at the
// same time, and meet by the 4 bytes of the launch block, zero in the beginning, at the offset that is the iterations
// of one record elsewhere. The first partial record has room for those of each of its tasks.
//
// On AMD GPUs an entry of a task that updates a caller's memory atomically (plan_task_has_remote()) assumes that this
// is memory of the device itself; "k.3.remote" (and "k.3.in_order.remote", …) is the same for memory anywhere.
#define ABI_REMOTE ".remote"

// An entry for tiles ("k.3.tile8x8") is called as the task's own is, with the same trip count. Iterations are those of
// a nest of two loops: thread p, q (the digits of its number, as if the inner loop had ABI_TILE_LANES iterations for
// each so many times |columns|, begun or full) has |rows| iterations of the outer loop from p * rows on, and in each of
// them |columns| of the inner one that lie ABI_TILE_LANES apart, so that neighbours read neighbouring elements. Both
// loops have so many iterations at least: at the end of a loop threads move back, and do what is left of their own.
enum { ABI_TILE_LANES = 32, ABI_TILE_MOST = 16 };

// The versions in order may have code of their own, which a launch loads that needs one: NVIDIA's driver takes as long
// to compile them as all the rest. Then the image's code is the first part, what is loaded late (each with a zero byte
// behind it, the second at a multiple of 16), and this at its very end.
#define ABI_GPU_LATE_MARK "rilllate"
struct abi_gpu_late {
    uint64_t first_size;
    uint64_t offset; // of the second part
    uint64_t size;
    char mark[8];
};

enum { ABI_GPU_TEXT_SIZE = 96 };

// How loops with reductions are cut, wherever it is done: by the trip count alone, so that results have the same bits.
enum { ABI_GPU_MAX_PARTIALS = 2048, ABI_GPU_MIN_CHUNK = 16, ABI_GPU_MERGED_CHUNK = 2048, ABI_GPU_CHUNK_STEP = 16 };

enum { ABI_GPU_COPY_SIZE = 8192 };

// Threads of a block that merge what they have, unless `#pragma rill block_dim` says otherwise or the device has fewer.
enum { ABI_GPU_MERGED_BLOCK = 256 };

enum { ABI_GPU_TEAM = 32 }; // on every GPU, whatever its warps: sums have bits that depend on it

// Memory of a block that one of its teams has for what its threads share, bytes, where a block has so many teams at
// most. Blocks with more of them run without teams.
enum { ABI_GPU_TEAM_LOCALS = 4096, ABI_GPU_TEAMS_MOST = 8 };

// Iterations that a block takes at once where teams lie across its warps (plan_task.team_columns): such blocks have
// ABI_GPU_TEAM times as many threads. As many doubles are 128 bytes, which memory gives at once.
enum { ABI_GPU_TEAM_COLUMNS = 16 };

// Iterations of one partial record. Where a block merges what its threads have, it has enough for all of them, and
// begins where 16 elements begin, so that wide accesses are aligned if the array is.
static inline int64_t abi_gpu_chunk(int64_t trip, bool is_merged)
{
    int64_t chunk = trip / ABI_GPU_MAX_PARTIALS + (trip % ABI_GPU_MAX_PARTIALS != 0);
    int64_t least = is_merged ? ABI_GPU_MERGED_CHUNK : ABI_GPU_MIN_CHUNK;
    chunk = chunk > least ? chunk : least;
    return is_merged ? (chunk + ABI_GPU_CHUNK_STEP - 1) / ABI_GPU_CHUNK_STEP * ABI_GPU_CHUNK_STEP : chunk;
}

// Device memory of one launch, zeroed by the host but for |record| and |print_size|. The first iteration that fails
// claims the frame, fills the record in (here, or in a struct like this one that the host can read) and publishes it;
// nothing traps. Entries that find it claimed when they begin do nothing. A launch
// of which no task can fail or print may have none: 0.
struct abi_gpu_frame {
    uint32_t claimed;
    uint32_t published;
    int32_t kind; // enum abi_failure_kind
    uint32_t file;
    uint32_t line;
    uint32_t column;
    int64_t iteration;
    int64_t index; // bounds
    int64_t extent;
    char text[ABI_GPU_TEXT_SIZE]; // as in abi_failure, cut if it is longer; terminated
    uint64_t record;              // where a failure is filled in and published; 0: here
    uint64_t print_size;          // bytes of the print buffer, which lies right behind this struct
    uint64_t print_used;          // bytes asked for; more than |print_size| if something did not fit
    uint64_t print_lost;          // calls that did not fit
};

// One call of printf in the print buffer; the next record follows |size| bytes later. Behind the struct lie the format
// (terminated, padded to 8 bytes), then one 8-byte value for each conversion as in abi_services.print, then the
// strings: the value of a %s is the offset of its terminated text from the start of the record.
struct abi_gpu_print {
    uint32_t size;        // of the whole record: a multiple of 8
    uint32_t format_size; // with terminator and padding
    uint32_t arg_count;
    uint32_t published; // 1 once the record is complete
    int64_t iteration;
};

#endif
