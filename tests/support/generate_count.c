// Loops whose counters are near the limits of their types, change places with their bounds, or are used up by the body.
#include "generate_internal.h"

static const struct head {
    const char *type;
    const char *start;
    const char *end; // after the counter's name, as the step
    const char *step;
    const char *place; // the iteration's number, from 0 on; %s is the counter
    int trips;
} heads[] = {
    {"long", "LONG_MAX - 9", "< LONG_MAX", "++", "%s - (LONG_MAX - 9)", 9},
    {"long", "LONG_MIN + 8", "> LONG_MIN", "--", "LONG_MIN + 8 - %s", 8},
    {"long", "LONG_MIN", "<= LONG_MIN + 6", "++", "%s - LONG_MIN", 7},
    {"long", "LONG_MIN", "< LONG_MIN + 13", " += 3", "(%s - LONG_MIN) / 3", 5},
    {"unsigned long", "ULONG_MAX - 7", "!= ULONG_MAX", "++", "%s - (ULONG_MAX - 7)", 7},
    {"unsigned long", "ULONG_MAX", "> ULONG_MAX - 6", "--", "ULONG_MAX - %s", 6},
    {"unsigned long", "(1ul << 63) - 3", "< (1ul << 63) + 3", "++", "%s - ((1ul << 63) - 3)", 6},
    {"int", "INT_MAX - 9", "< INT_MAX - 1", "++", "%s - (INT_MAX - 9)", 8},
    {"int", "INT_MIN + 7", ">= INT_MIN + 1", "--", "INT_MIN + 7 - %s", 7},
    {"int", "-4", "<= 4", "++", "%s + 4", 9},
    {"int", "11", "> -1", " -= 2", "(11 - %s) / 2", 6},
    {"int", "-11", "!= 0", "++", "%s + 11", 11},
    {"unsigned", "UINT_MAX - 8", "< UINT_MAX", "++", "%s - (UINT_MAX - 8)", 8},
    {"unsigned", "UINT_MAX - 10", "<= UINT_MAX - 2", " += 2", "(%s - (UINT_MAX - 10)) / 2", 5},
    {"unsigned", "7", "> 0", "--", "7 - %s", 7},
    {"unsigned", "9", ">= 1", " -= 1", "9 - %s", 9},
    {"unsigned", "0x7ffffffdu", "< 0x80000003u", "++", "%s - 0x7ffffffdu", 6},
    {"short", "32757", "< 32767", "++", "%s - 32757", 10},
    {"short", "-32760", "> -32768", "--", "-32760 - %s", 8},
    {"short", "-5", "< 6", " += 3", "(%s + 5) / 3", 4},
    {"unsigned short", "65530", "<= 65534", "++", "%s - 65530", 5},
    {"unsigned short", "65535", "!= 65528", "--", "65535 - %s", 7},
    {"signed char", "118", "< 127", "++", "%s - 118", 9},
    {"signed char", "-120", ">= -127", "--", "-120 - %s", 8},
    {"signed char", "-128", "!= -120", "++", "%s + 128", 8},
    {"unsigned char", "245", "< 255", "++", "%s - 245", 10},
    {"unsigned char", "255", "> 246", " -= 3", "(255 - %s) / 3", 3},
    {"char", "120", "<= 126", "++", "%s - 120", 7},
    {"size_t", "0", "< sizeof(int[9])", " += sizeof(int)", "%s / sizeof(int)", 9},
    {"long long", "-(1ll << 40)", "< -(1ll << 40) + 7", "++", "%s + (1ll << 40)", 7},
};

bool gen_limits(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 12);
    if (a == NULL || g->work * 12 > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const struct head *h = &heads[gen_random(g, sizeof heads / sizeof heads[0])];
    const char *c = gen_text(g, "c%d", n);
    bool is_outside = gen_chance(g, 30), is_inline = gen_chance(g, 50);
    struct gen_scalar *out = is_outside ? gen_choose_scalar(g, false, true) : NULL;
    const char *i = gen_push_counter(g, 0, h->trips - 1);
    gen_begin(g, a, NULL);
    if (is_outside) {
        gen_line(g, "%s %s = 1;", h->type, c);
    }
    gen_open(g, "for (%s%s%s = %s; %s %s; %s%s) {", is_outside ? "" : h->type, is_outside ? "" : " ", c, h->start, c,
             h->end, c, h->step);
    // The place's format is one of the table's own.
    struct str place;
    str_init(&place, g->out->arena);
    for (const char *p = h->place; *p != '\0'; p++) {
        if (p[0] == '%' && p[1] == 's') {
            str_add(&place, c);
            p++;
        } else {
            str_add_char(&place, *p);
        }
    }
    gen_line(g, "%s %s = %s;", gen_chance(g, 50) ? "int" : "long", i, str_text(&place));
    const char *at = is_inline ? str_text(&place) : i;
    switch (gen_random(g, 4)) {
    case 0: gen_line(g, "%s[%s] = %s;", a->name, at, gen_value(g, a->type, 2)); break;
    case 1: gen_line(g, "%s[%d - (%s)] = %s;", a->name, h->trips, at, gen_value(g, a->type, 1)); break;
    case 2:
        gen_line(g, "if (%s) continue;", gen_condition(g, 1));
        gen_line(g, "%s[(%s) + 1] = %s;", a->name, at, gen_value(g, a->type, 1));
        break;
    default: gen_line(g, "%s[%s] = %s;", a->name, i, gen_tame(g, a->type, 2)); break;
    }
    gen_reduction(g);
    gen_close(g);
    gen_end(g, kept);
    if (out != NULL && out->is_set) {
        gen_line(g, "%s ^= %s;", out->name, c);
    }
    return true;
}

// A while, do or endless loop in each iteration, left and gone on with in the middle.
bool gen_inner_while(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 3);
    if (a == NULL || g->work * gen_trips_of(g, a) * 6 > 4 * g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, a, NULL);
    bool is_outside = gen_chance(g, 30);
    if (is_outside) {
        gen_line(g, "int k%d, s%d;", n, n);
    }
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, gen_trips_of(g, a), i);
    gen_line(g, "%sk%d = %s & 3%c s%d = %s;", is_outside ? "" : "int ", n, i, is_outside ? ';' : ',', n, gen_int(g, 1));
    uint32_t way = gen_random(g, 5);
    switch (way) {
    case 0: gen_open(g, "while (k%d++ < 6) {", n); break;
    case 1: gen_open(g, "do {"); break;
    case 2: gen_open(g, "for (;;) {"); break;
    case 3: gen_open(g, "for (; k%d < 9; k%d += 2) {", n, n); break;
    default:
        gen_line(g, "again%d:", n);
        gen_open(g, "{");
        break;
    }
    if (way == 2) {
        gen_line(g, "if (k%d++ > 5) break;", n);
    } else if (way == 1 || way == 4) {
        gen_line(g, "k%d++;", n);
    }
    if (way < 4 && gen_chance(g, 50)) {
        gen_line(g, "if ((s%d & 3) == 1) { s%d += k%d; continue; }", n, n, n);
    }
    gen_line(g, "s%d = s%d * 3 + %s;", n, n, gen_int(g, 1));
    if (way < 4 && gen_chance(g, 60)) {
        gen_line(g, "if (s%d %% 5 == 2) break;", n);
    }
    if (gen_chance(g, 30)) {
        gen_line(g, "switch (s%d & 3) { case 0: s%d++; case 1: s%d -= k%d; break; case 3: s%d ^= 5; default: s%d--; }",
                 n, n, n, n, n, n);
    }
    if (way == 1) {
        g->indent--;
        gen_line(g, "} while (k%d < 5 && s%d != 7);", n, n);
    } else {
        gen_close(g);
    }
    if (way == 4) {
        gen_line(g, "if (k%d < 4 && s%d %% 3 != 0) goto again%d;", n, n, n);
    }
    gen_line(g, "%s[%s] = %s(s%d + k%d);", a->name, i,
             a->type == GEN_F64      ? "TD"
             : gen_is_float(a->type) ? "TF"
                                     : "",
             n, n);
    gen_close(g);
    gen_end(g, kept);
    if (is_outside && gen_chance(g, 60)) {
        gen_line(g, "%s[0] = %s(s%d - k%d);", a->name,
                 a->type == GEN_F64      ? "TD"
                 : gen_is_float(a->type) ? "TF"
                                         : "",
                 n, n);
    }
    return true;
}

// Side effects on the way: in conditions, arguments, indices, and only where && || ?: go.
bool gen_side_effects(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 6);
    struct gen_scalar *out = gen_choose_scalar(g, false, true);
    if (a == NULL || out == NULL || !out->is_set) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const char *type = gen_type_name(a->type);
    const char *m = a->type == GEN_F64 ? "TD" : gen_is_float(a->type) ? "TF" : "";
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 3);
    gen_begin(g, a, NULL);
    bool is_outside = gen_chance(g, 40);
    if (is_outside) {
        gen_line(g, "int x%d = 1, y%d = 2;", n, n);
    }
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, gen_trips_of(g, a) - 2, i);
    gen_line(g, is_outside ? "x%d = %s, y%d = 3;" : "int x%d = %s, y%d = 3;", n, i, n);
    for (uint32_t k = 1 + gen_random(g, 3); k > 0; k--) {
        switch (gen_random(g, 9)) {
        case 0: gen_line(g, "if (x%d++ > 3 && y%d-- > 0) x%d += %s;", n, n, n, gen_int(g, 1)); break;
        case 1: gen_line(g, "y%d = (x%d += 2, x%d * %s);", n, n, n, gen_int(g, 1)); break;
        case 2: gen_line(g, "x%d = %s ? y%d++ : --y%d;", n, gen_condition(g, 1), n, n); break;
        case 3: gen_line(g, "(%s || (y%d = %s)) && (x%d ^= y%d);", gen_condition(g, 1), n, gen_int(g, 1), n, n); break;
        case 4: gen_line(g, "y%d += mixi(x%d++, %s);", n, n, gen_int(g, 1)); break;
        case 5: gen_line(g, "*(%s ? &x%d : &y%d) = %s;", gen_condition(g, 1), n, n, gen_int(g, 1)); break;
        case 6: gen_line(g, "x%d <<= 1, y%d >>= x%d & 3, x%d %%= 1000;", n, n, n, n); break;
        case 7: gen_line(g, "y%d = x%d = (short)(%s);", n, n, gen_int(g, 1)); break;
        default: gen_line(g, "x%d = !x%d + ~y%d - -y%d;", n, n, n, n); break;
        }
    }
    switch (gen_random(g, 4)) {
    case 0: gen_line(g, "%s[%s] = %s(x%d - y%d);", a->name, i, m, n, n); break;
    case 1:
        gen_line(g, "int at%d = %s;", n, i);
        gen_line(g, "%s[at%d++] = %s(x%d);", a->name, n, m, n);
        gen_line(g, "if (%s) %s[at%d] = %s(y%d);", gen_condition(g, 1), a->name, n, m, n);
        break;
    case 2:
        gen_line(g, "%s v%d = (%s[%s] = %s(y%d)) + 1; %s[%s] = %s(v%d);", type, n, a->name, i, m, n, a->name, i, m, n);
        break;
    default: gen_line(g, "%s[%s] = %s(x%d), %s[%s + 2] = %s(y%d);", a->name, i, m, n, a->name, i, m, n); break;
    }
    gen_close(g);
    gen_end(g, kept);
    if (is_outside) {
        gen_line(g, "%s = x%d + y%d;", out->name, n, n);
    }
    return true;
}
