// RILL_ARGS as C and as C++, called with everything it takes. Compiled and run by args_test.py with four compilers; the
// exit status is the number of the check that failed, or 0.
#include <rill/args.h>

#include <string.h>

struct point {
    double x, y;
};

static int check_number;
static int first_failure;

static void check(int holds)
{
    check_number++;
    if (!holds && first_failure == 0) {
        first_failure = check_number;
    }
}

// Takes the list as the calls of the API do: by value, read inside the call.
static void check_kinds(rill_args args, const char *kinds)
{
    static const char letters[] = "?iufapHsPC"; // by rill_arg_kind
    check(args.count == strlen(kinds));
    for (size_t i = 0; i < args.count; i++) {
        check(letters[args.items[i].kind] == kinds[i]);
    }
}

static void check_values(rill_args args)
{
    check(args.items[0].value.i == -5);
    check(args.items[1].value.u == 7);
    check(args.items[2].value.f == 0.5);
    check(args.items[3].value.id == 42);
    check(args.items[4].value.pointer != NULL && args.items[4].count == 3 && args.items[4].size == sizeof(float));
    check(args.items[4].type == RILL_F32);
    check(args.items[5].type == RILL_I64 && args.items[5].count == 2);
    check(args.items[6].size == sizeof(struct point));
    check(((const struct point *)args.items[6].value.pointer)->y == 2.0);
    check(args.items[7].type == RILL_RECORD && args.items[7].size == sizeof(struct point));
}

static void check_sequence(rill_args args, size_t count)
{
    check(args.count == count);
    for (size_t i = 0; i < args.count; i++) {
        check(args.items[i].value.i == (int64_t)i);
    }
}

static int one(void)
{
    return 1;
}

int main(void)
{
    float floats[3] = {1, 2, 3};
    const long longs[2] = {4, 5};
    struct point p = {1.0, 2.0};
    struct point *points = &p;
    const struct point *fixed = &p;
    rill_array array = {42};
    unsigned seven = 7;
    const int constant = 3;

    check_kinds(RILL_ARGS(), "");
    check_kinds(RILL_ARGS(1), "i");
    check_kinds(RILL_ARGS((1)), "i");
    check_kinds(RILL_ARGS(one()), "i");
    check_kinds(RILL_ARGS(constant), "i");
    check_kinds(RILL_ARGS(array), "a");
    check_kinds(RILL_ARGS((char)1, (signed char)1, (short)1, 1, 1L, 1LL), "iiiiii");
    check_kinds(RILL_ARGS((unsigned char)1, (unsigned short)1, 1U, 1UL, 1ULL, (size_t)1), "uuuuuu");
    check_kinds(RILL_ARGS(1.0f, 1.0), "ff");
    check_values(RILL_ARGS(-5, seven, 0.5f, array, RILL_PTR(floats, 3), RILL_HOST(longs, 2), RILL_STRUCT(p),
                           RILL_HOST(points, 1)));
    check_kinds(RILL_ARGS(-5, seven, 0.5f, array, RILL_PTR(floats, 3), RILL_HOST(longs, 2), RILL_STRUCT(p)), "iufapCs");
    check_kinds(RILL_ARGS(RILL_PTR(longs, 2), RILL_HOST(floats, 3), RILL_HOST(points, 1), RILL_HOST(fixed, 1),
                          RILL_PTR(fixed, 1)),
                "PHHCP");
    check_sequence(RILL_ARGS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                             25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                             48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62),
                   63);
    check_sequence(RILL_ARGS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                             25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                             48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63),
                   64);
    return first_failure;
}
