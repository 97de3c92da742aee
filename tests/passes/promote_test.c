#include "lower_case.h"

static void run_promoted(const char *path, const char *name)
{
    struct lower_case c;
    case_lower(&c, path, NULL);
    if (c.module == NULL) {
        FAIL("%s: %s", name, case_errors(&c));
        arena_finish(&c.arena);
        return;
    }
    case_promote(&c);
    case_run_as_gcc(&c, path, name);
    arena_finish(&c.arena);
}

TEST(promoted_kernels_compute_what_gcc_computes)
{
    CHECK(case_for_each("lower_run", run_promoted) > 0);
}

static void check_promoted(const char *path, const char *name)
{
    struct lower_case c;
    case_lower(&c, path, NULL);
    if (c.module == NULL) {
        FAIL("%s: %s", name, case_errors(&c));
    } else {
        case_promote(&c);
        if (case_verify(&c, name)) {
            case_compare(path, ".ir", case_plain_ir(&c));
        }
    }
    arena_finish(&c.arena);
}

TEST(locals_that_need_no_address_become_the_scalars_beside_them)
{
    CHECK(case_for_each("lower_promote", check_promoted) > 0);
}
