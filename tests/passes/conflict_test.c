// Whether the effects of two stream_parallel blocks conflict: never, tested at launch, or always.
#include "analyse_case.h"

static bool is_blocks(struct ir_inst *inst, void *user)
{
    if (inst->op == IR_OP_BLOCKS) {
        *(struct ir_inst **)user = inst;
        return false;
    }
    return true;
}

// The worst answer over all pairs of effects of the first two blocks of the only region.
static enum conflict_answer worst(const char *text)
{
    struct analyse_case c;
    enum conflict_answer answer = CONFLICT_NEVER;
    if (!analyse_text(&c, text)) {
        return answer;
    }
    struct ir_inst *blocks = NULL;
    struct ir_function *kernel = NULL;
    for (int i = 0; i < c.module->function_count && blocks == NULL; i++) {
        kernel = c.module->functions[i];
        if (kernel->kind == IR_FUNCTION_KERNEL) {
            walk_region(&kernel->body, is_blocks, &blocks);
        }
    }
    if (CHECK(blocks != NULL)) {
        struct conflict_room *room = conflict_room_create(&c.arena);
        struct block_effect *effects[2];
        int counts[2];
        for (int i = 0; i < 2; i++) {
            effects_of_block(c.module, kernel, &blocks->regions[i], &effects[i], &counts[i]);
        }
        for (int x = 0; x < counts[0]; x++) {
            for (int y = 0; y < counts[1]; y++) {
                enum conflict_answer one = effects_conflict(room, &effects[0][x], &effects[1][y]);
                answer = one > answer ? one : answer;
            }
        }
    }
    arena_finish(&c.arena);
    return answer;
}

#define BLOCKS(params, first, second)                                                                                  \
    "float field[100], other[100]; float *cursor;\n"                                                                   \
    "kernel void f(int n, int k, " params ") {\n"                                                                      \
    "  stream_parallel { " first " }\n"                                                                                \
    "  stream_parallel { " second " }\n}\n"

TEST(two_fields_never_conflict)
{
    CHECK_INT(worst(BLOCKS("int m", "for (int i = 0; i < n; i++) field[i] = 1;",
                           "for (int i = 0; i < n; i++) other[i] = 2;")),
              CONFLICT_NEVER);
}

TEST(two_arguments_are_compared_at_launch)
{
    CHECK_INT(worst(BLOCKS("float *x, float *y", "for (int i = 0; i < n; i++) x[i] = 1;",
                           "for (int i = 0; i < n; i++) y[i] = 2;")),
              CONFLICT_TEST);
    CHECK_INT(
        worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[i] = 1;", "for (int i = 0; i < n; i++) field[i] = 2;")),
        CONFLICT_TEST);
}

TEST(readers_never_conflict)
{
    CHECK_INT(worst(BLOCKS("const float *x", "for (int i = 0; i < n; i++) field[i] = x[i];",
                           "for (int i = 0; i < n; i++) other[i] = field[0] == 0 ? x[i] : 1;")),
              CONFLICT_ALWAYS); // field is written by the first and read by the second
    CHECK_INT(worst(BLOCKS("const float *restrict x", "for (int i = 0; i < n; i++) field[i] = 1;",
                           "for (int i = 0; i < n; i++) other[i] = 2;")),
              CONFLICT_NEVER);
}

TEST(the_same_elements_always_conflict)
{
    CHECK_INT(
        worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[i] = 1;", "for (int i = 0; i < n; i++) x[i] = 2;")),
        CONFLICT_ALWAYS);
    CHECK_INT(
        worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[i] = 1;", "for (int i = 0; i < n; i++) x[i + 1] = 2;")),
        CONFLICT_ALWAYS);
}

TEST(halves_never_conflict)
{
    CHECK_INT(worst(BLOCKS("float x[2 * n]", "for (int i = 0; i < n; i++) x[i] = 1;",
                           "for (int i = n; i < 2 * n; i++) x[i] = 2;")),
              CONFLICT_NEVER);
}

TEST(even_and_odd_elements_never_conflict)
{
    CHECK_INT(worst(BLOCKS("float *x", "for (long i = 0; i < n; i++) x[2 * i] = 1;",
                           "for (long i = 0; i < n; i++) x[2 * i + 1] = 2;")),
              CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("float x[n]", "for (int i = 0; i < n; i += 2) x[i] = 1;",
                           "for (int i = 1; i < n; i += 2) x[i] = 2;")),
              CONFLICT_NEVER);
}

// What decides is where two combs begin, modulo the greatest step that divides both of theirs.
TEST(combs_never_conflict_if_their_teeth_miss_each_other)
{
    CHECK_INT(worst(BLOCKS("float *x", "for (long i = 0; i < n; i++) x[2 * i + 1] = 1;",
                           "for (long i = 0; i < n; i++) x[2 * i] = 2;")),
              CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("float *x", "for (long i = 0; i < n; i++) x[6 * i] = 1;",
                           "for (long i = 0; i < n; i++) x[4 * i + 1] = 2;")),
              CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("float *x", "for (long i = 0; i < n; i++) x[6 * i] = 1;",
                           "for (long i = 0; i < n; i++) x[4 * i + 2] = 2;")),
              CONFLICT_ALWAYS);
    CHECK_INT(worst(BLOCKS("float *x", "for (long i = 0; i < n; i++) x[2 * i + 2 * (long)k] = 1;",
                           "for (long i = 0; i < n; i++) x[2 * i + 1] = 2;")),
              CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("float *x", "for (long i = 0; i < n; i++) x[2 * i + (long)k] = 1;",
                           "for (long i = 0; i < n; i++) x[2 * i + 1] = 2;")),
              CONFLICT_TEST);
    CHECK_INT(worst(BLOCKS("float *x", "for (long i = 0; i < n; i++) { x[3 * i] = 1; x[3 * i + 1] = 1; }",
                           "for (long i = 0; i < n; i++) x[3 * i + 2] = 2;")),
              CONFLICT_NEVER);
}

TEST(elements_apart_conflict_only_if_an_index_wraps)
{
    CHECK_INT(worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[3 * i] = 1;",
                           "for (int i = 0; i < n; i++) x[3 * i + 1] = 2;")),
              CONFLICT_TEST);
    CHECK_INT(worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[3 * i] = 1;",
                           "for (int i = 0; i < n; i++) x[3 * i] = 2;")),
              CONFLICT_ALWAYS);
}

TEST(strides_from_scalars_are_tested)
{
    CHECK_INT(worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[i * k] = 1;",
                           "for (int i = 0; i < n; i++) x[i * k + 1] = 2;")),
              CONFLICT_TEST);
}

TEST(what_lies_apart_in_a_block_stays_apart)
{
    CHECK_INT(worst(BLOCKS("float *x", "x[0] = 1; x[2] = 2;", "x[1] = 3;")), CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("float x[n][4]", "for (int i = 0; i < n; i++) { x[i][0] = 1; x[i][3] = 2; }",
                           "for (int i = 0; i < n; i++) { x[i][1] = 3; x[i][2] = 4; }")),
              CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("float *x", "x[0] = 1; x[2] = 2;", "x[2] = 3;")), CONFLICT_ALWAYS);
}

TEST(few_fixed_elements_are_compared_with_many_at_launch)
{
    CHECK_INT(worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[i] = 1;", "x[10] = 2;")), CONFLICT_TEST);
    CHECK_INT(worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[i] = 1;", "x[0] = 2;")), CONFLICT_ALWAYS);
}

TEST(members_of_structs_never_conflict)
{
    CHECK_INT(worst("struct p { float x, y; };\n"
                    "kernel void f(int n, struct p *a) {\n"
                    "  stream_parallel { for (int i = 0; i < n; i++) a[i].x = 1; }\n"
                    "  stream_parallel { for (int i = 0; i < n; i++) a[i].y = 2; }\n}\n"),
              CONFLICT_NEVER);
}

TEST(offsets_from_scalars_are_tested)
{
    CHECK_INT(worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[i] = 1;",
                           "for (long i = 0; i < n; i++) x[i + k] = 2;")),
              CONFLICT_TEST);
}

TEST(updates_of_one_class_never_conflict)
{
    CHECK_INT(
        worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[i] += 1;", "for (int i = 0; i < n; i++) x[i] -= 2;")),
        CONFLICT_NEVER);
    CHECK_INT(
        worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) x[i] += 1;", "for (int i = 0; i < n; i++) x[i] *= 2;")),
        CONFLICT_ALWAYS);
}

// One class is not enough: which of two values is the lesser depends on the signedness, and what a NaN does on the
// form.
TEST(minima_conflict_unless_they_are_the_same_update)
{
    CHECK_INT(worst(BLOCKS("int *x, int e", "if (e < x[k]) x[k] = e;",
                           "unsigned *u = (unsigned *)x; unsigned v = e; if (v < u[k]) u[k] = v;")),
              CONFLICT_ALWAYS);
    CHECK_INT(worst(BLOCKS("int *x", "for (int i = 0; i < n; i++) if (i > x[0]) x[0] = i;",
                           "for (unsigned i = 0; i < 9; i++) if (i > *(unsigned *)x) *(unsigned *)x = i;")),
              CONFLICT_ALWAYS);
    CHECK_INT(worst(BLOCKS("float *x, float e", "x[0] = fminf(x[0], e);", "if (e < x[0]) x[0] = e;")), CONFLICT_ALWAYS);
    CHECK_INT(worst(BLOCKS("float *x, float e", "if (e <= x[0]) x[0] = e;", "if (e < x[0]) x[0] = e;")),
              CONFLICT_ALWAYS);
    CHECK_INT(worst(BLOCKS("float *x, float e", "if (e < x[0]) x[0] = e;", "x[0] = x[0] > e ? e : x[0];")),
              CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("int *x", "x[0] += n;", "*(unsigned *)x -= 3u;")), CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("int *x", "x[0] += n;", "*(float *)x += 3;")), CONFLICT_ALWAYS);
}

// rill_atomic_* is the author's word that any order will do, whatever the operations.
TEST(explicit_atomics_never_conflict)
{
    CHECK_INT(worst(BLOCKS("int *x", "for (int i = 0; i < n; i++) rill_atomic_add(&x[0], 1);",
                           "for (int i = 0; i < n; i++) rill_atomic_max(&x[0], i);")),
              CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("int *x", "for (int i = 0; i < n; i++) rill_atomic_add(&x[0], 1);", "x[0] = 2;")),
              CONFLICT_ALWAYS);
    CHECK_INT(worst(BLOCKS("int *x", "rill_atomic_add(&x[0], 1);", "rill_atomic_add((float *)x, 2);")), CONFLICT_NEVER);
    CHECK_INT(worst(BLOCKS("int *x", "rill_atomic_add(&x[0], 1);", "rill_atomic_add((short *)x, 2);")),
              CONFLICT_ALWAYS); // no hardware promises that one is atomic for the other
}

// Nobody knows which elements these are, or how far they lie apart.
TEST(regions_without_bounds_always_conflict_and_products_are_tested)
{
    CHECK_INT(worst(BLOCKS("const int *at, float *x", "for (int i = 0; i < n; i++) x[at[i]] = 1;",
                           "for (int i = 0; i < n; i++) x[at[i]] = 2;")),
              CONFLICT_ALWAYS);
    CHECK_INT(worst(BLOCKS("const int *at, float *x", "for (int i = 0; i < n; i++) x[at[i]] += 1;",
                           "for (int i = 0; i < n; i++) x[at[i] + 1] += 2;")),
              CONFLICT_TEST); // x may lie where at lies; the updates themselves are atomic
    CHECK_INT(worst(BLOCKS("long m, float *x", "for (long i = 0; i < n; i++) x[m * m * m * m * m + i] = 1;",
                           "for (long i = 0; i < n; i++) x[k * m * m * m * m + i] = 2;")),
              CONFLICT_TEST);
}

TEST(updates_of_two_arguments_are_compared_unless_both_are_atomic)
{
    CHECK_INT(worst(BLOCKS("float *x, float *y", "for (int i = 0; i < n; i++) x[i] += 1;",
                           "for (int i = 0; i < n; i++) y[i] += 2;")),
              CONFLICT_TEST);
}

TEST(pointers_from_memory_always_conflict)
{
    CHECK_INT(worst(BLOCKS("float *x", "for (int i = 0; i < n; i++) cursor[i] = 1;",
                           "for (int i = 0; i < n; i++) x[i] = 2;")),
              CONFLICT_ALWAYS);
}

TEST(indices_from_data_are_the_whole_array)
{
    CHECK_INT(worst(BLOCKS("float *x, const int *idx", "for (int i = 0; i < n; i++) x[idx[i]] = 1;",
                           "for (int i = 0; i < n; i++) x[i + 1000] = 2;")),
              CONFLICT_ALWAYS);
}

TEST(updates_shared_by_blocks_are_atomic)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, float *x) {\n"
                             "  stream_parallel { for (int i = 0; i < n; i++) x[i] += 1; }\n"
                             "  stream_parallel { for (int i = 0; i < n; i++) x[i] += 2; }\n}\n"));
    for (uint32_t line = 2; line <= 3; line++) {
        const struct loop_facts *facts = loop_at(&c, line)->loop->analysis;
        REQUIRE(facts->effect_count == 1);
        CHECK(facts->effects[0].is_atomic);
    }
    arena_finish(&c.arena);
}

TEST(updates_of_regions_apart_are_plain)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, float x[2][n]) {\n"
                             "  stream_parallel { for (int i = 0; i < n; i++) x[0][i] += 1; }\n"
                             "  stream_parallel { for (int i = 0; i < n; i++) x[1][i] += 2; }\n}\n"));
    for (uint32_t line = 2; line <= 3; line++) {
        const struct loop_facts *facts = loop_at(&c, line)->loop->analysis;
        REQUIRE(facts->effect_count == 1);
        CHECK(!facts->effects[0].is_atomic);
    }
    arena_finish(&c.arena);
}
