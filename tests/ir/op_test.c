// Holds the properties of the list of operations against the interpreter and the verifier: a kernel of one operation is
// run, and what it did to memory and to a variable is what its row says.
#include "support.h"

#include "ir/interpret.h"

enum { BYTES = 32, VAR_BEFORE = 5 };

struct outcome {
    enum interp_outcome end;
    bool has_read;
    bool has_written;   // as it was recorded …
    bool has_changed;   // … and as the bytes are
    bool sets_variable; // $v is no longer what it was
};

static void note_access(void *user, const struct interp_access *access)
{
    struct outcome *o = user;
    o->has_read |= access->kind != INTERP_WRITE;
    o->has_written |= access->kind != INTERP_READ;
}

// Operands of the right types; |p| and |q| are the addresses of different bytes.
struct operands {
    struct ir_inst *p, *q, *i1, *i8, *i32, *i64, *f64, *f32;
};

static struct operands make_operands(struct fixture *f)
{
    struct operands o = {.p = fixture_param_value(f, 0), .q = fixture_param_value(f, 1)};
    o.i1 = ir_const(&f->b, IR_I1, 1);
    o.i8 = ir_const(&f->b, IR_I8, 9);
    o.i32 = ir_const(&f->b, IR_I32, 7);
    o.i64 = ir_const(&f->b, IR_I64, 8);
    o.f64 = ir_fconst(&f->b, IR_F64, 2.5);
    o.f32 = ir_fconst(&f->b, IR_F32, 1.5);
    return o;
}

static struct ir_inst *make_conversion(struct fixture *f, enum ir_op op, const struct operands *o)
{
    switch (op) {
    case IR_OP_SEXT:
    case IR_OP_ZEXT: return ir_emit1(&f->b, op, IR_I64, o->i32);
    case IR_OP_TRUNC: return ir_emit1(&f->b, op, IR_I32, o->i64);
    case IR_OP_SITOFP:
    case IR_OP_UITOFP: return ir_emit1(&f->b, op, IR_F64, o->i64);
    case IR_OP_FPTOSI:
    case IR_OP_FPTOUI: return ir_emit1(&f->b, op, IR_I64, o->f64);
    case IR_OP_FPEXT: return ir_emit1(&f->b, op, IR_F64, o->f32);
    case IR_OP_FPTRUNC: return ir_emit1(&f->b, op, IR_F32, o->f64);
    case IR_OP_BITCAST: return ir_emit1(&f->b, op, IR_F64, o->i64);
    case IR_OP_PTRTOINT: return ir_emit1(&f->b, op, IR_I64, o->p);
    default: return ir_emit1(&f->b, op, IR_PTR, o->i64);
    }
}

static struct ir_inst *make_memory(struct fixture *f, enum ir_op op, const struct operands *o)
{
    struct ir_inst *inst;
    switch (op) {
    case IR_OP_LOAD: return ir_emit1(&f->b, op, IR_I64, o->p);
    case IR_OP_COPY: return ir_emit3(&f->b, op, IR_VOID, o->p, o->q, o->i64);
    case IR_OP_COMPARE: return ir_emit3(&f->b, op, IR_I32, o->p, o->q, o->i64);
    case IR_OP_FILL: return ir_emit3(&f->b, op, IR_VOID, o->p, o->i8, o->i64);
    case IR_OP_CAS: return ir_emit3(&f->b, op, IR_I64, o->p, ir_const(&f->b, IR_I64, 0), o->i64); // bytes of p are 0
    default: inst = ir_emit2(&f->b, op, IR_I64, o->p, o->i64); break;
    }
    inst->update = op == IR_OP_STORE ? IR_UPDATE_NONE : IR_UPDATE_ADD;
    return inst;
}

static struct ir_inst *make_control(struct fixture *f, enum ir_op op, const struct operands *o)
{
    struct ir_builder inner = f->b;
    struct ir_inst *inst;
    switch (op) {
    case IR_OP_IF: return ir_control(&f->b, op, o->i1, 2);
    case IR_OP_FOR:
        return ir_emit_for(&f->b, ir_var_create(f->module, f->b.function, "i", IR_I64), o->i64, o->i64, IR_OP_SLT, 1);
    case IR_OP_SWITCH:
        inst = ir_control(&f->b, op, o->i64, 1);
        inst->default_region = 0;
        return inst;
    case IR_OP_LOOP: // one that is left
        inst = ir_control(&f->b, op, NULL, 1);
        inner.region = &inst->regions[0];
        ir_emit0(&inner, IR_OP_BREAK, IR_VOID)->target = inst;
        return inst;
    default: return ir_control(&f->b, op, NULL, 1);
    }
}

// The operation, with operands that make it do what it can do; NULL: it needs more around it than this test has.
static struct ir_inst *make(struct fixture *f, enum ir_op op, struct ir_var *var, const struct operands *o)
{
    struct ir_inst *inst = NULL;
    switch (ir_op_group(op)) {
    case IR_GROUP_LEAF:
        if (op == IR_OP_CONST || op == IR_OP_PARAM) {
            return op == IR_OP_CONST ? o->i64 : o->p;
        }
        if (op == IR_OP_FCONST || op == IR_OP_GET) {
            return op == IR_OP_FCONST ? o->f64 : ir_get(&f->b, var);
        }
        return op == IR_OP_ADDR_VAR ? fixture_address(f, fixture_memory(f, "m", 8, 8)) : NULL;
    case IR_GROUP_ASSIGN:
        inst = ir_emit1(&f->b, op, IR_I64, o->i64);
        inst->var = var;
        inst->update = op == IR_OP_VUPDATE ? IR_UPDATE_ADD : IR_UPDATE_NONE;
        return inst;
    case IR_GROUP_INTEGER: return ir_emit2(&f->b, op, IR_I64, o->i64, o->i64);
    case IR_GROUP_BITS: return ir_emit1(&f->b, op, IR_I64, o->i64);
    case IR_GROUP_FLOAT:
        return ir_emit(&f->b, op, IR_F64, ir_op_arg_count(op), (struct ir_inst *[3]){o->f64, o->f64, o->f64});
    case IR_GROUP_COMPARE: return ir_emit2(&f->b, op, IR_I1, o->i64, o->i64);
    case IR_GROUP_FLOAT_COMPARE: return ir_emit2(&f->b, op, IR_I1, o->f64, o->f64);
    case IR_GROUP_CONVERT: return make_conversion(f, op, o);
    case IR_GROUP_SELECT: return ir_emit3(&f->b, op, IR_I64, o->i1, o->i64, o->i64);
    case IR_GROUP_MATH:
        inst = ir_emit1(&f->b, op, IR_F64, o->f64);
        inst->imm = IR_MATH_SQRT;
        return inst;
    case IR_GROUP_ADDRESS:
        return op == IR_OP_INDEX ? fixture_index(f, o->p, o->i64, 1, BYTES) : ir_emit1(&f->b, op, IR_PTR, o->p);
    case IR_GROUP_MEMORY: return make_memory(f, op, o);
    case IR_GROUP_NESTED: return make_control(f, op, o);
    case IR_GROUP_CALL:
        if (op == IR_OP_CALL) {
            return NULL;
        }
        inst = op == IR_OP_CHECK || op == IR_OP_RACE ? ir_emit2(&f->b, op, IR_VOID, o->i64, o->i64)
                                                     : ir_emit0(&f->b, op, IR_VOID);
        if (op == IR_OP_PRINT) {
            inst = ir_emit1(&f->b, op, IR_VOID, o->q);
            ir_remove(inst->prev);
        }
        inst->text = "%s";
        return inst;
    case IR_GROUP_LEAVE: return op == IR_OP_RETURN ? ir_emit1(&f->b, op, IR_VOID, o->i64) : NULL;
    case IR_GROUP_NEST:
    case IR_GROUP_BARRIER: return NULL;
    }
    return NULL;
}

// A kernel that does nothing but |op|; what it returns is the variable. False: the test cannot make one.
static bool make_kernel(struct fixture *f, enum ir_op op, struct ir_inst **out_inst)
{
    fixture_init(f);
    struct ir_function *kernel = fixture_function(f, IR_FUNCTION_KERNEL, "k", IR_I64);
    fixture_param(f, "p", IR_PTR)->is_array = true;
    fixture_param(f, "q", IR_PTR)->is_array = true;
    struct ir_var *var = ir_var_create(f->module, kernel, "v", IR_I64);
    ir_set(&f->b, var, ir_const(&f->b, IR_I64, VAR_BEFORE));
    struct operands o = make_operands(f);
    *out_inst = make(f, op, var, &o);
    if (*out_inst != NULL && !ir_op_is_terminator(op)) {
        ir_emit1(&f->b, IR_OP_RETURN, IR_VOID, ir_get(&f->b, var));
    }
    return *out_inst != NULL;
}

static struct outcome run(struct fixture *f)
{
    struct outcome o = {.end = INTERP_DONE};
    char p[BYTES] = {0}, q[BYTES] = "other bytes", p_before[BYTES] = {0}, q_before[BYTES] = "other bytes";
    struct interp_options options = {.record = note_access, .user = &o};
    struct interp *interp = interp_create(f->module, &options);
    REQUIRE(interp != NULL);
    union ir_value result = {.i = VAR_BEFORE};
    o.end = interp_kernel(interp, f->module->functions[0], (struct interp_arg[]){{.p = p}, {.p = q}}, &result);
    o.has_changed = memcmp(p, p_before, BYTES) != 0;
    o.sets_variable = o.end == INTERP_DONE && result.i != VAR_BEFORE;
    CHECK_MEM(q, q_before, BYTES);
    interp_destroy(interp);
    return o;
}

static void check_op(enum ir_op op, int *tried)
{
    struct fixture f;
    struct ir_inst *inst;
    if (make_kernel(&f, op, &inst)) {
        CHECK_STR(fixture_verify(&f), "");
        struct outcome o = run(&f);
        bool good = o.has_read == ir_op_reads(op) && o.has_written == ir_op_writes(op) &&
                    o.has_changed == ir_op_writes(op) && (o.end == INTERP_FAILED) == ir_op_may_fail(op) &&
                    (o.sets_variable == ir_op_sets(op) || op == IR_OP_RETURN) && ir_has_result(inst) == (inst->id >= 0);
        if (!good) {
            FAIL("%s: read %d, wrote %d, changed bytes %d, set %d, end %d", ir_op_name(op), o.has_read, o.has_written,
                 o.has_changed, o.sets_variable, (int)o.end);
        }
        if (ir_op_is_pure(op)) {
            CHECK(!o.has_read && !o.has_written && !o.sets_variable && o.end == INTERP_DONE && ir_has_result(inst));
        }
        ++*tried;
    }
    fixture_finish(&f);
}

TEST(an_operation_does_to_memory_and_variables_what_its_row_says)
{
    int tried = 0;
    for (int i = 0; i < IR_OP_COUNT; i++) {
        check_op((enum ir_op)i, &tried);
    }
    CHECK_INT(tried, IR_OP_COUNT - 11); // 6 of tasks and globals, call, break, jump, yield, barrier
}

TEST(nothing_may_follow_what_ends_a_region)
{
    int count = 0;
    for (int i = 0; i < IR_OP_COUNT; i++) { // behind the others stands the kernel's return, above
        struct fixture f;
        struct ir_inst *inst;
        if (make_kernel(&f, (enum ir_op)i, &inst) && ir_op_is_terminator(inst->op)) {
            ir_const(&f.b, IR_I64, 1);
            CHECK_CONTAINS(fixture_verify(&f), "must be the last of its region");
            count++;
        }
        fixture_finish(&f);
    }
    CHECK_INT(count, 2); // return, fail
}

TEST(regions_are_for_the_operations_whose_row_has_them)
{
    for (int i = 0; i < IR_OP_COUNT; i++) {
        struct fixture f;
        struct ir_inst *inst;
        if (make_kernel(&f, (enum ir_op)i, &inst)) {
            CHECK((inst->region_count > 0) == ir_op_has_regions(inst->op));
            if (!ir_op_has_regions(inst->op)) {
                ir_make_regions(f.module, inst, 1);
                CHECK_CONTAINS(fixture_verify(&f), "must not have regions");
            }
        }
        fixture_finish(&f);
    }
}

TEST(what_is_foldable_folds_and_nothing_else)
{
    for (int i = 0; i < IR_OP_COUNT; i++) {
        struct fixture f;
        struct ir_inst *inst;
        if (make_kernel(&f, (enum ir_op)i, &inst)) {
            union ir_value args[4] = {{.i = 1}, {.i = 2}, {.i = 3}, {.i = 4}}, result;
            enum ir_type arg_type = inst->arg_count > 0 ? inst->args[0]->type : IR_VOID;
            CHECK(ir_fold(inst->op, inst->type, arg_type, args, &result) == ir_op_is_foldable(inst->op));
        }
        fixture_finish(&f);
    }
}

TEST(a_call_fails_where_its_helper_does)
{
    struct ir_function helper = {.may_fail = true};
    struct ir_inst call = {.op = IR_OP_CALL, .function = &helper};
    struct ir_inst index = {.op = IR_OP_INDEX};
    CHECK(ir_may_fail(&call, false));
    helper.may_fail = false;
    CHECK(!ir_may_fail(&call, true));
    CHECK(ir_may_fail(&index, true) && !ir_may_fail(&index, false));
}

TEST(an_update_is_atomic_where_it_says_so)
{
    struct ir_inst inst = {.op = IR_OP_UPDATE, .atomic = true};
    CHECK(ir_is_atomic(&inst));
    inst.atomic = false;
    CHECK(!ir_is_atomic(&inst));
    CHECK(ir_is_atomic(&(struct ir_inst){.op = IR_OP_CAS}) && ir_is_atomic(&(struct ir_inst){.op = IR_OP_ATOMIC}));
    CHECK(!ir_is_atomic(&(struct ir_inst){.op = IR_OP_LOAD, .atomic = true})); // reads what others update
}
