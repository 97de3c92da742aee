// Run at build time: joins libclc's bitcode and our own, cuts it down to the math functions that kernels can call, and
// writes it as C source.
//
//     trim out.c library.bc [own.bc ...]
//
// What is kept is linkonce_odr, so that linking takes a function only where it is called. Attributes that name a
// processor go: the same bitcode serves every GPU. Without a library (or with none of our own) the array is empty and
// the compiler says so when a kernel for a GPU calls a function.
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// By C name and number of float operands, for floats and for doubles; the others are our own.
static const struct {
    const char *name;
    int arg_count;
    const char *types;
} wanted[] = {
    {"acos", 1, "fd"},  {"acosh", 1, "fd"}, {"asin", 1, "fd"}, {"asinh", 1, "fd"}, {"atan", 1, "fd"},
    {"atan2", 2, "fd"}, {"atanh", 1, "fd"}, {"cbrt", 1, "fd"}, {"cos", 1, "d"},    {"cosh", 1, "fd"},
    {"erf", 1, "fd"},   {"erfc", 1, "fd"},  {"exp", 1, "d"},   {"exp2", 1, "fd"},  {"expm1", 1, "fd"},
    {"hypot", 2, "fd"}, {"log", 1, "d"},    {"log10", 1, "d"}, {"log1p", 1, "fd"}, {"log2", 1, "d"},
    {"pow", 2, "d"},    {"sin", 1, "d"},    {"sinh", 1, "fd"}, {"tan", 1, "d"},    {"tanh", 1, "d"},
};

enum { WANTED_COUNT = sizeof wanted / sizeof wanted[0] };

// Our own functions, and what stands for instructions in them.
static bool is_own(const char *name)
{
    return strncmp(name, "rill_f32_", 9) == 0 || strncmp(name, "rill_f64_", 9) == 0 ||
           strncmp(name, "rill_hw_", 8) == 0;
}

static bool is_wanted(const char *name)
{
    if (is_own(name)) {
        return true;
    }
    for (int i = 0; i < WANTED_COUNT; i++) {
        for (const char *type = wanted[i].types; *type != '\0'; type++) {
            char mangled[64];
            snprintf(mangled, sizeof mangled, "_Z%zu%s%c%.*s", strlen(wanted[i].name), wanted[i].name, *type,
                     wanted[i].arg_count - 1, type);
            if (strcmp(mangled, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void drop_attributes(LLVMValueRef function)
{
    static const char *const names[] = {"target-cpu",       "target-features",
                                        "frame-pointer",    "stack-protector-buffer-size",
                                        "no-trapping-math", "no-builtins"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
    }
}

static void select_functions(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        drop_attributes(f);
        if (!LLVMIsDeclaration(f)) {
            size_t length;
            LLVMSetLinkage(f, is_wanted(LLVMGetValueName2(f, &length)) ? LLVMLinkOnceODRLinkage : LLVMInternalLinkage);
        }
    }
}

// The kept functions must survive while what nobody calls goes, so they are external meanwhile.
static bool drop_unused(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMGetLinkage(f) == LLVMLinkOnceODRLinkage) {
            LLVMSetLinkage(f, LLVMExternalLinkage);
        }
    }
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error =
        LLVMRunPasses(module, "globaldce,function(sroa,early-cse,simplifycfg,instcombine),strip", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage) {
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
        }
    }
    if (error != NULL) {
        fprintf(stderr, "trim: %s\n", LLVMGetErrorMessage(error));
        return false;
    }
    return true;
}

static int write_source(const char *path, const char *bytes, size_t size)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        fprintf(stderr, "trim: cannot write %s\n", path);
        return 1;
    }
    fprintf(out, "#include \"codegen/library.h\"\n\nconst unsigned char math_library_bytes[] = {");
    for (size_t i = 0; i < size; i++) {
        fprintf(out, i % 24 == 0 ? "\n%u," : "%u,", (unsigned char)bytes[i]);
    }
    fprintf(out, "0};\nconst size_t math_library_size = %zu;\n", size);
    return fclose(out) == 0 ? 0 : 1;
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *path)
{
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module = NULL;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) != 0) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    if (LLVMParseBitcodeInContext2(context, buffer, &module) != 0) {
        fprintf(stderr, "trim: %s is no bitcode of this LLVM\n", path);
        exit(1);
    }
    return module;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: trim out.c library.bc [own.bc ...]\n");
        return 2;
    }
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = read_module(context, argv[2]);
    if (module == NULL || argc == 3) {
        return write_source(argv[1], "", 0);
    }
    for (int i = 3; i < argc; i++) {
        LLVMModuleRef own = read_module(context, argv[i]);
        if (own == NULL) {
            fprintf(stderr, "trim: cannot read %s\n", argv[i]);
            return 1;
        }
        LLVMSetTarget(own, LLVMGetTarget(module));
        LLVMSetDataLayout(own, LLVMGetDataLayoutStr(module));
        if (LLVMLinkModules2(module, own) != 0) { // takes it
            return 1;
        }
    }
    select_functions(module);
    if (!drop_unused(module)) {
        return 1;
    }
    LLVMMemoryBufferRef out = LLVMWriteBitcodeToMemoryBuffer(module);
    return write_source(argv[1], LLVMGetBufferStart(out), LLVMGetBufferSize(out));
}
