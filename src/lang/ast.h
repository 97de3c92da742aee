// The typed tree: what the parser and checker hand to lowering. Every conversion that C makes by itself is an EXPR_CAST
// or EXPR_DECAY node here, every expression has its type, every name its object, every initialiser is a flat list of
// stores. What Rill refuses "where a kernel reaches it" (long double, function pointers, heap, …) is accepted here and
// refused by lowering, which knows what is reached; an EXPR_REFUSED or STMT_REFUSED node carries the words where the
// parser knows them best.
//
// Everything lives in the compile's arena. After errors the tree may hold TYPE_ERROR; it is then not lowered.
#ifndef RILL_LANG_AST_H
#define RILL_LANG_AST_H

#include "base/diag.h"
#include "base/loc.h"

#include <stdbool.h>
#include <stdint.h>

struct expr;
struct stmt;
struct function;
struct object;
struct record;

// ---- types ----------------------------------------------------------------------------------------------------------

enum type_kind {
    TYPE_ERROR, // something already reported; converts to and from everything silently
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_CHAR, // signed, and a type of its own
    TYPE_SCHAR,
    TYPE_UCHAR,
    TYPE_SHORT,
    TYPE_USHORT,
    TYPE_INT,
    TYPE_UINT,
    TYPE_LONG,
    TYPE_ULONG,
    TYPE_LLONG,
    TYPE_ULLONG,
    TYPE_ENUM, // |base| is its integer type (int, or unsigned int as gcc does when no value is negative)
    TYPE_BF16, // __bf16; kinds of floats are in the order of their conversions
    TYPE_F16,  // _Float16
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_LDOUBLE, // refused where reached
    TYPE_COMPLEX, // of long double: refused where reached; |base| is the real type. Others are records (complex.c)
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_FUNCTION,
    TYPE_STRUCT,
    TYPE_UNION,
};

enum type_qualifier { QUAL_CONST = 1, QUAL_VOLATILE = 2, QUAL_RESTRICT = 4 };

enum { TYPE_LENGTH_UNKNOWN = -1, TYPE_LENGTH_VARIABLE = -2 };

// Types are compared with type_compatible(), not by address: a qualified type is a copy.
struct type {
    enum type_kind kind;
    unsigned quals;
    uint64_t size; // 0 while incomplete or variable
    uint32_t align;
    struct type *base;        // pointee, element, returned type, enum's integer type
    int64_t length;           // arrays: elements, or TYPE_LENGTH_*
    struct expr *extent;      // TYPE_LENGTH_VARIABLE: the extent as written (converted to long long); NULL is [*]
    struct object **params;   // functions: types always; names may be NULL
    int param_count;          //
    bool is_variadic;         //
    bool has_prototype;       // false for ()
    struct record *record;    // structs and unions
    bool is_ext_vector;       // a vector by ext_vector_type: see vector_cast
    const char *enum_tag;     // enums: NULL if it has none
    const char *typedef_name; // the name it was last known by, for messages; may be NULL
    int depth;                // derivations down to a basic type; a pointer to a record is 1
};

struct member {
    const char *name; // NULL for an anonymous struct or union, and for unnamed bit-fields (which are not in the list)
    struct type *type;
    struct loc loc;
    uint64_t offset; // bytes; for a bit-field, of its storage unit (size of |type|, naturally aligned unless packed)
    bool is_bitfield;
    // From the least significant bit of the unit at |offset|. In a packed record |offset| is the byte where the bits
    // begin and they may reach beyond the type's size: they lie in the (bit_offset + bit_width + 7) / 8 bytes from
    // |offset|.
    uint8_t bit_offset;
    uint8_t bit_width;
};

struct record {
    const char *tag; // NULL if it has none
    bool is_union;
    bool is_complete;
    bool has_flexible_array;
    struct loc loc;
    uint64_t size;
    uint32_t align;
    struct member *members;
    int member_count;
    int depth;             // of its deepest member, plus 1
    bool has_const_member; // itself or in a member: not assignable
    bool has_pointer;      // itself or in a member
    bool is_complex;       // a complex number: its two members are the real and the imaginary part (complex.c)
    int lane_count;        // of a vector, whose one member is an array of its lanes (vector.c); else 0
};

// ---- objects and functions ------------------------------------------------------------------------------------------

enum object_kind {
    OBJECT_FIELD,        // file scope, not const: device memory, one copy for each loaded module
    OBJECT_CONSTANT,     // file scope and const; also `static const` locals and string literals
    OBJECT_STATIC_LOCAL, // mutable static local: refused where reached
    OBJECT_LOCAL,
    OBJECT_PARAM,
};

// One store of an initialiser. Stores come in source order, later ones win (C99 6.7.8p19); what no store covers is zero
// if the object has any initialiser.
struct init_store {
    uint64_t offset;
    struct type *type;             // of the place; a struct or array only when |value| is of that type (a copy)
    const struct member *bitfield; // NULL unless the place is a bit-field
    struct expr *value; // already converted to |type|; a string for a char array is an EXPR_STRING of that type
    struct loc loc;
};

struct object {
    const char *name;
    struct type *type; // a parameter's is adjusted (array → pointer); |array_type| keeps what was written
    enum object_kind kind;
    struct loc loc;
    struct type *array_type; // parameters written as arrays: the array type, with its extents; else NULL
    int index; // parameters: position; fields and constants: a number unique in the unit; locals: unique in the
               // function
    bool address_taken; // & was applied, or it is an array or struct whose address escaped into an expression
    bool is_extern;     // declared only, never defined: refused where reached
    bool has_init;
    bool is_static; // file scope: internal linkage
    struct init_store *inits;
    int init_count;
    uint32_t align; // at least the type's; _Alignas raises it
};

// Library functions that lowering knows. Found by name when a function without a body was declared by a built-in
// header.
struct function {
    const char *name;
    struct type *type;
    struct loc loc;
    struct object **params; // when defined
    int param_count;
    struct stmt *body; // STMT_BLOCK, or NULL when it is only declared
    bool is_kernel;
    bool is_builtin; // declared in a built-in header (or known to the parser) and has no body
    bool is_static;
    bool is_inline;
    bool is_single;   // `#pragma rill single` before a kernel definition
    int local_count;  // locals are numbered from 0
    int block_count;  // stream_parallel blocks in the body
    bool is_noreturn; // _Noreturn, or the attribute
};

// ---- expressions ----------------------------------------------------------------------------------------------------

enum expr_kind {
    EXPR_INT,      // |u|: an integer constant of the expression's type (also enum constants, folded sizeof)
    EXPR_FLOAT,    // |f|
    EXPR_STRING,   // |bytes|, |u| of them including the terminator; type is char[u] (wide: int[]); an lvalue
    EXPR_OBJECT,   // |object|: an lvalue
    EXPR_FUNCTION, // |function|: a designator
    // one operand: |a|
    EXPR_NEG,
    EXPR_BITNOT,
    EXPR_LOGNOT, // int 0 or 1
    EXPR_CAST,   // to the expression's type; |is_implicit| unless written; casts to void too
    EXPR_DECAY,  // array lvalue or function to pointer
    EXPR_ADDR,   // &lvalue
    EXPR_DEREF,  // *pointer: an lvalue
    EXPR_MEMBER, // |a|.|member|: an lvalue if |a| is; p->m is EXPR_MEMBER of EXPR_DEREF
    // two: |a|, |b|. Arithmetic operands have the expression's type (shifts: each its promoted own)
    EXPR_ADD,
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV,
    EXPR_MOD,
    EXPR_SHL,
    EXPR_SHR,
    EXPR_AND,
    EXPR_OR,
    EXPR_XOR,
    EXPR_LT, // comparisons: operands have one common type; result int. Also pointers
    EXPR_LE,
    EXPR_GT,
    EXPR_GE,
    EXPR_EQ,
    EXPR_NE,
    EXPR_LOGAND,
    EXPR_LOGOR,
    EXPR_COMMA,
    EXPR_PTR_ADD,  // pointer |a| plus integer |b| (p - i is PTR_ADD of NEG when i is signed, else of 0 - (long)i); a[i]
                   // is DEREF of this
    EXPR_PTR_DIFF, // pointer minus pointer, in elements, long
    EXPR_ASSIGN,   // lvalue |a| = |b|; the value is that of |a| afterwards
    EXPR_UPDATE,   // lvalue |a| |op|= |b| computed in |compute_type|; |is_postfix|: the value is the old one. ++ and --
                   // too
    EXPR_COND,     // |a| ? |b| : |c|
    EXPR_CALL,     // |function| (direct calls only; others are EXPR_REFUSED) with |args| converted to their parameters'
                   // types
    EXPR_COMPOUND_LITERAL, // |object|: an unnamed local with initialiser, made anew here; an lvalue
    EXPR_STATEMENTS,       // ({ … }): |body|, then the value |a| (NULL: void). No jump crosses its edge
    EXPR_REFUSED,          // |text| says what a kernel must not reach; has a type
};

struct expr {
    enum expr_kind kind;
    struct type *type;
    struct loc loc; // the operator or the name
    bool is_lvalue;
    bool is_implicit; // casts
    bool is_extent;   // casts: |a| is an array's extent, and the value is the one it had when the array was declared
    bool is_postfix;  // EXPR_UPDATE
    bool is_paren;    // written in parentheses: contraction does not care, warnings do
    bool is_naming;   // EXPR_STATEMENTS: names operands of an operation on vectors or complex numbers (naming.h)
    bool is_uncontracted; // under `#pragma STDC FP_CONTRACT OFF`
    struct expr *a;
    struct expr *b;
    struct expr *c;
    uint64_t u; // sign-extended to 64 bits when the type is signed
    double f;
    const char *bytes;
    struct object *object;
    struct function *function;
    const struct member *member;
    enum expr_kind op;         // EXPR_UPDATE: EXPR_ADD … EXPR_XOR; pointers: EXPR_PTR_ADD with |b| an integer
    struct type *compute_type; // EXPR_UPDATE: |a| is converted to this, the operation done, the result converted back
    struct expr **args;
    int arg_count;
    struct stmt *body; // EXPR_STATEMENTS: a block
    const char *text;
    int depth; // of the tree below, at most LANG_MAX_EXPR_DEPTH
};

// ---- statements -----------------------------------------------------------------------------------------------------

// rill map(…): what the machine's levels take of a nest. map(inner) and map(serial) are |serial| and |single|.
enum pragma_map { PRAGMA_MAP_ANY, PRAGMA_MAP_OUTER, PRAGMA_MAP_TWO_LEVEL, PRAGMA_MAP_TILE };

// What the pragmas before a loop or a block say.
struct pragmas {
    struct loc loc; // of the first
    bool parallel;  // rill parallel
    bool serial;    // rill serial
    bool single;    // rill single
    bool in_order;  // rill in_order, for blocks
    bool unroll;    // rill unroll, for loops around blocks
    int collapse;   // 0: none
    int block_dim;  // 0: none
    enum pragma_map map;
    int tile_rows; // map(tile(rows, columns)): of one thread
    int tile_columns;
};

enum stmt_kind {
    STMT_EMPTY,
    STMT_EXPR,     // |expr|
    STMT_DECL,     // |object|: its scope begins; |object->inits| run now. One statement an object
    STMT_BLOCK,    // |items|
    STMT_IF,       // |expr| |body| |else_body|
    STMT_WHILE,    // |expr| |body|
    STMT_DO,       // |body| |expr|
    STMT_FOR,      // |init| (STMT_DECL, STMT_EXPR, STMT_BLOCK of decls, NULL) |expr| or NULL, |step| or NULL, |body|
    STMT_SWITCH,   // |expr| (promoted) |body|; |cases| lists the STMT_CASE and STMT_DEFAULT inside
    STMT_CASE,     // |low|..|high| (equal but for GNU ranges), |body| the statement that follows
    STMT_DEFAULT,  // |body|
    STMT_BREAK,    //
    STMT_CONTINUE, //
    STMT_RETURN,   // |expr| converted, or NULL
    STMT_GOTO,     // |label|
    STMT_LABEL,    // |label|, |body|
    STMT_STREAM_PARALLEL, // |body|; |block_index|
    STMT_REFUSED,         // |text|
};

struct label {
    const char *name;
    struct loc loc; // line 0: used and never defined (an error the parser reports)
    int index;      // unique in the function
    struct stmt *stmt;
};

struct stmt {
    enum stmt_kind kind;
    struct loc loc;
    struct loc end; // blocks: the closing brace
    struct expr *expr;
    struct expr *step;
    struct stmt *init;
    struct stmt *body;
    struct stmt *else_body;
    struct object *object;
    struct stmt **items;
    int item_count;
    struct stmt **cases;
    int case_count;
    int64_t low;
    int64_t high;
    struct label *label;
    struct pragmas pragmas; // loops and stream_parallel
    int block_index;        // STMT_STREAM_PARALLEL: its number in the function, from 0
    const char *text;
};

// ---- the translation unit -------------------------------------------------------------------------------------------

struct unit {
    struct function **functions; // every one declared or defined, in order of first appearance
    int function_count;
    struct object **globals; // fields and constants (file scope and static local), in order; |index| is the position
    int global_count;
};

// Limits, stated in docs/language.md and tested.
enum { LANG_MAX_NESTING = 256, LANG_MAX_PARAMS = 64 };
// Chains that C writes without nesting make deep trees too: a + b + c + …, a[i][j]…; else if, case after case.
enum { LANG_MAX_EXPR_DEPTH = 2048, LANG_MAX_CHAIN = 1024 };
// Stores that one initialiser may come to (ranges multiply).
enum { LANG_MAX_INIT_STORES = 1 << 20 };

struct token_list;

// Parses and checks. NULL only when errors make the tree useless; the caller looks at diags->error_count anyway.
struct unit *parse_unit(struct arena *arena, struct diags *diags, const struct token_list *tokens);

// ---- types.c --------------------------------------------------------------------------------------------------------

bool type_is_integer(const struct type *type); // _Bool, char … unsigned long long, enums
bool type_is_float(const struct type *type);   // float, double, long double
bool type_is_arithmetic(const struct type *type);
bool type_is_scalar(const struct type *type); // arithmetic or pointer
bool type_is_signed(const struct type *type); // integers; char is signed
bool type_is_record(const struct type *type);
bool type_is_variable(const struct type *type); // has a TYPE_LENGTH_VARIABLE somewhere in its element chain
bool type_compatible(const struct type *a, const struct type *b);
// Whether printf's %s takes it in a kernel: a literal, an array of char, or a choice between such (builtin_printf.c).
bool printf_takes_text(const struct expr *e);
// "const float *", "struct particle [n]": for messages.
const char *type_describe(struct arena *arena, const struct type *type);
// pointer[index] as it was written; NULL if that is long, or no plain expression.
const char *expr_element_text(struct arena *arena, const struct expr *pointer, const struct expr *index);

// ---- expression_operate.c -------------------------------------------------------------------------------------------

enum expr_kind expr_mirrored(enum expr_kind compare); // what `a compare b` is seen from b

// ---- constants.c ----------------------------------------------------------------------------------------------------

// Folds with the language's own arithmetic (language.md §6). False when it is no integer / arithmetic constant.
bool const_eval_int(const struct expr *expr, int64_t *out_value);
bool const_eval_float(const struct expr *expr, double *out_value);

// An address constant: a static object, a string or a function (or none of them: a null pointer), plus bytes.
struct const_address {
    struct object *object;
    const struct expr *string; // EXPR_STRING
    struct function *function;
    int64_t offset;
};

// For expressions of pointer type. False when the address is not known before the program runs.
bool const_eval_address(const struct expr *expr, struct const_address *out_address);

#endif
