// Walks a kernel and writes down the accesses of one nest: in which iterations they run, in which order, and what they
// touch. Conditions on data are taken to hold or not as they like; then the access is not sure.
#include "oracle.h"

#include "analysis/facts.h"
#include "ir/assignment.h"
#include "ir/points_to.h"
#include "ir/walk.h"

#include <assert.h>

enum { BLOCKS = 32, VALUE_BUDGET = 50000 };

struct extractor {
    struct walk walk;
    const struct extraction *from;
    struct model *model;
    bool with_conditions;
    int sequence;
    int order[ORACLE_DEPTH + 1];                      // of the loops around, by the text
    const struct ir_inst *conditions[ORACLE_GUESSES]; // of the IFs around
    int condition_count;                              // may be more than there is room for
    struct guess guesses[ORACLE_GUESSES];             // conditions around that are not known
    int guess_count;
    int unsure; // jumps before it that are taken or not as data say, and guesses that there is no room for
    struct {
        const struct ir_inst *inst;
        isl_set *left; // owned: iterations that have left it by a jump
    } blocks[BLOCKS];
    int block_count;
};

static void walk_region_of(struct extractor *x, const struct ir_region *region);

// Whether it is, or is around, an access of the nest.
static bool holds_nest(const struct extractor *x, const struct ir_inst *inst)
{
    if (tag_nest(inst) == x->from->nest) {
        return true;
    }
    for (int i = 0; i < inst->region_count; i++) {
        WALK (inner, &inst->regions[i]) {
            if (tag_nest(inner) == x->from->nest) {
                return true;
            }
        }
    }
    return false;
}

// ---- accesses ------------------------------------------------------------------------------------------------------

static void refuse(struct extractor *x, const struct ir_inst *inst, const char *why)
{
    if (x->model->refused == NULL) {
        x->model->refused = why;
        x->model->refused_at = inst->loc;
    }
}

static int storage_of(struct extractor *x, int base, const struct ir_var *var)
{
    struct storages *all = x->from->storages;
    for (int i = 0; i < all->count; i++) {
        if (all->items[i].base == base && (base != 0 || all->items[i].var == var)) {
            return i;
        }
    }
    if (all->count == ORACLE_STORAGES) {
        return -1;
    }
    all->items[all->count] = (struct storage){.base = base, .var = var, .is_followed = true};
    return all->count++;
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

static struct access *add_access(struct extractor *x, const struct ir_inst *inst, int base, const struct ir_var *var,
                                 int which)
{
    int storage = storage_of(x, base, var);
    if (x->model->access_count == ORACLE_ACCESSES || storage < 0) {
        refuse(x, inst, "too many accesses");
        return NULL;
    }
    struct access *access = &x->model->accesses[x->model->access_count++];
    *access =
        (struct access){.inst = inst, .number = tag_number(inst, which), .storage = storage, .depth = x->walk.depth};
    access->is_sure = x->unsure == 0;
    memcpy(access->conditions, x->conditions, sizeof access->conditions);
    access->condition_count = x->condition_count < ORACLE_GUESSES ? x->condition_count : ORACLE_GUESSES;
    memcpy(access->guesses, x->guesses, sizeof access->guesses);
    access->guess_count = x->guess_count;
    access->domain = isl_set_copy(x->walk.domain);
    memcpy(access->loops, x->walk.loops, sizeof access->loops);
    for (int i = 0; i < access->depth; i++) {
        access->falls[i] = access->loops[i]->loop->step < 0;
        bool is_own = var != NULL && var->scope != NULL && walk_is_inside(var->scope, access->loops[i]);
        access->own_depth = is_own ? i + 1 : access->own_depth;
    }
    memcpy(access->order, x->order, sizeof access->order);
    access->order[access->depth] = x->sequence++;
    return access;
}

// Where in the source's loops the iterations of the new ones are.
static void find_source(struct extractor *x, struct access *access)
{
    const struct tag *tag = tag_of(access->inst);
    int own = ir_op_arg_count(access->inst->op);
    if (tag == NULL) {
        return;
    }
    isl_map *source = isl_map_from_domain(isl_set_universe(walk_space(&x->walk)));
    for (int i = 0; i < tag->depth; i++) {
        x->walk.budget = VALUE_BUDGET;
        struct value value = value_of(&x->walk, access->inst->args[own + i]);
        if (value.kind != VALUE_NUMBER) {
            value_finish(&value);
            isl_map_free(source);
            refuse(x, access->inst, "the place of a copy is not followed");
            return;
        }
        source = isl_map_flat_range_product(source, isl_map_from_pw_aff(isl_pw_aff_copy(value.number)));
        value_finish(&value);
    }
    access->source = isl_map_intersect_domain(source, isl_set_copy(access->domain));
    access->source_depth = tag->depth;
}

static void add_memory(struct extractor *x, const struct ir_inst *inst, int which, int64_t size, bool is_read,
                       bool is_write)
{
    x->walk.budget = VALUE_BUDGET;
    x->walk.inside = isl_set_universe(walk_space(&x->walk));
    struct value address = value_of(&x->walk, inst->args[which]);
    isl_set *inside = x->walk.inside;
    x->walk.inside = NULL;
    if (address.kind != VALUE_ADDRESS || base_kind(address.base) == BASE_UNKNOWN ||
        base_kind(address.base) == BASE_NULL) {
        value_finish(&address);
        isl_set_free(inside);
        refuse(x, inst, "a pointer is not followed");
        return;
    }
    bool is_local = base_kind(address.base) == BASE_LOCAL;
    const struct ir_var *var = is_local ? x->walk.kernel->vars[base_index(address.base)] : NULL;
    struct access *access = add_access(x, inst, address.base, var, which);
    if (access != NULL) {
        struct storage *storage = &x->from->storages->items[access->storage];
        access->is_read = is_read;
        access->is_write = is_write;
        access->size = size;
        access->domain = isl_set_intersect(access->domain, isl_set_copy(inside));
        access->offset = size > 0 ? isl_pw_aff_copy(address.number) : NULL;
        storage->is_written |= is_write;
        storage->is_followed &= access->offset != NULL;
        storage->unit = gcd(gcd(storage->unit, size), address.multiple);
        find_source(x, access);
    }
    isl_set_free(inside);
    value_finish(&address);
}

static void add_bytes(struct extractor *x, const struct ir_inst *inst)
{
    struct value size = value_of(&x->walk, inst->args[2]);
    int64_t count = size.kind == VALUE_NUMBER && size.low == size.high ? size.low : 0;
    value_finish(&size);
    add_memory(x, inst, 0, count, inst->op == IR_OP_COMPARE, inst->op != IR_OP_COMPARE);
    if (inst->op != IR_OP_FILL) {
        add_memory(x, inst, 1, count, true, false);
    }
}

static bool counts_here(const struct extractor *x, const struct ir_var *var)
{
    for (int i = 0; i < x->walk.depth; i++) {
        if (x->walk.loops[i]->loop->var == var) {
            return true;
        }
    }
    return false;
}

static void add_scalar(struct extractor *x, const struct ir_inst *inst, const struct ir_var *var, bool is_read,
                       bool is_write)
{
    if (x->walk.depth == 0 || counts_here(x, var) || (!is_write && !assignment_is_in(x->walk.loops[0], var))) {
        return;
    }
    struct access *access = add_access(x, inst, 0, var, 0);
    if (access != NULL) {
        struct storage *storage = &x->from->storages->items[access->storage];
        access->is_read = is_read;
        access->is_write = is_write;
        access->size = storage->unit = 1;
        access->offset = isl_pw_aff_val_on_domain(isl_set_universe(walk_space(&x->walk)), isl_val_zero(x->walk.ctx));
        storage->is_written |= is_write;
        find_source(x, access);
    }
}

// ---- control -------------------------------------------------------------------------------------------------------

static void set_domain(struct extractor *x, isl_set *domain)
{
    isl_set_free(x->walk.domain);
    x->walk.domain = domain;
}

static bool runs(const struct extractor *x)
{
    return isl_set_is_empty(x->walk.domain) == isl_bool_false;
}

// The values that the loop's variable takes: false if they are not known.
static bool loop_range(struct extractor *x, const struct ir_inst *inst, struct value *init, struct value *bound)
{
    const struct ir_for *loop = inst->loop;
    x->walk.budget = VALUE_BUDGET;
    *init = value_of(&x->walk, inst->args[0]);
    *bound = value_of(&x->walk, inst->args[1]);
    if (loop->recheck || init->kind != VALUE_NUMBER || bound->kind != VALUE_NUMBER) {
        return false;
    }
    bool rises = loop->step > 0;
    switch (loop->compare) {
    case IR_OP_SLT:
    case IR_OP_SLE: return rises;
    case IR_OP_SGT:
    case IR_OP_SGE: return !rises;
    case IR_OP_ULT:
    case IR_OP_ULE: return rises && value_is_natural(&x->walk, init) && value_is_natural(&x->walk, bound);
    case IR_OP_UGT:
    case IR_OP_UGE: return !rises && value_is_natural(&x->walk, init) && value_is_natural(&x->walk, bound);
    case IR_OP_NE: {
        struct value ahead = *init; // must not have to wrap around on the way
        isl_pw_aff *way = isl_pw_aff_sub(isl_pw_aff_copy(bound->number), isl_pw_aff_copy(init->number));
        ahead.number = rises ? way : isl_pw_aff_neg(way);
        ahead.low = rises ? bound->low - init->high : init->low - bound->high;
        ahead.high = INT64_MAX;
        bool is_ahead = value_is_natural(&x->walk, &ahead);
        isl_pw_aff_free(ahead.number);
        return is_ahead;
    }
    default: return false;
    }
}

static isl_pw_aff *deeper(const struct value *value)
{
    return isl_pw_aff_add_dims(isl_pw_aff_copy(value->number), isl_dim_in, 1);
}

static bool is_inclusive(enum ir_op compare)
{
    return compare == IR_OP_SLE || compare == IR_OP_ULE || compare == IR_OP_SGE || compare == IR_OP_UGE;
}

// Enters the loop: the domain is that of its body.
static void enter(struct extractor *x, const struct ir_inst *inst, const struct value *init, const struct value *bound)
{
    struct walk *walk = &x->walk;
    int at = walk->depth;
    int64_t step = inst->loop->step;
    bool rises = step > 0, inclusive = is_inclusive(inst->loop->compare);
    walk->loops[at] = inst;
    walk->lows[at] = rises ? init->low : bound->low + !inclusive;
    walk->highs[at] = rises ? bound->high - !inclusive : init->high;
    walk->highs[at] = walk->highs[at] < walk->lows[at] ? walk->lows[at] : walk->highs[at];
    walk->multiples[at] = gcd(init->multiple, rises ? step : -step);
    x->order[at] = x->sequence++;
    walk->depth++;
    isl_pw_aff *var = walk_variable(walk, at), *from = deeper(init), *to = deeper(bound);
    isl_set *behind = rises ? isl_pw_aff_ge_set(isl_pw_aff_copy(var), isl_pw_aff_copy(from))
                            : isl_pw_aff_le_set(isl_pw_aff_copy(var), isl_pw_aff_copy(from));
    isl_pw_aff *copy = isl_pw_aff_copy(var);
    isl_set *before = rises       ? inclusive ? isl_pw_aff_le_set(copy, to) : isl_pw_aff_lt_set(copy, to)
                            : inclusive ? isl_pw_aff_ge_set(copy, to)
                                  : isl_pw_aff_gt_set(copy, to);
    isl_set *range = isl_set_intersect(behind, before);
    isl_pw_aff *way = isl_pw_aff_sub(var, from);
    if (step != 1 && step != -1) {
        isl_val *stride = isl_val_int_from_si(walk->ctx, rises ? step : -step);
        isl_pw_aff *rest = isl_pw_aff_mod_val(way, stride);
        range = isl_set_intersect(range, isl_pw_aff_zero_set(rest));
    } else {
        isl_pw_aff_free(way);
    }
    walk->domain = isl_set_intersect(isl_set_add_dims(walk->domain, isl_dim_set, 1), range);
}

static isl_set *conditions_of(struct extractor *x, const struct ir_inst *inst)
{
    const struct loop_facts *facts = x->with_conditions ? inst->loop->analysis : NULL;
    isl_set *holds = isl_set_universe(walk_space(&x->walk));
    for (int i = 0; facts != NULL && i < facts->condition_count && holds != NULL; i++) {
        struct value value = value_of_expr(&x->walk, facts->conditions[i].expr, inst);
        if (value.kind == VALUE_TRUTH) {
            holds = isl_set_intersect(holds, isl_set_copy(value.truth));
        } else {
            isl_set_free(holds);
            holds = NULL;
        }
        value_finish(&value);
    }
    return holds;
}

static void walk_for(struct extractor *x, const struct ir_inst *inst)
{
    struct value init = {0}, bound = {0};
    if (x->walk.depth == ORACLE_DEPTH || x->model->loop_count == ORACLE_LOOPS) {
        refuse(x, inst, "too many loops");
    } else if (!loop_range(x, inst, &init, &bound)) {
        refuse(x, inst, "the bounds of a loop are not affine");
    } else {
        isl_set *before = isl_set_copy(x->walk.domain);
        struct nest_loop *loop = &x->model->loops[x->model->loop_count++];
        *loop = (struct nest_loop){.inst = inst, .depth = x->walk.depth, .holds = conditions_of(x, inst)};
        enter(x, inst, &init, &bound);
        if (runs(x)) {
            walk_region_of(x, &inst->regions[0]);
        }
        x->walk.depth--;
        set_domain(x, before);
        add_scalar(x, inst, inst->loop->var, false, true); // C's value afterwards
    }
    value_finish(&init);
    value_finish(&bound);
}

static bool is_fallback(const struct ir_region *region)
{
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR &&
            (inst->loop->is_fallback ||
             (inst->loop->order != NULL && strcmp(inst->loop->order, IR_ORDER_OF_SOURCE) == 0))) {
            return true;
        }
    }
    return false;
}

static void walk_if(struct extractor *x, const struct ir_inst *inst)
{
    x->walk.budget = VALUE_BUDGET;
    struct value condition = value_of(&x->walk, inst->args[0]);
    bool is_known = condition.kind == VALUE_TRUTH;
    isl_set *yes = isl_set_copy(x->walk.domain), *no = isl_set_copy(x->walk.domain);
    isl_set *left = isl_set_empty(walk_space(&x->walk));
    if (is_known) {
        yes = isl_set_intersect(yes, isl_set_copy(condition.truth));
        no = isl_set_subtract(no, isl_set_copy(condition.truth));
    } else if (is_fallback(&inst->regions[1])) {
        no = isl_set_empty(walk_space(&x->walk)); // the launch's tests are of things that hold here
        is_known = true;
    }
    value_finish(&condition);
    bool is_guess = !is_known && x->walk.depth > 0, has_room = x->guess_count < ORACLE_GUESSES;
    x->unsure += is_guess && !has_room;
    int at = x->guess_count;
    x->guess_count += is_guess && has_room;
    assert(inst->region_count == 2);
    if (x->condition_count < ORACLE_GUESSES) {
        x->conditions[x->condition_count] = inst->args[0];
    }
    x->condition_count++;
    for (int branch = 0; branch < 2; branch++) {
        if (x->guess_count > at) {
            x->guesses[at] = (struct guess){.inst = inst, .branch = branch, .depth = x->walk.depth};
        }
        set_domain(x, branch == 0 ? yes : no);
        walk_region_of(x, &inst->regions[branch]);
        left = isl_set_union(left, isl_set_copy(x->walk.domain));
    }
    x->guess_count = at;
    x->condition_count--;
    set_domain(x, isl_set_coalesce(left));
    x->unsure -= is_guess && !has_room;
}

static void walk_block(struct extractor *x, const struct ir_inst *inst)
{
    if (x->block_count == BLOCKS) {
        refuse(x, inst, "too many blocks");
        return;
    }
    int at = x->block_count++;
    x->blocks[at].inst = inst;
    x->blocks[at].left = isl_set_empty(walk_space(&x->walk));
    int unsure = x->unsure;
    walk_region_of(x, &inst->regions[0]);
    x->unsure = unsure;
    x->block_count--;
    x->walk.domain = isl_set_coalesce(isl_set_union(x->walk.domain, x->blocks[at].left));
}

// What stands behind a jump that is taken or not as data say is not sure, up to the end of the block.
static void walk_break(struct extractor *x, const struct ir_inst *inst)
{
    for (int i = x->block_count - 1; i >= 0; i--) {
        if (x->blocks[i].inst == inst->target) {
            x->blocks[i].left = isl_set_union(x->blocks[i].left, isl_set_copy(x->walk.domain));
            x->unsure += x->guess_count > 0 || x->unsure > 0;
            set_domain(x, isl_set_empty(walk_space(&x->walk)));
            return;
        }
    }
    if (x->walk.depth > 0) {
        refuse(x, inst, "a jump leaves a loop");
    }
}

static void walk_nested(struct extractor *x, const struct ir_inst *inst)
{
    if (x->walk.depth > 0) {
        refuse(x, inst, "control that is not a canonical loop or an if");
        return;
    }
    for (int i = 0; i < inst->region_count; i++) {
        isl_set *before = isl_set_copy(x->walk.domain);
        walk_region_of(x, &inst->regions[i]);
        set_domain(x, before);
    }
}

static void walk_memory(struct extractor *x, const struct ir_inst *inst)
{
    if (x->walk.depth == 0 && tag_nest(inst) != x->from->nest) {
        return;
    }
    int64_t size = ir_type_size(inst->type);
    switch (inst->op) {
    case IR_OP_LOAD: add_memory(x, inst, 0, size, true, false); break;
    case IR_OP_STORE: add_memory(x, inst, 0, size, false, true); break;
    case IR_OP_UPDATE: add_memory(x, inst, 0, size, true, true); break;
    case IR_OP_COPY:
    case IR_OP_FILL:
    case IR_OP_COMPARE: add_bytes(x, inst); break;
    default: refuse(x, inst, "an explicit atomic"); break;
    }
}

static void walk_inst_of(struct extractor *x, const struct ir_inst *inst)
{
    bool is_inside = x->walk.depth > 0;
    switch (inst->op) {
    case IR_OP_FOR: walk_for(x, inst); return;
    case IR_OP_IF: walk_if(x, inst); return;
    case IR_OP_BLOCK: walk_block(x, inst); return;
    case IR_OP_BREAK: walk_break(x, inst); return;
    case IR_OP_LOOP:
    case IR_OP_SWITCH:
    case IR_OP_CFG:
    case IR_OP_BLOCKS: walk_nested(x, inst); return;
    case IR_OP_FAIL: set_domain(x, isl_set_empty(walk_space(&x->walk))); return;
    case IR_OP_GET: add_scalar(x, inst, inst->var, true, false); return;
    case IR_OP_SET: add_scalar(x, inst, inst->var, false, true); return;
    case IR_OP_VUPDATE: add_scalar(x, inst, inst->var, true, true); return;
    case IR_OP_CALL:
    case IR_OP_PRINT:
    case IR_OP_RETURN:
        if (is_inside) {
            refuse(x, inst, inst->op == IR_OP_CALL ? "a helper is called" : "it prints or returns");
        }
        return;
    default: break;
    }
    if (tag_is_memory(inst->op)) {
        walk_memory(x, inst);
    }
}

static void walk_region_of(struct extractor *x, const struct ir_region *region)
{
    for (const struct ir_inst *inst = region->first; inst != NULL && x->model->refused == NULL; inst = inst->next) {
        if ((x->walk.depth > 0 || holds_nest(x, inst)) && runs(x)) {
            walk_inst_of(x, inst);
        }
    }
}

// ---- models --------------------------------------------------------------------------------------------------------

void model_extract(const struct extraction *from, bool with_conditions, struct model *out)
{
    *out = (struct model){.kernel = from->kernel};
    struct extractor x = {.from = from, .model = out, .with_conditions = with_conditions};
    x.walk =
        (struct walk){.ctx = from->ctx, .kernel = from->kernel, .arguments = from->arguments, .places = from->places};
    x.walk.domain = isl_set_universe(walk_space(&x.walk));
    x.walk.context = isl_set_universe(isl_space_params_alloc(from->ctx, 0));
    walk_region_of(&x, &from->kernel->body);
    for (int i = 0; i < out->access_count; i++) {
        struct access *access = &out->accesses[i];
        access->domain = isl_set_intersect_params(access->domain, isl_set_copy(x.walk.context));
        if (access->source != NULL) {
            access->source = isl_map_intersect_domain(access->source, isl_set_copy(access->domain));
        }
    }
    isl_set_free(x.walk.domain);
    isl_set_free(x.walk.context);
}
