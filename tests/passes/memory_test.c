// Memory runs out in the middle of a compile: the n-th allocation fails, for every n (with a sanitizer and in the short
// form for one in eight), from the text to the plan. The
// compile is left by the arena's way out, and the arena is all there is to free; AddressSanitizer sees what would leak.
#include "compiler/pipeline.h"
#include "form.h"
#include "plan/plan.h"
#include "test.h"

#include <string.h>

static const char source[] =
    "struct s { int a; float b[3]; unsigned f : 3; };\n"
    "static struct s field = {1, {2, 3}};\n"
    "static int sparse[1000000] = {[700000] = 1, [3] = 2};\n"
    "static const float table[] = {1, 2, 3};\n"
    "static float helper(const float *x, int i) { return x[i] * table[i % 3]; }\n"
    "__rill_kernel__ float step(int n, int m, float x[n], float y[n][m], const int index[n])\n"
    "{\n"
    "    float sum = 0;\n"
    "    for (int t = 0; t < 3; t++) {\n"
    "        __rill_stream_parallel__ { for (int i = 0; i < n; i++) x[i] = helper(x, i) + field.b[1]; }\n"
    "        __rill_stream_parallel__ { for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) y[i][j] += y[i][j - "
    "1]; }\n"
    "        for (int i = 0; i < n; i++) { sum += x[i]; sparse[i] += i; }\n"
    "        for (int i = 0; i < n; i++) x[index[i]] = y[i][0];\n"
    "        if (sum > 100) { switch (m) { case 1: sum = 0; break; default: continue; } }\n"
    "        field.f++;\n"
    "    }\n"
    "    return sum;\n"
    "}\n"
    "#define TWICE(x) x x\n"
    "__rill_kernel__ void smooth(int n, int k, float a[n], float b[n])\n"
    "{\n"
    "    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;\n"
    "    for (int i = 0; i + k < n; i++) a[i + k] = b[i];\n"
    "    TWICE(for (int i = 0; i < n; i++) { if (a[i] < b[0]) { b[0] = a[i]; } })\n"
    "}\n";

// Compiles in an arena whose n-th allocation fails (0: none does); whether it came to the end.
static bool survives(uint64_t n, bool checks_bounds)
{
    struct arena arena;
    arena_init(&arena);
    jmp_buf escape;
    volatile bool is_done = false;
    if (setjmp(escape) == 0) {
        arena.escape = &escape;
        arena.fail_after = n;
        struct diags diags;
        diags_init(&diags, &arena);
        struct pipeline_options options = {.contract = true, .check_bounds = checks_bounds, .verify = true};
        struct pipeline_result made;
        pipeline_compile(&arena, &diags, "memory.c", source, strlen(source), &options, &made);
        REQUIRE(diags.error_count == 0 && made.plan != NULL);
        struct str bytes;
        str_init(&bytes, &arena);
        plan_write(made.plan, &bytes);
        is_done = bytes.length > 0;
    }
    arena_finish(&arena);
    return is_done;
}

static void sweep(bool checks_bounds)
{
    REQUIRE(survives(0, checks_bounds));
    uint64_t step = form_is_sanitized() && !form_is_long() ? 8 : 1; // in turns each of them
    uint64_t n = 1 + form_turn() % step;
    while (!survives(n, checks_bounds)) {
        n += step;
    }
    CHECK(n > 1000);
}

TEST(a_compile_whose_nth_allocation_fails_is_left_without_a_trace)
{
    sweep(false);
}

TEST(a_checked_compile_whose_nth_allocation_fails_is_left_without_a_trace)
{
    sweep(true);
}
