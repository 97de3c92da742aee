// Code for GPUs: everything the IR can say is accepted by ptxas, and by LLVM's own assembler and linker for AMD.
#include "support.h"

#include <inttypes.h>

static const char *const nvidia[] = {"sm_75", "sm_90", "sm_100"};
static const char *const amd[] = {"gfx90a", "gfx942", "gfx1100"};

// ---- a module with everything in it
// ------------------------------------------------------------------------------------------

static void begin_task(struct fixture *f, const char *name, bool is_serial)
{
    struct ir_function *task = ir_function_create(f->module, IR_FUNCTION_TASK, arena_strdup(&f->arena, name));
    task->kernel = f->kernel;
    task->is_serial = is_serial;
    task->assume_independent = !is_serial;
    f->task = task;
    f->b.function = task;
    f->b.region = &task->body;
}

static void add_math(struct fixture *f)
{
    for (int i = 0; i < 2 * IR_MATH_COUNT; i++) {
        enum ir_math math = (enum ir_math)(i / 2);
        enum ir_type type = i % 2 == 0 ? IR_F32 : IR_F64;
        begin_task(f, arena_printf(&f->arena, "k.%s.%s", ir_math_name(math), ir_type_name(type)), false);
        struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
        struct ir_inst *args[2] = {fixture_load(f, 0, iter, type), NULL};
        if (ir_math_arg_count(math) > 1) {
            args[1] = fixture_load(f, 1, iter, math == IR_MATH_LDEXP ? IR_I32 : type);
        }
        bool gives_int = math == IR_MATH_ILOGB || math == IR_MATH_FREXP_EXPONENT || math == IR_MATH_REMQUO_BITS;
        fixture_store(f, 2, iter, fixture_math(f, math, gives_int ? IR_I32 : type, ir_math_arg_count(math), args));
    }
}

static bool is_for_floats(enum ir_update update)
{
    return update >= IR_UPDATE_FMIN && update <= IR_UPDATE_FMAX_COND_EQ;
}

static bool is_for_ints(enum ir_update update)
{
    return (update >= IR_UPDATE_AND && update <= IR_UPDATE_XOR) ||
           (update >= IR_UPDATE_SMIN && update <= IR_UPDATE_UMAX);
}

static void add_atomics(struct fixture *f)
{
    static const enum ir_type types[] = {IR_I8, IR_I16, IR_I32, IR_I64, IR_F32, IR_F64};
    for (int t = 0; t < 6; t++) {
        bool is_float = ir_type_is_float(types[t]);
        for (int u = IR_UPDATE_ADD; u < IR_UPDATE_COUNT; u++) {
            enum ir_update update = (enum ir_update)u;
            if ((is_float && is_for_ints(update)) || (!is_float && is_for_floats(update))) {
                continue;
            }
            begin_task(f, arena_printf(&f->arena, "k.atomic.%s.%s", ir_update_name(update), ir_type_name(types[t])),
                       false);
            struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
            bool logical = update == IR_UPDATE_LAND || update == IR_UPDATE_LOR;
            struct ir_inst *operand = fixture_load(f, 0, iter, logical ? IR_I1 : types[t]);
            struct ir_inst *at = fixture_at(f, 1, iter, types[t]);
            struct ir_inst *old = ir_emit2(&f->b, IR_OP_ATOMIC, types[t], at, operand);
            old->update = update;
            fixture_store(f, 2, iter, old);
        }
    }
    begin_task(f, "k.cas", false);
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    struct ir_inst *args[3] = {fixture_at(f, 0, iter, IR_F32), fixture_load(f, 1, iter, IR_F32),
                               fixture_load(f, 2, iter, IR_F32)};
    fixture_store(f, 2, iter, ir_emit(&f->b, IR_OP_CAS, IR_F32, 3, args));
}

// Division, shifts, conversions of every width.
static void add_arithmetic(struct fixture *f)
{
    static const enum ir_type ints[] = {IR_I8, IR_I16, IR_I32, IR_I64};
    for (int t = 0; t < 4; t++) {
        begin_task(f, arena_printf(&f->arena, "k.arithmetic.%d", t), false);
        struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
        struct ir_inst *x = fixture_load(f, 0, iter, ints[t]), *y = fixture_load(f, 1, iter, ints[t]);
        struct ir_inst *sum = x;
        for (int op = IR_OP_ADD; op <= IR_OP_UMAX; op++) {
            sum = ir_emit2(&f->b, IR_OP_XOR, ints[t], sum, ir_emit2(&f->b, (enum ir_op)op, ints[t], x, y));
        }
        struct ir_inst *wide = ir_emit1(&f->b, IR_OP_SITOFP, IR_F64, sum);
        struct ir_inst *narrow = ir_emit1(&f->b, IR_OP_UITOFP, IR_F32, y);
        struct ir_inst *back =
            ir_emit1(&f->b, IR_OP_FPTOUI, ints[t], ir_emit2(&f->b, IR_OP_FDIV, IR_F32, narrow, narrow));
        sum = ir_emit2(&f->b, IR_OP_ADD, ints[t], ir_emit1(&f->b, IR_OP_FPTOSI, ints[t], wide), back);
        fixture_store(f, 2, iter, sum);
    }
}

// Locals, block operations, a helper that fails, print with strings, a field with pointers, in one serial task.
static void add_everything_else(struct fixture *f)
{
    struct ir_global *field = ir_global_create(f->module, "field", 16, 8);
    struct ir_global *table = ir_global_create(f->module, "table", 16, 8);
    table->bytes = ARENA_ARRAY(&f->arena, uint8_t, 16);
    table->relocs = ARENA_ARRAY(&f->arena, struct ir_reloc, 2);
    table->relocs[0] = (struct ir_reloc){0, field, 8};
    table->relocs[1] = (struct ir_reloc){8, field, 0};
    table->reloc_count = 2;

    struct ir_function *helper = ir_function_create(f->module, IR_FUNCTION_HELPER, "checked");
    helper->return_type = IR_I32;
    helper->may_fail = true;
    helper->params = ARENA_NEW(&f->arena, struct ir_param);
    *helper->params = (struct ir_param){.name = "v", .type = IR_I32};
    helper->param_count = 1;
    f->b.function = helper;
    f->b.region = &helper->body;
    struct ir_inst *v = ir_emit0(&f->b, IR_OP_PARAM, IR_I32);
    struct ir_inst *bad = ir_emit2(&f->b, IR_OP_SGE, IR_I1, v, ir_const(&f->b, IR_I32, 100));
    struct ir_inst *test = ir_control(&f->b, IR_OP_IF, bad, 1);
    f->b.region = &test->regions[0];
    ir_emit0(&f->b, IR_OP_FAIL, IR_VOID)->text = "v < 100";
    f->b.region = &helper->body;
    ir_emit1(&f->b, IR_OP_RETURN, IR_VOID, v);

    begin_task(f, "k.rest", true);
    struct ir_var *local = ir_var_create(f->module, f->task, "t", IR_VOID);
    local->is_memory = true;
    local->size = 64;
    local->align = 8;
    struct ir_inst *base = ir_emit0(&f->b, IR_OP_ADDR_VAR, IR_PTR);
    base->var = local;
    struct ir_inst *size = fixture_arg(f, 3);
    ir_emit3(&f->b, IR_OP_FILL, IR_VOID, base, ir_const(&f->b, IR_I8, 65), size);
    ir_emit3(&f->b, IR_OP_COPY, IR_VOID, fixture_arg(f, 0), base, size);
    struct ir_inst *order = ir_emit3(&f->b, IR_OP_COMPARE, IR_I32, fixture_arg(f, 1), base, size);
    struct ir_inst *args[1] = {order};
    struct ir_inst *call = ir_emit(&f->b, IR_OP_CALL, IR_I32, 1, args);
    call->function = helper;
    struct ir_inst *words[3] = {call, base, ir_fconst(&f->b, IR_F64, 1.5)};
    ir_emit(&f->b, IR_OP_PRINT, IR_VOID, 3, words)->text = "%d %s %g\n";
    struct ir_inst *at = ir_emit0(&f->b, IR_OP_ADDR_GLOBAL, IR_PTR);
    at->global = table;
    ir_emit2(&f->b, IR_OP_STORE, IR_I32, ir_emit1(&f->b, IR_OP_LOAD, IR_PTR, at), call);
    struct ir_inst *slot = ir_emit0(&f->b, IR_OP_ADDR_SLOT, IR_PTR);
    slot->imm = 16;
    ir_emit2(&f->b, IR_OP_STORE, IR_I32, slot, call);
}

static void add_reduction(struct fixture *f)
{
    begin_task(f, "k.sum", false);
    struct ir_var *sum = ir_var_create(f->module, f->task, "sum", IR_F32);
    struct ir_region *body = f->b.region;
    struct ir_region unused = {0};
    f->b.region = &unused;
    f->task->accumulators = ARENA_NEW(&f->arena, struct ir_accumulator);
    *f->task->accumulators = (struct ir_accumulator){.var = sum, .init = ir_fconst(&f->b, IR_F32, 0.0), .offset = 0};
    f->task->accumulator_count = 1;
    f->task->partial_size = 8;
    f->b.region = body;
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    struct ir_inst *index = fixture_index_of(f, fixture_arg(f, 0), iter, 4, fixture_arg(f, 3));
    struct ir_inst *update = ir_emit1(&f->b, IR_OP_VUPDATE, IR_F32, ir_emit1(&f->b, IR_OP_LOAD, IR_F32, index));
    update->var = sum;
    update->update = IR_UPDATE_ADD;
}

static void build_everything(struct fixture *f)
{
    fixture_init(f);
    f->kernel = ir_function_create(f->module, IR_FUNCTION_KERNEL, "k");
    for (int i = 0; i < 3; i++) {
        fixture_param(f, "a", IR_PTR);
    }
    fixture_param(f, "n", IR_I64);
    add_arithmetic(f);
    add_atomics(f);
    add_everything_else(f);
    add_reduction(f);
    add_math(f);
}

// ---- tools
// -------------------------------------------------------------------------------------------------------------------

static bool has_tool(const char *name)
{
    return run_command("command -v %s >/dev/null 2>&1", name) == 0;
}

static const char *find_tool(const char *const *names)
{
    for (; *names != NULL; names++) {
        if (has_tool(*names)) {
            return *names;
        }
    }
    return NULL;
}

static bool emit_to(struct fixture *f, const char *target, enum codegen_kind kind, const char *path)
{
    struct codegen_output code;
    struct codegen_options options = {.target = target, .kind = kind, .check_bounds = true};
    if (codegen_emit(f->module, &options, &code) != RILL_OK) {
        return FAIL("%s: %s", target, rill_message());
    }
    bool good = write_file(path, code.bytes, code.size);
    codegen_output_finish(&code);
    return CHECK(good);
}

// ---- tests
// -------------------------------------------------------------------------------------------------------------------

TEST(ptx_of_everything_is_accepted_by_ptxas)
{
    const char *ptxas = find_tool((const char *const[]){"ptxas", "/usr/local/cuda/bin/ptxas", NULL});
    char dir[] = "/tmp/rill-gpu-XXXXXX";
    REQUIRE(mkdtemp(dir) != NULL);
    struct fixture f;
    build_everything(&f);
    REQUIRE(fixture_verify(&f));
    for (size_t i = 0; i < sizeof nvidia / sizeof nvidia[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s.ptx", dir, nvidia[i]);
        emit_to(&f, nvidia[i], CODEGEN_OBJECT, path);
        // Older architectures are gone from newer ptxas, and optimising everything for each would take minutes.
        if (ptxas != NULL && i < 2) {
            CHECK_INT(run_command("%s -O1 -arch=%s -o /dev/null %s", ptxas, nvidia[i], path), 0);
        }
    }
    fixture_finish(&f);
    run_command("rm -rf %s", dir);
    if (ptxas == NULL) {
        SKIP("emitted, but there is no ptxas to check it");
    }
}

TEST(amdgpu_code_of_everything_links)
{
    const char *lld = find_tool((const char *const[]){"/usr/lib/llvm-22/bin/ld.lld", "ld.lld-22", NULL});
    const char *mc = find_tool((const char *const[]){"/usr/lib/llvm-22/bin/llvm-mc", "llvm-mc-22", NULL});
    char dir[] = "/tmp/rill-gpu-XXXXXX";
    REQUIRE(mkdtemp(dir) != NULL);
    struct fixture f;
    build_everything(&f);
    for (size_t i = 0; i < sizeof amd / sizeof amd[0]; i++) {
        char object[64], text[64];
        snprintf(object, sizeof object, "%s/%s.o", dir, amd[i]);
        snprintf(text, sizeof text, "%s/%s.s", dir, amd[i]);
        if (emit_to(&f, amd[i], CODEGEN_OBJECT, object) && lld != NULL) {
            CHECK_INT(run_command("%s -shared -z defs -o %s.so %s", lld, object, object), 0);
        }
        if (i == 2 && emit_to(&f, amd[i], CODEGEN_ASM, text) && mc != NULL) {
            CHECK_INT(
                run_command("%s -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=obj -o /dev/null %s", mc, amd[i], text),
                0);
        }
    }
    fixture_finish(&f);
    run_command("rm -rf %s", dir);
    if (lld == NULL || mc == NULL) {
        SKIP("emitted, but LLVM's linker or assembler is not here to check it");
    }
}

TEST(gpu_accesses_go_to_global_memory)
{
    struct fixture f;
    fixture_init(&f);
    f.kernel = ir_function_create(f.module, IR_FUNCTION_KERNEL, "k");
    fixture_param(&f, "a", IR_PTR);
    fixture_param(&f, "b", IR_PTR);
    begin_task(&f, "k.0", false);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    fixture_store(&f, 1, iter, fixture_load(&f, 0, iter, IR_F32));
    struct codegen_output code;
    REQUIRE(codegen_emit(f.module, &(struct codegen_options){.target = "sm_90"}, &code) == RILL_OK);
    CHECK_CONTAINS(code.bytes, "ld.global");
    CHECK_CONTAINS(code.bytes, "st.global");
    CHECK_CONTAINS(code.bytes, ".entry k$0(");
    CHECK(strstr(code.bytes, "cvta") == NULL);
    codegen_output_finish(&code);
    REQUIRE(codegen_emit(f.module, &(struct codegen_options){.target = "gfx942", .kind = CODEGEN_ASM}, &code) ==
            RILL_OK);
    CHECK_CONTAINS(code.bytes, "global_load");
    CHECK_CONTAINS(code.bytes, "global_store");
    CHECK(strstr(code.bytes, "flat_load") == NULL);
    codegen_output_finish(&code);
    fixture_finish(&f);
}

TEST(sanitizers_are_refused_on_gpus)
{
    struct fixture f;
    fixture_init(&f);
    struct codegen_output code;
    struct codegen_options options = {.target = "sm_90", .sanitize = "address"};
    CHECK(codegen_emit(f.module, &options, &code) == RILL_ERR_UNSUPPORTED);
    options = (struct codegen_options){.sanitize = "memory"};
    CHECK(codegen_emit(f.module, &options, &code) == RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "address thread");
    fixture_finish(&f);
}
