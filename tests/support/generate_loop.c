#include "generate_internal.h"

#include <stdio.h>
#include <string.h>

// The text of a bound and the range of its values.
struct bound {
    const char *text;
    long low;
    long high;
};

static struct bound constant_bound(struct gen *g, long value)
{
    return (struct bound){gen_text(g, "%ld", value), value, value};
}

// A known scalar, perhaps with something added, no larger than |limit|.
static bool known_bound(struct gen *g, long limit, struct bound *out)
{
    for (int i = 0; i < 6; i++) {
        const struct gen_scalar *s = &g->scalars[gen_random(g, (uint32_t)g->scalar_count)];
        if (!s->is_known || !s->is_fixed || s->high < s->low ||
            (g->group > 0 && s->is_counter && s->group != g->group)) {
            continue;
        }
        long d = (long)gen_random(g, 3) - 1;
        if (s->low + d < 0 || s->high + d > limit) {
            continue;
        }
        const char *text = d == 0 ? s->name : gen_text(g, "%s %s 1", s->name, d > 0 ? "+" : "-");
        *out = (struct bound){text, s->low + d, s->high + d};
        return true;
    }
    return false;
}

// The loop's body may change it, so that a variable that was below it is beyond it: never a case for `!=`.
static struct bound data_bound(struct gen *g)
{
    return (struct bound){gen_text(g, "((%s) & 3)", gen_int(g, 1)), -1, 3};
}

static struct bound upper_bound(struct gen *g, long limit, bool is_down)
{
    struct bound bound;
    uint32_t way = gen_random(g, 20);
    if (way < 15 && known_bound(g, limit, &bound)) {
        return bound;
    }
    // A loop that starts at data is not followed; outside of nests the roles are not known that the bound must respect.
    if (way == 15 && limit >= 3 && g->in_nest && !is_down) {
        return data_bound(g);
    }
    return constant_bound(g, (long)gen_random(g, (uint32_t)(limit < 12 ? limit : 12) + 1));
}

static struct bound lower_bound(struct gen *g, const struct bound *upper)
{
    struct bound bound;
    if (gen_chance(g, 12) && known_bound(g, upper->high, &bound)) {
        return bound;
    }
    return constant_bound(g, gen_chance(g, 60) ? 0 : (long)gen_random(g, 4));
}

static void write_head(struct gen *g, const struct gen_scalar *v, const struct bound *low, const struct bound *high,
                       bool is_down, bool is_declared)
{
    const char *type = is_declared ? "" : gen_text(g, "%s ", gen_type_name(v->type));
    long step = 1 + (gen_chance(g, 25) ? (long)gen_random(g, 4) : 0);
    const char *plus = step == 1 ? (gen_chance(g, 70) ? gen_text(g, "%s++", v->name) : gen_text(g, "%s += 1", v->name))
                                 : gen_text(g, "%s += %ld", v->name, step);
    const char *minus = step == 1 ? gen_text(g, "%s--", v->name) : gen_text(g, "%s -= %ld", v->name, step);
    bool is_straight = low->high <= high->low; // never starts beyond its end
    if (is_down) {
        const char *compare = step == 1 && is_straight && gen_chance(g, 20) ? "!=" : ">";
        bool is_unsigned = v->type == GEN_U8 || v->type == GEN_U16 || v->type == GEN_U32 || v->type == GEN_U64;
        if (is_unsigned || gen_chance(g, 40)) {
            // From high - 1 + low … counts the same values: low < v + 1.
            gen_open(g, "for (%s%s = %s; %s %s %s; %s) {", type, v->name, high->text, v->name,
                     is_unsigned ? (is_straight && step == 1 ? compare : ">") : compare, low->text,
                     step > 1 && is_unsigned ? gen_text(g, "%s--", v->name) : minus);
        } else {
            gen_open(g, "for (%s%s = %s; %s >= %s; %s) {", type, v->name, high->text, v->name, low->text, minus);
        }
        return;
    }
    uint32_t way = gen_random(g, 10);
    if (way < 1 && is_straight && step == 1) {
        gen_open(g, "for (%s%s = %s; %s != %s; %s) {", type, v->name, low->text, v->name, high->text, plus);
    } else if (way < 3 && high->low >= 1) { // an unsigned 0 - 1 is large
        gen_open(g, "for (%s%s = %s; %s <= %s - 1; %s) {", type, v->name, low->text, v->name, high->text, plus);
    } else if (way < 4) {
        gen_open(g, "for (%s%s = %s; %s > %s; %s) {", type, v->name, low->text, high->text, v->name, plus);
    } else {
        gen_open(g, "for (%s%s = %s; %s < %s; %s) {", type, v->name, low->text, v->name, high->text, plus);
    }
}

static enum gen_type counter_type(struct gen *g, long high)
{
    uint32_t way = gen_random(g, 20);
    if (way < 13) {
        return GEN_I32;
    }
    if (way < 15) {
        return GEN_I64;
    }
    if (way < 16) {
        return GEN_U32;
    }
    if (way < 17) {
        return GEN_U64;
    }
    return high <= 100 ? (way < 18 ? GEN_I8 : way < 19 ? GEN_U8 : GEN_I16) : GEN_I32;
}

void gen_loop(struct gen *g, const char *pragma, void (*body)(struct gen *g, const struct gen_scalar *counter))
{
    long limit = g->work_limit / (g->work > 0 ? g->work : 1);
    if (limit < 2 || g->scalar_count + 2 >= GEN_SCALARS) {
        gen_line(g, ";");
        return;
    }
    bool is_down = gen_chance(g, 20);
    struct bound high = upper_bound(g, limit, is_down);
    struct bound low = lower_bound(g, &high);
    if (is_down) { // below an unsigned bound a signed counter would be large
        low.text = gen_text(g, "(int)(%s)", low.text);
    }
    int kept = g->scalar_count;
    enum gen_type type = counter_type(g, high.high);
    // An unsigned loop that counts down to 0 by >= would not end.
    bool is_unsigned = type == GEN_U32 || type == GEN_U64 || type == GEN_U8;
    // i <= bound - 1 with an unsigned bound of 0 would not end either, and conversions of a negative bound are large.
    if (is_unsigned && high.low < 1) {
        type = GEN_I32;
    }
    bool is_outside = gen_chance(g, 15) && g->group == 0;
    struct gen_scalar *v = gen_add_scalar(g, "i", type);
    v->is_counter = true;
    v->is_fixed = true;
    v->is_known = true;
    v->is_set = true;
    v->group = g->group;
    v->low = low.low;
    v->high = is_down ? high.high : high.high - 1;
    if (is_outside) { // C89's way; its value afterwards is used like that of any scalar
        gen_line(g, "%s %s = 0;", gen_type_name(type), v->name);
    }
    if (pragma != NULL) {
        gen_line(g, "#pragma rill %s", pragma);
    }
    write_head(g, v, &low, &high, is_down, is_outside);
    long trips = v->high - v->low + 1 > 1 ? v->high - v->low + 1 : 1;
    bool was_for = g->in_for_body;
    int was_break = g->break_depth;
    g->in_for_body = true;
    g->break_depth = gen_chance(g, 4) ? 1 : 0;
    if (g->outer_limit > 0) { // ... of as much as there may be
        g->work_limit = g->outer_limit;
        g->outer_limit = 0;
    }
    g->work *= trips;
    g->loop_depth++;
    body(g, v);
    g->loop_depth--;
    g->work /= trips;
    g->in_for_body = was_for;
    g->break_depth = was_break;
    gen_close(g);
    if (is_outside && gen_chance(g, 60)) {
        struct gen_scalar *s = gen_choose_scalar(g, false, true);
        if (s != NULL && s->is_set) {
            gen_line(g, "%s = %s;", s->name, v->name);
        }
    }
    g->scalar_count = kept;
}

static void nest_body(struct gen *g, const struct gen_scalar *counter)
{
    int kept = g->scalar_count;
    int arrays = g->array_count;
    g->in_nest = true;
    gen_choose_roles(g, counter);
    g->depth++;
    gen_statements(g, 1 + (int)gen_random(g, 4));
    g->depth--;
    g->in_nest = false;
    g->scalar_count = kept;
    g->array_count = arrays;
}

// An outermost loop with all that is in it.
void gen_nest(struct gen *g)
{
    gen_loop(g, gen_chance(g, 4) ? "serial" : gen_chance(g, 3) ? "single" : NULL, nest_body);
}

static void step_body(struct gen *g, const struct gen_scalar *counter)
{
    int kept = g->scalar_count;
    int arrays = g->array_count;
    gen_choose_homes(g, counter);
    g->depth++;
    gen_statements(g, 1 + (int)gen_random(g, 3));
    g->depth--;
    g->scalar_count = kept;
    g->array_count = arrays;
}

static void time_body(struct gen *g, const struct gen_scalar *counter)
{
    (void)counter;
    int kept = g->scalar_count;
    int arrays = g->array_count;
    g->in_nest = true;
    gen_choose_roles(g, NULL);
    g->depth++;
    for (uint32_t i = 1 + gen_random(g, 3); i > 0; i--) {
        if (gen_chance(g, 75)) {
            gen_loop(g, NULL, step_body);
            gen_choose_homes(g, NULL); // its counter is gone
        } else {
            gen_statement(g);
        }
    }
    g->depth--;
    g->in_nest = false;
    g->scalar_count = kept;
    g->array_count = arrays;
}

// A loop around loops, most often over time: what it may do to an array is the same in all of it.
void gen_time_nest(struct gen *g)
{
    long kept = g->work_limit;
    g->work_limit = g->work * 4 < kept ? g->work * 4 : kept; // few rounds ...
    g->outer_limit = kept;
    gen_loop(g, NULL, time_body);
    g->outer_limit = 0;
    g->work_limit = kept;
}
