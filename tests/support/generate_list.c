// Loops that keep, find and gather: lists that keep the order, one or several, of rows too; searches that leave at the
// first hit; lists in any order by an atomic counter; the best of structs; tables of the kernel's own that count and
// sum.
#include "generate_internal.h"

#include <string.h>

// ---- parts
// ----------------------------------------------------------------------------------------------------------------------

void gen_list_helpers(struct gen *g)
{
    gen_line(g, "static struct pt li_better(struct pt a, struct pt b) { return b.a > a.a ? b : a; }");
    gen_line(g, "static struct pt li_least(struct pt a, struct pt b) { if (b.a < a.a) a = b; return a; }");
    gen_line(g, "static struct pt li_both(struct pt a, struct pt b) { struct pt r = {a.a + b.a, a.b + b.b, {0, 0}}; "
                "r.c[0] = a.c[0] + b.c[0]; r.c[1] = a.c[1] ^ b.c[1]; return r; }");
}

// Two arrays to write, which are not the same, and the iterations that fit into both.
static struct gen_array *second_target(struct gen *g, const struct gen_array *first, long *trips)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    if (a == NULL || a == first) {
        return NULL;
    }
    long other = gen_trips_of(g, a);
    *trips = other < *trips ? other : *trips;
    return a;
}

static const char *item(struct gen *g, const struct gen_array *to, const char *i)
{
    return gen_as(g, to->type, gen_chance(g, 50) ? i : gen_int(g, 1));
}

static void open_down_or_up(struct gen *g, const char *i, long trips)
{
    if (gen_chance(g, 20)) {
        gen_open(g, "for (int %s = %ld; %s >= 0; %s--) {", i, trips - 1, i, i);
    } else if (gen_chance(g, 15)) {
        gen_open(g, "for (long %s = 0; %s <= %ld; ++%s) {", i, i, trips - 1, i);
    } else {
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    }
}

// ---- lists in order
// ----------------------------------------------------------------------------------------------------------------

static const char *const counter_types[] = {"int", "int", "int", "unsigned", "long", "size_t"};

// What is not kept goes to a second list.
static void keep_both(struct gen *g, const struct gen_array *a, const struct gen_array *b, const char *i, int n)
{
    switch (gen_random(g, 3)) {
    case 0:
        gen_line(g, "if (%s) %s[k%d++] = %s;", gen_condition(g, 1), a->name, n, item(g, a, i));
        gen_line(g, "else %s[l%d++] = %s;", b->name, n, item(g, b, i));
        break;
    case 1:
        gen_line(g, "if (%s) { %s[k%d] = %s; k%d++; }", gen_condition(g, 1), a->name, n, item(g, a, i), n);
        gen_line(g, "if (%s) { %s[l%d] = %s; ++l%d; }", gen_condition(g, 1), b->name, n, item(g, b, i), n);
        break;
    default: // two arrays by one counter
        gen_open(g, "if (%s) {", gen_condition(g, 1));
        gen_line(g, "%s[k%d] = %s;", a->name, n, item(g, a, i));
        gen_line(g, "%s[k%d++] = %s;", b->name, n, item(g, b, i));
        gen_close(g);
        gen_line(g, "l%d += %s;", n, gen_condition(g, 1));
        break;
    }
}

static void keep_one(struct gen *g, const struct gen_array *a, const char *i, int n, long trips)
{
    switch (gen_random(g, 8)) {
    case 0:
        gen_line(g, "if (!(%s)) continue;", gen_condition(g, 1));
        gen_line(g, "%s[k%d] = %s;", a->name, n, item(g, a, i));
        gen_line(g, "k%d = k%d + 1;", n, n);
        break;
    case 1: // nothing but the count
        gen_line(g, "if (%s) k%d++;", gen_condition(g, 1), n);
        break;
    case 2: // as many as fit
        gen_line(g, "if (k%d < %ld && %s) %s[k%d++] = %s;", n, trips / 2, gen_condition(g, 1), a->name, n,
                 item(g, a, i));
        break;
    case 3: // in place
        gen_line(g, "if (%s) %s[k%d++] = %s[%s];", gen_condition(g, 1), a->name, n, a->name, i);
        break;
    case 4: // the first of each run
        gen_line(g, "if (%s == 0 || (%s) != (%s)) %s[k%d++] = %s;", i, gen_int(g, 1), gen_int(g, 1), a->name, n,
                 item(g, a, i));
        break;
    case 5: // from inside another loop
        gen_open(g, "for (int q = 0; q < 2; q++) {");
        gen_line(g, "if (q != (%s & 1)) %s[k%d++] = %s;", i, a->name, n, item(g, a, i));
        gen_close(g);
        break;
    case 6: gen_line(g, "%s[k%d] = %s; k%d += %s;", a->name, n, item(g, a, i), n, gen_condition(g, 1)); break;
    default: gen_line(g, "if (%s) %s[k%d++] = %s;", gen_condition(g, 1), a->name, n, item(g, a, i)); break;
    }
}

static bool lists(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set) {
        return false;
    }
    long trips = gen_trips_of(g, a);
    struct gen_array *b = gen_chance(g, 50) ? second_target(g, a, &trips) : NULL;
    int kept = g->scalar_count, n = g->name_count++;
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, a, b);
    gen_line(g, "%s k%d = 0, l%d = 0;", counter_types[gen_random(g, 6)], n, n);
    if (gen_chance(g, 10)) {
        gen_line(g, "int %s = 0;", i);
        gen_open(g, "while (%s < %ld) {", i, trips);
        gen_line(g, "if (%s) %s[k%d++] = %s;", gen_condition(g, 1), a->name, n, item(g, a, i));
        gen_line(g, "%s++;", i);
    } else {
        open_down_or_up(g, i, trips);
        if (b != NULL) {
            keep_both(g, a, b, i, n);
        } else {
            keep_one(g, a, i, n, trips);
        }
    }
    gen_close(g);
    gen_line(g, "%s = (int)k%d - 3 * (int)l%d;", out->name, n, n);
    gen_end(g, kept);
    if (gen_chance(g, 50)) { // the list as long as it is
        gen_line(g, "for (int e%d = 0; e%d < (int)k%d; e%d++) %s[e%d] = %s(%s[e%d] + e%d);", n, n, n, n, a->name, n,
                 a->type == GEN_F64 ? "TD" : "TF", a->name, n, n);
    }
    return true;
}

// A list for each row.
static bool rows_of_lists(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 2, true, 1);
    struct gen_array *counts = gen_find_array(g, 1, true, 1);
    if (a == NULL || counts == NULL || counts->extents[0].value < a->extents[0].value ||
        g->work * a->extents[0].value * a->extents[1].value > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count, n = g->name_count++;
    const char *i = gen_push_counter(g, 0, a->extents[0].value - 1);
    gen_begin(g, a, counts);
    bool is_one = gen_chance(g, 40); // all rows' entries by one counter
    if (is_one) {
        gen_line(g, "int k%d = 0;", n);
    }
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, a->extents[0].text, i);
    if (is_one) {
        gen_line(g, "%s[%s] = %s;", counts->name, i, gen_as(g, counts->type, gen_text(g, "k%d", n)));
    } else {
        gen_line(g, "int k%d = 0;", n);
    }
    const char *j = gen_push_counter(g, 0, a->extents[1].value - 1);
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", j, j, a->extents[1].text, j);
    if (is_one) {
        gen_line(g, "if (%s) k%d++;", gen_condition(g, 1), n);
    } else {
        gen_line(g, "if (%s) %s[%s][k%d++] = %s;", gen_condition(g, 1), a->name, i, n, item(g, a, j));
    }
    gen_close(g);
    if (!is_one) {
        gen_line(g, "%s[%s] = %s;", counts->name, i, gen_as(g, counts->type, gen_text(g, "k%d", n)));
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

// Whoever comes first: the sum of the list is the same, and nothing is left of the list itself.
static bool in_any_order(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set || a->type == GEN_BOOL || g->group > 0) {
        return false;
    }
    long trips = gen_trips_of(g, a);
    int kept = g->scalar_count, n = g->name_count++;
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, a, NULL);
    for (int k = 0; k < g->array_count; k++) { // what shares its memory would see the order
        bool is_same = strcmp(g->arrays[k].buffer, a->buffer) == 0;
        g->arrays[k].role = is_same && !a->is_field && !a->is_own && !a->is_local ? GEN_NOTHING : g->arrays[k].role;
    }
    g->gives_word = true;
    gen_line(g, "int k%d = 0;", n);
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    gen_line(g, "if (%s) %s[rill_atomic_add(&k%d, 1)] = %s;", gen_condition(g, 1), a->name, n, item(g, a, i));
    gen_close(g);
    gen_end(g, kept);
    gen_line(g, "%s = k%d;", out->name, n);
    gen_line(g, "for (int e%d = 0; e%d < k%d; e%d++) %s += (int)%s[e%d];", n, n, n, n, out->name, a->name, n);
    gen_line(g, "for (int e%d = 0; e%d < %ld; e%d++) %s[e%d] = 0;", n, n, trips, n, a->name, n);
    return true;
}

// ---- searches
// ----------------------------------------------------------------------------------------------------------------------

// True if it goes to the label behind.
static bool found_at(struct gen *g, const char *i, long trips, int n)
{
    const char *c = gen_condition(g, 1);
    uint32_t way = gen_random(g, 6);
    switch (way) {
    case 0: // whether all are so
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
        gen_line(g, "if (!(%s)) { at%d = 0; break; }", c, n);
        break;
    case 1: // two ways out
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
        gen_line(g, "if (%s) { at%d = %s; break; }", c, n, i);
        gen_line(g, "if (%s) { at%d = -2 - %s; break; }", gen_condition(g, 1), n, i);
        break;
    case 2: // from the back
        gen_open(g, "for (int %s = %ld; %s >= 0; %s--) {", i, trips - 1, i, i);
        gen_line(g, "if (%s) { at%d = %s; break; }", c, n, i);
        break;
    case 3:
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
        gen_line(g, "if (%s) { at%d = %s; goto past_at%d; }", c, n, i, n);
        break;
    case 4: // the value on the way is kept
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
        gen_line(g, "last%d = %s;", n, gen_int(g, 1));
        gen_line(g, "if (%s) { at%d = %s + (last%d & 1); break; }", c, n, i, n);
        break;
    default:
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
        gen_line(g, "if (%s) {", c);
        gen_line(g, "    at%d = %s;", n, i);
        gen_line(g, "    break;");
        gen_line(g, "}");
        break;
    }
    gen_close(g);
    return way == 3;
}

static bool search(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, false, 1);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set || g->group > 0) {
        return false;
    }
    int kept = g->scalar_count, n = g->name_count++;
    long trips = gen_trips_of(g, a);
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, NULL, NULL);
    gen_line(g, "int at%d = -1, last%d = 0;", n, n);
    if (gen_chance(g, 20)) {
        const char *c = gen_text(g, "%s[%s] != %s", a->name, i, gen_chance(g, 50) ? "3" : gen_int(g, 0));
        gen_line(g, "int %s = 0;", i);
        gen_line(g, "while (%s < %ld && %s) %s++;", i, trips, c, i);
        gen_line(g, "at%d = %s;", n, i);
    } else if (found_at(g, i, trips, n)) {
        gen_line(g, "past_at%d:;", n);
    }
    gen_line(g, "%s = at%d * 2 + last%d;", out->name, n, n);
    gen_end(g, kept);
    return true;
}

// ---- what is gathered
// ------------------------------------------------------------------------------------------------------------

// The best of structs, or members that are each summed, through a helper.
static bool best_of_structs(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, false, 1);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set) {
        return false;
    }
    static const char *const helpers[] = {"li_better", "li_least", "li_both"};
    int kept = g->scalar_count, n = g->name_count++;
    long trips = gen_trips_of(g, a);
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, NULL, NULL);
    gen_line(g, "struct pt best%d = {-7, 1, {2, 3}};", n);
    open_down_or_up(g, i, trips);
    gen_line(g, "struct pt one%d = {%s, %s, {0, 0}};", n, gen_int(g, 2), gen_tame(g, GEN_F32, 1));
    gen_line(g, "one%d.c[1] = %s;", n, i);
    bool is_guarded = gen_chance(g, 20);
    gen_line(g, "%s%s%sbest%d = %s(best%d, one%d);", is_guarded ? "if (" : "", is_guarded ? gen_condition(g, 1) : "",
             is_guarded ? ") " : "", n, helpers[gen_random(g, 3)], n, n);
    gen_close(g);
    gen_line(g, "%s = best%d.a + 5 * (int)TF(best%d.b) + best%d.c[0] - best%d.c[1];", out->name, n, n, n, n);
    gen_end(g, kept);
    return true;
}

// A table of the kernel's own that counts, sums or takes the largest, and what comes of it: sums of it, or a sort.
static bool own_table(struct gen *g)
{
    static const enum gen_type types[] = {GEN_I32, GEN_I32, GEN_U32, GEN_I64, GEN_F32, GEN_F64, GEN_U8};
    struct gen_array *a = gen_find_array(g, 1, true, 2);
    if (a == NULL) {
        return false;
    }
    int kept = g->scalar_count, n = g->name_count++;
    long trips = gen_trips_of(g, a);
    enum gen_type type = types[gen_random(g, 7)];
    int size = 1 << (2 + gen_random(g, 6));
    gen_line(g, "%s h%d[%d]%s;", gen_type_name(type), n, size, gen_chance(g, 70) ? " = {0}" : "");
    gen_line(g, "for (int e%d = 0; e%d < %d; e%d++) h%d[e%d] = %s;", n, n, size, n, n, n,
             gen_chance(g, 70) ? "0" : "1");
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, a, NULL);
    open_down_or_up(g, i, trips);
    const char *at = gen_text(g, "h%d[(%s) & %d]", n, gen_int(g, 2), size - 1);
    switch (gen_random(g, 4)) {
    case 0: gen_line(g, "%s++;", at); break;
    case 1: gen_line(g, "if (%s) %s += %s;", gen_condition(g, 1), at, gen_tame(g, type, 1)); break;
    case 2:
        gen_line(g, "int b%d = (%s) & %d;", n, gen_int(g, 1), size - 1);
        gen_line(g, "if (%s > h%d[b%d]) h%d[b%d] = %s;", i, n, n, n, n, i);
        break;
    default: gen_line(g, "%s += %s;", at, gen_tame(g, type, 1)); break;
    }
    gen_close(g);
    gen_end(g, kept);
    if (gen_chance(g, 50)) { // where each begins
        gen_line(g, "%s t%d = 0;", gen_type_name(type), n);
        gen_line(g, "for (int e%d = 0; e%d < %d; e%d++) { %s c%d = h%d[e%d]; h%d[e%d] = t%d; t%d += c%d; }", n, n, size,
                 n, gen_type_name(type), n, n, n, n, n, n, n, n);
    }
    gen_line(g, "for (int e%d = 0; e%d < %ld; e%d++) %s[e%d] = %s;", n, n, trips, n, a->name, n,
             gen_as(g, a->type, gen_text(g, "h%d[e%d & %d]", n, n, size - 1)));
    return true;
}

bool gen_list(struct gen *g)
{
    static bool (*const ways[])(struct gen *) = {lists,  lists,  lists,           rows_of_lists, in_any_order,
                                                 search, search, best_of_structs, own_table,     own_table};
    return ways[gen_random(g, sizeof ways / sizeof ways[0])](g);
}
