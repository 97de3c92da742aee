// What the files of lowering share. The work has two halves: reach.c walks what the kernels reach, once for each
// function, refuses what must not be reached and collects what the second half wants to know; the other files then emit
// instructions, once for each place where a function is inlined, and find nothing left to refuse but sizes.
//
// Values are instructions. An expression's value is read where C reads it: a variable assigned later does not change an
// instruction that was emitted before.
#ifndef RILL_LOWER_INTERNAL_H
#define RILL_LOWER_INTERNAL_H

#include "base/hash.h"
#include "base/pointer_map.h"
#include "base/vec.h"
#include "lower/lower.h"

enum {
    LOWER_INLINE_WEIGHT = 2000,
    LOWER_INLINE_POINTERS = 8000, // of helpers that take pointers
    LOWER_KERNEL_WEIGHT = 40000,
    LOWER_MAX_LOCALS = 64 * 1024,
    LOWER_MAX_OUTER = 16 * 1024, // of an array at a kernel's outer level, to be the launch block's or a task's
};
// Arrays that the launch lends to a kernel: see scratch.c.
enum { LOWER_MAX_SCRATCH = 32, LOWER_SCRATCH_ALIGN = 256 };
// Calls in calls, and expressions and statements in each other with the calls among them taken for their bodies.
enum { LOWER_MAX_CALLS = 256, LOWER_MAX_DEPTH = 8192 };
// Kernels that call each other twice double at every level; this is thousands of tasks.
enum { LOWER_MAX_WRITTEN = 100000 };

// ---- reach.c: what a function is and does --------------------------------------------------------------------

// How the function that declares an object uses it.
struct lower_object {
    bool is_assigned;  // after its initialisation
    bool is_addressed; // its address is taken: it must be memory
};

// A piece of a statement list that forward jumps leave (a block) or backward jumps repeat (a loop).
struct lower_span {
    bool is_loop;
    int low; // items [low, high)
    int high;
    struct label *label;
};

struct lower_spans {
    struct lower_span *items;
    int count;
    int capacity;
};

struct lower_extent_of_stmt { // of a statement among all of its function, in source order
    int enter;
    int exit;
};

struct lower_info {
    struct function *function;
    int64_t weight;          // instructions, roughly, with those of all callees
    int64_t written;         // with those of the kernels it calls, whose bodies stand in it: LOWER_MAX_WRITTEN at most
    bool has_effect;         // writes what others see, prints, fails, is atomic; itself or a callee
    uint32_t written_params; // bit k: it writes through pointer parameter k
    bool reads_memory;       // that others may write
    bool is_on_path;         // of the walk: meeting it again is recursion
    bool is_done;
    int return_count;
    bool returns_last;            // its only return is the last statement of the body
    bool has_blocks;              // stream_parallel, itself or a kernel it calls
    const struct object *scratch; // an array that only a kernel can have, its own or of a kernel it calls; NULL: none
    bool has_jumps;               // goto, or a switch whose cases do not stand straight in its body
    struct lower_info *caller;    // on the path
    struct loc call_loc;          // where the caller calls it
    struct ir_function *helper;   // when it is called rather than inlined
    // label.c, only if has_jumps
    struct pointer_map extents;   // stmt → lower_extent_of_stmt
    struct pointer_map spans;     // block → lower_spans
    struct pointer_map irregular; // label, or case statement of an irregular switch: reached by jumps of a CFG
    struct pointer_map roots;     // statements that become a CFG
};

// ---- the state -----------------------------------------------------------------------------------------------------

enum lower_binding_kind {
    BIND_VALUE, // |value|: a parameter of an inlined function that nothing assigns, or the variable of an unrolled loop
    BIND_PARAM, // parameter |param| of the kernel or helper, read where it is used; a struct: the address of it
    BIND_VAR,   // the scalar variable |var|
    BIND_MEMORY,  // the memory variable |var|
    BIND_GLOBAL,  // |global|
    BIND_ADDRESS, // memory at |value|
    BIND_SCRATCH, // memory that the launch lends, to which parameter |param| of the kernel points
};

struct lower_binding {
    enum lower_binding_kind kind;
    struct ir_inst *value;
    int param;
    struct ir_var *var;
    struct ir_global *global;
    struct ir_inst *extent; // pointers that keep pointing to the start of an array: its outermost extent, i64; or NULL
};

// The size of a variable array type, kept from where C evaluates it: as instructions at a function's entry, as
// variables in the body.
struct lower_extent {
    struct ir_inst *count;
    struct ir_inst *size; // bytes
    struct ir_var *count_var;
    struct ir_var *size_var;
};

// Where a jump goes: out of |inst| (region -1), or to a region of the CFG |inst|.
struct lower_target {
    struct ir_inst *inst;
    int region;
};

struct lower_cfg {
    struct ir_inst *inst;
    int count;              // regions in use
    int capacity;           //
    struct pointer_map map; // case statements → lower_target
};

// One inlining of a function, or the kernel itself.
struct lower_frame {
    struct lower_frame *caller;
    struct lower_info *info;
    struct pointer_map bindings; // object → lower_binding
    struct pointer_map extents;  // extent expression → lower_extent
    struct pointer_map labels;   // label → lower_target
    struct lower_target break_target;
    struct lower_target continue_target;
    struct lower_cfg *cfg;    // being filled
    struct expr *const *args; // inlined: as the caller wrote them, in its own frame
    bool is_inlined;
    bool is_direct;                 // its only return comes last: |result| is the value
    struct ir_inst *return_block;   // inlined, not direct: leaving it returns
    struct ir_var *return_var;      //
    struct ir_inst *return_address; // functions that return a struct: where it goes
    struct ir_inst *result;
};

struct lower_guard;
struct lower_scratch;

struct lower {
    struct arena *arena; // borrowed
    struct diags *diags; // borrowed
    const struct unit *unit;
    struct lower_options options;
    struct ir_module *module;
    struct ir_builder b;
    struct lower_frame *frame;
    struct ir_inst *scope; // the innermost for, loop or blocks that is being filled
    int scope_key;         // its number; 0 at function level
    int scope_count;       //
    int temp_count;        // in this function
    int single_depth;      // inside a loop that is not canonical and has `#pragma rill single`
    int plain_depth;       // inside the version of a loop for when its variable wraps: all loops are plain ones
    VEC(const struct expr *) steps; // of loops that are being filled: known to lead to their bounds (counted.c)
    int parallel_depth;             // of loops under `#pragma rill parallel`
    int block_key;                  // of the stream_parallel block that is being filled; 0: none
    int block_count;                // in this function
    struct lower_guard *guard;      // of the statements that are being lowered
    struct lower_scratch *scratch;  // of this kernel
    int scratch_count;              //
    struct ir_inst *entry_end;      // the last instruction of the kernel's entry; NULL: there is none
    struct pointer_map infos;       // function → lower_info
    struct pointer_map objects;     // object → lower_object
    struct pointer_map globals;     // object → ir_global
    uint64_t globals_size;          // bytes of them
    struct pointer_map strings;     // bytes → ir_global
    struct hash_map names;          // of the first |named_count| globals of the module
    int named_count;                //
    struct pointer_map ctypes;      // record → ir_ctype
    int string_count;
    int call_depth;
    int depth;
    bool was_too_deep;                      // and it has been said
    struct ir_ctype *scalars[TYPE_POINTER]; // by type kind
};

struct lower_info *lower_reach(struct lower *l, struct function *kernel);
struct lower_info *lower_info(const struct lower *l, const struct function *function);
const struct lower_object *lower_object(const struct lower *l, const struct object *object);

// written.c: where writes through pointers go
#define LOWER_ELSEWHERE (UINT32_C(1) << 31)
struct lower_given {
    const struct object *object; // a pointer variable
    const struct expr *value;    // what it is given somewhere
};
struct lower_pointers {
    VEC(struct lower_given) given;
    VEC(const struct expr *) written; // pointers through which something is written
};
// 0 if all of it is the function's own; bit k: what parameter k points to; LOWER_ELSEWHERE: perhaps something else.
uint32_t lower_written_through(const struct lower *l, const struct function *function,
                               const struct lower_pointers *pointers);

// expect.c: what an expression does, found on the tree
bool lower_has_effect(const struct lower *l, const struct expr *e);   // also volatile reads, and making a literal
bool lower_is_operand(const struct lower *l, const struct expr *e);   // no effect but that of making a literal
bool lower_reads_memory(const struct lower *l, const struct expr *e); // that a store elsewhere may change
bool lower_same(const struct expr *a, const struct expr *b);          // the same text, as far as it matters
bool lower_mentions(const struct expr *e, const struct expr *lvalue);
bool lower_is_cheap(const struct lower *l, const struct expr *e);
const struct expr *lower_strip(const struct expr *e); // without implicit casts
// What is as true as |e|: without `!!`, and without what makes another integer of a truth value (__builtin_expect).
const struct expr *lower_truth(const struct expr *e);
bool lower_is_memory_object(const struct lower *l, const struct object *object);

// label.c
void lower_label_survey(struct lower *l, struct lower_info *info);
bool lower_is_irregular(const struct lower_info *info, const struct stmt *stmt); // holds a target of a CFG's jumps
bool lower_switch_is_regular(const struct stmt *stmt);

// ---- type.c --------------------------------------------------------------------------------------------------

enum ir_type lower_type(const struct type *type); // IR_VOID for what is no scalar
bool lower_is_unsigned(const struct type *type);
struct ir_ctype *lower_ctype(struct lower *l, const struct type *type);
const struct type *lower_refused_type(const struct type *type, const char **out_why); // NULL: none in it

// ---- emit.c: instructions, folded where the operands are constants -------------------------------------------

void lower_at(struct lower *l, struct loc loc);
// One level deeper; false, with one complaint, when that is too deep. Always followed by lower_leave.
bool lower_enter(struct lower *l, struct loc loc);
void lower_leave(struct lower *l);
bool lower_is_dead(const struct lower *l); // nothing emitted here can run
struct ir_inst *lower_int(struct lower *l, enum ir_type type, int64_t value);
struct ir_inst *lower_unary(struct lower *l, enum ir_op op, enum ir_type type, struct ir_inst *x);
struct ir_inst *lower_binary(struct lower *l, enum ir_op op, enum ir_type type, struct ir_inst *x, struct ir_inst *y);
struct ir_inst *lower_select(struct lower *l, struct ir_inst *condition, struct ir_inst *x, struct ir_inst *y);
struct ir_inst *lower_not(struct lower *l, struct ir_inst *condition);    // of an i1
struct ir_inst *lower_is_nonzero(struct lower *l, struct ir_inst *value); // any scalar → i1
struct ir_inst *lower_convert(struct lower *l, struct ir_inst *value, const struct type *from, const struct type *to);
struct ir_inst *lower_widen(struct lower *l, struct ir_inst *value, const struct type *from); // an integer, to i64
struct ir_inst *lower_math(struct lower *l, enum ir_math math, enum ir_type type, struct ir_inst *x, struct ir_inst *y);
struct ir_inst *lower_offset(struct lower *l, struct ir_inst *address, int64_t offset);
// How memory is accessed, by the types that lead to it.
struct lower_access {
    bool is_volatile;
    bool is_packed; // in a struct that is less aligned than what is accessed
    bool is_around; // by writing a bit-field
};
struct ir_inst *lower_load(struct lower *l, enum ir_type type, struct ir_inst *address, struct lower_access access);
struct ir_inst *lower_store(struct lower *l, struct ir_inst *address, struct ir_inst *value,
                            struct lower_access access);
void lower_copy(struct lower *l, struct ir_inst *to, struct ir_inst *from, uint64_t size, bool is_packed);
// |is_packed| says so of where it goes to or comes from.
void lower_copy_record(struct lower *l, struct ir_inst *to, struct ir_inst *from, const struct type *type,
                       bool is_packed);
void lower_jump(struct lower *l, struct lower_target target);
struct ir_var *lower_var(struct lower *l, const char *name, enum ir_type type);
struct ir_var *lower_temp(struct lower *l, enum ir_type type);
struct ir_var *lower_memory(struct lower *l, const char *name, const struct type *type, struct loc loc);
struct ir_inst *lower_addr_var(struct lower *l, struct ir_var *var);
bool lower_const_value(const struct ir_inst *inst, int64_t *out_value);

// ---- place.c: lvalues ----------------------------------------------------------------------------------------

enum lower_place_kind { PLACE_VALUE, PLACE_VAR, PLACE_MEMORY };

struct lower_place {
    enum lower_place_kind kind;
    struct ir_inst *inst; // PLACE_VALUE: the value; PLACE_MEMORY: the address
    struct ir_var *var;
    const struct type *type;
    const struct member *bitfield; // then |inst| is the address of the record's start
    uint64_t record_size;
    uint32_t record_align;
    struct lower_access access;
};

struct lower_binding *lower_bind(struct lower *l, const struct object *object); // made when it is met first
struct lower_binding *lower_bind_new(struct lower *l, const struct object *object);
struct lower_place lower_place(struct lower *l, const struct expr *e);
struct ir_inst *lower_place_address(struct lower *l, const struct lower_place *place);
struct ir_inst *lower_place_read(struct lower *l, const struct lower_place *place);
// The value that reading would now give; equal to |value| but for bit-fields.
struct ir_inst *lower_place_write(struct lower *l, const struct lower_place *place, struct ir_inst *value);
struct ir_inst *lower_address(struct lower *l, const struct expr *e); // of an lvalue, or of where a struct value is
// p + i; |is_access| says that the element is then read or written, so that its index must lie inside the extent.
struct ir_inst *lower_element(struct lower *l, const struct expr *e, bool is_access);
struct ir_inst *lower_target(struct lower *l, const struct expr *pointer); // what is read or written through it
struct ir_inst *lower_type_size(struct lower *l, const struct type *type); // bytes, i64
void lower_bind_extents(struct lower *l, const struct type *type, bool at_entry);
// The extent of an array type as it was when the array was declared, of 64 bits.
struct ir_inst *lower_extent_value(struct lower *l, const struct expr *extent);
const char *lower_expr_name(struct lower *l, const struct expr *e); // "a", "s.m", "p->m"; NULL

// ---- expr.c --------------------------------------------------------------------------------------------------

struct ir_inst *lower_value(struct lower *l, const struct expr *e);     // NULL if void; a struct: its address
struct ir_inst *lower_condition(struct lower *l, const struct expr *e); // i1
void lower_effect(struct lower *l, const struct expr *e);               // the result is not used
struct ir_inst *lower_arithmetic(struct lower *l, enum expr_kind kind, const struct type *type, struct ir_inst *x,
                                 struct ir_inst *y);
struct ir_inst *lower_compare(struct lower *l, enum expr_kind kind, const struct type *type, struct ir_inst *x,
                              struct ir_inst *y);

// ---- update.c: language.md §3 --------------------------------------------------------------------------------

bool lower_try_update(struct lower *l, const struct expr *e);
bool lower_try_update_if(struct lower *l, const struct stmt *stmt);

// ---- call.c, builtin.c ---------------------------------------------------------------------------------

struct ir_inst *lower_call(struct lower *l, const struct expr *e, bool is_used);
void lower_enter_function(struct lower *l, struct lower_frame *frame, struct lower_info *info);
// Parameters that are assigned or addressed move from their values to variables of their own.
void lower_settle_params(struct lower *l, const struct function *function);
// builtin_bits.c: GNU C's functions of bits; arithmetic that tells whether its result fits
bool lower_is_bits(const struct function *function);
struct ir_inst *lower_bits(struct lower *l, const struct expr *e, struct ir_inst *x);
bool lower_is_overflow(const struct function *function, bool *out_is_question);
struct ir_inst *lower_overflow(struct lower *l, const struct expr *e, struct ir_inst *const *args);
struct ir_inst *lower_builtin_call(struct lower *l, const struct expr *e, bool is_used);
// NULL if lowering knows the function; else why a kernel must not call it.
const char *lower_builtin_refusal(struct lower *l, const struct expr *call);
bool lower_builtin_is_pure(const struct function *function);
int lower_builtin_written(const struct function *function); // the argument that it only writes through; -1: none
bool lower_builtin_is_cheap(const struct function *function);
bool lower_builtin_reads_memory(const struct function *function);
int lower_builtin_min_max(const struct function *function); // -1: fmin, 1: fmax, 0: neither

// ---- init.c, global.c ----------------------------------------------------------------------------------

void lower_init_local(struct lower *l, const struct object *object);
struct ir_global *lower_global(struct lower *l, const struct object *object);
struct ir_global *lower_string(struct lower *l, const struct expr *e);
// A local that is filled with constants and never written: it may as well stand once in the module.
bool lower_is_table(const struct lower *l, const struct object *object);
bool lower_name_is_taken(struct lower *l, const char *name);
struct ir_inst *lower_constant(struct lower *l, const struct object *object); // of a const scalar; NULL if not known

// ---- scratch.c -------------------------------------------------------------------------------------------------

// Where a kernel leaves the struct that it returns: memory that the launch lends too.
struct ir_inst *lower_result_address(struct lower *l, const struct function *function);
// A local array that the launch lends.
bool lower_is_scratch(const struct lower *l, const struct object *object);
void lower_bind_scratch(struct lower *l, const struct object *object);
// What follows runs only where the condition holds, or does not. What is returned goes to lower_guard_leave().
struct lower_guard *lower_guard_enter(struct lower *l, const struct expr *condition, bool is_negated);
void lower_guard_leave(struct lower *l, struct lower_guard *saved);

// ---- stmt.c, loop.c, cfg.c -----------------------------------------------------------------------

// ---- unroll.c -------------------------------------------------------------------------------------------------

// A loop under `#pragma rill unroll`.
struct lower_unrolled {
    const struct object *var;
    int64_t first;
    int64_t step;
    int count;            // iterations
    struct stmt **blocks; // of one iteration
    int block_count;
    struct stmt *single[1]; // |blocks| points here if the body is one block without braces
};

// Whether the loop can be unrolled. |reports|: why not is an error. |out| must stay where it is.
bool lower_unroll_find(struct lower *l, const struct stmt *stmt, bool reports, struct lower_unrolled *out);
// Block |index| of all, of which there are count * block_count.
void lower_unroll_block(struct lower *l, const struct lower_unrolled *loop, int index, struct ir_region *region);

void lower_stmt(struct lower *l, const struct stmt *stmt);
void lower_body(struct lower *l, const struct stmt *stmt, struct ir_region *region); // into a region of its own
bool lower_for(struct lower *l, const struct stmt *stmt, const char **out_why, struct loc *out_where);
// The loop as C has it, but for its first part, which has been lowered.
void lower_plain_loop(struct lower *l, const struct stmt *stmt, const char *why);
void lower_cfg(struct lower *l, const struct stmt *stmt);
void lower_switch_cases(struct lower *l, struct ir_inst *inst, const struct stmt *stmt, const int *regions);
struct ir_inst *lower_switch_value(struct lower *l, const struct stmt *stmt);

struct lower_saved_scope {
    struct ir_inst *scope;
    int key;
};
struct lower_saved_scope lower_enter_scope(struct lower *l, struct ir_inst *scope);
void lower_leave_scope(struct lower *l, struct lower_saved_scope saved);
bool lower_has_continue(const struct stmt *body);
void lower_settle_function(struct lower *l, struct ir_function *function); // drops what nothing uses, sets may_fail

#endif
