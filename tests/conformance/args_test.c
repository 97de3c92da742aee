// RILL_ARGS makes the same list under every compiler: this file is built by gcc and clang as C, and by g++ and clang++
// as C++ through tests/house. It runs no kernel.
#include "rill/rill.h"

#include "test.h"

struct pair {
    int a;
    float b;
};

static rill_args keep(rill_args args, rill_arg *copy)
{
    for (size_t i = 0; i < args.count; i++) {
        copy[i] = args.items[i];
    }
    return args;
}

TEST(no_arguments_make_an_empty_list)
{
    rill_arg copy[64];
    CHECK_INT(keep(RILL_ARGS(), copy).count, 0);
}

TEST(one_argument_is_one_also_in_parentheses)
{
    rill_arg copy[64];
    int n = 5;
    CHECK_INT(keep(RILL_ARGS(n), copy).count, 1);
    CHECK_INT(copy[0].kind, RILL_ARG_INT);
    CHECK_INT(copy[0].value.i, 5);
    CHECK_INT(keep(RILL_ARGS((n)), copy).count, 1);
    CHECK_INT(keep(RILL_ARGS((long)n + 1), copy).count, 1);
    CHECK_INT(copy[0].value.i, 6);
}

TEST(every_scalar_type_has_its_kind)
{
    rill_arg copy[64];
    const unsigned char uc = 200;
    signed char sc = -3;
    short sh = -4;
    unsigned short us = 60000;
    unsigned u = 4000000000u;
    long l = -5;
    unsigned long ul = 18446744073709551615ul;
    long long ll = -6;
    unsigned long long ull = 7;
    float f = 0.5f;
    const double d = -0.25;
    bool b = true;
    char c = 'x';
    CHECK_INT(keep(RILL_ARGS(uc, sc, sh, us, u, l, ul, ll, ull, f, d, b, c), copy).count, 13);
    CHECK_INT(copy[0].kind, RILL_ARG_UINT);
    CHECK_INT(copy[0].value.u, 200);
    CHECK_INT(copy[1].value.i, -3);
    CHECK_INT(copy[2].value.i, -4);
    CHECK_INT(copy[3].kind, RILL_ARG_UINT);
    CHECK_UINT(copy[4].value.u, 4000000000u);
    CHECK_INT(copy[5].value.i, -5);
    CHECK_UINT(copy[6].value.u, 18446744073709551615ul);
    CHECK_INT(copy[6].kind, RILL_ARG_UINT);
    CHECK_INT(copy[7].value.i, -6);
    CHECK_UINT(copy[8].value.u, 7);
    CHECK_INT(copy[9].kind, RILL_ARG_FLOAT);
    CHECK_NEAR(copy[9].value.f, 0.5, 0);
    CHECK_NEAR(copy[10].value.f, -0.25, 0);
    CHECK_INT(copy[11].value.u, 1);
    CHECK_INT(copy[12].value.i, 'x');
}

TEST(arrays_memory_and_structs_have_their_kind)
{
    rill_arg copy[64];
    rill_array array;
    array.id = 77;
    float host[4] = {0};
    const int32_t constants[3] = {1, 2, 3};
    struct pair pairs[2] = {{1, 2}, {3, 4}};
    size_t n = 4;
    CHECK_INT(
        keep(RILL_ARGS(array, RILL_PTR(host, n), RILL_HOST(constants, 3), RILL_HOST(pairs, 2), RILL_STRUCT(pairs[1])),
             copy)
            .count,
        5);
    CHECK_INT(copy[0].kind, RILL_ARG_ARRAY);
    CHECK_INT(copy[0].value.id, 77);
    CHECK_INT(copy[1].kind, RILL_ARG_PTR);
    CHECK_INT(copy[1].type, RILL_F32);
    CHECK(copy[1].value.pointer == host);
    CHECK_INT(copy[1].count, 4);
    CHECK_INT(copy[2].kind, RILL_ARG_CONST_HOST);
    CHECK_INT(copy[2].type, RILL_I32);
    CHECK_INT(copy[2].size, 4);
    CHECK_INT(copy[3].kind, RILL_ARG_HOST);
    CHECK_INT(copy[3].type, RILL_RECORD);
    CHECK_INT(copy[3].size, sizeof(struct pair));
    CHECK_INT(copy[4].kind, RILL_ARG_STRUCT);
    CHECK(copy[4].value.pointer == &pairs[1]);
    CHECK_INT(copy[4].size, sizeof(struct pair));
}

TEST(sixty_four_arguments_keep_their_order)
{
    rill_arg copy[64];
    CHECK_INT(keep(RILL_ARGS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                             26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
                             49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64),
                   copy)
                  .count,
              64);
    for (int i = 0; i < 64; i++) {
        CHECK_INT(copy[i].value.i, i + 1);
    }
}

TEST(each_argument_is_evaluated_once)
{
    rill_arg copy[64];
    int n = 0;
    int host[1] = {0};
    CHECK_INT(keep(RILL_ARGS(n++, RILL_HOST(host, 1)), copy).count, 2);
    CHECK_INT(n, 1);
}

TEST(shapes_have_rank_and_extents)
{
    int n = 3;
    size_t m = 4;
    rill_shape shape = RILL_SHAPE(n, m, 5);
    CHECK_INT(shape.rank, 3);
    CHECK_INT(shape.extents[0], 3);
    CHECK_INT(shape.extents[1], 4);
    CHECK_INT(shape.extents[2], 5);
    CHECK_INT(shape.extents[3], 0);
}
