// Polynomials and systems of inequalities.
#include "analysis/values/system.h"
#include "test.h"

struct setting {
    struct arena arena;
    struct poly_pool pool;
};

static void open_setting(struct setting *s)
{
    arena_init(&s->arena);
    poly_pool_init(&s->pool, &s->arena);
}

TEST(sums_cancel_and_products_collect)
{
    struct setting s;
    open_setting(&s);
    const struct poly *x = poly_atom(&s.pool, 2), *y = poly_atom(&s.pool, 4);
    const struct poly *sum = poly_add(&s.pool, poly_scale(&s.pool, x, 3), poly_plus(&s.pool, y, 7));
    CHECK_INT(sum->count, 3);
    CHECK_INT(poly_constant_of(sum), 7);
    const struct poly *back = poly_sub(&s.pool, sum, poly_plus(&s.pool, y, 7));
    CHECK(poly_equal(back, poly_scale(&s.pool, x, 3)));
    const struct poly *square = poly_mul(&s.pool, poly_add(&s.pool, x, y), poly_sub(&s.pool, x, y));
    CHECK_INT(square->count, 2); // x * x - y * y
    CHECK(poly_equal(poly_divide(&s.pool, square, poly_add(&s.pool, x, y)), poly_sub(&s.pool, x, y)));
    CHECK(poly_divide(&s.pool, square, poly_plus(&s.pool, x, 1)) == NULL);
    int64_t zero;
    CHECK(poly_is_const(poly_sub(&s.pool, x, x), &zero) && zero == 0);
    arena_finish(&s.arena);
}

TEST(overflow_and_what_is_not_known_give_nothing)
{
    struct setting s;
    open_setting(&s);
    const struct poly *large = poly_scale(&s.pool, poly_atom(&s.pool, 2), INT64_MAX);
    CHECK(poly_add(&s.pool, large, large) == NULL);
    CHECK(poly_scale(&s.pool, large, 2) == NULL);
    CHECK(poly_add(&s.pool, NULL, large) == NULL);
    CHECK(poly_mul(&s.pool, large, NULL) == NULL);
    const struct poly *power = poly_atom(&s.pool, 2);
    for (int i = 1; i < POLY_MAX_DEGREE; i++) {
        power = poly_mul(&s.pool, power, poly_atom(&s.pool, 2));
    }
    CHECK(power != NULL);
    CHECK(poly_mul(&s.pool, power, poly_atom(&s.pool, 2)) == NULL);
    arena_finish(&s.arena);
}

TEST(coefficient_splits_a_sum)
{
    struct setting s;
    open_setting(&s);
    const struct poly *i = poly_atom(&s.pool, 2), *m = poly_atom(&s.pool, 4), *j = poly_atom(&s.pool, 6);
    const struct poly *flat = poly_plus(&s.pool, poly_add(&s.pool, poly_mul(&s.pool, i, m), j), 5);
    const struct poly *rest;
    CHECK(poly_equal(poly_coefficient(&s.pool, flat, 2, &rest), m));
    CHECK(poly_equal(rest, poly_plus(&s.pool, j, 5)));
    CHECK(poly_coefficient(&s.pool, poly_mul(&s.pool, i, i), 2, &rest) == NULL);
    CHECK(poly_equal(poly_replace(&s.pool, flat, 2, poly_const(&s.pool, 0)), poly_plus(&s.pool, j, 5)));
    arena_finish(&s.arena);
}

TEST(memory_goes_back_to_the_mark)
{
    struct setting s;
    open_setting(&s);
    struct poly_mark mark = poly_mark(&s.pool);
    size_t before = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 2000; i++) {
            poly_scale(&s.pool, poly_atom(&s.pool, 2), i + 2);
        }
        poly_release(&s.pool, mark);
        before = round == 0 ? s.arena.used_size : before;
    }
    CHECK_UINT(s.arena.used_size, before);
    arena_finish(&s.arena);
}

static const struct poly *linear(struct setting *s, int64_t a, int64_t b, int64_t constant)
{
    const struct poly *x = poly_scale(&s->pool, poly_atom(&s->pool, 2), a);
    const struct poly *y = poly_scale(&s->pool, poly_atom(&s->pool, 4), b);
    return poly_plus(&s->pool, poly_add(&s->pool, x, y), constant);
}

TEST(contradictions_are_found)
{
    struct setting s;
    open_setting(&s);
    struct system *system = ARENA_NEW(&s.arena, struct system);
    system_add(system, linear(&s, 1, -1, -1), false); // x > y
    system_add(system, linear(&s, -1, 1, -1), false); // y > x
    CHECK(system_is_infeasible(system));
    system_clear(system);
    system_add(system, linear(&s, 1, -1, -1), false);
    CHECK(!system_is_infeasible(system));
    arena_finish(&s.arena);
}

TEST(integers_are_not_fractions)
{
    struct setting s;
    open_setting(&s);
    struct system *system = ARENA_NEW(&s.arena, struct system);
    system_add(system, linear(&s, 2, -2, -1), true); // 2x == 2y + 1
    CHECK(system_is_infeasible(system));
    system_clear(system);
    system_add(system, linear(&s, 8, -8, -1), false); // 1 <= 8 (x - y) <= 7
    system_add(system, linear(&s, -8, 8, 7), false);
    CHECK(system_is_infeasible(system));
    system_clear(system);
    system_add(system, linear(&s, 8, -8, -1), false);
    system_add(system, linear(&s, -8, 8, 8), false);
    CHECK(!system_is_infeasible(system));
    arena_finish(&s.arena);
}

static bool is_y(const struct poly_term *column, void *data)
{
    (void)data;
    return column->degree == 1 && column->ids[0] == 4;
}

TEST(projection_leaves_what_must_hold_of_the_rest)
{
    struct setting s;
    open_setting(&s);
    struct system *system = ARENA_NEW(&s.arena, struct system);
    system_add(system, linear(&s, 1, 0, -3), false);  // x >= 3
    system_add(system, linear(&s, -1, 1, -1), false); // x <= y - 1
    system_project(system, is_y, NULL);
    REQUIRE(system->row_count == 1);
    CHECK(poly_equal(system_row_value(&s.pool, system, 0), linear(&s, 0, 1, -4))); // y >= 4
    arena_finish(&s.arena);
}

// Every point of a small box is tried: a system that has a solution there must not be called infeasible.
TEST(no_system_with_a_solution_is_called_infeasible)
{
    struct setting s;
    open_setting(&s);
    struct system *system = ARENA_NEW(&s.arena, struct system);
    uint64_t state = 7;
    int infeasible = 0;
    for (int round = 0; round < 3000; round++) {
        struct poly_mark mark = poly_mark(&s.pool);
        int64_t rows[5][3];
        bool equal[5];
        system_clear(system);
        for (int r = 0; r < 5; r++) {
            for (int c = 0; c < 3; c++) {
                state = state * UINT64_C(6364136223846793005) + 1;
                rows[r][c] = (int64_t)(state >> 40) % 9 - 4;
            }
            equal[r] = (state >> 35) % 4 == 0;
            system_add(system, linear(&s, rows[r][0], rows[r][1], rows[r][2]), equal[r]);
        }
        bool has_solution = false;
        for (int64_t x = -12; x <= 12 && !has_solution; x++) {
            for (int64_t y = -12; y <= 12 && !has_solution; y++) {
                has_solution = true;
                for (int r = 0; r < 5; r++) {
                    int64_t value = rows[r][0] * x + rows[r][1] * y + rows[r][2];
                    has_solution = has_solution && (equal[r] ? value == 0 : value >= 0);
                }
            }
        }
        bool is_infeasible = system_is_infeasible(system);
        infeasible += is_infeasible;
        if (is_infeasible && has_solution) {
            FAIL("round %d", round);
        }
        poly_release(&s.pool, mark);
    }
    CHECK(infeasible > 500);
    arena_finish(&s.arena);
}
