// C's structs and unions as the host sees them, written as C: for the header of a package.
#ifndef RILL_RUNTIME_PACKAGE_TYPES_H
#define RILL_RUNTIME_PACKAGE_TYPES_H

#include "base/hash.h"
#include "base/str.h"
#include "plan/plan.h"

struct package_types {
    struct str *out;      // borrowed
    struct hash_map done; // by name
};

void package_types_init(struct package_types *types, struct str *out, struct arena *arena);

// Whether the host can name the type. One without a name, or with members that C has no portable words for, cannot.
bool package_type_has_words(const struct ir_ctype *record);

// Declares the record and those inside it, each once, unless another package's header has; and says what its size must
// be, whoever declares it.
void package_types_declare(struct package_types *types, const struct ir_ctype *record);
void package_types_assert(struct package_types *types, const char *name, const struct ir_ctype *record);

#endif
