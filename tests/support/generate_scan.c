// Loops that hand on running values and use them: scans in the spellings that people have for them, recurrences in
// scalars and in memory, segments, structs of sums, rows and columns of matrices, forwards and backwards.
//
// Sums of floats are of small whole numbers and factors of floats are 0, 1 or -1, so that every order gives the same
// bits.
#include "generate_internal.h"

enum { MOST_RUNNING = 3 };

// What a loop hands on.
struct running {
    enum gen_type type;
    const char *place; // "s3", "r3.a"
};

// ---- parts
// ----------------------------------------------------------------------------------------------------------------------

void gen_scan_helpers(struct gen *g)
{
    gen_line(g, "struct two { int count; long sum; };");
    gen_line(g, "static struct two two_add(struct two a, struct two b) { struct two r = {a.count + b.count, a.sum + "
                "b.sum}; return r; }");
    gen_line(g, "static struct two two_of(int k) { struct two r; r.count = k > 0; r.sum = k; return r; }");
    gen_line(g, "static int sc_add(int a, int b) { return a + b; }");
    gen_line(g, "static int sc_most(int a, int b) { return a > b ? a : b; }");
    gen_line(g, "static int sc_least(int a, int b) { if (b < a) a = b; return a; }");
}

static const char *as_type(enum gen_type type)
{
    return type == GEN_F64 ? "TD" : type == GEN_F32 ? "TF" : gen_type_name(type);
}

const char *gen_as(struct gen *g, enum gen_type type, const char *value)
{
    return gen_is_float(type) ? gen_text(g, "%s(%s)", as_type(type), value)
                              : gen_text(g, "(%s)(%s)", as_type(type), value);
}

// What of |value| goes into |to|: a sum of floats as it is only where it stays exact.
static const char *stored(struct gen *g, const struct gen_array *to, const struct running *r)
{
    if (!gen_is_float(to->type)) {
        return gen_is_float(r->type) ? gen_text(g, "(int)%s", r->place) : r->place;
    }
    return to->type == GEN_F64 && g->is_tame && gen_chance(g, 50) ? r->place : gen_as(g, to->type, r->place);
}

static enum gen_type running_type(struct gen *g, const struct gen_array *to)
{
    static const enum gen_type types[] = {GEN_I32, GEN_I32, GEN_U32, GEN_I64, GEN_I16,
                                          GEN_U64, GEN_F32, GEN_F64, GEN_F64};
    bool is_same = gen_chance(g, 40) && to->type != GEN_BOOL && to->type != GEN_RECORD;
    return is_same ? to->type : types[gen_random(g, 9)];
}

static void update(struct gen *g, const struct running *r)
{
    const char *s = r->place;
    const char *v = gen_tame(g, r->type, 2);
    bool is_float = gen_is_float(r->type);
    const char *f = r->type == GEN_F32 ? "f" : "";
    switch (gen_random(g, is_float ? 8 : 15)) {
    case 0: gen_line(g, "%s -= %s;", s, v); break;
    case 1: gen_line(g, "%s = %s + %s;", s, s, v); break;
    case 2: gen_line(g, "%s = %s + %s;", s, v, s); break;
    case 3: gen_line(g, "if (%s > %s) %s = %s;", v, s, s, v); break;
    case 4: gen_line(g, "%s = %s < %s ? %s : %s;", s, v, s, v, s); break;
    case 5:
        if (is_float) {
            gen_line(g, "%s = f%s%s(%s, %s);", s, gen_chance(g, 50) ? "max" : "min", f, s, v);
        } else {
            gen_line(g, "%s++;", s);
        }
        break;
    case 8: gen_line(g, "%s *= %s;", s, v); break;
    case 9: gen_line(g, "%s ^= %s;", s, v); break;
    case 10: gen_line(g, "%s |= %s;", s, v); break;
    case 11: gen_line(g, "%s &= %s;", s, v); break;
    case 12: gen_line(g, "%s = sc_add(%s, %s);", s, s, v); break;
    case 13: gen_line(g, "%s = %s(%s, %s);", s, gen_chance(g, 50) ? "sc_most" : "sc_least", s, v); break;
    default: gen_line(g, "%s += %s;", s, v); break;
    }
}

static const char *factor(struct gen *g, enum gen_type type)
{
    if (!gen_is_float(type)) {
        return gen_chance(g, 40) ? "33" : gen_chance(g, 50) ? gen_text(g, "(%s)", gen_int(g, 1)) : "3";
    }
    switch (gen_random(g, 3)) {
    case 0: return gen_text(g, "(%s ? 1 : -1)", gen_condition(g, 1));
    case 1: return gen_text(g, "(%s ? 1 : 0)", gen_condition(g, 1));
    default: return gen_text(g, "(float)((%s) != 0)", gen_int(g, 1));
    }
}

// Linear in what it was.
static const char *linear_of(struct gen *g, enum gen_type type, const char *before)
{
    const char *a = factor(g, type);
    const char *b = gen_tame(g, type, 1);
    switch (gen_random(g, 5)) {
    case 0: return gen_text(g, "%s * %s + %s", a, before, b);
    case 1: return gen_text(g, "%s + %s * %s", b, before, a);
    case 2: return gen_text(g, "%s - %s", b, before);
    case 3: return gen_text(g, gen_is_float(type) ? "%s * %s + %s" : "%s * %s - %s", before, a, b);
    default: return gen_text(g, "%s * %s + %s", before, a, b);
    }
}

static void step_of(struct gen *g, const struct running *r)
{
    switch (gen_random(g, 9)) {
    case 0: gen_line(g, "if (%s) %s = %s;", gen_condition(g, 1), r->place, gen_tame(g, r->type, 1)); break;
    case 1:
        gen_line(g, "if (%s) %s = %s;", gen_condition(g, 1), r->place, gen_tame(g, r->type, 1));
        gen_line(g, "else %s += %s;", r->place, gen_tame(g, r->type, 1));
        break;
    case 2:
        gen_line(g, "%s = %s ? %s : %s + %s;", r->place, gen_condition(g, 1), gen_tame(g, r->type, 1), r->place,
                 gen_tame(g, r->type, 1));
        break;
    case 3: gen_line(g, "%s = %s;", r->place, linear_of(g, r->type, r->place)); break;
    case 4:
        gen_open(g, "if (%s) {", gen_condition(g, 1));
        update(g, r);
        gen_close(g);
        break;
    case 5:
        gen_open(g, "for (int q = 0; q < %d; q++) {", 2 + (int)gen_random(g, 3));
        update(g, r);
        gen_close(g);
        break;
    default: update(g, r); break;
    }
}

// The head of a loop over |first| … |trips| - 1.
static void open_loop(struct gen *g, const char *i, long first, long trips)
{
    switch (gen_random(g, 10)) {
    case 0: gen_open(g, "for (int %s = %ld; %s >= %ld; %s--) {", i, trips - 1, i, first, i); break;
    case 1: gen_open(g, "for (long %s = %ld; %s > %ld; --%s) {", i, trips - 1, i, first - 1, i); break;
    case 2: gen_open(g, "for (int %s = %ld; %s < %ld; %s += 2) {", i, first, i, trips, i); break;
    case 3: gen_open(g, "for (long %s = %ld; %s <= %ld; %s++) {", i, first, i, trips - 1, i); break;
    case 4: gen_open(g, "for (int %s = %ld; %s != %ld; %s++) {", i, first, i, trips, i); break;
    default: gen_open(g, "for (int %s = %ld; %s < %ld; %s++) {", i, first, i, trips, i); break;
    }
}

static long trips_of_both(const struct gen *g, const struct gen_array *a, const struct gen_array *b)
{
    long x = gen_trips_of(g, a), y = gen_trips_of(g, b);
    return x < y ? x : y;
}

// Afterwards |out| knows what became of the running values.
static void use_running(struct gen *g, const char *out, const struct running *r, int count)
{
    for (int k = 0; k < count; k++) {
        gen_line(g, "%s %s %s(%s);", out, k == 0 ? "=" : "^=", gen_is_float(r[k].type) ? "(int)TF" : "(int)",
                 r[k].place);
    }
}

// ---- running values in scalars and structs
// --------------------------------------------------------------------------------------

static int declare_running(struct gen *g, const struct gen_array *to, struct running *r, int n)
{
    int count = 1 + (int)(gen_chance(g, 40) ? gen_random(g, MOST_RUNNING) : 0);
    if (gen_chance(g, 20)) { // two sums in one struct
        gen_line(g, "struct pt r%d = {1, 2, {3, 4}};", n);
        r[0] = (struct running){GEN_I32, gen_text(g, "r%d.a", n)};
        r[1] = gen_chance(g, 50) ? (struct running){GEN_F32, gen_text(g, "r%d.b", n)}
                                 : (struct running){GEN_I16, gen_text(g, "r%d.c[1]", n)};
        return 2;
    }
    for (int k = 0; k < count; k++) {
        r[k] = (struct running){running_type(g, to), gen_text(g, "s%d_%d", n, k)};
        gen_line(g, "%s %s = %d;", gen_type_name(r[k].type), r[k].place, (int)gen_random(g, 3));
    }
    return count;
}

static bool running_values(struct gen *g)
{
    struct gen_array *to = gen_find_array(g, 1, true, 3);
    struct gen_array *other = gen_chance(g, 40) ? gen_find_array(g, 1, true, 3) : NULL;
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (to == NULL || out == NULL || !out->is_set) {
        return false;
    }
    struct running r[MOST_RUNNING];
    int kept = g->scalar_count, n = g->name_count++;
    long trips = other != NULL ? trips_of_both(g, to, other) : gen_trips_of(g, to);
    int count = declare_running(g, to, r, n);
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, to, other);
    open_loop(g, i, 0, trips);
    bool in_place = gen_chance(g, 25);
    if (in_place) {
        gen_line(g, "%s now%d = %s[%s];", gen_type_name(to->type), n, to->name, i);
    }
    for (int k = 0; k < count; k++) {
        struct gen_array *into = k > 0 && other != NULL ? other : to;
        bool is_stored = k == 0 || gen_chance(g, 70), is_exclusive = gen_chance(g, 35);
        if (is_stored && is_exclusive) {
            gen_line(g, "%s[%s] = %s;", into->name, i, stored(g, into, &r[k]));
        }
        if (in_place && k == 0) {
            gen_line(g, "%s += %s;", r[k].place, gen_as(g, r[k].type, gen_text(g, "now%d", n)));
        } else {
            step_of(g, &r[k]);
        }
        if (is_stored && !is_exclusive) {
            gen_line(g, "%s[%s] = %s;", into->name, i, stored(g, into, &r[k]));
        }
    }
    gen_close(g);
    use_running(g, out->name, r, count);
    gen_end(g, kept);
    return true;
}

// A pair of sums through helpers that take and return it.
static bool running_pair(struct gen *g)
{
    struct gen_array *to = gen_find_array(g, 1, true, 3);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (to == NULL || out == NULL || !out->is_set) {
        return false;
    }
    int kept = g->scalar_count, n = g->name_count++;
    long trips = gen_trips_of(g, to);
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, to, NULL);
    gen_line(g, "struct two w%d = {0, %d};", n, (int)gen_random(g, 3));
    open_loop(g, i, 0, trips);
    bool is_stored = gen_chance(g, 60);
    gen_line(g, "w%d = two_add(w%d, two_of(%s));", n, n, gen_int(g, 2));
    if (is_stored) {
        gen_line(g, "%s[%s] = %s;", to->name, i, gen_as(g, to->type, gen_text(g, "w%d.sum - w%d.count", n, n)));
    }
    gen_close(g);
    gen_line(g, "%s = w%d.count + (int)w%d.sum;", out->name, n, n);
    gen_end(g, kept);
    return true;
}

// ---- running values in memory
// ---------------------------------------------------------------------------------------------------

// Whole numbers once more, where sums of sums would grow too large to be exact.
static void tame_again(struct gen *g, const struct gen_array *a, long trips, int n)
{
    if (gen_is_float(a->type)) {
        gen_line(g, "for (int e%d = 0; e%d < %ld; e%d++) %s[e%d] = %s(%s[e%d]);", n, n, trips, n, a->name, n,
                 as_type(a->type), a->name, n);
    }
}

static bool recurrence(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    if (a == NULL || a->type == GEN_BOOL || (gen_is_float(a->type) && !g->is_tame)) {
        return false;
    }
    int kept = g->scalar_count, n = g->name_count++;
    long trips = gen_trips_of(g, a);
    tame_again(g, a, trips, n);
    const char *i = gen_push_counter(g, 1, trips - 2);
    gen_begin(g, a, NULL);
    bool is_down = gen_chance(g, 25);
    if (is_down) {
        gen_open(g, "for (int %s = %ld; %s >= 1; %s--) {", i, trips - 2, i, i);
    } else {
        gen_open(g, "for (int %s = 1; %s < %ld; %s++) {", i, i, trips - 1, i);
    }
    const char *now = gen_text(g, "%s[%s]", a->name, i);
    const char *before = gen_text(g, "%s[%s %s 1]", a->name, i, is_down ? "+" : "-");
    const char *next = gen_text(g, "%s[%s %s 1]", a->name, i, is_down ? "-" : "+");
    switch (gen_random(g, 6)) {
    case 0: gen_line(g, "%s += %s;", now, before); break;
    case 1: gen_line(g, "%s = %s + %s;", next, now, gen_tame(g, a->type, 1)); break;
    case 2: gen_line(g, "%s = %s;", now, linear_of(g, a->type, before)); break;
    case 3: gen_line(g, "if (%s) %s += %s;", gen_condition(g, 1), now, before); break;
    case 4: gen_line(g, "if (%s > %s) %s = %s;", before, now, now, before); break;
    default: gen_line(g, "%s = %s + %s;", now, before, gen_tame(g, a->type, 1)); break;
    }
    gen_close(g);
    gen_end(g, kept);
    tame_again(g, a, trips, n);
    return true;
}

// Rows of a matrix, each by itself or one after the other; its columns.
static bool rows(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 2, true, 2);
    if (a == NULL || a->type == GEN_BOOL || a->extents[1].value < 2 || (gen_is_float(a->type) && !g->is_tame) ||
        g->work * a->extents[0].value * a->extents[1].value > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count, n = g->name_count++;
    struct running r = {a->type, gen_text(g, "s%d", n)};
    uint32_t way = gen_random(g, 3); // a row's own, one for all, by columns in memory
    const char *i = gen_push_counter(g, way == 2 ? 1 : 0, a->extents[0].value - 1);
    gen_begin(g, a, NULL);
    if (way == 1) {
        gen_line(g, "%s %s = 1;", gen_type_name(r.type), r.place);
    }
    gen_open(g, "for (int %s = %d; %s < %s; %s++) {", i, way == 2, i, a->extents[0].text, i);
    if (way == 0) {
        gen_line(g, "%s %s = %s;", gen_type_name(r.type), r.place, gen_tame(g, r.type, 1));
    }
    const char *j = gen_push_counter(g, 0, a->extents[1].value - 1);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", j, j, a->extents[1].text, j);
    if (way == 2) {
        const char *sum = gen_text(g, "%s[%s - 1][%s] + %s", a->name, i, j, gen_int(g, 1));
        gen_line(g, "%s[%s][%s] = %s;", a->name, i, j, gen_as(g, a->type, sum));
    } else {
        step_of(g, &r);
        gen_line(g, "%s[%s][%s] = %s;", a->name, i, j, stored(g, a, &r));
    }
    gen_close(g);
    gen_close(g);
    gen_end(g, kept);
    return true;
}

bool gen_scan(struct gen *g)
{
    static bool (*const ways[])(struct gen *) = {
        running_values, running_values, running_values, running_pair, recurrence, recurrence, rows};
    return ways[gen_random(g, sizeof ways / sizeof ways[0])](g);
}
