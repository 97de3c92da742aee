// Modules are compiled kernel files; kernels are looked up in them. A module has one copy of the file's fields.
//
// Threads: any module or kernel may be used from any thread; two threads may launch one kernel on two streams.
// Lifetime: a kernel lives as long as its module. A module may be destroyed at any time, also while its launches are
// queued: they still run, the handles are stale at once. Texts that the reflection calls give out are valid until the
// module is destroyed.
#ifndef RILL_MODULE_H
#define RILL_MODULE_H

#include "rill/args.h"
#include "rill/context.h"
#include "rill/status.h"
#include "rill/stream.h"
#include "rill/types.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rill_module {
    uint64_t id; // 0 is no module: every call refuses it
} rill_module;

typedef struct rill_kernel {
    uint64_t id; // 0 is no kernel: every call refuses it
} rill_kernel;

// ---- diagnostics --------------------------------------------------------------------------------------------------

typedef enum rill_severity { RILL_SEVERITY_NOTE = 0, RILL_SEVERITY_WARNING = 1, RILL_SEVERITY_ERROR = 2 } rill_severity;

typedef struct rill_diagnostic {
    rill_severity severity; // notes follow what they belong to
    const char *file;
    uint32_t line;
    uint32_t column;
    const char *text;
    const char *rendered; // with place, source line and caret; ends with a newline
} rill_diagnostic;

// Where nobody takes what a compile says, warnings are logged when the module is made; that a loop runs in order, on
// one thread, is logged by the first launch of its kernel: as a warning where the arguments make it a long one, else a
// note.

// What a compile said. Owned by the caller: rill_diagnostics_free(). The list holds the first 50 errors and the first
// 1,000 warnings with their notes; the counts are of all.
typedef struct rill_diagnostics {
    const rill_diagnostic *items;
    size_t count;
    size_t error_count;
    size_t warning_count;
    void *memory; // private
} rill_diagnostics;

// Frees the list and zeroes the struct; a zeroed one is skipped.
RILL_API void rill_diagnostics_free(rill_diagnostics *diagnostics);

// ---- compiling ----------------------------------------------------------------------------------------------------

typedef struct rill_define {
    const char *name;
    const char *value; // NULL is "1"
} rill_define;

typedef struct rill_header {
    const char *name; // as it stands in #include "..."
    const char *text;
} rill_header;

// All zero is the default. Everything is copied.
typedef struct rill_module_options {
    const char *path; // of source given as text: shown in diagnostics, its directory is searched for includes
    const rill_define *defines;
    size_t define_count;
    const char *const *include_dirs;
    size_t include_dir_count;
    const rill_header *headers; // found before files
    size_t header_count;
    const char *target;   // NULL or "native": this machine
    const char *sanitize; // "address", "thread" or "off"; NULL: as this program is built, or as RILL_SANITIZE says
    bool contract_off;    // no fused multiply-add inside an expression; RILL_CONTRACT=off sets it too
    bool check_bounds;    // an index out of range is an error; RILL_CHECK=bounds sets it too
    bool check_races;     // two iterations that race are an error, RILL_ERR_RACE; RILL_CHECK=races sets it too
    bool fast_math;
    bool color;                    // in rendered diagnostics and explain
    rill_diagnostics *diagnostics; // may be NULL; filled by success and by RILL_ERR_COMPILE, free it after either
    const char *after;             // of RILL_EMIT_IR: the code as it stands behind this pass of the compiler; "list"
                                   // gives the names of the passes instead, NULL is the last one
} rill_module_options;

// Compiles |text| and loads it. |options| may be NULL. RILL_ERR_COMPILE if the source has errors: the message holds the
// first of them, options->diagnostics all.
RILL_API RILL_NODISCARD rill_status rill_module_create(rill_context context, const char *text,
                                                       const rill_module_options *options, rill_module *out_module);
// The same for a file.
RILL_API RILL_NODISCARD rill_status rill_module_load(rill_context context, const char *path,
                                                     const rill_module_options *options, rill_module *out_module);
// The handles of the module and its kernels are stale at once. Does not wait.
RILL_API RILL_NODISCARD rill_status rill_module_destroy(rill_module module);

// The kernel |name| of the file |path|, which is compiled at the first call for it in this context, and again at the
// first call after its module was destroyed. |name| may be NULL if the file has one kernel only. Threads that ask for
// different files compile them at the same time.
RILL_API RILL_NODISCARD rill_status rill_kernel_load(rill_context context, const char *path, const char *name,
                                                     rill_kernel *out_kernel);
// The module that |kernel| is of: for its fields, and to destroy what rill_kernel_load() has loaded.
RILL_API RILL_NODISCARD rill_status rill_kernel_module(rill_kernel kernel, rill_module *out_module);

// Checks |text| without making a module. The path in |options| is shown. RILL_ERR_COMPILE if it has errors.
RILL_API RILL_NODISCARD rill_status rill_check(const char *text, const rill_module_options *options);

// ---- what the compiler can show -----------------------------------------------------------------------------------

typedef enum rill_emit {
    RILL_EMIT_IR,
    RILL_EMIT_PLAN,
    RILL_EMIT_LLVM,
    RILL_EMIT_ASM,
    RILL_EMIT_OPENMP, // C with OpenMP pragmas
} rill_emit;

// Text for people: control, tasks, groups, each loop's verdict, effects. Free it with rill_free().
RILL_API RILL_NODISCARD rill_status rill_module_explain(rill_module module, char **out_text);
// The module's code in another form, for |target| ("native", "x86-64-v3", "sm_90", "gfx942"; NULL is native). Free it
// with rill_free().
RILL_API RILL_NODISCARD rill_status rill_module_emit(rill_module module, rill_emit kind, const char *target,
                                                     char **out_text);
// The same for source that need not run here: no context, no module. |text| is the source.
RILL_API RILL_NODISCARD rill_status rill_source_emit(const char *text, const rill_module_options *options,
                                                     rill_emit kind, char **out_text);
RILL_API RILL_NODISCARD rill_status rill_source_explain(const char *text, const rill_module_options *options,
                                                        char **out_text);

// ---- reflection ---------------------------------------------------------------------------------------------------

RILL_API RILL_NODISCARD rill_status rill_module_kernel_count(rill_module module, size_t *out_count);
// Kernel number |index| in source order.
RILL_API RILL_NODISCARD rill_status rill_module_kernel_at(rill_module module, size_t index, rill_kernel *out_kernel);
// The kernel |name|; NULL: the only one.
RILL_API RILL_NODISCARD rill_status rill_module_kernel(rill_module module, const char *name, rill_kernel *out_kernel);

typedef enum rill_type_kind {
    RILL_KIND_VOID,    // of a returned value: there is none
    RILL_KIND_SCALAR,  //
    RILL_KIND_RECORD,  // struct or union
    RILL_KIND_ARRAY,   // only inside records and fields
    RILL_KIND_POINTER, // only inside fields
} rill_type_kind;

struct rill_member_info;

// A C type as the host sees it.
typedef struct rill_type_info {
    rill_type_kind kind;
    rill_type type;   // scalars
    const char *name; // "float", "struct particle"
    size_t size;
    size_t alignment;
    bool is_union;
    const struct rill_type_info *element; // arrays; NULL for pointers, whose |name| says what they point to
    int64_t length;                       // arrays
    const struct rill_member_info *members;
    size_t member_count;
} rill_type_info;

typedef struct rill_member_info {
    const char *name; // "" for an anonymous one
    const rill_type_info *type;
    size_t offset;
    int32_t bit_offset; // -1: not a bit-field
    int32_t bit_width;
} rill_member_info;

typedef struct rill_param_info {
    const char *name;
    bool is_array;              // takes an array, RILL_PTR or RILL_HOST
    bool is_const;              // an array that the kernel does not write
    int32_t rank;               // extents of an array parameter; 0: `T *p`, takes a whole array
    const rill_type_info *type; // of the scalar, the struct, or the array's elements
} rill_param_info;

typedef struct rill_kernel_info {
    const char *name;
    const char *file;
    uint32_t line;
    size_t param_count;
    size_t task_count;
    const rill_type_info *returns; // kind RILL_KIND_VOID: nothing
} rill_kernel_info;

RILL_API RILL_NODISCARD rill_status rill_kernel_describe(rill_kernel kernel, rill_kernel_info *out_info);
RILL_API RILL_NODISCARD rill_status rill_kernel_param(rill_kernel kernel, size_t index, rill_param_info *out_info);
// The shape that array parameter |index| has for these arguments, of which only the scalars are looked at: an array may
// stand there as a zeroed rill_arg. RILL_ERR_INVALID for `T *p`, whose shape is not known.
RILL_API RILL_NODISCARD rill_status rill_kernel_param_shape(rill_kernel kernel, size_t index, rill_args args,
                                                            rill_shape *out_shape);

// Text for people: how a launch with these arguments maps each nest of the kernel to the context's device, what else it
// could do and why it does not: outer loops, inner ones, several as one space, two levels, another order, in order.
// Nothing runs. Of the arguments only the scalars are looked at, as above; arrays are taken not to overlap. Free it
// with rill_free().
RILL_API RILL_NODISCARD rill_status rill_kernel_explain(rill_kernel kernel, rill_args args, char **out_text);

typedef struct rill_task_info {
    const char *name; // "simulate.3"
    const char *file;
    uint32_t line;
    bool is_parallel;
    int32_t group; // the stream_parallel block it belongs to, from 1; 0: none
} rill_task_info;
RILL_API RILL_NODISCARD rill_status rill_kernel_task(rill_kernel kernel, size_t index, rill_task_info *out_info);

// ---- fields -------------------------------------------------------------------------------------------------------

typedef struct rill_field_info {
    const char *name;
    size_t size; // bytes
    const rill_type_info *type;
} rill_field_info;
RILL_API RILL_NODISCARD rill_status rill_module_field_count(rill_module module, size_t *out_count);
RILL_API RILL_NODISCARD rill_status rill_module_field(rill_module module, size_t index, rill_field_info *out_info);

// Reads or writes the first |size| bytes of the field |name| in the order of |stream|. read waits until |host| has the
// data; write returns when |host| may be reused.
RILL_API RILL_NODISCARD rill_status rill_field_read(rill_module module, const char *name, rill_stream stream,
                                                    void *host, size_t size);
RILL_API RILL_NODISCARD rill_status rill_field_write(rill_module module, const char *name, rill_stream stream,
                                                     const void *host, size_t size);

#ifdef __cplusplus
}
#endif
#endif
