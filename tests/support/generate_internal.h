// The parts of the generator: generate.c the file and its arguments, generate_expr.c expressions and indices,
// generate_stmt.c statements inside loops, generate_loop.c loops and their nests, generate_idiom.c and
// generate_called.c loops as people write them, generate_pointer.c those over pointers and copies, generate_layout.c
// those over packed structs, bit-fields and unions, generate_count.c counters near their limits and side effects,
// generate_block.c regions of blocks, generate_scan.c running values, generate_list.c lists, searches and tables,
// generate_local.c locals at every level of nests, generate_control.c what stands
// around them. generate_overlap.c writes whole files by itself, and so do the grammars of generate_grammar.h.
#ifndef RILL_TESTS_SUPPORT_GENERATE_INTERNAL_H
#define RILL_TESTS_SUPPORT_GENERATE_INTERNAL_H

#include "generate.h"

#include <stdbool.h>

enum { GEN_ARRAYS = 16, GEN_SCALARS = 96, GEN_NAME = 24, GEN_TEXT = 96 };

// X(NAME, "C name", "name for differ", bytes)
#define GEN_TYPE_LIST(X)                                                                                               \
    X(I8, "signed char", "i8", 1)                                                                                      \
    X(U8, "unsigned char", "u8", 1)                                                                                    \
    X(I16, "short", "i16", 2)                                                                                          \
    X(U16, "unsigned short", "u16", 2)                                                                                 \
    X(I32, "int", "i32", 4)                                                                                            \
    X(U32, "unsigned", "u32", 4)                                                                                       \
    X(I64, "long", "i64", 8)                                                                                           \
    X(U64, "unsigned long", "u64", 8)                                                                                  \
    X(F32, "float", "f32", 4)                                                                                          \
    X(F64, "double", "f64", 8)                                                                                         \
    X(BOOL, "_Bool", "bool", 1)                                                                                        \
    X(RECORD, "struct pt", "bytes", 1)

enum gen_type {
#define GEN_TYPE_ENUM(name, c_name, text, size) GEN_##name,
    GEN_TYPE_LIST(GEN_TYPE_ENUM)
#undef GEN_TYPE_ENUM
        GEN_TYPES
};

// A value that is known while the text is written.
struct gen_known {
    char text[GEN_NAME];
    long value;
};

// What a nest of loops does with an array. In a nest an array has one role.
enum gen_role {
    GEN_READ,    // only read, at any index
    GEN_WRITE,   // read and written at indices that can be followed
    GEN_UPDATE,  // only updated by one operator, at any index
    GEN_SCATTER, // only touched at a permutation of the nest's loop variable
    GEN_FLAG,    // only stored to, always the same constant
    GEN_NOTHING,
};

struct gen_array {
    char name[GEN_NAME];
    enum gen_type type;
    int rank;
    struct gen_known extents[3];
    bool is_const;
    bool is_field;
    bool is_local;
    bool is_own;     // the kernel's own, of variable length
    bool is_special; // floats with infinities and NaNs: only for what chooses among them
    bool is_perm;    // a permutation of 0 … extents[0] - 1
    long limit;      // all values lie in [0, limit); 0: nothing is known. Never written
    char buffer[GEN_NAME];
    long offset;
    bool is_mixed; // other arrays see the same memory as another type
    enum gen_role role;
    int update;          // GEN_UPDATE: which
    char home[GEN_TEXT]; // GEN_WRITE: the index of the first extent that is taken mostly
    char perm[GEN_TEXT]; // GEN_SCATTER: the whole index
    int group;           // block of a region that owns it; 0: none
};

struct gen_scalar {
    char name[GEN_NAME];
    enum gen_type type;
    bool is_known; // always within [low, high]
    long low;
    long high;
    bool is_counter; // a loop variable
    bool is_fixed;   // never assigned
    bool is_set;     // has a value
    int group;
};

struct gen {
    uint64_t state;
    struct str *out;
    int indent;
    struct gen_array arrays[GEN_ARRAYS];
    int array_count;
    struct gen_scalar scalars[GEN_SCALARS];
    int scalar_count;
    int name_count;
    bool is_tame;    // every float in an array is a small whole number
    bool gives_word; // a loop has `#pragma rill parallel`, or atomics that do not commute
    bool is_wild;    // with what C leaves open: gcc's build dies of it, the others agree
    bool has_records;
    bool has_print;
    bool has_struct_param;
    bool has_layouts;      // those of generate_layout.c
    int layout_offset;     // elements between the two parameters of a layout
    bool prefers_helpers;  // idioms of generate_called.c
    bool prefers_shapes;   // idioms of generate_pointer.c and those beside it
    bool prefers_locals;   // those of generate_local.c
    bool is_huge;          // arrays as long as it takes before a CPU takes a loop apart
    bool prefers_patterns; // those of generate_scan.c and generate_list.c
    long work;             // iterations of the loops around this place, multiplied
    long work_limit;
    long outer_limit; // > 0: the limit inside the loop that is written now
    int depth;        // of statements
    int loop_depth;   //
    int index_depth;  // of indices in indices
    bool in_nest;     // inside a canonical loop: the roles hold
    bool in_for_body; // `continue` means the innermost `for`
    int break_depth;  // > 0: `break` leaves a while or switch
    int statement_budget;
    int group;      // of the block that is written now
    bool no_blocks; // between gotos
    enum gen_type return_type;
    bool returns;
    int label_count;
};

// ---- generate.c
uint32_t gen_random(struct gen *g, uint32_t below); // 0 … below - 1
bool gen_chance(struct gen *g, uint32_t percent);
bool gen_is_float(enum gen_type type);
const char *gen_type_name(enum gen_type type);
void gen_line(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3))); // with indent and newline
void gen_open(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3))); // ... {
void gen_close(struct gen *g);
struct gen_scalar *gen_add_scalar(struct gen *g, const char *prefix, enum gen_type type);
struct gen_array *gen_add_array(struct gen *g, const char *prefix, enum gen_type type);

// ---- generate_expr.c: texts are allocated in the output's arena
const char *gen_int(struct gen *g, int depth);                       // an expression of some integer type
const char *gen_float(struct gen *g, int depth);                     //
const char *gen_value(struct gen *g, enum gen_type type, int depth); // what is stored into an object of |type|
const char *gen_tame(struct gen *g, enum gen_type type, int depth);  // … a small whole number, if it is a float
const char *gen_condition(struct gen *g, int depth);
const char *gen_index(struct gen *g, const struct gen_known *extent, bool is_followable);
const char *gen_place(struct gen *g, const struct gen_array *array, bool is_store, enum gen_type *out_type); // "a[i].b"
struct gen_array *gen_choose_array(struct gen *g, enum gen_role role);
struct gen_scalar *gen_choose_scalar(struct gen *g, bool is_float, bool to_write);
struct gen_scalar *gen_choose_counter(struct gen *g);
const char *gen_text(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- generate_stmt.c
void gen_statement(struct gen *g); // inside a nest of loops
void gen_statements(struct gen *g, int count);
void gen_declare_scalar(struct gen *g);
void gen_reduction(struct gen *g);
void gen_choose_roles(struct gen *g, const struct gen_scalar *counter);
void gen_choose_homes(struct gen *g, const struct gen_scalar *counter);
void gen_declare_known(struct gen *g);

// ---- generate_loop.c
void gen_loop(struct gen *g, const char *pragma, void (*body)(struct gen *g, const struct gen_scalar *counter));
void gen_nest(struct gen *g);
void gen_time_nest(struct gen *g);

// ---- generate_idiom.c
bool gen_idiom(struct gen *g); // false if none suits
// An array of this rank and at least so many rows; NULL: there is none.
struct gen_array *gen_find_array(struct gen *g, int rank, bool is_written, long least);
// A name for a counter that expressions may use while it is in scope.
const char *gen_push_counter(struct gen *g, long low, long high);
// Everything may be read at any index, but for the arrays that the idiom writes itself.
void gen_begin(struct gen *g, struct gen_array *first, struct gen_array *second);
void gen_end(struct gen *g, int scalar_count);
long gen_trips_of(const struct gen *g, const struct gen_array *a);

// ---- generate_called.c: as in generate_idiom.c
bool gen_called_updates(struct gen *g);
bool gen_called_reads(struct gen *g);
bool gen_kept_in_nest(struct gen *g);
bool gen_called_members(struct gen *g);
bool gen_called_places(struct gen *g);

// ---- generate_pointer.c: as in generate_idiom.c
bool gen_pointer_walk(struct gen *g);
bool gen_pointer_choice(struct gen *g);
bool gen_pointer_rows(struct gen *g);
bool gen_memory_calls(struct gen *g);
bool gen_local_matrix(struct gen *g);

// ---- generate_layout.c: the texts of the head, then as in generate_idiom.c
void gen_layout_buffers(struct gen *g);
void gen_layout_args(struct gen *g);
void gen_layout_types(struct gen *g);
const char *gen_layout_params(struct gen *g);
bool gen_layout_loop(struct gen *g);
bool gen_layout_updates(struct gen *g);
bool gen_layout_local(struct gen *g);

// ---- generate_count.c: as in generate_idiom.c
bool gen_limits(struct gen *g);
bool gen_inner_while(struct gen *g);
bool gen_side_effects(struct gen *g);

// ---- generate_block.c: as in generate_idiom.c
bool gen_block_split(struct gen *g);
bool gen_block_rows(struct gen *g);
bool gen_block_updates(struct gen *g);
bool gen_block_mixed(struct gen *g);

// ---- generate_local.c: a text of the head, then as in generate_idiom.c
void gen_local_helpers(struct gen *g);
bool gen_locals(struct gen *g);

// ---- generate_scan.c, generate_list.c: texts of the head, then as in generate_idiom.c
void gen_scan_helpers(struct gen *g);
void gen_list_helpers(struct gen *g);
bool gen_scan(struct gen *g);
bool gen_list(struct gen *g);
const char *gen_as(struct gen *g, enum gen_type type, const char *value); // tame, if it is a float

// ---- generate_overlap.c
void gen_overlap_file(struct gen *g);

// ---- generate_control.c
void gen_control(struct gen *g, int count);
void gen_blocks(struct gen *g);

#endif
