// Packages: what `rill build` makes of a kernel file, so that a program carries its kernels compiled. A package is
// plain constant data in the program; it holds the code for the targets that were named, what reflection, launches and
// error messages need, and the source (unless it was left out).
//
// A program does not call most of this itself: the header that `rill build` writes has a function for each kernel, with
// the kernel's own parameters, that does.
//
//     #include "solve.h"
//     RILL_TRY(solve(stream, n, a, b, c));
//
// A package is opened in a context by the first call that needs it there, once, whatever thread that is. The code that
// fits the context's device best is taken, by docs/ahead.md. Where none does, or where the environment asks for what
// was not built (RILL_CHECK=bounds, a sanitizer), the source is compiled, if librill-compiler.so is there.
//
// Threads: every call may be made from any thread.
#ifndef RILL_PACKAGE_H
#define RILL_PACKAGE_H

#include "rill/args.h"
#include "rill/context.h"
#include "rill/launch.h"
#include "rill/module.h"
#include "rill/status.h"
#include "rill/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// A package in memory: it stays there, as it is, while a context that has opened it is open.
typedef struct rill_package {
    const void *bytes; // aligned to 64
    uint64_t size;
    uint64_t check; // says which build of it: a header and an object that do not belong together are refused; 0: any
} rill_package;

// The package's module in |context|: for its fields, its kernels by name, and reflection. There is one in each context;
// after rill_module_destroy() the next call makes another.
RILL_API RILL_NODISCARD rill_status rill_package_module(rill_context context, const rill_package *package,
                                                        rill_module *out_module);
// Kernel number |index| in source order.
RILL_API RILL_NODISCARD rill_status rill_package_kernel(rill_context context, const rill_package *package, size_t index,
                                                        rill_kernel *out_kernel);

// rill_launch_at(), rill_call() and rill_launch_result() of kernel number |index|, in the context of |stream|.
// RILL_CURRENT and RILL_ANY mean the context of the scope that the thread is in, or the only one that is open.
RILL_API RILL_NODISCARD rill_status rill_package_launch(const rill_package *package, size_t index, const char *place,
                                                        rill_stream stream, rill_args args);
RILL_API RILL_NODISCARD rill_status rill_package_call(const rill_package *package, size_t index, rill_stream stream,
                                                      rill_args args, void *out_result, size_t size);
RILL_API RILL_NODISCARD rill_status rill_package_launch_result(const rill_package *package, size_t index,
                                                               rill_stream stream, rill_args args, rill_array result);

// ---- building -----------------------------------------------------------------------------------------------------

// All zero is the default.
typedef struct rill_package_options {
    const char *name;           // of the package, and of the header; NULL: the file's name, without its folder and .c
    const char *prefix;         // before the names of the header's functions; NULL: none
    const char *const *targets; // "portable", "cpu", "native", "x86-64-v3", "sm_90", "gfx942", …
    size_t target_count;        // 0: "portable" alone
    const char *include;        // a header of the program that declares the structs; NULL: the package's header does
    bool no_source;             // the source is left out: only devices that were named are served
} rill_package_options;

// What was built. Owned by the caller: rill_built_free().
typedef struct rill_built {
    void *package; // the bytes alone, aligned to 64: rill_package.bytes
    size_t package_size;
    void *object; // an object file that holds them, for the linker
    size_t object_size;
    char *header; // the text of the header
    char *files;  // the paths of the files that the source includes, each with a newline behind it
} rill_built;

// Compiles |text| for each target. |options| as for rill_module_create(), but for its target; the path in it is that of
// the file. RILL_ERR_COMPILE as there.
RILL_API RILL_NODISCARD rill_status rill_package_build(const char *text, const rill_module_options *options,
                                                       const rill_package_options *package, rill_built *out_built);
// Frees all of it and zeroes the struct; a zeroed one is skipped.
RILL_API void rill_built_free(rill_built *built);

#ifdef __cplusplus
}
#endif
#endif
