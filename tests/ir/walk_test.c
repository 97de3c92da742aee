// Walks over nested code, and copies of instructions.
#include "support.h"

#include "ir/clone.h"
#include "ir/walk.h"

enum { MOST = 16 };

struct visited {
    const struct ir_inst *items[MOST];
    int count;
    int stop_after;
};

static bool note(struct ir_inst *inst, void *user)
{
    struct visited *v = user;
    REQUIRE(v->count < MOST);
    v->items[v->count++] = inst;
    return v->count != v->stop_after;
}

// const; if { block { } set } else { }; blocks { {} { const if {} {} } {} }; return
static struct ir_function *make_nested(struct fixture *f)
{
    fixture_init(f);
    struct ir_function *kernel = fixture_function(f, IR_FUNCTION_KERNEL, "k", IR_I64);
    struct ir_var *var = ir_var_create(f->module, kernel, "v", IR_I64);
    struct ir_inst *value = ir_const(&f->b, IR_I64, 1);
    struct ir_inst *truth = ir_const(&f->b, IR_I1, 1);
    struct ir_inst *outer = ir_control(&f->b, IR_OP_IF, truth, 2);
    struct ir_inst *blocks = ir_control(&f->b, IR_OP_BLOCKS, NULL, 3);
    ir_emit1(&f->b, IR_OP_RETURN, IR_VOID, value);
    f->b.region = &outer->regions[0];
    ir_control(&f->b, IR_OP_BLOCK, NULL, 1);
    ir_set(&f->b, var, value);
    f->b.region = &blocks->regions[1];
    ir_const(&f->b, IR_I64, 2);
    ir_control(&f->b, IR_OP_IF, truth, 2);
    return kernel;
}

TEST(the_loop_and_the_visitor_meet_the_same_in_one_order)
{
    struct fixture f;
    struct ir_function *kernel = make_nested(&f);
    struct visited v = {.count = 0};
    CHECK(walk_region(&kernel->body, note, &v));
    CHECK_INT(v.count, 9);
    int count = 0;
    WALK (inst, &kernel->body) {
        REQUIRE(count < v.count);
        CHECK(inst == v.items[count++]);
    }
    CHECK_INT(count, v.count);
    // Within a nested region the walk ends with it.
    const struct ir_inst *outer = v.items[2];
    count = 0;
    WALK (inst, &outer->regions[0]) {
        CHECK(walk_is_inside(inst, outer));
        count++;
    }
    CHECK_INT(count, 2);
    fixture_finish(&f);
}

TEST(what_is_nested_can_be_left_out)
{
    struct fixture f;
    struct ir_function *kernel = make_nested(&f);
    int count = 0;
    for (const struct ir_inst *inst = kernel->body.first; inst != NULL; inst = walk_over(inst, &kernel->body)) {
        CHECK(inst->parent == &kernel->body);
        count++;
    }
    CHECK_INT(count, 5);
    fixture_finish(&f);
}

TEST(backwards_the_order_is_the_opposite_one_of_post_order)
{
    struct fixture f;
    struct ir_function *kernel = make_nested(&f);
    struct visited v = {.count = 0};
    CHECK(walk_region_back(&kernel->body, note, &v));
    CHECK_INT(v.count, 9);
    static const enum ir_op ops[] = {IR_OP_RETURN, IR_OP_IF, IR_OP_CONST, IR_OP_BLOCKS, IR_OP_SET,
                                     IR_OP_BLOCK,  IR_OP_IF, IR_OP_CONST, IR_OP_CONST};
    for (int i = 0; i < v.count; i++) {
        CHECK_STR(ir_op_name(v.items[i]->op), ir_op_name(ops[i]));
    }
    fixture_finish(&f);
}

TEST(a_visitor_that_says_so_ends_the_walk)
{
    struct fixture f;
    struct ir_function *kernel = make_nested(&f);
    for (int n = 1; n <= 9; n++) {
        struct visited v = {.stop_after = n};
        CHECK(!walk_region(&kernel->body, note, &v) && v.count == n);
        v.count = 0;
        CHECK(!walk_region_back(&kernel->body, note, &v) && v.count == n);
    }
    fixture_finish(&f);
}

TEST(a_copy_has_the_fields_of_its_original)
{
    struct fixture f;
    fixture_init(&f);
    fixture_function(&f, IR_FUNCTION_KERNEL, "k", IR_VOID);
    struct ir_inst *a = ir_const(&f.b, IR_I64, 1), *b = ir_const(&f.b, IR_I64, 2);
    struct ir_inst *from = ir_emit2(&f.b, IR_OP_ADD, IR_I64, a, a);
    struct ir_inst places = *from;
    memset(from, 0x01, sizeof *from);
    from->op = places.op;
    from->type = places.type;
    from->id = places.id;
    from->args = places.args;
    from->arg_count = places.arg_count;
    from->parent = places.parent;
    from->prev = places.prev;
    from->next = places.next;
    from->regions = NULL;
    from->region_count = 0;
    struct ir_inst *made = clone_inst(&f.b, from, (struct ir_inst *[]){b, a});
    CHECK(made->args[0] == b && made->args[1] == a && made->id == from->id + 1 && made->prev == from);
    CHECK(made->loop == NULL && made->note == NULL);
    CHECK(made->imm == from->imm && made->copy == from->copy && made->fused && made->source == from->source);
    CHECK(made->var == from->var && made->target == from->target && made->case_count == from->case_count);
    CHECK(made->no_wrap && made->is_constant && made->is_around && made->base == from->base);
    fixture_finish(&f);
}

TEST(a_copied_loop_has_facts_and_regions_of_its_own)
{
    struct fixture f;
    fixture_init(&f);
    struct ir_function *kernel = fixture_function(&f, IR_FUNCTION_KERNEL, "k", IR_VOID);
    struct ir_var *var = ir_var_create(f.module, kernel, "i", IR_I32);
    struct ir_inst *a = ir_const(&f.b, IR_I32, 0), *b = ir_const(&f.b, IR_I32, 9);
    struct ir_inst *loop = ir_emit_for(&f.b, var, a, b, IR_OP_SLT, 2);
    loop->loop->verdict = IR_VERDICT_PROVEN;
    loop->loop->analysis = &f;
    loop->regions[0].in_order = true;
    struct ir_inst *made = clone_inst(&f.b, loop, loop->args);
    CHECK(made->loop != loop->loop && made->loop->step == 2 && made->loop->verdict == IR_VERDICT_PROVEN);
    CHECK(made->loop->analysis == NULL && made->loop->var == var);
    CHECK_INT(made->region_count, 1);
    CHECK(made->regions != loop->regions && made->regions[0].owner == made && made->regions[0].in_order);
    CHECK_STR(fixture_verify(&f), "");
    fixture_finish(&f);
}
