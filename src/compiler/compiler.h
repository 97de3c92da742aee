// The compiler as the runtime sees it: one table, found by name in librill-compiler.so. This is the only header of the
// compiler that the runtime includes. Plain data in, plain data out; a result is owned by the caller and freed by the
// table.
//
// Threads: every call may run in several threads at once.
#ifndef RILL_COMPILER_COMPILER_H
#define RILL_COMPILER_COMPILER_H

#include "rill/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct compiler_name_value {
    const char *name;
    const char *value; // define: NULL is "1"; header: its text
};

enum compiler_emit {
    COMPILER_IMAGE, // plan and code, for the runtime: see compiler/image.h
    COMPILER_CHECK, // diagnostics only
    COMPILER_IR,    // text from here on
    COMPILER_PLAN,
    COMPILER_EXPLAIN,
    COMPILER_LLVM,
    COMPILER_ASM,
    COMPILER_OBJECT, // bytes: the target's object file
    COMPILER_OPENMP, // C with OpenMP pragmas
};

struct compiler_input {
    const char *path; // shown in diagnostics; its directory is searched for includes
    const char *text;
    size_t length;
    const struct compiler_name_value *defines;
    int define_count;
    const char *const *include_dirs;
    int include_dir_count;
    const struct compiler_name_value *headers;
    int header_count;
    const char *target; // "native", "x86-64-v3", "sm_90", "gfx942", …; NULL is native
    bool contract_off;
    bool check_bounds;
    bool check_races;
    bool fast_math;
    bool color;           // of rendered diagnostics and explain
    const char *sanitize; // NULL, "address", "thread": instrument kernels
    bool stand_in;        // images for GPUs carry x86-64 code beside their own, for tests: codegen/stand_in.c
    enum compiler_emit emit;
    const char *after; // COMPILER_IR: the pass behind which the IR is shown, or "list": their names. NULL: the last one
};

struct compiler_diagnostic {
    int severity; // 0 note, 1 warning, 2 error; notes follow what they belong to
    const char *file;
    uint32_t line;
    uint32_t column;
    const char *text;
    const char *rendered; // with the line and the caret
};

// What else than its input a compile depends on: X(NAME, number in entries of the cache)
#define COMPILER_FILE_LIST(X)                                                                                          \
    X(READ, 0)    /* a file that was included: |bytes| are what was read */                                            \
    X(PRESENT, 1) /* there is something by that name that is no directory */                                           \
    X(ABSENT, 2)  /* there is not: else the include would have found that */                                           \
    X(LIBRARY, 3) /* one that the compiler is made of, apart from its own file */

enum compiler_file_kind {
#define COMPILER_FILE_ENUM(name, number) COMPILER_FILE_##name = number,
    COMPILER_FILE_LIST(COMPILER_FILE_ENUM)
#undef COMPILER_FILE_ENUM
};

struct compiler_file {
    enum compiler_file_kind kind;
    const char *path;
    const void *bytes; // of READ
    size_t size;       //
};

struct compiler_result {
    const struct compiler_diagnostic *diagnostics;
    int diagnostic_count;
    int error_count;   // all of them, also those that the list has no more room for
    int warning_count; //
    const void
        *bytes; // what |emit| asked for; NULL after errors. Text is terminated by a zero that |size| does not count
    size_t size;
    const struct compiler_file *files; // each path once, in the order in which they were asked for
    int file_count;
};

enum { COMPILER_TABLE_VERSION = 6 };

struct compiler_table {
    // These two stay first in every version, so that a library of another one can be named (before 5 there was no
    // |built|). What is built differently is not used at all: the plan, which both libraries read, may differ too.
    int version;
    const char *built;                 // COMPILER_BUILT of the library
    const char *(*llvm_version)(void); // "22.1.8"
    // RILL_OK with error_count == 0, or RILL_ERR_COMPILE with diagnostics, or another failure. *out_result is set for
    // the first two and must be freed.
    rill_status (*compile)(const struct compiler_input *input, struct compiler_result **out_result);
    void (*free_result)(struct compiler_result *result);
    const char *(*message)(void); // of the calling thread's last failure that is no diagnostic
};

// The release, and a hash of everything that the two libraries must agree on (CMakeLists.txt defines it for the
// files that say it).
#define COMPILER_BUILT RILL_VERSION " (build " RILL_SEAM ")"

// Exported by librill-compiler.so.
RILL_API const struct compiler_table *rill_compiler_table(void);

// An image: header, then the serialised plan, then the code (x86-64: a relocatable ELF object; NVIDIA: the text of the
// PTX, and behind it what is loaded late, as plan/abi.h says; AMD: a linked code object), then a zero byte that
// code_size does not count. All little-endian.
struct image_header {
    char magic[8]; // "rillimg1"
    uint64_t plan_offset;
    uint64_t plan_size;
    uint64_t code_offset;
    uint64_t code_size;
    uint64_t hash; // FNV-1a of everything after the header
};

#endif
