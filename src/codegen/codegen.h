// From IR to the image of a target, through LLVM. The only folder that sees LLVM; this header does not.
//
// Every task and finish of the module becomes an exported entry named after its IR function, every field an exported
// data symbol; helpers, constants and what LLVM adds stay internal. plan/abi.h says how entries are called.
//
// Threads: codegen_emit may run in several threads at once; each call has an LLVM context of its own.
// Errors: a status and the thread's message. Nothing here exits, prints or changes process state.
#ifndef RILL_CODEGEN_CODEGEN_H
#define RILL_CODEGEN_CODEGEN_H

#include "base/arena.h"
#include "ir/ir.h"
#include "rill/status.h"

#include <stdbool.h>
#include <stddef.h>

struct plan_module;

enum codegen_kind {
    CODEGEN_OBJECT, // x86-64 and AMDGPU: a relocatable ELF file; NVPTX: the text of the PTX
    CODEGEN_ASM,    // text
    CODEGEN_LLVM,   // text, as it goes to the code generator
};

// Which entries are emitted.
enum codegen_part {
    CODEGEN_ALL,
    CODEGEN_FIRST, // all but the versions in order
    CODEGEN_LATE,  // these alone
};

// All zero is the default: an optimised object for this machine.
struct codegen_options {
    const char *target; // "native" (also NULL), "x86-64", "x86-64-v2" … "-v4", "sm_90", "gfx942", "gfx942:v4", …
    enum codegen_kind kind;
    enum codegen_part part;
    bool unoptimised;     // code as it was built, for reading and for finding out whose fault it is
    bool check_bounds;    // also on if the module says so
    bool fast_math;       // reassociate, contract, assume no NaN and no infinity
    const char *sanitize; // NULL, "address" or "thread": instrument every access
    bool no_vector_math;  // the C library's scalar functions only
    bool stand_in;        // GPU objects: join the same tasks as x86-64 code, for a driver that tests stand in with
    const struct plan_module *plan; // GPUs: what to evaluate on the device; NULL: nothing. Borrowed
    const char *work_dir;           // of the debug information; NULL is "."
    uint64_t fail_after;            // tests: the n-th allocation of the emitter fails; 0: none
};

// What was made. Text is terminated by a zero byte that |size| does not count.
struct codegen_output {
    char *bytes; // owned, malloc'd
    size_t size;
    size_t own_size;       // AMDGPU objects: bytes of the ELF file; what is behind it is stand-in code
    struct loc refused_at; // RILL_ERR_COMPILE: the task that the target has no room for; the message says why
};

RILL_NODISCARD rill_status codegen_emit(const struct ir_module *module, const struct codegen_options *options,
                                        struct codegen_output *out);
// The versions in order apart from the rest, as plan/abi.h says for GPUs; all in one where they share memory.
RILL_NODISCARD rill_status codegen_emit_apart(const struct ir_module *module, const struct codegen_options *options,
                                              struct codegen_output *out);
void codegen_output_finish(struct codegen_output *out);

// RILL_OK if the target's name is known; else the message lists the known ones.
RILL_NODISCARD rill_status codegen_check_target(const char *target);

// "22.1.3": of the LLVM in use.
const char *codegen_llvm_version(void);
// The file that LLVM's code is in, in |arena|; NULL: the same as this code.
const char *codegen_llvm_library(struct arena *arena);

#endif
