// What to write before or in a loop that runs in order only because an index is not followed. That any order will do is
// for the author to say; but where the loop reads an element and stores to the same one, order is not all that is at
// stake: of iterations that share it and run at once, one would not see what the other has stored.
#include "analysis/dependence/dependence.h"
#include "analysis/dependence/pair.h"
#include "base/pointer_map.h"
#include "ir/walk.h"

#include <string.h>

// ---- whether what is stored depends on what was read ---------------------------------------------------------------

struct taint { // what is made of the value read
    struct analysis *an;
    const struct loop_info *info;
    struct pointer_map items; // instructions and variables
    const struct ir_inst *store;
    bool reaches; // the store, or something that is not followed
};

static bool has(const struct taint *taint, const void *item)
{
    return item != NULL && pointer_map_get(&taint->items, item) != NULL;
}

static bool is_read(const struct taint *taint, int base)
{
    for (int i = taint->info->access_begin; i < taint->info->access_end; i++) {
        const struct access *access = &taint->an->accesses.items[i];
        if (access->kind != ACCESS_WRITE && (access->base == base || base_kind(access->base) == BASE_UNKNOWN)) {
            return true;
        }
    }
    return false;
}

static bool goes_astray(const struct taint *taint, const struct ir_inst *inst)
{
    bool is_plain = inst->op == IR_OP_STORE && inst != taint->store && !is_read(taint, inst->base);
    return inst->op == IR_OP_CALL || ir_op_is_terminator(inst->op) || (ir_op_writes(inst->op) && !is_plain);
}

// One round over the region. |is_under|: whether it is run depends on the value.
static void spread(struct taint *taint, const struct ir_region *region, bool is_under)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        bool takes = is_under || has(taint, inst) || has(taint, inst->var);
        for (int i = 0; i < inst->arg_count; i++) {
            takes |= has(taint, inst->args[i]);
        }
        for (int i = 0; i < inst->region_count; i++) {
            spread(taint, &inst->regions[i], takes);
        }
        if (takes) {
            taint->reaches |= goes_astray(taint, inst);
            pointer_map_set(taint->an->arena, &taint->items, inst, inst);
        }
        if (takes && ir_op_sets(inst->op)) {
            pointer_map_set(taint->an->arena, &taint->items, inst->var, inst->var);
        }
    }
}

static bool depends(struct analysis *an, const struct loop_info *info, struct ir_inst *load,
                    const struct ir_inst *store)
{
    struct taint taint = {.an = an, .info = info, .store = store};
    pointer_map_set(an->arena, &taint.items, load, load);
    int count;
    do {
        count = taint.items.count;
        spread(&taint, &info->inst->regions[0], false);
    } while (taint.items.count > count && !taint.reaches);
    return taint.reaches;
}

// ---- the advice ----------------------------------------------------------------------------------------------------

static const char *source_of(const struct access *access)
{
    return access->inst->op == IR_OP_LOAD || access->inst->op == IR_OP_STORE ? access->inst->args[0]->source : NULL;
}

static bool is_one_place(const struct access *a, const struct access *b)
{
    const char *text_a = source_of(a), *text_b = source_of(b);
    return a->base == b->base &&
           (poly_equal(a->flat, b->flat) || (text_a != NULL && text_b != NULL && strcmp(text_a, text_b) == 0));
}

static bool is_before(const struct ir_inst *a, const struct ir_inst *b)
{
    const struct ir_inst *next = a;
    while (next != NULL && next != b) {
        next = next->next;
    }
    return next == b;
}

// Whether an exchange can take the place of both, which are all that the loop does with that memory.
static bool is_exchange(struct analysis *an, const struct loop_info *info, const struct access *read,
                        const struct access *written)
{
    struct ir_inst *load = read->inst, *store = written->inst;
    if (read->context != NULL || written->context != NULL || load->op != IR_OP_LOAD || store->op != IR_OP_STORE ||
        load->type != store->type || load->type == IR_PTR || store->is_packed || load->is_around || store->is_around ||
        load->is_volatile || store->is_volatile || load->parent != store->parent || !is_before(load, store)) {
        return false;
    }
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *other = &an->accesses.items[i];
        if (other != read && other != written && other->base == read->base) {
            return false;
        }
    }
    return !depends(an, info, load, store);
}

enum plan_advice advise(struct analysis *an, const struct loop_info *info, const char **out_place)
{
    enum plan_advice advice = PLAN_ADVICE_ANY_ORDER;
    *out_place = NULL;
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *written = &an->accesses.items[i];
        if (written->kind != ACCESS_WRITE || pair_is_followed(an, info, written)) {
            continue;
        }
        for (int k = info->access_begin; k < info->access_end; k++) {
            const struct access *read = &an->accesses.items[k];
            if (read->kind != ACCESS_READ || !is_one_place(read, written)) {
                continue;
            }
            const char *text = source_of(written);
            *out_place = text != NULL ? text : base_name(an->module, an->kernel, written->base);
            if (text == NULL || !is_exchange(an, info, read, written)) {
                return PLAN_ADVICE_APART;
            }
            advice = PLAN_ADVICE_EXCHANGE;
        }
    }
    return advice;
}
