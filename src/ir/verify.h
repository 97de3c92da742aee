// The verifier's parts: verify.c walks functions and knows what is in scope, verify_op.c knows the operands and types
// of each operation, verify_control.c where control may go.
#ifndef RILL_IR_VERIFY_H
#define RILL_IR_VERIFY_H

#include "ir/ir.h"

enum { VERIFY_DEPTH_LIMIT = 4000 }; // of nested regions

struct verifier {
    const struct ir_module *module;
    const struct ir_function *function; // NULL while the module's tables are looked at
    struct str *out;
    int error_count;
    bool in_prologue;
    const struct ir_inst **defined; // by value number: the instruction, while its value may be used
    bool *seen;                     // by value number: it was taken
    const struct ir_inst *blocks;   // the innermost enclosing `blocks`
};

// One sentence about |inst|, or about the function if it is NULL.
void ir_verify_error(struct verifier *v, const struct ir_inst *inst, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool ir_verify_owns_var(const struct verifier *v, const struct ir_var *var);
bool ir_verify_owns_function(const struct verifier *v, const struct ir_function *function);

// Operands are there and visible when this is called.
void ir_verify_op(struct verifier *v, const struct ir_inst *inst);
void ir_verify_control(struct verifier *v, const struct ir_inst *inst);
// Whether |outer| is |inst| or holds it in its regions.
bool ir_verify_encloses(const struct ir_inst *outer, const struct ir_inst *inst);

#endif
