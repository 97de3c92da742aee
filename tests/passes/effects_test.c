// What loops touch: regions, steps, must, pairs, atomics, reductions of memory.
#include "analyse_case.h"

static const char *region_text(struct analyse_case *c, const struct plan_effect *effect)
{
    static struct plan_kernel kernel; // names of parameters, for printing
    struct ir_function *from = NULL;
    for (int i = 0; i < c->module->function_count; i++) {
        from = c->module->functions[i]->kind == IR_FUNCTION_KERNEL ? c->module->functions[i] : from;
    }
    kernel.param_count = from->param_count;
    kernel.params = ARENA_ARRAY(&c->arena, struct plan_param, from->param_count + 1);
    for (int i = 0; i < from->param_count; i++) {
        kernel.params[i].name = from->params[i].name;
    }
    struct str text;
    str_init(&text, &c->arena);
    if (effect->region.low == NULL) {
        return "all";
    }
    plan_expr_print(&kernel, effect->region.low, &text);
    str_add(&text, " to ");
    plan_expr_print(&kernel, effect->region.high, &text);
    if (effect->region.step != NULL) {
        str_add(&text, " step ");
        plan_expr_print(&kernel, effect->region.step, &text);
    }
    return str_text(&text);
}

static const struct plan_effect *effect_on(struct analyse_case *c, uint32_t line, int param, enum plan_access access)
{
    const struct loop_facts *facts = loop_at(c, line)->loop->analysis;
    for (int i = 0; i < facts->effect_count; i++) {
        if (facts->effects[i].base == PLAN_BASE_PARAM && facts->effects[i].index == param &&
            facts->effects[i].access == access) {
            return &facts->effects[i];
        }
    }
    static const struct plan_effect none;
    FAIL("line %u: no such effect on parameter %d", line, param);
    return &none;
}

static bool has_effect(struct analyse_case *c, uint32_t line, int param, enum plan_access access)
{
    const struct loop_facts *facts = loop_at(c, line)->loop->analysis;
    for (int i = 0; i < facts->effect_count; i++) {
        if (facts->effects[i].index == param && facts->effects[i].access == access) {
            return true;
        }
    }
    return false;
}

TEST(regions_reach_from_the_first_byte_to_the_last)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, const float x[n], float y[n]) {\n"
                             "  for (int i = 1; i < n - 1; i++) {\n"
                             "    y[i] = x[i - 1] + x[i + 1]; } }\n"));
    CHECK_STR(region_text(&c, effect_on(&c, 2, 1, PLAN_READ)), "0 to n * 4");
    CHECK_STR(region_text(&c, effect_on(&c, 2, 2, PLAN_WRITE)), "4 to (n * 4) - 4");
    CHECK(effect_on(&c, 2, 2, PLAN_WRITE)->is_must);
    CHECK(!has_effect(&c, 2, 1, PLAN_WRITE));
    arena_finish(&c.arena);
}

TEST(steps_are_kept)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, double x[n]) {\n"
                             "  for (int i = 3; i < n; i += 5) {\n"
                             "    x[i] = 1; } }\n"));
    CHECK_STR(region_text(&c, effect_on(&c, 2, 1, PLAN_WRITE)), "24 to n * 8 step 40");
    CHECK(!effect_on(&c, 2, 1, PLAN_WRITE)->is_must);
    arena_finish(&c.arena);
}

TEST(rows_of_a_matrix_depend_on_the_outer_variable)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, int m, float a[n][m]) {\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    for (int j = 0; j < m; j++) {\n"
                             "      a[i][j] = i; } } }\n"));
    CHECK_STR(region_text(&c, effect_on(&c, 2, 2, PLAN_WRITE)), "0 to (n * m) * 4");
    CHECK(effect_on(&c, 2, 2, PLAN_WRITE)->is_must);
    CHECK(effect_on(&c, 3, 2, PLAN_WRITE)->is_must);
    arena_finish(&c.arena);
}

TEST(writes_under_conditions_are_not_certain)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, float x[n], float y[n], float z[n]) {\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    if (x[i] > 0) { y[i] = 1; }\n"
                             "    z[x[i] > 0 ? i : n - 1 - i] = 2; } }\n"));
    CHECK(!effect_on(&c, 2, 2, PLAN_WRITE)->is_must);
    CHECK(!effect_on(&c, 2, 3, PLAN_WRITE)->is_must);
    arena_finish(&c.arena);
}

TEST(an_index_that_may_wrap_or_is_data_reaches_all)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, int m, const int *b, float *x, float *y) {\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    x[b[i]] = 1; y[i * m] = 2; } }\n"));
    CHECK_STR(region_text(&c, effect_on(&c, 2, 3, PLAN_WRITE)), "all");
    CHECK_STR(region_text(&c, effect_on(&c, 2, 4, PLAN_WRITE)), "all");
    arena_finish(&c.arena);
}

static bool is_tested(const struct plan_effect *effect)
{
    const struct plan_expr *high = effect->region.high;
    return high != NULL && high->kind == PLAN_EXPR_OP && high->op == IR_OP_SELECT && plan_expr_is_of_arguments(high);
}

TEST(an_index_of_arguments_is_tested_for_wrapping)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c,
                         "kernel void f(int n, int k, int l, const int b[n], float x[n], float y[n], float z[n]) {\n"
                         "  for (int i = 0; i < n; i++) {\n"
                         "    x[i + k - l] = 1; y[2 * i + k * l] += 1;\n"
                         "    for (int j = 0; j < i; j++) { z[j + b[0]] = 2; } } }\n"));
    CHECK(is_tested(effect_on(&c, 2, 4, PLAN_WRITE)));
    CHECK(!effect_on(&c, 2, 4, PLAN_WRITE)->is_must && !effect_on(&c, 2, 4, PLAN_WRITE)->is_sure);
    CHECK(effect_on(&c, 2, 4, PLAN_WRITE)->region.step == NULL);
    CHECK(is_tested(effect_on(&c, 2, 5, PLAN_UPDATE)));
    CHECK(effect_on(&c, 2, 5, PLAN_UPDATE)->region.step != NULL);
    CHECK_STR(region_text(&c, effect_on(&c, 2, 6, PLAN_WRITE)), "0 to n * 4"); // what is loaded is no argument
    arena_finish(&c.arena);
}

// A launch tests few indices of one array.
TEST(many_offsets_are_one_region)
{
    struct analyse_case c;
    REQUIRE(analyse_text(
        &c, "kernel void f(int n, int a, int b, int c, int d, int e, const float x[n], float y[n]) {\n"
            "  for (int i = 0; i < n; i++) {\n"
            "    y[i] = x[i + a + b] + x[i + a + c] + x[i + a + d] + x[i + a + e] + x[i + b + c] + x[i + b + d]\n"
            "         + x[i + b + e] + x[i + c + d] + x[i + c + e] + x[i + d + e + 1]; } }\n"));
    const struct loop_facts *facts = loop_at(&c, 2)->loop->analysis;
    int tested = 0, whole = 0;
    for (int i = 0; i < facts->effect_count; i++) {
        bool reads = facts->effects[i].access == PLAN_READ;
        tested += reads && is_tested(&facts->effects[i]);
        whole += reads && strcmp(region_text(&c, &facts->effects[i]), "0 to n * 4") == 0;
    }
    CHECK_INT(tested, 5);
    CHECK_INT(whole, 1);
    arena_finish(&c.arena);
}

TEST(pairs_say_whether_equal_will_do)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, const float x[n], const float z[n], float y[n]) {\n"
                             "  for (int i = 1; i < n; i++) {\n"
                             "    y[i] = x[i] + z[i - 1]; } }\n"));
    const struct loop_facts *facts = loop_at(&c, 2)->loop->analysis;
    CHECK_INT(facts->pair_count, 2);
    for (int i = 0; i < facts->pair_count; i++) {
        int other = facts->effects[facts->pairs[i].a].index == 3 ? facts->pairs[i].b : facts->pairs[i].a;
        CHECK_INT(facts->pairs[i].equal_will_do, facts->effects[other].index == 1);
        CHECK(facts->pairs[i].loc_a.line == 3 && facts->pairs[i].loc_b.line == 3);
    }
    arena_finish(&c.arena);
}

TEST(restrict_drops_the_pair)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, const float *x, float *restrict y) {\n"
                             "  for (int i = 1; i < n; i++) {\n"
                             "    y[i] = x[i - 1]; } }\n"));
    const struct loop_facts *facts = loop_at(&c, 2)->loop->analysis;
    CHECK_INT(facts->pair_count, 0);
    arena_finish(&c.arena);
}

TEST(only_shared_updates_are_atomic)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, const int b[n], float x[n], float h[8]) {\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    x[i] += 1; h[b[i]] += 2; } }\n"));
    CHECK(!effect_on(&c, 2, 2, PLAN_UPDATE)->is_atomic);
    CHECK(effect_on(&c, 2, 3, PLAN_UPDATE)->is_atomic);
    const struct loop_facts *facts = loop_at(&c, 2)->loop->analysis;
    CHECK(facts->independent_by_updates);
    CHECK_INT(facts->reduction_count, 0);
    arena_finish(&c.arena);
}

struct find_calls {
    struct ir_function *functions[16];
    int count;
};

static bool note_call(struct ir_inst *inst, void *user)
{
    struct find_calls *find = user;
    if (inst->op == IR_OP_CALL && find->count < 16) {
        find->functions[find->count++] = inst->function;
    }
    return true;
}

static bool is_plain(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_UPDATE || !inst->atomic;
}

static struct find_calls calls_of(struct analyse_case *c, const char *kernel)
{
    struct find_calls find = {0};
    for (int i = 0; i < c->module->function_count; i++) {
        if (strcmp(c->module->functions[i]->name, kernel) == 0) {
            walk_region(&c->module->functions[i]->body, note_call, &find);
        }
    }
    return find;
}

TEST(helpers_are_specialised_by_what_their_arguments_point_to)
{
    struct analyse_case c;
    REQUIRE(analyse_text_calling(&c,
                                 "static void add(int *p, int at) { p[at] += 1; }\n"
                                 "static void twice(int *p, int *q, int at) { add(p, at); add(q, at & 3); }\n"
                                 "kernel void f(int n, const int b[n], int x[n], int h[8]) {\n"
                                 "  for (int i = 0; i < n; i++) {\n"
                                 "    add(x, i); add(h, b[i]); add(h, b[i] + 1); twice(x, h, i); } }\n"
                                 "kernel void g(int n, int x[n]) {\n"
                                 "  for (int i = 0; i < n; i++) { add(x, i); } }\n",
                                 1));
    struct find_calls calls = calls_of(&c, "f"), others = calls_of(&c, "g");
    REQUIRE(calls.count == 4 && others.count == 1);
    CHECK(calls.functions[0] == others.functions[0]); // nothing is shared: the helper as it is
    CHECK(calls.functions[1] == calls.functions[2] && calls.functions[1] != calls.functions[0]);
    CHECK(walk_region(&calls.functions[0]->body, is_plain, NULL));
    CHECK(!walk_region(&calls.functions[1]->body, is_plain, NULL));
    struct find_calls nested = {0};
    walk_region(&calls.functions[3]->body, note_call, &nested);
    REQUIRE(nested.count == 2);
    CHECK(nested.functions[0] == calls.functions[0] && nested.functions[1] == calls.functions[1]);
    CHECK(!effect_on(&c, 4, 2, PLAN_UPDATE)->is_atomic);
    CHECK(effect_on(&c, 4, 3, PLAN_UPDATE)->is_atomic);
    struct str why;
    str_init(&why, &c.arena);
    CHECK(ir_verify(c.module, &why));
    arena_finish(&c.arena);
}

TEST(a_helper_with_too_many_variants_has_one_in_which_all_is_atomic)
{
    struct analyse_case c;
    REQUIRE(analyse_text_calling(
        &c,
        "static void add(int *p, int *q, int *r, int *s, int k) {\n"
        "  *p += k; *q += 1; *r ^= 2; *s -= 3; }\n"
        "kernel void f(int n, const int b[n], int x[n], int y[n], int z[n], int w[n], int h[8]) {\n"
        "  for (int i = 0; i < n; i++) {\n"
        "    int j = b[i];\n"
        "    add(x + i, y + i, z + i, w + i, j); add(h + j, y + i, z + i, w + i, j);\n"
        "    add(x + i, h + j, z + i, w + i, j); add(h + j, h + j, z + i, w + i, j); }\n"
        "  for (int i = 0; i < n; i++) {\n"
        "    int j = b[i];\n"
        "    add(x + i, y + i, h + j, w + i, j); add(x + j, y + i, h + j, w + i, j);\n"
        "    add(x + i, y + j, h + j, w + i, j); add(x + j, y + j, h + j, w + i, j); }\n"
        "  for (int i = 0; i < n; i++) {\n"
        "    int j = b[i];\n"
        "    add(x + i, y + i, z + i, h + j, j); add(x + j, y + i, z + i, h + j, j);\n"
        "    add(x + i, y + j, z + i, h + j, j); add(x + j, y + j, z + i, h + j, j); } }\n",
        1));
    struct find_calls calls = calls_of(&c, "f");
    REQUIRE(calls.count == 12);
    int different = 0;
    for (int i = 0; i < calls.count; i++) {
        bool is_new = true;
        for (int k = 0; k < i; k++) {
            is_new &= calls.functions[k] != calls.functions[i];
        }
        different += is_new;
    }
    CHECK(different <= 10);
    arena_finish(&c.arena);
}

TEST(an_update_of_several_places_is_atomic_if_one_of_them_is_shared)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, int k, int *restrict x, int *restrict y) {\n"
                             "  stream_parallel {\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "      int *p = i < k ? x : y; p[i] += 1; } }\n"
                             "  stream_parallel {\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "      x[i] += 2; } } }\n"));
    CHECK(effect_on(&c, 3, 2, PLAN_UPDATE)->is_atomic);
    CHECK(effect_on(&c, 3, 3, PLAN_UPDATE)->is_atomic);
    CHECK(effect_on(&c, 6, 2, PLAN_UPDATE)->is_atomic);
    arena_finish(&c.arena);
}

TEST(what_a_helper_surely_writes_is_certain)
{
    struct analyse_case c;
    REQUIRE(analyse_text_calling(&c,
                                 "static void set(float *p, int m) { for (int j = 0; j < m; j++) { p[j] = j; } }\n"
                                 "static void maybe(float *p, int m) { if (m > 3) { return; } p[0] = m; }\n"
                                 "kernel void f(int n, int m, float x[n][m], float y[n]) {\n"
                                 "  for (int i = 0; i < n; i++) {\n"
                                 "    set(x[i], m); maybe(&y[i], m); } }\n",
                                 1));
    CHECK(effect_on(&c, 4, 2, PLAN_WRITE)->is_must);
    CHECK(!effect_on(&c, 4, 3, PLAN_WRITE)->is_must);
    arena_finish(&c.arena);
}

TEST(updates_are_judged_by_the_loop_that_becomes_the_task)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, int m, const float a[n][m], float s[m]) {\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    for (int j = 0; j < m; j++) {\n"
                             "      s[j] += a[i][j]; } } }\n"));
    const struct loop_facts *outer = loop_at(&c, 2)->loop->analysis;
    const struct loop_facts *inner = loop_at(&c, 3)->loop->analysis;
    CHECK(outer->independent_by_updates);
    CHECK(!inner->independent_by_updates);
    CHECK(effect_on(&c, 2, 3, PLAN_UPDATE)->is_atomic); // the outer loop is the task
    CHECK_INT(outer->shared_count, 1);
    CHECK(facts_is_shared(loop_at(&c, 2), outer->shared[0]));
    CHECK(!facts_is_shared(loop_at(&c, 3), outer->shared[0]));
    arena_finish(&c.arena);
}

TEST(updates_of_one_address_are_a_reduction)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "int total;\n"
                             "kernel void f(int n, int k, const int x[n], int out[4]) {\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    out[k] += x[i]; out[k] -= 1; total += i; } }\n"));
    const struct loop_facts *facts = loop_at(&c, 3)->loop->analysis;
    CHECK_INT(loop_at(&c, 3)->loop->verdict, IR_VERDICT_PROVEN);
    REQUIRE(facts->reduction_count == 2);
    CHECK_INT(facts->reductions[0].update_count, 2);
    CHECK_INT(facts->reductions[1].update_count, 1);
    CHECK(!facts->independent_by_updates);
    arena_finish(&c.arena);
}

TEST(updates_of_one_address_in_called_helpers_are_a_reduction)
{
    struct analyse_case c;
    REQUIRE(analyse_text_calling(&c,
                                 "static void add(int *p, int v) { *p += v; }\n"
                                 "static void both(int *p, int v) { add(p, v); add(&p[2], -v); }\n"
                                 "kernel void f(int n, int k, const int x[n], int out[8], int own[n]) {\n"
                                 "  for (int i = 0; i < n; i++) {\n"
                                 "    both(&out[k], x[i]); out[k] -= 1; add(&own[i], 1); } }\n",
                                 1));
    const struct loop_facts *facts = loop_at(&c, 4)->loop->analysis;
    CHECK_INT(loop_at(&c, 4)->loop->verdict, IR_VERDICT_PROVEN);
    REQUIRE(facts->reduction_count == 2);
    CHECK_INT(facts->reductions[0].update_count, 2);
    CHECK(facts->reductions[0].updates[0].context != NULL);
    CHECK(facts->reductions[0].updates[1].context == NULL);
    CHECK_INT(facts->reductions[1].update_count, 1);
    CHECK(!facts->independent_by_updates);
    arena_finish(&c.arena);
}

TEST(an_address_that_a_called_helper_computes_is_no_reduction)
{
    struct analyse_case c;
    REQUIRE(analyse_text_calling(&c,
                                 "static void add(int *p, const int *b, int v) { p[b[0]] += v; }\n"
                                 "static void step(int *p, int v) { int *q = p; if (v & 1) q++; *q += v; }\n"
                                 "kernel void f(int n, const int b[n], int out[4], int other[4]) {\n"
                                 "  for (int i = 0; i < n; i++) {\n"
                                 "    add(out, b, i); step(other, i); } }\n",
                                 1));
    const struct loop_facts *facts = loop_at(&c, 4)->loop->analysis;
    CHECK_INT(facts->reduction_count, 0);
    CHECK(facts->independent_by_updates);
    CHECK(effect_on(&c, 4, 2, PLAN_UPDATE)->is_atomic);
    CHECK(effect_on(&c, 4, 3, PLAN_UPDATE)->is_atomic);
    arena_finish(&c.arena);
}

// Both stand in one line of the source, and one of them is no reduction: what is said of the one is not said of both.
TEST(an_effect_of_more_than_reductions_stays_atomic)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "static void add(int *p, int v) { *p += v; }\n"
                             "kernel void f(int n, const int b[n], int out[8]) {\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    add(&out[0], 1); add(&out[b[i] & 7], 1); } }\n"));
    const struct loop_facts *facts = loop_at(&c, 3)->loop->analysis;
    REQUIRE(facts->reduction_count == 1);
    CHECK_INT(facts->reductions[0].updates[0].effect, -1);
    CHECK(facts->independent_by_updates);
    arena_finish(&c.arena);
}

TEST(an_address_that_the_loop_computes_is_no_reduction)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, const int b[n], int out[4]) {\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    int k = b[0]; out[k] += i; } }\n"));
    const struct loop_facts *facts = loop_at(&c, 2)->loop->analysis;
    CHECK_INT(facts->reduction_count, 0);
    CHECK(effect_on(&c, 2, 2, PLAN_UPDATE)->is_atomic);
    arena_finish(&c.arena);
}

TEST(trip_and_cost_are_expressions_of_the_launch)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(int n, int m, const float a[n][m], float y[n]) {\n"
                             "  for (int i = 2; i <= n; i += 3) {\n"
                             "    float s = 0;\n"
                             "    for (int j = 0; j < m; j++) { s += a[i - 2][j]; }\n"
                             "    y[i - 2] = s; } }\n"));
    const struct loop_facts *facts = loop_at(&c, 2)->loop->analysis;
    REQUIRE(facts->trip != NULL && facts->cost != NULL);
    CHECK_INT(facts->trip->kind, PLAN_EXPR_TRIP);
    int32_t args[4] = {20, 1000};
    struct plan_param params[4] = {{.type = IR_I32, .offset = 0}, {.type = IR_I32, .offset = 4}};
    struct plan_kernel kernel = {.params = params, .param_count = 4};
    struct plan_values values = {.kernel = &kernel, .args = args};
    union ir_value trip, cost;
    REQUIRE(plan_eval(facts->trip, &values, &trip) && plan_eval(facts->cost, &values, &cost));
    CHECK_INT(trip.i, 7);
    CHECK(cost.i > 3000 && cost.i < 30000);
    arena_finish(&c.arena);
}

TEST(bounds_that_the_body_may_change_bound_nothing)
{
    struct analyse_case c;
    REQUIRE(analyse_text(&c, "kernel void f(const int *count, float *x, const float *restrict y, float *restrict z) {\n"
                             "  for (int i = 0; i < count[0]; i++) {\n"
                             "    x[i] = 1; }\n"
                             "  for (int i = 0; i < count[0]; i++) {\n"
                             "    z[i] = y[i]; } }\n"));
    CHECK_STR(region_text(&c, effect_on(&c, 2, 1, PLAN_WRITE)), "all");
    const struct loop_facts *facts = loop_at(&c, 2)->loop->analysis;
    CHECK_INT(facts->pair_count, 1);
    arena_finish(&c.arena);
}
