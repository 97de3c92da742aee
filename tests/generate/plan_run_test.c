// What the checker of plan_run.h finds when a claim is false: kernels whose author gives his word, with the verdict of
// their loop changed to "proven".
#include "test.h"

#include "compiler/pipeline.h"
#include "plan_run.h"

// The complaints about the kernel's loop over |indices|, as text in |out|.
static void run_claimed(const char *text, int *indices, struct arena *arena, struct str *out)
{
    int x[8] = {0};
    struct diags diags;
    struct pipeline_options options = {.verify = true};
    struct pipeline_result made = {0};
    diags_init(&diags, arena);
    pipeline_compile(arena, &diags, "claim.c", text, strlen(text), &options, &made);
    REQUIRE(diags.error_count == 0 && made.plan != NULL);
    struct plan_kernel *kernel = made.plan->kernels[0];
    REQUIRE(kernel->loop_count == 1 && kernel->param_count == 4);
    kernel->loops[0].verdict = IR_VERDICT_PROVEN;
    struct interp_arg args[4] = {{.i = 8}, {.i = 5}, {.p = x}, {.p = indices}};
    uint64_t sizes[4] = {0, 0, sizeof x, sizeof x};
    struct plan_run_options run = {.order = INTERP_BACKWARD, .seed = 1};
    struct plan_run_result result = {0};
    str_init(out, arena);
    plan_run(made.module, made.plan, kernel, args, sizes, &run, &result, out);
    CHECK_INT(result.outcome, INTERP_DONE);
}

static bool is_found(const char *statement, int *indices, const char *complaint)
{
    struct arena arena;
    struct str out;
    char text[512];
    arena_init(&arena);
    snprintf(
        text, sizeof text,
        "#include <rill/kernel.h>\nkernel void run(int n, int v, int x[n], const int at[n])\n{\n#pragma rill parallel\n"
        "    for (int i = 0; i < n; i++) { %s }\n}\n",
        statement);
    run_claimed(text, indices, &arena, &out);
    bool found = complaint != NULL ? strstr(str_text(&out), complaint) != NULL : out.length == 0;
    if (!found) {
        printf("%s: '%s'\n", statement, str_text(&out));
    }
    arena_finish(&arena);
    return found;
}

TEST(equal_values_that_nobody_took_for_a_constant_are_a_conflict)
{
    int same[8] = {0}, apart[8] = {3, 1, 0, 2, 7, 6, 5, 4};
    CHECK(is_found("x[at[i]] = v;", same, "two iterations write the same byte"));
    CHECK(is_found("x[at[i]] = at[i] * 2;", same, "two iterations write the same byte"));
    CHECK(is_found("if (i & 1) x[at[i]] = 3; else x[at[i]] = v - 2;", same, "two iterations write the same byte"));
    CHECK(is_found("x[at[i]] = v;", apart, NULL));
    CHECK(is_found("x[at[i]] = 3;", same, NULL));
    CHECK(is_found("x[at[i]] = i - i;", same, NULL));
}

TEST(two_constants_are_a_conflict)
{
    int same[8] = {0};
    CHECK(is_found("if (i & 1) x[at[i]] = 3; else x[at[i]] = 4;", same, "different values"));
}

TEST(reads_of_what_others_write_are_a_conflict)
{
    int same[8] = {0}, apart[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    CHECK(is_found("x[i] = x[at[i]] + 1;", same, "an iteration"));
    CHECK(is_found("x[i] = x[at[i]] + 1;", apart, NULL));
}
