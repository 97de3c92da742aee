// Whole files about arrays that are the same, overlap or lie apart, in nests of loops and in loops one after the other.
// They are read and written at indices of which some are the same in every iteration, some are given by arguments, and
// some are far away: what holds of one pair of regions does not hold of another pair of the same arrays, and what a
// loop outside needs is not what one inside needs.
#include "generate_internal.h"

enum { OVERLAP_ARRAYS = 4, OVERLAP_DEEPEST = 3 };

struct overlap_array {
    bool is_matrix; // [rows][m], else [size]
    bool is_const;
};

struct overlap {
    struct gen *g;
    long n, m, k, l;
    long rows; // of a matrix
    long size; // of the others: rows * m
    struct overlap_array arrays[OVERLAP_ARRAYS];
    bool is_tidy; // mostly the iteration's own elements, in loops of one depth: those that may be one task
    int deepest;  // tidy: of all loops
    int depth;    // of loops: i, j, y
    int budget;
};

// ---- places
// -------------------------------------------------------------------------------------------------------------------

// Below |rows|, which is 3 * n + 4; i < n, k < rows, l < 4.
static const char *row(struct overlap *o)
{
    struct gen *g = o->g;
    switch (gen_random(g, o->depth > 0 ? 12 : 3)) {
    case 0: return "k";
    case 1: return "0";
    case 2: return "l";
    case 3: return "n + i";
    case 4: return "n - 1 - i";
    case 5: return "i + l";
    case 6: return "i / 2";
    case 7: return "2 * i";
    default: return "i";
    }
}

// Below |m|; j < m.
static const char *column(struct overlap *o)
{
    struct gen *g = o->g;
    switch (gen_random(g, o->depth > 1 ? 9 : 2)) {
    case 0: return "0";
    case 1: return "m - 1";
    case 2: return "m - 1 - j";
    case 3: return "j / 2";
    case 4: return "(j + l) % m";
    default: return "j";
    }
}

static const char *home(struct overlap *o, int number)
{
    struct gen *g = o->g;
    if (o->arrays[number].is_matrix) {
        return gen_text(g, o->depth > 1 ? "x%d[i][j]" : "x%d[i][0]", number);
    }
    return gen_text(g, o->depth > 1 ? "x%d[i * m + j]" : "x%d[i]", number);
}

static const char *place(struct overlap *o, int number)
{
    struct gen *g = o->g;
    if (o->is_tidy && o->depth > 0 && gen_chance(g, 90)) {
        return home(o, number);
    }
    if (o->arrays[number].is_matrix) {
        return gen_text(g, "x%d[%s][%s]", number, row(o), column(o));
    }
    if (gen_chance(g, 55)) {
        return gen_text(g, "x%d[(%s) * m + %s]", number, row(o), column(o));
    }
    return gen_text(g, "x%d[%s]", number, gen_chance(g, 70) ? row(o) : column(o));
}

// Mostly the iteration's own: else little would be independent.
static const char *stored(struct overlap *o, int number)
{
    struct gen *g = o->g;
    if (o->depth == 0 || gen_chance(g, o->is_tidy ? 5 : 25)) {
        return place(o, number);
    }
    if (o->is_tidy) {
        return home(o, number);
    }
    if (o->arrays[number].is_matrix) {
        return gen_text(g, "x%d[i][%s]", number, o->depth > 1 && gen_chance(g, 80) ? "j" : "0");
    }
    return gen_text(g, o->depth > 1 && gen_chance(g, 70) ? "x%d[i * m + j]" : "x%d[i]", number);
}

static int some_array(struct overlap *o, bool is_written)
{
    int number;
    do {
        number = (int)gen_random(o->g, OVERLAP_ARRAYS);
    } while (is_written && o->arrays[number].is_const);
    return number;
}

static const char *read(struct overlap *o)
{
    return place(o, some_array(o, false));
}

static const char *value(struct overlap *o)
{
    struct gen *g = o->g;
    switch (gen_random(g, 7)) {
    case 0: return gen_text(g, "%u", gen_random(g, 3));
    case 1: return gen_text(g, "%s - %s", read(o), read(o));
    case 2: return gen_text(g, "%s + %s", read(o), o->depth > 1 ? "j" : o->depth > 0 ? "i" : "k");
    case 3: return gen_text(g, "(%s & 1 ? %s : %s)", read(o), read(o), read(o));
    case 4: return gen_text(g, "%s * 3", read(o));
    default: return read(o);
    }
}

static const char *condition(struct overlap *o)
{
    struct gen *g = o->g;
    switch (gen_random(g, o->depth > 1 ? 7 : o->depth > 0 ? 5 : 2)) {
    case 0: return "k < n";
    case 1: return "l & 1";
    case 2: return "i & 1";
    case 3: return "i < l";
    case 4: return gen_text(g, "%s > 3", read(o));
    case 5: return "j > 0";
    default: return "j < m - 1";
    }
}

// ---- statements
// -------------------------------------------------------------------------------------------------------------------

static void statements(struct overlap *o, int count);

static void statement(struct overlap *o)
{
    struct gen *g = o->g;
    int to = some_array(o, true);
    o->budget--;
    uint32_t way = gen_random(g, 16);
    way = o->is_tidy && way > 3 && way < 7 && gen_chance(g, 80) ? 15 : way;
    switch (way) {
    case 0: gen_line(g, "%s = %u;", stored(o, to), gen_random(g, 2) + 7); break;
    case 1: gen_line(g, "%s += %s;", stored(o, to), value(o)); break;
    case 2: gen_line(g, "sum += %s;", value(o)); break;
    case 3: gen_line(g, "last = %s;", value(o)); break;
    case 4: gen_line(g, o->arrays[to].is_matrix ? "x%d[k][0] += %s;" : "x%d[k] += %s;", to, value(o)); break;
    case 5:
        gen_line(g, o->arrays[to].is_matrix ? "if (far < n) x%d[far][0] += %s;" : "if (far < n) x%d[far] += %s;", to,
                 value(o));
        break;
    case 6: {
        const char *x = gen_text(g, o->arrays[to].is_matrix ? "x%d[l][0]" : "x%d[l]", to);
        const char *y = read(o);
        gen_line(g, "if (%s < %s) %s = %s;", y, x, x, y);
        break;
    }
    case 7:
    case 8:
        gen_open(g, "if (%s) {", condition(o));
        statements(o, 1);
        gen_close(g);
        break;
    case 9: {
        int n = g->name_count++;
        gen_line(g, "int t%d = %s;", n, value(o));
        gen_line(g, "%s = t%d;", stored(o, to), n);
        break;
    }
    case 10: {
        const char *x = stored(o, to);
        gen_line(g, "%s = %s - %s;", x, x, value(o));
        break;
    }
    default: gen_line(g, "%s = %s;", stored(o, to), value(o)); break;
    }
}

static void statements(struct overlap *o, int count)
{
    for (int i = 0; i < count; i++) {
        statement(o);
    }
}

static void loop(struct overlap *o)
{
    struct gen *g = o->g;
    static const char *const names[] = {"i", "j", "y"};
    static const char *const bounds[] = {"n", "m", "l"};
    const char *v = names[o->depth], *bound = bounds[o->depth];
    if (!o->is_tidy && gen_chance(g, 10)) {
        gen_open(g, "for (int %s = %s - 1; %s >= 0; %s--) {", v, bound, v, v);
    } else {
        gen_open(g, "for (int %s = 0; %s < %s; %s++) {", v, v, bound, v);
    }
    o->depth++;
    bool has_inner =
        o->is_tidy ? o->depth < o->deepest : o->depth < OVERLAP_DEEPEST && gen_chance(g, o->depth == 1 ? 60 : 15);
    if (!has_inner || (!o->is_tidy && gen_chance(g, 20))) {
        statements(o, 1 + (int)gen_random(g, o->is_tidy ? 2 : 3));
    }
    if (has_inner) {
        loop(o);
        if (!o->is_tidy && gen_chance(g, 20)) {
            statements(o, 1);
        }
    }
    o->depth--;
    gen_close(g);
}

// ---- the file
// -------------------------------------------------------------------------------------------------------------------

static void write_head(struct overlap *o)
{
    struct gen *g = o->g;
    long room = o->size + o->size / 2;
    for (int i = 0; i < OVERLAP_ARRAYS; i++) {
        gen_line(g, "//@ buffer b%d i32 %ld range -9 9", i, room);
    }
    gen_line(g, "//@ int %ld\n//@ int %ld\n//@ int %ld\n//@ int %ld\n//@ int 1000000000", o->n, o->m, o->k, o->l);
    for (int i = 0; i < OVERLAP_ARRAYS; i++) {
        const long offsets[] = {0, 0, 0, 1, o->m, o->n * o->m, o->n, o->l};
        gen_line(g, "//@ array b%d %ld %ld", gen_chance(g, 55) ? 0 : i, offsets[gen_random(g, 8)], o->size);
    }
    gen_line(g, "#include <rill/kernel.h>");
    struct str text;
    str_init(&text, g->out->arena);
    str_printf(&text, "kernel int run(int n, int m, int k, int l, int far");
    for (int i = 0; i < OVERLAP_ARRAYS; i++) {
        str_printf(&text, ", %sint x%d[%ld]", o->arrays[i].is_const ? "const " : "", i,
                   o->arrays[i].is_matrix ? o->rows : o->size);
        str_add(&text, o->arrays[i].is_matrix ? "[m]" : "");
    }
    gen_line(g, "%s)", str_text(&text));
}

void gen_overlap_file(struct gen *g)
{
    struct overlap o = {.g = g, .budget = 12};
    o.n = 1 + (long)gen_random(g, 9);
    o.m = gen_chance(g, 60) ? 4 + (long)gen_random(g, 20) : 64 + (long)gen_random(g, 20);
    o.rows = 3 * o.n + 4;
    o.k = gen_chance(g, 50) ? (long)gen_random(g, (uint32_t)o.n) : (long)gen_random(g, (uint32_t)o.rows);
    o.l = (long)gen_random(g, 4);
    o.size = o.rows * o.m;
    o.is_tidy = gen_chance(g, 40);
    o.deepest = 1 + (int)gen_random(g, 2);
    for (int i = 0; i < OVERLAP_ARRAYS; i++) {
        o.arrays[i] = (struct overlap_array){gen_chance(g, 50), i > 0 && gen_chance(g, 35)};
    }
    write_head(&o);
    gen_open(g, "{");
    gen_line(g, "int sum = 0, last = 5;");
    bool is_timed = gen_chance(g, 25);
    if (is_timed) {
        gen_open(g, "for (int step = 0; step < 3; step++) {");
    }
    for (uint32_t i = 1 + gen_random(g, o.is_tidy ? 5 : 3); i > 0; i--) {
        loop(&o);
    }
    if (is_timed) {
        gen_close(g);
    }
    gen_line(g, "return sum * 7 + last;");
    gen_close(g);
    gen_line(g, "// nobody gives his word");
}
