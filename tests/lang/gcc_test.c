// Held to gcc: seeded programs of nothing but types, initialisers and constant expressions are compiled by gcc and by
// the front end, and every object must have the same bytes. Where a value has a type worth knowing, a _Generic says it.
#include "astdump.h"
#include "test.h"

#include "base/vec.h"
#include "lang/types.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

// ---- the bytes of an object ----------------------------------------------------------------------------------------

static void put_bits(unsigned char *image, uint64_t offset, const struct member *bitfield, uint64_t value)
{
    for (int i = 0; i < bitfield->bit_width; i++) {
        uint64_t bit = offset * 8 + bitfield->bit_offset + (uint64_t)i;
        unsigned char mask = (unsigned char)(1u << (bit % 8));
        image[bit / 8] = (unsigned char)((image[bit / 8] & ~mask) | ((value >> i & 1) != 0 ? mask : 0));
    }
}

static bool put_store(unsigned char *image, const struct init_store *s)
{
    int64_t integer;
    double number;
    struct const_address address;
    unsigned char *at = image + s->offset;
    if (s->value->kind == EXPR_STRING && s->type->kind == TYPE_ARRAY) {
        memset(at, 0, s->type->size);
        memcpy(at, s->value->bytes, s->value->u < s->type->size ? s->value->u : s->type->size);
        return true;
    }
    if (type_is_integer(s->type)) {
        if (!const_eval_int(s->value, &integer)) {
            return false;
        }
        if (s->bitfield != NULL) {
            put_bits(image, s->offset, s->bitfield, (uint64_t)integer);
        } else {
            memcpy(at, &integer, s->type->size);
        }
        return true;
    }
    if (type_is_float(s->type)) {
        float narrow;
        if (!const_eval_float(s->value, &number)) {
            return false;
        }
        narrow = (float)number;
        memcpy(at, s->type->kind == TYPE_FLOAT ? (void *)&narrow : (void *)&number, s->type->size);
        return true;
    }
    return s->type->kind == TYPE_POINTER && const_eval_address(s->value, &address) && address.object == NULL &&
           address.string == NULL && memcpy(at, &address.offset, 8) != NULL;
}

static bool image_of(struct parsed *parsed, const struct object *object, struct str *out)
{
    unsigned char *image = arena_alloc(&parsed->arena, object->type->size + 16);
    for (int i = 0; i < object->init_count; i++) {
        if (!put_store(image, &object->inits[i])) {
            return false;
        }
    }
    for (uint64_t i = 0; i < object->type->size; i++) {
        str_printf(out, "%02x", image[i]);
    }
    return true;
}

// ---- the generator -------------------------------------------------------------------------------------------------

enum { MAX_MEMBERS = 8, MAX_STRUCTS = 60 };

struct generated_member {
    char name[16];
    char type[40];
    int kind; // 0 scalar, 1 array, 2 struct, 3 bit-field
    int length;
    int width;
    int record; // kind 2
};

struct generated {
    uint64_t state;
    struct arena *arena;
    struct str text;
    struct generated_member members[MAX_STRUCTS][MAX_MEMBERS];
    int counts[MAX_STRUCTS];
    bool is_union[MAX_STRUCTS];
    int inner[MAX_STRUCTS]; // the member that stands in an anonymous struct, or -1
    int structs;
    int objects;
    VEC(char *) names;
};

static unsigned pick(struct generated *g, unsigned limit)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (unsigned)(g->state >> 32) % limit;
}

static const char *const scalar_types[] = {
    "char",          "signed char", "unsigned char",      "short", "unsigned short", "int",   "unsigned int", "long",
    "unsigned long", "long long",   "unsigned long long", "_Bool", "float",          "double"};
enum { INTEGER_TYPES = 12, SCALAR_TYPES = 14 };
static const int scalar_bits[] = {8, 8, 8, 16, 16, 32, 32, 64, 64, 64, 64, 1};

static const char *object_name(struct generated *g)
{
    char *name = arena_printf(g->arena, "o%d", g->objects++);
    VEC_PUSH(g->arena, &g->names, name);
    return name;
}

static void constant(struct generated *g, struct str *out, int depth);

static void leaf(struct generated *g, struct str *out)
{
    static const char *const leaves[] = {"0",
                                         "1",
                                         "-1",
                                         "7",
                                         "'a'",
                                         "'\\377'",
                                         "255u",
                                         "65536",
                                         "0x7fffffff",
                                         "0x80000000",
                                         "4294967295",
                                         "2147483648",
                                         "1l",
                                         "3ul",
                                         "0x7fffffffffffffff",
                                         "0xffffffffffffffffu",
                                         "12ll",
                                         "017",
                                         "1.5",
                                         "2.25f",
                                         "1e3",
                                         "0x1p-3",
                                         "sizeof(short)",
                                         "(char)200",
                                         "(unsigned char)200",
                                         "(short)-3",
                                         "E1",
                                         "E2",
                                         "F1",
                                         "(_Bool)3",
                                         "(enum f)1",
                                         "100000.0f"};
    str_add(out, leaves[pick(g, sizeof leaves / sizeof *leaves)]);
}

// Operators with the operands kept away from what C leaves open.
static void constant(struct generated *g, struct str *out, int depth)
{
    if (depth <= 0) {
        leaf(g, out);
        return;
    }
    unsigned choice = pick(g, 20);
    static const char *const plain[] = {"+", "-", "*", "<", ">", "<=", ">=", "==", "!=", "&&", "||"};
    if (choice < 11) {
        str_add_char(out, '(');
        constant(g, out, depth - 1);
        str_printf(out, " %s ", plain[choice]);
        constant(g, out, depth - 1);
        str_add_char(out, ')');
    } else if (choice < 14) {
        static const char *const bits[] = {"&", "|", "^"};
        str_add(out, "((long)(short)");
        constant(g, out, depth - 1);
        str_printf(out, " %s (unsigned)(unsigned char)", bits[pick(g, 3)]);
        leaf(g, out);
        str_add_char(out, ')');
    } else if (choice == 14) {
        str_add_char(out, '(');
        constant(g, out, depth - 1);
        str_add(out, " ? ");
        constant(g, out, depth - 1);
        str_add(out, " : ");
        constant(g, out, depth - 1);
        str_add_char(out, ')');
    } else if (choice == 15) {
        str_printf(out, "(%s", pick(g, 2) ? "- " : "!");
        constant(g, out, depth - 1);
        str_add_char(out, ')');
    } else if (choice == 16) {
        // Only what any type can hold may come from a float.
        str_printf(out, "(%s)((_Bool)(", scalar_types[pick(g, SCALAR_TYPES)]);
        constant(g, out, depth - 1);
        str_printf(out, ") * %u)", pick(g, 120));
    } else if (choice == 17) {
        str_printf(out, "(%s)(short)(%u - 30000)", scalar_types[pick(g, SCALAR_TYPES)], pick(g, 60000));
    } else if (choice == 18) {
        str_printf(out, "((%u - 50) %s %u)", pick(g, 100), pick(g, 2) ? "/" : "%", 1 + pick(g, 9));
    } else {
        static const char *const wide[] = {"1", "-5", "77u", "-9l", "12345678901u", "3ll"};
        str_printf(out, "(%s %s %u)", wide[pick(g, 6)], pick(g, 2) ? "<<" : ">>", pick(g, 31));
    }
}

static void add_type_of(struct generated *g, const char *expression)
{
    str_printf(&g->text,
               "const int %s = _Generic((%s), char: 1, signed char: 2, unsigned char: 3, short: 4, unsigned short: 5, "
               "int: 6, unsigned int: 7, long: 8, unsigned long: 9, long long: 10, unsigned long long: 11, _Bool: 12, "
               "float: 13, double: 14, int *: 16, const int *: 17, void *: 18, char *: 19, int (*)[3]: 20, "
               "struct v: 21, default: 15);\n",
               object_name(g), expression);
}

static void add_constants(struct generated *g, int count)
{
    for (int i = 0; i < count; i++) {
        struct str e;
        str_init(&e, g->arena);
        constant(g, &e, 1 + (int)pick(g, 4));
        add_type_of(g, str_text(&e));
        str_printf(&g->text, "const unsigned long %s = sizeof(%s);\n", object_name(g), str_text(&e));
        // To double and _Bool everything converts without leaving anything open.
        str_printf(&g->text, "const %s %s = (%s);\n", pick(g, 2) ? "double" : "_Bool", object_name(g), str_text(&e));
        str_printf(&g->text, "const unsigned long %s = _Generic((%s), float: 0, double: 0, default: (%s));\n",
                   object_name(g), str_text(&e), str_text(&e));
    }
}

// ---- types of expressions that are never evaluated ----

static const char variables[] =
    "struct v { unsigned b5 : 5; int i32 : 32; unsigned u32 : 32; long l9 : 9; _Bool b1 : 1; short s; enum e e; };\n"
    "char v0; signed char v1; unsigned char v2; short v3; unsigned short v4; int v5; unsigned v6; long v7;\n"
    "unsigned long v8; long long v9; unsigned long long v10; _Bool v11; enum e v12; enum f v13; volatile int v14;\n"
    "float v15; double v16; const float v17 = 1; struct v s; struct v *ps; int a[3], aa[2][3], *p; const int *pc;\n"
    "void *pv; char *pt;\n";

static void integer_expression(struct generated *g, struct str *out, int depth);

static void arithmetic_expression(struct generated *g, struct str *out, int depth)
{
    static const char *const operators[] = {"+", "-", "*", "/", "<", ">=", "==", "&&", "||", ","};
    unsigned choice = depth > 0 ? pick(g, 8) : 0;
    switch (choice) {
    case 0: str_printf(out, "v%u", pick(g, 18)); return;
    case 1: integer_expression(g, out, depth - 1); return;
    case 2:
        str_printf(out, "(%s)", scalar_types[pick(g, SCALAR_TYPES)]);
        arithmetic_expression(g, out, depth - 1);
        return;
    case 3:
        str_printf(out, "(v%u %s ", pick(g, 17), pick(g, 2) ? "+=" : "=");
        arithmetic_expression(g, out, depth - 1);
        str_add_char(out, ')');
        return;
    case 4:
        str_add_char(out, '(');
        integer_expression(g, out, depth - 1);
        str_add(out, " ? ");
        arithmetic_expression(g, out, depth - 1);
        str_add(out, " : ");
        arithmetic_expression(g, out, depth - 1);
        str_add_char(out, ')');
        return;
    default:
        str_add(out, "(");
        arithmetic_expression(g, out, depth - 1);
        str_printf(out, " %s ", operators[pick(g, 10)]);
        arithmetic_expression(g, out, depth - 1);
        str_add_char(out, ')');
    }
}

// Bit-fields stand behind an operator that promotes them: by itself gcc gives one a type of its own width.
static void integer_expression(struct generated *g, struct str *out, int depth)
{
    static const char *const leaves[] = {
        "(+s.b5)", "(+s.i32)", "(+ps->u32)", "(+s.l9)",  "(+ps->b1)",   "s.s",       "ps->e",         "a[1]",
        "*p",      "pc[2]",    "aa[1][2]",   "(p - a)",  "(&a[2] - p)", "*pt",       "v5++",          "--v2",
        "E1",      "F1",       "'a'",        "sizeof a", "!p",          "(p == pc)", "(0 + ps->b5++)"};
    static const char *const operators[] = {"%", "<<", ">>", "&", "|", "^"};
    switch (depth > 0 ? pick(g, 5) : 0) {
    case 0: str_add(out, leaves[pick(g, sizeof leaves / sizeof *leaves)]); return;
    case 1: str_printf(out, "v%u", pick(g, 15)); return;
    case 2:
        str_printf(out, "(%s", pick(g, 2) ? "~" : "- ");
        integer_expression(g, out, depth - 1);
        str_add_char(out, ')');
        return;
    default:
        str_add(out, "(");
        integer_expression(g, out, depth - 1);
        str_printf(out, " %s ", operators[pick(g, 6)]);
        integer_expression(g, out, depth - 1);
        str_add_char(out, ')');
    }
}

static void pointer_expression(struct generated *g, struct str *out)
{
    static const char *const leaves[] = {"a",
                                         "p",
                                         "pc",
                                         "pv",
                                         "pt",
                                         "aa[1]",
                                         "aa",
                                         "&a",
                                         "&v5",
                                         "v5 ? p : pc",
                                         "v5 ? pv : p",
                                         "v5 ? a : 0",
                                         "p = a",
                                         "v5 ? 0 : pc",
                                         "v5 ? (void *)0 : p",
                                         "pt++",
                                         "*ps",
                                         "v5, a",
                                         "(p += v7)",
                                         "*&p",
                                         "&*pc",
                                         "&p[2]",
                                         "(struct v){.s = 1}",
                                         "\"text\"",
                                         "v5 ? s : *ps",
                                         "ps ? aa[0] : p",
                                         "(char *)pc",
                                         "aa + 1",
                                         "*aa"};
    str_add(out, leaves[pick(g, sizeof leaves / sizeof *leaves)]);
}

static void add_expression_types(struct generated *g, int count)
{
    str_add(&g->text, variables);
    for (int i = 0; i < count; i++) {
        struct str e;
        str_init(&e, g->arena);
        if (i % 8 == 0) {
            pointer_expression(g, &e);
        } else {
            arithmetic_expression(g, &e, 1 + (int)pick(g, 4));
        }
        add_type_of(g, str_text(&e));
        str_printf(&g->text, "const unsigned long %s = sizeof(%s);\n", object_name(g), str_text(&e));
    }
}

static void add_member(struct generated *g, struct str *out, int index)
{
    int record = g->structs;
    struct generated_member *m = &g->members[record][index];
    *m = (struct generated_member){.width = -1};
    snprintf(m->name, sizeof m->name, "m%d_%d", record, index);
    unsigned choice = pick(g, 10);
    const char *attribute = pick(g, 12) == 0   ? " __attribute__((aligned(8)))"
                            : pick(g, 14) == 0 ? " __attribute__((packed))"
                            : pick(g, 16) == 0 ? " __attribute__((aligned(2)))"
                                               : "";
    if (choice < 5) {
        unsigned type = pick(g, INTEGER_TYPES);
        m->kind = 3;
        m->width = 1 + (int)pick(g, (unsigned)scalar_bits[type]);
        snprintf(m->type, sizeof m->type, "%s", scalar_types[type]);
        if (pick(g, 6) == 0) {
            str_printf(out, " %s : %d;", m->type, pick(g, 2) ? 0 : m->width);
        }
        str_printf(out, " %s %s : %d%s;", m->type, m->name, m->width, pick(g, 4) == 0 ? attribute : "");
    } else if (choice == 5 && record > 0) {
        m->kind = 2;
        m->record = (int)pick(g, (unsigned)record);
        str_printf(out, " struct_%d %s%s;", m->record, m->name, attribute);
    } else if (choice == 6) {
        m->kind = 1;
        m->length = 1 + (int)pick(g, 4);
        snprintf(m->type, sizeof m->type, "%s", scalar_types[pick(g, SCALAR_TYPES)]);
        str_printf(out, " %s %s[%d]%s;", m->type, m->name, m->length, attribute);
    } else {
        snprintf(m->type, sizeof m->type, "%s", scalar_types[pick(g, SCALAR_TYPES)]);
        str_printf(out, " %s%s %s%s;", pick(g, 12) == 0 ? "_Alignas(16) " : "", m->type, m->name, attribute);
    }
}

static void scalar_value(struct generated *g, struct str *out, const char *type)
{
    if (strcmp(type, "float") == 0 || strcmp(type, "double") == 0) {
        str_printf(out, "%u.%u", pick(g, 1000), pick(g, 100));
    } else {
        str_printf(out, "%s%u", pick(g, 3) == 0 ? "-" : "", pick(g, 40));
    }
}

// Values for a struct: with braces, without, with designators, too few.
static void struct_value(struct generated *g, struct str *out, int record, bool braces, int depth)
{
    str_add(out, braces ? "{" : "");
    int count = g->is_union[record] ? 1 : g->counts[record];
    bool designates = braces && pick(g, 3) == 0;
    if (braces && pick(g, 5) == 0) {
        count = 1 + (int)pick(g, (unsigned)count);
    }
    for (int i = 0; i < count; i++) {
        int index = designates ? (int)pick(g, (unsigned)g->counts[record]) : i;
        const struct generated_member *m = &g->members[record][index];
        str_add(out, i > 0 ? ", " : "");
        if (designates) {
            str_printf(out, ".%s", m->name);
            if (m->kind == 1 && pick(g, 2)) {
                str_printf(out, "[%u]", pick(g, (unsigned)m->length));
                str_add(out, " = ");
                scalar_value(g, out, m->type);
                continue;
            }
            str_add(out, " = ");
        }
        // The first brace of a struct without braces of its own would be taken for these.
        bool is_free = designates || ((braces || i > 0) && index != g->inner[record]);
        if (m->kind == 2) {
            bool inner_braces = is_free && (designates || pick(g, 2) == 0 || depth > 3);
            struct_value(g, out, m->record, inner_braces, depth + 1);
        } else if (m->kind == 1) {
            bool array_braces = is_free && (designates || pick(g, 2) == 0);
            str_add(out, array_braces ? "{" : "");
            for (int k = 0; k < m->length; k++) {
                str_add(out, k > 0 ? ", " : "");
                scalar_value(g, out, m->type);
            }
            str_add(out, array_braces ? "}" : "");
        } else {
            scalar_value(g, out, m->type);
        }
    }
    str_add(out, braces ? "}" : "");
}

static void add_layout_facts(struct generated *g, int record)
{
    str_printf(&g->text, "const unsigned long %s = sizeof(struct_%d) * 1000 + _Alignof(struct_%d);\n", object_name(g),
               record, record);
    for (int i = 0; i < g->counts[record]; i++) {
        const struct generated_member *m = &g->members[record][i];
        if (m->kind == 3) {
            const char *name = object_name(g);
            str_printf(&g->text, "struct_%d %s = {.%s = -1};\n", record, name, m->name);
            if (m->width <= 31 || strstr(m->type, "long") == NULL) {
                add_type_of(g, arena_printf(g->arena, "+%s.%s", name, m->name));
                add_type_of(g, arena_printf(g->arena, "%s.%s + 1u", name, m->name));
            }
        } else {
            str_printf(&g->text, "const unsigned long %s = __builtin_offsetof(struct_%d, %s);\n", object_name(g),
                       record, m->name);
        }
    }
}

static void add_struct(struct generated *g)
{
    int record = g->structs;
    int pack = pick(g, 4) == 0 ? 1 << pick(g, 5) : 0;
    static const char *const attributes[] = {"",
                                             "",
                                             "",
                                             "",
                                             " __attribute__((packed))",
                                             " __attribute__((aligned(16)))",
                                             " __attribute__((packed, aligned(4)))"};
    if (pack != 0) {
        str_printf(&g->text, "#pragma pack(push, %d)\n", pack);
    }
    g->is_union[record] = pick(g, 5) == 0;
    str_printf(&g->text, "typedef %s {", g->is_union[record] ? "union" : "struct");
    g->counts[record] = 1 + (int)pick(g, MAX_MEMBERS);
    int inner = pick(g, 4) == 0 ? (int)pick(g, (unsigned)g->counts[record]) : -1;
    g->inner[record] = inner;
    for (int i = 0; i < g->counts[record]; i++) {
        if (i == inner) {
            str_printf(&g->text, " struct {");
        }
        add_member(g, &g->text, i);
        if (i == inner) {
            str_add(&g->text, " };");
        }
    }
    str_printf(&g->text, " }%s struct_%d;\n", attributes[pick(g, 7)], record);
    if (pack != 0) {
        str_add(&g->text, "#pragma pack(pop)\n");
    }
    g->structs++;
    add_layout_facts(g, record);
    for (int i = 0; i < 3; i++) {
        const char *array[] = {"", "[2]", "[]"};
        unsigned shape = pick(g, 3);
        str_printf(&g->text, "struct_%d %s%s = ", record, object_name(g), array[shape]);
        str_add(&g->text, shape != 0 ? "{" : "");
        for (unsigned k = 0; k < (shape == 0 ? 1 : shape); k++) {
            str_add(&g->text, k > 0 ? ", " : "");
            struct_value(g, &g->text, record, true, 0);
        }
        str_add(&g->text, shape != 0 ? "};\n" : ";\n");
    }
}

static void generate(struct generated *g, struct arena *arena, uint64_t seed)
{
    memset(g, 0, sizeof *g);
    g->state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    g->arena = arena;
    str_init(&g->text, arena);
    str_add(&g->text, "enum e { E1 = -3, E2 = 5 }; enum f { F0, F1 = 4000000000u };\n");
    add_expression_types(g, 250);
    while (g->structs < MAX_STRUCTS) {
        add_struct(g);
    }
    add_constants(g, 150);
}

// ---- gcc's side ----------------------------------------------------------------------------------------------------

static char *run_gcc(struct arena *arena, const struct generated *g, uint64_t seed)
{
    char folder[] = "/tmp/rill-gcc-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        return NULL;
    }
    char *source = arena_printf(arena, "%s/unit.c", folder);
    FILE *file = fopen(source, "w");
    fputs(g->text.text, file);
    fputs("#include <stdio.h>\nstatic void show(const char *name, const void *at, unsigned long size)\n{\n"
          "    printf(\"%s \", name);\n    for (unsigned long i = 0; i < size; i++) {\n"
          "        printf(\"%02x\", ((const unsigned char *)at)[i]);\n    }\n    printf(\"\\n\");\n}\nint "
          "main(void)\n{\n",
          file);
    for (int i = 0; i < g->names.count; i++) {
        fprintf(file, "    show(\"%s\", &%s, sizeof %s);\n", g->names.items[i], g->names.items[i], g->names.items[i]);
    }
    fputs("    return 0;\n}\n", file);
    fclose(file);
    // gcc notes where it once laid out differently; only a refusal is of interest.
    char *command = arena_printf(arena,
                                 "cd %s && { gcc -std=gnu11 -w -fwrapv -O0 unit.c -o unit 2> log || { cat log; false; "
                                 "}; } && ./unit > out",
                                 folder);
    int status = system(command);
    struct str out;
    str_init(&out, arena);
    file = status == 0 ? fopen(arena_printf(arena, "%s/out", folder), "r") : NULL;
    char line[4096];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        str_add(&out, line);
    }
    if (file != NULL) {
        fclose(file);
    } else {
        printf("# seed %" PRIu64 ": gcc refuses %s\n", seed, source);
        return NULL;
    }
    (void)!system(arena_printf(arena, "rm -rf %s", folder));
    return out.text;
}

static bool compare_seed(uint64_t seed)
{
    struct arena arena;
    arena_init(&arena);
    struct generated *g = ARENA_NEW(&arena, struct generated);
    generate(g, &arena, seed);
    struct parsed parsed;
    parsed_init(&parsed, "unit.c", g->text.text);
    bool same = CHECK_STR(parsed.diags.error_count == 0 ? "" : parsed_messages(&parsed), "");
    const char *expected = run_gcc(&arena, g, seed);
    same = CHECK(expected != NULL) && same;
    struct str out;
    str_init(&out, &arena);
    for (int i = 0; same && i < g->names.count; i++) {
        str_printf(&out, "%s ", g->names.items[i]);
        if (!image_of(&parsed, parsed_global(&parsed, g->names.items[i]), &out)) {
            str_add(&out, "no constant");
        }
        str_add(&out, "\n");
    }
    if (same && strcmp(str_text(&out), expected) != 0) {
        const char *ours = str_text(&out);
        while (*ours == *expected) {
            ours++;
            expected++;
        }
        while (ours > out.text && ours[-1] != '\n') {
            ours--;
            expected--;
        }
        printf("# seed %" PRIu64 "\n# rill: %.*s\n# gcc:  %.*s\n", seed, (int)strcspn(ours, "\n"), ours,
               (int)strcspn(expected, "\n"), expected);
        const char *where = strstr(g->text.text, arena_printf(&arena, " %.*s", (int)strcspn(ours, " "), ours));
        while (where != NULL && where > g->text.text && where[-1] != '\n') {
            where--;
        }
        printf("# %.*s\n", where != NULL ? (int)strcspn(where, "\n") : 0, where != NULL ? where : "");
        same = CHECK(false);
    }
    parsed_finish(&parsed);
    arena_finish(&arena);
    return same;
}

TEST(types_initialisers_and_constants_have_the_bytes_that_gcc_gives_them)
{
    if (system("gcc --version > /dev/null 2>&1") != 0) {
        SKIP("no gcc");
    }
    const char *count = getenv("RILL_GCC_SEEDS");
    uint64_t seeds = count != NULL ? strtoull(count, NULL, 10) : 6;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        if (!compare_seed(seed)) {
            break;
        }
    }
}
