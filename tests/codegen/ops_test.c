// Every operation over edge values: compiled code and ir_fold give the same bits, vectorised and not.
#include "trials.h"

static void check_trial(struct fixture *f, const struct trial *t)
{
    static uint64_t a[PAIR_COUNT], b[PAIR_COUNT], c[PAIR_COUNT], out[PAIR_COUNT];
    int count = fill_trial(t, a, b, c);
    void *args[4] = {a, b, c, out};
    struct test_frame frame = new_frame(count);
    abi_entry *entry = fixture_entry(f, t->name);
    if (entry != NULL) {
        entry(args, NULL, 0, count, NULL, &frame.frame);
        compare_trial(t, count, a, b, c, out);
    }
}

static void check_all(const struct codegen_options *options)
{
    static struct trial trials[TRIAL_LIMIT];
    struct fixture f;
    int count = build_trials(&f, trials);
    if (fixture_build(&f, options)) {
        for (int i = 0; i < count; i++) {
            check_trial(&f, &trials[i]);
        }
    }
    fixture_finish(&f);
}

TEST(operations_give_the_bits_of_ir_fold_when_vectorised)
{
    check_all(&(struct codegen_options){0});
}

TEST(operations_give_the_bits_of_ir_fold_when_not_optimised)
{
    check_all(&(struct codegen_options){.unoptimised = true});
}

TEST(operations_give_the_bits_of_ir_fold_with_avx2)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        SKIP("no AVX2");
    }
    check_all(&(struct codegen_options){.target = "x86-64-v3"});
}

TEST(operations_give_the_bits_of_ir_fold_on_the_oldest_cpu)
{
    check_all(&(struct codegen_options){.target = "x86-64"});
}
