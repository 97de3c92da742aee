// `#pragma rill unroll`: a loop of a few iterations, known when it is compiled, around nothing but stream_parallel
// blocks. Its iterations become consecutive blocks, in which the loop variable is a constant, so that what they touch
// is compared as that of blocks that were written out.
#include "lower/loop.h"

#include "ir/trip.h"

#include <assert.h>

enum { MAX_UNROLLED = 64 }; // iterations

static bool refuse(struct lower *l, const struct stmt *stmt, struct loc where, const char *why)
{
    if (l != NULL) {
        diag_error(l->diags, stmt->loc, "'#pragma rill unroll' cannot unroll this loop: %s", why);
        if (where.line != stmt->loc.line || where.file != stmt->loc.file) {
            diag_note(l->diags, where, "here");
        }
    }
    return false;
}

// The blocks of the body, if there is nothing else in it.
static bool find_blocks(const struct stmt *body, struct lower_unrolled *out, struct loc *out_other)
{
    out->single[0] = (struct stmt *)body;
    out->blocks = body->kind == STMT_BLOCK ? body->items : out->single;
    out->block_count = body->kind == STMT_BLOCK ? body->item_count : 1;
    *out_other = body->loc;
    for (int i = 0; i < out->block_count; i++) {
        if (out->blocks[i]->kind != STMT_STREAM_PARALLEL) {
            *out_other = out->blocks[i]->loc;
            return false;
        }
    }
    return out->block_count > 0;
}

bool lower_unroll_find(struct lower *l, const struct stmt *stmt, bool reports, struct lower_unrolled *out)
{
    struct lower *reporter = reports ? l : NULL;
    struct canonical c = {0};
    struct loc other;
    int64_t bound;
    if (!lower_canonical_find(l, stmt, &c)) {
        return refuse(reporter, stmt, c.where, arena_printf(l->arena, "it is not canonical: %s", c.why));
    }
    if (stmt->init == NULL || stmt->init->kind != STMT_DECL) {
        return refuse(reporter, stmt, stmt->loc, "it must declare its variable: for (int k = 0; …)");
    }
    bool is_known =
        c.init != NULL && c.also == NULL && const_eval_int(c.init, &out->first) && const_eval_int(c.bound, &bound);
    if (!is_known || (c.way != BOUND_SAME && c.way != BOUND_FITS)) {
        return refuse(reporter, stmt, c.condition->loc, "its first value and its bound must be constants");
    }
    struct ir_trip trip =
        trip_make(lower_bound_compare(&c), lower_type(c.var->type), lower_is_unsigned(c.var->type), c.step);
    uint64_t count = trip_count(&trip, out->first, bound);
    if (count < 1 || count > MAX_UNROLLED) {
        return refuse(reporter, stmt, c.condition->loc,
                      arena_printf(l->arena, "it has %llu iterations, and 1 to %d can be unrolled",
                                   (unsigned long long)count, MAX_UNROLLED));
    }
    if (l->frame->info->has_jumps) {
        return refuse(reporter, stmt, stmt->loc, "it stands in a function with 'goto', whose labels cannot be doubled");
    }
    if (!find_blocks(stmt->body, out, &other)) {
        return refuse(reporter, stmt, other, "its body must be stream_parallel blocks and nothing else");
    }
    out->var = c.var;
    out->step = c.step;
    out->count = (int)count;
    return true;
}

void lower_unroll_block(struct lower *l, const struct lower_unrolled *loop, int index, struct ir_region *region)
{
    assert(index >= 0 && index < loop->count * loop->block_count);
    struct pointer_map bindings = l->frame->bindings;
    struct pointer_map extents = l->frame->extents;
    l->frame->bindings = pointer_map_copy(l->arena, &bindings); // its locals are those of this block
    l->frame->extents = pointer_map_copy(l->arena, &extents);
    struct ir_region *outer = l->b.region;
    l->b.region = region;
    int64_t value = (int64_t)((uint64_t)loop->first + (uint64_t)(index / loop->block_count) * (uint64_t)loop->step);
    struct lower_binding *binding = ARENA_NEW(l->arena, struct lower_binding);
    binding->kind = BIND_VALUE;
    binding->value = lower_int(l, lower_type(loop->var->type), ir_normalize(lower_type(loop->var->type), value));
    pointer_map_set(l->arena, &l->frame->bindings, loop->var, binding);
    lower_stmt(l, loop->blocks[index % loop->block_count]->body);
    l->b.region = outer;
    l->frame->bindings = bindings;
    l->frame->extents = extents;
}
