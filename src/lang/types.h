// Making types. What everybody may ask of a type is in ast.h; these are the parser's own constructors and questions.
#ifndef RILL_LANG_TYPES_H
#define RILL_LANG_TYPES_H

#include "lang/ast.h"

// A type whose parts stand deeper than this, or an object larger than this, is refused by the parser.
enum { TYPE_MAX_DEPTH = 256 };
#define TYPE_MAX_SIZE (UINT64_C(1) << 47)
#define TYPE_MAX_SIZE_WORDS "2^47 bytes"

struct type *type_copy(struct arena *arena, const struct type *type);
struct type *type_pointer_to(struct arena *arena, struct type *base);
// |length| may be TYPE_LENGTH_*. The caller has checked that the size fits (type_array_fits).
struct type *type_array_of(struct arena *arena, struct type *element, int64_t length);
bool type_array_fits(const struct type *element, int64_t length);
struct type *type_function(struct arena *arena, struct type *result);
struct type *type_complex(struct arena *arena, struct type *real);

// Adds qualifiers; those of an array go to its elements.
struct type *type_with_quals(struct arena *arena, struct type *type, unsigned quals);
struct type *type_unqualified(struct arena *arena, struct type *type);
unsigned type_quals(const struct type *type); // of an array: its elements'

// A struct or union that is not complete yet, and the moment it becomes so: copies made meanwhile learn their size.
struct type *type_record_new(struct arena *arena, bool is_union, const char *tag, struct loc loc);
void type_record_complete(struct record *record);

int type_depth(const struct type *type);
uint64_t type_size(const struct type *type); // as sizeof gives it: without an initialised flexible array
bool type_is_error(const struct type *type);
bool type_is_void(const struct type *type);
bool type_is_complete(const struct type *type); // variable arrays are
bool type_is_pointer_to(const struct type *type, enum type_kind kind);
bool type_is_real(const struct type *type); // integers and floats, not complex
bool type_is_char(const struct type *type); // the three character types
bool type_has_const_member(const struct type *type);
bool type_has_pointer(const struct type *type); // itself, or somewhere in its members
int type_int_bits(const struct type *type);     // of an integer type; 1 for _Bool

// Compatible and with the same qualifiers.
bool type_identical(const struct type *a, const struct type *b);
// What two compatible declarations say together.
struct type *type_composite(struct arena *arena, struct type *a, struct type *b);

// The member of that name, looked for in anonymous members too; |out_offset| gains the offsets of those on the way.
const struct member *type_find_member(const struct type *type, const char *name, uint64_t *out_offset);

#endif
