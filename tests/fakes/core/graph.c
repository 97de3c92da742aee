// Graphs: nodes with what they follow. An executable graph is a copy; a launch queues every node of it with the
// parameters it has at that moment, so that nodes that do not follow each other run in any order.
#include "fake.h"

#include <stdlib.h>
#include <string.h>

struct fake_graph *fake_graph_create_locked(struct fake_context *context)
{
    struct fake_graph *graph = fake_alloc(sizeof *graph);
    fake_add_locked(graph, FAKE_GRAPH, context);
    return graph;
}

void fake_graph_keep_locked(struct fake_graph *graph, struct fake_user *user)
{
    FAKE_GROW(graph->users, graph->user_count, graph->user_capacity);
    graph->users[graph->user_count++] = user;
}

void fake_user_release_locked(struct fake_user *user, int count, struct fake_op *after)
{
    user->ref_count -= count;
    if (user->ref_count > 0) {
        return;
    }
    fake_remove_locked(user);
    struct fake_work work = {.kind = FAKE_OP_HOST, .u.host = {.function = user->destroy, .user = user->user}};
    struct fake_op *op = fake_op_create(user->object.context, NULL, &work);
    fake_op_after_locked(op, after);
    fake_op_submit_locked(op);
    fake_op_release(op);
}

void fake_graph_destroy_locked(struct fake_graph *graph, struct fake_op *after)
{
    if (graph == NULL || graph->object.is_destroyed) {
        return;
    }
    fake_remove_locked(graph);
    for (int i = 0; i < graph->user_count; i++) {
        fake_user_release_locked(graph->users[i], 1, after);
    }
    free(graph->users);
    graph->users = NULL;
    graph->user_count = 0;
    for (int i = 0; i < graph->node_count; i++) {
        struct fake_node *node = graph->nodes[i];
        fake_remove_locked(node);
        fake_work_finish(&node->work);
        fake_graph_destroy_locked(node->child, after);
        free(node->dependencies);
        node->dependencies = NULL;
        node->dependency_count = 0;
    }
    free(graph->nodes);
    graph->nodes = NULL;
    graph->node_count = 0;
}

void fake_node_after_locked(struct fake_node *node, struct fake_node *before)
{
    FAKE_GROW(node->dependencies, node->dependency_count, node->dependency_capacity);
    node->dependencies[node->dependency_count++] = before;
}

struct fake_node *fake_graph_add_locked(struct fake_graph *graph, struct fake_work *work,
                                        struct fake_node *const *dependencies, size_t count)
{
    struct fake_node *node = fake_alloc(sizeof *node);
    node->graph = graph;
    node->position = graph->node_count;
    node->work = *work;
    fake_add_locked(node, FAKE_NODE, graph->object.context);
    node->object.is_internal = true;
    for (size_t i = 0; i < count; i++) {
        fake_node_after_locked(node, dependencies[i]);
    }
    FAKE_GROW(graph->nodes, graph->node_count, graph->node_capacity);
    graph->nodes[graph->node_count++] = node;
    return node;
}

struct fake_graph *fake_graph_clone_locked(const struct fake_graph *graph)
{
    struct fake_graph *copy = fake_graph_create_locked(graph->object.context);
    for (int i = 0; i < graph->user_count; i++) {
        graph->users[i]->ref_count++;
        fake_graph_keep_locked(copy, graph->users[i]);
    }
    for (int i = 0; i < graph->node_count; i++) {
        const struct fake_node *node = graph->nodes[i];
        struct fake_work work;
        fake_work_copy(&work, &node->work);
        struct fake_node *made = fake_graph_add_locked(copy, &work, NULL, 0);
        made->event = node->event;
        made->is_record = node->is_record;
        made->is_disabled = node->is_disabled;
        made->handle = node->handle;
        made->is_loop = node->is_loop;
        made->child = node->child != NULL ? fake_graph_clone_locked(node->child) : NULL;
        if (made->child != NULL) {
            made->child->object.is_internal = true;
        }
    }
    for (int i = 0; i < graph->node_count; i++) {
        for (int k = 0; k < graph->nodes[i]->dependency_count; k++) {
            fake_node_after_locked(copy->nodes[i], copy->nodes[graph->nodes[i]->dependencies[k]->position]);
        }
    }
    return copy;
}

// One node as an operation; a child graph ends with its own join.
static struct fake_op *expand_node(struct fake_node *node, struct fake_context *context, struct fake_stream *stream,
                                   struct fake_op *start)
{
    struct fake_work work = {.kind = FAKE_OP_NOTHING};
    if (node->handle != 0) {
        struct fake_graph *body = fake_graph_clone_locked(node->child);
        body->object.is_internal = true;
        work = (struct fake_work){.kind = FAKE_OP_CONDITION,
                                  .u.condition = {.graph = body, .handle = node->handle, .is_loop = node->is_loop}};
    } else if (node->child != NULL) {
        return fake_graph_expand_locked(node->child, context, stream, start);
    }
    if (node->handle == 0 && !node->is_disabled) {
        fake_work_copy(&work, &node->work);
        fake_check_work_locked(&work, "cuGraphLaunch");
    }
    struct fake_op *op = fake_op_create(context, stream, &work);
    fake_op_after_locked(op, start);
    fake_op_submit_locked(op);
    return op;
}

// |before| is what everything follows. The returned reference is the caller's. A node starts behind a join of what it
// follows, which is made first: an operation that is submitted may run at once.
struct fake_op *fake_graph_expand_locked(struct fake_graph *graph, struct fake_context *context,
                                         struct fake_stream *stream, struct fake_op *before)
{
    struct fake_work nothing = {.kind = FAKE_OP_NOTHING};
    struct fake_op **ops = fake_alloc(sizeof *ops * (size_t)(graph->node_count + 1));
    struct fake_op *end = fake_op_create(context, stream, &nothing);
    fake_op_after_locked(end, before);
    for (int left = graph->node_count; left > 0;) {
        int made = 0;
        for (int i = 0; i < graph->node_count; i++) {
            struct fake_node *node = graph->nodes[i];
            bool is_next = ops[i] == NULL;
            for (int k = 0; k < node->dependency_count && is_next; k++) {
                is_next = ops[node->dependencies[k]->position] != NULL;
            }
            if (!is_next) {
                continue;
            }
            struct fake_op *start = fake_op_create(context, stream, &nothing);
            fake_op_after_locked(start, before);
            for (int k = 0; k < node->dependency_count; k++) {
                fake_op_after_locked(start, ops[node->dependencies[k]->position]);
            }
            fake_op_submit_locked(start);
            ops[i] = expand_node(node, context, stream, start);
            fake_op_release(start);
            fake_op_after_locked(end, ops[i]);
            made++;
        }
        left -= made;
        if (made == 0) {
            fake_violation_locked("cuGraphLaunch: the graph has a cycle");
            break;
        }
    }
    fake_op_submit_locked(end);
    for (int i = 0; i < graph->node_count; i++) {
        fake_op_release(ops[i]);
    }
    free(ops);
    return end;
}

// Launches of one executable graph follow each other, on whatever streams.
int fake_graph_launch_locked(struct fake_exec *exec, struct fake_stream *stream, const char *call)
{
    if (stream->capture != NULL) {
        stream->capture->is_invalid = true;
        return FAKE_CAPTURE_UNSUPPORTED;
    }
    struct fake_work nothing = {.kind = FAKE_OP_NOTHING};
    int code = fake_queue_locked(stream, &nothing, call);
    if (code != FAKE_OK) {
        return code;
    }
    struct fake_context *context = stream->object.context;
    struct fake_op *before = fake_op_create(context, stream, &nothing);
    fake_op_after_locked(before, stream->tail);
    fake_op_after_locked(before, exec->last);
    if (fake_graph_has_conditions(exec->graph)) {
        before->work.kind = FAKE_OP_DEFAULTS;
        before->work.u.condition.graph = fake_graph_clone_locked(exec->graph);
        before->work.u.condition.graph->object.is_internal = true;
    }
    fake_op_submit_locked(before);
    struct fake_op *end = fake_graph_expand_locked(exec->graph, context, stream, before);
    fake_op_release(before);
    fake_op_release(exec->last);
    exec->last = fake_op_hold(end);
    fake_op_release(stream->tail);
    stream->tail = end;
    return FAKE_OK;
}
