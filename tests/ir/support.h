// What the tests of the IR share: an arena and a module for each test, and a function to build into.
#ifndef RILL_TESTS_IR_SUPPORT_H
#define RILL_TESTS_IR_SUPPORT_H

#include "ir/ir.h"

#include "test.h"

struct fixture {
    struct arena arena;
    struct ir_module *module;
    struct ir_builder b;
};

static inline void fixture_init(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    arena_init(&f->arena);
    f->module = ir_module_create(&f->arena);
    f->b.module = f->module;
}

static inline void fixture_finish(struct fixture *f)
{
    arena_finish(&f->arena);
}

// Makes a function and points the builder at its body.
static inline struct ir_function *fixture_function(struct fixture *f, enum ir_function_kind kind, const char *name,
                                                   enum ir_type return_type)
{
    struct ir_function *function = ir_function_create(f->module, kind, name);
    function->return_type = return_type;
    f->b.function = function;
    f->b.region = &function->body;
    f->b.before = NULL;
    return function;
}

static inline struct ir_param *fixture_param(struct fixture *f, const char *name, enum ir_type type)
{
    struct ir_function *function = f->b.function;
    struct ir_param *params = ARENA_ARRAY(&f->arena, struct ir_param, function->param_count + 1);
    if (function->param_count > 0) {
        memcpy(params, function->params, sizeof *params * (size_t)function->param_count);
    }
    function->params = params;
    struct ir_param *param = &params[function->param_count++];
    param->name = name;
    param->type = type;
    return param;
}

static inline struct ir_inst *fixture_param_value(struct fixture *f, int index)
{
    const struct ir_function *owner = f->b.function->kernel != NULL ? f->b.function->kernel : f->b.function;
    struct ir_inst *inst = ir_emit0(&f->b, IR_OP_PARAM, owner->params[index].type);
    inst->imm = index;
    return inst;
}

static inline struct ir_var *fixture_memory(struct fixture *f, const char *name, uint64_t size, uint32_t align)
{
    struct ir_var *var = ir_var_create(f->module, f->b.function, name, IR_VOID);
    var->is_memory = true;
    var->size = size;
    var->align = align;
    return var;
}

static inline struct ir_inst *fixture_address(struct fixture *f, struct ir_var *var)
{
    struct ir_inst *inst = ir_emit0(&f->b, IR_OP_ADDR_VAR, IR_PTR);
    inst->var = var;
    return inst;
}

// &base[index], elements of |size| bytes; |extent| -1: unknown.
static inline struct ir_inst *fixture_index(struct fixture *f, struct ir_inst *base, struct ir_inst *index,
                                            int64_t size, int64_t extent)
{
    struct ir_inst *args[4] = {base, index, ir_const(&f->b, IR_I64, size), ir_const(&f->b, IR_I64, extent)};
    return ir_emit(&f->b, IR_OP_INDEX, IR_PTR, 4, args);
}

static inline const char *fixture_print(struct fixture *f)
{
    struct str out;
    str_init(&out, &f->arena);
    ir_print(f->module, &out);
    return str_text(&out);
}

// What the verifier says; "" if it has nothing to say.
static inline const char *fixture_verify(struct fixture *f)
{
    struct str out;
    str_init(&out, &f->arena);
    bool is_good = ir_verify(f->module, &out);
    CHECK(is_good == (out.length == 0));
    return str_text(&out);
}

#endif
