// Loops inside loops with arrays, structs and scalars declared at every level, filled there or farther inside, and used
// by the loops inside, by helpers and through pointers. The loops around are over time, small or large: so that what is
// declared is now the iteration's own, now memory of a task that runs whole, now memory that tasks share.
//
// Only counters and constants stand in indices, so that nobody has to give his word. What is read has been written:
// |ready| elements of an array have, and at the end of a scope that is as it was at its beginning.
#include "generate_internal.h"

#include <stdio.h>
#include <string.h>

enum { LOCALS = 10, COUNTERS = 8, DEEPEST = 5 };

enum local_kind { LOCAL_ARRAY, LOCAL_RECORD, LOCAL_SCALAR };

struct local {
    enum local_kind kind;
    enum gen_type type;
    char name[GEN_NAME];
    long extent;
    long ready; // elements, the first ones, that have a value
};

struct counter {
    const char *name;
    long high; // its greatest value; the least is at least 0
};

struct locals {
    struct gen *g;
    struct local items[LOCALS];
    int count;
    struct counter counters[COUNTERS];
    int counter_count;
    struct gen_array *out[2];
    int home; // the counter whose loop has an element of its own, mostly
    int depth;
    int budget;
    bool in_for; // `continue` means a `for`
};

void gen_local_helpers(struct gen *g)
{
    gen_line(g, "struct lo { int a; int c[4]; short h[3]; float f; };");
    gen_line(g, "static void lo_fill(int *p, int n, int k) { for (int i = 0; i < n; i++) p[i] = k * i - n; }");
    gen_line(g, "static int lo_sum(const int *p, int n) { int t[3] = {0, 0, 0}; for (int i = 0; i < n; i++) t[i %% 3] "
                "+= p[i]; return t[0] - t[1] + 2 * t[2]; }");
    gen_line(g, "static void lo_turn(int *p, int n) { int t[16]; for (int i = 0; i < n; i++) t[i] = p[n - 1 - i]; for "
                "(int i = 0; i < n; i++) p[i] = t[i]; }");
    gen_line(g, "static int lo_most(const int *p, int n, int *at) { int s = p[0]; *at = 0; for (int i = 1; i < n; i++) "
                "{ if (p[i] > s) { s = p[i]; *at = i; } } return s; }");
    gen_line(g, "static void lo_set(struct lo *s, int k) { s->a = k; for (int i = 0; i < 4; i++) s->c[i] = k - i; for "
                "(int i = 0; i < 3; i++) s->h[i] = (short)(k * i); s->f = TF(k); }");
    gen_line(g, "static int lo_get(const struct lo *s, int k) { struct lo u = *s; u.c[k & 3] += k; int r = u.a; for "
                "(int i = 0; i < 4; i++) r = r * 5 + u.c[i]; return r - u.h[(k & 1) + 1]; }");
}

// ---- expressions
// -------------------------------------------------------------------------------------------------------------------

static const char *cast_of(enum gen_type type)
{
    return type == GEN_F64 ? "TD" : type == GEN_F32 ? "TF" : "(int)";
}

static const struct counter *some_counter(struct locals *l)
{
    if (l->counter_count == 0) {
        return NULL;
    }
    int back = gen_chance(l->g, 60) ? 0 : (int)gen_random(l->g, (uint32_t)l->counter_count);
    return &l->counters[l->counter_count - 1 - back];
}

// An index below |count|.
static const char *index_below(struct locals *l, long count)
{
    struct gen *g = l->g;
    const struct counter *c = some_counter(l);
    if (c == NULL || count == 1 || gen_chance(g, 12)) {
        return gen_text(g, "%u", gen_random(g, (uint32_t)count));
    }
    if (c->high < count && gen_chance(g, 75)) {
        return gen_chance(g, 75) ? c->name : gen_text(g, "%ld - %s", count - 1, c->name);
    }
    switch (gen_random(g, 5)) {
    case 0: return gen_text(g, "(%s * 3 + 1) %% %ld", c->name, count);
    case 1: return gen_text(g, "(%s / 2) %% %ld", c->name, count);
    case 2: {
        const struct counter *d = some_counter(l);
        return gen_text(g, "(%s + %s) %% %ld", c->name, d->name, count);
    }
    default: return gen_text(g, "%s %% %ld", c->name, count);
    }
}

static struct local *some_local(struct locals *l, enum local_kind kind, bool is_ready)
{
    struct local *found = NULL;
    uint32_t seen = 0;
    for (int i = 0; i < l->count; i++) {
        struct local *x = &l->items[i];
        if (x->kind == kind && (x->ready > 0 || !is_ready) && gen_random(l->g, ++seen) == 0) {
            found = x;
        }
    }
    return found;
}

static struct local *some_ints(struct locals *l, bool is_whole)
{
    for (int tries = 0; tries < 6; tries++) {
        struct local *x = some_local(l, LOCAL_ARRAY, is_whole);
        if (x != NULL && x->type == GEN_I32 && (!is_whole || x->ready == x->extent)) {
            return x;
        }
    }
    return NULL;
}

static const char *operand(struct locals *l)
{
    struct gen *g = l->g;
    uint32_t way = gen_random(g, 10);
    const struct local *x = some_local(l, way < 6 ? LOCAL_ARRAY : way < 7 ? LOCAL_RECORD : LOCAL_SCALAR, true);
    if (x == NULL || way == 9) {
        const struct counter *c = some_counter(l);
        return c != NULL && gen_chance(g, 60) ? c->name : gen_text(g, "(%s)", gen_int(g, 1));
    }
    switch (x->kind) {
    case LOCAL_ARRAY: return gen_text(g, "(int)%s[%s]", x->name, index_below(l, x->ready));
    case LOCAL_RECORD:
        switch (gen_random(g, 4)) {
        case 0: return gen_text(g, "%s.a", x->name);
        case 1: return gen_text(g, "%s.h[%s]", x->name, index_below(l, 3));
        case 2: return gen_text(g, "lo_get(&%s, %s)", x->name, index_below(l, 9));
        default: return gen_text(g, "%s.c[%s]", x->name, index_below(l, 4));
        }
    default: return gen_text(g, "(int)%s", x->name);
    }
}

// An int.
static const char *value(struct locals *l)
{
    struct gen *g = l->g;
    const char *a = operand(l);
    switch (gen_random(g, 6)) {
    case 0: return a;
    case 1: return gen_text(g, "%s - %s", a, operand(l));
    case 2: return gen_text(g, "%s * 3 ^ %s", a, operand(l));
    case 3: return gen_text(g, "(%s & 1 ? %s : %s)", a, operand(l), operand(l));
    default: return gen_text(g, "%s + %s", a, operand(l));
    }
}

// ---- declarations
// -------------------------------------------------------------------------------------------------------------------

static void fill(struct locals *l, struct local *x);

static void declare_array(struct locals *l, struct local *x)
{
    struct gen *g = l->g;
    static const enum gen_type types[] = {GEN_I32, GEN_I32, GEN_I32, GEN_I16, GEN_U8, GEN_I64, GEN_F32, GEN_F64};
    x->type = types[gen_random(g, 8)];
    x->extent = gen_chance(g, 10) ? 200 : 2 + (long)gen_random(g, 14);
    snprintf(x->name, sizeof x->name, "t%d", g->name_count++);
    const char *first = gen_text(g, "%s(%s)", cast_of(x->type), value(l));
    if (gen_chance(g, 25)) {
        gen_line(g, "%s %s[%ld] = {%s};", gen_type_name(x->type), x->name, x->extent, first);
        x->ready = x->extent;
        return;
    }
    gen_line(g, "%s %s[%ld];", gen_type_name(x->type), x->name, x->extent);
}

// A pointer is an array of as many elements as it leads to.
static bool declare_pointer(struct locals *l)
{
    struct gen *g = l->g;
    const struct local *to = some_local(l, LOCAL_ARRAY, true), *other = some_local(l, LOCAL_ARRAY, true);
    if (to == NULL) {
        return false;
    }
    struct local x = {.kind = LOCAL_ARRAY, .type = to->type, .extent = to->ready};
    snprintf(x.name, sizeof x.name, "q%d", g->name_count++);
    if (other != to && other->type == to->type) {
        x.extent = other->ready < to->ready ? other->ready : to->ready;
        gen_line(g, "%s *%s = (%s) & 1 ? %s : %s;", gen_type_name(x.type), x.name, value(l), to->name, other->name);
    } else if (to->ready > 1 && gen_chance(g, 60)) {
        x.extent--;
        gen_line(g, "%s *%s = (%s) & 1 ? %s : %s + 1;", gen_type_name(x.type), x.name, value(l), to->name, to->name);
    } else {
        gen_line(g, "%s *%s = %s;", gen_type_name(x.type), x.name, to->name);
    }
    x.ready = x.extent;
    l->items[l->count++] = x;
    return true;
}

static void declare(struct locals *l)
{
    struct gen *g = l->g;
    uint32_t way = gen_random(g, 10);
    if (l->count == LOCALS || (way == 5 && declare_pointer(l))) {
        return;
    }
    struct local x = {.kind = way < 6 ? LOCAL_ARRAY : way < 8 ? LOCAL_RECORD : LOCAL_SCALAR, .type = GEN_I32};
    if (x.kind == LOCAL_ARRAY) {
        declare_array(l, &x);
    } else if (x.kind == LOCAL_RECORD) {
        const struct local *from = some_local(l, LOCAL_RECORD, true);
        snprintf(x.name, sizeof x.name, "s%d", g->name_count++);
        if (from != NULL && gen_chance(g, 40)) {
            gen_line(g, "struct lo %s = %s;", x.name, from->name);
            x.ready = 1;
        } else if (gen_chance(g, 30)) {
            gen_line(g, "struct lo %s = {%s, .h = {1, [2] = %s}};", x.name, value(l), index_below(l, 7));
            x.ready = 1;
        } else {
            gen_line(g, "struct lo %s;", x.name);
        }
    } else {
        x.type = gen_chance(g, 70) ? GEN_I32 : GEN_I64;
        snprintf(x.name, sizeof x.name, "v%d", g->name_count++);
        gen_line(g, "%s %s = %s;", gen_type_name(x.type), x.name, value(l));
        x.ready = 1;
    }
    l->items[l->count++] = x;
    if (x.ready == 0 && gen_chance(g, 70)) { // else farther inside
        fill(l, &l->items[l->count - 1]);
    }
}

static void fill_array(struct locals *l, struct local *x)
{
    struct gen *g = l->g;
    const char *type = gen_type_name(x->type);
    long count = gen_chance(g, 20) && x->extent > 2 ? x->extent - 1 : x->extent; // the rest is never read
    const struct local *other = some_ints(l, true);
    int n = g->name_count++;
    const char *some = value(l);
    switch (gen_random(g, 6)) {
    case 0: gen_line(g, "memset(%s, %d, sizeof %s);", x->name, gen_is_float(x->type) ? 0 : 1, x->name); break;
    case 1:
        if (x->type == GEN_I32) {
            gen_line(g, "lo_fill(%s, %ld, %s);", x->name, count, some);
            break;
        }
        // fall through
    case 2:
        if (other != NULL && other != x && x->type == GEN_I32 && other->extent <= x->extent) {
            gen_line(g, "memcpy(%s, %s, %ld * sizeof(int));", x->name, other->name, other->extent);
            count = other->extent;
            break;
        }
        // fall through
    case 3: {
        gen_line(g, "%s *p%d = %s, *e%d = %s + %ld;", type, n, x->name, n, x->name, count);
        gen_line(g, "while (p%d < e%d) { *p%d = %s(%s + (int)(p%d - %s)); p%d++; }", n, n, n, cast_of(x->type), some, n,
                 x->name, n);
        break;
    }
    default:
        gen_line(g, "for (int y%d = 0; y%d < %ld; y%d++) %s[y%d] = %s(%s - y%d);", n, n, count, n, x->name, n,
                 cast_of(x->type), some, n);
    }
    x->ready = count > x->ready ? count : x->ready;
}

static void fill(struct locals *l, struct local *x)
{
    struct gen *g = l->g;
    if (x->kind == LOCAL_ARRAY) {
        fill_array(l, x);
        return;
    }
    if (x->kind == LOCAL_RECORD) {
        gen_line(g, "lo_set(&%s, %s);", x->name, value(l));
    } else {
        gen_line(g, "%s = %s;", x->name, value(l));
    }
    x->ready = 1;
}

// ---- statements
// -------------------------------------------------------------------------------------------------------------------

static void body(struct locals *l, int count);

static void store_local(struct locals *l)
{
    struct gen *g = l->g;
    struct local *x = some_local(l, LOCAL_ARRAY, false);
    if (x == NULL) {
        return;
    }
    const char *place = gen_text(g, "%s[%s]", x->name, index_below(l, x->ready > 0 ? x->ready : x->extent));
    bool may_update = x->ready > 0 && !gen_is_float(x->type);
    const char *text = gen_chance(g, 40) && may_update ? "%s += %s(%s);" : "%s = %s(%s);";
    gen_line(g, text, place, cast_of(x->type), value(l));
}

static void store_member(struct locals *l)
{
    struct gen *g = l->g;
    struct local *x = some_local(l, LOCAL_RECORD, true);
    if (x == NULL) {
        store_local(l);
        return;
    }
    int n = g->name_count++;
    switch (gen_random(g, 4)) {
    case 0: gen_line(g, "%s.a += %s;", x->name, value(l)); break;
    case 1: gen_line(g, "%s.h[%s] = (short)(%s);", x->name, index_below(l, 3), value(l)); break;
    case 2: gen_line(g, "%s.c[%s] = %s;", x->name, index_below(l, 4), value(l)); break;
    default:
        gen_line(g, "for (int y%d = 0; y%d < 4; y%d++) %s.c[y%d] %s %s.a - y%d;", n, n, n, x->name, n,
                 gen_chance(g, 50) ? "=" : "+=", x->name, n);
    }
}

static void store_out(struct locals *l)
{
    struct gen *g = l->g;
    struct gen_array *a = l->out[gen_random(g, 2)];
    const struct counter *home = l->home < l->counter_count ? &l->counters[l->home] : NULL;
    bool is_home = home != NULL && home->high < a->extents[0].value && gen_chance(g, 85);
    const char *index = is_home ? home->name : index_below(l, a->extents[0].value);
    const char *place = gen_text(g, "%s[%s]", a->name, index);
    bool may_update = a->type != GEN_BOOL && (!gen_is_float(a->type) || g->is_tame);
    if (may_update && gen_chance(g, 25)) {
        gen_line(g, "%s += %s(%s);", place, cast_of(a->type), value(l));
    } else {
        gen_line(g, "%s = %s(%s);", place, cast_of(a->type), value(l));
    }
}

static void use_pointer(struct locals *l)
{
    struct gen *g = l->g;
    struct local *x = some_ints(l, true), *y = some_ints(l, true);
    if (x == NULL) {
        store_out(l);
        return;
    }
    int n = g->name_count++;
    y = y != NULL ? y : x;
    long least = x->extent < y->extent ? x->extent : y->extent;
    if (x != y && gen_chance(g, 60)) {
        gen_line(g, "int *q%d = (%s) & 1 ? %s : %s;", n, operand(l), x->name, y->name);
    } else {
        least = 1;
        gen_line(g, "int *q%d = &%s[%s];", n, x->name, index_below(l, x->extent));
    }
    gen_line(g, "q%d[%s] %s %s;", n, index_below(l, least), gen_chance(g, 50) ? "=" : "+=", value(l));
    if (gen_chance(g, 50)) {
        gen_line(g, "%s[%s] -= q%d[%s];", x->name, index_below(l, x->extent), n, index_below(l, least));
    }
}

static void call(struct locals *l)
{
    struct gen *g = l->g;
    struct local *x = some_ints(l, true), *v = some_local(l, LOCAL_SCALAR, true);
    int n = g->name_count++;
    if (x == NULL) {
        store_member(l);
        return;
    }
    switch (gen_random(g, 4)) {
    case 0: gen_line(g, "lo_fill(%s, %ld, %s);", x->name, x->extent, value(l)); break;
    case 1:
        if (x->extent <= 16) {
            gen_line(g, "lo_turn(%s, %ld);", x->name, x->extent);
            break;
        }
        // fall through
    case 2:
        gen_line(g, "int at%d;", n);
        gen_line(g, "%s[%s] = lo_most(%s, %ld, &at%d) + at%d;", x->name, index_below(l, x->extent), x->name, x->extent,
                 n, n);
        break;
    default:
        gen_line(g, "%s += lo_sum(%s, %ld);",
                 v != NULL ? v->name : gen_text(g, "%s[%s]", x->name, index_below(l, x->extent)), x->name, x->extent);
    }
}

// ---- control
// -------------------------------------------------------------------------------------------------------------------

struct scope {
    int count;
    int counter_count;
    long ready[LOCALS];
};

static void enter(struct locals *l, struct scope *scope)
{
    scope->count = l->count;
    scope->counter_count = l->counter_count;
    for (int i = 0; i < l->count; i++) {
        scope->ready[i] = l->items[i].ready;
    }
    l->depth++;
}

static void leave(struct locals *l, const struct scope *scope)
{
    l->depth--;
    l->count = scope->count;
    l->counter_count = scope->counter_count;
    for (int i = 0; i < l->count; i++) {
        l->items[i].ready = scope->ready[i];
    }
}

// How often: a number that the arguments give, a constant, or as often as a counter says.
static const char *trips(struct locals *l, long limit, long *out_most)
{
    struct gen *g = l->g;
    for (int tries = 0; tries < 4; tries++) {
        const struct gen_scalar *s = &g->scalars[gen_random(g, (uint32_t)g->scalar_count)];
        if (s->is_known && s->is_fixed && !s->is_counter && s->low == s->high && s->low > 0 && s->high <= limit) {
            *out_most = s->high;
            return gen_text(g, "(int)%s", s->name);
        }
    }
    const struct counter *c = some_counter(l);
    if (c != NULL && c->high + 1 <= limit && gen_chance(g, 20)) {
        *out_most = c->high + 1;
        return gen_text(g, "%s + 1", c->name);
    }
    long most = limit < 20 ? limit : gen_chance(g, 8) ? limit : 20;
    *out_most = 1 + (long)gen_random(g, (uint32_t)most);
    return gen_text(g, "%ld", *out_most);
}

static void loop(struct locals *l)
{
    struct gen *g = l->g;
    long most, limit = g->work_limit / g->work;
    if (limit < 2 || l->depth >= DEEPEST || l->counter_count == COUNTERS) {
        store_out(l);
        return;
    }
    struct scope scope;
    bool was_in_for = l->in_for;
    int n = g->name_count++;
    const char *name = gen_text(g, "j%d", n);
    const char *bound = trips(l, l->depth < 2 && gen_chance(g, 50) && limit > 4 ? 4 : limit, &most);
    uint32_t way = gen_random(g, 10);
    l->in_for = way > 1;
    if (way == 0) {
        gen_line(g, "int %s = -1;", name);
        gen_open(g, "while (++%s < %s) {", name, bound);
    } else if (way == 1) {
        gen_line(g, "int %s = -1;", name);
        gen_open(g, "do {");
        gen_line(g, "if (++%s >= %s) break;", name, bound);
    } else if (way == 2) {
        gen_open(g, "for (int %s = %s - 1; %s >= 0; %s--) {", name, bound, name, name);
    } else {
        if (way == 3 && l->depth < 2) {
            gen_line(g, "#pragma rill serial");
        }
        gen_open(g, "for (int %s = 0; %s < %s; %s++) {", name, name, bound, name);
    }
    enter(l, &scope);
    l->counters[l->counter_count++] = (struct counter){name, most - 1};
    g->work *= most;
    body(l, 1 + (int)gen_random(g, 4));
    g->work /= most;
    leave(l, &scope);
    l->in_for = was_in_for;
    if (way == 1) {
        g->indent--;
        gen_line(g, "} while (%s < %s);", name, bound);
    } else {
        gen_close(g);
    }
}

static void choice(struct locals *l)
{
    struct gen *g = l->g;
    struct scope scope;
    bool was_in_for = l->in_for;
    if (gen_chance(g, 50)) {
        gen_open(g, "if ((%s) & %u) {", value(l), 1 + gen_random(g, 3));
        enter(l, &scope);
        body(l, 1 + (int)gen_random(g, 2));
        leave(l, &scope);
        gen_close(g);
        return;
    }
    gen_open(g, "switch ((%s) & 3) {", value(l));
    l->in_for = false;
    for (int i = 0; i < 3; i++) {
        gen_open(g, i < 2 ? "case %d: {" : "default: {", i);
        enter(l, &scope);
        body(l, 1);
        leave(l, &scope);
        gen_close(g);
        if (gen_chance(g, 70)) {
            gen_line(g, "break;");
        }
    }
    l->in_for = was_in_for;
    gen_close(g);
}

static void statement(struct locals *l)
{
    struct gen *g = l->g;
    uint32_t way = gen_random(g, 100);
    l->budget--;
    struct local *bare = NULL;
    for (int i = 0; i < l->count; i++) {
        bare = l->items[i].ready == 0 ? &l->items[i] : bare;
    }
    if (bare != NULL && gen_chance(g, 50)) {
        fill(l, bare);
    } else if (way < 28 && l->budget > 0) {
        loop(l);
    } else if (way < 40) {
        declare(l);
    } else if (way < 55) {
        store_local(l);
    } else if (way < 62) {
        store_member(l);
    } else if (way < 76) {
        store_out(l);
    } else if (way < 81) {
        use_pointer(l);
    } else if (way < 88) {
        call(l);
    } else if (way < 96 && l->budget > 0 && l->depth < DEEPEST) {
        choice(l);
    } else if (way < 98 && l->in_for) {
        gen_line(g, "if ((%s) %% 5 == 1) continue;", value(l));
    } else {
        struct local *v = some_local(l, LOCAL_SCALAR, true);
        if (v != NULL) {
            gen_line(g, gen_chance(g, 60) ? "%s += %s;" : "%s = %s;", v->name, value(l));
        } else {
            store_out(l);
        }
    }
}

static void body(struct locals *l, int count)
{
    for (int i = 0; i < count; i++) {
        statement(l);
    }
    if (gen_chance(l->g, l->depth > 1 ? 50 : 20)) {
        store_out(l);
    }
}

bool gen_locals(struct gen *g)
{
    struct locals l = {.g = g, .budget = 10 + (int)gen_random(g, 14)};
    l.out[0] = gen_find_array(g, 1, true, 4);
    l.out[1] = gen_find_array(g, 1, true, 4);
    if (l.out[0] == NULL) {
        return false;
    }
    l.home = (int)gen_random(g, 3);
    int kept = g->scalar_count;
    gen_begin(g, l.out[0], l.out[1]);
    gen_open(g, "{");
    while (gen_chance(g, 50)) {
        declare(&l);
    }
    loop(&l);
    if (gen_chance(g, 40)) {
        loop(&l);
    }
    for (int i = 0; i < l.count; i++) { // what is left of those outside is looked at
        struct local *x = &l.items[i];
        if (x->kind == LOCAL_ARRAY && x->ready > 0) {
            gen_line(g, "%s[%u] = %s(%s[%u]);", l.out[0]->name, gen_random(g, 4), cast_of(l.out[0]->type), x->name,
                     gen_random(g, (uint32_t)x->ready));
        } else if (x->kind == LOCAL_SCALAR) {
            gen_line(g, "%s[%u] = %s(%s);", l.out[0]->name, gen_random(g, 4), cast_of(l.out[0]->type), x->name);
        }
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}
