// Loops as people write them: stencils, steps in time, matrix products, histograms, scans, searches, blocks over halves
// of one array. The arrays, the offsets and what is computed are up to chance; whether a loop is independent too.
#include "generate_internal.h"

#include <stdio.h>
#include <string.h>

// ---- parts
// ----------------------------------------------------------------------------------------------------------------------

struct gen_array *gen_find_array(struct gen *g, int rank, bool is_written, long least)
{
    struct gen_array *found = NULL;
    uint32_t seen = 0;
    for (int i = 0; i < g->array_count; i++) {
        struct gen_array *a = &g->arrays[i];
        bool is_writable = !a->is_const && a->limit == 0 && !a->is_perm;
        bool is_mine = g->group == 0 || a->group == g->group || (a->group == 0 && !is_written);
        if (a->rank == rank && !a->is_special && a->type != GEN_RECORD && is_mine && (is_writable || !is_written) &&
            a->extents[0].value >= least && gen_random(g, ++seen) == 0) {
            found = a;
        }
    }
    return found;
}

// A name for a counter that expressions may use while it is in scope.
const char *gen_push_counter(struct gen *g, long low, long high)
{
    struct gen_scalar *v = gen_add_scalar(g, "i", GEN_I32);
    v->is_counter = v->is_fixed = v->is_known = v->is_set = true;
    v->low = low;
    v->high = high;
    return gen_text(g, "%s", v->name);
}

// Everything may be read at any index, but for the arrays that the idiom writes itself.
void gen_begin(struct gen *g, struct gen_array *first, struct gen_array *second)
{
    g->in_nest = true;
    for (int i = 0; i < g->array_count; i++) {
        struct gen_array *a = &g->arrays[i];
        bool is_readable = g->group == 0 || a->group == 0 || a->group == g->group;
        a->role = !is_readable || a == first || a == second ? GEN_NOTHING : GEN_READ;
    }
}

void gen_end(struct gen *g, int scalar_count)
{
    g->in_nest = false;
    g->scalar_count = scalar_count;
}

static const char *element_name(const struct gen_array *a)
{
    return gen_type_name(a->type);
}

long gen_trips_of(const struct gen *g, const struct gen_array *a)
{
    long limit = g->work_limit / (g->work > 0 ? g->work : 1);
    return a->extents[0].value < limit ? a->extents[0].value : limit;
}

// The array's extent, or a constant where that would be too much work.
static const char *bound_of(struct gen *g, const struct gen_array *a)
{
    long trips = gen_trips_of(g, a);
    return trips == a->extents[0].value ? a->extents[0].text : gen_text(g, "%ld", trips);
}

static bool may_sum(const struct gen *g, const struct gen_array *a)
{
    return a->type != GEN_BOOL && (!gen_is_float(a->type) || g->is_tame);
}

// ---- idioms: false if the arrays at hand do not suit
// --------------------------------------------------------------------------------------------------------------------

static bool stencil(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    struct gen_array *b = gen_chance(g, 80) ? gen_find_array(g, 1, false, 4) : a;
    if (a == NULL || b == NULL) {
        return false;
    }
    long trips = gen_trips_of(g, a) < gen_trips_of(g, b) ? gen_trips_of(g, a) : gen_trips_of(g, b);
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 1, trips - 2);
    gen_begin(g, a, NULL);
    gen_open(g, "for (int %s = 1; %s < %ld - 1; %s++) {", i, i, trips, i);
    bool is_float = gen_is_float(a->type);
    const char *sum = gen_text(g, "%s[%s - 1] + 2 * %s[%s] - %s[%s + 1]", b->name, i, b->name, i, b->name, i);
    gen_line(g, is_float ? "%s[%s] = %s(%s);" : "%s[%s] = %s(%s);", a->name, i,
             is_float                ? a->type == GEN_F32 ? "TF" : "TD"
             : gen_is_float(b->type) ? "(int)TF"
                                     : "",
             sum);
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool map_2d(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 2, true, 1);
    if (a == NULL || g->work * a->extents[0].value * a->extents[1].value > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 0, a->extents[0].value - 1);
    const char *j = gen_push_counter(g, 0, a->extents[1].value - 1);
    gen_begin(g, NULL, NULL);
    a->role = GEN_WRITE;
    snprintf(a->home, sizeof a->home, "%s", i);
    if (gen_chance(g, 20)) {
        gen_line(g, "#pragma rill collapse(2)");
    }
    bool is_triangle = gen_chance(g, 20) && a->extents[1].value >= a->extents[0].value;
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, a->extents[0].text, i);
    const char *bound = is_triangle ? i : a->extents[1].text;
    if (gen_chance(g, 30)) { // by another name
        gen_line(g, "int e%d = %s;", g->name_count, bound);
        bound = gen_text(g, "e%d", g->name_count++);
    }
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", j, j, bound, j);
    gen_line(g, "%s[%s][%s] = %s;", a->name, i, j, gen_value(g, a->type, 3));
    if (gen_chance(g, 30)) {
        gen_reduction(g);
    }
    gen_close(g);
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool steps_in_time(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    struct gen_array *b = gen_find_array(g, 1, true, 4);
    if (a == NULL || a == b || g->work * 3 * gen_trips_of(g, a) > g->work_limit) {
        return false;
    }
    long trips = gen_trips_of(g, a) < gen_trips_of(g, b) ? gen_trips_of(g, a) : gen_trips_of(g, b);
    int kept = g->scalar_count;
    const char *t = gen_push_counter(g, 0, 2);
    const char *i = gen_push_counter(g, 1, trips - 2);
    gen_begin(g, a, b);
    gen_open(g, "for (int %s = 0; %s < 3; %s++) {", t, t, t);
    gen_open(g, "for (int %s = 1; %s < %ld - 1; %s++) {", i, i, trips, i);
    gen_line(g, "%s[%s] = %s(%s[%s - 1] + %s[%s + 1] - %s);", a->name, i, a->type == GEN_F64 ? "TD" : "TF", b->name, i,
             b->name, i, gen_int(g, 1));
    gen_close(g);
    if (gen_chance(g, 60)) {
        gen_open(g, "for (int %s = 1; %s < %ld - 1; %s++) {", i, i, trips, i);
        gen_line(g, "%s[%s] = %s(%s[%s]);", b->name, i, b->type == GEN_F64 ? "TD" : "TF", a->name, i);
        gen_close(g);
    } else {
        gen_line(g, "%s[%s] = 1;", b->name, gen_chance(g, 50) ? t : "0");
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool product(struct gen *g)
{
    struct gen_array *c = gen_find_array(g, 2, true, 1);
    if (c == NULL || g->work * c->extents[0].value * c->extents[1].value * 4 > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 0, c->extents[0].value - 1);
    const char *j = gen_push_counter(g, 0, c->extents[1].value - 1);
    const char *k = gen_push_counter(g, 0, 3);
    gen_begin(g, c, NULL);
    bool is_outside = gen_chance(g, 30);
    const char *s = gen_text(g, "s%d", g->name_count++);
    if (is_outside) {
        gen_line(g, "%s %s;", element_name(c), s);
    }
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, c->extents[0].text, i);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", j, j, c->extents[1].text, j);
    gen_line(g, is_outside ? "%s%s = 0;" : "%s %s = 0;", is_outside ? "" : element_name(c), s);
    gen_open(g, "for (int %s = 0; %s < 4; %s++) {", k, k, k);
    gen_line(g, "%s += %s;", s, gen_tame(g, c->type, 2));
    gen_close(g);
    gen_line(g, "%s[%s][%s] = %s;", c->name, i, j, s);
    gen_close(g);
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool selection(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, false, 1);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set) {
        return false;
    }
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    static const char *const compares[] = {"<", "<=", ">", ">="};
    const char *compare = compares[gen_random(g, 4)];
    int n = g->name_count++;
    gen_line(g, "%s best%d = %s[0];", element_name(a), n, a->name);
    gen_line(g, "int at%d = %s;", n, gen_chance(g, 50) ? "-1" : "0");
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, a), i);
    const char *e = gen_text(g, "%s[%s]", a->name, i);
    if (gen_chance(g, 50)) {
        gen_line(g, "if (%s %s best%d) { best%d = %s; at%d = %s; }", e, compare, n, n, e, n, i);
    } else {
        gen_line(g, "if (best%d %s %s) { at%d = %s; best%d = %s; }", n, compare, e, n, i, n, e);
    }
    gen_close(g);
    gen_line(g, "%s = at%d;", out->name, n);
    if (gen_chance(g, 50)) {
        gen_line(g, "%s += (int)TF(best%d);", out->name, n);
    }
    gen_end(g, kept);
    return true;
}

// a[i] = a[i + k]: whether iterations meet depends on a parameter.
static bool shift(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    if (a == NULL) {
        return false;
    }
    for (int tries = 0; tries < 6; tries++) {
        const struct gen_scalar *k = &g->scalars[gen_random(g, (uint32_t)g->scalar_count)];
        if (!k->is_fixed || !k->is_known || k->is_counter || k->low != k->high || gen_is_float(k->type) || k->low < 0) {
            continue;
        }
        long room = a->extents[0].value - k->low;
        if (room < 1) {
            continue;
        }
        int kept = g->scalar_count;
        long trips = room < gen_trips_of(g, a) ? room : gen_trips_of(g, a);
        const char *i = gen_push_counter(g, 0, trips - 1);
        gen_begin(g, a, NULL);
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
        const char *near = gen_text(g, "%s[%s]", a->name, i);
        const char *far = gen_text(g, "%s[%s + %s]", a->name, i, k->name);
        const char *macro = a->type == GEN_F64 ? "TD" : "TF";
        if (gen_chance(g, 50)) {
            gen_line(g, "%s = %s(%s + %s);", near, macro, far, gen_int(g, 1));
        } else {
            gen_line(g, "%s = %s(%s + %s);", far, macro, near, gen_int(g, 1));
        }
        gen_close(g);
        gen_end(g, kept);
        return true;
    }
    return false;
}

// a[i * k + c]: with k = 0 every iteration means the same element.
static bool stride(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 2);
    const struct gen_scalar *k = &g->scalars[gen_random(g, (uint32_t)g->scalar_count)];
    if (a == NULL || !k->is_fixed || !k->is_known || k->is_counter || k->low != k->high || gen_is_float(k->type) ||
        k->low < 0 || (g->group > 0 && k->group != g->group && k->group != 0)) {
        return false;
    }
    long trips = k->low == 0 ? 5 : (a->extents[0].value - 1) / k->low;
    trips = trips < gen_trips_of(g, a) ? trips : gen_trips_of(g, a);
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, a, NULL);
    gen_open(g, "for (long %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    gen_line(g, "%s[%s * %s%s] = %s;", a->name, i, k->name, gen_chance(g, 50) ? "" : " + 1", gen_value(g, a->type, 2));
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool linear(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    const struct gen_scalar *m = &g->scalars[1];
    if (a == NULL || m->low > a->extents[0].value || gen_trips_of(g, a) < m->low) {
        return false;
    }
    long rows = gen_trips_of(g, a) / m->low;
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 0, rows - 1);
    const char *j = gen_push_counter(g, 0, m->low - 1);
    gen_begin(g, a, NULL);
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, rows, i);
    gen_open(g, "for (int %s = 0; %s < m; %s++) {", j, j, j);
    if (may_sum(g, a) && gen_chance(g, 30)) {
        gen_line(g, "%s[%s * m + %s] += %s;", a->name, i, j, gen_tame(g, a->type, 2));
    } else {
        gen_line(g, "%s[%s * m + %s] = %s;", a->name, i, j, gen_value(g, a->type, 2));
    }
    gen_close(g);
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool pairs_of(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    if (a == NULL) {
        return false;
    }
    long trips = gen_trips_of(g, a) / 2;
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, a, NULL);
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    gen_line(g, "%s[2 * %s] = %s(%s[2 * %s + 1] + %s);", a->name, i, a->type == GEN_F64 ? "TD" : "TF", a->name, i,
             gen_int(g, 2));
    gen_close(g);
    gen_end(g, kept);
    return true;
}

// A running value, from a statement that updates it and one that stores it, in either order.
static void run_value(struct gen *g, const struct gen_array *a, const char *i, int n)
{
    const char *value = gen_tame(g, a->type, 2);
    bool is_float = gen_is_float(a->type);
    bool is_before = gen_chance(g, 30);
    if (is_before) {
        gen_line(g, "%s[%s] = s%d;", a->name, i, n);
    }
    if (gen_chance(g, 20)) {
        gen_line(g, "if (%s) s%d = %s;", gen_condition(g, 1), n, gen_tame(g, a->type, 1));
    }
    bool is_guarded = gen_chance(g, 30);
    if (is_guarded) {
        gen_open(g, "if (%s) {", gen_condition(g, 1));
    }
    switch (gen_random(g, is_float ? 4 : 6)) {
    case 0: gen_line(g, "s%d -= %s;", n, value); break;
    case 1: gen_line(g, "if (%s > s%d) s%d = %s;", value, n, n, value); break;
    case 2: gen_line(g, "s%d = s%d < (%s) ? s%d : (%s);", n, n, value, n, value); break;
    case 4: gen_line(g, "s%d ^= %s;", n, value); break;
    case 5: gen_line(g, "s%d *= %s;", n, value); break;
    default: gen_line(g, "s%d += %s;", n, value); break;
    }
    if (is_guarded) {
        gen_close(g);
    }
    if (!is_before) {
        gen_line(g, "%s[%s] = s%d;", a->name, i, n);
    }
}

static bool scan(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 3);
    if (a == NULL || !may_sum(g, a)) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    bool is_running = gen_chance(g, 60);
    const char *type = element_name(a);
    if (is_running) {
        gen_line(g, "%s s%d = %d;", type, n, (int)gen_random(g, 3));
    }
    const char *i = gen_push_counter(g, 1, gen_trips_of(g, a) - 1);
    gen_begin(g, a, NULL);
    if (is_running) {
        bool is_down = gen_chance(g, 30);
        if (is_down) {
            gen_open(g, "for (int %s = %s - 1; %s >= 1; %s--) {", i, bound_of(g, a), i, i);
        } else {
            gen_open(g, "for (int %s = 1; %s < %s; %s++) {", i, i, bound_of(g, a), i);
        }
        run_value(g, a, i, n);
    } else if (gen_chance(g, 50)) {
        gen_open(g, "for (int %s = 1; %s < %s; %s++) {", i, i, bound_of(g, a), i);
        bool is_plain = gen_chance(g, 50) && !gen_is_float(a->type);
        gen_line(g, "%s[%s] = %s(%s[%s - 1] + %s);", a->name, i,
                 is_plain             ? ""
                 : a->type == GEN_F64 ? "TD"
                                      : "TF",
                 a->name, i, gen_int(g, 1));
    } else {
        gen_line(g, "%s prev%d = 1;", element_name(a), n);
        gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, a), i);
        gen_line(g, "%s now%d = %s[%s];", element_name(a), n, a->name, i);
        gen_line(g, "%s[%s] = prev%d;", a->name, i, n);
        gen_line(g, "prev%d = now%d;", n, n);
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool sum_into_memory(struct gen *g)
{
    struct gen_array *out = gen_find_array(g, 1, true, 1);
    struct gen_array *in = gen_find_array(g, 1, false, 1);
    if (out == NULL || in == NULL || !may_sum(g, out)) {
        return false;
    }
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, in) - 1);
    gen_begin(g, out, NULL);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, in), i);
    bool is_guarded = gen_chance(g, 30);
    if (is_guarded) {
        gen_open(g, "if (%s) {", gen_condition(g, 1));
    }
    gen_line(g, "%s[%d] %s %s;", out->name, out->extents[0].value > 2 ? (int)gen_random(g, 3) : 0,
             gen_chance(g, 70) ? "+=" : "-=", gen_tame(g, out->type, 2));
    if (is_guarded) {
        gen_close(g);
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool temporaries(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 2);
    if (a == NULL || gen_trips_of(g, a) < 1) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    long size = 2 + (long)gen_random(g, 4);
    gen_line(g, "int k%d;", n);
    gen_line(g, "%s work%d[%ld];", element_name(a), n, size);
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, a, NULL);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, a), i);
    gen_line(g, "for (k%d = 0; k%d < %ld; k%d++) work%d[k%d] = %s;", n, n, size, n, n, n, gen_value(g, a->type, 2));
    gen_line(g, "%s[%s] = work%d[%ld] + work%d[%s %% %ld];", a->name, i, n, (long)gen_random(g, (uint32_t)size), n, i,
             size);
    gen_close(g);
    if (gen_chance(g, 30)) {
        gen_line(g, "%s[0] = %s(work%d[0]);", a->name, a->type == GEN_F64 ? "TD" : "TF", n);
    }
    gen_end(g, kept);
    return true;
}

static bool search(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, false, 1);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set || g->group > 0) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, NULL, NULL);
    bool is_goto = gen_chance(g, 40);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, a), i);
    gen_open(g, "if (%s[%s] > %s) {", a->name, i, gen_int(g, 1));
    gen_line(g, "%s = %s;", out->name, i);
    gen_line(g, is_goto ? "goto found%d;" : "break; // %d", n);
    gen_close(g);
    gen_close(g);
    if (is_goto) {
        gen_line(g, "%s = 3;", out->name);
        gen_line(g, "found%d:;", n);
    }
    gen_end(g, kept);
    return true;
}

static bool halves(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    if (a == NULL || a->is_local || g->group > 0 || g->no_blocks) {
        return false;
    }
    long trips = gen_trips_of(g, a) / 2;
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 0, trips - 1);
    bool is_even = gen_chance(g, 40);
    for (int k = 0; k < 2; k++) {
        gen_begin(g, a, NULL);
        for (int x = 0; x < g->array_count; x++) { // nothing else is written in the region
            g->arrays[x].role = &g->arrays[x] == a ? GEN_NOTHING : GEN_READ;
        }
        gen_open(g, "stream_parallel {");
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
        const char *index = is_even ? gen_text(g, "2 * %s + %d", i, k) : k == 0 ? i : gen_text(g, "%s + %ld", i, trips);
        gen_line(g, "%s[%s] = %s;", a->name, index, gen_value(g, a->type, 2));
        gen_close(g);
        gen_close(g);
    }
    gen_line(g, ";");
    gen_end(g, kept);
    return true;
}

// Two blocks that update one array, in one way.
static bool common_sums(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 2);
    if (a == NULL || a->is_local || g->group > 0 || g->no_blocks || !may_sum(g, a)) {
        return false;
    }
    int kept = g->scalar_count;
    static const char *const ops[] = {"+=", "|=", "^=", "*="};
    const char *op = ops[gen_is_float(a->type) ? 0 : gen_random(g, 4)];
    bool is_one_place = gen_chance(g, 40);
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    for (int k = 0; k < 2; k++) {
        gen_begin(g, a, NULL);
        gen_open(g, "stream_parallel {");
        gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, a), i);
        gen_line(g, "%s[%s] %s %s;", a->name, is_one_place ? "1" : i, op, gen_tame(g, a->type, 2));
        gen_close(g);
        gen_close(g);
    }
    gen_line(g, ";");
    gen_end(g, kept);
    return true;
}

static bool call_kernel(struct gen *g)
{
    struct gen_array *to = gen_find_array(g, 1, true, 3);
    struct gen_array *from = gen_find_array(g, 1, false, 3);
    if (to == NULL || from == NULL || to->type != GEN_I32 || from->type != GEN_I32) {
        return false;
    }
    long n = to->extents[0].value < from->extents[0].value ? to->extents[0].value : from->extents[0].value;
    n = n < g->work_limit / g->work ? n : g->work_limit / g->work;
    switch (gen_random(g, 3)) {
    case 0: gen_line(g, "sub_scale(%ld, %s, %s, %s);", n, to->name, from->name, gen_int(g, 1)); break;
    case 1: {
        struct gen_scalar *out = gen_choose_scalar(g, false, true);
        if (out == NULL || !out->is_set) {
            return false;
        }
        gen_line(g, "%s = sub_sum(%ld, %s);", out->name, n, from->name);
        break;
    }
    default: gen_line(g, "sub_shift(%ld, %s, %s + 1);", n - 1, to->name, from->name); break;
    }
    return true;
}

// One of a chain's loops: |to| and |from| may be the same array.
static void chain_statement(struct gen *g, const struct gen_array *to, const struct gen_array *from, const char *i,
                            int n)
{
    const char *m = to->type == GEN_F64 ? "TD" : "TF";
    switch (gen_random(g, 9)) {
    case 0: gen_line(g, "%s[%s] = %s(%s[%s] + %s);", to->name, i, m, from->name, i, gen_int(g, 1)); break;
    case 1: gen_line(g, "%s[%s] = %s(%s[%s - 1] - %s[%s + 1]);", to->name, i, m, from->name, i, from->name, i); break;
    case 2: gen_line(g, "%s[%s] = %s(%s[%s] * 3 + %s);", to->name, i, m, to->name, i, i); break;
    case 3:
        gen_line(g, "t%d = (int)TF(%s[%s]) + %s;", n, from->name, i, i);
        gen_line(g, "%s[%s] = %s(t%d);", to->name, i, m, n);
        break;
    case 4: gen_line(g, "s%d += (int)TF(%s[%s]);", n, from->name, i); break;
    case 5: gen_line(g, "%s[%s] = %s(s%d);", to->name, i, m, n); break;
    case 6: gen_line(g, "if (%s[%s] > 0) %s[%s] = %s(%s);", from->name, i, to->name, i, m, i); break;
    case 7: gen_line(g, "for (int q = 0; q < 3; q++) %s[%s] = %s(%s[%s] + q);", to->name, i, m, from->name, i); break;
    default: gen_line(g, "%s[%s + 1] = %s(%s[%s]);", to->name, i, m, from->name, i); break;
    }
}

// Loops one after the other over the same space, mostly: whether they may run as one is up to chance.
static bool chain(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 6);
    struct gen_array *b = gen_find_array(g, 1, true, 6);
    struct gen_array *c = gen_find_array(g, 1, false, 6);
    if (a == NULL || b == NULL || c == NULL) {
        return false;
    }
    long trips = gen_trips_of(g, a) < gen_trips_of(g, b) ? gen_trips_of(g, a) : gen_trips_of(g, b);
    trips = trips < gen_trips_of(g, c) ? trips : gen_trips_of(g, c);
    int count = 2 + (int)gen_random(g, 4);
    if (trips < 4 || g->work * trips * count > g->work_limit) {
        return false;
    }
    int n = g->name_count++;
    bool is_shared = gen_chance(g, 40); // one counter for all, as in C89
    bool is_data = gen_chance(g, 50);   // the bound is not known before
    gen_line(g, "int t%d = 1, h%d = %ld%s, m%d = h%d;", n, n, trips - 1,
             is_data ? gen_text(g, " - (%s[0] > 0)", c->name) : "", n, n);
    gen_line(g, "long s%d = 0;", n);
    if (is_shared) {
        gen_line(g, "int c%d;", n);
    }
    for (int k = 0; k < count; k++) {
        int kept = g->scalar_count;
        const char *i = gen_push_counter(g, 1, trips - 2);
        struct gen_array *to = gen_chance(g, 50) ? a : b;
        struct gen_array *from = gen_chance(g, 30) ? c : gen_chance(g, 50) ? a : b;
        const char *bound =
            gen_chance(g, 15) ? gen_text(g, "%ld", trips - 1) : gen_text(g, "%c%d", "hm"[gen_chance(g, 30)], n);
        gen_begin(g, a, b);
        if (is_shared) {
            gen_open(g, "for (c%d = 1; c%d < %s; c%d++) {", n, n, bound, n);
            gen_line(g, "int %s = c%d;", i, n);
        } else {
            gen_open(g, "for (int %s = 1; %s < %s; %s++) {", i, i, bound, i);
        }
        chain_statement(g, to, from, i, n);
        if (gen_chance(g, 30)) {
            chain_statement(g, to, from, i, n);
        }
        gen_close(g);
        gen_end(g, kept);
        if (gen_chance(g, 15)) {
            gen_line(g, gen_chance(g, 50) ? "h%d--;" : "t%d = 5;", n);
        }
        if (gen_chance(g, 15)) {
            gen_line(g, "m%d = h%d;", n, n);
            gen_line(g, "h%d = %ld - (t%d & 3);", n, trips - 2, n);
        }
    }
    gen_line(g, "%s[0] = %s(s%d + t%d%s);", a->name, a->type == GEN_F64 ? "TD" : "TF", n, n,
             is_shared ? gen_text(g, " + c%d", n) : "");
    return true;
}

static bool pointers(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    if (a == NULL) {
        return false;
    }
    long trips = gen_trips_of(g, a) - 2;
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, a, NULL);
    gen_line(g, "%s *ptr%d = %s + %d;", element_name(a), n, a->name, (int)gen_random(g, 3));
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    if (gen_chance(g, 50)) {
        gen_line(g, "ptr%d[%s] = %s;", n, i, gen_value(g, a->type, 2));
    } else {
        gen_line(g, "*(ptr%d + %s) = %s(%s[%s]);", n, i, a->type == GEN_F64 ? "TD" : "TF", a->name, i);
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool insist(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    if (a == NULL) {
        return false;
    }
    long trips = gen_trips_of(g, a);
    int kept = g->scalar_count;
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, a, NULL);
    // The author insists: what overlaps is not read.
    for (int k = 0; k < g->array_count; k++) {
        bool is_same = strcmp(g->arrays[k].buffer, a->buffer) == 0;
        g->arrays[k].role = is_same && !a->is_field ? GEN_NOTHING : g->arrays[k].role;
    }
    gen_line(g, "#pragma rill parallel");
    g->gives_word = true;
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    gen_line(g, "int j%d = %ld - 1 - %s;", g->name_count, trips, i);
    gen_line(g, "%s[j%d] = %s;", a->name, g->name_count++, gen_value(g, a->type, 2));
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool last_value(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, false, 2);
    struct gen_scalar *s = gen_choose_scalar(g, gen_chance(g, 40), true);
    if (a == NULL || s == NULL || !s->is_set) {
        return false;
    }
    int kept = g->scalar_count;
    const char *name = gen_text(g, "%s", s->name);
    enum gen_type type = s->type;
    s->is_set = false; // not read in the loop
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, NULL, NULL);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, a), i);
    if (gen_chance(g, 60)) {
        gen_line(g, "if (%s) %s = %s;", gen_condition(g, 1), name, gen_tame(g, type, 1));
    } else {
        gen_line(g, "%s = %s;", name, gen_tame(g, type, 2));
    }
    gen_close(g);
    gen_end(g, kept);
    for (int k = 0; k < g->scalar_count; k++) {
        g->scalars[k].is_set |= strcmp(g->scalars[k].name, name) == 0;
    }
    return true;
}

static bool while_over_data(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 2);
    if (a == NULL || gen_is_float(a->type) || a->type == GEN_BOOL || g->work * 4 * gen_trips_of(g, a) > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, a, NULL);
    gen_line(g, "int r%d = 0;", n);
    gen_open(g, "while (%s[0] < 50 && r%d < 4) {", a->name, n);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, a), i);
    gen_line(g, "%s[%s] += 9 + r%d;", a->name, i, n);
    gen_close(g);
    gen_line(g, "r%d++;", n);
    gen_close(g);
    gen_end(g, kept);
    return true;
}

static bool struct_sum(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, false, 1);
    struct gen_scalar *s = gen_choose_scalar(g, false, true);
    if (a == NULL || s == NULL || !s->is_set) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, NULL, NULL);
    gen_line(g, "struct pt sum%d = {1, 2, {3, 4}};", n);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, a), i);
    gen_line(g, "sum%d.a += %s;", n, gen_int(g, 1));
    gen_line(g, "sum%d.b += %s;", n, gen_tame(g, GEN_F32, 1));
    if (gen_chance(g, 50)) {
        gen_line(g, "sum%d.c[1] ^= %s;", n, gen_int(g, 1));
    }
    gen_close(g);
    gen_line(g, "%s = sum%d.a + (int)sum%d.b + sum%d.c[1];", s->name, n, n, n);
    gen_end(g, kept);
    return true;
}

// What fits is moved to the front.
// What goes into a list, and where: in most of the ways in which people write it.
static void append(struct gen *g, const struct gen_array *to, const struct gen_array *from, const char *i, int n)
{
    const char *value = gen_text(g, "%s(%s[%s])", to->type == GEN_F64 ? "TD" : "TF", from->name, i);
    switch (gen_random(g, 6)) {
    case 0: // to be left out is said first
        gen_line(g, "if (!(%s)) continue;", gen_condition(g, 1));
        gen_line(g, "%s[count%d++] = %s;", to->name, n, value);
        break;
    case 1:
        gen_open(g, "if (%s) {", gen_condition(g, 1));
        gen_line(g, "count%d++;", n);
        gen_line(g, "%s[count%d - 1] = %s;", to->name, n, value);
        gen_close(g);
        break;
    case 2: // stored in any case
        gen_line(g, "%s[count%d] = %s;", to->name, n, value);
        gen_line(g, "count%d += (%s) ? 1 : 0;", n, gen_condition(g, 1));
        break;
    case 3:
        gen_open(g, "if (%s) {", gen_condition(g, 1));
        gen_line(g, "%s[count%d] = %s;", to->name, n, value);
        gen_line(g, "count%d += 1;", n);
        gen_close(g);
        gen_open(g, "else {");
        gen_line(g, "rest%d += 2;", n);
        gen_close(g);
        break;
    default: gen_line(g, "if (%s) %s[count%d++] = %s;", gen_condition(g, 1), to->name, n, value); break;
    }
}

static bool compaction(struct gen *g)
{
    static const char *const types[] = {"int", "int", "unsigned", "long", "size_t"};
    struct gen_array *to = gen_find_array(g, 1, true, 4);
    struct gen_array *from = gen_find_array(g, 1, false, 4);
    struct gen_scalar *s = gen_choose_scalar(g, false, true);
    if (to == NULL || from == NULL || s == NULL || !s->is_set) {
        return false;
    }
    long trips = gen_trips_of(g, to) < gen_trips_of(g, from) ? gen_trips_of(g, to) : gen_trips_of(g, from);
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, to, from);
    gen_line(g, "%s count%d = 0;", types[gen_random(g, 5)], n);
    gen_line(g, "int rest%d = 0;", n);
    bool is_down = gen_chance(g, 25);
    if (is_down) {
        gen_open(g, "for (int %s = %ld; %s >= 0; %s--) {", i, trips - 1, i, i);
    } else {
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    }
    append(g, to, from, i, n);
    gen_close(g);
    gen_line(g, "%s = (int)count%d + rest%d;", s->name, n, n);
    gen_end(g, kept);
    return true;
}

static bool map_3d(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 3, true, 1);
    if (a == NULL || g->work * a->extents[0].value * a->extents[1].value * a->extents[2].value > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    const char *names[3];
    gen_begin(g, NULL, NULL);
    a->role = GEN_WRITE;
    for (int k = 0; k < 3; k++) {
        names[k] = gen_push_counter(g, 0, a->extents[k].value - 1);
    }
    snprintf(a->home, sizeof a->home, "%s", names[0]);
    if (gen_chance(g, 20)) {
        gen_line(g, "#pragma rill collapse(3)");
    }
    bool is_swapped = gen_chance(g, 30); // the inner ones the other way round
    for (int k = 0; k < 3; k++) {
        int d = k > 0 && is_swapped ? 3 - k : k;
        gen_open(g, "for (int %s = 0; %s < %s; %s++) {", names[d], names[d], a->extents[d].text, names[d]);
    }
    gen_line(g, "%s[%s][%s][%s] = %s;", a->name, names[0], names[1], names[2], gen_value(g, a->type, 3));
    for (int k = 0; k < 3; k++) {
        gen_close(g);
    }
    gen_end(g, kept);
    return true;
}

// Two arrays that change places in each step.
static bool swapped(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    struct gen_array *b = NULL;
    for (int i = 0; a != NULL && i < g->array_count; i++) {
        struct gen_array *x = &g->arrays[i];
        bool is_mine = g->group == 0 || x->group == g->group;
        bool is_writable = !x->is_const && x->limit == 0 && !x->is_perm;
        b = x != a && x->type == a->type && x->rank == 1 && is_writable && is_mine && x->extents[0].value >= 4 ? x : b;
    }
    if (b == NULL || g->work * 3 * gen_trips_of(g, a) > g->work_limit) {
        return false;
    }
    long trips = gen_trips_of(g, a) < gen_trips_of(g, b) ? gen_trips_of(g, a) : gen_trips_of(g, b);
    int n = g->name_count++;
    const char *type = element_name(a);
    gen_line(g, "%s *from%d = %s, *to%d = %s;", type, n, a->name, n, b->name);
    gen_open(g, "for (int t%d = 0; t%d < 3; t%d++) {", n, n, n);
    gen_open(g, "for (int i%d = 1; i%d < %ld; i%d++) {", n, n, trips - 1, n);
    gen_line(g, "to%d[i%d] = %s(from%d[i%d - 1] + from%d[i%d + 1] + t%d);", n, n, a->type == GEN_F64 ? "TD" : "TF", n,
             n, n, n, n);
    gen_close(g);
    gen_line(g, "%s *other%d = from%d;", type, n, n);
    gen_line(g, "from%d = to%d;", n, n);
    gen_line(g, "to%d = other%d;", n, n);
    gen_close(g);
    return true;
}

// A local struct and a local table that tasks hand on to each other.
static bool table(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 2);
    if (a == NULL || a->type == GEN_BOOL) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *i = gen_push_counter(g, 0, 7);
    gen_begin(g, a, NULL);
    gen_line(g, "struct pt tab%d[8];", n);
    gen_open(g, "for (int %s = 0; %s < 8; %s++) {", i, i, i);
    gen_line(g, "tab%d[%s].a = %s;", n, i, gen_int(g, 2));
    gen_line(g, "tab%d[%s].b = %s;", n, i, gen_tame(g, GEN_F32, 2));
    gen_line(g, "tab%d[%s].c[0] = tab%d[%s].c[1] = %s;", n, i, n, i, i);
    gen_close(g);
    gen_end(g, kept);
    i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, a, NULL);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, bound_of(g, a), i);
    if (gen_chance(g, 50)) {
        gen_line(g, "struct pt one = tab%d[%s & 7];", n, i);
        gen_line(g, "%s[%s] = %s(one.a + one.c[%s & 1]);", a->name, i, a->type == GEN_F64 ? "TD" : "TF", i);
    } else {
        gen_line(g, "%s[%s] = %s(tab%d[(%s + 3) %% 8].b);", a->name, i, a->type == GEN_F64 ? "TD" : "TF", n, i);
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

// Least and greatest among numbers, infinities and NaNs, by every form there is.
static bool special(struct gen *g)
{
    struct gen_array *a = NULL;
    for (int i = 0; i < g->array_count; i++) {
        a = g->arrays[i].is_special ? &g->arrays[i] : a;
    }
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set) {
        return false;
    }
    int n = g->name_count++;
    const char *type = element_name(a);
    const char *f = a->type == GEN_F32 ? "f" : "";
    const char *x = gen_text(g, "%s[t%d]", a->name, n);
    gen_line(g, "%s y%d = %s;", type, n, gen_chance(g, 30) ? gen_text(g, "%s[0]", a->name) : "1");
    gen_line(g, "int z%d = 7;", n);
    gen_open(g, "for (int t%d = 0; t%d < %s; t%d++) {", n, n, bound_of(g, a), n);
    const char *y = gen_text(g, "y%d", n);
    switch (gen_random(g, 9)) {
    case 0: gen_line(g, "if (%s < %s) %s = %s;", x, y, y, x); break;
    case 1: gen_line(g, "if (%s >= %s) %s = %s;", x, y, y, x); break;
    case 2: gen_line(g, "%s = %s < %s ? %s : %s;", y, y, x, y, x); break;
    case 3: gen_line(g, "%s = %s >= %s ? %s : %s;", y, y, x, y, x); break;
    case 4: gen_line(g, "%s = %s > %s ? %s : %s;", y, x, y, x, y); break;
    case 5: gen_line(g, "%s = fmin%s(%s, %s);", y, f, y, x); break;
    case 6: gen_line(g, "%s = fmax%s(%s, %s);", y, f, x, y); break;
    case 7: gen_line(g, "if (%s < %s) { %s = %s; z%d = t%d; }", x, y, y, x, n, n); break;
    default: gen_line(g, "if (%s <= %s) { z%d = t%d; %s = %s; }", y, x, n, n, y, x); break;
    }
    gen_close(g);
    gen_line(g, "%s = (y%d != y%d) + 2 * (y%d > 100) + 4 * (int)TF(y%d) + 64 * z%d;", out->name, n, n, n, n, n);
    return true;
}

typedef bool idiom(struct gen *g);

static idiom *const plain[] = {
    stencil,     map_2d,      steps_in_time, product,         selection,   shift,           stride,
    linear,      pairs_of,    scan,          sum_into_memory, temporaries, search,          halves,
    common_sums, call_kernel, pointers,      insist,          last_value,  while_over_data, struct_sum,
    special,     swapped,     table,         compaction,      map_3d,      chain,           chain,
};

static idiom *const called[] = {
    gen_called_updates, gen_called_updates, gen_called_reads,  gen_called_reads,  gen_kept_in_nest,  gen_kept_in_nest,
    gen_called_members, gen_called_members, gen_called_places, gen_called_places, gen_called_places, gen_called_places,
};

static idiom *const shapes[] = {
    gen_pointer_walk,   gen_pointer_walk, gen_pointer_choice, gen_pointer_choice, gen_pointer_rows,  gen_memory_calls,
    gen_memory_calls,   gen_local_matrix, gen_layout_loop,    gen_layout_loop,    gen_layout_loop,   gen_layout_loop,
    gen_layout_updates, gen_layout_local, gen_limits,         gen_limits,         gen_inner_while,   gen_side_effects,
    gen_side_effects,   gen_block_split,  gen_block_split,    gen_block_rows,     gen_block_updates, gen_block_mixed,
};

bool gen_idiom(struct gen *g)
{
    enum { PLAIN = sizeof plain / sizeof plain[0] };
    enum { CALLED = sizeof called / sizeof called[0], SHAPES = sizeof shapes / sizeof shapes[0] };
    if (g->scalar_count + 8 >= GEN_SCALARS) {
        return false;
    }
    for (int tries = 0; tries < 4; tries++) {
        uint32_t low = g->prefers_shapes && tries < 3 ? PLAIN + CALLED : g->prefers_helpers && tries < 3 ? PLAIN : 0;
        uint32_t high = g->prefers_helpers && tries < 3 ? PLAIN + CALLED : PLAIN + CALLED + SHAPES;
        uint32_t k = low + gen_random(g, high - low);
        idiom *chosen = k < PLAIN ? plain[k] : k < PLAIN + CALLED ? called[k - PLAIN] : shapes[k - PLAIN - CALLED];
        if (chosen(g)) {
            return true;
        }
    }
    return false;
}
