#include "ir/read.h"

// What a line names before it exists: filled in when the body has been read.
struct late {
    struct ir_var *var;     // its scope is label |number| …
    struct ir_inst **value; // … or this is value |number|
    int number;
    uint32_t line;
};

struct late_list {
    struct late *items;
    int count;
    int capacity;
};

static void read_param(struct reader *r, struct ir_param *param, struct late_list *lates)
{
    VEC(int) extents = {0};
    while (!r->is_line_end) {
        if (ir_read_is_text(r)) {
            param->name = ir_read_text(r);
        } else if (ir_read_accept(r, "ctype")) {
            param->ctype = ir_read_ctype_at(r, ir_read_plain_index(r));
        } else if (ir_read_accept(r, "struct")) {
            param->is_struct = true;
        } else if (ir_read_accept(r, "array")) {
            param->is_array = true;
        } else if (ir_read_accept(r, "const")) {
            param->is_const = true;
        } else if (ir_read_accept(r, "restrict")) {
            param->is_restrict = true;
        } else if (ir_read_accept(r, "scratch")) {
            param->is_scratch = true;
        } else if (ir_read_accept(r, "result")) {
            param->is_result = true;
        } else if (ir_read_accept(r, "counts")) {
            param->counts = 1 + ir_read_small(r, 0, INT32_MAX - 1);
        } else if (ir_read_accept(r, "extent")) {
            int number = ir_read_value_number(r);
            VEC_PUSH(r->arena, &extents, number);
        } else if (ir_read_is_loc(r)) {
            param->loc = ir_read_loc(r);
        } else if (ir_read_is_type(r)) {
            param->type = ir_read_type(r);
        } else {
            ir_read_bad_word(r);
        }
    }
    param->rank = extents.count;
    param->extents = ARENA_ARRAY(r->arena, struct ir_inst *, extents.count + 1);
    for (int i = 0; i < extents.count; i++) {
        VEC_PUSH(r->arena, lates, (struct late){NULL, &param->extents[i], extents.items[i], r->line});
    }
    ir_read_line_end(r);
}

static void read_params(struct reader *r, struct late_list *lates)
{
    VEC(struct ir_param) params = {0};
    while (ir_read_accept(r, "param")) {
        struct ir_param param = {0};
        if (ir_read_small(r, 0, INT32_MAX) != params.count) {
            ir_read_fail(r, "expected parameter %d", params.count);
        }
        read_param(r, &param, lates);
        VEC_PUSH(r->arena, &params, param);
    }
    r->function->params = params.items;
    r->function->param_count = params.count;
}

static bool read_var_attribute(struct reader *r, struct ir_var *var, struct late_list *lates)
{
    if (ir_read_is_text(r)) {
        var->name = ir_read_text(r);
    } else if (ir_read_accept(r, "memory")) {
        var->is_memory = true;
    } else if (ir_read_accept(r, "unsigned")) {
        var->is_unsigned = true;
    } else if (ir_read_accept(r, "team")) {
        var->is_team = true;
    } else if (ir_read_accept(r, "size")) {
        var->size = (uint64_t)ir_read_int(r);
    } else if (ir_read_accept(r, "align")) {
        var->align = (uint32_t)ir_read_int(r);
    } else if (ir_read_accept(r, "depth")) {
        var->depth_key = ir_read_small(r, INT32_MIN, INT32_MAX);
    } else if (ir_read_accept(r, "slot")) {
        var->slot = ir_read_int(r);
    } else if (ir_read_accept(r, "scope")) {
        int label = ir_read_label(r);
        VEC_PUSH(r->arena, lates, (struct late){var, NULL, label, r->line});
    } else if (ir_read_is_loc(r)) {
        var->loc = ir_read_loc(r);
    } else if (ir_read_is_type(r)) {
        var->type = ir_read_type(r);
    } else {
        return false;
    }
    return true;
}

static void read_vars(struct reader *r, struct late_list *lates)
{
    while (ir_read_accept(r, "var")) {
        if (ir_read_small(r, 0, INT32_MAX) != r->function->var_count) {
            ir_read_fail(r, "expected variable %d", r->function->var_count);
        }
        struct ir_var *var = ir_var_create(r->module, r->function, NULL, IR_VOID);
        while (!r->is_line_end) {
            if (!read_var_attribute(r, var, lates)) {
                ir_read_bad_word(r);
            }
        }
        ir_read_line_end(r);
    }
}

static void read_merge(struct reader *r, struct ir_accumulator *accumulator)
{
    if (ir_read_accept(r, "merge")) {
        accumulator->merge = ir_read_update(r);
    }
    if (ir_read_accept(r, "chosen")) {
        accumulator->chosen = ir_read_small(r, 1, INT16_MAX);
    }
    if (ir_read_accept(r, "later")) {
        accumulator->choice = IR_CHOICE_LATER;
    } else if (ir_read_accept(r, "better")) {
        accumulator->choice = IR_CHOICE_BETTER;
        accumulator->better = ir_read_op(r);
        accumulator->leader = ir_read_small(r, 0, INT16_MAX);
        accumulator->is_inclusive = ir_read_accept(r, "inclusive");
    }
}

static void read_accumulators(struct reader *r)
{
    VEC(struct ir_accumulator) accumulators = {0};
    while (ir_read_accept(r, "accumulator")) {
        struct ir_accumulator accumulator = {.var = ir_read_var(r)};
        ir_read_expect(r, "offset");
        accumulator.offset = ir_read_uint(r);
        struct ir_inst *init = ARENA_NEW(r->arena, struct ir_inst);
        init->id = -1;
        init->default_region = -1;
        if (ir_read_accept(r, "const")) {
            init->op = IR_OP_CONST;
            init->type = ir_read_type(r);
            init->imm = ir_read_int(r);
            accumulator.init = init;
        } else if (ir_read_accept(r, "fconst")) {
            init->op = IR_OP_FCONST;
            init->type = ir_read_type(r);
            init->fimm = ir_read_float(r);
            accumulator.init = init;
        }
        read_merge(r, &accumulator);
        ir_read_line_end(r);
        VEC_PUSH(r->arena, &accumulators, accumulator);
    }
    r->function->accumulators = accumulators.items;
    r->function->accumulator_count = accumulators.count;
}

static void resolve(struct reader *r, const struct late_list *lates)
{
    for (int i = 0; i < lates->count && !r->failed; i++) {
        const struct late *late = &lates->items[i];
        if (late->var != NULL && late->number < r->labels.count) {
            late->var->scope = r->labels.items[late->number];
        } else if (late->value != NULL && late->number < r->values.count && r->values.items[late->number] != NULL) {
            *late->value = r->values.items[late->number];
        } else {
            ir_read_fail(r, "line %u names %s%d, which the body does not have", (unsigned)late->line,
                         late->var != NULL ? "L" : "%", late->number);
        }
    }
}

static bool read_function_attribute(struct reader *r, struct ir_function *function)
{
    if (ir_read_is_text(r)) {
        function->name = ir_read_text(r);
    } else if (ir_read_accept(r, "returns")) {
        function->return_type = ir_read_type(r);
    } else if (ir_read_accept(r, "ctype")) {
        function->return_ctype = ir_read_ctype_at(r, ir_read_plain_index(r));
    } else if (ir_read_accept(r, "may_fail")) {
        function->may_fail = true;
    } else if (ir_read_accept(r, "single")) {
        function->pragma_single = true;
    } else if (ir_read_accept(r, "serial")) {
        function->is_serial = true;
    } else if (ir_read_accept(r, "independent")) {
        function->assume_independent = true;
    } else if (ir_read_accept(r, "partial")) {
        function->partial_size = (uint64_t)ir_read_int(r);
    } else if (ir_read_accept(r, "of")) {
        function->kernel = ir_read_function_at(r, ir_read_index(r, '@'));
    } else if (ir_read_is_loc(r)) {
        function->loc = ir_read_loc(r);
    } else {
        return false;
    }
    return true;
}

void ir_read_function(struct reader *r, enum ir_function_kind kind, int expected)
{
    struct ir_function *function = ir_read_define_function(r, expected);
    if (r->failed) {
        return;
    }
    function->kind = kind;
    r->function = function;
    r->values.count = 0;
    r->labels.count = 0;
    while (!r->is_line_end) {
        if (!read_function_attribute(r, function)) {
            ir_read_bad_word(r);
        }
    }
    ir_read_line_end(r);
    struct late_list lates = {0};
    read_params(r, &lates);
    read_vars(r, &lates);
    read_accumulators(r);
    if (ir_read_accept(r, "prologue")) {
        ir_read_region(r, &function->prologue, NULL);
        ir_read_line_end(r);
    }
    if (ir_read_accept(r, "count")) {
        function->count = ir_read_value(r);
        ir_read_line_end(r);
    }
    ir_read_expect(r, "body");
    ir_read_region(r, &function->body, NULL);
    ir_read_line_end(r);
    ir_read_expect(r, "end");
    ir_read_line_end(r);
    resolve(r, &lates);
}
