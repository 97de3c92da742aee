// The rules a plan must keep beyond being well formed: what is made for a block stays with the block.
#include "plan/check.h"

struct verify {
    const struct plan_kernel *kernel;
    struct str *out;
    bool ok;
};

static void fail(struct verify *v, const char *what, const char *name)
{
    v->ok = false;
    str_printf(v->out, "%s: %s: %s\n", v->kernel->name, what, name);
}

// A task stands in the tree under its own group.
static void verify_groups(struct verify *v, const struct plan_node *node, int group)
{
    if (node->kind == PLAN_TASK && v->kernel->tasks[node->task].group != group) {
        fail(v, "a task has another group than the loop or block it was made for", v->kernel->tasks[node->task].name);
    }
    if (node->kind != PLAN_REGION && node->group != group) {
        fail(v, "a node has another group than the block around it", "control");
    }
    for (int i = 0; i < node->child_count; i++) {
        const struct plan_node *child = node->children[i];
        verify_groups(v, child, node->kind == PLAN_REGION ? child->group : group);
    }
}

static bool expr_reads(const struct plan_expr *expr, const struct plan_slot *slot)
{
    if (expr == NULL) {
        return false;
    }
    if (expr->kind == PLAN_EXPR_SLOT && expr->imm >= slot->offset && expr->imm < slot->offset + (int64_t)slot->size) {
        return true;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (expr_reads(expr->args[i], slot)) {
            return true;
        }
    }
    return false;
}

struct slot_use {
    bool reads;
    bool writes;
};

static void task_use(const struct plan_task *task, const struct plan_slot *slot, struct slot_use *use)
{
    use->reads |= expr_reads(task->is_few, slot);
    use->reads |= expr_reads(task->trip, slot) || expr_reads(task->cost, slot) || expr_reads(task->order_cost, slot);
    for (int i = 0; i < task->slot_use_count; i++) {
        if (task->slot_uses[i].offset == slot->offset) {
            use->reads |= task->slot_uses[i].reads;
            use->writes |= task->slot_uses[i].writes;
        }
    }
}

static void node_use(const struct plan_kernel *kernel, const struct plan_node *node, const struct plan_slot *slot,
                     struct slot_use *use)
{
    use->reads |= expr_reads(node->expr, slot) || expr_reads(node->trip, slot);
    if ((node->kind == PLAN_ASSIGN || node->kind == PLAN_FOR) && node->slot == slot->offset) {
        use->writes = true;
    }
    if (node->kind == PLAN_TASK) {
        task_use(&kernel->tasks[node->task], slot, use);
    }
    for (int i = 0; i < node->child_count; i++) {
        node_use(kernel, node->children[i], slot, use);
    }
}

// No slot that one block of a region writes is touched by another.
static void verify_regions(struct verify *v, const struct plan_node *node)
{
    for (int s = 0; node->kind == PLAN_REGION && s < v->kernel->slot_count; s++) {
        const struct plan_slot *slot = &v->kernel->slots[s];
        int users = 0;
        bool is_written = false;
        for (int i = 0; i < node->child_count; i++) {
            struct slot_use use = {0};
            node_use(v->kernel, node->children[i], slot, &use);
            users += use.reads || use.writes;
            is_written |= use.writes;
        }
        if (is_written && users > 1) {
            fail(v, "a slot is written by one group of a region and touched by another", slot->name);
        }
    }
    for (int i = 0; i < node->child_count; i++) {
        verify_regions(v, node->children[i]);
    }
}

bool plan_verify(const struct plan_module *module, struct str *out)
{
    bool ok = plan_check(module, out);
    for (int i = 0; ok && i < module->kernel_count; i++) {
        struct verify v = {.kernel = module->kernels[i], .out = out, .ok = true};
        verify_groups(&v, v.kernel->root, 0);
        verify_regions(&v, v.kernel->root);
        ok &= v.ok;
    }
    return ok;
}
