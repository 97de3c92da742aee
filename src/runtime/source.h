// Source text with its options, and what the compiler makes of it. The compiler is a library of its own, opened at the
// first compile.
#ifndef RILL_RUNTIME_SOURCE_H
#define RILL_RUNTIME_SOURCE_H

#include "base/arena.h"
#include "compiler/compiler.h"
#include "rill/module.h"
#include "rill/status.h"

// Everything in an arena, ready for the compiler. |target| and |emit| are set for each compile.
struct source {
    struct compiler_input input;
    bool is_absent; // a package without its source: there is no text
};

// Copies text and options, and adds what the environment says. |options| may be NULL; |path|, if not NULL, comes first.
struct source *source_copy(struct arena *arena, const char *text, size_t length, const char *path,
                           const rill_module_options *options);
rill_status source_check_options(const char *who, const rill_module_options *options);

// The compiler's table; RILL_ERR_NO_COMPILER with words if the library is not there.
rill_status source_find_compiler(const char *who, const struct compiler_table **out_table);

// The file of that library, without loading it. False: it is not known, as the system would have to look for it.
bool source_locate_compiler(char *out, size_t size);
// Whether kernels of |source| that are to run are instrumented.
bool source_is_sanitized(const struct source *source);

// Compiles for |emit|. |diagnostics| (may be NULL) is filled also when there are errors. On success the result must be
// freed by the table.
rill_status source_compile(const char *who, const struct compiler_table *table, const struct source *source,
                           enum compiler_emit emit, rill_diagnostics *diagnostics, struct compiler_result **out_result);

// A copy that rill_diagnostics_free() frees. False: no memory.
bool source_copy_diagnostics(const struct compiler_result *result, rill_diagnostics *out);

// The result's text for the caller, and frees the result.
rill_status source_take_text(const char *who, const struct compiler_table *table, struct compiler_result *result,
                             char **out_text);

enum compiler_emit source_emit_kind(rill_emit kind);

#endif
