// Faults that the passes do not have: what they made of a kernel is spoilt, and the oracle must say so.
#include "spoil.h"

#include "analysis/facts.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "oracle.h"

// The |number|-th instruction of that operation; NULL: there are fewer.
static struct ir_inst *find(struct ir_function *kernel, enum ir_op op, int number)
{
    for (struct ir_inst *inst = kernel->body.first; inst != NULL; inst = walk_next(inst, &kernel->body)) {
        if (inst->op == op && number-- == 0) {
            return inst;
        }
    }
    return NULL;
}

static bool interchange(struct ir_module *module, struct ir_function *kernel)
{
    (void)module;
    struct ir_inst *outer = find(kernel, IR_OP_FOR, 0), *inner = find(kernel, IR_OP_FOR, 1);
    if (outer == NULL || inner == NULL) {
        return false;
    }
    struct ir_for *loop = outer->loop;
    struct ir_inst **args = outer->args;
    outer->loop = inner->loop;
    outer->args = inner->args;
    inner->loop = loop;
    inner->args = args;
    outer->loop->verdict = inner->loop->verdict = IR_VERDICT_IN_ORDER;
    return true;
}

// The last loop of those at one level runs first.
static bool change_places(struct ir_module *module, struct ir_function *kernel)
{
    (void)module;
    for (int i = 0; find(kernel, IR_OP_FOR, i) != NULL; i++) {
        struct ir_inst *first = find(kernel, IR_OP_FOR, i), *last = first;
        for (struct ir_inst *inst = first; inst != NULL; inst = inst->next) {
            last = inst->op == IR_OP_FOR ? inst : last;
        }
        if (last != first) {
            ir_move_before(last, first);
            return true;
        }
    }
    return false;
}

static bool call_parallel(struct ir_module *module, struct ir_function *kernel)
{
    (void)module;
    bool is_spoilt = false;
    for (struct ir_inst *inst = kernel->body.first; inst != NULL; inst = walk_next(inst, &kernel->body)) {
        if (inst->op == IR_OP_FOR && inst->loop->verdict == IR_VERDICT_IN_ORDER) {
            inst->loop->verdict = IR_VERDICT_PROVEN;
            is_spoilt = true;
        }
    }
    return is_spoilt;
}

static bool call_in_order(struct ir_module *module, struct ir_function *kernel)
{
    (void)module;
    for (struct ir_inst *inst = kernel->body.first; inst != NULL; inst = walk_next(inst, &kernel->body)) {
        if (inst->op == IR_OP_FOR) {
            inst->loop->verdict = IR_VERDICT_IN_ORDER;
        }
    }
    return true;
}

static bool forget_conditions(struct ir_module *module, struct ir_function *kernel)
{
    (void)module;
    struct ir_inst *loop = find(kernel, IR_OP_FOR, 0);
    struct loop_facts *facts = loop != NULL ? loop->loop->analysis : NULL;
    if (facts == NULL || facts->condition_count == 0) {
        return false;
    }
    facts->condition_count = 0;
    return true;
}

static bool drop_iterations(struct ir_module *module, struct ir_function *kernel)
{
    (void)module;
    struct ir_inst *loop = find(kernel, IR_OP_FOR, 0);
    loop->loop->step *= 2;
    return true;
}

static bool add_iteration(struct ir_module *module, struct ir_function *kernel)
{
    (void)module;
    struct ir_inst *loop = find(kernel, IR_OP_FOR, 0);
    bool is_less = loop->loop->compare == IR_OP_SLT;
    loop->loop->compare = IR_OP_SLE;
    return is_less;
}

static bool move_store(struct ir_module *module, struct ir_function *kernel)
{
    (void)module;
    struct ir_inst *store = find(kernel, IR_OP_STORE, 0), *load = find(kernel, IR_OP_LOAD, 0);
    store->args[0] = load->args[0];
    return true;
}

static bool store_twice(struct ir_module *module, struct ir_function *kernel)
{
    struct ir_inst *store = find(kernel, IR_OP_STORE, 0);
    struct ir_builder b = {.module = module, .function = kernel, .region = store->parent, .before = store};
    clone_inst(&b, store, store->args);
    return true;
}

// Every loop counts down.
static bool reverse(struct ir_module *module, struct ir_function *kernel)
{
    bool is_spoilt = false;
    for (struct ir_inst *inst = kernel->body.first; inst != NULL; inst = walk_next(inst, &kernel->body)) {
        struct ir_for *loop = inst->loop;
        if (inst->op == IR_OP_FOR && loop->step == 1) {
            struct ir_builder b = {.module = module, .function = kernel, .region = inst->parent, .before = inst};
            struct ir_inst *init = inst->args[0];
            struct ir_inst *less = ir_const(&b, init->type, loop->compare == IR_OP_SLT ? 1 : 0);
            inst->args[0] = ir_emit2(&b, IR_OP_SUB, init->type, inst->args[1], less);
            inst->args[1] = init;
            loop->compare = IR_OP_SGE;
            loop->step = -1;
            is_spoilt = true;
        }
    }
    return is_spoilt;
}

// A scalar is set once more, behind the use of it.
static bool set_late(struct ir_module *module, struct ir_function *kernel)
{
    struct ir_inst *set = find(kernel, IR_OP_SET, 0);
    if (set == NULL || set->next == NULL) {
        return false;
    }
    (void)module;
    struct ir_inst *last = set->parent->last;
    ir_remove(set);
    set->parent = last->parent;
    ir_append(last->parent, set);
    return true;
}

// The launch does not test what the new order needs.
static bool forget_test(struct ir_module *module, struct ir_function *kernel)
{
    for (int i = 0; find(kernel, IR_OP_IF, i) != NULL; i++) {
        struct ir_inst *inst = find(kernel, IR_OP_IF, i), *other = inst->regions[1].first;
        bool is_loop = other != NULL && other->op == IR_OP_FOR;
        if (is_loop && (other->loop->is_fallback || other->loop->order != NULL)) {
            struct ir_builder b = {.module = module, .function = kernel, .region = inst->parent, .before = inst};
            inst->args[0] = ir_const(&b, IR_I1, 1);
            return true;
        }
    }
    return false;
}

const struct spoil_case spoil_cases[] = {
    {"interchange", interchange, "unlawful order",
     "for (int i = 1; i < n - 1; i++) { for (int j = 1; j < m - 1; j++) { a[i][j] = a[i - 1][j + 1] + 1; } }"},
    {"statements change places", change_places, "unlawful order",
     "for (int t = 0; t < k; t++) { for (int i = 0; i < n; i++) { x[i] = y[i] + 1; }\n"
     "for (int i = 0; i < n - 1; i++) { y[i] = x[i + 1]; } }"},
    {"statements of another order change places", change_places, "unlawful order",
     "for (int i = 0; i < n; i++) { x[i] = 0; for (int j = 0; j < m; j++) { x[i] += a[i][j]; }\n"
     "for (int j = 0; j < m; j++) { y[j] += a[i][j] * x[i]; } }"},
    {"a recurrence is called parallel", call_parallel, "is called parallel",
     "for (int i = 1; i < n; i++) { x[i] = x[i - 1] + 1; }"},
    {"a distance of many is called parallel", call_parallel, "is called parallel",
     "for (int i = 4; i < n; i++) { x[i] = x[i - 4] + 1; }"},
    {"the loop of a wavefront is called parallel", call_parallel, "is called parallel",
     "for (int t = 0; t < k; t++) { for (int i = 1; i < n - 1; i++) { x[i] = x[i - 1] + x[i + 1]; } }"},
    {"a scalar that is carried is called parallel", call_parallel, "is called parallel",
     "int s = 0; for (int i = 0; i < n; i++) { y[i] = s; s = x[i]; }"},
    {"a scalar that is set now and then is called parallel", call_parallel, "is called parallel",
     "int s = 0; for (int i = 0; i < n; i++) { if (x[i] > 3) { s = x[i]; } y[i] = s; }"},
    {"a sum that is read is called parallel", call_parallel, "is called parallel",
     "for (int i = 1; i < n; i++) { x[0] += y[i]; y[i] = x[0]; }"},
    {"a work row that is carried is called parallel", call_parallel, "is called parallel",
     "int w[8]; for (int j = 0; j < 8; j++) { w[j] = j; }\n"
     "for (int i = 0; i < n; i++) { for (int j = 0; j < 7; j++) { w[j] = w[j + 1] + x[i]; } y[i] = w[0]; }"},
    {"conditions are forgotten", forget_conditions, "is called parallel",
     "for (int i = 0; i < m; i++) { z[i + n] = z[i] + 1; }"},
    {"iterations are lost", drop_iterations, "does not run in every iteration",
     "for (int i = 0; i < n; i++) { x[i] = 1; }"},
    {"an iteration too many", add_iteration, "runs where the source does not",
     "for (int i = 0; i < n - 1; i++) { x[i] = 1; }"},
    {"another place", move_store, "touches another place", "for (int i = 1; i < n; i++) { x[i] = x[i - 1]; }"},
    {"a store runs twice", store_twice, "runs twice", "for (int i = 0; i < n; i++) { x[i] = 1; }"},
    {"the loop of a sum counts down", reverse, "unlawful order",
     "for (int h = 0; h < k; h++) { for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) {\n"
     "a[i][j] += b[i][h] * c[h][j]; } } }"},
    {"the loop of a wavefront counts down", reverse, "unlawful order",
     "for (int t = 0; t < k; t++) { for (int i = 1; i < n - 1; i++) { x[i] = x[i - 1] + x[i + 1]; } }"},
    {"a scalar is set too late", set_late, "gets another assignment's value",
     "for (int i = 0; i < n; i++) { int s; if (x[i] > 2) { s = 1; s = s + x[i]; y[i] = s; } }"},
    {"overlapping arrays are not tested for", forget_test, "unlawful order",
     "kernel void g(int n, int a[n][n], const int b[n][n], const int c[n][n]) {\n"
     "for (int h = 0; h < n; h++) { for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) {\n"
     "a[i][j] += b[i][h] * c[h][j]; } } } }"},
    {NULL, NULL, NULL, NULL},
};

bool spoil_call_in_order(struct ir_module *module, struct ir_function *kernel)
{
    return call_in_order(module, kernel);
}
