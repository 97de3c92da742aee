// The order of the new code against that of the source.
#include "oracle.h"

#include <stdarg.h>
#include <string.h>

void complain(struct findings *findings, struct loc loc, const char *format, ...)
{
    char words[600];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    findings->complaint_count++;
    str_printf(findings->complaints, "%s:%u: %s\n", findings->file, loc.line, words);
}

// From iterations of the source to those of the copy.
static isl_map *copy_of(const struct access *access)
{
    return isl_map_reverse(isl_map_copy(access->source));
}

// What violates one dependence in two copies, in iterations of the source. The dependence is what has few parts: it is
// brought to the loops of the copies, not their order to those of the source.
static isl_map *violated(isl_map *dependent, const struct access *x, const struct access *y)
{
    isl_map *wrong = isl_map_apply_range(isl_map_copy(x->source), isl_map_copy(dependent));
    wrong = isl_map_intersect(isl_map_apply_range(wrong, copy_of(y)), order_not_before(x, y));
    if (isl_map_is_empty(wrong) == isl_bool_false) {
        wrong = isl_map_apply_range(isl_map_apply_range(copy_of(x), wrong), isl_map_copy(y->source));
    }
    return wrong;
}

static void compare_pair(const struct model *after, const struct access *a, const struct access *b,
                         struct findings *findings)
{
    isl_map *dependent = isl_map_intersect(order_meets(a, b), order_before(a, b));
    bool is_empty = isl_map_is_empty(dependent) != isl_bool_false;
    findings->dependence_count += !is_empty;
    for (int i = 0; i < after->access_count && !is_empty; i++) {
        const struct access *x = &after->accesses[i];
        for (int k = 0; k < after->access_count && x->number == a->number && x->source != NULL; k++) {
            const struct access *y = &after->accesses[k];
            if (y->number != b->number || y->source == NULL) {
                continue;
            }
            isl_map *wrong = violated(dependent, x, y);
            if (isl_map_is_empty(wrong) == isl_bool_false) {
                char sample[320];
                order_describe(wrong, sample, sizeof sample);
                complain(findings, a->inst->loc,
                         "unlawful order: what line %u touches later in the source runs no later in the new order: %s",
                         b->inst->loc.line, sample);
            }
            isl_map_free(wrong);
        }
    }
    isl_map_free(dependent);
}

// A scan hands scalars on from run to run in memory, and keeps elements in scalars: this follows neither.
static bool hands_on_in_memory(const struct ir_function *kernel)
{
    for (int i = 0; i < kernel->var_count; i++) {
        if (strcmp(kernel->vars[i]->name, ".parts") == 0) {
            return true;
        }
    }
    return false;
}

// Each iteration of the source has one in the new code that touches the same; only one, if it writes.
static void compare_copies(const struct model *after, const struct access *a, struct findings *findings)
{
    isl_set *seen = isl_set_empty(isl_set_get_space(a->domain));
    const char *fault = NULL;
    for (int i = 0; i < after->access_count; i++) {
        const struct access *x = &after->accesses[i];
        if (x->number != a->number || x->source == NULL || x->is_write != a->is_write) {
            continue;
        }
        isl_set *here = isl_map_range(isl_map_copy(x->source));
        if (a->is_write &&
            (isl_map_is_injective(x->source) == isl_bool_false || isl_set_is_disjoint(seen, here) == isl_bool_false)) {
            fault = "runs twice";
        }
        seen = isl_set_union(seen, here);
        isl_map *places = isl_map_apply_range(copy_of(x), isl_map_copy(x->touches));
        if (isl_map_is_subset(places, a->touches) == isl_bool_false) {
            fault = "touches another place, or runs where the source does not";
        }
        isl_map_free(places);
    }
    if (isl_set_is_equal(seen, a->domain) == isl_bool_false && !hands_on_in_memory(after->kernel)) {
        fault = fault != NULL ? fault : "does not run in every iteration of the source";
    }
    isl_set_free(seen);
    if (fault != NULL) {
        complain(findings, a->inst->loc, "an access of the new code %s", fault);
    }
}

// Of a scalar that is declared in a loop, what iterations do to each other's is nothing.
static isl_map *within_own(isl_map *flow, const struct access *read)
{
    for (int i = 0; i < read->own_depth; i++) {
        flow = isl_map_equate(flow, isl_dim_in, i, isl_dim_out, i);
    }
    return flow;
}

// What a read of a scalar may see must be what it may see in the source.
static void compare_flow(const struct model *before, const struct model *after, const struct access *write,
                         const struct access *read, struct findings *findings)
{
    isl_map *wanted = flow_of(before, write, read);
    isl_map *found = isl_map_empty(isl_map_get_space(wanted));
    for (int i = 0; i < after->access_count; i++) {
        const struct access *x = &after->accesses[i];
        for (int k = 0; k < after->access_count && x->number == write->number && x->source != NULL; k++) {
            const struct access *y = &after->accesses[k];
            if (y->number == read->number && y->source != NULL && y->storage == x->storage) {
                isl_map *flow = isl_map_apply_range(copy_of(x), flow_of(after, x, y));
                found = isl_map_union(found, isl_map_apply_range(flow, isl_map_copy(y->source)));
            }
        }
    }
    wanted = within_own(wanted, read);
    found = within_own(found, read);
    bool is_right = hands_on_in_memory(after->kernel) ? isl_map_is_subset(found, wanted) != isl_bool_false
                                                      : isl_map_is_equal(wanted, found) != isl_bool_false;
    if (!is_right) {
        isl_map *lost = isl_map_subtract(isl_map_copy(wanted), isl_map_copy(found));
        lost = isl_map_is_empty(lost) == isl_bool_true ? isl_map_subtract(isl_map_copy(found), lost) : lost;
        char sample[320];
        order_describe(lost, sample, sizeof sample);
        complain(findings, read->inst->loc, "'%s' gets another assignment's value than in the source: %s",
                 read->inst->var->name, sample);
        isl_map_free(lost);
    }
    isl_map_free(wanted);
    isl_map_free(found);
}

void compare_order(const struct storages *storages, const struct model *before, const struct model *after,
                   struct findings *findings)
{
    for (int i = 0; i < before->access_count; i++) {
        const struct access *a = &before->accesses[i];
        const struct storage *storage = &storages->items[a->storage];
        if (a->number < 0 || !storage->is_followed || !storage->is_written) {
            continue; // what nobody writes may be read anywhere, and often
        }
        for (int k = 0; k < before->access_count && storage->base == 0 && a->is_write; k++) {
            const struct access *b = &before->accesses[k];
            if (b->number >= 0 && b->storage == a->storage && b->is_read && !order_is_free(a, b)) {
                compare_flow(before, after, a, b, findings);
            }
        }
        // What each iteration has for itself a scan may make anew in each of its steps.
        bool is_own = storage->var != NULL && storage->var->scope != NULL;
        if (storage->base == 0 || (is_own && hands_on_in_memory(after->kernel))) {
            continue;
        }
        compare_copies(after, a, findings);
        for (int k = 0; k < before->access_count; k++) {
            const struct access *b = &before->accesses[k];
            if (b->number >= 0 && order_counts(a, b)) {
                compare_pair(after, a, b, findings);
            }
        }
    }
}
