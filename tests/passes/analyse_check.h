// Holds the analysis to its word: runs a kernel serially, records every access, and complains if two iterations of a
// loop that is claimed to be independent touch one byte in a way that matters, if an access lies outside the effects of
// a loop around it, or if an iteration reads private memory that it has not written.
#ifndef RILL_TESTS_PASSES_ANALYSE_CHECK_H
#define RILL_TESTS_PASSES_ANALYSE_CHECK_H

#include "analyse_case.h"
#include "analysis/scalars/scalars.h"
#include "ir/interpret.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

enum { CHECK_MAX_DEPTH = 16, CHECK_MAX_PARAMS = 16, CHECK_TABLE = 1 << 14, CHECK_MEMORY = 1 << 25 };

struct check_touch { // what the iterations of one loop did to one byte; iterations count from 1, 0 is none
    const char *address;
    int64_t round; // of the level that touched it: what others left in the table counts for nothing
    int64_t reader;
    int64_t second_reader; // another one
    int64_t writer;
    int64_t updater;
    int64_t second_updater; // another one, before it
    int64_t atomic;
    const struct ir_inst *write_inst;
    const struct ir_inst *update_inst;
};

struct check_span {
    const struct plan_effect *effect;
    const char *low; // NULL: everything
    const char *high;
    int64_t step;
};

struct check_level { // a loop that runs now
    const struct ir_inst *loop;
    int64_t iteration; // from 1
    bool is_fast;      // the tests of the launch let the iterations run in any order
    bool is_claimed;   // they are independent by proof, not by the author's word
    struct check_span *spans;
    int span_count;
    struct check_touch *table; // CHECK_TABLE of them
    int64_t round;
    int touch_count;
};

struct check {
    struct analyse_case *c;
    struct ir_function *kernel;
    struct ir_global *probe; // values of the variables, stored before each loop
    struct interp *interp;
    struct interp_arg args[CHECK_MAX_PARAMS];
    char *memory[CHECK_MAX_PARAMS];
    struct check_level levels[CHECK_MAX_DEPTH];
    int depth;
    int complaint_count; // of this run
    int claimed_count;   // loop executions that were checked for independence
    char first[512];     // complaint
};

// By depth, for all kernels: too large to be made or cleared each time.
static struct {
    struct check_touch *items[CHECK_MAX_DEPTH];
    int64_t round; // loops that were entered
} check_tables;

__attribute__((format(printf, 2, 3))) static inline void check_complain(struct check *k, const char *format, ...)
{
    if (k->complaint_count++ == 0) {
        va_list args;
        va_start(args, format);
        vsnprintf(k->first, sizeof k->first, format, args);
        va_end(args);
    }
}

// ---- expressions over arguments and probed variables
// -----------------------------------------------------------------

static inline bool check_eval(struct check *k, const struct plan_expr *expr, union ir_value *out)
{
    union ir_value args[3] = {{0}};
    switch (expr->kind) {
    case PLAN_EXPR_CONST:
        *out = ir_type_is_float(expr->type) ? (union ir_value){.f = expr->fimm} : (union ir_value){.i = expr->imm};
        return true;
    case PLAN_EXPR_PARAM:
        if (k->kernel->params[expr->index].is_struct) {
            int32_t member;
            memcpy(&member, (char *)k->args[expr->index].p + expr->imm, sizeof member);
            out->i = member;
            return expr->type == IR_I32;
        }
        *out = ir_type_is_float(expr->type) ? (union ir_value){.f = k->args[expr->index].f}
                                            : (union ir_value){.i = ir_normalize(expr->type, k->args[expr->index].i)};
        return true;
    case PLAN_EXPR_VAR: {
        int64_t value;
        memcpy(&value, (char *)interp_global_address(k->interp, k->probe) + 8 * expr->index, sizeof value);
        out->i = value;
        return ir_type_is_int(expr->type) || expr->type == IR_PTR;
    }
    case PLAN_EXPR_TRIP:
    case PLAN_EXPR_OP: break;
    default: return false;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (!check_eval(k, expr->args[i], &args[i])) {
            return false;
        }
    }
    if (expr->kind == PLAN_EXPR_TRIP) {
        struct ir_trip trip = plan_trip_of(expr);
        out->i = (int64_t)trip_count(&trip, args[0].i, args[1].i);
        return true;
    }
    if (expr->op == IR_OP_SELECT) {
        *out = args[0].i != 0 ? args[1] : args[2];
        return true;
    }
    return ir_fold(expr->op, expr->type, expr->arg_type, args, out);
}

// ---- probes
// ------------------------------------------------------------------------------------------------------------

static inline bool check_add_probe(struct ir_inst *inst, void *user)
{
    struct check *k = user;
    if (inst->op != IR_OP_FOR) {
        return true;
    }
    struct ir_builder b = {
        .module = k->c->module, .function = k->kernel, .region = inst->parent, .before = inst, .loc = inst->loc};
    for (int v = 0; v < k->kernel->var_count; v++) {
        struct ir_var *var = k->kernel->vars[v];
        if (!var->is_memory && ir_type_is_float(var->type)) {
            continue;
        }
        struct ir_inst *value = var->is_memory ? ir_emit0(&b, IR_OP_ADDR_VAR, IR_PTR) : ir_get(&b, var);
        value->var = var;
        if (value->type == IR_PTR) {
            value = ir_emit1(&b, IR_OP_PTRTOINT, IR_I64, value);
        } else if (var->type != IR_I64) {
            value = ir_emit1(&b, var->type == IR_I1 ? IR_OP_ZEXT : IR_OP_SEXT, IR_I64, value);
        }
        struct ir_inst *address = ir_emit0(&b, IR_OP_ADDR_GLOBAL, IR_PTR);
        address->global = k->probe;
        struct ir_inst *offset = ir_emit1(&b, IR_OP_OFFSET, IR_PTR, address);
        offset->imm = 8 * v;
        ir_emit2(&b, IR_OP_STORE, IR_I64, offset, value);
    }
    return true;
}

// ---- loops
// ---------------------------------------------------------------------------------------------------------------

static inline char *check_base(struct check *k, const struct plan_effect *effect)
{
    if (effect->base == PLAN_BASE_PARAM) {
        return k->args[effect->index].p;
    }
    int field = 0;
    for (int g = 0; g < k->c->module->global_count; g++) {
        if (!k->c->module->globals[g]->is_const && field++ == effect->index) {
            return interp_global_address(k->interp, k->c->module->globals[g]);
        }
    }
    return NULL;
}

static inline struct check_span check_span_of(struct check *k, const struct plan_effect *effect)
{
    struct check_span span = {.effect = effect};
    union ir_value low, high, step = {.i = 0};
    if (effect->base != PLAN_BASE_PARAM && effect->base != PLAN_BASE_FIELD) {
        return span;
    }
    if (effect->region.low == NULL || !check_eval(k, effect->region.low, &low) ||
        !check_eval(k, effect->region.high, &high)) {
        return span;
    }
    if (effect->region.step != NULL) {
        check_eval(k, effect->region.step, &step);
    }
    char *base = check_base(k, effect);
    span.low = (char *)((uintptr_t)base + (uint64_t)low.i); // may lie anywhere: regions near the ends of a type
    span.high = (char *)((uintptr_t)base + (uint64_t)high.i);
    span.step = step.i;
    return span;
}

static inline bool check_pairs_hold(struct check *k, const struct check_level *level, const struct loop_facts *facts)
{
    for (int i = 0; i < facts->pair_count; i++) {
        const struct check_span *a = &level->spans[facts->pairs[i].a], *b = &level->spans[facts->pairs[i].b];
        struct plan_span x = {(uint64_t)a->low, (uint64_t)a->high, (uint64_t)a->step, a->effect->region.width,
                              a->low == NULL};
        struct plan_span y = {(uint64_t)b->low, (uint64_t)b->high, (uint64_t)b->step, b->effect->region.width,
                              b->low == NULL};
        for (int side = 0; side < 2; side++) { // whole arrays are as large as the test's memory says
            struct plan_span *span = side == 0 ? &x : &y;
            const struct check_span *from = side == 0 ? a : b;
            if (span->unknown && from->effect->base == PLAN_BASE_PARAM) {
                uint64_t middle = (uint64_t)check_base(k, from->effect);
                *span = (struct plan_span){middle - (1 << 16), middle + (1 << 16), 0, 0, false};
            }
        }
        bool is_equal = facts->pairs[i].equal_will_do && check_base(k, a->effect) == check_base(k, b->effect);
        if (plan_spans_overlap(&x, &y) && !is_equal) {
            return false;
        }
    }
    return true;
}

static inline void check_enter(struct check *k, const struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    struct check_level *level = &k->levels[k->depth];
    struct check_touch **table = &check_tables.items[k->depth++];
    *table = *table != NULL ? *table : calloc(CHECK_TABLE, sizeof **table);
    *level = (struct check_level){.loop = loop, .table = *table, .span_count = facts->effect_count};
    level->round = ++check_tables.round;
    level->spans = calloc((size_t)facts->effect_count + 1, sizeof *level->spans);
    for (int i = 0; i < facts->effect_count; i++) {
        level->spans[i] = check_span_of(k, &facts->effects[i]);
    }
    level->is_fast = loop->loop->verdict != IR_VERDICT_IN_ORDER;
    for (int i = 0; i < facts->condition_count && level->is_fast; i++) {
        union ir_value value;
        if (!check_eval(k, facts->conditions[i].expr, &value)) {
            check_complain(k, "line %u: a condition cannot be computed", loop->loc.line);
        }
        level->is_fast = value.i != 0;
    }
    level->is_fast = level->is_fast && check_pairs_hold(k, level, facts);
    level->is_claimed = level->is_fast && loop->loop->verdict < IR_VERDICT_SCATTER;
    k->claimed_count += level->is_claimed;
}

static inline struct check_touch *check_touch_of(struct check_level *level, const char *address);

// What must be written has been, every byte of it.
static inline void check_must(struct check *k, struct check_level *level)
{
    for (int i = 0; i < level->span_count; i++) {
        const struct check_span *span = &level->spans[i];
        if (!span->effect->is_must || span->low == NULL || span->high - span->low > 4096) {
            continue;
        }
        for (const char *byte = span->low; byte < span->high; byte++) {
            const struct check_touch *touch = check_touch_of(level, byte);
            if (touch != NULL && touch->writer == 0) {
                check_complain(k, "line %u: not every byte is written that must be", level->loop->loc.line);
                return;
            }
        }
    }
}

static inline void check_on_loop(void *user, const struct ir_inst *inst, int64_t iteration)
{
    struct check *k = user;
    if (inst->loop->analysis == NULL) {
        return; // in a helper
    }
    if (iteration == 0 && k->depth < CHECK_MAX_DEPTH) {
        check_enter(k, inst);
    }
    if (k->depth > 0 && k->levels[k->depth - 1].loop == inst) {
        k->levels[k->depth - 1].iteration = iteration + 1;
        if (iteration < 0) {
            check_must(k, &k->levels[k->depth - 1]);
            free(k->levels[--k->depth].spans);
        }
    }
}

// ---- accesses
// ------------------------------------------------------------------------------------------------------------

static inline struct check_touch *check_touch_of(struct check_level *level, const char *address)
{
    size_t slot = ((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> 50;
    while (level->table[slot].round == level->round && level->table[slot].address != address) {
        slot = (slot + 1) % CHECK_TABLE;
    }
    if (level->table[slot].round != level->round) {
        if (level->touch_count++ > CHECK_TABLE / 2) {
            return NULL;
        }
        level->table[slot] = (struct check_touch){.address = address, .round = level->round};
    }
    return &level->table[slot];
}

static inline bool check_same_constant(const struct ir_inst *a, const struct ir_inst *b)
{
    if (a == NULL || b == NULL || a->op != b->op || (a->op != IR_OP_STORE && a->op != IR_OP_FILL)) {
        return false;
    }
    const struct ir_inst *x = a->args[1], *y = b->args[1];
    bool is_const = (x->op == IR_OP_CONST || x->op == IR_OP_FCONST) && x->op == y->op;
    return is_const && x->imm == y->imm && x->fimm == y->fimm && a->type == b->type;
}

// The variable that a local access touches, if the loop or the iteration owns it.
static inline const struct ir_var *check_own(struct check *k, int base, const struct ir_inst *loop, bool *out_private)
{
    *out_private = false;
    if (base_kind(base) != BASE_LOCAL) {
        return NULL;
    }
    const struct ir_var *var = k->kernel->vars[base_index(base)];
    if (scalars_is_declared_in(var, loop)) {
        return var;
    }
    for (int i = 0; i < loop->loop->role_count; i++) {
        if (loop->loop->roles[i].var == var) {
            *out_private = true;
            return var;
        }
    }
    return NULL;
}

static inline bool check_is_helper(const struct check *k, const struct ir_inst *inst)
{
    const struct ir_region *region = inst->parent;
    while (region->owner != NULL) {
        region = region->owner->parent;
    }
    return region != &k->kernel->body;
}

static inline void check_effects(struct check *k, const struct check_level *level, const struct interp_access *access,
                                 int base)
{
    static const enum plan_access kinds[] = {PLAN_READ, PLAN_WRITE, PLAN_UPDATE, PLAN_UPDATE};
    bool is_local = base_kind(base) == BASE_LOCAL;
    if (base_kind(base) == BASE_PARAM && k->kernel->params[base_index(base)].is_struct) {
        return;
    }
    if (base_kind(base) == BASE_GLOBAL && k->c->module->globals[base_index(base)]->is_const) {
        return;
    }
    const char *begin = access->address, *end = begin + access->size;
    for (int i = 0; i < level->span_count; i++) {
        const struct check_span *span = &level->spans[i];
        bool is_block = span->effect->base == PLAN_BASE_BLOCK;
        if (span->effect->access != kinds[access->kind] || (is_block && !is_local)) {
            continue;
        }
        if (span->low == NULL) {
            if (!is_block || span->effect->index == base_index(base)) {
                return;
            }
            continue;
        }
        bool fits_step = span->step == 0 || (begin - span->low) % span->step == 0;
        if (begin >= span->low && end <= span->high && fits_step) {
            return;
        }
    }
    check_complain(k, "line %u: %s at line %u is outside the effects of the loop", level->loop->loc.line,
                   ir_op_name(access->inst->op), access->inst->loc.line);
}

static inline void check_byte(struct check *k, struct check_level *level, const struct interp_access *access,
                              const char *address, bool is_private)
{
    struct check_touch *t = check_touch_of(level, address);
    int64_t me = level->iteration;
    if (t == NULL) {
        return;
    }
    if (is_private) {
        if (access->kind != INTERP_WRITE && t->writer != me) {
            check_complain(k, "line %u: private memory is read at line %u before the iteration has written it",
                           level->loop->loc.line, access->inst->loc.line);
        }
        t->writer = access->kind == INTERP_WRITE ? me : t->writer;
        return;
    }
    bool other_read = (t->reader != 0 && t->reader != me) || (t->second_reader != 0 && t->second_reader != me);
    bool other_write = t->writer != 0 && t->writer != me;
    bool other_update = t->updater != 0 && t->updater != me;
    bool other_atomic = t->atomic != 0 && t->atomic != me;
    bool clash = false;
    switch (access->kind) {
    case INTERP_READ:
        clash = other_write || other_update || other_atomic;
        if (t->reader == 0 || t->reader == me) {
            t->reader = me;
        } else {
            t->second_reader = me;
        }
        break;
    case INTERP_WRITE:
        clash = other_read || other_update || other_atomic ||
                (other_write && !check_same_constant(t->write_inst, access->inst));
        t->writer = me;
        t->write_inst = access->inst;
        break;
    case INTERP_UPDATE: {
        bool other_class = t->update_inst != NULL && !ir_updates_commute(t->update_inst->update, access->update);
        clash = other_read || other_write || (other_update && other_class);
        t->second_updater = t->updater != me ? t->updater : t->second_updater;
        t->updater = me;
        t->update_inst = access->inst;
        break;
    }
    case INTERP_ATOMIC:
        clash = other_read || other_write;
        t->atomic = me;
        break;
    }
    if (clash && level->is_claimed) {
        check_complain(k, "line %u: claimed %s, but iterations meet at line %u", level->loop->loc.line,
                       verdict_names[level->loop->loop->verdict], access->inst->loc.line);
    }
}

static inline bool is_task_loop(const struct ir_inst *loop)
{
    if (!facts_choose(loop)) {
        return false;
    }
    for (const struct ir_region *region = loop->parent; region->owner != NULL; region = region->owner->parent) {
        if (region->owner->op == IR_OP_FOR && facts_choose(region->owner)) {
            return false;
        }
    }
    return true;
}

// Two iterations of a task's loop update one place: that must be atomic, or a reduction.
static inline void check_atomic(struct check *k, struct check_level *level, const struct interp_access *access)
{
    struct check_touch *t = check_touch_of(level, access->address);
    int64_t other = t == NULL ? 0 : t->updater != level->iteration ? t->updater : t->second_updater;
    if (access->kind != INTERP_UPDATE || access->inst->atomic || other == 0 || !level->is_fast ||
        !is_task_loop(level->loop)) {
        return;
    }
    check_complain(k, "line %u: iterations share the plain update at line %u", level->loop->loc.line,
                   access->inst->loc.line);
}

// Whether the address belongs to an array or a field, rather than to a local.
static inline bool check_is_shared(const struct check *k, const char *address)
{
    for (int p = 0; p < k->kernel->param_count; p++) {
        if (address >= k->memory[p] && address < k->memory[p] + CHECK_MEMORY) {
            return true;
        }
    }
    for (int g = 0; g < k->c->module->global_count; g++) {
        const char *base = interp_global_address(k->interp, k->c->module->globals[g]);
        if (address >= base && address < base + k->c->module->globals[g]->size) {
            return !k->c->module->globals[g]->is_const;
        }
    }
    return false;
}

// Whether the address belongs to a struct that was passed by value.
static inline bool check_is_struct(const struct check *k, const char *address)
{
    for (int p = 0; p < k->kernel->param_count; p++) {
        if (k->kernel->params[p].is_struct && address >= k->memory[p] && address < k->memory[p] + CHECK_MEMORY) {
            return true;
        }
    }
    return false;
}

// The kernel's local that lies there, by the addresses that the probes have noted; NULL: none.
static inline const struct ir_var *check_local_at(const struct check *k, const char *address)
{
    const char *probe = interp_global_address(k->interp, k->probe);
    for (int v = 0; v < k->kernel->var_count && k->depth > 0; v++) {
        const char *low;
        memcpy(&low, probe + 8 * v, sizeof low);
        if (k->kernel->vars[v]->is_memory && address >= low && address < low + k->kernel->vars[v]->size) {
            return k->kernel->vars[v];
        }
    }
    return NULL;
}

static inline void check_on_access(void *user, const struct interp_access *access)
{
    struct check *k = user;
    const char *probe = interp_global_address(k->interp, k->probe);
    const char *begin = access->address;
    if (begin >= probe && begin < probe + k->probe->size) {
        return;
    }
    int base = access->inst->base;
    bool has_two = access->inst->op == IR_OP_COPY || access->inst->op == IR_OP_COMPARE; // and a base for only one
    if (has_two || check_is_helper(k, access->inst)) {
        const struct ir_var *var = check_is_shared(k, begin) ? NULL : check_local_at(k, begin);
        if (var == NULL && (!check_is_shared(k, begin) || check_is_struct(k, begin))) {
            return; // a helper's own memory, a constant, a struct by value
        }
        base = var != NULL ? base_make(BASE_LOCAL, var->index) : has_two ? 0 : base;
    }
    for (int i = 0; i < k->depth; i++) {
        struct check_level *level = &k->levels[i];
        bool is_private;
        const struct ir_var *own = check_own(k, base, level->loop, &is_private);
        if (own != NULL && !is_private) {
            continue;
        }
        if (own == NULL) {
            check_effects(k, level, access, base);
        }
        bool is_const = base_kind(base) == BASE_GLOBAL && k->c->module->globals[base_index(base)]->is_const;
        if (is_const || level->iteration == 0) {
            continue;
        }
        check_atomic(k, level, access);
        for (uint64_t b = 0; b < access->size && b < 64; b++) {
            check_byte(k, level, access, begin + b, is_private);
        }
    }
}

// Arguments that lead far out of every array end the run: that is left open by the language.
static sigjmp_buf check_escape;

static inline void check_on_fault(int number)
{
    (void)number;
    siglongjmp(check_escape, 1);
}

// ---- runs
// ----------------------------------------------------------------------------------------------------------------

static inline uint64_t check_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static inline void check_fill(char *memory, const struct ir_ctype *ctype, uint64_t *state)
{
    char *middle = memory + CHECK_MEMORY / 2;
    for (int i = -2048; i < 4096; i++) {
        int32_t small = (int32_t)(check_random(state) % 8);
        float real = (float)small - 3;
        bool is_float = ctype != NULL && ctype->kind == IR_CTYPE_SCALAR && ctype->scalar == IR_F32;
        memcpy(middle + 4 * i, is_float ? (void *)&real : (void *)&small, 4);
    }
}

// For parameters whose name begins with "far": where sums of longs wrap, and products come back.
static inline int64_t check_far_value(uint64_t *state)
{
    static const int64_t values[] = {INT64_MAX,
                                     INT64_MIN,
                                     INT64_C(1) << 62,
                                     -(INT64_C(1) << 62),
                                     INT64_C(1) << 61,
                                     INT64_C(1) << 60,
                                     INT64_C(1) << 44,
                                     INT64_C(1) << 43,
                                     INT64_C(1) << 34,
                                     INT64_C(1) << 32,
                                     INT32_MAX,
                                     INT32_MIN,
                                     INT64_MAX - INT32_MAX,
                                     (INT64_C(1) << 54) + 1,
                                     (INT64_C(1) << 49) + INT32_MAX - 5,
                                     0};
    int64_t value = values[check_random(state) % (sizeof values / sizeof values[0])];
    int64_t near = (int64_t)(check_random(state) % 17);
    return value > 0 && check_random(state) % 2 == 0 ? value - near : value < 0 ? value + near : value;
}

static inline void check_make_args(struct check *k, uint64_t *state)
{
    static const int64_t values[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, -1, -2, 6, 10};
    for (int p = 0; p < k->kernel->param_count; p++) {
        const struct ir_param *param = &k->kernel->params[p];
        k->args[p] = (struct interp_arg){.i = 0};
        if (param->is_array || param->is_struct) {
            check_fill(k->memory[p], param->ctype, state);
            k->args[p].p = k->memory[p] + CHECK_MEMORY / 2;
        } else if (ir_type_is_float(param->type)) {
            k->args[p].f = 1.5;
        } else if (strncmp(param->name, "far", 3) == 0) {
            k->args[p].i = ir_normalize(param->type, check_far_value(state));
        } else {
            uint64_t range = check_random(state) % 3 == 0 ? 14 : 10; // negative ones now and then
            k->args[p].i = values[check_random(state) % range];
            if (range == 10 && check_random(state) % 2 == 0) {
                k->args[p].i += 3;
            }
        }
    }
    for (int p = 1; p < k->kernel->param_count; p++) { // arrays that overlap, or are the same
        int other = (int)(check_random(state) % (uint64_t)p);
        if (k->kernel->params[p].is_array && k->kernel->params[other].is_array && check_random(state) % 4 == 0 &&
            !k->kernel->params[p].is_restrict && !k->kernel->params[other].is_restrict) {
            k->args[p].p =
                (char *)k->args[other].p + 4 * (int64_t)(check_random(state) % 7) * (check_random(state) % 2);
        }
    }
}

// An extent is never negative: the launch would have refused it. The extents are at the kernel's entry.
static inline bool check_extents_fit(struct check *k)
{
    for (int p = 0; p < k->kernel->param_count; p++) {
        for (int d = 0; d < k->kernel->params[p].rank; d++) {
            struct plan_expr *expr = expr_of_value(&k->c->arena, k->kernel->params[p].extents[d]);
            union ir_value value;
            if (expr != NULL && check_eval(k, expr, &value) && value.i < 0) {
                return false;
            }
        }
    }
    return true;
}

static inline void check_open(struct check *k, struct analyse_case *c, struct ir_function *kernel)
{
    *k = (struct check){.c = c, .kernel = kernel};
    k->probe = ir_global_create(c->module, ".probe", 8 * ((uint64_t)kernel->var_count + 1), 8);
    walk_region(&kernel->body, check_add_probe, k);
    for (int p = 0; p < kernel->param_count; p++) {
        k->memory[p] =
            mmap(NULL, CHECK_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
}

static inline void check_close(struct check *k)
{
    for (int p = 0; p < k->kernel->param_count; p++) {
        munmap(k->memory[p], CHECK_MEMORY);
    }
}

// Runs a kernel with |runs| sets of arguments. Returns the number of runs with a complaint; the first is in k->first.
static inline int check_kernel(struct analyse_case *c, struct ir_function *kernel, int runs, char *out_first,
                               size_t size, int *out_claimed)
{
    static struct check k; // survives the jump
    volatile int bad = 0;
    static uint64_t state;
    state = 12345;
    if (kernel->param_count > CHECK_MAX_PARAMS) {
        return 0;
    }
    check_open(&k, c, kernel);
    struct sigaction action = {.sa_handler = check_on_fault}, before;
    sigaction(SIGSEGV, &action, &before);
    for (volatile int run = 0; run < runs; run++) {
        struct interp_options options = {.record = check_on_access,
                                         .loop = check_on_loop,
                                         .user = &k,
                                         .step_limit = 2000000,
                                         .check_bounds = true,
                                         .poison = (uint64_t)run + 1};
        check_make_args(&k, &state);
        if (!check_extents_fit(&k)) {
            continue;
        }
        k.interp = interp_create(c->module, &options);
        k.complaint_count = 0;
        k.depth = 0;
        union ir_value result;
        volatile enum interp_outcome outcome = INTERP_FAILED;
        if (sigsetjmp(check_escape, 1) == 0) {
            outcome = interp_kernel(k.interp, kernel, k.args, &result);
        }
        while (k.depth > 0) {
            free(k.levels[--k.depth].spans);
        }
        interp_destroy(k.interp);
        if (outcome == INTERP_DONE && k.complaint_count > 0) { // an index out of bounds leaves everything open
            if (bad++ == 0) {
                snprintf(out_first, size, "%s: %s", kernel->name, k.first);
            }
        }
    }
    sigaction(SIGSEGV, &before, NULL);
    *out_claimed += k.claimed_count;
    check_close(&k);
    return bad;
}

#endif
