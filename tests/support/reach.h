// Kernels that reach one element too far, each in another way, if |bad| is their argument k, and stay inside with
// |good|. The tests run them on every back end and in the interpreter: all must find the same and say the same.
//
// Every kernel has the parameters of REACH_PARAMS: n = REACH_N, m = REACH_M, p of REACH_P elements, s of REACH_S. The
// line that goes wrong is the one with the mark REACH_MARK.
#ifndef RILL_TESTS_SUPPORT_REACH_H
#define RILL_TESTS_SUPPORT_REACH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { REACH_N = 12, REACH_M = 5, REACH_P = 9, REACH_S = 7, REACH_FIELD = 8 };
#define REACH_MARK "//!"
#define REACH_ANY INT64_MIN // several may be found first

struct reach_pair { // as the kernels have it
    int x;
    short v[4];
    double d;
};

static const char reach_head[] =
    "#include <rill/kernel.h>\n"
    "#include <string.h>\n"
    "struct pair { int x; short v[4]; double d; };\n"
    "struct view { int *at; int count; };\n"
    "#define PARAMS int n, int m, int a[n], int b[n][m], int *p, struct pair *s, int k\n"
    "int field[8];\n"
    "int *kept;\n"
    "static int *const lines[2] = {field, field};\n"
    "static const int fixed[4] = {1, 2, 3, 4};\n"
    "static int *later(int *x, int i) { return x + i; }\n"
    "static int get(const int *x, int i)\n{\n    return x[i]; //!get\n}\n"
    "static void put(int *x, int i)\n{\n    x[i] = 7; //!put\n}\n"
    "static void put_behind(int *x, int i) { put(x + 1, i); }\n"
    "static void put_first(int *x)\n{\n    *x = 7; //!put_first\n}\n"
    "static void put_each(int *x, int count)\n{\n    while (count-- > 0) {\n        *x++ = 7; //!put_each\n    }\n}\n"
    "static void fill(int count, int x[count])\n"
    "{\n    for (int i = 0; i < count; i++) {\n        x[i] = 7; //!fill\n    }\n}\n"
    "static void bump(struct pair *x)\n{\n    x->d += 1; //!bump\n}\n"
    "static void put_view(struct view x, int i)\n{\n    x.at[i] = 7; //!put_view\n}\n"
    "static int first_of(const int *x, const int *y, int c, int i)\n"
    "{\n    const int *z = c ? x : y;\n    return z[i]; //!first_of\n}\n";

struct reach_form {
    const char *name;
    const char *text;  // the body
    int64_t good, bad; // of k
    const char *array; // of the failure; NULL: bad is not bad either
    int64_t index, extent;
    const char *shape; // "" for what has none to tell
    const char *mark;  // of a helper's line; NULL: in the body
};

static const struct reach_form reach_forms[] = {
    // `T *p` itself
    {"store", "p[k] = 7; //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"load", "a[0] = p[k]; //!", 0, -1, "p", -1, 9, "[9]", NULL},
    {"star", "*(p + k) = 7; //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"turned", "k[p] = 7; //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"fixed_index", "if (k > 8) {\n    p[100] = 7; //!\n}", 8, 9, "p", 100, 9, "[9]", NULL},
    {"loop", "for (int i = 0; i < k; i++) {\n    p[i] = i; //!\n}", 9, 10, "p", 9, 9, "[9]", NULL},
    {"nest", "for (int i = 0; i < k; i++) for (int j = 0; j < 3; j++) {\n    p[3 * i + j] = i; //!\n}", 3, 4, "p",
     REACH_ANY, 9, "[9]", NULL},
    {"sum", "int t = 0;\nfor (int i = 0; i < k; i++) {\n    t += p[i]; //!\n}\na[0] = t;", 9, 10, "p", 9, 9, "[9]",
     NULL},
    {"least",
     "int t = 1000, at = 0;\nfor (int i = 0; i < k; i++) {\n    if (p[i] < t) { //!\n        t = p[i];\n        at = "
     "i;\n"
     "    }\n}\na[0] = t + at;",
     9, 10, "p", 9, 9, "[9]", NULL},
    {"update", "for (int i = 0; i < n; i++) {\n    p[i % k] += 1; //!\n}", 9, 10, "p", 9, 9, "[9]", NULL},
    {"atomic", "rill_atomic_add(&p[k], 1); //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"atomic_sum", "rill_atomic_max(p + k, 1); //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"cas", "rill_atomic_cas(&p[k], 1, 2); //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"far", "p[(long)k << 61] = 7; //!", 0, 2, "p", INT64_C(1) << 62, 9, "[9]", NULL},
    {"while_loop", "int i = 0;\nwhile (i < k) {\n    p[i] = i; //!\n    i++;\n}", 9, 10, "p", 9, 9, "[9]", NULL},
    {"time_loop", "for (int t = 0; t < 3; t++) for (int i = 0; i < 4; i++) {\n    p[i + t * k] += p[i]; //!\n}", 2, 3,
     "p", 9, 9, "[9]", NULL},
    {"blocks",
     "stream_parallel { for (int i = 0; i < n; i++) a[i] = i; }\n"
     "stream_parallel { for (int i = 0; i < k; i++) {\n    p[i] = i; //!\n} }",
     9, 10, "p", 9, 9, "[9]", NULL},
    // arrays with a shape
    {"shaped", "a[k] = 7; //!", 11, 12, "a", 12, 12, "[12]", NULL},
    {"row", "b[k][0] = 7; //!", 11, 12, "b", 12, 12, "[12][5]", NULL},
    {"column", "b[0][k] = 7; //!", 4, 5, "b", 5, 5, "[12][5]", NULL},
    {"flat", "int *q = &b[0][0];\nq[k] = 7; //!", 59, 60, "b", 60, 60, "[12][5]", NULL},
    {"row_pointer", "for (int i = 0; i < n; i++) {\n    int *q = b[i];\n    q[k] = i; //!\n}", 4, 5, "b", 60, 60,
     "[12][5]", NULL},
    {"rows", "int (*q)[m] = b + 1;\nq[k][0] = 7; //!", 10, 11, "b", 60, 60, "[12][5]", NULL},
    {"field_index", "field[k] = 7; //!", 7, 8, "field", 8, 8, "[8]", NULL},
    {"local_index", "int t[6] = {0};\nt[k] = 7; //!\na[0] = t[0];", 5, 6, "t", 6, 6, "", NULL},
    // pointers in variables
    {"behind", "int *q = a + 5;\nq[k] = 7; //!", 6, 7, "a", 12, 12, "[12]", NULL},
    {"before", "int *q = a + 5;\nq[-k] = 7; //!", 5, 6, "a", -1, 12, "[12]", NULL},
    {"address", "int *q = &p[k];\n*q = 7; //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"walk", "int *q = p;\nfor (int i = 0; i < k; i++) {\n    *q++ = i; //!\n}", 9, 10, "p", 9, 9, "[9]", NULL},
    {"walk_back", "int *q = p + 5;\nfor (int i = 0; i < k; i++) {\n    *--q = i; //!\n}", 5, 6, "p", -1, 9, "[9]",
     NULL},
    {"stride", "int *q = p;\nfor (int i = 0; i < k; i++) {\n    *q = i; //!\n    q += 4;\n}", 3, 4, "p", 12, 9, "[9]",
     NULL},
    {"to_end", "for (int *q = p; q != p + k; q++) {\n    *q = 7; //!\n}", 9, 10, "p", 9, 9, "[9]", NULL},
    {"own_parameter", "p += k;\n*p = 7; //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"chosen", "int *q = k > 20 ? a : p;\nq[k] = 7; //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"branches", "int *q;\nif (k & 1) {\n    q = a;\n} else {\n    q = p;\n}\nq[k] = 7; //!", 11, 10, "p", 10, 9, "[9]",
     NULL},
    {"other_branch", "int *q;\nif (k & 1) {\n    q = a;\n} else {\n    q = p;\n}\nq[k] = 7; //!", 8, 13, "a", 13, 12,
     "[12]", NULL},
    {"swapped",
     "int *q = a, *r = p;\nfor (int i = 0; i < k; i++) {\n    int *t = q;\n    q = r;\n    r = t;\n}\nq[10] = 7; //!",
     2, 3, "p", 10, 9, "[9]", NULL},
    {"perhaps_null", "int *q = 0;\nif (k > 3) {\n    q = p;\n}\nif (q) {\n    q[k] = 7; //!\n}", 8, 9, "p", 9, 9, "[9]",
     NULL},
    {"in_a_loop", "for (int i = 0; i < k; i++) {\n    int *q = p + i;\n    q[1] = i; //!\n}", 8, 9, "p", 9, 9, "[9]",
     NULL},
    {"declared_before", "int *q;\nfor (int i = 0; i < k; i++) {\n    q = p + i;\n    *q = i; //!\n}", 9, 10, "p", 9, 9,
     "[9]", NULL},
    {"field_pointer", "int *q = field;\nq[k] = 7; //!", 7, 8, "field", 8, 8, "[8]", NULL},
    {"constant", "const int *q = fixed;\na[0] = q[k]; //!", 3, 4, "fixed", 4, 4, "", NULL},
    {"local", "int t[6] = {0};\nint *q = t;\nq[k] = 7; //!\na[0] = t[0];", 5, 6, "t", 6, 6, "", NULL},
    {"in_struct", "struct view v = {p, 9};\nv.at[k] = 7; //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"across_tasks",
     "int *q = p + 1;\nfor (int i = 0; i < n; i++) a[i] = i;\nq += a[0];\nfor (int i = 0; i < k; i++) {\n    q[i] = i; "
     "//!\n}",
     8, 9, "p", 9, 9, "[9]", NULL},
    {"jumps", "int *q = p;\nint i = 0;\nagain:\n*q = 7; //!\nq++;\nif (++i < k) goto again;", 9, 10, "p", 9, 9, "[9]",
     NULL},
    {"cases", "int *q = p;\nswitch (k) {\ncase 1: q = a; break;\ndefault: q += k;\n}\n*q = 7; //!", 8, 9, "p", 9, 9,
     "[9]", NULL},
    // pointers out of memory
    {"table", "int *t[3] = {a, p, field};\nt[1 + k / 20][k] = 7; //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"table_kept", "int *t[3] = {a, p, field};\nint *q = t[1 + k / 20] + 1;\nq[k] = 7; //!", 7, 8, "p", 9, 9, "[9]",
     NULL},
    {"table_field", "lines[k / 20][k] = 7; //!", 7, 8, "field", 8, 8, "[8]", NULL},
    {"kept_in_field", "kept = field + 2;\nkept[k] = 7; //!", 5, -3, "field", -1, 8, "[8]", NULL},
    {"returned", "int *q = later(p, k);\n*q = 7; //!", 8, 9, "p", 9, 9, "[9]", NULL},
    // seen as another type
    {"bytes", "((char *)p)[k] = 7; //!", 35, 36, "p", 9, 9, "[9]", NULL},
    {"halves", "short *q = (short *)p;\nq[k] = 7; //!", 17, 18, "p", 9, 9, "[9]", NULL},
    {"wide", "*(long *)(p + k) = 7; //!", 6, 8, "p", 9, 9, "[9]", NULL},
    {"row_of_four", "int (*q)[4] = (int (*)[4])p;\nq[k][0] = 7; //!", 2, 3, "p", 12, 9, "[9]", NULL},
    // structs
    {"member", "s[k].x = 7; //!", 6, 7, "s", 7, 7, "[7]", NULL},
    {"member_array", "s[1].v[k] = 7; //!", 3, 4, "s.v", 4, 4, "", NULL},
    {"arrow", "struct pair *q = s + k;\nq->d = 7; //!", 6, 7, "s", 7, 7, "[7]", NULL},
    {"arrow_walk", "struct pair *q = s;\nfor (int i = 0; i < k; i++, q++) {\n    q->x = i; //!\n}", 7, 8, "s", 7, 7,
     "[7]", NULL},
    {"into_member", "double *q = &s[0].d;\nq[k] = 7; //!", 18, 19, "s", 7, 7, "[7]", NULL},
    {"whole_struct", "s[0] = s[k]; //!", 6, 7, "s", 7, 7, "[7]", NULL},
    {"struct_into", "struct pair t = s[0];\ns[k] = t; //!", 6, -1, "s", -1, 7, "[7]", NULL},
    // memcpy and its kin
    {"memset_size", "memset(p, 0, k); //!", 36, 37, "p", 9, 9, "[9]", NULL},
    {"memset_place", "memset(p + k, 0, 4); //!", 8, 9, "p", 9, 9, "[9]", NULL},
    {"memset_before", "memset(p + k, 0, 4); //!", 0, -1, "p", -1, 9, "[9]", NULL},
    {"memset_huge", "memset(p + 2, 0, (unsigned long)k); //!", 28, -1, "p", REACH_ANY, 9, "[9]", NULL},
    {"memcpy_from", "memcpy(a, p, k); //!", 36, 37, "p", 9, 9, "[9]", NULL},
    {"memcpy_to", "memcpy(p, a, k); //!", 36, 40, "p", 9, 9, "[9]", NULL},
    {"memcpy_none", "memcpy(p + 9, a, k); //!", 0, 1, "p", 9, 9, "[9]", NULL},
    {"memmove_on", "memmove(p + 1, p, k); //!", 32, 36, "p", 9, 9, "[9]", NULL},
    {"memcmp_two", "a[0] = memcmp(p, b, k); //!", 36, 37, "p", 9, 9, "[9]", NULL},
    {"memcpy_rows", "for (int i = 0; i < n; i++) {\n    memcpy(b[i], a, k); //!\n}", 20, 24, "b", 60, 60, "[12][5]",
     NULL},
    // helpers, where they are called or stand where they are called
    {"helper_get", "a[0] = get(p, k);", 8, 9, "p", 9, 9, "[9]", "//!get"},
    {"helper_shaped", "a[0] = get(a, k);", 11, 12, "a", 12, 12, "[12]", "//!get"},
    {"helper_field", "a[0] = get(field, k);", 7, 8, "field", 8, 8, "[8]", "//!get"},
    {"helper_local", "int t[6] = {0};\na[0] = get(t, k);", 5, 6, "t", 6, 6, "", "//!get"},
    {"helper_put", "put(p, k);", 8, 9, "p", 9, 9, "[9]", "//!put\n"},
    {"helper_before", "put(p + 2, k);", -2, -3, "p", -1, 9, "[9]", "//!put\n"},
    {"helper_nested", "put_behind(p, k);", 7, 8, "p", 9, 9, "[9]", "//!put\n"},
    {"helper_first", "put_first(&p[k]);", 8, 9, "p", 9, 9, "[9]", "//!put_first"},
    {"helper_walks", "put_each(p, k);", 9, 10, "p", 9, 9, "[9]", "//!put_each"},
    {"helper_extent", "fill(k, p);", 9, 10, "p", 9, 9, "[9]", "//!fill"},
    {"helper_struct", "bump(s + k);", 6, 7, "s", 7, 7, "[7]", "//!bump"},
    {"helper_view", "put_view((struct view){p, 9}, k);", 8, 9, "p", 9, 9, "[9]", "//!put_view"},
    {"helper_chooses", "a[0] = first_of(a, p, k < 5, k);", 8, 9, "p", 9, 9, "[9]", "//!first_of"},
    {"helper_in_loop", "for (int i = 0; i < k; i++) put(p, i);", 9, 10, "p", 9, 9, "[9]", "//!put\n"},
    {"helper_variable", "int *q = p + 1;\nfor (int i = 0; i < k; i++) {\n    put_first(q);\n    q++;\n}", 8, 9, "p", 9,
     9, "[9]", "//!put_first"},
    // what is not read or written may point anywhere
    {"unused", "int *q = p + k;\nif (k < 9) {\n    *q = 7;\n}", 8, 900, NULL, 0, 0, "", NULL},
    {"guarded", "if (k < 9) {\n    p[k] = 7;\n}", 8, 900, NULL, 0, 0, "", NULL},
    {"compared", "int *q = p + k, t = 0;\nwhile (q-- > p) t++;\na[0] = t;", 9, 9, NULL, 0, 0, "", NULL},
};
enum { REACH_COUNT = sizeof reach_forms / sizeof reach_forms[0] };

// All kernels as one file, into |out|.
static inline void reach_source(char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%s", reach_head);
    for (int i = 0; i < REACH_COUNT && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "kernel void %s(PARAMS)\n{\n%s\n}\n", reach_forms[i].name,
                                 reach_forms[i].text);
    }
}

// The line that is to be blamed.
static inline int reach_line(const char *source, const struct reach_form *form)
{
    const char *at = source;
    if (form->mark == NULL) {
        char start[128];
        snprintf(start, sizeof start, "kernel void %s(PARAMS)", form->name);
        at = strstr(source, start);
    }
    at = at != NULL ? strstr(at, form->mark != NULL ? form->mark : REACH_MARK) : NULL;
    int line = 1;
    for (const char *c = source; at != NULL && c < at; c++) {
        line += *c == '\n';
    }
    return line;
}

#endif
