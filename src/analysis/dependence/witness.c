// Looks for two iterations that do meet, by trying: small loops, sample values for what the launch knows. What is found
// is certain enough to keep the order where the index alone cannot be followed.
#include "analysis/dependence/dependence.h"

#include <assert.h>

enum { TRIED_VALUES = 6, MAX_POINTS = 2048 };

struct trial {
    struct analysis *an;
    const struct loop_info *info;
    int64_t *values; // by atom number
    bool *known;
    int sample; // which set of sample values
};

struct point {
    int64_t iteration;
    int64_t begin;
};

static bool evaluate(struct trial *t, const struct poly *value, int64_t *out);

static bool evaluate_atom(struct trial *t, int id, int64_t *out)
{
    static const int64_t samples[][4] = {{16, 16, 16, 16}, {13, 17, 19, 23}, {8, 32, 5, 64}};
    const struct atom *atom = atom_of(t->an, id);
    if (t->known[id >> 1]) {
        *out = t->values[id >> 1];
        return true;
    }
    if (atom->kind == ATOM_OP) {
        union ir_value args[2] = {{0}}, result;
        if (!evaluate(t, atom->a, &args[0].i) || (atom->b != NULL && !evaluate(t, atom->b, &args[1].i))) {
            return false;
        }
        if (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT) {
            *out = ir_normalize(atom->type, args[0].i);
            return true;
        }
        bool holds = ir_fold(atom->op, IR_I64, IR_I64, args, &result);
        *out = result.i;
        return holds;
    }
    if (atom_varies(t->an, id, t->info)) {
        return false; // depends on what only a run knows
    }
    if (atom->kind == ATOM_LOOP || atom->kind == ATOM_COUNT) {
        *out = 2;
    } else {
        *out = samples[t->sample][(id >> 1) % 4];
    }
    return true;
}

static bool evaluate(struct trial *t, const struct poly *value, int64_t *out)
{
    *out = 0;
    for (int i = 0; value != NULL && i < value->count; i++) {
        int64_t product = value->terms[i].coef;
        for (int k = 0; k < value->terms[i].degree; k++) {
            int64_t factor;
            if (!evaluate_atom(t, value->terms[i].ids[k], &factor) ||
                __builtin_mul_overflow(product, factor, &product)) {
                return false;
            }
        }
        if (__builtin_add_overflow(*out, product, out)) {
            return false;
        }
    }
    return value != NULL;
}

static bool guards_hold(struct trial *t, const struct guard *guards)
{
    for (; guards != NULL; guards = guards->next) {
        int64_t value;
        if (!evaluate(t, guards->value, &value) || (guards->is_equal ? value != 0 : value < 0)) {
            return false;
        }
    }
    return true;
}

// The loops from the tested one to the access, outermost first.
static int loops_to(const struct trial *t, const struct access *access, const struct loop_info **out, int limit)
{
    int count = 0;
    for (const struct loop_info *loop = access->loop; loop != NULL && count < limit; loop = loop->parent) {
        out[count++] = loop;
        if (loop == t->info) {
            break;
        }
    }
    for (int i = 0; i < count / 2; i++) {
        const struct loop_info *other = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = other;
    }
    return count;
}

static void collect(struct trial *t, const struct access *access, const struct loop_info **loops, int count, int level,
                    struct point *points, int *point_count)
{
    int64_t first, last;
    assert(level <= count && *point_count <= MAX_POINTS);
    if (level == count) {
        struct point point = {.iteration = t->values[t->info->variable >> 1]};
        if (*point_count < MAX_POINTS && guards_hold(t, access->guards) && evaluate(t, access->flat, &point.begin)) {
            points[(*point_count)++] = point;
        }
        return;
    }
    const struct loop_info *loop = loops[level];
    int64_t step = loop->inst->loop->step;
    if (!evaluate(t, step > 0 ? loop->first : loop->last, &first) ||
        !evaluate(t, step > 0 ? loop->last : loop->first, &last)) {
        return;
    }
    for (int64_t k = 0; k < TRIED_VALUES; k++) {
        int64_t value;
        if (__builtin_mul_overflow(k, step, &value) || __builtin_add_overflow(first, value, &value) ||
            (step > 0 ? value > last : value < last)) {
            break;
        }
        t->values[loop->variable >> 1] = value;
        t->values[loop->count >> 1] = k;
        t->known[loop->variable >> 1] = t->known[loop->count >> 1] = true;
        collect(t, access, loops, count, level + 1, points, point_count);
    }
    t->known[loop->variable >> 1] = t->known[loop->count >> 1] = false;
}

static bool meet(const struct point *x, int x_count, int64_t x_size, const struct point *y, int y_count, int64_t y_size)
{
    for (int i = 0; i < x_count; i++) {
        for (int k = 0; k < y_count; k++) {
            if (x[i].iteration != y[k].iteration && x[i].begin < y[k].begin + y_size &&
                y[k].begin < x[i].begin + x_size) {
                return true;
            }
        }
    }
    return false;
}

bool pair_has_witness(struct analysis *an, const struct loop_info *info, const struct access *a, const struct access *b)
{
    enum { MAX_LOOPS = 8, SAMPLE_COUNT = 3 };
    int64_t size_a, size_b;
    if (!poly_is_const(a->size, &size_a) || !poly_is_const(b->size, &size_b) || info->last == NULL) {
        return false;
    }
    struct poly_mark mark = poly_mark(&an->scratch);
    size_t atoms = (size_t)an->atoms.count;
    struct trial t = {.an = an, .info = info};
    t.values = poly_alloc(&an->scratch, sizeof *t.values * atoms);
    t.known = poly_alloc(&an->scratch, sizeof *t.known * atoms);
    struct point *points[2];
    bool found = false;
    for (int side = 0; side < 2; side++) {
        points[side] = poly_alloc(&an->scratch, sizeof *points[side] * MAX_POINTS);
    }
    for (t.sample = 0; t.sample < SAMPLE_COUNT && !found; t.sample++) {
        const struct loop_info *loops[MAX_LOOPS];
        int counts[2] = {0};
        for (int side = 0; side < 2; side++) {
            const struct access *access = side == 0 ? a : b;
            int count = loops_to(&t, access, loops, MAX_LOOPS);
            collect(&t, access, loops, count, 0, points[side], &counts[side]);
        }
        found = meet(points[0], counts[0], size_a, points[1], counts[1], size_b);
    }
    poly_release(&an->scratch, mark);
    return found;
}
