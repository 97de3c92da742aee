// One map for each name space, from a name to its innermost meaning; a scope remembers what it added, and takes it
// away.
#include "lang/scope.h"

#include "base/suggest.h"
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

void scope_push(struct parser *p)
{
    struct scope *scope = ARENA_NEW(p->arena, struct scope);
    scope->outer = p->scope;
    scope->depth = p->scope != NULL ? p->scope->depth + 1 : 0;
    p->scope = scope;
}

void scope_pop(struct parser *p)
{
    assert(p->scope != NULL);
    for (struct symbol *symbol = p->scope->symbols; symbol != NULL; symbol = symbol->next) {
        hash_map_set(symbol->map, symbol->name, strlen(symbol->name), symbol->hidden);
    }
    p->scope = p->scope->outer;
}

static struct symbol *find_here(struct parser *p, struct symbol *symbol)
{
    return symbol != NULL && symbol->scope_depth == p->scope->depth ? symbol : NULL;
}

struct symbol *scope_find(struct parser *p, const char *name)
{
    return hash_map_get(&p->names, name, strlen(name));
}

struct symbol *scope_find_tag(struct parser *p, const char *name)
{
    return hash_map_get(&p->tags, name, strlen(name));
}

struct symbol *scope_find_here(struct parser *p, const char *name)
{
    return find_here(p, scope_find(p, name));
}

struct symbol *scope_find_tag_here(struct parser *p, const char *name)
{
    return find_here(p, scope_find_tag(p, name));
}

static struct symbol *add(struct parser *p, struct hash_map *map, enum symbol_kind kind, const char *name)
{
    struct symbol *symbol = ARENA_NEW(p->arena, struct symbol);
    symbol->kind = kind;
    symbol->name = name;
    symbol->scope_depth = p->scope->depth;
    symbol->hidden = hash_map_get(map, name, strlen(name));
    assert(symbol->hidden == NULL || symbol->hidden->scope_depth <= symbol->scope_depth);
    symbol->next = p->scope->symbols;
    symbol->map = map;
    p->scope->symbols = symbol;
    hash_map_set(map, name, strlen(name), symbol);
    return symbol;
}

struct symbol *scope_add(struct parser *p, enum symbol_kind kind, const char *name, struct loc loc)
{
    struct symbol *symbol = add(p, &p->names, kind, name);
    symbol->loc = loc;
    return symbol;
}

struct symbol *scope_add_tag(struct parser *p, const char *name, struct loc loc, struct type *type)
{
    assert(type_is_record(type) || type->kind == TYPE_ENUM || type_is_error(type));
    struct symbol *symbol = add(p, &p->tags, SYMBOL_TAG, name);
    symbol->loc = loc;
    symbol->type = type;
    return symbol;
}

void scope_add_again(struct parser *p, const struct symbol *symbols)
{
    for (const struct symbol *old = symbols; old != NULL; old = old->next) {
        if (old->kind == SYMBOL_TAG) {
            scope_add_tag(p, old->name, old->loc, old->type);
        } else if (old->kind == SYMBOL_CONSTANT) {
            struct symbol *symbol = scope_add(p, SYMBOL_CONSTANT, old->name, old->loc);
            symbol->type = old->type;
            symbol->value = old->value;
        }
    }
}

void scope_add_unknown(struct parser *p, const char *name, struct loc loc)
{
    // The name has no meaning at all yet, so that it may be put into an outer scope.
    struct scope *innermost = p->scope;
    while (p->scope->depth > 1) {
        p->scope = p->scope->outer;
    }
    scope_add(p, SYMBOL_UNKNOWN, name, loc);
    p->scope = innermost;
}

const char *scope_suggest(struct parser *p, const char *name, bool wants_type)
{
    static const char *const words[] = {"int",  "float",    "double", "char",   "short", "long",
                                        "void", "unsigned", "signed", "struct", "union", "const"};
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (size_t i = 0; wants_type && i < sizeof words / sizeof *words; i++) {
        suggest_offer(&suggest, words[i]);
    }
    for (int i = 0; i < p->names.capacity; i++) {
        const struct symbol *symbol = p->names.entries[i].key != NULL ? p->names.entries[i].value : NULL;
        // Names that begin with two underscores are Rill's own and no use to anybody.
        if (symbol == NULL || symbol->kind == SYMBOL_UNKNOWN || strncmp(symbol->name, "__", 2) == 0) {
            continue;
        }
        if ((symbol->kind == SYMBOL_TYPEDEF) == wants_type) {
            suggest_offer(&suggest, symbol->name);
        }
    }
    return suggest_best(&suggest);
}

const char *scope_suggest_tag(struct parser *p, const char *name)
{
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (int i = 0; i < p->tags.capacity; i++) {
        const struct symbol *symbol = p->tags.entries[i].key != NULL ? p->tags.entries[i].value : NULL;
        if (symbol != NULL && type_is_complete(symbol->type)) {
            suggest_offer(&suggest, symbol->name);
        }
    }
    return suggest_best(&suggest);
}
