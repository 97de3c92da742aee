// The reader's parts: read_text.c takes words, numbers and quoted texts from the lines; read_inst.c reads regions and
// instructions; read_function.c the lines around them; read.c the module's tables. The text is not trusted: whatever is
// wrong with it becomes a diagnostic.
//
// After the first error the reader stands at the end of the text for good, so that every loop over words ends.
#ifndef RILL_IR_READ_H
#define RILL_IR_READ_H

#include "ir/ir.h"

#include "base/vec.h"

// An object may be named before its line is read: it is made when it is first named.
struct read_entry {
    void *object;
    bool is_defined;
};

struct read_table {
    struct read_entry *items;
    int count;
    int capacity;
};

struct reader {
    struct arena *arena;
    struct diags *diags;
    struct ir_module *module;
    const char *text; // the whole
    const char *end;
    const char *at;   // behind the current word
    const char *word; // the current word; at the end of a line it is empty and is_line_end is true
    size_t length;    //
    bool is_line_end; //
    bool is_end;      // of the text; is_line_end too
    bool failed;
    uint32_t file; // of the diagnostics
    uint32_t line;
    const char *line_start;
    uint64_t byte_budget; // what globals may still take

    struct read_table ctypes;
    struct read_table globals;
    struct read_table functions;

    // The function that is read.
    struct ir_function *function;
    VEC(struct ir_inst *) values;
    VEC(struct ir_inst *) labels;
    int depth;
};

// ---- read_text.c

void ir_read_fail(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ir_read_next(struct reader *r);                       // takes the next word
bool ir_read_is(const struct reader *r, const char *word); // whether it is the current one
bool ir_read_accept(struct reader *r, const char *word);   // takes it if it is the current one
void ir_read_expect(struct reader *r, const char *word);
void ir_read_line_end(struct reader *r); // wants the end of the line and goes on to the first word of the next
int64_t ir_read_int(struct reader *r);
int ir_read_small(struct reader *r, int64_t low, int64_t high); // an integer in range
uint64_t ir_read_uint(struct reader *r);
double ir_read_float(struct reader *r);
const char *ir_read_text(struct reader *r); // "…"
bool ir_read_is_text(const struct reader *r);
struct loc ir_read_loc(struct reader *r); // !file:line:column
bool ir_read_is_loc(const struct reader *r);
int ir_read_index(struct reader *r, char sigil); // the number of $name#3; below the text's length
int ir_read_label(struct reader *r);             // the number of L3
struct ir_inst *ir_read_value(struct reader *r); // one that was defined before
int ir_read_value_number(struct reader *r);      // the number of %3
enum ir_type ir_read_type(struct reader *r);
bool ir_read_is_type(const struct reader *r);
// The index of the current word in |names|, or -1. Does not take it.
int ir_read_find(const struct reader *r, const char *const *names, int count);

// ---- read_inst.c

void ir_read_region(struct reader *r, struct ir_region *region, struct ir_inst *owner); // from `{` to `}`
struct ir_var *ir_read_var(struct reader *r);                                           // $name#3
enum ir_update ir_read_update(struct reader *r);
enum ir_op ir_read_op(struct reader *r);

// ---- read_function.c

void ir_read_function(struct reader *r, enum ir_function_kind kind, int expected); // |expected| is its number

// ---- read.c

int ir_read_plain_index(struct reader *r); // a number below the text's length
void ir_read_bad_word(struct reader *r);   // says that the current word does not belong here
struct ir_ctype *ir_read_ctype_at(struct reader *r, int index);
struct ir_function *ir_read_define_function(struct reader *r, int expected); // reads the number; NULL after an error
struct ir_global *ir_read_global_at(struct reader *r, int index);
struct ir_function *ir_read_function_at(struct reader *r, int index);

#endif
