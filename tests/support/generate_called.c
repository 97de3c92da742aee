// More loops as people write them: helpers that update or read through pointers, nests that keep something.
#include "generate_internal.h"

static struct gen_array *find_ints(struct gen *g)
{
    for (int tries = 0; tries < 8; tries++) {
        struct gen_array *a = gen_find_array(g, 1, true, 3);
        if (a != NULL && a->type == GEN_I32) {
            return a;
        }
    }
    return NULL;
}

// Helpers that update one place, or one of the iteration's own, of an array or of a local.
bool gen_called_updates(struct gen *g)
{
    struct gen_array *a = gen_chance(g, 70) ? find_ints(g) : NULL;
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL && (out == NULL || !out->is_set)) {
        return false;
    }
    int kept = g->scalar_count;
    const char *name = a != NULL ? a->name : gen_text(g, "box%d", g->name_count++);
    long trips = a != NULL ? gen_trips_of(g, a) - 2 : 2;
    long last = a != NULL ? a->extents[0].value - 2 : 2; // grow_two() reaches one farther
    if (a == NULL) {
        gen_line(g, "int %s[4] = {1, 2, 3, 4};", name);
    }
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, a, NULL);
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    bool is_xor = gen_chance(g, 20);
    for (uint32_t k = 1 + gen_random(g, 3); k > 0; k--) {
        const char *at = gen_chance(g, 75)   ? gen_text(g, "%u", gen_random(g, 2))
                         : gen_chance(g, 50) ? gen_text(g, "(unsigned)(n + 1) %% %ld", last + 1)
                                             : i;
        if (is_xor) {
            gen_line(g, "grow_all(&%s[%s], %s, %u);", name, at, gen_int(g, 2), gen_random(g, 4));
        } else if (gen_chance(g, 25)) {
            gen_line(g, "%s[%s] -= %s;", name, at, gen_int(g, 1));
        } else {
            gen_line(g, "%s(&%s[%s], %s);", gen_chance(g, 50) ? "grow_two" : "grow", name, at, gen_int(g, 2));
        }
    }
    gen_close(g);
    gen_end(g, kept);
    if (a == NULL) {
        gen_line(g, "%s = %s[0] ^ %s[1] ^ %s[2] ^ %s[3];", out->name, name, name, name, name);
    }
    return true;
}

// Helpers that read an index or a struct from a local.
bool gen_called_reads(struct gen *g)
{
    struct gen_array *a = gen_chance(g, 60) ? find_ints(g) : NULL;
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL && (out == NULL || !out->is_set)) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    uint32_t factor = 1 + gen_random(g, 2), plus = gen_random(g, 2);
    const char *name = a != NULL ? a->name : gen_text(g, "box%d", n);
    long trips = ((a != NULL ? gen_trips_of(g, a) : 20) - plus) / factor;
    const char *i = gen_push_counter(g, 0, trips - 1);
    bool is_outside = gen_chance(g, 30);
    gen_begin(g, a, NULL);
    if (a == NULL) {
        gen_line(g, "int %s[20] = {0};", name);
    }
    if (is_outside) {
        gen_line(g, "int k%d = 0;", n);
        gen_line(g, "struct pt p%d;", n);
    }
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    gen_line(g, "%sk%d = %u * %s + %u;", is_outside ? "" : "int ", n, factor, i, plus);
    if (gen_chance(g, 40)) {
        gen_line(g, "%sp%d = (struct pt){%s, 1, {k%d, 2}};", is_outside ? "" : "struct pt ", n, gen_int(g, 1), n);
        gen_line(g, "%s[k%d] = sum_of(&p%d, %s);", name, n, n, gen_int(g, 1));
    } else {
        gen_line(g, "%s(%s, &k%d, %s);", gen_chance(g, 50) ? "put_at" : "put_in", name, n, gen_int(g, 2));
    }
    if (gen_chance(g, 20)) {
        gen_line(g, "both(&k%d, %s);", n, i);
    }
    gen_close(g);
    gen_end(g, kept);
    if (a == NULL) {
        gen_line(g, "%s = %s[0] ^ %s[7] ^ %s[18];", out->name, name, name, name);
    }
    return true;
}

// Nests that keep a last value, the place of the least, or count into a few places.
bool gen_kept_in_nest(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 2, gen_chance(g, 60), 1);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set ||
        g->work * a->extents[0].value * a->extents[1].value > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *i = gen_push_counter(g, 0, a->extents[0].value - 1);
    const char *j = gen_push_counter(g, 0, a->extents[1].value - 1);
    bool has_between = gen_chance(g, 25), is_c89 = gen_chance(g, 25);
    gen_begin(g, NULL, NULL);
    gen_line(g, "int w%d = 3, v%d = 1000, x%d = -1, y%d = -1, c%d[4] = {1, 2, 3, 4}, j%d = 5;", n, n, n, n, n, n);
    if (gen_chance(g, 20)) {
        gen_line(g, "#pragma rill collapse(2)");
    }
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, a->extents[0].text, i);
    if (has_between) {
        gen_line(g, "w%d = %s * 3;", n, i);
    }
    const char *c = is_c89 ? gen_text(g, "j%d", n) : j;
    gen_open(g, is_c89 ? "for (%s = 0; %s < %s; %s++) {" : "for (int %s = 0; %s < %s; %s++) {", c, c,
             a->extents[1].text, c);
    if (is_c89) {
        gen_line(g, "int %s = j%d;", j, n);
    }
    const char *e = gen_text(g, "((int)TF(%s[%s][%s]) + %s %% 3)", a->name, i, j, j);
    if (gen_chance(g, 60)) {
        gen_line(g, gen_chance(g, 50) ? "if (%s %% 3 == 1) { w%d = %s; }" : "if (%s > 0) { w%d = %s + 1; }", e, n, j);
    }
    if (gen_chance(g, 50)) {
        gen_line(g, "if (%s %s v%d) { v%d = %s; x%d = %s; y%d = %s; }", e, gen_chance(g, 50) ? "<" : "<=", n, n, e, n,
                 i, n, j);
    }
    if (gen_chance(g, 60)) {
        gen_line(g, "c%d[%s] += %s;", n, gen_chance(g, 50) ? gen_text(g, "%s & 3", e) : "2", e);
    }
    if (gen_chance(g, 20)) {
        gen_line(g, "c%d[%s & 3] -= %s;", n, i, e);
    }
    gen_close(g);
    gen_close(g);
    gen_end(g, kept);
    gen_line(g, "%s = w%d + 5 * v%d - 3 * x%d + y%d + 100 * c%d[2] + 7 * c%d[1] - j%d;", out->name, n, n, n, n, n, n,
             n);
    return true;
}

// A struct whose members helpers fill, add to and read.
bool gen_called_members(struct gen *g)
{
    struct gen_array *a = find_ints(g);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, a, NULL);
    gen_line(g, "struct pt q%d = {3, 1, {4, 5}};", n);
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, gen_trips_of(g, a), i);
    bool is_summed = gen_chance(g, 40);
    for (uint32_t k = 1 + gen_random(g, 3); k > 0; k--) {
        switch (gen_random(g, 4)) {
        // An index of data would be the author's word, and a false one.
        case 0: gen_line(g, "split(&q%d, %s + %u);", n, i, gen_random(g, 4)); break;
        case 1: gen_line(g, "q%d.c[%u] = %s;", n, gen_random(g, 2), i); break;
        default: gen_line(g, "fill_pt(&q%d, %s);", n, gen_int(g, 1)); break;
        }
    }
    if (is_summed) {
        gen_line(g, "grow_pt(&q%d, %s);", n, gen_int(g, 1));
        gen_line(g, "%s[%s] = q%d.c[0] - q%d.c[1];", a->name, i, n, n);
    } else {
        gen_line(g, "%s[%s] = sum_of(&q%d, %s);", a->name, i, n, gen_int(g, 1));
    }
    gen_close(g);
    gen_end(g, kept);
    gen_line(g, is_summed || gen_chance(g, 20) ? "%s = q%d.a;" : "%s ^= %d;", out->name, n);
    return true;
}

// One step on the way of an index through helpers that get the addresses of locals. Which way it takes may be data's
// choice; made of data it never is, so that nobody has given his word.
static void place_step(struct gen *g, int n, const char *i, long trips)
{
    switch (gen_random(g, 8)) {
    case 0: gen_line(g, "move_to(&k%d, %s, (int)%s);", n, i, gen_int(g, 1)); break;
    case 1: gen_line(g, "step_by(&k%d, %u, %ld);", n, gen_random(g, 3), trips); break;
    case 2: gen_line(g, "wind(&k%d, %ld);", n, trips); break;
    case 3: gen_line(g, "k%d = part_of(&k%d, (int)%s);", n, n, gen_int(g, 1)); break;
    case 4: gen_line(g, "exchange(&k%d, &l%d);", n, n); break;
    case 5:
        gen_line(g, "place_pt(&p%d, k%d, (int)%s);", n, n, gen_int(g, 1));
        gen_line(g, "k%d = p%d.a;", n, n);
        break;
    case 6: // data for a while
        gen_line(g, "l%d = (int)%s;", n, gen_int(g, 1));
        gen_line(g, "both(&l%d, 1);", n);
        gen_line(g, "l%d = part_of(&k%d, %u);", n, n, gen_random(g, 12));
        break;
    default: gen_line(g, "both(&l%d, 0);", n); break; // only looks as if
    }
}

// Helpers that read and write an index in a local whose address they get.
bool gen_called_places(struct gen *g)
{
    struct gen_array *a = find_ints(g);
    if (a == NULL) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    long trips = gen_trips_of(g, a);
    const char *i = gen_push_counter(g, 0, trips - 1);
    bool is_outside = gen_chance(g, 30);
    gen_begin(g, a, NULL);
    if (is_outside) {
        gen_line(g, "int k%d = 0, l%d = 0;", n, n);
        gen_line(g, "struct pt p%d;", n);
    }
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    if (is_outside) {
        gen_line(g, "k%d = %s;", n, i);
        gen_line(g, "l%d = %ld - %s;", n, trips - 1, i);
    } else {
        gen_line(g, "int k%d = %s, l%d = %ld - %s;", n, i, n, trips - 1, i);
        gen_line(g, "struct pt p%d = {0};", n);
    }
    if (gen_chance(g, 10)) { // what other iterations write
        gen_line(g, "peek(%s, %s, &k%d, %ld);", a->name, i, n, trips);
    }
    for (uint32_t k = 1 + gen_random(g, 3); k > 0; k--) {
        place_step(g, n, i, trips);
    }
    switch (gen_random(g, 3)) {
    case 0: gen_line(g, "put_at(%s, &k%d, (int)%s);", a->name, n, gen_int(g, 2)); break;
    case 1: gen_line(g, "%s[k%d] = %s;", a->name, n, gen_int(g, 2)); break;
    default:
        gen_line(g, "place_pt(&p%d, k%d, (int)%s);", n, n, gen_int(g, 1));
        gen_line(g, "put_pt(%s, &p%d);", a->name, n);
        break;
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}
