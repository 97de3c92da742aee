// The parts of differ: differ_case.c reads what a file is run with, differ.c runs it, differ_gcc.c builds it with gcc.
#ifndef RILL_TESTS_SUPPORT_DIFFER_INTERNAL_H
#define RILL_TESTS_SUPPORT_DIFFER_INTERNAL_H

#include "differ.h"

#include "ir/interpret.h"
#include "ir/ir.h"

enum { DIFFER_MAX = 64 };

struct differ_type {
    const char *name;
    rill_type type;
    int size;
    bool is_float;
    bool is_unsigned;
};

struct differ_buffer {
    char name[16];
    const struct differ_type *type;
    uint64_t count;
    unsigned char *start; // as it is before the run
    unsigned char *now;   // what the runs work on
};

enum differ_arg_kind { DIFFER_INT, DIFFER_FLOAT, DIFFER_ARRAY, DIFFER_STRUCT };

struct differ_arg {
    enum differ_arg_kind kind;
    int64_t i;
    double f;
    int buffer;
    uint64_t offset; // elements
    uint64_t count;
};

// What a run left: the buffers, the fields and the returned value, in one piece.
struct differ_image {
    unsigned char *bytes;
    size_t size;
};

struct differ_case {
    const char *text;
    struct arena arena;
    struct differ_buffer buffers[DIFFER_MAX];
    int buffer_count;
    struct differ_arg args[DIFFER_MAX];
    int arg_count;
};

// False if the comments do not make sense.
bool differ_case_read(struct differ_case *c, const char *text, struct str *out_why);
void differ_case_reset(struct differ_case *c); // the buffers as before the run
void differ_case_finish(struct differ_case *c);

// Runs the file by gcc's build. False if gcc refuses the file; |out_ran| is false where C leaves something undefined.
// |out| has room for all buffers, the fields |fields| names and 8 bytes of the returned value.
struct differ_gcc_job {
    const struct ir_function *kernel;
    const struct ir_module *module; // for the fields
    unsigned char *out;
    size_t out_size;
};
bool differ_gcc_run(struct differ *differ, const struct differ_case *c, const struct differ_gcc_job *job, bool *out_ran,
                    struct str *out_why);

#endif
