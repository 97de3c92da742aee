// From a module to code: the narrow path, targets, options, errors, several threads at once.
#include "support.h"

#include <pthread.h>

// y[i] = a * x[i] + y[i], the loop variable an int as offload writes it.
static void build_saxpy(struct fixture *f)
{
    fixture_init(f);
    fixture_task(f, false);
    fixture_param(f, "n", IR_I32);
    fixture_param(f, "a", IR_F32);
    fixture_param(f, "x", IR_PTR);
    fixture_param(f, "y", IR_PTR);
    struct ir_var *i = ir_var_create(f->module, f->task, "i", IR_I32);
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    struct ir_inst *narrow = ir_emit1(&f->b, IR_OP_TRUNC, IR_I32, iter);
    struct ir_inst *sum = ir_emit2(&f->b, IR_OP_ADD, IR_I32, ir_const(&f->b, IR_I32, 0), narrow);
    ir_set(&f->b, i, sum);
    struct ir_inst *at = ir_emit1(&f->b, IR_OP_SEXT, IR_I64, ir_get(&f->b, i));
    struct ir_inst *product = ir_emit2(&f->b, IR_OP_FMUL, IR_F32, fixture_arg(f, 1), fixture_load(f, 2, at, IR_F32));
    fixture_store(f, 3, at, ir_emit2(&f->b, IR_OP_FADD, IR_F32, product, fixture_load(f, 3, at, IR_F32)));
}

struct saxpy_args {
    int n;
    float a;
    const float *x;
    float *y;
};

TEST(saxpy_computes_what_c_computes)
{
    struct fixture f;
    build_saxpy(&f);
    REQUIRE(fixture_build(&f, &(struct codegen_options){0}));
    abi_entry *entry = fixture_entry(&f, "k.0");
    REQUIRE(entry != NULL);
    enum { N = 1003 };
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i * 0.25f;
        y[i] = 1.0f / (float)(i + 1);
    }
    struct saxpy_args args = {N, 3.5f, x, y};
    struct test_frame frame = new_frame(N);
    entry(&args, NULL, 0, 500, NULL, &frame.frame);
    entry(&args, NULL, 500, N, NULL, &frame.frame);
    entry(&args, NULL, 7, 7, NULL, &frame.frame);
    for (int i = 0; i < N; i++) {
        float product = 3.5f * x[i];
        CHECK(y[i] == product + 1.0f / (float)(i + 1));
    }
    fixture_finish(&f);
}

TEST(saxpy_is_vectorised)
{
    struct fixture f;
    build_saxpy(&f);
    struct codegen_output code;
    REQUIRE(codegen_emit(f.module, &(struct codegen_options){.target = "x86-64-v3", .kind = CODEGEN_ASM}, &code) ==
            RILL_OK);
    CHECK_CONTAINS(code.bytes, "vaddps");
    CHECK_CONTAINS(code.bytes, "%ymm");
    codegen_output_finish(&code);
    fixture_finish(&f);
}

TEST(avx512_code_uses_full_vectors)
{
    struct fixture f;
    build_saxpy(&f);
    struct codegen_output code;
    REQUIRE(codegen_emit(f.module, &(struct codegen_options){.target = "x86-64-v4", .kind = CODEGEN_ASM}, &code) ==
            RILL_OK);
    CHECK_CONTAINS(code.bytes, "%zmm");
    codegen_output_finish(&code);
    fixture_finish(&f);
}

TEST(unknown_targets_are_refused_with_a_list)
{
    struct fixture f;
    build_saxpy(&f);
    struct codegen_output code;
    CHECK(codegen_emit(f.module, &(struct codegen_options){.target = "sm_99"}, &code) == RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "sm_90");
    CHECK_CONTAINS(rill_message(), "gfx942");
    CHECK_CONTAINS(rill_message(), "'sm_99'");
    CHECK(code.bytes == NULL);
    CHECK(codegen_check_target("gfx90") == RILL_ERR_INVALID);
    CHECK(codegen_check_target("native") == RILL_OK);
    fixture_finish(&f);
}

TEST(what_cannot_be_emitted_is_an_error_with_words)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    ir_emit0(&f.b, IR_OP_BARRIER, IR_VOID);
    struct codegen_output code;
    CHECK(codegen_emit(f.module, &(struct codegen_options){0}, &code) == RILL_ERR_UNSUPPORTED);
    CHECK_CONTAINS(rill_message(), "test.c:2");
    CHECK_CONTAINS(rill_message(), "not supported: barriers");
    CHECK(code.bytes == NULL && code.size == 0);
    fixture_finish(&f);
}

TEST(fast_math_is_on_only_when_asked_for)
{
    for (int fast = 0; fast < 2; fast++) {
        struct fixture f;
        build_saxpy(&f);
        struct codegen_output code;
        struct codegen_options options = {.kind = CODEGEN_LLVM, .fast_math = fast};
        REQUIRE(codegen_emit(f.module, &options, &code) == RILL_OK);
        CHECK((strstr(code.bytes, "fmul fast") != NULL) == fast);
        CHECK((strstr(code.bytes, "reassoc") != NULL) == false);
        codegen_output_finish(&code);
        fixture_finish(&f);
    }
}

TEST(every_cpu_target_gives_text_and_objects)
{
    static const char *const targets[] = {"native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct fixture f;
        build_saxpy(&f);
        struct codegen_output code;
        struct codegen_options options = {.target = targets[i], .kind = CODEGEN_LLVM};
        REQUIRE(codegen_emit(f.module, &options, &code) == RILL_OK);
        CHECK_CONTAINS(code.bytes, "define void @k.0");
        codegen_output_finish(&code);
        options.kind = CODEGEN_OBJECT;
        REQUIRE(codegen_emit(f.module, &options, &code) == RILL_OK);
        CHECK(code.size > 64 && memcmp(code.bytes, "\177ELF", 4) == 0);
        codegen_output_finish(&code);
        fixture_finish(&f);
    }
}

// ---- several at once
// -----------------------------------------------------------------------------------------------------

struct emission {
    struct fixture *fixture;
    struct codegen_output code;
    rill_status status;
};

static void *emit_one(void *user)
{
    struct emission *emission = user;
    emission->status = codegen_emit(emission->fixture->module, &(struct codegen_options){0}, &emission->code);
    return NULL;
}

TEST(threads_emit_the_same_bytes_from_one_module)
{
    struct fixture f;
    build_saxpy(&f);
    struct emission emissions[6] = {0};
    pthread_t threads[6];
    for (int i = 0; i < 6; i++) {
        emissions[i].fixture = &f;
        REQUIRE(pthread_create(&threads[i], NULL, emit_one, &emissions[i]) == 0);
    }
    for (int i = 0; i < 6; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < 6; i++) {
        CHECK(emissions[i].status == RILL_OK && emissions[i].code.size == emissions[0].code.size);
        CHECK_MEM(emissions[i].code.bytes, emissions[0].code.bytes, emissions[0].code.size);
    }
    for (int i = 0; i < 6; i++) {
        codegen_output_finish(&emissions[i].code);
    }
    fixture_finish(&f);
}

TEST(the_nth_allocation_of_the_emitter_fails_with_words)
{
    static const char *const targets[] = {NULL, "sm_90", "gfx942"};
    struct fixture f;
    build_saxpy(&f);
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        uint64_t n = 0;
        rill_status status;
        do {
            struct codegen_options options = {.target = targets[t],
                                              .kind = t == 1 ? CODEGEN_OBJECT : CODEGEN_LLVM,
                                              .stand_in = t == 1, // which is emitted behind the rest
                                              .unoptimised = true,
                                              .fail_after = ++n};
            struct codegen_output out = {0};
            status = codegen_emit(f.module, &options, &out);
            CHECK(status == RILL_OK || (status == RILL_ERR_OUT_OF_MEMORY && out.bytes == NULL));
            codegen_output_finish(&out);
        } while (status == RILL_ERR_OUT_OF_MEMORY);
        CHECK(status == RILL_OK && n > 5);
    }
    fixture_finish(&f);
}
