#include "analysis/values/varies.h"

#include "analysis/values/analysis.h"

#include <assert.h>

enum { NO_ATOM = -1 };

struct scope {
    const struct loop_info *loop;
    int first_atom; // NO_ATOM: |loop| says where
};

static bool atom_varies_in(const struct analysis *an, int id, struct scope scope);

static bool value_varies_in(const struct analysis *an, const struct poly *value, struct scope scope)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            if (atom_varies_in(an, value->terms[i].ids[k], scope)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_made_in(const struct loop_info *made_in, struct scope scope)
{
    return scope.loop == NULL || loop_contains(scope.loop, made_in);
}

static bool atom_varies_in(const struct analysis *an, int id, struct scope scope)
{
    assert(id >= 0 && id >> 1 < an->atoms.count);
    const struct atom *atom = atom_of(an, id);
    bool is_new = id >> 1 >= scope.first_atom;
    switch (atom->kind) {
    case ATOM_PARAM:
    case ATOM_MEMBER: return false;
    case ATOM_OP: return value_varies_in(an, atom->a, scope) || value_varies_in(an, atom->b, scope);
    case ATOM_UNKNOWN:
        return scope.first_atom != NO_ATOM ? is_new : atom->home != NULL && is_made_in(atom->home, scope);
    case ATOM_LOOP:
    case ATOM_COUNT: return scope.first_atom != NO_ATOM ? is_new : is_made_in(atom->loop, scope);
    }
    return true;
}

bool atom_varies(const struct analysis *an, int id, const struct loop_info *loop)
{
    return atom_varies_in(an, id, (struct scope){loop, NO_ATOM});
}

bool value_varies(const struct analysis *an, const struct poly *value, const struct loop_info *loop)
{
    return value_varies_in(an, value, (struct scope){loop, NO_ATOM});
}

bool atom_varies_since(const struct analysis *an, int id, int first_atom)
{
    assert(first_atom >= 0);
    return atom_varies_in(an, id, (struct scope){NULL, first_atom});
}

bool value_varies_since(const struct analysis *an, const struct poly *value, int first_atom)
{
    assert(first_atom >= 0);
    return value_varies_in(an, value, (struct scope){NULL, first_atom});
}

static bool atom_is_followed(const struct analysis *an, int id, const struct loop_info *loop)
{
    const struct atom *atom = atom_of(an, id);
    if (!atom_varies(an, id, loop)) {
        return true;
    }
    switch (atom->kind) {
    case ATOM_UNKNOWN: return false;
    case ATOM_LOOP: // of an inner loop: its values are those between its bounds
    case ATOM_COUNT:
        return atom->loop == loop ||
               (value_is_followed(an, atom->loop->init, loop) && value_is_followed(an, atom->loop->bound, loop));
    case ATOM_OP:
        return !atom->is_opaque && value_is_followed(an, atom->a, loop) &&
               (atom->b == NULL || value_is_followed(an, atom->b, loop));
    default: return true;
    }
}

bool value_is_followed(const struct analysis *an, const struct poly *value, const struct loop_info *loop)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        int varying = 0;
        for (int k = 0; k < value->terms[i].degree; k++) {
            int id = value->terms[i].ids[k];
            varying += atom_varies(an, id, loop);
            if (varying > 1 || !atom_is_followed(an, id, loop)) {
                return false;
            }
        }
    }
    return value != NULL;
}
