#include "generate_internal.h"

#include <stdio.h>
#include <string.h>

// ---- roles
// ------------------------------------------------------------------------------------------------------------------------

enum {
    UPDATE_ADD,
    UPDATE_MUL,
    UPDATE_AND,
    UPDATE_OR,
    UPDATE_XOR,
    UPDATE_MIN_IF,
    UPDATE_MAX_COND,
    UPDATE_LOR,
    UPDATE_ATOMIC,
    UPDATE_FMAX,
    UPDATE_ATOMIC_MIN,
    UPDATE_ATOMIC_OR,
    UPDATE_ATOMIC_MAX,
    UPDATE_ATOMIC_AND,
    UPDATE_ATOMIC_XOR,
    UPDATE_ATOMIC_MUL,
    UPDATE_ATOMIC_EXCHANGE, // always the same value
    UPDATE_LAND,
    UPDATES
};

static int choose_update(struct gen *g, const struct gen_array *a)
{
    bool is_float = gen_is_float(a->type);
    for (;;) {
        int update = (int)gen_random(g, UPDATES);
        bool ints_only = update == UPDATE_AND || update == UPDATE_OR || update == UPDATE_XOR || update == UPDATE_LOR ||
                         update == UPDATE_ATOMIC_OR || update == UPDATE_ATOMIC_AND || update == UPDATE_ATOMIC_XOR ||
                         update == UPDATE_LAND;
        // On shared float memory a NaN would reset what the conditional form keeps: that is no update.
        bool no_floats = ints_only || update == UPDATE_MAX_COND || update == UPDATE_MUL || update == UPDATE_ATOMIC_MUL;
        if (is_float ? !no_floats : update != UPDATE_FMAX) {
            return update;
        }
    }
}

static bool choose_scatter(struct gen *g, struct gen_array *a, const struct gen_scalar *counter)
{
    if (counter == NULL || counter->low < 0 || counter->high < counter->low) {
        return false;
    }
    for (int i = 0; i < g->array_count; i++) {
        const struct gen_array *p = &g->arrays[i];
        if (p->is_perm && p->extents[0].value <= a->extents[0].value && counter->high < p->extents[0].value) {
            snprintf(a->perm, sizeof a->perm, "%s[%s]", p->name, counter->name);
            return true;
        }
    }
    return false;
}

static void choose_home(struct gen *g, struct gen_array *a, const struct gen_scalar *counter)
{
    a->home[0] = '\0';
    if (counter == NULL || gen_chance(g, 10)) {
        return;
    }
    long low = counter->low;
    long high = counter->high < low ? low : counter->high;
    long size = a->extents[0].value;
    uint32_t way = gen_random(g, 10);
    if (way < 6 && low >= 0 && high < size) {
        snprintf(a->home, sizeof a->home, "%s", counter->name);
    } else if (way < 7 && low >= 0 && high < size) {
        snprintf(a->home, sizeof a->home, "%s - 1 - %s", a->extents[0].text, counter->name);
    } else if (way < 8 && low >= 0 && 2 * high + 1 < size) {
        snprintf(a->home, sizeof a->home, "2 * %s%s", counter->name, gen_chance(g, 50) ? "" : " + 1");
    } else if (way < 9 && low >= 1 && high - 1 < size) {
        snprintf(a->home, sizeof a->home, "%s - 1", counter->name);
    } else if (low >= 0 && high + 1 < size) {
        snprintf(a->home, sizeof a->home, "%s + 1", counter->name);
    }
}

void gen_choose_homes(struct gen *g, const struct gen_scalar *counter)
{
    for (int i = 0; i < g->array_count; i++) {
        if (g->arrays[i].role == GEN_WRITE) {
            choose_home(g, &g->arrays[i], counter);
        }
    }
}

static bool is_explicit(const struct gen_array *a)
{
    return a->update == UPDATE_ATOMIC || (a->update >= UPDATE_ATOMIC_MIN && a->update <= UPDATE_ATOMIC_EXCHANGE);
}

// Explicit atomics say that any order will do. That is so of one kind of them, also where arrays share their memory.
static void agree_on_atomics(struct gen *g, struct gen_array *a)
{
    for (const struct gen_array *other = g->arrays; other < a; other++) {
        if (strcmp(other->buffer, a->buffer) == 0 && (is_explicit(a) || is_explicit(other)) && a->role == GEN_UPDATE &&
            other->role == GEN_UPDATE) {
            a->role = other->type == a->type ? a->role : GEN_READ;
            a->update = other->update;
        }
    }
}

// |counter| is the nest's loop variable, or NULL where the loop is one over time.
void gen_choose_roles(struct gen *g, const struct gen_scalar *counter)
{
    for (int i = 0; i < g->array_count; i++) {
        struct gen_array *a = &g->arrays[i];
        bool is_mine = g->group == 0 || a->group == g->group;
        bool is_writable = !a->is_const && a->limit == 0 && !a->is_perm && is_mine;
        a->role = g->group > 0 && a->group != 0 && !is_mine ? GEN_NOTHING : GEN_READ;
        if (!is_writable) {
            continue;
        }
        uint32_t way = gen_random(g, 20);
        bool may_update = a->type != GEN_BOOL && a->type != GEN_RECORD && (!gen_is_float(a->type) || g->is_tame);
        if (way < 9) {
            a->role = GEN_WRITE;
            choose_home(g, a, counter);
        } else if (way < 12 && may_update) {
            a->role = GEN_UPDATE;
            a->update = choose_update(g, a);
            agree_on_atomics(g, a);
        } else if (way < 14 && choose_scatter(g, a, counter)) {
            a->role = GEN_SCATTER;
        } else if (way < 15 && a->type != GEN_RECORD) {
            a->role = GEN_FLAG;
        }
    }
}

// ---- simple statements
// ------------------------------------------------------------------------------------------------------------

void gen_declare_scalar(struct gen *g)
{
    if (g->scalar_count + 2 >= GEN_SCALARS) {
        return;
    }
    enum gen_type type = (enum gen_type)gen_random(g, GEN_RECORD);
    const char *value = gen_tame(g, type, 2);
    struct gen_scalar *s = gen_add_scalar(g, "x", type);
    if (gen_chance(g, 80)) {
        s->is_set = true;
        gen_line(g, "%s %s = %s;", gen_type_name(type), s->name, value);
    } else {
        gen_line(g, "%s %s;", gen_type_name(type), s->name); // set before it is read
        gen_line(g, "%s = %s;", s->name, value);
        s->is_set = true;
    }
}

// A local whose range is known: from other such values, or from data of small range. It may be a bound or an index.
void gen_declare_known(struct gen *g)
{
    if (g->scalar_count + 2 >= GEN_SCALARS) {
        return;
    }
    const char *text = NULL;
    long low = 0;
    long high = 0;
    const struct gen_scalar *k = &g->scalars[gen_random(g, (uint32_t)g->scalar_count)];
    // In a nest not from data: indices there must be ones that can be followed.
    if ((g->in_nest || gen_chance(g, 50)) && k->is_known && k->is_fixed && !gen_is_float(k->type) && k->low >= 0) {
        long d = (long)gen_random(g, 4);
        bool is_twice = gen_chance(g, 20);
        text = is_twice ? gen_text(g, "2 * %s", k->name) : gen_text(g, "%s + %ld", k->name, d);
        low = is_twice ? 2 * k->low : k->low + d;
        high = is_twice ? 2 * k->high : k->high + d;
    } else if (!g->in_nest) {
        text = gen_text(g, "(%s) & 7", gen_int(g, 2));
        high = 7;
    } else {
        return;
    }
    struct gen_scalar *s = gen_add_scalar(g, "h", gen_chance(g, 70) ? GEN_I32 : GEN_I64);
    s->is_known = s->is_fixed = s->is_set = true;
    s->low = low;
    s->high = high;
    s->is_counter = high < 12000; // as good as one, for indices
    gen_line(g, "%s %s = %s;", gen_type_name(s->type), s->name, text);
}

static void assign_scalar(struct gen *g)
{
    bool is_float = gen_chance(g, 30);
    struct gen_scalar *s = gen_choose_scalar(g, is_float, true);
    if (s == NULL) {
        gen_declare_scalar(g);
        return;
    }
    static const char *const ops[] = {"+=", "-=", "*=", "&=", "|=", "^=", "/=", "%="};
    const char *value = gen_tame(g, s->type, 2);
    if (!s->is_set || gen_chance(g, 60)) {
        gen_line(g, "%s = %s;", s->name, value);
    } else if (is_float) {
        gen_line(g, "%s %s %s;", s->name, ops[gen_random(g, 2)], value);
    } else if (gen_chance(g, 8)) {
        gen_line(g, "%s = %s - %s;", s->name, value, s->name);
    } else if (gen_chance(g, 8)) {
        const struct gen_scalar *other = gen_choose_scalar(g, false, true);
        if (other != NULL && other != s && other->is_set) {
            gen_line(g, "%s = %s++;", s->name, other->name);
        }
    } else if (gen_chance(g, 20)) {
        gen_line(g, "%s%s;", s->name, gen_chance(g, 50) ? "++" : "--");
    } else {
        gen_line(g, "%s %s %s;", s->name, ops[gen_random(g, 6)], value);
    }
    s->is_set = s->is_set || g->depth == 0;
}

static void min_max(struct gen *g, const char *place, enum gen_type type)
{
    const char *e =
        gen_is_float(type) ? gen_tame(g, type, 1) : gen_text(g, "(%s)(%s)", gen_type_name(type), gen_int(g, 1));
    const char *suffix = type == GEN_F32 ? "f" : "";
    switch (gen_random(g, gen_is_float(type) ? 7 : 5)) {
    case 0: gen_line(g, "if (%s < %s) { %s = %s; }", e, place, place, e); break;
    case 1: gen_line(g, "if (%s <= %s) %s = %s;", place, e, place, e); break;
    case 2: gen_line(g, "%s = %s < %s ? %s : %s;", place, place, e, place, e); break;
    case 3: gen_line(g, "%s = %s > %s ? %s : %s;", place, e, place, e, place); break;
    case 4: gen_line(g, "if (%s >= %s) %s = %s;", e, place, place, e); break;
    case 5: gen_line(g, "%s = fmin%s(%s, %s);", place, suffix, place, e); break;
    default: gen_line(g, "%s = fmax%s(%s, %s);", place, suffix, e, place); break;
    }
}

// A scalar that is only updated in this place; whether elsewhere too is up to chance.
void gen_reduction(struct gen *g)
{
    bool is_float = gen_chance(g, 35);
    struct gen_scalar *s = gen_choose_scalar(g, is_float, true);
    if (s == NULL || !s->is_set) {
        return;
    }
    static const char *const ops[] = {"+=", "-=", "+=", "*=", "&=", "|=", "^="};
    uint32_t way = gen_random(g, 12);
    const char *e = gen_tame(g, s->type, 2);
    if (way < 6) {
        gen_line(g, "%s %s %s;", s->name, is_float ? ops[gen_random(g, 3)] : ops[gen_random(g, 7)], e);
    } else if (way < 7) {
        gen_line(g, "%s = %s + %s - %s;", s->name, s->name, e, gen_tame(g, s->type, 1));
    } else if (way < 8 && !is_float) {
        gen_line(g, "%s = %s %s %s;", s->name, s->name, gen_chance(g, 50) ? "&&" : "||", gen_condition(g, 1));
    } else if (way < 11) {
        min_max(g, s->name, s->type);
    } else {
        struct gen_scalar *companion = gen_choose_scalar(g, gen_chance(g, 30), true);
        const struct gen_scalar *v = gen_choose_counter(g);
        const char *value = companion != NULL ? gen_tame(g, companion->type, 1) : "0";
        if (companion == NULL || companion == s) {
            return;
        }
        const char *cast = gen_is_float(s->type) ? e : gen_text(g, "(%s)(%s)", gen_type_name(s->type), e);
        static const char *const compares[] = {"<", "<=", ">", ">="};
        gen_line(g, "if (%s %s %s) { %s = %s; %s = %s; }", cast, compares[gen_random(g, 4)], s->name, s->name, cast,
                 companion->name, v != NULL && !gen_is_float(companion->type) && gen_chance(g, 60) ? v->name : value);
    }
}

static void update_array(struct gen *g, const struct gen_array *a)
{
    enum gen_type type;
    const char *place = gen_place(g, a, true, &type);
    const char *e = gen_tame(g, type, 1);
    const char *own = gen_is_float(type) ? e : gen_text(g, "(%s)(%s)", gen_type_name(type), e);
    switch (a->update) {
    case UPDATE_ADD:
        switch (gen_random(g, 5)) {
        case 0: gen_line(g, "%s -= %s;", place, e); break;
        case 1: gen_line(g, "%s++;", place); break;
        case 2: gen_line(g, "%s = %s + %s;", place, place, own); break;
        default: gen_line(g, "%s += %s;", place, e); break;
        }
        break;
    case UPDATE_MUL: gen_line(g, "%s *= %s;", place, e); break;
    case UPDATE_AND: gen_line(g, "%s &= %s;", place, e); break;
    case UPDATE_OR: gen_line(g, "%s |= %s;", place, e); break;
    case UPDATE_XOR: gen_line(g, "%s ^= %s;", place, e); break;
    case UPDATE_MIN_IF: gen_line(g, "if (%s < %s) { %s = %s; }", own, place, place, own); break;
    case UPDATE_MAX_COND: gen_line(g, "%s = %s > %s ? %s : %s;", place, place, own, place, own); break;
    case UPDATE_LOR: gen_line(g, "%s = %s || %s;", place, place, gen_condition(g, 1)); break;
    case UPDATE_ATOMIC: gen_line(g, "rill_atomic_%s(&%s, %s);", gen_chance(g, 50) ? "add" : "sub", place, own); break;
    case UPDATE_LAND: gen_line(g, "%s = %s && %s;", place, place, gen_condition(g, 1)); break;
    case UPDATE_ATOMIC_MAX: gen_line(g, "rill_atomic_max(&%s, %s);", place, own); break;
    case UPDATE_ATOMIC_AND: gen_line(g, "rill_atomic_and(&%s, %s);", place, own); break;
    case UPDATE_ATOMIC_XOR: gen_line(g, "rill_atomic_xor(&%s, %s);", place, own); break;
    case UPDATE_ATOMIC_MUL: gen_line(g, "rill_atomic_mul(&%s, %s);", place, own); break;
    case UPDATE_ATOMIC_EXCHANGE:
        gen_line(g, "rill_atomic_exchange(&%s, 5);", place); // the same in any order
        g->gives_word = true;
        break;
    case UPDATE_ATOMIC_MIN: gen_line(g, "rill_atomic_min(&%s, %s);", place, own); break;
    case UPDATE_ATOMIC_OR: gen_line(g, "rill_atomic_or(&%s, %s);", place, own); break;
    default: gen_line(g, "%s = fmax%s(%s, %s);", place, type == GEN_F32 ? "f" : "", place, own); break;
    }
}

static void store_array(struct gen *g, const struct gen_array *a)
{
    enum gen_type type;
    const char *place = gen_place(g, a, true, &type);
    static const char *const ops[] = {"+=", "-=", "*=", "|=", "^=", "&="};
    bool may_compound = !gen_is_float(type) || g->is_tame;
    if (a->type == GEN_RECORD && gen_chance(g, 25)) {
        // A struct as a whole, by way of a helper.
        int length = (int)(strrchr(place, '.') - place);
        gen_line(g, "%.*s = bump(%.*s, %s);", length, place, length, place, gen_int(g, 1));
    } else if (may_compound && gen_chance(g, 4)) { // never an update
        gen_line(g, "%s = %s - %s;", place, gen_tame(g, type, 2), place);
    } else if (g->is_tame && gen_chance(g, 4)) { // done in another type than the place's own
        gen_line(g, "%s = %s(%s + %s);", place, type == GEN_F64 ? "TD" : "TF", place,
                 gen_tame(g, type == GEN_F32 ? GEN_F64 : GEN_F32, 1));
    } else if (!gen_is_float(type) && gen_chance(g, 4)) {
        gen_line(g, "%s += %s;", place, gen_tame(g, gen_chance(g, 50) ? GEN_F32 : GEN_F64, 1));
    } else if (may_compound && gen_chance(g, 25)) {
        gen_line(g, "%s %s %s;", place, ops[gen_random(g, gen_is_float(type) ? 2 : 6)], gen_tame(g, type, 2));
    } else {
        gen_line(g, "%s = %s;", place, gen_value(g, type, 3));
    }
}

static void touch_array(struct gen *g)
{
    static const enum gen_role roles[] = {GEN_WRITE, GEN_WRITE, GEN_UPDATE, GEN_SCATTER, GEN_FLAG};
    for (int i = 0; i < 5; i++) {
        enum gen_role role = g->in_nest ? roles[gen_random(g, 5)] : GEN_WRITE;
        struct gen_array *a = gen_choose_array(g, role);
        if (a == NULL) {
            continue;
        }
        enum gen_type type;
        if (role == GEN_UPDATE) {
            update_array(g, a);
        } else if (role == GEN_FLAG) {
            gen_line(g, "%s = 3;", gen_place(g, a, true, &type));
        } else {
            store_array(g, a);
        }
        return;
    }
    assign_scalar(g);
}

// ---- compound statements
// ---------------------------------------------------------------------------------------------------------

// Statements in braces of their own: what is declared there is gone afterwards, what is set there may not be set.
static void scoped(struct gen *g, int count)
{
    int kept = g->scalar_count;
    int arrays = g->array_count;
    g->depth++;
    gen_statements(g, count);
    g->depth--;
    g->scalar_count = kept;
    g->array_count = arrays;
}

static void if_statement(struct gen *g)
{
    gen_open(g, "if (%s) {", gen_condition(g, 1));
    scoped(g, 1 + (int)gen_random(g, 2));
    if (g->in_for_body && gen_chance(g, 10)) {
        gen_line(g, "continue;");
    } else if (g->break_depth > 0 && gen_chance(g, 10)) {
        gen_line(g, "break;");
    }
    if (gen_chance(g, 40)) {
        g->indent--;
        gen_open(g, "} else {");
        scoped(g, 1 + (int)gen_random(g, 2));
    }
    gen_close(g);
}

static void switch_statement(struct gen *g)
{
    gen_open(g, "switch ((%s) & 3) {", gen_int(g, 1));
    bool was_for = g->in_for_body;
    for (int i = 0; i < 3; i++) {
        gen_line(g, i < 2 ? "case %d:" : "default:", i);
        g->indent++;
        gen_open(g, "{");
        g->in_for_body = false; // `continue` is fine there; `break` is the switch's
        g->break_depth++;
        scoped(g, 1);
        g->break_depth--;
        gen_close(g);
        if (gen_chance(g, 70)) {
            gen_line(g, "break;");
        }
        g->indent--;
    }
    g->in_for_body = was_for;
    gen_close(g);
}

static void while_statement(struct gen *g)
{
    if (g->scalar_count + 2 >= GEN_SCALARS || g->work * 4 > g->work_limit) {
        return;
    }
    int kept = g->scalar_count;
    struct gen_scalar *w = gen_add_scalar(g, "w", GEN_I32);
    w->is_fixed = true;
    w->is_known = true;
    w->is_set = true;
    w->low = 0;
    w->high = 3;
    char name[GEN_NAME];
    snprintf(name, sizeof name, "%s", w->name);
    gen_line(g, "int %s = 0;", name);
    bool is_do = gen_chance(g, 30);
    gen_open(g, is_do ? "do {" : "while (%s < %s) {", name,
             gen_chance(g, 50)
                 ? "3"
                 : gen_text(g, "((%s) & 3)", gen_choose_counter(g) != NULL ? gen_choose_counter(g)->name : "2"));
    bool was_for = g->in_for_body;
    g->in_for_body = false;
    gen_line(g, "%s++;", name);
    g->break_depth++;
    g->work *= 3;
    scoped(g, 2);
    g->work /= 3;
    g->break_depth--;
    g->in_for_body = was_for;
    if (is_do) {
        g->indent--;
        gen_line(g, "} while (%s < 2);", name);
    } else {
        gen_close(g);
    }
    g->scalar_count = kept;
}

static void local_array(struct gen *g)
{
    if (g->array_count + 1 >= GEN_ARRAYS) {
        return;
    }
    enum gen_type type = gen_chance(g, 50) ? GEN_I32 : GEN_F32;
    const char *first = gen_tame(g, type, 1);
    const char *second = gen_tame(g, type, 1);
    struct gen_array *a = gen_add_array(g, "l", type);
    a->rank = 1;
    a->extents[0] = (struct gen_known){"4", 4};
    a->role = GEN_WRITE;
    a->is_local = true;
    a->group = g->group;
    gen_line(g, "%s %s[4] = {%s, %s};", gen_type_name(type), a->name, first, second);
}

static void inner_body(struct gen *g, const struct gen_scalar *counter)
{
    (void)counter;
    scoped(g, 1 + (int)gen_random(g, 3));
}

static void record_statement(struct gen *g)
{
    struct gen_array *a = gen_choose_array(g, GEN_WRITE);
    if (!g->has_records || a == NULL || a->type != GEN_RECORD) {
        return;
    }
    enum gen_type type;
    const char *place = gen_place(g, a, true, &type);
    int length = (int)(strrchr(place, '.') - place);
    int k = g->name_count++;
    gen_open(g, "{");
    gen_line(g, "struct pt r%d = %.*s;", k, length, place);
    gen_line(g, "r%d.a += %s;", k, gen_int(g, 1));
    gen_line(g, "r%d.c[%s] = r%d.a;", k, gen_chance(g, 50) ? "1" : gen_text(g, "(%s) & 1", gen_int(g, 1)), k);
    gen_line(g, "split(&r%d, %s);", k, gen_int(g, 1));
    gen_line(g, "%.*s = r%d;", length, place, k);
    gen_close(g);
}

static void out_parameter(struct gen *g)
{
    struct gen_scalar *s = gen_choose_scalar(g, false, true);
    if (s != NULL && s->type == GEN_I32 && s->is_set) {
        gen_line(g, "both(&%s, %s);", s->name, gen_int(g, 1));
    }
}

static void jump_ahead(struct gen *g)
{
    int label = g->label_count++;
    gen_line(g, "if (%s) goto skip%d;", gen_condition(g, 1), label);
    gen_open(g, "{"); // nothing is declared between a jump and its label
    scoped(g, 1 + (int)gen_random(g, 2));
    gen_close(g);
    gen_line(g, "skip%d:;", label);
}

void gen_statement(struct gen *g)
{
    g->statement_budget--;
    bool may_nest = g->depth < 4 && g->statement_budget > 0;
    uint32_t way = gen_random(g, 100);
    if (way < 36) {
        touch_array(g);
    } else if (way < 50) {
        gen_reduction(g);
    } else if (way < 60) {
        assign_scalar(g);
    } else if (way < 64) {
        gen_declare_scalar(g);
    } else if (way < 66) {
        gen_declare_known(g);
    } else if (way < 76 && may_nest) {
        if_statement(g);
    } else if (way < 86 && may_nest && g->loop_depth < 3) {
        gen_loop(g, NULL, inner_body);
    } else if (way < 89 && may_nest) {
        while_statement(g);
    } else if (way < 91 && may_nest) {
        switch_statement(g);
    } else if (way < 93) {
        local_array(g);
    } else if (way < 95) {
        record_statement(g);
    } else if (way < 97) {
        out_parameter(g);
    } else if (way < 98 && g->has_print && g->work < 300) {
        gen_line(g, "printf(\"%%d %%ld\\n\", (int)(%s), (long)(%s));", gen_int(g, 1), gen_int(g, 1));
    } else if (way < 99 && may_nest) {
        jump_ahead(g);
    } else if (gen_chance(g, 30) && g->group == 0 && g->depth > 0) {
        gen_line(g, g->returns ? "if (%s) return %s;" : "if (%s) return;", gen_condition(g, 1),
                 gen_tame(g, g->return_type, 1));
    } else {
        touch_array(g);
    }
}

void gen_statements(struct gen *g, int count)
{
    for (int i = 0; i < count; i++) {
        gen_statement(g);
    }
}
