// Helpers that get the address of a struct which is taken apart.
#include "passes/promote_split.h"

#include "ir/clone.h"

#include <string.h>

enum { MAX_CALL_DEPTH = 8, MAX_MEMBERS_OF_CALL = 16 };

static struct split split_of_helper(const struct split *s, struct ir_function *helper, int param, int64_t offset)
{
    struct split inner = *s;
    inner.function = helper;
    inner.var = NULL;
    inner.param = param;
    inner.root_offset = offset;
    inner.first_param = helper->param_count;
    inner.depth = s->depth + 1;
    inner.is_good = true;
    inner.is_chosen = true;
    return inner;
}

static struct split_walk walk_of_helper(struct split *inner)
{
    struct split_walk walk = {.module = inner->module, .function = inner->function, .of_param = inner};
    walk.place_count = inner->function->value_count;
    walk.places = ARENA_ARRAY(inner->module->arena, struct place, walk.place_count + 1);
    return walk;
}

bool split_is_kept_by(struct split *s, const struct ir_inst *call, int which, int64_t offset)
{
    if (s->depth >= MAX_CALL_DEPTH || s->count > MAX_MEMBERS_OF_CALL) {
        return false;
    }
    struct split inner = split_of_helper(s, call->function, which, offset);
    struct split_walk walk = walk_of_helper(&inner);
    split_collect(&walk, &call->function->body);
    s->looks = inner.looks;
    return inner.is_good;
}

static void add_params(const struct split *s, struct ir_function *helper)
{
    struct ir_param *params = ARENA_ARRAY(s->module->arena, struct ir_param, helper->param_count + s->count);
    memcpy(params, helper->params, sizeof *params * (size_t)helper->param_count);
    for (int i = 0; i < s->count; i++) {
        params[helper->param_count + i] =
            (struct ir_param){.name = s->members[i].name, .loc = helper->loc, .type = IR_PTR, .is_array = true};
    }
    helper->params = params;
    helper->param_count += s->count;
}

// The helper's code that takes the members' addresses; made once for each layout, which its name tells.
static const char *name_of_members(const struct split *s, const struct ir_function *from, int param, int64_t offset)
{
    struct arena *arena = s->module->arena;
    const char *name = arena_printf(arena, "%s.of%d.%lld", from->name, param, (long long)offset);
    for (int i = 0; i < s->count; i++) {
        const struct member *member = &s->members[i];
        name = arena_printf(arena, "%s.%lld_%lld%s", name, (long long)member->offset, (long long)member->size,
                            member->is_array ? "a" : "");
    }
    return name;
}

static struct ir_function *helper_of_members(struct split *s, struct ir_function *from, int param, int64_t offset)
{
    const char *name = name_of_members(s, from, param, offset);
    for (int i = 0; i < s->module->function_count; i++) {
        if (strcmp(s->module->functions[i]->name, name) == 0) {
            return s->module->functions[i];
        }
    }
    struct ir_function *to = clone_helper(s->module, from, name);
    clone_forget(from);
    struct split inner = split_of_helper(s, to, param, offset);
    inner.looks = SPLIT_MAX_LOOKS;
    struct split_walk walk = walk_of_helper(&inner);
    split_collect(&walk, &to->body);
    add_params(&inner, to);
    split_rewrite(&walk, &to->body);
    promote_function(s->module, to);
    return to;
}

void split_call(struct split *s, struct ir_inst *call, int which, int64_t offset)
{
    struct ir_builder b = {
        .module = s->module, .function = s->function, .region = call->parent, .before = call, .loc = call->loc};
    struct ir_inst **args = ARENA_ARRAY(s->module->arena, struct ir_inst *, call->arg_count + s->count);
    memcpy(args, call->args, sizeof *args * (size_t)call->arg_count);
    args[which] = ir_const(&b, IR_PTR, 0);
    for (int i = 0; i < s->count; i++) {
        args[call->arg_count + i] = split_address_in(s, &b, i, s->members[i].offset);
    }
    call->function = helper_of_members(s, call->function, which, offset);
    call->args = args;
    call->arg_count += s->count;
}
