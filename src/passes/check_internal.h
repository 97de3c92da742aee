// What the files of the check pass share.
#ifndef RILL_PASSES_CHECK_INTERNAL_H
#define RILL_PASSES_CHECK_INTERNAL_H

#include "base/vec.h"
#include "ir/points_to.h"
#include "passes/check.h"

// Offsets that cannot be: far enough out that no index leads back, near enough that sums do not wrap.
enum { CHECK_MAX_NAMES = 16 };
#define CHECK_FAR (INT64_C(1) << 61)

// An array that pointers point into. Its number, from 1, is what travels with a pointer that may point into several.
struct check_array {
    const struct ir_function *function; // NULL: a global
    int base;
    const char *name;
    int64_t element; // bytes
};

struct check_names { // numbers of arrays; more than CHECK_MAX_NAMES are not told apart
    int items[CHECK_MAX_NAMES];
    int count;
    bool is_full;
};

// For each pointer parameter of a helper three more: the pointer's offset and the array's size in bytes, and its
// number.
struct check_helper {
    int first;                 // of those parameters
    struct check_names *names; // by parameter: what calls hand over
};

enum check_kind {
    CHECK_UNKNOWN, // not followed, not checked
    CHECK_NULL,    // nowhere
    CHECK_ONE,     // into the array |base| of the function
    CHECK_MANY,    // into one of several
};

// What is known of a pointer: |index| * |unit| + |rest| bytes behind the beginning of its array.
struct check_pointer {
    enum check_kind kind;
    int base;              // ONE
    int64_t unit;          // ONE: bytes; MANY: 1
    struct ir_inst *index; // NULL: 0
    int64_t rest;          // 0 <= rest < unit
    struct ir_inst *size;  // MANY: of the array, in bytes
    struct ir_inst *array; // MANY: its number; 0 is nothing, -1 not known
    struct check_names names;
};

// What stands beside a pointer variable.
struct check_shadow {
    enum check_kind kind;
    int base;             // ONE
    int64_t unit;         // ONE
    struct ir_var *index; // made when it is first read
    struct ir_var *size;  // MANY
    struct ir_var *array; // MANY
    bool is_written;      // beside each assignment of the pointer
    struct check_names names;
};

struct checker {
    struct ir_module *module;
    struct arena *arena; // borrowed
    VEC(struct check_array) arrays;
    struct check_helper *helpers; // by the function's number in the module
    struct points_to **sets;      // the same
    // Of the function that is worked on.
    int number;
    struct ir_function *function;
    struct ir_builder b;
    struct check_shadow *shadows; // by variable, of the first |shadow_count|
    int shadow_count;
    struct ir_inst **counts; // kernels: elements, by parameter; NULL until asked for
};

// ---- check_array.c: arrays and their names -------------------------------------------------------------------------

struct check_extent {
    const char *name; // NULL: of a helper's parameter, which may be one of several
    int64_t element;
    struct ir_inst *count; // of elements
};

bool check_is_handed(const struct ir_function *function, int base); // a helper's pointer parameter
// Instructions go where the builder stands; counts of parameters to the entry.
struct check_extent check_extent_of(struct checker *c, int base);
int64_t check_element_of(const struct checker *c, int base);
int check_number_of(struct checker *c, const struct ir_function *function, int base);
// The parameter beside a helper's pointer parameter: 0 its offset, 1 its size, 2 its number.
struct ir_inst *check_beside(struct checker *c, int base, int which);
void check_add_name(struct check_names *names, int number);
void check_add_names(struct check_names *to, const struct check_names *from);
void check_candidates(struct checker *c, int function, struct base_set *out);
struct ir_inst *check_beginning(struct checker *c, int base); // its address
void check_names_of(struct checker *c, int function, const struct base_set *set, struct check_names *out);

// ---- check_pointer.c: what is known of a pointer -------------------------------------------------------------------

struct ir_inst *check_int(struct checker *c, int64_t value);
struct ir_inst *check_op(struct checker *c, enum ir_op op, struct ir_inst *x, struct ir_inst *y); // i64
const struct check_pointer *check_pointer_of(struct checker *c, struct ir_inst *value);
struct ir_inst *check_bytes(struct checker *c, const struct check_pointer *pointer); // its offset
// The three that stand for the pointer wherever several arrays may be meant.
void check_spread(struct checker *c, const struct check_pointer *pointer, struct ir_inst *out[3]);
void check_find_shadows(struct checker *c);
bool check_write_shadows(struct checker *c); // false: there is none that is read and not yet written

#endif
