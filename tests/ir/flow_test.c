// The walk of ir/flow, by a small problem: which variables hold a constant, and which one.
#include "support.h"

#include "ir/assignment.h"
#include "ir/flow.h"

enum { VARS = 3, NOT_KNOWN = -1 };

struct known {
    int64_t of[VARS];
};

struct constants {
    struct arena *arena;
    int join_count;
    int dead_count; // instructions that were visited where they are not reached
};

static void *copy_known(struct flow *flow, const void *state)
{
    const struct constants *c = flow->user;
    struct known *copy = ARENA_NEW(c->arena, struct known);
    *copy = *(const struct known *)state;
    return copy;
}

static void join_known(struct flow *flow, void *into, const void *from)
{
    struct constants *c = flow->user;
    struct known *to = into;
    const struct known *other = from;
    c->join_count++;
    for (int i = 0; i < VARS; i++) {
        to->of[i] = to->of[i] == other->of[i] ? to->of[i] : NOT_KNOWN;
    }
}

static void visit(struct flow *flow, struct ir_inst *inst)
{
    struct constants *c = flow->user;
    struct known *known = flow->state;
    c->dead_count += flow->is_dead;
    if (inst->op == IR_OP_SET) {
        known->of[inst->var->index] = inst->args[0]->op == IR_OP_CONST ? inst->args[0]->imm : NOT_KNOWN;
    }
}

static void forget(struct flow *flow, const struct ir_inst *inst)
{
    struct known *known = flow->state;
    for (int r = 0; r < inst->region_count; r++) {
        struct assignments vars[VARS] = {{0}};
        assignments_add(&inst->regions[r], vars);
        for (int i = 0; i < VARS; i++) {
            known->of[i] = vars[i].count > 0 ? NOT_KNOWN : known->of[i];
        }
    }
}

static void *enter_loop(struct flow *flow, struct ir_inst *inst)
{
    forget(flow, inst);
    return inst;
}

static void leave_loop(struct flow *flow, struct ir_inst *inst, void *before, void *loop)
{
    CHECK(loop == inst);
    CHECK((before != NULL) == (inst->op == IR_OP_FOR));
    if (inst->op == IR_OP_FOR) {
        flow->state = before;
        forget(flow, inst);
        ((struct known *)before)->of[inst->loop->var->index] = NOT_KNOWN;
    }
}

static const struct flow_problem problem = {
    .copy = copy_known, .join = join_known, .visit = visit, .enter_loop = enter_loop, .leave_loop = leave_loop};

// What is known at the end of a kernel of these lines, as "a b c", "dead" if its end is not reached. Before them all
// three variables are 0; %0 is a condition, %1 to %4 are 1, 2, 3 and 4, and %5 is an i64.
static const char *at_end(struct fixture *f, const char *lines, struct constants *out)
{
    const char *text =
        arena_printf(&f->arena,
                     "rill-ir 1\nkernel 0 \"k\" returns void\n  param 0 \"c\" i1\n  param 1 \"n\" i64\n"
                     "  var 0 \"a\" i32\n  var 1 \"b\" i32\n  var 2 \"c\" i32\n  body {\n%%0 = param i1 0\n"
                     "%%1 = const i32 1\n%%2 = const i32 2\n%%3 = const i32 3\n%%4 = const i32 4\n%%5 = param i64 1\n"
                     "%s\n  }\nend\n",
                     lines);
    struct diags diags;
    diags_init(&diags, &f->arena);
    f->module = ir_read(&f->arena, &diags, text);
    if (f->module == NULL) {
        struct str rendered;
        str_init(&rendered, &f->arena);
        diags_render_all(&diags, false, &rendered);
        FAIL("%s", str_text(&rendered));
        return "";
    }
    struct known known = {{0}};
    *out = (struct constants){.arena = &f->arena};
    struct flow flow = {.problem = &problem, .user = out, .state = &known};
    flow_region(&flow, &f->module->functions[0]->body);
    CHECK(flow.exits == NULL);
    const struct known *end = flow.state;
    return flow.is_dead ? "dead"
                        : arena_printf(&f->arena, "%d %d %d", (int)end->of[0], (int)end->of[1], (int)end->of[2]);
}

static void check(const char *lines, const char *expected)
{
    struct fixture f;
    fixture_init(&f);
    struct constants c;
    const char *found = at_end(&f, lines, &c);
    if (strcmp(found, expected) != 0) {
        FAIL("\"%s\", expected \"%s\", of\n%s", found, expected, lines);
    }
    fixture_finish(&f);
}

#define A(value) "set i32 $a#0 %" #value "\n"
#define B(value) "set i32 $b#1 %" #value "\n"
#define C(value) "set i32 $c#2 %" #value "\n"

TEST(ways_of_a_branch_are_joined)
{
    check(A(1) "if L0 %0 {\n" B(2) C(3) "} {\n" B(2) C(4) "}", "1 2 -1");
    check(A(1) "if L0 %0 {\n" A(2) "} {\n}", "-1 0 0");
}

TEST(a_way_that_ends_brings_nothing_to_the_join)
{
    check("if L0 %0 {\n" A(1) "return\n} {\n" A(2) "}", "2 0 0");
    check("if L0 %0 {\n" A(1) "} {\n" A(2) "return\n}", "1 0 0");
    check("if L0 %0 {\nreturn\n} {\nreturn\n}", "dead");
}

TEST(code_that_is_not_reached_is_visited_and_changes_no_join)
{
    struct fixture f;
    fixture_init(&f);
    struct constants c;
    const char *found = at_end(
        &f, A(1) "block L0 {\nif L1 %0 {\n" A(2) "break of L0\n} {\n" A(2) "break of L0\n}\n" A(3) "break of L0\n}",
        &c);
    CHECK_STR(found, "2 0 0");
    CHECK(c.dead_count == 1);
    CHECK(c.join_count == 1);
    fixture_finish(&f);
}

TEST(breaks_are_joined_behind_what_they_leave)
{
    check("block L0 {\n" A(1) "if L1 %0 {\n" B(2) "break of L0\n} {\n}\n" B(3) "}", "1 -1 0");
    check("block L0 {\nblock L1 {\nif L2 %0 {\n" A(1) "break of L0\n} {\n}\n" A(2) "break of L1\n}\n" B(4) "}",
          "-1 -1 0");
}

TEST(a_loop_is_left_by_its_breaks_alone)
{
    check(A(1) B(1) "loop L0 {\nif L1 %0 {\n" C(3) "break of L0\n} {\n}\n" B(2) "}", "1 -1 3");
    check("loop L0 {\n" A(1) "}", "dead");
}

TEST(cases_of_a_switch_fall_through)
{
    check("switch L0 %5 case 1 0 case 2 1 default 1 {\n" A(1) "} {\n" B(2) "}", "-1 2 0");
    check("switch L0 %5 case 1 0 case 2 1 default 1 {\n" A(1) "break of L0\n} {\n" A(1) B(2) "}", "1 -1 0");
    check("switch L0 %5 case 1 0 case 2 1 default 1 {\nreturn\n} {\nreturn\n}", "dead");
}

TEST(a_switch_without_default_may_run_nothing)
{
    check("switch L0 %5 case 1 0 case 2 1 {\n" A(1) "break of L0\n} {\n" A(1) "}", "-1 0 0");
    check("switch L0 %5 case 1 0 case 2 1 {\nreturn\n} {\nreturn\n}", "0 0 0");
}

TEST(a_for_starts_every_iteration_with_what_it_does_not_assign)
{
    check(A(1) B(1) "for L0 $c#2 slt %1 %4 step 1 {\n" B(2) "}", "1 -1 -1");
}
