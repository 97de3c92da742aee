// Names and what they mean. C has one space for ordinary names and one for tags; inner scopes hide outer ones.
#ifndef RILL_LANG_SCOPE_H
#define RILL_LANG_SCOPE_H

#include "base/hash.h"
#include "lang/ast.h"

struct parser;

enum symbol_kind {
    SYMBOL_OBJECT,
    SYMBOL_FUNCTION,
    SYMBOL_TYPEDEF,
    SYMBOL_CONSTANT, // of an enum
    SYMBOL_TAG,
    SYMBOL_UNKNOWN, // already complained about
};

struct symbol {
    enum symbol_kind kind;
    const char *name;
    struct loc loc;
    int scope_depth; // 0 is file scope
    struct type *type;
    struct object *object;
    struct function *function;
    int64_t value;
    struct symbol *hidden; // the same name further out
    struct symbol *next;   // in the same scope
    struct hash_map *map;
};

struct scope {
    struct scope *outer;
    struct symbol *symbols; // newest first
    int depth;
};

void scope_push(struct parser *p);
void scope_pop(struct parser *p);

struct symbol *scope_find(struct parser *p, const char *name);
struct symbol *scope_find_tag(struct parser *p, const char *name);
// Only if it was declared in the innermost scope.
struct symbol *scope_find_here(struct parser *p, const char *name);
struct symbol *scope_find_tag_here(struct parser *p, const char *name);

// Adds to the innermost scope. The caller has looked whether the name is taken there.
struct symbol *scope_add(struct parser *p, enum symbol_kind kind, const char *name, struct loc loc);
struct symbol *scope_add_tag(struct parser *p, const char *name, struct loc loc, struct type *type);

// Adds tags and constants that a scope declared which is gone, to the innermost one.
void scope_add_again(struct parser *p, const struct symbol *symbols);

// Remembers that an unknown name was complained about, until the function ends.
void scope_add_unknown(struct parser *p, const char *name, struct loc loc);

// The nearest name in scope that is a type (or is none), or NULL.
const char *scope_suggest(struct parser *p, const char *name, bool wants_type);
const char *scope_suggest_tag(struct parser *p, const char *name);

#endif
