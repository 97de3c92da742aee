// Runs the GPU's form of the code: operations, math, updates, reductions, failures and printing, held to the same
// references as the CPU's code. On an NVIDIA GPU it is the PTX that runs; without a driver, what stands in for it.
#include "trials.h"

struct gpu {
    void *library;
    int (*init)(unsigned);
    int (*device_get)(int *, int);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*capability)(int *, int, int);
    int (*load)(void **, const void *);
    int (*unload)(void *);
    int (*function)(void **, void *, const char *);
    int (*alloc)(uint64_t *, size_t);
    int (*release)(uint64_t);
    int (*upload)(uint64_t, const void *, size_t);
    int (*download)(void *, uint64_t, size_t);
    int (*fill)(uint64_t, unsigned char, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*synchronize)(void);
    void *module;
    char target[16];
    int max_threads; // of a block
    bool is_stand_in;
};

static bool find(struct gpu *gpu, void *slot, const char *name)
{
    *(void **)slot = dlsym(gpu->library, name);
    return *(void **)slot != NULL;
}

static bool open_gpu(struct gpu *gpu)
{
    memset(gpu, 0, sizeof *gpu);
    gpu->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (gpu->library == NULL) {
        gpu->is_stand_in = true;
        gpu->library = dlopen(RILL_BUILD_DIR "/tests/fakes/libfake_cuda.so", RTLD_NOW | RTLD_LOCAL);
    }
    if (gpu->library == NULL) {
        return false;
    }
    bool good = find(gpu, &gpu->init, "cuInit") && find(gpu, &gpu->device_get, "cuDeviceGet") &&
                find(gpu, &gpu->retain, "cuDevicePrimaryCtxRetain") &&
                find(gpu, &gpu->set_current, "cuCtxSetCurrent") &&
                find(gpu, &gpu->capability, "cuDeviceGetAttribute") && find(gpu, &gpu->load, "cuModuleLoadData") &&
                find(gpu, &gpu->unload, "cuModuleUnload") && find(gpu, &gpu->function, "cuModuleGetFunction") &&
                find(gpu, &gpu->alloc, "cuMemAlloc_v2") && find(gpu, &gpu->release, "cuMemFree_v2") &&
                find(gpu, &gpu->upload, "cuMemcpyHtoD_v2") && find(gpu, &gpu->download, "cuMemcpyDtoH_v2") &&
                find(gpu, &gpu->fill, "cuMemsetD8_v2") && find(gpu, &gpu->launch, "cuLaunchKernel") &&
                find(gpu, &gpu->synchronize, "cuCtxSynchronize");
    int device = 0, major = 0, minor = 0;
    void *context = NULL;
    if (!good || gpu->init(0) != 0 || gpu->device_get(&device, 0) != 0 || gpu->retain(&context, device) != 0 ||
        gpu->set_current(context) != 0 || gpu->capability(&major, 75, device) != 0 ||
        gpu->capability(&minor, 76, device) != 0 || gpu->capability(&gpu->max_threads, 1, device) != 0) {
        return false;
    }
    snprintf(gpu->target, sizeof gpu->target, "sm_%d%d", major, minor);
    if (codegen_check_target(gpu->target) != RILL_OK) {
        snprintf(gpu->target, sizeof gpu->target, "sm_75"); // PTX runs on what is newer
    }
    return true;
}

static bool load_module(struct gpu *gpu, struct fixture *f, bool check_bounds)
{
    struct codegen_output code;
    struct codegen_options options = {
        .target = gpu->target, .check_bounds = check_bounds, .stand_in = gpu->is_stand_in};
    if (!fixture_verify(f)) {
        return false;
    }
    if (codegen_emit(f->module, &options, &code) != RILL_OK) {
        return FAIL("codegen_emit: %s", rill_message());
    }
    int result = gpu->load(&gpu->module, code.bytes);
    codegen_output_finish(&code);
    return CHECK_INT(result, 0);
}

struct launch {
    const char *entry;
    uint64_t args[8]; // the argument buffer
    int64_t trip, chunk;
    uint64_t block, partial, frame;
    unsigned grid, threads;
};

static bool run_entry(struct gpu *gpu, const struct launch *launch)
{
    char name[64];
    snprintf(name, sizeof name, "%s", launch->entry);
    for (char *at = name; *at != '\0'; at++) {
        *at = *at == '.' ? '$' : *at;
    }
    void *function;
    if (gpu->function(&function, gpu->module, name) != 0) {
        return FAIL("no entry %s", name);
    }
    void *params[6] = {(void *)launch->args,   (void *)&launch->block,   (void *)&launch->trip,
                       (void *)&launch->chunk, (void *)&launch->partial, (void *)&launch->frame};
    unsigned grid = launch->grid != 0 ? launch->grid : 4;
    unsigned threads = launch->threads != 0 ? launch->threads : 64;
    if (threads > (unsigned)gpu->max_threads) {
        grid *= threads;
        threads = 1;
    }
    int result = gpu->launch(function, grid, 1, 1, threads, 1, 1, 0, NULL, params, NULL);
    return CHECK_INT(result, 0) && CHECK_INT(gpu->synchronize(), 0);
}

static uint64_t put_array(struct gpu *gpu, const void *bytes, size_t size)
{
    uint64_t address = 0;
    CHECK_INT(gpu->alloc(&address, size), 0);
    if (bytes != NULL) {
        CHECK_INT(gpu->upload(address, bytes, size), 0);
    } else {
        CHECK_INT(gpu->fill(address, 0, size), 0);
    }
    return address;
}

#define OPEN_OR_SKIP(gpu)                                                                                              \
    if (!open_gpu(gpu)) {                                                                                              \
        SKIP("no NVIDIA driver or device here");                                                                       \
    }

// ---- operations
// --------------------------------------------------------------------------------------------------------------

TEST(operations_on_the_gpu_give_the_bits_of_ir_fold)
{
    static struct gpu gpu;
    OPEN_OR_SKIP(&gpu);
    static struct trial trials[TRIAL_LIMIT];
    static uint64_t a[PAIR_COUNT], b[PAIR_COUNT], c[PAIR_COUNT], out[PAIR_COUNT];
    struct fixture f;
    int count = build_trials(&f, trials);
    REQUIRE(load_module(&gpu, &f, false));
    uint64_t arrays[4];
    for (int i = 0; i < 4; i++) {
        arrays[i] = put_array(&gpu, NULL, sizeof a);
    }
    for (int i = 0; i < count; i++) {
        int size = fill_trial(&trials[i], a, b, c);
        gpu.upload(arrays[0], a, sizeof a);
        gpu.upload(arrays[1], b, sizeof b);
        gpu.upload(arrays[2], c, sizeof c);
        struct launch launch = {.entry = trials[i].name, .trip = size};
        memcpy(launch.args, arrays, sizeof arrays);
        REQUIRE(run_entry(&gpu, &launch));
        gpu.download(out, arrays[3], sizeof out);
        compare_trial(&trials[i], size, a, b, c, out);
    }
    for (int i = 0; i < 4; i++) {
        gpu.release(arrays[i]);
    }
    gpu.unload(gpu.module);
    fixture_finish(&f);
}

// ---- math
// ----------------------------------------------------------------------------------------------------------------------

enum { MATH_SIZE = 4099 };

static double math_sample(int i)
{
    static const double edges[] = {0.0, -0.0, 1.0, -1.0, 0.5, INFINITY, -INFINITY, NAN, 1e-300, 1e300, 88.8, 710.0};
    if (i % 23 == 5) {
        return edges[i / 23 % 12];
    }
    double magnitude = ldexp(1.0 + (double)(i * 7919 % 1000) / 1000.0, i % 37 - 22);
    return i % 3 == 0 ? -magnitude : magnitude;
}

static double ulps(enum ir_type type, double got, double expected)
{
    if ((isnan(got) && isnan(expected)) || got == expected) {
        return 0;
    }
    if (isnan(got) || isnan(expected) || isinf(got) || isinf(expected)) {
        double largest = type == IR_F32 ? 3.4028234663852886e38 : 1.7976931348623157e308;
        return fabs(got) >= largest && fabs(expected) >= largest && (got > 0) == (expected > 0) ? 1 : HUGE_VAL;
    }
    int exponent = 0;
    frexp(expected, &exponent);
    int least = type == IR_F32 ? -149 : -1074;
    int digits = type == IR_F32 ? 24 : 53;
    return fabs(got - expected) / ldexp(1.0, exponent - digits > least ? exponent - digits : least);
}

static void check_math(struct gpu *gpu, enum ir_math math, enum ir_type type, const char *name, uint64_t *arrays)
{
    static uint64_t x[MATH_SIZE], y[MATH_SIZE], out[MATH_SIZE];
    for (int i = 0; i < MATH_SIZE; i++) {
        put(x, type, i, (union ir_value){.f = math_sample(i)});
        put(y, type, i, (union ir_value){.f = math_sample(i * 31 + 7)});
        if (math == IR_MATH_LDEXP) {
            put(y, IR_I32, i, (union ir_value){.i = i % 11 == 0 ? (int64_t)i * 1000003 : i % 400 - 200});
        }
    }
    gpu->upload(arrays[0], x, sizeof x);
    gpu->upload(arrays[1], y, sizeof y);
    struct launch launch = {.entry = name, .args = {arrays[0], arrays[1], arrays[2]}, .trip = MATH_SIZE};
    if (!run_entry(gpu, &launch)) {
        return;
    }
    gpu->download(out, arrays[2], sizeof out);
    bool gives_int = math == IR_MATH_ILOGB || math == IR_MATH_FREXP_EXPONENT || math == IR_MATH_REMQUO_BITS;
    double worst = 0;
    int where = 0;
    for (int i = 0; i < MATH_SIZE; i++) {
        union ir_value args[2] = {take(x, type, i), take(y, math == IR_MATH_LDEXP ? IR_I32 : type, i)}, expected;
        if (!CHECK(ir_fold_math(math, type, args, &expected))) {
            return;
        }
        union ir_value got = take(out, gives_int ? IR_I32 : type, i);
        double error = gives_int ? (got.i == expected.i ? 0 : HUGE_VAL) : ulps(type, got.f, expected.f);
        // remquo promises the sign and three bits of the quotient.
        if (math == IR_MATH_REMQUO_BITS && (got.i & 7) == (expected.i & 7)) {
            error = 0;
        }
        if (error > worst) {
            worst = error;
            where = i;
        }
    }
    bool is_gamma = math == IR_MATH_LGAMMA || math == IR_MATH_TGAMMA; // as the library has them
    if (worst > 2) {
        printf("  %s(%g, %g) is %.2f ulp off\n", name, take(x, type, where).f, take(y, type, where).f, worst);
    }
    if (worst > 4 && !is_gamma) {
        FAIL("%s(%g, %g) is %g ulp off", name, take(x, type, where).f, take(y, type, where).f, worst);
    }
}

TEST(math_on_the_gpu_is_near_the_librarys)
{
    static struct gpu gpu;
    OPEN_OR_SKIP(&gpu);
    static char names[2 * IR_MATH_COUNT][40];
    struct fixture f;
    fixture_init(&f);
    f.kernel = ir_function_create(f.module, IR_FUNCTION_KERNEL, "k");
    for (int i = 0; i < 3; i++) {
        fixture_param(&f, "a", IR_PTR);
    }
    for (int i = 0; i < 2 * IR_MATH_COUNT; i++) {
        enum ir_math math = (enum ir_math)(i / 2);
        enum ir_type type = i % 2 == 0 ? IR_F32 : IR_F64;
        snprintf(names[i], sizeof names[i], "%s.%s", ir_math_name(math), ir_type_name(type));
        f.task = ir_function_create(f.module, IR_FUNCTION_TASK, names[i]);
        f.task->kernel = f.kernel;
        f.task->assume_independent = true;
        f.b.function = f.task;
        f.b.region = &f.task->body;
        struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
        struct ir_inst *args[2] = {fixture_load(&f, 0, iter, type), NULL};
        if (ir_math_arg_count(math) > 1) {
            args[1] = fixture_load(&f, 1, iter, math == IR_MATH_LDEXP ? IR_I32 : type);
        }
        bool gives_int = math == IR_MATH_ILOGB || math == IR_MATH_FREXP_EXPONENT || math == IR_MATH_REMQUO_BITS;
        fixture_store(&f, 2, iter, fixture_math(&f, math, gives_int ? IR_I32 : type, ir_math_arg_count(math), args));
    }
    REQUIRE(load_module(&gpu, &f, false));
    uint64_t arrays[3];
    for (int i = 0; i < 3; i++) {
        arrays[i] = put_array(&gpu, NULL, 8 * MATH_SIZE);
    }
    for (int i = 0; i < 2 * IR_MATH_COUNT; i++) {
        check_math(&gpu, (enum ir_math)(i / 2), i % 2 == 0 ? IR_F32 : IR_F64, names[i], arrays);
    }
    gpu.unload(gpu.module);
    fixture_finish(&f);
}

// ---- atomics, reductions, failures, printing
// --------------------------------------------------------------------------------------

// Every thread updates the same 8-bit, 16-bit, 32-bit and float cells.
TEST(atomics_on_the_gpu_lose_nothing)
{
    static struct gpu gpu;
    OPEN_OR_SKIP(&gpu);
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "cells", IR_PTR);
    static const enum ir_type types[] = {IR_I8, IR_I16, IR_I32, IR_F32, IR_F64, IR_I32, IR_F32};
    static const enum ir_update updates[] = {IR_UPDATE_ADD, IR_UPDATE_ADD,  IR_UPDATE_ADD,    IR_UPDATE_ADD,
                                             IR_UPDATE_ADD, IR_UPDATE_SMAX, IR_UPDATE_FMAX_IF};
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    for (int i = 0; i < 7; i++) {
        struct ir_inst *at = ir_emit1(&f.b, IR_OP_OFFSET, IR_PTR, fixture_arg(&f, 0));
        at->imm = 8 * i;
        struct ir_inst *operand =
            ir_type_is_float(types[i]) ? ir_fconst(&f.b, types[i], 1) : ir_const(&f.b, types[i], 1);
        if (i == 5) {
            operand = ir_emit1(&f.b, IR_OP_TRUNC, IR_I32, iter);
        } else if (i == 6) {
            operand = ir_emit1(&f.b, IR_OP_SITOFP, IR_F32, iter);
        }
        struct ir_inst *update = ir_emit2(&f.b, IR_OP_UPDATE, types[i], at, operand);
        update->update = updates[i];
        update->atomic = true;
    }
    REQUIRE(load_module(&gpu, &f, false));
    uint64_t cells[7] = {0};
    struct launch launch = {.entry = "k.0", .trip = 10007, .grid = 20, .threads = 128};
    launch.args[0] = put_array(&gpu, NULL, sizeof cells);
    REQUIRE(run_entry(&gpu, &launch));
    gpu.download(cells, launch.args[0], sizeof cells);
    CHECK_INT(cells[0], 10007 % 256);
    CHECK_INT(cells[1], 10007);
    CHECK_INT(cells[2], 10007);
    CHECK(take(&cells[3], IR_F32, 0).f == 10007 && take(&cells[4], IR_F64, 0).f == 10007);
    CHECK_INT(cells[5], 10006);
    CHECK(take(&cells[6], IR_F32, 0).f == 10006);
    gpu.unload(gpu.module);
    fixture_finish(&f);
}

TEST(reductions_on_the_gpu_write_a_record_for_each_chunk)
{
    static struct gpu gpu;
    OPEN_OR_SKIP(&gpu);
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    struct ir_var *sum = ir_var_create(f.module, f.task, "sum", IR_I64);
    struct ir_region *body = f.b.region;
    struct ir_region unused = {0};
    f.b.region = &unused;
    struct ir_accumulator accumulator = {.var = sum, .init = ir_const(&f.b, IR_I64, 5), .offset = 8};
    f.b.region = body;
    f.task->accumulators = &accumulator;
    f.task->accumulator_count = 1;
    f.task->partial_size = 16;
    struct ir_inst *update = ir_emit1(&f.b, IR_OP_VUPDATE, IR_I64, ir_emit0(&f.b, IR_OP_ITER, IR_I64));
    update->var = sum;
    update->update = IR_UPDATE_ADD;
    REQUIRE(load_module(&gpu, &f, false));
    int64_t records[24] = {0};
    struct launch launch = {.entry = "k.0", .trip = 1001, .chunk = 100, .grid = 1, .threads = 32};
    launch.partial = put_array(&gpu, NULL, sizeof records);
    REQUIRE(run_entry(&gpu, &launch));
    gpu.download(records, launch.partial, sizeof records);
    for (int t = 0; t < 12; t++) {
        int64_t expected = t > 10 ? 0 : 5;
        for (int64_t i = 100 * t; i < 100 * t + 100 && i < 1001; i++) {
            expected += i;
        }
        CHECK_INT(records[2 * t + 1], expected);
        CHECK_INT(records[2 * t], 0);
    }
    gpu.unload(gpu.module);
    fixture_finish(&f);
}

TEST(failures_and_prints_on_the_gpu_reach_the_frame)
{
    static struct gpu gpu;
    OPEN_OR_SKIP(&gpu);
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "a", IR_PTR);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    struct ir_inst *words[3] = {iter, fixture_arg(&f, 0), ir_fconst(&f.b, IR_F64, 2.5)};
    ir_emit(&f.b, IR_OP_PRINT, IR_VOID, 3, words)->text = "%ld %s %g\n";
    struct ir_inst *at = fixture_index_of(&f, fixture_arg(&f, 0), iter, 1, ir_const(&f.b, IR_I64, 7));
    ir_emit2(&f.b, IR_OP_STORE, IR_I8, at, ir_const(&f.b, IR_I8, 'x'));
    REQUIRE(load_module(&gpu, &f, true));
    static struct {
        struct abi_gpu_frame frame;
        char buffer[512];
    } frame;
    frame.frame.print_size = sizeof frame.buffer;
    struct launch launch = {.entry = "k.0", .trip = 8, .grid = 1, .threads = 1};
    launch.args[0] = put_array(&gpu, "hello w", 8);
    launch.frame = put_array(&gpu, &frame, sizeof frame);
    REQUIRE(run_entry(&gpu, &launch));
    gpu.download(&frame, launch.frame, sizeof frame);
    CHECK_INT(frame.frame.published, 1);
    CHECK_INT(frame.frame.kind, ABI_FAILURE_BOUNDS);
    CHECK_INT(frame.frame.iteration, 7);
    CHECK_INT(frame.frame.index, 7);
    CHECK_INT(frame.frame.extent, 7);
    CHECK_INT(frame.frame.line, 2);
    CHECK_STR(frame.frame.text, "a");
    uint64_t at_byte = 0;
    int count = 0;
    while (at_byte + sizeof(struct abi_gpu_print) <= sizeof frame.buffer) {
        struct abi_gpu_print record;
        memcpy(&record, frame.buffer + at_byte, sizeof record);
        if (record.published == 0) {
            break;
        }
        const char *format = frame.buffer + at_byte + sizeof record;
        uint64_t values[3];
        memcpy(values, format + record.format_size, sizeof values);
        CHECK_STR(format, "%ld %s %g\n");
        CHECK_INT(values[0], count);
        CHECK_INT(record.iteration, count);
        CHECK_INT(record.arg_count, 3);
        CHECK_INT(strlen(frame.buffer + at_byte + values[1]), 7);
        at_byte += record.size;
        count++;
    }
    CHECK(count > 3 && count < 8);
    CHECK_INT(frame.frame.print_lost, 8 - count);
    gpu.unload(gpu.module);
    fixture_finish(&f);
}
