// The printer's parts: print_text.c writes names, numbers and texts; print_inst.c regions and instructions; print.c the
// tables around them. Every piece writes a blank before itself.
#ifndef RILL_IR_PRINT_H
#define RILL_IR_PRINT_H

#include "ir/ir.h"

#include "base/vec.h"

struct label {
    const struct ir_inst *inst;
    int number;
};

struct printer {
    const struct ir_module *module;
    struct str *out;
    VEC(const struct ir_ctype *) ctypes;
    VEC(struct label) labels; // of every instruction with regions, sorted by its address
    int next_label;           // labels count up in the order of the text
};

// ---- print_text.c

void ir_print_text(struct printer *p, const char *text); // quoted; nothing if it is NULL
void ir_print_flag(struct printer *p, const char *word, bool is_set);
void ir_print_number(struct printer *p, const char *word, int64_t value,
                     int64_t usual);                  // nothing if it is the usual one
void ir_print_loc(struct printer *p, struct loc loc); // nothing if it is all zero
void ir_print_float(struct printer *p, double value);
void ir_print_named(struct printer *p, char sigil, const char *name, int index); // "$name#index"
void ir_print_var(struct printer *p, const struct ir_var *var);
int ir_print_function_index(const struct ir_module *module, const struct ir_function *function);

// ---- print_inst.c

void ir_print_number_labels(struct printer *p, const struct ir_function *function); // before anything that names one
int ir_print_label_of(const struct printer *p, const struct ir_inst *inst);
void ir_print_region(struct printer *p, const struct ir_region *region, int depth);

#endif
