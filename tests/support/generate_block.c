// Regions of blocks that share arrays in ways that can be told apart: halves by parameters, rows, evens and odds,
// copies, calls of kernels, updates of one class, locals that each block sets for itself.
#include "generate_internal.h"

static const char *macro_of(const struct gen_array *a)
{
    return a->type == GEN_F64 ? "TD" : gen_is_float(a->type) ? "TF" : "";
}

// A known parameter that is at least 1 and leaves |size| something beyond it; NULL if there is none.
static const struct gen_scalar *split_of(struct gen *g, long size)
{
    for (int tries = 0; tries < 8; tries++) {
        const struct gen_scalar *k = &g->scalars[gen_random(g, (uint32_t)g->scalar_count)];
        if (k->is_fixed && k->is_known && !k->is_counter && k->low == k->high && !gen_is_float(k->type) &&
            k->low >= 1 && k->low < size) {
            return k;
        }
    }
    return NULL;
}

static bool may_open(const struct gen *g, const struct gen_array *a)
{
    return a != NULL && !a->is_local && g->group == 0 && !g->no_blocks && g->scalar_count + 6 < GEN_SCALARS;
}

// What a block may read: nothing that the region writes.
static void begin_block(struct gen *g, struct gen_array *first, struct gen_array *second)
{
    if (gen_chance(g, 5)) {
        gen_line(g, "#pragma rill in_order");
    }
    gen_begin(g, first, second);
    gen_open(g, "stream_parallel {");
}

static void end_region(struct gen *g, int kept)
{
    gen_line(g, ";");
    gen_end(g, kept);
}

// a[0 ... k) and a[k ... end), in pieces that loops, copies and helpers fill; whether they meet depends on parameters.
bool gen_block_split(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 6);
    const struct gen_scalar *k = a != NULL ? split_of(g, a->extents[0].value) : NULL;
    if (!may_open(g, a) || k == NULL || gen_trips_of(g, a) < a->extents[0].value) {
        return false;
    }
    int kept = g->scalar_count;
    const char *split = gen_text(g, "%s", k->name); // the scalars move
    long low_count = k->low, size = a->extents[0].value;
    const char *type = gen_type_name(a->type);
    bool is_swapped = gen_chance(g, 30);
    for (int half = 0; half < 2; half++) {
        bool is_low = (half == 0) != is_swapped;
        int n = g->name_count++;
        begin_block(g, a, NULL);
        const char *first = is_low ? "0" : split;
        const char *end = is_low ? split : a->extents[0].text;
        const char *i = gen_push_counter(g, is_low ? 0 : low_count, is_low ? low_count - 1 : size - 1);
        switch (gen_random(g, 5)) {
        case 0: gen_line(g, "memset(&%s[%s], 0, (%s - %s) * sizeof(%s));", a->name, first, end, first, type); break;
        case 1:
            gen_line(g, "%s *p%d = %s + %s;", type, n, a->name, first);
            gen_open(g, "for (long %s = %s; %s < %s; %s++) {", i, first, i, end, i);
            gen_line(g, "p%d[%s - %s] = %s;", n, i, first, gen_value(g, a->type, 1));
            gen_close(g);
            break;
        case 2:
            gen_open(g, "for (long %s = (long)%s - 1; %s >= %s; %s--) {", i, end, i, first, i);
            gen_line(g, "%s[%s] = %s(%s[%s] + %s);", a->name, i, macro_of(a), a->name, i, gen_int(g, 1));
            gen_close(g);
            break;
        default:
            gen_open(g, "for (long %s = %s; %s < %s; %s++) {", i, first, i, end, i);
            gen_line(g, "%s[%s] = %s;", a->name, i, gen_value(g, a->type, 2));
            gen_close(g);
            break;
        }
        gen_close(g);
        g->scalar_count = kept;
    }
    end_region(g, kept);
    return true;
}

// Rows of a matrix, a few for each block.
bool gen_block_rows(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 2, true, 3);
    if (!may_open(g, a) || g->work * a->extents[0].value * a->extents[1].value > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    long rows = a->extents[0].value;
    long split = 1 + (long)gen_random(g, (uint32_t)rows - 1);
    // Every second row would be refused: a region is a row of elements with a step, not of rows.
    for (int k = 0; k < 2; k++) {
        begin_block(g, a, NULL);
        long low = k == 0 ? 0 : split, high = k == 0 ? split : rows;
        const char *i = gen_push_counter(g, low, high - 1);
        const char *j = gen_push_counter(g, 0, a->extents[1].value - 1);
        gen_open(g, "for (int %s = %ld; %s < %ld; %s++) {", i, low, i, high, i);
        gen_open(g, "for (int %s = 0; %s < %s; %s++) {", j, j, a->extents[1].text, j);
        gen_line(g, "%s[%s][%s] = %s;", a->name, i, j, gen_value(g, a->type, 2));
        gen_close(g);
        gen_close(g);
        gen_close(g);
        g->scalar_count = kept;
    }
    end_region(g, kept);
    return true;
}

// Blocks that only update one array, by operators of one class, at any index; locals are each block's own.
bool gen_block_updates(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    if (!may_open(g, a) || a->type == GEN_BOOL || (gen_is_float(a->type) && !g->is_tame)) {
        return false;
    }
    static const char *const classes[][3] = {
        {"+=", "-=", "add"}, {"|=", "|=", "or"}, {"&=", "&=", "and"}, {"^=", "^=", "xor"}, {"*=", "*=", "mul"}};
    int kept = g->scalar_count;
    long trips = gen_trips_of(g, a);
    uint32_t class = gen_is_float(a->type) ? 0 : gen_random(g, 5);
    int n = g->name_count++;
    bool has_shared = gen_chance(g, 40); // a local that each block sets before it reads it
    if (has_shared) {
        gen_line(g, "int t%d;", n);
    }
    for (uint32_t k = 2 + gen_random(g, 2); k > 0; k--) {
        begin_block(g, a, NULL);
        const char *i = gen_push_counter(g, 0, trips - 1);
        if (has_shared) {
            gen_line(g, "t%d = %s;", n, gen_chance(g, 50) ? "n" : "3");
        }
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, trips, i);
        const char *at = gen_chance(g, 40)   ? i
                         : gen_chance(g, 30) ? "2"
                         : gen_chance(g, 50) ? gen_text(g, "%s / 2", i)
                                             : gen_text(g, "(unsigned)(%s) %% %ldu", gen_int(g, 1), trips);
        const char *e = gen_is_float(a->type) ? gen_tame(g, a->type, 1)
                                              : gen_text(g, "(%s)(%s)", gen_type_name(a->type), gen_int(g, 1));
        if (has_shared && !gen_is_float(a->type)) {
            e = gen_text(g, "(%s)(%s + t%d)", gen_type_name(a->type), gen_int(g, 1), n);
        }
        const char *place = gen_text(g, "%s[%s]", a->name, at);
        if (gen_chance(g, 40)) {
            gen_line(g, "rill_atomic_%s(&%s, %s);", classes[class][2], place, e);
        } else {
            gen_line(g, "%s %s %s;", place, classes[class][gen_random(g, 2)], e);
        }
        gen_close(g);
        gen_close(g);
        g->scalar_count = kept;
    }
    end_region(g, kept);
    if (has_shared) {
        gen_line(g, "%s[0] = %s(t%d);", a->name, macro_of(a), n);
    }
    return true;
}

// A block that copies, calls or sums beside one that does another of these, each into an array of its own.
bool gen_block_mixed(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 4);
    struct gen_array *b = gen_find_array(g, 1, true, 4);
    struct gen_scalar *s = gen_choose_scalar(g, false, true);
    if (!may_open(g, a) || !may_open(g, b) || a == b || s == NULL || !s->is_set) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *out = gen_text(g, "%s", s->name);
    enum gen_type type = s->type;
    s->is_set = false;
    begin_block(g, a, b);
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_line(g, "int t%d = 0;", n);
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, gen_trips_of(g, a), i);
    gen_line(g, "t%d += (int)TF(%s[%s]);", n, a->name, i);
    gen_close(g);
    if (gen_chance(g, 50)) {
        gen_line(g, "if (t%d > 3) %s[t%d & 3] = 1;", n, a->name, n);
    } else {
        gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, gen_trips_of(g, a), i);
        gen_line(g, "%s[%s] = %s(t%d + %s);", a->name, i, macro_of(a), n, i);
        gen_close(g);
    }
    gen_close(g);
    g->scalar_count = kept;
    begin_block(g, a, b);
    const char *j = gen_push_counter(g, 0, gen_trips_of(g, b) - 1);
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", j, j, gen_trips_of(g, b), j);
    gen_line(g, "if (%s) %s = %s;", gen_condition(g, 1), out, gen_tame(g, type, 1));
    gen_line(g, "%s[%s] = %s;", b->name, j, gen_value(g, b->type, 2));
    gen_close(g);
    if (b->type == GEN_I32 && gen_chance(g, 50)) {
        gen_line(g, "sub_shift(%ld, %s, %s + 1);", gen_trips_of(g, b) - 1, b->name, b->name);
    }
    gen_close(g);
    end_region(g, kept);
    s->is_set = true;
    return true;
}
