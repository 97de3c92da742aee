// The parser's own header: its state, the cursor over the tokens, and the functions that its files share. There is one
// function for each grammar symbol, named after it.
//
// Errors: a syntax error makes the parser panic, which silences it until parse_recover() has found the end of the
// statement or declaration. An error of meaning yields a node of TYPE_ERROR, which silences whatever is built on it.
// Passing a limit gives up: the cursor goes to the end of the file, and nothing more is said.
#ifndef RILL_LANG_PARSE_H
#define RILL_LANG_PARSE_H

#include "base/hash.h"
#include "base/vec.h"
#include "lang/ast.h"
#include "lang/preprocess.h"
#include "lang/scope.h"
#include "lang/types.h"

struct stmt_list {
    struct stmt **items;
    int count;
    int capacity;
};

// A `#pragma rill` that was passed and has not found its object yet.
struct waiting_pragma {
    const struct token *token;
    int before; // the index of the token after it
};

// What `#pragma pack(push, name, n)` keeps.
struct pushed_pack {
    const char *name; // "": none
    int pack;
};

struct switch_state {
    struct switch_state *outer;
    struct type *type; // promoted
    VEC(struct stmt *) cases;
    struct stmt *default_case;
};

struct goto_use {
    struct label *label;
    struct loc loc;
    int block;
};

struct label_state {
    struct label label; // first, so that the two convert
    int block;          // the stream_parallel block it stands in, or -1
};

// What the function being parsed knows. Whether break and continue have a target counts from the innermost
// stream_parallel block, whose edge they must not cross.
struct body_state {
    struct function *function;
    struct hash_map labels;
    VEC(struct label_state *) label_list;
    VEC(struct goto_use) gotos;
    struct switch_state *innermost_switch;
    bool can_break;
    bool can_continue;
    bool breaks_outside; // there is a target, but beyond the block's edge
    bool continues_outside;
    bool switch_outside;
    bool is_block_item;   // the statement that begins now is an item of a block
    int block;            // -1: in none
    int expression_depth; // statement expressions around this place
};

struct parser {
    struct arena *arena;        // borrowed
    struct diags *diags;        // borrowed
    const struct token *tokens; // borrowed; ends in TOKEN_EOF
    int token_count;
    int position; // of the current token, which is never a pragma
    bool is_panicking;
    bool gave_up;
    bool missed_header; // rill/kernel.h: said once
    bool said_kernel;   // that it is a name here; so
    bool said_stream_parallel;
    int nesting;
    struct type basic[TYPE_LDOUBLE + 1];
    struct hash_map names;
    struct hash_map tags;
    struct hash_map linkage; // objects and functions that all scopes share, by name: struct symbol
    struct scope *scope;
    struct body_state *body;   // NULL at file scope
    struct stmt_list *hoisted; // statements that must run before the declaration being parsed; NULL where none can
    VEC(struct function *) functions;
    VEC(struct expr *) loose_calls; // made where the function's parameters were not known
    VEC(struct object *) globals;
    VEC(struct type *) vectors;               // each once
    struct type *complexes[TYPE_LDOUBLE + 1]; // by the kind of their parts; NULL: not asked for yet
    VEC(struct waiting_pragma) pragmas;
    VEC(struct pushed_pack) pack_stack;
    int pack;             // of `#pragma pack`; 0: natural
    bool is_uncontracted; // `#pragma STDC FP_CONTRACT OFF` holds here
};

// ---- parse.c: the cursor -------------------------------------------------------------------------------------------

const struct token *parse_token(const struct parser *p);
const struct token *parse_peek(const struct parser *p, int ahead); // 0 is the current token
struct loc parse_loc(const struct parser *p);
bool parse_at(const struct parser *p, enum token_kind kind);
void parse_advance(struct parser *p);
bool parse_accept(struct parser *p, enum token_kind kind);
// Complains if the token is not there. |where| completes "expected ';' …": "after the declaration".
bool parse_expect(struct parser *p, enum token_kind kind, const char *where);
// An identifier, also one that only looks like `stream_parallel`; NULL if there is none.
const char *parse_identifier(struct parser *p);
bool parse_at_identifier(const struct parser *p, int ahead);
const char *parse_identifier_text(const struct token *token);
void parse_skip_parens(struct parser *p); // from '(' to behind its ')'
// Ends a panic: goes behind the next ';', or before the '}' that closes what is open.
void parse_recover(struct parser *p);
// Ends a panic inside the parentheses that open at |open|: goes behind them, or before the '{' of the body.
void parse_recover_header(struct parser *p, int open);
// Ends a panic inside braces that hold no statements: goes before the '}' that closes them.
void parse_recover_braces(struct parser *p);

bool parse_enter(struct parser *p); // one level deeper; false when that is too deep. Always followed by parse_leave
void parse_leave(struct parser *p);
void parse_give_up(struct parser *p);

void parse_error(struct parser *p, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void parse_syntax_error(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void parse_note(struct parser *p, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void parse_warning(struct parser *p, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool parse_in_builtin_header(const struct parser *p, struct loc loc);
const char *parse_describe(struct parser *p, const struct type *type);

// ---- parse_pragma.c ------------------------------------------------------------------------------------------------

// Takes what stands right before the current token; complains about what stood elsewhere.
struct pragmas parse_take_pragmas(struct parser *p);
void parse_refuse_pragmas(struct parser *p, const struct pragmas *pragmas, const char *before);
bool parse_has_pragmas(const struct pragmas *pragmas);
void parse_check_loop_pragmas(struct parser *p, const struct pragmas *pragmas, enum stmt_kind kind);
void parse_pragma_pack(struct parser *p, const struct token *token);

// ---- declare_*.c ---------------------------------------------------------------------------------------------------

enum storage_class { STORAGE_NONE, STORAGE_TYPEDEF, STORAGE_EXTERN, STORAGE_STATIC, STORAGE_AUTO, STORAGE_REGISTER };

struct attributes {
    bool is_packed;
    bool is_noreturn;
    uint32_t align;      // 0: not said
    bool takes_type;     // whoever asks for the attributes applies these three to a type; elsewhere they are an error
    const char *mode;    // "SI" and its kin; NULL: not said
    int64_t vector_size; // bytes; 0: not said
    int64_t lanes;       // 0: not said
};

struct specifiers {
    struct type *type;
    struct loc loc;
    enum storage_class storage;
    bool is_inline;
    bool is_kernel;
    struct attributes attributes;
    uint32_t alignas;  // _Alignas; 0: not said
    bool declares_tag; // `struct s;` and `enum { … };` need no declarator
};

enum declare_place { DECLARE_FILE, DECLARE_BLOCK, DECLARE_PARAM, DECLARE_MEMBER, DECLARE_TYPE_NAME };

struct declarator {
    const char *name; // NULL: abstract
    struct loc loc;
    struct type *type;
    struct object **params; // when the declarator itself is a function's
    int param_count;
    bool has_names;         // of parameters whose types stand before the body
    struct symbol *symbols; // what the parameters declare; a definition's body knows it
    struct attributes attributes;
};

bool declare_starts_type(struct parser *p, const struct token *token);
bool declare_specifiers(struct parser *p, struct specifiers *out, enum declare_place place);
void declare_attributes(struct parser *p, struct attributes *attributes);
bool declare_is_attribute(const char *text, const char *name); // also as __name__
bool declare_has_attribute(const char *text);
// The type that the attributes make of |type|: another size by `mode`, a vector.
struct type *declare_apply_attributes(struct parser *p, struct type *type, const struct attributes *attributes,
                                      struct loc loc);
uint32_t declare_alignas(struct parser *p);
uint32_t declare_check_align(struct parser *p, int64_t value, struct loc loc); // 0 after a complaint
struct type *declare_record(struct parser *p);
struct type *declare_enum(struct parser *p);
// Lays a record out as gcc does for x86-64. |members| has width -1 where there is no bit-field.
struct member_declaration {
    struct member member;
    int width;      // -1: no bit-field
    uint32_t align; // asked for with _Alignas or aligned; 0: not said
    bool is_packed;
};
void declare_layout(struct parser *p, struct record *record, const struct member_declaration *members, int count,
                    const struct attributes *attributes);

// |is_abstract_allowed|: a name may be missing; |must_be_abstract|: there must be none.
struct declarator declare_declarator(struct parser *p, struct type *base, enum declare_place place);
struct type *declare_type_name(struct parser *p);
void declare_static_assert(struct parser *p);
void declare_external(struct parser *p);
void declare_local(struct parser *p, struct stmt_list *out);
void declare_old_style_params(struct parser *p, const struct declarator *of); // their declarations before the body
struct object *declare_object_new(struct parser *p, const char *name, struct type *type, struct loc loc);
struct object *declare_local_object(struct parser *p, const char *name, struct type *type, struct loc loc);
void declare_global_add(struct parser *p, struct object *object);
void declare_finish_unit(struct parser *p);

// declare_function.c
struct function *declare_function(struct parser *p, const struct specifiers *specifiers, const struct declarator *d);
void declare_function_definition(struct parser *p, const struct specifiers *specifiers, const struct declarator *d,
                                 const struct pragmas *pragmas);
void declare_check_kernel(struct parser *p, const struct function *function);

// ---- init.c --------------------------------------------------------------------------------------------------------

// After '='. Completes the object's type if its length is unknown.
void init_object(struct parser *p, struct object *object, bool is_static);

// ---- expression*.c -------------------------------------------------------------------------------------------------

struct expr *parse_expression(struct parser *p);
struct expr *parse_assignment_expression(struct parser *p);
struct expr *parse_conditional_expression(struct parser *p);
struct expr *parse_cast_expression(struct parser *p);
struct expr *parse_unary_expression(struct parser *p);
struct expr *parse_postfix_expression(struct parser *p);
struct expr *parse_primary_expression(struct parser *p);
struct expr *parse_generic_selection(struct parser *p);
struct expr *parse_compound_literal(struct parser *p, struct type *type, struct loc loc); // at its '{'
// expression_statements.c: ({ … }), at its '('; a ?: c
struct expr *parse_statement_expression(struct parser *p);
struct expr *parse_omitted_operand(struct parser *p, struct expr *a, struct expr *c, struct loc loc);
bool parse_integer_constant(struct parser *p, const char *what, int64_t *out_value);

struct expr *expr_new(struct parser *p, enum expr_kind kind, struct type *type, struct loc loc);
struct expr *expr_int(struct parser *p, enum type_kind kind, uint64_t value, struct loc loc);
struct expr *expr_error(struct parser *p, struct loc loc);
struct expr *expr_unary(struct parser *p, enum expr_kind kind, struct type *type, struct loc loc, struct expr *a);
struct expr *expr_binary(struct parser *p, enum expr_kind kind, struct type *type, struct expr *a, struct expr *b);
struct expr *expr_object(struct parser *p, struct object *object, struct loc loc);
struct expr *expr_string(struct parser *p, const char *bytes, uint64_t count, struct loc loc);
struct expr *expr_refused(struct parser *p, struct type *type, struct loc loc, const char *text);
struct expr *expr_finish(struct parser *p, struct expr *expr); // settles the depth once the operands are set
bool expr_is_error(const struct expr *expr);
bool expr_has_effect(const struct expr *expr);

// expression_operate.c: from checked operands to a node
struct expr *operate_binary(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc);
struct expr *operate_assign(struct parser *p, struct expr *a, struct expr *b, struct loc loc);
struct expr *operate_update(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc);
struct expr *operate_step(struct parser *p, struct expr *a, bool is_decrement, bool is_postfix, struct loc loc);
struct expr *operate_address(struct parser *p, struct expr *a, struct loc loc);
struct expr *operate_deref(struct parser *p, struct expr *a, struct loc loc);
struct expr *operate_subscript(struct parser *p, struct expr *a, struct expr *b, struct loc loc);
struct expr *operate_member(struct parser *p, struct expr *a, const char *name, struct loc loc);
struct expr *operate_condition(struct parser *p, struct expr *a, struct expr *b, struct expr *c, struct loc loc);
struct expr *operate_cast(struct parser *p, struct expr *a, struct type *type, struct loc loc);
struct expr *operate_sizeof(struct parser *p, struct type *type, struct loc loc);

// vector.c
bool vector_is(const struct type *type);
// |type| with a vector in the place of its innermost number, if the attributes ask for one.
struct type *vector_apply(struct parser *p, struct type *type, const struct attributes *attributes, struct loc loc);
// One of the operands is a vector. NULL: the operator does not take them.
struct expr *vector_binary(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc);
struct expr *vector_unary(struct parser *p, enum expr_kind kind, struct expr *a, struct loc loc);
struct expr *vector_update(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc);
struct expr *vector_condition(struct parser *p, struct expr *c, struct expr *a, struct expr *b, struct loc loc);
struct expr *vector_cast(struct parser *p, struct expr *a, struct type *type, struct loc loc); // NULL: impossible
struct expr *vector_subscript(struct parser *p, struct expr *a, struct expr *index, struct loc loc);
struct expr *vector_member(struct parser *p, struct expr *a, const char *name, struct loc loc);
// __builtin_shuffle, shufflevector or convertvector, at its '('.
struct expr *vector_builtin(struct parser *p, const char *name, struct loc loc);

// complex.c
bool complex_is(const struct type *type);
bool complex_is_number(const struct type *type); // or a real one
bool complex_is_literal(const struct expr *e);   // its parts are e->object->inits[0] and [1]
struct type *complex_of(struct parser *p, enum type_kind kind);
// Of two operands of which one at least is complex.
struct type *complex_common(struct parser *p, const struct expr *a, const struct expr *b);
struct expr *complex_make(struct parser *p, struct expr *re, struct expr *im, struct loc loc);
// To a number of another type, from one; at least one of the two is complex.
struct expr *complex_convert(struct parser *p, struct expr *e, struct type *type);
struct expr *complex_condition(struct parser *p, struct expr *e); // whether it is not 0
// One of the operands is complex. NULL: the operator does not take them.
struct expr *complex_binary(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc);
struct expr *complex_unary(struct parser *p, enum expr_kind kind, struct expr *a, struct loc loc);
struct expr *complex_update(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc);
struct expr *complex_postfix(struct parser *p, enum expr_kind kind, struct expr *a, struct loc loc);
struct expr *complex_part(struct parser *p, struct expr *a, bool is_imaginary, struct loc loc);
struct expr *complex_builtin(struct parser *p, const char *name, struct loc loc); // __builtin_complex, at its '('
// The tokens of the header that files with complex numbers need; false: this one has none.
bool complex_header(struct arena *arena, struct diags *diags, const struct token_list *tokens,
                    struct token_list *out_header);

// expression_call.c
struct expr *parse_call(struct parser *p, struct expr *callee, struct loc loc);
void parse_convert_arguments(struct parser *p, struct expr *call); // to the parameters that are known by now
struct expr *parse_unknown_name(struct parser *p, const struct token *name);

// advice.c: "; did you mean 'x'?", "; #include <math.h>", ": write NULL or 0", or nothing.
const char *parse_name_advice(struct parser *p, const char *name, bool wants_type);
const char *parse_foreign_advice(const char *name); // of a word that other languages have; "": none

// ---- convert.c -----------------------------------------------------------------------------------------------------

struct expr *convert_decay(struct parser *p, struct expr *e); // arrays and functions to pointers
struct expr *convert_to(struct parser *p, struct expr *e, struct type *type);
struct expr *convert_to_kind(struct parser *p, struct expr *e, enum type_kind kind);
struct expr *convert_promote(struct parser *p, struct expr *e);
struct expr *convert_default_argument(struct parser *p, struct expr *e);
struct type *convert_arithmetic(struct parser *p, struct expr **a, struct expr **b); // to the common type
struct type *convert_common_type(struct parser *p, struct expr *a, struct expr *b);
// As if by assignment. |what| completes "… in": "initialising 'x'", "argument 2 of 'f'".
struct expr *convert_assign(struct parser *p, struct expr *e, struct type *type, const char *what);
// Decays and checks that it is a scalar. |what|: "the condition of 'if'".
struct expr *convert_condition(struct parser *p, struct expr *e, const char *what);
bool convert_is_null_constant(const struct expr *e);
void convert_mark_address_taken(struct expr *e);

// ---- statement*.c --------------------------------------------------------------------------------------------------

struct stmt *parse_statement(struct parser *p);
struct stmt *parse_compound_statement(struct parser *p, bool opens_scope);
struct stmt *stmt_new(struct parser *p, enum stmt_kind kind, struct loc loc);
struct stmt *parse_asm_statement(struct parser *p); // statement_asm.c
struct stmt *parse_switch_statement(struct parser *p);
struct stmt *parse_case_statement(struct parser *p, bool is_block_item);
struct stmt *parse_goto_statement(struct parser *p);
struct stmt *parse_labeled_statement(struct parser *p, bool is_block_item);
struct stmt *parse_stream_parallel(struct parser *p, const struct pragmas *pragmas);
bool parse_at_stream_parallel(struct parser *p);
void parse_check_jumps(struct parser *p);
bool stmt_can_fall_through(const struct stmt *stmt);
// endless.c: of a loop, |word|, that its condition does not end.
void parse_warn_of_endless(struct parser *p, const struct expr *condition, const char *word);

// ---- builtin*.c ----------------------------------------------------------------------------------------------------

// Names that only the parser knows: rill_atomic_…, __builtin_offsetof, … NULL when |name| is none of them.
struct expr *builtin_expression(struct parser *p, const struct token *name);
struct type *builtin_type(struct parser *p, const char *name);
bool builtin_has_kernel_header(const struct parser *p);
// printf and kin: the call, or what replaces it.
struct expr *builtin_check_call(struct parser *p, struct expr *call);
// builtin_gnu.c: __builtin_NAME; NULL when it is not known. A call of constants may be a constant.
struct expr *builtin_gnu_expression(struct parser *p, const char *name, struct loc loc);
struct expr *builtin_gnu_fold(struct parser *p, struct expr *call);
bool builtin_gnu_has(const char *name); // not what a header makes a macro of
// builtin_library.c: a library function that was declared by hand is the library's, until it is defined.
void builtin_adopt(struct function *function);
int builtin_math_params(const char *name, bool *out_is_float);

#endif
