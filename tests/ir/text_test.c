#include "support.h"

#include <dirent.h>

// ---- round trips ---------------------------------------------------------------------------------------------------

static struct ir_module *read_text(struct arena *arena, const char *text, const char **out_error)
{
    struct diags diags;
    diags_init(&diags, arena);
    struct ir_module *module = ir_read(arena, &diags, text);
    struct str rendered;
    str_init(&rendered, arena);
    diags_render_all(&diags, false, &rendered);
    *out_error = str_text(&rendered);
    CHECK((module == NULL) == (diags.error_count > 0));
    return module;
}

static bool check_round_trip(struct arena *arena, const char *text)
{
    const char *error;
    struct ir_module *again = read_text(arena, text, &error);
    if (again == NULL) {
        return FAIL("could not read back:\n%s", error);
    }
    struct str out;
    str_init(&out, arena);
    ir_print(again, &out);
    return CHECK_STR(str_text(&out), text);
}

static struct ir_ctype *make_ctype(struct fixture *f, enum ir_ctype_kind kind, const char *name, uint64_t size)
{
    struct ir_ctype *ctype = ARENA_NEW(&f->arena, struct ir_ctype);
    ctype->kind = kind;
    ctype->name = name;
    ctype->size = size;
    ctype->align = 4;
    return ctype;
}

static struct ir_ctype *make_list_type(struct fixture *f)
{
    struct ir_ctype *number = make_ctype(f, IR_CTYPE_SCALAR, "unsigned", 4);
    number->scalar = IR_I32;
    number->is_unsigned = true;
    struct ir_ctype *record = make_ctype(f, IR_CTYPE_RECORD, "struct list", 24);
    struct ir_ctype *pointer = make_ctype(f, IR_CTYPE_POINTER, "struct list *", 8);
    pointer->element = record; // a cycle
    struct ir_ctype *array = make_ctype(f, IR_CTYPE_ARRAY, "unsigned[3]", 12);
    array->element = number;
    array->length = 3;
    record->members = ARENA_ARRAY(&f->arena, struct ir_cmember, 3);
    record->member_count = 3;
    record->members[0] = (struct ir_cmember){"next", pointer, 0, -1, 0};
    record->members[1] = (struct ir_cmember){"values", array, 8, -1, 0};
    record->members[2] = (struct ir_cmember){"flag", number, 20, 3, 5};
    return record;
}

static void make_globals(struct fixture *f)
{
    struct ir_global *zero = ir_global_create(f->module, "zero", 1 << 20, 64);
    struct ir_global *table = ir_global_create(f->module, "ta\"b\\le\n\x01\xc3\xa9", 80, 8);
    table->is_const = true;
    table->bytes = arena_alloc(&f->arena, 80);
    table->bytes[0] = 0xff;
    table->bytes[40] = 1;
    table->relocs = ARENA_ARRAY(&f->arena, struct ir_reloc, 2);
    table->relocs[0] = (struct ir_reloc){8, table, -4};
    table->relocs[1] = (struct ir_reloc){48, zero, 16};
    table->reloc_count = 2;
    table->loc = (struct loc){1, 7, 3};
    table->ctype = make_list_type(f);
}

static void add_floats(struct fixture *f)
{
    static const uint64_t bits[] = {0,
                                    UINT64_C(1) << 63,
                                    1,
                                    UINT64_C(0x000fffffffffffff),
                                    UINT64_C(0x0010000000000000),
                                    UINT64_C(0x7fefffffffffffff),
                                    UINT64_C(0x7ff0000000000000),
                                    UINT64_C(0xfff0000000000000),
                                    UINT64_C(0x7ff8000000000123),
                                    UINT64_C(0xfff0000000000001),
                                    UINT64_C(0x3fb999999999999a),
                                    UINT64_C(0x8008000000000000)};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        double value;
        memcpy(&value, &bits[i], sizeof value);
        ir_fconst(&f->b, IR_F64, value);
    }
    ir_fconst(&f->b, IR_F32, 0.1);
    ir_const(&f->b, IR_I64, INT64_MIN);
    ir_const(&f->b, IR_I8, -128);
    ir_const(&f->b, IR_PTR, 0);
}

// A kernel with every kind of control and of attribute.
static struct ir_function *make_kernel(struct fixture *f)
{
    struct ir_function *kernel = fixture_function(f, IR_FUNCTION_KERNEL, "solve", IR_F32);
    kernel->loc = (struct loc){0, 3, 1};
    kernel->pragma_single = true;
    kernel->return_ctype = make_ctype(f, IR_CTYPE_SCALAR, "float", 4);
    kernel->return_ctype->scalar = IR_F32;
    fixture_param(f, "n", IR_I64);
    fixture_param(f, "a", IR_PTR);
    struct ir_param *array = &kernel->params[1];
    array->is_array = array->is_const = array->is_restrict = true;
    array->loc = (struct loc){0, 3, 20};
    add_floats(f);
    struct ir_inst *n = fixture_param_value(f, 0);
    struct ir_inst *a = fixture_param_value(f, 1);
    array->rank = 2;
    array->extents = ARENA_ARRAY(&f->arena, struct ir_inst *, 2);
    array->extents[0] = n;
    array->extents[1] = ir_const(&f->b, IR_I64, 7);

    struct ir_var *i = ir_var_create(f->module, kernel, "i", IR_I64);
    struct ir_var *sum = ir_var_create(f->module, kernel, "sum", IR_F32);
    sum->slot = 16;
    struct ir_var *best = ir_var_create(f->module, kernel, ".best", IR_I64);
    struct ir_var *local = fixture_memory(f, "odd name", 16, 8);
    local->depth_key = 3;
    f->b.loc = (struct loc){0, 5, 5};
    struct ir_inst *loop = ir_emit_for(&f->b, i, ir_const(&f->b, IR_I64, 0), n, IR_OP_SLT, 3);
    local->scope = loop;
    loop->loop->collapse = 2;
    loop->loop->block_dim = 128;
    loop->loop->level = 1;
    loop->loop->map = IR_MAP_TILE;
    loop->loop->tile_rows = 4;
    loop->loop->tile_columns = 8;
    loop->loop->tested = true;
    loop->loop->pragma_parallel = true;
    loop->loop->verdict = IR_VERDICT_IF;
    loop->loop->reason = "the stride is not 0: \"k\"";
    loop->loop->reason_loc_a = (struct loc){0, 6, 9};
    loop->loop->roles = ARENA_ARRAY(&f->arena, struct ir_scalar_role, 3);
    loop->loop->role_count = 3;
    loop->loop->roles[0] = (struct ir_scalar_role){.var = sum, .role = IR_ROLE_REDUCTION, .update = IR_UPDATE_ADD};
    loop->loop->roles[1] = (struct ir_scalar_role){
        .var = sum, .role = IR_ROLE_SELECTION, .update = IR_UPDATE_FMIN_IF_EQ, .inclusive = true};
    loop->loop->roles[2] =
        (struct ir_scalar_role){.var = best, .role = IR_ROLE_COMPANION, .always_written = true, .leader = sum};

    struct ir_region *outer = f->b.region;
    f->b.region = &loop->regions[0];
    struct ir_inst *at = fixture_index(f, a, ir_get(&f->b, i), 4, 7);
    at->text = "a";
    at->in_bounds = true;
    struct ir_inst *x = ir_emit1(&f->b, IR_OP_LOAD, IR_F32, at);
    x->is_volatile = true;
    x->is_packed = true;
    x->base = 3;
    struct ir_inst *sine = ir_emit1(&f->b, IR_OP_MATH, IR_F32, x);
    sine->imm = IR_MATH_SIN;
    struct ir_inst *update = ir_emit1(&f->b, IR_OP_VUPDATE, IR_F32, sine);
    update->var = sum;
    update->update = IR_UPDATE_ADD;
    struct ir_inst *shared = ir_emit2(&f->b, IR_OP_UPDATE, IR_F32, fixture_address(f, local), x);
    shared->update = IR_UPDATE_FMAX_COND;
    shared->atomic = true;
    struct ir_inst *yes = ir_emit2(&f->b, IR_OP_FLT, IR_I1, x, sine);
    struct ir_inst *branch = ir_control(&f->b, IR_OP_IF, yes, 2);
    f->b.region = &branch->regions[1];
    struct ir_inst *block = ir_control(&f->b, IR_OP_BLOCK, NULL, 1);
    f->b.region = &block->regions[0];
    struct ir_inst *leave = ir_emit0(&f->b, IR_OP_BREAK, IR_VOID);
    leave->target = block;
    f->b.region = outer;

    struct ir_inst *choose = ir_control(&f->b, IR_OP_SWITCH, n, 3);
    choose->cases = ARENA_ARRAY(&f->arena, int64_t, 3);
    choose->case_regions = ARENA_ARRAY(&f->arena, int, 3);
    choose->case_count = 3;
    for (int k = 0; k < 3; k++) {
        choose->cases[k] = k == 0 ? INT64_MIN : k;
        choose->case_regions[k] = k;
    }
    choose->default_region = 1;
    struct ir_inst *graph = ir_control(&f->b, IR_OP_CFG, NULL, 2);
    f->b.region = &graph->regions[1];
    struct ir_inst *jump = ir_emit0(&f->b, IR_OP_JUMP, IR_VOID);
    jump->target = graph;
    jump->imm = 1;
    f->b.region = outer;
    struct ir_inst *blocks = ir_control(&f->b, IR_OP_BLOCKS, NULL, 2);
    blocks->regions[1].in_order = true;
    blocks->regions[0].loc = (struct loc){0, 9, 5};
    blocks->regions[1].loc = (struct loc){1, 10, 5};
    struct ir_inst *print = ir_emit1(&f->b, IR_OP_PRINT, IR_VOID, n);
    print->text = "n = %lld\n";
    ir_emit1(&f->b, IR_OP_RETURN, IR_VOID, ir_get(&f->b, sum));
    return kernel;
}

static void make_task(struct fixture *f, struct ir_function *kernel)
{
    struct ir_function *task = fixture_function(f, IR_FUNCTION_TASK, "solve.1", IR_VOID);
    task->kernel = kernel;
    task->assume_independent = true;
    task->partial_size = 16;
    struct ir_var *sum = ir_var_create(f->module, task, "sum", IR_F32);
    struct ir_var *count = ir_var_create(f->module, task, "count", IR_I64);
    task->accumulators = ARENA_ARRAY(&f->arena, struct ir_accumulator, 2);
    task->accumulator_count = 2;
    struct ir_builder detached = f->b;
    struct ir_region nowhere = {0};
    detached.region = &nowhere;
    task->accumulators[0] = (struct ir_accumulator){
        .var = sum, .init = ir_fconst(&detached, IR_F32, -0.0), .offset = 0, .merge = IR_UPDATE_ADD};
    task->accumulators[1] = (struct ir_accumulator){.var = count,
                                                    .init = ir_const(&detached, IR_I64, -1),
                                                    .offset = 8,
                                                    .chosen = 2,
                                                    .choice = IR_CHOICE_BETTER,
                                                    .better = IR_OP_FLT,
                                                    .is_inclusive = true};
    f->b.region = &task->prologue;
    struct ir_inst *n = fixture_param_value(f, 0);
    f->b.region = &task->body;
    ir_set(&f->b, count, ir_emit2(&f->b, IR_OP_ADD, IR_I64, ir_emit0(&f->b, IR_OP_ITER, IR_I64), n))->args[0]->no_wrap =
        true;
    struct ir_function *finish = fixture_function(f, IR_FUNCTION_FINISH, "solve.1.finish", IR_VOID);
    finish->kernel = kernel;
    ir_emit0(&f->b, IR_OP_PARTIALS, IR_PTR);
    ir_emit0(&f->b, IR_OP_ITER_COUNT, IR_I64);
    struct ir_inst *slot = ir_emit0(&f->b, IR_OP_ADDR_SLOT, IR_PTR);
    slot->imm = 24;
}

static void make_everything(struct fixture *f)
{
    f->module->files = ARENA_ARRAY(&f->arena, const char *, 2);
    f->module->files[0] = "a b.c";
    f->module->files[1] = "dir/\"x\".h";
    f->module->file_count = 2;
    f->module->check_bounds = true;
    make_globals(f);
    struct ir_function *kernel = make_kernel(f);
    make_task(f, kernel);
}

TEST(a_module_with_everything_prints_the_same_after_reading)
{
    struct fixture f;
    fixture_init(&f);
    make_everything(&f);
    CHECK_STR(fixture_verify(&f), "");
    const char *text = fixture_print(&f);
    check_round_trip(&f.arena, text);
    fixture_finish(&f);
}

TEST(an_empty_module_prints_the_same_after_reading)
{
    struct fixture f;
    fixture_init(&f);
    check_round_trip(&f.arena, fixture_print(&f));
    fixture_finish(&f);
}

static char *load(struct arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    char *text = arena_alloc(arena, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

TEST(the_case_files_are_valid_and_print_as_they_stand)
{
    DIR *dir = opendir(RILL_SOURCE_DIR "/tests/ir/cases");
    REQUIRE(dir != NULL);
    int count = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".ir") != 0) {
            continue;
        }
        struct fixture f;
        fixture_init(&f);
        const char *text = load(&f.arena, arena_printf(&f.arena, RILL_SOURCE_DIR "/tests/ir/cases/%s", entry->d_name));
        if (!check_round_trip(&f.arena, text)) {
            FAIL("… in %s", entry->d_name);
        }
        const char *error;
        f.module = read_text(&f.arena, text, &error);
        if (f.module != NULL) {
            CHECK_STR(fixture_verify(&f), "");
        }
        count++;
        fixture_finish(&f);
    }
    closedir(dir);
    CHECK(count >= 3);
}

// ---- memory --------------------------------------------------------------------------------------------------------

// Reads, prints and verifies in an arena whose n-th allocation fails; whether it came to the end.
static bool survives(const char *text, uint64_t n)
{
    struct arena arena;
    arena_init(&arena);
    jmp_buf escape;
    volatile bool is_done = false;
    if (setjmp(escape) == 0) {
        arena.escape = &escape;
        arena.fail_after = n;
        struct diags diags;
        diags_init(&diags, &arena);
        struct ir_module *module = ir_read(&arena, &diags, text);
        struct str out;
        str_init(&out, &arena);
        is_done = module != NULL && ir_verify(module, &out);
        ir_print(module, &out);
    }
    arena_finish(&arena);
    return is_done;
}

TEST(the_nth_allocation_that_fails_leaks_nothing)
{
    struct fixture f;
    fixture_init(&f);
    make_everything(&f);
    const char *text = fixture_print(&f);
    uint64_t n = 1;
    while (n < 100000 && !survives(text, n)) {
        n++;
    }
    CHECK(n > 50);
    CHECK(survives(text, 0));
    fixture_finish(&f);
}

// ---- bad text ------------------------------------------------------------------------------------------------------

static void check_bad(const char *text, const char *expected)
{
    struct arena arena;
    arena_init(&arena);
    const char *error;
    CHECK(read_text(&arena, text, &error) == NULL);
    CHECK_CONTAINS(error, expected);
    arena_finish(&arena);
}

#define HEAD "rill-ir 1\n"
#define KERNEL HEAD "kernel 0 \"k\" returns void\n"

TEST(bad_text_is_a_diagnostic_with_its_line)
{
    check_bad("", "expected 'rill-ir'");
    check_bad("rill-ir 2\n", "<ir>:1:9: error: expected '1'");
    check_bad(HEAD "nonsense\n", "<ir>:2:1: error: 'nonsense' does not belong here");
    check_bad(HEAD "file 1 \"x\"\n", "expected file 0");
    check_bad(HEAD "file 0 \"x\n", "expected a quoted text");
    check_bad(HEAD "file 0 \"\\q\"\n", "bad escape");
    check_bad(HEAD "ctype 0 scalar element 7\n", "ctype 7 is named but does not exist");
    check_bad(HEAD "ctype 1 scalar\n", "this is number 1, expected 0");
    check_bad(HEAD "global 0 \"g\" size 4 align 4 bytes\n  hex 0011\n", "2 bytes of the global's 4");
    check_bad(HEAD "global 0 \"g\" size 1 align 4 bytes\n  hex 0011\n", "more bytes than the global's 1");
    check_bad(HEAD "global 0 \"g\" size 4 align 4 bytes\n  zeros 99\n", "more bytes");
    check_bad(HEAD "global 0 \"g\" size 18446744073709551615 align 4 bytes\n", "too large");
    check_bad(HEAD "global 0 \"g\" size 99999999999999999999 align 4\n", "expected a number");
    check_bad(HEAD "global 0 \"g\" size 8 align 8\n  reloc 0 &h#4 0\n", "global 4 is named but does not exist");
    check_bad(KERNEL "  body {\n", "expected '}'");
    check_bad(KERNEL "  body {\n    frob\n  }\nend\n", "expected an operation");
    check_bad(KERNEL "  body {\n    %0 = add i32 %1 %2\n  }\nend\n", "value %1 does not exist before this line");
    check_bad(KERNEL "  body {\n    %0 = const i32 1\n    %0 = const i32 1\n  }\nend\n", "value %0 stands twice");
    check_bad(KERNEL "  body {\n    %999999999 = const i32 1\n  }\nend\n", "expected a value like %0");
    check_bad(KERNEL "  body {\n    %0 = get i32 $x#0\n  }\nend\n", "the function has no variable 0");
    check_bad(KERNEL "  body {\n    %0 = fconst f64 1.5\n  }\nend\n", "expected a float");
    check_bad(KERNEL "  body {\n    break of L0\n  }\nend\n", "label L0 does not exist");
    check_bad(KERNEL "  body {\n    block L1 {\n    }\n  }\nend\n", "expected label L0");
    check_bad(KERNEL "  body {\n    call @f#3\n  }\nend\n", "function 3 is named but does not exist");
    check_bad(KERNEL "  body {\n    barrier !1:2\n  }\nend\n", "expected a place");
    check_bad(KERNEL "  body {\n    barrier frob\n  }\nend\n", "'frob' does not belong to barrier");
    check_bad(KERNEL "  var 0 \"x\" i32 scope L4\n  body {\n  }\nend\n", "names L4");
    check_bad(KERNEL "  param 0 \"x\" ptr array extent %4\n  body {\n  }\nend\n", "names %4");
}

TEST(a_text_cut_or_damaged_anywhere_never_crashes_the_reader)
{
    struct fixture f;
    fixture_init(&f);
    make_everything(&f);
    const char *text = fixture_print(&f);
    size_t length = strlen(text);
    uint64_t random = 7;
    for (size_t i = 0; i < length; i++) {
        struct arena arena;
        arena_init(&arena);
        struct fixture damaged = {.arena = arena};
        char *copy = arena_strdup(&damaged.arena, text);
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (i % 2 == 0) {
            copy[i] = '\0';
        } else {
            copy[i] = "%$&@!#\"{}0129 aL-\n"[(random >> 33) % 18];
        }
        struct diags diags;
        diags_init(&diags, &damaged.arena);
        damaged.module = ir_read(&damaged.arena, &diags, copy);
        CHECK((damaged.module == NULL) == (diags.error_count > 0));
        if (damaged.module != NULL) {
            (void)fixture_verify(&damaged); // whatever it says, it says it
        }
        arena_finish(&damaged.arena);
    }
    fixture_finish(&f);
}

TEST(regions_nested_without_end_are_refused)
{
    struct arena arena;
    arena_init(&arena);
    struct str text;
    str_init(&text, &arena);
    str_add(&text, KERNEL "  body {\n");
    for (int i = 0; i < 100000; i++) {
        str_printf(&text, "block L%d {\n", i);
    }
    const char *error;
    CHECK(read_text(&arena, str_text(&text), &error) == NULL);
    CHECK_CONTAINS(error, "nested too deeply");
    arena_finish(&arena);
}
