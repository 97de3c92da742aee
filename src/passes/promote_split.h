// Between promote_split.c, which takes structs apart in one function, and promote_split_call.c, which does so in the
// helpers that it calls.
#ifndef RILL_PASSES_PROMOTE_SPLIT_H
#define RILL_PASSES_PROMOTE_SPLIT_H

#include "passes/promote_internal.h"

enum {
    MAX_MEMBERS = 64,
    SPLIT_MAX_LOOKS = 1000 * 1000, // at instructions, for one struct
};

struct member {
    int64_t offset;
    int64_t size;
    const char *name;
    struct ir_ctype *type;
    bool is_array;
    struct ir_var *var; // in the function that has the struct
};

// What is known of a value: the address of byte |offset| of the struct, or of some byte of one member.
struct place {
    struct split *of; // whose; NULL: no such address
    bool is_inside;   // of |member|, somewhere
    int64_t offset;
    int member;
};

struct split {
    struct ir_module *module;
    struct ir_function *function;
    struct ir_var *var;  // the struct; NULL: |function| is a helper that gets its address, or that of a part of it …
    int param;           // … as this parameter,
    int64_t root_offset; // … of this byte
    int first_param;     // helpers: the parameter that is the address of the first member
    int64_t size;
    int depth; // of calls
    int looks; // left, at instructions of helpers
    struct member *members;
    int count;
    bool is_good;
    bool is_chosen;        // to be taken apart in this round
    struct meeting *meets; // structs before it that one instruction has the addresses of, too
};

struct meeting {
    const struct split *other;
    struct meeting *next;
};

// One function's code, in which all structs are looked at in one walk.
struct split_walk {
    struct ir_module *module;
    struct ir_function *function;
    struct split **of_var; // by variable; NULL: of a helper …
    int var_count;
    struct split *of_param; // … whose parameter it is
    struct place *places;   // by value number
    int place_count;
};

// promote_split.c
void split_collect(struct split_walk *w, struct ir_region *region); // is_good: uses are of one member, or of whole ones
void split_rewrite(struct split_walk *w, struct ir_region *region);
struct ir_inst *split_address_in(const struct split *s, struct ir_builder *b, int member, int64_t offset);

// promote_split_call.c
// Whether the helper that is called does to the struct only what could be done to it here.
bool split_is_kept_by(struct split *s, const struct ir_inst *call, int which, int64_t offset);
void split_call(struct split *s, struct ir_inst *call, int which, int64_t offset);

#endif
