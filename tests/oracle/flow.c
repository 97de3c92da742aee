// Which assignment of a scalar a read of it may see. Unlike memory, of which every order of two accesses is kept, a
// scalar is a value on its way: the passes give each iteration its own.
#include "oracle.h"

bool flow_guess(const struct access *write, const struct access *read, int *depth, const struct guess **out)
{
    *out = NULL;
    for (int i = 0; i < write->guess_count; i++) {
        const struct guess *guess = &write->guesses[i];
        bool is_shared = i < read->guess_count && read->guesses[i].inst == guess->inst && *out == NULL;
        if ((is_shared && read->guesses[i].branch != guess->branch) || (!is_shared && *out != NULL)) {
            return false;
        }
        *out = is_shared ? NULL : guess;
        *depth = is_shared && guess->depth > *depth ? guess->depth : *depth;
    }
    return true;
}

void flow_note(struct halves *halves, const struct guess *guess, isl_map *known)
{
    for (int i = 0; i < ORACLE_HALVES; i++) {
        if (halves->inst[i] == NULL || halves->inst[i] == guess->inst) {
            isl_map **half = &halves->known[i][guess->branch];
            halves->inst[i] = guess->inst;
            *half = *half != NULL ? isl_map_union(*half, known) : known;
            return;
        }
    }
    isl_map_free(known);
}

isl_map *flow_subtract(isl_map *from, struct halves *halves)
{
    for (int i = 0; i < ORACLE_HALVES; i++) {
        isl_map **known = halves->known[i];
        if (known[0] != NULL && known[1] != NULL) {
            from = isl_map_subtract(from, isl_map_intersect(known[0], known[1]));
        } else {
            isl_map_free(known[0]);
            isl_map_free(known[1]);
        }
    }
    return from;
}

static isl_map *runs_before(const struct access *a, const struct access *b)
{
    isl_map *before = isl_map_intersect_domain(order_before(a, b), isl_set_copy(a->domain));
    return isl_map_intersect_range(before, isl_set_copy(b->domain));
}

isl_map *flow_of(const struct model *model, const struct access *write, const struct access *read)
{
    struct halves halves = {0};
    isl_map *flow = runs_before(write, read);
    for (int i = 0; i < model->access_count; i++) {
        const struct access *other = &model->accesses[i];
        int depth = 0;
        const struct guess *guess;
        if (!other->is_write || !other->is_sure || other->storage != read->storage ||
            !flow_guess(other, read, &depth, &guess)) {
            continue;
        }
        isl_map *hidden = runs_before(other, read);
        for (int k = 0; k < depth; k++) {
            hidden = isl_map_equate(hidden, isl_dim_in, k, isl_dim_out, k);
        }
        hidden = isl_map_apply_range(runs_before(write, other), hidden);
        if (guess != NULL) {
            flow_note(&halves, guess, hidden);
        } else {
            flow = isl_map_subtract(flow, hidden);
        }
    }
    return isl_map_coalesce(flow_subtract(flow, &halves));
}
