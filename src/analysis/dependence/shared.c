// The updates that iterations of a loop share: asked of every two of them, so that no list is searched.
#include "analysis/dependence/dependence.h"

#include <assert.h>

bool shared_has(const struct analysis *an, const struct loop_info *info, const struct access *access)
{
    if (access->context == NULL) {
        return pointer_map_get(&info->shared_sites, access->inst) != NULL;
    }
    int index = (int)(access - an->accesses.items) - info->access_begin;
    return info->is_shared_in_calls != NULL && info->is_shared_in_calls[index];
}

void shared_note(struct analysis *an, struct loop_info *info, const struct access *access)
{
    int index = (int)(access - an->accesses.items);
    assert(access->kind == ACCESS_UPDATE && index >= info->access_begin && index < info->access_end);
    if (access->context != NULL && !shared_has(an, info, access)) {
        if (info->is_shared_in_calls == NULL) {
            info->is_shared_in_calls = ARENA_ARRAY(an->arena, bool, info->access_end - info->access_begin + 1);
        }
        info->is_shared_in_calls[index - info->access_begin] = true;
        VEC_PUSH(an->arena, &info->shared_in_calls, index);
    }
    if (pointer_map_get(&info->shared_sites, access->site) == NULL) {
        pointer_map_set(an->arena, &info->shared_sites, access->site, access->site);
        VEC_PUSH(an->arena, &info->shared, access->site);
    }
}

void shared_forget(struct loop_info *info)
{
    info->shared.count = 0;
    info->shared_in_calls.count = 0;
    info->shared_sites = (struct pointer_map){0};
    info->is_shared_in_calls = NULL;
}
