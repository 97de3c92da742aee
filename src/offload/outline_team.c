// A loop of a task that a GPU's team shares out. Its sums (outline_sum.c) are merged over the team. Where one thread
// runs the loop it does what the source says, in its order.
#include "offload/outline.h"

#include <assert.h>

enum { LEVEL_LANE = 2 }; // ir_for.level

void outline_team_loop(struct outline *out, const struct ir_inst *inst, struct ir_builder *to)
{
    assert(out->sums == NULL); // one level is spread
    outline_summing_loop(out, inst, LEVEL_LANE, to);
}
