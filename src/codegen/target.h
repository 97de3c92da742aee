// Targets by name. A name is looked up here before LLVM sees it, since LLVM answers an unknown processor by ending the
// process or by guessing. "gfx942" is a code object of version 5, "gfx942:v4" one of version 4 for runtimes that know
// no later one.
#ifndef RILL_CODEGEN_TARGET_H
#define RILL_CODEGEN_TARGET_H

#include "rill/status.h"

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

enum target_kind { TARGET_X86, TARGET_NVPTX, TARGET_AMDGPU };

// The widest vectors that the target's math routines come in.
enum target_isa { TARGET_ISA_NONE, TARGET_ISA_SSE, TARGET_ISA_AVX2, TARGET_ISA_AVX512 };

struct target_row;

struct target {
    const struct target_row *row; // what it was made for …
    bool unoptimised;             // … and how
    enum target_kind kind;
    const char *triple;
    char cpu[64];
    char *features;   // owned by LLVM (LLVMDisposeMessage) or NULL
    bool is_stand_in; // x86-64 code for the GPU's form of the tasks, one lane a block: see codegen/stand_in.c
    enum target_kind stands_for; // is_stand_in: the GPU
    enum target_isa isa;
    bool has_f16c;                // x86: converts between float and binary16
    int code_object;              // AMDGPU: the version of the code object, 4 or 5
    LLVMTargetMachineRef machine; // owned
    char *layout;                 // owned by LLVM: the data layout as text
};

// Address spaces of the GPUs' memory; 0 is generic, and everything on a CPU.
enum { TARGET_SPACE_GENERIC = 0, TARGET_SPACE_GLOBAL = 1, TARGET_SPACE_KERNARG = 4, TARGET_SPACE_PRIVATE = 5 };

rill_status target_init(struct target *target, const char *name, bool unoptimised);
rill_status target_init_stand_in(struct target *target, bool unoptimised, enum target_kind stands_for);
void target_finish(struct target *target);
rill_status target_check_name(const char *name);

// Whether tasks take the GPU's form: threads that find their iterations, address spaces, records in the launch's frame.
static inline bool target_is_gpu(const struct target *target)
{
    return target->kind != TARGET_X86 || target->is_stand_in;
}

// Whether atomics are done by the memory that an address lies in, and not by every memory alike.
static inline bool target_has_remote(const struct target *target)
{
    return target->kind == TARGET_AMDGPU || (target->is_stand_in && target->stands_for == TARGET_AMDGPU);
}

#endif
