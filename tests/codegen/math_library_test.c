// The math library of GPU kernels: our own functions are the ones called, inlined, and made of the GPU's instructions.
#include "support.h"

// The assembly of y[i] = f(f(… x[i])), so many |times|, or NULL.
static char *emit_times(const char *target, enum ir_math math, enum ir_type type, int times)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "x", IR_PTR);
    fixture_param(&f, "y", IR_PTR);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    struct ir_inst *args[2] = {fixture_load(&f, 0, iter, type), fixture_load(&f, 1, iter, type)};
    int count = ir_math_arg_count(math);
    for (int i = 0; i < times; i++) {
        args[0] = fixture_math(&f, math, type, count, args);
    }
    fixture_store(&f, 1, iter, args[0]);
    struct codegen_output code = {0};
    struct codegen_options options = {.target = target, .kind = CODEGEN_ASM};
    char *text = NULL;
    if (!fixture_verify(&f)) {
        FAIL("the module does not verify");
    } else if (codegen_emit(f.module, &options, &code) != RILL_OK) {
        FAIL("codegen_emit: %s", rill_message());
    } else {
        text = strdup(code.bytes);
    }
    codegen_output_finish(&code);
    fixture_finish(&f);
    return text;
}

static char *emit(const char *target, enum ir_math math, enum ir_type type)
{
    return emit_times(target, math, type, 1);
}

static const enum ir_math own[] = {IR_MATH_COS,  IR_MATH_EXP, IR_MATH_EXP2, IR_MATH_LOG, IR_MATH_LOG10,
                                   IR_MATH_LOG2, IR_MATH_POW, IR_MATH_SIN,  IR_MATH_TAN, IR_MATH_TANH};
enum { OWN_COUNT = sizeof own / sizeof own[0] };

// Only what is rare is a function: "rill_f32_far_sin". Nothing is left of the names that stand for instructions.
TEST(functions_of_floats_are_inlined)
{
    static const char *const targets[] = {"sm_75", "sm_90", "gfx90a", "gfx1100"};
    for (int i = 0; i < OWN_COUNT * 4; i++) {
        enum ir_math math = own[i / 4];
        char *text = emit(targets[i % 4], math, IR_F32);
        REQUIRE(text != NULL);
        char name[64];
        snprintf(name, sizeof name, "rill_f32_%s", ir_math_name(math));
        if (strstr(text, name) != NULL || strstr(text, "rill_hw_") != NULL || strstr(text, "_Z") != NULL) {
            FAIL("%s for %s calls a function", ir_math_name(math), targets[i % 4]);
        }
        free(text);
    }
}

// Kernels of many tangents stay small, and those of a few have no calls.
TEST(the_rare_way_of_a_tangent_stands_in_place_where_there_are_few)
{
    static const struct {
        const char *target;
        int times;
        bool calls;
    } cases[] = {{"sm_90", 1, false}, {"sm_75", 9, false}, {"sm_90", 40, true}, {"gfx90a", 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = emit_times(cases[i].target, IR_MATH_TAN, IR_F32, cases[i].times);
        REQUIRE(text != NULL);
        CHECK((strstr(text, "rill_f32_far_tan") != NULL) == cases[i].calls);
        free(text);
    }
}

TEST(powers_and_reciprocals_are_instructions)
{
    static const struct {
        enum ir_math math;
        const char *target;
        const char *instruction;
    } cases[] = {
        {IR_MATH_EXP, "sm_90", "ex2.approx.ftz.f32"}, {IR_MATH_EXP, "sm_90", "fma.rn.sat.f32"},
        {IR_MATH_POW, "sm_90", "ex2.approx.ftz.f32"}, {IR_MATH_POW, "sm_90", "rcp.approx.ftz.f32"},
        {IR_MATH_TAN, "sm_90", "rcp.approx.ftz.f32"}, {IR_MATH_TANH, "sm_90", "ex2.approx.ftz.f32"},
        {IR_MATH_EXP, "gfx90a", "v_exp_f32"},         {IR_MATH_TANH, "gfx1100", "v_rcp_f32"},
        {IR_MATH_TAN, "gfx942", "v_rcp_f32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = emit(cases[i].target, cases[i].math, IR_F32);
        REQUIRE(text != NULL);
        if (strstr(text, cases[i].instruction) == NULL) {
            FAIL("%s for %s has no %s", ir_math_name(cases[i].math), cases[i].target, cases[i].instruction);
        }
        free(text);
    }
}

// These are exact for every pair of numbers only if they are ours.
TEST(remainders_are_our_own)
{
    static const enum ir_math remainders[] = {IR_MATH_FMOD, IR_MATH_REMAINDER};
    for (int i = 0; i < 4; i++) {
        char *text = emit("sm_90", remainders[i / 2], i % 2 == 0 ? IR_F32 : IR_F64);
        REQUIRE(text != NULL);
        CHECK(strstr(text, "_Z") == NULL);
        CHECK(strstr(text, "rem.u64") != NULL || strstr(text, "div.u64") != NULL);
        free(text);
    }
}
