#include "generate_grammar.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *c_name;
    const char *differ_name;
    int size;
} types[] = {
#define GEN_TYPE_ENTRY(name, c_name, text, size) {c_name, text, size},
    GEN_TYPE_LIST(GEN_TYPE_ENTRY)
#undef GEN_TYPE_ENTRY
};

uint32_t gen_random(struct gen *g, uint32_t below)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = g->state ^ (g->state >> 29);
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return below == 0 ? 0 : (uint32_t)((x >> 33) % below);
}

bool gen_chance(struct gen *g, uint32_t percent)
{
    return gen_random(g, 100) < percent;
}

bool gen_is_float(enum gen_type type)
{
    return type == GEN_F32 || type == GEN_F64;
}

const char *gen_type_name(enum gen_type type)
{
    return types[type].c_name;
}

static void write_line(struct gen *g, const char *format, va_list args)
{
    for (int i = 0; i < g->indent; i++) {
        str_add(g->out, "    ");
    }
    str_add(g->out, arena_vprintf(g->out->arena, format, args));
    str_add_char(g->out, '\n');
}

void gen_line(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line(g, format, args);
    va_end(args);
}

void gen_open(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line(g, format, args);
    va_end(args);
    g->indent++;
}

void gen_close(struct gen *g)
{
    g->indent--;
    gen_line(g, "}");
}

struct gen_scalar *gen_add_scalar(struct gen *g, const char *prefix, enum gen_type type)
{
    struct gen_scalar *s = &g->scalars[g->scalar_count++];
    *s = (struct gen_scalar){.type = type, .group = g->group};
    snprintf(s->name, sizeof s->name, "%s%d", prefix, g->name_count++);
    return s;
}

struct gen_array *gen_add_array(struct gen *g, const char *prefix, enum gen_type type)
{
    struct gen_array *a = &g->arrays[g->array_count++];
    *a = (struct gen_array){.type = type, .group = g->group};
    snprintf(a->name, sizeof a->name, "%s%d", prefix, g->name_count++);
    return a;
}

// ---- the arguments
// -------------------------------------------------------------------------------------------------------------------

static void add_known(struct gen *g, const char *name, enum gen_type type, long value)
{
    struct gen_scalar *s = gen_add_scalar(g, "", type);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->is_fixed = s->is_known = s->is_set = true;
    s->low = s->high = value;
}

static struct gen_known extent_of(struct gen *g, long limit)
{
    for (int i = 0; i < 10; i++) {
        const struct gen_scalar *s = &g->scalars[gen_random(g, 2)]; // n and m
        struct gen_known known;
        uint32_t way = gen_random(g, 8);
        known.value = way < 5 ? s->low : way < 6 ? s->low + 2 : way < 7 ? 2 * s->low + 1 : s->low * g->scalars[1].low;
        snprintf(known.text, sizeof known.text,
                 way < 5   ? "%s"
                 : way < 6 ? "%s + 2"
                 : way < 7 ? "2 * %s + 1"
                           : "%s * m",
                 s->name);
        if (way >= 5) {
            char text[GEN_NAME];
            snprintf(text, sizeof text, "(%.20s)", known.text);
            snprintf(known.text, sizeof known.text, "%s", text);
        }
        if (known.value <= limit && known.value >= 1) {
            return known;
        }
    }
    return (struct gen_known){"6", 6};
}

static long element_count(const struct gen_array *a)
{
    long count = 1;
    for (int i = 0; i < a->rank; i++) {
        count *= a->extents[i].value;
    }
    return count;
}

static void choose_shape(struct gen *g, struct gen_array *a)
{
    uint32_t way = gen_random(g, 10);
    a->rank = way < 6 ? 1 : way < 9 ? 2 : 3;
    long limit = g->is_huge ? 100000 : 12000;
    for (int i = 0; i < a->rank; i++) {
        a->extents[i] = extent_of(g, limit);
        limit /= a->extents[i].value;
    }
}

static void add_param_array(struct gen *g)
{
    bool is_first = g->prefers_helpers && g->array_count == 0;
    enum gen_type type = gen_chance(g, 30) || is_first ? GEN_I32 : (enum gen_type)gen_random(g, GEN_TYPES);
    if (type == GEN_RECORD && (!g->has_records || g->is_huge)) {
        type = GEN_F32;
    }
    struct gen_array *a = gen_add_array(g, "a", type);
    choose_shape(g, a);
    a->is_const = gen_chance(g, 20) && !is_first;
    snprintf(a->buffer, sizeof a->buffer, "b%d", g->array_count);
    // The same memory as an earlier one, or a part of it.
    for (int i = 0; i < g->array_count - 1 && gen_chance(g, 40); i++) {
        const struct gen_array *other = &g->arrays[i];
        if (other->type == type && other->limit == 0 && !other->is_perm && !other->is_field) {
            memcpy(a->buffer, other->buffer, sizeof a->buffer);
            a->is_mixed = other->is_mixed;
            a->offset = gen_chance(g, 40) ? other->offset : (long)gen_random(g, (uint32_t)element_count(other) + 1);
            break;
        }
    }
}

// Integers that are seen as another type of integers elsewhere.
static void mix_types(struct gen *g)
{
    struct gen_array *a = &g->arrays[g->array_count - 1];
    for (int i = 0; i < g->array_count - 1; i++) {
        struct gen_array *other = &g->arrays[i];
        if (a->type < GEN_F32 && other->type < GEN_F32 && other->offset == 0 && !other->is_perm && other->limit == 0 &&
            a->offset == 0 && other->type != a->type) {
            for (int k = 0; k < g->array_count; k++) {
                g->arrays[k].is_mixed |= strcmp(g->arrays[k].buffer, other->buffer) == 0;
            }
            memcpy(a->buffer, other->buffer, sizeof a->buffer);
            a->offset = (long)gen_random(g, (uint32_t)element_count(other) + 1);
            a->is_mixed = true;
            return;
        }
    }
}

static void add_index_array(struct gen *g, bool is_perm)
{
    struct gen_array *a = gen_add_array(g, is_perm ? "p" : "q", is_perm ? GEN_I32 : GEN_U8);
    a->rank = 1;
    a->extents[0] = extent_of(g, 6000);
    a->is_perm = is_perm;
    a->is_const = true;
    a->limit = is_perm ? 0 : 1 + (long)gen_random(g, 8);
    snprintf(a->buffer, sizeof a->buffer, "b%d", g->array_count);
}

static void add_special_array(struct gen *g)
{
    struct gen_array *a = gen_add_array(g, "s", gen_chance(g, 50) ? GEN_F32 : GEN_F64);
    a->rank = 1;
    a->extents[0] = extent_of(g, 6000);
    a->is_special = true;
    a->is_const = true;
    snprintf(a->buffer, sizeof a->buffer, "b%d", g->array_count);
}

static void add_fields(struct gen *g)
{
    for (uint32_t i = gen_random(g, 3); i > 0; i--) {
        struct gen_array *a = gen_add_array(g, "f", (enum gen_type)gen_random(g, GEN_RECORD));
        a->is_field = true;
        a->rank = 1;
        a->extents[0] = gen_chance(g, 60) ? (struct gen_known){"16", 16} : (struct gen_known){"1", 1};
        a->rank = a->extents[0].value == 1 && gen_chance(g, 70) ? 0 : 1; // a scalar
    }
}

// Arrays that the launch lends. They are full before anything else happens.
static void add_own_arrays(struct gen *g)
{
    for (uint32_t i = 1 + gen_random(g, 3); i > 0; i--) {
        struct gen_array *a = gen_add_array(g, "o", (enum gen_type)gen_random(g, GEN_RECORD));
        choose_shape(g, a);
        a->is_own = true;
    }
}

static void declare_own_arrays(struct gen *g)
{
    for (int i = 0; i < g->array_count; i++) {
        const struct gen_array *a = &g->arrays[i];
        if (!a->is_own) {
            continue;
        }
        struct str shape, loops, place;
        str_init(&shape, g->out->arena);
        str_init(&loops, g->out->arena);
        str_init(&place, g->out->arena);
        for (int k = 0; k < a->rank; k++) {
            str_printf(&shape, "[%s]", a->extents[k].text);
            str_printf(&loops, "for (long i%d = 0; i%d < %s; i%d++) ", k, k, a->extents[k].text, k);
            str_printf(&place, "[i%d]", k);
        }
        gen_line(g, "%s %s%s;", gen_type_name(a->type), a->name, str_text(&shape));
        gen_line(g, "%s%s%s = (%s)((i0 * 7 + %d) & %d);", str_text(&loops), a->name, str_text(&place),
                 gen_type_name(a->type), i, a->type == GEN_BOOL ? 1 : 15);
    }
}

// The memory behind the arrays: each buffer is as large as the array that reaches farthest.
static void write_buffers(struct gen *g)
{
    if (g->has_struct_param) {
        gen_line(g, "//@ buffer ps bytes 12 points 0 0");
    }
    if (g->has_layouts) {
        gen_layout_buffers(g);
    }
    for (int i = 0; i < g->array_count; i++) {
        const struct gen_array *a = &g->arrays[i];
        bool is_first = !a->is_field && !a->is_own;
        long count = 0;
        for (int k = 0; k < g->array_count; k++) {
            const struct gen_array *b = &g->arrays[k];
            if (b->is_field || b->is_own || strcmp(a->buffer, b->buffer) != 0) {
                continue;
            }
            is_first = is_first && k >= i;
            long end = (b->offset + element_count(b)) * (b->is_mixed ? types[b->type].size : 1);
            count = end > count ? end : count;
        }
        if (!is_first) {
            continue;
        }
        long element = a->type == GEN_RECORD ? 12 : 1;
        if (a->is_mixed) {
            gen_line(g, "//@ buffer %s bytes %ld range 0 255", a->buffer, count);
        } else if (a->is_special) {
            gen_line(g, "//@ buffer %s %s %ld special -9 9", a->buffer, types[a->type].differ_name, count);
        } else if (a->is_perm) {
            gen_line(g, "//@ buffer %s i32 %ld perm 0 0", a->buffer, count);
        } else if (a->type == GEN_RECORD) {
            gen_line(g, "//@ buffer %s bytes %ld points 0 0", a->buffer, count * element);
        } else if (a->limit > 0) {
            gen_line(g, "//@ buffer %s u8 %ld range 0 %ld", a->buffer, count, a->limit - 1);
        } else {
            bool is_float = gen_is_float(a->type);
            long low = a->type == GEN_BOOL ? 0 : is_float ? -8 : -100;
            gen_line(g, "//@ buffer %s %s %ld range %ld %ld", a->buffer, types[a->type].differ_name, count * element,
                     low,
                     a->type == GEN_BOOL ? 1L
                     : is_float          ? 8L
                                         : 60L);
        }
    }
}

static void write_args(struct gen *g)
{
    if (g->has_struct_param) {
        gen_line(g, "//@ struct ps");
    }
    for (int i = 0; i < g->scalar_count; i++) {
        const struct gen_scalar *s = &g->scalars[i];
        if (gen_is_float(s->type)) {
            gen_line(g, "//@ float %ld", s->low);
        } else {
            gen_line(g, "//@ int %ld", s->low);
        }
    }
    for (int i = 0; i < g->array_count; i++) {
        const struct gen_array *a = &g->arrays[i];
        long element = a->type == GEN_RECORD ? 12 : a->is_mixed ? types[a->type].size : 1;
        if (!a->is_field && !a->is_own) {
            gen_line(g, "//@ array %s %ld %ld", a->buffer, a->offset * element, element_count(a) * element);
        }
    }
    if (g->has_layouts) {
        gen_layout_args(g);
    }
}

static void write_helpers(struct gen *g)
{
    gen_line(g, "#include <rill/kernel.h>");
    gen_line(g, "#include <limits.h>");
    gen_line(g, "#include <stddef.h>");
    gen_line(g, "#include <stdio.h>");
    gen_line(g, "#include <string.h>");
    gen_line(g, "#define TF(e) ((float)((int)(e) & 15) - 8)");
    gen_line(g, "#define TD(e) ((double)((int)(e) & 15) - 8)");
    gen_line(g, "struct pt { int a; float b; short c[2]; };");
    gen_line(g, "static int mixi(int a, int b) { return a * 31 + (b ^ (a >> 3)); }");
    gen_line(g, "static float mixf(float x, int k) { return k & 1 ? x * 0.5f : x + 1.0f; }");
    gen_line(g, "static int steps(int k) { int s = 1; for (int i = 0; i < k; i++) s = s * 3 + i; return s; }");
    gen_line(g, "static int pick(int k) { switch (k & 3) { case 0: return 5; case 1: return k; } return -k; }");
    gen_line(g, "static const short primes[8] = {2, 3, 5, 7, 11, 13, [7] = -19};");
    gen_line(g, "static const char name_of[] = \"a\\377z\\0q\";");
    gen_line(
        g, "static int least_of(const int *p, int n) { int s = *p; while (--n > 0) { if (*++p < s) s = *p; } return s; "
           "}");
    gen_line(g,
             "static int rooted(int a, int b) { static const int t[2][2] = {{1, -2}, {3, 4}}; for (int i = 0; i < 3; "
             "i++) { if ((a ^ i) == b) return i; b = t[a & 1][i & 1] - (b >> 1); } return b; }");
    gen_line(g, "static void set_to(int *p, int k) { *p = k; }");
    gen_line(g, "static int own_sum(int k) { int t[4], *p = t, u; memset(t, 0, sizeof t); while (p < t + 3) *p++ = k; "
                "set_to(&u, k >> 1); set_to(p, u); return t[k & 3] - t[3]; }");
    gen_line(g, "static void grow(int *p, int k) { *p += k; }");
    gen_line(g, "static void grow_two(int *p, int k) { grow(p, k & 7); if (k & 2) grow(&p[1], -k); }");
    gen_line(g, "static void grow_all(int *p, int k, int n) { for (int i = 0; i < n; i++) *p ^= k + i; }");
    gen_line(g, "static void put_at(int *x, const int *k, int v) { if (v & 1) x[*k] = v; else x[*k] -= v; }");
    gen_line(g, "static void put_in(int *x, const int *k, int v) { put_at(x, k, v + *k); }");
    gen_line(g, "static int sum_of(const struct pt *p, int k) { return p->a + p->c[0] * k - p->c[1]; }");
    gen_line(g, "static void fill_pt(struct pt *p, int k) { p->c[0] = k; p->c[1] = -k; }");
    gen_line(g, "static void grow_pt(struct pt *p, int k) { grow(&p->a, k); }");
    gen_line(g, "static void both(int *x, int k) { if (k & 1) *x = k; else *x += k; }");
    gen_line(g, "static void move_to(int *k, int i, int way) { *k = i; if (way & 1) *k = *k / 2; }");
    gen_line(g, "static void step_by(int *k, int by, int m) { *k += by; if (*k >= m) *k %%= m; }");
    gen_line(g, "static void wind(int *k, int m) { for (int j = 0; j < 3; j++) *k = (*k + j) %% m; }");
    gen_line(g, "static int part_of(const int *k, int way) { if ((way & 7) == 1) return *k / 2; if ((way & 7) == 2) "
                "return 0; if ((way & 7) == 3) return *k / 3; if (way & 8) return *k & ~1; return *k; }");
    gen_line(g, "static void exchange(int *k, int *l) { int t = *k; *k = *l; *l = t; }");
    gen_line(g, "static void place_pt(struct pt *p, int at, int v) { p->a = at; p->c[0] = (short)v; p->c[1] = 1; }");
    gen_line(g, "static void put_pt(int *x, const struct pt *p) { x[p->a] = p->c[0] + p->a * p->c[1]; }");
    gen_line(g, "static void peek(const int *x, int i, int *k, int m) { *k = (int)((unsigned)x[i] %% (unsigned)m); }");
    gen_line(g,
             "static struct pt bump(struct pt p, int k) { p.a += k; p.c[1] -= p.c[0]; p.b = TF(p.b + k); return p; }");
    gen_line(g, "static void split(struct pt *p, int k) { p->c[k & 1] = k; p->b = TF(p->a); }");
    if (g->prefers_locals) {
        gen_local_helpers(g);
    }
    if (g->prefers_patterns) {
        gen_scan_helpers(g);
        gen_list_helpers(g);
    }
    gen_line(g, "kernel void sub_scale(int n, int x[n], const int y[n], int k) { for (int i = 0; i < n; i++) x[i] = "
                "y[i] * k + 1; }");
    gen_line(g, "kernel void sub_shift(int n, int *x, int *y) { for (int i = 0; i < n; i++) x[i] ^= y[i]; }");
    gen_line(
        g, "kernel int sub_sum(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }");
    if (g->has_layouts) {
        gen_layout_types(g);
    }
    for (int i = 0; i < g->array_count; i++) {
        const struct gen_array *a = &g->arrays[i];
        if (a->is_field) {
            const char *form = a->rank == 0              ? "%s %s = 3;"
                               : a->extents[0].value > 1 ? "%s %s[16] = {1, 2};"
                                                         : "%s %s[1] = {3};";
            gen_line(g, form, gen_type_name(a->type), a->name);
        }
    }
}

static bool is_alone(const struct gen *g, const struct gen_array *a)
{
    int count = 0;
    for (int i = 0; i < g->array_count; i++) {
        count += strcmp(g->arrays[i].buffer, a->buffer) == 0;
    }
    return count == 1;
}

static void write_signature(struct gen *g)
{
    struct str text;
    str_init(&text, g->out->arena);
    str_printf(&text, "kernel %s run(%s", g->returns ? gen_type_name(g->return_type) : "void",
               g->has_struct_param ? "struct pt ps, " : "");
    for (int i = 0; i < g->scalar_count; i++) {
        str_printf(&text, "%s%s %s", i > 0 ? ", " : "", gen_type_name(g->scalars[i].type), g->scalars[i].name);
    }
    for (int i = 0; i < g->array_count; i++) {
        const struct gen_array *a = &g->arrays[i];
        if (a->is_field || a->is_own) {
            continue;
        }
        str_printf(&text, ", %s%s %s", a->is_const ? "const " : "", gen_type_name(a->type), a->name);
        for (int k = 0; k < a->rank; k++) {
            bool is_restrict = k == 0 && is_alone(g, a) && gen_chance(g, 15);
            str_printf(&text, "[%s%s]", is_restrict ? "restrict " : "", a->extents[k].text);
        }
    }
    gen_line(g, "%s%s)", str_text(&text), g->has_layouts ? gen_layout_params(g) : "");
}

static void choose_params(struct gen *g)
{
    bool is_large = gen_chance(g, 15);
    long n = g->is_huge ? 33000 + (long)gen_random(g, 30000)
             : is_large ? 1000 + (long)gen_random(g, 4000)
                        : 1 + (long)gen_random(g, 40);
    g->work_limit = g->is_huge ? 70000 : is_large ? 20000 : 3000;
    static const enum gen_type ints[] = {GEN_I32, GEN_I32, GEN_I32, GEN_I64, GEN_U32, GEN_I16};
    add_known(g, "n", ints[gen_random(g, g->is_huge ? 5 : 6)], n);
    add_known(g, "m", ints[gen_random(g, 6)], 1 + (long)gen_random(g, 12));
    for (uint32_t i = gen_random(g, 3); i > 0; i--) {
        add_known(g, gen_text(g, "k%u", i), ints[gen_random(g, 6)], (long)gen_random(g, 8));
    }
    if (gen_chance(g, 40)) { // a parameter like any local: of no known value
        struct gen_scalar *s = gen_add_scalar(g, "v", gen_chance(g, 50) ? GEN_F32 : GEN_I32);
        s->is_set = true;
        s->low = s->high = 3;
    }
}

static bool write_from_grammar(struct gen *g, uint64_t seed)
{
    static const char *const names[] = {"exits", "wraps", "scatters", "follows", "nests", "orders"};
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
        if ((seed & GENERATE_EXITS << i) != 0) {
            gen_line(g, "// seed %llu", (unsigned long long)seed);
            gen_grammar_file(g, names[i]);
            return true;
        }
    }
    return false;
}

void generate_kernel(uint64_t seed, struct str *out)
{
    struct gen generator = {.state = seed * 2 + 1, .out = out, .work = 1};
    struct gen *g = &generator;
    for (int i = 0; i < 4; i++) {
        gen_random(g, 2);
    }
    if ((seed & GENERATE_OVERLAPS) != 0) {
        gen_line(g, "// seed %llu", (unsigned long long)seed);
        gen_overlap_file(g);
        return;
    }
    if (write_from_grammar(g, seed)) {
        return;
    }
    g->prefers_helpers = (seed & GENERATE_HELPERS) != 0;
    g->prefers_shapes = (seed & GENERATE_SHAPES) != 0;
    g->prefers_locals = (seed & GENERATE_LOCALS) != 0;
    g->prefers_patterns = (seed & GENERATE_PATTERNS) != 0;
    g->is_huge = g->prefers_patterns && GENERATE_IS_HUGE(seed);
    g->is_tame = gen_chance(g, 75);
    g->is_wild = gen_chance(g, 12);
    g->has_records = gen_chance(g, 30);
    g->has_print = gen_chance(g, 5);
    g->has_struct_param = gen_chance(g, 15);
    g->statement_budget = 12 + (int)gen_random(g, 20);
    g->returns = gen_chance(g, 70);
    g->return_type = (enum gen_type)gen_random(g, GEN_RECORD);
    choose_params(g);
    for (uint32_t i = 2 + gen_random(g, 4); i > 0; i--) {
        add_param_array(g);
        if (gen_chance(g, 6)) {
            mix_types(g);
        }
    }
    if (gen_chance(g, 15)) {
        add_special_array(g);
    }
    if (gen_chance(g, 50)) {
        add_index_array(g, true);
    }
    if (gen_chance(g, 50)) {
        add_index_array(g, false);
    }
    add_fields(g);
    if (seed % 4 == 3) { // others stay what they were before there were such arrays
        add_own_arrays(g);
    }
    g->has_layouts = gen_chance(g, g->prefers_shapes ? 60 : 20);
    g->layout_offset = gen_chance(g, 50) ? 0 : (int)gen_random(g, 5);
    gen_line(g, "// seed %llu", (unsigned long long)seed);
    write_buffers(g);
    write_args(g);
    write_helpers(g);
    write_signature(g);
    gen_open(g, "{");
    declare_own_arrays(g);
    for (uint32_t i = gen_random(g, 4); i > 0; i--) {
        gen_declare_scalar(g);
    }
    gen_control(g, 2 + (int)gen_random(g, 4));
    if (g->returns) {
        gen_line(g, "return %s;", gen_tame(g, g->return_type, 2));
    }
    gen_close(g);
    if (!g->gives_word) {
        gen_line(g, "// nobody gives his word");
    }
}
