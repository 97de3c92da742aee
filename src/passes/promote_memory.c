// Memory variables become scalars, slice by slice: every access is at a constant offset, with one size for each place.
// What is known of a variable's C type settles the slices beforehand, so that a copy of a struct from or to memory is a
// copy of its members; copies between two such variables pass slices on to each other.
#include "passes/promote_internal.h"

#include "ir/walk.h"

#include <assert.h>

enum { MAX_SLICES = 64 };

struct slice {
    int64_t offset;
    enum ir_type type;
    struct ir_var *scalar;
};

struct candidate {
    struct ir_var *var;
    bool is_good;
    bool is_used;
    bool knows_padding; // bytes outside the slices are padding: nothing is lost when they are not copied
    VEC(struct slice) slices;
};

struct address {
    struct candidate *candidate; // NULL: no address of a memory variable
    int64_t offset;
};

struct promotion {
    struct ir_module *module;
    struct ir_function *function;
    struct candidate **candidates; // by variable; NULL for scalars
    struct address *addresses;     // by value number
    int address_count;
    VEC(struct ir_inst *) related; // copies, fills and updates of candidates
    bool changed;
};

static struct address address_of(const struct promotion *p, const struct ir_inst *value)
{
    if (value->id < 0 || value->id >= p->address_count) {
        return (struct address){0};
    }
    return p->addresses[value->id];
}

// ---- slices --------------------------------------------------------------------------------------------------------

static void reject(struct promotion *p, struct candidate *c)
{
    p->changed |= c->is_good;
    c->is_good = false;
}

static bool convertible(enum ir_type a, enum ir_type b)
{
    return a == b || (a != IR_PTR && b != IR_PTR && ir_type_size(a) == ir_type_size(b));
}

static struct slice *find_slice(struct candidate *c, int64_t offset)
{
    for (int i = 0; i < c->slices.count; i++) {
        if (c->slices.items[i].offset == offset) {
            return &c->slices.items[i];
        }
    }
    return NULL;
}

static void add_slice(struct promotion *p, struct candidate *c, int64_t offset, enum ir_type type)
{
    assert(type != IR_VOID);
    if (!c->is_good) {
        return;
    }
    int64_t end = offset + ir_type_size(type);
    if (offset < 0 || end > (int64_t)c->var->size) {
        reject(p, c);
        return;
    }
    for (int i = 0; i < c->slices.count; i++) {
        const struct slice *s = &c->slices.items[i];
        int64_t s_end = s->offset + ir_type_size(s->type);
        if (s->offset == offset && convertible(s->type, type)) {
            return;
        }
        if (s->offset < end && offset < s_end) {
            reject(p, c);
            return;
        }
    }
    if (c->slices.count == MAX_SLICES) {
        reject(p, c);
        return;
    }
    VEC_PUSH(p->module->arena, &c->slices, (struct slice){.offset = offset, .type = type});
    p->changed = true;
}

// Adds the scalars that a C type is made of. False if it has parts that are not known as scalars.
static bool add_leaves(struct promotion *p, struct candidate *c, const struct ir_ctype *type, int64_t offset)
{
    bool is_whole = true;
    switch (type->kind) {
    case IR_CTYPE_SCALAR:
        if (type->scalar == IR_VOID) {
            return false;
        }
        add_slice(p, c, offset, type->scalar);
        return true;
    case IR_CTYPE_POINTER: add_slice(p, c, offset, IR_PTR); return true;
    case IR_CTYPE_ARRAY:
        if (type->length < 0 || type->length > MAX_SLICES) {
            return false;
        }
        for (int64_t i = 0; i < type->length; i++) {
            is_whole &= add_leaves(p, c, type->element, offset + i * (int64_t)type->element->size);
        }
        return is_whole;
    case IR_CTYPE_RECORD:
        if (type->is_union) {
            return false;
        }
        for (int i = 0; i < type->member_count; i++) {
            const struct ir_cmember *m = &type->members[i];
            is_whole &= m->bit_offset < 0 && add_leaves(p, c, m->type, offset + (int64_t)m->offset);
        }
        return is_whole;
    }
    return false;
}

static const char *leaf_name(struct arena *arena, const struct ir_ctype *type, int64_t offset, const char *name)
{
    if (type == NULL) {
        return offset == 0 ? name : arena_printf(arena, "%s+%lld", name, (long long)offset);
    }
    if (type->kind == IR_CTYPE_ARRAY && type->element->size > 0) {
        int64_t size = (int64_t)type->element->size;
        const char *element = arena_printf(arena, "%s[%lld]", name, (long long)(offset / size));
        return leaf_name(arena, type->element, offset % size, element);
    }
    if (type->kind == IR_CTYPE_RECORD) {
        for (int i = type->member_count - 1; i >= 0; i--) {
            const struct ir_cmember *m = &type->members[i];
            if (offset >= (int64_t)m->offset && offset < (int64_t)(m->offset + m->type->size)) {
                const char *member = m->name[0] != '\0' ? arena_printf(arena, "%s.%s", name, m->name) : name;
                return leaf_name(arena, m->type, offset - (int64_t)m->offset, member);
            }
        }
    }
    return offset == 0 ? name : arena_printf(arena, "%s+%lld", name, (long long)offset);
}

static const struct ir_ctype *leaf_type(const struct ir_ctype *type, int64_t offset)
{
    while (type != NULL && type->kind != IR_CTYPE_SCALAR && type->kind != IR_CTYPE_POINTER) {
        const struct ir_ctype *inner = NULL;
        if (type->kind == IR_CTYPE_ARRAY && type->element->size > 0) {
            inner = type->element;
            offset %= (int64_t)inner->size;
        }
        for (int i = 0; type->kind == IR_CTYPE_RECORD && i < type->member_count; i++) {
            const struct ir_cmember *m = &type->members[i];
            if (offset >= (int64_t)m->offset && offset < (int64_t)(m->offset + m->type->size)) {
                inner = m->type;
                offset -= (int64_t)m->offset;
                break;
            }
        }
        type = inner;
    }
    return type;
}

// ---- uses ----------------------------------------------------------------------------------------------------------

static bool constant(const struct ir_inst *inst, int64_t *out)
{
    *out = inst->imm;
    return inst->op == IR_OP_CONST;
}

static void use_argument(struct promotion *p, struct ir_inst *inst, int which)
{
    assert(which >= 0 && which < inst->arg_count);
    struct address a = address_of(p, inst->args[which]);
    struct candidate *c = a.candidate;
    if (c == NULL) {
        return;
    }
    int64_t size;
    int64_t byte;
    switch (inst->op) {
    case IR_OP_OFFSET: return;
    case IR_OP_LOAD:
    case IR_OP_STORE:
    case IR_OP_UPDATE:
        if (which == 0 && !inst->is_volatile) {
            add_slice(p, c, a.offset, inst->type);
            return;
        }
        break;
    case IR_OP_COPY:
        if (which < 2 && constant(inst->args[2], &size) && size >= 0 && a.offset >= 0 &&
            a.offset + size <= (int64_t)c->var->size) {
            return;
        }
        break;
    case IR_OP_FILL:
        if (which == 0 && constant(inst->args[2], &size) && constant(inst->args[1], &byte) && byte == 0 && size >= 0 &&
            a.offset >= 0 && a.offset + size <= (int64_t)c->var->size) {
            return;
        }
        break;
    default: break;
    }
    reject(p, c);
}

static void collect(struct promotion *p, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = walk_next(inst, region)) {
        if (inst->op == IR_OP_ADDR_VAR) {
            p->addresses[inst->id].candidate = p->candidates[inst->var->index];
            p->candidates[inst->var->index]->is_used = true;
        } else if (inst->op == IR_OP_OFFSET) {
            p->addresses[inst->id] = address_of(p, inst->args[0]);
            p->addresses[inst->id].offset += inst->imm;
        }
        for (int i = 0; i < inst->arg_count; i++) {
            use_argument(p, inst, i);
        }
        if (inst->op == IR_OP_COPY || inst->op == IR_OP_FILL || inst->op == IR_OP_UPDATE) {
            VEC_PUSH(p->module->arena, &p->related, inst);
        }
    }
}

// ---- ranges: copies and fills --------------------------------------------------------------------------------------

// No slice may lie across the edge of a range that is copied or filled.
static void check_edges(struct promotion *p, struct candidate *c, int64_t low, int64_t high)
{
    for (int i = 0; i < c->slices.count && c->is_good; i++) {
        int64_t s_low = c->slices.items[i].offset;
        int64_t s_high = s_low + ir_type_size(c->slices.items[i].type);
        if (s_low < high && low < s_high && (s_low < low || s_high > high)) {
            reject(p, c);
        }
    }
}

// All bytes of the range are in slices, or are padding that the copy may lose.
static void check_covered(struct promotion *p, struct candidate *c, const struct ir_inst *copy)
{
    if (c->knows_padding && !copy->is_packed) {
        return;
    }
    int64_t low = address_of(p, copy->args[1]).offset;
    int64_t high = low + copy->args[2]->imm;
    int64_t covered = 0;
    for (int i = 0; i < c->slices.count; i++) {
        int64_t s_low = c->slices.items[i].offset;
        if (s_low >= low && s_low < high) {
            covered += ir_type_size(c->slices.items[i].type);
        }
    }
    if (covered != high - low) {
        reject(p, c);
    }
}

static void pass_slices(struct promotion *p, struct address from, struct address to, int64_t size)
{
    for (int i = 0; i < from.candidate->slices.count && to.candidate->is_good; i++) {
        const struct slice *s = &from.candidate->slices.items[i];
        if (s->offset >= from.offset && s->offset < from.offset + size) {
            add_slice(p, to.candidate, s->offset - from.offset + to.offset, s->type);
        }
    }
}

static void relate_copy(struct promotion *p, const struct ir_inst *inst)
{
    struct address to = address_of(p, inst->args[0]);
    struct address from = address_of(p, inst->args[1]);
    bool to_good = to.candidate != NULL && to.candidate->is_good;
    bool from_good = from.candidate != NULL && from.candidate->is_good;
    int64_t size = inst->args[2]->imm;
    if (to_good) {
        check_edges(p, to.candidate, to.offset, to.offset + size);
    }
    if (from_good) {
        check_edges(p, from.candidate, from.offset, from.offset + size);
    }
    if (to_good && from_good) {
        pass_slices(p, from, to, size);
        pass_slices(p, to, from, size);
    } else if (from_good) {
        check_covered(p, from.candidate, inst);
    }
}

static void check_update(struct promotion *p, struct ir_inst *inst)
{
    struct address a = address_of(p, inst->args[0]);
    if (a.candidate == NULL || !a.candidate->is_good) {
        return;
    }
    const struct slice *s = find_slice(a.candidate, a.offset);
    if (s == NULL || s->type != inst->type) {
        reject(p, a.candidate);
    }
}

static void relate(struct promotion *p)
{
    for (int i = 0; i < p->related.count; i++) {
        struct ir_inst *inst = p->related.items[i];
        struct address a = address_of(p, inst->args[0]);
        if (inst->op == IR_OP_COPY) {
            relate_copy(p, inst);
        } else if (inst->op == IR_OP_UPDATE) {
            check_update(p, inst);
        } else if (a.candidate != NULL && a.candidate->is_good) {
            check_edges(p, a.candidate, a.offset, a.offset + inst->args[2]->imm);
        }
    }
}

// ---- rewriting -----------------------------------------------------------------------------------------------------

static struct slice *good_slice(const struct promotion *p, const struct ir_inst *address)
{
    struct address a = address_of(p, address);
    return a.candidate != NULL && a.candidate->is_good ? find_slice(a.candidate, a.offset) : NULL;
}

static struct ir_inst *as_type(struct ir_builder *b, struct ir_inst *value, enum ir_type type)
{
    assert(convertible(value->type, type));
    return value->type == type ? value : ir_emit1(b, IR_OP_BITCAST, type, value);
}

static void become(struct ir_inst *inst, enum ir_op op, struct ir_var *var, int arg_count, struct ir_inst *arg)
{
    inst->op = op;
    inst->var = var;
    inst->arg_count = arg_count;
    if (arg_count > 0) {
        inst->args[0] = arg;
    }
}

static void rewrite_access(struct promotion *p, struct ir_inst *inst)
{
    struct slice *s = good_slice(p, inst->args[0]);
    if (s == NULL) {
        return;
    }
    struct ir_builder b = {.module = p->module, .function = p->function, .before = inst, .loc = inst->loc};
    b.region = inst->parent;
    if (inst->op == IR_OP_UPDATE) {
        become(inst, IR_OP_VUPDATE, s->scalar, 1, inst->args[1]);
    } else if (inst->op == IR_OP_STORE) {
        struct ir_inst *value = as_type(&b, inst->args[1], s->type);
        become(inst, IR_OP_SET, s->scalar, 1, value);
        inst->type = s->type;
    } else if (inst->type == s->type) {
        become(inst, IR_OP_GET, s->scalar, 0, NULL);
    } else {
        become(inst, IR_OP_BITCAST, NULL, 1, ir_get(&b, s->scalar));
    }
}

static struct ir_inst *zero(struct ir_builder *b, enum ir_type type)
{
    return ir_type_is_float(type) ? ir_fconst(b, type, 0) : ir_const(b, type, 0);
}

static void rewrite_fill(struct promotion *p, struct ir_inst *inst)
{
    struct address a = address_of(p, inst->args[0]);
    if (a.candidate == NULL || !a.candidate->is_good) {
        return;
    }
    struct ir_builder b = {.module = p->module, .function = p->function, .before = inst, .loc = inst->loc};
    b.region = inst->parent;
    for (int i = 0; i < a.candidate->slices.count; i++) {
        struct slice *s = &a.candidate->slices.items[i];
        if (s->offset >= a.offset && s->offset < a.offset + inst->args[2]->imm) {
            ir_set(&b, s->scalar, zero(&b, s->type));
        }
    }
    ir_remove(inst);
}

static struct ir_inst *moved(struct ir_builder *b, struct ir_inst *address, int64_t offset)
{
    if (offset == 0) {
        return address;
    }
    struct ir_inst *inst = ir_emit1(b, IR_OP_OFFSET, IR_PTR, address);
    inst->imm = offset;
    return inst;
}

// All is read before anything is written: the two sides may overlap.
static void rewrite_copy(struct promotion *p, struct ir_inst *inst)
{
    struct address to = address_of(p, inst->args[0]);
    struct address from = address_of(p, inst->args[1]);
    bool to_good = to.candidate != NULL && to.candidate->is_good;
    bool from_good = from.candidate != NULL && from.candidate->is_good;
    if (!to_good && !from_good) {
        return;
    }
    struct ir_builder b = {.module = p->module, .function = p->function, .before = inst, .loc = inst->loc};
    b.region = inst->parent;
    const struct address *guide = to_good ? &to : &from;
    int64_t size = inst->args[2]->imm;
    struct ir_inst *values[MAX_SLICES];
    for (int i = 0; i < guide->candidate->slices.count; i++) {
        const struct slice *s = &guide->candidate->slices.items[i];
        int64_t at = s->offset - guide->offset;
        if (at < 0 || at >= size) {
            continue;
        }
        if (from_good) {
            values[i] = ir_get(&b, find_slice(from.candidate, from.offset + at)->scalar);
        } else {
            values[i] = ir_emit1(&b, IR_OP_LOAD, s->type, moved(&b, inst->args[1], at));
            values[i]->is_packed = inst->is_packed;
        }
    }
    for (int i = 0; i < guide->candidate->slices.count; i++) {
        int64_t at = guide->candidate->slices.items[i].offset - guide->offset;
        if (at < 0 || at >= size) {
            continue;
        }
        if (to_good) {
            struct slice *s = find_slice(to.candidate, to.offset + at);
            ir_set(&b, s->scalar, as_type(&b, values[i], s->type));
        } else {
            struct ir_inst *to_at = moved(&b, inst->args[0], at);
            ir_emit2(&b, IR_OP_STORE, values[i]->type, to_at, values[i])->is_packed = inst->is_packed;
        }
    }
    ir_remove(inst);
}

static void rewrite(struct promotion *p, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        switch (inst->op) {
        case IR_OP_LOAD:
        case IR_OP_STORE:
        case IR_OP_UPDATE: rewrite_access(p, inst); break;
        case IR_OP_FILL: rewrite_fill(p, inst); break;
        case IR_OP_COPY: rewrite_copy(p, inst); break;
        default: break;
        }
        for (int i = 0; i < inst->region_count; i++) {
            rewrite(p, &inst->regions[i]);
        }
        inst = next;
    }
}

static void make_scalars(struct promotion *p, struct candidate *c)
{
    for (int i = 0; i < c->slices.count; i++) {
        struct slice *s = &c->slices.items[i];
        const char *name = leaf_name(p->module->arena, c->var->ctype, s->offset, c->var->name);
        s->scalar = ir_var_create(p->module, p->function, name, s->type);
        s->scalar->loc = c->var->loc;
        s->scalar->scope = c->var->scope;
        s->scalar->depth_key = c->var->depth_key;
        const struct ir_ctype *leaf = leaf_type(c->var->ctype, s->offset);
        s->scalar->is_unsigned = leaf != NULL && leaf->is_unsigned;
    }
}

// ---- the pass ------------------------------------------------------------------------------------------------------

static void find_candidates(struct promotion *p)
{
    for (int i = 0; i < p->function->var_count; i++) {
        struct ir_var *var = p->function->vars[i];
        if (!var->is_memory) {
            continue;
        }
        struct candidate *c = ARENA_NEW(p->module->arena, struct candidate);
        c->var = var;
        c->is_good = true;
        p->candidates[i] = c;
    }
}

// What only whole copies touch has no slices; it stays memory for its partners as well.
static void reject_empty(struct promotion *p, int var_count)
{
    for (int i = 0; i < var_count; i++) {
        struct candidate *c = p->candidates[i];
        if (c != NULL && (!c->is_used || c->slices.count == 0)) {
            reject(p, c);
        }
    }
}

bool promote_memory(struct ir_module *module, struct ir_function *function)
{
    struct promotion p = {.module = module, .function = function, .address_count = function->value_count};
    int var_count = function->var_count;
    p.candidates = ARENA_ARRAY(module->arena, struct candidate *, var_count + 1);
    p.addresses = ARENA_ARRAY(module->arena, struct address, function->value_count + 1);
    find_candidates(&p);
    collect(&p, &function->body);
    for (int i = 0; i < var_count; i++) {
        struct candidate *c = p.candidates[i];
        if (c != NULL && c->is_used && c->is_good && c->var->ctype != NULL) {
            c->knows_padding = add_leaves(&p, c, c->var->ctype, 0);
        }
    }
    do {
        p.changed = false;
        relate(&p);
        if (!p.changed) {
            reject_empty(&p, var_count);
        }
    } while (p.changed);
    bool any = false;
    for (int i = 0; i < var_count; i++) {
        struct candidate *c = p.candidates[i];
        if (c != NULL && c->is_good) {
            make_scalars(&p, c);
            any = true;
        }
    }
    if (any) {
        rewrite(&p, &function->body);
    }
    return any;
}
