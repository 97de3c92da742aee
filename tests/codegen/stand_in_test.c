// Stand-in code: beside the PTX of a module lies an x86-64 object with the same entries, which run block by block.
#include "support.h"

#include "compiler/pipeline.h"
#include "form.h"
#include "object/elf.h"
#include "object/object.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

typedef void stand_in_entry(void *const *params, uint32_t grid_size, uint32_t block_index);

struct code {
    struct codegen_output output;
    const char *object;
    size_t object_size;
};

static bool emit_code(const struct ir_module *module, bool check_bounds, struct code *code)
{
    struct codegen_options options = {.target = "sm_90", .stand_in = true, .check_bounds = check_bounds};
    if (codegen_emit(module, &options, &code->output) != RILL_OK) {
        return FAIL("codegen_emit: %s", rill_message());
    }
    size_t offset, size;
    if (sscanf(code->output.bytes, "// rill stand-in %zu %zu", &offset, &size) != 2) {
        return FAIL("the first line says nothing of the object: %.60s", code->output.bytes);
    }
    code->object = code->output.bytes + offset;
    code->object_size = size;
    return CHECK_INT(offset % 16, 0) && CHECK_INT(offset + size, code->output.size) &&
           CHECK(strlen(code->output.bytes) < offset);
}

// ---- the same entries
// --------------------------------------------------------------------------------------------------------------

static bool object_has(const struct elf_file *file, const char *name)
{
    for (uint32_t i = 0; i < file->symbol_count; i++) {
        Elf64_Sym symbol = elf_symbol(file, i);
        if (strcmp(elf_symbol_name(file, &symbol), name) == 0 && symbol.st_shndx != SHN_UNDEF) {
            return true;
        }
    }
    return false;
}

static int exported_function_count(const struct elf_file *file)
{
    int count = 0;
    for (uint32_t i = 0; i < file->symbol_count; i++) {
        Elf64_Sym symbol = elf_symbol(file, i);
        count += ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
                 symbol.st_shndx != SHN_UNDEF;
    }
    return count;
}

// Everything that follows |word| and a space in the PTX, up to what cannot be in a name.
static int check_names(const struct elf_file *file, const char *ptx, const char *word, const char *path)
{
    int count = 0;
    for (const char *at = strstr(ptx, word); at != NULL; at = strstr(at, word)) {
        at += strlen(word);
        size_t length = strcspn(at, "(), \t\n[;");
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (!object_has(file, name)) {
            FAIL("%s: the object has no %s", path, name);
        }
        count++;
    }
    return count;
}

static void check_file(const char *path, const char *text, size_t length)
{
    struct arena arena;
    arena_init(&arena);
    struct diags diags;
    diags_init(&diags, &arena);
    static const char *const dirs[] = {RILL_SOURCE_DIR "/include", RILL_SOURCE_DIR "/tests/kernels/include"};
    struct pipeline_options options = {.contract = true, .preprocess = {.include_dirs = dirs, .include_dir_count = 2}};
    struct pipeline_result made;
    pipeline_compile(&arena, &diags, path, text, length, &options, &made);
    struct code code;
    struct elf_file file;
    if (made.plan == NULL) {
        FAIL("%s does not compile", path);
    } else if (emit_code(made.module, false, &code)) {
        if (elf_open(&file, path, EM_X86_64, code.object, code.object_size) != RILL_OK) {
            FAIL("%s: %s", path, rill_message());
        } else {
            int entries = check_names(&file, code.output.bytes, ".visible .entry ", path);
            CHECK(entries > 0);
            CHECK_INT(exported_function_count(&file), entries);
        }
        codegen_output_finish(&code.output);
    }
    arena_finish(&arena);
}

TEST(every_kernel_file_has_the_same_entries_in_ptx_and_object)
{
    const char *folder = RILL_SOURCE_DIR "/tests/kernels";
    DIR *dir = opendir(folder);
    REQUIRE(dir != NULL);
    int count = 0;
    // A sample in short, and where the compiler is sanitized.
    unsigned long every = form_is_long() && !form_is_sanitized() ? 1 : form_is_sanitized() && !form_is_long() ? 8 : 4;
    static char text[1 << 20];
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 2, ".c") != 0) {
            continue;
        }
        if (!form_takes((unsigned long)count++, every)) {
            continue;
        }
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        REQUIRE(file != NULL);
        size_t size = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[size] = '\0';
        check_file(path, text, size);
    }
    closedir(dir);
    CHECK(count > 10);
}

// ---- running
// -----------------------------------------------------------------------------------------------------------------------

static void *resolve(void *user, const char *symbol)
{
    (void)user;
    return dlsym(RTLD_DEFAULT, symbol);
}

static struct object *load(struct fixture *f, bool check_bounds)
{
    struct code code;
    struct object *object = NULL;
    if (fixture_verify(f) && emit_code(f->module, check_bounds, &code)) {
        struct object_options options = {.name = "stand-in", .resolve = resolve};
        if (object_load(code.object, code.object_size, &options, &object) != RILL_OK) {
            FAIL("object_load: %s", rill_message());
        }
        codegen_output_finish(&code.output);
    }
    return object;
}

struct launch {
    uint64_t args[8];
    void *block;
    int64_t trip, chunk;
    void *partial, *frame;
};

static void run(struct object *object, const char *name, struct launch *launch, uint32_t grid)
{
    stand_in_entry *entry;
    *(void **)&entry = object_symbol(object, name);
    REQUIRE(entry != NULL);
    void *params[6] = {launch->args, &launch->block, &launch->trip, &launch->chunk, &launch->partial, &launch->frame};
    for (uint32_t i = grid; i > 0; i--) { // blocks have no order
        entry(params, grid, i - 1);
    }
}

TEST(the_blocks_of_a_grid_share_the_iterations)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "n", IR_I32);
    fixture_param(&f, "a", IR_PTR);
    struct ir_global *field = ir_global_create(f.module, "visits", 4, 4);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    struct ir_inst *sum = ir_emit2(&f.b, IR_OP_ADD, IR_I32, fixture_load(&f, 1, iter, IR_I32), fixture_arg(&f, 0));
    fixture_store(&f, 1, iter, sum);
    struct ir_inst *at = ir_emit0(&f.b, IR_OP_ADDR_GLOBAL, IR_PTR);
    at->global = field;
    struct ir_inst *update = ir_emit2(&f.b, IR_OP_UPDATE, IR_I32, at, ir_const(&f.b, IR_I32, 1));
    update->update = IR_UPDATE_ADD;
    update->atomic = true;
    struct object *object = load(&f, false);
    REQUIRE(object != NULL);
    for (uint32_t grid = 1; grid < 120; grid += 17) {
        int32_t a[100] = {0};
        struct launch launch = {.args = {7, (uint64_t)(uintptr_t)a}, .trip = 100};
        int32_t *visits = object_symbol(object, "visits");
        REQUIRE(visits != NULL);
        *visits = 0;
        run(object, "k$0", &launch, grid);
        CHECK_INT(*visits, 100);
        for (int i = 0; i < 100; i++) {
            CHECK_INT(a[i], 7);
        }
    }
    object_unload(object);
    fixture_finish(&f);
}

TEST(a_block_with_iterations_writes_its_partial_record)
{
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
    struct object *object = load(&f, false);
    REQUIRE(object != NULL);
    int64_t records[24] = {0};
    struct launch launch = {.trip = 1001, .chunk = 100, .partial = records};
    run(object, "k$0", &launch, 12);
    for (int t = 0; t < 12; t++) {
        int64_t expected = t > 10 ? 0 : 5;
        for (int64_t i = 100 * t; i < 100 * t + 100 && i < 1001; i++) {
            expected += i;
        }
        CHECK_INT(records[2 * t + 1], expected);
        CHECK_INT(records[2 * t], 0);
    }
    object_unload(object);
    fixture_finish(&f);
}

TEST(failures_and_prints_go_to_the_frame)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, false);
    fixture_param(&f, "a", IR_PTR);
    struct ir_inst *iter = ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    struct ir_inst *words[3] = {iter, fixture_arg(&f, 0), ir_fconst(&f.b, IR_F64, 2.5)};
    ir_emit(&f.b, IR_OP_PRINT, IR_VOID, 3, words)->text = "%ld %s %g\n";
    struct ir_inst *at = fixture_index_of(&f, fixture_arg(&f, 0), iter, 1, ir_const(&f.b, IR_I64, 7));
    ir_emit2(&f.b, IR_OP_STORE, IR_I8, at, ir_const(&f.b, IR_I8, 'x'));
    struct object *object = load(&f, true);
    REQUIRE(object != NULL);
    static struct {
        struct abi_gpu_frame frame;
        char buffer[600];
    } frame;
    memset(&frame, 0, sizeof frame);
    frame.frame.print_size = sizeof frame.buffer;
    char text[8] = "hello w";
    struct launch launch = {.args = {(uint64_t)(uintptr_t)text}, .trip = 8, .frame = &frame};
    run(object, "k$0", &launch, 1); // one thread: others would not start once this one has failed
    CHECK_INT(frame.frame.published, 1);
    CHECK_INT(frame.frame.kind, ABI_FAILURE_BOUNDS);
    CHECK_INT(frame.frame.iteration, 7);
    CHECK_INT(frame.frame.extent, 7);
    CHECK_STR(frame.frame.text, "a");
    CHECK_STR(text, "xxxxxxx");
    struct abi_gpu_print record;
    memcpy(&record, frame.buffer, sizeof record);
    CHECK_INT(record.published, 1);
    CHECK_INT(record.arg_count, 3);
    CHECK_STR(frame.buffer + sizeof record, "%ld %s %g\n");
    CHECK_INT(frame.frame.print_used, 8 * record.size);
    object_unload(object);
    fixture_finish(&f);
}

// ---- alignment
// ----------------------------------------------------------------------------------------------------------------------

// The task's one instruction that touches a[0].
static struct ir_inst *touch(struct fixture *f, enum ir_op op, enum ir_update update, bool is_atomic)
{
    struct ir_inst *at = fixture_at(f, 0, ir_const(&f->b, IR_I64, 0), IR_I32);
    struct ir_inst *args[3] = {at, ir_const(&f->b, IR_I32, 3), ir_const(&f->b, IR_I32, 4)};
    struct ir_inst *inst = ir_emit(&f->b, op, IR_I32, op == IR_OP_LOAD ? 1 : op == IR_OP_CAS ? 3 : 2, args);
    inst->update = update;
    inst->atomic = is_atomic;
    if (op == IR_OP_LOAD) {
        ir_emit2(&f->b, IR_OP_STORE, IR_I32, fixture_at(f, 1, ir_const(&f->b, IR_I64, 0), IR_I32), inst);
    }
    return inst;
}

// The signal that ends a process which runs it with |a|; 0: none does.
static int signal_of(struct object *object, void *a, void *b)
{
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        (void)signal(SIGILL, SIG_DFL); // a sanitizer has its own way
        struct launch launch = {.args = {(uint64_t)(uintptr_t)a, (uint64_t)(uintptr_t)b}, .trip = 1};
        run(object, "k$0", &launch, 1);
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(an_access_that_is_not_aligned_ends_it_as_on_a_gpu)
{
    static const struct {
        const char *name;
        enum ir_op op;
        enum ir_update update;
        bool is_atomic;
    } cases[] = {
        {"load", IR_OP_LOAD, 0, false},
        {"store", IR_OP_STORE, 0, false},
        {"plain update", IR_OP_UPDATE, IR_UPDATE_ADD, false},
        {"shared update", IR_OP_UPDATE, IR_UPDATE_ADD, true},
        {"shared update that no hardware has", IR_OP_UPDATE, IR_UPDATE_MUL, true},
        {"atomic", IR_OP_ATOMIC, IR_UPDATE_UMAX, false},
        {"atomic that no hardware has", IR_OP_ATOMIC, IR_UPDATE_MUL, false},
        {"compare and swap", IR_OP_CAS, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        fixture_init(&f);
        fixture_task(&f, false);
        fixture_param(&f, "a", IR_PTR);
        fixture_param(&f, "b", IR_PTR);
        (void)touch(&f, cases[i].op, cases[i].update, cases[i].is_atomic);
        struct object *object = load(&f, false);
        REQUIRE(object != NULL);
        int32_t a[2] = {0}, b[1];
        int good = signal_of(object, a, b), bad = signal_of(object, (char *)a + 2, b);
        if (good != 0 || bad != SIGILL) {
            FAIL("%s: %d where it is aligned, %d where it is not", cases[i].name, good, bad);
        }
        object_unload(object);
        fixture_finish(&f);
    }
}

TEST(there_is_no_stand_in_unless_it_is_asked_for)
{
    struct fixture f;
    fixture_init(&f);
    fixture_task(&f, true);
    struct codegen_output code;
    struct codegen_options plain = {.target = "sm_90"};
    REQUIRE(codegen_emit(f.module, &plain, &code) == RILL_OK);
    CHECK(strstr(code.bytes, "stand-in") == NULL);
    CHECK_INT(strlen(code.bytes), code.size);
    codegen_output_finish(&code);
    struct codegen_options amd = {.target = "gfx942"};
    REQUIRE(codegen_emit(f.module, &amd, &code) == RILL_OK);
    CHECK(memmem(code.bytes, code.size, "stand-in", strlen("stand-in")) == NULL);
    codegen_output_finish(&code);
    fixture_finish(&f);
}

// ---- far away
// -----------------------------------------------------------------------------------------------------------------------

static const char far_source[] = "#include <rill/kernel.h>\n"
                                 "kernel void far(long rows, long columns, int m, const long a[m], long c[3])\n"
                                 "{\n"
                                 "#pragma rill parallel\n"
                                 "    for (long i = 0; i < rows; i++)\n"
                                 "#pragma rill parallel\n"
                                 "        for (long j = 0; j < columns; j++) {\n"
                                 "            long s = 0;\n"
                                 "            for (int k = 0; k < m; k++) s += a[k];\n"
                                 "            c[0] = i; c[1] = j; c[2] = s;\n"
                                 "        }\n"
                                 "}\n";

// Block |block| of so many as there can be takes few iterations, the last of which leaves its numbers.
static void check_far(struct object *object, int64_t rows, int64_t columns, uint32_t block)
{
    stand_in_entry *entry;
    int64_t a[3] = {1, 20, 300};
    int64_t c[3] = {-1, -1, -1};
    int64_t block_slots[3] = {columns, columns, 1}; // where the plan has some: each element is an iteration
    int64_t all = rows * columns;
    struct launch launch = {
        .args = {(uint64_t)rows, (uint64_t)columns, 3, (uint64_t)(uintptr_t)a, (uint64_t)(uintptr_t)c},
        .block = block_slots,
        .trip = all};
    void *params[6] = {launch.args, &launch.block, &launch.trip, &launch.chunk, &launch.partial, &launch.frame};
    *(void **)&entry = object_symbol(object, "far$0");
    REQUIRE(entry != NULL);
    entry(params, UINT32_MAX, block);
    int64_t rounds = all > block ? (all - 1 - block) / UINT32_MAX + 1 : 0;
    int64_t last = rounds > 0 ? block + (rounds - 1) * (int64_t)UINT32_MAX : -1;
    CHECK_INT(c[0], rounds > 0 ? last / columns : -1);
    CHECK_INT(c[1], rounds > 0 ? last % columns : -1);
    CHECK_INT(c[2], rounds > 0 ? 321 : -1);
}

// More rows, columns and tiles than 32 bits count: they are found by divisions that the code does itself.
TEST(tiles_of_large_spaces_are_where_they_should_be)
{
    struct arena arena;
    arena_init(&arena);
    struct diags diags;
    diags_init(&diags, &arena);
    static const char *const dirs[] = {RILL_SOURCE_DIR "/include"};
    struct pipeline_options options = {
        .contract = true, .is_gpu = true, .preprocess = {.include_dirs = dirs, .include_dir_count = 1}};
    struct pipeline_result made;
    pipeline_compile(&arena, &diags, "far.c", far_source, strlen(far_source), &options, &made);
    REQUIRE(made.plan != NULL);
    struct code code;
    struct object *object = NULL;
    REQUIRE(emit_code(made.module, false, &code));
    struct object_options places = {.name = "stand-in", .resolve = resolve};
    if (object_load(code.object, code.object_size, &places, &object) != RILL_OK) {
        FAIL("object_load: %s", rill_message());
        REQUIRE(false);
    }
    static const int64_t spaces[][2] = {
        {3, 5},
        {1, 1},
        {65536, 65536},
        {4294967295, 1},
        {1, 4294967297},
        {5000000000, 7},
        {7, 5000000001},
        {(INT64_C(1) << 40) + 3, 3},
        {3, (INT64_C(1) << 40) + 1},
        {100000, 100003},
        {4294967296, 100},
    };
    static const uint32_t blocks[] = {0, 1, 7, 65535, 4294967294};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
            check_far(object, spaces[i][0], spaces[i][1], blocks[k]);
        }
    }
    object_unload(object);
    codegen_output_finish(&code.output);
    arena_finish(&arena);
}
