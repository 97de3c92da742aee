// How many parallel loops isl's own scheduler finds for each statement of a nest, beside those of the new code. A
// statement is what one value goes through: accesses in one loop's body that use each other's results, or one scalar.
#include "oracle.h"

#include "ir/walk.h"

#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

enum { SCHEDULE_MS = 1000 };

struct grouping {
    isl_ctx *ctx;
    const struct storages *storages;
    const struct model *model;
    int group[ORACLE_ACCESSES];
    isl_union_map *order;    // owned: what must stay in order
    isl_union_map *parallel; // owned: of this, what makes iterations dependent
};

static int root_of(struct grouping *g, int access)
{
    while (g->group[access] != access) {
        access = g->group[access];
    }
    return access;
}

static bool has_same_loops(const struct access *a, const struct access *b)
{
    return a->depth == b->depth && order_common(a, b) == a->depth;
}

static isl_map *named(struct grouping *g, isl_map *map, int from, int to)
{
    char name[2][16];
    snprintf(name[0], sizeof name[0], "S%d", root_of(g, from));
    snprintf(name[1], sizeof name[1], "S%d", root_of(g, to));
    return isl_map_set_tuple_name(isl_map_set_tuple_name(map, isl_dim_in, name[0]), isl_dim_out, name[1]);
}

static void add_edge(struct grouping *g, isl_map *map, int from, int to, bool is_parallel)
{
    map = named(g, map, from, to);
    if (is_parallel) {
        g->parallel = isl_union_map_union(g->parallel, isl_union_map_from_map(isl_map_copy(map)));
    }
    g->order = isl_union_map_union(g->order, isl_union_map_from_map(map));
}

// Calls |use| for each access whose result |value| is made of.
static void each_source(struct grouping *g, const struct ir_inst *value, int budget, int user,
                        void (*use)(struct grouping *g, int source, int user))
{
    for (int i = 0; i < g->model->access_count; i++) {
        if (g->model->accesses[i].inst == value) {
            use(g, i, user);
            return;
        }
    }
    int own = ir_op_arg_count(value->op);
    for (int i = 0; budget > 0 && i < value->arg_count && (own < 0 || i < own); i++) {
        each_source(g, value->args[i], budget - 1, user, use);
    }
}

static void each_source_of(struct grouping *g, int user, void (*use)(struct grouping *g, int source, int user))
{
    const struct access *access = &g->model->accesses[user];
    const struct ir_inst *inst = access->inst;
    int own = ir_op_arg_count(inst->op);
    for (int i = 0; i < own && inst->op != IR_OP_FOR; i++) {
        each_source(g, inst->args[i], 12, user, use);
    }
    for (int i = 0; i < access->condition_count; i++) {
        each_source(g, access->conditions[i], 12, user, use);
    }
}

static void join(struct grouping *g, int source, int user)
{
    if (has_same_loops(&g->model->accesses[source], &g->model->accesses[user])) {
        g->group[root_of(g, source)] = root_of(g, user);
    }
}

static void link_levels(struct grouping *g, int source, int user)
{
    const struct access *a = &g->model->accesses[source], *b = &g->model->accesses[user];
    if (has_same_loops(a, b)) {
        return;
    }
    isl_map *map = isl_map_universe(isl_space_alloc(g->ctx, 0, (unsigned)a->depth, (unsigned)b->depth));
    for (int i = 0; i < order_common(a, b); i++) {
        map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
    }
    map = isl_map_intersect_domain(map, isl_set_copy(a->domain));
    add_edge(g, isl_map_intersect_range(map, isl_set_copy(b->domain)), source, user, true);
}

// Updates that commute leave iterations independent as long as nobody in the nest looks at what they have come to.
static bool is_free(const struct grouping *g, const struct access *a, const struct access *b)
{
    for (int i = 0; i < g->model->access_count; i++) {
        const struct access *other = &g->model->accesses[i];
        if (other->storage == a->storage && !order_is_free(a, other)) {
            return false;
        }
    }
    return order_is_free(a, b);
}

static bool is_scalar(const struct grouping *g, const struct access *access)
{
    return g->storages->items[access->storage].base == 0;
}

static void find_groups(struct grouping *g)
{
    for (int i = 0; i < g->model->access_count; i++) {
        g->group[i] = i;
    }
    for (int i = 0; i < g->model->access_count; i++) {
        const struct access *a = &g->model->accesses[i];
        each_source_of(g, i, join);
        for (int k = 0; k < i && is_scalar(g, a); k++) {
            if (g->model->accesses[k].storage == a->storage) {
                join(g, k, i);
            }
        }
    }
}

static void find_edges(struct grouping *g)
{
    for (int i = 0; i < g->model->access_count; i++) {
        const struct access *a = &g->model->accesses[i];
        each_source_of(g, i, link_levels);
        for (int k = 0; k < g->model->access_count; k++) {
            const struct access *b = &g->model->accesses[k];
            if (!order_counts(a, b)) {
                continue;
            }
            if (!is_scalar(g, a)) {
                isl_map *map = isl_map_intersect(order_meets(a, b), order_before(a, b));
                add_edge(g, map, i, k, !is_free(g, a, b));
            } else if (a->is_write && b->is_read) {
                add_edge(g, flow_of(g->model, a, b), i, k, !is_free(g, a, b));
            }
        }
    }
}

static isl_union_set *domain_of(struct grouping *g)
{
    isl_union_set *all = isl_union_set_empty_ctx(g->ctx);
    for (int i = 0; i < g->model->access_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "S%d", root_of(g, i));
        isl_set *domain = isl_set_set_tuple_name(isl_set_copy(g->model->accesses[i].domain), name);
        all = isl_union_set_union(all, isl_union_set_from_set(domain));
    }
    return all;
}

// ---- counting ------------------------------------------------------------------------------------------------------

struct counting {
    const char *name;
    int most;
};

static isl_bool count_members(isl_schedule_node *node, void *user)
{
    struct counting *c = user;
    if (isl_schedule_node_get_type(node) != isl_schedule_node_leaf) {
        return isl_bool_true;
    }
    isl_union_set *here = isl_schedule_node_get_domain(node);
    char *text = isl_union_set_to_str(here);
    char wanted[20];
    snprintf(wanted, sizeof wanted, "%s[", c->name);
    bool is_here = text != NULL && strstr(text, wanted) != NULL;
    free(text);
    isl_union_set_free(here);
    int count = 0;
    isl_schedule_node *at = isl_schedule_node_copy(node);
    while (is_here && isl_schedule_node_has_parent(at) == isl_bool_true) {
        at = isl_schedule_node_parent(at);
        if (isl_schedule_node_get_type(at) == isl_schedule_node_band) {
            int members = (int)isl_schedule_node_band_n_member(at);
            for (int i = 0; i < members; i++) {
                count += isl_schedule_node_band_member_get_coincident(at, i) == isl_bool_true;
            }
        }
    }
    isl_schedule_node_free(at);
    c->most = count > c->most ? count : c->most;
    return isl_bool_true;
}

// Loops around a copy of the access that are called parallel, each loop of the source once.
static int parallel_loops(const struct model *after, const struct access *access)
{
    int fewest = -1;
    for (int i = 0; i < after->access_count; i++) {
        const struct access *copy = &after->accesses[i];
        if (copy->number != access->number) {
            continue;
        }
        int count = 0;
        for (int k = 0; k < copy->depth; k++) {
            const struct loc loc = copy->loops[k]->loc;
            bool is_new = ir_verdict_is_parallel(copy->loops[k]->loop->verdict);
            for (int n = 0; n < k; n++) { // a strip, and the loop in it
                const struct loc other = copy->loops[n]->loc;
                is_new &= other.line == 0 || other.line != loc.line || other.column != loc.column ||
                          !ir_verdict_is_parallel(copy->loops[n]->loop->verdict);
            }
            count += is_new;
        }
        fewest = fewest < 0 || count < fewest ? count : fewest;
    }
    return fewest;
}

static bool has_pragma(const struct model *model)
{
    for (int i = 0; i < model->loop_count; i++) {
        const struct ir_for *loop = model->loops[i].inst->loop;
        if (loop->pragma_serial || loop->pragma_single || loop->pragma_parallel) {
            return true;
        }
    }
    return model->kernel->pragma_single;
}

static void compare_counts(struct grouping *g, isl_schedule *schedule, const struct model *after,
                           struct findings *findings)
{
    bool is_deeper = false;
    for (int i = 0; i < g->model->access_count && !is_deeper; i++) {
        const struct access *access = &g->model->accesses[i];
        if (access->number < 0 || !access->is_write || is_scalar(g, access)) {
            continue;
        }
        char name[16];
        snprintf(name, sizeof name, "S%d", root_of(g, i));
        struct counting counting = {.name = name};
        isl_schedule_foreach_schedule_node_top_down(schedule, count_members, &counting);
        int most = counting.most < access->depth ? counting.most : access->depth;
        int ours = parallel_loops(after, access);
        if (ours >= 0 && most > ours) {
            is_deeper = true;
            str_printf(findings->missed, "%s:%u: isl finds %d parallel loops of %d, not %d\n", findings->file,
                       access->inst->loc.line, most, access->depth, ours);
        }
    }
    findings->deeper_count += is_deeper;
}

static bool is_whole(const struct storages *storages)
{
    for (int i = 0; i < storages->count; i++) {
        if (!storages->items[i].is_followed && storages->items[i].is_written) {
            return false;
        }
    }
    return true;
}

void compare_schedule(isl_ctx *ctx, const struct storages *storages, const struct model *before,
                      const struct model *after, struct findings *findings)
{
    if (before->access_count == 0 || !is_whole(storages) || has_pragma(before)) {
        return;
    }
    struct grouping *g = calloc(1, sizeof *g);
    *g = (struct grouping){.ctx = ctx, .storages = storages, .model = before};
    g->order = isl_union_map_empty_ctx(ctx);
    g->parallel = isl_union_map_empty_ctx(ctx);
    oracle_limit(ctx, SCHEDULE_MS);
    isl_options_set_schedule_maximize_coincidence(ctx, 1);
    find_groups(g);
    find_edges(g);
    isl_schedule_constraints *wanted = isl_schedule_constraints_on_domain(domain_of(g));
    wanted = isl_schedule_constraints_set_validity(wanted, g->order);
    wanted = isl_schedule_constraints_set_coincidence(wanted, g->parallel);
    isl_schedule *schedule = isl_schedule_constraints_compute_schedule(wanted);
    findings->late_count += schedule == NULL;
    findings->scheduled_count += schedule != NULL;
    if (schedule != NULL) {
        compare_counts(g, schedule, after, findings);
    }
    isl_schedule_free(schedule);
    oracle_limit(NULL, 0);
    free(g);
}
