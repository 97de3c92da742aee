// Structs under #pragma pack, bit-fields and unions: as parameters, as fields, and as locals.
//
// Their bytes are arbitrary, so that a float among them is used by way of TF() only.
#include "generate_internal.h"

static const struct layout {
    const char *param; // the parameter's name; its field has an f before
    const char *type;
    int size;
    struct {
        const char *name;
        enum gen_type type;
        bool is_bits; // no address
    } members[8];
    int member_count;
} layouts[] = {
    {"pk",
     "struct pk",
     13,
     {{"a", GEN_I8, false},
      {"b", GEN_I32, true},
      {"c", GEN_U16, true},
      {"d[0]", GEN_I16, true},
      {"d[1]", GEN_I16, true},
      {"e", GEN_BOOL, true},
      {"f", GEN_U8, false}},
     7},
    {"bf",
     "struct bf",
     12,
     {{"a", GEN_I32, true},
      {"b", GEN_U32, true},
      {"c", GEN_I32, true},
      {"d", GEN_U8, false},
      {"e", GEN_U8, true},
      {"f", GEN_U8, true},
      {"g", GEN_I16, false},
      {"h", GEN_I32, false}},
     8},
    {"un",
     "union un",
     8,
     {{"i", GEN_I32, false},
      {"u", GEN_U64, false},
      {"h[0]", GEN_I16, false},
      {"h[3]", GEN_I16, false},
      {"b[1]", GEN_U8, false},
      {"b[6]", GEN_U8, false},
      {"s.x", GEN_U32, false},
      {"s.y", GEN_I32, true}},
     8},
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0], COUNT = 24 };

void gen_layout_buffers(struct gen *g)
{
    for (int i = 0; i < LAYOUTS; i++) {
        gen_line(g, "//@ buffer %s bytes %d range 0 %d", layouts[i].param, (COUNT + 4) * layouts[i].size,
                 i == 0 ? 1 : 255);
    }
}

// A second parameter of the same type means the same memory, or some elements farther on.
void gen_layout_args(struct gen *g)
{
    for (int i = 0; i < LAYOUTS; i++) {
        for (int k = 0; k < 2; k++) {
            int offset = k == 0 ? 0 : g->layout_offset;
            gen_line(g, "//@ array %s %d %d", layouts[i].param, offset * layouts[i].size, COUNT * layouts[i].size);
        }
    }
}

void gen_layout_types(struct gen *g)
{
    gen_line(g, "#pragma pack(push, 1)");
    gen_line(g, "struct pk { signed char a; int b; unsigned short c; short d[2]; _Bool e; unsigned char f; };");
    gen_line(g, "#pragma pack(pop)");
    gen_line(
        g, "struct bf { int a : 7; unsigned b : 12; int c : 13; unsigned char d; unsigned char e : 3, f : 5; short g; "
           "int h; };");
    gen_line(
        g,
        "union un { int i; unsigned long u; short h[4]; unsigned char b[8]; struct { unsigned x; int y : 20; int z : "
        "12; } s; float f; };");
    gen_line(g, "static int pk_sum(const struct pk *p) { return p->a + p->b * 3 - p->c + p->d[1] * p->e; }");
    gen_line(g, "static void pk_set(struct pk *p, int k) { p->b = k; if (k & 1) p->d[1] = (short)(k >> 1); else "
                "p->d[0] = (short)(k >> 1); p->e = k & 4; }");
    gen_line(
        g, "static struct bf bf_mix(struct bf x, struct bf y) { x.a ^= y.c; x.b += y.b; x.f--; y.h -= x.a; x.h = y.h; "
           "return x; }");
    gen_line(
        g, "static unsigned long un_turn(union un u) { union un v; v.u = 0; v.h[3] = u.h[0]; v.b[1] = u.b[6]; v.s.x += "
           "u.s.x; return v.u; }");
    for (int i = 0; i < LAYOUTS; i++) {
        gen_line(g, "%s f%s[%d];", layouts[i].type, layouts[i].param, COUNT);
    }
}

const char *gen_layout_params(struct gen *g)
{
    return gen_text(g,
                    ", struct pk pk[%d], struct pk *qk, struct bf bf[%d], struct bf *qf, union un un[%d], union un *qn",
                    COUNT, COUNT, COUNT);
}

// One of the three arrays of a layout: the two parameters, the field.
static const char *array_of(struct gen *g, const struct layout *l)
{
    uint32_t way = gen_random(g, 10);
    return way < 6 ? l->param : way < 8 ? gen_text(g, "q%c", l->param[1]) : gen_text(g, "f%s", l->param);
}

static const char *index_of(struct gen *g, const char *i)
{
    const struct gen_known extent = {"24", COUNT};
    return gen_chance(g, 80) ? i : gen_index(g, &extent, true);
}

static const char *place_of(struct gen *g, const struct layout *l, const char *base, enum gen_type *out_type,
                            bool *out_bits)
{
    uint32_t k = gen_random(g, (uint32_t)l->member_count);
    *out_type = l->members[k].type;
    *out_bits = l->members[k].is_bits;
    return gen_text(g, "%s.%s", base, l->members[k].name);
}

static void change_member(struct gen *g, const struct layout *l, const char *base)
{
    static const char *const ops[] = {"+=", "-=", "*=", "|=", "^=", "&=", ">>="};
    enum gen_type type, other;
    bool is_bits;
    const char *place = place_of(g, l, base, &type, &is_bits);
    const char *read = place_of(g, l, base, &other, &is_bits);
    switch (gen_random(g, 8)) {
    case 0:
    case 1: gen_line(g, "%s = %s;", place, gen_int(g, 2)); break;
    case 2: gen_line(g, "%s = %s + %s;", place, read, gen_int(g, 1)); break;
    case 3: {
        uint32_t k = gen_random(g, 7);
        gen_line(g, "%s %s %s;", place, ops[k], k == 6 ? "1" : gen_int(g, 1));
        break;
    }
    case 4: gen_line(g, type == GEN_BOOL ? "%s = !%s;" : "%s++;", place, place); break;
    case 5: gen_line(g, "%s = (%s = %s, %s - 3);", place, read, gen_int(g, 1), read); break;
    case 6:
        if (type == GEN_BOOL) {
            place = gen_text(g, "%s.%s", base, l->members[0].name);
        }
        gen_line(g, "%s++ && (%s ^= %s);", place, read, gen_int(g, 1));
        break;
    default: gen_line(g, "if (%s > %s) %s = %s;", read, gen_int(g, 1), place, read); break;
    }
}

static void change_whole(struct gen *g, const struct layout *l, const char *at, const char *from, int n)
{
    switch (gen_random(g, 6)) {
    case 0: gen_line(g, "%s = %s;", at, from); break;
    case 1:
        gen_line(g, "%s t%d = %s;", l->type, n, from);
        change_member(g, l, gen_text(g, "t%d", n));
        change_member(g, l, gen_text(g, "t%d", n));
        gen_line(g, "%s = t%d;", at, n);
        break;
    case 2:
        gen_line(g, "%s *p%d = &%s;", l->type, n, at);
        change_member(g, l, gen_text(g, "(*p%d)", n));
        change_member(g, l, gen_text(g, "p%d[0]", n));
        break;
    case 3: gen_line(g, "memmove(&%s, &%s, sizeof(%s));", at, from, l->type); break;
    case 4:
        if (l == &layouts[0]) {
            gen_line(g, "pk_set(&%s, %s + pk_sum(&%s));", at, gen_int(g, 1), from);
        } else if (l == &layouts[1]) {
            gen_line(g, "%s = bf_mix(%s, %s);", at, at, from);
        } else {
            gen_line(g, "%s.u = un_turn(%s);", at, from);
        }
        break;
    default:
        if (l == &layouts[0]) {
            gen_line(g, "%s = (struct pk){.b = %s, .d = {[1] = 3}};", at, gen_int(g, 1));
        } else if (l == &layouts[1]) {
            gen_line(g, "%s = (struct bf){%s, .h = %s};", at, gen_int(g, 1), gen_int(g, 1));
        } else {
            gen_line(g, "%s.f = %s;", at, gen_tame(g, GEN_F32, 1));
        }
        break;
    }
}

// A loop, perhaps two deep, over the elements of one layout or of two.
bool gen_layout_loop(struct gen *g)
{
    if (!g->has_layouts || g->group > 0 || g->work * COUNT > g->work_limit) {
        return false;
    }
    int kept = g->scalar_count;
    const struct layout *l = &layouts[gen_random(g, LAYOUTS)];
    const char *i = gen_push_counter(g, 0, COUNT - 2);
    gen_begin(g, NULL, NULL);
    struct gen_scalar *sum = gen_chance(g, 30) ? gen_choose_scalar(g, false, true) : NULL;
    gen_open(g, "for (int %s = 0; %s < %d; %s++) {", i, i, COUNT - 1, i);
    for (uint32_t k = 1 + gen_random(g, 3); k > 0; k--) {
        const char *at = gen_text(g, "%s[%s]", array_of(g, l), index_of(g, i));
        if (gen_chance(g, 60)) {
            change_member(g, l, at);
        } else {
            const char *from = gen_chance(g, 70) ? gen_text(g, "%s[%s]", array_of(g, l), index_of(g, i)) : at;
            change_whole(g, l, at, from, g->name_count++);
        }
        if (gen_chance(g, 25)) {
            l = &layouts[gen_random(g, LAYOUTS)];
        }
    }
    if (sum != NULL && sum->is_set) {
        enum gen_type type;
        bool is_bits;
        gen_line(g, "%s += %s;", sum->name, place_of(g, l, gen_text(g, "%s[%s]", l->param, i), &type, &is_bits));
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

// All iterations update one member, or members of a few elements.
bool gen_layout_updates(struct gen *g)
{
    if (!g->has_layouts || g->group > 0 || g->work * COUNT > g->work_limit) {
        return false;
    }
    static const char *const ops[] = {"+=", "-=", "|=", "^=", "&="};
    int kept = g->scalar_count;
    const struct layout *l = &layouts[gen_random(g, LAYOUTS)];
    const char *i = gen_push_counter(g, 0, COUNT - 1);
    gen_begin(g, NULL, NULL);
    enum gen_type type;
    bool is_bits;
    const char *base = array_of(g, l);
    uint32_t way = gen_random(g, 4);
    const char *at = way == 0   ? "3"
                     : way == 1 ? gen_text(g, "%s & 3", i)
                     : way == 2 ? gen_text(g, "%s / 2", i)
                                : gen_text(g, "(%s * 7) %% 24", i);
    const char *place = place_of(g, l, gen_text(g, "%s[%s]", base, at), &type, &is_bits);
    if (type == GEN_BOOL) {
        place = gen_text(g, "%s[%s].%s", base, at, l->members[0].name);
    }
    const char *op = ops[gen_random(g, 5)];
    gen_open(g, "for (int %s = 0; %s < %d; %s++) {", i, i, COUNT, i);
    gen_line(g, "%s %s %s;", place, op, gen_int(g, 1));
    if (gen_chance(g, 30)) {
        gen_line(g, "%s %s %s;", place_of(g, l, gen_text(g, "%s[%s]", base, at), &type, &is_bits), op, i);
    }
    gen_close(g);
    gen_end(g, kept);
    return true;
}

// A local of a layout: outside the loop that fills it, or carried through it.
bool gen_layout_local(struct gen *g)
{
    struct gen_array *a = gen_find_array(g, 1, true, 2);
    if (!g->has_layouts || a == NULL || gen_is_float(a->type)) {
        return false;
    }
    int kept = g->scalar_count;
    int n = g->name_count++;
    const struct layout *l = &layouts[gen_random(g, LAYOUTS)];
    const char *local = gen_text(g, "t%d", n);
    const char *i = gen_push_counter(g, 0, gen_trips_of(g, a) - 1);
    gen_begin(g, a, NULL);
    bool is_filled = gen_chance(g, 60);
    gen_line(g, "%s %s = {0};", l->type, local);
    gen_open(g, "for (int %s = 0; %s < %ld; %s++) {", i, i, gen_trips_of(g, a), i);
    if (is_filled) {
        gen_line(g, l == &layouts[2] ? "%s.u = %s;" : "%s = %s;", local,
                 l == &layouts[2] ? gen_int(g, 1) : gen_text(g, "(%s){%s}", l->type, gen_int(g, 1)));
    }
    for (uint32_t k = 1 + gen_random(g, 3); k > 0; k--) {
        change_member(g, l, local);
    }
    enum gen_type type;
    bool is_bits;
    gen_line(g, "%s[%s] = %s;", a->name, i, place_of(g, l, local, &type, &is_bits));
    gen_close(g);
    gen_end(g, kept);
    if (gen_chance(g, 40)) {
        gen_line(g, "%s[0] = %s;", a->name, place_of(g, l, local, &type, &is_bits));
    }
    return true;
}
