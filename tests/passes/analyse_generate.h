// Makes kernels out of a seed: nests with all kinds of bounds and indices, for the checks in analyse_check.h.
#ifndef RILL_TESTS_PASSES_ANALYSE_GENERATE_H
#define RILL_TESTS_PASSES_ANALYSE_GENERATE_H

#include "base/str.h"

#include <stdint.h>

struct generate {
    struct str *out;
    uint64_t state;
    const char *vars[8]; // loop variables in scope
    int var_count;
    int loop_count; // made so far
    int depth;
    bool has_local;   // an array declared at the top
    const char *type; // of loop variables
};

static inline int generate_pick(struct generate *g, int count)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((g->state >> 33) % (uint64_t)count);
}

static inline const char *generate_one(struct generate *g, const char *const *list, int count)
{
    return list[generate_pick(g, count)];
}

static inline void generate_value(struct generate *g)
{
    static const char *const params[] = {"n", "m", "k", "s"};
    int kind = generate_pick(g, 10);
    if (kind < 6 && g->var_count > 0) {
        str_add(g->out, generate_one(g, g->vars, g->var_count));
    } else if (kind < 8) {
        str_add(g->out, generate_one(g, params, 4));
    } else {
        str_printf(g->out, "%d", generate_pick(g, 6));
    }
}

static inline void generate_index(struct generate *g, int depth)
{
    int kind = depth <= 0 ? 0 : generate_pick(g, 16);
    static const char *const sums[] = {" + ", " - "};
    switch (kind) {
    case 0:
    case 1:
    case 2: generate_value(g); return;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
        generate_index(g, depth - 1);
        str_add(g->out, generate_one(g, sums, 2));
        generate_value(g);
        return;
    case 8:
    case 9:
        str_printf(g->out, "%d * ", generate_pick(g, 4) + 1);
        generate_value(g);
        return;
    case 10:
        str_add(g->out, "(");
        generate_index(g, depth - 1);
        str_add(g->out, ") * ");
        generate_value(g);
        return;
    case 11:
        str_add(g->out, "(");
        generate_index(g, depth - 1);
        str_printf(g->out, ") %s ", generate_pick(g, 2) ? "/" : "%");
        if (generate_pick(g, 2)) {
            str_add(g->out, generate_pick(g, 2) ? "m" : "k");
        } else {
            str_printf(g->out, "%d", generate_pick(g, 4) + 1);
        }
        return;
    case 12:
        str_add(g->out, "(");
        generate_index(g, depth - 1);
        str_printf(g->out, ") %s %d", generate_pick(g, 2) ? ">>" : "<<", generate_pick(g, 3));
        return;
    case 13:
        str_add(g->out, "((");
        generate_index(g, depth - 1);
        str_printf(g->out, ") & %d)", generate_pick(g, 2) ? 3 : generate_pick(g, 2) ? ~1 : 5);
        return;
    case 14:
        str_add(g->out, "(");
        generate_value(g);
        str_add(g->out, " < ");
        generate_value(g);
        str_add(g->out, " ? ");
        generate_index(g, depth - 1);
        str_add(g->out, " : ");
        generate_index(g, depth - 1);
        str_add(g->out, ")");
        return;
    default:
        str_add(g->out, "idx[");
        generate_value(g);
        str_add(g->out, "]");
        return;
    }
}

static inline void generate_place(struct generate *g)
{
    int kind = generate_pick(g, 8);
    if (kind == 0) {
        str_add(g->out, "c[");
        generate_index(g, 1);
        str_add(g->out, "][");
        generate_index(g, 1);
        str_add(g->out, "]");
    } else if (kind == 1) {
        str_add(g->out, "p[");
        generate_index(g, 1);
        str_add(g->out, generate_pick(g, 2) ? "].x" : "].y");
    } else if (kind == 2 && g->has_local) {
        str_printf(g->out, "t[(");
        generate_index(g, 1);
        str_add(g->out, ") & 7]");
    } else {
        static const char *const arrays[] = {"a", "a", "b"};
        str_printf(g->out, "%s[", generate_one(g, arrays, 3));
        generate_index(g, 2);
        str_add(g->out, "]");
    }
}

static inline void generate_body(struct generate *g, int statements);

static inline void generate_loop(struct generate *g)
{
    static const char *const names[] = {"i", "j", "l", "q", "r", "u", "v", "w"};
    static const char *const types[] = {"int", "int", "int", "long", "unsigned", "short"};
    if (g->var_count >= 4 || g->loop_count >= 6) {
        str_add(g->out, "a[0] = 1;\n");
        return;
    }
    const char *name = names[g->var_count];
    const char *type = generate_one(g, types, 6);
    const char *outer = g->var_count > 0 ? g->vars[g->var_count - 1] : "1";
    g->loop_count++;
    switch (generate_pick(g, 12)) {
    case 0:
    case 1:
    case 2: str_printf(g->out, "for (%s %s = 0; %s < n; %s++) {\n", type, name, name, name); break;
    case 3: str_printf(g->out, "for (%s %s = 1; %s < m; %s++) {\n", type, name, name, name); break;
    case 4: str_printf(g->out, "for (int %s = n - 1; %s >= 0; %s--) {\n", name, name, name); break;
    case 5: str_printf(g->out, "for (%s %s = 0; %s <= m; %s += 2) {\n", type, name, name, name); break;
    case 6: str_printf(g->out, "for (int %s = m; %s > 1; %s -= 3) {\n", name, name, name); break;
    case 7:
        str_printf(g->out, "for (%s %s = 0; %s < %d; %s++) {\n", type, name, name, generate_pick(g, 6), name);
        break;
    case 8: str_printf(g->out, "for (int %s = 0; %s < %s; %s++) {\n", name, name, outer, name); break;
    case 9: str_printf(g->out, "for (int %s = %s; %s < n; %s++) {\n", name, outer, name, name); break;
    case 10: str_printf(g->out, "for (int %s = k; %s < k + m; %s++) {\n", name, name, name); break;
    default: str_printf(g->out, "for (int %s = 0; %s < (m < n ? m : n); %s++) {\n", name, name, name); break;
    }
    g->vars[g->var_count++] = name;
    g->depth++;
    generate_body(g, generate_pick(g, 3) + 1);
    g->depth--;
    g->var_count--;
    str_add(g->out, "}\n");
}

static inline void generate_right(struct generate *g)
{
    switch (generate_pick(g, 5)) {
    case 0: str_printf(g->out, "%d", generate_pick(g, 2)); return;
    case 1:
        str_add(g->out, "z + ");
        generate_value(g);
        return;
    case 2:
        generate_value(g);
        str_add(g->out, " + 0.5f");
        return;
    default: generate_place(g);
    }
}

static inline void generate_statement(struct generate *g)
{
    switch (generate_pick(g, 24)) {
    case 0:
    case 1:
    case 2:
        if (g->depth < 4) {
            generate_loop(g);
            return;
        }
        break;
    case 3:
        str_add(g->out, "if (");
        generate_value(g);
        str_add(g->out, generate_pick(g, 2) ? " < " : " >= ");
        generate_value(g);
        str_add(g->out, ") {\n");
        generate_body(g, 1);
        str_add(g->out, "}\n");
        return;
    case 4:
        str_add(g->out, "z = ");
        generate_place(g);
        str_add(g->out, ";\n");
        return;
    case 5:
        generate_place(g);
        str_add(g->out, generate_pick(g, 3) ? " += " : " -= ");
        generate_right(g);
        str_add(g->out, ";\n");
        return;
    case 6:
        str_add(g->out, "{ float *e = a + (");
        generate_index(g, 1);
        str_add(g->out, "); e[");
        generate_index(g, 1);
        str_add(g->out, "] = e[0]; }\n");
        return;
    case 7:
        if (g->has_local) {
            str_add(g->out, "for (int x = 0; x < 8; x++) { t[x] = ");
            generate_right(g);
            str_add(g->out, "; }\n");
            return;
        }
        break;
    case 8:
        if (g->var_count > 0) {
            str_printf(g->out, "if (%s == 2) { continue; }\n", g->vars[g->var_count - 1]);
            return;
        }
        break;
    case 10:
        str_add(g->out, "set_two(&a[");
        generate_index(g, 1);
        str_add(g->out, "], &b[");
        generate_index(g, 1);
        str_add(g->out, "], ");
        generate_value(g);
        str_add(g->out, ");\n");
        return;
    case 11:
        str_add(g->out, "{ int h = ");
        generate_index(g, 1);
        str_add(g->out, "; while (h > 2) { h /= 2; } a[h + ");
        generate_value(g);
        str_add(g->out, "] = 1.5f; }\n");
        return;
    case 12:
        str_add(g->out, "{ int h; if (");
        generate_value(g);
        str_add(g->out, " > 2) { h = ");
        generate_index(g, 1);
        str_add(g->out, "; } else { h = ");
        generate_index(g, 1);
        str_add(g->out, "; } b[h] = a[h]; }\n");
        return;
    case 13:
        str_add(g->out, "a[(unsigned char)(");
        generate_index(g, 1);
        str_add(g->out, ")] = z;\n");
        return;
    case 14:
        str_add(g->out, "{ int h = ");
        generate_index(g, 1);
        str_printf(g->out, "; for (int x = 0; x < %s; x++) { a[h] = x; h += %s; } }\n", generate_pick(g, 2) ? "3" : "m",
                   generate_pick(g, 2) ? "2" : "s");
        return;
    case 15:
        str_add(g->out, "{ float *e = &c[");
        generate_value(g);
        str_add(g->out, "][0]; for (int x = 0; x < m; x++) { *e++ = x; } }\n");
        return;
    case 16:
        str_add(g->out, "{ float *e = ");
        generate_value(g);
        str_add(g->out, " < 3 ? a : b; e[");
        generate_index(g, 1);
        str_add(g->out, "] = a[");
        generate_index(g, 1);
        str_add(g->out, "]; }\n");
        return;
    case 17:
        str_add(g->out, "total += ");
        generate_value(g);
        str_add(g->out, ";\n");
        return;
    case 18:
        str_add(g->out, "field[(");
        generate_index(g, 1);
        str_add(g->out, ") & 63] = field[(");
        generate_index(g, 1);
        str_add(g->out, ") & 31] + 1.5f;\n");
        return;
    case 19:
        str_add(g->out, "rill_atomic_add(&field[(");
        generate_index(g, 1);
        str_add(g->out, ") & 63], 1);\n");
        return;
    case 9:
        str_add(g->out, "memset(&c[");
        generate_index(g, 1);
        str_add(g->out, "][0], 0, 4 * m);\n");
        return;
    default: break;
    }
    generate_place(g);
    str_add(g->out, " = ");
    generate_right(g);
    str_add(g->out, ";\n");
}

static inline void generate_body(struct generate *g, int statements)
{
    for (int i = 0; i < statements; i++) {
        generate_statement(g);
    }
}

// One array, written and read in a nest at indices of the usual forms: where proofs and conditions come from.
static inline void generate_form(struct generate *g)
{
    static const char *const forms[] = {
        "i + %d",
        "2 * i + %d",
        "i * s + %d",
        "i * m + j + %d",
        "(long)i * m + j - %d",
        "(i * m + j) * k + l + %d",
        "j * n + i + %d",
        "i / 2 + %d",
        "i %% m + %d",
        "i / m * m + i %% m + %d",
        "i %% m * n + i / m + %d",
        "n - 1 - i + %d",
        "(i & 3) + %d",
        "i * 4 + (j & 3) + %d",
        "i * 4 + j %% 4 + %d",
        "i * j + %d",
        "(i >> 1) + %d",
        "(i << 1) + %d",
        "k + i - %d",
        "i - j + %d",
        "i + j + %d",
        "i * s + j + %d",
        "(i < 3 ? i : 3) + %d",
        "i + n - %d",
        "i + 2 * m + %d",
        "3 * i + 5 * j + %d",
        "j + %d",
        "j * s + i + %d",
        "(i / 3) * 3 + %d",
        "i * m + j * s + %d",
        "(j * m + i) * 2 + %d",
        "i * 8 + j * 2 + l + %d",
        "(i + k) %% (n + 1) + %d",
        "i * (m + 1) + j + %d",
    };
    str_printf(g->out, "a[");
    str_printf(g->out, forms[generate_pick(g, (int)(sizeof forms / sizeof forms[0]))],
               generate_pick(g, 3) ? 0 : generate_pick(g, 4));
    str_add(g->out, "]");
}

static inline void generate_nest(struct generate *g)
{
    static const char *const heads[3][8] = {
        {"for (int i = 0; i < n; i++)", "for (int i = 1; i < n - 1; i++)", "for (int i = n - 1; i >= 0; i--)",
         "for (int i = 0; i < n; i += 2)", "for (unsigned i = 0; i < (unsigned)n; i++)", "for (int i = m; i > 0; i--)",
         "for (long i = 0; i < n; i++)", "for (int i = 0; i <= n; i += 3)"},
        {"for (int j = 0; j < m; j++)", "for (int j = 0; j < i; j++)", "for (int j = 0; j < 4; j++)",
         "for (int j = i; j < n; j++)", "for (int j = 1; j < m - 1; j++)", "for (int j = 0; j < s; j++)",
         "for (int j = m - 1; j >= 0; j--)", "for (long j = 0; j < m; j += 2)"},
        {"for (int l = 0; l < k; l++)", "for (int l = 0; l < 2; l++)", "for (int l = 0; l < j; l++)",
         "for (int l = 0; l < m; l++)", "for (int l = 1; l <= k; l++)", "for (int l = 0; l < s; l++)",
         "for (int l = k; l > 0; l--)", "for (int l = 0; l < 3; l++)"},
    };
    for (int level = 0; level < 3; level++) {
        str_printf(g->out, "%s {\n", heads[level][generate_pick(g, 8)]);
    }
    for (int i = generate_pick(g, 2); i >= 0; i--) {
        generate_form(g);
        str_add(g->out, generate_pick(g, 4) ? " = " : " += ");
        if (generate_pick(g, 2)) {
            generate_form(g);
            str_add(g->out, " + 1.5f;\n");
        } else {
            str_add(g->out, "z + l;\n");
        }
    }
    str_add(g->out, "}\n}\n}\n");
}

static inline void generate_prelude(struct str *out)
{
    str_add(out, "#include <string.h>\nstruct pair { float x, y; };\nint total;\nfloat field[64];\n"
                 "static void set_two(float *p, float *q, int v) { *p = v; if (v > 3) { q[1] = *q + v; } }\n");
}

static inline void generate_kernel(struct str *out, uint64_t seed, const char *name)
{
    struct generate g = {.out = out, .state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    generate_pick(&g, 2);
    str_printf(out,
               "kernel void %s(int n, int m, int k, int s, float %s, float *%sb, float c[n + 3][m + 1], "
               "struct pair p[n + 8], const int *idx)\n{\nfloat z = 1;\n",
               name, seed % 4 < 2 ? "*a" : "a[4096]", generate_pick(&g, 3) == 0 ? "restrict " : "");
    g.has_local = generate_pick(&g, 3) == 0;
    if (g.has_local) {
        str_add(out, "float t[8] = {0};\n");
    }
    if (seed % 3 == 0) {
        generate_nest(&g);
    } else {
        generate_loop(&g);
    }
    if (generate_pick(&g, 2)) {
        generate_loop(&g);
    }
    if (g.has_local && generate_pick(&g, 3) == 0) {
        str_add(out, "a[0] = t[3];\n");
    }
    str_add(out, "}\n");
}

#endif
