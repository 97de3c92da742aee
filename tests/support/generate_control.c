#include "generate_internal.h"

static void control_statement(struct gen *g);

static void scoped(struct gen *g, int count)
{
    int kept = g->scalar_count;
    int arrays = g->array_count;
    g->depth++;
    gen_control(g, count);
    g->depth--;
    g->scalar_count = kept;
    g->array_count = arrays;
}

static void time_body(struct gen *g, const struct gen_scalar *counter)
{
    (void)counter;
    scoped(g, 1 + (int)gen_random(g, 3));
}

// In order by pragma: the nests in it have roles of their own.
static void time_loop(struct gen *g)
{
    gen_loop(g, "serial", time_body);
}

static void control_while(struct gen *g)
{
    int kept = g->scalar_count;
    if (g->scalar_count + 2 >= GEN_SCALARS || g->work * 3 > g->work_limit) {
        return;
    }
    struct gen_scalar *w = gen_add_scalar(g, "w", GEN_I32);
    w->is_fixed = w->is_known = w->is_set = true;
    w->low = 0;
    w->high = 3;
    w->group = g->group;
    const char *name = gen_text(g, "%s", w->name);
    gen_line(g, "int %s = 0;", name);
    if (gen_chance(g, 50)) {
        gen_open(g, "while (%s < 3 && %s) {", name, gen_condition(g, 1));
    } else {
        gen_open(g, "while (%s < 3) {", name);
    }
    gen_line(g, "%s++;", name);
    g->work *= 3;
    scoped(g, 1 + (int)gen_random(g, 2));
    if (gen_chance(g, 40)) {
        gen_line(g, "if (%s) break;", gen_condition(g, 1));
    }
    g->work /= 3;
    gen_close(g);
    g->scalar_count = kept;
}

static void control_if(struct gen *g)
{
    gen_open(g, "if (%s) {", gen_condition(g, 1));
    scoped(g, 1 + (int)gen_random(g, 2));
    if (gen_chance(g, 50)) {
        g->indent--;
        gen_open(g, "} else {");
        scoped(g, 1 + (int)gen_random(g, 2));
    }
    gen_close(g);
}

static void control_switch(struct gen *g)
{
    bool was_for = g->in_for_body;
    g->in_for_body = false;
    gen_open(g, "switch ((%s) & 3) {", gen_int(g, 1));
    for (int i = 0; i < 3; i++) {
        gen_open(g, i < 2 ? "case %d: {" : "default: {", i);
        scoped(g, 1);
        gen_close(g);
        if (gen_chance(g, 70)) {
            gen_line(g, "break;");
        }
    }
    gen_close(g);
    g->in_for_body = was_for;
}

// Jumps over some of the control, or back to it once.
static void control_goto(struct gen *g)
{
    int label = g->label_count++;
    bool is_back = gen_chance(g, 40) && g->work * 2 <= g->work_limit;
    if (is_back) {
        gen_line(g, "int once%d = 0;", label);
        gen_line(g, "again%d:;", label);
    } else {
        gen_line(g, "if (%s) goto past%d;", gen_condition(g, 1), label);
    }
    bool was_without = g->no_blocks;
    g->no_blocks = true;
    gen_open(g, "{");
    g->work *= is_back ? 2 : 1;
    scoped(g, 1 + (int)gen_random(g, 2));
    g->work /= is_back ? 2 : 1;
    gen_close(g);
    g->no_blocks = was_without;
    if (is_back) {
        gen_line(g, "if (once%d++ == 0 && %s) goto again%d;", label, gen_condition(g, 1), label);
    } else {
        gen_line(g, "past%d:;", label);
    }
}

// Loops that are not canonical.
static void odd_loop(struct gen *g)
{
    if (g->work * 4 > g->work_limit) {
        return;
    }
    int n = g->name_count++;
    bool was_for = g->in_for_body;
    g->in_for_body = false;
    g->work *= 4;
    switch (gen_random(g, 5)) {
    case 3:
        gen_open(g, "for (unsigned y%d = 4; y%d-- > 0;) {", n, n);
        scoped(g, 1);
        break;
    case 0:
        gen_open(g, "for (float y%d = 0; y%d < 2; y%d += 0.5f) {", n, n, n);
        scoped(g, 1);
        break;
    case 1:
        gen_line(g, "int y%d = 0;", n);
        gen_open(g, "for (;;) {");
        gen_line(g, "if (y%d++ >= 3 || %s) break;", n, gen_condition(g, 0));
        scoped(g, 1);
        break;
    case 2:
        gen_open(g, "for (int y%d = 0; y%d < 6; y%d++) {", n, n, n);
        gen_line(g, "if (%s) y%d++;", gen_condition(g, 0), n);
        scoped(g, 1);
        break;
    default:
        gen_line(g, "int y%d = 4;", n);
        gen_open(g, "for (int z%d = 0; z%d < y%d; z%d++) {", n, n, n, n);
        gen_line(g, "if (%s) y%d--;", gen_condition(g, 0), n);
        scoped(g, 1);
        break;
    }
    gen_close(g);
    g->work /= 4;
    g->in_for_body = was_for;
}

// Each array and scalar that may be written belongs to one block.
void gen_blocks(struct gen *g)
{
    int count = 2 + (int)gen_random(g, 2);
    bool was_for = g->in_for_body;
    int was_break = g->break_depth;
    g->in_for_body = false; // nothing jumps across a block's edge
    g->break_depth = 0;
    for (int i = 0; i < g->array_count; i++) {
        g->arrays[i].group = gen_chance(g, 30) || g->arrays[i].is_const ? 0 : 1 + (int)gen_random(g, (uint32_t)count);
    }
    for (int i = 0; i < g->scalar_count; i++) {
        g->scalars[i].group = g->scalars[i].is_fixed ? 0 : 1 + (int)gen_random(g, (uint32_t)count);
    }
    for (int k = 1; k <= count; k++) {
        if (k > 1 && gen_chance(g, 10)) {
            gen_line(g, "#pragma rill in_order");
        }
        gen_open(g, "stream_parallel {");
        g->group = k;
        scoped(g, 1 + (int)gen_random(g, 2));
        g->group = 0;
        gen_close(g);
    }
    g->in_for_body = was_for;
    g->break_depth = was_break;
    gen_line(g, ";"); // ends the region
    for (int i = 0; i < g->array_count; i++) {
        g->arrays[i].group = 0;
    }
    for (int i = 0; i < g->scalar_count; i++) {
        g->scalars[i].group = 0;
    }
}

static void local_across(struct gen *g)
{
    if (g->array_count + 1 >= GEN_ARRAYS) {
        return;
    }
    enum gen_type type = gen_chance(g, 60) ? GEN_I32 : gen_chance(g, 50) ? GEN_F64 : GEN_I16;
    const char *value = gen_tame(g, type, 1);
    struct gen_array *a = gen_add_array(g, "l", type);
    a->rank = 1;
    a->extents[0] = (struct gen_known){"20", 20};
    a->is_local = true;
    a->group = g->group;
    gen_line(g, "%s %s[20] = {%s};", gen_type_name(type), a->name, value);
}

static void control_statement(struct gen *g)
{
    g->statement_budget--;
    bool may_nest = g->depth < 3 && g->statement_budget > 0;
    uint32_t way = gen_random(g, 100);
    if (g->prefers_locals && way < 60 && gen_locals(g)) {
        return;
    }
    if (g->prefers_patterns && way < 50 && (gen_chance(g, 50) ? gen_scan(g) : gen_list(g))) {
        return;
    }
    if (way < 22 && !g->prefers_helpers && !g->prefers_shapes) {
        gen_nest(g);
    } else if (way < (g->prefers_helpers || g->prefers_shapes ? 65 : 45)) {
        if (!gen_idiom(g)) {
            gen_nest(g);
        }
    } else if (way < 52) {
        gen_declare_scalar(g);
    } else if (way < 55) {
        gen_declare_known(g);
    } else if (way < 58 && g->work * 4 <= g->work_limit) {
        gen_time_nest(g);
    } else if (way < 62 && may_nest && g->work * 3 <= g->work_limit) {
        time_loop(g);
    } else if (way < 70 && may_nest) {
        control_if(g);
    } else if (way < 75 && may_nest) {
        control_while(g);
    } else if (way < 83 && may_nest && g->group == 0 && !g->no_blocks) {
        gen_blocks(g);
    } else if (way < 85) {
        local_across(g);
    } else if (way < 87 && may_nest) {
        uint32_t kind = gen_random(g, 3);
        if (kind == 0) {
            control_switch(g);
        } else if (kind == 1) {
            control_goto(g);
        } else {
            odd_loop(g);
        }
    } else if (way < 89 && g->group == 0 && g->depth > 0) {
        gen_line(g, g->returns ? "if (%s) return %s;" : "if (%s) return;", gen_condition(g, 1),
                 gen_tame(g, g->return_type, 1));
    } else if (way < 96) {
        int kept = g->loop_depth;
        g->loop_depth = 3; // no loops: those are nests
        gen_statement(g);
        g->loop_depth = kept;
    } else {
        gen_nest(g);
    }
}

void gen_control(struct gen *g, int count)
{
    for (int i = 0; i < count; i++) {
        control_statement(g);
    }
}
