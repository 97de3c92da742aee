// What the tests of the code generator share: compiling a module and loading what comes out. The object is linked into
// a shared library by the system's linker, so that these tests lean on nothing else of Rill's own.
#ifndef RILL_TESTS_CODEGEN_SUPPORT_H
#define RILL_TESTS_CODEGEN_SUPPORT_H

#include "codegen/codegen.h"
#include "ir/interpret.h"
#include "ir/ir.h"
#include "plan/abi.h"
#include "test.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    struct arena arena;
    struct ir_module *module;
    struct ir_function *kernel;
    struct ir_function *task;
    struct ir_builder b;
    void *library;
};

static inline void fixture_init(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    arena_init(&f->arena);
    f->module = ir_module_create(&f->arena);
    static const char *files[] = {"test.c"};
    f->module->files = files;
    f->module->file_count = 1;
    f->b.module = f->module;
}

static inline void fixture_finish(struct fixture *f)
{
    if (f->library != NULL) {
        dlclose(f->library);
    }
    arena_finish(&f->arena);
}

// A kernel "k" and its task "k.0"; the builder then points at the task's body.
static inline void fixture_task(struct fixture *f, bool is_serial)
{
    f->kernel = ir_function_create(f->module, IR_FUNCTION_KERNEL, "k");
    f->task = ir_function_create(f->module, IR_FUNCTION_TASK, "k.0");
    f->task->kernel = f->kernel;
    f->task->is_serial = is_serial;
    f->task->assume_independent = !is_serial;
    f->task->loc = (struct loc){0, 1, 1};
    f->b.function = f->task;
    f->b.region = &f->task->body;
    f->b.loc = (struct loc){0, 2, 3};
}

static inline void fixture_param(struct fixture *f, const char *name, enum ir_type type)
{
    struct ir_param *params = ARENA_ARRAY(&f->arena, struct ir_param, f->kernel->param_count + 1);
    if (f->kernel->param_count > 0) {
        memcpy(params, f->kernel->params, sizeof *params * (size_t)f->kernel->param_count);
    }
    f->kernel->params = params;
    params[f->kernel->param_count++] = (struct ir_param){.name = name, .type = type, .is_array = type == IR_PTR};
}

static inline struct ir_inst *fixture_arg(struct fixture *f, int index)
{
    struct ir_inst *inst = ir_emit0(&f->b, IR_OP_PARAM, f->kernel->params[index].type);
    inst->imm = index;
    return inst;
}

static inline struct ir_inst *fixture_index_of(struct fixture *f, struct ir_inst *base, struct ir_inst *index,
                                               int64_t size, struct ir_inst *extent)
{
    struct ir_inst *args[4] = {base, index, ir_const(&f->b, IR_I64, size),
                               extent != NULL ? extent : ir_const(&f->b, IR_I64, -1)};
    struct ir_inst *inst = ir_emit(&f->b, IR_OP_INDEX, IR_PTR, 4, args);
    inst->text = "a";
    return inst;
}

static inline struct ir_inst *fixture_at(struct fixture *f, int param, struct ir_inst *index, enum ir_type type)
{
    return fixture_index_of(f, fixture_arg(f, param), index, ir_type_size(type), NULL);
}

static inline struct ir_inst *fixture_load(struct fixture *f, int param, struct ir_inst *index, enum ir_type type)
{
    return ir_emit1(&f->b, IR_OP_LOAD, type, fixture_at(f, param, index, type));
}

static inline void fixture_store(struct fixture *f, int param, struct ir_inst *index, struct ir_inst *value)
{
    struct ir_inst *at = fixture_at(f, param, index, value->type);
    ir_emit2(&f->b, IR_OP_STORE, value->type, at, value)->id = -1;
}

static inline struct ir_inst *fixture_math(struct fixture *f, enum ir_math math, enum ir_type type, int count,
                                           struct ir_inst **args)
{
    struct ir_inst *inst = ir_emit(&f->b, IR_OP_MATH, type, count, args);
    inst->imm = math;
    return inst;
}

static inline bool fixture_verify(struct fixture *f)
{
    struct str text;
    str_init(&text, &f->arena);
    return ir_verify(f->module, &text) || FAIL("the IR is not well formed: %s", str_text(&text));
}

// ---- compiling and loading
// ---------------------------------------------------------------------------------------------------

static inline bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    bool good = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

static inline int run_command(const char *format, ...)
{
    char command[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return system(command);
}

static inline void *load_object(const struct codegen_output *code)
{
    char dir[] = "/tmp/rill-codegen-XXXXXX";
    if (mkdtemp(dir) == NULL) {
        return NULL;
    }
    char object[64], library[64];
    snprintf(object, sizeof object, "%s/a.o", dir);
    snprintf(library, sizeof library, "%s/a.so", dir);
    void *handle = NULL;
    if (write_file(object, code->bytes, code->size) &&
        run_command("cc -shared -Wl,-Bsymbolic -o %s %s -lm -l:libmvec.so.1", library, object) == 0) {
        handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL) {
            printf("  dlopen: %s\n", dlerror());
        }
    }
    run_command("rm -rf %s", dir);
    return handle;
}

static inline bool fixture_build(struct fixture *f, const struct codegen_options *options)
{
    struct codegen_output code;
    if (!fixture_verify(f)) {
        return false;
    }
    if (codegen_emit(f->module, options, &code) != RILL_OK) {
        return FAIL("codegen_emit: %s", rill_message());
    }
    f->library = load_object(&code);
    codegen_output_finish(&code);
    return f->library != NULL || FAIL("the object does not load");
}

static inline abi_entry *fixture_entry(struct fixture *f, const char *name)
{
    abi_entry *entry;
    *(void **)&entry = dlsym(f->library, name);
    if (entry == NULL) {
        FAIL("no entry %s", name);
    }
    return entry;
}

// ---- services
// ------------------------------------------------------------------------------------------------------------------

struct test_frame {
    struct abi_frame frame; // first: the entry sees this
    int fail_count;
    struct abi_failure failure; // the last
    int64_t fail_iteration, index, extent;
    int print_count;
    char format[256];
    uint64_t values[16];
    int value_count;
    int64_t print_iteration;
};

static inline void test_print(struct abi_frame *frame, int64_t iteration, const char *format, const uint64_t *args,
                              int32_t count)
{
    struct test_frame *t = (struct test_frame *)frame;
    t->print_count++;
    t->print_iteration = iteration;
    snprintf(t->format, sizeof t->format, "%s", format);
    t->value_count = count;
    memcpy(t->values, args, sizeof *args * (size_t)count);
}

static inline void test_fail(struct abi_frame *frame, const struct abi_failure *failure, int64_t iteration,
                             int64_t index, int64_t extent)
{
    struct test_frame *t = (struct test_frame *)frame;
    t->fail_count++;
    t->failure = *failure;
    t->fail_iteration = iteration;
    t->index = index;
    t->extent = extent;
}

static const struct abi_services test_services = {test_print, test_fail};

static inline struct test_frame new_frame(int64_t iter_count)
{
    return (struct test_frame){.frame = {.services = &test_services, .iter_count = iter_count}};
}

#endif
