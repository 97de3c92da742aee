// The roles of scalars and of private memory.
#include "analyse_case.h"

static const struct ir_scalar_role *expect_role(struct analyse_case *c, uint32_t line, const char *name,
                                                enum ir_role role)
{
    static const struct ir_scalar_role none;
    const struct ir_inst *loop = loop_at(c, line);
    const struct ir_scalar_role *found = loop != NULL ? role_of(loop, name) : NULL;
    if (found == NULL) {
        FAIL("line %u: '%s' has no role", line, name);
        return &none;
    }
    CHECK_INT(found->role, role);
    return found;
}

TEST(temporaries_and_inner_counters_are_private)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, int m, float a[n][m]) {\n"
                             "  int i, j; float t;\n"
                             "  for (i = 0; i < n; i++) {\n"
                             "    for (j = 0; j < m; j++) {\n"
                             "      if (a[i][j] > 0) { t = 1; } else { t = j; }\n"
                             "      a[i][j] = t * t; } } }\n"));
    expect_role(&c, 3, "j", IR_ROLE_PRIVATE);
    expect_role(&c, 3, "t", IR_ROLE_PRIVATE);
    expect_role(&c, 4, "t", IR_ROLE_PRIVATE);
    CHECK(role_of(loop_at(&c, 3), "i") == NULL);
    arena_finish(&c.arena);
}

TEST(what_is_read_afterwards_keeps_its_last_value)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel int f(int n, const int x[n]) {\n"
                             "  int t = 0, u = 0, w = 0;\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    t = x[i]; if (x[i] > 2) { u = i; w = 3; } else { w = i; } t += w; }\n"
                             "  return t + u; }\n"));
    CHECK(expect_role(&c, 3, "t", IR_ROLE_LAST_VALUE)->always_written);
    CHECK(!expect_role(&c, 3, "u", IR_ROLE_LAST_VALUE)->always_written);
    expect_role(&c, 3, "w", IR_ROLE_PRIVATE);
    arena_finish(&c.arena);
}

TEST(what_the_next_round_of_an_outer_loop_reads_is_live)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, int r, const int x[n], int y[r]) {\n"
                             "  int t = 0;\n"
                             "  for (int k = 0; k < r; k++) {\n"
                             "    y[k] = t;\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "      t = x[i]; } } }\n"));
    expect_role(&c, 5, "t", IR_ROLE_LAST_VALUE);
    CHECK_INT(loop_at(&c, 3)->loop->verdict, IR_VERDICT_IN_ORDER);
    CHECK_CONTAINS(loop_at(&c, 3)->loop->reason, "'t'");
    arena_finish(&c.arena);
}

TEST(reductions_carry_their_operator)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel int f(int n, const int x[n], const unsigned y[n]) {\n"
                             "  int s = 0, p = 1, a = -1, o = 0, e = 0, low = 9, all = 1; unsigned high = 0;\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    s -= x[i]; p *= x[i]; a &= x[i]; o |= x[i]; e ^= x[i];\n"
                             "    if (x[i] < low) low = x[i];\n"
                             "    high = high > y[i] ? high : y[i]; all = all && x[i]; }\n"
                             "  return s + p + a + o + e + low + all + (int)high; }\n"));
    static const struct {
        const char *name;
        enum ir_update update;
    } expected[] = {{"s", IR_UPDATE_SUB}, {"p", IR_UPDATE_MUL},    {"a", IR_UPDATE_AND},     {"o", IR_UPDATE_OR},
                    {"e", IR_UPDATE_XOR}, {"low", IR_UPDATE_SMIN}, {"high", IR_UPDATE_UMAX}, {"all", IR_UPDATE_LAND}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        CHECK_STR(ir_update_name(expect_role(&c, 3, expected[i].name, IR_ROLE_REDUCTION)->update),
                  ir_update_name(expected[i].update));
    }
    arena_finish(&c.arena);
}

TEST(selections_know_which_way_and_whether_equals_count)
{
    static const struct {
        const char *condition;
        const char *update;
        bool inclusive;
    } forms[] = {
        {"x[i] < best", "fmin_if", false}, {"x[i] <= best", "fmin_if_eq", true},
        {"best > x[i]", "fmin_if", false}, {"best >= x[i]", "fmin_if_eq", true},
        {"x[i] > best", "fmax_if", false}, {"x[i] >= best", "fmax_if_eq", true},
        {"best < x[i]", "fmax_if", false}, {"best <= x[i]", "fmax_if_eq", true},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct analyse_case c;
        char text[512];
        snprintf(text, sizeof text,
                 "kernel int f(int n, const float x[n]) {\n"
                 "  float best = 0; int at = -1;\n"
                 "  for (int i = 0; i < n; i++) {\n"
                 "    if (%s) { best = x[i]; at = i; } }\n"
                 "  return at + (int)best; }\n",
                 forms[i].condition);
        REQUIRE(analyse_text(&c, text));
        const struct ir_scalar_role *role = expect_role(&c, 3, "best", IR_ROLE_SELECTION);
        CHECK_STR(ir_update_name(role->update), forms[i].update);
        CHECK_INT(role->inclusive, forms[i].inclusive);
        CHECK(expect_role(&c, 3, "at", IR_ROLE_COMPANION)->leader == role->var);
        arena_finish(&c.arena);
    }
}

TEST(carried_values_are_named_with_both_lines)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, const float x[n], float y[n]) {\n"
                             "  float before = 0;\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    y[i] = before;\n"
                             "    before = x[i]; } }\n"));
    const struct ir_for *loop = loop_at(&c, 3)->loop;
    CHECK_INT(loop->verdict, IR_VERDICT_IN_ORDER);
    CHECK_CONTAINS(loop->reason, "'before'");
    CHECK_INT(loop->reason_loc_a.line, 5);
    CHECK_INT(loop->reason_loc_b.line, 4);
    arena_finish(&c.arena);
}

TEST(an_array_that_each_iteration_fills_is_private)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, int m, const float x[n], float y[n]) {\n"
                             "  float t[16];\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    for (int k = 0; k < m; k++) { t[k] = x[i] * k; }\n"
                             "    float s = 0; for (int k = 0; k < m; k++) { s += t[k]; }\n"
                             "    y[i] = s; } }\n"));
    expect_role(&c, 3, "t", IR_ROLE_PRIVATE);
    CHECK_INT(loop_at(&c, 3)->loop->verdict, IR_VERDICT_PROVEN);
    arena_finish(&c.arena);
}

TEST(an_array_that_is_filled_only_in_part_is_not)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, int m, const float x[n], float y[n]) {\n"
                             "  float t[16] = {0};\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    for (int k = 1; k < m; k++) { t[k] = x[i] * k; }\n"
                             "    float s = 0; for (int k = 0; k < m; k++) { s += t[k]; }\n"
                             "    y[i] = s; } }\n"));
    CHECK(role_of(loop_at(&c, 3), "t") == NULL);
    CHECK_INT(loop_at(&c, 3)->loop->verdict, IR_VERDICT_IN_ORDER);
    arena_finish(&c.arena);
}

// What the pragma says is known to be false: an error. What merely is not known is the author's word.
TEST(a_parallel_pragma_that_cannot_hold_is_an_error)
{
    static const struct {
        const char *body;
        int error_count;
    } cases[] = {
        {"for (int i = 0; i < n; i++) { y[i] = t; t = t * 0.5f + 1; }", 1},
        {"for (int i = 1; i < n; i++) y[i] = y[i - 1] + 1;", 1},
        {"for (int i = 0; i < n; i++) y[i] = y[n - 1 - i] + 1;", 1},
        {"for (int i = 1; i < n; i++) y[i] = y[k[i]] + 1;", 0},
        {"for (int i = 0; i < n; i++) y[i + k[0]] = y[i] + 1;", 0},
        {"for (int i = 0; i < n; i++) y[i + n] = y[i] + 1;", 0},
        {"for (int i = 0; i < n; i++) y[0] = i;", 0},
        {"for (int i = 0; i < n; i++) y[k[i]] = i;", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct analyse_case c;
        char text[512];
        snprintf(text, sizeof text,
                 "kernel void f(int n, float *y, const int *k) {\nfloat t = 1;\n#pragma rill parallel\n%s }",
                 cases[i].body);
        analyse_text(&c, text);
        if (!CHECK_INT(c.diags.error_count, cases[i].error_count)) {
            FAIL("%s", cases[i].body);
        }
        arena_finish(&c.arena);
    }
}
