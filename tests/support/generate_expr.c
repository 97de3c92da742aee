#include "generate_internal.h"

#include <stdarg.h>
#include <string.h>

const char *gen_text(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(g->out->arena, format, args);
    va_end(args);
    return text;
}

// ---- choosing
// ---------------------------------------------------------------------------------------------------------------------

static bool may_use_array(const struct gen *g, const struct gen_array *a, enum gen_role role)
{
    if (a->is_special) {
        return false;
    }
    bool is_writable = !a->is_const && a->limit == 0 && !a->is_perm;
    if (g->group > 0 && a->group != g->group && (a->group != 0 || role != GEN_READ)) {
        return false;
    }
    if (g->group > 0 && a->group == 0 && is_writable && !g->in_nest) {
        return role == GEN_READ;
    }
    if (!g->in_nest) {
        return role == GEN_READ || is_writable;
    }
    return a->role == role;
}

// An array of this role; NULL if there is none. Outside of nests roles say only whether it is written.
struct gen_array *gen_choose_array(struct gen *g, enum gen_role role)
{
    struct gen_array *found = NULL;
    uint32_t seen = 0;
    for (int i = 0; i < g->array_count; i++) {
        if (may_use_array(g, &g->arrays[i], role) && gen_random(g, ++seen) == 0) {
            found = &g->arrays[i];
        }
    }
    return found;
}

static bool may_use_scalar(const struct gen *g, const struct gen_scalar *s, bool to_write)
{
    if (g->group > 0 && !s->is_fixed && s->group != g->group) {
        return false;
    }
    return to_write ? !s->is_fixed && !s->is_known : s->is_set;
}

struct gen_scalar *gen_choose_scalar(struct gen *g, bool is_float, bool to_write)
{
    struct gen_scalar *found = NULL;
    uint32_t seen = 0;
    for (int i = 0; i < g->scalar_count; i++) {
        struct gen_scalar *s = &g->scalars[i];
        if (gen_is_float(s->type) == is_float && may_use_scalar(g, s, to_write)) {
            uint32_t weight = i + 6 > g->scalar_count ? 3 : 1; // the inner ones more often
            for (uint32_t w = 0; w < weight; w++) {
                found = gen_random(g, ++seen) == 0 ? s : found;
            }
        }
    }
    return found;
}

struct gen_scalar *gen_choose_counter(struct gen *g)
{
    struct gen_scalar *found = NULL;
    uint32_t seen = 0;
    for (int i = 0; i < g->scalar_count; i++) {
        if (g->scalars[i].is_counter && gen_random(g, ++seen) == 0) {
            found = &g->scalars[i];
        }
    }
    return found;
}

// ---- indices
// ----------------------------------------------------------------------------------------------------------------------

static const char *index_by_counter(struct gen *g, const struct gen_known *extent)
{
    const struct gen_scalar *v = gen_choose_counter(g);
    if (v == NULL) {
        return NULL;
    }
    long low = v->low;
    long high = v->high < v->low ? v->low : v->high; // an empty loop: nothing is looked at
    long size = extent->value;
    long c = 1 + (long)gen_random(g, 3);
    switch (gen_random(g, 10)) {
    case 0:
    case 1:
    case 2: return low >= 0 && high < size ? v->name : NULL;
    case 3: return low >= 0 && high + c < size ? gen_text(g, "%s + %ld", v->name, c) : NULL;
    case 4: return low - c >= 0 && high - c < size ? gen_text(g, "%s - %ld", v->name, c) : NULL;
    case 5: return low >= 0 && high < size ? gen_text(g, "%s - 1 - %s", extent->text, v->name) : NULL;
    case 6: return low >= 0 && 2 * high + c - 1 < size ? gen_text(g, "2 * %s + %ld", v->name, c - 1) : NULL;
    case 7: return low >= 0 && high / (c + 1) < size ? gen_text(g, "%s / %ld", v->name, c + 1) : NULL;
    case 8: return low >= 0 && c < size ? gen_text(g, "%s %% %ld", v->name, c + 1) : NULL;
    default: return low >= 0 && high < size && size >= 4 ? gen_text(g, "(%s ^ 0) & %d", v->name, 3) : NULL;
    }
}

static const char *index_by_two(struct gen *g, const struct gen_known *extent)
{
    const struct gen_scalar *v = gen_choose_counter(g);
    const struct gen_scalar *w = gen_choose_counter(g);
    if (v == NULL || v == w || v->low < 0 || w->low < 0) {
        return NULL;
    }
    long high_v = v->high < v->low ? v->low : v->high;
    long high_w = w->high < w->low ? w->low : w->high;
    long row = high_w + 1;
    if (gen_chance(g, 40)) {
        return high_v + high_w < extent->value ? gen_text(g, "%s + %s", v->name, w->name) : NULL;
    }
    for (int i = 0; i < g->scalar_count && gen_chance(g, 80); i++) { // i * m + j with a parameter m
        const struct gen_scalar *m = &g->scalars[i];
        if (m->is_fixed && m->is_known && !m->is_counter && m->low == m->high && m->low >= row &&
            high_v * m->low + high_w < extent->value) {
            return gen_text(g, "%s * %s + %s", v->name, m->name, w->name);
        }
    }
    return high_v * row + high_w < extent->value ? gen_text(g, "%s * %ld + %s", v->name, row, w->name) : NULL;
}

static const char *index_by_data(struct gen *g, const struct gen_known *extent)
{
    for (int i = 0; i < g->array_count; i++) {
        const struct gen_array *a = &g->arrays[i];
        long limit = a->is_perm ? a->extents[0].value : a->limit;
        if (limit > 0 && limit <= extent->value && a->rank == 1 && gen_chance(g, 60)) {
            return gen_text(g, "%s[%s]", a->name, gen_index(g, &a->extents[0], true));
        }
    }
    const char *value = gen_int(g, 1);
    if (extent->value >= 8 && gen_chance(g, 40)) {
        return gen_text(g, "(%s) & 7", value);
    }
    return gen_text(g, "(unsigned)(%s) %% %ldu", value, extent->value);
}

const char *gen_index(struct gen *g, const struct gen_known *extent, bool is_followable)
{
    for (int i = 0; i < 8; i++) {
        const char *index = NULL;
        uint32_t way = gen_random(g, 20);
        if (way < 13) {
            index = index_by_counter(g, extent);
        } else if (way < 16) {
            index = index_by_two(g, extent);
        } else if (way < 18 && !is_followable && g->index_depth < 2) {
            g->index_depth++;
            index = index_by_data(g, extent);
            g->index_depth--;
        } else if (way == 18) {
            index = gen_text(g, "%s - 1", extent->text);
        } else if (way == 19) {
            index = gen_text(g, "%ld", (long)gen_random(g, extent->value < 5 ? (uint32_t)extent->value : 5));
        }
        if (index != NULL) {
            return index;
        }
    }
    const struct gen_scalar *v = gen_choose_counter(g);
    return v != NULL && v->low >= 0 && gen_chance(g, 70) ? gen_text(g, "%s %% %s", v->name, extent->text) : "0";
}

static const char *member_of(struct gen *g, enum gen_type *out_type)
{
    static const char *const members[] = {".a", ".b", ".c[0]", ".c[1]"};
    static const enum gen_type types[] = {GEN_I32, GEN_F32, GEN_I16, GEN_I16};
    uint32_t k = gen_random(g, 4);
    *out_type = types[k];
    return members[k];
}

const char *gen_place(struct gen *g, const struct gen_array *a, bool is_store, enum gen_type *out_type)
{
    (void)is_store;
    // Outside of nests every index is fine; in a nest those of what is only read, or only updated, are.
    bool is_followable = g->in_nest && a->role == GEN_WRITE;
    struct str text;
    str_init(&text, g->out->arena);
    str_add(&text, a->name);
    for (int k = 0; k < a->rank; k++) {
        const char *index = gen_index(g, &a->extents[k], is_followable);
        if (g->in_nest && k == 0 && a->role == GEN_SCATTER) {
            index = a->perm;
        } else if (g->in_nest && k == 0 && a->role == GEN_WRITE && a->home[0] != '\0' && gen_chance(g, 85)) {
            index = a->home;
        }
        str_printf(&text, "[%s]", index);
    }
    *out_type = a->type;
    if (a->type == GEN_RECORD) {
        str_add(&text, member_of(g, out_type));
    }
    return str_text(&text);
}

// ---- expressions
// ------------------------------------------------------------------------------------------------------------------

static const char *load(struct gen *g, bool is_float)
{
    for (int i = 0; i < 4; i++) {
        static const enum gen_role roles[] = {GEN_READ, GEN_READ, GEN_WRITE, GEN_SCATTER};
        struct gen_array *a = gen_choose_array(g, roles[gen_random(g, 4)]);
        if (a == NULL) {
            continue;
        }
        enum gen_type type;
        const char *place = gen_place(g, a, false, &type);
        if (gen_is_float(type) == is_float) {
            return place;
        }
        if (!is_float && g->is_tame) {
            return gen_text(g, "(int)%s", place);
        }
    }
    return NULL;
}

static const char *int_leaf(struct gen *g)
{
    uint32_t way = gen_random(g, 10);
    const char *text = NULL;
    if (way < 3) {
        const struct gen_scalar *v = gen_choose_counter(g);
        text = v != NULL ? v->name : NULL;
    } else if (way < 5) {
        const struct gen_scalar *s = gen_choose_scalar(g, false, false);
        text = s != NULL ? s->name : NULL;
    } else if (way < 9 && g->index_depth < 2) {
        text = load(g, false);
    }
    if (text == NULL && g->has_struct_param && gen_chance(g, 30)) {
        static const char *const members[] = {"ps.a", "ps.c[0]", "ps.c[1]", "(int)ps.b"};
        return members[gen_random(g, 4)];
    }
    static const char *const constants[] = {"0",  "1",  "2",   "3",          "5",    "7",
                                            "-1", "-3", "100", "0x7fffffff", "255u", "12345L"};
    return text != NULL ? text : constants[gen_random(g, 12)];
}

static const char *int_binary(struct gen *g, int depth)
{
    static const char *const ops[] = {"+", "-", "*", "&", "|", "^", "+", "-"};
    const char *a = gen_int(g, depth - 1);
    const char *b = gen_int(g, depth - 1);
    if (g->is_wild && gen_chance(g, 15)) { // where C leaves it open and the language does not
        static const char *const open[] = {"/", "%", "<<", ">>"};
        return gen_text(g, "((%s) %s (%s))", a, open[gen_random(g, 4)], b);
    }
    switch (gen_random(g, 14)) {
    case 0: return gen_text(g, "(%s) / ((%s & 7) + 1)", a, b);
    case 1: return gen_text(g, "(%s) %% (%s | 1)", a, b);
    case 2: return gen_text(g, "((%s) << ((%s) & 3))", a, b);
    case 3: return gen_text(g, "((%s) >> ((%s) & 7))", a, b);
    default: return gen_text(g, "(%s %s %s)", a, ops[gen_random(g, 8)], b);
    }
}

static const char *call_helper(struct gen *g, int depth, bool is_float)
{
    const char *a = gen_int(g, depth - 1);
    if (is_float) {
        return gen_text(g, "mixf(%s, %s)", gen_tame(g, GEN_F32, depth - 1), a);
    }
    const struct gen_array *array = gen_choose_array(g, GEN_READ);
    if (array != NULL && array->type == GEN_I32 && array->rank == 1 && array->extents[0].value >= 3 &&
        !array->is_local && gen_chance(g, 50)) {
        return gen_text(g, "sub_sum(3, %s)", array->name); // a kernel as a helper
    }
    switch (gen_random(g, 10)) {
    case 8: return gen_text(g, "own_sum(%s)", a);
    case 0:
    case 1: return gen_text(g, "mixi(%s, %s)", a, gen_int(g, depth - 1));
    case 2: return gen_text(g, "steps((%s) & 7)", a);
    case 3: return gen_text(g, "primes[(%s) & 7]", a);
    case 4: return gen_text(g, "name_of[(unsigned)(%s) %% sizeof name_of]", a);
    case 5: return gen_text(g, "rooted(%s, %s)", a, gen_int(g, depth - 1));
    case 6: return gen_text(g, "rill_random_u32(%s, %s)", a, gen_int(g, depth - 1));
    case 7: return gen_text(g, "least_of((int[3]){%s, %s, 2}, 3)", a, gen_int(g, depth - 1));
    default: return gen_text(g, "pick(%s)", a);
    }
}

// An integer of a float that need not fit.
static const char *wild_conversion(struct gen *g, int depth)
{
    static const char *const factors[] = {"1e3f", "-3e9f", "1e18", "1e30f", "0.01f"};
    return gen_text(g, "(%s)(%s * %s)", gen_type_name((enum gen_type)gen_random(g, GEN_F32)),
                    gen_tame(g, GEN_F32, depth - 1), factors[gen_random(g, 5)]);
}

const char *gen_condition(struct gen *g, int depth)
{
    static const char *const compares[] = {"<", "<=", ">", ">=", "==", "!="};
    const char *compare = compares[gen_random(g, 6)];
    switch (gen_random(g, 8)) {
    case 0: return gen_text(g, "(%s && %s)", gen_condition(g, 0), gen_condition(g, 0));
    case 1: return gen_text(g, "(%s || !%s)", gen_condition(g, 0), gen_condition(g, 0));
    case 2: return gen_text(g, "(%s & 1)", gen_int(g, depth));
    case 3: return gen_text(g, "(%s %s %s)", gen_tame(g, GEN_F32, depth), compare, gen_tame(g, GEN_F64, depth));
    default: return gen_text(g, "(%s %s %s)", gen_int(g, depth), compare, gen_int(g, depth));
    }
}

const char *gen_int(struct gen *g, int depth)
{
    if (depth <= 0) {
        return int_leaf(g);
    }
    if (g->is_wild && gen_chance(g, 5)) {
        return wild_conversion(g, depth);
    }
    switch (gen_random(g, 12)) {
    case 0: return gen_text(g, "(%s)(%s)", gen_type_name((enum gen_type)gen_random(g, GEN_F32)), gen_int(g, depth - 1));
    case 1:
        return gen_text(g, "(%s ? %s : %s)", gen_condition(g, depth - 1), gen_int(g, depth - 1), gen_int(g, depth - 1));
    case 2: return gen_text(g, "%s(%s)", gen_chance(g, 50) ? "-" : "~", gen_int(g, depth - 1));
    case 3: return call_helper(g, depth, false);
    case 4: return gen_condition(g, depth - 1);
    case 5: return int_leaf(g);
    default: return int_binary(g, depth);
    }
}

static const char *float_leaf(struct gen *g)
{
    static const char *const constants[] = {"0.0f", "1.0f", "-2.0f", "0.5f", "3.0", "0.25", "7.0f"};
    const char *text = NULL;
    uint32_t way = gen_random(g, 10);
    if (way < 3) {
        const struct gen_scalar *s = gen_choose_scalar(g, true, false);
        text = s != NULL ? s->name : NULL;
    } else if (way < 8) {
        text = load(g, true);
    } else if (way < 9) {
        text = gen_text(g, "(float)(%s)", int_leaf(g));
    }
    return text != NULL ? text : constants[gen_random(g, 7)];
}

const char *gen_float(struct gen *g, int depth)
{
    if (depth <= 0) {
        return float_leaf(g);
    }
    const char *a = gen_float(g, depth - 1);
    static const char *const ops[] = {"+", "-", "*"};
    static const char *const unary[] = {"ceilf", "trunc", "roundf", "rint", "fabs", "floorf", "sqrt"};
    static const char *const binary[] = {"fmin", "fmaxf", "fmax", "copysignf", "fdim", "fminf"};
    switch (gen_random(g, 15)) {
    case 7: return gen_text(g, "%s(%s)", unary[gen_random(g, 7)], a);
    case 8: return gen_text(g, "%s(%s, %s)", binary[gen_random(g, 6)], a, gen_float(g, depth - 1));
    case 9:
        return gen_text(g, gen_chance(g, 50) ? "fmaf(%s, %s, %s)" : "fma(%s, %s, %s)", a, gen_float(g, depth - 1),
                        gen_float(g, depth - 1));
    case 0: return gen_text(g, "(%s ? %s : %s)", gen_condition(g, depth - 1), a, gen_float(g, depth - 1));
    case 1: return gen_text(g, "sqrtf(fabsf(%s))", a);
    case 2: return gen_text(g, "floor(%s)", a);
    case 3: return gen_text(g, "(%s) / (1.5f + fabsf(%s))", a, gen_float(g, depth - 1));
    case 4: return call_helper(g, depth, true);
    case 5: return gen_text(g, "-(%s)", a);
    case 6: return gen_text(g, "(double)(%s)", gen_int(g, depth - 1));
    default: return gen_text(g, "(%s %s %s)", a, ops[gen_random(g, 3)], gen_float(g, depth - 1));
    }
}

// A float of whole numbers from -8 to 7; sums of some thousands of them are exact in any order.
const char *gen_tame(struct gen *g, enum gen_type type, int depth)
{
    if (!gen_is_float(type)) {
        return gen_int(g, depth);
    }
    const char *value = gen_chance(g, 50) ? gen_float(g, depth) : gen_int(g, depth);
    return gen_text(g, "%s(%s)", type == GEN_F32 ? "TF" : "TD", value);
}

const char *gen_value(struct gen *g, enum gen_type type, int depth)
{
    if (!gen_is_float(type) || g->is_tame) {
        return gen_tame(g, type, depth);
    }
    // A quotient is no update, whatever stands in it: what is not tame must not be summed in any order.
    return gen_text(g, "(%s) / 1.5f", gen_float(g, depth));
}
