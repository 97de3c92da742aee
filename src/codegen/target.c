#include "codegen/target.h"

#include "base/status.h"

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// X(name). What LLVM 22 knows and Rill has looked at; an architecture that is missing here only has to be added.
#define TARGET_X86_LIST(X)                                                                                             \
    X("x86-64")                                                                                                        \
    X("x86-64-v2")                                                                                                     \
    X("x86-64-v3")                                                                                                     \
    X("x86-64-v4")
#define TARGET_NVPTX_LIST(X)                                                                                           \
    X("sm_60")                                                                                                         \
    X("sm_61")                                                                                                         \
    X("sm_62")                                                                                                         \
    X("sm_70")                                                                                                         \
    X("sm_72")                                                                                                         \
    X("sm_75")                                                                                                         \
    X("sm_80")                                                                                                         \
    X("sm_86")                                                                                                         \
    X("sm_87")                                                                                                         \
    X("sm_89")                                                                                                         \
    X("sm_90")                                                                                                         \
    X("sm_90a")                                                                                                        \
    X("sm_100")                                                                                                        \
    X("sm_100a")                                                                                                       \
    X("sm_101")                                                                                                        \
    X("sm_103")                                                                                                        \
    X("sm_120")                                                                                                        \
    X("sm_121")
#define TARGET_AMDGPU_LIST(X)                                                                                          \
    X("gfx900")                                                                                                        \
    X("gfx902")                                                                                                        \
    X("gfx904")                                                                                                        \
    X("gfx906")                                                                                                        \
    X("gfx908")                                                                                                        \
    X("gfx909")                                                                                                        \
    X("gfx90a")                                                                                                        \
    X("gfx90c")                                                                                                        \
    X("gfx942")                                                                                                        \
    X("gfx950")                                                                                                        \
    X("gfx1010")                                                                                                       \
    X("gfx1011")                                                                                                       \
    X("gfx1012")                                                                                                       \
    X("gfx1013")                                                                                                       \
    X("gfx1030")                                                                                                       \
    X("gfx1031")                                                                                                       \
    X("gfx1032")                                                                                                       \
    X("gfx1033")                                                                                                       \
    X("gfx1034")                                                                                                       \
    X("gfx1035")                                                                                                       \
    X("gfx1036")                                                                                                       \
    X("gfx1100")                                                                                                       \
    X("gfx1101")                                                                                                       \
    X("gfx1102")                                                                                                       \
    X("gfx1103")                                                                                                       \
    X("gfx1150")                                                                                                       \
    X("gfx1151")                                                                                                       \
    X("gfx1152")                                                                                                       \
    X("gfx1153")                                                                                                       \
    X("gfx1200")                                                                                                       \
    X("gfx1201")

struct target_row {
    const char *name;
    enum target_kind kind;
};

static const struct target_row target_rows[] = {
#define TARGET_ROW(name) {name, TARGET_X86},
    TARGET_X86_LIST(TARGET_ROW)
#undef TARGET_ROW
#define TARGET_ROW(name) {name, TARGET_NVPTX},
        TARGET_NVPTX_LIST(TARGET_ROW)
#undef TARGET_ROW
#define TARGET_ROW(name) {name, TARGET_AMDGPU},
            TARGET_AMDGPU_LIST(TARGET_ROW)
#undef TARGET_ROW
};

enum { TARGET_ROW_COUNT = sizeof target_rows / sizeof target_rows[0] };

static const struct target_row native_row = {"native", TARGET_X86};

// LLVM's registry of targets is the process's own and filling it is not safe in two threads at once.
static pthread_once_t targets_once = PTHREAD_ONCE_INIT;

// Loop strength reduction takes a quarter of a compile. Measured over bench/kernels it makes no code faster: addresses
// in loops are plain inductions before it runs. Variables have no debug information, so that following their values is
// work for nothing, and more than linear in the number of blocks: the older way of doing it looks for them first. The
// switches are LLVM's own, and LLVM is this library's own in a release.
//
// A loop over a constant table (the 19 or 27 directions of a lattice, the offsets of neighbours) becomes a fraction of
// its code where it is unrolled: LLVM looks ahead for that, but by itself no further than ten iterations.
static void set_switches(void)
{
    static const char *const words[] = {"rill", "-disable-lsr", "-experimental-debug-variable-locations=false",
                                        "-unroll-max-iteration-count-to-analyze=32"};
    LLVMParseCommandLineOptions(sizeof words / sizeof words[0], words, "");
}

// ---- kept machines
// --------------------------------------------------------------------------------------------------------------------

// Making a machine, and what it then finds out about its processor, is a twentieth of a small compile. A machine serves
// any number of modules, one at a time: each thread keeps the one it used last.
static pthread_key_t kept_key; // both set once, with the targets
static bool kept_works;

static void dispose(struct target *target)
{
    if (target->machine != NULL) {
        LLVMDisposeTargetMachine(target->machine);
    }
    if (target->features != NULL) {
        LLVMDisposeMessage(target->features);
    }
    if (target->layout != NULL) {
        LLVMDisposeMessage(target->layout);
    }
    *target = (struct target){0};
}

static void dispose_kept(void *value)
{
    dispose(value);
    free(value);
}

static bool take_kept(struct target *target, const struct target_row *row, bool unoptimised)
{
    struct target *kept = kept_works ? pthread_getspecific(kept_key) : NULL;
    if (kept == NULL || kept->row != row || kept->unoptimised != unoptimised) {
        return false;
    }
    *target = *kept;
    *kept = (struct target){0}; // in use: a compile inside this one makes its own
    return true;
}

static bool keep(const struct target *target)
{
    struct target *kept = kept_works ? pthread_getspecific(kept_key) : NULL;
    if (kept == NULL) {
        kept = calloc(1, sizeof *kept);
        if (kept == NULL || !kept_works || pthread_setspecific(kept_key, kept) != 0) {
            free(kept);
            return false;
        }
    }
    dispose(kept);
    *kept = *target;
    return true;
}

static void register_targets(void)
{
    set_switches();
    kept_works = pthread_key_create(&kept_key, dispose_kept) == 0;
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
}

// What may stand behind the name of an AMD architecture.
static const char OLD_CODE_OBJECT[] = ":v4";

static const struct target_row *find_row(const char *name)
{
    if (name == NULL || strcmp(name, "native") == 0) {
        return &native_row;
    }
    for (int i = 0; i < TARGET_ROW_COUNT; i++) {
        size_t length = strlen(target_rows[i].name);
        bool has_version = target_rows[i].kind == TARGET_AMDGPU && strlen(name) > length;
        if (strncmp(target_rows[i].name, name, length) == 0 &&
            strcmp(name + length, has_version ? OLD_CODE_OBJECT : "") == 0) {
            return &target_rows[i];
        }
    }
    return NULL;
}

static int code_object_of(const struct target_row *row, const char *name)
{
    return row->kind != TARGET_AMDGPU ? 0 : strcmp(row->name, name) == 0 ? 5 : 4;
}

static rill_status fail_unknown(const char *name)
{
    char list[1024] = "native";
    size_t used = strlen(list);
    for (int i = 0; i < TARGET_ROW_COUNT; i++) {
        int n = snprintf(list + used, sizeof list - used, " %s", target_rows[i].name);
        used += n > 0 && (size_t)n < sizeof list - used ? (size_t)n : 0;
    }
    return status_fail(RILL_ERR_INVALID, "unknown target '%s'; known are: %s (%s behind an AMD GPU's: for ROCm 5)",
                       name, list, OLD_CODE_OBJECT);
}

rill_status target_check_name(const char *name)
{
    return find_row(name) != NULL ? RILL_OK : fail_unknown(name);
}

static bool has_feature(const char *features, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = features; at != NULL && *at != '\0';) {
        const char *end = strchrnul(at, ',');
        if (*at == '+' && (size_t)(end - at) == length + 1 && memcmp(at + 1, name, length) == 0) {
            return true;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return false;
}

static enum target_isa isa_of_features(const char *features)
{
    if (has_feature(features, "avx512f") && has_feature(features, "avx512vl") && has_feature(features, "avx512dq") &&
        has_feature(features, "avx512bw")) {
        return TARGET_ISA_AVX512;
    }
    return has_feature(features, "avx2") && has_feature(features, "fma") ? TARGET_ISA_AVX2 : TARGET_ISA_SSE;
}

static void describe_x86(struct target *target, const struct target_row *row)
{
    target->triple = "x86_64-unknown-linux-gnu";
    if (row == &native_row) {
        char *cpu = LLVMGetHostCPUName();
        snprintf(target->cpu, sizeof target->cpu, "%s", cpu);
        LLVMDisposeMessage(cpu);
        target->features = LLVMGetHostCPUFeatures();
        target->isa = isa_of_features(target->features);
        target->has_f16c = has_feature(target->features, "f16c");
        return;
    }
    snprintf(target->cpu, sizeof target->cpu, "%s", row->name);
    target->isa = strcmp(row->name, "x86-64-v4") == 0   ? TARGET_ISA_AVX512
                  : strcmp(row->name, "x86-64-v3") == 0 ? TARGET_ISA_AVX2
                                                        : TARGET_ISA_SSE;
    target->has_f16c = target->isa != TARGET_ISA_SSE;
}

static void describe(struct target *target, const struct target_row *row)
{
    target->kind = row->kind;
    if (row->kind == TARGET_X86) {
        describe_x86(target, row);
        return;
    }
    snprintf(target->cpu, sizeof target->cpu, "%s", row->name);
    if (row->kind == TARGET_AMDGPU) {
        target->triple = "amdgcn-amd-amdhsa";
        return;
    }
    target->triple = "nvptx64-nvidia-cuda";
    // PTX 8.3 is what a driver of 2023 reads; newer architectures need the version that introduced them.
    int number = atoi(row->name + 3);
    target->features = LLVMCreateMessage(number >= 103 ? "+ptx88" : number >= 100 ? "+ptx87" : "+ptx83");
}

rill_status target_init(struct target *target, const char *name, bool unoptimised)
{
    *target = (struct target){0};
    const struct target_row *row = find_row(name);
    if (row == NULL) {
        return fail_unknown(name);
    }
    pthread_once(&targets_once, register_targets);
    if (take_kept(target, row, unoptimised)) {
        target->code_object = code_object_of(row, name); // the machine is the same
        return RILL_OK;
    }
    target->row = row;
    target->code_object = code_object_of(row, name);
    target->unoptimised = unoptimised;
    describe(target, row);
    LLVMTargetRef llvm_target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(target->triple, &llvm_target, &message) != 0) {
        rill_status status = status_fail(RILL_ERR_UNSUPPORTED, "LLVM has no target for '%s': %s", row->name, message);
        LLVMDisposeMessage(message);
        target_finish(target);
        return status;
    }
    LLVMCodeGenOptLevel level = unoptimised ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault;
    target->machine =
        LLVMCreateTargetMachine(llvm_target, target->triple, target->cpu, target->features ? target->features : "",
                                level, LLVMRelocPIC, LLVMCodeModelDefault);
    if (target->machine == NULL) {
        target_finish(target);
        return status_fail(RILL_ERR_INTERNAL, "LLVM made no target machine for '%s'", row->name);
    }
    LLVMTargetDataRef data = LLVMCreateTargetDataLayout(target->machine);
    target->layout = LLVMCopyStringRepOfTargetData(data);
    LLVMDisposeTargetData(data);
    return RILL_OK;
}

// x86-64 knows the address spaces of the GPUs as names of the flat one.
rill_status target_init_stand_in(struct target *target, bool unoptimised, enum target_kind stands_for)
{
    RILL_TRY(target_init(target, "native", unoptimised));
    target->is_stand_in = true;
    target->stands_for = stands_for;
    target->isa = TARGET_ISA_NONE; // math is the GPU's library
    return RILL_OK;
}

void target_finish(struct target *target)
{
    // What stands in for a GPU was changed after it was made.
    if (target->layout == NULL || target->is_stand_in || !keep(target)) {
        dispose(target);
    }
    *target = (struct target){0};
}
