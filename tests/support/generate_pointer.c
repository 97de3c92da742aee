// Loops over pointers, rows, copies by the C library and local matrices.
#include "generate_internal.h"

static const char *macro_of(const struct gen_array *a)
{
    return a->type == GEN_F64 ? "TD" : gen_is_float(a->type) ? "TF" : "(int)";
}

static long least(long a, long b)
{
    return a < b ? a : b;
}

// Another array of the same element type that may be read, or written; |a| itself if there is none.
static struct gen_array *companion_of(struct gen *g, struct gen_array *a, bool is_written)
{
    for (int tries = 0; tries < 8; tries++) {
        struct gen_array *b = gen_find_array(g, 1, is_written, 4);
        if (b != NULL && b != a && b->type == a->type) {
            return b;
        }
    }
    return a;
}

// A pointer that goes through an array, in one of the ways that are written; another that reads goes with it.
bool gen_pointer_walk(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 5);
    if (a == NULL) {
        return false;
    }
    struct gen_array *b = companion_of(g, a, false);
    long trips = least(gen_trips_of(g, a), gen_trips_of(g, b)) - 1;
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *type = gen_type_name(a->type);
    const char *i = gen_push_counter(g, 0, trips);
    uint32_t first = gen_random(g, 2);
    gen_begin(g, a, b);
    gen_line(g, "const %s *r%d = %s%s;", type, n, b->name, gen_chance(g, 40) ? " + 1" : "");
    gen_line(g, "%s *end%d = %s + %ld;", type, n, a->name, trips);
    uint32_t way = gen_random(g, 6);
    switch (way) {
    case 0: gen_open(g, "for (%s *p%d = %s + %u; p%d < end%d; p%d++) {", type, n, a->name, first, n, n, n); break;
    case 1: gen_open(g, "for (%s *p%d = %s + %u; p%d != end%d; ++p%d) {", type, n, a->name, first, n, n, n); break;
    case 2:
        gen_open(g, "for (%s *p%d = &%s[%u]; p%d + 1 < end%d; p%d += 2) {", type, n, a->name, first, n, n, n);
        break;
    case 3:
        gen_line(g, "%s *p%d = end%d;", type, n, n);
        gen_open(g, "while (p%d-- > %s) {", n, a->name);
        break;
    case 4:
        gen_line(g, "%s *p%d = %s;", type, n, a->name);
        gen_open(g, "while (p%d < end%d) {", n, n);
        break;
    default:
        gen_line(g, "%s *p%d = %s;", type, n, a->name);
        gen_open(g, "do {");
        break;
    }
    gen_line(g, "int %s = (int)(p%d - %s);", i, n, a->name);
    const char *to = gen_text(g, way < 4 ? "*p%d" : "*p%d++", n);
    bool is_moved = gen_chance(g, 20); // then nothing else is added to it
    switch (is_moved ? 3 : gen_random(g, 4)) {
    case 0: gen_line(g, "%s = %s(r%d[%s] + %s);", to, macro_of(a), n, i, gen_int(g, 1)); break;
    case 1: gen_line(g, "%s = %s;", to, gen_value(g, a->type, 2)); break;
    case 2: gen_line(g, "%s = *(r%d + %s);", to, n, i); break;
    default: gen_line(g, "%s = %s(*r%d);", to, macro_of(a), n); break;
    }
    if (is_moved) {
        gen_line(g, "r%d = %s + %s;", n, b->name, i);
    }
    if (way == 5) {
        g->indent--;
        gen_line(g, "} while (p%d < end%d);", n, n);
    } else {
        gen_close(g);
    }
    gen_end(g, kept);
    return true;
}

// Which array a pointer means is chosen: by a condition, by a table, in each iteration.
bool gen_pointer_choice(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 5);
    struct gen_array *b = a != NULL ? companion_of(g, a, true) : NULL;
    if (b == NULL || b == a || g->group > 0) { // in a block what comes out of a table could mean anything
        return false;
    }
    long trips = least(gen_trips_of(g, a), gen_trips_of(g, b)) - 1;
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *type = gen_type_name(a->type);
    gen_begin(g, a, b);
    uint32_t way = gen_random(g, 5);
    if (way == 0) {
        gen_line(g, "%s *p%d = %s ? %s : %s;", type, n, gen_condition(g, 1), a->name, b->name);
    } else if (way == 1) {
        gen_line(g, "%s *t%d[2] = {%s, %s};", type, n, a->name, b->name);
    } else if (way == 2) {
        gen_line(g, "%s *p%d = %s + 1;", type, n, a->name);
        gen_line(g, "if (%s) p%d = %s;", gen_condition(g, 1), n, b->name);
    }
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    if (way == 1) {
        gen_line(g, "%s *p%d = t%d[%s];", type, n, n, gen_chance(g, 50) ? gen_text(g, "%s & 1", i) : "1");
    } else if (way == 3) {
        gen_line(g, "%s *p%d = %s & 1 ? %s : %s;", type, n, i, a->name, b->name);
    } else if (way == 4) {
        gen_line(g, "struct { %s *x; int at; } s%d = {%s, %s};", type, n, a->name, i);
        gen_line(g, "if (%s %% 3 == 1) s%d.x = %s + 1;", i, n, b->name);
        gen_line(g, "%s *p%d = s%d.x;", type, n, n);
    }
    switch (gen_random(g, 4)) {
    case 0: gen_line(g, "p%d[%s] = %s;", n, i, gen_value(g, a->type, 2)); break;
    case 1: gen_line(g, "%s[%s] = %s(p%d[%s] + %s);", a->name, i, macro_of(a), n, i, gen_int(g, 1)); break;
    case 2: gen_line(g, "p%d[%s] = %s(%s[%s] - 1);", n, i, macro_of(a), b->name, i); break;
    default: gen_line(g, "*(p%d + %ld - %s) = %s;", n, trips - 1, i, gen_value(g, a->type, 1)); break;
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

// Rows of a matrix by pointers to them, or a matrix by a pointer to rows.
bool gen_pointer_rows(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 2, true, 2);
    if (a == NULL || g->work * a->extents[0].value * a->extents[1].value > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *type = gen_type_name(a->type);
    long rows = a->extents[0].value, columns = a->extents[1].value;
    const char *i = gen_push_counter(g, 0, rows - 1);
    const char *j = gen_push_counter(g, 0, columns - 1);
    gen_begin(g, a, NULL);
    uint32_t way = gen_random(g, 5);
    if (way == 1) {
        gen_line(g, "%s (*m%d)[%s] = %s;", type, n, a->extents[1].text, a->name);
    } else if (way == 2) {
        gen_line(g, "%s *flat%d = &%s[0][0];", type, n, a->name);
    }
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", i, i, a->extents[0].text, i);
    if (way == 0 || way > 2) {
        const char *row = gen_chance(g, 70) ? i : gen_text(g, "%ld - %s", rows - 1, i);
        gen_line(g, way == 3 ? "%s *row%d = *(%s + (%s));" : "%s *row%d = %s[%s];", type, n, a->name, row);
    }
    gen_open(g, "for (int %s = 0; %s < %s; %s++) {", j, j, a->extents[1].text, j);
    const char *value = gen_value(g, a->type, 2);
    switch (way) {
    case 1: gen_line(g, "m%d[%s][%s] = %s;", n, i, j, value); break;
    case 2: gen_line(g, "flat%d[%s * %ld + %s] = %s;", n, i, columns, j, value); break;
    case 4: gen_line(g, "*row%d++ = %s;", n, value); break;
    default: gen_line(g, "row%d[%s] = %s;", n, j, value); break;
    }
    gen_close(g);
    if (way == 0 && gen_chance(g, 30)) {
        gen_line(g, "row%d[0] = %s(row%d[%ld]);", n, macro_of(a), n, columns - 1);
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

// Pieces that the C library copies, moves, sets or compares.
bool gen_memory_calls(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 8);
    if (a == NULL) {
        return false;
    }
    struct gen_array *b = companion_of(g, a, false);
    long room = least(gen_trips_of(g, a), gen_trips_of(g, b));
    long piece = 1 + (long)gen_random(g, 3);
    long trips = room / piece - 1;
    if (trips < 1) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *type = gen_type_name(a->type);
    const char *i = gen_push_counter(g, 0, trips - 1);
    gen_begin(g, a, b);
    const char *size = gen_chance(g, 50)   ? gen_text(g, "%ld * sizeof(%s)", piece, type)
                       : gen_chance(g, 50) ? gen_text(g, "%ld * sizeof *%s", piece, a->name)
                                           : gen_text(g, "sizeof(%s[%ld])", type, piece);
    const char *at = gen_text(g, "%s[%ld * %s]", a->name, piece, i);
    const char *from = gen_text(g, "%s[%ld * %s + %u]", b->name, piece, i, gen_random(g, 2));
    bool is_whole = gen_chance(g, 20); // not in a loop
    if (is_whole) {
        at = gen_text(g, "%s[%u]", a->name, gen_random(g, 2));
        from = gen_text(g, "%s[%u]", b->name, gen_random(g, 2));
        size = gen_text(g, "%ld * sizeof(%s)", room - 1, type);
    } else {
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
    }
    switch (gen_random(g, is_whole ? 3 : 6)) {
    case 0: // memcpy's pieces are apart: of one array they may not be, nor where two arrays overlap
    case 1: gen_line(g, "memmove(&%s, &%s, %s);", at, from, size); break;
    case 2: gen_line(g, "memset(&%s, %d, %s);", at, gen_is_float(a->type) ? 0 : (int)gen_random(g, 2), size); break;
    case 3:
        gen_line(g, "%s t%d[4] = {0};", type, n);
        gen_line(g, "memcpy(t%d, &%s, %s);", n, from, size);
        gen_line(g, "t%d[%ld] = %s;", n, piece - 1, gen_value(g, a->type, 1));
        gen_line(g, "memcpy(&%s, t%d, %s);", at, n, size);
        break;
    case 4: gen_line(g, "if (memcmp(&%s, &%s, %s) != 0) %s = %s;", at, from, size, at, gen_value(g, a->type, 1)); break;
    default:
        gen_line(g, "unsigned char raw%d[sizeof(%s)];", n, type);
        gen_line(g, "memcpy(raw%d, &%s, sizeof raw%d);", n, from, n);
        gen_line(g, "int sum%d = 0;", n);
        gen_line(g, "for (unsigned k = 0; k < sizeof raw%d; k++) sum%d = sum%d * 3 + raw%d[k];", n, n, n, n);
        gen_line(g, "%s = %s(sum%d + %s);", at, macro_of(a), n, gen_int(g, 1));
        break;
    }
    if (!is_whole) {
        gen_close(g);
    }
    gen_end(g, kept);
    return true;
}

// A matrix of the iteration's own, or one outside that each iteration fills.
bool gen_local_matrix(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 2);
    if (a == NULL || g->work * gen_trips_of(g, a) * 12 > 4 * g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *type = gen_type_name(a->type);
    long rows = 2 + (long)gen_random(g, 2), columns = 2 + (long)gen_random(g, 2);
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, a, NULL);
    const char *declared = gen_text(g, "%s t%d[%ld][%ld]", type, n, rows, columns);
    bool is_outside = gen_chance(g, 40), is_partial = gen_chance(g, 20);
    if (is_outside) {
        gen_line(g, "%s%s;", declared, is_partial ? " = {{1}, {2}}" : "");
    }
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, gen_trips_of(g, a), i);
    if (!is_outside) {
        gen_line(g, "%s%s;", declared, is_partial ? " = {[1] = {3, [1] = 4}}" : "");
    }
    gen_open(g, "for (int y = 0; y < %ld; y++) {", rows - is_partial);
    gen_open(g, "for (int x = 0; x < %ld; x++) {", columns);
    gen_line(g, "t%d[y][x] = %s(%s + y * %ld - x);", n, macro_of(a), gen_int(g, 1), columns);
    gen_close(g);
    gen_close(g);
    const char *cell = gen_text(g, "t%d[%s %% %ld][(%s / 2) %% %ld]", n, i, rows, i, columns);
    switch (gen_random(g, 3)) {
    case 0: gen_line(g, "%s[%s] = %s;", a->name, i, cell); break;
    case 1:
        gen_line(g, "%s = %s(%s);", cell, macro_of(a), gen_int(g, 1));
        gen_line(g, "%s[%s] = %s(t%d[1][0] + t%d[0][1]);", a->name, i, macro_of(a), n, n);
        break;
    default:
        gen_line(g, "%s *p = t%d[0];", type, n);
        gen_line(g, "%s s = 0;", gen_is_float(a->type) ? type : "int");
        gen_line(g, "while (p < t%d[%ld] + %ld) s += *p++;", n, rows - 1, columns);
        gen_line(g, "%s[%s] = %s(s);", a->name, i, macro_of(a));
        break;
    }
    gen_close(g);
    gen_end(g, kept);
    if (is_outside && is_partial && gen_chance(g, 50)) {
        gen_line(g, "%s[0] = %s(t%d[%ld][1]);", a->name, macro_of(a), n, rows - 1);
    }
    return true;
}
