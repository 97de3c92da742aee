// The limits of docs/language.md that are found between the text and the plan: what reaches one compiles, what goes
// beyond is an error that says which. Those of the preprocessor and the parser alone are in tests/lang.
#include "compiler/pipeline.h"
#include "plan/plan.h"
#include "test.h"

#include <string.h>

struct row {
    const char *what;
    void (*write)(struct str *out, int n);
    int least; // compiles
    int more;  // does not
    const char *words;
};

// ---- texts ---------------------------------------------------------------------------------------------------------

static void macro_parameters(struct str *out, int n)
{
    str_add(out, "#define M(p0");
    for (int i = 1; i < n; i++) {
        str_printf(out, ",p%d", i);
    }
    str_add(out, ") 1\n__rill_kernel__ int k(int n) { return n; }\n");
}

static void alignment(struct str *out, int n)
{
    str_printf(out, "static _Alignas(%d) int x;\n__rill_kernel__ int k(int n) { return x; }\n", n);
}

static void collapse(struct str *out, int n)
{
    str_printf(out,
               "__rill_kernel__ void k(int n, int x[n]) {\n#pragma rill collapse(%d)\n"
               "for (int i = 0; i < n; i++) x[i] = 1; }\n",
               n);
}

static void block_dim(struct str *out, int n)
{
    str_printf(out,
               "__rill_kernel__ void k(int n, int x[n]) {\n#pragma rill block_dim(%d)\n"
               "for (int i = 0; i < n; i++) x[i] = 1; }\n",
               n);
}

static void stores(struct str *out, int n)
{
    str_printf(out, "static char x[] = {[0 ... %d] = 1};\n__rill_kernel__ int k(int n) { return x[n]; }\n", n - 1);
}

static void globals(struct str *out, int n)
{
    str_printf(out,
               "static int x[1000000];\nstatic char y[%d] = {[5] = 1};\n"
               "__rill_kernel__ int k(int n) { return x[n] + y[n]; }\n",
               n);
}

static void constants(struct str *out, int n)
{
    str_printf(out, "static const char y[%d] = {[5] = 1};\n__rill_kernel__ int k(int n) { return y[n]; }\n", n);
}

static void pointers(struct str *out, int n)
{
    str_printf(out, "static int x;\nstatic int *p[%d] = {[5] = &x};\n__rill_kernel__ int k(int n) { return *p[n]; }\n",
               n);
}

static void arguments(struct str *out, int n)
{
    str_printf(out, "struct s { char b[%d]; };\n__rill_kernel__ int k(struct s s, int n) { return s.b[n]; }\n", n);
}

static void local(struct str *out, int n)
{
    str_printf(out,
               "static char at(int k, int i) { char a[%d]; a[k] = 1; return a[i]; }\n"
               "__rill_kernel__ void k(int n, char x[n]) { for (int i = 0; i < n; i++) x[i] = at(x[i], i); }\n",
               n);
}

static void crossing_locals(struct str *out, int n)
{
    str_printf(out,
               "__rill_kernel__ void k(int n, char x[n]) { struct { char a[%d]; } s; struct { char a[%d]; } t;\n"
               "for (int i = 0; i < 1000; i++) { s.a[i] = x[i]; t.a[i] = x[i + 1]; }\n"
               "for (int i = 0; i < 1000; i++) x[i] = s.a[i ^ 1] + t.a[i ^ 2]; }\n",
               n, n);
}

static void locals_of_a_task(struct str *out, int n)
{
    str_add(out, "__rill_kernel__ void k(int n, char x[n]) { for (int i = 0; i < n; i++) {\n");
    for (int i = 0; i < n; i++) {
        str_printf(out, "char a%d[65536]; a%d[x[i]] = x[i + %d]; x[i] += a%d[x[i] + 1];\n", i, i, i, i);
    }
    str_add(out, "} }\n");
}

static void calls(struct str *out, int n)
{
    str_add(out, "static int f0(int x) { return x; }\n");
    for (int i = 1; i < n; i++) {
        str_printf(out, "static int f%d(int x) { return f%d(x) + 1; }\n", i, i - 1);
    }
    str_printf(out, "__rill_kernel__ int k(int n) { return f%d(n); }\n", n - 1);
}

// Each of |n| kernels nests 50 conditions with a task in the innermost.
static void nested_kernels(struct str *out, int n)
{
    str_add(out, "__rill_kernel__ void k0(int n, int x[n]) { for (int i = 0; i < n; i++) x[i] = i; }\n");
    for (int i = 1; i <= n; i++) {
        str_printf(out, "__rill_kernel__ void k%d(int n, int x[n]) { for (int i = 0; i < n; i++) x[i]++;\n", i);
        for (int level = 0; level < 50; level++) {
            str_printf(out, "if (n > %d) { ", 50 * i + level);
        }
        str_printf(out, "k%d(n, x);", i - 1);
        for (int level = 0; level < 50; level++) {
            str_add(out, " }");
        }
        str_add(out, " }\n");
    }
}

// Kernels that call the one before twice.
static void operations(struct str *out, int n)
{
    str_add(out, "__rill_kernel__ void k0(int n, int x[n]) { for (int i = 0; i < n; i++) x[i] = i; }\n");
    for (int i = 1; i <= n; i++) {
        str_printf(out, "__rill_kernel__ void k%d(int n, int x[n]) { k%d(n, x); k%d(n, x); }\n", i, i - 1, i - 1);
    }
}

static void lent_arrays(struct str *out, int n)
{
    str_add(out, "__rill_kernel__ void k(int n, int x[n]) {\n");
    for (int i = 0; i < n; i++) {
        str_printf(out, "int t%d[n + %d]; for (int i = 0; i < n; i++) t%d[i] = x[i] + %d; x[0] = t%d[n - 1];\n", i, i,
                   i, i, i);
    }
    str_add(out, "}\n");
}

// ---- both sides ----------------------------------------------------------------------------------------------------

static const struct row rows[] = {
    {"parameters of a macro", macro_parameters, 4096, 4097, "a macro has at most 4096 parameters"},
    {"alignment", alignment, 4096, 8192, "a power of two from 1 to 4096"},
    {"collapse", collapse, 16, 17, "takes a number from 1 to 16"},
    {"block_dim", block_dim, 1024, 1025, "takes a number from 1 to 1024"},
    {"stores of one initialiser", stores, 1048576, 1048577, "has more than 1048576 values"},
    {"fields and constants", globals, (1 << 30) - 4000000, (1 << 30) - 3999999, "take more than 1 GiB"},
    {"constants alone", constants, 1 << 30, (1 << 30) + 1, "take more than 1 GiB"},
    {"initialised with pointers", pointers, 8388608, 8388609, "at most 67108864 are possible"},
    {"bytes of arguments", arguments, 3996, 4001, "at most 4000 fit"},
    {"a local array", local, 65536, 65537, "locals have at most 65536"},
    {"locals that cross tasks", crossing_locals, 30000, 40000, "such locals share 65536 bytes a launch"},
    {"locals of one task", locals_of_a_task, 60, 66, "at most 4194304"},
    {"calls in calls", calls, 255, 256, "calls are nested more than 256 deep"},
    {"control in control", nested_kernels, 4, 6, "at most 500 are possible"},
    {"arrays that the launch lends", lent_arrays, 32, 33, "has more than 32 arrays of its own"},
    {"operations of a kernel", operations, 8, 18, "has more than 100000 operations"},
};

// The text's errors, rendered; "" if it compiled to a plan that reads back.
static const char *compile(struct arena *arena, const struct str *text)
{
    struct diags diags;
    diags_init(&diags, arena);
    struct pipeline_options options = {.contract = true};
    struct pipeline_result made;
    pipeline_compile(arena, &diags, "limits.c", text->text, text->length, &options, &made);
    struct str out;
    str_init(&out, arena);
    if (diags.error_count > 0) {
        diags_render_all(&diags, false, &out);
        return str_text(&out);
    }
    plan_write(made.plan, &out);
    struct plan_module *again;
    return plan_read(arena, out.text, out.length, &again) == RILL_OK ? "" : rill_message();
}

TEST(what_reaches_a_limit_compiles_and_what_goes_beyond_is_an_error_that_says_which)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int side = 0; side < 2; side++) {
            struct arena arena;
            arena_init(&arena);
            struct str text;
            str_init(&text, &arena);
            rows[i].write(&text, side == 0 ? rows[i].least : rows[i].more);
            const char *errors = compile(&arena, &text);
            bool holds = side == 0 ? *errors == '\0' : strstr(errors, rows[i].words) != NULL;
            if (!CHECK(holds)) {
                printf("  %s, %d: %.400s\n", rows[i].what, side == 0 ? rows[i].least : rows[i].more, errors);
            }
            arena_finish(&arena);
        }
    }
}

static struct plan_node *find_region(struct plan_node *node)
{
    struct plan_node *found = node->kind == PLAN_REGION ? node : NULL;
    for (int i = 0; i < node->child_count && found == NULL; i++) {
        found = find_region(node->children[i]);
    }
    return found;
}

// A back end makes room for PLAN_MAX_BLOCKS: the compiler cuts larger regions, and a plan that has one is not read.
TEST(a_plan_with_a_region_of_too_many_blocks_is_refused)
{
    struct arena arena;
    struct diags diags;
    struct str text, out;
    struct pipeline_options options = {.contract = true};
    struct pipeline_result made;
    arena_init(&arena);
    diags_init(&diags, &arena);
    str_init(&text, &arena);
    str_add(&text, "#include <rill/kernel.h>\nkernel void k(int x[64]) {\n");
    for (int i = 0; i < PLAN_MAX_BLOCKS; i++) {
        str_printf(&text, "stream_parallel { x[%d] = 1; }\n", i);
    }
    str_add(&text, "}\n");
    pipeline_compile(&arena, &diags, "limits.c", text.text, text.length, &options, &made);
    REQUIRE(diags.error_count == 0);
    struct plan_node *region = find_region(made.plan->kernels[0]->root);
    REQUIRE(region != NULL && region->child_count == PLAN_MAX_BLOCKS);
    for (int more = 0; more < 2; more++) {
        struct plan_module *again;
        str_init(&out, &arena);
        plan_write(made.plan, &out);
        CHECK_INT(plan_read(&arena, out.text, out.length, &again) == RILL_OK, more == 0);
        struct plan_node **children = ARENA_ARRAY(&arena, struct plan_node *, PLAN_MAX_BLOCKS + 1);
        memcpy(children, region->children, sizeof *children * PLAN_MAX_BLOCKS);
        children[PLAN_MAX_BLOCKS] = children[0];
        region->children = children;
        region->child_count = PLAN_MAX_BLOCKS + 1;
    }
    arena_finish(&arena);
}
